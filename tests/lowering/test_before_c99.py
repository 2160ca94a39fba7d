"""What is emitted for ``-std=gnu89`` and ``-ansi``: taken by those compilers, and the same loops."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from polyloop.backend.c.before_c99 import before_c99
from polyloop.backend.c.printer import prelude
from polyloop.backend.planning import scalar_program
from polyloop.frontend import read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file, helpers_header
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.support.compilers import reading_options
from tests.lowering.test_cplusplus import every_helper, functions
from tests.lowering.test_to_c_file_compilers import COMPILERS

each_compiler = pytest.mark.parametrize("compiler", COMPILERS)


def built(compiler: str, folder: Path, text: str, *flags: str) -> str:
    path = folder / "unit.c"
    path.write_text(text)
    command = [compiler, "-march=x86-64-v4", "-w", *flags, "-o", "-", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@each_compiler
def test_the_machine_code_stays(tmp_path: Path, compiler: str) -> None:
    """Loops in loops, behind directives of threads, in branches and without braces."""
    text = functions("avx512")
    flags = ("-O1", "-S") if "clang" in compiler else ("-O1", "-S", "-fopenmp")
    assert built(compiler, tmp_path, before_c99(text), *flags) == built(compiler, tmp_path, text, *flags)


@each_compiler
def test_older_compilers_take_it(tmp_path: Path, compiler: str) -> None:
    built(compiler, tmp_path, before_c99(prelude(every_helper())), "-ansi", "-fsyntax-only")
    built(compiler, tmp_path, before_c99(functions("avx512")), "-ansi", "-fsyntax-only")


TEXT = """\
void f(int n, double *a, double *b)
{
    int i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j <= i; j++)
            a[i * n + j] = a[i * n + j] + b[j];
}
"""


@pytest.mark.parametrize(
    ("flag", "older"), [("-std=gnu89", 1), ("-ansi", 1), ("-std=iso9899:1990", 1), ("-std=c99", 0)]
)
def test_what_the_flags_of_a_compiler_ask_for(flag: str, older: bool) -> None:
    defines, undefines, _, _ = reading_options(f"gcc {flag}")
    (scop,) = read_source("f.c", text=TEXT, defines=defines, undefines=undefines, auto=True).scops
    replacement = Replacement(scop, scalar_program(lower(scop, original_tree(scop))))
    in_it, header = emit_c_file(TEXT, [replacement]), helpers_header([replacement])
    assert ("for (long i = 0;" in in_it, "{ long i; for (i = 0;" in in_it) == (not older, older)
    assert ("static inline" in header, "static __inline__" in header) == (not older, older)


def test_blocks_end_where_their_loops_do() -> None:
    text = """\
if (x)
    for (int i = 0; i < n; i++)
        if (a[i]) {
            b(i);
        } else
            c(i);
#ifdef _OPENMP
#pragma omp parallel for
#endif
for (long i = 0; i < n; i++)
    polyloop_rolled for (long j = 0; j < n; j++) {
        a[i] = (v){0};
    }
d();
"""
    assert (
        before_c99(text)
        == """\
if (x)
    { int i; for (i = 0; i < n; i++)
        if (a[i]) {
            b(i);
        } else
            c(i); }
{ long i;
#ifdef _OPENMP
#pragma omp parallel for
#endif
for (i = 0; i < n; i++)
    { long j; polyloop_rolled for (j = 0; j < n; j++) {
        a[i] = (v){0};
    } } }
d();
"""
    )
