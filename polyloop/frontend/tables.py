"""Loops over tables of constants, written out: of each step one knows what the table says.

    static const int dx[4] = {1, 0, -1, 0}, dy[4] = {0, 1, 0, -1};

    for (k = 0; k < 4; k++)             ->      s += u[(y + 0) * w + x + 1];
        s += u[(y + dy[k]) * w + x + dx[k]];    s += u[(y + 1) * w + x + 0]; ...

Subscripts would come from data else, and nobody could tell which elements they mean. So are innermost loops over a few
tables of rows, ``for (v = 0; v < 4; v++) ... u[v][i][j]`` of ``double ***u``, and over pointers in an array: each has a
name then, and may lie anywhere.

What data pick from a table of few straight pieces is computed:

    static const char digits[] = "0123456789abcdef";

    out[i] = digits[x[i] & 15];     ->      out[i] = (x[i] & 15) < 10 ? (x[i] & 15) + 48 : (x[i] & 15) + 87;
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType, Pointer, Record, is_integer, leaves, value_range
from polyloop.backend.ir.expressions import I32, ScalarType, wrap_integer
from polyloop.frontend.expression_types import type_of
from polyloop.frontend.jumps import Leaving, jumps_of
from polyloop.frontend.multiplied import (
    HOLDS,
    MOST_STATEMENTS,
    MOST_STEPS,
    constant_of,
    counter_type,
    fits_written_out,
    is_read_elsewhere,
    only_counts,
)
from polyloop.frontend.scopes import (
    Scope,
    Symbol,
    base_name,
    changed_names,
    children,
    declared_names,
    does_anything,
    loop_counter,
    reads_memory,
    used_names,
    walk_nodes,
)
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    cast,
    header_of,
    map_children,
    mentions,
    number,
    operation,
    replaced,
    statements_of,
    variables,
)

_MOST_ELEMENTS = 1024
"""Of a table that is looked at for pieces."""
_MOST_OF_PLANES = 192
"""Statements that a loop over tables of rows becomes."""
_MOST_PIECES = 6
"""Of a table from which data pick: a comparison and a choice for each, in lanes, are less than a load for each lane."""


def write_out_tables(items: Items, around: Surroundings) -> Items:
    """The statements with every loop of few steps whose counter picks integers from a table written out, and the
    integers in the places of the table's elements; so if it picks tables of rows, or pointers from an array; and with
    choices for what data pick from few straight pieces."""
    own = _own_tables(items, around)
    declared = declared_names(items) - own.keys()
    named = set[str]().union(*map(used_names, items)) - declared
    tables = own | {name: symbol for name in named - own.keys() if (symbol := _table(name, around)) is not None}
    if not tables and not any(_may_be_planes(node) for item in items for node in walk_nodes(item)):
        return items
    counters = {loop_counter(node) for item in items for node in walk_nodes(item) if isinstance(node, c_ast.For)}
    varying = (changed_names(items) | declared) - counters  # the region's own included, which have no symbols
    whole, planes = set[str](), True
    while True:
        loops = _Loops(items, around, tables, frozenset(declared), varying, whole, planes)
        written = tuple(loops.visit(item) for item in items)
        if loops.left and planes:  # a table has names for all that is in it, or for nothing
            planes = False
            continue
        named = set[str]().union(*map(used_names, written))
        if named.isdisjoint(loops.known):
            return written
        # A table of which some elements are numbers may not hold others when the loops are measured.
        if whole >= named & loops.known:
            return items
        whole |= named & loops.known


def _own_tables(items: Items, around: Surroundings) -> dict[str, Symbol]:
    """The tables that the region itself begins with."""
    first = [item for item in items if isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.ArrayDecl)]
    body, scope = c_ast.Compound(list(items)), Scope(around.scope)
    symbols = [around.declarations.declare(item, scope, "local") for item in first if item.init is not None]
    known = (s for s in symbols if s is not None and s.initial is not None and isinstance(s.type, ArrayOf))
    return {s.name: s for s in known if any(map(is_integer, leaves(s.type))) and _is_only_read(s.name, body)}


def _table(name: str, around: Surroundings) -> Symbol | None:
    """A variable's symbol if it is a table of constants with integers in it, which nobody changes."""
    symbol = around.scope.lookup(name)
    if symbol is None or symbol.initial is None or not isinstance(symbol.type, ArrayOf):
        return None
    fixed = symbol.constant or (symbol.kind == "local" and _is_only_read(name, around.found.function.body))
    return symbol if fixed and any(is_integer(leaf) for leaf in leaves(symbol.type)) else None


def _is_only_read(name: str, body: c_ast.Node) -> bool:
    """Whether a function does nothing with an array of its own but to read elements, and gets past its declaration in
    any case."""
    declared = 0
    for node in walk_nodes(body):
        match node:
            case c_ast.Goto() | c_ast.Switch():
                return False
            case c_ast.Decl() if node.name == name:
                declared += 1
            case (
                c_ast.Assignment(lvalue=c_ast.ArrayRef() | c_ast.StructRef() as changed)
                | c_ast.UnaryOp(
                    op="++" | "--" | "p++" | "p--" | "&", expr=c_ast.ArrayRef() | c_ast.StructRef() as changed
                )
            ) if base_name(changed) == name:
                return False
    return declared == 1 and not any(escapes(name, node) for _, node in body.children())


def escapes(name: str, node: c_ast.Node) -> bool:
    """Is a variable named elsewhere than in front of subscripts?"""
    match node:
        case c_ast.ID():
            return bool(node.name == name)
        case c_ast.ArrayRef(name=c_ast.ID(name=base), subscript=subscript) if base == name:
            return escapes(name, subscript)
        case c_ast.StructRef():
            return escapes(name, node.name)
    return any(escapes(name, child) for child in children(node))


def _deciding(node: c_ast.Node) -> tuple[c_ast.Node, ...]:
    """The expressions right inside of a node that say what is accessed, or whether."""
    match node:
        case c_ast.ArrayRef(subscript=subscript):
            return (subscript,)
        case c_ast.If(cond=condition) | c_ast.TernaryOp(cond=condition) | c_ast.While(cond=condition):
            return (condition,)
        case c_ast.For():
            return tuple(part for part in (node.init, node.cond, node.next) if part is not None)
    return ()


@dataclass(frozen=True)
class _Loops:
    items: Items
    around: Surroundings
    tables: Mapping[str, Symbol]
    declared: Set[str]
    """Names of what is declared inside: a symbol of such a name may be another variable's."""
    varying: Set[str]
    """Names of what the statements set, counters left out."""
    whole: Set[str]
    """Tables none of whose elements may be left."""
    planes: bool
    """Whether counters choose tables of rows, and pointers, too."""
    known: set[str] = field(default_factory=set)
    """Tables of which some element has become a number."""
    left: list[c_ast.For] = field(default_factory=list)
    """Loops over tables of rows that are too long to be written out."""

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        if isinstance(node, c_ast.For) and (steps := self._steps(node)) is not None:
            body = Leaving(jumps_of).without(statements_of(node.stmt))  # every continue
            if body is not None:
                return self._written_out(node, body, steps)
        inner = map_children(node, self.visit) if not _takes_address(node) else node
        return self._chosen(inner) or inner

    def _chosen(self, node: c_ast.Node) -> c_ast.Node | None:
        """What stands for an integer that data pick from a table: a choice between its pieces, if they are few."""
        match node:
            case c_ast.ArrayRef(name=c_ast.ID(name=name), subscript=picked) if name in self.tables:
                table = self.tables[name]
            case _:
                return None
        if not reads_memory(picked) and self.varying.isdisjoint(n.name for n in variables(picked)):
            return None
        if does_anything(picked):
            return None
        pieces = self._pieces(table)
        if pieces is None:
            return None
        self.known.add(name)
        assert isinstance(table.type, ArrayOf)
        assert isinstance(table.type.element, Arithmetic)
        at = cast(picked, I32)
        most = self._most(picked)
        pieces = [piece for piece in pieces if most is None or piece[0] <= most] or pieces[:1]
        *_, chosen = values = [_line(slope, first, at) for _, slope, first in pieces]
        for (begin, _, _), value in zip(reversed(pieces[1:]), reversed(values[:-1]), strict=True):
            chosen = c_ast.TernaryOp(operation("<", at, number(begin, node)), value, chosen, node.coord)
        type_ = table.type.element.scalar
        return chosen if type_.bits < 32 or type_ == I32 else cast(chosen, type_)

    def _most(self, node: c_ast.Node) -> int | None:
        """The largest that an integer may be, as far as that is plain to see of it."""
        constant, scope = self.around.declarations.constant, self.around.scope
        match node:
            case c_ast.BinaryOp(op="&", left=left, right=right):
                masks = [mask for side in (left, right) if (mask := constant(side, scope)) is not None and mask >= 0]
                return min(masks, default=None)
            case c_ast.BinaryOp(op=">>", left=left, right=right):
                most, bits = self._most(left), constant(right, scope)
                return None if most is None or bits is None or not 0 <= bits < 31 else most >> bits
            case c_ast.BinaryOp(op="%", right=right):
                by = constant(right, scope)
                return by - 1 if by is not None and by > 0 else None
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.Cast() | c_ast.UnaryOp(op="*") if (
                self.declared.isdisjoint(variable.name for variable in variables(node))
            ):
                type_ = type_of(node, scope, self.around.declarations)
                narrow = isinstance(type_, Arithmetic) and not type_.scalar.is_float and type_.scalar.bits <= 32
                return value_range(type_.scalar)[1] if narrow and isinstance(type_, Arithmetic) else None
        return None

    def _pieces(self, table: Symbol) -> list[tuple[int, int, int]] | None:
        """Where each straight piece of a table of integers begins, its slope, and what it would be worth at 0; None
        where there are many, or not all numbers are known."""
        assert isinstance(table.type, ArrayOf)
        element, count = table.type.element, _extent(table, self.around)
        if not is_integer(element) or count is None or count > _MOST_ELEMENTS:
            return None

        @cache
        def value(position: int) -> int | None:
            part = _part(table.initial, position)
            found = None if part is None else 0 if part[0] is None else self._number(part[0], table)
            return None if found is None else wrap_integer(found, element.scalar)

        pieces: list[tuple[int, int, int]] = []
        for position in range(count):
            here, following = value(position), value(min(position + 1, count - 1))
            if here is None or following is None:
                return None
            if pieces and pieces[-1][1] * position + pieces[-1][2] == here:
                continue
            slope = following - here
            pieces.append((position, slope, here - slope * position))
            if len(pieces) > _MOST_PIECES:
                return None
        near = all(abs(number) < 1 << 20 for piece in pieces for number in piece)  # far from what an int cannot hold
        return pieces if near else None

    def _steps(self, loop: c_ast.For) -> list[int] | None:
        """The values that a loop's counter takes, if there are few of them and the loop is one over tables."""
        counter = loop_counter(loop)
        type_ = counter_type(loop, self.items, self.around)
        if counter is None or type_ is None:
            return None
        picks = self._picks(loop.stmt, counter)
        planes = not picks and self.planes and self._picks_planes(loop.stmt, counter)
        if not picks and not planes:
            return None
        steps = self._values(loop, counter, type_) if only_counts(loop, counter, self.around) else None
        if steps is not None and fits_written_out(loop, len(steps), _MOST_OF_PLANES if planes else MOST_STATEMENTS):
            return steps
        self.left.extend([loop] if planes else [])
        return None

    def _picks(self, body: c_ast.Node, counter: str) -> bool:
        """Does a counter pick integers from a table that subscripts, conditions or bounds are made of?"""
        places = {
            variable.name for node in walk_nodes(body) for part in _deciding(node) for variable in variables(part)
        }

        def picks(node: c_ast.Node, decides: bool) -> bool:
            if self._is_picked(node, counter) and (decides or base_name(node) in self.whole):
                return True
            deciding = _deciding(node)
            match node:
                case c_ast.Decl(name=name) | c_ast.Assignment(lvalue=c_ast.ID(name=name)):
                    decides = name in places
                case c_ast.Assignment():
                    decides = False
            return any(picks(child, decides or child in deciding) for child in children(node))

        return picks(body, False)

    def _is_picked(self, node: c_ast.Node, counter: str) -> bool:
        if not isinstance(node, c_ast.ArrayRef | c_ast.StructRef) or base_name(node) not in self.tables:
            return False
        while isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
            if isinstance(node, c_ast.ArrayRef) and mentions(node.subscript, counter):
                return True
            node = node.name
        return False

    def _picks_planes(self, body: c_ast.Node, counter: str) -> bool:
        """Does the counter of an innermost loop choose tables of rows, or pointers of an array?"""
        nodes = list(walk_nodes(body))
        innermost = not any(isinstance(node, c_ast.For | c_ast.While) for node in nodes)
        return innermost and any(self._is_plane(node, counter) for node in nodes)

    def _is_plane(self, node: c_ast.Node, counter: str) -> bool:
        """Does a counter choose a table of rows, or a pointer of an array of these?"""
        match node:
            case c_ast.ArrayRef(name=base, subscript=subscript) if mentions(subscript, counter):
                return _leads_to_tables(self._type(base)) or (
                    isinstance(base, c_ast.ID) and _holds_pointers(self._type(base))
                )
        return False

    def _type(self, node: c_ast.Node) -> CType | None:
        """Of what stands before a subscript, arrays of pointers that the region declares included."""
        if isinstance(node, c_ast.ID) and node.name in self.declared:
            found = self._declarations.get(node.name, [])
            return self.around.declarations.resolve(found[0].type, self.around.scope) if len(found) == 1 else None
        return type_of(node, self.around.scope, self.around.declarations)

    @cached_property
    def _declarations(self) -> dict[str, list[c_ast.Decl]]:
        found: dict[str, list[c_ast.Decl]] = {}
        for node in (n for item in self.items for n in walk_nodes(item) if isinstance(n, c_ast.Decl)):
            found.setdefault(str(node.name), []).append(node)
        return found

    def _values(self, loop: c_ast.For, counter: str, type_: ScalarType) -> list[int] | None:
        constant, scope = self.around.declarations.constant, self.around.scope
        header = header_of(loop)
        if header is None or header.counter != counter:
            return None
        value, end, step = (constant(part, scope) for part in (header.first, header.limit, header.step))
        if value is None or end is None or not step:
            return None
        step = step if header.sign == "+" else -step
        values: list[int] = []
        low, high = value_range(type_)
        while HOLDS[header.test](value, end):
            values.append(value)
            value += step
            if len(values) > MOST_STEPS or not low <= value <= high:
                return None
        return values

    def _written_out(self, loop: c_ast.For, body: list[c_ast.Node], steps: list[int]) -> c_ast.Node:
        counter, type_ = loop_counter(loop), counter_type(loop, self.items, self.around)
        assert counter is not None
        assert type_ is not None
        written: list[c_ast.Node] = []
        for value in steps:
            known = {counter: constant_of(value, type_, loop)}
            step = [self.visit(self._looked_up(replaced(part, known))) for part in body]
            written.append(c_ast.Compound(step, loop.coord))
        if isinstance(loop.init, c_ast.Assignment) and is_read_elsewhere(counter, self.items, self.around):
            behind = 2 * steps[-1] - steps[-2]
            written.append(c_ast.Assignment("=", loop.init.lvalue, number(behind, loop), loop.coord))
        return c_ast.Compound(written, loop.coord)

    def _looked_up(self, node: c_ast.Node) -> c_ast.Node:
        """With numbers for what tables have where subscripts are constants."""
        if _takes_address(node):
            return node
        inner = map_children(node, self._looked_up)
        if not isinstance(inner, c_ast.ArrayRef | c_ast.StructRef) or (name := base_name(inner)) not in self.tables:
            return inner
        value, type_ = self._element(inner) or (None, None)
        if name is None or not isinstance(type_, Arithmetic) or type_.boolean or type_.volatile:
            return inner
        if type_.scalar.is_float:
            plain = value if value is not None else number(0, inner)
            if not isinstance(plain.expr if isinstance(plain, c_ast.UnaryOp) else plain, c_ast.Constant):
                return inner
            self.known.add(name)
            return cast(plain, type_.scalar)
        found = 0 if value is None else self._number(value, self.tables[name])
        if found is None:
            return inner
        self.known.add(name)
        return constant_of(wrap_integer(found, type_.scalar), type_.scalar, inner)

    def _number(self, value: c_ast.Node, table: Symbol) -> int | None:
        """What a table's definition says, if the names in it are what they were there."""
        scope = self.around.scope
        symbols = [scope.lookup(variable.name) for variable in variables(value)]
        if any(symbol is None or symbol.index > table.index for symbol in symbols):
            return None
        return self.around.declarations.constant(value, scope)

    def _element(self, node: c_ast.Node) -> tuple[c_ast.Node | None, CType] | None:
        """What stands for an element, or a member of one, in its table's definition, and its type; nothing stands for
        what is 0 as the definition ends before."""
        match node:
            case c_ast.ID():
                symbol = self.tables[node.name]
                return symbol.initial, symbol.type
            case c_ast.ArrayRef(name=base, subscript=subscript):
                found, at = self._element(base), self.around.declarations.constant(subscript, self.around.scope)
                if found is None or at is None or not isinstance(found[1], ArrayOf):
                    return None
                count = (
                    self.around.declarations.constant(found[1].extent, self.around.scope) if found[1].extent else None
                )
                part = _part(found[0], at) if count is not None and 0 <= at < count else None
                return part and (part[0], found[1].element)
            case c_ast.StructRef(name=base, type=".", field=c_ast.ID(name=member)):
                found = self._element(base)
                if found is None or not isinstance(found[1], Record) or found[1].union:
                    return None
                names = [name for name, _ in found[1].members]
                part = _part(found[0], names.index(member)) if member in names and None not in names else None
                return part and (part[0], found[1].members[names.index(member)][1])
        return None


def _may_be_planes(node: c_ast.Node) -> bool:
    """Whether a subscript stands behind another one, or an array has pointers."""
    match node:
        case c_ast.ArrayRef(name=c_ast.ArrayRef()) | c_ast.Decl(type=c_ast.ArrayDecl(type=c_ast.PtrDecl())):
            return True
    return False


def _leads_to_tables(type_: CType | None) -> bool:
    """Are its elements pointers to pointers?"""
    match type_:
        case Pointer(Pointer(Pointer())) | ArrayOf(Pointer(Pointer())):
            return True
    return False


def _holds_pointers(type_: CType | None) -> bool:
    """Is it an array of pointers to numbers?"""
    match type_:
        case ArrayOf(Pointer(Arithmetic()), c_ast.Node()):
            return True
    return False


def _takes_address(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op in ("&", "sizeof", "_Alignof")


def _line(slope: int, first: int, at: c_ast.Node) -> c_ast.Node:
    """A straight piece's value at a place."""
    if slope == 0:
        return number(first, at)
    steep = at if slope == 1 else operation("*", number(slope, at), at)
    return operation("+", steep, number(first, at)) if first else steep


def _extent(table: Symbol, around: Surroundings) -> int | None:
    """How many elements a table has; a string has one more than is written."""
    assert isinstance(table.type, ArrayOf)
    if table.type.extent is not None:
        return around.declarations.constant(table.type.extent, around.scope)
    written = characters(table.initial) if isinstance(table.initial, c_ast.Constant) else None
    return None if written is None else len(written) + 1


def characters(text: c_ast.Constant) -> list[str] | None:
    """Those of a plain string, as C writes them."""
    if not text.value.startswith('"') or not text.value.isascii():
        return None
    return re.findall(r"\\x[0-9a-fA-F]+|\\[0-7]{1,3}|\\.|[^\\]", text.value[1:-1])


def _part(initial: c_ast.Node | None, position: int) -> tuple[c_ast.Node | None] | None:
    """What an initializer has at a position, in brackets of its own and without designators; None where that is not
    plain to see."""
    if initial is None:
        return (None,)
    if isinstance(initial, c_ast.Constant) and (written := characters(initial)) is not None:
        return (c_ast.Constant("char", f"'{written[position]}'"),) if position < len(written) else (None,)
    if not isinstance(initial, c_ast.InitList) or not _is_in_order(initial):
        return None
    return (initial.exprs[position],) if position < len(initial.exprs) else (None,)


@lru_cache(maxsize=64)
def _is_in_order(initial: c_ast.InitList) -> bool:
    """Whether a list has no designators."""
    return not any(isinstance(each, c_ast.NamedInitializer) for each in initial.exprs)
