"""How the loops of a schedule move through memory: strides of accesses along a member of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import Access
from polyloop.schedules.tree import Member
from polyloop.scop.model import Statement


def step_of(statement: Statement, members: Sequence[Member], along: int) -> tuple[int, ...] | None:
    """The change of the statement's iterators when member `along` advances by one and all others stand still.

    Args:
        members: all loops around the statement, outermost first; tile loops (divisor > 1) are ignored, their point
            loops decide.
    Returns:
        One integer per iterator; None if the statement does not move along this member alone.
    """
    rows, right = [], []
    for index, member in enumerate(members):
        if member.divisor != 1:
            continue
        row = member.row(statement.name)
        coefficients = [Fraction(row.coefficient(iterator)) for iterator in statement.iterators]
        if not any(coefficients) and index != along:
            continue
        rows.append(coefficients)
        right.append(Fraction(int(index == along)))
    solution = solve(rows, right, len(statement.iterators))
    if solution is None or any(value.denominator != 1 for value in solution):
        return None
    return tuple(int(value) for value in solution)


def strides(access: Access, iterators: Sequence[str], step: Sequence[int]) -> tuple[int, ...] | None:
    """The change of every subscript for a change of the iterators; None where a subscript is not linear in them."""
    result = []
    for subscript in access.subscripts:
        if _nonlinear(subscript, iterators):
            return None
        result.append(sum(subscript.coefficient(name) * delta for name, delta in zip(iterators, step, strict=True)))
    return tuple(result)


def is_invariant(access_strides: tuple[int, ...] | None) -> bool:
    """Whether all iterations touch the same element; not so where strides are unknown (None)."""
    return access_strides is not None and not any(access_strides)


def is_contiguous(access_strides: tuple[int, ...] | None) -> bool:
    """Neighbouring iterations touch neighbouring elements of one row."""
    if not access_strides:
        return False
    return not any(access_strides[:-1]) and access_strides[-1] in (1, -1)


def contiguous_iterator(statement: Statement) -> str | None:
    """The iterator along which the store moves to the neighbouring element, and in no other way."""
    subscripts = statement.target.subscripts
    if not subscripts:
        return None
    for iterator in reversed(statement.iterators):
        elsewhere = any(iterator in s.variables() for s in subscripts[:-1])
        if subscripts[-1].coefficient(iterator) in (1, -1) and not elsewhere:
            return iterator
    return None


def _nonlinear(subscript: Affine, iterators: Sequence[str]) -> bool:
    bent = (Affine(((atom, 1),)) for atom, _ in subscript.terms if not isinstance(atom, str))
    return any(not part.variables().isdisjoint(iterators) for part in bent)


def solve(rows: list[list[Fraction]], right: list[Fraction], width: int) -> list[Fraction] | None:
    """The solution of rows * x = right by Gaussian elimination; free unknowns are 0; None if there is none."""
    matrix = [[*row, value] for row, value in zip(rows, right, strict=True)]
    pivots: list[int] = []
    for column in range(width):
        rank = len(pivots)
        pivot = next((k for k in range(rank, len(matrix)) if matrix[k][column]), None)
        if pivot is None:
            continue
        matrix[rank], matrix[pivot] = matrix[pivot], matrix[rank]
        scale = matrix[rank][column]
        matrix[rank] = [value / scale for value in matrix[rank]]
        for k, row in enumerate(matrix):
            if k != rank and row[column]:
                factor = row[column]
                matrix[k] = [value - factor * base for value, base in zip(row, matrix[rank], strict=True)]
        pivots.append(column)
    if any(row[width] and not any(row[:width]) for row in matrix):
        return None
    solution = [Fraction(0)] * width
    for row, column in zip(matrix, pivots, strict=False):
        solution[column] = row[width]
    return solution
