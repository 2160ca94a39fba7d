"""What benches say at their end: figures over all rows, tables, closing words, plots."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from polyloop.backend.config import use_color
from polyloop.backend.run.timing import Ratio
from polyloop.bench.rows import Row, in_one_line
from polyloop.terminal.document import geometric_mean
from polyloop.terminal.output import ResultConsole

LOWEST_RATIO = 0.97
"""A row whose interval lies below this is slower than the best rival, beyond doubt."""

_WIDTH = 200  # where standard output is no terminal
_WIDEST = 1000


def summarize(rows: Sequence[Row], missing: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the summary of every bench has: mean ratio to every contestant, its worst row, rows that are slower than
    their best rival, comparisons, failures, what is missing (with the number of rows, where it is in some only).

    Args:
        missing: contestants that no row has.
    """
    ran = [row for row in rows if row.failed is None]
    ratios = {
        name: {row.row: row.ratios[name].value for row in ran if name in row.ratios}
        for name in dict.fromkeys(name for row in ran for name in row.ratios)
    }
    checks = [check for row in ran for check in row.verdicts]
    return {
        "speedup": {name: geometric_mean(values.values()) for name, values in ratios.items()},
        "worst": {name: worst(values) for name, values in ratios.items()},
        "slower": [row.row for row in ran if row.rival is not None and row.ratios[row.rival].high < LOWEST_RATIO],
        "verified": {
            "compared": len(checks),
            "different": sum(not check.passed for check in checks),
            "elements": sum(check.compared for check in checks),
        },
        "failed": {row.row: row.failed for row in rows if row.failed is not None},
        "missing": {**(missing or {}), **_missing(ran)},
    }


def worst(ratios: Mapping[str, float]) -> dict[str, Any]:
    """The smallest ratio and its row."""
    row = min(ratios, key=ratios.__getitem__)
    return {"ratio": ratios[row], "row": row}


def best_rival(rows: Sequence[Row]) -> float | None:
    """The geometric mean of the ratios to the fastest rival of each row."""
    return geometric_mean(row.ratios[row.rival].value for row in rows if row.rival is not None)


def _missing(rows: Sequence[Row]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for row in rows:
        for name, reason in row.missing.items():
            found.setdefault(name, []).append(reason)
    return {
        name: reasons[0] + (f" ({len(reasons)} of {len(rows)} rows)" if len(reasons) < len(rows) else "")
        for name, reasons in found.items()
    }


# --- text -------------------------------------------------------------------------------------------------------------


def console_for_tables(errors: bool = False) -> Console:
    """Standard output (or error); as wide as a table needs where nobody looks at it directly."""
    stream = sys.stderr if errors else sys.stdout
    return ResultConsole(
        file=stream, width=None if stream.isatty() else _WIDTH, no_color=not use_color(), highlight=False
    )


def print_table(
    console: Console,
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    *,
    left: Sequence[str] = (),
    title: str | None = None,
) -> None:
    """A table whose cells are never cut off; only the last column wraps, if it is one of `left`.

    Args:
        left: columns of text, besides the first one. All others are of numbers.
    """
    table = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    for number, name in enumerate(header):
        text, last = number == 0 or name in left, number == len(header) - 1
        # Headers of several words wrap where the terminal is narrow.
        longest = max(map(len, (*name.split(), *(line[number] for line in cells if number < len(line)))), default=0)
        table.add_column(
            escape(name), justify="left" if text else "right", min_width=None if text and last else longest
        )
    for line in cells:
        table.add_row(*map(escape, line))
    needed = Measurement.get(console, console.options.update(max_width=_WIDEST), table).minimum
    console.print(table, width=max(console.width, needed), crop=False)


def print_lines(console: Console, lines: Sequence[str]) -> None:
    """Text as it is."""
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def means(summary: Mapping[str, Any], digits: int = 2) -> list[str]:
    """The ratios to every contestant, in words."""
    return [
        f"x {name}: geometric mean {mean:.{digits}f}, worst {summary['worst'][name]['ratio']:.2f} "
        f"({summary['worst'][name]['row']})"
        for name, mean in summary["speedup"].items()
    ]


def closing(summary: Mapping[str, Any], what: str = "results") -> list[str]:
    """Comparisons, failures, and what is missing, in words."""
    verified = summary["verified"]
    lines = [f"{what} compared: {verified['compared']}, different: {verified['different']}"]
    lines += [f"failed: {row}: {in_one_line(reason)}" for row, reason in summary["failed"].items()]
    lines += [f"missing: {name}: {reason}" for name, reason in summary["missing"].items()]
    return lines


def ratio_cells(ratio: Ratio | None) -> list[str]:
    """A ratio and its interval."""
    return ["-", "-"] if ratio is None else [f"{ratio.value:.2f}", f"{ratio.low:.2f}..{ratio.high:.2f}"]


def number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


# --- plots ------------------------------------------------------------------------------------------------------------


def write_plots(
    folder: Path, drawings: Mapping[str, Callable[[Any], None]], kinds: Sequence[str] = ("svg",)
) -> list[str]:
    """One file of each kind ("svg", "png") for each drawing, which is given matplotlib's axes.

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
        for kind in kinds:
            figure.savefig(folder / f"{name}.{kind}")
    return [f"wrote {folder / name}.{kind}" for name in drawings for kind in kinds]
