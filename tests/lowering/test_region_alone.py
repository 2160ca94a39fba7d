"""Regions as C files of their own: what they look like, and that they compute what the kernels do."""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from polyloop.backend.planning import scalar_program
from polyloop.frontend import read_c, read_source
from polyloop.lowering.region_alone import AloneError, Built, RegionAlone, region_alone
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.measure.compiled import results
from polyloop.measure.jobs import Data, Setting, compare, fresh_bench
from polyloop.measure.judge import FLAGS
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import fills
from polyloop.scop.model import Scop
from polyloop.scop.size_choice import default_sizes
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.support.compilers import NO_CONTRACTION, build_each, reading_options, user_compiler
from tests.helpers.reading import marked_scop

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

FILE = """\
#include <math.h>
#ifndef NOTHING
#define TWICE(x) (2 * (x))
static double table[7];
double total;
extern int missing(int);
int other(void) { return missing(3); }
void f(long n, const double *restrict a, float b[n][8], double start)
{
  register int i;
  unsigned j = 3;
  const int steps = 4;
  double own[9], sum = start;
  struct { int k; } unused = {missing(2)};
#define HERE 8 /* of the
#define NOT_HERE */
#pragma scop
  for (i = 0; i < n; i++)
    for (j = 0; j < HERE; j++) {
      sum += TWICE(a[i]) + table[j % 1];
      b[i][j] = own[j] * steps;
    }
  total = sum;
#pragma endscop
  table[0] = sum;
}
#endif
int after(void) { return 1; }
"""

SCALE = """\
void scale(int n, double *restrict y, const double *restrict x)
{
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i];
#pragma endscop
}
"""

EMITTED = ("atax", "deriche", "durbin", "kernel_adi", "lu")
"""Kernels of whose region an emitted form is built."""

ALONE = """\
__attribute__((noinline)) void polyloop_alone(long n, double sum, const double * __restrict a, \
double table[__restrict 7], float b[n][8], double own[__restrict 9], double total, double *polyloop_out_sum, \
double *polyloop_out_total)
{
    int i;
    unsigned j;
    const int steps = 4;
#define HERE 8 /* of the
#define NOT_HERE */
#pragma scop
REGION#pragma endscop
    *polyloop_out_sum = sum;
    *polyloop_out_total = total;
}

__attribute__((visibility("default"))) void polyloop_run(const long long *polyloop_slots)
{
    (void)polyloop_slots;
    polyloop_alone(polyloop_slots[0], *(double *)polyloop_slots[3], (void *)polyloop_slots[1], \
(void *)polyloop_slots[2], (void *)polyloop_slots[5], (void *)polyloop_slots[4], *(double *)polyloop_slots[6], \
(void *)polyloop_slots[3], (void *)polyloop_slots[6]);
}
"""


def test_the_file_of_a_region() -> None:
    """Declarations of what the region names, and nothing of what the function does."""
    scop = marked_scop(FILE)
    alone = region_alone(scop)
    text, start = alone.source.text, FILE.index("void f(")
    region = FILE[FILE.index("  for (i") : FILE.index("#pragma endscop")]
    assert text[:start] == FILE[:start]
    assert alone.source.function_start == start
    assert text[alone.source.begin : alone.source.end] == region
    assert text[start:].startswith(ALONE.replace("REGION", region))
    assert text.endswith("#endif\n}\n#endif\n")
    assert (alone.slots, alone.values) == (("n", "a", "table", "sum", "own", "b", "total"), 1)


TYPES = """
struct grid { int nx; short ny; double scale, total; double *data; const float *mask; double u[4][20]; };
struct wrap { struct grid *g; struct { double a, b; } in; };
typedef struct { double x, v[2]; } body;
typedef struct { double x; int id; } mixed;
struct member { short tag[3]; struct { float a; double b; } v; void *next; int id; };
struct crowd { int count; struct member *of; };
struct few { struct member of[40]; float total; };
typedef struct { int count; const body *from; body *to; } pair;
struct table { int n; double **rows; };
struct anything { int n; void *values; };
struct planes { int n; float *of[3]; };
struct rows { const int *first; double *x; };
typedef struct { int m[17], seed; } numbers, *Numbers;
typedef double **Matrix, vector[3];
typedef struct { int n; vector *x, *v; } triples;
struct layer { body *first, *last; };
struct shape { int w, h; };
static struct { double x, v[2]; } unnamed[30];
static const struct { float low, high; } pitches[3] = {{1, 2}, {3, 4}, {5, 6}};
"""
ELSEWHERE = {
    "bound": ("const struct grid *g, double *a", "for (int i = 0; i < g->nx; i++) a[i] = g->scale * a[i];"),
    "rows": (
        "int n, struct grid *g",
        "for (int i = 0; i < n; i++) for (int j = 0; j < g->ny; j++) g->data[i * g->ny + j] += g->u[1][j];",
    ),
    "row_far_in": (
        "struct rows *s, int r",
        "for (int k = s->first[90000 + r]; k <= s->first[90001 + r]; k++) s->x[k] = 2 * s->x[k] + 1;",
    ),
    "nameless": ("int n", "for (int i = 0; i < n; i++) unnamed[i].v[1] += 2 * unnamed[i].x;"),
    "tones": ("int n, const unsigned char *k, float *y", "for (int i = 0; i < n; i++) y[i] += pitches[k[i]].high * i;"),
    "of_a_list": (
        "int n, int k, double *x",
        "for (int i = 0; i < n; i++) x[list[k][1] + i] = 1 - 3 * i;",
        "const int list[][2] = {{5, 1}, {2, 3}};",
    ),
    "up_to_a_pointer": ("double *p, const double *end, double *o", "for (; p < end; p++) *o++ = *p * 3;"),
    "up_to_a_member": (
        "const struct layer *l, double d",
        "for (body *b = l->first; b != l->last; b++) b->x = b->v[1] * d;",
    ),
    "inside": ("struct grid *g", "for (int i = 0; i < 4; i++) for (int j = 0; j < 20; j++) g->u[i][j] += i;"),
    "row_inside": ("numbers *r, int n", "for (int i = 0; i < 17; i++) r->m[i] = 3 * r->m[i] + n;"),
    "pointer_by_name": ("Numbers r, int n", "for (int i = 0; i < 17; i++) r->m[i] = 3 * r->m[i] + n;"),
    "rows_by_name": ("Matrix v, int n, int p", "for (int i = 0; i < n; i++) v[p][i] = v[p][i] * 3 + 1;"),
    "rows_of_three": (
        "triples *s, int n",
        "for (int i = 0; i < n; i++) for (int d = 0; d < 3; d++) s->x[i][d] += s->v[i][d];",
    ),
    "nested": ("struct wrap *w, const double *a, int n", "for (int i = 0; i < n; i++) w->g->total += a[i] * w->in.b;"),
    "by_value": ("struct grid g, double *a", "for (int i = 0; i < g.nx - 1; i++) a[i] = g.scale - a[i + 1];"),
    "one_row": ("int n, double **v, int p", "for (int i = 0; i < n; i++) v[p][i] = v[i][0] - 3 * v[p][i];"),
    "cells": ("int *n, int m[2], double *a", "for (int i = 0; i < *n; i++) a[i] += m[1];"),
    "bodies": ("int n, body *p", "for (int i = 0; i < n; i++) p[i].x += 0.5 * p[i].v[1];"),
    "members": ("pair *s", "for (int i = 0; i < s->count; i++) s->to[i].x += s->from[i].v[1] - s->from[i].x;"),
    "masked": ("int n, struct grid *g, float *o", "for (int i = 0; i < n; i++) if (g->mask) o[i] = g->mask[i];"),
    "lengths": (
        "unsigned long w, unsigned long h, const float *a, float *b",
        "for (unsigned long i = 0; i < w * h; i++) b[i] = 2 * a[i] + 1;",
    ),
    "product": ("int w, int h, const float *a, float *b", "for (int i = 0; i < w * h; i++) b[i] = 2 * a[i] + 1;"),
    "area": ("const struct grid *g, float *b", "for (int i = 0; i < g->nx * g->ny; i++) b[i] = b[i] * b[i] - i;"),
    "both": (
        "const struct grid *g, double *b",
        "for (int i = 0; i < g->nx * g->ny; i++) for (int j = g->ny; j < g->nx + 20; j++) b[i] += j;",
    ),
    "strided": ("int n, int step, double *a", "for (int i = 2; i < n; i += step) a[i] += a[i] * i + 1;"),
    "strided_member": (
        "const struct grid *g, int step, double *a",
        "for (int i = 2; i < g->nx; i += step) a[i] += a[i] * i + 1;",
    ),
    "up_to": ("int n, int step, double *a", "for (int i = 2; i <= n; i += step) a[i] = a[i] * i + 3;"),
    "cast": (
        "struct anything *s, const void *p",
        "for (int i = 0; i < s->n; i++) ((float *)s->values)[i] += ((const float *)p)[i];",
    ),
    "quotient": (
        "int n, int h, int per, const double *a, double *b",
        "for (int i = 0; i < n; i++) b[i] += a[h / per * 7 + i] * 2;",
    ),
    "pass": (
        "int n, int len, double *a, const double *b",
        "for (int i = 0; i < n; i += len) for (int k = 0; k < len; k++) a[i + k] += 2 * b[k * (n / len)];",
    ),
    "square": ("int n, double *a", "for (int i = 0; i < n * n; i++) for (int j = 0; j < n; j++) a[i] += j;"),
    "rows_apart": (
        "int n, double **a",
        "for (int i = 1; i < n; i++) for (int j = 0; j < i; j++) a[i][j] += a[i - 1][j];",
    ),
    "constant_rows": (
        "int n, const float *const in[2], float *out",
        "for (int i = 0; i < n; i++) for (int j = 0; j < 2; j++) out[i] += 3 * in[j][i];",
    ),
    "planes": ("int n, float *out[2]", "for (int i = 0; i < n; i++) for (int j = 0; j < 2; j++) out[j][i] += 3 * i;"),
    "rows_inside": (
        "const struct table *t",
        "for (int i = 0; i < t->n; i++) for (int j = 0; j < t->n; j++) t->rows[i][j] *= t->rows[j][0] - i;",
    ),
    "planes_inside": (
        "struct planes *s",
        "for (int i = 0; i < s->n; i++) s->of[2][i] = s->of[0][i] - 3 * s->of[1][i];",
    ),
    "value": ("int k, int n, const int *value, double *d", "for (int c = n; c >= value[k]; c--) d[c] += 3 * c;"),
    "segment": (
        "int b, int m, const int *off, const double *u, double *o",
        "for (int e = off[b]; e < off[b + 1] + 5; e++) for (int d = 0; d < m; d++) o[b * m + d] += u[e * m + d];",
    ),
    "row_before": (
        "int t, int n, double **a",
        "for (int i = 0; i < n; i++) a[t][i] += 3 * a[t - 1][i];",
    ),
    "fourth_row": (
        "int y, int n, double *const *a, double *o",
        "for (int i = 0; i < n; i++) o[i] += a[y * 4][i];",
    ),
    "biases": ("int n, int c, float *y, const float *b", "for (int i = 0; i < n; i++) y[i] = y[i] * 3 + b[i % c];"),
    "stepping": (
        "unsigned step, float *y",
        "int j = 0; for (unsigned r = 0; r < 256; r += step) for (unsigned g = 0; g < 256; g += step) y[j++] += 1;",
    ),
    "channels": (
        "int n, int c, int hw, float *y, const float *s",
        "for (int i = 0; i < n * c * hw; i++) y[i] = y[i] * s[(i / hw) % c] + 1;",
    ),
    "products": (
        "int a, int b, int c, double *x",
        "for (int i = 0; i < a * b; i++) for (int j = 0; j < b * c; j++) x[i] += j;",
    ),
    "chosen": ("int cap, int k, const int *wt, double *d", "for (int c = cap; c >= wt[k]; c--) d[c] += 3;"),
    "pixels": (
        "const struct shape *g, float *y, int c",
        "for (unsigned long i = 0; i < (unsigned long)g->w * (unsigned long)g->h; i++) y[i] *= c;",
    ),
    "of_three": ("struct shape g, double *y, long c", "for (long i = 0; i < (long)g.w * g.h * c; i++) y[i] += 1;"),
    "unknown_rows": (
        "int rows, int w, body a[rows][w], int n",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j].x *= 2;",
    ),
}


SEVERAL = {
    "pointer": ("int n, mixed *p", "for (int i = 0; i < n; i++) { p[i].x += 2.5; if (p[i].id > 3) p[i].id -= i; }"),
    "not_the_first": ("int n, mixed *p", "for (int i = 0; i < n; i++) p[i].id = 3 * p[i].id + i;"),
    "in_a_structure": (
        "struct crowd *c, double d",
        "for (int i = 0; i < c->count; i++) { c->of[i].v.b += d * c->of[i].tag[1]; c->of[i].tag[2] ^= c->of[i].id; }",
    ),
    "by_value": (
        "struct few c, int n",
        "for (int i = 0; i < n; i++) { c.of[i].v.a -= i; c.total += c.of[i].tag[1]; }",
    ),
    "of_the_function": (
        "int n, double d",
        "for (int i = 0; i < n; i++) { own[i].x *= d; own[i].id += i; }",
        "mixed own[30];",
    ),
}
"""Structures with members of several types, of which the Scop has one array each."""


def elsewhere(name: str, parameters: str, region: str, front: str = "") -> Scop:
    return marked_scop(f"{TYPES}void {name}({parameters})\n{{\n{front}\n#pragma scop\n{region}\n#pragma endscop\n}}\n")


@needs_gcc
def test_structures_and_cells_are_made_anew(tmp_path: Path) -> None:
    alone = {name: region_alone(elsewhere(name, *parts)) for name, parts in ELSEWHERE.items()}
    assert {len(have) for have in same_as_ours(alone, tmp_path).values()} == {1}


@needs_gcc
def test_structures_with_members_of_several_types_are_made_anew(tmp_path: Path) -> None:
    alone = {name: region_alone(elsewhere(name, *parts)) for name, parts in SEVERAL.items()}
    have = same_as_ours(alone, tmp_path)
    assert {name: len(written) for name, written in have.items()} == {
        "pointer": 2,
        "not_the_first": 1,
        "in_a_structure": 2,
        "by_value": 2,
        "of_the_function": 2,
    }


def same_as_ours(alone: Mapping[str, RegionAlone], tmp_path: Path) -> dict[str, Data]:
    """What regions of files of their own write, built by gcc; it is what our own code generator makes of them."""
    sources: dict[Path, Path] = {}
    for name, region in alone.items():
        sources[tmp_path / f"{name}.so"] = tmp_path / f"{name}.c"
        (tmp_path / f"{name}.c").write_text(region.source.text)
    built = build_each(user_compiler(f"gcc -O1 {NO_CONTRACTION}"), sources, FLAGS)
    assert [error for error in built.values() if error is not None] == []
    found: dict[str, Data] = {}
    for name, region in alone.items():
        found[name], want = ran(region.scop, tmp_path / f"{name}.so", region.slots, region.values)
        assert compare(want, found[name], 0.0).different == 0, name
        assert compare(data(region.scop)[1], want, 0.0).different > 0, name
    return found


SCALARS = {
    # The set library has a word of this name, so the Scop has another.
    "named": """
void named(double max, const double *a, int n) {
#pragma scop
  for (int i = 0; i < n; i++) if (a[i] > max) max = a[i];
#pragma endscop
}""",
    # What k is if the loop does not run is a parameter of the Scop's, and k an array.
    "before": """
float a[32], b[32], c[32];
int kept;
void before(void) {
  int j, k;
  for (int t = 0; t < 2; t++) {
#pragma scop
    j = -1;
    for (int i = 0; i < 32 / 2; i++) { k = j + 1; a[i] = b[k]; j = k + 1; b[k] = a[i] + c[k]; }
#pragma endscop
    kept = k;
  }
}""",
    # Memory that nobody reads afterwards is the region's own there, too, and no parameter.
    "table": """
void table(int n, const float *restrict a, float *restrict b) {
  float weights[2 + 1][3];
#pragma scop
  for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) weights[i][j] = i + 2 * j;
  for (int k = 0; k < n; k++) { b[k] = 0; for (int i = 0; i < 3; i++) b[k] += a[k] * weights[i][2 - i]; }
#pragma endscop
}""",
    # Of a structure that is a variable the compiler would else forget what the loops leave in it.
    "structure": """
struct pair { double least, most; };
double f(int n, const double *a)
{
  struct pair p = {a[0], a[0]};
#pragma scop
  for (int i = 1; i < n; i++) {
    if (a[i] < p.least) p.least = a[i];
    if (a[i] > p.most) p.most = a[i];
  }
#pragma endscop
  return p.most - p.least;
}""",
    # The file's own array, which a function names that the region calls.
    "atoms": """
typedef struct { double x[2], f[2]; } atom;
static atom p[40];
static double force(int i, double of) {
  for (int k = 0; k < 2; k++) p[i].f[k] = of - p[i].x[k];
  return p[i].x[0];
}
double atoms(double dt)
{
  double sum = 0;
#pragma scop
  for (int i = 0; i < 40; i++) { for (int k = 0; k < 2; k++) p[i].x[k] += dt * p[i].f[k]; sum += force(i, dt); }
#pragma endscop
  return sum;
}""",
    # Types and enumerators of the function's own.
    "types": """
float types(const float *image)
{
  enum { W = 9, H = 7 };
  typedef float real;
  struct point { real a, b; } scales[W] = {{1, 2}};
  static real copy[H][W];
  for (int i = 0; i < W; i++) scales[i].a = i;
#pragma scop
  for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) copy[y][x] = (real)(image[y * W + x] * scales[x].a);
#pragma endscop
  return copy[2][3];
}""",
    # Where the region goes on from is known, whatever its variable is made from here.
    "counted": """
int counted(const float *a, int n, float *b)
{
  int i = 1, j = 2;
#pragma scop
  for (; i < n; i++) { b[j++] = a[i]; b[j++] = 2 * a[i]; }
#pragma endscop
  return j;
}""",
    # Of the end of a loop by steps the Scop knows only how many there are.
    "stage": """
void stage(int *a, int n, int half)
{
#pragma scop
  for (int i = 0; i < n; i += half << 1)
    for (int j = i; j < i + half; j++) { int u = a[j], v = a[j + half]; a[j] = u + v; a[j + half] = u - v; }
#pragma endscop
}""",
    # Bounds may be elements of the file's own arrays, or members of its structures.
    "bounds": """
static int points[3];
static struct { int nx; double h; } g;
static double u[40][40];
void bounds(double *a)
{
#pragma scop
  for (int i = 1; i < points[1] - 1; i++) for (int j = 0; j < g.nx; j++)
    u[i][j] = a[j] * g.h + u[i - 1][j];
#pragma endscop
}""",
    # Functions know variables of the file's that the region does not name.
    "called": """
static double ce[13][5], scale, *table, last;
static int steps;
static void exact(double x, double out[5])
{
  for (int m = 0; m < 5; m++) out[m] = ce[0][m] + x * ce[1][m] * scale + table[m] + steps;
  last = out[2];
}
void called(int n, double *a)
{
  double out[5];
#pragma scop
  for (int i = 0; i < n; i++) { exact(a[i], out); a[i] = out[0] + out[4]; }
#pragma endscop
  exact(last, a);
}""",
    # Of one name are a global, a variable beside the region, and one inside of what it calls.
    "hidden": """
static double m[4];
static double twice(double x) { double m = 2 * x; return m; }
void hidden(int n, double *a)
{
  double m = a[0];
#pragma scop
  for (int i = 1; i < n; i++) { a[i] += twice(m); m += a[i]; }
#pragma endscop
  a[0] = m;
}
double same(void) { return m[1]; }""",
    # What is called may stand behind, and call others.
    "later": """
static double third(double x);
static void push(double *best, double value);
void later(int n, const double *a, double *best)
{
#pragma scop
  for (int i = 0; i < n; i++) if (a[i] > best[0]) push(best, a[i]);
#pragma endscop
}
static void push(double *best, double value)
{
  best[1] = best[0];
  best[0] = third(value);
}
static double third(double x) { return x / 3; }
""",
    "element": """
void f(int n, int m, const int *key, const double *table, double *a)
{
#pragma scop
  for (int i = 0; i < n; i++) a[i] = table[i * m + key[0]];
  for (int i = 1; i < n; i++) a[i] += table[key[i]];
#pragma endscop
}""",
}


@needs_gcc
def test_scalars_that_the_scop_knows_otherwise(tmp_path: Path) -> None:
    regions = {name: region_alone(marked_scop(text)) for name, text in SCALARS.items()}
    assert [array.name for array in regions["named"].scop.arrays if not array.shape] == ["max_"]
    assert regions["before"].scop.parameters == ("k_before",)
    sources = {tmp_path / f"{name}.so": tmp_path / f"{name}.c" for name in regions}
    for output, source in sources.items():
        source.write_text(regions[output.stem].source.text)
    compiler = user_compiler(f"gcc -O1 -Werror=implicit-function-declaration {NO_CONTRACTION}")
    assert build_each(compiler, sources, FLAGS) == dict.fromkeys(sources)
    for output in sources:
        region = regions[output.stem]
        have, want = ran(region.scop, output, region.slots, region.values)
        assert compare(want, have, 0.0).different == 0, output.stem


@needs_gcc
def test_tables_of_pointers_for_compilers_before_1999(tmp_path: Path) -> None:
    """What makes the rows is text of ours, and loops through them."""
    compiler = user_compiler("gcc -O1 -std=gnu89")
    defines, undefines, _, _ = reading_options(str(compiler))
    text = "void f(int n, double ***a)\n{\n  int i, j;\n#pragma scop\n  for (i = 0; i < n; i++) for (j = 0; j < n; j++)"
    text += " a[i][j][0] = a[j][i][1] + i;\n#pragma endscop\n}\n"
    (scop,) = read_source("f.c", text=text, defines=defines, undefines=undefines).scops
    source = tmp_path / "alone.c"
    source.write_text(region_alone(scop).source.text)
    library = tmp_path / "alone.so"
    assert build_each(compiler, {library: source}, FLAGS) == {library: None}


def test_functions_with_attributes_that_stand_behind_are_there_too() -> None:
    body = "float twice(float x)\n{\n  return 2 * x;\n}"
    region = "for (int i = 0; i < n; i++) a[i] = twice(a[i]);"
    scop = marked_scop(
        f"float twice(float);\nvoid f(int n, float *a)\n{{\n#pragma scop\n  {region}\n#pragma endscop\n}}\n"
        f'__attribute__((optimize("fp-contract=off"), noinline))\n{body}\n'
    )
    text = region_alone(scop).source.text
    assert body in text[text.index(region) :]


def test_constants_of_the_file_keep_their_values(tmp_path: Path) -> None:
    scop = marked_scop(
        "static const double c[2] = {3, 5};\nstatic const double PI = 4;\n"
        "static double f(int i) { return c[i & 1] * PI; }\n"
        "void g(int n, double *a)\n{\n#pragma scop\n  for (int i = 0; i < n; i++) a[i] *= f(i);\n#pragma endscop\n}\n"
    )
    text = region_alone(scop).source.text
    assert "polyloop_alone(int n, double *a)" in text
    assert not re.search(r"(c|PI)\s*=\s*polyloop_slots|memcpy", text)


@pytest.mark.parametrize("compiler", ["gcc -O1", "clang -O1"])
def test_what_asks_to_be_exported_is_left_out_of_the_shared_object(compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler.split()[0]) is None:
        pytest.skip(f"there is no {compiler}")
    scop = marked_scop(
        'void not_here(void);\n__attribute__((visibility("default"))) void interface(void) { not_here(); }\n'
        "void f(int n, double *a)\n{\n#pragma scop\n  for (int i = 0; i < n; i++) a[i] += 1;\n#pragma endscop\n}\n"
    )
    source, library = tmp_path / "alone.c", tmp_path / "alone.so"
    source.write_text(region_alone(scop).source.text)
    assert "interface" in source.read_text()
    assert build_each(user_compiler(compiler), {library: source}, FLAGS) == {library: None}
    ctypes.CDLL(str(library), mode=os.RTLD_NOW)


def test_what_is_computed_from_memory_before_the_region_is_given_or_left_out() -> None:
    """Nothing has made the structure: reading it would crash."""
    front = "const double before = g->scale * 3, by = before + 1; const int three = 3;"
    scop = elsewhere("f", "struct grid *g, double *a, int n", "for (int i = 0; i < three * n; i++) a[i] *= by;", front)
    assert scop.source is not None
    values = {each.name: each.value for each in scop.source.declarations if each.value}
    assert values == {"by": "before + 1", "three": "3"}
    text = region_alone(scop).source.text
    assert "const double by" in text.partition("polyloop_alone(")[2].partition(")")[0]
    assert "scale * 3" not in text


def test_what_cannot_be_made_anew_is_refused() -> None:
    constants = "extern const double c[4];\nstatic double f(int i) { return c[i & 3]; }\n"
    scop = marked_scop(
        f"{constants}void g(int n, double *a)\n{{\n#pragma scop\n  for (int i = 0; i < n; i++) a[i] *= f(i);\n"
        "#pragma endscop\n}\n"
    )
    with pytest.raises(AloneError, match="c is no variable that the region names"):
        region_alone(scop)
    scop = elsewhere("f", "int n, double *a", "for (int i = 0; i < n * n; i++) a[i] = n;")
    with pytest.raises(AloneError, match="the product or quotient of n and n cannot be made anew"):
        region_alone(scop)
    region = "for (unsigned i = 0, j = 0; i < 256; i += step) a[j++] = i;"
    with pytest.raises(AloneError, match=r"\(step\).* cannot be made anew"):
        region_alone(elsewhere("f", "unsigned step, double *a", region))
    with pytest.raises(AloneError, match="was not read from a C file"):
        region_alone(replace(scop, source=None))


def data(scop: Scop) -> tuple[Setting, Data]:
    """A setting at small sizes, and what the arrays that the Scop writes hold before."""
    sizes = default_sizes(scop, dict.fromkeys(scop.parameters, 11)).values
    written = tuple({s.target.array for s in scop.statements} - {a.name for a in scop.arrays if a.local})
    program = scalar_program(lower(scop, original_tree(scop)), contract=False)
    setting = Setting(program, fills(scop, sizes), tuple(sizes.items()), written, contract=False)
    return setting, {name: fresh_bench(setting).pristine[name] for name in written}


@needs_gcc
def test_what_is_built_finds_its_arrays_where_malloc_would_have_them(tmp_path: Path) -> None:
    (scop,) = read_c("scale.c", text=SCALE)
    alone = region_alone(scop)
    source = tmp_path / "alone.c"
    source.write_text(alone.source.text)
    library = tmp_path / "alone.so"
    assert not any(build_each(user_compiler("gcc -O1"), {library: source}, FLAGS).values())
    setting, _ = data(scop)
    bench = fresh_bench(setting)
    results(bench, Built(str(library), alone.slots, alone.values))
    assert {array.ctypes.data % mmap.PAGESIZE for array in bench.theirs.values()} == {16}
    assert all((bench.working[name] == bench.pristine[name]).all() for name in bench.working)


def ran(scop: Scop, library: Path, slots: tuple[str, ...], values: int) -> tuple[Data, Data]:
    """The results of a shared object, and those of our own code generator."""
    setting, before = data(scop)
    expected = fresh_bench(setting)
    expected.bound(setting.original)()
    have = results(fresh_bench(setting), Built(str(library), slots, values))
    return have, {name: expected.working[name] for name in before}


@needs_gcc
def test_every_kernel_alone_computes_what_it_is_to(tmp_path: Path) -> None:
    """As it stands, and of some with emitted C in its place."""
    alone = {scop.name: region_alone(scop) for name in kernel_names() for scop in read_source(kernel(name).path).scops}
    assert len(alone) == 31
    sources: dict[Path, Path] = {}
    for name, region in alone.items():
        text = region.source.text
        if name in EMITTED:
            program = scalar_program(lower(region.scop, original_tree(region.scop)), contract=False)
            text = emit_c_file(text, [Replacement(region.scop, program)])
        source = tmp_path / f"{name}.c"
        source.write_text(text)
        sources[source.with_suffix(".so")] = source
    compiler = user_compiler(f"gcc -O1 -Werror=implicit-function-declaration {NO_CONTRACTION}")
    assert [error for error in build_each(compiler, sources, FLAGS).values() if error is not None] == []
    for name, region in alone.items():
        have, want = ran(region.scop, tmp_path / f"{name}.so", region.slots, region.values)
        assert compare(want, have, 0.0).different == 0, name


@needs_gcc
def test_what_the_region_does_without_need_not_be_there(tmp_path: Path) -> None:
    """The file calls functions, and its function starts with one, that no library has."""
    region = region_alone(marked_scop(FILE))
    (tmp_path / "f.c").write_text(region.source.text)
    compiler = user_compiler(f"gcc -O1 {NO_CONTRACTION}")
    assert build_each(compiler, {tmp_path / "f.so": tmp_path / "f.c"}, FLAGS) == {tmp_path / "f.so": None}
    have, want = ran(region.scop, tmp_path / "f.so", region.slots, region.values)
    assert set(want) == {"sum", "b", "total"}
    assert compare(want, have, 0.0).different == 0
