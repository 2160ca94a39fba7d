"""Several numbers that are read or stored as one word, as the numbers that they are; the first one is the lowest.

    *(uint32_t *)(dst + i) = v;          {
    ((union word *)p)->i = v;      ->        unsigned word = v;
                                             dst[i] = word; dst[i + 1] = word >> 8; ...
                                         }

    v = *(uint32_t *)src;          ->    v = src[0] | (unsigned)src[1] << 8 | ...;

All processors that code is generated for keep the lowest byte of a word first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial, reduce

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType, Pointer, Record, is_integer
from polyloop.backend.ir.expressions import U8, U16, U32, U64, ScalarType
from polyloop.frontend.expression_types import complete, size_of, type_of
from polyloop.frontend.pointer_arguments import as_long
from polyloop.frontend.scopes import Scope, does_anything, walk_nodes
from polyloop.frontend.searches import fresh_variable
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    cast,
    declaration,
    map_bodies,
    map_children,
    number,
    operation,
    with_parts,
)

_UNSIGNED = {8: U8, 16: U16, 32: U32, 64: U64}


def without_words(items: Items, around: Surroundings) -> Items:
    """The statements with numbers for words."""
    if not any(isinstance(n, c_ast.Cast) for item in items for n in walk_nodes(item)):
        return items
    scope = Scope(around.scope)
    for node in (n for item in items for n in walk_nodes(item) if isinstance(n, c_ast.Decl) and n.name):
        around.declarations.declare(node, scope, "local")
    words = _Words(around, scope)
    return tuple(words.statement(item) for item in items)


@dataclass(frozen=True)
class _Word:
    """Elements that are used as one.

    Attributes:
        pointer, first: where they are, and which the first one is.
        part, whole: the types of an element and of the word.
    """

    pointer: c_ast.Node
    first: c_ast.Node | None
    part: ScalarType
    whole: ScalarType

    def elements(self) -> list[c_ast.Node]:
        """They as lvalues, the lowest first."""
        count = self.whole.bits // self.part.bits
        subscripts = [number(k, self.pointer) for k in range(count)]
        if self.first is not None:
            begin = operation("*", self.first, number(count, self.pointer))
            subscripts = [operation("+", begin, subscript) for subscript in subscripts]
        return [c_ast.ArrayRef(self.pointer, subscript, self.pointer.coord) for subscript in subscripts]

    def value(self) -> c_ast.Node:
        """What the word is worth."""
        wide, narrow = _UNSIGNED[self.whole.bits], _UNSIGNED[self.part.bits]
        parts = [cast(cast(element, narrow), wide) for element in self.elements()]
        shifted = [
            operation("<<", part, number(k * self.part.bits, self.pointer)) if k else part
            for k, part in enumerate(parts)
        ]
        return cast(reduce(partial(operation, "|"), shifted), self.whole)


@dataclass
class _Words:
    around: Surroundings
    scope: Scope
    taken: set[str] = field(default_factory=set)

    def statement(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.ExprList():
                parts = [self.statement(part) for part in node.exprs]
                return node if parts == node.exprs else c_ast.Compound(parts, node.coord)
            case c_ast.Assignment(op="="):
                return self._assignment(node)
            case c_ast.Assignment() | c_ast.UnaryOp() | c_ast.Decl():
                return self.visit(node)
        return map_bodies(node, self.statement, header=self.visit)

    def _assignment(self, node: c_ast.Assignment) -> c_ast.Node:
        """A store to one word, or to several of one type."""
        targets: list[_Word] = []
        value: c_ast.Node = node
        while isinstance(value, c_ast.Assignment) and value.op == "=":
            word = self._word(value.lvalue)
            if word is None or (targets and word.whole != targets[0].whole):
                break
            targets.append(word)
            value = value.rvalue
        if not targets or (isinstance(value, c_ast.Assignment) and value.op == "="):
            return self.visit(node)
        read = self._word(value)
        if read is not None and len({(word.part, word.whole) for word in (read, *targets)}) == 1:
            kept = [self._kept(part, read.part) for part in read.elements()]
            values: list[c_ast.Node] = [c_ast.ID(part.name, node.coord) for part in kept]
            stores = [
                c_ast.Assignment("=", element, part, node.coord)
                for word in reversed(targets)
                for element, part in zip(word.elements(), values, strict=True)
            ]
            return c_ast.Compound([*kept, *stores], node.coord)
        whole = self._kept(cast(self.visit(value), targets[0].whole), _UNSIGNED[targets[0].whole.bits])
        stores = []
        for word in reversed(targets):
            for k, element in enumerate(word.elements()):
                part: c_ast.Node = c_ast.ID(whole.name, node.coord)
                part = operation(">>", part, number(k * word.part.bits, node)) if k else part
                stores.append(c_ast.Assignment("=", element, cast(part, word.part), node.coord))
        return c_ast.Compound([whole, *stores], node.coord)

    def _kept(self, value: c_ast.Node, type_: ScalarType) -> c_ast.Decl:
        return declaration(fresh_variable("word", self.around, self.taken), type_, value, value)

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        """An expression with the values of words; what else is done to one stays."""
        match node:
            case c_ast.Assignment():
                return with_parts(node, rvalue=self.visit(node.rvalue))
            case c_ast.UnaryOp(op="&" | "sizeof" | "++" | "--" | "p++" | "p--"):
                return node
        word = self._word(node)
        return word.value() if word is not None else map_children(node, self.visit)

    def _word(self, node: c_ast.Node) -> _Word | None:
        first = None
        match node:
            case c_ast.UnaryOp(op="*", expr=c_ast.Cast() as pointer):
                whole = self._pointed(pointer)
            case c_ast.UnaryOp(op="*", expr=c_ast.BinaryOp(op="+", left=c_ast.Cast() as pointer, right=first)):
                whole = self._pointed(pointer)
            case c_ast.ArrayRef(name=c_ast.Cast() as pointer, subscript=first):
                whole = self._pointed(pointer)
            case c_ast.StructRef(name=c_ast.Cast() as pointer, type="->"):
                whole = self._member(pointer, node)
            case c_ast.StructRef(name=c_ast.ArrayRef(name=c_ast.Cast() as pointer, subscript=first), type="."):
                whole = self._member(pointer, node, alone=False)
            case _:
                return None
        if does_anything(node) or not is_integer(whole):
            return None
        begin, first = self._begin(pointer.expr, first, whole.scalar)
        part = self._target(type_of(begin, self.scope, self.around.declarations))
        if not is_integer(part):
            return None
        wider = whole.scalar.bits > part.scalar.bits and whole.scalar.bits in _UNSIGNED
        return _Word(begin, first, part.scalar, whole.scalar) if wider else None

    def _begin(
        self, pointer: c_ast.Node, first: c_ast.Node | None, whole: ScalarType
    ) -> tuple[c_ast.Node, c_ast.Node | None]:
        """Where words are counted from, and the number of one: ``(union word *)((uint32_t *)p + 1)`` is the second."""
        match pointer:
            case c_ast.BinaryOp(op="+", left=c_ast.Cast() as inner, right=step):
                first = step if first is None else operation("+", as_long(first), as_long(step))
            case c_ast.Cast() as inner:
                pass
            case _:
                return pointer, first
        words = self._pointed(inner)
        if not is_integer(words) or words.scalar.bits != whole.bits:
            return pointer, first
        return self._begin(inner.expr, first, whole)

    def _member(self, pointer: c_ast.Cast, node: c_ast.StructRef, alone: bool = True) -> CType | None:
        """A member of a union: of one alone, or of several in a row, which are no larger than it."""
        union = self._pointed(pointer)
        whole = union.member(node.field.name) if isinstance(union, Record) and union.union else None
        if not isinstance(whole, Arithmetic) or not isinstance(union, Record):
            return None
        sizes = [size_of(type_, self.scope, self.around.declarations) for _, type_ in union.members]
        return whole if alone or all(size is not None and size <= whole.scalar.bytes for size in sizes) else None

    def _pointed(self, node: c_ast.Cast) -> CType | None:
        return self._target(self.around.declarations.resolve(node.to_type, self.scope))

    def _target(self, type_: CType | None) -> CType | None:
        match type_:
            case Pointer(target, _, False) | ArrayOf(target):
                return complete(target, self.scope)
        return None
