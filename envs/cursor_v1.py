"""Cursor-v1: Cursor-v0 with an end of one's own choice, the steps left, and the machine that the loops are for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from polyloop.backend.machine.drawn import drawn_machine, machine_called
from polyloop.backend.machine.machine import Machine, machine_named
from polyloop.cursor.actions import Actions
from polyloop.cursor.base import AnyState
from polyloop.cursor.loop_rows import ROW
from polyloop.cursor.model import REFERENCE
from polyloop.cursor.view import CursorView, vector_size
from polyloop.envs.argument_checks import check_arguments, check_value
from polyloop.envs.base import AnyObservationName, Snapshot
from polyloop.envs.cursor import CursorEnv
from polyloop.envs.problems import EnvironmentArgumentError
from polyloop.envs.rewards import Gain, cursor_reward, paid
from polyloop.graphs.context import CONTEXT
from polyloop.measure.programs import ModelledPrograms, ProgramEvaluator, gflops
from polyloop.measure.result import Measurement

Returns: TypeAlias = Literal["last", "best"]

RANDOM = "random"
"""Name that stands for a machine drawn in every episode."""

MACHINES = 1 << 20
"""Machines that `RANDOM` draws from; see `polyloop.backend.machine.drawn`."""

_MODELS = 8
"""Machines whose model an environment keeps."""


class CursorEnvV1(CursorEnv):
    """As `CursorEnv`, and an episode can be ended, values are functions of what is seen, and the machine can be chosen.

    ## Action Space
    As in Cursor-v0, and last `stop`, which ends the episode and is always legal: no mask is ever all zeros. That holds
    in every mode of vector environments (SAME_STEP, NEXT_STEP, DISABLED): behind the end of an episode the mask says
    what could be done with the program that it ended with.

    ## Observation Space
    "vector": `Box(0, 1, (len(CONTEXT) + rows * len(ROW),), float32)`, the context of `polyloop.graphs.context` (steps
    left, the machine), then a row for each loop, see `polyloop.cursor.loop_rows`. "dict": that as `observation`, and
    `action_mask`. "rows": `rows` (rows, len(ROW)), `context`, `action_mask`. "graph": that of Cursor-v0, and `context`.
    The same for every program and machine.

    ## Starting State
    The loops as they were written, the cursor on the first.

    ## Rewards
    As in Cursor-v0; with `returns="best"` an episode is worth the best program that it has come by: a step gains what
    that becomes better by, and nothing is lost on the way. `reward` may be anything that is called with a
    `polyloop.envs.rewards.Gain`, a "module:function", or the name of an entry point in `polyloop.cursor_rewards`.

    ## Episode End
    Terminated by `stop`. Truncated after `length` steps: what stands there could still become better, so that learners
    go on with its value. `gymnasium.make(..., max_episode_steps=)` truncates, too, and no observation knows of it.

    ## Information
    As in Cursor-v0, and `machine`: its name; `best`: GFLOPS of the best program so far; `steps_left`.

    ## Arguments
    Those of Cursor-v0 but for `logarithmic`; `length=16`; `returns`: "last" or "best"; `machine`: a name in data/, a
    file, one that was drawn ("drawn-7"), "random" for another one in every episode (by the episode's random numbers),
    or a list of names to draw from: that of the model where `evaluator="model"`, by default Zen 5. With any other
    evaluator it is the machine that measures. `reset(options={"machine": ...})` takes another one from then on.

    References:
        Pardo et al., "Time Limits in Reinforcement Learning", ICML 2018.
        Huang and Ontañón, "A Closer Look at Invalid Action Masking in Policy Gradient Algorithms", 2022.
    """

    _best: float

    def __init__(
        self,
        workload: str | Mapping[str, Any] | None = None,
        *,
        kernel: str | None = None,
        sizes: Mapping[str, int] | str | None = None,
        compat: str = "native",
        evaluator: str | ProgramEvaluator = "worker",
        machine: str | Sequence[str] | None = None,
        reward: str | Callable[[Gain], float] = "gflops",
        returns: Returns = "last",
        observation: AnyObservationName = "vector",
        length: int = 16,
        flags: Sequence[str] = (),
        splits: Sequence[int] | None = None,
        reassociate: bool | None = None,
        rows: int | None = None,
        graph_size: Sequence[int] | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_arguments(CursorEnvV1.__init__, {k: v for k, v in locals().items() if k != "reward"})
        self._worth, self._returns = cursor_reward(reward), returns
        self._models: dict[Machine, ModelledPrograms] = {}
        self._files: dict[Machine, str] = {}
        self._modelled = evaluator == "model"
        if machine is not None and not self._modelled:
            raise EnvironmentArgumentError(
                f"machine={machine!r}: only the model can be asked about other machines, see evaluator='model'"
            )
        self._machine_given = machine
        self._machine = self._first_machine(machine, evaluator)
        actions = Actions.of(compat, flags, rows, splits, stop=True)
        self._set_up(
            workload, kernel, sizes, actions, evaluator, observation, length, reassociate, graph_size, render_mode
        )

    def _boxes(self, rows: int) -> tuple[spaces.Box, spaces.Box | None, spaces.Box | None]:
        shapes = (vector_size(rows),), (len(CONTEXT),), (rows, len(ROW))
        vector, context, in_rows = (spaces.Box(0.0, 1.0, shape, np.float32) for shape in shapes)
        return vector, context, in_rows

    # --- The machine ----------------------------------------------------------------------------------------------

    @property
    def machine(self) -> Machine:
        """That the loops of the present episode are for."""
        return self._machine

    def _first_machine(self, given: str | Sequence[str] | None, evaluator: str | ProgramEvaluator) -> Machine:
        if given is not None:
            names = _names(given)
            if not names:
                raise EnvironmentArgumentError("machine=[]: there has to be one at least to draw from")
            machines = [self._called(name) for name in names if name != RANDOM]  # so that a wrong name is found now
            return machines[0] if machines else drawn_machine(0)
        if isinstance(evaluator, str):
            kind, _, name = evaluator.partition(":")
            if kind == "model":
                return machine_named(name or REFERENCE)
        known = getattr(evaluator, "machine", None)
        if isinstance(known, Machine):
            return known
        from polyloop.backend.machine.host import host_target  # loads LLVM, which models do without

        return host_target().machine

    def _called(self, name: str) -> Machine:
        machine = machine_called(name)
        if name != machine.name:
            self._files[machine] = name
        return machine

    def _draw_machine(self) -> Machine | None:
        """Another machine for the next episode; None where there is but one."""
        given = self._machine_given
        if given is None or (isinstance(given, str) and given != RANDOM):
            return None
        names = _names(given)
        name = names[int(self.np_random.integers(len(names)))]
        return drawn_machine(int(self.np_random.integers(MACHINES))) if name == RANDOM else self._called(name)

    def _take(self, machine: Machine) -> None:
        """Model programs on a machine from now on."""
        if self._modelled:
            if machine not in self._models:
                if len(self._models) >= _MODELS:
                    self._models.clear()
                self._models[machine] = ModelledPrograms(machine)
            self._evaluator = self._models[machine]
        self._machine = machine

    # --- Gymnasium ------------------------------------------------------------------------------------------------

    def _choose(self, options: Mapping[str, Any]) -> None:
        check_value("options", options, Mapping[str, Any])
        known, machine, given = dict(options), self._machine, self._machine_given
        same = not ("workload" in known or "kernel" in known)
        if "machine" in known:
            check_value("machine", known["machine"], str | Sequence[str])
            if not self._modelled:
                raise EnvironmentArgumentError("reset takes a machine only where evaluator='model'")
            named = known.pop("machine")
            machine = self._first_machine(named, self._evaluator)
            self._machine_given = named
        machine = self._draw_machine() or machine
        before = self._machine
        if machine != before and not same:
            self._take(machine)  # that of the program that is opened next
        try:
            super()._choose(known)
        except BaseException:
            if not same:
                self._take(before)
            self._machine_given = given
            raise
        if machine != before and same:
            self._open((*self._chosen[:2], machine))

    def options(self) -> dict[str, Any]:
        if not self._modelled or self._machine_given is None:
            return super().options()
        return super().options() | {"machine": self._files.get(self._machine, self._machine.name)}

    def state(self) -> Snapshot[AnyState]:
        return replace(super().state(), score=(self._score, self._best))

    def restore(self, snapshot: Snapshot[AnyState]) -> None:
        super().restore(snapshot)
        self._score, self._best = snapshot.score

    # --- Inside ---------------------------------------------------------------------------------------------------

    def _open(self, given: tuple[Any, ...]) -> None:
        self._take(given[2] if len(given) > 2 else self._machine)
        super()._open((given[0], given[1]))
        self._chosen = (given[0], given[1], self._machine)  # type: ignore[assignment]

    def _begin(self) -> None:
        super()._begin()
        self._best = self._gflops
        self._view = CursorView(self._process, self._machine, self._actions.rows, self._length)

    def _gain(self, record: Measurement) -> float:
        before, after = self._gflops, gflops(self._process.problem, record)
        best, self._best = self._best, max(self._best, after)
        if self._returns == "best":
            before, after = best, self._best
        return paid(self._worth, Gain(before, after, self._peak))

    def _context(self, state: AnyState) -> NDArray[np.float32]:
        return self._view.context(state, self._ahead())

    def _rows(self, state: AnyState) -> NDArray[np.float32]:
        return self._view.rows(state)

    def _vector(self, state: AnyState) -> NDArray[np.float32]:
        return self._view.vector(state, self._ahead())

    def _ahead(self) -> float:
        return (self._best - self._gflops) / self._peak if self._returns == "best" else 0.0

    def _info(self) -> dict[str, Any]:
        left = max(self._length - self._state.steps, 0)
        return super()._info() | {"machine": self._machine.name, "best": self._best, "steps_left": left}


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
