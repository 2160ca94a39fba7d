"""The suite ``operators``: LoopStack's twelve operators with the default schedule against torch in all its layouts."""

from __future__ import annotations

import random
from argparse import Namespace

from polyloop.bench.library_suite import contestants, run_rows
from polyloop.bench.operators_worker import AGAINST, Job
from polyloop.config import default_threads
from polyloop.shipped.workloads import workload_set
from polyloop.terminal.errors import UsageError

_SET = "operators"


def run_suite(arguments: Namespace) -> int:
    """Run the suite as the command line asks for it; returns the exit status.

    Raises:
        UsageError: for an unknown operator or contestant.
    """
    against = contestants(arguments, AGAINST)
    known = {w.name.partition("/")[2]: w for w in workload_set(_SET).problems}
    names = list(known) if arguments.kernels == "all" else [name.strip() for name in arguments.kernels.split(",")]
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"--kernels: there is no {unknown[0]!r}; there are {', '.join(known)}")
    if arguments.limit is not None and arguments.limit < len(names):
        kept = set(random.Random(arguments.seed).sample(names, arguments.limit))
        names = [name for name in names if name in kept]
    threads = arguments.threads or default_threads()
    jobs = [(name, Job(known[name].name, against, threads, arguments.rounds)) for name in names]
    settings = {name: getattr(arguments, name) for name in ("kernels", "rounds", "limit", "seed")}
    settings |= {"against": list(against), "threads": threads}
    return run_rows(arguments, jobs, "polyloop.bench.operators_worker:measure", settings, "float32")
