"""The cursor's processes as objectives of searches: every state is a program, worth the GFLOPS that it reaches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polyloop.cursor.process import NestCursor, NestState
from polyloop.cursor.tree_process import TreeCursor, TreeState
from polyloop.measure.programs import ProgramEvaluator, gflops
from polyloop.search.objective import Objective

_CHANGE = 4.0
"""How much likelier a random walk changes a loop than it moves the cursor."""


def nest_objective(process: NestCursor, evaluator: ProgramEvaluator) -> Objective[NestState]:
    """A cursor on a rectangular nest; where the cursor stands does not count. Give the process a `length`."""

    def value(state: NestState) -> float:
        record = evaluator.evaluate(process.problem, state.nest)
        return float("-inf") if record.error is not None else gflops(process.problem, record)

    weights = action_weights(process.names)
    return Objective(process, value, everywhere=True, weights=lambda _: weights, key=lambda state: state.program)


def tree_objective(process: TreeCursor, evaluator: ProgramEvaluator) -> Objective[TreeState]:
    """A cursor on a schedule tree, in the same way."""

    def value(state: TreeState) -> float:
        record = evaluator.evaluate(process.problem, state.tree)
        return float("-inf") if record.error is not None else gflops(process.problem, record)

    weights = action_weights(process.names)
    return Objective(process, value, everywhere=True, weights=lambda _: weights, key=lambda state: state.program)


def cursor_objective(process: NestCursor | TreeCursor, evaluator: ProgramEvaluator) -> Objective[Any]:
    """That of the process's kind."""
    return nest_objective(process, evaluator) if isinstance(process, NestCursor) else tree_objective(process, evaluator)


def action_weights(names: Sequence[str]) -> tuple[float, ...]:
    """How likely a random walk takes each action."""
    return tuple(1.0 if name in ("up", "down") else _CHANGE for name in names)
