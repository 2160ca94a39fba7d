"""Reroll: what hands have unrolled becomes the loop that it was, in the order that it had."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_source
from polyloop.scop.model import Scop
from polyloop.transforms.reroll import Reroll
from polyloop.transforms.scop_transform import IllegalScopTransformError
from tests.helpers.enumeration import run


def read(
    body: str, parameters: str = "int n, float a[999], float b[999], float c[64][64], int p[999], float s"
) -> Scop:
    file = read_source("f.c", text=f"void f({parameters})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n")
    assert len(file.scops) == 1, file.diagnostics
    return file.scops[0]


@pytest.mark.parametrize(
    ("body", "kept", "domain"),
    [
        (
            "for (int i = 0; i < 30; i += 3) { a[i] += b[i]; a[i + 1] += b[i + 1]; a[i + 2] += b[i + 2]; }",
            1,
            "{ S0[i] : 0 <= i <= 29 }",
        ),
        # Each reads what the next one writes: the order stays.
        (
            "for (int i = 0; i < 9; i += 2) { a[i] = a[i + 1] + a[i]; a[i + 1] = a[i + 2] + a[i + 1]; }",
            1,
            "0 <= i <= 9",
        ),
        # Two statements, twice; a loop that runs down; one inside of another.
        (
            "for (int k = 0; k < 5; k++) for (int i = 8; i > 0; i -= 2) "
            "{ c[k][i] += b[i]; b[i] = a[k]; c[k][i - 1] += b[i - 1]; b[i - 1] = a[k]; }",
            2,
            "0 <= k <= 4 and 0 < i <= 8",
        ),
        # A counter of whole bodies, and as many iterations as an argument says.
        (
            "for (int i = 0; i < n / 4; i++) "
            "{ a[4 * i] = b[4 * i]; a[4*i + 1] = b[4*i + 1]; a[4*i + 2] = b[4*i + 2]; a[4*i + 3] = b[4*i + 3]; }",
            1,
            "i >= 0 and 4*floor((i)/4) <= -4 + n",
        ),
        # Every third iteration of what was unrolled twice.
        ("for (int i = 0; i < 24; i += 6) { p[i] = p[i] + i; p[i + 3] = p[i + 3] + (i + 3); }", 1, "(i) mod 3 = 0"),
    ],
)
def test_what_stays_and_how_often_it_runs(body: str, kept: int, domain: str) -> None:
    scop = read(body)
    (step,) = Reroll.candidates(scop)
    rolled = step.apply(scop)
    assert len(rolled.statements) == kept
    assert domain in str(rolled.statements[0].domain)
    for n in (0, 1, 4, 7) if scop.parameters else (0,):
        values = dict.fromkeys(scop.parameters, n)
        assert run(rolled, values) == run(scop, values)


def test_subscripts_from_data_move_along() -> None:
    scop = read("for (int i = 0; i + 1 < n; i += 2) { a[i] += s * b[p[i]]; a[i + 1] += s * b[p[i + 1]]; }")
    (step,) = Reroll.candidates(scop)
    assert step.apply(scop).statements[0].value == scop.statements[0].value


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 9; i += 3) { a[i] = b[i]; a[i + 1] = b[i + 1]; }",  # one is left out
        "for (int i = 0; i < 8; i += 2) { a[i + 1] = b[i + 1]; a[i] = b[i]; }",  # the other way round
        "for (int i = 0; i < 8; i += 2) { a[i] = b[i]; a[i + 1] = b[i + 2]; }",
        "for (int i = 0; i < 8; i += 2) { a[i] += b[i]; a[i + 1] -= b[i + 1]; }",
        "for (int i = 0; i < 8; i++) { a[3 * i] = b[3 * i]; a[3 * i + 1] = b[3 * i + 1]; }",
        "for (int i = 0; i < 8; i++) { a[i] = b[i]; a[i + 1] = b[i + 1]; }",  # some run twice
    ],
)
def test_what_is_no_repetition_is_refused(body: str) -> None:
    scop = read(body)
    (step,) = Reroll.candidates(scop)
    with pytest.raises(IllegalScopTransformError, match="its body is no repetition"):
        step.apply(scop)
