"""Calling compiled kernels on one set of arrays, with the clock read inside compiled code.

Called from Python and timed there, a kernel of 25 microseconds would seem 5% slower than it is, and a gain of 10%
would seem 9%.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.ir.expressions import dtype_of
from polyloop.backend.run.kernel import Kernel
from polyloop.backend.run.timing import Runner
from polyloop.bench.blas import bound, define_thunk
from polyloop.scop.data import aligned
from polyloop.shipped.kernels import Argument, KernelInfo, inputs

Arrays: TypeAlias = dict[str, NDArray[Any]]
Run: TypeAlias = Callable[[], float]

_KINDS: Mapping[str, tuple[str, str]] = {"int": ("i32", "i"), "double": ("double", "d"), "float": ("float", "f")}
"""Of scalars: what a thunk loads from the word that they stand in, and what `struct` packs them as."""


@dataclass(frozen=True)
class Bench:
    """One kernel's arguments, and a timer for functions that take them.

    Attributes:
        pristine, working: the arrays as they are before a run, and those that runs work on. All contestants share
            them, so that none has luckier addresses.
        scalars: sizes and floating-point scalars.
        threads: that contestants may run on.
    """

    info: KernelInfo
    pristine: Arrays
    working: Arrays
    scalars: dict[str, int | float]
    threads: int

    def restore(self) -> None:
        """The working arrays as before a run; afterwards the caches hold the same for every contestant."""
        for name, array in self.working.items():
            np.copyto(array, self.pristine[name])

    def results(self) -> Arrays:
        """A copy of all arrays: whoever calls the function might read any of them."""
        return {name: array.copy() for name, array in self.working.items()}

    def shared(self, library: Path) -> Run:
        """Run the kernel's function of a shared library once; returns its seconds."""
        loaded, arguments = ctypes.CDLL(str(library)), self.info.arguments
        function = ctypes.cast(getattr(loaded, self.info.function), ctypes.c_void_p).value or 0
        kinds = ["ptr" if a.shape else _KINDS[a.ctype][0] for a in arguments]
        slots = [("ptr", "fn"), *((kind, f"a{number}") for number, kind in enumerate(kinds))]
        passed = ", ".join(f"{kind} %{name}" for kind, name in slots[1:])
        words = (function, *map(self._word, arguments))
        contestant = bound(define_thunk(slots, f"call void %fn({passed})"), words, self.working, self.threads, loaded)
        return partial(Runner(contestant), 1)

    def jit(self, kernel: Kernel) -> Run:
        """Run a kernel of the backend once; returns its seconds."""
        signature = kernel.signature
        named: dict[str, Any] = {name: self.scalars[name] for name in signature.parameters}
        for spec in signature.arguments:
            # Variables that the C function declares before its scop are arguments of the kernel, too.
            extents = [0 if extent is None else extent.evaluate(named) for extent in spec.shape]
            scratch = np.zeros(extents, dtype_of(spec.type))
            named[spec.name] = self.working.get(spec.name, self.scalars.get(spec.name, scratch))
        return partial(Runner(kernel.bind(**named)), 1)

    def _word(self, argument: Argument) -> int:
        if argument.shape:
            return int(self.working[argument.name].ctypes.data)
        packed = struct.pack(f"<{_KINDS[argument.ctype][1]}", self.scalars[argument.name])
        return int.from_bytes(packed, "little", signed=len(packed) == 8)


def make_bench(info: KernelInfo, sizes: Mapping[str, int], threads: int = 1) -> Bench:
    """Inputs and a timer for a shipped kernel.

    Args:
        sizes: the extent of every size parameter.
    Raises:
        KernelSizeError: if the sizes do not fit the kernel.
    """
    made = inputs(info.name, sizes)
    pristine = {name: value for name, value in made.items() if isinstance(value, np.ndarray)}
    scalars = {name: value for name, value in made.items() if not isinstance(value, np.ndarray)}
    working = {name: aligned(array) for name, array in pristine.items()}
    return Bench(info, pristine, working, scalars, threads)
