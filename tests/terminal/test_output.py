"""The line that changes while something is going on."""

from __future__ import annotations

from polyloop.terminal.output import Progress


def test_the_seconds_go_on_while_nothing_is_reported() -> None:
    now = [100.0]
    progress = Progress("gemm", clock=lambda: now[0])
    assert progress.__rich__().plain == "gemm, 0 s"
    progress.update("vectorized: 1.250 ms")
    now[0] = 107.2
    assert progress.__rich__().plain == "gemm, 7 s: vectorized: 1.250 ms"
