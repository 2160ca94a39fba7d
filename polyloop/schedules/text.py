"""Schedules as files: isl's schedule-tree text, and Polly's jscop.

isl's text keeps bands, flags and, in marks above the bands, loop kinds. jscop (``polly-export-jscop``) is flat: one map
per statement, so that only the order survives. What is read has to be proven like any other tree.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import islpy as isl

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import Access
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.backend.llvm.integers import scalar_text
from polyloop.backend.run.worker import Worker, WorkerError
from polyloop.schedules.isl_trees import (
    ScheduleFormError,
    inserted,
    kinds_mark,
    member_of_values,
    partial_schedule,
    tree_from_isl,
)
from polyloop.schedules.tree import Band, Branch, Leaf, Member, Node, Path, ScheduleTree, Sequence
from polyloop.scop.affine_isl import NotAffineError, affine_from_aff, affine_to_text
from polyloop.scop.model import Scop, Statement

# isl's ISL_YAML_STYLE_BLOCK; islpy takes the integer.
_BLOCK_STYLE = 0

_READ_SECONDS = 20.0


def to_isl_text(scop: Scop, tree: ScheduleTree) -> str:
    """The tree in isl's YAML-like syntax, one item a line, bands with all their members, kinds in marks above them."""

    def insert(band: Band, _: Path, node: isl.ScheduleNode) -> isl.ScheduleNode:
        node = node.insert_partial_schedule(partial_schedule(scop, band.members))
        node = node.band_set_permutable(band.permutable)
        for k, member in enumerate(band.members):
            node = node.band_member_set_coincident(k, member.coincident)
        if any(member.kind is not LoopKind.SEQUENTIAL for member in band.members):
            node = node.insert_mark(isl.Id(kinds_mark(band.members))).child(0)
        return node.child(0)

    node = isl.Schedule.from_domain(scop.domain).get_root().child(0)
    schedule = inserted(scop, tree.root, (), node, insert).get_schedule()
    printer = isl.Printer.to_str(schedule.get_ctx()).set_yaml_style(_BLOCK_STYLE)
    return str(printer.print_schedule(schedule).get_str())


def from_isl_text(scop: Scop, text: str) -> ScheduleTree:
    """The tree that `to_isl_text` wrote, or any other isl schedule of the Scop's statements.

    Raises:
        ScheduleFormError: if it is no schedule, or not one of this Scop's domain, or of a form that our trees lack.
    """
    _check_readable(text)
    try:
        schedule = isl.Schedule(text)
    except isl.Error as error:
        raise ScheduleFormError(f"this is no isl schedule tree: {_first_line(error)}") from error
    if not scop.domain.is_subset(schedule.get_domain()):
        raise ScheduleFormError(f"the schedule's domain does not hold all instances of {scop.name}")
    return tree_from_isl(scop, schedule.intersect_domain(scop.domain))


def _check_readable(text: str) -> None:
    """isl's reader of schedules crashes on text of another form ("domain: 5"), so another process tries it first.

    Raises:
        ScheduleFormError: if the reader crashes or does not end. Its errors are left to whoever reads.
    """
    if "\0" in text:
        raise ScheduleFormError("this is no isl schedule tree: it has a zero byte")
    try:
        with Worker() as worker:
            worker.call(f"{__name__}:_read", (text,), timeout=_READ_SECONDS)
    except WorkerError as error:
        if error.kind != "error":
            raise ScheduleFormError(f"this is no isl schedule tree: isl cannot read it ({error.kind})") from error


def _read(text: str) -> None:
    isl.Schedule(text)


def to_jscop(scop: Scop, tree: ScheduleTree) -> str:
    """The Scop with the tree as flat schedules, in the form of Polly's ``polly-export-jscop``; UTF-8 JSON text."""
    rows = tree.rows()
    content = {
        "arrays": [
            {
                "name": array.name,
                "sizes": ["*" if extent is None else str(extent) for extent in array.shape],
                "type": scalar_text(array.type),
            }
            for array in scop.arrays
        ],
        "context": str(scop.known),
        "name": scop.name,
        "statements": [_jscop_statement(scop, statement, rows[statement.name]) for statement in scop.statements],
    }
    return json.dumps(content, indent=3) + "\n"


def from_jscop(scop: Scop, text: str) -> ScheduleTree:
    """The tree of a jscop's schedules; statements are told by their names, everything else in the file is left out.

    Raises:
        ScheduleFormError: if it is no jscop, if a statement is missing or if a schedule is not one affine function.
    """
    try:
        statements = {entry["name"]: entry["schedule"] for entry in json.loads(text)["statements"]}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ScheduleFormError(f"this is no jscop: {_first_line(error) or 'no statements'}") from error
    missing = [s.name for s in scop.statements if s.name not in statements]
    if missing:
        raise ScheduleFormError(f"the jscop has no schedule for {', '.join(missing)}")
    return tree_from_rows(scop, {s.name: _rows_of(s, str(statements[s.name])) for s in scop.statements})


def tree_from_rows(scop: Scop, rows: Mapping[str, tuple[Affine, ...]]) -> ScheduleTree:
    """The tree of flat schedules: constant columns become sequences, runs of other columns bands.

    Args:
        rows: for each statement its schedule over its iterators and the parameters; shorter ones count as padded with
            zeros.
    """
    names = tuple(s.name for s in scop.statements)
    length = max((len(rows[name]) for name in names), default=0)
    padded = {name: (*rows[name], *[affine(0)] * (length - len(rows[name]))) for name in names}
    return ScheduleTree(names, _from_columns(names, padded, 0, length))


def _from_columns(names: tuple[str, ...], rows: Mapping[str, tuple[Affine, ...]], column: int, length: int) -> Node:
    """The columns from `column` on, for the statements that agree in all earlier constants."""
    members: list[Member] = []
    while column < length:
        values = [rows[name][column] for name in names]
        if all(value.is_constant for value in values):
            constants = sorted({value.constant for value in values})
            if len(constants) > 1:
                break
        else:
            members.append(member_of_values(tuple(zip(names, values, strict=True))))
        column += 1
    child: Node = Leaf()
    if column < length:
        branches = []
        for constant in constants:
            below = tuple(name for name in names if rows[name][column].constant == constant)
            branches.append(Branch(below, _from_columns(below, rows, column + 1, length)))
        child = Sequence(tuple(branches))
    return Band(tuple(members), False, child) if members else child


def _jscop_statement(scop: Scop, statement: Statement, rows: tuple[Affine, ...]) -> dict[str, object]:
    image = ", ".join(affine_to_text(row) for row in rows)
    parameters = ", ".join(scop.parameters)
    return {
        "accesses": [
            {"kind": kind, "relation": str(scop.access_map(statement, access).gist_domain(statement.domain))}
            for kind, access in _accesses(statement)
        ],
        "domain": str(statement.domain),
        "name": statement.name,
        "schedule": f"[{parameters}] -> {{ {statement.point} -> [{image}] }}",
    }


def _accesses(statement: Statement) -> Iterator[tuple[str, Access]]:
    yield from (("read", access) for access in statement.reads)
    yield "write", statement.target


def _rows_of(statement: Statement, text: str) -> tuple[Affine, ...]:
    try:
        relation = isl.Map(text)
    except isl.Error as error:
        raise ScheduleFormError(f"the schedule of {statement.name} is no isl map: {_first_line(error)}") from error
    inputs = relation.dim(isl.dim_type.in_)
    if inputs != statement.depth:
        raise ScheduleFormError(f"the schedule of {statement.name} has {inputs} iterators, not {statement.depth}")
    if not relation.is_single_valued() or not _covers(relation, statement):
        raise ScheduleFormError(f"the schedule of {statement.name} does not give every instance one place")
    function = relation.as_pw_multi_aff()
    columns = [function.get_pw_aff(k).get_pieces() for k in range(function.dim(isl.dim_type.out))]
    if any(len(pieces) != 1 for pieces in columns):
        raise ScheduleFormError(f"the schedule of {statement.name} is not one affine function")
    try:
        return tuple(affine_from_aff(aff, statement.iterators) for ((_, aff),) in columns)
    except NotAffineError as error:
        raise ScheduleFormError(f"the schedule of {statement.name}: {error}") from error


def _covers(relation: isl.Map, statement: Statement) -> bool:
    return bool(statement.domain.is_subset(relation.domain().set_tuple_name(statement.name)))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]
