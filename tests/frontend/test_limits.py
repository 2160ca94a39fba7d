"""Files that would take all memory or all time: a message says so, and soon."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import islpy as isl
import numpy as np
import pytest
from pycparser import c_ast, c_lexer, c_parser

import polyloop.frontend.rewrites
import polyloop.frontend.scalars
import polyloop.frontend.scopes
from polyloop.arithmetic import float_literal, integer_literal
from polyloop.bench.random_programs import random_program
from polyloop.frontend import CSourceError, Diagnostic, read_source
from polyloop.frontend.parse import parse, standard_c
from polyloop.frontend.preprocess import Options, preprocess
from polyloop.frontend.reader import _FileReader
from polyloop.frontend.regions import Found
from polyloop.frontend.scopes import assigned_names, forget_walks, walk_nodes
from polyloop.frontend.source import SourceFile
from polyloop.frontend.statement_values import StatementValues
from polyloop.scop.dependence import TooManyAccessesError
from polyloop.scop.model import SourceLocation
from polyloop.support.isl_limits import OperationLimitError, limited

NINES = "9" * 5000


def function(body: str, before: str = "") -> str:
    return f"{before}void f(int n, double *x, double *y)\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"


def doubling(levels: int) -> str:
    lines = ["#define L0 x[0] + x[0]", *(f"#define L{k} L{k - 1} + L{k - 1}" for k in range(1, levels))]
    return "\n".join(lines) + "\n"


PASTING = "#define CAT(x, y) x##y\n#define GLUE(x, y) CAT(x, y)\n#define D(x) GLUE(x, x)\n"
REFUSED = {
    "macros that double": (function("y[0] = L39;", doubling(40)), "too-large"),
    "names that double": (function("y[0] = " + "D(" * 40 + "a" + ")" * 40 + ";", PASTING), "too-large"),
    "calls in calls": (function("y[0] = " + "F(" * 3000 + "1" + ")" * 3000 + ";", "#define F(x) x\n"), "macro-call"),
    "parentheses in a condition": (f"#if {'(' * 20_000}1{')' * 20_000}\n", "bad-directive"),
    "digits in a condition": (f"#if {NINES}\n", "bad-directive"),
    "digits of a value": (function(f"y[0] = {NINES};"), "type"),
    "digits of a fraction": (function(f"y[0] = 0.{NINES};"), "type"),
    "digits of a subscript": (function(f"y[{NINES}] = 0;"), ""),
    "digits of a bound": (function(f"for (int i = 0; i < {NINES}; i++) y[i] = 0;"), ""),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_grows_without_end_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyloop.frontend.source.MOST_CHARACTERS", 50_000)  # sooner than after some seconds
    text, code = REFUSED[name]
    file = read_source("x.c", text=text)
    assert file.scops == ()
    assert file.diagnostics
    assert code in ("", *(diagnostic.code for diagnostic in file.diagnostics))


def test_what_macros_do_otherwise_stays(tmp_path: Path) -> None:
    file = read_source("x.c", text=function("y[0] = L7;", doubling(8)))
    assert file.diagnostics == ()
    assert len(file.scops) == 1


def test_a_file_that_includes_itself_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "twice.c"
    path.write_text('#include "twice.c"\n#include "twice.c"\n' + function("y[0] = 1;"))
    (error,) = read_source(path).diagnostics
    assert (error.code, error.message) == ("too-large", "the files include each other without end")
    for number in range(20):
        other = f'#include "{number + 1}.h"\n' * 2
        (tmp_path / f"{number}.h").write_text(other)
    (tmp_path / "20.h").write_text("\n")
    path.write_text('#include "0.h"\n' + function("y[0] = 1;"))
    (error,) = read_source(path).diagnostics
    assert (error.code, "the included files have more than" in error.message) == ("too-large", True)


def test_a_device_without_end_is_no_source() -> None:
    with pytest.raises(CSourceError, match=r"cannot read /dev/zero: more than .* bytes are no C source"):
        read_source("/dev/zero")


def test_the_longest_literals() -> None:
    assert integer_literal("0" * 1999 + "7") is not None
    assert integer_literal("0" * 2000 + "7") is None
    assert float_literal("0." + "9" * 1998) is not None
    assert float_literal("0." + "9" * 1999) is None


def test_too_many_statements_are_refused_before_the_work() -> None:
    body = "for (int i = 0; i < n; i++) {" + "".join(f"y[i] = y[i] * x[i] + {k};" for k in range(500)) + "}"
    (scop,) = read_source("x.c", text=function(body)).scops
    with pytest.raises(TooManyAccessesError, match="500 statements have 750000 pairs of accesses"):
        scop.dependences()


@pytest.mark.parametrize("body", ["for (int $i = 0; $i < n; $i++) y[$i] = 2.0;", "y$[0] = 1;", "y[a$] = 1;"])
def test_names_that_isl_cannot_hold_are_refused(body: str) -> None:
    before = "static int a$; static double y$[3];\n"
    file = read_source("x.c", text=function(body, before))
    assert file.scops == ()
    assert "has a $ in its name" in file.diagnostics[0].message


@pytest.mark.parametrize(
    ("hidden", "shown"), [("\x1b", r"\x1b"), ("\x9b", r"\x9b"), ("\x7f", r"\x7f"), ("\u202e", r"\u202e")]
)
def test_no_diagnostic_has_a_command_for_the_terminal(hidden: str, shown: str) -> None:
    line = f"\ty = {hidden}[2J; {hidden}"
    place = SourceLocation(f"x{hidden}.c", 4, 1 + line.index(hidden))
    first = Diagnostic("error", "syntax", place, f"{hidden} is wrong", line).render().split("\n")
    assert first[0] == f"x{shown}.c:4:6: error: {shown} is wrong [syntax]"
    assert first[1] == f"  \ty = {shown}[2J; {shown}"
    assert first[2] == "  \t    ^" + "~" * (len(shown) - 1)
    behind = Diagnostic("error", "syntax", replace(place, column=1 + line.rindex(hidden)), "", line).render()
    assert behind.split("\n")[2].index("^") == first[1].rindex(shown)


def test_a_large_file_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """3,000 lines: parsed once, every region tried as it stands, rewritten and with data, and none of these twice."""
    rng = np.random.default_rng(5)
    text, regions = "#include <stdio.h>\n#include <math.h>\n", 0
    while text.count("\n") < 3_000:
        lines = random_program(rng, f"f{regions}").text.splitlines(keepends=True)
        text, regions = text + "".join(line for line in lines if not line.startswith("#pragma")), regions + 1
    parses = _counted(monkeypatch, c_parser.CParser, "parse")
    attempts = _counted(monkeypatch, _FileReader, "_attempt")
    rewrites = _counted(monkeypatch, polyloop.frontend.rewrites, "rewritten")
    readings = _counted(monkeypatch, _FileReader, "_scop")
    file = read_source("x.c", text=text, auto=True)
    assert len(file.scops) >= regions
    assert regions > 80
    assert len(parses) == 1
    assert len(attempts) <= 1.05 * len(file.scops)
    assert len(rewrites) <= len(attempts)
    assert len(readings) <= 2.5 * len(attempts)


def test_products_of_sizes_are_no_reason_to_rewrite_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit that is a product may be one of rows: without such the rewritten statements are those read later on."""
    rewrites = _counted(monkeypatch, polyloop.frontend.rewrites, "rewritten")
    (scop,) = read_source("x.c", text=function("for (int i = 0; i < n * n; i++) *x++ = y[i];")).scops
    assert scop.source is not None
    assert len(rewrites) == 1


def test_trees_are_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree's text is as long as all below it, and that at each of its levels; their classes name children slowly."""
    monkeypatch.setattr(c_ast.Node, "__repr__", None)
    for kind in (c_ast.For, c_ast.If, c_ast.Compound, c_ast.FuncCall):
        monkeypatch.setattr(kind, "children", None)
    body = "double *p = x; for (int i = 0; i < n; i++) if (y[i] > 0) { *p++ = fmax(y[i], 1); }"
    file = read_source("x.c", text=function(body, "#include <math.h>\n"), auto=True)
    assert len(file.scops) == 1


def test_large_tables_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of their numbers the parser sees one, and the tree has all of them, where they stand."""
    numbers = ["1", "-2", "+0x3fu", "017U", "4.5", "-.5e-3f", "6e7", "8.f"] * 20
    lists = ", ".join(f"{{{', '.join(numbers)},\n}}" for _ in range(2))
    negative = f"-1, {', '.join(numbers)}"
    text = f"#pragma pack\nstatic const double t[2][200] = {{{lists}}};\nint n = 3;\nunknown u = {{{negative}}};\n"
    text += "struct one { int n; } named = {.n = 5};\n"

    def trees() -> list[tuple[object, ...]]:
        source = standard_c(preprocess(SourceFile("x.c", text), Options()).tokens)
        nodes = (node for item in parse(source).items for each in item.nodes for node in walk_nodes(each))
        return [(type(n), *(str(getattr(n, name)) for name in n.attr_names), n.coord and n.coord.line) for n in nodes]

    made = _counted(monkeypatch, c_lexer.CLexer, "token")
    shorter = trees()
    assert len(made) < 200
    monkeypatch.setattr("polyloop.frontend.parse._LONG", 10_000)
    assert trees() == shorter
    assert len(made) > 1_500


def test_what_stands_before_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not again for every loop behind it, and each time that the values of its integers are tried out."""
    walks = _counted(monkeypatch, polyloop.frontend.scalars, "walk_nodes")
    before = "".join(f"double t{k} = {k};\n" for k in range(500))
    loops = "".join(f"int k{j} = 0; for (int i = 0; i < n; i++) x[k{j}++] = y[i] + t{j};\n" for j in range(10))
    text = f"void f(int n, double *x, double *y)\n{{\n{before}{loops}}}\n"
    assert len(read_source("x.c", text=text, auto=True).scops) == 10
    assert len(walks) <= 2_000


def test_names_that_statements_set_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many statements around them ask for them."""
    asked = _counted(monkeypatch, polyloop.frontend.scopes, "stored_into")
    depth = 100
    ifs = "".join(f"if (x[{k}] > 0) {{ s = x[{k}]; " for k in range(depth))
    (body,) = parsed(f"void f(double *x) {{ double s; {ifs} {'}' * depth} }}")
    statements = [node for node in walk_nodes(body) if isinstance(node, c_ast.If)]
    assert all(assigned_names([node]) == {"s"} for node in statements)
    assert len(asked) <= 20 * depth
    forget_walks()


def test_what_cannot_be_read_is_found_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = "".join(f"int f{k}(int n) {{ return n + {k}; }}\n" for k in range(100))
    parses = _counted(monkeypatch, c_parser.CParser, "parse")
    file = read_source("x.c", text=f"{functions}int g(int n) {{ if (n) {{ return 1; }}\n")
    assert [d.location.line for d in file.diagnostics] == [101]
    assert len(parses) <= 4


def parsed(text: str) -> list[c_ast.Node]:
    return [item.body for item in c_parser.CParser().parse(text).ext]


def _counted(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[None]:
    """Grows with every call."""
    calls: list[None] = []
    function = getattr(owner, name)

    def counted(*arguments: object, **named: object) -> object:
        calls.append(None)
        return function(*arguments, **named)

    monkeypatch.setattr(owner, name, counted)
    return calls


def test_loops_that_stay_do_not_bring_their_neighbours_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of many loops are read again from every one on that is refused; and still the last three are one region."""
    bad = "".join(f"if (x[{k}] > 0) for (int i = 0; i < n; i++) report(i + {k});\n" for k in range(60))
    good = "".join(f"for (int i = 0; i < n; i++) y[i] += x[{k}];\n" for k in range(3))
    text = f"int report(int);\nvoid f(int n, double *x, double *y)\n{{\n{bad}{good}}}\n"
    seen, attempt = list[int](), _FileReader._attempt

    def counted(self: _FileReader, found: Found) -> object:
        seen.append(len(found.items))
        return attempt(self, found)

    monkeypatch.setattr(_FileReader, "_attempt", counted)
    file = read_source("many.c", text=text, auto=True)
    assert [len(scop.statements) for scop in file.scops] == [3]
    assert sum(seen) < 8 * 63


def test_sets_with_many_remainders_are_refused_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyloop.frontend.reader._OPERATIONS", 20_000)
    monkeypatch.setattr("polyloop.frontend.reader._OF_STATEMENT", 0)
    monkeypatch.setattr("polyloop.frontend.reader._OF_ELEMENT", 0)
    sums = "".join(f"if ((({k} * j) % 64) + p{k} >= 5 && ((({k} * j) % 64) + p{k}) <= 50)\n" for k in (1, 3, 5))
    body = f"for (int j = 0; j < 1024; j++) {{\n{sums}u[(j + p1) % 64][(3 * j + p3) % 64] += 1;\n}}"
    text = f"void f(int p1, int p3, int p5, double u[64][64])\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    file = read_source("x.c", text=text)
    (remark,) = file.diagnostics
    assert (remark.code, "compute remainders" in remark.message) == ("too-complex", True)
    monkeypatch.setattr("polyloop.frontend.reader._OPERATIONS", 100)
    plain = "for (int i = 0; i < n; i++) for (int j = i; j < n - i; j++) x[2 * i + j] += y[i];"
    (remark,) = read_source("x.c", text=function(plain)).diagnostics
    assert (remark.code, "compute remainders" in remark.message) == ("too-complex", False)
    monkeypatch.undo()
    (scop,) = read_source("x.c", text=function("for (int i = 0; i < n; i++) y[i] = x[i];")).scops
    assert scop.name == "f"


def test_nests_of_many_loops_are_not_gone_through_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    counters = [f"i{k}" for k in range(9)]
    loops = "".join(f"for ({name} = 0; {name} < n; {name}++) {{\n" for name in counters)
    body = f"{loops}k = k + 1;\nm = k * i0;\ny[m % 7] += x[k];\n{'}' * len(counters)}"
    text = function(f"int {', '.join(counters)}, k = 0, m;\n{body}")
    monkeypatch.setattr("polyloop.frontend.statement_values.MOST_VISITS", 300)
    visits = []
    visit = StatementValues.statement

    def counting(self: StatementValues, node: c_ast.Node) -> list[c_ast.Node]:
        visits.append(node)
        return visit(self, node)

    monkeypatch.setattr(StatementValues, "statement", counting)
    read_source("x.c", text=text)
    assert 300 < len(visits) < 400  # twice nine times, were they all gone through


def test_nests_in_which_nothing_is_replaced_are_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counters that data end stay what they are: a loop around them asks no more of them than a statement does."""
    depth, visits = 8, [0]
    visit = StatementValues.statement

    def counting(self: StatementValues, node: c_ast.Node) -> list[c_ast.Node]:
        visits[0] += 1
        return visit(self, node)

    monkeypatch.setattr(StatementValues, "statement", counting)
    counts = []
    for loops in (depth, depth + 1):
        counters = [f"i{k}" for k in range(loops)]
        nest = "".join(f"for ({name} = 0; {name} < m[i0]; {name}++) {{\n" for name in counters)
        visits[0] = 0
        body = f"  int {', '.join(counters)};\n{nest}y[0] += x[i0];\n{'}' * loops}"
        read_source("x.c", text=f"void f(int n, int *m, double *x, double *y)\n{{\n{body}\n}}\n", auto=True)
        counts.append(visits[0])
    assert counts[1] < 1.5 * counts[0]


@pytest.mark.parametrize("call", ["p->each(p, k)", "each(p, k)", "other(k)"])
def test_nests_of_functions_that_call_others_are_not_gone_through(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What such a call may do no rewrite can take away, wherever its loop stands."""
    before = f"""
    struct s {{ void (*each)(struct s *, int); }};
    void other(int);
    static void row(struct s *p, int k, int n, void (*each)(struct s *, int)) {{
        for (int i = 0; i < n; i++) {{ {call}; k += 2 * n; }}
    }}"""
    body = "for (int i = 0; i < n; i++) row(p, i, n, each);"

    def never(self: StatementValues, node: c_ast.Node) -> list[c_ast.Node]:
        raise AssertionError("it is gone through")

    monkeypatch.setattr(StatementValues, "statement", never)
    text = f"{before}\nvoid f(struct s *p, int n, void (*each)(struct s *, int)) {{\n{body}\n}}\n"
    file = read_source("x.c", text=text, auto=True)
    assert file.scops == ()
    assert {d.code for d in file.diagnostics if d.severity == "remark"} == {"call"}


def test_products_of_sums_have_an_end() -> None:
    sums = [f"({x}0 + {x}1 + i)" for x in "abcdefgh"]
    codes = []
    for factors in (4, 8):
        names = ", ".join(f"int {x}0, int {x}1" for x in "abcdefgh")
        text = f"for (int i = 0; i < n; i++) if ({' * '.join(sums[:factors])} > 0) y[i] = 0;"
        file = read_source(
            "x.c", text=f"void f(int n, int *y, {names}) {{\n#pragma scop\n{text}\n#pragma endscop\n}}\n"
        )
        codes.append([d.code for d in file.diagnostics])
    assert codes == [[], ["too-complex"]]


def test_a_spent_limit_is_told_wherever_isl_notices_it() -> None:
    hard = "[n] -> { [i, j] : 0 <= i < n and exists (k : j = 3k) and j < 5n }"
    for operations in range(20, 300, 7):
        with pytest.raises(OperationLimitError), limited(operations):
            all(isl.Set(hard).complement() is not None for _ in range(50))
        number = isl.Val(12345)
        with pytest.raises(OperationLimitError), limited(operations):
            all(number.to_python() for _ in range(500))  # isl prints it, and says nothing where it does not
    with pytest.raises(isl.Error, match="syntax error"), limited():
        isl.Set("{ [i] : i >")
    with pytest.raises(TypeError, match="NoneType"), limited():
        int(None)  # type: ignore[call-overload]


def test_long_bodies_get_more_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyloop.frontend.reader._OPERATIONS", 0)
    lines = "".join(f"u[i][{k}] = v[i + {k}][{k} + 1] * {k}.5;\n" for k in range(60))
    body = f"for (int i = 0; i < n; i++) {{\n{lines}}}"
    text = f"void f(int n, double u[n][60], double v[n + 60][61])\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    (scop,) = read_source("x.c", text=text).scops
    assert len(scop.statements) == 60


def test_what_stands_before_a_mistake_is_not_parsed_again_with_what_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "typedef int T{0}; static T{0} f{0}(T{0} x) {{ return x + 1; }}\n"
    wrong = "int wrong{0} = ;\nUNKNOWN{0} *g{0};\n"
    text = "".join((right * 20 + wrong).format(*[k]) for k in range(20))
    text += "void h(int n, T7 *a) { for (int i = 0; i < n; i++) a[i] = f3(i); }\n"
    seen, token = [0], c_lexer.CLexer.token

    def counted(self: c_lexer.CLexer) -> object:
        seen[0] += 1
        return token(self)

    monkeypatch.setattr(c_lexer.CLexer, "token", counted)
    file = read_source("mistakes.c", text=text, auto=True)
    assert [scop.name for scop in file.scops] == ["h"]
    assert sum(d.code == "syntax" for d in file.diagnostics) == 20
    # An attempt ends at its first mistake; what it has passed is parsed once more by itself.
    assert seen[0] < 5 * sum(1 for _ in re.finditer(r"\w+|[^\w\s]", text))
