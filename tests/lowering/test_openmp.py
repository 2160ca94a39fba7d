"""C files whose loops have directives of OpenMP: what is written compiles with and without it, keeps the threads, and
computes the same."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import read_source
from polyloop.lowering.region_alone import region_alone
from polyloop.lowering.to_c_file import EmitError, Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.shaping.shaped import parallelized
from polyloop.shaping.variants import variants

TEXT = """\
#include <math.h>
void product(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n])
{
#pragma omp parallel for
  /* of rows */
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
#pragma endscop
}
void sweeps(int n, double a[n][n], double b[n][n])
{
  int i, j;
  for (int t = 0; t < 3; t++) {
#pragma omp parallel for private(j) schedule(dynamic, 4)
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++) b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
#pragma omp parallel for private(j) schedule(dynamic, 4)
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++) a[i][j] = b[i][j];
  }
}
void sums(int n, double a[restrict n][n], double *restrict x, double *restrict y)
{
  double t;
  int i, j;
#pragma omp parallel for private(t, j) num_threads(3) if(n > 5)
  for (i = 0; i < n; i++) {
    t = 0;
    for (j = 0; j < n; j++) t += a[i][j] * x[j];
    y[i] = t;
  }
}
void own(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n])
{
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double rows[4], last;
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < 4; k++) rows[k] = b[j][i] * k;
      last = rows[3] - rows[1];
      for (int k = 0; k < n; k++) c[i][j] += a[j][k] * last + rows[k % 4];
    }
  }
}
void columns(int n, double a[restrict n][n], double *restrict x)
{
#pragma omp parallel for
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) x[j] += a[i][j];
}
static void shared(int n, double *restrict x, double *restrict y)
{
  int i;
  double t;
#pragma omp for nowait
  for (i = 0; i < n; i++) { t = x[i] + 1; y[i] = t * t; }
#pragma omp for
  for (i = 0; i < n; i++) x[i] = y[i] - 1;
}
double team(int n, double *restrict x, double *restrict y)
{
  double most = 0;
  int count = 0;
#pragma omp parallel num_threads(4)
  {
    shared(n, x, y);
#pragma omp single
    for (int i = 0; i < n; i++)
      most = fmax(most, x[i]);
#pragma omp critical
    count += 1;
  }
  return most + (count > 0);
}
double dot(int n, double *x, double *y)
{
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) s += x[i] * y[i];
#pragma omp simd
  for (int i = 0; i < n; i++) y[i] += x[i];
  return s;
}
"""
NAMES = ("product", "sweeps", "sums", "own", "columns", "team", "dot")


def replacement(scop: Scop, threads: bool = True) -> Replacement:
    """In the first variant of which something can be written."""
    assert scop.source is not None
    for variant in variants(scop):
        tree = original_tree(variant.scop)
        tree = parallelized(Proofs(False), variant.scop, tree, 3) if threads else tree
        found = Replacement(scop, plan(lower(variant.scop, tree), host_target()))
        try:
            emit_c_file(scop.source.text, [found])
        except EmitError:
            continue
        return found
    raise EmitError("none")


@pytest.fixture(scope="module")
def scops() -> dict[str, Scop]:
    file = read_source("x.c", text=TEXT, auto=True)
    assert file.diagnostics == ()
    return {scop.name: scop for scop in file.scops}


@pytest.fixture(scope="module")
def written(scops: dict[str, Scop]) -> str:
    return emit_c_file(TEXT, [replacement(scop) for name, scop in scops.items() if name != "dot"])


def test_the_threads_stay(scops: dict[str, Scop], written: str) -> None:
    assert list(scops) == [
        *("product", "sweeps", "sums", "own", "columns", "shared", "shared_2", "team", "dot", "dot_2")
    ]
    kernels = written.split("polyloop_kernel ")
    own = {
        name: next(text for text in kernels if text.startswith(f"void polyloop_{name}_"))
        for name in ("product", "sweeps", "sums", "own", "columns", "shared")
    }
    directives = {
        name: [line for line in text.splitlines() if line.startswith("#pragma omp")] for name, text in own.items()
    }
    before = {
        name: lines[: len(lines) - TEXT.partition(f" {name}(")[2].partition("\n}")[0].count("#pragma omp")]
        for name, lines in directives.items()
    }
    assert before["product"] == ["#pragma omp parallel for"]
    assert before["sweeps"] == ["#pragma omp parallel for schedule(dynamic)"] * 2
    assert before["own"] == before["columns"] == ["#pragma omp parallel for"]
    assert before["sums"] == ["#pragma omp parallel for num_threads(3)"]
    assert "#pragma omp for\n" in own["shared"]
    assert "&& (n > 5)" in written or "if ((n > 5)" in written
    assert written.count("#pragma omp barrier") == 2


def test_without_threads_nothing_is_written(scops: dict[str, Scop]) -> None:
    for name in ("product", "shared", "dot"):
        with pytest.raises(EmitError):
            replacement(scops[name], threads=False)
    with pytest.raises(EmitError):  # a sum in its order
        replacement(scops["dot"])


def test_a_region_alone_has_its_directives(scops: dict[str, Scop]) -> None:
    alone = region_alone(scops["product"])
    assert "#pragma omp parallel for" in alone.source.text[alone.source.begin : alone.source.end]
    assert alone.source.text.count("#pragma omp parallel for\n  /* of rows */\n  for") == 1
    for name in ("product", "sweeps", "sums", "own", "columns", "shared"):
        own = region_alone(scops[name])
        for text in (own.source.text, emit_c_file(own.source.text, [replacement(own.scop)])):
            options = ["-march=native", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-fsyntax-only"]
            options += ["-Wno-unknown-pragmas"]
            subprocess.run(["gcc", *options, "-x", "c", "-"], input=text, text=True, check=True)


COMPILERS = [
    (name, flags) for name in ("gcc", "clang", "clang-22") if shutil.which(name) for flags in ((), ("-fopenmp",))
]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[list[np.ndarray]]:
    return results(build(tmp_path_factory.mktemp("original"), TEXT, "gcc", ()))


@pytest.mark.parametrize(("compiler", "flags"), COMPILERS, ids=lambda value: str(value))
def test_results_are_equal(
    compiler: str, flags: tuple[str, ...], written: str, expected: list[list[np.ndarray]], tmp_path: Path
) -> None:
    if (
        flags
        and subprocess.run(
            [compiler, *flags, "-x", "c", "-", "-shared", "-o", "/dev/null"],
            input="#include <omp.h>\nint n;\n",
            text=True,
            capture_output=True,
            check=False,
        ).returncode
    ):
        assert "omp.h" not in written
        options = ("-march=native", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *flags)
        subprocess.run([compiler, *options, "-x", "c", "-"], input=written, text=True, check=True)
        return
    found = results(build(tmp_path, written, compiler, flags))
    for ours, theirs in zip(found, expected, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


def build(folder: Path, text: str, compiler: str, flags: tuple[str, ...]) -> ctypes.CDLL:
    (folder / "x.c").write_text(text)
    options = ("-O1", "-march=native", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")
    subprocess.run([compiler, *options, *flags, "-shared", "-fPIC", "x.c", "-o", "x.so", "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "x.so"))


def results(library: ctypes.CDLL) -> list[list[np.ndarray]]:
    """Everything that the functions leave, for sizes on both sides of the tests."""
    found = []
    for name in NAMES:
        for n in (0, 1, 5, 19):
            data = np.random.default_rng(n)
            square = [data.integers(-9, 9, (max(n, 1), max(n, 1))).astype(float) for _ in range(3)]
            rows = [data.integers(-9, 9, max(n, 1)).astype(float) for _ in range(2)]
            arrays = {
                "product": square,
                "own": square,
                "sweeps": square[:2],
                "sums": [square[0], *rows],
                "columns": [square[0], rows[0]],
            }.get(name, rows)
            function = library[name]
            function.restype = ctypes.c_double if name in ("team", "dot") else None
            value = function(n, *(array.ctypes.data_as(ctypes.c_void_p) for array in arrays))
            found.append([*arrays, np.array([value or 0.0])])
    return found
