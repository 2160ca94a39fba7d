from __future__ import annotations

from collections.abc import Sequence

import pytest

import polyloop.cli.optimize
from polyloop.cli.optimize import Shares
from tests.helpers.commands import _in_an_empty_folder, fixed_optimizer, run, scale

__all__ = ["_in_an_empty_folder", "_time_for_all", "fixed_optimizer", "run", "scale"]


@pytest.fixture(autouse=True)
def _time_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, no scop of a file finds the budget spent by those before, or itself."""

    def shares(seconds: float | None, weights: Sequence[float], **_: object) -> Shares:
        return Shares(seconds, weights, lambda: 0.0)

    monkeypatch.setattr(polyloop.cli.optimize, "Shares", shares)
    monkeypatch.setattr(polyloop.cli.optimize, "BEYOND", 600.0)
