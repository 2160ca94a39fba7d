"""Random programs to learn from, seeded: contractions, convolutions, windows, chains of element-wise statements,
reductions, and C functions of several statements. Each is a text that reads back.

    float32 m=64 k=96 n=80: C[m, n] += A[m, k] * B[k, n]
    c n=120 m=64: void f(double A[120][64]) { ... }
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from polyloop.cursor.base import Problem
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.errors import PolyloopError
from polyloop.scop.model import Scop
from polyloop.tensors import tensor

LEAST_POINTS, MOST_POINTS = 1 << 13, 1 << 22
"""Executions of the statements of a program: some microseconds to some milliseconds."""

_EXTENTS = (*range(2, 17), 20, 24, 28, 31, 32, 33, 40, 48, 56, 63, 64, 65, 80, 96, 100, 112, 127, 128, 129)
_LARGE = (*_EXTENTS, 160, 192, 200, 224, 240, 256, 320, 384, 500, 512, 768, 1000, 1024, 2048)
_C_TEXT = re.compile(r"c((?: \w+=\d+)*): (.*)", re.DOTALL)
_TENSOR_TEXT = re.compile(r"(float32|float64)((?: \w+=\d+)*): (.*)", re.DOTALL)


class ProgramTextError(PolyloopError):
    """A text that is no program of this module's form."""


@dataclass(frozen=True)
class Generated:
    """A random program: its kind, and the text that `read_program` reads."""

    family: str
    text: str


def random_program(rng: np.random.Generator, families: Sequence[str] = ()) -> Generated:
    """The same program for the same state of the generator.

    Args:
        families: those that it may be of, each as likely as it is beside the others; none: all.
    """
    names = tuple(name for name in FAMILIES if name in (families or FAMILIES))
    shares = np.array([FAMILIES[name][0] for name in names])
    family = str(rng.choice(names, p=shares / shares.sum()))
    return Generated(family, FAMILIES[family][1](rng))


@lru_cache(maxsize=64)
def read_program(text: str) -> tuple[Scop, tuple[tuple[str, int], ...]]:
    """The Scop of a program's text, and the sizes of its parameters.

    Raises:
        ProgramTextError: for a text of another form.
        PolyloopError: for a program that cannot be read.
    """
    if found := _TENSOR_TEXT.fullmatch(text):
        return tensor(found[3], _sizes(found[2]), dtype=found[1], name="generated"), ()
    if found := _C_TEXT.fullmatch(text):
        from polyloop.frontend import read_c  # of few programs

        scops = read_c("generated.c", text=found[2])
        return scops[0], tuple(_sizes(found[1]).items())
    raise ProgramTextError(f"this is no program: {text[:60]!r}; programs begin with float32, float64 or c, and sizes")


def problem_of(text: str) -> Problem:
    """What a cursor needs to know of a program: a contraction where it is one, else schedule trees.

    Raises:
        PolyloopError: as for `read_program`.
    """
    scop, sizes = read_program(text)
    return Contraction.of(scop) or TreeProblem(scop, sizes, reassociate=True)


def _sizes(text: str) -> dict[str, int]:
    return {name: int(value) for name, _, value in (word.partition("=") for word in text.split())}


# --- families ---------------------------------------------------------------------------------------------------------


def _text(rng: np.random.Generator, sizes: Mapping[str, int], expression: str) -> str:
    names = [str(name) for name in rng.permutation(list(sizes))]
    dtype = "float32" if rng.random() < 0.6 else "float64"
    return f"{dtype}{''.join(f' {name}={sizes[name]}' for name in names)}: {expression}"


def _drawn(rng: np.random.Generator, names: Sequence[str], among: Sequence[int] = _EXTENTS) -> dict[str, int]:
    """Extents whose product is in range."""
    target = 2 ** rng.uniform(np.log2(LEAST_POINTS) + 1, np.log2(MOST_POINTS) - 1)
    sizes = {name: int(rng.choice(among)) for name in names}
    for _ in range(64):
        points = prod(sizes.values())
        if LEAST_POINTS <= points <= MOST_POINTS and 0.25 < points / target < 4:
            break
        name = str(rng.choice(list(names)))
        wanted = [e for e in among if (e < sizes[name]) == (points > target)]
        sizes[name] = int(rng.choice(wanted or among))
    return sizes


def _subscripts(letters: Sequence[str]) -> str:
    return f"[{', '.join(letters)}]"


def _shuffled(rng: np.random.Generator, letters: Sequence[str]) -> list[str]:
    return [str(letter) for letter in rng.permutation(list(letters))]


def _contraction(rng: np.random.Generator) -> str:
    """Two to four operands over free and summed letters, in any layout; each letter is in one operand at least."""
    free, summed = int(rng.integers(1, 4)), int(rng.integers(0, 3))
    if free + summed < 2:
        summed += 1
    letters = list("mnpq"[:free]) + list("kst"[:summed])
    count = int(rng.choice((2, 2, 2, 3, 3, 4)))
    held: list[list[str]] = [[] for _ in range(count)]
    for letter in letters:
        chosen = [k for k in range(count) if rng.random() < 0.55] or [int(rng.integers(count))]
        for k in chosen:
            held[k].append(letter)
    operands = [f"{name}{_subscripts(_shuffled(rng, h))}" for name, h in zip("ABDE", held, strict=False) if h]
    accumulate = "+=" if summed == 0 or rng.random() < 0.7 else "="
    output = f"C{_subscripts(_shuffled(rng, letters[:free]))}"
    return _text(rng, _drawn(rng, letters), f"{output} {accumulate} {' * '.join(operands)}")


def _product(rng: np.random.Generator) -> str:
    """Matrix products in the four layouts, perhaps in batches."""
    batch = ["b"] if rng.random() < 0.25 else []
    a, b = (_shuffled(rng, pair) for pair in ("mk", "kn"))
    first, second = f"A{_subscripts([*batch, *a])}", f"B{_subscripts([*batch, *b])}"
    return _text(rng, _drawn(rng, [*batch, *"mkn"]), f"C{_subscripts([*batch, *'mn'])} += {first} * {second}")


def _convolution(rng: np.random.Generator) -> str:
    """One or two dimensions of space, channels last or first, dense or depthwise, strides 1 and 2."""
    flat = rng.random() < 0.3
    stride = "" if rng.random() < 0.7 else "2*"
    window = int(rng.choice((1, 3, 3, 3, 5, 7)))
    space = [("x", "j")] if flat else [("y", "i"), ("x", "j")]
    views = [f"{stride}{out} + {inner}" if window > 1 else f"{stride}{out}" for out, inner in space]
    deep = rng.random() < 0.25
    channel, out = ("c", "c") if deep else ("c", "o")
    last = rng.random() < 0.5
    image = [*views, channel] if last else [channel, *views]
    outer = [name for name, _ in space]
    result = [*outer, out] if last else [out, *outer]
    inner = [name for _, name in space] if window > 1 else []
    weights = [*inner, "c"] if deep else [*inner, "c", "o"] if last else ["o", "c", *inner]
    free = _drawn(rng, [*outer, *dict.fromkeys((channel, out))])
    while prod(free.values()) * window ** len(inner) > MOST_POINTS:
        name = max(free, key=free.__getitem__)
        free[name] = max(2, free[name] // 2)
    sizes = free | dict.fromkeys(inner, window)
    return _text(rng, sizes, f"O{_subscripts(result)} += I{_subscripts(image)} * W{_subscripts(weights)}")


def _window(rng: np.random.Generator) -> str:
    """Sums and maxima over windows, weighted or not."""
    stride = "" if rng.random() < 0.6 else "2*"
    sizes = _drawn(rng, "yx", _LARGE)
    sizes |= {"i": int(rng.choice((2, 3, 3, 5))), "j": int(rng.choice((2, 3, 3, 5)))}
    inner = f"I[{stride}y + i, {stride}x + j"
    tail = ""
    if rng.random() < 0.5:
        sizes["c"] = int(rng.choice((4, 8, 16, 32, 64)))
        sizes["y"], sizes["x"] = max(2, sizes["y"] // 4), max(2, sizes["x"] // 8)
        tail = ", c"
    match int(rng.integers(3)):
        case 0:
            body = f"max= {inner}{tail}]"
        case 1:
            body = f"+= {inner}{tail}]"
        case _:
            body = f"+= {inner}{tail}] * W[i, j]"
    return _text(rng, sizes, f"O[y, x{tail}] {body}")


def _reduction(rng: np.random.Generator) -> str:
    """Sums, maxima and products of vectors with matrices."""
    letters = list("xyz"[: int(rng.integers(2, 4))])
    kept = _shuffled(rng, letters)[: len(letters) - 1]
    layout = _subscripts(_shuffled(rng, letters))
    forms = (f"+= A{layout}", f"max= A{layout}", f"+= A{layout} * v[{letters[-1]}]", f"+= A{layout} * A{layout}")
    return _text(rng, _drawn(rng, letters, _LARGE), f"O{_subscripts(kept)} {rng.choice(forms)}")


def _pointwise(rng: np.random.Generator) -> str:
    """One to three element-wise statements over matrices in either layout, with broadcasts."""
    sizes = _drawn(rng, "xy", _LARGE)
    known = ["A[x, y]", "B[x, y]" if rng.random() < 0.6 else "B[y, x]", "b[y]"]
    lines = []
    for k in range(int(rng.integers(1, 4))):
        first, second = (str(rng.choice(known)) for _ in range(2))
        value = rng.choice(("{0} * {1} + {0}", "{0} + {1}", "relu({0} - {1})", "2 * {0} - {1}", "{0} * {0} + {1}"))
        target = f"T{k}[x, y]" if rng.random() < 0.8 else f"T{k}[y, x]"
        lines.append(f"{target} = {value.format(first, second)}")
        known.append(target)
    return _text(rng, sizes, "; ".join(lines))


def _scop(rng: np.random.Generator) -> str:
    """A C function of one to three nests over matrices: rectangles and triangles, stencils and updates."""
    n, m = (int(rng.choice([e for e in _LARGE if 16 <= e <= 512])) for _ in range(2))
    type_ = str(rng.choice(("float", "double")))
    body = []
    for _ in range(int(rng.integers(1, 4))):
        a, b, c = (str(x) for x in rng.permutation(["A", "B", "C"]))
        rows = rng.choice((f"for (int i = 1; i < {n} - 1; i++)", f"for (int i = {n} - 2; i > 0; i--)"), p=(0.8, 0.2))
        triangle = n <= m and rng.random() < 0.4
        columns = "for (int j = 1; j < i; j++)" if triangle else f"for (int j = 1; j < {m} - 1; j++)"
        statement = rng.choice(
            (
                f"{a}[i][j] = {b}[i][j] * 2 + {c}[i][j];",
                f"{a}[i][j] = ({b}[i - 1][j] + {b}[i + 1][j] + {b}[i][j - 1] + {b}[i][j + 1]) * ({type_})0.25;",
                f"{a}[i][j] += {b}[i][j] * v[j];",
                f"v[j] += {a}[i][j] * w[i];",
                f"w[i] += {a}[i][j] * v[j];",
                f"{a}[i][j] = {a}[i - 1][j] * ({type_})0.5 + {b}[i][j];",
            )
        )
        nest = (rows, columns) if triangle or rng.random() < 0.6 else (columns, rows)
        body.append(f"{nest[0]} {nest[1]} {statement}")
    arrays = ", ".join(f"{type_} {name}[{n}][{m}]" for name in "ABC")
    return (
        f"c: void f({arrays}, {type_} v[{m}], {type_} w[{n}]) {{\n#pragma scop\n"
        + "\n".join(body)
        + ("\n#pragma endscop\n}\n")
    )


FAMILIES: Mapping[str, tuple[float, Callable[[np.random.Generator], str]]] = {
    "contraction": (0.25, _contraction),
    "product": (0.15, _product),
    "convolution": (0.2, _convolution),
    "window": (0.1, _window),
    "reduction": (0.1, _reduction),
    "pointwise": (0.1, _pointwise),
    "scop": (0.1, _scop),
}
"""Kinds of programs: how likely each is, and how one is drawn."""
