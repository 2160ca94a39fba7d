"""One object with several versions of a function, one for each instruction set, of which the processor chooses one.

Versions become modules of their own, which are linked into one: LLVM generates the code of every function for the
features that the function names. A constructor asks the processor, as that of emitted C does (`backend.c.helpers`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from llvmlite import binding as llvm

from polyloop.backend.errors import CompileError
from polyloop.backend.ir.loop_nest import Storage
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.target import X86, Target, shown_target
from polyloop.backend.machine.versions import FEATURE_BITS, Version
from polyloop.backend.run.jit import emit, emitted

_PLAIN = "plain"


def emit_versions(
    programs: Mapping[Version, VectorProgram], name: str, kind: str = "obj", *, threads: int = 1, contract: bool = True
) -> str | bytes:
    """A function of several versions as "llvm", "asm" or "obj" (see `jit.emit`).

    A processor that runs none of them gets the last program, in instructions that every one of x86-64 has.

    Args:
        name: of the function; versions have names that begin with it.
    Raises:
        CompileError: for versions of several architectures, or of one that is not x86-64.
    """
    if any(version.architecture != X86 for version in programs):
        others = ", ".join(version.name for version in programs if version.architecture != X86)
        raise CompileError(f"an object is for one architecture, and {others} is not of x86-64; emit C, or it alone")
    base = replace(shown_target("sse"), cpu="x86-64")
    every = [(version.name, program, version.target) for version, program in programs.items()]
    every.append((_PLAIN, every[-1][1], base))
    module = llvm.parse_assembly(_choice(tuple(programs), every[-1][1], name, base))
    for version, program, target in every:
        text = emit(replace(program, name=f"{name}.{version}"), target, "llvm", threads=threads, contract=contract)
        module.link_in(llvm.parse_assembly(str(text)))
    module.verify()
    return emitted(module, base, kind)


def _choice(versions: tuple[Version, ...], program: VectorProgram, name: str, target: Target) -> str:
    """The function itself, and the constructor. `__cpu_model` is what ``__builtin_cpu_supports`` looks into: gcc's
    library has it, which gcc and clang link to everything."""
    types = ["i64"] * len(program.parameters)
    types += ["ptr"] * sum(spec.storage is Storage.ARGUMENT for spec in program.arrays)
    declared = ", ".join(f"{type_} %{number}" for number, type_ in enumerate(types))
    names = [version.name for version in versions]
    lines = [f'declare void @"{name}.{version}"({", ".join(types)})' for version in (*names, _PLAIN)]
    lines += [f'define void @"{name}"({declared}) {{', '  %version = load i32, ptr @"polyloop.version"']
    cases = " ".join(f"i32 {place}, label %case.{version}" for place, version in enumerate(names, 1))
    lines.append(f"  switch i32 %version, label %case.{_PLAIN} [{cases}]")
    for version in (*names, _PLAIN):
        call = f'  tail call void @"{name}.{version}"({declared})'
        lines += [f"case.{version}:", call, "  ret void"]
    return "\n".join([f'target triple = "{target.triple}"', *_CHOSEN, *_chooser(versions), *lines, "}", ""])


_CHOSEN = (
    '@"polyloop.version" = internal global i32 0',
    "@__cpu_model = external hidden global { i32, i32, i32, [1 x i32] }",
    "declare i32 @__cpu_indicator_init()",
    # Not `llvm.global_ctors`, which this way through LLVM becomes a section that only GNU's linker runs.
    '@"polyloop.start" = internal global ptr @"polyloop.choose", section ".init_array", align 8',
    '@llvm.used = appending global [1 x ptr] [ptr @"polyloop.start"], section "llvm.metadata"',
)


def _chooser(versions: tuple[Version, ...]) -> list[str]:
    """The first version whose features are all there, by its place from 1 on; else 0."""
    lines = ['define internal void @"polyloop.choose"() {', "  %asked = call i32 @__cpu_indicator_init()"]
    lines.append("  %word = getelementptr { i32, i32, i32, [1 x i32] }, ptr @__cpu_model, i64 0, i32 3, i64 0")
    lines.append("  %has = load i32, ptr %word")
    found = "0"
    for place in range(len(versions), 0, -1):
        mask = sum(1 << FEATURE_BITS[feature] for feature in versions[place - 1].features)
        lines.append(f"  %these.{place} = and i32 %has, {mask}")
        lines.append(f"  %all.{place} = icmp eq i32 %these.{place}, {mask}")
        lines.append(f"  %found.{place} = select i1 %all.{place}, i32 {place}, i32 {found}")
        found = f"%found.{place}"
    return [*lines, f'  store i32 {found}, ptr @"polyloop.version"', "  ret void", "}"]
