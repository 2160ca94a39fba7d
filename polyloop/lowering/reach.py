"""Between which numbers subscripts lie that are not affine, as far as parameters, or a look at the data, can tell.

Interval arithmetic on texts of C: the ends of an affine expression are what isl finds, those of products, quotients and
remainders are computed from the ends of what they are made of, those of choices are as narrow as the conditions around
them make them (``x < 0 ? 0 : x > n - 1 ? n - 1 : x`` lies between 0 and n - 1 whatever x is), and those of elements
that the loops do not write are looked for where the loops surely read. Variables that the loops set have the ends of
what they are set to. Ends are parameters of sets that C spells as calls.

Floating-point numbers have integers as ends, no larger than what their type holds exactly: rounding is monotone, so
that a sum or a product lies between those of the ends. What is not a number has no end, but is no subscript either:
where data have it, the original loops run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import islpy as isl

from polyloop.backend.c.helpers import Helper
from polyloop.backend.c.text import AffinePrinter
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, Indirect, affine, at_least, choose, maximum, minimum
from polyloop.backend.ir.ranges import OPPOSITES, minus_of, value_bounds
from polyloop.backend.ir.vector_program import ValueType
from polyloop.scop.affine_isl import FEW_PIECES, affine_to_text, bound_of, condition_of, condition_set, is_bounded
from polyloop.scop.dependence import flow
from polyloop.scop.index_data import Path, paths
from polyloop.scop.model import Scop, Statement
from polyloop.support.isl_limits import OperationLimitError, limited

_FAR = 1 << 24
"""Limits of numbers of some types that lie beyond limit no subscript."""

_MEMORY = 1 << 48
"""What is further away than any memory; C's helpers count it as that far."""

_MOST_STEPS = 400
"""So many parts of expressions are looked at for one subscript."""

_OPERATIONS = 200_000
"""What isl may spend on saying which statements one variable has its value from: some 0.5 s."""

End: TypeAlias = "Affine | None"


@dataclass(frozen=True)
class Ends:
    """The smallest and the largest value; None where nothing limits them. `empty`: there is no value yet, for a
    variable that was set to itself."""

    low: End = None
    high: End = None
    empty: bool = False

    @property
    def known(self) -> tuple[Affine, Affine] | None:
        """Both, where there are both."""
        return None if self.low is None or self.high is None else (self.low, self.high)


_Looked: TypeAlias = tuple[Ends, list[str], set[Helper]]

_Scan: TypeAlias = tuple[Helper, str]
"""What looks at data, and its arguments, but for the last: whether it is to find the largest or the smallest."""

_NO_ENDS, _NO_VALUE, _ONE = Ends(), Ends(empty=True), Ends(affine(1), affine(1))


@dataclass(frozen=True)
class _Place:
    """Where an expression stands.

    Attributes:
        path: conditions of the statement that hold there, or do not.
        within: reads of variables whose values it is part of, with the operations between them and it.
        steps: operations around it, since what is asked for.
        low, high: whether that end is asked for.
    """

    statement: Statement
    path: Path = ()
    within: tuple[tuple[str, e.Access, int], ...] = ()
    steps: int = 0
    low: bool = True
    high: bool = True

    @property
    def operand(self) -> _Place:
        """Of an operand of the expression, both of whose ends count."""
        return replace(self, steps=self.steps + 1, low=True, high=True)

    @property
    def added(self) -> _Place:
        """Of an operand whose ends are those of the expression, but for what is added."""
        return replace(self, steps=self.steps + 1)

    @property
    def negated(self) -> _Place:
        """Of an operand with the opposite sign."""
        return replace(self, steps=self.steps + 1, low=self.high, high=self.low)


def _sides(value: e.Expression, path: Path = ()) -> Iterator[tuple[Path, e.Expression]]:
    """The values that choices are between, with the conditions under which they are what is chosen."""
    match value:
        case e.Select(condition, then, otherwise):
            yield from _sides(then, (*path, (condition, True)))
            yield from _sides(otherwise, (*path, (condition, False)))
        case _:
            yield path, value


def _move(value: e.Expression, own: e.Read) -> tuple[int, e.Expression] | None:
    """What is added to a variable, or subtracted (-1); the variable itself where that is all."""
    match value:
        case e.Read() if value == own:
            return 1, own
        case e.Binary("+" | "-" as operator, left, right, _) if left == own:
            return 1 if operator == "+" else -1, right
        case e.Binary("+", left, right, _) if right == own:
            return 1, left
    return None


class Reach:
    """The ends of subscripts of a Scop; what has to hold besides is added to `tests`.

    Only elements that the loops read whatever happens are looked at, and only where the loops do not change them: that
    no other array is stored over them is tested, too.

    Args:
        address: C's text of where an array begins.
        printer: of affine expressions, which has `texts` for their variables.
        texts: what C computes before the loops, by the names that stand for it; added to.
    """

    def __init__(
        self,
        scop: Scop,
        address: Callable[[str], str],
        printer: AffinePrinter,
        texts: dict[str, str],
        tests: list[str],
        helpers: set[Helper],
    ) -> None:
        self._scop, self._address, self._printer = scop, address, printer
        self._texts, self._tests, self._helpers = texts, tests, helpers
        self._scanned: dict[str, _Scan] = {}
        self._certain: dict[str, isl.Set] = {}
        self._sources: dict[tuple[str, e.Access], tuple[list[str], bool]] = {}
        self._affine_ends: dict[tuple[str, Affine], Ends] = {}
        self._left = 0

    def looks_at_data(self, test: str) -> bool:
        """Whether C's text of a test looks at elements."""
        return any(f"{helper.name}({arguments}" in test for helper, arguments in self._scanned.values())

    def rows(self, statement: Statement, access: e.Access) -> isl.Set | None:
        """The values of an access's first subscript; None where nothing limits them."""
        subscript, limits = access.subscripts[0], list[str]()
        data = e.Access("", (subscript,)).data
        names = [f"polyloop_data{k}" for k in range(len(data))]
        place = _Place(statement, paths(statement).get(access, ()))
        self._left = _MOST_STEPS
        for name, datum in zip(names, data, strict=True):
            ends = self._ends(place, datum.value).known
            if ends is None:
                return None
            if len(data) > 1:
                self._within_memory(ends)
            limits.append(f"{affine_to_text(ends[0])} <= {name} <= {affine_to_text(ends[1])}")
        (plain,) = e.affine_access(e.Access("", (subscript,)), list(map(affine, names))).subscripts
        return self._values(statement, plain, names, limits)

    def _values(self, statement: Statement, value: Affine, others: Sequence[str], limits: Sequence[str]) -> isl.Set:
        """Of an expression of iterators, parameters and other variables within limits, where the statement runs."""
        parameters = ", ".join((*self._scop.parameters, *self._texts))
        condition = " and ".join([f"row = {affine_to_text(value)}", *limits])
        exists = f"exists {', '.join(others)} : " if others else ""
        relation = isl.Map(f"[{parameters}] -> {{ {statement.point} -> [row] : {exists}{condition} }}")
        domain = statement.domain.intersect_params(self._context)
        return relation.intersect_domain(domain.align_params(relation.get_space())).range()

    @property
    def _context(self) -> isl.Set:
        return self._scop.known.coalesce()

    # --- Expressions ---

    def _ends(self, place: _Place, value: e.Expression) -> Ends:
        """Of the value that C computes. Subscripts in 64 bits may differ by multiples of that: only the remainder
        counts, as of addresses."""
        low, high = value_bounds(value)
        if low > -_FAR and high < _FAR:
            return Ends(affine(math.floor(low)), affine(math.ceil(high)))
        free, others = self._said_around(place, value)
        limits = self._narrowed(_NO_ENDS, free)
        asked = replace(place, low=place.low and limits.low is None, high=place.high and limits.high is None)
        suffices = bool(free) and not (asked.low or asked.high)
        begin = len(self._tests), set(self._helpers)
        if _may_wrap(value):
            ends = self._in_range(self._exact_ends(replace(place, low=True, high=True), value), value)
        else:
            ends = self._exact_ends(place if suffices else asked, value)
        if suffices and self._looks(ends, self._tests[begin[0] :]):
            self._back_to(*begin)
            return limits
        ends = self._narrowed(ends, free)
        wanted = [end for end, is_asked in ((ends.low, place.low), (ends.high, place.high)) if is_asked]
        if None in wanted or any(self._looks(Ends(end)) for end in wanted):
            for pair, tests, helpers in others:
                ends = self._narrowed(ends, [pair])
                self._tests += tests
                self._helpers |= helpers
        return replace(ends, low=affine(0)) if value.type.kind == "uint" and ends.low is None else ends

    def _said_around(self, place: _Place, value: e.Expression) -> tuple[list[Ends], list[_Looked]]:
        """What the conditions around an expression say of it whatever the data are; and what C has to look at elements
        for, with the tests and the helpers that this takes: mostly the others suffice."""
        free: list[Ends] = []
        others: list[_Looked] = []
        for condition, holds in place.path:
            begin = len(self._tests), set(self._helpers)
            said = [Ends(low, high) for low, high in self._said(place, condition, holds, value)]
            tests, helpers = self._tests[begin[0] :], self._helpers - begin[1]
            if any(self._looks(ends, tests) for ends in said):
                self._back_to(*begin)
                others += [(ends, tests, helpers) for ends in said]
            else:
                free += said
        return free, others

    def _back_to(self, tests: int, helpers: set[Helper]) -> None:
        """What was added since is not needed."""
        del self._tests[tests:]
        self._helpers.intersection_update(helpers)

    def _looks(self, ends: Ends, tests: Iterable[str] = ()) -> bool:
        """Whether C has to look at elements for ends, or for tests."""
        names = {name for end in (ends.low, ends.high) if end is not None for name in end.variables()}
        return any(map(self.looks_at_data, (*tests, *(self._texts.get(name, "") for name in names))))

    def _in_range(self, ends: Ends, value: e.Expression) -> Ends:
        """Sums and products may wrap around on the way; but what is in range in the end is what the type holds."""
        if ends.known is None:
            return _NO_ENDS
        if value.type.bits < 64:
            low, high = map(self._printer.affine, ends.known)
            was_signed = isinstance(value, e.Cast) and value.operand.type.kind == "int"
            if value.type.kind == "int":
                self._fits(low, high)
            elif was_signed:  # so that it is not too large: compilers warn of such questions
                self._fits(high)
                self._tests.append(f"{low} >= 0")
            else:
                self._tests += [f"{low} >= 0", f"{high} <= 4294967295L"]
        return ends

    def _fits(self, *texts: str) -> None:
        self._helpers.add(Helper("fits"))
        self._tests += [f"polyloop_fits({text})" for text in texts]

    def _operand(self, place: _Place, value: e.Expression) -> Ends:
        """As `_ends`, and nothing wraps around in 64 bits either."""
        ends = self._ends(place.operand, value)
        if value.type.kind == "uint" and value.type.bits == 64 and ends.low is not None:
            self._is_natural(ends.low)
        return ends

    def _is_natural(self, end: Affine, least: int = 0) -> None:
        """Tests that a number is not less than 0, or than another one, unless it is none to be seen."""
        if not (end.is_constant and end.constant >= least):
            self._tests.append(f"{self._printer.affine(end)} >= {least}")

    def _exact_ends(self, place: _Place, value: e.Expression) -> Ends:
        """The same, had integers no limits; where they have, the value may differ by multiples of what they hold."""
        self._left -= 1
        if self._left < 0:
            return _NO_ENDS
        if value.type.is_float:
            return self._floating(place, value)
        if value.type.bits < 32:
            return _NO_ENDS
        match value:
            case e.Literal(int(number)):
                return Ends(affine(number), affine(number))
            case e.Cast(operand, type_) if operand.type.is_float:
                return self._ends(place.added, operand)
            case e.Cast(operand, type_) if operand.type.bits <= type_.bits:
                same = operand.type.bits == type_.bits
                return (self._exact_ends if same else self._ends)(place, operand)
            case e.Read(access):
                return self._element(place, access)
            case e.Index(index, _):
                return self._of_index(place, index)
            case e.Select(condition, then, otherwise):
                return self._chosen(place, condition, then, otherwise)
            case e.Unary("-", operand):
                ends = self._exact_ends(place.operand, operand)
                return Ends(_negative(ends.high), _negative(ends.low))
            case e.Binary("+" | "-" | "*" as operator, left, right, _):
                first, second = (self._exact_ends(place.operand, operand) for operand in (left, right))
                return self._computed(operator, first, second)
            case e.Binary("/" | "%" as operator, left, right, _):
                first, second = self._operand(place, left), self._operand(place, right)
                return self._divided(operator, first, second)
            case e.Binary("<<", left, right, type_):
                powers = self._powers(place.operand, right, type_)
                return self._computed("*", self._exact_ends(place.operand, left), powers)
            case e.Binary(">>", left, right, type_):
                return self._shifted(place, left, self._powers(place.operand, right, type_))
            case e.Binary("&", left, right, _):
                return self._masked(place, left, right)
        return _NO_ENDS

    def _floating(self, place: _Place, value: e.Expression) -> Ends:
        match value:
            case e.Literal(number) if math.isfinite(number) and abs(number) < _FAR:
                return Ends(affine(math.floor(number)), affine(math.ceil(number)))
            case e.Read(access):
                return self._element(place, access)
            case e.Select(condition, then, otherwise):
                return self._chosen(place, condition, then, otherwise)
            case e.Cast(operand):
                return self._exactly(place, self._operand(place, operand), value.type)
            case e.Call(function, (operand,)) if function.removesuffix("f") in _MONOTONE:
                return self._ends(place, operand)
            case e.Call("fmin" | "fmax" | "fminf" | "fmaxf" as function, (left, right)):
                return self._extremum(place, function.removesuffix("f"), left, right)
            case e.Unary("-", operand):
                ends = self._ends(place.negated, operand)
                return Ends(_negative(ends.high), _negative(ends.low))
            case e.Binary("+" | "-" as operator, left, right):
                other = place.added if operator == "+" else place.negated
                first, second = self._ends(place.added, left), self._ends(other, right)
                return self._exactly(place, self._computed(operator, first, second), value.type)
            case e.Binary("*", left, right):
                first, second = self._ends(place.operand, left), self._ends(place.operand, right)
                return self._exactly(place, self._computed("*", first, second), value.type)
            case e.Binary("/", left, right):
                first, second = self._ends(place.operand, left), self._ends(place.operand, right)
                return self._exactly(place, self._quotient(first, second), value.type)
        return _NO_ENDS

    def _exactly(self, place: _Place, ends: Ends, type_: e.ScalarType) -> Ends:
        """That integers are numbers of a floating-point type, as far as these ends are asked for."""
        limit = _FAR if type_ == e.F32 else _MEMORY
        ends = Ends(ends.low if place.low else None, ends.high if place.high else None, ends.empty)
        for end, sign in ((ends.low, ">"), (ends.high, "<")):
            if end is not None and not end.is_constant:
                self._tests.append(f"{self._printer.affine(end)} {sign} {-limit if sign == '>' else limit}L")
        return ends

    def _computed(self, operator: str, first: Ends, second: Ends) -> Ends:
        """Of a sum, a difference, a product."""
        if operator == "*":
            if first.known is None or second.known is None:
                return _NO_ENDS
            return Ends(*self._of_product(first.known, second.known))
        if operator == "-":
            second = Ends(_negative(second.high), _negative(second.low))
        low = None if first.low is None or second.low is None else first.low + second.low
        high = None if first.high is None or second.high is None else first.high + second.high
        if not any(end is not None and end.is_constant for end in (first.low, first.high, second.low, second.high)):
            self._within_memory([end for ends in (first, second) for end in (ends.low, ends.high) if end is not None])
        return Ends(low, high)

    def _within_memory(self, ends: Iterable[Affine]) -> None:
        """That ends are what they are, where helpers would count what is too far away as less: for sums, in which that
        does not show in the end."""
        for end in ends:
            for name in end.variables():
                if self._texts.get(name, "").startswith(_CUT):
                    self._tests += [f"{self._texts[name]} > -{_MEMORY}L", f"{self._texts[name]} < {_MEMORY}L"]

    def _of_product(self, first: tuple[Affine, Affine], second: tuple[Affine, Affine]) -> tuple[Affine, Affine]:
        if first[0] == first[1] or second[0] == second[1]:
            constant, (low, high) = (first[0], second) if first[0] == first[1] else (second[0], first)
            if constant.is_constant:
                ends = low * constant.constant, high * constant.constant
                return ends if constant.constant >= 0 else ends[::-1]
        return self._called("product_end", *first, *second)

    def _divided(self, operator: str, first: Ends, second: Ends) -> Ends:
        """Of a quotient, or a remainder, as C has it; where divisors may not be positive, the helpers find no ends."""
        if first.known is not None and second.known is not None:
            helper = "quotient_end" if operator == "/" else "remainder_end"
            return Ends(*self._called(helper, *first.known, *second.known))
        if operator == "/" or second.high is None or second.low is None:
            return _NO_ENDS
        self._is_natural(second.low, 1)
        natural = first.low is not None and first.low.is_constant and first.low.constant >= 0
        return Ends(affine(0) if natural else 1 - second.high, second.high - 1)

    def _quotient(self, first: Ends, second: Ends) -> Ends:
        """Of a quotient of floating-point numbers: integers around it, where divisors are 1 or more."""
        if first.known is None or second.known is None:
            return _NO_ENDS
        (least, most), by = first.known, second.known[0]
        if by.is_constant and by.constant < 1:
            return _NO_ENDS
        least = least if least.is_constant and least.constant >= 0 else least - by + 1
        return Ends(*self._called("quotient_end", least, most + by - 1, *second.known))

    def _powers(self, place: _Place, bits: e.Expression, type_: e.ScalarType) -> Ends:
        """Of 2 to the power of so many bits as a number of a type is shifted by; C says nothing of more bits than it
        has."""
        ends = self._operand(place, bits)
        if ends.known is None:
            return _NO_ENDS
        self._is_natural(ends.known[0])
        if not (ends.known[1].is_constant and ends.known[1].constant < type_.bits):
            self._tests.append(f"{self._printer.affine(ends.known[1])} < {type_.bits}")
        return Ends(self._power(ends.known[0]), self._power(ends.known[1]))

    def _power(self, bits: Affine) -> Affine:
        if bits.is_constant and 0 <= bits.constant < 63:
            return affine(1 << bits.constant)
        return self._named(f"(1L << ({self._printer.operand(bits)} & 62))")

    def _shifted(self, place: _Place, value: e.Expression, powers: Ends) -> Ends:
        """Of what is left of a number without its last bits, which must not be negative: of others, a quotient is
        another number. Sums and products that wrap, as hashes do, are any number of their type."""
        if powers.known is None:
            return _NO_ENDS
        if value.type.kind == "uint" and _may_wrap(value):
            least, most = powers.known[0], (1 << value.type.bits) - 1
            if least.is_constant and least.constant > 1:
                return Ends(affine(0), affine(most // least.constant))
            if value.type.bits < 64:
                return Ends(affine(0), self._called("quotient_end", affine(0), affine(most), *powers.known)[1])
        ends = self._operand(place, value)
        if ends.known is None:
            return _NO_ENDS
        self._is_natural(ends.known[0])
        return Ends(*self._called("quotient_end", *ends.known, *powers.known))

    def _masked(self, place: _Place, *operands: e.Expression) -> Ends:
        """Of bits that two numbers have, one of which must not be negative: one suffices, if it is no element."""
        for operand in sorted(operands, key=lambda each: any(isinstance(node, e.Read) for node in e.walk(each))):
            ends = self._operand(place, operand)
            if ends.known is not None:
                if operand.type.kind == "int":
                    self._is_natural(ends.known[0])
                return Ends(affine(0), ends.known[1])
        return _NO_ENDS

    def _chosen(self, place: _Place, condition: e.Expression, then: e.Expression, otherwise: e.Expression) -> Ends:
        sides = (replace(place, path=(*place.path, (condition, holds))) for holds in (True, False))
        return self._hull([self._ends(side, value) for side, value in zip(sides, (then, otherwise), strict=True)])

    def _extremum(self, place: _Place, function: str, left: e.Expression, right: e.Expression) -> Ends:
        """What is no number gives way to the other operand: only one that surely is a number limits both."""
        first, second = self._ends(place.operand, left), self._ends(place.operand, right)
        least, hull = function == "fmin", self._hull([first, second])
        limiting = [ends for ends, operand in ((first, left), (second, right)) if _is_number(operand)]
        limits = [end for ends in limiting for end in [ends.high if least else ends.low] if end is not None]
        if not limits:
            return hull
        limit = self._extreme("min" if least else "max", *limits)
        return Ends(hull.low, limit) if least else Ends(limit, hull.high)

    def _hull(self, found: Sequence[Ends]) -> Ends:
        found = [ends for ends in found if not ends.empty]
        if not found:
            return _NO_VALUE
        lows = [ends.low for ends in found if ends.low is not None]
        highs = [ends.high for ends in found if ends.high is not None]
        low = self._extreme("min", *lows) if len(lows) == len(found) else None
        return Ends(low, self._extreme("max", *highs) if len(highs) == len(found) else None)

    def _extreme(self, kind: str, *ends: Affine) -> Affine:
        """The smaller or the larger one, as a number or a parameter."""
        found = (minimum if kind == "min" else maximum)(*ends)
        if found in ends or found.is_constant:
            return found
        return self._named(self._printer.affine(found))

    # --- Conditions ---

    def _narrowed(self, ends: Ends, said: Iterable[Ends]) -> Ends:
        """What the conditions around an expression say of it, too."""
        if ends.empty:
            return ends
        for more in said:
            low, high = more.low, more.high
            ends = Ends(
                low if ends.low is None else ends.low if low is None else self._extreme("max", ends.low, low),
                high if ends.high is None else ends.high if high is None else self._extreme("min", ends.high, high),
            )
        return ends

    def _said(
        self, place: _Place, condition: e.Expression, holds: bool, value: e.Expression
    ) -> Iterator[tuple[End, End]]:
        """Ends that a condition gives to a value where it holds, or does not."""
        for part, is_so in _parts(condition, holds):
            yield from self._says(place, part, is_so, value)

    def _says(
        self, place: _Place, condition: e.Expression, holds: bool, value: e.Expression
    ) -> Iterator[tuple[End, End]]:
        match condition:
            case e.Comparison(operator, left, right):
                operator = operator if holds else OPPOSITES[operator]
                if operator in (">", ">="):
                    operator, left, right = "<" + operator[1:], right, left
                apart = int(operator == "<" and not left.type.is_float)
                bare = replace(place, path=())
                if operator in ("<", "<=", "==") and _is_same(left, value):
                    ends = self._operand(bare, right)
                    yield ends.low if operator == "==" else None, None if ends.high is None else ends.high - apart
                elif operator in ("<", "<=", "==") and _is_same(right, value):
                    ends = self._operand(bare, left)
                    yield None if ends.low is None else ends.low + apart, ends.high if operator == "==" else None
                elif operator in ("<", "<=") and minus_of(value) == left:  # the other side of ``x < 0 ? -x : x``
                    ends = self._operand(bare, right)
                    yield None if ends.high is None else apart - ends.high, None
                elif operator in ("<", "<=") and minus_of(value) == right:
                    ends = self._operand(bare, left)
                    yield None, None if ends.low is None else -ends.low - apart
                elif operator in ("<", "<=") and _is_made_unsigned(left, value):
                    ends = self._operand(bare, right)
                    if ends.low is not None and ends.high is not None:
                        self._fits(self._printer.affine(ends.low), self._printer.affine(ends.high))
                        yield affine(0), ends.high - apart

    # --- Elements and variables ---

    def _element(self, place: _Place, access: e.Access) -> Ends:
        if access.array in self._scop.written:
            return self._variable(place, access)
        array, address = self._scop.array(access.array), self._address(access.array)
        if array.local:
            return _NO_ENDS
        if not access.subscripts and address[1:].isidentifier():  # a variable, whose value the loops are called with
            if array.type.is_float:
                return Ends(*self._asked(Helper("extreme", ValueType(array.type)), f"{address}, 1"))
            end = self._named(f"(long){address[1:]}")
            return Ends(end, end)
        if not access.data and access not in _surely_read(place.statement):
            elements = self._scop.access_map(place.statement, access).range()
            if not elements.is_subset(self._certain_elements(access.array)):
                return _NO_ENDS
        ends = self._scan(place.statement, access)
        return _NO_ENDS if ends is None else Ends(*ends)

    def _variable(self, place: _Place, access: e.Access) -> Ends:
        """Of what the statements before have left; what is read before it is set is no value."""
        for name, other, steps in place.within:
            if (name, other) == (place.statement.name, access):
                return _NO_VALUE if steps == place.steps else _NO_ENDS
        within = (*place.within, (place.statement.name, access, place.steps))
        if (moved := self._moved(place.statement, access, within)) is not None:
            return moved
        writers, at_first = self._from(place.statement, access)
        if at_first and not self._scop.array(access.array).local:
            return _NO_ENDS
        found = []
        for writer in self._scop.statements:
            if writer.name in writers:
                conditions = (part for each in place.path for part in _parts(*each))
                path = tuple(x for x in conditions if self._holds_there(place.statement, access, writer, x[0]))
                found.append(self._ends(replace(place, statement=writer, path=path, within=within), writer.value))
        return self._hull(found)

    def _holds_there(self, reader: Statement, access: e.Access, writer: Statement, condition: e.Expression) -> bool:
        """Whether a condition where a variable is read is one of variables that had the same values where it was set,
        as of ``t`` in ``k = (int)t; if (t >= 0) .. x[k]``."""
        indices = [node for node in e.walk(condition) if isinstance(node, e.Index)]
        if any(not set(index.value.variables()) <= set(self._scop.parameters) for index in indices):
            return False
        return all(
            not read.access.subscripts
            and (read.access.array not in self._scop.written or self._is_kept(reader, access, writer, read.access))
            for read in e.reads(condition)
        )

    def _is_kept(self, reader: Statement, access: e.Access, writer: Statement, other: e.Access) -> bool:
        """Whether what reads a variable finds in another one what was there where the first was set."""
        try:
            with limited(_OPERATIONS):
                set_by, _ = flow(self._scop, reader, access)
                (here, at_first), (there, before) = (flow(self._scop, s, other) for s in (reader, writer))
        except OperationLimitError:
            return False
        if not (at_first.is_empty() and before.is_empty() and here.keys() == there.keys()):
            return False
        through, runs = set_by[writer.name], set_by[writer.name].range()
        return all(there[name].apply_range(through).is_equal(here[name].intersect_range(runs)) for name in here)

    def _moved(
        self, statement: Statement, access: e.Access, within: tuple[tuple[str, e.Access, int], ...]
    ) -> Ends | None:
        """Of a variable that statements move on, as ``k`` in ``if (x[i] > 0) y[k++] = x[i];``: what it is set to, or is
        before, and as far from there as all that they add leads. None of one that nothing moves."""
        own = e.Read(access, self._scop.array(access.array).type)
        if access.subscripts or own.type.is_float or own.type.bits < 32:
            return None
        writers = self._scop.writers(access.array)
        sides = [(writer, path, value, _move(value, own)) for writer in writers for path, value in _sides(writer.value)]
        moving = [writer for writer, _, _, move in sides if move is not None and move[1] != own]
        if not moving:
            return None
        added, found = Ends(affine(0), affine(0)), list[Ends]()
        for writer, path, value, move in sides:
            place = _Place(writer, path, within)
            if move is None:
                found.append(self._ends(place, value))
            elif move[1] != own:
                added = self._computed("+", added, self._repeated(place, *move))
        local = self._scop.array(access.array).local
        if not local and any(self._from(reader, access)[1] for reader in (statement, *moving)):
            address = self._address(access.array)
            end = self._named(f"(long){address[1:]}") if address[1:].isidentifier() else None
            found.append(Ends(end, end))
        return self._in_range(self._computed("+", self._hull(found), added), own)

    def _repeated(self, place: _Place, sign: int, value: e.Expression) -> Ends:
        """Of what a statement adds in all, at any time."""
        ends, times = self._ends(place.operand, value), affine(1)
        for iterator in place.statement.iterators:
            run = self._of_affine(place.statement, affine(iterator)).known
            if run is None:
                return _NO_ENDS
            count = run[1] - run[0] + 1
            _, times = self._of_product((times, times), (count, count))
        if ends.known is None:
            return _NO_ENDS
        low, high = ends.known if sign > 0 else (-ends.known[1], -ends.known[0])
        least, most = self._extreme("min", low, affine(0)), self._extreme("max", high, affine(0))
        return Ends(*self._of_product((times, times), (least, most)))

    def _from(self, statement: Statement, access: e.Access) -> tuple[list[str], bool]:
        """The statements whose values it may be, and whether it may be what was there before."""
        key = statement.name, access
        if key not in self._sources:
            self._sources[key] = [s.name for s in self._scop.writers(access.array)], True
            if not access.data:
                try:
                    with limited(_OPERATIONS):
                        sources, before = flow(self._scop, statement, access)
                    self._sources[key] = list(sources), not before.is_empty()
                except OperationLimitError:
                    pass
        return self._sources[key]

    def _of_index(self, place: _Place, value: Affine) -> Ends:
        if any(isinstance(atom, Indirect) for atom, _ in value.terms):
            return _NO_ENDS  # subscripts that data give
        folds = {x.variable: x for x in e.walk(place.statement.value) if isinstance(x, e.Fold)}
        plain = Affine(tuple(term for term in value.terms if term[0] not in folds), value.constant)
        known = {*place.statement.iterators, *self._scop.parameters, *self._texts}
        if not set(plain.variables()) <= known:
            return _NO_ENDS
        ends = self._of_affine(place.statement, plain)
        for name, factor in value.terms:
            if isinstance(name, str) and name in folds:
                lower, upper = (
                    self._operand(replace(place, path=()), bound) for bound in (folds[name].lower, folds[name].upper)
                )
                factors, run = Ends(affine(factor), affine(factor)), self._computed("-", upper, _ONE)
                ends = self._computed("+", ends, self._computed("*", factors, Ends(lower.low, run.high)))
        return ends

    def _of_affine(self, statement: Statement, value: Affine) -> Ends:
        if statement.domain.is_empty():
            return Ends(affine(0), affine(0))
        if not value.variables() & {*statement.iterators}:
            return Ends(value, value)
        if (statement.name, value) not in self._affine_ends:
            self._affine_ends[statement.name, value] = self._ends_of(self._values(statement, value, (), ()))
        return self._affine_ends[statement.name, value]

    def _ends_of(self, values: isl.Set) -> Ends:
        if values.is_empty():
            return Ends(affine(0), affine(0))
        if not is_bounded(values):
            return _NO_ENDS
        if values.n_basic_set() > FEW_PIECES:
            # Conditions around a loop make many pieces of it that all have the same ends.
            hull = isl.Set.from_basic_set(values.simple_hull())
            values = hull if is_bounded(hull) else values
        low, high = (bound_of(values, extreme, self._context) for extreme in (isl.Set.dim_min, isl.Set.dim_max))
        return Ends(self._named(self._printer.affine(low)), self._named(self._printer.affine(high)))

    def _called(self, helper: str, *arguments: Affine) -> tuple[Affine, Affine]:
        """What a helper of C finds for the smallest and for the largest."""
        self._helpers.add(Helper(helper))
        text = ", ".join(map(self._printer.affine, arguments))
        low, high = (self._named(f"polyloop_{helper}({text}, {largest})") for largest in (0, 1))
        return low, high

    def _named(self, text: str) -> Affine:
        """A parameter that C spells so; the same for the same text."""
        names = {known: name for name, known in self._texts.items()}
        name = names.get(text, f"polyloop_end{len(self._texts)}")
        self._texts[name] = text
        return affine(name)

    # --- A look at the data ---

    def _scan(self, statement: Statement, access: e.Access) -> tuple[Affine, Affine] | None:
        if access.data:
            return self._scan_between(statement, access)
        if not access.subscripts:
            return None
        elements = self._scop.access_map(statement, access).range().reset_tuple_id().coalesce()
        key = f"{access.array}: {elements}"
        if key not in self._scanned:
            scan, in_a_row = None, self._in_a_row(access.array)
            if in_a_row is not None:
                # Where several take turns in a row, as corners of triangles do, one look at it finds the ends of all.
                scan = self._calls(access.array, self._in_turn(access, elements.apply(in_a_row), in_a_row), [])
            if scan is None and (inner := self._row_of(access.array, elements)) is not None:
                scan = self._calls(access.array, elements, inner)
            if scan is None:
                return None
            self._scanned[key] = scan
        return self._asked(*self._scanned[key])

    def _in_a_row(self, array: str) -> isl.Map | None:
        """How far behind the first element of an array each one lies; None where rows have no number of elements."""
        declared, numbers = self._scop.array(array), list[int]()
        if declared.strides is not None:
            return None
        for extent in declared.shape[1:]:
            if extent is None or not extent.is_constant or declared.first_column != Affine():
                return None
            numbers.append(extent.constant)
        places = [f"place{k}" for k in range(len(declared.shape))]
        inside = "".join(f" and 0 <= {place} < {count}" for place, count in zip(places[1:], numbers, strict=True))
        terms = (f"{math.prod(numbers[k:])}{place}" for k, place in enumerate(places))
        return isl.Map(f"{{ [{', '.join(places)}] -> [{' + '.join(terms)}] : true{inside} }}")

    def _in_turn(self, access: e.Access, elements: isl.Set, in_a_row: isl.Map) -> isl.Set:
        """The elements of an access that has others between them, with these, if the loops surely read all."""
        if elements.is_empty() or int(elements.get_stride(0).to_python()) == 1:
            return elements
        surely = self._certain_elements(access.array).reset_tuple_id().apply(in_a_row)
        whole = (elements | surely).coalesce()
        return whole if _is_interval(whole, 1) else elements

    def _certain_elements(self, array: str) -> isl.Set:
        """The elements of an array that some statement reads whatever the data are."""
        if array in self._certain:
            return self._certain[array]
        places = ", ".join(f"place{k}" for k in range(len(self._scop.array(array).shape)))
        found = isl.Set(f"[{', '.join(self._scop.parameters)}] -> {{ {array}[{places}] : false }}")
        for statement in self._scop.statements:
            for access in _surely_read(statement):
                if access.array == array and not access.data:
                    found = found | self._scop.access_map(statement, access).range()
        self._certain[array] = found
        return found

    def _calls(self, array: str, elements: isl.Set, inner: list[Affine]) -> _Scan | None:
        """What finds the smallest and the largest of these elements, in rows of these extents; 0 if there are none.
        None where they are not so many elements apart, one behind the other."""
        rows = elements.project_out(isl.dim_type.set, 1, len(inner)).coalesce()
        step = 1 if rows.is_empty() else int(rows.get_stride(0).to_python())
        if not rows.is_empty() and not _is_interval(rows, step):
            return None
        type_, (begin, count) = self._scop.array(array).type, self._run(rows, step)
        first, total = (" * ".join(map(self._printer.operand, (many, *inner))) for many in (begin, count))
        if not inner:
            first, total = self._printer.affine(begin), self._printer.affine(count)
        address = self._address(array)
        if begin != affine(0) and inner:
            address = f"{address} + {first}"
        elif not inner:
            address = self._place_of(array, begin)
        kind, apart = ("extreme", "") if step == 1 else ("extreme_apart", f", {step}")
        return Helper(kind, ValueType(type_)), f"{address}, {total}{apart}"

    def _asked(self, helper: Helper, arguments: str) -> tuple[Affine, Affine]:
        """Parameters for the smallest and the largest number of those that a helper is asked about."""
        self._helpers.add(helper)
        ends = f"{helper.name}({arguments})"
        return self._named(f"{ends}.least"), self._named(f"{ends}.most")

    def _run(self, numbers: isl.Set, step: int) -> tuple[Affine, Affine]:
        """The first of numbers that are so far apart, and how many they are."""
        context = self._context
        if numbers.is_empty():
            return affine(0), affine(0)
        begin = bound_of(numbers, isl.Set.dim_min, context)
        count = (bound_of(numbers, isl.Set.dim_max, context) - begin) // step + 1
        runs = context & condition_set((), at_least(count, 1)).params()
        if not runs.is_subset(numbers.params()):
            count = choose(condition_of(numbers.params(), context.params()), count, 0)
        return begin, count

    def _place_of(self, array: str, begin: Affine) -> str:
        """C's text of where an element is."""
        address = self._address(array)
        if begin == affine(0):
            return address
        place = self._printer.affine(begin)
        return f"&{address}[{place}]" if address.isidentifier() else f"{address} + {place}"

    def _scan_between(self, statement: Statement, access: e.Access) -> tuple[Affine, Affine] | None:
        """Elements that a fold goes through, between two elements of other arrays in every iteration around it:
        compressed rows."""
        fold = _fold_of(statement.value)
        if fold is None or access not in e.certain_accesses(fold.value) or len(access.data) != 1:
            return None
        counter = access.data[0]
        lower, upper = _element_of(fold.lower), _element_of(fold.upper)
        goes_through = isinstance(counter.value, e.Index) and counter.value.value == affine(fold.variable)
        if not goes_through or access.subscripts != (Affine(((counter, 1),)),) or lower is None or upper is None:
            return None
        (first, after_first), (last, after_last) = lower, upper
        type_ = self._scop.array(first.array).type
        unknown = any(a.array in self._scop.written or self._scop.array(a.array).local for a in (first, last))
        unknown = unknown or self._scop.array(access.array).type.is_float
        distance = last.subscripts[0] - first.subscripts[0]
        rows = self._scop.access_map(statement, first).range().reset_tuple_id().coalesce()
        if unknown or self._scop.array(last.array).type != type_ or not distance.is_constant:
            return None
        if not (rows.is_empty() or _is_interval(rows, 1)):
            return None
        key = f"{access.array}: {lower} {upper} {rows}"
        if key not in self._scanned:
            element = ValueType(self._scop.array(access.array).type)
            helper = Helper("extreme_between", element, detail=f"extreme_between_{type_}")
            begin, count = self._run(rows, 1)
            bounds = f"{self._place_of(first.array, begin)}, {self._place_of(last.array, begin + distance)}"
            numbers = ", ".join(map(self._printer.affine, (count, affine(after_first), affine(after_last))))
            arguments = f"{self._address(access.array)}, {bounds}, {numbers}"
            self._scanned[key] = helper, arguments
        return self._asked(*self._scanned[key])

    def _row_of(self, array: str, elements: isl.Set) -> list[Affine] | None:
        """The extents of rows, if all of a row's elements are among these, or none; None where it is not so."""
        declared = self._scop.array(array)
        inner = [extent for extent in declared.shape[1:] if extent is not None]
        if declared.strides is not None or len(inner) < len(declared.shape) - 1:
            return None
        if inner and declared.first_column != Affine():
            return None
        places = ", ".join(f"place{k}" for k in range(len(inner) + 1))
        whole = " and ".join(f"0 <= place{k} < {affine_to_text(extent)}" for k, extent in enumerate(inner, 1))
        parameters = ", ".join(self._scop.parameters)
        row = isl.Map(f"[{parameters}] -> {{ [place0] -> [{places}] : {whole or 'true'} }}")
        rows = elements.project_out(isl.dim_type.set, 1, len(inner))
        return inner if rows.apply(row).intersect_params(self._context).is_subset(elements) else None


_CUT = (
    *("polyloop_product_end(", "polyloop_quotient_end(", "polyloop_remainder_end(", "polyloop_extreme_between_"),
    *("polyloop_extreme_i64(", "polyloop_extreme_u64(", "polyloop_extreme_f"),
    *("polyloop_extreme_apart_i64(", "polyloop_extreme_apart_u64(", "polyloop_extreme_apart_f"),
)
"""Calls that give what is further away than any memory as that far."""

_MONOTONE = {"floor", "ceil", "trunc", "rint", "nearbyint", "round"}
"""Functions that leave integers as they are, and what is between two integers between them."""


def _parts(condition: e.Expression, holds: bool) -> Iterator[tuple[e.Expression, bool]]:
    """Conditions that hold together, or do not, where one does."""
    match condition:
        case e.Logical("&&" | "||" as both, first, second) if (both == "&&") == holds:
            yield from _parts(first, holds)
            yield from _parts(second, holds)
        case e.Unary("!", operand):
            yield from _parts(operand, not holds)
        case _:
            yield condition, holds


def _surely_read(statement: Statement) -> frozenset[e.Access]:
    """What a statement accesses whatever the data are, and what has to be read for that."""
    values = (datum.value for access in statement.certain for datum in access.data)
    return frozenset(statement.certain).union(*map(e.certain_accesses, values))


def _fold_of(value: e.Expression) -> e.Fold | None:
    """The fold that a value is, be it only where that has an iteration."""
    match value:
        case e.Fold():
            return value
        case e.Select(e.Comparison("<" | "<=" as test, left, right), e.Fold(_, lower, upper) as fold, e.Read()):
            last = _element_of(right)
            if last is not None and test == "<=":
                last = last[0], last[1] + 1
            return fold if _element_of(left) == _element_of(lower) and last == _element_of(upper) else None
    return None


def _element_of(bound: e.Expression) -> tuple[e.Access, int] | None:
    """The element of a one-dimensional array that a bound is, in its own type or a wider one, and what is added to
    it."""
    match bound:
        case e.Cast(operand, type_) if operand.type.bits < type_.bits and operand.type.kind == "int":
            return _element_of(operand)
        case e.Binary("+" | "-" as sign, left, e.Literal(int(number)), e.ScalarType("int")):
            found = _element_of(left)
            return None if found is None else (found[0], found[1] + (number if sign == "+" else -number))
        case e.Read(access, e.ScalarType("int", 32 | 64)) if len(access.subscripts) == 1 and not access.data:
            return access, 0
    return None


def _negative(end: End) -> End:
    return None if end is None else -end


def _may_wrap(value: e.Expression) -> bool:
    """Whether the ends of an integer are those that it had if its type had no limits."""
    match value:
        case e.Binary("+" | "-" | "*" | "<<", type=type_) | e.Unary("-", type=type_):
            return not type_.is_float
        case e.Cast(operand, type_):
            return not type_.is_float and not operand.type.is_float
    return False


def _is_number(value: e.Expression) -> bool:
    """Whether a floating-point value surely is a number."""
    match value:
        case e.Literal(number):
            return math.isfinite(number)
        case e.Cast(operand):
            return not operand.type.is_float or _is_number(operand)
        case e.Call("fmin" | "fmax" | "fminf" | "fmaxf", arguments):
            return any(map(_is_number, arguments))
    return False


def _is_same(compared: e.Expression, value: e.Expression) -> bool:
    """Whether a comparison of one is one of the other: as it stands, or in a wider type that keeps the sign."""
    while isinstance(compared, e.Cast) and compared != value:
        wide, narrow = compared.type, compared.operand.type
        if wide.is_float or narrow.is_float or wide.kind != "int" or (narrow.kind, narrow.bits) > ("int", wide.bits):
            return False
        compared = compared.operand
    return compared == value


def _is_made_unsigned(compared: e.Expression, value: e.Expression) -> bool:
    """``(unsigned)x < (unsigned)w``: that x is neither negative nor too large."""
    match compared:
        case e.Cast(operand, e.ScalarType("uint", bits)):
            return operand == value and operand.type == e.ScalarType("int", bits) and bits == 32
    return False


def _is_interval(elements: isl.Set, step: int) -> bool:
    """Whether a bounded set of integers is every so many of what lies between its ends."""
    if not is_bounded(elements):
        return False
    above, below = (
        elements.apply(isl.Map(f"{{ [a] -> [b] : b {sign} a and (b - a) mod {step} = 0 }}")) for sign in (">=", "<=")
    )
    return bool((above & below).is_subset(elements))
