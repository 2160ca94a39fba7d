"""Chains and features: a program says the same of itself as a cursor's nest and as the LoopNest that it becomes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polyloop
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.model import nest_model
from polyloop.cursor.nest import SEQUENTIAL, VECTOR
from polyloop.lowering.to_nest import lower
from polyloop.measure.planning import finalist
from polyloop.models.chains import chains, chains_of_nest
from polyloop.models.features import NAMES, features, matrix, program_features
from polyloop.models.programs import problem_of
from polyloop.models.schedules import random_schedules
from polyloop.schedules.tree import original_tree


def contraction(text: str, **sizes: int) -> Contraction:
    problem = Contraction.of(polyloop.tensor(text, sizes))
    assert problem is not None
    return problem


@pytest.mark.parametrize("text", ["C[m, n] += A[m, k] * B[k, n]", "C[m, n] = A[k, m] * B[n, k]"])
def test_a_nest_and_its_loops_have_the_same_features(text: str) -> None:
    target = host_target()
    problem, model = contraction(text, m=64, k=128, n=256), nest_model(target.machine)
    compared = 0
    for program in random_schedules(problem, np.random.default_rng(3), 60, target).values():
        loops = (*program.compute, *program.store)  # type: ignore[union-attr]
        if any(loop.tail for loop in loops):
            continue
        compared += 1
        read, _ = features(chains_of_nest(finalist(problem, program).nest, {}), model)
        said, _ = program_features(problem, program, model)
        split = len({loop.variable for loop in program.compute}) < len(program.compute)  # type: ignore[union-attr]
        # What one variable's loops load together counts once where they are known to be one variable's.
        known = [
            k
            for k, name in enumerate(NAMES)
            if not (split and name in ("cycles", "computing", "others", "vectors_share"))
        ]
        assert [read[k] for k in known] == pytest.approx([said[k] for k in known], abs=1e-9), f"{program}"
    assert compared >= 10


def test_chains_of_c_code_know_strides_triangles_and_tiles() -> None:
    text = """void f(double A[40][64], double B[40][64], double s[40]) {
#pragma scop
  for (int i = 0; i < 40; i++)
    for (int j = 0; j <= i; j++)
      A[i][j] = B[i][j] * 2;
  for (int i = 0; i < 40; i += 2)
    for (int j = i; j < i + 4; j++)
      s[i] += A[i][j - i];
#pragma endscop
}"""
    (scop,) = polyloop.read_c("f.c", text=text)
    triangle, steps = chains_of_nest(lower(scop, original_tree(scop)), {})
    assert [loop.size for loop in triangle.loops] == [40, 21]  # in the middle, i is 20
    assert [loop.kind for loop in triangle.loops] == [SEQUENTIAL, VECTOR]
    assert [stride for _, stride in triangle.pattern.result.strides] == [64, 1]
    assert [loop.size for loop in steps.loops] == [20, 4]
    (read,) = steps.pattern.reads
    # j starts at i: what stands at A[i][j - i] moves by two rows from one i to the next, not by 126 elements
    assert [stride for _, stride in read.strides] == [128, 1]
    assert steps.pattern.reduced == {steps.loops[1].variable}


def test_every_generated_program_has_features(tmp_path: Path) -> None:
    model = nest_model(machine_named("zen3"))
    texts = (
        "float32 x=96 y=64: T0[x, y] = 2 * A[x, y] - B[y, x]; T1[x, y] = T0[x, y] * b[y] + T0[x, y]",
        "float64 o=12 x=20 c=3 j=5: O[o, x] max= I[c, 2*x + j] * W[o, c, j]",
        "float32 x=300: s[] += A[x] * B[x]",
    )
    for text in texts:
        problem = problem_of(text)
        programs = random_schedules(problem, np.random.default_rng(0), 12, model.target).values()
        found = [program_features(problem, program, model) for program in programs]
        rows = matrix([row for row, _ in found])
        assert rows.shape == (len(found), len(NAMES))
        assert np.isfinite(rows).all()
        assert all(seconds > 0 for _, seconds in found)


def test_relation_features_do_not_hang_on_loops_of_one_iteration() -> None:
    model = nest_model(machine_named("zen5"))
    first = contraction("C[m, n] += A[m, k] * B[k, n]", m=64, k=32, n=48)
    second = contraction("C[b, m, n] += A[b, m, k] * B[b, k, n]", b=1, m=64, k=32, n=48)
    rows = [program_features(p, p.start, model)[0] for p in (first, second)]
    start = NAMES.index("reuse_of_result_0")
    assert rows[0][start:] == rows[1][start:]
    assert chains(first, first.start, model.target)[0].pattern is first.pattern
