"""What is found out about programs: compiled and compared with the original, in a worker or in this process."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from polyloop.backend.run.worker import WorkerError
from polyloop.explorer.inspection import Allocation, inspect
from polyloop.explorer.meter import MeterError, ModelMeter, WorkerMeter
from polyloop.explorer.opening import Subject
from polyloop.explorer.session import Session
from polyloop.measure.evaluator import InProcess
from polyloop.measure.programs import ModelledPrograms

Act = Callable[..., Session]
Open = Callable[..., Subject]


@contextmanager
def here(subject: Subject) -> Iterator[WorkerMeter]:
    """A meter that runs everything in this process: no worker has to start."""
    meter = WorkerMeter(subject.process.problem, InProcess())
    try:
        yield meter
    finally:
        meter.close()


def test_a_product_is_equal_to_the_original(product: Subject, act: Act) -> None:
    session = act(Session(product.process), "split_4", "down", "swap_down")
    with here(product) as meter:
        found = meter.inspect(session.state.program)
    assert found is not None
    assert (found.check.compared, found.check.passed) == (32 * 16, True)
    assert found.moved == 4 * (32 * 24 + 24 * 16 + 2 * 32 * 16)
    assert found.compile_seconds > 0
    (sample,) = found.samples
    assert (sample.array, len(sample.result)) == ("C", 4)
    assert sample.result == pytest.approx(sample.original, rel=1e-4)
    assert Allocation("A", (32, 24), 4 * 32 * 24, False) in found.allocations


def test_a_kernel_is_equal_to_the_original_bit_for_bit(opened: Open, act: Act) -> None:
    subject = opened("gemm", "--dataset", "MINI")
    session = act(Session(subject.process), "down", "vectorize", "up", "swap_down")
    with here(subject) as meter:
        record, found = meter.measure(session.state.program), meter.inspect(session.state.program)
    assert record.error is None
    assert found is not None
    assert (found.check.compared, found.check.different) == (20 * 25, 0)


def test_packed_copies_are_allocations_of_the_kernel(opened: Open, act: Act) -> None:
    subject = opened("gemm", "--dataset", "MINI")
    session = act(Session(subject.process), "down", "down", "pack")
    with here(subject) as meter:
        found = meter.inspect(session.state.program)
    assert found is not None
    assert [a.local for a in found.allocations].count(True) == 1
    assert found.check.different == 0


def test_wrong_results_are_told(product: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    program = product.process.initial().program
    expected = inspect.__globals__["_expected"]
    monkeypatch.setitem(inspect.__globals__, "_expected", lambda data: {k: v + 1 for k, v in expected(data).items()})
    with here(product) as meter:
        found = meter.inspect(program)
    assert found is not None
    assert (found.check.passed, found.check.different) == (False, 32 * 16)


def test_the_model_runs_nothing(product: Subject) -> None:
    meter, program = ModelMeter(product.process.problem), product.process.initial().program
    assert meter.measure(program) == ModelledPrograms().evaluate(product.process.problem, program)
    assert meter.inspect(program) is None
    assert meter.peak() == ModelledPrograms().peak(product.process.problem)
    assert meter.planned(program).name == product.scop.name


def test_a_worker_measures_and_its_crash_is_a_message(product: Subject) -> None:
    meter, program = WorkerMeter(product.process.problem), product.process.initial().program
    try:
        assert meter.measure(program).error is None
        pid = meter.worker.pid  # type: ignore[union-attr]
        assert pid is not None
        os.kill(pid, signal.SIGSEGV)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert meter.measure(program).error is None
    finally:
        meter.close()
    assert meter.measure(program).error == "the explorer is closing"


def test_closing_ends_what_runs(product: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    meter, program = WorkerMeter(product.process.problem), product.process.initial().program
    meter.measure(program)
    monkeypatch.setattr("polyloop.explorer.meter._JOBS", "time")
    ended: list[str] = []

    def ask() -> None:
        try:
            meter._call("sleep", 60)
        except MeterError as error:
            ended.append(str(error))

    thread = Thread(target=ask)
    thread.start()
    while not meter._busy.locked():
        time.sleep(0.01)
    meter.close()
    thread.join(30)
    assert not thread.is_alive()
    assert len(ended) == 1
    assert not Path(meter._folder.name).exists()


class Failing:
    """A worker whose jobs fail in one way."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def call(self, *arguments: Any, **named: Any) -> object:
        raise self.error

    def close(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize(
    ("kind", "message", "said"),
    [
        ("timeout", "f did not finish", "it takes longer than 60 seconds"),
        ("memory", "f was killed", "it takes more memory than there is"),
        ("crash", "f crashed its worker: SIGSEGV", "the kernel crashed (SIGSEGV)"),
        ("error", "f failed in the worker: LoweringError: too deep", "LoweringError: too deep"),
    ],
)
def test_errors_are_for_people(product: Subject, kind: str, message: str, said: str) -> None:
    meter = WorkerMeter(product.process.problem, Failing(WorkerError(kind, message)))  # type: ignore[arg-type]
    program = product.process.initial().program
    assert meter.measure(program).error == said
    with pytest.raises(MeterError, match=said.partition(" (")[0]):
        meter.inspect(program)
    meter.close()


def test_other_problems_have_other_answers(opened: Open) -> None:
    """The worker's side knows problems by their bytes."""
    for size in (4, 6):
        subject = opened("C[i] += A[i, j] * x[j]", f"i={size}", "j=5")
        with here(subject) as meter:
            found = meter.inspect(subject.process.initial().program)
        assert found is not None
        assert found.check == replace(found.check, compared=size, different=found.check.different)
