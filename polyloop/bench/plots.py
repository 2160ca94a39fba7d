"""Plots as SVG files; without matplotlib a word why there are none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def write_svgs(folder: Path, drawings: Mapping[str, Callable[[Any], None]]) -> list[str]:
    """One file for each drawing, which is given matplotlib's axes.

    Args:
        folder: made if it is not there.
        drawings: by the name of their file.
    Returns:
        What to say: the files, or why there are none.
    """
    if find_spec("matplotlib") is None:
        return ["no plots: matplotlib is not installed; pip install 'polyloop[viz]'"]
    make_figure = import_module("matplotlib.figure").Figure
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in drawings.items():
        figure = make_figure(figsize=(10, 4), layout="constrained")
        draw(figure.subplots())
        figure.savefig(folder / f"{name}.svg")
    return [f"wrote {folder / name}.svg" for name in drawings]
