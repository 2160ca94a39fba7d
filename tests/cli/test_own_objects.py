"""Objects that ``--emit obj`` writes define the function that the file does, of the same parameters."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.cli.emission import own_declaration, own_parameters
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from tests.helpers.commands import Run

AXPY = """\
void axpy(const float *restrict x, unsigned n, float factor, float *restrict y)
{
#pragma scop
    for (unsigned i = 0; i < n; i++)
        y[i] = y[i] + factor * x[i];
#pragma endscop
}
"""
DRIVER = """\
#include <stdio.h>
#include "axpy.h"
int main(void)
{
    const float x[3] = {1, 2, 3};
    float y[3] = {10, 20, 30};
    axpy(x, 3, 2.0f, y);
    printf("%g %g %g", y[0], y[1], y[2]);
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc links")
@pytest.mark.usefixtures("fixed_optimizer")
def test_the_object_has_the_files_function(run: Run, tmp_path: Path) -> None:
    (tmp_path / "axpy.c").write_text(AXPY)
    (tmp_path / "main.c").write_text(DRIVER)
    assert run("optimize", "axpy.c", "--emit", "obj", "-o", "axpy.o", "--sizes", "n=3").status == 0
    for sources in (["main.c", "axpy.o"], ["main.c", "axpy.o", "axpy.c"]):  # the file itself goes before the object
        subprocess.run(["gcc", "-w", *sources, "-o", "program"], check=True)
        assert subprocess.run(["./program"], capture_output=True, text=True, check=True).stdout == "12 24 36"


def declared(text: str) -> str:
    (scop,) = read_source("file.c", text=text).scops
    program = plan(lower(scop, original_tree(scop)), host_target())
    own = own_parameters(scop, program)
    return own_declaration(scop, program, own) if own else ""


def test_parameters_keep_their_order_and_types() -> None:
    assert declared(AXPY) == "void axpy(const float *x, unsigned n, float factor, float *y);"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("void axpy", "static void axpy"),
        ("void axpy", "int axpy"),
        ("#pragma scop\n", "    y[0] = 1;\n#pragma scop\n"),
        ("#pragma endscop\n", "#pragma endscop\n    y[0] = 1;\n"),
        ("unsigned n,", "unsigned n, int unused,"),
    ],
)
def test_a_function_that_does_more_is_not_replaced(old: str, new: str) -> None:
    assert declared(AXPY.replace(old, new)) == ""
