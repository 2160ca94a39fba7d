"""Legality by enumeration: every instance of a small Scop, in Python, without isl's dependence analysis."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import islpy as isl

from polyloop.backend.ir.expressions import Access, Binary, Expression, Index, Literal, Read
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.schedules.tree import Band, Leaf, ScheduleTree, Sequence
from polyloop.scop.model import Scop, Statement

Element = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class Instance:
    statement: str
    point: tuple[int, ...]
    values: tuple[tuple[str, int], ...]
    reads: frozenset[Element]
    write: Element


def parameter_values(scop: Scop) -> Iterator[dict[str, int]]:
    """Every assignment of the parameters that the (bounded) context admits."""
    points: list[isl.Point] = []
    context = scop.context & scop.assumptions
    isl.Set.from_params(context).move_dims(
        isl.dim_type.set, 0, isl.dim_type.param, 0, len(scop.parameters)
    ).foreach_point(points.append)
    for point in points:
        yield {p: point.get_coordinate_val(isl.dim_type.set, k).to_python() for k, p in enumerate(scop.parameters)}


def instances(scop: Scop, parameters: dict[str, int]) -> list[Instance]:
    """All instances in the original order."""
    found = []
    for statement in scop.statements:
        for point in _points(statement, parameters):
            values = parameters | dict(zip(statement.iterators, point, strict=True))
            reads = frozenset((a.array, tuple(s.evaluate(values) for s in a.subscripts)) for a in statement.reads)
            write = (statement.target.array, tuple(s.evaluate(values) for s in statement.target.subscripts))
            time = tuple(row.evaluate(values) for row in statement.schedule)
            found.append((time, Instance(statement.name, point, tuple(values.items()), reads, write)))
    return [instance for _, instance in sorted(found, key=lambda pair: pair[0])]


def conflicts(ordered: Iterable[Instance]) -> list[tuple[Instance, Instance]]:
    """Pairs in order that touch one element, one of them writing."""
    return [
        (first, second)
        for first, second in combinations(ordered, 2)
        if first.write == second.write or first.write in second.reads or second.write in first.reads
    ]


def is_legal(scop: Scop, tree: ScheduleTree) -> bool:
    """Every conflicting pair strictly in order, none carried by a loop that runs at once, for all parameter values."""
    return all(
        _kept(tree, first, second)
        for parameters in parameter_values(scop)
        for first, second in conflicts(instances(scop, parameters))
    )


def _kept(tree: ScheduleTree, first: Instance, second: Instance) -> bool:
    node = tree.root
    while not isinstance(node, Leaf):
        match node:
            case Band(members, _, child):
                for member in members:
                    before = member.row(first.statement).evaluate(dict(first.values)) // member.divisor
                    after = member.row(second.statement).evaluate(dict(second.values)) // member.divisor
                    if before != after:
                        return before < after and member.kind not in (LoopKind.VECTOR, LoopKind.PARALLEL)
                node = child
            case Sequence(branches):
                places = [
                    next(k for k, branch in enumerate(branches) if name in branch.statements)
                    for name in (first.statement, second.statement)
                ]
                if places[0] != places[1]:
                    return places[0] < places[1]
                node = branches[places[0]].node
    return False


def _points(statement: Statement, parameters: dict[str, int]) -> list[tuple[int, ...]]:
    domain = statement.domain
    for name, value in parameters.items():
        index = domain.find_dim_by_name(isl.dim_type.param, name)
        if index >= 0:
            domain = domain.fix_val(isl.dim_type.param, index, isl.Val(value))
    points: list[isl.Point] = []
    domain.project_out(isl.dim_type.param, 0, domain.dim(isl.dim_type.param)).foreach_point(points.append)
    return [
        tuple(p.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(statement.depth)) for p in points
    ]


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
