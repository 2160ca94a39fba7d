"""Loops that nothing counts: read with an end that nobody waits for, run as long as the data say, also in lanes."""

from __future__ import annotations

import ctypes
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from pycparser import c_parser

from polyloop.api import compile_scop
from polyloop.backend.errors import CompileError
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.loop_nest import ENDLESS
from polyloop.backend.ir.loop_nest_text import nest_text, parse_nest
from polyloop.backend.ir.traversal import walk
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan, scalar_program
from polyloop.frontend import read_source
from polyloop.frontend.scopes import Refusal
from polyloop.frontend.unlimited import limited
from polyloop.lowering.order_check import same_results
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import make_data
from polyloop.scop.model import Scop
from polyloop.scop.size_choice import default_sizes
from polyloop.shaping.outer_lanes import outer_lanes
from polyloop.transforms.expand import Expand
from polyloop.transforms.scop_transform import IllegalScopTransformError
from tests.helpers.running import load_c, require

BODIES = {
    "bits": "unsigned v = a[i]; int c = 0; while (v) { v &= v - 1; c++; } out[i] = c;",
    "distance": "unsigned v = a[i] ^ b[i]; int c = 0; for (c = 0; v; c++) v &= v - 1; out[i] = c;",
    "logarithm": "unsigned v = a[i]; int c = 0; while (v >>= 1) c++; out[i] = c;",
    "divisor": "int x = a[i], y = b[i]; while (y) { int t = x % y; x = y; y = t; } out[i] = x;",
    "function": "out[i] = common(a[i], b[i]);",
    "collatz": "long x = a[i] + 1; int s = 0; do { x = x & 1 ? 3 * x + 1 : x / 2; s++; } while (x > 1); out[i] = s;",
    "power": "unsigned long r = 1, x = a[i], k = b[i];"
    " while (k > 0) { if (k & 1) r = r * x % 10007; x = x * x % 10007; k >>= 1; } out[i] = r;",
    "root": "int x = a[i], r = x, old; if (x > 1) do { old = r; r = (r + x / r) / 2; } while (r < old); out[i] = r;",
    "prime": "int x = a[i], p = x > 1; for (int d = 2; d * d <= x; d++) if (x % d == 0) { p = 0; break; } out[i] = p;",
    "digits": "int x = a[i], s = 0; while (1) { s += x % 10; x /= 10; if (!x) break; } out[i] = s;",
    "skipping": "int x = a[i], s = 0; while (x > 0) { x /= 3; if (x & 4) continue; s += x; } out[i] = s;",
    "series": "double x = a[i] * 0.001, t = 1, s = 0; int k = 0;"
    " while (t > 1e-9) { s += t; t = t * x / (double)(k + 1); k++; } out[i] = (int)(s * 8);",
    "best": "unsigned v = a[i]; int c = 0; while (v) { v /= 3; c++; } if (c > most) most = c; out[i] = most;",
}
SIZES = (0, 1, 7, 8, 67)


COMMON = "static int common(int x, int y) { while (y) { int t = x % y; x = y; y = t; } return x; }\n"


def text_of(name: str) -> str:
    """A function whose loop does this for every element."""
    return COMMON + (
        f"void {name}(int n, const int *a, const int *b, int *out)\n{{\n    int most = common(4, 6) - 2;\n"
        f"    for (int i = 0; i < n; i++) {{\n        {BODIES[name]}\n    }}\n}}\n"
    )


def read(text: str) -> Scop:
    file = read_source("t.c", text=text, auto=True)
    (scop,) = file.scops
    return scop


def ends(program: v.VectorProgram) -> list[bool]:
    """Of loops that only data end, whether they see that."""
    loops = [s for s in walk(program.body) if isinstance(s, v.For)]
    return [loop.going is not None for loop in loops if loop.upper.is_constant and loop.upper.constant == ENDLESS]


def test_they_end_where_the_data_say(tmp_path: Path) -> None:
    """As gcc has it, in order and, where that can be, in lanes; a loop that would not end is not made. All functions
    are in one file, whose headers compilers read once."""
    require("gcc")
    text = COMMON + "".join(text_of(name).removeprefix(COMMON) for name in BODIES)
    scops = read_source("t.c", text=text, auto=True).scops
    assert len(scops) == len(BODIES)
    in_order, in_lanes = [], []
    for scop in scops:
        assert scop.is_endless
        shaped = outer_lanes(Proofs(), scop)
        in_order.append(Replacement(scop, plan(lower(scop, original_tree(scop)), host_target(), contract=False)))
        lanes = plan(lower(shaped.scop, shaped.tree), host_target(), contract=False) if shaped is not None else None
        in_lanes.append(in_order[-1] if shaped is None else Replacement(shaped.scop, lanes))
    for replacement in (*in_order, *in_lanes):
        assert replacement.program is not None
        assert set(ends(replacement.program)) == {True}
    flags = ("-std=gnu99", "-O2", "-march=native", "-ffp-contract=off", "-shared", "-fPIC", "-w")
    original = load_c(text, tmp_path, flags=flags)
    emitted = (emit_c_file(text, replacements) for replacements in (in_order, in_lanes))
    libraries = [load_c(each, tmp_path, flags=("-fsanitize=undefined", *flags)) for each in emitted]
    for name, n in product(BODIES, SIZES):
        rng = np.random.default_rng(7 + n)
        a, b = rng.integers(0, 5000, (2, n), dtype=np.int32)
        a[::5], b[::3] = 0, 0
        results = []
        for library in (original, *libraries):
            out = np.full(n, -1, np.int32)
            getattr(library, name)(ctypes.c_int(n), *(ctypes.c_void_p(x.ctypes.data) for x in (a, b, out)))
            results.append(out)
        for out in results[1:]:
            np.testing.assert_array_equal(results[0], out, name)


def test_which_of_them_run_in_lanes() -> None:
    found = {name for name in BODIES if outer_lanes(Proofs(), read(text_of(name))) is not None}
    assert found >= {"bits", "distance", "logarithm", "collatz", "power", "series", "skipping"}


@pytest.mark.parametrize("body", ["while (*x) *x /= 2;", "for (;i < 9; i++) while (*x) do x++; while (*x > i);"])
def test_what_would_be_of_no_use_is_not_read(body: str) -> None:
    (function,) = c_parser.CParser().parse(f"void f(int i, int *x) {{ do {{ {body} }} while (0); }}").ext
    with pytest.raises(Refusal, match="an outer loop"):
        limited(tuple(function.body.block_items), None)  # type: ignore[arg-type]


LEFT = {
    "one inside of another": (
        "for (int i = 0; i < n; i++) { int x = a[i], s = 0;"
        " while (x > 0) { int y = x; while (y > 2) { y /= 2; s++; } x /= 5; } out[i] = s; }",
        "while loops are not static",
    ),
    "nothing around it": ("int v = a[0], c = 0; while (v) { v /= 2; c++; } out[0] = c;", "while loops are not static"),
    "an array that they walk through": (
        "for (int i = 0; i < n; i++) { int k = 0; while (a[k] > i) k++; out[i] = k; }",
        "while loops are not static",
    ),
    "a pointer that they walk with": (
        "for (int i = 0; i < n; i++) { const int *p = a + i; while (*p) p++; out[i] = *(p - 1); }",
        "while loops are not static",
    ),
    "elements that they write": (
        "for (int i = 0; i < n; i++) { int x = b[i], k = 0; while (x) { out[k++] = x % 10; x /= 10; } }",
        "while loops are not static",
    ),
}


@pytest.mark.parametrize("what", LEFT)
def test_others_stay(what: str) -> None:
    body, why = LEFT[what]
    file = read_source("t.c", text=f"void f(int n, const int *a, const int *b, int *out)\n{{ {body} }}\n", auto=True)
    assert not file.scops
    assert any(why in str(d.message) for d in file.diagnostics), file.diagnostics


def test_what_is_done_with_their_counters() -> None:
    """Sizes count some iterations; arrays have no place for all of them; symbols, which end nothing, run few."""
    scop = read(text_of("bits"))
    assert default_sizes(scop).values["n"] > 10_000
    numbers = make_data(scop, {"n": 1000})["a"]
    assert (numbers.min() > 0, numbers.max() > 4000) == (True, True)
    with pytest.raises(IllegalScopTransformError, match="no bounds that are affine"):
        Expand("if_1", (1,)).apply(scop)
    nest = lower(scop, original_tree(scop))
    assert same_results(scop, nest, nest)


def test_a_loop_that_would_not_end_is_not_made() -> None:
    text = "void f(const int *a, int *s)\n{ for (int q = 0; q < 12345; q++) if (a[q] > 2) s[0] += q; }\n"
    nest = nest_text(lower(read(text), original_tree(read(text))))
    assert nest.count("12345") == 1
    assert plan(parse_nest(nest), host_target())
    with pytest.raises(CompileError, match="a loop of f that only data end would not see that they do"):
        plan(parse_nest(nest.replace("12345", str(ENDLESS))), host_target())


def test_a_kernel_of_them_ends() -> None:
    """Nothing is left to compilers, which see no end of them."""
    scop = read(text_of("bits"))
    with pytest.raises(CompileError, match="would not see that they do"):
        scalar_program(lower(scop, original_tree(scop)))
    data = make_data(scop, {"n": 100})
    compile_scop(scop)(**data, n=100)
    assert data["out"].tolist() == [value.bit_count() for value in data["a"].tolist()]
