"""How well a model does on measured schedules of one program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

TOP = 5


@dataclass(frozen=True)
class Score:
    """Of a model on schedules of one program.

    Attributes:
        rank_correlation: Spearman's; None where all are equal.
        mape: mean of |seconds said - measured| over measured.
        top1, top5: seconds of the best measured over those of the model's first, and of the best of its first five.
    """

    rank_correlation: float | None
    mape: float
    top1: float
    top5: float


def score(order: Sequence[float], predicted: Sequence[float], measured: Sequence[float]) -> Score:
    """Of one program.

    Args:
        order: the smaller, the faster; `predicted`: seconds.
    """
    seconds, first = np.array(measured), np.argsort(np.array(order), kind="stable")
    best = float(seconds.min())
    mape = float(np.mean(np.abs(np.array(predicted) - seconds) / seconds))
    top1, top5 = best / float(seconds[first[0]]), best / float(seconds[first[:TOP]].min())
    return Score(spearman(order, measured), mape, top1, top5)


def mean_score(scores: Sequence[Score]) -> Mapping[str, float | None]:
    """The means over programs; None where there is none."""
    result: dict[str, float | None] = {}
    for name in ("rank_correlation", "mape", "top1", "top5"):
        known = [value for s in scores if (value := getattr(s, name)) is not None]
        result[name] = sum(known) / len(known) if known else None
    return result


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's correlation of the ranks, ties sharing the mean of theirs (Spearman, "The proof and measurement of
    association between two things", 1904); None for fewer than three pairs, or if all of one side are equal."""
    if len(first) < 3:
        return None
    a, b = ranks(first), ranks(second)
    mean = (len(a) - 1) / 2
    covariance = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    spread = sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return covariance / spread if spread > 0 else None


def ranks(values: Sequence[float]) -> list[float]:
    """The position of each value among all, from 0; equal values share the mean of their positions."""
    order = sorted(range(len(values)), key=lambda k: values[k])
    result = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for k in order[start : end + 1]:
            result[k] = (start + end) / 2
        start = end + 1
    return result
