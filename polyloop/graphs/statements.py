"""What graphs of a Scop have in common, whatever its schedule: arrays, what statements touch, dependences.

Computed once for a Scop at sizes; the graphs of its trees and states take it from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import TypeAlias

from polyloop.backend.ir.expressions import Access, Binary, Call, Unary, walk
from polyloop.backend.ir.polynomials import evaluate
from polyloop.graphs.features import ALONG, EDGE_COLUMNS, MOST_LOOPS, NODE_COLUMNS, NODE_FEATURES, log_scaled
from polyloop.schedules.tree import strides
from polyloop.scop.data import instances
from polyloop.scop.dependence import RAW, WAR, WAW, Dependence
from polyloop.scop.model import Array, Scop, Statement

Values: TypeAlias = "tuple[tuple[int, float], ...]"
"""Features that are not 0, as (column, value)."""


@dataclass(frozen=True)
class Flow:
    """An access of a statement.

    Attributes:
        moves: elements that it moves for a step along each of the statement's iterators; None where that is not linear.
    """

    array: str
    write: bool
    moves: tuple[int, ...] | None

    @cached_property
    def values(self) -> Values:
        return (access_column(self.write), 1.0), *along(self.moves or ())


@dataclass(frozen=True)
class ScopTable:
    """The fixed part of the graphs of a Scop at sizes."""

    scop: Scop
    sizes: Mapping[str, int]
    _strides: dict[tuple[str, tuple[int, ...]], tuple[int, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def arrays(self) -> tuple[tuple[str, list[float]], ...]:
        """Name and features of every array that a statement touches."""
        read = {access.array for s in self.scop.statements for access in s.reads}
        written = self.scop.written
        return tuple(
            (array.name, self._data(array, array.name in read, array.name in written))
            for array in self.scop.arrays
            if array.name in read | written
        )

    @cached_property
    def flows(self) -> dict[str, tuple[Flow, ...]]:
        """What every statement touches: reads in source order, then the write."""
        return {
            s.name: (*(self._flow(s, access, False) for access in s.reads), self._flow(s, s.target, True))
            for s in self.scop.statements
        }

    def strides(self, statement: str, gains: tuple[int, ...]) -> tuple[int, ...]:
        """Elements that each of a statement's `flows` moves when its iterators gain so much; 0 where that is not
        linear."""
        key = statement, gains
        known = self._strides.get(key)
        if known is None:
            known = self._strides[key] = tuple(
                0 if flow.moves is None else sum(gain * move for gain, move in zip(gains, flow.moves, strict=True))
                for flow in self.flows[statement]
            )
        return known

    @cached_property
    def computations(self) -> dict[str, Callable[[float, float, bool], list[float]]]:
        """For every statement what makes its features of depth, position and whether it is in the compute nest."""
        return {s.name: self._computation(s) for s in self.scop.statements}

    def _computation(self, statement: Statement) -> Callable[[float, float, bool], list[float]]:
        operations = sum(isinstance(node, Binary | Unary | Call) for node in walk(statement.value))
        still = row_of(
            size=log_scaled(int(instances(statement, self.sizes))),
            operations=log_scaled(operations),
            reads=log_scaled(len(statement.reads)),
            reduction=float(statement.reduction is not None),
        )
        columns = [NODE_COLUMNS[name] for name in ("depth", "position", "in_compute")]

        def made(depth: float, position: float, in_compute: bool) -> list[float]:
            row = still.copy()
            for column, value in zip(columns, (depth, position, float(in_compute)), strict=True):
                row[column] = value
            return row

        return made

    def _data(self, array: Array, read: bool, written: bool) -> list[float]:
        extents = [extent.evaluate(self.sizes) for extent in array.shape if extent is not None]
        return row_of(
            size=log_scaled(prod(max(extent, 0) for extent in extents)),
            rank=min(len(array.shape) / 8, 1),
            bytes=min(array.type.bytes / 16, 1),
            float=float(array.type.is_float),
            local=float(array.local),
            read=float(read),
            written=float(written),
        )

    def _flow(self, statement: Statement, access: Access, write: bool) -> Flow:
        steps = [[int(n == k) for n in range(statement.depth)] for k in range(statement.depth)]
        moved = [strides(access, statement.iterators, step) for step in steps]
        weights = self._weights(self.scop.array(access.array))
        moves = tuple(sum(d * w for d, w in zip(m, weights, strict=True)) for m in moved if m is not None)
        return Flow(access.array, write, moves if len(moves) == len(moved) else None)

    def _weights(self, array: Array) -> list[int]:
        """Elements between neighbours along every subscript."""
        if array.strides is not None:
            return [evaluate(stride, self.sizes) for stride in array.strides]
        extents = [1 if extent is None else extent.evaluate(self.sizes) for extent in array.shape]
        return [prod(extents[k + 1 :]) for k in range(len(extents))]


def row_of(**values: float) -> list[float]:
    """A row of node features by their names."""
    row = [0.0] * len(NODE_FEATURES)
    for name, value in values.items():
        row[NODE_COLUMNS[name]] = value
    return row


def along(values: Iterable[int]) -> Values:
    """A vector over a statement's loops as edge features."""
    kept = zip(range(MOST_LOOPS), values, strict=False)
    return tuple((ALONG + k, log_scaled(value)) for k, value in kept if value)


def access_column(write: bool) -> int:
    """The edge feature that marks reads, or writes."""
    return EDGE_COLUMNS["write" if write else "read"]


def dependence_kinds(dependence: Dependence) -> dict[str, float]:
    """The features that say what a dependence is."""
    kinds = {name: float(kind in dependence.kinds) for name, kind in (("raw", RAW), ("war", WAR), ("waw", WAW))}
    return kinds | {"reduction": float(dependence.reduction)}


def distance_values(dependence: Dependence) -> Values:
    """Edge features of a dependence's distance, () if that is not constant."""
    distance = dependence.distance()
    return () if distance is None else ((EDGE_COLUMNS["fixed"], 1.0), *along(distance))
