"""The options of ``polyloop explore``; the parser imports no large library."""

from __future__ import annotations

import argparse

from polyloop.terminal.option_types import option


def add_explore_options(parser: argparse.ArgumentParser) -> None:
    """Everything but what is read and its sizes as ``--sizes``."""
    option(parser, "dimensions NAME=N", "sizes of dimensions or parameters: m=256 n=256 k=128", nargs="*", default=[])
    how = parser.add_argument_group("the cursor")
    option(
        how,
        "--evaluator",
        "worker (default): programs are compiled and measured in a process of their own; model: figures of an "
        "analytic model, nothing runs",
        choices=("worker", "model"),
        default="worker",
    )
    option(how, "--compat", "looptune: LoopTune's seven actions only", choices=("native", "looptune"), default="native")
    option(how, "--reassociate", "reductions may be reordered; in tensor programs they always may")
