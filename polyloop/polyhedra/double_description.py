"""The double description method: from the constraints of a cone to its lines and extreme rays.

Constraints are added one by one. One that cuts the lineality space turns a line into a ray; any other splits the rays
into kept and cut ones, and every adjacent pair of the two gives a new ray. The order is dynamic: what costs the fewest
pairs comes first. Arithmetic is exact (int64, or Python integers after an overflow).

References:
    Chernikova, "Algorithm for discovering the set of all the solutions of a linear programming problem", 1968.
    Le Verge, "A note on Chernikova's algorithm", INRIA RR-1662, 1992: adjacency of rays by the constraints that both
    saturate. We count these first and search for a third ray only where the count allows adjacency.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polyloop.errors import PolyloopError
from polyloop.polyhedra.integer_matrix import Matrix, combined, largest, null_space, primitive, product, widened

_PAIRS_AT_ONCE = 1 << 14
_RAYS_AT_ONCE = 64


class TooManyRaysError(PolyloopError):
    """A cone has, or passes through, more rays than were allowed."""


@dataclass(frozen=True)
class Cone:
    """A cone in the middle of the method.

    Attributes:
        lines: basis of the lineality space, one row each.
        rays: extreme rays modulo the lines, one row each.
        saturated: rays by constraints added so far: where the constraint is zero on the ray.
        rank: dimension of the cone modulo its lines.
        pruned: rays were left out on the way, so that the cone may be smaller than its constraints say.
    """

    lines: Matrix
    rays: Matrix
    saturated: NDArray[np.bool_]
    rank: int
    pruned: bool = False


def solve(equalities: Matrix, inequalities: Matrix, limit: int | None = None) -> Cone:
    """Lines and extreme rays of {x : equalities x = 0, inequalities x >= 0}.

    Args:
        limit: the largest number of rays at any step.
    Raises:
        TooManyRaysError: beyond the limit.
    """
    try:
        space = null_space(equalities)
    except OverflowError:
        space = null_space(widened(equalities))
    return refine(subspace(space), inequalities, limit)


def subspace(lines: Matrix) -> Cone:
    """The space that linearly independent rows span."""
    return Cone(lines, np.zeros((0, lines.shape[1]), dtype=lines.dtype), np.zeros((0, 0), dtype=bool), 0)


def refine(cone: Cone, inequalities: Matrix, limit: int | None = None, prune: int | None = None) -> Cone:
    """The cone with further inequalities.

    Args:
        limit: the largest number of rays at any step.
        prune: after any step keep only about so many rays, the shortest and, for every inequality, the shortest that
            is positive on it. All rays then lie in the cone, but they may generate a part of it only.
    Raises:
        TooManyRaysError: beyond the limit.
    """
    if cone.lines.dtype != object and inequalities.dtype != object:
        try:
            return _refine(cone, inequalities, limit, prune)
        except OverflowError:
            pass  # once more with Python integers
    wide = replace(cone, lines=widened(cone.lines), rays=widened(cone.rays))
    return _refine(wide, widened(inequalities), limit, prune)


def _refine(cone: Cone, inequalities: Matrix, limit: int | None, prune: int | None) -> Cone:
    left = inequalities
    while len(left) and len(cone.lines):
        values = product(left, cone.lines)
        cutting = np.flatnonzero((values != 0).any(axis=1))
        if not len(cutting):
            break
        sizes = np.where(values[cutting] == 0, largest(values) + 1, np.abs(values[cutting]))
        row, line = np.unravel_index(int(np.argmin(sizes)), sizes.shape)
        chosen = int(cutting[row])
        cone = _cut_lines(cone, left[chosen], int(line))
        left = np.delete(left, chosen, axis=0)
    while len(left):
        values = product(left, cone.rays)
        positive, negative = (values > 0).sum(axis=1), (values < 0).sum(axis=1)
        needed = negative > 0  # the others are implied
        left, values = left[needed], values[needed]
        if not len(left):
            break
        chosen = int(np.argmin((positive * negative)[needed]))
        cone = _cut_rays(cone, values[chosen])
        if limit is not None and len(cone.rays) > limit:
            raise TooManyRaysError(f"a cone of dimension {cone.rank} has more than {limit} rays")
        if prune is not None and len(cone.rays) > prune:
            cone = _pruned(cone, inequalities, prune)
        left = np.delete(left, chosen, axis=0)
    return cone


def _cut_lines(cone: Cone, constraint: Matrix, chosen: int) -> Cone:
    """`constraint` cuts the line `chosen`, which becomes a ray; everything else moves onto the constraint's plane."""
    line = cone.lines[chosen]
    value = int(constraint @ line)
    if value < 0:
        line, value = -line, -value
    others = np.delete(cone.lines, chosen, axis=0)
    lines = _projected(others, constraint, line, value)
    rays = np.vstack([_projected(cone.rays, constraint, line, value), primitive(line[None, :])])
    count = cone.saturated.shape[1]
    old = np.hstack([cone.saturated, np.ones((len(cone.rays), 1), dtype=bool)])
    new = np.ones((1, count + 1), dtype=bool)
    new[0, count] = False
    saturated = np.vstack([old.reshape(len(cone.rays), count + 1), new])
    return replace(cone, lines=lines, rays=rays, saturated=saturated, rank=cone.rank + 1)


def _projected(rows: Matrix, constraint: Matrix, line: Matrix, value: int) -> Matrix:
    if not len(rows):
        return rows
    factors = np.full(len(rows), value, dtype=rows.dtype)
    return combined(rows, factors, line, -product(rows, constraint[None, :])[:, 0])


def _cut_rays(cone: Cone, values: Matrix) -> Cone:
    """`values`: the new constraint on every ray. Lines lie in its plane."""
    positive, negative = np.flatnonzero(values > 0), np.flatnonzero(values < 0)
    first, second = _adjacent(cone, positive, negative)
    made = combined(cone.rays[second], values[first], cone.rays[first], -values[second])
    kept = values >= 0
    on_plane = (values == 0)[kept][:, None]
    both = cone.saturated[first] & cone.saturated[second]
    old = np.hstack([cone.saturated[kept], on_plane])
    new = np.hstack([both, np.ones((len(made), 1), dtype=bool)])
    rays = np.vstack([cone.rays[kept], made])
    return replace(cone, rays=rays, saturated=np.vstack([old, new]))


def _pruned(cone: Cone, inequalities: Matrix, count: int) -> Cone:
    """The shortest rays. Pairs that are no neighbours may look like ones afterwards: that costs time and gives rays
    that are not extreme, but none outside the cone."""
    lengths = np.abs(cone.rays).sum(axis=1)
    order = np.lexsort((*cone.rays.T[::-1], lengths))
    kept = np.zeros(len(order), dtype=bool)
    kept[order[:count]] = True
    positive = product(inequalities, cone.rays)[:, order] > 0
    kept[order[np.argmax(positive, axis=1)[positive.any(axis=1)]]] = True
    return replace(cone, rays=cone.rays[kept], saturated=cone.saturated[kept], pruned=True)


def _adjacent(
    cone: Cone, positive: NDArray[np.intp], negative: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of adjacent rays: no third ray saturates everything that both saturate."""
    # Small integers, not floats: products of small float matrices wake up all of BLAS's threads.
    small = cone.saturated.astype(np.int16)
    p, n = np.nonzero(small[positive] @ small[negative].T >= cone.rank - 2)
    first, second = positive[p], negative[n]
    words = _packed(cone.saturated)
    missing = ~words
    kept = np.ones(len(first), dtype=bool)
    for start in range(0, len(first), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        kept[part] = _without_third(words[:, first[part]] & words[:, second[part]], missing)
    return first[kept], second[kept]


def _without_third(both: NDArray[np.uint64], missing: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which pairs are the only two rays that saturate what both saturate.

    Args:
        both: words by pairs, what both rays saturate.
        missing: words by rays, what each ray does not saturate.
    """
    alive = np.arange(both.shape[1])
    counts = np.zeros(both.shape[1], dtype=np.int64)
    for start in range(0, missing.shape[1], _RAYS_AT_ONCE):
        some = missing[:, start : start + _RAYS_AT_ONCE]
        lacking = both[0, alive, None] & some[0]
        for word in range(1, len(both)):
            lacking |= both[word, alive, None] & some[word]
        counts[alive] += (lacking == 0).sum(axis=1)
        alive = alive[counts[alive] <= 2]
    return counts <= 2


def _packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of bits as columns of 64-bit words."""
    count, width = bits.shape
    padded = np.zeros((count, max(-(-width // 64), 1) * 64), dtype=bool)
    padded[:, :width] = bits
    return np.ascontiguousarray(np.packbits(padded, axis=1).view(np.uint64).T)
