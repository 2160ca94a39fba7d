"""Scalar and vector operations as LLVM IR text."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import TypeAlias

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import BIT_COUNTS, BIT_VIEW, F32, I32, I64, PRODUCTS, ScalarType, wrap_integer
from polyloop.backend.llvm.integers import IntegerPrinter, scalar_text
from polyloop.backend.llvm.products import product_definition

# C functions that one instruction computes exactly, in every lane at once.
_INSTRUCTIONS = {
    name + suffix: f"llvm.{name}"
    for name in ("sqrt", "fabs", "floor", "ceil", "trunc", "rint", "copysign")
    for suffix in ("", "f")
}

_GROUP_SUMS = {
    ("*", 8): "llvm.x86.sse2.pmadd.wd",
    ("*", 16): "llvm.x86.avx2.pmadd.wd",
    ("*", 32): "llvm.x86.avx512.pmaddw.d.512",
    ("-", 16): "llvm.x86.sse2.psad.bw",
    ("-", 32): "llvm.x86.avx2.psad.bw",
    ("-", 64): "llvm.x86.avx512.psad.bw.512",
}

_FLOAT_TESTS = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_INT_TESTS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


def type_text(type_: v.ValueType) -> str:
    """LLVM's name of a type: ``double``, ``<8 x float>``."""
    element = scalar_text(type_.element)
    return element if type_.lanes == 1 else f"<{type_.lanes} x {element}>"


def mangled(type_: v.ValueType) -> str:
    """The suffix of an overloaded intrinsic's name."""
    element = f"f{type_.element.bits}" if type_.element.is_float else f"i{type_.element.bits}"
    return element if type_.lanes == 1 else f"v{type_.lanes}{element}"


def constant_text(value: int | float, type_: v.ValueType) -> str:
    """The constant, the same in every lane; floats by their bits (LLVM spells float32 as the equal double)."""
    if type_.element.is_float:
        number = f"0x{struct.unpack('<Q', struct.pack('<d', float(value)))[0]:016X}"
    else:
        number = str(wrap_integer(int(value), ScalarType("int", type_.element.bits)))
    return number if type_.lanes == 1 else f"splat ({scalar_text(type_.element)} {number})"


_GATHERED_SINGLY = 16
_Place: TypeAlias = Callable[[str, Iterable[str]], str]


_PLACES = 0x0706050403020100
"""The places 0 to 7, a byte each."""


class ValuePrinter:
    """Spells operations of one function.

    Attributes:
        values: the operand that holds each named value.
        declarations: external functions used so far, as `declare` lines (shared by all functions of a module).
        lasting_limits: of so many counts of active lanes vectors are kept for long; of others, masks are made anew.
        library_bits: of the vectors that functions of the C library take; 0: there are none.
        masks: as the target has it.
    """

    def __init__(
        self,
        integers: IntegerPrinter,
        fused: bool,
        declarations: set[str],
        lasting_limits: int = 0,
        library_bits: int = 0,
        masks: bool = True,
    ) -> None:
        self.integers = integers
        self.scopes = integers.scopes
        self.values: dict[str, str] = {}
        self.declarations = declarations
        self._fused = fused
        self._lasting_limits = lasting_limits
        self._library_bits = library_bits
        self._masks = masks
        self._limits: set[str] = set()
        self._bits: dict[str, str] = {}
        self._chosen: dict[str, tuple[str, str, str]] = {}  # of truth values: the condition's bits and both sides
        self._slots: dict[str, str] = {}

    def use(self, value: v.Value) -> str:
        """The operand with its type."""
        return f"{type_text(value.type)} {self.values[value.name]}"

    def operation(self, operation: v.Operation, lazy: Callable[[v.LazyPick], str]) -> str:
        """The operand that holds the result; `lazy` prints conditionals, which need basic blocks."""
        match operation:
            case v.Constant(value, type_):
                return constant_text(value, type_)
            case v.Load():
                return self._load(operation)
            case v.IndexValue():
                return self._index_value(operation)
            case v.Broadcast(operand, type_):
                return self._broadcast(operand, type_)
            case v.Arithmetic():
                return self._arithmetic(operation)
            case v.Test():
                return self._test(operation)
            case v.Pick(condition, then, otherwise, _):
                bits = self.truth(condition)
                flags = type_text(v.ValueType(ScalarType("int", 1), condition.type.lanes))
                picked = self.scopes.emit(f"select {flags} {bits}, {self.use(then)}, {self.use(otherwise)}")
                self._chosen[picked] = bits, self.values[then.name], self.values[otherwise.name]
                return picked
            case v.Convert(operand, type_):
                return self._convert(self.values[operand.name], operand.type, type_)
            case v.Apply():
                return self._apply(operation)
            case v.Horizontal():
                return self._horizontal(operation)
            case v.Pack():
                return self._pack(operation)
            case v.Lane(operand, index, _):
                return self.scopes.emit(f"extractelement {self.use(operand)}, i64 {index}")
            case v.Shuffle((left, right), lanes, _):
                return self._shuffle(self.values[left.name], left.type, list(lanes), self.values[right.name])
            case v.Compact():
                return self._compact(operation) if self._masks else self._compact_by_shuffle(operation)
            case v.GroupSum(operator, (left, right), type_):
                name = _GROUP_SUMS[operator, left.type.lanes]
                return self.scopes.emit(f"call {type_text(type_)} @{name}({self.use(left)}, {self.use(right)})")
            case v.Shuffle() | v.GroupSum():
                raise TypeError("a shuffle takes two vectors")
            case v.LazyPick():
                return lazy(operation)

    def _compact(self, operation: v.Compact) -> str:
        (operand, where), type_ = operation.operands, operation.type
        flags = type_text(v.ValueType(ScalarType("int", 1), type_.lanes))
        text, which = type_text(type_), "expand" if operation.spread else "compress"
        return self.scopes.emit(
            f"call {text} @llvm.x86.avx512.mask.{which}.{mangled(type_)}({self.use(operand)}, "
            f"{text} zeroinitializer, {flags} {self.truth(where)})"
        )

    def _compact_by_shuffle(self, operation: v.Compact) -> str:
        """In places of 32 bits, which are the bytes of a number: those whose lanes count are extracted to its front, or
        the first ones deposited there."""
        (operand, where), type_ = operation.operands, operation.type
        emit, lanes = self.scopes.emit, type_.lanes
        flags = type_text(v.ValueType(ScalarType("int", 1), lanes))
        bits = emit(f"bitcast {flags} {self.truth(where)} to i{lanes}")
        wide = emit(f"zext i{lanes} {bits} to i64")
        step = type_.element.bits // 4  # bits of that number for a lane
        first = sum(1 << step * k for k in range(64 // step))
        spaced = emit(f"call i64 @llvm.x86.bmi.pdep.64(i64 {wide}, i64 {first})")
        chosen = emit(f"mul i64 {spaced}, {(1 << step) - 1}")
        which = "pdep" if operation.spread else "pext"
        number = emit(f"call i64 @llvm.x86.bmi.{which}.64(i64 {_PLACES}, i64 {chosen})")
        places = emit(f"bitcast i64 {number} to <8 x i8>")
        vector, count = type_text(type_), lanes * type_.element.bits // 32
        if count < 8:
            front = ", ".join(f"i32 {k}" for k in range(count))
            places = emit(f"shufflevector <8 x i8> {places}, <8 x i8> poison, <{count} x i32> <{front}>")
        places = emit(f"zext <{count} x i8> {places} to <{count} x i32>")
        part, name = ("i32", "llvm.x86.avx2.permd") if count == 8 else ("float", "llvm.x86.avx.vpermilvar.ps")
        given = emit(f"bitcast {self.use(operand)} to <{count} x {part}>")
        call = f"call <{count} x {part}> @{name}(<{count} x {part}> {given}, <{count} x i32> {places})"
        return emit(f"bitcast <{count} x {part}> {emit(call)} to {vector}")

    def truth(self, value: v.Value) -> str:
        """The i1 (in every lane) that says whether the value is not zero."""
        operand = self.values[value.name]
        bits = self._known_bits(operand, type_text(v.ValueType(ScalarType("int", 1), value.type.lanes)))
        if bits is not None:
            return bits
        zero = constant_text(0, value.type)
        compare = "fcmp une" if value.type.element.is_float else "icmp ne"
        return self.scopes.emit(f"{compare} {type_text(value.type)} {operand}, {zero}")

    def _known_bits(self, operand: str, flags: str) -> str | None:
        """Those of a test, and of a choice between tests, without a detour over numbers."""
        if operand in self._chosen:
            condition, *sides = self._chosen[operand]
            then, otherwise = (self._known_bits(side, flags) for side in sides)
            if then is None or otherwise is None:
                return None
            return self.scopes.emit(f"select {flags} {condition}, {flags} {then}, {flags} {otherwise}")
        if operand in ("0", "splat (i32 0)"):
            return "zeroinitializer" if flags.startswith("<") else "false"
        return self._bits.get(operand)

    # --- memory -------------------------------------------------------------------------------------------------------

    def _load(self, load: v.Load) -> str:
        type_, address = load.type, load.address
        text, bytes_ = type_text(type_), type_.element.bytes
        unchanged = ", !invariant.load !0" if self.integers.arrays[address.array].read_only else ""
        direction = address.along
        masked = load.active is not None or load.where is not None
        if type_.lanes == 1 and load.active is not None:
            return self._load_if(load, load.active)
        if type_.lanes == 1 or (direction == 0 and not masked):
            element = scalar_text(type_.element)
            pointer = self.integers.pointer(address)
            scalar = self.scopes.emit(f"load {element}, ptr {pointer}, align {bytes_}{unchanged}")
            return scalar if type_.lanes == 1 else self._splat(scalar, type_)
        if direction not in (1, -1):
            return self._gather(load)
        pointer = self.integers.pointer(address, type_.lanes - 1 if direction == -1 else 0)
        if not masked:
            vector = self.scopes.emit(f"load {text}, ptr {pointer}, align {bytes_}{unchanged}")
        else:
            mask = self._lanes_on(load, type_, direction == -1)
            vector = self.scopes.emit(
                f"call {text} @llvm.masked.load.{mangled(type_)}.p0(ptr align {bytes_} {pointer}, {mask}, "
                f"{text} zeroinitializer)"
            )
        return self._reverse(vector, type_) if direction == -1 else vector

    def store(self, store: v.Store) -> None:
        type_, address = store.value.type, store.address
        text, bytes_, operand = type_text(type_), type_.element.bytes, self.values[store.value.name]
        direction = address.along
        if type_.lanes == 1 and store.active is not None:
            self._store_if(store, store.active)
            return
        if type_.lanes == 1:
            self.scopes.line(f"store {text} {operand}, ptr {self.integers.pointer(address)}, align {bytes_}")
            return
        masked = store.active is not None or store.where is not None
        if direction not in (1, -1) and not masked and type_.lanes <= _GATHERED_SINGLY:
            for lane, pointer in enumerate(self._lane_pointers(address, type_.lanes)):
                scalar = self.scopes.emit(f"extractelement {text} {operand}, i64 {lane}")
                self.scopes.line(f"store {scalar_text(type_.element)} {scalar}, ptr {pointer}, align {bytes_}")
            return
        if direction not in (1, -1):
            pointers = self._pointers(address, type_.lanes)
            mask = self._lanes_on(store, type_, False)
            self.scopes.line(
                f"call void @llvm.masked.scatter.{mangled(type_)}.v{type_.lanes}p0({text} {operand}, "
                f"<{type_.lanes} x ptr> align {bytes_} {pointers}, {mask})"
            )
            return
        pointer = self.integers.pointer(address, type_.lanes - 1 if direction == -1 else 0)
        if direction == -1:
            operand = self._reverse(operand, type_)
        if not masked:
            self.scopes.line(f"store {text} {operand}, ptr {pointer}, align {bytes_}")
            return
        mask = self._lanes_on(store, type_, direction == -1)
        self.scopes.line(
            f"call void @llvm.masked.store.{mangled(type_)}.p0({text} {operand}, ptr align {bytes_} {pointer}, {mask})"
        )

    def _load_if(self, load: v.Load, count: Affine) -> str:
        """A scalar, or 0 where there is none: as a vector of one lane, which LLVM makes a branch of."""
        element, suffix, condition = scalar_text(load.type.element), mangled(load.type), self._is_there(count)
        vector = self.scopes.emit(
            f"call <1 x {element}> @llvm.masked.load.v1{suffix}.p0(ptr align {load.type.element.bytes} "
            f"{self.integers.pointer(load.address)}, <1 x i1> {condition}, <1 x {element}> zeroinitializer)"
        )
        return self.scopes.emit(f"extractelement <1 x {element}> {vector}, i64 0")

    def _store_if(self, store: v.Store, count: Affine) -> None:
        type_ = store.value.type
        element, suffix, condition = scalar_text(type_.element), mangled(type_), self._is_there(count)
        operand = self.values[store.value.name]
        vector = self.scopes.emit(f"insertelement <1 x {element}> poison, {element} {operand}, i64 0")
        self.scopes.line(
            f"call void @llvm.masked.store.v1{suffix}.p0(<1 x {element}> {vector}, ptr align {type_.element.bytes} "
            f"{self.integers.pointer(store.address)}, <1 x i1> {condition})"
        )

    def _is_there(self, count: Affine) -> str:
        bound = self.integers.integer(count)
        condition = self.scopes.pure(f"icmp sgt i64 {bound}, 0", (bound,))
        return self.scopes.pure(f"insertelement <1 x i1> poison, i1 {condition}, i64 0", (condition,))

    def as_integer(self, operand: v.Value) -> str:
        """A scalar of an integer type as an I64."""
        return self._convert(self.values[operand.name], operand.type, v.ValueType(I64))

    def prefetch(self, prefetch: v.Prefetch) -> None:
        pointer = self.integers.pointer(prefetch.address)
        self.scopes.line(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 3, i32 1)")

    def _gather(self, load: v.Load) -> str:
        type_ = load.type
        text = type_text(type_)
        if load.active is None and load.where is None and type_.lanes <= _GATHERED_SINGLY:
            return self._gather_singly(load)
        pointers = self._pointers(load.address, type_.lanes)
        mask = self._lanes_on(load, type_, False)
        return self.scopes.emit(
            f"call {text} @llvm.masked.gather.{mangled(type_)}.v{type_.lanes}p0("
            f"<{type_.lanes} x ptr> align {type_.element.bytes} {pointers}, {mask}, {text} zeroinitializer)"
        )

    def _gather_singly(self, load: v.Load) -> str:
        """Scalar loads put together: about twice as fast as the gather instruction (Zen 5)."""
        type_ = load.type
        element, bytes_ = scalar_text(type_.element), type_.element.bytes
        unchanged = ", !invariant.load !0" if self.integers.arrays[load.address.array].read_only else ""
        vector = "poison"
        for lane, pointer in enumerate(self._lane_pointers(load.address, type_.lanes)):
            scalar = self.scopes.emit(f"load {element}, ptr {pointer}, align {bytes_}{unchanged}")
            vector = self.scopes.emit(f"insertelement {type_text(type_)} {vector}, {element} {scalar}, i64 {lane}")
        return vector

    def _lane_pointers(self, address: v.Address, lanes: int) -> list[str]:
        """The address of every lane's element."""
        pure, element = self.scopes.pure, scalar_text(self.integers.arrays[address.array].type)
        base, stride = self.integers.pointer(address), self.integers.lane_stride(address)
        result = [base]
        for lane in range(1, lanes):
            if stride.lstrip("-").isdigit():
                result.append(pure(f"getelementptr {element}, ptr {base}, i64 {lane * int(stride)}", (base,)))
            else:
                offset = pure(f"mul nsw i64 {stride}, {lane}", (stride,))
                result.append(pure(f"getelementptr {element}, ptr {base}, i64 {offset}", (base, offset)))
        return result

    def _pointers(self, address: v.Address, lanes: int) -> str:
        pure = self.scopes.pure
        base, stride = self.integers.pointer(address), self.integers.lane_stride(address)
        numbers = f"<{', '.join(f'i64 {lane}' for lane in range(lanes))}>"
        if stride.lstrip("-").isdigit():
            offsets = f"<{', '.join(f'i64 {lane * int(stride)}' for lane in range(lanes))}>"
        else:
            steps = self._splat(stride, v.ValueType(I64, lanes))
            offsets = pure(f"mul nsw <{lanes} x i64> {steps}, {numbers}", (steps,))
        element = scalar_text(self.integers.arrays[address.array].type)
        return pure(f"getelementptr {element}, ptr {base}, <{lanes} x i64> {offsets}", (base, offsets))

    def _lanes_on(self, access: v.Load | v.Store, type_: v.ValueType, backwards: bool) -> str:
        """A typed mask operand for the lanes that an access touches, in memory order."""
        first = self._mask(access.active, type_.lanes, backwards)
        if access.where is None:
            return first
        flags = v.ValueType(ScalarType("int", 1), type_.lanes)
        bits = self.truth(access.where)
        if backwards:
            bits = self._reverse(bits, flags)
        if access.active is not None:
            bits = self.scopes.emit(f"and {first}, {bits}")
        return f"{type_text(flags)} {bits}"

    def _mask(self, active: Affine | None, lanes: int, backwards: bool) -> str:
        """A typed mask operand: the first `active` lanes; in memory order for accesses that run backwards."""
        if active is None:
            return f"<{lanes} x i1> splat (i1 true)"
        bound = self.integers.integer(lanes - active if backwards else active)
        narrow = self.scopes.pure(f"trunc i64 {bound} to i32", (bound,))
        if lasts := narrow in self._limits or len(self._limits) < self._lasting_limits:
            self._limits.add(narrow)
        place = self.scopes.pure if lasts else self.scopes.near
        if not lasts and bound.startswith("%"):
            narrow = place(f"load volatile i32, ptr {self._slot(narrow)}", (narrow,))
        limits = self._splat(narrow, v.ValueType(ScalarType("int", 32), lanes), place)
        numbers = f"<{', '.join(f'i32 {lane}' for lane in range(lanes))}>"
        test = "sge" if backwards else "slt"
        return f"<{lanes} x i1> " + place(f"icmp {test} <{lanes} x i32> {numbers}, {limits}", (limits,))

    def _slot(self, number: str) -> str:
        """Where an i32 is kept in memory. What is read from there stays where it is read: LLVM would make the mask that
        comes from it once, in front of all loops, and keep it in a register through those that do not need it."""
        if number not in self._slots:
            slot = self.scopes.fresh("%kept")
            self.scopes.outermost.lines.insert(0, f"  {slot} = alloca i32")
            self.scopes.behind(number, f"store i32 {number}, ptr {slot}")
            self._slots[number] = slot
        return self._slots[number]

    # --- lanes --------------------------------------------------------------------------------------------------------

    def _splat(self, scalar: str, type_: v.ValueType, place: _Place | None = None) -> str:
        element, lanes, place = scalar_text(type_.element), type_.lanes, place or self.scopes.pure
        if not scalar.startswith("%"):
            return f"splat ({element} {scalar})"
        first = place(f"insertelement <{lanes} x {element}> poison, {element} {scalar}, i64 0", (scalar,))
        vector = f"<{lanes} x {element}>"
        return place(f"shufflevector {vector} {first}, {vector} poison, <{lanes} x i32> zeroinitializer", (first,))

    def _broadcast(self, operand: v.Value, type_: v.ValueType) -> str:
        scalar = self.values[operand.name]
        return scalar if type_.lanes == 1 else self._splat(scalar, type_)

    def _reverse(self, vector: str, type_: v.ValueType) -> str:
        return self._shuffle(vector, type_, list(range(type_.lanes))[::-1])

    def _shuffle(self, vector: str, type_: v.ValueType, lanes: list[int], other: str = "poison") -> str:
        mask = f"<{len(lanes)} x i32> <{', '.join(f'i32 {lane}' for lane in lanes)}>"
        text = type_text(type_)
        return self.scopes.emit(f"shufflevector {text} {vector}, {text} {other}, {mask}")

    def _index_value(self, index: v.IndexValue) -> str:
        start, wide = self.integers.integer(index.value), v.ValueType(I64, index.type.lanes)
        if wide.lanes > 1:
            start = self._splat(start, wide)
            steps = ", ".join(f"i64 {lane * index.stride}" for lane in range(wide.lanes))
            start = self.scopes.pure(f"add {type_text(wide)} {start}, <{steps}>", (start,))
        return self._convert(start, wide, index.type)

    def _pack(self, pack: v.Pack) -> str:
        vector = "poison"
        for lane, operand in enumerate(pack.operands):
            vector = self.scopes.emit(f"insertelement {type_text(pack.type)} {vector}, {self.use(operand)}, i64 {lane}")
        return vector

    def _horizontal(self, fold: v.Horizontal) -> str:
        """Halves are folded onto each other until one lane is left."""
        vector, type_ = self.values[fold.operand.name], fold.operand.type
        flags = f"<{type_.lanes} x i1>"
        if fold.operator == "|" and (bits := self._known_bits(vector, flags)) is not None:
            some = self.scopes.emit(f"call i1 @llvm.vector.reduce.or.v{type_.lanes}i1({flags} {bits})")
            number = self.scopes.emit(f"zext i1 {some} to {type_text(fold.type)}")
            self._bits[number] = some
            return number
        while type_.lanes > 1:
            half = type_.lanes // 2
            low = self._shuffle(vector, type_, list(range(half)))
            high = self._shuffle(vector, type_, list(range(half, type_.lanes)))
            type_ = v.ValueType(type_.element, half)
            if half == 1:
                low, high = (
                    self.scopes.emit(f"extractelement <1 x {scalar_text(type_.element)}> {each}, i64 0")
                    for each in (low, high)
                )
            vector = self._binary(fold.operator, low, high, type_)
        return vector

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def _arithmetic(self, node: v.Arithmetic) -> str:
        type_ = node.type
        text, operands = type_text(type_), [self.values[o.name] for o in node.operands]
        match node.operator, operands:
            case "fma", [a, b, c]:
                if self._fused:
                    return self.scopes.emit(
                        f"call {text} @llvm.fma.{mangled(type_)}({text} {a}, {text} {b}, {text} {c})"
                    )
                product = self.scopes.emit(f"fmul {text} {a}, {b}")
                return self.scopes.emit(f"fadd {text} {product}, {c}")
            case "neg", [a]:
                if type_.element.is_float:
                    return self.scopes.emit(f"fneg {text} {a}")
                return self._binary("-", constant_text(0, type_), a, type_)
            case "~", [a]:
                return self.scopes.emit(f"xor {text} {a}, {constant_text(-1, type_)}")
            case ("<<" | ">>") as operator, [a, b]:
                amount = self._convert(b, node.operands[1].type, type_)
                return self._binary(operator, a, amount, type_)
            case operator, [a, b]:
                return self._binary(operator, a, b, type_)
        raise AssertionError(f"an operation with the wrong number of operands: {node}")

    def _binary(self, operator: str, left: str, right: str, type_: v.ValueType) -> str:
        text, kind = type_text(type_), type_.element.kind
        if operator in ("min", "max"):
            bits = self._compare("<" if operator == "min" else ">", left, right, type_)
            flags = type_text(v.ValueType(ScalarType("int", 1), type_.lanes))
            return self.scopes.emit(f"select {flags} {bits}, {text} {left}, {text} {right}")
        if kind == "float":
            name = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}[operator]
        elif operator in "+-*":
            name = {"+": "add", "-": "sub", "*": "mul"}[operator] + (" nsw" if kind == "int" else "")
        else:
            signed = {"/": "sdiv", "%": "srem", ">>": "ashr"}
            unsigned = {"/": "udiv", "%": "urem", ">>": "lshr"}
            common = {"&": "and", "|": "or", "^": "xor", "<<": "shl"}
            name = (common | (signed if kind == "int" else unsigned))[operator]
        return self.scopes.emit(f"{name} {text} {left}, {right}")

    def _compare(self, operator: str, left: str, right: str, type_: v.ValueType) -> str:
        if type_.element.is_float:
            name = f"fcmp {_FLOAT_TESTS[operator]}"
        else:
            sign = "" if operator in ("==", "!=") else ("s" if type_.element.kind == "int" else "u")
            name = f"icmp {sign}{_INT_TESTS[operator]}"
        return self.scopes.emit(f"{name} {type_text(type_)} {left}, {right}")

    def _test(self, test: v.Test) -> str:
        bits = self._compare(test.operator, self.values[test.left.name], self.values[test.right.name], test.left.type)
        flags = type_text(v.ValueType(ScalarType("int", 1), test.type.lanes))
        number = self.scopes.emit(f"zext {flags} {bits} to {type_text(test.type)}")
        self._bits[number] = bits
        return number

    def _convert(self, operand: str, source: v.ValueType, target: v.ValueType) -> str:
        a, b = source.element, target.element
        match a.is_float, b.is_float:
            case True, True:
                name = "fpext" if b.bits > a.bits else "fptrunc"
            case True, False if b.bits < 32:
                # Through ``int``, as processors and the C printer convert one number: LLVM takes what it converts to
                # bytes in one step to be within their range, and lanes of any other number saturate where one wraps.
                wide = v.ValueType(I32, target.lanes)
                return self._convert(self._convert(operand, source, wide), wide, target)
            case True, False:
                name = "fptosi" if b.kind == "int" else "fptoui"
            case False, True:
                name = "sitofp" if a.kind == "int" else "uitofp"
            case _:
                name = "trunc" if b.bits < a.bits else ("sext" if a.kind == "int" else "zext")
        if a.bits == b.bits and a.is_float == b.is_float:
            return operand
        return self.scopes.pure(f"{name} {type_text(source)} {operand} to {type_text(target)}", (operand,), "%c")

    # --- functions ----------------------------------------------------------------------------------------------------

    def _apply(self, call: v.Apply) -> str:
        operands = [self.values[o.name] for o in call.operands]
        if call.function == BIT_VIEW:
            given = type_text(call.operands[0].type)
            return self.scopes.pure(f"bitcast {given} {operands[0]} to {type_text(call.type)}", tuple(operands), "%c")
        if call.function in BIT_COUNTS or (call.function in _INSTRUCTIONS and call.type.element.is_float):
            text, instruction = type_text(call.type), _INSTRUCTIONS.get(call.function, "llvm.ctpop")
            arguments = ", ".join(f"{text} {o}" for o in operands)
            return self.scopes.emit(f"call {text} @{instruction}.{mangled(call.type)}({arguments})")
        if call.type.lanes == 1:
            return self._call(call, operands)
        lanes, bits = call.type.lanes, call.type.element.bits
        if (
            call.function in v.LOOSE_FUNCTIONS
            and lanes & (lanes - 1) == 0
            and min(lanes * bits, self._library_bits) >= 128
        ):
            return self._call_vectors(call, operands)
        return self._call_lanes(call)

    def _call(self, call: v.Apply, operands: list[str]) -> str:
        types = [_argument_text(o.type.element) for o in call.operands]
        result = _argument_text(call.type.element)
        returned = " ".join(result.split()[::-1])
        arguments = [f"{t} {o}" for t, o in zip(types, operands, strict=True)]
        if call.function in PRODUCTS:
            self.declarations.add(product_definition(call.function))
            return self.scopes.emit(f"call {returned} @{call.function}({', '.join(arguments)})")
        # As clang declares them: more promises (no errno) would let LLVM replace more calls than it does for clang.
        self.declarations.add(f"declare {returned} @{call.function}({', '.join(types)}) nounwind")
        # Of constants LLVM would take the function of doubles, whose rounded result is not always that of floats.
        # Squares and roots are the same, which it makes of powers.
        kept = " nobuiltin" if call.type.element == F32 and call.function != "powf" else ""
        return self.scopes.emit(f"call {returned} @{call.function}({', '.join(arguments)}){kept}")

    def _call_vectors(self, call: v.Apply, operands: list[str]) -> str:
        """By the C library's function for vectors, register by register (Vector Function ABI of x86-64, 2.6)."""
        element, lanes = call.type.element, call.type.lanes
        width = min(lanes * element.bits, self._library_bits)
        step = width // element.bits
        part = type_text(v.ValueType(element, step))
        symbol = f"_ZGV{ {128: 'b', 256: 'd', 512: 'e'}[width] }N{step}{'v' * len(operands)}_{call.function}"
        self.declarations.add(f"declare {part} @{symbol}({', '.join([part] * len(operands))}) nounwind")
        pieces = []
        for first in range(0, lanes, step):
            taken = list(range(first, first + step))
            slices = operands if step == lanes else [self._shuffle(o, call.type, taken) for o in operands]
            arguments = ", ".join(f"{part} {piece}" for piece in slices)
            pieces.append(self.scopes.emit(f"call {part} @{symbol}({arguments})"))
        while len(pieces) > 1:
            half, whole = v.ValueType(element, lanes // len(pieces)), list(range(2 * lanes // len(pieces)))
            pairs = zip(pieces[::2], pieces[1::2], strict=True)
            pieces = [self._shuffle(low, half, whole, high) for low, high in pairs]
        return pieces[0]

    def _call_lanes(self, call: v.Apply) -> str:
        text, element = type_text(call.type), v.ValueType(call.type.element)
        result = "poison"
        for lane in range(call.type.lanes):
            scalars = [self.scopes.emit(f"extractelement {self.use(value)}, i64 {lane}") for value in call.operands]
            one = self._call(v.Apply(call.function, call.operands, element), scalars)
            result = self.scopes.emit(f"insertelement {text} {result}, {type_text(element)} {one}, i64 {lane}")
        return result


def _argument_text(type_: ScalarType) -> str:
    """A type as the C calling convention passes it: the caller extends narrow integers."""
    narrow = not type_.is_float and type_.bits < 32
    extension = {"int": " signext", "uint": " zeroext"}[type_.kind] if narrow else ""
    return scalar_text(type_) + extension
