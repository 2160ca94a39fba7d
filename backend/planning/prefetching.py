"""Software prefetch: what a loop's loads will read some iterations later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from polyloop.backend import vector_program as v
from polyloop.backend.affine import Affine, affine
from polyloop.backend.loop_nest import Loop
from polyloop.backend.planning.facts import Facts
from polyloop.backend.planning.memory import touches
from polyloop.backend.planning.traversal import bound_variables

LINE_BYTES = 64


def prefetches(body: Iterable[v.Statement], loop: Loop) -> list[v.Statement]:
    """One prefetch for every cache line that the loop's body touches of the arrays it asks for.

    Lines are counted from the first element: an array that does not start at a line's border has one line more in a
    row, which the neighbour's prefetch brings.
    """
    result: list[v.Statement] = []
    for array, distance in loop.prefetch:
        here = affine(loop.variable) + distance * loop.step
        seen: set[tuple[Affine, ...]] = set()
        for address, width in _addresses(body, array):
            ahead = tuple(s.substitute({loop.variable: here}) for s in address.subscripts)
            if ahead == address.subscripts or not _is_free(ahead, body):
                continue
            line = (*ahead[:-1], ahead[-1] - ahead[-1].constant % max(1, LINE_BYTES // width)) if ahead else ahead
            if line not in seen:
                seen.add(line)
                result.append(v.Prefetch(v.Address(array, ahead, (0,) * len(ahead))))
    return result


def _addresses(body: Iterable[v.Statement], array: str) -> Iterator[tuple[v.Address, int]]:
    """Addresses of loads and stores of the array, and the bytes of its elements."""
    for touch in touches(body, Facts()):
        if touch.cell.array == array:
            yield touch.cell.address, touch.cell.type.element.bytes


def _is_free(subscripts: tuple[Affine, ...], body: Iterable[v.Statement]) -> bool:
    """Whether the subscripts mention no variable of a loop inside the body."""
    inner = set(bound_variables(body))
    return all(inner.isdisjoint(s.variables()) for s in subscripts)
