"""Halide as a contestant: programs in its words, calls from compiled code, and what happens without it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polyloop
from polyloop.bench import halide
from polyloop.bench.blas import MissingContestantError
from polyloop.bench.contest import Job, filled
from polyloop.bench.halide import adams2019
from polyloop.bench.matmul import measure
from polyloop.bench.products import Problem

PROGRAMS = {
    "product": ("C[m, n] += A[m, k] * B[k, n]", {"m": 12, "n": 20, "k": 7}),
    "transposed": ("C[m, n] += A[k, m] * B[n, k]", {"m": 5, "n": 16, "k": 9}),
    "strided window": (
        "O[y, x, o] += I[2*y + i, x + j, c] * W[i, j, c, o]",
        {"y": 4, "x": 5, "i": 3, "j": 2, "c": 3, "o": 8},
    ),
    "channel by channel": ("O[y, x, c] += I[y + i, x + j, c] * W[i, j, c]", {"y": 4, "x": 5, "i": 3, "j": 3, "c": 6}),
}
needs_halide = pytest.mark.skipif(not halide.installed(), reason="Halide is not installed")


@needs_halide
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_computes_the_program(name: str, dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path))
    expression, sizes = PROGRAMS[name]
    scop = polyloop.tensor(expression, sizes, dtype=dtype)
    shapes = {array.name: tuple(extent.evaluate({}) for extent in array.shape if extent) for array in scop.arrays}
    arrays = {name: filled(shape, dtype, seed) for seed, (name, shape) in enumerate(shapes.items())}
    target = scop.statements[0].target.array
    adams2019(scop, arrays, 1)()
    found = arrays[target].copy()
    arrays[target][:] = 0
    operands = [arrays[name] for name in arrays if name != target]
    polyloop.compile(scop, reassociate=True)(*operands, out=arrays[target])
    assert np.allclose(found, arrays[target], rtol=0, atol=1e-5)


@needs_halide
@pytest.mark.parametrize(
    ("expression", "only"),
    [
        ("C[m, n] += max(A[m, k], B[k, n])", "sums of products"),
        ("C[m, n] = A[m, k] * B[k, n]", "programs of one statement"),
    ],
)
def test_what_it_is_not_asked_for(expression: str, only: str) -> None:
    scop = polyloop.tensor(expression, {"m": 4, "n": 4, "k": 4})
    arrays = {name: filled((4, 4), "float32", 1) for name in "ABC"}
    with pytest.raises(MissingContestantError, match=f"halide is asked for {only} only"):
        adams2019(scop, arrays, 1)


def test_without_it_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halide, "installed", lambda: False)
    row = measure("8x16x4", Job(Problem(8, 16, 4), "float32", ("halide",), 1, 6))
    assert row.missing == {"halide": "halide is not installed (pip install halide)"}
    assert row.rival is None
