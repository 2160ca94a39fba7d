"""Descriptions of machines that ship with polyloop, by name, and which of them is nearest to a processor.

They lie in ``data/machines``, a JSON file each: measured where we had such a core, else from the documents of its maker
and from Fog's and uops.info's tables, which its `source` says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from polyloop.backend.errors import TargetError
from polyloop.backend.machine.machine import Machine

_FOLDER = Path(__file__).parents[2] / "data" / "machines"


@cache
def shipped_machines() -> Mapping[str, Machine]:
    """All of them, by name."""
    found = (_read(path) for path in sorted(_FOLDER.glob("*.json")))
    return MappingProxyType({machine.name: machine for machine in found})


def machine_named(name: str) -> Machine:
    """The shipped description of this name, or that in a file (whatever has a slash or ends in ".json").

    Raises:
        TargetError: if there is none.
    """
    if "/" in name or name.endswith(".json"):
        return _read(Path(name))
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


def _read(path: Path) -> Machine:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TargetError(f"{path}: the description of a machine cannot be read: {error}") from None
    return Machine.from_json(text, str(path))
