"""Whether generated code does what a Scop does, seen at small sizes.

Where loops move in steps (S[j] -> [11 j], T[j] -> [8 j]), isl's AST has statements in a wrong order at times, although
the schedule is proven. So such code is interpreted once beside the original loops. Data are small whole numbers: sums
of them are exact in any order, so that reassociated reductions are equal, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from polyloop.backend.errors import InterpreterError
from polyloop.backend.interpreter import interpret
from polyloop.backend.loop_nest import LoopNest
from polyloop.errors import PolyloopError
from polyloop.inputs import make_data, work
from polyloop.scop import Scop

Data: TypeAlias = "dict[str, NDArray[np.generic]]"

_RANGES = ((4, 7), (1, 40))
"""Parameters are looked for in these."""

_MOST_POINTS = 20_000
"""Beyond so many statement instances nothing is checked: sizes that are written into the loops."""


def strided(scop: Scop, rows: Mapping[str, list[list[int]]]) -> bool:
    """Whether some row moves in steps greater than 1 for its statement, where those before it are fixed.

    Args:
        rows: by statement, coefficients of its iterators, outermost row first.
    """
    return any(_moves_in_steps(rows[s.name], s.depth) for s in scop.statements if s.name in rows)


def _moves_in_steps(rows: list[list[int]], depth: int) -> bool:
    columns = [[row[k] for row in rows] for k in range(depth)]
    for place in range(len(rows)):
        moving = [column for column in columns if column[place]]
        while len(moving) > 1:
            least = min(moving, key=lambda column: abs(column[place]))
            for column in moving:
                if column is not least:
                    factor = column[place] // least[place]
                    column[:] = [x - factor * y for x, y in zip(column, least, strict=True)]
            moving = [column for column in moving if column[place]]
        if moving and abs(moving[0][place]) > 1:
            return True
        columns = [column for column in columns if not any(column is m for m in moving)]
    return False


def same_results(scop: Scop, original: LoopNest, nest: LoopNest) -> bool:
    """Whether two nests of a Scop leave the same in its arrays at small sizes; True where nothing small is found."""
    sizes = _small(scop)
    if sizes is None:
        return True
    try:
        if work(scop, sizes) > _MOST_POINTS:
            return True
        data = make_data(scop, sizes)
    except PolyloopError:
        return True
    names = {s.target.array for s in scop.statements}
    visible = [array.name for array in scop.arrays if array.name in names and not array.local]
    if not names <= {array.name for array in scop.arrays}:
        return True
    try:
        expected = _left_by(original, sizes, data)
    except InterpreterError:
        return True  # divisions by zero, say
    found = _left_by(nest, sizes, data)
    return all(expected[name].tobytes() == found[name].tobytes() for name in visible)


def _left_by(nest: LoopNest, sizes: Mapping[str, int], data: Data) -> Data:
    arrays = {name: _whole(array) for name, array in data.items()}
    interpret(nest, sizes, {spec.name: arrays[spec.name] for spec in nest.arrays if spec.name in arrays})
    return arrays


def _small(scop: Scop) -> dict[str, int] | None:
    names = scop.parameters
    known = (scop.context & scop.assumptions).params()
    for low, high in _RANGES:
        bounds = " and ".join(f"{low} <= {name} <= {high}" for name in names)
        point = (known & isl.Set(f"[{', '.join(names)}] -> {{ : {bounds or '1 = 1'} }}").params()).sample_point()
        if not point.is_void():
            place = {known.get_dim_name(isl.dim_type.param, k): k for k in range(known.dim(isl.dim_type.param))}
            values = {n: point.get_coordinate_val(isl.dim_type.param, place[n]).to_python() for n in names}
            return {name: int(value) for name, value in values.items()}
    return None


def _whole(array: NDArray[np.generic]) -> NDArray[np.generic]:
    found: NDArray[np.generic] = (np.arange(array.size) * 7 % 13 - 5).astype(array.dtype).reshape(array.shape)
    return found
