"""Subscripts that come from data: how they are read, which order they ask for, and that all code does what gcc's does.

Every function is run by gcc as it stands, by the interpreter, by compiled kernels of the original order and of every
order with a vector loop that the dependences allow, and by gcc from the emitted file of each of these.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import islpy as isl
import numpy as np
import pytest
from numpy.typing import NDArray

from polyloop.backend.ir.expressions import text
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest_text import nest_text, parse_nest
from polyloop.backend.ir.traversal import walk
from polyloop.backend.ir.vector_program import BindValue, Let, Pack, VectorProgram
from polyloop.backend.ir.vector_program_text import parse_program, program_text
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.backend.planning.plan import scalar_program
from polyloop.backend.run.kernel import compile_program
from polyloop.frontend import read_source
from polyloop.lowering.order_check import same_results
from polyloop.lowering.run_time_tests import UnboundedAccessError
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proof, prove
from polyloop.schedules.tree import ScheduleTree, original_tree
from polyloop.scop.data import SizeError, fills, make_data
from polyloop.scop.dependence import flow, memory_dependences, value_dependences
from polyloop.scop.model import Scop
from polyloop.support.compilers import ALL_ALIAS
from polyloop.transforms import Expand, Vectorize, candidates
from polyloop.transforms.scop_transform import IllegalScopTransformError
from tests.frontend.evaluation import run_scop
from tests.helpers.running import FLAGS, copied, load_c

Data = dict[str, NDArray[Any]]

FUNCTIONS = {
    "gather": ("int n, double *restrict a, const double *restrict b, const int *restrict ip",
               "for (int i = 0; i < n; i++) a[i] = b[ip[i]];"),
    "gather_far": ("int n, float *restrict a, const float *restrict b, const float *c, const long *restrict ip",
                   "for (int i = 0; i < n; i++) a[i] = c[i] * b[ip[i]] + c[2 * i] * c[i + 1];"),
    "rows": ("int n, int m, double a[n][m], double b[n][m], const int *ip",
             "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] += 2 * b[ip[i]][j];"),
    "scattered_rows": ("int n, int m, double (*restrict a)[m], double (*restrict b)[m], const int *ip",
                       "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[ip[i]][j] = b[i][j] + a[ip[i]][j];"),
    "scatter": ("int n, double *a, const double *b, const int *ip", "for (int i = 0; i < n; i++) a[ip[i]] = b[i];"),
    "histogram": ("int n, int *h, const unsigned char *key", "for (int i = 0; i < n; i++) h[key[i]]++;"),
    "sums": ("int n, float *restrict h, const int *key, const float *x",
             "for (int i = 0; i < n; i++) h[key[i]] += x[i];"),
    "table": ("int n, short *h, const int *x, const short tab[16]",
              "for (int i = 0; i < n; i++) h[i] = tab[x[i] & 15] + tab[(unsigned)x[i] % 16u];"),
    "cell": ("int n, double *restrict a, const double *b, const int *restrict ip",
             "int k; for (int i = 0; i < n; i++) { k = ip[i]; a[k] += b[i]; }"),
    "blocks": ("int n, int m, double *restrict a, const int *restrict ip",
               "for (int i = 0; i < n; i++) { int base = ip[i]; for (int j = 0; j < m; j++) a[base + j] += j; }"),
    "bins": ("int n, float lo, float width, int h[16], const float *restrict x",
             "for (int i = 0; i < n; i++) { int k = (int)((x[i] - lo) * width); if (k >= 0 && k < 16) h[k]++; }"),
    "chain": ("int n, double *restrict a, const double *b, const int *ip, const int *restrict jp",
              "for (int i = 0; i < n; i++) a[i] = b[ip[jp[i]]] - b[ip[i]];"),
    "from_one": ("int n, double *restrict a, const double *b, const int *ip",
                 "for (int i = 0; i < n; i++) a[ip[i] - 1] = a[ip[i] - 1] * b[i];"),
    "beside": ("int n, int m, double *restrict a, const double *restrict b, const int *ip",
               "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * m + j] = b[ip[i] + j] + b[3 * ip[i]];"),
    "square": ("int n, double *restrict a, const double *restrict b",
               "for (int i = 0; i < n; i++) a[i] = b[i * i] + b[n - i];"),
    "products": ("int n, double *restrict a", "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * j] += j;"),
    "modulo": ("int n, int m, int mask, double *restrict a, const double *restrict b, double *restrict c",
               "for (int i = 0; i < n; i++) { a[i] = b[i % (m + 1)]; c[(i * 7) & (mask & 7)] = b[i]; }"),
    "lazy": ("int n, int *a, const int *b, const int ip[n], const int c[n]",
             "for (int i = 0; i < n; i++) a[i] = c[i] > 3 ? b[ip[i]] : c[i] && b[ip[i] / 2];"),
    "computed": ("int n, int *restrict a, const float *x, const int tab[12]",
                 "for (int i = 0; i < n; i++) a[i] = tab[(int)(x[i] * 10)] - i;"),
    "csr": ("int n, const int *restrict start, const int *restrict col, const double *restrict val,"
            " const double *restrict x, double *restrict y",
            "for (int i = 0; i < n; i++) { double s = 0; for (int k = start[i]; k < start[i + 1]; k++)"
            " s += val[k] * x[col[k]]; y[i] = s; }"),
    "segments": ("int n, const long *restrict start, const float *restrict val, double *restrict y",
                 "for (int i = 0; i < n; i++) for (long k = start[i]; k <= start[i + 1] - 1; k++) y[i] += val[k] * i;"),
    "ragged": ("int n, int m, const int *restrict length, double (*restrict a)[m], double *restrict y",
               "for (int i = 0; i < n; i++) { int k; for (k = 0; k < length[i]; ++k) y[i] *= a[i][k]; }"),
    "shifted": ("int n, double *restrict a, const int *restrict ip",
                "for (int i = 1; i < n; i++) a[ip[i] + i] = a[ip[i] + i - 1] + 1;"),
    "total": ("int n, int s[1], const int *restrict tab, const int *restrict c, const int *restrict ip",
              "for (int i = 0; i < n; i++) s[0] += tab[ip[i]] * c[i];"),
    "packed": ("int n, double *restrict a, const double *restrict b, int *restrict count",
               "int m = 0; for (int i = 0; i < n; i++) if (b[i] > 0.5) a[m++] = b[i]; count[0] = m;"),
    "packed_choices": ("int n, int *restrict a, const int *restrict b, int *restrict count",
                       "int m = 0; for (int i = 0; i < n; i++) if (b[i] > 2)"
                       " a[m++] = b[i] & 1 && b[i] > 5 ? 1 : b[i] >> 1; count[0] = m;"),
    "numbered": ("int n, int *restrict a, int *restrict b, const int *restrict ip", "int m = 0;"
                 " for (int i = 0; i < n; i++) if (ip[i] >= i) a[i] = b[ip[i]] = m++;"),
    "stack": ("int n, int *restrict a, const int *restrict b",
              "int t = n; for (int i = 0; i < n; i++) if (b[i] & 1) a[--t] = b[i];"),
    "where": ("int n, int *restrict h, const int *restrict key, const int *restrict c, int *restrict s",
              "for (int i = 0; i < n; i++) if (c[i] > 2) { h[key[i]] += c[i]; s[i] = h[i]; }"),
    "placed": ("int n, int b[8], int h[16], const int *restrict key",
               "for (int i = 0; i < n; i++) { b[h[key[i]]++ & 7] = i; b[(--h[key[i]] & 3) + 4] = key[i]; }"),
    "written": ("int n, int *restrict a, int *restrict ip, const int *restrict b",
                "for (int i = 0; i < n; i++) ip[i] = b[i];\nfor (int i = 0; i < n; i++) a[ip[i]] = ip[n - 1 - i];"),
}  # fmt: skip

SIZES = (0, 1, 7, 67)


def text_of(names: tuple[str, ...] = tuple(FUNCTIONS)) -> str:
    parts = []
    for name in names:
        parameters, body = FUNCTIONS[name]
        parts.append(f"void {name}({parameters})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n")
    return "\n".join(parts)


def read(signature: str, body: str) -> Scop:
    code = f"void f({signature})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    file = read_source("f.c", text=code)
    assert not file.diagnostics, file.diagnostics[0].render()
    return file.scops[0]


@cache
def scops() -> Mapping[str, Scop]:
    file = read_source("indirect.c", text=text_of())
    assert not file.diagnostics, [d.render() for d in file.diagnostics]
    return {scop.name: scop for scop in file.scops}


@cache
def trees(name: str) -> tuple[ScheduleTree, ...]:
    """The original order, and the legal ones with a vector loop."""
    scop = scops()[name]
    tree = original_tree(scop)
    options = [t.apply(tree) for t in candidates(tree) if isinstance(t, Vectorize)]
    dependences = memory_dependences(scop)
    return (tree, *(t for t in options if isinstance(prove(scop, t, dependences), Proof)))


@cache
def programs(name: str) -> tuple[VectorProgram, ...]:
    """Scalar code for the compiler, and what planning makes of every tree."""
    scop = scops()[name]
    nests = [lower(scop, tree) for tree in trees(name)]
    assert all(parse_nest(nest_text(nest)) == nest for nest in nests)
    found = (scalar_program(nests[0]), *(plan(nest, host_target()) for nest in nests))
    assert all(parse_program(program_text(program)) == program for program in found)
    return found


def data_of(name: str, size: int, seed: int) -> tuple[dict[str, int], Data]:
    scop = scops()[name]
    sizes = dict.fromkeys(scop.parameters, size)
    try:
        data = make_data(scop, sizes, seed)
    except SizeError:
        pytest.fail(f"{name} at {size}")
    if seed == 1:  # every index once
        for array, limits in ((f.name, f.limits) for f in fills(scop, sizes)):
            if limits is not None and data[array].size:
                order = np.random.default_rng(size).permutation(limits[1] - limits[0] + 1) + limits[0]
                data[array].flat[:] = np.resize(order, data[array].size)
    return sizes, data


def runs(name: str) -> Iterator[tuple[dict[str, int], Data]]:
    for size in SIZES:
        for seed in (0, 1):
            yield data_of(name, size, seed)


def call(library: ctypes.CDLL, name: str, sizes: Mapping[str, int], data: Data) -> Data:
    """What the C function makes of the data."""
    result = copied(data)
    order = re.findall(r"(\w+)(?:\)?\[\w+\])*(?:,|$)", FUNCTIONS[name][0])
    places = {p: ctypes.c_void_p(values.ctypes.data) for p, values in result.items() if values.ndim}
    scalars = {p: ctypes.c_float(values.item()) for p, values in result.items() if not values.ndim}
    getattr(library, name)(*({**sizes, **places, **scalars}[p] for p in order))
    return result


def assert_equal(name: str, expected: Data, found: Data) -> None:
    for array, values in expected.items():
        if array in found and array != "k":
            np.testing.assert_array_equal(values, found[array], f"{array} of {name}", strict=True)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return load_c(text_of(), tmp_path_factory.mktemp("original"), flags=(*FLAGS, "-Wno-unknown-pragmas"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_interpreters_do_what_gcc_does(name: str, original: ctypes.CDLL) -> None:
    scop = scops()[name]
    for sizes, data in runs(name):
        if max(sizes.values()) > 7:
            continue
        expected = call(original, name, sizes, data)
        nested = copied(data)
        interpret(lower(scop, original_tree(scop)), sizes, nested, contract=False)
        assert_equal(name, expected, nested)
        if min(sizes.values()) > 0:
            in_order = copied(data)
            run_scop(scop, {**sizes, **in_order})
            assert_equal(name, expected, in_order)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_kernels_do_what_gcc_does(name: str, original: ctypes.CDLL) -> None:
    cases = [(sizes, data, call(original, name, sizes, data)) for sizes, data in runs(name)]
    for program in dict.fromkeys(programs(name)):
        kernel = compile_program(program, contract=False)
        for sizes, data, expected in cases:
            found = copied(data)
            kernel(**{spec.name: found[spec.name] for spec in kernel.signature.arguments}, **sizes)
            assert_equal(name, expected, found)


UNBOUNDED = ("chain", "lazy", "computed", "written")
"""Where pointers need `restrict`, or extents, on everything: no scan tells what subscripts will be."""


@pytest.mark.parametrize("version", [0, 1, -1])
def test_emitted_files_do_what_gcc_does(version: int, original: ctypes.CDLL, tmp_path: Path) -> None:
    made = [Replacement(scops()[name], programs(name)[version]) for name in FUNCTIONS if name not in UNBOUNDED]
    flags = (*FLAGS[:-1], "-Wall", "-Wextra", "-Wno-unknown-pragmas")
    library = load_c(emit_c_file(text_of(), made), tmp_path, flags=flags)
    for name in FUNCTIONS:
        for sizes, data in runs(name):
            assert_equal(name, call(original, name, sizes, data), call(library, name, sizes, data))


# --- what is read -----------------------------------------------------------------------------------------------------

READ = {
    "gather": ("a[i]", "b[data(ip[i])]", "ip[i]"),
    "rows": ("a[i][j]", "a[i][j]", "b[data(ip[i])][j]", "ip[i]"),
    "scattered_rows": ("a[data(ip[i])][j]", "b[i][j]", "a[data(ip[i])][j]", "ip[i]"),
    "histogram": ("h[data(key[i])]", "h[data(key[i])]", "key[i]"),
    "table": ("h[i]", "tab[data((x[i] & 15:i32))]", "x[i]", "tab[data(((u32)x[i] % 16:u32))]"),
    "chain": ("a[i]", "b[data(ip[data(jp[i])])]", "ip[data(jp[i])]", "jp[i]", "b[data(ip[i])]", "ip[i]"),
    "from_one": ("a[data(ip[i]) - 1]", "a[data(ip[i]) - 1]", "ip[i]", "b[i]"),
    "segments": ("y[i]", "start[i]", "start[i + 1]", "y[i]", "val[data({k_in}:i64)]"),
    "cell": ("a[data(ip[i])]", "a[data(ip[i])]", "ip[i]", "b[i]"),
    "beside": ("a[i][j]", "b[j + data(ip[i])]", "ip[i]", "b[3*data(ip[i])]"),
    "square": ("a[i]", "b[data(({i}:i32 * {i}:i32))]", "b[-i + n]"),
    "computed": ("a[i]", "tab[data((i32)(x[i] * 10.0:f32))]", "x[i]"),
}


@pytest.mark.parametrize("name", READ)
def test_accesses(name: str) -> None:
    (statement,) = scops()[name].statements
    assert tuple(str(access) for access in (statement.target, *statement.reads)) == READ[name]


def test_what_rows_make_affine_stays_affine() -> None:
    nest = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * n + j] = b[j] * c[ip[i]];"
    scop = read("int n, double *a, const double *b, const double *c, const int *ip", nest)
    (statement,) = scop.statements
    assert [str(a) for a in (statement.target, *statement.reads)] == ["a[i][j]", "b[j]", "c[data(ip[i])]", "ip[i]"]


def test_data_beside_rows_make_the_rows_data() -> None:
    """a[ip[i]] may lie in any row: both are subscripts of one dimension."""
    nest = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * n + j] = a[ip[i]];"
    (statement,) = read("int n, double *a, const int *ip", nest).statements
    assert [str(a) for a in (statement.target, *statement.reads)] == [
        "a[j + data(({i}:i32 * {n}:i32))]",
        "a[data(ip[i])]",
        "ip[i]",
    ]


@pytest.mark.parametrize(("row", "target"), [
    ("n", "a[j + data(({i}:i32 * {n}:i32)) + 5]"),
    ("m", "a[i][j + 5]"),
])  # fmt: skip
def test_rows_are_longer_than_offsets_in_them(row: str, target: str) -> None:
    """A full row that begins in the middle of another leaves it, for all rows but those of five elements."""
    nest = f"for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * {row} + j + 5] = 0;"
    (statement,) = read("int n, int m, double *a", nest).statements
    assert str(statement.target) == target


def test_a_loop_between_bounds_from_data_is_one_assignment() -> None:
    start, loop, end = scops()["csr"].statements
    assert (str(start.target), str(loop.target), str(end.target)) == ("s", "s", "y[i]")
    assert [start.opaque, loop.opaque, end.opaque] == [None, text(loop.value), None]
    assert text(loop.value) == (
        "fold(k_in in [start[i], start[i + 1]): s, "
        "(partial(k_in):f64 + (val[data({k_in}:i64)] * x[data(col[data({k_in}:i64)])])))"
    )
    assert not loop.conditional  # s is the function's own
    assert scops()["segments"].statements[0].conditional  # y[i] is written only where there is an iteration


BOUNDS = "an array's element is read: bounds and conditions must not depend on data"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("for (int k = p[i]; k < p[i + 1]; k++) y[i] += y[k];", "y is read and written by a loop between bounds"),
        ("for (int k = 0; k < p[i]; k++) p[i] += x[k];", "p is read and written by a loop between bounds"),
        ("for (int k = p[i]; k < p[i + 1]; k++) y[k] += x[k];", BOUNDS),
        ("for (int k = p[i]; k < p[i + 1]; k++) { y[i] += x[k]; x[i] += 1; }", BOUNDS),
        ("for (int k = p[i]; k < p[i + 1]; k += 2) y[i] += x[k];", BOUNDS),
        ("for (unsigned k = 0; k < p[i]; k++) y[i] += x[k];", BOUNDS),
        ("for (int k = 0; k < p[k]; k++) y[i] += x[k];", BOUNDS),
    ],
)
def test_loops_between_bounds_from_data_that_are_refused(body: str, words: str) -> None:
    nest = f"for (int i = 0; i < n; i++) {body}"
    code = f"void f(int n, int *p, int *x, int *y)\n{{\n#pragma scop\n{nest}\n#pragma endscop\n}}"
    (remark,) = read_source("f.c", text=code).diagnostics
    assert words in remark.message


def test_a_counter_that_a_statement_moves_is_moved_by_itself() -> None:
    packed = scops()["packed"].statements
    assert [str(s.target) for s in packed] == ["m", "a[data(m)]", "m", "count[0]"]
    assert [s.conditional for s in packed[1:3]] == [True, False]  # m is the function's own
    before = read("int n, int m, double *a, double *b", "for (int i = 0; i < n; i++) if (b[i] > 0) a[i] = b[++m];")
    assert [str(s.target) for s in before.statements] == ["m", "a[i]"]
    nest = "for (int i = 0; i < n; i++) if (a[i] > 0) a[m] = m++;"
    twice = f"void f(int n, int m, double *a)\n{{\n#pragma scop\n{nest}\n#pragma endscop\n}}"
    assert read_source("f.c", text=twice).diagnostics[0].code == "side-effect"


# --- which order it asks for ------------------------------------------------------------------------------------------


def test_reads_by_data_of_what_nothing_writes_ask_for_no_order() -> None:
    assert all(not memory_dependences(scops()[name]) for name in ("gather", "table", "chain", "square", "computed"))


def test_writes_by_data_stay_in_order() -> None:
    (dependence,) = memory_dependences(scops()["scatter"])
    assert dependence.cause == "WAW on a"
    assert dependence.relation.is_equal(isl.Map("[n] -> { S0[i] -> S0[k] : 0 <= i < k < n }"))
    (histogram,) = memory_dependences(scops()["histogram"])
    assert histogram.exact  # sums of integers, in any order
    (sums,) = memory_dependences(scops()["sums"])
    assert (sums.reduction, sums.exact) == (True, False)


def test_other_subscripts_stay_exact() -> None:
    """Rows are told apart by nothing, columns by what they are."""
    (rows,) = memory_dependences(scops()["scattered_rows"])
    assert rows.relation.is_equal(isl.Map("[n, m] -> { S0[i, j] -> S0[k, j] : 0 <= i < k < n and 0 <= j < m }"))


def test_the_same_data_say_the_same_element() -> None:
    """a[ip[i] + j] is another element for another j, and may be any for another i."""
    (blocks,) = memory_dependences(scops()["blocks"])
    anything = "[n, m] -> { S0[i, j] -> S0[k, l] : 0 <= i < k < n and 0 <= j < m and 0 <= l < m }"
    assert blocks.relation.is_equal(isl.Map(anything))
    changing = read(
        "int n, int m, int *restrict a, int *restrict ip",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { a[ip[i] + j] = j; ip[i] = j; }",
    )
    written = next(d for d in memory_dependences(changing) if d.cause == "WAW on a")
    same_row = isl.Map("[n, m] -> { S0[i, j] -> S0[i, l] : 0 <= i < n and 0 <= j < l < m }")
    assert same_row.is_subset(written.relation)


def test_parities_are_told_apart() -> None:
    """What is known of an expression of data holds for all that it may be."""
    nest = "for (int i = 0; i < n; i++) a[2 * ip[i]] = a[2 * ip[i] + 1];"
    found = {d.cause for d in memory_dependences(read("int n, double *a, const int *ip", nest))}
    assert found == {"WAW on a"}
    table = "for (int i = 0; i < n; i++) a[x[i] & 7] = a[i + 8];"
    found = {d.cause for d in memory_dependences(read("int n, double *a, const int *x", table))}
    assert found == {"WAW on a"}


def test_a_write_by_data_kills_nothing() -> None:
    """The value that is read may come from the statement in front, or from the one that may have overwritten it."""
    scop = read(
        "int n, double *restrict a, double *restrict b, const int *restrict ip",
        "for (int i = 0; i < n; i++) { a[i] = 1; a[ip[i]] = 2; b[i] = a[i]; }",
    )
    flows = {(d.source, d.target) for d in value_dependences(scop) if "RAW" in d.kinds}
    assert flows == {("S0", "S2"), ("S1", "S2")}
    sources, before = flow(scop, scop.statement("S2"), scop.statement("S2").reads[0])
    assert set(sources) == {"S0", "S1"}
    assert before.is_empty()
    nest = "for (int i = 0; i < n; i++) { a[ip[i]] = 2; b[i] = a[i]; }"
    only = read("int n, double *restrict a, double *b, const int *ip", nest)
    _, before = flow(only, only.statement("S1"), only.statement("S1").reads[0])
    assert before.is_equal(only.statement("S1").domain)


def test_index_arrays_that_the_region_writes_come_first() -> None:
    causes = {(d.source, d.target, d.cause) for d in memory_dependences(scops()["written"])}
    assert ("S0", "S1", "RAW on ip") in causes


# --- what is made of it -----------------------------------------------------------------------------------------------


def test_which_loops_run_in_lanes() -> None:
    lanes = {
        name: any(isinstance(s, Let) and isinstance(s.operation, Pack) for p in programs(name) for s in walk(p.body))
        for name in ("gather", "gather_far", "chain", "square", "scatter", "histogram", "sums", "lazy", "total")
    }
    wanted = {"gather": True, "total": True, "gather_far": True, "square": True, "chain": False}
    assert lanes == {**dict.fromkeys(lanes, False), **wanted}


def test_every_subscript_is_computed_where_the_access_is() -> None:
    """The element that decides is loaded behind the condition under which C loads it, the target's only once."""
    lazy = program_text(programs("lazy")[1])
    assert re.search(r"load c\[i\].*lazy.*load ip\[i\]", lazy, re.DOTALL)
    assert program_text(programs("sums")[1]).count("load key[i]") == 1
    assert sum(isinstance(s, BindValue) for s in walk(programs("sums")[1].body)) == 1


@pytest.mark.parametrize("name", FUNCTIONS)
def test_generated_orders_are_checked_on_symbols(name: str) -> None:
    scop = scops()[name]
    original, *others = (lower(scop, tree) for tree in trees(name))
    assert all(same_results(scop, original, other) for other in others)


def test_another_order_of_scattered_values_shows() -> None:
    scop = scops()["scatter"]
    forwards = lower(scop, original_tree(scop))
    text = nest_text(forwards).replace("data(ip[i])", "data(ip[-i + n - 1])").replace("= b[i]", "= b[-i + n - 1]")
    assert not same_results(scop, forwards, parse_nest(text))


def test_numbers_stay_inside_of_what_they_index() -> None:
    limits = {f.name: f.limits for f in fills(scops()["from_one"], {"n": 9})}
    assert limits["ip"] == (1, 8)
    assert {f.name: f.limits for f in fills(scops()["rows"], {"n": 5, "m": 40})}["ip"] == (0, 4)
    shapes = {f.name: f.shape for f in fills(scops()["square"], {"n": 9})}
    assert shapes == {"a": (9,), "b": (65,)}
    doubled = "for (int i = 0; i < n; i++) { top[0] = 2 * top[0] + 1; a[top[0]] = i; }"
    growing = read("int n, double *a, int *top", doubled)
    with pytest.raises(SizeError, match="no data can be made"):
        make_data(growing, {"n": 4})


def test_storage_is_not_moved_where_data_say_what_is_touched() -> None:
    scop = scops()["bins"]
    with pytest.raises(IllegalScopTransformError, match="subscripts from data"):
        Expand("h", (0,)).apply(scop)
    expanded = Expand("k", (0,)).apply(scop)
    assert str(expanded.statement("S1").target) == "h[data(k_x[i])]"


@pytest.mark.parametrize("name", ["chain"])
def test_overlaps_that_nothing_bounds_are_refused(name: str) -> None:
    parameters, body = FUNCTIONS[name]
    scop = read(parameters.replace("restrict ", ""), body)
    assert scop.source is not None
    program = scalar_program(lower(scop, original_tree(scop)))
    with pytest.raises(UnboundedAccessError, match="declare its extents, qualify the pointer with restrict"):
        emit_c_file(scop.source.text, [Replacement(scop, program)])


def test_numbers_of_other_types_overlap_nothing() -> None:
    """What nothing bounds needs no test beside numbers of another type, unless the compiler is told otherwise."""
    loop = "for (int i = 0; i < n; i++) {{ a[c[i + 1] * i] = 1; c[i] = i; }}"
    loop = f"void f(int n, {{}} *a, int *c)\n{{{{\n#pragma scop\n{loop}\n#pragma endscop\n}}}}\n"
    for type_, defines, refused in (
        ("double", (), False),
        ("int", (), True),
        ("char", (), True),
        ("double", (ALL_ALIAS,), True),
    ):
        (scop,) = read_source("types.c", text=loop.format(type_), defines=defines).scops
        assert scop.source is not None
        replacement = Replacement(scop, scalar_program(lower(scop, original_tree(scop))))
        with pytest.raises(UnboundedAccessError) if refused else nullcontext():
            emit_c_file(scop.source.text, [replacement])


ENDS = {
    "i32": ("int n, int m, int k, double *a, const double *b, const int *ip",
            "for (int i = 1; i < n; i++) for (int j = 0; j < 3; j++) a[i] = b[i * m + ip[i] - j * k];"),
    "u32": ("int n, unsigned m, int k, double *a, const double *b, const int *ip",
            "for (unsigned i = 0; i < n; i++) a[i] = b[(i + 1) * m + ip[i]];"),
    "size_t": ("size_t n, size_t m, int k, double *a, const double *b, const int *ip",
               "for (size_t i = 0; i < n; i++) a[i] = b[(n - 1 - i) * m + ip[i] + k];"),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_products_lie_between_those_of_their_ends(name: str, tmp_path: Path) -> None:
    """Elements that the loops read and write at once take the original loops, whatever the signs; all others need not:
    an empty loop, or one that stores elsewhere."""
    parameters, body = ENDS[name]
    text = f"#include <stddef.h>\nvoid f({parameters})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    (scop,) = read_source("f.c", text=text).scops
    emitted = emit_c_file(text, [Replacement(scop, scalar_program(lower(scop, original_tree(scop))))])
    assert "polyloop_product_end(" in emitted
    kernel = r"polyloop_kernel void (\w+)\(([^)]*)\)\n\{"
    taken = re.sub(kernel, r"int taken;\npolyloop_kernel void \1(\2)\n{\ntaken = 1;", emitted)
    assert taken != emitted
    library, plain = load_c(taken, tmp_path), load_c(text, tmp_path, flags=(*FLAGS, "-Wno-unknown-pragmas"))
    fast = []
    for n, m, k, start in product((0, 1, 5), (0, 3, -3), (0, 2, -7), (0, 30, 60, 200)):
        if m < 0 and name != "i32":
            continue
        results = []
        for unit in (library, plain):
            memory = np.arange(400.0)
            index = np.array([0, 2, 0, 1, 5, 1 << 30], np.int32)
            places = (memory.ctypes.data + 8 * (100 + start), memory.ctypes.data + 8 * 150, index.ctypes.data)
            unit.f(*map(ctypes.c_long, (n, m, k)), *map(ctypes.c_void_p, places))
            results.append(memory)
        np.testing.assert_array_equal(results[0], results[1], err_msg=f"{n} {m} {k} {start}")
        if start == 200:
            fast.append(ctypes.c_int.in_dll(library, "taken").value)
            ctypes.c_int.in_dll(library, "taken").value = 0
    assert sum(fast) > len(fast) // 2


def test_only_what_the_loops_read_is_scanned(tmp_path: Path) -> None:
    """Every overlap takes the original loops; no element beyond the loops' own is looked at."""
    text = text_of(("scatter",))
    (scop,) = read_source("f.c", text=text).scops
    emitted = emit_c_file(text, [Replacement(scop, scalar_program(lower(scop, original_tree(scop))))])
    assert "polyloop_extreme_i32(ip, (long)n);" in emitted
    library, plain = load_c(emitted, tmp_path), load_c(text, tmp_path, flags=(*FLAGS, "-Wno-unknown-pragmas"))
    for start in (0, 1, 5, 40):
        results = []
        for unit in (library, plain):
            memory = np.arange(60.0)
            index = np.array([3, 0, 3, 9, 2, 1 << 30], np.int32)
            places = memory.ctypes.data, memory.ctypes.data + 8 * start, index.ctypes.data
            unit.scatter(5, *map(ctypes.c_void_p, places))
            results.append(memory)
        np.testing.assert_array_equal(results[0], results[1])


def test_places_that_are_counted_on_are_read_first() -> None:
    """As a counting sort puts numbers where they belong: a declaration is one more statement."""

    def statements(body: str) -> list[tuple[str, str]]:
        signature = "int n, const int *key, int *restrict first, int *restrict out"
        text_ = f"void f({signature})\n{{\nfor (int i = 0; i < n; i++) {{ {body} out[at] = key[i]; }}\n}}\n"
        (found,) = read_source("f.c", text=text_, auto=True).scops
        return [(str(s.target), text(s.value)) for s in found.statements]

    apart = statements("int at = first[key[i]]; first[key[i]]++;")
    assert statements("const int at = first[key[i]]++;") == apart
    assert statements("int at; at = first[key[i]]++;") == apart
    assert statements("int at = ++first[key[i]];") == statements("first[key[i]]++; int at = first[key[i]];")
