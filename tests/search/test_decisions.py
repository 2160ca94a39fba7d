"""Which of the measured candidates wins, and what the original loops are compared as."""

from __future__ import annotations

import pytest

from polyloop.backend.llvm.printer import print_llvm
from polyloop.backend.machine.target import host_target
from polyloop.frontend import read_source
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.result import Candidate, Measured, Timing
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.search.cursor.candidates import _faster

COPY = """
void f(int n, double s, double A[n], double B[n]) {
#pragma scop
    for (int i = 0; i < n; i++)
        A[i] = s * B[i];
#pragma endscop
}
"""


def _scop() -> Scop:
    return read_source("f.c", text=COPY).scops[0]


@pytest.mark.parametrize(
    ("explicit", "implicit", "winner"),
    [(4.0, 3.9, "explicit"), (4.0, 3.5, "implicit"), (9.7, 9.0, "implicit"), (9.7, 9.6, "original loops")],
)
def test_a_compilers_vectors_win_only_where_they_are_well_ahead(explicit: float, implicit: float, winner: str) -> None:
    scop = _scop()
    with Evaluator(scop, {"n": 8}, host_target(), in_process=True) as evaluator:
        own = Candidate("explicit", scop, original_tree(scop))
        left = Candidate("implicit", scop, original_tree(scop), explicit=False)
        for candidate, seconds in ((evaluator.original, 10.0), (own, explicit), (left, implicit)):
            evaluator.candidates[candidate.name] = candidate
            evaluator.measured[candidate.name] = Measured(candidate.name, Timing(seconds, seconds, 0.0, 1))
        evaluator.compare = lambda finalists: None  # type: ignore[method-assign, assignment]
        assert evaluator.decided().name == winner


def test_who_was_not_in_the_last_round_gets_another_if_all_of_it_fall_behind() -> None:
    scop = _scop()
    with Evaluator(scop, {"n": 8}, host_target(), in_process=True) as evaluator:

        def record(candidate: Candidate, milliseconds: float) -> None:
            timing = Timing(1e-3 * milliseconds, 1e-3 * milliseconds, 0.0, 1)
            evaluator.candidates[candidate.name] = candidate
            evaluator.measured[candidate.name] = Measured(candidate.name, timing)

        lucky = [Candidate(f"lucky {n}", scop, original_tree(scop)) for n in range(3)]
        steady = Candidate("steady", scop, original_tree(scop))
        for candidate, seconds in ((evaluator.original, 10.0), *((c, 4.0) for c in lucky), (steady, 5.0)):
            record(candidate, seconds)
        rounds = []

        def compare(finalists: list[Candidate]) -> None:
            rounds.append([c.name for c in finalists])
            for candidate in finalists:
                if candidate in lucky:
                    record(candidate, 6.0 + lucky.index(candidate))

        evaluator.compare = compare  # type: ignore[method-assign, assignment]
        assert evaluator.decided() is steady
        assert rounds == [
            ["lucky 0", "lucky 1", "lucky 2", "original loops"],
            ["steady", "lucky 0", "lucky 1", "original loops"],
        ]


def test_a_duel_with_the_default_choice_is_the_last_word_unless_the_original_loops_stay() -> None:
    scop = _scop()
    with Evaluator(scop, {"n": 8}, host_target(), in_process=True) as evaluator:
        default, walked = (Candidate(name, scop, original_tree(scop)) for name in ("default", "cursor 1"))
        for candidate, seconds in ((evaluator.original, 9e-3), (default, 5e-3), (walked, 4e-3)):
            evaluator.candidates[candidate.name] = candidate
            evaluator.measured[candidate.name] = Measured(candidate.name, Timing(seconds, seconds, 0.0, 1))
        duels = []

        def compare(finalists: list[Candidate]) -> None:
            duels.append([c.name for c in finalists])
            evaluator.measured["cursor 1"] = Measured("cursor 1", Timing(6e-3, 6e-3, 0.0, 7))

        evaluator.compare = compare  # type: ignore[method-assign, assignment]
        assert _faster(evaluator, default, evaluator.original) is evaluator.original
        assert _faster(evaluator, default, default) is default
        assert duels == []
        assert _faster(evaluator, default, walked) is default
        assert duels == [["default", "cursor 1"]]


def test_nobody_tells_that_the_arrays_of_the_original_loops_do_not_overlap() -> None:
    scop = _scop()
    with Evaluator(scop, {"n": 8}, host_target(), in_process=True) as evaluator:
        original = print_llvm(evaluator.program(evaluator.original), host_target())
        own = print_llvm(evaluator.program(Candidate("own", scop, original_tree(scop))), host_target())
    with Evaluator(scop.without_aliasing(), {"n": 8}, host_target(), in_process=True) as evaluator:
        trusted = print_llvm(evaluator.program(evaluator.original), host_target())
    assert [text.count("noalias") for text in (original, own, trusted)] == [1, 3, 3]
