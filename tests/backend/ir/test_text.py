"""Loop nests and vector programs as text: what is printed reads back as the same, and errors say where they are."""

from __future__ import annotations

import math
import struct
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import FALSE, Affine, And, Not, Or, affine, at_least, choose, equal, maximum, minimum
from polyloop.backend.ir.expressions import F32, F64, I8, I16, I32, I64, U32, U64, Access, ScalarType
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, Guard, Loop, LoopKind, LoopNest, Node, Storage
from polyloop.backend.ir.loop_nest_text import nest_text, parse_nest
from polyloop.backend.ir.text import IRSyntaxError
from polyloop.backend.ir.vector_program import Address, Let, Statement, Value, ValueType, VectorProgram
from polyloop.backend.ir.vector_program_text import parse_program, program_text
from polyloop.backend.ir.verify_program import verify
from polyloop.backend.machine.target import INSTRUCTION_SETS, shown_target
from polyloop.backend.planning import plan, scalar_program
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.shipped.kernels import kernel, kernel_names
from tests.backend.planning.random_nests import random_nests
from tests.helpers.programs import to_scop
from tests.helpers.random_scops import random_program

quiet = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
i, j, n, m = (affine(name) for name in "ijnm")


def check_nest(nest: LoopNest) -> None:
    """A representation has all fields, and tells 0.0 from -0.0."""
    found = parse_nest(nest_text(nest))
    assert repr(found) == repr(nest), nest_text(nest)
    assert nest_text(found) == nest_text(nest)


def check_program(program: VectorProgram) -> None:
    found = parse_program(program_text(program))
    assert repr(found) == repr(program), program_text(program)
    assert program_text(found) == program_text(program)


def check_all(nest: LoopNest) -> None:
    check_nest(nest)
    check_program(scalar_program(nest))
    for name in INSTRUCTION_SETS:
        check_program(plan(nest, shown_target(name), reassociate=True))


@pytest.mark.parametrize("strides", ["n*m, 2*m - 3, 1", "1"])
def test_strides(strides: str) -> None:
    places = strides.split(",")
    array = f"argument f64 a{'[]' * len(places)} read_only strides({strides})"
    loops = f"for i in [0, n)\n    S0: b[i] = a{'[i]' * len(places)}"
    check_all(parse_nest(f"nest f(n, m)\n  {array}\n  argument f64 b[n]\n  {loops}\n"))


@pytest.mark.parametrize("name", kernel_names())
def test_kernels(name: str) -> None:
    for scop in read_source(str(kernel(name).path)).scops:
        check_all(lower(scop, original_tree(scop)))


@pytest.mark.parametrize("seed", range(8))
def test_random_scops(seed: int) -> None:
    scop = to_scop(random_program(seed))
    check_all(lower(scop, original_tree(scop)))


@settings(quiet, max_examples=12)
@given(random_nests())
def test_random_nests(nest: LoopNest) -> None:
    check_all(nest)


# --- what nests from C do not have ------------------------------------------------------------------------------------

X, Y = ArraySpec("x", F64, (n,)), ArraySpec("y", F32, (None, m + 1), Storage.LOCAL, scratch=True)


ONE = e.Literal(1.0, F64)


def nest_of(body: Node, *arrays: ArraySpec) -> LoopNest:
    return LoopNest("a nest", ("n", "m"), (X, Y, *arrays), body, at_least(n, 1))


def assign(value: e.Expression, name: str = "S") -> Compute:
    return Compute(name, Access("x", (i,)), value)


@pytest.mark.parametrize(
    "body",
    [
        Block(()),
        Block((assign(e.Literal(1.0, F64)),)),
        Block((Block(()), Block((Block((assign(e.Literal(1.0, F64)),)),)), assign(e.Literal(1.0, F64)))),
        Guard(at_least(n, m), Block(()), assign(e.Literal(2, F64), "if")),
        Guard(at_least(n, m), Block((Guard(FALSE, Block(())),)), Block((Block(()),))),
        Loop("i", minimum(n, m), n, 3, assign(e.Literal(2, F64), "for"), LoopKind.UNROLLED, (("x", 4), ("y", 1))),
        Loop("in", n, n, 1, assign(e.Read(Access("x", (affine("in"),)), F64), "block"), LoopKind.PARALLEL),
        assign(e.Literal(2, F64), "a label"),
        Compute("if", Access("x", (i,)), e.Select(ONE, ONE, e.Read(Access("x", (i,)), F64), F64), conditional=True),
    ],
)
def test_bodies(body: Node) -> None:
    check_nest(nest_of(body))


@pytest.mark.parametrize(
    "value",
    [
        e.Index(-2 * i + 3, I64),
        e.Cast(e.Index(affine(3), I32), F64),
        e.Cast(e.Cast(e.Unary("-", e.Read(Access("x", (-i,)), F64), F64), I8), F64),
        e.Unary("!", e.Unary("~", e.Literal(-3, I8), I8), I32),
        e.Select(e.Literal(1, I32), e.Read(Access("inf"), F64), e.Read(Access("f64"), F64), F64),
        e.Logical("||", e.Comparison("!=", e.Literal(-1, I8), e.Literal(2, I8)), e.Literal(0.5, F32)),
        e.Binary("-", e.Read(Access("inf"), F64), e.Literal(-2.0, F64), F64),
        e.Binary("<<", e.Literal(1, U64), e.Literal(2, I8), U64),
        e.Call("atan2", (e.Read(Access("inf"), F64), e.Call("zero", (), F64)), F64),
    ],
)
def test_expressions(value: e.Expression) -> None:
    check_nest(nest_of(assign(value), ArraySpec("inf", F64), ArraySpec("f64", F64)))


@pytest.mark.parametrize(
    "value",
    [
        affine(0),
        -i,
        -3 * i + 2 * affine("min") - 1,
        (i + 2 * j - 1) // 4 * 3 - (i // 2 + j) // 5,
        minimum(maximum(i, j), n, 5) + 2 * maximum(-i, 1 - j),
        choose(And((at_least(i, 1), Not(Or((equal(j, 2), at_least(n, m)))))), i, 0 - j) + 2 * j + 1,
        -2 * choose(at_least(choose(at_least(i, 1), i, j), n), affine(-1), i // 7),
        affine("true") + affine("false"),
    ],
)
def test_integers(value: Affine) -> None:
    check_nest(nest_of(Loop("k", value, value + 1, 1, Guard(And((at_least(value, 1), equal(value, m))), Block(())))))
    check_nest(nest_of(Guard(at_least(value, n), Block(()))))


def bits(number: int) -> float:
    value: float = struct.unpack(">d", number.to_bytes(8, "big"))[0]
    return value


NUMBERS = [0.0, -0.0, math.inf, -math.inf, math.nan, -math.nan, bits(0x7FF0DEADBEEF0001), 5e-324, 0.1, 1e300, 1, -1, 0]


@pytest.mark.parametrize("value", NUMBERS, ids=repr)
def test_special_numbers(value: float) -> None:
    check_number(value)


def test_choices_of_which_c_reads_both_sides() -> None:
    both = e.Logical("||", e.Literal(1, I32), e.Literal(0, I32), eager=True)
    nest = nest_of(assign(e.Select(both, e.Literal(1.0, F64), e.Literal(2.0, F64), F64, eager=True)))
    assert "((1:i32 ||= 0:i32) ?= 1.0:f64 : 2.0:f64)" in nest_text(nest)
    assert parse_nest(nest_text(nest)) == nest


@given(st.floats())
def test_numbers(value: float) -> None:
    check_number(value)


def check_number(value: float) -> None:
    read = parse_nest(nest_text(nest_of(assign(e.Literal(value, F64)))))
    assert isinstance(read.body, Compute)
    assert isinstance(read.body.value, e.Literal)
    constant = VectorProgram("p", (), (), (Let("v0", v.Constant(value, ValueType(F64, 4))),))
    (statement,) = parse_program(program_text(constant)).body
    assert isinstance(statement, Let)
    assert isinstance(statement.operation, v.Constant)
    for found in (read.body.value.value, statement.operation.value):
        assert type(found) is type(value)
        assert struct.pack(">d", found) == struct.pack(">d", value)


# --- every operation --------------------------------------------------------------------------------------------------


def value(name: str, type_: ScalarType = F64, lanes: int = 1) -> Value:
    return Value(name, ValueType(type_, lanes))


def every_operation() -> VectorProgram:
    one, four, truth = ValueType(F64), ValueType(F64, 4), ValueType(I32, 4)
    s, w, t = value("load"), value("w", lanes=4), value("t", I32, 4)
    lazy = v.LazyPick(
        value("c", I32),
        (Let("inner", v.Load(Address("x", (i,), (0,)), one)), Let("root", v.Apply("sqrt", (value("inner"),), one))),
        value("root"),
        (),
        s,
        one,
    )
    inside: tuple[Statement, ...] = (
        Let("load", v.Load(Address("x", (i,), (0,)), one)),
        Let("w", v.Load(Address("x", (i,), (-1,)), four, n - i)),
        Let("there", v.Load(Address("x", (i,), (1,)), four, n - i, value("w", lanes=4))),
        Let("index", v.IndexValue(-i + 3, -2, ValueType(I64, 4))),
        Let("fold", v.Broadcast(s, four)),
        Let("t", v.Test("<=", w, value("fold", lanes=4), truth)),
        Let("c", v.Constant(1, ValueType(I32))),
        Let("sum", v.Arithmetic("+", (s, s), one)),
        Let("less", v.Arithmetic("neg", (w,), four)),
        Let("flip", v.Arithmetic("~", (t,), truth)),
        Let("both", v.Arithmetic("fma", (w, w, value("less", lanes=4)), four)),
        Let("least", v.Arithmetic("min", (w, w), four)),
        Let("pick", v.Pick(t, w, w, four)),
        Let("small", v.Convert(w, ValueType(F32, 4))),
        Let("power", v.Apply("pow", (w, w), four)),
        Let("lazy", lazy),
        Let("all", v.Horizontal("min", w, one)),
        Let("pack", v.Pack((s, s), ValueType(F64, 2))),
        Let("lane", v.Lane(w, 3, one)),
        Let("mixed", v.Shuffle((w, w), (7, 0, 3), ValueType(F64, 3))),
        Let("front", v.Compact((w, value("small", F32, 4)), False, ValueType(F64, 4))),
        Let("back", v.Compact((w, value("small", F32, 4)), True, ValueType(F64, 4))),
        Let("shorts", v.Convert(w, ValueType(I16, 4))),
        Let("sums", v.GroupSum("*", (value("shorts", I16, 4), value("shorts", I16, 4)), ValueType(U32, 2))),
        v.Prefetch(Address("y", (affine(0), i), (0, 0))),
        v.Store(Address("x", (i,), (1,)), value("pick", lanes=4), minimum(n - i, 4)),
        v.Store(Address("x", (i,), (1,)), value("pick", lanes=4), None, value("small", F32, 4)),
        v.Bind("rest", i + 1),
        v.If(at_least(affine("rest"), 2), (v.Store(Address("x", (affine("rest"),), (0,)), s),)),
        v.When(s, (v.Store(Address("x", (i,), (0,)), s), v.When(s, ()))),
        v.If(equal(i, 2), (), (v.Prefetch(Address("x", (i,), (0,))),)),
    )
    carrying = v.For(
        "j",
        affine(0),
        n,
        2,
        (Let("next", v.Arithmetic("*", (value("a"), value("a")), one)),),
        (
            v.Carried("a", one, value("zero"), value("next"), "end"),
            v.Carried("b", one, value("zero"), value("a"), "last"),
        ),
        unroll=4,
    )
    body = (
        v.For("i", affine(0), n, 4, inside, parallel=True),
        Let("zero", v.Constant(-0.0, one)),
        carrying,
        v.Store(Address("x", (affine(0),), (0,)), value("end")),
    )
    arrays = (X, replace(Y, shape=(n, m + 1)))
    return VectorProgram("every", ("n", "m"), arrays, body, at_least(n, 1), auto_vectorize=True, may_overlap=True)


def test_every_operation_reads_back() -> None:
    verify(every_operation())
    check_program(every_operation())


# --- errors -----------------------------------------------------------------------------------------------------------

NEST = """\
nest scale(n)
  argument f64 a[n]
  for i in [0, n)
    S0: a[i] = (2.0:f64 * a[i])
"""

PROGRAM = """\
program scale(n)
  argument f64 a[n]
  for i in [0, n)
    f64 v0 = load a[i]
    f64 v1 = v0 + v0
    store a[i] = v1
"""


@pytest.mark.parametrize(
    ("text", "before", "after", "message"),
    [
        (NEST, "nest", "next", "1:1: 'nest' is missing"),
        (NEST, "f64 a", "f63 a", "2:12: f63 is no type; types are f32, f64, and i or u with 8, 16, 32 or 64"),
        (NEST, "[0, n)", "[0; n)", "3:14: ';' has no meaning here"),
        (NEST, "[0, n)", "[0, )", "3:16: a number or a variable is missing"),
        (NEST, "[0, n)", "[0, n) stop 2", "3:19: nothing is expected here but the end of the line, not 'stop'"),
        (NEST, "for", "far", "3:3: a loop, 'if', 'block' or 'NAME: ...' is missing"),
        (NEST, "* a", "* b", "4:27: there is no array b"),
        (NEST, "2.0:f64", "2.0", "4:18: '.' has no meaning here"),
        (NEST, "2.0:f64 *", "2.0:f64 a", "4:25: an operator is missing"),
        (NEST, "a[i])\n", "a[i]", "4:31: ')' is missing"),
        (NEST, "    S0", "S0", "4:1: this line belongs to nothing"),
        (NEST, "    S0: a", "    if i >= 0\n   S0: a", "5:4: this line stands 3 spaces in, those in front of it 4"),
        (NEST, "    S0: a", "    if i > 0\n      S0: a", "4:10: '>= 0' or '== 0' is missing"),
        (PROGRAM, "f64 v1 =", "f64x v1 =", "5:5: '' is no number of lanes"),
        (PROGRAM, "v0 + v0", "v0 + v2", "5:19: there is no value v2 here"),
        (PROGRAM, "v0 + v0", "v0 v0", "5:17: an operator is missing"),
        (PROGRAM, "v0 + v0", "2:i32", "5:14: this number is no f64"),
        (PROGRAM, "    store", "  store", "6:16: there is no value v1 here"),
        (PROGRAM, "store a[i] = v1\n", "store a[i]\n", "6:15: '=' is missing"),
        (PROGRAM, "load a[i]", "lazy v9", "4:19: there is no value v9 here"),
    ],
)
def test_errors_say_where(text: str, before: str, after: str, message: str) -> None:
    assert text.count(before) == 1
    parse = parse_nest if text is NEST else parse_program
    parse(text)
    changed = text.replace(before, after)
    with pytest.raises(IRSyntaxError) as error:
        parse(changed)
    first, line, caret = str(error.value).splitlines()
    assert first == message
    number, column = map(int, message.split(":")[:2])
    assert line == f"  {changed.splitlines()[number - 1]}"
    assert caret == " " * (column + 1) + "^"


def test_an_empty_text() -> None:
    with pytest.raises(IRSyntaxError, match=r"^1:1: 'nest' is missing"):
        parse_nest("")
