"""The shipped trees: they are of these features, need no library that trains, and time what they have learnt from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.model import nest_model
from polyloop.models.dataset import Dataset, read
from polyloop.models.features import NAMES
from polyloop.models.learned import SHIPPED, TreeModel, examples_of, fingerprint, shipped_weights, tree_model
from polyloop.models.programs import problem_of
from polyloop.models.schedules import random_schedules
from polyloop.models.scores import mean_score, score

SAMPLE = Path(SHIPPED).parents[1] / "measured" / "nests.parquet"


def test_the_shipped_weights_predict_for_any_machine() -> None:
    problem = problem_of("float32 m=48 k=40 n=64: C[m, n] += A[m, k] * B[k, n]")
    for name in ("zen3", "emerald-rapids", "sse"):
        model = nest_model(machine_named(name))
        programs = list(random_schedules(problem, np.random.default_rng(0), 20, model.target).values())
        seconds = tree_model(model).of_programs(problem, programs)
        assert seconds.shape == (len(programs),)
        assert (seconds > 0).all()
    weights = shipped_weights()
    assert all(forest.feature.max() < len(NAMES) for forest in weights.forests.values())
    assert weights.facts["schedules"] >= 5_000


def test_predicting_loads_neither_what_trains_nor_torch() -> None:
    code = """
import sys
from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.model import nest_model
from polyloop.models.learned import tree_model
from polyloop.models.programs import problem_of
problem = problem_of("float32 m=48 k=40: C[m] += A[m, k]")
assert tree_model(nest_model(machine_named("zen5"))).of_programs(problem, [problem.start])[0] > 0
print(sorted({"lightgbm", "pyarrow", "torch", "gymnasium"} & set(sys.modules)))
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_weights_know_the_sample_better_than_the_analytic_model_does() -> None:
    pytest.importorskip("pyarrow")
    sample = read(SAMPLE)
    assert {fingerprint(row.program) for row in sample.rows if not row.error} == set(
        shipped_weights().facts["programs"]
    )
    some = Dataset(tuple(row for row in sample.rows if row.number % 24 == 0), sample.machines)
    examples = examples_of(some)
    assert len(examples) == sum(not row.error for row in some.rows)  # every row reads back
    machine = next(iter(sample.machines.values()))
    model: TreeModel = tree_model(nest_model(machine))
    scores = {"trees": [], "analytic": []}  # type: ignore[var-annotated]
    for group in np.unique(examples.groups):
        each = examples.some(np.flatnonzero(examples.groups == group))
        predicted, measured = model.predict(each.table), each.seconds.tolist()
        order, modelled = model.order(each.table), np.exp2(each.table.logs).tolist()
        scores["trees"].append(score(order.tolist(), predicted.tolist(), measured))
        scores["analytic"].append(score(modelled, modelled, measured))
    trees, analytic = mean_score(scores["trees"]), mean_score(scores["analytic"])
    assert trees["rank_correlation"] > analytic["rank_correlation"]  # type: ignore[operator]
    assert trees["mape"] < analytic["mape"]  # type: ignore[operator]
