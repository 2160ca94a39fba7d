"""`polyloop bench fuzz --suite walks`: a small share of the episodes, and what is said when something is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.planning.vectors import Options
from polyloop.backend.run.kernel import Kernel
from polyloop.backend.run.nest_kernel import Planning, compile_nest
from polyloop.bench import fuzz_walks
from polyloop.bench.fuzz_outcome import Outcome
from polyloop.bench.fuzz_walks import Subject, _check, _process, episode
from polyloop.cli.main import main
from polyloop.cursor.actions import Actions
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_process import TreeCursor
from polyloop.measure.nests import STRAIGHT_VECTORS
from polyloop.measure.result import Check
from polyloop.search.cursor.searches import program_of
from polyloop.tensors import tensor

KERNELS = ("gemm", "trisolv", "jacobi-1d", "matvec")


def job(number: int) -> dict[str, Any]:
    return {"seed": 11, "number": number, "kernel": KERNELS[number % len(KERNELS)], "run": True}


@pytest.mark.parametrize("number", range(8))
def test_episodes(number: int) -> None:
    outcome = episode(job(number))
    assert outcome.errors == []
    assert outcome.counts["proven"] == 1
    assert outcome.compared + outcome.counts["code generation given up"] == 1


def test_an_episode_depends_on_its_numbers_alone() -> None:
    first = episode(job(3))
    episode(job(5))
    second = episode(job(3))
    assert (first.subject, first.counts) == (second.subject, second.counts)


def test_wrong_results_are_told_with_the_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_walks, "compare", lambda *_: Check(10, 3, 1.0))
    outcome = episode(job(0))
    assert outcome.different == 1
    assert "3 of 10 elements differ" in outcome.errors[0]


@pytest.mark.parametrize("as_tree", [False, True])
def test_what_is_checked_is_planned_as_what_is_measured(as_tree: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    scop = tensor("C[m,n] += A[m,k]*B[k,n]", {"m": 6, "n": 16, "k": 5}, dtype="float32")
    subject = Subject("product", scop, {}, reassociate=True, whole=True)
    process = _process(subject, Actions(), as_tree)
    state = process.initial()
    taken: list[tuple[Planning, str]] = []

    def compiled(nest: LoopNest, planning: Planning, *, threads: int, tier: str) -> Kernel:
        taken.append((planning, tier))
        return compile_nest(nest, planning, threads=threads, tier=tier)

    monkeypatch.setattr(fuzz_walks, "compile_nest", compiled)
    outcome = Outcome("product")
    _check(subject, process, state, outcome, threads=1)
    assert (outcome.errors, outcome.compared) == ([], 1)
    shipped = program_of(process, state).finalist
    assert taken == [(shipped.planning, shipped.tier)]
    assert shipped.planning.options.straight_vectors == (Options().straight_vectors if as_tree else STRAIGHT_VECTORS)


def test_masked_actions_that_are_done_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for process in (NestCursor, TreeCursor):
        monkeypatch.setattr(process, "step", lambda self, state, action: state)
    found = [error for number in range(3) for error in episode(job(number)).errors]
    assert any("is masked, and done all the same" in error for error in found)


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path))
    assert main(["bench", "fuzz", "--suite", "walks", "--count", "2", "--kernels", "trisolv"]) == 0
    assert "2 episodes" in capsys.readouterr().out
