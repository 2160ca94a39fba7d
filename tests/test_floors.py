"""The architecture, read off the import statements: modules stand on floors and import only downwards.

The imports are read from the syntax trees, so imports inside functions and under ``TYPE_CHECKING`` count as
well. `polyloop/__init__.py`, the door, stands on no floor: it names modules by strings only.
"""

from __future__ import annotations

import ast
import graphlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

Statement: TypeAlias = ast.Import | ast.ImportFrom

ROOT = Path(__file__).resolve().parent.parent

# From the ground up. A module stands on the floor that has its name or the name of a package around it.
FLOORS: dict[str, tuple[str, ...]] = {
    "backend": ("polyloop.backend",),
    "core": (
        "polyloop.accesses",
        "polyloop.affine_isl",
        "polyloop.config",
        "polyloop.data",
        "polyloop.dependence",
        "polyloop.distribution",
        "polyloop.double_description",
        "polyloop.drawing",
        "polyloop.emit_c",
        "polyloop.errors",
        "polyloop.farkas",
        "polyloop.files",
        "polyloop.frontend",
        "polyloop.generator_store",
        "polyloop.generators",
        "polyloop.graphs",
        "polyloop.hulls",
        "polyloop.inputs",
        "polyloop.integer_matrix",
        "polyloop.isl_limits",
        "polyloop.isl_schedule",
        "polyloop.isl_scheduler",
        "polyloop.kernels",
        "polyloop.lanes_innermost",
        "polyloop.legality",
        "polyloop.libraries",
        "polyloop.default_trace",
        "polyloop.lowering",
        "polyloop.order_check",
        "polyloop.operations",
        "polyloop.recent",
        "polyloop.result",
        "polyloop.run_time_tests",
        "polyloop.schedule",
        "polyloop.schedule_io",
        "polyloop.schedule_space",
        "polyloop.schedule_tree",
        "polyloop.scop",
        "polyloop.source_text",
        "polyloop.space_cycles",
        "polyloop.space_dependences",
        "polyloop.space_generators",
        "polyloop.strides",
        "polyloop.distribution",
        "polyloop.tensors",
        "polyloop.transforms",
        "polyloop.visualize",
        "polyloop.workloads",
    ),
    "decision processes": (
        "polyloop.construction",
        "polyloop.cursor",
        "polyloop.exploration",
        "polyloop.mdp",
        "polyloop.scheduling",
        "polyloop.walks",
    ),
    "search": (
        "polyloop.cursor_evaluators",
        "polyloop.database",
        "polyloop.evaluators",
        "polyloop.measurement",
        "polyloop.optimizer",
        "polyloop.search",
    ),
    "envs": ("polyloop.envs", "polyloop.registration"),
    "gnn": ("polyloop.gnn",),
    "command line": ("polyloop.__main__", "polyloop.cli"),
}

# Libraries that a floor and everything below it do without.
LIBRARIES_ABOVE = {
    "backend": {"islpy", "networkx"},
    "search": {"gymnasium", "torch", "torch_geometric"},
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


def find_imports(modules: dict[str, Path]) -> list[Import]:
    return [
        Import(name, target, statement.lineno, type_checking)
        for name, path in sorted(modules.items())
        for statement, type_checking in statements(ast.parse(path.read_text(encoding="utf-8"), str(path)))
        for target in targets(statement, modules)
    ]


def floors_of(module: str) -> list[str]:
    return [
        floor
        for floor, prefixes in FLOORS.items()
        if any(module == prefix or module.startswith(prefix + ".") for prefix in prefixes)
    ]


def height(module: str) -> int:
    return list(FLOORS).index(floors_of(module)[0])


MODULES = find_modules()
IMPORTS = find_imports(MODULES)
INSIDE = [edge for edge in IMPORTS if edge.target.split(".")[0] == "polyloop" and edge.importer != "polyloop"]


def test_the_links_were_followed() -> None:
    assert {"polyloop", "polyloop.backend", "polyloop.envs", "polyloop.gnn", "polyloop.cli"} <= set(MODULES)


def test_every_module_stands_on_exactly_one_floor() -> None:
    wrong = {name: floors_of(name) for name in MODULES if name != "polyloop" and len(floors_of(name)) != 1}
    assert not wrong, f"add each to one floor of FLOORS in tests/test_floors.py: {wrong}"


def test_every_import_names_a_module_that_exists() -> None:
    assert [str(edge) for edge in INSIDE if edge.target not in MODULES] == []


def test_no_import_goes_up() -> None:
    placed = [edge for edge in INSIDE if floors_of(edge.importer) and floors_of(edge.target)]
    assert [str(edge) for edge in placed if height(edge.target) > height(edge.importer)] == []


def test_only_the_command_line_comes_in_through_the_door() -> None:
    """The door reaches every floor, so whoever imports from it could import upwards unseen."""
    through = [edge for edge in INSIDE if edge.target == "polyloop"]
    assert [str(edge) for edge in through if floors_of(edge.importer) != ["command line"]] == []


def test_the_door_imports_nothing_at_run_time() -> None:
    edges = [edge for edge in IMPORTS if edge.importer == "polyloop" and not edge.type_checking]
    assert {edge.target for edge in edges} <= {"__future__", "importlib", "typing"}


@pytest.mark.parametrize("floor", LIBRARIES_ABOVE)
def test_libraries_stay_above_their_floor(floor: str) -> None:
    highest = list(FLOORS).index(floor)
    below = [edge for edge in IMPORTS if floors_of(edge.importer) and height(edge.importer) <= highest]
    assert [str(edge) for edge in below if edge.target.split(".")[0] in LIBRARIES_ABOVE[floor]] == []


def test_no_cycle_of_imports() -> None:
    """Imports for type checkers only are left out: they never run, so they cannot fail."""
    graph: dict[str, set[str]] = {name: set() for name in MODULES}
    for edge in INSIDE:
        if not edge.type_checking:
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


def test_optimize_never_loads_torch(tmp_path: Path) -> None:
    source = tmp_path / "scale.c"
    source.write_text(KERNEL)
    arguments = ["optimize", str(source), "-o", str(tmp_path / "out.c"), "--sizes", "n=40", "--budget", "1"]
    loaded = libraries_loaded_by(arguments, tmp_path)
    assert "torch" not in loaded
    assert (tmp_path / "out.c").exists()
