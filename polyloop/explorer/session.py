"""An explorer's session: the programs that were reached, the way back and forth between them, and what they are worth.

Programs form a tree: every change of the loops has the program before it as its parent, so that undoing and doing
something else loses nothing. Moves of the cursor are no changes; the trace of a program has them where they are needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from polyloop.cursor.base import AnyCursor, AnyState, Program
from polyloop.explorer.inspection import Inspection
from polyloop.measure.programs import gflops
from polyloop.measure.result import Measurement

Question: TypeAlias = Literal["measure", "inspect"]


@dataclass(eq=False)
class Step:
    """A program that was reached.

    Attributes:
        state: right after the change.
        action: the change; None for the original loops.
        cursor: the row that it was made on.
        latest: the child that was visited last, where redo leads.
    """

    state: AnyState
    action: int | None = None
    cursor: int = 0
    parent: Step | None = None
    children: list[Step] = field(default_factory=list)
    latest: Step | None = None

    @property
    def program(self) -> Program:
        program: Program = self.state.program
        return program

    def path(self) -> list[Step]:
        """From the original loops to this program."""
        steps: list[Step] = [self]
        while (parent := steps[-1].parent) is not None:
            steps.append(parent)
        return steps[::-1]


@dataclass(eq=False)
class Session:
    """One cursor on one problem.

    Attributes:
        process: without an end (`length=None`).
        state: where the cursor stands now, in the program of `step`.
        records: what was measured, by program; `inspections`: what was looked at, or why it could not be.
        best: the fastest program so far.
    """

    process: AnyCursor
    records: dict[Program, Measurement] = field(default_factory=dict)
    inspections: dict[Program, Inspection | str | None] = field(default_factory=dict)
    best: Step | None = None

    def __post_init__(self) -> None:
        self.state: AnyState = self.process.initial()
        self.start = self.step = Step(self.state)
        self._first: dict[Program, Step] = {self.start.program: self.start}

    # --- moving about -------------------------------------------------------------------------------------------------

    def act(self, action: int) -> str | None:
        """Take an action; None, or why it is not legal: nothing has changed then."""
        refusal = self.process.obstacle(self.state, action)
        if refusal is not None:
            return refusal
        after = self.process.step(self.state, action)
        if after.program != self.state.program:
            self.step = self._child(after, action)
            self.step.parent.latest = self.step  # type: ignore[union-attr]
        self.state = after
        return None

    def obstacles(self) -> tuple[str | None, ...]:
        """For every action, why it is not legal now, or None."""
        return tuple(self.process.obstacle(self.state, action) for action in range(len(self.process.names)))

    def undo(self) -> bool:
        """Back to before the last change, the cursor on the loop that it changed; False at the original loops."""
        if self.step.parent is None:
            return False
        cursor, self.step = self.step.cursor, self.step.parent
        self.state = self.step.state._replace(cursor=cursor)
        return True

    def redo(self) -> bool:
        """On to the change that was undone last; False where there is none."""
        if self.step.latest is None:
            return False
        self.step = self.step.latest
        self.state = self.step.state
        return True

    def go_to(self, step: Step) -> None:
        """Stand on a program of this session; undo leads from there along its own way."""
        for one in step.path():
            if one.parent is not None:
                one.parent.latest = one
        self.step, self.state = step, step.state

    def path(self) -> list[Step]:
        """From the original loops through the present program to where redo leads in the end."""
        steps = self.step.path()
        while steps[-1].latest is not None:
            steps.append(steps[-1].latest)
        return steps

    def trace(self) -> tuple[int, ...]:
        """Actions that lead from the start to the present program, the cursor where it is now."""
        return tuple(self._trace())

    def _trace(self) -> Iterator[int]:
        row = self.start.state.cursor
        for step in self.step.path()[1:]:
            assert step.action is not None
            yield from self._moves(row, step.cursor)
            yield step.action
            row = step.state.cursor
        yield from self._moves(row, self.state.cursor)

    def _moves(self, row: int, goal: int) -> Iterator[int]:
        name = "down" if goal > row else "up"
        yield from [self.process.names.index(name)] * abs(goal - row)

    def _child(self, after: AnyState, action: int) -> Step:
        for child in self.step.children:
            if (child.action, child.cursor) == (action, self.state.cursor):
                return child
        child = Step(after, action, self.state.cursor, self.step)
        self.step.children.append(child)
        self._first.setdefault(child.program, child)
        if self.best is not None and self._speed(child) > self._speed(self.best):
            self.best = child
        return child

    # --- figures ------------------------------------------------------------------------------------------------------

    def pending(self) -> tuple[Question, Program] | None:
        """What to find out next: the present program's speed, then the rest of it, then speeds along the path."""
        now = self.state.program
        if now not in self.records:
            return "measure", now
        if now not in self.inspections and self.records[now].error is None:
            return "inspect", now
        for step in reversed(self.path()):
            if step.program not in self.records:
                return "measure", step.program
        return None

    def measured(self, program: Program, record: Measurement) -> None:
        """Take down how fast a program is."""
        self.records[program] = record
        found = self._first.get(program)
        if (
            found is not None
            and record.error is None
            and (self.best is None or self._speed(found) > self._speed(self.best))
        ):
            self.best = found

    def inspected(self, program: Program, found: Inspection | str | None) -> None:
        """Take down what is in a program, or why nobody could look."""
        self.inspections[program] = found

    def gflops(self, program: Program) -> float | None:
        """10^9 operations a second; None for what was not measured, or could not be."""
        record = self.records.get(program)
        return None if record is None or record.error is not None else gflops(self.process.problem, record)

    def _speed(self, step: Step) -> float:
        return self.gflops(step.program) or 0.0
