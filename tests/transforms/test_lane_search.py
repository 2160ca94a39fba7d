"""LaneSearch: what is found has the bits of the original loops; everything else is refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import polyloop
from polyloop.frontend import read_source
from polyloop.schedules.tree import original_tree
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.shaping.variants import BLOCK, searched
from polyloop.transforms.kinds import Vectorize
from polyloop.transforms.lane_search import LaneSearch
from polyloop.transforms.scop_transform import IllegalScopTransformError
from polyloop.transforms.steps import replay_steps

SEARCHES = {
    "largest": ("float best", "for (int i = 0; i < n; i++) if (a[i] > best) best = a[i];"),
    "last_smallest": (
        "float best, int at",
        "for (int i = 1; i < n; i++) { if (best >= a[i]) { best = a[i]; at = i; } }",
    ),
    "magnitude": (
        "double best, int at",
        "for (int i = n - 1; i >= 0; i--) if (fabs(a[i]) > best) { best = fabs(a[i]); at = n - i; }",
    ),
    "guarded": (
        "float best, int at, float with",
        "for (int i = 2; i < n; i++) if (b[i] > 0 && a[i] < best) { at = i; with = b[i]; best = a[i]; }",
    ),
    "last_where": ("int at, float with", "for (int i = 0; i < n; i++) if (a[i] < 0) { at = i; with = b[i]; }"),
    "both": (
        "float low, float high, int at",
        "for (int i = 0; i < n; i++) { if (a[i] < low) low = a[i]; if (a[i] > high) { high = a[i]; at = i; } }",
    ),
    "plane": (
        "float best, long row, int column",
        "for (long i = 0; i < n; i++) for (int j = 0; j < n; j++)"
        " if (A[i][j] > best) { best = A[i][j]; row = i; column = j; }",
    ),
    "rows": (
        "float most[n], int where[n]",
        "for (int i = 0; i < n; i++) { most[i] = A[i][0]; where[i] = 0;"
        " for (int j = 1; j < n; j++) if (A[i][j] > most[i]) { most[i] = A[i][j]; where[i] = j; } }",
    ),
    "beside": (
        "float best, float s",
        "for (int i = 0; i < n; i++) { if (a[i] > best) best = a[i]; s = s + a[i]; }",
    ),
    "change": (
        "double worst, double now[n][n]",
        "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) { now[i][j] = A[i - 1][j] + A[i][j - 1];"
        " double d = fabs(now[i][j] - A[i][j]); if (A[i][j] < 3 && d > worst) worst = d; }",
    ),
    "continues": (
        "float best, int at",
        "for (int i = 0; i < n; i++) { float d = a[i] * b[i] - 1, t; if (d < 0) continue; t = b[i] - sqrtf(d);"
        " if (t > -9 && t < best) { best = t; at = i; } }",
    ),
    "square": (
        "float worst",
        "for (int i = 0; i < n; i++) if (b[i] > 0 && a[i] * a[i] < worst) worst = a[i] * a[i];",
    ),
    "bytes": (
        "unsigned char best, int at",
        "for (int i = 0; i < n; i++) if (bytes[i] > best) { best = bytes[i]; at = i; }",
    ),
}

REFUSED = {
    "sum": ("float s", "for (int i = 0; i < n; i++) if (a[i] > 0) s = s + a[i];", "what was chosen before"),
    "waits": (
        "float best, float out[n]",
        "for (int i = 0; i < n; i++) { out[i] = best; if (a[i] > best) best = a[i]; }",
        "waits for what",
    ),
    "overwritten": (
        "float best, float out[n]",
        "for (int i = 1; i < n; i++) { if (out[i] > best) best = out[i]; out[i] = a[i]; }",
        "waits for what",
    ),
    "other": ("float best", "for (int i = 0; i < n; i++) if (a[i] > best) best = b[i];", "keep what it compares"),
    "integer": (
        "unsigned char best",
        "for (int i = 0; i < n; i++) if (bytes[i] > best) best = bytes[i];",
        "order is free",
    ),
    "each": ("float *out", "for (int i = 0; i < n; i++) if (a[i] > 0) out[i] = b[i];", "a result of its own"),
}


def read(name: str, results: str, body: str) -> Scop:
    """The region of a function; results are global variables, or arrays that it is given."""
    given = [each for each in results.split(", ") if "[" in each or "*" in each]
    kept = "".join(f"{each};\n" for each in results.split(", ") if each not in given)
    parameters = [
        "int n",
        "const float a[n]",
        "const float b[n]",
        "const float A[n][n]",
        "const unsigned char bytes[n]",
    ]
    head = f"#include <math.h>\n{kept}void {name}({', '.join((*parameters, *given))})"
    file = read_source("f.c", text=f"{head}\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n")
    assert len(file.scops) == 1, file.diagnostics
    return file.scops[0]


def data(scop: Scop, n: int, seed: int) -> dict[str, Any]:
    """Few values, so that there are many equal ones; zeros of both signs, infinities, NaNs."""
    values = np.array([0.0, -0.0, -0.0, 0.0, 1.5, 1.5, -2.0, -2.0, np.nan, np.nan, np.inf, -np.inf], np.float32)
    rng = np.random.default_rng(seed)
    kept = values[: (4, 10, 12)[seed % 3]]  # zeros alone, no infinities, all
    made: dict[str, Any] = {"n": n}
    for array in (array for array in scop.arrays if not array.local):
        shape = tuple(n for _ in array.shape)
        if array.type.is_float:
            made[array.name] = rng.choice(kept, shape).astype(f"f{array.type.bytes}")
        else:
            made[array.name] = rng.integers(0, 4, shape).astype(np.uint8 if array.type.bits == 8 else np.int32)
            made[array.name] = made[array.name].astype({8: np.uint8, 32: np.int32, 64: np.int64}[array.type.bits])
    return made


@pytest.mark.parametrize("name", SEARCHES)
def test_lanes_find_what_the_loop_finds(name: str) -> None:
    scop = read(name, *SEARCHES[name])
    (variant,) = searched(scop)
    *before, step = variant.steps
    assert isinstance(step, LaneSearch)
    (plain, _) = replay_steps(scop, before)
    changed = LaneSearch(step.statement, 8).apply(plain)
    kernel, lanes = (polyloop.compile(s, original_tree(s)) for s in (scop, changed))
    written = {s.target.array for s in scop.statements}
    several = (BLOCK + 3,) if before else ()
    for n, seed in product((1, 2, 7, 8, 9, 33, *several), range(6)):
        want, have = data(scop, n, seed), data(scop, n, seed)
        kernel(**want)
        lanes(**have)
        for array in scop.arrays:
            if array.name in written and not array.local:
                assert want[array.name].tobytes() == have[array.name].tobytes(), (array.name, n, seed)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_such_search_is_refused(name: str) -> None:
    results, body, reason = REFUSED[name]
    scop = read(name, results, body)
    (step,) = LaneSearch.candidates(scop)
    with pytest.raises(IllegalScopTransformError, match=reason):
        step.apply(scop)


def test_the_loop_over_lanes_carries_nothing() -> None:
    scop = read("largest", *SEARCHES["largest"])
    (variant,) = searched(scop)
    tree = original_tree(variant.scop)
    inner = [path for path, _ in tree.bands() if len(tree.members_above(path)) == 1]
    assert [Vectorize(path, 0).check(tree, memory_dependences(variant.scop)) for path in inner] == [None]


def test_magnitudes_are_found_without_their_places() -> None:
    """As the change of a sweep is, whose loop computes it, too: no order of equal ones shows."""
    scop = read("change", *SEARCHES["change"])
    (variant,) = searched(scop)
    new = {array.name for array in variant.scop.arrays} - {array.name for array in scop.arrays}
    assert new == {"worst_lane", "take"}
    assert [s.name for s in variant.scop.statements if s.target.array == "now"] == ["S0"]
