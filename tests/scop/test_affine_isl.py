"""Affine forms to isl's text and back, checked by their values."""

from __future__ import annotations

import islpy as isl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyloop.backend.ir.affine import (
    FALSE,
    TRUE,
    Affine,
    And,
    Not,
    Or,
    affine,
    at_least,
    choose,
    equal,
    evaluate_condition,
    maximum,
    minimum,
)
from polyloop.scop.affine_isl import (
    NotAffineError,
    affine_from_aff,
    affine_from_ast,
    affine_to_text,
    condition_from_ast,
    condition_to_text,
)

X, Y, SIZE = affine("i"), affine("j"), affine("n")

AFFINES = [
    affine(0),
    affine(-7),
    X,
    2 * X - 3 * Y + SIZE - 1,
    (X + 2 * Y) // 3,
    5 - (X - Y) // 4 * 2,
    ((X + 1) // 2 + Y) // 3,
    (X + SIZE) % 5,
    minimum(X, Y + 1, SIZE),
    2 * maximum(X - Y, 0) + 1,
    maximum(minimum(X, SIZE), Y // 2) // 3,
]
NESTED = choose(at_least(X, 0), choose(at_least(Y, 1), X, Y), SIZE)
CHOICES = [
    choose(at_least(X, Y), X, SIZE - Y),
    3 * choose(equal(X, 2), Y, -Y) + X - 1,
    choose(at_least(X, 0), X // 2, -(-X // 2)) // 3 + Y,
    NESTED,
    2 * NESTED - choose(at_least(Y, 1), X, 5) // 2,
    choose(Not(equal(X, 0)), X - 1, SIZE - 1),
    choose(And((Or((at_least(X, 1), at_least(-1, X))), Not(equal(Y, 2)))), Y, choose(equal(Y, 2), SIZE, 7)),
    choose(at_least(choose(Or((equal(X, 0), at_least(Y, 2))), Y, -X), 1), X, Y),
]


def _value(text: str, i: int, j: int, n: int) -> int:
    """The value of isl text over [i, j] and n, by isl itself."""
    relation = isl.Map(f"[n] -> {{ [i, j] -> [{text}] : i = {i} and j = {j} and n = {n} }}")
    return int(relation.range().project_out_all_params().dim_max_val(0).to_python())


@pytest.mark.parametrize("form", AFFINES + CHOICES, ids=str)
@pytest.mark.parametrize("point", [(0, 0, 1), (3, 5, 7), (-4, 2, 6), (2, -3, 11)])
def test_text_has_the_value_of_the_form(form: Affine, point: tuple[int, int, int]) -> None:
    assert _value(affine_to_text(form), *point) == form.evaluate(dict(zip("ijn", point, strict=True)))


CONDITIONS = [
    TRUE,
    FALSE,
    at_least(X, Y),
    equal((X + Y) % 3, 1),
    And((at_least(X, 1), Or((equal(Y, 2), at_least(SIZE, 9))))),
    Not(And((at_least(X, 0), at_least(Y, 0)))),
    at_least(2 * NESTED - 3, Y),
    equal(choose(Or((equal(X, 1), at_least(Y, 4))), X, Y) // 2, 1),
    at_least(minimum(CHOICES[0], Y), 2),
]


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
def test_condition_text_holds_where_the_condition_does(condition: object) -> None:
    points = isl.Set(f"[n] -> {{ [i, j] : {condition_to_text(condition)} }}")  # type: ignore[arg-type]
    for i in range(-4, 5):
        for j in range(-3, 6):
            for n in (1, 10):
                here = isl.Set(f"[n] -> {{ [i, j] : i = {i} and j = {j} and n = {n} }}")
                expected = evaluate_condition(condition, {"i": i, "j": j, "n": n})  # type: ignore[arg-type]
                assert (not points.intersect(here).is_empty()) == expected


def test_aff_comes_back() -> None:
    for form in (2 * X - 3 * Y + SIZE - 1, (X + 2 * Y) // 3 - SIZE, ((X + 1) // 2 + Y) // 3):
        aff = isl.Aff(f"[n] -> {{ [i, j] -> [({affine_to_text(form)})] }}")
        back = affine_from_aff(aff, ("i", "j"))
        for i, j, n in ((0, 0, 1), (3, 5, 7), (-4, 2, 6), (2, -3, 11), (8, 8, 8)):
            point = {"i": i, "j": j, "n": n}
            assert back.evaluate(point) == form.evaluate(point)


def test_rational_aff_is_refused() -> None:
    aff = isl.Aff("{ [i] -> [(i)] }").scale_down_val(isl.Val(2))
    with pytest.raises(NotAffineError, match="rational"):
        affine_from_aff(aff, ("i",))


@given(st.integers(-20, 20), st.integers(-20, 20))
def test_ast_expressions_keep_their_value(n: int, m: int) -> None:
    build = isl.AstBuild.from_context(isl.Set("[n, m] -> { : }"))
    for text in (
        "n - 2*m + 3",
        "floor((n + m)/3)",
        "min(n, 2*m)",
        "max(n, m) - 1",
        "n] : n >= m; [m + 1] : n < m",
        "n mod 4",
    ):
        end = "" if ":" in text else "]"
        expression = build.expr_from_pw_aff(isl.PwAff(f"[n, m] -> {{ [{text}{end} }}"))
        value = {
            "n - 2*m + 3": n - 2 * m + 3,
            "floor((n + m)/3)": (n + m) // 3,
            "min(n, 2*m)": min(n, 2 * m),
            "max(n, m) - 1": max(n, m) - 1,
            "n] : n >= m; [m + 1] : n < m": n if n >= m else m + 1,
            "n mod 4": n % 4,
        }[text]
        assert affine_from_ast(expression).evaluate({"n": n, "m": m}) == value


@given(st.integers(-9, 9), st.integers(-9, 9))
def test_ast_conditions_keep_their_value(n: int, m: int) -> None:
    build = isl.AstBuild.from_context(isl.Set("[n, m] -> { : }"))
    for text, value in (
        ("n > m and m >= 2", n > m and m >= 2),
        ("n = 3 or m < n", n == 3 or m < n),
        ("n mod 3 = 1", n % 3 == 1),
        ("n <= m", n <= m),
        ("1 = 0", False),
        ("1 = 1", True),
    ):
        condition = condition_from_ast(build.expr_from_set(isl.Set(f"[n, m] -> {{ : {text} }}")))
        assert evaluate_condition(condition, {"n": n, "m": m}) == value
