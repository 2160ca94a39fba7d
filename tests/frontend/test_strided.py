"""Subscripts with strides that are no rows of rows: read for all values of the strides, of what nothing writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polyloop
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.polynomials import text
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import make_data
from polyloop.scop.model import Scop
from polyloop.scop.size_choice import default_sizes
from tests.frontend.emission import drivers, emitted_and_original, needs_gcc, sizes_that_fall_back

CONVOLVE = """for (int o = 0; o < n; o++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int c = 0; c < 2; c++)
          for (int a = 0; a < k; a++)
            for (int b = 0; b < k; b++)
              y[(o * n + i) * n + j] += x[(c * h + i * s + a) * w + j * s + b] * z[((o * 2 + c) * k + a) * k + b];"""
MULTIPLY = """for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < n; p++) y[i * n + j] += x[i * rs + p * cs] * z[p * cs + j * rs];"""
BATCH = "for (int i = 0; i < n; i++) y[i] = x[b * size + (n - 1 - i) * s + 2] - x[b * size + i * s];"
HALVE = """for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int c = 0; c < d; c++)
        y[(i * n + j) * d + c] = x[(2 * i * w + 2 * j) * d + c] + x[((2 * i + 1) * w + 2 * j + 1) * d + c];"""
SPREAD = """for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i * m + j] = x[(i >> 1) * (m >> 1) + (j >> 1)] + x[(i / 2) * ((w + 1) / 2) + j / 2];"""
ARRAYS = "const double *x, double *y"
BODIES = {
    "convolve": (f"int n, int k, int h, int w, int s, const double *z, {ARRAYS}", CONVOLVE),
    "multiply": (f"int n, int rs, int cs, const double *z, {ARRAYS}", MULTIPLY),
    "batch": (f"int n, int b, int size, int s, {ARRAYS}", BATCH),
    "halve": (f"int n, int w, int d, {ARRAYS}", HALVE),
    "spread": (f"int n, int m, int w, {ARRAYS}", SPREAD),
}
STRIDES = {
    "convolve": ["s * w", "h * w", "w", "s", "1"],
    "multiply": ["rs", "cs", "1"],
    "batch": ["n * s", "b * size", "s", "1"],
    "halve": ["d * w", "d", "1"],
    "spread": ["m_shifted_down_1", "w_plus_1_over_2", "1"],
}


def scop_of(signature: str, loops: str) -> Scop:
    (scop,) = read_source("f.c", text=f"void f({signature})\n{{\n#pragma scop\n  {loops}\n#pragma endscop\n}}\n").scops
    return scop


@pytest.mark.parametrize("name", BODIES)
def test_every_product_has_a_stride_of_its_own(name: str) -> None:
    scop = scop_of(*BODIES[name])
    assert scop.source is not None
    assert not scop.source.supposed
    assert sorted(map(text, scop.array("x").strides or ())) == sorted(STRIDES[name])
    assert not any(access.data for s in scop.statements for access in s.reads)


def test_what_is_written_has_rows() -> None:
    signature, loops = BODIES["multiply"]
    scop = scop_of(f"{signature}, int ry, int cy", loops.replace("y[i * n + j]", "y[i * ry + j * cy]"))
    assert scop.source is not None
    assert not scop.source.supposed
    assert [str(extent) for extent in scop.array("y").shape[1:]] == ["ry_over_cy", "cy"]
    assert scop.array("y").strides is None
    assert scop.array("x").strides is not None


def test_what_conditions_on_products_keep_in_bounds_is_computed() -> None:
    loops = "for (int i = 0; i < n; i++) for (int p = 0; p < n; p++) if (i * cs < n) y[i] += x[i * rs + p * cs];"
    scop = scop_of(BODIES["multiply"][0], loops)
    assert scop.source is not None
    assert scop.array("x").strides is None or scop.source.supposed


def test_sums_that_wrap_around_are_read_for_rows_whose_subscripts_do_not() -> None:
    signature, loops = (text.replace("int ", "unsigned ") for text in BODIES["multiply"])
    scop = scop_of(signature, loops)
    assert scop.source is not None
    assert scop.source.supposed
    assert "n <= 65535" in str(scop.assumptions)


def test_default_sizes_are_those_of_rows_that_do_not_overlap() -> None:
    sizes = default_sizes(scop_of(*BODIES["convolve"])).values
    assert sizes["s"] == 1
    assert sizes["w"] >= sizes["n"] + sizes["k"] - 1
    assert 1 < sizes["k"] < 10 < sizes["n"]
    sizes = default_sizes(scop_of(*BODIES["multiply"])).values
    assert max(sizes["rs"], sizes["cs"]) >= sizes["n"] > 10
    assert min(sizes["rs"], sizes["cs"]) == 1
    sizes = default_sizes(scop_of(*BODIES["halve"])).values
    assert sizes["w"] >= 2 * sizes["n"] - 1 > 20
    sizes = default_sizes(scop_of(*BODIES["spread"])).values
    assert sizes["m_shifted_down_1"] == sizes["m"] // 2


def test_the_interpreter_goes_by_strides() -> None:
    scop, sizes = scop_of(*BODIES["multiply"]), {"n": 5, "rs": 3, "cs": 7}
    data = make_data(scop, sizes)
    x, y, z = (np.array(data[name], np.float64) for name in "xyz")
    assert x.shape == (4 * 3 + 4 * 7 + 1,)
    i, p, j = np.ogrid[:5, :5, :5]
    wanted = y.reshape(5, 5) + (x[3 * i + 7 * p] * z[7 * p + 3 * j]).sum(1)
    interpret(lower(scop, original_tree(scop)), sizes, data)
    np.testing.assert_allclose(np.array(data["y"], np.float64), wanted)


def test_a_kernel_takes_memory_of_any_shape() -> None:
    """Rows of as many dimensions as there are subscripts tell the strides."""
    text = "void f(int n, int lda, const double *a, double *y)\n{\n  for (int i = 0; i < n; i++)\n    "
    text += "for (int k = 0; k < 4; k++) y[i] += a[i * lda + k];\n}\n"
    (scop,) = read_source("f.c", text=text, auto=True).scops
    kernel, a = polyloop.compile(scop), np.arange(30.0)
    for given in ({"a": a, "lda": 6}, {"a": a.reshape(5, 6)}, {"a": a.reshape(3, 10), "lda": 6}):
        y = np.zeros(5)
        kernel(**given, y=y, n=5)
        assert np.array_equal(y, a.reshape(5, 6)[:, :4].sum(1))


@needs_gcc
def test_emitted_code_runs_whatever_the_strides(tmp_path: Path) -> None:
    calls = {
        "convolve": "convolve(n / 4, 1 + n % 3, n, n, 1 + n % 2, x + n, x, y);",
        "multiply": "multiply(n, 1 + n % 3, n % 5 + 1, x + 1, x, y);",
        "batch": "batch(n, n % 3, n, n % 4, x, y);",
        "halve": "halve(n / 2, n, 1 + n % 3, x, y);",
        "spread": "spread(n, n + n % 3, n + 1, x, y);",
    }
    bodies = {name: (*BODIES[name], calls[name]) for name in BODIES}
    bodies["near"] = (*BODIES["multiply"], "near(n, 1 + n % 3, n % 5 + 1, y + n * n, y + n * n - (n == 6), y);")
    bodies["backwards"] = (*BODIES["multiply"], "backwards(n, -1, n, x + n, x + n, y);")
    texts = drivers("", bodies)
    scops = {scop.source.function: scop for scop in read_source("f.c", text=texts).scops if scop.source is not None}
    assert scops.keys() == bodies.keys()
    libraries = emitted_and_original(texts, scops, tmp_path)
    sizes = range(4, 14)
    for name in BODIES:
        assert sizes_that_fall_back(libraries, name, sizes) == set()
    assert sizes_that_fall_back(libraries, "near", sizes) == {6}
    assert sizes_that_fall_back(libraries, "backwards", sizes) == {*sizes}
