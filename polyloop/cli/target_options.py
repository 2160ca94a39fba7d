"""The options that say for which instruction sets code is generated. As all options, they load nothing large."""

from __future__ import annotations

import argparse

from polyloop.backend.machine.target import INSTRUCTION_SETS


def add_target_options(group: argparse._ArgumentGroup, elsewhere: str) -> None:
    """
    Args:
        elsewhere: the schedule of what this machine cannot run.
    """
    names = ", ".join(INSTRUCTION_SETS.own)
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--target",
        metavar="NAME",
        type=instruction_set,
        help=f"generate code for one instruction set of {names} (default: this machine's widest, or POLYLOOP_TARGET); "
        f"what this machine does not have gets {elsewhere}, and is not measured",
    )
    which.add_argument(
        "--targets",
        metavar="NAME[,NAME...]",
        type=_targets,
        help="write C or an object with a version for each of these, of which the processor that runs it chooses; "
        "each has a search of its own",
    )


def instruction_set(text: str) -> str:
    """The name of one."""
    if (name := text.strip()) not in INSTRUCTION_SETS:
        known = ", ".join(INSTRUCTION_SETS)
        raise argparse.ArgumentTypeError(f"no instruction set is called {name!r}; there are {known}")
    return name


def _targets(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(instruction_set, text.split(","))))
