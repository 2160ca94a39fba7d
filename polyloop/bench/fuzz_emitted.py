"""The suite ``emitted``: random functions under random legal schedules, written as C and built by the compilers that
are there, against the original functions.

An episode is one file of `FUNCTIONS` functions. Every build of the emitted file and the original's run on the same
data: numbers of both signs, both zeros, extremes, and in a third of the calls infinities and NaN; sizes from 0 to
`random_functions.LARGEST`. Results must be the same bits (any NaN for any other):

* with ``-ffp-contract=off``, by all compilers and flags;
* clang's default, which contracts within expressions, by clang (gcc's contracts across statements).

"run" of the job says whether the original and the emitted file are built with sanitizers, too.

The suite ``reproducible`` does the same with files as ``--reproducible`` makes them, built without a word about
contraction. Results must be the same bits in all builds: those of the first compiler's original without contraction, of
every compiler and instruction set, and, where there is a cross compiler and an emulator, of another processor's.

The suite ``programs`` is ``emitted`` with functions as people write them (`random_programs`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from polyloop.backend.c.printer import print_c
from polyloop.backend.config import cache_directory
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import INSTRUCTION_SETS, shown_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.bench.fuzz_builds import Build, builds, builds_anywhere, checked, write_files
from polyloop.bench.fuzz_outcome import Outcome, in_time
from polyloop.bench.random_functions import RandomFunction, random_function
from polyloop.bench.random_programs import random_program
from polyloop.errors import PolyloopError
from polyloop.frontend import read_source
from polyloop.lowering.run_time_tests import run_time_tests
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.isl_scheduler import Fusion, SchedulingError, isl_schedule
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.dependence import Dependence
from polyloop.scop.model import Scop
from polyloop.shaping.families import shapes
from polyloop.shaping.nests import nests, reshaped
from polyloop.spaces.construction import Construction
from polyloop.spaces.exploration import Exploration
from polyloop.spaces.space import ScheduleSpace
from polyloop.spaces.walks import random_construction, random_exploration
from polyloop.support.files import WorkFolder
from polyloop.transforms import IllegalScopTransformError, candidates
from polyloop.transforms.steps import scop_candidates

FUNCTIONS = 50

_HEAD = "#include <math.h>\n#include <stdint.h>\n"
_SCHEDULE_SECONDS = 10.0
_GENERATION_SECONDS = 5.0
_LONGEST = 40_000
"""Characters of a function; compilers take a minute over large register tiles."""
_STEPS = 3
_MOST_CHOICES = 40
_KEPT = 0.2
"""Of the functions of ``reproducible``: their loops stay as they are."""


@dataclass(frozen=True)
class Chosen:
    """A random legal schedule in words, the program for it, the processor for which it was planned, and what was wrong
    on the way.
    """

    schedule: str
    replacement: Replacement
    processor: str
    errors: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """What a suite of such files is made of.

    Attributes:
        made: draws a function.
        scheduled: "module:function" that chooses a schedule, for a worker.
        reproducible: files as ``--reproducible`` makes them.
        forms: so many functions one after the other are the same but for their name.
        functions: of an episode.
        seconds: for the schedule of one.
    """

    made: Callable[[np.random.Generator, str], RandomFunction]
    scheduled: str = f"{__name__}:scheduled"
    reproducible: bool = False
    forms: int = 1
    functions: int = FUNCTIONS
    seconds: float = _SCHEDULE_SECONDS


_Drawn: TypeAlias = tuple[RandomFunction, np.random.Generator]


def episode(job: Mapping[str, Any]) -> Outcome:
    """One episode.

    Args:
        job: "seed" and "number" of the episode, "run": whether sanitizers are used, and optionally "functions": how
            many. The rest is of other suites.
    """
    return episode_of(job, Outcome("emitted"), Kind(random_function))


def programs_episode(job: Mapping[str, Any]) -> Outcome:
    """One episode of the suite ``programs``; see `episode`."""
    return episode_of(job, Outcome("programs"), Kind(random_program))


def reproducible_episode(job: Mapping[str, Any]) -> Outcome:
    """One episode of the suite ``reproducible``; see `episode`."""
    return episode_of(job, Outcome("reproducible"), Kind(random_function, reproducible=True))


def episode_of(job: Mapping[str, Any], outcome: Outcome, kind: Kind) -> Outcome:
    """One episode of a suite; see `episode`."""
    drawn = _functions(job, kind)
    original = _text(drawn)
    scops = {scop.name: scop for scop in read_source("original.c", text=original).scops}
    if kind.reproducible:  # nothing is promised of what is left alone
        drawn = [each for each in drawn if each[0].region in scops]
        original = _text(drawn)
        scops = {scop.name: scop for scop in read_source("original.c", text=original).scops}
    schedules: dict[str, str] = {}
    replacements: list[Replacement] = []
    for function, rng in drawn:
        scop = scops.get(function.region)
        found = "not read" if scop is None else _chosen(scop, rng, kind)
        if not isinstance(found, Chosen):
            outcome.count(found)
            continue
        outcome.count("functions")
        outcome.count(found.processor)
        outcome.errors += found.errors
        schedules[function.name] = found.schedule
        replacements.append(found.replacement)
    emitted = emit_c_file(original, replacements, uncontracted=kind.reproducible)
    _compared(job, outcome, kind, [function for function, _ in drawn], original, emitted, schedules)
    return outcome


def _functions(job: Mapping[str, Any], kind: Kind) -> list[_Drawn]:
    """Those of an episode, each with its random numbers. All forms of one are drawn by the first one's."""
    count = job.get("functions", kind.functions)
    rngs = [np.random.default_rng([job["seed"], job["number"], k]) for k in range(count)]
    functions = [kind.made(rng, f"f{k}") for k, rng in enumerate(rngs)]
    for k in range(count):
        if k % kind.forms:
            same = np.random.default_rng([job["seed"], job["number"], k - k % kind.forms])
            functions[k] = kind.made(same, f"f{k}")
    return list(zip(functions, rngs, strict=True))


def _text(drawn: Sequence[_Drawn]) -> str:
    return _HEAD + "\n".join(function.text for function, _ in drawn)


def _chosen(scop: Scop, rng: np.random.Generator, kind: Kind) -> Chosen | str:
    """The schedule of a function, or that there is none, and why."""
    found = in_time(kind.seconds, kind.scheduled, scop, rng, not kind.reproducible)
    if kind.reproducible and (not isinstance(found, Chosen) or rng.random() < _KEPT):
        return Chosen("left as they are", Replacement(scop, None), "kept", ())
    return found if isinstance(found, Chosen) else f"given up: {'time' if found is None else found}"


def _compared(
    job: Mapping[str, Any],
    outcome: Outcome,
    kind: Kind,
    functions: Sequence[RandomFunction],
    original: str,
    emitted: str,
    schedules: Mapping[str, str],
) -> None:
    """Build both files in every way, and compare; files that differ are kept."""
    rng = np.random.default_rng([job["seed"], job["number"]])
    every = builds_anywhere(rng) if kind.reproducible else builds(rng, job["run"])
    with WorkFolder() as name:
        folder = Path(name)
        write_files(folder, functions, original, emitted)
        digests: dict[str, Build] = {}
        for build in every:
            outcome.errors += checked(folder, build, schedules, outcome, digests)
        if kind.reproducible and len(digests) > 1:
            outcome.errors.append(f"results depend on the build: {', '.join(map(str, digests.values()))}")
        if outcome.errors:
            outcome.note(f"files of episode {job['number']}: {_keep(folder, job)}")


def _keep(folder: Path, job: Mapping[str, Any]) -> Path:
    """A copy of the files that outlives the episode."""
    kept = cache_directory() / "fuzz" / f"emitted-{job['seed']}-{job['number']}"
    kept.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.suffix in (".c", ".h"):
            (kept / path.name).write_bytes(path.read_bytes())
    return kept


# --- schedules --------------------------------------------------------------------------------------------------------


def scheduled(scop: Scop, rng: np.random.Generator, contract: bool) -> Chosen | str:
    """What is chosen, or why nothing is; for a worker, since nothing bounds the time that isl takes."""
    try:
        return _scheduled(scop, rng, contract)
    except PolyloopError as error:
        return type(error).__name__


def _scheduled(scop: Scop, rng: np.random.Generator, contract: bool) -> Chosen:
    words: list[str] = []
    if rng.random() < 0.2 and (changes := list(scop_candidates(scop))):
        change = changes[rng.integers(len(changes))]
        try:
            scop = change.apply(scop)
            words.append(str(change))
        except IllegalScopTransformError:
            pass
    memory = scop.dependences("memory")
    start, tree = _start(scop, memory, rng)
    words.append(start)
    for _ in range(int(rng.integers(0, _STEPS + 1))):
        step = _shaped(scop, memory, tree, rng) if rng.random() < 0.5 else _transformed(tree, rng)
        if step is not None and isinstance(prove(scop, step[1], memory), Proof):
            words.append(step[0])
            tree = step[1]
    errors = []
    if not isinstance(verdict := prove(scop, tree, memory), Proof):
        errors.append(f"{'; '.join(words)}: {verdict}")
        tree = original_tree(scop)
    nest = lower(scop, tree, seconds=_GENERATION_SECONDS)
    names = ("native", "native", "native", *(n for n, s in INSTRUCTION_SETS.items() if n != "neon"), "scalar")
    name = names[rng.integers(len(names))]
    words.append(name)
    program = scalar_program(nest, contract)
    if name != "scalar" or scop.is_endless:
        vectors = plan(nest, host_target() if name == "native" else shown_target(name), contract=contract)
        name, program = (name, vectors) if len(print_c(vectors).text) <= _LONGEST else ("too long", program)
    assert scop.source is not None
    run_time_tests(scop, program, scop.source)  # whether there are any that say where its accesses go
    return Chosen("; ".join(words), Replacement(scop, program), name, tuple(errors))


def _start(scop: Scop, memory: Sequence[Dependence], rng: np.random.Generator) -> tuple[str, ScheduleTree]:
    number = rng.random()
    if number < 0.35:
        return "original order", original_tree(scop)
    if number > 0.8 and len(scop.statements) <= 3:
        space = ScheduleSpace.of(scop)
        exploration = Exploration(space, random_construction(Construction(space), rng).carried)
        schedule = exploration.schedule(random_exploration(exploration, rng, 0.15))
        # Loops of large coefficients are almost empty, and take almost forever.
        if not re.search(r"\d{3}", str(schedule)):
            return str(schedule), schedule.to_tree(scop, memory)
    fusion = tuple(Fusion)[rng.integers(len(Fusion))]
    try:
        return f"isl, {fusion.value} fusion", isl_schedule(scop, scop.dependences(), fusion)
    except SchedulingError:  # isl gives some strided loops up
        return "original order", original_tree(scop)


def _transformed(tree: ScheduleTree, rng: np.random.Generator) -> tuple[str, ScheduleTree] | None:
    options = list(candidates(tree))
    if not options:
        return None
    transform = options[rng.integers(len(options))]
    return str(transform), transform.apply(tree)


def _shaped(
    scop: Scop, memory: Sequence[Dependence], tree: ScheduleTree, rng: np.random.Generator
) -> tuple[str, ScheduleTree] | None:
    found = list(nests(tree))
    if not found:
        return None
    nest = found[rng.integers(len(found))]
    options = []
    for option in shapes(scop, nest, host_target(), lambda _: True):
        options.append(option)
        if len(options) == _MOST_CHOICES:
            break
    if not options:
        return None
    name, shape = options[rng.integers(len(options))]
    return name, reshaped(scop, memory, tree, nest, shape)
