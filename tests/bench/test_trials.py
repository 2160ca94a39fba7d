"""`polyloop bench trials`: how many programs a search measures until it has most of the best known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyloop.bench import trials
from polyloop.bench.report import write_plots
from polyloop.bench.rows import Row
from polyloop.bench.trials import Searched, Trial, _facts, drawings, summarize_trials
from polyloop.cursor.nest import Loop, Nest
from polyloop.shipped.workloads import Workload, workload_set
from tests.helpers.commands import Run


def searched(*curve: tuple[int, float], trials: int = 16) -> dict[str, Any]:
    points = [{"trials": at, "share": share} for at, share in curve]
    reached = next((at for at, share in curve if share >= 0.95), None)
    return {"curve": points, "reached": reached, "trials": trials, "asked": trials, "seconds": 1.0}


ROWS = [
    Row(
        "set/a",
        facts={
            "share": {"default": 0.5},
            "searches": {"model": [searched((1, 0.1), (4, 1.0))], "random": [searched((1, 0.1), (16, 0.96))]},
        },
    ),
    Row(
        "set/b",
        facts={
            "share": {},
            "searches": {
                "model": [searched((1, 0.5), (2, 0.97), (3, 1.0)), searched((8, 0.95))],
                "random": [searched((1, 0.5)), searched((2, 0.2), trials=3)],
            },
        },
    ),
    Row("set/c", failed="no", kind="refused"),
]


def test_the_summary() -> None:
    summary = summarize_trials(ROWS)
    assert summary["trials"]["model"] == {"set/a": pytest.approx(4), "set/b": pytest.approx(4)}
    # What was never reached counts as one more than was measured: 17 and 4.
    assert summary["trials"]["random"] == {"set/a": pytest.approx(16), "set/b": pytest.approx(68**0.5)}
    assert summary["ratio"]["random"] == {"set/a": pytest.approx(4), "set/b": pytest.approx(68**0.5 / 4)}
    assert summary["trials_ratio"] == {"random": pytest.approx(68**0.25)}
    assert summary["reached"] == {"model": 1.0, "random": pytest.approx(1 / 3)}
    assert summary["share"] == {"default": pytest.approx(0.5)}
    assert summary["failed"] == {"set/c": "no"}


def test_what_is_not_timed_in_turn_counts_as_the_search_has_measured_it() -> None:
    nests = [Nest((Loop("m", k),), ()) for k in range(4)]
    beliefs = tuple(
        Trial(at, nest, gflops) for at, nest, gflops in zip((1, 3, 5, 9), nests, (2.0, 6.0, 8.0, 9.0), strict=True)
    )
    found = _facts(Searched(beliefs, 12, 1.0), {nests[2]: 0.96, nests[3]: 1.0}, 10.0, 16)
    assert found["curve"] == [
        {"trials": 1, "share": 0.2},
        {"trials": 3, "share": 0.6},
        {"trials": 5, "share": 0.96},
        {"trials": 9, "share": 1.0},
    ]
    assert found["reached"] == 5
    slow = _facts(Searched(beliefs[:1], 12, 1.0), {}, 10.0, 16)
    assert (slow["curve"], slow["reached"]) == ([{"trials": 1, "share": 0.2}], None)


def test_the_plots(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_plots(tmp_path, drawings(ROWS), ("png", "svg"))
    names = [f"{name}.{kind}" for name in ("set-a", "set-b", "trials") for kind in ("png", "svg")]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert (tmp_path / "trials.png").read_bytes().startswith(b"\x89PNG")


def test_the_set_is_that_of_the_paper() -> None:
    *convolutions, product = workload_set("autotvm").problems
    assert [w.name for w in convolutions] == [f"autotvm/C{k}" for k in range(1, 13)]
    sizes = [dict(w.sizes) for w in convolutions]
    assert [(s["y"], s["c"], s["o"], s["i"]) for s in sizes[:3]] == [(112, 3, 64, 7), (56, 64, 64, 3), (56, 64, 64, 1)]
    assert product.flops == 2 * 1024**3


def test_a_short_run(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lightgbm")
    small = Workload("toys/small", "C[m, n] += A[m, k] * B[k, n]", (("m", 16), ("k", 8), ("n", 32)))
    monkeypatch.setattr(trials, "problems_of", lambda *_: (small,))
    ran = run(
        *("bench", "trials", "--trials", "9", "--rounds", "1", "--against", "random"),
        *("--json", "t.json", "--plots", "plots", "--resume", "rows"),
    )
    assert ran.status == 0, ran.err
    content = json.loads((tmp_path / "t.json").read_text())
    assert content["settings"]["set"] == "autotvm"
    (row,) = content["rows"]
    assert list(row["searches"]) == ["model", "random"]
    for runs in row["searches"].values():
        (only,) = runs
        assert only["trials"] == 9
        assert [p["trials"] for p in only["curve"]] == sorted({p["trials"] for p in only["curve"]})
        assert only["curve"][0]["trials"] == 1  # the original loops
        assert all(0 < point["share"] <= 1 for point in only["curve"])
    # Whoever had the best reached it.
    assert any(run["reached"] is not None for runs in row["searches"].values() for run in runs)
    assert content["summary"]["verified"]["different"] == 0
    assert "times the model's trials" in ran.out
