"""Libraries at their best: the environment variables that make each of them take its fastest kernels on this machine.

A library looks its kernels up in a table of processors, and takes narrow ones for a processor that it does not know.
Most read a variable that overrides this choice, once, when they are loaded or first called. So each setting is tried in
a process of its own on some rows of a suite, beside our kernel. The one that is the fastest in comparison with ours is
taken for all rows; where others are faster on some of these, all rows are measured with those as well, and the fastest
counts. A variable that the caller has set stays as it is.

Where ``POLYLOOP_TARGET`` narrows the code that we generate, libraries get the same instruction set.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from math import inf

from polyloop.backend.config import chosen_target, restored
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import INSTRUCTION_SETS
from polyloop.bench import blas, blis, halide
from polyloop.bench.blas import MissingContestantError
from polyloop.terminal.document import geometric_mean

BY_ITSELF = ""
"""The setting that leaves the choice to the library."""

_CLEARLY = 0.95
"""Of short measurements: a ratio that is so much lower is no noise."""


@dataclass(frozen=True)
class Library:
    """A library that can be told which kernels to take.

    Attributes:
        contestants: their names; all of them get the same setting.
        settings: by instruction set: the variables and their values, as "NAME=VALUE NAME=VALUE".
        kernels: the name of those that it takes in this process, as the values have it.
        exact: whether this name tells kernels apart: a second setting that leads to the same ones is not tried.
    """

    contestants: tuple[str, ...]
    settings: Mapping[str, tuple[str, ...]]
    installed: Callable[[], bool]
    kernels: Callable[[], str | None]
    exact: bool = True

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of all variables that the settings have."""
        return tuple(dict.fromkeys(name for s in self.settings.values() for each in s for name in variables(each)))

    @property
    def given(self) -> str:
        """The variables that the caller has set."""
        return " ".join(f"{name}={os.environ[name]}" for name in self.variables if os.environ.get(name))

    @property
    def held_back(self) -> str:
        """Said where the caller's setting has narrower kernels than our code is; empty otherwise."""
        machine = host_target().machine
        sets = filter(None, map(self.set_of, variables(self.given).values()))
        for name in sets:
            if INSTRUCTION_SETS[name].vector_bits < machine.vector_bits:
                return (
                    f"{self.contestants[0]}: the environment asks for {name} kernels ({self.given}), our code is "
                    f"{machine.instructions}: unset it to compare with the fastest"
                )
        return ""

    def candidates(self) -> tuple[str, ...]:
        """Settings to be tried for the code that we generate: of its instruction set, and on the widest one of the
        machine also those half as wide, and what the library takes by itself."""
        native = chosen_target() == "native"
        widest = host_target().vector_bits
        narrowest = widest // 2 if native else widest
        found = [BY_ITSELF] if native else []
        for name, settings in self.settings.items():
            if _of_this_machine(name) and narrowest <= INSTRUCTION_SETS[name].vector_bits <= widest:
                found += settings
        return tuple(found)

    def set_of(self, kernels: str) -> str | None:
        """The instruction set of kernels; None if their name is not known."""
        for name, settings in self.settings.items():
            if any(kernels.lower() == value.lower() for each in settings for value in variables(each).values()):
                return name
        return None


@dataclass(frozen=True)
class Chosen:
    """A library's settings.

    Attributes:
        settings: the fastest on average, and after it those that are clearly faster than it on some row: every row
            is measured with all of these, and the fastest counts.
        ratios: of its time to ours, the mean of some rows, by all settings that were tried and can be taken.
        refused: why it could not take part with the others.
    """

    settings: tuple[str, ...]
    ratios: Mapping[str, float] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, tried: Mapping[str, Mapping[str, float] | str]) -> Chosen:
        """The fastest settings; the first where the library can take part with none.

        Args:
            tried: at least one setting, with ratios by row or the reason why there are none.
        """
        rows = {setting: found for setting, found in tried.items() if not isinstance(found, str)}
        refused = {setting: found for setting, found in tried.items() if isinstance(found, str)}
        means = {setting: geometric_mean(found.values()) or inf for setting, found in rows.items()}
        first = min(means, key=means.__getitem__, default=next(iter(tried)))
        others: dict[str, None] = {}
        for row, ratio in rows.get(first, {}).items():
            best = min((s for s in rows if row in rows[s]), key=lambda setting: rows[setting][row])
            if rows[best][row] < _CLEARLY * ratio:
                others[best] = None
        return cls((first, *others), means, refused)

    def __str__(self) -> str:
        first, *others = (setting or "as it comes" for setting in self.settings)
        if self.settings[0] in self.refused:
            return f"no setting works; {self.refused[self.settings[0]]}"
        if self.settings[0] and BY_ITSELF in self.ratios:
            gain = self.ratios[BY_ITSELF] / self.ratios[self.settings[0]]
            first += f", {gain:.2f} x as fast as it comes"
        return first + "".join(f"; or {other}" for other in others)


def held_back(contestants: Iterable[str]) -> list[str]:
    """A line for each library among these that the environment keeps from its fastest kernels."""
    libraries = (library for library in LIBRARIES if not set(library.contestants).isdisjoint(contestants))
    return [library.held_back for library in libraries if library.held_back]


def variables(setting: str) -> dict[str, str]:
    """The variables of a setting."""
    return dict(each.split("=", 1) for each in setting.split())


def library_of(contestant: str) -> Library | None:
    """The library that can be told, if this contestant is of one."""
    return next((library for library in LIBRARIES if contestant in library.contestants), None)


@contextmanager
def loading(contestant: str, setting: str | None) -> Iterator[None]:
    """The environment in which a library is loaded and first called. Two may read one variable, and want different
    values of it.

    Args:
        setting: None leaves everything as it is.
    """
    library = library_of(contestant)
    if library is None or setting is None:
        yield
        return
    with restored(*library.variables):
        for name in library.variables:
            os.environ.pop(name, None)
        os.environ.update(variables(setting))
        yield


def kernels_of(contestant: str, narrow: bool = False) -> str | None:
    """Which kernels a library takes in this process, as it says itself; None where it says nothing.

    Args:
        narrow: they must not be wider than our code.
    Raises:
        MissingContestantError: where they nevertheless are: the library may not know the ones it was asked for.
    """
    library = library_of(contestant)
    if library is None or not library.installed():
        return None
    kernels = library.kernels()
    name = library.set_of(kernels) if kernels else None
    machine = host_target().machine
    if narrow and name is not None and INSTRUCTION_SETS[name].vector_bits > machine.vector_bits:
        raise MissingContestantError(
            f"{contestant} takes {name} kernels ({kernels}); our code is {machine.instructions}"
        )
    return kernels


def _of_this_machine(name: str) -> bool:
    return host_target().triple.startswith(INSTRUCTION_SETS[name].triple.partition("-")[0])


def _openblas() -> str | None:
    library, prefix, suffix = blas.numpys_openblas()
    function = getattr(library, f"{prefix}openblas_get_corename{suffix}", None)
    if function is None:
        return None
    function.restype = ctypes.c_char_p
    return str(function().decode())


def _settings(name: str, **values: str) -> dict[str, tuple[str, ...]]:
    return {each: tuple(f"{name}={value}" for value in given.split()) for each, given in values.items()}


LIBRARIES = (
    Library(
        ("openblas", "numpy"),
        _settings(
            "OPENBLAS_CORETYPE",
            avx512="SkylakeX Cooperlake SapphireRapids",
            avx2="Haswell Zen",
            sse="Nehalem Core2 Prescott",
            neon="ARMV8 NEOVERSEN1 NEOVERSEV1 NEOVERSEN2",
        ),
        installed=lambda: True,  # numpy brings it
        kernels=_openblas,
    ),
    Library(
        ("mkl", "mkl-jit"),
        _settings("MKL_ENABLE_INSTRUCTIONS", avx512="AVX512 AVX512_E1 AVX512_E4", avx2="AVX2", sse="SSE4_2"),
        installed=lambda: blas.find_mkl() is not None,
        kernels=blas.mkl_kernels,
    ),
    Library(
        ("blis",),
        _settings(
            blis.VARIABLE,
            avx512="skx zen4 zen5",
            avx2="haswell zen zen2 zen3",
            sse="penryn",
            neon="armsve neoversev1 neoversen1 cortexa57",
        ),
        installed=lambda: blis.find_blis() is not None,
        kernels=blis.kernels,
    ),
    Library(
        ("torch",),
        {
            "avx512": (
                "MKL_ENABLE_INSTRUCTIONS=AVX512 ONEDNN_MAX_CPU_ISA=AVX512_CORE ATEN_CPU_CAPABILITY=avx512",
                "MKL_ENABLE_INSTRUCTIONS=AVX512_E1 ONEDNN_MAX_CPU_ISA=AVX512_CORE_FP16 ATEN_CPU_CAPABILITY=avx512",
            ),
            "avx2": ("MKL_ENABLE_INSTRUCTIONS=AVX2 ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2",),
            "sse": ("MKL_ENABLE_INSTRUCTIONS=SSE4_2 ONEDNN_MAX_CPU_ISA=SSE41 ATEN_CPU_CAPABILITY=default",),
        },
        installed=lambda: find_spec("torch") is not None,
        kernels=lambda: str(import_module("torch").backends.cpu.get_cpu_capability()),
        exact=False,  # it names its own kernels, not those of the libraries inside it
    ),
    Library(
        (halide.HALIDE,),
        _settings(
            halide.VARIABLE,
            avx512="x86-64-linux-avx-avx2-avx512-avx512_skylake-f16c-fma-sse41",
            avx2="x86-64-linux-avx-avx2-f16c-fma-sse41",
            sse="x86-64-linux-sse41",
            neon="arm-64-linux",
        ),
        installed=halide.installed,
        kernels=halide.kernels,
    ),
)
