"""`polyloop bench compile`: the micro-kernels are right, and the file says how long they took."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.run.nest_kernel import compile_nest
from polyloop.bench import compiling
from polyloop.cli.main import main

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.mark.parametrize("number", range(8))
def test_micro_kernels_compute_products_and_do_not_spill(number: int) -> None:
    product = compiling.micro_kernels(host_target())[number % len(compiling.micro_kernels(host_target()))]
    arrays, kernel = product.arrays(), compile_nest(product.nest())
    expected = arrays["C"].astype(np.float64) + arrays["A"].astype(np.float64) @ arrays["B"]
    kernel(**arrays)
    assert np.allclose(arrays["C"], expected, rtol=0, atol=1e-4)
    assert kernel.report().spills == 0


def test_candidates_differ() -> None:
    candidates = list(islice(compiling._candidates(host_target()), 100))
    assert len(set(candidates)) == 100


def test_the_whole_command(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    assert main(["bench", "compile", "--limit", "1", "--rounds", "2", "--budget", "0.2", "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    assert found["suite"] == "compile"
    (row,) = found["rows"]
    assert row["spills"] == 0
    assert (
        min(row[name] for name in ("plan_ms", "print_ms", "llvm_ms", "link_ms", "ir_ms", "assembly_ms", "cached_ms"))
        > 0
    )
    assert row["tier"] in ("ir", "assembly")
    assert found["summary"]["candidates_per_second"] > 0


def test_there_are_no_contestants(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "compile", "--against", "mkl"]) == 2
    suites = "polybench, matmul, blas, operators, tsvc, real, outside, stencils, searches, trials, agents"
    assert f"--against is an option of bench {suites}" in capsys.readouterr().err
