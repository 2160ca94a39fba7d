"""Transforms of Scops: one protocol, texts, JSON, replay."""

from __future__ import annotations

import json

import pytest

from polyloop.backend.ir.affine import affine, maximum, minimum
from polyloop.backend.ir.expressions import Access
from polyloop.schedules.tree import original_tree
from polyloop.transforms import (
    SCOP_TRANSFORMS,
    Addend,
    ClosedForm,
    Expand,
    Hoist,
    IllegalScopTransformError,
    IllegalTransformError,
    IndexSetSplit,
    InPlace,
    JoinBands,
    Keep,
    LaneSearch,
    Lookup,
    Normalise,
    Peel,
    Precompute,
    ReadFirst,
    Realign,
    Relayout,
    Reroll,
    ScopTransform,
    SplitWebs,
    Step,
    StepOrderError,
    Strip,
    Substitute,
    Swap,
    TransformSyntaxError,
    Unfold,
    parse_step,
    parse_steps,
    perform_steps,
    replay_steps,
    scop_candidates,
    step_from_json,
    trace_text,
)
from tests.helpers.reading import shipped_scop
from tests.helpers.small_scops import symm

KERNELS = ("symm", "ludcmp", "syrk", "floyd-warshall", "durbin")


def test_the_table() -> None:
    assert {name: cls.name() for name, cls in SCOP_TRANSFORMS.items()} == {name: name for name in SCOP_TRANSFORMS}
    classes = {Expand, SplitWebs, IndexSetSplit, Relayout, InPlace, LaneSearch, ReadFirst, Substitute, Unfold}
    assert set(SCOP_TRANSFORMS.values()) == classes | {
        Reroll,
        ClosedForm,
        Addend,
        Strip,
        Precompute,
        Hoist,
        Realign,
        Keep,
        Normalise,
        Lookup,
        Peel,
    }


@pytest.mark.parametrize("name", KERNELS)
def test_candidates_are_told_checked_and_applied_alike(name: str) -> None:
    scop = shipped_scop(name)
    for option in scop_candidates(scop):
        assert parse_step(str(option)) == option
        assert step_from_json(json.loads(json.dumps(option.to_json()))) == option
        refusal = option.check(scop)
        if refusal is None:
            assert option.apply(scop) != scop
        else:
            assert str(refusal).startswith(f"cannot {option.action} in {scop.name}: ")
            with pytest.raises(IllegalScopTransformError) as caught:
                option.apply(scop)
            assert caught.value.refusal == refusal


def test_candidates_of_symm_and_of_what_expansion_makes_of_it() -> None:
    scop = symm()
    assert {type(option) for option in scop_candidates(scop)} == {Expand, Reroll, SplitWebs}
    expanded = Expand("temp", (0, 1)).apply(scop)
    assert SplitWebs("temp_x") in set(scop_candidates(expanded))


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (SplitWebs("w"), "split_webs(array='w')"),
        (InPlace("t_x", "S3"), "in_place(array='t_x', copy='S3')"),
        (
            IndexSetSplit("S", affine("i") * 2 - affine("n") // 3 - 1),
            "index_set_split(statement='S', plane='2*i - floord(n, 3) - 1')",
        ),
        (
            IndexSetSplit("S", minimum(affine("i"), affine("n") - 1) + maximum(affine("k"), 0)),
            "index_set_split(statement='S', plane='max(k, 0) + min(i, n - 1)')",
        ),
        (Peel("S", 1, affine("w") - 2, False), "peel(statement='S', level=1, at='w - 2', first=False)"),
        (
            Relayout("S2", Access("A", (affine("j"), affine("k") + 1)), (1, 0)),
            "relayout(statement='S2', access='A[j][k + 1]', order=(1, 0))",
        ),
    ],
)
def test_texts(step: ScopTransform, text: str) -> None:
    assert parse_step(str(step)) == step
    assert parse_step(text) == step


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("relayout(statement='S', access='A[', order=(0,))", r"relayout: access is 'A\['; this is not of the form"),
        ("relayout(statement='S', access='A[i*j]', order=(0,))", "relayout: access is"),
        ("relayout(statement='S', access='A[i]', order=(True,))", "relayout: order is"),
        ("relayout(statement='S', access='A(i)', order=(0,))", "relayout: access is"),
        ("index_set_split(statement='S', plane='i / 2')", "index_set_split: plane is 'i / 2'"),
        ("index_set_split(statement='S', plane='floord(i, 0)')", "index_set_split: plane is"),
        ("index_set_split(statement='S', plane='min(i)')", "index_set_split: plane is"),
        ("index_set_split(statement='S', plane='i < 2')", "index_set_split: plane is"),
        ("in_place(array=3, copy='S')", r"in_place: array is 3; .* in_place\(array='NAME', copy='NAME'\)"),
        ("in_place(array='t')", "in_place: given array; this is not of the form"),
        ("split_webs()", "split_webs: given nothing; this is not of the form"),
        ("melt(array='t')", "there is no transform 'melt'; there are expand, .*, tile, "),
    ],
)
def test_texts_of_nothing(text: str, message: str) -> None:
    with pytest.raises(TransformSyntaxError, match=message):
        parse_step(text)


def test_a_trace_from_the_scop_to_its_tree() -> None:
    steps: tuple[Step, ...] = (Expand("temp", (0, 1)), JoinBands(()), Swap((), 0, 1))
    assert parse_steps(f"# expanded first\n\n{trace_text(steps)}") == steps
    scop, tree = perform_steps(symm(), steps)
    assert scop.array("temp_x").local
    assert (scop.statements, tree.statements) == (replay_steps(symm(), steps)[0].statements, ("Z", "U", "V", "W"))
    assert replay_steps(symm(), steps)[1].root == tree.root or replay_steps(symm(), steps)[1] != original_tree(scop)


def test_what_a_trace_must_not_do() -> None:
    with pytest.raises(IllegalTransformError, match="cannot interchange"):
        perform_steps(symm(), (JoinBands(()), Swap((), 0, 1)))
    with pytest.raises(IllegalScopTransformError, match="cannot split nothing in symm: there is no such array"):
        replay_steps(symm(), (SplitWebs("nothing"),))
    with pytest.raises(StepOrderError, match=r"expand\(.*\) makes a new scop; put it before the transforms"):
        replay_steps(symm(), (JoinBands(()), Expand("temp", (0,))))


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (Relayout("X", Access("A", (affine("i"),)), (0,)), "there is no statement X"),
        (Relayout("U", Access("A", (affine("k"),)), (0,)), r"U reads C\[k\]\[j\], B\[i\]\[j\], A\[i\]\[k\]"),
        (Relayout("U", Access("A", (affine("i"), affine("k"))), (0, 0)), r"\(0, 0\) is no order of its 2 subscripts"),
        (InPlace("temp", "X"), "X does not copy it"),
    ],
)
def test_refusals_of_what_is_not_there(step: ScopTransform, reason: str) -> None:
    with pytest.raises(IllegalScopTransformError, match=reason):
        step.apply(symm())
