"""The suite ``sweeps``: random stencils and triangular nests in forms that the default search tries, as C.

Every function stands in the file several times, each time in another form: one of the search's bases, each of whose
nests has one of its legal shapes, now and then with loops in parallel. The rest is as in the suite ``emitted``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from polyloop.backend.c.printer import print_c
from polyloop.backend.machine.host import host_target
from polyloop.bench.fuzz_emitted import Chosen, Kind, episode_of
from polyloop.bench.fuzz_outcome import Outcome
from polyloop.bench.random_sweeps import random_sweep
from polyloop.errors import PolyloopError
from polyloop.lowering.run_time_tests import run_time_tests
from polyloop.lowering.to_c_file import Replacement
from polyloop.lowering.to_nest import lower
from polyloop.measure.evaluator import Evaluator, InProcess, Options
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.model import Scop
from polyloop.search.isl_search import all_bases, as_candidate
from polyloop.shaping.shaped import legal_shapes, with_first_shapes

FORMS = 4
FUNCTIONS = 10

_MOST_BASES, _MOST_SHAPES = 8, 14
_FIRST, _PARALLEL = 0.3, 0.15
"""How often all nests have their first shapes, and loops run in parallel."""
_GENERATION_SECONDS = 10.0
_LONGEST = 150_000
"""Characters of a function."""

T = TypeVar("T")


def episode(job: Mapping[str, Any]) -> Outcome:
    """One episode; see `fuzz_emitted.episode`."""
    kind = Kind(random_sweep, f"{__name__}:scheduled", forms=FORMS, functions=FORMS * FUNCTIONS, seconds=60.0)
    return episode_of(job, Outcome("sweeps"), kind)


class _Bases(Evaluator):
    """Measures nothing, and runs in a worker already: what isl takes too long for ends that."""

    def scheduled(self, function: str, *arguments: object) -> ScheduleTree | None:
        try:
            tree = InProcess().call(function, arguments, timeout=_GENERATION_SECONDS)
        except PolyloopError:
            return None
        assert tree is None or isinstance(tree, ScheduleTree)
        return tree


def scheduled(scop: Scop, rng: np.random.Generator, contract: bool) -> Chosen | str:
    """What is chosen, or why nothing is; for a worker, since nothing bounds the time that isl takes."""
    options = Options(threads=2 if rng.random() < _PARALLEL else 1, contract=contract)
    try:
        with _Bases(scop, dict.fromkeys(scop.parameters, 64), host_target(), options, in_process=True) as evaluator:
            return _chosen(evaluator, rng)
    except PolyloopError as error:
        return type(error).__name__


def _chosen(evaluator: Evaluator, rng: np.random.Generator) -> Chosen | str:
    base = _drawn(all_bases(evaluator), rng, _MOST_BASES, 3)
    assert base is not None
    proofs, target = evaluator.proofs, evaluator.target
    base = with_first_shapes(proofs, target, base)
    for nest in base.nests() if rng.random() > _FIRST else ():
        named = _drawn(legal_shapes(proofs, target, base, nest), rng, _MOST_SHAPES, 2)
        changed = base if named is None else base.with_shape(nest, *named)
        if proofs.is_legal(base.scop, changed.shaped(proofs.dependences(base.scop))):
            base = changed
    candidate = as_candidate(evaluator, base)
    program = evaluator.program(candidate, partial(lower, seconds=_GENERATION_SECONDS))
    if len(print_c(program).text) > _LONGEST:
        return "too long"
    assert evaluator.scop.source is not None
    run_time_tests(evaluator.scop, program, evaluator.scop.source)  # whether there are any
    return Chosen(candidate.name, Replacement(evaluator.scop, program), f"{target.vector_bits} bits", ())


def _drawn(found: Iterator[T], rng: np.random.Generator, most: int, draws: int) -> T | None:
    """One of the first, which are the most promising ones: the earliest of some draws."""
    first = list(islice(found, int(rng.integers(1, most + 1, draws).min())))
    return first[-1] if first else None
