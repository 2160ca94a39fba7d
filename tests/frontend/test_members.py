"""Members of structures, cells that bounds read, arrays of structures: what they are read as, and what is emitted.

Every function below is compiled by gcc as it stands and as polyloop emits it, and both get the same memory: structures
that a driver builds from two plain arrays. Where the loops do not run, pointers are null.
"""

from __future__ import annotations

import numpy as np
import pytest

import polyloop
from polyloop.backend.ir.affine import And, affine, at_least
from polyloop.frontend import read_c
from polyloop.frontend.scopes import NO_MEMBERS, CSourceError
from polyloop.scop.data import make_data
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, drivers, needs_gcc, sizes_that_fall_back
from tests.frontend.evaluation import run_scop

TYPES = """
#include <stddef.h>
#include <string.h>
struct grid { int nx, ny; double scale, total; double *data; double u[4][70]; int dims[3]; };
struct wrap { struct grid *g; struct { double a, b; } in; };
typedef struct _image image;
typedef struct { double x, y; double v[2]; int id, flag; float w; } body;
struct cell { float f[3]; };
struct point { double x, y; };
struct _image { long w, h; unsigned char *px; double *mask; };
struct anything { int n; void *values; struct { const void *values; } in; };
static int limit;
typedef struct { int id; unsigned count:28, back:1, group:7; int at; unsigned char a:4, b:3; double s; unsigned :0;
  union { double d; int i[3]; } u; char c; _Bool last:1; long long wide:40; short end; } packet;
typedef struct { union { struct { short d, m; }; int dm; }; union { short s[2]; float f; } u; unsigned char q[8];
} block;
struct list { int at[4]; float error; };
typedef struct { int rows, cols; union { unsigned char *u8; double *f64; } data;
  union { struct { double scale; int n; } one; struct { int n; double w[8]; } two; } u; } tagged;
static const union { unsigned bits; float value; } infinite = { 0x7F800000 };
typedef struct __attribute__((packed)) { unsigned char r, g, b; } pixel;
#pragma pack(push, 2)
typedef struct { char kind; short at; int id; float v[2]; } entry;
typedef struct { short n; float weight[64]; } weights;
#pragma pack(pop)
struct plain { char kind; int id; };
struct mixed { double d; struct { char kind; int id; } __attribute__((packed)) in; char end[3]; };
"""
BODIES = {
    # name: (parameters, region, driver's body: n, x (2*n*n + 8*n + 8 doubles), y (as many), k (integers))
    "scalars": ("struct grid *g, double *a", "for (int i = 0; i < g->nx; i++) a[i] = g->scale * a[i];",
                "struct grid g = {.nx = n, .scale = y[0]}; scalars(&g, x);"),
    "copies": ("struct grid *g, int nz, const double *a, double *b",
               "int nx = g->nx, ny = g->ny, nxy = nx * ny;\n#pragma scop\nfor (int k = 0; k < nz; k++)"
               " for (int j = 0; j < ny; j++) for (int i = 0; i < nx; i++) { int c = i + g->nx * (j + g->ny * k);"
               " double s = a[c]; if (i > 0) s -= a[c - 1]; if (j > 0) s -= a[c - nx]; if (k < nz - 1) s += a[c + nxy];"
               " b[c] = s; }\n#pragma endscop",
               "struct grid g = {.nx = n, .ny = (n + 1) / 2}; copies(&g, n ? 3 : 0, y, x);"),
    "words_of_sets": ("int min, long Max, double *floor",
                      "for (int max = min; max < Max; max++) floor[max] += min * (min + 1) * Max;",
                      "words_of_sets(n > 1, n, x);"),
    "bit_fields": ("int n, packet *p", "for (int i = 0; i < n; i++) { p[i].at += p[i].id; p[i].s *= 2;"
                   " p[i].end = p[i].c + i; }",
                   "packet p[80]; memset(p, 0, sizeof p); for (int i = 0; i < n; i++)"
                   " p[i] = (packet){i, k[i], 1, 77, k[i], 9, 5, y[i], {x[i]}, (char)i, 1, -i, (short)k[i]};"
                   " bit_fields(n, p);"
                   " for (int i = 0; i < n; i++) x[i] = p[i].at + p[i].s + p[i].end + p[i].count + p[i].group + p[i].a"
                   " + p[i].u.d + p[i].c + p[i].last + p[i].wide;"),
    "packed": ("int n, entry *e, pixel *p, struct plain *q", "for (int i = 0; i < n; i++) { e[i].v[1] += e[i].id"
               " * e[i].v[0]; e[i].at -= e[i].kind; p[i].g = p[i].r + p[i].b; q[i].id += i; }",
               "entry *e = (entry *)((char *)x + (n == 33 ? 2 : 4)); pixel p[64]; struct plain q[64] = {{0, 0}};"
               " for (int i = 0; i < n; i++) { e[i] = (entry){(char)i, (short)k[i], i, {(float)y[i], 1}};"
               " p[i] = (pixel){3 * i, 7, k[i]}; } packed(n, e, p, q);"
               " for (int i = 0; i < n; i++) y[i] += p[i].g + q[i].id;"),
    "packed_inside": ("int n, struct mixed *m", "for (int i = 0; i < n; i++) m[i].in.id += i;",
                      "packed_inside(n / 2, (void *)x);"),
    "of_packed": ("const weights *w, float *a", "for (int i = 0; i < w->n; i++) a[i] *= w->weight[i];",
                  "weights w[2]; weights *q = (weights *)((char *)w + (n == 33 ? 4 : 2)); q->n = n;"
                  " for (int i = 0; i < n; i++) q->weight[i] = (float)y[i]; of_packed(q, (float *)x);"),
    "of_any_type": ("struct anything *s", "for (int i = 0; i < s->n; i++) { const float *q = (const float *)s->in"
                    ".values + 2; ((double *)s->values)[i] += q[i] * ((const float *)s->in.values)[0]; }",
                    "struct anything s = {n, n ? x : 0, {n ? y : 0}}; of_any_type(&s);"),
    "of_a_union": ("int n, float *a", "for (int i = 0; i < n; i++) a[i] = a[i] > 1 ? infinite.value : a[i];",
                   "for (int i = 0; i < n; i++) ((float *)x)[i] = (float)y[i]; of_a_union(n, (float *)x);"),
    "of_unions": ("int n, block *b, block *c", "for (int i = 0; i < n; i++) { b[i].m = b[i].d + c[i].q[3];"
                  " for (int j = 0; j < 8; j++) b[i].q[j] += c[i].dm + j; b[i].u.s[1] = i; }",
                  "of_unions(n, (block *)x, n == 7 ? (block *)x + 1 : (block *)y);"),
    "pointers_in_unions": ("tagged *a, tagged *b", "for (int i = 0; i < a->rows; i++) for (int j = 0; j < a->cols; j++)"
                           " a->data.f64[i * a->cols + j] += b->data.u8[i * b->cols + j];",
                           "tagged a = {.rows = n, .cols = n, .data.f64 = x}, b = {.cols = n, .data.u8 ="
                           " (unsigned char *)y}; pointers_in_unions(&a, &b);"),
    "numbers_in_unions": ("tagged *t, double *a", "for (int i = 0; i < t->u.one.n; i++) a[i] *= t->u.one.scale;",
                          "tagged t = {.u.one = {y[0], n}}; numbers_in_unions(&t, x);"),
    "arrays_in_unions": ("tagged *t, int n", "for (int i = 0; i < 8; i++) t->u.two.w[i] += n * t->u.two.n;",
                         "tagged t = {.u.two = {3, {y[0], y[1]}}}; arrays_in_unions(&t, n);"
                         " memcpy(x, t.u.two.w, sizeof t.u.two.w);"),
    "aliased_union": ("tagged *t, int *a, int n", "for (int i = 0; i < n; i++) a[i] = (int)t->u.one.scale + i;",
                      "tagged t = {.u.one = {y[0], n}}; aliased_union(&t, n == 7 ? &t.u.two.n : k, n == 7 ? 1 : n);"
                      " k[0] += (int)t.u.one.scale;"),
    # Macros that are defined inside are used behind it.
    "macros": ("int n, double *restrict a, const double *restrict b",
               "\n#pragma scop\nfor (int i = 1; i < n - 1; i++) {\n#define NEIGH(k) (b[i + (k)])\n#if 0\n"
               "#define TWICE(x) (3 * (x))\n#else\n# define TWICE(x) \\\n  (2 * (x))\n#endif\n"
               "a[i] = TWICE(NEIGH(1)) + NEIGH(-1);\n/*\n"
               "#define LOST 1\n*/\n#undef NEIGH\n#define NEIGH(k) (a[k])\n}\n#pragma endscop\na[0] = TWICE(NEIGH(1));",
               "macros(n, x, y);"),
    "single_rows": ("int n, double **out, double *const *in", "for (int i = 0; i < n; i++) { out[0][i] += in[1][i];"
                    " out[1][i] = in[0][i] * 2; }",
                    "double *o[] = {x, x + n}, *in[] = {y, y + n}; single_rows(n, n ? o : 0, n ? in : 0);"),
    "behind_a_pointer": ("int **next, int v, int n", "for (int i = 0; i < n; i++) (*next)[i] = v + i;",
                         "int *p = k + 3; behind_a_pointer(n ? &p : 0, 7, n < 80 ? n : 80);"),
    "inner_bound": ("int n, struct grid *g", "for (int i = 0; i < n; i++) for (int j = 0; j < g->ny; j++)"
                    " g->data[i * g->ny + j] += g->u[1][j];",
                    "struct grid g = {.ny = n, .data = x}; if (n) for (int i = 0; i < n; i++) g.u[1][i] = y[i];"
                    " inner_bound(n, n ? &g : 0);"),
    "sums": ("struct wrap *w, const double *a, int n", "for (int i = 0; i < n; i++) w->g->total += a[i] * w->in.b;",
             "struct grid g = {.total = y[0]}; struct wrap w = {&g, {0, y[1]}}; sums(n ? &w : 0, x, n);"
             " y[2] = g.total;"),
    "by_value": ("struct grid g, double *a", "for (int i = 0; i < g.nx - 1; i++) a[i] = g.scale - a[i + 1];",
                 "struct grid g = {.nx = n, .scale = y[0]}; by_value(g, x);"),
    "through_pointers": ("int *n, int *m, double *a",
                         "for (int i = 0; i < *n; i++) for (int j = 0; j < *m; j++) a[i * *m + j] *= 3;",
                         "through_pointers(&n, n ? &n : 0, x);"),
    "table": ("int size[3], double *a", "for (int i = 1; i < size[0] - 1; i++) for (int j = 0; j <= size[1] - 2; j++)"
              " a[i * size[1] + j] += i - j;", "int s[] = {n, n, 0}; table(s, x);"),
    "dimensions": ("struct grid *g, double *a", "for (int i = 0; i < g->dims[2]; i++) a[i] += i;",
                   "struct grid g = {.dims = {0, 0, n}}; dimensions(&g, x);"),
    "bytes": ("image *s, image *d", "for (long r = 0; r < s->h; r++) for (long c = 0; c < s->w; c++)"
              " d->px[r * d->w + c] = s->px[r * s->w + c] >> 1;",
              "image s = {n, n, (unsigned char *)x, 0}, d = {n, n, (unsigned char *)y, 0}; bytes(&s, &d);"),
    "overwriting": ("image *s, unsigned char *a, long n", "for (long i = 0; i < n; i++) a[i] = s->w + s->px[i];",
                    "image s = {n, n, (unsigned char *)y, 0}; overwriting(&s, n == 7 ? (unsigned char *)&s : "
                    "(unsigned char *)x, n); y[0] = s.w;"),
    "bodies": ("int n, body *p, double dt",
               "for (int i = 0; i < n; i++) { p[i].x += dt * p[i].v[0]; p[i].y += dt * p[i].v[1]; p[i].id += 1; }",
               "body p[80]; for (int i = 0; i < n; i++)"
               " p[i] = (body){x[i], y[i], {i, y[i]}, i, 7 * i, 0.5f};"
               " bodies(n, p, 0.25); for (int i = 0; i < n; i++)"
               " { x[i] = p[i].x; y[i] = p[i].y; k[i] = p[i].id - p[i].flag; }"),
    "cells": ("int n, int m, struct cell c[n][m]",
              "for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) for (int q = 0; q < 3; q++)"
              " c[i][j].f[q] += c[i][j - 1].f[2 - q];",
              "cells(n, n, (void *)x);"),
    "optional": ("int n, double *a, const double *b", "for (int i = 0; i < n; i++) a[i] += b ? b[i] : 0.5;",
                 "optional(n, x, 0); optional(n, x, y);"),
    "masked": ("long n, image *s, double *o", "for (long i = 0; i < n; i++) if (s->mask != NULL) o[i] *= s->mask[i];"
               " else o[i] = 0;", "image s = {.mask = n % 2 ? y : 0}; masked(n, n ? &s : 0, x);"),
    "absent": ("struct wrap *s, double *a", "if (s->g) { for (int i = 0; i < 60; i++) a[i] += s->g->u[1][i];"
               " a[0] += s->g->total; } else a[1] += 3;",
               "struct grid g = {.total = n}; for (int i = 0; i < 60; i++) g.u[1][i] = k[i];"
               " struct wrap s = {.g = n % 2 ? &g : 0}; if (n > 6) absent(&s, x);"),
    "absent_bodies": ("int n, const body *p, double *a", "for (int i = 0; i < n; i++) a[i] += p ? p[i].y : 2;",
                      "body p[80]; for (int i = 0; i < n; i++) p[i].y = k[i]; absent_bodies(n, n % 2 ? p : 0, x);"),
    "perhaps": ("int flag, int n, const struct grid *g, double *a",
                "#pragma scop\n  if (flag) for (int i = 0; i < n; i++) a[i] += g->u[1][i];\n#pragma endscop\n"
                "if (!g) a[n] = 77;",
                "struct grid g; for (int i = 0; i < n; i++) g.u[1][i] = k[i]; perhaps(n % 2, n, n % 2 ? &g : 0, x);"),
    "total": ("int n, const double *a, double *s", "for (int i = 0; i < n; i++) *s += a[i];",
              "total(n, x, y); total(n, x, x + n / 2);"),
    "changed_bound": ("int *a", "for (int i = 0; i < limit; i++) a[i] = 2 * i;",
                      "limit = n; changed_bound(k); if (n == 7) { changed_bound(&limit); k[0] = limit; }"),
    "aliased_cell": ("int *n, int *a", "for (int i = 0; i < *n; i++) a[i] = i + 3;",
                     "int t[80] = {n}; t[2] = n; aliased_cell(t, k); if (n > 3) aliased_cell(t + 2, t); k[0] = t[2];"),
    "aliased_byte": ("unsigned char *n, double *a", "for (int i = 0; i < *n; i++) a[i] = i + 3;",
                     "unsigned char b = n; aliased_byte(&b, y); *(unsigned char *)x = n;"
                     " aliased_byte((unsigned char *)x, x);"),
    "summed_before": ("int n, int m, struct grid *g, double *a", "int k = 0; for (int i = 0; i < n; i++) k += g->nx;"
                      " for (int j = 0; j < m; j++) a[j] += k;",
                      "struct grid g = {.nx = 3}; summed_before(n / 2, n, n / 2 ? &g : 0, x);"),
    "summed_inside": ("int n, int m, struct grid *g, double *a", "long k = 0; for (int i = 0; i < n; i++) { a[i] = k;"
                      " for (int j = 0; j < m; j++) { a[i] += k; k += g->nx; } }",
                      "struct grid g = {.nx = 3}; summed_inside(n, n / 2, n / 2 ? &g : 0, x);"),
    "on_data": ("int n, struct grid *g, double *a", "for (int i = 0; i < n; i++) if (a[i] > g->ny) a[i] = g->scale;",
                "struct grid g = {.ny = 40, .scale = 5}; on_data(n, n ? &g : 0, x);"),
    "member_on_data": ("int n, struct grid *g, double *a",
                       "for (int i = 0; i < n; i++) if (i < g->nx && a[i] > 30) a[i] = g->data[i];",
                       "struct grid g = {.nx = n - 1, .data = y}; member_on_data(n, n ? &g : 0, x);"),
    "whole": ("int n, body *p, const body *q", "for (int i = 0; i < n; i++) p[i] = q[n - 1 - i];",
              "static body p[80], q[80]; for (int i = 0; i < n; i++)"
              " q[i] = (body){x[i], y[i], {i, y[i]}, i, 7 * i, 0.5f}; whole(n, p, q);"
              " for (int i = 0; i < n; i++) { x[i] = p[i].x - p[i].v[1] + p[i].w; k[i] = p[i].id - p[i].flag; }"),
    "chosen_by_itself": ("int n, struct point *p",
                         "for (int i = 0; i < n; i++) p[i] = p[(int)(p[i].x * p[i].x) % n];",
                         "chosen_by_itself(n, (void *)x);"),
    "chosen_by_member": ("int n, struct grid *g, struct point *p, const struct point *q",
                         "for (int i = 0; i < n; i++) p[g->dims[1] + i] = q[i + g->ny];",
                         "struct grid g = {.ny = 1, .dims = {0, 3}};"
                         "chosen_by_member(n, &g, (void *)x, (void *)y);"),
    "whole_literals": ("int n, struct point *p", "for (int i = 0; i < n; i++) { struct point e = "
                       "(struct point){.y = i}; p[i] = (struct point){p[i].y, p[i].x + e.y}; "
                       "if (i % 3) e = i % 2 ? p[i] : p[0]; p[i / 2].x += e.x; }", "whole_literals(n, (void *)x);"),
    "own_structures": ("int n, struct point *p", "for (int i = 0; i < n; i++) { struct point d, e = p[i], z = {1, 0};"
                       " d.x = e.x * 2; d.y = z.x + z.y; e = d; p[i].x = e.y; p[i].y = e.x; p[i + 1] = d; }",
                       "own_structures(n, (void *)x);"),
    "copied_blocks": ("int n, struct point *p, const struct point *q",
                      "for (int i = 0; i < 3; i++) { memcpy(&p[i * n], q + i, n * sizeof(struct point));"
                      " p[i * n].x += p[i * n].y; }", "copied_blocks(n, (void *)x, (void *)y);"),
    "moved_blocks": ("int n, struct cell *c", "for (int i = 0; i < 4; i++) { memmove(c, c + 1, (n - 1) * sizeof *c);"
                     " c[n - 1].f[i % 3] += c[i].f[0]; }", "if (n > 4) moved_blocks(n, (void *)x);"),
    "cleared_blocks": ("int n, struct cell *c, struct point *p", "for (int i = 0; i < 3; i++) {"
                       " memset(c + i * n, 0, sizeof *c * n); memset(&p[i * n], 0, n * sizeof *p);"
                       " c[i * n].f[1] = p[i * n].y + 1; }",
                       "cleared_blocks(n, (void *)x, (void *)y);"),
    "blocks_once": ("int n, int m, unsigned char *d, int (*t)[8], int *q, const int *k", "for (int i = 0; i < n; i++) {"
                    " memset(d + 1, *d, 5); d += 5; memset(d, t[i][0], 3); memcpy(t[t[i][0] & 1], k, 8 * sizeof *k);"
                    " memcpy(q + (i + 1) * m, q + i * m, 4 * m); q[i]++; }",
                    "blocks_once(n, n, (void *)y, (void *)x, (int *)(y + n + 8), n > 7 ? k : (int *)y + 9);"),
    "list": ("int n, struct list *to, const int *k", "for (int i = 0; i < n; i++) memcpy(&to[i].at[0], &k[i], 4 * 2);",
             "list(n, (void *)x, k);"),
    "blocks_of_bytes": ("int n, int size, short *to, const short *from", "for (int i = 0; i < n; i++) {"
                        " memcpy(to, from, size); from += n; to += n + 1; }",
                        "blocks_of_bytes(n, (int)sizeof(short) * (n / 2), (void *)x, (void *)y);"
                        " if (n < 8) blocks_of_bytes(n, n, (short *)x + n, (void *)y);"),
    "area": ("image *s", "for (long i = 0; i < s->w * s->h; i++) s->px[i] = 255 - s->px[i];",
             "image s = {n, n, (unsigned char *)x, 0}; area(&s);"),
    "quotients": ("int n, int m, int k, double *a", "for (int i = 0; i < n; i++) { int h = m / k;"
                  " for (int j = 0; j < h; j++) if (j < m % k) a[i * h + j] += j; }", "quotients(n, 7 * n + 2, n, x);"),
    "areas": ("unsigned long n, unsigned long m, double *a",
              "unsigned long t = n * (m - 1); for (unsigned long i = 0; i < t; i++) a[i] = i;", "areas(n, n + 1, x);"),
    "while_loop": ("struct grid *g, double *a", "int i = 0; while (i < g->nx) { a[i] += g->data[i]; i++; }",
                   "struct grid g = {.nx = n, .data = y}; while_loop(&g, x);"),
}  # fmt: skip
SIZES = (0, 1, 2, 7, 33, 64)
SLOW = {  # these sizes cannot take the fast path: something overlaps, or the loops do not run
    "packed": {33},  # nothing is aligned there
    "of_packed": {33},
    "packed_inside": set(SIZES),
    "absent": {64},
    "perhaps": {0, 2, 64},
    "absent_bodies": {0, 2, 64},
    "overwriting": {7},
    "of_unions": {7},
    "aliased_union": {7},
    "pointers_in_unions": {0},
    "total": {1, 2, 7, 33, 64},
    "changed_bound": {7},
    "aliased_cell": {7, 33, 64},
    "blocks_once": {7},
    "blocks_of_bytes": {1, 7},  # odd numbers
    "aliased_byte": {1, 2, 7, 33, 64},
    "summed_before": {0, 1},
    "summed_inside": {0, 1},
}
_FIRST = "behind_a_pointer single_rows copied_blocks cleared_blocks blocks_once blocks_of_bytes "
_FIRST += "chosen_by_member inner_bound sums through_pointers bytes cells masked on_data member_on_data quotients"
FIRST_RUNS = {name: {0} for name in _FIRST.split()} | {"table": {0, 1, 2}, "overwriting": {0, 7}}
"""Sizes at which the loops do not run in front of which memory is read."""


TEXT = drivers(TYPES, BODIES)


def test_all_are_read(scops: dict[str, Scop]) -> None:
    assert list(scops) == list(BODIES)


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, SIZES) == FIRST_RUNS.get(name, set()) | SLOW.get(name, set())


@pytest.mark.parametrize("name", ["inner_bound", "sums", "bodies", "cells", "masked"])
def test_kernels_take_members_by_name(name: str, scops: dict[str, Scop]) -> None:
    scop = scops[name]
    sizes = dict.fromkeys(scop.parameters, 7)
    ours, theirs = make_data(scop, sizes), make_data(scop, sizes)
    run_scop(scop, {**sizes, **theirs})
    polyloop.compile(scop, contract="off")(**sizes, **ours)
    for array, values in theirs.items():
        np.testing.assert_array_equal(values, ours[array])


def test_names_and_addresses(scops: dict[str, Scop]) -> None:
    scop = scops["inner_bound"]
    assert scop.source is not None
    assert scop.parameters == ("n", "g_ny")
    assert {a.name: scop.source.address(a.name) for a in scop.arrays} == {"g_data": "g->data", "g_u": "&g->u[0][0]"}
    assert scop.source.value("g_ny") == "g->ny"
    assert all(array.may_alias for array in scop.arrays)
    assert scops["through_pointers"].parameters == ("n", "m")
    assert scops["table"].parameters == ("size_0", "size_1")


def test_memory_is_read_where_the_original_reads_it(scops: dict[str, Scop]) -> None:
    n = affine("n")
    found = {m.name: m.read for name in ("inner_bound", "scalars") for m in scops[name].source.memory}  # type: ignore[union-attr]
    assert found["g_nx"] == And(())
    assert found["g_ny"] == at_least(n, 1)
    assert found["g_data"] == at_least(n, 1)  # where g->ny is, g->data is
    assert found["g_u"] == And(())


def test_values_that_are_no_sums_are_parameters(scops: dict[str, Scop]) -> None:
    n = affine("n")
    assert {m.name: (m.text, m.read) for m in scops["quotients"].source.memory} == {  # type: ignore[union-attr]
        "m_over_k": ("(m / k)", at_least(n, 1)),
        "m_modulo_k": ("(m % k)", And((at_least(affine("m_over_k"), 1), at_least(n, 1)))),
    }
    (area, _) = scops["area"].source.memory  # type: ignore[union-attr]
    assert (area.name, area.text) == ("s_w_s_h", "(long)((unsigned long)(s->w) * (unsigned long)(s->h))")
    assert area.cells == (("s->w", ("s_px",)), ("s->h", ("s_px",)))


def test_copies_of_members_are_these(scops: dict[str, Scop]) -> None:
    found = scops["copies"]
    assert set(found.parameters) == {"nz", "g_nx", "g_ny"}
    assert found.array("a").shape == (None, affine("g_ny"), affine("g_nx"))


def test_structures_are_rows_of_their_members(scops: dict[str, Scop]) -> None:
    scop, i = scops["bodies"], affine("i")
    written = [(s.target.array, s.target.subscripts) for s in scop.statements]
    assert written == [("p_doubles", (i * 6,)), ("p_doubles", (i * 6 + 1,)), ("p_ints", (i * 12,))]
    cells = scops["cells"].statements[0]
    assert cells.target.subscripts == (i, affine("j"), affine("q"))
    assert [str(e) for e in scops["cells"].array("c_floats").shape[1:]] == ["m", "3"]


def test_stores_that_change_what_was_read_are_tested(scops: dict[str, Scop]) -> None:
    def cells(name: str) -> dict[str, tuple[str, ...]]:
        source = scops[name].source
        assert source is not None
        return {text: arrays for memory in source.memory for text, arrays in memory.cells}

    assert cells("bytes") == dict.fromkeys(("s->h", "s->w", "d->w", "s->px", "d->px"), ("d_px",))
    assert cells("changed_bound") == {"limit": ("a",)}
    assert cells("aliased_cell") == {"*n": ("a",)}
    assert cells("scalars") == {"g->nx": ()}  # C lets a double not change an int


HEAD = (
    "struct s { int n; double x, *p; unsigned bits : 3; volatile int v; union { int a; float b; } u;\n"
    "  long double q; };\n"
)
REFUSED = {
    "two members of a union": ("struct s *s, double *a", "for (int i = 0; i < s->u.a; i++) s->u.b += a[i];"),
    "union of two types": ("struct s *s, int n", "for (int i = 0; i < n; i++) { s[i].u.b = 1; s[i + 1].u.a = i; }"),
    "bit field": ("struct s *s, double *a", "for (int i = 0; i < s->bits; i++) a[i] = 0;"),
    "volatile member": ("struct s *s, double *a", "for (int i = 0; i < s->v; i++) a[i] = 0;"),
    "volatile structure": ("volatile struct s *s, double *a", "for (int i = 0; i < s->n; i++) a[i] = 0;"),
    "packed": ("struct t *s, double *a", "for (int i = 0; i < s->n; i++) a[i] = s[i].x;"),
    "packed rows": ("struct r **s, double *a", "for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++)"
                    " a[i] += s[i][j].x;"),
    "packed bits": ("struct u *s, double *a", "for (int i = 0; i < s->n; i++) a[i] = s[i].x;"),
    "changed": ("struct s *s, double *a", "for (int i = 0; i < s->n; i++) { a[i] = 0; s->n = 3; }"),
    "moved": ("struct s *s, double *a, int n", "for (int i = 0; i < n; i++) { a[i] = s->x; s = s + 1; }"),
    "pointers in an array": ("struct s *s, int n", "for (int i = 0; i < n; i++) s[i].p[0] = 1;"),
    "whole": ("struct s *s, struct s *t, int n", "for (int i = 0; i < n; i++) s[i] = t[i];"),
    "macro": ("struct s *s, double *a", "\n#define n (s->n)\n#pragma scop\nfor (int i = 0; i < n; i++) a[i] = 0;"),
    "perhaps a stride": ("struct s *s, double *a, int n",
                        "for (int i = 0; i < n; i++) if (a[i] > 1) a[i * s->n] = 0;"),
    "perhaps in one branch": ("struct s *s, double *a, int n",
                "for (int i = 0; i < n; i++) if (a[i] > 1) a[i] = s->p[i]; else a[i] = a[i] > 0 ? s->p[i] : 0;"),
    "perhaps": ("struct s *s, double *a, int n",
                "for (int i = 0; i < n; i++) a[i] = a[i] > 1 ? s->p[i] : 0;"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    signature, region = REFUSED[name]
    head = HEAD + "struct v { double a, b; }; struct t { char c; int n; short x; } __attribute__((packed));\n"
    head += "struct u { int n, k:3, x; } __attribute__((packed)); struct r { double x; } __attribute__((packed));\n"
    region = region if "#pragma scop" in region else f"#pragma scop\n{region}"
    text = f"{head}void f({signature})\n{{\n{region}\n#pragma endscop\n}}\n"
    with pytest.raises(CSourceError) as caught:
        read_c("refused.c", text=text)
    assert str(caught.value).split("left as it is: ")[1].split(" [")[0] == MESSAGES.get(name, NO_MEMBERS)


@pytest.mark.parametrize(
    "body",
    [
        "if (a[i] > 1) a[i] = s->p[i]; else s->p[i] = a[i];",
        "a[i] = a[i] > 1 ? (a[i] > 2 ? s->p[i] : s->p[0]) : s->p[1];",
    ],
)
def test_what_both_branches_read_is_read(body: str) -> None:
    text = f"{HEAD}void f(struct s *s, double *a, int n)\n{{\n#pragma scop\nfor (int i = 0; i < n; i++) {body}\n"
    (scop,) = read_c("both.c", text=f"{text}#pragma endscop\n}}\n")
    assert {"a", "s_p"} <= {access.array for s in scop.statements for access in (s.target, *s.reads)}


MESSAGES = {
    "bit field": "s->bits (bit-field) is used as a number",
    "volatile member": "s->v is volatile",
    "changed": "s->n changes inside the region",
    "whole": "t has elements of the type struct s; assign its members one by one",
    "macro": "s->n has the name of a macro in it, n, which would be expanded again; rename one",
    "perhaps a stride": "it depends on data whether s->n is read at all; copy it to a variable before the scop",
    "perhaps in one branch": "it depends on data whether s->p is read at all; copy it to a variable before the scop",
    "perhaps": "it depends on data whether s->p is read at all; copy it to a variable before the scop",
}
