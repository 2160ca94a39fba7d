"""The database of measurements: what was put is found by other objects and processes, and errors cost nothing."""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

import polyloop.measure.database
from polyloop.backend.machine.host import host_target
from polyloop.measure.database import Database, DatabaseWarning, Key, StoreError
from polyloop.measure.result import Measurement

RECORD = Measurement(1e-6, 1.1e-6, 0.1, 5)


def key(program: str = "for i", settings: str = "5 samples") -> Key:
    return Key.of(program, host_target(), settings)


def test_what_was_put_is_found_by_another_object(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "measurements.sqlite"
    first = Database(path)
    assert first.get(key()) is None
    first.put(key(), RECORD)
    first.put(key("for j"), Measurement.failed("no registers left"))
    first.close()
    second = Database(path)
    assert second.get(key()) == RECORD
    assert second.get(key("for j")) == Measurement.failed("no registers left")
    assert len(second) == 2
    second.close()


def test_program_processor_and_settings_tell_measurements_apart(tmp_path: Path) -> None:
    database = Database(tmp_path / "m.sqlite")
    database.put(key(), RECORD)
    other = Key.of("for i", replace(host_target(), cpu="another"), "5 samples")
    assert [database.get(k) for k in (key("for j"), key(settings="7 samples"), other)] == [None, None, None]
    database.put(key(), replace(RECORD, runs=9))
    assert database.get(key()) == replace(RECORD, runs=9)
    database.close()


def test_two_objects_write_one_file(tmp_path: Path) -> None:
    databases = [Database(tmp_path / "m.sqlite") for _ in range(2)]
    for number in range(20):
        databases[number % 2].put(key(str(number)), replace(RECORD, runs=number))
    assert [databases[0].get(key(str(number))) for number in range(20)] == [replace(RECORD, runs=n) for n in range(20)]
    with sqlite3.connect(tmp_path / "m.sqlite") as connection:
        assert connection.execute("pragma journal_mode").fetchone() == ("wal",)
    connection.close()
    for database in databases:
        database.close()


def test_a_file_that_cannot_be_written_costs_the_memory_between_runs_only(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("this is no folder")
    database = Database(blocked / "m.sqlite")
    database.put(key(), RECORD)
    assert database.get(key()) == RECORD
    assert Database(blocked / "m.sqlite").get(key()) is None


def test_a_damaged_file_is_moved_aside_and_a_new_one_begun(tmp_path: Path) -> None:
    path, garbage = tmp_path / "m.sqlite", b"not a database" * 100
    path.write_bytes(garbage)
    database = Database(path)
    with pytest.warns(DatabaseWarning, match=r"was damaged \(file is not a database\); it is now m\.sqlite\.damaged"):
        database.put(key(), RECORD)
    database.close()
    assert (tmp_path / "m.sqlite.damaged").read_bytes() == garbage
    again = Database(path)
    assert again.get(key()) == RECORD
    again.close()


def test_a_locked_file_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polyloop.measure.database, "_PATIENCE", 0.05)
    path = tmp_path / "m.sqlite"
    first = Database(path)
    first.put(key("before"), RECORD)
    first.close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("begin exclusive")
    database = Database(path)
    with pytest.warns(DatabaseWarning, match="is locked by another process"):
        database.put(key(), RECORD)
    assert database.path is None
    database.put(key("more"), RECORD)
    assert (database.get(key()), database.get(key("more"))) == (RECORD, RECORD)
    holder.execute("rollback")
    holder.close()


def test_a_copy_in_another_process_opens_the_file_itself(tmp_path: Path) -> None:
    database = Database(tmp_path / "m.sqlite")
    database.put(key(), RECORD)
    again = pickle.loads(pickle.dumps(database))
    assert again.get(key()) == RECORD
    again.close()
    database.close()


def test_rows_of_an_earlier_version_are_dropped_and_a_later_versions_file_is_left_alone(tmp_path: Path) -> None:
    old, later = tmp_path / "old.sqlite", tmp_path / "later.sqlite"
    for path in (old, later):
        database = Database(path)
        database.put(key(), RECORD)
        database.close()
    _set_version(old, 1)
    _set_version(later, 1000)
    for path in (old, later):
        database = Database(path)
        with pytest.warns(DatabaseWarning, match="only a later polyloop reads") if path == later else nullcontext():
            assert database.get(key()) is None
        database.put(key(), replace(RECORD, runs=9))
        assert database.get(key()) == replace(RECORD, runs=9)
        database.close()
    again = Database(old)
    assert again.get(key()) == replace(RECORD, runs=9)
    again.close()
    connection = sqlite3.connect(later)
    assert connection.execute("select runs from measurements").fetchall() == [(RECORD.runs,)]
    connection.close()


@pytest.mark.parametrize(("table", "version"), [("measurements", 0), ("bookmarks", 0), ("bookmarks", 1)])
def test_a_file_of_another_program_is_left_as_it_is(tmp_path: Path, table: str, version: int) -> None:
    path = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"create table {table} (page text)")
        connection.execute(f"insert into {table} values ('x')")
    _set_version(path, version)
    before = path.read_bytes()
    database = Database(path)
    with pytest.warns(
        DatabaseWarning, match=r"theirs\.sqlite is a file of another program; what is measured is not kept"
    ):
        database.put(key(), RECORD)
    assert database.get(key()) == RECORD
    database.close()
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(StoreError, match="another program"):
        Database(path, strict=True).execute("select 1")


def _set_version(path: Path, version: int) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"pragma user_version = {version}")
    connection.close()
