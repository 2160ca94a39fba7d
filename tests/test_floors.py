"""The architecture, read off the import statements: modules stand in rooms and import only downwards.

The imports are read from the syntax trees, so imports inside functions and under ``TYPE_CHECKING`` count as
well. `polyloop/__init__.py`, the door, stands in no room: it names modules by strings only.
"""

from __future__ import annotations

import ast
import graphlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest

Statement: TypeAlias = ast.Import | ast.ImportFrom

ROOT = Path(__file__).resolve().parent.parent

# From the ground up, below `polyloop`. A module stands in the room whose name it has, or that of a package around it.
ROOMS = (
    *("backend", "backend.ir", "backend.machine", "backend.planning", "backend.c", "backend.llvm", "backend.asm"),
    *("backend.default", "backend.run"),
    *("support", "polyhedra", "arithmetic", "scop", "frontend", "tensors"),
    *("schedules", "transforms", "spaces", "lowering", "graphs", "shaping", "shipped", "show"),
    *("cursor", "measure", "models", "search", "api"),
    *("envs", "gnn"),
    *("terminal", "explorer", "bench", "cli"),
)
MOST_ROOMS, MOST_AT_THE_ROOT, MOST_LISTED = 24, 8, 35
MOST_LOADED = 120  # by `polyloop optimize`, of our modules, where nothing is remembered

GROUND = {"polyloop.errors", "polyloop.mdp", "polyloop.registration"}
"""Modules that import nothing of polyloop, so that every room may import them."""
TOP = {"polyloop", "polyloop.__main__"}
"""The door, which names modules by strings only, and the module that calls the command line."""

# Libraries that a room and everything below it do without.
LIBRARIES_ABOVE = {
    "backend.run": {"islpy", "networkx"},
    "api": {"gymnasium", "torch", "torch_geometric"},
}


@dataclass(frozen=True)
class Import:
    """One import statement's edge: ``target`` is a module of polyloop or the name of a library."""

    importer: str
    target: str
    line: int
    type_checking: bool

    def __str__(self) -> str:
        return f"{self.importer}, line {self.line}, imports {self.target}"


@cache
def find_modules() -> dict[str, Path]:
    """Every module under polyloop/, through its links, by its dotted name."""
    modules = {}
    for folder, _, files in os.walk(ROOT / "polyloop", followlinks=True):
        for file in files:
            path = Path(folder, file)
            if path.suffix == ".py":
                parts = path.relative_to(ROOT).with_suffix("").parts
                modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def statements(node: ast.AST, type_checking: bool = False) -> Iterator[tuple[Statement, bool]]:
    """All import statements below a node, each with whether only type checkers see it."""
    match node:
        case ast.Import() | ast.ImportFrom():
            yield node, type_checking
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            for guarded in node.body:
                yield from statements(guarded, True)
            for other in node.orelse:
                yield from statements(other, type_checking)
        case _:
            for child in ast.iter_child_nodes(node):
                if not isinstance(child, ast.expr):  # which has no statements inside
                    yield from statements(child, type_checking)


def targets(statement: Statement, modules: dict[str, Path]) -> Iterator[str]:
    """The modules that one statement names; ``from package import module`` names the module."""
    match statement:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(names=names, module=module):
            for alias in names:
                inner = f"{module}.{alias.name}"
                yield inner if inner in modules else str(module)


@cache
def find_imports() -> list[Import]:
    modules = find_modules()
    return [
        Import(name, target, statement.lineno, type_checking)
        for name, path in sorted(modules.items())
        for statement, type_checking in statements(ast.parse(path.read_text(encoding="utf-8"), str(path)))
        for target in targets(statement, modules)
    ]


def inside() -> list[Import]:
    """The imports of one module of ours by another, without the door's."""
    return [edge for edge in find_imports() if edge.target.split(".")[0] == "polyloop" and edge.importer != "polyloop"]


def room_of(module: str) -> str | None:
    """The innermost room around a module; None for those of `GROUND` and `TOP`, and for what stands in no room."""
    name = module.removeprefix("polyloop.")
    rooms = [room for room in ROOMS if name == room or name.startswith(room + ".")]
    return max(rooms, key=len, default=None)


def height(module: str) -> int:
    room = room_of(module)
    return -1 if module in GROUND or room is None else ROOMS.index(room)


def test_the_links_were_followed() -> None:
    assert {"polyloop", "polyloop.backend", "polyloop.envs", "polyloop.gnn", "polyloop.cli"} <= set(find_modules())


def test_every_module_stands_in_a_room() -> None:
    lost = [name for name in find_modules() if name not in GROUND | TOP and room_of(name) is None]
    assert lost == [], "put each into a room, or add its room to ROOMS in tests/test_floors.py"


def test_every_room_is_there() -> None:
    assert [room for room in ROOMS if f"polyloop.{room}" not in find_modules()] == []


def test_there_are_few_rooms() -> None:
    entries = [path for path in (ROOT / "polyloop").iterdir() if not path.name.startswith((".", "__pycache__"))]
    modules = [path.name for path in entries if path.suffix == ".py"]
    rooms = [path.name for path in entries if path.is_dir() and (path / "__init__.py").exists()]
    assert len(modules) <= MOST_AT_THE_ROOT, modules
    assert len(rooms) <= MOST_ROOMS, rooms
    assert len(ROOMS) <= MOST_LISTED


def test_every_import_names_a_module_that_exists() -> None:
    assert [str(edge) for edge in inside() if edge.target not in find_modules()] == []


def test_no_import_goes_up() -> None:
    placed = [edge for edge in inside() if edge.importer not in TOP and edge.target not in TOP]
    assert [str(edge) for edge in placed if height(edge.target) > height(edge.importer)] == []


def test_only_the_command_line_comes_in_through_the_door() -> None:
    """The door reaches every floor, so whoever imports from it could import upwards unseen."""
    through = [edge for edge in inside() if edge.target == "polyloop"]
    above = height("polyloop.gnn")
    assert [str(edge) for edge in through if height(edge.importer) <= above and edge.importer not in TOP] == []


def test_the_door_imports_nothing_at_run_time() -> None:
    edges = [edge for edge in find_imports() if edge.importer == "polyloop" and not edge.type_checking]
    assert {edge.target for edge in edges} <= {"__future__", "importlib", "sys", "typing"}


@pytest.mark.parametrize("room", LIBRARIES_ABOVE)
def test_libraries_stay_above_their_room(room: str) -> None:
    below = [edge for edge in find_imports() if edge.importer not in TOP and height(edge.importer) <= ROOMS.index(room)]
    assert [str(edge) for edge in below if edge.target.split(".")[0] in LIBRARIES_ABOVE[room]] == []


def test_no_cycle_of_imports() -> None:
    """Not even of imports for type checkers, the door's apart: a circle of ideas is one, whether it runs or not."""
    graph: dict[str, set[str]] = {name: set() for name in find_modules()}
    for edge in inside():
        graph[edge.importer].add(edge.target)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail("import cycle: " + " <- ".join(error.args[1]))


KERNEL = """
void scale(int n, double a[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = 2.0 * a[i][j];
#pragma endscop
}
"""

# Runs the command line in this process and prints, after its own output, its exit status and the libraries it
# loaded.
RUN_AND_LIST = """
import json, sys
from polyloop.cli.main import main
try:
    status = main()
except SystemExit as stop:
    status = stop.code
print()
print(json.dumps([status or 0, sorted({"torch", "gymnasium", "islpy"} & set(sys.modules))]))
"""


def modules_loaded_by(code: str) -> set[str]:
    """What a fresh interpreter has loaded after some code."""
    command = [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.splitlines()[-1].split())


def libraries_loaded_by(arguments: list[str], folder: Path) -> set[str]:
    """The libraries among torch, gymnasium and islpy that a run of the command line loads; the run has to succeed."""
    if importlib.util.find_spec("polyloop.cli.main") is None:
        pytest.skip("polyloop.cli.main is not written yet")
    # An empty torch before the real one: an import of torch shows whether or not torch is installed, and
    # costs nothing.
    (folder / "torch.py").write_text("")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "POLYLOOP_CACHE": str(folder / "cache"),
    }
    command = [sys.executable, "-c", RUN_AND_LIST, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, timeout=300)
    assert run.returncode == 0, run.stderr
    status, loaded = json.loads(run.stdout.splitlines()[-1])
    assert status == 0, run.stderr
    return set(loaded)


def test_help_loads_no_large_library(tmp_path: Path) -> None:
    assert libraries_loaded_by(["--help"], tmp_path) == set()


def test_tensor_programs_load_no_c_parser() -> None:
    loaded = modules_loaded_by("import polyloop; polyloop.einsum('mk,kn->mn', m=4, n=4, k=4)")
    assert "polyloop.tensors" in loaded
    assert loaded.isdisjoint({"pycparser", "polyloop.frontend", "llvmlite", "gymnasium"})


@pytest.mark.parametrize(
    "environment",
    [
        '"polyloop/Schedule-v0", kernel="mvt"',
        '"polyloop/Cursor-v0", workload="MM-64"',
        '"polyloop/Cursor-v0", kernel="mvt"',
    ],
)
def test_an_environment_with_a_model_loads_no_compiler_and_no_search(environment: str) -> None:
    loaded = modules_loaded_by(f"""
import gymnasium
import polyloop
made = gymnasium.make({environment}, evaluator="model")
_, info = made.reset(seed=0)
made.step(info["action_mask"].argmax())
""")
    assert "polyloop.envs" in loaded
    unused = ("llvmlite", "polyloop.search", "polyloop.backend.run", "polyloop.backend.llvm", "polyloop.backend.asm")
    assert [name for name in loaded if name.startswith(unused)] == []


def test_optimize_never_loads_torch(tmp_path: Path) -> None:
    source = tmp_path / "scale.c"
    source.write_text(KERNEL)
    arguments = ["optimize", str(source), "-o", str(tmp_path / "out.c"), "--sizes", "n=40", "--budget", "1"]
    loaded = libraries_loaded_by(arguments, tmp_path)
    assert "torch" not in loaded
    assert (tmp_path / "out.c").exists()


def test_optimize_loads_nothing_of_ways_that_it_does_not_go(tmp_path: Path) -> None:
    sizes = ["--sizes", "ni=40,nj=40,nk=40"]
    kernel = shutil.copy(ROOT / "data" / "kernels" / "gemm.c", tmp_path / "own.c")  # nothing is known of it
    arguments = ["optimize", str(kernel), "-o", str(tmp_path / "out.c"), *sizes, "--budget", "6"]
    loaded = modules_loaded_by(f"""
import os
import shutil
os.environ |= {{"POLYLOOP_VERIFY": "", "POLYLOOP_NO_CACHE": "1"}}
from polyloop.cli.main import main
assert main({arguments}) == 0
""")
    assert "polyloop.lowering.to_c_file" in loaded
    rooms = (
        *("asm", "default", "ir.verify", "ir.text", "ir.interpreter", "c.header", "llvm"),
        *("run.jit", "run.kernel", "run.nest_kernel", "run.fast_call"),
    )
    unused = tuple(f"polyloop.backend.{room}" for room in rooms)
    unused += tuple(f"polyloop.{room}" for room in ("gnn", "envs", "graphs", "tensors", "cursor", "bench", "explorer"))
    unused += ("polyloop.schedules.verify", "polyloop.lowering.order_check", "polyloop.terminal.document")
    unused += tuple(f"polyloop.transforms.{module}" for module in ("base", "catalogue", "steps", "tiling"))
    assert [name for name in loaded if name.startswith(unused)] == []
    ours = sorted(name for name in loaded if name.split(".")[0] == "polyloop")
    assert len(ours) <= MOST_LOADED, ours
