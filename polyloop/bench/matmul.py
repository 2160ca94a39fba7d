"""The suite ``matmul``: matrix products with the default schedule against BLAS libraries, numpy and torch."""

from __future__ import annotations

import random
from argparse import Namespace

from polyloop.bench.library_suite import contestants, run_rows
from polyloop.bench.matmul_worker import AGAINST, Job
from polyloop.bench.products import problems
from polyloop.config import default_threads


def run_suite(arguments: Namespace) -> int:
    """Run the suite as the command line asks for it; returns the exit status.

    Raises:
        UsageError: for an unknown set or contestant.
    """
    against, chosen = contestants(arguments, AGAINST), problems(arguments.set)
    threads = arguments.threads or default_threads()
    if arguments.limit is not None and arguments.limit < len(chosen):
        kept = set(random.Random(arguments.seed).sample(chosen, arguments.limit))
        chosen = tuple(problem for problem in chosen if problem in kept)
    jobs = [(p.name, Job(p, arguments.dtype, against, threads, arguments.rounds)) for p in chosen]
    settings = {name: getattr(arguments, name) for name in ("set", "dtype", "rounds", "limit", "seed")}
    settings |= {"against": list(against), "threads": threads}
    return run_rows(arguments, jobs, "polyloop.bench.matmul_worker:measure", settings, arguments.dtype)
