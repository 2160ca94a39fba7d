"""Trees as flat arrays: they say what their library says, and survive a file; training orders what it has seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyloop.models.features import NAMES, Table
from polyloop.models.forest import Forest, Weights, WeightsError, forest_of
from polyloop.models.training import Examples, Objective, Settings, train

WIDTH = len(NAMES)


def tree(feature: int, threshold: float, left: Any, right: Any) -> dict[str, Any]:
    return {
        "split_index": 0,
        "split_feature": feature,
        "threshold": threshold,
        "left_child": left,
        "right_child": right,
    }


def leaf(value: float) -> dict[str, Any]:
    return {"leaf_value": value}


def test_trees_of_any_depth_are_walked() -> None:
    first = tree(0, 0.5, leaf(1.0), tree(1, 2.0, leaf(2.0), leaf(3.0)))
    made = forest_of([{"tree_structure": first}, {"tree_structure": leaf(10.0)}], depth=3, bias=100.0)
    rows = np.array([[0.5, 9], [0.6, 2], [0.6, 2.1]], np.float32)
    assert made.scores(rows).tolist() == [111.0, 112.0, 113.0]
    assert made.scores(rows[:0]).tolist() == []


def test_many_rows_walk_as_each_does_alone() -> None:
    rng = np.random.default_rng(3)
    trees, depth, columns, rows = 300, 4, 7, 250  # several parts of what is walked at once, the last one smaller
    feature = rng.integers(columns, size=(trees, 2**depth - 1)).astype(np.int16)
    threshold = rng.integers(-3, 4, feature.shape).astype(np.float32)
    value = rng.normal(size=(trees, 2**depth)).astype(np.float32)
    drawn = rng.integers(-3, 4, (rows, columns)).astype(np.float32)  # often as large as a threshold

    def alone(row: np.ndarray[Any, Any]) -> float:
        leaves = []
        for number in range(trees):
            node = 0
            while node < 2**depth - 1:
                node = 2 * node + 1 + int(row[feature[number, node]] > threshold[number, node])
            leaves.append(value[number, node - 2**depth + 1])
        return float(0.25 + np.sum(np.array(leaves, np.float64)))

    found = Forest(feature, threshold, value, 0.25).scores(drawn)
    np.testing.assert_allclose(found, [alone(row) for row in drawn], rtol=1e-12)


def test_a_threshold_between_two_32_bit_numbers_parts_them() -> None:
    low = np.float32(0.1)
    high = np.nextafter(low, np.float32(1))
    between = (float(low) + float(high)) / 2
    made = forest_of([{"tree_structure": tree(0, between, leaf(0.0), leaf(1.0))}], depth=1)
    assert made.scores(np.array([[low], [high]], np.float32)).tolist() == [0.0, 1.0]


def test_weights_survive_a_file(tmp_path: Path) -> None:
    made = forest_of([{"tree_structure": tree(1, 0.0, leaf(1.0), leaf(2.0))}], depth=2, bias=0.5)
    place = tmp_path / "weights.safetensors"
    Weights({"seconds0": made, "seconds1": made, "rank0": made}, {"features": 3, "rows": 7}).save(place)
    found = Weights.load(place, 3)
    assert found.facts == {"features": 3, "rows": 7}
    assert len(found.ensemble("seconds")) == 2
    rows = np.eye(2, dtype=np.float32)
    assert found.forests["rank0"].scores(rows).tolist() == made.scores(rows).tolist() == [1.5, 2.5]
    with pytest.raises(WeightsError, match="version 3, here is 4"):
        Weights.load(place, 4)
    place.write_bytes(b"nothing")
    with pytest.raises(WeightsError, match="no weights"):
        Weights.load(place, 3)


def examples(programs: int = 12, schedules: int = 20) -> Examples:
    """Seconds that hang on two figures, by a factor of each program's own."""
    rng = np.random.default_rng(1)
    count = programs * schedules
    rows = rng.normal(size=(count, WIDTH)).astype(np.float32)
    groups = np.repeat(np.arange(programs), schedules)
    seconds = 1e-6 * 2.0 ** (rows[:, 3] + np.abs(rows[:, 5])).astype(np.float64)
    return Examples(Table(rows, np.full(count, 1e-6), np.arange(count), count), seconds, groups)


@pytest.mark.parametrize("objective", ["rank", "seconds"])
def test_training_orders_the_schedules_of_programs_that_it_has_not_seen(objective: Objective) -> None:
    pytest.importorskip("lightgbm")
    every = examples(60)
    known, held = every.some(np.flatnonzero(every.groups < 40)), every.some(np.flatnonzero(every.groups >= 40))
    made = train(known, objective, Settings(trees=80, least=5))
    again = train(known, objective, Settings(trees=80, least=5))
    assert np.array_equal(made.scores(held.table.rows), again.scores(held.table.rows))
    correlation = np.corrcoef(made.scores(held.table.rows), np.log2(held.seconds))[0, 1]
    assert correlation > 0.9


def test_flat_trees_say_what_lightgbm_says() -> None:
    library = pytest.importorskip("lightgbm")
    data = examples()
    parameters = {"num_leaves": 31, "max_depth": 5, "verbosity": -1, "num_threads": 1, "min_data_in_leaf": 3}
    booster = library.train(parameters, library.Dataset(data.table.rows, np.log2(data.seconds)), 30)
    flat = forest_of(booster.dump_model()["tree_info"], 5)
    assert flat.scores(data.table.rows) == pytest.approx(booster.predict(data.table.rows), abs=1e-4)


def test_what_others_know_is_not_learnt_again() -> None:
    pytest.importorskip("lightgbm")
    data = examples()
    true = np.log2(data.seconds) - data.table.logs
    rest = train(Examples(data.table.times(true), data.seconds, data.groups), settings=Settings(trees=20))
    assert np.abs(rest.scores(data.table.rows)).max() < 1e-6
    assert isinstance(rest, Forest)


@pytest.mark.parametrize("objective", ["rank", "seconds"])
def test_chains_of_a_program_are_told_apart(objective: Objective) -> None:
    """Only the sum of two chains is measured; each takes by its own figure longer than the model says."""
    pytest.importorskip("lightgbm")
    rng = np.random.default_rng(2)
    count = 1200
    rows = rng.normal(size=(2 * count, WIDTH)).astype(np.float32)
    modelled = np.exp2(rng.uniform(-3, 3, 2 * count))
    table = Table(rows, modelled, np.repeat(np.arange(count), 2), count)
    true = 2.0 * (rows[:, 3] > 0).astype(np.float64)
    data = Examples(table, np.exp2(table.times(true).logs), np.arange(count) // 20)
    made = train(data, objective, Settings(trees=60, rate=0.1, share=0.5)).scores(rows)
    assert np.corrcoef(made, true)[0, 1] > 0.9
