# ruff: noqa: E501  (inputs are shorter to read on one line)
"""The preprocessor against the system's: the same tokens; and places that lead back to the unchanged text."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from polyloop.frontend.preprocess import Options, predefined, preprocess, read_text
from polyloop.frontend.source import SourceFile, Token, tokenize

INPUTS = {
    "object macros": "#define A B\n#define B A + 1\nA B C\n#undef A\nA B\n",
    "recursion": "#define f(x) x f(x)\n#define g(x) f(g)(x)\nf(1) g(2) f f (3)\n",
    "arguments": "#define pair(x, y) <x|y>\npair(1, 2) pair(, ) pair((a, b), [c) pair(pair(1, 2), 3) pair(\n 4,\n 5)\n",
    "strings": '#define s(x) #x\n#define t(x) s(x)\n#define N 3\ns(N) t(N) s("a\\n" \'"\') s( a   b ) s()\n',
    "pasting": "#define c(a, b) a ## b\n#define ab 7\n#define x(a, b) c(a, b)\n#define A q\nc(a, b) c(A, B) x(A, 1) c(, z) c(+, +)\n",
    "variadic": '#define e(f, ...) g(f, ##__VA_ARGS__) h(__VA_ARGS__)\n#define n(args...) k(args)\ne("a") e("a", 1, 2) n() n(1, 2)\n',
    "deferred": "#define EMPTY\n#define DEFER(id) id EMPTY\n#define EXPAND(...) __VA_ARGS__\n#define A() 123\nDEFER(A)() EXPAND(DEFER(A)())\n",
    "name without call": "#define f(x) x\n#define g f\nf g (1) f\n(2) g;\n",
    "standard example": (
        "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n"
        "#define m(a) a(w)\n#define w 0,1\n#define t(a) a\nf(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\n"
        "g(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n"
    ),
    "conditions": (
        "#define V 3\n#if V > 2 && defined(V) && !defined W\nyes\n#elif 1\nno\n#else\nno\n#endif\n"
        "#ifndef V\nno\n#elif V == 3\n#if 0\n#bad\n#else\ninner\n#endif\n#else\nno\n#endif\n"
        "#if (V << 2 | 1) == 13 && 7 / 2 == 3 && -7 % 3 == -1 && 'A' == 65 && 0x10 == 020 && 1 ? 1 : 0\nfine\n#endif\n"
        "#if UNKNOWN || defined UNKNOWN\nno\n#endif\n#ifdef V // comment\n/* c */ok\n#endif\n"
    ),
    "comments": 'a/* x */b // y\n"/* no */" \'"\' // "z\n#define M /* 1 */ 2 /* 3\n*/ 4\nM\nc \\\n d\n#define L 1 + \\\n 2\nL\n',
    "empty directive": "#\n# \n#define X\nX a X\n",
    "lines": "__LINE__\n#define L __LINE__\nL L\n",
}  # fmt: skip


def own(text: str) -> list[Token]:
    result = preprocess(SourceFile("x.c", text), Options())
    assert not result.diagnostics
    return result.tokens


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("name", INPUTS)
def test_same_tokens_as_gcc(name: str, tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text(INPUTS[name])
    command = ["gcc", "-E", "-P", "-w", "x.c"]
    theirs = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60).stdout
    expected = [t.text for t in tokenize(SourceFile("", theirs)) if t.kind != "newline"]
    assert [t.text for t in own(INPUTS[name])] == expected


def test_places() -> None:
    text = "#define TWICE(x) ((x) + y)\n#define N 10\nint y = TWICE(\n  N + z);\r\n\tlast\n"
    places = {t.text: (t.location.line, t.location.column) for t in own(text)}
    assert places["int"] == (3, 1)
    # What comes out of a macro's body stands at its use, an argument where it is written.
    assert places["y"] == (3, 9)
    assert places["10"] == (4, 3)
    assert places["z"] == (4, 7)
    assert places["last"] == (5, 2)


def test_every_offset_is_right() -> None:
    text = "int a /* c */ = 0x1f; // d\nchar *s = \"x\\\"y\", c = '\\'';\n"
    for token in own(text):
        assert text.startswith(token.text, token.offset)
    assert [t.text for t in own(text)] == re.findall(
        r'"x\\"y"|\'\\\'\'|0x1f|\w+|[*=;,]', text.replace("/* c */", "").replace("// d", "")
    )


def test_byte_order_marks_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_bytes(b"\xef\xbb\xbf#define SIZE 3\n")
    (tmp_path / "f.c").write_bytes(b'\xef\xbb\xbf#include "part.h"\nint a[SIZE];\n')
    found = preprocess(SourceFile(str(tmp_path / "f.c"), read_text(tmp_path / "f.c")), Options())
    assert [token.text for token in found.tokens if token.text.strip()] == ["int", "a", "[", "3", "]", ";"]


def test_conditions_that_cannot_be_read_do_not_hold_and_are_closed() -> None:
    """With and without somewhere to look for headers: there, the missing macro is what a build has."""
    text = "#if PREREQ(3, 0)\nno\n#elif FLAG(2) || 1\nno\n#else\nyes\n#endif\n#if 1 +\nno\n#endif\nlast\n"
    for elsewhere, severity in ((None, "error"), (lambda name, including: None, "remark")):
        found = preprocess(SourceFile("x.c", text), Options(elsewhere=elsewhere))
        assert [token.text for token in found.tokens] == ["yes", "last"]
        expected = [("unknown-macro", severity, 1)] * 2 + [("bad-directive", "error", 8)]
        assert [d.code for d in found.diagnostics] == [code for code, _, _ in expected]
        assert [d.severity for d in found.diagnostics] == [kind for _, kind, _ in expected]
        assert found.diagnostics[0].message.startswith("PREREQ is no known macro")


def test_conditions_name_macros_with_arguments() -> None:
    text = "#define V(a) (a > 2)\n#define W V\n#if V(3) && W(3) && defined(V) && !defined(Z) && !__has_include(<z.h>)\n"
    assert [token.text for token in own(f"{text}yes\n#endif\n")] == ["yes"]


def test_macros_of_the_compiler_take_the_place_of_ours() -> None:
    defines, undefines = predefined({"__GNUC__=4", "__clang__=1", "__INT_MAX__=32767"})
    options = Options(defines=defines, undefines=undefines)
    text = "#ifdef __x86_64__\nno\n#endif\n__GNUC__ __clang__ __INT_MAX__ _Noreturn\n"
    found = preprocess(SourceFile("x.c", text), options)
    assert [token.text for token in found.tokens] == ["4", "1", "32767"]
    assert predefined(()) == ((), ())


def test_characters_without_a_sign() -> None:
    text = "char a; signed char b; unsigned char c; char const *d = 'e', f = '\\xff';\n"
    found = preprocess(SourceFile("x.c", text), Options(defines=("__CHAR_UNSIGNED__",)))
    expected = "unsigned char a ; signed char b ; unsigned char c ; unsigned char const * d = 'e' , f = 255 ;"
    assert [token.text for token in found.tokens] == expected.split()
