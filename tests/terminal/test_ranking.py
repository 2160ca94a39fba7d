"""Which scops take the most time, before anything is measured."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_c
from polyloop.terminal.ranking import ASSUMED, assumed_sizes, callees, expected_operations, is_negligible, weight

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


def test_loops_call_functions_that_have_loops_of_their_own() -> None:
    text = """static void inner(double *a, int n) { for (int i = 0; i < n; i++) a[i] += 1; }
    static void middle(double *a, int n) { for (int k = 0; k < n; k++) { inner(a, n); a[k] *= 2; } }
    void outer(double *a, int n) { for (int t = 0; t < n; t++) { middle(a, n); a[0] -= t; } }
    void other(double *a, int n) { for (int i = 0; i < n; i++) a[i] = i; }"""
    scops = read_c("f.c", text=text, auto=True)
    names = [scop.name for scop in scops]
    found = [{names[k] for k in each} for each in callees(scops)]
    assert dict(zip(names, found, strict=True)) == {
        "inner": set(),
        "middle": {"inner"},
        "outer": {"inner", "middle"},
        "other": set(),
    }


def test_functions_that_call_each_other_end() -> None:
    text = """void f(double *a, int n);
    void g(double *a, int n) { for (int i = 0; i < n; i++) a[i] += 1; for (int i = 0; i < 2; i++) f(a + i, n - 1); }
    void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; if (n) for (int i = 0; i < 2; i++) g(a, n); }"""
    scops = read_c("f.c", text=text, auto=True)
    assert all(scops[k].name[0] != scop.name[0] for scop, each in zip(scops, callees(scops), strict=True) for k in each)


def test_what_runs_once_for_no_time_is_negligible() -> None:
    text = """float x[99];
    void set(int n) { for (int i = 0; i < n; i++) x[i] = i; }
    void work(int n) { for (int i = 0; i < n; i++) x[i] *= 2; }
    int main(int argc, char **argv) { set(99); for (int t = 0; t < 999; t++) work(99); return 0; }"""
    scops = {scop.name: scop for scop in read_c("f.c", text=text, auto=True)}
    assert is_negligible(scops["set"], 400.0)
    assert not is_negligible(scops["set"], 4e6)
    assert not is_negligible(scops["work"], 400.0)
    (unknown, *_) = read_c("f.c", text=text.replace("set(99)", "set(argc)"), auto=True)
    assert not is_negligible(unknown, 400.0)


def test_a_loop_of_a_second_weighs_more_than_many_of_a_microsecond() -> None:
    assert weight(1e10) > 20 * weight(1e4)
    assert weight(1e2) == weight(0.0) == 1.0
    assert weight(1e21) == weight(1e12) < 3 * weight(1e9)
