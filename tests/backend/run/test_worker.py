"""The worker survives what generated code can do to its process, and says what it was."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyloop.backend.run.worker import Worker, WorkerError, import_path

ROOT = Path(__file__).resolve().parents[3]

JOBS = """
import ctypes, os, sys, time
import numpy as np

def loaded(name):
    return name in sys.modules

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F64
from polyloop.backend.run.kernel import compile_program
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.vector_program import *
from polyloop.backend.run.worker_main import start_clock

def add(a, b): return a + b
def pid(): return os.getpid()
def fail(): raise ValueError("seven is too many")
def leave(): os._exit(3)
def patient():
    for _ in range(4): time.sleep(1.0); start_clock()
    return "done"
def hoard(): return len(bytearray(1 << 31))
def nested(gigabytes):
    from polyloop.backend.run.worker import Worker
    with Worker(memory_bytes=gigabytes << 30) as inner:
        return inner.call("risky_jobs:add", (1, 2), timeout=30)
def faults(megabytes):
    import resource
    library = ctypes.CDLL(None)
    library.malloc.restype, library.free.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)
    found = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        place = library.malloc(ctypes.c_size_t(megabytes << 20))
        ctypes.memset(place, 1, megabytes << 20)
        library.free(place)
        found.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    return found
def killed(): os.kill(os.getpid(), 9)
def complain(): os.write(2, b"last words"); os.abort()
def child():
    if pid := os.fork(): return pid
    time.sleep(600)

ONE = ValueType(F64)
WRITE = (Let("v", Constant(1.0, ONE)), Store(Address("x", (affine("N"),), (1,)), Value("v", ONE)))

def wild_store():
    spec = ArraySpec("x", F64, (None,))
    compile_program(VectorProgram("k", ("N",), (spec,), WRITE))(N=1 << 40, x=np.zeros(4))

def endless():
    spec = ArraySpec("x", F64, (None,))
    at = Address("x", (affine(0),), (1,))
    body = (Let("v", Load(at, ONE)), Let("s", Apply("cos", (Value("v", ONE),), ONE)), Store(at, Value("s", ONE)))
    loop = For("i", affine(0), affine(1 << 60), 1, body)
    compile_program(VectorProgram("k", (), (spec,), (loop,)))(x=np.zeros(4))
"""


@pytest.fixture(scope="module", autouse=True)
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The jobs can be imported, also by tests that have a worker of their own."""
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "risky_jobs.py").write_text(JOBS)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield


@pytest.fixture(scope="module")
def worker(jobs: None) -> Iterator[Worker]:
    with Worker(memory_bytes=1 << 30) as worker:
        yield worker


def refused(worker: Worker, job: str, timeout: float = 30.0) -> WorkerError:
    with pytest.raises(WorkerError) as caught:
        worker.call(f"risky_jobs:{job}", timeout=timeout)
    return caught.value


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def gone_soon(pid: int) -> bool:
    deadline = time.monotonic() + 60
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


def test_results_come_back_from_one_process(worker: Worker) -> None:
    assert worker.call("risky_jobs:add", (2, 3), timeout=30) == 5
    first = worker.call("risky_jobs:pid", timeout=30)
    assert first == worker.call("risky_jobs:pid", timeout=30) == worker.pid != os.getpid()


def test_an_exception_is_reported_and_the_worker_stays(worker: Worker) -> None:
    before = worker.call("risky_jobs:pid", timeout=30)
    error = refused(worker, "fail")
    assert (error.kind, str(error)) == ("error", "risky_jobs:fail failed in the worker: ValueError: seven is too many")
    assert "in fail" in error.details
    assert worker.call("risky_jobs:pid", timeout=30) == before


def test_a_wild_store_ends_only_the_worker(worker: Worker) -> None:
    before = worker.call("risky_jobs:pid", timeout=30)
    error = refused(worker, "wild_store")
    assert (error.kind, str(error)) == ("crash", "risky_jobs:wild_store crashed its worker: SIGSEGV")
    assert worker.call("risky_jobs:pid", timeout=30) != before


def test_a_worker_that_leaves(worker: Worker) -> None:
    error = refused(worker, "leave")
    assert (error.kind, str(error)) == ("crash", "risky_jobs:leave ended its worker with exit status 3")


def test_last_words_are_kept(worker: Worker) -> None:
    error = refused(worker, "complain")
    assert (error.kind, error.details) == ("crash", "last words")


def test_an_endless_kernel_is_ended(worker: Worker) -> None:
    error = refused(worker, "endless", timeout=0.5)
    assert error.kind == "timeout"
    assert str(error) == "risky_jobs:endless did not finish within 0.5 seconds and was ended"
    assert worker.pid is None
    assert worker.call("risky_jobs:add", (1, 1), timeout=30) == 2


def test_no_job_runs_beyond_what_is_left(worker: Worker) -> None:
    with pytest.raises(WorkerError, match="endless did not finish within") as caught:
        worker.call("risky_jobs:endless", timeout=600, until=time.monotonic() + 0.5)
    assert (caught.value.kind, worker.pid) == ("timeout", None)
    with pytest.raises(WorkerError, match="there is no time left for risky_jobs:add") as caught:
        worker.call("risky_jobs:add", (1, 1), timeout=600, until=time.monotonic())
    assert (caught.value.kind, worker.pid) == ("timeout", None)  # nothing was started for it


def test_a_worker_is_ready_before_its_first_job() -> None:
    with Worker(imports=("colorsys",)) as ready:
        ready.prepare()
        pid = ready.pid
        assert pid is not None
        assert ready.call("risky_jobs:loaded", ("colorsys",), timeout=30) is True
        assert ready.pid == pid


def test_the_clock_starts_when_the_job_says(worker: Worker) -> None:
    """Four seconds in all, of which none takes as long as the job has."""
    worker.call("risky_jobs:pid", timeout=30)
    assert worker.call("risky_jobs:patient", timeout=3.5) == "done"


def test_memory_is_limited(worker: Worker) -> None:
    error = refused(worker, "hoard")
    assert error.kind == "memory"
    assert str(error).startswith("out of memory")
    assert worker.call("risky_jobs:add", (1, 1), timeout=30) == 2


def test_a_worker_may_have_a_worker_within_its_own_limit(worker: Worker) -> None:
    assert worker.call("risky_jobs:nested", (64,), timeout=60) == 3


def test_a_worker_killed_by_the_system_counts_as_memory(worker: Worker) -> None:
    assert refused(worker, "killed").kind == "memory"


def test_nothing_is_left_behind(worker: Worker) -> None:
    child = worker.call("risky_jobs:child", timeout=30)
    pid = worker.pid
    assert isinstance(child, int)
    assert pid is not None
    assert alive(child)
    worker.close()
    assert gone_soon(pid)
    assert gone_soon(child)


@pytest.mark.parametrize("how", ["", "os.kill(os.getpid(), 9)"])
def test_a_worker_ends_with_its_parent(how: str) -> None:
    script = (
        "import os, threading\n"
        "from polyloop.backend.run.worker import Worker\n"
        "w = Worker()\n"
        "print(w.call('os:getpid', timeout=30), flush=True)\n"
        f"t = threading.Thread(target=w.call, args=('time:sleep', (60,)), kwargs=dict(timeout=60), daemon=True)\n"
        f"t.start(); t.join(0.2)\n{how}\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert gone_soon(int(done.stdout)), done.stderr


def test_nothing_is_imported_from_the_current_folder(tmp_path: Path) -> None:
    """Whatever a folder has in it: working there runs none of it."""
    for name in ("numpy", "pickle", "runpy", "resource", "socket", "ctypes", "polyloop"):
        (tmp_path / f"{name}.py").write_text("import os; os.mkdir('ran')")
    script = (
        "from polyloop.backend.run.worker import Worker\n"
        "with Worker() as worker:\n"
        "    print(worker.call('operator:add', (2, 3), timeout=30))\n"
        "    print(worker.call('numpy:ones', (2,), timeout=30))\n"
    )
    command, environment = [sys.executable, "-P", "-c", script], {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout, (tmp_path / "ran").exists()) == ("5\n[1. 1.]\n", False), done.stderr


@pytest.mark.parametrize(
    ("inside", "before", "after"),
    [
        (False, ["", "/x", str(ROOT)], ["/x", str(ROOT)]),
        (False, [".", "/x", str(ROOT)], ["/x", str(ROOT)]),
        (False, ["HERE", "/x", str(ROOT)], ["/x", str(ROOT)]),
        (False, ["/x", "HERE", str(ROOT)], ["/x", "HERE", str(ROOT)]),  # asked for: PYTHONPATH
        (True, ["", "/x"], [str(ROOT), "/x"]),  # a checkout that is not installed
        (True, [str(ROOT), "/x"], [str(ROOT), "/x"]),
        (True, ["", "/x", str(ROOT)], ["/x", str(ROOT)]),
    ],
)
def test_the_path_of_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: bool, before: list[str], after: list[str]
) -> None:
    monkeypatch.chdir(ROOT if inside else tmp_path)
    here = str(tmp_path.resolve())
    monkeypatch.setattr(sys, "path", [here if entry == "HERE" else entry for entry in before])
    assert import_path() == [here if entry == "HERE" else entry for entry in after]


def test_a_deleted_current_folder_is_no_obstacle(tmp_path: Path) -> None:
    script = (
        "import os; os.rmdir(os.getcwd())\n"
        "from polyloop.backend.run.worker import Worker\n"
        "print(Worker().call('operator:add', (2, 3), timeout=30))\n"
    )
    command, environment = [sys.executable, "-P", "-c", script], {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout == "5\n", done.stderr


def test_after_an_interrupt_the_next_job_gets_its_own_result(worker: Worker) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            worker.call("time:sleep", (3.0,), timeout=60.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert worker.call("operator:add", (1, 2), timeout=60.0) == 3


def test_errors_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(WorkerError("crash", "it fell", "over")))
    assert (error.kind, str(error), error.details) == ("crash", "it fell", "over")


def test_variables_of_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_TEST_OURS", "ours")
    variables = {"POLYLOOP_TEST_ONE": "1"}
    with Worker(environment=variables) as worker:
        variables["POLYLOOP_TEST_TWO"] = "2"  # before it is started
        for name, value in (("OURS", "ours"), ("ONE", "1"), ("TWO", "2"), ("THREE", None)):
            assert worker.call("os:getenv", (f"POLYLOOP_TEST_{name}",), timeout=30) == value
    assert os.getenv("POLYLOOP_TEST_ONE") is None


@pytest.mark.skipif(sys.platform != "linux", reason="what glibc is told")
def test_memory_that_a_run_leaves_is_there_for_the_next(worker: Worker) -> None:
    """Programs keep blocks of such a size, too: new pages for every run would be measured instead of the loops."""
    found = worker.call("risky_jobs:faults", (24,), timeout=60)
    assert isinstance(found, list)
    first, second = found
    assert second <= max(first // 10, 8)  # where earlier runs have left enough, the first one finds it, too
