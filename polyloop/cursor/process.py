"""The cursor on a rectangular nest: a decision process of plain integers, some microseconds a step.

References:
    Grubisic et al., "LoopTune", arXiv 2309.01825. `Actions(compat="looptune")` does as the published code: a loop may
    be split by its own size; exchanging loops of one variable moves the cursor and nothing else; an action is
    refused that makes more than 10 loops (write-back loops that are not seen count) or an innermost compute loop whose
    size is neither 1 nor a multiple of 8; and loops outside the first root of the tree are not seen, so
    the cursor cannot go there (the published code does not say what it would do there).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeAlias

from polyloop.backend.machine.target import Target
from polyloop.cursor.actions import NEST_FLAGS, REGISTER_TILE, CursorArgumentError
from polyloop.cursor.base import LEGAL, NOTHING_INSIDE, NOTHING_OUTSIDE, CursorProcess, CursorState, Move, refused
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.features import Matrix, nest_features
from polyloop.cursor.graphs import NestStateGraphs
from polyloop.cursor.layouts import default_nest
from polyloop.cursor.loop_rows import filled, nest_rows
from polyloop.cursor.lowering import to_tree
from polyloop.cursor.nest import (
    PARALLEL,
    SEQUENTIAL,
    UNROLLED,
    VECTOR,
    Loops,
    Nest,
    Place,
    inner_elements,
    loops_at,
    merged,
    place_of,
    row_of,
    split,
    swapped,
    with_kind,
)
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.schedules.tree import ScheduleTree

NestMove: TypeAlias = Move[Nest]


NestState: TypeAlias = CursorState[Nest]
"""The cursor counts in `Nest.rows`."""


@dataclass(eq=False)
class NestCursor(CursorProcess[Nest]):
    """The cursor on the nest of a contraction."""

    problem: Contraction

    flags: ClassVar[tuple[str, ...]] = NEST_FLAGS
    remembered: ClassVar[int] = 1 << 16

    def __post_init__(self) -> None:
        unknown = [flag for flag in self.kinds.flags if flag not in self.flags]
        if unknown:
            raise CursorArgumentError(f"rectangular nests have no action {unknown[0]!r}; schedule trees do")

    def original(self) -> NestState:
        return CursorState(self.problem.start)

    def default(self, target: Target, threads: int = 1) -> NestState | None:
        nest = default_nest(self.problem, target)
        return None if nest is None else CursorState(nest)

    def visible(self, program: Nest) -> int:
        hidden = self.kinds.is_looptune and program.shared == 0
        return len(program.compute) if hidden else program.height

    def loop_name(self, program: Nest, row: int) -> str:
        return program.rows[row].variable

    def tree(self, program: Nest) -> ScheduleTree:
        return to_tree(self.problem, program)

    def features(self, state: CursorState[Nest], rows: int, logarithmic: bool = False) -> Matrix:
        nest = state.program
        return nest_features(
            self.problem, nest, state.cursor, self.visible(nest), rows, logarithmic, looptune=self.kinds.is_looptune
        )

    def loop_rows(self, state: CursorState[Nest], rows: int) -> Matrix:
        return filled(nest_rows(self.problem, state.program, self.visible(state.program)), state.cursor, rows)

    def graph(self, state: CursorState[Nest]) -> ProgramGraph:
        return self._graphs.graph(state.program, state.cursor, self.visible(state.program))

    @cached_property
    def _graphs(self) -> NestStateGraphs:
        return NestStateGraphs(self.problem)

    # --- actions ------------------------------------------------------------------------------------------------------

    def _move(self, program: Nest, cursor: int, name: str, whole: bool = True) -> NestMove:
        nest, place = program, place_of(program, cursor)
        # Nothing shared, and one loop more in either nest, is the most that an exchange, a split or a merge can make.
        most = len(nest.compute) + len(nest.store) + 2
        whole = whole or self.kinds.is_looptune or most > self.kinds.rows
        match name:
            case "swap_up":
                outer = Place(place.store, place.position - 1)
                return self._swap(nest, outer, "outside", whole) if place.position else NOTHING_OUTSIDE
            case "swap_down":
                last = place.position + 1 == len(loops_at(nest, place))
                return NOTHING_INSIDE if last else self._swap(nest, place, "inside", whole)
            case "merge":
                return self._merge(nest, place, whole)
            case "vectorize" | "unroll" | "parallelize" | "register_tile":
                return self._kind(nest, place, name)
            case _:
                return self._split(nest, place, self.kinds.factors[name], whole)

    def _swap(self, nest: Nest, outer: Place, side: str, whole: bool) -> NestMove:
        """`side`: where the loop stands that the cursor's own is exchanged with."""
        loops, at = loops_at(nest, outer), outer.position
        inner = Place(outer.store, at + 1)
        goal = outer if side == "outside" else inner
        if loops[at].variable == loops[at + 1].variable:
            if self.kinds.is_looptune:
                return Move(nest, row_of(nest, goal))
            return refused(f"the loop {side} is one of {loops[at].variable}, too")
        if not whole:
            return LEGAL
        changed = swapped(nest, outer)
        return self._checked(nest, changed, row_of(changed, goal))

    def _split(self, nest: Nest, place: Place, factor: int, whole: bool) -> NestMove:
        size = loops_at(nest, place)[place.position].size
        if size < factor or (size == factor and not self.kinds.is_looptune):
            least = "at least" if self.kinds.is_looptune else "more than"
            return refused(f"{size} iterations cannot be split by {factor}: it takes {least} {factor}")
        if _inside_of_blocks(nest, place) and size % factor:
            return refused(f"{size} iterations inside of a block cannot be split by {factor}: some are left")
        if not whole:
            return LEGAL
        changed = split(nest, place, factor)
        return self._checked(nest, changed, row_of(changed, place))

    def _merge(self, nest: Nest, place: Place, whole: bool) -> NestMove:
        loops, at = loops_at(nest, place), place.position
        if at + 1 >= len(loops) or loops[at + 1].variable != loops[at].variable:
            return refused(f"no loop of {loops[at].variable} stands directly inside to merge with")
        if not whole:
            return LEGAL
        changed = merged(nest, place)
        return self._checked(nest, changed, row_of(changed, place))

    def _kind(self, nest: Nest, place: Place, name: str) -> NestMove:
        loops, at = loops_at(nest, place), place.position
        loop, kind = loops[at], _KIND_OF[name]
        if loop.kind != SEQUENTIAL:
            return refused(f"{loop} is of a kind already")
        at_once = self.problem.parallel if kind == PARALLEL else self.problem.vector
        if kind != UNROLLED and loop.variable not in at_once and (loop.size > 1 or loop.tail):
            return refused(f"{loop.variable} carries a dependence, so that it cannot run at once")
        if kind == VECTOR and inner_elements(loops[at:])[0] > 1:
            return refused(f"{loop} counts blocks; vectorize the loop over their points")
        if kind in (VECTOR, PARALLEL) and self._nested(nest, place, kind):
            return refused(f"there is a {name}d loop in the nest already")
        if name == "register_tile":
            return self._register_tile(nest, place)
        changed = with_kind(nest, place, kind)
        return Move(changed, row_of(changed, place))  # of one kind both nests may share the loop again

    @staticmethod
    def _nested(nest: Nest, place: Place, kind: int) -> bool:
        """Whether a loop around or inside is of the kind; a shared loop has both nests inside."""
        shared = place.position < nest.shared
        below: Loops = nest.compute + nest.store if shared else loops_at(nest, place)
        return any(loop.kind == kind for loop in below)

    def _register_tile(self, nest: Nest, place: Place) -> NestMove:
        """Some iterations of the loop, unrolled, as the innermost loop of its nest or the one outside a vector loop."""
        size = loops_at(nest, place)[place.position].size
        if size <= REGISTER_TILE or (_inside_of_blocks(nest, place) and size % REGISTER_TILE):
            return refused(f"a register tile takes more than {REGISTER_TILE} iterations, in blocks a multiple")
        changed = split(nest, place, REGISTER_TILE)
        at = Place(place.store, place.position + 1)
        changed = with_kind(changed, at, UNROLLED)
        loops = loops_at(changed, at)
        while at.position + 1 < len(loops) and loops[at.position + 1].kind not in (VECTOR, UNROLLED):
            if loops[at.position + 1].variable == loops[at.position].variable:
                return refused(f"a loop of {loops[at.position].variable} stands further inside")
            changed = swapped(changed, at)
            loops, at = loops_at(changed, at), Place(at.store, at.position + 1)
        return self._checked(nest, changed, row_of(changed, place))

    def _checked(self, nest: Nest, changed: Nest, moved: int) -> Move[Nest]:
        """The changed nest, if it stays within the limits."""
        rows = changed.height
        if rows > self.kinds.rows and rows > nest.height:
            return refused(f"the nest would have {rows} loops; {self.kinds.rows} are allowed")
        if self.kinds.is_looptune:
            innermost = changed.compute[-1]
            if innermost.size != 1 and innermost.size % 8:
                return refused(f"{innermost} would be innermost: its size is neither 1 nor a multiple of 8")
            if moved >= self.visible(changed):
                return refused("the cursor would leave the first root of the tree")
        return Move(changed, moved)


_KIND_OF = {"vectorize": VECTOR, "unroll": UNROLLED, "parallelize": PARALLEL, "register_tile": UNROLLED}


def _inside_of_blocks(nest: Nest, place: Place) -> bool:
    """Whether the loop runs inside of a block of its variable: only the outermost one may leave a tail."""
    loops = loops_at(nest, place)
    return any(loop.variable == loops[place.position].variable for loop in loops[: place.position])
