"""Copies in another layout: what they copy, what they refuse, and that nothing changes but storage."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from polyloop.frontend import read_c
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shipped.kernels import kernel
from polyloop.transforms.relayout import Relayout
from polyloop.transforms.scop_transform import IllegalScopTransformError
from tests.helpers.checking import violated
from tests.helpers.enumeration import parameter_values, run
from tests.helpers.random_transforms import scops
from tests.helpers.small_scops import accesses, assign, loop, parse_access, scop


def squared() -> Scop:
    """C += A * transposed A: the second read of A is strided along j."""
    inner = loop("j", "0", "n", loop("k", "0", "n", assign("S", "C[i][j]", "C[i][j]", "A[i][k]", "A[j][k]")))
    return scop("n", loop("i", "0", "n", inner))


def factored() -> Scop:
    """A triangular update in place: what is read in another layout is written by another statement."""
    update = loop("k", "0", "j", assign("U", "A[i][j]", "A[i][j]", "A[i][k]", "A[j][k]"))
    return scop("n", loop("i", "0", "n", loop("j", "0", "i", update, assign("D", "A[i][j]", "A[i][j]", "A[j][j]"))))


def test_what_is_only_read_is_copied_before_everything() -> None:
    (found,) = Relayout.candidates(squared())
    assert found == Relayout("S", parse_access("A[j][k]"), (1, 0))
    assert accesses(found.apply(squared())) == {
        "A_t_in": "A_t[c1][c0] <- A[c0][c1]",
        "S": "C[i][j] <- C[i][j], A[i][k], A_t[k][j]",
    }


def test_what_is_written_is_copied_behind_the_write() -> None:
    (found,) = Relayout.candidates(factored())
    new = found.apply(factored())
    assert accesses(new) == {
        "U": "A[i][j] <- A[i][j], A[i][k], A_t[k][j]",
        "D": "A[i][j] <- A[i][j], A[j][j]",
        "D_A_t": "A_t[j][i] <- A[i][j]",
    }
    assert new.array("A_t").local
    for n in (1, 2, 5):
        assert run(new, {"n": n}) == run(factored(), {"n": n})


def test_the_published_kernels_that_ask_for_it() -> None:
    asked = {}
    for name in ("syrk", "syr2k", "cholesky", "gemm", "trmm", "lu"):
        (source,) = read_c(kernel(name).path)
        asked[name] = [str(option.access) for option in Relayout.candidates(source)]
    assert asked == {
        "syrk": ["A[j][k]"],
        "syr2k": ["A[j][k]", "B[j][k]"],
        "cholesky": ["A[j][k]"],
        "gemm": [],
        "trmm": [],
        "lu": [],
    }


def test_a_row_is_copied_where_the_read_finds_it() -> None:
    """W writes the row again and again: the copy behind it ends with the same values."""
    source = scop(
        "n",
        loop("t", "0", "n", loop("i", "0", "n", assign("W", "A[0][i]")), loop("j", "0", "n", assign("X", "A[1][j]"))),
        loop("i", "0", "n", assign("R", "B[i]", "A[0][i]")),
    )
    option = Relayout("R", parse_access("A[0][i]"), (1, 0))
    new = option.apply(source)
    for n in (1, 3):
        assert run(new, {"n": n}) == run(source, {"n": n})


def test_an_unknown_first_extent_is_refused() -> None:
    source = squared()
    unknown = tuple(replace(a, shape=(None, *a.shape[1:])) if a.name == "A" else a for a in source.arrays)
    with pytest.raises(
        IllegalScopTransformError, match=r"cannot copy A\[j\]\[k\] in small: its first extent is not known"
    ):
        Relayout("S", parse_access("A[j][k]"), (1, 0)).apply(replace(source, arrays=unknown))


@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
@given(scops(3))
def test_the_new_scop_computes_the_same(source: Scop) -> None:
    for statement in source.statements:
        for access in statement.reads:
            order = tuple(reversed(range(len(access.subscripts))))
            try:
                new = Relayout(statement.name, access, order).apply(source)
            except IllegalScopTransformError:
                continue
            assert violated(new, original_tree(new), new.dependences()) is None
            for parameters in parameter_values(source):
                assert run(new, parameters) == run(source, parameters)
