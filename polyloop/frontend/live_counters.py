"""Is a counter's last value, or a local variable of the region, used behind it?

The region's loops are replaced by others, so that a counter that is declared outside has no defined value after them.
"""

from __future__ import annotations

from collections.abc import Iterable

from pycparser import c_ast

from polyloop.frontend.names import loop_counter
from polyloop.frontend.refusals import Refusal
from polyloop.frontend.region import Region
from polyloop.frontend.regions import Found
from polyloop.frontend.scopes import walk_nodes

_JUMPS = (c_ast.Goto, c_ast.Break, c_ast.Continue, c_ast.Switch, c_ast.Label)


def check_live_out(region: Region, found: Found) -> None:
    """Raises:
    Refusal: where a counter declared outside is read after the region before it is set again, or a variable
        that is declared at the region's top level is used after it.
    """
    for name in sorted(region.names.outer.counters):
        read = _exposed_read(name, found)
        if read is not None:
            raise Refusal("counter-value", f"the counter {name} is read after the region, here", read)
    declared = {item.name for item in found.items if isinstance(item, c_ast.Decl)}
    for node in found.after[0]:
        for inner in walk_nodes(node):
            if isinstance(inner, c_ast.ID) and inner.name in declared:
                raise Refusal("declaration", f"{inner.name} is declared inside the region and used after it", inner)
    labels = {n.name for item in found.items for n in walk_nodes(item) if isinstance(n, c_ast.Label)}
    for inner in walk_nodes(found.function.body):
        if isinstance(inner, c_ast.Goto) and inner.name in labels:
            raise Refusal("goto", f"a goto leads to the label {inner.name} inside the region", inner)


def _exposed_read(name: str, found: Found) -> c_ast.Node | None:
    """A read of the counter that its value after the region may reach."""
    behind = [node for block in found.after for node in block]
    if not any(isinstance(n, _JUMPS) for n in walk_nodes(found.function.body)):
        if found.around:
            # Behind the region come the rest of the loop's body, its header, and the body again.
            outermost = found.around[0]
            return _first_use(name, [outermost, *found.after[-1]]) or _exposed(name, [outermost])
        return _first_use(name, behind)
    return _exposed(name, [*found.around, *behind])


def _exposed(name: str, nodes: Iterable[c_ast.Node]) -> c_ast.Node | None:
    """A read outside of all for loops that set the counter themselves."""
    for node in nodes:
        match node:
            case c_ast.ID():
                if node.name == name:
                    return node
            case c_ast.For() if loop_counter(node) == name:
                continue
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target)) if target == name:
                read = _exposed(name, [node.rvalue])
                if read is not None:
                    return read
            case _:
                read = _exposed(name, [child for _, child in node.children()])
                if read is not None:
                    return read
    return None


_WRITTEN = object()


def _first_use(name: str, nodes: Iterable[c_ast.Node]) -> c_ast.Node | None:
    found = _scan(name, nodes)
    return found if isinstance(found, c_ast.Node) else None


def _scan(name: str, nodes: Iterable[c_ast.Node]) -> object | None:
    """The first read in order, `_WRITTEN` where the counter is set on every way before one, or None."""
    for node in nodes:
        result = _scan_one(name, node)
        if result is not None:
            return result
    return None


def _scan_one(name: str, node: c_ast.Node) -> object | None:
    if isinstance(node, c_ast.ID):
        found: object = node if node.name == name else None
        return found
    match node:
        case c_ast.Return():
            read = _scan(name, [node.expr] if node.expr is not None else [])
            return _WRITTEN if read is None else read
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target)) if target == name:
            read = _scan(name, [node.rvalue])
            return _WRITTEN if read is None else read
        case c_ast.If():
            condition = _scan_one(name, node.cond)
            if condition is not None:
                return condition
            branches = [_scan(name, [b] if b is not None else []) for b in (node.iftrue, node.iffalse)]
            reads: list[object] = [b for b in branches if isinstance(b, c_ast.Node)]
            if reads:
                return reads[0]
            return _WRITTEN if all(b is _WRITTEN for b in branches) else None
        case c_ast.For():
            header = _scan(name, [n for n in (node.init, node.cond) if n is not None])
            if header is not None:
                return header
            return _read_in(_scan(name, [n for n in (node.stmt, node.next) if n is not None]))
        case c_ast.While():
            header = _scan_one(name, node.cond)
            if header is not None:
                return header
            return _read_in(_scan_one(name, node.stmt))
    return _scan(name, [child for _, child in node.children()])


def _read_in(result: object | None) -> object | None:
    """Of a body that may not run at all, only a read counts."""
    return None if result is _WRITTEN else result
