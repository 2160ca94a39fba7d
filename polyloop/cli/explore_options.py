"""The options of ``polyloop explore``; the parser imports no large library."""

from __future__ import annotations

import argparse


def add_explore_options(parser: argparse.ArgumentParser) -> None:
    """Everything but what is read and its sizes as ``--sizes``."""
    parser.add_argument(
        "dimensions",
        metavar="NAME=N",
        nargs="*",
        default=[],
        help="sizes of dimensions or parameters: m=256 n=256 k=128",
    )
    how = parser.add_argument_group("the cursor")
    how.add_argument(
        "--evaluator",
        choices=("worker", "model"),
        default="worker",
        help="worker (default): programs are compiled and measured in a process of their own; model: figures of an "
        "analytic model, nothing runs",
    )
    how.add_argument(
        "--compat", choices=("native", "looptune"), default="native", help="looptune: LoopTune's seven actions only"
    )
    how.add_argument(
        "--reassociate",
        action="store_true",
        help="reductions may be reordered; in tensor programs they always may",
    )
