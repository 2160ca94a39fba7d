"""Macros with loops in their bodies, and files that are included for their text: written out, where loops in them are
replaced."""

from __future__ import annotations

import ctypes
from collections import Counter
from pathlib import Path

import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import CFile, read_source, reader
from polyloop.frontend.parse import ParsedFile, StandardC
from polyloop.frontend.parse import parse as parse_all
from polyloop.frontend.regions import Found
from polyloop.frontend.scopes import Refusal
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from tests.frontend.emission import compiled, needs_gcc

TEXT = """\
#define TWICE(x) ((x) + (x))
#define SCALE(T, SUFFIX) \\
    void scale_##SUFFIX(T *x, int n) { \\
        if (n < 0) return; else n += 0; \\
        for (int i = 0; i < n; i++) x[i] = TWICE(x[i]) - -1; \\
    }
SCALE(float, f)
SCALE(double,
      d) /* more */
#define PAIR(first, second) first; second
void pair(double *x, int n)
{
    if (n > 0) { PAIR(x[0] = 3; while (x[0] > 100) x[0] = 5, for (int i = 0; i < n; i++) x[i] += 1); }
}
void last(double *x, int n)
{
    for (int i = 0; i < n; i++) x[i] *= 3;
}
"""


def _read(text: str) -> CFile:
    return read_source("macros.c", text=text, auto=True)


@pytest.fixture(scope="module")
def file() -> CFile:
    return _read(TEXT)


def _emitted(file: CFile, *names: str) -> str:
    target = host_target()
    made = [Replacement(s, plan(lower(s, original_tree(s)), target)) for s in file.scops if s.name in names]
    return emit_c_file(file.text, made, expanded=file.expanded)


def test_loops_in_macros_are_read_on_the_lines_of_their_uses(file: CFile) -> None:
    places = [(scop.name, scop.source.line) for scop in file.scops if scop.source is not None]
    assert places == [("scale_f", 7), ("scale_d", 8), ("pair", 13), ("last", 17)]
    assert [(d.code, d.location.line) for d in file.diagnostics] == [("while", 13)]


def test_one_macro_is_written_out_at_a_time(file: CFile) -> None:
    assert [each.text.split("(")[0] for each in file.expanded] == ["SCALE", "SCALE", "PAIR"]
    first = file.expanded[0]
    assert file.text[first.begin : first.end].splitlines() == [
        "void scale_f(float *x, int n) {",
        "    if (n < 0) return;",
        "    else n += 0;",
        "    for (int i = 0; i < n; i++) x[i] = TWICE(x[i]) - -1;",
        "}",
    ]


def test_uses_stay_where_nothing_in_them_is_replaced(file: CFile) -> None:
    assert _emitted(file) == TEXT
    text = _emitted(file, "scale_d", "last")
    assert "\nSCALE(float, f)\n" in text
    assert "SCALE(double,\n      d)" not in text
    assert "void scale_d(double *x, int n) {" in text
    assert "PAIR(x[0] = 3;" in text


@needs_gcc
def test_emitted_code_does_what_the_original_does(file: CFile, tmp_path: Path) -> None:
    emitted = _emitted(file, *(scop.name for scop in file.scops))
    assert emitted.count("_0(") == 2 * 4
    results = []
    for name, text in (("original", TEXT), ("emitted", emitted)):
        library = compiled(tmp_path / f"{name}.c", text)
        singles = (ctypes.c_float * 9)(*range(9))
        doubles = (ctypes.c_double * 9)(*range(9))
        library.scale_f(singles, 9)
        for function in ("scale_d", "pair", "last"):
            getattr(library, function)(doubles, 9)
        results.append((list(singles), list(doubles)))
    assert results[0] == results[1]
    assert results[0][0] == [2 * i + 1 for i in range(9)]


def test_what_macros_do_not_change_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = list[StandardC]()
    read = Counter[tuple[int, int]]()
    whole = reader._FileReader._read_whole

    def parse(source: StandardC) -> ParsedFile:
        parsed.append(source)
        return parse_all(source)

    def counted(self: reader._FileReader, found: Found) -> Scop | Refusal:
        read[self.parsed.token(found.items[0]).location.line, len(found.items)] += 1
        return whole(self, found)

    monkeypatch.setattr(reader, "parse", parse)
    monkeypatch.setattr(reader._FileReader, "_read_whole", counted)
    text = TEXT.replace("if (n > 0) {", "for (int i = 0; i < n; i++) x[i] = sqrt(x[i]);\n if (n > 0) {")
    file = _read(f"#include <math.h>\n{text}")
    assert len(parsed) == 1
    assert (read[14, 1], read[19, 1]) == (1, 1)
    source = file.scops[-2].source
    assert source is not None
    assert source.text[source.begin : source.end] == "for (int i = 0; i < n; i++) x[i] += 1;"


KEPT = {
    "other definitions": "#ifdef A\n#define M(T) void f(T *x) { for (int i = 0; i < 9; i++) x[i] = 1; }\n#else\n"
    "#define M(T) void f(T *x) { for (int i = 0; i < 9; i++) x[i] = 2; }\n#endif\nM(int)\n",
    "its line": "#define M(T) void f(T *x) { for (int i = 0; i < 9; i++) x[i] = __LINE__; }\nM(int)\n",
    "itself": "#define f(T) void f(T *x) { for (int i = 0; i < 9; i++) x[i] = 1; }\nf(int)\n",
}


@pytest.mark.parametrize("name", KEPT)
def test_what_would_say_something_else_stays(name: str) -> None:
    file = _read(KEPT[name])
    assert (file.scops, file.expanded, file.text) == ((), (), KEPT[name])
    assert [d.code for d in file.diagnostics] == ["macro"]


PARTS = {
    "scale_source.c": "void NAME(scale)(BASE *x, int n)\n{\n"
    "    for (int i = 0; i < n; i++) x[i] *= 2; /* twice */\n    while (x[0] > 100) x[0] -= 1;\n}\n",
    "shift_body.h": "{\n  int i;\n  for (i = 0; i < n; i++)\n    x[i] += 1;\n}",
    "inline.h": "static inline void kept(float *x) { for (int i = 0; i < 9; i++) x[i] = 1; }\n",
    "main.c": '#include "inline.h"\n#define BASE float\n#define NAME(x) x ## _f\n  #include "scale_source.c"\n'
    "#undef BASE\n#undef NAME\n#define BASE double\n#define NAME(x) x ## _d\n"
    '#include "scale_source.c" /* again */\nvoid shift_d(BASE *x, int n)\n#include "shift_body.h"\n',
}


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    for name, text in PARTS.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "main.c"


def test_files_that_are_included_for_their_text_take_the_place_of_their_directives(parts: Path) -> None:
    file = read_source(parts, auto=True)
    assert [scop.name for scop in file.scops] == ["scale_f", "scale_d", "shift_d"]
    assert [Path(each.path).name for each in file.expanded] == ["scale_source.c", "scale_source.c", "shift_body.h"]
    places = [(d.code, Path(d.location.file).name, d.location.line, d.location.column) for d in file.diagnostics]
    assert places == [("while", "scale_source.c", 4, 5)] * len(places) != []
    assert {Path(header).name for header in file.headers} == PARTS.keys() - {"main.c"}
    assert _emitted(file) == PARTS["main.c"]
    one = _emitted(file, "scale_d")
    assert (one.count('#include "scale_source.c"\n'), one.count("/* twice */")) == (1, 1)
    assert '#include "shift_body.h"' in one
    assert '#include "inline.h"' in one


@needs_gcc
def test_emitted_code_does_what_included_files_do(parts: Path) -> None:
    file = read_source(parts, auto=True)
    emitted = _emitted(file, *(scop.name for scop in file.scops))
    assert emitted.count("_0(") == 2 * 3
    results = []
    for name, text in (("original", PARTS["main.c"]), ("emitted", emitted)):
        library = compiled(parts.parent / f"{name}.c", text)
        singles = (ctypes.c_float * 9)(*range(9))
        doubles = (ctypes.c_double * 9)(*range(50, 59))
        library.scale_f(singles, 9)
        library.scale_d(doubles, 9)
        library.shift_d(doubles, 9)
        results.append((list(singles), list(doubles)))
    assert results[0] == results[1]
    assert results[0] == ([2 * i for i in range(9)], [101] + [2 * i + 1 for i in range(51, 59)])


TEMPLATE = {
    "fill.c": """\
#define JOINED(a, b) a##_##b
#define NAMED(a, b) JOINED(a, b)
#define NAME(a) NAMED(a, BITS)
#define FILL(v) \\
    for (i = 0; i < n; i++) \\
        x[i] = (v);
#define FILLED(name, v) \\
void NAME(name)(BASE *x, int n) \\
{ \\
    int i; \\
    FILL(v) \\
}
FILLED(half, 1 << (BITS - 1))
FILLED(part,
       i + 3)
void NAME(last)(BASE *x, int n)
{
    int i;
    while (x[n] > 100) x[n] -= 1;
    FILL(7) x[n] = 9;
}
#undef FILLED
""",
    "main.c": '#include <stdint.h>\n#define BITS 8\n#define BASE uint8_t\n#include "fill.c"\n#undef BITS\n#undef BASE\n'
    '#define BITS 16\n#define BASE uint16_t\n#include "fill.c"\n',
}


@pytest.fixture
def template(tmp_path: Path) -> Path:
    for name, text in TEMPLATE.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "main.c"


def test_macros_of_included_files_are_written_out_on_their_lines(template: Path) -> None:
    file = read_source(template, auto=True)
    assert [scop.name for scop in file.scops] == [f"{name}_{b}" for b in (8, 16) for name in ("half", "part", "last")]
    assert [(d.code, d.location.line) for d in file.diagnostics] == [("while", 19)] * len(file.diagnostics)
    first = file.expanded[0]
    lines = file.text[first.begin : first.end].splitlines()
    assert lines[12] == "void NAME(half)(BASE *x, int n) { int i; for (i = 0; i < n; i++) x[i] = ( 1 << (BITS - 1)); }"
    assert lines[14] == ""
    assert _emitted(file) == TEMPLATE["main.c"]


@needs_gcc
def test_emitted_code_does_what_macros_of_included_files_do(template: Path) -> None:
    file = read_source(template, auto=True)
    emitted = _emitted(file, *(scop.name for scop in file.scops))
    assert emitted.count("_0(") == 2 * 6
    results = []
    for name, text in (("original", TEMPLATE["main.c"]), ("emitted", emitted)):
        library = compiled(template.parent / f"{name}.c", text)
        filled = list[list[int]]()
        for bits, element in ((8, ctypes.c_uint8), (16, ctypes.c_uint16)):
            for function in ("half", "part", "last"):
                array = (element * 10)(*range(10))
                getattr(library, f"{function}_{bits}")(array, 9)
                filled.append(list(array))
        results.append(filled)
    assert results[0] == results[1]
    assert results[0][:2] == [[128] * 9 + [9], [*range(3, 12), 9]]


@pytest.mark.parametrize(
    "text", ["void f(int *x) { for (int i = 0; i < 9; i++) x[i] = __LINE__; }\n", "#pragma once\n"]
)
def test_included_files_that_say_something_else_elsewhere_stay(text: str, parts: Path) -> None:
    loop = "void g(int *x) { for (int i = 0; i < 9; i++) x[i] = i; }\n"
    (parts.parent / "part.inc").write_text(text + loop)
    parts.write_text('#include "part.inc"\n')
    file = read_source(parts, auto=True)
    assert (file.scops, file.expanded) == ((), ())


@needs_gcc
def test_macros_of_included_files_name_the_places_in_these(parts: Path) -> None:
    (parts.parent / "checked.c").write_text(
        "const char *NAME(scale)(BASE *x, int n)\n{\n"
        "    for (int i = 0; i < n; i++)\n        x[i] *= 2;\n"
        "    FAILS_IF(n > 5);\n    while (x[n] > 100) x[n] -= 1;\n    return 0;\n}\n"
    )
    text = """\
#include <stdio.h>
static char said[4200];
#define SAID(file, line) (sprintf(said, "%s:%d", file, line), said)
#define FAILS_IF(c) if (c) return SAID(__FILE__, __LINE__)
#define BASE float
#define NAME(f) f##_float
#include "checked.c"
#undef BASE
#undef NAME
const char *other(int n) { FAILS_IF(n > 5); return 0; }
"""
    parts.write_text(text)
    file = read_source(parts, auto=True)
    assert [scop.name for scop in file.scops] == ["scale_float"]
    assert [(Path(d.location.file).name, d.location.line) for d in file.diagnostics] == [("checked.c", 6)]
    assert _emitted(file) == text
    library = compiled(parts.parent / "emitted.c", _emitted(file, "scale_float"))
    library.scale_float.restype = library.other.restype = ctypes.c_char_p
    array = (ctypes.c_float * 6)(*range(6))
    assert Path(library.scale_float(array, 6).decode()).name.startswith("checked.c:")
    assert list(array) == [0, 2, 4, 6, 8, 10]
    assert library.other(6).decode() == f"{parts}:10"


def test_included_files_that_include_others_stay_where_those_would_not_be_found(parts: Path) -> None:
    folder = parts.parent / "parts"
    folder.mkdir()
    (folder / "scale.c").write_text('#include "base.h"\nvoid f(BASE *x) { for (int i = 0; i < 9; i++) x[i] = i; }\n')
    (folder / "base.h").write_text("#define BASE float\n")
    parts.write_text('#include "parts/scale.c"\n')
    assert read_source(parts, auto=True).scops == ()
    (folder / "scale.c").write_text("#define BASE float\nvoid f(BASE *x) { for (int i = 0; i < 9; i++) x[i] = i; }\n")
    assert [scop.name for scop in read_source(parts, auto=True).scops] == ["f"]


def test_loops_that_stay_in_included_files_say_so(parts: Path) -> None:
    (parts.parent / "shift_body.h").write_text("{ for (int i = 0; i < n; i++) x[i] += __LINE__; }\n")
    found = [d for d in read_source(parts, auto=True).diagnostics if d.code == "included"]
    assert [Path(d.location.file).name for d in found] == ["shift_body.h"]
    assert "write its text in the place of the #include" in found[0].message


@needs_gcc
def test_regions_that_have_an_included_text_inside_of_them(parts: Path) -> None:
    (parts.parent / "plus_one.inc").write_text(
        "for (int i = 0; i < n; i++) x[i] += 1;\n" + "/* longer than its use */" * 9
    )
    text = """\
void shift_d(double *x, int n)
{
    for (int i = 0; i < n; i++) x[i] *= 3;
#include "plus_one.inc"
    for (int i = 0; i < n; i++) x[i] -= 2;
}
"""
    parts.write_text(text)
    file = read_source(parts, auto=True)
    (scop,) = file.scops
    assert scop.source is not None
    (inside,) = file.expanded
    assert scop.source.begin < inside.begin < inside.end < scop.source.end
    library = compiled(parts.parent / "emitted.c", _emitted(file, "shift_d"))
    doubles = (ctypes.c_double * 9)(*range(9))
    library.shift_d(doubles, 9)
    assert list(doubles) == [3 * i - 1 for i in range(9)]
