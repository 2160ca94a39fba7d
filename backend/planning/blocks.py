"""Blocks of elements that vectors take column by column, loaded row by row and transposed in registers.

    a = A[i .. i + 7][j];  b = A[i .. i + 7][j + 1];  ...           (gathers, eight loads each)
    ->  rows A[i][j .. j + 3], .., A[i + 7][j .. j + 3];  their columns by shuffles

Sums along the rows of a matrix that have to stay in order run in lanes so: each lane sums up a row of its own.
Rows are half as long as a vector: two of them are joined while the second one is loaded, so that a block of 8 x 4 takes
four loads, four joins and eight shuffles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.vector_program import Let, Load, Statement, Store, ValueType
from polyloop.backend.planning.facts import Facts, map_bodies_with, with_facts
from polyloop.backend.planning.lowering import transpose
from polyloop.backend.planning.values import Emitter, Names
from polyloop.backend.planning.vectors import FEWEST_TURNED

_Column: TypeAlias = "tuple[str, tuple[Affine, ...], tuple[int, ...], ValueType]"


def has_columns(statement: Statement) -> bool:
    """Whether a vector takes elements of different rows."""
    match statement:
        case Let(_, Load(v.Address(_, _, (*_, 0) as strides), type_, None, None)):
            return any(strides) and type_.lanes >= FEWEST_TURNED
        case _:
            return False


@dataclass(frozen=True)
class TurnedBlocks:
    """The pass over a whole program."""

    names: Names

    def run(self, statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for straight, group in groupby(with_facts(statements, facts), lambda pair: _is_straight(pair[0])):
            if straight:
                result += self._region([statement for statement, _ in group])
            else:
                result.extend(map_bodies_with(statement, here, self.run) for statement, here in group)
        return tuple(result)

    def _region(self, region: list[Statement]) -> list[Statement]:
        columns: dict[_Column, dict[int, int]] = {}
        for place, statement in enumerate(region):
            if has_columns(statement):
                load = _load(statement)
                *outer, inner = load.address.subscripts
                key = load.address.array, (*outer, inner - inner.constant), load.address.lane_strides, load.type
                columns.setdefault(key, {}).setdefault(inner.constant, place)
        turned: dict[int, list[Statement]] = {}
        for key, places in columns.items():
            for block in _blocks(places, key[3].lanes // 2):
                if not any(_stores(statement, key[0]) for statement in region[min(block) : max(block)]):
                    first, *others = sorted(block)
                    turned[first] = self._block([_column(region[place]) for place in block])
                    turned |= {place: [] for place in others}
        return [new for place, statement in enumerate(region) for new in turned.get(place, [statement])]

    def _block(self, columns: Sequence[Let]) -> list[Statement]:
        """The loads of neighbouring columns, in their order: by rows, and under their names."""
        load = _load(columns[0])
        address, type_ = load.address, load.type
        emit = Emitter(self.names)
        along = (*(0 for _ in address.lane_strides[1:]), 1)
        rows = []
        for lane in range(type_.lanes):
            moved = zip(address.subscripts, address.lane_strides, strict=True)
            row = v.Address(address.array, tuple(s + stride * lane for s, stride in moved), along)
            rows.append(emit.let(Load(row, type_._replace(lanes=len(columns)))))
        made = {value.name: let.name for value, let in zip(transpose(emit, rows), columns, strict=True)}
        return [replace(let, name=made.get(let.name, let.name)) for let in emit.statements if isinstance(let, Let)]


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


def _is_straight(statement: Statement) -> bool:
    match statement:
        case Let(_, operation):
            return not isinstance(operation, v.LazyPick)
        case _:
            return isinstance(statement, Store | v.Prefetch)


def _stores(statement: Statement, array: str) -> bool:
    return isinstance(statement, Store) and statement.address.array == array
