"""Blocks of elements that vectors take column by column, loaded and stored row by row and transposed in registers.

    a = A[i .. i + 7][j];  b = A[i .. i + 7][j + 1];  ...           (gathers, eight loads each)
    ->  rows A[i][j .. j + 3], .., A[i + 7][j .. j + 3];  their columns by shuffles

Sums along the rows of a matrix that have to stay in order run in lanes so: each lane sums up a row of its own. So do
recurrences along rows, whose loops take several columns at once first:

    for j carrying y:  y = f(A[i .. i + 7][j], y);  B[i .. i + 7][j] = y
    ->  for j step 4 carrying y:  4 columns of A by rows;  y0 = f(a0, y);  ..  y3 = f(a3, y2);  4 columns of B by rows

Rows are half as long as a vector: two of them are joined while the second one is loaded, so that a block of 8 x 4 takes
four loads, four joins and eight shuffles. Vectors of four take whole rows: by halves they would go to every row twice,
and keep its address in between (AVX2 on Zen 4: sums of 16 rows of one matrix in 0.80 to 0.85 of the time).

Where registers do not hold all blocks of a region, each is summed up before the next one is loaded.

Columns that are less than a block are gathered one at a time: a loop over smaller blocks would leave some, too.

Lanes that do not count, in a tile with fewer rows, take the last row that does: nothing is gathered there, either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import methodcaller
from typing import TypeAlias

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, maximum, minimum
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.traversal import all_operands, mapped, renamed
from polyloop.backend.ir.vector_program import Let, Load, Statement, Store, ValueType
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.facts import Facts, lower_operands, map_bodies_with, upper_operands, with_facts
from polyloop.backend.planning.lowering import transpose
from polyloop.backend.planning.memory import Cell, in_bounds, may_overlap
from polyloop.backend.planning.registers import registers_of
from polyloop.backend.planning.reuse import is_straight
from polyloop.backend.planning.values import Emitter, Names
from polyloop.backend.planning.vectors import block_columns, has_columns

_Column: TypeAlias = "tuple[bool, v.Address, ValueType, Affine | None]"


@dataclass(frozen=True)
class TurnedBlocks:
    """The pass over a whole program."""

    names: Names
    arrays: Mapping[str, ArraySpec]
    target: Target

    def run(self, statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for straight, group in groupby(with_facts(statements, facts), lambda pair: is_straight(pair[0])):
            if straight:
                pairs = [*group]
                result += self._region([statement for statement, _ in pairs], pairs[0][1])
                continue
            for statement, here in group:
                sizes = _columns_at_once(statement)
                size = next((size for size in sizes if self._fits(statement, size)), 0)
                if isinstance(statement, v.For) and size and not is_rest(statement, sizes[0], here):
                    whole, *rest = several_at_once(statement, size, self.names)
                    result += [map_bodies_with(whole, here, self.run), *rest]
                else:
                    result.append(map_bodies_with(statement, here, self.run))
        return tuple(result)

    def _fits(self, loop: Statement, size: int) -> bool:
        """Whether registers hold what it carries and the blocks that it loads."""
        if not isinstance(loop, v.For):
            return False
        loaded = [_type(x) for x in loop.body if _is_load(x) and has_columns(x)]
        taken = size * sum(registers_of(type_, self.target) for type_ in loaded)
        return taken + sum(registers_of(c.type, self.target) for c in loop.carried) < self.target.vector_registers

    def _region(self, region: list[Statement], facts: Facts) -> list[Statement]:
        columns: dict[_Column, dict[int, int]] = {}
        for place, statement in enumerate(region):
            if has_columns(statement):
                *outer, inner = _address(statement).subscripts
                address = _address(statement)._replace(subscripts=(*outer, inner - inner.constant))
                key = isinstance(statement, Store), address, _type(statement), _cell(statement).active
                columns.setdefault(key, {}).setdefault(inner.constant, place)
        turned: dict[int, list[Statement]] = {}
        alone = _is_one_matrix(region)
        for (stores, _, type_, _), places in columns.items():
            for block in _blocks(places, _sizes(type_.lanes, alone)):
                statements = [region[place] for place in block]
                rows = self._rows(statements, facts)
                if not rows or not _stays_in_order(region, block, facts):
                    continue
                where = max(block) if stores else min(block)
                turned |= {place: [] for place in block}
                turned[where] = self._stored(rows, statements) if stores else self._loaded(rows, statements)
        result = [new for place, statement in enumerate(region) for new in turned.get(place, [statement])]
        loaded = [registers_of(_type(region[place]), self.target) for place in turned if _is_load(region[place])]
        if not alone or sum(loaded) <= self.target.carried_registers:
            return result
        return _block_by_block(result, [turned[place] for place in sorted(turned)])

    def _rows(self, columns: Sequence[Statement], facts: Facts) -> list[Cell]:
        """The block's rows; none where a row might not be there."""
        address, type_, active, _ = _cell(columns[0])
        along = (*(0 for _ in address.lane_strides[1:]), 1)
        moved = tuple(zip(address.subscripts, address.lane_strides, strict=True))
        rows = []
        for lane in range(type_.lanes):
            subscripts = tuple(_not_behind(s, stride, lane, active) for s, stride in moved)
            row = Cell(v.Address(address.array, subscripts, along), type_._replace(lanes=len(columns)))
            if active is not None and not in_bounds(row, self.arrays[address.array], facts):
                return []
            rows.append(row)
        return rows

    def _loaded(self, rows: Sequence[Cell], columns: Sequence[Statement]) -> list[Statement]:
        """The loads of neighbouring columns, in their order: by rows, and under their names."""
        emit = Emitter(self.names)
        turned = transpose(emit, [emit.let(Load(row.address, row.type)) for row in rows])
        names = [column.name for column in columns if isinstance(column, Let)]
        made = {value.name: name for value, name in zip(turned, names, strict=True)}
        return [replace(let, name=made.get(let.name, let.name)) for let in emit.statements if isinstance(let, Let)]

    def _stored(self, rows: Sequence[Cell], columns: Sequence[Statement]) -> list[Statement]:
        """The stores to neighbouring columns, in their order: by rows."""
        emit = Emitter(self.names)
        turned = transpose(emit, [column.value for column in columns if isinstance(column, Store)])
        return [*emit.statements, *(Store(row.address, value) for row, value in zip(rows, turned, strict=True))]


def _block_by_block(region: list[Statement], blocks: Iterable[Iterable[Statement]]) -> list[Statement]:
    """Every block's loads, and then what needs no later one: registers hold one block at a time.

    Where something is stored, the region stays as it is.
    """
    lets = [statement for statement in region if isinstance(statement, Let)]
    if len(lets) < len(region):
        return region
    needed = {let.name: k for k, block in enumerate(blocks) for let in block if isinstance(let, Let)}
    for let in lets:
        before = [needed[x.name] for x in all_operands(let.operation) if x.name in needed]
        if before and let.name not in needed:
            needed[let.name] = max(before)
    first = dict(needed)
    for let in reversed(lets):
        own = first.setdefault(let.name, 0)
        for x in all_operands(let.operation):
            if x.name not in needed:
                first[x.name] = min(first.get(x.name, own), own)
    return [*sorted(lets, key=lambda let: first[let.name])]


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


def _stays_in_order(region: Sequence[Statement], block: Sequence[int], facts: Facts) -> bool:
    """Whether the loads of a block may move to the first of them, or its stores to the last: what stands in between
    stores to none of them, or does not touch any."""
    stores = isinstance(region[block[0]], Store)
    for place in block:
        between = range(place + 1, max(block)) if stores else range(min(block), place)
        for other in between:
            touches = isinstance(region[other], Store) or (stores and _is_load(region[other]))
            if touches and other not in block and may_overlap(_cell(region[place]), _cell(region[other]), facts):
                return False
    return True


def _is_one_matrix(statements: Sequence[Statement]) -> bool:
    """Whether the columns of one matrix are loaded and nothing is stored: then registers hold a block of whole rows."""
    arrays = {_address(statement).array for statement in statements if has_columns(statement)}
    return len(arrays) == 1 and not any(isinstance(statement, Store) for statement in statements)


def _sizes(lanes: int, alone: bool) -> tuple[int, ...]:
    """How many columns blocks have, the best first."""
    return block_columns(lanes) if alone else (lanes // 2,)


def _blocks(places: dict[int, int], widths: Sequence[int]) -> list[list[int]]:
    """Where as many neighbouring columns are loaded as make a block, in their order, by their offsets."""
    found: list[list[int]] = []
    offsets = sorted(places)
    while offsets:
        first = offsets[0]
        sizes = (size for size in widths if offsets[size - 1 : size] == [first + size - 1])
        if size := next(sizes, 0):
            found.append([places[offset] for offset in offsets[:size]])
        offsets = offsets[size or 1 :]
    return found


def _columns_at_once(statement: Statement) -> tuple[int, ...]:
    """How many iterations of a loop take neighbouring columns that make blocks, the most first; none where none do."""
    match statement:
        case v.For(variable, _, _, 1, body, parallel=False, going=None) if all(map(is_straight, body)):
            if any(isinstance(x, Let) and isinstance(x.operation, v.Apply) for x in body):
                return ()  # calls take longer than gathers
            found = [x for x in body if has_columns(x) and _runs_along(_cell(x), variable)]
            return _sizes(max(_type(column).lanes for column in found), _is_one_matrix(body)) if found else ()
        case _:
            return ()


def is_rest(loop: v.For, size: int, facts: Facts) -> bool:
    """Whether it has fewer iterations than the largest block has columns. Smaller blocks would be a loop more, and one
    more behind it, for what gathers do as well: one loop."""
    return any(facts.nonnegative(-((upper - loop.lower) // size)) for upper in upper_operands(loop.upper))


def _runs_along(cell: Cell, variable: str) -> bool:
    """Whether a loop takes one column after the other of whole tiles."""
    *outer, inner = cell.address.subscripts
    rest = inner - affine(variable) * inner.coefficient(variable)
    alone = not any(variable in s.variables() for s in (*outer, rest))
    return abs(inner.coefficient(variable)) == 1 and alone and cell.active is None


def several_at_once(loop: v.For, size: int, names: Names) -> list[Statement]:
    """A loop over straight-line code with so many of its iterations in one, and the loop over the rest behind it."""
    own = {c.name: v.Value(names.fresh("v"), c.type) for c in loop.carried}
    values = dict(own)

    def known(value: v.Value) -> v.Value:
        return values.get(value.name, value)

    body: list[Statement] = []
    for number in range(size):
        move = methodcaller("substitute", {loop.variable: affine(loop.variable) + number * loop.step})
        body += mapped(renamed_in_order(loop.body, values, names), move)
        values |= {c.name: known(c.next) for c in loop.carried}
    results = [v.Value(names.fresh("v"), c.type) for c in loop.carried]
    carried = tuple(
        v.Carried(own[c.name].name, c.type, c.initial, values[c.name], result.name)
        for c, result in zip(loop.carried, results, strict=True)
    )
    step = size * loop.step
    whole = replace(loop, upper=loop.upper - (size - 1) * loop.step, step=step, body=tuple(body), carried=carried)
    start = names.fresh(f"{loop.variable}_rest")
    begin = loop.lower + maximum(loop.upper - loop.lower, 0) // step * step
    last = tuple(replace(c, initial=result) for c, result in zip(loop.carried, results, strict=True))
    return [whole, v.Bind(start, begin), replace(loop, lower=affine(start), carried=last)]


def renamed_in_order(body: Iterable[Statement], values: dict[str, v.Value], names: Names) -> Iterator[Statement]:
    """Another copy of straight-line code; `values` says what stands for what, and learns what the copy defines."""
    for statement in body:
        (new,) = renamed((statement,), lambda value: values.get(value.name, value))
        if isinstance(new, Let):
            fresh = replace(new, name=names.fresh("v"))
            values[new.name], new = fresh.value, fresh
        yield new


def _is_load(statement: Statement) -> bool:
    return isinstance(statement, Let) and isinstance(statement.operation, Load)


def _cell(statement: Statement) -> Cell:
    cell = Cell.of(statement)
    assert cell is not None, "neither a load nor a store"
    return cell


def _address(statement: Statement) -> v.Address:
    return _cell(statement).address


def _type(statement: Statement) -> ValueType:
    return _cell(statement).type
