"""Data sets: made part by part, whatever ends it, shared and merged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from polyloop.models.dataset import PART, Dataset, DatasetError, Recipe, make, merge, read, write

pytest.importorskip("pyarrow")

RECIPE = Recipe(count=2 * PART + 1, seed=4, schedules=5, evaluator="model")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    place = tmp_path_factory.mktemp("dataset") / "whole.parquet"
    assert make(place, RECIPE) == len(read(place))
    assert [path.name for path in place.parent.iterdir()] == ["whole.parquet"]
    return read(place)


def test_every_program_has_its_schedules_and_the_machine_is_named(whole: Dataset) -> None:
    assert {row.number for row in whole.rows} == set(range(RECIPE.count))
    assert {row.machine for row in whole.rows} == set(whole.machines)
    assert all(row.seconds > 0 and row.error == "" and len(row.version) == 16 for row in whole.rows)
    assert len(whole.by_program()) == RECIPE.count
    assert all(2 <= len(rows) <= RECIPE.schedules for rows in whole.by_program().values())


def test_shards_come_to_the_same(whole: Dataset, tmp_path: Path) -> None:
    place = tmp_path / "shared.parquet"
    first = make(place, replace(RECIPE, shard=(0, 2)))
    assert 0 < first < len(whole)
    assert not place.exists()
    assert make(place, replace(RECIPE, shard=(1, 2))) == len(whole)
    assert set(read(place).rows) == set(whole.rows)


def test_a_killed_process_loses_the_part_under_way_only(whole: Dataset, tmp_path: Path) -> None:
    place = tmp_path / "killed.parquet"
    code = f"from pathlib import Path; from polyloop.models.dataset import *; make(Path({str(place)!r}), {RECIPE!r})"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], env=environment) as process:
        parts = place.with_name(f"{place.name}.parts")
        while process.poll() is None and not list(parts.glob("part-*.parquet")):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    kept = {path: path.stat().st_mtime_ns for path in parts.glob("part-*.parquet")}
    assert place.exists() or make(place, RECIPE) == len(whole)
    assert kept or not parts.exists()
    assert set(read(place).rows) == set(whole.rows)


def test_another_recipe_does_not_go_on(tmp_path: Path) -> None:
    place = tmp_path / "d.parquet"
    make(place, replace(RECIPE, shard=(0, 3)))
    with pytest.raises(DatasetError, match="parts of another data set"):
        make(place, replace(RECIPE, seed=5))


def test_programs_are_of_the_families_asked_for(tmp_path: Path) -> None:
    place = tmp_path / "d.parquet"
    make(place, replace(RECIPE, count=3, families=("scop", "window")))
    assert {row.family for row in read(place).rows} <= {"scop", "window"}
    make(place := tmp_path / "e.parquet", replace(RECIPE, shard=(0, 3), families=("scop",)))
    with pytest.raises(DatasetError, match="parts of another data set"):
        make(place, RECIPE)


def test_what_is_made_is_not_made_again_or_overwritten(whole: Dataset, tmp_path: Path) -> None:
    place = tmp_path / "d.parquet"
    write(place, whole.rows, whole.machines)
    with pytest.raises(DatasetError, match=r"d\.parquet is there already"):
        make(place, replace(RECIPE, seed=5))
    assert set(read(place).rows) == set(whole.rows)
    assert list(tmp_path.iterdir()) == [place]


def test_a_last_part_of_fewer_programs_is_not_taken_for_a_whole_one(whole: Dataset, tmp_path: Path) -> None:
    place, fewer = tmp_path / "d.parquet", replace(RECIPE, count=RECIPE.count - 2)
    made = make(place, replace(fewer, shard=(1, 2)))
    assert made == sum(row.number in range(PART, RECIPE.count - 2) for row in whole.rows)
    assert make(place, RECIPE) == len(whole)
    assert [path.name for path in tmp_path.iterdir()] == [place.name]


def test_merging_is_the_union(whole: Dataset, tmp_path: Path) -> None:
    (name, machine), rows = next(iter(whole.machines.items())), whole.rows
    write(tmp_path / "a.parquet", rows[:9], whole.machines)
    write(tmp_path / "b.parquet", [replace(row, seconds=2 * row.seconds) for row in rows[5:]], whole.machines)
    assert merge(tmp_path / "c.parquet", [tmp_path / "a.parquet", tmp_path / "b.parquet"]) == len(rows)
    found = read(tmp_path / "c.parquet").rows
    assert set(found[:9]) == set(rows[:9])
    assert sorted(r.seconds for r in found[9:]) == sorted(2 * r.seconds for r in rows[9:])
    write(tmp_path / "b.parquet", rows, {name: replace(machine, gigahertz=1.0)})
    assert merge(tmp_path / "c.parquet", [tmp_path / "a.parquet", tmp_path / "b.parquet"]) == 9 + len(rows)
    both = read(tmp_path / "c.parquet")
    assert both.machines == {name: machine, f"{name} (2)": replace(machine, name=f"{name} (2)", gigahertz=1.0)}
    assert [row.machine for row in both.rows[8:10]] == [name, f"{name} (2)"]
    (tmp_path / "d.parquet").write_text("nothing")
    with pytest.raises(DatasetError, match="no data set"):
        read(tmp_path / "d.parquet")
