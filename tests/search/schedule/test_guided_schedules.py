"""The search that a learned model guides, on schedules: its walks are legal, its runs repeat, and models see all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polyloop.envs.problems import Arguments, load
from polyloop.measure.schedules import CostModel, Problem
from polyloop.search.guided import Guided
from polyloop.search.registry import find_search
from polyloop.search.run import Budget, Found, Run, search
from polyloop.search.schedule.guided import _UNKNOWN, ScheduleMoves, guided_schedules
from polyloop.search.schedule.heuristics import HEURISTICS
from polyloop.search.schedule.objective import scheduling_objective
from polyloop.spaces.construction import Construction
from polyloop.spaces.scheduling import Scheduling

SMALL: dict[str, Any] = {"chains": 4, "steps": 2, "batch": 3, "transfer": False}


@pytest.fixture(scope="module")
def gemm() -> tuple[Scheduling, Problem]:
    task = load("gemm", Arguments())
    return Scheduling(Construction(task.space)), task.problem


def found(process: Scheduling, problem: Problem, evaluations: int) -> Found[Any]:
    objective = scheduling_objective(process, problem, CostModel(), HEURISTICS["pouchet"])
    return search(objective, Guided(ScheduleMoves(process, problem), **SMALL), Budget(evaluations=evaluations), seed=1)


def test_runs_repeat_and_find_more_than_they_begin_with(gemm: tuple[Scheduling, Problem]) -> None:
    pytest.importorskip("lightgbm")
    first, second = found(*gemm, 16), found(*gemm, 16)
    assert first.evaluations == 16
    assert first.best == second.best
    assert [p.best for p in first.curve] == [p.best for p in second.curve]
    assert first.value > first.curve[0].best


def test_neighbours_are_schedules_that_models_see(gemm: tuple[Scheduling, Problem]) -> None:
    process, problem = gemm
    objective = scheduling_objective(process, problem, CostModel(), HEURISTICS["pouchet"])
    run = Run(objective, random=np.random.default_rng(0))
    moves = ScheduleMoves(process, problem)
    (thing,) = moves.beginning(run)
    seen = {thing}
    for number in range(12):
        thing = moves.neighbour(thing, run)
        place = moves.place(thing, number, run)
        assert process.final(place.state)
        assert process.schedule(place.state) == thing
        figures = moves.figures(thing)
        assert figures is not _UNKNOWN
        assert np.isfinite(figures.rows).all()
        assert len(figures.rows) == len(problem.scop.statements)
        seen.add(thing)
    assert len(seen) >= 4


def test_both_spaces_are_walked() -> None:
    pytest.importorskip("lightgbm")
    assert find_search("model")[1] == "cursor"
    assert find_search("model", "schedule")[0] is find_search("model", "cursor")[0]
    assert guided_schedules.__doc__
