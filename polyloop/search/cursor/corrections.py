"""Walks of the cursor made better by single changes, as a model sees them: nothing is measured.

A policy knows which loops belong inside, and that one has to be split; which of the tiles is best, and what else a loop
should be, it knows less well. The model tells programs apart that differ in one such thing, and says so for a fraction
of what a look of a network costs. So a walk is changed where it stands to advantage: by one more action at its end, on
any loop, the nearest first; and where none of these pays, by another tile where the walk has split a loop, behind which
it goes on as it did. Nothing is split at the end: that pays only with exchanges behind it (of 9,500 such changes of 48
walks 22 were gone on with, of 7,000 others 490).

References:
    Aarts and Lenstra (eds.), "Local Search in Combinatorial Optimization", Wiley 1997: the first neighbour that is
    better is gone on with; where there is none, another start is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from polyloop.cursor.actions import STOP
from polyloop.cursor.base import AnyCursor, AnyState, Program
from polyloop.cursor.tree_problem import TreeProblem

BETTER = 1.001
"""A change has to make a program worth so many times as much: the model's last digits say nothing."""

_MOVES = ("up", "down", STOP)


@dataclass(frozen=True)
class Walk:
    """Attributes:
    states: from the first on.
    actions: that lead from one to the next.
    """

    states: tuple[AnyState, ...]
    actions: tuple[int, ...]


@dataclass
class Corrections:
    """Makes walks on one process better, until it has asked the model often enough.

    Attributes:
        value: of a state, from a model; states with equal programs have equal values.
        known: ids of the actions that may be taken; those that move only the cursor are taken anyway.
        looks: that are left: statements of programs that the model may be asked about.
    """

    process: AnyCursor
    value: Callable[[AnyState], float]
    known: Sequence[int]
    looks: int
    _seen: set[Program] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        names, problem = self.process.names, self.process.problem
        self._splits = [action for action in self.known if names[action] in self.process.kinds.factors]
        self._others = [a for a in self.known if names[a] not in _MOVES and a not in self._splits]
        self._up, self._down = names.index("up"), names.index("down")
        self._cost = len(problem.scop.statements) if isinstance(problem, TreeProblem) else 1

    def corrected(self, walk: Walk) -> Walk | None:
        """The walk with changes, as long as each makes it better; None where its end was come by already, or where no
        looks are left."""
        if self.looks < self._cost or walk.states[-1].program in self._seen:
            return None
        self._seen.add(walk.states[-1].program)
        while (better := self._better(walk)) is not None:
            walk = better
        return walk

    def _better(self, walk: Walk) -> Walk | None:
        """The best change of the first place where one makes the walk better."""
        most = BETTER * self.value(walk.states[-1])
        for place in self._places(walk):
            best: Walk | None = None
            for changed in place:
                program = changed.states[-1].program
                if program in self._seen:
                    continue
                if self.looks < self._cost:
                    return best
                self._seen.add(program)
                self.looks -= self._cost
                if (worth := self.value(changed.states[-1])) > most:
                    best, most = changed, worth
            if best is not None:
                return best
        return None

    def _places(self, walk: Walk) -> Iterator[Iterator[Walk]]:
        end = walk.states[-1]
        rows = range(self.process.visible(end.program))
        for row in sorted(rows, key=lambda row: abs(row - end.cursor)):
            yield self._continued(walk, row)
        for at in reversed(range(len(walk.actions))):
            if walk.actions[at] in self._splits:
                yield self._retiled(walk, at)

    def _continued(self, walk: Walk, row: int) -> Iterator[Walk]:
        """With one more action on a loop."""
        far = row - walk.states[-1].cursor
        there = self._played(walk, [self._down if far > 0 else self._up] * abs(far))
        if there is None or self.process.final(there.states[-1]):
            return
        state = there.states[-1]
        steps = self.process.later(state)
        for action in self._others:
            # Alone: a mask would ask for what every split comes to.
            move = self.process.move(state, action)
            if move.refusal is None:
                after = type(state)(move.program, move.cursor, steps)
                yield Walk((*there.states, after), (*there.actions, action))

    def _retiled(self, walk: Walk, at: int) -> Iterator[Walk]:
        """With another split at a step, the later ones as they were, where they are all legal."""
        before = Walk(walk.states[: at + 1], walk.actions[:at])
        for action in self._splits:
            if action != walk.actions[at]:
                changed = self._played(before, (action, *walk.actions[at + 1 :]))
                if changed is not None:
                    yield changed

    def _played(self, walk: Walk, actions: Sequence[int]) -> Walk | None:
        """The walk with more actions; None where one is not legal."""
        states, process = list(walk.states), self.process
        state = states[-1]
        for action in actions:
            if process.final(state):
                return None
            program, cursor = state.program, state.cursor
            if action == self._up:
                cursor -= 1
                if cursor < 0:
                    return None
            elif action == self._down:
                cursor += 1
                if cursor >= process.visible(program):
                    return None
            else:
                move = process.move(state, action)
                if move.refusal is not None or move.program is None:
                    return None
                program, cursor = move.program, move.cursor
            state = type(state)(program, cursor, process.later(state))
            states.append(state)
        return Walk(tuple(states), (*walk.actions, *actions))
