"""The verifiers of loop nests and vector programs: every rule, broken once."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace

import pytest

from polyloop.backend.errors import VerificationError
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import affine, at_least
from polyloop.backend.ir.expressions import F32, F64, I32, I64, Access, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Compute, LoopNest
from polyloop.backend.ir.loop_nest_text import parse_nest
from polyloop.backend.ir.vector_program import Address, Let, Statement, Value, ValueType, VectorProgram
from polyloop.backend.ir.vector_program_text import parse_program
from polyloop.backend.ir.verify_nest import verify as verify_nest
from polyloop.backend.ir.verify_program import verify as verify_program
from polyloop.backend.machine.target import shown_target
from polyloop.backend.planning import plan, scalar_program
from tests.backend.planning.nests import gemm

# --- nests ------------------------------------------------------------------------------------------------------------

NEST = """\
nest scale(n, m)
  argument f64 a[n][m]
  argument f64 b[] read_only
  argument i32 k
  known n - 1 >= 0
  for i in [0, n)
    if i - 2 >= 0
      for j in [0, m) step 2 prefetch b 3 ahead
        S0: a[i][j] = ((b[j] > 0.5:f64) ? (-(b[j]) + 2.0:f64) : (f64)(k << {i}:i64))
"""


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("n, m", "n, m, n", "a parameter or array is declared once, n is there 2 times"),
        ("i32 k", "i32 k\n  argument i32 b", "a parameter or array is declared once, b is there 2 times"),
        ("a[n]", "a[i]", "an extent of a uses i, which is no parameter or variable of a loop around (n, m)"),
        ("a[n][m]", "a[n][]", "only the first extent of an array may be unknown, a has others"),
        ("read_only", "read_only strides(k)", "a stride of b uses k, which is no parameter or variable"),
        ("read_only", "read_only strides(n)", "b has no stride for each subscript, the last of them 1, or extents"),
        ("a[n][m]", "a[n][m] strides(m, 1)", "a has no stride for each subscript, the last of them 1, or extents"),
        ("a[n][m]", "a[][] strides(m, 1)", "only an array that nothing writes may have strides, a is written"),
        ("argument f64 b", "local f64 b", "the extents of a local array are known, those of b are not"),
        ("known n", "known i", "the context uses i, which is no parameter"),
        ("[0, n)", "[0, j)", "a bound of i uses j, which is no parameter or variable of a loop around (n, m)"),
        ("[0, m)", "[0, j)", "a bound of j uses j, which is no parameter or variable of a loop around (n, m, i)"),
        ("for j", "for i", "a loop's variable has a name of its own, i is taken"),
        ("for j", "for b", "a loop's variable has a name of its own, b is taken"),
        ("if i", "if j", "the condition uses j, which is no parameter"),
        ("step 2", "step -2", "a step is at least 1, not -2"),
        ("b 3", "b 0", "b is prefetched at least 1 iteration ahead, not 0"),
        ("b 3", "c 3", "c is no array of the nest (a, b, k)"),
        ("a[i][j] =", "a[i] =", "a takes 2 subscripts, not 1"),
        ("a[i][j] =", "a[i][l] =", "a subscript of a[i][l] uses l, which is no parameter or variable"),
        ("a[i][j] =", "b[j] =", "b is read only, and written"),
        ("a[i][j] =", "k =", "k and the value written have one type, not f64 and i32"),
        ("(b[j] > ", "(k > ", "the sides of '>' have one type, not i32 and f64, in (k > 0.5:f64)"),
        ("2.0:f64", "2.0:f32", "the right operand of '+' and the result have one type, not f32 and f64, in (-(b[j]) +"),
        ("(f64)(k", "(f32)(k", "the second choice and the result have one type, not f32 and f64"),
        ("-(b", "~(b", "'~' takes integers, not f64, in ~(b[j])"),
        ("<< {i}:i64", "<< 1.0:f64", "'<<' takes integers, not f64, in (k << 1.0:f64)"),
        ("{i}", "{l}", "the index uses l, which is no parameter or variable of a loop around (n, m, i, j), in {l}:i64"),
    ],
)
def test_rules_of_nests(before: str, after: str, message: str) -> None:
    assert NEST.count(before) == 1
    verify_nest(parse_nest(NEST))
    with pytest.raises(VerificationError) as error:
        verify_nest(parse_nest(NEST.replace(before, after)))
    assert str(error.value).startswith(f"loop nest scale: {message}")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (e.Literal(0.5, I32), "a literal of type i32 is an integer, not 0.5"),
        (e.Read(Access("x", (affine(0),)), F32), "the read and its array have one type, not f32 and f64"),
        (e.Unary("!", e.Literal(1, I32), F64), "'!' and int have one type, not f64 and i32"),
        (e.Unary("-", e.Literal(1, I32), F64), "the operand of '-' and the result have one type, not i32 and f64"),
        (e.Unary("+", e.Literal(1, I32), I32), "'+' is no operator of one number"),
        (e.Binary("**", e.Literal(1, I32), e.Literal(1, I32), I32), "'**' is no operator of two numbers"),
        (e.Comparison("<>", e.Literal(1, I32), e.Literal(1, I32)), "'<>' is no comparison"),
        (e.Logical("and", e.Literal(1, I32), e.Literal(1, I32)), "'and' is no logical operator"),
    ],
)
def test_rules_that_no_text_breaks(value: e.Expression, message: str) -> None:
    converted = value if value.type == F64 else e.Cast(value, F64)
    body = Compute("S", Access("x", (affine(0),)), converted)
    with pytest.raises(VerificationError) as error:
        verify_nest(LoopNest("k", (), (ArraySpec("x", F64, (None,)),), body))
    assert str(error.value).startswith(f"loop nest k: {message}")


@pytest.mark.parametrize("value", [e.Literal(0.5, F64), e.Read(Access("x", (affine(0),)), F64)])
def test_a_conditional_statement_keeps_its_target(value: e.Expression) -> None:
    target, one = Access("x", (affine(0),)), e.Literal(1, I32)
    arrays = (ArraySpec("x", F64, (None,)), ArraySpec("y", F64))
    kept = e.Select(one, value, e.Read(target, F64), F64)
    verify_nest(LoopNest("k", (), arrays, Compute("S", target, kept, conditional=True)))
    for wrong in (value, replace(kept, otherwise=e.Read(Access("y"), F64))):
        with pytest.raises(VerificationError, match="a new value or leaves x"):
            verify_nest(LoopNest("k", (), arrays, Compute("S", target, wrong, conditional=True)))


def test_the_message_shows_the_node_and_its_place() -> None:
    with pytest.raises(VerificationError) as error:
        verify_nest(parse_nest(NEST.replace("a[i][j] =", "a[i][l] =")))
    assert str(error.value).splitlines()[1:] == [
        "  in for i in [0, n)",
        "  in if i - 2 >= 0",
        "  in for j in [0, m) step 2 prefetch b 3 ahead",
        "  at",
        "    S0: a[i][l] = ((b[j] > 0.5:f64) ? (-(b[j]) + 2.0:f64) : (f64)(k << {i}:i64))",
    ]


# --- programs ---------------------------------------------------------------------------------------------------------

PROGRAM = """\
program scale(n)
  argument f64 a[n][n]
  argument f32 b[] read_only
  bind m = n - 4
  f64 v0 = 0.0:f64
  i32 v1 = 1:i32
  for i in [0, m) step 4 unroll 2
    carry f64x4 v2 = v9 next v6 result v7
    f32x4 v3 = load b[i by 1] active n - i
    f64x4 v4 = convert v3
    i32x4 v5 = v4 < v2
    f64x4 v6 = v5 ? v4 : v2
    store a[0][i by 1] = v6
  f64 v8 = fold(+) v7
  if n - 8 >= 0
    f64 v10 = lazy v1
      f64 v11 = v8 * v0
      value v11
    else
      value v0
    prefetch a[1][m]
""".replace("  i32 v1", "  f64x4 v9 = broadcast v0\n  i32 v1")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("bind m", "bind n", "an integer is defined once, n is there already"),
        ("= n - 4", "= j - 4", "m uses j, which is no parameter"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  f64 v0 = 1.0:f64", "a value is defined once, v0 is there already"),
        ("for i", "for m", "an integer is defined once, m is there already"),
        ("[0, m)", "[0, i)", "a bound of i uses i, which is no parameter"),
        ("step 4", "step 0", "step and unroll factor are at least 1, not 0 and 2"),
        ("unroll 2", "unroll 0", "step and unroll factor are at least 1, not 4 and 0"),
        ("for i", "parallel for i", "a parallel loop carries nothing"),
        ("carry f64x4 v2", "carry f64x4 v0", "a value is defined once, v0 is there already"),
        ("next v6", "next v8", "the value v8 is not defined here"),
        ("next v6", "next v5", "the value v5 is defined with type i32x4 and used with f64x4"),
        ("= v9 next", "= v0 next", "the value v0 should have type f64x4, not f64"),
        ("f32x4 v3", "f64x4 v3", "b has elements of type f32, not f64"),
        ("f32x4 v3", "f32 v3", "a scalar access has no stride"),
        ("b[i by 1]", "c[i by 1]", "c is no array of the program (a, b)"),
        ("b[i by 1]", "b[0][i by 1]", "b takes 1 subscripts, not 2"),
        ("b[i by 1]", "b[j by 1]", "a subscript of b uses j, which is no parameter"),
        ("active n - i", "active j", "the count of active lanes uses j, which is no parameter"),
        ("f64x4 v4", "f64x2 v4", "the value v3 should have 2 lanes, not 4"),
        ("v4 < v2", "v3 < v2", "the value v2 should have type f32x4, not f64x4"),
        ("i32x4 v5", "i64x4 v5", "a test of f64x4 has type i32x4"),
        ("v5 ? v4", "v1 ? v4", "the value v1 should have 4 lanes, not 1"),
        ("v5 ? v4", "v5 ? v3", "the value v3 should have type f64x4, not f32x4"),
        ("store a[0][i by 1] = v6", "store b[i by 1] = v3", "b is read only, and stored to"),
        ("store a[0][i by 1] = v6", "store a[0][i by 1] = v3", "a has elements of type f64, not f32"),
        ("fold(+)", "fold(-)", "'-' is none of"),
        ("f64 v8", "f32 v8", "a scalar of v7 has type f64, not f32"),
        ("if n", "if i", "the condition uses i, which is no parameter"),
        ("lazy v1", "lazy v7", "the value v7 should have 1 lanes, not 4"),
        ("value v0", "value v1", "the value v1 should have type f64, not i32"),
        ("f64x4 v9 = broadcast v0", "f64x4 v9 = broadcast v0\n  f64x4 w = broadcast v9", "the value v9 should have"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  i32 w = neg v1, v1", "'neg' takes 1 operands, not 2"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  i32 w = fma v1, v1, v1", "'fma' is no operation on i32"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  f64 w = v0 % v0", "'%' is no operation on f64"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  f64 w = v0 + v1", "the value v1 should have type f64, not i32"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  f64x4 w = call sin(v0)", "the value v0 should have 4 lanes, not 1"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  f64x4 w = pack v0, v0", "2 scalars make no vector of 4 lanes"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  f64x2 w = pack v0, v1", "the value v1 should have type f64, not i32"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  f64 w = lane 4 of v9", "v9 has 4 lanes and none at 4"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  f64x2 w = shuffle [0, 8] v9, v9", "a shuffle of two f64x4 makes"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  f64x4 w = shuffle [0, 1] v9, v9", "a shuffle of two f64x4 makes"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  u32x2 w = sums(*) v9, v9", "the value v9 should have type i16x4"),
        ("i32 v1 = 1:i32", "i32 v1 = 1:i32\n  u64x2 w = sums(+) v9, v9", "'+' is none of"),
    ],
)
def test_rules_of_programs(before: str, after: str, message: str) -> None:
    assert PROGRAM.count(before) == 1
    verify_program(parse_program(PROGRAM))
    changed = PROGRAM.replace(before, after)
    if before == "carry f64x4 v2":  # the text has its uses, too
        changed = changed.replace("v2\n", "v0\n")
    with pytest.raises(VerificationError) as error:
        verify_program(parse_program(changed))
    assert str(error.value).startswith(f"vector program scale: {message}")


def scalar(name: str, type_: ScalarType = F64) -> Value:
    return Value(name, ValueType(type_))


ONE = Let("one", v.Constant(1.0, ValueType(F64)))


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ((v.Store(Address("x", (affine(0),), (0,)), scalar("one")),), "the value one is not defined here"),
        (
            (
                ONE,
                v.For(
                    "i",
                    affine(0),
                    affine("n"),
                    1,
                    (),
                    (v.Carried("c", ValueType(F64), scalar("one"), scalar("c"), "one"),),
                ),
            ),
            "a value is defined once, one is there already",
        ),
        (
            (ONE, v.Store(Address("x", (affine(0),), (0,)), scalar("one", F32))),
            "the value one is defined with type f64 and used with f32",
        ),
        (
            (ONE, v.Store(Address("x", (affine(0),), ()), scalar("one"))),
            "an address has a stride for each subscript, not",
        ),
        ((Let("w", v.Constant(1.0, ValueType(I64))),), "a constant of type i64 is an integer, not 1.0"),
        ((Let("w", v.Constant(1.0, ValueType(F64, 0))),), "a value has at least 1 lane, not 0"),
        (
            (v.If(at_least(affine("n"), 1), (ONE,)), v.Store(Address("x", (affine(0),), (0,)), scalar("one"))),
            "the value one is not defined here",
        ),
        (
            (v.If(at_least(affine("n"), 1), (v.Bind("k", affine(0)),)), v.Prefetch(Address("x", (affine("k"),), (0,)))),
            "a subscript of x uses k, which is no parameter or variable of a loop around (n)",
        ),
        ((ONE, Let("w", v.Arithmetic("**", (scalar("one"),) * 2, ValueType(F64)))), "'**' is none of"),
    ],
)
def test_rules_of_programs_that_no_text_breaks(statements: tuple[Statement, ...], message: str) -> None:
    program = VectorProgram("k", ("n",), (ArraySpec("x", F64, (None,)),), statements)
    with pytest.raises(VerificationError) as error:
        verify_program(program)
    assert str(error.value).startswith(f"vector program k: {message}")


def test_the_message_shows_the_statement_and_its_place() -> None:
    with pytest.raises(VerificationError) as error:
        verify_program(parse_program(PROGRAM.replace("v8 * v0", "v8 % v0")))
    assert str(error.value).splitlines() == [
        "vector program scale: '%' is no operation on f64",
        "  in if n - 8 >= 0",
        "  in f64 v10 = lazy v1",
        "  at",
        "    f64 v11 = v8 % v0",
    ]


def test_long_statements_are_cut() -> None:
    body = tuple(Let(f"v{number}", v.Constant(1, ValueType(I32))) for number in range(100))
    loop = v.For("i", affine(0), affine("m"), 1, body)
    with pytest.raises(VerificationError) as error:
        verify_program(VectorProgram("k", ("n",), (), (loop,)))
    lines = str(error.value).splitlines()
    assert lines[2] == "    for i in [0, m)"
    assert lines[-1] == "    ..."
    assert len(lines) == 15


# --- between passes ---------------------------------------------------------------------------------------------------


def broken(nest: LoopNest) -> LoopNest:
    return replace(nest, parameters=("n", "m"))  # p is an extent


@pytest.mark.parametrize(
    "make", [lambda nest: plan(nest, shown_target("avx2")), scalar_program], ids=["plan", "scalar"]
)
def test_nests_are_verified_before_they_are_planned(make: Callable[[LoopNest], VectorProgram]) -> None:
    with pytest.raises(VerificationError, match=r"^loop nest gemm: an extent of A uses p, "):
        make(broken(gemm(4, 8)))


def test_nothing_is_verified_without_being_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("", "0"):
        monkeypatch.setenv("POLYLOOP_VERIFY", value)
        assert plan(broken(gemm(4, 8)), shown_target("avx2")).parameters == ("n", "m")
        assert scalar_program(broken(gemm(4, 8))).parameters == ("n", "m")


def test_the_pass_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(program: VectorProgram, _: object) -> VectorProgram:
        return replace(program, body=(*program.body, v.Store(Address("C", (), ()), scalar("v0"))))

    module = importlib.import_module("polyloop.backend.planning.plan")  # the package has a function of that name
    monkeypatch.setattr(module, "PROGRAM_PASSES", (("spoil it", wrong),))
    with pytest.raises(VerificationError, match=r"^after the pass 'spoil it': vector program gemm: "):
        plan(gemm(4, 8), shown_target("avx2"))
