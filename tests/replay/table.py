"""The committed hashes of all texts, and what differs from them now.

A row is what one program becomes for one instruction set, "gemm/isl:avx2", or what it is before: "gemm/isl".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatchcase
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

from tests.replay.programs import programs
from tests.replay.stages import FRONT, STAGES, TARGETS, code_texts, front_texts

HASHES = Path(__file__).with_name("hashes.json")
PROCESSES = 2
ERROR = "error"
"""In the place of a stage: no code was generated, and the reason stands in the place of a hash."""

Row = Mapping[str, str]
Table = Mapping[str, Row]


def texts(pattern: str) -> dict[str, dict[str, str]]:
    """Row -> stage -> text, for what fits ``PROGRAM[:TARGET[:STAGE]]``, any part with ``*``; "gemm" is all of gemm.

    Raises:
        LookupError: if nothing fits.
    """
    program, target, stage = (*pattern.split(":"), "*", "*")[:3]
    found: dict[str, dict[str, str]] = {}
    for name in matching([program]):
        for row, stages in _rows(name, [t for t in TARGETS if fnmatchcase(t, target)], target == "*"):
            kept = {s: text for s, text in stages.items() if fnmatchcase(s, stage)}
            found |= {row: kept} if kept else {}
    if not found:
        raise LookupError(f"nothing is called {pattern}; stages are {', '.join((*FRONT, *STAGES))}")
    return found


def matching(patterns: Iterable[str]) -> list[str]:
    """The programs that fit any of the patterns: a name, a kernel's name, or with ``*``.

    Raises:
        LookupError: for a pattern that none fits.
    """
    chosen = set[str]()
    for pattern in patterns:
        fitting = {n for n in programs() if fnmatchcase(n, pattern) or fnmatchcase(n, f"{pattern}/*")}
        if not fitting:
            raise LookupError(f"no program is called {pattern}; there are {', '.join(programs())}")
        chosen |= fitting
    return [name for name in programs() if name in chosen]


def hashes(names: Iterable[str]) -> Iterator[dict[str, Row]]:
    """The rows of what the code of each program is now, in the order of the names."""
    # A fresh process has the same isl, whatever this one has done before.
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        yield from pool.map(hashed, names)


def hashed(name: str) -> dict[str, Row]:
    """The rows of one program; where there is no code, one row that has the reason in the place of hashes."""
    try:
        return {row: {s: _short(text) for s, text in stages.items()} for row, stages in _rows(name, TARGETS, True)}
    except Exception as error:  # whatever it is, the other programs are still to be compared
        return {name: {ERROR: f"{type(error).__name__}: {error}"}}


def committed() -> dict[str, Row]:
    """The table as it is in the repository."""
    table: dict[str, Row] = json.loads(HASHES.read_text(encoding="utf-8"))
    return table


def write(table: Table) -> None:
    """One line a row, in alphabetical order, so that a diff names rows."""
    rows = (f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(table.items()))
    HASHES.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def differences(before: Table, now: Table) -> list[str]:
    """One line for each row that is not what it was: the stages, in their order, or that it is new or gone."""
    lines = []
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name), now.get(name)
        if old is None or new is None:
            lines.append(f"{name}: {'new' if old is None else 'gone'}")
        elif old != new:
            lines.append(f"{name}: {', '.join(s for s in {**new, **old} if old.get(s) != new.get(s))}")
    return lines


def _rows(name: str, targets: Iterable[str], front: bool) -> Iterator[tuple[str, Mapping[str, str]]]:
    program = programs()[name]
    if front:
        yield name, front_texts(program)
    for target in targets:
        yield f"{name}:{target}", code_texts(program, target)


def _short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]
