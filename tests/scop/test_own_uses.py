"""Sizes of the file's own calls, and iterations of loops around a region."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_c
from polyloop.scop.own_uses import SAMPLES, own_sizes, sizes_around
from polyloop.scop.size_choice import default_sizes, likely
from tests.helpers.reading import found_scop

PRODUCT = """void product(int n, int m, const double *a, const double *b, double *c)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < m; k++)
        c[i*m + j] += a[i*m + k] * b[k*m + j];
}
"""
SIEVE = """int prime(const char *, long);
void sieve(char *flags, long n)
{
  for (long i = 2; i < 8000; i++)
    if (prime(flags, i))
      for (long k = 2 * i; k < 8000; k += i)
        flags[k] = 0;
}
"""


def test_sizes_that_nobody_gives_are_those_of_the_files_own_calls() -> None:
    small = found_scop(PRODUCT + "void f(double *x) { product(6, 30, x, x + 4000, x + 8000); }")
    choice = default_sizes(small)
    assert choice.values == {"n": 6, "m": 30}
    assert choice.origin == "n, m as the file itself has them"
    assert default_sizes(small, {"m": 9}).values == {"n": 6, "m": 9}
    assert default_sizes(small, {"m": 9, "n": 7}).values == {"n": 7, "m": 9}


def test_the_largest_is_halved_where_a_run_would_take_too_long() -> None:
    large = found_scop(PRODUCT + "void f(double *x) { product(2000000, 30, x, x, x); }")
    choice = default_sizes(large)
    assert choice.values["m"] == 30
    assert 1000 < choice.values["n"] < 1_000_000
    smaller = f"n={choice.values['n']} for the 2000000 there, which would take too long"
    assert choice.origin == f"m as the file itself has it; {smaller}"


def test_what_the_file_does_not_say_is_chosen_for_the_time_that_a_run_takes() -> None:
    choice = default_sizes(found_scop(PRODUCT + "void f(double *x, int n) { product(n, 30, x, x, x); }"))
    assert choice.values["m"] == 30
    assert choice.origin.startswith("m as the file itself has it; n: chosen for ")


def test_sizes_that_the_file_has_let_the_loops_run_when_they_are_halved() -> None:
    text = """void dilate(const unsigned char *in, unsigned char *out, int w, int h, int r)
    {
      for (int y = r; y < h - r; y++)
        for (int x = r; x < w - r; x++)
          out[y * w + x] = in[(y - r) * w + x] + in[y * w + x + r];
    }
    void f(unsigned char *x) { dilate(x, x + (1 << 24), 4096, 4096, 2); }"""
    sizes = default_sizes(found_scop(text), None, 1e6).values
    assert sizes["r"] == 2
    assert sizes["w"] * sizes["h"] > 1e6


def test_values_that_the_loops_were_not_read_for_are_none() -> None:
    text = "void f(double *x, int n) { for (int i = 0; i < n; i++) x[i * n] = 0; }\nvoid g(double *x) { f(x, -3); }"
    negative = found_scop(text)
    assert own_sizes(negative, {}, 1e9, 1e9) == {}
    assert default_sizes(negative).values["n"] > 0


def test_a_value_that_fits_none_of_the_others_is_left_out() -> None:
    """Rows of another object than the one whose size is known."""
    text = """void f(double *x, int n, int m, int stride)
    {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) x[i * stride + j] += 1;
    }
    void g(double *x) { f(x, 300, 200, 150); }"""
    rows = found_scop(text)
    assert own_sizes(rows, {}, 1e9, 1e9) == {"n": 300, "m": 200}
    more = text.replace("int stride", "int stride, int other, double *y").replace("150", "150, 100, x")
    two = found_scop(more.replace("+= 1", "+= y[i * other + j]"))
    assert own_sizes(likely(two, {}), {}, 1e9, 1e9) == {"n": 300, "m": 200}
    assert default_sizes(two).values["other"] >= 200
    assert own_sizes(rows, {}, 1e4, 1e9) == {"n": 75, "m": 100}
    assert default_sizes(rows).values == {"n": 300, "m": 200, "stride": 200}


@pytest.mark.parametrize("first", [1, 700])
def test_iterations_of_the_loop_around_stand_for_all(first: int) -> None:
    found = sizes_around(found_scop(SIEVE), {"i": first})
    assert len(found) == SAMPLES
    assert [each["i"] for each in found] == [501, 1501, 2501, 3501, 4500, 5500, 6500, 7500]
    assert [each["steps"] for each in found] == [-(-(8000 - 2 * each["i"]) // each["i"]) for each in found]


def test_flags_that_calls_pass_are_tried_each() -> None:
    text = """static void f(int n, int most, double *a) {
      for (int i = 0; i < n; i++) if (most) a[i] += 1; else a[i] -= 1;
    }
    void g(int n, double *a) { f(n, 0, a); f(n, 1, a); f(n, 0, a); }"""
    (scop,) = read_c("f.c", text=text, auto=True)
    sizes = default_sizes(scop).values
    assert sizes["most"] in (0, 1)
    assert sizes_around(scop, sizes) == [{**sizes, "most": 0}, {**sizes, "most": 1}]


def test_loops_that_begin_late_begin_at_0() -> None:
    text = """static void f(int first, int end, int n, double *a) {
      for (int i = first; i < end; i++) for (int j = 0; j < n; j++) a[i * n + j] += 1;
    }
    void g(double *a) { f(700, 760, 100, a); }"""
    (scop,) = read_c("f.c", text=text, auto=True)
    choice = default_sizes(scop)
    assert choice.values == {"first": 0, "end": 60, "n": 100}
    assert "first=0 for the 700 there, end=60 for the 760 there, which would begin later, or take" in choice.origin


def test_what_no_loop_begins_at_is_as_large_as_the_file_has_it() -> None:
    text = """static void f(int n, int m, const double *at, const double *b, double *a) {
      for (int i = 0; i < n; i++) { int k = (int)at[i]; if (k >= 0 && k < m) a[i] += b[k]; }
    }
    void g(double *a, const double *at, const double *b) { f(700, 90, at, b, a); }"""
    (scop,) = read_c("f.c", text=text, auto=True)
    assert default_sizes(scop).values == {"n": 700, "m": 90}


def test_no_loop_around_no_iterations() -> None:
    assert sizes_around(found_scop(PRODUCT), {"n": 5, "m": 5}) == []
