"""How programs become processes."""

from __future__ import annotations

import pytest

from polyloop.cursor.contraction import Contraction
from polyloop.envs import cursor_problems
from polyloop.envs.cursor_problems import open_cursor
from polyloop.scop.model import Scop
from polyloop.shipped.workloads import workload_set, workload_sets


def test_every_program_of_a_set_is_proven_once(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [workload.name for workload in workload_set("mm64_256_16").train[:530]]
    proven: list[str] = []
    prove = Contraction.of

    def counted(scop: Scop, reassociate: bool = True) -> Contraction | None:
        proven.append(scop.name)
        return prove(scop, reassociate)

    cursor_problems._analysed.cache_clear()
    monkeypatch.setattr(Contraction, "of", staticmethod(counted))
    for _ in range(2):
        for name in names:
            open_cursor(name, None, length=10)
    assert len(proven) == len(names)


def test_all_shipped_programs_stay_known() -> None:
    count = sum(len(workload_set(name).problems) for name in workload_sets())
    assert count <= (cursor_problems._analysed.cache_info().maxsize or 0)
