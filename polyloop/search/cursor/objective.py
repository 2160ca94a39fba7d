"""The cursor's processes as objectives of searches: every state is a program, worth the GFLOPS that it reaches."""

from __future__ import annotations

from collections.abc import Callable

from polyloop.cursor.base import CursorProcess, CursorState, P
from polyloop.measure.programs import ProgramEvaluator, gflops
from polyloop.search.objective import Objective

_CHANGE = 4.0
"""How much likelier a random walk changes a loop than it moves the cursor."""


def cursor_objective(process: CursorProcess[P], evaluator: ProgramEvaluator) -> Objective[CursorState[P]]:
    """GFLOPS on a cursor's walk. Give the process a `length`."""

    def value(program: P) -> float:
        record = evaluator.evaluate(process.problem, program)
        return float("-inf") if record.error is not None else gflops(process.problem, record)

    return walk_objective(process, value)


def walk_objective(process: CursorProcess[P], value: Callable[[P], float]) -> Objective[CursorState[P]]:
    """Programs of some value, wherever the cursor stands."""
    weights = tuple(1.0 if name in ("up", "down") else _CHANGE for name in process.names)
    return Objective(
        process,
        lambda state: value(state.program),
        everywhere=True,
        weights=lambda _: weights,
        key=lambda state: state.program,
    )
