"""The suite ``models``: how well cost models order, and time, schedules that are also measured.

Programs are random ones that no shipped weights have learnt from, or those of a set; random schedules of each are
measured `LOOKS` times, in rounds one after the other, and the shortest time counts. Figures are of the schedules of one
program, and the summary has their means over programs: of the analytic model, of the shipped trees, of the shipped
TreeGRU where torch is installed, and of the seconds of every other look, in how they put those of the others in order,
which is about as good as any model can be seen to be here. It also says how many programs a second each model predicts,
from their features and with making these, in a second of one core.
"""

from __future__ import annotations

import time
import zlib
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

import numpy as np
from rich.console import Console

from polyloop.backend.machine.host import host_target
from polyloop.bench.harness import RowBench, Summary
from polyloop.bench.report import number, print_lines, print_table, summarize
from polyloop.bench.rows import Row
from polyloop.cursor.model import nest_model
from polyloop.errors import PolyloopError, counted
from polyloop.measure.database import Database
from polyloop.measure.measured_programs import MeasuredPrograms
from polyloop.measure.result import Measurement
from polyloop.models.features import Table, program_features
from polyloop.models.forest import WeightsError
from polyloop.models.learned import fingerprint, shipped_weights, tree_model
from polyloop.models.programs import problem_of, random_program
from polyloop.models.schedules import random_schedules
from polyloop.models.scores import Score, mean_score, score, spearman
from polyloop.shipped.workloads import PRODUCTS, UnknownWorkloadError, Workload, sample, workload_sets
from polyloop.terminal.errors import UsageError

FRESH = "fresh"
LOOKS = 4
"""At every schedule: neighbours disturb data in a cache that is shared for longer than a look takes."""
_PROGRAMS = 21
_SETS = {"looptune-test": (PRODUCTS, "test"), "looptune": (PRODUCTS, "train")}
_FIRST = 1_000_000
"""Numbers of random programs begin here: data sets have the smaller ones of a seed."""


def bench(arguments: Namespace) -> Models:
    """The suite as the command line asks for it.

    Raises:
        UsageError: for a set that there is not.
    """
    settings = {"programs": arguments.programs, "seed": arguments.seed, "samples": arguments.samples}
    count = arguments.limit or _PROGRAMS
    if arguments.programs == FRESH:
        return Models(fresh_programs(count, arguments.seed), settings)
    return Models({w.name: program_text(w) for w in problems(arguments.programs, count, arguments.seed)}, settings)


class Models(RowBench):
    """Programs by name, with some schedules of each."""

    def __init__(self, programs: Mapping[str, str], settings: Mapping[str, Any]) -> None:
        super().__init__(list(programs), settings)
        self.programs, self.measured = programs, MeasuredPrograms(database=Database(None))
        self.analytic = nest_model(host_target().machine)
        try:
            self.learned: dict[str, Any] = {"trees": tree_model(self.analytic)}
        except WeightsError:
            self.learned = {}
        if find_spec("torch") is not None:
            from polyloop.gnn.cost_model import SHIPPED, TreeGRUModel  # torch takes seconds to load

            if SHIPPED.exists():
                self.learned["treegru"] = TreeGRUModel.load()

    def measure(self, name: str) -> Row:
        problem = problem_of(self.programs[name])
        rng = np.random.default_rng([self.settings["seed"], zlib.crc32(name.encode())])
        drawn = list(random_schedules(problem, rng, self.settings["samples"], host_target()).values())
        looks: list[list[Measurement]] = [[] for _ in drawn]
        for _ in range(LOOKS):
            for program, found in zip(drawn, looks, strict=True):
                if all(look.ran for look in found):
                    found.append(self.measured.evaluate(problem, program))
            self.measured.forget()
        ran = [k for k, found in enumerate(looks) if found[-1].ran]
        if len(ran) < 3:
            raise PolyloopError(f"{self.programs[name]}: fewer than three of its schedules can be measured")
        times = np.array([[look.minimum for look in looks[k]] for k in ran])
        seconds, halves = times.min(1).tolist(), [times[:, first::2].min(1).tolist() for first in (0, 1)]
        began = time.process_time()
        table = Table.of([program_features(problem, drawn[k], self.analytic) for k in ran])
        took = {"features": time.process_time() - began}
        modelled = np.exp2(table.logs).tolist()
        scores = {"analytic": score(modelled, modelled, seconds)}
        for kind, model in self.learned.items():
            began = time.process_time()
            predicted = model.predict(table).tolist()
            took[kind] = time.process_time() - began
            scores[kind] = score(model.order(table).tolist(), predicted, seconds)
        facts = {"program": self.programs[name], "schedules": len(ran), "again": spearman(*halves), "took": took}
        return Row(name, facts={**facts, "models": {model: asdict(each) for model, each in scores.items()}})

    def close(self) -> None:
        self.measured.close()

    def in_short(self, row: Row) -> str:
        found = ", ".join(f"{name} {number(s['rank_correlation'])}" for name, s in row.facts["models"].items())
        return f"{row.facts['schedules']} schedules, rank correlation: {found}"

    def summary(self, rows: Sequence[Row]) -> Summary:
        return summarize_models(rows)

    def show(self, console: Console, rows: Sequence[Row], summary: Summary) -> None:
        heads = ("rank_correlation", "mape", "top1", "top5")
        cells = [[name, *(number(figures[head]) for head in heads)] for name, figures in summary["models"].items()]
        print_table(console, ["model", "rank correlation", "error of seconds", "best of 1", "best of 5"], cells)
        rates = [
            [name, *(number(each[head], 0) for head in ("from_features", "with_features"))]
            for name, each in summary["a_second"].items()
        ]
        print_table(console, ["programs a second", "from features", "with making these"], rates)
        schedules, programs = (counted(summary[f"{noun}s"], noun) for noun in ("schedule", "program"))
        again = number(summary["again"])
        print_lines(console, [f"{schedules} of {programs}, within programs; half of the looks by the others: {again}"])


def fresh_programs(count: int, seed: int) -> dict[str, str]:
    """Random programs that the shipped weights have not seen, by name."""
    try:
        known = frozenset(shipped_weights().facts.get("programs", ()))
    except WeightsError:
        known = frozenset()
    found: dict[str, str] = {}
    at = _FIRST
    while len(found) < count:
        made = random_program(np.random.default_rng([seed, at]))
        if fingerprint(made.text) not in known:
            found[f"{made.family}-{at - _FIRST}"] = made.text
        at += 1
    return found


def program_text(workload: Workload) -> str:
    """A shipped workload as `problem_of` reads it."""
    return f"float32{''.join(f' {name}={value}' for name, value in workload.sizes)}: {workload.expression}"


def problems(name: str, count: int, seed: int) -> tuple[Workload, ...]:
    """Some problems of a set.

    Raises:
        UsageError: for an unknown set.
    """
    if name in _SETS:
        whole, split = _SETS[name]
        return sample(whole, count, seed, "test" if split == "test" else "train")
    try:
        return sample(name, count, seed)
    except UnknownWorkloadError as error:
        known = ", ".join((FRESH, *_SETS, *workload_sets()))
        raise UsageError(f"--programs: there is no set {name!r}; there are {known}") from error


def summarize_models(rows: Sequence[Row]) -> Summary:
    """The means over programs."""
    good = [row for row in rows if row.failed is None]
    names = dict.fromkeys(name for row in good for name in row.facts["models"])
    again = [row.facts["again"] for row in good if row.facts["again"] is not None]
    scores = {name: [Score(**r.facts["models"][name]) for r in good if name in r.facts["models"]] for name in names}
    schedules = sum(row.facts["schedules"] for row in good)
    took = {kind: sum(row.facts["took"][kind] for row in good) for kind in (good[0].facts["took"] if good else ())}
    features = took.pop("features", 0.0)
    return summarize(rows) | {
        "programs": len(good),
        "schedules": schedules,
        "a_second": {
            kind: {"from_features": schedules / alone, "with_features": schedules / (alone + features)}
            for kind, alone in took.items()
        },
        "again": sum(again) / len(again) if again else None,
        "models": {name: mean_score(each) for name, each in scores.items()},
    }
