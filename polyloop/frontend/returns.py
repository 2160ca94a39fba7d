"""``return`` out of a region's last loop, and ``goto`` to a label outside: a variable says which one it was, and what
takes the region's place leaves by it.

    for (i = 0; i < n; i++)               polyloop_left = 0;
        if (x[i] == key)           ->     for (i = 0; i < n; i++)
            return i;                         if (x[i] == key) {
                                                  polyloop_left = 1;
                                                  break;
                                              }
                                          if (polyloop_left == 1) return i;      (behind the region, as C)

Nothing runs between such a ``return`` and the end of the region, so that its value may be computed there, where the
variables of the function are what they were. A value of variables that the region declares is kept in one more.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic
from polyloop.backend.c.text import scalar_name
from polyloop.backend.ir.expressions import I32
from polyloop.frontend.jumps import LoopExits, set_to
from polyloop.frontend.regions import Found, exits_of
from polyloop.frontend.scopes import Declarations, Scope, Symbol, declared_names
from polyloop.frontend.syntax import c_text, variables

LEFT, VALUE = "polyloop_left", "polyloop_value"


def without_returns(found: Found, scope: Scope, declarations: Declarations) -> Found:
    """The region without ``return``, and without ``goto`` to what is not in it, in its last statement, a loop or what
    has one inside; itself where that is not to be had. Variables that this takes are added to the scope."""
    *before, last = found.items or (c_ast.EmptyStatement(),)
    leading_out = exits_of(found)
    leaving = _Returns(declared_names(found.items))

    exits = LoopExits(LEFT, leaving.leave, lambda node: any(node is other for other in leading_out))
    if not exits.has_exit(last) or any(map(exits.has_exit, before)):
        return found
    items = exits.statement(last, None)
    if items is None or exits.has_exit(c_ast.Compound(items)) or not leaving.behind:
        return found
    own = [f"int {LEFT} = 0;"]
    scope.add(Symbol(LEFT, "local", Arithmetic(I32)))
    if leaving.values:
        declared = found.function.decl.type
        type_ = declarations.resolve(declared.type, scope) if isinstance(declared, c_ast.FuncDecl) else None
        if not isinstance(type_, Arithmetic) or type_.boolean or type_.volatile:
            return found
        scope.add(Symbol(VALUE, "local", type_))
        own.append(f"{scalar_name(type_.scalar)} {VALUE} = 0;")
    first = set_to(LEFT, 0, last)
    read = (*found.leaving, c_ast.ID(LEFT), c_ast.ID(VALUE))
    return replace(
        found,
        items=(*before, first, *items),
        first=found.first or found.items[0],
        last=found.last or last,
        own=tuple(own),
        behind=tuple(leaving.behind),
        leaving=read,
    )


@dataclass
class _Returns:
    """What returns behind the region.

    Attributes:
        declared: variables of the region.
        behind: what leaves, as C.
        values: whether there are values that only the region knows.
    """

    declared: set[str]
    behind: list[str] = field(default_factory=list)
    values: bool = False

    def leave(self, node: c_ast.Return | c_ast.Goto) -> list[c_ast.Node]:
        """What is done in the place of such a statement, before the loops end."""
        kept: list[c_ast.Node] = []
        if isinstance(node, c_ast.Goto):
            statement = f"goto {node.name};"
        else:
            text = "" if node.expr is None else f" {c_text(node.expr)}"
            if not self.declared.isdisjoint(inner.name for inner in variables(node.expr)):
                self.values, text = True, f" {VALUE}"
                kept = [c_ast.Assignment("=", c_ast.ID(VALUE, node.coord), node.expr, node.coord)]
            statement = f"return{text};"
        known = next((k for k, other in enumerate(self.behind, 1) if other.endswith(f") {statement}")), None)
        count = known if known is not None else len(self.behind) + 1
        if known is None:
            self.behind.append(f"if ({LEFT} == {count}) {statement}")
        return [*kept, set_to(LEFT, count, node)]
