"""Comparing results and summarising times; a job run in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.run import timing
from polyloop.frontend import read_c
from polyloop.lowering.to_nest import lower
from polyloop.measure import jobs as measurement
from polyloop.measure.evaluator import Evaluator, Options
from polyloop.measure.jobs import Data, Job, Setting, compare, run_job
from polyloop.measure.result import Measurement
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import fills

TEXT = """void f(int n, double A[n], double B[n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    A[i] = A[i] + B[i];
#pragma endscop
}
"""


def _setting(stash: str = "") -> Setting:
    (scop,) = read_c("f.c", text=TEXT)
    nest = lower(scop, original_tree(scop))
    return Setting(scalar_program(nest), fills(scop, {"n": 37}), (("n", 37),), ("A",), seconds=1e-4, stash=stash)


def _planned(text: str = TEXT) -> VectorProgram:
    (scop,) = read_c("f.c", text=text)
    return plan(lower(scop, original_tree(scop)), host_target())


def test_equal_bits() -> None:
    values = np.array([1.5, np.nan, -0.0, np.inf])
    check = compare({"A": values}, {"A": values.copy()}, 0.0)
    assert (check.compared, check.different, check.largest, check.passed) == (4, 0, 0.0, True)


def test_any_nan_equals_any_other() -> None:
    other = np.array([np.nan, 1.0])
    other.view(np.uint64)[0] ^= np.uint64(1 << 63 | 5)
    assert compare({"A": np.array([np.nan, 1.0])}, {"A": other}, 0.0).different == 0


@pytest.mark.parametrize(
    ("want", "have", "largest"),
    [(0.0, -0.0, 0.0), (2.0, 1.0, 0.5), (np.nan, 1.0, np.inf), (np.inf, 1.0, np.inf), (0.0, 4.0, 1.0)],
)
def test_one_different_element(want: float, have: float, largest: float) -> None:
    check = compare({"A": np.array([7.0, want])}, {"A": np.array([7.0, have])}, 0.0)
    assert (check.compared, check.different, check.largest) == (2, 1, largest)
    assert not check.passed


def test_differences_within_the_tolerance_pass() -> None:
    want, have = {"A": np.array([1.0, 2.0])}, {"A": np.array([1.0, 2.0 + 1e-12])}
    assert compare(want, have, 1e-9).passed
    assert not compare(want, have, 1e-15).passed


def test_what_overflows_says_nothing_under_a_tolerance() -> None:
    largest = float(np.finfo(np.float32).max)
    want: Data = {"A": np.array([1.0, np.inf, np.nan, 0.9 * largest, 2.0], np.float32)}
    have: Data = {"A": np.array([1.0, 0.9 * largest, -np.inf, np.inf, 2.0], np.float32)}
    assert compare(want, have, 1e-4, by_array=True).passed
    assert compare(want, have, 0.0).different == 3
    have["A"][1], have["A"][4] = 1e9, np.inf  # but nothing near overflows
    assert compare(want, have, 1e-4).different == 2


def test_rows_in_front_of_a_pointer_are_restored_and_compared() -> None:
    """What a program changes there is wrong, too, if it is."""
    text = TEXT.replace("n, double A[n]", "n, double *A").replace("A[i] + B[i]", "A[i - 3] + B[i]")
    (scop,) = read_c("f.c", text=text)
    nest = lower(scop, original_tree(scop))
    setting = Setting(scalar_program(nest), fills(scop, {"n": 37}), (("n", 37),), ("A",), seconds=1e-4)
    (measured,) = run_job(Job(setting, (plan(nest, host_target()),)))
    assert (measured.check.compared, measured.check.different) == (40, 0)
    wrong = _planned(text.replace("A[i] =", "A[i - 1] ="))
    assert measurement.run_check(setting, wrong).different > 0


def test_scalars_and_integers_are_compared() -> None:
    want = {"s": np.array(3.0), "c": np.array([[1, 2], [3, 4]], np.int8)}
    have = {"s": np.array(4.0), "c": np.array([[1, 2], [3, 5]], np.int8)}
    check = compare(want, have, 0.0)
    assert (check.compared, check.different, check.largest) == (5, 2, 0.25)


def test_a_measurement_of_some_runs() -> None:
    assert Measurement.of([2.0, 1.0, 4.0]) == Measurement(1.0, 2.0, 1.0, 3)
    assert Measurement.of([1.0, 1.5, 9.0]).spread == 0.5
    assert Measurement.of([0.0]) == Measurement(0.0, 0.0, 0.0, 1)


def test_a_job_checks_and_times_every_program() -> None:
    wrong = TEXT.replace("A[i] + B[i]", "A[i] - B[i]")
    outcomes = run_job(Job(_setting(), (_planned(), _planned(wrong), _planned()), rounds=2))
    assert [o.check.passed for o in outcomes] == [True, False, True]
    assert outcomes[1].check.different == outcomes[1].check.compared == 37
    assert all(1 <= o.runs <= 2 for o in outcomes)


@pytest.mark.parametrize(("cold", "repeated"), [(0.0, False), (timing.LONG_SECONDS, True)])
def test_a_slow_first_run_is_not_repeated_unless_what_it_takes_is_cold_caches(
    cold: float, repeated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "LONG_SECONDS", cold)
    (outcome,) = run_job(Job(_setting(), (_planned(),), cutoff=0.0, rounds=3))
    assert outcome.runs == (3 if repeated else 1)


@pytest.mark.parametrize(("first", "calls"), [(measurement.LONG, 2), (measurement.LONG + 1, 1)])
def test_a_run_far_beyond_the_time_to_be_spent_is_the_only_one(
    first: float, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[float] = []

    def runner(run: Callable[[], None], reset: Callable[[], None]) -> Callable[[int], float]:
        def timed(count: int) -> float:
            reset()
            run()
            taken.append(first)
            return first

        return timed

    monkeypatch.setattr(timing, "Runner", runner)
    (outcome,) = run_job(Job(replace(_setting(), seconds=1.0), (_planned(),)))
    assert outcome.runs == 1
    assert len(taken) == calls


def test_the_originals_results_outlive_the_process(tmp_path: Path) -> None:
    """A new worker, which has no benches yet, reads them; here they are falsified to see that it does."""
    setting = _setting(str(tmp_path))
    assert run_job(Job(setting, (_planned(),)))[0].check.passed
    with np.load(tmp_path / "expected.npz") as archive:
        np.savez(tmp_path / "expected.npz", A=archive["A"] + 1)
    measurement._benches.clear()
    assert run_job(Job(replace(setting), (_planned(),)))[0].check.different == 37


@pytest.mark.parametrize(
    ("call", "reassociate", "by_array"), [("exp", True, True), ("exp", False, False), ("fabs", True, False)]
)
def test_what_is_left_where_inexact_functions_cancel_counts_little(
    call: str, reassociate: bool, by_array: bool
) -> None:
    text = (
        f"#include <math.h>\nvoid f(int n, double *y) {{\n for (int i = 0; i < n; i++) y[i] = {call}(y[i]) - 1.0;\n}}\n"
    )
    (scop,) = read_c("f.c", text=text, auto=True)
    with Evaluator(scop, {"n": 9}, host_target(), Options(reassociate=reassociate), in_process=True) as evaluator:
        assert evaluator.setting.by_array == by_array


def test_gaps_are_relative_to_an_element_or_to_its_array() -> None:
    want, have = {"a": np.array([1.0, 1e-9])}, {"a": np.array([1.0, 1.1e-9])}
    assert not compare(want, have, 1e-6).passed
    assert compare(want, have, 1e-6, by_array=True).passed
    assert not compare(want, {"a": np.array([1.1, 1e-9])}, 1e-6, by_array=True).passed
