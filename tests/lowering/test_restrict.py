"""What ``restrict`` promises: which arrays are not asked whether they overlap."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from polyloop.backend.planning import scalar_program
from polyloop.frontend import read_source
from polyloop.lowering.run_time_tests import Bytes, accessed_bytes, can_be_tested, run_time_tests
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Array, Scop

LOOP = "for (int i = 0; i < n; i++) y[i] = 2 * x[i + 1];"


def scop_of(signature: str, before: str = "", loop: str = LOOP) -> Scop:
    text = f"struct s {{ double *x, *y; }};\nvoid f({signature})\n{{\n    {before}\n    {loop}\n}}\n"
    (scop,) = read_source("f.c", text=text, auto=True).scops
    return scop


def asks(scop: Scop) -> bool:
    assert scop.source is not None
    tests, _ = run_time_tests(scop, scalar_program(lower(scop, original_tree(scop))), scop.source)
    return any("disjoint" in test for test in tests)


@pytest.mark.parametrize(
    ("signature", "asked"),
    [
        ("int n, const double *x, double *y", True),
        ("int n, const double *x, double *restrict y", False),
        ("int n, const double *restrict x, double *y", False),
        ("int n, const double x[restrict], double y[]", False),
    ],
)
def test_one_restrict_of_two_parameters_is_enough(signature: str, asked: bool) -> None:
    assert asks(scop_of(signature)) == asked


@pytest.mark.parametrize(
    ("signature", "before"),
    [
        ("int n, double *x, double *restrict y", "if (n > 9) x = y + 1;"),
        ("int n, double *x, double *restrict y, double *z", "if (n > 9) y = z;"),
        ("int n, double *x, double *restrict y", "double **p = &x; if (n > 9) *p = y;"),
        ("int n, struct s *s, double *restrict y", "double *x = s->x;"),
    ],
)
def test_pointers_that_may_come_from_a_restrict_one_are_asked(signature: str, before: str) -> None:
    assert asks(scop_of(signature, before))


def test_what_data_lead_to_needs_no_bounds_beside_restrict() -> None:
    loop = "for (int i = 0; i < n; i++) y[i] = x[(int)(z[i] * z[i])];"
    signature = "int n, const double *x, const double *z, double *restrict y"
    assert can_be_tested(scop_of(signature, loop=loop))
    assert not asks(scop_of(signature, loop=loop))


def test_ends_of_an_array_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()

    def counted(scop: Scop, array: Array, *rest: Any) -> Bytes:
        asked[array.name] += 1
        return accessed_bytes(scop, array, *rest)

    monkeypatch.setattr("polyloop.lowering.run_time_tests.accessed_bytes", counted)
    loop = "for (int i = 0; i < n; i++) { y[i] = x[c[i] & 7]; z[i] = x[c[i] & 3]; }"
    assert can_be_tested(scop_of("int n, const double *x, const int *c, double *y, double *z", loop=loop))
    assert len(asked) > 2
    assert set(asked.values()) == {1}
