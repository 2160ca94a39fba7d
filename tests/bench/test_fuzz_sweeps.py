"""`polyloop bench fuzz --suite sweeps`: what is drawn, the forms that it takes, and a small share of the episodes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.machine.host import host_target
from polyloop.bench import fuzz_sweeps
from polyloop.bench.fuzz_emitted import Chosen
from polyloop.bench.fuzz_sweeps import episode, random_sweep, scheduled
from polyloop.frontend import read_source
from polyloop.support.compilers import find_executable

DRAWN = [random_sweep(np.random.default_rng([5, number]), f"f{number}") for number in range(250)]
pytestmark = pytest.mark.skipif(not (find_executable("gcc") or find_executable("clang")), reason="no C compiler")


def test_draws_cover_what_they_are_for() -> None:
    text = "".join(function.text for function in DRAWN)
    ranks = {(len(function.arrays[0].extents), function.arrays[0].type) for function in DRAWN}
    assert ranks >= {(rank, type_) for rank in (1, 2, 3) for type_ in ("float", "double")}
    for construct in (
        *("[i - 2]", "[j + 2]", "[k - 1]", "int t = 0", "i = n - 1 - 1; i >= ", "A[0][j] = ", "0.03125 * t", "w = 0;"),
        *("j < i;", "j = i + 1; j < n;", "k < i;", "k = j + 1; k < n;", "k < j;", "sqrt(fabs(A[i][i]))", "/= A[j][j]"),
    ):
        assert construct in text, construct
    assert random_sweep(np.random.default_rng([5, 3]), "f3") == DRAWN[3]


def test_what_is_drawn_can_be_read() -> None:
    file = read_source("f.c", text="#include <math.h>\n" + "".join(function.text for function in DRAWN[:30]))
    assert [scop.name for scop in file.scops] == [function.name for function in DRAWN[:30]]


def test_forms_are_those_of_the_search() -> None:
    """Time tiles of two arrays in turn, and panels of a factorisation, among others."""
    found = []
    for body in (
        "for (int t = 0; t < m; t++) { for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) "
        "B[i][j] = 0.25 * (A[i][j] + A[i][j - 1] + A[i + 1][j]); for (int i = 1; i < n - 1; i++) "
        "for (int j = 1; j < n - 1; j++) A[i][j] = 0.25 * (B[i][j] + B[i - 1][j] + B[i][j + 1]); }",
        "for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) { for (int k = 0; k < j; k++) "
        "A[i][j] -= A[i][k] * A[j][k]; A[i][j] /= A[j][j]; } }",
    ):
        text = (
            f"void f(int n, int m, double A[99][99], double B[99][99])\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}"
        )
        (scop,) = read_source("f.c", text=text).scops
        for number in range(4):
            chosen = scheduled(scop, np.random.default_rng([2, number]), contract=True)
            assert isinstance(chosen, Chosen)
            found.append(chosen.schedule)
    assert len(set(found)) > 4, found
    assert any(re.search(r"\d+ steps of \d+ rows at once", words) for words in found[:4]), found
    assert any("panels of" in words for words in found[4:]), found


@pytest.mark.parametrize("number", [0, 1])
def test_a_share_of_the_episodes(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOP_CACHE", str(tmp_path / "cache"))
    outcome = episode({"seed": 3, "number": number, "run": False, "functions": 2})
    assert outcome.errors == []
    assert outcome.counts["functions"] == 2
    assert outcome.counts[f"{host_target().vector_bits} bits"] == 2
    assert outcome.compared > 0


def test_draws_of_forms_prefer_the_first() -> None:
    rng = np.random.default_rng(1)
    drawn = [fuzz_sweeps._drawn(iter(range(9)), rng, 4, 2) for _ in range(200)]
    assert {*drawn} == {0, 1, 2, 3}
    assert drawn.count(0) > drawn.count(3)
    assert fuzz_sweeps._drawn(iter(()), rng, 4, 2) is None
