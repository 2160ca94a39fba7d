"""Which matrix products `polyloop bench matmul` measures."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from polyloop.scop.model import Scop
from polyloop.shipped.workloads import PRODUCTS, workload_set, workload_sets
from polyloop.tensors import tensor
from polyloop.terminal.errors import UsageError

_LARGEST = 1 << 14


@dataclass(frozen=True)
class Problem:
    """C += op(A) op(B); op(A) is m x k, op(B) k x n, `transposed` says which of them is stored transposed.

    Attributes:
        panel: of a set that has its products in panels, as "tn mpn16kp".
    """

    m: int
    n: int
    k: int
    transposed: tuple[bool, bool] = (False, False)
    panel: str = ""

    @property
    def name(self) -> str:
        sizes = f"{self.m}x{self.n}x{self.k}"
        if self.panel:
            return f"{self.panel} {sizes}"
        return sizes + (f" {_letters(self.transposed)}" if any(self.transposed) else "")

    @property
    def flops(self) -> int:
        return 2 * self.m * self.n * self.k

    def scop(self, dtype: str) -> Scop:
        """The product in the named-dimension language."""
        a = "A[k, m]" if self.transposed[0] else "A[m, k]"
        b = "B[n, k]" if self.transposed[1] else "B[k, n]"
        return tensor(f"C[m, n] += {a} * {b}", {"m": self.m, "n": self.n, "k": self.k}, dtype=dtype, name="matmul")


def problems(name: str, dtype: str = "float32") -> tuple[Problem, ...]:
    """The set of this name, or the sizes MxNxK[tn],... that it lists.

    Args:
        dtype: some sets have other sizes in double precision.
    Raises:
        UsageError: if it is neither.
    """
    match name:
        case "looptune-test":
            return _of_workloads(PRODUCTS, held_out=True)
        case "looptune":
            return _of_workloads(PRODUCTS)
        case "cubes":
            return tuple(Problem(n, n, n) for n in (512, 1024, 2048))
        case "irregular":
            return _irregular()
        case "blis-small":
            return _blis_small(16 if dtype == "float32" else 8)
    if name in workload_sets():
        return _of_workloads(name)
    if re.fullmatch(r"\d+x\d+x\d+( ?[nt]{2})?(,\d+x\d+x\d+( ?[nt]{2})?)*", name):
        return tuple(_problem(text) for text in name.split(","))
    sets = ("looptune-test", "looptune", "cubes", "irregular", "blis-small", *workload_sets())
    raise UsageError(f"--set: {name!r} is neither a set ({', '.join(sets)}) nor sizes as 64x96x128")


def _problem(text: str) -> Problem:
    m, n, k, letters = re.fullmatch(r"(\d+)x(\d+)x(\d+) ?(.*)", text).groups()  # type: ignore[union-attr]
    if not all(1 <= int(size) <= _LARGEST for size in (m, n, k)):
        raise UsageError(f"--set: sizes are from 1 to {_LARGEST}; {text} is not")
    return Problem(int(m), int(n), int(k), (letters[:1] == "t", letters[1:] == "t"))


def _of_workloads(name: str, held_out: bool = False) -> tuple[Problem, ...]:
    found = workload_set(name)
    sizes = [dict(w.sizes) for w in (found.test if held_out else found.problems)]
    products = [Problem(s["m"], s["n"], s["k"]) for s in sizes if s.keys() == {"m", "n", "k"}]
    if not products:
        raise UsageError(f"--set: {name} has no matrix products")
    return tuple(products)


def _irregular() -> tuple[Problem, ...]:
    """Sizes that fit no tile: any, thin and tall ones, matrix times vector, and operands that are stored transposed."""
    generator = random.Random(0)

    def size(most: int = 300) -> int:
        return generator.randint(1, most)

    made: list[Problem] = []
    for number in range(200):
        m, n, k = size(), size(), size()
        match number % 5:
            case 1:
                m = size(16)
            case 2:
                n = size(16)
            case 3:
                k = size(16)
            case 4 if number % 10 == 4:
                n = 1
        made.append(Problem(m, n, k, _TRANSPOSITIONS[number // 5 % 4]))
    return tuple(made)


_TRANSPOSITIONS: Sequence[tuple[bool, bool]] = ((False, False), (True, False), (False, True), (True, True))


def _letters(transposed: tuple[bool, bool]) -> str:
    return "".join("t" if flag else "n" for flag in transposed)


_GROWTH = {1: range(32, 6401, 32), 2: range(4, 801, 4), 3: range(2, 401, 2)}
"""By the number of sizes that grow: what they grow over."""

_POINTS = 5
"""Of a panel, of BLIS's 200."""


def _blis_small(n: int) -> tuple[Problem, ...]:
    """BLIS's protocol for products of small and of thin matrices, on one thread: 28 panels of four transpositions and
    seven shapes, in which m = 6, this n and k = 4 stay small or grow together.

    Of BLIS's 200 points of a panel it takes few: one drawn from each of as many equal parts, the same in all panels in
    which as many sizes grow. Rows follow each other without padding; BLIS aligns them to cache lines. Only storage by
    rows is measured: storage by columns is the same products with A and B exchanged.

    References:
        github.com/flame/blis: docs/PerformanceSmall.md, test/sup/Makefile.
    """
    generator = random.Random(0)
    part = 200 // _POINTS
    drawn = {
        growing: [sizes[part * p + generator.randrange(part)] for p in range(_POINTS)]
        for growing, sizes in _GROWTH.items()
    }
    small = {"m": 6, "n": n, "k": 4}
    made = []
    for transposed in _TRANSPOSITIONS:
        for growing in ("nk", "mk", "mn", "k", "n", "m", "mnk"):
            shape = "".join(f"{name}{'p' if name in growing else size}" for name, size in small.items())
            for p in drawn[len(growing)]:
                sizes = {name: p if name in growing else size for name, size in small.items()}
                made.append(Problem(**sizes, transposed=transposed, panel=f"{_letters(transposed)} {shape}"))
    return tuple(made)
