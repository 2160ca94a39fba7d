"""Searches that keep the place of an element alone: what it is worth is kept, too (`polyloop.frontend.chosen`)."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_c
from polyloop.scop.model import Scop
from polyloop.transforms.lane_search import LaneSearch

LOOP = "for (int i = 1; i < n; i++)"


def scop_of(body: str) -> Scop:
    text = f"int least(int n, float *x, int *y, long far)\n{{\n    int at = 0;\n#pragma scop\n{body}\n#pragma endscop\n"
    (scop,) = read_c("least.c", text=f"#include <math.h>\n{text}    return at;\n}}\n")
    return scop


def kept(scop: Scop) -> bool:
    return any(array.local and array.name == "value" for array in scop.arrays)


@pytest.mark.parametrize(
    "body",
    [
        f"{LOOP} if (x[i] < x[at]) at = i;",
        f"{LOOP} {{ if (x[at] <= x[i] && y[i] > 0) {{ at = i; }} }}",
        f"{LOOP} if (fabsf(x[i]) > fabsf(x[at])) at = i;",
        f"{LOOP} if (*(x + i) < *(x + at)) at = i;",
    ],
)
def test_what_the_best_element_is_worth_is_a_variable(body: str) -> None:
    scop = scop_of(body)
    assert kept(scop)
    inside = [statement for statement in scop.statements if statement.depth]
    assert not any(read.data for statement in inside for read in statement.reads)
    (search, *_) = LaneSearch.candidates(scop)
    assert len(search.changed(scop).statements) > len(scop.statements)


@pytest.mark.parametrize(
    "body",
    [
        f"{LOOP} if (y[i] > 0 && x[i] < x[at]) at = i;",  # the first one may not be looked at
        f"{LOOP} if (x[i] < x[at]) {{ at = i; y[i] = 0; }}",
        f"{LOOP} if (x[i] < x[at]) at = i; else y[0] = 1;",
        f"{LOOP} if (x[i] < x[at + 1]) at = i;",  # another element than the one whose place is kept
        f"{LOOP} if (x[at * far + i] < x[i * far + i]) at = i;",  # another one in every iteration
        f"{LOOP} if (x[i] < x[at]) at = y[i];",
        "for (long i = 1; i < n; i++) if (x[i] < x[at]) at = i;",  # the place is cut to fewer bits
    ],
)
def test_other_conditions_stay(body: str) -> None:
    assert not kept(scop_of(body))
