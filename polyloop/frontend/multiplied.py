"""Loops whose counters are multiplied from one iteration to the next, written out where constants say what they are.

    for (len = 2; len <= 64; len *= 2)      ->      { step of length 2 }  { step of length 4 }  ...  { of length 64 }
        step of length len

The passes of a Fourier transform of a fixed size have subscripts then that are affine, as no subscript of all of them
together is. Where it stops is not known of a size that is a variable: then the loops inside are regions of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pycparser import c_ast

from polyloop.arithmetic import is_integer, value_range
from polyloop.backend.ir.expressions import I32, ScalarType
from polyloop.frontend.jumps import Leaving, jumps_of
from polyloop.frontend.regions import exposed_read, exposed_use
from polyloop.frontend.scopes import changed_names, declared_names, loop_counter, stored_into, walk_nodes
from polyloop.frontend.searches import integer_type
from polyloop.frontend.syntax import Items, Surroundings, cast, map_children, number, replaced, statements_of

MOST_STEPS = 32
"""Of one loop that is written out: the neighbours of a point in three dimensions are 26."""
MOST_STATEMENTS = 96
"""That a loop becomes."""

_LEAVING = (c_ast.Return, c_ast.Goto, c_ast.Label)

_MOVES: Mapping[str, Callable[[int, int], int]] = {
    "*": lambda value, by: value * by,
    "<<": lambda value, by: value << by if 0 <= by < 64 else 0,
    "/": lambda value, by: value // by if by else 0,
    ">>": lambda value, by: value >> by if by >= 0 else 0,
}
"""Of counters, which are positive."""

HOLDS: Mapping[str, Callable[[int, int], bool]] = {
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
    "!=": int.__ne__,
}

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


def write_out_multiplied(items: Items, around: Surroundings) -> Items:
    """The statements with every loop of few steps whose counter is multiplied, divided or shifted written out."""

    def visit(node: c_ast.Node) -> c_ast.Node:
        if isinstance(node, c_ast.For) and (written := _written_out(node, items, around)) is not None:
            return map_children(written, visit)
        return map_children(node, visit)

    return tuple(map(visit, items))


def counter_type(loop: c_ast.For, items: Items, around: Surroundings) -> ScalarType | None:
    """The type of a loop's counter, if it is an integer of the function's own."""
    if isinstance(loop.init, c_ast.DeclList):
        types = [around.declarations.resolve(node.type, around.scope) for node in loop.init.decls]
        return types[0].scalar if len(types) == 1 and is_integer(types[0]) else None
    name = loop_counter(loop) or ""
    symbol = around.scope.lookup(name)
    return integer_type(name, items, around) if symbol is None or symbol.automatic else None


def only_counts(loop: c_ast.For, counter: str, around: Surroundings) -> bool:
    """Whether nothing but its header moves a loop's counter, and nothing leaves it early."""
    if counter in declared_names([loop.stmt]) | changed_names([loop.stmt]):
        return False
    if any(isinstance(node, _LEAVING) for node in walk_nodes(loop.stmt)):
        return False
    if counter in around.declarations.names_of(around.found.function).address_taken:
        return False
    return not any(isinstance(jump, c_ast.Break) for jump in jumps_of(loop.stmt))


def fits_written_out(loop: c_ast.For, steps: int, most: int = MOST_STATEMENTS) -> bool:
    """Whether so many copies of a loop's body are several, and not too many statements."""
    nodes = list(walk_nodes(loop.stmt))
    writes = sum(stored_into(n) is not None or (isinstance(n, c_ast.Decl) and bool(n.init)) for n in nodes)
    writes -= 2 * sum(isinstance(n, c_ast.For) for n in nodes)  # their counters begin and move
    return 1 < steps <= min(MOST_STEPS, most // max(1, writes))


def is_read_elsewhere(counter: str, items: Items, around: Surroundings) -> bool:
    """Whether something other than its loop reads a counter."""
    return exposed_use(counter, items) is not None or exposed_read(counter, around.found) is not None


def constant_of(value: int, type_: ScalarType, place: c_ast.Node) -> c_ast.Node:
    """A number of a type, or of the one that C promotes it to."""
    written = number(value, place)
    return written if type_ == I32 or type_.bits < 32 else cast(written, type_)


def _written_out(loop: c_ast.For, items: Items, around: Surroundings) -> c_ast.Node | None:
    counter = loop_counter(loop)
    if counter is None or (values := _values(loop, counter, items, around)) is None:
        return None
    *steps, behind = values
    body = Leaving(jumps_of).without(statements_of(loop.stmt))  # every continue
    if body is None or not fits_written_out(loop, len(steps)) or not only_counts(loop, counter, around):
        return None
    type_ = counter_type(loop, items, around)
    assert type_ is not None
    written: list[c_ast.Node] = []
    for value in steps:
        known = {counter: constant_of(value, type_, loop)}
        written.append(c_ast.Compound([replaced(part, known) for part in body], loop.coord))
    if isinstance(loop.init, c_ast.Assignment) and is_read_elsewhere(counter, items, around):
        written.append(c_ast.Assignment("=", loop.init.lvalue, constant_of(behind, type_, loop), loop.coord))
    return c_ast.Compound(written, loop.coord)


def _values(loop: c_ast.For, counter: str, items: Items, around: Surroundings) -> list[int] | None:
    """The values that a multiplied counter takes, and the one at which the loop ends; None of other loops."""
    header = _header(loop, counter, around)
    type_ = counter_type(loop, items, around) if header is not None else None
    if header is None or type_ is None:
        return None
    value, holds, end, move, by = header
    values, (low, high) = [value], value_range(type_)
    while holds(value, end):
        value = move(value, by)
        values.append(value)
        # Counters that stay where they are never end, nor is it known what those become that do not fit.
        if len(values) > MOST_STEPS + 1 or not max(low, 0) <= value <= high or value == values[-2]:
            return None
    return values


def _header(
    loop: c_ast.For, counter: str, around: Surroundings
) -> tuple[int, Callable[[int, int], bool], int, Callable[[int, int], int], int] | None:
    """Where a counter begins, the test with the number that it is compared with, and what moves it by how much."""

    def constant(node: c_ast.Node | None) -> int | None:
        return None if node is None else around.declarations.constant(node, around.scope)

    match loop.next:
        case c_ast.Assignment(op="*=" | "<<=" | "/=" | ">>=" as moved, lvalue=c_ast.ID(name=name), rvalue=amount):
            operator, by = moved[:-1], constant(amount)
        case c_ast.Assignment(
            op="=",
            lvalue=c_ast.ID(name=name),
            rvalue=c_ast.BinaryOp(op="*" | "<<" | "/" | ">>" as operator, left=left, right=right),
        ):
            if operator == "*" and isinstance(right, c_ast.ID):
                left, right = right, left
            by = constant(right) if isinstance(left, c_ast.ID) and left.name == name else None
        case c_ast.Assignment(op="+=", lvalue=c_ast.ID(name=name), rvalue=c_ast.ID(name=other)) if name == other:
            operator, by = "*", 2
        case _:
            return None
    match loop.cond:
        case c_ast.BinaryOp(op=test, left=c_ast.ID(name=tested), right=end) if tested == counter and test in HOLDS:
            limit = constant(end)
        case c_ast.BinaryOp(op=test, left=end, right=c_ast.ID(name=tested)) if tested == counter and test in HOLDS:
            test, limit = _TURNED[test], constant(end)
        case c_ast.ID(name=tested) if tested == counter:
            test, limit = "!=", 0
        case _:
            return None
    match loop.init:
        case c_ast.Assignment(op="=", rvalue=first) | c_ast.DeclList(decls=[c_ast.Decl(init=first)]):
            begin = constant(first)
        case _:
            return None
    if name != counter or begin is None or begin < 0 or limit is None or by is None:
        return None
    return begin, HOLDS[test], limit, _MOVES[operator], by
