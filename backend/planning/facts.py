"""What is known where: linear facts about loop variables and parameters, proofs of sign, limits of trip counts.

A `Facts` collects what surrounding loops, conditions and the nest's context say. `nonnegative(e)` is a proof by
contradiction: e <= -1 is added and variables are eliminated (Fourier and Motzkin; Schrijver, "Theory of Linear and
Integer Programming", 1986, section 12.2), with constants rounded to integers after every step. It is sound, and
incomplete where the answer hangs on integrality or the system grows beyond a limit: then the answer is False.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import product
from math import gcd
from typing import TypeAlias

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import (
    TRUE,
    Affine,
    And,
    Atom,
    Compare,
    Condition,
    FloorDiv,
    Max,
    Min,
    Not,
    Or,
    affine,
    maximum,
    minimum,
)
from polyloop.backend.ir.loop_nest import Guard, Loop, Node, children, map_children
from polyloop.backend.ir.vector_program import Statement

Row: TypeAlias = tuple[frozenset[tuple[int, int]], int]
"""Coefficients by number of the atom, and the constant; the whole is >= 0."""

_ROW_LIMIT = 160
_CASE_LIMIT = 16


class Facts:
    """An immutable set of affine inequalities; children share their parents' rows.

    Passes over a program ask for the same scopes again and again: every child is made once, so that what one pass has
    proved the next one knows. What a scope says is worked out when somebody asks for a proof.

    Args:
        parent: the facts of the surrounding scope.
        nonnegative: expressions known to be >= 0.
        alternatives: groups of conditions of which at least one holds.
    """

    def __init__(
        self,
        parent: Facts | None = None,
        nonnegative: Iterable[Affine] = (),
        alternatives: tuple[tuple[Condition, ...], ...] = (),
    ) -> None:
        self._parent = parent
        inherited = parent._alternatives if parent is not None else ()
        self._alternatives: tuple[tuple[Condition, ...], ...] = (*inherited, *alternatives)
        self._nonnegative = tuple(nonnegative)
        # Numbers of atoms compare and hash faster than these. They are in the order in which this program asks for
        # them: what can be proved within `_ROW_LIMIT` depends on it, and is not to depend on programs before.
        self._numbers: dict[Atom, int] = parent._numbers if parent is not None else {}
        self._proved: dict[Affine, bool] = {}
        self._children: dict[Hashable, Facts] = {}

    def with_loop(self, variable: str, lower: Affine, upper: Affine) -> Facts:
        """Facts inside ``for (variable = lower; variable < upper; ...)``."""
        here = affine(variable)
        return self._child((variable, lower, upper), lambda: Facts(self, (here - lower, upper - 1 - here)))

    def with_condition(self, condition: Condition, holds: bool = True) -> Facts:
        """Facts where the condition holds, or where it does not."""
        condition = condition if holds else Not(condition)
        return self._child(condition, lambda: self._where(condition))

    def with_equal(self, variable: str, value: Affine) -> Facts:
        """Facts behind ``variable = value``."""
        difference = affine(variable) - value
        return self._child(difference, lambda: Facts(self, (difference, -difference)))

    def _child(self, key: Hashable, make: Callable[[], Facts]) -> Facts:
        known = self._children.get(key)
        if known is None:
            known = self._children[key] = make()
        return known

    def _where(self, condition: Condition) -> Facts:
        known, open_ = condition_facts(condition), _alternatives(condition)
        result = Facts(self, known, open_) if known or open_ else self
        for group in result._alternatives:
            # What else was possible may be ruled out by now.
            left = [alternative for alternative in group if not result.refuted(alternative)]
            if len(left) == 1:
                result = Facts(result, condition_facts(left[0]))
        return result

    def nonnegative(self, value: Affine) -> bool:
        """Whether value >= 0 follows from the facts."""
        if value.is_constant:
            return value.constant >= 0
        known = self._proved.get(value)
        if known is None:
            known = self._proved[value] = self._prove(value)
        return known

    def holds(self, condition: Condition) -> bool:
        """Whether the condition follows from the facts."""
        match condition:
            case Compare(left, ">="):
                return self.nonnegative(left)
            case Compare(left, _):
                return self.nonnegative(left) and self.nonnegative(-left)
            case And(operands):
                return all(map(self.holds, operands))
            case Or(operands):
                return any(map(self.holds, operands))
            case Not(operand):
                return self.refuted(operand)

    def refuted(self, condition: Condition) -> bool:
        """Whether the condition's negation follows from the facts."""
        match condition:
            case Compare(left, ">="):
                return self.nonnegative(-left - 1)
            case Compare(left, _):
                return self.nonnegative(left - 1) or self.nonnegative(-left - 1)
            case And(operands):
                return any(map(self.refuted, operands))
            case Or(operands):
                return all(map(self.refuted, operands))
            case Not(operand):
                return self.holds(operand)

    def _prove(self, value: Affine) -> bool:
        # A minimum is at least 0 if all its operands are; a maximum stays an atom that is at least each operand.
        return all(case.constant >= 0 if case.is_constant else self._refute(-case - 1) for case in _conjuncts(value))

    @cached_property
    def _known(self) -> frozenset[Row]:
        """All rows and what their atoms say about themselves."""
        above = self._parent._known if self._parent else frozenset[Row]()
        own = [row for fact in self._nonnegative for row in _conjuncts(fact)]
        return above.union(map(self._row, _with_definitions(own)))

    def _refute(self, assumed: Affine) -> bool:
        """Whether the facts and the assumption (>= 0) contradict each other."""
        own = [self._row(fact) for fact in _with_definitions((assumed,))]
        return _contradictory(_related(own, self._known))

    def _row(self, value: Affine) -> Row:
        return _tight({self._numbers.setdefault(a, len(self._numbers)): c for a, c in value.terms}, value.constant)


def _alternatives(condition: Condition) -> tuple[tuple[Condition, ...], ...]:
    """The alternatives that `condition_facts` leaves out."""
    match condition:
        case Or(operands) if len(operands) > 1:
            return (operands,)
        case Not(And(operands)) if len(operands) > 1:
            return (tuple(map(Not, operands)),)
        case Not(Not(operand)):
            return _alternatives(operand)
        case And(operands):
            return tuple(group for operand in operands for group in _alternatives(operand))
        case Not(Or(operands)):
            return tuple(group for operand in operands for group in _alternatives(Not(operand)))
        case _:
            return ()


def condition_facts(condition: Condition) -> tuple[Affine, ...]:
    """Expressions that are >= 0 where the condition holds (not all of what it says: alternatives are left out)."""
    match condition:
        case Compare(left, ">="):
            return (left,)
        case Compare(left, _):
            return (left, -left)
        case And(operands):
            return tuple(fact for operand in operands for fact in condition_facts(operand))
        case Or((single,)):
            return condition_facts(single)
        case Not(Compare(left, ">=")):
            return (-left - 1,)
        case Not(Not(operand)):
            return condition_facts(operand)
        case Not(Or(operands)):
            return tuple(fact for operand in operands for fact in condition_facts(Not(operand)))
        case Not(And((single,))):
            return condition_facts(Not(single))
        case _:
            return ()


def nest_facts(context: Condition = TRUE) -> Facts:
    """The facts on entry to a nest."""
    return Facts(None, condition_facts(context))


def _split(value: Affine, positive: type[Min] | type[Max]) -> tuple[Affine, ...]:
    """Every way to replace an extremum by one operand: `positive` where its coefficient is > 0, the other where < 0."""
    negative: type[Min] | type[Max] = Max if positive is Min else Min
    done = [Affine((), value.constant)]
    for atom, c in value.terms:
        match atom:
            case Min(operands) | Max(operands) if isinstance(atom, positive if c > 0 else negative):
                choices = [o * c for operand in operands for o in _split(operand, type(atom))]
            case _:
                choices = [Affine(((atom, c),))]
        done = [d + choice for d, choice in product(done, choices)]
        if len(done) > _CASE_LIMIT:
            return (value,)
    return tuple(done)


def _conjuncts(fact: Affine) -> tuple[Affine, ...]:
    """min(a, b) >= 0 says a >= 0 and b >= 0, and so on through sums."""
    if all(isinstance(atom, str) for atom, _ in fact.terms):
        return (fact,)
    return _split(fact, Min)


def _definition(atom: Atom) -> tuple[Affine, ...]:
    """What an atom that is not a variable says about itself."""
    itself = Affine(((atom, 1),))
    match atom:
        case FloorDiv(dividend, divisor):
            remainder = dividend - itself * divisor
            return (*_conjuncts(remainder), *_conjuncts(divisor - 1 - remainder))
        case Min(operands):
            return tuple(operand - itself for operand in operands)
        case Max(operands):
            return tuple(itself - operand for operand in operands)
        case _:
            return ()


def _with_definitions(rows: Iterable[Affine]) -> list[Affine]:
    """The rows, and behind them what their atoms say about themselves."""
    result = list(rows)
    defined: set[Atom] = set()
    for row in result:  # grows while it is walked: divisions inside divisions
        for atom, _ in row.terms:
            if not isinstance(atom, str) and atom not in defined:
                defined.add(atom)
                result.extend(_definition(atom))
    return result


def _related(own: list[Row], known: Iterable[Row]) -> set[Row]:
    """The rows that share atoms with the first one, directly or through others."""
    reached = {atom for atom, _ in own[0][0]}
    remaining: list[Row] = [*own, *known]
    chosen: set[Row] = set()
    while True:
        near: list[Row] = []
        far: list[Row] = []
        for row in remaining:
            (far if reached.isdisjoint(atom for atom, _ in row[0]) else near).append(row)
        if not near:
            return chosen
        chosen.update(near)
        remaining = far
        reached.update(atom for row in near for atom, _ in row[0])


def _tight(terms: dict[int, int], constant: int) -> Row:
    """Divide by the coefficients' common divisor; the constant rounds down, since the terms are integers."""
    divisor = gcd(*terms.values()) if terms else 1
    if divisor > 1:
        return frozenset((a, c // divisor) for a, c in terms.items()), constant // divisor
    return frozenset(terms.items()), constant


def _contradictory(rows: set[Row]) -> bool:
    while True:
        tightest: dict[frozenset[tuple[int, int]], int] = {}
        for terms, constant in rows:
            if not terms:
                if constant < 0:
                    return True
            elif tightest.get(terms, constant) >= constant:
                tightest[terms] = constant
        if not tightest or len(tightest) > _ROW_LIMIT:
            return False
        rows = _eliminate(tightest)


def _eliminate(rows: dict[frozenset[tuple[int, int]], int]) -> set[Row]:
    """One Fourier-Motzkin step, on the variable that makes the fewest new rows.

    Args:
        rows: constants by coefficients.
    """
    counts: dict[int, list[int]] = {}
    for terms in rows:
        for atom, c in terms:
            known = counts.get(atom)
            if known is None:
                known = counts[atom] = [0, 0]
            known[c > 0] += 1
    chosen = min(counts, key=lambda atom: counts[atom][0] * counts[atom][1] - sum(counts[atom]))
    result: set[Row] = set()
    below: list[tuple[dict[int, int], int, int]] = []
    above: list[tuple[dict[int, int], int, int]] = []
    for row in rows.items():
        others = dict(row[0])
        c = others.pop(chosen, 0)
        if c == 0:
            result.add(row)
        else:
            (below if c > 0 else above).append((others, row[1], abs(c)))
    for t1, c1, p1 in below:
        for t2, c2, p2 in above:
            merged = {a: c * p2 for a, c in t1.items()} if p2 > 1 else t1.copy()
            for a, c in t2.items():
                total = merged.get(a, 0) + c * p1
                if total:
                    merged[a] = total
                else:
                    del merged[a]
            result.add(_tight(merged, c1 * p2 + c2 * p1))
    return result


# --- Trip counts: constant ones, and constant limits of others --------------------------------------------------------


def constant_trips(lower: Affine, upper: Affine, step: int) -> int | None:
    """How often the loop runs where that is a constant (0 or more)."""
    length = upper - lower
    if not length.is_constant:
        return None
    return max(0, -(-length.constant // step))


def largest_trips(lower: Affine, upper: Affine) -> int | None:
    """A constant that upper - lower does not exceed: the least difference of an operand above and one below."""
    differences = [top - bottom for top in upper_operands(upper) for bottom in (lower, *lower_operands(lower))]
    constants = [d.constant for d in differences if d.is_constant]
    return max(0, min(constants)) if constants else None


def proven_trips(lower: Affine, upper: Affine, facts: Facts, limit: int) -> int | None:
    """The least constant up to the limit that upper - lower provably does not exceed."""
    length = upper - lower
    if not facts.nonnegative(limit - length):
        return None
    low, high = 0, limit
    while low < high:
        middle = (low + high) // 2
        if facts.nonnegative(middle - length):
            high = middle
        else:
            low = middle + 1
    return high


def upper_operands(upper: Affine) -> tuple[Affine, ...]:
    """The bounds that must all hold: the operands of a minimum."""
    match upper:
        case Affine(((Min(operands), 1),), shift):
            return tuple(operand + shift for operand in operands)
        case _:
            return (upper,)


def lower_operands(lower: Affine) -> tuple[Affine, ...]:
    """The bounds whose maximum a lower bound is."""
    match lower:
        case Affine(((Max(operands), 1),), shift):
            return tuple(operand + shift for operand in operands)
        case _:
            return (lower,)


def outward(value: Affine) -> Affine:
    """A sum with one minimum or maximum in it as the minimum or maximum of sums: bounds are read so."""
    extrema = [(atom, c) for atom, c in value.terms if isinstance(atom, Min | Max)]
    if len(extrema) != 1 or abs(extrema[0][1]) != 1:
        return value
    atom, sign = extrema[0]
    rest = value - Affine(((atom, sign),), 0)
    pick = minimum if isinstance(atom, Min) == (sign == 1) else maximum
    return pick(*(rest + operand * sign for operand in atom.operands))


# --- Walks that know at every place what loops, conditions and Binds around it say ------------------------------------


def children_with(node: Node, facts: Facts) -> Iterator[tuple[Node, Facts]]:
    """The nodes directly below one, each with what holds there."""
    match node:
        case Loop(variable, lower, upper, _, body):
            yield body, facts.with_loop(variable, lower, upper)
        case Guard(condition, body, orelse):
            yield body, facts.with_condition(condition)
            yield orelse, facts.with_condition(condition, holds=False)
        case _:
            yield from ((child, facts) for child in children(node))


def map_children_with(node: Node, facts: Facts, visit: Callable[[Node, Facts], Node]) -> Node:
    """The node with every child as `visit` returns it, which is told what holds there."""
    inside = children_with(node, facts)
    return map_children(node, lambda _: visit(*next(inside)))


def with_facts(statements: Iterable[Statement], facts: Facts) -> Iterator[tuple[Statement, Facts]]:
    """The statements, each with what holds there: what Binds in front of it say, too."""
    for statement in statements:
        yield statement, facts
        if isinstance(statement, v.Bind):
            facts = facts.with_equal(statement.variable, statement.value)


def map_bodies_with(
    statement: Statement, facts: Facts, visit: Callable[[tuple[Statement, ...], Facts], tuple[Statement, ...]]
) -> Statement:
    """A loop or conditional with its bodies as `visit` returns them; other statements as they are."""
    match statement:
        case v.For(variable, lower, upper, _, body):
            return replace(statement, body=visit(body, facts.with_loop(variable, lower, upper)))
        case v.If(condition, then, orelse):
            first = visit(then, facts.with_condition(condition))
            return v.If(condition, first, visit(orelse, facts.with_condition(condition, holds=False)))
        case v.When(value, body):
            return v.When(value, visit(body, facts))
        case _:
            return statement
