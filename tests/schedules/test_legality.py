"""Proofs and violations on small Scops; agreement with enumeration is in transforms/test_properties.py."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl
import pytest

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.frontend import read_source
from polyloop.schedules import legality
from polyloop.schedules.legality import Proof, Violation, annotated, coincident, own_arrays, permutable, prove
from polyloop.schedules.tree import Band, Leaf, Member, ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.support.isl_limits import OperationLimitError, limited
from tests.helpers.checking import violated
from tests.helpers.small_scops import assign, gemm, loop, scop


def wave() -> Scop:
    """A[i+1][j] depends on A[i][j+1]: distance (1, -1)."""
    body = loop("j", "0", "n", assign("S", "A[i + 1][j]", "A[i][j + 1]"))
    return scop("n", loop("i", "0", "n", body), name="wave")


def total() -> Scop:
    return scop("n", loop("i", "0", "n", assign("S", "s", "s", "A[i]")), name="total")


def one_band(*members: Member, scop_: Scop) -> ScheduleTree:
    return ScheduleTree(tuple(s.name for s in scop_.statements), Band(members, False, Leaf()))


def member(row: str, divisor: int = 1, kind: LoopKind = LoopKind.SEQUENTIAL, sign: int = 1) -> Member:
    return Member((("S", affine(row) * sign),), divisor, kind=kind)


ROW_I, ROW_J = member("i"), member("j")


def test_the_original_order_is_proven() -> None:
    source = gemm()
    proof = prove(source, original_tree(source), source.dependences())
    assert proof == Proof(dependences=2, statement_pairs=2, simultaneous_loops=0)
    assert str(proof) == "2 dependences between 2 statement pairs kept"


def test_a_violation_names_dependence_pair_and_member() -> None:
    tree = one_band(ROW_J, ROW_I, scop_=wave())
    violation = violated(wave(), tree, wave().dependences())
    assert violation is not None
    assert str(violation) == "dependence S[i,j] -> S[i+1,j-1] would be reversed (RAW on A)"
    assert violation.place == ((), 0)
    (parameter,) = violation.parameters
    assert parameter[0] == "n"
    assert violation.target == (violation.source[0] + 1, violation.source[1] - 1)
    assert all(0 <= value < parameter[1] for value in (*violation.source, *violation.target))


def test_instances_stand_for_distances_that_vary() -> None:
    source = total()
    tree = one_band(member("i", sign=-1), scop_=source)
    violation = violated(source, tree, source.dependences())
    assert violation is not None
    assert violation.pair == "S[0] -> S[1] (for n = 2)"


def test_no_order_at_all_is_a_violation() -> None:
    tree = one_band(member("i", divisor=4), scop_=total())
    violation = violated(total(), tree, total().dependences())
    assert violation is not None
    assert violation.reason == "would have no order"
    assert violation.place is None


@pytest.mark.parametrize(
    ("members", "legal"),
    [
        ((member("i", 32), member("j", 32), ROW_I, ROW_J), False),
        ((member("i", 32), ROW_I, member("j", 32), ROW_J), True),
        ((ROW_I, member("j", 32), ROW_J), True),
        # Rows of tiles that never hold two dependent instances: the floors matter.
        ((member("i", 2), member("j", 2, sign=-1), ROW_I, ROW_J), True),
        ((member("i", 2), member("j", 2, sign=-1), ROW_J, ROW_I), False),
    ],
)
def test_tiles_are_decided_exactly(members: tuple[Member, ...], legal: bool) -> None:
    assert (violated(wave(), one_band(*members, scop_=wave()), wave().dependences()) is None) == legal


def test_a_vector_loop_must_not_carry() -> None:
    carrying = one_band(replace(ROW_I, kind=LoopKind.VECTOR), ROW_J, scop_=wave())
    inner = one_band(ROW_I, replace(ROW_J, kind=LoopKind.VECTOR), scop_=wave())
    violation = violated(wave(), carrying, wave().dependences())
    assert violation is not None
    assert str(violation) == "dependence S[i,j] -> S[i+1,j-1] is carried by a vector loop (RAW on A)"
    assert violation.place == ((), 0)
    proof = prove(wave(), inner, wave().dependences())
    assert str(proof) == "1 dependence between 1 statement pair kept, 1 vector or parallel loop shown to carry none"


def test_a_tile_loop_may_be_parallel_only_if_no_tile_depends_on_another() -> None:
    tiles = one_band(ROW_I, member("j", 8, LoopKind.PARALLEL), ROW_J, scop_=wave())
    assert violated(wave(), tiles, wave().dependences()) is None
    tiles = one_band(member("i", 8, LoopKind.PARALLEL), ROW_I, ROW_J, scop_=wave())
    violation = violated(wave(), tiles, wave().dependences())
    assert violation is not None
    assert violation.reason == "is carried by a parallel loop"


FILL = "for (int k = 0; k < 4; k++) row[k] = a[i][k] * k;"
USE = "for (int j = 0; j < n; j++) a[i][j] += row[j % 4];"


@pytest.mark.parametrize(
    ("inside", "behind", "own"),
    [
        (f"{FILL} {USE}", "", True),
        (f"{FILL} {USE}", "b[t] = row[2];", False),
        (f"if (i == 0) {{ {FILL} }} {USE}", "", False),
        (f"{USE} {FILL}", "", False),
        (f"if (t == 0) {{ {FILL} }} {USE}", "", False),
    ],
    ids=["in each iteration", "read behind the loop", "from the first", "from the one before", "from a loop around"],
)
def test_threads_have_their_own_of_what_no_other_iteration_reads(inside: str, behind: str, own: bool) -> None:
    loops = f"for (int t = 0; t < 3; t++) {{ for (int i = 0; i < n; i++) {{ {inside} }} {behind} }}"
    text = f"void f(int n, double a[n][n], double b[n]) {{ double row[4];\n#pragma scop\n{loops}\n#pragma endscop\n}}"
    (source,) = read_source("x.c", text=text).scops
    source = replace(source, arrays=tuple(replace(a, local=a.local or a.name == "row") for a in source.arrays))
    tree = original_tree(source)
    path = next(path for path, _ in tree.bands() if len(tree.members_above(path)) == 1)
    band = tree.at(path)
    assert isinstance(band, Band)
    parallel = tree.replaced(path, replace(band, members=(replace(band.members[0], kind=LoopKind.PARALLEL),)))
    assert own_arrays(source, parallel) == {(path, 0): frozenset({"row"} if own else ())}
    proof = prove(source, parallel, source.dependences())
    assert isinstance(proof, Proof) == own
    if own:
        assert str(proof).endswith("shown to carry none but on row, of which each thread has its own")


@pytest.mark.parametrize(
    ("kind", "sign", "legal"),
    [
        (LoopKind.SEQUENTIAL, -1, True),
        (LoopKind.VECTOR, 1, True),
        (LoopKind.PARALLEL, 1, False),
    ],
)
def test_reassociation_frees_reductions_but_not_from_races(kind: LoopKind, sign: int, legal: bool) -> None:
    source = total()
    tree = one_band(member("i", kind=kind, sign=sign), scop_=source)
    assert isinstance(violated(source, tree, source.dependences()), Violation)
    assert (violated(source, tree, source.dependences(), reassociate=True) is None) == legal


def test_a_proof_says_what_was_left_free() -> None:
    tree = one_band(member("i", sign=-1), scop_=total())
    proof = prove(total(), tree, total().dependences(), reassociate=True)
    assert str(proof) == "0 dependences between 1 statement pair kept, 1 reduction dependence left free"


def test_coincident_and_permutable() -> None:
    dependences = wave().dependences()
    tree = one_band(ROW_I, ROW_J, scop_=wave())
    assert [coincident(tree, (), k, dependences) for k in range(2)] == [False, True]
    assert not permutable(tree, (), dependences)
    skewed = one_band(ROW_I, Member((("S", affine("i") + affine("j")),)), scop_=wave())
    assert permutable(skewed, (), dependences)


def test_annotated_sets_both_flags() -> None:
    tree = annotated(original_tree(wave()), wave().dependences())
    assert str(tree) == (
        "band permutable\n  [S: i]\n  band permutable\n    [S: j] coincident"
    )  # fmt: skip


def test_too_many_operations_are_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    source = gemm()
    tree, dependences = original_tree(source), source.dependences()
    monkeypatch.setattr(legality, "limited", lambda: limited(1))
    monkeypatch.setattr(legality, "_decide", legality._decide.__wrapped__)  # what is known is not decided anew
    violation = violated(source, tree, dependences)
    assert violation is not None
    assert violation.reason == "could not be decided within the operation limit"
    assert isl.DEFAULT_CONTEXT.get_max_operations() == 0


def test_limits_nest_and_are_restored() -> None:
    context = isl.DEFAULT_CONTEXT
    with limited(10_000_000):
        with pytest.raises(OperationLimitError, match="more than 1 operations"), limited(1):
            isl.Set("[n] -> { [i] : exists e : 2e = i and 0 <= i < n }").coalesce().is_empty()
        assert context.get_max_operations() == 10_000_000
    assert context.get_max_operations() == 0


def test_a_tree_without_all_statements_is_no_proof() -> None:
    tree = one_band(ROW_I, ROW_J, scop_=wave())
    with pytest.raises(ValueError, match="not all the statements of gemm"):
        violated(gemm(), tree, gemm().dependences())
