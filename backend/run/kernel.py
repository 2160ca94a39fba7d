"""A compiled program that is called with numpy arrays and integers by name."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from polyloop.backend.ir.counting import compulsory_bytes, nest_operations
from polyloop.backend.ir.interpreter import Array
from polyloop.backend.ir.loop_nest import ArraySpec, LoopNest
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.llvm.printer import print_llvm
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target
from polyloop.backend.run import jit
from polyloop.backend.run.arguments import Argument, Signature
from polyloop.backend.run.fast_call import FastCall, make_fast_call

if TYPE_CHECKING:
    from polyloop.backend.asm.facts import AssemblyFacts

TIERS = ("ir", "assembly")
_OUT = {"out"}


@dataclass(frozen=True)
class Bound:
    """A kernel with its arguments: calling it runs the kernel on them.

    Attributes:
        function: address of the compiled ``void (slots)``.
        slots: the arguments, 8 bytes each: parameters, then addresses of arrays.
        parameters, arrays: what is bound, by name; scalars given as numbers are 0-d arrays.
        threads: how many threads the kernel runs on.
    """

    function: int = field(repr=False)
    slots: ctypes.Array[ctypes.c_int64] = field(repr=False)
    parameters: dict[str, int]
    arrays: dict[str, Array] = field(repr=False)
    threads: int
    owner: object = field(repr=False)  # keeps the compiled code alive

    def __post_init__(self) -> None:
        # Made here, so that a call is one function call and nothing else.
        object.__setattr__(self, "_entry", ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.function))
        object.__setattr__(self, "_pointer", ctypes.c_void_p(ctypes.addressof(self.slots)))

    def __call__(self) -> None:
        self._entry(self._pointer)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Settings:
    """How a program is compiled and called; see `compile_program`."""

    threads: int = 1
    contract: bool = True
    assume_noalias: bool = False
    order: tuple[str, ...] = ()
    tier: str = "ir"


@dataclass(frozen=True)
class Report:
    """A kernel in figures.

    Attributes:
        flops: arithmetic operations of one run; None for a kernel that was made from a vector program.
        bytes: what one run moves at least (`counting.compulsory_bytes`); None where it is not known.
        registers: different vector registers that the code uses.
        spills: stores and loads of register contents on the stack inside of loops (`assembly_facts`).
    """

    name: str
    flops: int | None
    bytes: int | None
    registers: int
    spills: int

    @property
    def arithmetic_intensity(self) -> float | None:
        """Operations for each byte that has to move."""
        return self.flops / self.bytes if self.flops is not None and self.bytes else None


class ToBePlanned(Protocol):
    """Stands for a program that is planned only when somebody wants to see it; see `nest_kernel`."""

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> tuple[str, ...]: ...
    @property
    def arrays(self) -> tuple[ArraySpec, ...]: ...
    @property
    def nest(self) -> LoopNest: ...
    @property
    def program(self) -> VectorProgram: ...


class Kernel:
    """A VectorProgram compiled for this machine; made by `compile_program`. It can be pickled."""

    def __init__(self, program: VectorProgram | ToBePlanned, target: Target, settings: Settings, code: bytes) -> None:
        self._program = program
        self.target = target
        self.settings = settings
        self.object_code = code
        self.signature = Signature(
            program.name, program.parameters, program.arrays, settings.assume_noalias, settings.order
        )
        self._fast: FastCall | None = None

    def __repr__(self) -> str:
        return f"<Kernel {self.signature}>"

    @property
    def program(self) -> VectorProgram:
        """What was compiled."""
        return self._program if isinstance(self._program, VectorProgram) else self._program.program

    @property
    def threads(self) -> int:
        """How many threads parallel loops run on."""
        return self.settings.threads

    def __call__(self, *positional: Argument, **named: Argument | tuple[Argument, ...]) -> None:
        """Run the kernel, in place: ``kernel(A, B, out=C)``, ``kernel(A, B, C)`` or ``kernel(A=A, B=B, C=C)``.

        Arguments without a name come in the order of `signature.order`; parameters may be left out where shapes tell
        them. `out` is what the kernel writes, several arrays as a tuple; an argument that is itself called out comes
        first. Arrays like those of the call before are checked by compiled code, at half a microsecond.

        Raises:
            KernelArgumentError: if an argument is missing or does not fit; nothing has been run then.
        """
        fast = self._fast
        if fast is None or fast.entry(fast.pointer, self._in_order(positional, named) if named else positional):
            self._call_checked(positional, named)

    def bind(self, *positional: Argument, **named: Argument | tuple[Argument, ...]) -> Bound:
        """Check the arguments once and return a function that runs the kernel on them, at 0.15 us a call.

        Raises:
            KernelArgumentError: as for a call.
        """
        parameters, arrays = self.signature.match(self.signature.by_name(positional, named))
        values = [parameters[name] for name in self.signature.parameters]
        values += [arrays[spec.name].ctypes.data for spec in self.signature.arguments]
        slots = (ctypes.c_int64 * max(1, len(values)))(*values)
        return Bound(self._loaded.addresses[self._entry], slots, parameters, arrays, self.threads, self._loaded)

    def _call_checked(
        self, positional: tuple[Argument, ...], named: Mapping[str, Argument | tuple[Argument, ...]]
    ) -> None:
        bound = self.bind(*positional, **named)
        bound()
        given = self._in_order(positional, named)
        if len(given) == len(bound.arrays) and all(type(value) is np.ndarray for value in given):
            self._fast = self._fast_call(bound)

    def _in_order(
        self, positional: tuple[Argument, ...], named: Mapping[str, Argument | tuple[Argument, ...]]
    ) -> tuple[object, ...]:
        """All arrays of a call in their order; nothing, where it has more than these or another form."""
        if not named:
            return positional
        if named.keys() == _OUT and self._out_is_last:
            return (*positional, named["out"])
        if positional or named.keys() != self._array_names.keys():
            return ()
        return tuple([named[name] for name in self._array_names])

    def _fast_call(self, bound: Bound) -> FastCall | None:
        """What the next call of this form takes, where its arrays look the same."""
        slots = {a.name: len(bound.parameters) + n for n, a in enumerate(self.signature.arguments)}
        written = {a.name for a in self.signature.arguments if not a.read_only}
        arrays = [(bound.arrays[name], slots[name], name in written) for name in self._array_names]
        values = [bound.parameters[name] for name in self.signature.parameters]
        return make_fast_call(bound.function, values, arrays, overlap=self.signature.assume_noalias)

    @cached_property
    def _array_names(self) -> dict[str, None]:
        """In the order of a call without names."""
        return {name: None for name in self.signature.order if name not in self.signature.parameters}

    @cached_property
    def _out_is_last(self) -> bool:
        """Whether ``kernel(A, B, out=C)`` is ``kernel(A, B, C)``."""
        written = [a.name for a in self.signature.arguments if not a.read_only]
        return len(written) == 1 and list(self._array_names)[-1:] == written and "out" not in self.signature.order

    @property
    def llvm(self) -> str:
        """The LLVM IR (after optimization, where there is any)."""
        return self._text("llvm")

    @property
    def asm(self) -> str:
        """The assembly."""
        return self._text("asm")

    def report(self, **sizes: int) -> Report:
        """What a run for these parameters computes and moves, and what the code looks like.

        Raises:
            KernelArgumentError: for a parameter that is missing or unknown.
        """
        self.signature.check_parameters(sizes)
        nest = None if isinstance(self._program, VectorProgram) else self._program.nest
        return Report(
            name=self._program.name,
            flops=None if nest is None else nest_operations(nest, sizes),
            bytes=None if nest is None else compulsory_bytes(nest, sizes),
            registers=self._facts.registers,
            spills=self._facts.spills,
        )

    @cached_property
    def _facts(self) -> AssemblyFacts:
        from polyloop.backend.asm.facts import assembly_facts  # only of a report

        return assembly_facts(self._text("asm", comments=True))

    def _text(self, kind: str, comments: bool = False) -> str:
        threads, contract = self.settings.threads, self.settings.contract
        if kind == "asm" and (own := _assembly(self.program, self.target, self.settings)) is not None:
            return own
        made = jit.emit(self.program, self.target, kind, threads=threads, contract=contract, comments=comments)
        return str(made)

    @property
    def _entry(self) -> str:
        return f"{self._program.name}.call"

    @cached_property
    def _loaded(self) -> jit.Loaded:
        return jit.load(self.object_code, (self._entry,))

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self._program, self.target, self.settings, self.object_code)


def compile_program(
    program: VectorProgram,
    *,
    target: Target | None = None,
    threads: int = 1,
    contract: bool = True,
    cache: Path | None = None,
    assume_noalias: bool = False,
    order: tuple[str, ...] = (),
    tier: str = "ir",
) -> Kernel:
    """Compile a program for the machine it will run on.

    Args:
        threads: threads that parallel loops use, of libgomp or of a pool of our own (`threads`).
        contract: round "fma" operations once, as ``clang -ffp-contract=on``; else as ``off``.
        cache: a directory that keeps object code from one process to the next (`backend.config.cache_directory`).
        assume_noalias: the caller answers for arrays that do not overlap; calls do not test it.
        order: names of parameters and arrays as positional arguments come; by default as in the program.
        tier: "ir", or "assembly" for programs that `print_asm` takes (others go through IR): compiled in a third of
            the time, and about as fast.
    Raises:
        CompileError: if the code cannot be compiled or linked.
    """
    target = target or host_target()
    threads = max(1, threads)
    settings = Settings(threads, contract, assume_noalias, order, tier)
    assembly = _assembly(program, target, settings)
    if assembly is not None:
        from polyloop.backend.asm.printer import assembly_module

        module = assembly_module(assembly, target)
        code = jit.object_code(module, target, optimize=False, cache_directory=cache, assembled=True)
        return Kernel(program, target, settings, code)
    text = print_llvm(program, target, threads=threads, contract=contract)
    jit.check_functions(text)
    code = jit.object_code(text, target, optimize=program.auto_vectorize, cache_directory=cache)
    return Kernel(program, target, replace(settings, tier="ir"), code)


def _assembly(program: VectorProgram, target: Target, settings: Settings) -> str | None:
    """The program's own assembly, where it is asked for and to be had."""
    if settings.tier not in TIERS:
        raise ValueError(f"tier is {settings.tier!r}; it must be one of {', '.join(TIERS)}")
    if settings.tier == "ir" or settings.threads > 1:
        return None
    # Most kernels are of the other tier, and do without the printer.
    from polyloop.backend.asm.printer import print_asm
    from polyloop.backend.asm.text import NotPrintableError

    try:
        return print_asm(program, target, contract=settings.contract)
    except NotPrintableError:
        return None


def _restore(program: VectorProgram | ToBePlanned, target: Target, settings: Settings, code: bytes) -> Kernel:
    """Take the object code along, unless this is another machine."""
    if target == host_target():
        return Kernel(program, target, settings, code)
    return compile_program(program if isinstance(program, VectorProgram) else program.program, **asdict(settings))
