"""The sets of tensor workloads: their sizes, their splits, and that every rule makes a Scop."""

from __future__ import annotations

import pytest

from polyloop.shipped.workloads import UnknownWorkloadError, sample, workload, workload_set, workload_sets


def test_the_grid_of_matrix_products_and_its_held_out_part() -> None:
    products = workload_set("mm64_256_16")
    assert len(products.problems) == 13**3 == 2197
    assert len(products.test) == 440
    assert len(products.train) == 1757
    assert {w.name for w in products.test}.isdisjoint(w.name for w in products.train)
    sizes = {size for w in products.problems for _, size in w.sizes}
    assert sizes == set(range(64, 257, 16))


def test_the_split_is_the_same_everywhere() -> None:
    names = [w.name for w in workload_set("mm64_256_16").test[:3]]
    assert names == SPLIT


SPLIT = [f"mm64_256_16/{problem}" for problem in ("m96-k256-n128", "m160-k240-n224", "m144-k208-n224")]


def test_names_with_and_without_the_set() -> None:
    assert workload("CONV-1") is workload("operators/CONV-1")
    assert workload("m64-k80-n96").sizes == (("m", 64), ("k", 80), ("n", 96))


def test_an_unknown_name_is_answered_with_near_ones() -> None:
    with pytest.raises(UnknownWorkloadError, match="CONV-1"):
        workload("CNV-1")
    with pytest.raises(UnknownWorkloadError, match="mm64_256_16"):
        workload_set("mm")


def test_the_operators_have_the_published_amount_of_work() -> None:
    flops = {w.name.partition("/")[2]: w.flops for w in workload_set("operators").problems}
    assert len(flops) == 12
    assert flops["MM-256"] == 2 * 256**3
    assert flops["CONV-1"] == 2 * 56 * 56 * 9 * 64 * 128
    assert flops["CONV-4"] == 2 * 7 * 7 * 9 * 512 * 512
    assert flops["DWCONV-1"] == 2 * 56 * 56 * 9 * 16
    assert flops["DWCONV-4"] == 2 * 14 * 14 * 25 * 240


@pytest.mark.parametrize("name", workload_sets())
def test_every_rule_makes_a_scop_without_parameters(name: str) -> None:
    for problem in sample(name, 12, seed=1):
        assert problem.scop.parameters == ()
        assert problem.flops > 0


def test_samples_are_reproducible_and_stay_in_their_part() -> None:
    held = {w.name for w in workload_set("mm64_256_16").test}
    first = sample("mm64_256_16", 10, seed=3, split="test")
    assert first == sample("mm64_256_16", 10, seed=3, split="test")
    assert {w.name for w in first} <= held
    assert first != sample("mm64_256_16", 10, seed=4, split="test")
    assert len(sample("operators", 100)) == 12
