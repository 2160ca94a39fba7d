"""A small policy is trained from nothing and beats chance on problems that it has not seen."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from polyloop.envs.problems import Arguments, frozen_sizes, load
from polyloop.errors import PolyloopError
from polyloop.gnn import schedule_imitation
from polyloop.gnn.agent import Agent
from polyloop.gnn.encoders import EncoderSettings
from polyloop.gnn.environments import EnvironmentSettings, training_problems
from polyloop.gnn.imitation import GAIN, ImitationSettings, Lesson, demonstrations, imitate
from polyloop.gnn.networks import Network, NetworkSettings, heads_of
from polyloop.gnn.observers import CursorObserver
from polyloop.gnn.policy_search import Policy, rollout
from polyloop.measure.programs import ModelledPrograms
from polyloop.search.schedule.sampler import Sampler
from polyloop.shipped.workloads import workload_set
from polyloop.spaces.construction import Construction
from polyloop.spaces.scheduling import Scheduling

TRAINED = EnvironmentSettings(
    "polyloop/Cursor-v0", {"observation": "graph", "length": 10}, ({"set": "mm64_256_16", "without": ["operators"]},)
)


def test_what_was_copied_beats_chance_on_unseen_problems() -> None:
    model = ModelledPrograms()
    examples = demonstrations(TRAINED, model, ImitationSettings(searched=2, shown=24, walk=8, evaluations=300), seed=0)
    torch.manual_seed(0)
    network = Network(NetworkSettings(EncoderSettings("gine", width=32, layers=2), heads_of(TRAINED.id, 10)))
    assert imitate(network, examples, epochs=50, rate=3e-3) > 0.8
    agent = Agent(network.eval(), TRAINED, {})
    random = np.random.default_rng(0)
    ours, chance = [], []
    for workload in workload_set("mm64_256_16").test[:8]:
        task = Lesson.on(workload.name, TRAINED, model)
        ours.append(task.worth(rollout(Policy(agent, CursorObserver(task.process, TRAINED)))[-1]))
        for _ in range(20):
            state = task.process.initial()
            while not task.process.final(state):
                state = task.process.step(state, int(random.choice(np.flatnonzero(task.process.actions(state)))))
            chance.append(task.worth(state))
    # Five standard errors of the mean of as many random walks: chance does not do that.
    assert np.mean(ours) > np.mean(chance) + 5 * np.std(chance) / np.sqrt(len(ours))


def test_traces_lose_what_they_do_not_need() -> None:
    task = Lesson.on("MM-128", TRAINED, ModelledPrograms())
    up, down, split_64, swap_up = (task.process.names.index(name) for name in ("up", "down", "split_64", "swap_up"))
    essential = task.essential((down, up, down, split_64, swap_up, up, down))
    assert essential == (down, split_64, swap_up)
    behind = task.process.step(task.process.initial(), down)
    assert task.essential((up, down, split_64, swap_up), behind) == (split_64, swap_up)
    split_4 = task.process.names.index("split_4")
    others = [(down, action, swap_up) for action in range(split_4, split_64 + 1)]
    assert task.value(task.varied((down, split_4, swap_up))) >= max(map(task.value, others)) / GAIN
    assert task.value((down, split_4, swap_up)) < max(map(task.value, others)) / GAIN
    examples = task.examples(essential, CursorObserver(task.process, TRAINED))
    assert len(examples) == 10
    assert [example.action for example in examples[:5]] == [down, split_64, swap_up, down, up]
    assert examples[0].value == pytest.approx(task.value(essential) - task.value(()))
    assert examples[-1].value == 0


def test_layouts_are_shown_by_their_shortest_way() -> None:
    model, settings = ModelledPrograms(), ImitationSettings(shown=3, layouts=True)
    told: list[str] = []
    examples = demonstrations(TRAINED, model, settings, seed=1, progress=told.append)
    assert len(told) == 3
    assert len(examples) == 3 * 10
    task = Lesson.on("MM-128", TRAINED, model)
    names = [task.process.names[action] for action in task.planned()]
    assert len(names) <= 10
    assert sum(name.startswith("split_") for name in names) == 2
    assert task.value(task.planned()) > 0.9


def test_training_sets_leave_out_what_is_held_out() -> None:
    names = {workload.name for workload in training_problems("mm64_256_16", ("operators",))}
    assert "mm64_256_16/m128-k128-n128" not in names
    assert names.isdisjoint(workload.name for workload in workload_set("mm64_256_16").test)
    assert len(training_problems("resnet18", ("operators",))) == 10  # conv5_x is CONV-4
    with pytest.raises(PolyloopError, match="nothing is left"):
        training_problems("operators", ("operators",))


def test_measured_walks_are_done_again(tmp_path: Path) -> None:
    task = load("mvt", Arguments(sizes="MINI", post_processing="shapes"))
    sizes = dict(task.problem.sizes)
    sampler = Sampler("mvt", task.problem, task.space, 5)
    lines: list[dict[str, object]] = [{"settings": {"seed": 5}}, {"kernel": "mvt", "what": "sizes", "sizes": sizes}]
    for heuristic in ("sparse", "guided separate sparse", "separate permutable"):
        for index, speedup in enumerate((1.5, 0.2)):
            seconds = sampler.model.seconds(task.problem, sampler.schedule(heuristic, index))
            sample: dict[str, object] = {
                "heuristic": heuristic,
                "index": index,
                "seconds": 1.0,
                "speedup": speedup,
                "model": seconds,
            }
            lines.append({"kernel": "mvt", "what": "sample"} | sample)
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    trained = EnvironmentSettings("polyloop/Schedule-v0", {"observation": "vector"})
    examples = schedule_imitation.demonstrations(trained, path, ["mvt"])
    assert {example.value for example in examples} == {float(np.log(1.5))}
    assert all(example.mask[example.action] for example in examples)
    with pytest.raises(PolyloopError, match="no walks of gemm"):
        schedule_imitation.demonstrations(trained, path, ["gemm"])


@pytest.mark.parametrize("heuristic", ["sparse", "separate sparse", "guided separate pouchet"])
def test_the_walk_of_a_sample_makes_its_schedule(heuristic: str) -> None:
    task = load("mvt", Arguments(sizes=frozen_sizes("MINI")))
    sampler = Sampler("mvt", task.problem, task.space, 3)
    process = Scheduling(Construction(task.space))
    state = process.initial()
    for action in sampler.actions(heuristic, 4):
        state = process.step(state, action)
    schedule = process.schedule(state)
    expected = sampler.schedule(heuristic, 4)
    assert (sampler.separated(schedule) if "separate" in heuristic else schedule) == expected
