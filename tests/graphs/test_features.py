"""The table of features is true: every column is used by the types that it names, and by no other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from polyloop.graphs.features import (
    EDGE_COLUMNS,
    EDGE_FEATURES,
    NODE_COLUMNS,
    NODE_FEATURES,
    Feature,
    NodeType,
    Scale,
    log_scaled,
)
from polyloop.graphs.program_graph import Features, TypeIds
from tests.graphs.graph_zoo import zoo

SELDOM = {"local", "anchored", "capped"} | {f"along_{k}" for k in range(4, 8)}
"""Features of what only large kernels have; others have tests of their own."""


def used() -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """The (feature, type) pairs of nodes and of edges that are not 0 somewhere."""
    nodes: set[tuple[str, int]] = set()
    edges: set[tuple[str, int]] = set()
    for graph in zoo():
        nodes |= _used(NODE_FEATURES, graph.node_types, graph.node_features)
        edges |= _used(EDGE_FEATURES, graph.edge_types, graph.edge_features)
    return nodes, edges


def _used(features: Sequence[Feature], types: TypeIds, rows: Features) -> set[tuple[str, int]]:
    kinds = np.unique(types).tolist()
    return {(features[k].name, kind) for kind in kinds for k in _set(rows[types == kind])}


def _set(rows: Features) -> list[int]:
    return [int(k) for k in np.flatnonzero(rows.any(axis=0))]


def test_every_feature_is_used_by_its_types_and_no_others() -> None:
    for features, found in zip((NODE_FEATURES, EDGE_FEATURES), used(), strict=True):
        stated = {(feature.name, int(kind)) for feature in features for kind in feature.types}
        assert found <= stated
        assert {pair for pair in stated - found if pair[0] not in SELDOM} == set()


def test_values_lie_between_minus_one_and_one_and_flags_are_flags() -> None:
    for graph in zoo():
        for features, rows in ((NODE_FEATURES, graph.node_features), (EDGE_FEATURES, graph.edge_features)):
            assert np.abs(rows).max(initial=0) <= 1
            flags = [k for k, feature in enumerate(features) if feature.scale is Scale.FLAG]
            assert np.isin(rows[:, flags], (0, 1)).all()
            shares = [k for k, feature in enumerate(features) if feature.scale is Scale.SHARE]
            assert rows[:, shares].min(initial=0) >= 0


def test_names_are_columns() -> None:
    for features, columns in ((NODE_FEATURES, NODE_COLUMNS), (EDGE_FEATURES, EDGE_COLUMNS)):
        assert [feature.name for feature in features] == list(columns)
        assert all(feature.types and feature.meaning for feature in features)


@pytest.mark.parametrize("value", [0, 1, -1, 2, 7, 220, -240, 44_000, 99_999])
def test_logarithms_are_decoded(value: int) -> None:
    feature = Feature("size", Scale.LOG, (NodeType.LOOP,), "")
    assert feature.decoded(float(np.float32(log_scaled(value)))) == value


def test_logarithms_end_at_one() -> None:
    assert log_scaled(2**40) == 1
    assert log_scaled(-(2**40)) == -1
    assert log_scaled(0) == 0
