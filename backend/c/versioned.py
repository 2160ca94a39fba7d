"""Programs as C functions in several versions, and the functions that choose between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from polyloop.backend.c.arrays import functions_called
from polyloop.backend.c.helpers import Helper, guarded, in_versions, merged
from polyloop.backend.c.printer import AS_C, CFunction, Threads, prelude, print_c
from polyloop.backend.c.text import wrap
from polyloop.backend.c.vectors import in_version
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.versions import Version


def print_version(
    program: VectorProgram,
    version: Version,
    name: str,
    reserved: Iterable[str] = (),
    qualifiers: str = "static ",
    threads: Threads | None = None,
    values: Collection[str] = (),
) -> CFunction:
    """The program for one of several instruction sets, under a name that says which."""
    qualifiers = f"{qualifiers}polyloop_for_{version.suffix} "
    printed = print_c(program, f"{name}_{version.suffix}", reserved, qualifiers, threads, values)
    text = guarded(f"\n{in_version(printed.text, version)}", version)
    return replace(printed, text=text, helpers=in_versions(printed.helpers, version))


def print_choice(
    name: str,
    versions: Sequence[Version],
    functions: Mapping[Version, CFunction],
    qualifiers: str = "static inline __attribute__((always_inline)) ",
    otherwise: CFunction | None = None,
) -> CFunction:
    """The function that calls the version that the processor runs.

    Args:
        versions: all that the file chooses from.
        functions: what there is of them, all with the same parameters.
        otherwise: what runs where there is none; None: nothing, and 0 is returned.
    """
    every = [*functions.values(), *([otherwise] if otherwise is not None else [])]
    like, result = every[-1], "int" if otherwise is None or any(f.can_fail for f in every) else "void"
    lines = [*wrap(f"{qualifiers}{result} {name}({', '.join(like.parameters) or 'void'})"), "{"]
    if otherwise is None and like.names:
        lines += wrap(f"    {', '.join(f'(void){argument}' for argument in like.names)};")
    lines.append("    switch (polyloop_version) {")
    for macro, group in groupby(functions.items(), key=lambda entry: entry[0].macro):
        lines.append(f"#ifdef {macro}")
        for version, function in group:
            lines += [f"    case {versions.index(version) + 1}:", *_called(function, result)]
        lines.append("#endif")
    lines += [
        "    default:",
        *(["        return 0;"] if otherwise is None else _called(otherwise, result)),
        "    }",
        "}",
    ]
    helpers = frozenset({Helper("version", versions=tuple(versions))}).union(*(f.helpers for f in every))
    return CFunction(name, "\n".join([*lines, ""]), helpers, result == "int", like.parameters, like.names)


def _called(function: CFunction, result: str) -> list[str]:
    call = f"{function.name}({', '.join(function.names)});"
    if function.can_fail:
        return wrap(f"        return {call}")
    return [*wrap(f"        {call}"), "        return 1;" if result == "int" else "        return;"]


def c_source_versions(programs: Mapping[Version, VectorProgram], name: str, uncontracted: bool = False) -> str:
    """A complete C file that defines an external function in several versions, and calls the one that the processor
    runs; where that is none of them, the last program as the compiler of the file makes it."""
    kernel = "polyloop_kernel polyloop_uncontracted " if uncontracted else "polyloop_kernel "
    macros = {Helper("kernel"), *([Helper("uncontracted")] if uncontracted else [])}
    functions = {v: print_version(p, v, f"polyloop_{name}", (), kernel) for v, p in programs.items()}
    plain = print_c(list(programs.values())[-1], f"polyloop_{name}_plain", (), kernel)
    choice = print_choice(name, tuple(programs), functions, "", plain)
    texts = [f.text for f in functions.values()]
    called = frozenset().union(*(functions_called(program.body) for program in programs.values()))
    macros |= {Helper("include", detail="math.h")} if called else set()
    return merged("".join([prelude(choice.helpers | macros), *texts, f"\n{plain.text}\n{AS_C}{choice.text}"]))
