"""What a core is good at: the one description that planning, default schedules, models and agents ask.

A description is measured where code runs (`backend.run.microbenchmarks`) or shipped under a name
(`machine_named`), and says which. Its figures are in cycles, so that they hold at any clock rate, and
rounded to steps of a few percent, so that choices do not change from one measurement to the next.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeGuard

from polyloop.backend.errors import TargetError

_STEPS_AN_OCTAVE = 16

_FOLDER = Path(__file__).parents[2] / "data" / "machines"
"""A JSON file for each description: measured where we had such a core, else from the documents of its maker and from
Fog's and uops.info's tables, which its `source` says."""


@dataclass(frozen=True)
class Operation:
    """An operation on whole vectors.

    Attributes:
        latency: cycles until what needs its result can start.
        per_cycle: how many start in one cycle, where none waits for another.
    """

    latency: float
    per_cycle: float


@dataclass(frozen=True)
class Cache:
    """One level of the data caches, as one core sees it.

    Attributes:
        size: bytes.
        ways: lines that share one set.
        latency: cycles of a load that finds its line here.
        line_cycles: cycles from one line to the next where all lines come from here, one after the other.
    """

    size: int
    ways: int
    latency: float
    line_cycles: float

    @property
    def way(self) -> int:
        """Bytes of one way: addresses so far apart fall into one set. 0 of a cache that is not there."""
        return self.size // self.ways if self.ways else 0


@dataclass(frozen=True)
class Machine:
    """One core with one instruction set.

    Attributes:
        name: of a shipped description, or of the processor that was measured.
        processors: LLVM's names of the processors that it stands for.
        instructions: a name of `backend.machine.target.INSTRUCTION_SETS`.
        source: "measured", or "from documents".
        vector_bits: width of the widest vector register that code should use.
        vector_registers: how many of them there are.
        masks: registers of their own for the masks of lanes.
        has_fma: an instruction that multiplies and adds.
        gigahertz: of the clock while vectors multiply and add.
        line: bytes of a cache line.
        page_cycles: what an access costs more on a page that the address translation has to look up in memory.
        multiply_add, add, multiply, divide, square_root: on double precision; multiply_add is a multiplication and an
            addition where there is no such instruction.
        load, store, shuffle: of a whole vector in the first cache; shuffle moves elements across all lanes.
        gather: a vector of double precision numbers of separate addresses in the first cache.
        caches: first, second and third; a core without a second or third one has the figures of memory in it.
        memory: `size` and `ways` are 0.
        confidence: of a measurement, the share of figures that separate rounds agreed on; 1.0 for documents.
    """

    name: str
    processors: tuple[str, ...]
    instructions: str
    source: str
    vector_bits: int
    vector_registers: int
    masks: bool
    has_fma: bool
    gigahertz: float
    line: int
    page_cycles: float
    multiply_add: Operation
    add: Operation
    multiply: Operation
    divide: Operation
    square_root: Operation
    load: Operation
    store: Operation
    shuffle: Operation
    gather: Operation
    caches: tuple[Cache, Cache, Cache]
    memory: Cache
    confidence: float = 1.0

    @property
    def l1(self) -> Cache:
        return self.caches[0]

    @property
    def l2(self) -> Cache:
        return self.caches[1]

    @property
    def levels(self) -> tuple[Cache, ...]:
        """Where lines come from, the nearest first; memory is the last."""
        return (*self.caches, self.memory)

    @property
    def spare_registers(self) -> int:
        """Vector registers that loops leave for loads and broadcasts while they carry results in the others: six, or a
        quarter of few. With eight of 32, values of syr2k's first tile stay in memory."""
        return min(6, self.vector_registers // 4)

    @property
    def carried_registers(self) -> int:
        """Vector registers that may hold what loops carry."""
        return self.vector_registers - self.spare_registers

    @property
    def prefetch_lines(self) -> int:
        """How many lines ahead memory has to be asked for a line, so that it is there in time."""
        return math.ceil(self.memory.latency / self.memory.line_cycles)

    @property
    def chain_latency(self) -> float:
        """Cycles from one product that is added to a sum to the next."""
        return (self.multiply_add if self.has_fma else self.add).latency

    def peak_gflops(self, element_bits: int) -> float:
        """10^9 operations a second at best; a multiply-add counts as two."""
        return 2 * self.multiply_add.per_cycle * self.gigahertz * self.vector_bits / element_bits

    def bandwidth(self, level: int) -> float:
        """10^9 bytes a second from `levels[level]`, one line after the other."""
        return self.line / self.levels[level].line_cycles * self.gigahertz

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str, where: str) -> Machine:
        """The description that `to_json` wrote.

        Args:
            where: of the text, for errors.
        Raises:
            TargetError: for another text, saying which figure is missing or wrong.
        """
        try:
            found = json.loads(text)
        except ValueError as error:
            raise TargetError(f"{where}: this is no description of a machine: {error}") from None
        if not isinstance(found, dict):
            raise TargetError(f"{where}: this is no description of a machine: it is no JSON object")
        if "summary" in found:  # what `polyloop machine --json` writes
            found = found["summary"].get("description", {}) if isinstance(found["summary"], dict) else {}
        kinds = {f.name: str(f.type) for f in fields(cls)}
        if unknown := sorted(set(found) - set(kinds)):
            raise TargetError(f"{where}: a description of a machine has no {unknown[0]!r}")
        if missing := sorted(set(kinds) - set(found)):
            raise TargetError(f"{where}: the description says nothing of {missing[0]!r}")
        machine = cls(**{name: _read(kinds[name], value, f"{where}: {name}") for name, value in found.items()})
        if not machine.l1.size or not machine.gigahertz:
            what = "gigahertz" if machine.l1.size else "caches: the size of the first one"
            raise TargetError(f"{where}: {what} cannot be 0")
        return machine


def _read(kind: str, value: Any, where: str) -> Any:
    """A value of JSON as the type of a field, named as it is written in the class."""
    match kind, value:
        case (("Operation" | "Cache"), Mapping()):
            cls: type[Operation | Cache] = Operation if kind == "Operation" else Cache
            names = [f.name for f in fields(cls)]
            known = sorted(value) == sorted(names) and all(_is_figure(n, value[n]) for n in names)
            if known and bool(value.get("size")) == bool(value.get("ways")):
                return cls(**value)
        case "tuple[Cache, Cache, Cache]", [_, _, _]:
            return tuple(_read("Cache", each, where) for each in value)
        case "tuple[str, ...]", list() if all(isinstance(each, str) for each in value):
            return tuple(value)
        case ("str", str()) | ("bool", bool()):
            return value
        case "int", int() if not isinstance(value, bool) and value > 0:
            return value
        case "float", int() | float() if _is_number(value) and value >= 0:
            return float(value)
    raise TargetError(f"{where}: {value!r} cannot be this figure")


def _is_figure(name: str, value: object) -> bool:
    """Of an operation or a cache: rates divide, and a cache that is not there has no bytes and no ways."""
    if name in ("size", "ways"):
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return _is_number(value) and (value > 0 if name in ("per_cycle", "line_cycles") else value >= 0)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def bucketed(value: float) -> float:
    """The nearest of 16 steps an octave (4% apart), with three digits."""
    if value <= 0:
        return 0.0
    step = round(math.log2(value) * _STEPS_AN_OCTAVE)
    return float(f"{2 ** (step / _STEPS_AN_OCTAVE):.3g}")


@cache
def shipped_machines() -> Mapping[str, Machine]:
    """All descriptions that ship with polyloop, by name."""
    found = (_described(path) for path in sorted(_FOLDER.glob("*.json")))
    return MappingProxyType({machine.name: machine for machine in found})


def machine_named(name: str) -> Machine:
    """The shipped description of this name, or that in a file (whatever has a slash or ends in ".json").

    Raises:
        TargetError: if there is none.
    """
    if "/" in name or name.endswith(".json"):
        return _described(Path(name))
    if name not in shipped_machines():
        raise TargetError(
            f"no machine is called {name!r}; there are {', '.join(shipped_machines())}, and files "
            "that `polyloop machine --json FILE` writes"
        )
    return shipped_machines()[name]


def nearest(instructions: str, processor: str, cache_bytes: tuple[int, int, int]) -> Machine | None:
    """The shipped description with these instructions that is of this processor (a name of LLVM's), else the one with
    the most alike caches; None where there is none with these instructions."""

    def distance(machine: Machine) -> tuple[bool, float]:
        pairs = zip(machine.caches, cache_bytes, strict=True)
        unlike = sum(abs(math.log2(cache.size / size)) for cache, size in pairs)
        return processor not in machine.processors, unlike

    able = [machine for machine in shipped_machines().values() if machine.instructions == instructions]
    return min(able, key=distance, default=None)


def _described(path: Path) -> Machine:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TargetError(f"{path}: the description of a machine cannot be read: {error}") from None
    return Machine.from_json(text, str(path))
