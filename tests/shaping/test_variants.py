"""Variants of a Scop: few, told in words, and computing the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from polyloop.frontend import read_c, read_source
from polyloop.scop.model import Scop
from polyloop.shaping.variants import in_blocks, variants
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.transforms import trace_text
from polyloop.transforms.expand import SplitWebs
from polyloop.transforms.read_first import Substitute
from polyloop.transforms.steps import parse_steps, replay_steps
from tests.helpers.enumeration import parameter_values, run
from tests.helpers.random_transforms import scops


def words(name: str) -> list[str]:
    (source,) = read_c(kernel(name).path)
    return [variant.words for variant in variants(source)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gemm", [""]),
        ("syrk", ["", "copies in another layout for A[j][k]"]),
        ("floyd-warshall", ["", "cut at j - k = 0", "cut at j - k = 0, i - k = 0"]),
    ],
)
def test_what_the_published_kernels_get(name: str, expected: list[str]) -> None:
    assert words(name) == expected


def test_a_scalar_of_several_loops_is_split_expanded_and_put_in_place() -> None:
    found = words("ludcmp")
    assert found[:2] == ["", "w in webs; w_1, w_2, w_3, w_4 expanded over the loops, w_1_x, w_2_x, w_3_x in place"]
    assert "w in webs; w_1, w_2, w_3, w_4 expanded over the innermost loop" in found


def test_names_for_every_use_are_proven_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a Scop, whichever variants begin with them."""
    (known,) = read_c(kernel("ludcmp").path)
    source = replace(known, name="asked_about_by_nobody")
    asked: list[str] = []
    changed = SplitWebs.changed

    def counted(self: SplitWebs, scop: Scop) -> Scop:
        if scop is source:
            asked.append(self.array)
        return changed(self, scop)

    monkeypatch.setattr(SplitWebs, "changed", counted)
    assert list(variants(source))
    list(in_blocks(source))
    assert "w" in asked
    assert len(asked) == len(set(asked))


def test_scalars_that_stay_are_not_asked_about_behind_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """8 scalars keep what is overwritten before it is used, which is found out of each twice."""
    many = 8
    lines = (
        f"double a{k} = x[{k} * n + i]; x[{k} * n + i] = i;"
        f" double t{k} = z[i] * {k}; y[{k} * n + i] = t{k} * t{k} + a{k};"
        for k in range(many)
    )
    loop = "\n".join(("for (int i = 0; i < n; i++) {", *lines, "}"))
    text = f"void f(int n, double *x, double *y, double *z)\n{{\n#pragma scop\n{loop}\n#pragma endscop\n}}\n"
    (source,) = read_source("f.c", text=text).scops
    asked: list[str] = []
    changed = Substitute.changed

    def counted(self: Substitute, scop: Scop) -> Scop:
        asked.append(self.array)
        return changed(self, scop)

    monkeypatch.setattr(Substitute, "changed", counted)
    substituted = next(variant.words for variant in variants(source) if "substituted" in variant.words)
    assert all(f"t{k}" in substituted for k in range(many))
    assert len(asked) <= 3 * many


def test_variants_are_few_and_begin_with_the_scop_itself() -> None:
    for name in kernel_names():
        (source,) = read_c(kernel(name).path)
        made = [variant.scop for variant in variants(source)]
        assert made[0] is source
        assert len(made) <= 8


@settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
@given(scops(3))
def test_every_variant_computes_the_same(source: Scop) -> None:
    for variant in variants(source):
        for values in parameter_values(source):
            assert run(variant.scop, values) == run(source, values), variant.words


@pytest.mark.parametrize("name", ["ludcmp", "symm", "syrk", "floyd-warshall"])
def test_the_steps_make_the_variant_again(name: str) -> None:
    (source,) = read_c(kernel(name).path)
    for variant in variants(source):
        assert bool(variant.steps) == bool(variant.words)
        replayed, _ = replay_steps(source, parse_steps(trace_text(variant.steps)))
        assert replayed.statements == variant.scop.statements
        assert replayed.arrays == variant.scop.arrays
