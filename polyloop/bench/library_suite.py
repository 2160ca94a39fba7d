"""What the benchmarks against libraries have in common: rows from a worker process, their summary, table and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial, reduce
from importlib.util import find_spec
from statistics import fmean, median
from typing import Any

import numpy as np
from rich.console import Console

from polyloop.backend.errors import BackendError
from polyloop.backend.run.peak import peak_gflops
from polyloop.backend.run.worker import Worker
from polyloop.bench.blas import mkl_version
from polyloop.bench.blis import blis_version
from polyloop.bench.contest import BEST, Job, at_best
from polyloop.bench.harness import RowBench, Step, Summary, isolated, limited, listed
from polyloop.bench.library_settings import LIBRARIES, Chosen, Library, held_back, variables
from polyloop.bench.report import closing, means, print_lines, print_table, ratio_cells, summarize, worst
from polyloop.bench.rows import REPRODUCIBLE, Row, in_one_line
from polyloop.bench.tvm import TUNING_SECONDS, TVM
from polyloop.errors import PolyloopError
from polyloop.terminal.document import geometric_mean

LEVELS = (0.95, 1.0, 1.03)
"""Ratios to the fastest rival that a summary counts the rows of."""

_ROW_SECONDS = 300.0
_TRIED_ROWS, _TRIED_ROUNDS = (3, 8), 11  # of the rows a twentieth, at least and at most so many


def contestants(given: str | None, known: Sequence[str]) -> tuple[str, ...]:
    """The names given with --against; by default all known ones, save our own with ``--reproducible``, and one that is
    installed and tunes for minutes on every row.

    Raises:
        UsageError: for a name that is not known.
    """
    if given is None:
        by_itself = (name for name in known if name != REPRODUCIBLE)
        return tuple(name for name in by_itself if name != TVM or find_spec(name) is None)
    return tuple(listed("--against", given, known, "contestant "))


class _Turn:
    """Contestants that are measured together, by name, in a worker whose environment has their settings."""

    def __init__(self, against: tuple[str, ...], settings: Mapping[str, str]) -> None:
        self.against, self.settings = against, settings
        environment = {name: value for setting in settings.values() for name, value in variables(setting).items()}
        # What tunes in processes of its own gets the machine's memory, not a worker's.
        self.worker = Worker(memory_bytes=None, environment=environment)


class LibraryBench(RowBench):
    """Rows of a worker process, beside libraries.

    Args:
        jobs: by name of each row, what the worker's function is called with.
        function: "module:function", called in a process of its own; a crash or a hang fails one row.
        settings: among them "against".
    """

    def __init__(self, jobs: Mapping[str, Job], function: str, settings: Mapping[str, Any], dtype: str) -> None:
        super().__init__(list(jobs), settings)
        self.jobs, self.function = jobs, function
        self.machine = {"peak_gflops": peak_gflops(dtype, fresh=True)}
        self.machine |= {"libraries": {"numpy": np.__version__, "mkl": mkl_version(), "blis": blis_version()}}
        self.chosen: dict[str, Chosen] = {}
        self._turns: list[_Turn] = []

    def steps(self) -> Iterator[Step]:
        for library in LIBRARIES:
            names = tuple(name for name in library.contestants if name in self.settings["against"])
            if names and library.installed() and not library.given:
                yield f"settings of {names[0]}", partial(self._choose, library, names)
        yield from super().steps()

    def _choose(self, library: Library, names: tuple[str, ...]) -> str:
        known: dict[str, str] = {}
        chosen = Chosen.of({s: self._tried(s, names, known if library.exact else {}) for s in library.candidates()})
        self.chosen |= dict.fromkeys(names, chosen)
        return f"{', '.join(names)}: {chosen}"

    def _tried(self, setting: str, names: tuple[str, ...], known: dict[str, str]) -> dict[str, float] | str:
        """By row, the ratio of the fastest of these contestants to ours; or why there is none.

        Args:
            known: the settings that lead to kernels; this one is added.
        """
        turn, reason = _Turn(names, dict.fromkeys(names, setting)), "it takes part in no row"
        ratios: dict[str, float] = {}
        rows = min(max(len(self.names) // 20, _TRIED_ROWS[0]), _TRIED_ROWS[1])
        with turn.worker:
            for name in limited(self.names, rows, seed=0):
                try:
                    row = self._measured(name, turn, rounds=_TRIED_ROUNDS)
                except (PolyloopError, BackendError) as error:
                    return in_one_line(error)
                for kernels in row.facts["kernels"].values():
                    if known.setdefault(kernels, setting) != setting:
                        return f"its kernels are those of {known[kernels] or 'the library as it comes'} ({kernels})"
                if BEST in row.ratios:
                    ratios[name] = row.ratios[BEST].value
                reason = next(iter(row.missing.values()), reason)
        return ratios or reason

    def measure(self, name: str) -> Row:
        self._turns = self._turns or list(self._all_turns())
        return reduce(at_best, [self._measured(name, turn) for turn in self._turns])

    def _all_turns(self) -> Iterator[_Turn]:
        """First all contestants, each with its fastest setting; then those that have more, with the next."""
        yield _Turn(tuple(self.settings["against"]), {name: chosen.settings[0] for name, chosen in self.chosen.items()})
        for number in range(1, max((len(chosen.settings) for chosen in self.chosen.values()), default=1)):
            more = {n: chosen.settings[number] for n, chosen in self.chosen.items() if number < len(chosen.settings)}
            yield _Turn(tuple(more), more)

    def _measured(self, name: str, turn: _Turn, **changes: Any) -> Row:
        limit = _ROW_SECONDS + (TUNING_SECONDS if TVM in turn.against else 0.0)
        job = replace(self.jobs[name], against=turn.against, settings=turn.settings, **changes)
        row = isolated(turn.worker, self.function, name, job, seconds=limit)
        assert isinstance(row, Row)
        return replace(row, facts={**row.facts, "settings": {n: s for n, s in turn.settings.items() if s}})

    def close(self) -> None:
        for turn in self._turns:
            turn.worker.close()

    def in_short(self, row: Row) -> str:
        return ", ".join(filter(None, (f"{row.facts['peak_fraction']:.0%} of the peak", row.in_words)))

    def summary(self, rows: Sequence[Row]) -> Summary:
        given = {
            name: Chosen((library.given,)) for library in LIBRARIES if library.given for name in library.contestants
        }
        settings = {name: chosen for name, chosen in (given | self.chosen).items() if name in self.settings["against"]}
        return summarize_libraries(rows) | {"settings": {name: asdict(chosen) for name, chosen in settings.items()}}

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        names = list(summary["speedup"])
        header = ["row", "us", "GFLOPS", "peak", *(f"x {name}" for name in names), "compile ms", "check"]
        print_table(console, header, [[row.row, *_cells(row, names)] for row in rows])
        print_lines(console, [f"{name}: {Chosen(**known)}" for name, known in summary["settings"].items()])
        print_lines(console, held_back(self.settings["against"]))
        print_lines(console, _words(summary))


def summarize_libraries(rows: Sequence[Row]) -> Summary:
    """Of all rows so far: also what `BEST` of them is, that of each panel where a set has panels, the ratios without
    what calling a library takes, the share of the peak, compilation."""
    timed = [row for row in rows if row.failed is None]
    known = summarize(rows)
    calling = [row.facts["without_calling"] for row in timed]
    shares = [row.facts["peak_fraction"] for row in timed]
    return known | {
        "without_calling": {n: geometric_mean(each[n] for each in calling if each.get(n)) for n in known["speedup"]},
        "best": _best(timed),
        "panels": _panels(timed),
        "peak_fraction": geometric_mean(shares),
        "lowest_peak_fraction": min(shares, default=None),
        "compile_seconds": median(row.facts["compile_seconds"] for row in timed) if timed else None,
    }


def _best(rows: Sequence[Row]) -> dict[str, Any] | None:
    """What all rows say of their fastest rivals: the mean ratio between those of the intervals' ends, how often which
    rival it was, the share of rows whose ratio is so high, and the share that is so high beyond doubt."""
    found = [row.ratios[BEST] for row in rows if BEST in row.ratios]
    if not found:
        return None
    return {
        "mean": geometric_mean(ratio.value for ratio in found),
        "low": geometric_mean(ratio.low for ratio in found),
        "high": geometric_mean(ratio.high for ratio in found),
        "rivals": dict(Counter(row.rival for row in rows if row.rival is not None).most_common()),
        "at_least": {str(level): fmean(ratio.value >= level for ratio in found) for level in LEVELS},
        "beyond_doubt": {str(level): fmean(ratio.low >= level for ratio in found) for level in LEVELS},
    }


def _panels(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Mean and smallest ratio of each panel to the fastest rivals."""
    panels: dict[str, dict[str, float]] = {}
    for row in rows:
        if "panel" in row.facts and BEST in row.ratios:
            panels.setdefault(row.facts["panel"], {})[row.row] = row.ratios[BEST].value
    return {name: {"mean": geometric_mean(found.values()), "worst": worst(found)} for name, found in panels.items()}


def _cells(row: Row, names: Sequence[str]) -> list[str]:
    if row.failed is not None:
        return ["failed"]
    found = [row.ratios.get(name) for name in names]
    return [
        f"{1e6 * row.seconds['ours']:.4g}",
        f"{row.facts['gflops']['ours']:.1f}",
        f"{row.facts['peak_fraction']:.1%}",
        *("-" if ratio is None else "{} ({})".format(*ratio_cells(ratio)) for ratio in found),
        f"{1e3 * row.facts['compile_seconds']:.1f}",
        row.verdict("agree"),
    ]


def _words(summary: Summary) -> list[str]:
    lines = means(summary, 3)
    for name, mean in summary["without_calling"].items():
        if mean is not None:
            lines.append(f"x {name}, the cost of its call taken away: geometric mean {mean:.3f}")
    for name, panel in summary["panels"].items():
        lines.append(
            f"{name}: x {BEST} {panel['mean']:.3f}, worst {panel['worst']['ratio']:.2f} ({panel['worst']['row']})"
        )
    lines += _best_words(summary["best"])
    if summary["slower"]:
        lines.append(f"slower than their fastest rival beyond doubt: {', '.join(summary['slower'])}")
    if summary["peak_fraction"]:
        lines.append(
            f"of the peak: geometric mean {summary['peak_fraction']:.1%}, lowest {summary['lowest_peak_fraction']:.1%}"
        )
    return lines + closing(summary)


def _best_words(best: Mapping[str, Any] | None) -> list[str]:
    if best is None:
        return []
    rivals = ", ".join(f"{name} in {rows}" for name, rows in best["rivals"].items())
    shares = [
        f"{share:.0%} at {level} (beyond doubt {best['beyond_doubt'][level]:.0%})"
        for level, share in best["at_least"].items()
    ]
    ends = f"{best['low']:.3f}..{best['high']:.3f}"
    return [
        f"{BEST} is the fastest rival of each row: {rivals}; intervals: {ends} in the mean",
        f"rows by what they reach of {BEST}: {', '.join(shares)}",
    ]
