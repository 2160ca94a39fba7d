"""ReadFirst: what a loop's body would overwrite is read before that, and nothing else moves; Substitute: what a scalar
keeps for one statement is computed there."""

from __future__ import annotations

import pytest

from polyloop.backend.ir.expressions import Comparison, certain, contracted, text, walk
from polyloop.frontend import read_source
from polyloop.schedules.isl_scheduler import distributed
from polyloop.schedules.tree import original_tree
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.shaping.nests import is_contraction, nests
from polyloop.shaping.variants import _as_long_as, read_first, variants
from polyloop.transforms.read_first import ReadFirst, Substitute
from polyloop.transforms.scop_transform import IllegalScopTransformError
from tests.helpers.enumeration import run
from tests.helpers.small_scops import parse_access

SPLIT = "for (int i = 0; i < n; i++) { S: a[i] = b[i] + c[i]; T: d[i] = a[i] + a[i + 1] + d[i]; }"


def read(body: str) -> Scop:
    parameters = "int n, double a[n + 1], double b[n], double c[n], double d[n]"
    file = read_source("f.c", text=f"void f({parameters})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n")
    assert len(file.scops) == 1, file.diagnostics
    return file.scops[0]


def loops(scop: Scop) -> int:
    """How many loops there are after distribution."""
    return len(list(distributed(scop, original_tree(scop), memory_dependences(scop)).bands()))


def test_the_statements_can_be_distributed_then() -> None:
    scop = read(SPLIT)
    assert list(ReadFirst.candidates(scop)) == [ReadFirst("T", parse_access("a[i + 1]"))]
    assert loops(scop) == 1
    (variant,) = read_first(scop)
    assert [s.name for s in variant.scop.statements] == ["T_first", "S", "T"]
    assert loops(variant.scop) == 3
    assert run(variant.scop, {"n": 5}) == run(scop, {"n": 5})


@pytest.mark.parametrize(
    ("body", "access", "reason"),
    [
        (SPLIT, "a[i]", "it is written between there and the statement"),
        (SPLIT, "c[i]", "it does not surely read that in every iteration"),
        (
            "for (int i = 0; i < n; i++) { S: a[i] = b[i]; T: d[i] = b[i] > 0 ? a[i + 1] : 0; }",
            "a[i + 1]",
            "it does not surely read that in every iteration",
        ),
    ],
)
def test_what_would_be_another_value_is_refused(body: str, access: str, reason: str) -> None:
    scop = read(body)
    with pytest.raises(IllegalScopTransformError, match=reason):
        ReadFirst("T", parse_access(access)).apply(scop)
    assert list(ReadFirst.candidates(read("for (int i = 0; i < n; i++) S: a[i] = a[i + 1];"))) == []


# --- Substitute -------------------------------------------------------------------------------------------------------

SUMS = "for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) { double t = a[i] + b[k]; c[i] += t + t; }"


def test_a_scalar_of_one_iteration_is_computed_where_it_is_read() -> None:
    scop = read(SUMS)
    assert [*Substitute.candidates(scop)] == [Substitute("t")]
    changed = Substitute("t").apply(scop)
    assert [text(s.value) for s in changed.statements] == ["(c[i] + ((a[i] + b[k]) + (a[i] + b[k])))"]
    assert [array.name for array in changed.arrays] == ["a", "b", "c"]
    assert run(changed, {"n": 5}) == run(scop, {"n": 5})


def test_a_value_that_is_soon_computed_is_computed_for_each_reader() -> None:
    scop = read("for (int i = 0; i < n; i++) { double t = a[i]; double u = t + b[i]; c[i] += t; d[i] += u + u; }")
    changed = Substitute("t").apply(scop)
    assert [text(s.value) for s in changed.statements] == ["(a[i] + b[i])", "(c[i] + a[i])", "(d[i] + (u + u))"]
    changed = Substitute("u").apply(changed)
    assert run(changed, {"n": 5}) == run(scop, {"n": 5})


def test_values_that_would_double_again_and_again_stay_in_scalars() -> None:
    """Of 12 scalars that are each made of two of the one before, the last one would have the first one 4,096 times."""
    powers = "".join(f"double t{k + 1} = t{k} + b[i] + t{k};\n" for k in range(12))
    scop = read(f"for (int i = 0; i < n; i++) {{ double t0 = c[i] + b[i];\n{powers} d[i] += t12; }}")
    changed, steps = _as_long_as(scop, Substitute)
    assert steps
    assert all(sum(1 for _ in walk(s.value)) < 1000 for s in changed.statements)
    assert run(changed, {"n": 3}) == run(scop, {"n": 3})


def test_a_product_that_was_rounded_alone_still_is() -> None:
    scop = read("for (int i = 0; i < n; i++) { double t = a[i] * b[i]; c[i] = c[i] + t; d[i] = d[i] - c[i] * a[i]; }")
    changed = Substitute("t").apply(scop)
    assert [sum(contracted(node) is not None for node in walk(s.value)) for s in changed.statements] == [0, 1]


def test_what_c_reads_anyway_stays_certain() -> None:
    def substituted(body: str) -> Scop:
        return Substitute("t").apply(read(f"for (int i = 0; i < n; i++) {{ {body} }}"))

    scop = Substitute("u").apply(substituted("double t = a[i], u = b[i]; d[i] = c[i] > 0 && t > u ? t : u;"))
    assert text(scop.statements[0].value) == "(((c[i] > 0.0:f64) &&= (a[i] > b[i])) ?= a[i] : b[i])"
    assert {str(access) for access in scop.statements[0].certain} == {"a[i]", "b[i]", "c[i]", "d[i]"}
    # What is computed of them need not be: a shift may be by too much where it is not asked for.
    assert [text(node) for node in certain(scop.statements[0].value) if isinstance(node, Comparison)] == [
        "(c[i] > 0.0:f64)"
    ]
    # Whether there is a store remains a choice, and what C reads for one side only is not read anyway.
    scop = substituted("double t = a[i]; if (c[i] > 0) d[i] = t;")
    assert {str(access) for access in scop.statements[0].certain} == {"c[i]"}
    scop = substituted("double t = a[i]; d[i] = c[i] > 0 ? t + b[i] : t;")
    assert {str(access) for access in scop.statements[0].certain} == {"a[i]", "c[i]", "d[i]"}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("double t = a[i]; a[i] = b[i]; c[i] = t;", r"a\[i\] is written between the two"),
        ("double t = a[i]; c[i] = t; a[i] = b[i]; d[i] = t;", r"a\[i\] is written between the two"),
        ("double t = a[i] * b[i] + 1; c[i] = t; d[i] = t;", "several do that would each take more than one"),
        ("double t = a[i]; for (int k = 0; k < n; k++) c[k] = t;", "outside of the same loop"),
        ("double t; if (a[i] > 0) t = b[i]; c[i] = t;", "not one statement alone"),
    ],
)
def test_what_would_not_be_the_scalars_value_is_refused(body: str, reason: str) -> None:
    scop = read(f"for (int i = 0; i < n; i++) {{ {body} }}")
    with pytest.raises(IllegalScopTransformError, match=reason):
        Substitute("t").apply(scop)


@pytest.mark.parametrize(
    ("sums", "count"),
    [
        ("double t = x[i][k] - y[j][k]; s += t * t;", 1),
        ("double t = x[i][k], u = y[j][k]; s += t * u; r += t * t; q += u * u;", 3),
    ],
)
def test_sums_of_what_scalars_keep_are_contractions_then(sums: str, count: int) -> None:
    parameters = "int n, double x[n][n], double y[n][n], double d[n][n]"
    body = (
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double s = 0, r = 0, q = 0;"
        f" for (int k = 0; k < n; k++) {{ {sums} }} d[i][j] = s + r + q; }}"
    )
    file = read_source("f.c", text=f"void f({parameters})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n")
    (scop,) = file.scops

    def contractions(changed: Scop) -> int:
        tree = distributed(changed, original_tree(changed), memory_dependences(changed))
        return sum(is_contraction(changed, nest) for nest in nests(tree))

    found = {variant.words: contractions(variant.scop) for variant in variants(scop)}
    assert found[""] == 0
    assert max(found.values()) == count
