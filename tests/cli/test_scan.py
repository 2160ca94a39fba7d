"""`polyloop scan`: regions in order of their cost, reasons of what stays, and the flags of the build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyloop.cli import scan
from polyloop.frontend import CFile
from tests.helpers.commands import SCALE, Run
from tests.helpers.running import require

PRINTS = '#include <stdio.h>\nvoid show(int n)\n{\n  for (int i = 0; i < n; i++)\n    printf("%d", i);\n}\n'
CONFIGURED = """\
#include "config.h"
#if defined(FAST) && __STDC_VERSION__ == 199901L && WIDTH == 8
void set(double a[WIDTH])
{
  for (int t = 0; t < 100; t++) {
    if (t == 3)
      show(t);
    for (int i = 0; i < WIDTH; i++)
      a[i] = 0;
  }
}
#endif
"""


def test_regions_and_reasons(run: Run, tmp_path: Path) -> None:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "scale.c").write_text(SCALE)
    (tmp_path / "src" / "deep" / "show.c").write_text(PRINTS)
    (tmp_path / "src" / "deep" / "binary.c").write_bytes(b"\0")
    (tmp_path / "src" / "notes.txt").write_text("none")
    ran = run("scan", "src", "--json", "found.json")
    assert ran.status == 0
    assert ran.out.splitlines() == [
        "src/scale.c:5: scale: 1 statement, 2 loops deep, 3.0e+06 operations at n=1000",
        "src/deep/show.c:5:5: remark: loop of show left as it is: the call of printf writes output; move it out of "
        "the loops [call]",
        "",
        "1 region can be optimized in 2 files",
        "1 loop stays: 1 call",
    ]
    assert ran.err == "polyloop: warning: src/deep/binary.c is a binary file, not C text\n"
    content = json.loads((tmp_path / "found.json").read_text())
    assert list(content) == ["suite", "machine", "settings", "rows", "summary"]
    assert content["summary"] == {"files": 2, "read": 1, "left": 1, "errors": 0, "reasons": {"call": 1}}
    assert [(row["status"], row["file"], row["line"]) for row in content["rows"]] == [
        ("read", "src/scale.c", 5),
        ("left", "src/deep/show.c", 5),
    ]
    assert content["rows"][0]["operations"] == 3e6


def test_loops_of_included_inputs_count_once(run: Run, tmp_path: Path) -> None:
    body = "void half(int n)\n{\n  while (n > 1)\n    n /= n % 3;\n}\n"
    (tmp_path / "half.c").write_text(body)
    (tmp_path / "try.c").write_text('#include "half.c"\n')
    assert run("scan", "half.c", "try.c", "--json", "found.json").status == 0
    assert json.loads((tmp_path / "found.json").read_text())["summary"]["reasons"] == {"while": 1}
    assert run("scan", "try.c", "--json", "found.json").status == 0
    assert json.loads((tmp_path / "found.json").read_text())["summary"]["left"] == 1


def test_flags_of_the_build(run: Run, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "config.h").write_text("#define WIDTH 8\nvoid show(int);\n")
    (tmp_path / "src" / "set.c").write_text(CONFIGURED)
    out = run("scan", "src/set.c").out
    assert "config.h; name its folder with -I: as the build has it (-D, -I); until then" in out
    command = "cc -std=c99 -DFAST -I../inc -c ../src/set.c"
    (tmp_path / "build").mkdir()
    entry = {"directory": str(tmp_path / "build"), "file": "../src/set.c", "command": command}
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps([entry]))
    for given in ("src/set.c", "src"):
        out = run("scan", given).out
        # What is around runs 100 times.
        assert out.startswith("src/set.c:8: set: 1 statement, 1 loop deep, 8.0e+02 operations\nsrc/set.c:7:7: remark: ")
    (tmp_path / "other.json").write_text("[]")
    assert "cannot find the file config.h" in run("scan", "src", "--compile-commands", "other.json").out
    loop = "void set(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n"
    (tmp_path / "wrong.c").write_text(f"#ifndef MODE\n#error choose a mode\n#endif\n{loop}")
    out = run("scan", "wrong.c").out
    assert "remark: #error choose a mode: as the build has it" in out
    assert out.endswith("1 region can be optimized in 1 file\n")


def test_headers_of_the_project_are_found_by_their_names(run: Run, tmp_path: Path) -> None:
    for folder in ("lib/src/deep", "lib/include/lib", "lib/other", "beside"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "lib" / "Makefile").write_text("")
    (tmp_path / "lib" / "include" / "lib" / "types.h").write_text("typedef int count;\n")
    (tmp_path / "lib" / "src" / "own.h").write_text("#include <lib/types.h>\n#define WIDTH 8\n")
    (tmp_path / "lib" / "other" / "own.h").write_text("#define WIDTH 9\n")
    (tmp_path / "beside" / "strange.h").write_text("typedef int strange;\n")
    text = '#include "own.h"\nvoid set(double a[WIDTH]) { for (count i = 0; i < WIDTH; i++) a[i] = 0; }\n'
    (tmp_path / "lib" / "src" / "deep" / "set.c").write_text(text)
    flags = "headers were found by their names; to optimize: -I lib/src -I lib/include\n"
    for given in ("lib", "lib/src", "lib/src/deep/set.c"):
        out = run("scan", given).out
        assert "8.0e+00 operations" in out
        assert out.endswith(f"1 region can be optimized in 1 file\n{flags}")
    named = run("scan", "lib", "-I", "lib/src", "-I", "lib/include").out
    assert named.endswith("1 region can be optimized in 1 file\n")
    strange = tmp_path / "lib" / "src" / "deep" / "set.c"
    strange.write_text('#include "strange.h"\nstrange one(void) { return 1; }\n')
    outside = run("scan", "lib").out.splitlines()
    assert any("cannot find the file strange.h" in line for line in outside)
    assert outside[-1] == "0 regions can be optimized in 1 file"
    # What is installed in a folder of the library's own lies in another one here.
    strange.write_text(text.replace("own.h", "installed/types.h").replace("WIDTH", "9"))
    assert run("scan", "lib").out.endswith("1 region can be optimized in 1 file\n")
    strange.write_text(text.replace("own.h", "installed/own.h"))
    assert "cannot find the file installed/own.h" in run("scan", "lib").out  # it might be either


def test_headers_are_looked_for_in_the_whole_checkout(run: Run, tmp_path: Path) -> None:
    for folder in (".git", "common", "deep/er/one"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "common" / "support.h").write_text("#define WIDTH 8\n")
    (tmp_path / "common" / "immintrin.h").write_text("#error this is not the compiler's own\n")
    (tmp_path / "deep" / "er" / "one" / "Makefile").write_text("")
    loop = "void set(double a[WIDTH]) { for (int i = 0; i < WIDTH; i++) a[i] = 0; }"
    text = f'#include "support.h"\n#include <immintrin.h>\n{loop}\n'
    (tmp_path / "deep" / "er" / "one" / "set.c").write_text(text)
    out = run("scan", "deep/er/one/set.c").out
    assert out.endswith(
        "1 region can be optimized in 1 file\nheaders were found by their names; to optimize: -I common\n"
    )


def test_an_interrupt_keeps_what_was_found(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second", "third"):
        (tmp_path / f"{name}.c").write_text(SCALE)

    def read(path: Path, *others: Any) -> CFile:
        if path.name == "third.c":
            raise KeyboardInterrupt
        return original(path, *others)

    original = scan._read
    monkeypatch.setattr(scan, "_read", read)
    ran = run("scan", ".", "--json", "found.json")
    assert ran.status == 130
    assert ran.out.splitlines()[-1] == "2 regions can be optimized in 2 files"
    assert ran.err == "polyloop: interrupted; 2 of 3 files were read\n"
    assert json.loads((tmp_path / "found.json").read_text())["summary"]["files"] == 2


def test_nothing_to_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for given, message in (
        ("missing.c", "there is no file or folder missing.c"),
        ("empty", "empty: there is no C file to read"),
    ):
        ran = run("scan", given)
        assert (ran.status, ran.out, ran.err) == (1, "", f"polyloop: error: {message}\n")


def test_files_are_read_as_a_compiler_does(run: Run, tmp_path: Path) -> None:
    require("gcc")
    loop = "(int n, float *a) { for (int i = 0; i < n; i++) a[i] *= 2; }"
    text = (
        f"#ifdef WIDE\nvoid wide{loop}\n#elif defined __OPTIMIZE__\nvoid fast{loop}\n#else\nvoid plain{loop}\n#endif\n"
    )
    (tmp_path / "chosen.c").write_text(text)
    for command, name in (("gcc -O0", "plain"), ("gcc -O2", "fast"), ("gcc -O2 -DWIDE=1", "wide")):
        assert f": {name}: 1 statement" in run("scan", "chosen.c", "--cc", command).out
    ran = run("scan", "chosen.c", "--cc", "no-such-compiler -O2")
    assert (ran.status, ran.err) == (2, "polyloop: error: --cc: there is no compiler no-such-compiler\n")
