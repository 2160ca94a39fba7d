"""Quasi-affine integer expressions in one normal form.

An `Affine` is ``constant + sum(coefficient * atom)``. Atoms are variable names (loop iterators and parameters alike),
integer floor divisions, and, where loop bounds and isl's piecewise expressions need them, minima, maxima and
conditional choices of other affine expressions. Terms are sorted and hold no zero, so two expressions that are equal
term by term are equal, hash alike and print alike. A subscript may have terms that are computed from data (`Indirect`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import NamedTuple, TypeAlias


@dataclass(frozen=True, order=False)
class FloorDiv:
    """floor(dividend / divisor), rounded towards minus infinity; divisor >= 2."""

    dividend: Affine
    divisor: int

    def __str__(self) -> str:
        return f"floord({self.dividend}, {self.divisor})"


@dataclass(frozen=True)
class Min:
    """The smallest of two or more operands."""

    operands: tuple[Affine, ...]

    def __str__(self) -> str:
        return f"min({', '.join(map(str, self.operands))})"


@dataclass(frozen=True)
class Max:
    """The largest of two or more operands."""

    operands: tuple[Affine, ...]

    def __str__(self) -> str:
        return f"max({', '.join(map(str, self.operands))})"


@dataclass(frozen=True)
class Choose:
    """`then` where the condition holds, else `otherwise`."""

    condition: Condition
    then: Affine
    otherwise: Affine

    def __str__(self) -> str:
        return f"({self.condition} ? {self.then} : {self.otherwise})"


class Indirect(ABC):
    """An integer that is computed from data (`polyloop.backend.ir.expressions.Datum`), or in another way that is not
    affine: what it is depends on these variables, and on what memory holds where it stands.

    Only subscripts have such terms, directly in their sums, never inside another atom.
    """

    @abstractmethod
    def variables(self) -> frozenset[str]:
        """Names of iterators and parameters."""

    @abstractmethod
    def substitute(self, values: Mapping[str, Affine | int]) -> Indirect:
        """The same of other variables."""


Atom: TypeAlias = "str | FloorDiv | Min | Max | Choose | Indirect"


class Affine(NamedTuple):
    """``constant + sum(coefficient * atom)``; build with `affine`, `variable`, operators, not by hand.

    A named tuple, because planning compares and hashes thousands of them: so that is done in C.
    """

    terms: tuple[tuple[Atom, int], ...] = ()
    constant: int = 0

    def __add__(self, other: Affine | int) -> Affine:  # type: ignore[override]  # a sum, not a longer tuple
        if isinstance(other, int):
            return Affine(self.terms, self.constant + other)
        if not other.terms:
            return Affine(self.terms, self.constant + other.constant)
        if not self.terms:
            return Affine(other.terms, self.constant + other.constant)
        return linear((*self.terms, *other.terms), self.constant + other.constant)

    def __radd__(self, other: int) -> Affine:
        return self + other

    def __neg__(self) -> Affine:
        return Affine(tuple([(a, -c) for a, c in self.terms]), -self.constant)

    def __sub__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.terms, self.constant - other)
        if self.terms == other.terms:
            return Affine((), self.constant - other.constant)
        return self + -other

    def __rsub__(self, other: int) -> Affine:
        return -self + other

    def __mul__(self, factor: int) -> Affine:  # type: ignore[override]
        if factor == 1:
            return self
        if factor == 0:
            return Affine()
        return Affine(tuple([(atom, c * factor) for atom, c in self.terms]), self.constant * factor)

    def __rmul__(self, factor: int) -> Affine:  # type: ignore[override]
        return self * factor

    def __floordiv__(self, divisor: int) -> Affine:
        """Floor division by a positive constant; what divides evenly leaves the division."""
        if divisor <= 0:
            raise ValueError(f"floor division needs a positive divisor, not {divisor}")
        if divisor == 1:
            return self
        outside = linear(((a, c // divisor) for a, c in self.terms if c % divisor == 0), self.constant // divisor)
        inside = linear(((a, c) for a, c in self.terms if c % divisor), self.constant % divisor)
        if not inside.terms:
            return outside
        return outside + Affine(((FloorDiv(inside, divisor), 1),))

    def __mod__(self, divisor: int) -> Affine:
        """Mathematical modulo: 0 <= result < divisor."""
        return self - (self // divisor) * divisor

    @property
    def is_constant(self) -> bool:
        return not self.terms

    @property
    def divisions(self) -> tuple[FloorDiv, ...]:
        """Those of its terms that are divisions."""
        return tuple(atom for atom, _ in self.terms if isinstance(atom, FloorDiv))

    def coefficient(self, atom: Atom) -> int:
        for candidate, coefficient in self.terms:
            if candidate == atom:
                return coefficient
        return 0

    def variables(self) -> frozenset[str]:
        """All variable names, those inside divisions, minima, maxima and choices included."""
        names: set[str] = set()
        for atom, _ in self.terms:
            if isinstance(atom, str):
                names.add(atom)
            else:
                names |= _atom_variables(atom)
        return frozenset(names)

    def substitute(self, values: Mapping[str, Affine | int]) -> Affine:
        """Replace variables simultaneously and renormalise."""
        if not values:
            return self
        match self.terms:
            case ((str(name), 1),):  # most subscripts are one variable
                if name not in values:
                    return self
                value = affine(values[name])
                return value + self.constant if self.constant else value
        if values.keys().isdisjoint(self.variables()):
            return self
        return self.map_atoms(lambda atom: _substitute_atom(atom, values))

    def map_atoms(self, transform: Callable[[Atom], Affine]) -> Affine:
        """The sum with other expressions in the atoms' places."""
        constant = self.constant
        terms: list[tuple[Atom, int]] = []
        for atom, coefficient in self.terms:
            value = transform(atom)
            terms += value.terms if coefficient == 1 else (value * coefficient).terms
            constant += value.constant * coefficient
        return linear(terms, constant)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value under an assignment of every variable.

        Raises:
            KeyError: for a variable without a value.
        """
        total = self.constant
        for atom, c in self.terms:
            total += c * (values[atom] if isinstance(atom, str) else _evaluate_atom(atom, values))
        return total

    def __str__(self) -> str:
        if not self.terms:
            return str(self.constant)
        parts: list[str] = []
        for atom, c in self.terms:
            magnitude = str(atom) if abs(c) == 1 else f"{abs(c)}*{atom}"
            sign = ("-" if c < 0 else "") if not parts else (" - " if c < 0 else " + ")
            parts.append(sign + magnitude)
        if self.constant:
            parts.append(f" {'+' if self.constant > 0 else '-'} {abs(self.constant)}")
        return "".join(parts)


@dataclass(frozen=True)
class Compare:
    """``left op 0`` with op one of ">=", "==" (normal form: everything on the left)."""

    left: Affine
    operator: str

    def __str__(self) -> str:
        return f"{self.left} {self.operator} 0"


@dataclass(frozen=True)
class And:
    """All of the operands hold; true without any."""

    operands: tuple[Condition, ...]

    def __str__(self) -> str:
        return "(" + " && ".join(map(str, self.operands)) + ")" if self.operands else "true"


@dataclass(frozen=True)
class Or:
    """Some operand holds; false without any."""

    operands: tuple[Condition, ...]

    def __str__(self) -> str:
        return "(" + " || ".join(map(str, self.operands)) + ")" if self.operands else "false"


@dataclass(frozen=True)
class Not:
    """The operand does not hold."""

    operand: Condition

    def __str__(self) -> str:
        return f"!({self.operand})"


Condition: TypeAlias = "Compare | And | Or | Not"
TRUE: Condition = And(())
FALSE: Condition = Or(())


def through(points: Sequence[tuple[int, ...]], numbers: Sequence[int], variables: Sequence[str]) -> Affine | None:
    """The affine function of so many variables that has these numbers at these points; None where there is none."""
    there, slopes = dict(zip(points, numbers, strict=True)), list[int]()
    for axis in range(len(variables)):
        after = ((point, (*point[:axis], point[axis] + 1, *point[axis + 1 :])) for point in there)
        slopes.append(next((there[b] - there[a] for a, b in after if b in there), 0))
    rest = {number - sum(map(mul, slopes, point)) for point, number in zip(points, numbers, strict=True)}
    return linear(list(zip(variables, slopes, strict=True)), rest.pop()) if len(rest) == 1 else None


def linear(terms: Iterable[tuple[Atom, int]], constant: int) -> Affine:
    """Normal form of a sum: like atoms merged, zeros dropped, names first in alphabetical order."""
    merged: dict[Atom, int] = {}
    for atom, coefficient in terms:
        merged[atom] = merged.get(atom, 0) + coefficient
    kept = [term for term in merged.items() if term[1]]
    if len(kept) > 1:
        kept.sort(key=_place)
    return Affine(tuple(kept), constant)


def _place(term: tuple[Atom, int]) -> tuple[bool, str]:
    """Where a term stands in a sum."""
    atom = term[0]
    return (False, atom) if isinstance(atom, str) else (True, str(atom))


def affine(value: Affine | int | str) -> Affine:
    """An int becomes a constant, a str a variable."""
    match value:
        case Affine():
            return value
        case str():
            return Affine(((value, 1),))
        case _:
            return Affine((), int(value))


def minimum(*operands: Affine | int) -> Affine:
    """The smallest operand; constants are folded."""
    return _extremum(Min, min, operands)


def maximum(*operands: Affine | int) -> Affine:
    """The largest operand; constants are folded."""
    return _extremum(Max, max, operands)


def choose(condition: Condition, then: Affine | int, otherwise: Affine | int) -> Affine:
    """`then` where the condition holds, else `otherwise`."""
    then, otherwise = affine(then), affine(otherwise)
    if then == otherwise:
        return then
    return Affine(((Choose(condition, then, otherwise), 1),))


def at_least(left: Affine | int, right: Affine | int) -> Compare:
    return Compare(affine(left) - right, ">=")


def equal(left: Affine | int, right: Affine | int) -> Compare:
    return Compare(affine(left) - right, "==")


def conjuncts(condition: Condition) -> tuple[Condition, ...]:
    """Conditions that hold together where this one does: none, if that is everywhere."""
    if not isinstance(condition, And):
        return (condition,)
    return tuple(inner for operand in condition.operands for inner in conjuncts(operand))


def says(condition: Condition, value: Affine) -> bool:
    """Whether the condition holds only where the value is not negative."""
    match condition:
        case And(operands):
            return any(says(operand, value) for operand in operands)
        case Compare(left, ">="):
            return (value - left).is_constant and (value - left).constant >= 0
        case _:
            return False


def evaluate_condition(condition: Condition, values: Mapping[str, int]) -> bool:
    """Whether the condition holds at these values of all its variables."""
    match condition:
        case Compare(left, ">="):
            return left.evaluate(values) >= 0
        case Compare(left, _):
            return left.evaluate(values) == 0
        case And(operands):
            return all(evaluate_condition(o, values) for o in operands)
        case Or(operands):
            return any(evaluate_condition(o, values) for o in operands)
        case Not(operand):
            return not evaluate_condition(operand, values)


def map_condition(condition: Condition, visit: Callable[[Affine], Affine]) -> Condition:
    """The condition with other expressions compared."""
    match condition:
        case Compare(left, operator):
            return Compare(visit(left), operator)
        case And(operands):
            return And(tuple(map_condition(o, visit) for o in operands))
        case Or(operands):
            return Or(tuple(map_condition(o, visit) for o in operands))
        case Not(operand):
            return Not(map_condition(operand, visit))


def substitute_condition(condition: Condition, values: Mapping[str, Affine | int]) -> Condition:
    """The condition with values in place of variables."""
    return map_condition(condition, lambda value: value.substitute(values))


def condition_variables(condition: Condition) -> frozenset[str]:
    """Names of the variables that the condition depends on."""
    match condition:
        case Compare(left, _):
            return left.variables()
        case And(operands) | Or(operands):
            return frozenset().union(*(condition_variables(o) for o in operands))
        case Not(operand):
            return condition_variables(operand)


def _extremum(
    kind: type[Min] | type[Max], pick: Callable[[int, int], int], operands: tuple[Affine | int, ...]
) -> Affine:
    """Flatten nested extrema of the same kind; operands that differ by a constant collapse into one."""
    if len(operands) == 1:
        return affine(operands[0])
    flat: list[Affine] = []
    for operand in map(affine, operands):
        match operand:
            case Affine(((Min() | Max() as atom, 1),), shift) if isinstance(atom, kind):
                flat.extend(inner + shift for inner in atom.operands)
            case _:
                flat.append(operand)
    best: dict[tuple[tuple[Atom, int], ...], int] = {}
    for operand in flat:
        known = best.get(operand.terms)
        best[operand.terms] = operand.constant if known is None else pick(known, operand.constant)
    unique = sorted((Affine(terms, constant) for terms, constant in best.items()), key=str)
    return unique[0] if len(unique) == 1 else Affine(((kind(tuple(unique)), 1),))


def _atom_variables(atom: Atom) -> frozenset[str]:
    match atom:
        case str():
            return frozenset((atom,))
        case FloorDiv(dividend, _):
            return dividend.variables()
        case Min(operands) | Max(operands):
            return frozenset().union(*(o.variables() for o in operands))
        case Choose(condition, then, otherwise):
            return condition_variables(condition) | then.variables() | otherwise.variables()
        case Indirect():
            return atom.variables()


def operands_of(atom: Atom) -> tuple[Affine, ...]:
    """Of a division or an extremum."""
    match atom:
        case FloorDiv(dividend, _):
            return (dividend,)
        case Min(operands) | Max(operands):
            return operands
        case _:
            return ()


def map_operands(atom: Atom, visit: Callable[[Affine], Affine]) -> Affine:
    """A division or an extremum with other operands; any other atom as it is."""
    match atom:
        case FloorDiv(dividend, divisor):
            return visit(dividend) // divisor
        case Min(operands):
            return minimum(*map(visit, operands))
        case Max(operands):
            return maximum(*map(visit, operands))
        case _:
            return Affine(((atom, 1),))


def _substitute_atom(atom: Atom, values: Mapping[str, Affine | int]) -> Affine:
    match atom:
        case str():
            return affine(values.get(atom, affine(atom)))
        case Choose(condition, then, otherwise):
            return choose(
                substitute_condition(condition, values), then.substitute(values), otherwise.substitute(values)
            )
        case Indirect():
            return Affine(((atom.substitute(values), 1),))
        case _:
            return map_operands(atom, lambda operand: operand.substitute(values))


def _evaluate_atom(atom: Atom, values: Mapping[str, int]) -> int:
    match atom:
        case str():
            return values[atom]
        case FloorDiv(dividend, divisor):
            return dividend.evaluate(values) // divisor
        case Min(operands):
            return min(o.evaluate(values) for o in operands)
        case Max(operands):
            return max(o.evaluate(values) for o in operands)
        case Choose(condition, then, otherwise):
            chosen = then if evaluate_condition(condition, values) else otherwise
            return chosen.evaluate(values)
        case Indirect():
            raise TypeError(f"{atom} is computed from data, which is not known here")
