"""Random C functions with one scop each: in bounds and free of undefined behaviour by construction.

In bounds: parameters lie between 0 and `LARGEST`; every iterator's smallest and largest value follows from that, every
subscript is shifted until its smallest value is 0, and the array's extent holds its largest.
Defined: signed integers are read through ``& 1023`` where they are computed with, and stay below 2**28; floats become
integers only after they were clamped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

LARGEST = 13
"""The largest value of a parameter."""

FLOATS = ("float", "double")
UNSIGNED = ("unsigned", "unsigned long")
NARROW = ("signed char", "unsigned char", "short", "unsigned short")
SIGNED = ("int", "long", "long long")

_TYPES = (*FLOATS * 4, *UNSIGNED, *NARROW, *SIGNED)
_SIZES = ("int", "int", "long", "short", "long long", "unsigned")
_WIDEST = 30

T = TypeVar("T")


@dataclass
class RandomArray:
    """An array of a function; `extents` grow while the function is made, none for a variable behind a pointer.

    Attributes:
        contents: "p" for numbers below 16 in any order, "r" for numbers that rise to 46 and are 0 behind that; "" for
            what goes with the type.
    """

    name: str
    type: str
    extents: list[int]
    is_global: bool
    restrict: bool
    contents: str = ""

    @property
    def elements(self) -> int:
        return int(np.prod(self.extents, dtype=int))

    @property
    def kind(self) -> str:
        """What it is filled with, for the program that calls the function."""
        if self.contents or self.type in FLOATS:
            return self.contents or self.type[0]
        return "i" if self.type in SIGNED else "u"


@dataclass(frozen=True)
class RandomFunction:
    """A function ``void NAME(n, m, alpha, arrays that are no globals ...)``.

    Attributes:
        text: its definition, and those of its globals before it.
        sizes: the C types of n and m.
        alpha: the C type of the scalar.
        region: the name of the function that its loops stand in.
        calls: values of n and m that it is called with; none: those up to `LARGEST`.
    """

    name: str
    text: str
    sizes: tuple[str, str]
    alpha: str
    arrays: tuple[RandomArray, ...]
    region: str
    calls: tuple[tuple[int, int], ...] = ()

    @property
    def declaration(self) -> str:
        """The function and its globals, for other files."""
        pointers = "".join(f", {a.type} *" for a in self.arrays if not a.is_global)
        lines = [f"void {self.name}({self.sizes[0]}, {self.sizes[1]}, {self.alpha}{pointers});"]
        lines += [f"extern {a.type} {a.name}[{a.elements}];" for a in self.arrays if a.is_global]
        return "\n".join(lines)


def random_function(rng: np.random.Generator, name: str) -> RandomFunction:
    """The same function for the same state of the generator."""
    return _Maker(rng, name).function()


@dataclass(frozen=True)
class _Range:
    """C text of an integer with its smallest and largest value; `is_unsigned` where 0 - 1 is a large number."""

    text: str
    low: int
    high: int
    is_unsigned: bool = False


@dataclass
class Maker:
    """Draws what a function is made of."""

    rng: np.random.Generator
    name: str

    def _integer(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def _chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def _one_of(self, options: Sequence[T]) -> T:
        return options[self._integer(0, len(options) - 1)]


@dataclass
class _Maker(Maker):
    arrays: list[RandomArray] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    statements: int = 0
    temporaries: int = 0

    def function(self) -> RandomFunction:
        self.left = self._integer(1, 5)
        self.sizes = (self._one_of(_SIZES), self._one_of(_SIZES))
        self.alpha = self._one_of(FLOATS)
        self.counter = self._one_of(("int", "int", "int", "long", "unsigned"))
        for k in range(self._integer(1, 3)):
            rank = self._one_of((0, 1, 1, 1, 2, 2, 3))
            is_global = rank > 0 and self._chance(0.2)
            array = f"{self.name}_{'ABC'[k]}" if is_global else "ABC"[k]
            self.arrays.append(RandomArray(array, self._one_of(_TYPES), [1] * rank, is_global, self._chance(0.3)))
        while self.left > 0:
            self._loop((), 1)
        return RandomFunction(self.name, self._text(), self.sizes, self.alpha, tuple(self.arrays), self.name)

    def _text(self) -> str:
        lines = [f"{a.type} {a.name}{_brackets(a.extents)};" for a in self.arrays if a.is_global]
        parameters = [f"{self.sizes[0]} n", f"{self.sizes[1]} m", f"{self.alpha} alpha"]
        for array in self.arrays:
            restrict = "restrict " if array.restrict else ""
            if not array.extents:
                parameters.append(f"{array.type} *{restrict}{array.name}")
            elif not array.is_global:
                first, *rest = array.extents
                parameters.append(f"{array.type} {array.name}[{restrict}{first}]{_brackets(rest)}")
        lines += [
            f"void {self.name}({', '.join(parameters)})",
            "{",
            "#pragma scop",
            *self.lines,
            "#pragma endscop",
            "}",
        ]
        return "\n".join(lines) + "\n"

    # --- loops and conditions -----------------------------------------------------------------------------------------

    def _loop(self, around: tuple[_Range, ...], depth: int) -> None:
        iterator = "ijk"[depth - 1]
        lower, upper = self._lower(around), self._upper(around)
        step = self._one_of((1, 1, 1, 1, 2, 3))
        indent = "    " * depth
        if self.counter != "unsigned" and not upper.is_unsigned and self._chance(0.2):
            head = f"{self.counter} {iterator} = {upper.text} - 1; {iterator} >= {lower.text}; {iterator} -= {step}"
        else:
            head = f"{self.counter} {iterator} = {lower.text}; {iterator} < {upper.text}; {iterator} += {step}"
        self.lines.append(f"{indent}for ({head}) {{")
        inside = (*around, _Range(iterator, lower.low, max(upper.high - 1, lower.low)))
        for _ in range(self._one_of((1, 1, 2))):
            if depth < 3 and self._chance(0.65):
                self._loop(inside, depth + 1)
            else:
                self._statements(inside, depth + 1)
        self.lines.append(f"{indent}}}")

    def _lower(self, around: tuple[_Range, ...]) -> _Range:
        if around and self._chance(0.3):
            outer, shift = self._one_of(around), self._integer(0, 2)
            return _Range(f"{outer.text} + {shift}", outer.low + shift, outer.high + shift)
        start = self._one_of((0, 0, 0, 1, 2, 3))
        return _Range(str(start), start, start)

    def _upper(self, around: tuple[_Range, ...]) -> _Range:
        if around and self._chance(0.2):
            outer, shift = self._one_of(around), self._integer(1, 4)
            return _Range(f"{outer.text} + {shift}", outer.low + shift, outer.high + shift)
        if self._chance(0.2):
            end = self._integer(4, 11)
            return _Range(str(end), end, end)
        which = self._integer(0, 1)
        shift = self._one_of((0, 0, 0, 1, 2, -1, -2))
        if self.sizes[which] == "unsigned" or self.counter == "unsigned":
            shift = max(shift, 0)
        text = "nm"[which] + (f" {'+' if shift > 0 else '-'} {abs(shift)}" if shift else "")
        return _Range(text, shift, LARGEST + shift, self.sizes[which] == "unsigned")

    def _statements(self, around: tuple[_Range, ...], depth: int) -> None:
        indent = "    " * depth
        if self._chance(0.25):
            self.lines.append(f"{indent}if ({self._condition(around)}) {{")
            self._statement(around, depth + 1)
            if self._chance(0.4):
                self.lines.append(f"{indent}}} else {{")
                self._statement(around, depth + 1)
            self.lines.append(f"{indent}}}")
        else:
            for _ in range(self._one_of((1, 1, 2))):
                self._statement(around, depth)

    def _condition(self, around: tuple[_Range, ...]) -> str:
        first, second = self._one_of(around).text, self._one_of(around).text
        match self._integer(0, 4):
            case 0:
                return f"{first} % {self._integer(2, 4)} {self._one_of(('==', '!='))} {self._integer(0, 1)}"
            case 1:
                return f"{first} + {second} < {self._integer(3, 20)}"
            case 2:
                return f"{first} > {second} || {second} == {self._integer(0, 6)}"
            case 3:
                return f"!({first} <= {self._integer(0, 9)})"
            case _:
                return f"{first} > 2 && {second} < 10"

    # --- statements ---------------------------------------------------------------------------------------------------

    def _statement(self, around: tuple[_Range, ...], depth: int) -> None:
        self.left -= 1
        target = self._one_of(self.arrays)
        indent = "    " * depth
        place = self._element(target, around)
        value = self._value(target.type, around)
        if self._chance(0.15):
            self.temporaries += 1
            type_ = self._one_of((target.type, "float", "double")) if target.type in FLOATS else target.type
            self.lines.append(f"{indent}{type_} t{self.temporaries} = {value};")
            value = f"t{self.temporaries}"
        if target.type in FLOATS:
            operator = self._one_of(("=", "=", "=", "+=", "-=", "*="))
        elif target.type in UNSIGNED:
            operator = self._one_of(("=", "=", "+=", "*=", "^=", "|=", "&="))
        else:
            operator = self._one_of(("=", "=", "=", "+=", "^=", "|=", "&="))
            value = f"({value}) & 1023" if operator == "+=" else value
        self.lines.append(f"{indent}{place} {operator} {value};")

    def _value(self, type_: str, around: tuple[_Range, ...]) -> str:
        if type_ in FLOATS:
            return self._float(around, self._integer(1, 3))
        if type_ in UNSIGNED and self._chance(0.7):
            return self._unsigned(around, self._integer(1, 3))
        if self._chance(0.2):
            return f"(int)fmin(fmax({self._float(around, 2)}, -99.0), 99.0)"
        return self._signed(around, self._integer(1, 3))

    def _element(self, array: RandomArray, around: tuple[_Range, ...]) -> str:
        if not array.extents:
            return f"(*{array.name})"
        text = array.name
        for dimension in range(len(array.extents)):
            subscript = self._subscript(around, len(array.extents))
            array.extents[dimension] = max(array.extents[dimension], subscript.high + 1)
            text += f"[{subscript.text}]"
        return text

    def _subscript(self, around: tuple[_Range, ...], rank: int) -> _Range:
        """Not negative, and not much larger than the iterators."""
        first, second = self._one_of(around), self._one_of(around)
        constant = self._integer(0, 3)
        match self._integer(0, 9 if rank < 3 else 5):
            case 0 | 1 | 2:
                return first
            case 3 | 4:
                return _Range(f"{first.text} + {constant}", first.low + constant, first.high + constant)
            case 5:
                return _Range(str(constant), constant, constant)
            case 6 if self.counter != "unsigned":
                shift = max(second.high - first.low, 0)
                high = first.high - second.low + shift
                return _Range(f"{first.text} - {second.text} + {shift}", 0, high) if high <= _WIDEST else first
            case 7 if self.counter != "unsigned":
                return _Range(f"{first.high} - {first.text}", 0, first.high - first.low)
            case 8:
                divisor = self._integer(2, 3)
                operator = self._one_of(("/", "%"))
                return _Range(f"{first.text} {operator} {divisor}", 0, max(first.high // divisor, divisor - 1))
            case _:
                if first.high + second.high > _WIDEST:
                    return second
                return _Range(f"{first.text} + {second.text}", 0, first.high + second.high)

    def _load(self, types: tuple[str, ...], around: tuple[_Range, ...]) -> tuple[str, str] | None:
        """An element of an array of one of the types, and its type."""
        fitting = [array for array in self.arrays if array.type in types]
        if not fitting:
            return None
        array = self._one_of(fitting)
        return self._element(array, around), array.type

    # --- expressions --------------------------------------------------------------------------------------------------

    def _float(self, around: tuple[_Range, ...], depth: int) -> str:
        """Of a floating type, so that neither overflow nor division by zero is undefined."""
        if depth == 0:
            loaded = self._load(FLOATS, around)
            if loaded is not None and self._chance(0.7):
                return loaded[0]
            match self._integer(0, 3):
                case 0:
                    return "alpha"
                case 1:
                    return f"({self._one_of(FLOATS)}){self._one_of(around).text}"
                case 2:
                    return f"({self._signed(around, 0)} {self._one_of(('+ 0.5f', '* 0.25'))})"
                case _:
                    return self._one_of(("0.5", "2.0f", "(-0.75)", "0.1", "0.0", "(-0.0f)", "3.0", "1.5f"))
        left, right = self._float(around, depth - 1), self._float(around, depth - 1)
        match self._integer(0, 12):
            case 0 | 1 | 2:
                return f"({left} + {right})"
            case 3 | 4:
                return f"({left} - {right})"
            case 5 | 6 | 7:
                return f"({left} * {right})"
            case 8:
                return f"({left} / {right})"
            case 9:
                function, absolute = self._one_of((("sqrt", "fabs"), ("sqrtf", "fabsf")))
                return f"{function}({absolute}({left}))"
            case 10:
                test = self._one_of(("<", "<=", ">", ">=", "==", "!="))
                return f"({left} {test} {self._float(around, 0)} ? {right} : {self._float(around, 0)})"
            case 11:
                return f"(-{left})"
            case _:
                return f"({self._one_of(FLOATS)})({left})"

    def _unsigned(self, around: tuple[_Range, ...], depth: int) -> str:
        if depth == 0:
            loaded = self._load(UNSIGNED, around)
            if loaded is not None and self._chance(0.7):
                return loaded[0]
            return self._one_of((f"(unsigned)({self._one_of(around).text})", "12345u", "4294967295u", "7u"))
        left, right = self._unsigned(around, depth - 1), self._unsigned(around, depth - 1)
        match self._integer(0, 7):
            case 0 | 1 | 2 | 3:
                return f"({left} {self._one_of(('+', '-', '*'))} {right})"
            case 4:
                return f"({left} >> {self._integer(1, 20)})"
            case 5:
                return f"({left} {self._one_of(('/', '%'))} {self._integer(2, 9)}u)"
            case 6:
                return f"({left} < {right} ? {right} : {self._unsigned(around, 0)})"
            case _:
                return f"({left} {self._one_of(('&', '|', '^', '<<'))} {self._integer(1, 9)}u)"

    def _signed(self, around: tuple[_Range, ...], depth: int) -> str:
        """Of type int, at most 1023 * 5**depth away from 0."""
        if depth == 0:
            loaded = self._load((*NARROW, *SIGNED, *UNSIGNED), around)
            if loaded is None or self._chance(0.3):
                return self._one_of((f"(int){self._one_of(around).text}", str(self._integer(0, 99)), "(-5)"))
            text, type_ = loaded
            return text if type_ in NARROW[:2] else f"(int)({text} & 1023)"
        left, right = self._signed(around, depth - 1), self._signed(around, depth - 1)
        match self._integer(0, 9):
            case 0 | 1 | 2 | 3:
                return f"({left} {self._one_of(('+', '-'))} {right})"
            case 4:
                return f"({left} * {self._integer(-3, 5)})"
            case 5:
                return f"({left} {self._one_of(('/', '%'))} {self._one_of((2, 3, 7, 16, -3))})"
            case 6:
                return f"({left} {self._one_of(('&', '|', '^'))} {right})"
            case 7:
                return f"({left} >> {self._integer(0, 4)})"
            case 8:
                test = self._one_of(("<", "<=", ">", ">=", "==", "!="))
                return f"({left} {test} {right} ? {self._signed(around, 0)} : {self._signed(around, 0)})"
            case _:
                return self._one_of((f"(~{left})", f"(!{left})", f"(-{left})"))


def _brackets(extents: Sequence[int]) -> str:
    return "".join(f"[{extent}]" for extent in extents)
