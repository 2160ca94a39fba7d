"""Data on both sides of what elements are compared with."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.frontend import read_source
from polyloop.scop.data import Fill, fill, fills
from polyloop.scop.model import Scop
from polyloop.scop.thresholds import on_both_sides, thresholds

BODIES = {
    "larger": ("y[i] = s[i] > 1000 ? 1 : y[i];", {"s": (1, 2000)}),
    "of both signs": ("if (s[i] < 0) y[i] = 2; else if (s[i] > 50) y[i] = 3;", {"s": (-100, 100)}),
    "a character": ("if (b[i] == 'x' || b[i] == 'A') y[i]++;", {"b": (65, 121)}),
    "a small number": ("if (b[i] != 4) y[i]++;", {"b": (4, 5)}),
    "a flag": ("if (b[i]) y[i]++;", {"b": (0, 1)}),
    "no flag": ("if (!b[i] && f[i] > 0) y[i]++;", {"b": (0, 1), "f": (-1, 1)}),
    "a flag in front of a quotient": ("if (b[i]) f[i] = 1; else f[i] = 1 / f[i];", {"b": (0, 1)}),
    "bytes end": ("if (b[i] >= 200) y[i]++;", {"b": (1, 255)}),
    "a float's sign": ("if (f[i] > 0) y[i]++;", {"f": (-1, 1)}),
    "a float": ("y[i] += f[i] < 3.5f;", {"f": (0, 7)}),
    "within ordinary floats": ("y[i] += f[i] < 0.5f;", {}),
    "nearly zero": ("if (f[i] > 1e-9f) y[i] = 1;", {}),
    "a sentinel": ("if (y[i] < 2147483647) y[i]++;", {}),
    "through a scalar": ("int v = s[i] >> 2; if (v < 0) v = -v; v += 33; if (v > 100) y[i] = v;", {"s": (-800, 800)}),
    "of a counter": ("for (int k = 0; k < 6; k++) if (s[i] < (8 << k)) y[i]++;", {"s": (1, 512)}),
    "a divisor": ("if (s[i] > 100) y[i] = 100 / s[i];", {}),
    "a place": ("if (f[i] > 0) y[i] = s[(int)(f[i] * 8)];", {}),
    "a place through scalars": ("float t = f[i] * n; int p = (int)t; if (f[i] > 0) y[i] = s[p];", {}),
    "nothing": ("y[i] = s[i] + b[i];", {}),
    "one another": ("if (s[i] < b[i]) y[i] = 1;", {}),
    "a scalar": ("if (f[i] >= k) y[i] = 1;", {"k": (0.55, 0.55)}),
    "a scalar that divides": ("if (k > f[i] / k) y[i] = 1;", {}),
    "a difference": ("float d = k - f[i]; if (d <= 0) continue; y[i] = f[i] / k < 0.1f;", {"k": (0.55, 0.55)}),
}
SIGNATURE = (
    "int n, const short *restrict s, const unsigned char *restrict b, const float *restrict f, "
    "int *restrict y, float k, int m"
)


def scop_of(body: str) -> Scop:
    text = f"void g({SIGNATURE})\n{{\n    for (int i = 0; i < n; i++) {{ {body} }}\n}}\n"
    (scop,) = read_source("x.c", text=text, auto=True).scops
    return scop


@pytest.mark.parametrize("name", BODIES)
def test_values_lie_on_both_sides(name: str) -> None:
    body, expected = BODIES[name]
    scop = scop_of(body)
    assert thresholds(scop) == expected
    for spec in on_both_sides(scop, fills(scop, {"n": 4000})):
        if spec.name in expected:
            values = fill(spec)
            low, high = expected[spec.name]
            assert low <= values.min() <= low + 0.05 * (high - low)
            assert high - 0.05 * (high - low) <= values.max() <= high


def test_checks_have_their_own() -> None:
    """What results are compared on does not know of thresholds."""
    scop = scop_of(BODIES["larger"][0])
    specs = on_both_sides(scop, fills(scop, {"n": 4000}, floats="extreme", integers="extreme"))
    (values,) = (fill(spec) for spec in specs if spec.name == "s")
    assert {-(1 << 15), (1 << 15) - 1} <= set(np.unique(values).tolist())


def test_subscripts_keep_their_limits() -> None:
    scop = scop_of("if (s[i] > 1000) y[s[i]] = 1;")
    (spec,) = (spec for spec in on_both_sides(scop, fills(scop, {"n": 100})) if spec.name == "s")
    assert isinstance(spec, Fill)
    assert spec.limits is not None
    low, high = spec.limits
    assert low <= fill(spec).min()
    assert fill(spec).max() <= high
