"""One function for every form that people write loops in: which are read, and that other orders of them do the same.

The files in ``probe/`` have a comment over every function with a call of it. They are one file here, which gcc compiles
as it stands and as it is emitted, with the loops in the order that they have and, where there is a legal one, in
another.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import replace
from pathlib import Path

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
REFUSED = {
    "extended": "t (long double) is declared inside the region; compute in double or float",
    "half": "b has elements of the type _Float16; compute in double or float",
    "printed": "the call of printf writes output; move it out of the loops",
}
"""No loop of these is read; what is said of it."""
INSIDE = {
    "doubled": "the loop must add a constant to its counter len",
    "logged": "the call of printf writes output; move it out of the loops",
    "told": "the call of report may have side effects; define report in this file, so that its body can take the "
    "call's place, or move the call out of the loops; if its value depends on its arguments alone, declare it "
    "__attribute__((const)) and give --allow-calls, as optimizing runs it",
}
"""The loops inside of these are read; what is said of the outer one."""
IN_ORDER = {"different", "do_while", "doubled", "dot", "first", "scatter", "some", "to_the_end", "told"}
"""Every other order of these that one step makes reverses a dependence: sums of floating-point numbers, and stores to
places that the next iteration may store to or read."""
UNBOUNDED = {"counted", "csr", "elements", "packed"}
"""No test can tell beforehand whether their arrays overlap: emitted on the caller's word that they do not."""
ORDERS = ("swap", "distribute", "fuse", "vectorize", "reverse", "skew", "parallelize")
"""Transforms that change which instance runs before which."""


def other_order(scop: Scop) -> tuple[Scop, ScheduleTree] | None:
    """Another order of the region's instances that is legal, if need be with more storage for scalars; None where
    every other one that a step makes reverses a dependence."""
    tree, memory = original_tree(scop), scop.dependences("memory")
    found = sorted((t for t in candidates(tree) if t.name() in ORDERS), key=lambda t: ORDERS.index(t.name()))
    others = (transform.apply(tree) for transform in found)
    other = next((other for other in others if isinstance(prove(scop, other, memory), Proof)), None)
    if other is not None:
        return scop, other
    expansion = next(expansions(scop), None)
    if expansion is None or scop.array(expansion.array).shape:
        return None
    return other_order(expansion.apply(scop))


@pytest.fixture(scope="module")
def file() -> CFile:
    return read_source("probe.c", text=TEXT, auto=True)


@pytest.fixture(scope="module")
def others(file: CFile) -> dict[str, tuple[Scop, ScheduleTree]]:
    """The regions that have another legal order."""
    return {scop.name: other for scop in map(without_overlaps, file.scops) if (other := other_order(scop)) is not None}


def without_overlaps(scop: Scop) -> Scop:
    if scop.name not in UNBOUNDED:
        return scop
    return replace(scop, arrays=tuple(replace(array, may_alias=False) for array in scop.arrays))


def test_which_are_read(file: CFile) -> None:
    assert len(CALLS) == 84
    read = {scop.source.function for scop in file.scops if scop.source is not None}
    assert CALLS.keys() - read == REFUSED.keys()
    assert all(statement.depth for scop in file.scops for statement in scop.statements if len(scop.statements) == 1)


def test_what_is_said_of_the_others(file: CFile) -> None:
    said = {f"loop of {name} left as it is: {words}" for name, words in (REFUSED | INSIDE).items()}
    assert {diagnostic.message for diagnostic in file.diagnostics} == said


def test_which_have_another_order(file: CFile, others: dict[str, tuple[Scop, ScheduleTree]]) -> None:
    have = {scop.source.function for scop, _ in others.values() if scop.source is not None}
    read = {scop.source.function for scop in file.scops if scop.source is not None}
    assert read - have == IN_ORDER
    assert len(CALLS.keys() & have) >= 70


@pytest.fixture(scope="module")
def libraries(
    file: CFile, others: dict[str, tuple[Scop, ScheduleTree]], tmp_path_factory: pytest.TempPathFactory
) -> list[ctypes.CDLL]:
    """The file as it is, as it is emitted, and as it is emitted in other orders."""
    require("gcc")
    own = {scop.name: (scop, original_tree(scop)) for scop in map(without_overlaps, file.scops)}
    texts = [TEXT]
    for trees in (own, own | others):
        nests = [(scop, lower(scop, tree)) for scop, tree in trees.values()]
        planned = [Replacement(scop, plan(nest, host_target(), contract=False)) for scop, nest in nests]
        texts.append(emit_c_file(TEXT, planned))
    folder = tmp_path_factory.mktemp("probe")
    return [load_c(text + DRIVERS, folder) for text in texts]


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
def test_every_order_does_the_same(libraries: list[ctypes.CDLL], name: str) -> None:
    for n in (0, 1, 2, 3, 7, 13):
        expected, *others = (called(library, name, n) for library in libraries)
        for other in others:
            assert_same(expected, other, f"n = {n}")
