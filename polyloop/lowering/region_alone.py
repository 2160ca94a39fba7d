"""A region as a C file of its own: what comes before its function, then one that has nothing but the region in it.

The region's text stays as it is, between the file's own macros, types and static functions, so a compiler makes of it
what it makes of it in the file; what the function does around it need not be known, and does not run. The function's
parameters have the names and the declarations that the region sees, and what an array of its own was is ``restrict``;
scalars that the region changes are stored back behind it.

A second function takes parameters and addresses in an array of slots, as compiled kernels do:

    void polyloop_run(const long long *slots);   parameters by value, then arrays (scalars, too) by address
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from polyloop.backend.c.text import scalar_name
from polyloop.errors import PolyloopError
from polyloop.scop.model import Array, Scop, SourceRegion
from polyloop.scop.program import Declaration

ENTRY, THREADS = "polyloop_run", "polyloop_use_threads"
"""Functions of the file; the second one takes the number of threads that OpenMP is to use."""

_DIRECTIVE = re.compile(
    r"/\*.*?\*/|//[^\n]*|^[ \t]*\#[ \t]*(?:define|undef|if|ifdef|ifndef|elif|else|endif)\b(?:[^\\\n]|\\\r?\n|\\)*\n?",
    re.MULTILINE | re.DOTALL,
)
_EXPORTED = '__attribute__((visibility("default")))'


class AloneError(PolyloopError):
    """A region cannot be compiled without the function around it; the message says why."""


@dataclass(frozen=True)
class RegionAlone:
    """A region in a file of its own.

    Attributes:
        scop: as it was read, but that its source is this file.
        slots: names of parameters and arrays in the order of the slots.
        values: how many of them, the first ones, are values.
    """

    scop: Scop
    slots: tuple[str, ...]
    values: int

    @property
    def source(self) -> SourceRegion:
        assert self.scop.source is not None
        return self.scop.source


@dataclass(frozen=True)
class Built:
    """Such a file as a shared object.

    Attributes:
        slots, values: as `RegionAlone` has them.
    """

    path: str
    slots: tuple[str, ...]
    values: int


def region_alone(scop: Scop) -> RegionAlone:
    """The file of a Scop's region.

    Raises:
        AloneError: if the Scop was not read from a file, or the region uses what no variable outside of it is.
    """
    source = scop.source
    if source is None:
        raise AloneError(f"{scop.name} was not read from a C file")
    arrays = [array for array in scop.arrays if not array.local]
    slots = (*scop.parameters, *(array.name for array in arrays))
    declared = {declaration.name: declaration for declaration in source.declarations}
    _check(scop, arrays, source, declared)
    written = {statement.target.array for statement in scop.statements}
    scalars = {array.name: array for array in arrays if not array.shape and _is_variable(source, array)}
    changed = [name for name in scalars if name in written]

    parameters, passed = [], []
    for name, declaration in declared.items():
        if name not in slots:
            continue
        parameters.append(declaration.text)
        passed.append(_passed(slots.index(name), name, scop, scalars))
    parameters += [f"{_element(scalars[name])} *polyloop_out_{name}" for name in changed]
    passed += [f"(void *)polyloop_slots[{slots.index(name)}]" for name in changed]

    before = _directives(source.text[source.function_start : source.begin])
    head = f"__attribute__((noinline)) void polyloop_alone({', '.join(parameters) or 'void'})\n{{\n"
    head += "".join(
        f"    {_local(declaration)}\n" for declaration in declared.values() if _is_local(declaration, slots)
    )
    line = source.text[source.text.rfind("\n", 0, source.begin) + 1 : source.begin]
    head += f"{before}#pragma scop\n{line if not line.strip() else ''}"
    start = source.text[: source.function_start]
    if start and not start.endswith("\n"):
        start += "\n"
    begin = len(start) + len(head)
    region = source.text[source.begin : source.end]
    end_of_line = "" if region.endswith("\n") else "\n"
    tail = f"{end_of_line}#pragma endscop\n"
    tail += "".join(f"    *polyloop_out_{name} = {name};\n" for name in changed)
    tail += f"}}\n\n{_EXPORTED} void {ENTRY}(const long long *polyloop_slots)\n{{\n"
    tail += f"    (void)polyloop_slots;\n    polyloop_alone({', '.join(passed)});\n}}\n{_THREADS}"
    text = f"{start}{head}{region}{tail}{_directives(source.text[source.end :])}"
    moved = replace(
        source,
        text=text,
        function_start=len(start),
        definition=len(start),
        begin=begin,
        end=begin + len(region) + len(end_of_line),
    )
    return RegionAlone(replace(scop, source=moved), slots, len(scop.parameters))


_THREADS = f"""
{_EXPORTED} void {THREADS}(int polyloop_count)
{{
    (void)polyloop_count;
#ifdef _OPENMP
    extern void omp_set_num_threads(int);
    omp_set_num_threads(polyloop_count);
#endif
}}
"""


def _check(scop: Scop, arrays: list[Array], source: SourceRegion, declared: dict[str, Declaration]) -> None:
    """
    Raises:
        AloneError: for a parameter or an array that is no variable that the text names.
    """
    for name in scop.parameters:
        if name not in declared:
            raise AloneError(f"{name} is no variable that the region names")
    for array in arrays:
        if array.name not in declared or not _is_variable(source, array):
            raise AloneError(f"{array.name} is no variable that the region names")


def _is_variable(source: SourceRegion, array: Array) -> bool:
    """Whether C knows the array by its own name, and not by a pointer to it in memory."""
    return re.fullmatch(rf"&?{re.escape(array.name)}(\[0\])*", source.address(array.name)) is not None


def _passed(slot: int, name: str, scop: Scop, scalars: dict[str, Array]) -> str:
    if name in scop.parameters:
        return f"polyloop_slots[{slot}]"
    if name in scalars:
        return f"*({_element(scalars[name])} *)polyloop_slots[{slot}]"
    return f"(void *)polyloop_slots[{slot}]"


def _element(array: Array) -> str:
    return scalar_name(array.type)


def _is_local(declaration: Declaration, slots: tuple[str, ...]) -> bool:
    """A counter, a constant: the file itself has the global ones."""
    return declaration.name not in slots and declaration.place != "global"


def _local(declaration: Declaration) -> str:
    return f"{declaration.text} = {declaration.value};" if declaration.value else f"{declaration.text};"


def _directives(text: str) -> str:
    """Of a text the conditions and the definitions of macros alone."""
    found = (match.group() for match in _DIRECTIVE.finditer(text))
    return "".join(each if each.endswith("\n") else f"{each}\n" for each in found if each.lstrip().startswith("#"))
