"""The suite ``model``: how well the analytic model ranks nests that are also measured.

For every problem random walks of a cursor make nests that all differ; each is measured and modelled. The figure is the
rank correlation of the two, as fractions of the peak, over the nests of all problems; and within each problem, where
most nests differ by no more than what measuring them twice does.
"""

from __future__ import annotations

import random
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from polyloop.bench.harness import RowBench, Summary
from polyloop.bench.report import number, print_lines, print_table, summarize
from polyloop.bench.rows import Row
from polyloop.bench.sampling import spearman
from polyloop.cursor.actions import Actions
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import Nest
from polyloop.cursor.process import NestCursor
from polyloop.measure.database import Database
from polyloop.measure.measured_programs import MeasuredPrograms
from polyloop.measure.programs import ModelledPrograms, gflops
from polyloop.shipped.workloads import PRODUCTS, UnknownWorkloadError, Workload, sample, workload_sets
from polyloop.terminal.errors import UsageError

_EPISODE = 10
_PROBLEMS = 21
_SETS = {"looptune-test": (PRODUCTS, "test"), "looptune": (PRODUCTS, "train")}


def bench(arguments: Namespace) -> Model:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for a set that there is not.
    """
    settings = {"set": arguments.set, "seed": arguments.seed, "samples": arguments.samples}
    return Model(problems(arguments.set, arguments.limit or _PROBLEMS, arguments.seed), settings)


class Model(RowBench):
    """Problems, with some nests of each."""

    def __init__(self, every: Sequence[Workload], settings: Mapping[str, Any]) -> None:
        super().__init__([problem.name for problem in every], settings)
        self.problems, self.pairs = {problem.name: problem for problem in every}, list[tuple[float, float]]()
        self.measured = MeasuredPrograms(database=Database(None))

    def measure(self, name: str) -> Row:
        pairs = compared(self.problems[name], self.measured, self.settings["samples"], self.settings["seed"])
        self.pairs += pairs
        facts = {"nests": len(pairs), "rank_correlation": _correlation(pairs)}
        best = {"best": max((r for _, r in pairs), default=0.0), "models_choice": max(pairs, default=(0.0, 0.0))[1]}
        return Row(name, facts=facts | best)

    def close(self) -> None:
        self.measured.close()

    def in_short(self, row: Row) -> str:
        return f"{row.facts['nests']} nests, rank correlation {number(row.facts['rank_correlation'])}"

    def summary(self, rows: Sequence[Row]) -> Summary:
        return summarize_model(rows, self.pairs)

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        cells = []
        for row in rows:
            if row.failed is None:
                shares = [f"{100 * row.facts[key]:.0f}% of peak" for key in ("best", "models_choice")]
                cells.append([row.row, str(row.facts["nests"]), number(row.facts["rank_correlation"]), *shares])
        print_table(console, ["problem", "nests", "rank correlation", "best measured", "model's choice"], cells)
        over, mean, least = (number(summary[key]) for key in ("rank_correlation", "mean_of_problems", "worst_problem"))
        words = f"{summary['nests']} nests of {summary['problems']} problems: rank correlation {over} over all nests"
        print_lines(console, [f"{words}, {mean} in the mean of problems, {least} at worst"])


def problems(name: str, count: int, seed: int) -> tuple[Workload, ...]:
    """Some problems of a set.

    Raises:
        UsageError: for an unknown set.
    """
    if name in _SETS:
        whole, split = _SETS[name]
        return sample(whole, count, seed, "test" if split == "test" else "train")
    try:
        return sample(name, count, seed)
    except UnknownWorkloadError as error:
        known = ", ".join((*_SETS, *workload_sets()))
        raise UsageError(f"--set: there is no set {name!r}; there are {known}") from error


def compared(workload: Workload, measured: MeasuredPrograms, count: int, seed: int) -> list[tuple[float, float]]:
    """(modelled, measured) fractions of the peak of nests that all differ; none for what is no single contraction."""
    problem = Contraction.of(workload.scop)
    if problem is None:
        return []
    modelled, result = ModelledPrograms(), []
    for nest in walks(problem, count, seed):
        record = measured.evaluate(problem, nest)
        if record.error is None:
            model = gflops(problem, modelled.evaluate(problem, nest)) / modelled.peak(problem)
            result.append((model, gflops(problem, record) / measured.peak(problem)))
    return result


def walks(problem: Contraction, count: int, seed: int) -> list[Nest]:
    """Nests that random episodes come by."""
    process, generator = NestCursor(problem, Actions()), random.Random(f"{seed} {problem.extents}")
    nests: dict[Nest, None] = {}
    for _ in range(4 * count):
        state = process.initial()
        for _ in range(_EPISODE):
            legal = [action for action, bit in enumerate(process.actions(state)) if bit]
            if not legal:
                break
            state = process.step(state, generator.choice(legal))
            nests.setdefault(state.program)
        if len(nests) >= count:
            break
    return list(nests)[:count]


def summarize_model(rows: Sequence[Row], pairs: Sequence[tuple[float, float]]) -> Summary:
    """The figures over all problems."""
    found = (row.facts.get("rank_correlation") for row in rows)
    known = [value for value in found if value is not None]
    return summarize(rows) | {
        "problems": len(rows),
        "nests": len(pairs),
        "rank_correlation": _correlation(pairs),
        "mean_of_problems": sum(known) / len(known) if known else None,
        "worst_problem": min(known, default=None),
    }


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    return spearman([modelled for modelled, _ in pairs], [measured for _, measured in pairs])
