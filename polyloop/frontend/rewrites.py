"""Rewrites of a region's syntax tree into forms that the readers know.

What people write in many ways (row pointers, copies of integers, calls of small functions) becomes subscripts, bounds
and statements of the one way that is read. A rewrite keeps what the program does at every point, and the place in the
file of every node, so that remarks point at what stands there. What it cannot prove it leaves as it is, for the reader
to refuse. A region is rewritten only where it cannot be read as it stands.
"""

from __future__ import annotations

from dataclasses import replace

from polyloop.frontend.derived import name_products
from polyloop.frontend.inlining import inline_calls
from polyloop.frontend.jumps import structured
from polyloop.frontend.members import name_cells, name_members, name_null_tests, note_homes
from polyloop.frontend.pointers import follow_pointers
from polyloop.frontend.regions import Found
from polyloop.frontend.scalars import values_for_integers
from polyloop.frontend.scopes import Declarations, Scope
from polyloop.frontend.structures import split_structures
from polyloop.frontend.syntax import Rewrite, Surroundings

REWRITES: tuple[Rewrite, ...] = (
    *(inline_calls, structured),
    *(follow_pointers, split_structures, name_members, name_null_tests, name_cells, note_homes),
    values_for_integers,
    name_products,
)
"""In this order; each finds what the ones before it have left."""


def rewritten(found: Found, scope: Scope, declarations: Declarations) -> Found:
    """The region with other statements that do the same; itself where there is nothing to rewrite."""
    around = Surroundings(found, scope, declarations)
    items = found.items
    for rewrite in REWRITES:
        items = rewrite(items, around)
    return found if items == found.items else replace(found, items=items)
