"""How many vector registers live values take; scalar floats live in vector registers, too."""

from __future__ import annotations

from polyloop.backend import vector_program as v
from polyloop.backend.planning.traversal import definitions, uses
from polyloop.backend.target import Target
from polyloop.backend.vector_program import ValueType


def registers_of(type_: ValueType, target: Target) -> int:
    if type_.lanes == 1:
        return int(type_.element.is_float)
    return -(-type_.lanes * type_.element.bits // target.vector_bits)


def pressure(loop: v.For, target: Target) -> int:
    """Registers taken during the whole loop: carried values and values from outside; or more, in an inner loop."""
    own = set(definitions(loop.body)) | {c.name for c in loop.carried}
    live = {value.name: value.type for value in uses(loop.body) if value.name not in own}
    here = sum(registers_of(t, target) for t in live.values())
    here += sum(registers_of(c.type, target) for c in loop.carried)
    inner = [pressure(f, target) for f in _inner_loops(loop.body)]
    return max(here, *inner) if inner else here


def _inner_loops(statements: tuple[v.Statement, ...]) -> list[v.For]:
    found: list[v.For] = []
    for statement in statements:
        match statement:
            case v.For():
                found.append(statement)
            case v.If(_, then, orelse):
                found += _inner_loops(then) + _inner_loops(orelse)
    return found
