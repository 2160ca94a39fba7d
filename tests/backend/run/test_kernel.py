"""Kernels: arguments by name and the errors they give, binding, pickling, the object cache, timing."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyloop.backend.errors import CompileError, KernelArgumentError
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F64, I32
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.vector_program import (
    Address,
    Apply,
    Arithmetic,
    Broadcast,
    For,
    Let,
    Load,
    Statement,
    Store,
    Value,
    ValueType,
    VectorProgram,
)
from polyloop.backend.llvm.printer import print_llvm
from polyloop.backend.machine.host import host_target
from polyloop.backend.run import jit, timing
from polyloop.backend.run.kernel import Kernel, compile_program

ONE, FOUR = ValueType(F64), ValueType(F64, 4)


def scale(name: str = "scale", operator: str = "*") -> VectorProgram:
    """y[i] = x[i][0] * factor for i < 4 * (N / 4)."""
    n, i = affine("N"), affine("i")
    body: tuple[Statement, ...] = (
        Let("x", Load(Address("x", (i, affine(0)), (1, 0)), FOUR)),
        Let("f", Load(Address("factor", (), ()), ONE)),
        Let("w", Broadcast(Value("f", ONE), FOUR)),
        Let("r", Arithmetic(operator, (Value("x", FOUR), Value("w", FOUR)), FOUR)),
        Store(Address("y", (i,), (1,)), Value("r", FOUR)),
    )
    arrays = (
        ArraySpec("x", F64, (None, affine("M") + 1), read_only=True),
        ArraySpec("y", F64, (n,)),
        ArraySpec("factor", F64, read_only=True),
        ArraySpec("count", I32),
    )
    return VectorProgram(name, ("N", "M"), arrays, (For("i", affine(0), n - 3, 4, body),))


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return compile_program(scale())


def arguments(**changes: Any) -> dict[str, Any]:
    standard = {"x": np.ones((8, 3)), "y": np.zeros(8), "factor": 2.0, "count": np.zeros((), np.int32)}
    return {name: v for name, v in (standard | changes).items() if v is not None}


def test_parameters_are_taken_from_shapes(kernel: Kernel) -> None:
    given = arguments(factor=np.float32(2.5))
    kernel(**given)
    assert given["y"].tolist() == [2.5] * 8
    bound = kernel.bind(**given)
    assert bound.parameters == {"N": 8, "M": 2}
    assert repr(bound) == "Bound(parameters={'N': 8, 'M': 2}, threads=1)"
    assert repr(kernel) == "<Kernel scale(N, M, x, y, factor, count)>"
    given["x"][:] = 3
    bound()
    assert given["y"].tolist() == [7.5] * 8


READ_ONLY = np.zeros(8)
READ_ONLY.flags.writeable = False
WHOLE = np.zeros(40)

REFUSED = [
    ({"z": 1}, "has no argument 'z'; its arguments are N, M, x, y, factor, count"),
    ({"y": None}, "misses its argument 'y'; its arguments are N, M, x, y, factor, count"),
    ({"N": 8.0}, "takes an integer for N, not 8.0 (float)"),
    ({"N": True}, "takes an integer for N, not True (bool)"),
    ({"N": 2**63}, "takes N as a 64-bit integer; 9223372036854775808 does not fit"),
    ({"y": [0.0] * 8}, "takes a numpy array of float64 for y, not list"),
    ({"y": np.zeros(8, np.float32)}, "takes y as an array of float64, not of float32"),
    ({"y": np.zeros((8, 1))}, "takes y with 1 dimensions, not with 2"),
    ({"y": np.zeros(16)[::2]}, "takes y in C order without gaps; copy it there and back"),
    ({"x": np.ones((8, 6))[:, ::2]}, "takes x in C order without gaps; pass numpy.ascontiguousarray(x)"),
    ({"y": np.zeros(65, np.int8)[1:].view(np.float64)}, "takes y aligned to its elements; pass a copy"),
    ({"y": READ_ONLY}, "writes to y, but the array is read-only"),
    ({"N": 7}, "takes y of shape (N), that is (7) for N = 7, M = 2; it has (8,)"),
    ({"M": 5}, "takes x of shape (any, M + 1), that is (any, 6) for N = 8, M = 5; it has (8, 3)"),
    ({"factor": "2"}, "takes a number of type float64 for factor, not '2' (str)"),
    (
        {"count": 3},
        "writes to the scalar count; pass a 0-d array to see the result, such as numpy.array(..., numpy.int32)",
    ),
    (
        {"x": WHOLE[:24].reshape(8, 3), "y": WHOLE[23:31]},
        "takes arrays that do not overlap; x and y share memory",
    ),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_refused_arguments(kernel: Kernel, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelArgumentError) as caught:
        kernel(**arguments(**changes))
    assert str(caught.value) == f"kernel scale {message}"


def test_a_parameter_that_nothing_determines() -> None:
    program = VectorProgram("idle", ("N",), (ArraySpec("x", F64, (2 * affine("N"),)),), ())
    with pytest.raises(KernelArgumentError, match="kernel idle misses its parameter 'N', which no array's shape"):
        compile_program(program)(x=np.zeros(4))
    compile_program(program)(x=np.zeros(4), N=2)


def test_arrays_that_are_only_read_may_be_one() -> None:
    specs = tuple(ArraySpec(n, F64, (None,), read_only=True) for n in "ab")
    x = np.zeros(3)
    compile_program(VectorProgram("both", (), specs, ()))(a=x, b=x)


def test_arguments_of_any_name() -> None:
    """Python's own words, too: C's programmers do not know them."""
    specs = tuple(ArraySpec(name, F64, (affine("cls"),)) for name in ("self", "positional", "named", "lambda"))
    body = (For("i", affine(0), affine("cls"), 1, (Store(Address("self", (affine("i"),), (0,)), Value("f", ONE)),)),)
    first = Let("f", Load(Address("named", (affine(0),), (0,)), ONE))
    idle = compile_program(VectorProgram("idle", ("cls",), specs, (first, *body)))
    x, named = np.zeros(3), np.ones(3)
    idle.bind(**{"self": x, "positional": x.copy(), "named": named, "lambda": x.copy()})()
    assert x.tolist() == [1, 1, 1]
    given: dict[str, Any] = {"self": x, "positional": x.copy(), "named": named + 1, "lambda": x.copy(), "cls": 3}
    idle(**given)
    assert x.tolist() == [2, 2, 2]


def test_pickling(kernel: Kernel) -> None:
    twin = pickle.loads(pickle.dumps(kernel))
    given = arguments()
    twin(**given)
    assert given["y"].tolist() == [2.0] * 8
    assert twin.object_code == kernel.object_code


def test_text_forms(kernel: Kernel) -> None:
    assert kernel.object_code.startswith(b"\x7fELF")
    assert "define void @scale(" in kernel.llvm
    assert "scale:" in kernel.asm
    with pytest.raises(ValueError, match="kind is 'exe'"):
        jit.emit(kernel.program, kind="exe")


def cached(folder: Path) -> list[Path]:
    return sorted((folder / "objects").iterdir())


def test_the_cache_keeps_object_code(tmp_path: Path) -> None:
    first = compile_program(scale(), cache=tmp_path)
    (entry,) = cached(tmp_path)
    written = entry.stat().st_mtime_ns
    second = compile_program(scale(), cache=tmp_path)
    assert second.object_code == first.object_code
    assert [e.stat().st_mtime_ns for e in cached(tmp_path)] == [written]
    compile_program(scale(operator="+"), cache=tmp_path)
    assert len(cached(tmp_path)) == 2


@pytest.mark.parametrize("damage", [b"", b"\x7fELF", b"x" * 500])
def test_damaged_entries_are_replaced(tmp_path: Path, damage: bytes) -> None:
    good = compile_program(scale(), cache=tmp_path).object_code
    (entry,) = cached(tmp_path)
    content = entry.read_bytes()
    entry.write_bytes(damage)
    kernel = compile_program(scale(), cache=tmp_path)
    assert kernel.object_code == good
    assert entry.read_bytes() == content
    given = arguments()
    kernel(**given)
    assert given["y"].tolist() == [2.0] * 8


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("a file where the folder should be")
    assert compile_program(scale(), cache=tmp_path).object_code.startswith(b"\x7fELF")


def test_the_key_covers_target_and_pipeline() -> None:
    target = host_target()
    text = print_llvm(scale(), target)
    keys = {jit.cache_key(text, target, False), jit.cache_key(text, target, True), jit.cache_key("", target, False)}
    assert len(keys) == 3


def test_unknown_functions_are_named() -> None:
    call = Let("v", Apply("no_such_function", (), ONE))
    with pytest.raises(
        CompileError, match=r"the kernel calls no_such_function\(\), which neither libm nor this process has"
    ):
        compile_program(VectorProgram("k", (), (), (call,)))


def test_timing_resets_before_every_sample() -> None:
    runs: list[str] = []
    found = timing.time_call(lambda: runs.append("run"), reset=lambda: runs.append("reset"), samples=3)
    assert len(found.samples) == 3
    assert runs.count("reset") == 5
    assert runs.count("run") == 2 + 3 * found.calls
    assert 0 < found.best <= found.median


@pytest.mark.parametrize(
    ("agreement", "runs", "kept"),
    [
        (0.01, [9.0, 2.0, 2.5, 2.4, 2.01, 2.3], slice(1, 5)),  # 2.0 and 2.01 agree
        (0.0, [9.0, 2.0, 2.5, 2.0, 2.2], slice(1, 4)),  # so do equal runs
        (0.0, [9.0, 2.0, 2.5, 2.4, 2.01, 2.3], slice(1, 6)),
        (0.5, [9.0, 2.0, 2.9], slice(1, 3)),  # two at least
        (0.01, [2.02, 2.01], slice(0, 2)),  # the one that warms up may be one of them
        (0.0, [2.0, 2.0, 3.0, 4.0, 2.0], slice(1, 5)),  # where agreement is asked for
        (0.01, [2e-4, 1e-4, 1.5e-4, 1.005e-4, 1e-4], slice(1, 4)),  # runs as long as a batch
        (0.01, [9e-5, 9e-5, *[3e-5] * 5], slice(2, 7)),  # shorter ones are all taken
    ],
)
def test_runs_that_agree_are_enough(
    monkeypatch: pytest.MonkeyPatch, agreement: float, runs: list[float], kept: slice
) -> None:
    seconds = iter(runs)
    monkeypatch.setattr(timing, "Runner", lambda bound, reset: lambda calls: next(seconds))
    found = timing.time_call(print, samples=5, agreement=agreement, budget_seconds=60.0)
    assert found.samples == tuple(runs[kept])


def test_kernels_are_timed_in_compiled_code(kernel: Kernel) -> None:
    bound = kernel.bind(**arguments())
    found = timing.time_call(bound, samples=4)
    assert found.calls > 1
    assert len(found.samples) == 4
    duel = timing.compare({"a": bound, "b": bound}, rounds=6)
    ratio = duel.ratio("a", "b")
    assert ratio.low <= ratio.value <= ratio.high
    with pytest.raises(ValueError, match="at least 6"):
        timing.compare({"a": bound}, rounds=5)


def test_the_interval_holds_the_middle_ratios() -> None:
    duel = timing.Duel({"a": tuple(map(float, range(1, 12))), "b": (1.0,) * 11})
    # Of 11 values, the second smallest and second largest enclose the median with more than 95%.
    assert duel.ratio("a", "b") == timing.Ratio(6.0, 2.0, 10.0)
    assert timing.Duel({"a": (1.0,) * 5 + (2.0,), "b": (1.0,) * 6}).ratio("a", "b") == timing.Ratio(1.0, 1.0, 2.0)
