"""Kernels from reading to emitted C that compilers take without a warning."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from polyloop import read_c
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan, scalar_program
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree

COMPILERS = [name for name in ("gcc", "clang", "clang-22") if shutil.which(name)]
KERNELS = Path(__file__).parents[2] / "data" / "kernels"


@pytest.mark.parametrize("kernel", ["gemm", "nussinov", "deriche", "ludcmp", "correlation"])
@pytest.mark.parametrize("planned", [False, True], ids=["scalar", "planned"])
def test_no_warnings(tmp_path: Path, kernel: str, planned: bool) -> None:
    path = KERNELS / f"{kernel}.c"
    text = path.read_bytes().decode()
    replacements = []
    for scop in read_c(path):
        nest = lower(scop, original_tree(scop))
        replacements.append(Replacement(scop, plan(nest, host_target()) if planned else scalar_program(nest)))
    output = tmp_path / f"{kernel}.c"
    output.write_bytes(emit_c_file(text, replacements).encode())
    for compiler in COMPILERS:
        command = [
            compiler,
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unknown-pragmas",
            "-c",
            str(output),
            "-o",
            "/dev/null",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
