"""Schedule: integer rows per statement, which is all that a schedule is; and its way from coefficients and to a tree.

A point of a dimension's polyhedron is a convex combination of its vertices plus a combination of its rays and lines
(`decode`); one coefficient vector per dimension makes a Schedule; a Schedule becomes a schedule tree (`to_tree`), in
which what orders nothing is dropped and permutable bands and coincident loops are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from polyloop.backend.ir.affine import Affine, linear
from polyloop.errors import PolyloopError
from polyloop.polyhedra.generators import Generators
from polyloop.polyhedra.integer_matrix import Row, echelon, independent, matrix, reduced, widened
from polyloop.schedules.legality import annotated, permutable
from polyloop.schedules.tree import Band, Branch, Leaf, Member, Node, ScheduleTree, children
from polyloop.schedules.tree import Sequence as SequenceNode
from polyloop.scop.dependence import Dependence
from polyloop.scop.model import Scop


class ScheduleRowError(PolyloopError):
    """A schedule has rows that are no integer combination of iterators, parameters and one (tiles, strides)."""


@dataclass(frozen=True)
class Schedule:
    """Instances run in lexicographic order of their statement's rows.

    Attributes:
        statements, iterators: all statements of the Scop in textual order, and the iterators of each.
        parameters: the Scop's.
        rows: for every statement one row per dimension: coefficients of its iterators, of the parameters, and the
            constant. All statements have as many dimensions.
    """

    statements: tuple[str, ...]
    iterators: tuple[tuple[str, ...], ...]
    parameters: tuple[str, ...]
    rows: tuple[tuple[Row, ...], ...]

    @classmethod
    def of_rows(cls, scop: Scop, rows: dict[str, tuple[Affine, ...]]) -> Schedule:
        """From affine rows per statement, all of one length.

        Raises:
            ScheduleRowError: for rows with divisions.
        """
        values = tuple(tuple(_row(row, s.iterators, scop.parameters) for row in rows[s.name]) for s in scop.statements)
        names, iterators = tuple(s.name for s in scop.statements), tuple(s.iterators for s in scop.statements)
        return cls(names, iterators, scop.parameters, values)

    @classmethod
    def of_tree(cls, scop: Scop, tree: ScheduleTree) -> Schedule:
        """The flat schedule of a tree without tiles.

        Raises:
            ScheduleRowError: for trees with tiles.
        """
        return cls.of_rows(scop, tree.rows())

    @property
    def dimensions(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    def dimension(self, index: int) -> tuple[Row, ...]:
        """One dimension's row of every statement."""
        return tuple(rows[index] for rows in self.rows)

    def affine_rows(self) -> dict[str, tuple[Affine, ...]]:
        """The rows of every statement as affine expressions."""
        return {
            name: tuple(_affine(row, (*iterators, *self.parameters)) for row in rows)
            for name, iterators, rows in zip(self.statements, self.iterators, self.rows, strict=True)
        }

    def completed(self, scop: Scop) -> Schedule:
        """With further dimensions that make the iteration vectors of every statement, and the statements, distinct:
        for each statement the original loops that its rows do not span yet, then the textual position."""
        missing = [_missing(rows, _original(scop, name)) for name, rows in zip(self.statements, self.rows, strict=True)]
        count = max(map(len, missing), default=0)
        widths = [len(iterators) + len(self.parameters) + 1 for iterators in self.iterators]
        rows = tuple(
            (*own, *extra, *(_constant(0, width) for _ in range(count - len(extra))), _constant(k, width))
            for k, (own, extra, width) in enumerate(zip(self.rows, missing, widths, strict=True))
        )
        return Schedule(self.statements, self.iterators, self.parameters, rows)

    def to_tree(self, scop: Scop, dependences: Iterable[Dependence], complete: bool = False) -> ScheduleTree:
        """The schedule as a tree.

        Dimensions that order nothing are dropped, those that only order statements become sequences, and consecutive
        loops that all dependences allow to be interchanged become one permutable band.

        Args:
            dependences: memory-based ones; `permutable` and `coincident` are decided by them.
            complete: append dimensions until every statement's instances are told apart (a schedule may leave
                instances without an order when none depends on another; code generation then enumerates them).
        """
        given = tuple(dependences)
        whole = self.completed(scop) if complete else self
        order = {name: k for k, name in enumerate(whole.statements)}
        tree = ScheduleTree(whole.statements, _Builder(whole, order).node(whole.statements, 0, ()))
        return annotated(_merged(tree, given), given)

    def __str__(self) -> str:
        lines = []
        for name, iterators, rows in zip(self.statements, self.iterators, self.affine_rows().values(), strict=True):
            lines.append(f"{name}[{', '.join(iterators)}] -> [{', '.join(map(str, rows))}]")
        return "\n".join(lines)


def decode(generators: Generators, coefficients: Sequence[int], divide_by_gcd: bool = True) -> Row:
    """The integer point that coefficients choose.

    Args:
        coefficients: one per vertex where there are several (their sum normalises them), then one per element of
            `generators.directions`, all in order.
        divide_by_gcd: divide the result by the greatest common divisor of its entries: the same order in smaller
            numbers. Off, the point is in the polyhedron (times the least common denominator).
    Raises:
        ValueError: if the number of coefficients is wrong, or those of the vertices are all zero.
    """
    vertices = generators.vertices
    chosen = len(vertices) if len(vertices) > 1 else 0
    if len(coefficients) != chosen + len(generators.directions):
        raise ValueError(f"{len(coefficients)} coefficients for {chosen + len(generators.directions)} generators")
    weights = tuple(coefficients[:chosen]) if chosen else (1,)
    total = sum(weights)
    if total == 0:
        raise ValueError("the coefficients of the vertices are all zero")
    used = [(w, v) for w, v in zip(weights, vertices, strict=True) if w]
    scale = lcm(*(Fraction(x).denominator for _, vertex in used for x in vertex))
    directed = generators.combination(coefficients[chosen:])
    numerators = [total * scale * d + sum(int(w * scale * v[k]) for w, v in used) for k, d in enumerate(directed)]
    divisor = gcd(*numerators) if divide_by_gcd else gcd(total * scale, *numerators)
    return tuple(n // (divisor or 1) for n in numerators)


@dataclass(frozen=True)
class _Builder:
    """Makes nodes from the dimensions of a schedule, outermost first."""

    schedule: Schedule
    order: dict[str, int]

    def node(self, names: tuple[str, ...], dimension: int, above: tuple[tuple[Row, ...], ...]) -> Node:
        """The node that orders some statements from a dimension on.

        Args:
            above: the dimensions further out, each as one row per statement in `names`.
        """
        if dimension == self.schedule.dimensions:
            return Leaf()
        rows = tuple(self.schedule.rows[self.order[name]][dimension] for name in names)
        if self._orders_nothing(names, rows, above):
            return self.node(names, dimension + 1, above)
        if self._only_constants(names, rows):
            return self._sequence(names, rows, dimension, above)
        parameters = self.schedule.parameters
        each = zip(names, _simplest(rows, len(parameters)), strict=True)
        members = tuple((n, _affine(r, (*self.schedule.iterators[self.order[n]], *parameters))) for n, r in each)
        return Band((Member(members),), False, self.node(names, dimension + 1, (*above, rows)))

    def _sequence(
        self, names: tuple[str, ...], rows: tuple[Row, ...], dimension: int, above: tuple[tuple[Row, ...], ...]
    ) -> Node:
        branches = []
        for value in sorted({row[-1] for row in rows}):
            chosen = [k for k, row in enumerate(rows) if row[-1] == value]
            part = tuple(names[k] for k in chosen)
            kept = tuple(tuple(outer[k] for k in chosen) for outer in above)
            branches.append(Branch(part, self.node(part, dimension + 1, kept)))
        return SequenceNode(tuple(branches))

    def _only_constants(self, names: tuple[str, ...], rows: tuple[Row, ...]) -> bool:
        depths = [len(self.schedule.iterators[self.order[name]]) for name in names]
        if any(any(row[:depth]) for row, depth in zip(rows, depths, strict=True)):
            return False
        return len({row[depth:-1] for row, depth in zip(rows, depths, strict=True)}) == 1

    def _orders_nothing(
        self, names: tuple[str, ...], rows: tuple[Row, ...], above: tuple[tuple[Row, ...], ...]
    ) -> bool:
        """Whether the dimension is a combination of those above and of values that all statements share: where these
        agree, it agrees."""
        depths = [len(self.schedule.iterators[self.order[name]]) for name in names]
        parameters = len(self.schedule.parameters)
        width = sum(depths) + len(names) * (parameters + 1)
        common = []
        for k in range(parameters + 1):
            shared = [(0,) * depth + (0,) * k + (1,) + (0,) * (parameters - k) for depth in depths]
            common.append(tuple(shared))
        known = matrix([_joined(each) for each in (*above, *common)], width)
        try:
            basis, pivots = echelon(known)
            left = reduced(matrix([_joined(rows)], width), basis, pivots)
        except OverflowError:
            basis, pivots = echelon(widened(known))
            left = reduced(widened(matrix([_joined(rows)], width)), basis, pivots)
        return not np.any(left)


def _merged(tree: ScheduleTree, dependences: tuple[Dependence, ...]) -> ScheduleTree:
    """Bands that may be one permutable band become one, from the outside in."""
    path: tuple[int, ...] = ()
    paths = [path]
    while paths:
        path = paths.pop()
        node = tree.at(path)
        if isinstance(node, Band) and isinstance(node.child, Band):
            joined = tree.replaced(path, Band((*node.members, *node.child.members), False, node.child.child))
            if permutable(joined, path, dependences):
                tree = joined
                paths.append(path)
                continue
        paths.extend((*path, k) for k in range(len(children(node))))
    return tree


def _simplest(rows: tuple[Row, ...], parameters: int) -> tuple[Row, ...]:
    """Rows that order the same instances the same way, without what all statements share: offsets, and a factor."""
    shared = {row[-1 - parameters : -1] for row in rows}
    offset = (*(shared.pop() if len(shared) == 1 else (0,) * parameters), rows[0][-1])
    start = parameters + 1
    moved = [(*row[:-start], *(c - o for c, o in zip(row[-start:], offset, strict=True))) for row in rows]
    divisor = gcd(*_joined(moved))
    return tuple(tuple(c // divisor for c in row) for row in moved)


def _joined(rows: Iterable[Row]) -> Row:
    return tuple(value for row in rows for value in row)


def _affine(row: Row, names: Sequence[str]) -> Affine:
    return linear(((name, c) for name, c in zip(names, row, strict=False)), row[-1])


def _row(value: Affine, iterators: tuple[str, ...], parameters: tuple[str, ...]) -> Row:
    names = (*iterators, *parameters)
    other = [str(atom) for atom, _ in value.terms if not isinstance(atom, str) or atom not in names]
    if other:
        known = ", ".join((*names, "1"))
        raise ScheduleRowError(f"the schedule row {value} is no integer combination of {known}")
    return (*(value.coefficient(name) for name in names), value.constant)


def _constant(value: int, width: int) -> Row:
    return (0,) * (width - 1) + (value,)


def _original(scop: Scop, name: str) -> list[Row]:
    statement = scop.statement(name)
    return [_row(row, statement.iterators, scop.parameters) for row in statement.schedule[1::2]]


def _missing(rows: tuple[Row, ...], loops: list[Row]) -> list[Row]:
    """The loops, outermost first, whose iterators the rows (and the loops before) do not span."""
    kept = independent((*rows, *loops), len(loops))
    return [loops[k - len(rows)] for k in kept if k >= len(rows)]
