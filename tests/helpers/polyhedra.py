"""Points of polyhedra, in exact numbers."""

from __future__ import annotations

from collections.abc import Sequence

from polyloop.polyhedra.generators import Constraints, Number


def contains(constraints: Constraints, point: Sequence[Number]) -> bool:
    """Whether a point satisfies all of them."""

    def value(row: tuple[int, ...]) -> Number:
        return sum((c * x for c, x in zip(row[1:], point, strict=True)), row[0])

    return not any(map(value, constraints.equalities)) and all(value(row) >= 0 for row in constraints.inequalities)
