"""The largest of floats among which is no -0.0: exact in any order, in lanes beside what else a loop does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.ir.loop_nest import Loop, LoopKind, walk
from polyloop.backend.ir.vector_program import For
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.shaping.outer_lanes import outer_lanes
from tests.backend.planning.programs import flat
from tests.backend.planning.test_group_sums import check_emitted, check_everywhere

SIZE = 37

FREE = {
    "changes": "d = a[i][j] - b[i][j]; b[i][j] += w * d; if (fabs(d) > m) m = fabs(d);",
    "squares": "d = a[i][j] - b[i][j]; b[i][j] = w * d; m = d * d > m ? d * d : m;",
    "norms": "d = sqrt(a[i][j] * a[i][j] + b[i][j] * b[i][j]); b[i][j] += w; if (m < d) m = d;",
    "smallest": "d = fabs(a[i][j]) + 0.5; b[i][j] = w / d; if (d < m) m = d;",
    "counts": "d = a[i][j]; b[i][j] += w * d; if (d > 0.25) k++;",
}
BOUND = {
    "of both zeros": "d = a[i][j] - b[i][j]; b[i][j] += w * d; if (d > m) m = d;",
    "products": "d = a[i][j] * b[i][j] + 0.0; b[i][j] += w * d; if (d > m) m = d;",
    "narrower": "b[i][j] += w; if ((float)a[i][j] > m) m = (float)a[i][j];",
    "chosen if it is no number": "d = fabs(a[i][j]); b[i][j] += w * d; m = m > d ? m : d;",
    "negative": "d = -fabs(a[i][j]); b[i][j] += w * d; if (d > m) m = d;",
}


def read(body: str) -> Scop:
    text = f"""#include <math.h>
double f(int r, int c, const double a[r][c], double b[r][c], double w, double *out, int *count)
{{
    double d, m = *out;
    int k = *count;
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++) {{
            {body}
        }}
    *out = m;
    *count = k;
    return m;
}}
"""
    (scop,) = read_source("t.c", text=text, auto=True).scops
    return scop


def folds(scop: Scop) -> list[bool]:
    """Of what is folded into one number, whether that is exact in any order."""
    return [d.exact for d in memory_dependences(scop) if d.source == d.target and d.reduction]


@pytest.mark.parametrize("body", FREE.values(), ids=FREE)
def test_lanes_beside_what_is_stored(body: str, tmp_path: Path) -> None:
    scop = read(body)
    assert True in folds(scop)
    found = outer_lanes(Proofs(), scop)
    assert found is not None
    assert Proofs().is_legal(found.scop, found.tree)
    nest = lower(found.scop, found.tree)
    assert LoopKind.VECTOR in {node.kind for node in walk(nest.body) if isinstance(node, Loop)}
    assert any(isinstance(part, For) and part.step > 1 for part in flat(plan(nest, shown_target("avx2")).body))
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, SIZE, SIZE))
    a[2, 5:9] = [np.nan, -0.0, 0.0, np.inf]
    b[3, ::7] = -0.0
    cases = {}
    for first in (-0.0, 0.0, 2.5, np.nan, -1.0):
        known = {"a": a, "b": b, "w": np.array(0.5), "m": np.array(first), "k": np.array(3, np.int32)}
        known |= {"out": np.array([first]), "count": np.array([3], np.int32)}
        data = {array.name: known[array.name].copy() for array in nest.arrays if array.name in known}
        check_everywhere(nest, SIZE, data)
        cases[str(first)] = nest, data
    check_emitted(cases, SIZE, tmp_path)


@pytest.mark.parametrize("body", BOUND.values(), ids=BOUND)
def test_zeros_of_both_signs_stay_in_order(body: str) -> None:
    assert True not in folds(read(body))
