"""The machine that code is generated for: what planning, printing and the JIT need to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from llvmlite import binding as llvm

from polyloop.backend.config import chosen_target
from polyloop.backend.errors import TargetError
from polyloop.backend.ir.expressions import ScalarType

MASK_REGISTERS_BITS = 512
"""Narrower vectors have the masks of their lanes in vector registers; these have registers for masks."""
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


@dataclass(frozen=True)
class InstructionSet:
    """What code may use of a family of processors.

    Attributes:
        triple, cpu: for code that is only shown: a processor that has this set and no wider one.
        needs: LLVM's names of the features that it consists of.
        without: beginnings of the names of features that go beyond it.
    """

    triple: str
    cpu: str
    vector_bits: int
    vector_registers: int
    needs: tuple[str, ...]
    without: tuple[str, ...] = ()
    has_fma: bool = True


_X86, _ARM = "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"
_BEYOND_AVX2 = ("avx512", "avx10", "evex512", "amx")
_BEYOND_SSE = (*_BEYOND_AVX2, "avx", "fma", "f16c", "xop", "vaes", "vpclmulqdq")

INSTRUCTION_SETS = {
    "avx512": InstructionSet(_X86, "x86-64-v4", 512, 32, ("avx512f", "avx512vl", "avx512dq", "avx512bw")),
    "avx2": InstructionSet(_X86, "x86-64-v3", 256, 16, ("avx2", "fma"), _BEYOND_AVX2),
    "sse": InstructionSet(_X86, "x86-64-v2", 128, 16, ("sse4.2",), _BEYOND_SSE, has_fma=False),
    "neon": InstructionSet(_ARM, "cortex-a76", 128, 32, ("neon",), ("sve", "sme")),
}
"""By name, of one family the widest first."""


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
    runs = {n: s for n, s in INSTRUCTION_SETS.items() if _family(s.triple) == _family(triple)}
    runs = {n: s for n, s in runs.items() if all(features.get(feature) for feature in s.needs)}
    if name not in (*runs, "native"):
        raise TargetError(
            f"POLYLOOP_TARGET is {name!r}, but code for this machine is of {', '.join(['native', *runs])}; "
            "set it to one of them, or unset it"
        )
    # A processor with nothing that we know of still has registers of 128 bits, or LLVM makes them of narrower ones.
    plain = InstructionSet(triple, "", 128, 16, (), has_fma=bool(features.get("fma")))
    chosen = next(iter(runs.values()), plain) if name == "native" else runs[name]
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


def _family(triple: str) -> str:
    """The architecture, whatever the system calls it."""
    machine = triple.partition("-")[0]
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def shown_target(name: str) -> Target:
    """A processor with this instruction set, to look at code for a machine that one does not have.

    Raises:
        TargetError: for a name that is not in `INSTRUCTION_SETS`.
    """
    if name not in INSTRUCTION_SETS:
        raise TargetError(f"no instruction set is called {name!r}; there are {', '.join(INSTRUCTION_SETS)}")
    chosen = INSTRUCTION_SETS[name]
    return Target(chosen.triple, chosen.cpu, "", chosen.vector_bits, chosen.vector_registers, has_fma=chosen.has_fma)


@cache
def target_machine(triple: str, cpu: str, features: str, opt_level: int = 3) -> llvm.TargetMachine:
    """One LLVM TargetMachine for each processor and level: making one costs more than compiling a small kernel."""
    initialize_llvm()
    if _family(triple) != _family(llvm.get_process_triple()):
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
