"""Schedule-v1: Schedule-v0 with an end of one's own choice, the steps left, and the machine that the loops are for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from polyloop.backend.machine.drawn import machine_called
from polyloop.backend.machine.machine import Machine
from polyloop.cursor.model import REFERENCE
from polyloop.envs.argument_checks import check_arguments, check_least
from polyloop.envs.rewards import schedule_reward
from polyloop.envs.schedule import ScheduleEnv
from polyloop.envs.scheduling_view import SCHEDULING_SIZE
from polyloop.graphs.context import CONTEXT, context, machine_features
from polyloop.spaces.scheduling import SchedulingState

LENGTH = 1000
"""Steps of an episode at most: more than any shipped kernel's largest construction has coefficients."""


class ScheduleEnvV1(ScheduleEnv):
    """As `ScheduleEnv`, and an episode can be ended before all is chosen, and values are functions of what is seen.

    ## Action Space
    As in Schedule-v0, and last `stop`: what is not carried yet is carried as early as possible, coefficients that are
    not chosen are 0 (where none is, those of the simplest point), and the schedule that this is gets its reward.
    `stop` is legal until the end, where it is all that the mask has: no mask is ever all zeros, in no mode of vector
    environments.

    ## Observation Space
    "vector": `Box(-1, 1, (len(CONTEXT) + SCHEDULING_SIZE,), float32)`, the context of `polyloop.graphs.context` before
    the features of Schedule-v0. "dict": that as `observation`, and `action_mask`. "graph": as in Schedule-v0, and
    `context`.

    ## Starting State
    That of `ConstructEnv`.

    ## Rewards
    As in Schedule-v0; `reward` may be any increasing function of the speedup, a "module:function", or the name of an
    entry point in `polyloop.schedule_rewards`.

    ## Episode End
    Terminated when all coefficients are chosen, by `stop`, and by an action that the mask forbids. Truncated after
    `length` steps, without a schedule.

    ## Information
    As in Schedule-v0, `anchored` and `capped` of every dimension included as soon as they are decided, and `machine`
    and `steps_left`.

    ## Arguments
    Those of Schedule-v0; `length`; `machine`: a name in data/ or a file, which only observations tell of. By default
    the machine that measures, and Zen 5 where `evaluator="model"`.
    """

    _stops = True
    _beside = spaces.Box(0.0, 1.0, (len(CONTEXT),), np.float32)

    def __init__(
        self,
        kernel: str = "gemm",
        *,
        max_coefficient: int = 2,
        max_dimensions: int = 10,
        max_empty: int = 2,
        length: int = LENGTH,
        machine: str | None = None,
        reward: str | Callable[[float], float] = "speedup",
        **arguments: Any,
    ) -> None:
        check_arguments(ScheduleEnvV1.__init__, {k: v for k, v in locals().items() if k != "reward"})
        check_least(1, length=length)
        self._limit = length
        self._machine = _machine(machine, arguments.get("evaluator", "worker"))
        worth = schedule_reward(reward)
        super().__init__(
            kernel, max_coefficient=max_coefficient, max_dimensions=max_dimensions, max_empty=max_empty, **arguments
        )
        self._reward = worth

    def _size(self) -> int:
        return len(CONTEXT) + SCHEDULING_SIZE

    def _context(self, state: SchedulingState) -> NDArray[np.float32]:
        assert self._limit is not None
        return context(self._limit - state.steps, self._limit, machine_features(self._machine))

    def _vector(self, state: SchedulingState) -> NDArray[np.float32]:
        return np.concatenate([self._context(state), super()._vector(state)])

    def _cut(self, state: SchedulingState) -> bool:
        return self._limit is not None and state.steps >= self._limit

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now; behind the end `stop`, which does nothing there."""
        return self._legal(self._state)

    def _legal(self, state: SchedulingState) -> NDArray[np.bool_]:
        mask = super()._legal(state)
        mask[-1] = True
        return mask

    def _info(self) -> dict[str, Any]:
        assert self._limit is not None
        left = max(self._limit - self._state.steps, 0)
        return super()._info() | {"machine": self._machine.name, "steps_left": left}


def _machine(given: str | None, evaluator: object) -> Machine:
    if given is not None or evaluator == "model":
        return machine_called(REFERENCE if given is None else given)
    from polyloop.backend.machine.host import host_target  # loads LLVM, which models do without

    return host_target().machine
