"""The suite ``polybench``: every shipped kernel against clang, gcc and Polly, or the published C files themselves, also
as Pluto rewrites them."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from polyloop.backend.config import default_threads
from polyloop.backend.run.peak import peak_gflops
from polyloop.bench.harness import RowBench, Summary, chosen, failed_row, isolated_afresh
from polyloop.bench.pluto import PLUTO, polycc
from polyloop.bench.report import best_rival, closing, means, print_lines, print_table, summarize
from polyloop.bench.rows import REPRODUCIBLE, Row, in_one_line
from polyloop.bench.sources import Job, Program, find_programs
from polyloop.bench.toolchain import Toolchain, find_toolchain
from polyloop.shipped.kernels import kernel_names
from polyloop.terminal.document import geometric_mean
from polyloop.terminal.errors import UsageError

_SMALL_DATASETS = ("MINI", "SMALL", "MEDIUM")
_AGAINST = "clang,gcc,polly"


def bench(arguments: Namespace) -> RowBench:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for unknown kernels, and options that do not go together.
        PolyloopError: if there is no C compiler.
    """
    threads, dataset = arguments.threads or default_threads(), arguments.dataset or "MEDIUM"
    against = tuple(name.strip() for name in (arguments.against or _AGAINST).split(",") if name.strip())
    if arguments.verify and arguments.sources is None:
        raise UsageError("--verify compares the published programs' dumps; give their folder with --sources DIR")
    reproducible = REPRODUCIBLE in against
    if reproducible and arguments.sources is not None:
        raise UsageError(f"--against: {REPRODUCIBLE} is measured on the shipped kernels; leave --sources out")
    programs = None if arguments.sources is None else find_programs(Path(arguments.sources))
    names = chosen(arguments.kernels, programs or kernel_names(), arguments.limit, arguments.seed)
    if PLUTO in against and arguments.sources is None:
        raise UsageError(f"--against: {PLUTO} rewrites the published programs; give their folder with --sources DIR")
    compilers = [name for name in against if name not in (REPRODUCIBLE, PLUTO)]
    tools = find_toolchain(compilers, 1 if arguments.verify else threads)
    rewriting = [PLUTO] if PLUTO in against and polycc() else []
    if PLUTO in against and not rewriting:
        tools.missing[PLUTO] = "there is no polycc on PATH"
    settings = {"kernels": arguments.kernels, "dataset": dataset, "budget": arguments.budget}
    settings |= {"rounds": arguments.rounds, "limit": arguments.limit, "seed": arguments.seed}
    settings |= {"sources": arguments.sources, "verify": arguments.verify, "against": list(against), "threads": threads}
    measured = (*tools.compilers, *rewriting), arguments.budget, arguments.rounds, threads
    found: Mapping[str, Program] = programs or {}
    jobs = {name: Job(name, dataset, *measured, found.get(name), reproducible) for name in names}
    if arguments.verify:
        return Verified(jobs, settings, tools)
    return Timed(jobs, settings, tools)


class _Bench(RowBench):
    """`worker`: "module:function", which makes a row of a job."""

    worker: str

    def __init__(self, jobs: Mapping[str, Job], settings: Mapping[str, Any], tools: Toolchain) -> None:
        super().__init__(list(jobs), settings)
        self.jobs, self.tools = jobs, tools
        self.machine = {"compilers": {name: compiler.version for name, compiler in tools.compilers.items()}}

    def measure(self, name: str) -> Row:
        job = self.jobs[name]
        limit = (300.0 if job.dataset in _SMALL_DATASETS else 3600.0) + 6 * (job.budget or 20.0)
        row = isolated_afresh(self.worker, job, seconds=limit)
        assert isinstance(row, Row)
        return row

    def failure(self, name: str, error: Exception) -> Row:
        return failed_row(name, error, {"kernel": name})


# --- kernels and programs, timed --------------------------------------------------------------------------------------


class Timed(_Bench):
    """Everything that was built, run in turn."""

    def __init__(self, jobs: Mapping[str, Job], settings: Mapping[str, Any], tools: Toolchain) -> None:
        super().__init__(jobs, settings, tools)
        published = settings["sources"] is not None
        self.worker = f"polyloop.bench.{'program' if published else 'kernel'}_worker:measure"
        core = peak_gflops("float64", fresh=True)
        self.machine = {**self.machine, "peak_gflops": core}
        self.peak = core * settings["threads"]

    def summary(self, rows: Sequence[Row]) -> Summary:
        return summarize_timed(rows, self.tools.missing, self.peak)

    def in_short(self, row: Row) -> str:
        return ", ".join(f"{ratio:.2f} x {name}" for name, ratio in row.facts["speedup"].items()) or "not timed"

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        rivals = list(summary["speedup"])
        header = ["kernel", "seconds", *(f"x {name}" for name in rivals), "95% of best", "GFLOPS", "peak", "x jit"]
        cells = [[row.row, *_cells(row, rivals, summary["peak_gflops"])] for row in rows]
        print_table(console, [*header, "check", "what was done"], cells, left=("check", "what was done"))
        print_lines(console, _words(summary))


def summarize_timed(rows: Sequence[Row], missing: Mapping[str, str], peak: float) -> Summary:
    """The summary of all rows so far; `peak` is what the cores that were used reach together, in GFLOPS."""
    ran = [row for row in rows if row.failed is None]
    return summarize(rows, missing) | {
        "best_compiler": best_rival(ran),
        "emitted_over_jit": _over_jit(ran),
        "peak_gflops": peak,
        "peak_fraction": geometric_mean(f for row in ran if row.ratios and (f := _fraction(row, peak)) is not None),
        "not_built": {row.row: row.facts["not_built"] for row in ran if row.facts["not_built"]},
        "warnings": sum(len(row.facts.get("warnings", ())) for row in ran),
    }


def _fraction(row: Row, peak: float) -> float | None:
    """The share of the peak that our code reaches; None where operations are on integers."""
    rate = row.facts["gflops"].get("ours")
    return rate / peak if rate and row.facts["floating"] else None


def _over_jit(rows: Iterable[Row]) -> dict[str, Any]:
    """How fast the emitted C is under each compiler, relative to the kernel in memory: mean and worst."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        for name, seconds in row.seconds.items():
            if row.ratios and "jit" in row.seconds and name.startswith("ours"):
                found.setdefault(name, {})[row.row] = row.seconds["jit"] / seconds
    return {
        name: {
            "mean": geometric_mean(each.values()),
            "worst": min(each.values()),
            "row": min(each, key=each.__getitem__),
        }
        for name, each in found.items()
    }


def _cells(row: Row, rivals: Sequence[str], peak: float) -> list[str]:
    facts, nothing = row.facts, [""] * (len(rivals) + 5)
    if row.failed is not None:
        return [*nothing, "failed", in_one_line(row.failed)]
    if row.rival is None:
        return [*nothing, "not built", str(facts["not_built"].get("ours", ""))]
    share, best = _fraction(row, peak), row.ratios[row.rival]
    return [
        f"{facts['seconds']['ours']['minimum']:.3g}",
        *(f"{row.ratios[name].value:.2f}" if name in row.ratios else "-" for name in rivals),
        f"{best.low:.2f}..{best.high:.2f} {row.rival}",
        f"{facts['gflops']['ours']:.1f}" if facts["gflops"] else "-",
        "" if share is None else f"{share:.0%}",
        f"{facts['speedup']['jit']:.2f}" if "jit" in facts["speedup"] else "-",
        row.verdict(),
        "; ".join(facts["done"]),
    ]


def _words(summary: Summary) -> list[str]:
    lines = means(summary)
    if summary["best_compiler"]:
        lines.append(f"x the better of gcc and clang: geometric mean {summary['best_compiler']:.2f}")
    if summary["slower"]:
        lines.append(f"slower than the better of gcc and clang: {', '.join(summary['slower'])}")
    if summary["peak_fraction"]:
        peak = f"of the peak of {summary['peak_gflops']:.0f} GFLOPS"
        lines.append(f"{peak}: geometric mean {summary['peak_fraction']:.1%}")
    for name, ratio in summary["emitted_over_jit"].items():
        lines.append(f"{name} over jit: {ratio['mean']:.2f}, worst {ratio['worst']:.2f} ({ratio['row']})")
    reasons = ((kernel, *item) for kernel, names in summary["not_built"].items() for item in names.items())
    return [*lines, *closing(summary), *(f"not built: {k}, {name}: {in_one_line(why)}" for k, name, why in reasons)]


# --- dumps of the published programs, compared ------------------------------------------------------------------------


class Verified(_Bench):
    """Dumps of original and result, built in every configuration."""

    worker = "polyloop.bench.verify_worker:verify"

    def summary(self, rows: Sequence[Row]) -> Summary:
        """Counts of dumps compared and different; what was refused, failed or missing, with reasons."""
        results = [(row.row, result) for row in rows for result in row.facts.get("results", ())]
        counts = Counter(result["outcome"] for _, result in results)
        known = summarize(rows, self.tools.missing)
        absent = {result["configuration"]: result["reason"] for _, result in results if result["outcome"] == "missing"}
        done = [(row.row, *item) for row in rows for item in row.facts.get("done", {}).items()]
        return known | {
            "programs": len(rows),
            "verified": {"compared": counts["equal"] + counts["different"], "different": counts["different"]},
            "outcomes": dict(counts),
            "refused": {name: result["reason"] for name, result in results if result["outcome"] == "refused"},
            "failed": known["failed"] | {n: result["reason"] for n, result in results if result["outcome"] == "failed"},
            "unchanged": [
                f"{name}, {n} thread{'s' if n != '1' else ''}" for name, n, steps in done if steps == ["original"]
            ],
            "warnings": sum(len(row.facts.get("warnings", ())) for row in rows),
            "missing": known["missing"] | absent,
        }

    def in_short(self, row: Row) -> str:
        return ", ".join(sorted({result["outcome"] for result in row.facts["results"]}))

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        """A table of program and configuration, then what was not equal, in words."""
        names = list(dict.fromkeys(r["configuration"] for row in rows for r in row.facts.get("results", ())))
        short = [name.replace(", ", "\n").replace(" -f", "\n-f") for name in names]
        header = ["kernel", *short, "warnings", "what was done (1 thread)"]
        cells = []
        for row in rows:
            outcomes = {result["configuration"]: result["outcome"] for result in row.facts.get("results", ())}
            done = "; ".join(row.facts.get("done", {}).get("1", ())) or in_one_line(row.failed or "")
            warnings = str(len(row.facts.get("warnings", ())))
            cells.append([row.row, *(outcomes.get(name, "-") for name in names), warnings, done])
        print_table(console, header, cells, left=(*short, header[-1]))
        lines = closing(summary, "dumps")
        for row in rows:
            for result in row.facts.get("results", ()):
                if result["outcome"] not in ("equal", "missing"):
                    lines.append(f"{row.row}, {result['configuration']}: {result['outcome']}: {result['reason']}")
            lines += [f"{row.row}: warning: {warning}" for warning in row.facts.get("warnings", ())]
        print_lines(console, lines)
