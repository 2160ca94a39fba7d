"""`polyloop evaluate --split`: a cursor's policy on families and machines that nobody has learnt from."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Sequence
from dataclasses import asdict
from statistics import mean
from typing import TYPE_CHECKING, Any

import numpy as np

from polyloop.errors import counted
from polyloop.search.cursor.baselines import BASELINES
from polyloop.shipped.families import held_out_cases
from polyloop.terminal.document import document, geometric_mean
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import Progress, json_destination, tables

if TYPE_CHECKING:
    from polyloop.gnn.agent import Agent
    from polyloop.gnn.split_evaluation import CaseResult

AGAINST = ("constant", "random-50", "greedy", "beam-4", "teacher")
"""What stands beside the policy if nobody says; what is untuned always does."""


def run(arguments: argparse.Namespace, agent: Agent, walks: int) -> int:
    """Evaluate a policy on the held-out part of a split, by the models of its machines; returns the exit status.

    Raises:
        UsageError: for unknown baselines.
        PolyloopError: if there is no such split.
    """
    from polyloop.gnn.split_evaluation import evaluated  # loads torch, which takes seconds

    given = AGAINST if arguments.against is None else arguments.against.split(",")
    against = tuple(dict.fromkeys(name for name in given if name))
    if unknown := [name for name in against if name not in BASELINES]:
        raise UsageError(f"--against: no baseline is called {unknown[0]!r}; there are {', '.join(BASELINES)}")
    goal = json_destination(arguments)
    stream = tables(goal)
    settings = {name: getattr(arguments, name) for name in ("policy", "split", "limit", "seed")}
    settings |= {"walks": walks, "against": against}
    rows: list[CaseResult] = []
    cases = held_out_cases(arguments.split, arguments.seed, arguments.limit)
    print(_heading(against), file=stream)
    with Progress("evaluate") as line:
        for number, case in enumerate(cases):
            line.update(f"{case.name} ({number + 1} of {len(cases)})")
            # Libraries, and what other cases have left in caches: going through them takes the collector a tenth of a
            # second, which is no part of the next case's time.
            gc.collect()
            gc.freeze()
            rows.append(evaluated(case, agent, against, arguments.seed, walks))
            print(_row(rows[-1]), file=stream, flush=True)
            if goal is not None and (goal.path is not None or number + 1 == len(cases)):
                # After every row, so that an interrupted evaluation leaves what it has.
                said = [asdict(row) | {"row": row.case} for row in rows]
                goal.write(document("evaluate", settings, said, summary(rows, against)).encode())
    print(_words(summary(rows, against)), file=stream)
    return 0


def summary(rows: Sequence[CaseResult], against: Sequence[str]) -> dict[str, Any]:
    """Geometric means and the worst of the policy's speed over that of others, what everybody gains, and the seconds
    that the policy takes for a case; "alone" is the same without the default schedule, "own" how often the policy's own
    walks are the answer."""
    ratios = {"untuned": [(row.policy / row.untuned, row.case) for row in rows if row.untuned > 0]}
    alone = {"untuned": [row.own / row.untuned for row in rows if row.untuned > 0]}
    gains = {"policy": [row.gain for row in rows]}
    for name in against:
        ratios[name] = [(row.policy / row.others[name], row.case) for row in rows if row.others[name] > 0]
        alone[name] = [row.own / row.others[name] for row in rows if row.others[name] > 0]
        gains[name] = [row.others[name] - row.untuned for row in rows]
    return {
        "cases": len(rows),
        "speedup": {name: geometric_mean(ratio for ratio, _ in own) for name, own in ratios.items()},
        "alone": {name: geometric_mean(own) for name, own in alone.items()},
        "own": sum(row.own >= row.policy for row in rows),
        "worst": {name: dict(zip(("ratio", "row"), min(own), strict=True)) for name, own in ratios.items() if own},
        "gain": {name: mean(own) for name, own in gains.items() if own},
        "families": {
            family: mean(row.gain for row in rows if row.family == family)
            for family in dict.fromkeys(row.family for row in rows)
        },
        "peak_fraction": geometric_mean(row.policy for row in rows if row.policy > 0),
        "inference_seconds": max((row.seconds for row in rows), default=None),
        "seconds": _quantiles([row.seconds for row in rows]),
        "processor_seconds": _quantiles([row.processor_seconds for row in rows]),
    }


def _quantiles(seconds: Sequence[float]) -> dict[str, float | None]:
    """The median, and the smallest of the figures that 99% do not exceed."""
    shares = {"median": 0.5, "p99": 0.99}
    return {
        name: float(np.quantile(seconds, share, method="inverted_cdf")) if seconds else None
        for name, share in shares.items()
    }


def _heading(against: Sequence[str]) -> str:
    return f"{'% of the peak, by the model':<40}{'untuned':>9}{'policy':>9}" + "".join(f"{n:>11}" for n in against)


def _row(row: CaseResult) -> str:
    shares = (row.untuned, row.policy, *row.others.values())
    widths = (9, 9, *(11 for _ in row.others))
    return f"{row.case:<40}" + "".join(f"{100 * s:>{w}.1f}" for s, w in zip(shares, widths, strict=True))


def _words(found: dict[str, Any]) -> str:
    if not found["cases"]:
        return "there are no cases"
    gains = ", ".join(f"{name} {100 * gain:.1f}" for name, gain in found["gain"].items())
    over = ", ".join(f"{ratio:.3f} x {name}" for name, ratio in found["speedup"].items() if ratio is not None)
    alone = ", ".join(f"{ratio:.3f} x {name}" for name, ratio in found["alone"].items() if ratio is not None)
    worst, seconds, computed = found["worst"]["untuned"], found["seconds"], found["processor_seconds"]
    return (
        f"{counted(found['cases'], 'case')}; gained in the mean, in % of the peak: {gains}\n"
        f"geometric means: {over}; at worst {worst['ratio']:.2f} x untuned ({worst['row']})\n"
        f"the policy's own walks, the default schedule left out: {alone}; they are the answer of {found['own']}\n"
        f"a case took {seconds['median']:.3f} s in the median, and {seconds['p99']:.3f} s at most of 99% "
        f"({computed['median']:.3f} and {computed['p99']:.3f} s of processor time)"
    )
