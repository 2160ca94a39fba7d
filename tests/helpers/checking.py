"""The differential checks: one random program and one random tree through every stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir.loop_nest import LoopKind, LoopNest
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.target import Target
from polyloop.backend.planning import plan, scalar_program
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proof, Violation, prove
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.dependence import Dependence, memory_dependences
from polyloop.scop.model import Scop
from tests.helpers.enumeration import broken, conflicts, instances, keeps, place
from tests.helpers.machine import fuses
from tests.helpers.programs import Program, executed, points_of, to_scop
from tests.helpers.running import (
    Arrays,
    assert_same,
    call_program,
    compiled,
    interpreted,
    load_c,
    random_data,
    traced,
    walk_nest,
)

SMALL = ((1, 2), (4, 3), (5, 6))
"""Sizes at which every pair of instances is looked at."""


@dataclass(frozen=True)
class Case:
    """A program, its Scop, data, and what the program makes of the data (walked in Python, without isl)."""

    program: Program
    values: tuple[int, int]
    seed: int = 0

    @cached_property
    def scop(self) -> Scop:
        return to_scop(self.program)

    @cached_property
    def sizes(self) -> dict[str, int]:
        return self.sizes_of(self.values)

    def sizes_of(self, values: tuple[int, int]) -> dict[str, int]:
        return dict(zip(self.program.parameters, values, strict=False))

    @cached_property
    def dependences(self) -> tuple[Dependence, ...]:
        return memory_dependences(self.scop)

    @cached_property
    def data(self) -> Arrays:
        return random_data(self.scop, self.sizes, self.seed)

    @cached_property
    def expected(self) -> Arrays:
        return executed(self.program, self.sizes, self.data, contract=False)

    @cached_property
    def expected_contracted(self) -> Arrays:
        """What generated code makes of it where contraction is allowed; all of it rounded where nothing contracts."""
        return executed(self.program, self.sizes, self.data, contract=fuses())


def check_results(
    scop: Scop,
    sizes: Mapping[str, int],
    seed: int,
    nest: LoopNest | None = None,
    program: VectorProgram | None = None,
    contract: bool = False,
) -> None:
    """A nest through the interpreter and a program through the JIT leave what the Scop's own loops leave."""
    data = random_data(scop, sizes, seed)
    expected = interpreted(lower(scop, original_tree(scop)), sizes, data, contract)
    if nest is not None:
        assert_same(expected, interpreted(nest, sizes, data, contract), f"interpreter, {dict(sizes)}")
    if program is not None:
        assert_same(expected, compiled(program, sizes, data, contract), f"JIT, {dict(sizes)}")


def check_original(case: Case) -> None:
    """Interpreter and JIT on the original loops."""
    nest = lower(case.scop, original_tree(case.scop))
    assert_same(case.expected, interpreted(nest, case.sizes, case.data, False), "interpreter")
    assert_same(case.expected_contracted, interpreted(nest, case.sizes, case.data, True), "interpreter, contracted")
    program = scalar_program(nest)
    assert_same(case.expected_contracted, compiled(program, case.sizes, case.data, True), "JIT of the original")


def violated(
    scop: Scop, tree: ScheduleTree, dependences: Sequence[Dependence], reassociate: bool = False
) -> Violation | None:
    """The first dependence that the tree does not keep, None if it is legal."""
    verdict = prove(scop, tree, dependences, reassociate)
    return verdict if isinstance(verdict, Violation) else None


def check_verdict(case: Case, tree: ScheduleTree) -> Proof | Violation:
    """What is proven holds for every pair at small sizes; what is refused shows a pair that goes wrong."""
    verdict = prove(case.scop, tree, case.dependences)
    if isinstance(verdict, Proof):
        for values in SMALL:
            wrong = broken(case.scop, tree, case.sizes_of(values))[1]
            assert not wrong, f"{tree}\nproven, but wrong: {wrong}"
    elif "could not be decided" not in verdict.reason:
        _check_example(case, tree, verdict)
    return verdict


def _check_example(case: Case, tree: ScheduleTree, violation: Violation) -> None:
    sizes = dict(violation.parameters)
    found = {(x.statement, x.point): x for x in instances(case.scop, sizes)}
    first = found[violation.dependence.source, violation.source]
    second = found[violation.dependence.target, violation.target]
    assert first.time < second.time
    assert list(conflicts([first, second]))
    assert not keeps(place(tree, first), place(tree, second))


def check_order(
    scop: Scop, tree: ScheduleTree, sizes: Mapping[str, int], points: list[tuple[str, tuple[int, ...]]]
) -> None:
    """The lowered nest executes each of the points once, in the order of the tree's rows."""
    own = {s.name for s in scop.statements}  # the others are copies of what is read
    ran = [(name, point) for name, point in walk_nest(lower(traced(scop), tree).body, dict(sizes)) if name in own]
    assert sorted(ran) == sorted(points)
    rows = tree.rows()
    dates = []
    for name, point in ran:
        known = {**sizes, **dict(zip(scop.statement(name).iterators, point, strict=True))}
        dates.append([row.evaluate(known) for row in rows[name]])
    assert dates == sorted(dates)


def check_tree(case: Case, tree: ScheduleTree, target: Target, what: str, folder: Path | None = None) -> None:
    """A proven tree: order, interpreter, JIT on one and two threads, and (with a folder) C through gcc."""
    points = points_of(case.program, case.sizes)
    check_order(case.scop, tree, case.sizes, points)
    nest = lower(case.scop, tree)
    assert_same(case.expected_contracted, interpreted(nest, case.sizes, case.data, True), f"interpreter: {what}")
    planned = plan(nest, target)
    parallel = any(m.kind is LoopKind.PARALLEL for _, band in tree.bands() for m in band.members)
    for threads in (1, 2) if parallel else (1,):
        result = compiled(planned, case.sizes, case.data, True, threads)
        assert_same(case.expected_contracted, result, f"JIT on {threads} threads: {what}")
    if folder is not None:
        twice_rounded = plan(nest, target, contract=False)
        library = load_c(c_source(twice_rounded, "kernel"), folder)
        result = call_program(library, twice_rounded, "kernel", case.sizes, case.data)
        assert_same(case.expected, result, f"gcc: {what}")
