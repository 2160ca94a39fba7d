"""Measured schedules of random programs, as a table in a Parquet file.

    family, program, schedule, seconds, noise, runs, error, seed, number; one row for a schedule
    machine: the description's name, which the file's metadata have whole; version: of polyloop

A table is made part by part, each written in full or not at all, so that making it may end at any moment and go on
later; several processes may share the work. Programs and schedules are texts that read back (`.programs`, `.schedules`)
and features are worked out by whoever learns.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import Machine
from polyloop.backend.run.kept_files import package_version
from polyloop.errors import PolyloopError
from polyloop.measure.database import Database
from polyloop.measure.measured_programs import MeasuredPrograms
from polyloop.measure.programs import ModelledPrograms, ProgramEvaluator
from polyloop.measure.result import Measurement
from polyloop.models.programs import problem_of, random_program
from polyloop.models.schedules import random_schedules
from polyloop.support.files import write_atomically

if TYPE_CHECKING:
    import pyarrow as pa

    from polyloop.measure.pool import Pool

SCHEMA_VERSION = "1"
PART = 4
"""Programs of a part."""
TREE_SHARE = 0.5
"""Of the schedules asked for, how many a program gets whose schedules are trees: each takes as long as many nests."""
SPOILT = 8
"""Failures in a row after which a program's other schedules are left."""

_MACHINES, _VERSION = b"polyloop.machines", b"polyloop.schema"


class DatasetError(PolyloopError):
    """A data set that cannot be made or read; the message says why."""


@dataclass(frozen=True)
class Row:
    """One schedule of one program.

    Attributes:
        program, schedule: texts that read back.
        seconds: the shortest run; infinite where there is none, and `error` says why.
        noise: how far two looks at it lay apart, as a fraction; else how far the median lies above the shortest.
        seed, number: of the generator, and which of its programs this is.
    """

    family: str
    program: str
    schedule: str
    machine: str
    seconds: float
    noise: float
    runs: int
    error: str
    version: str
    seed: int
    number: int


@dataclass(frozen=True)
class Recipe:
    """What makes a data set.

    Attributes:
        count: programs; `schedules`: of each, at most.
        evaluator: "worker" measures here; "model" asks the analytic model of this machine, and is deterministic.
        looks: how often every schedule of a program is measured, in rounds one after the other: the least counts.
        shard: (k, n): of every n parts in a row the k-th, from 0, is made here.
        families: of the programs; none: all.
    """

    count: int
    seed: int = 0
    schedules: int = 50
    evaluator: str = "worker"
    looks: int = 1
    shard: tuple[int, int] = (0, 1)
    families: tuple[str, ...] = ()

    @property
    def parts(self) -> range:
        """Numbers of the parts that this shard makes."""
        return range(self.shard[0], -(-self.count // PART), self.shard[1])

    def identity(self, machine: str) -> dict[str, Any]:
        """What has to agree where making goes on."""
        said = {"seed": self.seed, "schedules": self.schedules, "evaluator": self.evaluator, "looks": self.looks}
        said |= {"families": list(self.families)} if self.families else {}
        return {**said, "machine": machine, "schema": SCHEMA_VERSION}


def arrow() -> Any:
    """pyarrow with its Parquet module.

    Raises:
        DatasetError: where it is not installed; says what to install.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise DatasetError("data sets are Parquet files, which take pyarrow: pip install 'polyloop[cost]'") from error
    return pyarrow


# --- making -----------------------------------------------------------------------------------------------------------


def make(path: Path, recipe: Recipe, progress: Callable[[str], None] | None = None, pool: Pool | None = None) -> int:
    """Make what of a data set is not made yet; its parts are put together when all are there.

    Args:
        pool: who makes the parts, each for the machine that it runs on; else this process does.
    Returns:
        Rows of the file; of the parts so far, while other shards have not made theirs.
    Raises:
        DatasetError: where the file is there already, the parts of another recipe stand, or pyarrow is missing.
    """
    arrow()
    machine = host_target().machine
    folder = path.with_name(f"{path.name}.parts")
    if path.exists():
        raise DatasetError(f"{path} is there already: remove it to make it anew, or give another name")
    folder.mkdir(parents=True, exist_ok=True)
    _begin(folder / "recipe.json", recipe.identity("those of a pool" if pool else machine.name))
    missing = [number for number in recipe.parts if not _part(folder, recipe, number).exists()]
    for number, rows, where in _made(recipe, missing, machine, pool):
        write(_part(folder, recipe, number), [replace(row, machine=where.name) for row in rows], {where.name: where})
        if progress is not None:
            progress(f"part {number + 1} of {recipe.parts.stop}: {len(rows)} schedules")
    every = [_part(folder, recipe, number) for number in range(recipe.parts.stop)]
    here = [part for part in every if part.exists()]
    if len(here) < len(every):
        return sum(len(read(part)) for part in here)
    count = merge(path, here)
    for part in (*folder.glob("part-*.parquet"), folder / "recipe.json"):
        part.unlink(missing_ok=True)  # another shard may have been here
    if not any(folder.iterdir()):
        folder.rmdir()
    return count


def _made(
    recipe: Recipe, numbers: Sequence[int], machine: Machine, pool: Pool | None
) -> Iterator[tuple[int, list[Row], Machine]]:
    """Parts with the machine that each was made on, as they come."""
    if pool is not None:
        for done in pool.run(f"{__name__}:made_part", [(recipe, number) for number in numbers]):
            yield numbers[done.number], done.result, done.machine
    elif numbers:
        with closing(_evaluator(recipe, machine)) as evaluator:
            for number in numbers:
                yield number, list(_rows(recipe, number, evaluator, machine)), machine


def made_part(job: tuple[Recipe, int]) -> list[Row]:
    """A part of a recipe, made by this process."""
    recipe, number = job
    machine = host_target().machine
    with closing(_evaluator(recipe, machine)) as evaluator:
        return list(_rows(recipe, number, evaluator, machine))


def _evaluator(recipe: Recipe, machine: Machine) -> Any:
    return ModelledPrograms(machine) if recipe.evaluator == "model" else MeasuredPrograms(database=Database(None))


def _begin(place: Path, identity: Mapping[str, Any]) -> None:
    """
    Raises:
        DatasetError: where other parts stand.
    """
    text = json.dumps(identity, sort_keys=True)
    try:
        known = place.read_text(encoding="utf-8")
    except FileNotFoundError:
        write_atomically(place, text, durable=True)
        return
    if known != text:
        raise DatasetError(
            f"{place.parent} has parts of another data set, {known}; this one is {text}. Give another "
            "name, or remove the folder"
        )


def _rows(recipe: Recipe, number: int, evaluator: ProgramEvaluator, machine: Machine) -> Iterator[Row]:
    for program in _programs(recipe, number):
        yield from _program_rows(recipe, program, evaluator, machine)


def _program_rows(recipe: Recipe, number: int, evaluator: ProgramEvaluator, machine: Machine) -> list[Row]:
    """Of the program of a number: its own generator draws it, so that parts can be made in any order."""
    rng = np.random.default_rng([recipe.seed, number])
    made = random_program(rng, recipe.families)
    problem = problem_of(made.text)
    is_tree = not hasattr(problem, "pattern")
    count = max(2, int(recipe.schedules * TREE_SHARE)) if is_tree else recipe.schedules
    drawn = random_schedules(problem, rng, count, host_target())
    found: dict[str, list[Measurement]] = {text: [] for text in drawn}
    for look in range(1 if is_tree or recipe.evaluator == "model" else recipe.looks):
        failed = 0
        for text, program in drawn.items():
            if look and not found[text][0].ran:
                continue
            found[text].append(record := evaluator.evaluate(problem, program))
            failed = 0 if record.ran else failed + 1
            if failed >= SPOILT:
                break
        forget = getattr(evaluator, "forget", None)
        if forget is not None:
            forget()
    rows = []
    for text, records in found.items():
        if records:
            rows.append(_row(made.family, made.text, text, machine, records, (recipe.seed, number)))
    return rows


def _row(
    family: str, program: str, schedule: str, machine: Machine, records: list[Measurement], at: tuple[int, int]
) -> Row:
    ran, version = [record for record in records if record.ran], package_version()[:16]
    if not ran:
        nothing = float("inf"), 0.0, 0, str(records[0].error)
        return Row(family, program, schedule, machine.name, *nothing, version, *at)
    least = min(record.minimum for record in ran)
    apart = max(record.minimum for record in ran) / least - 1.0 if len(ran) > 1 else ran[0].spread
    runs = sum(record.runs for record in ran)
    return Row(family, program, schedule, machine.name, least, apart, runs, "", version, *at)


# --- files ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dataset:
    """The rows of a file, and the machines that they name."""

    rows: tuple[Row, ...]
    machines: Mapping[str, Machine] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def by_program(self) -> dict[tuple[str, str], list[Row]]:
        """Rows that have seconds, by program and machine."""
        groups: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows:
            if not row.error:
                groups.setdefault((row.program, row.machine), []).append(row)
        return groups


def write(path: Path, rows: Sequence[Row], machines: Mapping[str, Machine]) -> None:
    """Write a file in full or not at all."""
    pa = arrow()
    described = {name: json.loads(machine.to_json()) for name, machine in machines.items()}
    metadata = {_MACHINES: json.dumps(described).encode(), _VERSION: SCHEMA_VERSION.encode()}
    columns = {f.name: [getattr(row, f.name) for row in rows] for f in fields(Row)}
    table = pa.table(columns, schema=_schema(pa).with_metadata(metadata))
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink, compression="zstd", compression_level=19)
    write_atomically(path, sink.getvalue().to_pybytes(), durable=True)


def read(path: Path) -> Dataset:
    """
    Raises:
        DatasetError: for what is no such file.
    """
    pa = arrow()
    if not path.exists():
        raise DatasetError(f"there is no file {path}")
    try:
        table = pa.parquet.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise DatasetError(f"{path}: this is no data set: {error}") from error
    metadata = table.schema.metadata or {}
    if metadata.get(_VERSION) != SCHEMA_VERSION.encode() or set(table.column_names) != {f.name for f in fields(Row)}:
        raise DatasetError(f"{path}: this is no data set of version {SCHEMA_VERSION} of its schema")
    described = json.loads(metadata[_MACHINES])
    machines = {name: Machine.from_json(json.dumps(text), f"{path}: {name}") for name, text in described.items()}
    return Dataset(tuple(Row(**row) for row in table.to_pylist()), machines)


def merge(path: Path, others: Iterable[Path]) -> int:
    """The union of some files as one; of two rows for one schedule on one machine the first stays, whichever file has
    it. Machines of one name that differ, as a core with and without its widest vectors, are numbered. Returns how many
    rows there are.

    Raises:
        DatasetError: for what is no such file.
    """
    rows: dict[tuple[str, str, str], Row] = {}
    machines: dict[str, Machine] = {}
    for other in others:
        found = read(other)
        names: dict[str, str] = {}
        for name, machine in found.machines.items():
            numbered = (name if count == 1 else f"{name} ({count})" for count in itertools.count(1))
            own = (replace(machine, name=each) for each in numbered)
            one = next(one for one in own if machines.get(one.name, one) == one)
            names[name], machines[one.name] = one.name, one
        for row in found.rows:
            named = replace(row, machine=names[row.machine])
            rows.setdefault((named.program, named.schedule, named.machine), named)
    write(path, list(rows.values()), machines)
    return len(rows)


def _schema(pa: Any) -> pa.Schema:
    types = {"str": pa.string(), "float": pa.float64(), "int": pa.int64()}
    return pa.schema([(f.name, types[str(f.type)]) for f in fields(Row)])


def _programs(recipe: Recipe, number: int) -> range:
    """Numbers of the programs of a part."""
    return range(number * PART, min((number + 1) * PART, recipe.count))


def _part(folder: Path, recipe: Recipe, number: int) -> Path:
    """A last part of fewer programs has a name of its own: it is not that of a recipe with more."""
    count = len(_programs(recipe, number))
    return folder / f"part-{number:06}{'' if count == PART else f'-{count}'}.parquet"
