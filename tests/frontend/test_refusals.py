# ruff: noqa: E501  (inputs are shorter to read on one line)
"""Ill-formed and unsupported C: the kind of message, its exact place, and its wording (golden/refusals.txt).

In every input an ``@`` stands before the token that the message must point at. After a deliberate change of wording,
``pytest --update-golden`` writes the golden file anew; read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.frontend import CFile, read_source
from tests.helpers.golden import Golden

GOLDEN = Path(__file__).with_name("golden") / "refusals.txt"


def in_function(body: str, signature: str = "int n, double *a, int *b", before: str = "") -> str:
    return f"{before}void f({signature})\n{{\n  int i, j;\n#pragma scop\n{body}\n#pragma endscop\n}}\n"


def loop(body: str, **keywords: str) -> str:
    return in_function(f"  for (i = 0; i < n; i++)\n    {body}", **keywords)


# name -> (kind of message, input)
REFUSED: dict[str, tuple[str, str]] = {
    # bounds, conditions and subscripts that are not static
    "data bound": ("data-dependent", in_function("  for (i = 0; i < @b[0]; i++)\n    a[i] = b[0] = 0;")),
    "floating-point subscript": ("type", loop("b[@a[i]] = 0;")),
    "subscript with an unknown function": ("call", loop("a[@g(b[i])] = 0;", before="int g(int);\n")),
    "condition with effect": ("side-effect", loop("if (i < 3 || @a[i]++ > 0)\n      a[i] = 0;")),
    "changing bound": ("data-dependent", in_function("  for (i = 0; i < j; i++) {\n    a[i] = 0;\n    j = @b[i];\n  }")),
    "product bound": ("non-affine", in_function("  for (i = 0; i < n; i++)\n    for (j = 0; j < @i * n; j++)\n      a[j] = 0;")),
    "division by parameter": ("non-affine", in_function("  for (j = 1; j < n; j++)\n    for (i = 0; i < 9 / @j; i++)\n      b[i] = 0;")),
    "modulo by zero": ("non-affine", loop("b[@i % 0] = 0;")),
    "shift by parameter": ("non-affine", in_function("  for (j = 1; j < n; j++)\n    for (i = 0; i < @9 >> j; i++)\n      b[i] = 0;")),
    "exclusive or": ("non-affine", in_function("  for (j = 1; j < n; j++)\n    for (i = 0; i < (@j ^ 5); i++)\n      b[i] = 0;")),
    "float in a bound": ("non-affine", in_function("  for (i = 0; i < (int)(n * @0.5); i++)\n    b[i] = 0;")),
    "float bound": ("floating-point", in_function("  for (i = 0; i < @x; i++)\n    a[i] = 0;", signature="double x, double *a")),
    "unknown function in bound": ("call", in_function("  for (i = 0; i < @g(n); i++)\n    a[i] = 0;", before="int g(int);\n")),
    # loops
    "while": ("while", in_function("  @while (n > 0)\n    a[n] = 0;")),
    "do": ("while", in_function("  @do\n    a[n] = 0;\n  while (n > 0);")),
    "break": ("break", loop("{ a[i] = 0; if (i > j) { out: @break; } b[i] = 1; }")),
    "continue": ("continue", loop("{ if (i > j) { next: @continue; } b[i] = 1; }")),
    "goto": ("goto", loop("{ a[i] = 0; @goto out; }\n  if (n > 3) { out: b[0] = 0; }")),
    "return": ("return", loop("switch (i) { case 1: @return; case 2: a[i] = 0; case 3: a[i]++; }")),
    "switch into a block": ("switch", loop("@switch (i) { case 0: a[i] = 0; if (n) { case 1: a[i] += 1; } }")),
    "switch out of a block that hides a name": (
        "switch",
        loop("@switch (i) { case 0: { int n = 7; if (j > 2) break; a[i] = n; } b[i] = n; break; default: b[i] = 0; }"),
    ),
    "two counters": ("for-header", in_function("  for (i = 1, j = 0; i < n; @i *= 2)\n    a[i] = 0;")),
    "two steps": ("for-header", in_function("  for (i = 1; i < n; @i *= 2, j++)\n    a[i] = 0;")),
    "no start": ("for-header", in_function("  @for (; i < n; i *= 2)\n    a[i] = 0;")),
    "no condition": ("for-header", in_function("  @for (i = 0; ; i++)\n    a[i] = 0;")),
    "no step": ("for-header", in_function("  @for (i = 0; i < n; )\n    a[i] = 0;")),
    "parametric step": ("for-header", in_function("  for (i = 1; i < n; i++)\n    for (j = 0; j < n; @j += i)\n      a[j] = 0;")),
    "multiplied step": ("for-header", in_function("  for (i = 1; i < n; @i *= 2)\n    a[i] = 0;")),
    "zero step": ("for-header", in_function("  for (i = 0; i < n; @i += 0)\n    a[i] = 0;")),
    "counter changed": ("counter", loop("{ a[i] = 0; @i *= 2; }")),
    "counter set": ("counter", loop("{ a[i] = 0; if (i > 2) @i = n; }")),
    "double counter": ("floating-point", in_function("  for (double @x = 0; x < n; x++)\n    a[0] += x;")),
    "counter used twice": ("counter", loop("for (@i = 0; i < 3; i++)\n      a[i] = 0;")),
    "global counter": ("counter", in_function("  for (@k = 0; k % 7 != 5; k++)\n    a[k] = 0;", before="int k;\n")),
    "volatile counter": ("volatile", in_function("  for (volatile int @k = 0; k < n; k++)\n    a[k] = 0;")),
    "unsigned wraps": ("wraps", in_function("  for (unsigned k = n; @k >= 0; k--)\n    a[k] = 0;")),
    "char wraps": ("wraps", in_function("  for (unsigned char k = 0; @k < 300; k++)\n    a[k] = 0;")),
    "unsigned ends by wrapping": ("wraps", in_function("  for (unsigned k = n - 1; @k < n; k--)\n    a[k] = 0;")),
    "endless": ("endless", in_function("  for (i = 0; @i != 7; i += 2)\n    a[i] = 0;")),
    "counter read in region": ("counter-value", in_function("  for (i = 0; i % 7 != 5; i++)\n    a[i] = 0;\n  a[@i] = 1;")),
    "counter read after": ("counter-value",
        "int f(int n, double *a)\n{\n  int i;\n#pragma scop\n  for (i = 0; i % 7 != 5; i++)\n    a[i] = 0;\n#pragma endscop\n"
        "  return @i;\n}\n"),
    # statements and expressions
    "unknown call": ("call", loop("@g(i);", before="void g(int);\n")),
    "unknown call's value": ("call", loop("a[i] = 1 + @g(i);", before="double g(int);\n")),
    "builtin": ("call", loop("a[i] = @__builtin_pow(a[i], 0.3);")),
    "call through pointer": ("call", loop("a[i] = @g(i);", signature="int n, double *a, double (*g)(int)")),
    "printf": ("call", loop('@printf("%d", i);', before="#include <stdio.h>\n")),
    "assembly": ("assembly", loop('{ a[i] = 0; @__asm__ volatile("nop"); }')),
    "assignment in expression": ("side-effect", loop("a[i] = j + (@j = 2);")),
    "increment in subscript": ("side-effect", loop("a[@j++] = a[j];")),
    "side effect in condition": ("side-effect", loop("if (i < 3 && @j++ < j)\n      a[i] = 0;\n    else\n      a[i] = 1;")),
    "comma": ("comma", loop("a[i] = (@b[0], 1);")),
    "address": ("address", loop("a[i] = &@a[i] != 0;")),
    "pointer arithmetic": ("pointer", loop("(@i > 3 ? a : a)[i] = 0;")),
    "pointer moves": ("pointer", loop("{ *@a = 0; a = i > 3 ? a : a + 1; }")),
    "pointer as number": ("pointer", loop("@a = 0;")),
    "rows through pointers": ("pointer-rows", loop("{ @a[i][0] = 0; a[i] = a[0]; }", signature="int n, double **a")),
    "too few subscripts": ("pointer", loop("a[i][0] = 1 + @a[i];", signature="int n, double a[n][n]")),
    "too many subscripts": ("type", loop("@a[i][0] = 0;")),
    "structure": ("struct", loop("s.x = @s.y;", before="union s { int x; float y; } s;\n")),
    "structure pointer": ("struct", loop("a[i] = @s->x;", signature="int n, double *a, struct s *s", before="struct s;\n")),
    "structure bound": ("struct", in_function("  for (i = 0; i < @s->n; i++)\n    a[i] = 0;", signature="double *a, volatile struct s *s", before="struct s { int n; };\n")),
    "volatile array": ("volatile", loop("@a[i] = 0;", signature="int n, volatile double *a")),
    "long double": ("type", loop("@a[i] = 0;", signature="int n, long double *a")),
    "long double literal": ("type", loop("a[i] = @1.0L;")),
    "complex": ("type", loop("@a[i] = 0;", signature="int n, long double _Complex *a")),
    "vector type": ("type", loop("a[i] = @a[i];", signature="int n, v4 *a", before="typedef double v4 __attribute__((vector_size(32)));\n")),
    "bits of a float": ("type", loop("a[i] = @a[i] & 1;")),
    "undeclared": ("undeclared", loop("a[i] = @zz;")),
    "undeclared bound": ("undeclared", in_function("  for (i = 0; i < @zz; i++)\n    a[i] = 0;")),
    "local used after": ("declaration",
        "double f(int n, double *a)\n{\n#pragma scop\n  double t = a[n];\n#pragma endscop\n  return @t;\n}\n"),
    "static local": ("declaration", loop("{ static double @t; t = i; a[i] = t; }")),
    "local pointer": ("pointer", loop("{ double @*p = i > 3 ? a : 0; p[i] = 0; }")),
    "subscript always outside": ("out-of-bounds", in_function("  for (i = 0; i < 9; i++)\n    @t[i + 8] = 0;", before="double t[8];\n")),
    "extent changes": ("extent",
        "void f(int n, double a[n][@n])\n{\n  n = 3;\n#pragma scop\n  for (int i = 0; i < n; i++)\n    a[i][0] = 0;\n#pragma endscop\n}\n"),
    "extent may change": ("extent",
        "void g(int *);\nvoid f(int n, double a[n][@n])\n{\n  g(&n);\n#pragma scop\n  for (int i = 0; i < n; i++)\n    a[i][0] = 0;\n#pragma endscop\n}\n"),
    "macro points to its use": ("call", loop("a[i] = @AT(i);", before="#define AT(x) index_of(x)\nint index_of(int);\n")),
    "nested too deeply": ("too-deep", in_function("  a[0] = 1" + " + 1" * 3000 + ";").replace("#pragma scop", "@#pragma scop")),
    "empty": ("empty", "void f(void)\n{\n@#pragma scop\n  ;\n#pragma endscop\n}\n"),
    # pragmas, directives, syntax
    "pragma of many loops": ("pragma", loop("a[i] = 0;").replace("#pragma scop", "#pragma omp target teams \\\n    loop  // see below\n@#pragma scop")),
    "no endscop": ("pragma", "void f(int n, double *a)\n{\n@#pragma scop\n  a[0] = n;\n}\n"),
    "no scop": ("pragma", "void f(int n, double *a)\n{\n  a[0] = n;\n@#pragma endscop\n}\n"),
    "nested scop": ("pragma", "void f(double *a)\n{\n#pragma scop\n  a[0] = 1;\n@#pragma scop\n  a[1] = 1;\n#pragma endscop\n}\n"),
    "unbalanced": ("pragma", "void f(int n, double *a)\n{\n@#pragma scop\n  for (int i = 0; i < n; i++) {\n    a[i] = 1;\n#pragma endscop\n  }\n}\n"),
    "include inside": ("directive", in_function("@#include <math.h>\n  a[3] = 0;")),
    "if cut": ("directive", "void f(double *a)\n{\n#if 1\n#pragma scop\n  a[0] = 1;\n@#else\n#pragma endscop\n#endif\n#pragma endscop\n}\n"),
    "syntax": ("syntax", in_function("  for (i = 0; i < n; i++@;\n    a[i] = 0;")),
    "syntax elsewhere": ("syntax", "int g( @{ }\n" + loop("a[i] = 0;")),
    "unknown type": ("unknown-type", "void f(int n, const @uint8_t *a)\n{\n}\n" + loop("a[i] = 0;").replace("f(", "g(")),
    "unknown type of a variable": ("unknown-type", loop("{ @real t = i; a[i] = t; }")),
    "unknown type of a counter": ("unknown-type", in_function("  for (@index_t k = 0; k < n; k++)\n    a[k] = 0;")),
    "unknown type at the start": ("unknown-type", "@real g(int n)\n{ return 0; }\n" + loop("a[i] = 0;")),
    "unknown word": ("unknown-type", "@complex double z;\n" + loop("a[i] = 0;")),
    "no declaration": ("syntax", "@int g(int n, )\n{ return 0; }\n" + loop("a[i] = 0;")),
    "loop outside": ("syntax", "#pragma scop\n@for (int i = 0; i < 9; i++)\n  a[i] = 0;\n#pragma endscop\n"),
    "ends early": ("syntax", "void f(int n, double *a)\n{\n#pragma scop\n  a[0] = n@;\n"),
    "missing include": ("no-include", '#include @"nowhere.h"\n' + loop("a[i] = 0;")),
    "error directive": ("error-directive", "@#error no\n" + loop("a[i] = 0;")),
    "wrong macro call": ("macro-call", "#define TWO(x, y) x + y\n" + loop("a[i] = @TWO(1);")),
    "if without endif": ("bad-directive", "#@if 1\n" + loop("a[i] = 0;")),
}  # fmt: skip


def read(name: str) -> tuple[CFile, tuple[int, int]]:
    """The file as read, and the marked place."""
    marked = REFUSED[name][1]
    assert marked.count("@") == 1, name
    before = marked[: marked.index("@")]
    place = before.count("\n") + 1, len(before) - before.rfind("\n")
    return read_source(f"{name.replace(' ', '_')}.c", text=marked.replace("@", "")), place


@pytest.mark.parametrize("name", REFUSED)
def test_kind_and_place(name: str) -> None:
    file, place = read(name)
    code = REFUSED[name][0]
    found = [(d.code, (d.location.line, d.location.column)) for d in file.diagnostics]
    assert (code, place) in found


def test_wording(golden: Golden) -> None:
    text = "".join(f"=== {name}\n" + "".join(d.render() + "\n" for d in read(name)[0].diagnostics) for name in REFUSED)
    golden.check(GOLDEN, text)


LEFT_OVER = ["syntax elsewhere", "missing include", "error directive", "if without endif"]
LEFT_OVER += ["unknown type", "unknown type at the start", "unknown word", "no declaration"]


@pytest.mark.parametrize("name", LEFT_OVER)
def test_the_rest_is_still_read(name: str) -> None:
    assert len(read(name)[0].scops) == 1


def test_a_region_of_an_included_file(tmp_path: Path) -> None:
    """It is no part of the text that the output replaces."""
    header = tmp_path / "blur.h"
    header.write_text(loop("a[i] = 0;"))
    file = read_source(tmp_path / "main.c", text='#include "blur.h"\n' + loop("a[i] = 1;").replace("f(", "g("))
    assert [scop.name for scop in file.scops] == ["g"]
    (remark,) = file.diagnostics
    assert (remark.severity, remark.code) == ("remark", "included")
    assert (remark.location.file, remark.location.line) == (str(header), 4)


def test_the_pragma_operator_marks_no_region() -> None:
    inside = loop('{ _Pragma("omp simd") a[i] = 0; }')
    assert len(read_source("f.c", text='void g(void) { _Pragma("scop") }\n' + inside).scops) == 1
