"""The meaning of a loop nest, in plain Python: slow, obvious, and the oracle for everything that is compiled.

Numbers are Python floats and ints, brought back into their C type after every operation. For float32 that is exact:
one operation in double precision followed by a rounding to single gives what single precision gives
(Figueroa, "When is double rounding innocuous?", 1995).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from polyloop.backend.errors import InterpreterError
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import affine, evaluate_condition
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, Guard, Loop, LoopNest, Node, Storage

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Number: TypeAlias = "int | float"


@dataclass
class Environment:
    """What an expression may refer to: iterators and parameters, and arrays.

    `contract`: fuse multiplications into additions as clang does by default. `partials`: what folds have come to.
    """

    integers: dict[str, int]
    arrays: dict[str, Array]
    contract: bool = True
    partials: dict[str, Number] = field(default_factory=dict)


def interpret(
    nest: LoopNest, parameters: Mapping[str, int], arrays: Mapping[str, Array], *, contract: bool = True
) -> None:
    """Run the nest on the arrays, in place.

    Args:
        parameters: a value for each of `nest.parameters`.
        arrays: one numpy array for each ARGUMENT array, 0-d for scalars. LOCAL arrays are made here, full of
            values that show if they are read before they are written.
        contract: fuse multiply-adds as ``clang -ffp-contract=on`` does.
    Raises:
        InterpreterError: for a subscript out of bounds, an integer division by zero, an unknown function.
    """
    environment = Environment(dict(parameters), {}, contract)
    for spec in nest.arrays:
        environment.arrays[spec.name] = (
            _local_array(spec, parameters) if spec.storage is Storage.LOCAL else arrays[spec.name]
        )
    _run(nest.body, environment)


def _local_array(spec: ArraySpec, parameters: Mapping[str, int]) -> Array:
    shape = tuple(0 if extent is None else max(0, extent.evaluate(parameters)) for extent in spec.shape)
    return np.full(shape, math.nan if spec.type.is_float else 85, e.dtype_of(spec.type))


def _run(node: Node, environment: Environment) -> None:
    match node:
        case Loop(variable, lower, upper, step, body, _):
            bounds = lower.evaluate(environment.integers), upper.evaluate(environment.integers)
            for value in range(*bounds, step):
                environment.integers[variable] = value
                _run(body, environment)
        case Block(children):
            for child in children:
                _run(child, environment)
        case Guard(condition, body, orelse):
            _run(body if evaluate_condition(condition, environment.integers) else orelse, environment)
        case Compute(_, _, e.Select(condition), True) if evaluate(condition, environment) == 0:
            pass
        case Compute(_, target, expression):
            result = evaluate(expression, environment)
            array, position = _locate(target, environment)
            array[position] = result


def evaluate(expression: e.Expression, environment: Environment) -> Number:
    """The value of an expression: a Python int or float that its C type represents exactly."""
    match expression:
        case e.Literal(value, type_):
            return float(value) if type_.is_float else value
        case e.Read(access, _):
            array, position = _locate(access, environment)
            read: Number = array[position].item()
            return read
        case e.Index(value, type_):
            return convert(value.evaluate(environment.integers), type_)
        case e.Unary(operator_, operand, type_):
            return unary(operator_, evaluate(operand, environment), type_)
        case e.Binary(operator_, left, right, type_):
            if environment.contract and (fused := e.contracted(expression)) is not None:
                a, b, c = (evaluate(x, environment) for x in (fused.a, fused.b, fused.c))
                return fma(-a if fused.negate_a else a, b, -c if fused.negate_c else c, type_)
            return binary(operator_, evaluate(left, environment), evaluate(right, environment), type_)
        case e.Comparison(operator_, left, right):
            return int(e.COMPARISONS[operator_](evaluate(left, environment), evaluate(right, environment)))
        case e.Logical("&&", left, right):
            return int(evaluate(left, environment) != 0 and evaluate(right, environment) != 0)
        case e.Logical(_, left, right):
            return int(evaluate(left, environment) != 0 or evaluate(right, environment) != 0)
        case e.Select(condition, then, otherwise, _):
            return evaluate(then if evaluate(condition, environment) != 0 else otherwise, environment)
        case e.Cast(operand, type_):
            return convert(evaluate(operand, environment), type_)
        case e.Partial(variable, _):
            return environment.partials[variable]
        case e.Fold():
            return _fold(expression, environment)
        case e.OutsideCall(function, _, _):
            raise InterpreterError(f"nothing is known of the function {function}, which is not here to be run")
        case e.Call(function, arguments, type_):
            values = [evaluate(a, environment) for a in arguments]
            called = c_function(function, type_, tuple(a.type for a in arguments))
            return convert(called(*values), type_)


def _fold(fold: e.Fold, environment: Environment) -> Number:
    lower, upper = int(evaluate(fold.lower, environment)), int(evaluate(fold.upper, environment))
    result = evaluate(fold.initial, environment)
    for number in range(lower, upper):
        environment.integers[fold.variable], environment.partials[fold.variable] = number, result
        result = evaluate(fold.value, environment)
    return result


def unary(operator_: str, value: Number, type_: e.ScalarType) -> Number:
    """A unary operator of C on a value of `type_`."""
    match operator_:
        case "-":
            return -value if type_.is_float else e.wrap_integer(-int(value), type_)
        case "~":
            return e.wrap_integer(~int(value), type_)
        case _:
            return int(value == 0)


def binary(operator_: str, left: Number, right: Number, type_: e.ScalarType) -> Number:
    """A binary operator of C; both operands have `type_` (the right one of a shift may have another)."""
    if type_.is_float:
        return round_float(_float_operation(operator_, float(left), float(right)), type_)
    return e.wrap_integer(_integer_operation(operator_, int(left), int(right)), type_)


def convert(value: Number, type_: e.ScalarType) -> Number:
    """C's conversion to `type_`. Where C leaves it undefined (a float out of an integer's range), wraps."""
    if type_.is_float:
        if type_.bits == 32 and isinstance(value, int):
            # Rounded once, directly to single precision: through double it would round twice.
            wide = np.uint64 if value > 0 else np.int64
            return float(wide(value).astype(np.float32))
        return round_float(float(value), type_)
    if isinstance(value, float):
        value = math.trunc(value) if math.isfinite(value) else 0
    return e.wrap_integer(value, type_)


_EXACT: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_OF_INTEGERS = _EXACT | {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


def _float_operation(operator_: str, left: float, right: float) -> float:
    if operator_ in _EXACT:
        return float(_EXACT[operator_](left, right))
    return left / right if right else _divide_by_zero(left, right)


def _divide_by_zero(left: float, right: float) -> float:
    if left == 0 or math.isnan(left):
        return left if math.isnan(left) else -math.nan  # with the sign that x86 gives it
    return math.copysign(math.inf, left) * math.copysign(1, right)


def _integer_operation(operator_: str, left: int, right: int) -> int:
    if operator_ in _OF_INTEGERS:
        return int(_OF_INTEGERS[operator_](left, right))
    if right == 0:
        raise InterpreterError(f"integer division by zero: {left} {operator_} 0")
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return quotient if operator_ == "/" else left - quotient * right


def _locate(access: e.Access, environment: Environment) -> tuple[Array, tuple[int, ...]]:
    """The array and a position that is inside it (numpy would take a negative one from the end)."""
    array = environment.arrays[access.array]
    plain = e.affine_access(access, [affine(int(evaluate(datum.value, environment))) for datum in access.data])
    position = tuple([s.evaluate(environment.integers) for s in plain.subscripts])
    if len(position) != array.ndim or not all(0 <= p < n for p, n in zip(position, array.shape, strict=True)):
        raise InterpreterError(
            f"{access} is at {list(position)}, outside of the array's extents {list(array.shape)}"
            f" (iterators and parameters: {environment.integers})"
        )
    return array, position


# --- C functions of the running process -------------------------------------------------------------------------------
# libm, and the fused multiply-add that Python 3.11 lacks.


def c_type(type_: e.ScalarType) -> type:
    if type_.is_float:
        return ctypes.c_float if type_.bits == 32 else ctypes.c_double
    found: type = getattr(ctypes, f"c_{type_.kind}{type_.bits}")
    return found


@cache
def c_function(name: str, result: e.ScalarType, arguments: tuple[e.ScalarType, ...]) -> Callable[..., int | float]:
    """The function of libm (or of anything else the process has loaded) under this C name.

    Raises:
        InterpreterError: if there is no such function.
    """
    if name in e.BIT_COUNTS:
        return int.bit_count
    if name == e.BIT_VIEW:
        given, wanted = e.dtype_of(arguments[0]), e.dtype_of(result)
        return lambda number: np.array(number, given).view(wanted).item()
    for library in _libraries():
        try:
            function = library[name]
        except AttributeError:
            continue
        function.restype = c_type(result)
        function.argtypes = [c_type(a) for a in arguments]
        return function
    raise InterpreterError(f"no function {name!r} in libm or in this process")


def fma(a: float, b: float, c: float, type_: e.ScalarType) -> float:
    """a * b + c in the given floating type, rounded once."""
    name = "fmaf" if type_ == e.F32 else "fma"
    return c_function(name, type_, (type_, type_, type_))(a, b, c)


def round_float(value: float, type_: e.ScalarType) -> float:
    """The nearest number of the type; overflow gives an infinity."""
    return value if type_ == e.F64 else float(ctypes.c_float(value).value)


@cache
def _libraries() -> tuple[ctypes.CDLL, ...]:
    name = ctypes.util.find_library("m")
    process = ctypes.CDLL(None)
    return (ctypes.CDLL(name), process) if name else (process,)
