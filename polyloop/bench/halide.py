"""Halide as a contestant: the autoscheduler Adams2019 gives one schedule, its kernel is called from compiled code as
all others are.

References:
    Adams et al., "Learning to Optimize Halide with Tree Search and Random Programs", SIGGRAPH 2019. The weights of its
    cost model are those that the package brings.
"""

from __future__ import annotations

import ctypes
import importlib
import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from polyloop.backend.errors import BackendError
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import Binary, Expression, Read
from polyloop.backend.run.kernel import Bound
from polyloop.bench.blas import MissingContestantError, bound, define_thunk
from polyloop.bench.harness import isolated_afresh, refusing
from polyloop.errors import PolyloopError
from polyloop.scop.model import Scop
from polyloop.support.compilers import SHARED, build, user_compiler
from polyloop.support.files import WorkFolder

HALIDE = "halide"

VARIABLE = "HL_TARGET"
"""The processor that Halide generates code for."""

_SYMBOL = "polyloop_halide"
_SECONDS = 120.0


class _Dimension(ctypes.Structure):
    """halide_dimension_t."""

    _fields_ = (
        ("min", ctypes.c_int32),
        ("extent", ctypes.c_int32),
        ("stride", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
    )


class _Buffer(ctypes.Structure):
    """halide_buffer_t."""

    _fields_ = (
        ("device", ctypes.c_uint64),
        ("interface", ctypes.c_void_p),
        ("host", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("dimensions", ctypes.c_int32),
        ("dim", ctypes.POINTER(_Dimension)),
        ("padding", ctypes.c_void_p),
    )


def installed() -> bool:
    """Whether Halide's package is there."""
    return find_spec(HALIDE) is not None


def kernels() -> str | None:
    """The processor that it is told to generate code for; None where it takes this one."""
    return os.environ.get(VARIABLE)


def adams2019(scop: Scop, arrays: Mapping[str, NDArray[Any]], threads: int) -> Bound:
    """A tensor program of one statement, as Adams2019 schedules it.

    What the statement adds to is not read, which is less work than ours has.

    Args:
        arrays: by name, those of the program.
    Raises:
        MissingContestantError: where Halide is not installed, or has no kernel for the program.
    """
    if not installed():
        raise MissingContestantError("halide is not installed (pip install halide)")
    if len(scop.statements) != 1:
        raise MissingContestantError("halide is asked for programs of one statement only")
    (statement,) = scop.statements
    target = statement.target.array
    names = [*dict.fromkeys(read.array for read in statement.reads if read.array != target), target]
    largest = [int(statement.domain.dim_max_val(k).to_python()) for k in range(len(statement.iterators))]
    job: dict[str, Any] = {"value": statement.value, "target": statement.target, "threads": threads}
    job |= {"extents": {name: n + 1 for name, n in zip(statement.iterators, largest, strict=True)}}
    job |= {"shapes": {name: arrays[name].shape for name in names}, "dtype": str(arrays[target].dtype)}
    with WorkFolder() as folder:
        job["object"], library = str(Path(folder) / "kernel.o"), Path(folder) / "kernel.so"
        try:
            isolated_afresh(f"{__name__}:work", job, seconds=_SECONDS)
            build(user_compiler("cc"), [Path(job["object"])], library, (*SHARED, "-ldl", "-lpthread"))
        except (PolyloopError, BackendError) as error:
            raise MissingContestantError(f"halide: {error}") from error
        opened = ctypes.CDLL(str(library))
    opened.halide_set_num_threads(threads)
    buffers = [_buffer(arrays[name]) for name in names]
    slots = (ctypes.cast(opened[_SYMBOL], ctypes.c_void_p).value or 0, *map(ctypes.addressof, buffers))
    return bound(_text(len(names)), slots, {name: arrays[name] for name in names}, threads, (opened, buffers))


def _buffer(array: NDArray[Any]) -> _Buffer:
    """Halide's first dimension is the one that is contiguous."""
    size = array.itemsize
    pairs = zip(reversed(array.shape), reversed(array.strides), strict=True)
    dimensions = (_Dimension * array.ndim)(*(_Dimension(0, n, stride // size, 0) for n, stride in pairs))
    return _Buffer(host=array.ctypes.data, code=2, bits=8 * size, lanes=1, dimensions=array.ndim, dim=dimensions)


def _text(count: int) -> str:
    names = [f"b{k}" for k in range(count)]
    arguments = ", ".join(f"ptr %{name}" for name in names)
    return define_thunk([("ptr", " ".join(["fn", *names]))], f"%status = call i32 %fn({arguments})")


# --- in a process of its own ------------------------------------------------------------------------------------------


@refusing
def work(job: Mapping[str, Any]) -> None:
    """Schedule and compile.

    Args:
        job: "value" and "target" of a statement, "extents" of its loops, "shapes" of its arrays (the target's last),
            their "dtype", "threads", and where the "object" file goes.
    Raises:
        PolyloopError: for what Halide refuses.
    """
    hl = importlib.import_module(HALIDE)
    try:
        _work(hl, job)
    except hl.HalideError as error:
        raise PolyloopError(str(error)) from error


def _work(hl: Any, job: Mapping[str, Any]) -> None:
    type_ = hl.Float(64 if job["dtype"] == "float64" else 32)
    *operands, (result, extents) = job["shapes"].items()
    parameters = {}
    for name, shape in operands:
        parameters[name] = parameter = hl.ImageParam(type_, len(shape), name)
        stride = 1
        for k, extent in enumerate(reversed(shape)):
            parameter.dim(k).set_bounds(0, extent).set_stride(stride)
            stride *= extent
        parameter.set_estimates([(0, extent) for extent in reversed(shape)])
    free = [str(each) for each in job["target"].subscripts]
    summed = {name: extent for name, extent in job["extents"].items() if name not in free}
    domain = hl.RDom([(0, extent) for extent in summed.values()], "r")
    variables = {name: hl.Var(name) for name in free} | {name: domain[k] for k, name in enumerate(summed)}
    function, at = hl.Func(result), [variables[name] for name in reversed(free)]
    function[tuple(at)] = hl.cast(type_, 0)
    function[tuple(at)] += _value(job["value"], parameters, variables)
    function.set_estimates([(0, extent) for extent in reversed(extents)])
    for k, extent in enumerate(reversed(extents)):
        function.output_buffer().dim(k).set_bounds(0, extent)
    folder = Path(hl.__file__).parent
    hl.load_plugin(str(next(folder.rglob("libautoschedule_adams2019.*"))))
    target, pipeline = hl.get_target_from_environment(), hl.Pipeline(function)
    pipeline.apply_autoscheduler(target, hl.AutoschedulerParams("Adams2019", {"parallelism": str(job["threads"])}))
    outputs = {hl.OutputFileType.object: job["object"]}
    pipeline.compile_to(outputs, list(parameters.values()), _SYMBOL, target)


def _value(node: Expression, parameters: Mapping[str, Any], variables: Mapping[str, Any]) -> Any:
    """In Halide's words what a statement adds to its target, which is none of the parameters."""
    match node:
        case Binary(operator="+", left=Read(access=access), right=right) if access.array not in parameters:
            return _value(right, parameters, variables)
        case Binary(operator="*", left=left, right=right):
            return _value(left, parameters, variables) * _value(right, parameters, variables)
        case Read(access=access) if access.array in parameters:
            index = [_index(each, variables) for each in reversed(access.subscripts)]
            return parameters[access.array][tuple(index)]
    raise PolyloopError(f"halide is asked for sums of products only, not for {node}")


def _index(subscript: Affine, variables: Mapping[str, Any]) -> Any:
    value: Any = subscript.constant
    for atom, factor in subscript.terms:
        value = value + variables[str(atom)] * factor
    return value
