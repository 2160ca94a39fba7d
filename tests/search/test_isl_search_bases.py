"""Which schedules the search starts from, and in which order."""

from __future__ import annotations

from itertools import islice

import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.run.worker import Worker, WorkerError
from polyloop.frontend import read_c
from polyloop.measure import evaluator as evaluation
from polyloop.measure.evaluator import Evaluator
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.size_choice import default_sizes
from polyloop.search import isl_search
from polyloop.shaping.nests import nests
from polyloop.shaping.shaped import legal_shapes
from polyloop.shipped.kernels import kernel


def _bases(name: str) -> list[str]:
    chosen = kernel(name)
    (scop,) = read_c(chosen.path)
    with Evaluator(scop, chosen.sizes["MINI"], host_target()) as evaluator:
        return [base.name for base in isl_search._bases(evaluator)]


def test_a_nest_that_stays_together_comes_first() -> None:
    found = _bases("jacobi-2d")
    assert found[:3] == [
        "isl, separate fusion",
        "A, B in rows of whole lines; isl, separate fusion",
        "isl, separate fusion, distributed",
    ]
    assert not any("maximal" in name or "default" in name for name in found)


def test_factorisations_come_in_panels_first() -> None:
    assert _bases("lu")[:3] == [
        "isl, separate fusion, panels of 64",
        "isl, separate fusion, panels of 32",
        "isl, separate fusion",
    ]


def test_triangles_that_are_read_once_come_in_rows_first() -> None:
    found = _bases("trisolv")
    assert found[0].startswith("isl, separate fusion, rows of ")
    assert found[1] == "isl, separate fusion, panels of 64"


def test_what_has_lanes_only_where_it_is_cut_comes_so_first() -> None:
    """And a scalar of one iteration is not in their way: isl may take longer than the search has."""
    text = """
    void shortest(int n, int d[n][n])
    {
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    int through = d[i][k] + d[k][j];
                    d[i][j] = through < d[i][j] ? through : d[i][j];
                }
    }
    """
    (scop,) = read_c("shortest.c", text=text, auto=True)
    with Evaluator(scop, {"n": 16}, host_target()) as evaluator:
        first = next(isl_search._bases(evaluator))
    assert first.name == "through substituted; cut at j - k = 0; original order, distributed"


def test_separate_nests_come_distributed_first() -> None:
    assert _bases("mvt")[0] == "isl, separate fusion, distributed"


def test_lanes_down_columns_come_by_blocks_of_rows_first() -> None:
    chosen = kernel("deriche")
    (scop,) = read_c(chosen.path)
    with Evaluator(scop, chosen.sizes["MINI"], shown_target("avx2")) as evaluator:
        found = [base.name for base in islice(isl_search._in_lanes(evaluator), 4)]
    lanes = found[0]
    assert found[1:] == [
        f"{lanes}, strips of rows shared, by blocks of rows",
        f"{lanes}, strips of 4 vectors shared",
        f"{lanes}, strips of 2 vectors shared",
    ]


def test_every_schedule_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, object]] = []
    original = Evaluator.scheduled

    def counted(evaluator: Evaluator, function: str, *arguments: object) -> ScheduleTree | None:
        if function == "polyloop.schedules.isl_scheduler:isl_schedule":
            seen.append((id(arguments[0]), arguments[2]))
        return original(evaluator, function, *arguments)

    monkeypatch.setattr(Evaluator, "scheduled", counted)
    _bases("atax")
    assert len(seen) == len(set(seen)) == 3


def test_a_scheduler_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """isl cannot be interrupted; its process can, which tests of the worker show."""
    limits: list[float] = []

    def too_slow(
        worker: Worker, function: str, arguments: tuple[object, ...] = (), *, timeout: float, until: float
    ) -> object:
        limits.append(timeout)
        raise WorkerError("timeout", f"{function} took longer than {timeout} s")

    monkeypatch.setattr(Worker, "call", too_slow)
    found = _bases("atax")
    assert set(limits) == {evaluation.SCHEDULING_SECONDS[1]}
    assert found == ["original order, distributed", "original order"]


def test_one_statement_is_scheduled_by_its_memory_based_dependences() -> None:
    chosen = kernel("seidel-2d")
    (scop,) = read_c(chosen.path)
    with Evaluator(scop, chosen.sizes["MINI"], host_target()) as evaluator:
        assert evaluator.proofs.flow(scop) is evaluator.proofs.dependences(scop)


def test_variants_whose_nests_are_contractions_come_first() -> None:
    assert _bases("symm")[0].startswith("dot expanded over the loops; isl, separate fusion, distributed")


TURNS = """void wave(int steps, int n, double *before, double *now, double *next)
{
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        double bend = now[(i - 1) * n + j] + now[(i + 1) * n + j] + now[i * n + j - 1] + now[i * n + j + 1];
        next[i * n + j] = bend - before[i * n + j];
      }
    double *free = before;
    before = now;
    now = next;
    next = free;
  }
#pragma endscop
}
"""


def test_sweeps_come_together_without_the_scalars_of_one_iteration() -> None:
    """Of three buffers that take turns: one nest for whole rounds, and what is left of a round behind it."""
    (scop,) = read_c("wave.c", text=TURNS)
    with Evaluator(scop, {"steps": 4, "n": 8}, host_target(), in_process=True) as evaluator:
        base = next(isl_search._bases(evaluator))
        assert base.name.endswith("substituted; isl, separate fusion")
        assert base.tree.statements_at((0,)) == ("S1", "S3", "S5")
        nest = next(nests(base.tree))
        assert len(nest.members) == 3
        found = legal_shapes(evaluator.proofs, shown_target("avx512"), base, nest)
        assert next(found)[0] == "32 steps of 4 rows at once in 512 columns, statement by statement"


def test_few_steps_are_no_better_for_buffers_that_take_turns() -> None:
    (scop,) = read_c("wave.c", text=TURNS)
    assert len(set(default_sizes(scop).values.values())) == 1
