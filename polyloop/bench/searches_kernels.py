"""``polyloop bench searches --set kernels``: what searches with a cursor gain on C kernels over `polyloop optimize`.

A search gets half of its time for the default search, walks on from its result and from the original loops, and
measures the best few in turn in the end: a gain is a ratio of that last round.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from math import inf

from rich.console import Console

from polyloop.api import optimize
from polyloop.backend.run.timing import Ratio
from polyloop.bench.harness import RowBench, Summary, chosen, failed_row, listed
from polyloop.bench.report import closing, print_lines, print_table, summarize
from polyloop.bench.rows import Row
from polyloop.envs.problems import kernel_scop
from polyloop.measure.result import Fate, Result, Source
from polyloop.search.registry import SEARCHES, checked_space
from polyloop.shipped.kernels import kernel_names
from polyloop.terminal.document import geometric_mean


def kernels_bench(arguments: Namespace) -> RowBench:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for unknown kernels and searches, and a --resume file of other settings.
    """
    searches = _searches(arguments.searches)
    kernels = chosen(arguments.kernels, kernel_names(), arguments.limit, arguments.seed)
    settings = {"set": "kernels", "kernels": kernels, "dataset": arguments.dataset or "MEDIUM"}
    settings |= {"budget": arguments.budget or 30.0, "searches": list(searches)}
    return Kernels([f"{kernel}: {search}" for kernel in kernels for search in searches], settings, arguments.resume)


class Kernels(RowBench):
    """Rows are called "kernel: search" here, and by the kernel in the file."""

    def measure(self, name: str) -> Row:
        kernel, _, search = name.partition(": ")
        scop, sizes = kernel_scop(kernel, self.settings["dataset"])
        budget = self.settings["budget"]
        result = optimize(scop, sizes=sizes, search=search, space="cursor", budget=budget, overrun=inf)
        return gains(kernel, search, result)

    def name_of(self, row: Row) -> str:
        return f"{row.row}: {row.facts['search']}"

    def failure(self, name: str, error: Exception) -> Row:
        kernel, _, search = name.partition(": ")
        return failed_row(kernel, error, {"search": search})

    def in_short(self, row: Row) -> str:
        return f"{row.facts['gain']:.3f} times the default's speed; {row.facts['walked']} trees"

    def summary(self, rows: Sequence[Row]) -> Summary:
        """Of all rows so far: mean gain and speedup of every search, and where a gain is the smallest."""
        timed = [row for row in rows if row.failed is None]
        known = summarize(rows)
        facts = {name: [row.facts for row in timed if row.facts["search"] == name] for name in known["speedup"]}
        every = [each for own in facts.values() for each in own]
        return known | {
            "gain": known["speedup"],
            "speedup": {name: geometric_mean(each["speedup"] for each in own) for name, own in facts.items()},
            "gained": {name: sum(each["gain"] > 1 for each in own) for name, own in facts.items()},
            "verified": {
                "compared": sum(
                    f["walked"] - f["failed_candidates"] + f["wrong"] for own in facts.values() for f in own
                ),
                "different": sum(f["wrong"] + bool(f["different"]) for f in every),
            },
        }

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        cells = []
        for row in rows:
            facts, line = row.facts, [row.row, row.facts["search"]]
            if row.failed is None:
                line += [f"{facts['speedup']:.2f}", f"{facts['gain']:.3f}"]
                line += [str(facts[key]) for key in ("walked", "failed_candidates", "wrong")]
            cells.append(line)
        header = ["kernel", "search", "x original", "x default", "trees", "failed", "wrong"]
        print_table(console, header, cells, left=("search",))
        lines = []
        for name, gain in summary["gain"].items():
            lowest = summary["worst"][name]
            lines.append(
                f"{name}: {gain:.3f} times the default's speed, at least {lowest['ratio']:.3f} ({lowest['row']}); "
                f"faster on {summary['gained'][name]}"
            )
        print_lines(console, [*lines, *closing(summary)])


def _searches(given: str | None) -> tuple[str, ...]:
    names = tuple(listed("--searches", given or "greedy", SEARCHES, "search "))
    for name in names:
        checked_space(name, "cursor")
    return names


def gains(kernel: str, search: str, result: Result) -> Row:
    """What the cursor adds to the default search, whose choice was measured in the last round, beside the best."""
    timed = {m.name: m.median for m in result.measurements if m.ran}
    walked = [m for m in result.measurements if m.source is Source.CURSOR]
    names = {m.name for m in walked}
    default = next((name for name in result.last_round if name not in names), result.best.name)
    best = result.best.name
    gain = timed[default] / timed[best] if result.best.source is Source.CURSOR else 1.0
    seconds = {"original": result.baseline.median, "default": timed[default], "best": result.timing.median}
    facts = {
        "search": search,
        "default": default,
        "best": best,
        "gain": gain,
        "speedup": result.speedup,
        "walked": len(walked),
        "failed_candidates": sum(not m.ran for m in walked),
        "wrong": sum(m.kind is Fate.WRONG_RESULTS for m in walked),
        "compared": result.check.compared,
        "different": result.check.different,
        "steps": list(result.best.steps),
    }
    return Row(kernel, seconds, {search: Ratio(gain, gain, gain)}, facts=facts)
