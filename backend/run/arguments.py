"""What a kernel is called with, checked against its signature; every refusal says what was expected and what came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from polyloop.backend.errors import KernelArgumentError
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.interpreter import Array, dtype_of
from polyloop.backend.ir.loop_nest import ArraySpec, Storage

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
        names = tuple(self._names())
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
        if any(n in self.parameters and not _is_integer(v) for n, v in zip(names, positional, strict=False)):
            names = [name for name in names if name not in self.parameters]
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

    def _names(self) -> Sequence[str]:
        return (*self.parameters, *(a.name for a in self.arguments))

    def _error(self, text: str) -> KernelArgumentError:
        return KernelArgumentError(f"kernel {self.name} {text}")

    def _parameter(self, name: str, given: Mapping[str, Argument], arrays: Mapping[str, Array]) -> int:
        if name in given:
            value = given[name]
            if _is_integer(value):
                if not -(2**63) <= int(value) < 2**63:
                    raise self._error(f"takes {name} as a 64-bit integer; {value} does not fit")
                return int(value)
            raise self._error(f"takes an integer for {name}, not {_described(value)}")
        for spec in self.arguments:
            for extent, found in zip(spec.shape, arrays[spec.name].shape, strict=True):
                match extent:
                    case Affine(((variable, 1),), constant) if variable == name:
                        return int(found) - constant
        raise self._error(f"misses its parameter {name!r}, which no array's shape determines")

    def _array(self, spec: ArraySpec, value: Argument) -> Array:
        dtype = dtype_of(spec.type)
        if not spec.shape and not isinstance(value, np.ndarray):
            return self._scalar(spec, value)
        if not isinstance(value, np.ndarray):
            raise self._error(f"takes a numpy array of {dtype} for {spec.name}, not {_described(value)}")
        if value.dtype != dtype:
            raise self._error(f"takes {spec.name} as an array of {dtype}, not of {value.dtype}")
        if value.ndim != len(spec.shape):
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
