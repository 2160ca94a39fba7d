"""The public names of `polyloop`: lazy, complete, and the same for programs and for type checkers."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import polyloop
from polyloop import transforms


def _names_for_type_checkers(door: ModuleType = polyloop) -> dict[str, str]:
    """What the ``if TYPE_CHECKING:`` block of a door imports, as public name -> "module:attribute"."""
    assert door.__file__ is not None
    tree = ast.parse(Path(door.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name: f"{node.module}:{alias.name}" for node in imports for alias in node.names}


@pytest.mark.parametrize("name", sorted(polyloop._LAZY))
def test_a_lazy_name_is_what_its_module_defines(name: str) -> None:
    module, _, attribute = polyloop._LAZY[name].partition(":")
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:  # no such module, or a folder without __init__.py
        pytest.skip(f"{module} is not written yet")
    assert getattr(polyloop, name) is getattr(importlib.import_module(module), attribute)
    assert name in polyloop.__all__
    assert _names_for_type_checkers()[name] == polyloop._LAZY[name]


def test_lazy_names_of_transforms_are_what_type_checkers_see() -> None:
    known = _names_for_type_checkers(transforms)
    homes = {name: f"polyloop.transforms.{module}:{name}" for name, module in transforms._MODULES.items()}
    assert known == homes
    assert set(homes) <= set(dir(transforms))
    for name, place in homes.items():
        module = importlib.import_module(place.partition(":")[0])
        assert getattr(transforms, name) is getattr(module, name)
    with pytest.raises(AttributeError, match="has no attribute 'tile'"):
        getattr(transforms, "tile")  # noqa: B009 (mypy knows that it is not there)


def test_every_exported_name_is_in_the_table() -> None:
    assert set(polyloop.__all__) - {"__version__"} == set(_names_for_type_checkers())
    assert set(_names_for_type_checkers()) <= set(polyloop._LAZY)
    assert set(polyloop.__all__) <= set(dir(polyloop))


def test_the_version_is_that_of_the_distribution() -> None:
    try:
        expected = importlib.metadata.version("polyloop")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("polyloop is imported from a folder, not installed: there is no version to compare with")
    assert polyloop.__version__ == expected


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'polyloop' has no attribute 'optimise'"):
        getattr(polyloop, "optimise")  # noqa: B009 (the type checker refuses the plain form, rightly)


def test_importing_the_door_loads_nothing_heavy() -> None:
    code = "import sys; before = set(sys.modules); import polyloop; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert loaded - sys.stdlib_module_names == {"polyloop"}
