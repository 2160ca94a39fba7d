"""isl sets over loop counters, made from affine conditions."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyloop.affine_isl import condition_to_text
from polyloop.backend.affine import Condition, condition_variables

# Words that isl's text syntax keeps for itself.
RESERVED = frozenset(
    ("and", "or", "not", "implies", "exists", "mod", "floor", "floord", "ceil", "ceild", "min", "max")
    + ("rat", "true", "false", "infty", "infinity", "NaN", "int")
)


def condition_set(iterators: Sequence[str], condition: Condition) -> isl.Set:
    """``{ [iterators] : condition }``; every other variable of the condition is a parameter."""
    parameters = sorted(condition_variables(condition) - set(iterators))
    return isl.Set(f"[{', '.join(parameters)}] -> {{ [{', '.join(iterators)}] : {condition_to_text(condition)} }}")


def universe(iterators: Sequence[str]) -> isl.Set:
    return isl.Set(f"{{ [{', '.join(iterators)}] }}")


def parameters_where(points: isl.Set) -> isl.Set:
    """The parameter values for which the set has a point."""
    return points.params()


def is_empty_under(points: isl.Set, parameters: isl.Set) -> bool:
    return bool(points.intersect_params(parameters).is_empty())
