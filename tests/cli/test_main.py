"""The door of the command line: help, errors as messages, exit statuses."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

import polyloop.cli.show
from polyloop.backend.config import verifies
from polyloop.backend.errors import CompileError, VerificationError
from polyloop.cli.arguments import _ELSEWHERE
from polyloop.cli.bench import SUITES
from polyloop.errors import PolyloopError
from polyloop.terminal.errors import UsageError
from tests.helpers.commands import Run

ROOT = Path(__file__).resolve().parents[2]


TASKS = {"db": ("info", "best", "export", "merge", "prune"), "dataset": ("make", "merge", "info", "train")}


def start(*arguments: str, output: int = subprocess.PIPE) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "polyloop", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, text=True, stdout=output, stderr=subprocess.PIPE, env=environment)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        *((name, "--help") for name in ("optimize", "scan", "show", "explain", *_ELSEWHERE)),
        *(("bench", name, "-h") for name in SUITES),
        *((name, task, "-h") for name, tasks in TASKS.items() for task in tasks),
    ],
)
def test_help_goes_to_standard_output(run: Run, arguments: tuple[str, ...]) -> None:
    ran = run(*arguments)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("usage: polyloop")
    assert "%%" not in ran.out


def test_help_names_every_command_and_exit_status(run: Run) -> None:
    words = run("--help").out.split()
    for word in ("optimize", "show", "explain", "bench", "130"):
        assert word in words


def test_help_of_optimize_names_every_option(run: Run) -> None:
    text = run("optimize", "--help").out
    options = (
        "-I DIR", "-D NAME[=VALUE]", "-U NAME", "-include FILE", "--function", "--dataset", "--sizes", "--emit",
        "--search", "--budget", "--threads", "--reassociate", "--fp-contract", "--assume-noalias", "--space",
        "--reproducible",
        "--json", "--in-place", "--output",
    )  # fmt: skip
    assert [option for option in options if option not in text] == []


@pytest.mark.filterwarnings("default::polyloop.backend.run.kept_files.CacheWarning")
def test_a_cache_that_others_may_write_into_is_named_and_not_used(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cache" / "objects" / "objects").mkdir(parents=True)
    (tmp_path / "cache" / "objects" / "objects").chmod(0o777)
    (tmp_path / "f.c").write_text(
        "void f(double a[64]) {\n#pragma scop\n  for (int i = 0; i < 64; i++) a[i] = 2 * a[i];\n#pragma endscop\n}\n"
    )
    ran = run("optimize", "f.c", "-o", "out.c", "--budget", "1")
    assert ran.status == 0, ran.err
    assert ran.err.count("objects can be written by others") == 1
    assert "polyloop: warning: " in ran.err
    assert ".py:" not in ran.err


def test_version(run: Run) -> None:
    ran = run("--version")
    assert ran.status == 0
    assert ran.out.startswith("polyloop ")


def test_no_command_is_wrong_usage(run: Run) -> None:
    ran = run()
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "polyloop: error: the following arguments are required: COMMAND; see polyloop --help\n"


def test_unknown_commands_are_wrong_usage(run: Run) -> None:
    ran = run("optimise", "x.c")
    assert ran.status == 2
    assert "invalid choice: 'optimise'" in ran.err


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (UsageError("not so"), 2, "polyloop: error: not so\n"),
        (PolyloopError("cannot"), 1, "polyloop: error: cannot\n"),
        (UsageError("--cc: gcc: error: no -x"), 2, "polyloop: error: --cc: gcc: error: no -x\n"),
        (PolyloopError("a.c:3: remark: odd"), 1, "a.c:3: remark: odd\n"),
        (CompileError("no such function"), 1, "polyloop: error: no such function\n"),
        (PolyloopError("a.c:3:4: error: odd [odd]\n  x\n  ^"), 1, "a.c:3:4: error: odd [odd]\n  x\n  ^\n"),
        (KeyboardInterrupt(), 130, "polyloop: interrupted\n"),
    ],
)
def test_errors_become_messages(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, message: str
) -> None:
    def fail(_: Namespace) -> int:
        raise error

    monkeypatch.setattr(polyloop.cli.show, "run", fail)
    ran = run("show", "x.c")
    assert (ran.status, ran.out, ran.err) == (status, "", message)


def test_sigterm_unwinds_what_runs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    unwound = []

    def ended(_: Namespace) -> int:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            return 0
        finally:
            unwound.append(True)

    monkeypatch.setattr(polyloop.cli.show, "run", ended)
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)  # Ray, where a test has started it, handles it itself
    try:
        ran = run("show", "x.c")
        after = signal.getsignal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (ran.status, ran.out, ran.err) == (143, "", "polyloop: terminated\n")
    assert unwound
    assert after is signal.SIG_DFL


def test_bugs_ask_for_a_report_and_show_the_traceback_on_demand(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Namespace) -> int:
        raise RuntimeError("seven is eight")

    monkeypatch.setattr(polyloop.cli.show, "run", fail)
    quiet = run("show", "x.c")
    assert quiet.status == 70
    assert quiet.err == (
        "polyloop: internal error: RuntimeError: seven is eight\n"
        "polyloop: please report it with the traceback that --debug prints\n"
    )
    for arguments in (("--debug", "show", "x.c"), ("show", "x.c", "--debug")):
        ran = run(*arguments)
        assert ran.status == 70
        assert "Traceback" in ran.err


def test_what_the_system_refuses_is_no_bug(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(_: Namespace) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "run/policy.json")

    monkeypatch.setattr(polyloop.cli.show, "run", fill)
    ran = run("show", "x.c")
    assert (ran.status, ran.err) == (1, "polyloop: error: run/policy.json: No space left on device\n")

    def strange(_: Namespace) -> int:
        raise OSError("nothing known")

    monkeypatch.setattr(polyloop.cli.show, "run", strange)
    assert run("show", "x.c").status == 70


def test_what_the_system_lacks_is_no_bug(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_a_file(_: Namespace) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(polyloop.cli.show, "run", without_a_file)
    ran = run("show", "x.c")
    assert (ran.status, ran.err) == (1, "polyloop: error: Too many open files\n")


def test_a_full_disk_under_standard_output_is_named() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    process = start("show", "gemm", output=full)
    os.close(full)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (1, "polyloop: error: No space left on device\n")


@pytest.mark.parametrize(
    ("arguments", "status", "error"),
    [
        ("show gemm", 0, ""),
        ("optimize scale.c --budget 0.2 -o -", 1, "standard output is closed; give a file's name instead of -"),
    ],
)
def test_standard_output_may_be_closed(scale: Path, arguments: str, status: int, error: str) -> None:
    command = f'"{sys.executable}" -m polyloop {arguments} >&-'
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == status, ran.stderr
    assert error in ran.stderr
    assert "internal error" not in ran.stderr


def test_what_a_user_names_commands_no_terminal(run: Run) -> None:
    ran = run("show", "\x1b[2J.c")
    assert (ran.status, ran.err) == (1, "polyloop: error: cannot read \\x1b[2J.c: No such file or directory\n")


def test_a_name_that_is_too_long_is_refused_before_the_work(run: Run, scale: Path) -> None:
    ran = run("optimize", str(scale), "-o", "n" * 300)
    assert ran.status == 2
    assert "-o: the name nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn... is too long" in ran.err
    assert run("show", "gemm").status == 0


def test_debug_shows_where_an_error_comes_from(run: Run) -> None:
    ran = run("--debug", "show", "nothing.c")
    assert ran.status == 1
    assert "Traceback" in ran.err
    assert ran.err.endswith("polyloop: error: cannot read nothing.c: No such file or directory\n")


@pytest.mark.parametrize("words", [("db", "info"), ("dataset", "info", "x"), ("bench", "compile", "--nothing")])
def test_debug_may_stand_behind_every_command(run: Run, words: tuple[str, ...]) -> None:
    ran = run(*words, "--debug")
    assert "--debug" not in ran.err.rpartition("polyloop: error: ")[2]


@pytest.mark.parametrize("before", [None, "0"])
def test_debug_verifies_what_passes_make(run: Run, monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    seen: list[bool] = []

    def look(_: Namespace) -> int:
        seen.append(verifies())
        return 0

    monkeypatch.setattr(polyloop.cli.show, "run", look)
    if before is None:
        monkeypatch.delenv("POLYLOOP_VERIFY")
    else:
        monkeypatch.setenv("POLYLOOP_VERIFY", before)
    assert run("show", "--debug", "gemm").status == run("show", "gemm").status == 0
    assert seen == [True, False]
    assert os.environ.get("POLYLOOP_VERIFY") == before


def test_what_is_not_well_formed_is_a_bug(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise VerificationError("loop nest f: a step is at least 1, not 0")

    monkeypatch.setattr(polyloop.cli.show, "run", fail)
    ran = run("show", "gemm")
    assert ran.status == 70
    assert "internal error: VerificationError: loop nest f: a step is at least 1, not 0" in ran.err


@pytest.mark.parametrize("more", [(), ("--passes",)])
def test_a_reader_that_goes_away_is_no_error(more: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = start("show", "gemm", *more, output=writing)
    os.close(writing)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (141, "")


def test_as_a_program() -> None:
    process = start("show", "no-such-file.c")
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, "")
    assert errors == "polyloop: error: cannot read no-such-file.c: No such file or directory\n"
