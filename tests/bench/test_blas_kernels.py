"""The suite ``blas``: a library's calls do what the kernels do, and rows of both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyloop.bench.blas_calls import CALLS, LEVELS, c_text, open_to_all
from polyloop.bench.blas_kernels import Blas, as_written, measure, parameters
from polyloop.bench.calling import make_bench
from polyloop.bench.sources import Job
from polyloop.bench.toolchain import build_shared, find_toolchain
from polyloop.measure.jobs import compare
from polyloop.shipped.kernels import kernel


@pytest.mark.parametrize("name", CALLS)
def test_calls_do_what_the_kernel_does(name: str, tmp_path: Path) -> None:
    open_to_all()
    info, compiler = kernel(name), find_toolchain(()).reference
    calls = tmp_path / "calls.c"
    calls.write_text(c_text(name, info.function, parameters(info)), encoding="utf-8")
    sizes = {parameter: 23 + 3 * place for place, parameter in enumerate(info.parameters)}
    bench = make_bench(info, sizes)
    results = []
    for source in (info.path, calls):
        bench.restore()
        bench.shared(build_shared(compiler, source))()
        results.append({array: bench.working[array].copy() for array in info.outputs})
    assert any(not np.array_equal(results[0][array], bench.pristine[array]) for array in info.outputs)
    found = compare(results[0], as_written(name, results[1]), 1e-10, by_array=True)
    assert found.passed, found


def test_levels_name_every_kernel_once() -> None:
    assert sorted(name for names in LEVELS.values() for name in names) == sorted(CALLS)


def test_a_row_has_both_in_turn_and_a_comparison() -> None:
    jobs = {name: Job(name, "MINI", ("openblas",), 0.2, 5) for name in ("trisolv", "lu")}
    rows = [measure(job) for job in jobs.values()]
    for row in rows:
        assert row.seconds.keys() == row.ratios.keys() | {"ours"} == {"ours", "openblas"}
        assert [check.passed for check in row.checks] == [True]
    summary = Blas(jobs, {}).summary(rows)
    assert summary["speedup"].keys() == {"openblas"}
    assert summary["levels"]["factors and solves"] == pytest.approx(summary["speedup"]["openblas"])
    assert summary["levels"]["level 2"] is None
