"""``return`` out of a region's last loop: a variable says which one it was, and what takes the region's place returns.

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
from polyloop.frontend.regions import Found
from polyloop.frontend.scopes import Declarations, Scope, Symbol, declared_names, walk_nodes
from polyloop.frontend.syntax import c_text, number, operation, statements_of, variables, with_parts

_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
LEFT, VALUE = "polyloop_left", "polyloop_value"


def without_returns(found: Found, scope: Scope, declarations: Declarations) -> Found:
    """The region without ``return`` in its last statement, a loop or what has one inside; itself where that is not to
    be had. Variables that this takes are added to the scope."""
    *before, last = found.items or (c_ast.EmptyStatement(),)
    if not _has_return(last) or any(map(_has_return, before)):
        return found
    leaving = _Returns(declared_names(found.items))
    items = leaving.statement(last, None)
    if items is None or _has_return(c_ast.Compound(items)) or not leaving.behind:
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
    first = _set(LEFT, 0, last)
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


def _has_return(node: c_ast.Node | None) -> bool:
    return any(isinstance(n, c_ast.Return) for n in walk_nodes(node))


def _set(name: str, value: int, place: c_ast.Node) -> c_ast.Node:
    return c_ast.Assignment("=", c_ast.ID(name, place.coord), number(value, place), place.coord)


@dataclass
class _Returns:
    """Takes ``return`` out of statements.

    Attributes:
        declared: variables of the region.
        behind: what returns, as C.
        values: whether there are values that only the region knows.
    """

    declared: set[str]
    behind: list[str] = field(default_factory=list)
    values: bool = False

    def block(self, items: list[c_ast.Node], loop: c_ast.Node | None) -> list[c_ast.Node] | None:
        """Statements of a block inside of a loop, or of none."""
        result: list[c_ast.Node] = []
        for position, item in enumerate(items):
            if not _has_return(item):
                result.append(item)
                continue
            new = self.statement(item, loop)
            if new is None or (loop is None and position < len(items) - 1):
                return None  # outside of loops all that follows would have to ask
            result += new
            if isinstance(item, c_ast.Return):
                break
        return result

    def statement(self, node: c_ast.Node, loop: c_ast.Node | None) -> list[c_ast.Node] | None:
        """What a statement with a ``return`` becomes; None where it cannot."""
        match node:
            case c_ast.Return() if loop is not None:
                return self._leave(node)
            case c_ast.Compound():
                inner = self.block(list(node.block_items or ()), loop)
                return None if inner is None else [c_ast.Compound(inner, node.coord)]
            case c_ast.If():
                branches = [self.block(statements_of(branch), loop) for branch in (node.iftrue, node.iffalse)]
                if None in branches:
                    return None
                then, otherwise = (c_ast.Compound(branch, node.coord) for branch in branches)
                return [c_ast.If(node.cond, then, otherwise if otherwise.block_items else None, node.coord)]
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                body = self.block(statements_of(node.stmt), node)
                if body is None:
                    return None
                new = with_parts(node, stmt=c_ast.Compound(body, node.stmt.coord))
                if loop is None:
                    return [new]
                asked = operation("!=", c_ast.ID(LEFT, node.coord), number(0, node))
                return [new, c_ast.If(asked, c_ast.Compound([c_ast.Break(node.coord)]), None, node.coord)]
        return None

    def _leave(self, node: c_ast.Return) -> list[c_ast.Node]:
        kept: list[c_ast.Node] = []
        text = "" if node.expr is None else f" {c_text(node.expr)}"
        if not self.declared.isdisjoint(inner.name for inner in variables(node.expr)):
            self.values, text = True, f" {VALUE}"
            kept = [c_ast.Assignment("=", c_ast.ID(VALUE, node.coord), node.expr, node.coord)]
        statement = f"return{text};"
        known = next((k for k, other in enumerate(self.behind, 1) if other.endswith(f") {statement}")), None)
        count = known if known is not None else len(self.behind) + 1
        if known is None:
            self.behind.append(f"if ({LEFT} == {count}) {statement}")
        return [*kept, _set(LEFT, count, node), c_ast.Break(node.coord)]
