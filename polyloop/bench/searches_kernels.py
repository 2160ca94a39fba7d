"""``polyloop bench searches --set kernels``: what searches with a cursor gain on C kernels over `polyloop optimize`.

A search gets half of its time for the default search, walks on from its result and from the original loops, and
measures the best few in turn in the end: a gain is a ratio of that last round.
"""

from __future__ import annotations

import random
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from polyloop.api import optimize
from polyloop.backend.errors import BackendError
from polyloop.bench.machine import describe_machine
from polyloop.bench.report import console_for_tables, document
from polyloop.bench.sampling import geometric_mean
from polyloop.config import use_color
from polyloop.envs.problems import kernel_scop
from polyloop.errors import PolyloopError
from polyloop.measure.result import Fate, Result, Source
from polyloop.search.journal import append_line, read_lines
from polyloop.search.registry import SEARCHES, checked_space
from polyloop.shipped.kernels import kernel_names
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import destination


def run_kernels(arguments: Namespace) -> int:
    """Run the suite as the command line asks for it; returns the exit status.

    Raises:
        UsageError: for unknown kernels and searches, and a --resume file of other settings.
    """
    names, kernels = _searches(arguments.searches), _kernels(arguments)
    place = None if arguments.json is None else destination("--json", arguments.json, None)
    dataset, budget = arguments.dataset or "MEDIUM", arguments.budget or 30.0
    settings = {
        "set": "kernels",
        "kernels": list(kernels),
        "dataset": dataset,
        "budget": budget,
        "searches": list(names),
    }
    rows = _resumed(arguments.resume, settings)
    progress = Console(stderr=True, no_color=not use_color(), highlight=False)
    done = {(row["row"], row["search"]) for row in rows}
    for kernel, search in ((k, s) for k in kernels for s in names):
        if (kernel, search) in done:
            continue
        with progress.status(f"{kernel}: {search}"):
            rows.append(_row(kernel, search, dataset, budget))
        progress.print(f"{kernel}, {search}: {_in_short(rows[-1])}", markup=False, soft_wrap=True)
        if arguments.resume is not None:
            append_line(Path(arguments.resume), rows[-1])
        if place is not None and place.path is not None:
            place.write(document("searches", describe_machine({}), settings, rows, summarize_kernels(rows)))
    summary = summarize_kernels(rows)
    if place is not None:
        place.write(document("searches", describe_machine({}), settings, rows, summary))
    _print(console_for_tables(errors=place is not None and place.path is None), rows, summary)
    return 1 if summary["verified"]["different"] or len(summary["failed"]) == len(rows) else 0


def _searches(given: str | None) -> tuple[str, ...]:
    names = tuple(name.strip() for name in (given or "greedy").split(",") if name.strip())
    for name in names:
        if name not in SEARCHES:
            raise UsageError(f"--searches: there is no search {name!r}; there are {', '.join(SEARCHES)}")
        checked_space(name, "cursor")
    return names


def _kernels(arguments: Namespace) -> tuple[str, ...]:
    known = kernel_names()
    given = arguments.kernels
    names = known if given == "all" else tuple(n.strip() for n in given.split(",") if n.strip())
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"--kernels: there is no {unknown[0]!r}; there are {', '.join(known)}")
    if arguments.limit is not None and arguments.limit < len(names):
        kept = set(random.Random(arguments.seed).sample(names, arguments.limit))
        names = tuple(name for name in names if name in kept)
    return names


def _resumed(path: str | None, settings: dict[str, Any]) -> list[dict[str, Any]]:
    lines = [] if path is None else read_lines(Path(path))
    if path is not None and not lines:
        append_line(Path(path), settings)
    if lines and lines[0] != settings:
        raise UsageError(f"--resume: {path} has rows of other settings; take another file or remove it")
    return lines[1:]


def _row(kernel: str, search: str, dataset: str, budget: float) -> dict[str, Any]:
    scop, sizes = kernel_scop(kernel, dataset)
    try:
        result = optimize(scop, sizes=sizes, search=search, space="cursor", budget=budget)
    except (PolyloopError, BackendError) as error:
        return {"row": kernel, "search": search, "failed": str(error)}
    return {"row": kernel, "search": search} | gains(result)


def gains(result: Result) -> dict[str, Any]:
    """What the cursor adds to the default search, whose choice was measured in the last round, beside the best."""
    timed = {m.name: m.timing.median for m in result.measurements if m.timing is not None}
    walked = [m for m in result.measurements if m.source is Source.CURSOR]
    names = {m.name for m in walked}
    default = next((name for name in result.last_round if name not in names), result.best.name)
    best = result.best.name
    return {
        "seconds": {"original": result.baseline.median, "default": timed[default], "best": result.timing.median},
        "default": default,
        "best": best,
        "gain": timed[default] / timed[best] if result.best.source is Source.CURSOR else 1.0,
        "speedup": result.speedup,
        "walked": len(walked),
        "failed_candidates": sum(m.timing is None for m in walked),
        "wrong": sum(m.kind is Fate.WRONG_RESULTS for m in walked),
        "compared": result.check.compared,
        "different": result.check.different,
        "steps": list(result.best.steps),
    }


def summarize_kernels(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Of all rows so far: mean gain and speedup of every search, and where a gain is the smallest."""
    timed = [row for row in rows if "gain" in row]
    names = list(dict.fromkeys(row["search"] for row in timed))
    lowest = {n: min((r for r in timed if r["search"] == n), key=lambda r: float(r["gain"])) for n in names}
    return {
        "gain": {n: geometric_mean(r["gain"] for r in timed if r["search"] == n) for n in names},
        "speedup": {n: geometric_mean(r["speedup"] for r in timed if r["search"] == n) for n in names},
        "worst": {n: {"ratio": row["gain"], "row": row["row"]} for n, row in lowest.items()},
        "gained": {n: sum(r["gain"] > 1 for r in timed if r["search"] == n) for n in names},
        "verified": {
            "compared": sum(row["walked"] - row["failed_candidates"] + row["wrong"] for row in timed),
            "different": sum(row["wrong"] + bool(row["different"]) for row in timed),
        },
        "failed": {row["row"]: row["failed"] for row in rows if "failed" in row},
        "missing": {},
    }


def _in_short(row: Mapping[str, Any]) -> str:
    if "failed" in row:
        return f"failed: {str(row['failed']).partition(chr(10))[0]}"
    return f"{row['gain']:.3f} times the default's speed; {row['walked']} trees"


def _print(console: Console, rows: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("kernel", no_wrap=True)
    table.add_column("search", no_wrap=True)
    for title in ("x original", "x default", "trees", "failed", "wrong"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        cells = [row["row"], row["search"]]
        if "gain" in row:
            cells += [f"{row['speedup']:.2f}", f"{row['gain']:.3f}", str(row["walked"]), str(row["failed_candidates"])]
            cells += [str(row["wrong"])]
        table.add_row(*map(escape, cells))
    console.print(table)
    for name, gain in summary["gain"].items():
        worst = summary["worst"][name]
        console.print(
            f"{name}: {gain:.3f} times the default's speed, at least {worst['ratio']:.3f} ({worst['row']}); "
            f"faster on {summary['gained'][name]}",
            soft_wrap=True,
        )
    verified = summary["verified"]
    console.print(f"results compared: {verified['compared']}, different: {verified['different']}")
    for row, reason in summary["failed"].items():
        console.print(escape(f"failed: {row}: {str(reason).partition(chr(10))[0]}"), soft_wrap=True)
