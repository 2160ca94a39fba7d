"""Machines as text."""

from __future__ import annotations

from dataclasses import replace

from polyloop.backend.machine.machine import Cache, shipped_machines
from polyloop.show.roofline import draw_roofline, roofline_lines


def test_a_machine_whose_memory_keeps_up_with_its_core_has_a_flat_roof() -> None:
    machine = next(iter(shipped_machines().values()))
    level = Cache(0, 0, 1.0, 0.001)
    fast = replace(machine, gigahertz=0.001, caches=(level,) * 3, memory=level)
    title, *rows = roofline_lines(fast)
    assert title.startswith("GFLOPS of double precision")
    assert sum("-" * 60 in row for row in rows[:-2]) == 1
    assert draw_roofline(fast).startswith("<svg")
