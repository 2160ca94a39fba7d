"""Directives of OpenMP: what a region keeps of them, and what is refused for which reason."""

from __future__ import annotations

import pytest

from polyloop.frontend import CFile, read_source
from polyloop.scop.program import SourceRegion, Team
from polyloop.support.compilers import NO_OPENMP, reading_options

HEAD = """\
#include <stdio.h>
static double total;
static int mine;
#pragma omp threadprivate(mine)
static void add(double *a)
{
#pragma omp atomic
  a[0] += 1;
}
"""
LOOP = "for (i = 0; i < n; i++)\n    { t = b[i]; a[i] = t * t; }"
OTHER = LOOP.replace("t", "s")


def read(body: str, marked: bool = False) -> CFile:
    body = f"#pragma scop\n{body}\n#pragma endscop" if marked else body
    text = (
        f"{HEAD}double f(int n, double *a, double *b)\n{{\n  int i, j;\n  double t, s = 0;\n{body}\n  return s;\n}}\n"
    )
    return read_source("x.c", text=text, auto=not marked)


def source(body: str, marked: bool = False) -> SourceRegion:
    (scop,) = read(body, marked).scops
    assert scop.source is not None
    return scop.source


def team(body: str, marked: bool = False) -> Team | None:
    return source(body, marked).team


# The words behind #pragma omp -> what of them our own directive says.
KEPT = {
    "parallel for private(t)": Team((), clauses=""),
    "parallel for simd private(j, t) schedule(static) default(none) shared(a, b, n)": Team(()),
    "parallel for lastprivate(t), schedule(dynamic, 16) proc_bind(close)": Team(
        (), clauses="schedule(dynamic) proc_bind(close)"
    ),
    "parallel for private(t) schedule( static , 1 )": Team((), clauses="schedule(static, 1)"),
    "parallel for private(t) num_threads(4) if(parallel: n > 10 && n != 99)": Team(
        (), threads=4, condition="n > 10 && n != 99"
    ),
    "for private(t) nowait": Team((), shared=True),
    "for simd": Team((), shared=True),
}


@pytest.mark.parametrize("words", KEPT)
@pytest.mark.parametrize("marked", [False, True], ids=["found", "marked"])
def test_clauses_that_are_kept(words: str, marked: bool) -> None:
    found = team(f"#pragma omp {words}\n{LOOP}", marked)
    assert found is not None
    assert found == Team(((f"omp {words}", 14 + marked),), *_rest(KEPT[words]))


def _rest(kept: Team) -> tuple[bool, str, int, str]:
    return kept.shared, kept.clauses, kept.threads, kept.condition


def test_hints_and_reductions() -> None:
    sums = "for (int k = 0; k < n; k++) s += a[k];"
    assert team(f"#pragma omp simd reduction(+:s)\n{sums}") is None
    found = team(f"#pragma omp parallel for reduction(+ : s)\n{sums}")
    assert found is not None
    assert found.reductions == ("reduction(+ : s)",)


def test_what_each_thread_has_is_no_memory() -> None:
    def local(words: str, body: str = LOOP) -> list[str]:
        (scop,) = read(f"#pragma omp {words}\n{body}").scops
        return [array.name for array in scop.arrays if array.local]

    assert local("parallel for private(t)") == ["t"]
    assert local("parallel for") == []
    assert local("for") == ["t"]  # the function's own, of each thread that calls it
    assert local("for", LOOP.replace("t = b[i];", "if (b[i] > 0) t = b[i];")) == []
    assert local("for lastprivate(s)", OTHER) == []


# The region's text, with @ before the place of the remark -> the reason. One that no pragmas mark is looked into.
REFUSED = {
    "private, read later": (
        f"#pragma omp parallel for private(s)\n{OTHER}",
        "declare it in the loop, or say lastprivate(s)",
    ),
    "private, of the file": (
        "#pragma omp parallel for private(total)\n@for (i = 0; i < n; i++) { total = b[i]; a[i] = total; }",
        "declare it in the loop, or say lastprivate(total)",
    ),
    "firstprivate": (
        f"#pragma omp parallel for firstprivate(t)\n@{LOOP}",
        "copy it to a variable that is declared in the loop",
    ),
    "threadprivate": (
        "#pragma omp parallel for\n@for (i = 0; i < n; i++) a[i] = mine;",
        "each has its own mine (threadprivate)",
    ),
    "number of threads": (
        f"#pragma omp parallel for private(t) num_threads(n)\n@{LOOP}",
        "set OMP_NUM_THREADS, or write a number",
    ),
    "condition": (
        f"#pragma omp parallel for private(t) if(a[0] > 1)\n@{LOOP}",
        "is more than a comparison of variables; put it into one before",
    ),
    "ordered": (
        f"#pragma omp parallel for private(t) ordered\n@{LOOP}",
        "the clause ordered means nothing here; leave it out",
    ),
    "copies": (f"#pragma omp parallel for copyin(mine)\n@{LOOP}", "the clause copyin means nothing here; leave it out"),
    "default": (
        f"#pragma omp parallel for default(firstprivate)\n@{LOOP}",
        "means copies; name the variables in clauses of their own",
    ),
    "private in lanes": (f"#pragma omp simd private(s)\n{OTHER}", "declare it in the loop, or say lastprivate(s)"),
    "a macro": (f"#pragma omp parallel for THREADS\n@{LOOP}", "the clause THREADS means nothing here; leave it out"),
    "atomic": (
        "@for (i = 0; i < n; i++)\n#pragma omp atomic\na[0] += b[i];",
        "says more than that a loop runs in threads; it stays",
    ),
    "tasks": (f"#pragma omp taskloop\n@{LOOP}", "says more than that a loop runs in threads; it stays"),
    "not before its loop": (
        f"#pragma omp parallel for\n@s = 1;\n{LOOP}",
        "does not stand before a for loop of the region",
    ),
    "an operator": (f'_Pragma("omp parallel for")\n{LOOP}', "write _Pragma as #pragma in a line of its own"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_reasons(name: str) -> None:
    body, reason = REFUSED[name]
    file = read(body.replace("@", ""), marked=True)
    (remark,) = file.diagnostics
    assert file.scops == ()
    assert remark.code == "openmp"
    assert reason in remark.message
    if "@" in body:
        assert remark.location.line == 15 + body[: body.index("@")].count("\n")


def test_directives_that_mean_nothing() -> None:
    """To a compiler without OpenMP the loops are loops; what stands around them is there as it was."""
    body = f"#  pragma omp parallel \\\n  private(t)\n{{\n#pragma omp single\n{LOOP}\n#pragma GCC ivdep\n{OTHER}\n}}"
    body = f"{body}\n#pragma omp taskloop\n{LOOP}\n"
    assert read(body).diagnostics
    text = f"void f(int n, int i, double s, double t, double *a, double *b)\n{{\n{body}\n}}\n"
    file = read_source("x.c", text=text, auto=True, defines=reading_options("gcc -fopenmp -fno-openmp")[0])
    assert file.diagnostics == ()
    assert [scop.source.team for scop in file.scops if scop.source is not None] == [None]
    lines = [line for line in text.split("\n") if "omp" not in line and "private" not in line]
    assert [line for line in file.text.split("\n") if line] == [line for line in lines if line]
    assert file.text.count("\n") == text.count("\n")
    assert NO_OPENMP not in reading_options("gcc -fno-openmp -fopenmp")[0]


def test_a_region_of_several_loops() -> None:
    first = f"#pragma omp parallel for private(t)\n{LOOP}\n"
    assert len(read(first + first).scops) == 1
    assert len(read(first + first.replace("(t)", "(t) schedule(guided)")).scops) == 2
    assert len(read(first + LOOP + "\n" + first).scops) == 3
    mixed = team(first + "for (i = 0; i < n; i++) b[i] = i;\n" + first, marked=True)
    assert mixed is not None
    assert (len(mixed.directives), mixed.others) == (2, 1)
    refused = read(first + first.replace("parallel for", "for"), marked=True).diagnostics
    assert "is a region of its own" in refused[0].message


def test_time_loops_keep_the_directives_inside() -> None:
    found = team(f"for (j = 0; j < n; j++)\n#pragma omp parallel for private(t)\n{LOOP}")
    assert found is not None
    assert found.directives == (("omp parallel for private(t)", 15),)
    assert (
        "is a region of its own"
        in read(f"for (j = 0; j < n; j++)\n#pragma omp for\n{LOOP}", True).diagnostics[0].message
    )


def test_functions_with_directives_are_not_inlined() -> None:
    """What they say of statements, such as that threads wait for each other, they say where these stand."""
    file = read("for (i = 0; i < n; i++) add(a);")
    assert file.scops == ()
    assert [d.code for d in file.diagnostics] == ["call"]
    assert (
        len(
            read_source(
                "x.c",
                text=HEAD.replace("#pragma omp atomic\n", "")
                + ("void f(int n, double *a) { for (int i = 0; i < n; i++) add(a + i); }\n"),
                auto=True,
            ).scops
        )
        == 1
    )


def test_pragmas_before_the_region_go_where_its_loop_goes() -> None:
    text = f"{HEAD}void f(int n, double *a)\n{{\n#pragma omp parallel for\n#pragma GCC ivdep\n  #pragma scop\n" + (
        "for (int i = 0; i < n; i++) a[i] = i;\n#pragma endscop\n}\n"
    )
    (scop,) = read_source("x.c", text=text).scops
    assert scop.source is not None
    assert scop.source.team is not None
    assert scop.source.above is not None
    assert text[slice(*scop.source.above)] == "#pragma omp parallel for\n#pragma GCC ivdep\n"
    assert scop.source.loops.startswith("#pragma omp parallel for\n#pragma GCC ivdep\nfor (int i")
