"""Sizes for a measurement where nobody gave any."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl

from polyloop.inputs import BYTES, WORK, checked_sizes, default_sizes
from polyloop.scop import Scop
from tests.polyloop.small_scops import assign, gemm, loop, scop

CHOSEN = "chosen for a run of about 50 ms"


def known(chosen: Scop, constraints: str) -> Scop:
    return replace(chosen, context=isl.Set(f"[{', '.join(chosen.parameters)}] -> {{ : {constraints} }}"))


def square() -> Scop:
    return scop("n m", loop("i", "0", "n", loop("j", "0", "m", assign("S", "A[i][j]"))), extents="n + m")


def test_no_parameters() -> None:
    assert default_sizes(scop("", loop("i", "0", "9", assign("S", "A[i]")), extents="9")) == (
        {},
        "the constants of the source",
    )


def test_about_as_many_instances_as_fit_into_50_ms() -> None:
    sizes, origin = default_sizes(gemm())
    n = sizes["n"]
    assert origin == CHOSEN
    assert n**2 + n**3 <= WORK < (1.2 * n) ** 2 + (1.2 * n) ** 3


def test_no_more_data_than_there_is_room_for() -> None:
    stream = scop("n", loop("i", "0", "n", assign("S", "A[i]", "B[i]")), extents="100 * n")
    sizes, _ = default_sizes(stream)
    assert 2 * 8 * 100 * sizes["n"] <= BYTES < 1.2 * 2 * 8 * 100 * sizes["n"]


def test_declared_extents_come_first() -> None:
    assert default_sizes(known(square(), "0 < n <= 200 and 0 < m <= 300")) == (
        {"n": 200, "m": 300},
        "the constants of the array declarations",
    )
    sizes, origin = default_sizes(known(square(), "0 < n <= 200 and m > 0"))
    assert sizes["n"] == 200
    assert sizes["m"] > 1000
    assert origin == f"the constants of the array declarations; m {CHOSEN}"


def test_extents_that_do_not_go_together() -> None:
    sizes, origin = default_sizes(known(square(), "n > 0 and m > 0 and n + m <= 250"))
    assert 110 < sizes["n"] == sizes["m"] <= 125
    assert origin == CHOSEN


def test_whatever_is_allowed() -> None:
    odd = known(square(), "n = 2 m + 1 and m > 70")
    sizes, origin = default_sizes(odd)
    assert checked_sizes(odd, sizes) == sizes
    assert origin == "the only kind of sizes that the code's context allows"
