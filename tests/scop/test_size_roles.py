"""Sizes that nobody gave, of parameters that subscripts and conditions are computed from: what they do there says what
they are."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_source
from polyloop.scop.data import fills, work
from polyloop.scop.size_choice import default_sizes
from polyloop.terminal.ranking import assumed_sizes
from tests.helpers.reading import found_scop

QUANTISED = """
void f(int d, int n, int g, float *out, const signed char *x, const signed char *w, const float *s)
{
    for (int i = 0; i < d; i++) {
        float v = 0;
        for (int j = 0; j <= n - g; j += g) {
            int sum = 0;
            for (int k = 0; k < g; k++)
                sum += x[j + k] * w[i * n + j + k];
            v += sum * s[(i * n + j) / g];
        }
        out[i] = v;
    }
}
"""
COLUMNS = """
void f(const float *im, int channels, int height, int width, int k, int stride, int pad, int rows, int cols, float *col)
{
    for (int c = 0; c < channels; c++)
        for (int h = 0; h < rows; h++)
            for (int w = 0; w < cols; w++) {
                int y = (c / k) % k + h * stride - pad, x = c % k + w * stride - pad;
                float v = 0;
                if (y >= 0 && x >= 0 && y < height && x < width)
                    v = im[x + width * (y + height * (c / k / k))];
                col[(c * rows + h) * cols + w] = v;
            }
}
"""
SCALED = """
void f(unsigned char *to, const unsigned char *from, int dh, int dw, int sh, int sw)
{
    for (int y = 0; y < dh; y++)
        for (int x = 0; x < dw; x++)
            to[y * dw + x] = from[(y * sh / dh) * sw + x * sw / dw];
}
"""
EMBEDDING = """
void f(const int *token, const float *table, float *out, int n, int width)
{
    for (int t = 0; t < n; t++)
        for (int c = 0; c < width; c++)
            out[t * width + c] = table[token[t] * width + c];
}
"""
TABLE = """
void f(int n, int width, const int *column, const double *value, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < width; j++)
            s += value[i * width + j] * x[column[i * width + j]];
        y[i] = s;
    }
}
"""
FILTERED = """
int f(const int *x, int n, int low, int high, int *out)
{
    int m = 0;
    for (int i = 0; i < n; i++)
        if (x[i] >= low && high > x[i])
            out[m++] = x[i];
    return m;
}
"""
BINS = """
void f(const float *x, int n, int *h, int bins, float scale)
{
    for (int i = 0; i < n; i++) {
        int bin = (int)(x[i] * scale);
        if (bin >= 0 && bin < bins)
            h[bin]++;
    }
}
"""
SPREAD = """
void f(const double *x, double *out, int n, int window)
{
    for (int i = window - 1; i < n; i++) {
        double sum = 0, squares = 0;
        for (int k = 0; k < window; k++) {
            sum += x[i - k];
            squares += x[i - k] * x[i - k];
        }
        double mean = sum / window;
        out[i] = squares / window - mean * mean;
    }
}
"""
SCALES = """
typedef struct { float scale; signed char values[32]; } block;

void f(const block *x, float *y, int blocks)
{
    for (int i = 0; i < blocks; i++)
        for (int j = 0; j < 32; j++)
            y[i * 32 + j] = x[i].scale * x[i].values[j];
}
"""


LARGEST = """
void f(const double *m, int rows, int cols, int *best)
{
    for (int i = 0; i < rows; i++) {
        int k = 0;
        for (int j = 1; j < cols; j++)
            if (m[i * cols + j] > m[i * cols + k])
                k = j;
        best[i] = k;
    }
}
"""
ADAPTED = """
void f(const float *x, const float *d, float *w, float *err, int n, int taps, float mu)
{
    for (int i = taps; i < n; i++) {
        float y = 0;
        for (int k = 0; k < taps; k++)
            y += w[k] * x[i - k];
        float e = d[i] - y;
        err[i] = e;
        for (int k = 0; k < taps; k++)
            w[k] += mu * e * x[i - k];
    }
}
"""


@pytest.mark.parametrize(("text", "known"), [
    (QUANTISED, {"g": 32}),
    (COLUMNS, {"k": 3, "stride": 1, "pad": 1}),
    (TABLE, {"width": 16}),
    (FILTERED, {"low": 2, "high": 6}),
    (BINS, {"bins": 256}),
    (SPREAD, {"window": 16}),
])  # fmt: skip
def test_what_is_no_length_is_small(text: str, known: dict[str, int]) -> None:
    values = default_sizes(found_scop(text)).values
    assert {name: values[name] for name in known} == known


def test_a_filter_that_adapts_is_short_and_its_signal_is_long() -> None:
    values = default_sizes(found_scop(ADAPTED)).values
    assert values["taps"] == 8 < values["n"] / 1000


@pytest.mark.parametrize(("text", "alike"), [
    (QUANTISED, ("d", "n")),
    (COLUMNS, ("rows", "cols", "height", "width")),
    (SCALED, ("dh", "dw", "sh", "sw")),
    (EMBEDDING, ("n", "width")),
    (SCALES, ("blocks",)),
    (LARGEST, ("rows", "cols")),
])  # fmt: skip
def test_lengths_are_alike(text: str, alike: tuple[str, ...]) -> None:
    values = default_sizes(found_scop(text)).values
    assert len({values[name] for name in alike}) == 1
    assert values[alike[0]] >= 100


def test_what_only_conditions_ask_for_is_no_subscript() -> None:
    scop = found_scop(FILTERED)
    (x,) = (f for f in fills(scop, default_sizes(scop).values) if f.name == "x")
    assert x.limits is None


def test_groups_are_many() -> None:
    scop = found_scop(QUANTISED)
    values = default_sizes(scop).values
    assert values["n"] == values["g"] * values["n_over_g"]
    assert values["steps"] == values["n_over_g"] > 10
    assert work(scop, values) > values["d"] * values["n"] / 2


DILATED = """
void f(const float *x, const float *w, float *y, int length, int channels, int filters, int taps, int dilation)
{
    for (int t = 0; t < length; t++)
        for (int f = 0; f < filters; f++) {
            float sum = 0;
            for (int k = 0; k < taps; k++) {
                if (t - (taps - 1 - k) * dilation < 0)
                    continue;
                for (int c = 0; c < channels; c++)
                    sum += x[(t - (taps - 1 - k) * dilation) * channels + c] * w[(f * taps + k) * channels + c];
            }
            y[t * filters + f] = sum;
        }
}
"""


def test_rows_that_a_window_leaves_out() -> None:
    """They are no rows of so many times as many elements, which would all lie in front of the first."""
    scop = found_scop(DILATED)
    assert scop.assumptions.plain_is_universe()
    assert scop.array("x").shape == (None,)
    values = default_sizes(scop).values
    assert (values["taps"], values["dilation"]) == (16, 1)
    assert values["length"] == values["channels"] == values["filters"] >= 100


TEMPLATE = """
void f(const float *image, const float *small, float *out, int w, int h, int sw, int sh)
{
    for (int y = 0; y < h - sh; y++)
        for (int x = 0; x < w - sw; x++) {
            float sum = 0, all = 0;
            for (int v = 0; v < sh; v++)
                for (int u = 0; u < sw; u++) {
                    sum += image[(y + v) * w + x + u] * small[v * sw + u];
                    all += small[v * sw + u];
                }
            out[y * w + x] = sum / all;
        }
}
"""


def test_windows_of_two_dimensions_are_short_in_both() -> None:
    """Also where their weights are summed up beside them."""
    values = default_sizes(found_scop(TEMPLATE)).values
    assert (values["sw"], values["sh"]) == (4, 4)
    assert values["w"] == values["h"] >= 100


@pytest.mark.parametrize(
    ("loop", "stride"),
    [("", 1), ("for (int i = 2; flags[i] >= 0; i++)", 8), ("for (int k = 2; flags[k] >= 0; k++)", 1)],
)
def test_a_distance_that_a_loop_around_counts_is_not_one_alone(loop: str, stride: int) -> None:
    text = f"void f(signed char *flags, int n, int i) {{ {loop} for (int j = 0; j < n; j++) flags[j * i] = 1; }}"
    (scop,) = read_source("f.c", text=text, auto=True).scops
    assert default_sizes(scop).values["i"] == stride


def test_a_filter_that_begins_where_it_is_full_is_short() -> None:
    """Its loops run once where it is as long as its signal, however long both are."""
    values = default_sizes(
        found_scop("""
void f(float *w, int taps, const float *x, float *e, int n)
{
    for (int i = taps - 1; i < n; i++) {
        for (int k = 0; k < taps; k++) e[i] -= w[k] * x[i - k];
        for (int k = 0; k < taps; k++) w[k] += e[i] * x[i - k];
    }
}
""")
    ).values
    assert values["taps"] == 8
    assert values["n"] > 1000


def test_rows_of_structures_are_as_long_as_their_loops_want() -> None:
    """A row of n structures has 5 * n numbers; loops that begin at sizes of their own begin at small ones, also where
    the sizes are assumed."""
    scop = found_scop("""
typedef struct { double d, m1, m2, m3, e; } cell;
typedef struct { cell ***u; int is, ie, js, je, ks, ke; } grid;
void f(grid *g, cell ***l)
{
    for (int k = g->ks; k <= g->ke; k++)
        for (int j = g->js; j <= g->je; j++)
            for (int i = g->is; i <= g->ie; i++)
                l[k][j][i].d += g->u[k][j][i].m1;
}
""")
    for values in (default_sizes(scop).values, assumed_sizes(scop)):
        assert values["g_ks"] == values["g_js"] == values["g_is"] == 1
        assert values["g_ke"] == values["g_je"] == values["g_ie"] > 50
        assert values["g_u_doubles_stride_2"] > 5 * values["g_ie"]
