"""Rectangular nests against the polyhedral road: the same code, the same masks, the same results."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polyloop
from polyloop.backend.ir.affine import Affine, Max, Min
from polyloop.backend.ir.interpreter import Array, interpret
from polyloop.backend.ir.loop_nest import Block, Loop, Node
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.backend.run.kernel import compile_program
from polyloop.cursor.actions import NEST_FLAGS, Actions
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.lowering import to_loop_nest, to_tree
from polyloop.cursor.nest import PARALLEL, VECTOR, Nest, place_of, with_kind
from polyloop.cursor.process import NestCursor, NestState
from polyloop.cursor.shapes import shaped
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proof, prove
from polyloop.scop.data import make_data
from polyloop.scop.model import Scop

SCOPS = {
    "matmul": polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", m=20, k=9, n=37),
    "einsum": polyloop.einsum("mk,kn->mn", m=20, k=24, n=33),
    "batched": polyloop.einsum("bmk,bkn->bmn", b=3, m=12, k=8, n=17),
    "convolution": polyloop.tensor("O[y, x, o] += I[y + i, x + j, c] * W[i, j, c, o]", y=6, x=7, i=3, j=2, c=5, o=17),
    "depthwise": polyloop.tensor("O[y, x, c] += I[2*y + i, 2*x + j, c] * W[i, j, c]", y=5, x=9, i=3, j=3, c=20),
    "pooling": polyloop.tensor("O[y, x, c] max= I[2*y + i, 2*x + j, c]", y=5, x=9, c=18, i=2, j=2),
    "elementwise": polyloop.einsum("mn,mn->mn", m=30, n=21),
}


def problem_of(scop: Scop, reassociate: bool = True) -> Contraction:
    problem = Contraction.of(scop, reassociate)
    assert problem is not None
    return problem


PROBLEMS = {name: problem_of(scop) for name, scop in SCOPS.items()}

walks = st.tuples(st.sampled_from(sorted(SCOPS)), st.lists(st.integers(0, 9), max_size=14))


def walked(process: NestCursor, choices: list[int]) -> NestState:
    """The legal actions that the numbers choose, one after the other."""
    state = process.initial()
    for choice in choices:
        legal = [action for action, bit in enumerate(process.actions(state)) if bit]
        state = process.step(state, legal[choice % len(legal)])
    return state


def in_order(node: Node) -> Node:
    """The nest with the operands of minima and maxima sorted: isl does not fix their order."""

    def sorted_operands(value: Affine) -> Affine:
        def one(atom: object) -> Affine:
            if isinstance(atom, Min | Max):
                operands = tuple(sorted(map(sorted_operands, atom.operands), key=str))
                return Affine(((type(atom)(operands), 1),))
            return Affine(((atom, 1),))  # type: ignore[arg-type]

        return value.map_atoms(one)

    match node:
        case Loop(variable, lower_, upper, step, body, kind):
            return Loop(variable, sorted_operands(lower_), sorted_operands(upper), step, in_order(body), kind)
        case Block(children):
            return Block(tuple(map(in_order, children)))
        case _:
            return node


@settings(max_examples=50, deadline=None)
@given(walks)
def test_the_direct_road_gives_the_nest_that_isl_gives(walk: tuple[str, list[int]]) -> None:
    name, choices = walk
    problem = PROBLEMS[name]
    nest = walked(NestCursor(problem), choices).program
    direct, through_isl = to_loop_nest(problem, nest), lower(problem.scop, to_tree(problem, nest))
    assert in_order(direct.body) == in_order(through_isl.body)
    assert (direct.name, direct.arrays, direct.context) == (through_isl.name, through_isl.arrays, through_isl.context)


@settings(max_examples=30, deadline=None)
@given(walks)
def test_every_walk_is_legal_by_the_exact_test(walk: tuple[str, list[int]]) -> None:
    name, choices = walk
    problem = PROBLEMS[name]
    state = walked(NestCursor(problem, Actions.of("native", NEST_FLAGS)), choices)
    verdict = prove(problem.scop, to_tree(problem, state.program), problem.scop.dependences(), reassociate=True)
    assert isinstance(verdict, Proof), str(verdict)


def result(problem: Contraction, nest: Nest) -> Array:
    data = make_data(problem.scop, {})
    program = plan(to_loop_nest(problem, nest), host_target(), reassociate=True)
    compile_program(program)(**data)
    return data[problem.result.array]


@cache
def expected(name: str) -> Array:
    """What the original loops compute, by the interpreter."""
    problem = PROBLEMS[name]
    data = make_data(problem.scop, {})
    interpret(to_loop_nest(problem, problem.start), {}, data)
    return data[problem.result.array]


@settings(max_examples=20, deadline=None)
@given(walks, st.booleans())
def test_every_walk_computes_the_same(walk: tuple[str, list[int]], flags: bool) -> None:
    name, choices = walk
    problem = PROBLEMS[name]
    state = walked(NestCursor(problem, Actions.of("native", NEST_FLAGS if flags else ())), choices)
    found = result(problem, shaped(problem, state.program, host_target()))
    np.testing.assert_allclose(found, expected(name), rtol=2e-5)


def test_without_reassociation_a_floating_point_sum_is_no_vector() -> None:
    problem = problem_of(SCOPS["matmul"], reassociate=False)
    assert problem.vector == {"m", "n"}
    assert PROBLEMS["matmul"].vector == {"m", "k", "n"}
    assert PROBLEMS["matmul"].parallel == problem.parallel == {"m", "n"}


@pytest.mark.parametrize(
    "scop",
    [
        polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", m="M", k=8, n=8),  # a parameter
        polyloop.tensor("H[i] = relu(x[i]); y[i] = H[i]", i=8),
        polyloop.tensor("S[i, j] = pad(I[i - 1, j - 1], 0)\nI: f32[6, 6]", i=8, j=8),
    ],
    ids=["parameter", "two statements", "padding"],
)
def test_what_is_no_contraction(scop: Scop) -> None:
    assert Contraction.of(scop) is None


def test_states_print_with_their_cursor() -> None:
    process = NestCursor(PROBLEMS["matmul"])
    state = process.step(process.step(process.initial(), process.names.index("split_8")), 1)
    assert str(state).splitlines() == [
        "  m 2 + 4",
        ">   m 8",
        "      k 9",
        "        n 37",
        "      n 37 (write-back)",
    ]
    assert hash(state) == hash(NestState(state.program, 1))


@settings(max_examples=20, deadline=None)
@given(walks, st.sampled_from(["vectorize", "parallelize"]), st.booleans())
def test_a_loop_that_may_not_run_at_once_would_break_a_dependence(
    walk: tuple[str, list[int]], flag: str, reassociate: bool
) -> None:
    name, choices = walk
    # Sums over several variables in their own order are no nests of this kind.
    found = Contraction.of(SCOPS[name], reassociate)
    problem = PROBLEMS[name] if found is None else found
    reassociate = problem.reassociate
    process = NestCursor(problem, Actions.of("native", [flag]))
    state = walked(process, [choice for choice in choices if choice < 9])
    reason = process.obstacle(state, process.names.index(flag)) or ""
    place = place_of(state.program, state.cursor)
    at_once = with_kind(state.program, place, VECTOR if flag == "vectorize" else PARALLEL)
    verdict = prove(problem.scop, to_tree(problem, at_once), problem.scop.dependences(), reassociate)
    if "carries a dependence" in reason:
        assert not isinstance(verdict, Proof)
    elif not reason:
        assert isinstance(verdict, Proof)


def test_the_cursor_stays_on_a_loop_that_both_nests_share_again() -> None:
    process = NestCursor(PROBLEMS["einsum"], Actions(flags=NEST_FLAGS))
    state = process.initial()
    for name in ("down", "down", "unroll", "swap_up", "down", "down"):
        state = process.step(state, process.names.index(name))
    assert str(state.program.rows[state.cursor]) == "n 33"
    assert (state.program.shared, state.cursor) == (1, 3)
    state = process.step(state, process.names.index("unroll"))
    assert (state.program.shared, state.cursor) == (2, 1)
    assert any(process.actions(state))
