"""Construction and exploration: every masked walk ends in a legal schedule."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.mdp import DecisionProcess, IllegalActionError
from polyloop.schedules.legality import Proof, prove
from polyloop.spaces.construction import Construction, ConstructionAction, ConstructionState
from polyloop.spaces.exploration import Exploration, ExplorationState
from polyloop.spaces.space import ScheduleSpace, ScheduleSpaceError
from tests.helpers.small_scops import assign, loop, scop
from tests.spaces.kernel_scops import kernel_scop
from tests.spaces.matvec import matvec_space

SOME = ("gemm", "lu", "symm", "trisolv", "durbin", "fdtd-2d", "floyd-warshall", "gramschmidt")


pytestmark = pytest.mark.usefixtures("shared_cache")


def walk_construction(process: Construction, rng: np.random.Generator) -> ConstructionState:
    state = process.initial()
    for _ in range(10_000):
        if process.final(state):
            return state
        mask = process.actions(state)
        assert any(mask), str(state)
        state = process.step(state, int(rng.choice(np.flatnonzero(mask))))
    raise AssertionError("the walk does not end")


def walk_exploration(process: Exploration, rng: np.random.Generator) -> ExplorationState:
    state = process.initial()
    while not process.final(state):
        allowed = [c for c, legal in enumerate(process.actions(state)) if legal]
        weights = np.array([1.0 if c == 0 else 0.15 for c in allowed])
        state = process.step(state, int(rng.choice(allowed, p=weights / weights.sum())))
    return state


@pytest.mark.parametrize("name", SOME)
def test_random_walks_end_in_legal_schedules(name: str) -> None:
    source = kernel_scop(name)
    memory = source.dependences()
    space = ScheduleSpace.of(source, granularity="block")
    construction = Construction(space)
    rng = np.random.default_rng(5)
    for _ in range(3):
        state = walk_construction(construction, rng)
        assert state.dimension <= construction.max_dimensions
        exploration = Exploration(space, state.carried)
        assert exploration.dimensions == construction.dimensions(state)
        final = walk_exploration(exploration, rng)
        schedule = exploration.schedule(final)
        assert space.contains(schedule)
        assert isinstance(prove(source, schedule.to_tree(source, memory), memory), Proof)


@pytest.mark.parametrize("name", ["symm", "durbin", "ludcmp"])
def test_walks_fit_the_fewest_dimensions(name: str) -> None:
    """With no dimension to spare the mask still leaves a way at every step."""
    space = ScheduleSpace.of(kernel_scop(name))
    process = Construction(space, max_dimensions=len(space.greedy()), max_empty=0)
    rng = np.random.default_rng(1)
    for _ in range(5):
        assert walk_construction(process, rng).dimension <= process.max_dimensions


def test_a_cap_that_no_schedule_fits() -> None:
    space = ScheduleSpace.of(kernel_scop("ludcmp"))
    with pytest.raises(ScheduleSpaceError, match="need 4 dimensions, more than 3"):
        Construction(space, max_dimensions=3)


def test_completion_carries_the_rest_as_early_as_possible() -> None:
    process = Construction(matvec_space())
    assert process.completed(process.initial()) == (1, 1)
    assert process.completed(ConstructionState(3, 2, (0, 2))) == (3, 2)
    space = ScheduleSpace.of(kernel_scop("symm"))
    construction = Construction(space)
    carried = construction.completed(construction.initial())
    assert max(carried) == len(space.greedy())
    assert len(space.construct(carried)) == max(carried)


def test_without_dependences_any_action_ends_the_construction() -> None:
    space = ScheduleSpace.of(scop("n", loop("i", "0", "n", assign("S", "A[i]", "B[i]"))))
    process = Construction(space)
    assert process.actions(process.initial()) == (True, True, True)
    for action in ConstructionAction:
        state = process.step(process.initial(), action)
        assert process.final(state)
        assert process.actions(state) == (False, False, False)
    exploration = Exploration(space, ())
    assert exploration.terms == (4,)


def test_the_last_of_several_vertices_is_not_zero_after_zeros() -> None:
    source = kernel_scop("trisolv")
    space = ScheduleSpace.of(source)
    dimension = Exploration(space, (1,) * len(space.dependences))
    count = len(dimension.dimensions[0].generators.vertices)
    assert count == 2
    state = dimension.initial()
    for _ in range(count - 1):
        assert dimension.actions(state) == (True, True, True)
        state = dimension.step(state, 0)
    assert dimension.actions(state) == (False, True, True)
    with pytest.raises(IllegalActionError, match="the coefficients of all vertices would be zero"):
        dimension.step(state, 0)
    other = dimension.step(dimension.initial(), 1)
    for _ in range(count - 2):
        other = dimension.step(other, 0)
    assert dimension.actions(other) == (True, True, True)


def test_coefficients_beyond_the_largest() -> None:
    process = Exploration(matvec_space(), (4, 3))
    with pytest.raises(IllegalActionError, match="coefficients go from 0 to 2"):
        process.step(process.initial(), 3)
    done = ExplorationState((0,) * 43)
    assert process.actions(done) == (False, False, False)
    with pytest.raises(IllegalActionError, match="all coefficients are chosen"):
        process.step(done, 0)


def test_both_are_decision_processes() -> None:
    construction: DecisionProcess[ConstructionState] = Construction(matvec_space())
    exploration: DecisionProcess[ExplorationState] = Exploration(matvec_space(), (4, 3))
    assert hash(construction.initial()) == hash(construction.initial())
    assert str(exploration.initial()) == "no coefficient yet"
