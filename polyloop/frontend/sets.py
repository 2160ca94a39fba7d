"""isl sets over loop counters, made from affine conditions."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyloop.affine_isl import condition_to_text
from polyloop.backend.affine import Condition, condition_variables

# Words that isl's text syntax keeps for itself.
_WORDS = "and or not implies exists mod floor floord ceil ceild min max rat true false infty infinity NaN int"
RESERVED = frozenset(_WORDS.split())


def condition_set(iterators: Sequence[str], condition: Condition) -> isl.Set:
    """``{ [iterators] : condition }``; every other variable of the condition is a parameter."""
    parameters = sorted(condition_variables(condition) - set(iterators))
    return isl.Set(f"[{', '.join(parameters)}] -> {{ [{', '.join(iterators)}] : {condition_to_text(condition)} }}")


def universe(iterators: Sequence[str]) -> isl.Set:
    return isl.Set(f"{{ [{', '.join(iterators)}] }}")
