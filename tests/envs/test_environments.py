"""Environments of schedules: illegal actions, proven ends, rewards, scores, wrong arguments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from polyloop.envs.observations import MAX_DEPENDENCES, ObservationCapError, check_caps
from polyloop.envs.problems import EnvironmentArgumentError
from polyloop.envs.scheduling_env import SchedulingEnv
from polyloop.errors import PolyloopError
from polyloop.measure.evaluator import EvaluationError
from polyloop.measure.measured_schedules import Measuring
from polyloop.measure.result import Measurement
from polyloop.measure.schedules import CostModel, Problem, Score
from polyloop.registration import ENVIRONMENTS
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.rows import Schedule
from polyloop.shipped.kernels import kernel_names

IDS = ("polyloop/Construct-v0", "polyloop/Explore-v0", "polyloop/Schedule-v0")
ROOT = Path(__file__).resolve().parents[2]

all_environments = pytest.mark.parametrize("name", IDS)


def make(name: str, kernel: str = "gemm", **arguments: Any) -> SchedulingEnv[Any]:
    env = gymnasium.make(name, kernel=kernel, **{"evaluator": "model", **arguments}).unwrapped
    assert isinstance(env, SchedulingEnv)
    return env


def episode(env: SchedulingEnv[Any], seed: int) -> list[tuple[int, float, tuple[Any, ...]]]:
    """(action, reward, state) of a random masked episode."""
    generator = np.random.default_rng(seed)
    env.reset(seed=seed)
    trace, ended = [], False
    while not ended:
        action = generator.choice(np.flatnonzero(env.action_masks()))
        _, reward, ended, _, info = env.step(action)
        trace.append((int(action), reward, info["state"]))
    return trace


@all_environments
def test_gymnasiums_checker(name: str) -> None:
    check_env(make(name, render_mode="ansi"))
    check_env(make(name, "jacobi-1d", observation="dict"))


def test_every_environment_is_in_the_registry() -> None:
    assert {key for key in gymnasium.registry if key.startswith("polyloop/")} == set(ENVIRONMENTS)


@all_environments
@pytest.mark.parametrize("kernel", ["gemm", "trisolv", "jacobi-2d", "gramschmidt"])
def test_actions_are_legal_exactly_where_the_mask_says_so(name: str, kernel: str) -> None:
    env, generator = make(name, kernel), np.random.default_rng(2)
    env.reset()
    for _ in range(12):
        for action, legal in enumerate(env.action_masks()):
            copy = env.fork()
            _, reward, ended, _, info = copy.step(np.int64(action))
            assert ("illegal_action" in info) == (not legal)
            if not legal:
                assert (reward, ended) == (-1.0, True)
                assert not info["action_mask"].any()
        _, _, ended, _, _ = env.step(generator.choice(np.flatnonzero(env.action_masks())))
        if ended:
            break


@all_environments
@pytest.mark.parametrize("action", [-1, 99])
def test_an_action_outside_the_space_ends_the_episode(name: str, action: int) -> None:
    env = make(name)
    env.reset()
    _, reward, ended, _, info = env.step(np.int64(action))
    assert (reward, ended) == (-1.0, True)
    assert info["illegal_action"]


def test_steps_behind_the_end_are_illegal() -> None:
    env = make("polyloop/Explore-v0")
    episode(env, 0)
    _, reward, ended, _, info = env.step(np.int64(0))
    assert (reward, ended, info["illegal_action"]) == (-1.0, True, "the episode has ended")


@all_environments
@pytest.mark.parametrize("kernel", ["gemm", "mvt", "atax", "trisolv", "jacobi-1d", "fdtd-2d", "floyd-warshall"])
def test_random_episodes_end_in_proven_schedules(name: str, kernel: str) -> None:
    env = make(name, kernel)
    scop = env.task.problem.scop
    for seed in range(3):
        trace = episode(env, seed)
        assert all(reward == 0 for _, reward, _ in trace[:-1])
        assert trace[-1][1] > 0
        assert env.schedule is not None
        tree = env.schedule.to_tree(scop, scop.dependences())
        assert isinstance(prove(scop, tree, scop.dependences()), Proof)


@pytest.mark.long
def test_the_caps_cover_every_kernel() -> None:
    for kernel in kernel_names():
        env = make("polyloop/Schedule-v0", kernel)
        observation, _ = env.reset()
        assert observation in env.observation_space
        check_caps(make("polyloop/Explore-v0", kernel, parameter_coefficients=True).task.space)


def test_beyond_the_caps_there_is_a_named_error(tmp_path: Path) -> None:
    lines = "".join(f"    a[i] = a[i] + {k}.5;\n" for k in range(70))
    path = tmp_path / "many.c"
    path.write_text(
        "void many(int n, double a[n])\n{\n#pragma scop\n  for (int i = 0; i < n; i++) {\n"
        + lines
        + "  }\n#pragma endscop\n}\n"
    )
    assert MAX_DEPENDENCES == 256
    with pytest.raises(ObservationCapError, match="this kernel has 70 statements; observations have room for 64"):
        make("polyloop/Construct-v0", str(path), sizes={"n": 10})


SCRIPT = """
import json, sys
import numpy as np
import polyloop, gymnasium
for name in ("Construct", "Explore", "Schedule"):
    for kernel in ("gemm", "trisolv"):
        env = gymnasium.make(f"polyloop/{name}-v0", kernel=kernel, evaluator="model")
        observation, info = env.reset(seed=0)
        generator, ended = np.random.default_rng(0), False
        while not ended:
            action = generator.choice(np.flatnonzero(info["action_mask"]))
            observation, reward, ended, _, info = env.step(action)
            print(int(action), reward, info["state"], float(np.abs(observation).sum()))
        print(info["schedule"])
"""


def test_traces_do_not_depend_on_the_hash_seed() -> None:
    """Also: importing polyloop before Gymnasium is enough for the names to be known."""
    outputs = []
    for seed in ("0", "4711"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, timeout=120
        )
        assert run.returncode == 0, run.stderr
        outputs.append(run.stdout)
    assert outputs[0] == outputs[1]
    assert "->" in outputs[0]


class _Constant:
    """An evaluator of our own: every schedule is twice as fast."""

    def evaluate(self, problem: Problem, schedule: Schedule) -> Score:
        return Score.of(1.0, 2.0)

    def close(self) -> None:
        raise AssertionError("an evaluator that was given is not the environment's to close")


@pytest.mark.parametrize(("reward", "value"), [("speedup", 2.0), ("log_speedup", float(np.log(2))), ("cubed", 8.0)])
def test_rewards(reward: str, value: float) -> None:
    env = make("polyloop/Construct-v0", evaluator=_Constant(), reward=reward)
    assert episode(env, 0)[-1][1] == value
    env.close()


def test_what_is_much_slower_counts_a_tenth() -> None:
    assert Score.of(11.0, 1.0).speedup == 0.1
    assert Score.of(9.0, 1.0).speedup == pytest.approx(1 / 9)
    assert Score(Measurement.failed("crashed"), 1.0).speedup == 0.1


def test_the_cost_model_prefers_lanes_along_rows() -> None:
    task = make("polyloop/Construct-v0", "gemm").task
    scop, model = task.problem.scop, CostModel()

    def in_order(*loops: int) -> Schedule:
        """The original schedule of S0[i, j]; S1[i, k, j] with its loops (by their place) in another order."""
        zeros = (0,) * (len(scop.parameters) + 1)
        first = tuple((*row, *zeros) for row in ((1, 0), (0, 1), (0, 0)))
        second = tuple((*(int(k == n) for k in range(3)), *zeros) for n in loops)
        names, iterators = tuple(s.name for s in scop.statements), tuple(s.iterators for s in scop.statements)
        return Schedule(names, iterators, scop.parameters, (first, second))

    along_j, along_k, along_i = (
        model.seconds(task.problem, in_order(*loops)) for loops in ((0, 1, 2), (0, 2, 1), (2, 1, 0))
    )
    assert along_j < along_k < along_i
    assert model.evaluate(task.problem, task.problem.original).speedup == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"observation": "image"}, "observation='image': there are 'vector', 'dict'"),
        ({"graph_size": [0, 5]}, r"graph_size=\[0, 5\]: room for"),
        ({"reward": "speed"}, "reward='speed': there are 'speedup', 'log_speedup', 'cubed'"),
        ({"post_processing": "full"}, "post_processing='full': there are 'none', 'shapes'"),
        ({"evaluator": "oracle"}, "there is no evaluator 'oracle'; there are worker, inprocess, model"),
        ({"kernel": "gem"}, "no kernel is called 'gem'; did you mean gemm"),
        ({"kernel": "nowhere/gemm.c"}, "kernel='nowhere/gemm.c': cannot read"),
        ({"context": "n >= 4"}, "context='n >= 4' is no set of parameters"),
        ({"sizes": {"n": 4}}, "in gemm: its parameters are"),
        ({"dependence_order": [0]}, "does not name each of these dependences once"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PolyloopError, match=message):
        make("polyloop/Construct-v0", **arguments)


def test_unknown_reset_options_are_named() -> None:
    with pytest.raises(EnvironmentArgumentError, match="reset knows no option size; there is 'kernel'"):
        make("polyloop/Construct-v0").reset(options={"size": 3})


def test_rendering() -> None:
    env = make("polyloop/Construct-v0", "mvt", render_mode="ansi")
    env.reset()
    assert env.render() == "mvt: (1, 1, 0, 0)\nlegal: next dimension, next dependence, carry it here"
    env.step(np.int64(2))
    assert env.render() == "mvt: (1, 1, 1, 0)\nafter: carry it here\nlegal: next dimension, next dependence"
    assert json.dumps(env.metadata["render_modes"]) == '["human", "ansi", "rgb_array"]'


def test_who_wants_to_watch_sees_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    shown, read = (make("polyloop/Construct-v0", "mvt", render_mode=mode) for mode in ("human", "ansi"))
    expected = []
    for env in (shown, read):
        env.reset()
        for action in (2, 9):
            expected.append(env.render())
            env.step(np.int64(action))
        expected.append(env.render())
    assert expected[:3] == [None, None, None]
    assert capsys.readouterr().out == "".join(f"{text}\n\n" for text in expected[3:])


@pytest.mark.parametrize("in_process", [False, True])
def test_an_illegal_schedule_is_a_score_not_a_run(in_process: bool) -> None:
    problem = make("polyloop/Construct-v0", "mvt", sizes="MINI").task.problem
    backwards = replace(
        problem.original, rows=tuple(tuple(tuple(-c for c in row) for row in rows) for rows in problem.original.rows)
    )
    evaluator = Measuring(in_process)
    try:
        score = evaluator.evaluate(problem, backwards)
        assert (score.seconds, score.speedup) == (None, 0.1)
        assert score.error is not None
        assert "would be reversed" in score.error
        assert evaluator.evaluate(problem, problem.original).error is None
    finally:
        evaluator.close()


@pytest.mark.parametrize("in_process", [False, True])
def test_code_generation_is_bounded_in_time(in_process: bool) -> None:
    """Where the programs run makes no difference; the schedule counts as one that cannot run."""
    space = gymnasium.make("polyloop/Construct-v0", kernel="adi", sizes="MINI", evaluator="model").unwrapped
    problem = space.task.problem  # type: ignore[attr-defined]
    evaluator = Measuring(in_process=in_process, lowering_seconds=0.0)
    try:
        score = evaluator.evaluate(problem, problem.original)
        assert (score.seconds, score.speedup) == (None, 0.1)
        assert score.error is not None
        assert "it would take more than 0 s" in score.error
    finally:
        evaluator.close()


def test_data_that_no_memory_holds_are_an_error_and_not_the_end_of_the_process() -> None:
    env = make("polyloop/Explore-v0", "mvt", evaluator="inprocess", sizes={"n": 10**9})
    try:
        with pytest.raises(
            EvaluationError, match=r"original loops of mvt cannot be measured: out of memory: the data take .* free"
        ):
            episode(env, 0)
    finally:
        env.close()


@pytest.mark.parametrize("post_processing", ["none", "shapes"])
@pytest.mark.parametrize("evaluator", ["worker", "inprocess"])
def test_measured_episodes(evaluator: str, post_processing: str) -> None:
    env = make("polyloop/Explore-v0", "gemm", evaluator=evaluator, sizes="MINI", post_processing=post_processing)
    try:
        trace = episode(env, 0)
        generator = np.random.default_rng(0)
        env.reset()
        ended = False
        while not ended:
            _, reward, ended, _, info = env.step(generator.choice(np.flatnonzero(env.action_masks())))
        assert "error" not in info
        assert info["speedup"] == max(info["baseline"] / info["seconds"], 0.1)
        assert reward == trace[-1][1], "a schedule that was measured is not measured again"
    finally:
        env.close()
