"""A function with the parameters that people have, in their order and types, which calls a program's."""

from __future__ import annotations

from dataclasses import dataclass

from polyloop.backend.ir.expressions import ScalarType
from polyloop.backend.ir.loop_nest import Storage
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.llvm.integers import scalar_text


@dataclass(frozen=True)
class Parameter:
    """A parameter of the function: a number of this type, or None: a pointer; `name`: what the program calls it."""

    name: str
    type: ScalarType | None


def entry_text(name: str, parameters: tuple[Parameter, ...], program: VectorProgram) -> str:
    """LLVM IR of ``void name(parameters)``, to stand behind the program's; a definition elsewhere goes first (weak)."""
    declared = [f"{'ptr' if p.type is None else scalar_text(p.type)} %{k}" for k, p in enumerate(parameters)]
    places = {p.name: k for k, p in enumerate(parameters)}
    lines: list[str] = []
    arguments: list[str] = []
    for number in program.parameters:
        type_ = parameters[places[number]].type
        assert type_ is not None
        if type_.bits == 64:
            arguments.append(f"i64 %{places[number]}")
            continue
        extend = "sext" if type_.kind == "int" else "zext"
        lines.append(f"  %n{places[number]} = {extend} {scalar_text(type_)} %{places[number]} to i64")
        arguments.append(f"i64 %n{places[number]}")
    for array in program.arrays:
        if array.storage is not Storage.ARGUMENT:
            continue
        place = places[array.name]
        type_ = parameters[place].type
        if type_ is None:
            arguments.append(f"ptr %{place}")
            continue
        text = scalar_text(type_)
        lines += [f"  %a{place} = alloca {text}", f"  store {text} %{place}, ptr %a{place}"]
        arguments.append(f"ptr %a{place}")
    call = f'  call void @"{program.name}"({", ".join(arguments)})'
    body = "\n".join([*lines, call, "  ret void"])
    return f'\ndefine weak void @"{name}"({", ".join(declared)}) {{\nentry:\n{body}\n}}\n'
