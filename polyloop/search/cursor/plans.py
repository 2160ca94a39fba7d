"""Good nests by the model, written down at once, and the shortest way of the cursor to each: what a teacher shows.

A layout has a register tile of rows and columns inside of everything else, and perhaps blocks of the longest
reduction; the order of its other loops is improved by exchanging neighbours. A way to it is found by A* on symbols:
which loop is split and in which order the pieces stand, so that one way serves all sizes.

References:
    Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost paths", 1968, for A*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from polyloop.backend.default.tiles import tiles
from polyloop.cursor.actions import SPLITS
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.layouts import Layout, layout_of, nest_of
from polyloop.cursor.model import NestModel, reference_model
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
    tiles = {name: size for name, size in layout if size is not None}
    split = {name for name, _ in layout if sum(name == other for other, _ in layout) > 1}
    goal = tuple((name, 2 if name not in split else 1 if size is None else 0) for name, size in layout)
    words = _plan(start, goal, length)
    if words is None:
        return None
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


@lru_cache(maxsize=1 << 14)
def _plan(start: tuple[Piece, ...], goal: tuple[Piece, ...], length: int) -> tuple[str, ...] | None:
    """Words: up, down, swap_up, swap_down, and "split v"."""
    places = {piece: k for k, piece in enumerate(goal)}
    pieces = {v: [places[p] for p in ((v, 2), (v, 1), (v, 0)) if p in places] for v, _ in start}
    order = count()
    queue: list[tuple[int, int, tuple[Piece, ...], int, tuple[str, ...]]] = []
    heappush(queue, (_least(start, places, pieces), next(order), start, 0, ()))
    seen: dict[tuple[tuple[Piece, ...], int], int] = {}
    while queue and len(seen) < _VISITED:
        _, _, loops, cursor, words = heappop(queue)
        if loops == goal:
            return words
        if seen.get((loops, cursor), length + 1) <= len(words):
            continue
        seen[loops, cursor] = len(words)
        for word, changed, moved in _steps(loops, cursor, places, pieces):
            bound = len(words) + 1 + _least(changed, places, pieces)
            if bound <= length and seen.get((changed, moved), length + 1) > len(words) + 1:
                heappush(queue, (bound, next(order), changed, moved, (*words, word)))
    return None


def _steps(
    loops: tuple[Piece, ...], cursor: int, places: dict[Piece, int], pieces: dict[str, list[int]]
) -> Iterator[tuple[str, tuple[Piece, ...], int]]:
    """What can be done, without exchanges that put the goal further away."""
    variable, kind = loops[cursor]
    if kind == 2 and len(pieces[variable]) > 1:
        yield f"split {variable}", (*loops[:cursor], (variable, 1), (variable, 0), *loops[cursor + 1 :]), cursor
    for word, other in (("down", cursor + 1), ("up", cursor - 1)):
        if 0 <= other < len(loops):
            yield word, loops, other
            first, second = min(cursor, other), max(cursor, other)
            if _inverted(loops[first], loops[second], places, pieces):
                changed = (*loops[:first], loops[second], loops[first], *loops[second + 1 :])
                yield f"swap_{word}", changed, other


def _least(loops: Sequence[Piece], places: dict[Piece, int], pieces: dict[str, list[int]]) -> int:
    """No way is shorter: every split is a step, and so is every exchange of two that stand the wrong way round."""
    splits = sum(kind == 2 and len(pieces[variable]) > 1 for variable, kind in loops)
    pairs = ((a, b) for k, a in enumerate(loops) for b in loops[k + 1 :])
    return splits + sum(_inverted(a, b, places, pieces) for a, b in pairs)


def _inverted(outer: Piece, inner: Piece, places: dict[Piece, int], pieces: dict[str, list[int]]) -> bool:
    """Whether some piece of the inner loop has to come before one of the outer."""
    if outer[0] == inner[0]:
        return False
    first = pieces[outer[0]] if outer[1] == 2 else [places[outer]]
    second = pieces[inner[0]] if inner[1] == 2 else [places[inner]]
    return max(first) > min(second)
