"""Gathers of neighbouring elements: each lane loads them at once, and a transposition in registers sorts them out.

    a = x[k0], x[k1], ..;  b = x[k0 + 1], x[k1 + 1], ..        (a load for every lane of a, and of b)
    ->  x[k0 .. k0 + 1], x[k1 .. k1 + 1], ..;  a and b by shuffles

So are the coordinates of points that triangles name, the pixels around a place, and complex numbers. Nothing is loaded
that was not loaded before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.vector_program import Let, Load, Statement
from polyloop.backend.planning.facts import Facts
from polyloop.backend.planning.lanes import FEWEST_TURNED
from polyloop.backend.planning.lowering import transpose
from polyloop.backend.planning.reuse import is_straight, map_straight
from polyloop.backend.planning.values import Emitter, Names
from polyloop.backend.planning.vectors import NEIGHBOURS

LEAST_BITS = 32
"""Of elements that are loaded so: vectors of two bytes are none that compilers know well."""


def is_gather(statement: Statement) -> bool:
    """Whether it puts a vector together from scalars of a type that may be loaded so."""
    match statement:
        case Let(_, v.Pack(_, type_)):
            return type_.lanes >= FEWEST_TURNED and type_.element.bits >= LEAST_BITS
        case _:
            return False


class _Gather(NamedTuple):
    """A vector whose lanes are loaded one by one.

    Attributes:
        first, last: where in its region its loads stand.
        lanes: addresses without the constant of the first one, and with one name for what is one value.
        offset: that constant.
    """

    first: int
    last: int
    array: str
    lanes: tuple[tuple[Affine, ...], ...]
    offset: int


@dataclass(frozen=True)
class NeighboursTogether:
    """The pass over a whole program."""

    names: Names

    def run(self, statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
        return map_straight(statements, facts, self._region, self.run, _is_straight)

    def _region(self, statements: list[Statement], facts: Facts) -> list[Statement]:
        region = _forwarded(statements)
        groups: dict[tuple[object, ...], dict[int, int]] = {}
        found = dict(_gathers(region))
        for place, gather in found.items():
            groups.setdefault((gather.array, gather.lanes, _type(region[place])), {}).setdefault(gather.offset, place)
        new: dict[int, list[Statement]] = {}
        done: set[int] = set()
        for places in groups.values():
            first = min(places.values())
            if not _are_undisturbed(region, [found[place] for place in places.values()], first):
                continue
            for start, size in _runs(sorted(places)):
                new.setdefault(first, []).extend(self._loaded(region, found[first], places, start, size))
                done.update(places[offset] for offset in range(start, start + size))
        result: list[Statement] = []
        for place, statement in enumerate(region):
            result += new.get(place, [])
            if place not in done:
                result.append(statement)
        return result

    def _loaded(
        self, region: list[Statement], first: _Gather, places: Mapping[int, int], start: int, size: int
    ) -> list[Statement]:
        """Rows of `size` elements from an offset on, one for each lane; their columns under the gathers' names."""
        emit = Emitter(self.names)
        row = _type(region[places[start]])._replace(lanes=size)
        along = (*(0 for _ in first.lanes[0][1:]), 1)
        rows = []
        for *outer, inner in first.lanes:
            rows.append(emit.let(Load(v.Address(first.array, (*outer, inner + start), along), row)))
        columns = transpose(emit, rows)
        names = {columns[k].name: _name(region[places[start + k]]) for k in range(size)}
        return [Let(names.get(let.name, let.name), let.operation) for let in emit.statements if isinstance(let, Let)]


def _forwarded(region: Iterable[Statement]) -> list[Statement]:
    """Scalars that a vector was stored to just before, as subscripts that are computed in lanes, are its lanes."""
    stored: dict[str, v.Store] = {}
    result = []
    for statement in region:
        match statement:
            case v.Store(address, value, active, where):
                stored.pop(address.array, None)
                if active is None and where is None and value.type.lanes > 1 and address.along == 1:
                    stored[address.array] = statement
            case Let(name, Load(address, type_, None, None)) if type_.lanes == 1 and address.array in stored:
                store = stored[address.array]
                *outer, apart = (a - b for a, b in zip(address.subscripts, store.address.subscripts, strict=True))
                inside = apart.is_constant and 0 <= apart.constant < store.value.type.lanes
                if inside and all(step == affine(0) for step in outer):
                    statement = Let(name, v.Lane(store.value, apart.constant, type_))
        result.append(statement)
    return result


def _gathers(region: list[Statement]) -> Iterator[tuple[int, _Gather]]:
    """Those of straight-line code, by where they stand."""
    loads: dict[str, tuple[int, Load]] = {}
    bound: dict[str, str] = {}
    values: dict[str, str] = {}
    for place, statement in enumerate(region):
        match statement:
            case v.BindValue(variable, value):
                bound[variable] = values.setdefault(value.name, variable)
            case Let(name, Load(_, type_, None, None) as load) if type_.lanes == 1:
                loads[name] = place, load
            case Let(_, v.Pack(operands, _)) if is_gather(statement) and all(x.name in loads for x in operands):
                known = {name: affine(first) for name, first in bound.items()}
                each = [loads[operand.name] for operand in operands]
                subscripts = [tuple(s.substitute(known) for s in load.address.subscripts) for _, load in each]
                arrays = {load.address.array for _, load in each}
                if len(arrays) == 1 and subscripts[0]:
                    offset = subscripts[0][-1].constant
                    lanes = tuple((*outer, inner - offset) for *outer, inner in subscripts)
                    numbers = [number for number, _ in each]
                    yield place, _Gather(min(numbers), max(numbers), arrays.pop(), lanes, offset)


def _are_undisturbed(region: list[Statement], gathers: list[_Gather], place: int) -> bool:
    """Whether nothing is stored to the array between its loads and where they all are to be."""
    between = range(min(gather.first for gather in gathers), max(place, *(gather.last for gather in gathers)))
    stored = {s.address.array for s in (region[place] for place in between) if isinstance(s, v.Store)}
    return gathers[0].array not in stored


def _runs(offsets: list[int]) -> Iterator[tuple[int, int]]:
    """First offset and length of runs of four neighbours, then of two."""
    while offsets:
        size = next((n for n in NEIGHBOURS if offsets[n - 1 : n] == [offsets[0] + n - 1]), 0)
        if size:
            yield offsets[0], size
        offsets = offsets[size or 1 :]


def _is_straight(statement: Statement) -> bool:
    return isinstance(statement, v.BindValue) or is_straight(statement)


def _name(statement: Statement) -> str:
    assert isinstance(statement, Let)
    return statement.name


def _type(statement: Statement) -> v.ValueType:
    assert isinstance(statement, Let)
    return statement.operation.type
