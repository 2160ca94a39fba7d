"""Results as files: the C file, and for each scop LLVM IR, assembly, an object with its header, schedules."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from shlex import quote
from typing import TYPE_CHECKING

from polyloop.backend.c.text import CPP_KEYWORDS, scalar_name
from polyloop.backend.errors import TargetError
from polyloop.backend.ir.loop_nest import Storage
from polyloop.backend.ir.traversal import walk
from polyloop.backend.ir.vector_program import Arithmetic, Let, Statement, VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import X86, shown_target
from polyloop.cli.arguments import release
from polyloop.lowering.to_c_file import Replacement, emit_c_file, helpers_header, limited
from polyloop.measure.result import Result
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.model import Scop, SourceRegion
from polyloop.scop.program import without_comments
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import EMITS, Destination, destination, told_apart
from polyloop.terminal.report import Outcome
from polyloop.terminal.sources import Input

if TYPE_CHECKING:
    from polyloop.backend.llvm.entry import Parameter
    from polyloop.backend.machine.versions import Version

_OBJECTS = ("obj", "asm", "llvm")


@dataclass(frozen=True)
class Code:
    """How code is generated.

    Attributes:
        threads: of parallel loops.
        contract: multiplications and additions are contracted.
        target: the instruction set; None: this machine's.
        versions: those of several instruction sets, in one file; (): there is one.
    """

    threads: int = 1
    contract: bool = True
    target: str | None = None
    versions: tuple[Version, ...] = ()


def check_emits(kinds: Sequence[str], to: Destination | None) -> None:
    """Refuse, before any work, what cannot be written.

    Raises:
        UsageError: for several kinds on standard output, an object on standard output.
    """
    if to is None or to.path is None:
        if len(kinds) > 1:
            raise UsageError(f"--emit: {', '.join(kinds)} do not all fit on standard output; give -o FILE")
        if "obj" in kinds:
            raise UsageError("--emit: an object file comes with a header; give -o FILE")


def chosen_versions(names: Sequence[str] | None, kinds: Sequence[str]) -> tuple[Version, ...]:
    """The versions that ``--targets`` asks for; () where it does not occur.

    Args:
        kinds: what is to be written, see `EMITS`.
    Raises:
        UsageError: for versions that do not go together into such a file.
    """
    if not names:
        return ()
    from polyloop.backend.machine.versions import versions_of  # of several alone

    try:
        versions = versions_of(names)
    except TargetError as error:
        raise UsageError(f"--targets: {error}") from error
    others = [version.name for version in versions if version.architecture != X86]
    if others and (single := [kind for kind in kinds if kind in _OBJECTS]):
        raise UsageError(
            f"--targets: {single[0]} is for one architecture, and {others[0]} is of another; give --target"
        )
    return versions


def write_c(
    source: Input,
    outcomes: Sequence[Outcome],
    to: Destination,
    versions: tuple[Version, ...] = (),
    words: Sequence[str] = (),
    helpers: Destination | None = None,
    left: Sequence[Scop] = (),
) -> None:
    """The input file with the changed scops' text replaced.

    Args:
        left: see `replacements`.
        words: the command line.
        helpers: the file of what the new loops call; None: that stands in the file itself.
    Raises:
        EmitError: if the file of helpers is somebody else's.
    """
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    uncontracted = bool(left) or any(result.reproducible for result in results)
    made = replacements(results, versions, left)
    targets = [version.name for version in versions] or [o.target or _instruction_set() for o in outcomes]
    header = "" if helpers is None or helpers.path is None else helpers.path.name
    text = emit_c_file(
        source.file.text if made else source.given,
        made,
        uncontracted=uncontracted,
        heading=heading(shown_command(words), targets, source.name, in_place=to.path == source.path),
        header=header,
        expanded=source.file.expanded if made else (),
    )
    # The header first: it may be somebody else's, and then the C file stays as it was.
    if made and helpers is not None and helpers.path is not None:
        earlier = helpers.path.read_text(encoding="utf-8") if helpers.path.is_file() else ""
        helpers.write(helpers_header(made, earlier, name=str(helpers.path), uncontracted=uncontracted).encode())
    to.write(source.encode(text))


def _instruction_set() -> str:
    """What ``--target`` would call this machine's."""
    target = host_target()
    if not target.triple.startswith("x86_64"):
        return target.triple.partition("-")[0]
    return {512: "avx512", 256: "avx2"}.get(target.vector_bits, "sse")


_NO_MATTER = ("-o", "--output", "--json", "--depfile", "--emit", "--schedule")
"""Options with a value that say where things go; what is made of loops is the same."""


def shown_command(words: Sequence[str]) -> tuple[str, ...]:
    """A command line as files tell it: the same on every machine, so no folders, and nothing of where things go."""
    shown: list[str] = []
    left = iter(words)
    for word in left:
        if word in _NO_MATTER:
            next(left, None)
        elif not word.startswith(("-o", "--no-cache", "--check", *(f"{name}=" for name in _NO_MATTER))):
            shown.append(quote(re.sub(r"(?<![^\s=\"'IL])/(?:[^\s/]+/)*(?=[^\s/])", "", word)))
    return tuple(shown)


def heading(command: Sequence[str], targets: Iterable[str], name: str, in_place: bool) -> str:
    """What made a file, and what to edit; without a date.

    Args:
        command: see `shown_command`.
    """
    original = "the loops beside the new ones" if in_place else PurePath(name).name
    edit = f"edit {original}, not what is made of {'them' if in_place else 'it'}"
    goals = ", ".join(sorted(set(targets)))
    shown = " ".join(("polyloop", *(command or ("optimize", "--schedule"))))
    made = f"Made by polyloop {release()}: {shown};{f' for {goals};' if goals else ''} {edit}."
    return made.encode("ascii", "backslashreplace").decode()


def write_depfile(arguments: Namespace, output: Destination | None) -> None:
    """A rule for make: the output is made of the input, all that it includes, and the schedules that are applied."""
    assert output is not None
    made_of = (arguments.input, *arguments.headers, *([arguments.schedule] if arguments.schedule else []))
    names = [re.sub(r"([ #])", r"\\\1", str(name)).replace("$", "$$") for name in (output.path, *made_of)]
    place = destination("--depfile", arguments.depfile, Path(arguments.input))
    place.write(f"{names[0]}: {' '.join(names[1:])}\n".encode())


def without_results(outcomes: Sequence[Outcome]) -> list[Scop]:
    """Scops without a result for any target."""
    found = {outcome.scop.source for outcome in outcomes if outcome.result is not None}
    left = {outcome.scop.source: outcome.scop for outcome in outcomes if outcome.scop.source not in found}
    return list(left.values())


def replacements(
    results: Sequence[Result], versions: tuple[Version, ...] = (), left: Sequence[Scop] = ()
) -> list[Replacement]:
    """What becomes of the file: loops that stay are named where compilers are to be told how to round in them, those
    that nothing was found out about (`left`), too."""
    found = []
    for group in _by_scop([result for result in results if result.reproducible or not result.is_original]):
        programs = {result.target: None if result.is_original else result.program for result in group}
        chosen = tuple((version, programs.get(version.name)) for version in versions)
        # Of several versions each has bounds of its own: none is left out for those of another.
        above = group[0].above if len(group) == 1 else ""
        found.append(Replacement(limited(group[0].scop, above), programs[group[0].target], chosen))
    return found + [Replacement(scop, None) for scop in left]


def rounded_apart(results: Sequence[Result], versions: tuple[Version, ...]) -> tuple[str, ...]:
    """Names of the versions that round multiply-adds once, where other versions and plain x86-64 round them twice."""
    fused = {result.target for result in results if any(map(_fuses, walk(result.program.body)))}
    return tuple(version.name for version in versions if version.name in fused and version.target.has_fma)


def _fuses(statement: Statement) -> bool:
    match statement:
        case Let(_, Arithmetic("fma")):
            return True
        case _:
            return False


def _by_scop(results: Sequence[Result]) -> list[list[Result]]:
    """The results for several instruction sets together."""
    found: dict[tuple[str, int], list[Result]] = {}
    for result in results:
        place = result.scop.source.begin if result.scop.source is not None else 0
        found.setdefault((result.scop.name, place), []).append(result)
    return list(found.values())


def write_scops(kind: str, results: Sequence[Result], to: Destination, exact: bool, code: Code) -> list[Destination]:
    """One kind of file for each scop.

    Args:
        exact: the file's name was given for this kind alone; else files get endings of their own.
    Returns:
        The files written.
    Raises:
        UsageError: for several scops on standard output, and where an object's header is somebody's file.
    """
    groups = _by_scop(results)
    several = len(groups) > 1
    if to.path is None and several:
        count = f"{len(groups)} scops do not fit on standard output"
        raise UsageError(f"--emit: {count}; choose with --function, or give -o FILE")
    written = []
    for group, name in zip(groups, told_apart(group[0].scop.name for group in groups), strict=True):
        place = to if exact and not several else to.beside(f".{name}{EMITS[kind]}" if several else EMITS[kind])
        beside = place.header() if kind == "obj" else None
        place.write(_content(kind, group, code))
        written.append(place)
        if beside is not None:
            from polyloop.backend.c.header import emit_header  # of this kind alone

            own = () if code.versions else own_parameters(group[0].scop, group[0].program)
            entry = own_declaration(group[0].scop, group[0].program, own) if own else ""
            beside.write(emit_header(_named(group[0].program), code.threads, entry).encode())
            written.append(beside)
    return written


def _content(kind: str, results: Sequence[Result], code: Code) -> bytes:
    result, program = results[0], _named(results[0].program)
    if kind in SCHEDULES:
        best = result.best
        return SCHEDULES[kind](result, best.tree or original_tree(best.scop)).encode()
    if code.versions:
        from polyloop.backend.run.versions import emit_versions  # of several alone

        own = {r.target: _named(r.program) for r in results}
        programs = {version: own[version.name] for version in code.versions if version.name in own}
        made = emit_versions(programs, program.name, kind, threads=code.threads, contract=code.contract)
    else:
        from polyloop.backend.run.jit import emit  # not of C

        target = None if code.target is None else shown_target(code.target)
        entry = _entry(result.scop, program) if kind in _OBJECTS else ""
        made = emit(program, target, kind, threads=code.threads, contract=code.contract, entry=entry)
    return made.encode() if isinstance(made, str) else made


# What writes a kind is loaded with the first file of that kind.


def _isl_text(result: Result, tree: ScheduleTree) -> str:
    from polyloop.schedules.text import to_isl_text

    return f"{to_isl_text(result.best.scop, tree)}\n"


def _jscop(result: Result, tree: ScheduleTree) -> str:
    from polyloop.schedules.text import to_jscop

    return to_jscop(result.best.scop, tree)


def _graph(result: Result, tree: ScheduleTree) -> str:
    from polyloop.graphs.trees import graph_json

    return graph_json(result.best.scop, tree, result.sizes)


SCHEDULES: Mapping[str, Callable[[Result, ScheduleTree], str]] = {
    "isl": _isl_text,
    "jscop": _jscop,
    "graph": _graph,
}


def _named(program: VectorProgram) -> VectorProgram:
    """Under a name that the source's own function does not have, so that both may be linked into one program."""
    return replace(program, name=f"polyloop_{program.name}")


def _entry(scop: Scop, program: VectorProgram) -> str:
    """IR of the file's own function, where its loops are all that it does."""
    own = own_parameters(scop, program)
    if not own or scop.source is None:
        return ""
    from polyloop.backend.llvm.entry import entry_text  # of objects alone

    return entry_text(scop.source.function, own, program)


def own_parameters(scop: Scop, program: VectorProgram) -> tuple[Parameter, ...]:
    """The parameters of the file's function; () where it does more than its loops, or where they are not plain ones."""
    from polyloop.backend.llvm.entry import Parameter  # of objects alone

    source = scop.source
    if source is None or not _is_alone(source):
        return ()
    types = dict(source.parameter_types)
    arrays = {spec.name: spec for spec in program.arrays if spec.storage is Storage.ARGUMENT}
    found = []
    for name in source.parameter_order:
        if name in program.parameters and name in types and source.value(name) == name:
            found.append(Parameter(name, types[name]))
        elif name in arrays and re.fullmatch(rf"&?{name}(\[0\])*", address := source.address(name)):
            found.append(Parameter(name, arrays[name].type if address == f"&{name}" else None))
        else:
            return ()
    every = {*program.parameters, *arrays}
    return tuple(found) if {p.name for p in found} == every else ()


def _is_alone(source: SourceRegion) -> bool:
    """Whether the function is void and has nothing but the region, and declarations in front of it."""
    before = without_comments(source.text[source.function_start : source.begin])
    behind = without_comments(source.text[source.end :])
    head, _, body = before.partition("{")
    body = re.sub(r"#[ \t]*pragma[ \t]+scop[^\n]*", "", body)
    plain = re.fullmatch(r"(?:\s*(?:int|long|unsigned|size_t)\s+\w+(?:\s*,\s*\w+)*\s*;)*\s*", body)
    ends = re.match(r"(?:\s*#[ \t]*pragma[ \t]+endscop[^\n]*)?\s*\}", behind)
    return bool(plain and ends and re.search(rf"\bvoid\s+{source.function}\s*\(", head) and "static" not in head)


def own_declaration(scop: Scop, program: VectorProgram, parameters: tuple[Parameter, ...]) -> str:
    """The function in C and C++: pointers to the first elements."""
    assert scop.source is not None
    specs = {spec.name: spec for spec in program.arrays}
    texts = []
    for each in parameters:
        name = f"{each.name}_" if each.name in CPP_KEYWORDS else each.name
        if each.type is not None:
            texts.append(f"{scalar_name(each.type)} {name}")
        else:
            const = "const " if specs[each.name].read_only else ""
            texts.append(f"{const}{scalar_name(specs[each.name].type)} *{name}")
    return f"void {scop.source.function}({', '.join(texts) or 'void'});"
