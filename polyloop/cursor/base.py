"""The cursor as a decision process, whatever its programs are: rectangular nests, or schedule trees of any Scop.

A state is a program, the row that the cursor stands on, and how many steps were taken. An episode ends after a fixed
number of steps, or never, or by the action stop where there is one. Every state is a whole program, so that each has a
value.

`CursorProcess` has what both representations share, and names what each says of its own programs: environments,
policies and searches ask it, and need not know which one they walk.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.machine.target import Target
from polyloop.cursor.actions import FLAGS, STOP, Actions
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.features import Matrix
from polyloop.cursor.nest import Nest
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.mdp import IllegalActionError
from polyloop.schedules.tree import ScheduleTree
from polyloop.transforms.base import Transform

Problem: TypeAlias = Contraction | TreeProblem
Program: TypeAlias = Nest | ScheduleTree

P = TypeVar("P", bound=Nest | ScheduleTree)
"""The programs of a process: nests, or schedule trees."""


class CursorState(NamedTuple, Generic[P]):
    """Where an episode stands.

    Attributes:
        program: what of the state is code: states with equal programs have equal values.
        cursor: the row that it stands on, counted over all loops in preorder.
        steps: taken so far; 0 for good in a process without an end.
        stopped: the action stop has ended the episode.
    """

    program: P
    cursor: int = 0
    steps: int = 0
    stopped: bool = False

    def __str__(self) -> str:
        """The loops, the cursor's marked by ">"."""
        return "\n".join(("> " if k == self.cursor else "  ") + line for k, line in enumerate(self.text.splitlines()))

    @property
    def text(self) -> str:
        """The loops, without the cursor."""
        return _text(self.program)


@lru_cache(maxsize=1 << 12)
def _text(program: Nest) -> str:
    """Environments say it in every step, most of which only move the cursor or come back."""
    return str(program)


S = TypeVar("S", bound=CursorState[Any])


class Move(NamedTuple, Generic[P]):
    """What an action comes to: the next program and cursor, or why it is refused.

    Attributes:
        program: None where it is refused.
        trace: the transforms, one after the other, that make the program, where it is a tree.
    """

    program: P | None = None
    cursor: int = 0
    refusal: str | None = None
    trace: tuple[Transform, ...] = ()


@lru_cache(maxsize=1 << 12)
def refused(words: str) -> Move[Any]:
    """A refusal: the same few are met in every state."""
    return Move(refusal=words)


LEGAL = Move[Any]()
"""A legal move that was left unmade."""


class Later(Generic[P]):
    """A legal `Move` that is made when somebody asks what it comes to: masks ask only whether an action is legal.

    A single object, since a walk leaves a dozen behind in every state, and the garbage collector goes through all that
    is left behind again and again.
    """

    __slots__ = ("_cursor", "_made", "_name", "_process", "_program")
    refusal = None

    def __init__(self, process: CursorProcess[P], program: P, cursor: int, name: str) -> None:
        self._process, self._program, self._cursor, self._name = process, program, cursor, name
        self._made: Move[P] | None = None

    @property
    def made(self) -> Move[P]:
        if self._made is None:
            self._made = self._process._move(self._program, self._cursor, self._name)
        return self._made

    @property
    def program(self) -> P | None:
        return self.made.program

    @property
    def cursor(self) -> int:
        return self.made.cursor

    @property
    def trace(self) -> tuple[Transform, ...]:
        return self.made.trace


AnyMove: TypeAlias = "Move[P] | Later[P]"


NOTHING_OUTSIDE = refused("no loop stands directly outside")
NOTHING_INSIDE = refused("no loop stands directly inside")


_NOTHING = refused("there is no loop")
_FIRST, _LAST = refused("the cursor is on the first loop"), refused("the cursor is on the last loop")


@dataclass(eq=False)
class CursorProcess(ABC, Generic[P]):
    """A cursor on the loops of a program.

    Attributes:
        kinds: which actions there are.
        length: steps of an episode; None for one that never ends.
        start: where episodes begin; None for the original loops with the cursor on the first.
    """

    problem: Problem
    kinds: Actions = field(default_factory=Actions)
    length: int | None = None
    start: CursorState[P] | None = None
    _moves: dict[tuple[P, int], tuple[AnyMove[P], ...]] = field(default_factory=dict, repr=False)
    _last: tuple[P, int, tuple[AnyMove[P], ...]] | None = field(default=None, repr=False)
    _mask: tuple[tuple[AnyMove[P], ...], NDArray[np.bool_]] | None = field(default=None, repr=False)

    flags: ClassVar[tuple[str, ...]] = FLAGS
    """Further actions that there may be."""
    remembered: ClassVar[int]
    """Places whose moves are kept."""

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        """What was worked out stays behind."""
        return type(self), (self.problem, self.kinds, self.length, self.start)

    # --- The process --------------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Of the actions, by id."""
        return self.kinds.names

    def move(self, state: CursorState[P], action: int) -> Move[P]:
        """What one action that changes loops would do, where the others are not asked for; it is not remembered, unless
        all of them are already."""
        known = self._moves.get((state.program, state.cursor))
        if known is None:
            return self._move(state.program, state.cursor, self.names[action])
        move = known[action]
        return move.made if isinstance(move, Later) else move

    def initial(self) -> CursorState[P]:
        return self.start or self.original()

    @abstractmethod
    def original(self) -> CursorState[P]:
        """The original loops, with the cursor on the first."""

    def final(self, state: CursorState[P]) -> bool:
        return state.stopped or (self.length is not None and state.steps >= self.length)

    def actions(self, state: CursorState[P]) -> tuple[bool, ...]:
        if self.final(state):
            return (False,) * len(self.names)
        return tuple(move.refusal is None for move in self.moves(state))

    def obstacle(self, state: CursorState[P], action: int) -> str | None:
        """Why an action is not legal, None if it is."""
        if self.final(state):
            return "the episode has ended"
        if not 0 <= action < len(self.names):
            return f"there is no action {action}; there are {len(self.names)}"
        return self.moves(state)[action].refusal

    def step(self, state: S, action: int) -> S:
        obstacle = self.obstacle(state, action)
        if obstacle is not None:
            raise IllegalActionError(obstacle)
        move = self.moves(state)[action]
        assert move.program is not None
        return type(state)(move.program, move.cursor, self.later(state), self.names[action] == STOP)

    def skipped(self, state: S) -> S:
        """The state after a step that changed nothing, as a refused action does."""
        return state._replace(steps=self.later(state))

    def moves(self, state: CursorState[P]) -> tuple[AnyMove[P], ...]:
        """What every action would do; remembered, since masks and steps both ask."""
        last = self._last
        if last is not None and last[0] is state.program and last[1] == state.cursor:
            return last[2]  # a step asks some times in a row, and a program's hash takes longer than all else
        key = state.program, state.cursor
        moves = self._moves.get(key)
        if moves is None:
            if len(self._moves) >= self.remembered:
                self._moves.clear()
            moves = self._moves[key] = self._all_moves(*key)
        self._last = *key, moves
        return moves

    def possible(self, state: CursorState[P]) -> NDArray[np.bool_]:
        """Which actions are not refused, whatever the number of steps; shape (actions,), not to be changed."""
        moves = self.moves(state)
        if self._mask is None or self._mask[0] is not moves:
            self._mask = moves, np.array([move.refusal is None for move in moves], np.bool_)
        return self._mask[1]

    def _all_moves(self, program: P, cursor: int) -> tuple[AnyMove[P], ...]:
        visible = self.visible(program)
        if not visible:
            return tuple(Move(program, cursor) if name == STOP else _NOTHING for name in self.names)
        up = Move(program, cursor - 1) if cursor else _FIRST
        down = Move(program, cursor + 1) if cursor + 1 < visible else _LAST
        moves: list[AnyMove[P]] = [up, down]
        for name in self.names[2:]:
            move = Move(program, cursor) if name == STOP else self._move(program, cursor, name, whole=False)
            moves.append(Later(self, program, cursor, name) if move is LEGAL else move)
        return tuple(moves)

    def later(self, state: CursorState[P]) -> int:
        """Steps taken behind one more."""
        return state.steps + 1 if self.length is not None else state.steps

    @abstractmethod
    def _move(self, program: P, cursor: int, name: str, whole: bool = True) -> Move[P]:
        """What an action would do that changes loops.

        Args:
            whole: False where `LEGAL` is enough of an answer.
        """

    # --- What a representation says of its programs -------------------------------------------------------------------

    @abstractmethod
    def default(self, target: Target, threads: int = 1) -> CursorState[P] | None:
        """The default schedule for a machine; None where there is none that the cursor can stand on."""

    @abstractmethod
    def visible(self, program: P) -> int:
        """How many rows the cursor can stand on."""

    @abstractmethod
    def loop_name(self, program: P, row: int) -> str:
        """What people call a loop."""

    @abstractmethod
    def tree(self, program: P) -> ScheduleTree:
        """The program as a schedule of the Scop's statements, in the form that is proven and lowered."""

    @abstractmethod
    def features(self, state: CursorState[P], rows: int, logarithmic: bool = False) -> Matrix:
        """A row of `polyloop.cursor.features` for each loop that is seen, filled up with zeros; shape (rows, 20)."""

    @abstractmethod
    def loop_rows(self, state: CursorState[P], rows: int) -> Matrix:
        """`polyloop.cursor.loop_rows` of each loop that is seen, zeros behind them; shape (rows, len(ROW))."""

    @abstractmethod
    def graph(self, state: CursorState[P]) -> ProgramGraph:
        """The state as a graph of loops, data and computations, see `polyloop.graphs`."""


AnyCursor: TypeAlias = CursorProcess[Any]
"""A process of either kind, where programs only pass through; so `AnyState` is a state of it."""
AnyState: TypeAlias = CursorState[Any]
