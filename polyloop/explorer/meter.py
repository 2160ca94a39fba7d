"""Where the explorer's figures come from: a worker process, or the model, which runs nothing."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
from dataclasses import dataclass, field
from typing import Protocol

from polyloop.backend.errors import BackendError
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.run.worker import Worker, WorkerError
from polyloop.cursor.base import Problem, Program
from polyloop.errors import PolyloopError
from polyloop.explorer import inspection
from polyloop.explorer.inspection import Inspection
from polyloop.measure.evaluator import InProcess
from polyloop.measure.programs import ModelledPrograms
from polyloop.measure.result import Measurement
from polyloop.support.files import WorkFolder

SECONDS = 60.0
"""How long one job may run."""

PATIENCE = 0.02
"""Seconds between two attempts to end a worker."""

_JOBS = inspection.__name__


class MeterError(PolyloopError):
    """A question about a program that got no answer; the message says why."""


class Meter(Protocol):
    """Says how fast programs of one problem are, and what is in them. One call at a time, from any thread."""

    def peak(self) -> float:
        """10^9 operations a second that a program may reach at best."""

    def measure(self, program: Program) -> Measurement:
        """Seconds of one run; what goes wrong is in the record."""

    def inspect(self, program: Program) -> Inspection | None:
        """What else there is to know; None if nothing is run here.

        Raises:
            MeterError: if the program cannot be compiled or run.
        """

    def planned(self, program: Program) -> VectorProgram:
        """What is compiled for a program.

        Raises:
            MeterError: if there is nothing to compile.
        """

    def close(self) -> None:
        """End what runs, in the middle of it if need be: the call that waits for it gets a `MeterError`."""


@dataclass
class WorkerMeter:
    """Compiles and runs in a worker process: whatever a kernel does there, the terminal stays as it is."""

    problem: Problem
    worker: Worker | InProcess = field(default_factory=Worker)
    _closed: bool = False
    _busy: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._data = pickle.dumps(self.problem)
        self._folder = WorkFolder()

    def peak(self) -> float:
        found = self._call("peak", self._data)
        assert isinstance(found, float)
        return found

    def measure(self, program: Program) -> Measurement:
        try:
            found = self._call("measure", self._data, program, self._folder.name)
        except MeterError as error:
            return Measurement.failed(str(error))
        assert isinstance(found, Measurement)
        return found

    def inspect(self, program: Program) -> Inspection | None:
        found = self._call("inspect", self._data, program)
        assert isinstance(found, Inspection)
        return found

    def planned(self, program: Program) -> VectorProgram:
        found = self._call("planned", self._data, program)
        assert isinstance(found, VectorProgram)
        return found

    def close(self) -> None:
        self._closed = True
        # A worker belongs to the thread that waits for it: from here its process is ended, there the rest is done.
        while not self._busy.acquire(timeout=PATIENCE):
            if isinstance(self.worker, Worker) and (pid := self.worker.pid) is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
        self.worker.close()
        self._folder.cleanup()
        self._busy.release()

    def _call(self, job: str, *arguments: object) -> object:
        try:
            with self._busy:
                if self._closed:
                    raise MeterError("the explorer is closing")
                return self.worker.call(f"{_JOBS}:{job}", arguments, timeout=SECONDS)
        except WorkerError as error:
            raise MeterError(_reason(error)) from error
        except MeterError:
            raise
        except (PolyloopError, BackendError, MemoryError) as error:  # of jobs in this process
            raise MeterError(str(error)) from error


def _reason(error: WorkerError) -> str:
    """Without the names of functions that nobody here has called."""
    match error.kind:
        case "timeout":
            return f"it takes longer than {SECONDS:g} seconds"
        case "memory":
            return "it takes more memory than there is"
        case "crash":
            return f"the kernel crashed ({str(error).rpartition(': ')[2]})"
        case _:
            return str(error).partition("in the worker: ")[2] or str(error)


@dataclass
class ModelMeter:
    """Figures of the analytic model: deterministic, and nothing is compiled or run."""

    problem: Problem
    evaluator: ModelledPrograms = field(default_factory=ModelledPrograms)

    def __post_init__(self) -> None:
        self._data = pickle.dumps(self.problem)

    def peak(self) -> float:
        return self.evaluator.peak(self.problem)

    def measure(self, program: Program) -> Measurement:
        return self.evaluator.evaluate(self.problem, program)

    def inspect(self, program: Program) -> Inspection | None:
        return None

    def planned(self, program: Program) -> VectorProgram:
        try:
            return inspection.planned(self._data, program)
        except (PolyloopError, BackendError) as error:
            raise MeterError(str(error)) from error

    def close(self) -> None:
        """See `Meter`."""
