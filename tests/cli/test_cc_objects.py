"""Objects that `polyloop cc` has made before: given again where nothing has changed, and only there."""

from __future__ import annotations

import os
import pty
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from polyloop.cli import cc, cc_search
from polyloop.cli.cc_call import Call, Work, work_of
from polyloop.cli.cc_evidence import UnknownEvidenceError, evidence
from polyloop.cli.cc_objects import is_repeatable
from polyloop.cli.cc_search import with_places

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

SOURCE = """\
#include "size.h"
#include <stddef.h>
#if __has_include("more.h")
#include "more.h"
#endif
#define ALSO "also.h"
#include ALSO
#ifndef MORE
#define MORE 0
#endif
size_t size(void) { int unused; return SIZE + 10 * MORE + 100 * ALL + 1000 * PRE; }
"""
MAIN = """\
#include <stddef.h>
#include <stdio.h>
size_t size(void);
int main(void) { return printf("%d", (int)size()) < 0; }
"""
WORDS = ("-O2", "-Wall", "-Inone", "-Ia", "-include", "pre.h", "-MMD", "-c", "sub/size.c", "-o", "out/size.o")
COMPILER = """\
#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in *-###*) echo " $PROGRAM" >&2 ;; esac
exec ${REAL-gcc} "$@"
"""


class Builds:
    """Calls of ``polyloop cc`` in this process, and what they call."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, text in {
            "sub/size.c": SOURCE,
            "main.c": MAIN,
            "a/size.h": "#define SIZE 1\n",
            "a/also.h": "#define ALL 0\n",
            "a/pre.h": "#define PRE 0\n",
            "compiler": COMPILER,
            "program": "",
        }.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_text(text)
        Path("out").mkdir()
        Path("compiler").chmod(0o755)
        monkeypatch.delenv("POLYLOOP_NO_CACHE")
        monkeypatch.setenv("CALLS", os.path.abspath("calls"))
        monkeypatch.setenv("PROGRAM", os.path.abspath("program"))
        monkeypatch.setattr(os, "execv", self._instead)
        self.calls = Path(os.environ["CALLS"])
        self.compiler = os.path.abspath("compiler")
        self.changes = monkeypatch

    def _instead(self, _: str, command: list[str]) -> None:
        raise SystemExit(subprocess.call(command))

    def build(self, *words: str, options: tuple[str, ...] = ()) -> int:
        try:
            return cc.main(["--cc", self.compiler, *options, *(words or WORDS)])
        except SystemExit as left:
            return int(str(left.code))

    def compiled(self) -> int:
        """How often since it was last asked."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        self.calls.write_text("")
        return sum(" -c " in line and "-###" not in line for line in lines)

    def output(self, name: str = "out/size.o") -> int:
        subprocess.run(["gcc", "main.c", name, "-o", "prog"], check=True)
        return int(subprocess.run(["./prog"], check=True, capture_output=True, text=True).stdout)


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> Builds:
    return Builds(monkeypatch)


def test_an_object_is_given_again_with_all_that_was_said(builds: Builds, capfd: pytest.CaptureFixture[str]) -> None:
    assert (builds.build(), builds.compiled()) == (0, 1)
    said = capfd.readouterr()
    assert "unused variable" in said.err
    before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    assert set(before) == {"size.o", "size.d"}
    subprocess.run(["gcc", *WORDS], check=True)
    assert before == {path.name: path.read_bytes() for path in Path("out").iterdir()}
    assert capfd.readouterr() == said
    shutil.rmtree("out")
    Path("out").mkdir()
    assert (builds.build(), builds.compiled()) == (0, 0)
    assert before == {path.name: path.read_bytes() for path in Path("out").iterdir()}
    assert capfd.readouterr() == said
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(Path("out/size.o").stat().st_mode) == 0o666 & ~mask


@pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not installed")
def test_clang_is_asked_in_the_same_words(builds: Builds) -> None:
    builds.changes.setenv("REAL", "clang")
    builds.build()
    builds.build()
    assert (builds.compiled(), builds.output()) == (1, 1)
    Path("none").mkdir()
    Path("none/size.h").write_text("#define SIZE 8\n")
    builds.build()
    assert (builds.compiled(), builds.output()) == (1, 8)


def write(name: str, text: str) -> Callable[[Builds], None]:
    def change(_: Builds) -> None:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)

    return change


def set_variable(name: str, value: str) -> Callable[[Builds], None]:
    return lambda builds: builds.changes.setenv(name, os.path.abspath(value) if "PATH" in name else value)


CHANGES: dict[str, tuple[Callable[[Builds], None], int]] = {
    "the file": (write("sub/size.c", SOURCE.replace("SIZE +", "SIZE + 3 +")), 4),
    "a header": (write("a/size.h", "#define SIZE 2\n"), 2),
    "a header's length is the same": (write("a/pre.h", "#define PRE 1\n"), 1001),
    "a header beside the file": (write("sub/size.h", "#define SIZE 5\n"), 5),
    "a header in a folder that was not there": (write("none/size.h", "#define SIZE 6\n"), 6),
    "a header that was asked for": (write("a/more.h", "#define MORE 1\n"), 11),
    "a header that a macro names": (write("sub/also.h", "#define ALL 1\n"), 101),
    "a header that an option names": (write("pre.h", "#define PRE 2\n"), 2001),
    "a program of the compiler": (write("program", "another"), 1),
    "the compiler": (write("compiler", COMPILER + "\n"), 1),
    "the language": (set_variable("LC_MESSAGES", "C"), 1),
    "gcc's variables": (set_variable("GCC_EXEC", "x"), 1),
    "what is looked at first": (set_variable("C_INCLUDE_PATH", "x"), 1),
    "what is looked at last": (set_variable("CPATH", "y"), 1),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changes_an_object_has_it_made_anew(builds: Builds, what: str) -> None:
    change, expected = CHANGES[what]
    builds.build()
    builds.build()
    assert (builds.compiled(), builds.output()) == (1, 1)
    change(builds)
    assert (builds.build(), builds.compiled()) == (0, 1)
    assert builds.output() == expected
    assert (builds.build(), builds.compiled()) == (0, 0)
    assert builds.output() == expected


@pytest.mark.parametrize("flag", ["-O3", "-DX", "-Ib", "-fPIC", "-g", "-Wextra", "-std=c99", "-MP", "-MTx"])
def test_other_arguments_make_another_object(builds: Builds, flag: str) -> None:
    builds.build()
    assert (builds.build(flag, *WORDS), builds.compiled()) == (0, 2)
    assert (builds.build(*WORDS, flag), builds.compiled()) == (0, 1)
    assert (builds.build(flag, *WORDS), builds.compiled()) == (0, 0)


def test_rules_name_their_own_output(builds: Builds) -> None:
    for name in ("size", "other") * 2:
        builds.build(*WORDS[:-1], f"out/{name}.o")
        assert Path(f"out/{name}.d").read_text().startswith(f"out/{name}.o: sub/size.c")
    assert builds.compiled() == 2
    for _ in range(2):
        Path("rules").unlink(missing_ok=True)
        builds.build(*WORDS, "-MF", "rules")
        assert Path("rules").read_text().startswith("out/size.o: ")
    assert builds.compiled() == 1


def test_debuggers_are_told_the_folder(builds: Builds) -> None:
    shutil.copytree("sub", "else/sub")
    shutil.copytree("a", "else/a")
    Path("else/out").mkdir()
    for flag, expected in (("-O2", 1), ("-g", 2)):
        for folder in (".", "else"):
            builds.changes.chdir(Path(builds.compiler).parent / folder)
            builds.build(flag, *WORDS)
        assert builds.compiled() == expected
        builds.changes.chdir(Path(builds.compiler).parent)
        assert Path("out/size.o").read_bytes() != Path("else/out/size.o").read_bytes() or flag == "-O2"


def test_errors_are_said_each_time(builds: Builds, capfd: pytest.CaptureFixture[str]) -> None:
    builds.build()
    Path("a/size.h").unlink()
    capfd.readouterr()
    for _ in range(2):
        assert builds.build() == 1
        assert "size.h: No such file" in capfd.readouterr().err
    Path("a/size.h").write_text("#define SIZE 1\n")
    assert builds.build() == 0
    assert builds.build(*WORDS[:-1], "nowhere/size.o") == 1
    assert "nowhere/size." in capfd.readouterr().err
    shutil.rmtree("out")
    assert builds.build() == 1
    assert "out/size." in capfd.readouterr().err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sub/size.c", SOURCE + "const char *when(void) { return __DATE__; }\n"),
        ("a/size.h", "#define SIZE (sizeof __TIME__ - 8)\n"),
        ("sub/size.c", SOURCE + 'asm(".incbin \\"a/size.h\\"");\n'),
        ("sub/size.c", SOURCE + '#pragma GCC dependency "../a/size.h"\n'),
        ("a/size.h.gch", ""),
    ],
)
def test_what_depends_on_more_is_compiled_each_time(builds: Builds, name: str, text: str) -> None:
    Path(name).write_text(text)
    for _ in range(3):
        builds.build()
    assert builds.compiled() == 3


NOT_REPEATABLE = """\
-O2 -c a.c -DX=__DATE__;-O2 -c a.c -D X=__TIME__;-O2 -c a.c -ftime-report;-O2 -c a.c -fopt-info-vec=x;\
-O2 -c a.c -MMD -MF -;-O2 a.c -o p;-O2 -c a.c b.o;-O2 -c a.c -Wa,-al=x;-O2 -c a.c -fstack-usage;\
-O2 -c a.c -fsanitize-ignorelist=here;-O2 -c a.c -mllvm -stats;-O2 -c a.c -unknown;-O2 -c a.c -fcondition-coverage"""


@pytest.mark.parametrize("words", NOT_REPEATABLE.split(";"))
def test_calls_that_depend_on_more_or_make_more(words: str) -> None:
    Path("here").write_text("")
    call = Call(["gcc"], words.split(), "1", "", False)
    work = work_of(call.arguments)
    assert work is not None
    assert not is_repeatable(call, work)
    call.command, call.arguments = ["gcc", *words.split()[3:]], ["-O2", "-c", "a.c"]
    assert not is_repeatable(call, work) or words.endswith((" b.o", " p", " -"))


@pytest.mark.parametrize("name", ["DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "CC_PRINT_HEADERS"])
def test_variables_that_have_files_written(builds: Builds, name: str) -> None:
    words = [word for word in WORDS if word != "-MMD"]
    builds.build(*words)
    builds.changes.setenv(name, "written")
    builds.build(*words)
    builds.build(*words)
    assert builds.compiled() == 3
    assert Path("written").exists() or name.startswith("CC")


def test_no_cache_compiles_and_keeps(builds: Builds) -> None:
    builds.build(options=("--no-cache",))
    builds.build(options=("--no-cache",))
    builds.build()
    assert builds.compiled() == 2


def kept_objects() -> list[Path]:
    return [path for path in Path(os.environ["POLYLOOP_CACHE"]).glob("cc/objects/?/*") if path.is_file()]


def test_what_is_damaged_or_may_be_others_is_not_given(builds: Builds) -> None:
    builds.build()
    (path,) = kept_objects()
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    builds.build()
    path.chmod(0o666)
    builds.build()
    assert (builds.compiled(), builds.output()) == (3, 1)
    builds.build()
    assert builds.compiled() == 0


def test_those_not_used_for_longest_are_removed(builds: Builds) -> None:
    paths: list[Path] = []
    builds.changes.setattr(cc_search, "_MOST_KEPT", 0)
    builds.build()
    assert kept_objects() == []
    folder = Path(os.environ["POLYLOOP_CACHE"], "cc", "objects", "0")
    folder.mkdir(exist_ok=True)
    for number in range(4):
        paths.append(folder / str(number))
        paths[-1].write_bytes(bytes(100))
        os.utime(paths[-1], (number, number))
    os.utime(paths[0])
    builds.changes.setattr(cc_search, "_MOST_KEPT", 16 * 250)
    cc_search._remove_oldest(str(folder))
    assert [path.name for path in sorted(folder.iterdir())] == ["0", "3"]


def test_a_header_that_changes_meanwhile_is_not_taken_for_what_was_read(builds: Builds) -> None:
    rest = 'status=$?; echo "#define SIZE 7" > a/size.h; exit $status'
    Path("compiler").write_text(COMPILER.replace("exec ", "") + rest)
    builds.build()
    assert (kept_objects(), builds.output()) == ([], 1)
    Path("compiler").write_text(COMPILER)
    builds.build()
    assert builds.output() == 7
    call = Call([builds.compiler], list(WORDS), "1", "", False)
    work = work_of(call.arguments)
    assert work is not None
    now = time.time()
    assert "a/size.h" in evidence(call, work, "sub/size.c", now + 1).files
    with pytest.raises(UnknownEvidenceError, match="has changed meanwhile"):
        evidence(call, work, "sub/size.c", now - 60)


def test_many_at_once_make_whole_objects(builds: Builds) -> None:
    command = [sys.executable, "-m", "polyloop", "cc", "--cc", "gcc", *WORDS]
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: subprocess.run(command, capture_output=True, check=True), range(8)))
    assert len({(run.stdout, run.stderr) for run in runs}) == 1
    assert builds.output() == 1
    assert sorted(os.listdir("out")) == ["size.d", "size.o"]


def test_faster_loops_are_given_again_and_belong_to_their_headers(builds: Builds) -> None:
    original = (
        "#include <count.h>\nunsigned long size(void) { unsigned long s = 0; while (s < COUNT) s++; return s; }\n"
    )
    faster = original.replace("unsigned long s = 0", "unsigned long s = COUNT + 10")
    Path("loops.c").write_text(original)
    for folder, count in (("early", 0), ("late", 1)):
        Path(folder).mkdir()
        Path(folder, "count.h").write_text(f"#define COUNT {count}\n")
    Path("early/count.h").unlink()
    answer = with_places(original.encode(), faster.encode(), "loops.c")
    searched: list[str] = []

    def search(_: Call, __: Work, source: str, ___: bytes) -> tuple[bytes, str]:
        searched.append(source)
        return answer, ""

    builds.changes.setattr(cc_search, "_searched", search)
    words = ("-O2", "-isystem", "early", "-isystem", "late", "-c", "loops.c", "-o", "out/loops.o")
    for number in range(2):
        builds.build(*words)
        assert (builds.output("out/loops.o"), builds.compiled(), len(searched)) == (11, 2 - 2 * number, 1)
    builds.build("-O2", "-isystem", "early", "-isystem", "late", "-c", "loops.c", "-o", "out/other.o")
    assert (builds.compiled(), len(searched)) == (2, 1)
    Path("late/count.h").write_text("#define COUNT 2\n")
    builds.build(*words)
    assert (builds.output("out/loops.o"), builds.compiled(), len(searched)) == (12, 2, 2)
    Path("early/count.h").write_text("#define COUNT 3\n")
    builds.build(*words)
    assert (builds.output("out/loops.o"), builds.compiled(), len(searched)) == (13, 2, 3)


def test_what_was_not_searched_is_not_kept(builds: Builds) -> None:
    Path("loops.c").write_text("int loops(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n")
    for _ in range(2):
        builds.build("-O2", "-c", "loops.c", options=("--budget", "0"))
    assert (builds.compiled(), kept_objects()) == (2, [])


def test_terminals_have_colours_each_time(builds: Builds) -> None:
    command = [sys.executable, "-m", "polyloop", "cc", "--cc", builds.compiler, *WORDS]
    said = []
    for _ in range(2):
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm"}
        environment.pop("NO_COLOR", None)
        subprocess.run(command, stderr=theirs, env=environment, check=True)
        os.close(theirs)
        said.append(os.read(ours, 65536))
        os.close(ours)
    assert b"\x1b[" in said[0]
    assert said[0] == said[1]
    assert builds.compiled() == 1
    builds.build()
    assert builds.compiled() == 1
