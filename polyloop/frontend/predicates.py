"""``if`` on data: the statements behind it are made under predicates, expressions that say where they take place.

A predicate is evaluated again by every statement behind it where nothing in between can change it; else it goes into a
fresh variable first. Where both sides of an ``if`` assign to the same places, one assignment chooses between values.
A scalar of the function's own may be assigned always, to itself where the predicate does not hold; memory that others
might look at is written only where C writes it (see `Statement.conditional`).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, logical_not
from polyloop.backend.ir.expressions import Expression, Literal, Logical, Read, Select, Unary, reads
from polyloop.frontend.arrays import Bound, Entry
from polyloop.frontend.region import Region
from polyloop.frontend.regions import Found, exposed_read
from polyloop.frontend.scopes import Symbol, stored_into, stored_names, walk_nodes
from polyloop.frontend.syntax import first_use, statements_of
from polyloop.frontend.syntax import opposite as negated


@dataclass(frozen=True)
class Under:
    """What statements stand under.

    Attributes:
        predicate: is not zero where they take place; None: everywhere.
        bounds: of its accesses.
        depth: how many conditions on data stand around.
    """

    predicate: Expression | None = None
    bounds: tuple[Bound, ...] = ()
    depth: int = 0

    def where(self, condition: Expression, bounds: tuple[Bound, ...]) -> Under:
        """Under one condition more, which is evaluated only where the others hold."""
        whole = condition if self.predicate is None else Logical("&&", self.predicate, condition)
        return Under(whole, (*self.bounds, *bounds), self.depth + 1)


@dataclass
class Declared:
    """Under how many conditions variables of the region are declared: outside of these they have no value to keep."""

    depths: dict[Symbol, int] = field(default_factory=dict)

    def is_fresh(self, symbol: Symbol, under: Under) -> bool:
        return under.depth > 0 and self.depths.get(symbol) == under.depth


def opposite(condition: Expression) -> Expression:
    """Holds where the condition does not."""
    match condition:
        case Unary("!", operand, _):
            return operand
    return logical_not(condition)


def guarded(predicate: Expression | None, target: Read, value: Expression, entry: Entry, fresh: bool) -> Expression:
    """The value of an assignment under a predicate, which says that the target keeps its old one where it is 0."""
    if predicate is None:
        return value
    kept: Expression = target
    if fresh and not entry.extents and isinstance(value, Literal):
        return value
    if fresh and not entry.extents and all(read.access != target.access for read in reads(value)):
        kept = Literal(0.0 if value.type.is_float else 0, value.type)
    return Select(predicate, value, kept, value.type)


def may_be_written_always(entry: Entry) -> bool:
    """Whether the array is a scalar that nobody but this call of the function can see."""
    return not entry.extents and (entry.local or (entry.symbol.kind in ("local", "parameter") and not entry.pointer))


def conjuncts(condition: c_ast.Node) -> Iterator[c_ast.Node]:
    """The conditions that must all hold, from left to right."""
    match condition:
        case c_ast.BinaryOp(op="&&"):
            yield from conjuncts(condition.left)
            yield from conjuncts(condition.right)
        case c_ast.UnaryOp(op="!", expr=c_ast.BinaryOp(op="||") as either):
            yield from conjuncts(negated(either.left))
            yield from conjuncts(negated(either.right))
        case _:
            yield condition


def only_assignment(branch: c_ast.Node | None) -> c_ast.Node | None:
    """The assignment, or the step of a variable, that is all of a branch or of a body; None where there is more."""
    match branch:
        case c_ast.Compound(block_items=[item]):
            return only_assignment(item)
        case c_ast.Assignment(rvalue=c_ast.Assignment()):
            return None
        case c_ast.Assignment() | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
            return branch
    return None


def set_for_itself(node: c_ast.If, found: Found, region: Region) -> Iterator[Symbol]:
    """Scalars that only the branches use, each of which sets them before it does: outside they have no value, unless
    their declaration gives them one, as those have it by which loops end."""
    branches = [branch for branch in (node.iftrue, node.iffalse) if branch is not None]
    inside = Counter(name for branch in branches for name in _mentioned(branch))
    everywhere = Counter(name for item in found.items for name in _mentioned(item))
    everywhere.update(
        inner.name
        for item in found.items
        for inner in walk_nodes(item)
        if isinstance(inner, c_ast.Decl) and inner.init is not None
    )
    for name, count in inside.items():
        symbol = region.scope.lookup(name)
        if symbol is None or symbol.kind not in ("local", "parameter") or not isinstance(symbol.type, Arithmetic):
            continue
        alone = everywhere[name] == count and name not in region.function.address_taken
        set_first = all(first_use(name, [branch]) is not False for branch in branches)
        if alone and set_first and exposed_read(name, found) is None:
            yield symbol


def _mentioned(node: c_ast.Node) -> Iterator[str]:
    return (inner.name for inner in walk_nodes(node) if isinstance(inner, c_ast.ID))


def keeps_its_value(node: c_ast.If) -> bool:
    """Whether the condition still says the same wherever a statement of the branches stands under it."""
    used = {inner.name for inner in walk_nodes(node.cond) if isinstance(inner, c_ast.ID)}
    alone = map(only_assignment, (node.iftrue, node.iffalse))
    first, second = (None if only is None else stored_into(only) for only in alone)
    if first is not None and (node.iffalse is None or (second is not None and same_text(first, second))):
        return True
    items = [item for branch in (node.iftrue, node.iffalse) for item in statements_of(branch)]
    if items and only_assignment(items[-1]) is not None:
        items.pop()  # nothing behind it asks again
    return used.isdisjoint(stored_names(inner for item in items for inner in walk_nodes(item)))


def same_text(first: c_ast.Node, second: c_ast.Node) -> bool:
    """Whether two nodes are written the same."""
    if type(first) is not type(second):
        return False
    if any(getattr(first, name) != getattr(second, name) for name in first.attr_names):
        return False
    pairs = list(zip(first.children(), second.children(), strict=False))
    alike = len(first.children()) == len(second.children())
    return alike and all(a[0] == b[0] and same_text(a[1], b[1]) for a, b in pairs)


def fresh_name(taken: set[str]) -> str:
    """The name of the variable that a condition goes to."""
    return next(name for number in itertools.count(1) if (name := f"if_{number}") not in taken)


def whole(parts: list[c_ast.Node]) -> c_ast.Node:
    """The conjunction of conditions."""
    result, *rest = parts
    for part in rest:
        result = c_ast.BinaryOp("&&", result, part, result.coord)
    return result
