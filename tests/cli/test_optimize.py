"""`polyloop optimize`: report, files, streams. The figures are fixed but for one real run at the end."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import polyloop.cli.optimize
from polyloop.backend.c.header import emit_header
from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import F32
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.host import host_target
from polyloop.cli.optimize import _WRITING, Shares
from polyloop.lowering.to_c_file import EmitError
from polyloop.measure.evaluator import Evaluator
from polyloop.measure.result import Check, Judgement, Result
from polyloop.scop.model import Scop
from polyloop.terminal.option_types import PerRegion, budget
from polyloop.terminal.output import GUARD
from polyloop.terminal.report import Outcome
from tests.helpers.commands import SCALE, Run, vectorized

THREE = """\
#include <math.h>
void row(int n, double s[n])
{
#pragma scop
  for (int i = 1; i < n; i++)
    s[i] = s[i - 1] * 0.5;
#pragma endscop
}

void odd(int n, double a[n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = a[i] + 1.0;
#pragma endscop
}

int wait(int n)
{
#pragma scop
  while (n)
    n >>= 1;
#pragma endscop
  return n;
}
"""

REPORT = """\
scale.c:5: scale: 2.00 times as fast as before, the best of 3 that were tried
  order           i, j
  vector loop     j
  time            2 ms before, 1 ms after (median of 5 runs)
  proof           no dependences to keep
  check           64 elements compared, all bit-equal
"""

DEFAULT_SIZES = "  sizes           n=8 (chosen for a run of about 50 ms)\n"


@pytest.fixture(autouse=True)
def _fixed(request: pytest.FixtureRequest) -> None:
    if "really" not in request.node.name:
        request.getfixturevalue("fixed_optimizer")


def test_without_a_file_the_result_goes_to_standard_output(run: Run, scale: Path) -> None:
    ran = run("optimize", "scale.c")
    assert (ran.status, ran.err) == (0, REPORT + DEFAULT_SIZES)
    assert [path.name for path in scale.parent.iterdir()] == ["scale.c"]
    assert run("optimize", "scale.c", "-o", "out.c").status == 0
    assert ran.out == (scale.parent / "out.c").read_text()


def test_the_output_replaces_the_loops_only(run: Run, scale: Path) -> None:
    ran = run("optimize", "scale.c", "-o", "out.c")
    assert (ran.status, ran.out, ran.err) == (0, REPORT + DEFAULT_SIZES + "wrote out.c\n", "")
    written = (scale.parent / "out.c").read_text()
    assert written.partition("\n")[2].startswith("/* scale */\n")
    assert written.endswith("#pragma endscop\n#pragma GCC diagnostic pop\n}\n")
    assert "polyloop_scale_0(n, " in written
    assert scale.read_text() == SCALE


def test_sizes_and_where_they_come_from(run: Run, scale: Path) -> None:
    assert "n=12 (--sizes)\n" in run("optimize", "scale.c", "--sizes", "n=12").err
    ran = run("optimize", "gemm", "--dataset", "mini", "--sizes", "ni=4,nj=5", "--sizes", "nj=6")
    assert "ni=4, nj=6, nk=30 (dataset MINI, --sizes)\n" in ran.err
    shutil.copy(polyloop_data("gemm.c"), "mine.c")
    ran = run("optimize", "mine.c", "--sizes", "ni=4,nk=9")
    assert re.search(r"ni=4, nj=\d+, nk=9 \(--sizes; nj: chosen for a run of about 50 ms\)\n", ran.err)


def polyloop_data(name: str) -> Path:
    return Path(polyloop.__file__).with_name("data") / "kernels" / name


MANY = """\
void many(int n, double a[n][n], double b[n][n], double c[n][n], double d[n][n])
{
#pragma scop
    for (int the_column_of_a = 0; the_column_of_a < n; the_column_of_a++)
        a[0][the_column_of_a] = 1;
    for (int row_of_b = 0; row_of_b < n; row_of_b++)
        for (int the_column_of_b = 0; the_column_of_b < n; the_column_of_b++)
            b[row_of_b][the_column_of_b] = 2;
    for (int row_of_c = 0; row_of_c < n; row_of_c++)
        for (int the_column_of_c = 0; the_column_of_c < n; the_column_of_c++)
            c[row_of_c][the_column_of_c] = 3;
#pragma endscop
}
"""


def test_long_lines_are_folded_by_statement(run: Run, tmp_path: Path) -> None:
    Path("many.c").write_text(MANY)
    order, *rest = run("optimize", "many.c").err.splitlines()[1:4]
    assert order == "  order           S0: the_column_of_a;"
    assert rest == [" " * 18 + "S1: row_of_b, the_column_of_b;", " " * 18 + "S2: row_of_c, the_column_of_c"]


def test_verbose_names_all_candidates(run: Run, scale: Path) -> None:
    ran = run("optimize", "scale.c", "-v")
    assert ran.err == REPORT + DEFAULT_SIZES + (
        "  measured\n    original loops: 2 ms\n    vectorized: 1 ms\n    tiled: slow\n"
    )


def test_standard_output_belongs_to_the_result(run: Run, scale: Path) -> None:
    run("optimize", "scale.c", "-o", "out.c")
    ran = run("optimize", "-", "-o", "-", stdin=SCALE.encode())
    assert ran.status == 0
    assert ran.out.partition("\n")[2] == (scale.parent / "out.c").read_text().partition("\n")[2]
    assert ran.err == REPORT.replace("scale.c", "<stdin>") + DEFAULT_SIZES


def test_every_scop_for_itself(run: Run, tmp_path: Path) -> None:
    """One keeps its loops, one fails, one is refused: remarks on standard error, exit status 0, text untouched."""
    (tmp_path / "three.c").write_text(THREE)
    ran = run("optimize", "three.c", "-o", "out.c")
    assert ran.status == 0
    refused, line, caret, failed = ran.err.splitlines()
    assert refused.startswith("three.c:21:3: remark: region of wait left as it is: ")
    assert (line, caret) == ("    while (n)", "    ^")
    assert failed == "three.c:13: remark: odd is left as it is: it is odd"
    assert ran.out.splitlines() == [
        "three.c:5: row: the original loops are the fastest of 3 that were tried; left as they are",
        "  time            2 ms (median of 5 runs)",
        "  proof           1 dependence checked, all kept",
        "  check           64 elements compared, all bit-equal",
        "  sizes           n=8 (chosen for a run of about 50 ms)",
        "wrote out.c",
    ]
    assert (tmp_path / "out.c").read_text() == THREE


def test_macros_stay_where_no_loops_in_them_are_replaced(run: Run, tmp_path: Path) -> None:
    text = "#define ODD(T) void odd(int n, T *a) { for (int i = 0; i < n; i++) a[i] += 1; }\nint first;\nODD(float)\n"
    (tmp_path / "odd.c").write_text(text)
    ran = run("optimize", "odd.c", "--auto", "-o", "out.c")
    assert "odd is left as it is: it is odd" in ran.err
    assert (tmp_path / "out.c").read_text() == text


def test_nothing_to_emit(run: Run, tmp_path: Path) -> None:
    (tmp_path / "odd.c").write_text(SCALE.replace("scale", "odd"))
    ran = run("optimize", "odd.c", "-o", "odd.ll", "--emit=llvm")
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == (
        "odd.c:5: remark: odd is left as it is: it is odd\n"
        "polyloop: remark: no scop was optimized, so there is no llvm to write\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["odd.c"]


def test_what_cannot_be_written_back_is_left(run: Run, scale: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results that differ, and scops that the emitter refuses, never reach the output."""

    def differs(scop: Scop, **options: Any) -> Result:
        return replace(vectorized(scop, **options), check=Check(64, 1, 0.5))

    def refuses(*_: object, **options: object) -> str:
        raise EmitError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(polyloop.cli.optimize, "optimize", differs)
        ran = run("optimize", "scale.c", "-o", "out.c")
        assert "scale is left as it is: the fastest schedule's results differ from the original's" in ran.err
        assert (scale.parent / "out.c").read_text() == SCALE
    monkeypatch.setattr(polyloop.cli.optimize, "emit_c_file", refuses)
    ran = run("optimize", "scale.c", "-o", "other.c")
    assert ran.err == "scale.c:5: remark: scale is left as it is: no room\n"
    assert (scale.parent / "other.c").read_text() == SCALE


def test_one_function(run: Run, tmp_path: Path) -> None:
    (tmp_path / "three.c").write_text(THREE + SCALE)
    ran = run("optimize", "three.c", "--function", "scale", "-o", "out.c")
    assert (ran.status, ran.err) == (0, "")
    assert (tmp_path / "out.c").read_text().partition("\n")[2].startswith(THREE)


def test_json(run: Run, tmp_path: Path) -> None:
    (tmp_path / "all.c").write_text(THREE + SCALE)
    ran = run("optimize", "all.c", "--json", "all.json", "--threads", "2", "--fp-contract=off")
    assert ran.err.endswith("wrote all.json\n")
    content = json.loads((tmp_path / "all.json").read_text())
    assert list(content) == ["suite", "machine", "settings", "rows", "summary"]
    assert content["suite"] == "optimize"
    assert content["settings"] == {
        "input": "all.c", "search": "isl", "space": None, "budget": None, "force": False, "threads": 2,
        "reassociate": False,
        "contract": "off", "reproducible": False, "target": None, "targets": None, "assume_noalias": False,
        "auto": False, "cc": None,
        "dataset": None, "defines": [],
    }  # fmt: skip
    assert {"cpu", "cores", "system"} <= content["machine"].keys()
    statuses = [(row.get("scop"), row["status"], row["line"]) for row in content["rows"]]
    assert statuses == [
        ("row", "original", 5), ("odd", "left", 13), ("scale", "optimized", 30), (None, "left", 21),
    ]  # fmt: skip
    assert content["summary"] == {
        "scops": 3, "optimized": 1, "original": 1, "left": 2, "speedup": pytest.approx(2**0.5),
        "verified": {"compared": 128, "different": 0},
    }  # fmt: skip
    row = content["rows"][2]
    assert row["before"] == {"minimum": 2e-3, "median": 2e-3, "spread": 0.0, "runs": 5}
    assert row["after"]["median"] == 1e-3
    assert (row["speedup"], row["best"], row["steps"]) == (2.0, "vectorized", ["vectorized"])
    assert row["words"] == {"order": "i, j", "vector loop": "j"}
    assert row["proof"]["dependences"] == 0
    assert row["reproducible"] is None
    assert row["check"] == {
        "compared": 64, "different": 0, "largest": 0.0, "tolerance": 0.0, "rounding": None, "passed": True,
    }  # fmt: skip
    assert [c["name"] for c in row["candidates"]] == ["original loops", "vectorized", "tiled"]
    assert row["candidates"][2] == {"name": "tiled", "time": None, "error": "slow", "kind": "timed_out"}


def test_json_on_standard_output(run: Run, scale: Path) -> None:
    ran = run("optimize", "scale.c", "--json", "-")
    assert json.loads(ran.out)["summary"]["optimized"] == 1
    assert ran.err == REPORT + DEFAULT_SIZES


def test_several_forms_beside_one_another(run: Run, scale: Path) -> None:
    ran = run("optimize", "scale.c", "-o", "fast.c", "--emit=c,llvm,asm,obj,schedule,isl,jscop,graph")
    endings = (".c", ".ll", ".s", ".o", ".h", ".schedule", ".isl", ".jscop", ".graph.json")
    assert [line.removeprefix("wrote ") for line in ran.out.splitlines()[-9:]] == [f"fast{each}" for each in endings]
    folder = scale.parent
    assert re.search(r'^define .*void @"?polyloop_scale"?\(i64', (folder / "fast.ll").read_text(), re.MULTILINE)
    assert "polyloop_scale:" in (folder / "fast.s").read_text()
    assert (folder / "fast.o").read_bytes().startswith(b"\x7fELF")
    assert "void polyloop_scale(long n, double *a);" in (folder / "fast.h").read_text()
    assert (folder / "fast.isl").read_text().startswith('domain: "[n] -> { S0[i, j]')
    assert json.loads((folder / "fast.schedule").read_text())["regions"][0]["name"] == "scale"
    assert json.loads((folder / "fast.jscop").read_text())["name"] == "scale"
    graph = json.loads((folder / "fast.graph.json").read_text())
    assert {node["type"] for node in graph["nodes"]} == {"loop", "data", "compute"}
    assert {node["label"] for node in graph["nodes"] if node["type"] == "data"} == {"a"}


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_object_links_with_its_header(run: Run, scale: Path) -> None:
    assert run("optimize", "scale.c", "-o", "fast.o", "--emit=obj").status == 0
    (scale.parent / "main.c").write_text(
        '#include "fast.h"\n#include <stdio.h>\n'
        "int main(void)\n{\n  double a[2][2] = {{1, 2}, {3, 4}};\n  polyloop_scale(2, *a);\n"
        '  printf("%g %g %g %g", a[0][0], a[0][1], a[1][0], a[1][1]);\n  return 0;\n}\n'
    )
    subprocess.run(["cc", "-Wall", "-Werror", "-o", "main", "main.c", "fast.o", "-lm"], check=True)
    assert subprocess.run(["./main"], check=True, capture_output=True).stdout == b"2 4 6 8"


@pytest.mark.parametrize("command", [("optimize", "scale.c", "--emit=obj"), ("tune", "c[m] = 2 * a[m]", "m=9")])
def test_an_object_has_no_header_in_the_place_of_somebody_elses(
    run: Run, scale: Path, command: tuple[str, ...]
) -> None:
    mine = scale.with_name("scale.h")
    mine.write_text("#define SCALE 2.0\n")
    more = ("--evaluations", "1") if command[0] == "tune" else ()
    ran = run(*command, *more, "-o", "scale.o")
    assert (ran.status, ran.out) == (2, "")
    assert "-o: the object's header would be scale.h, which polyloop has not made; rename one" in ran.err
    assert (mine.read_text(), Path("scale.o").exists()) == ("#define SCALE 2.0\n", False)
    mine.unlink()
    for _ in range(2):
        assert run(*command, *more, "-o", "scale.o").status == 0
        assert mine.read_text().startswith(GUARD)


def test_headers_say_what_to_link() -> None:
    program = VectorProgram("f", ("n",), (ArraySpec("a", F32, (affine("n"),), read_only=True),), ())
    assert "Link with -lgomp" in emit_header(program, threads=2)
    assert "Link with" not in emit_header(program)


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
def test_the_header_of_an_object_states_the_context_and_avoids_reserved_words(run: Run, tmp_path: Path) -> None:
    (tmp_path / "take.c").write_text(
        "void take(int n, double new[9][100], double *class)\n{\n#pragma scop\n"
        "  for (int i = 0; i < n; i++)\n    new[4][i] = new[4][i] * *class;\n#pragma endscop\n}\n"
    )
    ran = run("optimize", "take.c", "-o", "take.o", "--emit=obj")
    assert ran.status == 0, ran.err
    text = (tmp_path / "take.h").read_text()
    assert "void polyloop_take(long n, double *new_, const double *class_);" in text
    assert " * It must hold that n <= 100.\n" in text
    (tmp_path / "user.cpp").write_text('#include "take.h"\n')
    subprocess.run(["c++", "-Wall", "-Werror", "-c", "user.cpp"], check=True)


def test_one_form_gets_the_name_that_is_given(run: Run, scale: Path) -> None:
    assert run("optimize", "scale.c", "-o", "fast.x", "--emit=llvm").out.endswith("wrote fast.x\n")
    assert "polyloop_scale" in (scale.parent / "fast.x").read_text()


def test_a_form_without_a_file_goes_to_standard_output(run: Run, scale: Path) -> None:
    ran = run("optimize", "scale.c", "--emit=isl")
    assert ran.out.startswith("domain: ")
    assert ran.err == REPORT + DEFAULT_SIZES


def test_several_scops_get_files_of_their_own(run: Run, tmp_path: Path) -> None:
    (tmp_path / "two.c").write_text(SCALE + SCALE.replace("scale", "again"))
    ran = run("optimize", "two.c", "-o", "two.ll", "--emit=llvm")
    assert ran.out.splitlines()[-2:] == ["wrote two.scale.ll", "wrote two.again.ll"]
    ran = run("optimize", "two.c", "--emit=llvm")
    assert ran.status == 2
    assert "2 scops do not fit on standard output; choose with --function, or give -o FILE" in ran.err


def test_derived_names_never_hit_the_input(run: Run, scale: Path) -> None:
    ran = run("optimize", "scale.c", "-o", "scale.ll", "--emit=c,llvm")
    assert ran.status == 1
    assert "scale.c is the input file" in ran.err
    assert scale.read_text() == SCALE


def test_in_place(run: Run, scale: Path) -> None:
    scale.chmod(0o640)
    ran = run("optimize", "scale.c", "--in-place")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.endswith("wrote scale.c\n")
    assert "polyloop_scale_0(n, " in scale.read_text()
    assert scale.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-8-sig"])
def test_bytes_that_are_not_ours_survive(run: Run, tmp_path: Path, encoding: str) -> None:
    text = SCALE.replace("/* scale */", "/* größer */").replace("\n", "\r\n")
    (tmp_path / "a.c").write_bytes(text.encode(encoding))
    assert run("optimize", "a.c", "-o", "b.c").status == 0
    written = (tmp_path / "b.c").read_bytes()
    first = "/* größer */\r\n".encode(encoding)
    assert written.startswith("\ufeff".encode() if encoding == "utf-8-sig" else b"/* Made by polyloop ")
    assert written.partition(b"\r\n")[2].startswith(first.removeprefix("\ufeff".encode()))
    assert written.count(b"\n") == written.count(b"\r\n")


def test_an_existing_output_stays_whole_when_the_work_fails(
    run: Run, scale: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (scale.parent / "out.c").write_text("precious")

    def interrupted(*_: object, **__: object) -> Outcome:
        raise KeyboardInterrupt

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", interrupted)
    ran = run("optimize", "scale.c", "-o", "out.c")
    assert (ran.status, ran.out, ran.err) == (130, "", "polyloop: interrupted\n")
    assert (scale.parent / "out.c").read_text() == "precious"
    assert sorted(path.name for path in scale.parent.iterdir()) == ["out.c", "scale.c"]


def test_the_best_so_far_is_written_where_the_search_is_interrupted(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "three.c").write_text(SCALE + SCALE.replace("scale", "second") + SCALE.replace("scale", "third"))
    seen: list[str] = []

    def interrupted(scop: Scop, **options: Any) -> Result:
        seen.append(scop.name)
        assert options["anytime"]
        return replace(vectorized(scop, **options), interrupted=scop.name == "second")

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", interrupted)
    ran = run("optimize", "three.c", "-o", "out.c")
    assert (ran.status, seen) == (130, ["scale", "second"])
    assert ran.err == (
        "three.c:23: remark: third is left as it is: interrupted before anything better was found\n"
        "polyloop: interrupted; the best found so far is written\n"
    )
    assert ran.out.endswith("wrote out.c\n")
    written = (tmp_path / "out.c").read_text()
    assert ("polyloop_scale_0(n, " in written, "polyloop_second_0(n, " in written) == (True, True)
    assert "polyloop_third_0(n, " not in written


def test_a_file_that_cannot_be_written(run: Run, scale: Path) -> None:
    ran = run("optimize", "scale.c", "-o", "x" * 300)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"polyloop: error: -o: the name {'x' * 30}... is too long for the folder .\n"


def test_everything_really(run: Run, tmp_path: Path) -> None:
    """The real optimizer: whatever wins, the output computes the same, and the report says what was checked."""
    (tmp_path / "all.c").write_text(THREE + SCALE + MAIN)
    ran = run("optimize", "all.c", "-o", "out.c", "--sizes", "n=40", "--budget", "0.2", "--json", "all.json")
    assert ran.status == 0
    assert ran.err.count("remark: ") == 1
    rows = {row["scop"]: row for row in json.loads((tmp_path / "all.json").read_text())["rows"] if "scop" in row}
    assert {name: row["check"]["compared"] for name, row in rows.items()} == {"row": 40, "odd": 40, "scale": 1600}
    assert all(row["check"]["different"] == 0 and row["sizes"] == {"n": 40} for row in rows.values())
    assert all(row["candidates"][0]["name"] == "original loops" for row in rows.values())
    compiler = shutil.which("cc")
    if compiler is not None:
        outputs = []
        for name in ("all", "out"):
            subprocess.run([compiler, "-O1", "-Wno-unknown-pragmas", "-o", name, f"{name}.c", "-lm"], check=True)
            outputs.append(subprocess.run([f"./{name}"], check=True, capture_output=True).stdout)
        assert outputs[0] == outputs[1] != b""


MAIN = """
#include <stdio.h>
int main(void)
{
  static double a[9][9], s[81];
  for (int i = 0; i < 81; i++)
    s[i] = a[i / 9][i % 9] = 1.0 / (i + 1);
  row(81, s);
  odd(81, s);
  scale(9, a);
  for (int i = 0; i < 81; i++)
    printf("%a %a\\n", s[i], a[i / 9][i % 9]);
  return wait(3);
}
"""


def test_headers_beside_the_input(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "size.h").write_text("#define N 8\n")
    (tmp_path / "in" / "scale.c").write_text('#include "size.h"\n#include <math.h>\n' + SCALE)
    remark = "polyloop: remark: size.h stands beside in/scale.c; compile with -I in\n"
    assert run("optimize", "in/scale.c", "-o", "out/scale.c").err == remark
    assert run("optimize", "in/scale.c", "-o", "in/fast.c").err == ""
    (tmp_path / "in").rename(tmp_path / "a b")
    assert run("optimize", "a b/scale.c", "-o", "out/scale.c").err.endswith("; compile with -I 'a b'\n")
    (tmp_path / "a b").rename(tmp_path / "in")
    assert run("optimize", "in/scale.c", "--emit=llvm", "-o", "out/scale.ll").err == ""
    (tmp_path / "out" / "size.h").write_text("#define N 8\n")
    assert run("optimize", "in/scale.c", "-o", "out/scale.c").err == ""


def test_really_assumed(run: Run, tmp_path: Path) -> None:
    scaled = "void f(int n, double *y, const double *x)\n{\n#pragma scop\n  for (int i = 0; i < n; i++)\n"
    (tmp_path / "f.c").write_text(scaled + "    y[i] = x[i] / 3.0;\n#pragma endscop\n}\n")
    arguments = ("optimize", "f.c", "--sizes", "n=1000", "--budget", "0.2", "--assume-noalias", "--json", "f.json")
    assert "  assumed         x and y do not overlap: nothing tests it\n" in run(*arguments).err
    content = json.loads((tmp_path / "f.json").read_text())
    assert content["settings"]["assume_noalias"] is True
    assert content["rows"][0]["assumed"] == ["x and y do not overlap: nothing tests it"]


def test_reproducible_files_protect_loops_that_stay_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "three.c").write_text(THREE + SCALE)
    ran = run("optimize", "three.c", "--reproducible", "-o", "out.c", "--json", "three.json")
    promise = "the same bits on every processor and under every compiler"
    lines = f"{promise};\n{' ' * 18}not covered: payloads of NaN, C under clang -ffp-contract=fast\n"
    assert ran.out.count(f"  reproducible    {lines}") == 2
    written = (tmp_path / "out.c").read_text()
    assert "polyloop_uncontracted void row(" in written
    assert "polyloop_kernel polyloop_uncontracted void polyloop_scale_0(" in written
    assert "polyloop_uncontracted void scale(" in written
    assert "polyloop_uncontracted void odd(" in written  # read, but left without a result: for want of time, say
    assert "\nint wait(" in written
    assert written.count("#pragma STDC FP_CONTRACT OFF") == 3
    content = json.loads((tmp_path / "three.json").read_text())
    assert (content["settings"]["reproducible"], content["settings"]["contract"]) == (True, "off")
    covered = {"not_covered": ["payloads of NaN", "C under clang -ffp-contract=fast"]}
    assert [row.get("reproducible") for row in content["rows"]] == [covered, None, covered, None]


def test_really_reproducible(run: Run, tmp_path: Path) -> None:
    text = """\
#include <math.h>
void f(int n, double *y, const double *x)
{
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] = exp(x[i]) + sqrt(x[i]) * y[i];
#pragma endscop
}
"""
    (tmp_path / "f.c").write_text(text)
    ran = run("optimize", "f.c", "--sizes", "n=999", "--budget", "0.2", "--reproducible", "--emit=c,llvm", "-o", "g.c")
    assert "not covered: payloads of NaN, C under clang -ffp-contract=fast, exp()\n" in ran.out
    assert "llvm.fma" not in (tmp_path / "g.ll").read_text()
    run("optimize", "f.c", "--sizes", "n=999", "--budget", "0.2", "--emit=llvm", "-o", "fused.ll")
    assert ("llvm.fma" in (tmp_path / "fused.ll").read_text()) == host_target().has_fma


def test_loops_without_pragmas(run: Run, tmp_path: Path, fixed_optimizer: None) -> None:
    """With --auto they are found, the costliest first; without it they are not, and the message says so."""
    text = SCALE.replace("#pragma scop\n", "").replace("#pragma endscop\n", "")
    small = "void small(double a[4])\n{\n  for (int i = 0; i < 4; i++)\n    a[i] = 1.0;\n}\n"
    prints = "int g(int);\nvoid calls(int n)\n{\n  for (int i = 0; i < n; i++)\n    g(i);\n}\n"
    (tmp_path / "x.c").write_text(small + text + prints)
    assert "polyloop optimize --auto" in run("optimize", "x.c").err
    ran = run("optimize", "x.c", "--auto", "-o", "y.c", "--json", "y.json")
    assert ran.status == 0
    assert re.findall(r"^x\.c:(\d+): (\w+): ", ran.out, re.MULTILINE) == [("9", "scale"), ("3", "small")]
    assert ran.err.startswith("x.c:17:5: remark: loop of calls left as it is: the call of g may have side effects")
    written = (tmp_path / "y.c").read_text()
    assert written.startswith("/* Made by polyloop ")
    assert written.partition("\n")[2].startswith("/* Made by polyloop for the loops of small. */")
    assert written.endswith(prints)
    rows = json.loads((tmp_path / "y.json").read_text())["rows"]
    assert [row["status"] for row in rows][2:] == ["left"]
    again = run("optimize", "y.c", "--auto")
    assert (again.status, again.out) == (0, written)
    assert again.err.count("polyloop has made it already") == 2


def test_a_budget_for_each_region() -> None:
    each = budget("3s/region")
    assert isinstance(each, PerRegion)
    assert [each.of(count) for count in (0, 1, 4, 1000)] == [3.0, 3.0, 12.0, PerRegion.MOST]
    assert budget("500/region").of(2) == 500.0  # type: ignore[attr-defined]
    assert not isinstance(budget("500ms"), PerRegion)


def test_a_file_gets_what_each_of_its_regions_does(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def shares(seconds: float | None, weights: Sequence[float], **_: object) -> Shares:
        asked.append(seconds)
        return Shares(seconds, weights, lambda: 0.0)

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", vectorized)
    monkeypatch.setattr(polyloop.cli.optimize, "Shares", shares)
    (tmp_path / "two.c").write_text(SCALE + SCALE.replace("scale", "other"))
    assert run("optimize", "two.c", "--budget", "7/region", "-o", "out.c").status == 0
    assert asked == [14.0]


def test_a_budget_is_for_the_whole_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an injected clock: the costliest scop gets most of it, and what nothing is left for stays as it is."""
    now, budgets = [100.0], []

    def optimize(scop: Scop, **options: Any) -> Result:
        budgets.append((scop.name, options["budget"]))
        now[0] += 4.0
        return vectorized(scop, **options)

    def shares(seconds: float | None, weights: Sequence[float], **_: object) -> Shares:
        return Shares(seconds, weights, lambda: now[0])

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", optimize)
    monkeypatch.setattr(polyloop.cli.optimize, "Shares", shares)
    monkeypatch.setattr(polyloop.cli.optimize, "BEYOND", 2.0)
    once = SCALE.replace("scale", "once").replace("a[i][j] = 2.0 * a[i][j]", "a[i][0] = 1.0")
    (tmp_path / "four.c").write_text(SCALE + once + SCALE.replace("scale", "third") + SCALE.replace("scale", "last"))
    ran = run("optimize", "four.c", "--budget", "10", "-o", "out.c")
    (name, most), *others = budgets
    assert name == "scale"
    assert 2.5 < most < 3.0
    assert others == [("once", 2.0), ("third", 2.0)]
    assert ran.status == 0
    assert "third: 2.00 times as fast" in ran.out
    assert "remark: last is left as it is: there was no time left for it (--budget)\n" in ran.err
    assert "polyloop_third_0" in (tmp_path / "out.c").read_text()
    budgets.clear()
    run("optimize", "four.c", "--function", "once", "-o", "out.c", "--budget", "10")
    run("optimize", "four.c", "--function", "once", "-o", "out.c")
    assert budgets == [("once", 10.0), ("once", None)]


def test_what_is_called_comes_first_and_what_runs_once_for_no_time_stays(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, list[str]]] = []

    def optimize(scop: Scop, **options: Any) -> Result:
        asked.append((scop.name, [each.scop.name for each in options["among"]]))
        return vectorized(scop, **{name: value for name, value in options.items() if name != "among"})

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", optimize)
    (tmp_path / "f.c").write_text(
        "static double a[300][300];\n"
        "static void set(void) { for (int i = 0; i < 300; i++) a[i][i] = i; }\n"
        "static void step(void)\n{\n"
        "  for (int i = 0; i < 300; i++) for (int j = 0; j < 300; j++) a[i][j] = 2.0 * a[i][j];\n}\n"
        "int main(void)\n{\n  set();\n  for (int t = 0; t < 100; t++) { step(); a[0][0] = t; }\n  return 0;\n}\n"
    )
    ran = run("optimize", "--auto", "f.c", "-o", "out.c")
    assert ran.status == 0
    assert asked == [("step", []), ("main", ["step"])]
    assert "f.c:2: remark: set is left as it is: it runs once, in less than a millisecond" in ran.err
    asked.clear()
    run("optimize", "--auto", "--function", "set", "f.c", "-o", "out.c")
    assert asked == [("set", [])]


def test_a_defect_in_one_region_keeps_the_others(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def optimize(scop: Scop, **options: Any) -> Result:
        if scop.name == "first":
            raise RecursionError("too deep\nin words")
        return vectorized(scop, **options)

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", optimize)
    monkeypatch.setattr(polyloop.cli.optimize, "verifies", lambda: False)
    functions = (f"void {name}(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] += 1; }}" for name in NAMES)
    (tmp_path / "f.c").write_text("\n".join(functions))
    ran = run("optimize", "--auto", "f.c", "-o", "out.c")
    assert ran.status == 0
    assert "remark: first is left as it is: internal error: RecursionError: too deep; please report it" in ran.err
    assert "polyloop_second_0(" in (tmp_path / "out.c").read_text()


NAMES = ("first", "second")


@pytest.mark.parametrize(("seconds", "kept"), [(1e-4, True), (1e-6, False)])
def test_what_is_behind_the_functions_it_calls_is_left(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, kept: bool
) -> None:
    def optimize(scop: Scop, **options: Any) -> Result:
        result = vectorized(scop, **{**options, "sizes": {"n": 900}})
        before = replace(result.baseline, minimum=seconds) if scop.name == "row" else result.baseline
        judged = Judgement("gcc", "12", "vectorized", before, result.timing, 2.0, 2.0, 2.0, result.check)
        return replace(result, baseline=before, judged=judged, sizes={"n": 900})

    monkeypatch.setattr(polyloop.cli.optimize, "optimize", optimize)
    (tmp_path / "f.c").write_text(
        "static void row(int n, double *a)\n{ for (int i = 0; i < n; i++) a[i] = 2 * a[i] + 1; }\n"
        "static void rows(int n, double a[9][900])\n{ for (int r = 0; r < 9; r++) row(n, a[r]); }\n"
        "static double a[9][900];\nint main(void) { for (int t = 0; t < 9; t++) rows(900, a); return a[1][2] > 3; }\n"
    )
    ran = run("optimize", "--auto", "f.c", "-o", "out.c")
    assert ran.status == 0
    left = "remark: rows is left as it is: the functions that its loops call are faster, measured by themselves"
    assert (left in ran.err) is not kept
    assert ("polyloop_rows_0(" in (tmp_path / "out.c").read_text()) is kept


def test_shares_follow_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polyloop.cli.optimize, "BEYOND", 2.0)
    now = [0.0]
    shares = Shares(100.0, [6.0, 3.0, 1.0], lambda: now[0])
    assert shares.next() == 60.0
    now[0] = 20.0  # not all of it was used
    assert shares.next() == 60.0
    now[0] = 99.0
    assert shares.next() == 1.0
    assert Shares(None, [1.0]).next() is None
    now[0] = 101.0
    shares.weights = [1.0] * 9
    assert 0 < (shares.next() or 0) < 1
    now[0] = 103.0
    assert shares.next() == 0


def test_each_search_has_its_share_where_others_took_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """As far as all ends in time, at 200 seconds here, if they take twice as long."""
    monkeypatch.setattr(polyloop.cli.optimize, "BEYOND", 2.0)
    now = [0.0]
    shares = Shares(100.0, [2.0, 1.0, 1.0, 1.0], lambda: now[0], each=True)
    assert shares.next() == 40.0
    now[0] = 110.0
    assert 14.5 < (shares.next() or 0) <= 15.0
    now[0] = 190.0
    assert 4.5 / 2 < (shares.next() or 0) <= 5.0 / 2
    now[0] = 200.0
    assert shares.next() == 0


def test_what_is_left_includes_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the budget, or two seconds more."""
    monkeypatch.setattr(polyloop.cli.optimize, "BEYOND", 2.0)
    for seconds, most in ((1.0, 3.0), (10.0, 20.0)):
        now = [7.0]
        shares = Shares(seconds, [1.0], lambda at=now: at[0], started=5.0)  # type: ignore[misc]
        assert shares.left == pytest.approx(most - 2.0 - _WRITING)
        assert replace(shares, slowness=3.0).left == pytest.approx(most - 2.0 - 3 * _WRITING)
        assert shares.next() == seconds
        now[0] = 5.0 + most
        assert (shares.left, shares.next()) == (0.0, 0.0)
    assert Shares(None, [1.0]).left == float("inf")


def test_what_a_search_may_be_overrun_by_is_its_part_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a compiler takes half a minute for, in the first of many regions, would be the end of all others."""
    monkeypatch.setattr(polyloop.cli.optimize, "BEYOND", 2.0)
    now = [0.0]
    shares = Shares(100.0, [3.0, 1.0, 1.0], lambda: now[0])
    share = shares.next() or 0.0
    assert share + shares.overrun(share) == pytest.approx(0.6 * (200.0 - _WRITING))
    now[0] = 100.0
    share = shares.next() or 0.0
    assert share + shares.overrun(share) == pytest.approx(0.5 * (100.0 - _WRITING))
    share = shares.next() or 0.0
    assert share + shares.overrun(share) == pytest.approx(100.0 - _WRITING)
    now[0] = 199.0
    shares = Shares(100.0, [1.0] * 9, lambda: now[0], started=0.0)
    shares.next()
    assert shares.overrun(0.5) == pytest.approx(0.5 - _WRITING)  # no more than there is


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("compiler", ["none", "gcc -O1"])
def test_what_is_forced_is_really_written_even_if_it_is_slower(
    run: Run, scale: Path, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Really, as far as the figures: nothing is faster than the original loops."""
    monkeypatch.setattr(Evaluator, "settled", lambda evaluator, best: evaluator.original)
    monkeypatch.setattr(Judgement, "wins", False)
    command = ("optimize", "scale.c", "--cc", compiler, "--sizes", "n=40", "--budget", "0.5", "-o", "out.c")
    assert run(*command, "--force").status == 0
    assert "polyloop_scale_0(n, " in Path("out.c").read_text()
    ran = run(*command)
    assert "left as they are" in ran.out
    assert Path("out.c").read_text() == SCALE


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_what_the_compiler_does_not_take_is_not_written(run: Run, tmp_path: Path) -> None:
    text = "void f(int n, double *a)\n{\n    int i;\n    for (i = 0; i < n; i++)\n        a[i] = a[i] * 2.0;\n}\n"
    (tmp_path / "old.c").write_text(text)
    command = ("optimize", "old.c", "--auto", "--force", "--sizes", "n=99", "--budget", "0.5", "-o", "out.c", "--cc")
    ran = run(*command, "gcc -O1 -std=c89 -pedantic-errors")
    assert (ran.status, Path("out.c").read_text()) == (0, text)
    assert "is left as it is: gcc -O1 -std=c89 -pedantic-errors does not take the new loops: " in ran.err
    assert run(*command, "gcc -O1 -std=gnu89").status == 0
    assert "polyloop_f_0(n, " in Path("out.c").read_text()
