"""The examples run as they stand, with little to do; their figures are there."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def _out(name: str, argument: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(EXAMPLES.parent)}
    command = [sys.executable, str(EXAMPLES / name), argument]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")
def test_a_network_of_ones_own_learns() -> None:
    found = re.search(
        r"mean return: (-?[\d.]+) in the first fifth of the episodes, (-?[\d.]+)", _out("own_gnn.py", "150")
    )
    assert found is not None
    assert float(found[2]) > float(found[1]) > -0.5


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")
def test_a_few_episodes_are_enough_to_try_it() -> None:
    assert "in the first fifth of the episodes" in _out("own_gnn.py", "2")


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("sb3_contrib") is None, reason="needs sb3-contrib")
def test_stable_baselines() -> None:
    text = _out("sb3.py", "200")
    assert re.search(r"untuned: \d+ of 256 GFLOPS", text)
    assert re.search(r"\ntuned: \d+ GFLOPS", text)
