"""Blocks whose rows become columns, written as one call: what planning makes of shuffles, many lines of them.

    r0 = A[i][j .. j + 3];  ..  r7 = A[i + 7][j .. j + 3]          rows[r] = A[i + r][j .. j + 3]  for r in [0, 8)
    x0 = shuffle(r0, r4);  ..  c3 = shuffle(x6, x7)          ->    turn(columns, rows)

Which lanes of which rows a shuffle's result has is followed from the rows on, so that no order of shuffles is presumed.
A function of the file, always inlined, makes the columns by the shuffles that planning takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyloop.backend.c.text import scalar_name, shuffle, vector_name, wrap
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.traversal import NamesUsed
from polyloop.backend.ir.vector_program import Let, Statement, Value, ValueType

LEAST_ROWS = 4
"""Blocks of fewer rows are as short without a call."""


@dataclass(frozen=True)
class Block:
    """Rows whose columns are used.

    Attributes:
        rows: vectors of one type.
        columns: names of vectors with a lane of every row, from lane 0 on.
        end: the position of the last shuffle, behind which the columns are first used.
    """

    rows: tuple[Value, ...]
    columns: tuple[str, ...]
    end: int

    @property
    def row(self) -> ValueType:
        return self.rows[0].type

    @property
    def column(self) -> ValueType:
        return ValueType(self.row.element, len(self.rows))


def turned_blocks(body: Sequence[Statement]) -> list[Block]:
    """The blocks that shuffles of a statement list turn."""
    lanes: dict[str, tuple[tuple[Value, int], ...]] = {}
    found: dict[tuple[Value, ...], dict[int, str]] = {}
    place: dict[str, int] = {}
    for position, statement in enumerate(body):
        match statement:
            case Let(name, v.Shuffle((left, right), order)):
                there = [
                    pair
                    for operand in (left, right)
                    for pair in lanes.get(operand.name, [(operand, k) for k in range(operand.type.lanes)])
                ]
                lanes[name], place[name] = tuple(there[k] for k in order), position
                rows = tuple(row for row, _ in lanes[name])
                if len({k for _, k in lanes[name]}) == 1 and len(set(rows)) == len(rows) >= LEAST_ROWS:
                    found.setdefault(rows, {})[lanes[name][0][1]] = name
    blocks, used = [], dict[str, int]()
    for position, statement in enumerate(body if found else ()):
        if not (isinstance(statement, Let) and isinstance(statement.operation, v.Shuffle)):
            for name in NamesUsed().visit([statement]).values.keys() - used.keys():
                used[name] = position
    for rows, columns in found.items():
        count = rows[0].type.lanes
        if len(columns) == count > 1 and not (len(rows) & len(rows) - 1 or count & count - 1):
            block = Block(rows, tuple(columns[k] for k in range(count)), max(place[name] for name in columns.values()))
            if all(used.get(name, block.end) >= block.end for name in block.columns):
                blocks.append(block)
    return blocks


def turning(name: str, row: ValueType, count: int) -> str:
    """The definition of the function that turns so many rows: by halves, as planning does."""
    side, columns = min(count, row.lanes), vector_name(row._replace(lanes=count))
    lines, held, values = [], "row", row
    while values.lanes < count:  # rows that are too short stand one behind the other in a vector
        wide = values._replace(lanes=2 * values.lanes)
        number = count * row.lanes // wide.lanes
        made = f"row_{wide.lanes}" if wide.lanes < count else "column"
        if wide.lanes < count:
            lines.append(f"    {vector_name(wide)} {made}[{number}];")
        at = "k" if number == side else f"k + k / {side} * {side}"
        pair = f"{held}[{at}], {held}[{at} + {side}]"
        lines += _loop(number, [f"{made}[k] = {shuffle(pair, range(wide.lanes), values.lanes)};"])
        held, values = made, wide
    target = "column" if row.lanes <= count else "part"
    lines += [f"    {vector_name(row)} part[{count}];"] if target == "part" else []
    step = 1
    while step < side:
        low = [
            lane
            for k in range(0, values.lanes, 2 * step)
            for half in (0, values.lanes)
            for lane in range(k + half, k + half + step)
        ]
        at = "2 * k" if step == 1 else "k" if 2 * step == side else f"k + k / {step} * {step}"
        first = f"{held}[{at}]" if held == "row" else "low"
        pair = f"{first}, {held}[{at} + {step}]"
        body = [
            *([] if held == "row" else [f"const {vector_name(values)} low = {held}[{at}];"]),
            f"{target}[{at}] = {shuffle(pair, low, values.lanes)};",
            f"{target}[{at} + {step}] = {shuffle(pair, [lane + step for lane in low], values.lanes)};",
        ]
        lines += _loop(side // 2, body)
        held, step = target, 2 * step
    for k in range(0, row.lanes if held == "part" else 0, count):  # rows that are longer hold several blocks
        lines += _loop(side, [f"column[k + {k}] = {shuffle('part[k], part[k]', range(k, k + count), row.lanes)};"])
    head = f"polyloop_inline void {name}({columns} *column, const {vector_name(row)} *row)"
    about = f"/* The {row.lanes} columns of {count} rows of {scalar_name(row.element)}. */"
    return "\n".join([about, head, "{", *(part for line in lines for part in wrap(line)), "}", ""])


def _loop(count: int, body: Sequence[str]) -> list[str]:
    head = f"    polyloop_unrolled for (int k = 0; k < {count}; k++)"
    if len(body) == 1:
        return [head, f"        {body[0]}"]
    return [f"{head} {{", *(f"        {line}" for line in body), "    }"]
