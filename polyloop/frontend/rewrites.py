"""Rewrites of a region's syntax tree into forms that the readers know.

What people write in many ways (row pointers, copies of integers, calls of small functions) becomes subscripts, bounds
and statements of the one way that is read. A rewrite keeps what the program does at every point, and the place in the
file of every node, so that remarks point at what stands there. What it cannot prove it leaves as it is, for the reader
to refuse. A region is rewritten only where it cannot be read as it stands.
"""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic
from polyloop.frontend.accumulated import accumulate_one_by_one
from polyloop.frontend.choices import split_choices
from polyloop.frontend.chosen import keep_chosen_elements
from polyloop.frontend.commas import without_commas
from polyloop.frontend.derived import name_products
from polyloop.frontend.divided_rows import divide_rows
from polyloop.frontend.fixed_values import name_fixed_values
from polyloop.frontend.increments import separate_increments
from polyloop.frontend.inlining import inline_calls
from polyloop.frontend.jumps import structured
from polyloop.frontend.known_values import values_for_copies
from polyloop.frontend.members import name_cells, name_members, note_homes
from polyloop.frontend.memory_blocks import blocks_as_loops
from polyloop.frontend.multiplied import write_out_multiplied
from polyloop.frontend.null_tests import name_null_tests
from polyloop.frontend.optional_pointers import move_optional_pointers
from polyloop.frontend.own_elements import name_own_elements, name_own_rows
from polyloop.frontend.own_pointers import declare_own_pointers
from polyloop.frontend.own_tables import lift_statics
from polyloop.frontend.parse import ASSEMBLY
from polyloop.frontend.pointers import follow_pointers
from polyloop.frontend.regions import Found
from polyloop.frontend.rows import name_rows, note_rows
from polyloop.frontend.scalars import values_for_integers
from polyloop.frontend.scopes import (
    BLOCKS,
    GOTO,
    RETURN,
    Declarations,
    Refusal,
    Scope,
    Symbol,
    children,
    is_void,
    walk_nodes,
)
from polyloop.frontend.searches import as_for_loops, end_by_break, without_breaks
from polyloop.frontend.structures import split_structures
from polyloop.frontend.swaps import unroll_swaps
from polyloop.frontend.syntax import Items, Rewrite, Surroundings, map_children, variables
from polyloop.frontend.tables import write_out_tables
from polyloop.frontend.toggles import plain_toggles
from polyloop.frontend.values import THROUGH_POINTER, has_effects, why_no_call
from polyloop.frontend.views import view_bits
from polyloop.frontend.words import without_words


def without_voids(items: Items, around: Surroundings) -> Items:
    """The statements without ``(void)x``, which would count as a use of x, alone and before a comma."""
    if not any(is_void(node) for item in items for node in walk_nodes(item)):
        return items
    nodes = [node for item in items for node in walk_nodes(item)]
    kept = {n.name for n in nodes if isinstance(n, c_ast.Decl) and "volatile" in n.quals}

    def visit(node: c_ast.Node) -> c_ast.Node:
        if is_void(node) and not any(
            n.name in kept or _is_volatile(around.scope.lookup(n.name)) for n in variables(node)
        ):
            return c_ast.EmptyStatement(node.coord)
        inner = map_children(node, visit)
        if inner is node or not isinstance(inner, c_ast.ExprList):
            return inner
        left = [part for part in inner.exprs if not isinstance(part, c_ast.EmptyStatement)]
        return left[0] if len(left) == 1 else c_ast.ExprList(left, inner.coord)

    return tuple(map(visit, items))


def known_calls(items: Items, around: Surroundings) -> Items:
    """The statements as they are, if no function that was put in the place of its call calls what cannot be.

    Raises:
        Refusal: at a call of a function of which nothing is known, that no condition may keep from being made.
    """
    left = list(items)
    while left:
        node = left.pop()
        if isinstance(node, c_ast.FuncCall):
            _check_call(node, around.scope)
        if not isinstance(node, c_ast.If | c_ast.Switch | c_ast.TernaryOp):
            left += children(node)
    return items


def _is_volatile(symbol: Symbol | None) -> bool:
    return symbol is not None and isinstance(symbol.type, Arithmetic) and symbol.type.volatile


REWRITES: tuple[Rewrite, ...] = (
    *(
        without_voids,
        without_commas,
        lift_statics,
        inline_calls,
        known_calls,
        without_voids,
        plain_toggles,
        view_bits,
        blocks_as_loops,
        without_words,
        name_own_elements,
        structured,
        as_for_loops,
        write_out_multiplied,
        write_out_tables,
        name_own_rows,
        unroll_swaps,
        declare_own_pointers,
        split_choices,
        note_rows,
    ),
    move_optional_pointers,
    *(values_for_copies, follow_pointers, split_structures, name_members, name_rows, name_null_tests, name_cells),
    *(
        note_homes,
        keep_chosen_elements,
        values_for_integers,
        end_by_break,
        without_breaks,
        accumulate_one_by_one,
        separate_increments,
        name_fixed_values,
        name_products,
        divide_rows,
    ),
)
"""In this order; each finds what the ones before it have left."""

OF_JUMPS: tuple[Rewrite, ...] = (structured, as_for_loops, end_by_break, without_breaks)
"""Those that hold whatever calls in the region do: they move no expression and know the value of no variable that such
a call could change."""


def check_whole(found: Found, scope: Scope) -> None:
    """What no rewrite can help against: calls of functions of which nothing is known, and jumps out of the region.

    Raises:
        Refusal: at the first of them.
    """
    nodes = [node for item in found.items for node in walk_nodes(item)]
    labels = {node.name for node in nodes if isinstance(node, c_ast.Label)}
    for node in nodes:
        match node:
            case c_ast.Return():
                raise Refusal("return", RETURN, node)
            case c_ast.Goto() if node.name not in labels:
                raise Refusal("goto", GOTO, node)
            case c_ast.FuncCall():
                _check_call(node, scope)


def _check_call(node: c_ast.FuncCall, scope: Scope) -> None:
    name = node.name.name if isinstance(node.name, c_ast.ID) else ""
    symbol = scope.lookup(name)
    if not name or (symbol is not None and symbol.kind != "function"):
        raise Refusal("call", THROUGH_POINTER, node)
    known = name in (ASSEMBLY, "assert", *BLOCKS) or (symbol is not None and symbol.body is not None)
    if not known and has_effects(node, scope):
        raise Refusal("call", why_no_call(name, symbol), node)


def rewritten(
    found: Found, scope: Scope, declarations: Declarations, rewrites: tuple[Rewrite, ...] = REWRITES
) -> Found:
    """The region with other statements that do the same; itself where there is nothing to rewrite."""
    around = Surroundings(found, scope, declarations)
    items, all_alias = found.items, found.all_alias
    for rewrite in rewrites:
        before, items = items, rewrite(items, around)
        # A word may be what has another type elsewhere.
        all_alias = all_alias or bool(around.recast) or (rewrite is without_words and items != before)
    if items == found.items:
        return found
    return replace(
        found,
        items=items,
        behind=(*around.behind, *found.behind),
        kept=(*around.kept, *found.kept),
        first=found.first or found.items[0],
        last=found.last or found.items[-1],
        given=tuple(around.given.items()),
        row_reads=tuple(around.row_reads),
        all_alias=all_alias,
    )
