"""`polyloop show`: every part of a scop as text, and a picture on demand."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import networkx

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
    (tmp_path / "wait.c").write_text("void f(int n)\n{\n#pragma scop\n  while (n) n--;\n#pragma endscop\n}\n" + SCALE)
    ran = run("show", "wait.c")
    assert ran.status == 0
    assert ran.err.startswith("wait.c:4:3: remark: region of f left as it is: ")
    assert ran.out.startswith("scop scale in wait.c\n")
