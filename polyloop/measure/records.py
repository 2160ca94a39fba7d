"""What searches have found, kept for the next one: every schedule that was measured, for which program, where and how.

A record replays: its schedule is the text of `polyloop.measure.saved`, read, verified and proven whenever it is used.
Nothing that was measured on one machine is taken for another's, and what more schedules, searches or versions bring
invalidates nothing: records are added, and two files become one by union. Merged files may come from anywhere.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, astuple, dataclass, fields, replace
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from polyloop.backend.config import records_file
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target
from polyloop.backend.run.kept_files import package_version
from polyloop.errors import PolyloopError
from polyloop.measure.database import Key, Store, is_database
from polyloop.measure.result import Candidate, Measurement
from polyloop.measure.saved import Entry, SavedError, candidate_of, identity, tree_value
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.model import Scop

if TYPE_CHECKING:
    from polyloop.measure.evaluator import Evaluator


class RecordsError(PolyloopError):
    """A file that has no records; says which, and why."""


@dataclass(frozen=True)
class Task:
    """What a schedule is for.

    Attributes:
        program: hash of what the loops say, and of the sizes.
        machine: the processor, its instruction set and its caches.
        settings: threads, and what may be done to sums and roundings.
    """

    program: str
    machine: str
    settings: str

    @staticmethod
    def of(
        scop: Scop,
        sizes: Mapping[str, int],
        target: Target,
        threads: int = 1,
        reassociate: bool = False,
        contract: bool = True,
    ) -> Task:
        at = " ".join(f"{name}={sizes[name]}" for name in scop.parameters if name in sizes)
        program = sha256(f"{scop.text}\n{at}".encode()).hexdigest()[:32]
        words = [f"threads={threads}", *(["reassociate"] if reassociate else []), *(["contract"] if contract else [])]
        return Task(program, machine_key(target), " ".join(words))


def machine_key(target: Target) -> str:
    """What tells one machine from another: seconds of the one are not the other's."""
    caches = "-".join(str(cache.size >> 10) for cache in target.machine.caches)
    return f"{Key.of('', target, '').target} {target.machine.instructions} {caches}"


@dataclass(frozen=True)
class Record:
    """One schedule, measured.

    Attributes:
        schedule: as `schedule_of` writes it; "" for the original loops.
        minimum, median, spread, runs: see `Measurement`; 0 where there is an error.
        in_turn: measured in turn with others in a last round; else by itself during a search, when luck counts.
        version: of polyloop; `made`: seconds since 1970.
        name: of the program, for people; `text`: its loops, or as much as is known of them.
    """

    program: str
    machine: str
    settings: str
    schedule: str
    minimum: float
    median: float
    spread: float
    runs: int
    error: str | None
    in_turn: int
    version: str
    made: float
    name: str = ""
    text: str = ""


_COLUMNS = tuple(f.name for f in fields(Record))
_KEY = "program, machine, settings, schedule"
_ORDER = "order by in_turn desc, median"
_PLACED = (
    f"select *, row_number() over (partition by program, machine, settings {_ORDER}) as place"
    " from records where error is null"
)
"""Every schedule that runs, and its place among those of its task."""


@dataclass
class Records(Store):
    """A file of records; `path` None: nothing is known and nothing kept."""

    tables: ClassVar[Mapping[str, str]] = {
        "records": "(program text, machine text, settings text, schedule text, minimum real, median real, spread real,"
        " runs integer, error text, in_turn integer, version text, made real, name text, text text,"
        f" primary key ({_KEY})) without rowid"
    }
    version: ClassVar[int] = 1

    def add(self, records: Iterable[Record]) -> None:
        """Keep records, all or none; of two of one schedule that which was measured in turn, else the later one."""
        marks = ", ".join("?" for _ in _COLUMNS)
        self.execute_all(
            f"insert into records values ({marks}) on conflict ({_KEY}) do update set "
            + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS)
            + " where (excluded.in_turn, excluded.made) > (records.in_turn, records.made)",
            map(astuple, records),
        )

    def best(self, task: Task, most: int = 1) -> tuple[Record, ...]:
        """The fastest schedules that are known for a task; those that were measured in turn come first."""
        rows = self.execute(
            f"select {', '.join(_COLUMNS)} from records where program = ? and machine = ? and settings = ?"
            f" and error is null {_ORDER} limit ?",
            (task.program, task.machine, task.settings, most),
        )
        return tuple(Record(*row) for row in rows)

    def fastest(self, machine: str) -> tuple[Record, ...]:
        """The first of `best` of every task of a machine, by the programs' names."""
        rows = self.execute(
            f"select {', '.join(_COLUMNS)} from ({_PLACED}) where place = 1 and machine = ? order by name", (machine,)
        )
        return tuple(Record(*row) for row in rows)

    def __iter__(self) -> Iterator[Record]:
        for row in self.execute(f"select {', '.join(_COLUMNS)} from records order by {_KEY}"):
            yield Record(*row)

    def __len__(self) -> int:
        rows = self.execute("select count(*) from records")
        return int(rows[0][0]) if rows else 0

    def merge(self, path: Path) -> int:
        """Add what another file has; returns how many records that has.

        Raises:
            RecordsError: for what is neither a file of records nor lines that `export` has written.
        """
        try:
            others = _kept(path) if is_database(path) else _exported(path)
        except OSError as error:
            raise RecordsError(f"{path}: {error.strerror}") from error
        self.add(others)
        return len(others)

    def export(self) -> Iterator[str]:
        """Every record as a line of JSON."""
        return (json.dumps(asdict(each)) for each in self)

    def prune(self, keep: int) -> int:
        """Of every task the `keep` fastest stay, and what has failed goes; returns how many went."""
        before = len(self)
        self.execute(
            f"delete from records where ({_KEY}) not in (select {_KEY} from ({_PLACED}) where place <= ?)", (keep,)
        )
        return before - len(self)


def known_records(strict: bool = False) -> Records:
    """Those of ``POLYLOOP_RECORDS``."""
    return Records(records_file(), strict=strict)


def _kept(path: Path) -> list[Record]:
    """What a file of SQLite has; it is left as it is, and may lie where nothing can be written."""
    # Without a log nobody writes, and nothing needs to be made beside the file.
    mode = "ro" if path.with_name(f"{path.name}-wal").exists() else "ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True)) as connection:
            version = connection.execute("pragma user_version").fetchone()[0]
            if version == Records.version:
                rows = connection.execute(f"select {', '.join(_COLUMNS)} from records").fetchall()
                return [_checked(dict(zip(_COLUMNS, row, strict=True))) for row in rows]
            connection.execute("select count(*) from records")
    except (sqlite3.Error, ValueError) as error:
        raise RecordsError(f"{path}: this is no file of records: {error}") from error
    raise RecordsError(f"{path}: its records are of version {version}, here is {Records.version}")


def _exported(path: Path) -> list[Record]:
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            if line.strip():
                found.append(_checked(json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise RecordsError(
                f"{path}:{number}: this is no record: {error}; polyloop db export writes them, each in its line"
            ) from error
    return found


_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "float": (float, int),
    "int": (int,),
    "str | None": (str, type(None)),
}


def _checked(said: object) -> Record:
    """A record of what somebody else has written.

    Raises:
        ValueError: for anything else, and for seconds that nothing can take.
    """
    if not isinstance(said, dict) or (names := set(said)) != set(_COLUMNS):
        differs = "" if not isinstance(said, dict) else ": " + ", ".join(sorted(names ^ set(_COLUMNS)))
        raise ValueError(f"it has not the fields of one{differs}")
    for each in fields(Record):
        value = said[each.name]
        if type(value) not in _TYPES[str(each.type)] or (isinstance(value, float) and not isfinite(value)):
            raise ValueError(f"{each.name} is {str(value)[:40]!r}")
    made = Record(**said)
    if made.error is None and not 0 < made.minimum <= made.median:
        raise ValueError(f"it took {made.minimum} seconds at least, {made.median} in the median")
    return made


# --- schedules --------------------------------------------------------------------------------------------------------


def record(task: Task, scop: Scop, candidate: Candidate, found: Measurement, in_turn: bool = False) -> Record:
    """What is kept of a candidate."""
    minimum, median, spread, runs = (
        (found.minimum, found.median, found.spread, found.runs) if found.ran else (0.0, 0.0, 0.0, 0)
    )
    return Record(
        task.program,
        task.machine,
        task.settings,
        schedule_of(candidate),
        minimum,
        median,
        spread,
        runs,
        found.error,
        int(in_turn),
        package_version()[:16],
        time.time(),
        scop.name,
        scop.text,
    )


def schedule_of(candidate: Candidate) -> str:
    """The schedule of a candidate as JSON; "" for the original loops."""
    if candidate.tree is None:
        return ""
    changes = [str(change) for change in candidate.changes]
    tree = tree_value(candidate.tree)
    said = {"explicit": candidate.explicit, "apart": sorted(candidate.apart), "changes": changes, "tree": tree}
    return json.dumps(said, sort_keys=True)


def known_candidates(records: Records, task: Task, scop: Scop, most: int = 2) -> list[Candidate]:
    """The fastest schedules that are known for a task, yet to be proven; those that cannot be read any more are left
    out."""
    found: list[Candidate] = []
    for each in records.best(task, most + 1):  # one is perhaps of the original loops
        if not each.schedule or len(found) == most:
            continue
        try:
            made = candidate_of(_entry(scop, json.loads(each.schedule)), scop, "the records")
        except (SavedError, ValueError, KeyError, TypeError):
            continue
        steps = ("a schedule that an earlier search has found",)
        found.append(replace(made, name=f"known, number {len(found) + 1}", steps=steps))
    return found


def known_tree(scop: Scop, threads: int, reassociate: bool, contract: bool) -> ScheduleTree | None:
    """The fastest schedule that an earlier search has found for a program of known sizes on this machine, if any."""
    task = Task.of(scop, {}, host_target(), threads, reassociate, contract)
    with closing(known_records()) as records:
        found = known_candidates(records, task, scop, 1)
    return next((c.tree for c in found if c.explicit and not c.changes and not c.apart), None)


def _entry(scop: Scop, said: Mapping[str, Any]) -> Entry:
    apart, changes = (tuple(map(str, said[name])) for name in ("apart", "changes"))
    return Entry(scop.name, 0, *identity(scop), "", "", bool(said["explicit"]), apart, changes, said["tree"])


# --- searches of whole Scops ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Memory:
    """What is known of one search's Scop, before it and after it."""

    records: Records
    task: Task

    @staticmethod
    def of(evaluator: Evaluator) -> Memory:
        options = evaluator.options
        how = options.threads, options.reassociate, options.contract
        return Memory(known_records(), Task.of(evaluator.scop, evaluator.sizes, evaluator.target, *how))

    def try_known(self, evaluator: Evaluator) -> None:
        """Prove, run and compare what is known to be fast: a search goes on from there, and cannot end below it."""
        for candidate in known_candidates(self.records, self.task, evaluator.scop):
            evaluator.evaluate(candidate)

    def keep(self, evaluator: Evaluator) -> None:
        """Every candidate that was measured."""
        kept = []
        for name, candidate in evaluator.candidates.items():
            found = evaluator.measured.get(name)
            if found is not None and (found.ran or candidate.tree is not None):
                kept.append(record(self.task, evaluator.scop, candidate, found, name in evaluator.last_round))
        self.records.add(kept)
        self.records.close()
