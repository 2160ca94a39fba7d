"""Which sizes a compiler knows where it compiles the loops in their file: what it says, and when it says nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from polyloop.frontend import read_c
from polyloop.measure.compiler_constants import with_compiler_constants
from polyloop.support.compilers import find_executable, user_compiler

FILE = """
#include <stdlib.h>
struct grid { int columns; double *cells; };
static void scale(struct grid *g, double by)
{
    for (int i = 0; i < g->columns; i++) g->cells[i] *= by;
}
void shift(double *restrict a, const double *restrict b, int n)
{
    for (int i = 0; i < n; i++) a[i] += b[i];
}
double cells[64], others[64];
int main(int argc, char **argv)
{
    struct grid g = {64, cells};
    int size = argc > 1 ? atoi(argv[1]) : 64;
    scale(&g, 2.0);
    shift(cells, others, size);
    return cells[3] > 0;
}
"""


@pytest.mark.parametrize("family", ["gcc", "clang"])
def test_what_compilers_see_through_is_known(family: str, tmp_path: Path) -> None:
    if (found := find_executable(family)) is None:
        pytest.skip(f"needs {family}")
    scops = read_c("grid.c", text=FILE, auto=True)
    assert [dict(scop.source.usual) for scop in scops if scop.source] == [{"g_columns": 64}, {"n": 64}]
    asked = with_compiler_constants(scops, user_compiler(f"{found} -O2"), tmp_path, 60)
    known = [dict(scop.source.constants) for scop in asked if scop.source]
    assert [scop.source.seen_through for scop in asked if scop.source] == [True, False]
    assert known == [{"g_columns": frozenset({64})}, {}]


def test_a_compiler_that_says_nothing_changes_nothing(tmp_path: Path) -> None:
    if (found := find_executable("gcc")) is None:
        pytest.skip("needs gcc")
    scops = list(read_c("grid.c", text=FILE, auto=True))
    unusable = replace(user_compiler(f"{found} -O2"), more=("--no-such-option",))
    assert with_compiler_constants(scops, unusable, tmp_path, 60) == scops
    assert with_compiler_constants(scops, user_compiler(f"{found} -O2"), tmp_path, 1e-4) == scops
    assert with_compiler_constants([], user_compiler(f"{found} -O2"), tmp_path, 60) == []
