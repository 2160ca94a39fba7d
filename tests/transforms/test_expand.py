"""Expansion of scalars and arrays: what it makes, what it refuses, and that nothing changes but storage."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import islpy as isl
import pytest
from hypothesis import HealthCheck, given, settings

from polyloop.backend.ir.expressions import Access
from polyloop.frontend import read_c
from polyloop.schedules.legality import prove
from polyloop.schedules.tree import original_tree
from polyloop.scop.dependence import flow
from polyloop.scop.model import Scop, Statement
from polyloop.transforms import (
    Expand,
    IllegalScopTransformError,
    JoinBands,
    Swap,
    TransformSyntaxError,
    expansions,
    parse_step,
)
from tests.helpers.checking import violated
from tests.helpers.enumeration import parameter_values, run
from tests.helpers.random_transforms import bounded, scops
from tests.helpers.small_scops import accesses, assign, loop, scop, symm


def live(scop_: Scop) -> Scop:
    """The same Scop with every array live after it."""
    return replace(scop_, arrays=tuple(replace(array, local=False) for array in scop_.arrays))


LAST = """void f(int m, int n, double *row, double *a, const double *b) {
#pragma scop
for (int i = 0; i < m; i++) {
    row[0] = a[i];
    for (int j = 1; j < n; j++) row[j] = row[j - 1] + b[j];
    a[i] = row[n - 1];
}
#pragma endscop
}"""


def test_the_last_of_no_elements_is_not_meant() -> None:
    (whole,) = read_c("f.c", text=LAST)
    expanded = Expand("row", (0,)).apply(whole)
    assert accesses(expanded)["S2"] == "a[i] <- row_x[i][n - 1]"
    some = isl.Set("[m, n] -> { : m >= 1 and n >= 1 }")
    assert some.is_subset(expanded.known)
    assert expanded.known.intersect(isl.Set("[m, n] -> { : m >= 1 and n <= 0 }")).is_empty()
    (shifted,) = read_c("f.c", text=LAST.replace("n - 1", "n - 2"))
    with pytest.raises(IllegalScopTransformError, match="in front of its first one"):
        Expand("row", (0,)).apply(shifted)


def test_symm_gets_a_cell_for_each_element() -> None:
    expanded = Expand("temp", (0, 1)).apply(symm())
    assert accesses(expanded) == {
        "Z": "temp_x[i][j] <- ",
        "U": "C[k][j] <- C[k][j], B[i][j], A[i][k]",
        "V": "temp_x[i][j] <- temp_x[i][j], B[k][j], A[i][k]",
        "W": "C[i][j] <- C[i][j], B[i][j], A[i][i], temp_x[i][j]",
    }
    array = expanded.array("temp_x")
    assert ([str(extent) for extent in array.shape], array.local) == (["m", "n"], True)
    assert [s.reduction for s in expanded.statements] == [None, "+", "+", "+"]


def test_symm_can_be_interchanged_only_after_expansion() -> None:
    before = symm()
    tree = JoinBands(()).apply(original_tree(before))
    refusal = Swap((), 0, 1).check(tree, before.dependences(), "symm")
    assert refusal is not None
    assert refusal.dependence is not None
    assert refusal.dependence.arrays == ("temp",)
    after = Expand("temp", (0, 1)).apply(before)
    swapped = Swap((), 0, 1).perform(JoinBands(()).apply(original_tree(after)), after.dependences())
    assert violated(after, swapped, after.dependences()) is None


def test_a_live_scalar_gets_its_last_value_back() -> None:
    expanded = Expand("temp", (1,)).apply(live(symm()))
    assert accesses(expanded)["temp_out"] == "temp <- temp_x[c0]"
    for parameters in ({"m": 1, "n": 1}, {"m": 3, "n": 2}, {"m": 3, "n": 5}):
        assert run(expanded, parameters) == run(live(symm()), parameters)


def test_values_from_before_the_scop_are_copied_in() -> None:
    source = scop("n", loop("i", "0", "n", assign("S", "b[i]", "t"), assign("T", "t", "A[i]")), name="shift")
    expanded = Expand("t", (0,)).apply(source)
    assert accesses(expanded) == {
        "t_in": "t_x[c0 + 1] <- t",
        "S": "b[i] <- t_x[i]",
        "T": "t_x[i + 1] <- A[i]",
        "t_out": "t <- t_x[c0 + 1]",
    }


def test_a_value_that_crosses_iterations_is_read_from_the_cell_before() -> None:
    source = scop("n", loop("i", "0", "n", assign("S", "b[i]", "t"), assign("T", "t", "A[i]")), name="shift")
    expanded = Expand("t", (0,)).apply(source)
    for n in range(1, 5):
        assert run(expanded, {"n": n}) == run(source, {"n": n})


def test_only_useful_expansions_are_offered() -> None:
    assert [str(e) for e in expansions(symm())] == [
        "expand(array='temp', loops=(0,))",
        "expand(array='temp', loops=(1,))",
        "expand(array='temp', loops=(0, 1))",
    ]


def test_scalars_may_be_asked_for_alone() -> None:
    source = scop("n", loop("i", "0", "n", assign("S", "t", "A[i]"), assign("T", "A[0]", "t")))
    assert {e.array for e in expansions(source)} == {"t", "A"}


def test_text_round_trip() -> None:
    assert parse_step(str(Expand("t", (0, 2)))) == Expand("t", (0, 2))


@pytest.mark.parametrize("text", ["expand(array='t')", "expand(array='t', loops=0)", "tile(path=())", "expand", "("])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(TransformSyntaxError, match="is not of the form"):
        parse_step(text)


@pytest.mark.parametrize(
    ("array", "loops", "reason"),
    [
        ("temp", (2,), "cannot expand temp over loop level 2 in symm: Z, which writes it, stands in 2 loops only"),
        ("A", (0, 1), "cannot expand A over loop levels 0, 1 in symm: nothing is written to it"),
        ("D", (0,), "cannot expand D over loop level 0 in symm: there is no such array"),
    ],
)
def test_refusals_say_why(array: str, loops: tuple[int, ...], reason: str) -> None:
    refusal = Expand(array, loops).check(symm())
    assert str(refusal) == reason


def test_a_read_with_sources_in_several_cells_is_refused() -> None:
    """After the loop t holds its last iteration's value or, in the first outer iteration, that from the other nest."""
    source = scop(
        "n",
        loop("i", "0", "n", assign("S", "t", "A[i]")),
        loop("j", "0", "n", loop("k", "0", "j", assign("T", "t", "A[k]")), assign("U", "b[j]", "t")),
        name="mixed",
    )
    refusal = Expand("t", (0,)).check(source)
    assert str(refusal) == (
        "cannot expand t over loop level 0 in mixed: U reads t from S and T, whose cells are not one affine function"
    )
    with pytest.raises(IllegalScopTransformError, match="cannot expand t"):
        Expand("t", (0,)).apply(source)


@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
@given(scops(3))
def test_expanded_scops_compute_the_same(source: Scop) -> None:
    for array in source.arrays:
        depth = min((s.depth for s in source.statements if s.target.array == array.name), default=0)
        for loops in [c for count in range(1, depth + 1) for c in combinations(range(depth), count)]:
            if Expand(array.name, loops).check(source) is not None:
                continue
            expanded = Expand(array.name, loops).apply(source)
            assert violated(expanded, original_tree(expanded), expanded.dependences()) is None
            for parameters in parameter_values(source):
                assert run(expanded, parameters) == run(source, parameters)


def test_flow_is_unchanged() -> None:
    before, after = symm(), Expand("temp", (0, 1)).apply(symm())
    for old, new in zip(before.statements, after.statements, strict=True):
        for first, second in zip(old.reads, new.reads, strict=True):
            sources, entering = flow(before, old, first)
            found, still = flow(after, new, second)
            assert sources.keys() == found.keys()
            assert all(sources[name].is_equal(found[name]) for name in sources)
            assert entering.is_equal(still)


def test_the_proof_counts_fewer_dependences_after_expansion() -> None:
    before, after = bounded(symm(), 4), Expand("temp", (0, 1)).apply(bounded(symm(), 4))
    proofs = [prove(s, original_tree(s), s.dependences()) for s in (before, after)]
    assert [str(p) for p in proofs] == [
        "10 dependences between 10 statement pairs kept",
        "6 dependences between 6 statement pairs kept",
    ]


def test_what_is_never_written_is_not_expanded() -> None:
    source = scop("n", loop("i", "n", "n", assign("S", "t", "A[i]"), assign("T", "b[i]", "t")), name="never")
    assert str(Expand("t", (0,)).check(source)) == (
        "cannot expand t over loop level 0 in never: none of its writes is ever executed"
    )


PRIVATE = """
void f(int n, int m, const double a[n][8], double b[n][8])
{
#pragma scop
    for (int i = 0; i < n; i++) {
        double x[8];
        for (int k = 0; k < 8; k++)
            x[k] = a[i][k];
        for (int t = 0; t < m; t++) {
            x[0] += x[5];
            x[3] += x[0];
        }
        for (int k = 0; k < 8; k++)
            b[i][k] = x[7 - k];
    }
#pragma endscop
}
"""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Questions about the flow of values."""
    found: list[object] = []

    def noted(scop_: Scop, statement: Statement, access: Access) -> tuple[dict[str, isl.Map], isl.Set]:
        found.append(access)
        return flow(scop_, statement, access)

    monkeypatch.setattr("polyloop.transforms.expand.flow", noted)
    return found


@pytest.mark.parametrize("plain", [True, False])
def test_what_each_iteration_writes_first_is_plainly_private(
    plain: bool, asked: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The flow of values says the same, and is not asked."""
    (private,) = read_c("f.c", text=PRIVATE)
    if not plain:
        monkeypatch.setattr("polyloop.transforms.expand.writes_first", lambda *_: False)
    expanded = Expand("x", (0,)).apply(private)
    assert bool(asked) is not plain
    assert accesses(expanded)["S1"] == "x_x[i][0] <- x_x[i][0], x_x[i][5]"
    values = {"n": 3, "m": 2}
    assert run(expanded, values) == run(private, values)


@pytest.mark.parametrize("change", [("k < 8; k++)\n            x[k] = a", "k < 7; k++)\n            x[k] = a"),
                                    ("double x[8];\n", "double x[8]; x[0] = x[1];\n")])  # fmt: skip
def test_what_is_read_before_it_is_written_is_not_plainly_private(change: tuple[str, str], asked: list[object]) -> None:
    (private,) = read_c("f.c", text=PRIVATE.replace(*change))
    Expand("x", (0,)).check(private)
    assert asked
