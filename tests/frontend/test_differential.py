"""Snippets with odd types, steps and bounds: the Scop that was read does what gcc's code of the same text does."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyloop.frontend import read_c
from tests.frontend.evaluation import run_scop

Argument = int | float | NDArray[Any]
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@dataclass(frozen=True)
class Case:
    """code: parameters and body of the function; arguments: ints, floats, or arrays by (shape, dtype)."""

    name: str
    signature: str
    body: str
    arguments: Mapping[str, int | float | tuple[tuple[int, ...], str]]
    before: str = ""

    def source(self) -> str:
        region = f"#pragma scop\n{self.body}\n#pragma endscop\n"
        return f"{self.before}\nvoid {self.name}({self.signature})\n{{\n{region}}}\n"


HEADER = "".join(f"#include <{name}.h>\n" for name in ("stdint", "stddef", "stdbool", "math", "stdlib"))
HEADER += (
    "#define floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))\n"
    "#define ceild(n, d) floord((n) + (d) - 1, d)\n"
    "#define fceil(n, d) ceil(((double)(n)) / ((double)(d)))\n"
    "#define min(a, b) ((a) < (b) ? (a) : (b))\n#define max(a, b) ((a) > (b) ? (a) : (b))\n"
)

CASES = [
    Case("descending", "int n, double a[n]", "for (int i = n - 1; i >= 1; i--) a[i] = a[i - 1] + i;",
         {"n": 9, "a": ((9,), "f8")}),
    Case("strided", "int n, double a[n]", "for (int i = 1; i < n; i += 3) a[i] = a[i] * 2 - 1;",
         {"n": 11, "a": ((11,), "f8")}),
    Case("strided_down", "int n, double a[n]", "for (int i = n - 1; i > 0; i = i - 2) a[i] += a[i - 1];",
         {"n": 10, "a": ((10,), "f8")}),
    Case("not_equal", "int n, double a[n]", "for (int i = 0; i != n; ++i) a[i] = i;", {"n": 7, "a": ((7,), "f8")}),
    Case("not_equal_step", "int n, double a[n]", "for (int i = 0; i != n; i += 2) a[i] = i;",
         {"n": 8, "a": ((8,), "f8")}),
    Case("step_from_left", "int n, int a[n]", "for (long i = 2; n > i; i = 4 + i) a[i] = i * i;",
         {"n": 15, "a": ((15,), "i4")}),
    Case("shorts", "int n, short a[n], unsigned char b[n]",
         "for (int i = 0; i < n; i++) { a[i] = a[i] * b[i] + 40000; b[i] -= 200; b[i]++; }",
         {"n": 9, "a": ((9,), "i2"), "b": ((9,), "u1")}),
    Case("narrow_counter", "int n, int a[n]", "for (unsigned char i = 0; i < n; i++) a[i] = ~i;",
         {"n": 9, "a": ((9,), "i4")}),
    Case("signed_char_counter", "int a[100]", "for (signed char i = 50; i >= -20; i -= 7) a[i + 20] = i / 3 + i % 3;",
         {"a": ((100,), "i4")}),
    Case("unsigned_counter", "unsigned n, unsigned a[n]", "for (unsigned i = n; i > 0; i--) a[i - 1] = i - 2 * n;",
         {"n": 6, "a": ((6,), "u4")}),
    Case("size_counter", "size_t n, double *a", "for (size_t i = 1; i + 1 < n; i++) a[i] = a[i - 1] + a[i + 1];",
         {"n": 8, "a": ((8,), "f8")}),
    Case("mixed_signs", "unsigned n, int64_t *a", "for (int i = 0; i < n; i++) a[i] = i - n;",
         {"n": 6, "a": ((6,), "i8")}),
    Case("floats", "int n, float alpha, float *x, double *y",
         "for (int i = 0; i < n; i++) { x[i] = alpha * x[i] + 0.1; y[i] = x[i] / 3 + 0.1f; x[i] += i; }",
         {"n": 8, "alpha": 1.7, "x": ((8,), "f4"), "y": ((8,), "f8")}),
    Case("float_to_int", "int n, double *x, int *k, unsigned char *c",
         "for (int i = 0; i < n; i++) { k[i] = x[i] * 10; c[i] = (unsigned char)(int)(x[i] * 3); }",
         {"n": 8, "x": ((8,), "f8"), "k": ((8,), "i4"), "c": ((8,), "u1")}),
    Case("chained", "int n, float *a, signed char *b, int *c",
         "for (int i = 0; i < n; i++) a[i] = b[i] = c[i] += 1000 * i;",
         {"n": 6, "a": ((6,), "f4"), "b": ((6,), "i1"), "c": ((6,), "i4")}),
    Case("bools", "int n, bool *b, double *x", "for (int i = 0; i < n; i++) { b[i] = x[i] - 2; x[i] += b[i]; }",
         {"n": 6, "b": ((6,), "u1"), "x": ((6,), "f8")}),
    Case("operators", "int n, int *a, unsigned *b, long *c",
         "for (int i = 0; i < n; i++) { a[i] = (a[i] << 3) ^ (a[i] >> 2); b[i] = b[i] >> 1 | ~b[i] & 0xff;"
         " c[i] = -a[i] % 7 + b[i] / 3u - (a[i] > 0 && b[i] != 3) + !a[i]; c[i] <<= 2; a[i] |= 5; b[i] %= 11; }",
         {"n": 9, "a": ((9,), "i4"), "b": ((9,), "u4"), "c": ((9,), "i8")}),
    Case("ternary", "int n, double *a, int *b",
         "for (int i = 0; i < n; i++) a[i] = i > 0 ? a[i - 1] : b[i] > 3 ? 1 : 2.5f;",
         {"n": 9, "a": ((9,), "f8"), "b": ((9,), "i4")}),
    Case("conditions", "int n, int m, int *a",
         "for (int i = 0; i < n && i < m; i++) { if (i % 3 == 1 || !(i < 4)) a[i] = 1; else if (i & 1) a[i] = 2;"
         " else { a[i] = 3; if (n != m) a[i] += n > m; } }",
         {"n": 9, "m": 7, "a": ((9,), "i4")}),
    Case("divisions", "int n, int *a",
         "for (int i = -n; i <= n; i++) { a[i / 2 + n] += i; a[i % 5 + n] += 2 * i; a[(i >> 1) + n] += 3;"
         " a[floord(i, 3) + n] += 5; a[ceild(i, 3) + n] += 7; }",
         {"n": 9, "a": ((20,), "i4")}),
    Case("bits", "int n, int *a",
         "for (int i = -n; i < n; i++) { a[(i ^ 3) + n] += i; a[(i | 6) + n] += 2 * i;"
         " a[(4 ^ i) + n] -= a[(i | 1) + n]; }",
         {"n": 8, "a": ((16,), "i4")}),
    Case("tiled", "int n, int m, double *a",
         "for (int t = 0; t <= floord(n - 1, 4); t++) for (int i = max(0, 4 * t); i <= min(n - 1, 4 * t + 3); i++)"
         " for (int j = fceil(i - m, 2); j < m; j++) if (j >= 0) a[i * m + j] = a[i * m + j] * 2 + t;",
         {"n": 10, "m": 5, "a": ((50,), "f8")}),
    Case("linearised_3d", "int n, int m, float *a, const float *b",
         "for (int i = 1; i < 4; i++) for (int j = 1; j < n - 1; j++) for (int k = 0; k < m; k++)"
         " a[(i * n + j) * m + k] = b[((i - 1) * n + j + 1) * m + k] - b[m * n * i + m * (j - 1) + m - 1 - k];",
         {"n": 5, "m": 6, "a": ((120,), "f4"), "b": ((120,), "f4")}),
    Case("halo_rows", "int n, double *a",
         "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[(i + 1) * (n + 2) + j + 1] = a[i * (n + 2) + j];",
         {"n": 5, "a": ((49,), "f8")}),
    Case("last_row", "int n, double *a",
         "for (int j = 0; j < n; j++) { a[(n - 1) * n + j] = j; for (int i = 0; i < n; i++) a[i * n + n - 1] += i; }",
         {"n": 5, "a": ((25,), "f8")}),
    Case("constant_rows", "int n, double *a",
         "for (int i = 0; i < n; i++) for (int j = 0; j < 10; j++) a[i * 10 + 9 - j] += i - j;",
         {"n": 4, "a": ((40,), "f8")}),
    Case("pointer_to_rows", "int n, int m, double (*a)[m]",
         "for (int i = 0; i < n; i++) for (int j = i; j < m; j++) a[i][j] = a[j < n ? j : i][i] + 1;",
         {"n": 5, "m": 6, "a": ((5, 6), "f8")}),
    Case("locals", "int n, double *a",
         "double s = 0; for (int i = 0; i < n; i++) { double t[2] = {1, 2.5f}; int k = n - 1 - i; double u = a[k];"
         " t[i % 2] += u; s += t[0] * t[1]; a[i] = s - k; }",
         {"n": 7, "a": ((7,), "f8")}),
    Case("integer_scalar", "int n, int *a", "int c = 3; for (int i = 0; i < n; i++) { a[i] = c; c = c * 5 % 11; c--; }",
         {"n": 7, "a": ((7,), "i4")}),
    Case("mathematics", "int n, double *x, float *y",
         "for (int i = 0; i < n; i++) { x[i] = sqrt(fabs(x[i])) + fmax(x[i], 2) + pow(2, i);"
         " y[i] = sqrtf(y[i]) + abs(i - 3);"
         " y[i] = fminf(y[i], floor(x[i])); }",
         {"n": 7, "x": ((7,), "f8"), "y": ((7,), "f4")}),
    Case("inlined_bounds", "int n, int m, int *a",
         "for (int i = lower(n, m); i < upper(n, m); i++) a[i] = i + 'a' + sizeof(long);",
         {"n": 3, "m": 8, "a": ((8,), "i4")},
         "static inline int lower(int a, int b) { return a < b ? a : b; }\n"
         "static int upper(int a, int b) { return a > b ? a : b; }\n"),
    Case("enumerators", "int *a", "for (enum color c = RED; c <= BLUE; c++) a[c] = 10 * c + WIDTH;",
         {"a": ((8,), "i4")},
         "enum color { RED = 1, GREEN, BLUE = GREEN + 3 };\nenum { WIDTH = sizeof(double) * 2 };\n"),
    Case("lengths", "double *y",
         "for (unsigned k = 0; k < sizeof keys / sizeof keys[0]; k++) y[k] += sizeof(struct key) + k * sizeof *keys;",
         {"y": ((5,), "f8")},
         "struct key { char at; double v; short s[3]; };\nextern const struct key keys[3];\n"),
    Case("casts", "int n, int *a, long long *b",
         "for (int i = 0; i < n; i++) { a[i] = (signed char)(a[i] * 77) + (unsigned short)-i;"
         " b[(size_t)i] = (long long)a[i] * a[i];"
         " b[i] -= (unsigned)(i - 5); b[i] += (double)i / n; }",
         {"n": 8, "a": ((8,), "i4"), "b": ((8,), "i8")}),
    Case("shadowing", "int n, int i, int *a",
         "for (int k = 0; k < i; k++) for (int i = 0; i < n; i++) a[k * 8 + i] = k - i;",
         {"n": 5, "i": 3, "a": ((40,), "i4")}),
    Case("least", "int n, float x[n], int at[2]",
         "int k = 0; for (int i = 1; i < n; i++) if (x[i] < x[k]) k = i; at[0] = k;"
         "for (int i = n; i < n; i++) if (x[i] >= x[at[1]]) k = i; at[1] = k;",
         {"n": 13, "x": ((13,), "f4"), "at": ((2,), "i4")}),
    Case("largest_of_rows", "int n, int m, double a[n][m], int at[n]",
         "for (int i = 0; i < n; i++) { int k = 0; for (int j = 1; j < m; j++) if (fabs(a[i][j]) >= fabs(a[i][k]))"
         " k = j; at[i] = k; }",
         {"n": 4, "m": 9, "a": ((4, 9), "f8"), "at": ((4,), "i4")}),
]  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder: Path = tmp_path_factory.mktemp("differential")
    (folder / "cases.c").write_text(HEADER + "\n".join(case.source() for case in CASES))
    flags = ["-O1", "-w", "-shared", "-fPIC", "-ffp-contract=off", "-fno-strict-aliasing"]
    subprocess.run(["gcc", *flags, "cases.c", "-o", "cases.so", "-lm"], cwd=folder, check=True, timeout=120)
    return ctypes.CDLL(str(folder / "cases.so"))


def values(case: Case) -> dict[str, Argument]:
    """Arguments with values that differ everywhere and are of both signs where the type has them."""
    rng = np.random.default_rng(len(case.name))
    made: dict[str, Argument] = {}
    for name, value in case.arguments.items():
        if not isinstance(value, tuple):
            made[name] = value
            continue
        shape, dtype = value
        unsigned = dtype.startswith("u")
        real = dtype.startswith("f")
        low, high = (0, 2 if case.name == "bools" else 200) if unsigned else (-100, 100)
        drawn = rng.uniform(0.5, 9.5, shape) if real else rng.integers(low, high, shape)
        made[name] = drawn.astype(dtype)
    return made


def call(library: ctypes.CDLL, case: Case, arguments: Mapping[str, Argument]) -> None:
    types = [part.strip() for part in case.signature.split(",")]
    converted: list[object] = []
    for declaration, value in zip(types, arguments.values(), strict=True):
        if isinstance(value, np.ndarray):
            converted.append(ctypes.c_void_p(value.ctypes.data))
        elif declaration.startswith("float"):
            converted.append(ctypes.c_float(value))
        elif declaration.startswith("double"):
            converted.append(ctypes.c_double(value))
        else:
            converted.append(ctypes.c_size_t(int(value)))
    getattr(library, case.name)(*converted)


@needs_gcc
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_scop_does_what_gcc_does(case: Case, library: ctypes.CDLL) -> None:
    (scop,) = read_c(f"{case.name}.c", text=HEADER + case.source())
    ours, theirs = values(case), values(case)
    run_scop(scop, ours)
    call(library, case, theirs)
    for name, value in theirs.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(ours[name], value, err_msg=name)
    changed = [n for n, v in values(case).items() if isinstance(v, np.ndarray) and not np.array_equal(v, theirs[n])]
    assert changed, "the case computes nothing"
