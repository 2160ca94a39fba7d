"""What a nest computes and moves, counted: operations and the bytes that have to come and go at least."""

from __future__ import annotations

from collections.abc import Mapping

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import condition_variables, evaluate_condition
from polyloop.backend.ir.expressions import Binary, Call, Expression
from polyloop.backend.ir.loop_nest import Block, Compute, Guard, Loop, LoopNest, Node, Storage, children, walk

_COUNTED = ("+", "-", "*", "/")


def operations(value: Expression) -> int:
    """Arithmetic operations of one evaluation: + - * / and calls; comparisons, minima and conversions count none."""
    return sum(
        isinstance(node, Call) or (isinstance(node, Binary) and node.operator in _COUNTED) for node in e.walk(value)
    )


def fused_operations(value: Expression) -> int:
    """Of `operations`, those that are left where a sum takes up a product as one multiply-add."""
    fused = sum(
        isinstance(node, Binary)
        and node.operator in ("+", "-")
        and any(isinstance(part, Binary) and part.operator == "*" for part in (node.left, node.right))
        for node in e.walk(value)
    )
    return operations(value) - fused


def nest_operations(nest: LoopNest, parameters: Mapping[str, int]) -> int:
    """Arithmetic operations of one run of the nest."""
    return _Counter().count(nest.body, dict(parameters))


def compulsory_bytes(nest: LoopNest, parameters: Mapping[str, int]) -> int | None:
    """Bytes that one run moves at least: every argument array that is read comes in once, every one that is written
    goes out once, in full. None where an array's size is not known."""
    read: set[str] = set()
    written: set[str] = set()
    for node in walk(nest.body):
        if isinstance(node, Compute):
            written.add(node.target.array)
            read |= {r.access.array for r in (*e.reads(node.value), *e.reads_of_subscripts(node.target))}
    total = 0
    for array in nest.arrays:
        times = (array.name in read) + (array.name in written)
        if array.storage is not Storage.ARGUMENT or not times:
            continue
        size = array.type.bytes
        for extent in array.shape:
            if extent is None:
                return None
            size *= max(0, extent.evaluate(parameters))
        total += times * size
    return total


class _Counter:
    """Counts a subtree once for each setting of the variables that its bounds and conditions depend on."""

    def __init__(self) -> None:
        self._free: dict[int, frozenset[str]] = {}
        self._known: dict[tuple[int, tuple[int, ...]], int] = {}

    def count(self, node: Node, values: dict[str, int]) -> int:
        key = id(node), tuple(values[name] for name in sorted(self._variables(node)))
        if key not in self._known:
            self._known[key] = self._count(node, values)
        return self._known[key]

    def _count(self, node: Node, values: dict[str, int]) -> int:
        match node:
            case Compute(value=value):
                return operations(value)
            case Block(children):
                return sum(self.count(child, values) for child in children)
            case Guard(condition, body, orelse):
                return self.count(body if evaluate_condition(condition, values) else orelse, values)
            case Loop(variable, lower, upper, step, body, _):
                trips = range(lower.evaluate(values), upper.evaluate(values), step)
                if variable not in self._variables(body):
                    return len(trips) * self.count(body, values) if trips else 0
                return sum(self.count(body, {**values, variable: value}) for value in trips)

    def _variables(self, node: Node) -> frozenset[str]:
        """What the number of operations below depends on."""
        if id(node) not in self._free:
            self._free[id(node)] = self._find_variables(node)
        return self._free[id(node)]

    def _find_variables(self, node: Node) -> frozenset[str]:
        inside = frozenset[str]().union(*map(self._variables, children(node)))
        match node:
            case Guard(condition):
                return inside | condition_variables(condition)
            case Loop(variable, lower, upper):
                return (inside - {variable}) | lower.variables() | upper.variables()
            case _:
                return inside
