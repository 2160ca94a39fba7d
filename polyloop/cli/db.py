"""``polyloop db``: the records of what searches have measured."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from polyloop.backend.config import records_file
from polyloop.errors import PolyloopError, counted
from polyloop.terminal.errors import DONE, UsageError
from polyloop.terminal.option_types import count, option
from polyloop.terminal.output import destination

if TYPE_CHECKING:
    from polyloop.measure.records import Records


def add_db_options(parser: ArgumentParser) -> None:
    parser.epilog = "the file is that of POLYLOOP_RECORDS, records.sqlite in polyloop's cache by default"
    commands = parser.add_subparsers(dest="task", metavar="TASK", required=True, parser_class=type(parser))
    commands.add_parser("info", help="where the records are, and of what")
    best = commands.add_parser("best", help="the fastest schedule known here of every program")
    option(best, "program NAME", "of one program only, with its loops", nargs="?")
    exporting = commands.add_parser("export", help="write all records as lines of JSON")
    option(exporting, "output FILE", "- for standard output (default)", nargs="?", default="-")
    merging = commands.add_parser("merge", help="add the records of other files")
    option(merging, "inputs FILE", "files of records, or of lines of JSON (.jsonl)", nargs="+")
    pruning = commands.add_parser("prune", help="forget all but the fastest schedules of every program")
    option(pruning, "--keep N", "schedules of each that stay (default 4)", type=count, default=4)


def run(arguments: Namespace) -> int:
    """Do what the command line asks for.

    Raises:
        UsageError: where records are switched off.
        PolyloopError: where the file is not there, which is not made by being asked for.
        RecordsError: for a file that has none.
        StoreError: where the own file cannot be used.
    """
    from polyloop.measure.records import known_records

    if (path := records_file()) is None:
        raise UsageError("POLYLOOP_RECORDS is off: nothing is remembered; unset it, or name a file")
    if arguments.task != "merge" and not path.exists():
        raise PolyloopError(f"{path}: there is no such file: no search has kept anything there yet")
    with closing(known_records(strict=True)) as records:
        match arguments.task:
            case "info":
                _info(records)
            case "best":
                _best(records, arguments.program)
            case "export":
                text = "".join(f"{line}\n" for line in records.export())
                destination("export", arguments.output, None).write(text.encode())
            case "merge":
                for each in arguments.inputs:
                    print(f"{each}: {records.merge(Path(each))} records; there are now {len(records)}")
            case _:
                print(f"{records.prune(arguments.keep)} records forgotten; {len(records)} left")
    return DONE


def _info(records: Records) -> None:
    every = list(records)
    programs = counted(len({each.program for each in every}), "program")
    print(f"{records.path}: {counted(len(every), 'record')} of {programs}")
    for machine, number in Counter(each.machine for each in every).items():
        print(f"  on {machine}: {number}")
    for version, number in Counter(each.version for each in every).items():
        last = max(each.made for each in every if each.version == version)
        print(f"  by version {version}: {number}, the last {datetime.fromtimestamp(last, UTC):%Y-%m-%d %H:%M} UTC")
    print(f"  {sum(each.error is not None for each in every)} do not run")


def _best(records: Records, name: str | None) -> None:
    from polyloop.backend.machine.host import host_target
    from polyloop.measure.records import machine_key

    here = machine_key(host_target())
    found = [each for each in records.fastest(here) if name in (None, each.name)]
    for each in found:
        what = "a schedule" if each.schedule else "the original loops"
        print(f"{each.name} ({each.program[:8]}; {each.settings}): {1e6 * each.median:.2f} us by {what}")
        if name is not None:
            print(each.text)
            print(each.schedule)
    if not found:
        print(f"nothing is known {'' if name is None else f'of {name} '}on this machine, {here}")
