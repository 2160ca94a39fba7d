"""Searches that walk the cursor's space, for `polyloop.optimize`: one transformation of the loops after the other.

The default search comes first, with a share of the time, most of it where trying takes long. The walk starts from what
it found, then from the original loops; whatever both met competes with the default's result and the original loops in
the end, so that nothing gets slower. Every tree is proven, compiled and measured as any other candidate is.
"""

from __future__ import annotations

import time
from dataclasses import replace
from hashlib import sha256

from polyloop.cursor.actions import NEST_FLAGS, TREE_FLAGS, Actions
from polyloop.cursor.base import CursorState
from polyloop.cursor.tree_problem import TreeProblem, joined, singled
from polyloop.cursor.tree_process import TreeCursor, TreeState
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.measured_schedules import Measuring
from polyloop.measure.result import Candidate, Source
from polyloop.measure.schedules import TIMES_SLOWER
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.search import isl_search
from polyloop.search.cursor.objective import walk_objective
from polyloop.search.cursor.searches import STEPS, cursor_method
from polyloop.search.run import Budget, Found
from polyloop.search.run import search as run_search

DEFAULT_SHARE, END_SHARE, TUNED_SHARE = 0.5, 0.92, 0.6
"""Shares of the time after which the default search, where its trials are short, and all walks have ended; and what the
walk from its result has of the time for walks."""


def search(evaluator: Evaluator, budget: float, *, name: str) -> Candidate:
    """The best candidate found in about `budget` seconds.

    Args:
        name: of a search that walks any process; see `polyloop.search.methods`.
    """
    began = time.monotonic()
    best, budget = isl_search.search_first(evaluator, DEFAULT_SHARE, END_SHARE, budget)
    end = began + END_SHARE * budget
    with Measuring.around(evaluator) as measuring:
        measuring.limit_lowering(budget)
        if best.tree is not None:
            walk = _Walk(evaluator, measuring, name, best.scop, best)
            now = time.monotonic()
            walk.run(best.tree, now + TUNED_SHARE * (end - now))
        walk = _Walk(evaluator, measuring, name, evaluator.scop, None)
        walk.run(original_tree(evaluator.scop), end)
    return _faster(evaluator, best, evaluator.decided())


def _faster(evaluator: Evaluator, default: Candidate, found: Candidate) -> Candidate:
    """The last word is a duel: spells of the machine between measurements must not make what was found slower than what
    the default search had. Where the original loops have stayed, they stay."""
    if found.tree is None or default.name == found.name or default.name not in evaluator.candidates:
        return found
    evaluator.compare(list({c.name: c for c in (default, found, evaluator.original)}.values()))
    return min(found, default, key=evaluator.seconds)


class _Walk:
    """A search from one tree.

    Args:
        of: the candidate that the tree is of, whose changes of the Scop go along; None for the original loops.
    """

    def __init__(self, evaluator: Evaluator, measuring: Measuring, name: str, scop: Scop, of: Candidate | None) -> None:
        self._evaluator, self._measuring, self._name, self._scop, self._of = evaluator, measuring, name, scop, of
        options = evaluator.options
        flags = tuple(f for f in (*NEST_FLAGS, *TREE_FLAGS) if options.threads > 1 or f != "parallelize")
        self._process = TreeCursor(
            TreeProblem(scop, tuple(evaluator.sizes.items()), options.reassociate, contract=options.contract),
            Actions(flags=flags),
            STEPS,
        )

    def run(self, start: ScheduleTree, deadline: float) -> Found[CursorState[ScheduleTree]] | None:
        """Search until a deadline (of `time.monotonic`); None where the cursor has nothing to stand on."""
        tree = singled(start)
        seconds = deadline - time.monotonic()
        if seconds <= 0 or not self._process.rows(tree):
            return None
        objective = walk_objective(replace(self._process, start=TreeState(tree)), self._speed)
        return run_search(objective, cursor_method(self._name, self._process), Budget(seconds=seconds))

    def _speed(self, tree: ScheduleTree) -> float:
        """Over the original loops; minus infinity for what does not run."""
        evaluator = self._evaluator
        baseline = evaluator.seconds(evaluator.original)
        cutoff = min(TIMES_SLOWER * baseline, 3 * evaluator.best_seconds())
        seconds = self._measuring.measure(evaluator, self._candidate(tree), cutoff)
        return baseline / seconds if 0 < seconds < float("inf") else float("-inf")

    def _candidate(self, tree: ScheduleTree) -> Candidate:
        changes = () if self._of is None else self._of.changes
        before = ("the original loops",) if self._of is None else self._of.steps
        steps = (*before, f"transformed by the search {self._name!r} with a cursor on the loops")
        digest = sha256(f"{changes} {tree}".encode()).hexdigest()[:24]
        return Candidate(
            f"cursor {digest}",
            self._scop,
            joined(tree),
            steps,
            explicit=tree.has_kinds,
            changes=changes,
            source=Source.CURSOR,
        )
