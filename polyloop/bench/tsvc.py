"""The suite ``tsvc``: of the loops of TSVC-2 in a checkout of one's own, which are read, and what gets faster.

A function of ``src/tsvc.c`` repeats its loops many times, and after each time calls ``dummy``, so that no compiler
leaves any out. What stands in the repeated body before that call is one region. Each
is searched under every compiler; then all builds run in turn (`polyloop.bench.turns`).

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
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from rich.console import Console

from polyloop.backend.errors import BackendError
from polyloop.bench.harness import RowBench, Summary, chosen, failed_row, listed
from polyloop.bench.report import LOWEST_RATIO, means, print_lines, print_table, ratio_cells, summarize
from polyloop.bench.rows import Row
from polyloop.bench.turns import BEST, Compilers, judged_results, row_in_turn
from polyloop.errors import PolyloopError
from polyloop.frontend import CFile, read_source
from polyloop.frontend.preprocess import read_text
from polyloop.terminal.errors import UsageError

NOTHING = "none"
"""What ``--against`` also takes: nothing is timed."""

AGAINST = ("gcc", "clang")
BUDGET = 4.0
"""Seconds for each search, unless told: the loops are small."""

WIN = 1.1
"""Times the faster of the compilers, from which on a loop counts as won."""

_REPEATED = re.compile(r"\bdummy\s*\(")
_FUNCTION = re.compile(r"^\w[\w \t*]*\b(\w+)\s*\([^;{}]*\)\s*\{", re.MULTILINE)


class NotReadError(PolyloopError):
    """A region is not read; the message says why."""


def bench(arguments: Namespace) -> Tsvc:
    """The suite as the command line asks for it.

    Raises:
        UsageError: without the sources, for an unknown contestant, or if there is none of the compilers.
    """
    if arguments.sources is None:
        raise UsageError("--sources: give the folder of a checkout of TSVC-2")
    folder = Path(arguments.sources)
    path = next((p for p in (folder / "src" / "tsvc.c", folder / "tsvc.c") if p.is_file()), None)
    if path is None:
        raise UsageError(f"--sources: there is no src/tsvc.c in {folder}")
    nothing = arguments.against == NOTHING
    against = [] if nothing else listed("--against", arguments.against or ",".join(AGAINST), AGAINST, "contestant ")
    return Tsvc(path, arguments, against)


class Tsvc(RowBench):
    """One row for each function with a region."""

    def __init__(self, path: Path, arguments: Namespace, against: Sequence[str]) -> None:
        try:
            text = read_text(path)
        except OSError as error:
            raise UsageError(f"--sources: cannot read {path}: {error.strerror or error}") from error
        self.path = path
        self.marked, self.functions = with_pragmas(text)
        if not self.functions:
            raise UsageError(f"--sources: no function of {path} calls dummy")
        self.compilers = Compilers.named(against) if against else Compilers({}, {})
        self.budget = arguments.budget if arguments.budget is not None else BUDGET
        settings = {"sources": str(path), "against": list(against), "budget": self.budget}
        names = chosen(arguments.kernels, dict.fromkeys(self.functions), arguments.limit, arguments.seed)
        super().__init__(names, settings, arguments.resume)

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
        facts = {"statements": len(statements), "depth": max(s.depth for s in statements)}
        if not self.compilers.found:
            return Row(name, facts=facts)
        (scop,) = scops
        try:
            row = row_in_turn(name, scop, judged_results(scop, self.compilers, budget=self.budget), self.compilers)
        except (PolyloopError, BackendError) as error:  # read it is
            return failed_row(name, error, facts)
        return replace(row, facts={**facts, **row.facts})

    def in_short(self, row: Row) -> str:
        return row.in_words or f"read: {row.facts['statements']} statements, {row.facts['depth']} deep"

    def summary(self, rows: Sequence[Row]) -> Summary:
        left = [row for row in rows if "statements" not in row.facts]
        reasons = Counter(str(row.failed).rpartition("[")[2].rstrip("]") for row in left)
        found = summarize(rows, self.compilers.missing)
        # What was left as it is cannot be slower; of the others each compiler's ratio counts.
        found["slower"] = [row.row for row in rows if any(ratio.high < LOWEST_RATIO for ratio in row.ratios.values())]
        found["wins"] = [row.row for row in rows if BEST in row.ratios and row.ratios[BEST].value >= WIN]
        return found | {"read": len(rows) - len(left), "of": len(rows), "reasons": dict(reasons.most_common())}

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        timed = [row for row in rows if row.ratios]
        if timed:
            header = ["loop", *(title for name in timed[0].ratios for title in (f"x {name}", "95%"))]
            cells = [
                [row.row, *(text for ratio in row.ratios.values() for text in ratio_cells(ratio))] for row in timed
            ]
            print_table(console, header, cells)
        left = [[row.row, str(row.failed)] for row in rows if row.failed is not None]
        if left:
            print_table(console, ["not measured" if timed else "not read", "because"], left, left=["because"])
        if timed:
            lines = [*means(summary), f"{len(summary['wins'])} at {WIN} x the faster compiler or more"]
            slower = f"slower: {', '.join(summary['slower']) or 'none'}"
            verified = summary["verified"]
            lines += [slower, f"results compared: {verified['compared']}, different: {verified['different']}"]
            print_lines(console, lines)
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
