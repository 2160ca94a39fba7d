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
from functools import cache, lru_cache, partial
from typing import Any, TypeAlias

import numpy as np

from polyloop.backend.errors import InterpreterError
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import polynomials
from polyloop.backend.ir.affine import Affine, affine, evaluate_condition
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, Guard, Loop, LoopNest, Node, Storage

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Number: TypeAlias = "int | float"


@dataclass
class Environment:
    """What an expression may refer to: iterators and parameters, and arrays.

    `contract`: fuse multiplications into additions as clang does by default. `partials`: what folds have come to.
    `strides`: of arrays that have them.
    """

    integers: dict[str, int]
    arrays: dict[str, Array]
    contract: bool = True
    partials: dict[str, Number] = field(default_factory=dict)
    strides: Mapping[str, list[int]] = field(default_factory=dict)


Meaning: TypeAlias = Callable[[Environment], "int | float"]


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
    strides = {
        a.name: [polynomials.evaluate(stride, parameters) for stride in a.strides] for a in nest.arrays if a.strides
    }
    environment = Environment(dict(parameters), {}, strides=strides)
    for spec in nest.arrays:
        environment.arrays[spec.name] = (
            _local_array(spec, parameters) if spec.storage is Storage.LOCAL else arrays[spec.name]
        )
    _action(nest.body, contract)(environment)


def _local_array(spec: ArraySpec, parameters: Mapping[str, int]) -> Array:
    shape = tuple(0 if extent is None else max(0, extent.evaluate(parameters)) for extent in spec.shape)
    return np.full(shape, math.nan if spec.type.is_float else 85, e.dtype_of(spec.type))


def _action(node: Node, contract: bool) -> Callable[[Environment], None]:
    """What a node does, as one function that is made once: loops come back to it for every iteration."""
    match node:
        case Loop(variable, lower, upper, step, body, _):
            inside = _action(body, contract)

            def run(environment: Environment) -> None:
                integers = environment.integers
                for value in range(lower.evaluate(integers), upper.evaluate(integers), step):
                    integers[variable] = value
                    inside(environment)

        case Block(children):
            actions = [_action(child, contract) for child in children]

            def run(environment: Environment) -> None:
                for action in actions:
                    action(environment)

        case Guard(condition, body, orelse):
            then, otherwise = _action(body, contract), _action(orelse, contract)

            def run(environment: Environment) -> None:
                (then if evaluate_condition(condition, environment.integers) else otherwise)(environment)

        case Compute(_, target, expression):
            value, place = meaning(expression, contract), _place(target, contract)

            def run(environment: Environment) -> None:
                result = value(environment)
                array, position = place(environment)
                array[position] = result

            if node.conditional and isinstance(expression, e.Select):
                return _where(meaning(expression.condition, contract), run)
    return run


def _where(condition: Meaning, run: Callable[[Environment], None]) -> Callable[[Environment], None]:
    def conditional(environment: Environment) -> None:
        if condition(environment) != 0:
            run(environment)

    return conditional


def evaluate(expression: e.Expression, environment: Environment) -> Number:
    """The value of an expression: a Python int or float that its C type represents exactly."""
    return meaning(expression, environment.contract)(environment)


@lru_cache(maxsize=4096)
def meaning(expression: e.Expression, contract: bool) -> Meaning:
    """An expression as a function of what it refers to (see `evaluate`)."""
    match expression:
        case e.Literal(value, type_):
            literal = float(value) if type_.is_float else value
            return lambda _: literal
        case e.Read(access, _):
            place = _place(access, contract)

            def read(environment: Environment) -> Number:
                array, position = place(environment)
                found: Number = array[position].item()
                return found

            return read
        case e.Index(value, type_):
            number = _number(value)
            return lambda environment: convert(number(environment.integers), type_)
        case e.Unary(operator_, operand, type_):
            one = meaning(operand, contract)
            return lambda environment: unary(operator_, one(environment), type_)
        case e.Binary(operator_, left, right, type_):
            if contract and (fused := e.contracted(expression)) is not None:
                return _fused(fused, type_)
            first, second, both = meaning(left, contract), meaning(right, contract), _operation(operator_, type_)
            return lambda environment: both(first(environment), second(environment))
        case e.Comparison(operator_, left, right):
            compared, first, second = e.COMPARISONS[operator_], meaning(left, contract), meaning(right, contract)
            return lambda environment: int(compared(first(environment), second(environment)))
        case e.Logical("&&", left, right):
            first, second = meaning(left, contract), meaning(right, contract)
            return lambda environment: int(first(environment) != 0 and second(environment) != 0)
        case e.Logical(_, left, right):
            first, second = meaning(left, contract), meaning(right, contract)
            return lambda environment: int(first(environment) != 0 or second(environment) != 0)
        case e.Select(condition, then, otherwise, _):
            asked, first, second = (meaning(part, contract) for part in (condition, then, otherwise))
            return lambda environment: (first if asked(environment) != 0 else second)(environment)
        case e.Cast(operand, type_):
            one = meaning(operand, contract)
            return lambda environment: convert(one(environment), type_)
        case e.Partial(variable, _):
            return lambda environment: environment.partials[variable]
        case e.Fold():
            return _fold(expression, contract)
        case e.OutsideCall(function, _, _):
            return partial(_outside, function)
        case e.Call(function, arguments, type_) if function in e.PRODUCTS:
            a, b, c, d = (meaning(argument, contract) for argument in arguments)
            product = partial(_fused_product if contract else _product, function, type_)
            return lambda at: product(a(at), b(at), c(at), d(at))
        case e.Call(function, arguments, type_):
            given = [meaning(argument, contract) for argument in arguments]
            called = c_function(function, type_, tuple(argument.type for argument in arguments))
            return lambda environment: convert(called(*[one(environment) for one in given]), type_)


def _fused(fused: e.Fused, type_: e.ScalarType) -> Meaning:
    a, b, c = (meaning(factor, True) for factor in (fused.a, fused.b, fused.c))
    negate_a, negate_c, once = fused.negate_a, fused.negate_c, _fma(type_)

    def result(environment: Environment) -> Number:
        x, y, z = a(environment), b(environment), c(environment)
        return once(-x if negate_a else x, y, -z if negate_c else z)

    return result


def _product(function: str, type_: e.ScalarType, *operands: Number) -> Number:
    """A part of a product of complex numbers, as the compilers' __muldc3 and __mulsc3 compute it."""
    with np.errstate(all="ignore"):
        a, b, c, d = np.array(operands, e.dtype_of(type_))
        products = ac, bd, ad, bc = a * c, b * d, a * d, b * c
        parts = ac - bd, ad + bc
        real = e.PRODUCTS[function]
        if not all(map(np.isnan, parts)):
            return float(parts[0 if real else 1])
        infinite = [any(map(np.isinf, number)) for number in ((a, b), (c, d))]
        if not any(infinite) and not any(map(np.isinf, products)):
            return math.nan
        a, b = (_limited(part, infinite[0]) for part in (a, b))
        c, d = (_limited(part, infinite[1]) for part in (c, d))
        return float(np.inf * (a * c - b * d if real else a * d + b * c))


def _fused_product(function: str, type_: e.ScalarType, *operands: Number) -> Number:
    """The same with sums that are fused with a product, as long as the real part is a number."""
    a, b, c, d = operands
    with np.errstate(all="ignore"):
        bd, bc = (round_float(float(b) * float(x), type_) for x in (d, c))
        real = _fma(type_)(a, c, -bd)
        if math.isnan(real):
            return _product(function, type_, *operands)
        return real if e.PRODUCTS[function] else _fma(type_)(a, d, bc)


def _limited(part: Any, infinite: bool) -> Any:
    """A part of a complex number as a sign, if it is infinite and `infinite`; else 0 for what is no number."""
    if infinite:
        return np.copysign(part.dtype.type(np.isinf(part)), part)
    return part.dtype.type(0) if np.isnan(part) else part


def _fold(fold: e.Fold, contract: bool) -> Meaning:
    lower, upper, initial, value = (meaning(p, contract) for p in (fold.lower, fold.upper, fold.initial, fold.value))
    variable = fold.variable

    def result(environment: Environment) -> Number:
        found = initial(environment)
        for number in range(int(lower(environment)), int(upper(environment))):
            environment.integers[variable], environment.partials[variable] = number, found
            found = value(environment)
        return found

    return result


def _outside(function: str, _: Environment) -> Number:
    raise InterpreterError(f"nothing is known of the function {function}, which is not here to be run")


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
    return _operation(operator_, type_)(left, right)


@cache
def _operation(operator_: str, type_: e.ScalarType) -> Callable[[Number, Number], Number]:
    if not type_.is_float:
        return lambda left, right: e.wrap_integer(_integer_operation(operator_, int(left), int(right)), type_)
    exact = _EXACT.get(operator_, _divide)
    if type_ == e.F64:
        return lambda left, right: float(exact(float(left), float(right)))
    return lambda left, right: round_float(exact(float(left), float(right)), type_)


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


def _divide(left: float, right: float) -> float:
    if right:
        return left / right
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


def _place(access: e.Access, contract: bool) -> Callable[[Environment], tuple[Array, tuple[int, ...]]]:
    """The array and a position that is inside it (numpy would take a negative one from the end)."""
    data = [meaning(datum.value, contract) for datum in access.data]
    numbers = [] if data else [_number(subscript) for subscript in access.subscripts]

    def located(environment: Environment) -> tuple[Array, tuple[int, ...]]:
        array, integers = environment.arrays[access.array], environment.integers
        if data:
            plain = e.affine_access(access, [affine(int(one(environment))) for one in data])
            position = tuple([subscript.evaluate(integers) for subscript in plain.subscripts])
        else:
            position = tuple([number(integers) for number in numbers])
        if (strides := environment.strides.get(access.array)) is not None:
            array, position = array.reshape(-1), (sum(map(operator.mul, position, strides)),)
        if len(position) == array.ndim:
            for place, extent in zip(position, array.shape, strict=True):
                if not 0 <= place < extent:
                    break
            else:
                return array, position
        raise InterpreterError(
            f"{access} is at {list(position)}, outside of the array's extents {list(array.shape)}"
            f" (iterators and parameters: {integers})"
        )

    return located


def _number(value: Affine) -> Callable[[Mapping[str, int]], int]:
    """An affine expression as a function; most are one variable and a constant."""
    constant = value.constant
    match value.terms:
        case ():
            return lambda _: constant
        case ((str() as name, 1),):
            return lambda integers: integers[name] + constant
        case _:
            return value.evaluate


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
    if name in e.PRODUCTS:
        return partial(_product, name, result)
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


@cache
def _fma(type_: e.ScalarType) -> Callable[..., Number]:
    return c_function("fmaf" if type_ == e.F32 else "fma", type_, (type_, type_, type_))


def round_float(value: float, type_: e.ScalarType) -> float:
    """The nearest number of the type; overflow gives an infinity."""
    return value if type_ == e.F64 else float(ctypes.c_float(value).value)


@cache
def _libraries() -> tuple[ctypes.CDLL, ...]:
    name = ctypes.util.find_library("m")
    process = ctypes.CDLL(None)
    return (ctypes.CDLL(name), process) if name else (process,)
