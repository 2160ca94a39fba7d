"""A number's bits as another number, in the three ways that C has for it.

    memcpy(&u, &x[i], sizeof u);               u = bits of x[i];
    memcpy(&word, bytes + i, 4);       ->      word = *(unsigned *)(bytes + i);
    i = *(int *)&y;                            i = bits of y;
    union { float f; uint32_t i; } v;          unsigned v;
    v.f = x; ... v.i >> 23                     v = bits of (float)x; ... v >> 23
    union { long all; struct { int low, high; } half; } w;    w = (w & 0xffffffff) | (unsigned long)k << 32
    w.half.high = k

"bits of" is a call that `polyloop.frontend.values` knows (`polyloop.arithmetic.VIEWS`). A member of a union reads what
another one has stored as its own representation (C17 6.5.2.3, footnote 97); the cast is undefined (6.5, 7), and means
the same to every compiler that takes it. Where functions take the addresses of numbers for such copies only, calls of
them can be replaced by their bodies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType, Pointer, Record
from polyloop.backend.ir.expressions import U32, U64, ScalarType
from polyloop.frontend.expression_types import elements_of, type_of
from polyloop.frontend.layouts import offset_of, size_and_alignment
from polyloop.frontend.memory_blocks import bare_pointer, element_of, size_in_bytes
from polyloop.frontend.scopes import Scope, Symbol, does_anything, walk_nodes
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    cast,
    declaration,
    map_bodies,
    map_children,
    number,
    operation,
    pointer_cast,
    variables,
    viewed,
    with_parts,
)

_WHOLE = {4: U32, 8: U64}


class _Member(NamedTuple):
    """Of a union: its type, or that of an array's elements; its first bit."""

    type: ScalarType
    first: int = 0


_Members = Mapping[str, _Member]
"""By names, with ``half.low`` for members of structures."""


def view_bits(items: Items, around: Surroundings) -> Items:
    """The statements with the bits of numbers where they are copied, cast, or share a union."""
    nodes = [node for item in items for node in walk_nodes(item)]
    if not any(map(_may_view, nodes)):
        return items
    declared = [node for node in nodes if isinstance(node, c_ast.Decl) and node.name]
    scope = Scope(around.scope)
    count = Counter(node.name for node in declared)
    outside = {name: around.scope.lookup(name) for name in count}
    count.update(name for name, symbol in outside.items() if symbol is not None and symbol.kind != "function")
    for node in declared:
        around.declarations.declare(node, scope, "local")
    unions = {}
    for node in declared:
        members = _members(scope.lookup(node.name))
        plain = not node.storage and "volatile" not in node.quals
        if members is not None and plain and count[node.name] == 1:
            unions[node.name] = members
    for name in _otherwise_used(nodes, unions):
        unions.pop(name, None)
    views = _Views(around, scope, unions, frozenset(name for name in count if count[name] > 1))
    return tuple(map(views.statement, items))


def body_with_views(function: c_ast.FuncDef, parameters: list[c_ast.Decl], around: Surroundings) -> c_ast.FuncDef:
    """A function whose body has been gone through so."""
    scope = Scope(around.scope)
    for parameter in parameters:
        around.declarations.declare(parameter, scope, "parameter")
    (body,) = view_bits((function.body,), replace(around, scope=scope))
    return with_parts(function, body=body)


def _may_view(node: c_ast.Node) -> bool:
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name="memcpy")) | c_ast.StructRef(name=c_ast.ID(), type="."):
            return True
        case c_ast.UnaryOp(op="*", expr=c_ast.Cast()):
            return True
    return False


def _members(symbol: Symbol | None) -> _Members | None:
    """The members of a union of numbers of one size, 4 or 8 bytes, and of arrays and structures of parts of them."""
    type_ = None if symbol is None else symbol.type
    if not isinstance(type_, Record) or not type_.union:
        return None
    members: dict[str, _Member] = {}
    for name, member in type_.members:
        inner = _parts(member) if isinstance(member, Record) else {"": (member, 0)}
        for part, (of_part, first) in inner.items():
            scalar = _number(of_part.element if isinstance(of_part, ArrayOf) and not part else of_part)
            if scalar is None or not name:
                return None
            members[f"{name}{part}"] = _Member(scalar, first)
        if not inner:
            return None
    layout = size_and_alignment(type_)
    whole = {m.type.bytes for m in members.values() if layout is not None and m.type.bytes == layout[0]}
    parts = all(m.type.bytes in whole or not m.type.is_float for m in members.values())
    known = parts and whole & _WHOLE.keys() and not isinstance(type_.members[0][1], ArrayOf | Record)
    return members if known else None


def _parts(record: Record) -> dict[str, tuple[CType, int]]:
    """The members of a structure with their first bits; none where they are not known."""
    found: dict[str, tuple[CType, int]] = {}
    for name, type_ in record.members:
        place = offset_of(record, name) if name is not None else None
        if place is None or record.union:
            return {}
        found[f".{name}"] = type_, 8 * place[0]
    return found


def _named(node: c_ast.Node) -> tuple[c_ast.ID, str, c_ast.Node | None] | None:
    """A variable, a member of it by its name in `_Members`, and what a subscript behind that says."""
    match node:
        case c_ast.StructRef(name=c_ast.ID() as variable, type="."):
            return variable, node.field.name, None
        case c_ast.ArrayRef(name=c_ast.StructRef(name=c_ast.ID() as variable, type=".", field=field)):
            return variable, field.name, node.subscript
        case c_ast.StructRef(name=c_ast.StructRef(name=c_ast.ID() as variable, type=".", field=field), type="."):
            return variable, f"{field.name}.{node.field.name}", None
    return None


def _otherwise_used(nodes: list[c_ast.Node], unions: Mapping[str, _Members]) -> set[str]:
    """Unions of which more is used than a member that is read or assigned to."""
    plain, names = set[int](), set[str]()
    for node in nodes:
        named = _named(node)
        members = unions.get(named[0].name, {}) if named is not None else {}
        # What has a subscript, or a name in a structure, is a part, and nothing else is.
        if named is not None and named[1] in members:
            part = isinstance(named[2], c_ast.Constant) or "." in named[1]
            plain.update({id(named[0])} if part != _is_all(members, named[1]) else ())
        match node:
            case c_ast.UnaryOp(op="&" | "++" | "--" | "p++" | "p--" | "sizeof", expr=inner):
                names.update(named[0].name for named in (_named(inner),) if named is not None)
            case c_ast.Decl(name=name, init=init) if name in unions and not _is_of_one(init, unions[name]):
                names.add(name)
    return names | {n.name for n in nodes if isinstance(n, c_ast.ID) and n.name in unions and id(n) not in plain}


def _is_all(members: _Members, name: str) -> bool:
    """Is this one of a union's members, and no array of parts?"""
    return name in members and members[name].type.bytes == _whole(members).bytes


def _is_of_one(init: c_ast.Node | None, members: _Members) -> bool:
    """Is a union's initial value, if it has one, that of one member?"""
    match init:
        case None:
            return True
        case c_ast.InitList(exprs=[c_ast.NamedInitializer(name=[c_ast.ID(name=name)])]):
            return _is_all(members, name)
        case c_ast.InitList(exprs=[value]):
            return not isinstance(value, c_ast.NamedInitializer | c_ast.InitList)
    return False


@dataclass(frozen=True)
class _View:
    """An lvalue that stands for the bits of an object of another type, or for those from `first` on."""

    place: c_ast.Node
    given: ScalarType
    wanted: ScalarType
    first: int = 0

    def value(self) -> c_ast.Node:
        if self.wanted.bits < self.given.bits:
            return cast(operation(">>", self.place, number(self.first, self.place)), self.wanted)
        return viewed(self.place, self.given, self.wanted)

    def stored(self, value: c_ast.Node) -> c_ast.Node:
        """What the object holds after an assignment."""
        if self.wanted.bits == self.given.bits:
            return viewed(cast(value, self.wanted), self.wanted, self.given)
        ones = cast(number((1 << self.wanted.bits) - 1, value), self.given)
        new = operation("&", cast(cast(value, self.wanted), self.given), ones)
        first = number(self.first, value)
        left = operation("&", self.place, c_ast.UnaryOp("~", operation("<<", ones, first), value.coord))
        return operation("|", left, operation("<<", new, first))


@dataclass(frozen=True)
class _Views:
    """
    Attributes:
        scope: all names of the region; `twice`: those that mean several things in it.
        unions: their members.
    """

    around: Surroundings
    scope: Scope
    unions: Mapping[str, _Members]
    twice: frozenset[str]

    def statement(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.FuncCall(name=c_ast.ID(name="memcpy"), args=c_ast.ExprList(exprs=[target, source, size])):
                return self.visit(self._copied(target, source, size) or node)
            case c_ast.Compound() | c_ast.Label() | c_ast.Case() | c_ast.Default() | c_ast.Switch():
                return map_children(node, self.statement)
            case c_ast.For() | c_ast.If() | c_ast.While() | c_ast.DoWhile():
                return map_bodies(node, self.statement, header=self.visit)
        return self.visit(node)

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.Decl(name=name) if name in self.unions:
                return declaration(name, _whole(self.unions[name]), self._initial(node), node)
            case c_ast.Assignment(op=operator, lvalue=target) if operator != "=" and does_anything(target):
                return node  # the place would be named twice
            case c_ast.Assignment(lvalue=target) if (view := self._view(target)) is not None:
                value = self.visit(node.rvalue)
                if node.op != "=":
                    value = operation(node.op.removesuffix("="), view.value(), value)
                return c_ast.Assignment("=", view.place, view.stored(value), node.coord)
            case c_ast.UnaryOp(op="&" | "sizeof" | "++" | "--" | "p++" | "p--"):
                return node
        view = self._view(node)
        return view.value() if view is not None else map_children(node, self.visit)

    def _view(self, node: c_ast.Node) -> _View | None:
        named = _named(node)
        if named is not None and named[0].name in self.unions:
            members = self.unions[named[0].name]
            whole, (part, first) = _whole(members), members[named[1]]
            if named[2] is not None:
                first += (self.around.declarations.constant(named[2], self.scope) or 0) * part.bits
            return _View(named[0], whole, part, first) if first < whole.bits else None
        match node:
            case c_ast.UnaryOp(op="*", expr=c_ast.Cast(expr=inner, to_type=to_type)) if self._is_known(inner):
                declarations = self.around.declarations
                pointer = declarations.resolve(to_type, self.scope)
                wanted = _number(pointer.target) if isinstance(pointer, Pointer) else None
                given = _number(elements_of(type_of(inner, self.scope, declarations)))
                if given is None or wanted is None or given.bits != wanted.bits or given.bytes not in _WHOLE:
                    return None
                return _View(_pointee(inner), given, wanted) if given.is_float != wanted.is_float else None
        return None

    def _initial(self, node: c_ast.Decl) -> c_ast.Node | None:
        members = self.unions[node.name]
        match node.init:
            case c_ast.InitList(exprs=[c_ast.NamedInitializer(name=[c_ast.ID(name=name)], expr=value)]):
                first = name
            case c_ast.InitList(exprs=[value]):
                first = next(iter(members))
            case None if any(member.type.bits < _whole(members).bits for member in members.values()):
                return number(0, node)  # parts of it are stored one by one
            case _:
                return None
        return _View(node, _whole(members), members[first].type).stored(self.visit(value))

    def _copied(self, target: c_ast.Node, source: c_ast.Node, size: c_ast.Node) -> c_ast.Node | None:
        """``memcpy(&x, p, sizeof x)`` of a number of 4 or 8 bytes as an assignment; what lies in smaller parts is
        a word (`polyloop.frontend.words`)."""
        bytes_ = size_in_bytes(size, self.scope, self.around.declarations)
        word = _WHOLE.get(bytes_ or 0)
        types = [element_of(pointer, self.scope, self.around.declarations) for pointer in (target, source)]
        if word is None or not (self._is_known(target) and self._is_known(source)):
            return None
        places, numbers = list[c_ast.Node](), list[ScalarType]()
        for pointer, type_ in zip((target, source), types, strict=True):
            if type_ is None or type_.scalar.bytes > word.bytes:
                return None
            whole = type_.scalar.bytes == word.bytes
            bare = bare_pointer(pointer)
            numbers.append(type_.scalar if whole else word)
            places.append(_pointee(bare) if whole else c_ast.UnaryOp("*", pointer_cast(bare, word), pointer.coord))
        if not any(type_ is not None and type_.scalar in numbers for type_ in types):
            return None
        return c_ast.Assignment("=", places[0], viewed(places[1], numbers[1], numbers[0]), target.coord)

    def _is_known(self, node: c_ast.Node) -> bool:
        return not any(variable.name in self.twice for variable in variables(node))


def _whole(members: _Members) -> ScalarType:
    return _WHOLE[max(member.type.bytes for member in members.values())]


def _number(type_: CType | None) -> ScalarType | None:
    plain = isinstance(type_, Arithmetic) and not type_.boolean and not type_.volatile
    return type_.scalar if plain and isinstance(type_, Arithmetic) else None


def _pointee(pointer: c_ast.Node) -> c_ast.Node:
    """What a pointer points to."""
    if isinstance(pointer, c_ast.UnaryOp) and pointer.op == "&":
        return pointer.expr
    return c_ast.UnaryOp("*", pointer, pointer.coord)
