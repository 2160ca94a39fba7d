"""Loops that data end: the iterations that ``break`` leaves out stand behind a variable that says that none has yet.

    for (i = 0; i < n; i++)                int going = 1;
        if (x[i] > limit) {                for (i = 0; i < n; i++)
            at = i;                ->          if (going)
            break;                                 if (x[i] > limit) {
        }                                              at = i;
                                                       going = 0;
                                                   }

Nothing is read or written in iterations that C does not get to, as behind any condition on data. What may end a loop in
its header, ``i < n && x[i] != key``, is taken for such a ``break``. A counter that is used behind the loop becomes a
variable beside the loop's own.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic
from polyloop.backend.ir.expressions import I32, ScalarType
from polyloop.backend.ir.loop_nest import ENDLESS
from polyloop.frontend.derived import Derived
from polyloop.frontend.jumps import Leaving, jumps_of
from polyloop.frontend.predicates import conjuncts, whole
from polyloop.frontend.regions import exposed_read, exposed_use, names_at
from polyloop.frontend.scopes import (
    Scope,
    assigned_name,
    assigned_names,
    changed_names,
    is_element,
    kinds_in,
    loop_counter,
    set_names,
    step_of,
    used_names,
    walk_nodes,
)
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    declaration,
    expressions_of,
    map_blocks,
    map_children,
    number,
    operation,
    opposite,
    replaced,
    statements_of,
    with_parts,
)
from polyloop.frontend.values import has_effects


def as_for_loops(items: Items, around: Surroundings) -> Items:
    """The statements with ``for`` and a first value for every loop that counts and that data may end.

    ``it = 0; while (it < n && x < 4) { ...; it++; }``, ``for (; i < n; i++) { ...; break; }``
    """
    addressed = names_at(around.found, around.declarations).address_taken.keys()

    def block(nodes: list[c_ast.Node], outermost: bool = False) -> list[c_ast.Node]:
        nodes = [new for node in nodes for new in _of_one_counter(node)]
        return [_counting(node, nodes[:k], addressed, around, outermost) or node for k, node in enumerate(nodes)]

    return tuple(block([map_blocks(item, block) for item in items], outermost=True))


def _of_one_counter(node: c_ast.Node) -> list[c_ast.Node]:
    """A loop that sets several variables in its header with the others before it, and at its end where it may break:
    ``for (i = 0, x = 0; i < n; i++, x += 2)``."""
    if not isinstance(node, c_ast.For) or node.next is None or node.cond is None:
        return [node]
    jumps = list(jumps_of(node.stmt))
    init, following = expressions_of(node.init), expressions_of(node.next)
    moves = len(following) > 1
    if len(init) < 2 and not moves:
        return [node]
    if moves and (not jumps or any(isinstance(jump, c_ast.Continue) for jump in jumps)):
        return [node]
    compared = [name for name in map(assigned_name, following) if name is not None and name in used_names(node.cond)]
    if not compared or not all(map(assigned_name, [*init, *following])):
        return [node]
    counter = compared[0]
    mine = [[part for part in parts if assigned_name(part) == counter] for parts in (init, following)]
    others = [[part for part in parts if assigned_name(part) != counter] for parts in (init, following)]
    moved = {str(assigned_name(part)) for parts in others for part in parts}
    for_itself = all(counter not in used_names(part) for parts in others for part in parts)
    for_itself = for_itself and all(moved.isdisjoint(used_names(part)) for parts in mine for part in parts)
    if len(mine[0]) > 1 or len(mine[1]) > 1 or not for_itself:
        return [node]
    body = c_ast.Compound([*statements_of(node.stmt), *others[1]], node.stmt.coord) if others[1] else node.stmt
    return [*others[0], with_parts(node, init=next(iter(mine[0]), None), next=mine[1][0], stmt=body)]


def _counting(
    node: c_ast.Node, before: list[c_ast.Node], addressed: Set[str], around: Surroundings, outermost: bool
) -> c_ast.For | None:
    """The loop with the counter that its last statement moves and that a statement before it sets, or nothing in the
    region does; None for others."""
    match node:
        case c_ast.While():
            *body, step = statements_of(node.stmt) or [node.stmt]
            if any(isinstance(jump, c_ast.Continue) for item in body for jump in jumps_of(item)):
                return None
        case c_ast.For(init=None) if node.cond is not None and node.next is not None:
            body, step = statements_of(node.stmt), node.next
        case _:
            return None
    parts = list(conjuncts(node.cond))
    if len(parts) < 2 and not any(isinstance(jump, c_ast.Break) for item in body for jump in jumps_of(item)):
        return None
    name = assigned_name(step) or ""
    compared = [part.expr if isinstance(part, c_ast.UnaryOp) and part.op == "!" else part for part in parts]
    tests = sum(isinstance(part, c_ast.BinaryOp) and name in used_names(part) for part in compared)
    if _following(c_ast.For(None, None, step, None), name) is None or not tests or name in addressed:
        return None
    first = _set_before(name, before)
    if first is None and outermost and not any(name in set_names([item]) for item in before):
        first = _before_region(name, around, node)
    if first is None or not addressed.isdisjoint(used_names(first)) or any(name in set_names([item]) for item in body):
        return None
    init = c_ast.Assignment("=", c_ast.ID(name, node.coord), first, node.coord)
    return c_ast.For(init, node.cond, step, c_ast.Compound(body, node.stmt.coord), node.coord)


def _before_region(name: str, around: Surroundings, place: c_ast.Node) -> c_ast.Node | None:
    """What a variable of the function is worth where the region begins."""
    symbol, type_ = around.scope.lookup(name), integer_type(name, (), around)
    if symbol is None or type_ is None or not symbol.automatic:
        return None
    value = Derived(around, frozenset()).before(name, type_)
    value.coord = place.coord
    return value


def _set_before(name: str, before: list[c_ast.Node]) -> c_ast.Node | None:
    """What a variable was set to, if that expression still says the same."""
    changed: set[str] = set()
    for item in reversed(before):
        match item:
            case (
                c_ast.Decl(name=target, init=value)
                | c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target), rvalue=value)
            ) if target == name and value is not None:
                plain = all(isinstance(n, c_ast.ID | c_ast.Constant | c_ast.BinaryOp) for n in walk_nodes(value))
                return value if plain and (changed | {name}).isdisjoint(used_names(value)) else None
        changed |= assigned_names([item])
        if name in changed or any(isinstance(n, c_ast.FuncCall | c_ast.Label) for n in walk_nodes(item)):
            return None
    return None


def end_by_break(items: Items, around: Surroundings) -> Items:
    """The statements with a ``break`` for every test of data in a ``for`` loop's header."""
    varying = Varying.of(items)
    return tuple(_with_breaks(item, around.scope, varying) for item in items)


@dataclass(frozen=True)
class Varying:
    """What has several values while a region runs.

    Attributes:
        names: variables that its statements set, counters among them.
        data: those of them that elements of arrays are copied to, or what is computed from such copies.
    """

    names: frozenset[str]
    data: frozenset[str]

    @classmethod
    def of(cls, items: Items) -> Varying:
        nodes = [node for item in items for node in walk_nodes(item)]
        values = [(n.name, n.init) for n in nodes if isinstance(n, c_ast.Decl) and n.init is not None]
        values += [(n.lvalue.name, n.rvalue) for n in nodes if isinstance(n, c_ast.Assignment) and assigned_name(n)]
        data = {name for name, value in values if any(map(is_element, walk_nodes(value)))}
        while more := {name for name, value in values if not data.isdisjoint(used_names(value))} - data:
            data |= more
        return cls(frozenset(changed_names(items) | {name for name, _ in values}), frozenset(data))


def _with_breaks(node: c_ast.Node, scope: Scope, varying: Varying) -> c_ast.Node:
    if c_ast.For not in kinds_in(node):
        return node
    inner = map_children(node, lambda child: _with_breaks(child, scope, varying))
    if not isinstance(inner, c_ast.For) or inner.cond is None:
        return inner
    counts, data = parts_of_header(inner, scope, varying)
    if not data or not counts:
        return inner
    header = whole(counts)
    leaving = c_ast.If(opposite(whole(data)), c_ast.Compound([c_ast.Break(data[0].coord)]), None, data[0].coord)
    body = c_ast.Compound([leaving, *statements_of(inner.stmt)], inner.stmt.coord)
    return with_parts(inner, cond=header, stmt=body)


def asks_for_data(node: c_ast.For | c_ast.While, scope: Scope, varying: Varying) -> bool:
    """Whether a loop's header may end it for another reason than a count."""
    if node.cond is None:
        return False
    if isinstance(node, c_ast.For):
        return bool(parts_of_header(node, scope, varying)[1])
    return any(map(is_element, walk_nodes(node.cond)))


def parts_of_header(node: c_ast.For, scope: Scope, varying: Varying) -> tuple[list[c_ast.Node], list[c_ast.Node]]:
    """The tests in a loop's header that count, and those that may end it for another reason."""
    changed, counter = assigned_names([node]), loop_counter(node)
    counts: list[c_ast.Node] = []
    data: list[c_ast.Node] = []
    for part in conjuncts(node.cond) if node.cond is not None else ():
        (data if _is_data(part, changed, counter, scope, varying) else counts).append(part)
    return counts, data


def _is_data(condition: c_ast.Node, changed: set[str], counter: str | None, scope: Scope, varying: Varying) -> bool:
    """Does it ask for what the loop computes, or for elements of an array that are others in other iterations of any
    loop, and do nothing?"""
    nodes = list(walk_nodes(condition))
    if any(has_effects(n, scope) or assigned_name(n) is not None for n in nodes):
        return False
    if not ((changed - {counter}) | varying.data).isdisjoint(used_names(condition)):
        return True
    return any(not varying.names.isdisjoint(used_names(n)) for n in nodes if is_element(n))


def without_breaks(items: Items, around: Surroundings) -> Items:
    """The statements with conditions for every ``break`` and ``continue`` that is left in ``for`` loops."""
    if not any(isinstance(node, c_ast.Break | c_ast.Continue) for item in items for node in walk_nodes(item)):
        return items
    searches = _Searches(items, around)
    found = [searches.visit(item) for item in items]
    return (*searches.above, *found)


@dataclass
class _Searches:
    """Rewrites loops.

    Attributes:
        taken: names of variables that were made.
        above: declarations for the beginning of the loop around, outside of all conditions in it.
    """

    items: Items
    around: Surroundings
    taken: set[str] = field(default_factory=set)
    above: list[c_ast.Node] = field(default_factory=list)

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        if c_ast.For not in kinds_in(node):
            return node
        if not isinstance(node, c_ast.For):
            return map_children(node, self.visit)
        outer, self.above = self.above, []
        inner = map_children(node, self.visit)
        if self.above:
            body = c_ast.Compound([*self.above, *statements_of(inner.stmt)], inner.stmt.coord)
            inner = with_parts(inner, stmt=body)
        self.above = outer
        if not any(jumps_of(inner.stmt)):
            return inner
        going = fresh_variable("going", self.around, self.taken)
        own = self._counter(inner)
        counter = loop_counter(inner)

        def left_by(jump: c_ast.Node) -> list[c_ast.Node]:
            if isinstance(jump, c_ast.Continue):
                return []
            ended: list[c_ast.Node] = [c_ast.Assignment("=", c_ast.ID(going, jump.coord), number(0, jump), jump.coord)]
            if own is not None:
                at = c_ast.ID(own, jump.coord)
                ended.insert(0, c_ast.Assignment("=", c_ast.ID(counter, jump.coord), at, jump.coord))
            return ended

        body = Leaving(jumps_of, left_by).without(statements_of(inner.stmt))
        if body is None:
            return inner
        first: list[c_ast.Node] = [declaration(going, I32, number(1, inner), inner)]
        if _is_endless(inner):  # where a condition leaves the loop out, it has ended, too
            self.above.append(declaration(going, I32, number(0, inner), inner))
            first = [c_ast.Assignment("=", c_ast.ID(going, inner.coord), number(1, inner), inner.coord)]
        if own is None:
            return c_ast.Compound([*first, self._guarded(inner, going, body)], inner.coord)
        return c_ast.Compound([*first, *self._counted(inner, going, own, body)], inner.coord)

    def _guarded(self, node: c_ast.For, going: str, body: list[c_ast.Node]) -> c_ast.For:
        inside = c_ast.If(c_ast.ID(going, node.coord), c_ast.Compound(body, node.coord), None, node.coord)
        return with_parts(node, stmt=inside)

    def _counter(self, node: c_ast.For) -> str | None:
        """The name of a counter of the loop's own, where its present one is used behind it."""
        name = loop_counter(node)
        if name is None or isinstance(node.init, c_ast.DeclList) or _following(node, name) is None:
            return None
        if integer_type(name, self.items, self.around) is None:
            return None
        used = exposed_read(name, self.around.found) or exposed_use(name, self.items)
        return fresh_variable(f"{name}_in", self.around, self.taken) if used is not None else None

    def _counted(self, node: c_ast.For, going: str, own: str, body: list[c_ast.Node]) -> list[c_ast.Node]:
        """The loop with a counter of its own; the other one is always where it would be if the loop ended there."""
        name = str(loop_counter(node))
        here = {name: c_ast.ID(own, node.coord)}
        following = _following(node, name)
        assert following is not None
        target = c_ast.ID(name, node.coord)
        body = [c_ast.Assignment("=", target, replaced(following, here), node.coord), *self._renamed(body, name, own)]
        start = c_ast.Assignment("=", target, node.init.rvalue, node.coord)
        type_ = integer_type(name, self.items, self.around)
        assert type_ is not None
        init = c_ast.DeclList([declaration(own, type_, node.init.rvalue, node)], node.coord)
        moved = c_ast.Assignment("=", c_ast.ID(own, node.coord), replaced(following, here), node.coord)
        going_on = replaced(node.cond, here) if node.cond is not None else None
        loop = c_ast.For(init, going_on, moved, node.stmt, node.coord)
        return [start, self._guarded(loop, going, body)]

    def _renamed(self, body: list[c_ast.Node], name: str, own: str) -> list[c_ast.Node]:
        """The body with the loop's own counter for the other one, but where that is set."""

        def visit(node: c_ast.Node) -> c_ast.Node:
            match node:
                case c_ast.Assignment(lvalue=c_ast.ID(name=target), rvalue=c_ast.ID(name=value)):
                    if (target, value) == (name, own):
                        return node
                case c_ast.ID():
                    return c_ast.ID(own, node.coord) if node.name == name else node
            return map_children(node, visit)

        return [visit(node) for node in body]


def _is_endless(node: c_ast.For) -> bool:
    return isinstance(node.cond, c_ast.BinaryOp) and getattr(node.cond.right, "value", None) == str(ENDLESS)


def integer_type(name: str, items: Items, around: Surroundings) -> ScalarType | None:
    """The type of an integer variable; None for one that is declared several times, or is none."""
    declared = [n for item in items for n in walk_nodes(item) if isinstance(n, c_ast.Decl) and n.name == name]
    symbol = around.scope.lookup(name)
    types = [around.declarations.resolve(node.type, around.scope) for node in declared]
    types += [symbol.type] if symbol is not None else []
    match types:
        case [Arithmetic(scalar, False, False)] if not scalar.is_float:
            return scalar
    return None


def fresh_variable(name: str, around: Surroundings, taken: set[str]) -> str:
    """A name like this one that nothing in the function has, nor is in `taken`, to which it is added."""
    names = around.declarations.names_of(around.found.function).names
    count, fresh = 1, name
    while fresh in names or fresh in taken or around.scope.lookup(fresh) is not None:
        count += 1
        fresh = f"{name}_{count}"
    taken.add(fresh)
    return fresh


def _following(node: c_ast.For, name: str) -> c_ast.Node | None:
    """What the counter is in the iteration behind this one; None where that is not seen at once."""
    moved = step_of(node.next)
    return operation(moved[1], moved[0], moved[2]) if moved is not None and moved[0].name == name else None
