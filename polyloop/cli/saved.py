"""``polyloop optimize --schedule SAVED``: schedules found earlier, proven anew and written as C, without a search; with
``--check`` compared with what stands in the output file.

What is written depends on the source, the saved schedules and this version alone: not on the machine, nor on the time.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import islpy as isl

from polyloop.backend.errors import BackendError
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import INSTRUCTION_SETS, shown_target
from polyloop.backend.run.kept_files import our_version
from polyloop.cli.emission import heading, shown_command, write_depfile
from polyloop.errors import PolyloopError, counted
from polyloop.lowering.to_c_file import Replacement, emit_c_file, limited
from polyloop.measure.evaluator import Evaluator, Options
from polyloop.measure.saved import (
    Entry,
    Saved,
    SavedError,
    Settings,
    candidate_of,
    entries_for,
    entry_of,
    from_text,
    to_text,
)
from polyloop.schedules.legality import Violation
from polyloop.scop.model import Scop
from polyloop.support.compilers import BuildError, default_command, user_compiler
from polyloop.terminal.errors import DONE, NOTHING_READ, UsageError
from polyloop.terminal.output import Destination, destination
from polyloop.terminal.report import Outcome
from polyloop.terminal.sources import Input, decode, locate, print_diagnostics, read_as_compiled, read_bytes, read_input

_SEARCHED: dict[str, object] = {
    "search": "isl",
    "space": None,
    "budget": None,
    "threads": None,
    "reassociate": False,
    "contract": None,
    "reproducible": False,
    "assume_noalias": False,
    "target": None,
    "targets": None,
    "sizes": [],
    "json": None,
    "force": False,
    "helpers": None,
}
"""Options that say how schedules are searched for -> what they are where nobody gives them."""

_SHOWN = 40
"""Lines of differences that --check prints."""


def run(arguments: Namespace) -> int:
    """Apply or check.

    Raises:
        UsageError: for options of a search.
        SavedError: if the file of schedules is none, or has none for these loops, or an illegal one.
    """
    _check_options(arguments)
    path, _ = locate(arguments.input)
    output = _output(arguments, path)
    saved = from_text(decode(read_bytes(Path(arguments.schedule)), arguments.schedule)[0], arguments.schedule)
    source = _read(arguments, saved)
    found = applied(source.file.scops, saved, arguments.schedule)
    made = [replacement for _, replacement in found if replacement]
    text = emit_c_file(
        source.file.text if made else source.given,
        made,
        uncontracted=saved.settings.reproducible,
        heading=heading(saved.settings.command, [e.target for e in saved.entries], source.name, arguments.in_place),
        expanded=source.file.expanded if made else (),
    )
    if arguments.check:
        return _compared(source.encode(text), output, arguments)
    stream = sys.stdout if output.path is not None else sys.stderr
    for line, _ in found:
        print(line, file=stream)
    _tell_of_left(saved, found, arguments.schedule)
    output.write(source.encode(text))
    if arguments.depfile is not None:
        write_depfile(arguments, output)
    if output.path is not None:
        print(f"wrote {output.path}", file=stream)
    return DONE


def _check_options(arguments: Namespace) -> None:
    for name, plain in _SEARCHED.items():
        if getattr(arguments, name, plain) != plain:
            flag = {"contract": "fp-contract"}.get(name, name.replace("_", "-"))
            raise UsageError(f"--schedule applies what is saved, so --{flag} says nothing; leave one of them out")
    if (arguments.emit or ("c",)) != ("c",):
        raise UsageError("--schedule writes C; leave --emit out")


def _output(arguments: Namespace, path: Path | None) -> Destination:
    if arguments.check and (arguments.output in (None, "-") or arguments.in_place):
        raise UsageError("--check compares a file with what it would be now; name it with -o FILE")
    if arguments.depfile is not None and arguments.output in (None, "-"):
        raise UsageError("--depfile says what a file is made of; name it with -o FILE")
    if arguments.in_place:
        if path is None or arguments.output is not None:
            raise UsageError("--in-place overwrites the input file; give a file's name, and no -o")
        return destination("--in-place", str(path), path, overwrite=True)
    return destination("-o", arguments.output or "-", path)


def _read(arguments: Namespace, saved: Saved) -> Input:
    """The source, as it was read when the schedules were found."""
    command = arguments.cc or default_command()
    if command != "none":
        macros = None
        if not any(re.match("--targets?(=|$)", word) for word in saved.settings.command):
            with suppress(BuildError):  # of a compiler that is not there, and of which nobody asks anything else
                macros = user_compiler(command).macros
        read_as_compiled(arguments, command, macros)
    arguments.auto = arguments.auto or saved.settings.auto
    arguments.function = arguments.function or saved.settings.function
    source = read_input(arguments)
    arguments.headers = source.file.headers
    print_diagnostics(source, arguments.function)
    return source


def applied(scops: Sequence[Scop], saved: Saved, name: str) -> list[tuple[str, Replacement | None]]:
    """For every region what is to be said of it, and what takes its place; None: it stays.

    Raises:
        SavedError: for a region that nothing is saved of, or whose schedule is not legal.
    """
    entries = entries_for(scops, saved, name)
    return [_one(scop, entry, saved.settings, name) for scop, entry in zip(scops, entries, strict=True)]


def _one(scop: Scop, entry: Entry, settings: Settings, name: str) -> tuple[str, Replacement | None]:
    outcome = Outcome(scop, None)
    scop = scop.without_aliasing() if settings.assume_noalias else scop
    candidate = candidate_of(entry, scop, name)
    if candidate.tree is None:
        kept = Replacement(scop, None) if settings.reproducible else None
        return f"{outcome.place}: {scop.name}: left as it is: {entry.kept}", kept
    options = Options(settings.threads, settings.reassociate, settings.contract)
    try:
        with Evaluator(scop, {}, shown_target(entry.target), options, in_process=True) as evaluator:
            proof = evaluator.proofs.prove(candidate.scop, candidate.tree)
            if isinstance(proof, Violation):
                raise SavedError(f"{name}: the schedule of {entry.name} is not legal: {proof}; search again")
            program = evaluator.program(candidate)
    except (isl.Error, BackendError) as error:
        raise SavedError(f"{name}: the schedule of {entry.name} cannot be applied: {error}; search again") from error
    proven = f"{counted(proof.dependences, 'dependence')} checked, all kept"
    return f"{outcome.place}: {scop.name}: the schedule in {name}; {proven}", Replacement(
        limited(scop, entry.above), program
    )


def _tell_of_left(saved: Saved, found: Sequence[object], name: str) -> None:
    if (left := len(saved.entries) - len(found)) > 0:
        which = "schedule is" if left == 1 else "schedules are"
        print(f"polyloop: remark: {left} {which} of loops that are no longer there: {name}", file=sys.stderr)


def _compared(wanted: bytes, output: Destination, arguments: Namespace) -> int:
    """Exit status: whether the output file is what it would be now."""
    assert output.path is not None
    again = shlex.join(["polyloop", *(word for word in arguments.words if word != "--check")])
    if not os.path.exists(output.path):
        print(f"polyloop: error: there is no {output.path} to check; write it: {again}", file=sys.stderr)
        return NOTHING_READ
    present = read_bytes(output.path)
    if present == wanted:
        print(f"{output.path} is up to date")
        return DONE
    before, after = (data.decode("latin-1").splitlines() for data in (present, wanted))
    lines = list(difflib.unified_diff(before, after, str(output.path), "what it would be now", lineterm=""))
    more = [f"... and {len(lines) - _SHOWN} lines more"] if len(lines) > _SHOWN else []
    for line in (*lines[:_SHOWN], *more):
        print(line, file=sys.stderr)
    print(f"polyloop: error: {output.path} is not up to date; write it again: {again}", file=sys.stderr)
    return NOTHING_READ


# --- writing ----------------------------------------------------------------------------------------------------------


def write_schedules(outcomes: Sequence[Outcome], arguments: Namespace, output: Destination) -> None:
    """One file for all regions, those that stay as they are included."""
    here = host_target().machine.instructions
    entries = []
    for outcome in outcomes:
        best = None if outcome.result is None else outcome.result.best
        target = outcome.target or here
        kept = outcome.reason if target in INSTRUCTION_SETS else f"{target} has no name"
        best = best if target in INSTRUCTION_SETS else None
        try:
            entry = entry_of(outcome.scop, best, target, kept, arguments.assume_noalias)
            if outcome.result is not None and entry.tree is not None:
                entry = replace(entry, above=outcome.result.above)
        except PolyloopError as error:
            entry = entry_of(outcome.scop, None, target, str(error))
        entries.append(replace(entry, kept=entry.kept.partition("\n")[0]))
    settings = Settings(
        command=shown_command(arguments.words),
        auto=arguments.auto,
        function=arguments.function,
        threads=arguments.threads,
        reassociate=arguments.reassociate,
        contract=arguments.contract != "off",
        reproducible=arguments.reproducible,
        assume_noalias=arguments.assume_noalias,
    )
    entries.sort(key=lambda entry: entry.line)
    output.write(to_text(Saved(our_version() or "0", settings, tuple(entries))).encode())
