"""`polyloop bench matmul`: sets of problems, BLAS called from compiled code, rows, summaries, a whole run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.run.timing import Ratio
from polyloop.bench import blas, blis
from polyloop.bench.blas import MissingContestantError, Product
from polyloop.bench.contest import Contest, Job
from polyloop.bench.library_suite import contestants, summarize_libraries
from polyloop.bench.matmul import AGAINST, LIBRARIES, measure
from polyloop.bench.products import Problem, problems
from polyloop.bench.rows import REPRODUCIBLE, Check, Row
from polyloop.bench.tvm_tuner import processor
from polyloop.cli.main import main
from polyloop.terminal.errors import UsageError

TRANSPOSITIONS = [(False, False), (True, False), (False, True), (True, True)]


pytestmark = pytest.mark.usefixtures("own_cache")


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


@pytest.mark.parametrize(("dtype", "n"), [("float32", 16), ("float64", 8)])
def test_blis_small_products(dtype: str, n: int) -> None:
    found = problems("blis-small", dtype)
    panels = {panel: [p for p in found if p.panel == panel] for panel in dict.fromkeys(p.panel for p in found)}
    shapes = ("m6npkp", f"mpn{n}kp", "mpnpk4", f"m6n{n}kp", "m6npk4", f"mpn{n}k4", "mpnpkp")
    assert list(panels) == [f"{letters} {shape}" for letters in ("nn", "tn", "nt", "tt") for shape in shapes]
    for panel, rows in panels.items():
        letters, shape = panel.split()
        small = {"m": "m6" in shape and 6, "n": f"n{n}" in shape and n, "k": "k4" in shape and 4}
        growing = [name for name in "mnk" if not small[name]]
        step, part = {1: (32, 1280), 2: (4, 160), 3: (2, 80)}[len(growing)]
        assert len(rows) == 5
        for number, row in enumerate(rows):
            sizes = {"m": row.m, "n": row.n, "k": row.k}
            assert {name: size for name, size in sizes.items() if name not in growing} == {
                name: size for name, size in small.items() if size
            }
            (p,) = {sizes[name] for name in growing}
            assert p % step == 0
            assert number * part < p <= (number + 1) * part
            assert row.transposed == (letters[0] == "t", letters[1] == "t")
            assert row.name == f"{panel} {row.m}x{row.n}x{row.k}"


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


@pytest.mark.parametrize("name", list(LIBRARIES))
@pytest.mark.parametrize("transposed", TRANSPOSITIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [7, 1])
def test_libraries_compute_the_product(name: str, transposed: tuple[bool, bool], dtype: str, n: int) -> None:
    given, expected = product(5, n, 9, transposed, dtype)
    try:
        bound = LIBRARIES[name](given, 1)
    except MissingContestantError as error:
        pytest.skip(str(error))
    bound()
    assert given.c.tolist() == expected.tolist()
    bound()
    assert given.c.tolist() == (2 * expected - 1).tolist()


def test_tvm_gets_our_instruction_set(monkeypatch: pytest.MonkeyPatch) -> None:
    if not host_target().triple.startswith("x86_64"):
        pytest.skip("needs x86-64")
    monkeypatch.setenv("POLYLOOP_TARGET", "sse")
    found = processor(3)
    assert {"-avx", "-avx2", "-fma", "-avx512f"} <= set(found["mattr"])
    assert not set(found["mattr"]) & {"-sse4.2", "-sse2"}
    assert (found["kind"], found["mcpu"], found["num-cores"]) == ("llvm", host_target().cpu, 3)


def test_blis_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blis, "find_blis", lambda: None)
    monkeypatch.setattr(blis, "_library", blis._library.__wrapped__)
    given, _ = product(2, 2, 2, (False, False), "float32")
    with pytest.raises(MissingContestantError, match=r"BLIS is not installed \(pip install blis\)"):
        blis.blis(given, 1)
    assert blis.blis_version() is None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_blis_takes_the_kernels_that_it_is_told_to(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if blis.find_blis() is None:
        pytest.skip("BLIS is not installed")
    monkeypatch.setenv(blis.VARIABLE, "generic")
    given, expected = product(5, 7, 9, (True, False), dtype)
    blis.blis(given, 1)()
    assert given.c.tolist() == expected.tolist()
    assert blis.kernels() == "generic"
    monkeypatch.setenv(blis.VARIABLE, "none")
    with pytest.raises(MissingContestantError, match="this build of BLIS has no kernels called none"):
        blis.blis(given, 1)


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
    assert row.ratios["best"] == row.ratios[row.rival or ""] == min(row.ratios.values(), key=lambda ratio: ratio.value)
    assert row.facts["kernels"].keys() <= {"openblas", "numpy"}
    assert row.ratios["numpy"].low <= row.ratios["numpy"].value <= row.ratios["numpy"].high
    assert Row.of_json(json.loads(json.dumps(row.as_json()))).as_json() == row.as_json()


def test_what_reproducibility_costs() -> None:
    """Our own other result is no rival."""
    row = measure("8x16x4", Job(Problem(8, 16, 4), "float32", (REPRODUCIBLE,), 1, 6))
    assert (set(row.ratios), row.rival, row.missing) == ({REPRODUCIBLE}, None, {})
    assert {check.result: check.passed for check in row.checks} == {"ours": True, REPRODUCIBLE: True}
    assert REPRODUCIBLE not in contestants(None, AGAINST)


@pytest.mark.parametrize(("value", "passed"), [(0.999, True), (1.01, True), (1.02, False), (np.nan, False)])
def test_results_are_compared(value: float, passed: bool) -> None:
    contest = Contest(1, "float64")
    contest.check("it", np.array([1.0, value]), np.array([1.0, 1.0]), np.array([0.0, 0.015]) + 1e-300)
    assert [check.passed for check in contest.checks] == [passed]


def row(name: str, fraction: float, missing: dict[str, str], *checks: Check, **ratios: float) -> Row:
    facts = {"peak_fraction": fraction, "compile_seconds": 0.5, "without_calling": {}, "panel": "nn m6npkp"}
    found = {n: Ratio(v, v - 0.1, v + 0.1) for n, v in ratios.items()}
    return Row(name, {}, found, "mkl", (Check("ours", 5, True, error=0.5), *checks), missing, facts=facts)


def test_a_summary() -> None:
    wrong = Check("mkl", 3, False, error=2.0)
    rows = [
        row("a", 0.8, {"tvm": "no tvm"}, mkl=1.0, openblas=4.0, numpy=0.5, best=1.0),
        row("b", 0.2, {"tvm": "no tvm", "openblas": "gone"}, wrong, mkl=0.25, numpy=2.0, best=0.25),
        Row("c", failed="it crashed", kind="crash"),
    ]
    found = summarize_libraries(rows)
    assert found["speedup"] == pytest.approx({"mkl": 0.5, "openblas": 4.0, "numpy": 1.0, "best": 0.5})
    assert found["worst"]["mkl"] == {"ratio": 0.25, "row": "b"}
    assert found["speedup"]["best"] == pytest.approx(0.5)
    ends = {"low": pytest.approx(0.135**0.5), "high": pytest.approx(0.385**0.5)}
    assert found["best"] == {
        "mean": pytest.approx(0.5),
        **ends,
        "rivals": {"mkl": 2},
        "at_least": {"0.95": 0.5, "1.0": 0.5, "1.03": 0.0},
        "beyond_doubt": {"0.95": 0.0, "1.0": 0.0, "1.03": 0.0},
    }
    panel = {"mean": pytest.approx(0.5), "worst": {"ratio": 0.25, "row": "b"}}
    assert found["panels"] == {"nn m6npkp": panel}
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
    assert found["best"] is None
    assert found["panels"] == {}


# --- the command ------------------------------------------------------------------------------------------------------


_GIVEN = "OPENBLAS_CORETYPE=Nehalem"


def test_the_whole_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*_GIVEN.split("="))
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
    assert found["machine"]["instruction_set"] == host_target().machine.instructions
    assert found["summary"]["settings"] == {
        n: {"settings": [_GIVEN], "ratios": {}, "refused": {}} for n in ("openblas", "numpy")
    }
    printed = capsys.readouterr()
    assert "missing: tvm: tvm is not installed" in printed.out
    assert f"openblas: {_GIVEN}\n" in printed.out
    assert printed.err.startswith("1/2 8x16x4: ")
