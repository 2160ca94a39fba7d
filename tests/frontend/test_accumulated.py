"""Loops between bounds from data that add up several numbers: what they are read as, and what they leave in memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polyloop.backend.ir.expressions import Fold, contracted, walk
from polyloop.frontend import read_source
from polyloop.scop.model import Scop
from tests.frontend.emission import needs_gcc
from tests.frontend.test_unseen import compare, read

SUMS = """
void forces(int n, const int *start, const int *next, const double *x, const double *y, double *restrict fx,
            double *restrict fy, double cut)
{
  int i, j, k;
  double dx, dy, r, f;
  for (i = 0; i < n; i++) {
    double sx = 0, sy = 0;
    int pairs = 0;
    for (k = start[i]; k < start[i + 1]; k++) {
      j = next[k];
      dx = x[i] - x[j];
      dy = y[i] - y[j];
      r = dx * dx + dy * dy;
      if (r >= cut) continue;
      f = r < 4 ? r * 2 : 3 - r;
      sx += f * dx;
      sy += f * dy;
      pairs++;
    }
    fx[i] = sx + pairs;
    fy[i] = sy;
  }
}
void labels(int n, const int *start, const int *next, const int *label, int *to)
{
  for (int i = 0; i < n; i++) {
    int least = label[i];
    for (int e = start[i]; e < start[i + 1]; e++) {
      int l = label[next[e]];
      if (l < least) least = l;
    }
    to[i] = least;
  }
}
void cells(int n, const int *start, const int *next, const double *x, double *f)
{
  int i, k;
  double d;
  for (i = 0; i < n; i++)
    for (k = start[i]; k < start[i + 1]; k++) {
      d = x[next[k]] - x[i];
      f[2 * i] += d;
      f[2 * i + 1] -= d * d;
    }
}
void guarded(int n, const int *start, const int *next, const float *x, float *restrict sum,
             unsigned char *restrict many)
{
  for (int i = 0; i < n; i++) {
    float s = 0, t = 1;
    unsigned char c = 250;
    for (int k = start[i]; k < start[i + 1]; k++) {
      int j = next[k];
      if (j < 40) {
        const float v = x[j];
        if (v > 3) { s += v * 0.5; c += 3; }
        else if (v > 1) t *= v;
      } else {
        c -= j & 7;
      }
    }
    sum[i] = s - t;
    many[i] = c;
  }
}
void last(int n, const int *start, const int *next, const double *x, double *y)
{
  double d = 3;
  for (int i = 0; i < n; i++) {
    double m = x[i];
    for (int k = start[i]; k < start[i + 1]; k++) { d = x[next[k]]; m = m * 2 - d; }
    y[i] = m + d;
  }
}
int behind(int n, const int *start, const int *next, int *to)
{
  int k = 0, s, all = 0;
  for (int i = 0; i < n; i++) {
    s = 0;
    for (k = start[i]; k < start[i + 1]; k++) {
      s += next[k];
      all ^= next[k] + i;
    }
    to[i] = s;
  }
  return all;
}
"""
DRIVERS = """
#define DRIVE(call) { int start[60], next[600], label[50], to[50] = {0}; double v[200], w[200]; float u[50], z[50]; \\
  unsigned char c[50] = {0}; start[0] = 8; \\
  for (int k = 0; k < 59; k++) start[k + 1] = start[k] + x[k] % 9 - (x[k] % 11 == 0); \\
  for (int k = 0; k < 600; k++) next[k] = x[100 + k] % 40; \\
  for (int k = 0; k < 200; k++) { v[k] = x[700 + k] % 7; w[k] = x[900 + k] % 5; } \\
  for (int k = 0; k < 50; k++) { label[k] = x[k] * 3; u[k] = x[k] % 6; z[k] = 0; } \\
  call; double *out = (double *)(x + 8000); (void)next, (void)label, (void)u; \\
  for (int k = 0; k < 200; k++) { out[k] = v[k]; out[200 + k] = w[k]; } \\
  for (int k = 0; k < 50; k++) { out[400 + k] = to[k]; out[450 + k] = z[k]; out[500 + k] = c[k]; } }
void drive_forces(int n, unsigned char *x) DRIVE((n > 35 || (forces(n, start, next, v, w, v + 50, w + 50, 9), 0)))
void drive_labels(int n, unsigned char *x) DRIVE(labels(n, start, next, label, to))
void drive_cells(int n, unsigned char *x) DRIVE(cells(n, start, next, v, w))
void drive_guarded(int n, unsigned char *x)
DRIVE({ for (int k = 0; k < 600; k += 7) next[k] = 1 << 29; guarded(n, start, next, u, z, c); })
void drive_last(int n, unsigned char *x) DRIVE((last(n, start, next, v, w), last(n, start, next, v, v + 20)))
void drive_behind(int n, unsigned char *x) DRIVE(z[0] = behind(n, start, next, to))
"""


@needs_gcc
def test_every_sum_has_a_loop_of_its_own(tmp_path: Path) -> None:
    file = read(SUMS, "forces", "labels", "cells", "guarded", "last", "behind")
    assert compare(file, tmp_path, DRIVERS, sizes=(0, 1, 2, 7, 19, 40)) == {"drive_last"}  # of memory that overlaps
    folds = [[n for s in scop.statements for n in walk(s.value) if isinstance(n, Fold)] for scop in file.scops]
    assert [len(each) for each in folds] == [3, 1, 2, 3, 2, 2]


def scop_of(body: str, before: str = "int i, j, k; double d, m;") -> Scop | None:
    signature = (
        "void f(int n, const int *start, const int *next, const double *x, double *restrict y, double *restrict z)"
    )
    head = f"double shared, table[9][9];\n{signature}\n"
    text = f"{head}{{\n  {before}\n  for (i = 0; i < n; i++) {{\n    {body}\n  }}\n}}\n"
    scops = read_source("sums.c", text=text, auto=True).scops
    return next((scop for scop in scops if "n" in scop.parameters), None)


LOOP = "for (k = start[i]; k < start[i + 1]; k++)"


def test_products_that_were_stored_are_rounded_by_themselves() -> None:
    """A compiler may fuse the products of one expression, and not those of others."""
    scop = scop_of(f"m = 0; {LOOP} {{ d = x[k] * x[next[k]]; m += d; m += x[k] * 2; }} y[i] = m;")
    assert scop is not None
    (fold,) = (n for s in scop.statements for n in walk(s.value) if isinstance(n, Fold))
    assert sum(contracted(n) is not None for n in walk(fold.value)) == 1


@pytest.mark.parametrize(
    "body",
    [
        f"d = m = 0; {LOOP} {{ d += x[k]; m += d; }} y[i] = d; z[i] = m;",  # one reads the other
        f"j = 0; m = x[0]; {LOOP} if (x[k] > m) {{ m = x[k]; j = k; }} y[i] = m; z[i] = j;",
        f"m = 0; {LOOP} {{ m += d; d = x[k]; }} y[i] = m;",  # of the iteration before
        f"m = 0; {LOOP} {{ if (x[k] > 2) d = x[k]; m += d; }} y[i] = m;",
        f"{LOOP} {{ if (x[k] > 2) y[i] += x[k]; }}",  # memory that C may not write
        f"{LOOP} {{ if (x[k] > 2) shared += x[k]; }}",
        f"{LOOP} {{ y[i] += x[k]; y[j] += 1; }}",  # perhaps the same element
        f"{LOOP} {{ y[i] += x[k]; z[i] += y[0]; }}",
        f"{LOOP} {{ y[i] += x[k]; z[i] += *y; }}",
        f"{LOOP} {{ table[i][0] += x[k]; z[i] += table[j][0]; }}",
        f"{LOOP} {{ table[i][0] += x[k]; table[j][0] += x[k] * 2; }}",
        f"{LOOP} {{ y[k] = x[k]; z[i] += x[k]; }}",
        "j = start[0]; m = 0; for (k = start[i]; k < start[i + 1] + j; k++) { j = next[k]; m += j; } y[i] = m;",
    ],
)
def test_what_would_change_is_left_as_it_is(body: str) -> None:
    assert scop_of(body) is None


def test_numbers_in_memory_are_written_where_the_loop_runs() -> None:
    scop = scop_of(f"{LOOP} {{ d = x[k]; y[i] += d; z[i] += d + 1; }}")
    assert scop is not None
    assert [re.sub(r"\[.*", "", str(s.target)) for s in scop.statements] == ["y", "z"]
    assert all(s.conditional for s in scop.statements)
