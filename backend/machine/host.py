"""The machine that this process runs on, as LLVM sees it, and LLVM made ready to generate code for a target."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from llvmlite import binding as llvm

from polyloop.backend.config import chosen_machine, chosen_target, restored
from polyloop.backend.errors import TargetError
from polyloop.backend.machine.machine import Machine, machine_named, nearest
from polyloop.backend.machine.target import ARM, INSTRUCTION_SETS, X86, InstructionSet, Target

PLAIN = "plain"
"""The instructions of a processor that has none of `INSTRUCTION_SETS`, as many virtual machines show theirs."""

_CPU_FOLDER = Path("/sys/devices/system/cpu/cpu0/cache")


def host_target() -> Target:
    """What this process generates code for: the machine that it runs on, or the part of it that ``POLYLOOP_TARGET``
    names, as good as ``POLYLOOP_MACHINE`` says or else as the nearest shipped description.

    Raises:
        TargetError: where a variable names what this machine does not have, or what there is not.
    """
    return _host(chosen_target(), chosen_machine())


@contextmanager
def targeted(name: str | None) -> Iterator[None]:
    """Inside, code uses this instruction set, in processes that are started inside, too; None: the same as outside.

    Whose figures count outside stays so, unless they are those of a machine with other instructions.
    """
    with restored("POLYLOOP_TARGET", "POLYLOOP_MACHINE"):
        if name is not None:
            os.environ["POLYLOOP_TARGET"] = name
            if (machine := chosen_machine()) and machine_named(machine).instructions != name:
                del os.environ["POLYLOOP_MACHINE"]
        yield


def runs_here(name: str) -> bool:
    """Whether this machine has an instruction set."""
    with targeted(name):
        try:
            host_target()
        except TargetError:
            return False
    return True


@cache
def _host(name: str, machine_name: str | None) -> Target:
    initialize_llvm()
    triple, features = llvm.get_process_triple(), dict(llvm.get_host_cpu_features())
    machine = machine_named(machine_name) if machine_name is not None else None
    if machine is not None and name == "native":
        name = machine.instructions

    def runs(instructions: InstructionSet) -> bool:
        same = family(instructions.triple) == family(triple)
        return same and all(features.get(feature) for feature in instructions.needs)

    # A processor with nothing that we know of still has registers of 128 bits, or LLVM makes them of narrower ones.
    plain = (PLAIN, InstructionSet(triple, "", 128, 16, (), has_fma=bool(features.get("fma"))))
    widest = next(((n, s) for n, s in INSTRUCTION_SETS.own.items() if runs(s)), plain)
    if name in ("native", widest[0]):
        instructions, chosen = widest
    elif name in INSTRUCTION_SETS and runs(INSTRUCTION_SETS[name]):
        instructions, chosen = name, INSTRUCTION_SETS[name]
    else:
        asked = f"POLYLOOP_TARGET is {name!r}" if machine is None else f"POLYLOOP_MACHINE is one with {name}"
        able = ["native", *(n for n, s in INSTRUCTION_SETS.items() if runs(s))]
        raise TargetError(
            f"{asked}, but code for this machine is of {', '.join(able)}; set it to one of them, or unset it"
        )
    if name != "native":
        features |= dict.fromkeys((f for f in features if f.startswith(chosen.without)), False)
    cpu = llvm.get_host_cpu_name()
    if machine is None:
        machine = chosen.described(instructions, _nearest(instructions, cpu))
    elif machine.instructions != instructions:
        raise TargetError(
            f"POLYLOOP_MACHINE is {machine_name!r}, a machine with {machine.instructions}, and POLYLOOP_TARGET asks "
            f"for {instructions}; unset one of them"
        )
    if machine != chosen.described(instructions, machine):
        raise TargetError(f"POLYLOOP_MACHINE is {machine_name!r}, whose registers are not those of {instructions}")
    text = ",".join(f"{'+' if has else '-'}{feature}" for feature, has in sorted(features.items()))
    return Target(triple, cpu, text, machine)


def _nearest(instructions: str, cpu: str) -> Machine:
    """The nearest shipped description, with the caches that this system says it has."""
    sizes = tuple(_cache_figure(level, "size") for level in (1, 2, 3))
    found = nearest(instructions, cpu, (sizes[0] or 32 << 10, sizes[1] or 1 << 20, sizes[2] or 16 << 20))
    found = found or machine_named("sse")
    caches = [
        replace(cache, size=size or cache.size, ways=_cache_figure(level, "ways_of_associativity") or cache.ways)
        for level, (cache, size) in enumerate(zip(found.caches, sizes, strict=True), 1)
    ]
    return replace(found, caches=(caches[0], caches[1], caches[2]))


def family(triple: str) -> str:
    """The architecture, whatever the system calls it."""
    machine = triple.partition("-")[0]
    return {"amd64": X86, "arm64": ARM}.get(machine, machine)


@cache
def target_machine(triple: str, cpu: str, features: str, opt_level: int = 3) -> llvm.TargetMachine:
    """One LLVM TargetMachine for each processor and level: making one costs more than compiling a small kernel."""
    initialize_llvm()
    if family(triple) != family(llvm.get_process_triple()):
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features=features, opt=opt_level, reloc="pic", codemodel="default")


@cache
def initialize_llvm() -> None:
    """Make LLVM ready to generate code for this machine; may be called again."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()


def _cache_figure(level: int, figure: str) -> int:
    """A figure of the data cache of this level as the system reports it; 0 where it does not say."""
    for folder in sorted(_CPU_FOLDER.glob("index*")):
        try:
            if int((folder / "level").read_text()) == level and "Instr" not in (folder / "type").read_text():
                text = (folder / figure).read_text().strip()
                return int(text.rstrip("KM")) * {"K": 1 << 10, "M": 1 << 20}.get(text[-1:], 1)
        except (OSError, ValueError):
            continue
    return 0
