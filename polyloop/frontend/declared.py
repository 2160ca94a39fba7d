"""The declarations that a region's text needs to be compiled without the function around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import copy

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from polyloop.frontend.regions import Found
from polyloop.frontend.scopes import parameters_of
from polyloop.scop.program import Declaration


def declarations(found: Found, globals_: Mapping[str, c_ast.Decl]) -> tuple[Declaration, ...]:
    """The variables declared outside of a region that its text names, and those that their declarations name.

    Args:
        globals_: of the file, up to the function.
    """
    visible = {name: (node, "global") for name, node in globals_.items()}
    visible |= {node.name: (node, "parameter") for node in parameters_of(found.function)}
    for block in found.before:
        visible |= {node.name: (node, "local") for node in _declared(block)}
    needed: dict[str, Declaration] = {}
    for item in found.items:
        _add(item, visible, needed)
    return tuple(needed.values())


def _declared(block: Iterable[c_ast.Node]) -> Iterator[c_ast.Decl]:
    for node in block:
        for each in node.decls if isinstance(node, c_ast.DeclList) else [node]:
            if isinstance(each, c_ast.Decl) and each.name and not isinstance(each.type, c_ast.FuncDecl):
                yield each


def _add(node: c_ast.Node, visible: Mapping[str, tuple[c_ast.Decl, str]], needed: dict[str, Declaration]) -> None:
    """Those that a tree names, each behind what it depends on."""
    for name in _names(node):
        if name in needed or name not in visible:
            continue
        declared, place = visible[name]
        others = {key: entry for key, entry in visible.items() if key != name}
        _add(declared.type, others, needed)
        if _is_constant(declared, place):
            _add(declared.init, others, needed)
        needed[name] = _declaration(declared, place)


def _names(node: c_ast.Node) -> Iterator[str]:
    """Of variables; members of structures are none."""
    if isinstance(node, c_ast.ID):
        yield str(node.name)
    children = [node.name] if isinstance(node, c_ast.StructRef) else [child for _, child in node.children()]
    for child in children:
        yield from _names(child)


def _is_constant(node: c_ast.Decl, place: str) -> bool:
    return place == "local" and "const" in node.quals and node.init is not None


def _declaration(node: c_ast.Decl, place: str) -> Declaration:
    declared = copy(node)
    declared.storage, declared.funcspec, declared.align, declared.init, declared.bitsize = [], [], [], None, None
    if place != "parameter" and isinstance(node.type, c_ast.ArrayDecl):
        declared.type = copy(node.type)
        declared.type.dim_quals = [*(node.type.dim_quals or ()), "restrict"]
    generator = CGenerator()
    # A keyword only from C99 on, and not of C++.
    text = re.sub(r"\brestrict\b", "__restrict", str(generator.visit(declared)))
    value = str(generator.visit(node.init)) if _is_constant(node, place) else ""
    return Declaration(str(node.name), text, value, place)
