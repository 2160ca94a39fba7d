"""Rewrites of a region's syntax tree into forms that the readers know.

What people write in many ways (row pointers, copies of integers, calls of small functions) becomes subscripts, bounds
and statements of the one way that is read. A rewrite keeps what the program does at every point, and the place in the
file of every node, so that remarks point at what stands there. What it cannot prove it leaves as it is, for the reader
to refuse. A region is rewritten only where it cannot be read as it stands.
"""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast

from polyloop.frontend.choices import split_choices
from polyloop.frontend.commas import without_commas
from polyloop.frontend.derived import name_products
from polyloop.frontend.fixed_values import name_fixed_values
from polyloop.frontend.increments import separate_increments
from polyloop.frontend.inlining import inline_calls
from polyloop.frontend.jumps import structured
from polyloop.frontend.members import name_cells, name_members, name_null_tests, note_homes
from polyloop.frontend.memory_blocks import blocks_as_loops
from polyloop.frontend.parse import ASSEMBLY
from polyloop.frontend.pointers import follow_pointers
from polyloop.frontend.regions import Found
from polyloop.frontend.rows import name_rows
from polyloop.frontend.scalars import values_for_integers
from polyloop.frontend.scopes import BLOCKS, Declarations, Refusal, Scope, walk_nodes
from polyloop.frontend.searches import as_for_loops, end_by_break, without_breaks
from polyloop.frontend.structures import split_structures
from polyloop.frontend.swaps import unroll_swaps
from polyloop.frontend.syntax import Items, Rewrite, Surroundings, map_children
from polyloop.frontend.values import has_effects, why_no_call


def without_voids(items: Items, around: Surroundings) -> Items:
    """The statements without ``(void)x;``, which would count as a use of x."""
    if not any(_is_void(node) for item in items for node in walk_nodes(item)):
        return items
    return tuple(map(_without_voids, items))


def _is_void(node: c_ast.Node) -> bool:
    match node:
        case c_ast.Cast(to_type=c_ast.Typename(type=c_ast.TypeDecl(type=c_ast.IdentifierType(names=["void"])))):
            return isinstance(node.expr, c_ast.ID)
    return False


def _without_voids(node: c_ast.Node) -> c_ast.Node:
    return c_ast.EmptyStatement(node.coord) if _is_void(node) else map_children(node, _without_voids)


REWRITES: tuple[Rewrite, ...] = (
    *(
        without_commas,
        inline_calls,
        without_voids,
        blocks_as_loops,
        structured,
        as_for_loops,
        unroll_swaps,
        split_choices,
    ),
    *(follow_pointers, split_structures, name_members, name_rows, name_null_tests, name_cells, note_homes),
    *(values_for_integers, end_by_break, without_breaks, separate_increments, name_fixed_values, name_products),
)
"""In this order; each finds what the ones before it have left."""

OF_JUMPS: tuple[Rewrite, ...] = (structured, as_for_loops, end_by_break, without_breaks)
"""Those that hold whatever calls in the region do: they move no expression and know the value of no variable that such
a call could change."""


def check_calls(found: Found, scope: Scope) -> None:
    """What no rewrite can help against: calls of functions of which nothing is known.

    Raises:
        Refusal: at the first of them.
    """
    for node in (node for item in found.items for node in walk_nodes(item)):
        match node:
            case c_ast.FuncCall(name=c_ast.ID(name=name)) if has_effects(node, scope):
                symbol = scope.lookup(name)
                if name not in (ASSEMBLY, "assert", *BLOCKS) and (
                    symbol is None or (symbol.kind == "function" and symbol.body is None)
                ):
                    raise Refusal("call", why_no_call(name, symbol), node)


def rewritten(
    found: Found, scope: Scope, declarations: Declarations, rewrites: tuple[Rewrite, ...] = REWRITES
) -> Found:
    """The region with other statements that do the same; itself where there is nothing to rewrite."""
    around = Surroundings(found, scope, declarations)
    items = found.items
    for rewrite in rewrites:
        items = rewrite(items, around)
    return found if items == found.items else replace(found, items=items, behind=tuple(around.behind))
