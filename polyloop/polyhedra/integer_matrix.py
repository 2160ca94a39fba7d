"""Exact linear algebra over the integers, on numpy matrices whose rows are vectors.

Entries are int64 as long as they fit and Python integers (numpy's object type) beyond: every function works on both,
and raises `OverflowError` before an int64 could wrap around. Callers start over with `widened` matrices then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[Any]
"""Rows by columns, int64 or object."""

Row: TypeAlias = "tuple[int, ...]"

_LIMIT = 1 << 62


def matrix(rows: Iterable[Sequence[int]], columns: int) -> Matrix:
    """The rows as int64 where they fit, else as Python integers; no rows give a matrix of shape (0, columns)."""
    listed = [list(row) for row in rows]
    if not listed:
        return np.zeros((0, columns), dtype=np.int64)
    try:
        return np.array(listed, dtype=np.int64).reshape(len(listed), columns)
    except OverflowError:
        return widened(np.array(listed, dtype=object).reshape(len(listed), columns))


def widened(values: Matrix) -> Matrix:
    """The same with Python integers as entries."""
    return values.astype(object)


def to_rows(values: Matrix) -> list[Row]:
    """The rows as tuples of Python integers."""
    return [tuple(row) for row in values.tolist()]


def largest(values: Matrix) -> int:
    """The largest absolute value; 0 of an empty matrix."""
    return int(np.abs(values).max()) if values.size else 0


def product(left: Matrix, right: Matrix) -> Matrix:
    """left @ right.T, that is the inner products of the rows of one with the rows of the other.

    Raises:
        OverflowError: where int64 might not hold the result.
    """
    if left.dtype != object and right.dtype != object and largest(left) * largest(right) * left.shape[1] >= _LIMIT:
        raise OverflowError
    if left.dtype == object or right.dtype == object:
        wide: Matrix = left @ right.T
        return wide
    # numpy's loop behind @ takes twice as long on integers.
    result: Matrix = np.einsum("ij,kj->ik", left, right)
    return result


def inner(left: Matrix, right: Matrix) -> Matrix:
    """`product`, in Python integers where int64 might not do."""
    try:
        return product(left, right)
    except OverflowError:
        return product(widened(left), widened(right))


def combined(rows: Matrix, factors: Matrix, others: Matrix, other_factors: Matrix) -> Matrix:
    """rows * factors + others * other_factors, row by row, made primitive; `others` may be a single row.

    Raises:
        OverflowError: where int64 might not hold the result.
    """
    if rows.dtype != object:
        bound = largest(rows) * largest(factors) + largest(others) * largest(other_factors)
        if bound >= _LIMIT:
            raise OverflowError
    return primitive(rows * factors[:, None] + others * other_factors[:, None])


def primitive(values: Matrix) -> Matrix:
    """Every row divided by the greatest common divisor of its entries; zero rows stay."""
    if not values.size:
        return values
    divisors = np.gcd.reduce(values, axis=1)
    divisors = np.where(divisors == 0, 1, np.abs(divisors))
    result: Matrix = values // divisors[:, None]
    return result


def distinct(values: Matrix) -> Matrix:
    """The nonzero rows, each once, in descending lexicographic order."""
    if not len(values):
        return values
    rows = sorted(set(map(tuple, values.tolist())), reverse=True)
    kept = [row for row in rows if any(row)]
    return np.array(kept, dtype=values.dtype).reshape(len(kept), values.shape[1])


def independent(rows: Iterable[Row], columns: int) -> list[int]:
    """The numbers of the rows that, in their first columns, are no combination of those before them."""
    found: list[int] = []
    known: list[tuple[int, list[Fraction]]] = []  # pivots, and rows that are one there
    for number, row in enumerate(rows):
        left = [Fraction(value) for value in row[:columns]]
        for pivot, other in known:
            factor = left[pivot]
            if factor:
                left = [value - factor * o for value, o in zip(left, other, strict=True)]
        pivot = next((k for k, value in enumerate(left) if value), -1)
        if pivot >= 0:
            known.append((pivot, [value / left[pivot] for value in left]))
            found.append(number)
        if len(found) == columns:
            break
    return found


def echelon(values: Matrix) -> tuple[Matrix, list[int]]:
    """The reduced echelon form of a row space, with pivots from the last column backwards.

    Returns:
        Primitive rows, positive at their pivots and zero at the others', and the pivot columns (descending).
    Raises:
        OverflowError: where int64 might not hold the result.
    """
    done: dict[int, dict[int, int]] = {}  # rows by their pivots; sparse, as few of their entries are not zero
    for row in values.tolist():
        new = {column: value for column, value in enumerate(row) if value}
        for column in [column for column in new if column in done]:
            _eliminate(new, done[column], column)
        if not new:
            continue
        pivot = max(new)
        _divide(new, gcd(*new.values()) * (1 if new[pivot] > 0 else -1))
        for known in done.values():
            if pivot in known:
                _eliminate(known, new, pivot)
        done[pivot] = new
    pivots = sorted(done, reverse=True)
    result = np.zeros((len(pivots), values.shape[1]), dtype=values.dtype)
    for k, pivot in enumerate(pivots):
        result[k, list(done[pivot])] = list(done[pivot].values())
    return result, pivots


def _eliminate(row: dict[int, int], other: dict[int, int], column: int) -> None:
    """Make a row zero in a column where it is not, by one that is positive there."""
    common = gcd(other[column], row[column])
    own, factor = other[column] // common, row[column] // common
    if own != 1:
        for place in row:
            row[place] *= own
    for place, value in other.items():
        row[place] = row.get(place, 0) - factor * value
        if not row[place]:
            del row[place]
    _divide(row, gcd(*row.values()))


def _divide(row: dict[int, int], divisor: int) -> None:
    if divisor not in (0, 1):
        for place in row:
            row[place] //= divisor


def reduced(values: Matrix, basis: Matrix, pivots: Sequence[int]) -> Matrix:
    """The rows modulo a row space in echelon form: zero at its pivots, scaled by positive factors to be primitive.

    Raises:
        OverflowError: where int64 might not hold the result.
    """
    if not len(values):
        return values
    result = values
    for row, column in zip(basis, pivots, strict=True):
        touched = result[:, column]
        if np.any(touched):
            factors = np.full(len(result), row[column], dtype=result.dtype)
            result = combined(result, factors, row, -touched)
    return primitive(result)


def null_space(equalities: Matrix) -> Matrix:
    """A basis of the vectors that all rows annihilate, as primitive rows.

    Raises:
        OverflowError: where int64 might not hold the result.
    """
    columns = equalities.shape[1]
    rows, pivots = echelon(equalities)
    free = [c for c in range(columns) if c not in set(pivots)]
    basis = np.zeros((len(free), columns), dtype=equalities.dtype)
    if not free:
        return basis
    multiple = lcm(*(int(row[pivot]) for row, pivot in zip(rows, pivots, strict=True)))
    if equalities.dtype != object and multiple * max(largest(rows), 1) >= _LIMIT:
        raise OverflowError
    basis[range(len(free)), free] = multiple
    for row, pivot in zip(rows, pivots, strict=True):
        basis[:, pivot] = -row[free] * (multiple // int(row[pivot]))
    return primitive(basis)
