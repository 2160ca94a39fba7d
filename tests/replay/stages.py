"""The texts that a program becomes on its way to code, stage by stage: the first that differs is where to look."""

from __future__ import annotations

from collections.abc import Mapping

from polyloop.backend.asm.printer import print_asm
from polyloop.backend.asm.text import NotPrintableError
from polyloop.backend.c.printer import c_source
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.llvm.printer import print_llvm
from polyloop.backend.machine.target import INSTRUCTION_SETS, Target, shown_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.backend.planning.squeeze import squeezed
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.scop.model import Scop
from tests.replay.programs import FunctionProgram, ReplayProgram, Scheduled
from tests.replay.texts import data_text, dependences_text, nest_text, program_text, scop_text

TARGETS = tuple(INSTRUCTION_SETS)
FRONT = ("scop", "dependences", "data")
"""What does not depend on the target."""
STAGES = ("tree", "nest", "program", "llvm", "c", "asm")


def front_texts(program: ReplayProgram) -> Mapping[str, str]:
    """The texts of `FRONT`."""
    scops = program.scops() if isinstance(program, FunctionProgram) else [program.scop()]
    texts = {"scop": "\n".join(map(scop_text, scops)), "dependences": "\n".join(map(dependences_text, scops))}
    return texts | {"data": data_text(program.scop())}


def code_texts(program: ReplayProgram, target: str) -> Mapping[str, str]:
    """The texts of `STAGES` for an instruction set."""
    on = shown_target(target)
    if not isinstance(program, FunctionProgram):
        scheduled = program.scheduled(on)
        return _texts(scheduled, on, scheduled.scop)
    texts = {name: _texts(scheduled, on, program.scop()) for name, scheduled in program.all_scheduled(on)}
    return {stage: "".join(f"{name}:\n{of[stage]}\n" for name, of in texts.items()) for stage in STAGES}


def _texts(scheduled: Scheduled, target: Target, region: Scop) -> Mapping[str, str]:
    """The texts of a schedule, and of the file with it in the place of a region."""
    scop, threads = scheduled.scop, scheduled.threads
    nest = lower(scop, scheduled.tree)
    if not scheduled.explicit:
        program = scalar_program(nest)
    elif scop.source is None:
        program = plan(squeezed(nest), target, reassociate=scheduled.reassociate)
    else:
        program = plan(nest, target, reassociate=scheduled.reassociate)
    return {
        "tree": f"{scheduled.tree}\n",
        "nest": nest_text(nest),
        "program": program_text(program),
        "llvm": print_llvm(program, target, threads=threads),
        "c": _c_text(region, program),
        "asm": _assembly(program, target),
    }


def _c_text(scop: Scop, program: VectorProgram) -> str:
    """The whole file that a Scop was read from, with the program in its place; or the program's own file."""
    return emit_c_file(scop.source.text, [Replacement(scop, program)]) if scop.source else c_source(program)


def _assembly(program: VectorProgram, target: Target) -> str:
    try:
        return print_asm(program, target)
    except NotPrintableError as reason:
        return f"not printable: {reason}\n"
