"""Schedules in files: everything about a tree survives, and what is no schedule is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from polyloop.backend.machine.host import host_target
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.result import Candidate
from polyloop.measure.saved import (
    FORMAT,
    Entry,
    Saved,
    SavedError,
    Settings,
    candidate_of,
    entries_for,
    entry_of,
    from_text,
    to_text,
)
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.search.isl_search import first_guess
from polyloop.transforms import Expand, Prefetch
from tests.helpers.random_transforms import tuned_gemm
from tests.helpers.small_scops import gemm, symm


def round_trip(scop: Scop, candidate: Candidate) -> Candidate:
    saved = Saved("1", Settings(threads=2), (entry_of(scop, candidate, "avx2"),))
    again = from_text(to_text(saved), "kept")
    assert again == replace(saved, entries=again.entries)
    (entry,) = entries_for([scop], again, "kept")
    return candidate_of(entry, scop, "kept")


def test_a_tree_survives() -> None:
    tree = tuned_gemm(Prefetch((1,), 1, "A", 4))
    found = round_trip(gemm(), Candidate("it", gemm(), tree, explicit=False, apart=frozenset({"T"})))
    assert (found.tree, found.explicit, found.apart, found.changes) == (tree, False, frozenset({"T"}), ())


def test_copies_of_panels_survive() -> None:
    with Evaluator(gemm(), {"n": 300}, host_target(), in_process=True) as evaluator:
        guess = first_guess(evaluator)
    assert guess.tree is not None
    assert "packing" in str(guess.tree)
    assert round_trip(gemm(), guess).tree == guess.tree


def test_changes_of_arrays_are_done_again() -> None:
    scop = symm()
    change = next(each for each in Expand.candidates(scop) if each.check(scop) is None)
    made = change.apply(scop)
    found = round_trip(scop, Candidate("it", made, original_tree(made), changes=(change,)))
    assert (found.changes, found.scop.text) == ((change,), made.text)


def test_what_cannot_be_made_again_stays_as_it_is() -> None:
    scop = symm()
    made = next(each for each in Expand.candidates(scop) if each.check(scop) is None).apply(scop)
    entry = entry_of(scop, Candidate("it", made, original_tree(made)), "avx2")
    assert (entry.tree, entry.kept) == (None, "what was done to its arrays has no text")


def test_loops_are_found_by_what_they_say() -> None:
    entries = tuple(entry_of(scop, None, "avx2", "slow") for scop in (symm(), gemm(), gemm()))
    saved = Saved("1", Settings(), entries)
    assert entries_for([gemm(), symm(), gemm()], saved, "kept") == [entries[1], entries[0], entries[2]]
    with pytest.raises(SavedError, match=r"there is no schedule for gemm in kept: the loops are new; search again"):
        entries_for([gemm(), gemm(), gemm()], saved, "kept")


GOOD = {"name": "gemm", "line": 0, "text": "", "meaning": "", "target": "avx2"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "kept has no schedules that can be read: Expecting"),
        ("[]", "its format is of something else"),
        (json.dumps({"format": "polyloop schedules 9"}), "its format is polyloop schedules 9, not"),
        (json.dumps({"format": FORMAT, "version": "1", "settings": {}}), "there is no 'regions'"),
        (json.dumps({"format": FORMAT, "version": "1", "settings": {"threads": "2"}, "regions": []}), "threads is '2'"),
        (
            json.dumps({"format": FORMAT, "version": "1", "settings": {}, "regions": [{"x": 1}]}),
            "nothing is called 'x'",
        ),
        (json.dumps({"format": FORMAT, "version": "1", "settings": {}, "regions": [{"name": "f"}]}), "missing"),
    ],
)
def test_files_that_are_none(content: str, reason: str) -> None:
    with pytest.raises(SavedError, match=reason):
        from_text(content, "kept")


ROWS = {"S": "i", "T": "i"}


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        ({"loops": []}, "is no node"),
        ({"loops": [], "inside": None}, "at least one member"),
        ({"loops": [{"rows": {"S": "i"}}], "inside": None}, "it has a row for each of S, T"),
        ({"loops": [{"rows": {**ROWS, "T": "q"}}], "inside": None}, "uses q"),
        ({"loops": [{"rows": {**ROWS, "T": "i *"}}], "inside": None}, "'i [*]' is no affine expression"),
        ({"loops": [{"rows": ROWS, "kind": "odd"}], "inside": None}, "no kind of loop called 'odd'"),
        ({"loops": [{"rows": ROWS, "divisor": 0}], "inside": None}, "a divisor is at least 1"),
        ({"loops": [{"rows": ROWS, "packings": [{"read": "A"}]}], "inside": None}, "there is no 'order'"),
        ({"in_order": [{"statements": ["S"], "inside": None}]}, "share out"),
    ],
)
def test_trees_that_are_none(root: object, reason: str) -> None:
    entry = Entry("gemm", 0, "", "", "avx2", tree={"statements": ["S", "T"], "root": root})
    with pytest.raises(SavedError, match=rf"kept: the schedule of gemm cannot be read: .*{reason}"):
        candidate_of(entry, gemm(), "kept")
