"""One C file with a version of its loops for each instruction set: every one is run, under an emulator where this
machine has no such processor, and where none fits the original loops run."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from polyloop.backend.machine.host import runs_here
from polyloop.backend.machine.target import shown_target
from polyloop.backend.machine.versions import versions_of
from polyloop.backend.planning import plan
from polyloop.frontend import read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.shaping.shaped import first_shaped
from tests.helpers.aarch64 import COMPILERS as CROSS
from tests.helpers.aarch64 import build, execute, needs_aarch64
from tests.helpers.running import require
from tests.lowering.test_to_c_file_compilers import DISTRIBUTED, EXPANDED, MACROS, PRODUCT

SETS = ("avx512", "avx2", "sse", "neon")
COMPILERS = [name for name in ("gcc", "clang", "clang-22") if shutil.which(name)]
each_compiler = pytest.mark.parametrize("compiler", COMPILERS)

STENCIL = """\
#include <stdio.h>
#include <math.h>
void f(int t, int n, double a[n][n], double b[n][n], int c[n], signed char d[n], float s[1])
{
#pragma scop
    for (int k = 0; k < t; k++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = 0.25 * (a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = sqrt(b[i][j]) < 2 ? b[i][j] : b[i][j] / 3;
    }
    for (int i = 0; i < n; i++)
        c[i] = c[i] / 3 + (d[i] > 2 ? d[i] << 1 : -d[i]);
    for (int i = 0; i < n; i++)
        s[0] += d[i];
#pragma endscop
}
int main(void)
{
    enum { N = 19 };
    static double a[N][N], b[N][N], sum;
    static int c[N];
    static signed char d[N];
    float s[1] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = 1 + (i * 7 + j * 3) % 11, c[i] = 5 - i * j, d[i] = i * 5 - 40;
    f(3, N, a, b, c, d, s);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += (1 + (i + j) % 3) * a[i][j] + c[i];
    printf("%a %a", sum, s[0]);
}
"""
TEXTS = {"product": PRODUCT, "stencil": STENCIL, "overlap": DISTRIBUTED, "rows": EXPANDED}
NAMES = [pytest.param(name, marks=pytest.mark.long) if name == "product" else name for name in TEXTS]


@cache
def emitted(name: str, sets: tuple[str, ...] = SETS, left: tuple[str, ...] = ()) -> str:
    """The file, each region in the shapes that suit each set; for those that are `left` the original loops are best."""
    text = MACROS if name == "macros" else TEXTS[name]
    replacements = []
    for scop in read_source("file.c", text=text).scops:
        versions = []
        for version in versions_of(sets):
            target = shown_target(version.name)
            nest = lower(scop, first_shaped(Proofs(), target, scop, original_tree(scop)))
            versions.append((version, None if version.name in left else plan(nest, target)))
        replacements.append(Replacement(scop, plan(lower(scop, original_tree(scop)), target), tuple(versions)))
    return emit_c_file(text, replacements).replace(
        '    printf("', '    printf("version %d: ", polyloop_version);\n    printf("'
    )


FLAGS = ("-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off")


def built(compiler: str, folder: Path, text: str, *more: str) -> Path:
    """Without ``-march``: for any processor of this architecture."""
    source, program = folder / f"{compiler}.c", folder / compiler
    source.write_text(text)
    libraries = [] if "-c" in more else ["-lm"]
    command = [compiler, *FLAGS, *more, str(source), "-o", str(program), *libraries]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def run(program: Path, *emulator: str) -> str:
    done = subprocess.run([*emulator, program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def expected(compiler: str, name: str, folder: Path) -> str:
    return run(built(compiler, folder, TEXTS[name], "-Wno-unknown-pragmas"))


def widest_of(*names: str) -> int:
    """The place of the first that this machine has."""
    return next((place for place, name in enumerate(names, 1) if runs_here(name)), 0)


@each_compiler
@pytest.mark.parametrize("name", NAMES)
def test_every_processor_runs_its_widest_version(compiler: str, name: str, tmp_path: Path) -> None:
    """This one; AVX2, SSE 4.2, and neither of them, which leaves the original loops. Compiled once, linked with shared
    libraries and without."""
    wanted = expected(compiler, name, tmp_path)
    compiled = built(compiler, tmp_path, emitted(name), "-c")
    shared, program = tmp_path / "shared", tmp_path / "static"
    for path, *how in ((shared,), (program, "-static")):
        subprocess.run([compiler, *how, compiled, "-o", path, "-lm"], check=True)
    assert run(shared) == f"version {widest_of(*SETS)}: {wanted}"
    require("qemu-x86_64")
    for processor, version in (("Haswell", 2), ("Nehalem", 3), ("core2duo", 0)):
        assert run(program, "qemu-x86_64", "-cpu", processor) == f"version {version}: {wanted}"


@needs_aarch64
@pytest.mark.parametrize("compiler", CROSS, ids=" ".join)
@pytest.mark.parametrize("name", NAMES)
def test_aarch64_runs_neon(compiler: tuple[str, ...], name: str, tmp_path: Path) -> None:
    source, program = tmp_path / "file.c", tmp_path / "program"
    source.write_text(emitted(name))
    build([source], program, *compiler, *FLAGS)
    ran = execute(program)
    source.write_text(TEXTS[name])
    build([source], program, *compiler, *FLAGS, "-Wno-unknown-pragmas")
    assert ran == f"version 4: {execute(program)}"


@needs_aarch64
def test_a_file_without_a_version_for_the_architecture(tmp_path: Path) -> None:
    text = emitted("product", ("avx2", "sse"))
    assert "__aarch64__" not in text
    source, program = tmp_path / "file.c", tmp_path / "program"
    source.write_text(text)
    build([source], program, *CROSS[0], *FLAGS)
    assert execute(program) == "version 0: 0"


@each_compiler
def test_the_original_loops_as_a_version(compiler: str, tmp_path: Path) -> None:
    """Where they are the fastest for one set, they run there, and not the version of a narrower one."""
    require("qemu-x86_64")
    text = emitted("product", ("avx2", "sse"), left=("avx2",))
    assert "case 1:" not in text
    assert "case 2:" in text
    program = built(compiler, tmp_path, text, "-static")
    assert run(program, "qemu-x86_64", "-cpu", "Haswell") == "version 1: 0"
    assert run(program, "qemu-x86_64", "-cpu", "Nehalem") == "version 2: 0"


@each_compiler
def test_helpers_stand_beside_the_files_names(compiler: str, tmp_path: Path) -> None:
    """A file whose macros would break the text; nor could a compiler's own header of masks stand them."""
    text = emitted("macros", ("avx2", "sse"))
    assert run(built(compiler, tmp_path, text)) == f"version {widest_of('avx2', 'sse')}: 4 30 18"


def test_every_version_has_its_registers(tmp_path: Path) -> None:
    """gcc, without any flag for them."""
    require("gcc")
    require("objdump")
    text = emitted("stencil").replace("static __attribute__((noipa))", "__attribute__((noipa))")
    program = built("gcc", tmp_path, text)
    for version, widest in (("avx512", "zmm"), ("avx2", "ymm"), ("sse", "xmm")):
        shown = ["objdump", "-d", f"--disassemble=polyloop_f_0_{version}", str(program)]
        code = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
        found = {register for register in ("zmm", "ymm", "xmm") if f"%{register}" in code}
        assert widest in found
        assert not found - {"zmm": {"zmm", "ymm", "xmm"}, "ymm": {"ymm", "xmm"}, "xmm": {"xmm"}}[widest]
