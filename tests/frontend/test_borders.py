"""Rows with a border in front of them: what is read, what data for it are, what emitted code asks at run time."""

from __future__ import annotations

import islpy as isl
import numpy as np
import pytest

import polyloop
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.planning import scalar_program
from polyloop.frontend import read_source
from polyloop.lowering.run_time_tests import run_time_tests
from polyloop.lowering.to_nest import LoweringError, lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import fills, make_data
from polyloop.scop.model import Scop
from polyloop.scop.size_choice import default_sizes
from polyloop.transforms import Pack

BLUR = """void blur(const float *in, float *out, int w, int h, int stride) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y * stride + x] = in[(y - 1) * stride + x] + in[y * stride + x - 1] + in[y * stride + x + 1];
}"""
SEARCH = """void search(const unsigned char *now, const unsigned char *before, int stride, int range, int *sums) {
    for (int dy = -range; dy <= range; dy++)
        for (int dx = -range; dx <= range; dx++)
            for (int y = 0; y < 16; y++)
                for (int x = 0; x < 16; x++)
                    sums[0] += now[y * stride + x] * before[(y + dy) * stride + x + dx];
}"""


FRAME = """void frame(unsigned char *image, int w, int h, int stride) {
    for (int y = -32; y < h + 32; y++)
        for (int x = -32; x < w + 32; x++) {
            int from = x < 0 ? 0 : x >= w ? w - 1 : x;
            image[y * stride + x] = image[(y < 0 ? 0 : y >= h ? h - 1 : y) * stride + from];
        }
}"""


def _scop(text: str) -> Scop:
    (scop,) = read_source("f.c", text=text, auto=True).scops
    return scop


@pytest.mark.parametrize(
    ("text", "array", "first", "assumed"),
    [
        (BLUR, "in", affine(-1), "stride >= 2 + w"),
        (BLUR, "out", affine(0), "stride >= 2 + w"),
        (SEARCH, "before", Affine((("range", -1),)), "stride >= 16 + 2range"),
        # More columns than make a loop long: they are no reason for an image without any.
        (FRAME, "image", affine(-32), "stride >= 64 + w"),
        # What lies in front of the first column is not asked for there.
        (BLUR.replace("in[y * stride + x - 1]", "(x > 0 ? in[y * stride + x - 1] : 0)"), "in", affine(0), "stride > w"),
        (BLUR.replace("int x = 0", "int x = 1"), "in", affine(0), "stride > w"),
    ],
)
def test_columns_begin_at_the_first_one_of_a_border(text: str, array: str, first: Affine, assumed: str) -> None:
    scop = _scop(text)
    found = scop.array(array)
    assert found.first_column == first
    assert (found.strides is None) == (array in scop.written)
    # What is only read may have shorter rows, too, but is not meant to.
    assert assumed in str((scop.assumptions & scop.likely).coalesce())


def test_the_last_column_of_the_row_before_is_no_border() -> None:
    loops = "for (int i = 1; i < n; i++) for (int j = 0; j < n; j++)"
    scop = _scop(f"void f(double *a, int n) {{ {loops} a[i*n+j] += a[i*n-1]; }}")
    assert scop.array("a").first_column == affine(0)
    assert [str(read) for read in scop.statements[0].reads] == ["a[i][j]", "a[i - 1][n - 1]"]


BANDS = {
    "by rows": "a[i * (w + 1) + j - i + w] += b[j]",
    "by columns": "a[j * (w + 1) + i - j] += b[j]",
    "with a length": "a[w + j - i + i * length] += b[j]",
}


@pytest.mark.parametrize("body", BANDS.values(), ids=BANDS)
def test_columns_of_bands_count_from_the_diagonal(body: str) -> None:
    """Not from the first column of the matrix, which would have them in rows for as many rows as the band is wide."""
    loops = "for (int i = 0; i < n; i++) for (int j = i > w ? i - w : 0; j <= i; j++)"
    scop = _scop(f"void f(double *a, const double *b, int n, int w, int length) {{ {loops} {body}; }}")
    (statement,) = scop.statements
    row, column = statement.target.subscripts
    assert str(row) in ("i", "j")
    assert {abs(column.coefficient(name)) for name in ("i", "j")} == {1}
    assert not (scop.assumptions & isl.Set("[n, w] -> { : n = 1000 and w = 10 }")).is_empty()


def test_default_sizes_leave_room_for_the_border() -> None:
    sizes = default_sizes(_scop(BLUR)).values
    assert sizes["w"] > 1000
    assert sizes["stride"] == sizes["w"] + 2


@pytest.mark.parametrize("compiled", [False, True])
def test_a_border_is_read(compiled: bool) -> None:
    scop, sizes = _scop(BLUR), {"h": 5, "w": 37, "stride": 40}
    (spec, _) = fills(scop, sizes)
    assert (spec.shape, spec.origin) == ((40 + 1 + 4 * 40 + 37 + 1,), 41)
    data = make_data(scop, sizes)
    whole = data["in"].base
    assert isinstance(whole, np.ndarray)
    flat, origin = whole, 41
    result = polyloop.optimize(scop, sizes=sizes, budget=1.0) if compiled else None
    kernel = result.kernel if result is not None else polyloop.compile(scop)
    kernel(**data, **sizes)
    for y in range(5):
        at = origin + y * 40 + np.arange(37)
        assert np.array_equal(data["out"][y, :37], flat[at - 40] + flat[at - 1] + flat[at + 1])


def test_what_may_overlap_begins_at_the_border() -> None:
    scop = _scop(BLUR)
    assert scop.source is not None
    tests, _ = run_time_tests(scop, scalar_program(lower(scop, original_tree(scop))), scop.source)
    overlap = next(test for test in tests if "disjoint" in test)
    assert "in, -4 * (long)stride + -4, 4 * ((long)h - 1) * (long)stride + 4 * (long)w + 4" in overlap


def test_panels_do_not_begin_in_front_of_an_array() -> None:
    scop = _scop(BLUR)
    tree = original_tree(scop)
    packed = Pack((), 0, scop.statements[0].name, "in[y][x - 1]", (0, 1)).apply(tree)
    with pytest.raises(LoweringError, match="reads in front of its first element"):
        lower(scop, packed)
