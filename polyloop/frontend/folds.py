"""Loops between bounds from data that only add up: one assignment (`polyloop.backend.ir.expressions.Fold`).

    for (k = first[i]; k < first[i + 1]; k++)       ->      y[i] = fold(k in [first[i], first[i + 1]): y[i],
        y[i] += val[k] * x[col[k]];                                     partial(k) + val[k] * x[col[k]])

The bounds are evaluated once, so the body must not change what they read; what it assigns to must be the same element
all the time, and be read as what the sum has come to only. Memory that others may look at is written only where the
loop has an iteration.
"""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, compare, compute, convert
from polyloop.backend.ir.expressions import (
    I64,
    Access,
    Binary,
    Expression,
    Fold,
    Literal,
    Partial,
    Read,
    reads,
    reads_of_subscripts,
    rewrite,
)
from polyloop.frontend.region import Region
from polyloop.frontend.scopes import Refusal, Scope, Symbol
from polyloop.frontend.syntax import Header
from polyloop.frontend.values import ValueReader


@dataclass(frozen=True)
class Bounds:
    """Of a fold's counter: integers in 64 bits where `closed` needs them, and whether there is an iteration."""

    counter: Symbol
    lower: Expression
    upper: Expression
    runs: Expression


def bounds_of(region: Region, header: Header, reader: ValueReader) -> Bounds | None:
    """Where the counter runs; its scope is entered. None where its type or the comparison is none to count in."""
    first, limit = reader.value(header.first), reader.value(header.limit)
    if header.own is not None:
        region.scope = Scope(region.scope)
        counter = region.declarations.declare(header.own, region.scope, "local")
    else:
        counter = region.scope.lookup(header.counter)
    if counter is None or counter.kind not in ("local", "parameter") or not isinstance(counter.type, Arithmetic):
        return None
    type_ = counter.type
    if type_.scalar.is_float or type_.boolean or type_.volatile or first.type.is_float or limit.type.is_float:
        return None
    lower = convert(first, type_.scalar)
    if limit.type.kind != type_.scalar.kind and limit.type.bits >= type_.scalar.bits:
        return None  # one of them is converted to an unsigned type
    if type_.scalar.bits < 32 or (type_.scalar.kind == "uint" and header.closed):
        return None
    runs = compare("<=" if header.closed else "<", lower, limit)
    if header.closed:
        limit = Binary("+", convert(limit, I64), Literal(1, I64), I64)
    return Bounds(counter, lower, limit, runs)


def folded(
    region: Region, node: c_ast.Assignment, bounds: Bounds, target: Access, element: Arithmetic, reader: ValueReader
) -> Fold:
    """The value of the assignment behind the last iteration.

    Raises:
        Refusal: where it reads what it assigns to in another way than as what it adds to.
    """
    name = _fresh(region, bounds.counter)
    region.folded[bounds.counter] = name
    try:
        value = reader.value(node.rvalue)
    finally:
        del region.folded[bounds.counter]
    own = Read(target, element.scalar)
    if operator := node.op[:-1]:
        value = compute(operator, own, value)
    partial = Partial(name, element.scalar)
    value = rewrite(reader.converted(value, element), lambda x: partial if x == own else x)
    read = (*reads(value), *reads(bounds.lower), *reads(bounds.upper), *reads_of_subscripts(target))
    if any(r.access.array == target.array for r in read):
        message = f"{target.array} is read and written by a loop between bounds from data"
        raise Refusal("data-dependent", message, node)
    return Fold(name, bounds.lower, bounds.upper, own, value, element.scalar)


def _fresh(region: Region, counter: Symbol) -> str:
    name = f"{counter.name}_in"
    taken = {*region.iterator_names, *region.parameters, *region.folded.values(), *region.arrays.names()}
    taken |= {name for scope in region.scope.chain() for name in scope.names}
    while name in taken or name in region.fold_names:
        name += "_"
    region.fold_names.add(name)
    return name
