"""Regions that are read for one value of a stride, as no condition can hold its products with counters."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import pytest

from polyloop.frontend import read_source
from polyloop.scop.model import Scop
from tests.frontend.emission import drivers, emitted_and_original, needs_gcc, sizes_that_fall_back

PADDED = """for (int o = 0; o < n; o++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
      int at = o * stride + k - pad;
      if (at >= 0 && at < n) sum += x[at] * y[k];
    }
    x[n + o] = sum;
  }"""
POOLED = """for (int i = 0; i < n / 2; i++)
    for (int j = 0; j < n / 2; j++) {
      double most = 0;
      for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
          if (x[(i * stride + a) * width + j * stride + b] > most) most = x[(i * stride + a) * width + j * stride + b];
      y[i * n + j] = most;
    }"""
STRIDED = "for (int i = 0; i < n; i++) y[i] = x[i * stride] + x[i * stride + 1];"
DILATED = """for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) y[i] += x[i + k * stride] * x[k];"""
BOUND = """for (int i = 0; i < n; i++)
    for (int j = 0; j < i * stride; j++) y[i] += x[j];"""
LOOKED_UP = """for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += x[k * stride + index[k]] * x[k * stride];
    y[i] = sum;
  }"""
RING = """for (int i = 0; i < n; i++) y[i] = 0;
  for (int b = 0; b < 3; b++)
    for (int i = 0; i < n; i++) {
      double old = x[b * stride + i % stride];
      x[b * stride + i % stride] = z[i] + old;
      y[i] += old;
    }"""
BODIES = {
    "ring": ("int n, int stride, double *restrict x, double *restrict y, const double *z", RING),
    "padded": ("int n, int stride, int pad, double *restrict x, const double *restrict y", PADDED),
    "pooled": ("int n, int stride, int width, const double *restrict x, double *restrict y", POOLED),
    "strided": ("int n, int stride, const double *restrict x, double *restrict y", STRIDED),
    "dilated": ("int n, int stride, const double *restrict x, double *restrict y", DILATED),
    "looked up": ("int n, int stride, const double *x, double *restrict y, const int *index", LOOKED_UP),
    "bound": ("int n, int stride, const double *restrict x, double *restrict y", BOUND),
}


def scop_of(name: str, **sizes: int) -> Scop | None:
    signature, loops = BODIES[name]
    text = f"void f({signature})\n{{\n#pragma scop\n  {loops}\n#pragma endscop\n}}\n"
    scops = read_source("strides.c", text=text, sizes=sizes).scops
    return scops[0] if scops else None


@pytest.mark.parametrize(("calls", "stride"), [("f(9, 2, 1, x, y);", 2), ("f(9, 2, 1, x, y); f(9, 3, 1, x, y);", 1)])
def test_the_stride_that_all_calls_in_the_file_pass_is_supposed(calls: str, stride: int) -> None:
    signature, loops = BODIES["padded"]
    text = f"void f({signature})\n{{\n#pragma scop\n  {loops}\n#pragma endscop\n}}\n"
    (scop,) = read_source("strides.c", text=f"{text}void g(double *x, double *y) {{ {calls} }}\n").scops
    assert scop.source is not None
    assert scop.source.supposed == (("stride", stride),)


@pytest.mark.parametrize("stride", [None, 2])
def test_strides_are_supposed_where_nothing_else_is_affine(stride: int | None) -> None:
    scop = scop_of("padded") if stride is None else scop_of("padded", stride=stride)
    assert scop is not None
    assert scop.source is not None
    assert scop.source.supposed == (("stride", stride or 1),)
    assert scop.assumptions.is_subset(isl.Set(f"[stride] -> {{ : stride = {stride or 1} }}"))
    assert not any(access.data for s in scop.statements for access in (s.target, *s.reads))


@pytest.mark.parametrize("name", ["strided", "dilated", "looked up", "pooled"])
def test_what_can_be_read_for_all_strides_is(name: str) -> None:
    scop = scop_of(name)
    assert scop is not None
    assert scop.source is not None
    assert not scop.source.supposed


def test_lengths_of_rings_are_no_strides() -> None:
    (scop, known) = scop_of("ring"), scop_of("ring", stride=8)
    supposed = [each.source.supposed for each in (scop, known) if each is not None and each.source is not None]
    assert supposed == [(), (("stride", 8),)]


def test_bounds_are_no_strides() -> None:
    assert scop_of("bound") is None


@needs_gcc
def test_other_strides_run_the_original_loops(tmp_path: Path) -> None:
    calls = {"padded": "padded(n, n % 3, 1, x, y)", "pooled": "pooled(n, 1 + n % 3, n, x, y)"}
    bodies = {name: (BODIES[name][0], BODIES[name][1], f"{call};") for name, call in calls.items()}
    text = drivers("", bodies)
    scops = {scop.name: scop for scop in read_source("strides.c", text=text).scops}
    assert scops.keys() == bodies.keys()
    libraries = emitted_and_original(text, scops, tmp_path)
    assert sizes_that_fall_back(libraries, "padded", range(4, 16)) == {n for n in range(4, 16) if n % 3 != 1}
    assert sizes_that_fall_back(libraries, "pooled", range(4, 16)) == set()
