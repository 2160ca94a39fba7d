"""What to do in any state of a cursor's walk, by the model: a teacher that can be asked wherever a learner has got to.

Of a contraction the guide knows good layouts (`polyloop.search.cursor.plans`), or what a beam has found. In a state it
looks for the best of them that the loops can still become in the steps that are left, and goes the shortest way. What
is split by other tiles than those of the good layouts is merged again. Programs of other forms have the way that a beam
has found: wherever the cursor stands in a program on it, it is sent to where the way goes on. From some programs beside
it, another way is looked for.

The beam goes from program to program, not from state to state: what takes the cursor to a loop and changes it there is
one step of it, so that states which differ in nothing but the cursor take no place.

References:
    Ross, Gordon and Bagnell, "A Reduction of Imitation Learning and Structured Prediction to No-Regret Online
    Learning", AISTATS 2011: a learner that copies only what a teacher does never sees what its own mistakes lead to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from polyloop.cursor.actions import STOP
from polyloop.cursor.base import AnyState, Program
from polyloop.cursor.layouts import Layout
from polyloop.cursor.model import nest_model
from polyloop.cursor.process import NestCursor, NestState
from polyloop.search.cursor.baselines import Task
from polyloop.search.cursor.plans import as_layout, layouts, leads_to, way_from

NEAR = 1.01
"""Layouts that take so many times as long as the best count as good as it."""

_TRIED, _FAILED = 4, 2
"""Layouts that ways are looked for to, and how many of them may have none."""

_WIDTH, _WIDTH_AGAIN = 4, 2
"""Of the beam, from the original loops and from others."""

_PATIENCE = 4
"""Steps of a beam that make nothing better before it ends."""

_AGAIN = 3
"""Programs of a tree beside the way that another way is looked for from."""

_MERGED = 0.9
"""What the loops can still become is worth less than this share of the best: they are merged first."""


@dataclass(frozen=True)
class Advice:
    """Attributes:
    worth: the share of the peak that the action leads to, with others behind it.
    """

    action: int
    worth: float


@dataclass(frozen=True)
class Edit:
    """What is done with a program on a way.

    Attributes:
        row: that the cursor has to stand on.
        action: None where the way ends.
        worth: of the program that the way leads to.
    """

    row: int
    action: int | None
    worth: float


def edited(task: Task, start: AnyState, width: int) -> tuple[AnyState, dict[Program, Edit]]:
    """The best state that a beam of programs comes by from a state, in the steps that are left, and the way there."""
    process = task.process
    changes = [k for k, name in enumerate(process.names) if name not in ("up", "down", STOP)]
    best, worth, idle = start, task.worth(start), 0
    level, before = [start], dict[Program, tuple[Program | None, int, int]]()
    before[start.program] = (None, 0, 0)
    while level and idle < _PATIENCE:
        met: dict[Program, tuple[AnyState, tuple[Program, int, int]]] = {}
        for state in level:
            for row in range(process.visible(state.program)):
                there = state._replace(cursor=row, steps=state.steps + abs(row - state.cursor))
                for action, legal in enumerate(process.actions(there)):
                    if legal and action in changes:
                        after = process.step(there, action)
                        known = met.get(after.program)
                        if after.program not in before and (known is None or after.steps < known[0].steps):
                            met[after.program] = after, (state.program, row, action)
        kept = sorted(met.values(), key=lambda each: (-task.worth(each[0]), each[0].steps))[:width]
        level, idle = [state for state, _ in kept], idle + 1
        for state, way in kept:
            before[state.program] = way
            if (own := task.worth(state)) > NEAR * worth:
                best, worth, idle = state, own, 0
    edits, at = {best.program: Edit(0, None, worth)}, before[best.program]
    while at[0] is not None:
        edits[at[0]] = Edit(at[1], at[2], worth)
        at = before[at[0]]
    return best, edits


@dataclass
class Guide:
    """The teacher of one task, whose process has an end and the action stop.

    Attributes:
        written: good layouts are written down; else only what a beam has found is known, and what others report.
    """

    task: Task
    written: bool = True
    _known: dict[AnyState, Advice | None] = field(default_factory=dict, repr=False)
    _again: int = field(default=_AGAIN, repr=False)

    def advice(self, state: AnyState) -> Advice | None:
        """What to do in a state; None where it does not know, or the episode has ended."""
        process = self.task.process
        if process.final(state):
            return None
        if state not in self._known:
            self._known[state] = self._nest(process, state) if isinstance(process, NestCursor) else self._tree(state)
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
    def _found(self) -> tuple[AnyState, dict[Program, Edit]]:
        """The best that a beam finds, and what is done with the programs on the way there."""
        return edited(self.task, self.task.process.initial(), _WIDTH)

    def _tree(self, state: AnyState) -> Advice | None:
        process, (_, edits) = self.task.process, self._found
        if state.program not in edits and self._again:
            self._again -= 1
            edits.update({k: v for k, v in edited(self.task, state, _WIDTH_AGAIN)[1].items() if k not in edits})
        edit = edits.get(state.program)
        if edit is None:
            return None
        far = abs(edit.row - state.cursor)
        if edit.action is None or far >= (process.length or 0) - state.steps:
            return Advice(self._stop, self.task.worth(state))
        if not far:
            return Advice(edit.action, edit.worth)
        return Advice(process.names.index("down" if edit.row > state.cursor else "up"), edit.worth)

    @cached_property
    def _goals(self) -> list[tuple[float, Layout]]:
        """Layouts and the share of the peak that each is worth, the best first."""
        process, model = self.task.process, nest_model(self.task.machine)
        assert isinstance(process, NestCursor)
        first = process.initial()
        operations = self.task.worth(first) * model.seconds(process.problem, first.program)
        known = layouts(process.problem, process.kinds.splits, model) if self.written else ()
        goals = [(operations / own, layout) for own, layout in known]
        if not self.written and (layout := as_layout((found := self._found[0]).program)) is not None:
            goals.append((self.task.worth(found), layout))
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
