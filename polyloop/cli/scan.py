"""``polyloop scan``: which loops of files and folders can be read, the costliest first, and why the others cannot."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from shlex import quote

from polyloop.backend.errors import BackendError
from polyloop.cli.compile_commands import Flags, find_database, read_database
from polyloop.errors import PolyloopError, counted, printable
from polyloop.frontend import CFile, read_source
from polyloop.lowering.run_time_tests import can_be_tested
from polyloop.scop.model import Scop
from polyloop.scop.program import Diagnostic
from polyloop.terminal.document import diagnostic_row, document
from polyloop.terminal.errors import DONE, INTERRUPTED, InputError, UsageError
from polyloop.terminal.output import Progress, json_destination, tables
from polyloop.terminal.ranking import assumed_sizes, expected_operations
from polyloop.terminal.sources import decode, read_as_compiled, read_bytes

_SKIPPED = (".git", "node_modules")
_OF_A_BUILD = (
    *(
        "Makefile",
        "makefile",
        "GNUmakefile",
        "Makefile.am",
        "Makefile.in",
        "configure",
        "configure.ac",
        "CMakeLists.txt",
    ),
    *("meson.build", "wscript", "SConstruct", "BUILD.bazel"),
)
"""What a folder of a project has beside its sources."""
_NEAR = 4  # folders up
_OF_FILES = ("unknown-type", "unknown-macro", "no-include", "error-directive")
"""Remarks that are of no loop."""


@dataclass(frozen=True)
class Region:
    """Loops that can be optimized.

    Attributes:
        operations: how many they are expected to execute, those around them included.
    """

    scop: Scop
    sizes: dict[str, int]
    operations: float

    @property
    def place(self) -> tuple[str, int]:
        assert self.scop.source is not None
        return self.scop.source.path, self.scop.source.line

    def row(self) -> dict[str, object]:
        assert self.scop.source is not None
        file, line = self.place
        return {
            "scop": self.scop.name,
            "file": file,
            "line": line,
            "function": self.scop.source.function,
            "status": "read",
            "statements": len(self.scop.statements),
            "depth": max(statement.depth for statement in self.scop.statements),
            "around": len(self.scop.source.around),
            "sizes": self.sizes,
            "operations": self.operations,
        }

    def __str__(self) -> str:
        file, line = self.place
        depth = max(statement.depth for statement in self.scop.statements)
        nest = f"{counted(len(self.scop.statements), 'statement')}, {counted(depth, 'loop')} deep"
        at = ", ".join(f"{name}={value}" for name, value in self.sizes.items())
        expected = f"{self.operations:.1e} operations" + (f" at {at}" if at else "")
        return f"{file}:{line}: {self.scop.name}: {nest}, {expected}"


def run(arguments: Namespace) -> int:
    """Print regions and reasons.

    Raises:
        InputError: if there is no C file, or none could be read.
        UsageError: for a compiler of --cc that is not there, or does not take its flags.
    """
    json = json_destination(arguments)
    stream = tables(json)
    if arguments.cc:
        from polyloop.support.compilers import BuildError, user_compiler  # of one that is named

        try:
            read_as_compiled(arguments, arguments.cc, user_compiler(arguments.cc).macros)
        except BuildError as error:
            raise UsageError(f"--cc: {error}") from error
    regions: list[Region] = []
    left: list[Diagnostic] = []
    headers = Headers()
    files, interrupted = 0, False
    inputs = list(_inputs(arguments))
    own = {os.path.abspath(path) for path, _ in inputs}
    with Progress("scan") as progress:
        for number, (path, flags) in enumerate(inputs, 1):
            progress.update(f"{path}, {number} of {len(inputs)}")
            try:
                file = _read(path, flags, arguments, headers)
                ranked = list(_ranked(file))
            except (PolyloopError, BackendError) as error:
                print(f"polyloop: warning: {printable(str(error))}", file=sys.stderr)
                continue
            except KeyboardInterrupt:
                if not files:
                    raise
                interrupted = True
                print(f"polyloop: interrupted; {files} of {len(inputs)} files were read", file=sys.stderr)
                break
            files += 1
            regions += ranked
            # Loops of an input are its own, and not those of another one that includes it.
            others = own - {os.path.abspath(path)}
            left += [d for d in file.diagnostics if os.path.abspath(d.location.file) not in others]
    if not files:
        raise InputError(f"{', '.join(arguments.inputs)}: there is no C file to read")
    regions.sort(key=lambda region: -region.operations)
    for line in (*map(str, regions), *map(_reason, left), "", *_summary_lines(files, regions, left), *headers.lines()):
        print(line, file=stream)
    if json is not None:
        rows = [*(region.row() for region in regions), *map(diagnostic_row, left)]
        json.write(document("scan", _settings(arguments), rows, _summary(files, regions, left)).encode())
    return INTERRUPTED if interrupted else DONE


def _inputs(arguments: Namespace) -> Iterator[tuple[Path, Flags]]:
    """All C files, with the flags that their build has for them.

    Raises:
        InputError: for a name that is no file or folder.
    """
    databases: dict[Path, dict[Path, Flags]] = {}
    for given in map(Path, arguments.inputs):
        if not given.exists():
            raise InputError(f"there is no file or folder {given}")
        database = arguments.compile_commands or find_database(given)
        if database is not None and database not in databases:
            databases[database] = read_database(Path(database))
        known = databases[database] if database is not None else {}
        for path in sorted(_below(given)) if given.is_dir() else (given,):
            yield path, known.get(path.resolve(), Flags())


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        yield from (Path(place, name) for name in names if name.endswith(".c"))


class Headers:
    """Headers that no -I and no build names, found by their names in the project that includes them.

    Attributes:
        folders: what -I would have to name for them, in the order in which they were needed.
    """

    def __init__(self) -> None:
        self.folders: dict[str, None] = {}
        self._roots: dict[Path, Path] = {}
        self._known: dict[Path, dict[str, list[Path]]] = {}

    def find(self, name: str, including: str) -> Path | None:
        """The header nearest to the file that includes it, of those whose paths end with its name."""
        place = Path(including).parent
        root = self._roots.setdefault(place, _project(place))
        if root not in self._known:
            self._known[root] = _headers_below(root)
        wanted = tuple(part for part in Path(os.path.normpath(name)).parts if part != os.pardir)
        headers = self._known[root].get(wanted[-1], ())
        found = [path for path in headers if path.parts[-len(wanted) :] == wanted]
        own = place.absolute().parts
        if not found:
            # What is installed as <library/part.h> may lie in any folder of the project, if there is but one.
            return Path(os.path.relpath(headers[0])) if len(headers) == 1 and len(wanted) > 1 else None
        nearest = max(found, key=lambda path: (_shared(path.parts, own), -len(path.parts)))
        self.folders[os.path.relpath(Path(*nearest.parts[: -len(wanted)]))] = None
        return Path(os.path.relpath(nearest))

    def lines(self) -> Iterator[str]:
        if self.folders:
            options = " ".join(f"-I {quote(str(folder))}" for folder in self.folders)
            yield f"headers were found by their names; to optimize: {options}"


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """How many folders two paths begin with together."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _project(place: Path) -> Path:
    """The project that a folder belongs to: the nearest folder that is a checkout; where there is none, the nearest one
    that has files of a build, and those around it that have some, too, or the folder itself if there is none near."""
    root, found = place.absolute(), False
    checkout = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)
    if checkout is not None and str(checkout) != os.path.expanduser("~"):
        return checkout
    for steps, folder in enumerate((root, *root.parents)):
        if any((folder / name).exists() for name in _OF_A_BUILD):
            root, found = folder, True
        elif found or steps == _NEAR:
            break
    return root


def _headers_below(root: Path) -> dict[str, list[Path]]:
    result: dict[str, list[Path]] = {}
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in names:
            if name.endswith((".h", ".inc", ".c", ".def")):
                result.setdefault(name, []).append(Path(place, name))
    return result


def _read(path: Path, flags: Flags, arguments: Namespace, headers: Headers) -> CFile:
    text, _ = decode(read_bytes(path), str(path))
    return read_source(
        path,
        function=arguments.function,
        defines=(*flags.defines, *arguments.defines),
        undefines=(*flags.undefines, *arguments.undefines),
        include_dirs=(*arguments.include_dirs, *flags.include_dirs),
        includes=(*flags.includes, *arguments.includes),
        text=text,
        allow_calls=arguments.allow_calls,
        auto=True,
        elsewhere=headers.find,
        usable=can_be_tested,
    )


def _ranked(file: CFile) -> Iterator[Region]:
    for scop in file.scops:
        sizes = assumed_sizes(scop)
        yield Region(scop, sizes, expected_operations(scop, sizes))


def _reason(diagnostic: Diagnostic) -> str:
    words = f"{diagnostic.location}: {diagnostic.severity}: {diagnostic.message} [{diagnostic.code}]"
    return printable(words)


def _summary(files: int, regions: Sequence[Region], left: Sequence[Diagnostic]) -> dict[str, object]:
    codes = _reasons(left)
    return {
        "files": files,
        "read": len(regions),
        "left": sum(codes.values()),
        "errors": sum(d.severity == "error" for d in left),
        "reasons": dict(codes.most_common()),
    }


def _reasons(left: Sequence[Diagnostic]) -> Counter[str]:
    """How many loops stay for a reason."""
    return Counter(d.code for d in left if d.severity == "remark" and d.code not in _OF_FILES)


def _summary_lines(files: int, regions: Sequence[Region], left: Sequence[Diagnostic]) -> Iterator[str]:
    codes = _reasons(left)
    yield f"{counted(len(regions), 'region')} can be optimized in {counted(files, 'file')}"
    if stay := sum(codes.values()):
        reasons = ", ".join(f"{n} {code}" for code, n in codes.most_common())
        yield f"{counted(stay, 'loop')} stay{'s' if stay == 1 else ''}: {reasons}"
    if errors := sum(d.severity == "error" for d in left):
        yield f"{counted(errors, 'error')}: see above"


def _settings(arguments: Namespace) -> dict[str, object]:
    names = ("inputs", "compile_commands", "defines", "undefines", "include_dirs", "includes", "function")
    return {name: getattr(arguments, name) for name in names}
