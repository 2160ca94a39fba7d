"""`polyloop optimize --cc`: what the user's compiler is asked, and how its answer is told."""

from __future__ import annotations

import json
import platform
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import polyloop.cli.optimize
from polyloop.backend.machine.host import host_target
from polyloop.measure.result import Check, Fate, Judgement, Measurement, Result
from polyloop.scop.model import Scop
from polyloop.support.compilers import BuildError, Compiler
from tests.helpers.commands import Run, vectorized

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

BEFORE, AFTER = Measurement(4e-3, 4e-3, 0.0, 9), Measurement(2e-3, 2e-3, 0.0, 9)
WON = Judgement("gcc -O2", "gcc 12", "vectorized", BEFORE, AFTER, 2.03, 1.98, 2.1, Check(64, 5, 1e-15, 1e-9))
LOST = replace(WON, ratio=0.85, low=0.8, high=0.9)
WRONG = Measurement.failed("as gcc -O2 builds it, 3 of 64 elements differ", Fate.WRONG_RESULTS, "vectorized")
UNBUILT = Measurement.failed("gcc failed on region.c", Fate.NO_CODE, "vectorized")
NOTHING = replace(LOST, candidate="original loops", after=BEFORE, ratio=1.0, low=1.0, high=1.0, others=(WRONG,))


def won(scop: Scop, **options: object) -> Result:
    return replace(vectorized(scop, sizes={"n": 8}), judged=WON, baseline=BEFORE, timing=AFTER)


def lost(judged: Judgement | None, unjudged: str = "") -> Callable[..., Result]:
    def optimize(scop: Scop, **options: object) -> Result:
        result = vectorized(scop, sizes={"n": 8})
        best = replace(result.best, tree=None, name="original loops")
        return replace(result, best=best, baseline=BEFORE, timing=BEFORE, judged=judged, unjudged=unjudged)

    return optimize


def report(run: Run, monkeypatch: pytest.MonkeyPatch, optimize: Callable[..., Result]) -> list[str]:
    monkeypatch.setattr(polyloop.cli.optimize, "optimize", optimize)
    ran = run("optimize", "scale.c", "-o", "out.c", "--json", "out.json")
    assert ran.status == 0
    return ran.out.splitlines()


def row(tmp_path: Path) -> dict[str, object]:
    found = json.loads((tmp_path / "out.json").read_text())["rows"][0]
    assert isinstance(found, dict)
    return found


def test_what_wins_is_told_with_its_interval(
    run: Run, scale: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = report(run, monkeypatch, won)
    headline = "2.03 times as fast as before (1.98 to 2.10) under gcc -O2, the best of 3 that were tried"
    assert lines[0] == f"scale.c:5: scale: {headline}"
    assert "  time            4 ms before, 2 ms after (median of 9 runs)" in lines
    check = "64 elements compared, 5 differ, by 1.0e-15 at most: within the tolerance of 1.0e-09"
    assert f"  compiler        gcc -O2 (gcc 12): {check}" in lines
    told = row(tmp_path)
    assert told["speedup"] == 2.03
    compiler = told["compiler"]
    assert isinstance(compiler, dict)
    assert compiler["ratio"] == {"value": 2.03, "low": 1.98, "high": 2.1}
    assert (compiler["command"], compiler["version"], compiler["wins"]) == ("gcc -O2", "gcc 12", True)


@pytest.mark.parametrize(
    ("judged", "unjudged", "told"),
    [
        (LOST, "", "gcc -O2 (gcc 12): the best of the others is 0.85 times as fast (0.80 to 0.90)"),
        (
            replace(LOST, others=(WRONG,)),
            "",
            "gcc -O2 (gcc 12): the best of the others is 0.85 times as fast (0.80 to 0.90); "
            f"left out: {WRONG.error}; with -ffp-contract=off in --cc all forms have the same bits",
        ),
        (
            replace(LOST, others=(UNBUILT, WRONG, UNBUILT)),
            "",
            "gcc -O2 (gcc 12): the best of the others is 0.85 times as fast (0.80 to 0.90); "
            f"left out: 3 candidates, one of them: {WRONG.error}; "
            "with -ffp-contract=off in --cc all forms have the same bits",
        ),
        (
            replace(LOST, others=(UNBUILT,)),
            "",
            "gcc -O2 (gcc 12): the best of the others is 0.85 times as fast (0.80 to 0.90); "
            "left out: gcc failed on region.c",
        ),
        (
            replace(LOST, ratio=1.1, low=1.05, high=1.2, least=1.25),
            "",
            "gcc -O2 (gcc 12): the best of the others is 1.10 times as fast (1.05 to 1.20); "
            "as it takes memory in each call it would have to be 1.25",
        ),
        (
            replace(LOST, ratio=1.9, low=1.8, high=2.2, least=1.25, smooth=0.5),
            "",
            "gcc -O2 (gcc 12): the best of the others is 1.90 times as fast (1.80 to 2.20); "
            "on data that vary slowly 0.50",
        ),
        (NOTHING, "", f"gcc -O2 (gcc 12): nothing else could be built and run ({WRONG.error})"),
        (None, "it is asleep", "not asked: it is asleep; the figures are our own code generator's"),
    ],
)
def test_what_does_not_win_is_no_speedup_and_written_as_it_is(
    run: Run,
    scale: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    judged: Judgement | None,
    unjudged: str,
    told: str,
) -> None:
    lines = report(run, monkeypatch, lost(judged, unjudged))
    assert lines[0].endswith("the original loops are the fastest of 3 that were tried; left as they are")
    assert "  time            4 ms (median of 9 runs)" in lines
    assert f"  compiler        {told}" in "\n".join(lines).replace(";\n                  ", "; ").splitlines()
    assert (tmp_path / "out.c").read_text() == scale.read_text()
    assert row(tmp_path)["speedup"] == 1.0


# --- the options ------------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What `optimize` was called with last."""
    found: dict[str, object] = {}

    def optimize(scop: Scop, **options: object) -> Result:
        found.update(options)
        return vectorized(scop, sizes=None)

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", optimize)
    return found


@pytest.mark.parametrize("threads", ["1", "2"])
def test_openmp_is_for_threads_where_nobody_says_what_the_flags_are(
    threads: str, run: Run, scale: Path, asked: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "gcc -O1")
    assert run("optimize", "scale.c", "--threads", threads).status == 0
    assert str(asked["cc"]) == ("gcc -O1" if threads == "1" else "gcc -O1 -fopenmp")
    ran = run("optimize", "scale.c", "--threads", threads, "--cc", "gcc -O2")
    assert str(asked["cc"]) == "gcc -O2"
    remark = "polyloop: remark: parallel loops are timed in one thread: --cc has no -fopenmp\n"
    assert (remark in ran.err) == (threads == "2")


def test_a_compiler_without_openmp_is_told_of(
    run: Run, scale: Path, asked: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(compiler: Compiler) -> None:
        raise BuildError(f"{compiler} does not work: cannot find -lomp")

    monkeypatch.setenv("CC", "gcc -O1")
    monkeypatch.setattr(polyloop.cli.optimize, "probe", refuses)
    ran = run("optimize", "scale.c", "--threads", "2")
    assert str(asked["cc"]) == "gcc -O1"
    assert "parallel loops are timed in one thread: gcc -O1 -fopenmp does not work: cannot find -lomp\n" in ran.err


def test_the_compiler_gets_its_flags_and_those_of_the_file(run: Run, scale: Path, asked: dict[str, object]) -> None:
    Path("inc").mkdir()
    Path("pre.h").write_text("#define FACTOR 2.0\n")
    scale.write_text(scale.read_text().replace("2.0 *", "FACTOR * MORE *"))
    command = ("--cc", "gcc -O1 -std=c99 -include pre.h -I inc")
    assert run("optimize", "scale.c", *command, "-DMORE=3.0", "-UX", "-I.").status == 0
    compiler = asked["cc"]
    assert isinstance(compiler, Compiler)
    own = ("-I.", "-DMORE=3.0", "-UX")
    assert compiler.whole == (shutil.which("gcc"), "-O1", "-std=c99", "-include", "pre.h", "-I", "inc", *own)
    assert str(compiler) == "gcc -O1 -std=c99 -include pre.h -I inc"
    assert (asked["contract"], asked["reassociate"]) == ("off", False)  # ISO C has gcc contract nothing


def names_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the scops that are optimized from now on, which takes no time."""
    read: list[str] = []

    def optimize(scop: Scop, **options: object) -> Result:
        read.append(scop.name)
        return vectorized(scop, sizes=None)

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", optimize)
    return read


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are instructions of x86-64")
def test_a_file_is_read_as_the_compiler_has_it(run: Run, scale: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions and constants for other instructions are none of the program's."""
    read, text = names_read(monkeypatch), scale.read_text()
    wide, plain = (re.sub(r"\bscale\b", name, text) for name in ("wide", "plain"))
    scale.write_text(f"#ifdef __POPCNT__\n{wide}#else\n{plain}#endif\n#ifdef __SSE2__\n{text}#endif\n")
    for options in (("--cc", "gcc -mpopcnt"), ("--cc", "gcc -mno-popcnt"), ("--cc", "gcc -mpopcnt", "--target", "sse")):
        assert run("optimize", "scale.c", *options).status == 0
    assert read == ["wide", "scale", "plain", "scale", "plain", "scale"]


def test_a_file_is_read_with_the_macros_of_the_compiler(run: Run, scale: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a constant is may depend on any of them; those that only other compilers have are none."""
    read, text = names_read(monkeypatch), scale.read_text()
    names = (re.sub(r"\bscale\b", name, text) for name in ("fast", "careful", "plain"))
    scale.write_text("#ifdef __FAST_MATH__\n{}#elif defined __OPTIMIZE__\n{}#else\n{}#endif\n".format(*names))
    for flags in ("-O2 -ffast-math", "-O2", "-O0"):
        assert run("optimize", "scale.c", "--cc", f"gcc {flags}").status == 0
    assert read == ["fast", "careful", "plain"]


def test_what_flags_say_of_roundings_and_sums(
    run: Run, scale: Path, asked: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "gcc -Ofast")
    run("optimize", "scale.c")
    assert (str(asked["cc"]), asked["contract"], asked["reassociate"]) == ("gcc -Ofast", "on", True)
    run("optimize", "scale.c", "--cc", "gcc -O1", "--fp-contract=fast")
    assert (str(asked["cc"]), asked["contract"], asked["reassociate"]) == ("gcc -O1", "fast", False)
    ran = run("optimize", "scale.c", "--reproducible")
    assert ran.status == 2
    assert "--reproducible: gcc -Ofast reorders sums as it likes" in ran.err


def test_no_compiler(run: Run, scale: Path, asked: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was named has to be there; the default need not be."""
    ran = run("optimize", "scale.c", "--cc", "there_is_none -O2")
    assert (ran.status, "--cc: there is no compiler there_is_none" in ran.err) == (2, True)
    ran = run("optimize", "scale.c", "--cc", "gcc 'x")
    assert (ran.status, '--cc: "gcc \'x" is no command: No closing quotation' in ran.err) == (2, True)
    monkeypatch.setenv("CC", "there_is_none")
    ran = run("optimize", "scale.c", "-o", "out.c")
    reason = "there is no compiler there_is_none: figures are those of our own code generator (--cc)"
    assert (ran.status, ran.err, asked["cc"]) == (0, f"polyloop: remark: {reason}\n", None)
    monkeypatch.setenv("CC", "gcc -O1")
    assert run("optimize", "scale.c", "--cc", "none").status == 0
    assert asked["cc"] is None
    assert run("optimize", "scale.c", "-o", "out.o", "--emit", "obj").status == 0
    assert asked["cc"] is None  # what is written is our own code generator's


def test_really_asked(run: Run, scale: Path, tmp_path: Path) -> None:
    """Whatever it decides: what is announced is what it built."""
    command = ("--cc", "gcc -O1 -ffp-contract=off", "--sizes", "n=40", "--budget", "0.2")
    ran = run("optimize", "scale.c", "-o", "out.c", *command, "--json", "out.json")
    assert ran.status == 0, ran.err

    told = row(tmp_path)
    compiler = told["compiler"]
    assert isinstance(compiler, dict)
    assert told["unjudged"] is None
    assert compiler["check"] == {
        "compared": 1600, "different": 0, "largest": 0.0, "tolerance": 0.0, "rounding": None, "passed": True
    }  # fmt: skip
    changed = compiler["ratio"]["low"] > 1
    assert told["status"] == ("optimized" if changed else "original")
    assert told["before"] == compiler["before"]
    assert told["after"] == compiler["after" if changed else "before"]
    assert ("polyloop_scale_0(" in (tmp_path / "out.c").read_text()) == changed


def test_code_is_for_the_instructions_that_the_flags_mean(
    run: Run, scale: Path, asked: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = host_target().machine.instructions
    if here not in ("avx512", "avx2"):
        pytest.skip("this processor has nothing beyond SSE")
    monkeypatch.setenv("POLYLOOP_MACHINE", "shipped")
    for flags, target in (("-march=x86-64", "sse"), ("-march=native", None)):
        assert run("optimize", "scale.c", "--cc", f"gcc {flags}").status == 0
        assert asked["target"] == target
    assert run("optimize", "scale.c", "--cc", "gcc -march=x86-64", "--target", "avx2").status == 0
    assert asked["target"] == "avx2"


def test_small_sizes_are_left_to_the_original_loops(
    run: Run, scale: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def limited(scop: Scop, **options: object) -> Result:
        return replace(won(scop, **options), judged=replace(WON, above="n >= 41", around=1.5))

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", limited)
    ran = run("optimize", "scale.c", "--emit", "c,schedule", "-o", "out.c", "--json", "out.json")
    assert "  small sizes     the original loops, but where n >= 41\n" in ran.out
    assert "  own sizes       1.50 times as fast, all that the file runs it with together\n" in ran.out
    judged = row(tmp_path)["compiler"]
    assert isinstance(judged, dict)
    assert (judged["above"], judged["around"]) == ("n >= 41", 1.5)
    text = Path("out.c").read_text()

    assert re.findall(r"if \(\(long\)(n >= 41)\b", text) == ["n >= 41"]
    # What is saved keeps it.
    assert run("optimize", "scale.c", "--schedule", "out.schedule", "-o", "again.c").status == 0
    assert re.findall(r"if \(\(long\)(n >= 41)\b", Path("again.c").read_text()) == ["n >= 41"]
