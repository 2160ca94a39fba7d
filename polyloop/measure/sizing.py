"""Sizes for a measurement: what nobody gave is chosen so that one run of the original loops takes about 50 ms.

How long a statement instance takes differs a hundredfold, from vectorised additions to divisions and calls of ``pow``;
so the sizes are those of a guess first, then corrected by what a run at them takes.
"""

from __future__ import annotations

from collections.abc import Mapping

from polyloop.backend.errors import BackendError
from polyloop.measure.evaluator import Evaluator
from polyloop.scop.data import GOAL, SizeChoice, checked_sizes, default_sizes, work

NEAR = 1.4
"""A run that is not more than so many times as long or as short as the goal is near enough: caches and the ladder of
sizes do not allow much better."""

CORRECTIONS = 3
"""Most runs for finding the sizes."""

INSTANT = 1e-7
"""Seconds; what takes less is counted as this much."""


def settle_sizes(evaluator: Evaluator, given: Mapping[str, int] | None) -> str:
    """Give an evaluator that has measured nothing yet its sizes; says where they come from.

    Args:
        given: values for some or all of the parameters.
    Raises:
        SizeError: for names that are no parameters, or values that the Scop is not written for.
    """
    scop, given = evaluator.scop, dict(given or {})
    choice = default_sizes(scop, {name: value for name, value in given.items() if name in scop.parameters})
    evaluator.sizes = checked_sizes(scop, choice.values | given)
    for _ in range(CORRECTIONS if choice.aims else 0):
        try:
            took = max(evaluator.original_seconds(), INSTANT)
        except BackendError:
            break  # the search will say what is wrong with them
        is_short, is_long = took * NEAR < GOAL, took > NEAR * GOAL
        corrected = default_sizes(scop, given, work(scop, evaluator.sizes) * GOAL / took)
        if not (is_short or is_long):
            break
        was, choice = choice, corrected
        if choice.values == was.values:
            break
        evaluator.sizes = checked_sizes(scop, choice.values)
    return _origin(choice, given)


def _origin(choice: SizeChoice, given: Mapping[str, int]) -> str:
    if not given:
        return choice.origin
    missing = ", ".join(name for name in choice.values if name not in given)
    return f"given; {missing}: {choice.origin}" if missing else "given"
