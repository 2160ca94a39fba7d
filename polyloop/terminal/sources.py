"""From the command line's INPUT to scops: files, standard input and shipped kernels, in any encoding."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from polyloop.frontend import CFile, read_source
from polyloop.frontend.preprocess import MOST_BYTES, predefined
from polyloop.lowering.run_time_tests import can_be_tested
from polyloop.scop.affine_isl import fix_parameters
from polyloop.scop.data import SizeError, not_given, of_variables, sizes_as_given, variables_of_sizes
from polyloop.scop.model import Scop
from polyloop.terminal.errors import InputError, UsageError

if TYPE_CHECKING:
    from polyloop.shipped.kernels import KernelInfo


_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Input:
    """What was read.

    Attributes:
        path: the file; None for standard input.
        name: what messages call it.
        encoding: how its bytes became text; the output is written in the same.
        kernel: what is known about it if it ships with polyloop.
        given: its text as it was.
        file: text (without OpenMP's directives, where they mean nothing), scops and diagnostics.
        auto: loops were looked for where no pragmas mark them.
    """

    path: Path | None
    name: str
    encoding: str
    kernel: KernelInfo | None
    given: str
    file: CFile
    auto: bool = False

    def encode(self, text: str) -> bytes:
        """Text as bytes in the input's encoding; what it was made of comes out as it was."""
        return text.encode(self.encoding)


def read_as_compiled(arguments: Namespace, command: str, macros: Collection[str] | None) -> None:
    """Let what a compiler's command says of macros, folders and headers hold for reading, before what the command line
    says itself.

    Args:
        macros: those that the compiler defines by itself; None: ours are to hold.
    Raises:
        BuildError: for a command that is none.
    """
    from polyloop.support.compilers import reading_options  # of a compiler that is named

    defines, undefines, folders, includes = reading_options(command)
    own, lacking = ((), ()) if macros is None else predefined(macros)
    arguments.defines[:0], arguments.undefines[:0] = (*own, *defines), (*lacking, *undefines)
    arguments.include_dirs[:0], arguments.includes[:0] = folders, includes


def read_input(arguments: Namespace, opaque_calls: bool = False) -> Input:
    """Read INPUT with the options -I -D -U -include --function --dataset.

    Args:
        opaque_calls: see `polyloop.frontend.read_source`; of those who only look.
    Raises:
        InputError: if there is nothing to read.
        UsageError: for a dataset that the file or the shipped kernel does not have.
    """
    path, info = locate(arguments.input)
    name = "<stdin>" if path is None else str(path)
    text, encoding = decode(read_bytes(path), name)
    defines = list(arguments.defines)
    if arguments.dataset and info is None:
        defines.append(f"{arguments.dataset}_DATASET")
    if arguments.dataset and info is not None and arguments.dataset not in info.sizes:
        names = ", ".join(info.sizes)
        raise UsageError(f"--dataset: {info.name} has no dataset {arguments.dataset}; there are {names}")
    _check_includes(arguments.includes, arguments.include_dirs)
    auto = getattr(arguments, "auto", False)  # of optimize alone
    file = read_source(
        name,
        function=arguments.function,
        defines=tuple(defines),
        undefines=tuple(arguments.undefines),
        include_dirs=tuple(arguments.include_dirs),
        includes=tuple(arguments.includes),
        text=text,
        allow_calls=arguments.allow_calls,
        opaque_calls=opaque_calls,
        auto=auto,
        sizes={name: value for sizes in getattr(arguments, "sizes", ()) for name, value in sizes.items()},
        usable=lambda scop: getattr(arguments, "assume_noalias", False) or can_be_tested(scop),
    )
    if arguments.dataset and info is None and f"{arguments.dataset}_DATASET" not in file.tested:
        hint = "--sizes gives values, and -D defines a macro"
        raise UsageError(f"--dataset: nothing in {name} asks for {arguments.dataset}_DATASET; {hint}")
    return Input(path, name, encoding, info, text, file, auto)


def _check_includes(names: Sequence[str], folders: Sequence[str]) -> None:
    """The files of -include have no place in the input that a diagnostic could name; nor has a missing folder, which
    may be in order, as for compilers.

    Raises:
        InputError: for a file that is not there.
    """
    for folder in folders:
        if not Path(folder).is_dir():
            print(f"polyloop: warning: -I {folder}: there is no such folder", file=sys.stderr)
    missing = [name for name in names if not any((Path(folder) / name).is_file() for folder in (".", *folders))]
    if missing:
        from polyloop.frontend.stub_headers import HEADERS  # there are our stand-ins for those of the system

        for name in missing:
            if name not in HEADERS:
                raise InputError(f"-include: cannot find the file {name}; name its folder with -I")


@dataclass(frozen=True)
class Sizes:
    """What was said about one scop's parameters.

    Attributes:
        given: the values that somebody gave; None: nobody gave any.
        values: those, and defaults for the others.
        origin: in words, who gave them.
    """

    given: dict[str, int] | None = None
    values: dict[str, int] | None = None
    origin: str = ""


def threads_of(scop: Scop, threads: int) -> int:
    """How many threads parallel loops get: of a region whose directives ask for threads, several in any case."""
    team = scop.source.team if scop.source is not None else None
    if team is None or threads > 1:
        return threads
    return max(2, team.threads or len(os.sched_getaffinity(0)))


def in_one_thread(source: Input) -> Input:
    """The file without what directives of OpenMP say of its regions, and a remark of each on standard error. A loop
    that the threads of a team share stays shared: they come there in any case."""
    scops = []
    for scop in source.file.scops:
        team = scop.source.team if scop.source is not None else None
        if scop.source is not None and team is not None and not team.shared:
            words, line = team.directives[0]
            where = f"{scop.source.path}:{line}: remark: #pragma {words}"
            print(f"{where}: one thread is asked for (--threads), and {scop.name} gets no more", file=sys.stderr)
            scop = replace(scop, source=replace(scop.source, team=None))
        scops.append(scop)
    return replace(source, file=replace(source.file, scops=tuple(scops)))


def chosen_sizes(source: Input, arguments: Namespace) -> list[tuple[Scop, Sizes]]:
    """What --sizes and --dataset say for each scop; the default where they say nothing of a parameter.

    Raises:
        UsageError: for a parameter that no scop has, or values that a scop is not written for.
    """
    given: dict[str, int] = {}
    for sizes in arguments.sizes:
        given |= sizes
    known = dict.fromkeys(p for scop in source.file.scops for p in scop.parameters)
    unknown = given.keys() - set[str]().union(*map(variables_of_sizes, source.file.scops))
    if unknown and source.file.scops:
        names = f"the parameters are {', '.join(known)}" if known else "the loops have constant bounds"
        raise UsageError(f"--sizes: {source.name} has no parameter {', '.join(sorted(unknown))}; {names}")
    origins = ["--sizes"] if given else []
    if arguments.dataset and source.kernel is not None:
        given = source.kernel.resolve(arguments.dataset) | given
        origins.insert(0, f"dataset {arguments.dataset}")
    return [(scop, _sizes_of(scop, given, origins)) for scop in source.file.scops]


def _sizes_of(scop: Scop, given: dict[str, int], origins: list[str]) -> Sizes:
    given = of_variables(scop, given)
    if not any(name in given for name in scop.parameters):
        return Sizes()
    mine = {name: given[name] for name in scop.parameters if name in given}
    try:
        values = mine
        if not_given(scop, mine):
            from polyloop.scop.size_choice import default_sizes  # of parameters that nobody gave

            values = default_sizes(scop, mine).values
        chosen = sizes_as_given(scop, values, mine)
    except SizeError as error:
        raise UsageError(f"--sizes: {error}") from error
    if all(fix_parameters(scop.points(s), chosen).is_empty() for s in scop.statements):
        at = ", ".join(f"{name}={value}" for name, value in chosen.items())
        if len(mine) < len(scop.parameters):
            return Sizes()  # it is the others, which nobody gave, that do not fit
        raise UsageError(f"--sizes: with {at} no statement of {scop.name} is executed, so there is nothing to measure")
    return Sizes(mine, chosen, ", ".join(origins))


def print_diagnostics(source: Input, function: str | None) -> None:
    """Errors and remarks about the file, with source line and caret, on standard error.

    Raises:
        InputError: if no region of the file (of its `function`) could be looked at.
    """
    file = source.file
    for diagnostic in file.diagnostics:
        print(diagnostic.render(), file=sys.stderr)
    if file.scops or any(d.severity == "remark" for d in file.diagnostics):
        return
    if file.errors:
        raise InputError(f"{source.name}: nothing could be read")
    where = f" in a function {function}" if function is not None else ""
    if source.auto:
        raise InputError(f"{source.name}: there are no loops{where}")
    hint = "put it and #pragma endscop around the loops, or have polyloop optimize --auto find them"
    raise InputError(f"{source.name}: there is no #pragma scop{where}; {hint}")


def decode(data: bytes, name: str) -> tuple[str, str]:
    """(text, encoding): UTF-8, with or without byte order mark, or else Latin-1, which takes every byte.

    Raises:
        InputError: for what is no text at all.
    """
    if b"\0" in data:
        raise InputError(f"{name} is a binary file, not C text")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"
    if text.startswith(_BYTE_ORDER_MARK):
        return text.removeprefix(_BYTE_ORDER_MARK), "utf-8-sig"
    return text, "utf-8"


def locate(given: str) -> tuple[Path | None, KernelInfo | None]:
    """The file that INPUT means (None: standard input), and the shipped kernel that it is.

    Raises:
        InputError: for a bare word that is neither a file nor a kernel.
    """
    if given == "-":
        return None, None
    path = Path(given)
    if os.path.exists(path) or path.suffix or os.sep in given:
        return path, _shipped(path)
    from polyloop.shipped.kernels import UnknownKernelError, kernel

    try:
        info = kernel(given)
    except UnknownKernelError as error:
        raise InputError(f"there is no file {given}, and {error}") from error
    return info.path, info


def _shipped(path: Path) -> KernelInfo | None:
    if not os.path.exists(path.resolve().with_name("kernels.toml")):  # what is known of kernels takes time to load
        return None
    from polyloop.shipped.kernels import kernel, kernel_names

    if path.stem not in kernel_names() or not os.path.exists(path):
        return None
    info = kernel(path.stem)
    return info if info.path.samefile(path) else None


def read_bytes(path: Path | None) -> bytes:
    """Those of a file, or of standard input.

    Raises:
        InputError: if it cannot be read, or is larger than any source.
    """
    data = sys.stdin.buffer.read(MOST_BYTES + 1) if path is None else _read_file(path)
    if len(data) > MOST_BYTES:
        raise InputError(f"{path or 'standard input'} has more than {MOST_BYTES} bytes, which is no C source")
    return data


def _read_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot read {path}: {reason}") from error
