"""Sizes for a measurement where nobody gave any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import islpy as isl
import pytest

from polyloop.frontend import read_c, read_source
from polyloop.scop import size_choice
from polyloop.scop.data import ORDINARY_FLOATS, bytes_of, checked_sizes, sizes_from
from polyloop.scop.index_data import least_extents
from polyloop.scop.model import Scop
from polyloop.scop.size_choice import BYTES, GOAL, WORK, Aim, SizeChoice, default_sizes
from tests.helpers.small_scops import assign, gemm, loop, scop

CHOSEN = "chosen for a run of about 50 ms"


def known(chosen: Scop, constraints: str) -> Scop:
    return replace(chosen, context=isl.Set(f"[{', '.join(chosen.parameters)}] -> {{ : {constraints} }}"))


def square() -> Scop:
    return scop("n m", loop("i", "0", "n", loop("j", "0", "m", assign("S", "A[i][j]"))), extents="n + m")


def test_no_parameters() -> None:
    constant = scop("", loop("i", "0", "9", assign("S", "A[i]")), extents="9")
    assert default_sizes(constant) == SizeChoice({}, "the constants of the source")


def test_about_as_many_instances_as_fit_into_50_ms() -> None:
    choice = default_sizes(gemm())
    n = choice.values["n"]
    assert (choice.origin, choice.aims) == (CHOSEN, True)
    assert n**2 + n**3 <= WORK < (1.2 * n) ** 2 + (1.2 * n) ** 3
    n = default_sizes(gemm(), instances=1000).values["n"]
    assert n**2 + n**3 <= 1000 < (n + 1) ** 2 + (n + 1) ** 3


def test_outer_loops_with_few_iterations_have_some() -> None:
    """Between borders of two planes there are none in four."""
    body = loop("k", "2", "p - 2", loop("j", "2", "n - 2", loop("i", "2", "n - 2", assign("S", "A[k][j][i]"))))
    sizes = default_sizes(scop("p n", body, extents="n"), instances=4000).values
    assert sizes["p"] == 8
    assert sizes["n"] > 30


def test_loops_begin_before_they_end() -> None:
    part = scop("first last m", loop("i", "first", "last", loop("j", "0", "m", assign("S", "A[i][j]"))), extents="m")
    choice = default_sizes(part)
    last = choice.values["last"]
    assert choice.values == {"first": 1, "last": last, "m": last}
    assert 8 * last**2 <= BYTES < 8 * (1.2 * last) ** 2
    assert default_sizes(known(part, "first >= 2")).values["first"] == 2
    assert default_sizes(part, {"first": 70}).values["first"] == 70


def test_what_says_nothing_of_loops_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """void f(int first, int n, int m, int a, int b, int c, double (*x)[a], double (*y)[b], double (*z)[c]) {
#pragma scop
for (int i = first; i < n; i++)
    for (int j = 0; j < m; j++) x[i][j] = y[i][j] + z[i][j];
#pragma endscop
}"""
    (scop,) = read_c("f.c", text=text)
    asked = list[dict[str, int]]()

    def search(scop: Scop, least: int, fixed: Mapping[str, int], most: int | None = None) -> dict[str, int] | None:
        asked.append(dict(fixed))
        return sizes_from(scop, least, fixed, most)

    monkeypatch.setattr(size_choice, "sizes_from", search)
    assert size_choice.first_iterations(scop, {}) == {"first": 1}
    assert not any({"a", "b", "c"} & set(each) for each in asked)  # rows, which m alone has to fit into


def test_what_the_region_computes_is_what_it_computes() -> None:
    text = """void f(int taps, int step, int n, float *y, const float *x) {
#pragma scop
for (int i = 0; i < n - (taps - 1) * step; i++)
    for (int k = 0; k < taps; k++)
        for (int c = 0; c < 3; c++) y[i] += x[c * n + i + k * step];
#pragma endscop
}"""
    (scop,) = read_c("f.c", text=text)
    (product,) = set(scop.parameters) - {"taps", "step", "n"}
    for given in ({}, {"taps": 5}, {"taps": 5, "step": 3, "n": 99}):
        sizes = default_sizes(scop, given).values
        assert sizes[product] == (sizes["taps"] - 1) * sizes["step"] < sizes["n"]
        assert sizes.items() >= given.items()
        assert sizes["taps"] > 1
    checked = checked_sizes(scop, {"n": 99, "taps": 5, "step": 3})
    assert checked == checked_sizes(scop, {**checked, product: 1}) == {"n": 99, "taps": 5, "step": 3, product: 12}


def test_strides_that_a_parameter_is_long() -> None:
    text = """void f(int first, int stride, int n, double *y) {
#pragma scop
for (int i = first; i < n; i += stride)
    for (int k = first; k < n; k++) y[i * stride] += k;
#pragma endscop
}"""
    (scop,) = read_c("f.c", text=text)
    steps = checked_sizes(scop, {"first": 2, "stride": 3, "n": 12})
    assert steps == {"steps": 4, "first": 2, "stride": 3, "n": 12}
    assert [checked_sizes(scop, {"first": 2, "stride": 3, "n": n})["steps"] for n in (0, 2, 3, 5, 6)] == [0, 0, 1, 1, 2]


def test_strides_of_several_times_a_parameter() -> None:
    for step in ("2 * m", "m << 1", "m + m"):
        text = f"""void f(int m, int n, double *y, double *z) {{
#pragma scop
for (int i = 0; i < n; i += {step})
    for (int k = 0; k < m; k++) y[i + k] += n;
for (int k = 0; k < n; k++) z[k] += 1;
#pragma endscop
}}"""
        (scop,) = read_c("f.c", text=text)
        steps = [checked_sizes(scop, {"m": 3, "n": n})["steps"] for n in (0, 1, 6, 7, 12, 13)]
        assert steps == [0, 1, 1, 2, 2, 3]


def test_windows_are_shorter_than_what_they_move_over() -> None:
    moving = loop("i", "w", "n", loop("k", "0", "w", assign("S", "A[i]")))
    assert default_sizes(scop("n w", moving, extents="n")).values["w"] == 8
    inner = loop("k", "1", "w", assign("S", "A[i]"))
    assert default_sizes(scop("n w", loop("i", "w", "n", inner), extents="n")).values["w"] == 8


def test_no_more_data_than_there_is_room_for() -> None:
    stream = scop("n", loop("i", "0", "n", assign("S", "A[i]", "B[i]")), extents="100 * n")
    choice = default_sizes(stream)
    assert 2 * 8 * 100 * choice.values["n"] <= BYTES < 1.2 * 2 * 8 * 100 * choice.values["n"]
    assert (choice.origin, choice.aims) == ("chosen for 32 MiB of data", True)


def test_a_short_search_gets_short_runs_and_little_data() -> None:
    tenth = Aim(GOAL / 10, BYTES // 10)
    choice = default_sizes(gemm(), aim=tenth)
    n = choice.values["n"]
    assert choice.origin == "chosen for a run of about 5 ms"
    assert n**2 + n**3 <= WORK / 10 < (1.2 * n) ** 2 + (1.2 * n) ** 3
    stream = scop("n", loop("i", "0", "n", assign("S", "A[i]", "B[i]")), extents="100 * n")
    choice = default_sizes(stream, aim=tenth)
    assert 2 * 8 * 100 * choice.values["n"] <= BYTES / 10 < 1.2 * 2 * 8 * 100 * choice.values["n"]
    assert choice.origin == "chosen for 3.2 MiB of data"


def test_the_end_of_a_type_is_no_declared_extent() -> None:
    stream = scop("n", loop("i", "0", "n", assign("S", "A[i]", "B[i]")), extents="n")
    choice = default_sizes(known(stream, "n <= 2147483647"))
    assert choice == default_sizes(stream)
    assert 2 * 8 * choice.values["n"] <= BYTES


def test_the_end_of_a_product_is_no_declared_extent() -> None:
    """Products of unsigned numbers are below 2^32: limits of 65535 beside an array of four elements."""
    (filter_,) = read_c(
        "filter.c",
        text="""void filter(int n, unsigned step, float sums[4], const float *x, const float *taps)
{
#pragma scop
  for (int j = 0; j < n; j++) {
    sums[0] += x[j] * taps[(j + 1) * step];
    sums[3] += x[j] * taps[(j + 1) * step + 1];
  }
#pragma endscop
}
""",
    )
    sizes = default_sizes(filter_).values
    assert 4 * sizes["n"] * sizes["step"] <= BYTES


def test_arrays_of_unknown_extent_count_as_far_as_they_are_accessed() -> None:
    (axpy,) = read_c(
        "axpy.c",
        text="""void axpy(int n, double *x, double *y)
{
#pragma scop
  for (int i = 0; i < n; i++)
    y[2 * i] += x[i];
#pragma endscop
}
""",
    )
    n = default_sizes(axpy).values["n"]
    assert 8 * (3 * n - 1) <= BYTES < 8 * 1.2 * (3 * n - 1)


def test_given_values_stay() -> None:
    choice = default_sizes(square(), {"m": 50})
    assert list(choice.values) == list(square().parameters)
    assert choice.values["m"] == 50
    assert 8 * (50 + choice.values["n"]) ** 2 <= BYTES < 8 * (50 + 1.2 * choice.values["n"]) ** 2
    assert default_sizes(square(), {"n": 3, "m": 50}) == SizeChoice({"n": 3, "m": 50}, "")
    short = default_sizes(known(square(), "0 < n <= 200 and m > 2 n"), {"m": 11})
    assert short == SizeChoice({"n": 5, "m": 11}, "the constants of the array declarations")


def test_declared_extents_come_first() -> None:
    assert default_sizes(known(square(), "0 < n <= 200 and 0 < m <= 300")) == SizeChoice(
        {"n": 200, "m": 300}, "the constants of the array declarations"
    )
    choice = default_sizes(known(square(), "0 < n <= 200 and m > 0"))
    assert choice.values["n"] == 200
    assert choice.values["m"] > 1000
    assert choice.origin == "the constants of the array declarations; m chosen for 32 MiB of data"
    assert choice.aims


def test_extents_that_do_not_go_together() -> None:
    choice = default_sizes(known(square(), "n > 0 and m > 0 and n + m <= 250"))
    assert 110 < choice.values["n"] == choice.values["m"] <= 125
    assert choice.origin == "chosen as large as the code's context allows"


def test_parameters_that_cannot_be_equal() -> None:
    """Rows that are longer than what is read of them."""
    longer = known(square(), "n >= m + 15 and m > 70")
    choice = default_sizes(longer)
    assert checked_sizes(longer, choice.values) == choice.values
    assert choice.values["n"] == choice.values["m"] + 15 > 200
    assert choice.aims


def test_rows_are_longer_than_what_windows_leave_of_them() -> None:
    (filtered,) = read_c(
        "filter.c",
        text="""void filter(int rows, int columns, int window, int pitch, const float *x, const float *k, float *y)
{
#pragma scop
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      for (int t = 0; t < window; t++)
        y[i * columns + j] += k[t] * x[i * pitch + j + t];
#pragma endscop
}
""",
    )
    values = default_sizes(filtered).values
    assert values["rows"] == values["columns"] > 1000
    assert values["window"] == 16
    assert values["pitch"] == values["columns"] + values["window"] - 1


def test_whatever_is_allowed() -> None:
    odd = known(square(), "n = 20 m + 1 and m > 70")
    choice = default_sizes(odd)
    assert checked_sizes(odd, choice.values) == choice.values
    assert choice.origin == "the only kind of sizes that the code's context allows"
    assert not choice.aims


def test_nothing_allowed() -> None:
    choice = default_sizes(known(square(), "n > 5 and m > 5"), {"n": 3})
    assert choice == SizeChoice({"n": 3, "m": 1}, "nothing fits the code's context")


def default_of(signature: str, body: str) -> dict[str, int]:
    (scop,) = read_c("f.c", text=f"void f({signature}) {{\n#pragma scop\n{body}\n#pragma endscop\n}}")
    return default_sizes(scop).values


def test_windows_are_those_that_weights_or_results_tell_apart() -> None:
    loops = "for (int i = 0; i <= n - m; i++) for (int k = 0; k < m; k++)"
    signature = "int n, int m, float *restrict y, const float *restrict x, const float *restrict w"
    for body in ("y[i] += w[k] * x[i + k];", "y[i] += x[i + k];", "y[0] += w[k] * x[2 * i + k];"):
        sizes = default_of(signature, f"{loops} {body}")
        assert sizes["m"] == 16 < 1000 < sizes["n"]
    inner = "for (int k = 1; k < m; k++) best = x[i + k] > best ? x[i + k] : best;"
    scalar = f"float best; for (int i = 0; i <= n - m; i++) {{ best = x[i]; {inner} y[i] = best; }}"
    assert default_of(signature, scalar)["m"] == 16
    alike = default_of(signature, "for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) y[i] += x[k] * x[i + k];")
    assert alike["n"] == alike["m"]
    both = "y[i] += w[k] * x[i + k];"
    other = default_of(signature, f"{loops} {both} for (int k = 0; k < m; k++) y[k] = 0;")
    assert other["m"] == 8 < 1000 < other["n"]  # no window, but where both are alike the loop around it runs once
    kept = f"float t; {loops} {{ t = w[k]; y[i] += t * x[i + k]; }}"
    assert default_of(signature, kept)["m"] == 16


def test_rows_of_sparse_matrices_have_few_entries() -> None:
    text = """void f(int r, const int *first, const int *column, const double *value, const double *x, double *y) {
#pragma scop
    double sum = 0;
    for (int k = first[r]; k < first[r + 1]; k++) sum += value[k] * x[column[k]];
    y[r] = sum;
#pragma endscop
}"""
    (scop,) = read_c("f.c", text=text)
    sizes = default_sizes(scop).values
    assert sizes["first_r_1"] - sizes["first_r"] == 16
    (behind,) = read_c("f.c", text=text.replace("k = first[r]", "k = column[r] + 1"))
    sizes = default_sizes(behind).values
    assert (sizes["column_r"], sizes["first_r_1"]) == (16, 32)
    (other,) = read_c("f.c", text=text.replace("first[r + 1]", "r"))
    assert default_sizes(other).values["r"] > 1000


@pytest.mark.parametrize(("pairs", "most"), [("pair[300]", 300), ("pair[20][15]", 20)])
def test_loops_end_where_arrays_in_structures_do(pairs: str, most: int) -> None:
    text = f"""struct box {{ struct {{ int a, b; }} {pairs}; int n; double *x; }};
    void f(struct box *s) {{
        for (int i = 0; i < s->n; i++) s->x[i] += s->pair[i]{"[3]" if most == 20 else ""}.a;
    }}"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    assert most / 2 < default_sizes(scop).values["s_n"] <= most


def test_rows_are_as_long_as_what_data_address_in_them() -> None:
    text = """void f(int n, int m, double **q, double x, double *y) {
#pragma scop
    for (int a = 0; a < 30; a++) {
        const double *row = q[a];
        for (int i = 0; i < n; i++) {
            double s = x * i;
            int k = (int)s;
            if (k >= 0 && k < 50 - 1) y[i] += (1 - s) * row[k] + s * row[k + 1];
        }
    }
#pragma endscop
}"""
    (scop,) = read_c("f.c", text=text)
    assert default_sizes(scop, {"n": 100}).values["q_stride"] == 50
    (other,) = read_c("f.c", text=text.replace("if (k >= 0 && k < 50 - 1)", "if (k >= 0)"))
    assert default_sizes(other, {"n": 100}).values["q_stride"] > 50


def test_rows_are_as_long_as_what_is_computed_reaches_in_them_and_fit_with_that() -> None:
    text = """struct planes { int w, h; double *of[3], *y; };
    void f(struct planes *s) {
      const int w = s->w, h = s->h;
      for (int i = 0; i < h; i += 2) for (int j = 0; j < w; j += 2) for (int k = 0; k < 4; k++) {
        int at = (i + (k >> 1)) * w + j + (k & 1);
        s->y[at] = s->of[0][at] + s->of[1][at] * s->of[2][at];
      }
    }"""
    (scop,) = read_c("f.c", text=text, auto=True)
    sizes = default_sizes(scop).values
    h, w = sizes["h"], sizes["w"]
    assert h > 100
    assert sizes["s_of_stride"] > (h - 1) * w
    assert bytes_of(scop, sizes) <= BYTES


def test_what_a_program_runs_very_often_is_short() -> None:
    loop = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] += 1; }\n"
    often = loop + "void g(double *a, const int *n) { for (int k = 0; k < 20000000; k++) f(a, n[k]); }"
    (short,) = read_c("f.c", text=often, auto=True)
    (long,) = read_c("f.c", text=loop, auto=True)
    choice = default_sizes(short)
    assert 2500 < choice.values["n"] <= 5000  # 1e11 in all
    assert choice.origin == "chosen for one of very many runs"
    assert default_sizes(long).values["n"] > 1e6
    # What somebody gives, and what the file itself has, stays as it is.
    assert default_sizes(short, {"n": 9999}).values == {"n": 9999}
    own, *_ = read_c("f.c", "f", text=often.replace("n[k]", "9000"), auto=True)
    assert default_sizes(own).values == {"n": 9000}


def test_loops_whose_ends_nobody_knows_make_no_run_short() -> None:
    """A program has ten layers, or a thousand: no reason to take their matrices for tiny."""
    text = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] += 1; }\n"
    for caller in range(3):
        called = f"{'fgh'[caller]}(a, n{', m' * (caller > 0)})"
        text += f"void {'ghk'[caller]}(double *a, int n, int m) {{ for (int k = 0; k < m; k++) {called}; }}\n"
    (scop,) = read_c("f.c", "f", text=text, auto=True)
    assert scop.source is not None
    assert (scop.source.calls, scop.source.fewest) == (1e9, 1e3)
    assert default_sizes(scop).values["n"] > 1e6


def test_where_a_loop_ends_may_not_be_known_yet() -> None:
    text = (
        "void f(int n, int len, double *restrict a, const double *restrict b, const int *restrict c) {"
        " for (int i = 0; i < n; i += len) for (int j = 0; j < len; j++) a[i + j] += a[i + j + len] * b[c[j]]; }"
    )
    (scop,) = read_c("passes.c", text=text, auto=True)
    assert scop.parameters == ("steps", "len")
    assert least_extents(scop, {"len": 1}, ORDINARY_FLOATS) == {}


def test_distances_are_shorter_than_loops() -> None:
    echo = default_of("int n, int lag, float g, float *x", "for (int i = 0; i < n; i++) x[i] += g * x[i - lag];")
    assert (echo["lag"], echo["n"] > 1000) == (64, True)
    two = default_of("int n, int p, int r, float *x", "for (int i = 0; i < n; i++) x[i] += x[i - p] * x[i - r];")
    assert {two["p"], two["r"]} == {64, 128}
    block = default_of("int n, int at, float *x", "for (int i = 0; i < n; i++) x[at + i] *= 2;")
    assert block["at"] == block["n"]  # nothing says how far that is


def test_outer_loops_are_short_where_all_would_be() -> None:
    sizes = default_of(
        """int N, int K, int C, int H, int W, int R, int S,
            float y[N][K][H][W], float x[N][C][H + R - 1][W + S - 1], float w[K][C][R][S]""",
        """for (int n = 0; n < N; n++)
            for (int k = 0; k < K; k++)
                for (int h = 0; h < H; h++)
                    for (int j = 0; j < W; j++)
                        for (int c = 0; c < C; c++)
                            for (int r = 0; r < R; r++)
                                for (int s = 0; s < S; s++) y[n][k][h][j] += x[n][c][h + r][j + s] * w[k][c][r][s];""",
    )
    assert (sizes["R"], sizes["S"]) == (4, 4)
    assert sizes["N"] == 4 <= sizes["K"]
    assert sizes["K"] >= 8 <= 40 <= sizes["H"] == sizes["W"] == sizes["C"]


def test_counters_of_loops_around_are_half_way() -> None:
    """What runs up to the column and what runs behind it are as long as they are on average: a factorisation that
    returns where it fails."""
    text = """int f(int n, double a[n][n])
{
    for (int j = 0; j < n; j++) {
        if (a[j][j] <= 0)
            return j + 1;
        for (int i = j + 1; i < n; i++)
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
    }
    return 0;
}
"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    sizes = default_sizes(scop).values
    assert sizes["n"] > 100
    assert sizes["j"] == sizes["n"] // 2
    fixed = text.replace("int n, double a[n][n]", "double a[40][40]").replace("< n", "< 40")
    (other,) = read_source("f.c", text=fixed, auto=True).scops
    assert default_sizes(other).values == {"j": 20}


def test_distances_of_elements_are_small() -> None:
    signature = "int n, int s, int t, float *restrict y, const float *restrict x"
    sizes = default_of(signature, "for (int i = 0; i < n; i++) y[i * s] += x[i * t] * x[i * t + 2];")
    assert (sizes["s"], sizes["t"]) == (1, 3)
    assert sizes["n"] > 100_000
    rows = default_of(signature, "for (int i = 0; i < n; i++) for (int j = 0; j < s; j++) y[i * s + j] += x[j * t];")
    assert rows["s"] == rows["n"] > 100 > 1 == rows["t"]


def test_columns_of_matrices_have_room() -> None:
    """One element of every row: rows as long as the parameter that says which one, times as many rows."""
    sizes = default_of("int n, int pitch, int j, float *y", "for (int i = 0; i < n; i++) y[i * pitch + j] = 0;")
    assert sizes["j"] < sizes["pitch"]
    assert 4 * sizes["n"] * sizes["pitch"] <= 1.1 * BYTES


def test_what_only_chooses_among_statements_chooses_the_most_work() -> None:
    (chosen,) = read_c(
        "f.c",
        text="""void f(int n, int m, unsigned how, double a[n], double b[n][m]) {
#pragma scop
          for (int i = 0; i < n; i++) {
            if (how == 3) a[i] = 0;
            else if (how == 7) for (int j = 0; j < m; j++) a[i] += b[i][j] * a[i] - 1;
          }
#pragma endscop
        }""",
    )
    assert default_sizes(chosen).values["how"] == 7
    assert default_sizes(chosen, {"how": 3}).values["how"] == 3
    assert default_sizes(chosen).values["n"] > 100
    subscript = scop("n k", loop("i", "0", "n", assign("S", "A[i + k]")), extents="n + k")
    assert default_sizes(subscript).values["k"] != 7


def test_windows_that_others_begin_behind_are_not_short() -> None:
    text = """void f(int n, int m, const double *x, const double *w, double *y) {
#pragma scop
          for (int i = 0; i < n; i++)
            for (int k = 0; k <= i; k++) y[i] += x[k] * w[m - 1 - i + k];
          for (int i = 0; i < n; i++)
            for (int k = 0; k < m; k++) y[n + i] += x[i + k] * w[k];
#pragma endscop
        }"""
    (chosen,) = read_c("f.c", text=text)
    sizes = default_sizes(chosen).values
    assert sizes["n"] == sizes["m"] > 100
    (alone,) = read_c("f.c", text=text.replace("w[m - 1 - i + k]", "w[i + k]"))
    assert default_sizes(alone).values["m"] < 20


def test_limits_of_products_are_no_sizes() -> None:
    text = """void f(unsigned n, unsigned short m, float *o) {
#pragma scop
          for (unsigned r = 0; r < n; r++) for (unsigned c = 0; c < m; c++) o[(long)(r * m) + c] = 1;
#pragma endscop
        }"""
    (chosen,) = read_c("f.c", text=text)
    assert "n <= 65538" in str(chosen.assumptions)
    sizes = default_sizes(chosen).values
    assert sizes["n"] == sizes["m"]


def test_windows_over_edges_are_short_and_hang_over_little() -> None:
    text = """void f(int n, int taps, int pad, const float *x, const float *k, float *y) {
#pragma scop
for (int i = 0; i < n; i++)
    for (int t = 0; t < taps; t++)
        if (i + t - pad >= 0 && i + t - pad < n) y[i] += k[t] * x[i + t - pad];
#pragma endscop
}"""
    (scop,) = read_c("f.c", text=text)
    values = default_sizes(scop).values
    assert values["taps"] == 16
    assert values["pad"] <= values["taps"]
    assert values["n"] > 1000


def test_windows_inside_of_other_work_hang_over_little_too() -> None:
    text = """void f(int rows, int cols, int ch, int taps, int pad, int n,
                     const float *restrict x, const float *restrict k, float *restrict y) {
    for (int r = 0; r < rows; r++) for (int o = 0; o < cols; o++) {
        for (int c = 0; c < ch; c++) y[(r * cols + o) * ch + c] = 0;
        for (int t = 0; t < taps; t++) {
            if (o + t - pad < 0 || o + t - pad >= n) continue;
            for (int c = 0; c < ch; c++) y[(r * cols + o) * ch + c] += k[t * ch + c] * x[(o + t - pad) * ch + c];
        }
    }
}"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    values = default_sizes(scop).values
    assert values["pad"] == 1
    assert values["taps"] < values["cols"] == values["n"]


def test_what_values_are_computed_from_is_an_ordinary_integer() -> None:
    text = """void f(int n, unsigned char alpha, const int *restrict x, int *restrict y) {
    for (int i = 0; i < n; i++) {
        if (alpha != 255) y[i] = x[i] * alpha >> 8;
        else y[i] = x[i];
        if (alpha > 7) y[i] += alpha;
    }
}"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    values = default_sizes(scop).values
    assert values["alpha"] in (4, 8)
    assert values["n"] > 1000


def test_offsets_are_as_small_as_parts_of_rows_ask_for() -> None:
    text = """void f(int y0, int y1, int x0, int x1, int left, int pitch, int row,
                     const float *restrict s, float *restrict d) {
    for (int y = y0; y < y1; y++) for (int x = x0; x < x1; x++) d[y * pitch + x] += s[y * row + x - left];
}"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    values = default_sizes(scop).values
    assert values["left"] <= values["x0"] < values["x1"] - 100
    assert values["y0"] < values["y1"] - 100
