"""The table's operation counts and the kernels' statements, against the C text itself, walked by pycparser.

A kernel's control flow depends on its sizes alone, so counting needs no data: loops and conditions are
evaluated over the integers, and each executed statement adds the operations that stand in it.
"""

from __future__ import annotations

import operator
import re

import pytest
from pycparser import c_ast, c_parser

from polyloop.shipped.kernels import KernelInfo, kernel, kernel_names

OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "<": operator.lt,
    "<=": operator.le,
    ">=": operator.ge,
}
COUNTED = {"+", "-", "*", "/", "+=", "-=", "*=", "/="}

# A chained assignment is one statement: these are the numbers that published polyhedral tools report.
STATEMENTS = {
    "matvec": 2, "gemm": 2, "2mm": 4, "3mm": 6, "atax": 4, "bicg": 4, "mvt": 2, "doitgen": 3, "gemver": 4,
    "gesummv": 5, "symm": 4, "syrk": 2, "syr2k": 2, "trmm": 2, "trisolv": 3, "cholesky": 4, "lu": 3,
    "ludcmp": 12, "durbin": 10, "gramschmidt": 7, "correlation": 15, "covariance": 8, "deriche": 42,
    "floyd-warshall": 1, "nussinov": 5, "adi": 27, "fdtd-2d": 4, "heat-3d": 2, "jacobi-1d": 2,
    "jacobi-2d": 2, "seidel-2d": 1,
}  # fmt: skip


def parsed(info: KernelInfo) -> c_ast.FuncDef:
    """The kernel's function. Preprocessor lines go: min, max and pairs stay calls, one operation each."""
    text = re.sub(r"/\*.*?\*/", "", info.path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    (function,) = c_parser.CParser().parse(text, str(info.path)).ext
    return function


def operations(node: c_ast.Node) -> int:
    """Arithmetic on elements within one statement; subscripts, signs and comparisons are free."""
    if isinstance(node, c_ast.ArrayRef):
        return 0
    own = isinstance(node, c_ast.FuncCall) or (
        isinstance(node, c_ast.BinaryOp | c_ast.Assignment) and node.op in COUNTED
    )
    return own + sum(operations(child) for _, child in node.children())


def integer(node: c_ast.Node, scope: dict[str, int]) -> int:
    """The value of a loop bound, step or condition."""
    match node:
        case c_ast.Constant():
            return int(node.value)
        case c_ast.ID():
            return scope[node.name]
        case c_ast.BinaryOp():
            return int(OPERATORS[node.op](integer(node.left, scope), integer(node.right, scope)))
    raise AssertionError(f"{node.coord}: {type(node).__name__} in control flow")


def count(node: c_ast.Node | None, scope: dict[str, int]) -> int:
    """Operations that one execution of ``node`` performs."""
    match node:
        case None | c_ast.Decl():
            return 0
        case c_ast.Compound():
            return sum(count(item, scope) for item in node.block_items)
        case c_ast.Label():
            return count(node.stmt, scope)
        case c_ast.Assignment():
            return operations(node)
        case c_ast.If():
            return count(node.iftrue if integer(node.cond, scope) else node.iffalse, scope)
        case c_ast.For():
            (start,) = node.init.decls
            step = {"p++": 1, "p--": -1}[node.next.op]
            scope, total = {**scope, start.name: integer(start.init, scope)}, 0
            while integer(node.cond, scope):
                total += count(node.stmt, scope)
                scope[start.name] += step
            return total
    raise AssertionError(f"{node.coord}: {type(node).__name__}")


def assignments(node: c_ast.Node) -> list[c_ast.Assignment]:
    """Statements in text order."""
    if isinstance(node, c_ast.Assignment):
        return [node]
    return [found for _, child in node.children() for found in assignments(child)]


@pytest.mark.parametrize("extents", [(5, 7, 3, 11, 9), (8, 4, 6, 5, 3), (3, 3, 3, 3, 3)])
@pytest.mark.parametrize("name", kernel_names())
def test_flops_are_what_the_text_performs(name: str, extents: tuple[int, ...]) -> None:
    info = kernel(name)
    sizes = dict(zip(info.parameters, extents, strict=False))
    assert info.flops(sizes) == count(parsed(info).body, sizes)


@pytest.mark.parametrize("name", kernel_names())
def test_statements(name: str) -> None:
    assert len(assignments(parsed(kernel(name)).body)) == STATEMENTS[name]


def labels(node: c_ast.Node) -> list[str]:
    """Labels in text order."""
    own = [node.name] if isinstance(node, c_ast.Label) else []
    return own + [found for _, child in node.children() for found in labels(child)]


def test_matvec_names_its_statements() -> None:
    assert labels(parsed(kernel("matvec"))) == ["S", "T"]
