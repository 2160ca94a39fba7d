"""The verifier of schedule trees: every rule, broken once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyloop.backend.errors import VerificationError
from polyloop.backend.ir.affine import affine
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import prove
from polyloop.schedules.tree import Band, Branch, Leaf, Member, Node, Packing, ScheduleTree, Sequence, original_tree
from polyloop.schedules.verify import verify
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.transforms import TRANSFORMS, Tile
from tests.helpers.programs import to_scop
from tests.helpers.random_scops import random_program
from tests.helpers.small_scops import gemm

ROW, COLUMN = affine("i"), affine("j")


def member(*rows: tuple[str, object], **other: object) -> Member:
    return Member(tuple(rows), **other)  # type: ignore[arg-type]


BOTH = member(("S", ROW), ("T", ROW))
ALONE = Band((member(("S", ROW), packings=(Packing("T", "A[i]", (0,)),)),), False, Leaf())
APART = Sequence((Branch(("S",), Leaf()), Branch(("T",), Leaf())))


@pytest.mark.parametrize(
    ("root", "message"),
    [
        (Band((), False, Leaf()), "schedule tree at (): a band has at least one member"),
        (
            Band((BOTH, member(("S", COLUMN))), False, APART),
            "schedule tree at (): member 1: it has a row for each of S, T, not for S",
        ),
        (
            Band((member(("T", ROW), ("S", ROW)),), False, APART),
            "schedule tree at (): member 0: it has a row for each of S, T, not for T, S",
        ),
        (
            Band((replace(BOTH, divisor=0),), False, APART),
            "schedule tree at (): member 0: a divisor is at least 1, not 0",
        ),
        (
            Band((replace(BOTH, prefetches=(("A", 0),)),), False, APART),
            "schedule tree at (): member 0: A is prefetched at least 1 iteration ahead, not 0",
        ),
        (
            Sequence((Branch(("S",), ALONE), Branch(("T",), Leaf()))),
            "schedule tree at (0,): member 0: A[i] is packed for T, which is not below",
        ),
        (
            Band((replace(BOTH, packings=(Packing("T", "A[i]", (0, 0)),)),), False, APART),
            "schedule tree at (): member 0: the copy of A[i] has a panel of 0 and axes (0, 0)",
        ),
        (
            Band((BOTH,), False, Sequence((Branch(("S",), Leaf()),))),
            "schedule tree at (0,): the branches of a sequence share out S, T, not S",
        ),
        (
            Sequence((Branch(("S",), Leaf()), Branch(("T", "S"), Leaf()))),
            "schedule tree at (): the branches of a sequence share out S, T, not S, T, S",
        ),
        (
            Sequence((Branch(("S", "T"), Leaf()), Branch((), Leaf()))),
            "schedule tree at (): every branch of a sequence has a statement",
        ),
    ],
)
def test_rules(root: Node, message: str) -> None:
    tree = ScheduleTree(("S", "T"), root)
    with pytest.raises(VerificationError) as error:
        verify(tree)
    first, title, *shown = str(error.value).splitlines()
    assert first == message
    assert title == "  the tree"
    assert shown == (
        [f"    {line}" for line in str(tree).splitlines()] if "divisor" not in first else [f"    {tree!r}"]
    )


def test_statements() -> None:
    with pytest.raises(VerificationError, match=r"^schedule tree: a statement is in the tree once, S more often"):
        verify(ScheduleTree(("S", "S"), Leaf()))
    tree = ScheduleTree(("T", "S"), APART)
    with pytest.raises(VerificationError, match=r"^schedule tree: its statements are those of gemm \(S, T\), not T, S"):
        verify(tree, gemm())


def foreign(scop: Scop) -> ScheduleTree:
    """The tree of a Scop with one row that uses what there is not."""
    tree = original_tree(scop)
    band = tree.root
    assert isinstance(band, Band)
    rows = tuple((name, affine("elsewhere")) for name, _ in band.members[0].rows)
    return replace(tree, root=replace(band, members=(replace(band.members[0], rows=rows),)))


def test_rows_use_iterators_and_parameters() -> None:
    verify(foreign(gemm()))
    with pytest.raises(VerificationError, match="the row elsewhere of S uses elsewhere; there are i, j, n"):
        verify(foreign(gemm()), gemm())


def test_trees_are_verified_before_they_are_proven_and_lowered() -> None:
    scop = gemm()
    with pytest.raises(VerificationError, match="made by what is proven for gemm"):
        prove(scop, foreign(scop), memory_dependences(scop))
    with pytest.raises(VerificationError, match="made by what is lowered for gemm"):
        lower(scop, foreign(scop))


def test_transforms_are_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    scop = gemm()
    transform = Tile((), (4,))
    monkeypatch.setattr(Tile, "rewritten", lambda _, tree: replace(tree, root=Band((), False, Leaf())))
    with pytest.raises(VerificationError, match=r"made by tile\(path=\(\), sizes=\(4,\)\)"):
        transform.apply(original_tree(scop))
    monkeypatch.setenv("POLYLOOP_VERIFY", "0")
    assert transform.apply(original_tree(scop)).root == Band((), False, Leaf())


@pytest.mark.parametrize("seed", range(40))
def test_what_transforms_make_is_well_formed(seed: int) -> None:
    scop = to_scop(random_program(seed))
    tree = original_tree(scop)
    verify(tree, scop)
    for kind in TRANSFORMS.values():
        for candidate in kind.candidates(tree):
            verify(candidate.rewritten(tree), scop)
