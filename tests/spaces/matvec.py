"""Matrix-vector multiplication without any context, and the walk through its schedules that the paper prints."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl

from polyloop.scop.model import Scop
from polyloop.spaces.space import ScheduleSpace
from tests.helpers.small_scops import assign, loop, scop

COEFFICIENTS = (
    *(0, 0, 0, 0, 0, 2, 2, 1, 0, 2),
    *(0, 0, 0, 0, 2, 0, 0, 1, 0, 2),
    *(0, 0, 0, 1, 0, 2, 0, 0, 0, 0),
    *(0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
)


def matvec() -> Scop:
    inner = loop("j", "0", "n", assign("T", "y[i]", "y[i]", "A[i][j]", "x[j]"))
    source = scop("n", loop("i", "0", "n", assign("S", "y[i]"), inner), name="matvec")
    return replace(source, context=isl.Set("[n] -> { : }"))


def matvec_space() -> ScheduleSpace:
    """Dependence 1 is T -> T, dependence 2 is S -> T."""
    return ScheduleSpace.of(matvec(), parameter_coefficients=True, order=("T->T", "S->T"))
