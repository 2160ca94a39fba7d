"""Variants of Scops that the search starts from."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_source
from polyloop.scop.model import Scop
from polyloop.shaping.variants import variants
from polyloop.shipped.kernels import kernel
from polyloop.transforms.expand import Expand


def _scop(name: str) -> Scop:
    path = kernel(name).path
    return read_source(str(path), text=path.read_text(encoding="utf-8")).scops[0]


def test_sums_that_a_loop_begins_anew_get_rows_of_their_own() -> None:
    (apart,) = [v for v in variants(_scop("doitgen")) if v.steps]
    assert apart.steps == (Expand("sum", (1,)),)
    assert str(apart.scop.statement("S1").target) == "sum_x[q][p]"


@pytest.mark.parametrize("name", ["gemm", "jacobi-2d", "fdtd-2d", "covariance"])
def test_other_arrays_stay(name: str) -> None:
    assert not any(isinstance(step, Expand) for v in variants(_scop(name)) for step in v.steps)
