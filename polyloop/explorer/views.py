"""What the explorer shows, as rich text: nothing here knows of a terminal, nor of where the text will stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from polyloop.backend.ir.expressions import Binary, Expression, Read
from polyloop.backend.ir.expressions import text as expression_text
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.cursor.nest import KINDS, Nest
from polyloop.cursor.process import NestCursor
from polyloop.cursor.tree_process import TreeCursor
from polyloop.explorer.inspection import Allocation, Inspection
from polyloop.explorer.session import Session, Step
from polyloop.measure.result import Check
from polyloop.schedules.tree import Band, Leaf, ScheduleTree
from polyloop.scop.model import Statement
from polyloop.terminal.report import seconds_text
from polyloop.transforms.base import names_of

DIM, STRONG, ACCENT, GOOD, BAD = "dim", "bold", "#8fbcbb", "#93b58a", "#cf7f82"
"""Styles; every one of them has a word or a sign beside it, so that nothing is told by colour alone."""


_ASSIGNED = frozenset("+-*/")


@dataclass(frozen=True)
class Line:
    """A loop, which the cursor can stand on, or (row None) what is executed inside of it."""

    depth: int
    label: str
    count: str = ""
    note: str = ""
    row: int | None = None


# --- loops ------------------------------------------------------------------------------------------------------------


def lines(session: Session) -> tuple[Line, ...]:
    """The present program: loops in preorder, and the statements inside of them."""
    process, state = session.process, session.state
    if isinstance(process, NestCursor):
        return tuple(_nest_lines(process, state.program))
    assert isinstance(process, TreeCursor)
    return tuple(_tree_lines(process, state.program))


def loops_text(session: Session) -> Text:
    """`lines` with the cursor: its loop has "›" before it and is set off."""
    shown = lines(session)
    width = max((2 * line.depth + len(line.label) for line in shown if line.row is not None), default=0) + 2
    text = Text(no_wrap=True, overflow="ellipsis")
    for line in shown:
        here = line.row is not None and line.row == session.state.cursor
        body = Text("› " if here else "  ", style=f"{ACCENT} {STRONG}" if here else "")
        body.append("  " * line.depth + line.label, style="" if line.row is not None else DIM)
        if line.row is not None:
            body.pad_right(max(0, width + 2 - len(body.plain)))
            body.append(f"{line.count:>6}")
            body.append(f"  {line.note}" if line.note else "", style=DIM if not here else "")
        if here:
            body.stylize("reverse", 0, len(body))
        text.append_text(body).append("\n")
    text.rstrip()
    return text


def cursor_line(session: Session) -> int:
    """Which line of `lines` the cursor is on."""
    return next((k for k, line in enumerate(lines(session)) if line.row == session.state.cursor), 0)


def _nest_lines(process: NestCursor, nest: Nest) -> Iterator[Line]:
    problem, shared = process.problem, nest.shared
    visible = process.visible(nest)
    for depth, loop in enumerate(nest.compute):
        yield Line(depth, loop.variable, _count(loop.size, loop.tail), _kind(KINDS[loop.kind]), depth)
    yield Line(len(nest.compute), _statement(problem.main))
    for k, loop in enumerate(nest.store[shared:]):
        row = len(nest.compute) + k
        note = " ".join(part for part in ("write-back", _kind(KINDS[loop.kind])) if part)
        yield Line(shared + k, loop.variable, _count(loop.size, loop.tail), note, row if row < visible else None)
    yield Line(len(nest.store), f"store {problem.main.target}")


def _tree_lines(process: TreeCursor, tree: ScheduleTree) -> Iterator[Line]:
    rows = enumerate(process.rows(tree))
    for path, node in tree.walk():
        depth = len(tree.members_above(path))
        match node:
            case Band(members):
                number, row = next(rows)
                copies = [f"pack {packing.read}" for packing in row.member.packings]
                asked = [f"prefetch {array} +{distance}" for array, distance in row.member.prefetches]
                note = ", ".join(part for part in (_kind(row.member.kind), *copies, *asked) if part)
                yield Line(depth, names_of(members), _count(row.size, row.tail), note, number)
            case Leaf():
                for name in tree.statements_at(path):
                    yield Line(depth, f"{name}: {_statement(process.problem.scop.statement(name))}")


def _statement(statement: Statement) -> str:
    """As people write it in C: sums of many terms with their operator before "=", and no brackets around it all."""
    target, value = statement.target, statement.value
    match value:
        case Binary(operator, Read(access), right) if operator in _ASSIGNED and access == target:
            return f"{target} {operator}= {_plain(right)}"
    return f"{target} = {_plain(value)}"


def _plain(value: Expression) -> str:
    """Without types of numbers and without brackets around the whole."""
    return _bare(re.sub(r"(?<=\d):[a-z]+\d+\b", "", expression_text(value)))


def _bare(text: str) -> str:
    """Without brackets around the whole."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and at < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text


def _count(size: int, tail: int) -> str:
    return f"{size} + {tail}" if tail else str(size)


def _kind(kind: LoopKind) -> str:
    return "" if kind is LoopKind.SEQUENTIAL else kind.name.lower()


# --- actions ----------------------------------------------------------------------------------------------------------


def reason(obstacle: str) -> str:
    """A refusal without the transform's own text before it, where it has that."""
    return obstacle.partition(": ")[2] if obstacle.startswith("cannot apply ") else obstacle


def actions_text(session: Session, keys: Sequence[str], width: int, height: int) -> Text:
    """Every action with its key: with reasons for what is masked where there is room, else side by side.

    Args:
        keys: by id, as they are shown.
        width, height: of the place, in characters.
    """
    names, obstacles = session.process.names, session.obstacles()
    if height >= len(names):
        text = Text(no_wrap=True, overflow="ellipsis")
        for cell, obstacle in zip(_cells(names, keys, obstacles), obstacles, strict=True):
            text.append_text(cell)
            text.append(f"  {reason(obstacle)}" if obstacle is not None else "", style=DIM).append("\n")
        text.rstrip()
        return text
    return _columns(_cells(names, keys, obstacles), width)


def _cells(names: Sequence[str], keys: Sequence[str], obstacles: Sequence[str | None]) -> list[Text]:
    wide, far = max(map(len, names)), max(map(len, keys))
    result = []
    for number, (name, key, obstacle) in enumerate(zip(names, keys, obstacles, strict=True)):
        masked = obstacle is not None
        cell = Text().append(f"{key:>{far}} ", style=DIM if masked else f"{STRONG} {ACCENT}")
        cell.append(f"{number:>2} ", style=DIM).append(f"{name:<{wide}}", style=DIM if masked else "")
        cell.append(" -" if masked else "  ", style=DIM)
        result.append(cell)
    return result


def _columns(cells: Sequence[Text], width: int) -> Text:
    across = max(1, (width + 1) // (len(cells[0]) + 1))
    down = -(-len(cells) // across)
    rows = [Text(" ").join(cells[line::down]) for line in range(down)]
    return Text("\n", no_wrap=True).join(rows)


def obstacles_text(session: Session) -> Text:
    """Everything that is masked now, and why."""
    text = Text()
    for name, obstacle in zip(session.process.names, session.obstacles(), strict=True):
        if obstacle is not None:
            text.append(f"{name}\n", style=STRONG).append(f"  {reason(obstacle)}\n")
    return text if text.plain else Text("nothing is masked here")


# --- figures ----------------------------------------------------------------------------------------------------------


def speed_text(session: Session, peak: float | None, asking: bool, width: int) -> Text:
    """Speed against the peak and the start, work, intensity, and what compiling took."""
    program = session.state.program
    record, speed = session.records.get(program), session.gflops(program)
    text = Text()
    if speed is not None and record is not None:
        text.append(f"{speed:.2f} GFLOPS", style=STRONG)
        if peak:
            text.append(f"   {100 * speed / peak:.1f}% of peak").append("\n")
            text.append_text(_bar(speed / peak, width))
        text.append("\n")
        noise = f" ± {100 * record.spread:.1f}%" if record.runs > 1 else ""
        text.append(f"{seconds_text(record.minimum)} a run{noise}\n{_against_start(session, speed)}", style=DIM)
    elif record is not None:
        text.append("failed: ", style=f"{BAD} {STRONG}").append(f"{record.error}\n")
    else:
        text.append("measuring...\n" if asking else "not measured\n", style=DIM)
    text.append_text(_work(session))
    return text


def _bar(share: float, width: int) -> Text:
    full = round(max(0.0, min(1.0, share)) * width)
    return Text("━" * full, style=ACCENT).append("─" * (width - full), style=DIM)


def _against_start(session: Session, speed: float) -> str:
    first = session.gflops(session.start.program)
    return f"{speed / first:.2f} x the start\n" if first and session.step is not session.start else ""


def _work(session: Session) -> Text:
    flops, found = session.process.problem.flops, session.inspections.get(session.state.program)
    text = Text(f"{_scaled(flops, 1000)}flop", style=DIM)
    if isinstance(found, Inspection):
        if found.moved:
            text.append(f"   {flops / found.moved:.1f} flop/byte")
        spills = f"   {found.spills} spills" if found.spills else ""
        text.append(f"\ncompiled in {seconds_text(found.compile_seconds)}{spills}\n").append_text(_check(found.check))
    elif isinstance(found, str):
        text.append(f"\n{found}", style=BAD)
    return text


def data_text(session: Session, whole: bool = False) -> Text:
    """The first elements of the results beside the original's, and all arrays with their sizes.

    Args:
        whole: of every result; else of the one with the largest array.
    """
    program = session.state.program
    found = session.inspections.get(program)
    text = Text()
    if not isinstance(found, Inspection):
        known = program in session.inspections
        return text.append("figures of the model" if known and found is None else "...", style=DIM)
    sizes = {allocation.name: allocation.bytes or 0 for allocation in found.allocations}
    samples = sorted(found.samples, key=lambda sample: -sizes.get(sample.array, 0))
    for sample in samples if whole else samples[:1]:
        for label, values in (("is ", sample.result), ("was", sample.original)):
            text.append(f"{sample.array} {label} ", style=DIM).append(" ".join(f"{v:.4g}" for v in values)).append("\n")
    for allocation in sorted(found.allocations, key=lambda a: -(a.bytes or 0)):
        text.append(f"{_allocation(allocation)}\n", style=DIM)
    text.rstrip()
    return text


def _check(check: Check) -> Text:
    if not check.passed:
        text = Text("≠ ", style=f"{BAD} {STRONG}")
        return text.append(f"{check.different} of {check.compared} results differ", style=BAD)
    how = "bit-equal" if check.different == 0 else f"equal up to {check.largest:.1e}"
    return Text("= ", style=f"{GOOD} {STRONG}").append(f"{check.compared} results {how}", style="not bold")


def _allocation(allocation: Allocation) -> str:
    shape = "".join(f"[{'' if extent is None else extent}]" for extent in allocation.shape)
    size = "?" if allocation.bytes is None else f"{_scaled(allocation.bytes, 1024)}B"
    return f"{allocation.name}{shape}  {size}{'  own' if allocation.local else ''}"


def _scaled(value: float, step: int) -> str:
    """A number and the prefix of its unit: "31.7 M"."""
    number, marks = float(value), "kMGT" if step == 1000 else "KMGT"
    prefix = ""
    for mark in marks:
        if number < step:
            break
        number, prefix = number / step, mark
    return f"{number:.0f} " if not prefix else f"{number:.3g} {prefix}"


# --- history ----------------------------------------------------------------------------------------------------------


def history_text(session: Session) -> Text:
    """The way from the original loops through the present program; "*" stands by the best, ">" by the present one."""
    path = session.path()
    labels = [_label(session, step) for step in path]
    width = max(map(len, labels))
    done = path.index(session.step)
    text = Text(no_wrap=True, overflow="ellipsis")
    for number, (step, label) in enumerate(zip(path, labels, strict=True)):
        here, best = step is session.step, session.best is not None and step.program == session.best.program
        style = f"{ACCENT} {STRONG}" if here else DIM if number > done else ""
        line = Text(f"{'›' if here else ' '}{'*' if best else ' '} {label:<{width}}  ", style=style)
        speed = session.gflops(step.program)
        shown = f"{speed:7.2f}" if speed is not None else " failed" if step.program in session.records else "      -"
        line.append(shown, style=STRONG if best else "")
        text.append_text(line).append("\n")
    if session.best is not None and all(step.program != session.best.program for step in path):
        speed = session.gflops(session.best.program) or 0.0
        text.append(f" * the best stands on another way: {speed:.2f}\n", style=DIM)
    text.rstrip()
    return text


def _label(session: Session, step: Step) -> str:
    if step.action is None or step.parent is None:
        return "start"
    return f"{session.process.names[step.action]} {session.process.loop_name(step.parent.program, step.cursor)}"
