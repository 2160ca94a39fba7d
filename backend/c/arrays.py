"""Arrays in printed C: how they are declared, stored and addressed.

Arrays of two and more dimensions are pointers to rows (``double (*restrict A)[m]``), so that an element reads as in the
source. LOCAL arrays that are small and of constant size stand on the stack, the others are allocated.
"""

from __future__ import annotations

from polyloop.backend.c.helpers import Helper
from polyloop.backend.c.text import AffinePrinter, Names, is_atomic, scalar_name
from polyloop.backend.c.vectors import vector_name
from polyloop.backend.ir.affine import Affine, Min, affine, maximum
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.traversal import NamesUsed, parallel_loops, private_arrays
from polyloop.backend.ir.vector_program import Address, For, ValueType, VectorProgram

# Bytes of the largest LOCAL array that stands on the stack; the smallest default stack of a thread is far larger.
STACK_BYTES = 16 * 1024


class ArrayPrinter:
    """Declarations and addresses of one program's arrays.

    Attributes:
        around: the loops around what is being printed.
    """

    def __init__(self, program: VectorProgram, names: Names, affine: AffinePrinter, helpers: set[Helper]) -> None:
        self._specs = {array.name: array for array in program.arrays}
        self._names = names
        self._affine = affine
        self._helpers = helpers
        self._used = NamesUsed().visit(program.body).arrays
        self._private = [(loop, private_arrays(program, loop)) for loop in parallel_loops(program.body)]
        self._in_loop = frozenset(name for _, names in self._private for name in names)
        self.around: list[For] = []

    def arguments(self) -> list[str]:
        """Declarations of the pointers to the ARGUMENT arrays."""
        return [
            self._pointer_to(spec, self._pointee(spec), "const " if spec.read_only else "")
            for spec in self._specs.values()
            if spec.storage is Storage.ARGUMENT
        ]

    def unused_arguments(self) -> list[str]:
        return [
            self._names("array", spec.name)
            for spec in self._specs.values()
            if spec.storage is Storage.ARGUMENT and spec.name not in self._used
        ]

    def integers(self) -> frozenset[str]:
        """Integers that the arrays' declarations mention."""
        extents: list[Affine | None] = []
        for spec in self._specs.values():
            if spec.storage is Storage.ARGUMENT:
                extents += spec.shape[1:]
            elif spec.name in self._used:
                extents += spec.shape
        return frozenset().union(*(extent.variables() for extent in extents if extent is not None))

    def storage(self) -> tuple[list[str], list[str]]:
        """Lines that make the LOCAL arrays, and lines that free those that were allocated."""
        lines: list[str] = []
        blocks: list[str] = []
        for spec in self._specs.values():
            if spec.storage is not Storage.LOCAL or spec.name not in self._used:
                continue
            private = spec.name in self._in_loop
            if self._on_stack(spec):
                lines += [] if private else [f"    {self._variable(spec)}"]
            else:
                lines += self._allocated(spec, blocks, private)
                lines += [] if private else [f"    {self._rows_of(spec)}"]
        # First come, first found by the next call, which takes them in this order.
        return lines, [f"    polyloop_give({block});" for block in blocks]

    def private(self, loop: For) -> list[str]:
        """Declarations of the arrays that every thread of a parallel loop has for itself, to stand in its body."""
        specs = [self._specs[name] for around, names in self._private if around is loop for name in sorted(names)]
        return [self._variable(spec) if self._on_stack(spec) else self._rows_of(spec) for spec in specs]

    def element(self, array: str, subscripts: tuple[Affine, ...]) -> str:
        """The C lvalue of one element."""
        name = self._names("array", array)
        if not subscripts:
            return f"*{name}"
        return name + "".join(f"[{self._affine.affine(s)}]" for s in subscripts)

    def lane(self, address: Address, lane: int) -> str:
        """The C lvalue of one lane's element."""
        pairs = zip(address.subscripts, address.lane_strides, strict=True)
        return self.element(address.array, tuple(s + stride * lane for s, stride in pairs))

    def pointer(self, address: Address, lane: int = 0) -> str:
        """The address of one lane's element."""
        text = self.lane(address, lane)
        return text[1:] if text.startswith("*") else f"&{text}"

    def prefix(self, address: Address, active: Affine) -> str:
        """The first lane's address where only so many lanes are touched: it lies anywhere if that is none."""
        if any(_reaches(loop.upper, active + affine(loop.variable)) for loop in self.around):
            return self.pointer(address)
        spec = self._specs[address.array]
        element = ("const " if spec.read_only else "") + scalar_name(spec.type)
        self._helpers.add(Helper("at"))
        return f"polyloop_at({element}, {self._names('array', spec.name)}, {self.offset(address)})"

    def offset(self, address: Address) -> str:
        """Bytes from the array's begin to the element, which may lie outside of it."""
        spec, text = self._specs[address.array], "0"
        for number, (subscript, extent) in enumerate(zip(address.subscripts, spec.shape, strict=True)):
            here = self._affine.affine(subscript)
            rows = text if is_atomic(text) else f"({text})"
            text = f"{rows} * {self._affine.operand(_extent(extent))} + {here}" if number else here
        return f"{spec.type.bytes} * ({text})"

    def vector(self, address: Address, type_: ValueType, lane: int, constant: bool) -> str:
        """The lvalue of consecutive elements, the first of them that of `lane`."""
        qualifier = "const " if constant else ""
        return f"*({qualifier}{vector_name(type_)} *){self.pointer(address, lane)}"

    def stride(self, address: Address) -> str:
        """Elements from one lane's to the next one's."""
        result: list[str] = []
        shape = self._specs[address.array].shape
        for k, stride in enumerate(address.lane_strides):
            if stride:
                factors = [self._affine.operand(_extent(e)) for e in shape[k + 1 :]]
                if stride != 1 or not factors:
                    factors.insert(0, str(stride))
                result.append(" * ".join(factors))
        return " + ".join(result) or "0"

    def read_only(self, array: str) -> bool:
        return self._specs[array].read_only

    def _pointee(self, spec: ArraySpec) -> str:
        if spec.type.bits != 64 or spec.type.is_float:
            return scalar_name(spec.type)
        # The caller's 64-bit integers may be long or long long, which C takes for distinct types.
        helper = Helper("pointee", ValueType(spec.type))
        self._helpers.add(helper)
        return helper.name

    def _pointer_to(self, spec: ArraySpec, element: str, qualifier: str) -> str:
        name = self._names("array", spec.name)
        if len(spec.shape) < 2:
            return f"{qualifier}{element} *restrict {name}"
        return f"{qualifier}{element} (*restrict {name}){self._rows(spec)}"

    def _rows(self, spec: ArraySpec) -> str:
        """Extents of rows; C wants them positive, also where our own arrays are empty."""
        extents = [_extent(e) for e in spec.shape[1:]]
        if spec.storage is Storage.LOCAL:
            extents = [maximum(e, 1) for e in extents]
        return "".join(f"[{self._affine.affine(e)}]" for e in extents)

    def _on_stack(self, spec: ArraySpec) -> bool:
        size = _constant_bytes(spec)
        return size is not None and size <= STACK_BYTES

    def _variable(self, spec: ArraySpec) -> str:
        extents = "".join(f"[{_extent(e)}]" for e in spec.shape) or "[1]"
        large = (_constant_bytes(spec) or 0) >= 64
        # Compilers cannot always see that a scalar is written before it is read.
        rest = " __attribute__((aligned(64)))" if large else " = {0}"
        return f"{scalar_name(spec.type)} {self._names('array', spec.name)}{extents}{rest};"

    def _size(self, spec: ArraySpec) -> str:
        """Bytes, a multiple of 64, so that the parts of several threads are aligned alike."""
        factors = [f"(size_t)polyloop_max({self._affine.affine(_extent(e))}, 0)" for e in spec.shape]
        return " * ".join([f"sizeof({scalar_name(spec.type)})", *factors])

    def _allocated(self, spec: ArraySpec, blocks: list[str], private: bool) -> list[str]:
        """One block for the array, or for all threads' arrays; the helper gives up where there is no memory."""
        self._helpers |= {Helper("include", detail="stdlib.h"), Helper("include", detail="stdint.h")}
        self._helpers |= {Helper("take"), Helper("max")}
        block, size = self._names("value", f"{spec.name}_block"), self._names("value", f"{spec.name}_size")
        if private:
            self._helpers |= {Helper("include", detail="omp.h"), Helper("threads"), Helper("thread")}
        threads = f"{size} * (size_t)polyloop_threads()" if private else size
        blocks.append(block)
        return [
            f"    const size_t {size} = ({self._size(spec)} + 127) / 64 * 64;",
            f"    char *const {block} = polyloop_take({threads} + 64);",
            f"    if (!{block}) {{",
            *(f"        polyloop_give({earlier});" for earlier in reversed(blocks[:-1])),
            "        return 0;",
            "    }",
        ]

    def _rows_of(self, spec: ArraySpec) -> str:
        """The array inside its block, on a multiple of 64 bytes."""
        element = scalar_name(spec.type)
        block = self._names("value", f"{spec.name}_block")
        own = ""
        if spec.name in self._in_loop:
            own = f" + {self._names('value', f'{spec.name}_size')} * (size_t)polyloop_thread()"
        cast = f"({element} (*){self._rows(spec)})" if len(spec.shape) > 1 else f"({element} *)"
        start = f"{block} + (64 - (uintptr_t){block} % 64){own}"
        return f"{self._pointer_to(spec, element, '')} = {cast}({start});"


def _reaches(upper: Affine, value: Affine) -> bool:
    """Whether the upper bound, or one that it is the smallest of, is at most `value` for sure."""
    bounds = [upper]
    match upper.terms:
        case ((Min(operands), 1),):
            bounds += [operand + upper.constant for operand in operands]
    return any((value - bound).is_constant and (value - bound).constant >= 0 for bound in bounds)


def _extent(extent: Affine | None) -> Affine:
    if extent is None:
        raise ValueError("only the first extent of an argument may be unknown")
    return extent


def _constant_bytes(spec: ArraySpec) -> int | None:
    size = spec.type.bytes
    for extent in spec.shape:
        if extent is None or not extent.is_constant:
            return None
        size *= max(extent.constant, 1)
    return size
