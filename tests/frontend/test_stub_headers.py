"""The headers that stand for the system's: what their macros say is what the system's say."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from polyloop.frontend.stub_headers import HEADERS

_WIDTHS = ("8", "16", "32", "64", "MAX")
_PRINTED = [f"PRI{conversion}{width}" for conversion in "diouxX" for width in (*_WIDTHS, "PTR")]
_CONSTANTS = [f"{sign}INT{width}_C(7)" for sign in ("", "U") for width in _WIDTHS]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_integer_macros_are_those_of_the_system(tmp_path: Path) -> None:
    """Formats are the same text; constants have the same value, size and sign."""
    lines = [f"puts({name});" for name in _PRINTED]
    lines += [f'printf("%d %d %d\\n", (int){c}, (int)sizeof {c}, {c} - 8 < 0);' for c in _CONSTANTS]
    stub = tmp_path / "stub"
    stub.mkdir()
    (stub / "inttypes.h").write_text(HEADERS["inttypes.h"])
    source = tmp_path / "macros.c"
    printed = []
    for path, program in (("<inttypes.h>", "system"), ('"stub/inttypes.h"', "stubs")):
        body = "\n".join(lines)
        declared = "int puts(const char *);\nint printf(const char *, ...);\n"
        source.write_text(f"{declared}#include {path}\nint main(void)\n{{\n{body}\nreturn 0;\n}}\n")
        subprocess.run(["gcc", "-o", str(tmp_path / program), str(source)], check=True)
        printed.append(subprocess.run([str(tmp_path / program)], check=True, capture_output=True, text=True).stdout)
    assert printed[0] == printed[1]
