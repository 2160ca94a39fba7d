"""The suite ``agents``: the learners with the same budget on the same problems, as in LoopTune's figure 7.

Every learner sees the graph, and the rows of features; PPO also the graph without its edges, so that it shows what they
give. All train on the model, some seeds each. A curve is the mean return of the last 100 episodes, read at fixed shares
of the budget.

Beside them stands what learns nothing (`polyloop.search.cursor.baselines`), on the products that are held out: the best
sequence that a cross-entropy search finds to be played everywhere, random walks that the model chooses from, searches
of neighbours, the teacher. A learner that does not come above the first has learnt nothing that needs eyes.
"""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, pstdev
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rich.console import Console

from polyloop.backend.machine.machine import machine_named
from polyloop.bench.harness import RowBench, Step, Summary
from polyloop.bench.report import closing, number, print_lines, print_table, summarize
from polyloop.bench.rows import Row
from polyloop.cursor.base import AnyCursor
from polyloop.cursor.model import REFERENCE
from polyloop.envs.cursor_problems import open_cursor
from polyloop.gnn.policies import COMPARED
from polyloop.measure.programs import ModelledPrograms
from polyloop.registration import CURSOR
from polyloop.search.cursor.baselines import BASELINES, Task, baseline
from polyloop.search.cursor.constants import Ground, cross_entropy, mean_gain
from polyloop.shipped.workloads import PRODUCTS, Workload, sample
from polyloop.terminal.errors import UsageError
from polyloop.terminal.learning import needs_torch

if TYPE_CHECKING:
    from polyloop.gnn.training import TrainingSettings

HELD_OUT, TRIALS, LENGTH = 24, 3000, 10
"""Products that baselines are tried on, sequences that the cross-entropy search plays, and steps of an episode."""

BLIND = "cross-entropy"

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
        arguments = {"evaluator": "model", "observation": observation, "length": LENGTH}
        environment = EnvironmentSettings(CURSOR, arguments, ({"set": PRODUCTS},), 8)
        encoder = EncoderSettings(self.encoder, width=64, layers=2, edges=self.edges)  # type: ignore[arg-type]
        return TrainingSettings(environment, self.algorithm, encoder, seed=seed)  # type: ignore[arg-type]


CONTESTANTS = (
    *(Contestant(algorithm, "gine") for algorithm in COMPARED),
    *(Contestant(algorithm, "vector") for algorithm in COMPARED),
    Contestant("ppo", "gine", edges=False),
)


def bench(arguments: Namespace) -> Agents:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for unknown contestants.
        PolyloopError: without torch.
    """
    chosen = contestants(arguments.against)
    needs_torch("the suite agents")
    budget, seeds = arguments.budget or BUDGET, arguments.rounds or SEEDS
    settings = {"budget": budget, "seed": arguments.seed, "seeds": seeds, "set": PRODUCTS}
    return Agents(chosen, settings, arguments.plots)


class Agents(RowBench):
    """Every contestant with every seed, and every baseline once."""

    def __init__(self, chosen: Sequence[Contestant], settings: Mapping[str, Any], plots: str | None) -> None:
        seeds = range(settings["seed"], settings["seed"] + settings["seeds"])
        self.runs = {f"{each.name}, seed {seed}": (each, seed) for seed in seeds for each in chosen}
        super().__init__([*BASELINE_NAMES, *self.runs], settings)
        self.plots, self.budget = plots, settings["budget"]
        self.spent = budget_words(len(chosen), settings["seeds"], self.budget)

    def steps(self) -> Iterator[Step]:
        yield "agents", lambda: self.spent
        yield from super().steps()

    def measure(self, name: str) -> Row:
        if name in BASELINE_NAMES:
            return Row(
                name, facts={"contestant": name, "seed": self.settings["seed"]} | _played(name, self.settings["seed"])
            )
        contestant, seed = self.runs[name]
        facts = {"contestant": contestant.name, "seed": seed}
        return Row(name, facts=facts | _trained(contestant, seed, self.budget))

    def in_short(self, row: Row) -> str:
        return f"{row.facts['final']}"

    def summary(self, rows: Sequence[Row]) -> Summary:
        known = summarize(rows)
        return known | summarize_agents(rows)

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        cells = []
        for name, own in sorted(summarize_agents(rows).items(), key=lambda entry: -(entry[1]["final"] or -1)):
            ends = (number(own[key], 3) for key in ("final", "spread"))
            cells.append([name, str(own["seeds"]), f"{own['steps']:.0f}", *ends])
        print_table(console, ["learner", "seeds", "steps", "return", "spread"], cells)
        print_lines(console, [self.spent, *closing(summary)[1:]])

    def drawings(self, rows: Sequence[Row], summary: Summary) -> Mapping[str, Callable[[Any], None]]:
        return {"agents": lambda axes: _draw(axes, summarize_agents(rows), self.budget)}


BASELINE_NAMES = (*(name for name in BASELINES if name not in ("constant", "played-teacher")), BLIND)
"""The constant of the families is not of these products: the cross-entropy search finds theirs."""


def _played(name: str, seed: int) -> dict[str, Any]:
    """What a baseline gains in the mean on the held-out products, by the model of rewards."""
    began = time.monotonic()
    machine = machine_named(REFERENCE)
    processes = [_opened(product) for product in sample(PRODUCTS, HELD_OUT, seed, "test")]
    if name == BLIND:
        models = (ModelledPrograms(machine),)
        known = [Ground(_opened(product), models) for product in sample(PRODUCTS, HELD_OUT, seed, "train")]
        _, actions = cross_entropy(known, TRIALS, LENGTH, seed)
        gain = mean_gain([Ground(process, models) for process in processes], actions)
    else:
        tasks = [Task.of(process, machine) for process in processes]
        gain = mean(task.gain(baseline(name)(task, seed).state) for task in tasks)
    final = round(gain, 4)
    return {"steps": 0, "seconds": round(time.monotonic() - began, 1), "final": final, "curve": [final] * POINTS}


def _opened(product: Workload) -> AnyCursor:
    return open_cursor(product.name, None, length=LENGTH)


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
            f"--against: there is no learner {min(unknown)!r}; there are {', '.join(COMPARED)}, what they see is "
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


def summarize_agents(rows: Sequence[Row]) -> dict[str, Any]:
    """For each contestant mean and spread over the seeds: of the end, and of every point of the curve."""
    every = [row.facts for row in rows if row.failed is None]
    result: dict[str, Any] = {}
    for name in dict.fromkeys(facts["contestant"] for facts in every):
        own = [facts for facts in every if facts["contestant"] == name]
        ends = [facts["final"] for facts in own if facts["final"] is not None]
        points = [
            [v for v in values if v is not None] for values in zip(*(facts["curve"] for facts in own), strict=True)
        ]
        result[name] = {
            "seeds": len(own),
            "steps": mean(facts["steps"] for facts in own),
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
