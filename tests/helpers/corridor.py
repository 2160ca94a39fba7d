"""A tiny environment with a known best policy: walk right to the end of a corridor, and dig there.

For the learners' tests: both forms of observation, masks, episodes that end by themselves, and problems (lengths).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from polyloop.graphs.features import EDGE_FEATURES, NODE_COLUMNS, NODE_FEATURES, EdgeType, NodeType
from polyloop.graphs.padding import GraphSize
from polyloop.graphs.program_graph import Assembly

LONGEST, LIMIT, COST = 6, 20, 0.02
NAME = "tests/Corridor-v0"
# With the module in front, processes that have not imported it find the environment, too.
CORRIDOR = f"{__name__}:{NAME}"
PROBLEMS = tuple({"length": length} for length in (3, 4, 5, 6))
_SIZE = GraphSize(LONGEST, 2 * LONGEST)


class Corridor(gymnasium.Env[Any, np.int64]):
    """Actions: left, right, dig (legal at the end alone, worth 1, ends the episode). Every step costs `COST`."""

    def __init__(self, length: int = 4, observation: str = "vector") -> None:
        self.length, self._observation = length, observation
        self.action_space = spaces.Discrete(3)
        if observation == "vector":
            self.observation_space = spaces.Box(-1, 1, (2 * LONGEST,), np.float32)
        else:
            self.observation_space = spaces.Dict(
                {name: spaces.Box(-100, 100, array.shape, array.dtype.type) for name, array in self._graph(0).items()}
            )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.length = (options or {}).get("length", self.length)
        self._place = int(self.np_random.integers(self.length - 1))
        self._steps = 0
        return self._seen(), self._info()

    def step(self, action: np.int64) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self._mask()[action], "learners take legal actions alone"
        self._steps += 1
        dug = action == 2
        self._place += {0: -1, 1: 1, 2: 0}[int(action)]
        reward = float(dug) - COST
        return self._seen(), reward, dug, self._steps >= LIMIT and not dug, self._info()

    def _mask(self) -> np.ndarray[Any, np.dtype[np.int8]]:
        last = self._place == self.length - 1
        return np.array([self._place > 0, not last, last], np.int8)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask()}

    def _seen(self) -> Any:
        if self._observation == "graph":
            return self._graph(self._place)
        vector = np.zeros(2 * LONGEST, np.float32)
        vector[self._place] = vector[LONGEST + self.length - 1] = 1
        return vector

    def _graph(self, place: int) -> dict[str, Any]:
        graph = Assembly()
        for k in range(self.length):
            row = [0.0] * len(NODE_FEATURES)
            row[NODE_COLUMNS["current"]] = float(k == place)
            row[NODE_COLUMNS["position"]] = k / LONGEST
            graph.node(NodeType.LOOP, str(k), row)
        for k in range(self.length - 1):
            graph.edge(EdgeType.ORDER, k, k + 1, [(k % len(EDGE_FEATURES), 1.0)])
        return _SIZE.padded(graph.graph())


def best_return(length: int, place: int) -> float:
    """What the best policy earns."""
    return 1 - COST * (length - place)


def shortfall(best_action: Callable[[Any, NDArray[np.bool_]], int], observation: str = "vector") -> float:
    """What greedy episodes earn less than the best possible, in the mean over all problems and some starts.

    Args:
        best_action: the action that a policy takes, of an observation and its mask.
    """
    missed = []
    for problem in PROBLEMS:
        for seed in range(5):
            corridor = Corridor(observation=observation)
            seen, info = corridor.reset(seed=seed, options=dict(problem))
            best, total, over = best_return(problem["length"], corridor._place), 0.0, False
            while not over:
                action = best_action(seen, info["action_mask"].astype(bool))
                seen, reward, ended, cut, info = corridor.step(np.int64(action))
                total, over = total + reward, ended or cut
            missed.append(best - total)
    return float(np.mean(missed))


if NAME not in gymnasium.registry:
    gymnasium.register(id=NAME, entry_point=f"{__name__}:Corridor")
