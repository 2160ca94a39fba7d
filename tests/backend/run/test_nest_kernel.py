"""Kernels of nests, with and without the cache, in which everything that makes a difference has a place of its own."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F64, Access, Binary, Literal, Read
from polyloop.backend.ir.loop_nest import ArraySpec, Compute, Loop, LoopKind, LoopNest
from polyloop.backend.planning.vectors import Options
from polyloop.backend.run import nest_kernel
from polyloop.backend.run.kernel import Kernel
from polyloop.backend.run.nest_kernel import Planning, compile_nest


def scaled(factor: float = 2.0, kind: LoopKind = LoopKind.VECTOR) -> LoopNest:
    """y[i] = factor * x[i]."""
    x, y = (Access(name, (affine("i"),)) for name in "xy")
    body = Compute("S", y, Binary("*", Literal(factor, F64), Read(x, F64), F64))
    arrays = (ArraySpec("x", F64, (affine("n"),), read_only=True), ArraySpec("y", F64, (affine("n"),)))
    return LoopNest("scaled", ("n",), arrays, Loop("i", affine(0), affine("n"), 1, body, kind))


def run(kernel: Kernel) -> list[float]:
    x, y = np.arange(5.0), np.zeros(5)
    kernel(x, out=y)
    result: list[float] = y.tolist()
    return result


@pytest.fixture
def unplanned(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: Any, **_named: Any) -> None:
        raise AssertionError("it was planned")

    monkeypatch.setattr(nest_kernel, "plan", refuse)
    monkeypatch.setattr(nest_kernel, "scalar_program", refuse)


@pytest.mark.parametrize("explicit", [True, False])
def test_with_and_without_the_cache(tmp_path: Path, explicit: bool) -> None:
    planning = Planning(explicit=explicit)
    for _ in range(2):
        assert run(compile_nest(scaled(), planning)) == [0, 2, 4, 6, 8]
        assert run(compile_nest(scaled(), planning, cache=tmp_path)) == [0, 2, 4, 6, 8]
    assert len(list((tmp_path / "nests").iterdir())) == 1


def test_nothing_is_planned_a_second_time(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    compile_nest(scaled(), cache=tmp_path)
    request.getfixturevalue("unplanned")
    kernel = compile_nest(scaled(), cache=tmp_path)
    assert run(kernel) == [0, 2, 4, 6, 8]
    assert run(pickle.loads(pickle.dumps(kernel))) == [0, 2, 4, 6, 8]
    with pytest.raises(AssertionError, match="it was planned"):
        compile_nest(scaled(3.0), cache=tmp_path)


def test_the_program_can_still_be_seen(tmp_path: Path) -> None:
    compile_nest(scaled(), cache=tmp_path)
    kernel = compile_nest(scaled(), cache=tmp_path)
    assert kernel.program == compile_nest(scaled()).program
    assert "vmulpd" in kernel.asm or "fmul" in kernel.llvm
    assert kernel.signature.order == ("n", "x", "y")


VARIANTS: list[tuple[LoopNest, Planning]] = [
    (scaled(), Planning()),
    (scaled(3.0), Planning()),
    (scaled(kind=LoopKind.SEQUENTIAL), Planning()),
    (replace(scaled(), name="other"), Planning()),
    (scaled(), Planning(contract=False)),
    (scaled(), Planning(reassociate=True)),
    (scaled(), Planning(apart=frozenset({"S"}))),
    (scaled(), Planning(explicit=False)),
    (scaled(), Planning(options=Options(straight_vectors=1))),
]


def test_each_variant_has_its_own_entry(tmp_path: Path) -> None:
    for nest, planning in VARIANTS:
        assert run(compile_nest(nest, planning, cache=tmp_path)) == run(compile_nest(nest, planning))
    assert len(list((tmp_path / "nests").iterdir())) == len(VARIANTS)


def test_sets_of_statements_have_no_order() -> None:
    one, other = (Planning(apart=frozenset(names)) for names in ("STUV", "VUTS"))
    assert nest_kernel._planning_text(one) == nest_kernel._planning_text(other)


def test_another_version_of_the_package_compiles_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_nest(scaled(), cache=tmp_path)
    monkeypatch.setattr(nest_kernel, "package_version", lambda: "another")
    compile_nest(scaled(), cache=tmp_path)
    assert len(list((tmp_path / "nests").iterdir())) == 2


def test_a_damaged_entry_is_replaced(tmp_path: Path) -> None:
    compile_nest(scaled(), cache=tmp_path)
    (entry,) = (tmp_path / "nests").iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-1])
    assert run(compile_nest(scaled(), cache=tmp_path)) == [0, 2, 4, 6, 8]
    assert entry.read_bytes() == whole
