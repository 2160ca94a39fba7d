"""The suite ``agents``: the learners with the same budget on the same problems, as in LoopTune's figure 7.

Every learner sees the graph, and the rows of features; PPO also the graph without its edges, so that it shows what they
give. All train on the model, some seeds each. A curve is the mean return of the last 100 episodes, read at fixed shares
of the budget.

Beside them stands what learns nothing (`polyloop.search.cursor.baselines`), on the products that are held out: the best
sequence that a cross-entropy search finds to be played everywhere, random walks that the model chooses from, searches
of neighbours, the teacher. A learner that does not come above the first has learnt nothing that needs eyes.

With ``--split`` the problems are those of many families on many machines, and what counts is what the policy's
likeliest walk gains on those that the split holds out. Two learners, of which one copies the teacher and the other is
told nothing, see graphs or rows: with the same budget the difference is what they see. Graphs without their edges, and
both without the machine, show what these give. A curve is then of cases like those that are trained on.
"""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, pstdev
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rich.console import Console

from polyloop.backend.machine.machine import machine_named
from polyloop.bench.harness import RowBench, Step, Summary
from polyloop.bench.report import closing, number, print_lines, print_table, summarize
from polyloop.bench.rows import Row
from polyloop.cursor.actions import Actions
from polyloop.cursor.base import AnyCursor
from polyloop.cursor.model import REFERENCE
from polyloop.envs.cursor_problems import open_case, open_cursor
from polyloop.gnn.policies import COMPARED
from polyloop.measure.programs import ModelledPrograms
from polyloop.registration import CURSOR, CURSOR_1
from polyloop.search.cursor.baselines import BASELINES, Task, baseline
from polyloop.search.cursor.constants import Ground, cross_entropy, mean_gain
from polyloop.shipped.families import Case, held_out_cases, split
from polyloop.shipped.workloads import PRODUCTS, Workload, sample
from polyloop.terminal.errors import UsageError
from polyloop.terminal.learning import needs_torch

if TYPE_CHECKING:
    from polyloop.gnn.training import TrainingSettings

HELD_OUT, TRIALS, LENGTH = 24, 3000, 10
"""Products that baselines are tried on, sequences that the cross-entropy search plays, and steps of an episode."""

TESTED, EACH, DRAWN, LONG, LOOK = 32, 100, 2000, 16, 2500
"""Of a split: held-out cases that count in the end, problems of each family and contractions of none to learn from,
steps of an episode, and of a run between two looks at the policy."""

TOGETHER, ROW = 16, 4
"""Environments of a learner by trial, and episodes of a problem before the next is drawn."""

BLIND, KNOWN = "cross-entropy", 45
"""The best sequence that the cross-entropy method finds, played blindly; of a split, on so many cases to train on."""

BUDGET, SEEDS, POINTS = 60.0, 2, 20
"""Seconds of a run, seeds of a contestant, and points of a curve; LoopTune's figure has hours, ``--budget 600`` ten
minutes."""


@dataclass(frozen=True)
class Contestant:
    """What learns: a learner, what it sees, whether the graph has edges, and whether the machine stands beside it."""

    algorithm: str
    encoder: str
    edges: bool = True
    machine: bool = True

    @property
    def seen(self) -> str:
        known = {"vector": "rows", "rows": "rows", "attention": "attention"}
        return known.get(self.encoder, "graph" if self.edges else "edgeless")

    @property
    def name(self) -> str:
        seen = "graph without edges" if self.seen == "edgeless" else self.seen
        return f"{self.algorithm}, {seen}{'' if self.machine else ' without the machine'}"

    @property
    def called(self) -> tuple[str, ...]:
        """What ``--against`` may call it; the first two are others', too."""
        return self.algorithm, self.seen, f"{self.algorithm}/{self.seen}"

    def settings(self, seed: int, split: str | None = None, steps: int | None = None) -> TrainingSettings:
        """Those of a run: the learner's defaults, everything else alike.

        Args:
            split: of families; None for LoopTune's products.
            steps: of a whole run; None leaves its end to the clock.
        """
        from polyloop.gnn.encoders import EncoderSettings
        from polyloop.gnn.environments import EnvironmentSettings
        from polyloop.gnn.training import TrainingSettings

        observation = {"vector": "vector", "rows": "rows", "attention": "rows"}.get(self.encoder, "graph")
        arguments = {"evaluator": "model", "observation": observation, "length": LENGTH}
        environment = EnvironmentSettings(CURSOR, arguments, ({"set": PRODUCTS},), 8)
        encoder = EncoderSettings(self.encoder, width=64, layers=2, edges=self.edges, machine=self.machine)  # type: ignore[arg-type]
        if split is None:
            return TrainingSettings(environment, self.algorithm, encoder, seed=seed, steps=steps)  # type: ignore[arg-type]
        problems = tuple(each | {"machine": "random"} for each in ({"split": split, "each": EACH}, {"drawn": DRAWN}))
        seen = arguments | {"length": LONG, "returns": "best"}
        environment = EnvironmentSettings(CURSOR_1, seen, problems, TOGETHER, row=ROW)
        return TrainingSettings(
            environment,
            self.algorithm,  # type: ignore[arg-type]
            replace(encoder, layers=3),
            seed=seed,
            rate_end=0.05,
            steps=steps,
            checkpoint=LOOK,
            held_out=HELD_OUT,
        )


CONTESTANTS = (
    *(Contestant(algorithm, "gine") for algorithm in COMPARED),
    *(Contestant(algorithm, "vector") for algorithm in COMPARED),
    Contestant("ppo", "gine", edges=False),
)


SEEING = (
    *(Contestant("dagger", kind) for kind in ("transformer", "rows", "attention")),
    Contestant("dagger", "transformer", edges=False),
    *(Contestant("dagger", kind, machine=False) for kind in ("transformer", "rows")),
    *(Contestant("expert", kind) for kind in ("transformer", "rows")),
    Contestant("expert", "transformer", edges=False),
    *(Contestant("expert", kind, machine=False) for kind in ("transformer", "rows")),
    *(Contestant("ppo", kind) for kind in ("transformer", "rows")),
)
"""One that a teacher leads, one that a search leads, and one that learns by trial alone, with other eyes each."""


def bench(arguments: Namespace) -> Agents:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for unknown contestants.
        PolyloopError: without torch, or if there is no such split.
    """
    if arguments.split is not None:
        split(arguments.split)  # so that an unknown name is found before anything starts
    chosen = contestants(arguments.against, CONTESTANTS if arguments.split is None else SEEING)
    needs_torch("the suite agents")
    seeds, steps = arguments.rounds or SEEDS, arguments.steps
    budget = arguments.budget or (BUDGET if steps is None else float("inf"))
    settings = {"seed": arguments.seed, "seeds": seeds, "split": arguments.split, "steps": steps}
    settings |= {"budget": None if budget == float("inf") else budget, "set": PRODUCTS}
    return Agents(chosen, settings, arguments.plots)


class Agents(RowBench):
    """Every contestant with every seed, and every baseline once."""

    def __init__(self, chosen: Sequence[Contestant], settings: Mapping[str, Any], plots: str | None) -> None:
        seeds = range(settings["seed"], settings["seed"] + settings["seeds"])
        self.runs = {f"{each.name}, seed {seed}": (each, seed) for seed in seeds for each in chosen}
        self.split, self.limit = settings.get("split"), settings.get("steps")
        super().__init__([*baseline_names(self.split), *self.runs], settings)
        self.plots, self.budget = plots, settings["budget"]
        self.spent = budget_words(len(chosen), settings["seeds"], self.budget, self.limit)

    def steps(self) -> Iterator[Step]:
        yield "agents", lambda: self.spent
        yield from super().steps()

    def measure(self, name: str) -> Row:
        if name not in self.runs:
            seed = self.settings["seed"]
            return Row(name, facts={"contestant": name, "seed": seed} | _played(name, seed, self.split))
        contestant, seed = self.runs[name]
        facts = {"contestant": contestant.name, "seed": seed}
        return Row(name, facts=facts | _trained(contestant, seed, self.budget, self.split, self.limit))

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
        gained = "return" if self.split is None else "gain"
        print_table(console, ["learner", "seeds", "steps", gained, "spread"], cells)
        print_lines(console, [self.spent, *closing(summary)[1:]])

    def drawings(self, rows: Sequence[Row], summary: Summary) -> Mapping[str, Callable[[Any], None]]:
        unit = "steps" if self.budget is None else "seconds"
        whole = float(self.budget or self.limit or 0)
        return {"agents": lambda axes: _draw(axes, summarize_agents(rows), whole, unit)}


BASELINE_NAMES = (*(name for name in BASELINES if name not in ("constant", "played-teacher")), BLIND)
"""The constant of the families is not of these products: the cross-entropy search finds theirs."""


def baseline_names(split: str | None) -> tuple[str, ...]:
    """What stands beside the learners."""
    if split is None:
        return BASELINE_NAMES
    return *(name for name in BASELINES if name != "played-teacher"), BLIND


def _played(name: str, seed: int, split: str | None) -> dict[str, Any]:
    """What a baseline gains in the mean on what is held out, by the model."""
    began = time.monotonic()
    gain = _gained(name, seed) if split is None else _gained_on_cases(name, seed, split)
    final = round(gain, 4)
    return {"steps": 0, "seconds": round(time.monotonic() - began, 1), "final": final, "curve": [final] * POINTS}


def _gained_on_cases(name: str, seed: int, name_of_split: str) -> float:
    cases = held_out_cases(name_of_split, limit=TESTED)
    if name == BLIND:
        step = max(len(known := split(name_of_split).train) // KNOWN, 1)
        _, actions = cross_entropy([_ground(case) for case in known[::step]], TRIALS, LONG, seed)
        return mean_gain([_ground(case) for case in cases], actions)
    tasks = [Task.of(_opened_case(case), machine_named(case.machine)) for case in cases]
    return mean(task.gain(baseline(name)(task, seed).state) for task in tasks)


def _gained(name: str, seed: int) -> float:
    machine = machine_named(REFERENCE)
    processes = [_opened(product) for product in sample(PRODUCTS, HELD_OUT, seed, "test")]
    if name == BLIND:
        models = (ModelledPrograms(machine),)
        known = [Ground(_opened(product), models) for product in sample(PRODUCTS, HELD_OUT, seed, "train")]
        _, actions = cross_entropy(known, TRIALS, LENGTH, seed)
        return mean_gain([Ground(process, models) for process in processes], actions)
    tasks = [Task.of(process, machine) for process in processes]
    return mean(task.gain(baseline(name)(task, seed).state) for task in tasks)


def _opened_case(case: Case) -> AnyCursor:
    return open_case(case, Actions.of("native", stop=True), LONG)


def _ground(case: Case) -> Ground:
    return Ground(_opened_case(case), (ModelledPrograms(machine_named(case.machine)),))


def _opened(product: Workload) -> AnyCursor:
    return open_cursor(product.name, None, length=LENGTH)


def contestants(given: str | None, every: Sequence[Contestant] = CONTESTANTS) -> tuple[Contestant, ...]:
    """Those of these learners, of these observations, or of both (ppo/graph); all by default.

    Raises:
        UsageError: for what none of them is called.
    """
    if given is None:
        return tuple(every)
    names = {name for name in given.split(",") if name}
    if unknown := names - {name for contestant in every for name in contestant.called}:
        algorithms, seen = (dict.fromkeys(each.called[k] for each in every) for k in (0, 1))
        raise UsageError(
            f"--against: there is no learner {min(unknown)!r}; there are {', '.join(algorithms)}, what they see is "
            f"{' or '.join(seen)}, and {every[0].called[2]} is one of them"
        )
    return tuple(contestant for contestant in every if names & set(contestant.called))


def _trained(
    contestant: Contestant, seed: int, budget: float | None, split: str | None, steps: int | None
) -> dict[str, Any]:
    from polyloop.gnn.agent import Agent
    from polyloop.gnn.held_out import HeldOut
    from polyloop.gnn.training import train

    with TemporaryDirectory() as folder:
        settings = contestant.settings(seed, split, steps)
        end = train(settings, Path(folder), seconds=budget or float("inf"))
        lines = [json.loads(line) for line in (Path(folder) / "curve.jsonl").read_text().splitlines()]
        final: float | None = None if end.mean_return != end.mean_return else end.mean_return
        if split is not None:
            final = HeldOut(held_out_cases(split, limit=TESTED), settings.environment).gain(
                Agent.load(Path(folder)).network
            )
    spent, whole = ("steps", steps) if budget is None else ("seconds", budget)
    return {
        "steps": end.steps,
        "seconds": round(end.seconds, 1),
        "final": None if final is None else round(final, 4),
        "curve": curve(lines, whole or end.steps, spent, "mean_return" if split is None else "held_out"),
    }


def curve(
    lines: Sequence[dict[str, Any]], budget: float, spent: str = "seconds", figure: str = "mean_return"
) -> list[float | None]:
    """A figure at each share of the budget: as of the last report by then that has it, None before the first.

    Args:
        spent: "seconds" or "steps", of which `budget` are spent in all.
    """
    known = [line for line in lines if line.get(figure) is not None]
    result: list[float | None] = []
    for point in range(1, POINTS + 1):
        before = [line[figure] for line in known if min(line[spent], budget) <= budget * point / POINTS]
        result.append(before[-1] if before else None)
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


def budget_words(contestants: int, seeds: int, budget: float | None, steps: int | None = None) -> str:
    """What the suite spends."""
    runs = f"{contestants} learners x {seeds} seeds (--rounds)"
    if budget is None:
        return f"{runs} x {steps} steps (--steps)"
    return f"{runs} x {budget:g} s (--budget): {contestants * seeds * budget / 60:.0f} minutes"


def _draw(axes: Any, figures: dict[str, Any], budget: float, unit: str) -> None:
    for name, own in figures.items():
        known = [k for k, value in enumerate(own["curve"]) if value is not None]
        times = [budget * (k + 1) / POINTS for k in known]
        middle, spread = [own["curve"][k] for k in known], [own["curve_spread"][k] for k in known]
        (line,) = axes.plot(times, middle, label=name)
        low, high = ([m + sign * s for m, s in zip(middle, spread, strict=True)] for sign in (-1, 1))
        axes.fill_between(times, low, high, color=line.get_color(), alpha=0.2)
    axes.set(xlabel=unit, ylabel="mean return (share of the peak gained)")
    axes.legend(fontsize="small")
