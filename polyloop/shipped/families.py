"""Problems of many families, for many machines: where one sequence of actions does not fit all.

A family is a kind of loops (products of one layout, convolutions of one kind, kernels in C, ...) and what its sizes are
drawn from. A case is a problem on a machine. Everything follows from a seed, on every machine and in every version of
Python: draws are digests, as the held-out products of `polyloop.shipped.workloads` are. A case's `options` are those of
`reset` of Cursor-v1.

A split says which cases are for training and which nobody may learn from: "family" holds whole families out, "machine"
a machine; "family-1" and "machine-zen5" name others than the first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from itertools import permutations
from math import prod
from types import MappingProxyType
from typing import Any, TypeVar

from polyloop.errors import PolyloopError

MACHINES = ("zen5", "zen3", "neoverse-n1", "sse", "cascade-lake", "emerald-rapids")
"""Descriptions that ship; those of one core with fewer instructions are left out."""

CASES = 4
"""Problems of a family in a split, unless another number is asked for."""

_LONG = (48, 64, 80, 96, 100, 112, 128, 144, 160, 192, 200, 224, 256, 320)
_SHORT = (2, 3, 4, 6, 8, 12, 16)
_MIDDLE = (16, 20, 24, 32, 40, 48, 64)
_IMAGE = (7, 8, 13, 14, 16, 28, 32, 56)
_WINDOW = (1, 3, 5)
_CHANNELS = (8, 16, 24, 32, 48, 64, 96, 128)
_ANY = tuple(sorted({round(2 ** (k / 12)) for k in range(12, 109)}))
"""From 2 to 512, as many between two powers of two as between the next: most are multiples of nothing."""

_MOST_POINTS = 1 << 27

T = TypeVar("T")


class UnknownFamilyError(PolyloopError):
    """No family or split has this name; the message says which there are."""


@dataclass(frozen=True)
class Family:
    """Tensor programs of one form, or kernels in C.

    Attributes:
        expressions: the program, in the language of `polyloop.tensor`; one is drawn.
        orders: the order of the original loops, one of which is drawn with the expression; sizes are drawn for each.
        sizes: what the size of a dimension is drawn from.
        kernels: names and datasets of kernels in C, instead of expressions.
    """

    name: str
    expressions: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    sizes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    kernels: tuple[tuple[str, str], ...] = ()

    def problem(self, number: int, seed: int) -> Problem:
        """The problem of a number."""
        name = f"{self.name}/{seed}-{number}"
        if self.kernels:
            kernel, dataset = self.kernels[number % len(self.kernels)]
            return Problem(f"{self.name}/{kernel}", self.name, {"kernel": kernel, "sizes": dataset})
        which = _drawn(f"{name} form", len(self.expressions) * len(self.orders))
        expression = self.expressions[which % len(self.expressions)]
        order = self.orders[which // len(self.expressions)].split()
        has = set(re.findall(r"\w+", expression))
        sizes = {d: self.sizes[d][_drawn(f"{name} {d}", len(self.sizes[d]))] for d in order if d in has}
        return Problem(name, self.name, {"workload": {"expression": expression, "sizes": sizes}})


@dataclass(frozen=True)
class Problem:
    """Loops at sizes.

    Attributes:
        options: of `reset`, which name them.
    """

    name: str
    family: str
    options: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True)
class Case:
    """A problem on a machine."""

    problem: Problem
    machine: str

    @property
    def name(self) -> str:
        return f"{self.problem.name}@{self.machine}"

    @property
    def options(self) -> dict[str, Any]:
        """Of `reset`."""
        return {**self.problem.options, "machine": self.machine}


@dataclass(frozen=True)
class FamilySplit:
    """What may be learnt from, and what is held out."""

    name: str
    train: tuple[Case, ...]
    test: tuple[Case, ...]


def _family(
    name: str, expression: str | tuple[str, ...], orders: str | tuple[str, ...], **sizes: Sequence[int]
) -> Family:
    expressions = (expression,) if isinstance(expression, str) else expression
    return Family(name, expressions, (orders,) if isinstance(orders, str) else orders, sizes)


_PRODUCT = ("m n k", "m k n", "k m n")
_PRODUCTS = dict.fromkeys("mkn", _LONG)
_CONVOLUTION = {"y": _IMAGE, "x": _IMAGE, "i": _WINDOW, "j": _WINDOW, "c": _CHANNELS, "o": _CHANNELS}

_ALL = (
    _family("products-nn", "C[m, n] += A[m, k] * B[k, n]", _PRODUCT, **_PRODUCTS),
    _family("products-nt", "C[m, n] += A[m, k] * B[n, k]", _PRODUCT, **_PRODUCTS),
    _family("products-tn", "C[m, n] += A[k, m] * B[k, n]", _PRODUCT, **_PRODUCTS),
    _family("products-tt", "C[m, n] += A[k, m] * B[n, k]", _PRODUCT, **_PRODUCTS),
    _family(
        "batched",
        ("C[b, m, n] += A[b, m, k] * B[b, k, n]", "C[m, b, n] += A[m, b, k] * B[b, n, k]"),
        ("b m n k", "m b k n"),
        **{"b": _SHORT, **dict.fromkeys("mnk", _MIDDLE)},
    ),
    _family(
        "three-operands",
        ("C[i, r] += X[i, j, k] * A[j, r] * B[k, r]", "C[i, r] += X[j, k, i] * A[r, j] * B[k, r]"),
        ("i r j k", "i j k r"),
        **dict.fromkeys("irjk", _MIDDLE),
    ),
    _family(
        "four-operands",
        "T[i, r] += X[i, j, k, l] * A[j, r] * B[k, r] * D[l, r]",
        ("i r j k l", "i j k l r"),
        **dict.fromkeys("ir", _MIDDLE),
        **dict.fromkeys("jkl", _SHORT),
    ),
    _family(
        "transposing",
        ("C[a, b, c] += A[a, d, b] * B[d, c]", "C[c, a, b] += A[d, a, b] * B[c, d]"),
        ("a b c d", "a d b c"),
        **{"a": _SHORT, **dict.fromkeys("bcd", _MIDDLE)},
    ),
    _family(
        "conv-nhwc", "O[y, x, o] += I[y + i, x + j, c] * W[i, j, c, o]", ("y x o i j c", "y x i j c o"), **_CONVOLUTION
    ),
    _family(
        "conv-nchw", "O[o, y, x] += I[c, y + i, x + j] * W[o, c, i, j]", ("o y x c i j", "o c i j y x"), **_CONVOLUTION
    ),
    _family("conv-strided", "O[y, x, o] += I[2*y + i, 2*x + j, c] * W[i, j, c, o]", "y x o i j c", **_CONVOLUTION),
    _family("conv-dilated", "O[y, x, o] += I[y + 2*i, x + 2*j, c] * W[i, j, c, o]", "y x i j o c", **_CONVOLUTION),
    _family(
        "depthwise",
        ("O[y, x, c] += I[y + i, x + j, c] * W[i, j, c]", "O[c, y, x] += I[c, y + i, x + j] * W[c, i, j]"),
        ("y x c i j", "c y x i j"),
        **(_CONVOLUTION | dict.fromkeys("ij", _WINDOW[1:])),
    ),
    _family(
        "grouped",
        "O[g, y, x, o] += I[g, y + i, x + j, c] * W[g, i, j, c, o]",
        ("g y x o i j c", "y x g i j c o"),
        **(_CONVOLUTION | {"g": _SHORT, "c": _SHORT, "o": _CHANNELS}),
    ),
    _family(
        "reductions",
        ("R[m] += A[m, n] * X[n]", "R[n] += A[m, n] * X[m]", "S[n] max= A[m, n]", "P[y, c] += I[y, i, c]"),
        "m n y i c",
        m=_LONG,
        n=_LONG,
        y=_IMAGE,
        i=_MIDDLE,
        c=_CHANNELS,
    ),
    _family(
        "chains",
        (
            "R[m, n] = relu(A[m, n] + B[n, m])\nS[m, n] = R[m, n] * D[m, n]",
            "H[m, n] = relu(sum(k) (A[m, k] * B[k, n]) + b[n])\nG[m, n] = H[m, n] * D[m, n]",
            "T[m, n] = A[n, m] * D[m, n]\nR[m] = sum(n) T[m, n]",
        ),
        ("m n k", "n m k"),
        **_PRODUCTS,
    ),
    Family(
        "kernels",
        kernels=tuple(
            (name, "SMALL") for name in ("gemm", "syrk", "doitgen", "mvt", "atax", "gesummv", "syr2k", "2mm")
        ),
    ),
)
FAMILIES: Mapping[str, Family] = MappingProxyType({family.name: family for family in _ALL})

_FOLDS = (
    ("products-tt", "conv-nchw", "three-operands", "chains"),
    ("products-nt", "conv-strided", "transposing", "kernels"),
    ("products-tn", "conv-dilated", "batched", "reductions"),
    ("products-nn", "conv-nhwc", "four-operands", "depthwise", "grouped"),
)
"""Families that are held out together: each family once."""


def family(name: str) -> Family:
    """Look a family up.

    Raises:
        UnknownFamilyError: if there is none of that name.
    """
    if name not in FAMILIES:
        raise UnknownFamilyError(f"no family of problems is called {name!r}; there are {', '.join(FAMILIES)}")
    return FAMILIES[name]


def problems(names: Sequence[str], each: int, seed: int = 0) -> tuple[Problem, ...]:
    """Some problems of each family, all different."""
    found = (family(name).problem(number, seed) for name in names for number in range(each))
    return tuple({problem.name: problem for problem in found}.values())


def drawn_problems(count: int, seed: int = 0) -> tuple[Problem, ...]:
    """Programs with layouts and orders of loops of every kind, none of which is a family's: to learn from what the
    families have in common, with none of them given away. Contractions of two operands, of which a third are
    convolutions, of three and four, reductions and element-wise ones, and chains of statements."""
    known = {_form(text) for family in FAMILIES.values() for text in family.expressions}
    made = (_program(f"drawn/{seed}-{number}") for number in range(count))
    return tuple(problem for problem, text in made if _form(text) not in known)


def _program(name: str) -> tuple[Problem, str]:
    draw = _Draws(name)
    text, sizes = draw.of((*[_contraction] * 3, *[_convolution] * 2, _of_several, *[_chain] * 2))(draw)
    while prod(sizes.values()) > _MOST_POINTS:
        largest = max(sizes, key=lambda d: (sizes[d], d))
        sizes[largest] = draw.of(_MIDDLE if sizes[largest] > max(_MIDDLE) else _SHORT)
    ordered = {d: sizes[d] for d in draw.shuffled(list(sizes))}
    return Problem(name, "drawn", {"workload": {"expression": text, "sizes": ordered}}), text


def _contraction(draw: _Draws) -> tuple[str, dict[str, int]]:
    """Free loops of the left operand, of the right one, of both, and summed ones, in any order and layout; where there
    are several sums, a window moves over a free dimension."""
    left, right = draw.named("m", (1, 1, 2)), draw.named("n", (0, 1, 1, 1, 1, 2))
    both, summed = draw.named("b", (0, 0, 0, 1)), draw.named("k", (1, 1, 2, 3))
    windows = {over: free for over, free in zip(summed[1:], left, strict=False) if draw.of((True, False))}
    return _of_two(draw, left, right, both, summed, windows)


def _convolution(draw: _Draws) -> tuple[str, dict[str, int]]:
    """Windows that move over one or two dimensions; with channels, groups, both or neither."""
    left = draw.named("y", (1, 2, 2, 2))
    right, both, channels = draw.named("o", (0, 1, 1, 1)), draw.named("g", (0, 0, 1)), draw.named("c", (0, 1, 1, 1))
    windows = dict(zip(draw.named("i", (len(left),)), left, strict=True))
    return _of_two(draw, left, right, both, [*channels, *windows], windows)


def _of_two(
    draw: _Draws, left: list[str], right: list[str], both: list[str], summed: list[str], windows: Mapping[str, str]
) -> tuple[str, dict[str, int]]:
    """A contraction of two operands.

    Args:
        windows: summed dimensions that are added to free ones of the left operand.
    """
    kinds: dict[str, tuple[Sequence[int], ...]] = dict.fromkeys([*left, *right, *summed], (_LONG, _LONG, _MIDDLE, _ANY))
    kinds |= dict.fromkeys(both, (_SHORT, _CHANNELS, _ANY))
    kinds |= dict.fromkeys(windows, (_WINDOW, _WINDOW, range(2, 8)))
    kinds |= dict.fromkeys(windows.values(), (_IMAGE, _IMAGE, _LONG, _ANY))
    if windows:
        kinds |= dict.fromkeys([*right, *(d for d in summed if d not in windows)], (_CHANNELS, _LONG, _ANY))
    sizes = {dimension: draw.of(draw.of(of)) for dimension, of in kinds.items()}
    step = draw.of((1, 1, 1, 2))
    moved = {free: f"{step}*{free} + {draw.of(('', '', '2*'))}{over}" for over, free in windows.items()}
    first = [moved.get(d, d) for d in draw.shuffled([*both, *left, *(d for d in summed if d not in windows)])]
    second, result = draw.shuffled([*both, *right, *summed]), draw.shuffled([*both, *left, *right])
    operands = draw.shuffled([f"A[{', '.join(first)}]", f"B[{', '.join(second)}]"])
    return f"C[{', '.join(result)}] += {' * '.join(operands)}".replace("1*", ""), sizes


def _of_several(draw: _Draws) -> tuple[str, dict[str, int]]:
    """One, three or four operands, each with some of all dimensions, the first with most of them."""
    free, summed = draw.named("m", (1, 2, 2, 3)), draw.named("k", (0, 1, 1, 2))
    every, count = [*free, *summed], draw.of((1, 2, 3, 3, 4))
    held = [[d for d in every if draw.of((True, True, not number, False))] for number in range(count)]
    held[0] += [d for d in every if not any(d in own for own in held)]
    names = [f"{name}[{', '.join(draw.shuffled(own))}]" for name, own in zip("ABDE", held, strict=False) if own]
    sizes = {d: draw.of(draw.of((_MIDDLE, _SHORT, _ANY) if count > 2 else (_LONG, _MIDDLE, _ANY))) for d in every}
    combined = (" * " if summed else draw.of((" * ", " + "))).join(names)
    sign = "+=" if summed else "="
    return f"C[{', '.join(draw.shuffled(free))}] {sign} {combined}", sizes


def _chain(draw: _Draws) -> tuple[str, dict[str, int]]:
    """Two or three statements, each of which reads what the one before has written: an element-wise one or a product
    first, element-wise ones and perhaps a sum behind it."""
    free, summed = draw.named("m", (2, 2, 2, 3)), draw.named("k", (0, 1))
    sizes = {d: draw.of(draw.of((_LONG, _MIDDLE, _ANY) if len(free) < 3 else (_MIDDLE, _SHORT))) for d in free}
    sizes |= {d: draw.of(draw.of((_LONG, _MIDDLE, _ANY))) for d in summed}
    some = draw.of(range(1, len(free)))
    first = [*summed, *(free[:some] if summed else free)], [*summed, *(free[some:] if summed else free)]
    operands = [f"{name}[{', '.join(draw.shuffled(own))}]" for name, own in zip("AB", first, strict=True)]
    value = f"sum(k0) ({' * '.join(operands)})" if summed else draw.of((" * ", " + ")).join(operands)
    value += draw.of(("", f" + E[{draw.of(free)}]"))
    lines, count = list[str](), draw.of((2, 2, 3))
    for number in range(count):
        result = f"R{number}[{', '.join(draw.shuffled(free))}]"
        lines.append(f"{result} = {draw.of(('{}', 'relu({})', 'abs({})')).format(value)}")
        value = draw.of((" * ", " + ")).join([result, f"D{number}[{', '.join(draw.shuffled(free))}]"])
        if number == count - 2 and (over := draw.of((None, *free))) is not None:
            free = [d for d in free if d != over]
            value = f"sum({over}) {draw.of((result, f'({value})'))}"
    return "\n".join(lines), sizes


def _form(expression: str) -> str:
    """An expression whatever its arrays and dimensions are called, and in whatever order its operands stand."""
    return "\n".join(_form_of_line(line) for line in expression.splitlines())


def _form_of_line(expression: str) -> str:

    def renamed(text: str) -> str:
        names: dict[str, str] = {}
        return re.sub(r"[A-Za-z]\w*", lambda met: names.setdefault(met[0], f"d{len(names)}"), text)

    result, equals, right = expression.partition("= ")
    return min(renamed(result + equals + " * ".join(order)) for order in permutations(right.split(" * ")))


class _Draws:
    """One draw after another, all by the digest of a name."""

    def __init__(self, name: str) -> None:
        self._name, self._drawn = name, 0

    def of(self, values: Sequence[T]) -> T:
        self._drawn += 1
        return values[_drawn(f"{self._name} {self._drawn}", len(values))]

    def named(self, letter: str, counts: Sequence[int]) -> list[str]:
        """Names of as many dimensions as one of the counts."""
        return [f"{letter}{k}" for k in range(self.of(counts))]

    def shuffled(self, values: Sequence[T]) -> list[T]:
        left = list(values)
        return [left.pop(self.of(range(len(left)))) for _ in values]


def split_names() -> tuple[str, ...]:
    """The names that `split` knows."""
    folds = tuple(f"family-{k}" for k in range(len(_FOLDS)))
    return "family", *folds, "machine", *(f"machine-{name}" for name in MACHINES)


@cache
def split(name: str, seed: int = 0, each: int = CASES) -> FamilySplit:
    """A split by its name.

    Args:
        each: problems of a family; each is a case on every machine.
    Raises:
        UnknownFamilyError: if there is none of that name.
    """
    if name not in split_names():
        raise UnknownFamilyError(f"no split is called {name!r}; there are {', '.join(split_names())}")
    kind, _, which = name.partition("-")
    held_families = _FOLDS[int(which or 0)] if kind == "family" else ()
    held_machine = (which or "zen3") if kind == "machine" else None
    every = [Case(p, machine) for p in problems(tuple(FAMILIES), each, seed) for machine in MACHINES]
    test = tuple(c for c in every if c.problem.family in held_families or c.machine == held_machine)
    held = {case.name for case in test}
    return FamilySplit(name, tuple(c for c in every if c.name not in held), test)


def held_out_cases(name: str, seed: int = 0, limit: int | None = None) -> tuple[Case, ...]:
    """What a split holds out; with a limit those that come first by hash, so that they are of all families and
    machines."""
    cases = split(name, seed).test
    ordered = sorted(cases, key=lambda case: sha256(f"{seed}:{case.name}".encode()).hexdigest())
    return cases if limit is None else tuple(ordered[:limit])


def _drawn(text: str, count: int) -> int:
    """A number below `count`, by the digest of a text."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") % count
