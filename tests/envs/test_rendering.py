"""Images of episodes."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from polyloop.envs.rendering import HEIGHT, WIDTH, image
from polyloop.envs.scheduling_env import SchedulingEnv
from polyloop.schedules.tree import Leaf, ScheduleTree
from polyloop.support.libraries import MissingLibraryError

IDS = ("polyloop/Construct-v0", "polyloop/Explore-v0", "polyloop/Schedule-v0")


def make(name: str, kernel: str = "gemm", **arguments: Any) -> SchedulingEnv[Any]:
    env = gymnasium.make(name, kernel=kernel, evaluator="model", render_mode="rgb_array", **arguments).unwrapped
    assert isinstance(env, SchedulingEnv)
    return env


@pytest.mark.parametrize("name", IDS)
def test_gymnasiums_checker(name: str) -> None:
    pytest.importorskip("matplotlib")
    check_env(make(name))


@pytest.mark.parametrize("name", IDS)
def test_every_image_of_an_episode_is_another_one_of_the_same_size(name: str) -> None:
    pytest.importorskip("matplotlib")
    env, generator, ended = make(name, "mvt"), np.random.default_rng(0), False
    env.reset(seed=0)
    images = [env.render()]
    while not ended:
        _, _, ended, _, _ = env.step(generator.choice(np.flatnonzero(env.action_masks())))
        images.append(env.render())
    assert all(image.shape == (HEIGHT, WIDTH, 3) and image.dtype == np.uint8 for image in images)
    assert all((first != second).any() for first, second in pairwise(images))


def test_the_cursors_environment_has_images_of_its_nest() -> None:
    pytest.importorskip("matplotlib")
    env = gymnasium.make("polyloop/Cursor-v0", workload="MM-64", evaluator="model", render_mode="rgb_array").unwrapped
    check_env(env)
    env.reset(seed=0)
    before: Any = env.render()
    env.step(np.int64(1))
    after: Any = env.render()
    assert before.shape == after.shape == (HEIGHT, WIDTH, 3)
    assert (before != after).any()


def test_equal_states_have_equal_images() -> None:
    pytest.importorskip("matplotlib")
    env = make("polyloop/Construct-v0")
    env.reset(seed=0)
    assert np.array_equal(env.render(), env.fork().render())


def test_long_text_leaves_room_for_the_tree() -> None:
    pytest.importorskip("matplotlib")
    tree = ScheduleTree(("S",), Leaf())
    short, long = image("a state", tree), image("\n".join(f"line {k} " * 40 for k in range(50)), tree)
    assert (short != 255).any()
    assert not (long[HEIGHT // 2 :] != 255).any()


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(
        MissingLibraryError, match=r"render_mode='rgb_array' needs matplotlib: pip install 'polyloop\[viz"
    ):
        make("polyloop/Construct-v0")
