"""Generators of a schedule space's polyhedra: the cone of weak vectors, its vertices under strong constraints, and the
anchor that stands for vertices that are too many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polyloop.polyhedra.double_description import Cone, refine, subspace
from polyloop.polyhedra.generators import Generators, Point, canonical, cut, homogenised
from polyloop.polyhedra.hulls import Hull
from polyloop.polyhedra.integer_matrix import Matrix, Row, distinct, echelon, inner, matrix, primitive, to_rows, widened


def cone_generators(around: Hull, prune: int) -> tuple[Generators, bool]:
    """Rays and lines of a cone, with the origin as its vertex, and whether these are all of it.

    Args:
        prune: how many rays are kept at any step; see `polyloop.polyhedra.double_description.refine`.
    """
    dimension = len(around.basis)
    cone = refine(subspace(np.eye(dimension, dtype=np.int64)), around.irredundant(), prune=prune)
    lines, rays = (primitive(inner(rows, around.basis.T)) for rows in (cone.lines, cone.rays))
    basis, rest = canonical(lines, rays)
    columns = around.basis.shape[1]
    rows = tuple(to_rows(distinct(rest))), tuple(to_rows(distinct(basis)))
    return Generators(columns, ((0,) * columns,), *rows), not cone.pruned


def strong_vertices(cone: Generators, weak: Matrix, rows: Sequence[Row], limit: int) -> tuple[Point, ...]:
    """Vertices of the part of a cone that further rows (constant, coefficients...) leave.

    Args:
        weak: inequalities that, with equalities, give the cone.
        limit: how many rays and vertices there may be at any step.
    Raises:
        TooManyRaysError: beyond the limit.
    """
    lines, rays = matrix(cone.lines, cone.dimension), matrix(cone.rays, cone.dimension)
    both = np.vstack([lines, rays])
    try:
        rank = len(echelon(both)[1]) - len(lines)
    except OverflowError:
        rank = len(echelon(widened(both))[1]) - len(lines)
    # Constraints that the same rays saturate count once: they say the same about adjacency.
    saturated = _distinct_columns(inner(rays, weak) == 0)
    return cut(homogenised(Cone(lines, rays, saturated, rank), saturated.shape[1]), rows, limit).vertices


def _distinct_columns(bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The columns, each once."""
    keys = [column.tobytes() for column in np.packbits(bits, axis=0).T]
    return bits[:, sorted({key: k for k, key in enumerate(keys)}.values())]


def anchor(cone: Generators, rows: Sequence[Row]) -> tuple[Point, ...]:
    """An integer point of a cone that satisfies further rows (constant, coefficients...), as a sum of few rays: each
    time the ray that helps most rows, of several the shortest; () if no sum does."""
    rays = matrix(cone.rays, cone.dimension)
    bounds = matrix(rows, cone.dimension + 1)
    gains, missing = inner(bounds[:, 1:], rays), -bounds[:, 0]
    lengths = np.abs(rays).sum(axis=1)
    point = np.zeros(cone.dimension, dtype=object)
    while True:
        open_rows = missing > 0
        if not open_rows.any():
            return (tuple(int(x) for x in point),)
        helps = (gains[open_rows] > 0).sum(axis=0)
        if not len(rays) or not helps.max():
            return ()
        best = min(range(len(rays)), key=lambda k: (-helps[k], lengths[k], k))
        gain = gains[:, best]
        times = max(-(-int(m) // int(g)) for m, g in zip(missing[open_rows], gain[open_rows], strict=True) if g > 0)
        point = point + rays[best].astype(object) * times
        missing = missing - gain * times


def shortest(rays: tuple[Row, ...], count: int) -> tuple[Row, ...]:
    """The `count` rays with the smallest sums of absolute values, in the order given."""
    if len(rays) <= count:
        return rays
    chosen = sorted(range(len(rays)), key=lambda k: (sum(map(abs, rays[k])), k))[:count]
    return tuple(rays[k] for k in sorted(chosen))
