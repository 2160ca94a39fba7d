"""Where subscripts that are not affine may lead: overlaps take the original loops, all else the fast path.

Every function is called by a driver in C as it stands and as it is emitted, with arrays apart and on top of each other.
"""

from __future__ import annotations

import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

from polyloop.backend.c.helpers import Helper, definitions
from polyloop.backend.planning.plan import scalar_program
from polyloop.frontend import read_source
from polyloop.lowering.run_time_tests import UnboundedAccessError, can_be_tested, run_time_tests
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.support.isl_limits import limited
from tests.frontend.emission import drivers, emitted_and_original, needs_gcc, sizes_that_fall_back

SIZES = (0, 1, 2, 5, 17)

APART = {
    "quotients": (
        "int n, int group, double *a, const double *b, const double *scale",
        "for (int i = 0; i < n; i++) a[i] = b[i] * scale[i / group];",
        "quotients(n, 3, x, y, y + n);",
    ),
    "far_quotients": (
        "int n, int m, int group, double *a, const double *scale",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i] += scale[(i * m + j) / group];",
        "far_quotients(n, n, 2, x, y);",
    ),
    "remainders": (
        "int n, int m, double *a, const double *b",
        "for (int i = 0; i < n; i++) a[i] = b[(i * 7 + 3) % m];",
        "remainders(n, 5, x, x + n);",
    ),
    "masks": (
        "int n, int mask, double *a, const double *b, const int *k",
        "for (int i = 0; i < n; i++) a[i] = b[k[i] * i & mask];",
        "masks(n, 3, x, x + n, k);",
    ),
    "scaled": (
        "int h, int w, int sh, int sw, double *a, const double *b",
        "for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) a[i * w + j] = b[(i * sh / h) * sw + j * sw / w];",
        "scaled(n, n, 4, 3, x, y);",
    ),
    "clamped": (
        "int n, int m, double *a, const double *b, const double *at",
        "for (int i = 0; i < n; i++) { int p = (int)at[i]; p = p < 0 ? 0 : p > m - 1 ? m - 1 : p; a[i] = b[p]; }",
        "for (int i = 0; i < n; i++) y[i] *= i % 2 ? -1 : 1; clamped(n, 4, x, x + n, y);",
    ),
    "many_places": (
        "int n, double *a, const double *b, const int *k",
        "for (int i = 0; i < n; i++) { "
        + " ".join(f"a[12 * i + {j}] = b[k[{j}] + i];" for j in range(12))
        + " }",
        "many_places(n, x, y, k);",
    ),
    "kept_inside": (
        "int n, int m, double *a, const double *b, const double *at",
        "for (int i = 0; i < n; i++) { double t = at[i] * m / 2; int k = (int)t; if (t < 0 || k >= m - 1) continue;"
        " double w = t - k; a[i] += (1 - w) * b[k] + w * b[k + 1]; }",
        "for (int i = 0; i < n; i++) y[i] *= i % 2 ? -1 : 1; kept_inside(n, 5, x, x + n, y);",
    ),
    "distances": (
        "int n, double *a, const double *b, const double *w",
        "for (int i = 0; i < n; i++) { double s = 0; for (int d = -2; d <= 2; d++) s += w[d < 0 ? -d : d];"
        " a[i] = s * b[i]; }",
        "distances(n, x, y, x + n);",
    ),
    "clamped_and_plain": (
        "int n, int m, double *a, const double *b, const int *k, const double *c",
        "for (int i = 0; i < n; i++) a[i] = b[k[i] < 0 ? 0 : k[i] > m - 1 ? m - 1 : k[i]] + c[k[i]];",
        "clamped_and_plain(n, 4, x, x + n, k, y);",
    ),
    "clamped_floats": (
        "int n, int m, double *a, const double *b, const double *at",
        "for (int i = 0; i < n; i++) { double p = at[i] * (m - 1); if (p < 0) p = 0; if (p > m - 2) p = m - 2;"
        " int q = (int)p; a[i] = b[q] + (p - q) * (b[q + 1] - b[q]); }",
        "clamped_floats(n, 4, x, x + n, y);",
    ),
    "extrema": (
        "int n, int m, double *a, const double *b, const double *at",
        "for (int i = 0; i < n; i++) a[i] = b[(int)floor(fmin(fmax(at[i] - 9, 0), m - 1))];",
        "extrema(n, 6, x, x + n, y);",
    ),
    "guarded": (
        "int n, int m, double *a, const double *b, const double *at",
        "for (int i = 0; i < n; i++) { int p = (int)at[i] - 9; double v = 0;"
        " if (p >= 0 && p < m) v = b[p]; a[i] = v; }",
        "guarded(n, 6, x, x + n, y);",
    ),
    "guarded_unsigned": (
        "int n, int m, double *a, const double *b, const double *at",
        "for (int i = 0; i < n; i++) { int p = (int)at[i] - 9; if ((unsigned)p < (unsigned)m) a[i] = b[p]; }",
        "guarded_unsigned(n, 6, x, x + n, y);",
    ),
    "kept": (
        "int n, int m, double *a, const double *b, const double *at",
        "int p = 0; for (int i = 0; i < n; i++) { if (at[i] > 20) { p = (int)at[i] % m; } a[i] = b[p]; }",
        "kept(n, 6, x, x + n, y);",
    ),
    "structures": (
        "int n, const struct particle *p, double *grid, double *sums",
        "for (int i = 0; i < n; i++) { grid[p[i].cell] += p[i].mass; sums[i] += grid[i]; }",
        "struct particle p[20]; for (int i = 0; i < 20; i++) p[i].cell = k[i], p[i].mass = k[i + 20];"
        " structures(n, p, x, y);",
    ),
    "rows": (
        "int n, int m, double *a, const double *b, const int *columns",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
        " if (columns[i * m + j] >= 0) a[i] += b[columns[i * m + j]];",
        "rows(n, 5, x, x + n, k);",
    ),
    "corners": (
        "int n, const int (*corner)[4], const double *b, double *a",
        "for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) a[i] += b[corner[i][j]];",
        "corners(n, (const int (*)[4])k, x + n, x);",
    ),
    "edges": (
        "int n, const int (*edge)[2], const double *b, double *a",
        "for (int i = 0; i < n; i++) { int p = edge[i][0], q = edge[i][1]; double d = b[q] - b[p];"
        " a[p] += d; a[q] -= d; }",
        "edges(n, (const int (*)[2])k, y, x);",
    ),
    "first_of_rows": (
        "int n, const int (*edge)[3], const double *b, double *a",
        "for (int i = 1; i < n; i++) a[i] += b[edge[i][2]];",
        "first_of_rows(n, (const int (*)[3])k, x + n, x);",
    ),
    "relaxed": (
        "int n, const int *from, const int *to, const double *w, double *b, double *a",
        "double c = 0; for (int i = 0; i < n; i++) { double d = b[from[i]] + w[i];"
        " if (d < b[to[i]]) { b[to[i]] = d; c = 1; } } a[0] = c;",
        "relaxed(n, k, k + n, y, x + 1, x);",
    ),
    "segments": (
        "int n, const int *first, const double *b, double *a",
        "for (int i = 0; i < n; i++) { double s = 0;"
        " for (int q = first[i]; q < first[i + 1]; q++) s += b[q]; a[i] = s; }",
        "for (int i = 0; i <= n; i++) k[i] = 3 * i; segments(n, k, x + n, x);",
    ),
    "compressed": (
        "int n, const int *first, const int *column, const double *b, double *a",
        "for (int i = 0; i < n; i++) { double s = 0;"
        " for (int q = first[i]; q < first[i + 1]; q++) s += b[column[q]]; a[i] = s; }",
        "int f[19]; for (int i = 0; i <= n; i++) f[i] = (4 * i + i % 3) % 50; compressed(n, f, k, x + n, x);",
    ),
    "compressed_from_one": (
        "int n, const int *first, const int *column, const double *b, double *a",
        "for (int i = 0; i < n; i++) { double s = 0;"
        " for (int q = first[i] - 1; q <= first[i + 1] - 2; q++) s += b[column[q] - 1]; a[i] = s; }",
        "int f[19]; for (int i = 0; i <= n; i++) f[i] = 1 + (4 * i + i % 3) % 50;"
        " compressed_from_one(n, f, k, x + n + 1, x);",
    ),
    "long_rows": (
        "int n, const long *first, const long *end, const int *column, const double *b, double *a",
        "for (int i = 1; i < n; i++) { double s = 0;"
        " for (long q = first[i]; q < end[i + 1]; q++) s += b[column[q] - 1]; a[i] = s; }",
        "long f[19], e[19]; for (int i = 0; i <= n; i++) f[i] = 3 * i, e[i] = 3 * i - 1 + i % 3;"
        " long_rows(n, f, e, k, x + n + 1, x);",
    ),
    "floats": (
        "int n, double *a, const double *b, const float *at",
        "for (int i = 0; i < n; i++) a[i] = b[(int)(at[i] * 0.5f)];",
        "float at[20]; for (int i = 0; i < 20; i++) at[i] = k[i]; floats(n, x, x + n, at);",
    ),
    "scaled_floats": (
        "int n, const double *at, const double *q, double *grid, double s",
        "for (int i = 0; i < n; i++) { double p = at[i] * s; int j = (int)p; grid[j] += q[i]; grid[j + 1] -= q[i]; }",
        "double at[20]; for (int i = 0; i < 20; i++) at[i] = k[i]; scaled_floats(n, at, y, x, 1.5);",
    ),
    "ratios": (
        "int n, int m, double *a, const double *b",
        "for (int i = 0; i < n; i++) { float p = (float)i * (m - 1) / n; int j = (int)p;"
        " a[i] = b[j] + (p - j) * (b[j + 1] - b[j]); }",
        "ratios(n, 6, x, x + n);",
    ),
    "negative_ratios": (
        "int n, double *a, const double *b",
        "for (int i = 0; i < n; i++) a[i] = b[(int)floor((i - 9) / 3.5) + 3];",
        "negative_ratios(n, x, x + n);",
    ),
    "packed": (
        "int n, double *a, const double *b",
        "int k = 0; for (int i = 0; i < n; i++) if (b[i] > 3) a[k++] = b[i];",
        "packed(n, x, x + n + 1);",
    ),
    "split": (
        "int n, double *a, const double *b",
        "int low = 0, high = n; for (int i = 0; i < n; i++) if (b[i] > 9) a[low++] = b[i]; else a[--high] = -b[i];",
        "split(n, x, x + n + 1);",
    ),
    "packed_rows": (
        "int n, int m, unsigned k, double *a, const double *b",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
        " if (b[i * m + j] > 3) { a[k] = b[i * m + j]; k += 2; }",
        "packed_rows(n, 2, 1, y, x); packed_rows(n / 2, 3, 0, x, y);",
    ),
    "stepped": (
        "int n, double *a, const double *b, const int *k",
        "int at = 0; for (int i = 0; i < n; i++) { a[at] += b[i]; at += k[i] & 3; if (b[i] < 2) at = n; }",
        "stepped(n, y, x, k);",
    ),
    "shifted": (
        "int n, double *a, const double *b, const int *k",
        "for (int i = 0; i < n; i++) a[i] = b[k[i] >> 1];",
        "shifted(n, x, x + n, k);",
    ),
    "bits": (
        "int n, unsigned mask, double *a, const double *b, const unsigned *k",
        "for (int i = 0; i < n; i++) a[i] = b[(k[i] * 77u & mask) >> 2];",
        "bits(n, 15, x, x + n, (unsigned *)k);",
    ),
    "shifted_up": (
        "int n, int s, double *a, const double *b, const int *k",
        "for (int i = 0; i < n; i++) a[i] = b[(k[i] << s) + 1];",
        "shifted_up(n, 1, x, x + n, k);",
    ),
    "shifted_by": (
        "int n, int s, double *a, const double *b, const int *k",
        "for (int i = 0; i < n; i++) a[i] = b[(k[i] + i) >> s];",
        "shifted_by(n, 1, x, x + n, k);",
    ),
    "hashed": (
        "int n, int bits, double *a, const double *b, const unsigned *k",
        "for (int i = 0; i < n; i++) a[i] = b[k[i] * 2654435761u >> (32 - bits)];",
        "hashed(n, 3, x, x + n, (unsigned *)k);",
    ),
    "hashed_long": (
        "int n, double *a, const double *b, const unsigned char *k",
        "for (int i = 0; i < n; i++) a[i] = b[(k[i] + 1ul) * 0x9E3779B97F4A7C15ul >> 60];",
        "hashed_long(n, x, x + n, (unsigned char *)k);",
    ),
    "swapped": (
        "int n, int m, int by, struct number *a, const int *p",
        "struct number t;\n#pragma scop\nfor (int i = 0; i < n; i++) if (p[i * by] != i) for (int k = 0; k < n; k++) {"
        " t.re = a[i + k * m].re, t.im = a[i + k * m].im;"
        " a[i + k * m].re = a[p[i * by] + k * m].re, a[i + k * m].im = a[p[i * by] + k * m].im;"
        " a[p[i * by] + k * m].re = t.re, a[p[i * by] + k * m].im = t.im; }\n#pragma endscop\n",
        "for (int i = 0; i < n; i++) k[i] %= n; swapped(n, n, 1, (struct number *)x, k);",
    ),
    "shifted_down": (
        "int n, int s, double *a, const double *b, const int *k",
        "for (int i = 0; i < n; i++) a[i] = b[-k[i] * s];",
        "shifted_down(n, 2, x, x + n + 20, k);",
    ),
}  # fmt: skip

ONTO = {
    "quotients": "quotients(n, 3, x + s, y, x + 6);",
    "far_quotients": "far_quotients(n, n, 2, x + s, x + 6);",
    "remainders": "remainders(n, 5, x + s, x + 6);",
    "masks": "masks(n, 3, x + s, x + 6, k);",
    "scaled": "scaled(n, n, 4, 3, x + s, x + 6);",
    "clamped": "clamped(n, 4, x + s, x + 6, y);",
    "many_places": "many_places(n, x + s, x + 6, k);",
    "distances": "distances(n, x + s, y, x + 6);",
    "clamped_and_plain": "clamped_and_plain(n, 4, x + s, x + 6, k, y);",
    "clamped_floats": "clamped_floats(n, 4, x + s, x + 6, y);",
    "extrema": "extrema(n, 6, x + s, x + 6, y);",
    "guarded": "guarded(n, 6, x + s, x + 6, y);",
    "guarded_unsigned": "guarded_unsigned(n, 6, x + s, x + 6, y);",
    "kept": "kept(n, 6, x + s, x + 6, y);",
    "structures": "struct particle p[20]; for (int i = 0; i < 20; i++) p[i].cell = k[i], p[i].mass = k[i + 20];"
    " structures(n, p, x + s, x + 6);",
    "rows": "rows(n, 5, x + s, x + 6, k);",
    "corners": "corners(n, (const int (*)[4])k, x + s, x + 6);",
    "edges": "edges(n, (const int (*)[2])k, x + s, x + 6);",
    "first_of_rows": "first_of_rows(n, (const int (*)[3])k, x + s, x + 6);",
    "relaxed": "relaxed(n, k, k + n, y, x + 6, x + s);",
    "segments": "for (int i = 0; i <= n; i++) k[i] = 2 * i; segments(n, k, x + s, x + 6);",
    "compressed": "int f[19]; for (int i = 0; i <= n; i++) f[i] = (4 * i + i % 3) % 50;"
    " compressed(n, f, k, x + s, x + 6);",
    "compressed_from_one": "int f[19]; for (int i = 0; i <= n; i++) f[i] = 1 + (4 * i + i % 3) % 50;"
    " compressed_from_one(n, f, k, x + s + 1, x + 6);",
    "long_rows": "long f[19], e[19]; for (int i = 0; i <= n; i++) f[i] = 3 * i, e[i] = 3 * i - 1 + i % 3;"
    " long_rows(n, f, e, k, x + s + 1, x + 6);",
    "floats": "float at[20]; for (int i = 0; i < 20; i++) at[i] = k[i]; floats(n, x + s, x + 6, at);",
    "scaled_floats": "double at[20]; for (int i = 0; i < 20; i++) at[i] = k[i];"
    " scaled_floats(n, at, x + 6, x + s, 1.5);",
    "kept_inside": "kept_inside(n, 9, x + s, x + 6, y);",
    "ratios": "ratios(n, 6, x + s, x + 6);",
    "negative_ratios": "negative_ratios(n, x + s, x + 6);",
    "packed": "packed(n, x + s, x + 6);",
    "split": "split(n, x + s, x + 6);",
    "packed_rows": "packed_rows(n, 1, 1, x + s, x + 6);",
    "stepped": "stepped(n, x + s, x + 6, k);",
    "shifted": "shifted(n, x + s, x + 6, k);",
    "bits": "bits(n, 15, x + s, x + 6, (unsigned *)k);",
    "shifted_up": "shifted_up(n, 1, x + s, x + 6, k);",
    "shifted_by": "shifted_by(n, 1, x + s, x + 6, k);",
    "hashed": "hashed(n, 3, x + s, x + 6, (unsigned *)k);",
    "hashed_long": "hashed_long(n, x + s, x + 6, (unsigned char *)k);",
    "shifted_down": "shifted_down(n, 1, x + s, x + 12, k);",
}
"""Drivers that put what is stored before, onto and behind what is loaded."""

TYPES = "#include <math.h>\nstruct particle { double mass; int cell; };\nstruct number { double re, im; };"


def text_of(name: str, driver: str) -> str:
    signature, region, _ = APART[name]
    return drivers(TYPES, {name: (signature, region, driver)})


@needs_gcc
@pytest.mark.parametrize("name", APART)
def test_arrays_that_lie_apart_take_the_fast_path(name: str, tmp_path: Path) -> None:
    text = text_of(name, APART[name][2])
    (scop,) = read_source("f.c", text=text).scops
    slow = sizes_that_fall_back(emitted_and_original(text, {name: scop}, tmp_path), name, SIZES)
    assert slow <= {0}  # rows of no elements


@needs_gcc
@pytest.mark.parametrize("name", ONTO)
def test_arrays_that_overlap_take_the_original_loops(name: str, tmp_path: Path) -> None:
    text = text_of(name, f"if (n > 3) for (int s = 0; s < 14; s++) {{ {ONTO[name]} }}")
    (scop,) = read_source("f.c", text=text).scops
    slow = sizes_that_fall_back(emitted_and_original(text, {name: scop}, tmp_path), name, SIZES)
    assert slow == {5, 17}


@pytest.mark.parametrize("name", ["clamped", "clamped_floats", "distances", "kept_inside", "masks"])
def test_conditions_that_suffice_leave_the_data_alone(name: str) -> None:
    """Looking for the extremes of what is clamped would take longer than most loops."""
    text = text_of(name, APART[name][2])
    (scop,) = read_source("f.c", text=text).scops
    nest = lower(scop, original_tree(scop))
    emitted = emit_c_file(text, [Replacement(scop, scalar_program(nest))])
    assert "polyloop_extreme" not in emitted.replace(text, "")
    assert "polyloop_disjoint(" in emitted


def test_the_ends_of_many_places_are_found_one_by_one() -> None:
    """Of all together isl would take minutes."""
    (scop,) = read_source("f.c", text=text_of("many_places", APART["many_places"][2])).scops
    assert scop.source is not None
    with limited(1_000_000):
        tests, _ = run_time_tests(scop, scalar_program(lower(scop, original_tree(scop))), scop.source)
    assert all(f"k[{j}]" in "".join(tests) for j in range(12))


@pytest.mark.parametrize("pointer", ["", "struct number *q = &t;"])
def test_numbers_in_a_structure_of_the_functions_own_overlap_nothing(pointer: str) -> None:
    signature, region, driver = APART["swapped"]
    text = drivers(TYPES, {"swapped": (signature, region.replace("#pragma scop", f"{pointer}\n#pragma scop"), driver)})
    (scop,) = read_source("f.c", text=text).scops
    replacement = Replacement(scop, scalar_program(lower(scop, original_tree(scop))))
    with pytest.raises(UnboundedAccessError, match="cannot bound the part of a") if pointer else nullcontext():
        assert "polyloop_disjoint(" not in emit_c_file(text, [replacement])


STAY = {
    "no condition": "for (int i = 0; i < n; i++) { int p = (int)sin(x[i]); a[i] = b[p]; }",
    "a condition that says nothing": "for (int i = 0; i < n; i++) { int p = (int)exp(x[i]); if (p != 3) a[i] = b[p]; }",
    "one end": "for (int i = 0; i < n; i++) { int p = (int)exp(x[i]); if (p < n) a[i] = b[p]; }",
    "a divisor that may be less than 1": "for (int i = 0; i < n; i++) a[i] = b[(int)(i / 0.5)];",
    "an element that may not be read": "for (int i = 0; i < n; i++) if (x[i] > 0) a[i] = b[k[i]];",
    "an element that the loops write": "for (int i = 0; i < n; i++) { a[i] = b[c[i]]; c[i + 1] = i; }",
    "a counter of data": "int p = 1; for (int i = 0; i < n; i++) { if (x[i] > 0) p *= 2; a[i] = b[p]; }",
    "steps of any length": "int p = 0; for (int i = 0; i < n; i++) { a[i] = b[p]; p += (int)exp(x[i]); }",
    "bounds that the loops write": "for (int i = 0; i < n; i++) { double s = 0;"
    " for (int q = c[i]; q < c[i + 1]; q++) s += b[k[q]]; a[i] = s; c[i + 2] = i; }",
    "elements that a fold may not read": "for (int i = 0; i < n; i++) { double s = 0;"
    " for (int q = k[i]; q < k[i + 1]; q++) s += x[q] > 0 ? b[k[q]] : 0; a[i] = s; }",
    "no number": "for (int i = 0; i < n; i++) a[i] = b[(int)fmin(exp(x[i]), fmin(exp(x[i + 1]), exp(x[i + 2])))];",
    "the other variable": "for (int i = 0; i < n; i++) { int p = k[i], q = (int)exp(x[i]);"
    " if (p >= 0 && p < n) a[i] = b[q]; }",
}  # fmt: skip


@pytest.mark.parametrize("name", STAY)
def test_what_nothing_limits_stays(name: str) -> None:
    signature = "int n, double *a, const double *b, const double *x, const int *k, int *c"
    text = f"#include <math.h>\nvoid f({signature})\n{{\n#pragma scop\n{STAY[name]}\n#pragma endscop\n}}\n"
    (scop,) = read_source("f.c", text=text).scops
    with pytest.raises(UnboundedAccessError, match=r"cannot bound the part of [bk]"):
        emit_c_file(text, [Replacement(scop, scalar_program(lower(scop, original_tree(scop))))])


HELPERS = """
#include <stdio.h>
int main(void)
{
    long wrong = 0;
    for (long a = -7; a <= 7; a++) for (long b = a; b <= 7; b++)
        for (long c = -2; c <= 5; c++) for (long d = c; d <= 5; d++) {
            const long far = 281474976710656L;
            long least[2] = {far, far}, most[2] = {-far, -far};
            for (long p = a; p <= b; p++) for (long q = c > 0 ? c : 1; q <= d; q++) {
                const long r[2] = {p / q, p % q};
                for (int k = 0; k < 2; k++)
                    least[k] = r[k] < least[k] ? r[k] : least[k], most[k] = r[k] > most[k] ? r[k] : most[k];
            }
            const long found[4] = {polyloop_quotient_end(a, b, c, d, 0), polyloop_quotient_end(a, b, c, d, 1),
                                   polyloop_remainder_end(a, b, c, d, 0), polyloop_remainder_end(a, b, c, d, 1)};
            if (c <= 0)
                wrong += found[0] != -far || found[1] != far || found[2] != -far || found[3] != far;
            else
                wrong += found[0] != least[0] || found[1] != most[0] || found[2] > least[1] || found[3] < most[1];
        }
    wrong += polyloop_quotient_end(0, 1L << 48, 2, 2, 1) != 1L << 48;
    const long far_out[3] = {(long)(~0UL >> 1), -(long)(~0UL >> 1) - 1, 7};
    wrong += polyloop_extreme_i64(far_out, 3).most != 1L << 48 || polyloop_extreme_i64(far_out, 3).least != -(1L << 48);
    const int every[6] = {4, 100, 2, -100, 3, 100};
    wrong += polyloop_extreme_apart_i32(every, 3, 2).least != 2 || polyloop_extreme_apart_i32(every, 3, 2).most != 4;
    wrong += polyloop_extreme_apart_i32(every, 0, 2).most != 0;
    volatile double zero = 0;
    const float floats[4] = {3, 100, 3.5f, 100};
    const double reals[4] = {2.5, -3.5, 7, 7.25}, none[3] = {1, 0.0 / zero, 2}, beyond[2] = {-1, 1e300};
    wrong += polyloop_extreme_f64(reals, 4).least != -4 || polyloop_extreme_f64(reals, 4).most != 8;
    wrong += polyloop_extreme_f64(reals, 1).least != 2 || polyloop_extreme_f64(reals + 2, 1).most != 7;
    wrong += polyloop_extreme_f64(none, 3).least != -(1L << 48) || polyloop_extreme_f64(beyond, 2).most != 1L << 48;
    const double below[3] = {-0.0, -5.5, -1}, inverse[2] = {4, -none[1]};
    wrong += polyloop_extreme_f64(below, 3).least != -6 || polyloop_extreme_f64(below, 3).most != 0;
    wrong += polyloop_extreme_f64(below, 1).least != 0 || polyloop_extreme_f64(inverse, 2).most != 1L << 48;
    wrong += polyloop_extreme_f64(none, 0).most != 0 || polyloop_extreme_apart_f32(floats, 2, 2).most != 4;
    printf("%ld", wrong);
    return 0;
}
"""


@needs_gcc
def test_helpers_find_the_ends(tmp_path: Path) -> None:
    from polyloop.backend.ir.expressions import F32, F64, I32, I64
    from polyloop.backend.ir.vector_program import ValueType

    wanted = [Helper("quotient_end"), Helper("remainder_end"), Helper("extreme", ValueType(I64))]
    wanted.append(Helper("extreme_apart", ValueType(I32)))
    wanted += [Helper("extreme", ValueType(F64)), Helper("extreme_apart", ValueType(F32))]
    path = tmp_path / "helpers.c"
    path.write_text("".join(text for _, text in definitions(wanted)) + HELPERS)
    flags = ["-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover"]
    subprocess.run(["gcc", *flags, str(path), "-o", str(tmp_path / "helpers")], check=True)
    done = subprocess.run([str(tmp_path / "helpers")], capture_output=True, text=True, check=True)
    assert done.stdout == "0"


def test_nothing_before_the_loops_is_asked_for_where_a_variable_is_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    """isl takes a second for every reader of a variable that many statements move."""
    body = "int k = 0; for (int i = 0; i < n; i++) { if (b[i] > 3) a[k++] = b[i]; if (b[i] > 5) k++; }"
    text = f"void f(int n, double *a, const double *b)\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    (scop,) = read_source("t.c", text=text).scops
    monkeypatch.setattr("polyloop.lowering.reach.flow", None)
    assert can_be_tested(scop)
