"""The machine that code is generated for: what planning and printing need to know of it. Nothing large is imported."""

from __future__ import annotations

from dataclasses import dataclass

from polyloop.backend.errors import TargetError
from polyloop.backend.ir.expressions import ScalarType
from polyloop.backend.plugins import Table

MASK_REGISTERS_BITS = 512
"""Narrower vectors have the masks of their lanes in vector registers; these have registers for masks."""


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

    @property
    def carried_registers(self) -> int:
        """Vector registers that may hold what loops carry. The others, six or a quarter where there are few, are for
        loads and broadcasts: with eight of 32, values of syr2k's first tile stay in memory."""
        return self.vector_registers - min(6, self.vector_registers // 4)

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

_INSTRUCTION_SETS = {
    "avx512": InstructionSet(_X86, "x86-64-v4", 512, 32, ("avx512f", "avx512vl", "avx512dq", "avx512bw")),
    "avx2": InstructionSet(_X86, "x86-64-v3", 256, 16, ("avx2", "fma"), _BEYOND_AVX2),
    "sse": InstructionSet(_X86, "x86-64-v2", 128, 16, ("sse4.2",), _BEYOND_SSE, has_fma=False),
    "neon": InstructionSet(_ARM, "cortex-a76", 128, 32, ("neon",), ("sve", "sme")),
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
    return Target(chosen.triple, chosen.cpu, "", chosen.vector_bits, chosen.vector_registers, has_fma=chosen.has_fma)
