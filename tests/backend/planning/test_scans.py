"""What sums come to on the way, in lanes: which loops do it, and that they do what C says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.backend.ir.interpreter import Array
from polyloop.backend.ir.loop_nest import Loop, LoopKind, LoopNest, walk
from polyloop.backend.ir.vector_program import Let, Shuffle
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning.plan import plan
from polyloop.backend.planning.scans import scan
from polyloop.backend.planning.values import Names
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from tests.backend.planning.programs import flat
from tests.backend.planning.test_group_sums import check_emitted, check_everywhere

MOST = 150
CASES = {
    "prefix sums": "s[0] += x[i]; y[i] = s[0];",
    "of bytes": "s[0] += b[i]; y[i] = 3 * s[0] + x[i];",
    "in place": "s[0] += z[i]; z[i] = s[0];",
    "before": "y[i] = s[0]; s[0] += x[i];",
    "before and behind": "y[i] = s[0]; s[0] += x[i]; z[i] = s[0] - y[i];",
    "less": "s[0] -= b[i]; y[i] = s[0];",
    "numbers": "s[0] += x[i] > 0; y[i] = s[0];",
    "largest": "s[0] = x[i] > s[0] ? x[i] : s[0]; y[i] = s[0];",
    "smallest before": "y[i] = s[0]; s[0] = x[i] < s[0] ? x[i] : s[0];",
    "bits": "s[0] ^= x[i]; t[0] |= b[i]; y[i] = s[0] & t[0];",
    "every bit": "s[0] &= x[i]; y[i] = s[0];",
    "checksum": "s[0] += b[i]; t[0] += s[0];",
    "three": "s[0] += b[i]; t[0] += s[0]; y[i] = t[0]; u[0] ^= t[0];",
    "checksum before": "t[0] += s[0]; s[0] += b[i];",
    "wide": "w[0] += x[i]; y[i] = (int)w[0];",
    "the one before": "z[i + 1] = z[i] + x[i];",
    "in place before": "z[i + 1] += z[i];",
    "largest before": "z[i + 1] = z[i] > x[i] ? z[i] : x[i];",
    "bits before": "z[i + 1] = x[i] ^ z[i]; s[0] += z[i + 1]; y[i] = s[0];",
    "widened": "v[i] = x[i] + 1; s[0] += v[i]; y[i] = s[0];",
}
OTHERS = {
    "a sum": "s[0] += x[i];",
    "products": "s[0] *= x[i]; y[i] = s[0];",
    "two before": "z[i + 2] = z[i] + x[i];",
    "the one before twice": "z[i + 1] = z[i] + z[i];",
    "weighed": "z[i + 1] = 3 * z[i] + x[i];",
    "before and others": "z[i + 1] = z[i] + z[i + 2];",
    "into others": "z[i + 1] = z[i] + x[i]; y[i] = z[i];",
    "coupled": "s[0] += t[0]; t[0] += s[0];",
    "neighbours": "s[0] += z[i + 1]; z[i] = s[0];",
    "steps": "s[0] += x[i]; z[2 * i] = s[0];",
    "what comes back": "y[i] = s[0]; s[0] += y[i] + x[i];",
    "two stores": "s[0] += x[i]; y[i] = s[0]; y[i] = s[0] + 1;",
    "divisions": "s[0] += x[i]; y[i] = 7 / s[0];",
    "where sums lead to": "s[0] += b[i]; y[i] = x[s[0] & 63];",
    "sums of where sums lead to": "s[0] += 3; t[0] += x[s[0] & 127]; y[i] = t[0];",
}


def nest_of(body: str, trips: str = "n", whole: str = "int") -> LoopNest:
    text = f"""#include <stdint.h>
void f(int n, const int *x, const uint8_t *b, {whole} *y, int *z, int *v, {whole} s[1], {whole} t[1], {whole} u[1],
       long w[1])
{{
    for (int i = 0; i < {trips}; i++) {{
        {body}
    }}
}}
"""
    (scop,) = read_source("t.c", text=text, auto=True).scops
    return lower(scop, original_tree(scop))


def data_of(nest: LoopNest) -> dict[str, Array]:
    rng = np.random.default_rng(5)
    arrays = {}
    for spec in nest.arrays:
        kind = np.dtype(f"{'u' if spec.type.kind == 'uint' else 'i'}{spec.type.bytes}")
        low, high = (0, 256) if spec.type.bits == 8 else (-1000 if spec.type.kind == "int" else 0, 1000)
        arrays[spec.name] = rng.integers(low, high, 1 if spec.name in "stuw" else 2 * MOST, dtype=kind)
    return arrays


def is_scan(nest: LoopNest) -> bool:
    loops = [node for node in walk(nest.body) if isinstance(node, Loop)]
    assert [loop.kind for loop in loops] == [LoopKind.SEQUENTIAL]
    found = scan(loops[0], shown_target("avx512"), Names().fresh) is not None
    lets = [s.operation for s in flat(plan(nest, shown_target("avx512")).body) if isinstance(s, Let)]
    assert any(isinstance(operation, Shuffle) for operation in lets) == found
    return found


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n", [0, 15, 113])
def test_what_sums_come_to(case: str, n: int) -> None:
    nest = nest_of(CASES[case])
    assert is_scan(nest)
    check_everywhere(nest, n, data_of(nest))


@pytest.mark.parametrize("case", OTHERS)
def test_other_loops_stay(case: str) -> None:
    nest = nest_of(OTHERS[case])
    assert not is_scan(nest)
    check_everywhere(nest, 65, data_of(nest))


def test_emitted_c(tmp_path: Path) -> None:
    nests = {case: nest_of(CASES[case]) for case in ("before and behind", "largest", "checksum", "bits")}
    check_emitted({case: (nest, data_of(nest)) for case, nest in nests.items()}, 101, tmp_path)


@pytest.mark.parametrize("trips", [3, 16, 77])
def test_loops_of_known_length(trips: int) -> None:
    nest = nest_of(CASES["three"], str(trips))
    check_everywhere(nest, MOST, data_of(nest))


quiet = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
STATEMENTS = (
    *(f"{cell}[0] {sign}= {value};" for cell in "st" for sign in "+-^|&" for value in ("x[i]", "b[i]", "z[i]", "u[0]")),
    *("t[0] += s[0];", "s[0] = s[0] < x[i] ? x[i] : s[0];", "if (b[i] > 99) t[0] += x[i];"),
    *("z[i + 1] = z[i] + b[i];", "v[i + 1] += v[i];", "v[i + 1] = v[i] | s[0];"),
    *("y[i] = s[0];", "y[i] = s[0] + t[0];", "z[i] = x[i] - t[0];", "v[i] = u[0] ^ s[0];", "u[0] += v[i];"),
)


@settings(quiet, max_examples=30)
@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=4), st.integers(0, MOST))
def test_random_statements(statements: list[str], n: int) -> None:
    nest = nest_of(" ".join(statements), whole="unsigned")
    check_everywhere(nest, n, data_of(nest))
