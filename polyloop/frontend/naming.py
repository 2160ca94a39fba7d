"""Names that are one thing each: a rewrite that moves expressions about must not have one name mean two things.

`distinct` gives every variable that is declared inside a region a name of its own, which no C program has; `plain`
gives them back the name that was written, or one like it where another thing of that name is used beside it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from pycparser import c_ast

from polyloop.frontend.scopes import Scope, declared_names, kinds_in, used_names
from polyloop.frontend.syntax import Items, map_children, with_parts

_MARK = "#"


def own_name(name: str, count: int) -> str:
    """A name that C does not have, for a variable that was written as `name`."""
    return f"{written_name(name)}{_MARK}{count}"


def written_name(name: str) -> str:
    """What was written for it."""
    return name.partition(_MARK)[0]


def is_own(name: str) -> bool:
    return _MARK in name


def distinct(items: Items) -> Items:
    """The statements with a name for every variable that a block or a loop inside them declares.

    Variables that the region's top level declares keep theirs: they may be used behind it.
    """
    return tuple(Distinct().visited(list(items), {}, keep=True))


@dataclass
class Distinct:
    """Gives names; `count` of them so far."""

    count: int = 0

    def visited(self, nodes: list[c_ast.Node], names: dict[str, str], keep: bool = False) -> list[c_ast.Node]:
        """The statements of one block, whose declarations are added to `names` as they come."""
        return [self.visit(node, names, keep) for node in nodes]

    def visit(self, node: c_ast.Node, names: dict[str, str], keep: bool = False) -> c_ast.Node:
        if used_names(node).isdisjoint(names) and c_ast.Decl not in kinds_in(node):
            return node
        match node:
            case c_ast.Compound():
                return with_parts(node, block_items=self.visited(node.block_items or [], dict(names)))
            case c_ast.For():
                inner = dict(names)
                return map_children(node, lambda child: self.visit(child, inner))
            case c_ast.Decl() if node.name is not None and not isinstance(node.type, c_ast.FuncDecl):
                return self._declaration(node, names, keep)
            case c_ast.ID():
                name = names.get(node.name, node.name)
                return node if name == node.name else c_ast.ID(name, node.coord)
            case c_ast.DeclList() | c_ast.ExprList():
                return map_children(node, lambda child: self.visit(child, names, keep))
        return map_children(node, lambda child: self.visit(child, names))

    def _declaration(self, node: c_ast.Decl, names: dict[str, str], keep: bool) -> c_ast.Node:
        type_ = self.visit(node.type, names)
        # The variable is visible in its own initial value.
        if not keep and not {"static", "extern"} & set(node.storage):
            self.count += 1
            names[node.name] = own_name(node.name, self.count)
        else:
            names.pop(node.name, None)
        init = self.visit(node.init, names) if node.init is not None else None
        return with_parts(node, name=names.get(node.name, node.name), type=type_, init=init)


def plain(items: Items, scope: Scope) -> Items:
    """The statements with names that C has: each variable's own where nothing else of that name is used."""
    used = {name for item in items for name in used_names(item) if not is_own(name)}
    used |= {name for name in declared_names(items) if not is_own(name)}
    return tuple(map(_Plain(used, scope, {}, Counter()).visit, items))


@dataclass
class _Plain:
    used: set[str]
    scope: Scope
    names: dict[str, str]
    active: Counter[str]

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        if not any(map(is_own, used_names(node))) and c_ast.Decl not in kinds_in(node):
            return node
        match node:
            case c_ast.Compound() | c_ast.For():
                before = self.active.copy()
                result = map_children(node, self.visit)
                self.active = before
                return result
            case c_ast.Decl() if node.name is not None and is_own(node.name):
                self.names[node.name] = self._chosen(written_name(node.name))
                self.active[self.names[node.name]] += 1
                return with_parts(map_children(node, self.visit), name=self.names[node.name])
            case c_ast.ID():
                name = self.names.get(node.name, node.name)
                return node if name == node.name else c_ast.ID(name, node.coord)
        return map_children(node, self.visit)

    def _chosen(self, base: str) -> str:
        name, count = base, 1
        while name in self.used or self.active[name] or (name != base and self.scope.lookup(name) is not None):
            count += 1
            name = f"{base}_{count}"
        return name
