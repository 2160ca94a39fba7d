"""Environments with the cost model, and a C file of the paper's worked example."""

from __future__ import annotations

from pathlib import Path

import pytest

import polyloop.envs

polyloop.envs.register()

SQUARE_MATVEC = """
void matvec(int n, double A[n][n], double x[n], double y[n])
{
#pragma scop
  for (int i = 0; i < n; i++) {
S:  y[i] = 0;
    for (int j = 0; j < n; j++)
T:    y[i] += A[i][j] * x[j];
  }
#pragma endscop
}
"""


@pytest.fixture
def square_matvec(tmp_path: Path) -> str:
    """Path of a file with square matrix-vector multiplication."""
    path = tmp_path / "matvec.c"
    path.write_text(SQUARE_MATVEC)
    return str(path)
