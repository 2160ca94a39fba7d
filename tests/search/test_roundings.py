"""Other roundings of multiply-adds: candidates, their reference, and what the report needs."""

from __future__ import annotations

import numpy as np

from polyloop.api import compile_scop, optimize
from polyloop.backend.machine.host import host_target
from polyloop.frontend import read_c
from polyloop.measure.evaluator import Evaluator, Options
from polyloop.measure.result import Candidate
from polyloop.scop.data import make_data
from polyloop.scop.model import Scop
from polyloop.search.isl_search import with_other_roundings
from tests.helpers.machine import fuses

TEXT = """double f(int n, double x[n], double y[n], double z[n])
{
  double sum = 0.0;
#pragma scop
  for (int i = 0; i < n; i++)
    A: z[i] = x[i] * y[i] + 1.0;
  for (int i = 0; i < n; i++)
    B: sum += x[i] / 3.0 * y[i];
  for (int i = 0; i < n; i++)
    C: y[i] = z[i] * sum;
#pragma endscop
  return sum;
}
"""


def _scop() -> Scop:
    (scop,) = read_c("f.c", text=TEXT)
    return scop


def test_candidates_with_everything_apart_and_with_chains_apart() -> None:
    scop = _scop()
    found = list(with_other_roundings(Candidate("original loops", scop, None, ("left",), explicit=False)))
    assert [c.apart for c in found] == [frozenset("AB"), frozenset("B")]
    assert [c.name for c in found] == [
        "original loops; multiplied and added apart: A, B", "original loops; multiplied and added apart: B",
    ]  # fmt: skip
    assert all(c.tree is not None and not c.explicit for c in found)
    assert found[1].steps == ("original order", "multiplied and added apart: B")


def test_nothing_to_round_otherwise() -> None:
    (scop,) = read_c("g.c", text=TEXT.replace("* y[i]", "+ y[i]"))
    assert list(with_other_roundings(Candidate("original loops", scop, None))) == []


def test_each_is_compared_with_the_original_loops_rounded_the_same_way() -> None:
    with Evaluator(_scop(), {"n": 301}, host_target(), Options(either=True), in_process=True) as evaluator:
        evaluator.evaluate(evaluator.original)
        for candidate in with_other_roundings(evaluator.original):
            evaluator.evaluate(candidate)
            check = evaluator.measured[candidate.name].check
            assert (check.different, check.tolerance) == (0, 0.0)
            difference = evaluator.rounding_difference(candidate)
            assert difference is not None
            # Products are lost in a sum as large as that of B; without multiply-adds all are apart as it is.
            assert (difference > 0.0) == ("A" in candidate.apart and fuses())
            assert difference < 1e-9
            evaluator.compare([evaluator.original, candidate])
            assert evaluator.measured[candidate.name].check == check
        assert evaluator.rounding_difference(evaluator.original) is None


def test_the_kernel_rounds_as_the_result_says() -> None:
    """Whatever wins, its results are those of the loops compiled with that contraction."""
    scop = _scop()
    result = optimize(scop, sizes={"n": 301}, budget=0.3, contract="fast")
    assert any("multiplied and added apart" in measured.name for measured in result.measurements)
    assert result.check.different == 0
    assert (result.check.rounding is None) == (not result.best.apart)
    data = make_data(scop, {"n": 301})
    want = {name: array.copy() for name, array in data.items()}
    result.kernel(**data)
    if result.best.apart in (frozenset(), frozenset("AB")):
        compile_scop(scop, contract="off" if result.best.apart else "on")(**want)
        assert all((data[name] == want[name]).all() for name in data)
    else:
        assert np.isfinite(data["sum"])
