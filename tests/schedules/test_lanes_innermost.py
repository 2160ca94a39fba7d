"""isl's schedules around vector loops: which loops are settled before, and what becomes of the others."""

from __future__ import annotations

import pytest

from polyloop.schedules.isl_scheduler import innermost_lanes, schedule_around_lanes
from polyloop.schedules.legality import Proof, prove
from polyloop.scop.dependence import memory_dependences
from tests.helpers.reading import shipped_scop
from tests.helpers.small_scops import assign, gemm, loop, scop


def innermost(name: str) -> dict[str, list[str]]:
    """For each statement with such a loop the rows of its loops, outermost first."""
    source = shipped_scop(name)
    dependences = memory_dependences(source)
    lanes = innermost_lanes(source, dependences)
    tree = schedule_around_lanes(source, dependences, lanes)
    assert tree is not None
    assert isinstance(prove(source, tree, dependences), Proof)
    rows = tree.rows()
    names = {s.name: s.iterators for s in source.statements}
    return {s: [str(row) for row in rows[s] if row.variables() & set(names[s])] for s in lanes}


def test_the_order_of_a_triangular_fold_follows_the_memory() -> None:
    """Only with k outside j is the vector contiguous and T[i][k] final before it is read."""
    assert innermost("nussinov") == {"S4": ["-i", "k", "j"]}


def test_products_get_their_rows_innermost() -> None:
    dependences = memory_dependences(gemm())
    lanes = innermost_lanes(gemm(), dependences)
    assert lanes == {"T": "j2"}
    tree = schedule_around_lanes(gemm(), dependences, lanes)
    assert tree is not None
    assert isinstance(prove(gemm(), tree, dependences), Proof)
    inner = [band for _, band in tree.bands() if band.statements == ("T",)][-1]
    assert [str(row) for _, row in inner.members[-1].rows] == ["j2"]


@pytest.mark.parametrize(
    ("target", "reads"),
    [
        ("A[i][j]", ("A[i][j - 1]",)),  # neighbours in the lane depend on each other
        ("A[j][i]", ("A[j][i - 1]",)),  # the same along the other loop
        ("s", ("A[i][j]",)),  # nothing is stored contiguously
    ],
)
def test_no_lanes_where_neighbours_depend_on_each_other(target: str, reads: tuple[str, ...]) -> None:
    source = scop("n", loop("i", "1", "n", loop("j", "1", "n", assign("S", target, *reads))))
    assert innermost_lanes(source, memory_dependences(source)) == {}


def test_statements_that_would_share_a_place_with_lanes_give_it_up() -> None:
    """A lane of one statement, no lane of the other, and the same loops around both: isl puts them in a sequence, so
    that each gets what it needs."""
    body = (assign("S", "A[i][j]", "B[i][j]"), assign("T", "C[i][j]", "C[i][j - 1]", "A[i][j]"))
    source = scop("n", loop("i", "1", "n", loop("j", "1", "n", *body)))
    dependences = memory_dependences(source)
    lanes = innermost_lanes(source, dependences)
    assert lanes == {"S": "j"}
    tree = schedule_around_lanes(source, dependences, lanes)
    assert tree is not None
    assert isinstance(prove(source, tree, dependences), Proof)
