"""Keep: a recurrence's values in a scalar of one iteration."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_c
from polyloop.scop.model import Scop
from polyloop.transforms import Keep
from polyloop.transforms.scop_transform import IllegalScopTransformError
from tests.helpers.enumeration import run


def read(body: str) -> Scop:
    signature = "int n, double v, double a[n], double b[n + 2]"
    (scop,) = read_c("f.c", text=f"void f({signature})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n")
    return scop


RUNNING = "for (int i = 0; i < n; i++) { v = v + b[0]; a[i] = v + b[i]; b[i + 1] = v; }"


def test_every_reader_behind_it_gets_what_its_own_iteration_computes() -> None:
    scop = read(RUNNING)
    (step,) = Keep.candidates(scop)
    changed = step.apply(scop)
    names = {s.target.array: {a.array for a in s.reads} for s in changed.statements if s.depth}
    assert names["v_kept"] == {"v", "b"}
    assert names["v"] == {"v_kept"}
    assert (names["a"], names["b"]) == ({"v_kept", "b"}, {"v_kept"})
    for n in (0, 1, 5):
        assert run(changed, {"n": n}) == run(scop, {"n": n})


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) { a[i] = v; v = v + b[0]; }",  # read before it is computed
        "for (int i = 0; i < n; i++) { v = b[i]; a[i] = v; }",  # no recurrence
        "for (int i = 0; i < n; i++) { v = v + b[0]; v = v * 3; a[i] = v; }",  # two of them
        "for (int i = 0; i < n; i++) v = v + b[i]; a[0] = v;",
    ],
)
def test_what_stays(body: str) -> None:
    assert list(Keep.candidates(read(body))) == []


def test_refusals() -> None:
    scop = read("for (int i = 0; i < n; i++) { v = b[i]; a[i] = v; }")
    with pytest.raises(IllegalScopTransformError, match="does not compute a scalar from what it was"):
        Keep(scop.statements[-1].name).apply(scop)
    alone = read("for (int i = 0; i < n; i++) { a[i] = v; v = v + b[0]; }")
    with pytest.raises(IllegalScopTransformError, match="no other statement reads"):
        Keep(alone.statements[-1].name).apply(alone)
