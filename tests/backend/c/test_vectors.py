"""Helpers on vectors: what compilers can make of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from polyloop.backend.c.helpers import Helper, definitions, in_versions
from polyloop.backend.c.text import scalar_name, vector_name
from polyloop.backend.c.vectors import function, integer_lanes, named_type
from polyloop.backend.ir.expressions import F32, U8, ScalarType
from polyloop.backend.ir.vector_program import ValueType
from polyloop.backend.machine.versions import versions_of
from tests.frontend.emission import needs_gcc


@pytest.mark.parametrize("element", [U8, F32], ids=str)
@pytest.mark.parametrize("kind", ["gather", "scatter"])
def test_many_lanes_that_lie_apart_are_a_loop(kind: str, element: ScalarType) -> None:
    """Compilers take long for hundreds of tests, one behind the other."""
    few, many, most = (function("polyloop_helper", kind, ValueType(element, lanes)) for lanes in (16, 128, 256))
    assert few.count("n_ > ") == (16 if kind == "gather" else 0)
    assert ("polyloop_unrolled" in few) is (kind == "scatter")
    assert "polyloop_unrolled" not in many
    assert many.replace("128", "256") == most


ALL_LANES = {
    "sum": "+",
    "product": "*",
    "every_bit": "&",
    "any_bit": "|",
    "odd_bits": "^",
    "least": "<",
    "greatest": ">",
}
FOLDED = [("u8", 64), ("i8", 16), ("u16", 32), ("i16", 8), ("u32", 16), ("i32", 32), ("u32", 4), ("u64", 8), ("i64", 4)]
FOLDED += [("u8", 8), ("f32", 16), ("f32", 4), ("f64", 8), ("f64", 2)]


def _printed(helpers: list[Helper], calls: list[str], flags: str, folder: Path) -> str:
    """What a program prints that does nothing but these calls."""
    before = "".join(part for _, part in definitions(helpers))
    (folder / "calls.c").write_text(before + "int main(void)\n{\n" + "\n".join(calls) + "\n    return 0;\n}\n")
    warnings = ["-Wall", "-Werror", "-Wno-psabi", "-Wno-unused-function"]
    subprocess.run(["gcc", *flags.split(), *warnings, "calls.c", "-o", "calls"], cwd=folder, check=True)
    return subprocess.run(["./calls"], cwd=folder, capture_output=True, text=True, check=True).stdout


@needs_gcc
@pytest.mark.parametrize("flags", ["-O2", "-O3 -march=native"])
def test_all_lanes_are_folded_half_by_half(flags: str, tmp_path: Path) -> None:
    """As a loop over the halves does it: floats, whose order counts, are the same bits."""
    helpers: list[Helper] = []
    calls: list[str] = []
    for name, lanes in FOLDED:
        type_ = ValueType(named_type(name).element, lanes)
        element, vector = scalar_name(type_.element), vector_name(type_)
        for kind, operator in ALL_LANES.items():
            if type_.element.is_float and kind not in ("sum", "product", "least", "greatest"):
                continue
            helpers.append(Helper(kind, type_))
            one = f"x[k] {operator} x[k + half]" + " ? x[k] : x[k + half]" * (operator in "<>")
            calls.append(f"""    {{
        {vector} v; {element} x[{lanes}], found;
        for (int k = 0; k < {lanes}; k++) v[k] = x[k] = ({element})((k * 37 + 11) % 101 + 1) / 3;
        for (int count = {lanes}, half; count > 1; count = half) {{
            half = (count + 1) / 2;
            for (int k = 0; k < count - half; k++) x[k] = ({element})({one});
        }}
        found = polyloop_{kind}_{type_}(&v);
        if (__builtin_memcmp(&found, x, sizeof found)) __builtin_printf("{kind} {type_}\\n");
    }}""")
    assert _printed(helpers, calls, flags, tmp_path) == ""


STORED = [("u8", 8), ("u8", 32), ("i8", 4), ("i16", 8), ("u16", 16), ("f32", 4), ("f32", 8), ("f64", 2), ("f64", 4)]


@needs_gcc
@pytest.mark.parametrize("flags", ["-O2", "-O3 -march=native"])
def test_lanes_that_are_on_are_moved_and_nothing_else_is_touched(flags: str, tmp_path: Path) -> None:
    helpers: list[Helper] = []
    calls: list[str] = []
    for name, lanes in STORED:
        type_ = ValueType(named_type(name).element, lanes)
        element, vector, mask = scalar_name(type_.element), vector_name(type_), vector_name(integer_lanes(type_))
        helpers += [Helper("store_where", type_), Helper("load_where", type_)]
        calls.append(f"""    for (unsigned test = 0; test < 200; test++)
        for (int stride = 1; stride < 4; stride += 2) {{
        {vector} v; {mask} on; {element} found[{3 * lanes}], wanted[{3 * lanes}];
        for (int k = 0; k < {3 * lanes}; k++) found[k] = wanted[k] = ({element})(k + 100);
        for (int k = 0; k < {lanes}; k++) {{
            v[k] = ({element})(k + 1);
            on[k] = test == 0 ? 0 : test == 1 ? -1 : -(int)(test * 2654435761u >> (k * 5 % 31) & 1);
            if (on[k]) wanted[k * stride] = v[k];
        }}
        polyloop_store_where_{type_}(found, stride, &v, &on);
        int wrong = __builtin_memcmp(found, wanted, sizeof found) != 0;
        polyloop_load_where_{type_}(&v, found, stride, &on);
        for (int k = 0; k < {lanes}; k++) wrong |= on[k] && v[k] != wanted[k * stride];
        if (wrong) __builtin_printf("{type_} %u\\n", test);
    }}""")
    assert _printed(helpers, calls, flags, tmp_path) == ""


@needs_gcc
def test_folds_of_several_instruction_sets_bring_what_they_call(tmp_path: Path) -> None:
    folds = [Helper(kind, ValueType(ScalarType("int", 32), 16)) for kind in ("least", "greatest", "sum")]
    known: dict[str, str] = {}
    for version in versions_of(("avx512", "avx2", "sse")):
        known |= {name: text for name, text in definitions(in_versions(folds, version)) if name not in known}
    (tmp_path / "folds.c").write_text("".join(known.values()))
    flags = ["-O1", "-Wall", "-Werror", "-Wno-psabi", "-Wno-unused-function"]
    subprocess.run(["gcc", *flags, "-c", "folds.c"], cwd=tmp_path, check=True)
