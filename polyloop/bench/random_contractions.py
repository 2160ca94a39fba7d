"""Random contractions with what they compute: one draw decides rank, extents, layouts, order of loops, type, what is
done before and behind, and the pair of operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloop.scop.model import Scop
from polyloop.tensors import tensor

_EXTENTS = (1, 2, 3, 4, 5, 7, 8, 12, 13, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100)
_MOST_POINTS = 200_000
_AFTER: Mapping[str, tuple[str, Callable[[NDArray[Any]], NDArray[Any]]]] = {
    "relu": ("relu({})", lambda x: np.maximum(x, 0)),
    "clamp": ("clamp({}, -1, 1)", lambda x: np.clip(x, -1, 1)),
    "sigmoid": ("sigmoid({})", lambda x: 1 / (1 + np.exp(-x))),
    "tanh": ("tanh({})", np.tanh),
}
"""Functions whose slope is at most 1: an error in what they are given does not grow."""


@dataclass(frozen=True)
class Contraction:
    """A tensor program over A and B (and a bias), and its reference.

    Attributes:
        form: "store", "accumulate", "max=", "min=" or the function applied to the sum with its bias.
        sizes: in the order of the loops.
        reduced: dimensions of the operands that the output does not have.
    """

    form: str
    text: str
    dtype: str
    sizes: tuple[tuple[str, int], ...]
    operands: tuple[str, str]
    output: str

    @property
    def reduced(self) -> str:
        return "".join(d for d, _ in self.sizes if d not in self.output)

    def scop(self) -> Scop:
        return tensor(self.text, dict(self.sizes), dtype=self.dtype)

    def arrays(self, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
        """Random contents of every array."""
        extents = dict(self.sizes)
        shapes = {"A": self.operands[0], "B": self.operands[1], "O": self.output}
        if self.form in _AFTER:
            shapes["bias"] = self.output[-1:]
        return {
            name: rng.uniform(-1, 1, tuple(extents[d] for d in dimensions)).astype(self.dtype)
            for name, dimensions in shapes.items()
        }

    def expected(self, arrays: Mapping[str, NDArray[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The output in double precision, and how far rounding may take it away from that.

        But for a probability that can be neglected, a sum of n products in any order is off by no more than
        8 * sqrt(n) * eps * sum(|a| * |b|) (Higham and Mary, "A New Approach to Probabilistic Rounding Error Analysis",
        2019, where the factor is lambda); sqrt(n + 4) and 1 more for what is added to it and for functions behind it.
        """
        a, b, before = (arrays[name].astype(np.float64) for name in "ABO")
        eps = float(np.finfo(self.dtype).eps)
        if self.form in ("max=", "min="):
            return self._extreme(a, b, before, eps)
        spec = f"{self.operands[0]},{self.operands[1]}->{self.output}"
        total, size = np.einsum(spec, a, b), np.einsum(spec, np.abs(a), np.abs(b))
        terms = math.prod(extent for d, extent in self.sizes if d in self.reduced)
        if self.form == "accumulate":
            total, size = total + before, size + np.abs(before)
        if self.form in _AFTER:
            bias = arrays["bias"].astype(np.float64)
            total, size = _AFTER[self.form][1](total + bias), size + np.abs(bias)
        return total, 8 * math.sqrt(terms + 4) * eps * (size + 1)

    def _extreme(
        self, a: NDArray[Any], b: NDArray[Any], before: NDArray[Any], eps: float
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The largest or smallest sum: one rounding, whatever the order."""
        letters = self.output + self.reduced
        pairs = self._spread(a, self.operands[0], letters) + self._spread(b, self.operands[1], letters)
        over = tuple(range(len(self.output), len(letters)))
        best = pairs.max(axis=over) if self.form == "max=" else pairs.min(axis=over)
        found = np.maximum(best, before) if self.form == "max=" else np.minimum(best, before)
        return found, 2 * eps * (np.abs(found) + 1)

    def _spread(self, array: NDArray[Any], dimensions: str, letters: str) -> NDArray[Any]:
        order = [dimensions.index(d) for d in letters if d in dimensions]
        extents = dict(self.sizes)
        shape = [extents[d] if d in dimensions else 1 for d in letters]
        whole = [extents[d] for d in letters]
        return np.broadcast_to(array.transpose(order).reshape(shape), whole)


def random_contraction(rng: np.random.Generator) -> Contraction:
    """Draw one."""
    free, summed = int(rng.integers(0, 4)), int(rng.integers(0, 3))
    if free + summed == 0:
        summed = 1
    letters = [chr(ord("c") + n) for n in range(free + summed)]
    sizes = _extents(rng, letters)
    held = [set(letters), set(letters)]
    for letter in letters:
        match int(rng.integers(0, 3)):
            case 0:
                held[0].discard(letter)
            case 1:
                held[1].discard(letter)
    output = "".join(rng.permutation(letters[:free])) if free else ""
    form = str(rng.choice(["store", "accumulate", "accumulate", "max=", "min=", *_AFTER]))
    if form in ("max=", "min="):  # every term of a sum that is reduced depends on all that it is reduced over
        held = [h | set(letters[free:]) for h in held]
    operands = tuple("".join(rng.permutation(sorted(h))) if h else "" for h in held)
    if form in _AFTER and not (output and summed):
        form = "store"
    text = _text(form, (operands[0], operands[1]), output, "".join(letters[free:]))
    order = tuple((d, sizes[d]) for d in rng.permutation(letters))
    dtype = "float32" if rng.random() < 0.6 else "float64"
    return Contraction(form, text, dtype, order, (operands[0], operands[1]), output)


def _extents(rng: np.random.Generator, letters: list[str]) -> dict[str, int]:
    sizes = {letter: int(rng.choice(_EXTENTS)) for letter in letters}
    while math.prod(sizes.values()) > _MOST_POINTS:
        largest = max(sizes, key=sizes.__getitem__)
        sizes[largest] = int(rng.choice([e for e in _EXTENTS if e < sizes[largest]]))
    return sizes


def _text(form: str, operands: tuple[str, str], output: str, reduced: str) -> str:
    a, b = (f"{name}[{', '.join(dims)}]" for name, dims in zip("AB", operands, strict=True))
    target = f"O[{', '.join(output)}]"
    match form:
        case "store":
            return f"{target} = {a} * {b}"
        case "accumulate":
            return f"{target} += {a} * {b}"
        case "max=" | "min=":
            return f"{target} {form} {a} + {b}"
        case _:
            inside = f"sum({', '.join(reduced)}) ({a} * {b}) + bias[{output[-1]}]"
            return f"{target} = {_AFTER[form][0].format(inside)}"
