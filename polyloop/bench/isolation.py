"""Work in a process of its own: a crash, a hang or a memory blow-up ends that process and becomes one failed row."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from polyloop.backend.errors import BackendError
from polyloop.backend.run.python_process import python_command
from polyloop.errors import PolyloopError
from polyloop.support.files import WorkFolder, write_atomically

_GRACE_SECONDS = 3.0


def run_isolated(module: str, job: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Have ``python -m module`` do a job.

    Args:
        module: a module that calls :func:`serve`.
        job: what it is given; JSON.
        seconds: after which it is ended, with all processes that it started.
    Returns:
        Its row, or ``{"failed": reason}``.
    """
    with WorkFolder() as name:
        folder = Path(name)
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        command = python_command(module, str(folder / "job.json"), str(folder / "row.json"))
        with (folder / "errors").open("w+b") as errors:
            process = subprocess.Popen(
                command,
                stdout=errors,
                stderr=errors,
                stdin=subprocess.DEVNULL,
                env=_environment(),
                start_new_session=True,
            )
            try:
                status = process.wait(seconds)
            except subprocess.TimeoutExpired:
                return {"failed": f"stopped after {seconds:g} s"}
            finally:
                _end(process)
            if (folder / "row.json").exists():
                row: dict[str, Any] = json.loads((folder / "row.json").read_text(encoding="utf-8"))
                return row
            errors.seek(0)
            lines = errors.read().decode("utf-8", "replace").split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "it said nothing")
    return {"failed": f"the process {_ending(status)}: {last.strip()}"}


def serve(work: Callable[[Mapping[str, Any]], dict[str, Any]], job: Path, row: Path) -> None:
    """The other side: read the job, do it, write the row; errors for people become ``{"failed": reason}``."""
    # What whoever started the bench ignores is inherited (nohup, a shell's background), but `_end` has to be heard.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _limit_memory()
    try:
        outcome = work(json.loads(job.read_text(encoding="utf-8")))
    except (PolyloopError, BackendError) as error:
        outcome = {"failed": str(error)}
    write_atomically(row, json.dumps(outcome))


def _environment() -> dict[str, str]:
    """This process's, with OpenMP's idle threads asleep.

    gcc's and clang's OpenMP each keep their threads; those of the one must not spin while the other is timed.
    """
    return os.environ | {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}


def _limit_memory() -> None:
    """No more than the machine has: rather a failed row than a machine that swaps. A lower limit stays."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        memory = min(memory, most)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process if it still runs, with its children: first so that it can clean up, then for certain."""
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
            try:
                process.wait(_GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                continue


def _ending(status: int) -> str:
    return f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
