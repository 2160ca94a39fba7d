"""The whole command on a pseudo-terminal, and the explorer with programs that are really compiled."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.widgets import Static

from polyloop.cli.explore import INTERNAL
from polyloop.explorer.app import Explorer
from polyloop.explorer.meter import WorkerMeter
from polyloop.explorer.opening import Subject
from polyloop.measure.evaluator import InProcess
from tests.helpers.commands import Run

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 90.0


@contextmanager
def terminal(*arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The command on a terminal of 80 columns and 24 lines: its process, and the terminal's other end."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "polyloop", "explore", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "POLYLOOP_CACHE": str(Path.cwd())},
    )
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def until(terminal: int, words: bytes) -> bytes:
    """What the terminal shows until the words come."""
    seen, deadline = b"", time.monotonic() + PATIENCE
    while words not in seen:
        assert time.monotonic() < deadline, seen
        try:
            seen += os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            raise AssertionError(seen) from None
    return seen


def test_keys_on_a_terminal() -> None:
    with terminal("MM-64", "--evaluator", "model") as (process, ours):
        until(ours, b"GFLOPS")
        os.write(ours, b"K")
        until(ours, b"swap_up is masked")
        os.write(ours, b"q")
        # The terminal goes back to its other screen.
        until(ours, b"\x1b[?1049l")
        assert process.wait(PATIENCE) == 0


def test_interrupted() -> None:
    with terminal("MM-64", "--evaluator", "model") as (process, ours):
        until(ours, b"GFLOPS")
        os.write(ours, b"\x03")
        until(ours, b"\x1b[?1049l")
        assert process.wait(PATIENCE) == 0


def test_real_programs(product: Subject) -> None:
    app = Explorer(product, WorkerMeter(product.process.problem, InProcess()), "worker", pause=0.01)

    async def drive() -> None:
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.press("1", "down", "J")
            while app.session.pending() is not None or app.asking:
                await pilot.pause(0.02)
            texts = {name: str(app.query_one(f"#{name}", Static).content) for name in ("speed", "data")}
            assert "% of peak" in texts["speed"]
            assert "compiled in" in texts["speed"]
            assert "= 512 results " in texts["speed"]
            assert "C[32][16]  2 KB" in texts["data"]
            program = app.session.state.program
            assert app.session.records[program].error is None

    asyncio.run(asyncio.wait_for(drive(), PATIENCE))


def test_a_bug_has_its_own_status(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyloop.cli.explore.on_terminal", lambda: True)
    monkeypatch.setattr("polyloop.cli.explore.draws_on_terminal", lambda: True)
    opened: list[Explorer] = []

    def fail(self: Explorer) -> None:
        opened.append(self)
        self._return_code = 1

    monkeypatch.setattr(Explorer, "run", fail)
    assert run("explore", "MM-64", "--evaluator", "model").status == INTERNAL
    assert len(opened) == 1


def test_an_explorer_whose_screen_goes_to_a_file_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyloop.cli.explore.on_terminal", lambda: True)
    ran = run("explore", "MM-64", "--evaluator", "model")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("polyloop: error: explore draws on standard error, which does not go to a terminal here")
