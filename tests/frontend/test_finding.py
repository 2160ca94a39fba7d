"""Regions that no pragmas mark: which statements they are, what is said of the loops that stay, and what it costs."""

from __future__ import annotations

import gc

import pytest
from pycparser import c_ast, c_parser

from polyloop.frontend import CFile, CSourceError, read_c, read_source
from polyloop.frontend.region import Region
from polyloop.frontend.scopes import walk_nodes
from polyloop.frontend.statements import StatementReader
from polyloop.lowering.run_time_tests import can_be_tested

HEAD = "#include <stdio.h>\n#include <math.h>\n#define FOR(i, n) for (int i = 0; i < (n); i++)\n#define PAIR(x) x x\n"


def read(body: str, signature: str = "int n, double *a, double *b") -> CFile:
    return read_source("x.c", text=f"{HEAD}void f({signature})\n{{\n{body}\n}}\n", auto=True)


def texts(file: CFile) -> list[str]:
    """What is replaced by each region."""
    sources = [scop.source for scop in file.scops if scop.source is not None]
    return [source.text[source.begin : source.end] for source in sources]


def codes(file: CFile) -> list[tuple[str, int]]:
    return [(d.code, d.location.line - 7) for d in file.diagnostics]


LOOP = "for (int i = 0; i < n; i++) a[i] = b[i];"
PRINTS = 'for (int i = 0; i < n; i++) printf("%d", i);'

TEAM = f"#pragma omp parallel for\n{LOOP}"

# name -> (the function's body, with the region's text in brackets [[ ]]; kinds and lines of remarks)
FOUND: dict[str, tuple[str, list[tuple[str, int]]]] = {
    "one loop": ("double t = 0;\n[[" + LOOP + "]]\nprintf(\"%f\", t);", []),
    "a run": ("[[" + LOOP + "\n" + LOOP + "]]", []),
    "what stands between": ("double s;\ns = 0;\n[[" + LOOP + "\nb[0] = 1;\n" + LOOP + "]]\nb[1] = s;", []),
    "a first value": ("double s, t;\nt = 1;\n[[s = 0;\nFOR(i, n) s += a[i];]]\na[0] = s + t;", []),
    "a bound of its own": ("int m;\nm = getchar();\n[[for (int i = 0; i < m; i++) a[i] = 1;]]", []),
    "all rows at once": (
        "int m = getchar();\n[[for (int i = 0; i < n * m; i++) a[i] = 0;\n"
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * m + j] += b[j];]]", []),
    "one long row": (
        "int m = getchar();\n[[for (int i = 0; i < n * m + 1; i++) a[i] = 0;]]\n"
        "[[for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * m + j] += b[j];]]", []),
    "a call between": ("[[" + LOOP + ']]\nputs("");\n[[' + LOOP + "]]", []),
    "a declaration between": ("[[" + LOOP + "]]\nint m = n;\n[[" + LOOP + "]]\na[m] = 0;", []),
    "inside of what is refused": (
        "for (int t = 0; t < n; t++) {\nprintf(\"%d\", t);\n[[" + LOOP + "]]\n}", [("call", 1)]),
    "inside of while": ("while (n > 0) {\n[[" + LOOP + "]]\nn /= 2;\n}", []),
    "a while loop": ("while (getchar())\nn++;", [("call", 0)]),
    "inside of if": ("if (getchar()) {\n[[" + LOOP + "]]\n} else\n[[" + LOOP + "]]", []),
    "inside of switch": (
        "switch (n) {\ncase 1:\n[[" + LOOP + "]]\nbreak;\ndefault:\n" + PRINTS + "\n}", [("call", 5)]),
    "behind a label": ("if (n > 3) goto out;\nout: [[" + LOOP + "]]", []),
    "beside what is refused": (
        "[[" + LOOP + "]]\n" + PRINTS + "\n[[" + LOOP + "\n" + LOOP + "]]", [("call", 1)]),
    "many refused": (
        PRINTS + "\n" + PRINTS + "\n[[" + LOOP + "]]\n" + PRINTS, [("call", 0), ("call", 1), ("call", 3)]),
    "a jump out": (
        "int i;\n[[" + LOOP + "]]\n[[for (i = 0; i < n; i++) { a[i] = 0; if (i == 3) goto out; }]]\n"
        "a[0] = 1;\nout: a[i] = 1;",
        []),
    "a return": ("[[for (int i = 0; i < n; i++) if (a[i] == 3) return;]]\n[[" + LOOP + "]]", []),
    "a goto into it": ("goto in;\nfor (int i = 0; i < n; i++) { in: a[i] = 0; }", [("goto", 0)]),
    "pragmas": (
        "[[" + LOOP + "]]\n#pragma scop\n[[" + LOOP + "\n]]#pragma endscop\n[[" + LOOP + "]]", []),
    "a pragma in a block": ("for (int t = 0; t < n; t++) {\n#pragma scop\n[[" + LOOP + "\n]]#pragma endscop\n}", []),
    "a macro's loop": ("[[FOR(i, n) a[i] = 0;]]", []),
    "all of a macro's use": ("[[PAIR(" + LOOP + ")]]", []),
    "a definition inside": ("[[for (int i = 0; i < n; i++)\n#define X 1\na[i] = X;\n" + LOOP + "]]", []),
    "a condition inside": ("[[for (int i = 0; i < n; i++) {\n#ifdef X\nb[i] = 1;\n#else\na[i] = 1;\n#endif\n}]]", []),
    "a condition that is cut": ("#if 1\nfor (int i = 0; i < n; i++)\n#endif\na[i] = 1;", [("directive", 1)]),
    "hints": ("[[#pragma GCC ivdep\n/* two\nlines */\n#pragma GCC unroll 4\n" + LOOP + "]]", []),
    "parallel": ("[[" + LOOP + "]]\n[[" + TEAM + "]]\n[[" + LOOP + "]]", []),
    "parallel ones": ("[[" + TEAM + "\n" + TEAM + "]]", []),
    "inside of parallel": (
        "#pragma omp parallel for\nfor (int t = 0; t < n; t++) {\nputs(\"\");\n[[" + LOOP + "]]\n}", [("call", 2)]),
    "shared by a team": (
        "#pragma omp parallel\n{\n#pragma omp barrier\n[[#pragma omp for\n" + LOOP + "]]\n[[#pragma omp for\n" + LOOP
        + "]]\n#pragma omp single\n[[" + LOOP + "]]\n}", []),
    "collapsed": (
        "#pragma omp parallel for collapse(2)\nfor (int i = 0; i < n; i++)\nfor (int j = 0; j < n; j++) puts(\"\");",
        [("call", 2)]),
    "collapsed around": (
        "#pragma omp parallel for collapse(2)\nfor (int t = 0; t < n; t++)\nfor (int i = 0; i < n; i++) { puts(\"\"); "
        + LOOP + "}", [("call", 2)]),
    "on a device": ("#pragma acc kernels\n{\n" + LOOP + "\n}", [("openmp", 1)]),
    "loops apart": ("[[FOR(i, 9) FOR(j, 9) a[i] += b[j];]]\n;\n", []),
    "assembly": ('for (int i = 0; i < n; i++) { __asm__ volatile ("nop"); a[i] = 0; }', [("assembly", 0)]),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_regions_and_remarks(name: str) -> None:
    body, remarks = FOUND[name]
    file = read(body.replace("[[", "").replace("]]", ""))
    expected = [part.partition("]]")[0] for part in body.split("[[")[1:]]
    assert texts(file) == expected
    assert codes(file) == remarks


def test_many_loops_make_several_regions() -> None:
    file = read("\n".join([LOOP] * 40))
    assert [text.count("for") for text in texts(file)] == [16, 16, 8]
    assert [scop.name for scop in file.scops] == ["f", "f_2", "f_3"]


def test_names_go_on_behind_those_with_pragmas() -> None:
    file = read(f"{PRINTS}\n#pragma scop\n{PRINTS}\n#pragma endscop\n{LOOP}\n")
    assert [scop.name for scop in file.scops] == ["f_2"]
    assert codes(file) == [("call", 0), ("call", 2)]


def test_only_the_function_that_is_asked_for() -> None:
    text = f"void f(int n, double *a, double *b) {{ {LOOP} }}\nvoid g(int n, double *a, double *b) {{ {LOOP} }}\n"
    assert [scop.name for scop in read_source("x.c", "g", text=text, auto=True).scops] == ["g"]
    with pytest.raises(CSourceError, match=r"^x\.c: there are no loops in the function h$"):
        read_c("x.c", "h", text=text, auto=True)


def test_reads_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement is read a few times, whatever stands around it; a function without loops not at all."""
    entered: list[object] = []
    enter = StatementReader._for

    def counted(self: StatementReader, node: c_ast.For) -> None:
        entered.append(node)
        enter(self, node)

    monkeypatch.setattr(StatementReader, "_for", counted)
    read('a[0] = 1;\nif (n > 3) a[1] = 2;\nputs("");')
    assert entered == []
    file = read("\n".join([LOOP, PRINTS, LOOP, LOOP, PRINTS] * 6))
    assert len(file.scops) == 12
    assert len(entered) <= 6 * 30  # as they stand, and rewritten


def test_walks_go_in_the_order_of_children() -> None:
    text = "int z[3] = {[1] = 2}; struct s { int a, b; } t = {.b = 1};\n" + (
        "int q(a, b) int a; double *b; { switch (a) { case 1: a = sizeof(int); default: ; } do a++; while (b[a] > 0);"
        " for (int i = 0, j; i < a; i++) if (i ? 1 : 0) return -t.a; else b[i] = (double)q(1, b); x: return 0; }\n"
    )

    def walked(node: c_ast.Node) -> list[c_ast.Node]:
        return [node, *(inner for _, child in node.children() for inner in walked(child))]

    tree = c_parser.CParser().parse(text)
    assert list(map(id, walk_nodes(tree))) == list(map(id, walked(tree)))


def test_inner_regions_where_no_test_can_bound_what_the_outer_one_touches() -> None:
    inner = "for (int j = 0; j < m; j++)\n b[i * m + j] = a[j];"
    scatter = "for (int i = 0; i < n; i++) { if (a[i] > 0) y[next[i]] = a[i]; INNER }"
    body = f"{LOOP}\n{scatter.replace('INNER', inner)}\n{scatter.replace('INNER', '')}"
    text = f"void f(int n, int m, const int *next, const double *a, double *b, double *y)\n{{\n{body}\n}}\n"
    text = text.replace(LOOP, "for (int i = 0; i < n; i++) b[i] = a[i];")
    file = read_source("x.c", text=text, auto=True, usable=can_be_tested)
    # Where nothing inside is better, it stays: no file could be written with it.
    assert texts(file) == ["for (int i = 0; i < n; i++) b[i] = a[i];", inner]
    assert [d.code for d in file.diagnostics] == ["unbounded", "unbounded"]
    assert ["inner loops" in d.message for d in file.diagnostics] == [True, False]
    # Pointers may be said not to overlap.
    assert len(read_source("x.c", text=text, auto=True).scops) == 1


def test_nothing_is_left_of_regions_that_are_refused() -> None:
    gc.collect()
    gc.disable()
    try:
        file = read("for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n        a[i * j * j] = g(b[j]);")
        left = sum(issubclass(type(each), Region) for each in gc.get_objects())
    finally:
        gc.enable()
    assert file.diagnostics
    assert left == 0
