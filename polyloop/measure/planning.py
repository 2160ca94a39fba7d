"""How what stands under a cursor becomes code. Whatever measures, checks, shows or saves it asks here: what is tested
is what is measured, and what is measured is what people get."""

from __future__ import annotations

from polyloop.backend.machine.host import host_target
from polyloop.backend.run.nest_kernel import Planning
from polyloop.cursor.base import Problem, Program
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.lowering import to_loop_nest
from polyloop.cursor.nest import Nest
from polyloop.cursor.shapes import shaped
from polyloop.cursor.tree_problem import joined
from polyloop.lowering.to_nest import lower
from polyloop.measure.nests import TIER, Finalist, nest_planning
from polyloop.schedules.tree import ScheduleTree


def planning_of(program: Program, reassociate: bool, contract: bool = True) -> tuple[Planning, str]:
    """How the loops of a program are planned, and the tier that compiles them (see `kernel.compile_program`)."""
    if isinstance(program, Nest):
        return nest_planning(reassociate, contract), TIER
    return Planning(contract, reassociate, explicit=program.has_kinds), "ir"


def finalist(problem: Problem, program: Program) -> Finalist:
    """The loops of a program, and how they become code.

    Args:
        program: a tree as the cursor walks it, its point loops one by one.
    Raises:
        LoweringError: if no code can be generated for it.
    """
    if isinstance(program, ScheduleTree):
        return tree_finalist(problem, joined(program))
    assert isinstance(problem, Contraction)
    loops = to_loop_nest(problem, shaped(problem, program, host_target()))
    return Finalist(loops, *planning_of(program, problem.reassociate, problem.contract))


def tree_finalist(problem: Problem, tree: ScheduleTree) -> Finalist:
    """The same for a tree that is lowered as it stands."""
    return Finalist(lower(problem.scop, tree), *planning_of(tree, problem.reassociate, problem.contract))
