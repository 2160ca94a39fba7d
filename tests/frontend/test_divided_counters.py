"""Loops that divide their counters: what they are read as; emitted C does what gcc's code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.frontend import read_source
from tests.frontend.emission import needs_gcc
from tests.frontend.test_unseen import compare, read

ROWS = """
void bias(double *x, const double *b, int n, int c)
{
  for (int i = 0; i < n; i++) x[i] += b[i % c];
}
void old_style(double *x, const double *b, int n, int c)
{
  int i;
  for (i = 0; i < n; i++) x[i] = x[i] * b[i / c] + b[i % c];
}
void channels(double *x, const double *s, int n, int c, int hw)
{
  for (int i = 0; i < n * c * hw; i++) {
    int ch = (i / hw) % c;
    x[i] = x[i] * s[ch] + 1;
  }
}
void keys(unsigned char *x, const unsigned char *key, unsigned long n, unsigned long length)
{
  for (unsigned long i = 0; i < n; i++) x[i] ^= key[i % length];
}
void unsigned_rows(double *to, const double *x, unsigned rows, unsigned cols)
{
  for (unsigned i = 0; i < rows * cols; i++) {
    unsigned r = i / cols, c = i % cols;
    to[c * rows + r] = x[i];
  }
}
void skipped(double *x, const double *b, int n, int c)
{
  for (int i = 0; i < n; i++) {
    if (x[i] < 4) continue;
    x[i] += b[i / c];
  }
}
void values(double *x, int n, int c)
{
  for (int i = 0; i < n; i++) x[i] = i % c * 10 + i / c - (unsigned)(i % c - 1) % 7;
}
"""
DRIVERS = """
static void small(double *to, const unsigned char *x, int n) { for (int k = 0; k < n; k++) to[k] = x[k] % 16; }
#define DRIVE(call) { double v[400], w[400]; small(v, x, 400); small(w, x + 500, 400); call; \\
  for (int k = 0; k < 400; k++) { ((double *)x)[k] = v[k]; ((double *)x)[400 + k] = w[k]; } }
void drive_bias(int n, unsigned char *x) DRIVE((bias(v, w, 4 * n, n % 7 + 1), bias(v, w, n, 50)))
void drive_backwards(int n, unsigned char *x) DRIVE((bias(v, w, n, -3), bias(v, w, n, 1)))
void drive_old_style(int n, unsigned char *x) DRIVE((old_style(v, w, 4 * n, n % 7 + 1), old_style(v, w, n, 50)))
void drive_channels(int n, unsigned char *x) DRIVE((channels(v, w, n % 3 + 1, 3, n), channels(v, w, 0, 2, 4)))
void drive_negative(int n, unsigned char *x) DRIVE(channels(v, w, -3, 2, -n))
void drive_keys(int n, unsigned char *x) DRIVE((keys(x, x + 2000, 5 * n, n % 9 + 1), keys(x, x + 2000, n, 99)))
void drive_unsigned_rows(int n, unsigned char *x) DRIVE(unsigned_rows(v, w, n % 5 + 1, n))
void drive_skipped(int n, unsigned char *x) DRIVE((skipped(v, w, 4 * n, n % 7 + 1), skipped(v, w, n, 50)))
void drive_values(int n, unsigned char *x) DRIVE((values(v, 4 * n, n % 7 + 1), values(w, n, 9)))
"""


@needs_gcc
def test_emitted_c_does_what_gcc_does(tmp_path: Path) -> None:
    """Where rows have no length, the original loops run."""
    file = read(ROWS, "bias", "old_style", "channels", "keys", "unsigned_rows", "skipped", "values")
    # What is no subscript is computed.
    assert ["steps" in scop.parameters for scop in file.scops] == [True] * 6 + [False]
    assert compare(file, tmp_path, DRIVERS, sizes=(0, 1, 2, 4, 7, 19, 40)) == {"drive_backwards", "drive_negative"}


def _parameters(function: str) -> set[str]:
    """Of all that is read of a function."""
    return {name for scop in read_source("rows.c", text=function, auto=True).scops for name in scop.parameters}


@pytest.mark.parametrize(
    "function",
    [
        "int f(double *x, int n, int c) { int i; for (i = 0; i < n; i++) x[i % c] = i; return i; }",  # asks for it
        "void f(double *x, int n, int c) { for (int i = 1; i < n; i++) x[i % c] = i; }",
        "void f(double *x, int n, unsigned c) { for (int i = 0; i < n; i++) x[i % c] = i; }",
        "void f(double *x, int n, int c) { for (int i = 0; i < n; i++) { x[i % c] = i; if (x[0] > 3) c = 2; } }",
        "void f(double *x, int n) { for (int i = 0; i < n; i++) x[i % 3] = i; }",
        "int f(int *x, int n, int c) { int k = 0; for (int i = 0; i < n; i++, k++) if (x[i / c]) break; return k; }",
    ],
)
def test_other_loops_stay_as_they_are(function: str) -> None:
    assert "steps" not in _parameters(function)
