"""Software prefetch: what a loop's loads will read some iterations later.

What stands in the loop's own body is asked for at the body's begin. Loads inside of inner loops are asked for there,
one iteration of the inner loop after the other: while a tile works on one panel, the next one comes, without waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.loop_nest import Loop
from polyloop.backend.ir.traversal import bound_variables
from polyloop.backend.planning.facts import Facts
from polyloop.backend.planning.memory import touches

LINE_BYTES = 64


@dataclass(frozen=True)
class Ahead:
    """What a loop around asks for: the array, its variable, and how far the variable's value lies ahead."""

    array: str
    variable: str
    step: int


def asked_by(loop: Loop) -> tuple[Ahead, ...]:
    """What the loop asks for."""
    return tuple(Ahead(array, loop.variable, distance * loop.step) for array, distance in loop.prefetch)


def prefetches(
    body: Iterable[v.Statement], loop: Loop, outer: Iterable[Ahead], is_aligned: Callable[[str], bool]
) -> list[v.Statement]:
    """One prefetch for every cache line that the loop's body touches of the arrays that are asked for.

    Lines are counted from the first element. Vectors of an array whose rows start anywhere reach into one line more,
    that of the last element.

    Args:
        outer: what loops around ask for; served here where the addresses change with this loop, innermost.
        is_aligned: whether all rows of an array start alike at a line's border, or are streams that go on.
    """
    body = tuple(body)
    inner = frozenset(bound_variables(body))
    result: list[v.Statement] = []
    seen: set[tuple[Affine, ...]] = set()
    ends: dict[tuple[Affine, ...], v.Address] = {}
    for ahead in (*asked_by(loop), *outer):
        for address, width, lanes in _addresses(body, ahead.array):
            used = frozenset[str]().union(*(s.variables() for s in address.subscripts))
            if not inner.isdisjoint(used) or not {loop.variable, ahead.variable} <= used:
                continue
            there = affine(ahead.variable) + ahead.step
            first = tuple(s.substitute({ahead.variable: there}) for s in address.subscripts)
            line = (*first[:-1], first[-1] - first[-1].constant % max(1, LINE_BYTES // width))
            if line not in seen:
                seen.add(line)
                result.append(v.Prefetch(v.Address(address.array, first, (0,) * len(first))))
            if any(address.lane_strides) and ahead.variable == loop.variable and not is_aligned(ahead.array):
                row = (*first[:-1], first[-1] - first[-1].constant)
                last = v.Address(address.array, (*first[:-1], first[-1] + lanes - 1), (0,) * len(first))
                if row not in ends or ends[row].subscripts[-1].constant < last.subscripts[-1].constant:
                    ends[row] = last
    return [*result, *map(v.Prefetch, ends.values())]


def _addresses(body: Iterable[v.Statement], array: str) -> Iterator[tuple[v.Address, int, int]]:
    """Addresses of loads and stores of the array, the bytes of its elements, and lanes."""
    for touch in touches(body, Facts()):
        if touch.cell.array == array:
            yield touch.cell.address, touch.cell.type.element.bytes, touch.cell.type.lanes
