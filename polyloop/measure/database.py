"""What was measured, kept between runs: a SQLite file in WAL mode, which many processes may read and write at once.

A measurement is found by what was run (the canonical text of a nest and its data), on which processor, and how. The
noise is kept with it: smallest and median seconds, their spread and how many runs there were.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from polyloop.backend.config import cache_directory
from polyloop.backend.errors import PolyloopWarning
from polyloop.backend.machine.target import Target
from polyloop.errors import PolyloopError
from polyloop.measure.result import Fate, Measurement

_PATIENCE = 2.0  # seconds to wait for another process's write
_MAGIC = b"SQLite format 3\0"


class DatabaseWarning(PolyloopWarning):
    """Measurements that could not be kept, or were damaged."""


class StoreError(PolyloopError):
    """A file that cannot be used, of somebody who asked for it; says which, and why."""


class _NotOursError(sqlite3.OperationalError):
    """A file of another program, or of a later version of this one: it is left as it is."""


Row: TypeAlias = "tuple[Any, ...]"


@dataclass(frozen=True)
class Key:
    """What was run, where and how.

    Attributes:
        program: hash of the canonical nest and its arrays.
        target: the processor and its features.
        settings: how often and how long, and what else the seconds depend on.
    """

    program: str
    target: str
    settings: str

    @staticmethod
    def of(program: str, target: Target, settings: str) -> Key:
        """The key of a program's text."""
        features = sha256(target.features.encode()).hexdigest()[:8]
        return Key(sha256(program.encode()).hexdigest(), f"{target.cpu} {target.vector_bits} {features}", settings)


@dataclass
class Store:
    """A SQLite file of some tables. Errors of the file (a full disk, a folder that cannot be written) cost what it
    would keep, nothing else.

    Attributes:
        path: the file; None: there is none.
        strict: what is asked of the file is done or raises a StoreError; nothing is lost in silence.
    """

    path: Path | None = None
    strict: bool = field(default=False, kw_only=True)
    _connection: sqlite3.Connection | None = field(default=None, repr=False, kw_only=True)
    _owner: int = field(default=0, repr=False, kw_only=True)

    tables: ClassVar[Mapping[str, str]]
    """Columns by the name of a table."""
    version: ClassVar[int]
    """Of what the rows say."""

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        if self._connection is not None and self._owner == os.getpid():
            self._connection.close()
        self._connection = None

    def __getstate__(self) -> dict[str, object]:
        return {"path": self.path, "strict": self.strict, "_connection": None, "_owner": 0}

    def execute(self, command: str, values: tuple[object, ...] = ()) -> list[Row]:
        """The rows of a command; none where the file cannot be used.

        Raises:
            StoreError: where it cannot, of a strict store.
        """
        return self._tried(lambda connection: connection.execute(command, values).fetchall())

    def execute_all(self, command: str, values: Iterable[tuple[object, ...]]) -> None:
        """A command with each of some values, all of them or none.

        Raises:
            StoreError: as `execute`.
        """
        every = list(values)
        self._tried(lambda connection: connection.executemany(command, every).fetchall())

    def _tried(self, asked: Callable[[sqlite3.Connection], list[Row]]) -> list[Row]:
        for _ in range(2):
            try:
                connection = self._open()
                if connection is None:
                    return []
                with connection:
                    return asked(connection)
            except (sqlite3.Error, OSError) as error:
                if self.strict:
                    raise StoreError(f"{self.path}: {error}") from error
                if "locked" in str(error):  # waited for once: whoever holds it so long does not end soon
                    self._give_up(f"{self.path} is locked by another process; what this one measures is not kept")
                if isinstance(error, _NotOursError):
                    self._give_up(f"{self.path} is {error}; what is measured is not kept")
                if isinstance(error, OSError | sqlite3.OperationalError):
                    return []
                self._set_aside(error)
        return []

    def _give_up(self, reason: str) -> None:
        self.close()
        self.path = None
        warnings.warn(reason, DatabaseWarning, stacklevel=2)

    def _set_aside(self, error: Exception) -> None:
        """Make room for a new file in the place of a damaged one."""
        self.close()
        assert self.path is not None
        aside = self.path.with_name(f"{self.path.name}.damaged")
        try:
            os.replace(self.path, aside)
            for ending in ("-wal", "-shm"):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        except OSError:
            self._give_up(f"{self.path} is damaged ({error}) and cannot be moved; it is not used")
            return
        warnings.warn(f"{self.path} was damaged ({error}); it is now {aside.name}", DatabaseWarning, stacklevel=2)

    def _open(self) -> sqlite3.Connection | None:
        # A connection does not survive a fork.
        if self.path is None or (self._connection is not None and self._owner == os.getpid()):
            return self._connection
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=_PATIENCE, check_same_thread=False)
        try:
            self._ask_whose(connection)
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = normal")
            self._prepare(connection)
        except sqlite3.Error:
            connection.close()
            raise
        self._connection, self._owner = connection, os.getpid()
        return connection

    def _ask_whose(self, connection: sqlite3.Connection) -> None:
        """Before anything is changed: who names a file may have named another program's.

        Raises:
            _NotOursError: unless the file is empty, or has our tables and no later version.
        """
        names = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
        version = _version(connection)
        if names and (version == 0 or not self.tables.keys() <= names):
            raise _NotOursError("a file of another program")
        if version > self.version:
            raise _NotOursError(f"a file of version {version}, which only a later polyloop reads")

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables; rows of an earlier version mean something else, and go."""
        if _version(connection) == self.version:
            return
        with connection:
            connection.execute("begin immediate")
            self._ask_whose(connection)
            if _version(connection) < self.version:  # still: another process may have been here
                for name, columns in self.tables.items():
                    connection.execute(f"drop table if exists {name}")
                    connection.execute(f"create table {name} {columns}")
                connection.execute(f"pragma user_version = {self.version}")


def is_database(path: Path) -> bool:
    """Whether a file begins as those of SQLite do."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("pragma user_version").fetchone()[0])


@dataclass
class Database(Store):
    """Measurements by key. What was put stays known to this object where the file cannot keep it.

    Attributes:
        path: the file; None keeps everything in memory. By default one in `backend.config.cache_directory`.
    """

    path: Path | None = field(default_factory=lambda: cache_directory() / "measurements.sqlite")
    _memory: dict[Key, Measurement] = field(default_factory=dict, repr=False)

    tables: ClassVar[Mapping[str, str]] = {
        "measurements": "(program text, target text, settings text, minimum real, median real, spread real,"
        " runs integer, error text, primary key (program, target, settings)) without rowid"
    }
    version: ClassVar[int] = 2
    """1: the spread of trees was (largest - smallest) / smallest, that of nests as in `Measurement`."""

    def get(self, key: Key) -> Measurement | None:
        """What is known, None if nothing is."""
        if key not in self._memory:
            rows = self.execute(
                "select minimum, median, spread, runs, error from measurements"
                " where program = ? and target = ? and settings = ?",
                (key.program, key.target, key.settings),
            )
            if not rows:
                return None
            minimum, median, spread, runs, error = rows[0]
            self._memory[key] = Measurement(
                minimum, median, spread, runs, error, Fate.RAN if error is None else Fate.FAILED
            )
        return self._memory[key]

    def put(self, key: Key, record: Measurement) -> None:
        """Keep a measurement; a later one replaces an earlier one."""
        self._memory[key] = record
        values = (key.program, key.target, key.settings)
        found = (record.minimum, record.median, record.spread, record.runs, record.error)
        self.execute("insert or replace into measurements values (?, ?, ?, ?, ?, ?, ?, ?)", (*values, *found))

    def __len__(self) -> int:
        rows = self.execute("select count(*) from measurements", ())
        return int(rows[0][0]) if rows else len(self._memory)

    def forget(self) -> None:
        """Drop what this object remembers; a file keeps what it has."""
        self._memory.clear()

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "_memory": {}}
