"""What a maintainer has to read: how long emitted text is, and where it says that it was made."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from polyloop.backend.ir.traversal import walk
from polyloop.backend.ir.vector_program import For
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan
from polyloop.frontend import read_source
from polyloop.lowering.to_c_file import EmitError, Replacement, emit_c_file, helpers_header
from polyloop.lowering.to_nest import lower
from tests.helpers.emitted_lines import emitted_lines
from tests.replay.programs import KernelProgram

COMPILERS = [name for name in ("gcc", "clang", "clang-22") if shutil.which(name)]
STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")


@cache
def replaced(kernel: str, target: str = "avx2") -> Replacement:
    """The kernel under isl's schedule in its first shape: tiles where it has them, nothing measured."""
    scheduled = KernelProgram(kernel, "isl").scheduled(shown_target(target))
    return Replacement(scheduled.scop, plan(lower(scheduled.scop, scheduled.tree), shown_target(target)))


@pytest.mark.parametrize(
    ("kernel", "target", "helpers", "loops"),
    [
        ("gemm", "avx2", 68, 94),
        ("gemm", "avx512", 89, 100),
        ("trisolv", "avx2", 58, 61),
        ("trisolv", "avx512", 53, 67),
        ("heat-3d", "avx2", 59, 71),
        ("doitgen", "avx2", 52, 37),
        ("doitgen", "avx512", 47, 37),
        ("gemver", "avx512", 104, 118),
        ("mvt", "avx2", 91, 83),
    ],
)
def test_no_text_grows(kernel: str, target: str, helpers: int, loops: int) -> None:
    """So many lines are in front of the function. Fewer are better: then write the new numbers here."""
    alone, beside = (emitted_lines(replaced(kernel, target), header) for header in ("", "polyloop.h"))
    assert alone.in_place <= 2 * alone.region
    assert (alone.in_front - beside.in_front, beside.in_front) == (helpers, loops)
    assert (alone.region, alone.in_place) == (beside.region, beside.in_place)


def test_a_register_tile_is_written_once() -> None:
    """Full tiles and those with masks call the same function; its rows are a loop."""
    replacement = replaced("gemm")
    text = emit_c_file(str(replacement.scop.source and replacement.scop.source.text), [replacement])
    assert text.count("* B_pack_part[c3]") == 1
    assert text.count("polyloop_rolled for (long k = polyloop_start(256 * kt); k < k_end; k++) {") == 1
    assert text.count("polyloop_gemm_0_part1(") == 3


TWO = """\
void first(int n, double *restrict a, const double *restrict b)
{
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = 2 * b[i];
#pragma endscop
}
"""
OTHER = TWO.replace("first", "second").replace("double", "float")


def vectors(text: str) -> Replacement:
    (scop,) = read_source("file.c", text=text).scops
    from polyloop.schedules.tree import original_tree
    from polyloop.transforms import Vectorize, candidates

    tree = next(t for t in candidates(original_tree(scop)) if isinstance(t, Vectorize)).apply(original_tree(scop))
    return Replacement(scop, plan(lower(scop, tree), shown_target("avx2")))


SIZED = """\
#include <stddef.h>
void first(size_t n, double *restrict a, const double *restrict b)
{
    unsigned char k = 250;
#pragma scop
    for (size_t i = 0; i < n; i++)
        a[i] = k++ * b[i];
#pragma endscop
}
"""
NEVER_TESTED = """\
void first(double a[restrict static 64], const double b[restrict static 64])
{
    int k = 3;
#pragma scop
    for (int i = 0; i < 64; i++)
        a[i] = k++ * b[i];
#pragma endscop
}
"""


@pytest.mark.skipif(not COMPILERS, reason="no compiler")
@pytest.mark.parametrize("text", [SIZED, NEVER_TESTED], ids=["size_t", "unused"])
def test_what_is_written_warns_of_nothing(text: str, tmp_path: Path) -> None:
    """Numbers without a sign are passed on as what they are, and variables that only the original loops had used."""
    made = tmp_path / "made.c"
    made.write_text(emit_c_file(text, [vectors(text)]))
    assert ("k++ *" in made.read_text()) == (text is SIZED)
    for compiler in COMPILERS:
        command = [compiler, *STRICT, "-c", str(made), "-o", str(tmp_path / "made.o")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not COMPILERS, reason="no compiler")
def test_two_files_share_a_header_of_helpers(tmp_path: Path) -> None:
    header = ""
    for name, text in (("first", TWO), ("second", OTHER)):
        replacement = vectors(text)
        header = helpers_header([replacement], header)
        made = emit_c_file(text, [replacement], header="polyloop.h")
        assert made.count('#include "polyloop.h"\n') == 1
        assert "static inline" not in made
        (tmp_path / f"{name}.c").write_text(made)
    assert header.count("#ifndef POLYLOOP_HELPERS\n") == 1
    assert header.count("typedef double polyloop_f64x4 ") == header.count("typedef float polyloop_f32x8 ") == 1
    assert helpers_header([vectors(TWO)], header) == header
    (tmp_path / "polyloop.h").write_text(header)
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    sources = [str(tmp_path / f"{name}.c") for name in ("first", "second", "main")]
    for compiler in COMPILERS:
        command = [compiler, *STRICT, *sources, "-o", str(tmp_path / "program")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_a_header_of_somebody_else_stays() -> None:
    with pytest.raises(EmitError, match="polyloop has not made it"):
        helpers_header([vectors(TWO)], "#define ANSWER 42\n")


def test_a_helper_whose_name_is_taken_cannot_go_into_a_header() -> None:
    text = f"int polyloop_disjoint;\n{TWO.replace('*restrict ', '*')}"
    with pytest.raises(EmitError, match="calls something else polyloop_disjoint"):
        emit_c_file(text, [vectors(text)], header="polyloop.h")


def test_the_first_line_says_what_made_the_file() -> None:
    made = emit_c_file(TWO, [vectors(TWO)], heading="Made by us */")
    assert made.startswith("/* Made by us * / */\n/* Made by polyloop for the loops of first. */\n")
    assert emit_c_file(TWO, [], heading="Made by us") == TWO
    windows = TWO.replace("\n", "\r\n")
    assert emit_c_file(windows, [vectors(windows)], heading="Made by us").startswith("/* Made by us */\r\n/*")


def test_what_is_less_than_a_tile_has_one_version_whatever_number_of_vectors_there_are() -> None:
    """Sixteen rows in lanes: full tiles, and any other count, of which the vectors are masked."""
    (program,) = replaced("mvt").programs
    sums = [s.carried for s in walk(program.body) if isinstance(s, For) and s.variable == "jt" and s.carried]
    assert {len(carried) for carried in sums} == {4}


def test_a_vector_and_what_is_left_of_a_row_are_one_statement() -> None:
    made = emit_c_file(TWO, [vectors(TWO)])
    line = "polyloop_store_f64x4(&a[i], 2.0 * polyloop_load_f64x4(&b[i], lanes), lanes);"
    assert f"    polyloop_strips(i, lanes, 0, n, 4)\n        {line}\n" in made
