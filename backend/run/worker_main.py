"""The other end of `polyloop.backend.run.worker`: the process that runs the jobs."""

from __future__ import annotations

import pickle
import resource
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from pkgutil import resolve_name

_connection: Connection | None = None


def start_clock() -> None:
    """Called by a job when what its timeout is meant for begins (a compiled kernel, after its compilation)."""
    if _connection is not None:
        _connection.send_bytes(pickle.dumps(("started",)))


def main(descriptor: int, memory_bytes: int, imports: Sequence[str]) -> None:
    """Run jobs from the socket `descriptor` until it is closed.

    Args:
        memory_bytes: limit on the address space beyond what is in use then; 0: none.
        imports: names of modules to load first.
    """
    global _connection
    connection = _connection = Connection(descriptor)
    for name in imports:
        import_module(name)
    if memory_bytes:
        _limit_memory(memory_bytes)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        try:
            job = connection.recv_bytes()
        except (EOFError, ConnectionResetError):
            return
        answer = _answer(job)
        try:
            connection.send_bytes(answer)
        except (BrokenPipeError, ConnectionResetError):
            return


def _answer(job: bytes) -> bytes:
    try:
        function, arguments = pickle.loads(job)
        called = resolve_name(function)
        start_clock()
        return pickle.dumps(("result", called(*arguments)))
    except MemoryError as error:
        return pickle.dumps(("memory", f"out of memory: {error}".rstrip(": "), traceback.format_exc()))
    except (Exception, SystemExit) as error:  # whatever a job raises is its result
        return pickle.dumps(("error", f"{type(error).__name__}: {error}", traceback.format_exc()))


def _limit_memory(memory_bytes: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + memory_bytes
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)  # a worker of a worker
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    # Jobs that import this module must find this very one, with its connection.
    sys.modules["polyloop.backend.run.worker_main"] = sys.modules["__main__"]
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
