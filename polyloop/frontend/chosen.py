"""Elements that a search names by where they are: what the best one is worth is kept beside its place.

                                           if (1 < n)
                                               value = x[best];
    for (i = 1; i < n; i++)                for (i = 1; i < n; i++)
        if (x[i] < x[best])         ->         if (x[i] < value) {
            best = i;                              best = i;
                                                   value = x[i];
                                               }

The loop writes to no memory, so the element stays what it was when its place was found; the condition that is asked in
every iteration reads both elements, so nothing is read that C would not read. Searches of this form run in lanes
(`polyloop.transforms.lane_search`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic
from polyloop.backend.ir.expressions import F32, F64, ScalarType
from polyloop.frontend.expression_types import type_of
from polyloop.frontend.predicates import conjuncts, same_text
from polyloop.frontend.regions import names_at
from polyloop.frontend.scopes import kinds_in
from polyloop.frontend.searches import fresh_variable, integer_type
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    declaration,
    header_of,
    map_children,
    operation,
    replaced,
    statements_of,
    variables,
)
from polyloop.frontend.values import does_more


def keep_chosen_elements(items: Items, around: Surroundings) -> Items:
    """The statements with a variable for the element whose place a loop looks for."""
    return tuple(map(_Searches(items, around).visit, items))


@dataclass
class _Searches:
    items: Items
    around: Surroundings
    taken: set[str] = field(default_factory=set)

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        if c_ast.For not in kinds_in(node):
            return node
        inner = map_children(node, self.visit)
        return (self._kept(inner) or inner) if isinstance(inner, c_ast.For) else inner

    def _kept(self, loop: c_ast.For) -> c_ast.Node | None:
        """The loop with such a variable in front of it; None for others."""
        header = header_of(loop)
        if header is None or not header.counts_up:
            return None
        match statements_of(loop.stmt):
            case [c_ast.If(iffalse=None) as choice] if not does_more(choice.cond, self.around.scope):
                pass
            case _:
                return None
        assigned = statements_of(choice.iftrue)
        places = {str(pair[0]): node.rvalue for node in assigned if (pair := self._place(node)) is not None}
        named = {n.name for n in (*variables(header.first), *variables(header.limit))} | {header.counter}
        if not places or len(places) < len(assigned) or not named.isdisjoint(places):
            return None
        test = next(conjuncts(choice.cond))
        if not isinstance(test, c_ast.BinaryOp) or test.op not in ("<", "<=", ">", ">="):
            return None
        sides = [
            (side, other)
            for side, other in ((test.left, test.right), (test.right, test.left))
            if not places.keys().isdisjoint(used := {n.name for n in variables(side)})
            and header.counter not in used
            and same_text(replaced(side, places), other)
        ]
        type_ = self._type(sides[0][0]) if len(sides) == 1 else None
        if type_ is None:
            return None
        ((element, here),) = sides
        name = fresh_variable("value", self.around, self.taken)
        value = c_ast.ID(name, loop.coord)

        def known(node: c_ast.Node) -> c_ast.Node:
            return value if same_text(node, element) else map_children(node, known)

        condition = known(choice.cond)
        if any(n.name in places for n in variables(condition)):
            return None
        kept = c_ast.Assignment("=", value, here, choice.coord)
        body = c_ast.If(condition, c_ast.Compound([*assigned, kept], choice.coord), None, choice.coord)
        first = c_ast.Assignment("=", value, element, loop.coord)
        runs = operation("<=" if header.closed else "<", header.first, header.limit)
        return c_ast.Compound(
            [
                declaration(name, type_, None, loop),
                c_ast.If(runs, c_ast.Compound([first], loop.coord), None, loop.coord),
                c_ast.For(loop.init, loop.cond, loop.next, body, loop.coord),
            ],
            loop.coord,
        )

    def _type(self, side: c_ast.Node) -> ScalarType | None:
        """The type of an element, or of its magnitude."""
        match side:
            case c_ast.FuncCall(name=c_ast.ID(name="fabs")):
                return F64
            case c_ast.FuncCall(name=c_ast.ID(name="fabsf")):
                return F32
            case c_ast.ArrayRef():
                type_ = type_of(side, self.around.scope, self.around.declarations)
                plain = isinstance(type_, Arithmetic) and not type_.volatile and not type_.boolean
                return type_.scalar if isinstance(type_, Arithmetic) and plain else None
        return None

    def _place(self, node: c_ast.Node) -> tuple[str, c_ast.Node] | None:
        """What an assignment of a variable to one of the same type assigns to."""
        match node:
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=c_ast.ID(name=other)) if name != other:
                types = {integer_type(each, self.items, self.around) for each in (name, other)}
                own = len(types) == 1 and None not in types and self._own(name)
                return (name, node.lvalue) if own else None
        return None

    def _own(self, name: str) -> bool:
        """Whether no pointer leads to the variable."""
        symbol = self.around.scope.lookup(name)
        function = names_at(self.around.found, self.around.declarations)
        return name not in function.address_taken and (symbol is None or symbol.kind in ("local", "parameter"))
