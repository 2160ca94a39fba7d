"""Data for checks: what is in it, which a program may be given, and that wrong code shows on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from polyloop.backend.ir.expressions import F32, F64, I8, I32, U8, U64, ScalarType, dtype_of
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.run.kernel import compile_program
from polyloop.frontend import read_c, read_source
from polyloop.lowering.to_nest import lower
from polyloop.measure.evaluator import Evaluator, Options
from polyloop.measure.jobs import Data, Job, Setting, compare, run_check, run_job
from polyloop.measure.result import Candidate, Check
from polyloop.schedules.tree import original_tree
from polyloop.scop.check_data import INSTANCES, MOST_SMALL, SMALL, check_fills, check_runs, check_sizes
from polyloop.scop.data import Fill, Kind, fill, value_range, work
from polyloop.scop.model import Scop
from polyloop.shipped.kernels import kernel, kernel_names

N = 301


def _scop(body: str, type_: str = "double", other: str = "double") -> Scop:
    text = f"""double helper(double x) __attribute__((const));
void f(int n, {type_} A[n], {type_} B[n], {other} C[n], double alpha)
{{
#pragma scop
  for (int i = 0; i < n; i++) {{ {body} }}
#pragma endscop
}}
"""
    (scop,) = read_c("f.c", text="#include <math.h>\n#include <stdlib.h>\n" + text, allow_calls=True)
    return scop


# --- the data ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type_", [F32, F64])
def test_signed_floats_have_both_signs_both_zeros_and_ties(type_: ScalarType) -> None:
    values = fill(Fill("x", type_, (500,), 3, "signed")).astype(np.float64)
    assert np.isfinite(values).all()
    zeros = np.signbit(values[values == 0])
    assert 0 < zeros.sum() < len(zeros)
    assert (values < 0).sum() > 100 < (values > 0).sum()
    assert len(np.unique(values)) < 400


@pytest.mark.parametrize("type_", [F32, F64])
def test_extreme_floats_have_everything(type_: ScalarType) -> None:
    values = fill(Fill("x", type_, (500,), 3, "extreme"))
    limits = np.finfo(np.float32 if type_ == F32 else np.float64)
    assert {np.inf, -np.inf} <= set(values[np.isinf(values)].tolist())
    assert np.isnan(values).any()
    assert (np.abs(values) == limits.max).any()
    assert (np.abs(values) == limits.smallest_subnormal).any()
    assert np.isfinite(values).mean() > 0.9


def test_few_numbers_of_a_matrix_are_extreme() -> None:
    values = fill(Fill("A", F64, (64, 64), 0, "extreme"))
    assert 1 <= (~np.isfinite(values)).sum() <= 16
    assert (np.isfinite(values).all(axis=1)).mean() > 0.7


@pytest.mark.parametrize("kind", ["negative", "signed", "extreme"])
def test_scalars_are_finite_and_not_zero(kind: Kind) -> None:
    assert all(0.1 <= abs(fill(Fill("s", F64, (), seed, kind))) < 1 for seed in range(20))


def test_negative_floats_are_the_ordinary_ones_negated() -> None:
    for shape in ((), (7,), (6, 6)):
        ordinary, negative = (fill(Fill("A", F64, shape, 4, kind)) for kind in ("ordinary", "negative"))
        assert np.array_equal(np.negative(negative), ordinary)


@pytest.mark.parametrize("type_", [I8, U8, I32, U64])
def test_integers(type_: ScalarType) -> None:
    limits = np.iinfo(str(dtype_of(type_)))
    signed, extreme = (fill(Fill("c", type_, (400,), 0, kind)) for kind in ("signed", "extreme"))
    assert set(np.unique(signed).tolist()) == set(range(-7 if type_.kind == "int" else 0, 8))
    assert {limits.min, 0, 1, limits.max} <= set(extreme.tolist())
    assert signed.dtype == extreme.dtype == dtype_of(type_)


@pytest.mark.parametrize("type_", [F32, F64, I8, U64])
@pytest.mark.parametrize("kind", ["ordinary", "negative", "signed", "extreme"])
def test_values_lie_in_their_range(type_: ScalarType, kind: Kind) -> None:
    for shape in ((), (40,), (9, 9)):
        spec = Fill("A", type_, shape, 1, kind)
        low, high = value_range(spec)
        values = np.asarray(fill(spec)).reshape(-1).tolist()
        assert all(low <= value <= high or (value != value and high == np.inf) for value in values)


# --- which of it a program may be given -------------------------------------------------------------------------------


def _kinds(scop: Scop, exact: bool = True) -> list[tuple[str, str]]:
    """Of A and of C."""
    found: list[tuple[str, str]] = []
    for data in check_fills(scop, {"n": 20}, exact):
        kinds = {spec.name: spec.kind for spec in data}
        found.append((kinds["A"], kinds.get("C", "")))
    return found


FLOATS = [("signed", ""), ("extreme", "")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("A[i] = B[i] < 0 ? B[i] * alpha : sqrt(B[i]) / A[i];", FLOATS),
        ("A[i] += A[i] * A[i];", FLOATS),
        ("A[i] = copysign(A[i], B[i]);", FLOATS[:1]),  # the sign of a NaN is anybody's
        ("A[i] = helper(B[i]);", []),  # which may look something up in a table
        ("A[i] = (int)B[i];", FLOATS[:1]),
        ("A[i] = (unsigned char)B[i];", []),
        ("A[i] = (unsigned char)(fabs(B[i]) * 99);", FLOATS[:1]),
        ("A[i] = lrint(B[i]);", []),
    ],
)
def test_floats_of_a_program(body: str, expected: list[tuple[str, str]]) -> None:
    assert _kinds(_scop(body)) == expected


@pytest.mark.parametrize(
    ("type_", "body", "expected"),
    [
        ("int", "A[i] = B[i] > C[i] ? B[i] : C[i];", ["signed", "extreme"]),
        ("int", "A[i] = B[i] + C[i];", ["signed"]),
        ("int", "A[i] = -B[i];", ["signed"]),
        ("unsigned", "A[i] = B[i] * C[i] - 1;", ["signed", "extreme"]),
        ("unsigned char", "A[i] = (B[i] + C[i] + 1) / 2;", ["signed", "extreme"]),
        ("unsigned char", "int t = 2 * B[i] - C[i]; A[i] = t * t > 90 ? 255 : t;", ["signed", "extreme"]),
        ("unsigned char", "A[i] = B[i] / C[i];", ["ordinary"]),
        ("int", "A[i] = B[i] % C[i];", ["ordinary"]),
        ("int", "A[i] = B[i] >> C[i];", ["ordinary"]),
        ("int", "A[i] = B[i] >> (C[i] & 7);", ["signed", "extreme"]),
        ("unsigned", "A[i] = B[i] >> (C[i] & 7);", ["signed", "extreme"]),
        ("int", "A[0] += B[i];", ["signed"]),
        ("int", "A[i] = abs(B[i]);", ["signed"]),
        ("short", "A[i] = B[i] * C[i];", ["signed", "extreme"]),
    ],
)
def test_integers_of_a_program(type_: str, body: str, expected: list[str]) -> None:
    scop = _scop(body, type_, type_)
    assert [{spec.kind for spec in data} for data in check_fills(scop, {"n": 20}, True)] == [
        {kind} for kind in expected
    ]


def test_integers_of_programs_with_floats() -> None:
    scop = _scop("A[i] = C[i] < 0 ? A[i] : B[i] / C[i];", other="int")
    assert _kinds(scop) == [("signed", "signed"), ("extreme", "extreme")]
    assert _kinds(scop, exact=False) == [("negative", "signed")]


def test_large_sizes_are_reduced() -> None:
    (scop,) = read_c(kernel("gemm").path)
    assert check_sizes(scop, {"ni": 40, "nj": 50, "nk": 60}) == {"ni": 40, "nj": 50, "nk": 60}
    smaller = check_sizes(scop, {"ni": 4000, "nj": 30, "nk": 2000})
    assert INSTANCES / 8 < work(scop, smaller) <= INSTANCES
    assert smaller["ni"] > smaller["nk"] > smaller["nj"] == 24


# --- what shows on it -------------------------------------------------------------------------------------------------


def _program(scop: Scop) -> VectorProgram:
    return plan(lower(scop, original_tree(scop)), host_target())


def _setting(scop: Scop, tolerance: float = 0.0) -> Iterator[Setting]:
    """The settings of its checks."""
    original = scalar_program(lower(scop, original_tree(scop)))
    for data in check_fills(scop, {"n": N}, not tolerance):
        yield Setting(original, data, (("n", N),), ("A",), tolerance=tolerance)


# Not with a number: what is timed lies on both sides of these.
RIGHT = "A[i] = B[i] < -B[i] ? -2.5 : B[i] * C[i];"
WRONG = {
    "a branch for negative numbers": ("A[i] = B[i] < -B[i] ? -1.5 : B[i] * C[i];", [False, False]),
    "the sign of a zero": ("A[i] = B[i] < -B[i] ? -2.5 : B[i] * C[i] + 0.0;", [False, False]),
    "a NaN's branch": ("A[i] = B[i] >= -B[i] ? B[i] * C[i] : -2.5;", [True, False]),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_ordinary_data_does_not_show(what: str) -> None:
    body, passed = WRONG[what]
    scop, wrong = _scop(RIGHT), _program(_scop(body))
    checks = [run_check(setting, wrong) for setting in _setting(scop)]
    assert [check.passed for check in checks] == passed
    assert all(run_check(setting, _program(scop)).different == 0 for setting in _setting(scop))
    ordinary = replace(
        next(_setting(scop)), fills=tuple(replace(f, kind="ordinary") for f in next(_setting(scop)).fills)
    )
    (outcome,) = run_job(Job(replace(ordinary, seconds=1e-4), (wrong,)))
    assert outcome.check.different == 0


def test_a_wrong_branch_shows_under_a_tolerance() -> None:
    (setting,) = _setting(_scop(RIGHT), 1e-5)
    assert not run_check(setting, _program(_scop(WRONG["a branch for negative numbers"][0]))).passed
    assert run_check(setting, _program(_scop(RIGHT))).passed


def _decided(body: str) -> tuple[Evaluator, Candidate]:
    """What an evaluator decides about a fast candidate whose code is that of another body."""
    scop = _scop(RIGHT)
    candidate = Candidate("fast", scop, original_tree(scop))
    with Evaluator(scop, {"n": N}, host_target(), Options(), in_process=True) as evaluator:
        evaluator.programs[candidate.name] = _program(_scop(body))
        for one in (evaluator.original, candidate):
            evaluator.evaluate(one)
            assert evaluator.measured[one.name].error is None
        original = evaluator.measured[evaluator.original.name]
        evaluator.measured[evaluator.original.name] = replace(original, median=100.0)
        return evaluator, evaluator.decided()


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_on_other_data_does_not_win(what: str) -> None:
    evaluator, decided = _decided(WRONG[what][0])
    assert decided == evaluator.original
    error = evaluator.measured["fast"].error
    assert error is not None
    assert "elements differ" in error


def test_what_is_right_on_other_data_wins() -> None:
    evaluator, decided = _decided(RIGHT)
    assert decided.name == "fast"
    assert evaluator.measured["fast"].error is None


# --- comparison -------------------------------------------------------------------------------------------------------


def test_zeros_of_different_sign_do_not_pass() -> None:
    check = compare({"A": np.array([0.0, 1.0])}, {"A": np.array([-0.0, 1.0])}, 0.0)
    assert (check.different, check.largest, check.passed) == (1, 0.0, False)


def test_products_beyond_all_doubles_are_expected() -> None:
    scop = _scop("A[i] = C[i];" + "A[i] = A[i] * A[i];" * 9, other="long")
    assert check_fills(scop, {"n": N}, exact=True)


def test_large_integers_that_are_one_double_do_not_pass() -> None:
    check = compare({"A": np.array([1 << 60])}, {"A": np.array([(1 << 60) + 1])}, 0.0)
    assert (check.different, check.passed) == (1, False)


def test_differences_relative_to_an_array() -> None:
    want: Data = {"A": np.array([1e-9, 8.0, np.inf, np.nan])}
    have: Data = {"A": np.array([3e-9, 8.0, np.inf, np.nan])}
    assert compare(want, have, 1e-5, by_array=True) == Check(4, 1, (3e-9 - 1e-9) / 8.0, 1e-5)
    assert not compare(want, have, 1e-5).passed
    assert not compare(want, {"A": np.array([1e-9, 8.0, 1.0, np.nan])}, 1e-5, by_array=True).passed


# --- the kernels that ship --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", kernel_names())
def test_kernels_compute_numbers_on_signed_data(name: str) -> None:
    """Few NaNs there: they would hide what the rest computes."""
    (scop,) = read_c(kernel(name).path)
    sizes = check_sizes(scop, dict.fromkeys(scop.parameters, 12))
    data = check_fills(scop, sizes, exact=True)[0]
    assert {spec.kind for spec in data} == {"signed"}
    arrays = {spec.name: fill(spec) for spec in data}
    compile_program(scalar_program(lower(scop, original_tree(scop))))(**arrays, **sizes)
    written = {s.target.array for s in scop.statements}
    results = [arrays[a.name] for a in scop.arrays if a.name in written and not a.local and a.shape]
    assert all(np.isfinite(values).mean() > 0.5 for values in results if values.dtype.kind == "f")


def test_checks_run_at_small_sizes_too() -> None:
    text = """void f(int n, int m, double A[n][m], double B[m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) A[i][j] += B[j];
}
"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    runs = list(check_runs(scop, {"n": 30, "m": 40}, exact=True))
    large = [data for sizes, data in runs if sizes == {"n": 30, "m": 40}]
    assert large == list(check_fills(scop, {"n": 30, "m": 40}, exact=True))
    small = [tuple(sizes.values()) for sizes, _ in runs[len(large) :]]
    assert len(small) == len(set(small)) <= MOST_SMALL
    for number in SMALL:
        assert {(number, number), (number, 40), (30, number)} <= set(small)


def test_no_check_runs_where_rows_have_less_than_no_elements() -> None:
    text = """void f(int n, int w, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < w - 2; j++) y[i * (w - 2) + j] = x[i * w + j] + x[i * w + j + 2];
}
"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    widths = {sizes["w"] for sizes, _ in check_runs(scop, {"n": 30, "w": 40}, exact=True)}
    assert widths == {40, *SMALL} - {1}
