"""The passes of planning, one by one."""

from __future__ import annotations

from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.plan import NEST_PASSES, PROGRAM_PASSES
from tests.backend.planning.nests import gemm

AVX2 = shown_target("avx2")


def test_every_pass_is_told_once_and_in_order() -> None:
    seen: list[tuple[str, LoopNest | VectorProgram, float]] = []
    program = plan(gemm(4, 8), AVX2, observe=lambda *what: seen.append(what))
    names = [name for name, _, _ in seen]
    assert names == [*(name for name, _ in NEST_PASSES), "lower", *(name for name, _ in PROGRAM_PASSES)]
    assert len(set(names)) == len(names)
    kinds = [type(code) for _, code, _ in seen]
    assert kinds == [LoopNest] * len(NEST_PASSES) + [VectorProgram] * (1 + len(PROGRAM_PASSES))
    assert all(seconds >= 0 for _, _, seconds in seen)
    assert seen[-1][1] == program


def test_watching_changes_nothing() -> None:
    assert plan(gemm(4, 8), AVX2, observe=lambda *_: None) == plan(gemm(4, 8), AVX2)


def test_each_pass_goes_on_with_what_the_one_before_made() -> None:
    made: dict[str, LoopNest | VectorProgram] = {}
    plan(gemm(4, 8), AVX2, observe=lambda name, code, _: made.update({name: code}))
    versioned, lowered, promoted = (made[name] for name in ("version tiles", "lower", "promote to registers"))
    assert made["simplify bounds"] == made["choose vectors"] != versioned  # the vector loop was one already
    assert isinstance(lowered, VectorProgram)
    assert isinstance(promoted, VectorProgram)
    assert lowered.body != promoted.body
    assert lowered.arrays == promoted.arrays == gemm(4, 8).arrays
