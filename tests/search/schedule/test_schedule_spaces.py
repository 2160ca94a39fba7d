"""The searches on schedule spaces: heuristics, samples, crossing, and `optimize` with them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from polyloop.api import optimize
from polyloop.envs.problems import Arguments, Task, load
from polyloop.errors import PolyloopError
from polyloop.measure.schedules import CostModel
from polyloop.schedules.legality import Proof, prove
from polyloop.search.journal import Journal
from polyloop.search.methods import method
from polyloop.search.methods.genetic import Genetic
from polyloop.search.registry import SEARCHES, find_search
from polyloop.search.run import Budget, search
from polyloop.search.schedule.crossing import DimensionCrossing
from polyloop.search.schedule.heuristics import HEURISTICS, construction_actions, feautrier, pouchet, schedule_actions
from polyloop.search.schedule.objective import scheduling_objective
from polyloop.search.schedule.sampler import Sampler
from polyloop.spaces.construction import Construction
from polyloop.spaces.scheduling import Scheduling, SchedulingState

METHODS = ("random", "greedy", "beam-bfs2", "beam-dfs2", "mcts", "anneal", "genetic")


pytestmark = pytest.mark.usefixtures("shared_cache")


def task(name: str) -> Task:
    return load(name, Arguments())


def scheduling(name: str) -> Scheduling:
    return Scheduling(Construction(task(name).space))


@pytest.mark.parametrize("name", METHODS)
def test_every_search_walks_both_phases_and_finds_a_legal_schedule(name: str) -> None:
    gemm, process = task("gemm"), scheduling("gemm")
    objective = scheduling_objective(process, gemm.problem, CostModel(), HEURISTICS["sparse"])
    found = search(objective, method(name), Budget(evaluations=25), seed=1)
    assert process.final(found.best.state)
    schedule = process.schedule(found.best.state)
    assert CostModel().evaluate(gemm.problem, schedule).speedup == found.value
    memory = gemm.problem.scop.dependences()
    assert isinstance(prove(gemm.problem.scop, schedule.to_tree(gemm.problem.scop, memory), memory), Proof)


def test_the_search_of_a_seed_is_the_same_in_two_parts(tmp_path: Path) -> None:
    gemm, process = task("gemm"), scheduling("gemm")
    objective = scheduling_objective(process, gemm.problem, CostModel(), HEURISTICS["sparse"])
    genetic = Genetic(population=6, crossing=DimensionCrossing(process))
    whole = search(objective, genetic, Budget(evaluations=20), seed=7)
    journal = tmp_path / "journal.jsonl"
    # The crossing belongs to the process; what tells two searches apart is the rest.
    search(objective, method("anneal"), Budget(evaluations=12), seed=7, journal=Journal(journal))
    resumed = search(objective, method("anneal"), Budget(evaluations=20), seed=7, journal=Journal(journal))
    straight = search(objective, method("anneal"), Budget(evaluations=20), seed=7)
    assert (resumed.best, resumed.value) == (straight.best, straight.value)
    assert search(objective, genetic, Budget(evaluations=20), seed=7).best == whole.best


@pytest.mark.parametrize("name", ["gemm", "symm", "durbin", "fdtd-2d"])
def test_greedy_constructions_can_be_walked(name: str) -> None:
    process = Construction(task(name).space)
    for carried in (feautrier(process.space), pouchet(process.space)):
        state = process.initial()
        for action in construction_actions(process, state, carried):
            state = process.step(state, action)
        assert state.carried == carried
        assert len(process.dimensions(state)) == max(carried)
    assert max(feautrier(process.space)) == len(process.space.greedy()) <= max(pouchet(process.space))


def test_weights_of_the_papers_heuristics() -> None:
    process = scheduling("gemm")
    chooser = scheduling_objective(process, task("gemm").problem, CostModel(), HEURISTICS["bias_coeff_0"]).weights
    assert chooser is not None
    assert chooser(process.initial()) == (0.2, 0.2, 0.6, 0.0, 0.0, 0.0)
    state = process.initial()
    for action in schedule_actions(process, feautrier(process.construction.space), ()):
        state = process.step(state, action)
    assert chooser(state) == (0.0, 0.0, 0.0, 1.0, 0.15, 0.15)


def test_sparse_coefficients_are_as_many_as_expected() -> None:
    process = scheduling("lu")
    weights = scheduling_objective(process, task("lu").problem, CostModel(), HEURISTICS["feautrier"]).weights
    assert weights is not None
    state = process.initial()
    for action in schedule_actions(process, feautrier(process.construction.space), ()):
        state = process.step(state, action)
    terms = process.exploration(state.construction).terms[0]
    zero, *others = weights(state)[3:]
    assert sum(others) / (zero + sum(others)) * terms == pytest.approx(1.5)


def test_samples_depend_on_seed_heuristic_and_index_alone() -> None:
    lu = task("lu")
    first, second = (Sampler(lu.name, lu.problem, lu.space, seed=3) for _ in range(2))
    forwards = [first.schedule(name, k) for name in ("sparse", "guided pouchet") for k in range(6)]
    backwards = [second.schedule(name, k) for name in ("guided pouchet", "sparse") for k in reversed(range(6))]
    assert forwards == backwards[::-1]
    assert len(set(forwards)) > 6
    assert Sampler(lu.name, lu.problem, lu.space, seed=4).schedule("sparse", 0) != forwards[0]


def test_a_guided_sample_is_the_best_of_many_by_the_model() -> None:
    lu, model = task("lu"), CostModel()
    sampler = Sampler(lu.name, lu.problem, lu.space)
    guided = [model.seconds(lu.problem, sampler.schedule("guided sparse", k)) for k in range(8)]
    plain = [model.seconds(lu.problem, sampler.schedule("sparse", k)) for k in range(8)]
    assert sum(guided) < sum(plain)


@pytest.mark.parametrize("name", ["gemm", "trisolv", "jacobi-1d", "gramschmidt"])
@pytest.mark.parametrize("heuristic", ["permutable", "separate permutable", "separate sparse"])
def test_samples_that_are_made_outside_the_walk_are_legal(name: str, heuristic: str) -> None:
    given = task(name)
    scop, memory = given.problem.scop, given.problem.scop.dependences()
    sampler = Sampler(name, given.problem, given.space)
    for index in range(4):
        assert isinstance(prove(scop, sampler.schedule(heuristic, index).to_tree(scop, memory), memory), Proof)


def test_permutable_samples_have_a_band_of_two_loops() -> None:
    given = task("trisolv")
    scop, memory = given.problem.scop, given.problem.scop.dependences()
    sampler = Sampler("trisolv", given.problem, given.space)
    trees = [sampler.schedule("separate permutable", k).to_tree(scop, memory, complete=True) for k in range(6)]
    bands = [max(len(band.members) for _, band in tree.bands() if band.permutable) for tree in trees]
    assert bands == [2] * 6


def test_an_unknown_heuristic_is_named() -> None:
    lu = task("lu")
    with pytest.raises(PolyloopError, match="no heuristic 'bias'; there are uniform, bias_select_dep"):
        Sampler(lu.name, lu.problem, lu.space).schedule("bias", 0)


@pytest.mark.parametrize("name", ["gemm", "symm", "lu", "gramschmidt"])
def test_children_are_legal_and_made_of_their_parents_dimensions(name: str) -> None:
    process = scheduling(name)
    cross, random = DimensionCrossing(process), np.random.default_rng(2)
    parents = [_walk(process, random) for _ in range(6)]
    kinds: Counter[str] = Counter()
    for _ in range(30):
        first, second = (parents[int(k)] for k in random.integers(len(parents), size=2))
        state = process.initial()
        for action in cross(first, second, random):
            # A vertex too few is the one thing that a child may lack; the search draws one then.
            if process.actions(state)[action]:
                state = process.step(state, action)
            else:
                kinds["drawn"] += 1
                state = process.step(state, process.actions(state).index(True))
        assert process.final(state)
        kinds["both" if first != second else "same"] += 1
        if first == second:
            assert _order(state) == _order(_state(process, first))
    assert kinds["both"] > 0


def test_searches_of_the_command_line_walk_schedules() -> None:
    names = ("random", "greedy", "beam", "mcts", "anneal", "genetic")
    assert set(names) <= set(SEARCHES)
    assert all(find_search(name)[1] == "schedule" for name in names)


@pytest.mark.long
@pytest.mark.parametrize("name", ["random", "greedy", "beam", "mcts", "anneal", "genetic"])
def test_optimize_is_never_slower_than_the_original(name: str) -> None:
    scop = task("mvt").problem.scop
    result = optimize(scop, sizes={"n": 120}, search=name, budget=1.5)
    assert result.timing.median <= result.baseline.median
    assert result.check.passed
    names = [measured.name for measured in result.measurements]
    assert names[0] == "original loops"
    assert any(text.startswith("schedule") for text in names)  # isl's, too, where the time was long enough


def _walk(process: Scheduling, random: np.random.Generator) -> tuple[int, ...]:
    state, actions = process.initial(), []
    while not process.final(state):
        legal = np.flatnonzero(process.actions(state))
        actions.append(int(legal[0] if random.random() < 0.7 and state.exploration else random.choice(legal)))
        state = process.step(state, actions[-1])
    return tuple(actions)


def _order(state: SchedulingState) -> list[int]:
    """Which dependences are carried before which others; dimensions that carry none do not count."""
    used = sorted(set(state.construction.carried))
    return [used.index(dimension) for dimension in state.construction.carried]


def _state(process: Scheduling, actions: tuple[int, ...]) -> SchedulingState:
    state = process.initial()
    for action in actions:
        state = process.step(state, action)
    return state
