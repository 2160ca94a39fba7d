"""Tables of constants: generated code knows their numbers, and so do the builds that candidates are compared with."""

from __future__ import annotations

import pytest

from polyloop.backend.ir.expressions import F32, Literal
from polyloop.backend.ir.loop_nest_text import nest_text, parse_nest
from polyloop.backend.ir.traversal import arrays_touched
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import read_source
from polyloop.lowering.region_alone import region_alone
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import fills, make_data, value_range
from polyloop.scop.model import Array, Scop
from polyloop.transforms import Unroll

FILTER = """
%s
void f(int n, int *restrict y, const int *restrict x)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            y[i] += x[i + k] * taps%s;
}
"""


def read(table: str, use: str = "[k]") -> Scop:
    return read_source("f.c", text=FILTER % (table, use), auto=True).scops[0]


def taps(scop: Scop) -> Array:
    return next(array for array in scop.arrays if array.name == "taps")


@pytest.mark.parametrize(
    ("table", "use", "numbers"),
    [
        ("static const int taps[3] = {-1, 2 + 3, 'a'};", "[k]", [-1, 5, 97]),
        ("const int taps[4] = {7};", "[k]", [7, 0, 0, 0]),
        ("static const int taps[][2] = {{1, 2}, {3}, {5, 6}};", "[k][1]", [1, 2, 3, 0, 5, 6]),
        ("static const unsigned char taps[3] = {256 + 4, 255, 0};", "[k]", [4, 255, 0]),
    ],
)
def test_what_nothing_changes_is_known(table: str, use: str, numbers: list[int]) -> None:
    array = taps(read(table, use))
    assert array.values == tuple(Literal(number, array.type) for number in numbers)


@pytest.mark.parametrize(
    "table",
    [
        "static int taps[3] = {1, 2, 3};",  # something else in the file may change it
        "extern const int taps[3];",
        "static const volatile int taps[3] = {1, 2, 3};",
        "enum { A = 3 };\nstatic const int taps[3] = {A, 2, 3};",
        "static const int taps[3] = {[1] = 2};",
        "static const int taps[2000] = {1};",
    ],
)
def test_what_may_change_or_is_not_plain_to_see_is_not(table: str) -> None:
    source = read_source("f.c", text=FILTER % (table, "[k]"), auto=True)
    assert all(taps(scop).values is None for scop in source.scops)


def test_zeros_keep_their_signs() -> None:
    text = FILTER.replace("int *restrict", "float *restrict")
    first, second = (
        read_source("f.c", text=text % (f"static const float taps[3] = {{{zero}, 1, 2}};", "[k]"), auto=True).scops[0]
        for zero in ("0.0f", "-0.0f")
    )
    assert taps(second).values == (Literal(-0.0, F32), Literal(1.0, F32), Literal(2.0, F32))
    assert first != second


def test_tables_of_subscripts_are_chosen_by_the_sizes() -> None:
    text = (
        "static const int at[4] = {0, 900, 1, 2};\nvoid f(int n, int *x) { for (int k = 0; k < 4; k++) x[at[k]] += 1; }"
    )
    scops = read_source("f.c", text=text, auto=True).scops
    assert all(array.values is None for scop in scops for array in scop.arrays)


def test_data_are_the_numbers() -> None:
    scop = read("static const int taps[3] = {-1, 5, 9};")
    assert make_data(scop, {"n": 8})["taps"].tolist() == [-1, 5, 9]
    assert next(value_range(each) for each in fills(scop, {"n": 8}) if each.name == "taps") == (-1, 9)


def test_code_computes_with_the_numbers_where_loops_are_unrolled() -> None:
    scop = read("static const int taps[3] = {-1, 5, 9};")
    whole = lower(scop, original_tree(scop))
    assert parse_nest(nest_text(whole)) == whole
    unrolled = lower(scop, Unroll((0,), 0, 0).apply(original_tree(scop)))
    loaded = [arrays_touched(plan(nest, shown_target("avx2")).body)[0] for nest in (whole, unrolled)]
    assert ["taps" in names for names in loaded] == [True, False]


def test_elements_that_lie_a_parameter_apart_are_not_those_numbers() -> None:
    text = """
static const int taps[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
void f(int n, int step, int *restrict y, const int *restrict x)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            y[i] += x[i + k] * taps[k * step];
}
"""
    scop = read_source("f.c", text=text, auto=True).scops[0]
    nest = lower(scop, Unroll((0,), 0, 0).apply(original_tree(scop)))
    assert "taps" in arrays_touched(plan(nest, shown_target("avx2")).body)[0]


def test_builds_alone_know_the_numbers_too() -> None:
    text = region_alone(read("static const int taps[3] = {-1, 5, 9};")).source.text
    assert "polyloop_alone(int n, int * __restrict y, const int * __restrict x)\n" in text
    inside = FILTER.replace("%s\n", "", 1).replace("{\n", "{\n    static const int taps[3] = {-1, 5, 9};\n", 1) % "[k]"
    (scop,) = read_source("f.c", text=inside, auto=True).scops
    assert "static const int taps[3] = {-1, 5, 9};" in region_alone(scop).source.text
