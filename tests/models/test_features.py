"""Chains and features: a program says the same of itself as a cursor's nest and as the LoopNest that it becomes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polyloop
from polyloop.backend.ir.loop_nest import Loop, LoopKind, walk
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import machine_named
from polyloop.backend.planning.facts import nest_facts
from polyloop.backend.planning.vectors import Options, choose_vectors
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.model import nest_model
from polyloop.cursor.nest import SEQUENTIAL, VECTOR, Nest
from polyloop.lowering.to_nest import lower
from polyloop.measure.planning import finalist
from polyloop.models.chains import chains, chains_of_nest
from polyloop.models.features import NAMES, Figures, Table, features, program_features
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
        read = features(chains_of_nest(finalist(problem, program).nest, {}), model).rows[-1]
        said = program_features(problem, program, model).rows[-1]
        split = len({loop.variable for loop in program.compute}) < len(program.compute)  # type: ignore[union-attr]
        # What one variable's loops load together counts once where they are known to be one variable's.
        known = [
            k
            for k, name in enumerate(NAMES)
            if not (split and (name in ("cycles", "computing", "others", "vectors_share") or name.startswith("of_")))
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
        table = Table.of(found)
        assert table.rows.shape == (sum(len(each.rows) for each in found), len(NAMES))
        assert np.isfinite(table.rows).all()
        assert table.count == len(found)
        assert np.isfinite(table.logs).all()


def test_relation_features_do_not_hang_on_loops_of_one_iteration() -> None:
    model = nest_model(machine_named("zen5"))
    first = contraction("C[m, n] += A[m, k] * B[k, n]", m=64, k=32, n=48)
    second = contraction("C[b, m, n] += A[b, m, k] * B[b, k, n]", b=1, m=64, k=32, n=48)
    rows = [program_features(p, p.start, model).rows[0] for p in (first, second)]
    start = NAMES.index("reuse_of_result_0")
    assert rows[0][start:] == rows[1][start:]
    assert chains(first, first.start, model.target)[0].pattern is first.pattern


def test_a_table_adds_the_chains_of_a_program_up() -> None:
    width = len(NAMES)
    figures = [Figures(([1.0] * width,), (2.0,)), Figures(([2.0] * width, [3.0] * width), (1.0, 7.0))]
    table = Table.of(figures)
    assert table.logs.tolist() == [1.0, 3.0]
    assert table.times(np.array([1.0, 0.0, -1.0])).logs.tolist() == [2.0, np.log2(4.5)]
    turned = table.some(np.array([1, 0, 1]))
    assert turned.rows[:, 0].tolist() == [2.0, 3.0, 1.0, 2.0, 3.0]
    assert turned.logs.tolist() == [3.0, 1.0, 3.0]
    assert table.some(np.array([], np.int64)).count == 0


def test_what_a_schedule_does_to_the_cheaper_statement_is_seen() -> None:
    model = nest_model(machine_named("zen5"))
    problem = problem_of("float32 x=512 y=512: T0[x, y] = A[x, y] * B[y, x]; T1[x, y] = A[x, y] + T0[x, y]")
    first, second = program_features(problem, problem.start, model).rows
    assert first != second
    assert first[NAMES.index("chains")] == second[NAMES.index("chains")] == 2


@pytest.mark.parametrize(
    "text",
    [
        "float32 y=256 x=32: T0[x, y] = 2 * b[y] - B[y, x]",
        "float32 m=64 s=8 k=24: C[m] += A[m, s] * B[k, s]",
        "float64 k=32 n=48 m=64: C[m, n] += A[k, m] * B[n, k]",
    ],
)
def test_loops_that_the_planner_does_not_run_in_lanes_are_ordinary_ones(text: str) -> None:
    target, problem = host_target(), problem_of(text)
    found = set()
    for program in random_schedules(problem, np.random.default_rng(0), 60, target).values():
        assert isinstance(program, Nest)
        if any(loop.tail for loop in program.compute):
            continue
        said = any(loop.kind == VECTOR for loop in chains(problem, program, target)[-1].loops)
        nest = finalist(problem, program).nest
        chosen = choose_vectors(nest, nest_facts(nest.context), target, Options(), True)
        runs = any(isinstance(node, Loop) and node.kind is LoopKind.VECTOR for node in walk(chosen.body))
        assert said == runs, str(program)
        found.add(said)
    assert found == {False, True}
