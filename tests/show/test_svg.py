"""Scops as SVG: well-formed, and with the right points and arrows in it."""

from __future__ import annotations

from itertools import product
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import islpy as isl

from polyloop.schedules.tree import original_tree
from polyloop.scop.affine_isl import fix_parameters
from polyloop.scop.model import Scop
from polyloop.show.svg import SPAN, draw, small_sizes
from polyloop.transforms import parse
from tests.helpers.small_scops import assign, gemm, loop, scop, symm

SVG = "{http://www.w3.org/2000/svg}"


def picture(scop: Scop) -> Element:
    return ElementTree.fromstring(draw(scop))


def texts(root: Element) -> list[str | None]:
    return [element.text for element in root.iter(f"{SVG}text")]


def points(root: Element) -> set[str | None]:
    return {element[0].text for element in root.iter(f"{SVG}circle")}


def arrows(root: Element) -> list[Element]:
    return [element for element in root.iter(f"{SVG}path") if "marker-end" in element.attrib]


def test_every_instance_is_a_point_and_every_dependence_an_arrow() -> None:
    chain = scop("n", loop("i", "1", "n", assign("S", "A[i]", "A[i-1]")))
    root = picture(chain)
    assert points(root) == {f"S[{i}]" for i in range(1, 6)}
    assert len(arrows(root)) == 4
    assert {arrow[0].text for arrow in arrows(root)} == {"RAW on A"}
    assert "at n = 6; the first 8 points of each dimension" in texts(root)


def test_arrows_cross_from_statement_to_statement() -> None:
    pair = scop(
        "n", loop("i", "0", "n", loop("j", "0", "n", assign("S", "A[i][j]"), assign("T", "B[i][j]", "A[i][j]")))
    )
    root = picture(pair)
    assert points(root) == {f"{name}[{i}, {j}]" for name, i, j in product("ST", range(6), range(6))}
    assert len(arrows(root)) == 36


def test_large_constant_domains_are_clipped() -> None:
    large = scop("", loop("i", "5", "1000000", assign("S", "A[i]", "A[i-1]")), extents="1000000")
    root = picture(large)
    assert points(root) == {f"S[{i}]" for i in range(5, 5 + SPAN)}
    assert len(arrows(root)) == SPAN - 1


def test_three_dimensions_have_a_tree_only() -> None:
    cube = loop("i", "0", "n", loop("j", "0", "n", loop("k", "0", "n", assign("S", "A[i][j]"))))
    root = picture(scop("n", cube))
    assert points(root) == set()
    assert "S" in texts(root)


def test_the_tree_shows_kinds_and_rows() -> None:
    tree = parse("parallelize(path=(), member=0)").apply(original_tree(gemm()))
    found = texts(ElementTree.fromstring(draw(gemm(), tree)))
    for line in ("band", "parallel for  S: i, T: i", "sequence", "for  S: j", "for  T: k", "S", "T"):
        assert line in found


def test_small_sizes_run_every_statement() -> None:
    for chosen in (gemm(), symm(), scop("n m", loop("i", "n", "m", assign("S", "A[i]")))):
        sizes = small_sizes(chosen)
        assert set(sizes) == set(chosen.parameters)
        assert all(not fix_parameters(s.domain, sizes).is_empty() for s in chosen.statements)


def test_fixing_parameters() -> None:
    at = fix_parameters(isl.Set("[n, m] -> { [i] : 0 <= i < n + m }"), {"n": 2, "m": 3})
    assert at.project_out_all_params().is_equal(isl.Set("{ [i] : 0 <= i < 5 }"))
