"""Training of gradient-boosted trees by lightgbm: on seconds, or on which of a program's schedules is the faster.

    rank    sum over pairs of log(1 + exp(-sign(c_i - c_j) (f_i - f_j))), the paper's, of schedules of one program
    seconds the relative error of seconds, by its square while it is small and by its size where it is not

Either way a tree's score is of one chain, by what power of two it takes longer than the analytic model says, so that
learning corrects the model, and a statement that a schedule spoils is seen whatever the others take.

References:
    Chen et al., "Learning to Optimize Tensor Programs", NeurIPS 2018, sections 3 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.errors import PolyloopError
from polyloop.models.features import Figures, Table
from polyloop.models.forest import Forest, Scores, forest_of

Objective: TypeAlias = Literal["rank", "seconds"]


class TrainingError(PolyloopError):
    """Trees cannot be trained here; the message says what is missing."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Measured programs as figures.

    Attributes:
        table: what models see of each, and the analytic model's seconds.
        seconds: measured.
        groups: of each, the number of what it is a schedule of.
    """

    table: Table
    seconds: Scores
    groups: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.seconds)

    def some(self, at: NDArray[Any]) -> Examples:
        """Those at some positions, in that order."""
        return Examples(self.table.some(at), self.seconds[at], self.groups[at])

    @staticmethod
    def of(figures: Sequence[Figures], seconds: Sequence[float], groups: Sequence[int]) -> Examples:
        return Examples(Table.of(figures), np.array(seconds, np.float64), np.array(groups, np.int64))


@dataclass(frozen=True)
class Settings:
    """Of training.

    Attributes:
        trees: how many; `depth`: of the deepest path; `leaves`: of a tree at most.
        rate: share of what a tree would change that it does.
        least: rows of a leaf at least; `share`: of the columns, those that a tree sees.
        threads: of lightgbm.
    """

    trees: int = 800
    depth: int = 7
    leaves: int = 127
    rate: float = 0.1
    least: int = 12
    share: float = 0.3
    threads: int = 1


def needs_lightgbm() -> None:
    """Look for the library that trains, and leave it alone: it takes half a second to load, in which a search has
    measured its first programs.

    Raises:
        TrainingError: where it is not installed; says what to install.
    """
    if find_spec("lightgbm") is None:
        raise TrainingError("trees are trained by lightgbm: pip install 'polyloop[cost]'")


def train(
    examples: Examples, objective: Objective = "seconds", settings: Settings | None = None, *, seed: int = 0
) -> Forest:
    """Trees that say of each chain log2 of its seconds over the model's: a program's are the sum of its chains'.

    To learn what others do not know, as f_local does over f_global, give examples whose table they have corrected
    (`Table.times`).

    Raises:
        TrainingError: without lightgbm, and without examples.
    """
    needs_lightgbm()
    import lightgbm as library

    chosen = settings or Settings()
    if len(examples) < 2:
        raise TrainingError("there is nothing to learn from: two measured schedules at least")
    data = examples.some(np.argsort(examples.groups, kind="stable"))
    bias = 0.0 if objective == "rank" else float((np.log2(data.seconds) - data.table.logs).mean())
    gradients = _ranking(data) if objective == "rank" else _regression(data)
    parameters = {
        "objective": _of_chains(data.table, bias, gradients),
        "num_leaves": chosen.leaves,
        "max_depth": chosen.depth,
        "learning_rate": chosen.rate,
        "min_data_in_leaf": min(chosen.least, max(1, len(data) // 8)),
        "feature_fraction": chosen.share,
        "lambda_l2": 1.0,
        "max_bin": 127,
        "verbosity": -1,
        "num_threads": chosen.threads,
        "deterministic": True,
        "force_col_wise": True,
        "boost_from_average": False,
        "seed": seed,
    }
    rows = library.Dataset(data.table.rows, np.zeros(len(data.table.rows)), free_raw_data=False)
    booster = library.train(parameters, rows, num_boost_round=chosen.trees)
    return forest_of(booster.dump_model()["tree_info"], chosen.depth, bias)


_Gradients: TypeAlias = Callable[[Scores], tuple[Scores, Scores]]
"""First and second derivatives of a loss by log2 of each program's seconds."""


def _of_chains(table: Table, bias: float, gradients: _Gradients) -> Callable[[Scores, Any], tuple[Scores, Scores]]:
    """By the score of each chain: its share of the program's seconds is how much the program's logarithm moves."""

    def derivatives(scores: Scores, _: Any) -> tuple[Scores, Scores]:
        said = table.times(scores + bias)
        logs = said.logs
        shares = said.seconds / np.exp2(logs)[table.owners]
        first, second = gradients(logs)
        return first[table.owners] * shares, second[table.owners] * shares + 1e-6

    return derivatives


_FAR = 0.2
"""From which relative error of seconds on errors count by their size and not by its square: neighbours disturb
measurements, and no figure tells all that some programs do."""


def _regression(examples: Examples) -> _Gradients:
    """Of the pseudo-Huber loss of said / measured - 1, which is how a model's errors are counted.

    The second derivative is that of Gauss and Newton's approximation, with the weights of what is far off (Charbonnier
    et al., "Deterministic edge-preserving regularization in computed imaging", 1997).
    """
    measured = np.log2(examples.seconds)

    def gradients(logs: Scores) -> tuple[Scores, Scores]:
        ratio = np.exp2(np.clip(logs - measured, -3.0, 2.0))
        weights = ratio / np.hypot(1.0, (ratio - 1.0) / _FAR)
        return (ratio - 1.0) / np.log(2.0) * weights, ratio * weights

    return gradients


def _ranking(examples: Examples) -> _Gradients:
    """Of the pairwise loss; every program weighs as much as it has schedules."""
    starts = np.flatnonzero(np.diff(examples.groups, prepend=examples.groups[0] - 1))
    counts = np.diff([*starts, len(examples)])
    costs = np.log2(examples.seconds)
    # Programs with equally many schedules together, and by short numbers: a third of the time.
    places = [starts[counts == count][:, None] + np.arange(count) for count in np.unique(counts)]
    together = [(at, np.sign(costs[at][:, :, None] - costs[at][:, None, :]).astype(np.float32)) for at in places]

    def gradients(logs: Scores) -> tuple[Scores, Scores]:
        first, second = np.zeros_like(logs), np.zeros_like(logs)
        for at, sign in together:
            some = logs[at].astype(np.float32)
            wrong = 1.0 / (1.0 + np.exp(np.clip(sign * (some[:, :, None] - some[:, None, :]), -30, 30)))
            pairs = max(1, at.shape[1] - 1)
            first[at] = -(sign * wrong).sum(2) / pairs
            second[at] = (np.abs(sign) * wrong * (1.0 - wrong)).sum(2) / pairs
        return first, second

    return gradients
