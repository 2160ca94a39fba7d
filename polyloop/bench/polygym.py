"""The suite ``polygym``: sampled schedules of every kernel against isl's scheduler and LLVM -O3 of the original loops.

All get the same post-processing. Samples are drawn in rounds over the kernels, so that an interrupted run has some of
all of them; in the end each kernel's best are measured once more, in turn with isl's and the original loops.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from polyloop.bench.isolation import run_isolated
from polyloop.bench.machine import describe_machine
from polyloop.bench.polygym_figures import best_samples, kernel_row, summarize
from polyloop.bench.polygym_report import print_tables, write_plots
from polyloop.bench.polygym_store import Store
from polyloop.bench.report import console_for_tables, document
from polyloop.config import default_threads, use_color
from polyloop.errors import PolyloopError
from polyloop.search.schedule.sampler import check_heuristic
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import destination

HEURISTICS = ("uniform", "bias_select_dep", "bias_coeff_0", "sparse", "separate permutable")
"""Measured if nobody says which: the three of the paper, and two that find more in fewer samples."""

ROUND = 25
"""Samples of a heuristic in one round."""

ROUND_SECONDS = 60.0
"""After which a round begins no further sample."""

WORKER = "polyloop.bench.polygym_worker"


def run_suite(arguments: Namespace) -> int:
    """Run the suite as the command line asks for it.

    Returns:
        0, or 1 if no kernel could be measured.
    Raises:
        UsageError: for unknown kernels, and options that do not go together.
        PolyloopError: for unknown heuristics, or results of other settings in the file to resume.
    """
    names, heuristics = _kernels(arguments), _heuristics(arguments)
    place = None if arguments.json is None else destination("--json", arguments.json, None)
    threads = arguments.threads or default_threads()
    kept = {
        "seed": arguments.seed,
        "post_processing": arguments.post_processing,
        "threads": threads,
        "dataset": arguments.dataset,
    }
    store = Store(None if arguments.resume is None else Path(arguments.resume))
    store.open(kept)
    progress = Console(stderr=True, no_color=not use_color(), highlight=False)
    bench = _Bench(store, heuristics, kept, arguments.samples, progress)
    for start in range(0, arguments.samples, ROUND):
        for name in names:
            bench.round(name, min(start + ROUND, arguments.samples))
        rows, summary = bench.figures(names)
        if place is not None and place.path is not None:
            place.write(
                document("polygym", describe_machine({}), _settings(arguments, heuristics, kept), rows, summary)
            )
    # Kernels whose rounds ended by time catch up, as long as anything is added.
    while sum([bench.round(name, arguments.samples) for name in names]):
        pass
    for name in names:
        bench.final(name)
    rows, summary = bench.figures(names)
    if place is not None:
        place.write(document("polygym", describe_machine({}), _settings(arguments, heuristics, kept), rows, summary))
    console = console_for_tables(errors=place is not None and place.path is None)
    print_tables(console, rows, summary, heuristics, arguments.rank_correlation)
    if arguments.plots is not None:
        for line in write_plots(Path(arguments.plots), rows, summary):
            console.print(line, markup=False, soft_wrap=True)
    return 0 if rows else 1


class _Bench:
    """The rounds, and what they add to the store."""

    def __init__(
        self, store: Store, heuristics: Sequence[str], kept: dict[str, Any], samples: int, progress: Console
    ) -> None:
        self._store, self._heuristics, self._kept = store, heuristics, kept
        self._samples, self._progress = samples, progress

    def round(self, name: str, until: int) -> int:
        """Samples of one kernel, as many as its time allows, until every heuristic has so many; how many were added."""
        wanted = []
        for heuristic in self._heuristics:
            have = len(self._store.samples[name, heuristic])
            if have < until:
                wanted.append([heuristic, have, until - have])
        if not wanted or name in self._store.failed:
            return 0
        return self._work(name, wanted, None)

    def final(self, name: str) -> None:
        """The best samples of a kernel once more, in turn; not again where nothing has changed."""
        best = best_samples(self._store, name, self._heuristics)
        known = self._store.finals.get(name)
        if best and (known is None or known["best"] != best):
            self._work(name, [], best)

    def _work(self, name: str, samples: list[list[Any]], finals: dict[str, int] | None) -> int:
        sizes = self._store.sizes.get(name) or self._given_sizes(name)
        job = self._kept | {
            "kernel": name,
            "sizes": sizes,
            "samples": samples,
            "finals": finals,
            "seconds": ROUND_SECONDS,
        }
        with self._progress.status(f"{name}: {'samples' if samples else 'the best once more'}"):
            outcome = run_isolated(WORKER, job, 8 * ROUND_SECONDS)
        if "failed" in outcome:
            self._progress.print(f"{name}: {outcome['failed']}", markup=False, soft_wrap=True)
            if not self._store.rounds[name]:
                self._store.add({"kernel": name, "what": "failed", "reason": outcome["failed"]})
            return 0
        if name not in self._store.sizes:
            self._store.add({"kernel": name, "what": "sizes", "sizes": outcome["sizes"]})
        self._store.add({"kernel": name, "what": "round"} | outcome["round"])
        for sample in outcome["samples"]:
            self._store.add({"kernel": name, "what": "sample"} | sample)
        if finals is not None:
            self._store.add({"kernel": name, "what": "final", "best": finals} | outcome["final"])
        self._progress.print(f"{name}: {self._so_far(name, len(outcome['samples']))}", markup=False, soft_wrap=True)
        return len(outcome["samples"])

    def _so_far(self, name: str, new: int) -> str:
        if not new:
            return "the best measured once more"
        have = sum(len(self._store.samples[name, heuristic]) for heuristic in self._heuristics)
        return f"{new} samples, {have} of {self._samples * len(self._heuristics)} so far"

    def _given_sizes(self, name: str) -> dict[str, int] | None:
        dataset = self._kept["dataset"]
        return None if dataset is None else kernel(name).resolve(dataset)

    def figures(self, names: Sequence[str]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The rows and the summary so far."""
        measured = [name for name in names if self._store.rounds[name]]
        rows = [kernel_row(self._store, name, self._heuristics) for name in measured]
        return rows, summarize(rows, self._heuristics, self._store.failed)


def _kernels(arguments: Namespace) -> list[str]:
    if arguments.kernels == "all":
        names = [name for name in kernel_names() if name != "matvec"]
    else:
        names = [name.strip() for name in arguments.kernels.split(",") if name.strip()]
    if unknown := [name for name in names if name not in kernel_names()]:
        raise UsageError(f"--kernels: there is no {unknown[0]!r}; there are {', '.join(kernel_names())}")
    return names[: arguments.limit]


def _heuristics(arguments: Namespace) -> tuple[str, ...]:
    if arguments.heuristics is None:
        return HEURISTICS
    names = tuple(name.strip() for name in arguments.heuristics.split(",") if name.strip())
    for name in names:
        try:
            check_heuristic(name)
        except PolyloopError as error:
            raise UsageError(f"--heuristics: {error}") from error
    return names


def _settings(arguments: Namespace, heuristics: Sequence[str], kept: dict[str, Any]) -> dict[str, Any]:
    return kept | {"kernels": arguments.kernels, "samples": arguments.samples, "heuristics": list(heuristics)}
