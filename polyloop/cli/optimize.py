"""``polyloop optimize``: read, search, prove, measure, report, write. A scop that fails leaves the others alone."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyloop.api import contraction, optimize
from polyloop.backend.config import default_threads
from polyloop.backend.errors import BackendError
from polyloop.backend.machine.host import host_target
from polyloop.backend.run.measured_machine import use_measured_machine
from polyloop.cli.emission import Code, check_emits, replacements, write_c, write_scops
from polyloop.errors import PolyloopError
from polyloop.lowering.to_c_file import emit_c_file
from polyloop.measure.result import Result
from polyloop.scop.model import Scop
from polyloop.search.registry import UnknownSearchError, checked_space
from polyloop.terminal.errors import DONE, INTERRUPTED, UsageError
from polyloop.terminal.output import EMITS, Destination, destination
from polyloop.terminal.progress import Progress, announce_measuring
from polyloop.terminal.report import Outcome, block
from polyloop.terminal.sources import Input, Sizes, chosen_sizes, locate, print_diagnostics, read_input


@dataclass(frozen=True)
class _Places:
    """Where the results and the JSON document go; None: nowhere."""

    output: Destination | None
    json: Destination | None

    @property
    def standard_output_is_taken(self) -> bool:
        return any(place is not None and place.path is None for place in (self.output, self.json))


def run(arguments: Namespace) -> int:
    """Optimize the scops of a file.

    Raises:
        UsageError: for options that do not go together, before any work.
        PolyloopError: if nothing could be read.
    """
    try:
        checked_space(arguments.search, arguments.space)
    except UnknownSearchError as error:
        raise UsageError(f"--search: {error}") from error
    arguments.contract = _contraction(arguments)
    if arguments.threads is None:
        arguments.threads = default_threads()
    host_target()  # a target that this machine does not have is said once, not as a remark about every scop
    places = _places(arguments)
    source = read_input(arguments)
    print_diagnostics(source, arguments.function)
    use_measured_machine(announce_measuring)
    work = chosen_sizes(source, arguments)
    stream = sys.stderr if places.standard_output_is_taken else sys.stdout
    outcomes: list[Outcome] = []
    interrupted = False
    for scop, sizes in work:
        outcome = _not_reached(scop) if interrupted else _optimized(source, scop, sizes, arguments, places)
        outcomes.append(outcome)
        interrupted = outcome.interrupted
        if interrupted and not any(outcome.is_changed for outcome in outcomes):
            raise KeyboardInterrupt
        # A scop that is left alone is a remark, and remarks are no results.
        print(block(outcome, arguments.verbose), file=sys.stderr if outcome.result is None else stream, flush=True)
    for written in _write(source, outcomes, arguments, places):
        print(f"wrote {written.path}", file=stream)
    if places.output is not None and "c" in (arguments.emit or ("c",)):
        _tell_of_includes(source, places.output)
    if interrupted:
        print("polyloop: interrupted; the best found so far is written", file=sys.stderr)
    return INTERRUPTED if interrupted else DONE


def _contraction(arguments: Namespace) -> str:
    """
    Raises:
        UsageError: for options that contradict --reproducible.
    """
    try:
        return contraction(arguments.contract, arguments.reassociate, arguments.reproducible)
    except PolyloopError as error:
        other = "--reassociate" if arguments.reassociate else f"--fp-contract={arguments.contract}"
        reason = str(error).partition(": ")[2]
        raise UsageError(f"--reproducible contradicts {other}: {reason}; leave one of them out") from error


def _not_reached(scop: Scop) -> Outcome:
    return Outcome(scop, None, "interrupted before anything better was found", interrupted=True)


# --- where things go --------------------------------------------------------------------------------------------------


def _places(arguments: Namespace) -> _Places:
    path, info = locate(arguments.input)
    output = _output(arguments)
    if arguments.emit or output is not None:
        check_emits(arguments.emit or ("c",), output)
    json = None if arguments.json is None else destination("--json", arguments.json, path)
    places = _Places(output, json)
    if output is not None and json is not None and output.path == json.path:
        raise UsageError(f"-o and --json both write to {output.path or 'standard output'}")
    if arguments.in_place and info is not None:
        raise UsageError(f"--in-place: {path} ships with polyloop and stays as it is; give -o FILE")
    return places


def _output(arguments: Namespace) -> Destination | None:
    path, _ = locate(arguments.input)
    if arguments.in_place:
        if path is None or arguments.output is not None:
            other = "standard input has no place" if path is None else "-o names another place"
            raise UsageError(f"--in-place overwrites the input file, but {other}")
        if "c" not in (arguments.emit or ("c",)):
            raise UsageError("--in-place writes the C file; add c to --emit, or give -o FILE")
        return destination("--in-place", str(path), path, overwrite=True)
    if arguments.output is not None:
        return destination("-o", arguments.output, path)
    # As compilers that print: the result goes to standard output, unless the document does.
    return None if arguments.json == "-" and not arguments.emit else destination("-o", "-", path)


# --- the work ---------------------------------------------------------------------------------------------------------


def _optimized(source: Input, scop: Scop, sizes: Sizes, arguments: Namespace, places: _Places) -> Outcome:
    """Errors become the reason why the scop is left as it is."""
    try:
        with Progress(scop.name) as progress:
            result = optimize(
                scop,
                sizes=sizes.given,
                search=arguments.search,
                space=arguments.space,
                budget=arguments.budget,
                threads=arguments.threads,
                reassociate=arguments.reassociate,
                contract=arguments.contract,
                reproducible=arguments.reproducible,
                assume_noalias=arguments.assume_noalias,
                progress=progress.update,
                anytime=True,
            )
        if sizes.origin:
            result = replace(result, sizes_from=sizes.origin + result.sizes_from.removeprefix("given"))
        _check(source, result, arguments, places)
    except (PolyloopError, BackendError) as error:
        return Outcome(scop, None, str(error))
    except isl.Error as error:
        return Outcome(scop, None, f"isl gave up: {str(error).partition(chr(10))[0]}")
    except KeyboardInterrupt:
        return _not_reached(scop)
    return Outcome(scop, result, interrupted=result.interrupted)


def _check(source: Input, result: Result, arguments: Namespace, places: _Places) -> None:
    """Refuse a result that must not be, or cannot be, written.

    Raises:
        PolyloopError: if it computed something else than the original, or does not fit into the file.
    """
    if not result.check.passed:
        raise PolyloopError("the fastest schedule's results differ from the original's; please report this")
    if places.output is not None and "c" in (arguments.emit or ("c",)):
        emit_c_file(source.file.text, replacements([result]), uncontracted=result.reproducible)


def _write(source: Input, outcomes: Sequence[Outcome], arguments: Namespace, places: _Places) -> list[Destination]:
    """Write everything; returns the files."""
    written = [] if places.output is None else _emit(source, outcomes, arguments, places.output)
    if places.json is not None:
        places.json.write(_document(source, outcomes, arguments).encode())
        written.append(places.json)
    return [place for place in written if place.path is not None]


def _emit(source: Input, outcomes: Sequence[Outcome], arguments: Namespace, output: Destination) -> list[Destination]:
    """One kind of result alone gets the name that was given, several get endings of their own."""
    written: list[Destination] = []
    kinds = arguments.emit or ("c",)
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    code = Code(arguments.threads, arguments.contract != "off")
    if not results and any(kind != "c" for kind in kinds):
        kept = ", ".join(kind for kind in kinds if kind != "c")
        print(f"polyloop: remark: no scop was optimized, so there is no {kept} to write", file=sys.stderr)
    for kind in kinds:
        if kind == "c":
            to = output if len(kinds) == 1 or arguments.in_place else output.beside(EMITS[kind])
            write_c(source, outcomes, to)
            written.append(to)
        else:
            written += write_scops(kind, results, output, len(kinds) == 1, code)
    return written


def _tell_of_includes(source: Input, output: Destination) -> None:
    """The C file includes what stands beside the input; written into another folder it needs to be told where."""
    if source.path is None or output.path is None or output.path.parent.resolve() == source.path.parent.resolve():
        return
    names = re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', source.file.text, re.MULTILINE)
    here, there = output.path.parent, source.path.parent
    if missing := [name for name in names if (there / name).is_file() and not (here / name).is_file()]:
        print(f"polyloop: remark: {missing[0]} stands beside {source.name}; compile with -I {there}", file=sys.stderr)


def _document(source: Input, outcomes: Sequence[Outcome], arguments: Namespace) -> str:
    from polyloop.terminal.document import diagnostic_row, document, outcome_row, summary  # only of --json

    settings = {
        "input": source.name,
        "search": arguments.search,
        "space": arguments.space,
        "budget": arguments.budget,
        "threads": arguments.threads,
        "reassociate": arguments.reassociate,
        "contract": arguments.contract,
        "reproducible": arguments.reproducible,
        "assume_noalias": arguments.assume_noalias,
        "dataset": arguments.dataset,
        "defines": arguments.defines,
    }
    rows = [outcome_row(outcome) for outcome in outcomes]
    rows += [diagnostic_row(diagnostic) for diagnostic in source.file.diagnostics]
    return document("optimize", settings, rows, summary(outcomes, source.file.diagnostics))
