"""The suite ``agents``: the learners with the same budget on the same problems, as in LoopTune's figure 7.

Every learner sees the graph, and the rows of features; PPO also the graph without its edges, so that it shows what they
give. All train on the model, some seeds each. A curve is the mean return of the last 100 episodes, read at fixed shares
of the budget.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, pstdev
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from polyloop.bench.machine import describe_machine
from polyloop.bench.plots import write_svgs
from polyloop.bench.report import console_for_tables, document
from polyloop.config import use_color
from polyloop.gnn.policies import ALGORITHMS
from polyloop.registration import CURSOR
from polyloop.shipped.workloads import PRODUCTS
from polyloop.terminal.errors import UsageError
from polyloop.terminal.learning import needs_torch
from polyloop.terminal.output import destination

if TYPE_CHECKING:
    from polyloop.gnn.training import TrainingSettings

BUDGET, SEEDS, POINTS = 60.0, 2, 20
"""Seconds of a run, seeds of a contestant, and points of a curve; LoopTune's figure has hours, ``--budget 600`` ten
minutes."""


@dataclass(frozen=True)
class Contestant:
    """What learns: a learner, what it sees, and whether the graph has edges."""

    algorithm: str
    encoder: str
    edges: bool = True

    @property
    def seen(self) -> str:
        return "rows" if self.encoder == "vector" else "graph" if self.edges else "edgeless"

    @property
    def name(self) -> str:
        return f"{self.algorithm}, {'graph without edges' if self.seen == 'edgeless' else self.seen}"

    @property
    def called(self) -> tuple[str, ...]:
        """What ``--against`` may call it; the first two are others', too."""
        return self.algorithm, self.seen, f"{self.algorithm}/{self.seen}"

    def settings(self, seed: int) -> TrainingSettings:
        """Those of a run: the learner's defaults, everything else alike."""
        from polyloop.gnn.encoders import EncoderSettings
        from polyloop.gnn.environments import EnvironmentSettings
        from polyloop.gnn.training import TrainingSettings

        observation = "vector" if self.encoder == "vector" else "graph"
        arguments = {"evaluator": "model", "observation": observation, "length": 10}
        environment = EnvironmentSettings(CURSOR, arguments, ({"set": PRODUCTS},), 8)
        encoder = EncoderSettings(self.encoder, width=64, layers=2, edges=self.edges)  # type: ignore[arg-type]
        return TrainingSettings(environment, self.algorithm, encoder, seed=seed)  # type: ignore[arg-type]


CONTESTANTS = (
    *(Contestant(algorithm, "gine") for algorithm in ALGORITHMS),
    *(Contestant(algorithm, "vector") for algorithm in ALGORITHMS),
    Contestant("ppo", "gine", edges=False),
)


def run_suite(arguments: Namespace) -> int:
    """Run the suite as the command line asks for it; returns the exit status.

    Raises:
        UsageError: for unknown contestants.
        PolyloopError: without torch.
    """
    chosen = contestants(arguments.against)
    place = None if arguments.json is None else destination("--json", arguments.json, None)
    needs_torch("the suite agents")
    budget, seeds = arguments.budget or BUDGET, arguments.rounds or SEEDS
    settings = {"budget": budget, "seed": arguments.seed, "seeds": seeds, "set": PRODUCTS}
    progress = Console(stderr=True, no_color=not use_color(), highlight=False)
    spent = budget_words(len(chosen), seeds, budget)
    progress.print(spent, markup=False, soft_wrap=True)
    rows: list[dict[str, Any]] = []
    for seed in range(arguments.seed, arguments.seed + seeds):
        for contestant in chosen:
            with progress.status(f"{contestant.name}, seed {seed}"):
                rows.append({"contestant": contestant.name, "seed": seed} | _trained(contestant, seed, budget))
            progress.print(f"{contestant.name}, seed {seed}: {rows[-1]['final']}", markup=False, soft_wrap=True)
            if place is not None and place.path is not None:
                place.write(document("agents", describe_machine({}), settings, rows, summary(rows)))
    if place is not None:
        place.write(document("agents", describe_machine({}), settings, rows, summary(rows)))
    figures, console = summary(rows), console_for_tables(errors=place is not None and place.path is None)
    _print(console, figures, spent)
    if arguments.plots is not None:
        for line in write_svgs(Path(arguments.plots), {"agents": lambda axes: _draw(axes, figures, budget)}):
            console.print(line, markup=False, soft_wrap=True)
    return 0


def contestants(given: str | None) -> tuple[Contestant, ...]:
    """Those of these learners, of these observations, or of both (ppo/graph); all by default.

    Raises:
        UsageError: for what none of them is called.
    """
    if given is None:
        return CONTESTANTS
    names = {name for name in given.split(",") if name}
    if unknown := names - {name for contestant in CONTESTANTS for name in contestant.called}:
        raise UsageError(
            f"--against: there is no learner {min(unknown)!r}; there are {', '.join(ALGORITHMS)}, what they see is "
            "graph, rows or edgeless, and ppo/graph is one of them"
        )
    return tuple(contestant for contestant in CONTESTANTS if names & set(contestant.called))


def _trained(contestant: Contestant, seed: int, budget: float) -> dict[str, Any]:
    from polyloop.gnn.training import train

    with TemporaryDirectory() as folder:
        end = train(contestant.settings(seed), Path(folder), seconds=budget)
        lines = [json.loads(line) for line in (Path(folder) / "curve.jsonl").read_text().splitlines()]
    return {
        "steps": end.steps,
        "seconds": round(end.seconds, 1),
        "final": None if end.mean_return != end.mean_return else round(end.mean_return, 4),
        "curve": curve(lines, budget),
    }


def curve(lines: Sequence[dict[str, Any]], budget: float) -> list[float | None]:
    """The mean return at each share of the budget: as of the last report by then, None before the first."""
    result: list[float | None] = []
    for point in range(1, POINTS + 1):
        known = [line["mean_return"] for line in lines if line["seconds"] <= budget * point / POINTS]
        result.append(known[-1] if known else None)
    return result


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """For each contestant mean and spread over the seeds: of the end, and of every point of the curve."""
    result: dict[str, Any] = {}
    for name in dict.fromkeys(row["contestant"] for row in rows):
        own = [row for row in rows if row["contestant"] == name]
        ends = [row["final"] for row in own if row["final"] is not None]
        points = [[v for v in values if v is not None] for values in zip(*(row["curve"] for row in own), strict=True)]
        result[name] = {
            "seeds": len(own),
            "steps": mean(row["steps"] for row in own),
            "final": mean(ends) if ends else None,
            "spread": pstdev(ends) if ends else None,
            "curve": [mean(values) if values else None for values in points],
            "curve_spread": [pstdev(values) if values else None for values in points],
        }
    return result


def budget_words(contestants: int, seeds: int, budget: float) -> str:
    """What the suite spends."""
    minutes = contestants * seeds * budget / 60
    return f"{contestants} learners x {seeds} seeds (--rounds) x {budget:g} s (--budget): {minutes:.0f} minutes"


def _print(console: Console, figures: dict[str, Any], spent: str) -> None:
    table = Table("learner", "seeds", "steps", "return", "spread", caption=spent)
    for name, own in sorted(figures.items(), key=lambda entry: -(entry[1]["final"] or -1)):
        ends = ["-" if own[key] is None else f"{own[key]:.3f}" for key in ("final", "spread")]
        table.add_row(name, str(own["seeds"]), f"{own['steps']:.0f}", *ends)
    console.print(table)


def _draw(axes: Any, figures: dict[str, Any], budget: float) -> None:
    for name, own in figures.items():
        known = [k for k, value in enumerate(own["curve"]) if value is not None]
        times = [budget * (k + 1) / POINTS for k in known]
        middle, spread = [own["curve"][k] for k in known], [own["curve_spread"][k] for k in known]
        (line,) = axes.plot(times, middle, label=name)
        low, high = ([m + sign * s for m, s in zip(middle, spread, strict=True)] for sign in (-1, 1))
        axes.fill_between(times, low, high, color=line.get_color(), alpha=0.2)
    axes.set(xlabel="seconds", ylabel="mean return (share of the peak gained)")
    axes.legend(fontsize="small")
