"""Objects with several versions of a function: which one runs, and that all compute the same."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import polyloop
from polyloop.backend.c.header import emit_header
from polyloop.backend.c.versioned import c_source_versions
from polyloop.backend.errors import CompileError, TargetError
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.host import runs_here, targeted
from polyloop.backend.machine.target import INSTRUCTION_SETS, InstructionSet, shown_target
from polyloop.backend.machine.versions import Version, versions_of
from polyloop.backend.planning import plan
from polyloop.backend.planning.squeeze import squeezed
from polyloop.backend.run.versions import emit_versions
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.shaping.default_trace import default_trace
from polyloop.transforms import replay
from tests.helpers.running import require

SETS = ("avx512", "avx2", "sse")
ENDINGS = {"obj": "o", "asm": "s", "c": "c"}
COMPILERS = [name for name in ("gcc", "clang", "clang-22") if shutil.which(name)]
MAIN = """\
#include <stdio.h>
#include "product.h"
int main(void)
{
    static float A[9 * 7], B[7 * 19], C[9 * 19];
    for (int i = 0; i < 9 * 7; i++)
        A[i] = i % 5 - 3;
    for (int i = 0; i < 7 * 19; i++)
        B[i] = i % 9 - 2;
    product(A, B, C);
    for (int i = 0; i < 9 * 19; i++)
        printf("%g ", C[i]);
    return 0;
}
"""


def expected() -> str:
    a = (np.arange(9 * 7) % 5 - 3.0).reshape(9, 7)
    b = (np.arange(7 * 19) % 9 - 2.0).reshape(7, 19)
    return "".join(f"{value:g} " for value in (a @ b).ravel())


@pytest.fixture(scope="module")
def programs() -> dict[Version, VectorProgram]:
    """A product in the default schedule of each set."""
    scop = polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", {"m": 9, "n": 19, "k": 7}, name="product")
    found = {}
    for version in versions_of(reversed(SETS)):
        target = shown_target(version.name)
        tree = replay(original_tree(scop), default_trace(scop, target))
        found[version] = plan(squeezed(lower(scop, tree)), target)
    assert [version.name for version in found] == list(SETS)
    return found


def build(compiler: str, folder: Path, kernel: Path, programs: dict[Version, VectorProgram]) -> Path:
    """A program that prints what the kernel computes."""
    (folder / "product.h").write_text(emit_header(next(iter(programs.values()))))
    (folder / "main.c").write_text(MAIN)
    paths = map(str, (folder / "main.c", kernel, "-o", folder / "main"))
    command = [compiler, "-O2", "-Wall", "-Werror", "-static", *paths, "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "main"


def run(program: Path, *emulator: str) -> str:
    return subprocess.run([*emulator, program], capture_output=True, text=True, check=True).stdout


PROCESSORS: tuple[list[str], ...] = ([], ["Haswell"], ["Nehalem"], ["core2duo"])
"""This one; AVX2, SSE 4.2, and none of them."""


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kind", ENDINGS)
def test_every_processor_runs_one(
    compiler: str, kind: str, tmp_path: Path, programs: dict[Version, VectorProgram]
) -> None:
    require("qemu-x86_64")
    kernel = tmp_path / f"kernel.{ENDINGS[kind]}"
    made = c_source_versions(programs, "product") if kind == "c" else emit_versions(programs, "product", kind)
    kernel.write_bytes(made.encode() if isinstance(made, str) else made)
    program = build(compiler, tmp_path, kernel, programs)
    for processor in PROCESSORS:
        emulator = ["qemu-x86_64", "-cpu", *processor] if processor else []
        assert run(program, *emulator) == expected()


def test_versions_have_their_registers(programs: dict[Version, VectorProgram]) -> None:
    text = str(emit_versions(programs, "product", "asm"))
    found = {}
    for part in text.split("\nproduct.")[1:]:
        name, body = part.split(":", 1)
        found[name] = max((r for r in ("xmm", "ymm", "zmm") if f"%{r}" in body), default="")
    assert {name: found[name] for name in (*SETS, "plain")} == {
        "avx512": "zmm",
        "avx2": "ymm",
        "sse": "xmm",
        "plain": "xmm",
    }


def test_the_choice_is_asked_once(programs: dict[Version, VectorProgram]) -> None:
    """A load and comparisons; the processor is asked by a constructor alone."""
    text = str(emit_versions(programs, "product", "asm"))
    body = text.split("\nproduct:", 1)[1].split("\n.Lfunc_end", 1)[0]
    assert "call" not in body
    assert "polyloop.version(%rip)" in body
    assert text.count("__cpu_indicator_init") == 1
    assert ".init_array" in text


def test_names() -> None:
    assert [v.name for v in versions_of(("neon", "sse", "avx2", "sse"))] == ["avx2", "sse", "neon"]
    with pytest.raises(TargetError, match="no instruction set is called 'mmx'; there are avx512, avx2, sse, neon"):
        versions_of(("avx2", "mmx"))
    INSTRUCTION_SETS["other"] = InstructionSet("x86_64-unknown-linux-gnu", "x86-64", 128, 16, ("sha",))
    try:
        with pytest.raises(
            TargetError, match="other cannot be one of several versions: sha cannot be asked for at run"
        ):
            versions_of(("other",))
    finally:
        del INSTRUCTION_SETS["other"]


def test_sets_of_packages_become_versions(tmp_path: Path, programs: dict[Version, VectorProgram]) -> None:
    """Their names need not be C's; of two with the same width the one that needs more comes first."""
    features = ("avx512f", "avx512vl", "avx512dq", "avx512bw")
    INSTRUCTION_SETS["avx512-256"] = InstructionSet("x86_64-unknown-linux-gnu", "x86-64-v4", 256, 32, features)
    try:
        versions = versions_of(("sse", "avx2", "avx512-256"))
        assert [version.name for version in versions] == ["avx512-256", "avx2", "sse"]
        text = c_source_versions(dict(zip(versions, programs.values(), strict=True)), "product")
    finally:
        del INSTRUCTION_SETS["avx512-256"]
    (tmp_path / "product.c").write_text(text)
    for compiler in COMPILERS:
        command = [compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-c", "product.c", "-o", "product.o"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_what_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLYLOOP_TARGET", raising=False)
    assert not runs_here("mmx")
    assert runs_here("sse") != runs_here("neon")


def test_a_target_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the environment said before is back behind it; figures of other instructions do not count inside."""
    monkeypatch.setenv("POLYLOOP_MACHINE", "zen3")
    monkeypatch.delenv("POLYLOOP_TARGET", raising=False)
    for name, machine in (("avx2", "zen3"), ("sse", None)):
        with targeted(name):
            assert (os.environ["POLYLOOP_TARGET"], os.environ.get("POLYLOOP_MACHINE")) == (name, machine)
    assert "POLYLOOP_TARGET" not in os.environ
    assert os.environ["POLYLOOP_MACHINE"] == "zen3"


def test_objects_are_of_one_architecture(programs: dict[Version, VectorProgram]) -> None:
    (neon,) = versions_of(("neon",))
    with pytest.raises(CompileError, match="an object is for one architecture, and neon is not of x86-64"):
        emit_versions({**programs, neon: programs[next(iter(programs))]}, "product")
