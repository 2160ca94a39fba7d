"""Loops that data end: where an iteration that leaves nothing to do is the last, and where none is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.traversal import walk
from polyloop.backend.ir.vector_program_text import parse_program, program_text
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target, shown_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.shaping.outer_lanes import outer_lanes
from tests.helpers.running import assert_same, call_program, compiled, interpreted, load_c, require

AVX2 = shown_target("avx2")
ESCAPES = """
void escapes(int n, int most, const double *a, int *out)
{
    for (int k = 0; k < n; k++) {
        double x = a[k];
        int count = 0;
        while (x < 100.0 && count < most) {
            x = x * x + 0.5;
            count++;
        }
        out[k] = count;
    }
}
"""
SEARCH = """
int search(int n, const double *a, double limit)
{
    int at = -1;
    for (int k = 0; k < n; k++)
        if (a[k] > limit) {
            at = k;
            break;
        }
    return at;
}
"""


def planned(text: str, lanes: bool = False, target: Target = AVX2) -> v.VectorProgram:
    (scop,) = read_source("t.c", text=text, auto=True).scops
    shaped = outer_lanes(Proofs(), scop) if lanes else None
    if lanes:
        assert shaped is not None
        return plan(lower(shaped.scop, shaped.tree), target, contract=False)
    return plan(lower(scop, original_tree(scop)), target, contract=False)


def escape(x: float, most: int) -> int:
    count = 0
    while x < 100.0 and count < most:
        x = x * x + 0.5
        count += 1
    return count


def innermost(program: v.VectorProgram) -> list[v.For]:
    loops = [s for s in walk(program.body) if isinstance(s, v.For)]
    return [loop for loop in loops if not any(isinstance(s, v.For) for s in walk(loop.body))]


@pytest.mark.parametrize("text", [ESCAPES, SEARCH])
def test_a_loop_that_has_nothing_left_to_do_ends(text: str) -> None:
    program = planned(text)
    (loop,) = innermost(program)
    assert loop.going is not None
    assert parse_program(program_text(program)) == program


def test_lanes_end_together() -> None:
    program = planned(ESCAPES, lanes=True)
    inner = innermost(program)
    assert {c.type.lanes for loop in inner for c in loop.carried} == {4}
    for loop in inner:
        assert loop.going is not None
        (fold,) = (s for s in loop.body if isinstance(s, v.Let) and s.name == loop.going.name)
        assert isinstance(fold.operation, v.Horizontal)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("            break;\n", ""),  # the last one
        ("if (a[k] > limit)", "seen[0] = a[k];\n        if (a[k] > limit)"),  # the test stands behind a store
    ],
)
def test_a_loop_that_goes_on_does_not_end(old: str, new: str) -> None:
    text = SEARCH.replace(old, new).replace("double limit", "double limit, double *seen")
    assert text.count(new.strip() or "at = k;") == 1
    loops = innermost(planned(text))
    assert loops
    assert all(loop.going is None for loop in loops)


@pytest.mark.parametrize("lanes", [False, True])
def test_what_is_left_behind_is_the_same(lanes: bool, tmp_path: Path) -> None:
    """Points that escape at once, late and never, several of them in one vector."""
    (scop,) = read_source("t.c", text=ESCAPES, auto=True).scops
    a = np.array([200.0, 0.1, 0.0, -3.0, np.nan, np.inf, 0.49, 1.0, 0.3, -0.2, 99.9, 100.0, 0.6])
    sizes = {"n": len(a), "most": 9}
    arrays = {"a": a, "out": np.zeros(len(a), np.int32)}
    expected = interpreted(lower(scop, original_tree(scop)), sizes, arrays, contract=False)
    assert list(expected["out"]) == [escape(x, 9) for x in a]
    program = planned(ESCAPES, lanes, host_target())
    assert_same(expected, compiled(program, sizes, arrays, contract=False), "LLVM")
    require("gcc")
    library = load_c(c_source(program), tmp_path, "gcc")
    assert_same(expected, call_program(library, program, program.name, sizes, arrays), "C")
