"""The suite ``tsvc``: of the loops of TSVC-2 in a checkout of one's own, which are read, and why others are not.

A function of ``src/tsvc.c`` repeats its loops many times, and after each time calls ``dummy``, so that no compiler
leaves any out. What stands in the repeated body before that call is one region.

References:
    Callahan, Dongarra and Levine, "Vectorizing compilers: a test suite and results", Supercomputing 1988.
    Maleki et al., "An evaluation of vectorizing compilers", PACT 2011.
"""

from __future__ import annotations

import re
from argparse import Namespace
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from rich.console import Console

from polyloop.bench.harness import RowBench, Summary, limited
from polyloop.bench.report import print_lines, print_table, summarize
from polyloop.bench.rows import Row
from polyloop.errors import PolyloopError
from polyloop.frontend import CFile, read_source
from polyloop.frontend.preprocess import read_text
from polyloop.terminal.errors import UsageError

NOTHING = "none"
"""What ``--against`` takes: there are no contestants, for nothing is timed."""

_REPEATED = re.compile(r"\bdummy\s*\(")
_FUNCTION = re.compile(r"^\w[\w \t*]*\b(\w+)\s*\([^;{}]*\)\s*\{", re.MULTILINE)


class NotReadError(PolyloopError):
    """A region is not read; the message says why."""


def bench(arguments: Namespace) -> Tsvc:
    """The suite as the command line asks for it.

    Raises:
        UsageError: without the sources, or with contestants.
    """
    if arguments.against not in (None, NOTHING):
        raise UsageError(f"--against: nothing is timed; leave it out, or give {NOTHING}")
    if arguments.sources is None:
        raise UsageError("--sources: give the folder of a checkout of TSVC-2")
    folder = Path(arguments.sources)
    path = next((p for p in (folder / "src" / "tsvc.c", folder / "tsvc.c") if p.is_file()), None)
    if path is None:
        raise UsageError(f"--sources: there is no src/tsvc.c in {folder}")
    return Tsvc(path, arguments.limit, arguments.seed)


class Tsvc(RowBench):
    """One row for each function with a region."""

    def __init__(self, path: Path, limit: int | None, seed: int) -> None:
        try:
            text = read_text(path)
        except OSError as error:
            raise UsageError(f"--sources: cannot read {path}: {error.strerror or error}") from error
        self.path = path
        self.marked, self.functions = with_pragmas(text)
        if not self.functions:
            raise UsageError(f"--sources: no function of {path} calls dummy")
        super().__init__(limited(list(dict.fromkeys(self.functions)), limit, seed), {"sources": str(path)})

    @cached_property
    def file(self) -> CFile:
        """All regions at once: most of the time goes into preprocessing and parsing."""
        return read_source(self.path, text=self.marked)

    def measure(self, name: str) -> Row:
        scops = [s for s in self.file.scops if s.source is not None and s.source.function == name]
        if len(scops) < self.functions.count(name):
            refused = rf"region of {name} left as it is: "
            reasons = (d for d in self.file.diagnostics if d.message.startswith(refused))
            reason = next(reasons, next(iter(self.file.errors), None))
            message = "unknown" if reason is None else f"{reason.message.removeprefix(refused)} [{reason.code}]"
            raise NotReadError(message)
        statements = [statement for scop in scops for statement in scop.statements]
        return Row(name, facts={"statements": len(statements), "depth": max(s.depth for s in statements)})

    def in_short(self, row: Row) -> str:
        return f"read: {row.facts['statements']} statements, {row.facts['depth']} deep"

    def summary(self, rows: Sequence[Row]) -> Summary:
        read = sum(row.failed is None for row in rows)
        reasons = Counter(str(row.failed).rpartition("[")[2].rstrip("]") for row in rows if row.failed is not None)
        return summarize(rows) | {"read": read, "of": len(rows), "reasons": dict(reasons.most_common())}

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        left = [[row.row, str(row.failed)] for row in rows if row.failed is not None]
        if left:
            print_table(console, ["not read", "because"], left, left=["because"])
        reasons = ", ".join(f"{count} {reason}" for reason, count in summary["reasons"].items())
        print_lines(console, [f"{summary['read']} of {summary['of']} read" + (f"; left: {reasons}" if reasons else "")])


def with_pragmas(text: str) -> tuple[str, list[str]]:
    """The file with pragmas around every region, and of every region the function that it is in."""
    plain = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.DOTALL)
    starts = [(m.start(), m.group(1)) for m in _FUNCTION.finditer(plain)]
    inserted: list[tuple[int, str]] = []
    functions: list[str] = []
    for match in _REPEATED.finditer(plain):
        brace, depth = match.start(), 0
        while depth <= 0 and brace > 0:
            brace -= 1
            depth += (plain[brace] == "{") - (plain[brace] == "}")
        around = bisect_right(starts, (brace, "")) - 1
        header = plain[:brace].rstrip()
        if around >= 0 and header.endswith(")"):  # the body of a loop
            functions.append(starts[around][1])
            inserted += [(brace + 1, "\n#pragma scop\n"), (match.start(), "\n#pragma endscop\n")]
    for place, line in reversed(inserted):
        text = text[:place] + line + text[place:]
    return text, functions
