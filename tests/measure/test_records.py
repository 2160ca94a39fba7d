"""Records: what a search leaves is found by the next one, proven again, and never taken for another machine's."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import polyloop
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import Cache
from polyloop.measure import database
from polyloop.measure.database import StoreError
from polyloop.measure.records import Memory, Record, Records, RecordsError, Task, known_candidates, record, schedule_of
from polyloop.measure.result import Candidate, Measurement
from polyloop.schedules.tree import Band, Leaf, Member, ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.transforms import Split, replay

SCOP = polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", m=24, k=16, n=32)


def split(size: int, scop: Scop = SCOP) -> Candidate:
    return Candidate(f"split {size}", scop, replay(original_tree(scop), (Split((), 0, size),)))


def of(candidate: Candidate, seconds: float, in_turn: bool = False, task: Task | None = None) -> Record:
    found = Measurement(seconds, seconds)
    return record(task or Task.of(SCOP, {}, host_target()), SCOP, candidate, found, in_turn)


def test_what_was_measured_in_turn_counts_before_what_was_lucky(tmp_path: Path) -> None:
    records, task = Records(tmp_path / "r.sqlite"), Task.of(SCOP, {}, host_target())
    records.add(
        [of(split(4), 3.0, True), of(split(8), 2.0, True), of(split(12), 1.0), of(Candidate("o", SCOP, None), 9.0)]
    )
    records.add([of(split(8), 0.5)])  # a single look does not replace a last round
    found = records.best(task, 9)
    assert [each.median for each in found] == [2.0, 3.0, 1.0, 9.0]
    known = known_candidates(records, task, SCOP, 2)
    assert [candidate.tree for candidate in known] == [split(8).tree, split(4).tree]
    assert all(candidate.scop is SCOP for candidate in known)
    records.close()


def test_nothing_of_one_task_is_taken_for_another(tmp_path: Path) -> None:
    records, target = Records(tmp_path / "r.sqlite"), host_target()
    task = Task.of(SCOP, {}, target)
    records.add([of(split(4), 1.0)])
    core = target.machine
    small = replace(core, caches=(Cache(16 << 10, 8, 4, 1), *core.caches[1:]))
    others = (
        Task.of(SCOP, {}, replace(target, cpu="another")),
        Task.of(SCOP, {}, replace(target, machine=small)),
        Task.of(SCOP, {}, target, threads=2),
        Task.of(SCOP, {}, target, reassociate=True),
        Task.of(SCOP, {}, target, contract=False),
        Task.of(polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", m=24, k=16, n=33), {}, target),
        Task.of(polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", m=24, k=16, n=32, dtype="f64"), {}, target),
    )
    assert len({*others, task}) == len(others) + 1
    assert [records.best(other) for other in others] == [()] * len(others)
    same = polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", m=24, k=16, n=32, name="another")
    assert len(records.best(Task.of(same, {}, target))) == 1
    records.close()


def test_files_merge_as_sets_and_as_lines(tmp_path: Path) -> None:
    first, second = Records(tmp_path / "1.sqlite"), Records(tmp_path / "2.sqlite")
    first.add([of(split(4), 1.0), of(split(8), 2.0)])
    second.add([of(split(8), 3.0, True), replace(of(split(12), 4.0), error="crashed")])
    second.close()
    assert first.merge(tmp_path / "2.sqlite") == 2
    every = set(first)
    assert sorted(each.median for each in every) == [1.0, 3.0, 4.0]
    assert first.merge(tmp_path / "2.sqlite") == 2
    assert set(first) == every
    (tmp_path / "lines.jsonl").write_text("\n".join(first.export()))
    third = Records(tmp_path / "3.sqlite")
    assert third.merge(tmp_path / "lines.jsonl") == 3
    assert set(third) == every
    assert third.prune(1) == 2
    assert [each.median for each in third] == [3.0]
    for path, text in (("none.sqlite", None), ("bad.sqlite", "nothing"), ("bad.jsonl", "[]")):
        if text is not None:
            (tmp_path / path).write_text(text)
        with pytest.raises(RecordsError):
            first.merge(tmp_path / path)
    first.close()
    third.close()


def test_records_that_cannot_be_read_or_proven_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records, task = Records(tmp_path / "r.sqlite"), Task.of(SCOP, {}, host_target())
    good = of(split(8), 2.0)
    said = json.loads(good.schedule)
    wrong = [json.dumps(said | {"tree": {"statements": ["S9"], "root": None}}), "{", json.dumps({"tree": 3})]
    records.add([good, *(replace(good, schedule=text, median=1.0) for text in wrong)])
    assert [c.tree for c in known_candidates(records, task, SCOP, 9)] == [split(8).tree]
    records.close()
    # A schedule that runs the sum's loop in lanes is none for sums that keep their order.
    names = (SCOP.statements[0].name,)
    members = tuple(Member(((names[0], row),)) for row in original_rows(SCOP))
    bad = ScheduleTree(
        names, Band((*members[:1], members[2], replace(members[1], kind=LoopKind.VECTOR)), False, Leaf())
    )
    monkeypatch.setenv("POLYLOOP_RECORDS", str(tmp_path / "bad.sqlite"))
    other = Records(tmp_path / "bad.sqlite")
    other.add([of(Candidate("bad", SCOP, bad), 1e-9, True, Task.of(SCOP, {}, host_target(), contract=True))])
    other.close()
    a, b, c = np.ones((24, 16), "f"), np.ones((16, 32), "f"), np.zeros((24, 32), "f")
    polyloop.compile(SCOP)(A=a, B=b, C=c)
    assert (c == 16).all()


def original_rows(scop: Scop) -> list[Affine]:
    return [member.rows[0][1] for _, band in original_tree(scop).bands() for member in band.members]


def test_optimize_and_compile_find_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_RECORDS", str(tmp_path / "r.sqlite"))
    first = polyloop.optimize(SCOP, budget=0.3)
    records = Records(tmp_path / "r.sqlite")
    count = len(records)
    assert 0 < count <= len(first.measurements)
    assert len({each.version for each in records}) == 1
    task = Task.of(first.scop, first.sizes, host_target())
    assert any(each.schedule for each in records.best(task, 9))
    tried: list[str] = []
    polyloop.optimize(SCOP, budget=0.3, progress=tried.append)
    assert tried[1].startswith("known, number 1")  # directly behind the original loops
    (known,) = known_candidates(records, task, first.scop, 1)
    assert schedule_of(known) == next(each.schedule for each in records.best(task, 9) if each.schedule)
    records.close()


def test_a_killed_process_leaves_what_it_had_kept(tmp_path: Path) -> None:
    place = tmp_path / "r.sqlite"
    code = f"""
import os, signal
from pathlib import Path
from polyloop.measure.records import Record, Records
records = Records(Path({str(place)!r}))
for number in range(50):
    records.add([Record(f"p{{number}}", "m", "s", "", 1.0, 1.0, 0.0, 1, None, 0, "v", float(number))])
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=False, timeout=120)
    records = Records(place)
    assert len(records) == 50
    records.close()


def test_memory_is_of_the_sizes_that_were_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_RECORDS", "off")
    records = Records(None)
    records.add([of(split(4), 1.0)])
    assert len(records) == 0
    assert records.best(Task.of(SCOP, {}, host_target())) == ()
    assert Memory(records, Task.of(SCOP, {}, host_target())).records.path is None


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"median": 0.0}, "0.0 in the median"),
        ({"minimum": -1.0}, "-1.0 seconds at least"),
        ({"median": "fast"}, "median is 'fast'"),
        ({"spread": float("inf")}, "spread is 'inf'"),
        ({"colour": "red"}, "the fields of one: colour"),
    ],
)
def test_lines_that_nobody_has_measured_are_refused_at_their_place(
    changed: dict[str, object], why: str, tmp_path: Path
) -> None:
    records, lines = Records(tmp_path / "r.sqlite"), tmp_path / "lines.json"
    good = of(split(4), 1.0)
    lines.write_text(f"{json.dumps(asdict(good))}\n{json.dumps(asdict(good) | changed)}\n")
    with pytest.raises(RecordsError, match=re.escape(f"{lines}:2: this is no record: ")) as raised:
        records.merge(lines)
    assert why in str(raised.value)
    assert len(records) == 0
    lines.write_text(json.dumps(asdict(good)))  # whatever the name ends in
    assert records.merge(lines) == 1
    records.close()


def test_a_file_with_any_name_is_read_and_left_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "what? #1 %20.sqlite"
    theirs, ours = Records(place), Records(tmp_path / "r.sqlite")
    theirs.add([of(split(4), 1.0), of(split(8), 2.0)])
    theirs.close()
    before = place.read_bytes()
    assert ours.merge(place) == 2
    assert place.read_bytes() == before
    assert [path for path in tmp_path.iterdir() if not path.name.startswith("r.")] == [place]
    ours.close()


def test_who_asks_for_the_file_itself_hears_why_it_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_PATIENCE", 0.01)
    later, garbage, held = (tmp_path / name for name in ("later", "garbage", "held"))
    with closing(sqlite3.connect(later)) as connection:
        connection.execute(f"pragma user_version = {Records.version + 1}")
    garbage.write_text("no file of SQLite")
    for place, why in ((later, "only a later polyloop reads"), (garbage, "not a database")):
        with pytest.raises(StoreError, match=why):
            len(Records(place, strict=True))
    assert garbage.read_text() == "no file of SQLite"  # it is not set aside either
    with closing(Records(held, strict=True)) as records, closing(sqlite3.connect(held)) as other:
        records.add([of(split(4), 1.0)])
        other.execute("begin immediate")
        with pytest.raises(StoreError, match="locked"):
            records.add([of(split(8), 1.0)])
        other.rollback()
        records.add([of(split(8), 1.0)])
        assert len(records) == 2
