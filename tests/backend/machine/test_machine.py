"""Descriptions of machines: what ships, what is read, and which is nearest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyloop.api import target_of
from polyloop.backend.errors import TargetError
from polyloop.backend.ir.expressions import F64
from polyloop.backend.machine import host
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.machine import Machine, bucketed, machine_named, nearest, shipped_machines
from polyloop.backend.machine.target import INSTRUCTION_SETS, shown_target
from polyloop.shaping.default_trace import choices
from polyloop.support.compilers import Compiler
from polyloop.tensors import tensor

SHIPPED = sorted(shipped_machines())


def test_six_cores_and_every_instruction_set() -> None:
    assert len(SHIPPED) >= 6
    assert {machine.instructions for machine in shipped_machines().values()} >= {"avx512", "avx2", "sse", "neon"}


@pytest.mark.parametrize("name", SHIPPED)
def test_what_ships_is_sound(name: str) -> None:
    machine = machine_named(name)
    chosen = INSTRUCTION_SETS[machine.instructions]
    assert machine.name == name
    assert machine.source in ("measured", "from documents")
    assert (machine.vector_bits, machine.vector_registers) == (chosen.vector_bits, chosen.vector_registers)
    assert (machine.masks, machine.has_fma) == (chosen.masks, chosen.has_fma)
    assert machine.processors
    sizes, latencies = ([getattr(c, figure) for c in machine.levels] for figure in ("size", "latency"))
    assert sizes[:3] == sorted(sizes[:3])
    assert latencies == sorted(latencies)
    assert machine.prefetch_lines >= 1
    assert Machine.from_json(machine.to_json(), name) == machine


def test_a_machine_is_chosen_by_name_or_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("POLYLOOP_TARGET", raising=False)
    mine = replace(host_target().machine, name="mine", gigahertz=1.25)
    path = tmp_path / "mine.json"
    for text in (mine.to_json(), json.dumps({"summary": {"description": json.loads(mine.to_json())}})):
        path.write_text(text)
        monkeypatch.setenv("POLYLOOP_MACHINE", str(path))
        assert machine_named(str(path)) == mine
    assert host_target().machine == mine


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"line": None}, "line: None cannot be this figure"),
        ({"gigahertz": -1}, "gigahertz: -1 cannot be this figure"),
        ({"gigahertz": True}, "gigahertz: True cannot be this figure"),
        ({"caches": []}, r"caches: \[\] cannot be this figure"),
        ({"add": {"latency": 3.0}}, "add: .* cannot be this figure"),
        ({"colour": "red"}, "has no 'colour'"),
        ({"load": {"latency": 5, "per_cycle": 0}}, "load: .* cannot be this figure"),
        ({"gigahertz": 0}, "gigahertz cannot be 0"),
        ({"memory": {"size": 0, "ways": 0, "latency": 300, "line_cycles": 0}}, "memory: .* cannot be this figure"),
        ({"caches": [{"size": 4096, "ways": 0, "latency": 4, "line_cycles": 1}] * 3}, "caches: .* cannot be this"),
        ({"caches": [{"size": 0, "ways": 0, "latency": 4, "line_cycles": 1}] * 3}, "the first one cannot be 0"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(json.loads(machine_named("zen3").to_json()) | change))
    with pytest.raises(TargetError, match=message):
        machine_named(str(path))


@pytest.mark.parametrize("text", ["", "[]", "{", "{}", '{"summary": 3}', "\xff"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(TargetError, match=r"odd\.json"):
        machine_named(str(path))


def test_unknown_names_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TargetError, match="no machine is called 'zen9'; there are cascade-lake, "):
        machine_named("zen9")
    with pytest.raises(TargetError, match="cannot be read"):
        machine_named("/nowhere/zen9.json")
    other = "neoverse-n1" if host_target().triple.startswith("x86_64") else "zen3"
    monkeypatch.delenv("POLYLOOP_TARGET", raising=False)
    monkeypatch.setenv("POLYLOOP_MACHINE", other)
    with pytest.raises(TargetError, match=r"POLYLOOP_MACHINE is one with .*, but code for this machine is of native"):
        host_target()
    monkeypatch.setenv("POLYLOOP_TARGET", "sse")
    monkeypatch.setenv("POLYLOOP_MACHINE", "zen3")
    with pytest.raises(TargetError, match="POLYLOOP_MACHINE is 'zen3', a machine with avx2, and POLYLOOP_TARGET asks"):
        host_target()


def test_registers_that_instructions_do_not_have_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("POLYLOOP_TARGET", raising=False)
    path = tmp_path / "wide.json"
    path.write_text(replace(host_target().machine, vector_bits=2048).to_json())
    monkeypatch.setenv("POLYLOOP_MACHINE", str(path))
    with pytest.raises(TargetError, match=r"wide\.json', whose registers are not those of"):
        host_target()


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A processor that has none of our instruction sets, as many virtual machines show theirs."""
    features = dict.fromkeys(llvm.get_host_cpu_features(), False)
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: features)
    for name in ("POLYLOOP_TARGET", "POLYLOOP_MACHINE"):
        monkeypatch.delenv(name, raising=False)
    host._host.cache_clear()
    yield
    host._host.cache_clear()


@pytest.mark.usefixtures("plain")
def test_a_description_of_a_plain_processor_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    machine = host_target().machine
    assert (machine.instructions, machine.vector_bits) == (host.PLAIN, 128)
    path = tmp_path / "plain.json"
    path.write_text(replace(machine, gigahertz=1.25).to_json())
    monkeypatch.setenv("POLYLOOP_MACHINE", str(path))
    assert host_target().machine.gigahertz == 1.25
    assert host_target().spreads(F64)
    scop = tensor("C[m, n] += A[m, k] * B[k, n]", m=7, n=9, k=5)
    assert not next(choices(scop, host_target(), False))[1].plain
    narrow = Compiler("cc", ("cc",), "", macros=frozenset({"__x86_64__", "__SSE4_2__"}))
    assert narrow.instructions == "sse"
    assert target_of(narrow) is None


@pytest.mark.parametrize("missing", [1, 2])
def test_a_core_without_its_last_caches_has_default_schedules(missing: int) -> None:
    machine = machine_named("zen3")
    first, second, _ = machine.caches
    less = replace(machine, caches=(first, second if missing == 1 else machine.memory, machine.memory))
    assert Machine.from_json(less.to_json(), "less") == less
    scop = tensor("C[m, n] += A[m, k] * B[k, n]", m=100, n=200, k=700)
    target = replace(shown_target("avx2"), machine=less)
    assert next(choices(scop, target, False))[1].tiled


def test_the_nearest_has_the_processor_or_alike_caches() -> None:
    l2 = 1 << 20
    assert nearest("avx512", "znver5", (48 << 10, l2, 32 << 20)) == machine_named("zen5")
    assert nearest("avx512", "cascadelake", (48 << 10, l2, 32 << 20)) == machine_named("cascade-lake")
    assert nearest("avx512", "znver4", (48 << 10, l2, 32 << 20)) == machine_named("zen4")
    assert nearest("avx2", "znver4", (32 << 10, 512 << 10, 32 << 20)) == machine_named("zen4-avx2")
    assert nearest("avx2", "znver5", (48 << 10, l2, 32 << 20)) == machine_named("zen5-avx2")
    assert nearest("avx2", "unheard-of", (32 << 10, 512 << 10, 32 << 20)) == machine_named("zen3")
    assert nearest("vectors of a thousand bits", "znver5", (48 << 10, l2, 32 << 20)) is None


def test_code_that_is_only_shown_goes_by_a_shipped_machine() -> None:
    for name, chosen in INSTRUCTION_SETS.own.items():
        machine = shown_target(name).machine
        assert machine == machine_named(chosen.shown)
        assert machine.carried_registers + machine.spare_registers == machine.vector_registers


@given(st.floats(1e-6, 1e6))
def test_buckets(value: float) -> None:
    bucket = bucketed(value)
    assert abs(bucket / value - 1) < 0.03
    assert bucketed(bucket) == bucket
