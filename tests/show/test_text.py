"""Scops as text."""

from __future__ import annotations

import islpy as isl

from polyloop.backend.ir.expressions import F32, I64
from polyloop.schedules.tree import original_tree
from polyloop.scop.affine_isl import condition_text
from polyloop.scop.dependence import value_dependences
from polyloop.scop.model import Array
from polyloop.show.text import array_text, describe, without_parameters
from polyloop.transforms import parse
from tests.helpers.small_scops import assign, gemm, loop, parse_affine, scop


def test_all_sections_in_order() -> None:
    lines = describe(gemm()).splitlines()
    titles = [line for line in lines if line and not line.startswith(" ")]
    assert titles == ["scop gemm", "statements", "dependences (2, memory-based)", "schedule tree", "loop nest"]
    assert "  arrays      double A[n+2][n+2], double B[n+2][n+2], double C[n+2][n+2]" in lines
    assert "    writes    C[i][j2]  (+ reduction)" in lines


def test_another_schedule_and_other_dependences() -> None:
    scop = gemm()
    tree = parse("vectorize(path=(0, 0), member=0)").apply(original_tree(scop))
    text = describe(scop, tree, value_dependences(scop))
    assert "\ndependences (2)\n" in text
    assert "[S: j] vector\n" in text
    assert "vector for j in [0, n)\n" in text


def test_no_dependences() -> None:
    text = describe(scop("n", loop("i", "0", "n", assign("S", "A[i]"))))
    assert "\n  none: every order of the statements' instances is right\n" in text
    assert "    reads     nothing\n" in text


def test_equalities_of_domains_are_told() -> None:
    diagonal = loop("i", "0", "n", loop("j", "i", "i + 1", assign("S", "A[i][j]")))
    assert "    domain    { S[i, j = i] : 0 <= i < n }\n" in describe(scop("n", diagonal))


def test_arrays_as_in_c() -> None:
    assert array_text(Array("a", F32)) == "float a"
    assert array_text(Array("p", I64, (None, parse_affine("2 * n + 1")), local=True)) == "long p[][2*n+1] (local)"
    strided = Array("a", F32, (None, None), strides=(((("rs", "n"), 1),), (((), 1),)))
    assert array_text(strided) == "float a[][] (strides rs * n, 1)"


def test_sets_of_parameters() -> None:
    assert condition_text(isl.Set("[n] -> { : n >= 1 }")) == "n > 0"
    assert condition_text(isl.Set("[n] -> { : }")) == "always"
    assert condition_text(isl.Set("[n] -> { : n < n }")) == "never"
    assert without_parameters("[n] -> { S[i] }") == "{ S[i] }"
