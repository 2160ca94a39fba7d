"""The learned cost model: seconds and ranks of programs by trees, and how well a model does on measured ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from polyloop.cursor.base import Problem, Program
from polyloop.cursor.model import NestModel, nest_model
from polyloop.errors import PolyloopError
from polyloop.models.dataset import Dataset
from polyloop.models.features import VERSION, Figures, Table, program_features
from polyloop.models.forest import Forest, Scores, Weights
from polyloop.models.programs import problem_of
from polyloop.models.schedules import read_schedule
from polyloop.models.training import Examples, Objective, Settings, train

SHIPPED = Path(__file__).parents[1] / "data" / "weights" / "trees.safetensors"

RANKS = 0.25
"""How much forests that put schedules in order say beside those of seconds. Pairs in order are the surer, the further
they lie apart: such scores spread about three times as much."""


@dataclass(frozen=True, eq=False)
class TreeModel:
    """Trees for one machine.

    Attributes:
        seconds: forests whose mean is log2 of a chain's seconds over the analytic model's.
        rank: the same, up to a factor, of forests that put a program's schedules in order; empty: the seconds do alone.
        model: the analytic one, of the machine.
    """

    seconds: tuple[Forest, ...]
    rank: tuple[Forest, ...]
    model: NestModel

    def predict(self, table: Table) -> Scores:
        """Seconds of programs by their features."""
        return np.exp2(table.times(mean(self.seconds, table)).logs)

    def order(self, table: Table) -> Scores:
        """What puts schedules of one program in order: the smaller, the faster. Both kinds of forests have their say:
        they err on different programs."""
        scores = table.times(mean(self.seconds, table)).logs
        return scores if not self.rank else (1 - RANKS) * scores + RANKS * table.times(mean(self.rank, table)).logs

    def of_programs(self, problem: Problem, programs: Sequence[Program]) -> Scores:
        """Seconds of programs of one problem."""
        return self.predict(Table.of([program_features(problem, program, self.model) for program in programs]))


def mean(forests: Sequence[Forest], table: Table) -> Scores:
    """Of what forests say of each row; 0 where there are none."""
    scores: Scores = sum((f.scores(table.rows) for f in forests), np.zeros(len(table.rows))) / max(1, len(forests))
    return scores


@cache
def shipped_weights(path: Path = SHIPPED) -> Weights:
    """
    Raises:
        WeightsError: where there are none.
    """
    return Weights.load(path, VERSION)


def tree_model(model: NestModel, weights: Weights | None = None) -> TreeModel:
    """The shipped trees for a machine.

    Raises:
        WeightsError: where there are none.
    """
    found = weights or shipped_weights()
    return TreeModel(found.ensemble("seconds"), found.ensemble("rank"), model)


def examples_of(dataset: Dataset) -> Examples:
    """A data set as figures: each program of one machine is a group. What does not read back any more is left out."""
    figures: list[Figures] = []
    seconds, groups = list[float](), list[int]()
    for number, ((text, machine), measured) in enumerate(dataset.by_program().items()):
        model = nest_model(dataset.machines[machine])
        try:
            problem = problem_of(text)
        except PolyloopError:
            continue
        for row in measured:
            try:
                figures.append(program_features(problem, read_schedule(problem, row.schedule), model))
            except PolyloopError:
                continue
            seconds.append(row.seconds)
            groups.append(number)
    return Examples.of(figures, seconds, groups)


def fingerprint(program: str) -> str:
    """Of a program's text: weights list what they have learnt from."""
    return sha256(program.encode()).hexdigest()[:10]


def fit(dataset: Dataset, members: int = 2, settings: Settings | None = None, seed: int = 0) -> Weights:
    """Weights of a data set's programs: forests of both objectives. Those of one differ in which columns their trees
    see; each learns from all programs, for what is not known of a program is what most errors come from.

    Raises:
        TrainingError: without lightgbm.
    """
    examples = examples_of(dataset)
    forests: dict[str, Forest] = {}
    objectives: tuple[Objective, ...] = ("seconds", "rank")
    for objective in objectives:
        made = (train(examples, objective, settings, seed=seed + member) for member in range(members))
        forests |= {f"{objective}{k}": forest for k, forest in enumerate(made)}
    return Weights(forests, facts_of(dataset, examples, seed))


def facts_of(dataset: Dataset, examples: Examples, seed: int) -> dict[str, Any]:
    """What weights say of what they have learnt from."""
    return {
        "features": VERSION,
        "schedules": len(examples),
        "machines": sorted(dataset.machines),
        "programs": sorted({fingerprint(program) for program, _ in dataset.by_program()}),
        "seed": seed,
    }
