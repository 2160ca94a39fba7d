"""Peeling: borders run apart, what lies between them is plain, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import affine
from polyloop.frontend import read_c, read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proof, Proofs
from polyloop.schedules.tree import original_tree
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.shaping.outer_lanes import outer_lanes
from polyloop.shaping.variants import peeled
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.transforms.peel import Peel
from polyloop.transforms.scop_transform import IllegalScopTransformError
from tests.helpers.checking import violated
from tests.helpers.enumeration import instances, parameter_values
from tests.helpers.random_transforms import scops
from tests.helpers.running import interpreted

CLAMPED = "int at = x + k; if (at < 0) at = 0; if (at >= w) at = w - 1; s += a[at];"
MIRRORED = "int at = x + k; if (at < 0) at = -at; if (at >= w) at = 2 * w - 2 - at; s += a[at];"
PADDED = "int at = x + k; if (at < 0 || at >= w) continue; s += a[at];"
ZEROS = "float v = x + k >= 0 && x + k < w ? a[x + k] : 0; s += v;"
WINDOWS = {"clamped": CLAMPED, "mirrored": MIRRORED, "padded": PADDED, "zeros": ZEROS}


def window(body: str, reach: str = "2", width: str = "int w, ", extent: str = "w") -> Scop:
    text = f"""void f({width}int r, float *a, float *b)
{{
    for (int x = 0; x < {extent}; x++) {{
        float s = 0;
        for (int k = -{reach}; k <= {reach}; k++) {{ {body} }}
        b[x] = s;
    }}
}}
"""
    (found,) = read_source("f.c", text=text, auto=True).scops
    return found


def ends(found: Scop) -> list[tuple[str, bool]]:
    return [(str(step.at), step.first) for step in Peel.candidates(found)]


def order(source: Scop, values: dict[str, int]) -> list[tuple[str, tuple[int, ...]]]:
    return [(x.statement.rstrip("_").removesuffix("_edge"), x.point) for x in instances(source, values)]


def run(found: Scop, values: dict[str, int]) -> dict[str, np.ndarray]:
    data = {"a": np.arange(12, dtype=np.float32) ** 2, "b": np.zeros(12, np.float32)}
    return interpreted(lower(found, original_tree(found)), values, data, contract=False)


@pytest.mark.parametrize("body", WINDOWS.values(), ids=WINDOWS)
def test_borders_run_apart_and_the_rest_is_plain(body: str) -> None:
    before = window(body)
    *_, variant = peeled(before)
    after = variant.scop
    kept = {s.name for s in before.statements}
    assert [s.name for s in after.statements if s.name in kept] == [s.name for s in before.statements]
    (inside,) = (
        s for s in after.statements if s.name in kept and s.depth == 2 and any(r.array == "a" for r in s.reads)
    )
    assert [str(read) for read in inside.reads if read.array == "a"] == ["a[k + x]"]
    assert not str(inside.value).count("Select")
    box = f"[w, r] -> {{ {inside.name}[x, k] : 2 <= x < w - 2 and -2 <= k <= 2 }}"
    assert after.points(inside).is_equal(type(inside.domain)(box).intersect_params(after.known))
    for width in (1, 2, 3, 4, 5, 9):
        values = dict.fromkeys(before.parameters, width)
        assert order(after, values) == order(before, values)
        if body is MIRRORED and width < 3:
            continue  # it leaves the array
        for array, numbers in run(before, values).items():
            np.testing.assert_array_equal(run(after, values)[array], numbers)


def test_products_that_choices_keep_from_additions_stay_apart() -> None:
    """``s + (c ? a * b : 0)`` is no fused multiply-add, and a product that was a scalar's is none either."""
    chosen = "s += x + k >= 0 && x + k < w ? a[x + k] * 0.3f : 0;"
    product = "float v = a[x + k < 0 ? 0 : x + k >= w ? w - 1 : x + k] * 0.3f; s += v;"
    for body in (chosen, product):
        before = window(body)
        for variant in peeled(before):
            found = [s for s in variant.scop.statements if s.depth == 2 and any(r.array == "a" for r in s.reads)]
            assert found
            assert all(e.contracted(node) is None for s in found for node in e.walk(s.value))


@pytest.mark.parametrize("body", WINDOWS.values(), ids=WINDOWS)
def test_lanes_run_along_what_lies_between(body: str) -> None:
    *_, variant = peeled(window(body))
    proofs = Proofs()
    lanes = outer_lanes(proofs, variant.scop)
    assert lanes is not None
    assert isinstance(proofs.prove(lanes.scop, lanes.tree), Proof)


def test_windows_of_any_reach() -> None:
    assert ends(window(PADDED, "r")) == [("r", True), ("-r + w", False)]
    assert ends(window(CLAMPED, "r")) == [("r", True)]  # the other end shows where this one is decided


def test_what_never_runs_has_no_borders() -> None:
    found = window(PADDED)
    nowhere = [replace(s, domain=s.domain.empty(s.domain.get_space())) for s in found.statements]
    assert not list(Peel.candidates(replace(found, statements=tuple(nowhere))))


def test_borders_that_only_the_loop_itself_ends() -> None:
    """Levels of an image: where pixels have two neighbours hangs on two lengths that nothing ties to each other."""
    text = """void f(const unsigned char *src, unsigned char *dst, unsigned w, unsigned half)
{
    for (unsigned x = 0; x < half; x++) {
        unsigned one = 2 * x < w ? 2 * x : w - 1;
        unsigned other = one + 1 < w ? one + 1 : one;
        for (unsigned c = 0; c < 4; c++)
            dst[x * 4 + c] = (src[one * 4 + c] + src[other * 4 + c]) >> 1;
    }
}"""
    (scop,) = read_c("f.c", text=text, auto=True)
    for variant in peeled(scop):
        assert isinstance(Proofs().prove(variant.scop, original_tree(variant.scop)), Proof)


def test_extents_that_are_numbers() -> None:
    found = window(PADDED.replace("w", "40"), width="", extent="40")
    assert ends(found) == [("2", True), ("38", False)]
    assert not ends(window(PADDED.replace("w", "12"), width="", extent="12"))  # which are written out


def test_rows_where_nothing_is_open_along_them() -> None:
    text = """void f(int h, int w, float a[h][w], float b[h][w])
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            b[y][x] = a[y > 0 ? y - 1 : 0][x] + a[y][x];
}
"""
    (found,) = read_source("f.c", text=text, auto=True).scops
    assert [(step.level, str(step.at), step.first) for step in Peel.candidates(found)] == [(0, "1", True)]


def test_the_published_kernels_have_no_borders() -> None:
    for name in kernel_names():
        (source,) = read_c(kernel(name).path)
        assert not list(peeled(source)), name


@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
@given(scops(3), st.integers(-1, 3), st.booleans(), st.booleans())
def test_any_place_leaves_the_order_as_it_is(source: Scop, constant: int, moves: bool, first: bool) -> None:
    at = affine(constant) + (affine(source.parameters[0]) if moves and source.parameters else affine(0))
    for statement in source.statements:
        for level in range(statement.depth):
            try:
                new = Peel(statement.name, level, at, first).apply(source)
            except IllegalScopTransformError:
                continue
            assert violated(new, original_tree(new), memory_dependences(new)) is None
            for values in parameter_values(source):
                assert order(new, values) == order(source, values)


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (Peel("X", 0, affine(2), True), "there is no statement X"),
        (Peel("S0", 1, affine(2), True), "there is no such loop"),
        (Peel("S0", 0, affine("k"), True), "k is no parameter"),
        (Peel("S0", 0, affine(-1), True), "all of it lies on one side"),
    ],
    ids=["no statement", "no loop", "no parameter", "one side"],
)
def test_refusals(step: Peel, reason: str) -> None:
    with pytest.raises(IllegalScopTransformError) as caught:
        step.apply(window(PADDED))
    assert str(caught.value) == f"cannot {step.action} in f: {reason}"
