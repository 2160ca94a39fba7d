"""The suite ``model``: how well the analytic model ranks nests that are also measured.

For every problem random walks of a cursor make nests that all differ; each is measured and modelled. The figure is the
rank correlation of the two, as fractions of the peak, over the nests of all problems; and within each problem, where
most nests differ by no more than what measuring them twice does.
"""

from __future__ import annotations

import random
from argparse import Namespace
from typing import Any

from rich.table import Table

from polyloop.bench.machine import describe_machine
from polyloop.bench.rank_correlation import spearman
from polyloop.bench.report import console_for_tables, document
from polyloop.cursor.actions import Actions
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.nest import Nest
from polyloop.cursor.process import NestCursor
from polyloop.measure.database import Database
from polyloop.measure.programs import MeasuredPrograms, ModelledPrograms, gflops
from polyloop.shipped.workloads import PRODUCTS, UnknownWorkloadError, Workload, sample, workload_sets
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import destination

_EPISODE = 10
_PROBLEMS = 21
_SETS = {"looptune-test": (PRODUCTS, "test"), "looptune": (PRODUCTS, "train")}


def run_suite(arguments: Namespace) -> int:
    """Run the suite; returns the exit status.

    Raises:
        UsageError: for a set that there is not.
    """
    place = None if arguments.json is None else destination("--json", arguments.json, None)
    settings = {"set": arguments.set, "seed": arguments.seed, "samples": arguments.samples}
    rows: list[dict[str, Any]] = []
    pairs: list[tuple[float, float]] = []
    measured = MeasuredPrograms(database=Database(None))
    try:
        for problem in problems(arguments.set, arguments.limit or _PROBLEMS, arguments.seed):
            found = compared(problem, measured, arguments.samples, arguments.seed)
            pairs += found
            rows.append(_row(problem, found))
            if place is not None:
                place.write(document("model", describe_machine({}), settings, rows, summary(rows, pairs)))
    finally:
        measured.close()
    _print(rows, summary(rows, pairs), errors=place is not None and place.path is None)
    return 0


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


def summary(rows: list[dict[str, Any]], pairs: list[tuple[float, float]]) -> dict[str, Any]:
    """The figures over all problems."""
    known = [row["rank_correlation"] for row in rows if row["rank_correlation"] is not None]
    return {
        "problems": len(rows),
        "nests": len(pairs),
        "rank_correlation": spearman([m for m, _ in pairs], [r for _, r in pairs]),
        "mean_of_problems": sum(known) / len(known) if known else None,
        "worst_problem": min(known, default=None),
    }


def _row(workload: Workload, pairs: list[tuple[float, float]]) -> dict[str, Any]:
    best = max(pairs, default=(0.0, 0.0))[1]
    return {
        "row": workload.name,
        "nests": len(pairs),
        "rank_correlation": spearman([m for m, _ in pairs], [r for _, r in pairs]),
        "best": max((r for _, r in pairs), default=0.0),
        "models_choice": best,
    }


def _print(rows: list[dict[str, Any]], whole: dict[str, Any], errors: bool) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("problem", "nests", "rank correlation", "best measured", "model's choice"):
        table.add_column(name, justify="left" if name == "problem" else "right", no_wrap=True)
    for row in rows:
        table.add_row(
            row["row"],
            str(row["nests"]),
            _number(row["rank_correlation"]),
            f"{100 * row['best']:.0f}% of peak",
            f"{100 * row['models_choice']:.0f}% of peak",
        )
    console = console_for_tables(errors=errors)
    console.print(table)
    console.print(
        f"{whole['nests']} nests of {whole['problems']} problems: rank correlation "
        f"{_number(whole['rank_correlation'])} over all nests, {_number(whole['mean_of_problems'])} in the mean of "
        f"problems, {_number(whole['worst_problem'])} at worst",
        soft_wrap=True,
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
