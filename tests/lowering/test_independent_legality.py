"""The independent script: it finds illegal orders, and none among the schedules that polyloop proves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.frontend import read_source
from polyloop.schedules.tree import ScheduleTree, Sequence, original_tree
from polyloop.scop.model import Scop
from tests.helpers.enumeration import broken
from tests.lowering.independent_legality import Tally, main, trace

SIZES = {"n": 5}


def scop(body: str, signature: str = "int n, double *a, double *b") -> Scop:
    (found,) = read_source("x.c", text=f"void f({signature})\n{{\n{body}\n}}\n", auto=True).scops
    return found


def reversed_(tree: ScheduleTree) -> ScheduleTree:
    """All loops run backwards."""
    for path, band in tree.bands():
        members = tuple(replace(m, rows=tuple((name, -1 * row) for name, row in m.rows)) for m in band.members)
        tree = tree.replaced(path, replace(band, members=members))
    return tree


def of_kind(tree: ScheduleTree, kind: LoopKind) -> ScheduleTree:
    """The innermost loop of the first nest."""
    path, band = list(tree.bands())[-1]
    members = (*band.members[:-1], replace(band.members[-1], kind=kind))
    return tree.replaced(path, replace(band, members=members))


def swapped(tree: ScheduleTree) -> ScheduleTree:
    """The first sequence in another order."""
    path, node = next((path, node) for path, node in tree.walk() if isinstance(node, Sequence))
    return tree.replaced(path, replace(node, branches=node.branches[::-1]))


COPY = "for (int i = 0; i < n; i++) a[i] = b[i];"
CHAIN = "for (int i = 1; i < n; i++) a[i] = a[i - 1];"
TWO = "for (int i = 0; i < n; i++) a[i] = b[i];\nfor (int i = 0; i < n; i++) b[i] = a[n - 1 - i];"
INNER = "for (int i = 0; i < n; i++) for (int j = 1; j < n; j++) a[i * 8 + j] = a[i * 8 + j - 1];"
ORDERED = ("int n, const int *p, double *restrict a", "for (int i = 0; i < n; i++) a[p[i]] = i;")
COUNTED = ("int n, const int *p, int *restrict a", "for (int i = 0; i < n; i++) a[p[i]] += i;")


def test_orders_that_are_kept_and_orders_that_are_not() -> None:
    def verdict(found: Scop, tree: ScheduleTree, contents: int = 0) -> bool:
        pairs, wrong = broken(found, tree, SIZES, contents)
        assert not wrong or pairs
        return not wrong

    for body, backwards, at_once in ((COPY, True, True), (CHAIN, False, False), (INNER, False, False)):
        found = scop(body, "int n, double *restrict a, double *restrict b")
        tree = original_tree(found)
        assert verdict(found, tree)
        assert verdict(found, reversed_(tree)) is backwards
        assert verdict(found, of_kind(tree, LoopKind.UNROLLED))
        for kind in (LoopKind.VECTOR, LoopKind.PARALLEL):
            assert verdict(found, of_kind(tree, kind)) is at_once
    found = scop(TWO)
    assert verdict(found, reversed_(original_tree(found)))
    assert not verdict(found, swapped(original_tree(found)))


def test_what_data_say_is_tried() -> None:
    found, sums = scop(ORDERED[1], ORDERED[0]), scop(COUNTED[1], COUNTED[0])
    tree = original_tree(found)
    assert any(broken(found, reversed_(tree), SIZES, contents)[1] for contents in range(3))
    assert all(broken(found, tree, SIZES, contents) == (pairs, "") for contents, pairs in enumerate(_pairs(found)))
    assert not any(broken(sums, reversed_(original_tree(sums)), SIZES, contents)[1] for contents in range(3))


def _pairs(found: Scop) -> list[int]:
    return [broken(found, original_tree(found), SIZES, contents)[0] for contents in range(3)]


def test_a_pair_that_is_not_kept_is_named() -> None:
    found = scop(CHAIN)
    _, wrong = broken(found, reversed_(original_tree(found)), SIZES)
    assert wrong == "S0(n=5, i=1) -> S0(n=5, i=2) at {'n': 5}"


def test_what_polyloop_proves_is_legal() -> None:
    tally = Tally()
    for number in (0, 1, 2, 3, 5, 6, 7, 8, 13, 18):
        assert trace(number, tally) == ""
    assert tally.traces >= 8
    assert tally.changed >= 6
    assert tally.pairs > 5_000


def test_the_script_says_what_it_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--traces", "1", "--first", "5"]) == 0
    assert capsys.readouterr().out.startswith("1 traces of subjects 5 to 5, ")
