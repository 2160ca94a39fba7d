"""The environments' names are in Gymnasium's registry, whichever of the two is imported first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIST = "; print(*sorted(name for name in gymnasium.registry if name.startswith('polyloop/')))"


@pytest.mark.parametrize(
    "imports",
    [
        "import polyloop, gymnasium",
        "import gymnasium, polyloop",
        "import importlib.util, polyloop; importlib.util.find_spec('gymnasium'); import gymnasium",
        "import polyloop; import gymnasium.spaces",
        "import polyloop.envs, gymnasium; polyloop.envs.register(); polyloop.envs.register()",
    ],
)
def test_names_are_registered_once_gymnasium_is_loaded(imports: str) -> None:
    command = [sys.executable, "-W", "error", "-c", imports + LIST]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert run.returncode == 0, run.stderr
    names = ("Construct-v0", "Cursor-v0", "Cursor-v1", "Explore-v0", "Schedule-v0", "Schedule-v1")
    assert run.stdout.split() == [f"polyloop/{name}" for name in names]


def test_importing_polyloop_does_not_import_gymnasium() -> None:
    command = [sys.executable, "-c", "import sys, polyloop; print('gymnasium' in sys.modules)"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=True)
    assert run.stdout.strip() == "False"
