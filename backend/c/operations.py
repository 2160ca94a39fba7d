"""Operations of a VectorProgram as C expressions.

An `Operand` is a value's C text. Constants and broadcasts have no variable: they are repeated where they are used, as
scalars where GNU C broadcasts them by itself (next to a real vector), else as compound literals.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from polyloop.backend.c.arrays import ArrayPrinter
from polyloop.backend.c.helpers import Helper
from polyloop.backend.c.text import (
    AffinePrinter,
    bare,
    is_atomic,
    is_operand,
    literal,
    scalar_name,
    shuffle,
    vector_name,
)
from polyloop.backend.c.vectors import (
    FOLDS,
    GROUP_SUMS,
    conversion_name,
    fits_register,
    integer_lanes,
    is_one_conversion,
    product_of_halves,
)
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, Max, affine, at_least, maximum
from polyloop.backend.ir.expressions import BIT_COUNTS, BIT_VIEW, F32, F64, I32, I64, PRODUCTS, U32, ScalarType
from polyloop.backend.ir.vector_program import Load, Operation, Store, ValueType

# C math functions that are one SIMD instruction on most targets.
_LANEWISE = {
    name + suffix: (name, bits)
    for name in ("sqrt", "fabs", "floor", "ceil", "trunc")
    for suffix, bits in (("", 64), ("f", 32))
}
_LANEWISE |= {name: ("popcount", type_.bits) for name, type_ in BIT_COUNTS.items()}
_LONG = 24
"""Characters of a scalar that is not repeated for each of four lanes."""


@dataclass(frozen=True)
class Operand:
    """C text of a value.

    Attributes:
        text: an expression; of a mask, lanes of 0 or -1 in `mask`'s type.
        type: the value's type.
        mask: the type of a comparison's result as GNU C makes it.
        scalar: what every lane equals, where it is the same scalar text.
        repeatable: cheap and free of side effects: no variable is needed.
        mutable: the text is a variable that a loop may update.
        halves: the kinds of integers of 32 bits that hold its numbers of 64 for certain.
    """

    text: str
    type: ValueType
    mask: ValueType | None = None
    scalar: str | None = None
    repeatable: bool = False
    mutable: bool = False
    halves: frozenset[str] = frozenset()

    @property
    def stored(self) -> ValueType:
        """The type of a variable that holds the text."""
        return self.mask or self.type

    @property
    def atomic(self) -> bool:
        return is_atomic(self.text)


def bracket(text: str) -> str:
    """C text that stays one operand wherever it is put."""
    return text if is_atomic(text) else f"({text})"


_ENDS = {"int": range(-(2**31), 2**31), "uint": range(2**32)}


def _halves(source: ScalarType, target: ScalarType) -> frozenset[str]:
    """The kinds of integers of 32 bits that hold what is converted."""
    if target.is_float or source.is_float or target.bits < 64 or source.bits > 32:
        return frozenset()
    return frozenset((source.kind,) if source.bits == 32 or source.kind == "int" else ("int", "uint"))


def _argument(text: str) -> str:
    """A value as a macro's argument: commas in braces would part it."""
    return f"({bare(text)})" if re.search(r"\{[^{}]*,", text) else bare(text)


class OperationPrinter:
    """Expressions of one function; `helpers` collects what they need.

    Args:
        fenced: the compiler must not see through scalars' rounding to float.
        loose: vectors of some functions need not be exact.
        variable: makes a variable with the value of an expression, and returns its name.
    """

    def __init__(
        self,
        arrays: ArrayPrinter,
        affine: AffinePrinter,
        helpers: set[Helper],
        fenced: bool,
        loose: bool,
        variable: Callable[[str, ValueType], str],
    ) -> None:
        self._arrays = arrays
        self._affine = affine
        self._helpers = helpers
        self._fenced = fenced
        self._loose = loose
        self._variable = variable

    def use(self, type_: ValueType) -> str:
        """The type's C name; a vector's is put into the prelude."""
        if type_.lanes > 1:
            self._helpers.add(Helper("type", type_))
        return vector_name(type_)

    def value(self, operand: Operand) -> str:
        """The operand as a value of its own type: masks become 0 and 1."""
        if operand.mask is None:
            return operand.text
        return f"-{self._convert(operand.text, operand.mask, operand.type)}"

    def plain(self, operation: Operation, env: dict[str, Operand]) -> str:
        return self.value(self.operand(operation, env))

    def operand(self, operation: Operation, env: dict[str, Operand]) -> Operand:
        """The expression of an operation other than LazyPick."""
        type_ = operation.type
        self.use(type_)
        match operation:
            case v.Constant(number, _):
                return self._constant(number, type_)
            case v.Broadcast(operand, _):
                source = env[operand.name]
                splat = replace(self._splat(self.value(source), type_), halves=source.halves)
                # A variable that a loop updates would have another value where the text is repeated.
                return Operand(splat.text, type_) if source.mutable else splat
            case Load():
                return Operand(self._load(operation), type_, repeatable=self._arrays.stays(operation.address.array))
            case v.IndexValue(value, stride, _):
                return Operand(self._index(self._affine.affine(value), stride, type_), type_)
            case v.Arithmetic():
                return self._arithmetic(operation, env)
            case v.Test(operator, left, right, _):
                return self._test(operator, env[left.name], env[right.name], type_)
            case v.Pick():
                return self._choice_of_masks(operation, env) or Operand(self._pick(operation, env), type_)
            case v.Convert(operand, _):
                source = env[operand.name]
                if source.mask is not None and not type_.element.is_float:
                    return replace(
                        source, type=type_, scalar=None, repeatable=source.text.isidentifier() and not source.mutable
                    )
                halves = _halves(source.type.element, type_.element)
                return Operand(self._convert(self.value(source), source.type, type_), type_, halves=halves)
            case v.Apply(function, operands, _):
                return Operand(self._apply(function, [env[o.name] for o in operands], type_), type_)
            case v.Horizontal(operator, operand, _):
                return Operand(self._fold(operator, env[operand.name]), type_)
            case v.Pack(operands, _):
                lanes = ", ".join(bare(self.value(env[o.name])) for o in operands)
                return Operand(f"({vector_name(type_)}){{{lanes}}}", type_)
            case v.Lane(operand, index, _):
                return Operand(f"{bracket(self.value(env[operand.name]))}[{index}]", type_)
            case v.Shuffle(operands, lanes, _):
                vectors = ", ".join(_argument(self.value(env[o.name])) for o in operands)
                count = operands[0].type.lanes
                once = 2 * count if operands[0] != operands[1] else count  # as often as a lane is there
                behind = len(lanes) == count and all((lanes[0] + k - lane) % once == 0 for k, lane in enumerate(lanes))
                behind = behind and lanes[0] + count <= 2 * count
                if behind and type_.lanes > 8:
                    return Operand(f"{self._call(f'behind{lanes[0]}', type_)}({vectors})", type_)
                self._helpers.add(Helper("shuffle" if len(lanes) == count else "reshuffle"))
                return Operand(shuffle(vectors, lanes, count), type_)
            case v.Compact():
                return Operand("", type_)  # `fill` has a call for it
            case v.GroupSum():
                return Operand("", type_)  # as above
            case v.LazyPick():
                raise TypeError("a lazy choice is a statement in C")

    def fill(self, operation: Operation, env: dict[str, Operand], target: str) -> str | None:
        """The call that writes the operation's result into the vector `target`, for those that C writes as a call."""
        match operation:
            case v.Compact((operand, where), spread, type_):
                lanes = self._by_address(self.value(env[operand.name]), type_)
                kind, mask = "spread" if spread else "compact", self._flags(env[where.name], type_)
                return f"{self._call(kind, type_)}(&{target}, {lanes}, {mask});"
            case v.GroupSum(operator, values, _):
                wide = values[0].type
                left, right = (self._by_address(self.value(env[value.name]), wide) for value in values)
                return f"{self._call(GROUP_SUMS[operator], wide)}(&{target}, {left}, {right});"
            case Load(address, type_, _, where) if where is not None:
                place, mask = self._arrays.anywhere(address), self._flags(env[where.name], type_)
                return f"{self._call('load_where', type_)}(&{target}, {place}, {self._arrays.stride(address)}, {mask});"
            case v.Apply(function, (operand,), type_) if type_.lanes > 1 and _is_lanewise(function, type_):
                source = env[operand.name]
                if source.scalar is not None or source.mask is not None:
                    return None
                return f"{self._call(_LANEWISE[function][0], type_)}(&{target}, &{source.text});"
            case v.Apply(function, operands, type_) if (
                self._loose and function in v.LOOSE_FUNCTIONS and type_.lanes > 1
            ):
                sources = [env[operand.name] for operand in operands]
                # The call takes addresses, which only variables have.
                if not all(source.text.isidentifier() and source.mask is None for source in sources):
                    return None
                arguments = ", ".join(f"&{source.text}" for source in sources)
                return f"{self._call(function.removesuffix('f'), type_)}(&{target}, {arguments});"
            case v.Arithmetic("min" | "max" as which, operands, type_) if type_.lanes > 1:
                left, right = (self._by_address(self.value(env[operand.name]), type_) for operand in operands)
                kind = "lesser" if which == "min" else "greater"
                return f"{self._call(kind, type_)}(&{target}, {left}, {right});"
            case _:
                return None

    def store(self, store: Store, env: dict[str, Operand]) -> str:
        """The statement that writes a value to memory."""
        address, type_, value = store.address, store.value.type, env[store.value.name]
        text = self.value(value)
        if type_.lanes == 1:
            statement = f"{self._arrays.lane(address, 0)} = {bare(text)};"
            return statement if store.active is None else f"if ({self._is_there(store.active)}) {statement}"
        self.use(type_)
        unit = address.along
        if store.where is not None:
            place, mask = self._arrays.anywhere(address), self._flags(env[store.where.name], type_)
            operand, stride = self._by_address(text, type_), self._arrays.stride(address)
            return f"{self._call('store_where', type_)}({place}, {stride}, {operand}, {mask});"
        if store.active is None and unit in (1, -1):
            lane = 0 if unit == 1 else type_.lanes - 1
            if unit == -1:
                text = self._lanes(bracket(text), type_, range(type_.lanes - 1, -1, -1))
            return f"{self._arrays.vector(address, type_, lane, constant=False)} = {bare(text)};"
        kind = "store" if unit == 1 else "scatter"
        stride = "" if kind == "store" else f", {self._arrays.stride(address)}"
        active = str(type_.lanes) if store.active is None else bare(self._affine.affine(store.active))
        operand = self._by_address(text, type_) if kind == "scatter" else _argument(text)
        place = self._arrays.pointer(address) if store.active is None else self._arrays.prefix(address, store.active)
        return f"{self._call(kind, type_)}({place}{stride}, {operand}, {active});"

    def _by_address(self, text: str, type_: ValueType) -> str:
        """A value that is no variable is put into one: the helpers take vectors by address."""
        place = text if re.fullmatch(r"[A-Za-z_]\w*(\[[^\[\]]*\])*", text) else self._variable(text, type_)
        return f"&{place}"

    def _flags(self, condition: Operand, type_: ValueType) -> str:
        """The address of a mask for lanes of a type: -1 or 0 in integers of its size."""
        bits = integer_lanes(type_)
        text, stored = self._mask(condition)
        return self._by_address(self._convert(text, stored, bits), bits)

    def _mask(self, condition: Operand) -> tuple[str, ValueType]:
        """The condition as the compiler's mask, and the type of that."""
        if condition.mask is not None:
            return condition.text, condition.mask
        type_ = integer_lanes(condition.type)
        return f"({self.use(type_)})({self._atom(condition)} != 0)", type_

    def _call(self, kind: str, type_: ValueType) -> str:
        helper = Helper(kind, type_)
        self._helpers.add(helper)
        return helper.name

    def _constant(self, number: int | float, type_: ValueType) -> Operand:
        """Constants beside vectors need not be of their narrow types, and many lanes are not written out."""
        splat = self._splat(literal(number, type_.element), type_)
        if type_.element.bits == 64 and isinstance(number, int):
            splat = replace(splat, halves=frozenset(kind for kind, ends in _ENDS.items() if number in ends))
        if type_.lanes == 1 or type_.element.is_float:
            return splat
        scalar = literal(number, type_.element if type_.element.bits >= 32 else I32)
        text = f"(({vector_name(type_)}){{0}} + {scalar})" if number and type_.lanes > 4 else splat.text
        return replace(splat, text=text, scalar=scalar)

    def _splat(self, scalar: str, type_: ValueType) -> Operand:
        if type_.lanes == 1:
            return Operand(scalar, type_, repeatable=True)
        zero = re.fullmatch(r"(\(\w+( \w+)?\))?[0.fLU]+", scalar) is not None
        text = f"({vector_name(type_)}){{{'0' if zero else ', '.join([scalar] * type_.lanes)}}}"
        if not zero and (type_.lanes > 4 or (type_.lanes == 4 and len(scalar) > _LONG)):
            text = f"{self._call('splat', type_)}({scalar})"
        # GNU C widens a scalar beside a vector if its type is the element's; narrow ones are promoted first.
        beside = scalar if type_.element.bits >= 32 else None
        return Operand(text, type_, scalar=beside, repeatable=True)

    def _load(self, load: Load) -> str:
        address, type_ = load.address, load.type
        if type_.lanes == 1:
            text = self._arrays.lane(address, 0)
            if load.active is None:
                return text
            return f"{self._is_there(load.active)} ? {text} : {literal(0, type_.element)}"
        unit = address.along
        active = load.active
        if active is not None and not (active.is_constant and active.constant >= type_.lanes):
            place, count = self._arrays.prefix(address, active), bare(self._affine.affine(active))
            if unit == 1:
                return f"{self._call('load', type_)}({place}, {count})"
            return f"{self._call('gather', type_)}({place}, {self._arrays.stride(address)}, {count})"
        if unit == 1:
            return self._arrays.vector(address, type_, 0, constant=True)
        if unit == -1:
            return f"{self._call('reverse', type_)}({self._arrays.pointer(address, type_.lanes - 1)})"
        if type_.lanes >= 4:
            place, stride = self._arrays.pointer(address), self._arrays.stride(address)
            return f"{self._call('gather', type_)}({place}, {stride}, {type_.lanes})"
        return f"({vector_name(type_)}){{{', '.join(self._arrays.lane(address, k) for k in range(type_.lanes))}}}"

    def _is_there(self, active: Affine) -> str:
        """Whether one element counts."""
        match active.terms:
            case ((Max(operands), 1),) if not active.constant and affine(0) in operands:
                active = maximum(*(operand for operand in operands if operand != affine(0)))
        return self._affine.condition(at_least(active, 1))

    def _lanes(self, vector: str, type_: ValueType, order: range) -> str:
        return f"({vector_name(type_)}){{{', '.join(f'{vector}[{k}]' for k in order)}}}"

    def _index(self, value: str, stride: int, type_: ValueType) -> str:
        if type_.lanes == 1:
            return value if type_.element == I64 else f"({scalar_name(type_.element)}){bracket(value)}"
        wide = ValueType(I64, type_.lanes)
        if not type_.element.is_float and type_.element.bits < 64:
            wide, value = ValueType(U32, type_.lanes), f"(unsigned){bracket(value)}"
        steps = ", ".join(str(k * stride) for k in range(type_.lanes))
        text = f"{bracket(value)} + ({self.use(wide)}){{{steps}}}"
        return text if type_ == wide else self._convert(text, wide, type_)

    def _convert(self, text: str, source: ValueType, target: ValueType) -> str:
        if source == target:
            return text
        if self._fenced and (source, target) == (ValueType(F64), ValueType(F32)):
            self._helpers.add(Helper("narrow"))
            return f"polyloop_narrow({bare(text)})"
        if target.lanes == 1:
            return f"({scalar_name(target.element)}){bracket(text)}"
        if is_one_conversion(source, target):
            self.use(target)
            return f"{self._call(conversion_name(source.element), target)}({_argument(text)})"
        if (halfway := _halfway(source.element, target.element)) is not None:
            step = ValueType(halfway, target.lanes)
            return self._convert(self._convert(text, source, step), step, target)
        return f"__builtin_convertvector({text}, {self.use(target)})"

    def _arithmetic(self, operation: v.Arithmetic, env: dict[str, Operand]) -> Operand:
        operator, type_ = operation.operator, operation.type
        operands = [env[o.name] for o in operation.operands]
        if operator in ("&", "|", "^") and type_.lanes > 1 and _one_mask(operands):
            text = f"{operands[0].text} {operator} {operands[1].text}"
            return Operand(text, type_, mask=operands[0].mask)
        if operator in ("min", "max"):
            return Operand(self._extremum(operator, operands, type_), type_)
        if operator == "fma":
            a, b = self._beside(operands[:2], type_)
            (c,) = self._beside([operands[2]], type_, vector_before=True)
            return Operand(self._narrowed(f"{a} * {b} + {c}", type_), type_)
        if operator in ("neg", "~"):
            sign = "-" if operator == "neg" else "~"
            return Operand(self._narrowed(f"{sign}{self._atom(operands[0])}", type_), type_)
        if operator in ("<<", ">>") and type_.lanes > 1:
            shift = self._convert(self.value(operands[1]), operands[1].type, type_)
            return Operand(f"{self._atom(operands[0])} {operator} {bracket(shift)}", type_)
        if operator == "*" and (kind := product_of_halves(type_, operands[0].halves & operands[1].halves)):
            return Operand(f"{self._call(kind, type_)}({', '.join(_argument(self.value(o)) for o in operands)})", type_)
        left, right = self._beside(operands, type_)
        return Operand(self._narrowed(f"{left} {operator} {right}", type_), type_)

    def _narrowed(self, text: str, type_: ValueType) -> str:
        """C computes in int at least: back to a narrower scalar type."""
        if type_.lanes > 1 or type_.element.bits >= 32:
            return text
        return f"({scalar_name(type_.element)})({text})"

    def _atom(self, operand: Operand) -> str:
        text = self.value(operand)
        return text if is_operand(text) else f"({text})"

    def _beside(self, operands: list[Operand], type_: ValueType, vector_before: bool = False) -> list[str]:
        """Texts of operands, splats as scalars where at least one real vector stands beside them."""
        vectors = vector_before or any(o.scalar is None for o in operands)
        if type_.lanes == 1 or not vectors:
            return [self._atom(o) for o in operands]
        return [bracket(o.scalar) if o.scalar is not None else self._atom(o) for o in operands]

    def _test(self, operator: str, left: Operand, right: Operand, type_: ValueType) -> Operand:
        if operator in ("==", "!=") and left.mask is not None and right.scalar == "0":
            text = f"~{bracket(left.text)}" if operator == "==" else left.text
            return Operand(text, type_, mask=left.mask)
        first, second = self._beside([left, right], left.type)
        text = f"{first} {operator} {second}"
        if type_.lanes == 1:
            return Operand(text, type_)
        mask = integer_lanes(left.type)
        return Operand(f"({self.use(mask)})({text})", type_, mask=mask)

    def _pick(self, pick: v.Pick, env: dict[str, Operand]) -> str:
        condition, then, otherwise = (env[o.name] for o in (pick.condition, pick.then, pick.otherwise))
        if pick.type.lanes == 1:
            return f"{self._atom(condition)} ? {self._atom(then)} : {self._atom(otherwise)}"
        mask, type_ = self._mask(condition)
        return self._choose(mask, type_, self.value(then), self.value(otherwise), pick.type)

    def _choice_of_masks(self, pick: v.Pick, env: dict[str, Operand]) -> Operand | None:
        """A choice among flags, one of them a comparison's result, as a mask."""
        condition, *sides = (env[o.name] for o in (pick.condition, pick.then, pick.otherwise))
        stored = next((operand.mask for operand in (*sides, condition) if operand.mask is not None), None)
        if pick.type.lanes == 1 or stored is None or not all(o.mask or o.scalar in ("0", "1") for o in sides):
            return None
        where = bracket(self._convert(*self._mask(condition), stored))
        then, otherwise = (
            bracket(self._convert(side.text, side.mask, stored)) if side.mask is not None else side.scalar
            for side in sides
        )
        match then, otherwise:
            case "1", "0":
                text = where
            case "0", "1":
                text = f"~{where}"
            case ("0", "0") | ("1", "1"):
                return None
            case _, "0":
                text = f"{where} & {then}"
            case "1", _:
                text = f"{where} | {otherwise}"
            case "0", _:
                text = f"~{where} & {otherwise}"
            case _, "1":
                text = f"~{where} | {then}"
            case _:
                text = f"({where} & {then}) | (~{where} & {otherwise})"
        return Operand(text, pick.type, mask=stored)

    def _choose(self, mask: str, mask_type: ValueType, then: str, otherwise: str, type_: ValueType) -> str:
        bits = integer_lanes(type_)
        name = self.use(bits)
        mask = bracket(self._convert(mask, mask_type, bits))
        first, second = (bracket(t) if t.startswith("-") else t for t in (bracket(then), bracket(otherwise)))
        if type_ == bits:
            return f"({first} & {mask}) | ({second} & ~{mask})"
        return f"({vector_name(type_)})((({name}){first} & {mask}) | (({name}){second} & ~{mask}))"

    def _extremum(self, which: str, operands: list[Operand], type_: ValueType) -> str:
        left, right = (self._atom(o) for o in operands)
        test = f"{left} {'<' if which == 'min' else '>'} {right}"
        if type_.lanes == 1:
            return f"{test} ? {left} : {right}"
        bits = integer_lanes(type_)
        return self._choose(f"({self.use(bits)})({test})", bits, left, right, type_)

    def _apply(self, function: str, operands: list[Operand], type_: ValueType) -> str:
        if function == BIT_VIEW:
            text = bare(self.value(operands[0])) if type_.lanes == 1 else bracket(self.value(operands[0]))
            return f"{self._call('view', type_)}({text})" if type_.lanes == 1 else f"({self.use(type_)}){text}"
        if function in PRODUCTS:
            self._helpers.add(Helper(function.removeprefix("polyloop_")))
        if type_.lanes == 1:
            call = f"{function}({', '.join(self.value(o) for o in operands)})"
            return f"({scalar_name(type_.element)}){call}" if function in BIT_COUNTS else call  # which is an int
        calls = (
            f"{function}({', '.join(o.scalar if o.scalar is not None else f'{self._atom(o)}[{k}]' for o in operands)})"
            for k in range(type_.lanes)
        )
        return f"({vector_name(type_)}){{{', '.join(calls)}}}"

    def _fold(self, operator: str, operand: Operand) -> str:
        if operator in ("+", "|", "&") and operand.mask is not None:
            flags = operand.mask if fits_register(operand.mask) else integer_lanes(operand.type)
            count = f"{self._call('count', flags)}({self._flags(operand, flags)})"
            return {"+": count, "|": f"{count} != 0", "&": f"{count} == {flags.lanes}"}[operator]
        address = self._by_address(self.value(operand), operand.type)
        return f"{self._call(FOLDS[operator], operand.type)}({address})"


def _halfway(source: ScalarType, target: ScalarType) -> ScalarType | None:
    """A type between two of vectors' lanes; None where one step will do. gcc has instructions for twice and half the
    bits, and for floats from and to integers of 32 bits and more; what is farther apart it converts lane by lane."""
    if source.is_float or target.is_float:
        narrow = target if source.is_float else source
        return I32 if narrow.bits < 32 and not narrow.is_float else None
    if target.bits > 2 * source.bits:
        return ScalarType(source.kind, 2 * source.bits)
    return ScalarType(target.kind, source.bits // 2) if 2 * target.bits < source.bits else None


def _one_mask(operands: list[Operand]) -> bool:
    return all(o.mask is not None and o.mask == operands[0].mask for o in operands)


def _is_lanewise(function: str, type_: ValueType) -> bool:
    is_ours = type_.element.is_float or function in BIT_COUNTS
    return function in _LANEWISE and _LANEWISE[function][1] == type_.element.bits and is_ours
