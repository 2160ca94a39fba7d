"""The suite ``trials``: how many measurements a search needs until it has 95% of the best known, figures 4 to 8 of
AutoTVM: the learned model against searches that do not learn.

Every search starts from the loops as they were written, with nothing remembered, and measures as many different
programs. What a search believes to be its best, whenever that changes, is compiled anew and timed in turn with what all
others believed: no lucky measurement counts, neither for a search nor against it. The best known is the fastest of
these, and a search has reached it from the measurement on whose belief comes near enough.

References:
    Chen et al., "Learning to Optimize Tensor Programs", NeurIPS 2018, section 6.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from rich.console import Console

from polyloop.bench.harness import Summary, listed
from polyloop.bench.report import closing, number, print_lines, print_table, summarize
from polyloop.bench.rows import Row
from polyloop.bench.searches import SearchBench, problems_of
from polyloop.bench.searches_worker import REFERENCE
from polyloop.bench.tvm import TRIALS as TVM_TRIALS
from polyloop.bench.tvm import TVM
from polyloop.cursor.base import CursorState
from polyloop.cursor.nest import Nest
from polyloop.cursor.process import NestCursor
from polyloop.measure.programs import gflops
from polyloop.search.cursor.objective import walk_objective
from polyloop.search.cursor.searches import DEFAULT, MODEL, cursor_method, cursor_methods, default_program, program_of
from polyloop.search.run import Budget, Method, search
from polyloop.shipped.workloads import Workload
from polyloop.terminal.document import geometric_mean

ALONE = "model-alone"
"""The model without what the shipped trees know: all is learnt from the problem's own measurements."""

ENOUGH = 0.95
"""Of the best known's speed, which is to be reached."""

_NEAR = 0.7
"""Of the fastest measurement: what was slower than that was not the best, and is not timed once more."""
_TRIALS, _SEEDS = 128, 2
_LAST_ROUND_SECONDS = 300.0


@dataclass(frozen=True)
class Trial:
    """A measurement after which a search believes another program to be its best.

    Attributes:
        at: its number, from 1.
        gflops: by the search's own measurement.
    """

    at: int
    program: Nest
    gflops: float


@dataclass(frozen=True)
class Searched:
    """One search with one seed: what it believed, how often it measured, and how long all took."""

    beliefs: tuple[Trial, ...]
    trials: int
    seconds: float


def bench(arguments: Namespace) -> Trials:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for an unknown set or contestant, and a --resume file of other settings.
    """
    against = listed("--against", arguments.against or "random,genetic", (*cursor_methods(), ALONE, TVM), "search ")
    settings = {"set": arguments.set, "limit": arguments.limit, "seed": arguments.seed, "against": against}
    settings |= {"trials": arguments.trials or _TRIALS, "rounds": arguments.rounds or _SEEDS}
    problems = problems_of(arguments.set, arguments.limit, arguments.seed)
    return Trials(problems, settings, arguments.resume, arguments.plots)


class Trials(SearchBench):
    """Problems, each searched by all; see the module."""

    kinds_of_plots = ("png", "svg")

    def __init__(
        self, problems: Sequence[Workload], settings: Mapping[str, Any], resume: str | None, plots: str | None
    ) -> None:
        super().__init__(problems, settings, resume, plots)
        self.searches = [MODEL, *(name for name in settings["against"] if name not in (MODEL, TVM))]

    def measure(self, name: str) -> Row:
        process = self.process(name)
        seeds = range(self.settings["seed"], self.settings["seed"] + self.settings["rounds"])
        found = {search: [self._searched(search, process, seed) for seed in seeds] for search in self.searches}
        return self._in_turn(name, process, found)

    def _searched(self, name: str, process: NestCursor, seed: int) -> Searched:
        self.forget(process)
        beliefs: list[Trial] = []
        count = 0

        def value(program: Nest) -> float:
            nonlocal count
            count += 1
            speed = gflops(process.problem, self.evaluator.evaluate(process.problem, program))
            if speed > 0 and (not beliefs or speed > beliefs[-1].gflops):
                beliefs.append(Trial(count, program, speed))
            return speed or float("-inf")

        began = time.monotonic()
        search(
            walk_objective(process, value),
            _method(name, process),
            Budget(evaluations=self.settings["trials"]),
            seed=seed,
        )
        return Searched(tuple(beliefs), count, time.monotonic() - began)

    def _in_turn(self, name: str, process: NestCursor, found: Mapping[str, Sequence[Searched]]) -> Row:
        """The row: all that anybody believed to be the best, timed in turn."""
        every = [belief for runs in found.values() for run in runs for belief in run.beliefs]
        fastest = max((belief.gflops for belief in every), default=0.0)
        near = dict.fromkeys(belief.program for belief in every if belief.gflops >= _NEAR * fastest)
        names = {program: f"nest {k}" for k, program in enumerate(near, 1)}
        programs = {REFERENCE: program_of(process, process.initial())}
        programs |= {names[program]: program_of(process, CursorState(program)) for program in near}
        if (default := default_program(process)) is not None:
            programs[DEFAULT] = default
        against = [each for each in self.settings["against"] if each == TVM]
        row = self.last_round(name, process, programs, against, _LAST_ROUND_SECONDS)
        speeds = row.facts["gflops"]
        best = max(speeds[each] for each in names.values())
        timed = {program: speeds[each] / best for program, each in names.items()}
        facts = {
            "best_gflops": best,
            "best": programs[max(names.values(), key=speeds.__getitem__)].text,
            "share": {each: speeds[each] / best for each in (DEFAULT, TVM) if each in speeds},
            "searches": {
                each: [_facts(run, timed, fastest, self.settings["trials"]) for run in runs]
                for each, runs in found.items()
            },
        }
        return replace(row, seconds={}, facts=facts)

    def in_short(self, row: Row) -> str:
        said = (f"{name} {median(_counted(run) for run in runs):g}" for name, runs in row.facts["searches"].items())
        return f"best {row.facts['best_gflops']:.1f} GFLOPS; trials to {ENOUGH:.0%} of it: {', '.join(said)}"

    def summary(self, rows: Sequence[Row]) -> Summary:
        return summarize_trials(rows)

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        names = list(summary["trials"])
        cells = [
            [row, *(number(summary["trials"][name][row], 0) for name in names)]
            + [number(summary["ratio"][name].get(row)) for name in names if name != MODEL]
            for row in next(iter(summary["trials"].values()), {})
        ]
        heads = [*names, *(f"{name} / {MODEL}" for name in names if name != MODEL)]
        print_table(console, [f"trials to {ENOUGH:.0%}", *heads], cells)
        said = [
            f"x {name}: geometric mean {mean:.2f} times the model's trials"
            for name, mean in summary["trials_ratio"].items()
        ]
        said += [f"{name} reached it in {share:.0%} of its runs" for name, share in summary["reached"].items()]
        said += [f"{name}: {share:.2f} of the best known" for name, share in summary["share"].items()]
        print_lines(console, [*said, *closing(summary)])

    def drawings(self, rows: Sequence[Row], summary: Summary) -> Mapping[str, Callable[[Any], None]]:
        return drawings(rows)


def _method(name: str, process: NestCursor) -> Method:
    if name != ALONE:
        return cursor_method(name, process)
    from polyloop.search.cursor.guided import guided  # loads what learns

    return guided(process, transfer=False, name=ALONE)


def _facts(run: Searched, shares: Mapping[Nest, float], fastest: float, asked: int) -> dict[str, Any]:
    """Of one search: the curve of its beliefs as shares of the best known, and when it was near enough; None: never.

    Args:
        shares: of what was timed in turn. Of all else the search's own measurement counts, over the fastest of all.
    """
    curve = [
        {"trials": b.at, "share": shares.get(b.program, min(_NEAR, b.gflops / max(fastest, b.gflops)))}
        for b in run.beliefs
    ]
    reached = next((point["trials"] for point in curve if point["share"] >= ENOUGH), None)
    return {"curve": curve, "reached": reached, "trials": run.trials, "asked": asked, "seconds": run.seconds}


def _counted(run: Mapping[str, Any]) -> int:
    """Trials until the best was reached; one more than there were where it was not."""
    return int(run["reached"] if run["reached"] is not None else run["trials"] + 1)


def summarize_trials(rows: Sequence[Row]) -> Summary:
    """By search: trials of every row, how many times the model's that is, how often the best was reached at all."""
    good = [row for row in rows if row.failed is None]
    names = list(dict.fromkeys(name for row in good for name in row.facts["searches"]))
    trials = {
        name: {row.row: float(geometric_mean(map(_counted, row.facts["searches"][name])) or 0.0) for row in good}
        for name in names
    }
    ratio = {
        name: {row: trials[name][row] / trials[MODEL][row] for row in trials[name]} for name in names if name != MODEL
    }
    runs = {name: [run for row in good for run in row.facts["searches"][name]] for name in names}
    shares = list(dict.fromkeys(name for row in good for name in row.facts["share"]))
    return summarize(rows) | {
        "trials": trials,
        "ratio": ratio,
        "trials_ratio": {name: geometric_mean(each.values()) for name, each in ratio.items()},
        "reached": {n: sum(run["reached"] is not None for run in each) / len(each) for n, each in runs.items()},
        "seconds": {name: sum(run["seconds"] for run in each) for name, each in runs.items()},
        "share": {
            name: geometric_mean(row.facts["share"][name] for row in good if name in row.facts["share"])
            for name in shares
        },
        "tvm_trials": TVM_TRIALS if TVM in shares else None,
    }


# --- plots ------------------------------------------------------------------------------------------------------------


def drawings(rows: Sequence[Row]) -> Mapping[str, Callable[[Any], None]]:
    """The best so far over trials: of every problem, and of all; see `report.write_plots`."""
    good = [row for row in rows if row.failed is None]
    each = {row.row.replace("/", "-"): lambda axes, row=row: _draw(axes, [row]) for row in good}
    return {"trials": lambda axes: _draw(axes, good), **each}


def _draw(axes: Any, rows: Sequence[Row]) -> None:
    for name in dict.fromkeys(name for row in rows for name in row.facts["searches"]):
        runs = [run for row in rows for run in row.facts["searches"].get(name, ())]
        grid = range(1, max(run["asked"] for run in runs) + 1)
        axes.plot(grid, list(_means(runs, grid)), label=name, drawstyle="steps-post")
    axes.axhline(ENOUGH, color="gray", linewidth=0.8, linestyle=":")
    axes.set_xscale("log", base=2)
    axes.set(xlabel="programs measured", ylabel="best so far, share of the best known")
    axes.legend()


def _means(runs: Sequence[Mapping[str, Any]], grid: Sequence[int]) -> Iterator[float | None]:
    """The geometric mean of all runs after so many trials."""
    for trials in grid:
        shares = [[p["share"] for p in run["curve"] if p["trials"] <= trials] for run in runs]
        yield geometric_mean(max(each[-1], 1e-3) if each else 1e-3 for each in shares)
