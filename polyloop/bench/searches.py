"""The suite ``searches``: what every search of the cursor's space finds on problems that nothing was tuned on, and how
fast: figures 8, 9 and 10 of LoopTune.

Every search starts from the untuned nest with nothing remembered, and has the same seconds; what it found is compiled
anew and measured in turn with all others, the default schedule (which searches nothing) and libraries.
``default + NAME`` starts from the default schedule as well, as ``polyloop tune`` does.

References:
    Grubisic et al., "LoopTune", arXiv 2309.01825, section V.
"""

from __future__ import annotations

import re
import time
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from math import inf, prod
from typing import Any

from rich.console import Console

from polyloop.backend.errors import BackendError
from polyloop.backend.run.peak import peak_gflops
from polyloop.backend.run.worker import Worker
from polyloop.bench.harness import RowBench, Summary, failed_row, isolated
from polyloop.bench.library_suite import contestants
from polyloop.bench.rows import Row
from polyloop.bench.searches_kernels import kernels_bench
from polyloop.bench.searches_report import drawings, print_report, summarize_searches
from polyloop.bench.searches_worker import AGAINST, Job
from polyloop.bench.tvm import TUNING_SECONDS, TVM
from polyloop.cursor.actions import Actions
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import Nest
from polyloop.cursor.process import NestCursor
from polyloop.errors import PolyloopError
from polyloop.measure.database import Database
from polyloop.measure.measured_programs import MeasuredPrograms
from polyloop.search.cursor.searches import (
    DEFAULT,
    STEPS,
    UNTUNED,
    CursorFound,
    Program,
    cursor_method,
    cursor_methods,
    default_program,
    fastest,
    program_of,
    proven,
    search_cursor,
)
from polyloop.search.registry import CURSOR_SEARCHES
from polyloop.search.run import Budget
from polyloop.shipped.workloads import PRODUCTS, Workload, sample, workload_set, workload_sets
from polyloop.terminal.errors import UsageError

SEARCHES = tuple(name for name in CURSOR_SEARCHES if name != "policy")  # what needs no torch
ALSO_FROM_DEFAULT = f"{DEFAULT} + "
KERNELS = "kernels"
"""The set of all C kernels; see `searches_kernels`."""
BEST = f"{ALSO_FROM_DEFAULT}scripted"
"""What `polyloop tune` does."""

_HELD_OUT = PRODUCTS
_LAST_ROUND_SECONDS = 120.0


def bench(arguments: Namespace) -> RowBench:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for an unknown set, search or contestant, and a --resume file of other settings.
    """
    _check_kind(arguments)
    if arguments.set == KERNELS:
        return kernels_bench(arguments)
    against, names = contestants(arguments.against, AGAINST), _searches(arguments.searches)
    problems = problems_of(arguments.set, arguments.limit, arguments.seed, (KERNELS,))
    settings = {"set": arguments.set, "limit": arguments.limit, "seed": arguments.seed}
    settings |= {"budget": arguments.budget or 1.0, "searches": list(names), "against": list(against)}
    return Searches(problems, settings, arguments.resume, arguments.plots)


class SearchBench(RowBench):
    """Problems of the cursor, each searched with nothing remembered; what was found is measured in turn."""

    def __init__(
        self, problems: Sequence[Workload], settings: Mapping[str, Any], resume: str | None, plots: str | None
    ) -> None:
        super().__init__([problem.name for problem in problems], settings, resume)
        self.problems, self.plots = {problem.name: problem for problem in problems}, plots
        self.evaluator = MeasuredPrograms(database=Database(None))

    def close(self) -> None:
        self.evaluator.close()

    def process(self, name: str) -> NestCursor:
        """The cursor on a problem.

        Raises:
            PolyloopError: for a program of more than one contraction.
        """
        contraction = Contraction.of(self.problems[name].scop, True)
        if contraction is None:
            raise PolyloopError("more than one contraction")
        return NestCursor(contraction, Actions(), STEPS)

    def forget(self, process: NestCursor) -> None:
        """Nothing is remembered from one search to the next; the worker's start is nobody's time."""
        self.evaluator.forget()
        self.evaluator.evaluate(process.problem, process.initial().program)
        self.evaluator.forget()

    def last_round(
        self, name: str, process: NestCursor, programs: Mapping[str, Program], against: Sequence[str], seconds: float
    ) -> Row:
        """Programs, proven, and rivals in turn.

        Args:
            seconds: at most, besides those that a rival tunes.
        """
        problem, sizes = process.problem, dict(self.problems[name].sizes)
        for program in programs.values():
            proven(problem, program)
        product = (sizes["m"], sizes["n"], sizes["k"]) if sizes.keys() == {"m", "n", "k"} else None
        terms = prod(problem.sizes[each] for each in problem.reduced)
        finalists = {each: program.finalist for each, program in programs.items()}
        job = Job(finalists, tuple(against), product, "float32", problem.flops, terms)
        tunes = TVM in against
        # What tunes in processes of its own gets the machine's memory, not a worker's.
        with Worker(memory_bytes=None) if tunes else Worker() as worker:
            limit = seconds + (TUNING_SECONDS if tunes else 0.0)
            row = isolated(worker, "polyloop.bench.searches_worker:measure", name, job, seconds=limit)
        assert isinstance(row, Row)
        return row


class Searches(SearchBench):
    """Problems, each searched by all; see the module."""

    def __init__(
        self, problems: Sequence[Workload], settings: Mapping[str, Any], resume: str | None, plots: str | None
    ) -> None:
        super().__init__(problems, settings, resume, plots)
        self.machine = {"peak_gflops": peak_gflops("float32", fresh=True)}

    def measure(self, name: str) -> Row:
        process = self.process(name)
        programs = {UNTUNED: program_of(process, process.initial())}
        began = time.perf_counter()
        default = default_program(process)
        if default is not None:
            programs[DEFAULT] = default
        searches: dict[str, Any] = {DEFAULT: {"seconds": time.perf_counter() - began, "evaluations": 0}}
        for search in self.settings["searches"]:
            found = self._searched(search, process)
            programs[search] = program_of(process, found.state)
            searches[search] = _facts(found)
        facts = {"flops": process.problem.flops, "searches": searches}
        facts["nests"] = {each: program.text for each, program in programs.items()}
        try:
            row = self.last_round(name, process, programs, self.settings["against"], _LAST_ROUND_SECONDS)
        except (PolyloopError, BackendError) as error:
            return failed_row(name, error, facts)  # with what the searches took minutes for
        return replace(row, facts={**facts, **row.facts})

    def _searched(self, name: str, process: NestCursor) -> CursorFound[Nest]:
        self.forget(process)
        method = cursor_method(name.removeprefix(ALSO_FROM_DEFAULT), process)
        also, budget = name.startswith(ALSO_FROM_DEFAULT), Budget(seconds=self.settings["budget"])
        seed = self.settings["seed"]
        found = search_cursor(process, self.evaluator, method, budget, seed=seed, from_default=also)
        with Worker() as worker:
            return replace(found, state=fastest(process, (found.state, *found.leaders), found.value, worker))

    def in_short(self, row: Row) -> str:
        shares = {n: value for n, value in row.facts["peak_fraction"].items() if n not in row.facts["libraries"]}
        best = max(shares, key=shares.__getitem__)
        default = f"default {shares.get(DEFAULT, 0.0):.0%}"
        return f"untuned {shares[UNTUNED]:.0%} of peak, {default}, {best} {shares[best]:.1%}"

    def summary(self, rows: Sequence[Row]) -> Summary:
        return summarize_searches(rows)

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        print_report(console, rows, summary)

    def drawings(self, rows: Sequence[Row], summary: Summary) -> Mapping[str, Callable[[Any], None]]:
        return drawings(rows, summary)


def _check_kind(arguments: Namespace) -> None:
    """C kernels and products take some options each.

    Raises:
        UsageError: for an option that has no meaning for the set.
    """
    of_c = arguments.set == KERNELS
    mine = {"--kernels": arguments.kernels != "all", "--dataset": arguments.dataset is not None}
    others = {"--against": arguments.against is not None, "--plots": arguments.plots is not None}
    for flag, given in (others if of_c else mine).items():
        if given:
            what = f"--set {arguments.set} does without" if of_c else f"this is for --set {KERNELS}"
            raise UsageError(f"{flag}: {what}")


def problems_of(name: str, limit: int | None, seed: int, beside: Sequence[str] = ()) -> tuple[Workload, ...]:
    """The problems of a set: looptune-test (those held out), any set of workloads; "-25" behind it takes 25 by seed.

    Args:
        beside: what else may stand there, for the message.
    Raises:
        UsageError: for an unknown set, and one that has more than single contractions.
    """
    match = re.fullmatch(r"(.+?)-(\d+)", name)
    base, count = (match[1], int(match[2])) if match and match[1] in ("looptune-test", *workload_sets()) else (name, 0)
    if base != "looptune-test" and base not in workload_sets():
        known = ", ".join(("looptune-test", "looptune-test-25", *beside, *workload_sets()))
        raise UsageError(f"--set: {name!r} is no set; there are {known}")
    known, split = (_HELD_OUT, "test") if base == "looptune-test" else (base, None)
    every = workload_set(known)
    size = min(n for n in (count or inf, limit or inf, len(every.test if split else every.problems)) if n)
    chosen = sample(known, int(size), seed, "test" if split else None)
    if any(Contraction.of(problem.scop, True) is None for problem in chosen[:1]):
        raise UsageError(f"--set: searches walk single contractions, and {name} has programs of several statements")
    return chosen


def _searches(given: str | None) -> tuple[str, ...]:
    if given is None:
        return (*SEARCHES, BEST)
    known = cursor_methods()
    names = tuple(" ".join(name.split()) for name in given.split(",") if name.strip())
    unknown = [name for name in names if name.removeprefix(ALSO_FROM_DEFAULT) not in known]
    if unknown:
        raise UsageError(f"--searches: no search is called {unknown[0]!r}; there are {', '.join(known)}")
    return names


def _facts(found: CursorFound[Nest]) -> dict[str, Any]:
    curve = [asdict(point) for point in found.curve if point.best > -inf]
    best = next((p for p in curve if p["best"] >= found.value), None)
    return {
        "seconds": found.seconds,
        "evaluations": found.evaluations,
        "seconds_to_best": best["seconds"] if best else None,
        "ending": list(found.runs.values())[-1].ending,
        "curve": curve,
    }
