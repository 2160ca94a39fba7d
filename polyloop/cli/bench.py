"""`polyloop bench SUITE`: polyloop measured against compilers, side by side."""

from __future__ import annotations

import argparse
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from polyloop.terminal.errors import UsageError
from polyloop.terminal.option_types import count, natural, seconds

# Suite -> its module, loaded when it is asked for: their workers need far more than the options do.
SUITES = {
    "polybench": "polyloop.bench.polybench",
    "matmul": "polyloop.bench.matmul",
    "operators": "polyloop.bench.operators",
    "compile": "polyloop.bench.compiling",
    "fuzz": "polyloop.bench.fuzz",
    "polygym": "polyloop.bench.polygym",
    "model": "polyloop.bench.cursor_model",
    "searches": "polyloop.bench.searches",
    "agents": "polyloop.bench.agents",
}


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """The options of ``polyloop bench``."""
    text = "Measure polyloop against compilers: contestants run in turn, and every result is compared."
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "bench", help="measure polyloop against compilers", description=text, allow_abbrev=False
    )
    parser.add_argument("suite", choices=tuple(SUITES), help="what is measured")
    what = parser.add_argument_group("what is measured")
    what.add_argument("--kernels", metavar="NAME[,...]", default="all", help="rows to measure (default all)")
    what.add_argument(
        "--dataset",
        type=str.upper,
        choices=("MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE"),
        help="sizes (default MEDIUM; for polygym sizes between the datasets, of 5 to 15 ms a run)",
    )
    what.add_argument(
        "--set",
        metavar="NAME",
        default="looptune-test",
        help="matmul: looptune-test (default), looptune, cubes, irregular, or sizes as 64x96x128,...; searches: "
        "looptune-test, looptune-test-25, operators, ..., or kernels for those in C",
    )
    what.add_argument("--dtype", choices=("float32", "float64"), default="float32", help="matmul (default float32)")
    what.add_argument("--limit", metavar="N", type=count, help="measure N rows, chosen by --seed")
    what.add_argument("--seed", metavar="N", type=natural, default=0, help="of the choice (default 0)")
    what.add_argument("--sources", metavar="DIR", help="the published PolyBench/C tree instead of the shipped kernels")
    what.add_argument(
        "--verify",
        action="store_true",
        help="with --sources: compare the dumps of original and result, by gcc and clang, in one and two threads",
    )
    how = parser.add_argument_group("how it is measured")
    how.add_argument(
        "--against",
        metavar="NAME[,...]",
        help="contestants (default: all; those that are not installed are named): clang, gcc, polly for polybench; "
        "mkl, mkl-jit, openblas, numpy, torch, tvm for matmul and searches; torch for operators; "
        "ppo, a2c, dqn, apex, impala, graph, rows, edgeless or learner/graph for agents",
    )
    how.add_argument("--budget", metavar="SECONDS", type=seconds, help="time for the search of each scop")
    how.add_argument(
        "--rounds",
        metavar="N",
        type=count,
        help="timed runs of each contestant (default: about 3 s), or seeds of each learner of agents (2)",
    )
    how.add_argument("--threads", metavar="N", type=count, help="default POLYLOOP_THREADS, else 1")
    _add_polygym(parser.add_argument_group("polygym and searches"))
    fuzz = parser.add_argument_group("fuzz")
    fuzz.add_argument(
        "--suite",
        dest="suite_of_fuzz",
        metavar="NAME",
        default="schedules",
        help="what is tried out: schedules (default), contractions, walks (of the cursor)",
    )
    fuzz.add_argument("--count", metavar="N", type=count, default=1000, help="episodes (default 1000)")
    fuzz.add_argument(
        "--run", dest="run_episodes", metavar="N", type=count, help="how many of them are run (default 3 of 200)"
    )
    fuzz.add_argument("--only", metavar="NUMBER", type=natural, help="repeat one episode of that seed and count")
    parser.add_argument(
        "--json", metavar="FILE", help="write all rows and the summary, anew after every row; - for standard output"
    )
    parser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def _add_polygym(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--samples",
        metavar="N",
        type=count,
        default=100,
        help="of each heuristic, or nests of each problem of model (100)",
    )
    group.add_argument(
        "--searches", metavar="NAME[,...]", help="of searches: greedy1, mcts, ..., 'default + mcts' (default all)"
    )
    group.add_argument("--heuristics", metavar="NAME[,...]", help="uniform, bias_coeff_0, sparse, guided sparse, ...")
    group.add_argument(
        "--post-processing",
        choices=("shapes", "none"),
        default="none",
        help="none, as the environments have it (default), or tiles, vectors and register tiles: the same for isl's "
        "and all sampled schedules",
    )
    group.add_argument("--resume", metavar="FILE", help="keep every sample (or row) in FILE, and go on behind it")
    group.add_argument("--plots", metavar="DIR", help="draw the figures")
    group.add_argument(
        "--rank-correlation", action="store_true", help="how well the cost model orders each kernel's samples"
    )


def run(args: argparse.Namespace) -> int:
    """Run a suite; returns the exit status.

    Raises:
        UsageError: for options that do not go together.
        PolyloopError: if the suite cannot run at all.
    """
    if args.plots is not None and not _could_be_folder(Path(args.plots)):
        raise UsageError(f"--plots: {args.plots} is a file, or cannot be made a folder; give another")
    status: int = import_module(SUITES[args.suite]).run_suite(args)
    return status


def _could_be_folder(path: Path) -> bool:
    """Whether the first part of the path that is there is a folder to write in: asked before hours of measuring."""
    there = next(part for part in (path.absolute(), *path.absolute().parents) if part.exists())
    return there.is_dir() and os.access(there, os.W_OK)
