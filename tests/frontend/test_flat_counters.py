"""Loops that go through all elements of rows at once: what they are read as; emitted C does what gcc's code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.frontend import read_source
from polyloop.scop.affine_isl import condition_text
from polyloop.support.compilers import ALL_WRAP
from tests.frontend.emission import needs_gcc
from tests.frontend.test_unseen import compare, read

FLAT = """
#include <stddef.h>
#include <string.h>
void heat(double *a, double *b, int w, int h, int steps)
{
  for (int t = 0; t < steps; t++) {
    for (int y = 1; y < h - 1; y++)
      for (int x = 1; x < w - 1; x++) b[y * w + x] = a[(y - 1) * w + x] + a[(y + 1) * w + x] + a[y * w + x - 1];
    for (int p = 0; p < w * h; p++) a[p] = b[p] + p % 3;
  }
}
void copied(double *a, double *b, int w, int h, int steps)
{
  for (int t = 0; t < steps; t++) {
    for (int y = 1; y < h - 1; y++)
      for (int x = 1; x < w - 1; x++) b[y * w + x] = a[(y - 1) * w + x] + a[(y + 1) * w + x] + a[y * w + x - 1];
    memcpy(a, b, sizeof(double) * w * h);
  }
}
void named(double *a, double *b, int w, int h, int steps)
{
  int size = w * h, i;
  for (int t = 0; t < steps; t++) {
    for (int y = 1; y < h - 1; y++)
      for (int x = 1; x < w - 1; x++) b[y * w + x] = a[(y - 1) * w + x] + a[(y + 1) * w + x] + a[y * w + x - 1];
    for (i = 0; i < size; i++) a[i] = b[i];
  }
}
void volume(double *a, double *b, int nx, int ny, int nz)
{
  for (int i = 1; i < nx - 1; i++)
    for (int j = 1; j < ny - 1; j++)
      for (int k = 1; k < nz - 1; k++)
        b[(i * ny + j) * nz + k] = a[((i - 1) * ny + j) * nz + k] + a[(i * ny + j + 1) * nz + k - 1];
  for (int i = 0; i < nx * ny * nz; i++) a[i] += 0.5 * b[i];
}
void unsigned_volume(double *a, double *b, size_t nx, size_t ny, size_t nz)
{
  for (size_t i = 0; i < nx; i++)
    for (size_t j = 0; j < ny; j++)
      for (size_t k = 0; k + 1 < nz; k++) b[(i * ny + j) * nz + k] = a[(i * ny + j) * nz + k + 1];
  for (size_t i = 0; i < nx * ny * nz; i++) a[i] += 0.5 * b[i];
}
void normalised(double *m, double *s, unsigned rows, unsigned cols)
{
  unsigned i, j;
  for (i = 0; i < rows * cols; i++) s[0] += m[i];
  for (i = 0; i < rows; i++)
    for (j = 0; j < cols; j++) m[i * cols + j] *= s[0];
}
"""
DRIVERS = """
static void small(double *to, const unsigned char *x, int n) { for (int k = 0; k < n; k++) to[k] = x[k] % 16; }
#define DRIVE(call) { double v[400], w[400]; small(v, x, 400); small(w, x + 500, 400); call; \\
  for (int k = 0; k < 400; k++) { ((double *)x)[k] = v[k]; ((double *)x)[400 + k] = w[k]; } }
void drive_heat(int n, unsigned char *x) DRIVE((heat(v, w, n % 20, 20, 2), heat(v, w, 20, n % 20, 3)))
void drive_heat_backwards(int n, unsigned char *x) DRIVE(heat(v, w, -5, -n, 2))
void drive_copied(int n, unsigned char *x) DRIVE((copied(v, w, n % 20, 20, 2), copied(v, w, 20, n % 20, 3)))
void drive_named(int n, unsigned char *x) DRIVE((named(v, w, n % 20, 20, 2), named(v, w, 20, n % 20, 3)))
void drive_volume(int n, unsigned char *x) DRIVE((volume(v, w, n % 9 + 1, 5, 7), volume(v, w, 6, n % 9 + 1, 8)))
void drive_unsigned_volume(int n, unsigned char *x) DRIVE(unsigned_volume(v, w, n % 9 + 1, 5, n % 7))
void drive_large_volume(int n, unsigned char *x) DRIVE(unsigned_volume(v, w, n < 0, (size_t)1 << 40, (size_t)1 << 40))
void drive_normalised(int n, unsigned char *x) DRIVE((normalised(v, w, n % 20, 19), normalised(w, v, 1, n)))
void drive_none(int n, unsigned char *x) DRIVE(normalised(v, w, n % 20, 0))
"""
NAMES = ("heat", "copied", "named", "volume", "unsigned_volume", "normalised")


@needs_gcc
def test_emitted_c_does_what_gcc_does(tmp_path: Path) -> None:
    """Where rows have no length, or the product of sizes wraps, the original loops run."""
    file = read(FLAT, *NAMES)
    assert [len(scop.parameters) for scop in file.scops] == [3, 3, 3, 3, 3, 2]
    assert all(len(s.iterators) > 1 for scop in file.scops for s in scop.statements)
    original = compare(file, tmp_path, DRIVERS, sizes=(1, 2, 4, 19, 40, 27))
    assert original == {"drive_heat_backwards", "drive_large_volume", "drive_none"}


@pytest.mark.parametrize(("name", "needed"), [
    ("heat", "w > 0"),
    ("copied", "w > 0"),
    ("volume", "ny > 0 and nz > 0"),
    ("unsigned_volume", "0 < nx <= 2097151 and 0 < ny <= 2097151 and 0 < nz <= 2097151"),
    ("normalised", "0 < rows <= 65535 and 0 < cols <= 65535"),
])  # fmt: skip
def test_what_is_asked_of_sizes(name: str, needed: str) -> None:
    (scop,) = read_source("flat.c", text=FLAT, auto=True, function=name).scops
    assert condition_text(scop.assumptions) == needed


def test_signed_products_may_wrap_too() -> None:
    (scop,) = read_source("flat.c", text=FLAT, auto=True, function="heat", defines=(ALL_WRAP,)).scops
    assert "0 < w <= 32767" in condition_text(scop.assumptions)


@pytest.mark.parametrize("limit", ["w * h + 1", "2 * w * h", "w + h", "h * h", "y[0]"])
def test_other_limits_stay(limit: str) -> None:
    text = f"""
void f(double *a, int w, int h, const int *y)
{{
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) a[i * w + j] = 0;
    for (int p = 0; p < {limit}; p++) a[p] += 1;
}}
"""
    scops = read_source("flat.c", text=text, auto=True).scops
    assert [s.iterators for scop in scops for s in scop.statements] == [("i", "j"), ("p",)]


def test_arrays_without_such_rows_stay_flat() -> None:
    text = "void f(double *a, int w, int h) { for (int p = 0; p < w * h; p++) a[p] += 1; }"
    (scop,) = read_source("flat.c", text=text, auto=True).scops
    assert [s.iterators for s in scop.statements] == [("p",)]
