"""Cursor-v0: a cursor walks the loops of a program and changes those that it stands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from polyloop.cursor.actions import Actions
from polyloop.cursor.base import AnyCursor, AnyState
from polyloop.cursor.features import FEATURES
from polyloop.envs.argument_checks import check_arguments, check_least, check_value
from polyloop.envs.base import AnyObservationName, Observation, ObservationName, ProcessEnv
from polyloop.envs.cursor_problems import open_cursor
from polyloop.envs.problems import EnvironmentArgumentError
from polyloop.envs.rewards import CURSOR_REWARDS, Gain
from polyloop.graphs.padding import GraphSize
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.measure.programs import ProgramEvaluator, gflops, program_evaluator
from polyloop.measure.result import Measurement

RewardName: TypeAlias = Literal["gflops", "log_gflops"]

LARGEST = 2.0**31
"""Bound of sizes in observations."""

CURSOR_GRAPH = GraphSize(192, 1536)
"""Room for every kernel that ships with polyloop, with as many loops as the cursor may make."""

_OPTIONS = {"workload": str | Mapping[str, Any], "kernel": str, "sizes": Mapping[str, int] | str | None}
"""Of `reset`."""


class ObservationRowsError(EnvironmentArgumentError):
    """A program of more loops than observations have rows."""


class CursorEnv(ProcessEnv[AnyState]):
    """A cursor on one loop of a program moves, splits, exchanges; every state runs, and each change is paid for.

    ## Action Space
    `Discrete(n)`: 0 up, 1 down (move the cursor, in preorder over all loops), 2 swap_up, 3 swap_down (exchange its loop
    with the one directly outside or inside), then split_4, split_8, split_16, split_32, split_64 (iterations of the
    inner loop) and merge (with the loop of the same variable directly inside). `flags` adds vectorize, unroll,
    register_tile (some iterations, unrolled, as the innermost loop), parallelize, pack (a copy of the first read that
    can be packed, in front of the loop) and prefetch. `compat="looptune"` has the first seven. Masks say what is
    legal: dependences decide.

    ## Observation Space
    "vector": `Box(0, 2^31, (rows, 20), float32)`, one row a loop, see `polyloop.cursor.features`; 24 rows, 10 for
    LoopTune. "dict": that as `observation`, and `action_mask`. "graph": a padded graph of loops, data and computations,
    and `action_mask`. The same for every program.

    ## Starting State
    The loops as they were written, the cursor on the first.

    ## Rewards
    (GFLOPS after - GFLOPS before) / peak of one core; `reward="log_gflops"`: log2 of their ratio. 0 for an action that
    the mask forbids, and for a program that cannot be compiled: the state is kept then.

    ## Episode End
    Truncated after `length` steps; never terminated, since every state is a whole program. The mask then still
    says what could be done next.

    ## Information
    `state`: (the loops as text, the cursor's row); `action_mask`; `gflops`, `peak`, `seconds`, `spread` (of the
    measurement: how far the median lies above the fastest run); `refused`: why an action was, `error`: what went wrong.

    ## Arguments
    `workload`: a name in data/ ("CONV-1", "gemm"), an expression with `sizes`, or {"einsum": "mk,kn->mn", "sizes":
    {"m": 256, ...}}; `kernel`: a kernel's name or a C file with `sizes`; `compat`: "native" or "looptune"; `evaluator`:
    "worker", "inprocess", "model" (deterministic; "model:zen3": of that machine) or an object; `reward`; `observation`;
    `length=10`; `flags`; `splits`: the factors, [4, 8, 16, 32, 64] by default; `logarithmic`: sizes as log2(1 + n);
    `reassociate`: by default in tensor programs only; `rows`: how many loops a program may have; `graph_size`.
    `reset(options={"workload": ...})` or `{"kernel": ...}` takes another program from then on.

    References:
        Grubisic et al., "LoopTune: Optimizing Tensor Computations with Reinforcement Learning", arXiv 2309.01825.
    """

    _process: AnyCursor
    _chosen: tuple[str | Mapping[str, Any], Mapping[str, int] | str | None]
    _state: AnyState
    _score: Measurement
    _peak: float
    _evaluator: ProgramEvaluator

    def __init__(
        self,
        workload: str | Mapping[str, Any] | None = None,
        *,
        kernel: str | None = None,
        sizes: Mapping[str, int] | str | None = None,
        compat: str = "native",
        evaluator: str | ProgramEvaluator = "worker",
        reward: RewardName = "gflops",
        observation: ObservationName = "vector",
        length: int = 10,
        flags: Sequence[str] = (),
        splits: Sequence[int] | None = None,
        logarithmic: bool = False,
        reassociate: bool | None = None,
        rows: int | None = None,
        graph_size: Sequence[int] | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_arguments(CursorEnv.__init__, locals())
        self._reward, self._logarithmic = reward, logarithmic
        actions = Actions.of(compat, flags, rows, splits)
        self._set_up(
            workload, kernel, sizes, actions, evaluator, observation, length, reassociate, graph_size, render_mode
        )

    def _set_up(
        self,
        workload: str | Mapping[str, Any] | None,
        kernel: str | None,
        sizes: Mapping[str, int] | str | None,
        actions: Actions,
        evaluator: str | ProgramEvaluator,
        observation: AnyObservationName,
        length: int,
        reassociate: bool | None,
        graph_size: Sequence[int] | None,
        render_mode: str | None,
    ) -> None:
        """What all versions have in common: spaces, the evaluator, the first program."""
        check_least(1, length=length)
        if workload is not None and kernel is not None:
            raise EnvironmentArgumentError("workload= and kernel= both say what the cursor walks on; give one")
        self._actions = actions
        self.action_names = actions.names
        vector, context, in_rows = self._boxes(actions.rows)
        super().__init__(vector, observation, graph_size, CURSOR_GRAPH, render_mode, length, context, in_rows)
        self._length, self._reassociate = length, reassociate
        self._evaluator = program_evaluator(evaluator) if isinstance(evaluator, str) else evaluator
        self._owns_evaluator = isinstance(evaluator, str)
        self._open((kernel if kernel is not None else "MM-64" if workload is None else workload, sizes))

    def _boxes(self, rows: int) -> tuple[spaces.Box, spaces.Box | None, spaces.Box | None]:
        """The spaces of the vector, of the context beside graphs and rows, and of the rows."""
        return spaces.Box(0.0, LARGEST, (rows, FEATURES), np.float32), None, None

    # --- Gymnasium ----------------------------------------------------------------------------------------------------

    def _choose(self, options: Mapping[str, Any]) -> None:
        check_value("options", options, Mapping[str, Any])
        known = dict(options)
        for name, kind in _OPTIONS.items():
            if name in known:
                check_value(name, known[name], kind)
        chosen = [known.pop(key) for key in ("workload", "kernel") if key in known]
        sizes = known.pop("sizes", None)
        if known or len(chosen) > 1 or (sizes is not None and not chosen):
            raise EnvironmentArgumentError(f"reset takes one of workload and kernel, and sizes with it; not {options}")
        if chosen:
            self._open((chosen[0], sizes))

    def _stepped(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action; one that the mask forbids costs a step and changes nothing. Nothing is raised."""
        chosen = int(action)
        self._last_action = chosen
        before, refused, reward = self._state, self._process.obstacle(self._state, chosen), 0.0
        extra: dict[str, Any] = {}
        if refused is not None:
            extra["refused"] = refused
            self._state = self._process.skipped(before)
        else:
            after = self._process.step(before, chosen)
            record = self._score if after.program == before.program else self._evaluate(after)
            if record.error is not None:
                extra["error"] = record.error
                after = self._process.skipped(before)
            else:
                reward = self._gain(record)
                self._score = record
            self._state = after
        over, stopped = self._process.final(self._state), self._state.stopped
        return self._observation(), reward, stopped, over and not stopped, self._info() | extra

    def _text(self) -> str:
        """The nest with the cursor, the last action and the speed."""
        names, last = self.action_names, self._last_action
        after = [] if last is None else [f"after: {names[last] if 0 <= last < len(names) else last}"]
        legal = [name for name, bit in zip(names, self.action_masks(), strict=True) if bit]
        speed = f"{self._gflops:.2f} GFLOPS, {100 * self._gflops / self._peak:.1f}% of peak"
        return "\n".join([str(self._state), *after, f"legal: {', '.join(legal) or 'nothing'}", speed])

    def options(self) -> dict[str, Any]:
        workload, sizes, *_ = self._chosen
        return {"workload": workload} | ({} if sizes is None else {"sizes": sizes})

    @property
    def process(self) -> AnyCursor:
        return self._process

    @property
    def evaluator(self) -> ProgramEvaluator:
        """What says how fast programs are."""
        return self._evaluator

    # --- Inside -------------------------------------------------------------------------------------------------------

    def _open(self, given: tuple[str | Mapping[str, Any], Mapping[str, int] | str | None]) -> None:
        workload, sizes = given
        process = open_cursor(
            workload, sizes, actions=self._actions, length=self._length, reassociate=self._reassociate
        )
        rows, have = process.visible(process.initial().program), self._actions.rows
        if rows > have:
            raise ObservationRowsError(f"{workload} has {rows} loops; observations have {have} rows, see rows=")
        self._chosen, self._process = given, process
        self._peak = self._evaluator.peak(process.problem)
        self._begin()

    def _begin(self) -> None:
        super()._begin()
        self._score = self._evaluate(self._state)

    def _evaluate(self, state: AnyState) -> Measurement:
        record: Measurement = self._evaluator.evaluate(self._process.problem, state.program)
        return record

    @property
    def _gflops(self) -> float:
        return gflops(self._process.problem, self._score)

    def _gain(self, record: Measurement) -> float:
        before, after = self._gflops, gflops(self._process.problem, record)
        return CURSOR_REWARDS.own[self._reward](Gain(before, after, self._peak))

    def _legal(self, state: AnyState) -> NDArray[np.bool_]:
        # The limit of steps is no property of the nest: what could be done next can be done behind it, too.
        return self._process.possible(state).copy()

    def _vector(self, state: AnyState) -> NDArray[np.float32]:
        return self._process.features(state, self._actions.rows, self._logarithmic)

    def _graph(self, state: AnyState) -> ProgramGraph:
        return self._process.graph(state)

    def _info(self) -> dict[str, Any]:
        state, record = self._state, self._score
        return {
            "state": (state.text, state.cursor),
            "action_mask": self._mask(),
            "gflops": self._gflops,
            "peak": self._peak,
            "seconds": record.minimum,
            "spread": record.spread,
        } | ({} if record.error is None else {"error": record.error})
