"""Searches on the cursor: they find better nests than the original, and the best they met replays."""

from __future__ import annotations

import pytest

from polyloop.cursor.actions import Actions
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.cursor.tree_process import TreeCursor
from polyloop.frontend import read_c
from polyloop.measure.programs import ModelledPrograms
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.methods import method
from polyloop.search.run import Budget, search
from polyloop.shipped.kernels import kernel
from polyloop.shipped.workloads import workload


@pytest.mark.parametrize("name", ["greedy1", "random", "anneal"])
def test_searches_on_a_nest(name: str) -> None:
    problem = Contraction.of(workload("m128-k80-n80").scop)
    assert problem is not None
    objective = cursor_objective(NestCursor(problem, Actions(), 10), ModelledPrograms())
    start = objective.value(objective.process.initial())
    found = search(objective, method(name), Budget(evaluations=300), seed=0)
    assert found.value >= start
    state = objective.process.initial()
    for action in found.best.actions:
        state = objective.process.step(state, action)
    assert objective.value(state) == found.value


def test_a_search_on_a_tree() -> None:
    (scop,) = read_c(kernel("gemm").path)
    sizes = tuple((name, value) for name, value in kernel("gemm").resolve("MINI").items() if name in scop.parameters)
    objective = cursor_objective(TreeCursor(TreeProblem(scop, sizes), Actions(), 6), ModelledPrograms())
    found = search(objective, method("random"), Budget(evaluations=60), seed=1)
    assert found.value >= objective.value(objective.process.initial())
