"""Quotients of integers in lanes: exact, whatever the numbers are, and without what C leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.lanes import computes, widest_lane
from polyloop.backend.planning.quotients import with_quotients
from polyloop.backend.planning.values import divides_integers
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.transforms import Vectorize
from tests.helpers.running import Arrays, c_of, call_program, compiled, load_c, require

KINDS: dict[str, Any] = {"int": np.int32, "unsigned": np.uint32, "short": np.int16, "unsigned char": np.uint8}
COUNT = 4096


def nest_of(kind: str, body: str) -> LoopNest:
    head = f"void f(int n, {kind} q[n], {kind} r[n], const {kind} a[n], const {kind} d[n], {kind} by)"
    (scop,) = read_source("t.c", text=f"{head}\n{{\n  for (int i = 0; i < n; i++) {{ {body} }}\n}}\n", auto=True).scops
    return lower(scop, Vectorize((), 0).apply(original_tree(scop)))


def numbers(kind: str, seed: int = 7) -> Arrays:
    """Multiples of divisors and their neighbours, small and large ones, ends of the type; no quotients that C lacks."""
    limits, rng = np.iinfo(KINDS[kind]), np.random.default_rng(seed)
    wide = rng.integers(limits.min, limits.max, COUNT, endpoint=True)
    divisors = np.where(rng.random(COUNT) < 0.5, wide >> rng.integers(0, limits.bits, COUNT), rng.integers(1, 9, COUNT))
    divisors[divisors == 0] = 1
    times = rng.integers(limits.min, limits.max, COUNT, endpoint=True) // np.abs(divisors)
    dividends = np.clip(times * divisors + rng.integers(-1, 2, COUNT), limits.min, limits.max)
    dividends[:64], divisors[:64] = limits.max, [1, 2, 3, limits.max, limits.max - 1, 7, limits.max // 2, 10] * 8
    dividends[64:128], divisors[64:128] = limits.min, [1, 2, 3, limits.max, limits.min or 1, 7, 5, 10] * 8
    divisors[(dividends == limits.min) & (divisors == -1)] = 1
    empty = np.zeros(COUNT, KINDS[kind])
    return {"q": empty, "r": empty.copy(), "a": dividends.astype(KINDS[kind]), "d": divisors.astype(KINDS[kind])}


def expected(arrays: Arrays, by: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Quotients that are rounded towards zero, and rests."""
    a, d = arrays["a"].astype(np.int64), arrays["d"].astype(np.int64) if by is None else np.int64(by)
    quotient = np.abs(a) // np.abs(d) * np.sign(a) * np.sign(d)
    return quotient, a - quotient * d


BOTH = "q[i] = a[i] / d[i]; r[i] = a[i] % d[i];"
BY_ONE = BOTH.replace("d[i]", "by")


@pytest.mark.parametrize("kind", KINDS)
def test_quotients_by_elements_are_exact(kind: str) -> None:
    arrays = numbers(kind)
    found = compiled(plan(nest_of(kind, BOTH), host_target()), {"n": COUNT}, arrays, contract=True)
    for name, result in zip("qr", expected(arrays), strict=True):
        assert np.array_equal(found[name], result.astype(KINDS[kind]))


@pytest.mark.parametrize("by", [1, 2, 3, 7, 49, 113, 127])
@pytest.mark.parametrize("kind", KINDS)
def test_quotients_by_a_parameter_are_exact(kind: str, by: int) -> None:
    arrays = numbers(kind) | {"by": np.array(by, KINDS[kind])}
    found = compiled(plan(nest_of(kind, BY_ONE), host_target()), {"n": COUNT}, arrays, contract=True)
    for name, result in zip("qr", expected(arrays, by), strict=True):
        assert np.array_equal(found[name], result.astype(KINDS[kind]))


def test_every_quotient_of_small_numbers_is_exact() -> None:
    """In floats, as bytes and shorts are."""
    nest = nest_of("short", "q[i] = (a[i] & 1023) / (d[i] & 511);")
    dividends = np.repeat(np.arange(1024, dtype=np.int16), 511)
    divisors = np.tile(np.arange(1, 512, dtype=np.int16), 1024)
    arrays = {"a": dividends, "d": divisors, "q": np.zeros_like(dividends)}
    found = compiled(plan(nest, host_target()), {"n": len(dividends)}, arrays, contract=True)
    assert np.array_equal(found["q"], dividends // divisors)


FAST = (
    *("-O3", "-fno-math-errno", "-freciprocal-math", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"),
    "-ffinite-math-only",
)
"""-Ofast but for what it links: gcc's start-up code would have this process, and the tests after this one, flush
subnormal numbers to zero."""


@pytest.mark.parametrize("level", [("-O2",), FAST], ids=["exact", "fast"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_c_divides_exactly(compiler: str, level: tuple[str, ...], tmp_path: Path) -> None:
    """Where compilers multiply by reciprocals, too."""
    require(compiler)
    programs = {
        f"{kind.split()[-1]}_{number}": plan(nest_of(kind, body), host_target())
        for kind in KINDS
        for number, body in enumerate((BOTH, BY_ONE))
    }
    flags = ("-shared", "-fPIC", "-march=native", *level)
    library = load_c(c_of(programs), tmp_path, compiler, flags=flags)
    for kind in KINDS:
        for number, by in ((0, None), *((1, by) for by in (1, 3, 7, 49, 113))):
            arrays = numbers(kind) | {"by": np.array(by or 0, KINDS[kind])}
            name = f"{kind.split()[-1]}_{number}"
            found = call_program(library, programs[name], name, {"n": COUNT}, arrays)
            for array, result in zip("qr", expected(arrays, by), strict=True):
                assert np.array_equal(found[array], result.astype(KINDS[kind])), (kind, by)


def test_lanes_have_no_division_of_integers() -> None:
    changed = with_quotients(nest_of("int", "q[i] = a[i] / d[i] + r[i] % by;"))
    values = [node for c in computes(changed.body) for node in e.walk_values(c.value)]
    assert not any(map(divides_integers, values))


def test_small_numbers_are_divided_in_floats() -> None:
    """Of 32 bits, as the ints that C computes with."""
    loop = with_quotients(nest_of("unsigned char", "q[i] = (a[i] * 7 + 3) / (d[i] + 1);")).body
    assert widest_lane(loop) == 32  # type: ignore[arg-type]


def test_literals_and_loops_without_lanes_stay() -> None:
    nest = nest_of("int", "q[i] = a[i] / 10 + r[i] % 3;")
    assert with_quotients(nest) is nest
    head = "void f(int n, int q[n], const int a[n], const int d[n])"
    (scop,) = read_source("t.c", text=f"{head} {{ for (int i = 0; i < n; i++) q[i] = a[i] / d[i]; }}", auto=True).scops
    nest = lower(scop, original_tree(scop))
    assert with_quotients(nest) is nest


def test_lanes_that_c_leaves_out_may_divide_by_zero() -> None:
    nest = nest_of("int", "if (d[i] != 0) q[i] = a[i] / d[i];")
    arrays = numbers("int")
    arrays["d"][::3] = 0
    found = compiled(plan(nest, host_target()), {"n": COUNT}, arrays, contract=True)
    safe = {**arrays, "d": np.where(arrays["d"] == 0, 1, arrays["d"])}
    wanted = np.where(arrays["d"] == 0, 0, expected(safe)[0])
    assert np.array_equal(found["q"], wanted.astype(np.int32))
