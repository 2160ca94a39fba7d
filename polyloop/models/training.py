"""Training of gradient-boosted trees by lightgbm: on seconds, or on which of a program's schedules is the faster.

    rank    sum over pairs of log(1 + exp(-sign(c_i - c_j) (f_i - f_j))), the paper's, of schedules of one program
    seconds squares of log2(seconds / the analytic model's), so that learning corrects the model

Ensembles are trained on programs drawn with replacement; the spread of what they say is how sure they are.

References:
    Chen et al., "Learning to Optimize Tensor Programs", NeurIPS 2018, sections 3 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyloop.errors import PolyloopError
from polyloop.models.features import matrix
from polyloop.models.forest import Forest, Rows, Scores, forest_of

Objective: TypeAlias = Literal["rank", "seconds"]


class TrainingError(PolyloopError):
    """Trees cannot be trained here; the message says what is missing."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Measured programs as figures.

    Attributes:
        rows: features, one row for a schedule.
        modelled, seconds: the analytic model's, and the measured ones.
        groups: of every row, the number of its program.
    """

    rows: Rows
    modelled: Scores
    seconds: Scores
    groups: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.seconds)

    def some(self, at: NDArray[Any]) -> Examples:
        """Those at some positions, in that order."""
        return Examples(self.rows[at], self.modelled[at], self.seconds[at], self.groups[at])

    @staticmethod
    def of(
        rows: Sequence[Sequence[float]], modelled: Sequence[float], seconds: Sequence[float], groups: Sequence[int]
    ) -> Examples:
        return Examples(
            matrix(rows), np.array(modelled, np.float64), np.array(seconds, np.float64), np.array(groups, np.int64)
        )


@dataclass(frozen=True)
class Settings:
    """Of training.

    Attributes:
        trees: how many; `depth`: of the deepest path; `leaves`: of a tree at most.
        rate: share of what a tree would change that it does.
        least: rows of a leaf at least; `share`: of the columns, those that a tree sees.
        threads: of lightgbm.
    """

    trees: int = 250
    depth: int = 7
    leaves: int = 40
    rate: float = 0.05
    least: int = 12
    share: float = 0.5
    threads: int = 1


def lightgbm() -> Any:
    """The library.

    Raises:
        TrainingError: where it is not installed; says what to install.
    """
    try:
        import lightgbm
    except ImportError as error:
        raise TrainingError("trees are trained by lightgbm: pip install 'polyloop[cost]'") from error
    return lightgbm


def train(
    examples: Examples,
    objective: Objective = "seconds",
    settings: Settings | None = None,
    *,
    seed: int = 0,
    offset: Scores | None = None,
) -> Forest:
    """Trees whose scores are the smaller, the faster a program is: log2 of seconds over the model's for "seconds".

    Args:
        offset: what others say of the same scores: the trees learn what is missing, as f_local does over f_global.
    Raises:
        TrainingError: without lightgbm, and without examples.
    """
    library, chosen = lightgbm(), settings or Settings()
    if len(examples) < 2:
        raise TrainingError("there is nothing to learn from: two measured schedules at least")
    order = np.argsort(examples.groups, kind="stable")
    sorted_ = examples.some(order)
    target = np.log2(sorted_.seconds / sorted_.modelled)
    before = np.zeros(len(target)) if offset is None else offset[order]
    bias = 0.0 if objective == "rank" or offset is not None else float(target.mean())
    parameters = {
        "objective": _ranking(sorted_, before) if objective == "rank" else "regression",
        "num_leaves": chosen.leaves,
        "max_depth": chosen.depth,
        "learning_rate": chosen.rate,
        "min_data_in_leaf": min(chosen.least, max(1, len(target) // 8)),
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
    data = library.Dataset(sorted_.rows, target - before - bias, free_raw_data=False)
    booster = library.train(parameters, data, num_boost_round=chosen.trees)
    return forest_of(booster.dump_model()["tree_info"], chosen.depth, bias)


def ensemble(
    examples: Examples, members: int, objective: Objective = "seconds", settings: Settings | None = None, seed: int = 0
) -> tuple[Forest, ...]:
    """Forests that each learn from programs drawn with replacement (from schedules, where there is one program)."""
    rng = np.random.default_rng(seed)
    forests = []
    for member in range(members):
        keys = examples.groups if len(np.unique(examples.groups)) > 1 else np.arange(len(examples))
        places = {key: np.flatnonzero(keys == key) for key in np.unique(keys)}
        drawn = rng.choice(list(places), len(places))
        forests.append(
            train(examples.some(np.concatenate([places[k] for k in drawn])), objective, settings, seed=seed + member)
        )
    return tuple(forests)


def _ranking(examples: Examples, before: Scores) -> Callable[[Scores, Any], tuple[Scores, Scores]]:
    """Gradients and curvatures of the pairwise loss; every program weighs as much as it has schedules."""
    starts = np.flatnonzero(np.diff(examples.groups, prepend=examples.groups[0] - 1))
    bounds = [*starts, len(examples)]
    logs = np.log2(examples.seconds)

    def gradients(scores: Scores, _: Any) -> tuple[Scores, Scores]:
        scores = scores + before
        first, second = np.zeros_like(scores), np.full_like(scores, 1e-6)
        for start, stop in pairwise(bounds):
            some, cost = scores[start:stop], logs[start:stop]
            sign = np.sign(cost[:, None] - cost[None, :])
            wrong = 1.0 / (1.0 + np.exp(np.clip(sign * (some[:, None] - some[None, :]), -30, 30)))
            pairs = max(1, stop - start - 1)
            first[start:stop] -= (sign * wrong).sum(1) / pairs
            second[start:stop] += (np.abs(sign) * wrong * (1.0 - wrong)).sum(1) / pairs
        return first, second

    return gradients
