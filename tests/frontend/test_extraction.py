"""What is read from small snippets, exactly: domains, accesses, schedules, types, arrays, assumptions."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import islpy as isl
import pytest

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import (
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U32,
    U64,
    Access,
    Binary,
    Call,
    Cast,
    Comparison,
    Index,
    Literal,
    Logical,
    Read,
    Select,
    Unary,
)
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.errors import PolyloopError
from polyloop.frontend import CSourceError, read_c, read_source
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop, Statement
from polyloop.shipped.kernels import kernel, kernel_names
from tests.frontend.evaluation import schedule_text

SIGNATURE = "int n, int m, double *a, float *b, int *c"


def scop_of(body: str, signature: str = SIGNATURE, before: str = "", local: str = "int i, j, k;") -> Scop:
    text = f"{before}\nvoid f({signature})\n{{\n  {local}\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    (scop,) = read_c("f.c", text=text, allow_calls=True)
    return scop


def only(body: str, **keywords: str) -> Statement:
    (statement,) = scop_of(body, **keywords).statements
    return statement


def assert_domain(statement: Statement, text: str) -> None:
    """The same points for all parameters."""
    expected = isl.Set(text)
    assert statement.domain.is_equal(expected), f"{statement.domain} is not {expected}"


def assert_parameters(found: isl.Set, text: str) -> None:
    expected = isl.Set(text)
    assert found.is_equal(expected.align_params(found.get_space())), f"{found} is not {expected}"


LOOPS = {
    "for (i = 0; i < n; i++) a[i] = 0;": ("[n] -> { S0[i] : 0 <= i < n }", "[0, (i), 0]"),
    "for (i = 0; n > i; ++i) a[i] = 0;": ("[n] -> { S0[i] : 0 <= i < n }", "[0, (i), 0]"),
    "for (i = 1; i <= n; i += 1) a[i] = 0;": ("[n] -> { S0[i] : 1 <= i <= n }", "[0, (i), 0]"),
    "for (i = n; i > 0; i--) a[i] = 0;": ("[n] -> { S0[i] : 0 < i <= n }", "[0, -1*(i), 0]"),
    "for (i = n - 1; i >= 0; --i) a[i] = 0;": ("[n] -> { S0[i] : 0 <= i < n }", "[0, -1*(i), 0]"),
    "for (i = 2; i < n; i += 3) a[i] = 0;": ("[n] -> { S0[i] : 2 <= i < n and (i - 2) mod 3 = 0 }", "[0, (i), 0]"),
    "for (i = n; i >= m; i = i - 4) a[i] = 0;": (
        "[n, m] -> { S0[i] : m <= i <= n and (n - i) mod 4 = 0 }", "[0, -1*(i), 0]"),
    "for (i = m; i != n; i++) a[i] = 0;": ("[m, n] -> { S0[i] : m <= i < n }", "[0, (i), 0]"),
    "for (i = n; i != m; i--) a[i] = 0;": ("[n, m] -> { S0[i] : m < i <= n }", "[0, -1*(i), 0]"),
    "for (i = 0; i % 7 != 5; i++) a[i] = 0;": ("{ S0[i] : 0 <= i < 5 }", "[0, (i), 0]"),
    "for (i = 0; i < n && i != 5; i++) a[i] = 0;": ("[n] -> { S0[i] : 0 <= i < n and i < 5 }", "[0, (i), 0]"),
    "for (i = n; i > m / 2; i -= 2) a[i] = 0;": (
        "[n, m] -> { S0[i] : i <= n and (n - i) mod 2 = 0 and ((m >= 0 and i > floor(m / 2)) or"
        " (m < 0 and i > -floor(-m / 2))) }", "[0, -1*(i), 0]"),
    "for (int q = 0; q < n && q < m; q++) a[q] = 0;": ("[n, m] -> { S0[q] : 0 <= q < n and q < m }", "[0, (q), 0]"),
    "for (i = 0; i < n || i < m; i++) a[i] = 0;": ("[n, m] -> { S0[i] : 0 <= i and (i < n or i < m) }", "[0, (i), 0]"),
    "for (i = 0; i < n; i++) for (j = i; j <= m; j++) a[i] = 0;": (
        "[n, m] -> { S0[i, j] : 0 <= i < n and i <= j <= m }", "[0, (i), 0, (j), 0]"),
    "for (i = 0; i * 2 < n; i++) a[i] = 0;": ("[n] -> { S0[i] : 0 <= 2i < n }", "[0, (i), 0]"),
    "for (i = 0; i < n / 2; i++) a[i] = 0;": ("[n] -> { S0[i] : 0 <= i < floor(n / 2) }", "[0, (i), 0]"),
    "for (i = n / 2; i < 0; i++) a[-i] = 0;": ("[n] -> { S0[i] : n <= 0 and -floor(-n / 2) <= i < 0 }", "[0, (i), 0]"),
    "for (i = 0; i < (n < m ? n : m); i++) a[i] = 0;": ("[n, m] -> { S0[i] : 0 <= i < n and i < m }", "[0, (i), 0]"),
    "for (i = 0; i <= floord(n, 32); i++) a[i] = 0;": ("[n] -> { S0[i] : 0 <= i and 32 i <= n }", "[0, (i), 0]"),
    "for (i = ceild(n, 5); i < max(n, 0); i++) a[i] = 0;": (
        "[n] -> { S0[i] : n <= 5i and i < n; S0[i] : n <= 5i and i < 0 }", "[0, (i), 0]"),
}  # fmt: skip


@pytest.mark.parametrize("body", LOOPS)
def test_loops(body: str) -> None:
    domain, schedule = LOOPS[body]
    statement = only(body)
    assert_domain(statement, domain)
    assert schedule_text(statement) == schedule


CONDITIONS = {
    "i > 2 && i != 5": "i > 2 and i != 5",
    "i < 2 || !(i <= m)": "i < 2 or i > m",
    "i % 2": "i mod 2 = 1",
    "(i & 3) == 1": "i mod 4 = 1",
    "n - i > i ? i == 1 : i == 2": "(n - i > i and i = 1) or (n - i <= i and i = 2)",
    "i >> 1 == 3": "floor(i / 2) = 3",
    "i == m == 0": "i != m",
    "3": "1 = 1",
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions(condition: str) -> None:
    scop = scop_of(f"for (i = 0; i < n; i++) {{ if ({condition}) a[i] = 0; else a[i] = 1; }}")
    holds = CONDITIONS[condition]
    parameters = "[n, m]" if "m" in holds.replace("mod", "") else "[n]"
    assert_domain(scop.statements[0], f"{parameters} -> {{ S0[i] : 0 <= i < n and ({holds}) }}")
    if condition == "3":
        assert scop.statements[1].domain.is_empty()
    else:
        assert_domain(scop.statements[1], f"{parameters} -> {{ S1[i] : 0 <= i < n and not ({holds}) }}")


def read(array: str, *subscripts: str | int, type_: object = F64) -> Read:
    return Read(Access(array, tuple(affine(s) for s in subscripts)), type_)  # type: ignore[arg-type]


A, B, C = read("a", "i"), read("b", "i", type_=F32), read("c", "i", type_=I32)
I = Index(affine("i"), I32)  # noqa: E741

VALUES = {
    "a[i] = 0;": Literal(0.0, F64),
    "a[i] = 1.5f;": Literal(1.5, F64),
    "b[i] = 0.1;": Literal(0.10000000149011612, F32),
    "a[i] = b[i];": Cast(B, F64),
    "b[i] = a[i];": Cast(A, F32),
    "a[i] += b[i];": Binary("+", A, Cast(B, F64), F64),
    "b[i] += 1;": Binary("+", B, Literal(1.0, F32), F32),
    "b[i] *= a[i];": Cast(Binary("*", Cast(B, F64), A, F64), F32),
    "c[i]++;": Binary("+", C, Literal(1, I32), I32),
    "--c[i];": Binary("-", C, Literal(1, I32), I32),
    "c[i] = c[i] << 2;": Binary("<<", C, Literal(2, I32), I32),
    "c[i] /= 2.0;": Cast(Binary("/", Cast(C, F64), Literal(2.0, F64), F64), I32),
    "a[i] = i;": Cast(I, F64),
    "c[i] = 2 * i + n - 1;": Index(affine("i") * 2 + affine("n") - 1, I32),
    "c[i] = i * i;": Binary("*", I, I, I32),
    "a[i] = (float)a[i];": Cast(Cast(A, F32), F64),
    "c[i] = -c[i] == !c[i];": Comparison("==", Unary("-", C, I32), Unary("!", C, I32)),
    "c[i] = a[i] < 1 && c[i];": Logical("&&", Comparison("<", A, Literal(1.0, F64)), C),
    "a[i] = c[i] ? b[i] : 2;": Cast(Select(C, B, Literal(2.0, F32), F32), F64),
    "a[i] = sqrt(b[i]);": Call("sqrt", (Cast(B, F64),), F64),
    "a[i] = powf(a[i], 2);": Cast(Call("powf", (Cast(A, F32), Literal(2.0, F32)), F32), F64),
    "a[i] = mine(c[i], i);": Call("mine", (Cast(C, F64), Index(affine("i"), I64)), F64),
    "c[i] = 'A' + sizeof(double) * 2u;": Literal(81, I32),
    "c[i] = 3000000000;": Literal(-1294967296, I32),
    "c[i] = 0x80000000 >> 3;": Literal(268435456, I32),
    "c[i] = 2147483647 + 1;": Binary("+", Literal(2147483647, I32), Literal(1, I32), I32),  # undefined
    "c[i] = 1u - 2 < 7 ? c[i] / 0 : 3;": Literal(3, I32),
}  # fmt: skip
PURE = "__attribute__((const)) double mine(double, long);\n"


@pytest.mark.parametrize("body", VALUES)
def test_values(body: str) -> None:
    assert only(f"for (i = 0; i < n; i++) {body}", before=PURE).value == VALUES[body]


@pytest.mark.parametrize(
    ("declared", "type_"),
    list(
        {
            "char": I8,
            "unsigned char": U8,
            "short int": I16,
            "int64_t": I64,
            "long long": I64,
            "size_t": U64,
            "real": F32,
            "const double": F64,
            "uint32_t": U32,
            "enum e": U32,
            "_Bool": U8,
        }.items()
    ),
)
def test_types(declared: str, type_: object) -> None:
    before = "#include <stdint.h>\n#include <stddef.h>\ntypedef float real;\nenum e { ONE = 1 };"
    scop = scop_of("for (i = 0; i < n; i++) a[i] = x[i];", signature=f"int n, double *a, {declared} *x", before=before)
    assert scop.array("x").type == type_


REDUCTIONS = {
    "a[0] += a[i];": "+",
    "a[0] += a[0] * b[i];": None,
    "a[0] += b[i];": "+",
    "a[0] = b[i] + a[0];": "+",
    "a[0] -= b[i];": "+",
    "a[0] = b[i] - a[0];": None,
    "a[0] *= c[i];": "*",
    "a[0] /= c[i];": None,
    "c[0] |= i;": "|",
    "b[0] = fmaxf(b[0], i);": "max",
    "b[0] = b[0] < c[i] ? b[0] : c[i];": "min",
    "b[0] = b[0] < c[i] ? c[i] : b[0];": "max",
    "b[0] += a[i];": None,
}


@pytest.mark.parametrize("body", REDUCTIONS)
def test_reductions(body: str) -> None:
    assert only(f"for (i = 0; i < n; i++) {body}").reduction == REDUCTIONS[body]


def test_chained_assignments_go_right_to_left() -> None:
    scop = scop_of("for (i = 0; i < n; i++) L: a[i] = b[i] = c[i] = i * 7;")
    assert [s.name for s in scop.statements] == ["S0", "S1", "L"]
    assert [str(s.target) for s in scop.statements] == ["c[i]", "b[i]", "a[i]"]
    assert [s.value for s in scop.statements[1:]] == [Cast(C, F32), Cast(B, F64)]
    assert [schedule_text(s) for s in scop.statements] == ["[0, (i), 0]", "[0, (i), 1]", "[0, (i), 2]"]


def test_what_a_chain_copies_is_copied_to_each() -> None:
    """It is the same afterwards, whatever has been stored to; a conversion is not."""
    scop = scop_of("for (i = 0; i < n; i++) { b[i] = c[i] = 7; a[i + 1] = a[i] = a[n]; b[i] = c[i] = b[n]; }")
    values = [s.value for s in scop.statements]
    assert values[0::2] == [Literal(7, I32), values[3], Cast(Read(Access("b", (affine("n"),)), F32), I32)]
    assert values[1::2] == [Literal(7.0, F32), values[2], Cast(C, F32)]


def test_statement_names() -> None:
    scop = scop_of("S2: a[0] = 1; L: a[1] = 2; a[2] = 3; L2: for (i = 0; i < n; i++) c: c[i] = 0; floor: a[3] = 0;")
    assert [s.name for s in scop.statements] == ["S2", "L", "S2_1", "c_1", "floor_1"]


def test_arrays() -> None:
    scop = scop_of(
        "double t[3]; t[0] = G[1][2] + w[0][0] + alpha + s;\n for (i = 0; i < n; i++) A[i][0] = B[i][0] + t[0] + *p;",
        before="float G[4][5]; double *w2; const int SIZE = 6;",
        signature="int n, double alpha, double A[n][SIZE], double (*restrict B)[n + 1], double (*w)[2], double *p",
        local="int i; double s = 1;",
    )
    shapes = {a.name: [None if e is None else str(e) for e in a.shape] for a in scop.arrays}
    assert shapes == {
        "t": ["3"], "G": ["4", "5"], "w": [None, "2"], "alpha": [], "s": [], "A": ["n", "6"], "B": [None, "n + 1"],
        "p": [None],
    }  # fmt: skip
    assert {a.name for a in scop.arrays if a.may_alias} == {"w", "A", "p", "G"}
    assert {a.name for a in scop.arrays if a.local} == {"t"}
    source = scop.source
    assert source is not None
    assert source.address("A") == "&A[0][0]"
    assert source.address("p") == "p"
    assert source.address("alpha") == "&alpha"
    assert source.parameter_order == ("n", "alpha", "A", "B", "w", "p")
    assert source.parameter_types == (("n", I32),)
    assert_parameters(scop.context, "[n] -> { : n >= 0 }")


LINEARISED = {
    "a[i * n + j] = 0;": ("a[i][j]", ["n"]),
    "a[j + n * i] = 0;": ("a[i][j]", ["n"]),
    "a[(i * m + j) * n + k] = 0;": ("a[i][j][k]", ["m", "n"]),
    "a[i * (n + 2) + j + 1] = 0;": ("a[i][j + 1]", ["n + 2"]),
    "a[(i + 1) * n + n - 1 - j] = 0;": ("a[i + 1][-j + n - 1]", ["n"]),
    "a[(n - 1) * n + j] = 0;": ("a[n - 1][j]", ["n"]),
    "a[4 * i * n + 3 * j] = 0;": ("a[i][3*j]", ["4*n"]),
    "a[2 * i * n + 3 * j] = 0;": ("a[3*j + data(({2*i}:i32 * {n}:i32))]", []),
    "a[i * 10 + j] = 0;": ("a[10*i + j]", []),
}


@pytest.mark.parametrize("body", LINEARISED)
def test_linearised_subscripts(body: str) -> None:
    around = "for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++) "
    if "(n - 1) * n" in body:
        body = "{ a[i * n + k] = 1; " + body + " }"
    scop = scop_of(around + body)
    access, rows = LINEARISED[body if body in LINEARISED else "a[(n - 1) * n + j] = 0;"]
    assert str(scop.statements[-1].target) == access
    assert [str(e) for e in scop.array("a").shape[1:]] == rows


def test_what_many_conditions_guard_is_assumed_whatever_they_are() -> None:
    text = """void f(int n, int m, int stride, int a, int b, int c, float *x) {
#pragma scop
    if (a != 0)
        if (b != 3)
            if (c != 1)
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < m; j++) x[i * stride + j] = 0;
#pragma endscop
}"""
    (scop,) = read_c("f.c", text=text)
    assert_parameters(scop.assumptions, "[m, stride] -> { : stride >= m }")
    assert scop.known.n_basic_set() == 1


def test_rows_must_not_overlap() -> None:
    scop = scop_of("for (i = 0; i < n; i++) for (j = 0; j < m; j++) a[i * k + j] = 0;", local="int i, j;",
                   signature="int n, int m, int k, double *a")  # fmt: skip
    assert_parameters(scop.assumptions, "[n, m, k] -> { : m <= k }")
    scop = scop_of("for (i = 0; i < n; i++) for (j = 0; j < m; j++) A[i][j] = 0;",
                   signature="int n, int m, double (*A)[20]")  # fmt: skip
    assert_parameters(scop.assumptions, "[n, m] -> { : m <= 20 }")


def test_unsigned_arithmetic_is_assumed_not_to_wrap() -> None:
    loop = "for (size_t i = 0; i < n - 1; i++) a[i] = 0;"
    scop = scop_of(loop, before="#include <stddef.h>", signature="size_t n, double *a", local="")
    assert_parameters(scop.assumptions, "[n] -> { : n >= 1 }")
    scop = scop_of("for (unsigned i = 0; i < n; i++) a[i] = 0;", local="")
    assert_parameters(scop.assumptions, "[n] -> { : n >= 0 }")
    scop = scop_of("for (unsigned i = 0; i + 1 < n; i++) a[i] = 0;", signature="unsigned n, double *a", local="")
    assert_parameters(scop.assumptions, "[n] -> { : }")
    assert_domain(scop.statements[0], "[n] -> { S0[i] : 0 <= i < n - 1 }")


def test_several_regions() -> None:
    text = (
        "void g(double *a) {\n#pragma scop\n a[0] = 1;\n#pragma endscop\n}\n/* #pragma scop */\n"
        "static\nvoid f(int n, double *a) { int i;\n#pragma scop\n  for (i = 0; i < n; i++) a[i] = 0;\n"
        "#pragma endscop\n"
        '  char *s = "#pragma scop";\n#pragma scop\n  while (a[n]) a[n--] = 1;\n#pragma endscop\n'
        "#if 0\n#pragma scop\n#endif\n  if (n > 1) {\n#pragma scop\n    a[1] = n;\n    #pragma endscop\n  }\n}\n"
    )
    file = read_source("x.c", text=text)
    assert [s.name for s in file.scops] == ["g", "f", "f_3"]
    assert [(d.severity, d.code, d.location.line) for d in file.diagnostics] == [("remark", "while", 14)]
    source = file.scops[2].source
    assert source is not None
    assert source.text[source.begin : source.end] == "    a[1] = n;\n"
    assert source.text[source.function_start :].startswith("static\nvoid f")
    assert [s.name for s in read_c("x.c", "g", text=text)] == ["g"]
    assert str(file.scops[1].statements[0].location) == "x.c:10:27"


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(CSourceError, match=r"x\.c: there is no #pragma scop"):
        read_c("x.c", text="int f(void) { return 0; }\n")
    with pytest.raises(CSourceError, match="in the function h"):
        read_c("x.c", "h", text="void g(double *a) {\n#pragma scop\n a[0] = 1;\n#pragma endscop\n}\n")
    with pytest.raises(PolyloopError, match="cannot read"):
        read_c(tmp_path / "missing.c")


def test_an_error_about_regions_that_are_left_alone_is_an_error() -> None:
    text = "void g(int n, double *a) {\n#pragma scop\n while (*a) --*a;\n#pragma endscop\n}\n"
    with pytest.raises(CSourceError, match=r"^x\.c: error: no region can be taken:\nx\.c:3:\d+: remark: region of g"):
        read_c("x.c", text=text)


def test_own_output_is_recognised(tmp_path: Path) -> None:
    text = "void g(int n, double *a, double *b) {\n#pragma scop\n for (int i = 0; i < n; i++) a[i] = b[i];\n"
    (scop,) = read_c("x.c", text=text + "#pragma endscop\n}\n")
    tree = original_tree(scop)
    written = emit_c_file(text + "#pragma endscop\n}\n", [Replacement(scop, plan(lower(scop, tree), host_target()))])
    (remark,) = read_source("x.c", text=written).diagnostics
    assert (remark.severity, remark.code) == ("remark", "own-output")
    assert remark.message.endswith("left as it is: polyloop has made it already; run polyloop on the original file")


def test_preprocessing(tmp_path: Path) -> None:
    (tmp_path / "config.h").write_text("#pragma once\n#define SIZE (4 + WIDTH)\n")
    (tmp_path / "f.c").write_bytes(
        b'#include "config.h"\r\n#include "config.h"\r\n#define CAT(x, y) x ## y\r\n'
        b"#define SET(i, ...) CAT(a, b)[i] = \\\r\n"
        b"  __VA_ARGS__\r\ndouble ab[SIZE];\r\nvoid f(void)\r\n{\r\n#pragma scop\r\n  SET(FIRST, WIDTH + 0.5);\r\n"
        b"#pragma endscop\r\n}\r\n"
    )
    (scop,) = read_c(tmp_path / "f.c", defines=["WIDTH=6", "FIRST", "UNUSED"], undefines=["UNUSED"])
    (statement,) = scop.statements
    assert [str(e) for e in scop.array("ab").shape] == ["10"]
    assert statement.target == Access("ab", (affine(1),))
    assert statement.location is not None
    assert (statement.location.line, statement.location.column) == (10, 3)
    (other,) = read_c("g.c", text="void f(double *a) {\n#pragma scop\n a[SIZE] = 1;\n#pragma endscop\n}\n",
                      defines=["WIDTH=2"], includes=[tmp_path / "config.h"])  # fmt: skip
    assert other.statements[0].target == Access("a", (affine(6),))


def test_gnu_extensions() -> None:
    scop = scop_of(
        "__asm__: a[0] = 1;".replace("__asm__: ", ""),
        before="__extension__ typedef long long wide __attribute__((aligned(8)));\n"
        'extern int other(int) __asm__("name") __attribute__((nothrow, format(printf, 1, 2)));\n'
        "static __inline__ void nop(void) { __asm__ __volatile__ (\"nop\" : : : \"memory\"); }\n",
        signature="double * __restrict__ a, __const wide *b",
    )  # fmt: skip
    assert not scop.array("a").may_alias


# A chained assignment is one statement to some tools; here each assignment is one (deriche: 5 more than 42).
STATEMENTS = {
    "matvec": 2, "gemm": 2, "2mm": 4, "3mm": 6, "atax": 4, "bicg": 4, "mvt": 2, "doitgen": 3, "gemver": 4,
    "gesummv": 5, "symm": 4, "syrk": 2, "syr2k": 2, "trmm": 2, "trisolv": 3, "cholesky": 4, "lu": 3,
    "ludcmp": 12, "durbin": 10, "gramschmidt": 7, "correlation": 15, "covariance": 8, "deriche": 47,
    "floyd-warshall": 1, "nussinov": 5, "adi": 27, "fdtd-2d": 4, "heat-3d": 2, "jacobi-1d": 2,
    "jacobi-2d": 2, "seidel-2d": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", kernel_names())
def test_shipped_kernels(name: str) -> None:
    info = kernel(name)
    (scop,) = read_c(info.path)
    assert len(scop.statements) == STATEMENTS[name]
    assert set(scop.parameters) <= set(info.parameters)
    positive = " and ".join(f"{p} >= 1" for p in scop.parameters)
    assert isl.Set(f"[{', '.join(scop.parameters)}] -> {{ : {positive} }}").is_subset(scop.assumptions & scop.context)


@pytest.mark.parametrize("outer", ["i", "f", "o", "outer0", "value"])
def test_a_condition_that_fails_once_ends_the_loop_whatever_the_counters_around_are_called(outer: str) -> None:
    loops = f"for (int {outer} = 0; {outer} <= 4; {outer}++) for (int j = {outer}; j <= 5 * ((j + 2) / 5); j++)"
    (scop,) = read_c(
        "snippet.c", text=f"void f1(double x[10]) {{\n#pragma scop\n{loops} x[j] = 1;\n#pragma endscop\n}}\n"
    )
    points = isl.Set("{ S0[i, j] : (i = 0 and j = 0) or (i = 3 and 3 <= j <= 5) or (i = 4 and 4 <= j <= 5) }")
    assert scop.statements[0].domain.is_equal(points)


def test_what_the_refusal_of_structures_advises_is_taken() -> None:
    before = "struct grid { int n; double v[9][9]; };"
    local = "double (*v)[9] = g->v; int n = g->n; int i, j;"
    body = "for (i = 0; i < n; i++) for (j = 0; j < 9; j++) v[i][j] *= 2.0;"
    scop = scop_of(body, signature="struct grid *g", before=before, local=local)
    assert scop.parameters == ("n",)
    assert [(a.name, len(a.shape), a.may_alias) for a in scop.arrays] == [("v", 2, True)]
    scop = scop_of("for (i = 0; i < n; i++) a[i][n] = 0.0;", signature="int n, double (*a)[100]", local="int i;")
    assert [(a.name, len(a.shape)) for a in scop.arrays] == [("a", 2)]


def test_functions_without_types() -> None:
    """Their parameters are those of the list, in its order; what may be a macro's use is none."""
    body = "{ int i;\nfor (i = 0; i < n; i++) y[i] = x[i]; }\n"
    text = (
        f"static inverted(y, n, x) int n;\n double *x, *y;\n{body}"
        f"struct s {{ int m; }} one;\nadded(n, x, y) double x[], *y; int n; {body}"
        f"void typed(y, x, n) double *x, *y; {body}main() {{ return 0; }}\nMACRO(int) typedef int number;\n"
    )
    file = read_source("old.c", text=text, auto=True)
    found = {scop.name: scop.source.parameter_order for scop in file.scops if scop.source is not None}
    assert found == {"inverted": ("y", "n", "x"), "added": ("n", "x", "y"), "typed": ("y", "x", "n")}
    assert [d.location.line for d in file.diagnostics if d.severity == "error"] == [11]
    assert all(text.startswith(("static inv", "added", "void"), s.source.definition) for s in file.scops if s.source)


def test_linkage_for_cpp_is_read_over() -> None:
    """extern "C" around declarations, in front of one, and of a function at the end of the braces."""
    region = "#pragma scop\nfor (int i = 0; i < n; i++) a[i] = 0;\n#pragma endscop\n"
    text = 'extern "C" {\ntypedef double number;\nstruct s { int i; } t = {1};\n'
    text += f"void f(int n, number *__restrict a) {{\n{region}}}\n}}\n"
    text += f'extern "C" void g(int n, number *a) {{\n{region}}}\nextern "C" {{ int h(void); }}\n'
    file = read_source("linkage.c", text=text)
    assert not file.diagnostics
    assert [(s.name, s.array("a").may_alias) for s in file.scops] == [("f", False), ("g", True)]
    starts = [s.source.function_start for s in file.scops if s.source is not None]
    assert [text[start:].split("(")[0] for start in starts] == ["void f", 'extern "C" void g']


CALLS = """
__attribute__((const)) int kill(int pid, int sig);
__attribute__((const)) double sin(double x);
void f(int n, int *z)
{
#pragma scop
    for (int i = 0; i < n; i++)
        z[i] = z[i] + kill(0, 0);
#pragma endscop
}
void g(int n, double *y)
{
#pragma scop
    for (int i = 0; i < n; i++)
        y[i] = sin(y[i]);
#pragma endscop
}
"""


def test_what_a_file_declares_pure_is_called_only_if_that_is_allowed() -> None:
    """Optimizing runs the calls: an attribute in a file is no leave to call anything of the C library."""
    file = read_source("x.c", text=CALLS)
    assert [scop.name for scop in file.scops] == ["g"]
    (remark,) = file.diagnostics
    assert "the call of kill may have side effects" in str(remark.message)
    assert "--allow-calls" in str(remark.message)
    assert [scop.name for scop in read_c("x.c", text=CALLS, allow_calls=True)] == ["f", "g"]


def test_a_pure_function_may_read_what_the_region_writes() -> None:
    """Only a const one is a function of its arguments: C lets the other look at globals."""
    text = "double a[9];\ndouble g(int) __attribute__((WORD));\nvoid f(void)\n{\n#pragma scop\n"
    text += "    for (int i = 0; i < 9; i++) a[i] = g(i);\n#pragma endscop\n}\n"
    assert read_source("x.c", text=text.replace("WORD", "pure"), allow_calls=True).scops == ()
    (scop,) = read_c("x.c", text=text.replace("WORD", "const"), allow_calls=True)
    assert scop.statements[0].reads == ()


def test_what_only_extents_depend_on_is_a_parameter_where_it_is_read_too() -> None:
    text = """
    void f(int n, int m, double A[n], double B[m])
    {
    #pragma scop
      for (int i = 0; i < m; i++)
        A[i] = B[i] - (double)n;
    #pragma endscop
    }
    """
    (scop,) = read_source("f.c", text=text).scops
    assert (set(scop.parameters), {array.name for array in scop.arrays}) == ({"n", "m"}, {"A", "B"})
    assert scop.statements[0].value == Binary("-", read("B", "i"), Cast(Index(affine("n"), I32), F64), F64)


def test_several_unknown_types_do_not_hide_a_function() -> None:
    text = (
        "void f(foo_t n, bar_t *a, int m, double *b)\n{\n  baz_t c;\n  for (int i = 0; i < m; i++)\n    b[i] = 1;\n}\n"
    )
    file = read_source("x.c", text=text, auto=True)
    assert [s.name for s in file.scops] == ["f"]
    assert [d.code for d in file.diagnostics] == ["unknown-type"] * 3
    text = "typedef struct s t;\nAPI t *g(void) { return 0; }\nAPI const int *f(int n, int *a)\n"
    file = read_source(
        "x.c", text=text + "{\n  for (int i = 0; i < n; i++)\n    a[i] = 1;\n  return a;\n}\n", auto=True
    )
    assert ([s.name for s in file.scops], len(file.diagnostics)) == (["f"], 1)
    assert not file.errors
    assert file.diagnostics[0].message.startswith("API is no known type or macro")
    assert file.diagnostics[0].message.endswith("It is taken for nothing")
    text = "typedef foo_t bar_t; struct s { bar_t x; int y; };\nint f(struct s *p) { return p->y; }\n"
    assert [d.code for d in read_source("x.c", text=text, auto=True).diagnostics] == ["unknown-type"]
    # An attribute behind the type is none: `foo_t const *f(...)`.
    text = "foo_t const *g(int n, foo_t const *a) { return a + n; }\n"
    assert read_source("x.c", text=text).diagnostics[0].message.endswith("It is taken for a type")
    text = "void f(size_t n, uint8_t *a)\n{\n  for (size_t i = 0; i < n; i++)\n    a[i] = 1;\n}\n"
    (scop,) = read_source("x.c", text=text, auto=True).scops
    assert scop.array("a").type == U8
    assert "taken for unsigned long" in read_source("x.c", text=text).diagnostics[0].message


@pytest.mark.parametrize("word", ["FORCE_INLINE", "my_inline", "__myinline__"])
def test_unknown_words_for_inline_and_restrict_are_nothing(word: str) -> None:
    text = (
        f"typedef float real;\nstatic {word} real half(real x) {{ return x / 2; }}\n"
        "void f(int n, const real * MY_RESTRICT x, real *my_restrict y)\n"
        "{\n  for (int i = 0; i < n; i++)\n    y[i] = half(x[i]);\n}\n"
    )
    file = read_source("x.c", text=text, auto=True)
    assert [s.name for s in file.scops] == ["f"]
    assert {d.message.split()[0] for d in file.diagnostics} == {word, "MY_RESTRICT", "my_restrict"}
    assert all(d.message.endswith("It is taken for nothing") for d in file.diagnostics)
    (plain,) = read_source("x.c", text=re.sub(f"{word}|(?i:my_restrict)", "", text), auto=True).scops
    assert (file.scops[0].statements, file.scops[0].arrays) == (plain.statements, plain.arrays)
    # Nothing is taken for a word that may say more: it could be volatile.
    assert read_source("x.c", text="void f(real * SOME x);\n").errors


WIDE = "__attribute__((vector_size(16))) float"


@pytest.mark.parametrize(("declaration", "name"), [
    (f"{WIDE} v[100];", "v"),
    (f"{WIDE} a[1] = {{{{1}}}}, v[100];", "v"),
    (f"{WIDE} (*v);", "v"),
    (f"typedef {WIDE} wide; wide v[100];", "v"),
    (f"{WIDE} *g(int n, float *a); struct s {{ int n; {WIDE} v[100]; }};", ""),
])  # fmt: skip
def test_attributes_before_a_type_are_about_all_names_behind_it(declaration: str, name: str) -> None:
    """What is called float there is four of them."""
    loop = "for (int i = 0; i < n; i++) {}[i] += 2.0f;"
    text = f"{declaration}\nfloat plain[100];\nvoid f(int n) {{ {loop.format(name or 'plain')} }}\n"
    text += f"void g(int n) {{ {loop.format('plain')} }}\n"
    file = read_source("x.c", text=text, auto=True)
    assert [s.name for s in file.scops] == (["g"] if name else ["f", "g"])
    assert [d.code for d in file.diagnostics] == (["type"] if name else [])


def test_unsigned_products_with_the_row_before_are_rows_of_it_too() -> None:
    text = """void f(unsigned w, unsigned h, unsigned char *a)
{
#pragma scop
    for (unsigned y = 1; y < h; y++)
        for (unsigned x = 0; x < w; x++)
            a[y * w + x] = *(a + (y - 1) * w + x) + 1;
#pragma endscop
}"""
    (scop,) = read_c("f.c", text=text)
    (statement,) = scop.statements
    assert [str(access) for access in (statement.target, *statement.reads)] == ["a[y][x]", "a[y - 1][x]"]
    assert not (scop.assumptions & isl.Set("[w, h] -> { : w = 9000 and h = 20000 }")).is_empty()


@pytest.mark.parametrize("added", ["", " + c", " + 7u"])
def test_unsigned_products_that_are_widened_do_not_wrap(added: str) -> None:
    """Where the assumptions hold, the largest of them fits; and they hold for sizes that people have."""
    loops = f"for (unsigned r = n; r > 0; r--) for (unsigned c = 0; c < q; c++) o[(long)(m * (n - r){added}) + 1] = 1;"
    text = f"void f(unsigned n, unsigned m, unsigned q, float *o)\n{{\n#pragma scop\n{loops}\n#pragma endscop\n}}\n"
    (scop,) = read_c("f.c", text=text)
    assert not any(access.data for s in scop.statements for access in (s.target, *s.reads))
    corners = [
        0,
        1,
        9,
        1 << 14,
        *(v for b in (15, 16, 31, 32) for v in ((1 << b) - 1, min((1 << b) + 2, (1 << 32) - 1))),
    ]

    def holds(**sizes: int) -> bool:
        point = " and ".join(f"{name} = {value}" for name, value in sizes.items())
        return not (scop.assumptions & isl.Set(f"[{', '.join(sizes)}] -> {{ : {point} }}")).is_empty()

    for n, m, q in itertools.product(corners, repeat=3):
        if n and q and holds(n=n, m=m, q=q):
            assert m * (n - 1) + {"": 0, " + c": q - 1, " + 7u": 7}[added] < 1 << 32
    assert holds(n=1 << 14, m=1 << 14, q=100)
