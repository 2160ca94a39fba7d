"""Searches of the cursor's space: starts, budgets, journals, the scripted tuner, what competes in the end."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import polyloop.search.cursor.searches
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.machine.host import host_target
from polyloop.backend.run.worker import Worker
from polyloop.cursor.actions import Actions
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import Loop, Nest
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.cursor.tree_process import TreeCursor
from polyloop.errors import PolyloopError
from polyloop.measure.jobs import compare
from polyloop.measure.nests import TIER, Final, finals
from polyloop.measure.programs import ModelledPrograms, gflops
from polyloop.measure.result import Measurement
from polyloop.schedules.tree import Band, Leaf, Member, ScheduleTree
from polyloop.scop.data import make_data
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.cursor.scripted import Scripted, windows
from polyloop.search.cursor.searches import (
    DEFAULT,
    STEPS,
    UNTUNED,
    CursorFound,
    cursor_method,
    cursor_methods,
    fastest,
    programs,
    proven,
    search_cursor,
)
from polyloop.search.journal import JournalError
from polyloop.search.run import LEADERS, Budget
from polyloop.tensors import tensor


def product(m: int = 96, k: int = 64, n: int = 96) -> NestCursor:
    problem = Contraction.of(tensor("C[m, n] += A[m, k] * B[k, n]", {"m": m, "k": k, "n": n}))
    assert problem is not None
    return NestCursor(problem, Actions(), STEPS)


def layers() -> TreeCursor:
    text = "H[b, p] = relu(sum(d) X[b, d] * U[d, p])\nY[b, q] = H[b, p] * V[p, q]"
    scop = tensor(text, {"b": 8, "d": 16, "p": 16, "q": 16})
    return TreeCursor(TreeProblem(scop, (), True), Actions(flags=("vectorize",)), 6)


@dataclass
class Counting:
    """The model, counting what it is asked."""

    model: ModelledPrograms = field(default_factory=ModelledPrograms)
    asked: int = 0

    def evaluate(self, problem: Any, program: Any) -> Measurement:
        self.asked += 1
        return self.model.evaluate(problem, program)

    def peak(self, problem: Any) -> float:
        return self.model.peak(problem)

    def close(self) -> None:
        """Nothing to give back."""


@pytest.mark.parametrize("name", cursor_methods())
def test_every_search_finds_at_least_its_starts(name: str) -> None:
    process, evaluator = product(), ModelledPrograms()
    found = search_cursor(process, evaluator, cursor_method(name, process), Budget(evaluations=40))
    first = gflops(process.problem, evaluator.evaluate(process.problem, process.initial().program))
    assert found.value >= first
    assert found.value == gflops(process.problem, evaluator.evaluate(process.problem, found.state.program))
    assert 2 <= found.evaluations <= 40
    bests = [point.best for point in found.curve]
    assert bests == sorted(bests)
    assert bests[-1] == found.value


def test_the_default_schedule_comes_first_and_gets_half() -> None:
    process, evaluator = product(), ModelledPrograms()
    method = cursor_method("random", process)
    found = search_cursor(process, evaluator, method, Budget(evaluations=30))
    assert list(found.runs) == [DEFAULT, UNTUNED]
    assert [run.evaluations for run in found.runs.values()] == [15, 15]
    alone = search_cursor(process, evaluator, method, Budget(evaluations=30), from_default=False)
    assert list(alone.runs) == [UNTUNED]
    assert alone.evaluations == 30


@dataclass
class Impatient(Counting):
    """The fifth question is answered by Ctrl-C."""

    def evaluate(self, problem: Any, program: Any) -> Measurement:
        if self.asked == 4:
            raise KeyboardInterrupt
        return super().evaluate(problem, program)


def test_an_interrupt_ends_the_search_with_the_best_so_far() -> None:
    process = product()
    method, budget = cursor_method("random", process), Budget(evaluations=30)
    found = search_cursor(process, Impatient(), method, budget, anytime=True)
    assert (list(found.runs), found.interrupted, found.evaluations) == ([DEFAULT], True, 4)
    evaluator = ModelledPrograms()
    assert found.value == gflops(process.problem, evaluator.evaluate(process.problem, found.state.program))
    with pytest.raises(KeyboardInterrupt):
        search_cursor(process, Impatient(), method, budget)


def test_a_journal_is_not_evaluated_again(tmp_path: Path) -> None:
    process, evaluator = product(), Counting()
    method = cursor_method("anneal", process)
    whole = search_cursor(process, evaluator, method, Budget(evaluations=40))
    asked = evaluator.asked
    journal = tmp_path / "journal"
    search_cursor(process, evaluator, method, Budget(evaluations=20), journal=journal)
    assert {path.name for path in tmp_path.iterdir()} == {"journal.default", "journal.untuned"}
    before = evaluator.asked
    resumed = search_cursor(process, evaluator, method, Budget(evaluations=40), journal=journal)
    assert evaluator.asked - before == asked - 20
    assert resumed.state == whole.state
    assert resumed.value == whole.value


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        ({"sizes": {"m": 300, "n": 17, "k": 5}}, "start"),
        ({"dtype": "float64"}, "program"),
        ({"expression": "C[m, n] += A[m, k] * B[n, k]"}, "program"),
        ({"actions": Actions(splits=(2, 8))}, "actions"),
        ({"length": 7}, "actions"),
        ({"threads": 2}, "threads"),
        ({"cpu": "another"}, "machine"),
        ({"seed": 1}, "seed"),
        ({"method": "anneal"}, "search"),
    ],
)
def test_the_journal_of_another_problem_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: dict[str, Any], differs: str
) -> None:
    def searched(**given: Any) -> None:
        sizes = given.get("sizes", {"m": 64, "n": 64, "k": 64})
        text = given.get("expression", "C[m, n] += A[m, k] * B[k, n]")
        problem = Contraction.of(tensor(text, sizes, dtype=given.get("dtype", "float32")))
        assert problem is not None
        process = NestCursor(problem, given.get("actions", Actions()), given.get("length", 10))
        method = cursor_method(given.get("method", "random"), process)
        options = {"seed": given.get("seed", 0), "threads": given.get("threads", 1), "journal": tmp_path / "journal"}
        search_cursor(process, ModelledPrograms(), method, Budget(evaluations=4), from_default=False, **options)

    searched()
    before = (tmp_path / "journal.untuned").read_bytes()
    searched()
    if "cpu" in other:
        monkeypatch.setattr(polyloop.search.cursor.searches, "host_target", lambda: replace(host_target(), **other))
    with pytest.raises(
        JournalError, match=rf"journal\.untuned:1: this is the journal of another search: its {differs} "
    ):
        searched(**other)
    assert (tmp_path / "journal.untuned").read_bytes() == before


def test_progress_says_where_from() -> None:
    process, told = product(), []
    search_cursor(
        process,
        ModelledPrograms(),
        cursor_method("greedy1", process),
        Budget(evaluations=12),
        progress=lambda start, point: told.append((start, point.evaluations)),
    )
    assert told[0] == (DEFAULT, 1)
    assert (UNTUNED, 1) in told


def test_unknown_and_unfit_searches_are_refused() -> None:
    with pytest.raises(PolyloopError, match="unknown search 'simplex'"):
        cursor_method("simplex", product())
    with pytest.raises(PolyloopError, match="takes one contraction"):
        cursor_method("scripted", layers())


# --- The scripted tuner -----------------------------------------------------------------------------------------------


def test_the_tuner_tries_tiles_that_fit_then_orders() -> None:
    process = product()
    tiles = list(Scripted(process.problem).tiles())
    assert len(set(tiles)) > 20
    for nest in tiles:
        assert nest.store == tuple(loop for loop in nest.compute if loop.variable != "k")
    found = search_cursor(process, ModelledPrograms(), cursor_method("scripted", process), Budget())
    (run,) = found.runs.values()
    assert run.ending == "finished"
    assert run.evaluations > len(set(tiles))


def test_windows_keep_blocks_outside_their_points() -> None:
    problem = product().problem
    nest = Nest(
        (Loop("m", 12), Loop("k", 64), Loop("m", 8), Loop("n", 96)), (Loop("m", 12), Loop("m", 8), Loop("n", 96))
    )
    found = list(windows(problem, nest, 0))
    assert len(found) == 4 * 3 - 1
    for other in found:
        assert [loop.size for loop in other.compute if loop.variable == "m"] == [12, 8]
        assert sorted(other.compute) == sorted(nest.compute)


# --- What competes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [product, layers])
def test_what_competes_computes_the_same(make: Any) -> None:
    process = make(16, 8, 32) if make is product else make()
    scop = process.problem.scop
    found = search_cursor(process, ModelledPrograms(), cursor_method("random", process), Budget(evaluations=12))
    competing = programs(process, found)
    assert {UNTUNED, DEFAULT} <= competing.keys()
    results = {}
    for name, program in competing.items():
        data = make_data(scop, {})
        assert proven(process.problem, program) is program
        nest = program.finalist.nest
        interpret(nest, {}, {a.name: data[a.name] for a in nest.arrays if a.name in data})
        results[name] = {scop.statements[-1].target.array: data[scop.statements[-1].target.array]}
    for result in results.values():
        assert not compare(results[UNTUNED], result, 1e-5).different


def test_what_would_be_wrong_is_not_handed_out() -> None:
    scop = tensor("y[i] = x[i]\nz[i] = y[i]", {"i": 8})
    process = TreeCursor(TreeProblem(scop, (), True))
    program = programs(
        process, search_cursor(process, ModelledPrograms(), cursor_method("greedy1", process), Budget(evaluations=2))
    )[UNTUNED]
    first, second = scop.statements
    backwards = Band((Member(tuple((s.name, _reversed(s, k)) for k, s in enumerate((first, second)))),), False, Leaf())
    wrong = type(program)("", ScheduleTree((first.name, second.name), backwards), program.finalist)
    with pytest.raises(PolyloopError, match="please report this"):
        proven(process.problem, wrong)


def _reversed(statement: Any, number: int) -> Any:
    return affine(statement.iterators[0]) * (1 if number == 0 else -1)


def test_the_default_state_of_programs_of_several_statements() -> None:
    process = layers()
    state = process.default(host_target())
    assert state is None or process.rows(state.program)
    nest = product().default(host_target())
    assert nest is not None
    assert {loop.variable for loop in nest.program.rows} == {"m", "k", "n"}


def test_what_is_found_is_compiled_as_it_was_measured() -> None:
    process = product(32, 32, 32)
    state = process.step(process.initial(), process.names.index("split_4"))
    found = CursorFound({}, state, 0.0, UNTUNED)
    tiers = {name: program.finalist.tier for name, program in programs(process, found).items()}
    assert tiers == {UNTUNED: TIER, DEFAULT: "ir", "found": TIER}
    trees = layers()
    assert programs(trees, CursorFound({}, trees.initial(), 0.0, UNTUNED))[UNTUNED].finalist.tier == "ir"


def test_the_best_few_are_kept_and_the_fastest_of_them_is_found() -> None:
    process = product(64, 64, 64)
    found = search_cursor(process, ModelledPrograms(), cursor_method("greedy1", process), Budget(evaluations=40))
    assert len(found.leaders) > LEADERS  # of two runs
    objective = cursor_objective(process, ModelledPrograms())
    for run in found.runs.values():
        values = [objective.value(place.state) for place in run.leaders]
        assert values == sorted(values, reverse=True)
        assert values[0] == run.value
        assert len({place.state.program for place in run.leaders}) == len(values)


class Medians(Worker):
    """A worker that has measured already."""

    def __init__(self, *seconds: float) -> None:
        super().__init__()
        self.seconds, self.asked = seconds, 0

    def call(
        self, function: str, arguments: tuple[Any, ...] = (), *, timeout: float, until: float = float("inf")
    ) -> object:
        self.asked += 1
        (finalists, *_) = arguments
        return {name: Final(s, s, 0.0) for name, s in zip(finalists, self.seconds, strict=True)}


def test_the_fastest_of_the_finalists_is_taken() -> None:
    process = product(64, 64, 64)
    first = process.initial()
    second = process.step(first, process.names.index("split_4"))
    assert fastest(process, (first, second, first), 10.0, Medians(2e-6, 1e-6)) == second
    assert fastest(process, (first, second, first), 10.0, Medians(1e-6, 2e-6)) == first
    nobody = Medians()
    assert fastest(process, (first, second), 1e-6, nobody) == first  # nobody runs what takes that long again
    assert fastest(process, (first, first), 10.0, nobody) == first
    assert nobody.asked == 0


def test_finals_are_measured_in_turn() -> None:
    process = product(32, 32, 32)
    found = search_cursor(process, ModelledPrograms(), cursor_method("greedy1", process), Budget(evaluations=8))
    jobs = {name: program.finalist for name, program in programs(process, found).items()}
    with Worker() as worker:
        measured = worker.call("polyloop.measure.nests:finals", (jobs, "float32"), timeout=60)
    assert isinstance(measured, dict)
    assert measured.keys() == jobs.keys()
    for final in measured.values():
        assert isinstance(final, Final)
        assert 0 < final.minimum <= final.median
        assert final.bursts > 0
    assert finals({}, None) == {}
    with pytest.raises(ValueError, match="needs a name"):
        finals({"": next(iter(jobs.values()))}, "float32")
