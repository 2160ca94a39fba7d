"""Accumulators of loops inside of each other that reduce into the same cells stand around all of them."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.backend.ir.loop_nest import Loop, LoopNest, walk
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.ir.vector_program_text import program_text
from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning.plan import plan, scalar_program
from polyloop.backend.planning.vectors import summed_up
from polyloop.backend.run.kernel import compile_program
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from polyloop.transforms import Vectorize
from tests.helpers.running import assert_same, copied

TOGETHER = {
    "sum": "for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) s[0] += a[y][x] * b[x];",
    "distance": "for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) s[k] += a[y][x] > b[x] ? a[y][x] : b[x];",
    "least": "for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) if (a[y][x] < s[1]) s[1] = a[y][x];",
    "bits": "for (int y = 1; y < m; y++) for (int x = 2; x < n; x++) s[2] |= a[y][x] ^ y;",
}
APART = {
    "rows": "for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) s[y] += a[y][x];",
    "triangle": "for (int y = 0; y < m; y++) for (int x = 0; x < y; x++) s[0] += a[y][x];",
    "read": "for (int y = 0; y < m; y++) { for (int x = 0; x < n; x++) s[0] += a[y][x]; s[1] += s[0]; }",
}


def read(loops: str) -> Scop:
    text = f"void f(int n, int m, int k, int s[m + 9], int a[m][n], int b[n])\n{{\n{loops}\n}}\n"
    return read_source("f.c", text=text, auto=True).scops[0]


def in_lanes(scop: Scop) -> LoopNest:
    inner = (0, 0) if len(scop.statements) > 1 else (0,)
    return lower(scop, Vectorize(inner, 0).apply(original_tree(scop)))


def depths(program: VectorProgram) -> set[int]:
    """How many loops stand around each horizontal reduction."""
    found, around = set[int](), list[tuple[int, bool]]()
    for line in program_text(program).splitlines():
        indent = len(line) - len(line.lstrip())
        around = [(outer, is_loop) for outer, is_loop in around if outer < indent]
        if "fold(" in line:
            found.add(sum(is_loop for _, is_loop in around))
        around.append((indent, line.lstrip().startswith("for ")))
    return found


@pytest.mark.parametrize("name", [*TOGETHER, *APART])
@pytest.mark.parametrize("target", ["avx512", "avx2", "sse"])
def test_lanes_are_folded_once_where_all_loops_reduce_into_the_same(name: str, target: str) -> None:
    program = plan(in_lanes(read(TOGETHER.get(name) or APART[name])), shown_target(target))
    assert depths(program) == {int(name in APART)}


@pytest.mark.parametrize("name", [*TOGETHER, *APART])
def test_the_results_are_those_of_the_loops(name: str) -> None:
    scop = read(TOGETHER.get(name) or APART[name])
    lanes = compile_program(plan(in_lanes(scop), host_target()))
    plain = compile_program(scalar_program(lower(scop, original_tree(scop))))
    for n, m in ((1, 0), (1, 1), (7, 5), (16, 16), (33, 20), (100, 3)):
        rng = np.random.default_rng(n)
        sizes: dict[str, int | tuple[int, int]] = {"s": m + 9, "a": (m, n), "b": n}
        data = {a.name: rng.integers(-9, 9, sizes[a.name], np.int32) for a in scop.arrays}
        expected, found = copied(data), copied(data)
        values = {key: value for key, value in {"n": n, "m": m, "k": 4}.items() if key in scop.parameters}
        plain(**expected, **values)
        lanes(**found, **values)
        assert_same(expected, found, f"{n} x {m}")


def test_nothing_stands_between_the_loops() -> None:
    def found(loops: str) -> bool:
        outermost = next(node for node in walk(in_lanes(read(loops)).body) if isinstance(node, Loop))
        return summed_up(outermost) is not None

    assert all(map(found, TOGETHER.values()))
    assert not any(map(found, APART.values()))
