"""`polyloop bench fuzz --suite emitted`: what is drawn, a small share of the episodes, and files that are wrong."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from polyloop.bench import fuzz_builds, fuzz_emitted
from polyloop.bench.fuzz_emitted import episode, programs_episode, reproducible_episode
from polyloop.bench.random_functions import FLOATS, NARROW, SIGNED, UNSIGNED, random_function
from polyloop.bench.random_programs import random_program
from polyloop.frontend import read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.support.compilers import find_executable

DRAWN = [random_function(np.random.default_rng([5, number]), f"f{number}") for number in range(120)]
needs_a_compiler = pytest.mark.skipif(not (find_executable("gcc") or find_executable("clang")), reason="no C compiler")
pytestmark = [pytest.mark.usefixtures("own_cache"), needs_a_compiler]


def test_draws_cover_what_they_are_for() -> None:
    arrays = [array for function in DRAWN for array in function.arrays]
    assert {array.type for array in arrays} == {*FLOATS, *NARROW, *SIGNED, *UNSIGNED}
    assert {len(array.extents) for array in arrays} == {0, 1, 2, 3}
    assert any(array.is_global for array in arrays)
    text = "".join(function.text for function in DRAWN)
    for construct in (r"-= [123]\)", "else", r"\? ", "(float)", "/ 3", "% 2", "t2 = ", "restrict", "^= ", "sqrtf"):
        assert re.search(construct if "\\" in construct else re.escape(construct), text), construct
    assert random_function(np.random.default_rng([5, 3]), "f3") == DRAWN[3]


def test_what_is_drawn_can_be_read() -> None:
    functions = DRAWN[:20]
    file = read_source("functions.c", text="#include <math.h>\n" + "".join(function.text for function in functions))
    assert [scop.name for scop in file.scops] == [function.name for function in functions]


@pytest.mark.parametrize("number", [0, 1])
def test_a_share_of_the_episodes(number: int) -> None:
    outcome = episode({"seed": 3, "number": number, "run": number == 0, "functions": 2})
    assert outcome.errors == []
    assert outcome.counts["functions"] == 2
    assert outcome.compared > 0
    assert outcome.different == 0


def test_programs_cover_what_people_write() -> None:
    drawn = [random_program(np.random.default_rng([5, number]), f"f{number}") for number in range(500)]
    text = "".join(function.text for function in drawn)
    for construct in (
        *("s->nx", "*count", "size[0]", "const struct", "continue;", "break;", "else if", "while (", "--) {"),
        *("*d", "++ = *", "static inline", "struct f", "restrict", "unsigned long", "[s->P[", "[P[", "+ 1];", "* 16"),
        *("for (int t = 0;", "static const int table", "= 1 << k;", "} else {", "if (++c"),
    ):
        assert construct in text, construct
    assert random_program(np.random.default_rng([5, 3]), "f3") == drawn[3]


def test_a_share_of_the_programs() -> None:
    """With sanitizers: what is not read stays as it is, and runs, too."""
    outcome = programs_episode({"seed": 3, "number": 0, "run": True, "functions": 8})
    assert outcome.errors == []
    assert outcome.counts["functions"] + outcome.counts["not read"] == 8
    assert outcome.compared > 0
    assert outcome.different == 0


@pytest.mark.parametrize("number", [0, 1])
def test_a_share_of_the_reproducible_episodes(number: int) -> None:
    outcome = reproducible_episode({"seed": 11, "number": number, "run": False, "functions": 2})
    assert outcome.errors == []
    assert outcome.counts["functions"] == 2
    assert outcome.compared > 0


def test_roundings_that_depend_on_the_build_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """gcc fuses where nothing forbids it."""
    if not (shutil.which("gcc") and fuzz_builds.works("gcc", ("-mavx2", "-mfma"))):
        pytest.skip("gcc, or the processor, has no multiply-adds")

    def unprotected(text: str, replacements: Sequence[Replacement], uncontracted: bool) -> str:
        del uncontracted
        return emit_c_file(text, replacements)

    monkeypatch.setattr(fuzz_emitted, "emit_c_file", unprotected)
    outcome = reproducible_episode({"seed": 11, "number": 0, "run": False, "functions": 2})
    assert outcome.different > 0
    assert any("gcc -O3 -march=native: f1" in error for error in outcome.errors)


def test_wrong_files_are_seen_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(text: str, replacements: object, uncontracted: bool) -> str:
        del replacements, uncontracted
        return text.replace(" = ", " = 1 + ")

    monkeypatch.setattr(fuzz_emitted, "emit_c_file", wrong)
    outcome = episode({"seed": 3, "number": 2, "run": False, "functions": 2})
    assert outcome.different > 0
    assert re.search(r"gcc|clang", outcome.errors[0])
    kept = tmp_path / "cache" / "fuzz" / "emitted-3-2"
    assert {path.name for path in kept.iterdir()} == {"original.c", "emitted.c", "driver.c", "names.h"}
    assert emit_c_file((kept / "original.c").read_text(), []) == (kept / "original.c").read_text()


def test_originals_do_nothing_undefined(tmp_path: Path) -> None:
    """Every drawn function against itself, under gcc's sanitizers."""
    if not shutil.which("gcc"):
        pytest.skip("no gcc")
    functions = DRAWN[:20]
    original = "#include <math.h>\n" + "".join(function.text for function in functions)
    fuzz_builds.write_files(tmp_path, functions, original, original)
    flags = fuzz_builds.SANITIZED
    if not fuzz_builds.works("gcc", flags):
        pytest.skip("gcc has no sanitizers")
    for name, more in (("original", ("-include", "names.h")), ("emitted", ())):
        command = ["gcc", "-w", *flags, *more, "-c", f"{name}.c", "-o", f"{name}.o"]
        subprocess.run(command, cwd=tmp_path, check=True)
    command = ["gcc", "-w", *flags, "driver.c", "original.o", "emitted.o", "-o", "program", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run(["./program"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert Counter(done.stdout.split())["0"] == 1
