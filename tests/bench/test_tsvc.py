"""`polyloop bench tsvc` on a tree of our own making that is built as the published one is."""

from __future__ import annotations

import json
import shutil
from argparse import Namespace
from pathlib import Path

import pytest

from polyloop.backend.run.timing import Ratio
from polyloop.bench import tsvc
from polyloop.bench.rows import Row
from polyloop.bench.tsvc import with_pragmas
from polyloop.cli.main import main

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

TEXT = """\
#include "common.h"
float a[LEN], b[LEN];

// void none(void) { dummy(a, b); }
float first(struct args_t * func_args)
{
    initialise_arrays(__func__);
    for (int nl = 0; nl < 2*iterations; nl++) {
        float t = 0; /* } */
        for (int i = 0; i < LEN; i++) {
            t += b[i];
            a[i] = t;
        }
        dummy(a, b);
    }
    return calc_checksum(__func__);
}

static int helper(int i) { return i; }

float second(struct args_t *func_args)
{
    for (int nl = 0; nl < iterations; nl++) {
        for (int i = 0; i < LEN; i++) {
            a[i] = helper(i); stop(i);
        }
        dummy(a, b);
    }
    return 0;
}
"""
HEADER = """\
#define LEN 100
#define iterations 10
struct args_t { int n; };
int dummy(float *, float *);
void stop(int);
void initialise_arrays(const char *);
float calc_checksum(const char *);
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("POLYLOOP_MACHINE", "shipped")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "tsvc.c").write_text(TEXT)
    (tmp_path / "src" / "common.h").write_text(HEADER)
    return tmp_path


def test_regions_are_the_repeated_bodies() -> None:
    text, functions = with_pragmas(TEXT)
    assert functions == ["first", "second"]
    assert text.replace("\n#pragma scop\n", "").replace("\n#pragma endscop\n", "") == TEXT
    regions = [part.partition("#pragma endscop")[0] for part in text.split("#pragma scop\n")[1:]]
    assert regions[0].startswith("\n        float t = 0;")
    assert regions[0].endswith("        }\n        \n")
    assert "dummy" not in "".join(regions)


def test_what_is_read_is_counted(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tree / "found.json"
    assert main(["bench", "tsvc", "--sources", str(tree), "--against", "none", "--json", str(file)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "1 of 2 read; left: 1 call"
    found = json.loads(file.read_text())
    assert found["suite"] == "tsvc"
    assert [(row["row"], row.get("statements"), row.get("kind")) for row in found["rows"]] == [
        ("first", 3, None),
        ("second", None, "refused"),
    ]
    assert found["rows"][1]["failed"].startswith("the call of stop may have side effects; ")
    summary = found["summary"]
    assert (summary["read"], summary["of"], summary["reasons"]) == (1, 2, {"call": 1})


@needs_gcc
def test_builds_meet_in_one_round(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, kept = tree / "found.json", tree / "kept.jsonl"
    command = ["bench", "tsvc", "--sources", str(tree), "--against", "gcc", "--budget", "0.1", "--resume", str(kept)]
    assert main([*command, "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    first, second = found["rows"]
    assert (set(first["seconds"]), set(first["ratios"])) == ({"gcc", "ours (gcc)"}, {"gcc", "best"})
    assert first["ratios"]["gcc"] == first["ratios"]["best"]
    assert set(first["text"]) == {c for c, schedule in first["schedules"].items() if schedule}
    assert all(ratio > 1 for ratio in first["text"].values())
    (check,) = first["checks"]
    assert (check["result"], check["against"], check["passed"], check["compared"]) == ("ours (gcc)", "gcc", True, 100)
    assert (second["kind"], found["summary"]["read"], found["summary"]["reasons"]) == ("refused", 1, {"call": 1})
    assert found["summary"]["verified"]["different"] == 0
    assert set(found["summary"]["wins"]) <= {"first"}
    assert "2/2 second: failed" in capsys.readouterr().err
    assert main(command) == 0
    assert "second" not in capsys.readouterr().err, "what was measured is kept"


def test_what_is_left_as_it_is_is_neither_won_nor_lost(tree: Path) -> None:
    left, won, lost = (
        Row(name, ratios={"gcc": Ratio(*ratio), "best": Ratio(*ratio)}, rival="gcc", facts={"statements": 1})
        for name, ratio in (("left", (1, 1, 1)), ("won", (1.3, 1.2, 1.4)), ("lost", (0.9, 0.8, 0.96)))
    )
    arguments = Namespace(kernels="all", limit=None, seed=0, budget=None, resume=None)
    bench = tsvc.Tsvc(tree / "src" / "tsvc.c", arguments, [])
    summary = bench.summary([left, won, lost])
    assert (summary["wins"], summary["slower"], summary["read"]) == (["won"], ["lost"], 3)


def test_other_compilers_are_refused(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "tsvc", "--sources", str(tree), "--against", "icc"]) == 2
    assert "there is no contestant 'icc'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--sources: give the folder of a checkout of TSVC-2"),
        (("--sources", "."), "--sources: there is no src/tsvc.c in ."),
    ],
)
def test_wrong_usage(
    arguments: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POLYLOOP_MACHINE", "shipped")
    assert main(["bench", "tsvc", *arguments]) == 2
    assert capsys.readouterr().err == f"polyloop: error: {message}\n"
