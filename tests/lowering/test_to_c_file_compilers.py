"""Emitted C under compilers that optimize hard, sanitizers, and files that use the helpers' names themselves."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from polyloop.backend.ir.traversal import walk
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.frontend import read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.families import shapes
from polyloop.shaping.nests import nests, reshaped
from polyloop.transforms import Expand, Vectorize, candidates

COMPILERS = [name for name in ("gcc", "clang", "clang-22") if shutil.which(name)]
each_compiler = pytest.mark.parametrize("compiler", COMPILERS)


def emitted(text: str, *defines: str, vectors: bool = False) -> str:
    """The file with every region's loops in their order, as scalars or with the last loop in vectors."""
    replacements = []
    for scop in read_source("file.c", text=text, defines=defines).scops:
        tree = original_tree(scop)
        if vectors:
            tree = [t for t in candidates(tree) if isinstance(t, Vectorize)][-1].apply(tree)
        nest = lower(scop, tree)
        replacements.append(Replacement(scop, plan(nest, host_target()) if vectors else scalar_program(nest)))
    return emit_c_file(text, replacements)


def planned(text: str) -> str:
    """The file with every region's loops in their order, as planning has them where nothing asks for vectors."""
    scops = read_source("file.c", text=text).scops
    return emit_c_file(text, [Replacement(s, plan(lower(s, original_tree(s)), host_target())) for s in scops])


def run(compiler: str, folder: Path, text: str, *flags: str) -> str:
    """What the program prints."""
    path, program = folder / "program.c", folder / "program"
    path.write_text(text)
    command = [compiler, "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", *flags]
    built = subprocess.run([*command, path, "-o", program, "-lm"], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


ROUNDED = """\
#include <stdio.h>
void f(int n, float *restrict t, double *restrict a, const double *restrict b)
{
#pragma scop
    a[0] = (float)(b[0] * b[0]);
    a[1] = (float)(b[1] * b[1]);
    a[2] = (float)(b[2] * b[2]);
    a[3] = (float)(b[3] * b[3]);
    for (int i = 1; i < n; i++) {
        t[4 * i] = b[4 * i] * b[4 * i];
        a[4 * i] = t[4 * i];
        t[4 * i + 1] = b[4 * i + 1] * b[4 * i + 1];
        a[4 * i + 1] = t[4 * i + 1];
        t[4 * i + 2] = b[4 * i + 2] * b[4 * i + 2];
        a[4 * i + 2] = t[4 * i + 2];
        t[4 * i + 3] = b[4 * i + 3] * b[4 * i + 3];
        a[4 * i + 3] = t[4 * i + 3];
    }
#pragma endscop
}
int main(void)
{
    float t[40];
    double a[40], b[40];
    int bad = 0;
    for (int i = 0; i < 40; i++)
        b[i] = 1 + i * 0.0125;
    f(10, t, a, b);
    for (int i = 0; i < 40; i++)
        bad += a[i] != (float)a[i];
    printf("%d", bad);
}
"""


@each_compiler
@pytest.mark.parametrize("flags", ["-O2", "-O3", "-O3 -march=native"])
def test_rounding_to_float_is_kept(tmp_path: Path, compiler: str, flags: str) -> None:
    """gcc 12 loses it in vectors that it makes of several scalars."""
    text = emitted(ROUNDED)
    assert text.count("polyloop_narrow(") == 1 + 8
    assert run(compiler, tmp_path, text, *flags.split()) == "0"


LITTLE = ["-O3 -msse4.1"] if platform.machine() == "x86_64" else []
SUMMED = """\
#include <stdio.h>
void f(const int *restrict t, const int *restrict h, long *restrict sums)
{
#pragma scop
    long a = (long)t[0] * h[0], b = (long)t[1] * h[1];
    for (int i = 1; i < 11; i++) {
        a += (long)t[2 * i] * h[2 * i];
        b += (long)t[2 * i + 1] * h[2 * i + 1];
    }
    a += (long)t[22] * h[22];
    b += (long)t[23] * h[23];
    sums[0] = a;
    sums[1] = b;
#pragma endscop
}
int main(void)
{
    int t[24], h[24];
    long sums[2], a = 0, b = 0;
    for (int i = 0; i < 24; i++)
        t[i] = i * 3 - 50, h[i] = i * 7919 % 101 - 50;
    f(t, h, sums);
    for (int i = 0; i < 24; i += 2)
        a += (long)t[i] * h[i], b += (long)t[i + 1] * h[i + 1];
    printf("%d%d", sums[0] == a, sums[1] == b);
}
"""


@each_compiler
@pytest.mark.parametrize("flags", ["-O1", "-O2 -march=native", "-O3 -march=native", *LITTLE])
def test_integer_sums_side_by_side_keep_all_terms(tmp_path: Path, compiler: str, flags: str) -> None:
    """gcc 12 loses some of two sums that it makes a vector of, as their values are converted behind the loop."""
    text = planned(SUMMED)
    assert text.count("polyloop_settled(") == 2 + 2
    assert run(compiler, tmp_path, text, *flags.split()) == "11"
    one = re.sub("        b \\+=.*\n|    sums.1. =.*\n", "", SUMMED)
    assert "polyloop_settled" not in planned(one)


def test_rounding_is_fenced_only_where_it_may_be_undone() -> None:
    """A float array that nothing reads again, and one that is not widened."""
    head = "void f(int n, float *restrict a, const float *restrict b)\n{\n#pragma scop\n"
    tail = "#pragma endscop\n}\n"
    loop = "    for (int i = 0; i < n; i++)\n        "
    assert "polyloop_narrow" not in emitted(f"{head}{loop}a[i] = 0.5 * b[i];\n{tail}")
    assert "polyloop_narrow" in emitted(f"{head}{loop}a[i] = 0.5 * a[i] + b[i];\n{tail}")
    assert "polyloop_narrow" in emitted(f"{head}{loop}a[i] = 0.5 * (float)(0.3 * b[i]);\n{tail}")
    only_floats = f"{head.replace('float *restrict b', 'double *restrict b')}{loop}a[i] = b[i];\n{tail}"
    assert "polyloop_narrow" not in emitted(only_floats)


DISTRIBUTED = """\
#include <stdio.h>
void f(long j, long v, long o, signed char *restrict B, const unsigned long *restrict C, unsigned short *restrict A)
{
#pragma scop
    for (long k = 2; k < j + 2; k++) {
        B[0] = v + (C[k / 3] == 0 ? 0 : A[j + k]);
        A[k - o + 1] = 7 * j;
    }
#pragma endscop
}
int main(void)
{
    static unsigned long C[128];
    unsigned sum = 0;
    for (long o = -20; o < 1; o++)
        for (long j = 1; j < 30; j++) {
            unsigned short A[128];
            signed char B = 0;
            for (int k = 0; k < 128; k++)
                A[k] = 7 * k, C[k] = 1;
            f(j, 3, o, &B, C, A);
            for (int k = 0; k < 128; k++)
                sum = 31 * sum + A[k];
            sum = 31 * sum + B;
        }
    printf("%u", sum);
}
"""


@each_compiler
@pytest.mark.parametrize("flags", ["-O2", "-O3", "-O3 -march=native"])
def test_loops_are_not_distributed_where_they_touch_the_same_memory(tmp_path: Path, compiler: str, flags: str) -> None:
    """gcc 12 does not see the overlap of a single iteration's accesses, one of them under a condition."""
    expected = run(compiler, tmp_path, DISTRIBUTED, "-O0", "-Wno-unknown-pragmas")
    text = emitted(DISTRIBUTED)
    assert "polyloop_f_0(j" in text
    assert run(compiler, tmp_path, text, *flags.split()) == expected


PRODUCT = """\
#include <stdio.h>
#include <stdlib.h>
void f(int n, int m, int l, float A[n][l], float B[l][m], float C[n][m])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int p = 0; p < l; p++)
            for (int j = 0; j < m; j++)
                C[i][j] += A[i][p] * B[p][j];
#pragma endscop
}
int main(void)
{
    float wrong = 0;
    for (int n = 1; n < 12; n++) {
        const int m = n + 2, l = n;
        float(*A)[l] = calloc(n, sizeof *A), (*B)[m] = calloc(l, sizeof *B), (*C)[m] = calloc(n, sizeof *C);
        for (int i = 0; i < n; i++)
            A[i][i] = 1;
        for (int i = 0; i < l; i++)
            for (int j = 0; j < m; j++)
                B[i][j] = i - j;
        f(n, m, l, A, B, C);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                wrong += C[i][j] != i - j;
        free(A), free(B), free(C);
    }
    printf("%g", wrong);
}
"""


@pytest.fixture(scope="module")
def tiled_products() -> list[str]:
    """Two short texts of the product with several vectors in a row; the last ones have no lane in short rows."""
    file = read_source("file.c", text=PRODUCT)
    (scop,) = file.scops
    tree, memory = original_tree(scop), scop.dependences("memory")
    (nest,) = nests(tree)
    found = shapes(scop, nest, host_target(), lambda _: True)
    programs = [plan(lower(scop, reshaped(scop, memory, tree, nest, shape)), host_target()) for _, shape in found]
    programs.sort(key=lambda program: sum(1 for _ in walk(program.body)))
    texts = (emit_c_file(PRODUCT, [Replacement(scop, program)]) for program in programs)
    return list(islice((text for text in texts if "polyloop_at(" in text), 2))


@each_compiler
@pytest.mark.parametrize("number", [0, 1])
def test_no_subscript_lies_outside_of_a_row(
    tmp_path: Path, compiler: str, number: int, tiled_products: list[str]
) -> None:
    text = tiled_products[number]
    assert "polyloop_at(float, " in text
    sanitized = ("-O1", "-march=native", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    if not _links(compiler, tmp_path, sanitized):
        pytest.skip(f"{compiler} has no sanitizers")
    assert run(compiler, tmp_path, text, *sanitized) == "0"


def _links(compiler: str, folder: Path, flags: tuple[str, ...]) -> bool:
    path = folder / "probe.c"
    path.write_text("int main(void) { return 0; }")
    return subprocess.run([compiler, *flags, path, "-o", folder / "probe"], capture_output=True).returncode == 0


EXPANDED = """\
#include <stdio.h>
void f(int n, int m, double *restrict a)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++) {
            double t = a[i + j] + 1;
            a[i] += t;
        }
#pragma endscop
}
int main(void)
{
    double a[9] = {0}, sum = 0;
    for (int n = 0; n < 4; n++)
        for (int m = 0; m < 4; m++)
            f(n, m, a);
    for (int i = 0; i < 9; i++)
        sum += a[i];
    printf("%g", sum);
}
"""


@each_compiler
def test_rows_of_copies_are_never_empty(tmp_path: Path, compiler: str) -> None:
    """C forbids extents that are not positive, also where nothing is stored."""
    (scop,) = read_source("file.c", text=EXPANDED).scops
    text = emit_c_file(EXPANDED, [_scalar(Expand("t", (0, 1)).apply(scop))])
    assert "double *__restrict t_x = " in text
    flags = ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")
    if not _links(compiler, tmp_path, flags):
        pytest.skip(f"{compiler} has no sanitizers")
    assert run(compiler, tmp_path, text, *flags) == run(compiler, tmp_path, EXPANDED, "-Wno-unknown-pragmas")


POISONED = """\
#include <stdlib.h>
#pragma GCC poison malloc calloc realloc free
"""
DOUBLED = """\
#include <stdio.h>
void f(int n, double *restrict a)
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
#pragma endscop
}
int main(void)
{
    double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    f(9, a);
    printf("%g %g", a[0], a[8]);
}
"""


@each_compiler
def test_files_may_forbid_allocation(tmp_path: Path, compiler: str) -> None:
    """The header of x86's instructions has functions that allocate, too."""
    text = POISONED + EXPANDED
    (scop,) = read_source("file.c", text=text).scops
    made = emit_c_file(text, [_scalar(Expand("t", (0, 1)).apply(scop))])
    assert "__builtin_malloc(" in made
    assert run(compiler, tmp_path, made) == run(compiler, tmp_path, text, "-Wno-unknown-pragmas")
    assert run(compiler, tmp_path, emitted(POISONED + DOUBLED, vectors=True)) == "2 18"


SHIFTS = """\
void f(int n, int s, const int *restrict x, int *restrict y, int *restrict z)
{
#pragma scop
    for (int i = 0; i < n; i++) {
        y[i] = s > 0 ? x[i] >> s : x[i] << -s;
        z[i] = x[i] >> s;
    }
#pragma endscop
}
"""


def test_amounts_of_shifts_that_c_asks_for_first_are_cut() -> None:
    """What stands behind a condition may be computed in front of it, where it is used again."""
    text = emitted(SHIFTS)
    assert "(s > 0) ? (x[i] >> (s & 31)) : (x[i] << ((-s) & 31))" in text
    assert "z[i] = x[i] >> s;" in text


MACROS = """#include <stdio.h>
#define first 3
#define a 5
#define vector_size 7
#define v @
#define active while
struct polyloop_floord {
    int x;
};
static int polyloop_min = 4;
void f(int n, double *x, const double *y)
{
#pragma scop
    for (int i = 0; i < n; i++)
        x[i / 3] += y[i];
    for (int i = 0; i < n; i++)
        x[i] = 2 * y[i] + x[i];
#pragma endscop
}
int main(void)
{
    struct polyloop_floord s = {polyloop_min};
    double x[9] = {0}, y[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    f(9, x, y);
    printf("%d %g %g", s.x, x[2], x[8]);
}
"""


@each_compiler
@pytest.mark.parametrize("vectors", [False, True])
def test_helpers_stand_beside_the_files_names(tmp_path: Path, compiler: str, vectors: bool) -> None:
    text = emitted(MACROS, "stride=+", vectors=vectors)
    assert "polyloop_disjoint(const void *a_1, " in text
    assert not vectors or "__attribute__((__vector_size__(" in text
    assert run(compiler, tmp_path, text, "-O1", "-Dstride=+") == "4 30 18"


def test_an_earlier_runs_helpers_are_used_again_and_others_are_not(tmp_path: Path) -> None:
    text = MACROS.replace("#define a 5\n", "").replace("#define first 3\n", "")
    once = emitted(text)
    assert once.count("polyloop_floord_1(long") == 1
    second = once + text.partition("static int polyloop_min = 4;\n")[2].partition("int main")[0].replace("f(", "g(")
    twice = emit_c_file(second, [_scalar(scop) for scop in read_source("file.c", text=second, function="g").scops])
    assert twice.count("int polyloop_disjoint(") == 1
    assert run("gcc", tmp_path, twice, "-O1") == "4 30 18"


def _scalar(scop: Scop) -> Replacement:
    return Replacement(scop, scalar_program(lower(scop, original_tree(scop))))


def test_warnings_are_hidden_in_the_regions_functions_only(tmp_path: Path) -> None:
    text = emitted(PRODUCT)
    assert "-Wunknown-pragmas" not in _warnings(tmp_path, text)
    assert "-Wunknown-pragmas" in _warnings(tmp_path, text + "#pragma something else\n")
    assert text.count("#pragma GCC diagnostic push") == text.count("#pragma GCC diagnostic pop") == 1


def _warnings(folder: Path, text: str) -> str:
    path = folder / "file.c"
    path.write_text(text)
    done = subprocess.run(["gcc", "-Wall", "-c", path, "-o", folder / "file.o"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_an_array_of_statements_that_never_run() -> None:
    text = MACROS.replace("x[i] = 2", "if (i < 0) x[i] = 2").replace("const double *restrict y", "double *y")
    assert "polyloop_f_0(n" in emitted(text)
    only = "    for (int i = 0; i < n; i++)\n        if (i < 0)\n            y[i] = x[i] * 2;\n#pragma endscop"
    text = text.replace("y[i];\n", "1;\n", 1).replace("#pragma endscop", only)
    assert "polyloop_disjoint(x, 0, 8 * polyloop_floord" in emitted(text)


SIZES = """\
#include <stdio.h>
#ifdef __SIZEOF_INT128__
#ifndef SMALL
typedef unsigned long digit;
#else
typedef unsigned digit;
#endif
#endif
typedef struct { digit *digits; } number;
int plain[8];
void f(int n, number *a, const digit *b)
{
#pragma scop
    for (int i = 0; i < n; i++)
        a->digits[i] = a->digits[i] + b[i] + plain[i];
#pragma endscop
}
int main(void)
{
    digit x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    number a = {x};
    f(8, &a, y);
    for (int i = 0; i < 8; i++)
        printf("%lu ", (unsigned long)x[i]);
    return 0;
}
"""


@each_compiler
def test_elements_may_have_another_size_under_other_macros(tmp_path: Path, compiler: str) -> None:
    text = emitted(SIZES)
    assert "sizeof(*a->digits) == 8 && sizeof(*b) == 8 && " in text
    assert "sizeof(plain" not in text
    expected = "4 3 7 5 10 15 9 14 "
    for flag in ("-DLARGE", "-DSMALL"):
        assert run(compiler, tmp_path, text, flag, "-Wno-incompatible-pointer-types") == expected


MACROS_OF_FUNCTIONS = """\
#include <math.h>
#include <stdio.h>
#ifdef SMALL
#define sin(x) sinf(x)
#endif
#define floor(x) (100 * (floor)(x))
void f(int n, double *restrict a, const double *restrict b)
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = sin(b[i]) + floor(b[i]) + fabs(b[i]);
#pragma endscop
}
#define fabs(x) 1000
int main(void)
{
    double a[9], b[9] = {-0.5, 1.5, 2.25, 3, 4, 5, 6, 7, 8};
    f(9, a, b);
    for (int i = 0; i < 9; i++)
        printf("%d", a[i] == sin(b[i]) + floor(b[i]) + (fabs)(b[i]));
    return 0;
}
"""


@each_compiler
@pytest.mark.parametrize("vectors", [False, True])
def test_functions_that_the_file_has_macros_for_are_called(tmp_path: Path, compiler: str, vectors: bool) -> None:
    """Those that its conditions leave out and those in effect, whose text has been read."""
    text = emitted(MACROS_OF_FUNCTIONS, vectors=vectors)
    assert "polyloop_f_0(" in text
    assert run(compiler, tmp_path, text) == "111111111"


def test_rows_without_elements_are_no_types(tmp_path: Path) -> None:
    """C has no arrays of no elements, and the undefined behaviour sanitizer says so."""
    text = (
        "void f(int n, int m, float *a)\n{\n#pragma scop\n"
        "    for (int j = 0; j < m; j++)\n        for (int i = 0; i < n; i++)\n            a[j * n + i] *= 2;\n"
        "#pragma endscop\n}\n"
    )
    (scop,) = read_source("f.c", text=text).scops
    emitted = emit_c_file(text, [Replacement(scop, plan(lower(scop, original_tree(scop)), host_target()))])
    tests = re.search(r"if \((.*?)\) \{", emitted, re.DOTALL)
    assert tests is not None
    assert "(long)n >= 1" in tests.group(1)


TABLES = """\
#include <stdio.h>
void f(unsigned char *to[4], const unsigned char *x, int n)
{
#pragma scop
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < n; i++)
            to[k][i] = x[i] + k;
#pragma endscop
}
int main(void)
{
    unsigned char rows[4][3], x[3] = {1, 2, 3}, *to[4] = {rows[0], rows[1], rows[2], rows[3]};
    f(to, x, 3);
    for (int k = 0; k < 4; k++)
        printf("%d ", rows[k][2]);
    return 0;
}
"""


@each_compiler
def test_parameters_that_are_declared_as_arrays_are_pointers(tmp_path: Path, compiler: str) -> None:
    """Bytes that are stored may be theirs; compilers warn of sizes of such, though it is what is meant."""
    text = emitted(TABLES)
    assert "&to" in text
    assert run(compiler, tmp_path, text) == "3 4 5 6 "
