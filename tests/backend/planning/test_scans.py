"""What sums come to on the way, in lanes: which loops do it, and that they do what C says."""

from __future__ import annotations

from dataclasses import replace
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
    "largest that fades": "s[0] = s[0] - 3 > x[i] ? s[0] - 3 : x[i]; y[i] = s[0];",
    "largest that fades, asked before": "y[i] = s[0]; s[0] = s[0] - 3 > x[i] ? s[0] - 3 : x[i];",
    "distances": "z[i + 1] = z[i + 1] < z[i] + 1 ? z[i + 1] : z[i] + 1;",
    "smallest that fades": "z[i + 1] = x[i] < z[i] - 2 ? x[i] : z[i] - 2;",
    "largest that grows": "s[0] = x[i] > 5 + s[0] ? x[i] : 5 + s[0]; y[i] = s[0] - z[i];",
    "of three": "z[i + 1] = (x[i] > v[i] ? x[i] : v[i]) > z[i] - 7 ? (x[i] > v[i] ? x[i] : v[i]) : z[i] - 7;",
    "distances of bytes": "c[i + 1] = c[i] + 1 < b[i] ? c[i] + 1 : b[i];",
    "bytes that fade": "c[i + 1] = b[i] > c[i] - 9 ? b[i] : c[i] - 9;",
    "runs": "s[0] = x[i] > 0 ? s[0] + 1 : 0; y[i] = s[0];",
    "runs that begin with others": "z[i + 1] = x[i] < v[i] ? b[i] : z[i] - x[i];",
    "bits anew": "s[0] = b[i] > 9 ? s[0] ^ x[i] : x[i] + 1; y[i] = s[0];",
    "largest anew": "s[0] = b[i] < 9 ? x[i] : s[0] > v[i] ? s[0] : v[i]; y[i] = s[0];",
    "fading anew": "z[i + 1] = b[i] < 9 ? v[i] + 1 : z[i] - 2 > x[i] ? z[i] - 2 : x[i];",
    "growing anew": "z[i + 1] = b[i] >= 9 ? (z[i] + 2 > x[i] ? z[i] + 2 : x[i]) : v[i];",
    "backwards": "z[m - i - 1] = z[m - i] + 2 < x[m - i] ? z[m - i] + 2 : x[m - i];",
    "sums backwards": "z[m - i - 1] = z[m - i] + x[i];",
    "fading by what nobody knows": "s[0] = s[0] - (k - 50) > x[i] ? s[0] - (k - 50) : x[i]; y[i] = s[0];",
    "smallest that moves": "z[i + 1] = x[i] < z[i] + (k - 50) ? x[i] : z[i] + (k - 50);",
    "smallest that moves, anew": "z[i + 1] = b[i] < 9 ? v[i] : x[i] < z[i] - (k - 50) ? x[i] : z[i] - (k - 50);",
    "where they are smaller": "if (z[i] + 1 < z[i + 1]) z[i + 1] = z[i] + 1;",
    "bytes where they are larger": "if (c[i] - 4 > c[i + 1]) c[i + 1] = c[i] - 4;",
    "largest of bytes": "c[i + 1] = c[i] > b[i] ? c[i] : b[i];",
    "not asked for at first": "z[i + 1] = i > 0 && b[i] > 9 ? z[i] + 1 : x[i];",
    "matches": "r[3][i + 1] = x[i] > v[i] ? r[2][i] + 1 : r[2][i + 1] > r[3][i] ? r[2][i + 1] : r[3][i];",
    "rows": "r[3][i + 1] = r[3][i] - 1 > r[2][i] ? r[3][i] - 1 : r[2][i];",
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
    "kept unread": "if (b[i] > 9) z[i + 1] = z[i] + x[i];",
    "fading by what data say": "s[0] = s[0] - b[i] > x[i] ? s[0] - b[i] : x[i]; y[i] = s[0];",
    "fading far": "c[i + 1] = b[i] > c[i] - 90 ? b[i] : c[i] - 90;",
    "bytes that wrap": "c[i + 1] = b[i] < (uint8_t)(c[i] + 1) ? b[i] : (uint8_t)(c[i] + 1);",
    "a row of its own": "r[3][i + 1] = r[3][i] - 1 > r[3][i + 2] ? r[3][i] - 1 : r[3][i + 2];",
    "conditions on sums": "s[0] = s[0] > 9 ? x[i] : s[0] + 1; y[i] = s[0];",
    "where sums lead to": "s[0] += b[i]; y[i] = x[s[0] & 63];",
    "sums of where sums lead to": "s[0] += 3; t[0] += x[s[0] & 127]; y[i] = t[0];",
}


def nest_of(body: str, trips: str = "n", whole: str = "int") -> LoopNest:
    text = f"""#include <stdint.h>
void f(int n, int m, int k, const int *x, const uint8_t *b, {whole} *y, int *z, int *v, {whole} s[1], {whole} t[1],
       {whole} u[1], long w[1], uint8_t *c, int r[4][300])
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
        size = 4 * 2 * MOST if spec.name == "r" else 1 if spec.name in "stuwk" else 2 * MOST
        shape = {"r": (4, 2 * MOST), "k": ()}.get(spec.name, (size,))
        arrays[spec.name] = rng.integers(low, high, size, dtype=kind).reshape(shape)
    if "k" in arrays:
        arrays["k"][...] = rng.integers(0, 100)
    return arrays


def is_scan(nest: LoopNest) -> bool:
    loops = [node for node in walk(nest.body) if isinstance(node, Loop)]
    assert [loop.kind for loop in loops] == [LoopKind.SEQUENTIAL]
    found = scan(loops[0], shown_target("avx512"), Names().fresh, nest.wraps) is not None
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


@pytest.mark.parametrize("case", ["largest that fades", "distances", "fading anew", "smallest that moves"])
def test_numbers_at_the_ends(case: str) -> None:
    """What drifts out of its type's range is not what C chooses."""
    nest = nest_of(CASES[case])
    data = data_of(nest)
    least, most = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    far = least if "fad" in case else most
    for name in data.keys() & {"x", "z"}:
        data[name][:] = np.where(np.arange(data[name].size) % 40 == 39, -far // 2, far)
        data[name][0] = -far // 3
    if "s" in data:
        data["s"][0] = -far // 3
    check_everywhere(nest, MOST - 1, data)


def test_numbers_that_wrap() -> None:
    """Where signed integers wrap, what drifts has no range to leave."""
    nest = nest_of(CASES["largest that fades"])
    assert not is_scan(replace(nest, wraps=True))
    assert is_scan(replace(nest_of(CASES["prefix sums"]), wraps=True))


def test_emitted_c(tmp_path: Path) -> None:
    cases = (
        *("before and behind", "largest", "checksum", "bits", "distances", "fading anew", "smallest that moves"),
        *("bytes where they are larger", "runs", "backwards"),
    )
    nests = {case: nest_of(CASES[case]) for case in cases}
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
    *("t[0] = t[0] - 5 > x[i] ? t[0] - 5 : x[i];", "z[i + 1] = z[i] + 2 < v[i] ? z[i] + 2 : v[i];"),
    *("s[0] = b[i] > 99 ? s[0] + 1 : b[i];", "if (z[i] - 3 > z[i + 1]) z[i + 1] = z[i] - 3;"),
    *("y[i] = s[0];", "y[i] = s[0] + t[0];", "z[i] = x[i] - t[0];", "v[i] = u[0] ^ s[0];", "u[0] += v[i];"),
)


@settings(quiet, max_examples=30)
@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=4), st.integers(0, MOST))
def test_random_statements(statements: list[str], n: int) -> None:
    nest = nest_of(" ".join(statements), whole="unsigned")
    check_everywhere(nest, n, data_of(nest))
