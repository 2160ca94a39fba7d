"""What INPUT may be, and what is said about one that cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polyloop.frontend import read_source
from polyloop.terminal.errors import InputError
from polyloop.terminal.sources import Input, decode, in_one_thread, threads_of
from tests.helpers.commands import SCALE, Run


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"a\r\nb", "a\r\nb", "utf-8"),
        ("é".encode(), "é", "utf-8"),
        (b"\xe9\xff", "éÿ", "latin-1"),
        (b"\xef\xbb\xbfint x;", "int x;", "utf-8-sig"),
    ],
)
def test_any_text_is_decoded_and_encoded_back(data: bytes, text: str, encoding: str) -> None:
    assert decode(data, "x.c") == (text, encoding)
    assert text.encode(encoding) == data


def test_binary_files_are_refused() -> None:
    with pytest.raises(InputError, match=r"^x\.c is a binary file, not C text$"):
        decode(b"\x7fELF\0\0", "x.c")


def test_threads_of_loops_with_directives(capsys: pytest.CaptureFixture[str]) -> None:
    loops = [
        f"#pragma omp {words}\nfor (int i = 0; i < n; i++) a[i] = i;\n"
        for words in ("parallel for num_threads(6)", "parallel for", "for", "simd")
    ]
    functions = (f"void f{k}(int n, double *a)\n{{\n{loop}}}\n" for k, loop in enumerate(loops))
    text = "".join(functions)
    source = Input(None, "x.c", "utf-8", None, text, read_source("x.c", text=text, auto=True))
    several = max(2, len(os.sched_getaffinity(0)))
    assert [threads_of(scop, 1) for scop in source.file.scops] == [6, several, several, 1]
    assert [threads_of(scop, 3) for scop in source.file.scops] == [3, 3, 3, 3]
    alone = in_one_thread(source)
    assert [threads_of(scop, 1) for scop in alone.file.scops] == [1, 1, several, 1]  # a team comes there in any case
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(": remark: ")[0] for line in said] == ["x.c:3", "x.c:8"]


@pytest.mark.parametrize("command", ["optimize", "show", "explain"])
def test_what_cannot_be_read(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "binary.c").write_bytes(b"\0\1")
    (tmp_path / "empty.c").write_text("")
    auto = "or have polyloop optimize --auto find them"
    for given, message in (
        ("missing.c", "cannot read missing.c: No such file or directory"),
        (".", "cannot read .: Is a directory"),
        ("binary.c", "binary.c is a binary file, not C text"),
        ("empty.c", f"empty.c: there is no #pragma scop; put it and #pragma endscop around the loops, {auto}"),
        ("gem", "there is no file gem, and no kernel is called 'gem'; did you mean gemm or gemver or gesummv?"),
    ):
        ran = run(command, given)
        assert (ran.status, ran.out, ran.err) == (1, "", f"polyloop: error: {message}\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_without_permission(run: Run, scale: Path) -> None:
    scale.chmod(0)
    assert run("show", "scale.c").err == "polyloop: error: cannot read scale.c: Permission denied\n"


def test_an_unknown_function(run: Run, scale: Path) -> None:
    ran = run("show", str(scale), "--function", "main")
    assert ran.status == 1
    assert "there is no #pragma scop in a function main" in ran.err


def test_errors_have_their_place_and_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text("void f(int n, double a[n] {\n}\n")
    ran = run("optimize", "bad.c")
    assert (ran.status, ran.out) == (1, "")
    first, line, caret, last = ran.err.splitlines()
    assert first.startswith("bad.c:1:27: error: syntax error")
    assert line == "  void f(int n, double a[n] {"
    assert caret == " " * 28 + "^"
    assert last == "polyloop: error: bad.c: nothing could be read"


def test_standard_input(run: Run) -> None:
    ran = run("show", "-", stdin=SCALE.encode())
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("scop scale in <stdin>\n")


def test_kernels_by_name(run: Run) -> None:
    ran = run("show", "heat-3d")
    assert ran.status == 0
    assert ran.out.startswith("scop heat_3d in ")


def test_a_file_goes_before_a_kernel_of_its_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gemm").write_text(SCALE)
    assert run("show", "gemm").out.startswith("scop scale in gemm\n")


def test_the_preprocessor_s_options(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "include"
    folder.mkdir()
    (folder / "size.h").write_text("#define SIZE 4\n")
    (tmp_path / "first.h").write_text("typedef float number;\n")
    (tmp_path / "a.c").write_text(
        '#include "size.h"\n#ifdef SMALL_DATASET\n#define EXTRA 1\n#endif\n#ifndef GONE\n'
        "void f(number a[SIZE + EXTRA * STEP])\n{\n#pragma scop\n"
        "  for (int i = 0; i < SIZE; i += STEP)\n    a[i] = 1;\n#pragma endscop\n}\n#endif\n"
    )
    arguments = ["show", "a.c", "-include", "first.h", "-DSTEP=2", "-D", "GONE", "-UGONE", "--dataset", "small"]
    for include in (["-I", "include"], ["-Iinclude"]):
        ran = run(*arguments, *include)
        assert (ran.status, ran.err) == (0, "")
        assert "arrays      float a[6]\n" in ran.out
        assert "for i in [0, 4) step 2\n" in ran.out


def test_a_file_before_the_input_that_is_not_there(run: Run, scale: Path) -> None:
    ran = run("show", "scale.c", "-include", "nothing.h")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == "polyloop: error: -include: cannot find the file nothing.h; name its folder with -I\n"
    (scale.parent / "more").mkdir()
    (scale.parent / "more" / "nothing.h").write_text("")
    assert run("show", "scale.c", "-include", "nothing.h", "-I", "more").status == 0
    assert run("show", "scale.c", "-include", "math.h").status == 0


def test_a_folder_that_is_not_there_is_a_warning(run: Run, scale: Path) -> None:
    ran = run("show", "scale.c", "-I", "nothere", "-I", ".")
    assert (ran.status, ran.err) == (0, "polyloop: warning: -I nothere: there is no such folder\n")


def test_a_dataset_counts_where_a_branch_that_was_not_taken_asks_for_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "b.c").write_text(
        "#define HAVE 1\n#if defined(HAVE)\n#elif defined(TINY_DATASET)\n#endif\n"
        "void f(double a[10])\n{\n#pragma scop\n  a[0] = 1.0;\n#pragma endscop\n}\n"
    )
    assert run("show", "b.c", "--dataset", "tiny").status == 0
