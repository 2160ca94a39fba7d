"""ReadFirst: what a loop's body would overwrite is read before that, and nothing else moves."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_source
from polyloop.schedules.isl_scheduler import distributed
from polyloop.schedules.tree import original_tree
from polyloop.scop.dependence import memory_dependences
from polyloop.scop.model import Scop
from polyloop.shaping.variants import read_first
from polyloop.transforms.read_first import IllegalReadFirstError, ReadFirst
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
    with pytest.raises(IllegalReadFirstError, match=reason):
        ReadFirst("T", parse_access(access)).apply(scop)
    assert list(ReadFirst.candidates(read("for (int i = 0; i < n; i++) S: a[i] = a[i + 1];"))) == []
