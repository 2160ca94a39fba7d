"""`polyloop explain`: verdicts with reasons, on all candidates or along a trace."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers.commands import Run

WAVE = """\
void wave(int n, double a[n][n])
{
#pragma scop
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n - 1; j++)
      a[i][j] = a[i - 1][j + 1];
#pragma endscop
}
"""


@pytest.fixture(autouse=True)
def _wave(tmp_path: Path) -> None:
    (tmp_path / "wave.c").write_text(WAVE)


def test_a_refusal_names_dependence_and_example(run: Run) -> None:
    ran = run("explain", "wave.c", "swap(path=(), member=0, with_member=1)")
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[:2] == ["wave: 1 dependence", "  swap(path=(), member=0, with_member=1): refused"]
    assert lines[2].startswith("    cannot interchange i and j in wave: dependence S0[i,j] -> S0[i+1,j-1] ")
    assert "would be reversed" in lines[2]
    assert lines[4:] == ["  the schedule up to here", "    band", "      [S0: i]", "      band", "        [S0: j]"]


def test_a_legal_trace_shows_what_it_makes(run: Run) -> None:
    trace = ["join_bands(path=())", "skew(path=(), member=1, by_member=0, factor=1)"]
    swap = "swap(path=(), member=0, with_member=1)"
    ran = run("explain", "wave.c", "--transform", trace[0], "--transform", trace[1], swap)
    lines = ran.out.splitlines()
    assert lines[1] == "  join_bands(path=()): legal: join the bands of i and j"
    assert lines[2] == f"  {trace[1]}: legal: skew j by i"
    assert lines[3] == f"  {swap}: legal: interchange i and j"
    assert "  loop nest" in lines


def test_all_candidates(run: Run) -> None:
    ran = run("explain", "wave.c")
    lines = ran.out.splitlines()
    assert "  swap: 0 of 1 legal" in lines
    assert "  vectorize: 1 of 2 legal" in lines
    assert "    vectorize(path=(0,), member=0): legal: vectorize j" in lines
    refused = next(line for line in lines if line.startswith("    vectorize(path=(), member=0)"))
    assert refused.startswith("    vectorize(path=(), member=0): refused: dependence S0[i,j] -> S0[i+1,j-1] ")


def test_reductions_may_be_reordered_on_demand(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sum.c").write_text(
        "double total(int n, double a[n])\n{\n  double s = 0;\n#pragma scop\n"
        "  for (int i = 0; i < n; i++)\n    s += a[i];\n#pragma endscop\n  return s;\n}\n"
    )
    reverse = "reverse(path=(), member=0)"
    assert f"  {reverse}: refused" in run("explain", "sum.c", reverse).out
    assert f"  {reverse}: legal: reverse i" in run("explain", "sum.c", reverse, "--reassociate").out


def test_expansions_come_first(run: Run) -> None:
    expand = "expand(array='dot', loops=(0, 1))"
    assert f"    {expand}: legal: expand dot over loop levels 0, 1\n" in run("explain", "symm").out
    swap = "swap(path=(), member=0, with_member=1)"
    assert f"  {swap}: refused\n" in run("explain", "symm", swap).out
    ran = run("explain", "symm", expand, "vectorize(path=(0,), member=0)")
    assert re.search(r"^symm: 10 dependences\n  expand.*: legal: .*; \d dependences left\n", ran.out)
    ran = run("explain", "symm", "join_bands(path=())", expand)
    assert ran.status == 2
    assert f"{expand} makes a new scop; put it before the transforms of its loops" in ran.err


def test_refused_expansions(run: Run) -> None:
    ran = run("explain", "wave.c", "expand(array='b', loops=(0,))")
    assert ran.status == 0
    assert "\n    cannot expand b over loop level 0 in wave: " in ran.out


def test_changes_of_the_scop_are_listed_and_applied(run: Run) -> None:
    listed = run("explain", "floyd-warshall").out
    cut = "index_set_split(statement='S0', plane='j - k')"
    assert "  index_set_split: 2 of 2 legal\n" in listed
    assert f"    {cut}: legal: split S0 at j - k = 0\n" in listed
    ran = run("explain", "floyd-warshall", cut, "index_set_split(statement='S9', plane='k')")
    assert f"  {cut}: legal: split S0 at j - k = 0; " in ran.out
    assert "\n    cannot split S9 at k = 0 in floyd_warshall: there is no statement S9\n" in ran.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("expand(dot)", "'expand(dot)' is not of the form name(path=(...), ...)"),
        ("expand(array='dot')", "expand: given array; this is not of the form expand(array='NAME', loops=(0, ...))"),
        ("melt(path=())", "there is no transform 'melt'; there are expand, split_webs, index_set_split, relayout, in_"),
        ("swap", "'swap' is not of the form name(path=(...), ...)"),
        ("tile(path=(0,), sizes=3)", "tile: sizes is 3"),
    ],
)
def test_what_is_no_transform(run: Run, text: str, message: str) -> None:
    ran = run("explain", "wave.c", text)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"polyloop: error: {message}")
    assert ran.err.endswith("; polyloop explain without transforms lists all that a file has\n")
