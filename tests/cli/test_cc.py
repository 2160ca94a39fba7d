"""`polyloop cc`: what compilers print, return and write stays theirs; what is found takes the place of an output."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from polyloop.backend.config import cache_directory
from polyloop.cli import cc_search
from polyloop.cli.cc_call import Call, Work, cache_folder, work_of

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

SOURCE = """\
#include "size.h"
/* says
   where */
int loops(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
const char *file(void) { return __FILE__; }
int line(void) { int unused; return __LINE__ + SIZE; }
"""
MAIN = """\
#include <stdio.h>
int loops(int n);
int line(void);
const char *file(void);
int main(void) { return printf("%d %s %d", loops(5), file(), line()) < 0; }
"""
FASTER = SOURCE.replace("int s = 0;", "/* new\n\n*/\nint s = 100;")
FLAGS = ("-O2", "-Wall", "-MMD", "-c", "loops.c", "-o", "out/loops.o")


@pytest.mark.parametrize(
    ("words", "sources", "output"),
    [
        ("-O2 -c a.c", ["a.c"], "a.o"),
        ("-O2 -c -o b/x.o b/a.c -MMD -MF b/x.d -MT x", ["b/a.c"], "b/x.o"),
        ("-DX=1 -I dir.c -O3 -include pre.c -c a.c -oy.o", ["a.c"], "y.o"),
        ("-O2 a.c b.c rest.o -lm -o prog", ["a.c", "b.c"], "prog"),
        ("-flto -Ofast -c a.c", ["a.c"], "a.o"),
        ("-O0 -O -c a.c", ["a.c"], "a.o"),
    ],
)
def test_calls_that_are_looked_at(words: str, sources: Sequence[str], output: str) -> None:
    arguments = words.split()
    work = work_of(arguments)
    assert work is not None
    assert ([arguments[k] for k in work.sources], work.output) == (sources, output)


PASSED_ON = """\
-c a.c;-O2 -O0 -c a.c;-Os -c a.c;-O2 -E a.c;-O2 -S a.c;-O2 -M a.c;-O2 -c a.c b.c;-O2 a.c;-O2 -c a.cpp;@file;\
-O2 -x c -c a.c;-O2 -xc -c a.c;-O2 -c a.c -o -;-O2 -c -;-O2 x/a.c y/b.c -o p;-O2 a.c b.cpp -o p;--version;\
-O2 -c a.c -o /dev/null;-O2 -fprofile-use -c a.c;-m32 -O2 -c a.c;-O2 -Wp,-MD,x -c a.c;-O2 -o;main.o -o p;-O2 -c"""


@pytest.mark.parametrize("words", PASSED_ON.split(";"))
def test_calls_that_are_passed_on(words: str) -> None:
    assert work_of(words.split()) is None


def test_what_does_not_change_the_code_is_not_in_the_key() -> None:
    found = [work_of(words.split()) for words in ("-O2 -DA -c a.c -o x.o -MMD -MF d -lm", "-O2 -D A a.c b.o -o p -Lz")]
    assert [work.key for work in found if work is not None] == [["-O2", "-DA"], ["-O2", "-D", "A"]]


def test_its_cache_is_everybodys(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder() == str(cache_directory())
    monkeypatch.delenv("POLYLOOP_CACHE")
    for base in ("/some/where", "relative", ""):
        monkeypatch.setenv("XDG_CACHE_HOME", base)
        assert cache_folder() == str(cache_directory())


def command(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    line = [sys.executable, "-m", "polyloop", "cc", *words]
    return subprocess.run(line, capture_output=True, text=True, env=environment, check=False)


def test_other_calls_are_the_compilers_own() -> None:
    Path("bad.c").write_text("int f(void) { return x; }\n")
    for words in (["--version"], ["-E", "bad.c"], ["-O2", "-c", "bad.c"], ["-O2", "-c", "missing.c"], []):
        own = subprocess.run(["gcc", *words], capture_output=True, text=True, check=False)
        ours = command("--cc", "gcc", *words)
        assert (ours.returncode, ours.stdout, ours.stderr) == (own.returncode, own.stdout, own.stderr)


def test_mistakes_are_said() -> None:
    ran = command("-c", "x.c", POLYLOOP_CC="nothing-there -O2")
    assert (ran.returncode, ran.stderr) == (
        127,
        "polyloop cc: error: there is no compiler nothing-there; name one with POLYLOOP_CC or --cc\n",
    )
    assert command("--budget", "much", "x.c").returncode == 2
    ran = command("--cc", "gcc 'x", "-c", "x.c")
    message = "polyloop cc: error: the compiler is no command: No closing quotation (POLYLOOP_CC, --cc)\n"
    assert (ran.returncode, ran.stderr) == (2, message)
    assert command("--help").stdout.startswith("usage: polyloop cc ")


def test_it_starts_at_once() -> None:
    """Before the compiler runs, nothing is imported that takes time."""
    told = "import sys; before = set(sys.modules); sys.argv[1:] = ['cc', '--help']; import polyloop.__main__ as m\n"
    told += "m.main(); print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    others = {name for name in ran.stderr.split() if not name.startswith("polyloop")}
    assert {name.partition(".")[0] for name in others} <= {"__future__", "_blake2", "importlib", "warnings"}
    ours = {name for name in ran.stderr.split() if name.startswith("polyloop")}
    assert len(ours) <= 8


class Project:
    """A file, and searches that answer at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        Path("loops.c").write_text(SOURCE)
        Path("size.h").write_text("#define SIZE 0\n")
        Path("main.c").write_text(MAIN)
        Path("out").mkdir()
        self.searched: list[str] = []
        self.answer: bytes | Exception = cc_search.with_places(SOURCE.encode(), FASTER.encode(), "loops.c")
        monkeypatch.setattr(cc_search, "_searched", self._search)

    def _search(self, call: Call, work: Work, source: str, content: bytes) -> tuple[bytes, str]:
        self.searched.append(source)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer, "nothing faster was found"

    def build(self, *flags: str) -> int:
        call = Call([shutil.which("gcc") or ""], list(flags or FLAGS), "1.0", "log", False)
        work = work_of(call.arguments)
        assert work is not None
        return cc_search.compiled(call, work)

    def output(self) -> str:
        subprocess.run(["gcc", "main.c", "out/loops.o", "-o", "prog"], check=True)
        return subprocess.run(["./prog"], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(monkeypatch)


def test_what_was_found_is_compiled(project: Project, capfd: pytest.CaptureFixture[str]) -> None:
    assert project.build() == 0
    said = capfd.readouterr().err
    subprocess.run(["gcc", *FLAGS], check=True)
    assert said == capfd.readouterr().err
    assert "unused variable" in said
    assert project.output() == "10 loops.c 6"
    project.build()
    assert project.output() == "110 loops.c 6"
    assert Path("out/loops.d").read_text() == "out/loops.o: loops.c size.h\n"
    assert sorted(path.name for path in Path("out").iterdir()) == ["loops.d", "loops.o"]
    assert (project.searched, Path("loops.c").read_text()) == (["loops.c"], SOURCE)


def test_programs_are_linked_of_what_was_found(project: Project) -> None:
    assert project.build("-O2", "main.c", "loops.c", "-o", "prog") == 0
    assert subprocess.run(["./prog"], check=True, capture_output=True, text=True).stdout == "110 loops.c 6"
    assert project.searched == ["loops.c"]  # main.c has no loops


def test_files_in_other_folders_find_their_headers(project: Project) -> None:
    Path("sub").mkdir()
    for name in ("loops.c", "size.h"):
        Path(name).rename(Path("sub", name))
    assert project.build("-O2", "-c", "sub/loops.c", "-o", "out/loops.o") == 0
    assert project.output() == "110 loops.c 6"


@pytest.mark.parametrize("answer", [b"int loops(int n) {", RuntimeError("odd"), b""])
def test_the_original_stays_where_anything_goes_wrong(project: Project, answer: bytes | Exception) -> None:
    project.answer = answer
    assert project.build() == 0
    assert project.output() == "10 loops.c 6"
    log = Path("log").read_text()
    expected = "RuntimeError: odd" if isinstance(answer, Exception) else "does not take it" if answer else "nothing"
    assert expected in log
    project.build()
    assert len(project.searched) == (2 if isinstance(answer, Exception) else 1)


def test_errors_are_the_compilers(project: Project) -> None:
    Path("loops.c").write_text(SOURCE + "int f(void) { return x; }\n")
    assert (project.build(), project.searched) == (1, [])


def test_what_is_known_is_known_by_content(project: Project) -> None:
    project.build()
    Path("loops.c").touch()
    project.build()
    assert len(project.searched) == 1
    Path("size.h").write_text("#define SIZE 1\n")
    project.build()
    assert len(project.searched) == 2
    project.build("-O3", "-c", "loops.c", "-o", "out/loops.o")
    assert len(project.searched) == 3
    (kept, *_) = [path for path in cache_directory().glob("cc/??/*") if path.is_file()]
    for damaged in (kept.read_bytes()[:-1], b"", b"polyloop cc 1\n" + b"0" * 40 + b"\n\n\nint x;"):
        for path in cache_directory().glob("cc/??/*"):
            path.write_bytes(damaged)
        before = len(project.searched)
        project.build()
        assert len(project.searched) == before + 1
    project.build()
    assert len(project.searched) == before + 1


def test_what_others_may_have_written_is_not_compiled(project: Project) -> None:
    project.build()
    for path in cache_directory().glob("cc/??/*"):
        path.chmod(0o666)
    project.build()
    assert len(project.searched) == 2


def test_compilers_are_asked_whether_directives_of_openmp_mean_something() -> None:
    expected = {(): False, ("-fopenmp",): True, ("-fopenmp", "-fno-openmp"): False, ("-O2", "-DN=1"): False}
    for flags, answer in expected.items():
        call = Call([shutil.which("gcc") or ""], ["-O2", *flags, "-c", "loops.c"], "1.0", "log", False)
        work = work_of(call.arguments)
        assert work is not None
        assert cc_search._has_openmp(call, work) == answer


def test_several_at_once_search_once(project: Project) -> None:
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda number: project.build(*FLAGS[:-1], f"out/{number}.o"), range(4))) == [0] * 4
    assert len(project.searched) == 1


def test_lines_keep_their_places() -> None:
    text = cc_search.with_places(SOURCE.encode(), FASTER.encode(), 'odd"name.c').decode()
    places, name, number = {}, "", 0
    for line in text.split("\n"):
        if line.startswith("#line "):
            _, digits, name = line.split(" ")
            number = int(digits)
        else:
            places[name, number] = line
            number += 1
    here = '"odd\\"name.c"'
    original = SOURCE.split("\n")
    kept = {number: line for (name, number), line in places.items() if name == here}
    assert kept == {k + 1: line for k, line in enumerate(original) if k != 3}
    assert ('"<polyloop>"', 2) in places
