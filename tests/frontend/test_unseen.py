"""What files of unknown projects are full of: headers that are not there, types by other names, macros in odd places.

Every file is compiled by gcc as it stands and as polyloop emits it, and leaves the same in memory.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import CFile, read_source
from polyloop.frontend.stub_headers import named_type
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from tests.frontend.emission import compiled, needs_gcc

BYTES = 1 << 16


def read(text: str, *names: str) -> CFile:
    """The file, in which these functions are read and no loops stay."""
    file = read_source("unseen.c", text=text, auto=True)
    assert [scop.name for scop in file.scops] == list(names)
    assert not [d for d in file.diagnostics if d.code not in ("unknown-type", "no-include")]
    return file


def emitted(file: CFile) -> str:
    target = host_target()
    made = [Replacement(scop, plan(lower(scop, original_tree(scop)), target)) for scop in file.scops]
    text = emit_c_file(file.text, made, expanded=file.expanded)
    assert text != file.text
    return text


def compare(file: CFile, folder: Path, drivers: str, sizes: tuple[int, ...] = (0, 1, 2, 7, 40)) -> set[str]:
    """Both files with drivers, functions called `drive...` of a size and of memory, which is the same before.

    Returns:
        the drivers of which original loops run at the last size.
    """
    ours = re.sub(r"(  \} else \{|  if \(!\(.*\)\) \{)\n(?=  \w)", r"\1 fell_back = 1;\n", emitted(file))
    texts = (f"static int fell_back;\n{text}\n{drivers}" for text in (file.text, ours))
    asked = "int original(void) { int was = fell_back; fell_back = 0; return was; }\n"
    libraries = [compiled(folder / f"{k}.c", f"{text}\n{asked}") for k, text in enumerate(texts)]
    slow: set[str] = set()
    for name in (word.split("(")[0] for word in drivers.split() if word.startswith("drive")):
        for n in sizes:
            left = []
            libraries[1].original()
            for library in libraries:
                memory = np.random.default_rng(n).integers(0, 200, BYTES, dtype=np.uint8)
                getattr(library, name)(n, ctypes.c_void_p(memory.ctypes.data))
                left.append(memory)
            np.testing.assert_array_equal(left[0], left[1], err_msg=f"{name} at n = {n}")
        slow |= {name} if libraries[1].original() else set()
    return slow


# --- Types ------------------------------------------------------------------------------------------------------------

TYPES = """
typedef struct { u8 *data; int n; } image;
void mix(spx_int16_t *a, const spx_uint32_t *b, spx_int32_t n)
{
  spx_int32_t i;
  for (i = 0; i < n; i++)
    a[i] = (spx_int16_t)(a[i] * 2 + b[i]);
}
void tint(image *im, u8 c)
{
  int i;
  bool odd = c & 1;
  for (i = 0; i < im->n; i++)
    im->data[i] = odd ? 255 - im->data[i] : (u8)im->data[i] + c;
}
"""
OF_TYPES = """
void drive_mix(int n, char *x) { mix((spx_int16_t *)x, (spx_uint32_t *)(x + 1024), n); }
void drive_tint(int n, char *x) { image im = {(u8 *)x, n}; tint(&im, n); }
"""


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        *(("u8", "unsigned char"), ("s16", "signed short"), ("i32", "signed int"), ("f64", "double")),
        *(("u64", "unsigned long"), ("spx_uint32_t", "unsigned int"), ("my_int8", "signed char")),
        *(("gint16", "signed short"), ("guint16", "unsigned short"), ("float32_t", "float"), ("bool", "_Bool")),
        *(("uint", "unsigned int"), ("ulong", "unsigned long")),
        *(("real", None), ("i33", None), ("f16", None), ("word32", None), ("point32", None), ("mint", None)),
    ],
)  # fmt: skip
def test_some_names_say_what_type_they_are_of(name: str, type_: str | None) -> None:
    assert named_type(name) == type_


@needs_gcc
@pytest.mark.parametrize("fits", [True, False])
def test_types_without_their_headers_are_what_their_names_say(tmp_path: Path, fits: bool) -> None:
    """Where they are not, the original loops run."""
    file = read(f'#include "not_there.h"\n{TYPES}', "mix", "tint")
    assert {d.code for d in file.diagnostics} == {"unknown-type", "no-include"}
    tests = (
        "sizeof(spx_int16_t) == sizeof(signed short)",
        "__builtin_types_compatible_p(spx_int16_t, signed short)",
        "__builtin_types_compatible_p(u8, char)",
    )
    assert all(test in emitted(file) for test in tests)
    short, byte = ("short", "unsigned char") if fits else ("unsigned short", "signed char")
    header = (
        "#include <stdbool.h>\ntypedef int spx_int32_t; typedef unsigned spx_uint32_t;\n"
        f"typedef {short} spx_int16_t; typedef {byte} u8;\n"
    )
    (tmp_path / "not_there.h").write_text(header)
    assert compare(file, tmp_path, OF_TYPES) == (set() if fits else {"drive_mix", "drive_tint"})


@needs_gcc
def test_a_structure_with_the_name_of_an_integer_compiles(tmp_path: Path) -> None:
    loop = "  for (int i = 0; i < n; i++)\n    a[n - 1 - i] = b[i];\n"
    text = f"void turn(x_int32 *a, const x_int32 *b, int n)\n{{\n{loop}}}\n"
    file = read(f'#include "not_there.h"\n{text}', "turn")
    (tmp_path / "not_there.h").write_text("typedef struct { int v[2]; } x_int32;\n")
    drive = "void drive_turn(int n, char *x) { turn((x_int32 *)x, (x_int32 *)(x + 1024), n); }\n"
    assert compare(file, tmp_path, drive) == {"drive_turn"}


TRUTHS = """
#include "not_there.h"
static int is_large(int x) { return x > 40 ? true : false; }
void large(bool *found, int *count, const signed char *x, int n)
{
  bool all = true;
  int i;
  for (i = 0; i < n; i++) {
    found[i] = is_large(x[i]);
    if (x[i] < 0)
      all = false;
    count[i] = all + true;
  }
}
"""
OF_TRUTHS = """
void drive_large(int n, signed char *x) { large((bool *)(x + 1000), (int *)(x + 2000), x, n); }
"""


@needs_gcc
@pytest.mark.parametrize("fits", [True, False])
def test_true_and_false_without_their_header_are_what_they_mostly_are(tmp_path: Path, fits: bool) -> None:
    file = read(TRUTHS, "large")
    assert {d.code for d in file.diagnostics} == {"unknown-type", "no-include"}
    header = "#include <stdbool.h>\n" if fits else "typedef _Bool bool;\nenum { true = -1, false = 0 };\n"
    (tmp_path / "not_there.h").write_text(header)
    assert compare(file, tmp_path, OF_TRUTHS) == (set() if fits else {"drive_large"})


@pytest.mark.parametrize("words", ["enum { false, true };", "enum { true = 77, false = 55 };", "#include <stdbool.h>"])
def test_true_and_false_are_what_the_file_says(words: str) -> None:
    loop = "  for (int i = 0; i < n; i++)\n    x[i] = i % 2 == 0 ? true : false;\n"
    file = read(f"{words}\nvoid f(int *x, int n)\n{{\n{loop}}}\n", "f")
    assert file.scops[0].source is not None
    assert not file.scops[0].source.tests
    assert ("value=77" in str(file.scops[0].statements[0].value)) == ("77" in words)


JUMPS = """
#include <setjmp.h>
struct state { jmp_buf back; double *x; int n; };
void doubled(struct state *s)
{
  for (int i = 0; i < s->n; i++)
    s->x[i] *= 2;
}
"""


@needs_gcc
def test_places_to_jump_back_to_have_a_type(tmp_path: Path) -> None:
    file = read(JUMPS, "doubled")
    assert not file.diagnostics
    drive = (
        "void drive_doubled(int n, double *x)\n{\n  static struct state s;\n  s.x = x, s.n = n;\n  doubled(&s);\n}\n"
    )
    assert not compare(file, tmp_path, drive)


# --- Macros -----------------------------------------------------------------------------------------------------------

CASES = """
void grey(unsigned char *to, const unsigned char *from, int n, int k)
{
  int i;
#define COMBO(a, b) ((a)*8+(b))
#define CASE(a, b) case COMBO(a, b): for (i = n - 1; i >= 0; --i, from += a, to += b)
  switch (k) {
    CASE(1, 2) { to[0] = from[0]; to[1] = 255; } break;
    CASE(2, 1) { to[0] = from[0]; } break;
  }
#undef CASE
}
void grey16(unsigned short *to, const unsigned short *from, int n, int k)
{
  int i;
#define CASE(a, b) case COMBO(a, b):   for (i = n - 1; i >= 0; --i, from += a, to += b)
  switch (k) {
    CASE(1, 2) { to[0] = from[0]; to[1] = 0xffff; } break;
  }
#undef CASE
}
"""
OF_CASES = """
void drive_grey(int n, unsigned char *x) { grey(x, x + 1000, n, 10); grey(x + 2000, x + 3000, n, 17); }
void drive_grey16(int n, unsigned short *x) { grey16(x, x + 1000, n, 10); }
"""


@needs_gcc
def test_a_macro_may_be_defined_twice_as_the_same(tmp_path: Path) -> None:
    assert not compare(read(CASES, "grey", "grey_2", "grey16"), tmp_path, OF_CASES)
    other = CASES.replace(":   for (i = n - 1; i >= 0; --i", ": for (i = 0; i < n; i++")
    assert {d.code for d in read_source("unseen.c", text=other, auto=True).diagnostics} == {"macro"}


# --- Calls ------------------------------------------------------------------------------------------------------------

CALLS = """
static inline float inner(const float *x, const float *y, int len)
{
  float sum = 0;
  len >>= 1;
  while (len--) {
    float part = 0;
    part = part + *x++ * *y++;
    part = part + *x++ * *y++;
    sum = sum + part;
  }
  return sum;
}
void totals(const float *x, float *e, int n, int k)
{
  int c;
  float s = 0;
  for (c = 0; c < k; c++) {
    s += inner(x + c * n, x + c * n, n);
    e[c] = s;
  }
}
"""
OF_CALLS = """
void drive_totals(int n, unsigned char *x)
{
  float *f = (float *)x;
  for (int k = 0; k < 4000; k++) f[k] = x[15999 - k];
  totals(f, f + 4000, n, 30);
}
"""


@needs_gcc
def test_functions_that_move_pointers_of_their_own_store_nothing(tmp_path: Path) -> None:
    assert not compare(read(CALLS, "inner", "totals"), tmp_path, OF_CALLS)


# --- Loops ------------------------------------------------------------------------------------------------------------

STEPS = """
double down(const double *x, int i, int step)
{
  double s = 0;
  while (i >= 0) { s += x[i]; i -= step; }
  return s;
}
double beside(const double *x, int i, int step, int *left)
{
  double s = 0;
  int d = 0;
  while (i > 2) { s += x[d]; i -= step; d = d + 1; }
  *left = i;
  return s + d;
}
double once(const double *x, int i, int step, int *left)
{
  double s = 0;
  int d = 0;
  do { s += x[d]; i -= step; d = d + 1; } while (i > 0);
  *left = i;
  return s + d;
}
double upwards(const double *x, int i, int n, int step, int *left)
{
  double s = 0;
  int d = 0;
  do { s += x[d]; i += step; d = d + 1; } while (i <= n);
  *left = i;
  return s + d;
}
void filter(double *restrict y, const double *restrict x, const double *restrict c, int n, int first, int step)
{
  int i, d, q, k;
  for (i = 0; i < n; i++) {
    double s = 0;
    q = first;
    d = i;
    while (q >= 0) { k = q >> 1; s += c[k] * (q * 0.5) * x[d]; q -= step; d = d + 1; }
    y[i] = s;
  }
}
int merged(double *x, const int *b, int n, int m)
{
  int i = 0, j = 0;
  while (!(i >= n || j >= m)) { x[i] = j; j += b[i]; i++; }
  return i + j;
}
"""
OF_STEPS = """
static void small(double *to, const unsigned char *x, int n) { for (int k = 0; k < n; k++) to[k] = x[k] % 16; }
#define DRIVE(call) { double v[200]; int left = 7; small(v, x, 200); ((double *)x)[40] = call; x[400] = left; }
void drive_down(int n, unsigned char *x) DRIVE(down(v, 4 * n - 2, n % 3 + 1))
void drive_beside(int n, unsigned char *x) DRIVE(beside(v, 4 * n - 2, n % 3 + 1, &left))
void drive_once(int n, unsigned char *x) DRIVE(once(v, 4 * n - 2, n % 3 + 1, &left) + once(v, 0, 3, &left))
void drive_upwards(int n, unsigned char *x) DRIVE(upwards(v, 3, 4 * n, n % 3 + 1, &left))
void drive_none(int n, unsigned char *x)
DRIVE(n + down(v, -1, 0) + beside(v, 2, -1, &left) + upwards(v, 5, 4, 0, &left))
void drive_filter(int n, unsigned char *x) DRIVE((filter((double *)x + 100, v, v + 90, n, n - 2, n % 3 + 1), 0))
void drive_merged(int n, unsigned char *x)
{
  int b[40];
  for (int k = 0; k < 40; k++) b[k] = x[k] % 7;
  x[0] = merged((double *)x + 100, b, n, 60);
}
"""


@needs_gcc
def test_loops_may_take_steps_of_any_length_and_end_in_any_words(tmp_path: Path) -> None:
    file = read(STEPS, "down", "beside", "once", "upwards", "filter", "merged")
    assert compare(file, tmp_path, OF_STEPS) == {"drive_none"}


UNSIGNED_STEPS = """
#include <stddef.h>
void turn(double *x, size_t n, size_t half)
{
  size_t b;
  for (b = 0; b < n; b += 2 * half) {
    const size_t i = b, j = b + half;
    const double z = x[j];
    x[j] = x[i] - z;
    x[i] += z;
  }
}
unsigned thirds(double *x, unsigned n, unsigned step)
{
  unsigned i;
  for (i = 1; i < n; i += 3 * step)
    x[i] *= 2;
  return i;
}
void mixed(double *x, int n, int step)
{
  for (unsigned i = 0; i < (unsigned)n; i += step)
    x[i & 1023] += 1;
}
"""
OF_UNSIGNED_STEPS = """
void drive_turn(int n, unsigned char *x)
{
  double v[400];
  for (int k = 0; k < 400; k++) v[k] = x[k];
  turn(v, 4 * n, n / 2 + 1);
  for (int k = 0; k < 400; k++) x[k] = v[k];
}
void drive_thirds(int n, double *x) { for (int k = 0; k < 300; k++) x[k] = k; x[400] = thirds(x, 4 * n, n + 1); }
void drive_mixed(int n, double *x) { for (int k = 0; k < 1024; k++) x[k] = k; mixed(x, n, 3); }
void drive_wrapped(int n, double *x)
{
  for (int k = 0; k < 1024; k++) x[k] = k;
  thirds(x, 9u, 0xaaaaaaabu + n / 100);
  if (n == 40) mixed(x, -(1 << 30), 1 << 30);
}
"""


@needs_gcc
def test_steps_of_unsigned_counters_are_numbers_that_do_not_wrap(tmp_path: Path) -> None:
    file = read(UNSIGNED_STEPS, "turn", "thirds", "mixed")
    assert compare(file, tmp_path, OF_UNSIGNED_STEPS) == {"drive_wrapped"}


DOWNWARDS = """
void solve(double *x, const double *a, int n)
{
  int i, j;
  for (i = n; i > 0 && i--;) {
    double s = x[i];
    for (j = n; j > i + 1 && j--;)
      s -= a[i * n + j] * x[j];
    for (j = i; j != 0 && j--;)
      s -= a[i * n + j];
    x[i] = s;
  }
}
int last(const double *x, double *y, size_t n)
{
  while (n > 0 && n--) {
    if (x[n] > 50)
      continue;
    y[n] = x[n];
  }
  return n;
}
"""
OF_DOWNWARDS = """
#define FILL(v) double v[2000]; for (int k = 0; k < 2000; k++) v[k] = ((unsigned char *)x)[k] % 99;
void drive_solve(int n, double *x) { FILL(v) for (int k = 0; k < n; k++) x[k] = v[k]; solve(x, v, n); }
void drive_last(int n, double *x) { FILL(v) x[500] = last(v, x, n); }
"""


@needs_gcc
def test_conditions_may_count_down_behind_a_test_for_zero(tmp_path: Path) -> None:
    assert not compare(read(f"#include <stddef.h>\n{DOWNWARDS}", "solve", "last"), tmp_path, OF_DOWNWARDS)


TABLES = """
void blur(double *y, const double *x, int n)
{
  for (int i = 0; i < n; i++) {
    static const double w[] = {1, -2.5, .5, 7};
    static const double scale = 0.25;
    y[i] = 0;
    for (int k = 0; k < 4; k++)
      y[i] += w[k] * x[i + k];
    y[i] *= scale;
  }
}
void digits(char *to, int n, unsigned value)
{
  for (int i = 0; i < n; i++) {
    static const char *names = "0123456789abcdefghijklmnopqrstuvwxyz$%*";
    to[n - i - 1] = names[value % 39];
    value /= 39;
  }
}
static double pick(const double *x, int i)
{
  static const signed char at[2][3] = {{0, 3, 1}, {2, -1}};
  double s = 0;
  for (int k = 0; k < 2; k++)
    for (int m = 0; m < 3; m++)
      s += x[i + at[k][m]] * m;
  return s;
}
void around(double *y, const double *x, int n)
{
  for (int i = 1; i < n; i++)
    y[i] = pick(x, i) - pick(x, i + 1);
}
"""
OF_TABLES = """
void drive_blur(int n, unsigned char *x)
{
  double v[60];
  for (int k = 0; k < 60; k++) v[k] = x[k];
  blur((double *)x, v, n);
  around((double *)x + 100, v, n);
}
void drive_digits(int n, char *x) { digits(x, n, 4000000000u + x[0]); }
"""


@needs_gcc
def test_blocks_may_have_constant_tables_of_their_own(tmp_path: Path) -> None:
    assert not compare(read(TABLES, "blur", "digits", "pick", "around"), tmp_path, OF_TABLES)


@pytest.mark.parametrize(
    "table",
    [
        "static double t[] = {1, 2}; t[0] += 1;",  # which the next iteration reads
        'static const char *t = "ab"; t++;',
        "static const double *t[2];",
        "static const double t[] = {[1] = 2};",
    ],
)
def test_other_static_variables_stay(table: str) -> None:
    text = f"void f(double *x, int n) {{ for (int i = 0; i < n; i++) {{ {table} x[i] = (double)(long)t[i % 2]; }} }}\n"
    file = read_source("unseen.c", text=text, auto=True)
    assert [d.code for d in file.diagnostics] == ["declaration"]


def test_names_of_tables_stay_apart() -> None:
    inner = "{ static const int t[] = {4, 5}; x[i] = t[i & 1]; }"
    both = f"for (int i = 0; i < n; i++) {{ {inner} {inner.replace('4', '6')} }}"
    around = f"int t = 3; for (int i = 0; i < n; i++) {{ {inner} x[i] += t; }}"
    for body in (both, around):
        file = read_source("unseen.c", text=f"void f(int *x, int n) {{ {body} }}\n", auto=True)
        assert [d.code for d in file.diagnostics] == ["declaration"]


# --- Pointers, structures and conditions ------------------------------------------------------------------------------

POINTERS = """
#include <stddef.h>
typedef struct { float r, i; } cpx;
typedef struct { int n; cpx tw[1]; } state;
static unsigned get16(const unsigned char *p) { return p[0] * 256u + p[1]; }
void words(unsigned *w, const unsigned char *d, int off, int n)
{
  int i;
  for (i = 0; i < n; i++)
    w[i] = get16(d + off + 2 + i * 4) + get16(d + i - off + 3);
}
void butterfly(cpx *to, size_t stride, const state *st, int m, int n, int mm)
{
  const cpx *tw1, *tw2;
  int i, j;
  cpx *beg = to;
  for (i = 0; i < n; i++) {
    to = beg + i * mm;
    tw2 = tw1 = st->tw;
    for (j = 0; j < m; j++) {
      cpx t;
      t.r = to[m].r * tw1->r - to[m].i * tw1->i;
      t.i = to[m].r * tw2->i + to[m].i * tw2->r;
      to[m].r = to->r - t.r;
      to[m].i = to->i - t.i;
      to->r += t.r;
      to->i += t.i;
      tw1 += stride;
      tw2 += stride * 2;
      ++to;
    }
  }
}
int matches(const unsigned char *px, int n, const unsigned char key[3])
{
  int i, k = 0;
  for (i = 0; i < n; i++)
    if (px[3 * i] == key[0] && px[3 * i + 1] == key[1] && px[3 * i + 2] == key[2])
      k++;
  return k;
}
void transparent(unsigned char *p, unsigned n, const unsigned char key[3])
{
  unsigned i;
  for (i = 0; i < n; ++i) {
    if (p[0] == key[0] && p[1] == key[1] && p[2] == key[2])
      p[3] = 0;
    p += 4;
  }
}
struct layer { cpx *first, *last; };
void turn(const struct layer *l, float by)
{
  cpx *c;
  for (c = l->first; c != l->last; c++) c->r = c->i * by;
}
"""
OF_POINTERS = """
void drive_turn(int n, float *x)
{
  struct layer l = { (cpx *)x, (cpx *)x + n };
  for (int k = 0; k < 100; k++) x[k] = k;
  turn(&l, 3);
}
static void small(float *to, const unsigned char *x, int n) { for (int k = 0; k < n; k++) to[k] = x[k] % 16; }
void drive_words(int n, unsigned char *x) { words((unsigned *)(x + 8000), x + 16, 5, n); }
void drive_butterfly(int n, unsigned char *x)
{
  float *f = (float *)x;
  static struct { int n; cpx tw[200]; } st;
  small((float *)st.tw, x, 400);
  for (int k = 0; k < 12000; k++) f[k] = k % 13;
  butterfly((cpx *)x, 2, (const state *)&st, n, n, 2 * n);
}
void drive_matches(int n, unsigned char *x)
{
  for (int k = 0; k < 300; k++) x[k] &= 1;
  x[1000] = matches(x, n, x + 150);
}
void drive_transparent(int n, unsigned char *x)
{
  for (int k = 0; k < 300; k++) x[k] &= 1;
  transparent(x, n, x + 200);
}
"""

UNIONS = """
typedef struct { union { unsigned short freq, code; } fc; union { unsigned short dad, len; } dl; } tree;
typedef union { struct { float x, y, z; } p; float e[3]; } vec;
void codes(tree *t, int n)
{
  int i;
  for (i = 0; i < n; i++) {
    t[i].fc.freq = (unsigned short)i;
    t[i].fc.code = (unsigned short)(t[i].fc.code + t[i].dl.len);
    t[i].dl.dad = 3;
  }
}
void scale(vec *a, const vec *b, int n)
{
  int i, k;
  for (i = 0; i < n; i++) {
    a[i].p.x += b[i].p.y;
    for (k = 0; k < 3; k++) a[i].e[k] *= 2;
    a[i].p.z -= b[i].e[1];
  }
}
"""
OF_UNIONS = """
void drive_codes(int n, unsigned char *x) { codes((tree *)x, n); }
void drive_scale(int n, unsigned char *x)
{
  float *f = (float *)x;
  for (int k = 0; k < 2000; k++) f[k] = k % 7;
  scale((vec *)f, (vec *)(f + 1000), n);
}
"""


@needs_gcc
def test_pointers_and_what_is_compared_behind_them(tmp_path: Path) -> None:
    assert not compare(read(POINTERS, "words", "butterfly", "matches", "transparent", "turn"), tmp_path, OF_POINTERS)


@needs_gcc
def test_unions_of_one_type_are_one_place(tmp_path: Path) -> None:
    assert not compare(read(UNIONS, "codes", "scale"), tmp_path, OF_UNIONS)
    other = UNIONS.replace("unsigned short freq, code;", "unsigned short freq; short code;")
    file = read_source("unseen.c", text=other, auto=True)
    assert ([scop.name for scop in file.scops], [d.code for d in file.diagnostics]) == (["scale"], ["struct"])


FOLLOWED = """
struct filter { const float *taps; int length; };
#define FIELD(f, name) (f)->name
#define NEXT_TWO(p) sum_of_two((*(p) += 2) - 2)
#define WHAT(p) (*(p))
static inline int sum_of_two(const short *p) { short second = p[1]; return p[0] + second; }
void filtered(float *y, const float *x, struct filter f, int n)
{
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int k = 0; k < FIELD(&f, length); k++)
      y[i] += FIELD(&f, taps)[k] * x[i + k];
  }
}
void pairs(int *y, const short *x, int n)
{
  const short *p = x;
  int count = n;
  while (count > 0) {
    *y++ = NEXT_TWO(&p);
    WHAT(&count) -= 1;
  }
  p = x;
  for (count = 0; count < n; count++)
    *--y += *p++ - *&x[count / 2];
}
"""
OF_FOLLOWED = """
void drive_filtered(int n, unsigned char *x)
{
  float *f = (float *)x;
  for (int k = 0; k < 400; k++) f[k] = k % 7;
  filtered(f + 200, f, (struct filter){f + 90, n / 2}, n);
}
void drive_pairs(int n, unsigned char *x) { pairs((int *)x, (short *)(x + 4000), n); }
"""


@needs_gcc
def test_an_address_that_is_followed_at_once_is_no_address(tmp_path: Path) -> None:
    assert not compare(read(FOLLOWED, "filtered", "pairs"), tmp_path, OF_FOLLOWED)


def test_names_beside_strings_are_macros() -> None:
    text = 'const char *version(void) { return PACKAGE "-" VERSION; }\nint puts(const char *);\n'
    read(text + 'void f(float *x, int n) { puts("n " FORMAT); for (int i = 0; i < n; i++) x[i] *= 2; }\n', "f")


def test_a_union_that_is_no_element_stays() -> None:
    text = "union s { int x, y; } s;\nvoid f(int n) { for (int i = 0; i < n; i++) s.x += s.y; }\n"
    file = read_source("unseen.c", text=text, auto=True)
    assert (file.scops, [d.code for d in file.diagnostics]) == ((), ["struct"])


# --- What C surely reads ----------------------------------------------------------------------------------------------

MATRIX = "typedef struct { int n, m; double *data; } mat;\n"
FIRST = """
int sign(const mat *a, int n)
{
  int i, s = 1;
  for (i = 0; i < n; i++) {
    double u = a->data[i * a->m + i];
    if (u < 90) s *= -1;
    else if (u == 100) { s = 0; break; }
  }
  return s;
}
int singular(const mat *a, int n)
{
  int i;
  for (i = 0; i < n; i++)
    if (a->data[i * a->m + i] == 100) return i;
  return -1;
}
"""
OF_FIRST = """
#define DRIVE(call) { double d[2000]; mat a = {n, n, d}; for (int k = 0; k < 2000; k++) d[k] = x[k]; x[0] = call; }
void drive_sign(int n, unsigned char *x) DRIVE(sign(n ? &a : 0, n))
void drive_singular(int n, unsigned char *x) DRIVE(singular(n ? &a : 0, n))
"""
UNSURE = {
    "a header that asks for data": "for (i = 0; i < n && x[i] != 7; i++) y[i * a->m] = 1;",
    "a while that asks for data": "i = 0; while (i < n && x[i] != 7) { y[i * a->m] = 1; i++; }",
    "behind a break": "for (i = 0; i < n; i++) { if (x[i] > 7) break; y[i * a->m] = 1; }",
    "a first iteration that comes late": "for (i = 0; i < n; i++) { for (j = 0; j < i; j++) y[j * a->m] = 1; "
    "if (x[i] > 7) break; }",
}


@needs_gcc
def test_the_first_iteration_reads_what_stands_before_jumps(tmp_path: Path) -> None:
    assert not compare(read(MATRIX + FIRST, "sign", "singular"), tmp_path, OF_FIRST)


@pytest.mark.parametrize("name", UNSURE)
def test_what_c_may_not_get_to_is_not_read_before(name: str) -> None:
    text = f"{MATRIX}void f(const mat *a, const int *x, char *restrict y, int n)\n{{\n  int i, j;\n{UNSURE[name]}\n}}\n"
    file = read_source("unseen.c", text=text, auto=True)
    whole = [scop for scop in file.scops if scop.source is not None and not scop.source.around]
    assert (whole, file.diagnostics[0].code) == ([], "data-dependent")


FIELDS = """
#include <stdlib.h>
#include <string.h>
struct field { int p; unsigned char *log, *exp; unsigned char own[4]; };
struct marks { int best; int limit; int *found; };
unsigned evaluated(const unsigned char *s, unsigned char x, const struct field *f, int n)
{
  unsigned char sum = 0, first = f->log[x];
  if (!x)
    return s[0];
  for (int i = 0; i < n; i++) {
    unsigned char c = s[i];
    if (!c)
      continue;
    sum ^= f->exp[(f->log[c] + first * i) % f->p];
  }
  return sum;
}
void corner(void *data, const int *x, int n)
{
  struct marks *m = (struct marks *)data;
  const int top = m->limit - 1;
  for (int i = 0; i < n; i++)
    if (x[i] > m->best && x[i] < top) {
      m->best = x[i];
      m->found[0] = i;
    }
}
"""
OF_FIELDS = """
void drive_evaluated(int n, unsigned char *x)
{
  struct field f = {251, x, x + 256, {0}};
  ((unsigned *)x)[1000] = evaluated(x + 512, x[7], &f, n);
  ((unsigned *)x)[1001] = evaluated(x + 512, 0, &f, n);
  ((unsigned *)x)[1002] = n > 0 ? 0 : evaluated(x, x[7], &f, n);
}
void drive_corner(int n, unsigned char *x)
{
  int found = -1, v[40];
  for (int k = 0; k < 40; k++) v[k] = x[k];
  struct marks m = {3, 150, &found};
  corner(&m, v, n);
  x[100] = found, x[101] = m.best;
}
"""


@needs_gcc
def test_what_is_read_of_a_structure_before_shows_that_it_is_there(tmp_path: Path) -> None:
    assert not compare(read(FIELDS, "evaluated", "corner"), tmp_path, OF_FIELDS)


LIMITS = """
struct limits { int most; unsigned char step; double scale; };
void clamp(const struct limits *q, int *x, const int *y, int n)
{
  for (int i = 0; i < n; i++)
    if (y[i] > 90)
      x[i] = x[i] > q->most ? q->most : x[i] + q->step;
}
int inside(const int *most, const int *x, int n)
{
  int count = 0;
  for (int i = 0; i < n; i++)
    if (x[i] >= 50 && x[i] < *most)
      count += *most - x[i];
  return count;
}
double scaled(struct limits *q, const int *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] >= 150)
      sum += x[i] * q->scale;
    if (x[i] == 151)
      q->scale = 2;
  }
  return sum;
}
"""
OF_LIMITS = """
static void numbers(int *to, const unsigned char *x) { for (int k = 0; k < 200; k++) to[k] = x[k]; }
void drive_clamp(int n, unsigned char *x)
{
  int v[200];
  struct limits q = {70, 3, 0};
  numbers(v, x);
  clamp(&q, v, v + 100, n);
  for (int k = 0; k < 100; k++) x[k] = v[k];
}
void drive_no_clamp(int n, unsigned char *x)
{
  int v[200];
  numbers(v, x);
  for (int k = 0; k < 100; k++) v[k + 100] = 90;
  clamp(0, v, v + 100, n);
  for (int k = 0; k < 100; k++) x[k] = v[k];
}
void drive_inside(int n, int *x)
{
  int v[200], most = 150;
  numbers(v, (unsigned char *)x);
  x[100] = inside(&most, v, n);
}
void drive_no_inside(int n, int *x)
{
  int v[200];
  for (int k = 0; k < 200; k++) v[k] = k % 50;
  x[101] = inside(0, v, n);
}
void drive_scaled(int n, int *x)
{
  int v[200];
  struct limits q = {70, 3, 0.25};
  numbers(v, (unsigned char *)x);
  x[100] = scaled(&q, v, 3 * n);
  x[101] = scaled(&q, v, 3 * n);
}
void drive_no_scaled(int n, int *x)
{
  int v[200];
  for (int k = 0; k < 200; k++) v[k] = k % 50;
  x[102] = scaled(0, v, n);
}
"""


@needs_gcc
def test_numbers_in_memory_are_read_under_conditions_where_c_reads_them_so(tmp_path: Path) -> None:
    slow = compare(read(LIMITS, "clamp", "inside", "scaled"), tmp_path, OF_LIMITS)
    assert slow == {"drive_no_clamp", "drive_no_inside", "drive_no_scaled"}  # where there is nothing to read


@pytest.mark.parametrize(
    "before",
    [
        "const unsigned char *own = f->own; first = own != 0;",  # which is an address
        "const unsigned char *own = &f->log[x]; int *q = &f->p; first = own != 0 && q != 0;",
        "if (x) first = f->log[x];",
        "first = x && f->log[x];",
        "first = f->log[x]; free(s);",
        "first = f->log[x]; if (x) f = 0;",
        "first = sizeof(f->log[x]);",
    ],
)
def test_other_mentions_of_a_structure_do_not(before: str) -> None:
    text = FIELDS.replace("first = f->log[x];", f"first; {before}").replace(
        "(const unsigned char *s", "(unsigned char *s"
    )
    file = read_source("unseen.c", text=text, auto=True)
    assert [scop.name for scop in file.scops] == ["corner"]
    assert {d.code for d in file.diagnostics} == {"data-dependent"}


# --- Functions that give addresses ------------------------------------------------------------------------------------

GETTERS = """
typedef struct { int w, h; float *data; } image;
static float *at(image *im, int x, int y) { return im->data + (y * im->w + x) * 3; }
static float *same(image *im, int x, int y) { return &im->data[(y * im->w + x) * 3]; }
static const float *row(const float *p, int n, int i) { return p + n * i; }
static float *cast(float *p, int n, int i) { return (float *)(p + n * i); }
void mix(image *im)
{
  int x, y;
  for (y = 0; y < im->h; y++)
    for (x = 0; x < im->w; x++) {
      float *p = at(im, x, y);
      p[0] *= 2;
      p[1] = p[2];
    }
}
void clear(image *im)
{
  int x, y;
  for (y = 0; y < im->h; y++)
    for (x = 0; x < im->w; x++) {
      *at(im, x, y) = 0;
      same(im, x, y)[1] += 3;
    }
}
void sums(float *o, const float *a, int n, int m)
{
  int i, j;
  for (i = 0; i < m; i++) {
    const float *r = row(a, n, i);
    for (j = 0; j < n; j++) o[j] += r[j];
  }
}
void scale(float *o, float *a, int n, int m)
{
  int i, j;
  float *r;
  for (i = 0; i < m; i++) {
    r = cast(a, n, i);
    for (j = 0; j < n; j++) o[j] += r[j];
  }
}
"""
OF_GETTERS = """
#define DRIVE(call) { float *f = (float *)x; image im = {n, 11, f}; for (int k = 0; k < 9000; k++) f[k] = k % 7; call; }
void drive_mix(int n, unsigned char *x) DRIVE(mix(&im))
void drive_clear(int n, unsigned char *x) DRIVE(clear(&im))
void drive_sums(int n, unsigned char *x) DRIVE((sums(im.data + 8000, f, n, 11)))
void drive_scale(int n, unsigned char *x) DRIVE((scale(im.data + 8000, f, n, 11)))
"""


@needs_gcc
def test_functions_may_give_addresses(tmp_path: Path) -> None:
    assert not compare(read(GETTERS, "mix", "clear", "sums", "scale"), tmp_path, OF_GETTERS)


@pytest.mark.parametrize("value", ["(float *)((long)p + 4 * i)", "(float *)(int)(long)p", "i ? p : p + 1", "&q"])
def test_other_addresses_stay(value: str) -> None:
    text = f"float q;\nstatic float *at(float *p, int i) {{ return {value}; }}\n"
    text += "void f(float *a, int n) { for (int i = 0; i < n; i++) *at(a, i) = 0; }\n"
    assert not read_source("unseen.c", text=text, auto=True).scops


# --- Texts without the original loops ---------------------------------------------------------------------------------

UNTESTED = """
unsigned bits(unsigned char *restrict block)
{
  int dots[16];
  int i;
  unsigned mask = 0;
  for (i = 0; i < 16; i++) dots[i] = block[i * 4] * 3 + block[i * 4 + 1];
  for (i = 15; i >= 0; i--) { mask <<= 2; if (dots[i] > 400) mask |= 1; }
  return mask;
}
"""


@needs_gcc
def test_counters_that_only_the_original_loops_use_make_no_warning(tmp_path: Path) -> None:
    file = read(UNTESTED, "bits")
    assert "for (i = " not in emitted(file)
    assert not compare(file, tmp_path, "void drive_bits(int n, unsigned char *x) { *(unsigned *)x = bits(x + n); }")


CORNERS = """
void stiffness(int count, const int (*corners)[3], const double *x, double *matrix)
{
    for (int e = 0; e < count; e++) {
        double b[3];
        for (int i = 0; i < 3; i++) {
            int j = corners[e][(i + 1) % 3], k = corners[e][(i + 2) % 3];
            b[i] = x[j] - x[k];
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                matrix[e * 9 + i * 3 + j] = b[i] * b[j];
    }
}
"""
DRIVE_CORNERS = """
void drive(int n, unsigned char *memory)
{
    static int corners[40][3];
    static double x[256];
    for (int i = 0; i < 256; i++) x[i] = memory[i];
    for (int i = 0; i < 120; i++) corners[i / 3][i % 3] = memory[i];
    stiffness(n, corners, x, (double *)(memory + 1024));
}
"""


@needs_gcc
def test_one_name_for_a_variable_and_for_a_later_counter(tmp_path: Path) -> None:
    assert not compare(read(CORNERS, "stiffness"), tmp_path, DRIVE_CORNERS)


REGISTERS = """
void axpy(int n, const double *alpha, const double *x, double *y)
{
  register long i, m = n - 1;
  register double a = *alpha;
  if (n > 0 && a != 0.0) {
    for (i = 0; i < m; i += 2) {
      y[i] += a * x[i];
      y[i + 1] += a * x[i + 1];
    }
    for (; i < n; i++)
      y[i] += a * x[i];
  }
}
struct table { int n; const void *values; double scale; };
void look(register unsigned char *to, register const struct table *t)
{
  register const unsigned char *from = t->values;
  for (register int i = 0; i < t->n; i++)
    to[i] = from[i] * t->scale + ((const unsigned char *)t->values)[i];
}
"""
OF_REGISTERS = """
void drive_look(int n, unsigned char *x)
{
  struct table t = {n, x + 99, 0.75};
  look(x, &t);
}
void drive_axpy(int n, unsigned char *x)
{
  double v[200];
  for (int k = 0; k < 200; k++) v[k] = x[k];
  axpy(n, v, v + 1, (double *)x);
}
"""


@needs_gcc
def test_registers_have_no_address(tmp_path: Path) -> None:
    assert not compare(read(REGISTERS, "axpy", "look"), tmp_path, OF_REGISTERS)


FUNCTIONS_INSIDE = """
void roots(int n, float *x, const float *y)
{
  double sqrt(double), fmod(double, double);
  long long llround(double);
  int i;
  for (i = 0; i < n; i++)
    x[i] = sqrt(y[i] * y[i]) + fmod(y[i], 3.0) + llround(y[i]);
}
double fabs(double);
void sizes(int n, float *x, const float *y)
{
  int i;
  for (i = 0; i < n; i++)
    x[i] = fabs(y[i]);
}
"""


@needs_gcc
def test_functions_of_mathematics_that_only_the_function_itself_declares(tmp_path: Path) -> None:
    file = read(FUNCTIONS_INSIDE, "roots", "sizes")
    drivers = """
void drive_roots(int n, int *at) { roots(n, (float *)at, (float *)at + 100); }
void drive_sizes(int n, int *at) { sizes(n, (float *)at, (float *)at + 100); }
"""
    assert not compare(file, tmp_path, drivers)
    assert emitted(file).count("double fabs(double);") == 1


F2C = """
typedef int integer;
typedef double doublereal;
#define X(I) x[(I)-1]
#define Y(I) y[(I)-1]
#define A(I, J) a[(I)-1 + ((J)-1) * (*lda)]
int ger(integer *m, integer *n, doublereal *alpha, doublereal *x, integer *incx, doublereal *y, integer *incy,
        doublereal *a, integer *lda)
{
    integer i, j, ix, jy, kx, info = 0;
    doublereal temp;
    if (*m < 0) {
        info = 1;
    } else if (*n < 0) {
        info = 2;
    } else if (*incx == 0) {
        info = 5;
    } else if (*incy == 0) {
        info = 7;
    } else if (*lda < *m) {
        info = 9;
    }
    if (info != 0)
        return info;
    if (*m == 0 || *n == 0 || *alpha == 0.)
        return 0;
    if (*incy > 0)
        jy = 1;
    else
        jy = 1 - (*n - 1) * *incy;
    if (*incx > 0)
        kx = 1;
    else
        kx = 1 - (*m - 1) * *incx;
    for (j = 1; j <= *n; ++j) {
        if (Y(jy) != 0.) {
            temp = *alpha * Y(jy);
            ix = kx;
            for (i = 1; i <= *m; ++i) {
                A(i, j) += X(ix) * temp;
                ix += *incx;
            }
        }
        jy += *incy;
    }
    return 0;
}
"""
DRIVE_F2C = """
static void call(int n, int incx, int incy, unsigned char *memory)
{
    static double x[256], y[256];
    int m = n + 1, lda = n + 3;
    double alpha = 2;
    for (int i = 0; i < 256; i++) { x[i] = memory[i]; y[i] = memory[i + 256] % 3; }
    ger(&m, &n, &alpha, x, &incx, y, &incy, (double *)(memory + 1024), &lda);
}
void drive(int n, unsigned char *memory) { call(n, 2, 3, memory); }
void drive_back(int n, unsigned char *memory) { call(n, -2, -1, memory); }
"""


@needs_gcc
def test_sizes_and_strides_behind_pointers_that_data_may_leave_unread(tmp_path: Path) -> None:
    assert "drive" not in compare(read(F2C, "ger"), tmp_path, DRIVE_F2C)


WIDE_SIZES = """
#include <stddef.h>
typedef struct { float r, i; } cpx;
struct state { size_t n; cpx *buffer; };
void rotate(size_t n, size_t taps, struct state *st, const cpx *x)
{
    size_t i;
    for (i = 0; i < taps - 1; ++i)
        st->buffer[n - taps + 1 + i] = x[i];
}
"""


@needs_gcc
def test_no_test_asks_for_numbers_beyond_all_types(tmp_path: Path) -> None:
    file = read(WIDE_SIZES, "rotate")
    assert not re.search(r"\d{17}", emitted(file).replace(file.text, ""))
    drivers = """
void drive(int n, cpx *at) { struct state st = {1, at}; rotate(n + 9, n / 2 + 1, &st, at + 100); }
"""
    assert not compare(file, tmp_path, drivers)


# --- Types that are arguments of macros -------------------------------------------------------------------------------

IN_MACROS = """
#define GLOBAL(type) type
#define LOCAL(type) static type
GLOBAL(void)
fill(int n, unsigned char *a)
{
  for (int i = 0; i < n; i++)
    a[i] = 3;
}
LOCAL(int) add(int n, int *a) {
  for (int i = 0; i < n; i++)
    a[i] += 7;
  return n;
}
"""
OF_MACROS = """
void drive_fill(int n, char *x) { fill(n, (unsigned char *)x); }
void drive_add(int n, char *x) { add(n, (int *)x); }
"""


@needs_gcc
def test_types_of_functions_may_be_arguments_of_macros(tmp_path: Path) -> None:
    file = read(IN_MACROS, "fill", "add")
    compare(file, tmp_path, OF_MACROS)
    assert emitted(file).count("\nGLOBAL(void)\nfill(") == 1


# --- Counters in memory -----------------------------------------------------------------------------------------------

COUNTERS = """
struct counts { int k, low, high; };
struct counts all;
void sink(struct counts *c) { c->low = c->k; }
"""
IN_MEMORY = [
    "void f(struct counts *c, int *x) { for (c->k = c->low; c->k < c->high; c->k++) x[c->k] = 1; }",
    "void f(struct counts *c, int *x) { for (c->k = 0; c->k < 9; c->k++) if (x[c->k] > c->high) break; }",
    "void f(int *x, int n) { for (all.k = 0; all.k < n; all.k++) x[all.k] = 1; }",
    "int f(int *x, int n) { struct counts c; for (c.k = 0; c.k < n; c.k++) x[c.k] = 1; return c.k; }",
    "void f(int *x, int n) { struct counts c; for (c.k = 0; c.k < n; c.k++) x[c.k] = 1; sink(&c); }",
    "int f(int *x, int n) { struct counts c, *p = &c; for (c.k = 0; c.k < n; c.k++) x[c.k] = 1; return p->k; }",
]


@pytest.mark.parametrize("text", IN_MEMORY)
def test_counters_that_others_may_read_are_left_as_they_are(text: str) -> None:
    """What takes the loops' place would not set them."""
    file = read_source("x.c", text=COUNTERS + text, auto=True)
    assert not file.scops
    (remark,) = file.diagnostics
    assert remark.code == "counter-value"
    assert "is in memory: others may read it after the region" in remark.message


OWN_COUNTERS = f"""{COUNTERS}
void near(int *x, int n)
{{
  struct counts c;
  c.low = 1;
  for (c.k = c.low; c.k < n; c.k++)
    x[c.k] += c.k;
}}
void first(struct counts *c, const int *x, int most)
{{
  int i;
  for (i = c->low; i < c->high; i++)
    if (x[i] > most)
      break;
  c->k = i;
}}
"""
OF_OWN_COUNTERS = """
void drive_near(int n, char *x) { near((int *)x, n); }
void drive_first(int n, char *x)
{
  struct counts *c = (struct counts *)(x + 1024);
  c->low = n / 2, c->high = 2 * n;
  first(c, (const int *)x, 1 << 30);
}
"""


@needs_gcc
def test_counters_of_the_function_are_read(tmp_path: Path) -> None:
    file = read(OWN_COUNTERS, "near", "first")
    assert not compare(file, tmp_path, OF_OWN_COUNTERS)


# --- Rows that are so many bytes apart --------------------------------------------------------------------------------

PITCHED = """
#include <stddef.h>
#include <stdint.h>
struct tensor { int64_t ne[4]; size_t nb[4]; void *data; };
void scale(const struct tensor *s, struct tensor *d, unsigned v)
{
  const int64_t n0 = s->ne[0], n1 = s->ne[1];
  const size_t sb0 = s->nb[1], sb1 = s->nb[2], db1 = d->nb[1];
  for (int64_t i1 = 0; i1 < n1; i1++) {
    const unsigned *x = (const unsigned *)((const char *)s->data + i1 * sb0 + 2 * sb1);
    unsigned *y = (unsigned *)((char *)d->data + i1 * db1);
    for (int64_t i0 = 0; i0 < n0; i0++)
      y[i0] = v * x[i0] + 1;
  }
}
void add(short *dst, const short *src, int dp, int sp, int w, int h)
{
  for (int y = 0; y < h; y++) {
    short *d = (short *)((char *)dst + y * dp);
    const short *s = (const short *)((const char *)src + (y + 1) * sp + 8 * sizeof(short));
    for (int x = 0; x < w; x++)
      d[x] += s[x];
  }
}
void turn(unsigned *a, long pitch, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      *(unsigned *)((char *)a + (n - 1 - i) * pitch + j * sizeof *a) += i * 3 + j;
}
"""
OF_PITCHED = """
void drive_scale(int n, char *x)
{
  struct tensor s = {{n, n / 2 + 1}, {4, 4 * n + 8, 4}, x}, d = {{n, n / 2 + 1}, {4, 4 * n + 4}, x + 32768};
  scale(&s, &d, 5);
}
void drive_over(int n, char *x)
{
  struct tensor s = {{n, n / 2 + 1}, {4, 4 * n + 8, 4}, x}, d = {{n, n / 2 + 1}, {4, 4 * n + 4}, x + 8};
  scale(&s, &d, 5);
}
void drive_odd(int n, char *x)
{
  struct tensor s = {{n, n / 2 + 1}, {4, 4 * n + 6, 4}, x}, d = {{n, n / 2 + 1}, {4, 4 * n + 4}, x + 32768};
  scale(&s, &d, 5);
}
void drive_add(int n, char *x) { add((short *)(x + 16384), (short *)x, 2 * n + 2, 2 * n + 16, n, n); }
void drive_up(int n, char *x) { add((short *)(x + 32768), (short *)(x + 8192), -2 * n - 2, 2 * n + 16, n, n); }
void drive_turn(int n, char *x) { turn((unsigned *)x, 4 * n + 12, n); }
"""


@needs_gcc
def test_rows_that_are_so_many_bytes_apart(tmp_path: Path) -> None:
    """Elements of an array, behind a test that the distance is a multiple of their size."""
    file = read(PITCHED, "scale", "add", "turn")
    assert [max(s.depth for s in scop.statements) for scop in file.scops] == [2, 2, 2]
    assert "(long)(sb0) % 4 == 0" in emitted(file)
    assert compare(file, tmp_path, OF_PITCHED) == {"drive_over", "drive_odd", "drive_up"}


@pytest.mark.parametrize(
    "amount",
    [
        *("u * v", "i * (u + 1)", "(int)(i * p)", "i * p + 2", "i * q"),  # may wrap, are cut, are no whole elements
        "o[i]",
        "own",  # not the parameter of that name
    ],
)
def test_other_numbers_of_bytes_are_not_counted(amount: str) -> None:
    text = f"""
    void f(float *a, unsigned u, unsigned v, long p, const long *o, int n, int own)
    {{
      for (int i = 0; i < n; i++) {{
        long q = p + i, own = 4 * (i & 7);
        float *r = (float *)((char *)a + ({amount}));
        for (int j = 0; j < n; j++)
          r[j] += 1;
      }}
    }}
    """
    file = read_source("x.c", text=text, auto=True)
    assert [max(s.depth for s in scop.statements) for scop in file.scops] == [1]
    assert [d.code for d in file.diagnostics] == ["pointer"]


PREFIXES = [
    "PUBLIC",
    "PUBLIC\n  API(void)",
    "PUBLIC static",
    "NOINLINE",
    "PUBLIC /* of the library */ // all\n",
    "API(x) PUBLIC",
]


@needs_gcc
@pytest.mark.parametrize("prefix", PREFIXES)
def test_macros_of_which_nothing_is_left_stay_with_their_function(prefix: str, tmp_path: Path) -> None:
    """Ours stand before them: with a name in front of it, what begins with a directive is no declaration."""
    text = f"""
#define PUBLIC
#define API(x)
#define NOINLINE __attribute__((noinline))
#define DEFINE(name) int name;
int last;
DEFINE(before)
{prefix} void twice(double *x, int n)
{{
    for (int i = 0; i < n; i++)
        x[i] = x[i] * 2 + 1;
}}
"""
    file = read(text, "twice")
    assert re.search(r"DEFINE\(before\)\n*/\* Made by polyloop", emitted(file))
    assert not compare(file, tmp_path, "void drive_twice(int n, double *x) { twice(x, n); }")


@needs_gcc
@pytest.mark.parametrize("directive", ["#if WANTED", "#if defined(OTHER) || \\\n  WANTED", "#include FILE_OF_OURS"])
def test_macros_in_directives_are_not_of_the_function_below(directive: str, tmp_path: Path) -> None:
    text = f"""
#define WANTED 1
#define FILE_OF_OURS <stddef.h>
{directive}
void twice(double *x, int n)
{{
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 2 + 1;
}}
{"#endif" if "if" in directive else ""}
"""
    file = read(text, "twice")
    assert f"{directive}\n" in emitted(file)
    assert not compare(file, tmp_path, "void drive_twice(int n, double *x) { twice(x, n); }")


@needs_gcc
def test_functions_under_macros_of_their_name_are_called(tmp_path: Path) -> None:
    text = r"""
static int reason;
static int fails(const char *s) { reason = s[0]; return 0; }
#define fails(why, other) fails(why)
int sizes(const unsigned char *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] > 190) return fails("\"fails (x)", "");
    return 1;
}
"""
    file = read(text, "sizes")
    assert r'return (fails)("\"fails (x)");' in emitted(file)
    drivers = "void drive_sizes(int n, unsigned char *x) { x[1000] = sizes(x, n); x[1001] = reason; }"
    assert not compare(file, tmp_path, drivers)


HEADERS = """
int noise(float *o, const float *a, const int *b, int n)
{
  int i, lo;
  float x;
  for (i = 0, x = 0.f; i < n; i++, x += 1.f) {
    lo = b[i];
    if (lo > 190) break;
    o[i] = x * a[i];
  }
  for (; i < n; i++, x += 1.f) {
    if (b[i] < 20) break;
    o[i] = x + a[i];
  }
  for (; i < n; i++, x += 1.f)
    o[i] = x - a[i];
  o[n] = x;
  return i;
}
int order(int *a, int n)
{
  int i, k, s = 0;
  for (k = 1, i = k; i < n; k += i, i++) {
    if (a[i] > 150) break;
    s += k;
  }
  return s + i;
}
int again(int *a, int n)
{
  int i, k;
  for (i = 0, k = 5; i < n; i++, k += 3) {
    if (a[i] < 50) continue;
    if (a[i] > 150) break;
    a[i] = k;
  }
  return k;
}
int distance(const int *a, const int *b, int n, int most)
{
  int r, i;
  for (r = 0, i = 0; i < n; i++) {
    r += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    if (r > most) return -r;
  }
  return r;
}
int pivot(const int *a, int n)
{
  int i, p;
  for (p = 0, i = 1; i < n; i++)
    if ((a[i] & 255) > (a[p] & 255)) p = i;
  return p;
}
"""
OF_HEADERS = """
void drive_noise(int n, float *x)
{
  int b[50];
  for (int i = 0; i < 150; i++)
    x[i] = i % 3, b[i / 3] = ((unsigned char *)x)[1000 + i];
  x[200] = noise(x + 60, x, b, n);
}
void drive_order(int n, int *x) { for (int i = 0; i < n; i++) x[i] = x[i] & 255; x[100] = order(x, n); }
void drive_again(int n, int *x) { for (int i = 0; i < n; i++) x[i] = x[i] & 255; x[100] = again(x, n); }
void drive_pivot(int n, int *x) { x[200] = pivot(x, n); }
void drive_distance(int n, int *x)
{
  for (int i = 0; i < 2 * n; i++) x[i] = x[i] & 255;
  x[200] = distance(x, x + n, n, n == 40 ? 1000 : 100000);
}
"""


@needs_gcc
def test_headers_that_count_and_set_others(tmp_path: Path) -> None:
    file = read_source("x.c", text=HEADERS, auto=True)
    assert [scop.name for scop in file.scops][:3] == ["noise", "noise_2", "noise_3"]
    assert [scop.name for scop in file.scops][-2:] == ["distance", "pivot"]
    assert not compare(file, tmp_path, OF_HEADERS)


ROUNDED = """
typedef union { float f; int i; } both;
#define ROUNDED(u, x) (u.f = (x) + 384.f, u.i - 0x43c00000)
void samples(short *d, const float *x, int n)
{
  for (int i = 0; i < n; i++) {
    both u;
    int v = ROUNDED(u, x[i]), w = v / 2;
    d[i] = w < 99 ? v : 99;
  }
}
"""


@needs_gcc
def test_declarations_with_a_comma(tmp_path: Path) -> None:
    file = read(ROUNDED, "samples")
    drivers = """
void drive_samples(int n, float *x)
{
  for (int i = 0; i < n; i++)
    x[100 + i] = ((unsigned char *)x)[i] / 3.f;
  samples((short *)x, x + 100, n);
}
"""
    assert not compare(file, tmp_path, drivers)


ENUMERATORS = """
#include <stddef.h>
struct s { int a; double b; int c[4]; };
enum { PLACE = offsetof(struct s, b), NEXT, SIZE = sizeof(struct s), LAST, FOUR = 4, FIVE };
void places(int *x, const int *y, int n)
{
  for (int i = 0; i < n; i++) x[i] = PLACE * y[i];
  for (int i = 0; i < n; i++) x[i] += NEXT + FIVE;
  for (int i = 0; i < NEXT; i++) x[i] -= LAST;
  for (int i = 0; i < SIZE; i++) x[i] = x[i] == SIZE ? FOUR : LAST;
}
"""


@needs_gcc
def test_enumerators_of_which_nobody_knows_the_value(tmp_path: Path) -> None:
    """The next one has an unknown value, too, and none of them has an address."""
    file = read(ENUMERATORS, "places")
    assert "&PLACE" not in emitted(file)
    assert not compare(file, tmp_path, "void drive_places(int n, int *x) { places(x, x + 100, n); }")


ARGUMENTS = """
#include <stdarg.h>
int sum(int n, ...)
{
  int s = 0, i;
  va_list ap;
  va_start(ap, n);
  for (i = 0; i < n; i++) s += va_arg(ap, int);
  va_end(ap);
  return s;
}
static void fill(int *d, int n, va_list ap) { for (int i = 0; i < n; i++) d[i] = va_arg(ap, int); }
void filled(int *d, int n, ...)
{
  va_list ap;
  va_start(ap, n);
  fill(d, n, ap);
  for (int k = 0; k < 2; k++) { va_list other; va_copy(other, ap); fill(d, n, other); va_end(other); }
  va_end(ap);
}
void again(int *d, int n, ...)
{
  va_list ap;
  for (int k = 0; k < n; k++) { va_start(ap, n); d[k] = k; va_end(ap); }
}
"""


def test_arguments_without_names_are_other_ones_each_time() -> None:
    file = read_source("x.c", text=ARGUMENTS, auto=True)
    assert file.scops == ()
    assert {d.code for d in file.diagnostics} == {"call"}


def test_what_nobody_knows_of_structures_is_no_number() -> None:
    text = """
    #include <stddef.h>
    struct s { int a; double b; };
    void f(unsigned long *x, int n) { for (int i = 0; i < n; i++) x[i] = i * offsetof(struct s, b); }
    """
    file = read_source("x.c", text=text, auto=True)
    assert file.scops == ()
    assert [d.code for d in file.diagnostics] == ["address"]


def test_functions_for_numbers_of_any_type_are_not_those_of_doubles() -> None:
    text = """
    #include <tgmath.h>
    void f(float *x, int n) { for (int i = 0; i < n; i++) x[i] = sqrt(x[i]) * 3; }
    void g(float *x, int n) { for (int i = 0; i < n; i++) x[i] = sqrtf(x[i]) * 3; }
    """
    file = read_source("x.c", text=text, auto=True)
    assert [scop.name for scop in file.scops] == ["g"]
    assert [d.code for d in file.diagnostics] == ["call"]


COLOURS = """
static int high(int v, int k) { return (v * k) >> 8; }
static int clip(int v) { return (v & ~16383) == 0 ? v >> 6 : v < 0 ? 0 : 255; }
static int red(int y, int v) { return clip(high(y, 19077) + high(v, 26149) - 14234); }
static int green(int y, int u, int v) { return clip(high(y, 19077) - high(u, 6419) - high(v, 13320) + 8708); }
static int blue(int y, int u) { return clip(high(y, 19077) + high(u, 33050) - 17685); }
static void pixel(int y, int u, int v, unsigned char *p) { p[0] = red(y, v); p[1] = green(y, u, v); p[2] = blue(y, u); }
void colours(const unsigned char *y, const unsigned char *u, const unsigned char *v, unsigned char *p, int n)
{
  for (int i = 0; i < n; i++) {
    pixel(y[4 * i], u[i], v[i], p + 12 * i);
    pixel(y[4 * i + 1], (3 * u[i] + u[i + 1]) >> 2, v[i], p + 12 * i + 3);
    pixel(y[4 * i + 2], (u[i] + u[i + 1]) >> 1, v[i + 1], p + 12 * i + 6);
    pixel(y[4 * i + 3], u[i + 1], v[i + 1], p + 12 * i + 9);
  }
}
"""


@needs_gcc
def test_many_calls_of_small_functions_are_read(tmp_path: Path) -> None:
    drive = "void drive_colours(int n, unsigned char *x) { colours(x, x + 999, x + 1999, x + 2999, n); }"
    assert not compare(read(COLOURS, "colours"), tmp_path, drive)
