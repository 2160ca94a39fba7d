"""The description of this machine that commands go by: measured once, kept by what changes its figures.

That is the processor, the hypervisor around it, what governs its clock, and the instruction set that code uses.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from polyloop.backend.config import SHIPPED_MACHINE, cache_directory, has_chosen_machine
from polyloop.backend.errors import TargetError
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import Machine
from polyloop.backend.machine.target import Target
from polyloop.backend.run.kept_files import keep

CONFIDENT = 0.7
"""Share of figures that rounds agree on below which the nearest shipped description is believed instead."""

AGAIN_SECONDS = 3600.0
"""After which a machine whose figures are in doubt is measured again."""

_CPUINFO = Path("/proc/cpuinfo")
_CPUS = Path("/sys/devices/system/cpu")
_FACTS = (
    *(_CPUS / name for name in ("cpu0/cpufreq/cpuinfo_max_freq", "cpu0/cpufreq/scaling_governor", "cpufreq/boost")),
    _CPUS / "intel_pstate/no_turbo",
    *(Path("/sys/class/dmi/id") / name for name in ("sys_vendor", "product_name")),
    Path("/sys/hypervisor/type"),
)


def use_measured_machine(announce: Callable[[], object] = lambda: None) -> Machine:
    """From now on choices go by the figures of this machine: in this process and those that it starts.

    Where ``POLYLOOP_MACHINE`` says whose figures count, they do; where those measured are in doubt, the nearest shipped
    ones. The variable is set to say so; who wants it back keeps it.

    Args:
        announce: called before measuring begins, which takes some seconds.
    """
    if not has_chosen_machine():
        target = host_target()
        machine = measured_machine(target, announce)
        sure = machine.confidence >= CONFIDENT
        os.environ["POLYLOOP_MACHINE"] = str(_path(target)) if sure and _path(target).is_file() else SHIPPED_MACHINE
    return host_target().machine


def measured_machine(target: Target, announce: Callable[[], object] = lambda: None, *, fresh: bool = False) -> Machine:
    """The figures of this core: those that are kept, or measured now and kept; for an hour where neighbours have
    disturbed them.

    Args:
        fresh: measure, whatever is kept.
    """
    path = _path(target)
    known = None if fresh else _read(path)
    if known is not None:
        return known
    with _alone(path):
        known = None if fresh else _read(path)  # another process may have measured meanwhile
        if known is None:
            from polyloop.backend.run.microbenchmarks import measure_machine  # needed once

            announce()
            known = measure_machine(target, processor_name() or target.cpu)
            keep(path, known.to_json().encode())
    return known


def _path(target: Target) -> Path:
    return cache_directory() / "machines" / f"{machine_key(target)}.json"


def _read(path: Path) -> Machine | None:
    try:
        known = Machine.from_json(path.read_text(encoding="utf-8"), str(path))
        old = time.time() - path.stat().st_mtime > AGAIN_SECONDS
    except (OSError, UnicodeDecodeError, TargetError):
        return None
    return known if known.confidence >= CONFIDENT or not old else None


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process measures; the others wait for what it finds. Where no lock can be had, all do."""
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("w")
    except OSError:
        yield
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@cache
def machine_key(target: Target) -> str:
    """A hash of the processor's model, what governs its clock rate, and the instruction set."""
    facts = re.findall(r"^(?:vendor_id|cpu family|model|model name|stepping|CPU \w+)\s*:.*$", _cpuinfo(), re.MULTILINE)
    for fact in _FACTS:
        with suppress(OSError, UnicodeDecodeError):
            facts.append(fact.read_text())
    facts += [target.triple, target.cpu, target.features]
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()[:32]


def processor_name() -> str:
    """The processor's name as its maker sells it; empty where the system does not say."""
    name = re.search(r"^model name\s*:\s*(.+)$", _cpuinfo(), re.MULTILINE)
    return name[1] if name else ""


def _cpuinfo() -> str:
    try:
        return _CPUINFO.read_text(encoding="utf-8", errors="replace").partition("\n\n")[0]
    except OSError:
        return ""
