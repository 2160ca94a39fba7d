"""C spelling of types, numbers, affine expressions and conditions.

Integers that count or address are `long` (I64 on every target that the JIT serves); names that the text needs from the
helper block are collected as it is built, so that a file gets only the helpers that it uses.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence

from polyloop.backend.ir.affine import (
    Affine,
    And,
    Atom,
    Choose,
    Compare,
    Condition,
    FloorDiv,
    Indirect,
    Max,
    Min,
    Not,
    Or,
    linear,
)
from polyloop.backend.ir.expressions import ScalarType
from polyloop.backend.ir.vector_program import ValueType

BEFORE_C99 = "__polyloop_before_c99__"
"""The macro that says that a text is for compilers of C as it was before 1999: they have none of their own."""

SCALAR_NAMES = {
    "f32": "float",
    "f64": "double",
    "i8": "signed char",
    "i16": "short",
    "i32": "int",
    "i64": "long",
    "u8": "unsigned char",
    "u16": "unsigned short",
    "u32": "unsigned",
    "u64": "unsigned long",
}

_KEYWORD_LIST = """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile
    while _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local
"""
KEYWORDS = frozenset(_KEYWORD_LIST.split())
"""Of C17 (6.4.1)."""

# Words that no local of generated code may be called: keywords, macros that compilers predefine in GNU mode or that
# common headers define, and functions that generated code itself calls.
_RESERVED_WORDS = """
    asm typeof alignas alignof bool complex imaginary constexpr false true nullptr static_assert
    thread_local noreturn NULL I linux unix i386 errno assert stdin stdout stderr EOF malloc free main min max
    near far abs
"""
RESERVED = KEYWORDS | frozenset(_RESERVED_WORDS.split())

_CPP_KEYWORD_LIST = """
    and bitand bitor catch class compl concept const_cast decltype delete dynamic_cast explicit export friend mutable
    namespace new not operator or private protected public reinterpret_cast requires static_cast template this throw
    try typeid typename using virtual wchar_t xor
"""
CPP_KEYWORDS = frozenset(_CPP_KEYWORD_LIST.split())
"""That are not C's: headers are for both."""

_INTEGER_SUFFIXES = {"i64": "L", "u64": "UL", "u32": "U"}


def c_identifier(text: str) -> str:
    """A name for a C function that looks like the text: nothing but letters, digits and _, no word of C's or C++'s."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    if not re.match(r"[A-Za-z]", name):
        name = f"f{name}"
    return f"{name}_" if name in RESERVED | CPP_KEYWORDS else name


def scalar_name(type_: ScalarType) -> str:
    """The C type of one element: `double`, `unsigned long`, ..."""
    return SCALAR_NAMES[str(type_)]


def vector_name(type_: ValueType) -> str:
    """The C name of a scalar or vector type: `double`, `polyloop_f64x8`."""
    return scalar_name(type_.element) if type_.lanes == 1 else f"polyloop_{type_}"


def shuffle(vectors: str, lanes: Sequence[int], count: int) -> str:
    """A vector of lanes of two vectors of so many, which are counted through both: a call of the helper "shuffle", or
    of "reshuffle" for another number of lanes."""
    name = "shuffle" if len(lanes) == count else "reshuffle"
    return f"polyloop_{name}({vectors}, {', '.join(map(str, lanes))})"


def literal(value: int | float, type_: ScalarType) -> str:
    """A C constant of exactly this value and type.

    Python's `repr` is the shortest decimal that rounds to the same double, and C compilers round correctly, so decimal
    is exact. For float the value is already a float: the decimal lies closer to it than half a double's last place, so
    it rounds to it directly, too.
    """
    if type_.is_float:
        return _float_literal(float(value), "f" if type_.bits == 32 else "")
    value = int(value)
    suffix = _INTEGER_SUFFIXES.get(str(type_), "")
    if type_.bits < 32:
        return f"({scalar_name(type_)}){value}" if value >= 0 else f"({scalar_name(type_)})({value})"
    if value < 0 and value == -(1 << (type_.bits - 1)):
        return f"({value + 1}{suffix} - 1)"
    return f"{value}{suffix}" if value >= 0 else f"({value}{suffix})"


def _float_literal(value: float, suffix: str) -> str:
    if math.isnan(value):
        nan = f'__builtin_nan{suffix}("")'
        return nan if math.copysign(1, value) > 0 else f"(-{nan})"
    if math.isinf(value):
        return f"__builtin_inf{suffix}()" if value > 0 else f"(-__builtin_inf{suffix}())"
    text = repr(value) + suffix
    return f"({text})" if text.startswith("-") else text


def integer(value: int) -> str:
    """A constant in `long` arithmetic; small ones stay plain."""
    if -(2**31) < value < 2**31:
        return str(value)
    return f"({value + 1}L - 1)" if value == -(2**63) else f"{value}L"


class AffinePrinter:
    """Prints affine expressions and conditions.

    Args:
        name: C text of a variable, atomic (an identifier or something in parentheses).
        helper: told "floord", "min" or "max" when the text calls `polyloop_<that>`.
    """

    def __init__(self, name: Callable[[str], str], helper: Callable[[str], None]) -> None:
        self._name = name
        self._helper = helper

    def affine(self, value: Affine) -> str:
        """A sum without parentheses around it; positive terms first."""
        terms = sorted(value.terms, key=lambda term: term[1] < 0)
        parts: list[str] = []
        for atom, coefficient in terms:
            text = self._atom(atom)
            if abs(coefficient) != 1:
                text = f"{integer(abs(coefficient))} * {text}"
            if coefficient < 0:
                parts.append(f" - {text}" if parts else f"-{text}")
            else:
                parts.append(f" + {text}" if parts else text)
        if not parts:
            return integer(value.constant)
        if value.constant:
            parts.append(f" {'+' if value.constant > 0 else '-'} {integer(abs(value.constant))}")
        return "".join(parts)

    def operand(self, value: Affine) -> str:
        """As `affine`, in parentheses where it stands for more than one term."""
        text = self.affine(value)
        return text if is_atomic(text) else f"({text})"

    def condition(self, condition: Condition) -> str:
        """A truth value, to be used as an operand of && or after `if (`."""
        match condition:
            case Compare():
                return self._compare(condition)
            case And(operands):
                return self._join(" && ", operands, "1")
            case Or(operands):
                return self._join(" || ", operands, "0")
            case Not(operand):
                return f"!({self.condition(operand)})"

    def _join(self, operator: str, operands: tuple[Condition, ...], empty: str) -> str:
        if len(operands) == 1:
            return self.condition(operands[0])
        return operator.join(self._nested(o) for o in operands) if operands else empty

    def _nested(self, condition: Condition) -> str:
        text = self.condition(condition)
        grouped = isinstance(condition, And | Or) and len(condition.operands) > 1
        return f"({text})" if grouped else text

    def _compare(self, compare: Compare) -> str:
        """Positive terms on the left, negative ones on the right; a strict comparison where it saves the constant."""
        value = compare.left
        left = linear(((a, c) for a, c in value.terms if c > 0), 0)
        right = linear(((a, -c) for a, c in value.terms if c < 0), 0)
        constant = value.constant
        if compare.operator == "==":
            return f"{self.affine(left)} == {self.affine(right - constant)}"
        if not left.terms:
            return f"{self.affine(right)} <= {integer(constant)}"
        if right.terms and constant == -1:
            return f"{self.affine(right)} < {self.affine(left)}"
        return f"{self.affine(left)} >= {self.affine(right - constant)}"

    def _atom(self, atom: Atom) -> str:
        match atom:
            case str():
                return self._name(atom)
            case FloorDiv(dividend, divisor) if divisor & (divisor - 1) == 0:
                # Rounds down, as gcc and clang shift numbers below 0; clang 22 makes wrong loops of the other form.
                return f"({self.operand(dividend)} >> {divisor.bit_length() - 1})"
            case FloorDiv(dividend, divisor):
                self._helper("floord")
                return f"polyloop_floord({self.affine(dividend)}, {integer(divisor)})"
            case Min(operands):
                return self._extremum("min", [self.affine(o) for o in operands])
            case Max(operands):
                return self._extremum("max", [self.affine(o) for o in operands])
            case Choose(condition, then, otherwise):
                return f"({self._chosen(condition)} ? {self.affine(then)} : {self.affine(otherwise)})"
            case Indirect():
                raise TypeError(f"{atom} is bound to a name before it is printed")

    def _chosen(self, condition: Condition) -> str:
        """A condition in front of ``?``; that a flag is not 0 is the flag."""
        match condition:
            case Not(Compare(Affine(((str(flag), 1),), 0), "==")):
                return self._name(flag)
            case _:
                return self.condition(condition)

    def _extremum(self, which: str, operands: list[str]) -> str:
        self._helper(which)
        text = operands[-1]
        for operand in reversed(operands[:-1]):
            text = f"polyloop_{which}({operand}, {text})"
        return text


def is_atomic(text: str) -> bool:
    """Whether the text binds tighter than any binary operator: a name, a number, a postfix term, or a cast of those."""
    if re.fullmatch(r"[\w.]+", text):
        return True
    cast = re.match(r"\((?:unsigned |signed )?[a-z]\w*\)(?=[\w(])", text)
    if cast:
        return is_atomic(text[cast.end() :])
    match = re.match(r"\w*", text)
    position = match.end() if match else 0
    while position < len(text):
        if member := re.compile(r"\.\w+").match(text, position):
            position = member.end()
        elif text[position] in "([{":
            position = closing(text, position) + 1
        else:
            return False
    return True


def bare(text: str) -> str:
    """Without brackets around the whole, which an assignment does not need."""
    return text[1:-1] if text.startswith("(") and is_atomic(text) and text.endswith(")") and _whole(text) else text


def _whole(text: str) -> bool:
    depth = 0
    for position, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return position == len(text) - 1
    return False


def is_operand(text: str) -> bool:
    """Whether the text needs no brackets beside a binary operator: atomic, or what a pointer to a vector points to."""
    access = re.match(r"\*\((?:const )?polyloop_\w+ \*\)&", text)
    return is_atomic(text[access.end() :] if access else text)


def closing(text: str, start: int) -> int:
    """The position of the bracket that closes the one at `start`."""
    depth = 0
    for position in range(start, len(text)):
        if text[position] in "([{":
            depth += 1
        elif text[position] in ")]}":
            depth -= 1
            if depth == 0:
                return position
    raise ValueError(f"unbalanced brackets in {text!r}")


class Names:
    """One C identifier for each thing of a program: kept where it is legal and free, else made so."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(RESERVED) | set(reserved)
        self._names: dict[tuple[str, str], str] = {}

    def __call__(self, kind: str, name: str) -> str:
        """The identifier of `name`, which may be used once in each kind ("array", "variable", "value")."""
        known = self._names.get((kind, name))
        if known is not None:
            return known
        base = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or kind
        if not re.match(r"[A-Za-z]", base) or base.startswith("polyloop_"):
            base = f"{kind[0]}{base}"
        chosen, count = base, 0
        while chosen in self._taken:
            count += 1
            chosen = f"{base}_{count}"
        self._taken.add(chosen)
        self._names[kind, name] = chosen
        return chosen


# Attributes of generated text, which have a second spelling that is no macro, and names of C's library.
_ATTRIBUTE_LIST = "aligned always_inline constructor destructor may_alias noinline noipa optimize unused vector_size"
_ATTRIBUTES = frozenset(_ATTRIBUTE_LIST.split())
_LIBRARY_LIST = "defined free malloc omp_get_max_threads omp_get_thread_num size_t uintptr_t NULL"
_LIBRARY = frozenset(_LIBRARY_LIST.split())
_SKIPPED = r"/\*.*?\*/|\"[^\"]*\"|#\s*(?:include|pragma)[^\n]*|#\s*\w+"


def beside_macros(text: str, macros: Collection[str], functions: Collection[str] = ()) -> str:
    """Generated text that means the same below the definitions of these macros: its own names are others than theirs.

    Keywords and names of the library stay: who defines them as macros wants them replaced. Of the library's `functions`
    the text means those that compilers know: what the file's macros make of a call has been read.
    """
    taken = {*macros, *re.findall(r"\w+", text)}
    fresh: dict[str, str] = {}

    def replacement(match: re.Match[str]) -> str:
        word = match.group("word")
        if word is None or word not in macros or word in KEYWORDS | _LIBRARY:
            return match.group()
        if word in _ATTRIBUTES:
            return f"__{word}__"
        if word in functions and text.startswith("(", match.end()):
            return f"__builtin_{word}"
        if word not in fresh:
            fresh[word] = next(name for count in itertools.count(1) if (name := f"{word}_{count}") not in taken)
        return fresh[word]

    return re.sub(rf"{_SKIPPED}|(?P<word>\b[A-Za-z]\w*)", replacement, text, flags=re.DOTALL)


def of_functions(text: str, macros: Collection[str]) -> str:
    """C text, macros written out, in which a call is one of the function, whatever the macro of its name takes:
    ``(f)(x)``."""

    def replacement(match: re.Match[str]) -> str:
        word = match.group("word")
        return match.group() if word not in macros else f"({word})"

    return re.sub(r"\"(?:[^\"\\]|\\.)*\"|(?P<word>\b[A-Za-z_]\w*)(?=\s*\()", replacement, text)


WIDTH = 118
"""Of printed lines, as far as they can be broken."""


def wrap(line: str, limit: int = WIDTH) -> list[str]:
    """Break a long line behind commas and before binary operators; indented by four more from the second line on."""
    if len(line) <= limit:
        return [line]
    indent = len(line) - len(line.lstrip())
    result: list[str] = []
    while len(line) > limit:
        cut = _break_position(line, indent + 8, limit)
        if cut is None:
            break
        result.append(line[:cut].rstrip())
        line = " " * (indent + 4) + line[cut:].lstrip()
    return [*result, line]


def _break_position(line: str, start: int, limit: int) -> int | None:
    for pattern in (r"(?= (?:&&|\|\|) )", r"(?<=, )", r"(?= [-+*/?:|&^] )"):
        positions = [m.start() for m in re.finditer(pattern, line) if start < m.start() < limit]
        if positions:
            return positions[-1]
    return None
