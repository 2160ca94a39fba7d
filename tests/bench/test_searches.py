"""`polyloop bench searches`: sets of problems, the summary, a short run with its files, and messages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyloop.backend.run.worker import WorkerError
from polyloop.bench import searches
from polyloop.bench.report import write_plots
from polyloop.bench.rows import Check, Row
from polyloop.bench.searches import problems_of
from polyloop.bench.searches_kernels import gains
from polyloop.bench.searches_report import drawings, summarize_searches
from polyloop.frontend import read_c
from polyloop.measure.result import Candidate, Fate, Measurement, Source
from polyloop.schedules.tree import original_tree
from polyloop.shipped.workloads import Workload, workload, workload_set
from polyloop.terminal.errors import UsageError
from tests.helpers.commands import Run, vectorized


def test_sets_of_problems() -> None:
    held = {w.name for w in workload_set("mm64_256_16").test}
    found = problems_of("looptune-test-25", None, 0)
    assert len(found) == 25
    assert {w.name for w in found} <= held
    assert problems_of("looptune-test-25", 5, 0) == found[:5]
    assert len(problems_of("looptune-test", None, 0)) == 440
    assert problems_of("looptune-test-25", None, 1) != found
    assert len(problems_of("operators", None, 0)) == 12
    for name, message in (("simplex", "'simplex' is no set"), ("mlp", "searches walk single contractions")):
        with pytest.raises(UsageError, match=message):
            problems_of(name, None, 0)


def row(name: str, seconds: dict[str, float]) -> Row:
    facts = {"seconds": 1.0, "evaluations": 10, "seconds_to_best": 0.5, "ending": "seconds"}
    curve = [{"evaluations": 1, "seconds": 0.1, "best": 50.0}, {"evaluations": 9, "seconds": 0.5, "best": 90.0}]
    more: dict[str, Any] = {
        "flops": 1000,
        "peak_fraction": {n: 1e-8 / s for n, s in seconds.items()},
        "peak_gflops": 100.0,
        "searches": {n: facts | {"curve": curve} for n in seconds if n not in ("untuned", "numpy")},
        "libraries": ["numpy"] if "numpy" in seconds else [],
        "tuning_seconds": {"numpy": 60.0} if name == "a" else {},
    }
    checks = [Check(n, 4, True, error=0.0) for n in seconds]
    return Row(name, seconds, checks=checks, missing={"tvm": "tvm is not installed"}, facts=more)


ROWS = [
    row("a", {"untuned": 8e-8, "greedy1": 4e-8, "mcts": 2e-8, "numpy": 4e-8}),
    row("b", {"untuned": 8e-8, "greedy1": 2e-8, "mcts": 2e-8, "numpy": 1e-8}),
    Row("c", failed="it hangs", kind="timeout"),
]


def test_the_summary() -> None:
    summary = summarize_searches(ROWS)
    assert summary["ours"] == "mcts"
    assert summary["peak_fraction"]["mcts"] == pytest.approx(0.5)
    assert summary["speedup"]["untuned"] == pytest.approx(4.0)
    assert summary["speedup"]["numpy"] == pytest.approx(1.0)
    assert summary["worst"]["numpy"] == {"ratio": pytest.approx(0.5), "row": "b"}
    assert summary["tuning_seconds"] == {"numpy": 60.0}
    assert summary["searches"]["greedy1"]["best_on"] == 1
    assert summary["searches"]["mcts"] == {
        "seconds": 1.0,
        "seconds_to_best": 0.5,
        "evaluations": 10.0,
        "evaluations_per_second": 10.0,
        "best_on": 2,
    }
    assert summary["verified"] == {"compared": 8, "different": 0, "elements": 32}
    assert summary["failed"] == {"c": "it hangs"}
    assert summary["missing"] == {"tvm": "tvm is not installed"}


def test_plots(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    said = write_plots(tmp_path / "plots", drawings(ROWS, summarize_searches(ROWS)))
    assert [line.rpartition("/")[2] for line in said] == ["quality.svg", "time.svg", "progress.svg"]
    assert all((tmp_path / "plots" / name).stat().st_size for name in ("quality.svg", "time.svg", "progress.svg"))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """One small product instead of a set."""
    known = workload("MM-64")
    sizes = (("m", 16), ("k", 8), ("n", 32))
    monkeypatch.setattr(searches, "problems_of", lambda *_: (Workload("toys/small", known.expression, sizes),))


def test_a_short_run_and_its_continuation(
    run: Run, small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--searches", "greedy1,default + scripted", "--budget", "0.05", "--against", "numpy,tvm")
    files = ("--json", "s.json", "--resume", "rows")
    ran = run("bench", "searches", *options, *files)
    assert ran.status == 0, ran.err
    assert "missing: tvm: tvm is not installed (pip install apache-tvm" in ran.out
    content = json.loads((tmp_path / "s.json").read_text())
    (only,) = content["rows"]
    assert only["seconds"].keys() == {"untuned", "default", "greedy1", "default + scripted", "numpy"}
    assert only["searches"].keys() == {"default", "greedy1", "default + scripted"}
    assert content["summary"]["verified"] == {"compared": 5, "different": 0, "elements": 5 * 16 * 32}
    assert all(only["searches"][name]["curve"] for name in ("greedy1", "default + scripted"))

    def unexpected(*_: object) -> None:
        raise AssertionError("the row is there already")

    monkeypatch.setattr(searches.Searches, "measure", unexpected)
    again = run("bench", "searches", *options, *files)
    assert again.status == 0, again.err
    assert json.loads((tmp_path / "s.json").read_text())["rows"] == [only]
    other = run("bench", "searches", *options, "--resume", "rows", "--seed", "3")
    assert other.status == 2
    assert "has rows of other settings" in other.err


def test_what_searches_found_outlives_a_crash_of_the_last_round(
    run: Run, small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object, seconds: float) -> None:
        raise WorkerError("crash", "it crashed")

    monkeypatch.setattr(searches, "isolated", crash)
    ran = run(
        "bench", "searches", "--searches", "greedy1", "--budget", "0.05", "--against", "numpy", "--json", "s.json"
    )
    assert ran.status == 1
    (only,) = json.loads((tmp_path / "s.json").read_text())["rows"]
    assert (only["failed"], only["kind"]) == ("it crashed", "crash")
    assert only["searches"]["greedy1"]["curve"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--searches", "simplex"), "--searches: no search is called 'simplex'"),
        (("--against", "excel"), "--against: there is no contestant 'excel'"),
        (("--set", "nothing"), "--set: 'nothing' is no set"),
    ],
)
def test_messages(run: Run, options: tuple[str, ...], message: str) -> None:
    ran = run("bench", "searches", *options)
    assert ran.status == 2
    assert message in ran.err


# --- C kernels --------------------------------------------------------------------------------------------------------


def test_gains_go_by_what_was_measured_not_by_names_or_messages(scale: Path) -> None:
    (scop,) = read_c(scale)

    def timing(seconds: float, name: str = "", source: Source = Source.SCHEDULE) -> Measurement:
        return Measurement(seconds, seconds, 0.0, 3, name=name, source=source)

    result = vectorized(scop, sizes=None)
    walked = Candidate("anything", scop, original_tree(scop), source=Source.CURSOR)
    result = replace(
        result,
        best=walked,
        baseline=timing(8.0),
        timing=timing(2.0),
        measurements=(
            timing(8.0, "original loops", Source.ORIGINAL),
            timing(4.0, "cursor-like name"),
            timing(2.0, "anything", Source.CURSOR),
            Measurement.failed("another order of the sums", Fate.WRONG_RESULTS, "other", Source.CURSOR),
            Measurement.failed("wrong results of a crash", Fate.CRASHED, "third", Source.CURSOR),
        ),
        last_round=("anything", "cursor-like name", "original loops"),
    )
    found = gains("scale", "greedy", result).facts
    assert (found["default"], found["gain"], found["speedup"]) == ("cursor-like name", 2.0, 4.0)
    assert (found["walked"], found["failed_candidates"], found["wrong"]) == (3, 2, 1)


def test_gains_on_kernels(run: Run, tmp_path: Path) -> None:
    options = ("--set", "kernels", "--kernels", "trisolv", "--dataset", "MINI", "--budget", "2")
    ran = run("bench", "searches", *options, "--json", "k.json")
    assert ran.status == 0, ran.err
    content = json.loads((tmp_path / "k.json").read_text())
    (only,) = content["rows"]
    assert (only["row"], only["search"], only["wrong"], only["different"]) == ("trisolv", "greedy", 0, 0)
    assert only["gain"] >= 1
    assert content["summary"]["worst"]["greedy"]["row"] == "trisolv"
    assert content["summary"]["verified"]["different"] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--searches", "isl"), "the search isl does not walk the space 'cursor'"),
        (("--searches", "simplex"), "--searches: there is no search 'simplex'"),
        (("--kernels", "nothing"), "--kernels: there is no 'nothing'"),
    ],
)
def test_messages_about_kernels(run: Run, options: tuple[str, ...], message: str) -> None:
    ran = run("bench", "searches", "--set", "kernels", *options)
    assert ran.status in (1, 2)
    assert message in ran.err
