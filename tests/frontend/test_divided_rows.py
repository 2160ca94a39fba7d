"""Rows that are cut into pieces: what they are read as, and that they run only where the pieces fill the rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.backend.ir.polynomials import text
from polyloop.frontend import read_c, read_source
from polyloop.scop.size_choice import default_sizes
from tests.frontend.emission import drivers, emitted_and_original, needs_gcc, sizes_that_fall_back

SIGNATURE = "int T, int C, int C3, int heads, int hs, const double *x, double *y"
ROWS = "y[t*C + h*hs + i] += 2 * x[t*C3 + h*hs + i + C];"
BODY = f"for (int t = 0; t < T; t++) for (int h = 0; h < heads; h++) for (int i = 0; i < hs; i++) {ROWS}"
POINTERS = (
    "for (int t = 0; t < T; t++) for (int h = 0; h < heads; h++) {"
    " const double *key = x + t * C3 + h * hs + C; double *out = y + t * C + h * hs;"
    " for (int i = 0; i < hs; i++) out[i] += 2 * key[i]; }"
)


def text_of(body: str) -> str:
    return f"void f({SIGNATURE})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"


@pytest.mark.parametrize("body", [BODY, POINTERS])
def test_pieces_are_a_dimension(body: str) -> None:
    (scop,) = read_c("heads.c", text=text_of(body))
    assert [str(extent) for extent in scop.array("y").shape[1:]] == ["C_over_hs", "hs"]
    assert [text(stride) for stride in scop.array("x").strides or ()] == ["C3_over_hs * hs", "hs", "1"]
    (statement,) = scop.statements
    assert str(statement.target) == "y[t][h][i]"
    assert "x[t][C_over_hs + h][i]" in map(str, statement.reads)
    sizes = default_sizes(scop).values
    assert sizes["C_over_hs"] >= sizes["heads"]
    assert sizes["C3_over_hs"] >= sizes["C_over_hs"] + sizes["heads"]


@pytest.mark.parametrize(
    "body",
    [
        # Nothing says which of two is a piece of the other.
        "for (int t = 0; t < T; t++) y[t*C + t*hs] = 1;",
        # Rows are gone through as a whole, too.
        f"{BODY} for (int t = 0; t < T; t++) for (int i = 0; i < C; i++) y[t*C + i] = 1;",
    ],
)
def test_other_rows_have_no_pieces(body: str) -> None:
    file = read_source("heads.c", text=text_of(body))
    assert all("C_over_hs" not in map(str, array.shape) for scop in file.scops for array in scop.arrays)


PIXELS = (
    "for (int t = 0; t < T; t++) for (int h = 0; h < heads; h++)"
    " for (int c = 0; c < 2; c++) y[t*C + h*hs + c] = x[t*C3 + h*hs + c] + 1;"
)


def test_pixels_are_pieces_of_rows() -> None:
    """The inner loop's counter goes through a row of the outer one's; what is only read has strides."""
    (scop,) = read_c("pixels.c", text=text_of(PIXELS))
    assert [str(extent) for extent in scop.array("y").shape[1:]] == ["C_over_hs", "hs"]
    assert sorted(text(stride) for stride in scop.array("x").strides or ()) == ["1", "C3", "hs"]
    sizes = default_sizes(scop).values
    assert sizes["hs"] == 2
    assert sizes["C3"] >= 2 * sizes["heads"] > 100


@needs_gcc
def test_only_pieces_that_fill_rows_run(tmp_path: Path) -> None:
    call = "int hs = n % 2 + 1, c = 2 * hs + (n == 5)"
    bodies = {
        "written": (SIGNATURE, BODY, f"{call}; written(n, c, 2 * c, 2, hs, x, y);"),
        "pointers": (SIGNATURE, POINTERS, f"{call}; pointers(n, c, 2 * c, 2, hs, x, y);"),
        "pixels": (SIGNATURE, PIXELS, "pixels(n / 2, 2 * n + (n == 7), n + 9, n, 2 + (n == 9), x, y);"),
        "longer": (SIGNATURE, BODY, f"{call}; longer(n, c, 2 * c + (n == 7), 2, hs, x, y);"),
        "too_many": (SIGNATURE, BODY, f"{call}; too_many(n, c, 2 * c, 2 + (n == 4), hs, x, y);"),
    }
    text = drivers("", bodies)
    scops = {scop.source.function: scop for scop in read_c("heads.c", text=text) if scop.source is not None}
    libraries = emitted_and_original(text, scops, tmp_path)
    sizes = range(1, 10)
    assert sizes_that_fall_back(libraries, "written", sizes) == {5}
    assert sizes_that_fall_back(libraries, "pointers", sizes) == {5}
    assert sizes_that_fall_back(libraries, "pixels", sizes) == {7, 9}
    assert sizes_that_fall_back(libraries, "longer", sizes) == {5, 7}
    assert sizes_that_fall_back(libraries, "too_many", sizes) == {4, 5}
