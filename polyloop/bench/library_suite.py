"""What the benchmarks against libraries have in common: rows from a worker process, their summary, table and file."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from polyloop.backend.run.peak import peak_gflops
from polyloop.backend.run.worker import Worker, WorkerError
from polyloop.bench.blas import mkl_version
from polyloop.bench.contest import best_library
from polyloop.bench.machine import describe_machine
from polyloop.bench.report import Row, console_for_tables, document
from polyloop.bench.sampling import geometric_mean
from polyloop.bench.tvm import TUNING_SECONDS, TVM
from polyloop.config import use_color
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import destination

_LOWEST_RATIO = 0.97
_ROW_SECONDS = 300.0


def contestants(arguments: Namespace, known: Sequence[str]) -> tuple[str, ...]:
    """The names given with --against; by default all known ones, save one that is installed and tunes for minutes on
    every row.

    Raises:
        UsageError: for a name that is not known.
    """
    if arguments.against is None:
        return tuple(name for name in known if name != TVM or find_spec(name) is None)
    names = tuple(name.strip() for name in arguments.against.split(",") if name.strip())
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"--against: there is no contestant {unknown[0]!r}; there are {', '.join(known)}")
    return names


def run_rows(
    arguments: Namespace, jobs: Sequence[tuple[str, Any]], function: str, settings: Mapping[str, Any], dtype: str
) -> int:
    """Measure all rows and report them.

    Args:
        jobs: name of each row, and what the worker's function is called with.
        function: "module:function", called in a process of its own; a crash or a hang fails one row.
        settings: for the file.
    Returns:
        The exit status: 1 if a result was wrong or no row could be made.
    """
    place = None if arguments.json is None else destination("--json", arguments.json, None)
    machine = describe_machine({}, peak_gflops(dtype, fresh=True)) | _libraries()
    progress = Console(stderr=True, no_color=not use_color(), highlight=False)
    rows: list[Row] = []
    with Worker(memory_bytes=None) as worker:
        for number, (name, job) in enumerate(jobs, 1):
            rows.append({"row": name} | _row(worker, function, job, TVM in settings.get("against", ())))
            progress.print(f"{number}/{len(jobs)} {name}: {_in_short(rows[-1])}", markup=False, soft_wrap=True)
            if place is not None and (place.path is not None or number == len(jobs)):
                # After every row, so that an interrupted benchmark leaves what it has.
                place.write(document(arguments.suite, machine, settings, rows, summarize(rows)))
    summary = summarize(rows)
    _print(console_for_tables(errors=place is not None and place.path is None), rows, summary)
    return 1 if summary["verified"]["different"] or len(summary["failed"]) == len(rows) else 0


def summarize(rows: Sequence[Row]) -> dict[str, Any]:
    """Of all rows so far: mean ratio to every contestant, its worst row, share of the peak, comparisons, what is
    missing (with the number of rows, where it is missing in some of them only)."""
    timed = [row for row in rows if "ratios" in row]
    names = list(dict.fromkeys(name for row in timed for name in row["ratios"]))
    best = {row["row"]: found for row in timed if (found := best_library(row)) is not None}
    checks = [check for row in timed for check in row["checks"]]
    return {
        "speedup": {name: geometric_mean(_values(timed, name)) for name in names},
        "without_calling": {name: geometric_mean(_without_calling(timed, name)) for name in names},
        "worst": {name: _worst(timed, name) for name in names},
        "best_library": geometric_mean(ratio["value"] for _, ratio in best.values()),
        "slower": [row for row, (_, ratio) in best.items() if ratio["high"] < _LOWEST_RATIO],
        "peak_fraction": geometric_mean(row["peak_fraction"] for row in timed),
        "lowest_peak_fraction": min((row["peak_fraction"] for row in timed), default=None),
        "compile_seconds": float(np.median([row["compile_seconds"] for row in timed])) if timed else None,
        "verified": {
            "compared": len(checks),
            "different": sum(not check["passed"] for check in checks),
            "elements": sum(check["compared"] for check in checks),
        },
        "failed": {row["row"]: row["failed"] for row in rows if "failed" in row},
        "missing": _missing(timed),
    }


def _libraries() -> dict[str, Any]:
    return {"libraries": {"numpy": np.__version__, "mkl": mkl_version()}}


def _row(worker: Worker, function: str, job: Any, tuning: bool = False) -> dict[str, Any]:
    limit = _ROW_SECONDS + (TUNING_SECONDS if tuning else 0.0)
    try:
        row: dict[str, Any] = worker.call(function, (job,), timeout=limit)  # type: ignore[assignment]
    except WorkerError as error:
        return {"failed": str(error)}
    return row


def _values(rows: Iterable[Row], name: str) -> list[float]:
    return [row["ratios"][name]["value"] for row in rows if name in row["ratios"]]


def _without_calling(rows: Iterable[Row], name: str) -> list[float]:
    return [row["without_calling"][name] for row in rows if row["without_calling"].get(name)]


def _worst(rows: Iterable[Row], name: str) -> dict[str, Any]:
    row = min((row for row in rows if name in row["ratios"]), key=lambda row: float(row["ratios"][name]["value"]))
    return {"ratio": row["ratios"][name]["value"], "row": row["row"]}


def _missing(rows: Sequence[Row]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for row in rows:
        for name, reason in row["missing"].items():
            found.setdefault(name, []).append(reason)
    return {
        name: reasons[0] + (f" ({len(reasons)} of {len(rows)} rows)" if len(reasons) < len(rows) else "")
        for name, reasons in found.items()
    }


def _in_short(row: Row) -> str:
    if "failed" in row:
        return f"failed: {str(row['failed']).partition(chr(10))[0]}"
    ratios = ", ".join(f"{ratio['value']:.2f} x {name}" for name, ratio in row["ratios"].items())
    return f"{row['peak_fraction']:.0%} of the peak" + (f", {ratios}" if ratios else "")


def _print(console: Console, rows: Sequence[Row], summary: Mapping[str, Any]) -> None:
    names = list(summary["speedup"])
    table = Table(box=None, pad_edge=False, header_style="bold")
    columns: list[tuple[str, Callable[[Row], str]]] = [
        ("us", lambda row: f"{1e6 * row['seconds']['ours']:.4g}"),
        ("GFLOPS", lambda row: f"{row['gflops']['ours']:.1f}"),
        ("peak", lambda row: f"{row['peak_fraction']:.1%}"),
        *((f"x {name}", _ratio_cell(name)) for name in names),
        ("compile ms", lambda row: f"{1e3 * row['compile_seconds']:.1f}"),
        ("check", _check_cell),
    ]
    table.add_column("row", no_wrap=True)
    for title, _ in columns:
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        cells = [text(row) for _, text in columns] if "ratios" in row else ["failed"]
        table.add_row(*map(escape, (row["row"], *cells)))
    console.print(table)
    for line in _closing(summary):
        console.print(escape(line), soft_wrap=True)


def _ratio_cell(name: str) -> Callable[[Row], str]:
    def text(row: Row) -> str:
        ratio = row["ratios"].get(name)
        return "-" if ratio is None else f"{ratio['value']:.2f} ({ratio['low']:.2f}..{ratio['high']:.2f})"

    return text


def _check_cell(row: Row) -> str:
    wrong = [check["result"] for check in row["checks"] if not check["passed"]]
    return f"DIFFERENT: {', '.join(wrong)}" if wrong else f"{len(row['checks'])} agree"


def _closing(summary: Mapping[str, Any]) -> list[str]:
    lines = [
        f"x {name}: geometric mean {mean:.3f}, worst {summary['worst'][name]['ratio']:.2f} "
        f"({summary['worst'][name]['row']})"
        for name, mean in summary["speedup"].items()
    ]
    for name, mean in summary["without_calling"].items():
        if mean is not None:
            lines.append(f"x {name}, the cost of its call taken away: geometric mean {mean:.3f}")
    if summary["best_library"]:
        lines.append(f"x the fastest library: geometric mean {summary['best_library']:.3f}")
    if summary["slower"]:
        lines.append(f"slower than the fastest library: {', '.join(summary['slower'])}")
    if summary["peak_fraction"]:
        lines.append(
            f"of the peak: geometric mean {summary['peak_fraction']:.1%}, lowest {summary['lowest_peak_fraction']:.1%}"
        )
    verified = summary["verified"]
    lines.append(f"results compared: {verified['compared']}, different: {verified['different']}")
    lines += [f"failed: {row}: {str(reason).partition(chr(10))[0]}" for row, reason in summary["failed"].items()]
    lines += [f"missing: {name}: {reason}" for name, reason in summary["missing"].items()]
    return lines
