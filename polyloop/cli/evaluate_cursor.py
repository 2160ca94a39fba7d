"""`polyloop evaluate` of a cursor's policy: on tensor programs, beside searches."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from polyloop.errors import counted
from polyloop.search.cursor.searches import cursor_methods
from polyloop.shipped.workloads import PRODUCTS, Workload, first, is_workload, workload, workload_set, workload_sets
from polyloop.terminal.document import document, geometric_mean
from polyloop.terminal.errors import UsageError
from polyloop.terminal.output import Progress, json_destination, tables

if TYPE_CHECKING:
    from polyloop.gnn.agent import Agent
    from polyloop.gnn.evaluation import Verdict

GUIDED = ("policy-rollouts", "policy-mcts")
"""Searches that the policy guides."""

AGAINST = "beam-dfs4,scripted,policy-rollouts"
"""What runs beside the policy if nobody says."""


def run(arguments: argparse.Namespace, agent: Agent, walks: int) -> int:
    """Evaluate a policy of Cursor-v0; returns the exit status.

    Raises:
        UsageError: for unknown names.
    """
    from polyloop.gnn.evaluation import Judge  # torch takes seconds to load: other commands do not pay for it

    given = AGAINST if arguments.against is None else arguments.against
    against = list(dict.fromkeys(name for name in given.split(",") if name))
    known = (*GUIDED, *cursor_methods())
    if unknown := [name for name in against if name not in known]:
        raise UsageError(f"--against: no search is called {unknown[0]!r}; there are {', '.join(known)}")
    problems = _problems(arguments)
    compared = {problem.name for problem in first(problems, arguments.compared, arguments.seed)}
    goal = json_destination(arguments)
    stream = tables(goal)
    settings = {name: getattr(arguments, name) for name in ("policy", "set", "limit", "seed", "budget", "compared")}
    settings |= {"walks": walks, "against": against, "steps_trained": agent.description["steps"]}
    verdicts: list[Verdict] = []
    print(_heading(against), file=stream)
    with Progress("evaluate") as line, Judge(agent, against, arguments.budget, walks=walks) as judge:
        for number, problem in enumerate(problems):
            line.update(f"{problem.name} ({number + 1} of {len(problems)})")
            verdicts.append(judge.judge(problem.name, arguments.seed, problem.name in compared))
            print(_row(verdicts[-1]), file=stream, flush=True)
            if goal is not None and (goal.path is not None or number + 1 == len(problems)):
                # After every row, so that an interrupted evaluation leaves what it has.
                rows = [asdict(verdict) | {"speedup": verdict.speedup} for verdict in verdicts]
                goal.write(document("evaluate", settings, rows, _summary(verdicts, against)).encode())
    print(_words(_summary(verdicts, against), arguments.budget), file=stream)
    return 0


def _problems(arguments: argparse.Namespace) -> tuple[Workload, ...]:
    name: str = arguments.set
    if name == "looptune-test":
        problems = workload_set(PRODUCTS).test
    elif name in workload_sets():
        problems = workload_set(name).problems
    elif not any(map(is_workload, name.split(","))):
        sets = ", ".join(("looptune-test", *workload_sets()))
        raise UsageError(f"--set {name}: this is no set, and no workload's name; the sets are {sets}")
    else:
        problems = tuple(workload(each) for each in name.split(","))
    return first(problems, arguments.limit, arguments.seed)


def _heading(against: Sequence[str]) -> str:
    searches = "".join(f"{name:>18}" for name in against)
    return f"{'GFLOPS':<28}{'untuned':>9}{'policy':>9}{'ratio':>8}{'% peak':>8}{'ms':>7}{searches}"


def _row(verdict: Verdict) -> str:
    searches = "".join(f"{trial.gflops:>18.1f}" for trial in verdict.trials.values())
    share = 100 * verdict.policy / verdict.peak
    figures = f"{verdict.untuned:>9.1f}{verdict.policy:>9.1f}{verdict.speedup:>8.2f}{share:>8.1f}"
    return f"{verdict.workload:<28}{figures}{1000 * verdict.inference:>7.1f}{searches}"


def _summary(verdicts: Sequence[Verdict], against: Sequence[str]) -> dict[str, object]:
    ran = [v for v in verdicts if v.policy and v.untuned]
    whole = [v for v in ran if v.trials and all(trial.gflops for trial in v.trials.values())]
    found = {name: [v for v in ran if name in v.trials and v.trials[name].gflops] for name in against}
    return {
        "problems": len(verdicts),
        "compared": len(whole),
        "speedup": {
            "untuned": geometric_mean(v.speedup for v in ran),
            **{n: geometric_mean(v.policy / v.trials[n].gflops for v in own) for n, own in found.items()},
        },
        "at_least_99_percent_of": {
            n: sum(v.policy >= 0.99 * v.trials[n].gflops for v in own) / len(own) for n, own in found.items() if own
        },
        "over_the_best_search": _over_the_best(whole, [name for name in against if name not in GUIDED]),
        "peak_fraction": geometric_mean(v.policy / v.peak for v in ran),
        "untuned_peak_fraction": geometric_mean(v.untuned / v.peak for v in ran),
        "search_peak_fraction": {
            n: geometric_mean(v.trials[n].gflops / v.peak for v in own) for n, own in found.items()
        },
        "inference_seconds": max((v.inference for v in verdicts), default=None),
        "fallbacks": sum(v.fallback for v in verdicts),
        "failed": len(verdicts) - len(ran),
    }


def _over_the_best(verdicts: Sequence[Verdict], plain: Sequence[str]) -> dict[str, object]:
    """The policy's walk, and the searches that it guides, over the best of the other searches on every problem."""
    if not (verdicts and plain):
        return {}
    best = [max(v.trials[name].gflops for name in plain) for v in verdicts]
    ours = {"policy": [v.policy for v in verdicts]}
    ours |= {n: [v.trials[n].gflops for v in verdicts] for n in GUIDED if n in verdicts[0].trials}
    return {
        name: {
            "geometric_mean": geometric_mean(value / other for value, other in zip(values, best, strict=True)),
            "at_least_99_percent": sum(x >= 0.99 * y for x, y in zip(values, best, strict=True)) / len(best),
        }
        for name, values in ours.items()
    }


def _words(summary: dict[str, Any], budget: float) -> str:
    """What it comes to, in sentences; means are geometric."""
    speedup, shares = dict(summary["speedup"]), summary["search_peak_fraction"]
    over, peak, before = speedup.pop("untuned"), summary["peak_fraction"], summary["untuned_peak_fraction"]
    if over is None:
        return "nothing ran"
    text = (
        f"{counted(summary['problems'], 'problem')}, geometric means: the policy's nests are at {100 * peak:.1f}% of "
        f"the peak, {over:.2f} times the untuned ones, which are at {100 * before:.1f}%"
    )
    if summary["fallbacks"]:
        text += f"\non {summary['fallbacks']} the learned model knows a faster nest for this machine, which was taken"
    parts = [f"{speedup[n]:.3f} x {n} ({100 * shares[n]:.1f}% of the peak)" for n in speedup if speedup[n] is not None]
    if parts:
        text += f"\n{summary['compared']} of them with searches of {budget:g} s each: the policy is {', '.join(parts)}"
    for name, figures in summary["over_the_best_search"].items():
        mean, share = figures["geometric_mean"], 100 * figures["at_least_99_percent"]
        text += f"\n{name} over the best unguided search: {mean:.3f} x, at least 99% of it on {share:.0f}% of them"
    return text
