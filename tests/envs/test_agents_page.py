"""docs/agents.md: its examples run, and what it says of numbers is so."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from polyloop.search.cursor.baselines import BASELINES
from polyloop.shipped.families import split, split_names

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")


def test_the_examples_run() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for block in blocks:
            exec(compile(block, "agents.md", "exec"), {})
    first, second = out.getvalue().splitlines()
    assert first.startswith("drawn-")
    assert second.startswith(f"{len(split('family').train)} {len(split('family').test)} products-tt/0-0@zen5")


def test_names_are_those_that_there_are() -> None:
    for name in ("untuned", "constant", "random-50", "greedy", "beam-4", "beam-16", "teacher"):
        assert name in BASELINES
        assert f"`{name}`" in PAGE
    assert {"family", "family-3", "machine-zen3"} <= set(split_names())
