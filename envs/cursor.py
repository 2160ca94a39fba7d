"""Cursor-v0: a cursor walks the loops of a program and changes those that it stands on."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any, Literal, Self, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from polyloop.cursor.actions import Actions
from polyloop.cursor.features import FEATURES
from polyloop.cursor.process import NestState
from polyloop.cursor.tree_process import TreeState
from polyloop.envs.argument_checks import check_arguments, check_least, check_value
from polyloop.envs.cursor_problems import CursorProcess, open_cursor, state_graphs, state_rows
from polyloop.envs.graph_space import GraphForms, checked_graph_size, graph_observation, graph_space
from polyloop.envs.problems import EnvironmentArgumentError
from polyloop.envs.rendering import check_images, image
from polyloop.graphs.padding import GraphSize
from polyloop.graphs.program_graph import ProgramGraph
from polyloop.measure.database import Record
from polyloop.measure.programs import ProgramEvaluator, gflops, program_evaluator

State: TypeAlias = NestState | TreeState
Observation: TypeAlias = "NDArray[Any] | dict[str, NDArray[Any]]"
RewardName: TypeAlias = Literal["gflops", "log_gflops"]
ObservationName: TypeAlias = Literal["vector", "dict", "graph"]

LARGEST = 2.0**31
"""Bound of sizes in observations."""

CURSOR_GRAPH = GraphSize(192, 1536)
"""Room for every kernel that ships with polyloop, with as many loops as the cursor may make."""

_OPTIONS = {"workload": str | Mapping[str, Any], "kernel": str, "sizes": Mapping[str, int] | str | None}
"""Of `reset`."""

_SLOWEST = 1e-3
"""GFLOPS that count for what is slower, where the logarithm is taken."""


class ObservationRowsError(EnvironmentArgumentError):
    """A program of more loops than observations have rows."""


@dataclass(frozen=True)
class Snapshot:
    """Where an environment stands: enough to go on from there, in this or another process."""

    workload: str | Mapping[str, Any]
    sizes: Mapping[str, int] | str | None
    state: State
    random: Mapping[str, Any]


class CursorEnv(GraphForms, gymnasium.Env[Observation, np.int64]):
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
    Truncated after `length` steps; never terminated, since every state is a whole program.

    ## Information
    `state`: (the loops as text, the cursor's row); `action_mask`; `gflops`, `peak`, `seconds`, `spread` (of the
    measurement: how far the median lies above the fastest run); `refused`: why an action was, `error`: what went wrong.

    ## Arguments
    `workload`: a name in data/ ("CONV-1", "gemm"), an expression with `sizes`, or {"einsum": "mk,kn->mn", "sizes":
    {"m": 256, ...}}; `kernel`: a kernel's name or a C file with `sizes`; `compat`: "native" or "looptune"; `evaluator`:
    "worker", "inprocess", "model" (deterministic) or an object; `reward`; `observation`; `length=10`; `flags`;
    `splits`: the factors, [4, 8, 16, 32, 64] by default; `logarithmic`: sizes as log2(1 + n); `reassociate`: by default
    in tensor programs only; `rows`: how many loops a program may have; `graph_size`.
    `reset(options={"workload": ...})` or `{"kernel": ...}` takes another program from then on.

    References:
        Grubisic et al., "LoopTune: Optimizing Tensor Computations with Reinforcement Learning", arXiv 2309.01825.
    """

    observation_space: spaces.Space[Any]
    _process: CursorProcess
    _workload: str | Mapping[str, Any]
    _sizes: Mapping[str, int] | str | None
    _state: State
    _record: Record
    _last_action: int | None

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012 (Gymnasium's declaration)

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
        check_least(1, length=length)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise EnvironmentArgumentError(f"render_mode={render_mode!r}: there are 'ansi' and 'rgb_array'")
        if workload is not None and kernel is not None:
            raise EnvironmentArgumentError("workload= and kernel= both say what the cursor walks on; give one")
        if render_mode == "rgb_array":
            check_images()
        self.render_mode = render_mode
        self._reward, self._kind, self._logarithmic = reward, observation, logarithmic
        self._length, self._reassociate = length, reassociate
        self._actions = Actions.of(compat, flags, rows, splits)
        self._evaluator = program_evaluator(evaluator) if isinstance(evaluator, str) else evaluator
        self._owns_evaluator = isinstance(evaluator, str)
        self._graph_size = checked_graph_size(graph_size, CURSOR_GRAPH)
        count = len(self._actions.names)
        self.action_space = spaces.Discrete(count)
        box = spaces.Box(0.0, LARGEST, (self._actions.rows, FEATURES), np.float32)
        match observation:
            case "vector":
                self.observation_space = box
            case "dict":
                self.observation_space = spaces.Dict({"observation": box, "action_mask": spaces.MultiBinary(count)})
            case "graph":
                self.observation_space = graph_space(self._graph_size, count)
        self._open(kernel if kernel is not None else "MM-64" if workload is None else workload, sizes)

    # --- Gymnasium ----------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Args:
            options: ``{"workload": ...}`` or ``{"kernel": ...}``, with ``"sizes"`` where it has none of its own, takes
                another program from now on.
        Raises:
            PolyloopError: if there is no such program.
        """
        super().reset(seed=seed)
        known = dict(options or {})
        for name, kind in _OPTIONS.items():
            if name in known:
                check_value(name, known[name], kind)
        chosen = [known.pop(key) for key in ("workload", "kernel") if key in known]
        sizes = known.pop("sizes", None)
        if known or len(chosen) > 1 or (sizes is not None and not chosen):
            raise EnvironmentArgumentError(f"reset takes one of workload and kernel, and sizes with it; not {options}")
        if chosen:
            self._open(chosen[0], sizes)
        self._begin()
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action; one that the mask forbids costs a step and changes nothing. Nothing is raised."""
        chosen = int(action)
        self._last_action = chosen
        before, refused, reward = self._state, self._process.obstacle(self._state, chosen), 0.0
        extra: dict[str, Any] = {}
        if refused is not None:
            extra["refused"] = refused
            self._state = self._process.passed(before)
        else:
            after = self._process.step(before, chosen)
            record = self._record if after.program == before.program else self._evaluate(after)
            if record.error is not None:
                extra["error"] = record.error
                after = self._process.passed(before)
            else:
                reward = self._gain(record)
                self._record = record
            self._state = after
        ended = self._process.final(self._state)
        return self._observation(), reward, False, ended, self._info() | extra

    def render(self) -> Any:  # Gymnasium's own type is a free type variable in some releases
        """The nest with the cursor, the last action and the speed: as text with render_mode "ansi", as an image with
        "rgb_array"; None without a render mode."""
        if self.render_mode is None:
            return None
        names, last = self._actions.names, self._last_action
        after = [] if last is None else [f"after: {names[last] if 0 <= last < len(names) else last}"]
        legal = [name for name, bit in zip(names, self.action_masks(), strict=True) if bit]
        speed = f"{self._gflops:.2f} GFLOPS, {100 * self._gflops / self._peak:.1f}% of peak"
        text = "\n".join([str(self._state), *after, f"legal: {', '.join(legal) or 'nothing'}", speed])
        return text if self.render_mode == "ansi" else image(text)

    def close(self) -> None:
        """End the evaluator's process, unless the evaluator was given."""
        if self._owns_evaluator:
            self._evaluator.close()

    # --- Beyond Gymnasium ---------------------------------------------------------------------------------------------

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now; shape (actions,)."""
        return np.array(self._process.actions(self._state), np.bool_)

    def fork(self) -> Self:
        """An independent environment that stands where this one does; what is costly is shared.

        Closing the copy leaves the shared evaluator open; closing the original closes it.
        """
        other = copy.copy(self)
        other._owns_evaluator = False
        other._np_random = copy.deepcopy(self._np_random)
        other.action_space = copy.deepcopy(self.action_space)
        return other

    def state(self) -> Snapshot:
        """Where the environment stands, for `restore`; it can be pickled."""
        return Snapshot(self._workload, self._sizes, self._state, self.np_random.bit_generator.state)

    def observe(self, state: State) -> tuple[Observation, NDArray[np.bool_]]:
        """What a state of `process` looks like, and its mask; the environment stays where it is."""
        there = copy.copy(self)
        there._state = state
        return there._observation(), there.action_masks()

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to (or on from) where an environment with the same arguments stood."""
        if (snapshot.workload, snapshot.sizes) != (self._workload, self._sizes):
            self._open(snapshot.workload, snapshot.sizes)
        self._state, self._last_action = snapshot.state, None
        self._record = self._evaluate(self._state)
        self.np_random.bit_generator.state = snapshot.random

    @property
    def action_names(self) -> tuple[str, ...]:
        """Names of the actions, by id."""
        return self._actions.names

    @property
    def process(self) -> CursorProcess:
        """The decision process that this environment wraps: what searches walk."""
        return self._process

    @property
    def graph(self) -> ProgramGraph:
        """The present state as a graph; `to_networkx()` and `to_heterodata()` give other forms of it."""
        return state_graphs(self._process).graph(self._state)

    # --- Inside -------------------------------------------------------------------------------------------------------

    def _open(self, workload: str | Mapping[str, Any], sizes: Mapping[str, int] | str | None) -> None:
        self._process = open_cursor(
            workload,
            sizes,
            actions=self._actions,
            length=self._length,
            reassociate=self._reassociate,
        )
        self._workload, self._sizes = workload, sizes
        start = self._process.initial()
        rows = self._process.visible(start.program)
        if rows > self._actions.rows:
            have = self._actions.rows
            raise ObservationRowsError(f"{workload} has {rows} loops; observations have {have} rows, see rows=")
        self._peak = self._evaluator.peak(self._process.problem)
        self._begin()

    def _begin(self) -> None:
        self._state = self._process.initial()
        self._last_action = None
        self._record = self._evaluate(self._state)

    def _evaluate(self, state: State) -> Record:
        return self._evaluator.evaluate(self._process.problem, state.program)

    @property
    def _gflops(self) -> float:
        return gflops(self._process.problem, self._record)

    def _gain(self, record: Record) -> float:
        before, after = self._gflops, gflops(self._process.problem, record)
        if self._reward == "log_gflops":
            return log2(max(after, _SLOWEST) / max(before, _SLOWEST))
        return (after - before) / self._peak

    def _observation(self) -> Observation:
        if self._kind == "graph":
            return graph_observation(self._graph_size, self.graph, self._mask())
        vector = self._vector()
        return {"observation": vector, "action_mask": self._mask()} if self._kind == "dict" else vector

    def _vector(self) -> NDArray[np.float32]:
        return state_rows(self._process, self._state, self._actions.rows, self._logarithmic)

    def _mask(self) -> NDArray[np.int8]:
        return self.action_masks().astype(np.int8)

    def _info(self) -> dict[str, Any]:
        state, record = self._state, self._record
        return {
            "state": (state.text, state.cursor),
            "action_mask": self._mask(),
            "gflops": self._gflops,
            "peak": self._peak,
            "seconds": record.minimum,
            "spread": record.spread,
        }
