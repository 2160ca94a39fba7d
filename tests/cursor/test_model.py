"""The analytic model, and the kinds that loops get by themselves: what is known to be faster is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polyloop
from polyloop.backend.machine.machine import machine_named
from polyloop.backend.machine.target import shown_target
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.model import NestModel, _crowded, _trips, _walked, nest_model, reference_model
from polyloop.cursor.nest import SEQUENTIAL, UNROLLED, VECTOR, Loop, Nest
from polyloop.cursor.process import NestCursor
from polyloop.cursor.shapes import shaped


def matmul(m: int, k: int, n: int) -> Contraction:
    problem = Contraction.of(polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", m=m, k=k, n=n))
    assert problem is not None
    return problem


def nest(problem: Contraction, text: str) -> Nest:
    """Like "m64 k256 m4 n64": variables of one letter and sizes, with "+tail"."""
    loops = []
    for word in text.split():
        size, _, tail = word[1:].partition("+")
        loops.append(Loop(word[0], int(size), int(tail or 0)))
    return Nest(tuple(loops), tuple(loop for loop in loops if loop.variable not in problem.reduced))


def share(problem: Contraction, program: Nest) -> float:
    """Of the peak of the machine that rewards are of."""
    model = reference_model()
    return problem.flops / model.seconds(problem, program) * 1e-9 / model.peak(problem)


def fraction(problem: Contraction, text: str) -> float:
    return share(problem, nest(problem, text))


def test_what_is_known_to_be_faster_is() -> None:
    problem = matmul(128, 80, 80)
    order = ["m32 k80 m4 n80", "m128 k80 n80", "k80 m128 n80", "m128 n80 k80"]
    found = [fraction(problem, text) for text in order]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.7
    assert found[-1] < 0.05


def test_data_that_leave_the_first_cache_cost() -> None:
    assert fraction(matmul(128, 80, 80), "m128 k80 n80") > 1.3 * fraction(matmul(128, 512, 80), "m128 k512 n80")


def test_nothing_is_faster_than_the_peak() -> None:
    for text in ("m64 k64 n64", "m16 k64 m4 n64", "k64 m16 n4 m4 n16", "m16 k16 m4 k4 n64", "n64 k64 m64"):
        assert 0 < fraction(matmul(64, 64, 64), text) < 1


@pytest.mark.parametrize(
    ("expression", "instructions"),
    [
        ("A[i, j] += B[i, k, l] * C[k, j] * D[l, j]", 2),
        ("A[i, j] += B[i, k, l] * C[k, j] * D[l, j] * E[i, j]", 3),
        ("A[i, j] += B[i, k] * C[k, j]", 1),
        ("A[i] += B[i, k]", 1),
    ],
)
def test_no_number_of_factors_is_faster_than_the_peak(expression: str, instructions: int) -> None:
    extents = {"i": 32, "k": 16, "l": 16, "j": 64}
    sizes: dict[str, Any] = {name: size for name, size in extents.items() if name in expression}
    problem = Contraction.of(polyloop.tensor(expression, **sizes))
    assert problem is not None
    assert problem.pattern.instructions == instructions
    cursor = NestCursor(problem, length=None)
    random, seen = np.random.default_rng(0), [cursor.initial()]
    for _ in range(600):
        state = seen[int(random.integers(len(seen)))]
        seen.append(cursor.step(state, int(random.choice(np.flatnonzero(cursor.actions(state))))))
    shares = [share(problem, s.program) for s in seen]
    # Of an instruction's two operations at most, an execution has so many.
    assert max(shares) <= problem.flops / problem.points / (2 * instructions)


def test_loops_around_loops_of_one_size_cost_no_other_body() -> None:
    problem = matmul(128, 80, 80)
    assert fraction(problem, "m16 m8 k80 n80") == pytest.approx(fraction(problem, "m128 k80 n80"), rel=0.02)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("m64 k64 n64", "--v"),
        ("m16 k64 m4 n64", "--uv"),
        ("m8 k64 m8 n64", "---v"),  # 32 vectors of results do not fit
        ("m16 k16 k4 m4 n64", "---uv"),  # the sum around the tile stays a loop
        ("m16 k16 m4 k4 n32", "--uuv"),
        ("m16 k64 n64 m4", "--uv"),  # the vector comes last
        ("m64 n64 k64", "-v-"),  # along k the accesses of B are not contiguous
        ("k64 n64 m64", "-v-"),  # 256 vector operations are too many for straight-line code
        ("n64 k64 m64", "v--"),
        ("m8 n8 k64 n8 m8", "---uv"),
    ],
)
def test_kinds(text: str, kinds: str) -> None:
    problem = matmul(64, 64, 64)
    found = shaped(problem, nest(problem, text), reference_model().target).compute
    assert "".join({SEQUENTIAL: "-", VECTOR: "v", UNROLLED: "u"}[loop.kind] for loop in found) == kinds


def test_given_kinds_are_kept_and_narrow_machines_take_smaller_tiles() -> None:
    problem = matmul(64, 64, 64)
    given = nest(problem, "m16 k64 m4 n64")
    own = given._replace(compute=(*given.compute[:2], given.compute[2]._replace(kind=UNROLLED), given.compute[3]))
    assert shaped(problem, own, reference_model().target) is own
    narrow = shown_target("avx2")
    assert [loop.kind for loop in shaped(problem, given, narrow).compute] == [
        SEQUENTIAL,
        SEQUENTIAL,
        SEQUENTIAL,
        VECTOR,
    ]


def test_sixteen_registers_hold_a_tile_of_six_rows_by_two_vectors() -> None:
    problem, avx2 = matmul(96, 64, 64), shown_target("avx2")
    found = shaped(problem, nest(problem, "n4 m16 k64 m6 n16"), avx2).compute
    assert [loop.kind for loop in found] == [SEQUENTIAL, SEQUENTIAL, SEQUENTIAL, UNROLLED, VECTOR]
    found = shaped(problem, nest(problem, "n4 m12 k64 m8 n16"), avx2).compute
    assert [loop.kind for loop in found] == [SEQUENTIAL, SEQUENTIAL, SEQUENTIAL, SEQUENTIAL, VECTOR]


def convolution(expression: str = "O[y, x, o] += I[y + i, x + j, c] * W[i, j, c, o]", **sizes: Any) -> Contraction:
    problem = Contraction.of(polyloop.tensor(expression, **sizes))
    assert problem is not None
    return problem


def test_windows_that_overlap_are_fetched_once() -> None:
    depthwise = "O[y, x, c] += I[y + i, x + j, c] * W[i, j, c]"
    problem = convolution(depthwise, y=14, x=14, i=5, j=5, c=16)
    # 18 x 18 x 16 elements of the input stay in the first cache; 14 x 14 windows of 25 would not.
    assert fraction(problem, "y14 i5 j5 x14 c16") > 0.6


def test_a_tail_with_too_few_sums_to_hide_the_latency_costs() -> None:
    whole = fraction(convolution(y=8, x=8, i=3, j=3, c=64, o=32), "y8 i3 j3 x2 c64 x4 o32")
    partial = fraction(convolution(y=8, x=9, i=3, j=3, c=64, o=32), "y8 i3 j3 x2+1 c64 x4 o32")
    assert partial < 0.9 * whole


def test_results_that_do_not_fit_the_registers_cost() -> None:
    problem = convolution(y=14, x=14, i=3, j=3, c=64, o=64)
    assert fraction(problem, "y14 i3 c64 o64 x14 j3") < 0.5 * fraction(problem, "y14 x2 o2 i3 j3 c64 x7 o32")


def test_strides_of_powers_of_two_crowd_the_sets_of_a_cache() -> None:
    # Blocks of 128 x 32 of B: 4 rows of lines to a set at a stride of 256 elements, all sets at 272.
    crowded, even = matmul(64, 128, 1024), matmul(64, 128, 1040)
    assert fraction(crowded, "n32 m16 k128 m4 n32") < fraction(even, "n32+16 m16 k128 m4 n32")


def test_every_machine_has_its_own_best_nests() -> None:
    """A tile of 8 rows by 2 vectors fits 32 registers, and is spilled by 16."""
    problem = matmul(128, 128, 128)
    wide, narrow = (nest_model(machine_named(name)) for name in ("zen5", "zen3"))

    def seconds(model: NestModel, rows: int) -> float:
        lanes = model.machine.vector_bits // 32
        text = f"n{64 // lanes} m{128 // rows} k128 m{rows} n{2 * lanes}"
        return model.seconds(problem, nest(problem, text))

    assert seconds(wide, 8) < seconds(wide, 4)
    assert seconds(narrow, 8) > seconds(narrow, 4)
    assert narrow.peak(problem) == narrow.machine.peak_gflops(32)


def test_lines_that_fall_unevenly_on_sets_take_no_less_room() -> None:
    """So the model need not look further out than where lines alone fit, and what it finds there is the same."""
    random = np.random.default_rng(3)
    for _ in range(60):
        problem = matmul(*(int(random.choice([7, 48, 64, 96, 256, 1024])) for _ in "mkn"))
        process = NestCursor(problem)
        state = process.initial()
        for _ in range(8):
            legal = np.flatnonzero(process.actions(state))
            state = process.step(state, int(random.choice(legal)))
        loops = state.program.compute
        trips = _trips(problem.pattern, loops)
        for access in (*problem.reads, problem.result):
            lines, jumps = _walked(access, loops, trips, 64)
            for first in range(len(loops)):
                crowded = _crowded(jumps, trips, lines[first], 64, 64, first)
                assert crowded >= lines[first]
                # What stands outside does not matter.
                (alone, *_), inside = _walked(access, loops[first:], trips[first:], 64)
                assert _crowded(inside, trips[first:], alone, 64, 64, 0) == crowded
