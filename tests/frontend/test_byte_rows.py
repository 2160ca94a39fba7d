"""Rows that lie so many bytes apart, as of images: what they are read as, and that they run only where these are whole
elements."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_source
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, drivers, needs_gcc, sizes_that_fall_back

TYPES = """#include <stddef.h>
#include <stdint.h>
struct image { double *data; int w, h; size_t stride; };
#define ROW(im, y) ((double *)((char *)(im)->data + (y) * (im)->stride))
#define PIXEL(im, x, y) (*(double *)((char *)(im)->data + (y) * (im)->stride + (x) * sizeof(double)))
static inline double *row(const struct image *im, int y) { return (double *)((char *)im->data + y * im->stride); }
static inline double get(const struct image *im, int x, int y) { return row(im, y)[x]; }
static inline const double *line(const void *base, size_t stride, unsigned y)
{ return (const double *)((const uint8_t *)base + stride * y); }
"""
TO_FROM = "struct image *to, const struct image *from"
LOOPS = "for (int y = 0; y < to->h; y++) {{ {} for (int x = 0; x < to->w; x++) {} }}"
BODIES = {
    "by_macro": (TO_FROM, LOOPS.format("", "ROW(to, y)[x] += ROW(from, y)[x + 1];")),
    "by_pixel": (TO_FROM, LOOPS.format("", "PIXEL(to, x, y) = PIXEL(from, x, y) - PIXEL(to, x, y);")),
    "by_pointer": (
        TO_FROM,
        LOOPS.format(
            "double *p = (double *)((uint8_t *)to->data + (size_t)y * to->stride) + 1; const double *q = row(from, y);",
            "*p++ += 2 * *q++;",
        ),
    ),
    "by_call": (TO_FROM, LOOPS.format("double *p = row(to, y);", "p[x] += get(from, x, y);")),
    "by_anything": (
        TO_FROM,
        LOOPS.format("const double *q = line(from->data, from->stride, y);", "row(to, y)[x] += q[x];"),
    ),
    # What conditions choose among elements changes nothing of where their rows are read.
    "by_condition": (
        TO_FROM,
        LOOPS.format(
            "double *p = row(to, y); const double *q = row(from, y);",
            "{ double v = q[x]; if (v < 30) continue; p[x] = v; }",
        ),
    ),
    "in_bytes": (
        "void *data, int w, int h, size_t pitch",
        "for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) ((double *)((char *)data + y * pitch))[x] += y;",
    ),
}
IMAGES = (
    "int h = n == 5 ? 1 : n / 2 + 1; size_t of = 8 * n + 8 + 4 * (n == 5);"
    " struct image to = {y, n, h, of}, from = {x, n, h, of + 8};"
)


def _driver(name: str) -> str:
    return f"{IMAGES} {name}({'to.data, n, h, of' if name == 'in_bytes' else '&to, &from'}); (void)from;"


TEXT = drivers(TYPES, {name: (*parts, _driver(name)) for name, parts in BODIES.items()})


def test_rows_are_a_dimension(scops: dict[str, Scop]) -> None:
    assert list(scops) == list(BODIES)
    for name, scop in scops.items():
        (written,) = (array for array in scop.arrays if array.name in scop.written and not array.local)
        stride = "pitch_over_8" if name == "in_bytes" else "to_stride_over_8"
        assert [str(extent) for extent in written.shape] == ["None", stride]
        assert scop.source is not None
        tests = {test for each in scop.source.memory for test in each.tests}
        assert f"(long)({'pitch' if name == 'in_bytes' else 'to->stride'}) % 8 == 0" in tests


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_only_whole_elements_run(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, range(2, 9)) == {5}


def test_a_stride_of_the_elements_type_is_one() -> None:
    text = f"""{TYPES}struct screen {{ unsigned *data, w, h, stride; }};
void f(struct screen *to) {{
    for (unsigned y = 0; y < to->h; y++) {{
        unsigned *p = (unsigned *)((char *)to->data + (size_t)y * to->stride);
        for (unsigned x = 0; x < to->w; x++) p[x] ^= 9;
    }}
}}"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    assert [str(extent) for extent in scop.array("to_data").shape] == ["None", "to_stride_over_4"]
    assert scop.source is not None
    (stride,) = (each for each in scop.source.memory if each.name == "to_stride_over_4")
    assert ("to->stride", ("to_data",)) in stride.cells  # which a run-time test keeps apart


def test_a_stride_that_the_loops_may_change_is_none() -> None:
    text = f"""{TYPES}void f(struct image *to) {{
    for (int y = 0; y < to->h; y++) {{ double *p = row(to, y); for (int x = 0; x < 9; x++) p[x] = 1; to->stride++; }}
}}"""
    scops = read_source("f.c", text=text, auto=True).scops
    assert all("to_stride_over_8" not in scop.parameters for scop in scops)
