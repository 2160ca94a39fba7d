"""Which scops take the most time, before anything is measured."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_c
from polyloop.terminal.ranking import ASSUMED, assumed_sizes, expected_operations

LOOPS = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * m + j] += 1;"


@pytest.mark.parametrize(
    ("calls", "sizes"),
    [
        ("", {"n": ASSUMED, "m": ASSUMED}),
        ("f(a, 30, 40);", {"n": 30, "m": 40}),
        ("f(a, 30, *n);", {"n": 30, "m": ASSUMED}),
        ("f(a, -30, 40);", {"n": ASSUMED, "m": ASSUMED}),
    ],
)
def test_the_files_own_sizes_are_assumed(calls: str, sizes: dict[str, int]) -> None:
    text = f"void f(double *a, int n, int m) {{ {LOOPS} }}\nvoid g(double *a, int *n) {{ {calls} }}"
    (scop,) = read_c("f.c", text=text, auto=True)
    assert assumed_sizes(scop) == sizes
    assert expected_operations(scop) == pytest.approx(expected_operations(scop, sizes))
