"""A policy as a search: observers see what the environment shows, rollouts replay, trees with priors look where they
say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import machine_named
from polyloop.cursor.actions import Actions
from polyloop.envs.cursor_problems import open_cursor
from polyloop.envs.problems import Arguments, load
from polyloop.errors import PolyloopError
from polyloop.gnn.agent import Agent
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import EnvironmentSettings
from polyloop.gnn.evaluation import Judge
from polyloop.gnn.networks import Network, NetworkSettings, heads_of
from polyloop.gnn.observers import CursorObserver, SchedulingObserver
from polyloop.gnn.policy_search import CLEARLY, Led, Policy, PolicyRollouts, best_of_walks, best_walk, rollout
from polyloop.gnn.proposals import Proposals, arguments_for, process_for
from polyloop.gnn.samples import sample_of
from polyloop.gnn.shipped import answer, cursor_policy, modelled, shipped_agent
from polyloop.measure.programs import ModelledPrograms
from polyloop.measure.schedules import CostModel
from polyloop.registration import register
from polyloop.search.cursor.baselines import Task
from polyloop.search.cursor.objective import cursor_objective
from polyloop.search.methods.tree_search import TreeSearch
from polyloop.search.run import Budget, search
from polyloop.spaces.construction import Construction
from polyloop.spaces.scheduling import Scheduling, schedule_of

GRAPH = EnvironmentSettings("polyloop/Cursor-v0", {"observation": "graph", "evaluator": "model", "length": 6})


def _agent(environment: EnvironmentSettings, inputs: tuple[int, ...] = ()) -> Agent:
    torch.manual_seed(0)
    encoder = EncoderSettings("vector" if inputs else "gine", width=16, layers=2, inputs=inputs)
    count = 6 if "Schedule" in environment.id else 10
    network = Network(NetworkSettings(encoder, heads_of(environment.id, count))).eval()
    for head in network.heads.values():
        torch.nn.init.normal_(head[2].weight)  # type: ignore[index]
    return Agent(network, environment, {})


def _same(one: Any, other: Any) -> None:
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name])


@pytest.mark.parametrize("observation", ["graph", "vector"])
def test_eyes_see_what_the_cursor_environment_shows(observation: str) -> None:
    register()
    trained = EnvironmentSettings("polyloop/Cursor-v0", {"observation": observation, "length": 6})
    environment = gymnasium.make(
        "polyloop/Cursor-v0", workload="MM-64", evaluator="model", observation=observation, length=6
    )
    process = open_cursor("MM-64", None, length=6)
    observer, state = CursorObserver(process, trained), process.initial()
    shown, info = environment.reset()
    for action in (4, 1, 3, 1, 7):
        sample, mask = observer.observe(state)
        _same(sample, sample_of(shown))
        assert mask.tolist() == info["action_mask"].astype(bool).tolist()
        shown, _, _, _, info = environment.step(np.int64(action))
        state = process.step(state, action)


@pytest.mark.parametrize("name", ["polyloop/Schedule-v0", "polyloop/Schedule-v1"])
@pytest.mark.parametrize("observation", ["graph", "vector"])
def test_eyes_see_what_the_schedule_environment_shows(observation: str, name: str) -> None:
    register()
    environment: Any = gymnasium.make(name, kernel="mvt", evaluator=CostModel(), observation=observation)
    task = load("mvt", Arguments())
    stops = name.endswith("v1")
    process = Scheduling(Construction(task.space), stop=stops, counted=stops)
    trained = EnvironmentSettings(name, {"observation": observation})
    observer = SchedulingObserver(process, task.problem.scop, dict(task.problem.sizes), trained)
    state, (shown, info) = process.initial(), environment.reset()
    while not process.final(state):
        sample, mask = observer.observe(state)
        _same(sample, sample_of(shown))
        action = int(np.flatnonzero(mask)[-1 - stops])
        assert info["action_mask"][action]
        shown, _, _, _, info = environment.step(np.int64(action))
        state = process.step(state, action)
    assert state.steps == (13 if stops else 0)
    with pytest.raises(PolyloopError, match="walks a process that can"):
        SchedulingObserver(Scheduling(Construction(task.space), stop=not stops), task.problem.scop, {}, trained)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("polyloop/Construct-v0", {}),
        ("polyloop/Explore-v0", {}),
        ("polyloop/Explore-v0", {"construction": [1, 2], "context": "", "parameter_coefficients": True}),
        ("polyloop/Construct-v0", {"granularity": "block", "complete": True}),
        ("polyloop/Construct-v0", {"dependence_order": [1, 0], "max_dimensions": 4}),
    ],
)
@pytest.mark.parametrize("observation", ["graph", "vector"])
def test_eyes_see_what_the_environment_of_a_phase_shows(observation: str, name: str, given: dict[str, Any]) -> None:
    register()
    given = {**given, "observation": observation}
    environment: Any = gymnasium.make(name, kernel="mvt", evaluator=CostModel(), **given)
    trained = EnvironmentSettings(name, given)
    task = load("mvt", arguments_for(trained, "none"))
    process: Any = process_for(trained, task.space)
    observer = SchedulingObserver(process, task.problem.scop, dict(task.problem.sizes), trained)
    state, (shown, info) = process.initial(), environment.reset()
    while not process.final(state):
        sample, mask = observer.observe(state)
        _same(sample, sample_of(shown))
        action = int(np.flatnonzero(mask)[-1])
        assert info["action_mask"][action]
        shown, _, _, _, info = environment.step(np.int64(action))
        state = process.step(state, action)
    assert str(schedule_of(process, state)) == info["schedule"]
    with pytest.raises(PolyloopError, match=f"was trained in {name}; one of polyloop/Schedule-v0 or"):
        SchedulingObserver(Scheduling(Construction(task.space)), task.problem.scop, {}, trained)


def test_actions_that_the_agent_does_not_know_get_no_probability() -> None:
    process = open_cursor("MM-64", None, actions=Actions.of("native", ("vectorize",)), length=6)
    policy = Policy(_agent(GRAPH), CursorObserver(process, GRAPH))
    probabilities = policy.probabilities(process.initial())
    assert probabilities[process.names.index("vectorize")] == 0
    assert probabilities.sum() == pytest.approx(1)
    compat = open_cursor("MM-64", None, actions=Actions.of("looptune"), length=6)
    with pytest.raises(PolyloopError, match="trained with the action split_32"):
        CursorObserver(compat, GRAPH)
    with pytest.raises(PolyloopError, match="trained in polyloop/Schedule-v0"):
        CursorObserver(process, EnvironmentSettings("polyloop/Schedule-v0"))


@pytest.mark.parametrize("length", [6, None])
def test_a_policys_search_follows_it_first(length: int | None) -> None:
    process = open_cursor("MM-128", None, length=length)
    objective = cursor_objective(process, ModelledPrograms())
    agent = _agent(GRAPH)
    likeliest = rollout(Policy(agent, CursorObserver(process, GRAPH)), 6)[-1]
    first = search(
        replace(objective, everywhere=False) if length else objective,
        cursor_policy(process, agent),
        Budget(evaluations=1),
    )
    whole = search(objective, cursor_policy(process, agent), Budget(evaluations=20), seed=3)
    assert whole.value >= first.value
    if length:
        assert first.best.state == likeliest
    assert len(whole.best.actions) <= 6
    state = process.initial()
    for action in whole.best.actions:
        state = process.step(state, action)
    assert state == whole.best.state


def test_rollouts_end_where_nothing_new_is_met() -> None:
    process = open_cursor("MM-64", None, length=2)
    policy = Policy(_agent(GRAPH), CursorObserver(process, GRAPH))
    objective = replace(cursor_objective(process, ModelledPrograms()), everywhere=False)
    found = search(objective, PolicyRollouts(policy), Budget(evaluations=10_000))
    assert found.ending == "finished"
    assert found.evaluations < 30


def test_a_sharp_policy_walks_more_freely_where_it_ends_again_and_again() -> None:
    process = open_cursor("MM-128", None, length=6)
    agent = _agent(GRAPH)
    for head in agent.network.heads.values():
        torch.nn.init.normal_(head[2].weight, std=4.0)  # type: ignore[index]
    policy = Policy(agent, CursorObserver(process, GRAPH))
    objective = replace(cursor_objective(process, ModelledPrograms()), everywhere=False)
    found = search(objective, PolicyRollouts(policy), Budget(evaluations=10), seed=1)
    assert found.evaluations == 10
    assert policy.heat == 1.0
    # As many walks without that meet fewer ends.
    random = np.random.default_rng(2)
    assert len({rollout(policy, random=random)[-1].program for _ in range(10)}) < 10


@pytest.mark.parametrize("target", ["avx2", "sse"])
def test_a_nest_that_a_machine_is_slow_with_is_replaced(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy knows the machines that it was trained for: on another the model of that one has the last word."""
    monkeypatch.setenv("POLYLOOP_TARGET", target)
    process = open_cursor("MM-64", None, length=6)
    first, other = process.initial(), process.default(host_target())
    assert other is not None
    with Judge(_agent(GRAPH), walks=1) as judge:
        found, replaced = judge._chosen(Policy(judge.agent, CursorObserver(process, GRAPH)))
    assert replaced
    assert found.text == other.text
    assert answer(process, first) == other
    assert answer(process, other) == other


def test_what_is_slower_than_the_original_loops_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains of many statements are trees, which were taken as they stood at the end of the likeliest walk."""
    monkeypatch.setenv("POLYLOOP_TARGET", "avx2")
    process = open_cursor("mlp-64", None, length=6)
    first, seen = process.initial(), CursorObserver(process, GRAPH)
    slow = process.step(process.step(first, process.names.index("down")), process.names.index("split_4"))
    assert slow.program != first.program
    monkeypatch.setattr("polyloop.gnn.evaluation.best_of_walks", lambda *_: slow)
    with Judge(_agent(GRAPH), walks=1) as judge:
        assert judge._chosen(Policy(judge.agent, seen)) == (first, True)


def test_more_loops_than_a_policy_looks_at_are_said() -> None:
    process = open_cursor("cell-112-672", None)
    with pytest.raises(PolyloopError, match="the program has 28 loops, and the policy was trained to look at 24"):
        CursorObserver(process, GRAPH)


def test_with_a_model_the_most_promising_is_evaluated_first() -> None:
    process = open_cursor("MM-128", None, length=6)
    asked: list[float] = []
    value = modelled(process)
    assert value is not None

    def noted(state: Any) -> float:
        asked.append(value(state))
        return asked[-1]

    objective = replace(cursor_objective(process, ModelledPrograms()), value=noted)
    policy = Policy(_agent(GRAPH), CursorObserver(process, GRAPH))
    search(objective, PolicyRollouts(policy, value=value, rollouts=2), Budget(evaluations=100), seed=0)
    assert 2 < len(asked) <= 5
    start, likeliest = process.initial(), rollout(policy)
    assert asked[0] == value(start)  # every search asks for it
    assert asked[1] in (value(start), max(map(value, likeliest)))
    assert max(asked) >= max(map(value, likeliest))
    assert asked[2:] == sorted(asked[2:], reverse=True)


def test_a_tree_with_priors_looks_where_they_say() -> None:
    process = open_cursor("MM-128", None, length=8)
    objective = cursor_objective(process, ModelledPrograms())
    wanted = [1, 8, 2]  # down, split_64, swap_up: what puts 64 columns inside of the sum

    def priors(state: Any) -> Sequence[float]:
        weights = [0.05] * len(process.names)
        if state.steps < len(wanted):
            weights[wanted[state.steps]] = 1.0
        return weights

    budget, found = Budget(evaluations=20), {}
    for name, method in (("uct", TreeSearch()), ("puct", TreeSearch(priors=priors))):
        found[name] = max(search(objective, method, budget, seed=seed).value for seed in range(2))
    assert found["puct"] > 0.65 * ModelledPrograms().peak(process.problem)
    assert found["puct"] > found["uct"]


class _Circling(Policy):
    """Would for ever go on to the next dependence."""

    def probabilities(self, state: Any) -> Any:
        weights = np.array(self.observer.process.actions(state), np.float64) * [1e-12, 1.0, 1e-15, 1e-12, 1e-12, 1e-12]
        return weights / weights.sum() if weights.any() else weights


@pytest.mark.parametrize("random", [None, np.random.default_rng(0)])
def test_a_walk_does_not_go_round_in_circles(random: np.random.Generator | None) -> None:
    task = load("gemm", Arguments())
    process = Scheduling(Construction(task.space))
    trained = EnvironmentSettings("polyloop/Schedule-v0", {"observation": "graph"})
    policy = _Circling(
        _agent(trained), SchedulingObserver(process, task.problem.scop, dict(task.problem.sizes), trained)
    )
    states = rollout(policy, random=random)
    assert process.final(states[-1])
    assert len(states) < 200
    assert task.space.contains(process.schedule(states[-1]))


class _UpAndDown(Policy):
    """Goes down where it can by one loop and back, and splits where it must."""

    def probabilities(self, state: Any) -> Any:
        names, legal = self.observer.process.names, np.array(self.observer.process.actions(state), np.float64)
        wish = np.array([0.9 if name == "up" else 0.8 if name == "down" else 1e-6 for name in names])
        return legal * wish / (legal * wish).sum() if legal.any() else legal


def test_a_walk_of_counted_steps_knows_where_it_has_been() -> None:
    """States that differ in the steps they took are the same place to a walk."""
    process = open_cursor("MM-64", None, length=6)
    states = rollout(_UpAndDown(_agent(GRAPH), CursorObserver(process, GRAPH)))
    assert len(states) == 7
    assert len({(state.program, state.cursor) for state in states}) > 3


def test_proposals_end_with_their_time() -> None:
    task = load("matvec", Arguments())
    proposals = Proposals(shipped_agent("schedule"), task.problem, task.space, pool=1)
    assert len(proposals.take(3, seconds=0.0)) == 1
    assert proposals.take(3)[:1] == proposals.take(3, seconds=0.0)


def test_a_policy_that_can_stop_proposes_schedules() -> None:
    task = load("matvec", Arguments())
    trained = EnvironmentSettings("polyloop/Schedule-v1", {"observation": "graph", "max_coefficient": 1})
    found = Proposals(_agent(trained), task.problem, task.space, pool=1).take(5)
    assert len(set(found)) == len(found) > 1
    assert all(task.space.contains(schedule) for schedule in found)


def test_the_cost_model_orders_a_pool_of_proposals() -> None:
    task, model = load("matvec", Arguments()), CostModel()
    found = Proposals(shipped_agent("schedule"), task.problem, task.space, pool=12).take(5)
    seconds = [model.seconds(task.problem, schedule) for schedule in found]
    assert seconds == sorted(seconds)
    drawn = Proposals(shipped_agent("schedule"), task.problem, task.space, pool=1).take(12)
    assert seconds[0] == min(model.seconds(task.problem, schedule) for schedule in drawn)


class _Fixed(Policy):
    """Finds the same actions likely wherever they are legal, and notes where it looked."""

    def __init__(self, *given: Any, **wish: float) -> None:
        super().__init__(*given)
        self.wish, self.rounds = wish, list[int]()

    def look_at(self, states: Any) -> None:
        self.rounds.append(len(states))

    def probabilities(self, state: Any) -> Any:
        process = self.observer.process
        likely = np.array([self.wish.get(name, 0.0) for name in process.names]) * process.actions(state)
        return likely / likely.sum() if likely.any() else likely


@pytest.mark.parametrize("walks", [1, 6])
def test_nothing_that_was_met_is_clearly_better_than_the_best_of_walks(walks: int) -> None:
    """By the model of whatever machine this is: on some, corrections are better, but not by as much as is asked."""
    agent = shipped_agent("cursor")
    process = open_cursor("MM-128", None, actions=agent.environment.cursor_actions, length=9)
    policy, own = Policy(agent, CursorObserver(process, agent.environment)), modelled(process)
    assert own is not None
    met: list[Any] = []

    def noted(state: Any) -> float:
        met.append(state)
        return own(state)

    best = best_of_walks(policy, noted, walks)
    assert best in met
    assert own(process.initial()) < own(best)
    assert max(map(own, met)) <= CLEARLY * own(best)
    assert max(state.steps for state in met) <= 9


def _best_led(policy: Policy, value: Any, width: int) -> Any:
    """As many rounds as an episode has steps."""
    led = Led(policy, value, policy.observer.process.initial())
    for _ in range(policy.observer.process.length):
        led.look(width)
    return max(reversed(led.states), key=value)


@pytest.mark.parametrize(("length", "rounds"), [(6, 6), (30, 12)])
def test_a_search_looks_at_so_many_states_in_as_many_rounds_as_an_episode_has_steps_at_most(
    length: int, rounds: int
) -> None:
    process = open_cursor("MM-64", None, length=length)
    policy = _Fixed(_agent(GRAPH), CursorObserver(process, GRAPH), down=0.4, split_8=0.3, swap_down=0.2, up=0.1)
    best_of_walks(policy, lambda state: 1.0, 2)
    assert len(policy.rounds) == rounds
    assert policy.rounds[0] == 1
    assert max(policy.rounds) == 4


def test_the_ways_to_what_was_met_lead_there() -> None:
    process = open_cursor("MM-64", None, length=6)
    policy = _Fixed(_agent(GRAPH), CursorObserver(process, GRAPH), down=0.4, split_8=0.3, swap_down=0.2, up=0.1)
    led = Led(policy, lambda state: 1.0, process.initial())
    for _ in range(4):
        led.look(2)
    assert len(led.states) > 10
    for at, state in enumerate(led.states):
        walk, here = led.walk(at), process.initial()
        assert walk.states[0] == here
        for action, after in zip(walk.actions, walk.states[1:], strict=True):
            here = process.step(here, action)
            assert here == after
        assert here == state


def test_what_the_policy_regrets_is_left_for_what_was_nearly_as_likely() -> None:
    """Behind the likeliest step it would rather go back; the second likeliest one leads to the best program."""
    process = open_cursor("MM-64", None, length=3)

    class Regretful(_Fixed):
        def probabilities(self, state: Any) -> Any:
            split = len(state.program.compute) > 3
            self.wish = {"merge": 0.98, "down": 0.02} if split else {"split_8": 0.6, "down": 0.4, "up": 0.3}
            return super().probabilities(state)

    policy = Regretful(_agent(GRAPH), CursorObserver(process, GRAPH))
    goal = process.step(process.step(process.initial(), 1), 1)
    assert _best_led(policy, lambda state: 2.0 if state == goal else 1.0, 1) == goal


def test_a_better_program_makes_up_for_an_unlikely_step() -> None:
    process = open_cursor("MM-64", None, length=4)
    policy = _Fixed(_agent(GRAPH), CursorObserver(process, GRAPH), down=0.9, split_8=0.1)

    def loops(state: Any) -> int:
        return len(state.program.compute)

    assert loops(_best_led(policy, lambda state: 100.0 ** loops(state), 1)) == 5
    assert loops(_best_led(policy, lambda state: 1 + 1e-9 * loops(state), 1)) == 4


def test_a_search_goes_on_from_a_state() -> None:
    process = open_cursor("MM-64", None, length=6)
    policy = _Fixed(_agent(GRAPH), CursorObserver(process, GRAPH), down=0.4, split_8=0.3, swap_down=0.2, up=0.1)
    first = process.step(process.initial(), process.names.index("down"))
    task = Task.of(process, machine_named("zen3"))
    walk, here = best_walk(policy, task.worth, 1, first), first
    assert walk.states[0] == here
    for action, after in zip(walk.actions, walk.states[1:], strict=True):
        here = process.step(here, action)
        assert here == after
    assert task.worth(here) > task.worth(first)
