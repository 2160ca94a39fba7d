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
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from polyloop.backend.c.printer import print_c
from polyloop.backend.config import cache_directory
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import INSTRUCTION_SETS, shown_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.bench.fuzz_outcome import Outcome, in_time
from polyloop.bench.random_functions import LARGEST, RandomFunction, random_function
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
from polyloop.support.compilers import find_executable
from polyloop.support.files import WorkFolder
from polyloop.transforms import IllegalScopTransformError, candidates
from polyloop.transforms.steps import scop_candidates

FUNCTIONS = 50

_HEAD = "#include <math.h>\n#include <stdint.h>\n"
_SCHEDULE_SECONDS = 10.0
_GENERATION_SECONDS = 5.0
_BUILD_SECONDS = 600.0
_RUN_SECONDS = 120.0
_LONGEST = 40_000
"""Characters of a function; compilers take a minute over large register tiles."""
_STEPS = 3
_MOST_CHOICES = 40
_CALLS = ((0, 0), (1, 1), (2, 3), (7, 5), (LARGEST, LARGEST), (5, 0), (3, LARGEST), (11, 7), (LARGEST, 2))
_SEPARATE = "-ffp-contract=off"
_KEPT = 0.2
"""Of the functions of ``reproducible``: their loops stay as they are."""
_ARM, _EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
_SANITIZED = ("-O1", "-g", _SEPARATE, "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@dataclass(frozen=True)
class Build:
    """A compiler, its flags, and those of the original that its results must equal.

    Attributes:
        emulator: runs the program, where this machine does not.
    """

    compiler: str
    flags: tuple[str, ...]
    reference: tuple[str, ...] = ("-O1", _SEPARATE)
    emulator: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{Path(self.compiler).name} {' '.join(self.flags)}"


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
    builds = _builds_anywhere(rng) if kind.reproducible else _builds(rng, job["run"])
    with WorkFolder() as name:
        folder = Path(name)
        _write(folder, functions, original, emitted)
        digests: dict[str, Build] = {}
        for build in builds:
            outcome.errors += _check(folder, build, schedules, outcome, digests)
        if kind.reproducible and len(digests) > 1:
            outcome.errors.append(f"results depend on the build: {', '.join(map(str, digests.values()))}")
        if outcome.errors:
            outcome.note(f"files of episode {job['number']}: {_keep(folder, job)}")


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
    if name != "scalar":
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


# --- files ------------------------------------------------------------------------------------------------------------


def _write(folder: Path, functions: Sequence[RandomFunction], original: str, emitted: str) -> None:
    """original.c, emitted.c, driver.c, and names.h, which gives the original's functions and globals other names."""
    names = [f.name for f in functions] + [a.name for f in functions for a in f.arrays if a.is_global]
    texts = {
        "original.c": original,
        "emitted.c": emitted,
        "driver.c": _driver(functions),
        "names.h": "".join(f"#define {name} original_{name}\n" for name in names),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


_DRIVER = r"""
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static uint64_t state;
static uint64_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 20;
}
static const double odd[] = {0.0, -0.0, 1e30, -1e30, 1e-40, -1e-310, 1e300, 0.5, -1.0, INFINITY, -INFINITY, NAN};
/* kind: 'f' and 'd' for floats, 'i' for signed integers that stay small, 'u' for any bits */
static void fill(void *data, long count, long size, char kind, int strange)
{
    for (long k = 0; k < count; k++) {
        const uint64_t bits = draw();
        double value = (double)(int64_t)(bits % 4001) / 1000 - 2; /* most are no binary fractions: roundings are seen */
        if (draw() % 8 == 0)
            value = odd[draw() % (strange ? 12 : 2)];
        if (kind == 'f')
            ((float *)data)[k] = (float)value;
        else if (kind == 'd')
            ((double *)data)[k] = value;
        else {
            const int64_t number = kind == 'u' ? (int64_t)(bits * 2654435761u) : (int64_t)(bits % 2001) - 1000;
            memcpy((char *)data + k * size, &number, (size_t)size);
        }
    }
}
static int equal(const char *a, const char *b, long size, char kind)
{
    if (memcmp(a, b, (size_t)size) == 0)
        return 1;
    if (kind == 'f')
        return *(const float *)a != *(const float *)a && *(const float *)b != *(const float *)b;
    return kind == 'd' && *(const double *)a != *(const double *)a && *(const double *)b != *(const double *)b;
}
static int compared, different;
static uint64_t digest = 14695981039346656037u;
static void digested(const unsigned char *bytes, long size)
{
    for (long k = 0; k < size; k++)
        digest = (digest ^ bytes[k]) * 1099511628211u;
}
static void compare(const char *function, int n, int m, const char *array, const void *a, const void *b, long count,
    long size, char kind)
{
    compared++;
    for (long k = 0; k < count; k++) {
        const char *const x = (const char *)a + k * size, *const y = (const char *)b + k * size;
        const int is_nan = (kind == 'f' && *(const float *)x != *(const float *)x)
            || (kind == 'd' && *(const double *)x != *(const double *)x);
        digested((const unsigned char *)x, is_nan ? 0 : size);
        if (!equal(x, y, size, kind)) {
            printf("%s n=%d m=%d: %s[%ld] is ", function, n, m, array, k);
            if (kind == 'f')
                printf("%.9g, not %.9g\n", *(const float *)x, *(const float *)y);
            else if (kind == 'd')
                printf("%.17g, not %.17g\n", *(const double *)x, *(const double *)y);
            else
                printf("%02x.., not %02x..\n", (unsigned char)*x, (unsigned char)*y);
            different++;
            return;
        }
    }
}
"""


def _driver(functions: Sequence[RandomFunction]) -> str:
    """A program that calls every original and emitted function on the same data and prints what differs."""
    parts = [_DRIVER]
    for function in functions:
        names = [function.name, *(a.name for a in function.arrays if a.is_global)]
        declared = function.declaration
        renamed = re.sub(rf"\b({'|'.join(names)})\b", r"original_\1", declared)
        parts.append(f"{declared}\n{renamed}\n{_caller(function)}")
    calls = "".join(
        f"    call_{f.name}({n}, {m}, {k % 3 == 2:d});\n"
        for f in functions
        for k, (n, m) in enumerate(f.calls or _CALLS)
    )
    ended = '    printf("%d %d %llx\\n", compared, different, (unsigned long long)digest);\n'
    return "".join(parts) + f"int main(void)\n{{\n{calls}{ended}}}\n"


def _caller(function: RandomFunction) -> str:
    lines = [f"static void call_{function.name}(int n, int m, int strange)", "{"]
    arguments: dict[str, list[str]] = {"": [], "original_": []}
    fills, compares = [], []
    for array in function.arrays:
        kind = _kind(array.type)
        first, second = array.name, f"original_{array.name}"
        if not array.is_global:
            lines.append(f"    static {array.type} {first}[{array.elements}], {second}[{array.elements}];")
            arguments[""].append(first)
            arguments["original_"].append(second)
        size = f"sizeof({array.type})"
        fills.append(f"    fill({first}, {array.elements}, {size}, '{kind}', strange);")
        fills.append(f"    memcpy({second}, {first}, sizeof {first});")
        names = f'"{function.name}", n, m, "{array.name}"'
        compares.append(f"    compare({names}, {first}, {second}, {array.elements}, {size}, '{kind}');")
    lines += ["    state = 77;", *fills]
    for prefix, pointers in arguments.items():
        given = ", ".join([f"({function.sizes[0]})n", f"({function.sizes[1]})m", "0.625f", *pointers])
        lines.append(f"    {prefix}{function.name}({given});")
    return "\n".join([*lines, *compares, "}"]) + "\n"


def _kind(type_: str) -> str:
    if type_ in ("float", "double"):
        return type_[0]
    return "i" if type_ in ("int", "long", "long long") else "u"


def _keep(folder: Path, job: Mapping[str, Any]) -> Path:
    """A copy of the files that outlives the episode."""
    kept = cache_directory() / "fuzz" / f"emitted-{job['seed']}-{job['number']}"
    kept.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.suffix in (".c", ".h"):
            (kept / path.name).write_bytes(path.read_bytes())
    return kept


# --- builds -----------------------------------------------------------------------------------------------------------


def _builds(rng: np.random.Generator, sanitized: bool) -> list[Build]:
    """The highest level of every compiler, one of the others, and the sanitizers."""
    always: list[Build] = []
    others: list[Build] = []
    for family, compiler in _compilers("emitted").items():
        native = ("-O3", "-march=native")
        always.append(Build(compiler, (*native, _SEPARATE)))
        others += [Build(compiler, (level, _SEPARATE)) for level in ("-O1", "-O2", "-O3")]
        others += [Build(compiler, (*flags, _SEPARATE)) for flags in _more_flags(compiler)]
        if family == "clang":
            others.append(Build(compiler, native, ("-O1", "-march=native")))
        if sanitized and _works(compiler, _SANITIZED):
            always.append(Build(compiler, _SANITIZED, _SANITIZED))
    return [*always, others[rng.integers(len(others))]]


def _builds_anywhere(rng: np.random.Generator) -> list[Build]:
    """Every compiler at its highest level with its own ideas of contraction, two other builds, and one for Arm."""
    always: list[Build] = []
    others: list[Build] = []
    for family, compiler in _compilers("reproducible").items():
        always.append(Build(compiler, ("-O3", "-march=native")))
        contracted = "-ffp-contract=fast" if family == "gcc" else "-ffp-contract=on"
        others += [Build(compiler, (level,)) for level in ("-O1", "-O2", "-O3")]
        others += [Build(compiler, (*flags, contracted)) for flags in _more_flags(compiler)]
    if shutil.which(_ARM) and shutil.which(_EMULATOR):
        # Arm's processors all have multiply-adds.
        level = f"-O{rng.integers(1, 4)}"
        always.append(Build(_ARM, (level,), ("-O1", _SEPARATE, "-static"), (_EMULATOR,)))
    return [*always, *(others[k] for k in rng.choice(len(others), 2, replace=False))]


def _compilers(suite: str) -> dict[str, str]:
    """Those that are there, by family."""
    found = {family: path for family in ("gcc", "clang") if (path := find_executable(family)) is not None}
    if not found:
        raise PolyloopError(f"the suite {suite} needs gcc or clang")
    return found


def _more_flags(compiler: str) -> list[tuple[str, ...]]:
    """Of narrower processors, and of OpenMP, where programs of these run here."""
    flags = (("-O3", "-mavx2"), ("-O2", "-mavx2", "-mfma"), ("-O2", "-march=native", "-fopenmp"))
    return [each for each in flags if _works(compiler, each)]


@cache
def _works(compiler: str, flags: tuple[str, ...]) -> bool:
    """Whether a program that is built so runs here."""
    text = (
        "int main(void)\n{\n    volatile double x[8] = {0};\n    for (int i = 0; i < 8; i++)\n        x[i] += i;\n}\n"
    )
    with WorkFolder() as name:
        path, program = Path(name, "probe.c"), Path(name, "probe")
        path.write_text(text, encoding="utf-8")
        built = subprocess.run([compiler, *flags, path, "-o", program], capture_output=True, check=False)
        return built.returncode == 0 and subprocess.run([program], capture_output=True, check=False).returncode == 0


def _check(
    folder: Path, build: Build, schedules: Mapping[str, str], outcome: Outcome, digests: dict[str, Build]
) -> list[str]:
    """What is wrong with one build of the emitted file; its results go to those that were found before."""
    outcome.count(f"built by {build}")
    runtime = [flag for flag in build.flags if flag == "-fopenmp"]
    for arguments in (
        (*build.reference, "-include", "names.h", "-c", "original.c", "-o", "original.o"),
        (*build.flags, "-c", "emitted.c", "-o", "emitted.o"),
        (*build.reference, *runtime, "driver.c", "original.o", "emitted.o", "-o", "program", "-lm"),
    ):
        try:
            done = _run(folder, _BUILD_SECONDS, build.compiler, "-w", *arguments)
        except subprocess.TimeoutExpired:
            return [f"{build}: the compiler takes more than {_BUILD_SECONDS:g} s"]
        if done.returncode:
            return [f"{build}: {done.stderr[:2000]}"]
    try:
        done = _run(folder, _RUN_SECONDS, *build.emulator, "./program")
    except subprocess.TimeoutExpired:
        return [f"{build}: the program takes more than {_RUN_SECONDS:g} s"]
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        return [f"{build}: the program ended with {done.returncode}: {done.stderr[:2000]}"]
    compared, different, digest = lines.pop().split()
    outcome.compared += int(compared)
    outcome.different += int(different)
    digests.setdefault(digest, build)
    return [f"{build}: {line} ({schedules.get(line.split()[0])})" for line in lines]


def _run(folder: Path, seconds: float, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)
