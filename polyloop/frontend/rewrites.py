"""Rewrites of a region's syntax tree into forms that the readers know.

What people write in many ways (row pointers, copies of integers, calls of small functions) becomes subscripts, bounds
and statements of the one way that is read. A rewrite keeps what the program does at every point, and the place in the
file of every node, so that remarks point at what stands there. What it cannot prove it leaves as it is, for the reader
to refuse. A region is rewritten only where it cannot be read as it stands.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from pycparser import c_ast

from polyloop.frontend.regions import Found
from polyloop.frontend.scopes import Declarations, Scope

Items: TypeAlias = "tuple[c_ast.Node, ...]"


@dataclass(frozen=True)
class Surroundings:
    """What a rewrite may ask.

    Attributes:
        found: the region as it was found, with what stands before and after it in its function.
        scope: the names that are visible at its beginning; a rewrite may add symbols of its own.
        declarations: makes symbols and types of declarations inside it.
    """

    found: Found
    scope: Scope
    declarations: Declarations


Rewrite: TypeAlias = Callable[[Items, Surroundings], Items]

REWRITES: tuple[Rewrite, ...] = ()
"""In this order; each finds what the ones before it have left."""


def rewritten(found: Found, scope: Scope, declarations: Declarations) -> Found:
    """The region with other statements that do the same; itself where there is nothing to rewrite."""
    around = Surroundings(found, scope, declarations)
    items = found.items
    for rewrite in REWRITES:
        items = rewrite(items, around)
    return found if items == found.items else replace(found, items=items)


def map_children(node: c_ast.Node, visit: Callable[[c_ast.Node], c_ast.Node]) -> c_ast.Node:
    """The node over what `visit` makes of its children: itself, if that is all the same."""
    changed: dict[str, object] = {}
    for name in node.__slots__:
        value = getattr(node, name, None)
        if isinstance(value, c_ast.Node):
            new: object = visit(value)
        elif isinstance(value, list) and any(isinstance(item, c_ast.Node) for item in value):
            visited = [visit(item) if isinstance(item, c_ast.Node) else item for item in value]
            new = value if all(a is b for a, b in zip(value, visited, strict=True)) else visited
        else:
            continue
        if new is not value:
            changed[name] = new
    if not changed:
        return node
    result = copy.copy(node)
    for name, new in changed.items():
        setattr(result, name, new)
    return result
