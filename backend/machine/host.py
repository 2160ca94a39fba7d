"""The machine that this process runs on, as LLVM sees it, and LLVM made ready to generate code for a target."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from llvmlite import binding as llvm

from polyloop.backend.config import chosen_target
from polyloop.backend.errors import TargetError
from polyloop.backend.machine.target import INSTRUCTION_SETS, InstructionSet, Target

_CPU_FOLDER = Path("/sys/devices/system/cpu/cpu0/cache")


def host_target() -> Target:
    """What this process generates code for: the machine that it runs on, or the part of it that ``POLYLOOP_TARGET``
    names.

    Raises:
        TargetError: where the variable names what this machine does not have.
    """
    return _host(chosen_target())


@cache
def _host(name: str) -> Target:
    initialize_llvm()
    triple, features = llvm.get_process_triple(), dict(llvm.get_host_cpu_features())

    def runs(instructions: InstructionSet) -> bool:
        same = family(instructions.triple) == family(triple)
        return same and all(features.get(feature) for feature in instructions.needs)

    if name != "native" and not (name in INSTRUCTION_SETS and runs(INSTRUCTION_SETS[name])):
        able = ["native", *(n for n, s in INSTRUCTION_SETS.items() if runs(s))]
        raise TargetError(
            f"POLYLOOP_TARGET is {name!r}, but code for this machine is of {', '.join(able)}; "
            "set it to one of them, or unset it"
        )
    # A processor with nothing that we know of still has registers of 128 bits, or LLVM makes them of narrower ones.
    plain = InstructionSet(triple, "", 128, 16, (), has_fma=bool(features.get("fma")))
    widest = next((s for s in INSTRUCTION_SETS.own.values() if runs(s)), plain)
    chosen = widest if name == "native" else INSTRUCTION_SETS[name]
    if name != "native":
        features |= dict.fromkeys((f for f in features if f.startswith(chosen.without)), False)
    return Target(
        triple=triple,
        cpu=llvm.get_host_cpu_name(),
        features=",".join(f"{'+' if has else '-'}{feature}" for feature, has in sorted(features.items())),
        vector_bits=chosen.vector_bits,
        vector_registers=chosen.vector_registers,
        l1_bytes=_cache_bytes(1, 32 * 1024),
        l2_bytes=_cache_bytes(2, 1024 * 1024),
        l3_bytes=_cache_bytes(3, 16 * 1024 * 1024),
        has_fma=chosen.has_fma,
    )


def family(triple: str) -> str:
    """The architecture, whatever the system calls it."""
    machine = triple.partition("-")[0]
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


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


def _cache_bytes(level: int, default: int) -> int:
    """The size of the data cache at this level as the kernel reports it; `default` where it does not say."""
    for folder in sorted(_CPU_FOLDER.glob("index*")):
        try:
            found_level = int((folder / "level").read_text())
            kind = (folder / "type").read_text().strip()
            size = (folder / "size").read_text().strip()
        except (OSError, ValueError):
            continue
        if found_level == level and kind != "Instruction" and size[:-1].isdigit():
            return int(size[:-1]) * {"K": 1024, "M": 1024 * 1024}.get(size[-1], 1)
    return default
