"""`polyloop bench operators`: what a convolution is, torch's layouts, a whole run."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polyloop
from polyloop.backend.run.timing import Ratio
from polyloop.bench import operators
from polyloop.bench.blas import MissingContestantError
from polyloop.bench.contest import Job
from polyloop.bench.operators import LAYOUTS, Convolution, read_convolution, torch_runner
from polyloop.bench.rows import Row
from polyloop.cli.main import main
from polyloop.shipped.workloads import workload_set

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
KINDS = [
    Convolution(4, 5, 3, 2, 3, 6, 1),
    Convolution(4, 5, 3, 3, 3, 6, 2),
    Convolution(4, 5, 3, 3, 4, None, 1),
    Convolution(3, 3, 5, 5, 4, None, 2),
]


pytestmark = pytest.mark.usefixtures("own_cache")


def arrays(convolution: Convolution) -> tuple[Any, Any]:
    """Small integers, so that results are exact."""
    generator = np.random.default_rng(0)
    image, weights = (generator.integers(-3, 4, shape).astype(np.float32) for shape in convolution.shapes[:2])
    return image, weights


@pytest.mark.parametrize("convolution", KINDS)
def test_the_reference_is_the_definition(convolution: Convolution) -> None:
    image, weights = arrays(convolution)
    found = convolution.apply(image, weights)
    s = convolution.stride
    for y, x, last in np.ndindex(*convolution.shapes[2]):
        window = image[s * y : s * y + convolution.i, s * x : s * x + convolution.j]
        expected = (
            np.sum(window[:, :, last] * weights[:, :, last])
            if convolution.o is None
            else np.sum(window * weights[..., last])
        )
        assert found[y, x, last] == expected


@needs_torch
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("convolution", [*KINDS, *(kind.smallest for kind in KINDS)])
def test_torch_computes_the_same(convolution: Convolution, layout: str) -> None:
    image, weights = arrays(convolution)
    try:
        run = torch_runner(convolution, layout, image, weights, 1)
    except MissingContestantError as error:
        pytest.skip(str(error))
    for _ in range(2):
        assert operators._as_array(run()).tolist() == convolution.apply(image, weights).tolist()


def test_all_operators_are_read() -> None:
    for found in workload_set("operators").problems:
        sizes = dict(found.sizes)
        if "m" in sizes:
            continue
        convolution = read_convolution(found.expression, sizes)
        declared = {a.name: tuple(int(str(extent)) for extent in a.shape) for a in found.scop.arrays}
        assert tuple(declared[name] for name in "IWO") == convolution.shapes
        assert convolution.stride == (2 if found.name in ("operators/DWCONV-1", "operators/DWCONV-2") else 1)


def test_torchs_best_layout_counts() -> None:
    ratios = {"torch, a": Ratio(3.0, 1.9, 3.1), "torch, b": Ratio(2.0, 1.9, 2.1)}
    row = Row("x", {}, ratios, facts={"without_calling": {"torch, a": 1.0, "torch, b": 1.5}})
    found = operators.best_layout(row)
    assert found.ratios["torch"] == ratios["torch, b"]
    assert found.facts["without_calling"]["torch"] == 1.0
    nothing = Row("x", facts={"without_calling": {}})
    assert operators.best_layout(nothing) == nothing


def test_a_row_of_a_small_convolution(monkeypatch: pytest.MonkeyPatch) -> None:
    class Small:
        expression = "O[y, x, o] += I[2*y + i, 2*x + j, c] * W[i, j, c, o]"
        sizes = tuple({"y": 2, "x": 3, "i": 3, "j": 3, "c": 4, "o": 16}.items())
        scop = polyloop.tensor(expression, dict(sizes))
        flops = 2 * 2 * 3 * 3 * 3 * 4 * 16

    monkeypatch.setattr(operators, "workload", lambda name: Small)
    row = operators.measure("small", Job("small", "float32", (), 1, 6))
    assert [check.passed for check in row.checks] == [True, True]
    assert row.facts["flops"] == Small.flops
    assert row.ratios == {}


@needs_torch
@pytest.mark.long
def test_the_whole_command(tmp_path: Path) -> None:
    file = tmp_path / "o.json"
    assert main(["bench", "operators", "--kernels", "DWCONV-1,MM-64", "--rounds", "3", "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    assert [row["row"] for row in found["rows"]] == ["DWCONV-1", "MM-64"]
    assert found["summary"]["speedup"].keys() >= {"torch", "torch, channels last"}
    assert found["summary"]["verified"]["different"] == 0
