"""The suite ``polygym``: sampled schedules of every kernel against isl's scheduler and LLVM -O3 of the original loops.

All get the same post-processing. Samples are drawn in rounds over the kernels, so that an interrupted run has some of
all of them; in the end each kernel's best are measured once more, in turn with isl's and the original loops.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from polyloop.backend.config import default_threads
from polyloop.backend.errors import BackendError
from polyloop.bench.harness import ALL, Bench, Step, Summary, chosen, isolated_afresh
from polyloop.bench.polygym_figures import best_samples, kernel_row, summarize_kernels
from polyloop.bench.polygym_report import drawings, print_tables
from polyloop.bench.polygym_store import Store
from polyloop.bench.rows import Row
from polyloop.errors import PolyloopError
from polyloop.search.schedule.sampler import check_heuristic
from polyloop.shipped.kernels import kernel, kernel_names
from polyloop.terminal.errors import UsageError

HEURISTICS = ("uniform", "bias_select_dep", "bias_coeff_0", "sparse", "separate permutable")
"""Measured if nobody says which: the three of the paper, and two that find more in fewer samples."""

ROUND = 25
"""Samples of a heuristic in one round."""

ROUND_SECONDS = 60.0
"""After which a round begins no further sample."""

WORKER = "polyloop.bench.polygym_worker:work"


def bench(arguments: Namespace) -> PolyGym:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for unknown kernels, and options that do not go together.
        PolyloopError: for unknown heuristics, or results of other settings in the file to resume.
    """
    known = [name for name in kernel_names() if name != "matvec" or arguments.kernels != ALL]
    names = chosen(arguments.kernels, known, arguments.limit, arguments.seed)
    heuristics, threads = _heuristics(arguments.heuristics), arguments.threads or default_threads()
    kept = {"seed": arguments.seed, "post_processing": arguments.post_processing, "threads": threads}
    kept["dataset"] = arguments.dataset
    store = Store(None if arguments.resume is None else Path(arguments.resume))
    store.open(kept)
    settings = kept | {"kernels": arguments.kernels, "samples": arguments.samples, "heuristics": list(heuristics)}
    bench = PolyGym(store, names, heuristics, kept, settings)
    bench.plots, bench.correlation = arguments.plots, arguments.rank_correlation
    return bench


class PolyGym(Bench):
    """The rounds, and what they add to the store."""

    correlation = False

    def __init__(
        self,
        store: Store,
        names: Sequence[str],
        heuristics: Sequence[str],
        kept: Mapping[str, Any],
        settings: Mapping[str, Any],
    ) -> None:
        self._store, self._names, self._heuristics, self._kept = store, names, heuristics, kept
        self.settings, self._samples = settings, settings["samples"]

    def steps(self) -> Iterator[Step]:
        """Samples in rounds over the kernels; kernels whose rounds ended by time catch up, as long as anything is
        added; the best once more."""
        starts = range(0, self._samples, ROUND)
        for until in (min(start + ROUND, self._samples) for start in starts):
            yield from self._round(until)
        count = -1
        while count != (count := sum(map(len, self._store.samples.values()))):
            yield from self._round(self._samples)
        for name in self._names:
            best = best_samples(self._store, name, self._heuristics)
            known = self._store.finals.get(name)
            if best and (known is None or known["best"] != best):  # not again where nothing has changed
                yield f"{name}: the best once more", partial(self._work, name, [], best)

    def _round(self, until: int) -> Iterator[Step]:
        """Samples of every kernel, as many as its time allows, until every heuristic has so many."""
        for name in self._names:
            have = {heuristic: len(self._store.samples[name, heuristic]) for heuristic in self._heuristics}
            wanted = [[heuristic, count, until - count] for heuristic, count in have.items() if count < until]
            if wanted and name not in self._store.failed:
                yield f"{name}: samples", partial(self._work, name, wanted, None)

    def _work(self, name: str, samples: list[list[Any]], finals: dict[str, int] | None) -> str:
        dataset = self._kept["dataset"]
        given = None if dataset is None else kernel(name).resolve(dataset)
        job = {**self._kept, "kernel": name, "sizes": self._store.sizes.get(name) or given, "samples": samples}
        job |= {"finals": finals, "seconds": ROUND_SECONDS}
        try:
            outcome = isolated_afresh(WORKER, job, seconds=8 * ROUND_SECONDS)
        except (PolyloopError, BackendError) as error:
            if not self._store.rounds[name]:
                self._store.add({"kernel": name, "what": "failed", "reason": str(error)})
            return f"{name}: {error}"
        if name not in self._store.sizes:
            self._store.add({"kernel": name, "what": "sizes", "sizes": outcome["sizes"]})
        self._store.add({"kernel": name, "what": "round"} | outcome["round"])
        for sample in outcome["samples"]:
            self._store.add({"kernel": name, "what": "sample"} | sample)
        if finals is not None:
            self._store.add({"kernel": name, "what": "final", "best": finals} | outcome["final"])
        new, have = len(outcome["samples"]), sum(len(self._store.samples[name, h]) for h in self._heuristics)
        so_far = f"{new} samples, {have} of {self._samples * len(self._heuristics)} so far"
        return f"{name}: {so_far if new else 'the best measured once more'}"

    def rows(self) -> Sequence[Row]:
        return [kernel_row(self._store, name, self._heuristics) for name in self._names if self._store.rounds[name]]

    def summary(self, rows: Sequence[Row]) -> Summary:
        return summarize_kernels(rows, self._heuristics, self._store.failed)

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        print_tables(console, rows, summary, self._heuristics, self.correlation)

    def drawings(self, rows: Sequence[Row], summary: Summary) -> Mapping[str, Callable[[Any], None]]:
        return drawings(rows, summary)

    def status(self, rows: Sequence[Row], summary: Summary) -> int:
        """1 if no kernel could be measured, or a result was wrong."""
        return 1 if summary["verified"]["different"] or not rows else 0


def _heuristics(given: str | None) -> tuple[str, ...]:
    if given is None:
        return HEURISTICS
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    for name in names:
        try:
            check_heuristic(name)
        except PolyloopError as error:
            raise UsageError(f"--heuristics: {error}") from error
    return names
