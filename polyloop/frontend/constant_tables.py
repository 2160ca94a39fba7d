"""What arrays hold that the file defines as constants, which nothing changes: ``const int gx[3] = {-1, 0, 1};``.

The user's compiler knows these numbers, and computes with them at compile time where loops are unrolled; so does
generated code. Tables that subscripts come from are left out: data for them are chosen by the sizes at hand.
"""

from __future__ import annotations

import itertools
from math import prod

from pycparser import c_ast

from polyloop.arithmetic import ArrayOf
from polyloop.backend.ir.expressions import Literal
from polyloop.backend.ir.interpreter import Environment, evaluate
from polyloop.frontend.arrays import Entry
from polyloop.frontend.region import Region
from polyloop.frontend.scopes import Refusal
from polyloop.frontend.statements import initial_elements
from polyloop.frontend.syntax import variables
from polyloop.frontend.values import ValueReader

_MOST_ELEMENTS = 1024
"""Of a table whose numbers are read: those of filters and transforms, of which loops take constant elements."""


def table_values(entry: Entry, region: Region) -> tuple[Literal, ...] | None:
    """The elements of a table of constants, in the order of memory; None of what is none, or not plain to see."""
    symbol = entry.symbol
    if entry.strides is not None or entry.written or entry.local or entry.pointer or symbol.place is not None:
        return None
    if not isinstance(symbol.initial, c_ast.InitList) or not isinstance(symbol.type, ArrayOf) or entry.type.volatile:
        return None
    extents = [extent.constant for extent in entry.extents if extent is not None and extent.is_constant]
    if len(extents) != len(entry.extents) or not 0 < prod(extents) <= _MOST_ELEMENTS:
        return None
    if any(True for _ in variables(symbol.initial)):
        return None  # enumerators and the like: names may have other meanings by now
    try:
        given = dict(initial_elements(symbol.initial, tuple(extents)))
        reader = ValueReader(region)
        values = []
        for position in itertools.product(*map(range, extents)):
            value = reader.value(given[position]) if position in given else Literal(0, entry.type.scalar)
            values.append(
                Literal(evaluate(reader.converted(value, entry.type), Environment({}, {})), entry.type.scalar)
            )
    except Refusal:
        return None
    return tuple(values)
