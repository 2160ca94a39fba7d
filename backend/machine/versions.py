"""Versions of one function for several instruction sets, of which the processor that runs it chooses one.

The choice asks for features by the names that gcc, clang and LLVM share. What nothing can be asked for at run time
cannot be chosen: such code is generated for one instruction set alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from polyloop.backend.errors import TargetError
from polyloop.backend.machine.host import family
from polyloop.backend.machine.target import ARM, INSTRUCTION_SETS, X86, InstructionSet, Target, shown_target

FEATURE_BITS = {
    "sse4.1": 7,
    "sse4.2": 8,
    "avx": 9,
    "avx2": 10,
    "fma": 14,
    "avx512f": 15,
    "bmi": 16,
    "bmi2": 17,
    "avx512vl": 20,
    "avx512bw": 21,
    "avx512dq": 22,
    "avx512cd": 23,
}
"""Of x86-64, which ``__builtin_cpu_supports`` takes, and their places in the word that it looks into."""


@dataclass(frozen=True)
class Version:
    """Code for one instruction set beside others.

    Attributes:
        name: of the instruction set.
        architecture: whose processors are asked at all; C's macro for it is `macro`.
        features: what the processor has to have; () where every one of the architecture does.
    """

    name: str
    architecture: str
    features: tuple[str, ...]
    vector_bits: int

    @property
    def macro(self) -> str:
        return f"__{self.architecture}__"

    @property
    def suffix(self) -> str:
        """What names of C functions end in."""
        return re.sub(r"\W", "_", self.name, flags=re.ASCII)

    def defines(self, macro: str) -> bool:
        """Whether compilers for this instruction set alone would define a macro of x86-64's features."""
        if macro == "__SSE2__":
            return self.architecture == X86
        if macro == "__AVX__":
            return any(feature.startswith("avx") for feature in self.features)
        return macro.strip("_").lower() in self.features

    @property
    def target(self) -> Target:
        """For LLVM: no more than what the processor is asked for."""
        features = ",".join(f"+{feature}" for feature in self.features)
        return replace(
            shown_target(self.name), cpu="x86-64" if self.architecture == X86 else "generic", features=features
        )


def versions_of(names: Iterable[str]) -> tuple[Version, ...]:
    """One for each name, in the order in which processors are asked: the widest first.

    Raises:
        TargetError: for a name that is not in `INSTRUCTION_SETS`, and for a set that no processor can be asked for.
    """
    found = []
    for name in dict.fromkeys(names):
        if name not in INSTRUCTION_SETS:
            raise TargetError(f"no instruction set is called {name!r}; there are {', '.join(INSTRUCTION_SETS)}")
        found.append(_version(name, INSTRUCTION_SETS[name]))
    return tuple(sorted(found, key=lambda v: (v.architecture != X86, -v.vector_bits, -len(v.features))))


def _version(name: str, chosen: InstructionSet) -> Version:
    architecture = family(chosen.triple)
    if architecture == ARM and chosen.needs == ("neon",):
        return Version(name, architecture, (), chosen.vector_bits)  # all of them have it
    # Prefixes of vectors are masked with an instruction of BMI2.
    features = (*chosen.needs, *(("bmi2",) if "avx512vl" in chosen.needs else ()))
    unknown = [feature for feature in features if feature not in FEATURE_BITS]
    if architecture != X86 or unknown:
        what = f"{', '.join(unknown) or chosen.triple} cannot be asked for at run time"
        raise TargetError(f"{name} cannot be one of several versions: {what}; generate its code by itself")
    return Version(name, architecture, tuple(dict.fromkeys(features)), chosen.vector_bits)
