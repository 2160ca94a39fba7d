"""Instruction sets: which one code is generated for, and that one generator serves all of them.

What this processor has runs here; for the others the text is looked at.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray

import polyloop
from polyloop.backend.asm.facts import AssemblyFacts, assembly_facts
from polyloop.backend.errors import TargetError
from polyloop.backend.machine.host import host_target, runs_here
from polyloop.backend.machine.target import INSTRUCTION_SETS, shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.squeeze import squeezed
from polyloop.backend.run import jit
from polyloop.backend.run.kernel import Kernel
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proof
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.default_trace import default_trace
from polyloop.shipped.workloads import Workload, workload_set
from polyloop.transforms import replay
from tests.helpers.checking import Case, check_verdict
from tests.helpers.random_scops import random_program, seeded
from tests.helpers.random_trees import random_tree
from tests.helpers.running import assert_same, compiled

PRODUCT = "C[m, n] += A[m, k] * B[k, n]"
PROGRAMS = (
    (PRODUCT, {"m": 50, "n": 70, "k": 30}),
    ("C[m, n] += A[k, m] * B[n, k]", {"m": 13, "n": 33, "k": 40}),
    ("O[y, x, o] += I[y + i, x + j, c] * W[i, j, c, o]", {"y": 14, "x": 14, "o": 48, "i": 3, "j": 3, "c": 16}),
    ("O[y, x, c] = I[2*y + i, 2*x + j, c] * W[i, j, c]", {"y": 12, "x": 12, "c": 40, "i": 3, "j": 3}),
    ("H[m, n] = relu(sum(k) (X[m, k] * W[k, n]) + b[n])", {"m": 24, "n": 40, "k": 32}),
    ("y[m] = sum(k) (A[m, k] * x[k])", {"m": 70, "k": 90}),
)
WIDEST = {"avx512": "zmm", "avx2": "ymm", "sse": "xmm"}


HERE = [name for name in INSTRUCTION_SETS if runs_here(name)]


@pytest.fixture(params=HERE)
def chosen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("POLYLOOP_TARGET", request.param)
    return str(request.param)


def test_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLYLOOP_TARGET", raising=False)
    native = host_target()
    for text in ("", "native", " Native "):
        monkeypatch.setenv("POLYLOOP_TARGET", text)
        assert host_target() is native
    for text in ("mmx", "neon" if native.triple.startswith("x86_64") else "sse"):
        monkeypatch.setenv("POLYLOOP_TARGET", text)
        with pytest.raises(TargetError, match=f"POLYLOOP_TARGET is '{text}', but code for this machine is of native"):
            host_target()
    with pytest.raises(TargetError, match="no instruction set is called 'mmx'; there are avx512, avx2, sse, neon"):
        shown_target("mmx")


def test_registers(chosen: str) -> None:
    """A part of this machine: the same processor and caches, other registers."""
    target, shown = host_target(), shown_target(chosen)
    assert (target.vector_bits, target.vector_registers) == (shown.vector_bits, shown.vector_registers)
    assert target.has_fma == shown.has_fma
    assert host_target().machine.instructions == chosen
    wider = [name for name in WIDEST if INSTRUCTION_SETS[name].vector_bits > target.vector_bits]
    for feature in (feature for name in wider for feature in INSTRUCTION_SETS[name].needs if feature != "fma"):
        assert f"+{feature}" not in target.features.split(",")


def data(scop: Scop, dtype: str) -> dict[str, NDArray[np.floating]]:
    """Small integers, with which every order of the sums gives the same."""
    rng = np.random.default_rng(0)
    shapes = {a.name: [e.constant for e in a.shape if e is not None] for a in scop.arrays}
    return {name: rng.integers(-3, 4, shape).astype(dtype) for name, shape in shapes.items()}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("text", "sizes"), PROGRAMS)
def test_default_schedules_run(chosen: str, text: str, sizes: dict[str, int], dtype: str) -> None:
    """The same results as the loops as they stand give, in this instruction set's registers, without spills."""
    scop = polyloop.tensor(text, sizes, dtype=dtype)
    kernel = polyloop.compile(scop, reassociate=True)
    arrays, plain = data(scop, dtype), data(scop, dtype)
    kernel(**arrays)
    polyloop.compile(scop, original_tree(scop))(**plain)
    for name, values in plain.items():
        np.testing.assert_array_equal(arrays[name], values)
    assert only(chosen, kernel)


def only(name: str, kernel: Kernel) -> bool:
    """Whether the code has this set's registers and none that are wider."""
    found = {register for register in WIDEST.values() if register in kernel.asm}
    bits = {"zmm": 512, "ymm": 256, "xmm": 128}
    return max(map(bits.__getitem__, found)) == INSTRUCTION_SETS[name].vector_bits


@pytest.mark.parametrize("name", ["avx2", "sse"])
def test_random_programs_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """C-like programs under random schedules: interpreter and machine code agree."""
    if name not in HERE:
        pytest.skip(f"this processor has no {name}")
    monkeypatch.setenv("POLYLOOP_TARGET", name)
    for seed in range(12):
        case = Case(random_program(seed), (5, 9), seed)
        what, tree = random_tree(seeded(seed), case.scop, host_target())
        if isinstance(check_verdict(case, tree), Proof):
            found = compiled(plan(lower(case.scop, tree), host_target()), case.sizes, case.data, True)
            assert_same(case.expected_contracted, found, f"{name}, seed {seed}: {what}")


# --- code that is only looked at --------------------------------------------------------------------------------------


def shown(name: str, scop: Scop) -> tuple[str, AssemblyFacts]:
    """The assembly of the default schedule for a processor with this instruction set, and what it shows."""
    target = shown_target(name)
    tree = replay(original_tree(scop), default_trace(scop, target, reassociate=True))
    program = plan(squeezed(lower(scop, tree)), target, reassociate=True)
    text = str(jit.emit(program, target, "asm", comments=True))
    return text, assembly_facts(text)


@pytest.mark.parametrize("name", INSTRUCTION_SETS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("text", "sizes"), [PROGRAMS[0], PROGRAMS[2], PROGRAMS[5]])
def test_nothing_spills(name: str, text: str, sizes: dict[str, int], dtype: str) -> None:
    """Tiles are as large as the register file allows, and no larger."""
    facts = shown(name, polyloop.tensor(text, sizes, dtype=dtype))[1]
    assert facts.spills == 0
    assert facts.registers <= INSTRUCTION_SETS[name].vector_registers


TRANSPOSED = tuple(
    (f"C[m, n] += {a} * {b}", sizes)
    for a in ("A[m, k]", "A[k, m]")
    for b in ("B[k, n]", "B[n, k]")
    for sizes in ({"m": 50, "n": 70, "k": 30}, {"m": 20, "n": 201, "k": 12})
)
FUSED = (
    ("H[m, n] = relu(sum(k) (X[m, k] * W[k, n]) + b[n])", {"m": 64, "n": 256, "k": 64}),
    ("H[m, n] = relu(sum(k) (X[m, k] * W[k, n]) + b[n])", {"m": 24, "n": 40, "k": 32}),
    ("H[m, n] = sum(k) (relu(X[m, k]) * W[k, n])", {"m": 24, "n": 40, "k": 32}),
    (
        "O[y, x, c] = relu(sum(i, j) (I[y + i, x + j, c] * W[i, j, c]) + b[c])",
        {"y": 7, "x": 7, "c": 96, "i": 3, "j": 3},
    ),
)
BORDERS = (
    ("H[m, n] = relu(sum(k) (X[m, k] * W[k, n]) + b[n])", {"m": 37, "n": 61, "k": 50}),
    ("C[m, n] += A[m, k] * B[k, n]", {"m": None, "n": None, "k": None}),
    ("D[m, n] = min(k) (A[m, k] + B[k, n])", {"m": 37, "n": 61, "k": 50}),
    ("O[y, x, c] = sum(i, j) (I[y + i, x + j, c] * W[i, j, c])", {"y": 7, "x": 7, "c": 100, "i": 3, "j": 3}),
)


@pytest.mark.parametrize("name", INSTRUCTION_SETS)
@pytest.mark.parametrize("problem", workload_set("operators").problems, ids=lambda w: str(w.name))
def test_operators_do_not_spill(name: str, problem: Workload) -> None:
    """Sums, and what of windows and weights is kept beside them, fit the registers."""
    assert shown(name, problem.scop)[1].spills == 0


@pytest.mark.parametrize(
    ("name", "text", "sizes"),
    [
        *((name, *TRANSPOSED[2 * k + (k + n) % 2]) for n, name in enumerate(INSTRUCTION_SETS) for k in range(4)),
        *((name, *fused) for name in INSTRUCTION_SETS for fused in FUSED),
    ],
)
def test_transposed_and_fused_operators_do_not_spill(name: str, text: str, sizes: dict[str, int]) -> None:
    """Every order of both operands for every instruction set, in sizes that take turns."""
    assert shown(name, polyloop.tensor(text, sizes, dtype="float32"))[1].spills == 0


@pytest.mark.parametrize("name", ["avx512", "avx2"])
@pytest.mark.parametrize(("text", "sizes"), BORDERS)
def test_borders_do_not_spill(name: str, text: str, sizes: dict[str, int | None]) -> None:
    """Masks are made where they are used, and are not kept through loops that do not need them. Tiles of unknown
    numbers of rows keep addresses of their rows in memory, outside of the loop over full ones."""
    code, facts = shown(name, polyloop.tensor(text, sizes, dtype="float32"))
    loops = [part for part in re.split(r"\n(?=\.LBB)", code) if "vfmadd" in part and "mask" not in part]
    assert facts.spills == 0 or (None in sizes.values() and loops)
    assert not any(re.search("[Ss]pill|[Rr]eload", loop.partition("\tj")[0]) for loop in loops)


def test_neon() -> None:
    """24 sums in registers, multiplied by one lane of what is loaded once; IR with vectors of 128 bits."""
    scop = polyloop.tensor(PRODUCT, m=96, n=96, k=96, dtype="float32")
    code, facts = shown("neon", scop)
    loops = re.split(r"\n(?=\.LBB)", code)
    body = max(loops, key=lambda text: text.count("fmla"))
    assert body.count("fmla") == 2 * 24  # of two steps
    assert len(set(re.findall(r"fmla\s+v(\d+)\.4s", body))) == 24
    assert re.search(r"\bz\d+\.s", code) is None  # no SVE
    assert facts.registers > 24
    target = shown_target("neon")
    tree = replay(original_tree(scop), default_trace(scop, target))
    ir = str(jit.emit(plan(squeezed(lower(scop, tree)), target), target, "llvm"))
    assert 'target triple = "aarch64-unknown-linux-gnu"' in ir
    assert set(re.findall(r"<(\d+) x float>", ir)) == {"4"}


def test_tiles_fill_the_registers() -> None:
    """All sums of a tile stay in registers during the reduction: stores of vectors only behind it. SSE, which needs a
    shuffle for every row, has few of them, and no second step beside the first."""
    for name, count in (("avx512", 2 * 24), ("avx2", 4 * 12), ("sse", 8), ("neon", 2 * 24)):
        code, _ = shown(name, polyloop.tensor(PRODUCT, m=96, n=192, k=80, dtype="float32"))
        loops = re.split(r"\n(?=\.LBB)", code)
        body = max(loops, key=lambda text: len(re.findall(r"fmadd|fmla|mulps", text)))
        inner = body.partition("\tj")[0] if name != "neon" else body.partition("b.")[0]
        assert len(re.findall(r"fmadd|fmla|mulps", inner)) == count, name
        assert re.search(r"mova?u?ps\s+%[xyz]mm\d+, [^%]*\(%r", inner) is None
