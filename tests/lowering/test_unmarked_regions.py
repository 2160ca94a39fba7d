"""The C file of regions without pragmas: the rest stays byte for byte, compilers do not warn, results are equal."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import CFile, read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree

COMPILERS = [name for name in ("gcc", "clang", "clang-22") if shutil.which(name)]

TEXT = """\
#include <stdio.h>
#define N 24
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define ZERO(a, n) FOR(k, n) a[k] = 0

/* Several on one line, behind headers, and with text around; max is a name of the set library, too. */
double f(int n, double *a, const double *restrict b)
{
  int i, j; double s; for (i = 0; i < n; i++) a[i] += b[i]; /* behind */ puts("");
  s = 0;
  FOR(k, n) s += a[k]; // behind, too
  if (n > 3) for (i = 0; i < n; i++) a[i] += 1; else for (j = 0; j < n; j++) a[j] -= b[j] * s;
  if (n < 0) printf("%d", n); else if (n > 5)
    for (i = 1; i < n; i++)
      /* inside */
      a[i] = a[i - 1] + b[i];
  else
#pragma GCC unroll 2
    for (i = 0; i < n; i++)
      a[i] *= 0.5;
  while (n > 8) { for (i = 0; i < n; i++) a[i] -= 0.25; n -= 7; }
  switch (n) {
  case 1: for (i = 0; i < n; i++) a[i] += 8;
    break;
  default: { ZERO(a, n / 2); }
  }
  goto out;
out: for (i = n / 2; i < n; i++) a[i] *= s;
  return s;
}

static double grid[N][N];

double g(int steps)
{
\tdouble max = 0;
\tfor (int step = 0; step < steps; step++) {
\t\tif (step == 100)
\t\t\tprintf("%d", step);
\t\tfor (int i = 1; i < N - 1; i++)
\t\t\tfor (int j = 1; j < N - 1; j++)
\t\t\t\tgrid[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]) + 1;
\t}
\tFOR(i, N)
\t\tFOR(j, N)
\t\t\tmax += grid[i][j];
\treturn max;
}
"""
REGIONS = 9


def written(text: str, uncontracted: bool = False) -> tuple[CFile, str]:
    file = read_source("x.c", text=text, auto=True)
    replacements = [Replacement(scop, plan(lower(scop, original_tree(scop)), host_target())) for scop in file.scops]
    return file, emit_c_file(text, replacements, uncontracted=uncontracted)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_rest_stays(end: str) -> None:
    """Every region is gone from its place, or stands behind ``else``; around it nothing has changed."""
    text = TEXT.replace("\n", end)
    file, output = written(text)
    assert len(file.scops) == REGIONS
    place = 0
    rest = 0
    for scop in file.scops:
        assert scop.source is not None
        # What stands between regions is found again in order; new text stands in place of regions and before functions.
        for part in re.split(rf"(?<={end})(?=double [fg]\()", text[rest : scop.source.begin]):
            found = output.index(part, place)
            place = found + len(part)
        rest = scop.source.end
    assert output.endswith(text[rest:])
    assert output.count("\n") == output.count(end)
    assert ("\r" in output) == (end == "\r\n")


def results(library: ctypes.CDLL) -> list[np.ndarray]:
    library.f.restype = library.g.restype = ctypes.c_double
    made = []
    for n in (0, 1, 3, 5, 6, 9, 40):
        rng = np.random.default_rng(n)
        a, b = rng.uniform(-1, 1, n + 1), rng.uniform(-1, 1, n + 1)
        value = library.f(n, ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(b.ctypes.data))
        # Overlapping arguments run the original loops.
        c = rng.uniform(-1, 1, n + 2)
        other = library.f(n, ctypes.c_void_p(c.ctypes.data + 8), ctypes.c_void_p(c.ctypes.data))
        made += [a, c, np.array([value, other, library.g(n)])]
    return made


@pytest.mark.parametrize("uncontracted", [False, True])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_warnings_and_equal_results(tmp_path: Path, compiler: str, uncontracted: bool) -> None:
    _, output = written(TEXT, uncontracted)
    libraries = []
    for name, text in (("original", TEXT), ("new", output)):
        source, library = tmp_path / f"{name}.c", tmp_path / f"{name}.so"
        source.write_text(text)
        flags = ["-std=c99", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
        command = [compiler, *flags, "-shared", "-fPIC", str(source), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        libraries.append(ctypes.CDLL(str(library)))
    for expected, actual in zip(*map(results, libraries), strict=True):
        np.testing.assert_array_equal(expected.view(np.int64), actual.view(np.int64))


def test_a_second_run_finds_nothing_to_do() -> None:
    _, output = written(TEXT)
    again = read_source("x.c", text=output, auto=True)
    assert again.scops == ()
    assert {d.code for d in again.diagnostics} == {"own-output"}
    assert len(again.diagnostics) == REGIONS


def test_a_variable_beside_a_macro_that_asks_for_parentheses() -> None:
    text = """#define max(a, b) ((a) > (b) ? (a) : (b))
    void f(int max, const int *a, int *b) { for (int i = 0; i < max; i++) b[i] = max(a[i], 3) * max; }
    """
    file = read_source("f.c", text=text, auto=True)
    (scop,) = file.scops
    program = plan(lower(scop, original_tree(scop)), host_target())
    assert re.search(r"polyloop_f_0\(max, a, b\);", emit_c_file(text, [Replacement(scop, program)]))
    again = read_source("f.c", text=f"{text}#undef max\n#define max 4\n", auto=True)
    assert [(d.code, "macro in it, max," in d.message) for d in again.diagnostics] == [("name", True)]
