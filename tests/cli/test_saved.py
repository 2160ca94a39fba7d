"""`polyloop optimize --schedule SAVED`: the same output without a search, proven anew; `--check` for CI."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import polyloop.cli.optimize
from polyloop.measure.saved import FORMAT
from tests.cli.test_optimize import THREE
from tests.helpers.commands import SCALE, Run


@pytest.fixture
def saved(run: Run, scale: Path, fixed_optimizer: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """fast.c and fast.schedule of scale.c; from now on nothing searches."""
    assert run("optimize", "scale.c", "-o", "fast.c", "--emit", "c,schedule").status == 0
    monkeypatch.setattr(polyloop.cli.optimize, "optimize", None)
    return scale.parent / "fast.schedule"


def test_the_same_file_without_a_search(run: Run, saved: Path) -> None:
    before = Path("scale.c").stat()
    ran = run("optimize", "scale.c", "--schedule", "fast.schedule", "-o", "again.c")
    said = "scale.c:5: scale: the schedule in fast.schedule; 0 dependences checked, all kept\nwrote again.c\n"
    assert (ran.status, ran.out, ran.err) == (0, said, "")
    assert Path("again.c").read_bytes() == Path("fast.c").read_bytes()
    assert Path("scale.c").stat().st_mtime_ns == before.st_mtime_ns


def test_every_machine_writes_the_same(run: Run, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = json.loads(saved.read_text())
    entry["regions"][0]["target"] = "avx512"
    saved.write_text(json.dumps(entry))
    texts = set()
    for target in ("native", "sse"):
        monkeypatch.setenv("POLYLOOP_TARGET", target)
        texts.add(run("optimize", "scale.c", "--schedule", "fast.schedule").out)
    assert len(texts) == 1
    assert "polyloop_scale_0" in texts.pop()


def test_check_tells_what_would_change(run: Run, saved: Path) -> None:
    command = ("optimize", "scale.c", "-D", "ODD=a b", "--schedule", "fast.schedule", "-o", "fast.c", "--check")
    ran = run(*command)
    assert (ran.status, ran.out, ran.err) == (0, "fast.c is up to date\n", "")
    again = "polyloop optimize scale.c -D 'ODD=a b' --schedule fast.schedule -o fast.c\n"
    Path("fast.c").write_text(Path("fast.c").read_text().replace("/* scale */", "/* scaled */"))
    edited = Path("fast.c").read_bytes()
    ran = run(*command)
    assert ran.status == 1
    assert "--- fast.c\n+++ what it would be now\n" in ran.err
    assert "\n-/* scaled */\n+/* scale */\n" in ran.err
    assert f"fast.c is not up to date; write it again: {again}" in ran.err
    assert Path("fast.c").read_bytes() == edited
    Path("fast.c").unlink()
    assert f"there is no fast.c to check; write it: {again}" in run(*command).err


def test_white_space_and_comments_do_not_matter(run: Run, saved: Path) -> None:
    text = SCALE.replace("i++)\n", "i++)  /* rows */\n\n").replace("/* scale */", "/* here */\n")
    text = text.replace("void scale", "void renamed")
    Path("scale.c").write_text(text)
    assert run("optimize", "scale.c", "--schedule", "fast.schedule", "-o", "again.c").status == 0


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "2.0",
            "3.0",
            "the loops of scale have changed since fast.schedule was written (line 5 then)",
        ),
        ("double a", "float a", "its text is the same, but its declarations, macros or headers are not"),
        (SCALE, THREE, "there is no schedule for row in fast.schedule: the loops are new"),
    ],
)
def test_loops_that_have_changed(run: Run, saved: Path, old: str, new: str, reason: str) -> None:
    Path("scale.c").write_text(SCALE.replace(old, new))
    ran = run("optimize", "scale.c", "--schedule", "fast.schedule", "-o", "again.c")
    assert ran.status == 1
    assert reason in ran.err
    assert not Path("again.c").exists()


def test_illegal_schedules_are_refused(run: Run, tmp_path: Path, fixed_optimizer: None) -> None:
    Path("three.c").write_text(THREE)
    assert run("optimize", "three.c", "-o", "kept", "--emit", "schedule").status == 0
    content = json.loads(Path("kept").read_text())
    assert [each.get("kept") for each in content["regions"]] == [
        "the original loops are the fastest that was found",
        "it is odd",
    ]
    content["regions"][0]["tree"] = {
        "statements": ["S0"],
        "root": {"loops": [{"rows": {"S0": "-i"}}], "inside": None},
    }
    Path("kept").write_text(json.dumps(content))
    ran = run("optimize", "three.c", "--schedule", "kept")
    assert ran.status == 1
    assert "kept: the schedule of row is not legal: " in ran.err
    assert "would be reversed" in ran.err


def test_schedules_of_loops_that_are_gone_are_told(run: Run, tmp_path: Path, fixed_optimizer: None) -> None:
    Path("two.c").write_text(SCALE + SCALE.replace("scale", "again"))
    assert run("optimize", "two.c", "-o", "kept", "--emit", "schedule").status == 0
    Path("two.c").write_text(SCALE)
    ran = run("optimize", "two.c", "--schedule", "kept", "-o", "out.c")
    assert (ran.status, ran.err) == (0, "polyloop: remark: 1 schedule is of loops that are no longer there: kept\n")


def test_loops_without_pragmas_are_found_again(run: Run, tmp_path: Path, fixed_optimizer: None) -> None:
    Path("bare.c").write_text(SCALE.replace("#pragma scop\n", "").replace("#pragma endscop\n", ""))
    assert run("optimize", "bare.c", "--auto", "-o", "fast.c", "--emit", "c,schedule").status == 0
    assert run("optimize", "bare.c", "--schedule", "fast.schedule", "-o", "fast.c", "--check").status == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--check",), "--check compares what --schedule SAVED gives with the output file; give both"),
        (("--schedule", "kept", "--check"), "--check compares a file with what it would be now; name it with -o FILE"),
        (("--schedule", "kept", "--budget", "2"), "so --budget says nothing"),
        (("--schedule", "kept", "--fp-contract", "off"), "so --fp-contract says nothing"),
        (("--schedule", "kept", "--emit", "asm"), "--schedule writes C; leave --emit out"),
    ],
)
def test_options_that_do_not_go_together(run: Run, scale: Path, arguments: tuple[str, ...], reason: str) -> None:
    ran = run("optimize", "scale.c", *arguments)
    assert (ran.status, reason in ran.err) == (2, True)


def test_a_file_that_is_none(run: Run, scale: Path) -> None:
    Path("kept").write_text(json.dumps({"format": FORMAT + "0"}))
    ran = run("optimize", "scale.c", "--schedule", "kept")
    assert (ran.status, "kept has no schedules that can be read" in ran.err) == (1, True)
    assert run("optimize", "scale.c", "--schedule", "nothing").err.startswith("polyloop: error: cannot read nothing: ")
