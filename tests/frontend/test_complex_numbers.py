"""Loops over complex numbers: what is read, and that it gives the bits that the user's compiler gives, for all values.

Every function below runs in the interpreter, as gcc and clang compile it, and as they compile what polyloop emits, in
order and in lanes, on numbers many of which are infinite, no numbers, or zeros with a sign.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import polyloop
from polyloop.backend.ir.expressions import F32, F64, IMAGINARY_PRODUCT, REAL_PRODUCT, Call, walk
from polyloop.backend.ir.interpreter import c_function
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import read_c, read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from tests.frontend.emission import in_lanes
from tests.frontend.evaluation import run_scop

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
COMPILERS = [name for name in ("gcc", "clang", "clang-22") if shutil.which(name) is not None]

HELPERS = """
#include <complex.h>
#include <math.h>
#ifndef CMPLX  /* of clang 14 with glibc */
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))
#endif
typedef double complex cplx;
struct cell { double weight; cplx value; float complex small; };
static cplx times(cplx a, cplx b) { return a * b; }
static cplx turned(cplx a, double by) { cplx r = a * by; if (creal(a) < 0) return -r; return r * I; }
static double square(cplx a) { return creal(a) * creal(a) + cimag(a) * cimag(a); }
static float complex narrow(cplx a) { return a; }
"""
PLAIN = "int n, cplx *x, cplx *y, double *r"


def loop(body: str) -> str:
    return f"for (int i = 0; i < n; i++) {{ {body} }}"


# name -> (parameters, region)
BODIES = {
    "sum": (PLAIN, loop("x[i] = x[i] + y[i];")),
    "difference": (PLAIN, loop("x[i] = y[i] - x[i + 1];")),
    "product": (PLAIN, loop("x[i] = x[i] * y[i];")),
    "powers": (PLAIN, loop("x[i] = x[i] * x[i] * x[i] + y[i];")),
    "conjugate": (PLAIN, loop("x[i] *= conj(y[i]); y[i] = -~y[i];")),
    "real_operands": (PLAIN, loop("x[i] = r[i] + x[i]; y[i] = r[i] - y[i] * r[i + 1];")),
    "real_right": (PLAIN, loop("x[i] = x[i] - r[i]; y[i] = y[i] + r[i] * r[i];")),
    "real_in_place": (PLAIN, loop("x[i] += r[i]; x[i] *= r[i + 1]; y[i] -= r[i]; y[i] /= r[i + 2];")),
    "quotient_by_real": (PLAIN, loop("x[i] = y[i] / r[i] - x[i] / 3;")),
    "integers": (PLAIN, loop("x[i] = i * x[i] + 2; y[i] = 1 - y[i] * i;")),
    "imaginary": (PLAIN, loop("x[i] = r[i] + r[i + 1] * I; y[i] = I * y[i] - 2.0 * I;")),
    "parts": (PLAIN, loop("r[i] = creal(x[i]) * creal(y[i]); __real__ x[i] = __imag__ y[i] + r[i];"
                          " __imag__ x[i] += 1; --(__imag__ y[i]);")),
    "parts_of_products": (PLAIN, loop("r[i] = creal(x[i] * y[i]) - __imag__ (x[i] - y[i]);")),
    "made": (PLAIN, loop("x[i] = CMPLX(r[i], -r[i + 1]); y[i] = CMPLXF(r[i], 0) * y[i];")),
    "from_real": (PLAIN, loop("x[i] = r[i]; y[i] = -0.0;")),
    "to_real": (PLAIN, loop("r[i] = x[i] * y[i]; r[i] += x[i]; r[i] *= y[i];")),
    "casts": (PLAIN, loop("x[i] = (cplx)r[i]; r[i] = (double)y[i]; y[i] = (float complex)x[i + 1]; ")),
    "sizes": (PLAIN, loop("r[i] = cabs(x[i]) - carg(y[i]);")),
    "equal": (PLAIN, loop("r[i] = (x[i] == y[i]) + 2 * (x[i] != 1.0) + 4 * (r[i] == y[i]);")),
    "truth": (PLAIN, loop("if (x[i]) r[i] = 1; if (!y[i] || x[i] * y[i]) r[i] += 2; r[i] += x[i] && y[i];")),
    "choice": (PLAIN, loop("x[i] = r[i] > 0 ? x[i] * y[i] : conj(y[i]); y[i] = creal(y[i]) < 0 ? r[i] : y[i];")),
    "under_conditions": (PLAIN, loop("if (creal(x[i]) > cimag(x[i])) x[i] *= y[i]; else y[i] += x[i] * I;")),
    "local": (PLAIN, loop("cplx t = x[i] * y[i], u; u = t - r[i]; x[i] = u * t; y[i] = u + t;")),
    "local_array": (PLAIN, loop("cplx t[2] = {x[i], y[i] * r[i]}; x[i] = t[0] + t[1]; y[i] = t[0] - t[1];")),
    "functions": (PLAIN, loop("x[i] = times(x[i], y[i]) + turned(y[i], r[i]); r[i] = square(x[i] - y[i]);")),
    "choice_of_functions": (PLAIN, loop("x[i] = r[i] > 0 ? times(x[i], y[i]) : y[i];"
                                    " y[i] = x[i] ? turned(x[i], 2) : I * 1.0;")),
    "nested_functions": (PLAIN, loop("x[i] = times(times(x[i], y[i] + 1.0), I); y[i] = narrow(x[i] * 2.0);")),
    "accumulator": (PLAIN, "cplx s = 0; " + loop("s += x[i] * conj(y[i]);") + " x[n] = s;"),
    "two_sums": (PLAIN, "cplx s = 0, t = 1; " + loop("s += x[i]; t = t * y[i] + s;") + " x[n] = s; y[n] = t;"),
    "recurrence": (PLAIN, loop("x[i + 1] = x[i] * y[i] + x[i + 1];")),
    "chained": (PLAIN, loop("x[i] = y[i] = x[i] * r[i];")),
    "walk": (PLAIN, "cplx *p = x; const cplx *q = y; " + loop("*p++ += *q++ * r[i];")),
    "reversed": (PLAIN, loop("cplx t = x[i]; x[i] = conj(x[2 * n - i]); x[2 * n - i] = conj(t);")),
    "single": ("int n, float complex *restrict a, float complex *restrict b, float *restrict f",
               loop("a[i] = a[i] * b[i] + f[i]; b[i] = conjf(b[i]) / f[i] - I; f[i] = crealf(a[i]);")),
    "mixed": ("int n, float complex *restrict a, cplx *restrict x, float *restrict f",
              loop("x[i] += a[i] * x[i]; a[i] = x[i] * f[i]; a[i] += a[i];")),
    "rows": ("int n, cplx x[n][n + 1], cplx y[n][n + 1], cplx z[n + 1]",
             "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x[i][j] = y[j][i] * z[j] + x[i][j + 1];"),
    "matrices": ("int n, cplx (*restrict x)[n], cplx (*restrict y)[n], cplx (*restrict z)[n]",
                 "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { cplx s = 0;"
                 " for (int k = 0; k < n; k++) s += x[i][k] * y[k][j]; z[i][j] = s; }"),
    "linear": ("int n, cplx *restrict x, cplx *restrict y, cplx *restrict z",
               "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) z[i] += x[i * n + j] * y[j];"),
    "members": ("int n, struct cell *restrict x, struct cell *restrict y",
                loop("x[i].value = y[i].value * x[i].weight + y[i].small; x[i].small *= y[i].small;")),
    "butterflies": ("int n, cplx *restrict x, const cplx *restrict w",
                    "for (int i = 0; i < n / 2; i++) { cplx t = w[i] * x[i + n / 2];"
                    " x[i + n / 2] = x[i] - t; x[i] += t; }"),
    "parameter": ("int n, cplx *restrict x, double a, double b",
                  "cplx w = a + b * I;\n#pragma scop\n" + loop("x[i] = w * x[i] - w;") + "\n#pragma endscop\n"),
}  # fmt: skip
ARGUMENTS = {"parameter": ("0.5", "-INFINITY")}
INTEGERS, OLD = ("quotient_by_real", "integers"), "clang"
"""Bodies with integers beside complex numbers, which old clangs (14) make complex numbers of, with a zero."""
EVERY = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5, 1e300, -1e-300, 3e38, 1e200])


def source() -> str:
    parts = [HELPERS]
    for name, (signature, region) in BODIES.items():
        body = region if "#pragma" in region else f"#pragma scop\n{region}\n#pragma endscop"
        parts.append(f"void {name}({signature})\n{{\n{body}\n}}\n")
    for name, (signature, _) in BODIES.items():
        passed = ", ".join(("n", *(("p", *ARGUMENTS[name]) if name in ARGUMENTS else "pqr")[: signature.count(",")]))
        call = re.sub(r"\b[pqr]\b", r"(void *)\g<0>", f"{name}({passed});")
        parts.append(
            f"void drive_{name}(int n, double *p, double *q, double *r)\n{{ (void)p, (void)q, (void)r; {call} }}\n"
        )
    return "".join(parts)


def data(n: int, seed: int) -> list[np.ndarray]:
    """Three arrays of doubles, or of floats of half the bytes, of which most are usual numbers."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(3):
        values = rng.uniform(-2, 2, 6 * n * n + 8 * n + 16)
        odd = rng.random(values.size) < (0.0, 0.2, 0.7)[seed % 3]
        values[odd] = rng.choice(EVERY, odd.sum())
        found.append(values)
    return found


def same(theirs: np.ndarray, ours: np.ndarray) -> None:
    """Bit by bit, but for what the bits of NaN say."""
    number = ~(np.isnan(theirs) & np.isnan(ours))
    kind = {8: "i8", 4: "i4"}[theirs.itemsize]
    np.testing.assert_array_equal(theirs.view(kind)[number], ours.view(kind)[number])


@pytest.fixture(scope="module")
def scops() -> dict[str, Scop]:
    return {scop.name: scop for scop in read_c("complex.c", text=source())}


def built(folder: Path, text: str, compiler: str, level: str) -> ctypes.CDLL:
    folder.mkdir(exist_ok=True)
    (folder / "made.c").write_text(text)
    flags = [level, "-march=native", "-ffp-contract=off", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Werror"]
    # gcc 12 fuses what products of complex numbers consist of, whatever it is told, unless its vectorizers stay away.
    flags += [
        "-Wno-unused-parameter",
        "-Wno-unused",
        "-Wno-int-in-bool-context",
        "-fno-tree-vectorize",
        "-fno-tree-slp-vectorize",
    ]
    command = [compiler, *flags, "-shared", "-fPIC", str(folder / "made.c"), "-o", str(folder / "made.so"), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / "made.so"))


@pytest.fixture(scope="module")
def libraries(scops: dict[str, Scop], tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[ctypes.CDLL]]:
    """The file as it stands, the first one, and as it is emitted."""
    target, folder, text = host_target(), tmp_path_factory.mktemp("complex"), source()
    found: dict[str, list[ctypes.CDLL]] = {"": [built(folder / "0", text, COMPILERS[0], "-O2")]}
    for kind, tree, compilers in (("in_order", original_tree, COMPILERS[:1]), ("lanes", in_lanes, COMPILERS)):
        made = [Replacement(s, plan(lower(s, tree(s)), target, contract=False)) for s in scops.values()]
        emitted = emit_c_file(text, made)
        for compiler in compilers:
            found.setdefault(compiler, []).append(built(folder / f"{kind}{compiler}", emitted, compiler, "-O3"))
    for compiler in COMPILERS[1:]:
        found[compiler].append(built(folder / compiler, text, compiler, "-O2"))
    return found


@pytest.mark.parametrize("name", BODIES)
def test_everything_is_read(name: str, scops: dict[str, Scop]) -> None:
    assert name in scops
    assert not any(statement.opaque for statement in scops[name].statements)


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_all_compilers_agree(name: str, libraries: Mapping[str, list[ctypes.CDLL]]) -> None:
    ((_, (original,)), *others) = libraries.items()
    for seed, n in enumerate((1, 4, 13, 2, 9, 22)):
        results = []
        for library in (
            original,
            *(each for key, one in others if not (name in INTEGERS and key == OLD) for each in one),
        ):
            arrays = data(n, seed)
            getattr(library, f"drive_{name}")(n, *(ctypes.c_void_p(v.ctypes.data) for v in arrays))
            results.append(arrays)
        for arrays in results[1:]:
            for theirs, ours in zip(results[0], arrays, strict=True):
                same(
                    *(
                        v.view("f4")
                        if "float" in f"{BODIES[name]}{HELPERS if 'cell' in BODIES[name][0] else ''}"
                        else v
                        for v in (theirs, ours)
                    )
                )


@needs_gcc
@pytest.mark.parametrize("name", [name for name, (parameters, _) in BODIES.items() if parameters == PLAIN])
def test_the_interpreter_does_the_same(
    name: str, scops: dict[str, Scop], libraries: Mapping[str, list[ctypes.CDLL]]
) -> None:
    scop, n = scops[name], 5
    for seed in range(3):
        ours, theirs = data(n, seed), data(n, seed)
        getattr(libraries[""][0], f"drive_{name}")(n, *(ctypes.c_void_p(v.ctypes.data) for v in theirs))
        arrays = dict(zip("xyr", ours, strict=True))
        known = {array.name: arrays[array.name[0]] for array in scop.arrays if not array.local}
        run_scop(scop, {**dict.fromkeys(scop.parameters, n), **known})
        for one, other in zip(theirs, ours, strict=True):
            same(one, other)


@needs_gcc
@pytest.mark.parametrize("single", [False, True])
def test_products_are_those_of_c_for_all_kinds_of_numbers(single: bool, tmp_path: Path) -> None:
    type_, dtype, suffix = (F32, "f4", "f") if single else (F64, "f8", "")
    with np.errstate(over="ignore"):
        a, b, c, d = np.array(np.meshgrid(*[EVERY] * 4)).reshape(4, -1).astype(dtype)
    words = ("float complex", "float") if single else ("double complex", "double")
    text = """#include <complex.h>
    void products(int n, {0} *restrict x, const {0} *restrict y)
    {{
    #pragma scop
        for (int i = 0; i < n; i++) x[i] = x[i] * y[i];
    #pragma endscop
    }}
    """.format(*words)
    (scop,) = read_c("products.c", text=text)
    x, y = np.stack([a, b], axis=1).ravel(), np.stack([c, d], axis=1).ravel()
    expected, made = x.copy(), x.copy()
    library = built(tmp_path / "made", text, COMPILERS[0], "-O1")
    library.products(a.size, *(ctypes.c_void_p(each.ctypes.data) for each in (expected, y)))
    names = {array.name: {"x": made, "y": y}[array.name[0]] for array in scop.arrays if array.shape}
    polyloop.compile(scop, contract="off")(n=a.size, **names)
    same(expected, made)
    for k, name in enumerate((REAL_PRODUCT, IMAGINARY_PRODUCT)):
        product = c_function(name + suffix, type_, (type_,) * 4)
        same(expected[k::2], np.array([product(*each) for each in zip(a, b, c, d, strict=True)], dtype))


# name -> (the loops, what is said)
REFUSED = {
    "quotient": ("x[i] = x[i] / y[i];", "quotients of complex numbers differ"),
    "reciprocal": ("x[i] = 1 / y[i];", "divide by a real number instead"),
    "exponential": ("x[i] = cexp(y[i]);", "there is no cexp for loops"),
    "long double": ("long double complex t = x[i]; x[i] = t;", "compute in double or float"),
}


def refused(body: str, defines: tuple[str, ...] = ()) -> str:
    text = f"{HELPERS}void f({PLAIN})\n{{\n#pragma scop\n{loop(body)}\n#pragma endscop\n}}\n"
    file = read_source("refused.c", defines=defines, text=text)
    assert not file.scops
    (remark,) = file.diagnostics
    return remark.message


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_why(name: str) -> None:
    body, said = REFUSED[name]
    assert said in refused(body)


def test_what_depends_on_the_compiler() -> None:
    """clang 14 makes complex numbers of integers; other flags leave what infinities give to the four products."""
    assert "clang before 22 has rules of its own" in refused("x[i] = 2 * x[i];", ("__clang_major__=14",))
    text = f"{HELPERS}void f({PLAIN})\n{{\n#pragma scop\n{loop('x[i] = 2 * x[i] * y[i];')}\n#pragma endscop\n}}\n"
    for defines, plain in (((), False), (("__clang_major__=22",), False), (("__FAST_MATH__",), True)):
        (scop,) = read_source("rules.c", defines=defines, text=text).scops
        calls = [node for s in scop.statements for node in walk(s.value) if isinstance(node, Call)]
        assert (not calls) == plain
