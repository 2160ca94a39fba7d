"""What to do in any state of a cursor's walk, by the model: a teacher that can be asked wherever a learner has got to.

Of a contraction the guide knows good layouts (`polyloop.search.cursor.plans`), or what a beam has found. In a state it
looks for the best of them that the loops can still become in the steps that are left, and goes the shortest way. What
is split by other tiles than those of the good layouts is merged again. Programs of other forms have the way that a beam
has found, and nothing beside it.

References:
    Ross, Gordon and Bagnell, "A Reduction of Imitation Learning and Structured Prediction to No-Regret Online
    Learning", AISTATS 2011: a learner that copies only what a teacher does never sees what its own mistakes lead to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from polyloop.cursor.actions import STOP
from polyloop.cursor.base import AnyState
from polyloop.cursor.layouts import Layout
from polyloop.cursor.model import nest_model
from polyloop.cursor.process import NestCursor, NestState
from polyloop.search.cursor.baselines import Task
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.cursor.plans import as_layout, layouts, leads_to, way_from
from polyloop.search.methods.beam import Beam
from polyloop.search.run import Budget, Place, search

NEAR = 1.01
"""Layouts that take so many times as long as the best count as good as it."""

_TRIED, _FAILED = 4, 2
"""Layouts that ways are looked for to, and how many of them may have none."""

_WIDTH = 4
"""Of the beam."""

_MERGED = 0.9
"""What the loops can still become is worth less than this share of the best: they are merged first."""


@dataclass(frozen=True)
class Advice:
    """Attributes:
    worth: the share of the peak that the action leads to, with others behind it.
    """

    action: int
    worth: float


@dataclass
class Guide:
    """The teacher of one task, whose process has an end and the action stop.

    Attributes:
        written: good layouts are written down; else only what a beam has found is known, and what others report.
    """

    task: Task
    written: bool = True
    _known: dict[AnyState, Advice | None] = field(default_factory=dict, repr=False)

    def advice(self, state: AnyState) -> Advice | None:
        """What to do in a state; None where it does not know, or the episode has ended."""
        process = self.task.process
        if process.final(state):
            return None
        if state not in self._known:
            self._known[state] = self._nest(process, state) if isinstance(process, NestCursor) else self._way.get(state)
        return self._known[state]

    def met(self, state: AnyState) -> None:
        """Hear of a state that somebody has come by: where it is the best so far, it is what ways lead to from now
        on."""
        if not isinstance(self.task.process, NestCursor) or (layout := as_layout(state.program)) is None:
            return
        worth = self.task.worth(state)
        if worth > NEAR * self._best:
            self._goals.insert(0, (worth, layout))
            self._known.clear()

    @property
    def _best(self) -> float:
        return self._goals[0][0] if self._goals else 0.0

    @cached_property
    def _stop(self) -> int:
        return self.task.process.names.index(STOP)

    @cached_property
    def _found(self) -> Place[AnyState]:
        """The best that a beam finds."""
        objective = cursor_objective(self.task.process, self.task.evaluator)
        return search(objective, Beam(_WIDTH), Budget()).best

    @cached_property
    def _way(self) -> dict[AnyState, Advice]:
        """The states that lead to what the beam has found."""
        process, found = self.task.process, self._found
        state, way = process.initial(), dict[AnyState, Advice]()
        worth = self.task.worth(found.state)
        for action in (*found.actions, self._stop):
            if not process.final(state):
                way[state] = Advice(action, worth)
                state = process.step(state, action)
        return way

    @cached_property
    def _goals(self) -> list[tuple[float, Layout]]:
        """Layouts and the share of the peak that each is worth, the best first."""
        process, model = self.task.process, nest_model(self.task.machine)
        assert isinstance(process, NestCursor)
        first = process.initial()
        operations = self.task.worth(first) * model.seconds(process.problem, first.program)
        known = layouts(process.problem, process.kinds.splits, model) if self.written else ()
        goals = [(operations / own, layout) for own, layout in known]
        if not self.written and (layout := as_layout(self._found.state.program)) is not None:
            goals.append((self.task.worth(self._found.state), layout))
        return sorted(goals, key=lambda goal: -goal[0])

    def _nest(self, process: NestCursor, state: NestState) -> Advice:
        present, nest = self.task.worth(state), state.program
        best = self._best
        stay = Advice(self._stop, present)
        if best <= NEAR * present:
            return stay
        if state.cursor >= len(nest.compute):
            return Advice(process.names.index("up"), best)
        there = self._towards(process, state, present)
        if there is None or there.worth < _MERGED * best:
            merging = self._merging(process, state, best)
            return merging or there or stay
        return there

    def _towards(self, process: NestCursor, state: NestState, present: float) -> Advice | None:
        """To the best layout that the loops can become, of about equally good ones to that whose rows lie closest
        together, then to the nearest."""
        left, best, tried, failed = (process.length or 0) - state.steps, 0.0, 0, 0
        near: list[tuple[int, int, float, tuple[int, ...]]] = []
        for worth, layout in self._goals:
            if worth <= NEAR * present or NEAR * worth < best or tried == _TRIED or failed == _FAILED:
                break
            if not leads_to(state.program, layout):
                continue
            actions = way_from(process, state.program, state.cursor, layout, left)
            tried += 1
            if not actions:
                failed += 1
                continue
            best = max(best, worth)
            row = process.problem.result.by_variable.get(layout[-2][0], 0) if len(layout) > 1 else 0
            near.append((row, len(actions), worth, actions))
        if not near:
            return None
        _, _, worth, actions = min(near, key=lambda each: each[:2])
        after = state
        for action in actions:  # the same way is the shortest from the states on it
            if process.obstacle(after, action) is not None:
                break
            self._known[after] = Advice(action, worth)
            after = process.step(after, action)
        return self._known.get(state)

    @staticmethod
    def _merging(process: NestCursor, state: NestState, best: float) -> Advice | None:
        """Towards merging the innermost two loops of one variable."""
        loops = [loop.variable for loop in state.program.compute]
        pairs = [(k, max(j for j in range(k) if loops[j] == v)) for k, v in enumerate(loops) if v in loops[:k]]
        if not pairs:
            return None
        inner, outer = pairs[-1]
        if inner == outer + 1:
            name = "merge" if state.cursor == outer else "up" if state.cursor > outer else "down"
        else:
            name = "swap_up" if state.cursor == inner else "up" if state.cursor > inner else "down"
        action = process.names.index(name)
        left = (process.length or 0) - state.steps
        far = 2 * (inner - outer) + abs(state.cursor - inner) > left // 2
        return None if far or process.obstacle(state, action) is not None else Advice(action, best)
