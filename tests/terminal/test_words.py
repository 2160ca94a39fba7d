"""Schedules in words, read off their trees; figures in readable units."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F64
from polyloop.measure.result import Candidate, Check
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Array, Scop
from polyloop.scop.program import Team
from polyloop.terminal.report import check_text, openmp_words, seconds_text, words
from polyloop.transforms import parse, replay
from tests.helpers.small_scops import gemm, symm


def told(scop: Scop, *trace: str) -> dict[str, str]:
    return words(scop, Candidate("", scop, replay(original_tree(scop), map(parse, trace))))


def test_original_loops_need_no_words() -> None:
    assert words(gemm(), Candidate("original loops", gemm(), None)) == {}


def test_order_by_statement() -> None:
    assert told(gemm()) == {"order": "S: i, j; T: i, k, j2"}
    assert told(symm()) == {"order": "Z, W: i, j; U, V: i, j, k"}


def test_tiles_vector_and_parallel_loops() -> None:
    said = told(
        gemm(),
        "join_bands(path=(0, 1))",
        "tile(path=(0, 1), sizes=(32, 64))",
        "vectorize(path=(0, 1, 0), member=1)",
        "vectorize(path=(0, 0), member=0)",
        "parallelize(path=(), member=0)",
    )
    assert said == {
        "order": "S: i, j; T: i, tile k, tile j2, k, j2",
        "tiles": "T: k by 32, j2 by 64",
        "vector loop": "S: j; T: j2",
        "parallel loop": "i",
    }


def test_register_tiles_are_no_cache_tiles() -> None:
    said = told(
        gemm(),
        "join_bands(path=(0, 1))",
        "register_tile(path=(0, 1), sizes=(4, 16), vector=1)",
    )
    assert said["vector loop"] == "T: j2"
    assert said["register tile"] == "T: 4 x 16 (k, j2)"
    assert "tiles" not in said


def test_openmp() -> None:
    team = Team((("omp parallel for reduction(+: s)", 7),), reductions=("reduction(+: s)",))
    assert openmp_words(None, False, False, "gcc") == {}
    assert openmp_words(None, False, True, "gcc")["openmp"].startswith("proposed: ")
    directive = "#pragma omp parallel for reduction(+: s) (line 7)"
    assert openmp_words(team, True, False, "gcc -fopenmp") == {"openmp": f"{directive}: stays"}
    told = openmp_words(team, False, True, "gcc -O3")
    assert told["openmp"] == f"{directive}: the parallel loops have its threads"
    assert told["reductions"].startswith("reduction(+: s) leaves the order open; the order stays")
    assert told["threads"].startswith("the original loops were timed in one ")


def test_expanded_arrays() -> None:
    scop = symm()
    wide = Array("temp_x", F64, (affine("m"), affine("n")), local=True)
    changed = replace(scop, arrays=(*scop.arrays, wide))
    candidate = Candidate("", changed, original_tree(scop))
    assert words(scop, candidate)["expanded arrays"] == "temp_x[m][n] (new)"
    assert words(scop, candidate, {"temp_x"})["expanded arrays"] == "temp_x[m][n] (new, in registers)"


def test_statements_rounded_apart() -> None:
    scop = symm()
    apart = frozenset(s.name for s in scop.statements[-2:])
    told = words(scop, Candidate("", scop, original_tree(scop), apart=apart))
    assert told["multiply-adds"] == f"rounded twice in {scop.statements[-2].name}, {scop.statements[-1].name}"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.5, "2.5 s"), (0.0123456, "12.3 ms"), (4.56e-5, "45.6 us"), (7.8e-8, "78 ns"), (1.0, "1 s")],
)
def test_seconds(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


def test_checks() -> None:
    assert check_text(Check(1, 0, 0.0)) == "1 element compared, all bit-equal"
    within = Check(10, 3, 1e-12, 1e-9)
    assert check_text(within) == "10 elements compared, 3 differ, by 1.0e-12 at most: within the tolerance of 1.0e-09"
    assert "beyond the tolerance" in check_text(replace(within, largest=1.0))
    assert check_text(Check(4, 0, 0.0, rounding=3e-8)) == (
        "4 elements compared, all bit-equal, with the original loops rounded the same way; "
        "the roundings differ from those of fused multiply-adds by 3.0e-08 at most"
    )
