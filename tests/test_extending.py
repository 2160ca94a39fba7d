"""docs/extending.md: the package that the guide builds is installed in a folder on the path, and used by name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import polyloop
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.backend.run import jit
from polyloop.lowering.to_nest import lower
from polyloop.measure.programs import program_evaluator
from polyloop.measure.schedules import evaluator_named
from polyloop.schedules.tree import original_tree
from polyloop.scop.dependence import memory_dependences
from polyloop.search.registry import SEARCHES, find_search
from polyloop.shaping.default_trace import default_trace
from polyloop.transforms import TRANSFORMS, Tile, candidates, parse, parse_steps, replay, step_from_json

ROOT = Path(__file__).resolve().parent.parent
GUIDE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```\w+\n# (\S+)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the guide's package lies in, as an installer leaves it."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    sections = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    information = tmp_path / f"polyloop_extras-{project['version']}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("\n".join(sections))
    monkeypatch.syspath_prepend(str(tmp_path))
    for module in [name for name in sys.modules if name.partition(".")[0] == "polyloop_extras"]:
        monkeypatch.delitem(sys.modules, module)
    return tmp_path


def test_the_guide_has_the_whole_package() -> None:
    names = ("__init__", "evaluators", "search", "targets", "vector_strip")
    assert sorted(FILES) == [*(f"polyloop_extras/{name}.py" for name in names), "pyproject.toml"]


def test_without_the_package_there_is_nothing() -> None:
    assert "tiles" not in SEARCHES
    assert "vector_strip" not in TRANSFORMS


@pytest.mark.usefixtures("installed")
def test_the_search_finds_tiles() -> None:
    assert list(SEARCHES)[-1] == "tiles"
    _, space = find_search("tiles")
    assert space == "schedule"
    scop = polyloop.einsum("mk,kn->mn", m=64, n=64, k=64)
    result = polyloop.optimize(scop, search="tiles", budget=30)
    tree, found = original_tree(scop), memory_dependences(scop)
    legal = [str(tile) for tile in Tile.candidates(tree) if tile.check(tree, found) is None]
    assert legal
    assert {measured.name for measured in result.measurements} == {"original loops", *legal}


@pytest.mark.usefixtures("installed")
def test_the_transform_is_one_of_them() -> None:
    scop = polyloop.einsum("mk,kn->mn", m=64, n=64, k=64)
    tree, found = original_tree(scop), memory_dependences(scop)
    strips = [transform for transform in candidates(tree) if transform.name() == "vector_strip"]
    assert strips
    verdicts = [str(strip.check(tree, found, scop.name)) for strip in strips]
    assert "None" in verdicts
    assert any(text.startswith("cannot run k in strips of 16 lanes") for text in verdicts)
    for strip in strips:
        assert parse(str(strip)) == strip
        assert parse_steps(f"# a comment\n{strip}\n") == (strip,)
        assert step_from_json(strip.to_json()) == strip


@pytest.mark.usefixtures("installed")
def test_environments_take_the_evaluators() -> None:
    env: Any = gymnasium.make("polyloop/Schedule-v0", kernel="mvt", evaluator="simple")
    _, info = env.reset(seed=0)
    env.action_space.seed(0)
    ended = False
    while not ended:
        _, _, ended, _, info = env.step(env.action_space.sample(info["action_mask"]))
    assert info["speedup"] > 0
    env.close()
    assert type(evaluator_named("simple")).__name__ == "Simple"

    exact = gymnasium.make("polyloop/Cursor-v0", workload="MM-128", evaluator="model")
    noisy = gymnasium.make("polyloop/Cursor-v0", workload="MM-128", evaluator="noisy")
    assert 0 < noisy.reset(seed=0)[1]["gflops"] < exact.reset(seed=0)[1]["gflops"]
    assert type(program_evaluator("noisy")).__name__ == "Noisy"


@pytest.mark.usefixtures("installed")
def test_the_target_has_narrow_registers() -> None:
    target = shown_target("avx512-256")
    scop = polyloop.einsum("mk,kn->mn", m=96, n=96, k=96)
    nest = lower(scop, replay(original_tree(scop), default_trace(scop, target, reassociate=True)))
    code = str(jit.emit(plan(nest, target), target, "asm"))
    assert "%ymm3" in code
    assert "%zmm" not in code


def test_commands_know_the_package(installed: Path) -> None:
    path = os.pathsep.join([str(installed), str(ROOT)])
    environment = os.environ | {"PYTHONPATH": path, "COLUMNS": "200"}
    run = subprocess.run(
        [sys.executable, "-P", "-m", "polyloop", "optimize", "--help"],
        capture_output=True, text=True, env=environment, cwd=installed, timeout=120, check=True,
    )  # fmt: skip
    assert "genetic, model, policy, tiles (default isl)" in run.stdout
