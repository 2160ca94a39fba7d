"""`polyloop show`: every part of a scop as text, and a picture on demand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import networkx
import pytest

from tests.helpers.commands import SCALE, Run

SHOWN = """\
scop scale in scale.c
  parameters  n
  arrays      double a[n][n]
  known       n > 0

statements
  S0[i, j]  line 7
    domain    { S0[i, j] : 0 <= i < n and 0 <= j < n }
    writes    a[i][j]  (* reduction)
    reads     a[i][j]
    computes  (2.0:f64 * a[i][j])

dependences (0, memory-based)
  none: every order of the statements' instances is right

schedule tree
  band
    [S0: i]
    band
      [S0: j]

loop nest
  for i in [0, n)
    for j in [0, n)
      S0: a[i][j] = (2.0:f64 * a[i][j])
"""

SUM = """\
void total(int n, double a[n], double s[1])
{
#pragma scop
  for (int i = 0; i < n; i++)
    s[0] = s[0] + a[i];
#pragma endscop
}
"""

PASSES = """\
    nest total(n)
      argument f64 s[1]
      argument f64 a[n] read_only
      for i in [0, n)
        S0: s[0] = (s[0] + a[i])
simplify bounds: no change
narrow integers: no change
divide in floats: no change
turn private arrays: no change
cut at clamps: no change
choose vectors: no change
version tiles: no change
lower: vector program
    program total(n)
      argument f64 s[1]
      argument f64 a[n] read_only
      for i in [0, n)
        f64 v0 = load s[0]
        f64 v1 = load a[i]
        f64 v2 = v0 + v1
        store s[0] = v2
reuse values: no change
remove dead code: no change
promote to registers: -5 +7 lines
  @@ -2,7 +2,9 @@
     argument f64 s[1]
     argument f64 a[n] read_only
  -  for i in [0, n)
  -    f64 v0 = load s[0]
  -    f64 v1 = load a[i]
  -    f64 v2 = v0 + v1
  -    store s[0] = v2
  +  if n - 1 >= 0
  +    f64 v3 = load s[0]
  +    for i in [0, n)
  +      carry f64 v4 = v3 next v2 result v5
  +      f64 v1 = load a[i]
  +      f64 v2 = v4 + v1
  +    store s[0] = v5
reuse values again: no change
gather neighbours: no change
remove dead code again: no change
turn blocks: no change
spread accesses: no change
rows in wavefronts: no change
pack divisions: no change
keep sweeps: no change
share neighbours: no change
leave early: no change
skip loops: no change
leave out idle lanes: no change
skip stores: no change
remove unused arrays: no change
planned in
"""


def test_everything_about_a_scop(run: Run, scale: Path) -> None:
    ran = run("show", "scale.c")
    assert (ran.status, ran.out, ran.err) == (0, SHOWN, "")


def test_value_based_dependences(run: Run) -> None:
    memory, value = run("show", "jacobi-1d").out, run("show", "jacobi-1d", "--dependences", "value").out
    assert "dependences (6, memory-based)\n" in memory
    assert "dependences (" in value
    assert memory.partition("dependences (")[0] == value.partition("dependences (")[0]
    assert memory != value


def test_a_picture_in_a_file(run: Run, scale: Path) -> None:
    ran = run("show", "scale.c", "--svg", "scale.svg")
    assert (ran.status, ran.out, ran.err) == (0, SHOWN, "wrote scale.svg\n")
    assert ElementTree.parse(scale.parent / "scale.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_a_picture_on_standard_output(run: Run, scale: Path) -> None:
    ran = run("show", "scale.c", "--svg", "-")
    assert (ran.status, ran.err) == (0, "")
    assert ElementTree.fromstring(ran.out).tag == "{http://www.w3.org/2000/svg}svg"


def test_each_scop_gets_a_picture(run: Run, tmp_path: Path) -> None:
    (tmp_path / "two.c").write_text(SCALE + SCALE)
    ran = run("show", "two.c", "--svg", "two.svg")
    assert (ran.status, ran.err) == (0, "wrote two.scale.svg\nwrote two.scale_2.svg\n")
    for name in ("two.scale.svg", "two.scale_2.svg"):
        assert ElementTree.parse(tmp_path / name).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    (tmp_path / "two.c").write_text(SCALE + SCALE.replace("scale", "again"))
    ran = run("show", "two.c", "--svg", "-")
    assert ran.status == 2
    help_ = "give --svg FILE, or choose with --function from scale, again"
    assert f"--svg - shows one scop and two.c has 2; {help_}" in ran.err
    assert run("show", "two.c", "--svg", "-", "--function", "again").status == 0


def test_a_graph(run: Run, scale: Path) -> None:
    ran = run("show", "scale.c", "--graph", "scale.json")
    assert (ran.status, ran.out, ran.err) == (0, SHOWN, "wrote scale.json\n")
    data = json.loads((scale.parent / "scale.json").read_text())
    assert data["graph"]["scop"] == "scale"
    assert [(node["type"], node["label"]) for node in data["nodes"]] == [
        *(("loop", "i"), ("loop", "j"), ("data", "a"), ("compute", "S0")),
    ]
    assert data["nodes"][0]["size"] == data["graph"]["sizes"]["n"]
    assert networkx.node_link_graph(data, edges="edges").number_of_edges() == len(data["edges"])
    assert json.loads(run("show", "scale.c", "--graph", "-").out) == data


def test_a_picture_and_a_graph(run: Run, scale: Path) -> None:
    ran = run("show", "scale.c", "--graph", "-", "--svg", "scale.svg")
    assert (ran.status, ran.err) == (0, "wrote scale.svg\n")
    assert json.loads(ran.out)["directed"]


def test_a_graph_is_of_one_scop(run: Run, tmp_path: Path) -> None:
    (tmp_path / "two.c").write_text(SCALE + SCALE.replace("scale", "again"))
    ran = run("show", "two.c", "--graph", "-")
    assert ran.status == 2
    assert "--graph - shows one scop and two.c has 2" in ran.err


def test_remarks_of_refused_regions(run: Run, tmp_path: Path) -> None:
    (tmp_path / "wait.c").write_text("void f(int n)\n{\n#pragma scop\n  while (n) n>>=1;\n#pragma endscop\n}\n" + SCALE)
    ran = run("show", "wait.c")
    assert ran.status == 0
    assert ran.err.startswith("wait.c:4:3: remark: region of f left as it is: ")
    assert ran.out.startswith("scop scale in wait.c\n")


def passes(out: str) -> list[str]:
    """The lines without the times, which differ."""
    return [re.sub(r" ?\(?[0-9.]+ ms\)?", "", line) for line in out.splitlines()]


def test_passes_of_planning(run: Run, scale: Path) -> None:
    (scale.parent / "sum.c").write_text(SUM)
    ran = run("show", "--passes", "sum.c")
    assert (ran.status, ran.err) == (0, "")
    first, *lines = passes(ran.out)
    assert re.fullmatch(r"total: loop nest, planned for \d+-bit vectors in \d+ registers", first)
    assert lines == PASSES.splitlines()
    assert "\033" not in ran.out


def test_passes_behind_transforms(run: Run, scale: Path) -> None:
    ran = run("show", "--passes", "scale.c", "--transform", "vectorize(path=(0,), member=0)")
    assert (ran.status, ran.err) == (0, "")
    assert "        vector for j in [0, n)" in ran.out.splitlines()
    assert re.search(r"^ +f64x\d+ v\d+ = load a\[i\]\[j by 1\]$", ran.out, re.MULTILINE)


def test_transforms_change_all_that_is_shown(run: Run, scale: Path) -> None:
    swap = "swap(path=(0,), member=0, with_member=1)"
    ran = run("show", "scale.c", "--transform", "join_bands(path=())", "--transform", swap.replace("(0,)", "()"))
    assert (ran.status, ran.err) == (0, "")
    assert "loop nest\n  for j in [0, n)\n    for i in [0, n)\n" in ran.out
    ran = run("show", "scale.c", "--transform", "swap")
    assert ran.status == 2
    assert "'swap' is not of the form name(path=(...), ...)" in ran.err
    ran = run("show", "scale.c", "--transform", swap)
    assert ran.status == 1
    assert ran.out == ""


@pytest.mark.parametrize(("name", "planned"), [("neon", "128-bit vectors in 32"), ("avx512", "512-bit vectors in 32")])
def test_passes_for_another_instruction_set(run: Run, scale: Path, name: str, planned: str) -> None:
    ran = run("show", "--passes", "scale.c", "--target", name, "--transform", "vectorize(path=(0,), member=0)")
    assert ran.status == 0, ran.err
    assert ran.out.splitlines()[0] == f"scale: loop nest, planned for {planned} registers"
    refused = run("show", "scale.c", "--target", name)
    assert (refused.status, refused.err) == (
        2,
        "polyloop: error: --target: it is what --passes plans for; give that, too\n",
    )


def test_passes_leave_standard_output_to_nobody(run: Run, scale: Path) -> None:
    ran = run("show", "--passes", "scale.c", "--graph", "-")
    assert (ran.status, ran.out) == (2, "")
    assert "--passes writes to standard output" in ran.err
    assert run("show", "--passes", "scale.c", "--graph", "scale.json").status == 0
    assert (scale.parent / "scale.json").exists()
