"""``polyloop machine``: what this core, or a shipped one, is good at, and its roofline."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict, replace

from polyloop.backend.config import chosen_machine
from polyloop.backend.machine.host import host_target
from polyloop.backend.run.measured_machine import measured_machine
from polyloop.show.roofline import description_lines, draw_roofline, roofline_lines
from polyloop.terminal.document import document
from polyloop.terminal.errors import DONE, UsageError
from polyloop.terminal.option_types import option
from polyloop.terminal.output import announce_measuring, destination, json_destination, tables


def add_machine_options(parser: ArgumentParser) -> None:
    option(parser, "--remeasure", "measure again (3 s), whatever is known")
    option(parser, "--name NAME", "what the description is called in --json")
    option(parser, "--svg FILE", "draw the roofline; - for standard output")
    option(parser, "--json FILE", "write the description, which POLYLOOP_MACHINE=FILE reads; - for standard output")


def run(arguments: Namespace) -> int:
    """Print the description, and write it where the options say."""
    svg = destination("--svg", arguments.svg, None) if arguments.svg is not None else None
    json = json_destination(arguments)
    if svg is not None and json is not None and svg.path == json.path:
        raise UsageError(f"--svg and --json both write to {svg.path or 'standard output'}")
    target = host_target()
    if chosen_machine() is not None and not arguments.remeasure:
        machine = target.machine
    else:
        machine = measured_machine(target, announce_measuring, fresh=arguments.remeasure)
    machine = replace(machine, name=arguments.name or machine.name)
    if svg is not None:
        svg.write(draw_roofline(machine).encode())
    if json is not None:
        settings = {"remeasure": arguments.remeasure}
        json.write(document("machine", settings, [], {"description": asdict(machine)}).encode())
    picture = next((p for p in (svg, json) if p is not None and p.path is None), None)
    for line in (*description_lines(machine), "", *roofline_lines(machine)):
        print(line, file=tables(picture))
    return DONE
