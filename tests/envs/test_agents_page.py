"""docs/agents.md: its examples run, and what it says of numbers is so."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path
from typing import Any

import pytest

from polyloop.search.cursor.baselines import BASELINES
from polyloop.shipped.families import split, split_names

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")


BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_run() -> None:
    assert len(BLOCKS) == 3
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for block in BLOCKS[:2]:
            exec(compile(block, "agents.md", "exec"), {})
    first, second = out.getvalue().splitlines()
    assert first.startswith("drawn-")
    assert second.startswith(f"{len(split('family').train)} {len(split('family').test)} products-tt/0-0@zen5")


@pytest.mark.filterwarnings("ignore:`:UserWarning")
@pytest.mark.skipif(importlib.util.find_spec("minari") is None, reason="needs the extra minari")
def test_the_example_of_datasets_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    names: dict[str, Any] = {}
    exec(compile(BLOCKS[2], "agents.md", "exec"), names)
    assert names["episodes"] == tuple(names["recorder"].episodes)


def test_names_are_those_that_there_are() -> None:
    for name in ("untuned", "constant", "random-50", "greedy", "beam-4", "beam-16", "teacher"):
        assert name in BASELINES
        assert f"`{name}`" in PAGE
    assert {"family", "family-3", "machine-zen3"} <= set(split_names())
