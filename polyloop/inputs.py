"""Sizes and data to run a Scop on when all that is known is the Scop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from polyloop.backend.expressions import ScalarType
from polyloop.errors import PolyloopError
from polyloop.lowering import condition_from_set
from polyloop.scop import Array, Scop

WORK = 5e7
"""Statement instances that take about 50 ms when the original code runs at 1 ns each."""


class SizeError(PolyloopError):
    """Sizes are missing, unknown, or outside the Scop's context."""


def default_sizes(scop: Scop) -> tuple[dict[str, int], str]:
    """Parameter values for a measurement and, in words, where they come from."""
    if not scop.parameters:
        return {}, "the constants of the source"
    depth = max((s.depth for s in scop.statements), default=1) or 1
    size = max(4, round((WORK / len(scop.statements)) ** (1 / depth)))
    known = scop.context & scop.assumptions
    for attempt in (size, size // 2, size * 2, 64, 17, 4):
        sizes = dict.fromkeys(scop.parameters, attempt)
        if _allowed(scop, known, sizes):
            return sizes, "chosen for a run of about 50 ms"
    point = known.sample_point()
    values = (point.get_coordinate_val(isl.dim_type.param, k) for k in range(len(scop.parameters)))
    sizes = {name: int(value.to_python()) for name, value in zip(scop.parameters, values, strict=True)}
    return sizes, "the only kind of sizes that the code's context allows"


def checked_sizes(scop: Scop, sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes in the Scop's order of parameters.

    Raises:
        SizeError: for a missing parameter, an unknown name, or values outside context and assumptions.
    """
    unknown = sorted(set(sizes) - set(scop.parameters))
    missing = [name for name in scop.parameters if name not in sizes]
    if unknown or missing:
        names = ", ".join(scop.parameters) or "none"
        what = f"no size for {', '.join(missing)}" if missing else f"no parameter {', '.join(unknown)}"
        raise SizeError(f"{what} in {scop.name}: its parameters are {names}")
    ordered = {name: int(sizes[name]) for name in scop.parameters}
    if not _allowed(scop, scop.context & scop.assumptions, ordered):
        given = ", ".join(f"{k}={v}" for k, v in ordered.items())
        written_for = condition_from_set(scop.context & scop.assumptions)
        raise SizeError(f"{given}: outside what {scop.name} is written for: {written_for}")
    return ordered


def _allowed(scop: Scop, known: isl.Set, sizes: Mapping[str, int]) -> bool:
    return not known.intersect(_at(scop, sizes)).is_empty()


def _at(scop: Scop, sizes: Mapping[str, int]) -> isl.Set:
    text = " and ".join(f"{name} = {value}" for name, value in sizes.items()) or "1 = 1"
    return isl.Set(f"[{', '.join(scop.parameters)}] -> {{ : {text} }}")


def data_type(type_: ScalarType) -> np.dtype[np.generic]:
    """numpy's name for a scalar type."""
    return np.dtype({"float": "f", "int": "i", "uint": "u"}[type_.kind] + str(type_.bytes))


def shape_of(scop: Scop, array: Array, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Extents at given sizes; an unknown first extent is as large as the accesses need."""
    extents = [0 if extent is None else extent.evaluate(sizes) for extent in array.shape]
    if array.shape and array.shape[0] is None:
        extents[0] = _accessed_extent(scop, array, sizes)
    return tuple(extents)


def _accessed_extent(scop: Scop, array: Array, sizes: Mapping[str, int]) -> int:
    touched = scop.reads_map.union(scop.writes_map).range().intersect_params(_at(scop, sizes))
    dims = ", ".join(f"d{k}" for k in range(len(array.shape)))
    space = isl.Set(f"[{', '.join(scop.parameters)}] -> {{ {array.name}[{dims}] }}").get_space()
    mine = touched.extract_set(space)
    if mine.is_empty():
        return 1
    largest = mine.dim_max_val(0)
    smallest = mine.dim_min_val(0)
    if smallest.to_python() < 0:
        raise SizeError(f"{array.name} is accessed at a negative index at these sizes: no data can be made for it")
    return int(largest.to_python()) + 1


@dataclass(frozen=True)
class Fill:
    """Name, type, shape and seed of an array: enough to make it again in another process."""

    name: str
    type: ScalarType
    shape: tuple[int, ...]
    seed: int


def fills(scop: Scop, sizes: Mapping[str, int], seed: int = 0) -> tuple[Fill, ...]:
    """How to fill every non-local array of the Scop (0-d for scalars) at given sizes."""
    visible = [a for a in scop.arrays if not a.local]
    return tuple(Fill(a.name, a.type, shape_of(scop, a, sizes), seed + k) for k, a in enumerate(visible))


def make_data(scop: Scop, sizes: Mapping[str, int], seed: int = 0) -> dict[str, NDArray[np.generic]]:
    """All arrays of the Scop, C-contiguous, filled with ordinary numbers; see `fill`."""
    return {f.name: fill(f) for f in fills(scop, sizes, seed)}


def fill(spec: Fill) -> NDArray[np.generic]:
    """Floating-point values in [0.1, 1); square matrices get their extent added on the diagonal, so that
    factorisations stay finite. Integers in 1..7."""
    rng = np.random.default_rng(spec.seed)
    if not spec.type.is_float:
        return np.asarray(rng.integers(1, 8, size=spec.shape), dtype=data_type(spec.type))
    values = np.asarray(rng.uniform(0.1, 1.0, size=spec.shape), dtype=data_type(spec.type))
    if len(spec.shape) >= 2 and spec.shape[-1] == spec.shape[-2]:
        diagonal = np.arange(spec.shape[-1])
        values[..., diagonal, diagonal] += spec.shape[-1]
    return values
