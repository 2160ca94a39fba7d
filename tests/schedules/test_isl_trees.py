"""Schedule trees to isl and back."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl
import pytest

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.schedules.isl_scheduler import Fusion, isl_schedule
from polyloop.schedules.isl_trees import (
    Mark,
    ScheduleFormError,
    loop_name,
    member_mark,
    parse_mark,
    tree_from_isl,
    tree_to_isl,
)
from polyloop.schedules.tree import Band, Leaf, Member, Node, ScheduleTree, original_tree
from polyloop.scop.dependence import value_dependences
from polyloop.scop.model import Scop
from tests.helpers.programs import to_scop
from tests.helpers.random_scops import random_program


def _scops() -> list[Scop]:
    return [to_scop(random_program(seed)) for seed in range(25)]


def _single_members(node: Node) -> Node:
    """Bands of one plain member each: what our trees become on their way through isl."""
    if not isinstance(node, Band):
        return node
    child = node.child
    for member in reversed(node.members):
        plain = replace(member, kind=LoopKind.SEQUENTIAL, coincident=False)
        child = Band((plain,), False, child)
    return child


@pytest.mark.parametrize("seed", range(25))
def test_a_tree_comes_back_from_isl_with_its_order(seed: int) -> None:
    scop = to_scop(random_program(seed))
    for tree in (original_tree(scop), isl_schedule(scop, value_dependences(scop), Fusion.MAXIMAL)):
        back = tree_from_isl(scop, tree_to_isl(scop, tree))
        assert back.schedule_map(scop).is_equal(tree.schedule_map(scop))
        if all(not s.domain.is_empty() for s in scop.statements):
            assert back.map_nodes(_single_members) == tree.map_nodes(_single_members)


def test_marks() -> None:
    for kind in LoopKind:
        assert parse_mark(member_mark(Member((("S", affine("i")),), kind=kind))) == Mark(kind, "i")
    assert parse_mark("permutable") == Mark()


def test_loop_names() -> None:
    def name(row: str, divisor: int = 1) -> str:
        return loop_name(Member((("S", affine(row)),), divisor))

    assert name("i") == "i"
    assert name("i", 32) == "it"
    assert loop_name(Member((("S", affine(3)),))) == "c"
    assert loop_name(Member((("S", 2 * affine("i") + affine("j")),))) == "j"
    assert loop_name(Member((("S", 2 * affine("i")),))) == "i"


def _small() -> Scop:
    return next(scop for scop in _scops() if len(scop.statements) == 1 and scop.statements[0].depth == 1)


def test_a_statement_in_two_filters_is_refused() -> None:
    scop = _small()
    name, iterator = scop.statements[0].name, scop.statements[0].iterators[0]
    parameters = ", ".join(scop.parameters)
    halves = isl.UnionSetList.alloc(scop.domain.get_ctx(), 2)
    for relation in ("< 3", ">= 3"):
        halves = halves.add(isl.UnionSet(f"[{parameters}] -> {{ {name}[{iterator}] : {iterator} {relation} }}"))
    schedule = isl.Schedule.from_domain(scop.domain).get_root().child(0).insert_sequence(halves).get_schedule()
    with pytest.raises(ScheduleFormError, match="splits the instances"):
        tree_from_isl(scop, schedule)


def test_statements_that_never_run_keep_a_place() -> None:
    """isl's schedules do not mention them."""
    found = 0
    for seed in (9, 10):
        scop = to_scop(random_program(seed))
        dead = {s.name for s in scop.statements if s.domain.intersect_params(scop.context).is_empty()}
        for fusion in Fusion:
            tree = isl_schedule(scop, value_dependences(scop), fusion)
            assert tree.statements == tuple(s.name for s in scop.statements)
            assert set(tree.rows()) == set(tree.statements)
        found += len(dead)
    assert found >= 3


def test_an_empty_tree() -> None:
    scop = _small()
    tree = ScheduleTree(tuple(s.name for s in scop.statements), Leaf())
    assert tree_from_isl(scop, tree_to_isl(scop, tree)) == tree
