"""The options of ``polyloop tune``. As all options, they load nothing large."""

from __future__ import annotations

import argparse

from polyloop.search.registry import CURSOR_SEARCH, CURSOR_SEARCHES
from polyloop.terminal.option_types import add_target_options, count, natural, seconds


def add_tune_options(parser: argparse.ArgumentParser) -> None:
    """Everything that the command takes."""
    parser.add_argument(
        "program",
        metavar="EXPR",
        help="'C[m,n] += A[m,k]*B[k,n]', an einsum 'mk,kn->mn', or the name of a workload (CONV-1, MM-256, ...)",
    )
    parser.add_argument(
        "dimensions", metavar="NAME=N", nargs="*", default=[], help="sizes: m=256 n=256 k=128; loops in this order"
    )
    parser.add_argument("--dtype", choices=("float32", "float64"), default="float32", help="default float32")
    how = parser.add_argument_group("the search")
    how.add_argument(
        "--search", choices=CURSOR_SEARCHES, help=f"default {CURSOR_SEARCH}; greedy1 for several statements"
    )
    how.add_argument("--budget", metavar="TIME", type=seconds, default=10.0, help="1s, 500ms, 2min (default 10s)")
    how.add_argument("--evaluations", metavar="N", type=count, help="end after N nests, too")
    how.add_argument("--seed", metavar="N", type=natural, default=0, help="default 0")
    how.add_argument("--resume", metavar="FILE", help="keep what is measured in FILE, and go on behind what is in it")
    how.add_argument("--untuned-only", action="store_true", help="do not start from the default schedule as well")
    how.add_argument("--threads", metavar="N", type=count, help="of parallel loops (default POLYLOOP_THREADS, else 1)")
    how.add_argument(
        "--reproducible",
        action="store_true",
        help="the same bits on every processor, under every compiler and with any number of threads: products and sums "
        "are rounded one by one, in the order of the dimensions",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="save the kernel: .o with a C header beside it, .c, .ll or .s by the file's ending",
    )
    output.add_argument("--name", metavar="NAME", help="of the function in FILE (default: after FILE)")
    add_target_options(output, "the default schedule")
    output.add_argument("--json", metavar="FILE", help="write everything that was measured; - for standard output")
    output.add_argument("-v", "--verbose", action="store_true", help="show the best so far as it was found")
