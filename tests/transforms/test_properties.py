"""Random Scops under random transforms: the checks against enumeration, and what every transform promises."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.schedules.legality import coincident, permutable
from polyloop.schedules.tree import Band, ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.transforms import parse, parse_trace, replay, step_from_json, trace_text
from tests.helpers.checking import violated
from tests.helpers.enumeration import is_legal
from tests.helpers.random_transforms import choices, scops

RELAXED = settings(deadline=None, suppress_health_check=list(HealthCheck))


@settings(RELAXED, max_examples=50)
@given(scops(), st.data())
def test_a_check_refuses_exactly_what_enumeration_refuses(scop: Scop, data: st.DataObject) -> None:
    dependences = scop.dependences()
    tree = original_tree(scop)
    assert is_legal(scop, tree)
    for _ in range(data.draw(st.integers(1, 4))):
        options = choices(tree, data.draw(st.integers(2, 3)))
        if not options:
            return
        # The kind first, so that those with many sizes do not crowd out the others.
        name = data.draw(st.sampled_from(sorted({option.name() for option in options})))
        transform = data.draw(st.sampled_from([option for option in options if option.name() == name]))
        refusal = transform.check(tree, dependences, scop.name)
        after = transform.apply(tree)
        assert (refusal is None) == is_legal(scop, after), f"{refusal}\n{tree}\n{transform}\n{after}"
        assert (violated(scop, after, dependences) is None) == (refusal is None)
        if refusal is None:
            assert_flags_are_true(after, scop)
            tree = transform.perform(tree, dependences, scop.name)
            assert_flags_are_true(tree, scop)


def assert_flags_are_true(tree: ScheduleTree, scop: Scop) -> None:
    for path, band in tree.bands():
        assert not band.permutable or permutable(tree, path, scop.dependences()), f"{path} of\n{tree}"
        for index, member in enumerate(band.members):
            known = coincident(tree, path, index, scop.dependences())
            assert not member.coincident or known, f"member {index} at {path} of\n{tree}"


@settings(RELAXED, max_examples=20)
@given(scops(), st.data())
def test_traces_replay_print_and_parse(scop: Scop, data: st.DataObject) -> None:
    tree = original_tree(scop)
    trace = []
    for _ in range(3):
        options = choices(tree, 2)
        if not options:
            break
        transform = data.draw(st.sampled_from(options))
        trace.append(transform)
        tree = transform.apply(tree)
        assert parse(str(transform)) == transform
        assert step_from_json(transform.to_json()) == transform
    assert parse_trace(trace_text(tuple(trace))) == tuple(trace)
    assert replay(original_tree(scop), trace) == tree


@settings(RELAXED, max_examples=15)
@given(scops(), st.data())
def test_transforms_keep_statements_and_never_change_their_argument(scop: Scop, data: st.DataObject) -> None:
    tree = original_tree(scop)
    before = str(tree)
    for transform in choices(tree, 2):
        after = transform.apply(tree)
        assert str(tree) == before
        assert after.statements == tree.statements
        for path, node in after.walk():
            if isinstance(node, Band):
                assert set(node.statements) == set(after.statements_at(path))
