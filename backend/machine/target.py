"""What code is generated for: instruction sets, and processors as planning and printing see them.

Nothing large is imported.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from polyloop.backend.errors import TargetError
from polyloop.backend.ir.expressions import ScalarType
from polyloop.backend.machine.machine import Machine, machine_named
from polyloop.backend.plugins import Table


@dataclass(frozen=True)
class Target:
    """A processor as LLVM names it, and what its core is good at with the instruction set that code uses.

    Attributes:
        features: LLVM's feature string ("+avx2,-sse4a,...").
    """

    triple: str
    cpu: str
    features: str
    machine: Machine

    @property
    def vector_bits(self) -> int:
        """Width of the widest vector register that code should use: 512, 256 or 128."""
        return self.machine.vector_bits

    @property
    def vector_registers(self) -> int:
        return self.machine.vector_registers

    @property
    def carried_registers(self) -> int:
        return self.machine.carried_registers

    @property
    def chains(self) -> int:
        """Independent chains of multiply-adds that hide a latency of six cycles at two a cycle, in its registers."""
        return 24 if self.vector_registers >= 32 else 12

    @property
    def masks(self) -> bool:
        """Whether there are registers for masks: others have the masks of their lanes in vector registers."""
        return self.machine.masks

    def masks_elements(self, element: ScalarType) -> bool:
        """Whether lanes of such elements are loaded and stored under masks, by one instruction."""
        return self.masks or (self.vector_bits == 256 and element.bits >= 32)

    @property
    def moves_lanes(self) -> bool:
        """Whether lanes that a mask chooses are moved to the front, and back, by few instructions: by one of AVX-512's,
        or by a shuffle of AVX2's whose places BMI2 makes of the mask's bits."""
        shuffles = self.triple.startswith(X86) and self.vector_bits == 256
        return self.masks or (shuffles and ("+bmi2" in self.features or self.cpu == "x86-64-v3"))

    @property
    def sums_groups(self) -> bool:
        """Whether neighbouring bytes, and products of shorts, are added by one instruction into lanes that hold it."""
        return self.triple.startswith(X86)

    @property
    def has_fma(self) -> bool:
        return self.machine.has_fma

    def spreads(self, element: ScalarType) -> bool:
        """Whether a load puts such an element into all lanes by itself; otherwise a shuffle follows."""
        name = self.machine.instructions
        return name not in INSTRUCTION_SETS or element.bits in INSTRUCTION_SETS[name].spread_bits

    def lanes(self, element: ScalarType) -> int:
        """How many numbers of this type fill one vector register."""
        return self.vector_bits // element.bits


@dataclass(frozen=True)
class InstructionSet:
    """What code may use of a family of processors.

    Attributes:
        triple, cpu: for code that is only shown: a processor that has this set and no wider one.
        vector_bits, vector_registers: of the registers that code should use.
        needs: LLVM's names of the features that it consists of.
        without: beginnings of the names of features that go beyond it.
        masks: it has registers for the masks of lanes.
        spread_bits: sizes of the elements that one load puts into all lanes.
        compiler_flags: that take features beyond it away from a C compiler's ``-march=native``.
        shown: the shipped machine that code is planned for which is only shown; the plainest one by default.
    """

    triple: str
    cpu: str
    vector_bits: int
    vector_registers: int
    needs: tuple[str, ...]
    without: tuple[str, ...] = ()
    has_fma: bool = True
    masks: bool = False
    spread_bits: tuple[int, ...] = (32, 64)
    compiler_flags: tuple[str, ...] = ()
    shown: str = ""

    def described(self, name: str, machine: Machine) -> Machine:
        """A description with these instructions, called `name`, and the rest of another one."""
        return replace(
            machine,
            instructions=name,
            vector_bits=self.vector_bits,
            vector_registers=self.vector_registers,
            masks=self.masks,
            has_fma=self.has_fma,
        )


X86, ARM = "x86_64", "aarch64"
"""Architectures, whose macros in C have these names."""

_X86, _ARM = f"{X86}-unknown-linux-gnu", f"{ARM}-unknown-linux-gnu"
_BEYOND_AVX2 = ("avx512", "avx10", "evex512", "amx")
_BEYOND_SSE = (*_BEYOND_AVX2, "avx", "fma", "f16c", "xop", "vaes", "vpclmulqdq")

_INSTRUCTION_SETS = {
    "avx512": InstructionSet(
        _X86, "x86-64-v4", 512, 32, ("avx512f", "avx512vl", "avx512dq", "avx512bw"), masks=True, shown="zen5"
    ),
    "avx2": InstructionSet(
        *(_X86, "x86-64-v3", 256, 16, ("avx2", "fma"), _BEYOND_AVX2),
        compiler_flags=("-mno-avx512f",),
        shown="zen3",
    ),
    "sse": InstructionSet(
        *(_X86, "x86-64-v2", 128, 16, ("sse4.2",), _BEYOND_SSE),
        has_fma=False,
        spread_bits=(64,),
        compiler_flags=("-mno-avx",),
        shown="sse",
    ),
    "neon": InstructionSet(_ARM, "cortex-a76", 128, 32, ("neon",), ("sve", "sme"), shown="neoverse-n1"),
}
INSTRUCTION_SETS = Table(
    "polyloop.targets",
    _INSTRUCTION_SETS,
    lambda name, value: None if isinstance(value, InstructionSet) else f"it is no {__name__}.InstructionSet",
)
"""By name: ours, of one family the widest first; then those of installed packages, which only their names choose."""


def shown_target(name: str) -> Target:
    """A processor with this instruction set, to look at code for a machine that one does not have.

    Raises:
        TargetError: for a name that is not in `INSTRUCTION_SETS`.
    """
    if name not in INSTRUCTION_SETS:
        raise TargetError(f"no instruction set is called {name!r}; there are {', '.join(INSTRUCTION_SETS)}")
    chosen = INSTRUCTION_SETS[name]
    machine = chosen.described(name, machine_named(chosen.shown or "sse"))
    return Target(chosen.triple, chosen.cpu, "", machine)
