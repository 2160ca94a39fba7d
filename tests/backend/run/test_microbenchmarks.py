"""Figures from seconds, exactly; and that the loops run with every instruction set of this processor."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import Machine, Operation, machine_named
from polyloop.backend.run import microbenchmarks
from polyloop.backend.run.microbenchmarks import measure_machine, undisturbed
from tests.backend.machine.test_targets import HERE

CYCLE = 0.25e-9
CYCLES = {
    "clock": 1.0,
    "multiply_add latency": 4.02,
    "multiply_add": 0.53,
    "add latency": 2.9,
    "add": 0.5,
    "multiply latency": 4.1,
    "multiply": 0.98,
    "divide latency": 13.4,
    "divide": 8.0,
    "square_root latency": 19.8,
    "square_root": 16.0,
    "shuffle latency": 5.9,
    "shuffle": 1.02,
    "gather latency": 28.0,
    "gather": 4.0,
    "load": 0.52,
    "store": 1.1,
    "walk 0": 5.1,
    "walk 1": 14.2,
    "walk 2": 64.0,
    "walk 3": 256.0,
    "lines 0": 1.0,
    "lines 1": 2.0,
    "lines 2": 4.0,
    "lines 3": 16.0,
    "pages": 30.2,
}


def rounds_of(monkeypatch: pytest.MonkeyPatch, *factors: float) -> None:
    """Let the rounds take these multiples of the seconds."""
    left = list(factors)

    class Rounds:
        def __init__(self, target: object) -> None: ...

        def round(self) -> dict[str, float]:
            factor = left.pop(0) if left else factors[-1]
            return {name: cycles * CYCLE * factor for name, cycles in CYCLES.items()}

    monkeypatch.setattr(microbenchmarks, "_Bursts", Rounds)


def test_figures_are_of_the_fastest_round(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds_of(monkeypatch, 1.5, 1.0, 1.01, 3.0)
    target = host_target()
    found = measure_machine(target, "core")
    assert (found.name, found.source, found.confidence) == ("core", "measured", 1.0)
    assert found.gigahertz == 4.0
    assert (found.multiply_add.latency, found.multiply_add.per_cycle) == (4.0, 2.0)
    assert (found.multiply.per_cycle, found.divide.per_cycle, found.store.per_cycle) == (1.0, 0.125, 1.0)
    assert found.shuffle.latency == 3.0
    assert found.page_cycles == 16.0
    assert [(c.latency, c.line_cycles) for c in found.levels] == [(5.0, 1.0), (14.0, 2.0), (64.0, 4.0), (256.0, 16.0)]
    assert [(c.size, c.ways) for c in found.caches] == [(c.size, c.ways) for c in target.machine.caches]


@pytest.mark.parametrize(("cycles", "latency"), [(3.38, 3.5), (3.65, 3.5), (3.75, 4.0), (4.12, 4.0), (0.4, 1.0)])
def test_units_that_take_turns_do_not_flip_a_latency(
    cycles: float, latency: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CYCLES, "add latency", cycles)
    rounds_of(monkeypatch, 1.0)
    assert measure_machine(host_target(), "core").add.latency == latency


def test_rounds_that_disagree_are_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds_of(monkeypatch, 1.0, 1.1, 1.2, 1.3)
    assert measure_machine(host_target(), "core").confidence == 0.0


@pytest.mark.parametrize("name", HERE)
def test_every_instruction_set_of_this_processor(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_TARGET", name)
    monkeypatch.setattr(microbenchmarks, "_BURSTS", 2)
    monkeypatch.setattr(microbenchmarks, "_MEMORY_BYTES", 1 << 20)
    found = measure_machine(host_target(), "core")
    assert Machine.from_json(found.to_json(), "core") == found
    for operation in (getattr(found, f.name) for f in fields(found) if f.type == "Operation"):
        assert operation.latency >= 1
        assert operation.per_cycle > 0
    assert all(level.line_cycles > 0 and level.latency >= 1 for level in found.levels)


def test_a_core_starts_as_many_operations_as_others_of_its_kind() -> None:
    """A neighbour on its other thread takes some for longer than measuring lasts."""
    shipped = machine_named("zen3")
    slow = Operation(4.0, 1.5)
    measured = replace(shipped, name="AMD EPYC", processors=("znver3",), multiply_add=slow, load=slow)
    mended = undisturbed(measured, shipped)
    assert (mended.multiply_add, mended.load, mended.name) == (Operation(4.0, 2.0), slow, "AMD EPYC")
    one = replace(measured, add=Operation(3.0, 1.0))
    assert undisturbed(one, shipped).add == Operation(3.0, 1.0)
    other = replace(measured, processors=("znver2",))
    assert undisturbed(other, shipped) == other
