"""TreeGRU: it learns from sums of chains, repeats, survives a file, and sees no loop that is not there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from polyloop.errors import PolyloopError  # noqa: E402
from polyloop.gnn.cost_model import Training, TreeGRU, TreeGRUModel, fit  # noqa: E402
from polyloop.models.features import CONTEXT, DEPTH, NAMES, Table  # noqa: E402
from polyloop.models.learned import shipped_weights  # noqa: E402
from polyloop.models.training import Examples  # noqa: E402

FIRST = NAMES.index(f"{CONTEXT[0]}_0")


def examples(programs: int = 20, schedules: int = 10, chains: int = 2) -> Examples:
    """Seconds that hang on the first figure of the first and second innermost loops."""
    rng = np.random.default_rng(0)
    count = programs * schedules
    rows = np.zeros((chains * count, len(NAMES)), np.float32)
    rows[:, FIRST : FIRST + DEPTH * len(CONTEXT)] = -1.0  # no loops
    for k in range(2):
        at = FIRST + k * len(CONTEXT)
        rows[:, at : at + len(CONTEXT)] = 1.0
        rows[:, at] = rng.uniform(0, 3, chains * count)
    table = Table(rows, np.full(chains * count, 1e-6), np.repeat(np.arange(count), chains), count)
    true = rows[:, FIRST] - 0.5 * rows[:, FIRST + len(CONTEXT)]
    seconds = np.exp2(table.times(true.astype(np.float64)).logs)
    return Examples(table, seconds, np.repeat(np.arange(programs), schedules))


def test_it_orders_schedules_of_programs_that_it_has_not_seen() -> None:
    every = examples(32)
    known, held = every.some(np.flatnonzero(every.groups < 24)), every.some(np.flatnonzero(every.groups >= 24))
    model = fit(known, {}, Training(width=16, slots=4, epochs=30, programs=4, rate=1e-2))
    assert np.corrcoef(model.order(held.table), np.log2(held.seconds))[0, 1] > 0.9
    assert np.array_equal(np.exp2(model.order(held.table)), model.predict(held.table))


def test_it_survives_a_file(tmp_path: Path) -> None:
    data, place, settings = examples(4), tmp_path / "gru.safetensors", Training(width=8, slots=2, epochs=1)
    model = fit(data, {"programs": ["a"]}, settings)
    assert np.array_equal(model.order(data.table), fit(data, {}, settings).order(data.table))
    assert not np.array_equal(model.order(data.table), fit(data, {}, settings, seed=1).order(data.table))
    model.save(place)
    found = TreeGRUModel.load(place)
    assert found.facts["programs"] == ["a"]
    assert np.array_equal(found.order(data.table), model.order(data.table))
    place.write_bytes(b"nothing")
    with pytest.raises(PolyloopError, match="no weights of a TreeGRU"):
        TreeGRUModel.load(place)


def test_figures_that_no_example_has_do_not_run_away() -> None:
    """Examples are of few machines, whose figures are the same, or nearly so, in all of them."""
    data = examples(8)
    rows = data.table.rows.copy()
    rows[:, -1] += 1e-2 * np.arange(len(rows)) / len(rows)  # hardly differs
    model = fit(replace(data, table=replace(data.table, rows=rows)), {}, Training(width=8, slots=2, epochs=1))
    for column, limit in ((len(NAMES) - 2, 1e-6), (len(NAMES) - 1, 4.0)):
        others = rows.copy()
        others[:, column] = 1e4
        moved = np.abs(model.order(replace(data.table, rows=others)) - model.order(replace(data.table, rows=rows)))
        assert moved.max() < limit, NAMES[column]


def test_loops_that_there_are_not_say_nothing() -> None:
    """What stands in the columns of missing loops, but for their mark, makes no difference."""
    network = TreeGRU(width=8, slots=2).eval()
    rows = torch.from_numpy(examples(2).table.rows)
    other = rows.clone()
    missing = FIRST + 2 * len(CONTEXT)
    other[:, missing + 1 : missing + len(CONTEXT)] = 7.0
    with torch.inference_mode():
        assert torch.equal(network(rows), network(other))
    other[:, FIRST + 1] += 1.0
    with torch.inference_mode():
        assert not torch.equal(network(rows), network(other))


def test_the_shipped_network_has_learnt_from_nothing_that_the_trees_have_not() -> None:
    """So that programs that are fresh to the trees, as `bench models` draws them, are fresh to it."""
    shipped = TreeGRUModel.load()
    assert set(shipped.facts["programs"]) <= set(shipped_weights().facts["programs"])
    table = examples(2).table  # unlike anything that it has seen
    assert np.isfinite(shipped.predict(table)).all()
    assert (np.abs(shipped.order(table) - table.logs) <= 16).all()
