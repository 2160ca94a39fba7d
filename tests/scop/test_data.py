"""Sizes and data."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import polyloop
from polyloop.backend.ir.expressions import F32, F64, I8, I32, U8, U16, dtype_of
from polyloop.backend.ir.interpreter import interpret
from polyloop.frontend import read_c, read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import (
    ORDINARY_FLOATS,
    SWEEPS,
    Fill,
    SizeError,
    ask_for_memory,
    checked_sizes,
    fill,
    fills,
    make_data,
    of_variables,
    shape_of,
    sizes_as_given,
    variables_of_sizes,
)
from polyloop.scop.index_data import IndexDataError, index_data
from polyloop.scop.size_choice import BYTES, WORK, SizeChoice, default_sizes
from tests.helpers.reading import marked_scop

MATRIX = """void f(int n, int m, double A[n][m], float x[m], int count[n], double s)
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] = A[i][j] + s * x[j] + count[i];
#pragma endscop
}
"""
POINTER = """void f(int n, double *x, double *y)
{
#pragma scop
  for (int i = 0; i < n; i++)
    y[2 * i + 1] = x[i];
#pragma endscop
}
"""
CONSTANT = """double A[12][5];
void f(void)
{
#pragma scop
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 5; j++)
      A[i][j] = 1.5;
#pragma endscop
}
"""


def test_default_sizes_are_one_number_as_large_as_work_and_memory_allow() -> None:
    scop = marked_scop(MATRIX)
    choice = default_sizes(scop)
    sizes = choice.values
    assert sizes["n"] == sizes["m"]
    assert choice.origin == "chosen for 32 MiB of data"
    assert sizes["n"] * sizes["m"] <= WORK
    assert BYTES / 2 <= sum(dtype_of(f.type).itemsize * math.prod(f.shape) for f in fills(scop, sizes)) <= BYTES


def test_default_sizes_of_a_scop_without_parameters() -> None:
    assert default_sizes(marked_scop(CONSTANT)) == SizeChoice({}, "the constants of the source")


def test_checked_sizes_are_in_the_scops_order() -> None:
    scop = marked_scop(MATRIX)
    assert list(checked_sizes(scop, {"m": 3, "n": 4}).items()) == [(p, {"n": 4, "m": 3}[p]) for p in scop.parameters]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n": 4}, "no size for m in f: its parameters are"),
        ({"n": 4, "m": 3, "k": 1}, "no parameter k in f: its parameters are"),
        ({"n": 4, "m": -3}, "outside what f is written for"),
        ({"n": 4, "m": 2.5}, "m=2.5 in f: sizes are whole numbers"),
        ({"n": 4, "m": "3"}, "m='3' in f: sizes are whole numbers"),
    ],
)
def test_sizes_that_do_not_fit(sizes: dict[str, Any], message: str) -> None:
    with pytest.raises(SizeError, match=message):
        checked_sizes(marked_scop(MATRIX), sizes)


def test_negative_extents_get_no_data() -> None:
    with pytest.raises(SizeError, match="n=-4, m=3: A would have the extents -4, 3"):
        make_data(marked_scop(MATRIX), {"n": -4, "m": 3})


def test_an_unknown_extent_is_as_large_as_the_accesses_need() -> None:
    scop = marked_scop(POINTER)
    assert shape_of(scop, scop.array("y"), {"n": 7}) == (14,)
    assert shape_of(scop, scop.array("x"), {"n": 7}) == (7,)


def test_data_begin_in_front_of_a_pointer_that_is_read_backwards() -> None:
    scop = marked_scop(POINTER.replace("x[i]", "x[i - 2] + x[i + 3]"))
    assert shape_of(scop, scop.array("x"), {"n": 7}) == (12,)
    assert [(f.name, f.shape, f.origin) for f in fills(scop, {"n": 7})] == [("x", (12,), 2), ("y", (14,), 0)]
    data = make_data(scop, {"n": 7})
    whole = data["x"].base
    assert isinstance(whole, np.ndarray)
    assert (whole.shape, data["x"].shape) == ((12,), (10,))
    assert data["x"].ctypes.data == whole.ctypes.data + 2 * 8
    polyloop.compile(scop)(**data, n=7)
    assert np.array_equal(data["y"][1::2], whole[:7] + whole[5:])


def test_data_that_lie_in_front_of_a_pointer_altogether() -> None:
    scop = marked_scop(POINTER.replace("x[i]", "x[i - 20]"))
    (spec, _) = fills(scop, {"n": 7})
    assert (spec.shape, spec.origin) == ((21,), 20)


def test_subscripts_that_a_condition_keeps_from_being_negative_get_data() -> None:
    scop = marked_scop(POINTER.replace("x[i]", "(i > 1 ? x[i - 2] : 0)"))
    assert shape_of(scop, scop.array("x"), {"n": 7}) == (5,)


def test_data_has_the_shapes_and_types_of_the_arrays() -> None:
    data = make_data(marked_scop(MATRIX), {"n": 3, "m": 4})
    assert {name: (a.shape, str(a.dtype)) for name, a in data.items()} == {
        "A": ((3, 4), "float64"),
        "x": ((4,), "float32"),
        "count": ((3,), "int32"),
        "s": ((), "float64"),
    }
    assert all(a.flags.c_contiguous for a in data.values())


def test_data_comes_again_from_its_seed() -> None:
    scop = marked_scop(MATRIX)
    first, again = (make_data(scop, {"n": 3, "m": 4}, seed=5) for _ in range(2))
    other = make_data(scop, {"n": 3, "m": 4}, seed=6)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["A"], other["A"])


def test_flags_come_in_runs() -> None:
    flags = fill(Fill("mask", U8, (20, 100), 3, range=(0, 1)))
    assert (flags.shape, flags.dtype.name) == ((20, 100), "uint8")
    assert sorted(set(flags.reshape(-1).tolist())) == [0, 1]
    assert 1 <= np.count_nonzero(np.diff(flags.reshape(-1))) < 2000 / 16
    assert set(fill(Fill("mask", U8, (20, 100), 3, range=(0, 2))).flat) == {0, 1, 2}


def test_smooth_numbers_are_on_lines_and_there_is_nothing_at_the_same_places() -> None:
    first, other = (np.asarray(fill(Fill("h", F64, (8, 500), seed, smooth=True)), np.float64) for seed in (1, 2))
    for values in (first, other):
        assert values.min() == 0
        assert 0.5 < values.max() <= 1
        assert np.abs(np.diff(values.ravel())).max() <= 1 / 32
    assert not np.array_equal(first, other)
    assert np.array_equal(first == 0, other == 0)
    whole = fill(Fill("c", I32, (1000,), 0, smooth=True))
    assert {1, 2, 3, 4, 5} <= set(whole.flat) <= {1, 2, 3, 4, 5, 6, 7}
    assert np.abs(np.diff(whole)).max() == 1
    at = Fill("at", I32, (50,), 0, limits=(0, 9))
    assert np.array_equal(fill(at), fill(replace(at, smooth=True)))


def test_fills_describe_the_data() -> None:
    scop = marked_scop(MATRIX)
    data = make_data(scop, {"n": 3, "m": 4}, seed=2)
    for spec in fills(scop, {"n": 3, "m": 4}, seed=2):
        assert np.array_equal(fill(spec), data[spec.name])


def test_values() -> None:
    square = np.asarray(fill(Fill("A", F64, (6, 6), 0)), np.float64)
    assert (square.diagonal() >= 6.1).all()
    assert (square.diagonal() < 7).all()
    outside = square[~np.eye(6, dtype=bool)]
    assert ((outside >= 0.1) & (outside < 1)).all()
    whole = fill(Fill("c", I32, (100,), 0))
    assert set(np.unique(whole)) == set(range(1, 8))


def test_data_types() -> None:
    assert [str(dtype_of(t)) for t in (F64, F32, I8, I32, U16)] == ["float64", "float32", "int8", "int32", "uint16"]


COUNTERS = """
void f(int n, float a[n], const float b[n], float c[2 * n + 1])
{{
    int j;
#pragma scop
    j = {start};
    for (int i = 0; i < n; i++) {{ {body} }}
#pragma endscop
}}
"""


@pytest.mark.parametrize(
    ("start", "body", "held"),
    [
        (-1, "if (b[i] > 0) { j++; a[j] = b[i]; }", -1),  # it has moved once before it is asked for
        (-1, "if (b[i] > 0) { j++; a[i] = b[j]; }", -1),
        (-1, "j++; c[j] = b[i]; if (b[i] > 0) { j++; c[j] = a[i]; }", -1),
        (0, "if (b[i] > 0) { a[j] = b[i]; j++; }", 0),
        (0, "if (b[i] > 0) { j++; a[j] = b[i]; }", None),  # the last element may be behind the end
        (-1, "if (b[i] > 0) { a[j] = b[i]; j++; }", None),
        (-1, "if (b[i] > 0) { j++; } if (b[i] > 1) { a[j] = b[i]; }", None),  # under another condition
        (-1, "if (a[i] > 0) { j++; } a[i] = b[i]; if (a[i] > 0) { c[j] = b[i]; }", None),
    ],
)
def test_counters_stay_inside(start: int, body: str, held: int | None) -> None:
    """Loops are timed without what sets their counter, too: its data are what it is set to."""
    scop = marked_scop(COUNTERS.format(start=start, body=body))
    if held is None:
        with pytest.raises(IndexDataError, match="no data can be made"):
            index_data(scop, {"n": 20}, ORDINARY_FLOATS)
    else:
        assert dict(index_data(scop, {"n": 20}, ORDINARY_FLOATS).limits)["j"] == (held, held)


ANEW = "int j; #for (int t = 0; t < 9; t++) {"


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        ("int j = -1; #for (int i = 0; i < 20; i++) { j++; a[j] = b[i]; if (b[i] > 0) { j++; a[j] = 2; } }", True),
        ("int j = 0; #for (int i = 0; i < 20; i++) { j++; a[j] = b[i]; if (b[i] > 0) { j++; a[j] = 2; } }", False),
        (f"{ANEW} j = -1; for (int i = 0; i < 40; i++) if (b[i] > t) a[++j] = i; }}", True),
        (f"{ANEW} j = 0; for (int i = 0; i < 40; i++) if (b[i] > t) a[++j] = i; }}", False),
        (f"{ANEW} if (b[t] > 0) j = -1; for (int i = 0; i < 40; i++) a[++j] = i; }}", False),
    ],
)
def test_counters_that_begin_anew(body: str, fits: bool) -> None:
    """Before the region, where its own text does not set them, or in every iteration of a loop: of 40 elements."""
    before, region = body.split("#")
    text = f"float a[40], b[40];\nint f(void)\n{{\n{before}\n#pragma scop\n{region}\n#pragma endscop\nreturn j;\n}}\n"
    (scop,) = read_c("f.c", text=text)
    if fits:
        assert make_data(scop, {})["a"].shape == (40,)
    else:
        with pytest.raises(SizeError, match="surely are elements"):
            make_data(scop, {})


def test_what_loops_begin_at_is_small_beside_sizes_that_are_given() -> None:
    text = """void f(int k, int n, double *a) {
        for (int i = k + 1; i < n; i++)
            for (int j = i; j < n; j++)
                a[i * n + j] = 0;
    }"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    assert default_sizes(scop, {"n": 400}).values == {"k": 1, "n": 400}


TABLE = """#include <math.h>
static double table[257];
static double at(double x)
{
  x = x > 0 ? x : 0;
  x = x < 255 ? x : 255;
  int i = (int)x;
  return table[i] + (x - i) * (table[i + 1] - table[i]);
}
void f(int n, double *restrict y, const double *restrict x, const double *restrict z)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    BODY
  }
#pragma endscop
}
"""


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = at(x[i] * 999);",
        "double u = fabs(x[i]) / z[i]; if (u >= 1) continue; y[i] += table[(int)(u * 256)];",  # NaN is none of the data
        "y[i] = at(x[i] * 999) < z[i] ? at(x[i] * 999) : z[i];",  # once more, under a condition
    ],
)
def test_rounded_numbers_are_within_what_they_are_compared_with(body: str) -> None:
    (scop,) = read_c("f.c", text=TABLE.replace("BODY", body))
    assert index_data(scop, {"n": 20}, ORDINARY_FLOATS).sources >= {"x"}
    wider = TABLE.replace("BODY", body).replace("255", "256").replace(">= 1", "> 2")
    (scop,) = read_c("f.c", text=wider)
    with pytest.raises(IndexDataError):
        index_data(scop, {"n": 20}, ORDINARY_FLOATS)


def test_loops_that_would_run_once_run_through() -> None:
    text = """void f(int capacity, int least, int k, int *best) {
        for (int w = capacity; w >= least; w--)
            best[w] += 3 * w + k;
    }"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    sizes = default_sizes(scop).values
    assert sizes["least"] == 1
    assert sizes["capacity"] > 1000


def test_sizes_of_what_the_code_computes() -> None:
    loops = "  for (int i = 0; i < n * m; i++)\n    a[i] = 0;\n  for (int i = n; i < m; i++)\n    a[i] = 1;\n"
    (scop,) = read_c("f.c", text=f"void f(int n, int m, double *a)\n{{\n{loops}}}\n", auto=True)
    assert set(scop.parameters) == {"n", "m", "n_m"}
    sizes = {"n": 4, "m": 5, "n_m": 20}
    assert sizes_as_given(scop, {"m": 5, "n_m": 7}, {"n": 4, "n_m": 20}) == sizes
    why = r"n_m=21 in f: the code computes .* \* .*, which is 20 here; give sizes of what it is computed from"
    with pytest.raises(SizeError, match=why):
        sizes_as_given(scop, sizes, {"n_m": 21})


RESIZED = """
void f(float *restrict out, int ow, int oh, const float *restrict in, int iw, int ih, float sx, float sy)
{
  for (int y = 0; y < oh; y++) {
    int y0 = (int)floorf((y + 0.5f) * sy - 0.5f), y1 = y0 + 1 < ih ? y0 + 1 : ih - 1;
    if (y0 < 0) y0 = 0;
    for (int x = 0; x < ow; x++) {
      int x0 = (int)floorf((x + 0.5f) * sx - 0.5f), x1 = x0 + 1 < iw ? x0 + 1 : iw - 1;
      if (x0 < 0) x0 = 0;
      out[y * ow + x] = in[y0 * iw + x0] + in[y1 * iw + x1];
    }
  }
}
"""


def test_subscripts_that_are_computed_from_floats() -> None:
    """What the statements before leave counts, not what a variable holds anywhere."""
    (scop,) = read_source("f.c", text="#include <math.h>\n" + RESIZED, auto=True).scops
    sizes = {"oh": 9, "ih": 7, "ow": 8, "iw": 6}
    extents = dict(index_data(scop, sizes, ORDINARY_FLOATS).extents)
    assert extents == {"in": 8 * 6 + 7 + 1}  # with factors up to 1
    data = make_data(scop, sizes)
    assert data["in"].shape == (56,)
    interpret(lower(scop, original_tree(scop)), sizes, data)


def test_particles_in_cells_stay_in_their_box() -> None:
    text = """void f(int n, int cells, double *restrict rho, double *restrict x, const double *restrict v) {
        for (int i = 0; i < n; i++) {
            x[i] += v[i];
            if (x[i] >= cells) x[i] -= cells;
            rho[(int)x[i]] += 1;
        }
    }"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    assert dict(index_data(scop, {"n": 20, "cells": 30}, ORDINARY_FLOATS).extents) == {"rho": 3}
    assert dict(index_data(scop, {"n": 20, "cells": 1}, ORDINARY_FLOATS).extents) == {"rho": 2}


def test_subscripts_from_sums_that_conditions_keep_inside_get_data() -> None:
    """Sums grow without an end, as far as is known; what is looked up where they are small does not."""
    text = """static float table[66];
    static float look_up(float x) {
        if (x <= -8) return table[0];
        if (x >= 8) return table[64];
        float place = (x + 8) * 4;
        int i = (int)place;
        return table[i] + (place - i) * (table[i + 1] - table[i]);
    }
    void f(int n, float *restrict y, const float *restrict a) {
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int k = 0; k < n; k++) y[i] += a[i * n + k];
            y[i] = look_up(y[i]);
        }
    }"""
    (scop,) = read_source("f.c", "f", text=text, auto=True).scops
    assert index_data(scop, {"n": 20}, ORDINARY_FLOATS).sources
    data = make_data(scop, {"n": 20})
    interpret(lower(scop, original_tree(scop)), {"n": 20}, data)


def test_a_choice_in_a_subscript_beside_data() -> None:
    text = """struct trellis { int metric[2][8]; };
    int f(struct trellis *t, int n) {
        int now = 0, best = 0;
        for (int i = 0; i < n; i++) {
            for (int s = 0; s < 8; s++) t->metric[now ^ 1][s] = t->metric[now][s ^ 1] + s;
            now ^= 1;
        }
        for (int s = 1; s < 8; s++)
            if (t->metric[now][s] < t->metric[now][best]) best = s;
        return best;
    }"""
    scops = read_source("f.c", text=text, auto=True).scops
    assert any(access.data for scop in scops for s in scop.statements for access in s.reads)
    assert all(not scop.reads_map.is_empty() for scop in scops)


def test_subscripts_are_where_conditions_on_their_parts_hold() -> None:
    text = """void f(int w, int h, float s, unsigned char *restrict out, const unsigned char *restrict in) {
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                int ix = (int)(s * x - y), iy = (int)(s * y - x);
                if (ix >= 0 && iy >= 0 && ix < w && iy < h - 1) out[y * w + x] = in[(iy + 1) * w + ix];
            }
    }"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    assert dict(index_data(scop, {"w": 20, "h": 10}, ORDINARY_FLOATS).extents) == {"in": 200}
    assert dict(index_data(scop, {"w": 20, "h": 1}, ORDINARY_FLOATS).extents) == {"in": 1}


@pytest.mark.parametrize(("zeroed", "held"), [("bins", 29), ("0", None)])
def test_bins_that_a_loop_sets_to_zero_are_those_that_data_name(zeroed: str, held: int | None) -> None:
    """Without it there are as many as the numbers that data may be."""
    text = """void f(int n, int bins, const int *restrict a, int *restrict count) {
        for (int b = 0; b < %s; b++)
            count[b] = 0;
        for (int i = 0; i < n; i++)
            count[a[i]]++;
    }"""
    scops = read_source("f.c", text=text % zeroed, auto=True).scops
    found = index_data(scops[-1], {"n": 2000, "bins": 30}, ORDINARY_FLOATS)
    limit = dict(found.limits)["a"][1]
    assert limit == held if held is not None else limit > 30
    assert dict(found.extents)["count"] == limit + 1


def test_windows_are_looked_at_around_places_that_are_far_enough_inside() -> None:
    text = """void f(float cx, float cy, unsigned long stride, float out[9][9], const float *restrict image) {
        for (int j = 0; j < 9; j++)
            for (int i = 0; i < 9; i++)
                out[j][i] = image[(int)(cy + (j - 4)) * stride + (int)(cx + (i - 4))];
    }"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    found = index_data(scop, {"stride": 100}, ORDINARY_FLOATS)
    assert dict(found.ranges) == {"cx": (4.1, 5.0), "cy": (4.1, 5.0)}
    assert dict(found.extents) == {"image": 910}
    data = make_data(scop, {"stride": 100})
    polyloop.compile(scop)(**data, stride=100)
    assert data["out"][0, 0] == data["image"][0]
    assert data["out"][8, 8] == data["image"][808]


def test_rows_in_front_where_no_range_keeps_subscripts_from_being_negative() -> None:
    column = "(c + 1) % k + x * step - pad"
    text = f"""void f(int n, int m, int k, int step, int pad, float *restrict out, const float *restrict in) {{
        for (int c = 0; c < m; c++)
            for (int x = 0; x < n; x++)
                out[c * n + x] = {column} < 0 ? 0 : in[{column}];
    }}"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    sizes = {"m": 9, "n": 10, "k": 3, "step": 4, "pad": 2}
    assert dict(index_data(scop, sizes, ORDINARY_FLOATS).origins) == {"in": 2}
    data = make_data(scop, sizes)
    polyloop.compile(scop)(**data, **sizes)
    at = np.arange(1, 10)[:, None] % 3 + 4 * np.arange(10) - 2
    assert np.array_equal(data["out"], np.where(at < 0, np.float32(0), data["in"][np.maximum(at, 0)]))


def test_tables_of_three_dimensions_have_few_elements_in_each() -> None:
    """256 in each, as a table of one dimension has, would take all the memory, and loops would get no iterations."""
    text = """void look(int n, int s, const float *x, const float *table, float *out)
    { for (int i = 0; i < n; i++) { int p = (int)(x[i] * (s - 1)); out[i] = table[(p * s + p) * s + p]; } }"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    sizes = default_sizes(scop).values
    assert 4 * sizes["s"] ** 3 <= BYTES
    assert sizes["n"] > 1000


def test_variables_of_the_function_say_what_parameters_are_computed_from() -> None:
    text = "void f(int n, int c, double *x, const double *b) { for (int i = 0; i < n; i++) x[i] += b[i % c]; }"
    (scop,) = read_source("f.c", text=text, auto=True).scops
    assert scop.parameters == ("steps", "last", "c")
    assert variables_of_sizes(scop) == {"steps", "last", "c", "n"}
    assert of_variables(scop, {"n": 17, "c": 5}) == {"steps": 4, "last": 2, "c": 5}
    assert of_variables(scop, {"n": 17, "q": 3}) == {"q": 3}
    assert of_variables(scop, {"steps": 4, "c": 5}) == {"steps": 4, "c": 5}


@pytest.mark.parametrize(("wanted", "chosen"), [(1, 1), (2, 2), (100, 128), (256, 256), (300, 256)])
def test_steps_of_loops_are_such_that_a_number_gives(wanted: int, chosen: int) -> None:
    text = "void f(unsigned step, float *y) { for (unsigned r = 0, j = 0; r < 256; r += step) y[j++] = 1; }"
    (scop,) = read_source("f.c", text=text, auto=True).scops
    assert checked_sizes(scop, {"steps": wanted}) == {"steps": chosen}


def test_sizes_are_those_that_variables_of_the_function_give() -> None:
    text = """void f(int n, int c, int hw, float *y, const float *s)
    { for (int i = 0; i < n * c * hw; i++) y[i] *= s[(i / hw) % c]; }"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    sizes = default_sizes(scop).values
    assert sizes["steps"] % sizes["c"] == 0
    assert sizes["last"] == sizes["hw"] > 100
    assert sizes == of_variables(scop, {"n": sizes["steps"] // sizes["c"], "c": sizes["c"], "hw": sizes["hw"]})


@pytest.mark.parametrize(("points", "sweeps"), [(50, None), (2000, SWEEPS), (30000, 4)])
def test_sweeps_over_given_arrays_are_enough_for_blocks_of_them(points: int, sweeps: int | None) -> None:
    text = (
        f"void f(int steps, double a[{points}][{points}]) {{\n#pragma scop\nfor (int t = 0; t < steps; t++)\n"
        f"  for (int i = 1; i < {points}; i++) for (int j = 0; j < {points}; j++) a[i][j] += a[i - 1][j];\n"
        "#pragma endscop\n}\n"
    )
    (scop,) = read_c("f.c", text=text)
    found = default_sizes(scop).values["steps"]
    assert found == sweeps if sweeps is not None else found > SWEEPS


@pytest.mark.parametrize("rows", [1 << 40, 1 << 62])
def test_data_that_no_memory_holds_are_refused_before_they_are_made(rows: int) -> None:
    small, vast = Fill("small", F64, (3,), 0), Fill("vast", F64, (rows, 5), 0)
    ask_for_memory([small], 3)
    with pytest.raises(MemoryError, match=rf"^the data take .* are free; vast alone has {rows} x 5 elements: choose"):
        ask_for_memory([small, vast], 3)
