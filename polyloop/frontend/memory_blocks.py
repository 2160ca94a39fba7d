"""``memset``, ``memcpy`` and ``memmove`` of whole elements are loops of stores.

    memset(c, 0, n * sizeof *c);               for (long at = 0; at < n; at++) c[at] = 0;
    memcpy(old, x, sizeof old);        ->      for (long at = 0; at < 100; at++) old[at] = x[at];
    memmove(h, h + 4, n * sizeof *h);          for (long at = 0; at < n; at++) h[at] = h[at + 4];
    memset(u, 0, sizeof u);                    for (long at = 0; at < 64; at++) for (..) u[at][at_2] = 0;

Arrays of rows of one length are set and copied row by row. `memmove` copies inside of one array, from that end on that
is not written over before it is read.

What is set or copied has to be numbers of one type, or structures of one type that consist of nothing else, so that the
elements that are written are known. C's own function may be faster; that is for the choice of a schedule to find out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType, Pointer, Record
from polyloop.frontend.derived import Derived
from polyloop.frontend.expression_types import elements_of, number_type, size_of, type_of
from polyloop.frontend.induction import Polynomials, constant_of
from polyloop.frontend.layouts import is_all_numbers, size_and_alignment
from polyloop.frontend.pointer_arguments import as_long
from polyloop.frontend.scopes import BLOCKS, Declarations, Scope, does_anything, is_element, set_names, walk_nodes
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    c_text,
    counting_loop,
    declaration,
    is_zero,
    map_bodies,
    map_children,
    number,
    operation,
    with_parts,
)


def blocks_as_loops(items: Items, around: Surroundings) -> Items:
    """The statements with loops for calls that set or copy blocks of memory."""
    if not any(_called(node) for item in items for node in walk_nodes(item)):
        return items
    return tuple(_Blocks(around, Scope(around.scope), Derived(around, frozenset(set_names(items)))).block(list(items)))


def _called(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.name.name in BLOCKS


_MOST_NUMBERS = 16
"""In one structure of those that are set."""


@dataclass
class _Blocks:
    """
    Attributes:
        scope: the names that are visible at the present statement.
    """

    around: Surroundings
    scope: Scope
    derived: Derived
    count: int = field(default=0)

    def block(self, items: list[c_ast.Node]) -> list[c_ast.Node]:
        return [self.statement(item) for item in items]

    def statement(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.FuncCall() if _called(node):
                return self._loop(node) or node
            case c_ast.Decl() | c_ast.Typedef():
                self.around.declarations.declare(node, self.scope, "local")
                return node
            case c_ast.Compound() | c_ast.For() | c_ast.If() | c_ast.While() | c_ast.DoWhile() | c_ast.Label():
                saved, self.scope = self.scope, Scope(self.scope)
                init = getattr(node, "init", None)
                if isinstance(init, c_ast.DeclList):
                    self.block(init.decls)
                result = map_bodies(node, self.statement)
                self.scope = saved
                return result
        return node

    def _loop(self, node: c_ast.FuncCall) -> c_ast.Node | None:
        """The loop that does what a call does; None where its elements are not known."""
        symbol = self.scope.lookup(node.name.name)
        arguments = list(node.args.exprs) if node.args is not None else []
        if len(arguments) != 3 or (symbol is not None and symbol.defined):
            return None
        target, source, size = arguments
        copies = node.name.name != "memset"
        if (whole := self._rows(target, source if copies else None, size)) is not None:
            target, source = whole[0], whole[1] if copies else source
        element = self._element(target)
        row = self._row(target)
        bytes_ = _bytes(element) if row is None else row[1]
        if element is None or bytes_ is None:
            return None
        if copies and (self._element(source), self._row(source)) != (element, row):
            return None
        value = number_type(source, self.scope, self.around.declarations)
        if not copies and not (is_zero(source) or (bytes_ == 1 and value is not None and not value.is_float)):
            return None
        count = self._count(size, bytes_)
        forward = self._goes_forward(target, source) if node.name.name == "memmove" else True
        if count is None or forward is None or any(map(does_anything, arguments)):
            return None
        before: list[c_ast.Node] = []
        target, source, count = (self._settled(each, before) for each in (target, source, count))
        at, *inner = [self._counter(node) for _ in range(1 + len(row[0] if row is not None else ()))]
        to, from_ = (c_ast.ArrayRef(bare_pointer(each), at, node.coord) for each in (target, source))
        for counter in inner:
            to, from_ = (c_ast.ArrayRef(each, counter, node.coord) for each in (to, from_))
        if copies:
            body: c_ast.Node = c_ast.Assignment("=", to, from_, node.coord)
        else:
            cells = islice(_numbers(to, element), _MOST_NUMBERS + 1)
            body = c_ast.Compound([c_ast.Assignment("=", cell, source, node.coord) for cell in cells], node.coord)
            if len(body.block_items) > _MOST_NUMBERS:
                return None
        for counter, extent in zip(reversed(inner), reversed(row[0] if row is not None else ()), strict=True):
            body = counting_loop(counter, number(extent, node), body)
        loop = counting_loop(at, count, body, forward)
        return c_ast.Compound([*before, loop], node.coord) if before else loop

    def _settled(self, node: c_ast.Node, before: list[c_ast.Node]) -> c_ast.Node:
        """The argument with variables, which are declared before, for numbers in memory that the loop might change."""
        match node:
            case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef() as element):
                return with_parts(node, expr=map_children(element, lambda child: self._settled(child, before)))
            case c_ast.UnaryOp(op="&" | "sizeof") | c_ast.Typename():
                return node
        type_ = number_type(node, self.scope, self.around.declarations)
        if type_ is None or not _is_element(node):
            return map_children(node, lambda child: self._settled(child, before))
        variable = self._counter(node)
        before.append(declaration(variable.name, type_, node, node))
        return variable

    def _counter(self, node: c_ast.Node) -> c_ast.ID:
        """A variable that nothing else is called by."""
        names = self.around.declarations.names_of(self.around.found.function).names
        self.count += 1
        while f"at_{self.count}" in names:
            self.count += 1
        return c_ast.ID(f"at_{self.count}", node.coord)

    def _row(self, node: c_ast.Node) -> tuple[tuple[int, ...], int] | None:
        """The extents of the rows that a pointer leads to, and the bytes of one; None where it leads to no rows."""
        match type_of(bare_pointer(node), self.scope, self.around.declarations):
            case Pointer(ArrayOf() as row) | ArrayOf(ArrayOf() as row):
                extents: list[int] = []
                bytes_ = size_of(row, self.scope, self.around.declarations)
                inner: CType = row
                while isinstance(inner, ArrayOf) and inner.extent is not None:
                    extents.append(self.around.declarations.constant(inner.extent, self.scope) or 0)
                    inner = inner.element
                return (tuple(extents), bytes_) if bytes_ is not None else None
        return None

    def _rows(
        self, target: c_ast.Node, source: c_ast.Node | None, size: c_ast.Node
    ) -> tuple[c_ast.Node, c_ast.Node] | None:
        """Of `&u[0][0]` and the like, where all of an array of rows is meant, that array, of both."""
        wholes = []
        for each in (target, source if source is not None else target):
            whole, bare = bare_pointer(each), bare_pointer(each)
            if isinstance(bare, c_ast.UnaryOp) and bare.op == "&":
                whole = bare.expr
                while isinstance(whole, c_ast.ArrayRef) and is_zero(whole.subscript):
                    whole = whole.name
            type_ = type_of(whole, self.scope, self.around.declarations)
            is_all = size_in_bytes(size, self.scope, self.around.declarations) == _size(
                type_, self.scope, self.around.declarations
            )
            if not is_all or not isinstance(type_, ArrayOf) or self._row(whole) is None:
                return None
            wholes.append(whole)
        return wholes[0], wholes[1]

    def _element(self, node: c_ast.Node) -> Arithmetic | Record | None:
        """The type of what a pointer points to: numbers, or structures that consist of nothing else."""
        match type_of(bare_pointer(node), self.scope, self.around.declarations):
            case Pointer(Record() as target) | ArrayOf(Record() as target):
                return target if is_all_numbers(target) else None
            case Pointer(ArrayOf() as row) | ArrayOf(ArrayOf() as row):
                inner: CType = row
                while isinstance(inner, ArrayOf):
                    inner = inner.element
                plain = isinstance(inner, Arithmetic) and not inner.volatile and not inner.boolean
                return Arithmetic(inner.scalar) if isinstance(inner, Arithmetic) and plain else None
        return element_of(node, self.scope, self.around.declarations)

    def _goes_forward(self, target: c_ast.Node, source: c_ast.Node) -> bool | None:
        """Whether a copy inside of one array may begin at its lower end; None where that is not known."""
        (base, to), (other, from_) = _parts(bare_pointer(target)), _parts(bare_pointer(source))
        if c_text(base) != c_text(other):
            return None
        distance = constant_of(
            operation("-", as_long(from_), as_long(to)), Polynomials(self.scope, self.around.declarations)
        )
        if distance is not None:
            return distance >= 0
        # No element lies in front of an array's first one.
        whole = isinstance(type_of(base, self.scope, self.around.declarations), ArrayOf)
        ends = [is_zero(at) for at in (to, from_)]
        return ends[0] if whole and any(ends) else None

    def _count(self, size: c_ast.Node, bytes_: int, alone: bool = True, exact: bool = True) -> c_ast.Node | None:
        """How many elements of so many bytes a size is; one in a product that may wrap has to name the elements' size,
        which makes it one of 64 bits."""
        whole = size_in_bytes(size, self.scope, self.around.declarations)
        if whole is not None and not exact and not any(getattr(n, "op", "") == "sizeof" for n in walk_nodes(size)):
            return None
        if whole is not None:
            return number(whole // bytes_, size) if whole % bytes_ == 0 else None
        if bytes_ == 1 and alone:
            return size
        if exact and isinstance(size, c_ast.ID) and self.derived.is_fixed(size):
            return self.derived.multiple(size, bytes_)
        if isinstance(size, c_ast.BinaryOp) and size.op == "*":
            type_ = number_type(size, self.scope, self.around.declarations)
            exact = exact and type_ is not None and type_.kind == "int" and not self.around.declarations.wraps
            for one, other in ((size.left, size.right), (size.right, size.left)):
                found = self._count(one, bytes_, alone=False, exact=exact)
                if found is not None:
                    is_one = isinstance(found, c_ast.Constant) and found.value == "1"
                    return other if is_one else operation("*", found, other)
        return None


def element_of(node: c_ast.Node, scope: Scope, declarations: Declarations) -> Arithmetic | None:
    """The type of the numbers that a pointer points to."""
    target = elements_of(type_of(bare_pointer(node), scope, declarations))
    plain = isinstance(target, Arithmetic) and not target.volatile and not target.boolean
    return Arithmetic(target.scalar) if isinstance(target, Arithmetic) and plain else None


def _numbers(node: c_ast.Node, type_: CType) -> Iterator[c_ast.Node]:
    """All numbers of what consists of nothing else."""
    match type_:
        case Record(members=members):
            for name, member in members:
                inner = node if name is None else c_ast.StructRef(node, ".", c_ast.ID(name, node.coord), node.coord)
                yield from _numbers(inner, member)
        case ArrayOf(element, c_ast.Constant(value=count)):
            for at in range(int(count)):
                yield from _numbers(c_ast.ArrayRef(node, number(at, node), node.coord), element)
        case _:
            yield node


def _bytes(type_: CType | None) -> int | None:
    """The size of a number, or of a structure."""
    found = size_and_alignment(type_) if isinstance(type_, Arithmetic | Record) else None
    return found[0] if found is not None else None


def _size(type_: CType | None, scope: Scope, declarations: Declarations) -> int | None:
    return _bytes(type_) if isinstance(type_, Record) else size_of(type_, scope, declarations)


def size_in_bytes(node: c_ast.Node, scope: Scope, declarations: Declarations) -> int | None:
    """What a size is, where that is known: a number, or an object's."""
    match node:
        case c_ast.UnaryOp(op="sizeof", expr=c_ast.Typename() as inner):
            return _size(declarations.resolve(inner, scope), scope, declarations)
        case c_ast.UnaryOp(op="sizeof", expr=inner):
            type_ = type_of(inner, scope, declarations)
            known = isinstance(type_, ArrayOf) or _is_lvalue(inner)
            return _size(type_, scope, declarations) if known else None
    return declarations.constant(node, scope)


def _parts(node: c_ast.Node) -> tuple[c_ast.Node, c_ast.Node]:
    """The array that an address lies in, and the number of the element there."""
    match node:
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=base, subscript=at)):
            return base, at
        case c_ast.BinaryOp(op="+", left=left, right=right):
            base, at = _parts(left)
            return base, right if is_zero(at) else operation("+", as_long(at), as_long(right))
    return node, number(0, node)


def _is_lvalue(node: c_ast.Node) -> bool:
    """Has it the type that `type_of` says, also where that is a number's?"""
    match node:
        case c_ast.UnaryOp(op="*") | c_ast.ArrayRef() | c_ast.ID() | c_ast.StructRef() | c_ast.Typename():
            return True
    return False


def bare_pointer(node: c_ast.Node) -> c_ast.Node:
    """The pointer without a conversion to or from void."""
    is_cast = isinstance(node, c_ast.Cast) and isinstance(node.to_type.type, c_ast.PtrDecl)
    return bare_pointer(node.expr) if is_cast else node


def _is_element(node: c_ast.Node) -> bool:
    """Is this an element of an array, or a member of one?"""
    return is_element(node.name if isinstance(node, c_ast.StructRef) else node)
