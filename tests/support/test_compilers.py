"""How the user's compiler is called, and what its flags mean."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polyloop.backend.planning import scalar_program
from polyloop.frontend import read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import SizeError, checked_sizes
from polyloop.support.compilers import (
    SHARED,
    Build,
    BuildError,
    Compiler,
    build,
    build_each,
    default_command,
    reading_options,
    user_compiler,
)

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
GCC: frozenset[str] = frozenset()
CLANG = frozenset({"__clang__"})
STRICT = frozenset({"__STRICT_ANSI__"})


@pytest.mark.parametrize(
    ("flags", "macros", "contraction"),
    [
        ("", GCC, "fast"),
        ("", CLANG, "on"),
        ("", STRICT, "off"),
        ("", STRICT | CLANG, "on"),
        ("-ffp-contract=on", GCC, "off"),
        ("-ffp-contract=on", CLANG, "on"),
        ("-ffp-contract=off -ffp-contract=fast", CLANG, "fast"),
        ("-ffp-contract=fast-honor-pragmas", CLANG, "fast"),
        ("-Ofast", CLANG, "fast"),
        ("-ffast-math -ffp-contract=off", GCC, "off"),
    ],
)
def test_contraction(flags: str, macros: frozenset[str], contraction: str) -> None:
    assert Compiler("cc", ("/bin/cc", *flags.split()), "1", (), macros).contraction == contraction


AVX512 = ["__AVX2__", "__AVX512F__", "__AVX512VL__", "__AVX512DQ__", "__AVX512BW__"]


@pytest.mark.parametrize(
    ("macros", "instructions"),
    [
        (["__x86_64__"], "sse"),
        (["__x86_64__", "__AVX2__"], "avx2"),
        (["__x86_64__", *AVX512], "avx512"),
        (["__x86_64__", *AVX512[:-1]], "avx2"),
        (["__aarch64__"], "neon"),
        (["__riscv"], None),
    ],
)
def test_instruction_sets(macros: list[str], instructions: str | None) -> None:
    assert Compiler("cc", ("cc",), "1", (), frozenset(macros)).instructions == instructions


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_macros_are_what_the_compiler_and_its_flags_predefine(tmp_path: Path) -> None:
    header = tmp_path / "own.h"
    header.write_text("#define OWN_H\n")
    macros = user_compiler(f"gcc -O2 -ffast-math -DN=3 -include {header} -imacros{header}").macros
    assert {"__FAST_MATH__=1", "__OPTIMIZE__=1", "N=3", "__REGISTER_PREFIX__="} <= macros
    assert not any(macro.startswith("OWN_H") for macro in macros)
    assert "__INT64_C(c)=c ## L" in macros or "__INT64_C(c)=c ## LL" in macros


def test_reordered_sums() -> None:
    assert Compiler("cc", ("cc", "-Ofast"), "1").reassociates
    assert Compiler("cc", ("cc",), "1", (), frozenset({"__FAST_MATH__"})).reassociates
    assert not Compiler("cc", ("cc", "-O3"), "1").reassociates


def test_what_the_command_says_of_reading() -> None:
    command = "cc -O3 -DN=3 -D M -UX -I inc -Iother -include pre.h -std=c11 -I 'a folder'"
    macros = ("N=3", "M", "__STDC_VERSION__=201112L", "__STRICT_ANSI__")
    assert reading_options(command) == (macros, ("X",), ("inc", "other", "a folder"), ("pre.h",))


@pytest.mark.parametrize(
    ("cc", "command"),
    [
        (None, "cc -O3 -march=native"),
        ("", "cc -O3 -march=native"),
        ("clang-22", "clang-22 -O3 -march=native"),
        ("gcc -std=c99", "gcc -std=c99 -O3 -march=native"),
        ("gcc -O2", "gcc -O2"),
        ("none", "none"),
    ],
)
def test_the_default(cc: str | None, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    if cc is not None:
        monkeypatch.setenv("CC", cc)
    assert default_command() == command


def test_what_is_no_compiler() -> None:
    for command, reason in (
        ("there_is_none -O3", "there is no compiler there_is_none"),
        ("", "no compiler is named"),
        ("'", '"\'" is no command: No closing quotation'),
        ("false", "does not work: exit status 1"),
    ):
        with pytest.raises(BuildError, match=reason):
            user_compiler(command)


def test_what_is_no_command_says_nothing_of_reading() -> None:
    with pytest.raises(BuildError, match=r"gcc 'x\" is no command: No closing quotation"):
        reading_options("gcc 'x")


def test_a_compiler_that_says_nothing_has_a_status() -> None:
    with pytest.raises(BuildError, match=r"^quiet failed on f.c:\nexit status 3$"):
        build(Compiler("quiet", ("sh", "-c", "exit 3"), ""), [Path("f.c")], Path("f"))


@needs_gcc
def test_a_compiler() -> None:
    compiler = user_compiler("gcc -O2 -std=c99", ["-DX=1"])
    assert (str(compiler), compiler.contraction) == ("gcc -O2 -std=c99", "off")
    assert compiler.whole == (shutil.which("gcc"), "-O2", "-std=c99", "-DX=1")
    assert compiler.version.startswith("gcc")
    with pytest.raises(BuildError, match="fno-such-flag"):
        user_compiler("gcc -fno-such-flag")


@needs_gcc
def test_a_library_calls_its_own_functions(tmp_path: Path) -> None:
    """Also where one of the same name was loaded before: daxpy_ of a BLAS has other arguments than somebody's own."""
    for name, value in (("before", 1), ("own", 2)):
        text = (
            f"int polyloop_same_name(void) {{ return {value}; }}\nint asked(void) {{ return polyloop_same_name(); }}\n"
        )
        (tmp_path / f"{name}.c").write_text(text)
        build(user_compiler("gcc -O0"), [tmp_path / f"{name}.c"], tmp_path / f"{name}.so", SHARED)
    ctypes.CDLL(str(tmp_path / "before.so"), mode=ctypes.RTLD_GLOBAL)
    assert ctypes.CDLL(str(tmp_path / "own.so")).asked() == 2


@needs_gcc
def test_each_of_several_files_is_built_or_not(tmp_path: Path) -> None:
    (tmp_path / "good.c").write_text("int f(void) { return 1; }\n")
    (tmp_path / "bad.c").write_text("int f(void) { return }\n")
    sources = {tmp_path / f"{name}.so": tmp_path / f"{name}.c" for name in ("good", "bad")}
    found = build_each(user_compiler("gcc"), sources, ("-fPIC", "-shared"))
    assert found[tmp_path / "good.so"] is None
    assert str(found[tmp_path / "bad.so"]).startswith("gcc failed on bad.c:\n")
    assert {path.name for path in tmp_path.glob("*.so")} == {"good.so"}


@needs_gcc
def test_the_first_of_several_files_is_built_where_there_is_no_time_for_others(tmp_path: Path) -> None:
    sources = {tmp_path / f"{name}.so": tmp_path / f"{name}.c" for name in ("first", "second", "third")}
    for source in sources.values():
        source.write_text("int f(void) { return 1; }\n")
    found = build_each(user_compiler("gcc"), sources, ("-fPIC", "-shared"), together=0.0)
    assert [error is None for error in found.values()] == [True, False, False]
    assert {path.name for path in tmp_path.glob("*.so")} == {"first.so"}


def is_running(pid: str) -> bool:
    """A process that has ended may stay on the list until somebody asks for its status."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_compiler_that_does_not_end_is_ended_with_all_it_started(tmp_path: Path) -> None:
    """The one that is called mostly calls another one."""
    script, pid = tmp_path / "slow", tmp_path / "pid"
    script.write_text(f"#!/bin/sh\nsleep 1000 &\necho $! > {pid}\nwait\n")
    script.chmod(0o700)
    with pytest.raises(BuildError, match=r"^slow took more than 0.5 s over f.c$"):
        build(Compiler("slow", (str(script),), ""), [tmp_path / "f.c"], tmp_path / "f", seconds=0.5)
    deadline = time.monotonic() + 60
    while is_running(pid.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.01)  # it may take the system a moment
    assert time.monotonic() < deadline


def test_a_compiler_that_is_ended_leaves_no_files_where_others_are(tmp_path: Path) -> None:
    script, folder = tmp_path / "slow", tmp_path / "work"
    script.write_text("#!/bin/sh\nmktemp\nsleep 1000\n")
    script.chmod(0o700)
    folder.mkdir()
    with Build(Compiler("slow", (str(script),), ""), [folder / "f.c"], folder / "f"):
        deadline = time.monotonic() + 60
        while not list(folder.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert len(list(folder.iterdir())) == 1


_CALLS = """
import sys, time
from pathlib import Path
from polyloop.support.compilers import Build, Compiler
script, pid, then = sys.argv[1:]
started = Build(Compiler("slow", (script,), ""), [Path("f.c")], Path("f"))
while not Path(pid).exists() or not Path(pid).read_text().endswith("\\n"):
    time.sleep(0.01)
if then == "paused":
    started.pause()
print("begun", flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("then", ["at work", "paused"])
def test_a_compiler_ends_with_the_process_that_called_it(tmp_path: Path, then: str) -> None:
    script, pid = tmp_path / "slow", tmp_path / "pid"
    script.write_text(f"#!/bin/sh\nsleep 1000 &\necho $$ $! > {pid}\nwait\n")
    script.chmod(0o700)
    command = [sys.executable, "-c", _CALLS, str(script), str(pid), then]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as caller:
        assert caller.stdout is not None
        assert caller.stdout.readline() == b"begun\n"
        processes = pid.read_text().split()
        assert all(map(is_running, processes))
        caller.kill()
    deadline = time.monotonic() + 60
    while any(map(is_running, processes)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert time.monotonic() < deadline


@needs_gcc
def test_a_build_that_is_paused_goes_on_and_can_be_ended(tmp_path: Path) -> None:
    source = tmp_path / "f.c"
    source.write_text("int f(void) { return 3; }\n")
    with Build(user_compiler("gcc"), [source], tmp_path / "f.so", SHARED) as started:
        started.pause()
        started.resume()
        started.result(60.0)
        started.pause()  # of what has ended: nothing
    assert ctypes.CDLL(str(tmp_path / "f.so")).f() == 3
    with Build(user_compiler("gcc"), [source], tmp_path / "g.so", SHARED) as started:
        started.pause()
    assert not started.runs


@pytest.mark.parametrize(
    ("flags", "has"),
    [("", False), ("-fopenmp", True), ("-fopenmp -O2 -fno-openmp", False), ("-fno-openmp -fopenmp", True)],
)
def test_openmp(flags: str, has: bool) -> None:
    assert Compiler("cc", ("/bin/cc", *flags.split()), "1").has_openmp == has


def test_flags_that_change_what_a_file_says() -> None:
    found = reading_options("gcc -std=c99 -isystem sys -iquote own -DA -idirafter late -Wall")
    assert found == (("__STDC_VERSION__=199901L", "__STRICT_ANSI__", "A"), (), ("sys", "own", "late"), ())
    assert reading_options("gcc -std=gnu89")[1] == ("__STDC_VERSION__",)


def test_our_driver_is_not_asked_to_judge_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/some/where/polyloop cc")
    assert default_command() == "cc -O3 -march=native"
    monkeypatch.setenv("POLYLOOP_CC", "gcc -O2")
    assert default_command() == "gcc -O2"


@pytest.mark.parametrize(
    ("flags", "all_alias"),
    [("", False), ("-fno-strict-aliasing", True), ("-fno-strict-aliasing -fstrict-aliasing", False)],
)
def test_stores_of_other_types_count_where_the_compiler_is_told_so(flags: str, all_alias: bool) -> None:
    """The emitted code tests that no store of the loops changes how far they run."""
    text = "void f(const int *n, double *a)\n{\n    for (int i = 0; i < *n; i++)\n        a[i] = a[i] * 2;\n}\n"
    defines = reading_options(f"gcc -O2 {flags}")[0]
    (scop,) = read_source("file.c", text=text, auto=True, defines=defines).scops
    emitted = emit_c_file(text, [Replacement(scop, scalar_program(lower(scop, original_tree(scop))))])
    assert ("polyloop_disjoint(&*n, 0, (long)sizeof(*n), a, 0, 8 * ((long)*n))" in emitted) == all_alias


ADDED = "void f(int n, int m, double *a, double *b)\n{\n    for (int i = 0; i <= n; i++)\n        a[i + m] = b[i];\n}\n"
ROWS = (
    "void f(int n, int m, double *a)\n{\n    for (int i = 0; i < n; i++)\n        for (int j = 0; j < m; j++)\n"
    "            a[i * m + j] += 1.0;\n}\n"
)
ALONG = "void f(int n, double *a)\n{\n    int k = 0;\n    for (int i = 0; i < n; i++) { a[k] = i; k += 3; }\n}\n"
MOST = 2**31 - 1


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        (ADDED, {"n": 5, "m": MOST - 5}, {"n": 5, "m": MOST - 4}),
        (ADDED, {"n": MOST - 1, "m": -9}, {"n": MOST, "m": -9}),  # a loop without an end
        (ROWS, {"n": 1000, "m": 1000}, {"n": 70000, "m": 70000}),
        (ALONG, {"n": MOST // 3}, {"n": MOST // 3 + 2}),
    ],
)
def test_integers_that_wrap_around_stay_in_their_range(
    text: str, inside: dict[str, int], outside: dict[str, int]
) -> None:
    """Where overflow is undefined, it need not be asked for; -fwrapv defines it."""
    for flags, wraps in (("", False), ("-fwrapv", True), ("-fwrapv -fno-wrapv", False), ("-fwrapv -ftrapv", False)):
        defines = reading_options(f"gcc -O2 {flags}")[0]
        (scop,) = read_source("file.c", text=text, auto=True, defines=defines).scops
        assert checked_sizes(scop, inside) == inside
        if wraps:
            with pytest.raises(SizeError, match="outside what f is written for"):
                checked_sizes(scop, outside)
        else:
            assert checked_sizes(scop, outside) == outside
