"""Random affine nests whose loop kinds are legal by construction.

Every variable is at least 0 and stays below 30. In a VECTOR loop over v, arrays that the nest writes are only accessed
with v itself as last subscript, or all of them with v as first one, so that iterations never meet; everywhere else, any
access may meet any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, Condition, affine, at_least, equal, maximum, minimum
from polyloop.backend.ir.expressions import F32, F64, I8, I32, Access, Expression, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, Guard, Loop, LoopKind, LoopNest, Node, Storage

EXTENT = affine(96)
TYPES = (F64, F64, F32, I32, I8)

Draw = Callable[[st.SearchStrategy[object]], object]


@dataclass(frozen=True)
class Place:
    """Variables around, outermost first, and which one runs through lanes."""

    variables: tuple[str, ...] = ()
    vector: str | None = None
    lane_dimension: int = -1


class Generator:
    """Draws one nest."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._names = iter("abcdefghijklqrstuvwxyz")
        self._statements = 0
        pick = st.sampled_from
        self._read_types = {f"R{d}": draw(pick(TYPES)) for d in range(3)}
        self._write_types = {f"W{d}": draw(pick(TYPES)) for d in range(3)}

    def nest(self) -> LoopNest:
        body = Block(tuple(self._node(Place(), 4) for _ in range(self._number(1, 2))))
        arrays = [ArraySpec(a, t, (EXTENT,) * int(a[1]), read_only=True) for a, t in self._read_types.items()]
        arrays += [ArraySpec(a, t, (EXTENT,) * int(a[1])) for a, t in self._write_types.items()]
        arrays.append(ArraySpec("L0", F64, (), Storage.LOCAL))
        return LoopNest("random", ("n", "m"), tuple(arrays), body)

    def _number(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def _one_of(self, *choices: object) -> object:
        return self._draw(st.sampled_from(choices))

    def _node(self, place: Place, depth: int) -> Node:
        kinds = ["compute", *["loop"] * 4, "block", "guard"] if depth else ["compute"]
        match self._one_of(*kinds) if place.variables else "loop":
            case "loop":
                return self._loop(place, depth)
            case "block":
                return Block(tuple(self._node(place, depth - 1) for _ in range(2)))
            case "guard":
                orelse = self._node(place, depth - 1) if self._number(0, 2) == 0 else Block(())
                return Guard(self._condition(place), self._node(place, depth - 1), orelse)
            case _:
                return self._compute(place)

    def _loop(self, place: Place, depth: int) -> Node:
        variable = next(self._names)
        kind = self._draw(st.sampled_from(LoopKind))
        if kind is LoopKind.VECTOR and place.vector is not None:
            kind = LoopKind.SEQUENTIAL
        around = [affine(x) for x in place.variables]
        lower = self._draw(st.sampled_from([affine(0), affine(1), *around, *(maximum(x - 2, 1) for x in around)]))
        uppers = [affine("n"), affine("m"), lower + 4, lower + 9, minimum(lower + 6, affine("n"))]
        uppers += [*(x + 1 for x in around), *(minimum(x + 5, affine("m")) for x in around)]
        upper = self._draw(st.sampled_from(uppers))
        step = 1 if kind is LoopKind.VECTOR or self._number(0, 4) else 2
        vector, dimension = place.vector, place.lane_dimension
        if kind is LoopKind.VECTOR:
            vector, dimension = variable, -self._number(0, 1)
        body = self._node(Place((*place.variables, variable), vector, dimension), depth - 1)
        return Loop(variable, lower, upper, step, body, kind)

    def _condition(self, place: Place) -> Condition:
        left, right = self._index(place), self._index(place)
        return equal(left, right) if self._number(0, 3) == 0 else at_least(left, right)

    def _index(self, place: Place) -> Affine:
        atoms = [affine(x) for x in place.variables[-3:]] + [affine("n"), affine(0)]
        value = self._draw(st.sampled_from(atoms)) * self._number(1, 2) + self._number(0, 2)
        return value // 2 if self._number(0, 6) == 0 else value

    def _access(self, array: str, place: Place) -> Access:
        subscripts = [self._index(place) for _ in range(int(array[1]))]
        if place.variables and subscripts and self._number(0, 1):
            subscripts[-1] = affine(place.variables[-1])
        if array[0] == "W" and place.vector is not None and subscripts:
            subscripts[place.lane_dimension] = affine(place.vector)
        return Access(array, tuple(subscripts))

    def _writable(self, place: Place) -> str:
        # A scalar, or one cell for all lanes, must not be written from a vector loop.
        return str(self._one_of(*(["W1", "W2"] if place.vector is not None else ["W0", "W1", "W2"])))

    def _compute(self, place: Place) -> Node:
        self._statements += 1
        array = self._writable(place)
        type_ = self._write_types[array]
        target = self._access(array, place)
        name = f"S{self._statements}"
        value = self._value(place, 3)
        if self._number(0, 1):
            value = _converted(e.Binary("+", e.Read(target, type_), _converted(value, type_), type_), type_)
        result = Compute(name, target, _small(_converted(value, type_)))
        if self._number(0, 3) == 0:
            old = e.Read(target, type_)
            result = Compute(name, target, e.Select(self._truth(place, 2), result.value, old, type_), conditional=True)
        if place.vector is None and self._number(0, 4) == 0:  # through a local scalar
            local = Access("L0")
            first = Compute(name + "l", local, _converted(value, F64))
            return Block((first, Compute(name, target, _small(_converted(e.Read(local, F64), type_)))))
        return result

    def _value(self, place: Place, depth: int) -> Expression:
        kinds = ["read", "read", "literal", "index"]
        kinds += (["binary"] * 4 + ["select", "minmax", "logical", "abs", "gather"]) * bool(depth)
        match self._one_of(*kinds):
            case "read":
                return self._read(place)
            case "literal":
                return e.Literal(self._number(1, 4) / 4, F64)
            case "index":
                return e.Index(self._index(place), I32)
            case "binary":
                left, right = self._pair(place, depth)
                operators = "+-**" if not left.type.is_float else "+-**/"
                return e.Binary(str(self._one_of(*operators)), left, right, left.type)
            case "select":
                left, right = self._pair(place, depth)
                return e.Select(self._truth(place, depth), left, right, left.type)
            case "minmax":
                left, right = self._pair(place, depth)
                return e.Select(e.Comparison(str(self._one_of("<", ">", "<=")), left, right), left, right, left.type)
            case "logical":
                return e.Logical(str(self._one_of("&&", "||")), self._truth(place, depth), self._truth(place, depth))
            case "gather":
                return self._gathered(place, depth)
            case _:
                return e.Call("fabs", (_converted(self._value(place, depth - 1), F64),), F64)

    def _gathered(self, place: Place, depth: int) -> Expression:
        """An element whose place comes from data, where there is such an element."""
        at = _converted(self._value(place, depth - 1), I32)
        inside = (e.Comparison(">=", at, e.Literal(0, I32)), e.Comparison("<", at, e.Literal(EXTENT.constant, I32)))
        array = str(self._one_of("R1", "R2"))
        access = self._access(array, place)
        access = Access(array, (*access.subscripts[:-1], Affine(((e.Datum(at), 1),))))
        type_ = self._read_types[array]
        return e.Select(e.Logical("&&", *inside), e.Read(access, type_), _converted(e.Literal(0, I32), type_), type_)

    def _truth(self, place: Place, depth: int) -> Expression:
        left, right = self._pair(place, depth)
        return e.Comparison(str(self._one_of("<", "<=", "==", "!=")), left, right)

    def _pair(self, place: Place, depth: int) -> tuple[Expression, Expression]:
        left, right = self._value(place, depth - 1), self._value(place, depth - 1)
        type_ = F64 if left.type.is_float or right.type.is_float else I32
        if F32 in (left.type, right.type) and F64 not in (left.type, right.type):
            type_ = F32
        return _converted(left, type_), _converted(right, type_)

    def _read(self, place: Place) -> Expression:
        array = str(self._one_of("R0", "R1", "R2", "W1", "W2", *(["W0"] if place.vector is None else [])))
        types = self._read_types if array[0] == "R" else self._write_types
        return e.Read(self._access(array, place), types[array])


def _converted(node: Expression, type_: ScalarType) -> Expression:
    if node.type == type_:
        return node
    if node.type.is_float and not type_.is_float:  # only numbers that fit have an integer
        return e.Cast(_bounded(node), type_)
    return e.Cast(node, type_)


def _bounded(node: Expression) -> Expression:
    low, high = e.Literal(-90.0, node.type), e.Literal(90.0, node.type)
    node = e.Select(e.Comparison("<", node, high), node, high, node.type)
    return e.Select(e.Comparison(">", node, low), node, low, node.type)


def _small(node: Expression) -> Expression:
    """Integers that stay small, so that no product of some of them overflows."""
    return e.Binary("%", node, e.Literal(7, node.type), node.type) if not node.type.is_float else node


@st.composite
def random_nests(draw: st.DrawFn) -> LoopNest:
    return Generator(draw).nest()
