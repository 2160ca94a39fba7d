"""Random schedules that polyloop has proven, asked by enumeration whether they are legal (`tests.helpers.enumeration`):
of random programs, of the kernels and of real functions.

    python -m tests.lowering.independent_legality --traces 200 --first 0
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import islpy as isl
import numpy as np

from polyloop.bench.random_programs import random_program
from polyloop.frontend import read_source
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.model import Scop, Statement
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.transforms import IllegalTransformError
from polyloop.transforms.expand import expansions
from tests.helpers.enumeration import broken
from tests.helpers.random_transforms import choices

REAL = Path(__file__).parents[2] / "data" / "real"
MOST_INSTANCES = 700
"""Of one Scop at one size; sizes get smaller until it is kept."""


def subjects(number: int) -> list[Scop]:
    """Those of one random program, of a kernel or of a real function, in turn."""
    kernels, real = sorted(kernel_names()), sorted(REAL.glob("*.c"))
    if number % 5 == 3:
        name = kernels[number // 5 % len(kernels)]
        return list(read_source(kernel(name).path, defines=("MINI_DATASET",)).scops)
    if number % 5 == 4:
        return list(read_source(real[number // 5 % len(real)], auto=True).scops)
    text = random_program(np.random.default_rng([17, number]), "f").text
    return list(read_source("x.c", text=text, auto=True).scops)


def small_sizes(scop: Scop, largest: int) -> dict[str, int] | None:
    """Sizes that the Scop's context and assumptions admit, of at most `largest` where there is room; None if there are
    none of which the instances are few."""
    known = scop.context & scop.assumptions
    for most in range(largest, 0, -1):
        limits = " and ".join(f"0 <= {name} <= {most}" for name in scop.parameters)
        within = known & isl.Set(f"[{', '.join(scop.parameters)}] -> {{ : {limits or '1 = 1'} }}")
        if within.is_empty():
            continue
        corner = isl.Set.from_params(within).move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, len(scop.parameters))
        values = corner.lexmax().sample_point()
        sizes = {
            name: values.get_coordinate_val(isl.dim_type.set, k).to_python() for k, name in enumerate(scop.parameters)
        }
        if sum(_count(scop, statement, sizes) for statement in scop.statements) <= MOST_INSTANCES:
            return sizes
    return None


def _count(scop: Scop, statement: Statement, sizes: Mapping[str, int]) -> int:
    domain = statement.domain.intersect_params(scop.context & scop.assumptions)
    for name, value in sizes.items():
        at = domain.find_dim_by_name(isl.dim_type.param, name)
        domain = domain.fix_val(isl.dim_type.param, at, value) if at >= 0 else domain
    box = [domain.dim_max(k) - domain.dim_min(k) for k in range(statement.depth)] if not domain.is_empty() else []
    spans = [extent.max_val().to_python() + 1 for extent in box]
    return 0 if domain.is_empty() else int(np.prod(spans, dtype=float))


def proven(scop: Scop, rng: np.random.Generator, steps: int = 6) -> tuple[Scop, ScheduleTree]:
    """A random schedule, every step of which polyloop has checked; sometimes of the Scop with expanded scalars."""
    scalars = takewhile(lambda each: not scop.array(each.array).shape, expansions(scop))  # which come first
    if rng.random() < 0.3 and (options := list(scalars)):
        scop = options[rng.integers(len(options))].apply(scop)
    dependences, tree = scop.dependences(), original_tree(scop)
    for _ in range(steps):
        found = choices(tree, int(rng.integers(2, 4)))
        names = sorted({option.name() for option in found})
        if not names:
            break
        name = names[rng.integers(len(names))]
        named = [option for option in found if option.name() == name]
        try:
            tree = named[rng.integers(len(named))].perform(tree, dependences, scop.name)
        except IllegalTransformError:
            continue
    return scop, tree


@dataclass
class Tally:
    """What was looked at: schedules, of these those that are no longer the source's order, and pairs of instances."""

    traces: int = 0
    changed: int = 0
    pairs: int = 0
    illegal: int = 0


def trace(number: int, tally: Tally) -> str:
    """One random schedule of every Scop of a subject; a pair that one of them does not keep."""
    rng = np.random.default_rng([23, number])
    for scop in subjects(number):
        sizes = small_sizes(scop, 5)
        if sizes is None:
            continue
        expanded, tree = proven(scop, rng)
        tally.traces += 1
        tally.changed += tree != original_tree(expanded)
        indirect = any(a.data for s in expanded.statements for a in (*s.reads, s.target))
        for contents in range(3 if indirect else 1):
            pairs, wrong = broken(expanded, tree, sizes, contents)
            tally.pairs += pairs
            if wrong:
                tally.illegal += 1
                return f"{number} {scop.name}: {wrong}\n{tree}"
    return ""


def main(arguments: list[str]) -> int:
    """Look at many; the exit status says whether all were legal."""
    parser = argparse.ArgumentParser(prog="python -m tests.lowering.independent_legality", description=__doc__)
    parser.add_argument("--traces", type=int, default=200, help="how many schedules, about")
    parser.add_argument("--first", type=int, default=0, help="number of the first subject")
    parser.add_argument("--seconds", type=float, default=100.0, help="after which no further subject is begun")
    options = parser.parse_args(arguments)
    tally, number, began = Tally(), options.first, time.monotonic()
    while tally.traces < options.traces and time.monotonic() - began < options.seconds:
        if wrong := trace(number, tally):
            print(wrong)
        number += 1
    print(
        f"{tally.traces} traces of subjects {options.first} to {number - 1}, {tally.changed} not in the source's order,"
        f" {tally.pairs} pairs: {tally.illegal} illegal"
    )
    return int(tally.illegal > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
