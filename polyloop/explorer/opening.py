"""From the command line to a cursor: a workload, an expression with sizes, a shipped kernel or a C file."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloop.cursor.actions import FLAGS, NEST_FLAGS, Actions
from polyloop.cursor.base import AnyCursor
from polyloop.cursor.tree_process import TreeCursor
from polyloop.envs.cursor_problems import kernel_problem, open_cursor
from polyloop.envs.problems import SHIPPED_DATASET, is_path
from polyloop.scop.model import Scop
from polyloop.scop.size_choice import default_sizes
from polyloop.shipped.kernels import UnknownKernelError, kernel, kernel_names
from polyloop.shipped.workloads import UnknownWorkloadError, is_workload, workload
from polyloop.terminal.errors import InputError, UsageError
from polyloop.terminal.option_types import dimension_sizes
from polyloop.terminal.sources import Input, chosen_sizes, print_diagnostics, read_input


@dataclass(frozen=True)
class Subject:
    """What is explored.

    Attributes:
        process: a cursor on it, without an end.
        title, sizes: for people.
        stem: of the files that are saved.
        arguments: those of Cursor-v0 that make the same process; None where it cannot be told them all.
        source: the C file that it was read from.
    """

    process: AnyCursor
    title: str
    sizes: str
    stem: str
    arguments: Mapping[str, Any] | None
    source: Input | None = None

    @property
    def scop(self) -> Scop:
        return self.process.problem.scop


def open_subject(arguments: Namespace) -> Subject:
    """What INPUT means, with the sizes and options that go with it.

    Raises:
        UsageError: for options that do not go together.
        PolyloopError: if there is no such thing, or it cannot be read.
    """
    given, dimensions = arguments.input, _dimensions(arguments)
    if given == "-":
        raise UsageError("explore reads keys from the terminal, so that the program has to come from a file")
    if is_workload(given):
        _refuse(arguments, "a workload", dimensions)
        return _workload(given, arguments)
    if "[" in given or "->" in given:
        _refuse(arguments, "an expression")
        return _expression(given, dimensions, arguments)
    if given in kernel_names() or is_path(given) or os.path.exists(given):
        arguments.sizes = [dimensions] if dimensions else []
        return _file(given, arguments)
    raise InputError(f"there is no file {given}; {_suggestion(given)}")


def _dimensions(arguments: Namespace) -> dict[str, int]:
    """Sizes as operands and as ``--sizes``."""
    sizes = dimension_sizes(arguments.dimensions)
    for more in arguments.sizes:
        sizes |= more
    return sizes


def _refuse(arguments: Namespace, what: str, dimensions: Mapping[str, int] | None = None) -> None:
    """Options that mean nothing for tensor programs."""
    if dimensions:
        raise UsageError(
            f"{arguments.input} is {what} and has its own sizes, so {next(iter(dimensions))}= has no place"
        )
    named = {
        "-I": arguments.include_dirs,
        "-D": arguments.defines,
        "-U": arguments.undefines,
        "-include": arguments.includes,
        "--function": arguments.function,
        "--allow-calls": arguments.allow_calls,
        "--dataset": arguments.dataset,
    }
    for option, value in named.items():
        if value:
            raise UsageError(f"{option} goes with C files, and {arguments.input} is {what}")


def _suggestion(given: str) -> str:
    """The kinds of things there are, and names that are near."""
    reasons = []
    for look_up in (kernel, workload):
        try:
            look_up(given)
        except (UnknownKernelError, UnknownWorkloadError) as error:
            reasons.append(str(error))
    return " and ".join(reasons)


# --- tensor programs --------------------------------------------------------------------------------------------------


def _workload(name: str, arguments: Namespace) -> Subject:
    found = workload(name)
    sizes = " ".join(f"{key}={value}" for key, value in found.sizes)
    process, own = _tensor(name, None, arguments)
    return Subject(process, found.name, sizes, _stem(name), own)


def _expression(text: str, dimensions: dict[str, int], arguments: Namespace) -> Subject:
    if not dimensions:
        raise UsageError(f"{text!r} needs a size for every dimension: add m=256 and so on behind it")
    # An einsum has no brackets: its loops come in the order of the sizes.
    given: str | dict[str, Any] = text if "[" in text else {"einsum": text, "sizes": dimensions}
    process, own = _tensor(given, dimensions if isinstance(given, str) else None, arguments)
    sizes = " ".join(f"{key}={value}" for key, value in dimensions.items())
    return Subject(process, text, sizes, "kernel", own)


def _tensor(
    given: str | Mapping[str, Any], sizes: dict[str, int] | None, arguments: Namespace
) -> tuple[AnyCursor, dict[str, Any]]:
    """The cursor with all actions that it can have, and what makes it again."""
    reassociate = True if arguments.reassociate else None
    flags: tuple[str, ...] = () if arguments.compat == "looptune" else NEST_FLAGS
    process = open_cursor(given, sizes, actions=Actions.of(arguments.compat, flags), reassociate=reassociate)
    if flags and process.flags != flags:
        flags = process.flags
        process = open_cursor(given, sizes, actions=Actions.of("native", flags), reassociate=reassociate)
    own = {"workload": given, "sizes": sizes, **_options(arguments, flags, reassociate)}
    return process, {key: value for key, value in own.items() if value is not None}


def _options(arguments: Namespace, flags: tuple[str, ...], reassociate: bool | None) -> dict[str, Any]:
    return {"compat": arguments.compat, "flags": list(flags), "reassociate": reassociate}


# --- C ----------------------------------------------------------------------------------------------------------------


def _file(given: str, arguments: Namespace) -> Subject:
    if arguments.compat == "looptune":
        raise UsageError("--compat looptune takes tensor programs only, as LoopTune does")
    source = read_input(arguments)
    print_diagnostics(source, arguments.function)
    chosen = chosen_sizes(source, arguments)
    if len(chosen) != 1:
        names = ", ".join(dict.fromkeys(scop.source.function for scop, _ in chosen if scop.source is not None))
        what = f"{len(chosen)} regions" if chosen else "no region that can be explored"
        hint = f"; choose with --function from {names}" if names else ""
        raise UsageError(f"{source.name} has {what}, and explore takes one{hint}")
    ((scop, sizes),) = chosen
    shipped = source.kernel
    values = sizes.values
    if values is None and shipped is not None and SHIPPED_DATASET in shipped.sizes:
        known = shipped.resolve(SHIPPED_DATASET)
        values = {name: known[name] for name in scop.parameters}
    if values is None:
        values = default_sizes(scop).values
    problem = kernel_problem(scop, values, arguments.reassociate, shipped)
    process = TreeCursor(problem, Actions.of("native", FLAGS), None)
    shown = " ".join(f"{name}={value}" for name, value in values.items())
    # The environment reads a file of one region, without options.
    reading = ("include_dirs", "defines", "undefines", "includes", "function", "allow_calls")
    special = [getattr(arguments, option) for option in reading]
    own = None
    if not any(special) and not (arguments.dataset and shipped is None):
        name = given if given in kernel_names() else str(Path(given).resolve())
        options = _options(arguments, FLAGS, True if arguments.reassociate else None)
        own = {"kernel": name, "sizes": values, **{key: value for key, value in options.items() if value is not None}}
    return Subject(process, scop.name, shown, _stem(scop.name), own, source)


def _stem(name: str) -> str:
    return re.sub(r"\W+", "-", name.rpartition("/")[2]).strip("-") or "kernel"
