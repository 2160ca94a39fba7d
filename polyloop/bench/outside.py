"""The suite ``outside``: what `optimize --cc` announces, beside what its files show in programs of their own.

Each row is a function: its file as it stands and as `optimize` writes it, each built by the compiler, and linked with a
program that reads the data from files into memory of malloc and calls the function in a loop. The two programs run in
turn, each time in a process of its own. Ratios are theirs; `announced` and `deviation` say what was announced.
"""

from __future__ import annotations

import subprocess
import tempfile
from argparse import Namespace
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from statistics import median

from rich.console import Console

from polyloop.backend.run.timing import Duel, Ratio
from polyloop.bench.harness import RowBench, Summary, chosen, listed
from polyloop.bench.real import AGAINST, SIZES, regions
from polyloop.bench.report import closing, means, print_lines, ratio_cells, summarize
from polyloop.bench.rows import Row
from polyloop.bench.turns import Compilers, checks_of, judged_results, ours, print_by_compiler
from polyloop.errors import PolyloopError
from polyloop.frontend import read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.measure.result import Result
from polyloop.scop.data import fill, fills
from polyloop.scop.model import SourceRegion
from polyloop.scop.thresholds import on_both_sides
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.support.compilers import Compiler, build

PLAIN = ("black_scholes", "histogram", "smith_waterman", "sobel")
"""Functions of data/real whose regions are all that they do, to arrays and numbers that they take."""

ROUNDS, CALLS, LEAST = 7, 5, 2e-4
"""Of each program: how often it runs, and how many times it then takes, each of calls of so many seconds together."""

_PROGRAM = """\
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
void {function}({types});

static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}}

static char *from_file(const char *path, size_t size)
{{
    char *data = malloc(size);
    FILE *file = fopen(path, "rb");
    if (!data || !file || fread(data, 1, size, file) != size)
        exit(2);
    fclose(file);
    return data;
}}

int main(void)
{{
{before}
    for (int k = 0; k <= {calls}; k++) {{
{restored}
        double start = now();
        for (int call = 0; call < {batch}; call++)
            {function}({arguments});
        if (k > 0)
            printf("%.9g\\n", (now() - start) / {batch});
    }}
    return 0;
}}
"""


def bench(arguments: Namespace) -> Outside:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for an unknown function or contestant, or if there is none of the compilers.
    """
    against = listed("--against", arguments.against or ",".join(AGAINST), AGAINST, "contestant ")
    names = chosen(arguments.kernels, [*PLAIN, *kernel_names()], arguments.limit, arguments.seed)
    return Outside(names, against, arguments.budget)


class Outside(RowBench):
    """One row for each function.

    Raises:
        UsageError: if none of the compilers is installed.
    """

    def __init__(self, names: Sequence[str], against: Sequence[str], budget: float | None) -> None:
        super().__init__(names, {"against": list(against), "budget": budget, "kernels": list(names)})
        self.budget = budget
        self.compilers = Compilers.named(against)

    def measure(self, name: str) -> Row:
        scop = regions()[name] if name in SIZES else read_source(kernel(name).path).scops[0]
        results = judged_results(scop, self.compilers, SIZES.get(name), self.budget)
        seconds: dict[str, float] = {}
        ratios: dict[str, Ratio] = {}
        announced: dict[str, float] = {}
        for compiler, result in results.items():
            if result.is_original or result.judged is None:
                continue
            duel = outside(result, self.compilers.found[compiler])
            ratios[compiler] = duel.ratio("before", "after")
            seconds |= {compiler: duel.timing("before").median, ours(compiler): duel.timing("after").median}
            announced[compiler] = result.judged.ratio
        deviation = {compiler: announced[compiler] / ratio.value - 1 for compiler, ratio in ratios.items()}
        facts = {"announced": announced, "deviation": deviation, "sizes": dict(next(iter(results.values())).sizes)}
        return Row(name, seconds, ratios, None, checks_of(results), self.compilers.missing, facts=facts)

    def summary(self, rows: Sequence[Row]) -> Summary:
        """What all suites say, and under ``deviation`` the median of how far off the announced figures are."""
        off = {
            compiler: [abs(row.facts["deviation"][compiler]) for row in rows if compiler in row.ratios]
            for compiler in self.compilers.found
        }
        found = {compiler: median(each) for compiler, each in off.items() if each}
        return summarize(rows, self.compilers.missing) | {"deviation": found}

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        print_by_compiler(console, rows, self.compilers, ("x {} announced", "outside", "95%", "off by"), _cells)
        off = [
            f"{name}: announced figures are off by {100 * d:.1f}%, median" for name, d in summary["deviation"].items()
        ]
        print_lines(console, [*off, *means(summary), *closing(summary)])


def _cells(row: Row, compiler: str) -> list[str]:
    facts = row.facts
    announced, off = f"{facts['announced'][compiler]:.2f}", f"{100 * facts['deviation'][compiler]:+.1f}%"
    return [announced, *ratio_cells(row.ratios[compiler]), off]


def outside(result: Result, compiler: Compiler) -> Duel:
    """Seconds of the file as it stands and of what is written for a result, each in a program of its own.

    Raises:
        PolyloopError: if a program cannot be made, or does not run.
    """
    source = result.scop.source
    assert source is not None
    assert result.judged is not None
    texts = {"before": source.text, "after": emit_c_file(source.text, [Replacement(result.scop, result.program)])}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.c").write_text(_program(result, source, folder), encoding="utf-8")
        found: dict[str, list[float]] = {each: [] for each in texts}
        for each, text in texts.items():
            (folder / f"{each}.c").write_text(text, encoding="utf-8", newline="")
            beside = ("-w", "-iquote", str(Path(source.path).resolve().parent))
            build(compiler, [folder / f"{each}.c", folder / "program.c"], folder / each, beside)
        for number in range(ROUNDS):
            for each in found if number % 2 == 0 else reversed(found):
                done = subprocess.run([folder / each], capture_output=True, text=True, check=False)
                if done.returncode:
                    raise PolyloopError(f"{result.scop.name}: the program ends with status {done.returncode}")
                found[each].append(median(map(float, done.stdout.split())))
    return Duel({each: tuple(seconds) for each, seconds in found.items()})


def _program(result: Result, source: SourceRegion, folder: Path) -> str:
    """A program that calls a function as the measurement of its region did; its data goes to the folder."""
    scop, sizes = result.scop, dict(result.sizes)
    declared = {each.name: each.text for each in source.declarations}
    made = {each.name: each for each in on_both_sides(scop, fills(scop, sizes))}
    data = {name: fill(each) for name, each in made.items()}
    types, passed, before, restored = [], [], [], []
    for name in source.parameter_order:
        if name in sizes:
            types.append(declared[name].removesuffix(name))
            passed.append(str(sizes[name]))
        elif name not in data:
            raise PolyloopError(f"{scop.name}: {name} is no array and no number that its region uses")
        elif data[name].shape:
            types.append("void *")
            size, path = data[name].nbytes, folder / f"{name}.data"
            # A function that reads in front of its pointer gets one that has rows there.
            in_front = made[name].origin * (size // len(data[name]) if made[name].origin else 0)
            passed.append(f"data_{name} + {in_front}")
            data[name].tofile(path)
            before.append(f'    char *data_{name} = from_file("{path}", {size});')
            if name in scop.written:  # every batch works on the same data
                before.append(f"    char *before_{name} = memcpy(malloc({size}), data_{name}, {size});")
                restored.append(f"        memcpy(data_{name}, before_{name}, {size});")
        else:
            types.append(declared[name].removesuffix(name))
            passed.append(str(data[name].item()))
    assert result.judged is not None
    return _PROGRAM.format(
        function=source.function,
        types=", ".join(types),
        arguments=", ".join(passed),
        before="\n".join(before),
        restored="\n".join(restored),
        calls=CALLS,
        batch=max(1, ceil(LEAST / result.judged.before.median)),
    )
