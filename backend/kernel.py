"""A compiled program that is called with numpy arrays and integers by name."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from polyloop.backend import jit
from polyloop.backend.arguments import Argument, Signature
from polyloop.backend.interpreter import Array
from polyloop.backend.print_llvm import print_llvm
from polyloop.backend.target import Target, host_target
from polyloop.backend.vector_program import VectorProgram


@dataclass(frozen=True)
class Bound:
    """A kernel with its arguments: calling it runs the kernel on them.

    Attributes:
        function: address of the compiled ``void (slots)``.
        slots: the arguments, 8 bytes each: parameters, then addresses of arrays.
        parameters, arrays: what is bound, by name; scalars given as numbers are 0-d arrays.
        threads: how many threads the kernel runs on.
    """

    function: int
    slots: ctypes.Array[ctypes.c_int64]
    parameters: dict[str, int]
    arrays: dict[str, Array]
    threads: int
    owner: object  # keeps the compiled code alive

    @cached_property
    def _call(self) -> Callable[[], None]:
        entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.function)
        slots = ctypes.c_void_p(ctypes.addressof(self.slots))
        return lambda: entry(slots)

    def __call__(self) -> None:
        self._call()


class Kernel:
    """A VectorProgram compiled for this machine; made by `compile_program`. It can be pickled."""

    def __init__(self, program: VectorProgram, target: Target, threads: int, contract: bool, code: bytes) -> None:
        self.program = program
        self.target = target
        self.threads = threads
        self.contract = contract
        self.object_code = code
        self.signature = Signature(program.name, program.parameters, program.arrays)

    def __call__(self, **arguments: Argument) -> None:
        """Run the kernel, in place.

        Raises:
            KernelArgumentError: if an argument is missing or does not fit; nothing has been run then.
        """
        self.bind(**arguments)()

    def bind(self, **arguments: Argument) -> Bound:
        """Check the arguments once and return a function that runs the kernel on them, at 0.2 us a call.

        Raises:
            KernelArgumentError: as for a call.
        """
        parameters, arrays = self.signature.match(arguments)
        values = [parameters[name] for name in self.signature.parameters]
        values += [arrays[spec.name].ctypes.data for spec in self.signature.arguments]
        slots = (ctypes.c_int64 * max(1, len(values)))(*values)
        return Bound(self._loaded.addresses[self._entry], slots, parameters, arrays, self.threads, self._loaded)

    @property
    def llvm(self) -> str:
        """The LLVM IR (after optimization, where there is any)."""
        return str(jit.emit(self.program, self.target, "llvm", threads=self.threads, contract=self.contract))

    @property
    def asm(self) -> str:
        """The assembly."""
        return str(jit.emit(self.program, self.target, "asm", threads=self.threads, contract=self.contract))

    @property
    def _entry(self) -> str:
        return f"{self.program.name}.call"

    @cached_property
    def _loaded(self) -> jit.Loaded:
        return jit.load(self.object_code, (self._entry,))

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.program, self.target, self.threads, self.contract, self.object_code)


def compile_program(
    program: VectorProgram,
    *,
    target: Target | None = None,
    threads: int = 1,
    contract: bool = True,
    cache: Path | None = None,
) -> Kernel:
    """Compile a program for the machine it will run on.

    Args:
        threads: threads that parallel loops use; without libgomp they are sequential.
        contract: round "fma" operations once, as ``clang -ffp-contract=on``; else as ``off``.
        cache: a directory that keeps object code from one process to the next (`backend.config.cache_directory`).
    Raises:
        CompileError: if the code cannot be compiled or linked.
    """
    target = target or host_target()
    threads = threads if threads > 1 and jit.has_openmp() else 1
    text = print_llvm(program, target, threads=threads, contract=contract)
    jit.check_functions(text)
    code = jit.object_code(text, target, optimize=program.auto_vectorize, cache_directory=cache)
    return Kernel(program, target, threads, contract, code)


def _restore(program: VectorProgram, target: Target, threads: int, contract: bool, code: bytes) -> Kernel:
    """Take the object code along, unless this is another machine."""
    if target == host_target():
        return Kernel(program, target, threads, contract, code)
    return compile_program(program, threads=threads, contract=contract)
