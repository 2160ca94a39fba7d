"""The contraction rule against clang itself: the same small expressions compiled by clang, bit for bit."""

from __future__ import annotations

import ast
import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import (
    F32,
    F64,
    I32,
    Access,
    Binary,
    Call,
    Cast,
    Comparison,
    Expression,
    Fused,
    Index,
    Literal,
    Read,
    ScalarType,
    Select,
    Unary,
    contracted,
)
from polyloop.backend.ir.interpreter import Environment, c_type, evaluate

CLANG = shutil.which("clang-22") or shutil.which("clang")


def read(name: str) -> Read:
    return Read(Access(name), F64)


A, B, C, D = map(read, "abcd")


def binary(operator: str, left: Expression, right: Expression) -> Binary:
    return Binary(operator, left, right, left.type)


def minus(operand: Expression) -> Unary:
    return Unary("-", operand, operand.type)


AB, CD = binary("*", A, B), binary("*", C, D)
TWO, THREE = Literal(2.0, F64), Literal(3.0, F64)

RULE = [
    (binary("+", AB, C), Fused(A, B, C, False, False)),
    (binary("+", C, AB), Fused(A, B, C, False, False)),
    (binary("-", AB, C), Fused(A, B, C, False, True)),
    (binary("-", C, AB), Fused(A, B, C, True, False)),
    (binary("+", minus(AB), C), Fused(A, B, C, True, False)),
    (binary("-", C, minus(AB)), Fused(A, B, C, False, False)),
    (binary("-", minus(AB), C), Fused(A, B, C, True, True)),
    (binary("+", AB, CD), Fused(A, B, CD, False, False)),
    (binary("-", AB, CD), Fused(A, B, CD, False, True)),
    (binary("+", minus(minus(AB)), C), None),
    (binary("+", binary("*", TWO, THREE), C), None),
    (binary("+", binary("*", TWO, Index(affine(3), F64)), C), None),
    (binary("+", binary("*", TWO, A), C), Fused(TWO, A, C, False, False)),
    (binary("+", Cast(AB, F64), C), Fused(A, B, C, False, False)),
    (binary("+", Cast(Cast(AB, F32), F64), C), None),
    (binary("+", Call("fabs", (AB,), F64), C), None),
    (binary("+", Select(A, AB, C, F64), C), None),
    (binary("*", binary("+", A, B), C), None),
    (binary("/", AB, C), None),
    (Binary("+", Binary("*", Literal(2, I32), Index(affine("n"), I32), I32), Literal(3, I32), I32), None),
]


@pytest.mark.parametrize(("node", "fused"), RULE)
def test_the_rule(node: Expression, fused: Fused | None) -> None:
    assert contracted(node) == fused


# Expressions over a, b, c, d as C and as trees; `t` is the type of the variables.
SOURCES = [
    "a * b + c",
    "c + a * b",
    "a * b - c",
    "c - a * b",
    "-(a * b) + c",
    "c - -(a * b)",
    "-(a * b) - c",
    "a * b + c * d",
    "a * b - c * d",
    "a + b + c * d",
    "a * b * c + d",
    "d - a * b * c",
    "a * (b + c) - d",
    "a * b + c - d * a",
    "(a * b + c) * d + a",
    "a * b + c * d + a * d",
    "2 * a + b - 4 * c",
    "-a * b + c",
    "c - (-a) * b",
    "- -(a * b) + c",
    "(a - b) * (c - d) + a * b",
    "(t)(a * b) + c",
    "(double)(float)(a * b) + c",
    "a * b / c + d",
    "(a < b ? a * b : c) + d",
]


def parse(text: str, type_: ScalarType) -> Expression:
    """A C expression of these sources as a tree, through Python's parser, with C's conversions put in."""
    cast_marks = (("(double)(float)", "double_float@"), ("(t)", "t@"))
    for source, mark in cast_marks:
        text = text.replace(source, mark)
    if "?" in text:
        inside, rest = text[1:].split(")", 1)
        condition, then = inside.split("?")
        yes, no = then.split(":")
        text = f"({yes} if {condition} else {no}){rest}"

    def common(left: Expression, right: Expression) -> tuple[Expression, Expression]:
        def rank(e: Expression) -> tuple[bool, int]:
            return e.type.is_float, e.type.bits

        widest = max(left, right, key=rank).type
        return tuple(e if e.type == widest else Cast(e, widest) for e in (left, right))  # type: ignore[return-value]

    names = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}

    def build(node: ast.expr) -> Expression:
        match node:
            case ast.Name(name):
                return Read(Access(name), type_)
            case ast.Constant(int(value)):
                return Literal(value, I32)
            case ast.UnaryOp(ast.USub(), operand):
                return minus(build(operand))
            case ast.BinOp(ast.Name("t"), ast.MatMult(), right):
                return Cast(build(right), type_)
            case ast.BinOp(ast.Name(), ast.MatMult(), right):
                return Cast(Cast(build(right), F32), F64)
            case ast.BinOp(left, operator, right):
                return binary(names[type(operator)], *common(build(left), build(right)))
            case ast.IfExp(ast.Compare(left, _, [right]), then, otherwise):
                yes, no = common(build(then), build(otherwise))
                return Select(Comparison("<", build(left), build(right)), yes, no, yes.type)
        raise AssertionError(ast.dump(node))

    return build(ast.parse(text, mode="eval").body)


@pytest.mark.skipif(CLANG is None, reason="no clang")
@pytest.mark.parametrize("mode", ["on", "off"])
@pytest.mark.parametrize("type_", [F32, F64], ids=str)
def test_the_interpreter_rounds_where_clang_does(mode: str, type_: ScalarType, tmp_path: Path) -> None:
    name = {F32: "float", F64: "double"}[type_]
    lines = [f"typedef {name} t;"]
    for number, source in enumerate(SOURCES):
        result = "double" if "(double)" in source else "t"
        lines.append(f"{result} f{number}(t a, t b, t c, t d) {{ return {source}; }}")
    (tmp_path / "f.c").write_text("\n".join(lines))
    library = tmp_path / "f.so"
    flags = ["-O1", f"-ffp-contract={mode}", "-march=native", "-shared", "-fPIC", "-w"]
    subprocess.run([str(CLANG), *flags, str(tmp_path / "f.c"), "-o", str(library)], check=True, timeout=60)
    compiled = ctypes.CDLL(str(library))
    random = np.random.default_rng(7)
    dtype = np.float32 if type_ == F32 else np.float64
    differs = 0
    for number, source in enumerate(SOURCES):
        tree = parse(source, type_)
        function = compiled[f"f{number}"]
        function.argtypes = [c_type(type_)] * 4
        function.restype = c_type(tree.type)
        for _ in range(60):
            values = random.uniform(0.5, 2, 4).astype(dtype)
            arrays = {n: np.array(v) for n, v in zip("abcd", values, strict=True)}
            ours = evaluate(tree, Environment({}, arrays, contract=mode == "on"))
            other = evaluate(tree, Environment({}, arrays, contract=mode != "on"))
            assert ours == function(*values.tolist()), source
            differs += ours != other
    assert differs > 300  # the two modes can be told apart by these values
