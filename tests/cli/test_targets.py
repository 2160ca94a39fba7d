"""``--target`` and ``--targets``: code for other instruction sets, for several in one file. The optimizer is real."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from polyloop.backend.machine.host import runs_here
from tests.helpers.aarch64 import COMPILER, build, execute, needs_aarch64
from tests.helpers.commands import SCALE, Run
from tests.helpers.running import require

MAIN = """
#include <stdio.h>
int main(void)
{
  static double a[9][9];
  for (int i = 0; i < 81; i++)
    a[i / 9][i % 9] = i;
  scale(9, a);
  for (int i = 0; i < 81; i++)
    printf("%g ", a[i / 9][i % 9]);
  return 0;
}
"""
DOUBLED = "".join(f"{2 * number} " for number in range(81))
QUICK = ("--sizes", "n=200", "--budget", "0.3")
ELSEWHERE = next(name for name in ("neon", "sse") if not runs_here(name))
"""An instruction set that this machine does not have."""


@pytest.fixture
def program(scale: Path) -> Path:
    """The file with a main function."""
    scale.write_text(SCALE + MAIN)
    return scale


def calling(name: str) -> str:
    """The same main function, for the object of this name."""
    return MAIN.replace("<stdio.h>", f'<stdio.h>\n#include "{name}.h"').replace("scale(9, a)", "polyloop_scale(9, *a)")


def test_what_this_machine_does_not_have_is_not_measured(run: Run, program: Path) -> None:
    ran = run("optimize", "scale.c", "-o", "out.c", "--target", ELSEWHERE, "--sizes", "n=40", "--json", "all.json")
    assert ran.status == 0, ran.err
    assert ran.out == (
        f"scale.c:5: scale for {ELSEWHERE}: not measured, as this machine does not run it; "
        "in the schedule that a search starts from\n"
        "  order           i, j\n"
        "  vector loop     j\n"
        f"  time            unknown: this machine does not run {ELSEWHERE}\n"
        "  proof           no dependences to keep\n"
        "  check           1600 elements compared, all bit-equal; in this machine's instructions alone\n"
        "  sizes           n=40 (--sizes)\n"
        "wrote out.c\nwrote all.json\n"
    )
    content = json.loads((program.parent / "all.json").read_text())
    (row,) = content["rows"]
    assert (row["target"], row["before"], row["after"], row["speedup"]) == (ELSEWHERE, None, None, None)
    assert content["settings"]["target"] == ELSEWHERE
    assert content["summary"]["speedup"] is None


@needs_aarch64
def test_all_forms_for_neon_run(run: Run, program: Path) -> None:
    ran = run("optimize", "scale.c", "-o", "out", "--target", "neon", "--emit", "c,asm,obj,llvm", "--sizes", "n=40")
    assert ran.status == 0, ran.err
    folder = program.parent
    assert 'target triple = "aarch64' in (folder / "out.ll").read_text()
    assert re.search(r"fadd\s+v\d+\.2d|fmul\s+v\d+\.2d", (folder / "out.s").read_text())
    (folder / "main.c").write_text(calling("out"))
    for inputs in (["out.c"], ["main.c", "out.o"], ["main.c", "out.s"]):
        build([folder / name for name in inputs], folder / "program", COMPILER)
        assert execute(folder / "program") == DOUBLED


@pytest.mark.parametrize("name", [name for name in ("avx512", "avx2", "sse") if runs_here(name)])
def test_a_part_of_this_machine_is_measured(run: Run, program: Path, name: str) -> None:
    """Code for any processor with this set."""
    ran = run("optimize", "scale.c", "-o", "out.s", "--target", name, "--emit", "asm", *QUICK)
    assert ran.status == 0, ran.err
    assert ran.out.startswith(f"scale.c:5: scale for {name}: ")
    assert re.search(r"\(median of \d+ runs\)|\(one run\)", ran.out)
    widest = {"avx512": "zmm", "avx2": "ymm", "sse": "xmm"}
    text = (program.parent / "out.s").read_text()
    wider = list(widest.values())[: list(widest).index(name)]
    assert not any(f"%{register}" in text for register in wider)


def test_several_versions_in_one_c_file(run: Run, program: Path) -> None:
    require("gcc")
    require("qemu-x86_64")
    ran = run("optimize", "scale.c", "-o", "out.c", "--targets", "sse,avx512,neon,avx2", *QUICK, "--json", "all.json")
    assert ran.status == 0, ran.err
    rows = json.loads((program.parent / "all.json").read_text())["rows"]
    assert [row["target"] for row in rows] == ["sse", "avx512", "neon", "avx2"]
    for row in rows:
        assert row["check"]["passed"]
        assert row["check"]["compared"] == 40_000
        assert (row["after"] is None) is not runs_here(row["target"])
        assert f"scale for {row['target']}: " in ran.out
    text = (program.parent / "out.c").read_text()
    changed = {row["target"] for row in rows if row["status"] == "optimized"}
    assert set(re.findall(r"\b(?:void|int) polyloop_scale_0_(\w+)\(", text)) == changed
    assert "neon" in changed or runs_here("neon")
    command = ["gcc", "-O2", "-Wall", "-Werror", "-static", "out.c", "-o", "out"]
    subprocess.run(command, check=True)
    for emulator in ([], *(["qemu-x86_64", "-cpu", cpu] for cpu in ("Haswell", "Nehalem", "core2duo"))):
        assert subprocess.run([*emulator, "./out"], check=True, capture_output=True, text=True).stdout == DOUBLED


def test_several_versions_in_one_object(run: Run, program: Path) -> None:
    require("gcc")
    require("qemu-x86_64")
    ran = run("optimize", "scale.c", "-o", "out.o", "--targets", "avx512,avx2,sse", "--emit", "obj", *QUICK)
    assert ran.status == 0, ran.err
    assert ran.out.count("scale.c:5: scale for ") == 3
    assert ran.out.endswith("wrote out.o\nwrote out.h\n")
    (program.parent / "main.c").write_text(calling("out"))
    subprocess.run(["gcc", "-Wall", "-Werror", "-static", "main.c", "out.o", "-o", "out", "-lm"], check=True)
    for emulator in ([], *(["qemu-x86_64", "-cpu", cpu] for cpu in ("Haswell", "Nehalem", "core2duo"))):
        assert subprocess.run([*emulator, "./out"], check=True, capture_output=True, text=True).stdout == DOUBLED


TWO = f"""{SCALE}
void add(int n, float a[n], const float b[n])
{{
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = a[i] + b[i];
#pragma endscop
}}
"""


def test_scops_of_a_file_get_files_of_their_own(run: Run, program: Path) -> None:
    program.write_text(TWO)
    ran = run("optimize", "scale.c", "-o", "out.ll", "--targets", "avx2,sse", "--emit", "llvm", *QUICK)
    assert ran.status == 0, ran.err
    assert ran.out.endswith("wrote out.scale.ll\nwrote out.add.ll\n")
    text = (program.parent / "out.add.ll").read_text()
    for name in ("polyloop_add", "polyloop_add.avx2", "polyloop_add.sse", "polyloop_add.plain"):
        assert re.search(rf'^define .*void @"?{re.escape(name)}"?\(', text, re.MULTILINE)


PRODUCT = """\
void product(int n, double c[n][n], const double a[n][n], const double b[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
#pragma endscop
}
"""


@pytest.mark.parametrize(("contract", "told"), [("on", True), ("off", False)])
def test_roundings_that_differ_are_told_of(run: Run, program: Path, contract: str, told: bool) -> None:
    program.write_text(PRODUCT)
    options = ("--targets", "neon", "--fp-contract", contract, "--sizes", "n=24", "--budget", "0.3")
    ran = run("optimize", "scale.c", "-o", "out.c", *options)
    assert ran.status == 0, ran.err
    assert ("remark: neon rounds multiply-adds once, as compilers for them do; plain x86-64" in ran.err) is told


# --- tune -------------------------------------------------------------------------------------------------------------

TUNED = ("tune", "mk,kn->mn", "m=8", "k=8", "n=20", "--evaluations", "1")
TUNED_MAIN = """\
#include <stdio.h>
#include "k.h"
int main(void)
{
  float a[64], b[160], c[160];
  for (int i = 0; i < 160; i++)
    b[i] = i % 7 - 3;
  for (int i = 0; i < 64; i++)
    a[i] = i / 8 == i % 8;
  k(a, b, c);
  for (int i = 0; i < 160; i++)
    if (c[i] != b[i])
      return 1;
  return printf("equal") != 5;
}
"""


def test_tuned_versions_in_one_object(run: Run, tmp_path: Path) -> None:
    require("gcc")
    require("qemu-x86_64")
    ran = run(*TUNED, "-o", "k.o", "--targets", "sse,avx512,avx2")
    assert ran.status == 0, ran.err
    for name in ("avx512", "avx2", "sse"):
        measured = f"mk,kn->mn   m=8 k=8 n=20, float32, for {name}\n"
        assert (measured if runs_here(name) else f"{name}: not measured, as this machine does not run it") in ran.out
    (tmp_path / "main.c").write_text(TUNED_MAIN)
    subprocess.run(["gcc", "-Wall", "-Werror", "-static", "main.c", "k.o", "-o", "main"], check=True)
    for emulator in ([], *(["qemu-x86_64", "-cpu", cpu] for cpu in ("Haswell", "Nehalem", "core2duo"))):
        assert subprocess.run([*emulator, "./main"], check=True, capture_output=True, text=True).stdout == "equal"


@needs_aarch64
@pytest.mark.parametrize(
    ("option", "ending"), [("--target=neon", "o"), ("--target=neon", "c"), ("--targets=sse,neon", "c")]
)
def test_tuned_for_neon(run: Run, tmp_path: Path, option: str, ending: str) -> None:
    assert run(*TUNED, "-o", "k.o").status == 0  # for its header
    ran = run(*TUNED, "-o", f"k.{ending}", option)
    assert ran.status == 0, ran.err
    assert "neon: not measured, as this machine does not run it; the default schedule\n" in ran.out
    (tmp_path / "main.c").write_text(TUNED_MAIN)
    build([tmp_path / "main.c", tmp_path / f"k.{ending}"], tmp_path / "main", COMPILER)
    assert execute(tmp_path / "main") == "equal"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--targets", "avx2,sse"), "--targets: the versions go into the file that -o FILE saves, and there is none"),
        (
            ("--targets", "avx2,sse", "-o", "k.o", "--json", "k.json"),
            "--targets: --json and --resume are of one search; give --target",
        ),
        (
            ("--targets", "avx2,neon", "-o", "k.s"),
            "--targets: asm is for one architecture, and neon is of another; give --target",
        ),
        (
            ("--target", ELSEWHERE, "--json", "k.json"),
            f"--json: nothing is measured for {ELSEWHERE}, which this machine does not run",
        ),
    ],
)
def test_what_tune_refuses(run: Run, options: tuple[str, ...], message: str) -> None:
    ran = run(*TUNED, *options)
    assert (ran.status, ran.out, ran.err) == (2, "", f"polyloop: error: {message}\n")
