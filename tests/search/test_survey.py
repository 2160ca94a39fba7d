"""Searching at smaller sizes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from polyloop.api import MOST_CROWDED, crowding, default_budget
from polyloop.backend.machine.host import host_target
from polyloop.frontend import read_c
from polyloop.measure.evaluator import Evaluator, Options
from polyloop.measure.result import Candidate
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import SWEEPS, work
from polyloop.search import isl_search, survey
from polyloop.search.isl_search import in_order, search
from polyloop.search.survey import reduced_sizes, surveyed
from polyloop.shaping.outer_lanes import outer_lanes
from polyloop.shipped.kernels import kernel
from tests.helpers.reading import shipped_scop


@pytest.mark.parametrize("name", ["gemm", "symm", "floyd-warshall", "jacobi-2d", "heat-3d", "deriche", "nussinov"])
def test_the_largest_sizes_with_less_work(name: str) -> None:
    scop, sizes = shipped_scop(name), kernel(name).resolve("LARGE")
    sizes = {name: sizes[name] for name in scop.parameters}
    for fraction in (0.5, 0.05):
        found = reduced_sizes(scop, sizes, fraction)
        assert found is not None
        assert 0.5 * fraction < work(scop, found) / work(scop, sizes) <= fraction
        assert all(found[p] <= sizes[p] for p in sizes)


def test_time_steps_are_saved_first() -> None:
    scop = shipped_scop("jacobi-2d")
    sizes = dict(zip(scop.parameters, (500, 1300), strict=True))
    found = reduced_sizes(scop, sizes, 0.2)
    assert found is not None
    assert found[scop.parameters[1]] == 1300
    found = reduced_sizes(scop, sizes, 0.02)
    assert found is not None
    assert found[scop.parameters[0]] == SWEEPS
    assert survey.EXTENT < found[scop.parameters[1]] < 1300


def test_what_cannot_be_reduced() -> None:
    assert reduced_sizes(shipped_scop("gemm"), {"ni": 48, "nj": 48, "nk": 48}, 0.1) is None
    text = "void f(double a[100]) {\n#pragma scop\nfor (int i = 0; i < 100; i++) a[i] = 1.0;\n#pragma endscop\n}\n"
    (constant,) = read_c("f.c", text=text)
    assert reduced_sizes(constant, {}, 0.1) is None


def test_sizes_at_which_nothing_happens_are_passed_over() -> None:
    text = (
        "void f(int n, double a[n]) {\n#pragma scop\nif (n > 900)\nfor (int i = 0; i < n; i++)\na[i] = 1.0;\n"
        "#pragma endscop\n}\n"
    )
    (scop,) = read_c("f.c", text=text)
    assert reduced_sizes(scop, {"n": 1000}, 0.95) is None
    assert reduced_sizes(scop, {"n": 1100}, 0.95) == {"n": 990}


def test_the_best_of_the_survey_is_measured_at_full_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "LONG", 0.0)
    monkeypatch.setattr(survey, "SURVEYED", 1e-5)
    monkeypatch.setattr(survey, "RESHAPED", inf)  # more at full size, where the clock leaves time for it
    scop, sizes = shipped_scop("gemm"), {"ni": 120, "nj": 120, "nk": 120}
    with Evaluator(scop, sizes, host_target(), in_process=True) as evaluator:
        evaluator.evaluate(evaluator.original)
        best = surveyed(evaluator, search, 1.0, "schedule", 1e-4)
        assert evaluator.measured[best.name].ran
        assert evaluator.measured[best.name].check.passed
        assert len(evaluator.measured) <= 1 + survey.FINALISTS
        elsewhere = [fate.name for fate in evaluator.measurements if "(at ni=" in fate.name]
        assert elsewhere
        assert elsewhere[0].startswith("original loops (at ni=")
        assert not any(f"(at ni={sizes['ni']}," in name for name in elsewhere)


def test_the_best_is_shaped_anew_at_full_size_where_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    reshaped: list[str] = []
    monkeypatch.setattr(isl_search, "evaluate_reshaped", lambda _, base, deadline: reshaped.append(base.name))
    with Evaluator(shipped_scop("gemm"), {"ni": 9, "nj": 9, "nk": 9}, host_target(), in_process=True) as evaluator:
        for candidate in (evaluator.original, isl_search.in_order(evaluator)):
            evaluator.evaluate(candidate)
        slow = replace(evaluator.measured[evaluator.original.name], median=1e3)
        evaluator.measured[evaluator.original.name] = slow
        survey._reshape_best(evaluator, time.monotonic())
        assert reshaped == []
        survey._reshape_best(evaluator, time.monotonic() + 1e4)
        assert reshaped == ["original order"]
        evaluator.measured[evaluator.original.name] = replace(slow, median=0.0)
        survey._reshape_best(evaluator, time.monotonic() + 1e4)
        assert reshaped == ["original order"]


def test_finalists_ask_ahead_for_rows_that_come_from_far_away() -> None:
    """At the sizes of a survey they are near, and asking for them seems to gain nothing."""
    scop = shipped_scop("adi")
    shaped = outer_lanes(Proofs(), scop)
    assert shaped is not None
    found: dict[int, list[str]] = {}
    for n in (20, 1000):
        with Evaluator(scop, {"n": n, "tsteps": 2}, host_target(), in_process=True) as evaluator:
            candidate = isl_search.as_candidate(evaluator, shaped)
            found[n] = [each.name.rpartition("; ")[2] for each in survey._finalists(evaluator, [candidate])]
    assert len(found[20]) == 1
    assert found[1000] == ["rows asked for ahead", *found[20]]


@pytest.mark.parametrize("anytime", [False, True])
def test_an_interrupt_while_finalists_are_measured_keeps_the_best(
    anytime: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "reduced_sizes", lambda *_: {"ni": 5, "nj": 5, "nk": 5})
    measured = Evaluator.evaluate

    def interrupted(self: Evaluator, candidate: Candidate, cutoff: float = inf) -> float:
        if self.sizes["ni"] == 9 and candidate.name != self.original.name:
            raise KeyboardInterrupt
        return measured(self, candidate, cutoff)

    monkeypatch.setattr(Evaluator, "evaluate", interrupted)

    def walk(evaluator: Evaluator, seconds: float, space: str) -> Candidate:
        for candidate in (evaluator.original, in_order(evaluator)):
            evaluator.evaluate(candidate)
        return evaluator.decided()

    options, sizes = Options(anytime=anytime), {"ni": 9, "nj": 9, "nk": 9}
    with Evaluator(shipped_scop("gemm"), sizes, host_target(), options, in_process=True) as evaluator:
        evaluator.evaluate(evaluator.original)
        if anytime:
            assert surveyed(evaluator, walk, 1.0, "schedule", 10.0) is evaluator.original
        else:
            with pytest.raises(KeyboardInterrupt):
                surveyed(evaluator, walk, 1.0, "schedule", 10.0)
        assert evaluator.interrupted == anytime


def test_short_runs_need_no_survey() -> None:
    seen: list[tuple[Evaluator, float, str]] = []

    def walk(evaluator: Evaluator, seconds: float, space: str) -> Candidate:
        seen.append((evaluator, seconds, space))
        return evaluator.original

    with Evaluator(shipped_scop("gemm"), {"ni": 9, "nj": 9, "nk": 9}, host_target(), in_process=True) as evaluator:
        assert surveyed(evaluator, walk, 3.0, "schedule", survey.LONG) is evaluator.original
        assert seen == [(evaluator, 3.0, "schedule")]


def test_an_evaluator_at_other_sizes_shares_what_does_not_depend_on_them() -> None:
    scop = shipped_scop("gemm")
    with Evaluator(scop, {"ni": 9, "nj": 9, "nk": 9}, host_target(), in_process=True) as evaluator:
        evaluator.evaluate(evaluator.original)
        with evaluator.at({"ni": 5, "nj": 6, "nk": 7}) as other:
            assert (other.measured, other.candidates) == ({}, {})
            assert other.proofs.dependences(scop) is evaluator.proofs.dependences(scop)
            assert other.proofs.prove(scop, original_tree(scop)) is evaluator.proofs.prove(scop, original_tree(scop))
            assert other.program(other.original) is evaluator.program(evaluator.original)
            assert dict(other.setting.sizes) == {"ni": 5, "nj": 6, "nk": 7}


def test_the_time_for_a_search() -> None:
    few, many = (1, 1), (1, 2, 3, 4)
    assert [default_budget(few, 1e-3), default_budget(many, 1e-3)] == [4.0, 11.0]
    assert [default_budget(few, 0.2), default_budget(few, 9.0), default_budget(4 * many, 1e-3)] == [8.0, 20.0, 20.0]


def test_busy_cores_get_more_seconds(tmp_path: Path) -> None:
    status = tmp_path / "schedstat"
    assert crowding(status) == 1
    for text, factor in (("200 100 3", 1.5), ("100 900 3", MOST_CROWDED), ("0 0 0", 1), ("", 1), ("none", 1)):
        status.write_text(text)
        assert crowding(status) == factor


@pytest.fixture
def _alarm_clock() -> Iterator[None]:
    """The process's alarm clock, which a plugin that ends tests may be using."""
    handler, left = signal.signal(signal.SIGALRM, signal.SIG_DFL), signal.setitimer(signal.ITIMER_REAL, 0.0)
    yield
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, *left)


def forever() -> None:
    while True:
        pass


@pytest.mark.usefixtures("_alarm_clock")
def test_searches_that_do_not_look_at_the_clock_are_ended() -> None:
    """What they have found until then counts, and the alarm clock is given back."""
    scop = shipped_scop("gemm")

    def endless(evaluator: Evaluator, seconds: float, space: str) -> Candidate:
        evaluator.evaluate(in_order(evaluator))
        forever()
        return evaluator.original

    with Evaluator(scop, {"ni": 60, "nj": 60, "nk": 60}, host_target(), in_process=True) as evaluator:
        evaluator.evaluate(evaluator.original)
        best = surveyed(evaluator, endless, 0.05, "schedule", 1e-4)
        assert len(evaluator.measured) == 2
        assert best.name in evaluator.measured
        assert not evaluator.interrupted
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.usefixtures("_alarm_clock")
@pytest.mark.parametrize(("most", "granted"), [(20.0, [0.0, 7.0, 15.0]), (0.0, [0.0, 0.0, 0.0])])
def test_searches_that_take_long_to_try_anything_may_ask_for_time(most: float, granted: list[float]) -> None:
    """The clock that ends them goes on, too; a search at other sizes is a part of another, and may not ask."""
    scop, left = shipped_scop("gemm"), []

    def asking(evaluator: Evaluator, seconds: float, space: str) -> Candidate:
        assert evaluator.longer is not None
        assert [evaluator.longer(wanted) for wanted in (3.0, 12.0, 99.0)] == granted
        left.append(signal.getitimer(signal.ITIMER_REAL)[0])
        with evaluator.at({"ni": 5, "nj": 6, "nk": 7}) as other:
            assert (other.most, other.longer) == (0.0, None)
        return evaluator.original

    with Evaluator(scop, {"ni": 9, "nj": 9, "nk": 9}, host_target(), in_process=True) as evaluator:
        evaluator.evaluate(evaluator.original)
        evaluator.most = most
        surveyed(evaluator, asking, 5.0, "schedule", 1e-4)
    assert 5.0 + granted[-1] < left[0] <= survey.OVERRUN * (5.0 + granted[-1])


@pytest.mark.usefixtures("_alarm_clock")
def test_what_has_found_nothing_yet_gets_some_more_time() -> None:
    asked: list[bool] = []

    def ready() -> bool:
        asked.append(len(asked) == 2)
        return asked[-1]

    def ended(wait: float) -> None:
        with survey.ended_after(0.01, ready, wait):
            forever()

    with pytest.raises(survey.OverrunError):
        ended(60.0)
    assert asked == [False, False, True]
    with pytest.raises(survey.OverrunError):
        ended(0.0)
    assert asked == [False, False, True, False]


@pytest.mark.usefixtures("_alarm_clock")
def test_what_ends_a_search_leaves_it_time_for_what_it_has_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that were timed have to be compiled whole: the alarm does not ring again at once."""
    rings: list[float] = []
    handlers: list[Callable[..., None]] = []
    monkeypatch.setattr(signal, "setitimer", lambda _, first, then=0.0: rings.append(first))
    monkeypatch.setattr(signal, "signal", lambda _, handler: handlers.append(handler))
    with survey.ended_after(2.0, again=5.0):
        with pytest.raises(survey.OverrunError):
            handlers[0]()
        assert rings == [2.0, 5.0]
    assert rings == [2.0, 5.0, 0.0]


@pytest.mark.usefixtures("_alarm_clock")
@pytest.mark.parametrize("rung", [False, True])
def test_an_alarm_that_was_taken_for_an_error_ends_a_search(rung: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions that the set library calls raise what it forgets, and it has an error of its own."""
    handlers: list[Callable[..., None]] = []
    monkeypatch.setattr(signal, "setitimer", lambda *_: None)
    monkeypatch.setattr(signal, "signal", lambda _, handler: handlers.append(handler))

    def search() -> None:
        with survey.ended_after(2.0):
            with suppress(survey.OverrunError):
                if rung:
                    handlers[0]()
            raise ValueError("a piece was not looked at")

    with pytest.raises(survey.OverrunError if rung else ValueError):
        search()


@pytest.mark.usefixtures("_alarm_clock")
def test_what_puts_off_the_end_of_what_has_ended_rings_no_alarm() -> None:
    with survey.ended_after(60.0) as ring_in:
        ring_in(50.0)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 50.0
    ring_in(40.0)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


_RINGS_LATE = """
import os, signal
from polyloop.search.survey import ended_after
with ended_after(60.0):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    os.kill(os.getpid(), signal.SIGALRM)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
"""


def test_an_alarm_that_nobody_was_told_of_in_time_does_not_end_the_process() -> None:
    """Another thread may be to be told; here the alarm is held back for the only one."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "OPENBLAS_NUM_THREADS": "1"}
    assert subprocess.run([sys.executable, "-c", _RINGS_LATE], env=environment, check=False).returncode == 0


@pytest.mark.parametrize("ending", [survey.OverrunError, KeyboardInterrupt])
def test_a_survey_that_is_over_before_its_first_run(
    ending: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loaded machine may take all of the time for what comes first: the original loops stay then."""
    monkeypatch.setattr(survey, "LONG", 0.0)
    monkeypatch.setattr(survey, "SURVEYED", 1e-5)
    looked: list[Evaluator] = []

    def ended(evaluator: Evaluator, seconds: float, space: str) -> Candidate:
        looked.append(evaluator)
        raise ending

    scop, sizes = shipped_scop("gemm"), {"ni": 120, "nj": 120, "nk": 120}
    with Evaluator(scop, sizes, host_target(), Options(anytime=True), in_process=True) as evaluator:
        evaluator.evaluate(evaluator.original)
        assert surveyed(evaluator, ended, 1.0, "schedule", 1e-4) is evaluator.original
    assert [each.sizes == sizes for each in looked] == [False]
    assert looked[0].measurements == ()


def test_a_search_ends_by_itself_where_little_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def search(evaluator: Evaluator, seconds: float, space: str) -> Candidate:
        given.append(seconds)
        return evaluator.original

    scop = shipped_scop("gemm")
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    with Evaluator(scop, {"ni": 9, "nj": 9, "nk": 9}, host_target(), in_process=True) as evaluator:
        surveyed(evaluator, search, 20.0, "schedule", 1e-3)
        evaluator.until = 107.0
        surveyed(evaluator, search, 20.0, "schedule", 1e-3)
    assert given[0] == 20.0
    assert given[1] * survey.OVERRUN < 7.0
