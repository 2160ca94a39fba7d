"""``polyloop bench fuzz``: seeded random episodes, everything checked, each within a time limit.

A suite is a function from a job to an `Outcome`; it runs in a worker process, so that crashes and hangs are reported
like wrong results. A job is {"seed", "number", "kernel", "run"}: an episode is a function of these alone, whatever came
before it, so that it can be repeated by ``--only NUMBER``, an interrupted run goes on where its file ends, and every
core has a worker.
"""

from __future__ import annotations

import json
import os
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from rich.console import Console

from polyloop.backend.run.worker import Worker, WorkerError
from polyloop.bench.fuzz_outcome import Outcome
from polyloop.bench.harness import Bench, Step, Summary, chosen
from polyloop.bench.report import print_lines, summarize
from polyloop.bench.rows import Row
from polyloop.shipped.kernels import kernel_names
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import STANDARD_OUTPUT

SUITES = {
    "schedules": "polyloop.bench.fuzz_schedules:episode",
    "contractions": "polyloop.bench.fuzz_contractions:episode",
    "walks": "polyloop.bench.fuzz_walks:episode",
    "emitted": "polyloop.bench.fuzz_emitted:episode",
    "programs": "polyloop.bench.fuzz_emitted:programs_episode",
    "reproducible": "polyloop.bench.fuzz_emitted:reproducible_episode",
    "sweeps": "polyloop.bench.fuzz_sweeps:episode",
}
"""Suite -> "module:function"."""

LIMIT_SECONDS = 120.0
"""Of one episode, without the time for code generation and runs, which have limits of their own."""
LONGER_LIMITS = {"emitted": 1800.0, "programs": 1800.0, "reproducible": 1800.0, "sweeps": 3600.0}
"""Of the episodes of a suite that are many in one."""

_EPISODES_OF_A_WORKER = 100
"""islpy gives back a little less memory than it takes with every call; a process of thousands of proofs runs out."""

_NOTHING = {"episodes": 0, "wrong": 0, "compared": 0, "different": 0, "seconds": 0.0, "slowest": 0.0, "counts": {}}
_KEPT = 200
_LONGEST_TEXT = 4000
_LONGEST_LINE = 180


@dataclass
class Tally:
    """The episodes so far; the JSON file's rows and summary are made of it, and it of them.

    Attributes:
        done: number of the next episode.
        seconds: spent on all.
        rows: by subject.
        wrong, notes: the first of each, with the number of the episode.
    """

    done: int = 0
    seconds: float = 0.0
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    wrong: list[dict[str, Any]] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)

    def add(self, number: int, outcome: Outcome, seconds: float) -> None:
        row = self.rows.setdefault(outcome.subject, {"kernel": outcome.subject} | _NOTHING)
        row["episodes"] += 1
        row["wrong"] += bool(outcome.errors)
        row["compared"] += outcome.compared
        row["different"] += outcome.different
        row["seconds"] += seconds
        row["slowest"] = max(row["slowest"], seconds)
        row["counts"] = dict(Counter(row["counts"]) + outcome.counts)
        where = {"number": number, "kernel": outcome.subject}
        self.wrong += [where | {"what": what[:_LONGEST_TEXT]} for what in outcome.errors]
        self.notes += [where | {"what": what[:_LONGEST_TEXT]} for what in outcome.notes]
        del self.wrong[_KEPT:], self.notes[_KEPT:]
        self.done, self.seconds = number + 1, self.seconds + seconds

    def summary(self) -> dict[str, Any]:
        """The file's summary; "done" says where to go on."""
        totals: Counter[str] = Counter()
        for row in self.rows.values():
            totals.update(row["counts"])
        slowest = max(self.rows.values(), key=lambda row: float(row["slowest"]), default=None)
        return {
            "done": self.done,
            "seconds": self.seconds,
            "episodes": sum(row["episodes"] for row in self.rows.values()),
            "failed": sum(row["wrong"] for row in self.rows.values()),
            "verified": {name: sum(row[name] for row in self.rows.values()) for name in ("compared", "different")},
            "slowest": None if slowest is None else {"seconds": slowest["slowest"], "row": slowest["kernel"]},
            "counts": dict(sorted(totals.items())),
            "wrong": self.wrong,
            "notes": self.notes,
        }

    @classmethod
    def of_document(cls, content: Mapping[str, Any]) -> Tally:
        """The inverse of what `document` writes."""
        summary = content["summary"]
        rows = {row["kernel"]: {name: row[name] for name in ("kernel", *_NOTHING)} for row in content["rows"]}
        return cls(summary["done"], summary["seconds"], rows, summary["wrong"], summary["notes"])


@dataclass(frozen=True)
class Settings:
    """What the episodes depend on."""

    suite: str
    seed: int
    count: int
    run: int
    kernels: tuple[str, ...]

    def job(self, number: int) -> dict[str, Any]:
        """Kernels come one after the other, so that what is known of one serves the next; runs are spread evenly."""
        return {
            "seed": self.seed,
            "number": number,
            "kernel": self.kernels[number * len(self.kernels) // self.count],
            "run": number * self.run // self.count != (number + 1) * self.run // self.count,
        }


def bench(arguments: Namespace) -> Fuzz:
    """The episodes that the command line asks for.

    Raises:
        UsageError: for unknown suites and kernels, and for a file of other settings.
    """
    settings, only = _settings(arguments), arguments.only
    if only is not None and only >= settings.count:
        raise UsageError(f"--only {only}: the episodes of --count {settings.count} are 0 to {settings.count - 1}")
    tally = _saved(None if arguments.json in (None, STANDARD_OUTPUT) else Path(arguments.json), settings)
    bench = Fuzz(settings, tally, range(tally.done, settings.count))
    if only is not None:
        bench = Fuzz(settings, Tally(), range(only, only + 1))
        bench.keeps = False
    return bench


class Fuzz(Bench):
    """Episodes side by side, which are counted one after the other."""

    saved_every = 30.0

    def __init__(self, settings: Settings, tally: Tally, numbers: Sequence[int]) -> None:
        self._settings, self._tally, self._numbers = settings, tally, numbers
        self.settings = _as_json(settings)
        cores = max(1, min(len(os.sched_getaffinity(0)), len(numbers)))
        self._pool = ThreadPoolExecutor(cores)
        self._workers = [Worker() for _ in range(cores)]
        self._free: SimpleQueue[tuple[Worker, int]] = SimpleQueue()
        """Workers that have nothing to do, with their episodes so far."""
        for worker in self._workers:
            self._free.put((worker, 0))

    def steps(self) -> Iterator[Step]:
        jobs = [self._settings.job(number) for number in self._numbers]
        episodes = [self._pool.submit(self._episode, job) for job in jobs]
        for job, episode in zip(jobs, episodes, strict=True):
            yield f"{job['number'] + 1}/{self._settings.count} {job['kernel']}", partial(self._step, job, episode)

    def _episode(self, job: Mapping[str, Any]) -> tuple[Outcome, float]:
        worker, episodes = self._free.get()
        if episodes % _EPISODES_OF_A_WORKER == 0:
            worker.close()
        try:
            return _outcome(worker, self._settings.suite, job)
        finally:
            self._free.put((worker, episodes + 1))

    def _step(self, job: Mapping[str, Any], episode: Future[tuple[Outcome, float]]) -> str | None:
        outcome, seconds = episode.result()
        self._tally.add(job["number"], outcome, seconds)
        if self._settings.suite not in LONGER_LIMITS:
            return None
        said = f"{outcome.compared} results compared, {outcome.different} different; errors: {len(outcome.errors)}"
        return f"{job['number'] + 1}/{self._settings.count}: {said} ({seconds:.0f} s)"

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def rows(self) -> Sequence[Row]:
        return [Row(name, facts=facts) for name, facts in self._tally.rows.items()]

    def summary(self, rows: Sequence[Row]) -> Summary:
        return summarize(rows) | self._tally.summary()

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        compared, different = summary["verified"]["compared"], summary["verified"]["different"]
        lines = [
            f"{summary['episodes']} episodes in {summary['seconds']:.0f} s, {summary['failed']} failed; "
            f"results compared: {compared}, different: {different}"
        ]
        if summary["slowest"] is not None:
            lines.append(f"slowest episode: {summary['slowest']['seconds']:.1f} s ({summary['slowest']['row']})")
        lines.append(", ".join(f"{what}: {times}" for what, times in summary["counts"].items()))
        for kind in ("wrong", "notes"):
            for item in summary[kind][:20]:
                line = f"{kind}: episode {item['number']} ({item['kernel']}): {item['what']}".replace("\n", "; ")
                lines.append(line[:_LONGEST_LINE])
        print_lines(console, lines)

    def status(self, rows: Sequence[Row], summary: Summary) -> int:
        """1 if anything was wrong."""
        return 1 if self._tally.wrong else 0


def _outcome(worker: Worker, suite: str, job: Mapping[str, Any]) -> tuple[Outcome, float]:
    start = time.monotonic()
    try:
        outcome = worker.call(SUITES[suite], (dict(job),), timeout=LONGER_LIMITS.get(suite, LIMIT_SECONDS))
        assert isinstance(outcome, Outcome)
    except WorkerError as error:
        outcome = Outcome(str(job["kernel"]))
        outcome.count("hung" if error.kind == "timeout" else "failed")
        outcome.wrong(f"{error} {error.details}".strip())
    return outcome, time.monotonic() - start


def _settings(arguments: Namespace) -> Settings:
    suite = arguments.suite_of_fuzz
    if suite not in SUITES:
        raise UsageError(f"--suite: there is no {suite!r}; there are {', '.join(SUITES)}")
    names = tuple(chosen(arguments.kernels, kernel_names(), None, 0))
    count = arguments.count
    run = min(arguments.run_episodes if arguments.run_episodes is not None else max(count * 300 // 20_000, 1), count)
    return Settings(suite, arguments.seed, count, run, names)


def _saved(path: Path | None, settings: Settings) -> Tally:
    """What an earlier run of the same settings has left in the file."""
    if path is None or not path.exists():
        return Tally()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["suite"] == "fuzz" and content["settings"] == _as_json(settings):
            return Tally.of_document(content)
    except (ValueError, KeyError, TypeError):
        pass
    raise UsageError(f"--json: {path} holds something else than these episodes; take another file or remove it")


def _as_json(settings: Settings) -> dict[str, Any]:
    return asdict(settings) | {"kernels": list(settings.kernels)}
