"""C functions of the running process, called from Python: libm, and the fused multiply-add that Python 3.11 lacks."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable
from functools import cache

from polyloop.backend.errors import InterpreterError
from polyloop.backend.ir.expressions import F32, F64, ScalarType

_C_TYPES: dict[tuple[str, int], type] = {
    ("float", 32): ctypes.c_float,
    ("float", 64): ctypes.c_double,
    ("int", 8): ctypes.c_int8,
    ("int", 16): ctypes.c_int16,
    ("int", 32): ctypes.c_int32,
    ("int", 64): ctypes.c_int64,
    ("uint", 8): ctypes.c_uint8,
    ("uint", 16): ctypes.c_uint16,
    ("uint", 32): ctypes.c_uint32,
    ("uint", 64): ctypes.c_uint64,
}


def c_type(type_: ScalarType) -> type:
    """The ctypes type of a scalar type."""
    return _C_TYPES[type_.kind, type_.bits]


@cache
def c_function(name: str, result: ScalarType, arguments: tuple[ScalarType, ...]) -> Callable[..., int | float]:
    """The function of libm (or of anything else the process has loaded) under this C name.

    Raises:
        InterpreterError: if there is no such function.
    """
    for library in _libraries():
        try:
            function = library[name]
        except AttributeError:
            continue
        function.restype = c_type(result)
        function.argtypes = [c_type(a) for a in arguments]
        return function
    raise InterpreterError(f"no function {name!r} in libm or in this process; pass it in `functions`")


def fma(a: float, b: float, c: float, type_: ScalarType) -> float:
    """a * b + c in the given floating type, rounded once."""
    name = "fmaf" if type_ == F32 else "fma"
    return c_function(name, type_, (type_, type_, type_))(a, b, c)


def round_float(value: float, type_: ScalarType) -> float:
    """The nearest number of the type; overflow gives an infinity."""
    return value if type_ == F64 else float(ctypes.c_float(value).value)


def wrap_integer(value: int, type_: ScalarType) -> int:
    """The number of the type that is congruent to `value` (two's complement)."""
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.kind == "int" and value >> (type_.bits - 1) else value


@cache
def _libraries() -> tuple[ctypes.CDLL, ...]:
    name = ctypes.util.find_library("m")
    process = ctypes.CDLL(None)
    return (ctypes.CDLL(name), process) if name else (process,)
