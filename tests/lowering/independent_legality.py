"""Whether schedules are legal, asked in a way that has nothing in common with how polyloop proves it.

A Scop at small sizes is a list of statement instances: isl enumerates the points of the domains (that is all that isl
is used for), the rest is arithmetic on integers. Every instance has the cells that it touches, the moment at which the
source program runs it, and where a schedule tree puts it. A schedule is legal if every two instances that touch one
cell, one of them writing it, stand in the source's order, and in no loop whose iterations run at once. Where data say
which cell it is, several contents of the arrays are tried. Nothing of `polyloop.schedules.legality`,
`polyloop.scop.dependence` or isl's dependence analysis is used.

    python -m tests.lowering.independent_legality --traces 200 --first 0

asks it of random schedules that polyloop has proven: of random programs, of the kernels and of real functions.
"""

from __future__ import annotations

import argparse
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, takewhile
from pathlib import Path

import islpy as isl
import numpy as np

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.bench.random_programs import random_program
from polyloop.frontend import read_source
from polyloop.schedules.tree import Band, Leaf, ScheduleTree, Sequence, original_tree
from polyloop.scop.model import Scop, Statement
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.transforms import IllegalTransformError
from polyloop.transforms.expand import expansions
from tests.helpers.random_transforms import choices

Place = tuple[tuple[int, bool], ...]
"""Where a schedule puts an instance: values of loops and positions in sequences, each with whether the loop's
iterations run at once."""

REAL = Path(__file__).parents[2] / "data" / "real"
MOST_INSTANCES = 700
"""Of one Scop at one size; sizes get smaller until it is kept."""
_AT_ONCE = (LoopKind.VECTOR, LoopKind.PARALLEL)


class UnknownValueError(Exception):
    """A number that depends on more than these few integers."""


@dataclass(frozen=True)
class Touch:
    """One access: the cell's subscripts (None: it may be any cell of the array), and whether it writes. `folding`: the
    operator of a sum of integers that the access is the accumulator of; such accesses may change places."""

    array: str
    cell: tuple[int, ...] | None
    writes: bool
    folding: str = ""


@dataclass(frozen=True)
class Instance:
    """A statement at one point of its domain: `time` in the source, and what it touches."""

    statement: str
    values: tuple[tuple[str, int], ...]
    time: tuple[int, ...]
    touches: tuple[Touch, ...]

    def __str__(self) -> str:
        return f"{self.statement}({', '.join(f'{name}={value}' for name, value in self.values)})"


# --- The source program -----------------------------------------------------------------------------------------------


def instances(scop: Scop, sizes: Mapping[str, int], contents: int) -> list[Instance]:
    """All of them, in the source's order."""
    result = []
    for statement in scop.statements:
        for point in _points(scop, statement, sizes):
            values = {**sizes, **dict(zip(statement.iterators, point, strict=True))}
            time_ = tuple(row.evaluate(values) for row in statement.schedule)
            touches = tuple(_touches(scop, statement, values, contents))
            result.append(Instance(statement.name, tuple(values.items()), time_, touches))
    return sorted(result, key=lambda instance: instance.time)


def _points(scop: Scop, statement: Statement, sizes: Mapping[str, int]) -> list[tuple[int, ...]]:
    domain = statement.domain.intersect_params(scop.context & scop.assumptions)
    for name, value in sizes.items():
        at = domain.find_dim_by_name(isl.dim_type.param, name)
        domain = domain.fix_val(isl.dim_type.param, at, value) if at >= 0 else domain
    found: list[isl.Point] = []
    domain.foreach_point(found.append)
    depth = range(statement.depth)
    return [tuple(p.get_coordinate_val(isl.dim_type.set, k).to_python() for k in depth) for p in found]


def _touches(scop: Scop, statement: Statement, values: Mapping[str, int], contents: int) -> Iterator[Touch]:
    floats = scop.array(statement.target.array).type.is_float
    folding = statement.reduction if statement.reduction is not None and not floats else ""
    for access, writes in [(read, False) for read in statement.reads] + [(statement.target, True)]:
        shape = [extent.evaluate(values) if extent is not None else None for extent in scop.array(access.array).shape]
        cell: tuple[int, ...] | None
        try:
            cell = tuple(_subscript(subscript, values, contents) for subscript in access.subscripts)
        except UnknownValueError:
            cell = None
        outside = cell is not None and any(
            n is not None and not 0 <= index < n for index, n in zip(cell, shape, strict=True)
        )
        if outside and access.data:
            continue  # in C there is no such program
        yield Touch(access.array, cell, writes, (folding or "") if access == statement.target else "")


def _subscript(subscript: Affine, values: Mapping[str, int], contents: int) -> int:
    total = subscript.constant
    for atom, factor in subscript.terms:
        if isinstance(atom, e.Datum):
            total += factor * _value(atom.value, values, contents)
        else:
            total += factor * Affine(((atom, 1),)).evaluate(values)
    return total


def _value(expression: e.Expression, values: Mapping[str, int], contents: int) -> int:
    """An integer that is computed from data: what is read are small numbers that hang on the cell alone."""
    match expression:
        case e.Literal(int(value)):
            return value
        case e.Index(value):
            if not value.variables() <= set(values):
                raise UnknownValueError
            return _subscript(value, values, contents)
        case e.Read(access):
            cell = [_subscript(s, values, contents) for s in access.subscripts]
            return zlib.crc32(f"{contents} {access.array} {cell}".encode()) % 4
        case e.Cast(operand, type_) if not type_.is_float and type_.bits >= 8:
            return _value(operand, values, contents)
        case e.Binary("+" | "-" | "*" | "&" as operator, left, right):
            a, b = _value(left, values, contents), _value(right, values, contents)
            return {"+": a + b, "-": a - b, "*": a * b, "&": a & b}[operator]
    raise UnknownValueError


def conflicts(ordered: list[Instance]) -> Iterator[tuple[Instance, Instance]]:
    """Pairs in the source's order that touch one cell, one of them writing it."""
    by_array: dict[str, list[tuple[int, Touch]]] = defaultdict(list)
    for number, instance in enumerate(ordered):
        for touch in instance.touches:
            by_array[touch.array].append((number, touch))
    pairs: set[tuple[int, int]] = set()
    for touched in by_array.values():
        if not any(touch.writes for _, touch in touched):
            continue
        cells: dict[tuple[int, ...] | None, list[tuple[int, Touch]]] = defaultdict(list)
        for number, touch in touched:
            cells[touch.cell].append((number, touch))
        anywhere = cells.pop(None, [])
        for here in (*cells.values(), anywhere):
            together = here if here is anywhere else [*here, *anywhere]
            for (a, first), (b, second) in combinations(together, 2):
                free = first.folding and first.folding == second.folding
                if a != b and (first.writes or second.writes) and not free:
                    pairs.add((min(a, b), max(a, b)))
    for a, b in sorted(pairs):
        yield ordered[a], ordered[b]


# --- The schedule -----------------------------------------------------------------------------------------------------


def place(tree: ScheduleTree, instance: Instance) -> Place:
    """Where the tree puts an instance."""
    values, node, result = dict(instance.values), tree.root, []
    while not isinstance(node, Leaf):
        match node:
            case Band(members, _, child):
                for member in members:
                    value = member.row(instance.statement).evaluate(values) // member.divisor
                    result.append((value, member.kind in _AT_ONCE))
                node = child
            case Sequence(branches):
                number = next(k for k, b in enumerate(branches) if instance.statement in b.statements)
                result.append((number, False))
                node = branches[number].node
    return tuple(result)


def keeps(first: Place, second: Place) -> bool:
    """Whether the first is surely done before the second begins."""
    for (a, at_once), (b, _) in zip(first, second, strict=False):
        if a != b:
            return a < b and not at_once
    return False


def broken(scop: Scop, tree: ScheduleTree, sizes: Mapping[str, int], contents: int = 0) -> tuple[int, str]:
    """How many pairs were looked at, and one that is not kept; "" if all are."""
    ordered = instances(scop, sizes, contents)
    places = {instance: place(tree, instance) for instance in ordered}
    count = 0
    for first, second in conflicts(ordered):
        count += 1
        if not keeps(places[first], places[second]):
            return count, f"{first} -> {second} at {dict(sizes)}"
    return count, ""


# --- Random schedules that polyloop has proven ------------------------------------------------------------------------


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
