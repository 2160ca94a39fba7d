"""Local arrays in the arrays that they are copied from or to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from polyloop.backend.ir.expressions import F64, Read
from polyloop.frontend import read_c
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shipped.kernels import kernel
from polyloop.transforms import Expand
from polyloop.transforms.expand import SplitWebs
from polyloop.transforms.relayout import InPlace, kept_in_place
from polyloop.transforms.scop_transform import IllegalScopTransformError, legal_steps
from tests.helpers.checking import violated
from tests.helpers.enumeration import parameter_values, run
from tests.helpers.random_transforms import scops
from tests.helpers.small_scops import Assign, Loop, accesses, assign, loop, scop


def test_running_values_go_back_where_they_come_from() -> None:
    """ludcmp's factorisation, written with a scalar, becomes lu's."""
    (source,), (plain,) = read_c(kernel("ludcmp").path), read_c(kernel("lu").path)
    new, _ = legal_steps(source, SplitWebs.candidates(source))
    for name in ("w_1", "w_2"):
        new = Expand(name, (0, 1)).apply(new)
    new, steps = kept_in_place(new)
    assert [step.array for step in steps] == ["w_1_x", "w_2_x"]
    factors = {name: text for name, text in accesses(new).items() if text.startswith("A")}
    assert [text.replace(" ", "") for text in factors.values()] == [
        text.replace(" ", "") for text in accesses(plain).values()
    ]
    assert [new.statement(name).reduction for name in factors] == [s.reduction for s in plain.statements]
    assert violated(new, original_tree(new), new.dependences()) is None


def copy_out(last: Assign | Loop) -> Scop:
    """Sums in t, one for each i, copied to B behind them; and something more."""
    sums = loop("i", "0", "n", loop("j", "0", "n", assign("S", "t[i]", "t[i]", "A[i][j]")))
    first = loop("i", "0", "n", assign("Z", "t[i]"))
    return scop("n", first, sums, loop("i", "0", "n", assign("O", "B[i]", "t[i]")), last, local="t")


def as_copies(source: Scop) -> Scop:
    """The same with what reads one element alone as a plain copy (`assign` adds one)."""
    return replace(
        source,
        statements=tuple(
            replace(s, value=Read(s.reads[0], F64)) if len(s.reads) == 1 and s.name in "OC" else s
            for s in source.statements
        ),
    )


def test_values_are_made_where_they_are_copied_to() -> None:
    source = as_copies(copy_out(assign("X", "C[0]", "B[0]")))
    new = InPlace("t", "O").apply(source)
    assert accesses(new) == {"Z": "B[i] <- ", "S": "B[i] <- B[i], A[i][j]", "X": "C[0] <- B[0]"}
    assert new.statement("S").reduction == "+"
    assert "t" not in {a.name for a in new.arrays}
    for n in (1, 3):
        assert run(new, {"n": n}) == run(source, {"n": n})


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (assign("X", "C[0]", "t[0]", "B[0]"), None),
        (assign("X", "t[0]", "A[0][0]"), "B_probe would read other values"),
        (assign("X", "t[n]", "A[0][0]"), "B may have no such elements"),
    ],
)
def test_other_values_are_never_read(last: Assign, reason: str | None) -> None:
    source = as_copies(copy_out(last))
    if reason is None:
        new = InPlace("t", "O").apply(source)
        assert run(new, {"n": 3}) == run(source, {"n": 3})
        return
    with pytest.raises(IllegalScopTransformError) as caught:
        InPlace("t", "O").apply(source)
    assert str(caught.value) == f"cannot keep t in the array that O copies it from or to in small: {reason}"


def test_what_the_array_held_before_must_not_be_lost() -> None:
    """B[i] is still read when t[i] has a value already."""
    body = (assign("Z", "t[i]", "A[0][i]"), assign("X", "C[i]", "B[i]"), assign("O", "B[i]", "t[i]"))
    source = as_copies(scop("n", loop("i", "0", "n", *body), local="t"))
    with pytest.raises(IllegalScopTransformError, match="X would read other values"):
        InPlace("t", "O").apply(source)


def test_a_copy_that_nobody_reads_is_left_alone() -> None:
    source = as_copies(scop("n", loop("i", "0", "n", assign("O", "t[i]", "B[i]"), assign("X", "A[i]")), local="t"))
    with pytest.raises(IllegalScopTransformError, match="nothing but copies would be left of it"):
        InPlace("t", "O").apply(source)


@pytest.mark.parametrize(
    ("array", "copy", "reason"),
    [
        ("t", "S", "S does not copy it"),
        ("t", "Q", "Q does not copy it"),
        ("B", "O", "its content is wanted behind the scop"),
    ],
)
def test_refusals(array: str, copy: str, reason: str) -> None:
    source = as_copies(copy_out(assign("X", "C[0]", "B[0]")))
    with pytest.raises(IllegalScopTransformError) as caught:
        InPlace(array, copy).apply(source)
    assert str(caught.value).endswith(f"in small: {reason}")


@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
@given(scops(3))
def test_expanded_arrays_in_place_compute_the_same(source: Scop) -> None:
    for array in source.arrays:
        try:
            expanded = Expand(array.name, (0,)).apply(source)
        except IllegalScopTransformError:
            continue
        new, _ = kept_in_place(expanded)
        for values in parameter_values(source):
            assert run(new, values) == run(source, values)
