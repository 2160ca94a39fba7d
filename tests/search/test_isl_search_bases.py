"""Which schedules the search starts from, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyloop.backend.target import host_target
from polyloop.dependence import Dependence
from polyloop.frontend import read_c
from polyloop.isl_scheduler import Fusion, isl_schedule
from polyloop.kernels import kernel
from polyloop.schedule_tree import ScheduleTree
from polyloop.scop import Scop
from polyloop.search import isl_search
from polyloop.search.evaluation import Evaluator


def _bases(name: str) -> list[str]:
    chosen = kernel(name)
    (scop,) = read_c(chosen.path)
    with Evaluator(scop, chosen.sizes["MINI"], host_target()) as evaluator:
        return [base.name for base in isl_search._bases(evaluator)]


def test_a_nest_that_stays_together_comes_first() -> None:
    found = _bases("jacobi-2d")
    assert found[:2] == ["isl, separate fusion", "isl, separate fusion, distributed"]
    assert not any("maximal" in name or "default" in name for name in found)


def test_separate_nests_come_distributed_first() -> None:
    assert _bases("mvt")[0] == "isl, separate fusion, distributed"


def test_every_schedule_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, Fusion]] = []

    def counted(scop: Scop, dependences: Sequence[Dependence], fusion: Fusion, *, reassociate: bool) -> ScheduleTree:
        seen.append((id(scop), fusion))
        return isl_schedule(scop, dependences, fusion, reassociate=reassociate)

    monkeypatch.setattr(isl_search, "isl_schedule", counted)
    _bases("atax")
    assert len(seen) == len(set(seen)) == 3


def test_one_statement_is_scheduled_by_its_memory_based_dependences() -> None:
    chosen = kernel("seidel-2d")
    (scop,) = read_c(chosen.path)
    with Evaluator(scop, chosen.sizes["MINI"], host_target()) as evaluator:
        assert evaluator.flow(scop) is evaluator.dependences(scop)
