"""Pointers that move only where they are not null: gcc's build of the file and of the emitted one do the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.frontend import read_source
from tests.frontend.emission import needs_gcc
from tests.frontend.test_unseen import compare, read

FILE = """
#include <stddef.h>
void layer(const int *bias, const signed char *x, const signed char *w, int *o, int n, int m)
{
  for (int i = 0; i < n; i += 2) {
    int s = 1, t = 2;
    if (bias) { s = *bias++; t += bias[0]; ++bias; }
    for (int k = 0; k < m; k++) { s += x[k] * w[i * m + k]; t -= x[k] * w[i * m + m + k]; }
    o[i] = s;
    o[i + 1] = t;
  }
}
void square(int *o, int *other, const int *x, int n)
{
  while (n-- > 0) {
    int s = *x++ * 2;
    *o++ = s;
    if (other != NULL) *other++ = s * s;
  }
}
void weighted(int *o, const int *w, const int *x, int n)
{
  for (int i = 0; i < n; i++) {
    int k = w ? *w++ : 3;
    if (x[i] & 1)
      o[i] = x[i] * k;
  }
}
"""
DRIVERS = """
void drive_layer(int n, int *x)
{
  if (n % 2 == 0) layer(n == 40 ? 0 : x + 4000, (signed char *)x, (signed char *)x + 100, x + 2000, n, n);
}
void drive_square(int n, int *x) { square(x + 500, n == 7 ? 0 : x + 1000, x, n); }
void drive_weighted(int n, int *x) { weighted(x + 500, n == 7 ? x + 1000 : 0, x, n); }
"""


@needs_gcc
def test_arrays_may_be_missing(tmp_path: Path) -> None:
    assert not compare(read(FILE, "layer", "square", "weighted"), tmp_path, DRIVERS)


@pytest.mark.parametrize(
    "loop",
    [
        "if (p) { s = *p++; s += *p++ + *p++; } o[i] = s;",  # in which order, C does not say
        "if (p && i) s = *p++; o[i] = s;",
        "if (p) s = *p++; else p = o; o[i] = s;",
        "if (p) for (int k = 0; k < i; k++) s += *p++; o[i] = s;",
        "if (p) s = *p++ + p[1]; o[i] = s;",
        "if (p) s = q(p++); o[i] = s;",
        "if (p) { s = *p++; if (s > i) continue; } o[i] = s;",
    ],
)
def test_other_pointers_stay(loop: str) -> None:
    text = f"void f(int *o, const int *p, int n) {{ for (int i = 0; i < n; i++) {{ int s = 0; {loop} }} }}"
    assert not any("has_p" in scop.parameters for scop in read_source("x.c", text=text, auto=True).scops)


def test_what_is_read_afterwards_moves_where_it_is_not_null() -> None:
    text = """
const int *f(int *o, const int *p, int n)
{
  for (int i = 0; i < n; i++) { o[i] = 0; if (p) o[i] = *p++; }
  return p;
}
"""
    assert not read_source("x.c", text=text, auto=True).scops
