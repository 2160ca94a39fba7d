"""What all environments share: spaces, masks, copies, snapshots. Each adds its problems, its rewards and its views.

Graph observations: a program graph in arrays of one size, the same for every kernel, and the mask of actions.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Generic, Literal, Protocol, Self, TypeAlias, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from polyloop.envs.problems import EnvironmentArgumentError
from polyloop.envs.rendering import check_images, image
from polyloop.graphs.features import EDGE_FEATURES, NODE_FEATURES, EdgeType, NodeType
from polyloop.graphs.padding import GraphSize
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.mdp import DecisionProcess
from polyloop.schedules.tree import ScheduleTree


def graph_space(size: GraphSize, actions: int, context: spaces.Box | None = None) -> spaces.Dict:
    """The space of graphs: the keys of `GraphSize.padded`, `action_mask`, and `context` if it is given."""
    nodes, edges = size.nodes, size.edges
    return spaces.Dict(
        {
            "node_features": spaces.Box(-1, 1, (nodes, len(NODE_FEATURES)), np.float32),
            "node_types": spaces.Box(0, len(NodeType) - 1, (nodes,), np.int8),
            "node_mask": spaces.Box(0, 1, (nodes,), np.int8),
            "edges": spaces.Box(0, max(nodes - 1, 0), (2, edges), np.int32),
            "edge_features": spaces.Box(-1, 1, (edges, len(EDGE_FEATURES)), np.float32),
            "edge_types": spaces.Box(0, len(EdgeType) - 1, (edges,), np.int8),
            "edge_mask": spaces.Box(0, 1, (edges,), np.int8),
            "action_mask": spaces.MultiBinary(actions),
        }
        | ({} if context is None else {"context": context})
    )


def checked_graph_size(given: Sequence[int] | None, default: GraphSize) -> GraphSize:
    """The argument `graph_size` of an environment, [nodes, edges]; None for the default.

    Raises:
        EnvironmentArgumentError: if it is not two positive integers.
    """
    if given is None:
        return default
    values = list(given)
    if len(values) != 2 or not all(isinstance(value, int) and value > 0 for value in values):
        raise EnvironmentArgumentError(f"graph_size={given!r}: room for [nodes, edges] is two positive integers")
    return GraphSize(*values)


S = TypeVar("S", bound=Hashable)

Observation: TypeAlias = "NDArray[Any] | dict[str, NDArray[Any]]"
ObservationName: TypeAlias = Literal["vector", "dict", "graph"]
AnyObservationName: TypeAlias = Literal["vector", "dict", "rows", "graph"]
"""Of the second versions."""


class Process(DecisionProcess[S], Protocol[S]):
    """A decision process that says why an action is not legal."""

    def obstacle(self, state: S, action: int) -> str | None:
        """Why an action is not legal, None if it is."""


@dataclass(frozen=True)
class Snapshot(Generic[S]):
    """Where an environment stands: enough to go on from there, in this or another process.

    Attributes:
        problem: what the environment was made for or reset to last, as it was given.
        score: what the evaluator has found last.
        random: state of the environment's random numbers.
    """

    problem: Any
    state: S
    last_action: int | None
    stopped: bool
    score: Any
    random: Mapping[str, Any]


class ProcessEnv(ABC, gymnasium.Env[Observation, np.int64], Generic[S]):
    """An environment around a decision process.

    It can be pickled wherever it stands; an evaluator starts anew in the copy, with the same settings.

    Args:
        vector: the space of the features.
        observation: "vector", "dict" (`observation`, the vector, and `action_mask`), "graph" (with `action_mask`) or
            "rows" (`rows` and `action_mask`).
        graph_size: room of a graph, [nodes, edges]; None for `room`.
        longest: steps of an episode, if all have as many: `max_episode_steps` of the environment's specification.
        context: the space of what graphs and rows have beside them under the key `context`; None for nothing.
        rows: the space of the features in rows, where there are any.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012 (Gymnasium's declaration)
    action_names: tuple[str, ...]
    """Names of the actions, by id."""

    _evaluator: Any
    _owns_evaluator: bool
    _process: Process[S]
    _chosen: Any
    _state: S
    _last_action: int | None
    _stopped: bool
    _score: Any
    _spec: EnvSpec | None = None

    def __init__(
        self,
        vector: spaces.Box,
        observation: AnyObservationName,
        graph_size: Sequence[int] | None,
        room: GraphSize,
        render_mode: str | None,
        longest: int | None = None,
        context: spaces.Box | None = None,
        rows: spaces.Box | None = None,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise EnvironmentArgumentError(f"render_mode={render_mode!r}: there are 'human', 'ansi' and 'rgb_array'")
        if render_mode == "rgb_array":
            check_images()
        self.render_mode = render_mode
        if find_spec("matplotlib") is None:
            # The class says what there can be, an environment what there is: checkers try all of it.
            self.metadata = self.metadata | {"render_modes": ["human", "ansi"]}
        self._longest = longest
        self._observed: AnyObservationName = observation
        self._graph_room = checked_graph_size(graph_size, room)
        count = len(self.action_names)
        self.action_space = spaces.Discrete(count)
        self.observation_space: spaces.Space[Any]
        match observation:
            case "vector":
                self.observation_space = vector
            case "dict":
                self.observation_space = spaces.Dict({"observation": vector, "action_mask": spaces.MultiBinary(count)})
            case "graph":
                self.observation_space = graph_space(self._graph_room, count, context)
            case "rows":
                if rows is None or context is None:
                    raise EnvironmentArgumentError("observation='rows': this environment has no rows, see 'vector'")
                self.observation_space = spaces.Dict(
                    {"rows": rows, "context": context, "action_mask": spaces.MultiBinary(count)}
                )

    # --- What subclasses add ---------------------------------------------------------------------------------

    @abstractmethod
    def _open(self, given: Any) -> None:
        """Take another problem, and begin."""

    @abstractmethod
    def _choose(self, options: Mapping[str, Any]) -> None:
        """Take the problem that options of `reset` name, if they name one."""

    @abstractmethod
    def _stepped(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action."""

    @abstractmethod
    def _vector(self, state: S) -> NDArray[Any]:
        """The features of a state."""

    @abstractmethod
    def _graph(self, state: S) -> ProgramGraph:
        """The graph of a state."""

    @abstractmethod
    def _info(self) -> dict[str, Any]:
        """The information on the present state."""

    @abstractmethod
    def _text(self) -> str:
        """The present state for people."""

    def _rows(self, state: S) -> NDArray[Any]:
        """The features of a state in rows, of environments that have them."""
        raise NotImplementedError

    def _context(self, state: S) -> NDArray[Any] | None:
        """What a state's observation says besides the program; None for nothing."""
        return None

    def _tree(self) -> ScheduleTree | None:
        """What images show below the text."""
        return None

    # --- Gymnasium -------------------------------------------------------------------------------------------

    @property
    def spec(self) -> EnvSpec | None:
        """The environment's specification, with the length of its episodes if they have one."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = None if spec is None else replace(spec, max_episode_steps=spec.max_episode_steps or self._longest)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Args:
            options: take another problem from now on, with the same arguments: ``{"kernel": name or path}``, and of
                Cursor-v0 ``{"workload": ...}``, with ``"sizes"`` where it has none of its own.
        Raises:
            PolyloopError: if there is no such problem, or the arguments do not fit it.
        """
        super().reset(seed=seed)
        self._choose(options or {})
        self._begin()
        self._show()
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action. Nothing is raised where the mask forbids it: what happens then is said by the class."""
        result = self._stepped(action)
        self._show()
        return result

    def _show(self) -> None:
        """What render_mode "human" is: the text on standard output, in each step."""
        if self.render_mode == "human":
            print(self._text(), end="\n\n", flush=True)

    def render(self) -> Any:  # Gymnasium's own type is a free type variable in some releases
        """The last action, the state and what is legal next: as text with render_mode "ansi", as an image with
        "rgb_array", which of a schedule also shows the tree; None without a render mode, and with "human", where every
        step prints the text."""
        if self.render_mode in (None, "human"):
            return None
        return self._text() if self.render_mode == "ansi" else image(self._text(), self._tree())

    def close(self) -> None:
        """End the evaluator's process, unless the evaluator was given."""
        if self._owns_evaluator:
            self._evaluator.close()

    # --- Beyond Gymnasium ------------------------------------------------------------------------------------

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now; shape (actions,)."""
        return self._legal(self._state) & (not self._stopped)

    def fork(self) -> Self:
        """An independent environment that stands where this one does; what is costly (space, evaluator) is shared.

        Closing the copy leaves the shared evaluator open; closing the original closes it.
        """
        other = copy.copy(self)
        other._owns_evaluator = False
        other.np_random = copy.deepcopy(self.np_random)
        other.action_space = copy.deepcopy(self.action_space)
        return other

    def state(self) -> Snapshot[S]:
        """Where the environment stands, for `restore`; it can be pickled."""
        random = self.np_random.bit_generator.state
        return Snapshot(self._chosen, self._state, self._last_action, self._stopped, self._score, random)

    def restore(self, snapshot: Snapshot[S]) -> None:
        """Go back to (or on from) where an environment with the same arguments stood."""
        if snapshot.problem != self._chosen:
            self._open(snapshot.problem)
        self._state, self._last_action = snapshot.state, snapshot.last_action
        self._stopped, self._score = snapshot.stopped, snapshot.score
        self.np_random.bit_generator.state = snapshot.random

    @abstractmethod
    def options(self) -> dict[str, Any]:
        """Options of `reset` that bring an environment with the same arguments to the problem of this episode, whoever
        has chosen it: a wrapper, or the random numbers that draw a machine."""

    @property
    def process(self) -> Process[S]:
        """The decision process that this environment wraps: what searches walk."""
        return self._process

    def observe(self, state: S) -> tuple[Observation, NDArray[np.bool_]]:
        """What a state of `process` looks like, and its mask; the environment stays where it is."""
        mask = self._legal(state)
        return self._observed_as(state, mask), mask

    def observation(self) -> Observation:
        """What the environment shows where it stands, as behind `restore`."""
        return self._observation()

    def information(self) -> dict[str, Any]:
        """What `info` says where it stands."""
        return self._info()

    @property
    def graph(self) -> ProgramGraph:
        """The state as a graph that is not padded, whatever the observations are."""
        return self._graph(self._state)

    def to_networkx(self) -> Any:
        """The state as a `networkx.MultiDiGraph`; see `ProgramGraph.to_networkx`."""
        return self.graph.to_networkx()

    def to_heterodata(self) -> Any:
        """The state as torch-geometric's HeteroData; see `ProgramGraph.to_heterodata`."""
        return self.graph.to_heterodata()

    # --- Inside ----------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._state = self._process.initial()
        self._last_action = None
        self._stopped = False
        self._score = None

    def _legal(self, state: S) -> NDArray[np.bool_]:
        return np.array(self._process.actions(state), np.bool_)

    def _observation(self) -> Observation:
        return self._observed_as(self._state, self.action_masks())

    def _observed_as(self, state: S, mask: NDArray[np.bool_]) -> Observation:
        bits, context = mask.astype(np.int8), self._context(state)
        beside = {} if context is None else {"context": context}
        if self._observed == "graph":
            return self._graph_room.padded(self._graph(state)) | {"action_mask": bits} | beside
        if self._observed == "rows":
            return {"rows": self._rows(state), "action_mask": bits} | beside
        vector = self._vector(state)
        return {"observation": vector, "action_mask": bits} if self._observed == "dict" else vector

    def _mask(self) -> NDArray[np.int8]:
        return self.action_masks().astype(np.int8)
