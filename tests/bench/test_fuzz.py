"""`polyloop bench fuzz`: a small share of the episodes, their repetition, and what is said when something is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from polyloop.bench import fuzz, fuzz_schedules
from polyloop.bench.fuzz import Settings, Tally
from polyloop.bench.fuzz_outcome import Outcome
from polyloop.cli.main import main
from polyloop.envs.problems import Task
from polyloop.schedules.legality import Violation
from polyloop.schedules.rows import Schedule
from polyloop.schedules.tree import ScheduleTree
from polyloop.shipped.kernels import kernel_names
from polyloop.spaces.space import ScheduleSpace

SETTINGS = Settings("schedules", 7, 62, 31, kernel_names())


pytestmark = pytest.mark.usefixtures("own_cache")


def run(tmp_path: Path, *options: str) -> tuple[int, dict[str, Any]]:
    file = tmp_path / "fuzz.json"
    status = main(["bench", "fuzz", "--json", str(file), *options])
    return status, json.loads(file.read_text())


def test_kernels_and_runs_are_spread_evenly() -> None:
    jobs = [SETTINGS.job(number) for number in range(SETTINGS.count)]
    assert [job["kernel"] for job in jobs] == [name for name in kernel_names() for _ in range(2)]
    assert sum(job["run"] for job in jobs) == 31
    assert sum(Settings("schedules", 0, 20_000, 300, kernel_names()).job(n)["run"] for n in range(20_000)) == 300


SLOW = {"deriche", "adi", "ludcmp", "correlation", "heat-3d"}
LARGE = [n for n in range(62) if SETTINGS.job(n)["kernel"] in SLOW and SETTINGS.job(n)["number"] not in (51, 55)]
"""Without runs of adi and heat-3d: their code takes 16 seconds."""


@pytest.mark.parametrize("number", [n for n in range(1, 62, 2) if SETTINGS.job(n)["kernel"] not in SLOW])
def test_one_episode_of_every_kernel(number: int) -> None:
    outcome = fuzz_schedules.episode(SETTINGS.job(number) | {"run": False})
    assert outcome.errors == []
    assert outcome.counts["proven"] == 1
    assert outcome.counts["dimensions"] >= 1


@pytest.mark.long
@pytest.mark.parametrize("number", LARGE)
def test_episodes_of_large_kernels(number: int) -> None:
    assert fuzz_schedules.episode(SETTINGS.job(number)).errors == []


def test_an_episode_is_a_function_of_its_job() -> None:
    job = SETTINGS.job(8)
    first = fuzz_schedules.episode(job)
    fuzz_schedules._task.cache_clear()
    assert fuzz_schedules.episode(job) == first


def test_where_isl_gives_up_a_sparser_schedule_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Schedule] = []

    def no_code_at_first(task: Task, schedule: Schedule, tree: ScheduleTree, outcome: Outcome) -> bool:
        tried.append(schedule)
        return len(tried) == 2

    monkeypatch.setattr(fuzz_schedules, "_run", no_code_at_first)
    outcome = fuzz_schedules.episode(SETTINGS.job(8) | {"run": True})
    assert (outcome.errors, outcome.counts["proven"]) == ([], 2)
    assert len(set(tried)) == 2


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, content = run(tmp_path, "--kernels", "gemm,trisolv", "--count", "6", "--run", "2", "--seed", "3")
    assert status == 0
    assert content["settings"] == {
        "suite": "schedules", "seed": 3, "count": 6, "run": 2, "kernels": ["gemm", "trisolv"],
    }  # fmt: skip
    assert [(row["kernel"], row["episodes"]) for row in content["rows"]] == [("gemm", 3), ("trisolv", 3)]
    summary = content["summary"]
    assert (summary["done"], summary["episodes"], summary["failed"]) == (6, 6, 0)
    assert summary["verified"] == {"compared": 2, "different": 0}
    assert summary["counts"]["proven"] == 6
    assert "6 episodes" in capsys.readouterr().out


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--kernels", "gemm", "--count", "5", "--run", "1")
    whole, (status, expected) = tmp_path / "whole", run(tmp_path, *options)
    assert status == 0
    whole.mkdir()
    done: list[int] = []

    def three(worker: object, suite: str, job: Any) -> tuple[Outcome, float]:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(job["number"])
        return fuzz_schedules.episode(job), 1.0

    with monkeypatch.context() as patch:
        patch.setattr(os, "sched_getaffinity", lambda _: {0})  # isl in this process, in one thread
        patch.setattr(fuzz, "_outcome", three)
        assert main(["bench", "fuzz", "--json", str(whole / "fuzz.json"), *options]) == 130
    assert json.loads((whole / "fuzz.json").read_text())["summary"]["done"] == 3
    status, content = run(whole, *options)
    assert (status, content["summary"]["done"]) == (0, 5)
    assert [row["counts"] for row in content["rows"]] == [row["counts"] for row in expected["rows"]]


def test_episodes_side_by_side_count_as_those_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = []
    for cores in ({0}, {0, 1, 2}):
        folder = tmp_path / str(len(cores))
        folder.mkdir()
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: cores)
        status, content = run(folder, "--kernels", "gemm,trisolv", "--count", "6", "--run", "1")
        contents.append((status, content["summary"]["done"], [row["counts"] for row in content["rows"]]))
    assert contents[0] == contents[1]


def test_a_file_of_other_episodes_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "fuzz.json"
    file.write_text('{"suite": "polybench"}')
    assert main(["bench", "fuzz", "--count", "1", "--json", str(file)]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert file.read_text() == '{"suite": "polybench"}'


def test_what_is_wrong_is_listed_and_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(worker: object, suite: str, job: Any) -> tuple[Outcome, float]:
        outcome = Outcome(job["kernel"])
        if job["number"] == 2:
            outcome.wrong("the schedule lies outside its space")
        return outcome, 0.5

    monkeypatch.setattr(fuzz, "_outcome", broken)
    status, content = run(tmp_path, "--kernels", "gemm", "--count", "4", "--run", "1")
    assert status == 1
    assert content["summary"]["failed"] == 1
    assert content["summary"]["wrong"] == [
        {"number": 2, "kernel": "gemm", "what": "the schedule lies outside its space"}
    ]
    assert Tally.of_document(content).rows["gemm"]["episodes"] == 4


def test_crashes_and_hangs_are_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--kernels", "correlation", "--count", "1", "--run", "1")
    with monkeypatch.context() as patch:
        patch.setitem(fuzz.SUITES, "schedules", "os:abort")
        status, content = run(tmp_path, *options)
    assert (status, content["summary"]["counts"]) == (1, {"failed": 1})
    (tmp_path / "fuzz.json").unlink()
    monkeypatch.setattr(fuzz, "LIMIT_SECONDS", 0.05)
    status, content = run(tmp_path, *options)
    assert (status, content["summary"]["counts"]) == (1, {"hung": 1})
    assert "did not finish within 0.05 seconds" in content["summary"]["wrong"][0]["what"]


def test_every_check_of_an_episode_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    job = SETTINGS.job(2 * kernel_names().index("trisolv")) | {"run": True}
    assert fuzz_schedules.episode(job).errors == []
    with monkeypatch.context() as patch:
        patch.setattr(ScheduleSpace, "contains", lambda space, schedule: False)
        assert "lies outside its space" in fuzz_schedules.episode(job).errors[0]
    with monkeypatch.context() as patch:
        broken = Violation(fuzz_schedules._task("trisolv", "statement", parameter_coefficients=False, exact=True)
                           .space.dependences[0], "would be reversed")  # fmt: skip
        patch.setattr(fuzz_schedules, "prove", lambda *_: broken)
        outcome = fuzz_schedules.episode(job)
        assert "would be reversed" in outcome.errors[0]
        assert outcome.counts["proven"] == 0
    with monkeypatch.context() as patch:
        patch.setattr(fuzz_schedules, "_expected", lambda name: {})
        assert fuzz_schedules.episode(job).different == 0
    with monkeypatch.context() as patch:
        wrong = {name: values + 1 for name, values in fuzz_schedules._expected("trisolv").items()}
        patch.setattr(fuzz_schedules, "_expected", lambda name: wrong)
        outcome = fuzz_schedules.episode(job)
        assert (outcome.compared, outcome.different) == (1, 1)
        assert "elements differ" in outcome.errors[0]


@pytest.mark.long
def test_an_order_that_isl_gets_wrong_is_not_run() -> None:
    """Loops in steps of 8, 9 and 11 whose statements meet in one point: isl's AST had two of these in a wrong order."""
    outcome = fuzz_schedules.episode({"seed": 3, "number": 1624, "kernel": "correlation", "run": True})
    assert (outcome.errors, outcome.compared, outcome.different) == ([], 1, 0)
