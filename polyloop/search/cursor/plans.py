"""Good nests by the model, written down at once, and the shortest way of the cursor to each: what a teacher shows.

A layout has a register tile of rows and columns inside of everything else, and perhaps blocks of the longest
reduction; the order of its other loops is improved by exchanging neighbours. A way to it is found by A* on symbols:
which loop is split and in which order the pieces stand, so that one way serves all sizes.

References:
    Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost paths", 1968, for A*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from polyloop.backend.default.tiles import tiles
from polyloop.cursor.actions import SPLITS
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.layouts import Layout, layout_of, nest_of
from polyloop.cursor.model import NestModel, reference_model
from polyloop.cursor.nest import Nest
from polyloop.cursor.process import NestCursor

Piece: TypeAlias = tuple[str, int]
"""A variable, and 2 for its only loop, 1 for its loop over blocks, 0 for the loop inside a block."""

IMPROVED = 6
"""Layouts whose order is improved."""

_VISITED = 20_000


def layouts(
    problem: Contraction, splits: Sequence[int] = SPLITS["native"], model: NestModel | None = None
) -> list[tuple[float, Layout]]:
    """Layouts with the model's seconds, the fastest first; none where the result has no contiguous dimension.

    Args:
        splits: what loops can be split by.
        model: of which machine; that of rewards by default.
    """
    judge = model or reference_model()

    def expected(layout: Layout) -> float:
        return judge.seconds(problem, nest_of(problem, layout))

    known = {layout: expected(layout) for layout in _tiled(problem, splits, judge)}
    for layout in sorted(known, key=lambda each: known[each])[:IMPROVED]:
        best = layout
        while better := [n for n in _neighbours(best) if known.setdefault(n, expected(n)) < known[best]]:
            best = min(better, key=lambda each: known[each])
    return sorted(((seconds, layout) for layout, seconds in known.items()), key=lambda each: (each[0], str(each[1])))


def way(process: NestCursor, layout: Layout, length: int) -> tuple[int, ...] | None:
    """The shortest actions that lead from the original loops to a layout; None if there are none so short."""
    start = tuple((name, 2) for name, _ in process.problem.extents)
    words = _plan(start, 0, _pieces(layout), length)
    return None if words is None else _named(process, words, layout)


def way_from(process: NestCursor, nest: Nest, cursor: int, layout: Layout, length: int) -> tuple[int, ...] | None:
    """The shortest actions that lead from a nest to a layout that it `leads_to`; None if there are none so short."""
    words = _plan(_pieces(as_layout(nest) or ()), cursor, _pieces(layout), length)
    return None if words is None else _named(process, words, layout)


def leads_to(nest: Nest, layout: Layout) -> bool:
    """Whether the loops of a nest need no merging to become a layout's: what is split has its tiles."""
    sizes = [(loop.variable, loop.size) for loop in nest.compute]
    points = {name: size for name, size in layout if size is not None}
    first = {name for name, _ in layout}
    split = {name for name in first if sum(name == other for other, _ in layout) > 1}
    for name in first:
        own = [size for other, size in sizes if other == name]
        if len(own) > 2 or (len(own) == 2 and (name not in split or points[name] != own[1])):
            return False
    return True


def as_layout(nest: Nest) -> Layout | None:
    """The layout that a nest is; None with more than two loops of a variable."""
    met: list[str] = []
    result: list[tuple[str, int | None]] = []
    for loop in nest.compute:
        result.append((loop.variable, loop.size if loop.variable in met else None))
        met.append(loop.variable)
    return None if any(met.count(name) > 2 for name in met) else tuple(result)


def _pieces(layout: Layout) -> tuple[Piece, ...]:
    split = {name for name, _ in layout if sum(name == other for other, _ in layout) > 1}
    return tuple((name, 2 if name not in split else 1 if size is None else 0) for name, size in layout)


def _named(process: NestCursor, words: Sequence[str], layout: Layout) -> tuple[int, ...] | None:
    tiles = {name: size for name, size in layout if size is not None}
    names = [f"split_{tiles[word[6:]]}" if word.startswith("split ") else word for word in words]
    return tuple(process.names.index(name) for name in names) if set(names) <= set(process.names) else None


def _tiled(problem: Contraction, splits: Sequence[int], model: NestModel) -> Iterator[Layout]:
    """Tiles by rows, of sizes that the splits make, or that loops have."""
    for tile in tiles(problem.task, model.target):
        if tile.row is None or not problem.result.contiguous(tile.column):
            continue
        sides = ((tile.row, tile.rows), (tile.column, tile.width))
        if all(size in splits or size >= problem.sizes[name] for name, size in sides):
            for choice in tile.without_copies():
                layout = layout_of(problem, choice)
                if layout is not None and all(size in splits for _, size in choice.blocks):
                    yield layout


def _neighbours(layout: Layout) -> Iterator[Layout]:
    """The layout with two neighbours exchanged; the register tile stays where it is."""
    for k in range(len(layout) - 3):
        if layout[k][0] != layout[k + 1][0]:
            yield (*layout[:k], layout[k + 1], layout[k], *layout[k + 2 :])


@lru_cache(maxsize=1 << 17)
def _plan(start: tuple[Piece, ...], at: int, goal: tuple[Piece, ...], length: int) -> tuple[str, ...] | None:
    """Words: up, down, swap_up, swap_down, and "split v"."""
    ends = _Ends.of(start, goal)
    order = count()
    work = ends.work(start)
    queue: list[tuple[int, int, tuple[Piece, ...], int, tuple[str, ...], int]] = []
    heappush(queue, (work, next(order), start, at, (), work))
    seen: dict[tuple[tuple[Piece, ...], int], int] = {}
    while queue and len(seen) < _VISITED:
        _, _, loops, cursor, words, work = heappop(queue)
        if loops == goal:
            return words
        if seen.get((loops, cursor), length + 1) <= len(words):
            continue
        seen[loops, cursor] = len(words)
        for word, changed, moved, left in ends.steps(loops, cursor, work):
            bound = len(words) + 1 + left
            if bound <= length and seen.get((changed, moved), length + 1) > len(words) + 1:
                heappush(queue, (bound, next(order), changed, moved, (*words, word), left))
    return None


@dataclass(frozen=True)
class _Ends:
    """Where the pieces of loops have to get to.

    Attributes:
        last, first: the innermost and the outermost place of what a piece becomes.
        split: variables whose loop is split.
    """

    last: Mapping[Piece, int]
    first: Mapping[Piece, int]
    split: frozenset[str]

    @classmethod
    def of(cls, start: Sequence[Piece], goal: Sequence[Piece]) -> _Ends:
        places = {piece: k for k, piece in enumerate(goal)}
        for name in {name for name, _ in start}:
            places.setdefault((name, 2), -1)
        own = {piece: [place for p, place in places.items() if p[0] == piece[0] and place >= 0] for piece in places}
        ends = {piece: own[piece] if piece[1] == 2 else [place] for piece, place in places.items()}
        split = frozenset(name for name, kind in goal if kind == 0)
        return cls({p: max(e) for p, e in ends.items()}, {p: min(e) for p, e in ends.items()}, split)

    def work(self, loops: Sequence[Piece]) -> int:
        """No way is shorter: every split is a step, and so is every exchange of two that stand the wrong way round."""
        pairs = ((a, b) for k, a in enumerate(loops) for b in loops[k + 1 :])
        splits = sum(kind == 2 and name in self.split for name, kind in loops)
        return splits + sum(self.inverted(a, b) for a, b in pairs)

    def inverted(self, outer: Piece, inner: Piece) -> bool:
        """Whether some piece of the inner loop has to come before one of the outer."""
        return outer[0] != inner[0] and self.last[outer] > self.first[inner]

    def steps(
        self, loops: tuple[Piece, ...], cursor: int, work: int
    ) -> Iterator[tuple[str, tuple[Piece, ...], int, int]]:
        """What can be done, without exchanges that put the goal further away, and the work that is left then."""
        variable, kind = loops[cursor]
        if kind == 2 and variable in self.split:
            changed = (*loops[:cursor], (variable, 1), (variable, 0), *loops[cursor + 1 :])
            yield f"split {variable}", changed, cursor, self.work(changed)
        for word, other in (("down", cursor + 1), ("up", cursor - 1)):
            if 0 <= other < len(loops):
                yield word, loops, other, work
                first, second = min(cursor, other), max(cursor, other)
                if self.inverted(loops[first], loops[second]):
                    changed = (*loops[:first], loops[second], loops[first], *loops[second + 1 :])
                    # Neighbours change sides with nobody else; a loop that is still to be split has two places.
                    yield f"swap_{word}", changed, other, work - (not self.inverted(loops[second], loops[first]))
