"""Loops over blocks whose length is a parameter: what they are read as; emitted C does what gcc's code does."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import pytest

from polyloop.frontend import read_source
from polyloop.scop.model import Scop
from tests.frontend.emission import needs_gcc
from tests.frontend.test_unseen import compare, read

BLOCKS = """
#include <stddef.h>
#define MIN(a, b) ((a) < (b) ? (a) : (b))
int sums(const double *x, double *to, int n, int b)
{
  int i, j;
  for (i = 0; i + b <= n; i += b) {
    double s = 0;
    for (j = 0; j < b; j++) s += x[i + j];
    to[i / b] = s;
  }
  return i;
}
int pairs(double *x, long n, int w)
{
  long i = 0;
  while (i + 2 * w - 1 < n) {
    for (long j = i; j < i + w; j++) {
      double t = x[j];
      x[j] += x[j + w];
      x[j + w] = t - x[j + w];
    }
    i += 2 * w;
  }
  return i;
}
void halves(double *x, size_t n, size_t half)
{
  for (size_t base = 0; base < n; base += half << 1)
    for (size_t i = base; i < base + half; i++) {
      double t = x[i];
      x[i] += x[i + half];
      x[i + half] = t - x[i + half];
    }
}
int backwards(const double *x, double *to, int n, int b)
{
  int i, k = 0;
  for (i = n; i - b >= 0; i -= b)
    to[k++] = x[i - 1];
  return i;
}
void scaled(double *x, const double *y, int n, int b)
{
  for (int ii = 0; ii < n; ii += b)
    for (int i = ii; i < (ii + b < n ? ii + b : n); i++)
      x[i] = x[i] * 2 + y[i];
}
void counted(double *x, double *to, int n, int b)
{
  int p, k, m;
  for (p = 0; p < n; p += b) {
    m = n - p < b ? n - p : b;
    for (k = 0; k < m; k++) to[p / b] += x[p + k];
  }
}
void between(double *x, int first, int last, int b)
{
  int ii, i, end;
  for (ii = first; ii <= last; ii += b) {
    end = ii + b;
    if (end > last + 1) end = last + 1;
    for (i = ii; i < end; i++) x[i] += 1;
  }
}
void both(double *x, int n, int b)
{
  for (int ii = 0; ii < n; ii += b)
    for (int i = ii; i < ii + b && i < n; i++)
      x[i] -= 3;
}
void inclusive(double *x, int n, int b)
{
  for (int ii = 0; ii < n; ii += b)
    for (int i = ii; i <= MIN(ii + b - 1, n - 1); i++)
      x[i] *= 3;
}
void columns(double *restrict x, const double *restrict y, int n, int m, int b)
{
  for (int jj = 0; jj < m; jj += b)
    for (int i = 0; i < n; i++)
      for (int j = jj; j < MIN(jj + b, m); j++)
        x[j] += y[i] * x[j];
}
void groups(double *x, const double *y, int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      x[(i * m + j) / m] += y[(i * m + j) % m];
}
"""
DRIVERS = """
static void small(double *to, const unsigned char *x, int n) { for (int k = 0; k < n; k++) to[k] = x[k] % 16; }
#define DRIVE(call) { double v[400], w[400]; small(v, x, 400); small(w, x + 500, 400); int left = 7; call; \\
  for (int k = 0; k < 400; k++) { ((double *)x)[k] = v[k]; ((double *)x)[400 + k] = w[k]; } x[7000] = left; }
void drive_sums(int n, unsigned char *x) DRIVE(left = sums(v, w, 4 * n, n % 5 + 1) + sums(v, w, 7, 1))
void drive_pairs(int n, unsigned char *x) DRIVE(left = pairs(v, 4 * n + 1, n % 5 + 1))
void drive_halves(int n, unsigned char *x) DRIVE((halves(v, 4 * n, n % 5 + 1), halves(w, 64, 1 << n % 6)))
void drive_backwards(int n, unsigned char *x) DRIVE(left = backwards(v, w, 4 * n + 1, n % 5 + 1))
void drive_scaled(int n, unsigned char *x) DRIVE((scaled(v, w, 4 * n + 1, n % 5 + 1), scaled(v, w, n, 50)))
void drive_counted(int n, unsigned char *x) DRIVE((counted(v, w, 4 * n + 1, n % 5 + 1), counted(v, w, n, n + 1)))
void drive_between(int n, unsigned char *x) DRIVE((between(v, 0, 4 * n + 1, n % 5 + 1), between(w, 0, n, 4)))
void drive_further(int n, unsigned char *x) DRIVE(between(v, 3, 4 * n + 1, n % 5 + 1))
void drive_both(int n, unsigned char *x) DRIVE((both(v, 4 * n + 1, n % 5 + 1), both(v, n, 40)))
void drive_inclusive(int n, unsigned char *x) DRIVE((inclusive(v, 4 * n + 1, n % 5 + 1), inclusive(v, n, 40)))
void drive_columns(int n, unsigned char *x) DRIVE((columns(v, w, n, 4 * n + 1, n % 5 + 1), columns(v, w, 2, n, 9)))
void drive_groups(int n, unsigned char *x) DRIVE((groups(v, w, n, n % 5 + 1), groups(v, w, 7, 9)))
void drive_none(int n, unsigned char *x)
DRIVE((left = n ? 0 : sums(v, w, -4, 3) + pairs(v, -1, 1), scaled(v, w, -1, 0), counted(v, w, 0, -1), both(w, -5, 0)))
"""


@needs_gcc
def test_blocks_of_a_parameters_length_may_end_in_any_words(tmp_path: Path) -> None:
    names = (
        "sums",
        "pairs",
        "halves",
        "backwards",
        "scaled",
        "counted",
        "between",
        "both",
        "inclusive",
        "columns",
        "groups",
    )
    file = read(BLOCKS, *names)
    assert compare(file, tmp_path, DRIVERS, sizes=(0, 1, 2, 4, 7, 19, 40)) == {"drive_none", "drive_further"}


def test_unsigned_halves_of_blocks_begin_at_zero() -> None:
    (scop,) = read_source("halves.c", text=BLOCKS, function="halves", auto=True).scops
    assert scop.parameters == ("steps", "half")
    assert [s.depth for s in scop.statements] == [2, 2, 2]


def scop_of(body: str, parameters: str = "double *x, const double *y, double *to, int n, int b") -> Scop:
    (scop,) = read_source("blocks.c", text=f"void f({parameters})\n{{\n  {body}\n}}\n", auto=True).scops
    return scop


def test_all_blocks_but_the_last_are_whole() -> None:
    scop = scop_of("for (int i = 0; i < n; i += b) for (int j = i; j < (i + b < n ? i + b : n); j++) x[j] = 0;")
    assert scop.parameters == ("steps", "last", "b")
    assert str(scop.array("x").shape[1]) == "b"
    first = "0 <= i < steps - 1 and 0 <= j < b"
    domain = isl.Set(f"[steps, last, b] -> {{ S0[i, j] : {first}; S0[i, j] : 0 <= i = steps - 1 and 0 <= j < last }}")
    assert scop.statements[0].domain.is_equal(domain)
    assert scop.assumptions.is_subset(isl.Set("[steps, last, b] -> { : 1 <= last <= b or steps <= 0 }"))


def test_a_quotient_by_the_length_is_the_blocks_number() -> None:
    scop = scop_of(
        "for (int i = 0; i + b <= n; i += b) { to[i / b] = 0; for (int j = 0; j < b; j++) x[(i + j) % b]++; }"
    )
    assert [str(statement.target) for statement in scop.statements] == ["to[i]", "x[j]"]


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; (signed char)i < n; i += b) x[i] = 0;",  # not i, which may be larger
        "for (int i = -3; (unsigned)i < 10; i += b) x[i + 3] = 0;",  # which is large, and not -3
        "for (unsigned i = 0; i + b <= (unsigned)n; i += b) x[i] = 0;",  # the sum may wrap around
        "for (int i = 0; 2 * i + b <= n; i += b) x[i] = 0;",
    ],
)
def test_other_ends_are_not_known(body: str) -> None:
    assert not read_source("blocks.c", text=f"void f(double *x, int n, int b)\n{{\n  {body}\n}}\n", auto=True).scops


def test_blocks_whose_subscripts_would_be_computed_are_left_to_the_loops_inside() -> None:
    scop = scop_of(
        "for (int ii = 0; ii < n; ii += b) for (int jj = 0; jj < n; jj += b)\n"
        "    for (int i = ii; i < (ii + b < n ? ii + b : n); i++)\n"
        "      for (int j = jj; j < (jj + b < n ? jj + b : n); j++) x[i * n + j] = y[j * n + i];"
    )
    assert scop.parameters == ("ii", "b", "n", "jj")
    assert str(scop.array("x").shape[1]) == "n"
