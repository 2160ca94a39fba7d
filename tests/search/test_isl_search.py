"""The default search with a tiny budget, in a worker."""

from __future__ import annotations

import time
from math import inf

import pytest

from polyloop.backend.machine.host import host_target
from polyloop.frontend import read_c
from polyloop.measure.evaluator import Evaluator, Options
from polyloop.measure.result import Candidate
from polyloop.schedules.legality import Proof
from polyloop.schedules.tree import Path, ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.search import isl_search
from polyloop.search.isl_search import MATTERS, _survey, search, shaped_candidate
from polyloop.search.survey import OverrunError
from polyloop.shaping.shaped import ShapedTree, all_parallel
from polyloop.shipped.kernels import kernel


@pytest.mark.parametrize(
    ("name", "sizes"), [("gemm", {"ni": 17, "nj": 19, "nk": 13}), ("jacobi-1d", {"t": 5, "n": 41})]
)
def test_the_best_is_measured_proven_and_never_unchecked(name: str, sizes: dict[str, int]) -> None:
    (scop,) = read_c(kernel(name).path)
    given = dict(zip(scop.parameters, sizes.values(), strict=False))
    with Evaluator(scop, given, host_target()) as evaluator:
        best = search(evaluator, 0.5)
        assert evaluator.original.name in evaluator.measured
        assert evaluator.measured[best.name].ran
        assert evaluator.measured[best.name].check.passed
        assert isinstance(evaluator.proofs.prove(best.scop, best.tree or original_tree(best.scop)), Proof)
        for fate in evaluator.measured.values():
            assert fate.error is None or "wrong results" not in fate.error
        assert evaluator.seconds(best) <= evaluator.seconds(evaluator.original)


def test_a_slow_survey_leaves_something_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first schedule takes most of the time, whatever ends the search finds it measured."""

    def overrun(*_: object) -> ShapedTree:
        raise OverrunError

    (scop,) = read_c(kernel("atax").path)
    monkeypatch.setattr(isl_search, "_reshaped", overrun)
    with Evaluator(scop, dict.fromkeys(scop.parameters, 23), host_target()) as evaluator:
        with pytest.raises(OverrunError):
            search(evaluator, 0.0)
        (other,) = set(evaluator.measured) - {evaluator.original.name}
        assert evaluator.measured[other].ran


@pytest.mark.parametrize(
    ("wanted", "more", "shares"),
    [
        (1.0, 0.0, (0.0, 10.0)),  # its share is enough
        (7.0, 0.0, (2.0, 10.0)),
        (50.0, 0.0, (4.0, 10.0)),  # the other one keeps its own
        (50.0, 10.0, (13.0, 20.0)),  # both have more
    ],
)
def test_a_search_before_another_gets_more_where_trials_take_long(
    monkeypatch: pytest.MonkeyPatch, wanted: float, more: float, shares: tuple[float, float]
) -> None:
    granted = list[float]()

    def searched(evaluator: Evaluator, budget: float) -> Candidate:
        assert budget == 5.0
        assert evaluator.longer is not None
        granted.append(evaluator.longer(wanted))
        return evaluator.original

    (scop,) = read_c(kernel("atax").path)
    monkeypatch.setattr(isl_search, "search", searched)
    with Evaluator(scop, {}, host_target()) as evaluator:
        given = evaluator.longer = (lambda seconds: more) if more else None
        best, both = isl_search.search_first(evaluator, 0.5, 0.9, 10.0)
        assert (best, evaluator.longer) == (evaluator.original, given)
    assert (*granted, both) == pytest.approx(shares)


PRODUCTS = """void products(int n, double A[n][n], double B[n][n], double C[n][n], double D[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        D[i][j] += B[i][k] * A[k][j];
#pragma endscop
}
"""


def test_parts_that_hardly_take_time_are_not_reshaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two products, of which one takes all the time."""
    (scop,) = read_c("products.c", text=PRODUCTS)
    asked: list[str] = []

    def seconds(_: Evaluator, scop: Scop, tree: ScheduleTree, path: Path, cutoff: float = inf) -> float:
        (name,) = tree.statements_at(path)
        asked.append(name)
        return 1.0 if name == "S0" else 0.9 * MATTERS

    monkeypatch.setattr(Evaluator, "part_seconds", seconds)
    with Evaluator(scop, {"n": 23}, host_target()) as evaluator:
        shaped_candidate(evaluator, "original order", scop, original_tree(scop), inf)
    assert asked.count("S0") > 2
    assert asked.count("S1") == 1


@pytest.mark.parametrize("slower", [True, False])
def test_one_thread_is_tried_where_threads_do_not_pay(slower: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    (scop,) = read_c("products.c", text=PRODUCTS)
    tried: list[Candidate] = []

    def evaluate(evaluator: Evaluator, candidate: Candidate, cutoff: float = inf) -> float:
        tried.append(candidate)
        return 3.0 if slower else 1.5

    monkeypatch.setattr(Evaluator, "part_seconds", lambda *_, **__: 1.0)  # two parts: 2 s in one thread
    monkeypatch.setattr(Evaluator, "evaluate", evaluate)
    with Evaluator(scop, {"n": 23}, host_target(), Options(threads=2)) as evaluator:
        bases: list[tuple[float, ShapedTree]] = []
        _survey(evaluator, bases, time.monotonic(), 1e9)
    parallel = [candidate.tree is not None and all_parallel(candidate.tree) for candidate in tried]
    assert all(parallel[:: 1 + slower])
    assert not any(parallel[1::2]) if slower else len(tried) > 1
    assert ["in one thread" in candidate.steps for candidate in tried] == [not each for each in parallel]


def test_loops_with_threads_of_the_users_own_are_not_tried_without(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """void f(int n, double a[n][n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] *= 2.0;
}"""
    (scop,) = read_c("f.c", text=text, auto=True)
    tried: list[Candidate] = []

    def evaluate(evaluator: Evaluator, candidate: Candidate, cutoff: float = inf) -> float:
        tried.append(candidate)
        return 3.0

    monkeypatch.setattr(Evaluator, "part_seconds", lambda *_, **__: 1.0)
    monkeypatch.setattr(Evaluator, "evaluate", evaluate)
    options = Options(threads=2, timed=1)
    with Evaluator(scop, {"n": 23}, host_target(), options) as evaluator:
        assert evaluator.setting.threads == 1
        _survey(evaluator, [], time.monotonic(), 1e9)
    assert tried
    assert all(candidate.tree is not None and all_parallel(candidate.tree) for candidate in tried)
