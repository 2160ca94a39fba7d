"""Webs: which uses of a scalar belong together, and that each keeps its values."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from polyloop.frontend import read_c
from polyloop.scop.model import Scop
from polyloop.shipped.kernels import kernel
from polyloop.transforms import Expand
from polyloop.transforms.expand import SplitWebs
from polyloop.transforms.scop_transform import IllegalScopTransformError, legal_steps
from tests.helpers.enumeration import parameter_values, run
from tests.helpers.random_transforms import scops
from tests.helpers.small_scops import accesses, assign, loop, scop


def twice(local: str = "") -> Scop:
    """t carries a value from A to B in one loop, from C to D in another."""
    first = loop("i", "0", "n", assign("S", "t", "A[i]"), assign("T", "B[i]", "t"))
    second = loop("i", "0", "n", assign("U", "t", "C[i]"), assign("V", "D[i]", "t"))
    return scop("n", first, second, local=local)


def test_every_web_gets_a_name_of_its_own() -> None:
    new = SplitWebs("t").apply(twice())
    assert accesses(new) == {"S": "t_1 <- A[i]", "T": "B[i] <- t_1", "U": "t <- C[i]", "V": "D[i] <- t"}
    assert (new.array("t_1").local, new.array("t").local) == (True, False)
    for n in (1, 2, 4):
        assert run(new, {"n": n}) == run(twice(), {"n": n})


def test_a_local_array_leaves_its_name_to_nobody() -> None:
    new = SplitWebs("t").apply(twice("t"))
    assert [s.target.array for s in new.statements] == ["t_1", "B", "t_2", "D"]
    assert run(new, {"n": 3}) == run(twice("t"), {"n": 3})


def test_one_statement_may_read_one_web_and_write_another() -> None:
    source = scop("n", assign("S", "t", "A[0]"), assign("T", "t", "t", "B[0]"), assign("U", "C[0]", "t"))
    assert accesses(SplitWebs("t").apply(source)) == {"S": "t_1 <- A[0]", "T": "t <- t_1, B[0]", "U": "C[0] <- t"}
    assert SplitWebs("t").apply(source).statement("T").reduction is None


def test_values_from_before_the_scop_keep_the_name() -> None:
    source = scop("n", assign("S", "A[0]", "t"), assign("T", "t", "B[0]"), assign("U", "t", "t", "C[0]"))
    new = SplitWebs("t").apply(source)
    assert accesses(new) == {"S": "A[0] <- t", "T": "t_1 <- B[0]", "U": "t <- t_1, C[0]"}
    assert run(new, {"n": 1}) == run(source, {"n": 1})


def test_a_web_of_one_element_is_a_scalar() -> None:
    body = (assign("S", "w[0]", "A[i]"), assign("T", "w[1]", "w[0]"), assign("U", "B[i]", "w[0]", "w[1]"))
    source = scop("n", loop("i", "0", "n", *body, assign("V", "w[i]", "A[i]"), assign("W", "C[i]", "w[i]")), local="w")
    new = SplitWebs("w").apply(source)
    assert accesses(new) == {
        "S": "w_1 <- A[i]",
        "T": "w_2 <- w_1",
        "U": "B[i] <- w_1, w_2",
        "V": "w_3[i] <- A[i]",
        "W": "C[i] <- w_3[i]",
    }
    assert [len(new.array(name).shape) for name in ("w_1", "w_2", "w_3")] == [0, 0, 1]
    for n in (1, 2, 4):
        assert run(new, {"n": n}) == run(source, {"n": n})


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        ("s", "cannot split s in small: all its uses are connected"),
        ("q", "cannot split q in small: there is no such array"),
    ],
)
def test_refusals(array: str, reason: str) -> None:
    source = scop("n", assign("Z", "s"), loop("i", "0", "n", assign("S", "s", "s", "A[i]")), assign("R", "B[0]", "s"))
    with pytest.raises(IllegalScopTransformError) as caught:
        SplitWebs(array).apply(source)
    assert str(caught.value) == reason


def test_each_web_can_be_expanded_as_deep_as_it_goes() -> None:
    (source,) = read_c(kernel("ludcmp").path)
    new, steps = legal_steps(source, SplitWebs.candidates(source))
    assert steps == (SplitWebs("w"),)
    assert [s.target.array for s in new.statements if s.target.array.startswith("w")] == [
        *["w_1"] * 2, *["w_2"] * 2, *["w_3"] * 2, *["w_4"] * 2,
    ]  # fmt: skip
    assert [Expand(w, (0, 1)).check(new) is None for w in ("w_1", "w_2", "w_3")] == [True, True, False]
    assert Expand("w", (0, 1)).check(source) is not None


@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
@given(scops(4))
def test_the_new_scop_computes_the_same(source: Scop) -> None:
    for array in source.arrays:
        try:
            new = SplitWebs(array.name).apply(source)
        except IllegalScopTransformError:
            continue
        for values in parameter_values(source):
            assert run(new, values) == run(source, values)
