"""What all suites share: rows and their JSON, processes of their own, runs that fail, are interrupted or go on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from math import inf, nan
from pathlib import Path

import pytest
from rich.console import Console

from polyloop.backend.run.timing import Ratio
from polyloop.backend.run.worker import WorkerError
from polyloop.bench.harness import (
    MEMORY,
    RowBench,
    Summary,
    chosen,
    isolated_afresh,
    limited,
    listed,
    run,
)
from polyloop.bench.report import summarize
from polyloop.bench.rows import Check, Row
from polyloop.cli.main import main
from polyloop.errors import PolyloopError
from polyloop.search.journal import JournalError
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import Destination

FULL = Row(
    "a",
    {"ours": 1.0, "mkl": 2.0},
    {"mkl": Ratio(2.0, 1.9, 2.1)},
    "mkl",
    (Check("ours", 5, True, error=0.5),),
    {"tvm": "no tvm"},
    facts={"flops": 7},
)


# --- rows -------------------------------------------------------------------------------------------------------------


def test_a_row_in_json() -> None:
    assert FULL.as_json() == {
        "row": "a",
        "seconds": {"ours": 1.0, "mkl": 2.0},
        "ratios": {"mkl": {"value": 2.0, "low": 1.9, "high": 2.1}},
        "rival": "mkl",
        "checks": [
            {"result": "ours", "compared": 5, "passed": True, "against": None, "different": None, "error": 0.5,
             "largest": None, "tolerance": None}
        ],
        "missing": {"tvm": "no tvm"},
        "flops": 7,
    }  # fmt: skip
    assert Row.of_json(json.loads(json.dumps(FULL.as_json()))) == FULL
    failed = Row("b", failed="it crashed", kind="crash", facts={"kernel": "b"})
    assert failed.as_json() == {"row": "b", "failed": "it crashed", "kind": "crash", "kernel": "b"}
    assert Row.of_json(failed.as_json()) == failed


def test_numbers_that_json_does_not_have() -> None:
    row = Row("a", checks=[Check("ours", 1, False, error=inf)], facts={"found": [{"x": nan}, (1.0, -inf)]})
    assert row.as_json()["checks"][0]["error"] is None
    assert row.as_json()["found"] == [{"x": None}, [1.0, None]]


def test_a_summary() -> None:
    slow = Row("b", {}, {"mkl": Ratio(0.5, 0.4, 0.6)}, "mkl", [Check("x", 3, False), Check("y", 1, None)])
    assert summarize([FULL, slow, Row("c", failed="no", kind="refused")], {"icc": "gone"}) == {
        "speedup": {"mkl": pytest.approx(1.0)},
        "worst": {"mkl": {"ratio": 0.5, "row": "b"}},
        "slower": ["b"],
        "verified": {"compared": 2, "different": 1, "elements": 8},
        "failed": {"c": "no"},
        "missing": {"icc": "gone", "tvm": "no tvm (1 of 2 rows)"},
    }


# --- processes --------------------------------------------------------------------------------------------------------

JOBS = """
import os, resource, signal, time
from polyloop.bench.harness import refusing
from polyloop.errors import PolyloopError

@refusing
def work(do):
    match do:
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hang":
            time.sleep(60)
        case "refuse":
            raise PolyloopError("a reason")
        case "raise":
            raise ValueError("a bug")
        case "limit":
            return resource.getrlimit(resource.RLIMIT_AS)[0]
    return os.getpid()
"""


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "bench_test_jobs.py").write_text(JOBS)
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))
    return "bench_test_jobs:work"


def test_every_job_has_a_process_of_its_own(jobs: str) -> None:
    pids = {isolated_afresh(jobs, "work", seconds=60.0) for _ in range(2)}
    assert len(pids) == 2
    assert os.getpid() not in pids
    assert MEMORY <= isolated_afresh(jobs, "limit", seconds=60.0) < 2 * MEMORY


@pytest.mark.parametrize(
    ("do", "kind", "said"),
    [
        ("crash", "crash", "bench_test_jobs:work crashed its worker: SIGSEGV"),
        ("raise", "error", "bench_test_jobs:work failed in the worker: ValueError: a bug"),
        ("hang", "timeout", "bench_test_jobs:work did not finish within 0.5 seconds and was ended"),
    ],
)
def test_the_end_of_a_process_is_an_error(jobs: str, do: str, kind: str, said: str) -> None:
    with pytest.raises(WorkerError) as caught:
        isolated_afresh(jobs, do, seconds=0.5 if do == "hang" else 60.0)
    assert (caught.value.kind, str(caught.value)) == (kind, said)


def test_a_reason_for_people_comes_back_as_it_is(jobs: str) -> None:
    with pytest.raises(PolyloopError) as caught:
        isolated_afresh(jobs, "refuse", seconds=60.0)
    assert str(caught.value) == "a reason"


# --- runs -------------------------------------------------------------------------------------------------------------


NONE: dict[str, BaseException] = {}


class Letters(RowBench):
    """Rows a, b, c, ...; what `errors` has for a name is raised."""

    def __init__(
        self, names: str, resume: Path | None = None, errors: Mapping[str, BaseException] | None = None
    ) -> None:
        super().__init__(list(names), {"seed": 0}, None if resume is None else str(resume))
        self.errors, self.measured, self.closed = errors or {}, "", False

    def measure(self, name: str) -> Row:
        self.measured += name
        if name in self.errors:
            raise self.errors[name]
        return Row(name, {"ours": 1.0})

    def in_short(self, row: Row) -> str:
        return "well"

    def summary(self, rows: Sequence[Row]) -> Summary:
        return summarize(rows)

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        console.print(f"{len(rows)} rows")

    def close(self) -> None:
        self.closed = True


def test_failed_rows_do_not_end_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    errors = {"a": PolyloopError("no such thing\nat all"), "c": WorkerError("memory", "too much")}
    place = Destination(tmp_path / "f.json")
    assert run("letters", Letters("abc", errors=errors), place) == 0
    content = json.loads((tmp_path / "f.json").read_text())
    assert list(content) == ["suite", "machine", "settings", "rows", "summary"]
    assert [(row["row"], row.get("kind")) for row in content["rows"]] == [
        ("a", "refused"),
        ("b", None),
        ("c", "memory"),
    ]
    assert content["summary"]["failed"] == {"a": "no such thing\nat all", "c": "too much"}
    printed = capsys.readouterr()
    assert printed.out == "3 rows\n"
    assert printed.err == "1/3 a: failed: no such thing\n2/3 b: well\n3/3 c: failed: too much\n"
    assert run("letters", Letters("ac", errors=errors), None) == 1, "no row could be made"


def test_the_file_is_written_after_every_row(tmp_path: Path) -> None:
    class Watching(Letters):
        def measure(self, name: str) -> Row:
            seen.append(len(json.loads(file.read_text())["rows"]) if file.exists() else 0)
            return super().measure(name)

    file, seen = tmp_path / "f.json", list[int]()
    run("letters", Watching("abc"), Destination(file))
    assert seen == [0, 1, 2]


@pytest.mark.parametrize("to_file", [True, False])
def test_an_interrupt_leaves_what_there_is(to_file: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bench, file = Letters("abc", errors={"c": KeyboardInterrupt()}), tmp_path / "f.json"
    with pytest.raises(KeyboardInterrupt):
        run("letters", bench, Destination(file if to_file else None))
    content = json.loads(file.read_text() if to_file else capfd.readouterr().out)
    assert [row["row"] for row in content["rows"]] == ["a", "b"]
    assert bench.closed


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    lines, file = tmp_path / "rows", tmp_path / "f.json"
    with pytest.raises(KeyboardInterrupt):
        run("letters", Letters("abc", lines, {"b": KeyboardInterrupt()}), None)
    again = Letters("abc", lines)
    assert run("letters", again, Destination(file)) == 0
    assert again.measured == "bc"
    assert [row["row"] for row in json.loads(file.read_text())["rows"]] == ["a", "b", "c"]
    lines.write_text('{"seed": 1}\n')
    with pytest.raises(UsageError, match="has rows of other settings"):
        Letters("abc", lines)
    for theirs in (b"SQLite format 3\0 and more", b'{"name": "theirs"}'):
        lines.write_bytes(theirs)
        with pytest.raises(JournalError, match="not how such a file begins"):
            Letters("abc", lines)
        assert lines.read_bytes() == theirs


@pytest.mark.parametrize("line", ['{"foo": 1}', '{"row": 3, "seconds": 4}', '{"row": "a", "seconds": {"ours": "x"}}'])
def test_a_line_that_is_no_row_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "rows").write_text(f'{{"seed": 0}}\n{line}\n')
    with pytest.raises(UsageError, match=r"rows:2: this is no row of it"):
        Letters("abc", tmp_path / "rows")


# --- options ----------------------------------------------------------------------------------------------------------


def test_a_limit_takes_a_seeded_choice_in_order() -> None:
    every = [*range(20), *range(20)]
    taken = limited(every, 7, 3)
    assert taken == limited(every, 7, 3) != limited(every, 7, 4)
    assert len(taken) == 7
    assert limited(list(range(20)), 7, 3) == sorted(limited(list(range(20)), 7, 3))
    assert limited(every, None, 3) == limited(every, 40, 3) == every


def test_names_are_listed_with_commas() -> None:
    assert listed("--x", " a b ,c,", ["a b", "c"]) == ["a b", "c"]
    assert chosen("all", ["a", "b"], None, 0) == ["a", "b"]
    with pytest.raises(UsageError, match="--x: there is no thing 'd'; there are a, c"):
        listed("--x", "d", ["a", "c"], "thing ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("agents --against sarsa", "no learner 'sarsa'; there are ppo, a2c, dqn, apex, impala, what they see"),
        ("fuzz --suite walls", "there is no 'walls'"),
        ("fuzz --kernels gemn", "there is no 'gemn'"),
        ("matmul --against atlas", "--against: there is no contestant 'atlas'; there are mkl, mkl-jit,"),
        ("operators --kernels CONV-9", "--kernels: there is no 'CONV-9'; there are MM-64, MM-128,"),
        ("outside --against icc", "there is no contestant 'icc'"),
        ("real --against icc", "there is no contestant 'icc'"),
        ("real --kernels fft", "there is no 'fft'"),
        ("stencils --kernels gemm", "there is no 'gemm'"),
        ("stencils --kernels stream --against polly", "stream take gcc or clang"),
        ("trials --against luck", "--against: there is no search 'luck'; there are"),
    ],
)
def test_names_that_a_suite_does_not_know(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *words.split()]) == 2
    assert message in capsys.readouterr().err
