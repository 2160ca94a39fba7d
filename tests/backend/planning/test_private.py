"""Arrays private to the iterations of a vector loop: one vector wide, lanes side by side.

What is computed with them is compared in tests/frontend/test_real_code.py (binomial trees).
"""

from __future__ import annotations

from dataclasses import replace

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.loop_nest import Block, Loop
from polyloop.backend.ir.traversal import walk
from polyloop.backend.ir.vector_program import Let, Load, Store, VectorProgram
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning.plan import plan
from polyloop.backend.planning.private import lanes_last
from polyloop.backend.planning.vectors import Options
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.shaping.outer_lanes import outer_lanes
from tests.helpers.reading import found_scop

TARGET = shown_target("avx2")
TEXT = """
void f(int n, double a[n], double b[n])
{
    for (int i = 0; i < n; i++) {
        double t[40];
        for (int k = 0; k < 40; k++)
            t[k] = a[i] * k;
        for (int s = 39; s > 0; s--)
            for (int k = 0; k < s; k++)
                t[k] = t[k] * 0.25 + t[k + 1];
        b[i] = t[0];
    }
}
"""


def planned(text: str) -> VectorProgram:
    found = outer_lanes(Proofs(), found_scop(text))
    assert found is not None
    assert [str(step) for step in found.changes] == ["expand(array='t', loops=(0,))"]
    return plan(lower(found.scop, found.tree), TARGET)


def test_a_lane_has_a_column_of_a_block_as_wide_as_a_vector() -> None:
    program = planned(TEXT)
    array = program.array("t_x")
    assert (array.shape, array.scratch) == ((affine(40), affine(4)), True)
    touched = [s.address for s in walk(program.body) if isinstance(s, Store)]
    touched += [s.operation.address for s in walk(program.body) if isinstance(s, Let) and isinstance(s.operation, Load)]
    places = {(address.subscripts[-1], address.lane_strides) for address in touched if address.array == "t_x"}
    assert places == {(affine(0), (0, 1))}


def test_rows_that_another_run_of_the_loop_may_find_stay() -> None:
    found = outer_lanes(Proofs(), found_scop(TEXT))
    assert found is not None
    proven = lower(found.scop, found.tree)
    assert [a.name for a in proven.arrays if a.lane_private] == ["t_x"]
    nest = replace(proven, arrays=tuple(replace(array, lane_private=False) for array in proven.arrays))
    assert lanes_last(nest, TARGET, Options())[1] == {"t_x"}
    around = replace(nest, body=Loop("r", affine(0), affine(3), 1, nest.body))
    assert lanes_last(around, TARGET, Options()) == (around, frozenset())
    assert lanes_last(replace(around, arrays=proven.arrays), TARGET, Options())[1] == {"t_x"}
    twice = replace(nest, body=Block((nest.body, nest.body)))
    assert lanes_last(twice, TARGET, Options()) == (twice, frozenset())


WINDOW = """
void f(int n, const unsigned char a[40][n + 2], unsigned char b[40][n])
{
    for (int r = 0; r < 38; r++)
        for (int i = 0; i < n; i++) {
            unsigned char v[9];
            int k = 0;
            for (int y = 0; y < 3; y++)
                for (int x = 0; x < 3; x++)
                    v[k++] = a[r + y][i + x];
            for (int j = 0; j < 5; j++)
                for (int l = j + 1; l < 9; l++)
                    if (v[l] < v[j]) {
                        unsigned char t = v[j];
                        v[j] = v[l];
                        v[l] = t;
                    }
            b[r][i] = v[4];
        }
}
"""


def test_a_few_elements_of_each_lane_stay_in_registers() -> None:
    """Also of the last lanes of a row, which are not all there, and behind loops in which another run uses them."""
    found = outer_lanes(Proofs(), found_scop(WINDOW))
    assert found is not None
    nest = lower(found.scop, found.tree)
    assert "v_x" in {array.name for array in nest.arrays if array.lane_private}
    program = plan(nest, TARGET)
    stores = [s for s in walk(program.body) if isinstance(s, Store)]
    assert {store.address.array for store in stores} == {"b"}
    loads = [s.operation for s in walk(program.body) if isinstance(s, Let) and isinstance(s.operation, Load)]
    assert {load.address.array for load in loads} == {"a"}
