"""The C header that goes with a compiled program's object file."""

from __future__ import annotations

import re

from polyloop.backend.c.text import CPP_KEYWORDS, RESERVED, AffinePrinter, scalar_name
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.vector_program import VectorProgram


def emit_header(program: VectorProgram, threads: int = 1, entry: str = "") -> str:
    """A header for C and C++ that declares the program's function and says what it expects.

    Arrays are plain pointers to the first element, row-major, so that C++ can include it, too.

    Args:
        threads: of parallel loops.
        entry: the declaration of a second function that does the same, of other parameters.
    """
    guard = f"POLYLOOP_{re.sub(r'[^A-Za-z0-9]', '_', program.name).upper()}_H"
    arrays = [spec for spec in program.arrays if spec.storage is Storage.ARGUMENT]
    arguments = [f"long {_name(p)}" for p in program.parameters]
    arguments += [f"{'const ' if a.read_only else ''}{scalar_name(a.type)} *{_name(a.name)}" for a in arrays]
    printer = AffinePrinter(_name, lambda _: None)
    notes = [_shape(spec, printer) for spec in arrays if spec.shape]
    if scalars := [_name(spec.name) for spec in arrays if not spec.shape]:
        notes.append(f"{', '.join(scalars)}: the address of a scalar.")
    condition = printer.condition(program.context).replace("polyloop_", "")
    if condition != "1":
        notes.append(f"It must hold that {condition}.")
    if len(arrays) > 1:
        notes.append("No two arrays overlap, unless neither is written.")
    if threads > 1:
        notes.append("Link with -lgomp: parallel loops run on its threads.")
    lines = [f"#ifndef {guard}", f"#define {guard}", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    if notes:
        lines += ["/*", *(f" * {note}" for note in notes), " */"]
    lines += [f"void {program.name}({', '.join(arguments) or 'void'});", ""]
    lines += ["/* The same, as the file that it was made of declares it. */", entry, ""] if entry else []
    lines += ["#ifdef __cplusplus", "}", "#endif", "", "#endif"]
    return "\n".join(lines) + "\n"


def _name(name: str) -> str:
    return f"{name}_" if name in RESERVED | CPP_KEYWORDS else name


def _shape(spec: ArraySpec, printer: AffinePrinter) -> str:
    shape = spec.shape if spec.strides is None else (None,)
    extents = "".join(f"[{'' if e is None else printer.affine(e).replace('polyloop_', '')}]" for e in shape)
    return f"{_name(spec.name)} points to {scalar_name(spec.type)}{extents}, row by row."
