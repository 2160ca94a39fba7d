"""Random nests: the interpreter, the scalar program and the planned program agree in every bit."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.backend.ir.loop_nest import LoopNest
from tests.backend.planning.nests import check
from tests.backend.planning.random_nests import random_nests

quiet = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


@settings(quiet, max_examples=60)
@given(random_nests(), st.integers(0, 11), st.integers(0, 9))
def test_planned_equals_interpreted(nest: LoopNest, n: int, m: int) -> None:
    check(nest, {"n": n, "m": m})
