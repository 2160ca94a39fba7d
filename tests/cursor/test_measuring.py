"""Nests under the cursor as they are measured: through the assembly tier, with the results of the IR tier."""

from __future__ import annotations

import random

import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.vectors import Options
from polyloop.backend.run.nest_kernel import Planning, compile_nest
from polyloop.cursor.actions import Actions
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.lowering import to_loop_nest
from polyloop.cursor.process import NestCursor
from polyloop.cursor.shapes import shaped
from polyloop.measure.nests import STRAIGHT_VECTORS, TIER, Settings, measure
from polyloop.scop.data import make_data
from polyloop.tensors import tensor
from tests.helpers.machine import needs

needs_the_tier = needs(assembly_tier=True)


@needs_the_tier
@pytest.mark.parametrize("compat", ["native", "looptune"])
@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("C[m,n] += A[m,k]*B[k,n]", {"m": 64, "n": 64, "k": 64}),
        ("C[m,n] = A[m,k]*B[k,n]", {"m": 24, "n": 40, "k": 17}),  # with tails and an initialisation
    ],
)
def test_nests_of_walks_are_measured_in_the_assembly_tier(text: str, sizes: dict[str, int], compat: str) -> None:
    scop = tensor(text, sizes)
    problem = Contraction.of(scop, True)
    assert problem is not None
    process, chosen = NestCursor(problem, Actions.of(compat), None), random.Random(5)
    state, tiers = process.initial(), []
    for _ in range(24):
        legal = [action for action, bit in enumerate(process.actions(state)) if bit]
        state = process.step(state, chosen.choice(legal))
        nest = to_loop_nest(problem, shaped(problem, state.program, host_target()))
        planning = Planning(reassociate=True, options=Options(straight_vectors=STRAIGHT_VECTORS))
        kernels = [compile_nest(nest, planning, tier=tier) for tier in (TIER, "ir")]
        tiers.append(kernels[0].settings.tier)
        results = []
        for kernel in kernels:
            data = make_data(scop, {})
            kernel(**data)
            results.append(data["C"].tobytes())
        assert results[0] == results[1]
    # What has too many values for the registers, or masks that vary, is left to LLVM.
    assert "assembly" in tiers
    assert tiers.count("assembly") == 24 or sizes["m"] < 64 or host_target().vector_registers < 32


def test_a_measurement_says_how_often_it_ran() -> None:
    problem = Contraction.of(tensor("C[m,n] += A[m,k]*B[k,n]", {"m": 8, "n": 16, "k": 4}), True)
    assert problem is not None
    nest = to_loop_nest(problem, shaped(problem, problem.start, host_target()))
    found = measure(nest, Settings(samples=3))
    assert 0 < found.minimum <= found.median
    assert found.spread == (found.median - found.minimum) / found.minimum
    assert found.runs == 3  # of a nest that is short, every sample is taken
