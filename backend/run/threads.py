"""What parallel loops run on: libgomp where it is installed, else a pool of this module.

Code generated for parallel loops calls three functions of the OpenMP runtime; compiled code is linked to whichever
implementation there is. A region of libgomp costs about a microsecond. The pool's threads are Python's, so that a
region costs some tens of microseconds; in between compiled code runs without Python's lock. Regions inside of regions
run on one thread in both.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeAlias

Region: TypeAlias = "Callable[[int], None]"
"""A compiled ``void (data)``; each thread of a team calls it once."""

_NAMES = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads")
_REGION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_PARALLEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
_NUMBER = ctypes.CFUNCTYPE(ctypes.c_int)


@cache
def runtime() -> dict[str, int]:
    """Addresses of the functions that parallel loops call."""
    return libgomp() or own_runtime()


@cache
def libgomp() -> dict[str, int]:
    """Those of GNU's runtime; empty where it is missing."""
    name = ctypes.util.find_library("gomp") or "libgomp.so.1"
    try:
        library = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        return {f: ctypes.cast(library[f], ctypes.c_void_p).value or 0 for f in _NAMES}
    except (OSError, AttributeError):
        return {}


@cache
def own_runtime() -> dict[str, int]:
    """Those of the pool."""
    pool = _POOL
    functions = (_PARALLEL(pool.run), _NUMBER(pool.number), _NUMBER(pool.count))
    pool.kept.extend(functions)
    return {
        name: ctypes.cast(function, ctypes.c_void_p).value or 0
        for name, function in zip(_NAMES, functions, strict=True)
    }


class Pool:
    """Teams of threads: the caller is number 0. Threads are started when they are first needed, and kept."""

    def __init__(self) -> None:
        self.kept: list[object] = []  # what compiled code may call as long as this process lives
        self._team = threading.local()
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        """A forked process has none of the threads."""
        self._executor: ThreadPoolExecutor | None = None
        self._workers = 0
        self._lock = threading.Lock()

    def number(self) -> int:
        """This thread's number in its team."""
        return int(getattr(self._team, "number", 0))

    def count(self) -> int:
        """How many threads this thread's team has."""
        return int(getattr(self._team, "count", 1))

    def run(self, function: int, data: int, count: int, _flags: int = 0) -> None:
        """Call ``function(data)`` once as each member of a team of `count`, and wait for all."""
        region: Region = _REGION(function)
        if count <= 1 or self.count() > 1:
            self._member(region, data, 0, 1)
            return
        started: list[Future[None]] = []
        left = list(range(1, count))
        while left:
            try:
                started.append(self._submit(count, region, data, left[0]))
            except RuntimeError:  # no more threads: what is left is done here, one after the other
                break
            left.pop(0)
        for number in (0, *left):
            self._member(region, data, number, count)
        for future in started:
            future.result()

    def _submit(self, count: int, region: Region, data: int, number: int) -> Future[None]:
        with self._lock:
            if self._executor is None or self._workers < count - 1:
                # One that is too small ends by itself when its last region does.
                self._workers = count - 1
                self._executor = ThreadPoolExecutor(self._workers, "polyloop")
            return self._executor.submit(self._member, region, data, number, count)

    def _member(self, region: Region, data: int, number: int, count: int) -> None:
        before = self.number(), self.count()
        self._team.number, self._team.count = number, count
        try:
            region(data)
        finally:
            self._team.number, self._team.count = before


_POOL = Pool()
