"""Rewrites members of structures, and cells of memory that bounds and subscripts read, into names of their own.

``g->nx`` becomes ``g_nx``, ``image->data[i]`` becomes ``image_data[i]`` and ``*n`` in a bound a number of its own. The
name's `Place` says what it stands for: emitted code prints that, behind tests that no store changes it on the way.
An array of structures becomes an array of the type that its members have: of ``struct { double x, y; } *p``,
``p[i].y`` is element ``2*i + 1``. Members of another type are another array, whose elements lie between those.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pycparser import c_ast

from polyloop.arithmetic import COMPLEX_PARTS, Arithmetic, ArrayOf, CType, Opaque, Pointer, Record, leaves
from polyloop.backend.c.text import scalar_name
from polyloop.backend.ir.expressions import ScalarType
from polyloop.frontend.expression_types import complete, elements_of, variable_type
from polyloop.frontend.jumps import jumps_of
from polyloop.frontend.layouts import offset_of, size_and_alignment
from polyloop.frontend.regions import names_at
from polyloop.frontend.scopes import (
    FunctionNames,
    Place,
    Scope,
    Symbol,
    changed_names,
    children,
    declared_names,
    is_element,
    walk_nodes,
)
from polyloop.frontend.searches import Varying, asks_for_data
from polyloop.frontend.syntax import Items, Surroundings, c_text, identifier, map_children
from polyloop.scop.affine_isl import is_reserved

# --- Where places are read --------------------------------------------------------------------------------------------


def note_homes(items: Items, around: Surroundings) -> Items:
    """The same statements, after noting where C reads the places that have names: other rewrites move expressions."""
    gotos = any(isinstance(node, c_ast.Goto) for item in items for node in walk_nodes(item))
    homes = _Homes(around.scope, Varying.of(items))
    for item in items:
        homes.note(item, (), not gotos)
    for name, places in homes.places.items():
        around.scope.names[name].homes.update(places | around.scope.names[name].homes)
    return items


@dataclass
class _Homes:
    """Goes through statements in the order of their execution.

    Attributes:
        left: a jump may have left out what follows in the loop's body, or in all of the region.
        places: for each name, where C reads it, and whether it always does (`Symbol.homes`).
    """

    scope: Scope
    varying: Varying
    left: bool = False
    places: dict[str, dict[tuple[str, tuple[str, ...]], bool]] = field(default_factory=dict)

    def note(self, node: c_ast.Node, loops: tuple[str, ...], straight: bool, jumps: bool = False) -> None:
        """Args:
        straight: C always gets there, as far as what stands around it tells.
        jumps: what ends iterations of the loop around is no count alone.
        """
        match node:
            case c_ast.ID(name=name) if name in self.scope.names:
                self._read(name, node, loops, straight)
            case c_ast.Break() | c_ast.Continue() | c_ast.Return():
                self.left = True
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                self._loop(node, loops, straight, jumps)
                return
            case c_ast.If() | c_ast.TernaryOp():
                self._branches(node, loops, straight, jumps)
                return
        for child in children(node):
            certain = not (isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||") and child is node.right)
            self.note(child, loops, straight and certain, jumps)

    def _read(self, name: str, node: c_ast.Node, loops: tuple[str, ...], straight: bool) -> None:
        self.places.setdefault(name, {}).setdefault((str(node.coord), loops), straight and not self.left)

    def _branches(self, node: c_ast.If | c_ast.TernaryOp, loops: tuple[str, ...], straight: bool, jumps: bool) -> None:
        """What is read in both branches is read wherever the condition is asked."""
        self.note(node.cond, loops, straight, jumps)
        branches = [_Homes(self.scope, self.varying, self.left) for _ in range(2)]
        for inner, branch in zip(branches, (node.iftrue, node.iffalse), strict=True):
            if branch is not None:
                inner.note(branch, loops, True, jumps)
            for name, places in inner.places.items():
                self.places[name] = dict.fromkeys(places, False) | self.places.get(name, {})
        first, second = (
            {
                name
                for name, places in inner.places.items()
                for (_, at), always in places.items()
                if always and at == loops
            }
            for inner in branches
        )
        for name in first & second:
            self._read(name, node, loops, straight)
        self.left = any(inner.left for inner in branches)

    def _loop(self, node: c_ast.Node, loops: tuple[str, ...], straight: bool, jumps: bool) -> None:
        inner, before = (*loops, str(node.coord)), self.left
        returns = any(isinstance(each, c_ast.Return) for each in walk_nodes(node.stmt))
        # Of a loop that jumps leave, the first iteration is certain; an inner loop may have its own later on. Where
        # the header asks for data, none is.
        certain, jumping = straight and not jumps, returns or any(jumps_of(node.stmt))
        certain = certain and (isinstance(node, c_ast.DoWhile) or not asks_for_data(node, self.scope, self.varying))
        first = [getattr(node, "init", None), None if isinstance(node, c_ast.DoWhile) else node.cond]
        last = [getattr(node, "next", None), node.cond if isinstance(node, c_ast.DoWhile) else None]
        for part, where, sure in (
            *((part, loops, straight) for part in first),
            (node.stmt, inner, certain),
            *((part, inner if part is getattr(node, "next", None) else loops, certain) for part in last),
        ):
            if part is not None:
                self.note(part, where, sure, jumping if where is inner else jumps)
        self.left = before or returns


# --- Lvalues ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Step:
    """One step from an object to a part of it: a subscript, or a member's name; `star` is the 0 of ``*p``."""

    subscript: c_ast.Node | None = None
    member: str | None = None
    star: bool = False


def _steps(node: c_ast.Node) -> tuple[c_ast.ID, list[_Step]] | None:
    """The variable that an lvalue begins with, and the way from there."""
    match node:
        case c_ast.ID():
            return node, []
        case c_ast.ArrayRef():
            inner, steps = node.name, [_Step(node.subscript)]
        case c_ast.UnaryOp(op="*"):
            inner, steps = node.expr, [_Step(c_ast.Constant("int", "0", node.coord), star=True)]
        case c_ast.StructRef(type="."):
            inner, steps = node.name, [_Step(member=node.field.name)]
        case c_ast.StructRef():
            first = _Step(c_ast.Constant("int", "0", node.coord), star=True)
            inner, steps = node.name, [first, _Step(member=node.field.name)]
        case _:
            return None
    found = _steps(inner)
    return None if found is None else (found[0], found[1] + steps)


def _root(node: c_ast.Node) -> str | None:
    found = _steps(node)
    return found[0].name if found is not None else None


@dataclass(frozen=True)
class _Object:
    """Where a way has led so far: C's expression and type, the structure around it, and what its `Place` will say; in
    packed structures with the alignment that it has for certain."""

    text: str
    type: CType
    object: str
    pointers: tuple[str, ...] = ()
    follows: bool = False
    behind: bool = False
    structure: str = ""
    steps: int = 0
    constant: bool = False
    alignment: int = 0

    def place(self) -> Place:  # of what is an array, or a number
        pointed, inner = isinstance(self.type, Pointer), self.type
        while isinstance(inner, ArrayOf):
            inner = inner.element
        bytes_ = inner.scalar.bytes if isinstance(inner, Arithmetic) else 0
        address = self.text if inner is not self.type else f"&{self.text}"
        tests = (_aligned(address, bytes_),) if 0 < self.alignment < bytes_ else ()
        pointers = (*self.pointers, self.text) if pointed and self.steps else self.pointers
        follows = self.follows or (pointed and self.behind)
        object_ = f"{self.text}[]" if pointed else self.object
        behind = self.behind or pointed
        return Place(self.text, object_, self.structure or self.text, pointers, follows, behind, tests=tests)


def _aligned(address: str, alignment: int) -> str:
    """Members of packed structures may lie anywhere, which C knows; loops over arrays of numbers do not."""
    return f"(unsigned long)({address}) % {alignment} == 0"


@dataclass
class Names:
    """What is known of the names of a region, and the symbols that have been made for it."""

    around: Surroundings
    scope: Scope
    changed: set[str]
    function: FunctionNames
    taken: set[str]
    declared: set[str]
    stored: set[str]
    free: set[str] = field(default_factory=set)
    made: dict[tuple[str, ScalarType | None], Symbol] = field(default_factory=dict)
    records: set[str] = field(default_factory=set)
    first: dict[tuple[str, ScalarType], int] = field(default_factory=dict)
    shared: dict[tuple[str, str], ScalarType] = field(default_factory=dict)
    fixed_unions: bool = False

    def _is_taken(self, name: str) -> bool:
        return name not in self.free and (name in self.taken or self.scope.lookup(name) is not None)

    def outer(self, name: str) -> Symbol | None:
        """A variable from outside the region that nothing in it changes or hides."""
        symbol = self.scope.lookup(name)
        if symbol is None or name in self.declared or name in self.changed:
            return None
        return symbol if symbol.kind in ("parameter", "local", "global", "member", "constant") else None

    def may_change(self, symbol: Symbol) -> bool:
        """May a store through a pointer reach the variable itself?"""
        return symbol.kind == "global" or symbol.name in self.function.address_taken

    def is_fixed(self, node: c_ast.Node) -> bool:
        """Is an expression one number all over the region, for which C reads nothing but variables?"""
        match node:
            case c_ast.Constant(type=type_):
                return "int" in type_
            case c_ast.ID(name=name):
                symbol = self.outer(name)
                return symbol is not None and symbol.place is None and isinstance(symbol.type, Arithmetic)
            case c_ast.BinaryOp(op="+" | "-" | "*"):
                return self.is_fixed(node.left) and self.is_fixed(node.right)
            case c_ast.UnaryOp(op="-"):
                return self.is_fixed(node.expr)
        return False

    def symbol(self, wish: str, type_: CType, place: Place, key: tuple[str, ScalarType | None] | None = None) -> Symbol:
        """The symbol of a place, made at its first use."""
        key = key or (place.text, None)
        if key not in self.made:
            base = identifier(wish)
            name, count = base, 0
            while self._is_taken(name) or is_reserved(name):
                name, count = f"{base}_{count}", count + 1
            self.taken.add(name)
            self.free.discard(name)
            symbol = Symbol(name, "member", type_, place=place)
            self.made[key] = self.around.scope.add(symbol)
        return self.made[key]


def names_of(items: Items, around: Surroundings) -> Names:
    nodes = [node for item in items for node in walk_nodes(item)]
    declared = declared_names(items)
    stored = {root for node in nodes for target in _targets(node) if (root := _root(target)) is not None}
    function = names_at(around.found, around.declarations)
    before = Scope(around.scope.parent, dict(around.scope.names))
    names = Names(around, before, changed_names(items), function, declared | function.names, declared, stored)
    names.fixed_unions = _unions_are_fixed(nodes, before)
    return names


def _unions_are_fixed(nodes: list[c_ast.Node], scope: Scope) -> bool:
    """Whether members of unions are what the members of structures are: all that is there of a union is one of its
    members, or nothing is stored to any."""
    members: set[str] = set()
    for node in nodes:
        if isinstance(node, c_ast.StructRef):
            found = _on_the_way(node, scope)
            if found is None:
                return False
            members |= found[0]
    if len(members) < 2:
        return True
    stored = (_on_the_way(target, scope) for node in nodes for target in _targets(node) if not _is_name(target))
    return not any(found is None or found[1] for found in stored)


def _is_name(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.ID)


def _on_the_way(node: c_ast.Node, scope: Scope) -> tuple[set[str], bool] | None:
    """The members of unions that an lvalue leads through, and whether it is memory of a union, or a structure; None
    where nobody knows."""
    found = _steps(node)
    symbol = scope.lookup(found[0].name) if found is not None else None
    if found is None or symbol is None:
        return None
    type_, members, inside = complete(variable_type(symbol), scope), set[str](), False
    for step in found[1]:
        match type_:
            case Record() if step.member is not None and (member := type_.member(step.member)) is not None:
                if type_.shares(step.member):
                    members.add(step.member)
                    inside = True
                type_ = member
            case Pointer(target) if step.member is None:
                type_, inside = target, False
            case ArrayOf(element) if step.member is None:
                type_ = element
            case _:
                return None
        type_ = complete(type_, scope)
    return members, inside or isinstance(type_, Record)


def _targets(node: c_ast.Node) -> Iterator[c_ast.Node]:
    match node:
        case c_ast.Assignment():
            yield node.lvalue
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--" | "&"):
            yield node.expr


def _has_no_address(symbol: Symbol) -> bool:
    """Whether C gives none to what a name leads to: a pointer in a register leads to memory as any other."""
    return symbol.register and not isinstance(variable_type(symbol), Pointer)


# --- Members ----------------------------------------------------------------------------------------------------------


def name_members(items: Items, around: Surroundings) -> Items:
    """The statements with a variable or an array for every member of a structure, and for every table of rows that a
    table of tables leads to, ``u[i]`` of ``double ***u``, where i is one number all over the region; so for every row
    of ``float **out``, where all are reached by such numbers: ``out[0][i]``, ``(*next)[i]``."""
    if not any(_may_lead_on(node) for item in items for node in walk_nodes(item)):
        return items
    known = dict(around.scope.names)
    names = names_of(items, around)
    rows = _single_rows(items, names)
    first = _Members(names, rows)
    for item in items:
        first.visit(item)
    # What is an array of structures in one place is one everywhere, so that its elements have one name.
    around.scope.names.clear()
    around.scope.names.update(known)
    second = _Members(names_of(items, around), rows)
    second.names.records |= first.names.records
    second.names.first |= first.names.first
    return tuple(second.visit(item) for item in items)


def _may_lead_on(node: c_ast.Node) -> bool:
    match node:
        case c_ast.StructRef() | c_ast.ArrayRef(name=c_ast.ArrayRef() | c_ast.UnaryOp(op="*")):
            return True
    return False


def _single_rows(items: Items, names: Names) -> frozenset[str]:
    """The tables of rows of which the region reaches none but by numbers that stay the same."""
    known: dict[str, bool] = {}
    waiting: list[c_ast.Node] = list(items)
    for node in waiting:
        found = _steps(node) if isinstance(node, c_ast.ID | c_ast.ArrayRef | c_ast.UnaryOp | c_ast.StructRef) else None
        if found is None:
            waiting += children(node)
            continue
        root, steps = found
        single = len(steps) > 1 and not any(step.subscript is None for step in steps[:2])
        single = single and steps[0].subscript is not None and names.is_fixed(steps[0].subscript)
        known[root.name] = known.get(root.name, True) and single
        waiting += [step.subscript for step in steps if step.subscript is not None]
    return frozenset(name for name, single in known.items() if single)


def pointer_place(node: c_ast.Node, names: Names) -> Place | None:
    """Of a pointer in a structure that the region leads to and that is one all over it, what names that C computes from
    it say: ``grid->end``."""
    found = _member_of(node, names)
    return found.place() if found is not None and isinstance(found.type, Pointer) else None


def named_number(node: c_ast.StructRef, names: Names) -> c_ast.ID | None:
    """A name for such a member that is a number: ``image->stride``."""
    found = _member_of(node, names)
    if found is None or not isinstance(found.type, Arithmetic) or found.type.volatile:
        return None
    return c_ast.ID(names.symbol(found.text, found.type, found.place()).name, node.coord)


def _member_of(node: c_ast.Node, names: Names) -> _Object | None:
    found = _steps(node) if isinstance(node, c_ast.StructRef) else None
    symbol = names.outer(found[0].name) if found is not None else None
    if found is None or symbol is None or _has_no_address(symbol) or symbol.place is not None:
        return None
    at = _Members(names, frozenset()).follow(symbol, found[1])
    return at if at.steps == len(found[1]) else None


@dataclass
class _Members:
    names: Names
    rows: frozenset[str]

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        if isinstance(node, c_ast.Cast):
            return self._cast(node) or map_children(node, self.visit)
        if is_element(node) or isinstance(node, c_ast.StructRef):
            return self._access(node) or map_children(node, self.visit)
        return map_children(node, self.visit)

    def _access(self, node: c_ast.Node) -> c_ast.Node | None:
        found = _steps(node)
        if found is None:
            return None
        root, steps = found
        symbol = self.names.outer(root.name)
        if symbol is None or _has_no_address(symbol) or symbol.place is not None:
            return None
        has_member = any(step.member for step in steps)
        type_ = self._complete(variable_type(symbol))
        if not has_member and not self._leads_to_tables(type_) and not self._is_rows(root.name, type_):
            return None
        place = self.follow(symbol, steps)
        if not has_member and (not place.steps or any(step.subscript is None for step in steps)):
            return None
        rest = steps[place.steps :]
        if any(step.member for step in rest):
            return self._of_structures(place, rest, node)
        made = self.names.symbol(place.text, place.type, place.place())
        return self._subscripted(made, [step.subscript for step in rest], node)

    def _cast(self, node: c_ast.Cast) -> c_ast.Node | None:
        """A member that points to anything, cast to what it points to."""
        found = _steps(node.expr) if isinstance(node.expr, c_ast.StructRef) else None
        symbol = self.names.outer(found[0].name) if found is not None else None
        if found is None or symbol is None or _has_no_address(symbol) or symbol.place is not None:
            return None
        to = self.names.around.declarations.resolve(node.to_type, self.names.scope)
        at = self.follow(symbol, found[1])
        whole = at.steps == len(found[1]) and isinstance(at.type, Pointer) and at.type.target == Opaque("void")
        if not whole or not isinstance(to, Pointer) or not isinstance(to.target, Arithmetic):
            return None
        text = f"(({c_text(node.to_type)})({at.text}))"
        place = replace(at.place(), text=text, object=f"{text}[]")
        return c_ast.ID(self.names.symbol(f"{at.text}_{scalar_name(to.target.scalar)}s", to, place).name, node.coord)

    def _subscripted(self, symbol: Symbol, subscripts: list[c_ast.Node | None], node: c_ast.Node) -> c_ast.Node:
        result: c_ast.Node = c_ast.ID(symbol.name, node.coord)
        for subscript in subscripts:
            assert subscript is not None
            result = c_ast.ArrayRef(result, self.visit(subscript), node.coord)
        return result

    def follow(self, symbol: Symbol, steps: list[_Step]) -> _Object:
        """As far as the way leads to one object, whatever the counters."""
        changes = self.names.may_change(symbol)
        at = _Object(
            symbol.name,
            self._complete(variable_type(symbol)),
            symbol.name if not changes else f"&{symbol.name}",
            constant=symbol.constant,
        )
        if isinstance(at.type, Pointer) and changes:
            at = _Object(at.text, at.type, at.object, (symbol.name,))
        while at.steps < len(steps):
            following = self._step(at, steps)
            if following is None:
                break
            at = following
        return at

    def _step(self, at: _Object, steps: list[_Step]) -> _Object | None:
        step = steps[at.steps]
        if step.member is not None:
            type_ = at.type.member(step.member) if isinstance(at.type, Record) else None
            if type_ is None or not self._is_apart(at, step.member):
                return None
            # ``(*p).x`` is written ``p->x``.
            text = f"{at.text[:-3]}->{step.member}" if at.text.endswith("[0]") and at.behind else None
            text = text or f"{at.text}.{step.member}"
            if step.member in COMPLEX_PARTS:
                text = f"{step.member} {at.text}"
            most = at.type.most if isinstance(at.type, Record) else 0
            alignment = min(at.alignment or most, most or at.alignment)
            return replace(at, text=text, type=self._complete(type_), steps=at.steps + 1, alignment=alignment)
        assert step.subscript is not None
        inside = steps[at.steps + 1 :][:1]
        row = not at.steps and self._is_rows(at.text, at.type)
        leads_on = bool(inside) and (inside[0].member is not None or row or self._leads_to_tables(at.type))
        if at.text in self.names.records or not leads_on:
            return None
        if not self.names.is_fixed(step.subscript):
            return None
        text = f"{at.text}[{c_text(step.subscript)}]"
        match at.type:
            case Pointer(target, _, False):
                pointers = (*at.pointers, at.text) if at.steps else at.pointers
                type_ = self._complete(target)
                return _Object(text, type_, f"{at.text}[]", pointers, at.behind, True, text, at.steps + 1)
            case ArrayOf(element):
                type_ = self._complete(element)
                return replace(at, text=text, type=type_, structure=text, steps=at.steps + 1)
        return None

    def _is_apart(self, at: _Object, member: str) -> bool:
        """Whether no store to a member of a union would change this one by another name."""
        if not isinstance(at.type, Record) or not at.type.shares(member) or at.constant:
            return True
        if not self.names.fixed_unions:
            return False
        if not all(isinstance(type_, Pointer) for _, type_ in at.type.members):
            self.names.around.recast.add(at.text)  # of a type that other stores have, too
        return True

    def _is_rows(self, name: str, type_: CType) -> bool:
        """Is it a table of pointers to rows of which the region reaches single ones?"""
        return name in self.rows and self._is_table_of_rows(type_)

    def _leads_to_tables(self, type_: CType) -> bool:
        """Are its elements pointers to pointers?"""
        match type_:
            case Pointer(inner) | ArrayOf(inner):
                first = self._complete(inner)
                return isinstance(first, Pointer) and isinstance(self._complete(first.target), Pointer)
        return False

    def _complete(self, type_: CType) -> CType:
        return complete(type_, self.names.scope)

    def _of_structures(self, at: _Object, steps: list[_Step], node: c_ast.Node) -> c_ast.Node | None:
        """An element of an array of structures as one of the array of all of its type's members."""
        if self._is_table_of_rows(at.type):
            return self._of_rows(at, steps, node)
        extents: list[c_ast.Node | None] = []
        type_ = at.type
        while isinstance(type_, Pointer | ArrayOf) and steps[len(extents)].subscript is not None:
            if isinstance(type_, Pointer) and (extents or type_.volatile):
                return None
            extents.append(type_.extent if isinstance(type_, ArrayOf) else None)
            type_ = self._complete(type_.target if isinstance(type_, Pointer) else type_.element)
        layout = size_and_alignment(type_)
        if not isinstance(type_, Record) or layout is None or not extents:
            return None
        self.names.records.add(at.text)
        first = f"{at.text}{'[0]' * len(extents)}"
        inner = self._inner(type_, steps[len(extents) :], at.text)
        if inner is None:
            return None
        scalar, offset, moving, path, placed = inner
        first_bytes = min(offset, self.names.first.get((at.text, scalar), offset))
        self.names.first[at.text, scalar] = first_bytes
        count, left = divmod(layout[0], scalar.bytes)
        if left or (offset - first_bytes) % scalar.bytes or any(size % scalar.bytes for _, size in moving):
            return None
        inside = _sum((offset - first_bytes) // scalar.bytes, [(n, s // scalar.bytes) for n, s in moving], node)
        element: CType = Arithmetic(scalar)
        number = c_ast.Constant("int", str(count), node.coord)
        for extent in [*extents[1:], number][::-1] if len(extents) > 1 else []:
            element = ArrayOf(element, extent)
        place = at.place()
        tests = [f"sizeof({first}) == {layout[0]}"]
        tests += [f"(char *)&{first}{path} - (char *)&{first} == {placed}"] if path else []
        known = self.names.made.get((at.text, scalar))
        if known is not None and known.place is not None:
            tests = list(dict.fromkeys((*known.place.tests, *tests)))
        text = f"((char *){at.text} + {first_bytes})" if first_bytes else at.text
        unaligned = first_bytes % scalar.bytes or min(layout[1], at.alignment or layout[1]) < scalar.bytes
        tests += [_aligned(text, scalar.bytes)] if unaligned else []
        rows = None if extents[0] is None else self.names.around.declarations.constant(extents[0], self.names.scope)
        rows = (rows or 0) * (count if len(extents) == 1 else 1)
        place = replace(place, text=text, object=f"{at.text}[]", decayed=True, tests=tuple(tests), rows=rows)
        if known is not None:
            known.place = place
        made = self.names.symbol(f"{at.text}_{scalar_name(scalar)}s", Pointer(element), place, (at.text, scalar))
        subscripts = [step.subscript for step in steps[: len(extents)]]
        if len(extents) > 1:
            return self._subscripted(made, [*subscripts, inside], node)
        assert subscripts[0] is not None
        scaled = c_ast.BinaryOp("*", _long(subscripts[0], node), number, node.coord)
        return self._subscripted(made, [c_ast.BinaryOp("+", scaled, inside, node.coord)], node)

    def _is_table_of_rows(self, type_: CType) -> bool:
        target = elements_of(type_)
        return target is not None and isinstance(self._complete(target), Pointer)

    def _of_rows(self, at: _Object, steps: list[_Step], node: c_ast.Node) -> c_ast.Node | None:
        """An element of a row of structures that consist of numbers of one type, reached through pointers, as one of a
        row of these numbers (see `polyloop.frontend.rows`): ``image[i][3*j + 1]`` for ``image[i][j].green``."""
        tables: list[CType] = []
        type_ = at.type
        while isinstance(type_, Pointer) or (isinstance(type_, ArrayOf) and not tables):
            if isinstance(type_, Pointer) and type_.volatile and tables:
                return None
            tables.append(type_)
            type_ = self._complete(type_.target if isinstance(type_, Pointer) else type_.element)
        levels = len(tables)
        subscripts = [step.subscript for step in steps[:levels]]
        layout = size_and_alignment(type_) if isinstance(type_, Record) else None
        if layout is None or None in subscripts or len(set(leaves(type_))) != 1:
            return None
        self.names.records.add(at.text)
        inner = self._inner(type_, steps[levels:], at.text)
        if inner is None:
            return None
        scalar, offset, moving, path, placed = inner
        count, left = divmod(layout[0], scalar.bytes)
        if left or offset % scalar.bytes or any(size % scalar.bytes for _, size in moving):
            return None
        if at.alignment or layout[1] < scalar.bytes:  # each row of packed ones may lie anywhere
            return None
        element = f"{at.text}{'[0]' * levels}"
        # Nothing of it is read: there may be no row.
        tests = [f"sizeof({element}) == {layout[0]}"]
        tests += [f"__builtin_offsetof(__typeof__({element}), {path[1:]}) == {placed}"] if path else []
        known = self.names.made.get((at.text, scalar))
        if known is not None and known.place is not None:
            tests = list(dict.fromkeys((*known.place.tests, *tests)))
        place = replace(at.place(), tests=tuple(tests))
        if known is not None:
            known.place = place
        of_numbers: CType = Arithmetic(scalar)
        for table in reversed(tables):
            of_numbers = (
                replace(table, target=of_numbers)
                if isinstance(table, Pointer)
                else ArrayOf(of_numbers, table.extent if isinstance(table, ArrayOf) else None)
            )
        made = self.names.symbol(f"{at.text}_{scalar_name(scalar)}s", of_numbers, place, (at.text, scalar))
        last = subscripts[-1]
        assert last is not None
        inside = _sum(offset // scalar.bytes, [(last, count), *((n, s // scalar.bytes) for n, s in moving)], node)
        return self._subscripted(made, [*subscripts[:-1], inside], node)

    def _inner(
        self, type_: CType, steps: list[_Step], array: str
    ) -> tuple[ScalarType, int, list[tuple[c_ast.Node, int]], str, int] | None:
        """Inside one structure: the type of the number there, its place in bytes, subscripts with theirs; the innermost
        member, and where that is. None where the region has a union of the structure as numbers of two types."""
        fixed, placed, moving, path = 0, 0, list[tuple[c_ast.Node, int]](), ""
        named, unions = "", list[str]()
        for step in steps:
            match type_:
                case Record() if step.member is not None:
                    found, member = offset_of(type_, step.member), type_.member(step.member)
                    if found is None or member is None:
                        return None
                    offset, union = found
                    unions += [f"{path}@{union}"] if union is not None else []
                    fixed, type_ = fixed + offset, self._complete(member)
                    if step.member not in COMPLEX_PARTS:  # which lie where C says, and have no names
                        path += f".{step.member}"
                        named, placed = path, fixed
                case ArrayOf(element) if step.subscript is not None:
                    size = size_and_alignment(element)
                    if size is None:
                        return None
                    moving.append((step.subscript, size[0]))
                    path, type_ = f"{path}[0]", self._complete(element)
                case _:
                    return None
        if not isinstance(type_, Arithmetic) or type_.volatile or type_.boolean:
            return None
        for key in unions:
            self.names.around.recast.add(array)
            if self.names.shared.setdefault((array, key), type_.scalar) != type_.scalar:
                return None
        return type_.scalar, fixed, moving, named, placed


def _sum(constant: int, terms: list[tuple[c_ast.Node, int]], node: c_ast.Node) -> c_ast.Node:
    result: c_ast.Node = c_ast.Constant("int", str(constant), node.coord)
    for value, factor in terms:
        term = c_ast.BinaryOp("*", _long(value, node), c_ast.Constant("int", str(factor), node.coord), node.coord)
        result = c_ast.BinaryOp("+", result, term, node.coord)
    return result


def _long(node: c_ast.Node, place: c_ast.Node) -> c_ast.Node:
    """The expression as a long, in which no product of ours wraps."""
    if isinstance(node, c_ast.Constant):
        return node
    specifier = c_ast.TypeDecl(None, [], None, c_ast.IdentifierType(["long"], place.coord))
    return c_ast.Cast(c_ast.Typename(None, [], None, specifier, place.coord), node, place.coord)


# --- Cells that bounds and subscripts read ----------------------------------------------------------------------------


def name_cells(items: Items, around: Surroundings) -> Items:
    """The statements with a variable for every integer in memory that a bound or a subscript reads, and that nothing
    in the region writes by that name: ``*n``, ``size[0]``."""
    cells = _Cells(names_of(items, around))
    for item in items:
        for node in _integers(item, cells):
            cells.want(node)
    if not cells.wanted:
        return items
    cells.keep_names(items)
    return tuple(cells.visit(item) for item in items)


def _integers(item: c_ast.Node, cells: _Cells) -> Iterator[c_ast.Node]:
    """Expressions that bounds, subscripts and conditions consist of, and values of integer variables."""
    names = cells.names
    for node in walk_nodes(item):
        match node:
            case c_ast.For():
                yield from (part for part in (node.init, node.cond, node.next) if part is not None)
            case c_ast.If():
                yield from _surely_asked(node.cond, cells)
            case c_ast.ArrayRef():
                yield node.subscript
            case c_ast.Decl(init=init) if init is not None and isinstance(node.type, c_ast.TypeDecl):
                yield init
            case c_ast.Assignment(op="=" | "+=" | "-=", lvalue=c_ast.ID(name=name)):
                symbol = names.scope.lookup(name)
                if name in names.declared or (symbol is not None and _is_integer(symbol.type)):
                    yield node.rvalue


def _surely_asked(condition: c_ast.Node, cells: _Cells) -> Iterator[c_ast.Node]:
    """The parts of a condition, but for comparisons of data behind other ones: C need not get to them, and they are
    conditions on data whatever is compared there."""
    behind_data = False
    for part in _parts_of(condition):
        of_data = any(cells.is_data(node) for node in walk_nodes(part))
        if not (behind_data and of_data):
            yield part
        behind_data = behind_data or of_data


def _parts_of(condition: c_ast.Node) -> Iterator[c_ast.Node]:
    match condition:
        case c_ast.BinaryOp(op="&&" | "||"):
            yield from _parts_of(condition.left)
            yield from _parts_of(condition.right)
        case c_ast.UnaryOp(op="!", expr=inner):
            yield from _parts_of(inner)
        case _:
            yield condition


def _is_integer(type_: CType) -> bool:
    return isinstance(type_, Arithmetic) and not type_.scalar.is_float and not type_.volatile


@dataclass
class _Cells:
    names: Names
    wanted: set[str] = field(default_factory=set)

    def want(self, node: c_ast.Node) -> None:
        for inner in walk_nodes(node):
            found = self._cell(inner)
            if found is not None:
                self.wanted.add(found.text)

    def is_data(self, node: c_ast.Node) -> bool:
        """An element of memory that is not the same one all over the region?"""
        return is_element(node) and self._cell(node) is None

    def keep_names(self, items: Items) -> None:
        """What is only used as ``*n`` is called n."""
        bare: dict[str, int] = {}
        for node in (node for item in items for node in walk_nodes(item)):
            match node:
                case c_ast.UnaryOp(op="*", expr=c_ast.ID(name=name)):
                    bare[name] = bare.get(name, 0) - 1
                case c_ast.ID(name=name):
                    bare[name] = bare.get(name, 0) + 1
        self.names.free |= {name for name, count in bare.items() if not count and f"*{name}" in self.wanted}

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        found = self._cell(node)
        if found is None or found.text not in self.wanted:
            return map_children(node, self.visit)
        return c_ast.ID(self.names.symbol(found.text, found.type, found.place()).name, node.coord)

    def _cell(self, node: c_ast.Node) -> _Object | None:
        """The integer that an lvalue names, if it is the same cell all over the region."""
        if not isinstance(node, c_ast.ArrayRef | c_ast.UnaryOp):
            return None
        found = _steps(node)
        symbol = self.names.outer(found[0].name) if found is not None else None
        if found is None or symbol is None or symbol.name in self.names.stored:
            return None
        if not found[1] or any(step.subscript is None for step in found[1]):
            return None
        place = symbol.place
        if place is not None and (place.decayed or place.value):
            return None
        changes = (symbol.name,) if place is None and self.names.may_change(symbol) else ()
        text, object_ = (place.text, place.object) if place is not None else (symbol.name, symbol.name)
        at = _Object(text, variable_type(symbol), object_)
        if place is not None:
            at = replace(at, pointers=place.pointers, follows=place.follows, behind=place.behind)
        elif isinstance(at.type, Pointer):
            at = replace(at, pointers=changes)
        for step in found[1]:
            assert step.subscript is not None
            if not self.names.is_fixed(step.subscript):
                return None
            text = f"*{at.text}" if step.star else f"{at.text}[{c_text(step.subscript)}]"
            text = f"({text})" if step.star and len(found[1]) > 1 else text
            match at.type:
                case Pointer(target, _, False) if at.pointers in ((), changes) or place is not None:
                    at = _Object(text, target, f"{at.text}[]", at.pointers, at.follows or at.behind, True, steps=1)
                case ArrayOf(element):
                    at = replace(at, text=text, type=element, structure="", steps=1)
                case _:
                    return None
        return at if _is_integer(at.type) else None
