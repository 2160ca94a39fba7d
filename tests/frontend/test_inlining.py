"""Calls of functions whose bodies are in the file: what they are read as, what is refused and why, and what is emitted.

Every function below is compiled by gcc as it stands and as polyloop emits it, runs in the interpreter and as a kernel.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import islpy as isl
import numpy as np
import pytest

import polyloop
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import Access
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import read_c, read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import make_data
from polyloop.scop.model import Scop
from tests.frontend.evaluation import run_scop

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

HELPERS = """
#include <math.h>
typedef double real;
struct grid { int nx; double *data; };
static const double table[4] = {0.5, 0.25, -0.5, 2};
static unsigned seed = 1;
static double number(void) { seed = seed * 1664525u + 1013904223u; return (seed >> 8) / 16777216.0; }
static unsigned next(void) { return (seed = 69069u * seed + 1u) >> 8; }
static int low(void) { return seed = seed * 1664525u + 1013904223u; }
static double square(double x) { return x * x; }
static inline real clamp(real x, const real lo, const real hi)
{
  if (x < lo)
    return lo;
  else if (x > hi) { return hi; }
  return x;
}
static int at(int i, int j, int n) { return i * n + j; }
static void row(double *to, const double *from, int n) { for (int k = 0; k < n; k++) to[k] += square(from[k]); }
static int limited(int v)
{
  if (v > 6) goto high;
  return v;
high:
  return 6;
}
static double dot(int n, const double *x, const double *y)
{
  double s = 0;
  int i;
summing:
  for (i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}
static int segment(short v) { for (int s = 0; s < 5; s++) if (v < (7 << s)) return s; return 9; }
static int found_at(const double *x, int n, double key)
{
  int k;
  for (k = 0; k < n; k++) {
    if (x[k] == key) return k;
    for (int l = 0; l < 3; l++)
      if (x[k + l] > 1.9) return -k;
    if (x[k] < -1.9) continue;
    if (x[k] > 1.5) break;
  }
  if (k == n) return n + 1;
  for (int l = 0; l < 2; l++)
    if (x[l] > 0) return n + 2 + l;
  return -1;
}
static void cleared(double *x, int n) { for (int k = 0; k < n; k++) { if (x[k] > 1) return; x[k] = 0; } }
static void swap(double *a, double *b) { double t = *a; *a = *b; *b = t; }
static float narrow(float x) { return x / 3; }
static unsigned char wrapped(unsigned char x) { return x + 250; }
static double length(const double v[3]) { double s = 0; for (int k = 0; k < 3; k++) s += v[k] * v[k]; return sqrt(s); }
static void sorted(double a, double b, double *lo, double *hi)
{
  if (a < b) { *lo = a; *hi = b; } else { *lo = b; *hi = a; }
}
static double chosen(double x, int k)
{
  double y = x + 1;
  if (k > 3) {
    y *= 2;
    return y;
  }
  return y - table[2];
}
static double twice(double x) { return chosen(square(x), 4) + chosen(x, 1); }
static void scale(double (*m)[5], double by) { for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++) m[i][j] *= by; }
static double traced(const double m[5][5]) { double s = 0; for (int i = 0; i < 5; i++) s += m[i][i]; return s; }
static double *behind(void *from, unsigned long bytes, int i) { return (double *)((char *)from + bytes * i); }
static double cell(const struct grid *g, int i, int j) { return g->data[i * g->nx + j]; }
static double block[16] = {1, 2, 3};
static struct grid whole = {16, block};
static double value(struct grid g, int i) { return g.data[i] * g.nx; }
static double with_first(struct grid g, int i) { double v = value(g, i); if (v > 4) v = 4; return v + value(g, 0); }
static void put(struct grid g, int i, double v) { if (i < 0 || i >= g.nx) return; g.data[i] = v; }
static double counted(double x, int times) { while (times > 0) { x += 1; times--; } return x; }
static void maybe(double *x, int k) { if (k == 2) return; *x += k; }
typedef struct { double re, im; } complex_t;
static complex_t times(complex_t a, complex_t b)
{
  complex_t c;
  c.re = a.re * b.re - a.im * b.im;
  c.im = a.re * b.im + a.im * b.re;
  return c;
}
static complex_t plus(complex_t a, complex_t b) { return (complex_t){a.re + b.re, a.im + b.im}; }
static complex_t conjugated(complex_t a) { a.im = -a.im; return a; }
typedef struct { complex_t c; double r, w[2]; } ball;
static ball balls[3];
static complex_t zero(void) { complex_t z = {0}; return z; }
static double norm(complex_t a) { return a.re * a.re + a.im * a.im; }
static complex_t unit(complex_t a) { complex_t r = {0, 1 / norm(a)}; return r.im < 1 ? times(a, r) : a; }
struct later; typedef struct later later_t, *later_p;
static void set_at(later_p g, int i, double v);
struct later { int nx; double *data; later_t *next; };
static int place(later_t g, int i) { return i + g.nx - 16; }
static struct { complex_t a, b; int id; } pairs[8];
static later_t known = {16, block, 0};
static later_p pointer = &known;
static void set_at(later_p g, int i, double v) { g->data[i] = v; }
static int saturated(int x, unsigned bits)
{
  if (bits >= 1U && bits <= 32U) {
    const int max = (int)((1U << (bits - 1U)) - 1U);
    const int min = -1 - max;
    if (x > max)
      return max;
    else if (x < min)
      return min;
  }
  return x;
}
enum kind { PLAIN, SQUARED, CUT, SHIFTED, NONE };
static double activated(double x, enum kind kind)
{
  switch (kind) {
  case PLAIN: return x;
  case CUT: if (x < 0) return 0; break;
  case NONE: case SQUARED: { double y = square(x); return y > 2 ? 2 : y; }
  default: x += 3;
  }
  return -x;
}
static double widened(double x, int k)
{
  static double first = 0.25;
  static const float factors[2][2] = {{1.5f, -2}, {0.1f}};
  static const int shifts[] = {3, 0, 5};
  double s = first;
  for (int i = 0; i < 3; i++)
    s += x * factors[k & 1][i & 1] - (k >> shifts[i]);
  return s;
}
static double old_style(k, x) double x; int k; { double s = x; if (k > 90) { s -= k; k -= 90; } return s + k; }
static int least(const int *x) { int s = x[0]; for (int i = 0; i < 3; i++) if (x[i] < s) s = x[i]; return s - 300; }
static int bits(unsigned x) { return x ? 32 - __builtin_clz(x) : 0; }
static int dice(int *s) { *s = (int)((unsigned)*s * 1103515245u + 12345u); return *s >> 4 & 7; }
static double between(double lo, double hi, int *s) { return lo + (hi - lo) * dice(s); }
static double turned(double x, int k) { switch (k % 3) { case 0: x = -x; break; case 1: x += 1; break; } return x; }
"""
SIGNATURE = "int n, double *restrict a, double *restrict b, int *restrict k"

# name -> (the loops, how many statements they are read as)
READ = {
    "squares": ("for (int i = 0; i < n; i++) a[i] = square(b[i]) + square(b[i + 1]);", 1),
    "once": ("for (int i = 0; i < n; i++) a[i] = square(b[i] - b[i + 1]);", 2),
    "choices": ("for (int i = 0; i < n; i++) a[i] = clamp(b[i], -1, 2);", 1),
    "nested": ("for (int i = 0; i < n; i++) a[i] = square(square(b[i]));", 2),
    "under_condition": ("for (int i = 0; i < n; i++) a[i] = i % 2 ? square(b[i] - 1) : b[i];", 1),
    "subscripts": ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[at(i, j, n)] += b[at(j, i, n)];", 1),
    "bounds": ("for (int i = at(1, 0, 2); i < at(1, n, 0); i++) a[i] = i;", 1),
    "rows": ("for (int i = 0; i < n; i++) row(&a[i * n], b + i, n);", 1),
    "dots": ("for (int i = 0; i < n; i++) a[i] = dot(n, &b[i * n], b);", 3),
    "dots_inside": ("for (int i = 0; i < n; i++) a[i] = 1 + 2 * dot(i, b, b);", 4),
    "swaps": ("for (int i = 0; i < n; i++) swap(&a[i], &a[2 * n - i]);", 3),
    "narrowing": ("for (int i = 0; i < n; i++) a[i] = narrow(b[i]) * 2;", 1),
    "wrapping": ("for (int i = 0; i < n; i++) k[i] = wrapped(k[i]);", 1),
    "vectors": ("for (int i = 0; i < n; i++) { const double r = length(&b[3 * i]); a[i] = r; }", 4),
    "results": ("for (int i = 0; i < n; i++) { double lo, hi; sorted(b[i], a[i], &lo, &hi); a[i] = hi - lo; }", 5),
    "paths": ("for (int i = 0; i < n; i++) a[i] = chosen(b[i], i);", 5),
    "deep": ("for (int i = 0; i < n; i++) a[i] = twice(b[i]);", 11),
    "locals": ("double m[5][5]; for (int i = 0; i < n; i++) { for (int j = 0; j < 5; j++) for (int l = 0; l < 5; l++) "
               "m[j][l] = b[j + l]; scale(m, 0.5); a[i] = m[i % 5][0]; }", 3),
    "casts_to_constants": ("double m[5][5]; for (int i = 0; i < n; i++) { for (int j = 0; j < 5; j++) "
                           "for (int l = 0; l < 5; l++) m[j][l] = b[j + l] * i; "
                           "a[i] = traced((const double (*)[5])m) + dot(2, (const double *)b + i, (double *)b); }", 8),
    "of_anything": ("for (int i = 0; i < n; i++) { double *to = behind(a, 8, i); *to = behind(b, 16, i)[1]; }", 1),
    "in_condition": ("for (int i = 0; i < n; i++) if (dot(2, b + i, b) > 1) a[i] = 0;", 4),
    "accumulating": ("for (int i = 0; i < n; i++) a[0] += dot(2, b + i, b);", 3),
    "counting": ("for (int i = 0; i < n; i++) a[i] = counted(b[i], 3);", 3),
    "early": ("for (int i = 0; i < n; i++) maybe(&a[i], i);", 1),
    "ignored": ("for (int i = 0; i < n; i++) { dot(n, a, b); square(b[i]); a[i] = 1; }", 4),
    "same_names": ("double s = 2; for (int i = 0; i < n; i++) { double t = s; a[i] = t * dot(2, b, b + i); s += t; }",
                   7),
    "switches": ("for (int i = 0; i < n; i++) a[i] = turned(b[i], i);", 4),
    "structures": ("for (int i = 0; i < n; i++) { put(whole, i, value(whole, 15) + b[i]); "
                   "a[i] = with_first(whole, i % 16); }", 5),
    "chosen_calls": ("for (int i = 0; i < n; i++) { double r = b[i] > 0 ? length(b + i) : i; "
                     "a[i] = i % 3 == 1 ? r : i % 2 ? dot(2, b, b + i) : b[i]; }", 8),
    "parts": ("for (int i = 0; i < 8; i++) { pairs[i].b.re = b[i]; swap(&pairs[i].a.im, &pairs[i].b.re); "
              "a[i] = pairs[i].a.im; }", 5),
    "defined_later": ("for (int i = 0; i < 16; i++) known.data[place(known, i)] = b[i];", 1),
    "declared_before": ("for (int i = 0; i < 16; i++) set_at(pointer, i, b[i]);", 2),
    "complex_choices": ("for (int i = 0; i < n; i++) c[i] = unit(c[i]);", 12),
    "complex": ("for (int i = 0; i < n; i++) "
                "c[i] = plus(times(c[i], d[i]), conjugated(d[i + 1]));", 17),
    "complex_over": ("for (int i = 0; i < n; i++) c[i] = times(c[i], c[2 * i % 5]);", 8),
    "complex_sums": ("for (int i = 0; i < n; i++) { complex_t s = zero(); "
                     "for (int j = 0; j < n; j++) s = plus(s, times(d[j], d[i + j])); c[i] = s; c[n + i].im = "
                     "norm(times(s, conjugated(s))); }", 34),
    "complex_power": ("complex_t p = zero(); p.re = 1; for (int i = 0; i < n; i++) "
                      "{ c[i] = p; p = times(p, d[1]); }", 15),
    "moving": ("const double *p = b; double *q = a; for (int i = 0; i < n; i++) *q++ = length(p++) - 1;", 4),
    "moving_twice": ("const double *p = b, *q = b + n; int *r = k; for (int i = 0; i < n; i++) "
                     "*r++ = saturated((int)(60 * *p++) + (int)(90 * *q++), 8) << 1;", 4),
    "moving_before": ("int m = 0, l = n; for (int i = 0; i < n; i++) { double t = square(b[++m]); "
                      "swap(&a[l--], &a[m + n + 2]); a[m] += t; }", 5),
    "some_paths": ("for (int i = 0; i < n; i++) k[i] = saturated(k[i] - 120, i % 2 ? 6 : 0);", 3),
    "switch_returns": ("for (int i = 0; i < n; i++) a[i] = activated(b[i], n % 5 == 2 ? CUT : (enum kind)(i % 6));", 7),
    "switch_of_a_parameter": ("for (int i = 0; i < n; i++) a[i] *= activated(b[i], n);", 7),
    "statics": ("for (int i = 0; i < n; i++) a[i] = widened(b[i], k[i]) - widened(b[i + 1], i);", 17),
    "before_prototypes": ("for (int i = 0; i < n; i++) a[i] = old_style(k[i], b[i]);", 6),
    "chosen_inside": ("for (int i = 0; i < n; i++) a[i] -= 2.5 + 3 * (k[i] > 40 ? least(k + i) : 2u - i);", 4),
    "chosen_type": ("for (int i = 0; i < n; i++) a[i] = k[i] > 40 ? least(k + i) : 2u;", 4),
    "chosen_converted": ("for (int i = 0; i < n; i++) { int h = (short)(b[i] > 0 ? length(b + i) : i) + bits(k[i]); "
                         "k[i] = h << bits(i); }", 25),
    "chosen_in_both": ("for (int i = 0; i < n; i++) a[i] = length(b + i) > b[i] ? length(b + i) - 1 : b[i];", 7),
    "jumps": ("for (int i = 0; i < n; i++) k[i] = limited(k[i] + 3) * 2;", 3),
    "returns_in_a_loop": ("for (int i = 0; i < n; i++) k[i] = 2 * segment(k[i]) + 1;", 9),
    "returns_in_loops": ("for (int i = 0; i < n; i++) k[i] = found_at(a + i, n, b[i]);", 27),
    "returns_nothing": ("for (int i = 0; i < n; i++) cleared(a + i * n, n);", 4),
    "drawn": ("int s = n; for (int i = 0; i < n; i++) a[i] = 0.5 * dice(&s) - sqrt(i);", 4),
    "drawn_sums": ("double t = 0; for (int i = 0; i < n; i++) { t += dice(k); a[i] = t; }", 4),
    "drawn_between": ("for (int i = 0; i < n; i++) { double x = 1 - between(i, n, k); if (dice(k) > i) a[i] = x; }", 7),
    "drawn_beside_memory": ("for (int i = 0; i < n; i++) a[k[i] % 4] = number() * b[k[i] % 8] - square(a[i]);", 3),
    "drawn_into_memory": ("for (int i = 0; i < n; i++) { a[k[i] % 4] += number(); b[k[i] % 4] = number(); }", 4),
    "drawn_where_returned": ("for (int i = 0; i < n; i++) { a[i] = 0.5 * next(); k[i] = low() >> 3; }", 6),
    "drawn_at_times": ("for (int i = 0; i < n; i++) k[i] = 2 * (b[i] > 0 && number() < 0.5) + i;", 3),
    "drawn_otherwise": ("for (int i = 0; i < n; i++) { int t = b[i] > 0 || number() < b[k[i] % 8]; a[i] = t; }", 4),
    "drawn_for_a_condition": ("for (int i = 0; i < n; i++) if (b[i] > 0 && number() < b[k[i] % 8]) a[i] = i;", 3),
    "written_where_passed": ("for (int i = 0; i < n; i++) a[i] = norm((complex_t){b[i], i}) + "
                             "norm(plus((complex_t){1, b[i]}, (complex_t){.im = 2}));", 11),
    "lists_of_lists": ("for (int i = 0; i < 3; i++) balls[i] = (ball){{i, b[i]}, a[i], {0.5}};\n"
                       "for (int i = 0; i < n; i++) { ball t = {balls[i % 3].c, .w = {i, balls[i % 3].r}}; "
                       "a[i] = t.c.im + t.r - t.w[1] + balls[i % 3].w[1]; }", 16),
    "shared": ("double t = 3; for (int i = 0; i < n; i++) { t += 1; double x = square(t); a[i] = x + t; }", 4),
}  # fmt: skip
SIZES = (0, 1, 2, 7, 33)
PAIRS = "complex_t *restrict c = (void *)a, *restrict d = (void *)b; (void)d;\n"


def source() -> str:
    parts = [HELPERS]
    for name, (region, _) in READ.items():
        before = PAIRS if "c[i" in region else ""
        lines = (
            f"void {name}({SIGNATURE})\n{{",
            f"{before}(void)k;",
            "#pragma scop",
            f"  {region}",
            "#pragma endscop\n}\n",
        )
        parts.append("\n".join(lines))
    return "\n".join(parts)


@pytest.fixture(scope="module")
def scops() -> dict[str, Scop]:
    return {scop.name: scop for scop in read_c("calls.c", text=source())}


def test_all_are_read(scops: dict[str, Scop]) -> None:
    assert {name: len(scop.statements) for name, scop in scops.items()} == {n: c for n, (_, c) in READ.items()}


@pytest.fixture(scope="module")
def libraries(scops: dict[str, Scop], tmp_path_factory: pytest.TempPathFactory) -> list[ctypes.CDLL]:
    """The file as it is, and as it is emitted."""
    folder: Path = tmp_path_factory.mktemp("calls")
    nests = [(scop, lower(scop, original_tree(scop))) for scop in scops.values()]
    planned = [Replacement(scop, plan(nest, host_target(), contract=False)) for scop, nest in nests]
    loaded = []
    for name, text in (("original", source()), ("emitted", emit_c_file(source(), planned, uncontracted=True))):
        (folder / f"{name}.c").write_text(text)
        unused = ["-Wno-unused-function", "-Wno-unused-label"]
        flags = ["-O1", "-march=native", "-Wall", *unused, "-Werror", "-ffp-contract=off"]
        command = ["gcc", *flags, "-Wno-unknown-pragmas", "-shared", "-fPIC", f"{name}.c", "-o", f"{name}.so", "-lm"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        loaded.append(ctypes.CDLL(str(folder / f"{name}.so")))
    return loaded


@needs_gcc
@pytest.mark.parametrize("name", READ)
def test_emitted_code_does_what_the_original_does(name: str, libraries: list[ctypes.CDLL]) -> None:
    for n in SIZES:
        results = []
        for library in libraries:
            rng = np.random.default_rng(n)
            a, b = rng.uniform(-2, 2, (2, n * n + 8 * n + 8))
            k = rng.integers(0, 250, n + 8, dtype=np.int32)
            getattr(library, name)(n, *(ctypes.c_void_p(v.ctypes.data) for v in (a, b, k)))
            results.append((a, b, k))
        for theirs, ours in zip(*results, strict=True):
            np.testing.assert_array_equal(theirs.view("i4"), ours.view("i4"), err_msg=f"n = {n}")


@needs_gcc
@pytest.mark.parametrize(
    "name", ["subscripts", "rows", "dots_inside", "results", "counting", "in_condition", "same_names"]
)
def test_interpreter_and_kernel_do_the_same(name: str, scops: dict[str, Scop], libraries: list[ctypes.CDLL]) -> None:
    scop = scops[name]
    sizes = dict.fromkeys(scop.parameters, 7)
    data = [make_data(scop, sizes) for _ in range(3)]
    run_scop(scop, {**sizes, **data[0]})
    polyloop.compile(scop, contract="off")(**sizes, **data[1])
    padded = {key: np.zeros(200, dtype="i4" if key == "k" else "f8") for key in "abk"}
    for key in padded:
        if key in data[2]:
            padded[key][: data[2][key].size] = data[2][key].ravel()
    getattr(libraries[0], name)(7, *(ctypes.c_void_p(v.ctypes.data) for v in padded.values()))
    for key, values in data[0].items():
        np.testing.assert_array_equal(values, data[1][key])
        if key in padded:
            np.testing.assert_array_equal(values.ravel(), padded[key][: values.size])


def test_static_variables_hide_none_of_the_caller() -> None:
    text = """static double g(double x) { static double half = 0.5; if (x > 2) x *= half; return x * half; }
    double f(int n, double *x, double half) { for (int i = 0; i < n; i++) x[i] = g(x[i]); return half; }"""
    (scop,) = read_source("x.c", text=text, auto=True).scops
    assert {array.name for array in scop.arrays} >= {"x", "g_half"}


def test_arrays_are_those_of_the_caller(scops: dict[str, Scop]) -> None:
    """Rows and elements' addresses become subscripts, small functions of integers bounds and subscripts."""
    n, i, j, k = (affine(name) for name in "nijk")
    rows = scops["rows"].statements[0]
    assert (rows.iterators, rows.target) == (("i", "k"), Access("a", (i, k)))
    assert set(rows.reads) == {Access("a", (i, k)), Access("b", (i + k,))}
    (subscripts,) = scops["subscripts"].statements
    assert subscripts.target == Access("a", (i, j))
    assert Access("b", (j, i)) in subscripts.reads
    (bounds,) = scops["bounds"].statements
    assert bounds.domain.is_equal(isl.Set("[n] -> { S0[i] : 2 <= i < n }"))
    assert n in scops["rows"].array("a").shape
    locals_ = {array.name for array in scops["results"].arrays if array.local}
    assert locals_ == {"lo", "hi", "a_2", "b_2"}


def loop(body: str) -> str:
    return f"for (int i = 0; i < n; i++) {{ {body} }}"


# name -> (functions, the loops, the end of what is said of the call, and where it points: line and text)
REFUSED = {
    "not here": ("double g(double);", loop("a[i] = g(a[i]);"),
                 "the call of g may have side effects; define g in this file, so that its body can take the call's "
                 "place, or move the call out of the loops; if its value depends on its arguments alone, declare it "
                 "__attribute__((const)) and give --allow-calls, as optimizing runs it"),
    "printf": ("#include <stdio.h>", loop('printf("%d", i);'),
               "the call of printf writes output; move it out of the loops"),
    "free": ("#include <stdlib.h>", loop("free(a);"),
               "the call of free is about whole blocks of memory; move it out of the loops"),
    "directives": ("static void g(double *x) {\n#pragma omp parallel for\nfor (int i = 0; i < 4; i++) x[i] = i;\n}",
                   loop("g(a);"),
                   "the call of g cannot be replaced by its body: it has directives (#pragma omp) of its own"),
    "a library's name, with directives": (
        "static double fabs(double x) {\n#pragma omp parallel for\nfor (int i = 0; i < 4; i++) x += i;\nreturn x;\n}",
        loop("a[i] = fabs(a[i]);"),
        "the call of fabs cannot be replaced by its body: it has directives (#pragma omp) of its own"),
    "recursion": ("static double g(double x) { return x > 1 ? g(x / 2) : x; }", loop("a[i] = g(a[i]);"),
                  "the call of g cannot be replaced by its body: it calls itself"),
    "static": ("static double g(void) { static double s = 0; s += 1; return s; }", loop("a[i] = g();"),
               "the call of g cannot be replaced by its body: it has a variable that is static, and may change"),
    "static hides": ("static double table[4];\n"
                     "static double g(int i) { { static double table = 1; i += table; } return table[i & 3]; }",
                     loop("a[i] = g(i);"),
                     "the call of g cannot be replaced by its body: it has a variable that is static, and may change"),
    "static's address": ("static double g(int i) { static double s[2]; double *p = s; p[i] += 1; return p[0]; }",
                         loop("a[i] = g(1);"),
                         "the call of g cannot be replaced by its body: it has a variable that is static, and may "
                         "change"),
    "return in a switch in a loop": ("static int g(int n) { for (int i = 0; i < n; i++) switch (i * n) { case 1: "
                         "return i; case 2: n++; } return 0; }", loop("a[i] = g(i);"),
                         "the call of g cannot be replaced by its body: it returns from inside of a loop or a switch"),
    "goto": ("static int g(int n) { if (n) goto in; if (n > 1) { n = 2; in: n++; } return n; }", loop("a[i] = g(i);"),
             "the call of g cannot be replaced by its body: it has a label that it jumps to"),
    "any number of arguments": ("static double g(int n, ...) { return n; }", loop("a[i] = g(1, 2.0);"),
                                "the call of g cannot be replaced by its body: it takes any number of arguments"),
    "side effects": ("static double g(double x) { return x; }", loop("a[i] = g(b[i]++);"),
                     "the call of g cannot be replaced by its body: an argument has side effects; compute it before"),
    "a store among operands": ("static double g(double *x) { *x += 1; return *x; }", loop("a[i] = b[i] + g(b);"),
                               "the call of g cannot be replaced by its body: it stores to memory, and the rest of "
                               "the expression is in no order with that"),
    "two stores among operands": ("static int g(int *x) { *x += 1; return *x; }", loop("k[i + 1] = g(k) - g(k);"),
                                  "the call of g cannot be replaced by its body: it stores to memory, and the rest of "
                                  "the expression is in no order with that"),
    "a store to an operand": ("static int g(int *x) { *x += 1; return *x; }",
                              "int s = 0;" + loop("k[i] = s - g(&s);"),
                              "the call of g cannot be replaced by its body: it stores to memory, and the rest of the "
                              "expression is in no order with that"),
    "a number beside what changes it": (
        "static unsigned s;\nstatic unsigned g(void) { s = 3 * s + 1; return s; }", loop("a[i] = s - g();"),
        "the call of g cannot be replaced by its body: it stores to memory, and the rest of the expression is in no "
        "order with that"),
    "a number beside what reads it elsewhere": (
        "static unsigned s;\nstatic unsigned g(void) { s = 3 * s + 1; return s; }\n"
        "static unsigned h(int i) { unsigned t = s; t += i; return t; }", loop("a[i] = h(i) - g();"),
        "the call of g cannot be replaced by its body: it stores to memory, and the rest of the expression is in no "
        "order with that"),
    "a number that pointers lead to": (
        "static int s;\nstatic int *there(void) { return &s; }\nstatic int g(void) { s = 3 * s + 1; return s; }",
        loop("a[i] = k[i] - g();"),
        "the call of g cannot be replaced by its body: it stores to memory, and the rest of the expression is in no "
        "order with that"),
    "a number that subscripts say": (
        "static unsigned s;\nstatic unsigned g(void) { s = (3 * s + 1) % 4; return s; }", loop("a[s] = g();"),
        "the call of g cannot be replaced by its body: it stores to memory, and what it is assigned to is in no order "
        "with that"),
    "a store and a sum": ("static double g(double *x) { *x += 1; return *x; }", loop("a[i] += g(b);"),
                          "the call of g cannot be replaced by its body: it stores to memory, and what it is "
                          "assigned to is in no order with that"),
    "a store and a subscript": ("static double g(int *x) { *x += 1; return *x; }", loop("a[k[i]] = g(k);"),
                                "the call of g cannot be replaced by its body: it stores to memory, and what it is "
                                "assigned to is in no order with that"),
    "under a condition": ("static double g(const double *x) { double s = 0; for (int i = 0; i < 3; i++) s += x[i]; "
                          "return s; }", loop("a[i < 3 && g(b) > 2] = i;"),
                          "the call of g cannot be replaced by its body: it does more than compute one expression, and "
                          "what it stands in is not always done"),
    "no prototype": ("static double g(x) double x; { return x / 2; }", loop("a[i] = g(i);"),
                     "the call of g cannot be replaced by its body: without a prototype nothing converts an argument "
                     "of another type than its parameter's"),
    "another type": ("static void g(float *x) { x[0] = 1; }", loop("g((float *)a);"),
                     "the call of g cannot be replaced by its body: an argument is no array, nor an element's address"),
    "rows of another length": ("static void g(double (*x)[4]) { x[0][1] = 1; }", "double t[3][5];" + loop("g(t);"),
                               "the call of g cannot be replaced by its body: an argument points to another type than "
                               "the parameter"),
    "a name that is hidden": ("static double c[3];\nstatic double g(int i) { return c[i]; }",
                              "double c[9];" + loop("a[i] = g(1) + c[i];"),
                              "the call of g cannot be replaced by its body: its c is not what c is at the call"),
    "a copy that is stored over": ("struct s { double n; double *p; };\nstatic struct s w;\n"
                                   "static void g(struct s v) { v.p[0] = 1; v.p[1] = v.n; }", loop("g(w);"),
                                   "the call of g cannot be replaced by its body: its parameter v is changed, or what "
                                   "is passed for it"),
    "a copy that changes": ("struct s { int n; double *p; };\nstatic struct s w;\n"
                            "static double g(struct s v) { v.n += 2; return v.p[v.n]; }", loop("a[i] = g(w);"),
                            "the call of g cannot be replaced by its body: it changes a structure that it has a copy "
                            "of, or takes its address"),
    "address": ("static double g(double x) { double *y = &x; return *y; }", loop("a[i] = g(b[i]);"),
                "the call of g cannot be replaced by its body: it uses & on its parameter x"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    before, body, message = REFUSED[name]
    declared, _, loops = body.rpartition(";for") if not body.startswith("for") else ("", "", body)
    loops = f"for{loops}" if declared else loops
    text = f"{before}\nvoid f({SIGNATURE})\n{{\n{declared};\n#pragma scop\n{loops}\n#pragma endscop\n}}\n"
    file = read_source("x.c", text=text)
    assert file.scops == ()
    (remark,) = file.diagnostics
    assert (remark.code, remark.message) == ("call", f"region of f left as it is: {message}")


def test_bodies_that_stand_behind_the_call() -> None:
    """They take its place, too, as long as all that they name is known before it."""
    region = f"#pragma scop\n{loop('a[i] = g(b[i]);')}\n#pragma endscop\n"
    text = f"static double g(double x);\nvoid f({SIGNATURE}) {{\n{region}}}\n"
    (scop,) = read_c("x.c", text=text + "static double g(double x) { return x + 1; }\n")
    assert len(scop.statements) == 1
    others = "static double h(double x) { x *= x; return x; }\nstatic double g(double x) { return h(x) + h(1); }\n"
    (scop,) = read_c("x.c", text=text + others)
    emitted = emit_c_file(text + others, [Replacement(scop, plan(lower(scop, original_tree(scop)), host_target()))])
    assert "h(" not in emitted.partition("#pragma scop")[0]
    for before, body in (("static const double c[2] = {1, 2};", "x * c[1]"), ("typedef double real;", "(real)x")):
        later = f"{before}\nstatic double g(double x) {{ return {body}; }}\n"
        (remark,) = read_source("x.c", text=text + later).diagnostics
        assert remark.message.endswith("is not declared before the call")


def test_of_calls_inside_of_calls_the_inner_one_says_why() -> None:
    before = "static double g(double x) { return x + 1; }\n"
    before += "static double h(double x) { static int k; return x * k++; }\n"
    text = f"{before}\nvoid f({SIGNATURE}) {{\n{loop('a[i] = g(g(h(b[i])));')}\n}}\n"
    (remark,) = read_source("x.c", text=text, auto=True).diagnostics
    assert "the call of h cannot be replaced by its body: " in remark.message


def test_what_is_named_for_the_compiler_alone_is_not_used() -> None:
    text = """static int second(const int *left, const int *right) { (void)left; return right[1]; }
void f(int n, const int *in, int *out)
{
    for (int i = 0; i < n; i++) { (void)in; out[i] += second(&out[i - 1], in + i); }
}
"""
    (scop,) = read_source("x.c", text=text, auto=True).scops
    assert [str(access) for access in scop.statements[0].reads] == ["out[i]", "in[i + 1]"]
