"""Chains and features of programs, and of what the planner makes of them."""

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
from polyloop.cursor.nest import VECTOR, Nest
from polyloop.measure.planning import finalist
from polyloop.models.chains import chains
from polyloop.models.features import NAMES, Figures, Table, matrix, program_features
from polyloop.models.programs import problem_of
from polyloop.models.schedules import random_schedules, read_schedule


def contraction(text: str, **sizes: int) -> Contraction:
    problem = Contraction.of(polyloop.tensor(text, sizes))
    assert problem is not None
    return problem


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


def test_figures_of_loops_do_not_hang_on_those_of_one_iteration() -> None:
    model = nest_model(machine_named("zen5"))
    first = contraction("C[m, n] += A[m, k] * B[k, n]", m=64, k=32, n=48)
    second = contraction("C[b, m, n] += A[b, m, k] * B[b, k, n]", b=1, m=64, k=32, n=48)
    rows = [program_features(p, p.start, model).rows[0] for p in (first, second)]
    start = NAMES.index("trip_0")
    assert rows[0][start:].tolist() == rows[1][start:].tolist()
    assert chains(first, first.start, model.target)[0].pattern is first.pattern


def test_a_table_adds_the_chains_of_a_program_up() -> None:
    width = len(NAMES)
    figures = [Figures(matrix([[1.0] * width]), (2.0,)), Figures(matrix([[2.0] * width, [3.0] * width]), (1.0, 7.0))]
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
    first, second = program_features(problem, problem.start, model).rows.tolist()
    assert first != second
    assert first[NAMES.index("chains")] == second[NAMES.index("chains")] == 2


@pytest.mark.parametrize(
    "text",
    [
        "float32 y=256 x=32: T0[x, y] = 2 * b[y] - B[y, x]",
        "float32 m=64 s=8 k=24: C[m] += A[m, s] * B[k, s]",
        "float64 k=32 n=48 m=64: C[m, n] += A[k, m] * B[n, k]",
        "float32 x=64 y=24 c=3: O[x, y] += I[y, 3*x + c]",
        "float32 m=65 n=80 k=80: C[m, n] += A[n, m] * B[k] * D[k] * E[m]",
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


def row_of(problem: Contraction, schedule: str, machine: str = "emerald-rapids") -> dict[str, float]:
    """The figures of a nest's last chain."""
    found = program_features(problem, read_schedule(problem, schedule), nest_model(machine_named(machine)))
    return dict(zip(NAMES, found.rows[-1].tolist(), strict=True))


def test_a_masked_row_that_reaches_into_the_next_one_is_seen() -> None:
    for width, waits in ((3, True), (4, False), (10, True), (16, False), (33, False), (35, True)):
        problem = contraction("C[m, n] += A[k, m] * B[k, n]", m=40, n=width, k=32)
        row = row_of(problem, f"k 32, m 10, m 4, n {width} | m 10, m 4, n {width}")
        assert (row["of_overlaps"] > -20.0) == waits, width
    wide = contraction("C[m, n] += A[k, m] * B[k, n]", m=40, n=10, k=32)
    carried = row_of(wide, "m 10, k 32, m 4, n 10 | m 10, m 4, n 10")
    again = row_of(wide, "k 32, m 10, m 4, n 10 | m 10, m 4, n 10")
    assert carried["of_overlaps"] < again["of_overlaps"]  # once after 32 bodies, not by every row


def test_vectors_on_two_lines_and_pages_that_turn_are_seen() -> None:
    nest = "k 32, m 40, n {0} | m 40, n {0}"
    rows = [
        row_of(contraction("C[m, n] += A[k, m] * B[k, n]", m=40, n=width, k=32), nest.format(width))
        for width in (128, 129)
    ]
    for name in ("of_split_reads", "of_split_results"):
        assert rows[0][name] == -20.0 < rows[1][name]
    tall = contraction("C[m, n] += A[n, m]", m=2048, n=1024)
    down, along = (row_of(tall, f"{nest} | {nest}") for nest in ("m 2048, n 1024", "n 1024, m 2048"))
    assert down["of_pages"] > -20.0
    assert along["of_pages"] > -20.0
    small = row_of(contraction("C[m, n] += A[n, m]", m=64, n=64), "m 64, n 64 | m 64, n 64")
    assert small["of_pages"] == small["of_far_pages"] == -20.0


def test_what_stands_still_in_the_loop_around_a_body_is_loaded_once_for_all_of_it() -> None:
    problem = contraction("C[m, n] += A[k] * B[m, n]", m=64, n=64, k=32)
    around, inside = (row_of(problem, f"{nest} | m 64, n 64") for nest in ("m 64, k 32, n 64", "k 32, m 64, n 64"))
    assert around["standing"] > inside["standing"] == 1.0  # several vectors of B; one element of A
    assert (around["stays"], inside["stays"]) == (1.0, 0.0)
    assert around["moved_neighbours"] < inside["moved_neighbours"]
    assert around["moved_broadcasts"] > inside["moved_broadcasts"]
    model = nest_model(machine_named("zen5"))
    (chain,) = chains(problem, problem.start, model.target)
    every, shared = (model.account(chain.pattern, chain.loops, shares).computing for shares in (False, True))
    assert shared <= every


def test_columns_of_which_the_loop_around_takes_the_next_ones_are_loaded_by_rows() -> None:
    problem = contraction("C[m, n] += A[n, m] * B[k, n] * D[n] * E[n]", m=64, n=32, k=8)
    rows, columns = (row_of(problem, f"{nest} | m 64, n 32") for nest in ("k 8, m 64, n 32", "m 64, k 8, n 32"))
    assert rows["turned"] > columns["turned"] == 0.0
    assert rows["moved_gathers"] == -20.0 < columns["moved_gathers"]


def test_steps_of_many_bytes_are_told_by_what_they_share_with_the_sets_of_caches() -> None:
    steps = [
        row_of(contraction("C[m, n] += A[m, n]", m=64, n=width), f"m 64, n {width} | m 64, n {width}")["result_step"]
        for width in (1024, 1040, 1025)
    ]
    assert steps == [12.0, 6.0, 2.0]


def test_lines_that_no_prefetcher_foresees_and_crowded_sets_are_seen() -> None:
    def walked(width: int, nest: str) -> dict[str, float]:
        return row_of(contraction("C[m, n] += A[m, n]", m=1024, n=width), f"{nest} | {nest}")

    down, along = (walked(1024, nest) for nest in ("n 1024, m 1024", "m 1024, n 1024"))
    for name in ("of_jumps1", "of_stored_jumps1"):
        assert along[name] == -20.0 < down[name]
    assert down["of_stored_jumps1"] == pytest.approx(
        down["of_jumps1"] - 1.0, abs=1e-5
    )  # of lines read and results one half
    assert down["result_streams"] == down["read_streams"] == 10.0 > along["result_streams"]
    assert walked(1024, "n 1024, m 128, m 8")["result_streams"] == 10.0
    assert walked(1024, "m 128, n 1024, m 8")["result_streams"] == 3.0
    assert down["result_crowd1"] == np.float32(np.log2(1024 / 12))  # all rows in one set of twelve ways
    assert walked(1040, "n 1040, m 1024")["result_crowd1"] == np.float32(np.log2(1024 / (12 * 64)))
    assert down["read_crowd1"] == down["result_crowd1"]


def test_statements_that_share_loops_are_told_from_those_that_do_not() -> None:
    problem = problem_of(
        "float32 x=96 y=64: T0[x, y] = 2 * A[x, y] - B[x, y]; T1[x, y] = T0[x, y] * A[x, y] + T0[x, y]"
    )
    model = nest_model(machine_named("zen5"))
    apart, fused = (
        [
            dict(zip(NAMES, row, strict=True))
            for row in program_features(problem, read_schedule(problem, text), model).rows.tolist()
        ]
        for text in ("", "fuse(path=(), first=0, count=2)\nfuse(path=(0,), first=0, count=2)")
    )
    assert [row["shared"] for row in apart] == [0.0, 0.0]
    assert all(row["shared"] > 0.0 for row in fused)
    assert [row["handed_on"] for row in fused] == [0.0, 1.0]


TRIANGLE = """c: void f(double A[96][96], double B[96][96]) {
#pragma scop
for (int i = 1; i < 95; i++) for (int j = 1; j < i; j++) A[i][j] = A[i - 1][j] * 0.5 + B[i][j];
for (int i = 1; i < 95; i++) for (int j = 1; j < 95; j++) B[i][j] += B[i][j] * 2;
#pragma endscop
}
"""


def test_what_a_statement_does_beside_its_accesses_is_seen() -> None:
    """Half of the box of a triangle, what one row leaves for the next, and results that are read."""
    problem, model = problem_of(TRIANGLE), nest_model(machine_named("zen5"))
    first, second = (
        dict(zip(NAMES, row, strict=True))
        for row in program_features(problem, read_schedule(problem, ""), model).rows.tolist()
    )
    assert first["share"] == pytest.approx(-1.0, abs=0.1)
    assert second["share"] == 0.0
    assert (first["updates"], second["updates"]) == (0.0, 1.0)
    assert first["recurs"] == pytest.approx(np.log2(93), abs=0.1)
    assert second["recurs"] == -1.0
    assert (first["arrays"], first["written"]) == (2.0, 0.0)
    swapped = program_features(problem, read_schedule(problem, "swap(path=(0,), member=0, with_member=1)"), model)
    assert swapped.rows[0][NAMES.index("recurs")] == 0.0


def test_lines_of_results_are_told_from_those_that_are_read() -> None:
    sums = row_of(contraction("O[m] += A[m, n]", m=2048, n=2048), "m 2048, n 2048 | m 2048")
    results = row_of(contraction("C[m, n] += A[m, n]", m=2048, n=2048), "m 2048, n 2048 | m 2048, n 2048")
    for level in "12":
        assert results[f"stored{level}"] == results[f"missed{level}"] - 1.0 > sums[f"stored{level}"]
        assert results[f"of_stored{level}"] == pytest.approx(results[f"of_lines{level}"] - 1.0, abs=0.01)
