"""Code for AArch64 is executed, under an emulator: the C printer's through gcc, and LLVM's objects.

Every result is compared bit for bit with the interpreter's, which knows nothing of instruction sets. The schedules are
those that are chosen for NEON: vectors of 128 bits, 32 registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import polyloop
from polyloop.backend.ir.expressions import dtype_of
from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.squeeze import squeezed
from polyloop.frontend import read_c, read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.isl_scheduler import Fusion, distributed, isl_schedule
from polyloop.schedules.legality import Proof, Proofs, prove
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.data import shape_of
from polyloop.scop.model import Scop
from polyloop.shaping.default_trace import default_trace
from polyloop.shaping.nests import nests
from polyloop.shaping.shaped import ShapedTree, legal_shapes
from polyloop.shipped.kernels import inputs, kernel
from polyloop.transforms import Pack, replay
from tests.helpers.aarch64 import COMPILERS, Call, needs_aarch64, run_c, run_objects
from tests.helpers.checking import Case
from tests.helpers.random_scops import random_program, seeded
from tests.helpers.random_trees import random_tree
from tests.helpers.running import Arrays, assert_same, interpreted, random_data

pytestmark = needs_aarch64
NEON = shown_target("neon")

Scheduled = tuple[str, LoopNest, Mapping[str, int], Arrays]
"""What it is, and a nest with sizes and data."""


def check(cases: list[Scheduled], folder: Path, reassociate: bool = False) -> int:
    """Through gcc and clang without contractions, and through LLVM with ours. (clang's vectoriser takes multiply-adds
    of sums in order apart on this processor, in anybody's C: with contractions its results would be its own.)

    Returns:
        How many of them compute something.
    """
    runs = [(False, partial(run_c, compiler=(*compiler, "-ffp-contract=off"))) for compiler in COMPILERS]
    runs.append((True, partial(run_objects, target=NEON)))
    expected = {c: [interpreted(nest, sizes, data, c, NEON) for _, nest, sizes, data in cases] for c in (False, True)}
    calls = {
        contract: [
            Call(plan(nest, NEON, contract=contract, reassociate=reassociate), sizes, data)
            for _, nest, sizes, data in cases
        ]
        for contract in expected
    }
    for number, (contract, run) in enumerate(runs):
        place = folder / str(number)
        place.mkdir()
        for (what, *_), wanted, found in zip(cases, expected[contract], run(calls[contract], place), strict=True):
            assert_same(wanted, found, f"{what}, {run}")
    pairs = zip(cases, expected[True], strict=True)
    return sum(any(wanted[name].tobytes() != data[name].tobytes() for name in data) for (*_, data), wanted in pairs)


# --- kernels in the shapes that a search tries ------------------------------------------------------------------------

KERNELS = {
    "gemm": "tiles and copies",
    "jacobi-2d": "neighbours that share loads",
    "atax": "sums, along rows and columns",
    "cholesky": "divisions and square roots, triangular loops",
    "gramschmidt": "both in sums",
    "nussinov": "integers, choices and comparisons",
}
FAST = ("atax", "cholesky", "nussinov")
SHAPES = 2
"""Of every nest, spread over those that there are."""


def shaped(scop: Scop) -> Iterator[tuple[str, ScheduleTree]]:
    """isl's loops, apart for each statement, nest by nest in shapes of several families."""
    proofs = Proofs()
    tree = distributed(scop, isl_schedule(scop, proofs.flow(scop), Fusion.SEPARATE), proofs.dependences(scop))
    base = ShapedTree("", scop, tree)
    for nest in nests(base.tree):
        found = list(islice(legal_shapes(proofs, NEON, base, nest), 40))
        for name, shape in found[:: max(1, len(found) // SHAPES)]:
            yield name, base.with_shape(nest, name, shape).shaped(proofs.dependences(scop))


def kernel_data(name: str, scop: Scop, sizes: Mapping[str, int]) -> Arrays:
    given = inputs(name, sizes)
    return {
        a.name: np.asarray(given.get(a.name, np.full(shape_of(scop, a, sizes), 3)), dtype_of(a.type))
        for a in scop.arrays
        if not a.local
    }


@pytest.mark.parametrize("name", [n if n in FAST else pytest.param(n, marks=pytest.mark.long) for n in KERNELS])
def test_kernels(name: str, tmp_path: Path) -> None:
    (scop,) = read_c(kernel(name).path)
    sizes = dict(zip(kernel(name).parameters, (9, 7, 6, 5), strict=False))
    data, sizes = kernel_data(name, scop, sizes), {p: sizes[p] for p in scop.parameters}
    cases: list[Scheduled] = [(f"{name}: {what}", lower(scop, tree), sizes, data) for what, tree in shaped(scop)]
    assert cases
    assert check(cases, tmp_path) == len(cases)


# --- tensor programs in their default schedules -----------------------------------------------------------------------

OPERATORS = (
    ("C[m, n] += A[m, k] * B[k, n]", {"m": 21, "n": 37, "k": 19}),
    ("C[m, n] += A[k, m] * B[n, k]", {"m": 13, "n": 33, "k": 40}),
    ("H[m, n] = relu(sum(k) (X[m, k] * W[k, n]) + b[n])", {"m": 12, "n": 18, "k": 7}),
    ("D[m, n] = min(k) (A[m, k] + B[k, n])", {"m": 9, "n": 13, "k": 11}),
    ("y[m] = sum(k) (A[m, k] * x[k])", {"m": 17, "k": 35}),
    ("O[y, x, c] = I[2*y + i, 2*x + j, c] * W[i, j, c]", {"y": 4, "x": 5, "c": 7, "i": 3, "j": 3}),
)


@pytest.mark.parametrize("dtype", ["float32", pytest.param("float64", marks=pytest.mark.long)])
def test_default_schedules(dtype: str, tmp_path: Path) -> None:
    """Whole numbers, whose sums are the same in every order."""
    cases: list[Scheduled] = []
    packed = 0
    for text, sizes in OPERATORS:
        scop = polyloop.tensor(text, sizes, dtype=dtype)
        trace = default_trace(scop, NEON, reassociate=True)
        packed += any(isinstance(step, Pack) for step in trace)
        random = np.random.default_rng(len(text))
        data = {a.name: random.integers(-3, 4, shape_of(scop, a, {})).astype(dtype) for a in scop.arrays if not a.local}
        cases.append((text, squeezed(lower(scop, replay(original_tree(scop), trace))), {}, data))
    assert packed
    assert check(cases, tmp_path, reassociate=True) == len(cases)


# --- what the kernels have not got ------------------------------------------------------------------------------------

INTEGERS = """\
void f(int n, int *restrict a, const signed char *restrict b, const unsigned short *restrict c, long *restrict d,
       float *restrict x, double *restrict y)
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = (a[i] / 3 + b[i] % 5) ^ (c[i] << 2);
    for (int i = 0; i < n; i++)
        d[i] = a[i] < b[i] ? (d[i] >> 1) - c[i] : -d[i] * b[i];
    for (int i = 0; i < n; i++)
        x[i] = b[i] + (x[i] < 0 ? -x[i] : x[i]) * 0.3f;
    for (int i = 0; i < n; i++)
        y[i] = (int)(y[i] * 100) + (double)d[i] / (c[i] + 1);
    for (int i = 0; i < n; i++)
        y[0] += b[i] > 0 && x[i] > 1 ? x[i] : 0.25;
#pragma endscop
}
"""


def test_integers_and_conversions(tmp_path: Path) -> None:
    (scop,) = read_source("file.c", text=INTEGERS).scops
    sizes = {"n": 21}
    cases: list[Scheduled] = [
        (what, lower(scop, tree), sizes, random_data(scop, sizes, 1)) for what, tree in shaped(scop)
    ]
    assert len(cases) >= 4
    assert check(cases, tmp_path) == len(cases)


PACKED = """\
void f(int n, int m, int l, float a[l][n], float b[m][l], float c[n][m])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                c[i][j] += 2 * a[k][i] * b[j][k];
#pragma endscop
}
"""


@pytest.mark.long
def test_copies_in_panels(tmp_path: Path) -> None:
    """Operands in another order than they are read."""
    (scop,) = read_source("file.c", text=PACKED).scops
    proofs = Proofs()
    base = ShapedTree("", scop, original_tree(scop))
    (nest,) = nests(base.tree)
    cases: list[Scheduled] = []
    sizes, random = {"n": 11, "m": 14, "l": 9}, np.random.default_rng(0)
    data = {a.name: random.integers(-3, 4, shape_of(scop, a, sizes)).astype("float32") for a in scop.arrays}
    for name, shape in islice(legal_shapes(proofs, NEON, base, nest), 30):
        if "packed" in name and len(cases) < 2:
            tree = base.with_shape(nest, name, shape).shaped(proofs.dependences(scop))
            cases.append((name, lower(scop, tree), sizes, data))
    assert check(cases, tmp_path) == len(cases) == 2


# --- random programs --------------------------------------------------------------------------------------------------

SIZES = ((7, 5), (1, 1), (11, 3), (6, 13))


def drawn(seeds: range) -> Iterator[Scheduled]:
    """Proven random schedules of random programs."""
    for seed in seeds:
        case = Case(random_program(seed), SIZES[seed % len(SIZES)], seed)
        what, tree = random_tree(seeded(seed), case.scop, NEON)
        if not isinstance(prove(case.scop, tree, case.dependences), Proof):
            continue
        yield f"seed {seed}: {what}", lower(case.scop, tree), case.sizes, case.data


def test_random_schedules(tmp_path: Path) -> None:
    cases = list(drawn(range(32)))
    assert check(cases, tmp_path) > 15
