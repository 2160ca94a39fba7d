"""Trees through isl's schedule text and through jscop, and what is refused."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.backend.ir.affine import affine
from polyloop.schedules.isl_trees import ScheduleFormError, tree_from_isl, tree_to_isl
from polyloop.schedules.legality import annotated
from polyloop.schedules.text import from_isl_text, from_jscop, to_isl_text, to_jscop, tree_from_rows
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.transforms import JoinBands, Tile, perform
from tests.helpers.random_transforms import choices, scops, tuned_gemm
from tests.helpers.small_scops import assign, gemm, loop, scop

RELAXED = settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))


def test_isl_text_keeps_everything() -> None:
    tree = tuned_gemm()
    assert from_isl_text(gemm(), to_isl_text(gemm(), tree)) == tree


def test_what_a_tree_hashes_to_stays_in_its_process() -> None:
    tree = tuned_gemm()
    known = hash(tree)
    assert known == hash(tuned_gemm())
    assert hash(tree) == known != hash(original_tree(gemm()))
    program = (
        "import pickle, sys; tree = pickle.load(sys.stdin.buffer); print({tree: 1}[pickle.loads(pickle.dumps(tree))]"
    )
    program += ", hash(tree) == hash((tree.statements, tree.root)))"
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        ran = subprocess.run(
            [sys.executable, "-c", program], input=pickle.dumps(tree), env=environment, capture_output=True, check=True
        )
        assert ran.stdout == b"1 True\n"


def test_isl_text_of_a_scop_without_parameters() -> None:
    body = loop("i", "0", "7", loop("j", "0", "9", assign("S", "A[i][j]", "A[i][j]", "B[j][i]")))
    source = scop("", body)
    tree = perform(original_tree(source), (JoinBands(()), Tile((), (2, 4))), source.dependences())
    assert from_isl_text(source, to_isl_text(source, tree)) == tree
    assert from_jscop(source, to_jscop(source, tree)).statements == tree.statements


def test_isl_text_reads_like_a_tree() -> None:
    assert to_isl_text(gemm(), original_tree(gemm())).splitlines()[2:8] == [
        '  schedule: "[n] -> [{ T[i, k, j2] -> [(i)]; S[i, j] -> [(i)] }]"',
        "  child:",
        "    sequence:",
        '    - filter: "[n] -> { S[i, j] }"',
        "      child:",
        '        schedule: "[n] -> [{ S[i, j] -> [(j)] }]"',
    ]


def test_kinds_survive_the_form_with_one_band_for_each_loop() -> None:
    tree = tuned_gemm()
    back = tree_from_isl(gemm(), tree_to_isl(gemm(), tree))
    kinds = [[m.kind for _, band in t.bands() for m in band.members] for t in (tree, back)]
    assert kinds[0] == kinds[1]
    assert back.rows() == tree.rows()


@settings(RELAXED)
@given(scops(), st.data())
def test_random_trees_survive_both_formats(source: Scop, data: st.DataObject) -> None:
    tree = original_tree(source)
    for _ in range(data.draw(st.integers(0, 3))):
        options = choices(tree, 3)
        if options:
            tree = data.draw(st.sampled_from(options)).apply(tree)
    assert from_isl_text(source, to_isl_text(source, tree)) == tree
    expected = tree.schedule_map(source)
    again = from_jscop(source, to_jscop(source, tree))
    # Columns in which all statements agree in a constant are left out; the order is the same.
    before, after = (m.lex_lt_union_map(m) for m in (expected, again.schedule_map(source)))
    assert before.is_equal(after)


def test_jscop_has_pollys_keys() -> None:
    content = json.loads(to_jscop(gemm(), original_tree(gemm())))
    assert list(content) == ["arrays", "context", "name", "statements"]
    first = content["statements"][0]
    assert list(first) == ["accesses", "domain", "name", "schedule"]
    assert first["accesses"] == [
        {"kind": "read", "relation": "[n] -> { S[i, j] -> C[i, j] }"},
        {"kind": "write", "relation": "[n] -> { S[i, j] -> C[i, j] }"},
    ]
    assert first["schedule"] == "[n] -> { S[i, j] -> [(i), 0, (j), 0] }"


def test_flat_rows_become_bands_and_sequences() -> None:
    i, j, k, j2 = map(affine, ("i", "j", "k", "j2"))
    tree = tree_from_rows(gemm(), {"S": (affine(1), i, j), "T": (affine(2), i, j2, k)})
    assert str(tree) == (
        "sequence\n- S\n  band\n    [S: i]\n    [S: j]\n- T\n  band\n    [T: i]\n    [T: j2]\n    [T: k]"
    )


def test_tile_loops_are_recognised_in_a_jscop() -> None:
    tree = tuned_gemm()
    back = from_jscop(gemm(), to_jscop(gemm(), tree))
    loops = [[(m.rows, m.divisor) for _, band in t.bands() for m in band.members] for t in (tree, back)]
    assert loops[0] == loops[1]


def test_flags_are_written_as_isl_writes_them() -> None:
    text = to_isl_text(gemm(), annotated(original_tree(gemm()), gemm().dependences()))
    assert "permutable: 1" in text
    assert "coincident: [ 1 ]" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is no isl schedule tree"),
        ('{ domain: "[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }" }', "does not hold all instances of gemm"),
    ],
)
def test_bad_isl_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(ScheduleFormError, match=message):
        from_isl_text(gemm(), text)


def jscop(**schedules: str) -> str:
    return json.dumps({"statements": [{"name": name, "schedule": text} for name, text in schedules.items()]})


GOOD = "{ S[i, j] -> [0, i, j] }"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is no jscop"),
        ("[]", "this is no jscop"),
        (jscop(S=GOOD), "the jscop has no schedule for T"),
        (jscop(S=GOOD, T="{ T[i, k, j2] -> "), "the schedule of T is no isl map"),
        (jscop(S=GOOD, T="{ T[i, k] -> [i] }"), "the schedule of T has 2 iterators, not 3"),
        (jscop(S=GOOD, T="{ T[i, k, j2] -> [i] : i > 2; T[i, k, j2] -> [k] : i <= 2 }"), "not one affine function"),
        (jscop(S=GOOD, T="{ T[i, k, j2] -> [o] : o > i }"), "does not give every instance one place"),
        (jscop(S=GOOD, T="{ T[i, k, j2] -> [i] : i > 2 }"), "does not give every instance one place"),
    ],
)
def test_bad_jscops_are_refused(text: str, message: str) -> None:
    with pytest.raises(ScheduleFormError, match=message):
        from_jscop(gemm(), text)


@pytest.mark.parametrize(
    "text", ["domain: 5", "domain: [1]", "{domain: {a: 1}}", "\0", "", 'domain: "{ S[] }"\nchild:\n  mark: 7']
)
def test_text_that_isl_crashes_on_is_refused(text: str) -> None:
    with pytest.raises(ScheduleFormError, match=r"this is no isl schedule tree|the schedule's domain"):
        from_isl_text(gemm(), text)
