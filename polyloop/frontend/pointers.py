"""Rewrites pointers that move about in arrays into subscripts: a pointer is an array and an integer.

``float *row = a + i*n; row[j]`` becomes ``a[i*n + j]``, ``*(a + i)`` becomes ``a[i]``, and a pointer that moves,
``*p++``, becomes the array that it moved in with a running integer for a subscript, which other rewrites know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType, Opaque, Pointer, Record, type_name
from polyloop.backend.ir.expressions import I32, I64, U64
from polyloop.frontend.derived import Derived
from polyloop.frontend.expression_types import complete, elements_of, number_type, type_of, variable_type
from polyloop.frontend.known_values import value_before
from polyloop.frontend.members import Names, named_number, names_of, note_homes, pointer_place
from polyloop.frontend.memory_blocks import size_in_bytes
from polyloop.frontend.regions import exposed_read, names_at
from polyloop.frontend.scopes import (
    Place,
    Scope,
    Symbol,
    assigned_name,
    base_name,
    changed_names,
    declared_names,
    does_anything,
    is_element,
    loop_counter,
    set_names,
    stored_into,
    walk_nodes,
)
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    as_one,
    c_text,
    cast,
    declaration,
    first_use,
    identifier,
    map_children,
    number,
    operation,
    replaced,
    unset,
    variables,
    with_parts,
)

_BUMPS = {"++": 1, "p++": 1, "--": -1, "p--": -1}
_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))


@dataclass(frozen=True)
class _Target:
    """Where a pointer points: an array (or what leads to one), and which of its elements; None is the first."""

    array: c_ast.Node
    index: c_ast.Node | None = None


class _Untracked(Exception):
    """A pointer is used in a way that has no subscript for it; it is left to the reader."""

    def __init__(self, key: object) -> None:
        self.key = key


def follow_pointers(items: Items, around: Surroundings) -> Items:
    """The statements with subscripts for pointers that are set in them, and for sums of pointers and integers."""
    avoided: set[object] = set()
    based: dict[str, c_ast.Node] = {}
    while True:
        known = dict(around.scope.names)
        try:
            return _Pointers(items, around, avoided, based).rewritten()
        except _Untracked as problem:
            # Where a pointer is set to what it was set to before, that is the array; else it is an array of its own.
            key = problem.key
            first = _first_value(key, around) if isinstance(key, str) and key not in based else None
            if first is not None:
                based[str(key)] = first
            else:
                avoided.add(key)
            around.scope.names.clear()
            around.scope.names.update(known)


def _set_outside(items: Items, around: Surroundings) -> set[str]:
    """The pointers that come from outside of the region and are set in it."""
    found = around.found
    function = names_at(found, around.declarations)
    own = {name for name in changed_names(items) - declared_names(items) if _is_own_pointer(around.scope.lookup(name))}
    own -= set(function.address_taken)
    return set() if any(isinstance(node, c_ast.Goto) for item in items for node in walk_nodes(item)) else own


def _first_value(name: str, around: Surroundings) -> c_ast.Node | None:
    return value_before(name, around) if _is_own_pointer(around.scope.lookup(name)) else None


def _is_own_pointer(symbol: Symbol | None) -> bool:
    return symbol is not None and symbol.automatic and isinstance(variable_type(symbol), Pointer)


@dataclass
class _Moving:
    """A pointer that is set more than once: an integer of its own stands for where it is in its array."""

    name: str
    array: c_ast.Node | None


@dataclass
class _Pointers:
    items: Items
    around: Surroundings
    avoided: set[object]
    based: dict[str, c_ast.Node]
    targets: dict[Symbol, _Target] = field(default_factory=dict)
    moving: dict[Symbol, _Moving] = field(default_factory=dict)
    keys: dict[Symbol, object] = field(default_factory=dict)
    views: dict[str, set[str]] = field(default_factory=dict)
    flat: dict[c_ast.Cast, list[int]] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)
    multiples: dict[str, str] = field(default_factory=dict)
    bumps: list[c_ast.Node] | None = None

    def __post_init__(self) -> None:
        self.scope = Scope(self.around.scope)
        self.nodes = nodes = [node for item in self.items for node in walk_nodes(item)]
        names = self.around.declarations.names_of(self.around.found.function).names
        self.taken = set(names) | {name for n in nodes if isinstance(name := getattr(n, "name", None), str)}
        self.changed = changed_names(self.items)
        self.stored = self._stored_types(nodes)

    def _stored_types(self, nodes: list[c_ast.Node]) -> list[CType | None]:
        """The types of what the region stores into arrays and structures; None for one that is not known."""
        scope, self.scope = self.scope, Scope(self.scope)
        declared = [node for node in nodes if isinstance(node, c_ast.Decl) and node.name]
        types = {symbol.name: symbol.type for node in declared if (symbol := self._declared(node)) is not None}
        unclear = {n.name for n in declared if (s := self._declared(n)) is not None and s.type != types[s.name]}
        result = [
            self._type(target) if unclear.isdisjoint(inner.name for inner in variables(target)) else None
            for node in nodes
            if (target := stored_into(node)) is not None and not isinstance(target, c_ast.ID)
        ]
        self.scope = scope
        return result

    def _declared(self, node: c_ast.Decl) -> Symbol | None:
        return self.around.declarations.declare(node, self.scope, "local")

    def rewritten(self) -> Items:
        before: list[c_ast.Node] = []
        known = _set_outside(self.items, self.around) - self.avoided
        outside = sorted(known, key=lambda name: (self._depth(name), name))
        for name in outside:
            symbol = self.scope.lookup(name)
            assert symbol is not None
            self.keys[symbol] = name
            if first_use(name, self.items) is not False:
                # Only what is set once, right where it is used, needs no integer: `_set` finds that out.
                if not self._set_once(name):
                    before.append(self._move(symbol, None, self.items[0], None))
            else:
                first = self.items[0]
                start = self._start(name, symbol) or _Target(c_ast.ID(name, first.coord))
                before.append(self._move(symbol, start.array, first, start.index or number(0, first)))
        result = (*before, *self._block(self.items))
        if self.flat:
            result = tuple(map(self._with_rows, result))
        self._check_views(result)
        self.around.positions.update(self._read_behind(outside))
        if self.numbers:  # which C reads where pointers are set, and not where they are used
            note_homes(tuple(map(self._with_numbers, self.items)), self.around)
            names = self.around.scope.names
            for multiple, number_ in self.multiples.items():
                names[multiple].homes.update(names[number_].homes)
        return result

    def _depth(self, name: str) -> int:
        """How many pointers one begins behind another of: each comes before those that begin in what it points to."""
        first = self.based.get(name)
        return 0 if first is None else 1 + max((self._depth(n.name) for n in variables(first)), default=0)

    def _flat(self, node: c_ast.Cast) -> list[int] | None:
        """The inner extents of an array of arrays that is cast to a pointer to its numbers, ``(int *)block``."""
        to, type_ = self._type(node), self._type(node.expr)
        row = elements_of(type_)
        extents: list[int] = []
        while isinstance(row, ArrayOf):
            extent = None if row.extent is None else self.around.declarations.constant(row.extent, self.scope)
            if extent is None or extent < 1:
                return None
            extents.append(extent)
            row = row.element
        return extents if extents and isinstance(to, Pointer) and to.target == row else None

    def _with_rows(self, node: c_ast.Node) -> c_ast.Node:
        """Elements of such arrays with the subscripts that they have: ``((int *)block)[k]`` is ``block[k / 8][k % 8]``
        of rows of 8."""
        match node:
            case c_ast.ArrayRef(name=c_ast.Cast() as array, subscript=index) if array in self.flat:
                index = self._with_rows(index)
            case c_ast.UnaryOp(op="*", expr=c_ast.Cast() as array) if array in self.flat:
                index = number(0, node)
            case _:
                return map_children(node, self._with_rows)
        subscripts = list[c_ast.Node]()
        for extent in reversed(self.flat[array]):
            subscripts.append(operation("%", index, number(extent, node)))
            index = operation("/", index, number(extent, node))
        element = array.expr
        for subscript in (index, *reversed(subscripts)):
            element = c_ast.ArrayRef(element, subscript, node.coord)
        return element

    def _check_views(self, items: Items) -> None:
        """Of memory that the region has as numbers of two types, it must change nothing."""
        nodes = [node for item in items if self.views for node in walk_nodes(item)]
        named = {node.name for node in nodes if isinstance(node, c_ast.ID)}
        stored = {base_name(target) for node in nodes if (target := stored_into(node)) is not None}
        for name, views in self.views.items():
            used = named & {name, *views}
            if len(used) > 1 and (used & stored or None in stored):
                raise _Untracked(("view", name))

    def _start(self, name: str, symbol: Symbol) -> _Target | None:
        """Where a pointer points first, if that is an element of an array that has another name."""
        if name not in self.based:
            return None
        target = self._place_of(self.based[name], symbol)
        if target is None:
            raise _Untracked(name)
        self.around.given[name] = self.based[name]
        origin = self._origin(target.array)
        if origin.index is None:
            return target
        # What lies before an element that a pointer has is in the array that it has it of.
        index = origin.index if target.index is None else self._sum(origin.index, target.index)
        return _Target(origin.array, index)

    def _origin(self, array: c_ast.Node) -> _Target:
        """What a pointer that the region does not change is set to before it."""
        if not isinstance(array, c_ast.ID) or not self._fixed_pointer(array):
            return _Target(array)
        value, symbol = _first_value(array.name, self.around), self._symbol(array)
        target = self._place_of(value, symbol) if value is not None and symbol is not None else None
        if target is None or (target.index is not None and not self._is_stable(target.index, self.items)):
            return _Target(array)
        return target

    def _place_of(self, value: c_ast.Node, symbol: Symbol) -> _Target | None:
        """Where a value for a pointer points, in an array that is the same all through the region."""
        target = self._target(value) if self._points_alike(symbol.type, value) else None
        return target if target is not None and self._is_stable(target.array, self.items) else None

    def _read_behind(self, names: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
        for name in names:
            symbol = self.scope.lookup(name)
            if symbol is None or exposed_read(name, self.around.found) is None:
                continue
            moving = self.moving.get(symbol)
            array = moving.array if moving is not None else None
            if moving is None or not isinstance(array, c_ast.ID) or not self._fixed_pointer(array):
                raise _Untracked(name)
            yield moving.name, (name, array.name)

    def _set_once(self, name: str) -> bool:
        return sum(1 for item in self.items for node in walk_nodes(item) if assigned_name(node) == name) == 1

    def _fresh(self, name: str) -> str:
        base, count = f"{name}_at", 0
        while base in self.taken or self.around.scope.lookup(base) is not None:
            base, count = f"{name}_at{count}", count + 1
        self.taken.add(base)
        return base

    def _move(
        self, symbol: Symbol, array: c_ast.Node | None, place: c_ast.Node, index: c_ast.Node | None
    ) -> c_ast.Node:
        """Make an integer for a pointer that moves, and declare it."""
        moving = _Moving(self._fresh(symbol.name), array)
        self.moving[symbol] = moving
        declared = declaration(moving.name, I64, number(0, place) if index is None else index, place)
        if index is None:
            declared.init = None
        return declared

    # --- Statements ---------------------------------------------------------------------------------------------------

    def _block(self, nodes: Iterable[c_ast.Node]) -> list[c_ast.Node]:
        rest = list(nodes)
        result: list[c_ast.Node] = []
        while rest:
            node = rest.pop(0)
            result += self._statement(node, rest)
        return result

    def _statement(self, node: c_ast.Node, rest: list[c_ast.Node]) -> list[c_ast.Node]:
        match node:
            case c_ast.Compound():
                saved, self.scope = self.scope, Scope(self.scope)
                inner = self._block(node.block_items or ())
                self.scope = saved
                return [with_parts(node, block_items=inner)]
            case c_ast.For():
                return [self._for(node)]
            case c_ast.If():
                return self._choice(node)
            case c_ast.While() | c_ast.DoWhile() | c_ast.Label():
                return [map_children(node, lambda n: self._body(n) if n is node.stmt else self.visit(n))]
            case c_ast.Decl() if node.init is not None and self._is_number(node) and self._moves_one(node.init):
                assignment = c_ast.Assignment("=", c_ast.ID(node.name, node.coord), node.init, node.init.coord)
                return [*self._declaration(unset(node), rest), *self._with_bumps(assignment)]
            case c_ast.Decl():
                return self._declaration(node, rest)
            case c_ast.ExprList():
                return [part for expression in node.exprs for part in self._statement(expression, rest)]
            case c_ast.Assignment(op="=", lvalue=c_ast.ID() as target) if self._is_tracked(target):
                return self._set(node, target, rest)
            case c_ast.Assignment(op="+=" | "-=", lvalue=c_ast.ID() as target) if self._is_tracked(target):
                return [c_ast.Assignment(node.op, self._running(target), self.visit(node.rvalue), node.coord)]
            case c_ast.UnaryOp(expr=c_ast.ID() as target) if node.op in _BUMPS and self._is_tracked(target):
                return [c_ast.UnaryOp(node.op, self._running(target), node.coord)]
            case c_ast.Assignment() | c_ast.UnaryOp():
                return self._with_bumps(node)
            case c_ast.Typedef() | c_ast.Pragma() | c_ast.EmptyStatement():
                return [node]
        return [self.visit(node)]

    def _is_number(self, node: c_ast.Decl) -> bool:
        return isinstance(self.around.declarations.resolve(node.type, self.scope), Arithmetic)

    def _moves_one(self, node: c_ast.Node) -> bool:
        """Does an expression move a pointer on its way?"""
        return any(
            isinstance(n, c_ast.UnaryOp)
            and n.op in _BUMPS
            and isinstance(n.expr, c_ast.ID)
            and self._is_tracked(n.expr)
            for n in walk_nodes(node)
        )

    def _body(self, node: c_ast.Node) -> c_ast.Node:
        """The body of a loop or a branch, which is one statement."""
        saved, self.scope = self.scope, Scope(self.scope)
        inner = self._statement(node, [])
        self.scope = saved
        return as_one(inner, node)

    def _for(self, node: c_ast.For) -> c_ast.Node:
        saved, self.scope = self.scope, Scope(self.scope)
        rest = [part for part in (node.cond, node.next, node.stmt) if part is not None]
        match node.init:
            case c_ast.DeclList():
                parts = [part for declared in node.init.decls for part in self._declaration(declared, rest)]
                init: c_ast.Node | None = c_ast.DeclList(parts, node.init.coord) if parts else None
            case None:
                init = None
            case _:
                init = _listed(self._statement(node.init, rest), node.init)
        cond = self.visit(node.cond) if node.cond is not None else None
        following = _listed(self._statement(node.next, []), node.next) if node.next is not None else None
        body = self._body(node.stmt)
        self.scope = saved
        return with_parts(node, init=init, cond=cond, next=following, stmt=body)

    def _declaration(self, node: c_ast.Decl, rest: list[c_ast.Node]) -> list[c_ast.Node]:
        after: list[c_ast.Node] = []
        self.bumps = None if str(node.coord) in self.avoided or self._is_number(node) else after
        target = (
            self._target(node.init) if node.init is not None and not isinstance(node.init, c_ast.InitList) else None
        )
        self.bumps = None
        init = self.visit(node.init) if node.init is not None and target is None else node.init
        symbol = self.around.declarations.declare(node, self.scope, "local")
        pointed = symbol is not None and isinstance(symbol.type, Pointer) and not node.storage
        if symbol is None or not pointed or str(node.coord) in self.avoided or self._is_used_behind(node):
            if after:
                raise _Untracked(str(node.coord))
            return [with_parts(node, init=init)]
        self.keys[symbol] = str(node.coord)
        if node.init is None:
            if first_use(node.name, rest) is False:
                raise _Untracked(str(node.coord))
            changes = sum(1 for item in rest for inner in walk_nodes(item) if assigned_name(inner) == node.name)
            # What is set in a block of its own stands for variables that are gone behind it.
            direct = any(assigned_name(item) == node.name for item in rest)
            return [] if changes == 1 and direct else [self._move(symbol, None, node, None)]
        if target is None or not self._points_alike(symbol.type, node.init):
            raise _Untracked(str(node.coord))
        return [*self._first(symbol, target, node, [*after, *rest]), *after]

    def _is_used_behind(self, node: c_ast.Decl) -> bool:
        """Is what the region's top level declares used after the region?"""
        after = self.around.found.after[0] if node in self.items else ()
        return any(isinstance(n, c_ast.ID) and n.name == node.name for item in after for n in walk_nodes(item))

    def _first(self, symbol: Symbol, target: _Target, node: c_ast.Node, rest: list[c_ast.Node]) -> list[c_ast.Node]:
        """A pointer gets its first value: for good, or until it moves."""
        moves = any(assigned_name(inner) == symbol.name for item in rest for inner in walk_nodes(item))
        rows: list[c_ast.Node] = []
        if not self._is_stable(target.array, rest):
            target = _Target(self._kept_row(symbol, target.array, rest, rows), target.index)
        if not moves and (target.index is None or self._is_stable(target.index, rest)):
            self.targets[symbol] = target
            return rows
        index = target.index if target.index is not None else number(0, node)
        return [*rows, self._move(symbol, target.array, node, index)]

    def _kept_row(
        self, symbol: Symbol, array: c_ast.Node, rest: list[c_ast.Node], rows: list[c_ast.Node]
    ) -> c_ast.Node:
        """The pointer in a table, ``in[row]``, for all that follows: where its number changes, with a variable for what
        that is now, whose declaration is added to `rows`."""
        if self._is_stable(array, rest):
            return array
        if not isinstance(array, c_ast.ArrayRef) or not self._is_kept(array):
            raise _Untracked(self.keys[symbol])
        table, number_ = self._kept_row(symbol, array.name, rest, rows), array.subscript
        if not self._is_stable(number_, rest):
            if does_anything(number_):
                raise _Untracked(self.keys[symbol])
            name = self._fresh(symbol.name)
            rows.append(declaration(name, I64, number_, number_))
            number_ = c_ast.ID(name, number_.coord)
        return c_ast.ArrayRef(table, number_, array.coord)

    def _set(self, node: c_ast.Assignment, name: c_ast.ID, rest: list[c_ast.Node]) -> list[c_ast.Node]:
        symbol = self._symbol(name)
        assert symbol is not None
        after: list[c_ast.Node] = []
        self.bumps = after
        target = self._target(node.rvalue)
        self.bumps = None
        if after and any(self._is_moving(symbol, bump) for bump in after):
            raise _Untracked(self.keys[symbol])
        return [*self._set_to(node, name, symbol, target, [*after, *rest]), *after]

    def _is_moving(self, symbol: Symbol, bump: c_ast.Node) -> bool:
        """Is it this pointer's own integer that a statement moves?"""
        return symbol in self.moving and assigned_name(bump) == self.moving[symbol].name

    def _set_to(
        self, node: c_ast.Assignment, name: c_ast.ID, symbol: Symbol, target: _Target | None, rest: list[c_ast.Node]
    ) -> list[c_ast.Node]:
        if target is None or not self._points_alike(symbol.type, node.rvalue):
            raise _Untracked(self.keys[symbol])
        moving = self.moving.get(symbol)
        if moving is None:
            here = sum(1 for item in rest for n in walk_nodes(item) if isinstance(n, c_ast.ID) and n.name == name.name)
            if here != sum(1 for n in self.nodes if isinstance(n, c_ast.ID) and n.name == name.name) - 1:
                raise _Untracked(self.keys[symbol])
            return self._first(symbol, target, node, rest)
        if moving.array is None:
            moving.array = target.array
            if not self._is_stable(target.array, self.items):
                raise _Untracked(self.keys[symbol])
        elif c_text(moving.array) != c_text(target.array):
            ours, theirs = self._origin(moving.array), self._origin(target.array)
            if ours.index is not None or c_text(ours.array) != c_text(theirs.array):
                raise _Untracked(self._with_first_value(target.array) or self.keys[symbol])
            given = moving.array
            if theirs.index is not None:
                given = c_ast.BinaryOp("+", given, theirs.index, node.coord)
                target = _Target(target.array, self._sum(theirs.index, target.index or number(0, node)))
            if isinstance(target.array, c_ast.ID):
                self.around.given[target.array.name] = given
        index = target.index if target.index is not None else number(0, node)
        return [c_ast.Assignment("=", c_ast.ID(moving.name, name.coord), index, node.coord)]

    def _with_first_value(self, array: c_ast.Node) -> object | None:
        """The key of a pointer that moves, if what it is set to before the region may say which array it moves in."""
        symbol = self._symbol(array) if isinstance(array, c_ast.ID) else None
        key = None if symbol is None else self.keys.get(symbol)
        known = isinstance(key, str) and key not in self.based and _first_value(key, self.around) is not None
        return key if known else None

    def _with_bumps(self, node: c_ast.Node) -> list[c_ast.Node]:
        """A statement that moves pointers on its way: ``*p++ = *q++``."""
        changed, after = self._visited_with_bumps(node)
        return [changed, *after]

    def _choice(self, node: c_ast.If) -> list[c_ast.Node]:
        """An ``if`` whose condition may move pointers, ``if (*p++)``: they are moved before it, which allows for that,
        since either branch begins behind that."""
        condition, before = self._visited_with_bumps(node.cond)
        values = {b.expr.name: operation("-", b.expr, number(_BUMPS[b.op], node.cond)) for b in before}
        branches = [None if branch is None else self._body(branch) for branch in (node.iftrue, node.iffalse)]
        condition = replaced(condition, values) if values else condition
        return [*before, with_parts(node, cond=condition, iftrue=branches[0], iffalse=branches[1])]

    def _visited_with_bumps(self, node: c_ast.Node) -> tuple[c_ast.Node, list[c_ast.Node]]:
        """What a node becomes, and the moves of pointers inside of it; none of these is named there once more."""
        self.bumps = []
        changed = self.visit(node)
        bumps, self.bumps = self.bumps, None
        for bump in bumps:
            if sum(1 for inner in variables(changed) if inner.name == bump.expr.name) != 1:
                symbol = next(s for s, moving in self.moving.items() if moving.name == bump.expr.name)
                raise _Untracked(self.keys[symbol])
        return changed, bumps

    # --- Expressions --------------------------------------------------------------------------------------------------

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.ArrayRef():
                if isinstance(self._type(node.subscript), Pointer | ArrayOf):  # i[a]
                    return self.visit(c_ast.ArrayRef(node.subscript, node.name, node.coord))
                target = self._target(node.name)
                if target is not None:
                    subscript = self._sum(target.index, self.visit(node.subscript))
                    if (member := _member(target)) is not None:
                        return self._only(node, member, subscript)
                    return with_parts(node, name=target.array, subscript=subscript)
            case c_ast.UnaryOp(op="*"):
                target = self._target(node.expr)
                if target is not None:
                    return node if target.array is node.expr and target.index is None else _element(target, node)
            case c_ast.StructRef():
                target = self._target(node.name) if node.type == "->" else None
                if target is not None and target.index is not None:
                    return with_parts(node, name=_element(target, node), type=".")
                if target is not None and (member := _member(target)) is not None:
                    return with_parts(node, name=member, type=".")
                if target is not None:
                    return with_parts(node, name=target.array)
            case c_ast.BinaryOp() if node.op in _COMPARISONS or node.op == "-":
                compared = self._compared(node)
                if compared is not None:
                    return compared
            case c_ast.TernaryOp() | c_ast.BinaryOp(op="&&" | "||"):
                first = self.visit(node.cond if isinstance(node, c_ast.TernaryOp) else node.left)
                saved, self.bumps = self.bumps, None  # the rest C evaluates or not
                rest = [node.iftrue, node.iffalse] if isinstance(node, c_ast.TernaryOp) else [node.right]
                new = {id(part): self.visit(part) for part in rest}
                self.bumps = saved
                return map_children(node, lambda part: new.get(id(part), first))
            case c_ast.ID():
                symbol = self._symbol(node)
                if symbol is not None and (symbol in self.targets or symbol in self.moving):
                    raise _Untracked(self.keys[symbol])
            case c_ast.UnaryOp(op="sizeof"):
                size = size_in_bytes(node, self.scope, self.around.declarations)
                return node if size is None else c_ast.Constant("unsigned long int", f"{size}ul", node.coord)
            case c_ast.Typename() | c_ast.Decl():
                return node
        return map_children(node, self.visit)

    def _only(self, node: c_ast.ArrayRef, member: c_ast.Node, subscript: c_ast.Node) -> c_ast.Node:
        """The member that a pointer leads to, which is the first and the last of its kind there."""
        if self.around.declarations.constant(subscript, self.scope) == 0:
            return member
        if isinstance(node.name, c_ast.ID) and self._is_tracked(node.name):
            raise _Untracked(self.keys[self._symbol(node.name)])  # type: ignore[index]
        return map_children(node, self.visit)

    def _compared(self, node: c_ast.BinaryOp) -> c_ast.Node | None:
        """Two pointers to one array compare, and differ, as their integers do."""
        if not (isinstance(self._type(node.left), Pointer) and isinstance(self._type(node.right), Pointer)):
            return None
        left, right = self._target(node.left), self._target(node.right)
        if left is None or right is None or (left.index is None and right.index is None):
            return None
        if c_text(left.array) != c_text(right.array):
            # The end of an array: how far away it is is a number.
            if right.index is None and self._fixed_pointer(right.array) and self._fixed_pointer(left.array):
                right = _Target(left.array, self._distance(right.array, left.array))
            elif left.index is None and self._fixed_pointer(right.array) and self._fixed_pointer(left.array):
                left = _Target(right.array, self._distance(left.array, right.array))
            elif key := self._with_first_value(right.array) or self._with_first_value(left.array):
                raise _Untracked(key)  # both move: one may begin in what the other one points to
            else:
                return None
        sides = (side.index if side.index is not None else number(0, node) for side in (left, right))
        return operation(node.op, *(self._as_long(side) for side in sides))

    def _fixed_pointer(self, node: c_ast.Node) -> bool:
        """Is it a variable from outside, or a member that such a one leads to, which has the value now that it has at
        the region's beginning?"""
        if isinstance(node, c_ast.StructRef):
            return pointer_place(node, self.names) is not None
        symbol = self.around.scope.lookup(node.name) if isinstance(node, c_ast.ID) else None
        if symbol is None or symbol is not self._symbol(node) or symbol.kind not in ("parameter", "local", "global"):
            return False
        moving = self.moving.get(symbol)
        if moving is not None:
            return isinstance(moving.array, c_ast.ID) and moving.array.name == symbol.name
        return symbol not in self.keys and symbol.name not in self.changed

    def _distance(self, end: c_ast.Node, start: c_ast.Node) -> c_ast.Node:
        text = f"({c_text(end)} - {c_text(start)})"
        members = [place for node in (end, start) if (place := pointer_place(node, self.names)) is not None]
        pointers = tuple(pointer for place in members for pointer in place.pointers)
        place = Place(text, text, text, pointers, behind=any(place.follows for place in members), value=True)
        wish = f"{identifier(c_text(end))}_minus_{identifier(c_text(start))}"
        return c_ast.ID(self.names.symbol(wish, Arithmetic(I64), place).name, end.coord)

    @cached_property
    def names(self) -> Names:
        return names_of(self.items, self.around)

    def _symbol(self, node: c_ast.ID) -> Symbol | None:
        return self.scope.lookup(node.name)

    def _is_tracked(self, node: c_ast.ID) -> bool:
        symbol = self._symbol(node)
        return symbol is not None and symbol in self.keys

    def _running(self, node: c_ast.ID) -> c_ast.Node:
        symbol = self._symbol(node)
        assert symbol is not None
        if symbol not in self.moving:
            raise _Untracked(self.keys[symbol])
        return c_ast.ID(self.moving[symbol].name, node.coord)

    def _target(self, node: c_ast.Node) -> _Target | None:
        """Where the value of an expression points, if it is a pointer that can be followed."""
        match node:
            case c_ast.ID():
                symbol = self._symbol(node)
                if symbol is None or not isinstance(variable_type(symbol), Pointer | ArrayOf):
                    return None
                if symbol in self.targets:
                    return self.targets[symbol]
                if symbol in self.moving:
                    array = self.moving[symbol].array
                    return _Target(array, self._running(node)) if array is not None else self._give_up(symbol)
                return self._give_up(symbol) if symbol in self.keys else _Target(node)
            case c_ast.BinaryOp(op="+" | "-"):
                for pointer, other in ((node.left, node.right), (node.right, node.left)):
                    if isinstance(self._type(pointer), Pointer | ArrayOf) and isinstance(self._type(other), Arithmetic):
                        target = self._target(pointer)
                        if target is None or (node.op == "-" and pointer is not node.left):
                            return None
                        amount = self.visit(other)
                        return _Target(target.array, self._sum(target.index, amount, node.op))
            case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef() as element):
                target = self._target(element.name)
                if target is not None:
                    return _Target(target.array, self._sum(target.index, self.visit(element.subscript)))
            case c_ast.UnaryOp(op="&", expr=c_ast.UnaryOp(op="*", expr=inner)):
                return self._target(inner)
            case c_ast.UnaryOp(op="&", expr=c_ast.StructRef() as member):
                if isinstance(self._type(member), Record | Arithmetic):
                    return _Target(with_parts(node, expr=self.visit(member)))
            case c_ast.UnaryOp(expr=c_ast.ID() as moved) if node.op in _BUMPS and self._is_tracked(moved):
                return self._bumped(node, moved)
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                if isinstance(self._type(node), Pointer | ArrayOf):
                    return _Target(self.visit(node))
            case c_ast.Cast():
                return self._cast(node)
        return None

    def _give_up(self, symbol: Symbol) -> _Target:
        raise _Untracked(self.keys[symbol])

    def _bumped(self, node: c_ast.UnaryOp, moved: c_ast.ID) -> _Target | None:
        if self.bumps is None:
            raise _Untracked(self.keys[self._symbol(moved)])  # type: ignore[index]
        target = self._target(moved)
        assert target is not None
        running = self._running(moved)
        self.bumps.append(c_ast.UnaryOp(f"p{node.op.strip('p')}", running, node.coord))
        if node.op.startswith("p"):
            return target
        return _Target(target.array, operation("+", running, number(_BUMPS[node.op], node)))

    def _cast(self, node: c_ast.Cast) -> _Target | None:
        """A pointer that is cast to its own type, one to anything or to bytes that is cast to what it points to, or one
        to numbers that is cast to numbers of that size or to parts of them, ``((uint8_t *)words)[i]``."""
        to, source = self._type(node), self._type(node.expr)
        if isinstance(to, Pointer) and isinstance(node.expr, c_ast.BinaryOp) and node.expr.op == "^":
            return self._other_end(node.expr, to)
        if not isinstance(to, Pointer) or not isinstance(source, Pointer | ArrayOf):
            return None
        if isinstance(to.target, Arithmetic) and isinstance(node.expr, c_ast.BinaryOp):
            behind = self._behind_bytes(node.expr, node.to_type, to.target.scalar.bits // 8)
            if behind is not None:
                return behind
        inside = elements_of(source)
        if inside == to.target and isinstance(inside, Arithmetic):
            return self._target(node.expr)
        if (extents := self._flat(node)) is not None and isinstance(node.expr, c_ast.ID):
            array = c_ast.Cast(node.to_type, self.visit(node.expr), node.coord)
            self.flat[array] = extents
            return _Target(array)
        if inside == Opaque("void") and isinstance(node.expr, c_ast.StructRef) and isinstance(to.target, Arithmetic):
            return _Target(c_ast.Cast(node.to_type, self.visit(node.expr), node.coord))  # a name for it is made later
        if inside == Opaque("void") and isinstance(node.expr, c_ast.ID) and isinstance(to.target, Arithmetic):
            return None if self._is_tracked(node.expr) else self._viewed(node.expr, node.to_type, to)
        if isinstance(inside, Arithmetic) and isinstance(to.target, Arithmetic) and not inside.volatile:
            bytes_, size = inside.scalar.bytes, to.target.scalar.bytes
            target = self._target(node.expr) if bytes_ % size == 0 or bytes_ == 1 else None
            if target is None or not isinstance(target.array, c_ast.ID) or (bytes_ < size and target.index is not None):
                return None
            view = self._viewed(target.array, node.to_type, to)
            if view is None or target.index is None:
                return view
            index = self._as_long(target.index)
            return _Target(view.array, index if bytes_ == size else operation("*", index, number(bytes_ // size, node)))
        return None

    def _viewed(self, array: c_ast.ID, to_type: c_ast.Node, to: Pointer) -> _Target | None:
        """What a pointer points to where the region begins, as numbers of another type: an array with a name of its own
        (see `_check_views`)."""
        symbol = self.around.scope.lookup(array.name)
        key = ("view", array.name)
        moves = array.name in self.changed and not self._fixed_pointer(array)
        if symbol is None or symbol is not self._symbol(array) or moves or key in self.avoided:
            return None
        text = f"(({re.sub(r'const +', '', c_text(to_type))})({array.name}))"
        made = re.sub(r"\W+", "_", f"{array.name}_{type_name(to.target)}s")
        known = self.around.scope.lookup(made)
        ours = known is None or (known.place is not None and known.place.text.endswith(f"({array.name}))"))
        if made in self.taken or not ours:
            return None
        typed = complete(variable_type(symbol), self.scope) != Pointer(Opaque("void"))
        if typed:
            self.views.setdefault(array.name, set()).add(made)
        if typed and isinstance(to.target, Arithmetic) and to.target.scalar.bits > 8:
            self.around.recast.add(array.name)
        if known is None:
            self.around.scope.add(Symbol(made, "member", to, place=Place(text, text, text)))
        return _Target(c_ast.ID(made, array.coord))

    def _other_end(self, node: c_ast.BinaryOp, to: Pointer) -> _Target | None:
        """``(uint8_t *)((uintptr_t)((uint8_t *)words + n) ^ 3)`` as ``(uint8_t *)words + (n ^ 3)``: C aligns words.
        Programs that lay words out alike on all machines count their parts from the other end so."""
        by = self.around.declarations.constant(node.right, self.scope)
        address = number_type(node.left, self.scope, self.around.declarations)
        match node.left:
            case c_ast.Cast(expr=c_ast.BinaryOp(op="+", left=c_ast.Cast() as part, right=number_)):
                held, word = self._type(part), self._type(part.expr)
            case _:
                return None
        if by is None or address not in (I64, U64) or not isinstance(word, Pointer) or held != to:
            return None
        if not isinstance(word.target, Arithmetic) or not isinstance(to.target, Arithmetic):
            return None
        size = to.target.scalar.bytes
        target = self._target(part) if 0 <= by < word.target.scalar.bytes and by % size == 0 else None
        if target is None:
            return None
        place = operation("^", self._as_long(self.visit(number_)), number(by // size, node))
        return _Target(target.array, self._sum(target.index, place))

    def _behind_bytes(self, node: c_ast.Node, to_type: c_ast.Node, size: int) -> _Target | None:
        """What stands behind ``(char *)p`` or sums of it and integers, as elements of the type that it is cast to."""
        match node:
            case c_ast.Cast(expr=inner) if self._counts_bytes(node) and self._type(inner) is not None:
                return self._cast(c_ast.Cast(to_type, inner, node.coord))
            case c_ast.ID():
                return self._cast(c_ast.Cast(to_type, node, node.coord))
            case c_ast.BinaryOp(op="+" | "-"):
                sides = [(node.left, node.right)] + ([(node.right, node.left)] if node.op == "+" else [])
                for pointer, amount in sides:
                    if self._counts_bytes(pointer):
                        target, elements = self._behind_bytes(pointer, to_type, size), self._elements(amount, size)
                        if target is None or elements is None:
                            return None
                        return _Target(target.array, self._sum(target.index, elements, node.op))
        return None

    def _counts_bytes(self, node: c_ast.Node) -> bool:
        type_ = self._type(node)
        return isinstance(type_, Pointer) and isinstance(type_.target, Arithmetic) and type_.target.scalar.bits == 8

    def _elements(self, node: c_ast.Node, size: int) -> c_ast.Node | None:
        """How many elements so many bytes are, if a test that parameters in it are multiples of the size says that they
        are whole ones; None where C may count modulo 2^32, or others that are not known to be such."""
        known = self.around.declarations.constant(node, self.scope)
        if known is not None:
            return number(known // size, node) if known % size == 0 else None
        type_ = number_type(node, self.scope, self.around.declarations)
        derived = Derived(self.around, frozenset(set_names(self.items)))
        if type_ is None or type_.is_float:
            return None
        named = self._number_of(node) if isinstance(node, c_ast.StructRef) else node
        if isinstance(named, c_ast.ID) and derived.is_fixed(named):
            elements = derived.multiple(named, size)
            if named is not node:
                self.multiples[elements.name] = named.name
            return elements
        if type_.bits < 64 and (type_.kind != "int" or self.around.declarations.wraps):
            return None
        match node:
            case c_ast.Cast(expr=inner) if type_.bits == 64:
                return self._elements(inner, size)
            case c_ast.BinaryOp(op="+" | "-"):
                left, right = self._elements(node.left, size), self._elements(node.right, size)
                return None if left is None or right is None else self._sum(left, right, node.op)
            case c_ast.BinaryOp(op="*"):
                for part, other in ((node.right, node.left), (node.left, node.right)):
                    whole_part = self._elements(part, size)
                    if whole_part is not None:
                        return operation("*", self._as_long(self.visit(other)), whole_part)
        return None

    def _number_of(self, node: c_ast.StructRef) -> c_ast.ID | None:
        """A name for a member that the region itself does not store to."""
        stores = (target for inner in self.nodes if (target := stored_into(inner)) is not None)
        if any(isinstance(t, c_ast.StructRef) and t.field.name == node.field.name for t in stores):
            return None
        if any(stored is None or isinstance(stored, Record) for stored in self.stored):
            return None
        made = named_number(node, self.names)
        if made is not None:
            self.numbers[c_text(node)] = made.name
        return made

    def _with_numbers(self, node: c_ast.Node) -> c_ast.Node:
        """The statements with the names of members' numbers in the places of these."""
        if isinstance(node, c_ast.StructRef) and (name := self.numbers.get(c_text(node))) is not None:
            return c_ast.ID(name, node.coord)
        return map_children(node, self._with_numbers)

    def _type(self, node: c_ast.Node) -> CType | None:
        return type_of(node, self.scope, self.around.declarations)

    def _complete(self, type_: CType) -> CType:
        return complete(type_, self.scope)

    def _points_alike(self, type_: CType, value: c_ast.Node) -> bool:
        """Does C count in the same elements behind a pointer as behind the value that it gets?"""
        other = self._type(value)
        if not isinstance(type_, Pointer) or type_.volatile or not isinstance(other, Pointer | ArrayOf):
            return False
        mine, theirs = type_.target, other.target if isinstance(other, Pointer) else other.element
        mine, theirs = self._complete(mine), self._complete(theirs)
        while isinstance(mine, ArrayOf) and isinstance(theirs, ArrayOf):
            if mine.extent is None or theirs.extent is None or not self._are_one(mine.extent, theirs.extent):
                return False
            mine, theirs = mine.element, theirs.element
        return mine == theirs

    def _are_one(self, left: c_ast.Node, right: c_ast.Node) -> bool:
        values = [self.around.declarations.constant(extent, self.scope) for extent in (left, right)]
        return values[0] == values[1] if values != [None, None] else c_text(left) == c_text(right)

    def _sum(self, left: c_ast.Node | None, right: c_ast.Node, operator: str = "+") -> c_ast.Node:
        if left is None:
            return right if operator == "+" else c_ast.UnaryOp("-", self._as_long(right), right.coord)
        return operation(operator, self._as_long(left), self._as_long(right))

    def _as_long(self, node: c_ast.Node) -> c_ast.Node:
        """The integer as one in which sums do not wrap where those of pointers would not."""
        return node if self._is_signed(node) else cast(node, I64)

    def _is_signed(self, node: c_ast.Node) -> bool:
        match node:
            case c_ast.Constant(type="int"):
                return True
            case c_ast.ID():
                symbol = self._symbol(node)
                if symbol is None:
                    return any(node.name == moving.name for moving in self.moving.values())
                return isinstance(symbol.type, Arithmetic) and symbol.type.scalar in (I32, I64)
            case c_ast.BinaryOp(op="+" | "-" | "*"):
                return self._is_signed(node.left) and self._is_signed(node.right)
            case c_ast.UnaryOp(op="-"):
                return self._is_signed(node.expr)
            case c_ast.Cast():
                type_ = self.around.declarations.resolve(node.to_type, self.scope)
                return isinstance(type_, Arithmetic) and type_.scalar == I64
        return False

    def _is_kept(self, node: c_ast.Node) -> bool:
        """Does nothing in the region store what is read here? What other names may store, run-time tests find out."""
        type_ = self._type(node)
        match type_:
            case ArrayOf() | Record():
                return True
            case Pointer():
                return not any(stored is None or isinstance(stored, Pointer) for stored in self.stored)
            case Arithmetic():
                return not any(stored is None or stored == type_ for stored in self.stored)
        return False

    def _is_stable(self, node: c_ast.Node, rest: Iterable[c_ast.Node]) -> bool:
        """Has an expression the same value wherever it stands in the statements?"""
        if self._fixed_pointer(node):
            return True
        if (member := _member(_Target(node))) is not None:
            node = member.name  # where a member is does not change with its value
        names = {inner.name for inner in variables(node)}
        names |= {symbol.name for symbol, moving in self.moving.items() if moving.name in names}
        for inner in walk_nodes(node):
            if isinstance(inner, c_ast.FuncCall | c_ast.Assignment) or assigned_name(inner) is not None:
                return False
            if (is_element(inner) or isinstance(inner, c_ast.StructRef)) and not self._is_kept(inner):
                return False
        for item in rest:
            for inner in walk_nodes(item):
                changed = assigned_name(inner)
                if isinstance(inner, c_ast.For):
                    changed = loop_counter(inner)
                elif isinstance(inner, c_ast.Decl):
                    changed = inner.name
                if changed in names:
                    return False
        return True


def _member(target: _Target) -> c_ast.StructRef | None:
    """The member of a structure that a pointer leads to, ``&a[i].position``, which is no array's element."""
    match target.array:
        case c_ast.UnaryOp(op="&", expr=c_ast.StructRef() as member):
            return member
    return None


def _element(target: _Target, node: c_ast.Node) -> c_ast.Node:
    if target.index is None and (member := _member(target)) is not None:
        return member
    if target.index is None:
        return c_ast.UnaryOp("*", target.array, node.coord)
    return c_ast.ArrayRef(target.array, target.index, node.coord)


def _listed(nodes: list[c_ast.Node], node: c_ast.Node) -> c_ast.Node | None:
    """What a loop's header has in one place."""
    if len(nodes) <= 1:
        return nodes[0] if nodes else None
    return c_ast.ExprList(nodes, node.coord)
