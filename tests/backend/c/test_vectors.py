"""Helpers on vectors: what compilers can make of them."""

from __future__ import annotations

import pytest

from polyloop.backend.c.vectors import function
from polyloop.backend.ir.expressions import F32, U8, ScalarType
from polyloop.backend.ir.vector_program import ValueType


@pytest.mark.parametrize("element", [U8, F32], ids=str)
@pytest.mark.parametrize("kind", ["gather", "scatter"])
def test_many_lanes_that_lie_apart_are_a_loop(kind: str, element: ScalarType) -> None:
    """Compilers take long for hundreds of tests, one behind the other."""
    few, many, most = (function("polyloop_helper", kind, ValueType(element, lanes)) for lanes in (16, 128, 256))
    assert few.count("n_ > ") == (16 if kind == "gather" else 0)
    assert ("polyloop_unrolled" in few) is (kind == "scatter")
    assert "polyloop_unrolled" not in many
    assert many.replace("128", "256") == most
