"""A compiled program that is called with numpy arrays and integers by name, checked against its signature."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

import numpy as np

from polyloop.backend.errors import KernelArgumentError
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import dtype_of
from polyloop.backend.ir.loop_nest import ArraySpec, LoopNest, Storage
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.llvm.printer import print_llvm
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target
from polyloop.backend.run import jit

if TYPE_CHECKING:
    from polyloop.backend.asm.facts import AssemblyFacts
    from polyloop.backend.ir.interpreter import Array
    from polyloop.backend.run.fast_call import FastCall


# --- What a kernel is called with: every refusal says what was expected and what came ---------------------------------


Argument: TypeAlias = "Array | int | float | np.generic"


@dataclass(frozen=True)
class Signature:
    """The parameters and ARGUMENT arrays of a kernel, in the order of the calling convention."""

    name: str
    parameters: tuple[str, ...]
    arrays: tuple[ArraySpec, ...]
    assume_noalias: bool = False  # the caller answers for arrays that do not overlap: it is not looked at
    preferred: tuple[str, ...] = ()  # what comes first in `order`; names that the kernel does not have are passed over

    @property
    def arguments(self) -> tuple[ArraySpec, ...]:
        return tuple(a for a in self.arrays if a.storage is Storage.ARGUMENT)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Names of all parameters and array arguments, as they come without a name."""
        names = (*self.parameters, *(a.name for a in self.arguments))
        first = tuple(name for name in self.preferred if name in names)
        return first + tuple(name for name in names if name not in first)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.order)})"

    def by_name(
        self, positional: Sequence[Argument], named: Mapping[str, Argument | tuple[Argument, ...]]
    ) -> dict[str, Argument]:
        """All arguments of a call by their names.

        Args:
            positional: in the order of `order` without what is given as `out`; without all parameters where a
                parameter would have to be something else than an integer.
            named: names; "out" (if no argument is called so) is what the kernel writes, several as a tuple.
        Raises:
            KernelArgumentError: if there are too many, or one is given twice.
        """
        given = dict(named)
        if "out" in given and "out" not in self.order:
            out = given.pop("out")
            written = [a.name for a in self.arguments if not a.read_only]
            outs = out if isinstance(out, tuple) else (out,)
            if len(outs) != len(written):
                raise self._error(f"writes {_listed(written)}, so out= takes {len(written)} arrays, not {len(outs)}")
            self._add(given, zip(written, outs, strict=True))
        names = [name for name in self.order if name not in given or name in named]
        called = zip(names, positional, strict=False)
        if others := [(n, v) for n, v in called if n in self.parameters and not _is_integer(v)]:
            fewer = [name for name in names if name not in self.parameters]
            if len(fewer) < len(positional) <= len(names) and not isinstance(others[0][1], np.ndarray):
                raise self._no_integer(*others[0])
            names = fewer
        if len(positional) > len(names):
            raise self._error(f"takes {len(names)} arguments without a name ({_listed(names)}), not {len(positional)}")
        self._add(given, zip(names, positional, strict=False))
        return {name: self._one(name, value) for name, value in given.items()}

    def _add(self, given: dict[str, Argument | tuple[Argument, ...]], more: Iterable[tuple[str, Argument]]) -> None:
        for name, value in more:
            if name in given:
                raise self._error(f"is given {name!r} twice")
            given[name] = value

    def _one(self, name: str, value: Argument | tuple[Argument, ...]) -> Argument:
        if isinstance(value, tuple):
            raise self._error(f"takes one value for {name}, not a tuple")
        return value

    def match(self, given: Mapping[str, Argument]) -> tuple[dict[str, int], dict[str, Array]]:
        """Values of all parameters, and an array for each array argument.

        A parameter that is not given is taken from an array's extent that is this parameter plus a constant. A
        scalar that the kernel only reads may be a Python number; one that it writes must be a 0-d array.

        Raises:
            KernelArgumentError: if an argument is missing, unknown, or does not fit.
        """
        known = {*self.parameters, *(a.name for a in self.arguments)}
        if unknown := [name for name in given if name not in known]:
            raise self._error(f"has no argument {unknown[0]!r}; its arguments are {_listed(self.order)}")
        if missing := [a.name for a in self.arguments if a.name not in given]:
            raise self._error(f"misses its argument {missing[0]!r}; its arguments are {_listed(self.order)}")
        arrays = {spec.name: self._array(spec, given[spec.name]) for spec in self.arguments}
        parameters = {name: self._parameter(name, given, arrays) for name in self.parameters}
        for spec in self.arguments:
            self._check_shape(spec, arrays[spec.name], parameters)
        if not self.assume_noalias:
            self._check_overlap(arrays)
        return parameters, arrays

    def check_parameters(self, sizes: Mapping[str, int]) -> None:
        """
        Raises:
            KernelArgumentError: unless exactly the parameters have a value.
        """
        missing = [name for name in self.parameters if name not in sizes]
        unknown = [name for name in sizes if name not in self.parameters]
        if missing or unknown:
            wrong = f"misses its parameter {missing[0]!r}" if missing else f"has no parameter {unknown[0]!r}"
            raise self._error(f"{wrong}; its parameters are {_listed(self.parameters)}")

    def _error(self, text: str) -> KernelArgumentError:
        return KernelArgumentError(f"kernel {self.name} {text}")

    def _parameter(self, name: str, given: Mapping[str, Argument], arrays: Mapping[str, Array]) -> int:
        if name in given:
            value = given[name]
            if _is_integer(value):
                if not -(2**63) <= int(value) < 2**63:
                    raise self._error(f"takes {name} as a 64-bit integer; {value} does not fit")
                return int(value)
            raise self._no_integer(name, value)
        for spec in self.arguments:
            shape = arrays[spec.name].shape
            if spec.strides is not None:
                # Rows of as many dimensions as there are subscripts say how far elements lie apart.
                for place, stride in enumerate(spec.strides if len(shape) == len(spec.strides) else ()):
                    if stride == (((name,), 1),):
                        return prod(shape[place + 1 :])
                continue
            for extent, found in zip(spec.shape, shape, strict=True):
                match extent:
                    case Affine(((variable, 1),), constant) if variable == name:
                        return int(found) - constant
        raise self._error(f"misses its parameter {name!r}, which no array's shape determines")

    def _no_integer(self, name: str, value: object) -> KernelArgumentError:
        return self._error(f"takes an integer for {name}, not {_described(value)}")

    def _array(self, spec: ArraySpec, value: Argument) -> Array:
        dtype = dtype_of(spec.type)
        if not spec.shape and not isinstance(value, np.ndarray):
            return self._scalar(spec, value)
        if not isinstance(value, np.ndarray):
            raise self._error(f"takes a numpy array of {dtype} for {spec.name}, not {_described(value)}")
        if value.dtype != dtype:
            raise self._error(f"takes {spec.name} as an array of {dtype}, not of {value.dtype}")
        if value.ndim != len(spec.shape) and spec.strides is None:
            raise self._error(f"takes {spec.name} with {len(spec.shape)} dimensions, not with {value.ndim}")
        if not value.flags.c_contiguous:
            way = f"pass numpy.ascontiguousarray({spec.name})"
            way = way if spec.read_only else "copy it there and back"
            raise self._error(f"takes {spec.name} in C order without gaps; {way}")
        if not value.flags.aligned:
            raise self._error(f"takes {spec.name} aligned to its elements; pass a copy")
        if not (spec.read_only or value.flags.writeable):
            raise self._error(f"writes to {spec.name}, but the array is read-only")
        return value

    def _scalar(self, spec: ArraySpec, value: Argument) -> Array:
        if not spec.read_only:
            raise self._error(
                f"writes to the scalar {spec.name}; pass a 0-d array to see the result, such as "
                f"numpy.array(..., numpy.{dtype_of(spec.type)})"
            )
        integral = isinstance(value, (int, np.integer))
        if not (integral or (spec.type.is_float and isinstance(value, (float, np.floating)))):
            raise self._error(f"takes a number of type {dtype_of(spec.type)} for {spec.name}, not {_described(value)}")
        try:
            return np.array(value, dtype_of(spec.type))
        except OverflowError:
            raise self._error(f"takes {spec.name} as {dtype_of(spec.type)}; {value} does not fit") from None

    def _check_shape(self, spec: ArraySpec, array: Array, parameters: Mapping[str, int]) -> None:
        if spec.strides is not None:
            return  # memory of whatever shape
        expected = [None if extent is None else extent.evaluate(parameters) for extent in spec.shape]
        if all(want is None or want == have for want, have in zip(expected, array.shape, strict=True)):
            return
        formula = ", ".join("any" if extent is None else str(extent) for extent in spec.shape)
        wanted = ", ".join("any" if extent is None else str(extent) for extent in expected)
        values = "".join(f" for {p} = {v}" if n == 0 else f", {p} = {v}" for n, (p, v) in enumerate(parameters.items()))
        shape = f"({formula})" + (f", that is ({wanted}){values}" if parameters else "")
        raise self._error(f"takes {spec.name} of shape {shape}; it has {array.shape}")

    def _check_overlap(self, arrays: Mapping[str, Array]) -> None:
        """Compiled code assumes that what it writes is no other array. C-ordered arrays overlap if their bounds do."""
        spans = [
            (spec, arrays[spec.name].ctypes.data, arrays[spec.name].ctypes.data + arrays[spec.name].nbytes)
            for spec in self.arguments
        ]
        for (first, start, end), (second, other_start, other_end) in combinations(spans, 2):
            both_read = first.read_only and second.read_only
            if not both_read and max(start, other_start) < min(end, other_end):
                raise self._error(f"takes arrays that do not overlap; {first.name} and {second.name} share memory")


def _is_integer(value: object) -> TypeGuard[int | np.integer[Any]]:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"


def _described(value: object) -> str:
    return f"{value!r} ({type(value).__name__})" if isinstance(value, (int, float, str)) else type(value).__name__


# --- Kernels ----------------------------------------------------------------------------------------------------------


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
        prepare, finish: addresses of what is called, likewise, before and after any number of calls; 0: of nothing.
    """

    function: int = field(repr=False)
    slots: ctypes.Array[ctypes.c_int64] = field(repr=False)
    parameters: dict[str, int]
    arrays: dict[str, Array] = field(repr=False)
    threads: int
    owner: object = field(repr=False)  # keeps the compiled code alive
    prepare: int = field(default=0, repr=False)
    finish: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        # Made here, so that a call is one function call and nothing else.
        object.__setattr__(self, "_entry", _ENTRY(self.function))
        object.__setattr__(self, "_pointer", ctypes.c_void_p(ctypes.addressof(self.slots)))

    def __call__(self) -> None:
        self._entry(self._pointer)  # type: ignore[attr-defined]

    @contextmanager
    def prepared(self) -> Iterator[None]:
        """Calls within find their data where they look for it, and leave it in the arrays."""
        if self.prepare:
            _ENTRY(self.prepare)(self._pointer)  # type: ignore[attr-defined]
        yield
        if self.finish:
            _ENTRY(self.finish)(self._pointer)  # type: ignore[attr-defined]


_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


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
        return self._program if isinstance(self._program, VectorProgram) else self._program.program

    @property
    def threads(self) -> int:
        """How many threads parallel loops run on."""
        return self.settings.threads

    def __call__(self, /, *positional: Argument, **named: Argument | tuple[Argument, ...]) -> None:
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

    def bind(self, /, *positional: Argument, **named: Argument | tuple[Argument, ...]) -> Bound:
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
        from polyloop.backend.run.fast_call import make_fast_call  # only of a call

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
        return self._text("asm")

    def report(self, /, **sizes: int) -> Report:
        """What a run for these parameters computes and moves, and what the code looks like.

        Raises:
            KernelArgumentError: for a parameter that is missing or unknown.
        """
        from polyloop.backend.ir.counting import compulsory_bytes, nest_operations  # only of a report

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
        threads: threads that parallel loops use, of libgomp or of a pool of our own (`jit`).
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
    library = jit.has_vector_library()
    text = print_llvm(program, target, threads=threads, contract=contract, vector_library=library)
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
