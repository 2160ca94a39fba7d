"""One function for every form that people write loops in: which are read, and that other orders of them do the same.

The files in ``probe/`` have a comment over every function with a call of it. They are one file here, which gcc compiles
as it stands and as it is emitted, with the loops in the order that they have and, where there is a legal one, in
another.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import CFile, read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.transforms import candidates
from polyloop.transforms.expand import expansions
from tests.helpers.running import assert_same, load_c, require

TEXT = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(__file__).with_name("probe").glob("*.c")))
CALLS = {name: call for call, name in re.findall(r"^/\* (.*) \*/\n[^\n(]*?(\w+)\(", TEXT, re.MULTILINE)}
DRIVERS = "void report(double value) { (void)value; }\n" + "".join(
    f"void drive_{name}(int n, double *x, double *y, double *z, float *f, int *k, int *l, unsigned char *b)\n"
    f"{{ (void)n, (void)x, (void)y, (void)z, (void)f, (void)k, (void)l, (void)b; {call}; }}\n"
    for name, call in CALLS.items()
)
ORDERS = ("swap", "distribute", "fuse", "vectorize", "reverse", "skew", "parallelize")
"""Transforms that change which instance runs before which."""


class Probe(NamedTuple):
    """file: as it was read; others: the regions that have another legal order; libraries: of both orders, compiled."""

    file: CFile
    others: dict[str, tuple[Scop, ScheduleTree]]
    original: ctypes.CDLL
    emitted: ctypes.CDLL
    reordered: ctypes.CDLL


def other_order(scop: Scop) -> tuple[Scop, ScheduleTree] | None:
    """Another order of the region's instances that is legal, if need be with more storage for scalars; None where
    every other one that a step makes reverses a dependence."""
    tree, memory = original_tree(scop), scop.dependences("memory")
    found = sorted((t for t in candidates(tree) if t.name() in ORDERS), key=lambda t: ORDERS.index(t.name()))
    others = (transform.apply(tree) for transform in found)
    other = next((other for other in others if isinstance(prove(scop, other, memory), Proof)), None)
    if other is not None:
        return scop, other
    expansion = next(expansions(scop, rank=0), None)
    return None if expansion is None else other_order(expansion.apply(scop))


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    require("gcc")
    file = read_source("probe.c", text=TEXT, auto=True)
    own = {scop.name: (scop, original_tree(scop)) for scop in file.scops}
    others = {scop.name: other for scop in file.scops if (other := other_order(scop)) is not None}
    folder = tmp_path_factory.mktemp("probe")
    texts = [TEXT]
    for trees in (own, own | others):
        nests = [(scop, lower(scop, tree)) for scop, tree in trees.values()]
        planned = [Replacement(scop, plan(nest, host_target(), contract=False)) for scop, nest in nests]
        texts.append(emit_c_file(TEXT, planned))
    return Probe(file, others, *(load_c(text + DRIVERS, folder) for text in texts))


def arrays(n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(n)
    reals = {name: rng.uniform(1, 16, 4096) for name in "xyz"}
    return reals | {
        "f": rng.uniform(1, 16, 4096).astype("f4"),
        "k": rng.integers(0, max(n, 1), 400, dtype="i4"),
        "l": np.sort(rng.integers(0, 300, 400, dtype="i4")),
        "b": rng.integers(0, 256, 1024).astype("u1"),
    }


def called(library: ctypes.CDLL, name: str, n: int) -> dict[str, np.ndarray]:
    memory = arrays(n)
    getattr(library, f"drive_{name}")(n, *(ctypes.c_void_p(array.ctypes.data) for array in memory.values()))
    return memory


@pytest.mark.parametrize("name", CALLS)
def test_every_order_does_the_same(probe: Probe, name: str) -> None:
    for n in (0, 1, 2, 3, 7, 13):
        expected = called(probe.original, name, n)
        assert_same(expected, called(probe.emitted, name, n), f"n = {n}")
        assert_same(expected, called(probe.reordered, name, n), f"n = {n}, in another order")
