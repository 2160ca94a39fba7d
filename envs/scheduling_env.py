"""What the environments of schedules share: arguments, rewards, infos. Each adds its process and its view of it."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from gymnasium import spaces

from polyloop.envs.argument_checks import check_arguments, check_value
from polyloop.envs.base import Observation, ObservationName, Process, ProcessEnv
from polyloop.envs.observations import Vector
from polyloop.envs.problems import Arguments, EnvironmentArgumentError, Task, frozen_sizes, load
from polyloop.envs.rendering import ansi
from polyloop.envs.rewards import REWARDS, RewardName
from polyloop.envs.scheduling_view import view_of
from polyloop.graphs.padding import GraphSize
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.measure.schedules import PostProcessing, ScheduleEvaluator, Score, evaluator_named
from polyloop.schedules.rows import Schedule
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.dependence import Granularity
from polyloop.spaces.exploration import Exploration
from polyloop.spaces.scheduling import Phase, schedule_of

S = TypeVar("S", bound=Hashable)


class SchedulingEnv(ProcessEnv[S]):
    """An environment around a decision process whose final states are schedules. Final, but for what subclasses are
    asked for: a process, and what `info` says of its states.

    The arguments are described with `polyloop.envs.construct.ConstructEnv`.
    """

    graph_size: GraphSize
    _task: Task
    _score: Score | None
    _limit: int | None = None
    """Steps behind which an episode is cut off; None for no such limit."""
    _beside: spaces.Box | None = None
    """The space of what graphs have beside them."""

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
        check_arguments(SchedulingEnv.__init__, locals())
        vector = spaces.Box(-1.0, 1.0, (self._size(),), np.float32)
        super().__init__(vector, observation, graph_size, self.graph_size, render_mode, self._limit, self._beside)
        self._reward = REWARDS[reward]
        order = tuple(dependence_order) if dependence_order is not None else None
        self._arguments = Arguments(
            frozen_sizes(sizes), order, context, parameter_coefficients, complete, granularity, post_processing
        )
        self._evaluator = evaluator_named(evaluator) if isinstance(evaluator, str) else evaluator
        self._owns_evaluator = isinstance(evaluator, str)
        self._open(kernel)

    # --- What subclasses add ---------------------------------------------------------------------------------

    @abstractmethod
    def _size(self) -> int:
        """Features of an observation."""

    @abstractmethod
    def _process_of(self, task: Task) -> Phase:
        """The process for a kernel."""

    @abstractmethod
    def _state_info(self, state: S) -> tuple[Any, ...]:
        """The state for `info`."""

    @abstractmethod
    def _explored(self, state: S) -> Exploration | None:
        """What chooses the coefficients of a state's construction; None while that is not decided."""

    def _cut(self, state: S) -> bool:
        """Whether the steps of an episode are used up."""
        return False

    # --- Gymnasium -------------------------------------------------------------------------------------------

    def _choose(self, options: Mapping[str, Any]) -> None:
        check_value("options", options, Mapping[str, Any])
        unknown = set(options) - {"kernel"}
        if unknown:
            raise EnvironmentArgumentError(f"reset knows no option {', '.join(sorted(unknown))}; there is 'kernel'")
        check_value("kernel", options.get("kernel", ""), str)
        if options and options["kernel"] != self._task.name:
            self._open(options["kernel"])

    def _stepped(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action. One that the mask forbids ends the episode, with a reward below that of any schedule; nothing
        is raised."""
        chosen = int(action)
        self._last_action = chosen
        obstacle = "the episode has ended" if self._stopped else self._process.obstacle(self._state, chosen)
        if obstacle is not None:
            self._stopped = True
            return self._observation(), self._reward.illegal, True, False, self._info() | {"illegal_action": obstacle}
        self._state = self._process.step(self._state, chosen)
        if not self._process.final(self._state):
            return self._observation(), 0.0, False, self._cut(self._state), self._info()
        self._stopped = True
        schedule = schedule_of(self._phase, self._state)
        self._score = self._evaluator.evaluate(self._task.problem, schedule)
        outcome = _outcome(schedule, self._score)
        return self._observation(), self._reward(self._score.speedup), True, False, self._info() | outcome

    def _text(self) -> str:
        names, mask = self.action_names, self.action_masks().tolist()
        return ansi(self._task.name, str(self._state), self._last_action, names, mask, self.schedule, self._score)

    def _tree(self) -> ScheduleTree:
        """The kernel's own until the episode ends, then the schedule's."""
        problem, schedule = self._task.problem, self.schedule
        if schedule is None:
            return original_tree(problem.scop)
        return schedule.to_tree(problem.scop, problem.scop.dependences(), problem.complete)

    # --- Beyond Gymnasium ------------------------------------------------------------------------------------

    def options(self) -> dict[str, Any]:
        return {"kernel": self._chosen}

    @property
    def task(self) -> Task:
        """The kernel, its sizes and its schedule space."""
        return self._task

    @property
    def schedule(self) -> Schedule | None:
        """The schedule, once the episode has reached one."""
        return schedule_of(self._phase, self._state) if self._process.final(self._state) else None

    # --- Inside ----------------------------------------------------------------------------------------------

    def _open(self, given: str) -> None:
        self._chosen, self._task = given, load(given, self._arguments)
        self._phase = self._process_of(self._task)
        self._process, self._view = cast(Process[S], self._phase), view_of(self._phase)
        self._begin()

    def _vector(self, state: S) -> Vector:
        return self._view.vector(state)

    def _graph(self, state: S) -> ProgramGraph:
        return self._view.graph(state, self._task.graphs)

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"state": self._state_info(self._state), "action_mask": self._mask()}
        explored = self._explored(self._state)
        if explored is None:
            return info
        return info | {
            "terms": explored.terms,
            "anchored": tuple(dimension.anchored for dimension in explored.dimensions),
            "capped": tuple(dimension.capped for dimension in explored.dimensions),
        }


def _outcome(schedule: Schedule, score: Score) -> dict[str, Any]:
    # Numbers, never None: vector environments gather them in arrays.
    seconds = math.nan if score.seconds is None else score.seconds
    outcome = {"schedule": str(schedule), "seconds": seconds, "speedup": score.speedup, "baseline": score.baseline}
    return outcome if score.error is None else outcome | {"error": score.error}
