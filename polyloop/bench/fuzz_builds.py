"""Building files of random functions by the compilers that are there, and running them beside the original functions.

The program that does so calls every function of both files on the same data and prints what differs; see
`polyloop.bench.fuzz_emitted` for what has to be equal.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from polyloop.bench.fuzz_outcome import Outcome
from polyloop.bench.random_functions import LARGEST, RandomFunction
from polyloop.errors import PolyloopError
from polyloop.support.compilers import find_executable
from polyloop.support.files import WorkFolder

_BUILD_SECONDS = 600.0
_RUN_SECONDS = 120.0
_CALLS = ((0, 0), (1, 1), (2, 3), (7, 5), (LARGEST, LARGEST), (5, 0), (3, LARGEST), (11, 7), (LARGEST, 2))
_SEPARATE = "-ffp-contract=off"
_ARM, _EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
SANITIZED = ("-O1", "-g", _SEPARATE, "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


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


# --- files ------------------------------------------------------------------------------------------------------------


def write_files(folder: Path, functions: Sequence[RandomFunction], original: str, emitted: str) -> None:
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
/* kind: 'f' and 'd' for floats, 'i' for signed integers that stay small, 'u' for any bits, or numbers below 16 in any
   order ('p') or that rise ('r') */
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
            const int64_t number = kind == 'u' ? (int64_t)(bits * 2654435761u)
                : kind == 'p'                  ? (int64_t)(bits & 15)
                : kind == 'r'                  ? (k < 32 ? k * 3 / 2 : 0)
                                               : (int64_t)(bits % 2001) - 1000;
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
struct array {
    const char *name;
    void *ours, *originals;
    long count, size;
    char kind;
};
static void tried(const char *function, void (*run)(int, int), const struct array *arrays, const int (*calls)[2],
    int number)
{
    for (int k = 0; k < number; k++) {
        const int n = calls[k][0], m = calls[k][1];
        state = 77;
        for (const struct array *a = arrays; a->name; a++) {
            fill(a->ours, a->count, a->size, a->kind, k % 3 == 2);
            memcpy(a->originals, a->ours, (size_t)(a->count * a->size));
        }
        run(n, m);
        for (const struct array *a = arrays; a->name; a++)
            compare(function, n, m, a->name, a->ours, a->originals, a->count, a->size, a->kind);
    }
}
"""


def _driver(functions: Sequence[RandomFunction]) -> str:
    """A program that calls every original and emitted function on the same data and prints what differs."""
    calls = "".join(
        f'    tried("{f.name}", run_{f.name}, arrays_{f.name}, calls_{f.name}, {len(f.calls or _CALLS)});\n'
        for f in functions
    )
    ended = '    printf("%d %d %llx\\n", compared, different, (unsigned long long)digest);\n'
    return "".join([_DRIVER, *map(_called, functions), f"int main(void)\n{{\n{calls}{ended}}}\n"])


def _called(function: RandomFunction) -> str:
    """What the driver has to know of one function."""
    name = function.name
    own = [name, *(a.name for a in function.arrays if a.is_global)]
    lines = [function.declaration, re.sub(rf"\b({'|'.join(own)})\b", r"original_\1", function.declaration)]
    rows = []
    given = {"": [f"({function.sizes[0]})n", f"({function.sizes[1]})m", "0.625f"]}
    given["original_"] = list(given[""])
    for array in function.arrays:
        variable = array.name if array.is_global else f"{name}_{array.name}"
        if not array.is_global:
            lines.append(f"static {array.type} {variable}[{array.elements}], original_{variable}[{array.elements}];")
            for prefix, arguments in given.items():
                arguments.append(f"{prefix}{variable}")
        size = f"{array.elements}, sizeof({array.type})"
        rows.append(f"{{\"{array.name}\", {variable}, original_{variable}, {size}, '{array.kind}'}}")
    lines.append(f"static const struct array arrays_{name}[] = {{{', '.join([*rows, '{0}'])}}};")
    calls = ", ".join(f"{{{n}, {m}}}" for n, m in function.calls or _CALLS)
    lines.append(f"static const int calls_{name}[][2] = {{{calls}}};")
    runs = " ".join(f"{prefix}{name}({', '.join(arguments)});" for prefix, arguments in given.items())
    return "\n".join([*lines, f"static void run_{name}(int n, int m) {{ {runs} }}\n"])


# --- builds -----------------------------------------------------------------------------------------------------------


def builds(rng: np.random.Generator, sanitized: bool) -> list[Build]:
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
        if sanitized and works(compiler, SANITIZED):
            always.append(Build(compiler, SANITIZED, SANITIZED))
    return [*always, others[rng.integers(len(others))]]


def builds_anywhere(rng: np.random.Generator) -> list[Build]:
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
    return [each for each in flags if works(compiler, each)]


@cache
def works(compiler: str, flags: tuple[str, ...]) -> bool:
    """Whether a program that is built so runs here."""
    text = (
        "int main(void)\n{\n    volatile double x[8] = {0};\n    for (int i = 0; i < 8; i++)\n        x[i] += i;\n}\n"
    )
    with WorkFolder() as name:
        path, program = Path(name, "probe.c"), Path(name, "probe")
        path.write_text(text, encoding="utf-8")
        built = subprocess.run([compiler, *flags, path, "-o", program], capture_output=True, check=False)
        return built.returncode == 0 and subprocess.run([program], capture_output=True, check=False).returncode == 0


def checked(
    folder: Path, build: Build, schedules: Mapping[str, str], outcome: Outcome, digests: dict[str, Build]
) -> list[str]:
    """What is wrong with one build of the emitted file; its results go to those that were found before."""
    outcome.count(f"built by {build}")
    runtime = [flag for flag in build.flags if flag == "-fopenmp"]
    # Those of the original serve all builds that have the same ones.
    reference = re.sub(r"\W+", "_", " ".join((Path(build.compiler).name, *build.reference)))
    objects = [f"{name}-{reference}.o" for name in ("original", "driver")]
    for output, arguments in (
        (objects[0], (*build.reference, "-include", "names.h", "-c", "original.c")),
        (objects[1], (*build.reference, "-c", "driver.c")),
        ("emitted.o", (*build.flags, "-c", "emitted.c")),
        ("program", (*build.reference, *runtime, *objects, "emitted.o", "-lm")),
    ):
        if output in objects and (folder / output).exists():
            continue
        try:
            done = _run(folder, _BUILD_SECONDS, build.compiler, "-w", *arguments, "-o", output)
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
