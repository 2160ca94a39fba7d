"""Processes of our own: they find the modules that this process finds, and end with it.

Python puts the current folder first on the path of ``python -m`` and ``python -c``: a file that happens to be called
numpy.py there would run in our place. These start without it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from runpy import run_module

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
