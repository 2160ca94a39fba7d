"""Arrays of the region's own that begin with a list of values: a statement for each of few, loops for many zeros."""

from __future__ import annotations

import pytest

from polyloop.frontend import CSourceError, read_c, read_source
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, drivers, needs_gcc, sizes_that_fall_back

SIGNATURE = "int n, const double *restrict x, double *restrict y"
COUNTS = """for (int r = 0; r < n; r++) {
    unsigned counts[256] = {0};
    for (int i = 0; i < n; i++) counts[(unsigned char)x[r * n + i]]++;
    for (int i = 0; i < 4; i++) y[r * 4 + i] = counts[i] + counts[i + 8]; }"""
PRODUCTS = """for (int r = 0; r < n; r++) {
    double sums[5][5] = {{0.0}};
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 5; a++) for (int b = 0; b < 5; b++) sums[a][b] += x[i + a] * x[r + b];
    for (int a = 0; a < 5; a++) y[r * 5 + a] += sums[a][a] - sums[0][a]; }"""
OTHERS = """for (int r = 0; r < n; r++) {
    double sums[40] = {x[r], 2, 0, x[r + 1]};
    for (int i = 0; i < n; i++) for (int a = 0; a < 40; a++) sums[a] += x[i + a % 8];
    for (int a = 0; a < 40; a++) y[r + a % 3] += sums[a]; }"""
FEW = "for (int r = 0; r < n; r++) { double t[3] = {x[r]}; t[r % 3] += 2; y[r] = t[0] + t[1] - t[2]; }"
BODIES = {"counts": COUNTS, "products": PRODUCTS, "others": OTHERS, "few": FEW}
TEXT = drivers("", {name: (SIGNATURE, body, f"{name}(n, x, y);") for name, body in BODIES.items()})


def test_many_zeros_are_stored_by_loops(scops: dict[str, Scop]) -> None:
    assert {name: [s.depth for s in scop.statements] for name, scop in scops.items()} == {
        "counts": [2, 2, 2],
        "products": [3, 4, 2],
        "others": [2, 1, 1, 1, 3, 2],
        "few": [1, 1, 1, 1, 1],
    }


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_emitted_code_begins_with_the_same(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, range(1, 12)) == set()


def test_what_a_negative_zero_is() -> None:
    text = f"void f({SIGNATURE}) {{ for (int r = 0; r < n; r++) {{ double t[30] = {{-0.0}}; y[r] = t[r % 30]; }} }}"
    (scop,) = read_source("f.c", text=text, auto=True).scops
    assert [str(s.target) for s in scop.statements][:2] == ["t[t_0]", "t[0]"]


@pytest.mark.parametrize("values", [", ".join(map(str, range(1, 90))), "[3] = 1"])
def test_others_are_refused(values: str) -> None:
    body = f"for (int r = 0; r < n; r++) {{ double t[100] = {{{values}}}; y[r] = t[r % 100]; }}"
    with pytest.raises(CSourceError, match=r"the initialiser of t is too large|designated and mixed initialisers"):
        read_c("f.c", text=f"void f({SIGNATURE})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n")
