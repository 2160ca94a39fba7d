"""Rewrites structures that a region declares or assigns into variables and assignments of their members.

Unions that have the same numbers under several names, ``union { struct { float x, y, z; }; float v[3]; }``, are
structures of the array: ``p.y`` is ``p.v[1]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from typing import NamedTuple

from pycparser import c_ast

from polyloop.arithmetic import COMPLEX_PARTS, Arithmetic, ArrayOf, CType, Pointer, Record, integer_literal, leaves
from polyloop.backend.c.text import scalar_name
from polyloop.backend.ir.expressions import I64
from polyloop.frontend.expression_types import complete, type_of
from polyloop.frontend.layouts import offset_of, size_and_alignment
from polyloop.frontend.scopes import Scope, Symbol, assigned_name, declared_names, walk_nodes
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    as_one,
    counting_loop,
    declaration,
    map_children,
    number,
    operation,
    unset,
    variables,
    with_parts,
)

_MOST = 32
"""Numbers in a structure that is taken apart."""


@dataclass(frozen=True)
class _Part:
    """A number in a structure: the members and subscripts that lead there, and its type."""

    path: tuple[str | int, ...]
    type: Arithmetic

    @property
    def name(self) -> str:
        return "_".join(map(_word, self.path))

    def of(self, base: c_ast.Node) -> c_ast.Node:
        for step in self.path:
            if isinstance(step, int):
                base = c_ast.ArrayRef(base, number(step, base), base.coord)
            else:
                base = c_ast.StructRef(base, ".", c_ast.ID(step, base.coord), base.coord)
        return base


@dataclass(frozen=True)
class _Leaf:
    """The numbers in a structure to which the same members lead: their type, and how many there are along each
    subscript on the way."""

    type: Arithmetic
    extents: tuple[int, ...]


class _Alike(NamedTuple):
    """A union's numbers as those of a member that is an array of all of them."""

    name: str
    type: ArrayOf

    def instead(self, member: c_ast.StructRef, place: c_ast.Node) -> c_ast.Node:
        """The number at a place in the array, in the union that a member is one of."""
        whole = c_ast.StructRef(member.name, member.type, c_ast.ID(self.name, member.coord), member.coord)
        return c_ast.ArrayRef(whole, place, member.coord)


class _Whole(Exception):
    """A structure is used in a way that its members do not show; it is left to the reader."""

    def __init__(self, name: str) -> None:
        self.name = name


def split_structures(items: Items, around: Surroundings) -> Items:
    """The statements with a variable for every number of a structure that is declared in them, and with an assignment
    for every one that is assigned with its structure.

    Where loops go through its numbers, an array holds all that subscripts tell apart: for ``t.e[i][j].re`` of a matrix
    of complex numbers there is ``t_e_re[i][j]``.
    """
    as_arrays: set[str] = set()
    avoided: set[str] = set()
    while True:
        try:
            split = _Split(items, around, as_arrays, avoided, Scope(around.scope))
            return tuple(new for item in items for new in split.statement(item))
        except _Whole as problem:
            (avoided if problem.name in as_arrays else as_arrays).add(problem.name)


@dataclass
class _Split:
    items: Items
    around: Surroundings
    as_arrays: set[str]
    avoided: set[str]
    scope: Scope
    names: dict[Symbol, str] = field(default_factory=dict)
    arrays: dict[Symbol, str] = field(default_factory=dict)

    def statement(self, node: c_ast.Node) -> list[c_ast.Node]:
        match node:
            case c_ast.Decl():
                return self._declaration(node)
            case c_ast.Assignment(op="=") if _is_lvalue(node.lvalue):
                type_ = type_of(node.lvalue, self.scope, self.around.declarations)
                own = isinstance(node.lvalue, c_ast.ID) and self.scope.lookup(node.lvalue.name) in self.names
                parts = self._own_parts(type_) if own else self._parts(type_)
                if parts is not None:
                    return self._assigned(node, parts) or [self.visit(node)]
                if isinstance(type_, Record) and _is_lvalue(node.rvalue):
                    return self._assigned_in_loops(node, type_) or [self.visit(node)]
        return [self.visit(node)]

    def _assigned(self, node: c_ast.Assignment, parts: tuple[_Part, ...]) -> list[c_ast.Node] | None:
        """An assignment of a structure as those of its numbers."""
        match node.rvalue:
            case c_ast.TernaryOp(cond=cond, iftrue=then, iffalse=otherwise):
                branches = [c_ast.Assignment("=", node.lvalue, value, node.coord) for value in (then, otherwise)]
                return [self.visit(c_ast.If(cond, *branches, node.coord))]
            case c_ast.CompoundLiteral(init=c_ast.InitList() as listed):
                before, target = self._settled(node.lvalue, node.lvalue)
                values = self._listed(listed, parts)
                if values is None:
                    return None
                for part, value in zip(parts, values, strict=True):
                    before.append(self._variable(self._fresh_name(part.name), part, value, node))
                names = [str(new.name) for new in before[-len(parts) :]]
                pairs = [
                    (self.visit(part.of(target)), c_ast.ID(name, node.coord))
                    for part, name in zip(parts, names, strict=True)
                ]
            case value if _is_lvalue(value):
                before, target = self._settled(node.lvalue, node.lvalue)
                more, source = self._settled(value, node.lvalue)
                before += more
                pairs = [(self.visit(part.of(target)), self.visit(part.of(source))) for part in parts]
            case _:
                return None
        return [*before, *(c_ast.Assignment("=", *pair, node.coord) for pair in pairs)]

    def _assigned_in_loops(self, node: c_ast.Assignment, type_: Record) -> list[c_ast.Node]:
        """An assignment of a structure of many numbers as loops over those to which the same members lead."""
        before, target = self._settled(node.lvalue, node.lvalue)
        more, source = self._settled(node.rvalue, node.lvalue)
        loops: list[c_ast.Node] = []
        for members, leaf in _leaves(type_, self.scope).items():
            counters = [c_ast.ID(self._fresh_name(f"at_{k}"), node.coord) for k in range(len(leaf.extents))]
            sides = (_number_of(side, type_, members, counters, self.scope) for side in (target, source))
            body: c_ast.Node = c_ast.Assignment("=", *sides, node.coord)
            for counter, extent in reversed(list(zip(counters, leaf.extents, strict=True))):
                body = counting_loop(counter, number(extent, node), body)
            loops.append(self.visit(body))
        return [*before, *more, *loops] if loops else []

    def _settled(self, node: c_ast.Node, target: c_ast.Node) -> tuple[list[c_ast.Node], c_ast.Node]:
        """The structure with subscripts that stay the same while the members of another are assigned: in variables
        where they read memory."""
        before: list[c_ast.Node] = []

        def settled(inner: c_ast.Node) -> c_ast.Node:
            match inner:
                case c_ast.ArrayRef(subscript=subscript) if not _stays(subscript, target):
                    name = self._fresh_name("at")
                    before.append(declaration(name, I64, self.visit(subscript), inner))
                    self.around.declarations.declare(before[-1], self.scope, "local")
                    return c_ast.ArrayRef(settled(inner.name), c_ast.ID(name, inner.coord), inner.coord)
                case c_ast.ArrayRef() | c_ast.StructRef():
                    return with_parts(inner, name=settled(inner.name))
                case c_ast.UnaryOp(op="*"):
                    return c_ast.UnaryOp("*", settled(inner.expr), inner.coord)
            return inner

        return before, settled(node)

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.Compound():
                saved, self.scope = self.scope, Scope(self.scope)
                inner = [new for item in node.block_items or () for new in self.statement(item)]
                self.scope = saved
                return with_parts(node, block_items=inner)
            case c_ast.For() | c_ast.If() | c_ast.While() | c_ast.DoWhile():
                saved, self.scope = self.scope, Scope(self.scope)
                changed = map_children(node, self._single)
                self.scope = saved
                return changed
            case c_ast.DeclList():
                return map_children(node, self._single)
            case c_ast.StructRef() | c_ast.ArrayRef():
                node = self._by_array(node)
                found = self._member(node)
                if found is not None:
                    return found
            case c_ast.ID():
                if self._is_split(node):
                    raise _Whole(node.name)
        return map_children(node, self.visit)

    def _is_split(self, variable: c_ast.ID) -> bool:
        symbol = self.scope.lookup(variable.name)
        return symbol is not None and (symbol in self.names or symbol in self.arrays)

    def _single(self, node: c_ast.Node) -> c_ast.Node:
        """What stands where one statement or one expression does."""
        return as_one(self.statement(node), node)

    def _by_array(self, node: c_ast.Node) -> c_ast.Node:
        """A number in a union, by the name that it has in an array of all of them."""
        terms: list[c_ast.Node] = []
        inner, first = node, 0
        while isinstance(inner, c_ast.ArrayRef):
            inner = inner.name
        if not isinstance(inner, c_ast.StructRef):
            return node
        scalar, inner = type_of(node, self.scope, self.around.declarations), node
        while isinstance(scalar, Arithmetic) and isinstance(inner, c_ast.StructRef | c_ast.ArrayRef):
            outer = type_of(inner.name, self.scope, self.around.declarations)
            whole = None if outer is None else complete(outer, self.scope)
            if isinstance(inner, c_ast.ArrayRef) and isinstance(whole, ArrayOf):
                size = size_and_alignment(complete(whole.element, self.scope))
                if size is None:
                    break
                terms.append(operation("*", inner.subscript, number(size[0] // scalar.scalar.bytes, node)))
            elif isinstance(inner, c_ast.StructRef):
                if isinstance(whole, Pointer):
                    whole = complete(whole.target, self.scope)
                found = offset_of(whole, inner.field.name) if isinstance(whole, Record) else None
                if found is None or not isinstance(whole, Record):
                    break
                first += found[0] // scalar.scalar.bytes
                if (alike := _alike(whole, self.scope)) is not None:
                    constants = [self.around.declarations.constant(term, self.scope) for term in terms]
                    if None not in constants:
                        return alike.instead(inner, number(first + sum(filter(None, constants)), node))
                    place = reduce(partial(operation, "+"), terms)
                    return alike.instead(inner, operation("+", place, number(first, node)) if first else place)
                if inner.type == "->":
                    break
            else:
                break
            inner = inner.name
        return node

    def _element(self, node: c_ast.Node) -> c_ast.Node | None:
        """The element of an array that holds some numbers of a structure."""
        members, subscripts, inner = list[str](), list[c_ast.Node](), node
        while not isinstance(inner, c_ast.ID):
            match inner:
                case c_ast.StructRef(type="."):
                    members.append(inner.field.name)
                case c_ast.ArrayRef():
                    subscripts.append(inner.subscript)
                case _:
                    return None
            inner = inner.name
        symbol = self.scope.lookup(inner.name)
        if symbol is None or symbol not in self.arrays:
            return None
        found = _leaves(symbol.type, self.scope).get(tuple(reversed(members)))
        if found is None or len(found.extents) != len(subscripts):
            raise _Whole(inner.name)
        element: c_ast.Node = c_ast.ID(_joined(self.arrays[symbol], reversed(members)), node.coord)
        for subscript in reversed(subscripts):
            element = c_ast.ArrayRef(element, self.visit(subscript), node.coord)
        return element

    def _member(self, node: c_ast.Node) -> c_ast.Node | None:
        """The variable of a number in a structure that was taken apart."""
        if (element := self._element(node)) is not None:
            return element
        path: list[str | int] = []
        inner = node
        while not isinstance(inner, c_ast.ID):
            match inner:
                case c_ast.StructRef(type="."):
                    path.append(inner.field.name)
                    inner = inner.name
                case c_ast.ArrayRef(subscript=c_ast.Constant(type="int", value=value)):
                    if (literal := integer_literal(value)) is None:
                        return None
                    path.append(literal[0])
                    inner = inner.name
                case _:
                    return None
        symbol = self.scope.lookup(inner.name)
        if symbol is None or symbol not in self.names:
            return None
        parts = self._own_parts(symbol.type)
        part = next((p for p in parts or () if p.path == tuple(reversed(path))), None)
        if part is None:
            raise _Whole(inner.name)
        return c_ast.ID(f"{self.names[symbol]}_{part.name}", node.coord)

    def _declaration(self, node: c_ast.Decl) -> list[c_ast.Node]:
        init = node.init
        symbol = self.around.declarations.declare(node, self.scope, "local")
        parts = self._parts(symbol.type) if symbol is not None else None
        if symbol is not None and node.name in self.as_arrays - self.avoided:
            return self._arrays(node, symbol, parts)
        if isinstance(init, c_ast.CompoundLiteral):
            init = init.init
        if symbol is not None and parts is not None and isinstance(init, c_ast.TernaryOp):
            assigned = c_ast.Assignment("=", c_ast.ID(node.name, node.coord), init, init.coord)
            return [*self._declaration(unset(node)), *self.statement(assigned)]
        plain = init is None or isinstance(init, c_ast.InitList) or _is_lvalue(init)
        if symbol is None or not self._is_own(node) or node.name in self.avoided:
            return [map_children(node, self.visit)]
        if parts is None and any(path for path in _leaves(symbol.type, self.scope)):
            raise _Whole(node.name)  # an array of structures, or one of many numbers
        if parts is None and not isinstance(init, c_ast.InitList):
            parts = self._own_parts(symbol.type)
        if parts is None or not plain:
            return [map_children(node, self.visit)]
        values: list[c_ast.Node | None] = [None] * len(parts)
        if isinstance(init, c_ast.InitList):
            listed = self._listed(init, parts)
            if listed is None:
                raise _Whole(node.name)
            values = listed
        elif init is not None:
            values = [self.visit(part.of(init)) for part in parts]
        self.names[symbol] = self._fresh(node.name, parts)
        return [
            self._variable(f"{self.names[symbol]}_{part.name}", part, value, node)
            for part, value in zip(parts, values, strict=True)
        ]

    def _is_own(self, node: c_ast.Decl) -> bool:
        """Whether nothing outside of the region knows a variable."""
        behind = self.around.found.after[0] if node in self.items else ()
        return not node.storage and all(v.name != node.name for item in behind for v in variables(item))

    def _arrays(self, node: c_ast.Decl, symbol: Symbol, parts: tuple[_Part, ...] | None) -> list[c_ast.Node]:
        """A structure, or an array of such, as an array for every member that is a number."""
        leaves = _leaves(symbol.type, self.scope)
        parts = parts or self._parts_of(symbol.type)
        copied = node.init is None or (isinstance(symbol.type, Record) and _is_lvalue(node.init))
        if not leaves or not self._is_own(node) or (parts is None and not copied):
            raise _Whole(node.name)
        taken = tuple(_Part(members, leaf.type) for members, leaf in leaves.items())
        self.arrays[symbol] = name = self._fresh(node.name, taken)
        declared: list[c_ast.Node] = []
        for members, leaf in leaves.items():
            new = self._variable(_joined(name, members), _Part(members, leaf.type), None, node, leaf.extents)
            declared.append(new)
        if node.init is None:
            return declared
        init = node.init.init if isinstance(node.init, c_ast.CompoundLiteral) else node.init
        variable = c_ast.ID(node.name, node.coord)
        if isinstance(init, c_ast.InitList) and parts is not None:
            if (values := self._listed(init, parts)) is None:
                raise _Whole(node.name)
            pairs = zip(parts, values, strict=True)
            return [*declared, *(c_ast.Assignment("=", self.visit(p.of(variable)), v, node.coord) for p, v in pairs)]
        return [*declared, *self.statement(c_ast.Assignment("=", variable, init, node.coord))]

    def _listed(self, init: c_ast.InitList, parts: tuple[_Part, ...]) -> list[c_ast.Node | None] | None:
        """The values of a list in braces, by order or by name, of numbers and of structures in braces of their own;
        what it leaves out is zero. None: the list has others."""
        members: dict[str | int, list[int]] = {}
        for k, part in enumerate(parts):
            members.setdefault(part.path[0], []).append(k)
        values: list[c_ast.Node | None] = [number(0, init) for _ in parts]
        by_name = False
        braced = bool(init.exprs) and isinstance(init.exprs[0], c_ast.InitList | c_ast.NamedInitializer)
        if len(members) == 1 and len(parts[0].path) > 1 and not braced:
            init = c_ast.InitList([init], init.coord)  # the braces of the only member may be left out
        if len(init.exprs) > len(members):
            return None
        for item, member in zip(init.exprs, members, strict=False):
            match item:
                case c_ast.NamedInitializer(name=[c_ast.ID(name=name)], expr=value) if name in members:
                    member, item, by_name = name, value, True
                case c_ast.NamedInitializer():
                    return None
                case _ if by_name:
                    return None
            inside = tuple(_Part(parts[k].path[1:], parts[k].type) for k in members[member])
            given = self._of_member(item, inside)
            if given is None:
                return None
            for k, value in zip(members[member], given, strict=True):
                values[k] = value
        return values

    def _of_member(self, item: c_ast.Node, parts: tuple[_Part, ...]) -> list[c_ast.Node | None] | None:
        """What a list gives the numbers of one member, by their paths in that."""
        is_number = parts[0].path == ()
        match item:
            case c_ast.InitList():
                return None if is_number else self._listed(item, parts)
            case c_ast.CompoundLiteral(init=c_ast.InitList() as listed) if not is_number:
                return self._listed(listed, parts)
            case _ if is_number:
                return [self.visit(item)]
            case _ if _is_lvalue(item) and self._parts(type_of(item, self.scope, self.around.declarations)) == parts:
                return [self.visit(part.of(item)) for part in parts]
        return None

    def _variable(
        self, name: str, part: _Part, value: c_ast.Node | None, node: c_ast.Node, extents: tuple[int, ...] = ()
    ) -> c_ast.Node:
        words = ["_Bool"] if part.type.boolean else scalar_name(part.type.scalar).split()
        type_: c_ast.Node = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(words, node.coord), node.coord)
        for extent in reversed(extents):
            type_ = c_ast.ArrayDecl(type_, number(extent, node), [], node.coord)
        declared = c_ast.Decl(name, [], [], [], [], type_, value, None, node.coord)
        self.around.declarations.declare(declared, self.scope, "local")
        return declared

    def _fresh_name(self, name: str) -> str:
        return f"{self._fresh(name, (_Part((), Arithmetic(I64)),))}_"

    def _fresh(self, name: str, parts: tuple[_Part, ...]) -> str:
        taken = {v.name for v in variables(self.around.found.function.body)}
        taken |= declared_names(self.items)
        while any(f"{name}_{p.name}" in taken or self.scope.lookup(f"{name}_{p.name}") is not None for p in parts):
            name += "_"
        return name

    def _parts(self, type_: object) -> tuple[_Part, ...] | None:
        """The numbers of a structure, in order; None where it has other members, or too many."""
        if not isinstance(type_, Record):
            return None
        found: list[_Part] = []
        for name, member in _members(type_, self.scope):
            inner = self._parts_of(member) if name is not None else None
            if inner is None or name is None:
                return None
            found += [_Part((name, *part.path), part.type) for part in inner]
        return tuple(found) if len(found) <= _MOST else None

    def _own_parts(self, type_: object) -> tuple[_Part, ...] | None:
        """The numbers of a structure that only this region knows: where it has other members, such as pointers, those
        that the region names. What uses the others, or the whole, finds none."""
        parts = self._parts(type_)
        if parts is None and isinstance(type_, Record) and not type_.union:
            known = ((name, self._parts_of(member)) for name, member in type_.members if name in self._named)
            found = [_Part((str(name), *part.path), part.type) for name, inner in known for part in inner or ()]
            parts = tuple(found) if 0 < len(found) <= _MOST else None
        return parts

    @cached_property
    def _named(self) -> set[str]:
        """The members that the region names."""
        return {n.field.name for item in self.items for n in walk_nodes(item) if isinstance(n, c_ast.StructRef)}

    def _parts_of(self, type_: object) -> tuple[_Part, ...] | None:
        match type_:
            case Arithmetic(volatile=False):
                return (_Part((), type_),)
            case ArrayOf(element, c_ast.Constant(type="int", value=count)) if int(count, 0) <= _MOST:
                inner = self._parts_of(complete(element, self.scope))
                if inner is None:
                    return None
                return tuple(_Part((k, *part.path), part.type) for k in range(int(count, 0)) for part in inner)
            case Record():
                return self._parts(type_)
        return None


def _members(record: Record, scope: Scope) -> Sequence[tuple[str | None, CType]]:
    """The members that hold all numbers of a structure; none where it is a union of unlike ones."""
    alike = _alike(record, scope)
    return record.members if not record.union else () if alike is None else ((alike.name, alike.type),)


def _alike(type_: CType, scope: Scope) -> _Alike | None:
    """The member of a union that is an array of all numbers that there are in it by other names."""
    if not isinstance(type_, Record) or not type_.union or len(set(leaves(type_))) != 1:
        return None
    size = size_and_alignment(type_)
    for name, member in type_.members:
        match complete(member, scope):
            case ArrayOf(Arithmetic(volatile=False)) as whole if name is not None and size_and_alignment(whole) == size:
                return _Alike(name, whole)
    return None


def _leaves(type_: CType, scope: Scope) -> dict[tuple[str, ...], _Leaf]:
    """By the members that lead there, the numbers in a structure, or an array of such; none where it has others."""
    match complete(type_, scope):
        case Arithmetic(volatile=False) as plain:
            return {(): _Leaf(plain, ())}
        case ArrayOf(element, c_ast.Constant(type="int", value=count)):
            inside = _leaves(element, scope)
            return {path: _Leaf(leaf.type, (int(count, 0), *leaf.extents)) for path, leaf in inside.items()}
        case Record() as record:
            found: dict[tuple[str, ...], _Leaf] = {}
            for name, member in _members(record, scope):
                inside = _leaves(member, scope) if name is not None else {}
                if not inside:
                    return {}
                found |= {(str(name), *path): leaf for path, leaf in inside.items()}
            return found
    return {}


def _number_of(
    node: c_ast.Node, type_: CType, members: Iterable[str], subscripts: Iterable[c_ast.Node], scope: Scope
) -> c_ast.Node:
    """A number in a structure, by the members and the subscripts that lead there."""
    names, places, inner = iter(members), iter(subscripts), complete(type_, scope)
    while not isinstance(inner, Arithmetic):
        if isinstance(inner, ArrayOf):
            node, inner = c_ast.ArrayRef(node, next(places), node.coord), complete(inner.element, scope)
        elif isinstance(inner, Record):
            name = next(names)
            node, member = c_ast.StructRef(node, ".", c_ast.ID(name, node.coord), node.coord), inner.member(name)
            assert member is not None
            inner = complete(member, scope)
    return node


def _joined(name: str, members: Iterable[str]) -> str:
    return "_".join((name, *map(_word, members)))


def _word(step: str | int) -> str:
    """A member's name in that of a variable."""
    return str(step).strip("_") if step in COMPLEX_PARTS else str(step)


def _stays(subscript: c_ast.Node, target: c_ast.Node) -> bool:
    """Is it the same while the members of a structure are assigned?"""
    root = next(variables(target)).name
    inner = list(walk_nodes(subscript))
    reads = any(isinstance(n, c_ast.ArrayRef | c_ast.StructRef | c_ast.UnaryOp) for n in inner)
    return not reads and all(n.name != root for n in inner if isinstance(n, c_ast.ID))


def _is_lvalue(node: c_ast.Node) -> bool:
    """Does it name a structure in memory, without doing anything else?"""
    match node:
        case c_ast.ID():
            return True
        case c_ast.StructRef(name=inner) | c_ast.UnaryOp(op="*", expr=inner):
            return _is_lvalue(inner)
        case c_ast.ArrayRef(name=inner, subscript=subscript):
            effects = (assigned_name(n) is not None or isinstance(n, c_ast.FuncCall) for n in walk_nodes(subscript))
            return _is_lvalue(inner) and not any(effects)
    return False
