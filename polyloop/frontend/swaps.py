"""Buffers that change places behind every step: a loop takes as many steps at once as bring them back.

    for (t = 0; t < steps; t++) {          for (t = 0; t < steps / 2; t++) {
        step(a, b);                            step(a, b);
        tmp = a; a = b; b = tmp;     ->        step(b, a);
    }                                      }
                                           if (steps % 2 > 0)
                                               step(a, b);

Three buffers that take turns are back behind three steps; so are numbers that say which one is which
(``u[next][i] = u[now][i]``), and pointers that are members or elements (``t = g->u; g->u = g->v; g->v = t``). What the
pointers are worth behind the loop is said to those who put other code in its place: they let them change places as
often as the loop would have (`Surroundings.behind`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, Pointer, Record, leaves
from polyloop.backend.ir.expressions import I32, I64, ScalarType
from polyloop.frontend.expression_types import type_of, variable_type
from polyloop.frontend.naming import own_name
from polyloop.frontend.regions import exposed_read, names_at
from polyloop.frontend.scopes import Scope, Symbol, base_name, changed_names, declared_names, used_names, walk_nodes
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    c_text,
    cast,
    declaration,
    header_of,
    is_zero,
    map_children,
    number,
    operation,
    replaced,
    statements_of,
    variables,
)
from polyloop.frontend.values import has_effects

_MOST_STEPS = 4
"""At once: the loop's body is written once for each."""


def unroll_swaps(items: Items, around: Surroundings) -> Items:
    """The statements with every loop at their top whose pointers, or numbers of buffers, take turns unrolled: none of
    these changes there."""
    places = _places(items, around)
    scope = Scope(around.scope, {name: Symbol(name, "global", type_) for name, (_, type_) in places.items()})
    named = _with_names(items, places) if places else items
    unrolled = _unrolled(named, replace(around, scope=scope))
    if unrolled is named:
        return items
    nodes = {name: node for name, (node, _) in places.items()}
    return tuple(replaced(item, nodes) for item in unrolled) if nodes else unrolled


def _unrolled(items: Items, around: Surroundings) -> Items:
    result: list[c_ast.Node] = []
    for position, item in enumerate(items):
        others = (*items[:position], *items[position + 1 :])
        turns = _turns(item, around, others) if isinstance(item, c_ast.For) else None
        if turns is None:
            result.append(item)
        else:
            result += turns.unrolled()
            turns.leave(around)
    return items if len(result) == len(items) else tuple(result)


# --- Pointers that are members or elements ---------------------------------------------------------------------------


def _places(items: Items, around: Surroundings) -> dict[str, tuple[c_ast.Node, Pointer]]:
    """The members and elements that take turns, by what C calls them, with their types; none at all where other names
    may stand for one of them."""
    nodes = [node for item in items for node in walk_nodes(item)]
    found: dict[str, tuple[c_ast.Node, Pointer]] = {}
    for node in nodes:
        for side in _sides(node):
            type_ = type_of(side, around.scope, around.declarations) if _is_place(side) else None
            if isinstance(type_, Pointer):
                found.setdefault(c_text(side), (side, type_))
    if not found:
        return {}
    changed = changed_names(items) | declared_names(items)
    roots = {variable.name for place, _ in found.values() for variable in variables(place)}
    steps = [_last_step(place) for place, _ in found.values()]
    if not roots.isdisjoint(changed) or len(set(steps)) < len(steps):
        return {}
    return {} if _has_other_names(found, steps, nodes, around) else found


def _has_other_names(
    found: Collection[str], steps: Collection[str], nodes: Sequence[c_ast.Node], around: Surroundings
) -> bool:
    """Whether something in the region may be one of these places under another name, or see what it holds."""
    parts = [node.name for node in nodes if isinstance(node, c_ast.StructRef)]
    arrays = [node for node in nodes if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.ArrayDecl)]
    of_numbers = {
        node.name
        for node in arrays
        if all(isinstance(leaf, Arithmetic) for leaf in leaves(around.declarations.resolve(node.type, around.scope)))
    }
    for node in nodes:
        match node:
            case c_ast.FuncCall(name=c_ast.ID(name=name)):
                symbol = around.scope.lookup(name)
                if symbol is not None and (symbol.defined or symbol.pure):
                    return True
            case c_ast.UnaryOp(op="&"):
                return True
            case c_ast.StructRef() | c_ast.ArrayRef() | c_ast.UnaryOp(op="*") if c_text(node) not in found:
                type_ = type_of(node, around.scope, around.declarations)
                # Elements of arrays of pointers may be one of them; a copied structure has a copy of its members.
                is_copied = isinstance(type_, Record) and not any(node is part for part in parts)
                may_be_one = (
                    _last_step(node) in steps
                    if isinstance(node, c_ast.StructRef)
                    else isinstance(type_, Pointer | None) and base_name(node) not in of_numbers
                )
                if is_copied or may_be_one:
                    return True
    return False


def _sides(node: c_ast.Node) -> tuple[c_ast.Node, ...]:
    """What a statement sets, and what it sets that to."""
    match node:
        case c_ast.Assignment(op="="):
            return (node.lvalue, node.rvalue)
        case c_ast.Decl(init=value) if value is not None:
            return (value,)
    return ()


def _is_place(node: c_ast.Node) -> bool:
    """Whether it is a member, or an element with a number, of what one variable holds or points to."""
    match node:
        case c_ast.StructRef(name=c_ast.ID()) | c_ast.ArrayRef(name=c_ast.ID(), subscript=c_ast.Constant()):
            return True
        case c_ast.StructRef(name=inner) | c_ast.ArrayRef(name=inner, subscript=c_ast.Constant()):
            return _is_place(inner)
    return False


def _last_step(node: c_ast.Node) -> str:
    return node.field.name if isinstance(node, c_ast.StructRef) else c_text(node.subscript)


def _with_names(items: Items, places: Mapping[str, object]) -> Items:
    """The statements with these members and elements as if they were variables."""

    def visit(node: c_ast.Node) -> c_ast.Node:
        if isinstance(node, c_ast.StructRef | c_ast.ArrayRef) and (text := c_text(node)) in places:
            return c_ast.ID(text, node.coord)
        return map_children(node, visit)

    return tuple(map(visit, items))


# --- Loops ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Trips:
    """How often a loop runs.

    Attributes:
        count: an expression; not positive where it does not run.
        first: the counter's first value.
        sign: "+" or "-", the way it goes.
    """

    counter: str
    type: ScalarType
    count: c_ast.Node
    first: c_ast.Node
    sign: str

    def value(self, steps: c_ast.Node) -> c_ast.Node:
        """The counter's, so many steps from its first."""
        return steps if self.sign == "+" and is_zero(self.first) else operation(self.sign, self.first, steps)


@dataclass(frozen=True)
class _Turns:
    """A loop whose body lets pointers, or the numbers of buffers, change places.

    Attributes:
        front, moves, rest: the body: statements, those that let the pointers change places, statements.
        places: what each pointer is worth behind a step, by what they were worth before it.
    """

    loop: c_ast.For
    trips: _Trips
    front: list[c_ast.Node]
    moves: list[c_ast.Node]
    rest: list[c_ast.Node]
    places: Mapping[str, str]

    @property
    def period(self) -> int:
        """Behind so many steps all are back."""
        return next(n for n in count(1) if all(self.after(n, name) == name for name in self.places))

    def after(self, steps: int, name: str) -> str:
        for _ in range(steps):
            name = self.places[name]
        return name

    def unrolled(self) -> list[c_ast.Node]:
        """The loop with a whole period in its body, and behind it what is left of one."""
        trips, period, place = self.trips, self.period, self.loop
        counter, many = c_ast.ID(trips.counter, place.coord), number(period, place)
        done = operation("*", many, counter)
        body = c_ast.Compound([self._step(k, done) for k in range(period)], place.coord)
        start = number(0, place)
        init = (
            c_ast.Assignment("=", counter, start, place.coord)
            if isinstance(self.loop.init, c_ast.Assignment)
            else c_ast.DeclList([declaration(trips.counter, trips.type, start, place)], place.coord)
        )
        test = operation("<", counter, operation("/", trips.count, many))
        loop = c_ast.For(init, test, c_ast.UnaryOp("p++", counter, place.coord), body, place.coord)
        left = operation("%", trips.count, many)
        done = operation("-", trips.count, left)
        return [
            loop,
            *(
                c_ast.If(operation(">", left, number(k, place)), self._step(k, done), None, place.coord)
                for k in range(period - 1)
            ),
        ]

    def _step(self, k: int, done: c_ast.Node) -> c_ast.Compound:
        """A period's k-th step, so many behind the first."""
        before = {name: c_ast.ID(self.after(k, name), self.loop.coord) for name in self.places}
        behind = {name: c_ast.ID(self.after(k + 1, name), self.loop.coord) for name in self.places}
        items: list[c_ast.Node] = []
        if any(n.name == self.trips.counter for item in (*self.front, *self.rest) for n in variables(item)):
            own = own_name(self.trips.counter, k)
            before[self.trips.counter] = behind[self.trips.counter] = c_ast.ID(own, self.loop.coord)
            steps = operation("+", done, number(k, self.loop)) if k else done
            items.append(declaration(own, self.trips.type, self.trips.value(steps), self.loop))
        items += [replaced(item, before) for item in self.front]
        items += [replaced(item, behind) for item in self.rest]
        return c_ast.Compound(items, self.loop.coord)

    def leave(self, around: Surroundings) -> None:
        """Add C's statement that leaves the pointers as the loop does, unless nobody reads them."""
        if not any(_is_read_behind(name, around) for name in self.places):
            return
        left = f"polyloop_turns_{len(around.kept) + 1}"
        around.kept.append((left, c_text(operation("%", self.trips.count, number(self.period, self.loop)))))
        moves = " ".join(c_text(item) + ";" for item in self.moves)
        repeated = f"if ({left} > 0)" if self.period == 2 else f"for (; {left} > 0; {left}--)"
        around.behind.append(f"{repeated} {{ {moves} }}")


def _turns(loop: c_ast.For, around: Surroundings, beside: Items) -> _Turns | None:
    """The loop as one of these, if its pointers change places at one point of its body and are not set anywhere else;
    None for all others.

    Args:
        beside: the region's other statements.
    """
    written = _without_braces(statements_of(loop.stmt))
    body = [part for item in written for part in (item.exprs if isinstance(item, c_ast.ExprList) else (item,))]
    at = [position for position, item in enumerate(body) if _move(item, around.scope) is not None]
    if not at or any(isinstance(n, _LEAVING) for n in walk_nodes(loop.stmt)):
        return None
    front, moves, rest = body[: at[0]], body[at[0] : at[-1] + 1], body[at[-1] + 1 :]
    worth: dict[str, str] = {}
    for item in moves:
        name, value = _move(item, around.scope) or ("", "")
        worth[name] = worth.get(value, value)
    places = {name: value for name, value in worth.items() if name in worth.values()}
    spare = worth.keys() - places.keys()
    unset = [item for item in front if isinstance(item, c_ast.Decl) and item.name in spare and item.init is None]
    front = [item for item in front if item not in unset]
    others = [*front, *rest]
    used = {n.name for item in others for n in variables(item)}
    changed = changed_names(others) | declared_names(others)
    elsewhere = set[str]().union(*map(used_names, beside))
    trips = _trips(loop, around, changed | worth.keys())
    inside = {item.name for item in (*unset, *moves) if isinstance(item, c_ast.Decl)}
    addressed = names_at(around.found, around.declarations).address_taken.keys()
    if (
        len(at) < len(moves)
        or trips is None
        or not places
        or set(places.values()) != places.keys()
        or not {*worth, trips.counter}.isdisjoint(changed | addressed)
        or not spare.isdisjoint(used | elsewhere)
        or not places.keys().isdisjoint(elsewhere | inside)
        or any(_is_read_behind(name, around) for name in spare - inside)
        or any(isinstance(n, c_ast.FuncCall) and has_effects(n, around.scope) for n in walk_nodes(loop.stmt))
        or not all(_is_pointer(name, around.scope) for name in places.keys() - _in_subscripts(others))
    ):
        return None
    turns = _Turns(loop, trips, front, [*unset, *moves], rest, places)
    return turns if turns.period <= _MOST_STEPS else None


def _without_braces(items: list[c_ast.Node]) -> list[c_ast.Node]:
    """The statements with those of blocks among them, as functions leave that stood in their calls' places, unless a
    name of such a block stands for something else around it."""
    result: list[c_ast.Node] = []
    for position, item in enumerate(items):
        inner = _without_braces(statements_of(item)) if isinstance(item, c_ast.Compound) else [item]
        own = {each.name for each in inner if isinstance(each, c_ast.Decl)}
        others = [*items[:position], *items[position + 1 :]]
        clash = own and not own.isdisjoint(
            {n.name for each in others for n in variables(each)} | declared_names(others)
        )
        result += [item] if clash else inner
    return result


_LEAVING = (c_ast.Break, c_ast.Continue, c_ast.Return, c_ast.Goto, c_ast.Label, c_ast.Switch)


def _move(item: c_ast.Node, scope: Scope) -> tuple[str, str] | None:
    """The pointer that a statement sets to another one, and that."""
    match item:
        case c_ast.Decl(name=name, type=c_ast.PtrDecl(), init=c_ast.ID(name=value)) if not item.storage:
            return (name, value) if _is_pointer(value, scope) else None
        case c_ast.Decl(name=name, type=c_ast.TypeDecl(), init=c_ast.ID(name=value)) if not item.storage:
            return (name, value) if _is_number(value, scope) and item.type.type.names == ["int"] else None
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=c_ast.ID(name=value)):
            # What is declared inside of the loop has no symbol yet.
            known = [each for each in (name, value) if scope.lookup(each) is not None]
            numbers = bool(known) and all(_is_number(each, scope) for each in known)
            return (name, value) if numbers or any(_is_pointer(each, scope) for each in known) else None
    return None


def _in_subscripts(items: Iterable[c_ast.Node]) -> set[str]:
    nodes = (n for item in items for n in walk_nodes(item) if isinstance(n, c_ast.ArrayRef))
    return {variable.name for node in nodes for variable in variables(node.subscript)}


def _is_pointer(name: str, scope: Scope) -> bool:
    symbol = scope.lookup(name)
    return symbol is not None and isinstance(variable_type(symbol), Pointer)


def _is_number(name: str, scope: Scope) -> bool:
    symbol = scope.lookup(name)
    return symbol is not None and symbol.automatic and symbol.type == Arithmetic(I32)


def _is_read_behind(name: str, around: Surroundings) -> bool:
    symbol = around.scope.lookup(name)
    return symbol is None or not symbol.automatic or exposed_read(name, around.found) is not None


def _trips(loop: c_ast.For, around: Surroundings, changed: set[str]) -> _Trips | None:
    """How often a loop runs that counts by one, as far as nothing in it changes that and its counter is not read behind
    it."""
    header = header_of(loop)
    if header is None or not header.is_one_by_one:
        return None
    name, first, last = header.counter, header.first, header.limit
    near, far = (first, last) if header.sign == "+" else (last, first)
    symbol, type_ = around.scope.lookup(name), None
    if header.own is not None:
        type_ = around.declarations.resolve(header.own.type, around.scope)
    elif symbol is not None and symbol.kind in ("parameter", "local") and exposed_read(name, around.found) is None:
        type_ = symbol.type
    plain = (c_ast.ID, c_ast.Constant, c_ast.BinaryOp)
    if not all(isinstance(n, plain) for end in (first, last) for n in walk_nodes(end)):
        return None
    if not changed.isdisjoint({n.name for end in (first, last) for n in variables(end)} - {name}):
        return None
    types = {
        variable_type(symbol) for v in (*variables(near), *variables(far)) if (symbol := around.scope.lookup(v.name))
    }
    if not isinstance(type_, Arithmetic) or not types <= {type_}:
        return None
    if is_zero(near):
        distance = far
    elif type_.scalar == I32:
        distance = operation("-", cast(far, I64), cast(near, I64))  # no int may say it
    else:
        return None
    if header.closed:
        distance = operation("+", distance, number(1, loop))
    return _Trips(name, type_.scalar, distance, first, header.sign)
