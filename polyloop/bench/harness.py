"""What all suites of ``polyloop bench`` share: rows, isolation, and the way from the first row to file and exit status.

A suite's module has a function ``bench(arguments)``, which checks the options and returns a `Bench`; `run` does the
rest. Most suites are a `RowBench`: named rows, measured one after the other.
"""

from __future__ import annotations

import os
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

from rich.console import Console
from rich.markup import escape

from polyloop.backend.config import use_color
from polyloop.backend.errors import BackendError
from polyloop.backend.run.worker import Worker, WorkerError
from polyloop.bench.report import console_for_tables, write_plots
from polyloop.bench.rows import Row, in_one_line, json_values
from polyloop.errors import PolyloopError
from polyloop.search.journal import append_line, opened
from polyloop.terminal.document import document
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import Destination

P = ParamSpec("P")
R = TypeVar("R")

Step: TypeAlias = tuple[str, Callable[[], str | None]]
"""What is being done, in a word, and what does it; that returns what to say afterwards."""

Summary: TypeAlias = dict[str, Any]

ALL = "all"
MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
"""What a row in a process of its own may take: rather a failed row than a machine that swaps."""


# --- a process of its own ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Refused:
    reason: str


def refusing(work: Callable[P, R]) -> Callable[P, R]:
    """For functions that `isolated` calls: what is wrong in words for people comes back as an error of this process."""

    @wraps(work)
    def guarded(*arguments: P.args, **more: P.kwargs) -> R:
        try:
            return work(*arguments, **more)
        except WorkerError:
            raise
        except (PolyloopError, BackendError) as error:
            return _Refused(str(error))  # type: ignore[return-value]

    return guarded


def isolated(worker: Worker, function: str, *arguments: object, seconds: float) -> Any:
    """What "module:function" returns in a process of its own.

    Raises:
        PolyloopError: with the reason why there is no result, if the function is `refusing`.
        WorkerError: after a crash, a hang, a blow-up of memory, or an error of any other kind.
    """
    result = worker.call(function, arguments, timeout=seconds)
    if isinstance(result, _Refused):
        raise PolyloopError(result.reason)
    return result


def isolated_afresh(function: str, *arguments: object, seconds: float) -> Any:
    """As `isolated`, in a new process, which ends with it; see `MEMORY`."""
    with Worker(MEMORY) as worker:
        return isolated(worker, function, *arguments, seconds=seconds)


def failed_row(name: str, error: Exception, facts: Mapping[str, Any] | None = None) -> Row:
    """A row that there is not, and what is known of it nevertheless."""
    kind = error.kind if isinstance(error, WorkerError) else "refused"
    return Row(name, failed=str(error), kind=kind, facts=facts or {})


# --- benches ----------------------------------------------------------------------------------------------------------


class Bench(ABC):
    """One run of a suite.

    Attributes:
        settings: what the figures depend on, for the file.
        machine: what the file says of the machine, beside what all files do.
        plots: the folder for the figures, or None; `kinds_of_plots`: of their files.
        saved_every: seconds between two writings of the file.
        keeps: whether anything is written at all.
    """

    settings: Mapping[str, Any]
    machine: Mapping[str, Any] = {}
    plots: str | None = None
    kinds_of_plots: Sequence[str] = ("svg",)
    saved_every = 0.0
    keeps = True

    @abstractmethod
    def steps(self) -> Iterator[Step]:
        """What is to be done. After every step the file is written, so that an interrupted run leaves what it has."""

    @abstractmethod
    def rows(self) -> Sequence[Row]:
        """Those so far."""

    @abstractmethod
    def summary(self, rows: Sequence[Row]) -> Summary:
        """Of the rows so far; begins with what `report.summarize` says of them."""

    @abstractmethod
    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        """Print the result."""

    def drawings(self, rows: Sequence[Row], summary: Summary) -> Mapping[str, Callable[[Any], None]]:
        """The figures that ``--plots`` draws; see `report.write_plots`."""
        return {}

    def status(self, rows: Sequence[Row], summary: Summary) -> int:
        """The exit status: 1 if a result was wrong or no row could be made."""
        return 1 if summary["verified"]["different"] or len(summary["failed"]) == len(rows) else 0

    def close(self) -> None:  # noqa: B027 (most have started nothing)
        """End what was started."""


class RowBench(Bench):
    """Rows that are measured one after the other.

    Args:
        names: of the rows.
        resume: a file of rows that an earlier run has measured, which new ones are added to.
    Raises:
        UsageError: if the file has rows of other settings.
        JournalError: if it is no file of JSON lines.
    """

    def __init__(self, names: Sequence[str], settings: Mapping[str, Any], resume: str | None = None) -> None:
        self.names, self.settings = names, settings
        self._file = None if resume is None else Path(resume)
        self._rows = list(self._resumed())

    def _resumed(self) -> Iterator[Row]:
        if self._file is None:
            return
        lines = opened(self._file, self.settings)
        if lines[0] != json_values(self.settings):
            raise UsageError(f"--resume: {self._file} has rows of other settings; take another file or remove it")
        for number, line in enumerate(lines[1:], 2):
            try:
                yield Row.of_json(line)
            except (ValueError, TypeError, AttributeError) as error:
                raise UsageError(f"--resume: {self._file}:{number}: this is no row of it: {error}") from error

    @abstractmethod
    def measure(self, name: str) -> Row:
        """The row of this name. Whatever it raises for people (and `WorkerError`) becomes a failed row."""

    def in_short(self, row: Row) -> str:
        """A row that did not fail, in some words."""
        return row.in_words or "not timed"

    def name_of(self, row: Row) -> str:
        """Which of `names` a row belongs to."""
        return row.row

    def steps(self) -> Iterator[Step]:
        done = {self.name_of(row) for row in self._rows}
        for number, name in enumerate(self.names, 1):
            if name not in done:
                yield f"{number}/{len(self.names)} {name}", partial(self._step, number, name)

    def _step(self, number: int, name: str) -> str:
        try:
            row = self.measure(name)
        except (PolyloopError, BackendError) as error:
            row = self.failure(name, error)
        self._rows.append(row)
        if self._file is not None:
            append_line(self._file, row.as_json())
        said = self.in_short(row) if row.failed is None else f"failed: {in_one_line(row.failed)}"
        return f"{number}/{len(self.names)} {name}: {said}"

    def failure(self, name: str, error: Exception) -> Row:
        """The row of an error."""
        return failed_row(name, error)

    def rows(self) -> Sequence[Row]:
        return self._rows


def run(suite: str, bench: Bench, place: Destination | None) -> int:
    """Run a bench to its end and report it.

    Args:
        place: where the file goes. It is written after every step; to standard output once, in the end or after an
            interrupt.
    Returns:
        The exit status.
    """
    place = place if bench.keeps else None
    progress = Console(stderr=True, no_color=not use_color(), highlight=False)
    saved = time.monotonic()
    try:
        with progress.status(suite) as status:
            for label, step in bench.steps():
                status.update(escape(label))
                if said := step():
                    progress.print(said, markup=False, soft_wrap=True)
                if place is not None and place.path is not None and time.monotonic() - saved >= bench.saved_every:
                    _save(place, suite, bench)
                    saved = time.monotonic()
    finally:
        bench.close()
        if place is not None and bench.rows():
            _save(place, suite, bench)
    rows = bench.rows()
    summary = bench.summary(rows)
    console = console_for_tables(errors=place is not None and place.path is None)
    bench.show(console, rows, summary)
    if bench.plots is not None:
        for line in write_plots(Path(bench.plots), bench.drawings(rows, summary), bench.kinds_of_plots):
            console.print(line, markup=False, soft_wrap=True)
    return bench.status(rows, summary)


def _save(place: Destination, suite: str, bench: Bench) -> None:
    rows = bench.rows()
    summary = json_values(bench.summary(rows))
    text = document(suite, bench.settings, [row.as_json() for row in rows], summary, bench.machine)
    place.write(text.encode())


# --- options ----------------------------------------------------------------------------------------------------------


def listed(option: str, given: str, known: Iterable[str], what: str = "") -> list[str]:
    """The names of a list with commas.

    Args:
        what: a name is, for the message ("contestant ").
    Raises:
        UsageError: for an unknown one.
    """
    names, there = [" ".join(name.split()) for name in given.split(",") if name.strip()], list(known)
    if unknown := [name for name in names if name not in there]:
        raise UsageError(f"{option}: there is no {what}{unknown[0]!r}; there are {', '.join(there)}")
    return names


def chosen(given: str, known: Iterable[str], limit: int | None, seed: int) -> list[str]:
    """The names that ``--kernels`` lists, or all, and of these as many as ``--limit`` says.

    Raises:
        UsageError: for an unknown name.
    """
    known = list(known)
    return limited(known if given == ALL else listed("--kernels", given, known), limit, seed)


def limited(every: Sequence[R], limit: int | None, seed: int) -> list[R]:
    """A seeded choice of so many, in their order."""
    if limit is None or limit >= len(every):
        return list(every)
    return [every[k] for k in sorted(random.Random(seed).sample(range(len(every)), limit))]
