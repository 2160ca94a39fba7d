"""A process that runs risky jobs: a crash, a hang or a memory blow-up ends it, is reported, and loses nothing else.

Generated code can do anything to the process it runs in. A worker is a Python process of its own in its own process
group; a job is a function named as "module:function" with arguments that can be pickled. A worker that died is replaced
when the next job comes.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from runpy import run_module
from types import TracebackType
from typing import IO

from polyloop.backend.errors import BackendError

START_SECONDS = 60.0  # for Python and its imports on a busy machine; not part of a job's time


class WorkerError(BackendError):
    """A job that did not come back with a result.

    Attributes:
        kind: "crash" (a signal, or the process left), "timeout", "memory", or "error" (the job raised).
        details: the traceback of an "error", or what a crashed worker had printed last.
    """

    def __init__(self, kind: str, message: str, details: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.details = details

    def __reduce__(self) -> tuple[object, ...]:
        return WorkerError, (self.kind, str(self), self.details)


class Worker:
    """Runs one job after the other in a process of its own, which is started when it is first needed.

    Args:
        memory_bytes: what a job may allocate on top of the empty worker (address space); None: no limit.
        environment: variables that the process has beside ours, read when it is started.
        imports: names of modules that it loads before its first job.
    """

    def __init__(
        self,
        memory_bytes: int | None = 4 << 30,
        environment: Mapping[str, str] | None = None,
        imports: Sequence[str] = (),
    ) -> None:
        self._imports = imports
        self._memory_bytes = memory_bytes
        self._environment = environment if environment is not None else {}
        self._process: _Process | None = None
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Start the process now, without waiting for it: the first job finds it ready."""
        with self._lock:
            self._running()

    def call(
        self, function: str, arguments: tuple[object, ...] = (), *, timeout: float, until: float = math.inf
    ) -> object:
        """Call "module:function" with these arguments in the worker and return its result.

        Args:
            timeout: seconds from when the function is called (or says `worker_main.start_clock()`), not from when
                the worker is started or the job is queued.
            until: when the worker is ended in any case, whatever it is at (of `time.monotonic`).
        Raises:
            WorkerError: if there is no result; the next call gets a new worker where this one is gone.
        """
        if time.monotonic() >= until:
            raise WorkerError("timeout", f"there is no time left for {function}")
        with self._lock:
            process = self._running()
            try:
                process.connection.send_bytes(pickle.dumps((function, arguments)))
                return process.result(timeout, function, until)
            except (BrokenPipeError, ConnectionResetError, EOFError):
                raise process.ended(function) from None
            except WorkerError as error:
                if error.kind == "timeout":
                    process.end()
                raise
            except BaseException:
                process.end()  # an interrupt: the answer that is still to come would be taken for the next job's
                raise
            finally:
                if process.gone:
                    self.close()

    def close(self) -> None:
        """End the process, with all it may have started. A later call starts a new one."""
        if self._process is not None:
            self._process.end()
            self._process = None

    @property
    def pid(self) -> int | None:
        """The worker's process id, while there is a worker."""
        process = self._process  # another thread may be closing
        return process.popen.pid if process else None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _running(self) -> _Process:
        process = self._process
        if process is None or process.owner != os.getpid() or process.popen.poll() is not None:
            if process is not None:
                process.end()
            process = self._process = _start(self._memory_bytes, self._environment, self._imports)
            # Also at the interpreter's exit: finalizers of living objects run then.
            weakref.finalize(self, process.end)
        return process


@dataclass
class _Process:
    popen: subprocess.Popen[bytes]
    connection: Connection
    output: IO[bytes]
    owner: int
    gone: bool = False

    def result(self, timeout: float, function: str, until: float) -> object:
        """Wait for the job; the clock is set each time the worker says that it starts."""
        begun = time.monotonic()
        deadline = min(begun + START_SECONDS, until)
        while self.connection.poll(max(0.0, deadline - time.monotonic())):
            match pickle.loads(self.connection.recv_bytes()):
                case ("started",):
                    begun = time.monotonic()
                    deadline = min(begun + timeout, until)
                case ("result", value):
                    return value
                case ("memory", message, details):  # says itself what took it
                    raise WorkerError("memory", message, details)
                case (kind, message, details):
                    raise WorkerError(kind, f"{function} failed in the worker: {message}", details)
        allowed = max(0.0, deadline - begun)
        raise WorkerError("timeout", f"{function} did not finish within {allowed:.3g} seconds and was ended")

    def ended(self, function: str) -> WorkerError:
        """Say how a worker went that left in the middle of a job."""
        try:
            code = self.popen.wait(5)
        except subprocess.TimeoutExpired:
            code = 0
        self.gone = True
        self.output.seek(0)
        printed = self.output.read()[-2000:].decode(errors="replace").strip()
        if code >= 0:
            return WorkerError("crash", f"{function} ended its worker with exit status {code}", printed)
        name = signal.Signals(-code).name
        if -code == signal.SIGKILL:
            return WorkerError("memory", f"{function} was killed by the system, most likely for memory", printed)
        return WorkerError("crash", f"{function} crashed its worker: {name}", printed)

    def end(self) -> None:
        """Kill the process group. A fork of the process that started it leaves it alone."""
        self.gone = True
        if self.owner != os.getpid() or self.connection.closed:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        self.connection.close()
        self.output.close()


_KEPT = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(64 << 20)}
"""To the C library: what a kernel's own arrays leave is kept for its next run, up to the size that glibc comes to by
itself in programs that take and free such memory (`mallopt(3)`, M_MMAP_THRESHOLD). What is larger is given back, and
every run waits for new pages, as it will in the user's program (loops that were 1.6 times as fast with 200 MB that were
there already took 1.7 times as long in a program, which took 1.2 GB once)."""


def _start(memory_bytes: int | None, environment: Mapping[str, str], imports: Sequence[str]) -> _Process:
    ours, theirs = socket.socketpair()
    output = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
    popen = subprocess.Popen(
        python_command("polyloop.backend.run.worker_main", str(theirs.fileno()), str(memory_bytes or 0), *imports),
        pass_fds=(theirs.fileno(),),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        env={**_KEPT, **os.environ, **environment},
    )
    theirs.close()
    return _Process(popen, Connection(ours.detach()), output, os.getpid())


# --- Processes of our own: they find the modules that this process finds, and end with it -----------------------------
# Python puts the current folder first on the path of ``python -m`` and ``python -c``: a file that happens to be
# called numpy.py there would run in our place. These start without it.


_PR_SET_PDEATHSIG = 1
_ROOT = str(Path(__file__).parents[3].resolve())  # the folder that has the package polyloop in it
_BEGIN = "import sys; sys.path[:] = {path!r}; from {here} import begin; begin({module!r}, {parent}, {tied})"


def python_command(module: str, *arguments: str) -> list[str]:
    """The command line that runs a module as ``python -m`` does, with this process's path. The process has to be the
    first of a session of its own (``start_new_session``): when this one ends, it is killed with all that it started."""
    # The system ends a child when the *thread* that started it ends, so only the main thread may ask for that.
    tied = threading.current_thread() is threading.main_thread()
    begin = _BEGIN.format(path=import_path(), here=__name__, module=module, parent=os.getpid(), tied=tied)
    return [sys.executable, "-P", "-c", begin, *arguments]


def import_path() -> list[str]:
    """Where this process looks for modules, but for the current folder where Python itself has put it: first. It stays
    if polyloop is found nowhere else."""
    try:
        current = os.getcwd()
    except OSError:  # it was deleted
        current = ""
    first, others = sys.path[:1], [os.path.join(current, entry) for entry in sys.path[1:] if entry]
    implicit = bool(first) and (not first[0] or os.path.realpath(first[0]) == current)
    if implicit and (current != _ROOT or _ROOT in others):
        return others
    return [os.path.normpath(os.path.join(current, entry)) for entry in first] + others


@contextmanager
def without_current_folder() -> Iterator[None]:
    """Keep the current folder from the path of the Python processes that others start meanwhile (`multiprocessing`
    begins with ``python -c``)."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def begin(module: str, parent: int, tied: bool) -> None:
    """What a process of `python_command` does: it runs the module, and watches the process that started it.

    Args:
        tied: whether the system may see to that as well.
    """
    if tied:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    run_module(module, run_name="__main__", alter_sys=True)


def _end_with(parent: int) -> None:
    """Compiled code runs without Python's lock, so this thread lives on while a kernel hangs."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.killpg(0, signal.SIGKILL)
