"""The tests of overlap in emitted C: as few calls as say the same, and what they say."""

from __future__ import annotations

import itertools
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from polyloop.backend.c.helpers import Helper
from polyloop.backend.c.printer import prelude
from polyloop.lowering.run_time_tests import Bytes, disjoint_tests

COMPILERS = [name for name in ("gcc", "clang", "clang-22") if shutil.which(name)]


def ranges(count: int) -> list[Bytes]:
    return [Bytes(f"memory + {100 * k}", "0", f"ends[{k}]") for k in range(count)]


def test_what_is_written_against_all_takes_one_call() -> None:
    helpers = set[Helper]()
    a, b, c, d = ranges(4)
    (test,) = disjoint_tests([(a, b), (a, c), (a, d), (b, c), (b, d)], helpers)
    listed = ", ".join(f"{{{each.text}}}" for each in (a, b, c, d))
    assert test == f"polyloop_none_overlap(2, {listed})"
    assert helpers == {Helper("none_overlap")}
    few = disjoint_tests([(a, b), (a, c)], helpers := set())
    assert few == [f"polyloop_disjoint({a.text}, {other.text})" for other in (b, c)]
    assert helpers == {Helper("disjoint")}


def test_every_pair_is_tested_and_no_other() -> None:
    drawn = random.Random(5)
    for _ in range(200):
        every = ranges(drawn.randrange(2, 8))
        pairs = [pair for pair in itertools.combinations(every, 2) if drawn.random() < 0.6]
        tested: list[frozenset[str]] = []
        for test in disjoint_tests(pairs, set()):
            places = re.findall(r"memory \+ \d+", test)
            several = re.match(r"polyloop_none_overlap\((\d+),", test)
            first = int(several[1]) if several else 1
            tested += [frozenset(p) for k in range(first) for p in ((places[k], o) for o in places[k + 1 :])]
        assert len(set(tested)) == len(tested)
        assert set(tested) == {frozenset((a.address, b.address)) for a, b in pairs}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("language", ["c", "c++"])
def test_overlap_is_found(tmp_path: Path, compiler: str, language: str) -> None:
    five = ranges(5)
    helpers = set[Helper]()
    (test,) = disjoint_tests([(a, b) for a, b in itertools.combinations(five, 2) if a in five[:2]], helpers)
    main = f"""
static char memory[600];
int main(void)
{{
    for (int moved = 0; moved < 5; moved++)
        for (long end = -1; end <= 202; end++) {{
            long ends[5] = {{ 100, 100, 100, 100, 100 }};
            ends[moved] = end;
            const int apart = end <= 100 || moved == 4 || (moved > 1 && moved < 4);
            if (({test}) != apart)
                return 1;
        }}
    return 0;
}}
"""
    (tmp_path / "overlap.c").write_text(prelude(helpers) + main)
    program = tmp_path / "overlap"
    flags = ["-x", language, "-Wall", "-Wextra", "-Wconversion", "-Werror", "-Wno-unused-function"]
    subprocess.run([compiler, *flags, "-O2", tmp_path / "overlap.c", "-o", program], check=True)
    assert subprocess.run([program], check=False).returncode == 0
