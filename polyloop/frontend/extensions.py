"""GNU C that the syntax tree has other words for: types of expressions, and blocks with a value.

    #define min(a, b) ({ typeof(a) _a = (a); typeof(b) _b = (b); _a < _b ? _a : _b; })
    for (i = 0; i < min(n, m); i++)        ->        for (i = 0; i < ((int)n < (int)m ? (int)n : (int)m); i++)

The parser knows no ``typeof``, which C23 has, too. It sees a union that nobody else writes, with the parentheses as its
member's extent, of which the type takes the place as soon as all names in it are known. A block with a value that
declares what nothing changes is an expression; others stay, for `polyloop.frontend.jumps`.
"""

from __future__ import annotations

from itertools import islice

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType, Opaque, Pointer, Record
from polyloop.backend.c.text import scalar_name
from polyloop.frontend.expression_types import number_type, type_of
from polyloop.frontend.parse import TYPEOF_MEMBER
from polyloop.frontend.scopes import Declarations, Scope, does_anything, forget_walks, parameters_of, walk_nodes
from polyloop.frontend.syntax import map_children, replaced, with_parts

_MOST_NODES = 200
"""Of an expression that takes the place of a block: blocks in blocks may name each value several times."""

_STATEMENTS = frozenset(("stmt", "stmts", "iftrue", "iffalse", "body", "block_items"))
"""Attributes of nodes that hold statements, whose blocks have no value."""

_PLACES = (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef, c_ast.Cast)
"""Whose types are declared, as they are."""

_NO_VALUE = (
    *(c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.If, c_ast.Switch, c_ast.Return, c_ast.Goto, c_ast.Break),
    *(c_ast.Continue, c_ast.Label, c_ast.Decl, c_ast.EmptyStatement),
)


def settle(node: c_ast.Node, declarations: Declarations, scope: Scope) -> None:
    """Write what an external declaration has of these in standard C, in its own tree."""
    forget_walks()
    _settle(node, declarations, scope)
    forget_walks()


def _settle(node: c_ast.Node, declarations: Declarations, scope: Scope) -> None:
    match node:
        case c_ast.Compound() | c_ast.For():
            scope = Scope(scope)
        case c_ast.FuncDef() as function:
            _parts(node.decl, declarations, scope)
            scope, node = Scope(scope), function.body
            for parameter in parameters_of(function):
                declarations.declare(parameter, scope, "parameter")
    _parts(node, declarations, scope)


def _parts(node: c_ast.Node, declarations: Declarations, scope: Scope) -> None:
    for name in node.__slots__:
        part = getattr(node, name, None) if name != "__weakref__" else None
        if isinstance(part, c_ast.Node):
            valued = isinstance(node, c_ast.TernaryOp) or name not in _STATEMENTS
            setattr(node, name, _settled(part, declarations, scope, valued))
        elif isinstance(part, list):
            setattr(node, name, [_settled(each, declarations, scope, name not in _STATEMENTS) for each in part])
        if name == "type" and isinstance(node, c_ast.Decl | c_ast.Typedef):
            declarations.declare(node, scope, "local")


def _settled(part: object, declarations: Declarations, scope: Scope, valued: bool) -> object:
    """A part of a node, or what takes its place; `valued`: it is an expression, or a type."""
    if isinstance(part, c_ast.TypeDecl) and (inside := _inside(part)) is not None:
        inner = _settled(inside, declarations, scope, valued=True)
        assert isinstance(inner, c_ast.Node)
        return _type_in_place(part, inner, declarations, scope)
    if isinstance(part, c_ast.Node):
        _settle(part, declarations, scope)
    if isinstance(part, c_ast.Compound) and valued:
        return _value(part, declarations, scope) or part
    if isinstance(part, c_ast.Assignment) and not valued:
        before: list[c_ast.Node] = []
        value = _lifted(part, before, declarations)
        return c_ast.Compound([*before, value], part.coord) if before else part
    return part


def _value(block: c_ast.Compound, declarations: Declarations, scope: Scope) -> c_ast.Node | None:
    """The expression that a block's value is, of which nothing but declarations of numbers stands before it."""
    if (plain := _plain(block)) is None:
        return None
    values: dict[str, c_ast.Node] = {}
    for item in plain[0]:
        type_ = declarations.resolve(item.type, scope)
        products = any(isinstance(n, c_ast.BinaryOp) and n.op == "*" for n in walk_nodes(item.init))
        # What was a statement of its own must not be fused with what it is added to.
        if not isinstance(type_, Arithmetic) or type_.volatile or (type_.scalar.is_float and products):
            return None
        specifier = c_ast.TypeDecl(None, [], None, item.type.type, item.coord)
        to = c_ast.Typename(None, [], None, specifier, item.coord)
        values[item.name] = c_ast.Cast(to, replaced(item.init, values), item.coord)
    value = replaced(plain[1], values)
    return None if next(islice(walk_nodes(value), _MOST_NODES, None), None) is not None else value


def _lifted(node: c_ast.Node, before: list[c_ast.Node], declarations: Declarations) -> c_ast.Node:
    """An expression without blocks that are evaluated in any case: what they declare goes before it, by other names."""
    match node:
        case c_ast.TernaryOp() | c_ast.BinaryOp(op="&&" | "||"):
            return node
        case c_ast.Compound():
            if (plain := _plain(node)) is None:
                return node
            names: dict[str, c_ast.Node] = {}
            for item in plain[0]:
                fresh = f"{item.name}_{declarations.index(item)}"  # a token's number, which no other has
                type_ = with_parts(item.type, declname=fresh)
                before.append(with_parts(item, name=fresh, type=type_, init=replaced(item.init, names)))
                names[item.name] = c_ast.ID(fresh, item.coord)
            return replaced(plain[1], names)
    return map_children(node, lambda child: _lifted(child, before, declarations))


def _plain(block: c_ast.Compound) -> tuple[list[c_ast.Decl], c_ast.Node] | None:
    """The declarations of a block and its value, if it consists of them and no part of it does anything else."""
    *before, last = block.block_items or (c_ast.EmptyStatement(),)
    declared = [d for d in before if isinstance(d, c_ast.Decl) and isinstance(d.type, c_ast.TypeDecl) and d.init]
    if len(declared) < len(before) or any(d.storage for d in declared) or isinstance(last, _NO_VALUE):
        return None
    parts = [*(d.init for d in declared), last]
    # A block inside of it may declare the same names.
    blocks = any(isinstance(n, c_ast.Compound) for part in parts for n in walk_nodes(part))
    return None if blocks or any(map(does_anything, parts)) else (declared, last)


def _inside(node: c_ast.TypeDecl) -> c_ast.Node | None:
    """What stands in the parentheses."""
    match node.type:
        case c_ast.Union(decls=[c_ast.Decl(name=name, type=c_ast.ArrayDecl(dim=dim))]) if name == TYPEOF_MEMBER:
            return dim.expr
    return None


def _type_in_place(node: c_ast.TypeDecl, inner: c_ast.Node, declarations: Declarations, scope: Scope) -> c_ast.Node:
    if isinstance(inner, c_ast.Typename):
        type_: CType | None = declarations.resolve(inner, scope)
    else:
        type_ = type_of(inner, scope, declarations)
        if isinstance(type_, Arithmetic) and not isinstance(inner, _PLACES):
            scalar = number_type(inner, scope, declarations)
            type_ = Arithmetic(scalar) if scalar is not None else None
    words = c_ast.IdentifierType(["__typeof__"], node.coord)  # of which nobody knows anything
    return _declarator(type_, node) or c_ast.TypeDecl(node.declname, node.quals, node.align, words, node.coord)


def _declarator(type_: CType | None, node: c_ast.TypeDecl) -> c_ast.Node | None:
    def named(inner: c_ast.Node) -> c_ast.Node:
        return c_ast.TypeDecl(node.declname, node.quals, node.align, inner, node.coord)

    match type_:
        case Arithmetic(volatile=False):
            words = ["_Bool"] if type_.boolean else scalar_name(type_.scalar).split()
            return named(c_ast.IdentifierType(words, node.coord))
        case Opaque(what) | Record(what) if len(what.split()) == 2 and what.split()[0] in ("struct", "union"):
            kind, tag = what.split()
            return named((c_ast.Struct if kind == "struct" else c_ast.Union)(tag, None, node.coord))
        case Opaque("void"):
            return named(c_ast.IdentifierType(["void"], node.coord))
        case Pointer(target, volatile=False):
            inner = _declarator(target, node)
            return None if inner is None else c_ast.PtrDecl([], inner, node.coord)
        case ArrayOf(element, extent):
            inner = _declarator(element, node)
            return None if inner is None else c_ast.ArrayDecl(inner, extent, [], node.coord)
    return None
