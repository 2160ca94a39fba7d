"""The suite ``polybench``: every shipped kernel against clang, gcc and Polly, or the published C files themselves."""

from __future__ import annotations

import random
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from polyloop.backend.run.peak import peak_gflops
from polyloop.bench.isolation import run_isolated
from polyloop.bench.machine import describe_machine
from polyloop.bench.report import Row, console_for_tables, document, print_table, summarize_rows
from polyloop.bench.sources import Program, find_programs
from polyloop.bench.toolchain import Toolchain, find_toolchain
from polyloop.bench.verification import print_verification, summarize_verification
from polyloop.config import default_threads, use_color
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import destination

_SMALL_DATASETS = ("MINI", "SMALL", "MEDIUM")
_ALL = "all"
_AGAINST = "clang,gcc,polly"


@dataclass(frozen=True)
class Plan:
    """What a run of the suite does, one job for each row.

    Attributes:
        module: the worker's.
        jobs: what each worker is given; "kernel" names the row.
        summarize, show: of all rows.
    """

    module: str
    jobs: Sequence[Mapping[str, Any]]
    summarize: Callable[[Sequence[Row]], dict[str, Any]]
    show: Callable[[Console, Sequence[Row], Mapping[str, Any]], None]


def run_suite(arguments: Namespace) -> int:
    """Run the suite as the command line asks for it.

    Returns:
        0, or 1 if a result was wrong or no row could be made.
    Raises:
        UsageError: for unknown kernels, and options that do not go together.
        PolyloopError: if there is no C compiler.
    """
    threads = arguments.threads or default_threads()
    against = tuple(name.strip() for name in (arguments.against or _AGAINST).split(",") if name.strip())
    if arguments.verify and arguments.sources is None:
        raise UsageError("--verify compares the published programs' dumps; give their folder with --sources DIR")
    place = None if arguments.json is None else destination("--json", arguments.json, None)
    tools = find_toolchain(against, 1 if arguments.verify else threads)
    peak = peak_gflops("float64", fresh=True) if not arguments.verify else None
    plan = _plan(arguments, tools, threads, None if peak is None else peak * threads)
    machine = describe_machine(tools.compilers, peak)
    settings = _settings(arguments, against, threads)
    progress = Console(stderr=True, no_color=not use_color(), highlight=False)
    rows: list[Row] = []
    for number, job in enumerate(plan.jobs, 1):
        with progress.status(f"{number}/{len(plan.jobs)} {job['kernel']}"):
            rows.append({"kernel": job["kernel"]} | run_isolated(plan.module, job, _limit(arguments, job)))
        progress.print(
            f"{number}/{len(plan.jobs)} {job['kernel']}: {_in_short(rows[-1])}", markup=False, soft_wrap=True
        )
        if place is not None and (place.path is not None or number == len(plan.jobs)):
            # After every row, so that an interrupted benchmark leaves what it has.
            place.write(document(arguments.suite, machine, settings, rows, plan.summarize(rows)))
    summary = plan.summarize(rows)
    plan.show(console_for_tables(errors=place is not None and place.path is None), rows, summary)
    return 1 if summary["verified"]["different"] or len(summary["failed"]) == len(rows) else 0


def _plan(arguments: Namespace, tools: Toolchain, threads: int, peak: float | None) -> Plan:
    job = {
        "dataset": arguments.dataset or "MEDIUM",
        "against": list(tools.compilers),
        "budget": arguments.budget,
        "rounds": arguments.rounds,
        "threads": threads,
    }
    if arguments.sources is None:
        names = _chosen(arguments, {name: kernel(name) for name in kernel_names()})
        return Plan(
            "polyloop.bench.kernel_worker",
            [job | {"kernel": name} for name in names],
            lambda rows: summarize_rows(rows, tools.missing, peak),
            print_table,
        )
    programs: dict[str, Program] = find_programs(Path(arguments.sources))
    jobs = [job | programs[name].job() for name in _chosen(arguments, programs)]
    if arguments.verify:
        return Plan(
            "polyloop.bench.verify_worker",
            jobs,
            lambda rows: summarize_verification(rows, tools.missing),
            print_verification,
        )
    return Plan(
        "polyloop.bench.program_worker",
        jobs,
        lambda rows: summarize_rows(rows, tools.missing, peak),
        print_table,
    )


def _chosen(arguments: Namespace, known: Mapping[str, object]) -> list[str]:
    """The rows' names: those asked for, then a seeded choice of them if there is a limit."""
    if arguments.kernels == _ALL:
        names = list(known)
    else:
        names = [name.strip() for name in arguments.kernels.split(",") if name.strip()]
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"--kernels: there is no {unknown[0]!r}; there are {', '.join(known)}")
    if arguments.limit is not None and arguments.limit < len(names):
        taken = set(random.Random(arguments.seed).sample(names, arguments.limit))
        names = [name for name in names if name in taken]
    return names


def _settings(arguments: Namespace, against: Sequence[str], threads: int) -> dict[str, Any]:
    kept = ("kernels", "dataset", "budget", "rounds", "limit", "seed", "sources", "verify")
    resolved = {"dataset": arguments.dataset or "MEDIUM", "against": list(against), "threads": threads}
    return {name: getattr(arguments, name) for name in kept} | resolved


def _limit(arguments: Namespace, job: Mapping[str, Any]) -> float:
    """Seconds until a worker counts as hung."""
    base = 300.0 if job["dataset"] in _SMALL_DATASETS else 3600.0
    return base + 6 * (arguments.budget or 20.0)


def _in_short(row: Row) -> str:
    if "failed" in row:
        return f"failed: {str(row['failed']).partition(chr(10))[0]}"
    if "results" in row:
        return ", ".join(sorted({result["outcome"] for result in row["results"]}))
    return ", ".join(f"{ratio:.2f} x {name}" for name, ratio in row["speedup"].items()) or "not timed"
