"""What environments are made for: a kernel at sizes, its schedule space, and the arguments that say which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import islpy as isl

from polyloop.errors import PolyloopError
from polyloop.frontend import read_c
from polyloop.graphs.spaces import SpaceGraphs
from polyloop.measure.schedules import PostProcessing, Problem
from polyloop.scop.data import checked_sizes
from polyloop.scop.dependence import Granularity
from polyloop.scop.model import Scop
from polyloop.scop.size_choice import default_sizes
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.spaces.space import ScheduleSpace

SHIPPED_DATASET = "MEDIUM"
"""Sizes of shipped kernels where nobody gives any: the original loops run for milliseconds."""

LARGE_ENOUGH = 4
"""Parameters are taken for at least so large where the sizes are and no context is given."""


class EnvironmentArgumentError(PolyloopError):
    """An argument of an environment that does not fit; the message says which and what would."""


@dataclass(frozen=True)
class Arguments:
    """What a space is made with, apart from the kernel; see `polyloop.envs.scheduling_env.SchedulingEnv`."""

    sizes: str | tuple[tuple[str, int], ...] | None = None
    dependence_order: tuple[str | int, ...] | None = None
    context: str | None = None
    parameter_coefficients: bool = False
    complete: bool = False
    granularity: Granularity = "statement"
    post_processing: PostProcessing = "none"


@dataclass(frozen=True)
class Task:
    """A kernel, ready to be scheduled; made once and shared, as its space remembers what it has computed."""

    name: str
    problem: Problem
    space: ScheduleSpace

    @cached_property
    def graphs(self) -> SpaceGraphs:
        """What makes the graphs of the space's states."""
        return SpaceGraphs(self.problem.scop, dict(self.problem.sizes), self.space)


def frozen_sizes(sizes: Mapping[str, int] | str | None) -> str | tuple[tuple[str, int], ...] | None:
    """Sizes as a hashable value."""
    return tuple(sizes.items()) if isinstance(sizes, Mapping) else sizes


def load(name: str, arguments: Arguments) -> Task:
    """The task of a shipped kernel or of a C file with one ``#pragma scop``.

    Raises:
        PolyloopError: if there is no such kernel, or the arguments do not fit it.
    """
    path, written = _file(name)
    return _load(name, path, written, arguments)


def kernel_scop(name: str, sizes: str | Sequence[tuple[str, int]] | None) -> tuple[Scop, dict[str, int]]:
    """The Scop of a shipped kernel or of a C file with one ``#pragma scop``, and its sizes.

    Raises:
        PolyloopError: if there is no such kernel, or the sizes do not fit it.
    """
    path, written = _file(name)
    scop = _only_scop(name, path, written)
    return scop, _sizes(name, scop, sizes)


def _file(name: str) -> tuple[Path, int]:
    """A kernel's file and when it was written."""
    path = kernel(name).path if name in kernel_names() or not is_path(name) else Path(name)
    try:
        return path, path.stat().st_mtime_ns
    except OSError as error:
        raise EnvironmentArgumentError(f"kernel={name!r}: cannot read {path}: {error.strerror}") from error


@lru_cache(maxsize=64)
def _only_scop(name: str, path: Path, written: int) -> Scop:
    scops = read_c(path)
    if len(scops) != 1:
        raise EnvironmentArgumentError(f"kernel={name!r}: {len(scops)} regions in one file; an environment takes one")
    return scops[0]


@lru_cache(maxsize=64)
def _load(name: str, path: Path, written: int, arguments: Arguments) -> Task:
    read = _only_scop(name, path, written)
    sizes = _sizes(name, read, arguments.sizes)
    scop = replace(read, context=_context(read, arguments.context, sizes))
    space = ScheduleSpace.of(
        scop,
        parameter_coefficients=arguments.parameter_coefficients,
        granularity=arguments.granularity,
        order=arguments.dependence_order,
    )
    # Only loops that the schedule has can be shaped; those that code generation enumerates cannot.
    complete = arguments.complete or arguments.post_processing != "none"
    problem = Problem(scop, tuple(sizes.items()), complete, arguments.post_processing)
    return Task(name, problem, space)


def is_path(name: str) -> bool:
    """Whether a kernel's name is the path of a file."""
    return "/" in name or "\\" in name or name.endswith(".c")


def _sizes(name: str, scop: Scop, given: str | Sequence[tuple[str, int]] | None) -> dict[str, int]:
    shipped = name in kernel_names()
    if isinstance(given, str) and not shipped:
        raise EnvironmentArgumentError(f"sizes={given!r}: only shipped kernels have datasets; give a value per name")
    if isinstance(given, str) or (given is None and shipped):
        values = kernel(name).resolve(given or SHIPPED_DATASET)
        return checked_sizes(scop, {parameter: values[parameter] for parameter in scop.parameters})
    return checked_sizes(scop, dict(given)) if given is not None else default_sizes(scop).values


def _context(scop: Scop, given: str | None, sizes: Mapping[str, int]) -> isl.Set:
    """What schedules may rely on: by default what the code says, and parameters of some size; the empty string for
    nothing at all."""
    names = ", ".join(scop.parameters)
    if given is None:
        bounds = " and ".join(f"{name} >= {min(LARGE_ENOUGH, size)}" for name, size in sizes.items())
        return scop.context & isl.Set(f"[{names}] -> {{ : {bounds or '1 = 1'} }}")
    if not given.strip():
        return isl.Set(f"[{names}] -> {{ : }}")
    try:
        chosen = isl.Set(given)
        unknown = {str(name) for name in chosen.get_var_names(isl.dim_type.param)} - set(scop.parameters)
        if chosen.is_params() and not unknown:
            return scop.context & chosen
        raise isl.Error(f"no parameter {', '.join(sorted(unknown))}" if unknown else "it is of more than parameters")
    except isl.Error as error:
        example = f"[{names}] -> {{ : {scop.parameters[0] if scop.parameters else '1'} >= 4 }}"
        raise EnvironmentArgumentError(f"context={given!r} is no set of parameters; write {example!r}") from error
