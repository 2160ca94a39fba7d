"""Counters that loops divide by the length of a row, as rows.

    for (i = 0; i < n; i++)                          row = 0;
        y[i] += bias[i % c] * s[i / c];              for (first = 0; first < n; first += c) {
                                              ->         for (i = first; i < (first + c < n ? first + c : n); i++)
                                                             y[i] += bias[i - first] * s[row];
                                                         row++;
                                                     }

Subscripts are affine then, and neighbours in memory are neighbours in the loop. `polyloop.frontend.blocks` reads such
loops where rows have some length, behind a run-time test that they have.
"""

from __future__ import annotations

from pycparser import c_ast

from polyloop.backend.ir.expressions import I64, ScalarType
from polyloop.frontend.jumps import jumps_of
from polyloop.frontend.regions import exposed_read, exposed_use
from polyloop.frontend.scopes import Refusal, changed_names, declared_names, walk_nodes
from polyloop.frontend.searches import fresh_variable, integer_type
from polyloop.frontend.syntax import (
    Header,
    Items,
    Surroundings,
    cast,
    counting_up,
    declaration,
    header_of,
    is_zero,
    map_children,
    number,
    operation,
    statements_of,
    variables,
    with_parts,
)


def may_have_some(items: Items) -> bool:
    """Whether a loop may divide its counter by a variable."""
    return any(isinstance(node, c_ast.BinaryOp) and _is_division(node) for item in items for node in walk_nodes(item))


def rows_of_counters(items: Items, around: Surroundings) -> Items:
    """The statements with two loops for each that divides its counter.

    Raises:
        Refusal: if none does, so that there is nothing to try.
    """
    taken: set[str] = set()

    def visit(node: c_ast.Node) -> c_ast.Node:
        inner = map_children(node, visit)
        header = header_of(inner) if isinstance(inner, c_ast.For) else None
        length = None if header is None else _length(inner, header, items, around)
        if header is None or length is None:
            return inner
        type_ = integer_type(header.counter, items, around)
        return _rows(inner, header, length, type_ or I64, [fresh_variable(name, around, taken) for name in _NAMES])

    result = tuple(map(visit, items))
    if all(new is old for new, old in zip(result, items, strict=True)):
        raise Refusal("non-affine", "no loop divides its counter")
    return result


_NAMES = ("row", "first", "at")


def _is_division(node: c_ast.BinaryOp) -> bool:
    return node.op in ("/", "%") and isinstance(node.left, c_ast.ID) and isinstance(node.right, c_ast.ID)


def _length(loop: c_ast.For, header: Header, items: Items, around: Surroundings) -> c_ast.ID | None:
    """What the loop divides its counter by, if it may be cut into rows."""
    counter = header.counter
    divisions = (n for n in walk_nodes(loop.stmt) if isinstance(n, c_ast.BinaryOp) and _is_division(n))
    length = next((node.right for node in divisions if node.left.name == counter), None)
    if length is None or not may_be_cut(loop, header, length.name, items, around):
        return None
    # Of different types, C would convert one of them.
    types = [integer_type(name, items, around) for name in (counter, length.name)]
    return length if types[0] is not None and types[0] == types[1] and types[0].bits >= 32 else None


def may_be_cut(loop: c_ast.For, header: Header, length: str, items: Items, around: Surroundings) -> bool:
    """Whether a loop counts from 0 up to all that it might go through, and nothing is asked of the counter behind it,
    so that two loops may do the same.

    Args:
        length: the variable that is the length of a row.
    """
    counter = header.counter
    if not header.counts_up or header.closed or not is_zero(header.first):
        return False
    body = statements_of(loop.stmt)
    changed = changed_names(body) | declared_names(body)
    if not changed.isdisjoint({counter, length, *(n.name for n in variables(header.limit))}):
        return False
    if any(isinstance(jump, c_ast.Break) for item in body for jump in jumps_of(item)):
        return False  # it would leave one row
    return header.own is not None or not (exposed_use(counter, items) or exposed_read(counter, around.found))


def _rows(loop: c_ast.For, header: Header, length: c_ast.ID, type_: ScalarType, names: list[str]) -> c_ast.Node:
    """The loop over rows, with long integers for its counters: those that have no sign have its values, too."""
    row, first, at = (c_ast.ID(name, loop.coord) for name in names)

    def as_before(node: c_ast.Node) -> c_ast.Node:
        return cast(node, type_) if type_ != I64 else node

    def visit(node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.BinaryOp(left=c_ast.ID(name=header.counter), right=c_ast.ID(name=length.name)):
                if node.op in ("/", "%"):
                    return as_before(row if node.op == "/" else operation("-", at, first))
            case c_ast.ID(name=header.counter):
                return as_before(at)
        return map_children(node, visit)

    step, limit = (cast(part, I64) if type_.kind == "uint" else part for part in (length, header.limit))
    end = operation("+", first, step)
    last = c_ast.TernaryOp(operation("<", end, limit), end, limit, loop.coord)
    inside = counting_up(at, last, visit(loop.stmt), loop, first)
    body = c_ast.Compound([inside, c_ast.UnaryOp("p++", row, loop.coord)], loop.coord)
    rows = with_parts(counting_up(first, limit, body, loop), next=c_ast.Assignment("+=", first, step, loop.coord))
    return c_ast.Compound([declaration(row.name, I64, number(0, loop), loop), rows], loop.coord)
