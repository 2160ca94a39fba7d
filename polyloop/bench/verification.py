"""The report of ``polyloop bench polybench --sources DIR --verify``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from polyloop.bench.report import Row

COMPARED = ("equal", "different")


def summarize_verification(rows: Sequence[Row], missing: Mapping[str, str]) -> dict[str, Any]:
    """Counts of dumps compared and different; what was refused, failed or missing, with reasons."""
    results = [(row["kernel"], result) for row in rows for result in row.get("results", ())]
    counts = Counter(result["outcome"] for _, result in results)
    absent = {result["configuration"]: result["reason"] for _, result in results if result["outcome"] == "missing"}
    return {
        "programs": len(rows),
        "verified": {"compared": sum(counts[name] for name in COMPARED), "different": counts["different"]},
        "outcomes": dict(counts),
        "refused": {name: result["reason"] for name, result in results if result["outcome"] == "refused"},
        "failed": {row["kernel"]: row["failed"] for row in rows if "failed" in row}
        | {name: result["reason"] for name, result in results if result["outcome"] == "failed"},
        "unchanged": [
            f"{row['kernel']}, {threads} thread{'s' if threads != '1' else ''}"
            for row in rows
            for threads, done in row.get("done", {}).items()
            if done == ["original"]
        ],
        "warnings": sum(len(row.get("warnings", ())) for row in rows),
        "missing": dict(missing) | absent,
    }


def print_verification(console: Console, rows: Sequence[Row], summary: Mapping[str, Any]) -> None:
    """A table of program and configuration, then what was not equal, in words."""
    names = list(dict.fromkeys(r["configuration"] for row in rows for r in row.get("results", ())))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("kernel", *names, "warnings", "what was done (1 thread)"):
        table.add_column(name.replace(", ", "\n").replace(" -f", "\n-f"))
    for row in rows:
        outcomes = {result["configuration"]: result["outcome"] for result in row.get("results", ())}
        done = "; ".join(row.get("done", {}).get("1", ())) or str(row.get("failed", "")).partition("\n")[0]
        cells = [row["kernel"], *(outcomes.get(name, "-") for name in names), str(len(row.get("warnings", ()))), done]
        table.add_row(*map(escape, cells))
    console.print(table)
    for line in _closing(rows, summary):
        console.print(escape(line), soft_wrap=True)


def _closing(rows: Sequence[Row], summary: Mapping[str, Any]) -> list[str]:
    verified = summary["verified"]
    lines = [f"dumps compared: {verified['compared']}, different: {verified['different']}"]
    for row in rows:
        for result in row.get("results", ()):
            if result["outcome"] not in ("equal", "missing"):
                lines.append(f"{row['kernel']}, {result['configuration']}: {result['outcome']}: {result['reason']}")
        lines += [f"{row['kernel']}: warning: {warning}" for warning in row.get("warnings", ())]
    lines += [f"missing: {name}: {reason}" for name, reason in summary["missing"].items()]
    return lines
