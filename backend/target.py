"""The machine that code is generated for: what planning, printing and the JIT need to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from llvmlite import binding as llvm

from polyloop.backend.expressions import ScalarType

_CPU_FOLDER = Path("/sys/devices/system/cpu/cpu0/cache")


@dataclass(frozen=True)
class Target:
    """A processor as LLVM names it, its vector registers and its caches (bytes, as one core sees them).

    Attributes:
        features: LLVM's feature string ("+avx2,-sse4a,...").
        vector_bits: width of the widest vector register that code should use: 512, 256 or 128.
        vector_registers: how many of them there are.
    """

    triple: str
    cpu: str
    features: str
    vector_bits: int
    vector_registers: int
    l1_bytes: int = 32 * 1024
    l2_bytes: int = 1024 * 1024
    l3_bytes: int = 16 * 1024 * 1024
    has_fma: bool = True

    def lanes(self, element: ScalarType) -> int:
        """How many numbers of this type fill one vector register."""
        return self.vector_bits // element.bits


@cache
def host_target() -> Target:
    """The machine that this process runs on."""
    initialize_llvm()
    features = llvm.get_host_cpu_features()
    bits, registers = 128, 16
    if features.get("avx512f") and features.get("avx512vl"):
        bits, registers = 512, 32
    elif features.get("avx2"):
        bits = 256
    return Target(
        triple=llvm.get_process_triple(),
        cpu=llvm.get_host_cpu_name(),
        features=features.flatten(),
        vector_bits=bits,
        vector_registers=registers,
        l1_bytes=_cache_bytes(1, 32 * 1024),
        l2_bytes=_cache_bytes(2, 1024 * 1024),
        l3_bytes=_cache_bytes(3, 16 * 1024 * 1024),
        has_fma=bool(features.get("fma") or features.get("neon")),
    )


@cache
def target_machine(triple: str, cpu: str, features: str, opt_level: int = 3) -> llvm.TargetMachine:
    """One LLVM TargetMachine for each processor and level: making one costs more than compiling a small kernel."""
    initialize_llvm()
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
