"""`polyloop evaluate` of a schedule policy: on kernels, beside isl's scheduler with the same post-processing."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from polyloop.errors import PolyloopError
from polyloop.shipped.kernels import kernel_fold, kernel_names
from polyloop.shipped.workloads import first
from polyloop.terminal.document import document, geometric_mean
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import Progress, json_destination, tables

if TYPE_CHECKING:
    from polyloop.gnn.agent import Agent
    from polyloop.gnn.schedule_evaluation import ScheduleVerdict


def run(arguments: argparse.Namespace, agent: Agent) -> int:
    """Evaluate a policy of schedules; returns the exit status.

    Raises:
        UsageError: for unknown kernels.
    """
    from polyloop.gnn.schedule_evaluation import judge_schedules  # torch takes seconds to load

    names = _kernels(arguments, agent)
    goal = json_destination(arguments)
    stream = tables(goal)
    settings = {name: getattr(arguments, name) for name in ("policy", "kernels", "fold", "seed", "proposals")}
    settings |= {"post_processing": arguments.post_processing, "pool": arguments.pool}
    verdicts: list[ScheduleVerdict] = []
    failed: dict[str, str] = {}
    print(f"{'speedup over':<18}{'isl':>26}{'the original loops':>34}", file=stream)
    print(
        f"{'kernel':<18}{'policy':>13}{'best of ' + str(arguments.proposals):>13}{'isl':>10}{'policy':>12}{'best':>12}",
        file=stream,
    )
    with Progress("evaluate") as line:
        for number, name in enumerate(names):
            line.update(f"{name} ({number + 1} of {len(names)})")
            try:
                verdict = judge_schedules(
                    agent,
                    name,
                    arguments.proposals,
                    arguments.seed,
                    post_processing=arguments.post_processing,
                    pool=arguments.pool,
                )
            except PolyloopError as error:
                failed[name] = str(error)
                print(f"{name:<18}{error}", file=stream)
            else:
                verdicts.append(verdict)
                print(_row(verdicts[-1]), file=stream, flush=True)
            if goal is not None and (goal.path is not None or number + 1 == len(names)):
                # After every row, so that an interrupted evaluation leaves what it has.
                rows = [asdict(verdict) for verdict in verdicts]
                goal.write(document("evaluate", settings, rows, _summary(verdicts, failed)).encode())
    print(_words(_summary(verdicts, failed)), file=stream)
    return 0 if verdicts else 1


def _kernels(arguments: argparse.Namespace, agent: Agent) -> list[str]:
    """Those asked for; else all that the policy was not trained on."""
    if arguments.fold is not None:
        names = list(kernel_fold(arguments.fold))
    elif arguments.kernels is None:
        trained = {problem.get("kernel") for problem in agent.environment.problems}
        names = [name for name in kernel_names() if name not in trained]
    elif arguments.kernels == "all":
        names = [name for name in kernel_names() if name != "matvec"]
    else:
        names = arguments.kernels.split(",")
    if unknown := [name for name in names if name not in kernel_names()]:
        raise UsageError(f"--kernels: there is no {unknown[0]!r}; there are {', '.join(kernel_names())}")
    return list(first(names, arguments.limit, arguments.seed))


def _row(verdict: ScheduleVerdict) -> str:
    pairs = [("policy", "isl"), ("best", "isl"), ("isl", "original"), ("policy", "original"), ("best", "original")]
    ratios = [verdict.ratio(name, over) for name, over in pairs]
    texts = ["-" if ratio is None else f"{ratio:.2f}" for ratio in ratios]
    widths = (13, 13, 10, 12, 12)
    return f"{verdict.kernel:<18}" + "".join(f"{text:>{width}}" for text, width in zip(texts, widths, strict=True))


def _summary(verdicts: Sequence[ScheduleVerdict], failed: dict[str, str]) -> dict[str, Any]:
    def mean(name: str, over: str) -> float | None:
        ratios = [verdict.ratio(name, over) for verdict in verdicts]
        return geometric_mean(ratio for ratio in ratios if ratio is not None)

    return {
        "speedup": {"isl": mean("policy", "isl"), "original": mean("policy", "original")},
        "speedup_of_best": {"isl": mean("best", "isl"), "original": mean("best", "original")},
        "isl_over_original": mean("isl", "original"),
        "without_isl": [verdict.kernel for verdict in verdicts if "isl" not in verdict.seconds],
        "proposals_failed": sum(verdict.failed for verdict in verdicts),
        "inference_seconds": max((verdict.inference for verdict in verdicts), default=None),
        "failed": failed,
    }


def _words(summary: dict[str, Any]) -> str:
    def words(name: str, label: str) -> str:
        ratio = summary[name]["isl"]
        return f"{label} {'-' if ratio is None else f'{ratio:.3f}'} x isl"

    first, best = words("speedup", "single proposal"), words("speedup_of_best", "best of all")
    return f"geometric mean: {first}, {best}"
