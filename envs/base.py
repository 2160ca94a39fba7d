"""What the environments share: arguments, masks, rewards, infos, copies. Each adds its process and its view of it."""

from __future__ import annotations

import copy
import math
from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, Self, TypeAlias, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from polyloop.envs.argument_checks import check_arguments, check_value
from polyloop.envs.graph_space import GraphForms, checked_graph_size, graph_observation, graph_space
from polyloop.envs.observations import Vector
from polyloop.envs.problems import Arguments, EnvironmentArgumentError, Task, frozen_sizes, load
from polyloop.envs.rendering import ansi, check_images, image
from polyloop.envs.rewards import ILLEGAL, REWARDS, RewardName
from polyloop.graphs.padding import GraphSize
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.mdp import DecisionProcess
from polyloop.measure.schedules import PostProcessing, ScheduleEvaluator, Score, evaluator_named
from polyloop.schedules.rows import Schedule
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.dependence import Granularity

S = TypeVar("S", bound=Hashable)

Observation: TypeAlias = "Vector | dict[str, NDArray[Any]]"
ObservationName: TypeAlias = Literal["vector", "dict", "graph"]


class Process(DecisionProcess[S], Protocol[S]):
    """A decision process that says why an action is not legal."""

    def obstacle(self, state: S, action: int) -> str | None:
        """Why an action is not legal, None if it is."""


@dataclass(frozen=True)
class Snapshot(Generic[S]):
    """Where an environment stands: enough to go on from there, in this or another process.

    Attributes:
        random: state of the environment's random numbers.
    """

    kernel: str
    state: S
    last_action: int | None
    stopped: bool
    score: Score | None
    random: Mapping[str, Any]


class ProcessEnv(GraphForms, gymnasium.Env[Observation, np.int64], Generic[S]):
    """An environment around a decision process whose final states are schedules. Final, but for what subclasses are
    asked for: a process, observations, schedules.

    The arguments are described with `polyloop.envs.construct.ConstructEnv`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012 (Gymnasium's declaration)
    action_names: tuple[str, ...]
    graph_size: GraphSize
    _task: Task
    _process: Process[S]
    _state: S
    _last_action: int | None
    _stopped: bool
    _score: Score | None

    def __init__(
        self,
        kernel: str = "gemm",
        *,
        sizes: Mapping[str, int] | str | None = None,
        reward: RewardName = "speedup",
        observation: ObservationName = "vector",
        evaluator: str | ScheduleEvaluator = "worker",
        dependence_order: Sequence[str | int] | None = None,
        context: str | None = None,
        parameter_coefficients: bool = False,
        complete: bool = False,
        granularity: Granularity = "statement",
        post_processing: PostProcessing = "none",
        graph_size: Sequence[int] | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_arguments(ProcessEnv.__init__, locals())
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise EnvironmentArgumentError(f"render_mode={render_mode!r}: there are 'ansi' and 'rgb_array'")
        if render_mode == "rgb_array":
            check_images()
        self.render_mode = render_mode
        self._reward = REWARDS[reward]
        order = tuple(dependence_order) if dependence_order is not None else None
        self._arguments = Arguments(
            frozen_sizes(sizes), order, context, parameter_coefficients, complete, granularity, post_processing
        )
        self._evaluator = evaluator_named(evaluator) if isinstance(evaluator, str) else evaluator
        self._owns_evaluator = isinstance(evaluator, str)
        self._observed: ObservationName = observation
        self._graph_room = checked_graph_size(graph_size, self.graph_size)
        self.action_space = spaces.Discrete(len(self.action_names))
        self.observation_space = _space(observation, self._size(), self._graph_room, len(self.action_names))
        self._open(load(kernel, self._arguments))

    # --- What subclasses add ---------------------------------------------------------------------------------

    @abstractmethod
    def _size(self) -> int:
        """Features of an observation."""

    @abstractmethod
    def _process_of(self, task: Task) -> Process[S]:
        """The process for a kernel."""

    @abstractmethod
    def _vector(self, state: S) -> Vector:
        """The features of a state."""

    @abstractmethod
    def _graph(self, state: S) -> ProgramGraph:
        """The graph of a state."""

    @abstractmethod
    def _state_info(self, state: S) -> tuple[Any, ...]:
        """The state for `info`."""

    @abstractmethod
    def _terms(self, state: S) -> tuple[int, ...] | None:
        """Coefficients to choose in every dimension; None while that is not decided."""

    @abstractmethod
    def _schedule(self, state: S) -> Schedule:
        """The schedule of a final state."""

    # --- Gymnasium -------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Args:
            options: ``{"kernel": name or path}`` takes another kernel, with the same arguments, from now on.
        Raises:
            PolyloopError: if there is no such kernel, or the arguments do not fit it.
        """
        super().reset(seed=seed)
        unknown = set(options or {}) - {"kernel"}
        if unknown:
            raise EnvironmentArgumentError(f"reset knows no option {', '.join(sorted(unknown))}; there is 'kernel'")
        check_value("kernel", (options or {}).get("kernel", ""), str)
        if options and options["kernel"] != self._task.name:
            self._open(load(options["kernel"], self._arguments))
        self._begin()
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action. One that the mask forbids ends the episode with reward -1; nothing is raised."""
        chosen = int(action)
        self._last_action = chosen
        obstacle = "the episode has ended" if self._stopped else self._process.obstacle(self._state, chosen)
        if obstacle is not None:
            self._stopped = True
            return self._observation(), ILLEGAL, True, False, self._info() | {"illegal_action": obstacle}
        self._state = self._process.step(self._state, chosen)
        if not self._process.final(self._state):
            return self._observation(), 0.0, False, False, self._info()
        self._stopped = True
        schedule = self._schedule(self._state)
        self._score = self._evaluator.evaluate(self._task.problem, schedule)
        outcome = _outcome(schedule, self._score)
        return self._observation(), self._reward(self._score.speedup), True, False, self._info() | outcome

    def render(self) -> Any:  # Gymnasium's own type is a free type variable in some releases
        """The last action, the state and what is legal next; None without a render mode.

        With "ansi" as text; with "rgb_array" as an image that also shows the schedule tree: the kernel's own until
        the episode ends, then the schedule's.
        """
        if self.render_mode is None:
            return None
        schedule = self.schedule
        names, mask = self.action_names, self.action_masks().tolist()
        text = ansi(self._task.name, str(self._state), self._last_action, names, mask, schedule, self._score)
        return text if self.render_mode == "ansi" else image(text, self._tree(schedule))

    def _tree(self, schedule: Schedule | None) -> ScheduleTree:
        problem = self._task.problem
        if schedule is None:
            return original_tree(problem.scop)
        return schedule.to_tree(problem.scop, problem.scop.dependences(), problem.complete)

    def close(self) -> None:
        """End the evaluator's process, unless the evaluator was given."""
        if self._owns_evaluator:
            self._evaluator.close()

    # --- Beyond Gymnasium ------------------------------------------------------------------------------------

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now; shape (actions,)."""
        if self._stopped:
            return np.zeros(len(self.action_names), np.bool_)
        return np.array(self._process.actions(self._state), np.bool_)

    def fork(self) -> Self:
        """An independent environment that stands where this one does; what is costly (space, evaluator) is shared.

        Closing the copy leaves the shared evaluator open; closing the original closes it.
        """
        other = copy.copy(self)
        other._owns_evaluator = False
        other._np_random = copy.deepcopy(self._np_random)
        other.action_space = copy.deepcopy(self.action_space)
        return other

    def state(self) -> Snapshot[S]:
        """Where the environment stands, for `restore`; it can be pickled."""
        score, random = self._score, self.np_random.bit_generator.state
        return Snapshot(self._task.name, self._state, self._last_action, self._stopped, score, random)

    @property
    def process(self) -> Process[S]:
        """The decision process that this environment wraps: what searches walk."""
        return self._process

    def observe(self, state: S) -> tuple[Observation, NDArray[np.bool_]]:
        """What a state of `process` looks like, and its mask; the environment stays where it is."""
        there = copy.copy(self)
        there._state, there._stopped = state, self._process.final(state)
        return there._observation(), there.action_masks()

    def restore(self, snapshot: Snapshot[S]) -> None:
        """Go back to (or on from) where an environment with the same arguments stood."""
        if snapshot.kernel != self._task.name:
            self._open(load(snapshot.kernel, self._arguments))
        self._state, self._last_action = snapshot.state, snapshot.last_action
        self._stopped, self._score = snapshot.stopped, snapshot.score
        self.np_random.bit_generator.state = snapshot.random

    @property
    def graph(self) -> ProgramGraph:
        """The state as a graph that is not padded, whatever the observations are."""
        return self._graph(self._state)

    @property
    def task(self) -> Task:
        """The kernel, its sizes and its schedule space."""
        return self._task

    @property
    def schedule(self) -> Schedule | None:
        """The schedule, once the episode has reached one."""
        return self._schedule(self._state) if self._process.final(self._state) else None

    # --- Inside ----------------------------------------------------------------------------------------------

    def _open(self, task: Task) -> None:
        self._task, self._process = task, self._process_of(task)
        self._begin()

    def _begin(self) -> None:
        self._state = self._process.initial()
        self._last_action = None
        self._stopped = False
        self._score = None

    def _observation(self) -> Observation:
        if self._observed == "graph":
            return graph_observation(self._graph_room, self._graph(self._state), self._mask())
        vector = self._vector(self._state)
        return {"observation": vector, "action_mask": self._mask()} if self._observed == "dict" else vector

    def _mask(self) -> NDArray[np.int8]:
        return self.action_masks().astype(np.int8)

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"state": self._state_info(self._state), "action_mask": self._mask()}
        terms = self._terms(self._state)
        return info if terms is None else info | {"terms": terms}


def _space(observation: str, size: int, room: GraphSize, actions: int) -> spaces.Space[Any]:
    vector = spaces.Box(-1.0, 1.0, (size,), np.float32)
    match observation:
        case "vector":
            return vector
        case "dict":
            return spaces.Dict({"observation": vector, "action_mask": spaces.MultiBinary(actions)})
        case "graph":
            return graph_space(room, actions)
        case _:
            known = "'vector', 'dict' (the vector and the mask) and 'graph'"
            raise EnvironmentArgumentError(f"observation={observation!r}: there are {known}")


def _outcome(schedule: Schedule, score: Score) -> dict[str, Any]:
    # Numbers, never None: vector environments gather them in arrays.
    seconds = math.nan if score.seconds is None else score.seconds
    outcome = {"schedule": str(schedule), "seconds": seconds, "speedup": score.speedup, "baseline": score.baseline}
    return outcome if score.error is None else outcome | {"error": score.error}
