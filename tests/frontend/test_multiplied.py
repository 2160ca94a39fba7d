"""Loops whose counters are multiplied, written out where constants say what they are: the same is computed."""

from __future__ import annotations

import pytest

from polyloop.frontend import CSourceError, read_c
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, drivers, emitted_and_original, needs_gcc, sizes_that_fall_back

TYPES = "enum { SIZE = 16 };\n#define LAST 8"
PARAMETERS = "int n, double *restrict a, const double *restrict b"
# How many statements there are, none of which has subscripts from data; then parameters, region and driver.
BODIES = {
    "passes": (12, PARAMETERS,
               "for (int r = 0; r < n; r++) for (unsigned len = 2; len <= SIZE; len <<= 1) {"
               " unsigned half = len >> 1, step = SIZE / len;\n"
               " for (unsigned base = 0; base < SIZE; base += len) for (unsigned j = 0; j < half; j++) {"
               " double t = b[j * step] * a[16 * r + base + j + half];\n"
               " a[16 * r + base + j + half] = a[16 * r + base + j] - t;\n a[16 * r + base + j] += t; } }",
               "passes(n / 9, x, y);"),
    "halves": (7, PARAMETERS,
               "for (int i = 0; i < n; i++) { int h; for (h = LAST; h; h /= 2) a[i] += h * b[i + h];\n a[i] -= h;"
               " for (h = 3; h < 7; h += h) a[i] *= h; }",
               "halves(n, x, y);"),
    "skipped": (3, PARAMETERS,
                "for (int i = 0; i < n; i++) for (short s = 1; 5 > s; s = 2 * s) { if (i == s) continue;"
                " a[i] += b[s]; }",
                "skipped(n, x, y);"),
    "turned": (5, PARAMETERS,
               "for (int i = 0; i < n; i++) for (long s = 1; 100 >= s; s = s * 3) a[i] += b[i + (s & 3)];",
               "turned(n, x, y);"),
}  # fmt: skip
FUNCTIONS = {name: (signature, region, driver) for name, (_, signature, region, driver) in BODIES.items()}


@pytest.fixture(scope="module")
def scops() -> dict[str, Scop]:
    return {scop.name: scop for scop in read_c("multiplied.c", text=drivers(TYPES, FUNCTIONS))}


@pytest.fixture(scope="module")
def libraries(scops: dict[str, Scop], tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    return emitted_and_original(drivers(TYPES, FUNCTIONS), scops, tmp_path_factory.mktemp("multiplied"))


@pytest.mark.parametrize("name", BODIES)
def test_all_are_read(name: str, scops: dict[str, Scop]) -> None:
    statements = scops[name].statements
    assert len(statements) == BODIES[name][0]
    assert not any(access.data for statement in statements for access in statement.accesses)


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, (0, 1, 9, 18, 36)) <= {0, 1}


@pytest.mark.parametrize(
    "loop",
    [
        "for (int s = 1; s < n; s *= 2) a[s] = 0;",  # nobody knows where it ends
        "for (int s = 0; s < 9; s *= 2) a[s] = 0;",  # never ends
        "for (unsigned char s = 1; s < 256; s *= 2) a[s] = 0;",  # does not fit
        "for (int s = 1; s < 9; s *= 2) { a[s] = 0; s += 1; }",
        "for (int s = 1; s < 9; s *= 2) { if (a[s] > 0) break; a[s] = 1; }",
        "for (int s = 1; s < 9; s *= 1) a[s] = 0;",
        "int s = 2; for (s += 1; s < 9; s *= 2) a[s] = 0;",  # begins at 3
    ],
)
def test_other_loops_stay(loop: str) -> None:
    text = f"void f(int n, double *a) {{ for (int i = 0; i < n; i++) {{ a[9] += i; {loop} }} }}"
    with pytest.raises(CSourceError, match="for-header"):
        read_c("f.c", text=text, auto=True)
