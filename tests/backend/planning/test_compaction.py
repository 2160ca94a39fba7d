"""Elements one behind the other where a condition holds: in lanes, and nothing else is stored or asked for."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyloop.api import compile_scop
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import F32, F64, I32, I64, Access, Expression, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, LoopNest, Node
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.frontend import read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.support.compilers import find_executable
from tests.backend.planning.nests import binary, check, compute, i, loop, n, read
from tests.backend.planning.programs import flat

AVX512 = shown_target("avx512")


def moves(nest: LoopNest, target: str = "avx512") -> list[bool]:
    """Of every movement of lanes, whether it is one back from the front."""
    statements = flat(plan(nest, shown_target(target)).body)
    operations = (s.operation for s in statements if isinstance(s, v.Let))
    return [operation.spread for operation in operations if isinstance(operation, v.Compact)]


def counter(condition: Expression, by: int = 1, type_: ScalarType = I32) -> Compute:
    k = read("k", type_=type_)
    return compute("K", k, e.Select(condition, binary("+", k, e.Literal(by, type_)), k, type_))


def where(condition: Expression, target: e.Read, value: Expression) -> Compute:
    return Compute("S", target.access, e.Select(condition, value, target, target.type), conditional=True)


def at_counter(array: str, type_: ScalarType, shift: int = 0, counts: ScalarType = I32) -> e.Read:
    datum = e.Datum(read("k", type_=counts))
    return e.Read(Access(array, (Affine(((datum, 1),), shift),)), type_)


def nest(type_: ScalarType, *body: Node, counts: ScalarType = I32) -> LoopNest:
    start = compute("Z", read("k", type_=counts), e.Literal(0, counts))
    arrays = (
        *(ArraySpec(name, type_, (n + 2,)) for name in ("x", "y", "z")),
        ArraySpec("places", I32, (n + 2,)),
        ArraySpec("k", counts, ()),
    )
    return LoopNest("moved", ("n",), arrays, Block((start, loop("i", 0, n, Block(body)))))


def positive(type_: ScalarType) -> e.Comparison:
    literal = e.Literal(0.0 if type_.is_float else 3, type_)
    return e.Comparison(">", read("x", i, type_=type_), literal)


@pytest.mark.parametrize("type_", [F32, F64, I32, I64])
@pytest.mark.parametrize("counts", [I32, I64])
def test_lanes_move_to_the_front(type_: ScalarType, counts: ScalarType) -> None:
    """Values and places, before and behind the step of the counter."""
    condition, x = positive(type_), read("x", i, type_=type_)
    before = where(condition, at_counter("places", I32, counts=counts), e.Index(i, I32))
    after = where(condition, at_counter("y", type_, 1, counts), binary("+", x, read("z", i + 1, type_=type_)))
    found = nest(type_, before, counter(condition, type_=counts), after, counts=counts)
    assert moves(found) == [False, False] * 2  # the rest, too
    assert moves(found, "avx2") == [False, False] * 2
    assert moves(found, "sse") == moves(found, "neon") == []
    for size in (0, 1, 7, 16, 17, 50):
        check(found, {"n": size})


@pytest.mark.parametrize("type_", [F32, F64, I32])
def test_lanes_come_back_from_the_front(type_: ScalarType) -> None:
    condition = positive(type_)
    taken = binary("+", at_counter("y", type_), read("z", i, type_=type_))
    found = nest(type_, where(condition, read("z", i, type_=type_), taken), counter(condition))
    assert moves(found) == [True] * 2
    # The condition asks for what is stored: nobody comes behind.
    last = nest(type_, counter(condition), where(condition, read("x", i, type_=type_), at_counter("y", type_, 1)))
    assert moves(last) == [True] * 2
    for size in (0, 1, 7, 16, 17, 50):
        check(found, {"n": size})
        check(last, {"n": size})


def test_lanes_are_as_many_as_a_register_has_of_what_moves() -> None:
    """Doubles come back from the front, and are stored as floats."""
    condition = positive(F32)
    taken = e.Cast(at_counter("d", F64), F32)
    body = (where(condition, read("z", i, type_=F32), taken), counter(condition))
    plain = nest(F32, *body)
    found = replace(plain, arrays=(*plain.arrays, ArraySpec("d", F64, (n + 2,))))
    for name, lanes in {"avx512": 8, "avx2": 4}.items():
        statements = flat(plan(found, shown_target(name)).body)
        moved = {s.operation.type for s in statements if isinstance(s, v.Let) and isinstance(s.operation, v.Compact)}
        assert moved == {v.ValueType(F64, lanes)}
    for size in (0, 1, 7, 16, 17, 50):
        check(found, {"n": size})


def test_what_lanes_would_see_too_early_or_too_late_is_left_alone() -> None:
    condition, x = positive(F32), read("x", i, type_=F32)
    store, other = where(condition, at_counter("y", F32), x), e.Comparison("<", x, e.Literal(0.5, F32))
    left = [
        nest(F32, where(condition, at_counter("x", F32), x), counter(condition)),  # what the condition asks for
        nest(F32, where(condition, at_counter("y", F32), read("y", i, type_=F32)), counter(condition)),
        nest(F32, store, counter(other)),
        nest(F32, store, counter(condition, 2)),
        nest(F32, where(condition, x, at_counter("y", F32)), counter(condition)),  # the counter asks for what x is then
        nest(F32, where(condition, read("x", i + 1, type_=F32), at_counter("y", F32)), counter(condition)),
        nest(F32, store, counter(condition), compute("T", read("z", i, type_=F32), x)),
        nest(F32, store, where(condition, at_counter("y", F32, 1), x), counter(condition)),
    ]
    for found in left:
        assert moves(found) == []
        check(found, {"n": 21})


# --- The same in emitted C, under the compilers that there are --------------------------------------------------------

SOURCE = """
int kept(int n, {0} *restrict to, int *restrict places, const {0} *restrict x, {0} least)
{{
    int k = 0;
#pragma scop
    for (int i = 0; i < n; i++)
        if (x[i] > least) {{ to[k] = x[i] + x[i]; places[k] = i; k++; }}
#pragma endscop
    return k;
}}
int merged(int n, {0} *restrict to, int *restrict places, const {0} *restrict x, {0} least)
{{
    int k = -1;
#pragma scop
    for (int i = 0; i < n; i++)
        if (to[i] > least) {{ k++; to[i] = x[k]; }}
#pragma endscop
    return k;
}}
"""


def emitted(scop: Scop) -> Replacement:
    return Replacement(scop, plan(lower(scop, original_tree(scop)), host_target(), contract=False))


@pytest.mark.parametrize("type_", ["float", "double", "int", "unsigned char"])
def test_emitted_c_computes_what_the_file_does(type_: str, tmp_path: Path) -> None:
    compilers = [path for name in ("gcc", "clang") if (path := find_executable(name)) is not None]
    file = read_source("f.c", text=SOURCE.format(type_))
    assert len(file.scops) == 2, file.diagnostics
    text = emit_c_file(SOURCE.format(type_), list(map(emitted, file.scops)))
    texts = {"before": SOURCE.format(type_), "after": text, "plain": text}
    values = np.random.default_rng(1).integers(0, 9, (2, 203)).astype(_TYPES[type_])
    for compiler in compilers:
        results = {}
        for name, text in texts.items():
            source, library = tmp_path / f"{name}.c", tmp_path / f"{name}-{Path(compiler).name}.so"
            source.write_text(text)
            flags = ["-O2", "-march=native"] if name == "after" else ["-O0", "-w"]
            subprocess.run([compiler, *flags, "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
            results[name] = [_called(ctypes.CDLL(str(library)), function, values) for function in ("kept", "merged")]
        assert results["before"] == results["after"] == results["plain"]


_TYPES = {"float": np.float32, "double": np.float64, "int": np.int32, "unsigned char": np.uint8}


def _called(library: ctypes.CDLL, function: str, values: np.ndarray) -> list[tuple[int, bytes, bytes]]:
    found = []
    for size in (0, 1, 15, 64, 203):
        to, x, places = values[0].copy(), values[1].copy(), np.zeros(203, np.int32)
        least = np.ctypeslib.as_ctypes_type(values.dtype)(4)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (to, places, x)]
        found.append((getattr(library, function)(size, *pointers, least), to.tobytes(), places.tobytes()))
    return found


def test_the_jit_computes_the_same() -> None:
    file = read_source("f.c", text=SOURCE.format("double"))
    (scop, _) = file.scops
    assert moves(lower(scop, original_tree(scop))) == [False] * 4
    x = np.random.default_rng(2).uniform(-1, 1, 77)
    to, places, k = np.zeros(77), np.zeros(77, np.int32), np.zeros((), np.int32)
    compile_scop(scop)(n=77, to=to, places=places, x=x, least=np.float64(0.25), k=k)
    expected = np.flatnonzero(x > 0.25)
    assert int(k) == len(expected)
    assert places[: len(expected)].tolist() == expected.tolist()
    assert to.tolist() == [*(2 * x[expected]), *[0.0] * (77 - len(expected))]
