"""Rows that lanes go down are asked for ahead, what lies in rows anyway is not, and nothing else changes."""

from __future__ import annotations

from polyloop.backend.ir import vector_program as v
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning.plan import plan
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.ahead import DISTANCE, rows_ahead
from polyloop.shaping.outer_lanes import outer_lanes
from polyloop.transforms import Vectorize
from tests.backend.planning.programs import flat
from tests.helpers.reading import found_scop
from tests.helpers.running import assert_same, compiled, interpreted, random_data

COLUMNS = """
void sweep(int n, int m, double u[n][m], double p[m][n], double v[n][m])
{
    for (int i = 0; i < m; i++) {
        p[i][0] = u[0][i];
        for (int j = 1; j < n; j++)
            p[i][j] = u[j][i] / (p[i][j - 1] + 3);
        for (int j = n - 2; j >= 0; j--)
            v[j][i] = p[i][j] * v[j + 1][i];
    }
}
"""
ROWS = COLUMNS.replace("u[j][i]", "u[i][j]").replace("v[j][i]", "v[i][j]").replace("v[j + 1][i]", "v[i][j + 1]")


def in_lanes(text: str) -> tuple[Scop, ScheduleTree]:
    scop = found_scop(text)
    found = outer_lanes(Proofs(), scop)
    assert found is not None
    return found.scop, found.tree


def asked(tree: ScheduleTree) -> list[tuple[str, int]]:
    return [ahead for _, band in tree.bands() for member in band.members for ahead in member.prefetches]


def test_rows_that_lanes_go_down_are_asked_for() -> None:
    scop, tree = in_lanes(COLUMNS)
    ahead = rows_ahead(scop, tree)
    assert ahead is not None
    assert asked(ahead) == [("u", DISTANCE), ("v", DISTANCE)]
    assert rows_ahead(scop, ahead) is None
    program = plan(lower(scop, ahead), shown_target("avx2"))
    found = {s.address.array for s in flat(program.body) if isinstance(s, v.Prefetch)}
    assert found == {"u", "v"}
    sizes = {"n": 67, "m": 21}
    data, nest = random_data(scop, sizes, 1), lower(scop, ahead)
    expected = interpreted(lower(scop, tree), sizes, data, contract=False)
    assert_same(expected, interpreted(nest, sizes, data, contract=False), "interpreted")
    assert_same(expected, compiled(plan(nest, host_target(), contract=False), sizes, data, contract=False), "compiled")


def test_what_lies_in_rows_is_not() -> None:
    """The processor sees by itself what comes next in a row."""
    scop, tree = in_lanes(ROWS)
    assert rows_ahead(scop, tree) is None
    scop = found_scop(COLUMNS)
    assert rows_ahead(scop, original_tree(scop)) is None  # a line of every row serves one element there
    scop = found_scop(
        "void rows(int n, int m, double u[n][m], double v[n][m])\n"
        "{ for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) v[j][i] = 2 * u[j][i]; }\n"
    )
    *_, (innermost, _) = original_tree(scop).bands()
    assert rows_ahead(scop, Vectorize(innermost, 0).apply(original_tree(scop))) is None  # whole rows, one by one
