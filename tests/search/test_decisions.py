"""Which of the measured candidates wins, and what the original loops are compared as."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

import polyloop.measure.evaluator
from polyloop.api import BEYOND, optimize
from polyloop.backend.errors import BackendError, CompileError
from polyloop.backend.llvm.printer import print_llvm
from polyloop.backend.machine.host import host_target
from polyloop.backend.run.worker import Worker, WorkerError
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import TooManyOperationsError
from polyloop.measure.evaluator import EvaluationError, Evaluator, Options, UnprovenError, fate_of
from polyloop.measure.result import Candidate, Check, Fate, Measurement, Source
from polyloop.schedules.tree import Band, ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.search.cursor.candidates import _faster
from polyloop.transforms import Reverse

COPY = """
void f(int n, double s, double A[n], double B[n]) {
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = s * B[i];
#pragma endscop
}
"""


@pytest.fixture
def scop() -> Scop:
    return read_source("f.c", text=COPY).scops[0]


@pytest.fixture
def evaluator(scop: Scop) -> Iterator[Evaluator]:
    with Evaluator(scop, {"n": 8}, host_target(), in_process=True) as made:
        yield made


def take(evaluator: Evaluator, candidate: Candidate, seconds: float) -> None:
    """Take a candidate as measured."""
    evaluator.candidates[candidate.name] = candidate
    evaluator.measured[candidate.name] = Measurement(seconds, seconds)


@pytest.mark.parametrize(
    ("explicit", "implicit", "winner"),
    [(4.0, 3.9, "explicit"), (4.0, 3.5, "implicit"), (9.7, 9.0, "implicit"), (9.7, 9.6, "original loops")],
)
def test_a_compilers_vectors_win_only_where_they_are_well_ahead(
    scop: Scop, evaluator: Evaluator, explicit: float, implicit: float, winner: str
) -> None:
    own = Candidate("explicit", scop, original_tree(scop))
    left = Candidate("implicit", scop, original_tree(scop), explicit=False)
    for candidate, seconds in ((evaluator.original, 10.0), (own, explicit), (left, implicit)):
        take(evaluator, candidate, seconds)
    evaluator.compare = lambda finalists: None  # type: ignore[method-assign, assignment]
    assert evaluator.decided().name == winner


def test_who_was_not_in_the_last_round_gets_another_if_all_of_it_fall_behind(scop: Scop, evaluator: Evaluator) -> None:
    lucky = [Candidate(f"lucky {n}", scop, original_tree(scop)) for n in range(3)]
    steady = Candidate("steady", scop, original_tree(scop))
    for candidate, seconds in ((evaluator.original, 10e-3), *((c, 4e-3) for c in lucky), (steady, 5e-3)):
        take(evaluator, candidate, seconds)
    rounds = []

    def compare(finalists: list[Candidate]) -> None:
        rounds.append([c.name for c in finalists])
        for candidate in finalists:
            if candidate in lucky:
                take(evaluator, candidate, 1e-3 * (6 + lucky.index(candidate)))

    evaluator.compare = compare  # type: ignore[method-assign, assignment]
    assert evaluator.decided() is steady
    assert rounds == [
        ["lucky 0", "lucky 1", "lucky 2", "original loops"],
        ["steady", "lucky 0", "lucky 1", "original loops"],
    ]


def test_a_duel_with_the_default_choice_is_the_last_word_unless_the_original_loops_stay(
    scop: Scop, evaluator: Evaluator
) -> None:
    default, walked = (Candidate(name, scop, original_tree(scop)) for name in ("default", "cursor 1"))
    for candidate, seconds in ((evaluator.original, 9e-3), (default, 5e-3), (walked, 4e-3)):
        take(evaluator, candidate, seconds)
    duels = []

    def compare(finalists: list[Candidate]) -> None:
        duels.append([c.name for c in finalists])
        evaluator.measured["cursor 1"] = Measurement(6e-3, 6e-3)

    evaluator.compare = compare  # type: ignore[method-assign, assignment]
    assert _faster(evaluator, default, evaluator.original) is evaluator.original
    assert _faster(evaluator, default, default) is default
    assert duels == []
    assert _faster(evaluator, default, walked) is default
    assert duels == [["default", "cursor 1", "original loops"]]


def test_nobody_tells_that_the_arrays_of_the_original_loops_do_not_overlap(scop: Scop, evaluator: Evaluator) -> None:
    original = print_llvm(evaluator.program(evaluator.original), host_target())
    own = print_llvm(evaluator.program(Candidate("own", scop, original_tree(scop))), host_target())
    with Evaluator(scop.without_aliasing(), {"n": 8}, host_target(), in_process=True) as evaluator:
        trusted = print_llvm(evaluator.program(evaluator.original), host_target())
    assert [text.count("noalias") for text in (original, own, trusted)] == [1, 3, 3]


def test_an_illegal_schedule_is_a_fate_and_a_bug_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ValueError out of our own code is no news about a candidate: it must not pass for one."""
    text = COPY.replace("s * B[i]", "A[i - 1]").replace("int i = 0", "int i = 1")
    scop = read_source("f.c", text=text).scops[0]
    order = original_tree(scop)
    assert isinstance(order.root, Band)
    (member,) = order.root.members
    backwards = replace(member, rows=tuple((name, -row) for name, row in member.rows))
    tree = ScheduleTree(order.statements, Band((backwards,), False, order.root.child))
    with Evaluator(scop, {"n": 8}, host_target(), in_process=True) as evaluator:
        illegal = Candidate("backwards", scop, tree)
        with pytest.raises(UnprovenError, match="would be reversed"):
            evaluator.program(illegal)
        assert evaluator.evaluate(illegal) == float("inf")
        assert "would be reversed" in str(evaluator.measured["backwards"].error)

        def broken(*_: object, **__: object) -> None:
            raise ValueError("a bug")

        monkeypatch.setattr(polyloop.measure.evaluator, "lower", broken)
        with pytest.raises(ValueError, match="a bug"):
            evaluator.evaluate(Candidate("legal", scop, order))


def test_the_first_run_of_what_never_ends_is_bounded_by_the_budget(scop: Scop, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []

    def call(self: Worker, function: str, arguments: object = (), *, timeout: float, until: float) -> object:
        limits.append(until)
        raise WorkerError("timeout", f"it did not finish within {timeout} seconds")

    monkeypatch.setattr(Worker, "call", call)
    with pytest.raises(EvaluationError, match="did not finish"):
        optimize(scop, sizes={"n": 8}, budget=0.5)
    (until,) = limits
    assert until <= time.monotonic() + 0.5 + BEYOND


@pytest.mark.parametrize("tolerance", [0.0, 1e-9])
def test_wrong_results_have_a_kind_with_and_without_a_tolerance(scop: Scop, tolerance: float) -> None:
    candidate = Candidate("own", scop, original_tree(scop), source=Source.CURSOR)
    with Evaluator(scop, {"n": 8}, host_target(), Options(reassociate=tolerance > 0), in_process=True) as evaluator:
        outcome = Measurement(1.0, 1.0, check=Check(8, 3, 0.5, tolerance))
        evaluator._run = lambda job, seconds: (outcome,)  # type: ignore[method-assign]
        assert evaluator.evaluate(candidate) == float("inf")
        assert (evaluator.measured["own"].kind, evaluator.measured["own"].source) == ("wrong_results", Source.CURSOR)


def test_what_crashes_on_other_data_has_crashed(
    scop: Scop, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate = Candidate("own", scop, original_tree(scop))

    def crash(*_: object) -> Check:
        raise WorkerError("crash", "SIGSEGV")

    evaluator.evaluate(evaluator.original)
    assert evaluator.evaluate(candidate) < float("inf")
    monkeypatch.setattr(evaluator, "_checked", crash)
    assert not evaluator.stands(candidate)
    assert (evaluator.measured["own"].error, evaluator.measured["own"].kind) == ("SIGSEGV", Fate.CRASHED)


def test_an_illegal_tree_is_refused() -> None:
    (scop,) = read_source("f.c", text=COPY.replace("B[i]", "A[i - 1]").replace("int i = 0", "int i = 1")).scops
    with Evaluator(scop, {"n": 8}, host_target(), in_process=True) as evaluator:
        evaluator.evaluate(Candidate("reversed", scop, Reverse((), 0).rewritten(original_tree(scop))))
        fate = evaluator.measured["reversed"]
        assert (fate.ran, fate.figures, fate.kind) == (False, None, Fate.ILLEGAL)


@pytest.mark.parametrize(
    ("error", "fate"),
    [
        (TooManyOperationsError("isl"), Fate.NO_CODE),
        (CompileError("LLVM"), Fate.NO_CODE),
        (WorkerError("crash", "SIGSEGV"), Fate.CRASHED),
        (WorkerError("timeout", "too long"), Fate.TIMED_OUT),
        (WorkerError("memory", "too much"), Fate.OUT_OF_MEMORY),
        (BackendError("anything"), Fate.FAILED),
    ],
)
def test_errors_and_what_they_make_of_a_candidate(error: Exception, fate: Fate) -> None:
    assert fate_of(error) is fate
