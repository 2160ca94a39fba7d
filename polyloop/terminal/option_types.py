"""Types of options' values: text as a number or an instruction set, or an error that argparse prints with the option's
name; and the options that say for which instruction sets code is generated. Nothing large is loaded."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from math import inf, isfinite
from typing import Any

from polyloop.backend.machine.target import INSTRUCTION_SETS
from polyloop.terminal.errors import UsageError

_UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3, "m": 60.0, "min": 60.0, "h": 3600.0}


def count(text: str) -> int:
    """A whole number from 1 on."""
    if not (_digits(text) and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def natural(text: str) -> int:
    """A whole number from 0 on."""
    if not _digits(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


class PerRegion(float):
    """Seconds for each region of a file."""

    MOST = 120.0
    """Seconds for all of them."""

    def of(self, regions: int) -> float:
        """Seconds for so many."""
        return min(self * max(regions, 1), max(self, self.MOST))


def budget(text: str) -> float:
    """Seconds for a file, or, as ``5/region``, for each of its regions."""
    each = text.removesuffix("/region")
    return PerRegion(seconds(each)) if each != text else seconds(text)


def seconds(text: str) -> float:
    """A time, more than none: seconds of 10, 10s, 500ms, 2min, 2m or 1h."""
    match = re.fullmatch(r"\s*([0-9.]+(?:e[+-]?[0-9]+)?)\s*(ms|s|min|m|h|)\s*", text, re.ASCII | re.IGNORECASE)
    value = _number(match[1]) * _UNITS[match[2].lower()] if match else 0.0
    if not 0 < value < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time, as in 10s, 500ms or 2min")
    return value


def minutes(text: str) -> float:
    """Minutes, more than none; with a unit as for `seconds`."""
    try:
        return seconds(text if re.search("[a-z]\\s*$", text, re.IGNORECASE) else f"{text}min") / 60
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time, as in 10, 90s or 1h") from None


def share(text: str) -> float:
    """A number from 0 to 1."""
    value = _number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _number(text: str) -> float:
    """NaN for what is none."""
    try:
        value = float(text)
    except ValueError:
        return float("nan")
    return value if isfinite(value) else float("nan")


def dimension_sizes(given: Sequence[str]) -> dict[str, int]:
    """Sizes of an expression's dimensions by name, as they are given: m=256 n=256 k=128.

    Raises:
        UsageError: for what is no size.
    """
    sizes: dict[str, int] = {}
    for text in given:
        for part in filter(None, text.split(",")):
            match = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*=\s*([0-9]{1,9})\s*", part)
            if match is None or int(match[2]) < 1:
                raise UsageError(f"{part!r} is not a dimension's size, as in m=256")
            sizes[match[1]] = int(match[2])
    return sizes


def settings(value: str, said: str, **more: Any) -> dict[str, Any]:
    """What argparse is told of an option: what stands for its value, and the help. Without a value it is a switch,
    unless there are choices or an action of its own."""
    if not value and not more.keys() & {"choices", "action"}:
        more["action"] = "store_true"
    return ({"metavar": value} if value else {}) | {"help": said, **more}


def option(to: argparse._ActionsContainer, words: str, said: str, **more: Any) -> None:
    """Add an option.

    Args:
        words: its flags, and behind them what stands for its value; see `settings`.
        said: the help.
        more: as `argparse.ArgumentParser.add_argument` takes it.
    """
    *flags, last = words.split()
    value = "" if last.startswith("-") else last
    to.add_argument(*flags, *(() if value else (last,)), **settings(value, said, **more))


def given_options(arguments: argparse.Namespace, add: Callable[[argparse.ArgumentParser], object]) -> set[str]:
    """Names of those of a command's options that say something else than their defaults do.

    Args:
        add: gives a parser the command's options.
    """
    parser = argparse.ArgumentParser()
    add(parser)
    usual = {action.dest: action.default for action in parser._actions}
    return {name for name, value in usual.items() if getattr(arguments, name, value) != value}


def add_target_options(group: argparse._ArgumentGroup, elsewhere: str) -> None:
    """
    Args:
        elsewhere: the schedule of what this machine cannot run.
    """
    names = ", ".join(INSTRUCTION_SETS.own)
    which = group.add_mutually_exclusive_group()
    option(
        which,
        "--target NAME",
        f"generate code for one instruction set of {names} (default: this machine's widest, or POLYLOOP_TARGET); "
        f"what this machine does not have gets {elsewhere}, and is not measured",
        type=instruction_set,
    )
    option(
        which,
        "--targets NAME[,NAME...]",
        "write C or an object with a version for each of these, of which the processor that runs it chooses; "
        "each has a search of its own",
        type=_targets,
    )


def instruction_set(text: str) -> str:
    """The name of one."""
    if (name := text.strip()) not in INSTRUCTION_SETS:
        known = ", ".join(INSTRUCTION_SETS)
        raise argparse.ArgumentTypeError(f"no instruction set is called {name!r}; there are {known}")
    return name


def _targets(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(instruction_set, text.split(","))))
