"""Addresses that a call only lends: the function of the file that it calls keeps none of them.

    column_(&n);                                  (n is a counter of other loops, too)
    void column_(int *n) { x[*n] = 0; }           (does not keep its address)

What pointers lead to may be read and set behind each of them, so that loops whose counter is such a variable stay as
they are. f2c passes every number so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pycparser import c_ast

from polyloop.frontend.scopes import address_taken, children, parameters_of, walk_nodes


class Lending:
    """What functions do with the pointers that they are given.

    Args:
        bodies: the definitions of functions; None for those that nobody can follow.
        file: all that the file declares and defines.
    """

    def __init__(self, bodies: Mapping[str, c_ast.FuncDef | None], file: Iterable[c_ast.Node]) -> None:
        functions = (item for item in file if isinstance(item, c_ast.FuncDef))
        parts = (part for item in functions for part in (*parameters_of(item), *walk_nodes(item.body)))
        # Where a parameter or a variable, a pointer to a function, say, has the name of a function, its calls are none.
        variables = {part.name for part in parts if isinstance(part, c_ast.Decl)}
        self._bodies = {name: body for name, body in bodies.items() if name not in variables}
        self._kept: dict[tuple[str, int], bool] = {}

    def taken(self, node: c_ast.Node | None) -> set[str]:
        """The variables whose addresses a node takes, and does not only lend."""
        if node is None:
            return set()
        base = address_taken(node)
        found = set() if base is None else {base.name}
        lent: set[int] = set()
        if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.args is not None:
            name = node.name.name
            lent = {id(given) for k, given in enumerate(node.args.exprs) if self._lends(name, k, given)}
        for child in node.args.exprs if lent else children(node):
            found |= self.taken(child.expr) if id(child) in lent else self.taken(child)
        return found

    def _lends(self, function: str, position: int, given: c_ast.Node) -> bool:
        return address_taken(given) is not None and not self.keeps(function, position)

    def keeps(self, function: str, position: int) -> bool:
        """Whether a pointer may still be known somewhere when the function that it was given to has returned."""
        key = function, position
        if key not in self._kept:
            self._kept[key] = True  # where it calls itself, too
            definition = self._bodies.get(function)
            if definition is not None and position < len(parameters := parameters_of(definition)):
                self._kept[key] = self._goes_on(parameters[position].name, definition.body)
        return self._kept[key]

    def _goes_on(self, name: str, node: c_ast.Node) -> bool:
        """Whether a pointer is used for more than what it points to."""
        match node:
            case c_ast.ID():
                return bool(node.name == name)
            case c_ast.UnaryOp(op="&") if (base := address_taken(node)) is not None and base.name == name:
                return True
            case c_ast.UnaryOp(op="*", expr=pointer) | c_ast.StructRef(name=pointer, type="->"):
                return not _is_stepped(pointer, name) and self._goes_on(name, pointer)
            case c_ast.ArrayRef(name=c_ast.ID(name=base)) if base == name:
                return self._goes_on(name, node.subscript)
            case c_ast.BinaryOp(op="==" | "!="):
                return any(self._goes_on(name, side) for side in children(node) if not _is_stepped(side, name))
            case c_ast.FuncCall(name=c_ast.ID(name=function), args=c_ast.ExprList(exprs=given)):
                on = (k for k, argument in enumerate(given) if _is_stepped(argument, name))
                others = (argument for argument in given if not _is_stepped(argument, name))
                return any(self.keeps(function, k) for k in on) or any(self._goes_on(name, a) for a in others)
            case c_ast.Compound(block_items=items):  # f2c's "--x;"
                return any(self._goes_on(name, item) for item in items or () if not _is_stepped(item, name))
        return any(self._goes_on(name, child) for child in children(node))


def _is_stepped(node: c_ast.Node, name: str) -> bool:
    """Whether it is the pointer, or that as it steps by one."""
    if isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--"):
        node = node.expr
    return isinstance(node, c_ast.ID) and node.name == name
