"""Rows of what is only read may overlap, as windows with a hop do: nothing is asked of their length."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import numpy as np
import pytest

from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.polynomials import text
from polyloop.backend.planning import scalar_program
from polyloop.frontend import read_c
from polyloop.lowering.run_time_tests import run_time_tests
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import make_data, shape_of
from polyloop.scop.model import Scop
from polyloop.scop.size_choice import default_sizes
from tests.frontend.emission import drivers, emitted_and_original, needs_gcc, sizes_that_fall_back

SIGNATURE = "int n, int taps, int step, const double *x, double *y"
WINDOWS = "for (int i = 0; i < n; i++) for (int k = 0; k < taps; k++) y[i] += 2 * x[i*step + k];"
BEHIND = WINDOWS.replace("x[i*step + k]", "x[i*step - k]")
HALVES = WINDOWS.replace("k < taps", "k < 2*step")
WRITTEN = "for (int i = 0; i < n; i++) for (int k = 0; k < taps; k++) y[i*step + k] += 2 * x[i*step + k];"


def scop_of(body: str) -> Scop:
    (scop,) = read_c("windows.c", text=f"void f({SIGNATURE})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n")
    return scop


@pytest.mark.parametrize("body", [WINDOWS, BEHIND, HALVES])
def test_windows_are_rows_of_any_length(body: str) -> None:
    scop = scop_of(body)
    assert list(map(text, scop.array("x").strides or ())) == ["step", "1"]
    assert scop.array("x").shape == (None, None)
    assert scop.assumptions.plain_is_equal(isl.Set(f"[{', '.join(scop.parameters)}] -> {{ : step > 0 }}"))


def test_rows_that_are_written_do_not_overlap() -> None:
    scop = scop_of(WRITTEN)
    assert [array.strides for array in scop.arrays] == [None, None]
    assert "step >= taps" in str(scop.assumptions)


def test_rows_that_end_where_they_should_do_not_overlap() -> None:
    assert scop_of(WINDOWS.replace("k < taps", "k < step")).array("x").strides is None


def test_default_sizes_are_those_of_rows_that_do_not() -> None:
    sizes = default_sizes(scop_of(WINDOWS)).values
    assert sizes["step"] >= sizes["taps"] > 8
    assert default_sizes(scop_of(WINDOWS), {"step": 4, "taps": 16}).values["n"] > 1000


@pytest.mark.parametrize(
    ("body", "needed", "first"),
    [(WINDOWS, 4 * 3 + 8, 0), (BEHIND, 4 * 3 + 1 + 7, -7), (HALVES, 4 * 3 + 6, 0)],
)
def test_there_is_memory_for_all_that_is_read(body: str, needed: int, first: int) -> None:
    scop, sizes = scop_of(body), {"n": 5, "taps": 8, "step": 3}
    sizes = {name: sizes[name] for name in scop.parameters}
    assert shape_of(scop, scop.array("x"), sizes) == (needed,)
    data = make_data(scop, sizes)
    whole = data["x"].base if first else data["x"]
    assert isinstance(whole, np.ndarray)
    assert whole.size - data["x"].size == -first


def test_the_interpreter_reads_behind_the_end_of_a_row() -> None:
    scop, sizes = scop_of(WINDOWS), {"n": 5, "taps": 8, "step": 3}
    data = make_data(scop, sizes)
    before = data["y"].copy()
    interpret(lower(scop, original_tree(scop)), sizes, data)
    for i in range(5):
        for k in range(8):
            before[i] += 2 * data["x"][3 * i + k]
    assert np.array_equal(data["y"], before)


def test_what_may_overlap_ends_with_the_last_window() -> None:
    scop = scop_of(WINDOWS)
    assert scop.source is not None
    tests, _ = run_time_tests(scop, scalar_program(lower(scop, original_tree(scop))), scop.source)
    (overlap,) = (test for test in tests if "disjoint" in test)
    assert "x, 0, 8 * ((long)n - 1) * (long)step + 8 * ((long)taps - 1) + 8" in overlap


@needs_gcc
def test_emitted_code_runs_whatever_the_step(tmp_path: Path) -> None:
    call = "int taps = 1 + n % 4"
    bodies = {
        "windows": (SIGNATURE, WINDOWS, f"{call}; windows(n, taps, 1 + n % 3, x, y);"),
        "halves": (SIGNATURE.replace("int taps, ", ""), HALVES, "halves(n, 1 + n % 2, x, y);"),
        "written": (SIGNATURE, WRITTEN, f"{call}; written(n - 2, taps, 1 + n % 3, x, y);"),
        "none": (SIGNATURE, WINDOWS, f"{call}; none(n, taps, n % 3, x, y);"),
        "near": (SIGNATURE, WINDOWS, f"{call}; near(n, taps, 1 + n % 3, y + n + (n == 6), y);"),
    }
    text = drivers("", bodies)
    scops = {scop.source.function: scop for scop in read_c("windows.c", text=text) if scop.source is not None}
    libraries = emitted_and_original(text, scops, tmp_path)
    sizes = range(3, 12)
    assert sizes_that_fall_back(libraries, "windows", sizes) == set()
    assert sizes_that_fall_back(libraries, "halves", sizes) == set()
    assert sizes_that_fall_back(libraries, "written", sizes) == {n for n in sizes if 1 + n % 4 > 1 + n % 3}
    assert sizes_that_fall_back(libraries, "none", sizes) == {n for n in sizes if n % 3 == 0}
    assert sizes_that_fall_back(libraries, "near", sizes) == set()
