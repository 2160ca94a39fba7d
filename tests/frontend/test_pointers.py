"""Pointers that move about in arrays: what they are read as, what is emitted, and what is refused."""

from __future__ import annotations

import pytest

from polyloop.backend.ir.affine import affine
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import read_c, read_source
from polyloop.frontend.scopes import CSourceError
from polyloop.lowering.region_alone import region_alone
from polyloop.lowering.run_time_tests import run_time_tests
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, drivers, needs_gcc, sizes_that_fall_back

TYPES = """
#include <stddef.h>
struct body { double x, y; };
struct image { int w; double *px; };
struct matrix { int rows, cols; double **data; };
struct block { int n; double ***u; };
struct point { double x, y; };
struct colour { unsigned char r, g, b; };
struct field { int n, m; struct point **rows; };
struct volume { int from, to; struct point ***u; };
static const unsigned long words[4] = {1ul << 40 | 7, 3ul << 56, 5, ~0ul};
"""
PLANES = (
    "double *r[4][n + 1], *q[4][n + 1], **s[4], **t[4]; for (int p = 0; p < 4; p++) { s[p] = r[p]; t[p] = q[p];"
    " for (int i = 0; i < n / 2; i++) { r[p][i] = x + (p * (n / 2) + i) * n; q[p][i] = y + (p * (n / 2) + i) * n; } }"
    " (void)s;"
)
"""Two tables of 4 planes of n / 2 rows."""
APART = "for (int p = 0; p < 4; p++) for (int i = 0; i < n / 2; i++) { r[p][i] += p; q[p][i] += p * (p & 1); }"
"""They lie at distances that are no whole rows."""

POINTS = "struct point *p[80]; for (int i = 0; i < n; i++) p[i] = (struct point *)(x + i * n);"
ROWS = (
    "double *a[n + 1], *b[n + 1];"
    " for (int i = 0; i < n; i++) { a[i] = x + i * (n + 2); b[i] = y + i * n; if (i == 3 && n == 7) b[i] = x; }"
    " (void)b;"
)
"""Two tables of n rows; where there are seven, they lie unevenly."""

BODIES = {
    "rows": ("int n, int m, double *out, const double *in",
             "for (int i = 0; i < n; i++) { double *r = out + i * m; const double *q = &in[i * m];"
             " for (int j = 0; j < m; j++) r[j] = q[j] * 2; }", "rows(n, n, x, y);"),
    "blocks": ("int b, int t, int c, double *out, const double *in",
               "for (int i = 0; i < b; i++) for (int j = 0; j < t; j++) { double *r = out + i * t * c + j * c;"
               " const double *q = in + i * t * c; for (int k = 0; k < c; k++) r[k] += q[j * c + k]; }",
               "blocks(2, n, n, x, y);"),
    "sums": ("int n, double *a", "for (int i = 0; i < n; i++) *(a + i) = (a + 1)[i] + *(&a[i]) + i[a];", "sums(n, x);"),
    "declared_before": ("int n, double *a", "double *row; for (int i = 0; i < n; i++) { row = a + i * n;"
                        " for (int j = 1; j < n; j++) row[j] += row[j - 1]; }", "declared_before(n, x);"),
    "counting": ("int n, double *a", "for (double *p = a; p < a + n; p++) *p += 1;", "counting(n, x);"),
    "up_to_the_end": ("double *a, double *end", "for (double *p = a; p != end; ++p) *p *= 4;",
                      "up_to_the_end(x, x + n);"),
    "rows_of_arrays": ("int n, double a[n][n]", "for (int i = 1; i < n; i++) { double *r = a[i], *q = &a[i - 1][0];"
                       " for (int j = 0; j < n; j++) r[j] += q[j]; }", "rows_of_arrays(n, (void *)x);"),
    "structures": ("int n, struct body *p", "for (int i = 0; i < n; i++) { struct body *b = &p[i];"
                   " for (int j = 0; j < n; j++) { const struct body *c = p + j; b->x += c->y; } }",
                   "structures(n, (void *)x);"),
    "members": ("int n, struct image *s, double *o", "for (int i = 0; i < n; i++) { const double *r = s->px + i * s->w;"
                " double *q = o + i * n; for (int j = 0; j < s->w; j++) q[j] = r[j]; }",
                "struct image s = {n, y}; members(n, n ? &s : 0, x);"),
    "rows_that_follow": ("int h, int w, const double *src, int step, double *dst", "const double *srcp = src + step;"
                         " for (int y = 0; y < h; y++) { for (int j = 0; j < w; j++) dst[j] += src[j] - srcp[j + 1];"
                         " dst += w + 1; src = srcp; srcp += step; }", "rows_that_follow(n, n, y, n + 1, x);"),
    "rows_around": ("int n, int m, double *out, const double *in",
                    "for (int i = 0; i < n; i++) { const double *r[3]; for (int k = 0; k < 3; k++) { int at = i + k-1;"
                    " if (at < 0) at = 0; if (at > n - 1) at = n - 1; r[k] = in + (size_t)at * m; }"
                    " for (int j = 0; j < m; j++) out[i * m + j] = r[0][j] + 2 * r[1][j] + r[2][j]; }",
                    "rows_around(n, n, x, y);"),
    "listed_rows": ("int n, int m, double *out, const double *in",
                    "for (int i = 0; i < n; i++) { const double *r[] = {in + (i > 0 ? i - 1 : 0) * m, in + i * m};"
                    " for (int j = 0; j < m; j++) out[i * m + j] = r[1][j] - r[0][j]; }",
                    "listed_rows(n, n, x, y);"),
    "untyped": ("int n, void *v", "double *p = (double *)v; for (int i = 0; i < n; i++) p[i] = ((double *)v)[i] + 1;",
                "untyped(n, x);"),
    "addresses_of_elements": ("int n, unsigned char *p, const double *q", "for (int i = 0; i < n; i++) {"
                              " const double *r = &q[1]; *(unsigned *)&p[0] = i * 70000; p[5] = r[0]; p += 8; q++; }",
                              "addresses_of_elements(n, (void *)x, y);"),
    "bytes_of_words": ("int n, int m, unsigned *to, const unsigned *from", "for (int i = 0; i < n; i++) {"
                       " const unsigned *p = from + i * m; unsigned *q = to + i * m; for (int j = 0; j < 4 * m; j++)"
                       " ((unsigned char *)q)[j] = *((const unsigned char *)p + j) + ((unsigned char *)p)[j] + j; }",
                       "bytes_of_words(n, n, (void *)x, (void *)y);"),
    "bits_of_numbers": ("int n, float *a, const char *s", "unsigned *p = (unsigned *)a;"
                        " const unsigned char *q = (const unsigned char *)s; for (int i = 0; i < n; i++)"
                        " { p[i] &= 0x7fffffff; p[i] += q[i]; }", "bits_of_numbers(n, (void *)x, (void *)y);"),
    "bytes_of_a_table": ("int n, float *restrict to, const int *restrict k", "for (int i = 0; i < n; i++) {"
                         " const unsigned char *p = (const unsigned char *)(words + (k[i] & 3));"
                         " for (int j = 0; j < 8; j++) to[j] += p[j]; to += 8; }",
                         "bytes_of_a_table(n, (void *)x, n ? k : 0);"),
    "bits_and_bytes": ("int n, double *to, const unsigned *w, int bytes", "for (int i = 0; i < n; i++)"
                       " to[i] += bytes ? ((const unsigned char *)w)[i] : w[i / 32] >> i % 32 & 1;",
                       "bits_and_bytes(n, x, (void *)y, n & 1);"),
    "rows_and_flat": ("int n, double (*a)[3][4], int *k", "double *p = (double *)a; for (int i = 0; i < n; i++)"
                      " { for (int j = 0; j < 3; j++) a[i][j][1] += j; } for (int i = 0; i < n * 12; i++)"
                      " { p[i] = ((double *)a)[i] * 2; } for (int i = 0; i < n; i++) *k += *(double *)a > i;",
                      "rows_and_flat(n / 6, (void *)x, n ? k : 0);"),
    "from_the_other_end": ("int n, int m, unsigned *to, const unsigned *from", "for (int i = 0; i < n; i++) {"
                           " const unsigned *p = from + i * m; unsigned *q = to + i * m;"
                           " for (int j = 0; j < 2 * m; j++) *(unsigned char *)((size_t)((unsigned char *)q + j) ^ 3) ="
                           " *(unsigned short *)((size_t)((unsigned short *)p + j) ^ 2); }",
                           "from_the_other_end(n, n, (void *)x, (void *)y);"),
    "bytes_of_ones_own": ("int n, unsigned *a", "unsigned w[64] = {0}; for (int i = 0; i < n; i++) w[i] = a[i] * 77;\n"
                          "#pragma scop\nfor (int i = 0; i < 4 * n; i++) a[i] += ((unsigned char *)w)[i];\n"
                          "#pragma endscop\na[0] = w[n / 2];", "bytes_of_ones_own(n, (void *)x);"),
    "numbers_in_bytes": ("int n, const unsigned char *b, unsigned char *o", "for (int i = 0; i < n; i++)"
                         " ((float *)o)[i] += *(const float *)(b + 4 * i);",
                         "numbers_in_bytes(n, (void *)y, (void *)x); numbers_in_bytes(n, (void *)x, (void *)(x + n));"),
    "numbers_apart": ("int n, const unsigned char *b, unsigned char *o, int far", "for (int i = 0; i < n; i++)"
                      " *(double *)(o + i * far) = ((const short *)b)[i] + b[i];",
                      "numbers_apart(n, (void *)y, (void *)x, 24);"),
    "swapped_bytes": ("int n, unsigned *w", "unsigned char *b, t; while (n-- > 0) { b = (unsigned char *)w; t = b[3];"
                      " b[3] = b[0]; b[0] = t; t = b[2]; b[2] = b[1]; b[1] = t; w++; }",
                      "swapped_bytes(n, (void *)x);"),
    "bytes_of_what_moves": ("int n, const unsigned *w, unsigned *o", "for (; n > 0; n--) { const unsigned char *b ="
                            " (const unsigned char *)w; *o++ = b[1] * 3 + w[1]; w++; }",
                            "bytes_of_what_moves(n, (void *)y, (void *)x);"),
    "towards_each_other": ("int n, double *a", "double *low = a + 1, *high = low + n - 1;\n#pragma scop\nwhile (low <"
                           " high) { double t = *low; *low++ = *high; *high-- = t; }\n#pragma endscop\n*low += 1;",
                           "towards_each_other(n, x);"),
    "apart_from_another": ("int n, double *a", "double *low = a + 2, *at = low + n;\n#pragma scop\nfor (; at - low > 1;"
                           " at -= 2) *low++ += *at;\n#pragma endscop\n*at = *low;", "apart_from_another(n, x);"),
    "nested": ("int n, int m, double (*a)[m]", "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
               " *(*(a + i) + j) += 1;", "nested(n, n, (void *)x);"),
    "offset": ("int n, const int *k, double *a", "for (int i = 0; i < n; i++) { double *r = a + k[0]; r[i] = i; }",
               "offset(n, n ? k : 0, x);"),
    "size_t_rows": ("size_t n, size_t m, double *a", "for (size_t i = 0; i < n; i++) { double *r = a + i * m;"
                    " for (size_t j = 0; j < m; j++) r[j] = 3; }", "size_t_rows(n, n, x);"),
    "backwards": ("int n, double *a", "for (int i = 0; i < n; i++) { double *p = a + n - 1 - i; *p += 1;"
                  " const double *q = p - i; p[0] += q[i]; }", "backwards(n, x);"),
    "renamed": ("int n, double *a", "for (int i = 0; i < n; i++) { double *r = a + 2 * i;"
                " for (int i = 0; i < n; i++) r[i] += 1; }", "renamed(n, x);"),
    "copying": ("int n, double *d, const double *s", "for (int i = 0; i < n; i++) *d++ = *s++;", "copying(n, x, y);"),
    "moving_rows": ("int n, int m, double *a, const double *b", "double *p = a; for (int i = 0; i < n; i++) {"
                    " for (int j = 0; j < m; j++) p[j] += b[j]; p += m; }", "moving_rows(n, n, x, y);"),
    "pairs": ("int n, double *a", "double *p = a; for (int i = 0; i < n; i++) { *p = 0; double *q = p + 1; p += 2;"
              " q[0] += 3; }", "pairs(n, x);"),
    "from_here": ("double *p, double *end", "for (; p < end; p++) *p += 2;", "from_here(x, x + n);"),
    "while_any": ("int n, double *d, const double *s", "while (n-- > 0) *d++ = 2 * *s++;", "while_any(n, x, y);"),
    "while_not_end": ("double *d, const double *s, const double *end", "while (s != end) *d++ += *s++;",
                      "while_not_end(x, y, y + n);"),
    "before_and_after": ("int n, double *a", "double *p = a; for (int i = 0; i < n; i++) { *++p = i; *p++ += 1; }",
                         "before_and_after(n, x);"),
    "down": ("int n, double *a", "double *p = a + n; for (int i = 0; i < n; i++) *--p *= 2;", "down(n, x);"),
    "matrix": ("int n, int m, double **a, double *const *b", "for (int i = 0; i < n; i++)"
               " for (int j = 0; j < m; j++) a[i][j] += b[i][m - 1 - j];",
               "static double *a[80], *b[80]; for (int i = 0; i < n; i++) { a[i] = x + i * (n + 2); b[i] = y + i * n; }"
               " if (n == 7) { a[3] = x; a[0] = x + 3 * (n + 2); } matrix(n, n, n ? a : 0, n ? b : 0);"),
    "members_rows": ("struct matrix *a, struct matrix *b", "for (int i = 0; i < a->rows; i++)"
                     " for (int j = 0; j < a->cols; j++) a->data[i][j] = 2 * b->data[i][j];",
                     "static double *a[80], *b[80]; for (int i = 0; i < n; i++) { a[i] = x + i * n; b[i] = y + i * n; }"
                     " struct matrix s = {n, n, a}, t = {n, n, b}; members_rows(&s, &t);"),
    "bytes_rows": ("int h, int w, unsigned char **p", "for (int y = 1; y < h - 1; y++) { unsigned char *r = p[y];"
                   " for (int x = 0; x < w; x++) r[x] += p[y - 1][x]; }",
                   "unsigned char *p[80]; for (int i = 0; i < n; i++) p[i] = (unsigned char *)(x + i * n);"
                   " bytes_rows(n, 8 * n, n ? p : 0);"
                   " if (n > 2) { p[0] = (unsigned char *)(p + 1); bytes_rows(2, 8, p); }"),
    "two_colours": ("int n, int m, int c, double **a, double *const *b", "for (int i = 1; i < n - 1; i++)"
                    " for (int j = 1 + ((i + c) & 1); j < m - 1; j += 2)"
                    " a[i][j] += b[i][j] * (a[i][j - 1] + a[i - 1][j]);",
                    "static double *a[80], *b[80]; for (int i = 0; i < n; i++) { a[i] = x + i * n; b[i] = y + i * n; }"
                    " for (int c = 0; c < 3; c++) two_colours(n, n - c, c, n ? a : 0, n ? b : 0);"),
    # Of tables of tables of rows, all planes at once: a star, of which the corners are not there.
    "star": ("int n, int m, double ***a, double ***b",
               "for (int p = 1; p < 3; p++) for (int i = 1; i < m - 1; i++) for (int j = 1; j < n - 1; j++)"
               " a[p][i][j] = (b[p - 1][i][j] + b[p + 1][i][j] + b[p][i - 1][j] + b[p][i + 1][j]) * 0.5;",
               f"{PLANES} star(n, n / 2, s, t);"),
    "one_plane": ("int n, int m, int q, double ***a, double ***b",
                  "for (int p = q; p < q + 1; p++) for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)"
                  " a[p][i][j] = b[p][i][j] * 0.5 + a[p][i][j];",
                  f"{PLANES} one_plane(n, n / 2, n % 4, s, t);"),
    "members_planes": ("struct block *a, int n, int m, double *o",
                       "int at = 0; for (int p = 0; p < 4; p++) for (int i = 1; i < m; i++) for (int j = 0; j < n; j++)"
                       " o[at++] = a->u[p][i][j];",
                       f"{PLANES} struct block c = {{4, t}}; members_planes(&c, n, n / 2, x);"),
    "planes_of_points": ("int n, int m, struct point ***a, const struct volume *v",
                         "for (int p = v->from; p < v->to; p++) for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)"
                         " { a[p][i][j].x += 0.5 * v->u[p][i][j].y; a[p][i][j].y = v->u[p][i][0].x; }",
                         f"{PLANES} struct volume v = {{0, 4, (void *)t}};"
                         " planes_of_points(n / 2, n / 2, (void *)s, &v);"),
    # Loops over a few of them are written out, so that each may lie anywhere.
    "fields": ("int n, int m, double ***a, double ***b",
               "double l[4], r[4]; for (int i = 1; i < m; i++) for (int j = 1; j < n; j++) {"
               " for (int p = 0; p < 4; p++) { double **w = b[p]; l[p] = 2 * w[i - 1][j]; r[p] = w[i][j - 1]; }"
               " for (int p = 0; p < 4; p++) a[p][i][j] = l[p] + r[3 - p]; }",
               f"{PLANES} {APART} fields(n, n / 2, s, t);"),
    "own_rows": ("int n, int m, double ***a, double ***b",
                 "double l[4]; for (int i = 1; i < m; i++) { const double *row[4]; double *to[4];"
                 " for (int p = 0; p < 4; p++) { row[p] = b[p][i]; to[p] = a[p][i - 1]; }"
                 " for (int j = 1; j < n; j++) { for (int p = 0; p < 4; p++) { const double *v = row[p] + j;"
                 " l[p] = v[0] + v[-1]; } for (int p = 0; p < 4; p++) to[p][j] = l[p] * l[0]; } }",
                 f"{PLANES} {APART} own_rows(n, n / 2, s, t);"),
    "planes_apart": ("int n, int m, double ***a, double ***b",
                     "for (int p = 0; p < 4; p++) for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)"
                     " a[p][i][j] = b[p][i][j] * 0.5;",
                     f"{PLANES} if (n > 3) t[2][1] = t[3][0]; planes_apart(n, n / 2, s, t);"),
    "same_planes": ("int n, int m, double ***a, double ***b",
                    "for (int p = 1; p < 3; p++) for (int i = 1; i < m; i++) for (int j = 0; j < n; j++)"
                    " a[p][i][j] = b[p - 1][i - 1][j] * 0.5;",
                    f"{PLANES} s[2] = s[1]; same_planes(n, n / 2, s, t);"),
    # Of tables of tables of rows, one plane at a time.
    "planes": ("int n, int m, double ***a, double ***b", "if (n) { int i = (n - 1) / 2;\n#pragma scop\nfor"
               " (int j = 0; j < n - 1; j++) for (int k = 0; k < m; k++) a[i][j][k] += b[i][j + 1][k] * b[i - 1][j][k];"
               "\n#pragma endscop\n}",
               "double *r[3][80], **t[80]; for (int i = 0; i < n; i++) for (int p = 0; p < 3; p++)"
               " r[p][i] = (p ? y + (p - 1) * n * n : x) + i * n; for (int i = 0; i < n; i++) t[i] = r[i % 3];"
               " if (n > 1) planes(n, n, t, t + 1);"),
    "from_one": ("int n, int m, float **a", "for (int i = 1; i <= n; i++) for (int j = 1; j <= m; j++)"
                 " a[i][j] = a[i - 1][j] * 2;",
                 "float *a[80]; for (int i = 0; i <= n; i++) a[i] = (float *)x + i * (n + 1); from_one(n, n, a);"),
    "chosen": ("int n, double *o, const double *a, const double *b", "for (int i = 0; i < n; i++) {"
               " const double *p = i < 3 ? a : b + i; for (int j = 0; j < 2; j++) o[2 * i + j] += p[j]; }",
               "chosen(n, x, y, y + 2 * n);"),
    "chosen_by_data": ("int n, const int *k, double *o, const double *a, double *b", "for (int i = 0; i < n; i++) {"
                       " const double *p; double *q; if (k[i] > 4) { p = a + i; q = o; } else { p = a; q = b; }"
                       " q[i] += p[1]; }", "chosen_by_data(n, k, x, y, x + n);"),
    "values_by_data": ("int n, double *restrict o, const double *restrict b", "for (int i = 0; i < n; i++) {"
                       " double l[2] = {b[i], 2}, r[2] = {3, b[i]}, f[2]; const double *w = b[i] >= 16 ? l : r;"
                       " f[0] = w[0] * *w; r[1] += 1; f[1] = f[0] + w[1]; o[i] = f[1]; }",
                       "values_by_data(n, x, y);"),
    "moved_by_test": ("int n, int m, double *a, const double *b", "double *p = a, *end = a + n; if (n > 0)"
                      " do { *p = *b; b += m; } while (++p != end);", "moved_by_test(n, 2, x, y);"),
    "taking_turns": ("int n, double *a, double *b", "for (int t = 0; t < 4; t++) {"
                     " double *from = t % 2 ? a : b, *to = t % 2 ? b : a;"
                     " for (int i = 1; i < n - 1; i++) to[i] = 0.5 * from[i - 1] + 0.5 * from[i + 1]; }",
                     "taking_turns(n, x, y);"),
    "unsigned_rows": ("unsigned n, unsigned short m, double *o", "unsigned i = 0; for (unsigned r = n; r > 0; r--) {"
                      " double *p = o + i; for (unsigned c = 0; c < m; c++) *p++ += 1; i += m; }",
                      "unsigned_rows(n, n, x);"),
    # What a pointer is set to again it was set to before the region.
    "product": ("int n, double *a, double *b, double *o", "double *pa = a, *pb, *first = b, *po, *px;"
                " int i = 0, row = n, col, k; if (n > 0) {\n#pragma scop\ndo { po = o + i; col = n; pb = b;"
                " do { double s = 0; px = pa; for (k = n; k > 0; k--) { s += *px++ * *pb; pb += n; } *po++ = s; col--;"
                " pb = first + (n - col); } while (col > 0); i += n; pa = pa + n; row--; } while (row > 0);"
                "\n#pragma endscop\n}", "product(n / 2, x, y, x + n * n / 2);"),
    "correlated": ("int n, const double *a, const double *b, double *o", "const double *px, *start, *py; px = a;"
                   " start = b + (n - 1); py = start; int count = 1, left = n;\n#pragma scop\nwhile (left > 0) {"
                   " double s = 0; for (int k = count; k > 0; k--) s += *px++ * *py++; *o++ = s; py = start - count;"
                   " px = a; count++; left--; }\n#pragma endscop\n", "correlated(n, y, y + n, x);"),
    # Whatever stands behind the region reads where they are.
    "left_behind": ("int n, int m, double *p, const double *q", "\n#pragma scop\nfor (int i = 0; i < n; i++) { p++;"
                    " for (int j = 0; j < m; j++) *p++ = *q++; }\n#pragma endscop\np[0] = q[1];",
                    "left_behind(n, 2, x, y); left_behind(3, n, x, y);"),
    "left_behind_where_their_count_ends": (
        "int n, double *p, const double *q", "\n#pragma scop\nwhile (n >= 2) { p[0] = q[1]; p[1] = q[0]; p += 2;"
        " q += 2; n -= 2; }\n#pragma endscop\nif (n > 0) *p = *q + n;",
        "left_behind_where_their_count_ends(n, y, x); left_behind_where_their_count_ends(n + 1, y, x + 1);"),
    "moved_by_sizes": (
        "int n, const unsigned char *b, unsigned short *o", "\n#pragma scop\nfor (int i = 0; i < n; i++) {"
        " const unsigned short v = *(const unsigned short *)b; *o = v + i; b += sizeof(v); o += sizeof *o / 2; }"
        "\n#pragma endscop\n*o = *b;", "moved_by_sizes(n, (void *)y, (void *)x);"),
    "left_where_nothing_is_left": (
        "int n, double *p, const double *q", "const double *e = q + n; int i;\n#pragma scop\nfor (i = n; i; i--) {"
        " *p++ = *q++ + *--e; } while (n) { p[n] += *q; n -= 2; }\n#pragma endscop\n*p = *q + *e + i + n;",
        "left_where_nothing_is_left(n & ~1, x, y);"),
    "left_where_they_meet": (
        "int n, double *p, const double *q", "const double *end = p + 3 * (n & ~1), *top = q + (n & ~1); int at = n"
        " & ~1;\n#pragma scop\nwhile (p != end) { p[0] = q[0]; p[4] = q[1]; q += 2; p += 6; } while (top != q - (n &"
        " ~1)) { *p += top[-1]; top -= 2; } for (; at != 0; at -= 2) *p -= q[-at];\n#pragma endscop\n"
        "if (n & 1) *p = *q + *top + at;",
        "left_where_they_meet(n / 4, x, y);"),
    "from_each_other": ("double *p, double *end, double *o", "double *r = 0;\n#pragma scop\nfor (r = p; r < end; r++)"
                        " { *r = *o++; } for (; p < end; p++) { *p += 1; }\n#pragma endscop\nr[0] = 3;"
                        " o[0] = 4; p[1] = 5;",
                        "from_each_other(x, x + n, y);"),
    "in_turns": ("int n, double *p, double *q", "for (int t = 0; t < 4; t++) { if (p[0] > t) q[t] = 1;\n#pragma scop\n"
                 "for (int i = 0; i < n; i++) { *p = i + t; p += 2; }\n#pragma endscop\nif (q[0] > 3) return; }",
                 "in_turns(n, x, y);"),
    "declared_moving": ("int n, short *o, const short *a, const short *b", "while (n--) {"
                        " const int v = *a++ * 3 + *b++; *o++ = v > 9000 ? 9000 : v; }",
                        "declared_moving(n, (void *)x, (void *)y, (short *)y + n);"),
    "ends_of_rows": ("int n, int m, int stride, float *d, const float *s", "for (int i = 0; i < n; i++) {"
                     " const float *p = s + i * stride, *end = p + m; while (p < end) *d++ = *p++ + 1; }",
                     "ends_of_rows(n / 2, n, n + 3, (void *)x, (void *)y);"),
    "last_of_rows": ("int n, int m, float *a, const float *b", "for (int i = 0; i < n; i++) {"
                     " const float *p = &b[i * m], *last = p + m - 1; float *q = a + i * m, t = 0;"
                     " for (; p <= last; p++) { t += *p; *q++ = t; } }", "last_of_rows(n, n, (void *)x, (void *)y);"),
    "dilation": ("int w, int h, int stride, unsigned char *restrict dst, const unsigned char *restrict src",
                 "for (int y = 1; y < h - 1; y++) { const unsigned char *p = src + y * stride + 1;"
                 " const unsigned char *end = src + y * stride + w - 1; unsigned char *q = dst + y * stride + 1;"
                 " for (; p < end; p++) { unsigned char m = p[0]; if (p[-1] > m) m = p[-1]; if (p[1] > m) m = p[1];"
                 " if (p[-stride] > m) m = p[-stride]; if (p[stride] > m) m = p[stride]; *q++ = m; } }",
                 "dilation(n, n, n + 2, (void *)x, (void *)y);"),
    "flat": ("int n, int m, double *a", "for (int i = 0; i < n; i++) { int e = i * m + m;"
             " for (int k = i * m; k < e; ++k) a[k] += i; }", "flat(n, n, x);"),
    "rows_set_anew": ("int n, int m, double **a, double **b", "double *p, *q, last; int i, j; for (i = 0; i < n; i++) {"
                      " p = a[i] + 1; q = b[i]; last = p[-1]; for (j = 1; j < m; j++) *p++ += *q++ + last; }",
                      ROWS + " rows_set_anew(n, n, a, b);"),
    "two_rows_each": ("int n, int m, double **a, double **b", "double *p, *q, *r; int i, j, row = 0; for (i = 0;"
                      " i < n; i++) { r = a[i]; p = b[row]; q = b[row + 1]; for (j = 0; j < m; j++)"
                      " *r++ = *p++ + *q++; row += 2; }", ROWS + " two_rows_each(n / 2, n, a, b);"),
    "tables_that_move": ("int n, int m, double **a, double **b", "for (int i = 0; i < n; i++) { double *p = *b++,"
                         " *q = *b++; double *r = *a++; for (int j = 0; j < m; j++) r[j] += p[j] * q[j]; }",
                         ROWS + " tables_that_move(n / 2, n, a, b);"),
    "tables_before": ("int n, int m, double **a, double **b", "double *p, *q; int j; a -= 1; while (--n >= 0) {"
                      " p = *++a; q = *b; b++; for (j = 0; j < m; j++) *p++ = 2 * q[j]; }",
                      ROWS + " tables_before(n, n, a, b);"),
    "rows_in_branches": ("int n, int m, double **a, double *b", "double *p; for (int i = 0; i < n; i++) {"
                         " if (i > 2) { p = a[i]; for (int j = 0; j < m; j++) *p++ = j; }"
                         " else { p = b + i * m; for (int j = 0; j < m; j++) p[j] = i; } }",
                         ROWS + " rows_in_branches(n, n, a, y);"),
    "set_again": ("double *begin, double *end", "double *p; double s = 0;\n#pragma scop\nfor (p = begin; p != end; ++p)"
                  " { s += *p; }\n#pragma endscop\ns = s + 1; for (p = begin; p != end; ++p) *p += s;",
                  "set_again(x, x + n);"),
    "asked_on_the_way": ("int n, const double *p, double *q", "for (int i = 0; i < n; i++) { if (*p++ > 16) *q = i;"
                         " else *q += 1; if (*++p < 64 && n > 2) *q += *p; q++; }", "asked_on_the_way(n, x, y);"),
    "asked_backwards": ("int n, const double *p, double *q", "p += n; for (int i = 0; i < n; i++)"
                        " if (!(*--p > 16 || q[i] > 9)) *q++ = i; else q++;", "asked_backwards(n / 2, x, y);"),
    "chosen_on_the_way": ("int n, const double *p, double *q", "for (int i = 0; i < n; i++)"
                          " *q++ = *p++ > 16 ? i : -1;", "chosen_on_the_way(n, x, y);"),
    "surely_asked_for": ("int n, int m, double **a, const double *t", "double *p; int i, j; for (i = 0; i < n; i++) {"
                         " p = a[i] + 1; if (t[i] > 16) { for (j = 0; j < m; j++) p[j] = i; continue; }"
                         " for (j = 0; j < m; j++) if (t[j] > 32) p[j] += 1; }",
                         ROWS + " surely_asked_for(n, n - 1, a, y);"),
    "neighbours_asked_for": ("int n, int m, double **a, double **b, const double *t", "for (int i = 1; i < n - 1; i++)"
                             " { const double *p = b[i - 1], *q = b[i + 1]; double *r = a[i];"
                             " for (int j = 0; j < m; j++) if (t[j] > 16) r[j] = p[j] - q[j]; }",
                             ROWS + " neighbours_asked_for(n, n, a, b, y);"),
    "rows_of_structures": ("int n, int m, struct point **p, const struct point *q", "for (int i = 0; i < n; i++)"
                           " for (int j = 0; j < m; j++) { p[i][j].x += q[j].y; if (p[i][j].y > 0) p[i][j].y *= 2; }",
                           POINTS + " rows_of_structures(n, n / 2, p, (struct point *)y);"),
    "members_rows_of_structures": ("struct field *s, double k", "for (int i = 1; i < s->n; i++) { struct point *to ="
                                   " s->rows[i]; for (int j = 0; j < s->m; j++) { struct point d = s->rows[i - 1][j];"
                                   " d.x -= k; to[j] = d; s->rows[0][j].y += to[j].y; } }",
                                   POINTS + " members_rows_of_structures(&(struct field){n, n / 2, p}, 0.5);"),
    "rows_of_colours": ("int n, int m, struct colour **from, struct colour **to", "for (int i = 0; i < n; i++)"
                        " for (int j = 0; j < m; j++) { const struct colour c = from[i][j]; int grey ="
                        " (c.r + 2 * c.g + c.b) / 4; to[i][m - 1 - j] = (struct colour){grey, c.b, 255 - c.r}; }",
                        "struct colour *c[64], *d[64]; for (int i = 0; i < n; i++) { c[i] = (struct colour *)x + i * n;"
                        " d[i] = (struct colour *)y + i * 2 * n; } rows_of_colours(n, n, n ? c : 0, d);"),
    "members_asked_for": ("struct matrix s, const double *t", "for (int i = 0; i < s.rows; i++)"
                          " for (int j = 0; j < s.cols; j++) { double *p = s.data[i]; if (t[j] > 16) p[j] = t[i]; }",
                          ROWS + " members_asked_for((struct matrix){n, n, a}, y);"),
}  # fmt: skip
SIZES = (0, 1, 2, 7, 33, 64)
SLOW = {  # single rows have no distance
    "matrix": {0, 1, 7},
    "star": {1, 2, 7},
    "one_plane": {1, 2},
    "two_colours": {1, 2},
    "members_planes": {1, 2},
    "planes_of_points": {1, 2},
    "fields": {1, 2},
    "own_rows": {1, 2},
    "planes_apart": {1, 2, 7, 33, 64},
    "same_planes": {1, 2, 7, 33, 64},
    "members_rows": {0, 1},
    "bytes_rows": {0, 1, 2, 7, 33, 64},
    "from_one": {0},
    "rows_set_anew": {1, 7},
    "two_rows_each": {1, 2, 7},
    "tables_that_move": {1, 2, 7},
    "tables_before": {1, 7},
    "rows_in_branches": {1, 2},
    "surely_asked_for": {1},
    "neighbours_asked_for": {1, 2, 7},
    "members_asked_for": {1},
    "rows_of_structures": {1},
    "members_rows_of_structures": {1},
    "rows_of_colours": {1},
} | {"rows_of_arrays": {0}, "members": {0}, "offset": {0}, "nested": {0}}
TEXT = drivers(TYPES, BODIES)


def test_all_are_read(scops: dict[str, Scop]) -> None:
    assert list(scops) == list(BODIES)


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    # Rows without elements are no types in C: nothing is to be done then, and the original loops do it.
    assert sizes_that_fall_back(libraries, name, SIZES) - {0} == SLOW.get(name, set()) - {0}


PERHAPS = {
    "under a condition": "for (i = 0; i < n; i++) if (t[i] > 0) { double *p = a[i]; p[0] = 1; }",
    "behind a continue": "for (i = 0; i < n; i++) { if (t[i] > 0) continue; double *p = a[i]; p[0] = 1; }",
    "in a loop that ends": "for (i = 0; i < n; i++) { double *p = a[i]; if (t[i] > 0) break; p[0] = 1; }",
    "on the right": "for (i = 0; i < n; i++) { double s = t[i] > 0 && a[i][0] > 0; t[i] = s; }",
    "one row only": "for (i = 0; i < n; i++) { double *p = a[0]; if (t[i] > 0) { p[1] = 1; p = a[i]; p[0] = t[i]; } }",
    "another counter": "for (i = 0; i < n; i++) { int k = i; { int i = 0; double *p = a[i]; if (t[k] > 0) p[0] = 1; }"
                       " if (t[i] > 0) a[i][0] = 1; }",
    "not by all copies of a loop": "static const int d[2] = {1, 0}; for (int k = 0; k < 2; k++)"
                                   " for (i = 0; i < n + d[k]; i++) { double *p = a[i + k];"
                                   " if (t[i] > 0) { p[0] = 1; a[i + 1][0] = 2; } }",
    "another variable of the same name": "int k = 3; for (i = 0; i < n; i++) { t[i] += k; { int k = (int)t[i];"
                                         " double *p = a[k]; p[1] = 1; } if (t[i] > 0) a[k][0] = 1; }",
    "of a table that moves": "for (i = 0; i < n; i++) { double *p = a[i]; if (t[i] > 0) p[0] = 1; a++; }",
    "while data say so": "for (i = 0; i < n && t[i] < 9; i++) { double *p = a[i]; if (t[i] > 0) p[0] = 1; }",
}  # fmt: skip


@pytest.mark.parametrize("body", PERHAPS.values(), ids=list(PERHAPS))
def test_rows_that_c_asks_for_only_where_data_say_so_are_not_looked_at(body: str) -> None:
    text = f"void f(int n, double **a, double *t)\n{{ int i; {body} }}"
    assert not read_source("pointers.c", text=text, auto=True).scops


def test_rows_behind_pointers_are_rows_of_one_array(scops: dict[str, Scop]) -> None:
    scop, i, j = scops["matrix"], affine("i"), affine("j")
    assert scop.source is not None
    assert scop.parameters == ("n", "m", "b_stride", "a_stride")
    assert scop.source.value("a_stride") == "polyloop_stride(a, 0, (long)n - 1, 8)"
    assert scop.source.address("a_rows") == "(void *)a[0]"
    assert scop.statements[0].target.subscripts == (i, j)
    table = "*(char (*)[(long)sizeof(void *) * ((long)h - 2 - (0) + 1)])&p[0]"
    (stride, _) = scops["bytes_rows"].source.memory  # type: ignore[union-attr]
    assert stride.cells == (("p", ("p_rows",)), (table, ("p_rows",)))
    lowered = lower(scop, original_tree(scop))
    tests = run_time_tests(scop, plan(lowered, host_target()), scop.source)[0]
    assert tests.index("(long)n >= 1") < tests.index("polyloop_fits((long)polyloop_stride(a, 0, (long)n - 1, 8))")


def test_values_are_chosen_where_data_choose_a_pointer_to_them(scops: dict[str, Scop]) -> None:
    scop = scops["values_by_data"]
    assert not any(statement.conditional for statement in scop.statements)
    assert {array.name for array in scop.arrays if array.local and array.shape} == {"l", "r", "f"}


def test_only_tables_that_are_read_are_looked_at(scops: dict[str, Scop]) -> None:
    source = scops["star"].source
    assert source is not None
    stride = next(m for m in source.memory if m.name == "b_stride_1")
    assert stride.table is not None
    assert stride.table.boxes == (
        (("0", "3"), ("1", "(long)m - 2")),
        (("1", "2"), ("0", "(long)m - 1")),
    )
    assert stride.table.strides == ("b_stride_1", "b_stride_2")


def test_pointers_are_arrays_and_integers(scops: dict[str, Scop]) -> None:
    i, j, k = affine("i"), affine("j"), affine("k")
    blocks = scops["blocks"].statements[0]
    assert blocks.target.subscripts == (i, j, k)
    assert [a.name for a in scops["blocks"].arrays] == ["in", "out"]
    assert scops["counting"].statements[0].target.subscripts == (affine("p_at"),)
    assert scops["up_to_the_end"].parameters == ("end_minus_a",)
    source = scops["up_to_the_end"].source
    assert source is not None
    assert source.value("end_minus_a") == "(end - a)"
    assert scops["structures"].statements[0].target.subscripts == (i * 2,)
    assert scops["backwards"].statements[0].target.subscripts == (affine("n") - i - 1,)


BEFORE = {
    "double *p = b, *q = b;": True,
    "double *p = b, *q; q = b;": True,
    "double *p, *q = b; p = q;": True,
    "double *p, *q = b; p = q + 2; n = 9;": True,
    "struct slice *t = s; double *p = t->from, *q = t->from;": True,
    "double *p = s->from, *q; if (n > 3) n = 3; q = s->from;": True,
    "double *p = b, *q = a;": False,
    "double *q = b, *p = q; q = n > 3 ? a : b;": False,
    "double *q = b, *p; p = q; q++;": False,
    "double *p = b, *q = b; if (n > 3) p = a;": False,
    "double *p = b, *q = b; b = a; q = b;": False,
    "double *p = s->from, *q; use(s); q = s->from;": False,
    "double *p = s->from, *q; *all = a; q = s->from;": False,
    "double *p = b, *q = b; if (n > 7) goto next; p = a; next:;": False,
    "static double *p; double *q = b; p = b;": False,
    "double *p = b, *q = b; use(&p);": False,
}


@pytest.mark.parametrize("before", BEFORE)
def test_where_pointers_point_before_a_region(before: str) -> None:
    text = f"""struct slice {{ double *from; }};
void use(void *);
void f(int n, double *a, double *b, double *o, struct slice *s, double **all)
{{
  {before}
#pragma scop
  for (int i = 0; i < n; i++) {{ o[i] = *p++; p = q + i; }}
#pragma endscop
}}
"""
    if BEFORE[before]:
        (scop,) = read_c("before.c", text=text)
        assert len(scop.arrays) == 2
        return
    with pytest.raises(CSourceError) as caught:
        read_c("before.c", text=text)
    assert "[pointer]" in str(caught.value)


def test_the_one_value_of_a_pointer_is_of_what_never_changes() -> None:
    text = """void f(int n, int m, double *b, double *o)
{
  double *q = b + m, *p;
  for (int t = 0; t < 3; t++) {
    p = b + m;
#pragma scop
    for (int i = 0; i < n; i++) { o[i] = *p++; p = q + i; CHANGE }
#pragma endscop
  }
}
"""
    (scop,) = read_c("once.c", text=text.replace("CHANGE", ""))
    assert len(scop.arrays) == 2
    with pytest.raises(CSourceError, match="pointer"):
        read_c("once.c", text=text.replace("CHANGE", "m = i;"))


def test_what_a_region_is_given_stands_before_it_where_it_runs_by_itself() -> None:
    text = """void f(int n, const double *a, const double *b, double *o)
{
  int count = 1, left = n;
  const double *start = b + (n - 1), *px = a, *py = start, *other = a;
#pragma scop
  while (left > 0) {
    double s = 0;
    for (int k = count; k > 0; k--) s += *px++ * *py++;
    *o++ = s + *other;
    py = start - count; px = a; count++; left--; other = a;
  }
#pragma endscop
}
"""
    (scop,) = read_c("given.c", text=text)
    assert scop.source is not None
    assert dict(scop.source.given)["start"] == "b + (n - 1)"
    alone = region_alone(scop).source.text
    body = alone[alone.index("polyloop_alone(") : alone.index("#pragma scop")]
    assert "int count = 1;" in body
    assert "const double *start = b + (n - 1);" in body
    assert "const double *py = start;" in body
    assert body.index("*start =") < body.index("*py =")


CERTAIN_ROWS = {
    "a condition on them": "for (int i = 0; i < n; i++) if (a[i][0] > 0) a[i][1] = 1;",
    "others of the same rows": """for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            if (a[i][k] >= 9) continue;
            for (int j = 0; j < n; j++) if (a[i][k] + a[k][j] < a[i][j]) a[i][j] = a[i][k] + a[k][j];
        }""",
    "one side of a choice": "for (int i = 1; i < n; i++) a[i][0] = a[i - 1][0] > 0 ? a[i][1] : a[i - 1][2];",
}


@pytest.mark.parametrize("name", CERTAIN_ROWS)
def test_rows_that_are_read_for_certain_may_be_read_under_conditions_too(name: str) -> None:
    region = CERTAIN_ROWS[name]
    text = f"void f(int n, double **a)\n{{\n#pragma scop\n{region}\n#pragma endscop\n}}\n"
    (scop,) = read_c("rows.c", text=text)
    assert "a_stride" in scop.parameters


def test_data_may_say_which_column_of_a_row_is_meant() -> None:
    body = "for (int i = 0; i < n; i++) for (int t = 0; t < m; t++) o[t] += a[{}];"
    text = "void f(int n, int m, double **a, double *restrict o, const int *restrict seen) {{ {} }}"
    (scop,) = read_c("rows.c", text=text.format(body.format("i][seen[t]")), auto=True)
    assert {"a_stride", "n", "m"} == set(scop.parameters)
    file = read_source("rows.c", text=text.format(body.format("seen[t]][i")), auto=True)
    assert {each.code for each in file.diagnostics} == {"pointer-rows"}


REFUSED = {
    "two arrays": ("int n, double *a, double *b",
                   "double *r = a; for (int i = 0; i < n; i++) { r[i] = 0; r = b; }",
                   "r (pointer to double) is declared inside the region, and what it points to cannot be followed;"
                   " write subscripts of the array in its place"),
    "other type": ("int n, float *a", "for (int i = 0; i < n; i++) { double *r = (double *)a + i; *r = 0; }",
                   "r (pointer to double) is declared inside the region, and what it points to cannot be followed;"
                   " write subscripts of the array in its place"),
    "behind a member": ("int n, struct pair { float a, b; } *p",
                        "for (int i = 0; i < n; i++) { float *r = &p[i].a; r[1] = r[0]; }",
                        "r (pointer to float) is declared inside the region, and what it points to cannot be followed;"
                        " write subscripts of the array in its place"),
    "taken name": ("int n, unsigned *a, int *b, int a_unsigned_chars",
                   "for (int i = 0; i < n; i++) b[i] = ((unsigned char *)a)[i] + a_unsigned_chars;",
                   "a cast pointer is not supported"),
    "two types": ("int n, float *a", "for (int i = 0; i < n; i++) { int *r = (int *)a + i; *r = 0; a[i] += 1; }",
                  "r (pointer to int) is declared inside the region, and what it points to cannot be followed;"
                  " write subscripts of the array in its place"),
    "bytes that are stored, too": ("int n, const unsigned char *a, unsigned char *b",
                                   "for (int i = 0; i < n; i++) { ((float *)b)[i] += a[i]; b[i] = 3; }",
                                   "a cast pointer is not supported"),
    "bytes of numbers that are stored": ("int n, unsigned *a", "for (int i = 0; i < n; i++) { unsigned char *b ="
                                         " (unsigned char *)a; b[1] = a[1]; a++; }",
                                         "b (pointer to unsigned char) is declared inside the region, and what it"
                                         " points to cannot be followed; write subscripts of the array in its place"),
    "used after": ("int n, double *a, double **out",
                   "for (int i = 0; i < n; i++) { *a = 0; if (a[1] > 0) a += 2; }\n#pragma endscop\n*out = a;"
                   "\n#pragma scop",
                   "the pointer a is read after the region, and how far it moves is not known beforehand"),
    "rows of their own": ("int n, double **a", "for (int i = 0; i < n; i++) { a[i][0] = 0; a[i] = a[0]; }",
                          "the rows of a are reached through pointers and may overlap; declare it as one block, double"
                          " (*a)[COLUMNS], and allocate it as such"),
    "rows of integers on data": ("int n, int **a", "for (int i = 0; i < n; i++) if (a[0][i]) a[i][0] = 1;",
                                 "the rows of a are reached through pointers, and may lie anywhere; declare it as one"
                                 " block, int (*name)[COLUMNS], and allocate it as such"),
    "rows on data": ("int n, double **a", "for (int i = 0; i < n; i++) if (a[i][0] > 0) a[i + 1][0] = 1;",
                     "the rows of a are reached through pointers, and may lie anywhere; declare it as one block,"
                     " double (*name)[COLUMNS], and allocate it as such"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    signature, region, message = REFUSED[name]
    text = f"{TYPES}void f({signature})\n{{\n#pragma scop\n{region}\n#pragma endscop\n}}\n"
    with pytest.raises(CSourceError) as caught:
        read_c("refused.c", text=text)
    assert str(caught.value).split("left as it is: ")[1].split(" [")[0] == message
