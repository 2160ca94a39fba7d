"""What planning makes of a LoopNest: structured SSA over scalars and SIMD vectors, ready to print.

    statement := Let(name, operation) | Store(address, value, active) | For(...) | If(...) | When(...)
               | Prefetch(address)

All decisions (which loop is the vector, what stays in registers, full and partial tiles) are made before; the printers
(`print_llvm`, `print_c`) only spell. Values have names, are assigned once, and are visible below the point of
assignment in the same or a nested body. A loop carries values in registers through `Carried`; a conditional
carries none.

Integers that address memory or bound loops are `Affine`s over loop variables and parameters, printed where they are
used (I64); common subexpressions and strength reduction are left to the compiler below.

Types, uses of values and addresses are named tuples, because planning compares and hashes thousands of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from polyloop.backend.ir.affine import TRUE, Affine, Condition
from polyloop.backend.ir.expressions import I16, U8, U32, U64, ScalarType, number_key
from polyloop.backend.ir.loop_nest import ArraySpec


class ValueType(NamedTuple):
    """An element type and a number of lanes; lanes == 1 is a scalar."""

    element: ScalarType
    lanes: int = 1

    def __str__(self) -> str:
        return str(self.element) if self.lanes == 1 else f"{self.element}x{self.lanes}"


class Value(NamedTuple):
    """A use of a named value."""

    name: str
    type: ValueType


class Address(NamedTuple):
    """Lane l addresses array[subscripts + l * lane_strides], in elements, subscript by subscript.

    `lane_strides` all zero: every lane the same element (a scalar access). (0, ..., 0, 1): contiguous; (0, ..., 0, -1):
    contiguous and reversed; anything else: gather or scatter.
    """

    array: str
    subscripts: tuple[Affine, ...]
    lane_strides: tuple[int, ...]

    @property
    def along(self) -> int | None:
        """How far apart neighbouring lanes are in the last dimension; None where they differ in others."""
        *outer, last = self.lane_strides or (0,)
        return None if any(outer) else last


# --- operations -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant:
    """The same number in every lane; floats exactly as given (hexadecimal where printed), equal if their bits are."""

    value: int | float
    type: ValueType

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constant) or self.type != other.type:
            return False
        return number_key(self.value, self.type.element) == number_key(other.value, other.type.element)

    def __hash__(self) -> int:
        return hash((number_key(self.value, self.type.element), self.type))


@dataclass(frozen=True, slots=True)
class Load:
    """Read through `address`. `active`: only the first so many lanes (0..lanes) are read, the others are zero; `where`:
    only the lanes in which it is not zero, the others have any value."""

    address: Address
    type: ValueType
    active: Affine | None = None
    where: Value | None = None


@dataclass(frozen=True, slots=True)
class IndexValue:
    """Lane l is the number value + l * stride, computed in I64, then converted to the element type."""

    value: Affine
    stride: int
    type: ValueType


@dataclass(frozen=True, slots=True)
class Broadcast:
    """A scalar value in every lane."""

    operand: Value
    type: ValueType


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """operator, lane by lane: "+ - * / % & | ^ << >>" (two operands), "neg ~" (one), "fma" (a*b+c, see `contract`).

    "fma" is the contraction of a source expression's multiplication and addition: one rounding where the target and the
    contraction setting allow, two otherwise; negations of a and c are separate "neg" operations, as clang makes them.
    "min" and "max" are x < y ? x : y and x > y ? x : y, bit for bit (the second operand if either is NaN).
    Signed integer overflow does not occur (C); unsigned wraps; integer / and % truncate towards zero.
    """

    operator: str
    operands: tuple[Value, ...]
    type: ValueType


@dataclass(frozen=True, slots=True)
class Test:
    """Lane-wise comparison (< <= > >= == !=, ordered; != unordered); the result has `type` I32: 0 or 1 in each lane."""

    operator: str
    left: Value
    right: Value
    type: ValueType


@dataclass(frozen=True, slots=True)
class Pick:
    """condition != 0 ? then : otherwise, lane by lane; both sides already computed."""

    condition: Value
    then: Value
    otherwise: Value
    type: ValueType


@dataclass(frozen=True, slots=True)
class Convert:
    """C conversion, lane by lane."""

    operand: Value
    type: ValueType


LOOSE_FUNCTIONS = frozenset(name + suffix for name in ("exp", "log", "pow", "sin", "cos") for suffix in ("", "f"))
"""Functions of math.h that libraries have for vectors, exact to a few units in the last place."""


@dataclass(frozen=True, slots=True)
class Apply:
    """A pure C function, lane by lane; sqrt, fabs, floor, ceil and trunc are SIMD operations."""

    function: str
    operands: tuple[Value, ...]
    type: ValueType


@dataclass(frozen=True, slots=True)
class LazyPick:
    """condition != 0 ? then : otherwise for scalars, where only the chosen side may be evaluated.

    `then` and `otherwise` are statement lists ending in a value.
    """

    condition: Value
    then: tuple[Statement, ...]
    then_value: Value
    otherwise: tuple[Statement, ...]
    otherwise_value: Value
    type: ValueType


@dataclass(frozen=True, slots=True)
class Horizontal:
    """Fold of all lanes into one scalar, in a tree order (only where reassociation is allowed or exact):
    "+ * & | ^ min max"."""

    operator: str
    operand: Value
    type: ValueType


@dataclass(frozen=True, slots=True)
class Pack:
    """A vector of scalar values, one for each lane."""

    operands: tuple[Value, ...]
    type: ValueType


@dataclass(frozen=True, slots=True)
class Lane:
    """The scalar in one lane of a vector."""

    operand: Value
    index: int
    type: ValueType


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Lanes of two vectors of one type: lane l of the result is lane lanes[l] of the one behind the other."""

    operands: tuple[Value, ...]
    lanes: tuple[int, ...]
    type: ValueType


@dataclass(frozen=True, slots=True)
class Compact:
    """The lanes of the first operand for which the second one is not zero, moved to the front in their order, or back
    from there (`spread`); nothing is said of the other lanes."""

    operands: tuple[Value, ...]
    spread: bool
    type: ValueType


GROUPS = {"*": (I16, U32, 2), "-": (U8, U64, 8)}
"""By the operator of a `GroupSum`: what it takes and makes, and how many lanes a group has."""


@dataclass(frozen=True, slots=True)
class GroupSum:
    """Sums over groups of neighbouring lanes, of which the result has a lane each: of products ("*", two of I16 in a
    U32) or of how far the two numbers are apart ("-", eight of U8 in a U64). They wrap."""

    operator: str
    operands: tuple[Value, ...]
    type: ValueType


Operation: TypeAlias = (
    "Constant | Load | IndexValue | Broadcast | Arithmetic | Test | Pick | Convert | Apply | LazyPick | Horizontal"
    " | Pack | Lane | Shuffle | Compact | GroupSum"
)

# --- statements -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Let:
    """Compute a value once; it keeps its name from here to the end of the body."""

    name: str
    operation: Operation

    @property
    def value(self) -> Value:
        return Value(self.name, self.operation.type)


@dataclass(frozen=True, slots=True)
class Store:
    """Write through `address`; `active` and `where` as for Load: the other lanes of memory are untouched."""

    address: Address
    value: Value
    active: Affine | None = None
    where: Value | None = None


@dataclass(frozen=True, slots=True)
class Prefetch:
    """Ask for the cache line of an address; nothing is computed."""

    address: Address


@dataclass(frozen=True, slots=True)
class Carried:
    """A value that a loop carries: `initial` on entry, then `next` of the iteration before.

    Inside the body it is called `name`; after the loop, `result` (== `initial` if the loop ran no iteration).
    """

    name: str
    type: ValueType
    initial: Value
    next: Value
    result: str


@dataclass(frozen=True, slots=True)
class For:
    """``for (variable = lower; variable < upper; variable += step)``, step >= 1; parallel: carries nothing.

    `going`, a scalar integer of the body that is zero behind an iteration, ends the loop: those behind it would do
    nothing and leave what is carried as it is, so that a printer may run them, too.
    """

    variable: str
    lower: Affine
    upper: Affine
    step: int
    body: tuple[Statement, ...]
    carried: tuple[Carried, ...] = ()
    parallel: bool = False
    unroll: int = 1  # a hint for the compiler below; 1: leave the loop rolled
    going: Value | None = None


@dataclass(frozen=True, slots=True)
class If:
    """`then` where the condition holds, else `orelse`."""

    condition: Condition
    then: tuple[Statement, ...]
    orelse: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class When:
    """`body` where the scalar `condition` is not zero: a branch on data."""

    condition: Value
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Bind:
    """A named integer (I64) that later Affines use like a loop variable."""

    variable: str
    value: Affine


@dataclass(frozen=True, slots=True)
class BindValue:
    """A named integer (I64) that is the value of a scalar of an integer type: a subscript that comes from data."""

    variable: str
    value: Value


Statement: TypeAlias = "Let | Store | Prefetch | For | If | When | Bind | BindValue"


@dataclass(frozen=True)
class VectorProgram:
    """A function ``void name(i64 parameters..., pointers to the ARGUMENT arrays...)``, as in LoopNest.

    `auto_vectorize`: the program is scalar and is left to the compiler's own optimizer (O3), as the original loops are;
    else it is explicit SIMD, and the optimizer must not vectorise or unroll it further. `may_overlap`: the optimizer is
    not to know that arrays do not, as in C without `restrict`. `loose_math`: what `LOOSE_FUNCTIONS` compute in vectors
    may differ from the C functions in the last bits.
    """

    name: str
    parameters: tuple[str, ...]
    arrays: tuple[ArraySpec, ...]
    body: tuple[Statement, ...]
    context: Condition = TRUE
    auto_vectorize: bool = False
    may_overlap: bool = False
    loose_math: bool = False

    def array(self, name: str) -> ArraySpec:
        return next(a for a in self.arrays if a.name == name)
