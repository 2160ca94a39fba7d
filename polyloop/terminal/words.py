"""What a schedule does, in words: read off its tree, so that the report says what runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.measure.result import Candidate
from polyloop.schedules.tree import Band, Leaf, Member, Node, ScheduleTree, Sequence
from polyloop.scop.model import Array, Scop

_IN_REGISTERS = (LoopKind.UNROLLED, LoopKind.VECTOR)


@dataclass(frozen=True)
class _Loop:
    """One loop around a statement: floor(row / divisor); `size`: how many of its iterations a tile has, if tiled."""

    row: Affine
    divisor: int
    kind: LoopKind
    size: int | None

    @property
    def is_tile(self) -> bool:
        return self.divisor > 1


def words(original: Scop, candidate: Candidate) -> dict[str, str]:
    """Topic -> what was done: order, tiles, register tile, vector loop, parallel loop, multiply-adds, expanded arrays.

    Topics with nothing to say are left out.
    """
    if candidate.tree is None:
        return {}
    loops = dict(_loops(candidate.tree))
    topics: dict[str, Callable[[tuple[_Loop, ...]], str]] = {
        "order": _order,
        "tiles": _tiles,
        "register tile": _register_tile,
        "vector loop": lambda around: _of_kind(around, LoopKind.VECTOR),
        "parallel loop": lambda around: _of_kind(around, LoopKind.PARALLEL),
    }
    told = {topic: _by_statement(loops, describe) for topic, describe in topics.items()}
    told["multiply-adds"] = _roundings(candidate)
    told["expanded arrays"] = ", ".join(_expanded(original, candidate.scop))
    return {topic: text for topic, text in told.items() if text}


def _by_statement(loops: Mapping[str, tuple[_Loop, ...]], describe: Callable[[tuple[_Loop, ...]], str]) -> str:
    """Statements of which the same is to be said are named together; all of them are not named at all."""
    groups: dict[str, list[str]] = {}
    for statement, around in loops.items():
        groups.setdefault(describe(around), []).append(statement)
    said = [(text, names) for text, names in groups.items() if text]
    if len(said) == 1 and len(said[0][1]) == len(loops):
        return said[0][0]
    return "; ".join(f"{', '.join(names)}: {text}" for text, names in said)


def _loops(tree: ScheduleTree) -> Iterator[tuple[str, tuple[_Loop, ...]]]:
    """(statement, the loops around it, outermost first); a constant row is no loop."""
    for statement in tree.statements:
        members = [m for m in _members(tree.root, statement) if not m.row(statement).is_constant]
        yield statement, tuple(_loop(members, k, statement) for k in range(len(members)))


def _members(node: Node, statement: str) -> Iterator[Member]:
    match node:
        case Band(members, _, child):
            yield from members
            yield from _members(child, statement)
        case Sequence(branches):
            yield from _members(next(b.node for b in branches if statement in b.statements), statement)
        case Leaf():
            return


def _loop(members: list[Member], position: int, statement: str) -> _Loop:
    member = members[position]
    row = member.row(statement)
    above = [m.divisor for m in members[:position] if m.row(statement) == row and m.divisor > member.divisor]
    return _Loop(row, member.divisor, member.kind, above[-1] // member.divisor if above else None)


def _order(around: tuple[_Loop, ...]) -> str:
    """Point loops by their rows, tile loops with "tile" before them."""
    return ", ".join(f"tile {loop.row}" if loop.is_tile else str(loop.row) for loop in around)


def _tiles(around: tuple[_Loop, ...]) -> str:
    """Sizes of the tiles that are no register tiles, from the largest level to the smallest."""
    sizes: dict[str, list[int]] = {}
    registers = {(loop.row, loop.size) for loop in _in_registers(around)}
    for loop in around:
        if loop.is_tile and (loop.row, loop.divisor) not in registers:
            sizes.setdefault(str(loop.row), []).append(loop.divisor)
    return ", ".join(f"{row} by {' and '.join(map(str, divisors))}" for row, divisors in sizes.items())


def _register_tile(around: tuple[_Loop, ...]) -> str:
    if not (tile := _in_registers(around)):
        return ""
    return f"{' x '.join(str(loop.size) for loop in tile)} ({', '.join(str(loop.row) for loop in tile)})"


def _in_registers(around: tuple[_Loop, ...]) -> tuple[_Loop, ...]:
    """The loops of a register tile. Without an unrolled one there is none: a vector loop alone runs over any tile."""
    tile = tuple(loop for loop in around if loop.kind in _IN_REGISTERS and loop.size is not None)
    return tile if any(loop.kind is LoopKind.UNROLLED for loop in tile) else ()


def _of_kind(around: tuple[_Loop, ...], kind: LoopKind) -> str:
    found = [loop for loop in around if loop.kind is kind]
    return ", ".join(f"tile {loop.row}" if loop.is_tile else str(loop.row) for loop in found)


def _roundings(candidate: Candidate) -> str:
    apart = [s.name for s in candidate.scop.statements if s.name in candidate.apart]
    return f"rounded twice in {', '.join(apart)}" if apart else ""


def _expanded(original: Scop, scop: Scop) -> Iterator[str]:
    """Arrays of the scop that the original does not have in this shape."""
    before = {array.name: array for array in original.arrays}
    for array in scop.arrays:
        old = before.get(array.name)
        if old is None:
            yield f"{_shape(array)} (new)"
        elif old.shape != array.shape:
            yield f"{_shape(old)} as {_shape(array)}"


def _shape(array: Array) -> str:
    return array.name + "".join(f"[{'' if extent is None else extent}]" for extent in array.shape)
