"""From coefficients to points, from points to rows, from rows to trees."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

from polyloop.backend.ir.affine import affine
from polyloop.polyhedra.generators import Generators
from polyloop.schedules.isl_scheduler import isl_schedule
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.rows import Schedule, ScheduleRowError, decode
from polyloop.schedules.tree import Band, Leaf, Sequence, original_tree
from polyloop.scop.model import Scop
from tests.helpers.small_scops import assign, gemm, loop, scop, symm

TWO = Generators(2, ((1, Fraction(1, 2)), (0, 1)), ((1, 0),), ((0, 3),))


def stencil() -> Scop:
    """Seidel's dependences in one array."""
    body = loop("j", "1", "n", assign("S", "A[i][j]", "A[i - 1][j + 1]", "A[i][j - 1]"))
    return scop("n", loop("i", "1", "n", body), name="stencil")


def schedule_of(source: Scop, **rows: str) -> Schedule:
    return Schedule.of_rows(source, {name: tuple(_row(t) for t in text.split(",")) for name, text in rows.items()})


def _row(text: str):  # type: ignore[no-untyped-def]
    names = {name: affine(name) for name in ("i", "j", "k", "n", "j2")}
    return affine(eval(text, {"__builtins__": {}}, names))


def test_decoding() -> None:
    """Coefficients of the two vertices, of (1, 0), and of (0, 3) and (0, -3)."""
    assert decode(TWO, (1, 0, 0, 0, 0)) == (2, 1)
    assert decode(TWO, (1, 1, 0, 0, 0)) == (2, 3), "(1/2, 3/4) times 4"
    assert decode(TWO, (0, 2, 2, 1, 0)) == (1, 2)
    assert decode(TWO, (0, 2, 2, 1, 0), divide_by_gcd=False) == (2, 4)
    assert decode(TWO, (0, 1, 0, 0, 0)) == (0, 1)
    assert decode(Generators(2, ((0, 0),), ((1, 0),), ()), (0,)) == (0, 0)


def test_decoding_refuses_what_is_no_point() -> None:
    with pytest.raises(ValueError, match="4 coefficients for 5 generators"):
        decode(TWO, (1, 0, 0, 0))
    with pytest.raises(ValueError, match="the coefficients of the vertices are all zero"):
        decode(TWO, (0, 0, 1, 1, 1))


def test_of_rows_and_back() -> None:
    source = gemm()
    schedule = Schedule.of_tree(source, original_tree(source))
    assert schedule.dimensions == 4
    assert str(schedule).splitlines() == ["S[i, j] -> [i, 0, j, 0]", "T[i, k, j2] -> [i, 1, k, j2]"]
    assert Schedule.of_rows(source, schedule.affine_rows()) == schedule
    assert pickle.loads(pickle.dumps(schedule)) == schedule
    assert len({schedule, Schedule.of_tree(source, original_tree(source))}) == 1


def test_rows_with_divisions_are_refused() -> None:
    source = stencil()
    with pytest.raises(ScheduleRowError, match=r"floord\(i, 4\) is no integer combination of i, j, n, 1"):
        Schedule.of_rows(source, {"S": (affine("i") // 4,)})


def test_the_original_schedule_makes_the_original_loops() -> None:
    source = symm()
    tree = Schedule.of_tree(source, original_tree(source)).to_tree(source, source.dependences())
    assert tree.rows() == original_tree(source).rows()


def test_permutable_bands_and_coincident_loops() -> None:
    source = stencil()
    skewed = schedule_of(source, S="i, i + j").to_tree(source, source.dependences())
    assert str(skewed) == "band permutable\n  [S: i]\n  [S: i + j]"
    plain = schedule_of(source, S="i, j").to_tree(source, source.dependences())
    assert str(plain) == "band permutable\n  [S: i]\n  band permutable\n    [S: j]"
    wave = schedule_of(source, S="2*i + j, i").to_tree(source, source.dependences())
    assert str(wave) == "band permutable\n  [S: 2*i + j]\n  [S: i] coincident"


def test_what_orders_nothing_is_dropped() -> None:
    source = stencil()
    tree = schedule_of(source, S="7, n + 2, i, 3*i + n, i + j, 2*i - j, j").to_tree(source, source.dependences())
    assert str(tree) == "band permutable\n  [S: i]\n  [S: i + j]"


def test_common_factors_and_offsets_leave_a_loop() -> None:
    source = stencil()
    tree = schedule_of(source, S="3*i + n + 4, 2*i + 2*j").to_tree(source, source.dependences())
    assert tree.rows() == schedule_of(source, S="i, i + j").affine_rows()


def test_constants_become_sequences() -> None:
    source = gemm()
    rows = schedule_of(source, S="n - 3, i, j, 0", T="n, i, k, j2")
    tree = rows.to_tree(source, source.dependences())
    assert isinstance(tree.root, Sequence)
    assert [branch.statements for branch in tree.root.branches] == [("S",), ("T",)]
    assert isinstance(prove(source, tree, source.dependences()), Proof)


def test_offsets_that_differ_by_parameters_stay_rows() -> None:
    """0 and n are in order, but no numbers."""
    source = gemm()
    tree = schedule_of(source, S="0, i, j", T="n, k, i").to_tree(source, source.dependences())
    assert isinstance(tree.root, Band)
    assert isinstance(prove(source, tree, source.dependences()), Proof)


def test_instances_may_stay_unordered() -> None:
    source = gemm()
    tree = schedule_of(source, S="-1", T="k").to_tree(source, source.dependences())
    assert str(tree) == "band permutable\n  [S: 0, T: k + 1]"
    assert tree.at((0,)) == Leaf()
    assert isinstance(prove(source, tree, source.dependences()), Proof)


def test_completion_tells_all_instances_apart() -> None:
    source = gemm()
    schedule = schedule_of(source, S="-1", T="k").completed(source)
    assert str(schedule).splitlines() == ["S[i, j] -> [-1, i, j, 0]", "T[i, k, j2] -> [k, i, j2, 1]"]
    tree = schedule_of(source, S="-1", T="k").to_tree(source, source.dependences(), complete=True)
    assert tree == schedule.to_tree(source, source.dependences())
    flat = tree.schedule_map(source)
    assert flat.is_injective()
    assert isinstance(prove(source, tree, source.dependences()), Proof)


def test_isls_schedules_come_back_as_they_are() -> None:
    for source in (gemm(), symm(), stencil()):
        tree = isl_schedule(source, source.dependences("value"))
        again = Schedule.of_tree(source, tree).to_tree(source, source.dependences())
        assert Schedule.of_tree(source, again).dimensions <= Schedule.of_tree(source, tree).dimensions
        assert isinstance(prove(source, again, source.dependences()), Proof)
