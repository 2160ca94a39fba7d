"""`polyloop bench polybench`: statistics, isolation, summaries, and small runs of the whole command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyloop.backend.run.timing import Ratio
from polyloop.bench import ours, pluto, verify_worker
from polyloop.bench.polybench import summarize_timed
from polyloop.bench.rows import REPRODUCIBLE, Check, Row
from polyloop.bench.sampling import interleave, timed_row
from polyloop.bench.sources import Job, find_programs
from polyloop.bench.toolchain import find_toolchain
from polyloop.bench.turns import Compilers
from polyloop.cli.main import main
from polyloop.errors import PolyloopError
from polyloop.shipped.kernels import kernel
from polyloop.support.compilers import find_executable
from polyloop.terminal.document import geometric_mean
from polyloop.terminal.errors import UsageError

COMPILERS = [name for name in ("clang", "gcc") if find_executable(name)]
needs_a_compiler = pytest.mark.skipif(not COMPILERS, reason="neither clang nor gcc is installed")
needs_gcc = pytest.mark.skipif("gcc" not in COMPILERS, reason="gcc is not installed")


pytestmark = pytest.mark.usefixtures("own_cache")


def only_gcc(folder: Path) -> str:
    """A PATH on which there is gcc with its assembler and linker, and nothing else."""
    folder.mkdir()
    for name in ("gcc", "as", "ld"):
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    return str(folder)


# --- statistics -------------------------------------------------------------------------------------------------------


class Clock:
    """Contestants that only say how long they took, and the order in which they were called."""

    def __init__(self, **seconds: float) -> None:
        self.seconds = seconds
        self.calls = ""

    def run(self, name: str) -> float:
        self.calls += name
        return self.seconds[name]

    def interleave(self, rounds: int | None) -> dict[str, list[float]]:
        return interleave({name: lambda name=name: self.run(name) for name in self.seconds}, rounds)  # type: ignore[misc]


def test_contestants_take_turns_and_the_first_round_only_warms_up() -> None:
    clock = Clock(a=1.0, b=2.0)
    assert clock.interleave(3) == {"a": [1.0] * 3, "b": [2.0] * 3}
    assert clock.calls == "ab" * 4


def test_a_slow_contestant_runs_twice_in_all() -> None:
    clock = Clock(a=1.0, b=6.0)
    assert clock.interleave(3) == {"a": [1.0] * 3, "b": [6.0] * 2}
    assert clock.calls == "ababaa"


@pytest.mark.parametrize(("seconds", "rounds"), [(1e-6, 40), (0.2, 15), (2.0, 5)])
def test_the_number_of_rounds_follows_the_time_of_one(seconds: float, rounds: int) -> None:
    assert len(Clock(a=seconds).interleave(None)["a"]) == rounds


def test_means() -> None:
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert geometric_mean([]) is None


def test_rounds_that_only_one_ran_are_left_out() -> None:
    made = timed_row("k", {"gcc": [2.0, 6.0, 9.0], "ours": [1.0, 2.0]}, ("gcc",), None, (), {})
    assert made.ratios["gcc"] == Ratio(2.5, 2.0, 3.0)


# --- figures and summary ----------------------------------------------------------------------------------------------


def row(name: str, clang: float, gcc: float, jit: float, *checks: Check, floating: bool = True) -> Row:
    """Our time is 1 s for 10**9 operations."""
    timed = {"clang": [clang] * 3, "gcc": [gcc] * 3, "ours": [1.0] * 3, "jit": [jit] * 3}
    facts = {"kernel": name, "not_built": {}, "floating": floating}
    return timed_row(name, timed, ("clang", "gcc"), 10**9, checks or [Check("ours", 10, True, different=0)], facts)


def test_figures_compare_with_the_better_compiler() -> None:
    made = row("x", clang=4.0, gcc=2.0, jit=0.9)
    assert {name: ratio.value for name, ratio in made.ratios.items()} == {"clang": 4.0, "gcc": 2.0}
    assert made.rival == "gcc"
    assert made.facts["speedup"] == {"clang": 4.0, "gcc": 2.0, "jit": 0.9}
    assert made.facts["interval"] == {"against": "gcc", "low": 2.0, "high": 2.0}
    assert made.facts["gflops"]["ours"] == pytest.approx(1.0)


def test_summary() -> None:
    wrong, told = Check("jit", 10, False, different=3), Check("gcc", 10, None, different=3)
    rows = [
        row("a", clang=8.0, gcc=4.0, jit=1.0),
        row("b", 2.0, 0.9, 0.5, wrong, told, floating=False),
        Row("c", failed="it crashed", kind="crash"),
    ]
    summary = summarize_timed(rows, {"polly": "not installed"}, 4.0)
    assert summary["speedup"] == {"clang": pytest.approx(4.0), "gcc": pytest.approx(3.6**0.5)}
    assert summary["best_compiler"] == pytest.approx(3.6**0.5)
    assert summary["worst"] == {"clang": {"ratio": 2.0, "row": "b"}, "gcc": {"ratio": 0.9, "row": "b"}}
    assert summary["slower"] == ["b"]
    assert summary["emitted_over_jit"]["ours"] == {"mean": pytest.approx(0.5**0.5), "worst": 0.5, "row": "b"}
    assert summary["peak_fraction"] == pytest.approx(0.25)
    assert summary["verified"] == {"compared": 2, "different": 1, "elements": 20}
    assert summary["failed"] == {"c": "it crashed"}
    assert summary["missing"] == {"polly": "not installed"}


# --- compilers --------------------------------------------------------------------------------------------------------


@needs_gcc
def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", only_gcc(tmp_path / "bin"))
    tools = find_toolchain(("clang", "gcc", "polly"))
    assert list(tools.compilers) == ["gcc"]
    assert tools.missing == {"clang": "clang is not installed", "polly": "clang is not installed"}
    assert tools.reference.name == "gcc"


@pytest.mark.parametrize(("target", "without"), [("avx2", "__AVX512F__"), ("sse", "__AVX__")])
@pytest.mark.parametrize("name", COMPILERS)
def test_compilers_get_the_instructions_that_we_get(
    name: str, target: str, without: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYLOOP_TARGET", target)
    for compiler in (find_toolchain((name,)).compilers[name], Compilers.named((name,)).found[name]):
        path, *flags = compiler.command
        printed = subprocess.run(
            [path, *flags, "-dM", "-E", "-x", "c", os.devnull], capture_output=True, text=True, check=True
        )
        assert "__SSE2__" in printed.stdout
        assert without not in printed.stdout


def test_a_library_that_the_linker_misses_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first word on it is the linker's, the last the compiler's."""
    script = """#!/bin/sh
[ "$1" = --version ] && echo gcc 1.0 && exit 0
echo "/usr/bin/ld: cannot find -lomp: No such file or directory" >&2
echo "gcc: error: linker command failed with exit code 1" >&2
exit 1
"""
    (tmp_path / "gcc").write_text(script)
    (tmp_path / "gcc").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PolyloopError, match="does not work: /usr/bin/ld: cannot find -lomp: No such file"):
        find_toolchain(("gcc",))


def test_no_compiler_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PolyloopError, match="needs clang or gcc, and neither works"):
        find_toolchain(("gcc",))


# --- the command ------------------------------------------------------------------------------------------------------


def bench(*arguments: str, json_file: Path) -> tuple[int, dict[str, Any]]:
    status = main(["bench", "polybench", "--json", str(json_file), *arguments])
    return status, json.loads(json_file.read_text())


@needs_a_compiler
def test_what_reproducibility_costs(tmp_path: Path) -> None:
    """trisolv may keep its loops; it is built without a word about contraction either way."""
    options = ("--kernels", "trisolv", "--dataset", "MINI", "--budget", "0.3", "--rounds", "3")
    against = ",".join((*COMPILERS, REPRODUCIBLE))
    status, found = bench(*options, "--against", against, json_file=tmp_path / "out.json")
    assert status == 0
    assert found["summary"]["missing"] == {}
    for row in found["rows"]:
        assert REPRODUCIBLE in row["ratios"]
        assert row["rival"] in COMPILERS
        verdicts = [c for c in row["checks"] if c["passed"] is not None]
        checked = [c for c in verdicts if c["result"].startswith(REPRODUCIBLE)]
        assert {c["against"] for c in checked} == {f"{compiler} -ffp-contract=off" for compiler in COMPILERS}
        assert {c["passed"] for c in checked} == {True}


@needs_a_compiler
def test_two_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--kernels", "trisolv,nussinov", "--dataset", "MINI", "--budget", "0.3", "--rounds", "3")
    status, found = bench(*options, "--against", ",".join(COMPILERS), json_file=tmp_path / "out.json")
    assert status == 0
    assert set(found) == {"suite", "machine", "settings", "rows", "summary"}
    assert found["suite"] == "polybench"
    assert found["machine"]["peak_gflops"] > 0
    assert found["settings"]["dataset"] == "MINI"
    assert [row["kernel"] for row in found["rows"]] == ["trisolv", "nussinov"]
    trisolv, nussinov = found["rows"]
    assert trisolv["flops"] == kernel("trisolv").flops("MINI")
    assert {*COMPILERS, "ours", "jit"} <= set(trisolv["seconds"])
    assert all(timing["runs"] == 3 for timing in trisolv["seconds"].values())
    assert (trisolv["floating"], nussinov["floating"]) == (True, False)
    summary = found["summary"]
    assert set(summary["speedup"]) == set(COMPILERS) == set(summary["worst"])
    # Under each compiler without contraction; with clang also as it is, and the kernel in memory.
    checks = [check["result"] for row in found["rows"] for check in row["checks"] if check["passed"]]
    assert len(checks) == 2 * (len(COMPILERS) + (2 if "clang" in COMPILERS else 0))
    assert summary["verified"]["compared"] == len(checks)
    assert summary["verified"]["different"] == 0
    assert (summary["failed"], summary["missing"]) == ({}, {})
    printed = capsys.readouterr()
    assert "results compared" in printed.out
    assert "1/2 trisolv" in printed.err


@needs_gcc
def test_missing_contestants_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", only_gcc(tmp_path / "bin"))
    status, found = bench(
        "--kernels", "trisolv", "--dataset", "MINI", "--budget", "0.3", json_file=tmp_path / "out.json"
    )
    assert status == 0
    assert len(found["rows"]) == 1
    assert set(found["summary"]["missing"]) == {"clang", "polly"}
    assert set(found["summary"]["speedup"]) == {"gcc"}
    assert "missing: clang: clang is not installed" in capsys.readouterr().out


def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "polybench", "--verify"]) == 2
    assert "give their folder with --sources DIR" in capsys.readouterr().err
    assert main(["bench", "polybench", "--rounds", "0"]) == 2
    assert "'0' is not a positive whole number" in capsys.readouterr().err
    assert main(["bench", "polybench", "--against", "pluto"]) == 2
    assert "pluto rewrites the published programs; give their folder with --sources DIR" in capsys.readouterr().err
    with pytest.raises(UsageError, match=r"has no utilities/polybench\.c"):
        find_programs(tmp_path)


# --- published programs -----------------------------------------------------------------------------------------------

COMMON_H = """
extern void start_clock(void), stop_clock(void);
#ifdef MINI_DATASET
#define N 21
#else
#define N 190
#endif
"""
COMMON_C = """
#include <stdio.h>
#include <time.h>
#include "polybench.h"
static clock_t started;
void start_clock(void) { started = clock(); }
void stop_clock(void) { printf("%0.6f\\n", (double)(clock() - started) / CLOCKS_PER_SEC); }
"""
PROGRAM = """
#include <stdio.h>
#include "polybench.h"
static double a[N][N], b[N][N];

static void update(int n)
{
  int i, j;
#pragma scop
SCOP
#pragma endscop
}

int main(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = (i * 7 + j) % 13 / 13.0;
      b[i][j] = (i + 5 * j) % 11 / 11.0;
    }
#ifdef POLYBENCH_TIME
  start_clock();
#endif
  update(N);
#ifdef POLYBENCH_TIME
  stop_clock();
#endif
#ifdef POLYBENCH_DUMP_ARRAYS
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      fprintf(stderr, "%0.2lf ", a[i][j]);
  fprintf(stderr, "==END\\n");
#endif
  return 0;
}
"""
SCOPS = {
    "columns": "for (j = 0; j < n; j++) for (i = 1; i < n; i++) a[i][j] += 0.5 * a[i - 1][j] + b[i][j];",
    "search": "i = 0; while (a[i][0] < 0.9) { for (j = 0; j < n; j++) a[i][j] += b[i][j]; i++; }",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree like the published one, with a program that can be optimized and one that cannot."""
    root = tmp_path / "programs"
    (root / "utilities").mkdir(parents=True)
    (root / "utilities" / "polybench.h").write_text(COMMON_H)
    (root / "utilities" / "polybench.c").write_text(COMMON_C)
    for name, scop in SCOPS.items():
        (root / "some" / name).mkdir(parents=True)
        (root / "some" / name / f"{name}.c").write_text(PROGRAM.replace("SCOP", scop))
    return root


@needs_a_compiler
def test_dumps_are_compared(tree: Path, tmp_path: Path) -> None:
    options = ("--sources", str(tree), "--verify", "--dataset", "SMALL", "--budget", "0.3")
    status, found = bench(*options, json_file=tmp_path / "out.json")
    assert status == 0
    assert [row["kernel"] for row in found["rows"]] == ["columns", "search"]
    outcomes = [{result["outcome"] for result in row["results"]} for row in found["rows"]]
    assert {"equal"} <= outcomes[0] <= {"equal", "missing"}
    assert outcomes[1] == {"refused"}
    assert "while" in found["summary"]["refused"]["search"]
    assert found["summary"]["verified"]["different"] == 0
    assert found["summary"]["verified"]["compared"] >= len(COMPILERS)
    assert found["summary"]["warnings"] == 0


@needs_a_compiler
def test_a_wrong_result_is_found(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = find_programs(tree)["columns"]
    job = Job("columns", "MINI", budget=0.3, program=program)
    right = ours.optimize_text(job.request(1))
    text = program.path.read_text().replace("0.5 *", "0.75 *")
    monkeypatch.setattr(ours, "optimize_text", lambda _: replace(right, text=text))
    results = verify_worker.verify(job).facts["results"]
    outcomes = {result["outcome"] for result in results}
    assert {"different"} <= outcomes <= {"different", "missing"}
    reason = next(result["reason"] for result in results if result["outcome"] == "different")
    assert "words differ" in reason


@needs_a_compiler
def test_published_programs_are_timed(tree: Path, tmp_path: Path) -> None:
    options = ("--sources", str(tree), "--kernels", "columns", "--budget", "0.3", "--rounds", "2")
    status, found = bench(*options, "--against", ",".join(COMPILERS), json_file=tmp_path / "out.json")
    assert status == 0
    (row,) = found["rows"]
    assert {*COMPILERS, "ours"} <= set(row["seconds"])
    assert all(timing["runs"] == 2 for timing in row["seconds"].values())
    assert [check["different"] for check in row["checks"]] == [0]


POLYCC = """#!/bin/sh
# As Pluto's script is called: FILE OPTIONS -o OUTPUT
for word; do output=$word; done
case "$*" in
  *--nofuse*) sed 's/0.5 \\*/0.75 */' "$1" > $output ;;
  *--maxfuse*) echo "[pluto] it gives up" >&2; exit 1 ;;
  *) cp "$1" $output ;;
esac
"""


@needs_a_compiler
def test_pluto_rewrites_published_programs(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modes that fail, and those that compute something else, are none."""
    options = ("--sources", str(tree), "--kernels", "columns", "--budget", "0.3", "--rounds", "2", "--against", "pluto")
    _, found = bench(*options, json_file=tmp_path / "out.json")
    assert found["summary"]["missing"] == {"pluto": "there is no polycc on PATH"}
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "polycc").write_text(POLYCC)
    (tmp_path / "bin" / "polycc").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    status, found = bench(*options, json_file=tmp_path / "out.json")
    assert status == 0
    (row,) = found["rows"]
    assert row["pluto"].partition(",")[0] in ("--notile", "--tile")
    assert row["seconds"]["pluto"]["runs"] == 2
    program = find_programs(tree)["columns"]
    for mode, reason in (("--nofuse", "its results are others"), ("--maxfuse", "status 1: .pluto. it gives up")):
        monkeypatch.setattr(pluto, "MODES", ((mode,),))
        with pytest.raises(PolyloopError, match=reason):
            pluto.best_build(program, [find_toolchain(()).reference], tmp_path, "MINI", 1, 60.0)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_the_published_programs(tmp_path: Path) -> None:
    folder = os.environ.get("POLYLOOP_POLYBENCH")
    if not folder:
        pytest.skip("set POLYLOOP_POLYBENCH to the folder of PolyBench/C 4.2.1")
    options = ("--sources", folder, "--verify", "--dataset", "SMALL", "--budget", "2")
    status, found = bench(*options, json_file=tmp_path / "out.json")
    assert status == 0
    assert len(found["rows"]) == 30
    assert set(found["summary"]["outcomes"]) <= {"equal", "missing"}
    assert found["summary"]["warnings"] == 0
