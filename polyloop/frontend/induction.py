"""Scalar evolution: what an integer that a loop changes is worth, as an expression of the loop's counter.

A trial run of a loop's body with a mark for every variable's value at the top tells what one iteration makes of it.
`k + d` with d the same in all iterations is an induction variable, worth ``k0 + d * t`` in iteration t; what does not
depend on its own former value is worth what the iteration before has made of it.

Arithmetic is that of each variable's type, modulo a power of two; that signed values do not overflow is C's word. So a
closed form is converted to its variable's type, and the reader asks of it what it asks of any such value.

References:
    Gerlek, Stoltz and Wolfe, "Beyond induction variables: detecting and classifying sequences using a demand-driven
    SSA form", TOPLAS 1995.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, reduce

from pycparser import c_ast

from polyloop.arithmetic import OPPOSITES, Arithmetic, CType
from polyloop.backend.ir.affine import Affine, Condition
from polyloop.backend.ir.expressions import I64, U64, ScalarType
from polyloop.frontend.integer_reader import IntegerReader
from polyloop.frontend.integers import Integer, add, variable_integer
from polyloop.frontend.naming import is_own
from polyloop.frontend.scopes import Declarations, Refusal, Scope, Symbol, walk_nodes
from polyloop.frontend.syntax import cast, mentions, number, operation, replaced, variables


@dataclass
class Polynomials:
    """Reads expressions as polynomials of all that they name."""

    scope: Scope
    declarations: Declarations
    _known: dict[int, tuple[c_ast.Node, Integer | None]] = field(default_factory=dict, init=False, repr=False)

    @property
    def wraps(self) -> bool:
        return self.declarations.wraps

    def read(self, node: c_ast.Node | None) -> Integer | None:
        """The polynomial, modulo the values of its type; None where there is none."""
        if node is None:
            return None
        try:
            return _KeepingReader(self, self._known).integer(node)
        except Refusal:
            return None

    def equal(self, left: c_ast.Node, right: c_ast.Node) -> bool:
        """Are both the same, whatever the variables are worth?"""
        a, b = self.read(left), self.read(right)
        return a is not None and b is not None and a.terms == b.terms

    def is_cut(self, node: c_ast.Node) -> bool:
        """Does a conversion in it keep only some bits of a number, or not its sign?"""
        for inner in walk_nodes(node):
            if isinstance(inner, c_ast.Cast):
                given, wanted = self.read(inner.expr), self.read(inner)
                if given is None or wanted is None or wanted.type.bits < given.type.bits:
                    return True
                if given.type.kind == "int" and wanted.type.kind == "uint":
                    return True
        return False

    def is_exact(self, value: Integer, natural: Collection[str]) -> bool:
        """Whether a number is what its polynomial says: unsigned sums of 64 bits are, where all that is in them is no
        more than 2^31, as emitted C asks of parameters.

        Args:
            natural: signed variables that are never negative.
        """
        if value.type.kind == "int":
            return True
        atoms = {atom for monomial, _ in value.terms for atom in monomial}
        types = [(atom, symbol.type) for atom in atoms if (symbol := self.scope.lookup(str(atom))) is not None]
        unsigned = [
            isinstance(type_, Arithmetic) and (type_.scalar.kind == "uint" or atom in natural) for atom, type_ in types
        ]
        largest = sum(factor << 31 * len(monomial) for monomial, factor in value.terms)
        positive = all(factor > 0 for _, factor in value.terms)
        return value.type == U64 and len(types) == len(atoms) and all(unsigned) and positive and largest < 1 << 64

    def converted(self, value: c_ast.Node, type_: ScalarType) -> c_ast.Node:
        """The value as one of this type: itself, if it is one."""
        read = self.read(value)
        if read is not None and read.type == type_:
            return value
        return cast(value, type_)

    def integer_of(self, symbol: Symbol, node: c_ast.Node) -> Integer:
        if not isinstance(symbol.type, Arithmetic) or symbol.type.scalar.is_float:
            raise Refusal("type", f"{symbol.name} is no integer", node)
        return variable_integer(symbol.name, symbol.type.scalar)

    def evaluate(self, symbol: Symbol, guards: tuple[Condition, ...], node: c_ast.Node) -> None:
        """That C reads a place is noted where the closed form is read."""

    def require(self, guards: tuple[Condition, ...], condition: Condition, node: c_ast.Node) -> None:
        """Nothing is asked for: who reads the closed form asks for it."""

    def holds(self, guards: tuple[Condition, ...], condition: Condition) -> bool:
        return False

    def sizeof(self, node: c_ast.Node) -> int | None:
        return None

    def type_of(self, node: c_ast.Typename) -> CType:
        return self.declarations.resolve(node, self.scope)


class _KeepingReader(IntegerReader):
    """Reads each node once, as values share most of their parts: nothing is asked of where they stand.

    Args:
        known: by a node's address, the node itself, and what it is; None where that is refused.
    """

    def __init__(self, surroundings: Polynomials, known: dict[int, tuple[c_ast.Node, Integer | None]]) -> None:
        super().__init__(surroundings)
        self._known = known

    def integer(self, node: c_ast.Node) -> Integer:
        if self.bound:  # of a function's parameters, which are others in each call
            return super().integer(node)
        entry = self._known.get(id(node))
        if entry is None:
            try:
                entry = node, super().integer(node)
            except Refusal:
                self._known[id(node)] = node, None
                raise
            self._known[id(node)] = entry
        if entry[1] is None:
            raise Refusal("non-affine", "not an affine expression", node)
        return entry[1]


def coefficient(value: Integer, name: str) -> int | None:
    """The constant factor of a variable; None where its share is no multiple of it."""
    found = 0
    for monomial, factor in value.terms:
        if monomial == (name,):
            found = factor
        elif any(name in Affine(((atom, 1),)).variables() for atom in monomial):
            return None
    return found


def increment(
    after: c_ast.Node, mark: str, marks: frozenset[str], polynomials: Polynomials, type_: ScalarType
) -> c_ast.Node | None:
    """What an iteration adds to a variable that is worth `mark` at its top; None where that is not always the same."""
    value = polynomials.read(after)
    if value is None or coefficient(value, mark) != 1:
        return None
    rest = {m: c for m, c in value.terms if m != (mark,)}
    if not rest or set(rest) == {()}:
        constant = rest.get((), 0)
        if value.type.kind == "uint" and constant >= 1 << (type_.bits - 1):
            constant -= 1 << type_.bits
        return number(constant, after)
    difference = _without(after, mark) or replaced(after, {mark: cast(number(0, after), type_)})
    return None if any(node.name in marks for node in variables(difference)) else difference


def _without(after: c_ast.Node, mark: str) -> c_ast.Node | None:
    """What is added in ``mark + x``, as it is written."""
    match after:
        case c_ast.BinaryOp(op="+", left=c_ast.ID(name=name)) if name == mark:
            added: c_ast.Node = after.right
        case c_ast.BinaryOp(op="+", right=c_ast.ID(name=name)) if name == mark:
            added = after.left
        case _:
            return None
    return added


def constant_of(node: c_ast.Node | None, polynomials: Polynomials) -> int | None:
    value = polynomials.read(node)
    return value.constant if value is not None else None


@dataclass(frozen=True)
class Counter:
    """The variable that counts a loop's iterations.

    Attributes:
        name: its name in the loop.
        start, step: its first value; the constant that each iteration adds to it.
        steps: the number of iterations, where that is a parameter and the test is not to be read.
    """

    name: str
    type: ScalarType
    start: c_ast.Node
    step: int
    place: c_ast.Node
    steps: c_ast.Node | None = None

    @property
    def node(self) -> c_ast.Node:
        return c_ast.ID(self.name, self.place.coord)

    def at(self, value: c_ast.Node, counter: c_ast.Node) -> c_ast.Node:
        """An expression of the counter, at one of its values."""
        return replaced(value, {self.name: counter})

    def before(self, value: c_ast.Node) -> c_ast.Node:
        """An expression of the counter as it was in the iteration before."""
        return self.at(value, plus(self.node, -self.step))

    def following(self, value: c_ast.Node) -> c_ast.Node:
        return plus(value, self.step)

    def distance(self, polynomials: Polynomials) -> c_ast.Node:
        """How far it is from its first value; not negative, as it may be unsigned."""
        if self.step < 0:
            return operation("-", self.start, self.node)
        return self.node if constant_of(self.start, polynomials) == 0 else operation("-", self.node, self.start)

    @property
    def is_first(self) -> c_ast.Node:
        return operation("==", self.node, self.start)


def plus(value: c_ast.Node, constant: int) -> c_ast.Node:
    """The value and a constant, written as people do."""
    if constant == 0:
        return value
    return operation("+" if constant > 0 else "-", value, number(abs(constant), value))


def advanced(
    start: c_ast.Node, increment_: c_ast.Node, counter: Counter, type_: ScalarType, polynomials: Polynomials
) -> c_ast.Node | None:
    """The value at the top of each iteration, of what each adds `increment_` to; None where steps do not divide."""
    amount = constant_of(increment_, polynomials)
    if amount == 0:
        return start
    steps = polynomials.converted(counter.distance(polynomials), type_)
    if amount is None:
        if abs(counter.step) != 1:
            return None
        change, sign = operation("*", polynomials.converted(increment_, type_), steps), 1
    else:
        if amount % counter.step:
            return None
        ratio, sign = abs(amount // counter.step), 1 if amount > 0 else -1
        change = steps if ratio == 1 else operation("*", number(ratio, increment_), steps)
    if sign > 0 and constant_of(start, polynomials) == 0:
        return polynomials.converted(change, type_)
    sum_ = operation("+" if sign > 0 else "-", polynomials.converted(start, type_), change)
    return polynomials.converted(sum_, type_)


def turning(
    after: c_ast.Node, mark: str, start: c_ast.Node, counter: Counter, polynomials: Polynomials
) -> c_ast.Node | None:
    """The value at the top of each iteration of what each turns into ``m - k``; None for others."""
    value = polynomials.read(after)
    if value is None or coefficient(value, mark) != -1 or abs(counter.step) != 1:
        return None
    other = replaced(after, {mark: start})
    distance = counter.distance(polynomials)
    even = operation("==", operation("%", distance, number(2, after)), number(0, after))
    return c_ast.TernaryOp(even, start, other, after.coord)


def keeps_or_sets(after: c_ast.Node, mark: str, marks: frozenset[str]) -> bool:
    """Does every iteration either keep a variable or set it anew, and do all the same of both?"""
    match after:
        case c_ast.TernaryOp():
            fixed = not any(node.name in marks for node in variables(after.cond))
            return fixed and all(keeps_or_sets(branch, mark, marks) for branch in (after.iftrue, after.iffalse))
        case c_ast.ID():
            return True
    return not mentions(after, mark)


def bound_of(
    test: c_ast.Node | None, value: c_ast.Node, step: c_ast.Node, polynomials: Polynomials, upwards: bool = True
) -> tuple[c_ast.Node, bool] | None:
    """The end of a loop whose counter takes positive steps, or negative ones, and whether it is reached; None where it
    is not known.

    Fortran's loops become ``step < 0 ? i >= end : i <= end``.

    Args:
        value: the counter's, as the test asks for it.
    """
    match test:
        case c_ast.TernaryOp(cond=c_ast.BinaryOp(op="<" | "<=" | ">" | ">=" as operator) as sign) if upwards:
            if constant_of(sign.right, polynomials) != 0 or not polynomials.equal(sign.left, step):
                return None
            return bound_of(test.iffalse if operator.startswith("<") else test.iftrue, value, step, polynomials)
        case c_ast.BinaryOp(op="<" | "<=" | ">" | ">=" as operator):
            towards = operator.startswith("<") == upwards
            near, far = (test.left, test.right) if towards else (test.right, test.left)
            if polynomials.equal(near, value) and not polynomials.is_cut(near):
                return far, operator.endswith("=")
            return _end_in(test, value, polynomials, upwards)
    return None


def _end_in(
    test: c_ast.BinaryOp, value: c_ast.Node, polynomials: Polynomials, upper: bool
) -> tuple[c_ast.Node, bool] | None:
    """The end of a counter that a test has in a sum, ``i + b <= n``, in 64 bits, where C's sums are exact."""
    small, large = (test.left, test.right) if test.op.startswith("<") else (test.right, test.left)
    sides = [polynomials.read(part) for part in (small, large, value)]
    if any(side is None or not side.exact or side.type.kind != "int" for side in sides):
        return None
    if polynomials.is_cut(test):
        return None  # nobody would ask whether it holds the number
    below, above, at = (side for side in sides if side is not None)
    beyond = add(at, add(above, below, -1), 1 if upper else -1)
    end = sum_of(beyond, test, U64)  # which is what the sum is modulo a power of two
    moving = {node.name for node in variables(value) if is_own(node.name)}
    if end is None or any(node.name in moving for node in variables(end)):
        return None
    return cast(end, I64), test.op.endswith("=")


def sum_of(value: Integer, place: c_ast.Node, type_: ScalarType = I64) -> c_ast.Node | None:
    """A sum of variables written anew, in 64 bits; None where it is made of something else."""
    sum_: c_ast.Node | None = None
    for monomial, factor in value.terms:
        if not all(isinstance(atom, str) for atom in monomial):
            return None
        parts = [cast(c_ast.ID(atom, place.coord), type_) for atom in monomial]
        term = reduce(partial(operation, "*"), parts if parts and factor == 1 else [number(factor, place), *parts])
        sum_ = term if sum_ is None else operation("+", sum_, term)
    return cast(sum_, type_) if sum_ is not None else number(0, place)


def lowered(step: c_ast.Node, polynomials: Polynomials) -> c_ast.Node | None:
    """What every iteration takes away, where the step is written so."""
    taken: c_ast.Node | None = None
    match step:
        case c_ast.BinaryOp(op="-") if constant_of(step.left, polynomials) == 0:
            taken = step.right
        case c_ast.UnaryOp(op="-"):
            taken = step.expr
    return taken


_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!="}


def end_of(test: c_ast.Node | None, counter: Counter, polynomials: Polynomials) -> c_ast.Node | None:
    """The first of the counter's values at which the test fails; None where it is not known."""
    if counter.steps is not None:
        test = operation("<", counter.node, counter.steps)
    match test:
        case c_ast.BinaryOp(op="&&"):
            return _nearer_end(test, counter, polynomials)
        case c_ast.UnaryOp(op="!", expr=c_ast.BinaryOp(op=operator) as failing) if operator in OPPOSITES:
            holding = c_ast.BinaryOp(OPPOSITES[operator], failing.left, failing.right, test.coord)
            return end_of(holding, counter, polynomials)
        case c_ast.BinaryOp(op=operator) if operator in _MIRRORED:
            left, right = test.left, test.right
            if mentions(right, counter.name) and not mentions(left, counter.name):
                left, right, operator = right, left, _MIRRORED[operator]
            plain = isinstance(left, c_ast.ID) and left.name == counter.name and not mentions(right, counter.name)
            end = _plain_end(test, operator, right, counter, polynomials) if plain else None
            return end or _counted_end(operator, left, right, counter, polynomials)
        case c_ast.Node():
            return end_of(operation("!=", test, number(0, test)), counter, polynomials)
    return None


def _nearer_end(test: c_ast.BinaryOp, counter: Counter, polynomials: Polynomials) -> c_ast.Node | None:
    """Where the first of two conditions fails; either may hold for ever, so that its end is computed in 64 bits."""
    wide = replace(counter, type=I64)
    ends = [end_of(part, wide, polynomials) for part in (test.left, test.right)]
    if ends[0] is None or ends[1] is None or not all(_is_signed(part, polynomials) for part in (test.left, test.right)):
        return None
    nearer = operation("<" if counter.step > 0 else ">", ends[0], ends[1])
    return polynomials.converted(c_ast.TernaryOp(nearer, ends[0], ends[1], test.coord), counter.type)


def _is_signed(test: c_ast.Node, polynomials: Polynomials) -> bool:
    """Are these comparisons of signed numbers, that tell an order?"""
    match test:
        case c_ast.BinaryOp(op="&&"):
            return _is_signed(test.left, polynomials) and _is_signed(test.right, polynomials)
        case c_ast.UnaryOp(op="!"):
            return _is_signed(test.expr, polynomials)
        case c_ast.BinaryOp(op="<" | "<=" | ">" | ">="):
            values = [polynomials.read(side) for side in (test.left, test.right)]
            return all(value is not None and value.type.kind == "int" for value in values)
    return False


def _plain_end(
    test: c_ast.Node, operator: str, bound: c_ast.Node, counter: Counter, polynomials: Polynomials
) -> c_ast.Node | None:
    """Where ``counter < bound`` and the like end."""
    bound = polynomials.converted(bound, counter.type)
    if operator == "!=":
        return bound
    if abs(counter.step) != 1 or (operator in ("<", "<=")) != (counter.step > 0):
        return None
    last = plus(bound, counter.step if operator.endswith("=") else 0)
    return c_ast.TernaryOp(counter.at(test, counter.start), last, counter.start, test.coord)


def _counted_end(
    operator: str, left: c_ast.Node, right: c_ast.Node, counter: Counter, polynomials: Polynomials
) -> c_ast.Node | None:
    """From the number of steps for which the difference of both sides stays positive, in 64 bits; where the test is
    whether they differ, until they meet: the reader leaves out what would not end.

    The reader asks of unsigned sides that they do not wrap at any test.
    """
    if operator in (">", ">="):
        left, right = right, left
    values = polynomials.read(left), polynomials.read(right)
    factors = [coefficient(v, counter.name) if v is not None else None for v in values]
    if factors[0] is None or factors[1] is None:
        return None
    slope = (factors[0] - factors[1]) * counter.step
    if slope < 0 and operator == "!=":
        slope, left, right = -slope, right, left
    if slope <= 0:
        return None
    sides = [cast(counter.at(side, counter.start), I64) for side in (right, left)]
    distance = plus(operation("-", *sides), 1 if operator in ("<=", ">=") else 0)
    steps: c_ast.Node = distance
    if slope > 1:
        steps = operation("/", plus(distance, slope - 1), number(slope, distance))
    steps = c_ast.TernaryOp(operation(">", distance, number(0, distance)), steps, number(0, distance), left.coord)
    if abs(counter.step) != 1:
        steps = operation("*", steps, number(abs(counter.step), steps))
    start = cast(counter.start, I64)
    return cast(operation("+" if counter.step > 0 else "-", start, steps), counter.type)


def worth(values: Mapping[str, c_ast.Node | None], node: c_ast.Node | None) -> c_ast.Node | None:
    """An expression of marks with their values for them; None where one is not known."""
    if node is None or any(values.get(inner.name, inner) is None for inner in variables(node)):
        return None
    return replaced(node, {name: value for name, value in values.items() if value is not None})
