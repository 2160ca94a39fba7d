"""Spearman's rank correlation: how well one figure predicts the order of another."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt


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
