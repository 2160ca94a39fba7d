"""The suite ``walks``: a random legal walk of the cursor, over a C kernel or a tensor program, and what it leads to.

* A masked action is refused with words; one that the mask lets through is never refused.
* The tree at the end is legal by the proof that everything else gets, against all memory-based dependences.
* Its code is generated, compiled and run; results equal those of the original loops in the interpreter bit for bit.
  Where reductions may be reordered the data are small whole numbers, whose sums are exact in any order.

Tensor programs are random contractions, and the shipped operators and networks at small sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloop.backend.errors import BackendError
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.machine.host import host_target
from polyloop.backend.run.nest_kernel import compile_nest
from polyloop.bench.fuzz_outcome import Outcome, in_time
from polyloop.bench.random_contractions import random_contraction
from polyloop.cursor.actions import NEST_FLAGS, TREE_FLAGS, Actions
from polyloop.cursor.base import AnyCursor, AnyState
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.cursor.tree_process import TreeCursor
from polyloop.envs.problems import kernel_scop
from polyloop.errors import PolyloopError
from polyloop.lowering.to_nest import lower
from polyloop.mdp import IllegalActionError
from polyloop.measure.jobs import Data, compare
from polyloop.measure.planning import finalist, planning_of
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.data import make_data
from polyloop.scop.model import Scop
from polyloop.shipped.workloads import Workload, workload_set, workload_sets
from polyloop.tensors import tensor

DATASET = "MINI"
GENERATION_SECONDS = 60.0
"""By the clock; a process that takes longer over isl's code generation is ended."""

_MOST_POINTS = 8_000
_EXTENTS = (1, 2, 3, 4, 5, 7, 8, 12, 14, 16, 17, 20, 31, 33, 48, 64, 65)
_WINDOW = 5
"""Dimensions up to here are windows, and stay as they are."""
_MOST_STEPS = 24
_CHANGE = 3.0
"""How much likelier a walk changes a loop than it moves the cursor."""


@dataclass(frozen=True)
class Subject:
    """What is walked on.

    Attributes:
        whole: the data are whole numbers.
    """

    name: str
    scop: Scop
    sizes: Mapping[str, int]
    reassociate: bool
    whole: bool


def episode(job: Mapping[str, Any]) -> Outcome:
    """One episode.

    Args:
        job: "seed" and "number" of the episode, and its "kernel", which every other episode is about.
    """
    rng = np.random.default_rng([job["seed"], job["number"]])
    subject = _kernel(job["kernel"]) if rng.random() < 0.4 else _program(rng) if rng.random() < 0.4 else _drawn(rng)
    outcome = Outcome(subject.name)
    actions = Actions(flags=tuple(f for f in (*NEST_FLAGS, *TREE_FLAGS) if rng.random() < 0.5))
    process = _process(subject, actions, as_tree=bool(rng.random() < 0.3))
    state = _walked(process, rng, outcome)
    outcome.count("nest" if isinstance(process, NestCursor) else "tree")
    _check(subject, process, state, outcome, threads=2 if rng.random() < 0.2 else 1)
    return outcome


def _kernel(name: str) -> Subject:
    scop, sizes = _shipped(name)
    return Subject(name, scop, sizes, reassociate=False, whole=False)


@lru_cache(maxsize=2)
def _shipped(name: str) -> tuple[Scop, dict[str, int]]:
    return kernel_scop(name, DATASET)


def _program(rng: np.random.Generator) -> Subject:
    """A shipped tensor program at small sizes."""
    programs = _programs()
    chosen = programs[int(rng.integers(len(programs)))]
    while True:
        sizes = {d: n if n <= _WINDOW else int(rng.choice(_EXTENTS)) for d, n in chosen.sizes}
        # Which sizes go together (a result within its input's borders) is the language's to say.
        try:
            scop = tensor(chosen.expression, sizes, dtype="float32" if rng.random() < 0.7 else "float64")
        except PolyloopError:
            continue
        if sum(prod(sizes[name] for name in s.iterators) for s in scop.statements) <= _MOST_POINTS:
            return Subject(chosen.name, scop, {}, bool(rng.random() < 0.8), whole=True)


def _drawn(rng: np.random.Generator) -> Subject:
    """A random contraction: operands in layouts that no operator has are read in ways of their own."""
    while True:
        contraction = random_contraction(rng)
        exact = contraction.form not in ("sigmoid", "tanh")  # vectors round those as no library's functions do
        if exact and prod(extent for _, extent in contraction.sizes) <= _MOST_POINTS:
            return Subject(contraction.form, contraction.scop(), {}, bool(rng.random() < 0.8), whole=True)


@lru_cache(maxsize=1)
def _programs() -> tuple[Workload, ...]:
    """One for every expression."""
    every = [w for name in workload_sets() for w in workload_set(name).problems]
    return tuple({w.expression: w for w in reversed(every)}.values())


# --- The walk ---------------------------------------------------------------------------------------------------------


def _process(subject: Subject, actions: Actions, as_tree: bool) -> AnyCursor:
    contraction = None if as_tree else Contraction.of(subject.scop, subject.reassociate)
    if contraction is not None:
        kept = Actions(flags=tuple(f for f in actions.flags if f in NEST_FLAGS))
        return NestCursor(contraction, kept)
    return TreeCursor(TreeProblem(subject.scop, tuple(subject.sizes.items()), subject.reassociate), actions)


def _walked(process: AnyCursor, rng: np.random.Generator, outcome: Outcome) -> AnyState:
    """Where some random steps lead; a masked action is tried out on the way."""
    state, steps = process.initial(), int(rng.integers(1, _MOST_STEPS + 1))
    refusal = int(rng.integers(steps))
    weights = np.array([1.0 if name in ("up", "down") else _CHANGE for name in process.names])
    for number in range(steps):
        mask = np.array(process.actions(state))
        if number == refusal and not mask.all():
            _refused(process, state, int(rng.choice(np.flatnonzero(~mask))), outcome)
        if not mask.any():
            break
        chance = weights * mask
        action = int(rng.choice(len(mask), p=chance / chance.sum()))
        outcome.count(process.names[action])
        state = process.step(state, action)
    return state


def _refused(process: AnyCursor, state: AnyState, action: int, outcome: Outcome) -> None:
    outcome.count("refused")
    try:
        process.step(state, action)
    except IllegalActionError as error:
        if not str(error).strip():
            outcome.wrong(f"{process.names[action]} is refused without a word: {state.text}")
    else:
        outcome.wrong(f"{process.names[action]} is masked, and done all the same: {state.text}")


# --- What it leads to -------------------------------------------------------------------------------------------------


def _check(subject: Subject, process: AnyCursor, state: AnyState, outcome: Outcome, threads: int) -> None:
    tree = process.tree(state.program)
    verdict = prove(subject.scop, tree, subject.scop.dependences("memory"), subject.reassociate)
    if not isinstance(verdict, Proof):
        outcome.wrong(f"{verdict}:\n{state.text}")
        return
    outcome.count("proven")
    nest = _nest(subject, process, state, tree, outcome)
    if nest is None:
        return
    planning, tier = planning_of(state.program, subject.reassociate)
    data, expected = _data(subject), _oracle(subject) if subject.whole else _interpreted(subject.name)
    try:
        kernel = compile_nest(nest, planning, threads=threads, tier=tier)
    except BackendError as error:
        outcome.wrong(f"{error}:\n{state.text}")
        return
    kernel(**{spec.name: data[spec.name] for spec in kernel.signature.arguments}, **subject.sizes)
    check = compare(expected, {name: data[name] for name in expected}, 0.0)
    flags = f"{planning.explicit=} {subject.reassociate=} {threads=} {subject.scop.arrays}"
    differ = f"{check.different} of {check.compared} elements differ, {flags}:\n{state.text}"
    outcome.compare(check.different, differ)


def _nest(subject: Subject, process: AnyCursor, state: AnyState, tree: ScheduleTree, out: Outcome) -> LoopNest | None:
    """The code's loops; None where isl gives up."""
    if isinstance(process, NestCursor):
        return finalist(process.problem, state.program).nest
    nest = in_time(GENERATION_SECONDS, "polyloop.bench.fuzz_schedules:generate", subject.scop, tree)
    if nest is None:
        nest = f"code generation took more than {GENERATION_SECONDS:g} s"
    if isinstance(nest, LoopNest):
        return nest
    out.count("code generation given up")
    out.note(f"{nest}:\n{state.text}")
    return None


def _data(subject: Subject) -> Data:
    data = make_data(subject.scop, subject.sizes)
    return {name: _whole(array) for name, array in data.items()} if subject.whole else data


def _whole(array: NDArray[Any]) -> NDArray[Any]:
    """Small whole numbers of the same type; what was alike need not be."""
    return np.asarray(np.arange(array.size).reshape(array.shape) * 7 % 5 - 2, array.dtype)


@lru_cache(maxsize=1)
def _interpreted(name: str) -> Data:
    return _oracle(_kernel(name))


def _oracle(subject: Subject) -> Data:
    """What the original loops leave in the arrays that they write, by the interpreter."""
    data = _data(subject)
    nest = lower(subject.scop, original_tree(subject.scop))
    # Where there is no instruction that rounds once, nothing does.
    arrays = {a.name: data[a.name] for a in nest.arrays if a.name in data}
    interpret(nest, subject.sizes, arrays, contract=host_target().has_fma)
    return {name: data[name] for name in subject.scop.results}
