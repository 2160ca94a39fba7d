"""Normalise: loops that move in steps count them; nothing else about them changes."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.frontend import read_c
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.variants import straightened
from polyloop.transforms.normalise import Normalise
from polyloop.transforms.scop_transform import IllegalScopTransformError
from tests.helpers.running import interpreted

BODIES = {
    "halves": "for (int i = 0; i < n; i += 2) y[i / 2] = x[i] + x[i + 1];",
    "thirds": "for (int i = 2; i < n; i += 3) { y[i] = x[i - 1]; for (int j = i; j < n; j++) y[i] += x[j]; }",
    "from_a_parameter": "for (int i = m; i < n; i += 2) y[i] = 3 * x[i / 2];",
    "downwards": "for (int i = 30; i >= n; i -= 2) y[i / 2] = x[i] + y[i / 2 + 1];",
    "two_colours": "for (int i = 1; i < n; i++) for (int j = (i + m) & 1; j < n; j += 2) y[j] += x[i] * x[j];",
    "planes": "for (int j = 0; j < n; j += 2) for (int i = 0; i < n; i += 4) y[j / 2] += x[j] * x[i / 4];",
}


def scop(name: str) -> Scop:
    text = f"void f(int n, int m, double *x, double *y)\n{{\n#pragma scop\n{BODIES[name]}\n#pragma endscop\n}}\n"
    (found,) = read_c("f.c", text=text)
    return found


def run(found: Scop, n: int) -> dict[str, np.ndarray]:
    data = {"x": np.arange(40.0), "y": np.arange(40.0) ** 2}
    parameters = {name: {"n": n, "m": 3}[name] for name in found.parameters}
    return interpreted(lower(found, original_tree(found)), parameters, data, contract=False)


@pytest.mark.parametrize("n", [0, 1, 4, 7, 14])
@pytest.mark.parametrize("name", BODIES)
def test_results_stay(name: str, n: int) -> None:
    before = scop(name)
    after = straightened(before).scop
    assert not list(Normalise.candidates(after))
    for array, values in run(before, n).items():
        np.testing.assert_array_equal(run(after, n)[array], values)


def test_quotients_by_the_step_are_gone() -> None:
    found = straightened(scop("halves"))
    assert found.words == "steps of loops around S0 counted"
    (statement,) = found.scop.statements
    assert str(statement.target) == "y[i]"
    assert [str(read) for read in statement.reads] == ["x[2*i]", "x[2*i + 1]"]


def test_each_loop_is_one_candidate() -> None:
    assert list(Normalise.candidates(scop("planes"))) == [Normalise("S0", 0), Normalise("S0", 1)]
    assert list(Normalise.candidates(scop("thirds"))) == [Normalise("S0", 0)]


@pytest.mark.parametrize(
    ("statement", "level", "reason"),
    [
        ("S9", 0, "there is no statement S9"),
        ("S0", 2, "there is no such loop"),
        ("S1", 1, "it does not move in steps from one place on"),
    ],
)
def test_refused(statement: str, level: int, reason: str) -> None:
    with pytest.raises(IllegalScopTransformError, match=reason):
        Normalise(statement, level).apply(scop("thirds"))
