"""The notebooks in examples/ print what they show, run from top to bottom; that takes seconds, and no Jupyter."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


def shown(cell: dict[str, Any]) -> str:
    """What a cell has printed when the notebook was saved."""
    return "".join("".join(output["text"]) for output in cell["outputs"])


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) == 2


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(notebook: Path) -> None:
    space: dict[str, Any] = {}
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 4
    for cell in cells:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec("".join(cell["source"]), space)
        assert printed.getvalue() == shown(cell)
