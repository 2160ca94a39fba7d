"""The search that a learned model guides: it learns, repeats, measures nothing twice, and ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polyloop
from polyloop.backend.machine.host import host_target
from polyloop.cursor.actions import Actions
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.model import nest_model
from polyloop.cursor.nest import Nest
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.cursor.tree_process import TreeCursor
from polyloop.models.training import TrainingError
from polyloop.search.cursor.guided import CursorMoves, guided
from polyloop.search.cursor.objective import walk_objective
from polyloop.search.cursor.searches import STEPS
from polyloop.search.guided import Explorer, Guided
from polyloop.search.journal import Journal
from polyloop.search.run import Budget, Found, Run, search

# Importing it takes half a second, which collecting the tests of this file should not.
pytestmark = pytest.mark.skipif(find_spec("lightgbm") is None, reason="lightgbm is not installed")

SMALL: dict[str, Any] = {"chains": 12, "steps": 4, "transfer": False}


def process(m: int = 96, k: int = 64, n: int = 80) -> NestCursor:
    problem = Contraction.of(polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", m=m, k=k, n=n))
    assert problem is not None
    return NestCursor(problem, Actions(), STEPS)


def found(
    cursor: NestCursor,
    method: Guided,
    evaluations: int,
    asked: list[Nest] | None = None,
    journal: Journal | None = None,
) -> Found[Any]:
    """A run on seconds that the analytic model does not know: it takes the outermost loop for three times as slow."""
    model = nest_model(host_target().machine)

    def value(nest: Nest) -> float:
        if asked is not None:
            asked.append(nest)
        if nest.compute[0].variable == "k":
            return float("-inf")  # does not run
        slower = 3.0 if nest.compute[0].variable == "m" else 1.0
        return 1e-6 / (slower * model.seconds(cursor.problem, nest))

    return search(walk_objective(cursor, value), method, Budget(evaluations=evaluations), seed=3, journal=journal)


def test_runs_repeat_and_nothing_is_measured_twice() -> None:
    cursor, asked = process(), list[Nest]()
    first = found(cursor, guided(cursor, **SMALL), 60, asked)
    assert (first.evaluations, len(asked), len(set(asked))) == (60, 60, 60)
    second = found(cursor, guided(cursor, **SMALL), 60)
    assert [p.best for p in first.curve] == [p.best for p in second.curve]
    assert first.best.state == second.best.state


def test_it_finds_what_random_walks_do_not() -> None:
    from polyloop.search.methods import method

    cursor = process(128, 128, 128)
    model = nest_model(host_target().machine)
    best = {}
    for name, chosen in (("model", guided(cursor, **SMALL)), ("random", method("random"))):
        objective = walk_objective(cursor, lambda nest: 1e-6 / model.seconds(cursor.problem, nest))
        best[name] = search(objective, chosen, Budget(evaluations=40), seed=1).value
    assert best["model"] > best["random"]


def test_it_starts_from_several_programs_and_ends_where_nothing_is_left() -> None:
    cursor = process(2, 3, 2)
    start = cursor.initial().program
    other = replace(cursor, length=None)
    swapped = other.step(other.initial(), cursor.names.index("swap_down")).program
    asked: list[Nest] = []
    run = found(cursor, guided(cursor).starting((start, swapped)), 10_000, asked)
    assert asked[:2] == [start, swapped]
    assert run.ending == "finished"
    assert len(asked) == 12  # orders of three loops too short to be split, and of the two that write back


def test_what_learns_is_not_loaded_before_there_is_something_to_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "lightgbm", raising=False)  # whatever ran before in this process
    cursor = process()
    found(cursor, guided(cursor, **SMALL), 4)
    assert "lightgbm" not in sys.modules
    found(cursor, guided(cursor, **SMALL), 12)
    assert "lightgbm" in sys.modules


def test_without_what_learns_there_is_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(TrainingError, match="pip install"):
        guided(process())


def test_figures_of_many_programs_do_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyloop.search.guided.KEPT", 10)
    cursor = process()
    run = Run(walk_objective(cursor, lambda _: 1.0), random=np.random.default_rng(0))
    explorer = Explorer(guided(cursor, **SMALL), run)
    for _ in range(40):
        program = explorer.moves.drawn(run)
        assert explorer.figures(program) is explorer.figures(program)
        assert sum(len(each.rows) for each in explorer.rows.values()) == explorer.kept <= 10


def test_trees_are_walked_as_well() -> None:
    text = """void f(double A[64][64], double B[64][64]) {
#pragma scop
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      A[j][i] = B[j][i] * 2;
#pragma endscop
}"""
    (scop,) = polyloop.read_c("f.c", text=text)
    cursor = TreeCursor(TreeProblem(scop, ()), Actions(flags=("vectorize",)), STEPS)
    objective = walk_objective(cursor, lambda tree: float(np.log(2 + len(str(tree)))))
    run = search(objective, guided(cursor, **SMALL), Budget(evaluations=16), seed=0)
    assert run.evaluations == 16
    assert run.best.state.program != cursor.initial().program


def test_a_killed_search_loses_nothing_and_goes_on_where_it_stood(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    code = f"""
from pathlib import Path
from tests.search.cursor.test_guided import SMALL, found, guided, process
from polyloop.search.journal import Journal
cursor = process()
found(cursor, guided(cursor, **SMALL), 10_000, journal=Journal(Path({str(path)!r})))
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[3]), *sys.path])}
    with subprocess.Popen([sys.executable, "-c", code], env=environment) as run:
        while run.poll() is None and (not path.exists() or path.read_bytes().count(b"\n") < 8):
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
    assert run.returncode == -signal.SIGKILL
    left = path.read_bytes()
    lines = left.count(b"\n")
    cursor, asked = process(), list[Nest]()
    whole = found(cursor, guided(cursor, **SMALL), lines + 2)
    resumed = found(cursor, guided(cursor, **SMALL), lines + 2, asked, Journal(path))
    assert len(asked) == 3  # what the journal does not have: its first line is of the search
    assert path.read_bytes().startswith(left[: left.rfind(b"\n") + 1])
    assert (resumed.best, resumed.value) == (whole.best, whole.value)


def test_a_register_tile_is_a_few_changes_away() -> None:
    """Its loops come from far outside: one exchange after the other, each of which must be taken, hardly led there."""
    text = "out[y, x, o] += a[y + i, x + j, c] * w[i, j, c, o]"
    problem = Contraction.of(polyloop.tensor(text, y=28, x=28, i=3, j=3, c=64, o=64))
    assert problem is not None
    cursor = NestCursor(problem, Actions(), STEPS)
    run = Run(walk_objective(cursor, lambda _: 1.0), random=np.random.default_rng(0))
    moves, start = CursorMoves(cursor), cursor.initial().program
    near = [moves.neighbour(start, run).compute for _ in range(2000)]
    order = [loop.variable for loop in start.compute]
    assert any([loop.variable for loop in loops] == [*order, order[0]] for loops in near), "split and sunk"
    assert any([loop.variable for loop in loops] == [*order[1:], order[0]] for loops in near), "moved"


def test_chains_are_drawn_anew_among_their_island() -> None:
    """However much better one is than all: where all others went on from it, nothing else was met."""
    cursor = process()
    run = Run(walk_objective(cursor, lambda _: 1.0), random=np.random.default_rng(0))
    energies = np.full(24, 1e6)
    energies[3] = 0.0
    at = Explorer(guided(cursor, chains=24, transfer=False), run).resampled(energies)
    assert at[:8].tolist() == [3] * 8
    assert sorted(at[8:]) == list(range(8, 24))


def test_a_batch_has_one_of_what_the_model_cannot_tell_apart() -> None:
    cursor = process()
    run = Run(walk_objective(cursor, lambda _: 1.0), random=np.random.default_rng(0))
    explorer = Explorer(guided(cursor, transfer=False), run)
    start = cursor.initial().program
    explorer.measure(start)
    near = dict.fromkeys(explorer.moves.neighbour(start, run) for _ in range(40))
    unlike = [nest for nest in near if nest != start]
    explorer.scores = {start: 3.0} | {nest: float(k // 2) for k, nest in enumerate(unlike)}
    said = [explorer.scores[nest] for nest in explorer.chosen(unlike, 8)]
    assert len(said) == len(set(said)) == 7
    assert 3.0 not in said, "it is known"
