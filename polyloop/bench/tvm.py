"""TVM as a contestant: MetaSchedule tunes a matrix product, its kernel is called from compiled code as all others are.

Tuning runs in a process of its own (`tvm_tuner`), so that a crash of TVM's fails this contestant only.
"""

from __future__ import annotations

import ctypes
import importlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from polyloop.backend.errors import BackendError
from polyloop.backend.run.kernel import Bound
from polyloop.bench.blas import MissingContestantError, Product, bound, define_thunk
from polyloop.bench.harness import isolated_afresh
from polyloop.bench.tvm_tuner import PREFIX, SYMBOL
from polyloop.errors import PolyloopError
from polyloop.support.files import WorkFolder

TVM = "tvm"

TRIALS = 64
"""Candidates that MetaSchedule measures."""

TUNING_SECONDS = 1800.0
"""After which tuning one product is given up."""

INSTALL = "pip install apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.14.post1 xgboost"
"""Versions that work together: with the next one of apache-tvm-ffi MetaSchedule crashes."""

_CPU, _FLOAT, _TENSOR = 1, 2, 7
"""DLPack's kDLCPU and kDLFloat, and kTVMFFIDLTensorPtr."""


class _Tensor(ctypes.Structure):
    """DLPack's DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Any(ctypes.Structure):
    """TVMFFIAny: a value with its type."""

    _fields_ = (("type_index", ctypes.c_int32), ("padding", ctypes.c_uint32), ("value", ctypes.c_void_p))


def metaschedule(product: Product, threads: int) -> tuple[Bound, float]:
    """C = A B by the best of MetaSchedule's candidates, and the seconds that it tuned.

    C is not read, which is less work than ours has.

    Raises:
        MissingContestantError: where TVM is not installed, finds no kernel, or the operands are transposed.
    """
    if find_spec(TVM) is None:
        raise MissingContestantError(f"tvm is not installed ({INSTALL})")
    if any(product.transposed):
        raise MissingContestantError("tvm is asked for products of operands as they are only")
    with WorkFolder() as folder:
        library = str(Path(folder) / "product.so")
        sizes = {"m": product.m, "n": product.n, "k": product.k, "dtype": str(product.a.dtype)}
        job = sizes | {"threads": threads, "trials": TRIALS, "library": library}
        try:
            seconds = isolated_afresh("polyloop.bench.tvm_tuner:work", job, seconds=TUNING_SECONDS)
        except (PolyloopError, BackendError) as error:
            raise MissingContestantError(f"tvm: {error}") from error
        # TVM tells its library where the runtime is; the same library is opened once more for the address.
        module = importlib.import_module("tvm").runtime.load_module(library)
        opened = ctypes.CDLL(library)
    function = ctypes.cast(getattr(opened, PREFIX + SYMBOL), ctypes.c_void_p).value or 0
    tensors = [_tensor(array) for array in (product.a, product.b, product.c)]
    arguments = (_Any * len(tensors))(*(_Any(_TENSOR, 0, ctypes.addressof(each)) for each in tensors))
    result = _Any()
    slots = (function, ctypes.addressof(arguments), ctypes.addressof(result))
    owner = (module, opened, tensors, arguments, result)
    return bound(_text(len(tensors)), slots, product.arrays, threads, owner), float(seconds)


def _tensor(array: NDArray[Any]) -> _Tensor:
    size = array.itemsize
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    strides = (ctypes.c_int64 * array.ndim)(*(stride // size for stride in array.strides))
    return _Tensor(array.ctypes.data, _CPU, 0, array.ndim, _FLOAT, 8 * size, 1, shape, strides, 0)


def _text(count: int) -> str:
    """``fn(NULL, arguments, count, result)`` of the slots fn arguments result."""
    call = f"%status = call i32 %fn(ptr null, ptr %arguments, i32 {count}, ptr %result)"
    return define_thunk([("ptr", "fn arguments result")], call)
