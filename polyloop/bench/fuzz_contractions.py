"""The suite ``contractions``: a random contraction under its default schedule or a random one, against numpy.

* Results agree with numpy.einsum in double precision within the bound of `Contraction.expected`.
* Whatever a transform's check lets through lowers, compiles and runs; what it refuses is refused with words.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np

from polyloop.api import compile_scop
from polyloop.backend.machine.host import host_target
from polyloop.backend.run.kernel import Kernel
from polyloop.bench.fuzz_outcome import Outcome
from polyloop.bench.random_contractions import Contraction, random_contraction
from polyloop.lowering.to_nest import LoweringError
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.shaping.default_trace import default_trace
from polyloop.transforms import TRANSFORMS, IllegalTransformError, replay

_MOST_STEPS = 5
_MOST_CANDIDATES = 300


def episode(job: Mapping[str, Any]) -> Outcome:
    """One episode.

    Args:
        job: "seed" and "number" of the episode; the rest is of other suites.
    """
    rng = np.random.default_rng([job["seed"], job["number"]])
    contraction = random_contraction(rng)
    outcome = Outcome(contraction.form)
    outcome.count(contraction.dtype)
    outcome.count(f"rank {len(contraction.sizes)}")
    reassociate = bool(rng.random() < 0.7)
    threads = 2 if rng.random() < 0.1 else 1
    scop = contraction.scop()
    tree: ScheduleTree | None = None
    if rng.random() < 0.6:
        tree = random_tree(scop, rng, outcome, reassociate)
    outcome.count("default schedule" if tree is None else "random schedule")
    try:
        kernel = compile_scop(scop, tree, threads=threads, reassociate=reassociate)
    except LoweringError as error:
        outcome.note(f"{contraction.text}: {error}")
        return outcome
    _compare(contraction, kernel, rng, outcome)
    return outcome


def random_tree(scop: Scop, rng: np.random.Generator, outcome: Outcome, reassociate: bool) -> ScheduleTree:
    """Some random transforms, after those of the default schedule or from the start; refusals are counted."""
    dependences = memory_dependences(scop)
    tree = original_tree(scop)
    if rng.random() < 0.4:
        tree = replay(tree, default_trace(scop, host_target(), reassociate=reassociate))
    classes = list(TRANSFORMS.values())
    for _ in range(int(rng.integers(1, _MOST_STEPS + 1))):
        found = list(islice(classes[int(rng.integers(len(classes)))].candidates(tree), _MOST_CANDIDATES))
        if not found:
            continue
        transform = found[int(rng.integers(len(found)))]
        try:
            tree = transform.perform(tree, dependences, scop.name, reassociate)
            outcome.count(transform.name())
        except IllegalTransformError as error:
            outcome.count("refused")
            if not str(error).strip():
                outcome.wrong(f"{transform} is refused without a word")
    return tree


def _compare(contraction: Contraction, kernel: Kernel, rng: np.random.Generator, outcome: Outcome) -> None:
    arrays = contraction.arrays(rng)
    expected, bound = contraction.expected(arrays)
    kernel(**arrays)
    found = arrays["O"].astype(np.float64)
    wrong = int(np.sum(~(np.abs(found - expected) <= bound)))
    outcome.compare(wrong, f"{contraction}: {wrong} of {found.size} elements differ from numpy")
