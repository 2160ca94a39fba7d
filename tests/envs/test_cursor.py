"""Cursor-v0: Gymnasium's contract, rewards that telescope, refusals that raise nothing, programs of all kinds."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

import polyloop.envs
from polyloop.backend.errors import TargetError
from polyloop.cursor.base import Problem, Program
from polyloop.cursor.nest import Nest
from polyloop.envs.cursor import CursorEnv, ObservationRowsError
from polyloop.envs.problems import EnvironmentArgumentError
from polyloop.measure.database import Database
from polyloop.measure.measured_programs import MeasuredPrograms
from polyloop.measure.programs import ModelledPrograms
from polyloop.measure.result import Measurement
from polyloop.shipped.kernels import kernel_names
from polyloop.shipped.workloads import sample, workload_sets

polyloop.envs.register()

MATMUL = {"einsum": "mk,kn->mn", "sizes": {"m": 256, "k": 256, "n": 128}}


def make(workload: Any = None, **arguments: Any) -> CursorEnv:
    env = gymnasium.make("polyloop/Cursor-v0", workload=workload, **{"evaluator": "model", **arguments}).unwrapped
    assert isinstance(env, CursorEnv)
    return env


def act(env: CursorEnv, name: str) -> tuple[Any, float, bool, bool, dict[str, Any]]:
    return env.step(np.int64(env.process.names.index(name)))


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"observation": "dict", "logarithmic": True},
        {"observation": "graph"},
        {"workload": "CONV-1", "compat": "looptune"},
        {"workload": "gemm", "flags": ["vectorize", "unroll", "register_tile", "parallelize"]},
        {"kernel": "matvec", "sizes": {"m": 20, "n": 30}, "observation": "graph"},
        {"workload": "C[m, n] = relu(sum(k) (A[m, k] * B[k, n]) + b[n])", "sizes": {"m": 16, "k": 32, "n": 16}},
        {"workload": MATMUL, "reward": "log_gflops"},
    ],
)
def test_gymnasiums_checker(arguments: dict[str, Any]) -> None:
    check_env(make(**arguments, render_mode="ansi"))


def test_the_looptune_observation_of_an_einsum() -> None:
    env = make(MATMUL, compat="looptune")
    observation, info = env.reset()
    assert isinstance(observation, np.ndarray)
    assert observation.shape == (10, 20)
    assert info["state"] == ("m 256\n  k 256\n    n 128\n  n 128 (write-back)", 0)
    assert info["action_mask"].tolist() == [0, 1, 0, 1, 1, 1, 1]
    assert observation[0, :4].tolist() == [1, 256, 0, 1]
    assert observation[4:].any() == np.False_


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-2, 12), min_size=10, max_size=10), st.sampled_from(["looptune", "native"]))
def test_an_episode_telescopes_whatever_is_played(actions: list[int], compat: str) -> None:
    env = make(MATMUL, compat=compat)
    _, first = env.reset()
    total, ended = 0.0, False
    for action in actions:
        assert not ended
        before = env.state().state
        _, reward, terminated, ended, info = env.step(np.int64(action))
        assert not terminated
        if "refused" in info:
            assert reward == 0
            assert env.state().state == before._replace(steps=before.steps + 1)
        total += reward
    assert ended
    assert total == pytest.approx((info["gflops"] - first["gflops"]) / info["peak"], abs=1e-12)


def test_rewards_are_those_of_a_named_machine() -> None:
    """Of Zen 5 where nobody names one, whatever this machine is."""
    gains = {}
    for evaluator in ("model", "model:zen5", "model:zen3"):
        env = gymnasium.make("polyloop/Cursor-v0", workload="MM-128", evaluator=evaluator)
        gains[evaluator] = env.reset(seed=0)[1]["gflops"]
    assert gains["model"] == gains["model:zen5"] != gains["model:zen3"]
    with pytest.raises(TargetError, match="zen9"):
        gymnasium.make("polyloop/Cursor-v0", workload="MM-128", evaluator="model:zen9")


def test_a_refused_action_says_why() -> None:
    env = make(MATMUL)
    env.reset()
    _, reward, _, _, info = act(env, "up")
    assert (reward, info["refused"]) == (0, "the cursor is on the first loop")
    _, _, _, _, info = env.step(np.int64(99))
    assert info["refused"] == "there is no action 99; there are 10"


def test_a_refusal_in_c_names_the_dependence() -> None:
    env = make("seidel-2d")
    env.reset()
    _, reward, _, _, info = act(env, "swap_down")
    assert reward == 0
    assert info["refused"].startswith("cannot interchange t and i in seidel_2d: dependence S0[0,2,2] -> S0[1,1,1]")


class _Failing(ModelledPrograms):
    """Everything but the original nest fails."""

    def evaluate(self, problem: Problem, program: Program) -> Measurement:
        assert isinstance(program, Nest)
        if len(program.compute) > 3:
            return Measurement.failed("the compiler is out of order")
        return super().evaluate(problem, program)


def test_what_cannot_be_compiled_keeps_the_state() -> None:
    env = make(MATMUL, evaluator=_Failing())
    _, before = env.reset()
    _, reward, _, ended, info = act(env, "split_4")
    assert (reward, ended, info["error"]) == (0, False, "the compiler is out of order")
    assert info["state"] == before["state"]
    assert info["gflops"] == before["gflops"]


@pytest.mark.parametrize("name", kernel_names())
def test_every_kernel_has_room_in_every_observation(name: str) -> None:
    env = make(kernel=name, sizes="MINI", observation="graph")
    observation, info = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    assert 0 < info["gflops"] < info["peak"]
    generator = np.random.default_rng(0)
    for _ in range(6):
        observation, _, _, _, info = env.step(generator.choice(np.flatnonzero(env.action_masks())))
        assert env.observation_space.contains(observation)
    vectors = make(kernel=name, sizes="MINI")
    assert vectors.observation_space.contains(vectors.reset()[0])


@pytest.mark.parametrize("name", workload_sets())
def test_every_set_of_workloads_opens(name: str) -> None:
    for problem in sample(name, 3, seed=2):
        env = make(problem.name, rows=40)
        observation, _ = env.reset()
        assert env.observation_space.contains(observation)


def test_reset_takes_another_program() -> None:
    env = make(MATMUL)
    _, info = env.reset(options={"workload": "MM-128"})
    assert info["state"][0].startswith("m 128")
    assert env.reset()[1]["state"] == info["state"]
    _, info = env.reset(options={"kernel": "matvec"})
    assert info["state"][0] == "[S: i, T: i]\n  [T: j]"
    expression = {"workload": "y[i] += A[i, j] * x[j]", "sizes": {"i": 9, "j": 8}}
    assert env.reset(options=expression)[1]["state"][0].startswith("i 9")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"workload": "gemm", "compat": "looptune"}, "takes tensor workloads only"),
        ({"workload": "mlp-64", "compat": "looptune"}, "takes one contraction"),
        ({"workload": MATMUL, "compat": "tvm"}, "'native' and 'looptune'"),
        ({"workload": MATMUL, "compat": "looptune", "flags": ["unroll"]}, "seven actions only"),
        ({"workload": MATMUL, "flags": ["fly"]}, "no action 'fly'"),
        ({"workload": {"einsum": "mk,kn->mn"}}, "it has to be"),
        ({"workload": "nothing"}, "it has to be"),
        ({"workload": "MM-64", "kernel": "gemm"}, "give one"),
        ({"workload": "MM-64", "sizes": {"m": 3}}, "its own sizes"),
        ({"workload": "MM-64", "reward": "seconds"}, "'gflops', 'log_gflops'"),
        ({"workload": "MM-64", "evaluator": "oracle"}, "there is no evaluator 'oracle'"),
        ({"kernel": "no/such/file.c"}, "cannot read"),
    ],
)
def test_arguments_that_do_not_fit(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(polyloop.errors.PolyloopError, match=message):
        make(**arguments)


def test_more_loops_than_rows() -> None:
    many = {"einsum": "abcdef,efghijk->abcdghijk", "sizes": dict.fromkeys("abcdefghijk", 8)}
    with pytest.raises(ObservationRowsError, match="has 16 loops; observations have 10 rows, see rows="):
        make(many, compat="looptune")


def test_measured_rewards_and_their_noise() -> None:

    measured = MeasuredPrograms(in_process=True, database=Database(None))
    env = make({"einsum": "mk,kn->mn", "sizes": {"m": 32, "k": 32, "n": 32}}, evaluator=measured)
    _, first = env.reset()
    total = 0.0
    for name in ("split_4", "down", "swap_down"):
        _, reward, _, _, info = act(env, name)
        assert "error" not in info
        total += reward
    assert total == pytest.approx((info["gflops"] - first["gflops"]) / info["peak"])
    assert info["spread"] >= 0
    with pytest.raises(EnvironmentArgumentError):
        make("MM-64", graph_size=[0, 1])


def test_data_for_which_there_is_no_memory_are_said(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(
        "void f(long n, char a[n]) {\n#pragma scop\n  for (long i = 0; i < n; i++) a[i]++;\n#pragma endscop\n}\n"
    )
    with MeasuredPrograms(True, database=Database(None)) as measured:
        env = make(str(tmp_path / "f.c"), sizes={"n": 10**15}, evaluator=measured)
        assert "out of memory" in env.reset()[1]["error"]
        _, reward, _, _, info = act(env, "split_4")
    assert reward == 0
    assert "out of memory" in info["error"]


@pytest.mark.long
@pytest.mark.parametrize("evaluator", ["worker", "model"])
def test_the_readmes_example_runs(evaluator: str) -> None:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    section = readme.partition("\n## A cursor on the loops\n")[2]
    code, _, rest = section.partition("```python\n")[2].partition("```\n")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code.replace("workload=", f'evaluator="{evaluator}", workload=', 1), "README.md", "exec"), {})
    printed, shown = out.getvalue().splitlines(), [line.removeprefix("    ") for line in rest.splitlines() if line]
    steps = sum("GFLOPS of" in line for line in printed)
    # Speeds differ from machine to machine: the actions and the nest have to agree.
    assert [line.split()[0] for line in printed[:steps]] == [line.split()[0] for line in shown[:steps]]
    assert printed[steps:] == shown[steps : len(printed)]
    if evaluator == "model":  # of a core with AVX-512
        first, last = (float(line.split()[2]) for line in (printed[0], printed[steps - 1]))
        assert last > 2 * first
