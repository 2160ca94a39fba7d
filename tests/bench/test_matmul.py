"""`polyloop bench matmul`: sets of problems, BLAS called from compiled code, rows, summaries, a whole run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyloop.backend.run.timing import Ratio
from polyloop.bench import blas
from polyloop.bench.blas import MissingContestantError, Product
from polyloop.bench.contest import Contest
from polyloop.bench.library_suite import summarize_libraries
from polyloop.bench.matmul import Job, measure
from polyloop.bench.products import Problem, problems
from polyloop.bench.rows import Check, Row
from polyloop.cli.main import main
from polyloop.terminal.errors import UsageError

TRANSPOSITIONS = [(False, False), (True, False), (False, True), (True, True)]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path / "cache"))


# --- problems ---------------------------------------------------------------------------------------------------------


def test_the_held_out_sizes() -> None:
    found = problems("looptune-test")
    assert len(set(found)) == 440
    assert {size for p in found for size in (p.m, p.n, p.k)} == set(range(64, 257, 16))
    assert set(found) < set(problems("looptune"))
    assert len(problems("looptune")) == 13**3


def test_irregular_sizes_are_the_same_every_time() -> None:
    found = problems("irregular")
    assert found == problems("irregular")
    assert len(found) == 200
    assert {p.transposed for p in found} == set(TRANSPOSITIONS)
    assert all(1 <= size <= 300 for p in found for size in (p.m, p.n, p.k))
    assert sum(p.n == 1 for p in found) >= 20


def test_sizes_in_words() -> None:
    assert problems("3x4x5,6x7x8tn,1x1x1 nt") == (
        Problem(3, 4, 5),
        Problem(6, 7, 8, (True, False)),
        Problem(1, 1, 1, (False, True)),
    )
    assert [p.name for p in problems("3x4x5,6x7x8tn")] == ["3x4x5", "6x7x8 tn"]
    assert Problem(3, 4, 5).flops == 120


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", r"--set: 'nothing' is neither a set \(looptune-test, looptune, cubes, irregular, "),
        ("3x4", "is neither a set"),
        ("3x4x5,", "is neither a set"),
        ("3x4x5xt", "is neither a set"),
        ("0x4x5", "--set: sizes are from 1 to 16384; 0x4x5 is not"),
        ("3x4x20000", "--set: sizes are from 1 to 16384; 3x4x20000 is not"),
        ("mlp", "--set: mlp has no matrix products"),
    ],
)
def test_sets_that_do_not_exist(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        problems(name)


@pytest.mark.parametrize("transposed", TRANSPOSITIONS)
def test_what_a_problem_computes(transposed: tuple[bool, bool]) -> None:
    scop = Problem(3, 4, 5, transposed).scop("f64")
    shapes = {a.name: tuple(str(extent) for extent in a.shape) for a in scop.arrays}
    assert shapes["A"] == (("5", "3") if transposed[0] else ("3", "5"))
    assert shapes["B"] == (("4", "5") if transposed[1] else ("5", "4"))
    assert shapes["C"] == ("3", "4")


# --- contestants ------------------------------------------------------------------------------------------------------


def product(m: int, n: int, k: int, transposed: tuple[bool, bool], dtype: str) -> tuple[Product, Any]:
    """A product of small integers, which is exact, with C full of ones; and its result."""
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-4, 5, shape).astype(dtype) for shape in ((m, k), (k, n)))
    operands = [np.ascontiguousarray(x.T) if flag else x for x, flag in zip((a, b), transposed, strict=True)]
    return Product(m, n, k, transposed, operands[0], operands[1], np.ones((m, n), dtype)), a @ b + 1


@pytest.mark.parametrize("name", list(blas.LIBRARIES))
@pytest.mark.parametrize("transposed", TRANSPOSITIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [7, 1])
def test_libraries_compute_the_product(name: str, transposed: tuple[bool, bool], dtype: str, n: int) -> None:
    given, expected = product(5, n, 9, transposed, dtype)
    try:
        bound = blas.LIBRARIES[name](given, 1)
    except MissingContestantError as error:
        pytest.skip(str(error))
    bound()
    assert given.c.tolist() == expected.tolist()
    bound()
    assert given.c.tolist() == (2 * expected - 1).tolist()


def test_libraries_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "find_mkl", lambda: None)
    blas._mkl.cache_clear()
    given, _ = product(2, 2, 2, (False, False), "float32")
    try:
        with pytest.raises(MissingContestantError, match=r"MKL is not installed \(pip install mkl\)"):
            blas.mkl(given, 1)
        assert blas.mkl_version() is None
    finally:
        blas._mkl.cache_clear()


# --- rows -------------------------------------------------------------------------------------------------------------


def test_a_row() -> None:
    row = measure("8x16x4", Job(Problem(8, 16, 4), "float32", ("openblas", "numpy", "tvm"), 1, 6))
    assert row.facts["flops"] == 1024
    assert {"ours", "ours (python)", "numpy"} <= set(row.seconds)
    assert all(check.passed for check in row.checks)
    assert {check.result for check in row.checks} == set(row.seconds)
    assert row.missing.keys() - {"openblas", "numpy"} == {"tvm"}
    assert "ours" not in row.ratios
    assert row.rival in ("openblas", None)  # numpy is called from Python: another comparison
    assert row.ratios["numpy"].low <= row.ratios["numpy"].value <= row.ratios["numpy"].high
    assert Row.of_json(json.loads(json.dumps(row.as_json()))).as_json() == row.as_json()


@pytest.mark.parametrize(("value", "passed"), [(0.999, True), (1.01, True), (1.02, False), (np.nan, False)])
def test_results_are_compared(value: float, passed: bool) -> None:
    contest = Contest(1, "float64")
    contest.check("it", np.array([1.0, value]), np.array([1.0, 1.0]), np.array([0.0, 0.015]) + 1e-300)
    assert [check.passed for check in contest.checks] == [passed]


def row(name: str, fraction: float, missing: dict[str, str], *checks: Check, **ratios: float) -> Row:
    facts = {"peak_fraction": fraction, "compile_seconds": 0.5, "without_calling": {}}
    found = {n: Ratio(v, v - 0.1, v + 0.1) for n, v in ratios.items()}
    return Row(name, {}, found, "mkl", (Check("ours", 5, True, error=0.5), *checks), missing, facts=facts)


def test_a_summary() -> None:
    wrong = Check("mkl", 3, False, error=2.0)
    rows = [
        row("a", 0.8, {"tvm": "no tvm"}, mkl=1.0, openblas=4.0, numpy=0.5),
        row("b", 0.2, {"tvm": "no tvm", "openblas": "gone"}, wrong, mkl=0.25, numpy=2.0),
        Row("c", failed="it crashed", kind="crash"),
    ]
    found = summarize_libraries(rows)
    assert found["speedup"] == pytest.approx({"mkl": 0.5, "openblas": 4.0, "numpy": 1.0})
    assert found["worst"]["mkl"] == {"ratio": 0.25, "row": "b"}
    assert found["best_library"] == pytest.approx(0.5)
    assert found["slower"] == ["b"]
    assert found["peak_fraction"] == pytest.approx(0.4)
    assert found["lowest_peak_fraction"] == 0.2
    assert found["verified"] == {"compared": 3, "different": 1, "elements": 13}
    assert found["failed"] == {"c": "it crashed"}
    assert found["missing"] == {"tvm": "no tvm", "openblas": "gone (1 of 2 rows)"}


def test_a_summary_of_nothing() -> None:
    found = summarize_libraries([Row("c", failed="it crashed", kind="crash")])
    assert found["speedup"] == {}
    assert found["peak_fraction"] is None


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_whole_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.json"
    options = ["--set", "8x16x4,5x1x3 tn", "--against", "openblas,numpy,tvm", "--rounds", "6", "--json", str(file)]
    assert main(["bench", "matmul", *options]) == 0
    found = json.loads(file.read_text())
    assert found["suite"] == "matmul"
    assert [r["row"] for r in found["rows"]] == ["8x16x4", "5x1x3 tn"]
    assert found["settings"]["against"] == ["openblas", "numpy", "tvm"]
    assert found["summary"]["verified"]["different"] == 0
    assert found["summary"]["missing"]["tvm"].startswith("tvm is not installed (pip install apache-tvm")
    assert found["machine"]["peak_gflops"] > 0
    printed = capsys.readouterr()
    assert "missing: tvm: tvm is not installed" in printed.out
    assert printed.err.startswith("1/2 8x16x4: ")


def test_unknown_contestants(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "matmul", "--against", "blis"]) == 2
    assert "--against: there is no contestant 'blis'; there are mkl, mkl-jit," in capsys.readouterr().err
