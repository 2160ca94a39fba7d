"""Emitted C files: warnings are errors, results are the original's, and all outside the scop is kept byte for byte."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import islpy as isl
import numpy as np
import pytest

from polyloop.backend.ir.affine import affine, at_least
from polyloop.backend.ir.expressions import F64, I32, Access, Binary, Read
from polyloop.backend.ir.loop_nest import ArraySpec, Storage
from polyloop.backend.ir.vector_program import (
    Address,
    Arithmetic,
    For,
    Let,
    Load,
    Store,
    Value,
    ValueType,
    VectorProgram,
)
from polyloop.backend.planning.plan import scalar_program
from polyloop.frontend import read_c
from polyloop.lowering.run_time_tests import UnboundedAccessError, run_time_tests
from polyloop.lowering.to_c_file import EmitError, Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Array, Scop, SourceRegion, Statement

COMPILERS = [name for name in ("gcc", "clang", "clang-22") if shutil.which(name)]
DOUBLE = ValueType(F64)

SCALE = """\
#define t0 17 /* the generated code must not use this name */
/* y = y + alpha * x */
void scale(int n, double alpha, double *y, const double *x)
{
    int i;
#pragma scop
    for (i = 0; i < n; i++)
        y[i] += alpha * x[i];
#pragma endscop
}

int after(void) { return t0; }"""


def source_of(text: str, **changes: object) -> SourceRegion:
    begin = re.search(r"#pragma scop\r?\n", text)
    end = re.search(r"#pragma endscop", text)
    assert begin
    assert end
    region = SourceRegion(
        path="scale.c",
        text=text,
        function="scale",
        function_start=max(text.find("void scale"), 0),
        begin=begin.end(),
        end=end.start(),
        addresses=(("alpha", "&alpha"), ("y", "y"), ("x", "x")),
        parameter_order=("n", "alpha", "y", "x"),
        parameter_types=(("n", I32),),
        counters=("i",),
    )
    return replace(region, **changes)  # type: ignore[arg-type]


def scale_scop(source: SourceRegion, context: str = "n >= 0", may_alias: bool = True) -> Scop:
    i = affine("i")
    product = Binary("*", Read(Access("alpha"), F64), Read(Access("x", (i,)), F64), F64)
    statement = Statement(
        name="S",
        iterators=("i",),
        domain=isl.Set("[n] -> { S[i] : 0 <= i < n }"),
        target=Access("y", (i,)),
        value=Binary("+", Read(Access("y", (i,)), F64), product, F64),
        schedule=(affine(0), i, affine(0)),
    )
    arrays = (
        Array("alpha", F64),
        Array("y", F64, (None,), may_alias=may_alias),
        Array("x", F64, (None,), may_alias=may_alias),
    )
    return Scop(
        "scale", ("n",), isl.Set(f"[n] -> {{ : {context} }}"), arrays, (statement,), isl.Set("[n] -> { : }"), source
    )


def scale_program(buffer: ArraySpec | None = None, masked: bool = True) -> VectorProgram:
    """y[i] = fma(alpha, x[i], y[i]) in eight lanes, the last vector masked; through a LOCAL buffer if there is one."""
    vector, i, n = ValueType(F64, 8), affine("i"), affine("n")
    lanes = n - i if masked else None
    body: tuple[For, ...] = (
        For(
            "i",
            affine(0),
            n,
            8,
            (
                Let("t0", Load(Address("x", (i,), (1,)), vector, lanes)),
                Let("t1", Load(Address("y", (i,), (1,)), vector, lanes)),
                Let("t2", Load(Address("alpha", (), ()), DOUBLE)),
                Let("t3", Load(Address("alpha", (), ()), vector)),
                Let("t4", Arithmetic("fma", (Value("t3", vector), Value("t0", vector), Value("t1", vector)), vector)),
                Store(Address("y", (i,), (1,)), Value("t4", vector), lanes),
            ),
        ),
    )
    arrays: tuple[ArraySpec, ...] = (
        ArraySpec("alpha", F64, (), read_only=True),
        ArraySpec("y", F64, (None,)),
        ArraySpec("x", F64, (None,), read_only=True),
    )
    if buffer is not None:
        arrays = (*arrays, buffer)
        copy = (Let("u", Load(Address("x", (i,), (0,)), DOUBLE)), Store(Address(buffer.name, (i,), (0,)), _use("u")))
        first = body[0].body[0]
        assert isinstance(first, Let)
        through = Let("t0", Load(Address(buffer.name, (i,), (1,)), vector, lanes))
        body = (For("i", affine(0), n, 1, copy), replace(body[0], body=(through, *body[0].body[1:])))
    return VectorProgram("scale", ("n",), arrays, body, at_least(n, 0))


def _use(name: str) -> Value:
    return Value(name, DOUBLE)


def compile_c(text: str, folder: Path, compiler: str, *flags: str) -> ctypes.CDLL:
    folder.mkdir(exist_ok=True)
    path, library = folder / f"{compiler}.c", folder / f"{compiler}.so"
    path.write_bytes(text.encode())
    command = [compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-ffp-contract=off", *flags]
    done = subprocess.run([*command, "-shared", "-fPIC", path, "-o", library, "-lm"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def run_scale(library: ctypes.CDLL, y: np.ndarray, x: np.ndarray, n: int) -> None:
    library.scale(ctypes.c_int(n), ctypes.c_double(0.1), ctypes.c_void_p(y.ctypes.data), ctypes.c_void_p(x.ctypes.data))


def expected_scale(y: np.ndarray, x: np.ndarray, n: int) -> None:
    for k in range(n):
        y[k] += 0.1 * x[k]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("standard", ["c11", "gnu11"])
def test_same_results_with_and_without_overlap(tmp_path: Path, compiler: str, standard: str) -> None:
    source = source_of(SCALE)
    output = emit_c_file(SCALE, [Replacement(scale_scop(source), scale_program())])
    library = compile_c(output, tmp_path, compiler, f"-std={standard}")
    numbers = np.random.default_rng(3).standard_normal(64)
    for n in range(20):
        for shift in (-20, -3, -1, 0, 1, 5, 20):
            ours, expected = numbers.copy(), numbers.copy()
            run_scale(library, ours[20:], ours[20 + shift :], n)
            expected_scale(expected[20:], expected[20 + shift :], n)
            np.testing.assert_array_equal(ours, expected)


def test_everything_outside_the_scop_is_kept() -> None:
    for text in (SCALE, SCALE.replace("\n", "\r\n")):
        source = source_of(text)
        output = emit_c_file(text, [Replacement(scale_scop(source), scale_program())])
        head, tail = text[: source.function_start], text[source.end :]
        ended = "#pragma endscop\n#pragma GCC diagnostic pop\n"
        if "\r" in text:
            ended = ended.replace("\n", "\r\n")
        tail = ended + tail.partition("\n")[2]
        assert output.startswith(head)
        assert output.endswith(text[source.function_start : source.begin] + _between(output) + tail)
        assert source.text[source.begin : source.end] in _between(output)
        assert ("\r\n" in text) == (re.search(r"(?<!\r)\n", output) is None)


@pytest.mark.parametrize(
    ("before", "behind", "outlined"),
    [
        ("static ", "", True),
        ("", "", False),
        ("static inline ", "", False),
        ("static ", "    while (n-- > 0) y[n]++;\n", False),
    ],
    ids=["static", "other files may call it", "to be inlined", "another loop"],
)
def test_functions_of_which_calls_are_left_stay_functions(before: str, behind: str, outlined: bool) -> None:
    text = SCALE.replace("void scale", f"{before}void scale").replace("endscop\n", f"endscop\n{behind}")
    text += "\n\nvoid twice(int n, double *y) { scale(n, 2.0, y, y); }\n"
    source = source_of(text, function_start=text.index(f"{before}void scale"))
    output = emit_c_file(text, [Replacement(scale_scop(source), scale_program())])
    assert (f"\npolyloop_outlined {before}void scale(" in output) == outlined
    assert ("#define polyloop_outlined" in output) == outlined
    inlined = replace(source, seen_through=True)  # its compiler knows sizes in the calls' place
    assert "polyloop_outlined" not in emit_c_file(text, [Replacement(scale_scop(inlined), scale_program())])
    for more in (
        "static inline void scale(int, double, double *, const double *);\n",
        "#define static static inline\n",
    ):
        moved = source_of(more + text, function_start=(more + text).rindex(f"{before}void scale(int n"))
        moved = replace(moved, macros=frozenset(["static"] if "define" in more else ()))
        again = emit_c_file(more + text, [Replacement(scale_scop(moved), scale_program())])
        assert "polyloop_outlined" not in again
    uncalled = text[: text.index("\n\nvoid twice")]
    source = replace(source, text=uncalled)
    assert "polyloop_outlined" not in emit_c_file(uncalled, [Replacement(scale_scop(source), scale_program())])


def _between(output: str) -> str:
    start = re.search(r"#pragma scop\r?\n", output)
    assert start
    return output[start.end() : output.index("#pragma endscop")]


def test_the_tests_that_guard_the_fast_path() -> None:
    tests, _ = run_time_tests(scale_scop(source_of(SCALE)), scale_program(), source_of(SCALE))
    assert tests == [
        "(long)n >= 0",
        "polyloop_disjoint(y, 0, 8 * (long)n, x, 0, 8 * (long)n)",
    ]
    unknown = source_of(SCALE, parameter_types=())
    tests, _ = run_time_tests(scale_scop(unknown, may_alias=False), scale_program(), unknown)
    assert tests == ["polyloop_fits((long)n)", "(long)n >= 0"]


def test_no_overlap_test_where_the_caller_answers_for_it() -> None:
    scop, source = scale_scop(source_of(SCALE)), source_of(SCALE)
    tests, helpers = run_time_tests(scop.without_aliasing(), scale_program(), source)
    assert tests == ["(long)n >= 0"]
    assert "disjoint" not in {helper.kind for helper in helpers}


def test_accesses_before_the_pointer_count() -> None:
    scop = scale_scop(source_of(SCALE))
    statement = replace(scop.statements[0], target=Access("y", (affine("i") - 4,)))
    tests, _ = run_time_tests(replace(scop, statements=(statement,)), scale_program(), source_of(SCALE))
    assert tests[1] == "polyloop_disjoint(y, -32, 8 * (long)n, x, 0, 8 * (long)n)"


def test_rows_of_constant_length_must_keep_it() -> None:
    source = source_of(SCALE, addresses=(("alpha", "&alpha"), ("y", "&y[0][0][0]"), ("x", "x")))
    scop = scale_scop(source, may_alias=False)
    cube = Array("y", F64, (None, affine(4), affine(6)))
    tests, _ = run_time_tests(replace(scop, arrays=(cube, *scop.arrays[2:])), scale_program(), source)
    assert tests == ["sizeof(y[0]) == 192", "(long)n >= 0"]


def test_accesses_without_bound_are_refused() -> None:
    scop = scale_scop(source_of(SCALE))
    statement = replace(scop.statements[0], domain=isl.Set("[n] -> { S[i] : 0 <= i }"))
    with pytest.raises(UnboundedAccessError, match="cannot bound the part of y"):
        run_time_tests(replace(scop, statements=(statement,)), scale_program(), source_of(SCALE))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_test_no_branch(tmp_path: Path, compiler: str) -> None:
    source = source_of(SCALE)
    scop = scale_scop(source, context="1 = 1", may_alias=False)
    program = replace(scale_program(), context=at_least(affine(0), 0))
    output = emit_c_file(SCALE, [Replacement(scop, program)])
    assert _between(output) == "    polyloop_scale_0(n, alpha, y, x);\n    (void)i;\n"
    library = compile_c(output, tmp_path, compiler)
    y, x = np.ones(9), np.arange(9.0)
    run_scale(library, y, x, 9)
    np.testing.assert_array_equal(y, 1 + 0.1 * x)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("extent", [affine(64), affine("n")])
def test_local_arrays(tmp_path: Path, compiler: str, extent: object) -> None:
    buffer = ArraySpec("buffer", F64, (extent,), Storage.LOCAL)  # type: ignore[arg-type]
    output = emit_c_file(SCALE, [Replacement(scale_scop(source_of(SCALE)), scale_program(buffer))])
    assert ("malloc" in output) == (extent == affine("n"))
    library = compile_c(output, tmp_path, compiler)
    y, x = np.ones(37), np.arange(37.0)
    run_scale(library, y, x, 37)
    np.testing.assert_array_equal(y, 1 + 0.1 * x)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_macro_with_the_name_of_a_function_that_a_header_declares(tmp_path: Path, compiler: str) -> None:
    text = "#define abs(x) ((x) >= 0 ? (x) : -(x))\n" + SCALE.replace("alpha * x[i]", "alpha * x[abs(i)]")
    buffer = ArraySpec("buffer", F64, (affine("n"),), Storage.LOCAL)
    source = source_of(text)
    output = emit_c_file(text, [Replacement(scale_scop(source), scale_program(buffer, masked=False))])
    assert "immintrin" not in output  # which includes it, too
    library = compile_c(output, tmp_path, compiler)
    y, x = np.ones(40), np.arange(40.0)
    run_scale(library, y, x, 40)
    np.testing.assert_array_equal(y, 1 + 0.1 * x)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_register_scalar_is_copied_back(tmp_path: Path, compiler: str) -> None:
    text = """\
double total(int n, const double *x)
{
    register double sum = 0.5;
#pragma scop
    for (int i = 0; i < n; i++)
        sum += x[i];
#pragma endscop
    return sum;
}
"""
    addresses = (("sum", "&sum"), ("x", "x"))
    source = source_of(text, function="total", function_start=0, addresses=addresses)
    scop = scale_scop(source, may_alias=False)
    i = affine("i")
    value = Binary("+", Read(Access("sum"), F64), Read(Access("x", (i,)), F64), F64)
    statement = replace(scop.statements[0], target=Access("sum"), value=value)
    scop = replace(scop, arrays=(Array("sum", F64), Array("x", F64, (None,))), statements=(statement,))
    body = (
        Let("a", Load(Address("sum", (), ()), DOUBLE)),
        Let("b", Load(Address("x", (i,), (0,)), DOUBLE)),
        Let("c", Arithmetic("+", (_use("a"), _use("b")), DOUBLE)),
        Store(Address("sum", (), ()), _use("c")),
    )
    arrays = (ArraySpec("sum", F64), ArraySpec("x", F64, (None,), read_only=True))
    program = VectorProgram("total", ("n",), arrays, (For("i", affine(0), affine("n"), 1, body),))
    library = compile_c(emit_c_file(text, [Replacement(scop, program)]), tmp_path, compiler)
    library.total.restype = ctypes.c_double
    x = np.arange(5.0)
    assert library.total(5, ctypes.c_void_p(x.ctypes.data)) == 10.5


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("begin", "before", "call"),
    [
        ("double sum = 0.5;", "", "&polyloop_copy_sum"),
        ("double sum;", "sum = 0.5;", "&sum"),  # no value to copy
        ("static double sum; sum = 0.5;", "", "&polyloop_copy_sum"),
        ("double sum = 0.5, *other = &sum; *other += 0;", "", "&sum"),  # its address is known elsewhere anyway
    ],
)
def test_the_original_loops_keep_their_sums_in_registers(
    tmp_path: Path, compiler: str, begin: str, before: str, call: str
) -> None:
    loops = f"{before}\n    for (long i = 0; i < n; i++)\n        sum += x[i];\n"
    text = f"double total(long n, const double *x)\n{{\n    {begin}\n#pragma scop\n    {loops}#pragma endscop\n"
    text += "    return sum;\n}\n"
    (scop,) = read_c("total.c", text=text)
    output = emit_c_file(text, [Replacement(scop, scalar_program(lower(scop, original_tree(scop))))])
    assert re.search(rf"{call}[,)]", output)
    library = compile_c(output, tmp_path, compiler)
    library.total.restype = ctypes.c_double
    x = np.arange(5.0)
    assert library.total(ctypes.c_long(5), ctypes.c_void_p(x.ctypes.data)) == 10.5


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("conditional", [False, True], ids=["plain", "conditional"])
def test_several_scops_share_their_helpers(tmp_path: Path, compiler: str, conditional: bool) -> None:
    """Once, unless the preprocessor might leave out the function that they stand in front of."""
    second = SCALE.replace("void scale", "void again").replace("#define t0", "#define t1")
    second = second.replace("int after", "int more")
    text = f"{SCALE}\n{second.replace('return t0', 'return t1')}\n"
    if conditional:
        text = f"#ifndef NO_SCALE\n{SCALE}\n#endif\n{second.replace('return t0', 'return t1')}\n"
    first_source = source_of(text)
    middle = text.index("#pragma endscop") + 20
    begin = text.index("#pragma scop\n", middle) + len("#pragma scop\n")
    second_source = replace(
        first_source,
        function="again",
        function_start=text.index("void again"),
        begin=begin,
        end=text.index("#pragma endscop", middle),
    )
    pairs = [Replacement(scale_scop(s), scale_program()) for s in (second_source, first_source)]
    output = emit_c_file(text, pairs)
    assert "polyloop_scale_0(" in output
    assert "polyloop_again_0(" in output
    copies = 1 + conditional
    assert output.count("static inline int polyloop_disjoint(") == copies
    assert output.count("#ifndef HAVE_polyloop_disjoint\n") == 2 * conditional
    library = compile_c(output, tmp_path, compiler)
    for function in (library.scale, library.again):
        y, x = np.ones(11), np.arange(11.0)
        function(11, ctypes.c_double(0.1), ctypes.c_void_p(y.ctypes.data), ctypes.c_void_p(x.ctypes.data))
        np.testing.assert_array_equal(y, 1 + 0.1 * x)


def test_a_changed_file_is_refused() -> None:
    with pytest.raises(EmitError, match="has changed"):
        emit_c_file(SCALE + "\n", [Replacement(scale_scop(source_of(SCALE)), scale_program())])


def test_declarations_that_would_end_with_the_braces_are_refused() -> None:
    text = SCALE.replace("    for (i", "    double last;\n    for (i")
    text = text.replace("endscop\n", "endscop\n    y[0] = last;\n")
    with pytest.raises(EmitError, match=r"scale\.c:\d+: last is declared inside the scop"):
        emit_c_file(text, [Replacement(scale_scop(source_of(text)), scale_program())])
