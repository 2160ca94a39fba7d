"""fmin and fmax: two choices in lanes and out of them, with libm's numbers, signs of zeros and all."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.expressions import F32, F64, ScalarType
from polyloop.backend.ir.interpreter import c_function
from polyloop.backend.ir.loop_nest import ArraySpec, LoopKind, LoopNest
from polyloop.backend.ir.vector_program import Apply
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.backend.run.kernel import compile_program
from tests.backend.planning.nests import SEQUENTIAL, VECTOR, compute, i, loop, n, read
from tests.backend.planning.programs import operations

SPECIAL = [0.5, -0.0, 0.0, math.nan, math.inf, -math.inf, 2.0, 0.0, -3.0]


def nest(function: str, type_: ScalarType, kind: LoopKind) -> LoopNest:
    value = e.Call(function, (read("x", i, type_=type_), read("y", i, type_=type_)), type_)
    arrays = tuple(ArraySpec(name, type_, (n,)) for name in ("x", "y", "z"))
    return LoopNest("extrema", ("n",), arrays, loop("i", 0, n, compute("S", read("z", i, type_=type_), value), kind))


@pytest.mark.parametrize("kind", [VECTOR, SEQUENTIAL])
@pytest.mark.parametrize("type_", [F32, F64], ids=str)
@pytest.mark.parametrize("which", ["fmin", "fmax"])
def test_they_are_libms(which: str, type_: ScalarType, kind: LoopKind) -> None:
    function = which + ("f" if type_ == F32 else "")
    program = plan(nest(function, type_, kind), host_target())
    assert not operations(program.body, Apply)
    dtype = "f4" if type_ == F32 else "f8"
    pairs = [(a, b) for a in SPECIAL for b in SPECIAL]
    x, y = (np.array(side, dtype) for side in zip(*pairs, strict=True))
    z = np.zeros_like(x)
    compile_program(program)(n=len(x), x=x, y=y, z=z)
    called = c_function(function, type_, (type_, type_))
    wanted = np.array([called(a.item(), b.item()) for a, b in zip(x, y, strict=True)], dtype)
    np.testing.assert_array_equal(z, wanted)
    numbers = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(z[numbers]), np.signbit(wanted[numbers]))


def test_a_choice_that_another_takes_is_a_statement_of_its_own() -> None:
    """Else gcc makes branches of them."""
    text = c_source(plan(nest("fmin", F64, SEQUENTIAL), host_target()))
    assert not [line for line in text.splitlines() if line.count("?") > 1]
