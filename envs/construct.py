"""Construct-v0: which dimension of a schedule carries which dependence."""

from __future__ import annotations

from typing import Any

from polyloop.envs.argument_checks import check_arguments, check_least
from polyloop.envs.observations import CONSTRUCTION_SIZE
from polyloop.envs.problems import Task
from polyloop.envs.scheduling_env import SchedulingEnv
from polyloop.envs.scheduling_view import CONSTRUCTION_GRAPH
from polyloop.spaces.construction import Construction, ConstructionState
from polyloop.spaces.exploration import Exploration


class ConstructEnv(SchedulingEnv[ConstructionState]):
    """Decide for every dependence which dimension of the schedule carries it strongly.

    ## Action Space
    `Discrete(3)`: 0 goes on to the next dimension, 1 to the next dependence that nothing carries yet, 2 lets the
    current dimension carry the current dependence. Masks: `info["action_mask"]`, `action_masks()`, and the key
    `action_mask` of observations with `observation="dict"`.

    ## Observation Space
    `Box(-1, 1, (CONSTRUCTION_SIZE,), float32)`, feature by feature in `polyloop.envs.observations`; the same for every
    kernel. With `observation="graph"` a Dict of padded arrays (`polyloop.graphs.padding`) with the features listed in
    `polyloop.graphs.features`; `graph`, `to_networkx()` and `to_heterodata()` give the same graph without padding.

    ## Starting State
    (1, 1, 0, ..., 0): the first dimension, the first dependence, nothing is carried.

    ## Rewards
    0 until the end, then the reward of the completed schedule: in every dimension the vertex whose absolute
    coordinates add up to the least, without any ray or line (`polyloop.spaces.scheduling.simplest_point`). An
    action that the mask forbids costs 1 more than the worst schedule, and 1 at least (`polyloop.envs.rewards`): -1
    with "speedup" and "cubed", log(1/10) - 1 = -3.3 with "log_speedup".

    ## Episode End
    Terminated when every dependence is carried (without any dependences: after the first step), and by an action that
    the mask forbids. Never truncated. Nothing is legal behind the end, so that the last mask is all zeros. A vector
    environment that resets in the next step (Gymnasium's default) then takes any action, and carries none out.

    ## Information
    `state`: (d, k, c_1..c_m); `action_mask`; at the end, per dimension, `terms`: how many coefficients an exploration
    of this construction has to choose, `anchored`: one point stands for too many vertices, and `capped`: the longest
    rays were left out. At the end also `schedule` (text), `seconds`, `baseline`, `speedup`, and
    `error` where the schedule could not be measured (`seconds` is then NaN). `illegal_action`: why it was one.

    ## Arguments
    Of this and the other environments; all can be written as JSON.

    - `kernel="gemm"`: a kernel that ships with polyloop, or the path of a C file with one `#pragma scop`.
      `reset(options={"kernel": ...})` takes another.
    - `sizes=None`: values of the parameters, or a dataset's name ("MEDIUM" by default) for shipped kernels.
    - `reward="speedup"`, "log_speedup" or "cubed": what is made of the speedup over the original loops at -O3. What
      runs more than ten times as long is stopped and counts 1/10.
    - `observation="vector"`, "dict" (`observation`, the vector, and `action_mask`) or "graph" (with `action_mask`).
    - `graph_size=None`: room of a graph, [nodes, edges]; by default enough for every shipped kernel. Less is faster.
    - `evaluator="worker"`: proof, compilation and measurement in a process of its own; "inprocess": in this one;
      "model": a deterministic cost model that runs nothing (`polyloop.measure.schedules.CostModel`); or an object.
    - `dependence_order=None`: another order of the dependences: "T->T" texts or indices from 0.
    - `context=None`: what schedules may rely on, as an isl set of the parameters, on top of what the C code says; by
      default every parameter is at least 4 (or its size, if that is less). "": nothing, not even the code's.
    - `parameter_coefficients=False`: schedules may use the parameters.
    - `complete=False`: append dimensions until all instances are ordered; else code generation enumerates the rest.
    - `granularity="statement"` or "block": adjacent assignments of one domain are scheduled as one.
    - `post_processing="none"`: measured schedules are left to LLVM's -O3, as the original loops are; "shapes": every
      nest is tiled and vectorised first, as the default search does with isl's schedules (with `complete=True`).
    - `max_dimensions=10`, `max_empty=2`: dimensions at most, and dimensions in a row that carry nothing.
    - `render_mode=None`, "ansi" (text) or "rgb_array" (an image; needs matplotlib).

    References:
        Brauckmann, Goens and Castrillon, "A reinforcement learning environment for polyhedral optimizations", 2021.
    """

    action_names = ("next dimension", "next dependence", "carry it here")
    graph_size = CONSTRUCTION_GRAPH

    def __init__(self, kernel: str = "gemm", *, max_dimensions: int = 10, max_empty: int = 2, **arguments: Any) -> None:
        check_arguments(ConstructEnv.__init__, locals())
        check_least(1, max_dimensions=max_dimensions)
        check_least(0, max_empty=max_empty)
        self._max_dimensions, self._max_empty = max_dimensions, max_empty
        super().__init__(kernel, **arguments)

    def _size(self) -> int:
        return CONSTRUCTION_SIZE

    def _process_of(self, task: Task) -> Construction:
        self._construction = Construction(task.space, self._max_dimensions, self._max_empty)
        return self._construction

    def _state_info(self, state: ConstructionState) -> tuple[Any, ...]:
        return state.as_tuple()

    def _explored(self, state: ConstructionState) -> Exploration | None:
        return Exploration(self._task.space, state.carried) if self._construction.final(state) else None
