"""What a contraction is: loops that are kept and reduced, what initialises it, how its accesses move."""

from __future__ import annotations

from itertools import product as product_of

import pytest

import polyloop
from polyloop.cursor import contraction
from polyloop.cursor.contraction import Contraction
from polyloop.frontend import read_source
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop, Statement
from polyloop.shaping.contraction import (
    extents,
    footprint,
    initialises,
    kept,
    reduced,
    stores_plainly,
    task_of,
)
from polyloop.shaping.nests import is_contraction, nests

PRODUCT = """
void f(double C[20][30], double A[20][40], double B[40][30]) {
#pragma scop
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 30; j++) {
            C[i][j] = VALUE;
            for (int k = 0; k < 40; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
#pragma endscop
}
"""


def product(value: str = "0") -> Scop:
    return read_source("f.c", text=PRODUCT.replace("VALUE", value)).scops[0]


def test_a_product() -> None:
    scop = product()
    first, main = scop.statements
    assert (kept(main), reduced(main)) == (("i", "j"), ("k",))
    assert stores_plainly(main)
    assert initialises(first, main)
    assert not initialises(main, main)
    assert extents(scop, main) == {"i": 20, "j": 30, "k": 40}


def test_what_reads_does_not_initialise() -> None:
    first, main = product("A[i][j]").statements
    assert not initialises(first, main)


def test_values_that_loops_give_are_no_constant() -> None:
    """The default schedule may fuse such an initialisation; a rectangular nest stands for constants only."""
    first, main = product("i").statements
    assert initialises(first, main)
    assert Contraction.of(product("i")) is None
    assert Contraction.of(product()) is not None


@pytest.mark.parametrize("reassociate", [True, False])
@pytest.mark.parametrize("dtype", ["f32", "i32"])
@pytest.mark.parametrize(
    "text",
    [
        "C[a, b] += A[a, c, d] * B[c, b, d]",
        "C[a, b] max= A[a + c, b + d]",
        "C[d, a] = A[a, b, c, d]",
        "C[a] = A[a, b] * B[b, c] * D[d]",
        "C[b, a] = A[a, b]",
    ],
)
def test_what_the_form_says_is_what_proofs_find(
    text: str, dtype: str, reassociate: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of which loops are free, whatever the loops' lengths are."""

    def proven(
        scop: Scop, main: Statement, _: object, reassociate: bool
    ) -> tuple[frozenset[str], frozenset[str]] | None:
        return contraction._by_proof(scop, main, reassociate)

    def found(scop: Scop) -> tuple[frozenset[str], frozenset[str]] | None:
        problem = Contraction.of(scop, reassociate)
        return None if problem is None else (problem.vector, problem.parallel)

    for sizes in product_of((1, 3), repeat=4):
        known = {name: size for name, size in zip("abcd", sizes, strict=True) if name in text}
        scop = polyloop.tensor(text, known, dtype=dtype)
        by_form = found(scop)
        with monkeypatch.context() as patched:
            patched.setattr(contraction, "_by_form", proven)
            assert by_form == found(scop)


def test_strides_of_accesses() -> None:
    scop = polyloop.tensor("O[y, x] += I[2 * y + i, x + i] * W[i]", y=7, x=9, i=3, dtype="f32")
    main = scop.statements[-1]
    reads = [footprint(scop, main, access) for access in main.reads if access != main.target]
    assert [(f.array, f.by_variable) for f in reads] == [("I", {"y": 22, "x": 1, "i": 12}), ("W", {"i": 1})]
    assert all(not f.bent and f.bytes == 4 for f in reads)


def test_steps_that_are_not_constant() -> None:
    scop = read_source("f.c", text=HALVES).scops[0]
    (main,) = scop.statements
    found = footprint(scop, main, next(access for access in main.reads if access.array == "A"))
    assert (found.by_variable, found.bent) == ({"j": 1}, frozenset({"i"}))
    assert found.moves("i")
    assert not found.contiguous("i")
    assert Contraction.of(scop) is None


HALVES = """
void f(double y[20], double A[20][40]) {
#pragma scop
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 40; j++)
            y[i] += A[i / 2][j];
#pragma endscop
}
"""


def test_statements_beside_keep_a_sum_whole() -> None:
    scop = product()
    first, main = scop.statements
    alone, together = task_of(scop, main, (), False), task_of(scop, main, (first,), False)
    assert (alone.fused, together.fused) == (False, True)
    assert alone.lanes == {"i", "j"}
    assert task_of(scop, main, (), True).lanes == {"i", "j", "k"}


def test_nests_that_are_contractions() -> None:
    stencil = polyloop.tensor("O[y, x] = I[y, x] + I[y, x + 1]", y=7, x=9)
    assert [is_contraction(stencil, nest) for nest in nests(original_tree(stencil))] == [False]
    alone = polyloop.tensor("C[m, n] += A[m, k] * B[k, n]", m=8, n=16, k=4)
    assert [is_contraction(alone, nest) for nest in nests(original_tree(alone))] == [True]
