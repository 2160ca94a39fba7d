"""The README's example runs as it stands, in ten lines, and ends in the schedules that it shows."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


def example() -> tuple[str, list[str]]:
    """The code of the section on environments, and what it is said to print."""
    section = README.read_text(encoding="utf-8").partition("\n## An environment\n")[2]
    code, _, rest = section.partition("```python\n")[2].partition("```\n")
    printed = [line.strip() for line in rest.partition('`evaluator="model"`')[0].splitlines() if line.strip()]
    return code, printed


@pytest.mark.long
def test_the_environments_in_ten_lines() -> None:
    code, expected = example()
    assert len(code.splitlines()) == 10
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, str(README), "exec"), {})
    printed = out.getvalue().splitlines()
    # Speeds differ from machine to machine: all but the number has to agree.
    assert [_without_number(line) for line in printed] == [_without_number(line) for line in expected]
    assert sum("times as fast" in line for line in printed) == 3


def _without_number(line: str) -> str:
    name, colon, rest = line.partition(":")
    return f"{name}{colon} x {rest.split(' ', 2)[2]}" if rest.endswith("times as fast") else line
