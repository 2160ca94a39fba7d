"""Parallel loops on libgomp and on the pool: each iteration once, nested regions on one thread, no threads left."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any

import numpy as np
import pytest

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F64, Access, Binary, Literal, Read
from polyloop.backend.ir.loop_nest import ArraySpec, Compute, Loop, LoopKind, LoopNest
from polyloop.backend.run import jit
from polyloop.backend.run.kernel import Kernel
from polyloop.backend.run.nest_kernel import compile_nest

I, J = affine("i"), affine("j")  # noqa: E741


def counting(kinds: tuple[LoopKind, LoopKind] = (LoopKind.PARALLEL, LoopKind.SEQUENTIAL)) -> LoopNest:
    """x[i][j] += 1, so that an iteration that is missing or done twice shows."""
    x = Access("x", (I, J))
    body = Compute("S", x, Binary("+", Read(x, F64), Literal(1.0, F64), F64))
    inner = Loop("j", affine(0), affine("n"), 1, body, kinds[1])
    arrays = (ArraySpec("x", F64, (affine("m"), affine("n"))),)
    return LoopNest("counting", ("m", "n"), arrays, Loop("i", affine(0), affine("m"), 1, inner, kinds[0]))


@pytest.fixture(params=["libgomp", "pool"])
def runtime(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "pool":
        monkeypatch.setattr(jit, "threads_runtime", jit.own_runtime)
    elif not jit.libgomp():
        pytest.skip("libgomp is not installed")
    return str(request.param)


def run(kernel: Kernel, shape: tuple[int, int] = (13, 7)) -> Any:
    x = np.zeros(shape)
    kernel(x)
    return x


@pytest.mark.parametrize("count", [1, 2, 3, 8, 20])
@pytest.mark.parametrize("shape", [(13, 7), (1, 5), (0, 5), (2, 1)])
def test_every_iteration_once(runtime: str, count: int, shape: tuple[int, int]) -> None:
    kernel = compile_nest(counting(), threads=count)
    assert kernel.threads == count
    for _ in range(3):
        assert (run(kernel, shape) == 1).all()


def test_nested_regions(runtime: str) -> None:
    for kinds in ((LoopKind.PARALLEL, LoopKind.PARALLEL), (LoopKind.SEQUENTIAL, LoopKind.PARALLEL)):
        assert (run(compile_nest(counting(kinds), threads=2)) == 1).all()


def test_kernels_called_from_several_threads(runtime: str) -> None:
    kernel = compile_nest(counting(), threads=2)
    results: list[Any] = []
    callers = [threading.Thread(target=lambda: results.append(run(kernel, (50, 20)))) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(results) == 4
    assert all((result == 1).all() for result in results)


# --- the pool ---------------------------------------------------------------------------------------------------------

REGION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def members(pool: jit.Pool, count: int) -> list[tuple[int, int, int]]:
    """(number, size of the team, thread) of every member of a region."""
    seen: list[tuple[int, int, int]] = []
    region = REGION(lambda _: seen.append((pool.number(), pool.count(), threading.get_ident())))
    pool.run(address(region), 0, count)
    return sorted(seen)


@pytest.mark.parametrize("count", [2, 5])
def test_a_team(count: int) -> None:
    pool = jit.Pool()
    found = members(pool, count)
    assert [member[:2] for member in found] == [(number, count) for number in range(count)]
    assert found[0][2] == threading.get_ident()
    assert threading.get_ident() not in {member[2] for member in found[1:]}
    assert (pool.number(), pool.count()) == (0, 1)


def test_a_team_in_a_team_has_one_member() -> None:
    pool, seen = jit.Pool(), []
    inner = REGION(lambda _: seen.append((pool.number(), pool.count())))
    outer = REGION(lambda _: pool.run(address(inner), 0, 4))
    pool.run(address(outer), 0, 3)
    assert seen == [(0, 1)] * 3


def test_larger_and_smaller_teams_after_each_other() -> None:
    pool = jit.Pool()
    for count in (2, 6, 3, 9, 1):
        assert [member[:2] for member in members(pool, count)] == [(n, count) for n in range(count)]


def test_no_threads_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise RuntimeError("can't start new thread")

    pool = jit.Pool()
    monkeypatch.setattr(pool, "_submit", refuse)
    found = members(pool, 4)
    assert found == [(number, 4, threading.get_ident()) for number in range(4)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_starts_threads_of_its_own() -> None:
    pool = jit.Pool()
    members(pool, 3)
    pool._reset()  # what the system calls in the child
    assert [member[:2] for member in members(pool, 3)] == [(n, 3) for n in range(3)]
