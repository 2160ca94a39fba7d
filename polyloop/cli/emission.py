"""Results as files: the C file, and for each scop LLVM IR, assembly, an object with its header, schedules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.run.jit import emit
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.measure.result import Result
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import EMITS, Destination, told_apart
from polyloop.terminal.report import Outcome
from polyloop.terminal.sources import Input


@dataclass(frozen=True)
class Code:
    """How code is generated: threads of parallel loops, and whether multiplications and additions are contracted."""

    threads: int = 1
    contract: bool = True


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


def write_c(source: Input, outcomes: Sequence[Outcome], to: Destination) -> None:
    """The input file with the changed scops' text replaced."""
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    uncontracted = any(result.reproducible for result in results)
    to.write(source.encode(emit_c_file(source.file.text, replacements(results), uncontracted=uncontracted)))


def replacements(results: Sequence[Result]) -> list[Replacement]:
    """What becomes of the file: loops that stay are named where compilers are to be told how to round in them."""
    wanted = (result for result in results if result.reproducible or not result.is_original)
    return [Replacement(result.scop, None if result.is_original else result.program) for result in wanted]


def write_scops(kind: str, results: Sequence[Result], to: Destination, exact: bool, code: Code) -> list[Destination]:
    """One kind of file for each scop.

    Args:
        exact: the file's name was given for this kind alone; else files get endings of their own.
    Returns:
        The files written.
    """
    several = len(results) > 1
    if to.path is None and several:
        count = f"{len(results)} scops do not fit on standard output"
        raise UsageError(f"--emit: {count}; choose with --function, or give -o FILE")
    written = []
    for result, name in zip(results, told_apart(r.scop.name for r in results), strict=True):
        place = to if exact and not several else to.beside(f".{name}{EMITS[kind]}" if several else EMITS[kind])
        place.write(_content(kind, result, code))
        written.append(place)
        if kind == "obj":
            from polyloop.backend.c.header import emit_header  # of this kind alone

            beside = place.beside(".h")
            beside.write(emit_header(_named(result.program), code.threads).encode())
            written.append(beside)
    return written


def _content(kind: str, result: Result, code: Code) -> bytes:
    if kind in _SCHEDULES:
        best = result.best
        return _SCHEDULES[kind](result, best.tree or original_tree(best.scop)).encode()
    made = emit(_named(result.program), None, kind, threads=code.threads, contract=code.contract)
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


_SCHEDULES: Mapping[str, Callable[[Result, ScheduleTree], str]] = {
    "schedule": _isl_text,
    "jscop": _jscop,
    "graph": _graph,
}


def _named(program: VectorProgram) -> VectorProgram:
    """Under a name that the source's own function does not have, so that both may be linked into one program."""
    return replace(program, name=f"polyloop_{program.name}")
