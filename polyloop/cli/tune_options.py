"""The options of ``polyloop tune``. As all options, they load nothing large."""

from __future__ import annotations

import argparse

from polyloop.search.registry import CURSOR_SEARCH, CURSOR_SEARCHES
from polyloop.terminal.option_types import add_target_options, count, natural, option, seconds


def add_tune_options(parser: argparse.ArgumentParser) -> None:
    """Everything that the command takes."""
    option(
        parser,
        "program EXPR",
        "'C[m,n] += A[m,k]*B[k,n]', an einsum 'mk,kn->mn', or the name of a workload (CONV-1, MM-256, ...)",
    )
    option(parser, "dimensions NAME=N", "sizes: m=256 n=256 k=128; loops in this order", nargs="*", default=[])
    option(parser, "--dtype", "default float32", choices=("float32", "float64"), default="float32")
    how = parser.add_argument_group("the search")
    option(how, "--search", f"default {CURSOR_SEARCH}; greedy1 for several statements", choices=CURSOR_SEARCHES)
    option(how, "--budget TIME", "1s, 500ms, 2min (default 10s)", type=seconds, default=10.0)
    option(how, "--evaluations N", "end after N nests, too", type=count)
    option(how, "--seed N", "default 0", type=natural, default=0)
    option(how, "--resume FILE", "keep what is measured in FILE, and go on behind what is in it")
    option(how, "--untuned-only", "do not start from the default schedule as well")
    option(how, "--threads N", "of parallel loops (default POLYLOOP_THREADS, else 1)", type=count)
    option(
        how,
        "--reproducible",
        "the same bits on every processor, under every compiler and with any number of threads: products and sums "
        "are rounded one by one, in the order of the dimensions",
    )
    output = parser.add_argument_group("output")
    option(
        output, "-o --output FILE", "save the kernel: .o with a C header beside it, .c, .ll or .s by the file's ending"
    )
    option(output, "--name NAME", "of the function in FILE (default: after FILE)")
    add_target_options(output, "the default schedule")
    option(output, "--json FILE", "write everything that was measured; - for standard output")
    option(output, "-v --verbose", "show the best so far as it was found")
