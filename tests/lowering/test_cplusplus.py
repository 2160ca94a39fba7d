"""What is emitted is C++ as well as C: helpers on vectors, functions, and calls of them."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from polyloop import read_c
from polyloop.backend.c.helpers import Helper
from polyloop.backend.c.printer import c_source, prelude, print_c
from polyloop.backend.c.vectors import conversion_name, is_one_conversion
from polyloop.backend.ir.expressions import F32, F64, I32, I64, ScalarType
from polyloop.backend.ir.vector_program import ValueType
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.transforms import Vectorize, candidates
from tests.replay.programs import programs

COMPILERS = [name for name in ("g++", "clang++", "clang++-22") if shutil.which(name)]
each_compiler = pytest.mark.parametrize("compiler", COMPILERS)
ARCHITECTURES = {"avx512": "x86-64-v4", "avx2": "x86-64-v3", "sse": "x86-64-v2"}

pytestmark = pytest.mark.skipif(not COMPILERS, reason="no C++ compiler is installed")


def check(compiler: str, folder: Path, text: str, architecture: str) -> None:
    """The compiler says nothing about the text."""
    path = folder / "unit.c"
    path.write_text(text)
    flags = (
        "-x",
        "c++",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Wno-unused-function",
        "-Wno-unknown-pragmas",
        f"-march={architecture}",
    )
    done = subprocess.run([compiler, *flags, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr


_SCALARS = (
    "take",
    "disjoint",
    "none_overlap",
    "stride",
    "strides",
    "start",
    "narrow",
    "apart",
    "ahead",
    "at",
    "fits",
    "floord",
    "threads",
    "thread",
)
_VECTORS = ("load", "store", "keep", "reverse", "gather", "scatter", "load_where", "store_where", "sum")
_OF_FLOATS = ("sqrt", "floor", "ceil", "trunc", "fabs", "exp", "pow")


def every_helper() -> set[Helper]:
    """Every kind, on vectors of one, of two and of half a register, and of narrow integers."""
    helpers = {Helper("include", detail=name) for name in ("stdlib.h", "stdint.h", "omp.h")}
    helpers |= {Helper(kind) for kind in (*_SCALARS, "kernel", "rolled", "unrolled", "min", "max", "uncontracted")}
    helpers |= {Helper("extreme", ValueType(type_)) for type_ in (I32, I64)}
    narrow = [ScalarType(kind, bits) for kind in ("int", "uint") for bits in (8, 16, 32)]
    for type_ in (F32, F64, I64, *narrow):
        for size in (16, 32, 64, 128):
            vector = ValueType(type_, size // type_.bytes)
            kinds = _VECTORS + (_OF_FLOATS if type_.is_float else ("lesser", "greater", "any_bit"))
            helpers |= {Helper(kind, vector) for kind in kinds if kind != "keep" or size <= 64}
            sources = [ValueType(other, vector.lanes) for other in narrow]
            helpers |= {
                Helper(conversion_name(s.element), vector)
                for s in sources
                if is_one_conversion(s, vector) and s != vector
            }
    return helpers


@each_compiler
@pytest.mark.parametrize("architecture", ARCHITECTURES.values())
def test_every_helper(tmp_path: Path, compiler: str, architecture: str) -> None:
    check(compiler, tmp_path, prelude(every_helper()), architecture)


PROGRAMS = ("product, packed", "product, u8", "product, threads", "transposed, i8", "softmax", "sum, i64")


@cache
def functions(target: str) -> str:
    """All of the programs, and their helpers."""
    helpers, texts = {Helper("include", detail="math.h")}, list[str]()
    for name in PROGRAMS:
        scheduled = programs()[name].scheduled(shown_target(target))
        program = plan(lower(scheduled.scop, scheduled.tree), shown_target(target))
        function = print_c(program, f"f{len(texts)}")
        helpers |= function.helpers
        texts.append(function.text)
    return prelude(helpers) + "".join(texts)


@each_compiler
@pytest.mark.parametrize("target", ["avx512", "sse"])
def test_functions(tmp_path: Path, compiler: str, target: str) -> None:
    check(compiler, tmp_path, functions(target), ARCHITECTURES[target])


FILE = """\
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct { double x, y; long tag; } Point;
double table[5][7];
void f(int n, int m, const double *a, double *c, double scale, long long *whole, Point *points)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            c[i * m + j] = c[i * m + j] * scale + a[i * m + j] * table[i][j];
    for (int i = 0; i < n; i++)
        whole[i] = whole[i] * 3 + i;
    for (int i = 0; i < n; i++)
        points[i].y = points[i].x * scale + points[i].y;
#pragma endscop
}
#ifdef __cplusplus
}
#endif
int main(void)
{
    double a[35], c[35], sum = 0;
    long long whole[5];
    Point points[5];
    for (int i = 0; i < 35; i++) {
        a[i] = i * 0.5, c[i] = 1 - i * 0.25, table[i / 7][i % 7] = i * i * 0.125;
        whole[i % 5] = i, points[i % 5].x = i, points[i % 5].y = -i;
    }
    for (int n = 0; n <= 5; n++) {
        f(n, 7, a, c, 1.0625, whole, points);
        for (int i = 0; i < 35; i++)
            sum += c[i] * (i + 1) + whole[i % 5] + points[i % 5].y;
    }
    printf("%.17g\\n", sum);
    return 0;
}
"""


def printed(compiler: str, folder: Path, text: str, language: str) -> str:
    """What the program prints."""
    path, program = folder / "file.c", folder / "program"
    path.write_text(text)
    flags = ("-x", language, "-O2", "-ffp-contract=off", "-Wall", "-Wno-unknown-pragmas")
    done = subprocess.run([compiler, *flags, path, "-o", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


@each_compiler
def test_a_file(tmp_path: Path, compiler: str) -> None:
    """Rows of constant and of variable length, scalars, integers of another name, and structures."""
    path = tmp_path / "file.c"
    path.write_text(FILE)
    (scop,) = read_c(path)
    tree = next(t for t in candidates(original_tree(scop)) if isinstance(t, Vectorize)).apply(original_tree(scop))
    text = emit_c_file(FILE, [Replacement(scop, plan(lower(scop, tree), shown_target("avx2")))])
    assert "polyloop_f_0(n, m, c, scale, a, (const double (*)[7])&table[0][0], (polyloop_pointee_i64 *)whole" in text
    check(compiler, tmp_path, text, "x86-64-v4")
    expected = printed("gcc", tmp_path, FILE, "c")
    assert printed(compiler, tmp_path, text, "c++") == printed("gcc", tmp_path, text, "c") == expected


@each_compiler
def test_a_function_of_its_own_has_a_name_of_c(tmp_path: Path, compiler: str) -> None:
    scheduled = programs()["product"].scheduled(shown_target("sse"))
    path, made = tmp_path / "unit.c", tmp_path / "unit.o"
    path.write_text(c_source(plan(lower(scheduled.scop, scheduled.tree), shown_target("sse")), "product"))
    subprocess.run([compiler, "-x", "c++", "-O0", "-c", path, "-o", made], check=True)
    symbols = subprocess.run(["nm", made], capture_output=True, text=True, check=True).stdout
    assert " T product\n" in symbols
