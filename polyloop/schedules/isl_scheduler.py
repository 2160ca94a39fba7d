"""isl's scheduler on a Scop: a Pluto-like scheduler with Feautrier's as its fallback.

Verdoolaege and Janssens, "Scheduling for PPCG", Report CW 706, KU Leuven, 2017.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum

import islpy as isl

from polyloop.errors import PolyloopError
from polyloop.schedules.isl_trees import tree_from_isl
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.dependence import Dependence
from polyloop.scop.model import Scop

OPERATION_CAP = 200_000_000
"""isl operations that one call of the scheduler may spend: tens of seconds."""


class Fusion(Enum):
    """What isl may put into one band: strongly connected components one by one, all that shares data, or everything."""

    SEPARATE = "separate"
    DEFAULT = "default"
    MAXIMAL = "maximal"


class SchedulingError(PolyloopError):
    """isl gave up (operation cap)."""


def isl_schedule(
    scop: Scop,
    dependences: Sequence[Dependence],
    fusion: Fusion = Fusion.DEFAULT,
    reassociate: bool = False,
    *,
    outer_coincidence: bool = False,
) -> ScheduleTree:
    """The schedule that isl finds.

    Args:
        dependences: all that must hold, e.g. last-access RAW, WAR and WAW; all of them are validity and coincidence
            constraints, the RAW ones proximity too.
        outer_coincidence: ask for a coincident outermost member where there is one (isl's `outer_coincidence`).
        reassociate: leave out the dependences of all reductions on themselves, not those of integers only.
    Raises:
        SchedulingError: beyond the operation cap.
        ScheduleFormError: if isl splits the instances of one statement (it does not by itself).
    """
    space = scop.domain.get_space()
    validity, proximity = isl.UnionMap.empty(space), isl.UnionMap.empty(space)
    for dependence in dependences:
        if dependence.is_free(reassociate):
            continue
        validity = validity.union(dependence.relation)
        if "RAW" in dependence.kinds:
            proximity = proximity.union(dependence.relation)
    constraints = (
        isl.ScheduleConstraints.on_domain(scop.domain)
        .set_context(scop.context & scop.assumptions)
        .set_validity(validity)
        .set_coincidence(validity)
        .set_proximity(proximity)
    )
    context = scop.domain.get_ctx()
    with _options(context, fusion, outer_coincidence):
        try:
            schedule = constraints.compute_schedule()
        except isl.Error as error:
            raise SchedulingError(f"isl's scheduler gave up on {scop.name}: {error}") from error
    return tree_from_isl(scop, schedule)


@contextmanager
def _options(context: isl.Context, fusion: Fusion, outer_coincidence: bool) -> Iterator[None]:
    """isl's options belong to the context that everything shares: put them back."""
    before = (
        context.get_schedule_serialize_sccs(),
        context.get_schedule_whole_component(),
        context.get_schedule_maximize_band_depth(),
        context.get_schedule_outer_coincidence(),
    )
    context.set_schedule_serialize_sccs(int(fusion is Fusion.SEPARATE))
    context.set_schedule_whole_component(int(fusion is Fusion.MAXIMAL))
    context.set_schedule_maximize_band_depth(1)
    context.set_schedule_outer_coincidence(int(outer_coincidence))
    context.reset_operations()
    context.set_max_operations(OPERATION_CAP)
    try:
        yield
    finally:
        context.set_max_operations(0)
        context.reset_operations()
        context.set_schedule_serialize_sccs(before[0])
        context.set_schedule_whole_component(before[1])
        context.set_schedule_maximize_band_depth(before[2])
        context.set_schedule_outer_coincidence(before[3])
