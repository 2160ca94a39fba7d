"""`polyloop bench SUITE`: polyloop measured against compilers, side by side."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from polyloop.terminal.errors import UsageError
from polyloop.terminal.option_types import count, natural, seconds, settings
from polyloop.terminal.output import announce_measuring, json_destination


@dataclass(frozen=True)
class Suite:
    """One suite of the benchmark.

    Attributes:
        module: loaded when the suite is asked for: workers need far more than options do.
        options: names of what it takes from `OPTIONS`; ``--json`` goes with every suite.
        against: the contestants that ``--against`` chooses from.
        defaults: by option, where the suite has one of its own.
    """

    module: str
    summary: str
    options: str
    against: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict)


_LIBRARIES = "mkl, mkl-jit, openblas, blis, numpy, torch, tvm, halide"

SUITES = {
    "polybench": Suite(
        "polyloop.bench.polybench",
        "optimize on C kernels, against compilers",
        "kernels dataset limit seed sources verify against budget rounds threads",
        "clang, gcc, polly, with --sources pluto, and reproducible, what --reproducible costs",
    ),
    "matmul": Suite(
        "polyloop.bench.matmul",
        "products of matrices without a search, against libraries",
        "set dtype limit seed against rounds threads",
        f"{_LIBRARIES}, and reproducible, what --reproducible costs",
    ),
    "blas": Suite(
        "polyloop.bench.blas_kernels",
        "loops of linear algebra in C, against a library's calls",
        "kernels dataset limit seed sources against budget rounds",
        "openblas",
    ),
    "operators": Suite(
        "polyloop.bench.operators",
        "convolutions and other operators without a search",
        "kernels limit seed against rounds threads",
        "torch",
    ),
    "tsvc": Suite(
        "polyloop.bench.tsvc",
        "which loops of a checkout of TSVC-2 are read, and optimize --cc on them",
        "sources kernels limit seed against budget resume",
        "gcc, clang, each at -O3 -march=native; or none: nothing is timed",
    ),
    "real": Suite(
        "polyloop.bench.real",
        "optimize --cc on functions as engineers write them",
        "kernels limit seed against budget threads",
        "gcc, clang, each at -O3 -march=native",
    ),
    "outside": Suite(
        "polyloop.bench.outside",
        "what optimize --cc announces, beside its files in programs of their own",
        "kernels limit seed against budget",
        "gcc, clang, each at -O3 -march=native",
    ),
    "stencils": Suite(
        "polyloop.bench.stencils",
        "sweeps over grids: PolyBench's, and functions as engineers write them",
        "kernels dataset limit seed sources against budget rounds threads",
        "clang, gcc, polly",
    ),
    "compile": Suite("polyloop.bench.compiling", "how long kernels take to compile", "limit budget rounds"),
    "fuzz": Suite(
        "polyloop.bench.fuzz",
        "random programs and schedules, whose results are compared",
        "suite kernels seed count run only",
    ),
    "polygym": Suite(
        "polyloop.bench.polygym",
        "sampled schedules against isl's, as in PolyGym's paper",
        "kernels dataset limit seed samples heuristics post-processing threads resume plots rank-correlation",
    ),
    "models": Suite(
        "polyloop.bench.models", "cost models against measurements of fresh programs", "programs limit seed samples"
    ),
    "searches": Suite(
        "polyloop.bench.searches",
        "searches of the cursor's space, beside libraries",
        "set kernels dataset limit seed searches against budget resume plots",
        _LIBRARIES,
    ),
    "trials": Suite(
        "polyloop.bench.trials",
        "measurements until a search has 95% of the best known",
        "set limit seed against trials rounds resume plots",
        "random, genetic (default), model-alone, which knows no shipped trees, any other search, tvm",
        {"set": "autotvm"},
    ),
    "agents": Suite(
        "polyloop.bench.agents",
        "learners on the cursor, by the model",
        "split seed against budget steps rounds plots",
        "ppo, a2c, dqn, apex, impala, graph, rows, edgeless or learner/graph; with --split dagger, attention, too",
    ),
}

OPTIONS: dict[str, dict[str, Any]] = {
    "kernels": settings("NAME[,...]", "rows to measure (default all)", default="all"),
    "dataset": settings(
        "",
        "sizes (default MEDIUM; for polygym sizes between the datasets, of 5 to 15 ms a run)",
        type=str.upper,
        choices=("MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE"),
    ),
    "set": settings(
        "NAME",
        "matmul: looptune-test (default), looptune, cubes, irregular, blis-small, or sizes as 64x96x128,...; "
        "searches: looptune-test, looptune-test-25, operators, ..., or kernels for those in C; trials: autotvm "
        "(default), the convolutions C1 to C12 of ResNet-18 and a product of 1024 cubed, or any other set of workloads",
        default="looptune-test",
    ),
    "programs": settings(
        "SET",
        "fresh for random ones that no weights have learnt from (default), or a set: looptune-test, ...",
        default="fresh",
    ),
    "dtype": settings("", "default float32", choices=("float32", "float64"), default="float32"),
    "limit": settings("N", "measure N rows, chosen by --seed where there is one", type=count),
    "seed": settings("N", "of what is drawn at random (default 0)", type=natural, default=0),
    "sources": settings(
        "DIR", "the published PolyBench/C tree instead of the shipped kernels, or the checkout of TSVC-2"
    ),
    "verify": settings(
        "", "with --sources: compare the dumps of original and result, by gcc and clang, in one and two threads"
    ),
    "against": settings("NAME[,...]", ""),
    "budget": settings("TIME", "for each search or learner: 10, 10s, 500ms, 2min", type=seconds),
    "split": settings(
        "NAME",
        "instead of LoopTune's products: learn from a split of problems of many families on many machines, and "
        "count what is gained on those that it holds out (family, family-0..3, machine, machine-NAME)",
    ),
    "steps": settings("N", "for each learner, instead of --budget; such runs can be repeated", type=count),
    "rounds": settings(
        "N",
        "timed runs of each contestant (default: about 3 s), or seeds of each learner of agents (2) "
        "or search of trials (2)",
        type=count,
    ),
    "threads": settings("N", "default POLYLOOP_THREADS, else 1", type=count),
    "trials": settings("N", "programs that each search measures (default 128)", type=count),
    "samples": settings(
        "N", "of each heuristic, or schedules of each program of models (100)", type=count, default=100
    ),
    "searches": settings("NAME[,...]", "greedy1, mcts, ..., 'default + mcts' (default all)"),
    "heuristics": settings("NAME[,...]", "uniform, bias_coeff_0, sparse, guided sparse, ..."),
    "post-processing": settings(
        "",
        "none, as the environments have it (default), or tiles, vectors and register tiles: the same for isl's "
        "and all sampled schedules",
        choices=("shapes", "none"),
        default="none",
    ),
    "resume": settings("FILE", "keep every sample (or row) in FILE, and go on behind it"),
    "plots": settings("DIR", "draw the figures"),
    "rank-correlation": settings("", "how well the cost model orders each kernel's samples"),
    "suite": settings(
        "NAME",
        "what is tried out: schedules (default), contractions, walks (of the cursor), emitted (C files), "
        "reproducible (C files that give the same bits everywhere), programs (as emitted, of functions as people "
        "write them), sweeps (stencils and triangles in the forms that the search tries)",
        dest="suite_of_fuzz",
        default="schedules",
    ),
    "count": settings(
        "N", "episodes (default 1000); those of C files are of tens of functions each", type=count, default=1000
    ),
    "run": settings("N", "how many of them are run (default 3 of 200)", dest="run_episodes", type=count),
    "only": settings("NUMBER", "repeat one episode of that seed and count", type=natural),
    "json": settings("FILE", "write all rows and the summary, anew after every row; - for standard output"),
}
"""By name, without the dashes."""


def add_suites(parser: argparse.ArgumentParser) -> None:
    """``polyloop bench SUITE``: every suite takes its own options."""
    parser.description = "Measure polyloop against others: contestants run in turn, and every result is compared."
    suites = parser.add_subparsers(dest="suite", metavar="SUITE", required=True, parser_class=type(parser))
    for name, suite in SUITES.items():
        said = suite.summary[0].upper() + suite.summary[1:] + "."
        # argparse fills in %(...)s in what helps, but in a description only where there is one.
        mine = suites.add_parser(name, help=suite.summary.replace("%", "%%"), description=said)
        for option in (*suite.options.split(), "json"):
            settings = dict(OPTIONS[option])
            if option == "against":
                settings["help"] = f"contestants (default: those that are installed): {suite.against}"
            mine.add_argument(f"--{option}", **settings)
        mine.set_defaults(**suite.defaults)


def suites_with(flag: str) -> tuple[str, ...]:
    """The suites that take an option, by its flag with dashes and perhaps a value: ``--plots=DIR``."""
    name = flag.partition("=")[0].removeprefix("--")
    return tuple(suite for suite, known in SUITES.items() if name in known.options.split())


def run(args: argparse.Namespace) -> int:
    """Run a suite; returns the exit status.

    Raises:
        UsageError: for options that do not go together.
        PolyloopError: if the suite cannot run at all.
    """
    plots = getattr(args, "plots", None)
    if plots is not None and not _could_be_folder(Path(plots)):
        raise UsageError(f"--plots: {plots} is a file, or cannot be made a folder; give another")
    place = json_destination(args)
    from polyloop.backend.run.measured_machine import use_measured_machine  # workers need it, options do not

    use_measured_machine(announce_measuring)
    os.environ.setdefault("POLYLOOP_RECORDS", "off")  # a search is measured, not what an earlier one has left
    bench = import_module(SUITES[args.suite].module).bench(args)
    status: int = import_module("polyloop.bench.harness").run(args.suite, bench, place)
    return status


def _could_be_folder(path: Path) -> bool:
    """Whether the first part of the path that is there is a folder to write in: asked before hours of measuring."""
    there = next(part for part in (path.absolute(), *path.absolute().parents) if part.exists())
    return there.is_dir() and os.access(there, os.W_OK)
