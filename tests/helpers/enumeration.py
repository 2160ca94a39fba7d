"""Small Scops, instance by instance, in a way that has nothing in common with how polyloop proves schedules.

A Scop at small sizes is a list of statement instances: isl enumerates the points of the domains (that is all that isl
is used for), the rest is arithmetic on integers. Every instance has the cells that it touches, the moment at which the
source program runs it, and where a schedule tree puts it. A schedule is legal if every two instances that touch one
cell, one of them writing it, stand in the source's order, and in no loop whose iterations run at once. Where data say
which cell it is, several contents of the arrays are tried. Nothing of `polyloop.schedules.legality`,
`polyloop.scop.dependence` or isl's dependence analysis is used.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import islpy as isl

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import Access, Binary, Expression, Index, Literal, Read
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.schedules.tree import Band, Leaf, ScheduleTree, Sequence
from polyloop.scop.model import Scop, Statement

Element = tuple[str, tuple[int, ...]]
Place = tuple[tuple[int, bool], ...]
"""Where a schedule puts an instance: values of loops and positions in sequences, each with whether the loop's
iterations run at once."""

_AT_ONCE = (LoopKind.VECTOR, LoopKind.PARALLEL)


class UnknownValueError(Exception):
    """A number that depends on more than these few integers."""


@dataclass(frozen=True)
class Touch:
    """One access: the cell's subscripts (None: it may be any cell of the array), and whether it writes. `folding`: the
    operator of a sum of integers that the access is the accumulator of; such accesses may change places."""

    array: str
    cell: tuple[int, ...] | None
    writes: bool
    folding: str = ""


@dataclass(frozen=True)
class Instance:
    """A statement at one point of its domain: values of parameters and iterators, `time` in the source, and what it
    touches, its target last."""

    statement: str
    point: tuple[int, ...]
    values: tuple[tuple[str, int], ...]
    time: tuple[int, ...]
    touches: tuple[Touch, ...]

    def __str__(self) -> str:
        return f"{self.statement}({', '.join(f'{name}={value}' for name, value in self.values)})"


# --- The source program -----------------------------------------------------------------------------------------------


def instances(scop: Scop, sizes: Mapping[str, int], contents: int = 0) -> list[Instance]:
    """All of them, in the source's order.

    Args:
        contents: number of one of the contents of arrays that say which cells others touch.
    """
    result = []
    for statement in scop.statements:
        for point in _points(scop, statement, sizes):
            values = {**sizes, **dict(zip(statement.iterators, point, strict=True))}
            time_ = tuple(row.evaluate(values) for row in statement.schedule)
            touches = tuple(_touches(scop, statement, values, contents))
            result.append(Instance(statement.name, point, tuple(values.items()), time_, touches))
    return sorted(result, key=lambda instance: instance.time)


def _points(scop: Scop, statement: Statement, sizes: Mapping[str, int]) -> list[tuple[int, ...]]:
    domain = statement.domain.intersect_params(scop.context & scop.assumptions)
    for name, value in sizes.items():
        at = domain.find_dim_by_name(isl.dim_type.param, name)
        domain = domain.fix_val(isl.dim_type.param, at, value) if at >= 0 else domain
    found: list[isl.Point] = []
    domain.foreach_point(found.append)
    depth = range(statement.depth)
    return [tuple(p.get_coordinate_val(isl.dim_type.set, k).to_python() for k in depth) for p in found]


def _touches(scop: Scop, statement: Statement, values: Mapping[str, int], contents: int) -> Iterator[Touch]:
    floats = scop.array(statement.target.array).type.is_float
    folding = statement.reduction if statement.reduction is not None and not floats else ""
    for access, writes in [(read, False) for read in statement.reads] + [(statement.target, True)]:
        shape = [extent.evaluate(values) if extent is not None else None for extent in scop.array(access.array).shape]
        cell: tuple[int, ...] | None
        try:
            cell = tuple(_subscript(subscript, values, contents) for subscript in access.subscripts)
        except UnknownValueError:
            cell = None
        outside = cell is not None and any(
            n is not None and not 0 <= index < n for index, n in zip(cell, shape, strict=True)
        )
        if outside and access.data:
            continue  # in C there is no such program
        yield Touch(access.array, cell, writes, (folding or "") if access == statement.target else "")


def _subscript(subscript: Affine, values: Mapping[str, int], contents: int) -> int:
    total = subscript.constant
    for atom, factor in subscript.terms:
        if isinstance(atom, e.Datum):
            total += factor * _value(atom.value, values, contents)
        else:
            total += factor * Affine(((atom, 1),)).evaluate(values)
    return total


def _value(expression: e.Expression, values: Mapping[str, int], contents: int) -> int:
    """An integer that is computed from data: what is read are small numbers that hang on the cell alone."""
    match expression:
        case e.Literal(int(value)):
            return value
        case e.Index(value):
            if not value.variables() <= set(values):
                raise UnknownValueError
            return _subscript(value, values, contents)
        case e.Read(access):
            cell = [_subscript(s, values, contents) for s in access.subscripts]
            return zlib.crc32(f"{contents} {access.array} {cell}".encode()) % 4
        case e.Cast(operand, type_) if not type_.is_float and type_.bits >= 8:
            return _value(operand, values, contents)
        case e.Binary("+" | "-" | "*" | "&" as operator, left, right):
            a, b = _value(left, values, contents), _value(right, values, contents)
            return {"+": a + b, "-": a - b, "*": a * b, "&": a & b}[operator]
    raise UnknownValueError


def conflicts(ordered: list[Instance]) -> Iterator[tuple[Instance, Instance]]:
    """Pairs in the source's order that touch one cell, one of them writing it."""
    by_array: dict[str, list[tuple[int, Touch]]] = defaultdict(list)
    for number, instance in enumerate(ordered):
        for touch in instance.touches:
            by_array[touch.array].append((number, touch))
    pairs: set[tuple[int, int]] = set()
    for touched in by_array.values():
        if not any(touch.writes for _, touch in touched):
            continue
        cells: dict[tuple[int, ...] | None, list[tuple[int, Touch]]] = defaultdict(list)
        for number, touch in touched:
            cells[touch.cell].append((number, touch))
        anywhere = cells.pop(None, [])
        for here in (*cells.values(), anywhere):
            together = here if here is anywhere else [*here, *anywhere]
            for (a, first), (b, second) in combinations(together, 2):
                free = first.folding and first.folding == second.folding
                if a != b and (first.writes or second.writes) and not free:
                    pairs.add((min(a, b), max(a, b)))
    for a, b in sorted(pairs):
        yield ordered[a], ordered[b]


# --- The schedule -----------------------------------------------------------------------------------------------------


def place(tree: ScheduleTree, instance: Instance) -> Place:
    """Where the tree puts an instance."""
    values, node, result = dict(instance.values), tree.root, []
    while not isinstance(node, Leaf):
        match node:
            case Band(members, _, child):
                for member in members:
                    value = member.row(instance.statement).evaluate(values) // member.divisor
                    result.append((value, member.kind in _AT_ONCE))
                node = child
            case Sequence(branches):
                number = next(k for k, b in enumerate(branches) if instance.statement in b.statements)
                result.append((number, False))
                node = branches[number].node
    return tuple(result)


def keeps(first: Place, second: Place) -> bool:
    """Whether the first is surely done before the second begins."""
    for (a, at_once), (b, _) in zip(first, second, strict=False):
        if a != b:
            return a < b and not at_once
    return False


def broken(scop: Scop, tree: ScheduleTree, sizes: Mapping[str, int], contents: int = 0) -> tuple[int, str]:
    """How many pairs were looked at, and one that is not kept; "" if all are."""
    ordered = instances(scop, sizes, contents)
    places = {instance: place(tree, instance) for instance in ordered}
    count = 0
    for first, second in conflicts(ordered):
        count += 1
        if not keeps(places[first], places[second]):
            return count, f"{first} -> {second} at {dict(sizes)}"
    return count, ""


def is_legal(scop: Scop, tree: ScheduleTree) -> bool:
    """For all parameter values of a (bounded) context."""
    return all(not broken(scop, tree, values)[1] for values in parameter_values(scop))


# --- What a Scop computes ---------------------------------------------------------------------------------------------


def parameter_values(scop: Scop) -> Iterator[dict[str, int]]:
    """Every assignment of the parameters that the (bounded) context admits."""
    points: list[isl.Point] = []
    context = scop.context & scop.assumptions
    isl.Set.from_params(context).move_dims(
        isl.dim_type.set, 0, isl.dim_type.param, 0, len(scop.parameters)
    ).foreach_point(points.append)
    for point in points:
        yield {p: point.get_coordinate_val(isl.dim_type.set, k).to_python() for k, p in enumerate(scop.parameters)}


def run(scop: Scop, parameters: dict[str, int]) -> dict[Element, int]:
    """Execute in the original order, in integers modulo a prime; elements hold distinct values at the start.

    Returns:
        The last values of all elements of arrays that are live after the Scop and were written.
    Raises:
        AssertionError: if an element of a local array is read before it is written, or an access is out of bounds.
    """
    memory: dict[Element, int] = {}
    written: set[Element] = set()
    local = {array.name for array in scop.arrays if array.local}
    bounds = {a.name: [s.evaluate(parameters) for s in a.shape if s is not None] for a in scop.arrays}

    def locate(access: Access, values: dict[str, int]) -> Element:
        element = (access.array, tuple(s.evaluate(values) for s in access.subscripts))
        assert all(0 <= s < n for s, n in zip(element[1], bounds[access.array], strict=True)), element
        return element

    def evaluate(expression: Expression, values: dict[str, int]) -> int:
        match expression:
            case Index(value, _):
                return value.evaluate(values)
            case Literal(number, _):
                return int(number)
            case Read(access, _):
                element = locate(access, values)
                assert element in memory or access.array not in local, f"{element} is read before it is written"
                return memory.get(element, 17 + zlib.crc32(repr(element).encode()))
            case Binary("+", left, right, _):
                return (3 * evaluate(left, values) + 5 * evaluate(right, values)) % 1_000_003
            case _:
                raise AssertionError(f"no test uses {expression}")

    for instance in instances(scop, parameters):
        statement, values = scop.statement(instance.statement), dict(instance.values)
        value = evaluate(statement.value, values)
        element = locate(statement.target, values)
        memory[element] = value
        written.add(element)
    return {element: memory[element] for element in written if element[0] not in local}
