"""The cursor on a rectangular nest: a decision process of plain integers, some microseconds a step.

A state is a nest, the row that the cursor stands on, and how many steps were taken. There is no action that ends an
episode: it ends after a fixed number of steps, or never. Every state is a whole program, so that each has a value.

References:
    Grubisic et al., "LoopTune", arXiv 2309.01825. `Actions(compat="looptune")` does as the published code: a loop may
    be split by its own size; exchanging loops of one variable moves the cursor and nothing else; an action is
    refused that makes more than 10 loops (write-back loops that are not seen count) or an innermost compute loop whose
    size is neither 1 nor a multiple of 8; and loops outside the first root of the tree are not seen, so
    the cursor cannot go there (the published code does not say what it would do there).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from polyloop.cursor.actions import NEST_FLAGS, REGISTER_TILE, Actions, CursorArgumentError
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import (
    PARALLEL,
    SEQUENTIAL,
    UNROLLED,
    VECTOR,
    Loops,
    Nest,
    Place,
    child,
    inner_elements,
    loops_at,
    merged,
    parent,
    place_of,
    row_of,
    split,
    swapped,
    with_kind,
)
from polyloop.mdp import IllegalActionError

_REMEMBERED = 1 << 16


class NestState(NamedTuple):
    """Where an episode stands.

    Attributes:
        cursor: row of `Nest.rows`.
        steps: taken so far; 0 for good in a process without an end.
    """

    nest: Nest
    cursor: int = 0
    steps: int = 0

    def __str__(self) -> str:
        """The nest with the cursor's loop marked by ">"."""
        lines = str(self.nest).splitlines()
        return "\n".join(("> " if k == self.cursor else "  ") + line for k, line in enumerate(lines))

    @property
    def text(self) -> str:
        """The nest, without the cursor."""
        return str(self.nest)

    @property
    def program(self) -> Nest:
        """What of the state is code: states with equal programs have equal values."""
        return self.nest


class Move(NamedTuple):
    """What an action comes to: the next nest and cursor, or why it is refused."""

    nest: Nest
    cursor: int
    refusal: str | None = None


@dataclass(eq=False)
class NestCursor:
    """The cursor on the nest of a contraction.

    Attributes:
        kinds: which actions there are.
        length: steps of an episode; None for one that never ends.
    """

    problem: Contraction
    kinds: Actions = field(default_factory=Actions)
    length: int | None = None
    _moves: dict[tuple[Nest, int], tuple[Move, ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        unknown = [flag for flag in self.kinds.flags if flag not in NEST_FLAGS]
        if unknown:
            raise CursorArgumentError(f"rectangular nests have no action {unknown[0]!r}; schedule trees do")

    @property
    def names(self) -> tuple[str, ...]:
        """Of the actions, by id."""
        return self.kinds.names

    def initial(self) -> NestState:
        """The original loops, with the cursor on the outermost."""
        return NestState(self.problem.start)

    def final(self, state: NestState) -> bool:
        return self.length is not None and state.steps >= self.length

    def actions(self, state: NestState) -> tuple[bool, ...]:
        """See `polyloop.mdp.DecisionProcess`."""
        if self.final(state):
            return (False,) * len(self.names)
        return tuple(move.refusal is None for move in self.moves(state))

    def obstacle(self, state: NestState, action: int) -> str | None:
        """Why an action is not legal, None if it is."""
        if self.final(state):
            return "the episode has ended"
        if not 0 <= action < len(self.names):
            return f"there is no action {action}; there are {len(self.names)}"
        return self.moves(state)[action].refusal

    def step(self, state: NestState, action: int) -> NestState:
        """See `polyloop.mdp.DecisionProcess`."""
        obstacle = self.obstacle(state, action)
        if obstacle is not None:
            raise IllegalActionError(obstacle)
        move = self.moves(state)[action]
        return NestState(move.nest, move.cursor, self._later(state))

    def passed(self, state: NestState) -> NestState:
        """The state after a step that changed nothing, as a refused action does."""
        return state._replace(steps=self._later(state))

    def visible(self, nest: Nest) -> int:
        """How many rows the cursor can stand on."""
        hidden = self.kinds.is_looptune and nest.shared == 0
        return len(nest.compute) if hidden else len(nest.rows)

    def moves(self, state: NestState) -> tuple[Move, ...]:
        """What every action would do; remembered, since masks and steps both ask."""
        key = state.nest, state.cursor
        if key not in self._moves:
            if len(self._moves) >= _REMEMBERED:
                self._moves.clear()
            self._moves[key] = tuple(self._move(state.nest, state.cursor, name) for name in self.names)
        return self._moves[key]

    def _later(self, state: NestState) -> int:
        return state.steps + 1 if self.length is not None else state.steps

    # --- actions ------------------------------------------------------------------------------------------------------

    def _move(self, nest: Nest, cursor: int, name: str) -> Move:
        place = place_of(nest, cursor)
        match name:
            case "up":
                return Move(nest, cursor - 1, None if cursor else "the cursor is on the first loop")
            case "down":
                last = cursor + 1 >= self.visible(nest)
                return Move(nest, cursor + 1, "the cursor is on the last loop" if last else None)
            case "swap_up":
                outer = parent(nest, place)
                return self._swap(nest, cursor, outer, "outside") if outer else _refused(nest, cursor, "outside")
            case "swap_down":
                inside = child(nest, place)
                return self._swap(nest, cursor, place, "inside") if inside else _refused(nest, cursor, "inside")
            case "merge":
                return self._merge(nest, cursor, place)
            case "vectorize" | "unroll" | "parallelize" | "register_tile":
                return self._kind(nest, cursor, place, name)
            case _:
                return self._split(nest, cursor, place, self.kinds.factors[name])

    def _swap(self, nest: Nest, cursor: int, outer: Place, side: str) -> Move:
        """`side`: where the loop stands that the cursor's own is exchanged with."""
        loops, at = loops_at(nest, outer), outer.position
        inner = Place(outer.store, at + 1)
        goal = outer if side == "outside" else inner
        if loops[at].variable == loops[at + 1].variable:
            if self.kinds.is_looptune:
                return Move(nest, row_of(nest, goal))
            return Move(nest, cursor, f"the loop {side} is one of {loops[at].variable}, too")
        changed = swapped(nest, outer)
        return self._checked(nest, cursor, changed, row_of(changed, goal))

    def _split(self, nest: Nest, cursor: int, place: Place, factor: int) -> Move:
        size = loops_at(nest, place)[place.position].size
        if size < factor or (size == factor and not self.kinds.is_looptune):
            least = "at least" if self.kinds.is_looptune else "more than"
            return Move(nest, cursor, f"{size} iterations cannot be split by {factor}: it takes {least} {factor}")
        if _inside_of_blocks(nest, place) and size % factor:
            return Move(nest, cursor, f"{size} iterations inside of a block cannot be split by {factor}: some are left")
        changed = split(nest, place, factor)
        return self._checked(nest, cursor, changed, row_of(changed, place))

    def _merge(self, nest: Nest, cursor: int, place: Place) -> Move:
        loops, at = loops_at(nest, place), place.position
        if at + 1 >= len(loops) or loops[at + 1].variable != loops[at].variable:
            return Move(nest, cursor, f"no loop of {loops[at].variable} stands directly inside to merge with")
        changed = merged(nest, place)
        return self._checked(nest, cursor, changed, row_of(changed, place))

    def _kind(self, nest: Nest, cursor: int, place: Place, name: str) -> Move:
        loops, at = loops_at(nest, place), place.position
        loop, kind = loops[at], _KIND_OF[name]
        if loop.kind != SEQUENTIAL:
            return Move(nest, cursor, f"{loop} is of a kind already")
        at_once = self.problem.parallel if kind == PARALLEL else self.problem.vector
        if kind != UNROLLED and loop.variable not in at_once and (loop.size > 1 or loop.tail):
            return Move(nest, cursor, f"{loop.variable} carries a dependence, so that it cannot run at once")
        if kind == VECTOR and inner_elements(loops, at) > 1:
            return Move(nest, cursor, f"{loop} counts blocks; vectorize the loop over their points")
        if kind in (VECTOR, PARALLEL) and self._nested(nest, place, kind):
            return Move(nest, cursor, f"there is a {name}d loop in the nest already")
        if name == "register_tile":
            return self._register_tile(nest, cursor, place)
        return Move(with_kind(nest, place, kind), cursor)

    @staticmethod
    def _nested(nest: Nest, place: Place, kind: int) -> bool:
        """Whether a loop around or inside is of the kind; a shared loop has both nests inside."""
        shared = place.position < nest.shared
        below: Loops = nest.compute + nest.store if shared else loops_at(nest, place)
        return any(loop.kind == kind for loop in below)

    def _register_tile(self, nest: Nest, cursor: int, place: Place) -> Move:
        """Some iterations of the loop, unrolled, as the innermost loop of its nest or the one outside a vector loop."""
        size = loops_at(nest, place)[place.position].size
        if size <= REGISTER_TILE or (_inside_of_blocks(nest, place) and size % REGISTER_TILE):
            return Move(
                nest, cursor, f"a register tile takes more than {REGISTER_TILE} iterations, in blocks a multiple"
            )
        changed = split(nest, place, REGISTER_TILE)
        at = Place(place.store, place.position + 1)
        changed = with_kind(changed, at, UNROLLED)
        loops = loops_at(changed, at)
        while at.position + 1 < len(loops) and loops[at.position + 1].kind not in (VECTOR, UNROLLED):
            if loops[at.position + 1].variable == loops[at.position].variable:
                return Move(nest, cursor, f"a loop of {loops[at.position].variable} stands further inside")
            changed = swapped(changed, at)
            loops, at = loops_at(changed, at), Place(at.store, at.position + 1)
        return self._checked(nest, cursor, changed, row_of(changed, place))

    def _checked(self, nest: Nest, cursor: int, changed: Nest, moved: int) -> Move:
        """The changed nest, if it stays within the limits."""
        rows = len(changed.rows)
        if rows > self.kinds.rows and rows > len(nest.rows):
            return Move(nest, cursor, f"the nest would have {rows} loops; {self.kinds.rows} are allowed")
        if self.kinds.is_looptune:
            innermost = changed.compute[-1]
            if innermost.size != 1 and innermost.size % 8:
                return Move(nest, cursor, f"{innermost} would be innermost: its size is neither 1 nor a multiple of 8")
            if moved >= self.visible(changed):
                return Move(nest, cursor, "the cursor would leave the first root of the tree")
        return Move(changed, moved)


_KIND_OF = {"vectorize": VECTOR, "unroll": UNROLLED, "parallelize": PARALLEL, "register_tile": UNROLLED}


def _inside_of_blocks(nest: Nest, place: Place) -> bool:
    """Whether the loop runs inside of a block of its variable: only the outermost one may leave a tail."""
    loops = loops_at(nest, place)
    return any(loop.variable == loops[place.position].variable for loop in loops[: place.position])


def _refused(nest: Nest, cursor: int, side: str) -> Move:
    return Move(nest, cursor, f"no loop stands directly {side}")
