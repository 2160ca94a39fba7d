"""Blocks of elements that vectors take column by column, loaded row by row and transposed in registers.

    a = A[i .. i + 7][j];  b = A[i .. i + 7][j + 1];  ...           (gathers, eight loads each)
    ->  rows A[i][j .. j + 3], .., A[i + 7][j .. j + 3];  their columns by shuffles

Sums along the rows of a matrix that have to stay in order run in lanes so: each lane sums up a row of its own.
Rows are half as long as a vector: two of them are joined while the second one is loaded, so that a block of 8 x 4 takes
four loads, four joins and eight shuffles.

Lanes that do not count, in a tile with fewer rows, take the last row that does: nothing is gathered there, either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, maximum, minimum
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.vector_program import Let, Load, Statement, Store, ValueType
from polyloop.backend.planning.facts import Facts, lower_operands, map_bodies_with, upper_operands, with_facts
from polyloop.backend.planning.lowering import transpose
from polyloop.backend.planning.memory import Cell, in_bounds
from polyloop.backend.planning.reuse import is_straight
from polyloop.backend.planning.values import Emitter, Names
from polyloop.backend.planning.vectors import FEWEST_TURNED

_Column: TypeAlias = "tuple[str, tuple[Affine, ...], tuple[int, ...], ValueType, Affine | None]"


def has_columns(statement: Statement) -> bool:
    """Whether a vector takes elements of different rows."""
    match statement:
        case Let(_, Load(v.Address(_, _, (*_, 0) as strides), type_, _, None)):
            return any(strides) and type_.lanes >= FEWEST_TURNED
        case _:
            return False


@dataclass(frozen=True)
class TurnedBlocks:
    """The pass over a whole program."""

    names: Names
    arrays: Mapping[str, ArraySpec]

    def run(self, statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for straight, group in groupby(with_facts(statements, facts), lambda pair: is_straight(pair[0])):
            if straight:
                here, known = zip(*group, strict=True)
                result += self._region(list(here), known[0])
            else:
                result.extend(map_bodies_with(statement, here, self.run) for statement, here in group)
        return tuple(result)

    def _region(self, region: list[Statement], facts: Facts) -> list[Statement]:
        columns: dict[_Column, dict[int, int]] = {}
        for place, statement in enumerate(region):
            if has_columns(statement):
                load = _load(statement)
                *outer, inner = load.address.subscripts
                key = (
                    load.address.array,
                    (*outer, inner - inner.constant),
                    load.address.lane_strides,
                    load.type,
                    load.active,
                )
                columns.setdefault(key, {}).setdefault(inner.constant, place)
        turned: dict[int, list[Statement]] = {}
        for key, places in columns.items():
            for block in _blocks(places, key[3].lanes // 2):
                rows = self._rows([_load(region[place]) for place in block], facts)
                if rows and not any(_stores(statement, key[0]) for statement in region[min(block) : max(block)]):
                    first, *others = sorted(block)
                    turned[first] = self._block(rows, [_column(region[place]) for place in block])
                    turned |= {place: [] for place in others}
        return [new for place, statement in enumerate(region) for new in turned.get(place, [statement])]

    def _rows(self, columns: Sequence[Load], facts: Facts) -> list[Load]:
        """The loads of the block's rows; none where a row might not be there."""
        address, type_, active = columns[0].address, columns[0].type, columns[0].active
        along = (*(0 for _ in address.lane_strides[1:]), 1)
        moved = tuple(zip(address.subscripts, address.lane_strides, strict=True))
        rows = []
        for lane in range(type_.lanes):
            subscripts = tuple(_not_behind(s, stride, lane, active) for s, stride in moved)
            row = Load(v.Address(address.array, subscripts, along), type_._replace(lanes=len(columns)))
            if active is not None and not in_bounds(Cell.loaded(row), self.arrays[address.array], facts):
                return []
            rows.append(row)
        return rows

    def _block(self, rows: Sequence[Load], columns: Sequence[Let]) -> list[Statement]:
        """The loads of neighbouring columns, in their order: by rows, and under their names."""
        emit = Emitter(self.names)
        turned = transpose(emit, [emit.let(row) for row in rows])
        made = {value.name: let.name for value, let in zip(turned, columns, strict=True)}
        return [replace(let, name=made.get(let.name, let.name)) for let in emit.statements if isinstance(let, Let)]


def _not_behind(first: Affine, stride: int, lane: int, active: Affine | None) -> Affine:
    """A lane's subscript, or that of the last lane that counts where it lies behind that."""
    subscript = first + stride * lane
    if not stride or active is None:
        return subscript
    lasts = [_left(bound) - 1 for bound in upper_operands(active)]
    ends = [first + last * stride for last in lasts if not last.is_constant or last.constant < lane]
    return minimum(subscript, *ends) if stride > 0 else maximum(subscript, *ends)


def _left(active: Affine) -> Affine:
    """How many lanes are left of a tile, which may be less than none: the tile's last row is then that of an earlier
    vector, and it is there."""
    counts = [operand for operand in lower_operands(active) if not (operand.is_constant and operand.constant <= 0)]
    return counts[0] if len(counts) == 1 else active


def _blocks(places: dict[int, int], size: int) -> list[list[int]]:
    """Where so many neighbouring columns are loaded, in their order, by their offsets."""
    found: list[list[int]] = []
    offsets = sorted(places)
    while offsets:
        first = offsets[0]
        wanted = range(first, first + size)
        whole = offsets[:size] == list(wanted)
        if whole:
            found.append([places[offset] for offset in wanted])
        offsets = offsets[size if whole else 1 :]
    return found


def _load(statement: Statement) -> Load:
    operation = _column(statement).operation
    assert isinstance(operation, Load)
    return operation


def _column(statement: Statement) -> Let:
    assert isinstance(statement, Let)
    return statement


def _stores(statement: Statement, array: str) -> bool:
    return isinstance(statement, Store) and statement.address.array == array
