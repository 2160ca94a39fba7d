"""``if`` on data: what it is read as, and that every form of it does what gcc's code of the same text does."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, Self

import numpy as np
import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.expressions import Read, Select
from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan, scalar_program
from polyloop.backend.run.kernel import Kernel, compile_program
from polyloop.frontend import read_c
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.scop.model import Scop
from polyloop.transforms.expand import Expand
from polyloop.transforms.relayout import Relayout
from polyloop.transforms.scop_transform import IllegalScopTransformError
from tests.frontend.emission import in_lanes
from tests.frontend.evaluation import run_scop
from tests.helpers.running import assert_same, copied, interpreted, load_c, require

SIGNATURE = "int n, double *x, double *y, int *k, double (*a)[6], float *z"
LOOP = "for (int i = 0; i < n; i++)"

BODIES = {
    "store": "if (k[i] > 0) x[i] = y[i] * 2;",
    "update": "if (x[i] < 0) x[i] += y[i];",
    "update_where": "if (k[i] > 0) x[i] += 2 * y[i] / k[i];",
    "block": "if (k[i] & 1) { x[i] = y[i]; y[i] = k[i]; k[i] -= 3; }",
    "other_places": "if (k[i] > 0) { x[i] = y[i]; z[i + 1] = x[i]; } else { k[i] = 7; }",
    "same_places": "if (y[i] > 0) { x[i] = y[i]; z[i] = 1; } else { x[i] = -y[i]; z[i] = z[i] * 2; }",
    "other_order": "if (y[i] > 0) { x[i] = y[i]; z[i] = 1; } else { z[i] = 2; x[i] = 3; }",
    "counted": "if (y[i] > 0 && z[i] < 1) { x[i] = -1; k[n] += 2; } else x[i] = y[i];",
    "counted_between": "if (y[i] > 0) { x[i] = -1; k[n]++; z[i] = 2; } else { z[i] = x[i]; k[n]--; x[i] = k[n]; }",
    "counted_for_others": "if (y[i] > 0) { if (++k[n] > 2) x[i] = y[i]; z[i] = 1; } else { k[n] = 0; z[i] = 2; }",
    "sides_of_none": "z[i] = x[i]; if (y[i] > 0) { } else { ; } if (z[i] > 0) ; k[i] = 1;",
    "side_of_some": "if (y[i] > 0) { if (i > 3) x[i] = 1; } else x[i] = 2; if (y[i] < 0) z[i] = 1;"
    " else if (i < 5) z[i] = 2;",
    "other_order_of_one": "if (y[i] > 0) { a[i][1] = 1; a[i][2] = k[i]; } else a[i][2] = a[i][1] = y[i];",
    "other_order_of_equals": "if (y[i] > 0) { x[i] = 1; x[n / 2] = 2; } else { x[n / 2] = 3; x[i] = 4; }",
    "read_anyway": "double l = x[i], r = x[i + 1]; int j = k[i + 1]; if (k[i] > 0 && l > r) { z[i] = l; y[i] = j; }"
    " else { z[i] = r > 0 ? r : l; y[i] = k[i] < 2 ? j : 5; }",
    "own_place": "if (x[i] > 0) x[i] = 1; else x[i] = x[i] * x[i];",
    "ladder": "if (k[i] < -2) x[i] = 1; else if (k[i] < 0) x[i] = 2; else if (k[i] < 3) x[i] = y[i]; else x[i] = 4;",
    "ladder_places": "if (k[i] < -2) x[i] = 1; else if (k[i] < 0) y[i] = 2; else if (x[i] < 0) { k[i] = 1; z[i] = 3; }",
    "nested": "if (k[i] > 0) { x[i] = 3; if (x[i] * y[i] > 0) { y[i] = x[i]; k[i] = 0; } z[i] = y[i]; } else z[i] = 0;",
    "mixed": "if (i > 0 && x[i - 1] > 0 && i < n - 1) x[i + 1] = y[i - 1];",
    "mixed_else": "if (i > 0 && x[i - 1] > 0) x[i] = y[i - 1]; else y[i] = x[i];",
    "mixed_or": "if (i == 0 || x[i - 1] > y[i]) x[i] = y[i];",
    "negated": "if (!(x[i] > 0 || k[i] == 2)) { y[i] = x[i]; x[i] = 9; }",
    "truth": "if (k[i]) y[i] = 1 / (float)k[i]; if (x[i]) k[i]++;",
    "division": "if (k[i] != 0) k[i] = 100 / k[i]; else k[i] = n;",
    "called": "if (fabs(x[i]) > 0.5) x[i] = sqrt(fabs(x[i]));",
    "comma": "double d, e; if ((d = x[i], fabs(d)) > 0.5) { e = 1 / d; y[i] = sqrt(d * d + e * e); } else y[i] = 2;",
    "arguments": "double d, e; z[i] = fabs(d = x[i] - 1) + fabs(e = y[i]); if (fabs(d *= 2) > e) y[i] = d;",
    "commas": "double d, e; if ((d = x[i], fabs(d)) >= (e = y[i], fabs(e)) && (d = e, d < 2)) z[i] = d; y[i] = d;",
    "comma_behind": "int j; if (k[i] > 0 && (j = 100 / k[i], j > 20)) k[i] = j; y[i] += (j = k[i] - 1, j * j);",
    "comma_of_values": "double d, e; d = x[i], e = y[i]; x[i] = d >= e ? d : e; y[i] = (d = -d, e = e + d, d - e) / 2;",
    "counter": "if ((i * k[i]) % 3 == 1) x[i] = i;",
    "chained": "if (k[i] > 1) x[i] = y[i] = k[i];",
    "before": "if (i > 0 && k[i - 1] > 0) k[i] = k[i - 1] - 1;",
    "last_changes": "if (y[i] > x[i]) { z[i] = y[i]; x[i] = y[i]; }",
    "continues": "if (x[i] < 0) continue; y[i] = sqrt(x[i]); if (k[i] > 2) { k[i] = 0; continue; } x[i] = 0;",
    "continues_inside": "if (k[i] > 0) { if (x[i] < 0) continue; k[i] = 0; } else if (k[i] < -1) x[i] += 2; else"
    " continue; y[i] = sqrt(fabs(x[i])) + k[i];",
    "hidden_inside": "int m = 3; if (k[i] > 0) { int m = k[i]; if (x[i] < 0) continue; k[i] = m + 1; } y[i] = m;"
    " switch (k[i] & 3) { case 0: { int s = 7; if (x[i] > 0) break; y[i] += s; } k[i] = 2; break; default: k[i]++; }",
    "choice": "switch (k[i]) { case 0: x[i] = 1; break; case 1: case -2: y[i] = x[i]; k[i] = 5; break; "
    "case 5: { x[i] = 3; break; } default: y[i] = k[i]; }",
    "choice_without_default": "switch (k[i] & 3) { case 0: x[i] = 1; break; case 3: if (y[i] > 0) k[i] = 9; }",
    "kinds": "double d = y[i] / (k[i] - 1), e = y[i] * 0 / k[i], f = k[i] == 2 ? NAN : d * e; if (isnan(e)) x[i] = 1;"
    " if (!isfinite(d) && !isnan(d)) x[i] += 2; if (isinf(d) > 0) y[i] = -INFINITY; if (signbit(e)) k[i] = 9;"
    " if (isunordered(d, e) || isgreater(d, e)) z[i] = 4;"
    " a[i][1] = isnan(f) ? __builtin_fabs(x[i]) : __builtin_abs(k[i]);",
    "skips": "if (y[i] < 0) goto next; x[i] = 1; if (k[i] > 2) goto next; x[i] = y[i]; next: z[i] = x[i];",
    "skips_to_the_end": "if (y[i] < 0) goto end; x[i] = 1; { if (k[i] > 2) { z[i] = 2; goto end; } } x[i] = 3; end: ;",
    "either": "if (y[i] < 0) goto other; x[i] = y[i]; goto done; other: z[i + 1] = x[i]; done: k[i] = 3;",
    "neither": "if (k[i] <= 0) { goto other; } else { goto one; } other: x[i] = 1; goto done; one: y[i] = 2; done: ;",
    "out_of_both": "if (k[i] > 0) goto other; y[i] = -y[i]; if (y[i] <= x[i]) goto done; z[i] = 1; goto done; "
    "other: z[i] = 2; done: x[i] = y[i] + z[i];",
    "histogram": "if (k[i] > 0) x[k[i] % 3] += y[i];",
    "looked_up": "if (k[i] >= 0) y[i] = x[k[i] % 3]; else y[i] += 1;",
    "local": "double t = 0; if (k[i] > 0) { double u = x[i] * y[i]; t = u + 1; } x[i] = t;",
    "local_both": "double t; if (k[i] > 0) t = x[i]; else t = y[i]; x[i] = t * t;",
    "loop": "if (k[i] > 0) { for (int j = 0; j < 6; j++) { a[i][j] += x[i]; k[i] -= 1; } y[i] = a[i][0]; }",
    "loop_stable": "if (k[i] > 0) for (int j = 0; j < 6; j++) a[i][j] *= x[i];",
    "loop_inside": "for (int j = 0; j < 6; j++) if (a[i][j] > x[i]) { a[i][j] = x[i]; y[i] += 1; }",
    "loop_local": "if (x[i] > 0) { double s = 0; for (int j = 0; j < 6; j++) s += a[i][j]; x[i] = s; } else x[i] = 1;",
    "loop_bound": "if (k[i] > 2 && i < 5) { k[i] = 0; for (int j = i; j < 6; j++) if (a[i][j] < 0) a[i][j] = k[i]; }",
    "row_count": "for (int j = 0; j < 6; j++) if (a[i][j] > 0) k[i]++;",
    "row_sum": "for (int j = 0; j < 6; j++) if (a[i][j] > y[i]) k[i] += k[j % 2 + n] * j;",
    "cell": "if (x[i] > y[0]) y[0] = x[i];",
    "falls": "switch (k[i]) { case 2: case 3: x[i] += 2; /* on */ case 1: x[i] *= 3; if (y[i] > 0) z[i] = 2; break; "
    "default: x[i] = 0; case 4: y[i] = 1; case 5: z[i] = x[i]; }",
    "once": "do { double t = x[i]; do { x[i] = y[i]; } while (0); y[i] = t; } while (0);",
    "around": "z[i] = y[(i + 1) % n] - y[(i + n - 1) % n] + (i + 1) / n;",
    "around_twice": "for (int j = -1; j <= 1; j++) z[i] += y[(i + j + n) % n] * y[(i + j + n) / n];",
    "blocks": "memset(a[i], 0, 3 * sizeof(double)); memcpy(a[i] + 3, y, 2 * sizeof *y); if (k[i] > 0) "
    "memcpy(&x[i], &y[i], sizeof *x); memset(z + i, 0, sizeof(float) * (i % 2));",
    "rows": "double u[3][4], v[3][4]; memset(u, 0, sizeof u); u[1][2] = x[i]; memcpy(v, u, sizeof(double) * 12); "
    "v[2][3] = 5; memcpy(&u[0][0], &v[0][0], sizeof u); memset(v + 1, 0, sizeof *v); memmove(u, u + 1, 2 * sizeof *u); "
    "y[i] = u[0][2] + 10 * u[1][3] + 100 * v[1][2] + v[2][3];",
    "bytes": "signed char t[8]; int v = k[i]; memset(t, v, 8); memset(t + 2, -3, 3); k[i] = t[1] * t[4] + t[7];",
    "moved": "memmove(a[i], a[i] + 2, 4 * sizeof(double)); memmove(&a[i][1], a[i], 3 * sizeof **a); "
    "double t[5] = {1, 2, 3, 4, 5}; memmove(t + n % 3, t, 2 * sizeof *t); memmove(t, &t[i % 2], sizeof(double) * 3); "
    "x[i] = t[0] + 10 * t[2] + 100 * t[3];",
    "valued": "const double t = ({ double v = x[i]; v * v; }); "
    "x[i] += ({ double v = t; if (v > 1) v = 1; v + y[i]; });",
    "evenly": "z[i] = y[i & ~1] + x[i & -4];",
    "stops": "if (k[i] < 0) break; x[i] = y[i]; z[i + 1] = x[i];",
    "found": "int at = -1; for (int j = 0; j < 6; j++) if (a[i][j] > x[i]) { at = j; break; } k[i] = at;",
    "found_counter": "int j; for (j = 0; j < 6; j++) { if (a[i][j] > x[i]) break; a[i][j] += 1; } "
    "k[i] = j; y[j % 2] = j;",
    "found_unsigned": "unsigned j; for (j = 0; j < 6u; j++) if (a[i][j] > (j - 1) / 2 - 1.5) break; k[i] = j;",
    "found_by_function": "int j; for (j = 0; j < 6; j++) { if (fabs(a[i][j]) > 1) break; a[i][j] += 1; } k[i] = j;",
    "found_by_header": "int j; for (j = 5; j >= 0 && a[i][j] < x[i]; j--) a[i][j] = j; k[i] = j;",
    "shifted": "int j = 4; double key = x[i]; while (j >= 0 && a[i][j] > key) { a[i][j + 1] = a[i][j]; j--; } "
    "a[i][j + 1] = key; k[i] = j;",
    "escaped": "int it = 0; double u = x[i]; while (u * u < 4 && it < 9) { u = u * u + y[i]; ++it; } k[i] = it; "
    "z[i] = u;",
    "comma_row": "double d, e, f; e = x[i], f = (d = y[i], fabs(d)); y[i] = e > f ? e : f;",
    "assigned_test": "double d, e; if ((d = fabs(x[i])) > (e = fabs(y[i])) && d < 3) z[i] = d / e; else z[i] = e;",
    "stored_test": "if ((x[i] = y[i] * 2) > 3) z[i] = 0; if ((y[i] += 1) > 2 || z[i] > 0) k[i] = 7;",
    "stepped_test": "unsigned char c = 255; int d = k[i]; if (++c < 9 && y[i] > --d) x[i] = c; if (--d > 2) z[i] = d;",
    "stepped_cells": "if (++k[n] > 2) { k[n] = 0; x[i] = 1; } if (--*k < 1 && y[i] > 0) z[i] = *k;",
    "narrowed_test": "signed char c; if ((c = k[i] * 100) > 4) x[i] = c; else y[i] = c;",
    "unlike": "int same = 1; for (int j = 0; j < 6 && same; j++) if (a[i][j] < x[i]) same = 0; k[i] = same;",
    "found_again": "for (int j = 0; j < 6; j++) { if (a[i][j] < 0) continue; y[i] += a[i][j]; if (y[i] > 3) break; "
    "a[i][j] = 1; for (int l = 5; l > j; l -= 2) { if (a[i][l] > 1) break; a[i][l] = 0; } }",
    "found_below": "int j, v = k[i]; for (j = 0; j < 6; j++) if (v < (1 << j) - 3) break; k[i] = j;",
    "found_above": "int j; for (j = 0; j < 6; j++) if (x[i] < j - 2) break; k[i] = j;",
    "found_for_copy": "double t = x[i]; int j = 0; while (j < 6 && t > j * y[i]) j++; z[i] = j;",
    "same_end": "if (k[i] > 0) { double t = x[i]; y[i] = t * t; } "
    "else { double t = y[i], u = t + x[i]; y[i] = u / 2; }",
    "same_ends": "if (x[i] > y[i]) { k[i] += 2; x[i] = k[i]; z[i] = 1; } "
    "else { double d = x[i]; x[i] = d - 1; z[i] = d; }",
    "same_end_of_one": "double t = 1; if (k[i] & 1) x[i] = t; else { t = y[i] * 2; x[i] = t; } y[i] = t;",
    "same_end_shared": "double t; if (k[i] & 1) { t = 3; x[i] = t + 1; } else { t = y[i] * 2; x[i] = t; }",
    "cell_sum": "if (x[i] > 0) { y[0] += x[i]; k[0]++; }",
}
"""Bodies of a loop over i. Arrays have more elements than n."""

FUNCTIONS = {
    "largest": f"double m = x[0]; int at = 0;\n#pragma scop\n{LOOP} if (x[i] > m) {{ m = x[i]; at = i; }}\n"
    "#pragma endscop\ny[0] = m; k[0] = at;",
    "total": f"double s = 0; int c = 0;\n#pragma scop\n{LOOP} {{ if (k[i] > 0) {{ s += x[i]; c++; }} else s -= 1; }}\n"
    "#pragma endscop\ny[0] = s; k[0] = c;",
    "search": "int i, at = -1;\n#pragma scop\nfor (i = 0; i < n; i++) if (x[i] > 1) { at = k[i]; break; }\n"
    "#pragma endscop\ny[0] = i; k[0] = at;",
    "own": f"double s;\n#pragma scop\n{LOOP} if (x[i] > y[i]) {{ s = x[i] - y[i]; k[i] += s; x[i] = s; }}\n"
    "#pragma endscop",
    "own_in_loops": f"double s; int j;\n#pragma scop\n{LOOP} if (x[i] > y[i]) {{ "
    "for (j = 0; j < 6; j++) { s = 0; s += a[i][j]; "
    "if (k[i] > 1) { s = 2 * s; } a[i][j] = s; } for (j = i; j < 3; j++) { s = x[i]; a[i][j] -= s; } }\n"
    "#pragma endscop",
    "own_in_some": f"double s = 4;\n#pragma scop\n{LOOP} if (x[i] > y[i]) {{ if (k[i] > 0) s = y[i]; x[i] = s; }}\n"
    "#pragma endscop",
    "own_in_no_turn": f"double s = 4; int j;\n#pragma scop\n{LOOP} if (x[i] > y[i]) {{ "
    "for (j = 0; j < i - 2; j++) s = y[j]; x[i] = s; }\n#pragma endscop",
    "own_after": f"double s = 4;\n#pragma scop\n{LOOP} if (x[i] > y[i]) {{ s = x[i] - y[i]; x[i] = s; }}\n"
    "#pragma endscop\ny[0] = s;",
    "address_later": "int i, m;\n#pragma scop\nm = n; for (i = 0; i < m; i++) if (k[i] > 0) x[i] += y[i];\n"
    "#pragma endscop\ni = 3; { int *p = &i; *p += 2; p = &m; *p += k[0]; } k[0] = i + m;",
    "stepped_behind": f"unsigned c = 1; long d = k[0];\n#pragma scop\n{LOOP} {{ if (c-- == 0 || x[i] > 2) {{ x[i] = c;"
    f" c = 3; }} if (d++ > 1 && y[i] > d) d = -k[i]; }}\n#pragma endscop\ny[0] = c; k[0] = d;",
    "least": f"float m = 100;\n#pragma scop\n{LOOP} if (z[i] < m) m = z[i];\n#pragma endscop\nz[0] = m;",
}
"""Bodies of functions, whose scalars live on."""


class Functions(NamedTuple):
    """text: the C file; scops: by function; original, emitted: it, and what is emitted for it, compiled."""

    text: str
    scops: dict[str, Scop]
    original: ctypes.CDLL
    emitted: ctypes.CDLL


def source() -> Iterator[str]:
    yield "#include <math.h>\n#include <string.h>\n"
    for name, body in BODIES.items():
        region = f"#pragma scop\n{LOOP} {{ {body} }}\n#pragma endscop\n"
        yield f"void {name}({SIGNATURE})\n{{\n{region}}}\n"
    for name, body in FUNCTIONS.items():
        yield f"void {name}({SIGNATURE})\n{{\n{body}\n}}\n"


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> Functions:
    require("gcc")
    text, folder = "".join(source()), tmp_path_factory.mktemp("predicates")
    (folder / "cases.c").write_text(text, encoding="utf-8")
    scops = {scop.name: scop for scop in read_c(folder / "cases.c")}
    programs = [Replacement(s, plan(lower(s, in_lanes(s)), host_target(), contract=False)) for s in scops.values()]
    return Functions(text, scops, load_c(text, folder), load_c(emit_c_file(text, programs), folder))


def data(n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(n)
    x = rng.uniform(-2, 2, n + 2)
    x[n // 3] = np.nan  # neither less than a number nor not
    return {
        "x": x,
        "y": rng.uniform(-2, 2, n + 2),
        "k": rng.integers(-5, 6, n + 2).astype("i4"),
        "a": rng.uniform(-2, 2, (n + 2, 6)),
        "z": rng.uniform(-2, 2, n + 2).astype("f4"),
    }


def call(library: ctypes.CDLL, name: str, n: int) -> dict[str, np.ndarray]:
    arrays = data(n)
    getattr(library, name)(n, *(ctypes.c_void_p(arrays[key].ctypes.data) for key in "xykaz"))
    return arrays


@pytest.mark.parametrize("n", [0, 1, 2, 5, 33])
def test_emitted_code_does_what_gcc_does(functions: Functions, n: int) -> None:
    assert functions.scops.keys() == BODIES.keys() | FUNCTIONS.keys()
    for name in functions.scops:
        assert_same(call(functions.original, name, n), call(functions.emitted, name, n), name)


@pytest.mark.parametrize("n", [0, 1, 5, 12])
def test_interpreter_and_kernels_do_what_gcc_does(functions: Functions, n: int) -> None:
    for name in BODIES:
        scop, expected = functions.scops[name], call(functions.original, name, n)
        sizes, arrays = {"n": n}, {array.name: data(n)[array.name] for array in scop.arrays if not array.local}
        expected = {key: expected[key] for key in arrays}
        by_points = copied(arrays)
        run_scop(scop, {**by_points, **sizes})
        assert_same(expected, by_points, name)
        nest, kernels = _compiled(scop)
        assert_same(expected, interpreted(nest, sizes, arrays, contract=False), name)
        for kernel in kernels:
            result = copied(arrays)
            kernel(**{spec.name: result[spec.name] for spec in kernel.signature.arguments}, **sizes)
            assert_same(expected, result, name)


@cache  # called with several sizes
def _compiled(scop: Scop) -> tuple[LoopNest, list[Kernel]]:
    """In lanes, and as kernels: of the loops alone, and planned."""
    nest = lower(scop, in_lanes(scop))
    programs = (scalar_program(nest, contract=False), plan(nest, host_target(), contract=False))
    return nest, [compile_program(program, contract=False) for program in programs]


class Fenced:
    """Memory of which only one page is there, and views of arrays that lie in it only in part."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 3 * mmap.PAGESIZE)
        whole = np.frombuffer(self._memory, np.uint8)
        self.start = whole.ctypes.data + mmap.PAGESIZE
        for page in (whole.ctypes.data, self.start + mmap.PAGESIZE):
            assert self._protect(page, 0) == 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for page in (self.start - mmap.PAGESIZE, self.start + mmap.PAGESIZE):
            assert self._protect(page, mmap.PROT_READ | mmap.PROT_WRITE) == 0

    def _protect(self, page: int, rights: int) -> int:
        return int(ctypes.CDLL(None).mprotect(ctypes.c_void_p(page), mmap.PAGESIZE, rights))

    def array(self, kind: str, length: int, first: int, last: int) -> np.ndarray:
        """Of whose elements only those from first up to last are there: at the page's end, or at its beginning."""
        size = np.dtype(kind).itemsize
        address = self.start - first * size if first else self.start + mmap.PAGESIZE - last * size
        found = np.ctypeslib.as_array((ctypes.c_char * (length * size)).from_address(address)).view(kind)
        found[first:last] = np.linspace(-1, 1, last - first)
        return found


def test_what_branches_alone_use_keeps_no_value_outside(functions: Functions) -> None:
    def keeps(name: str) -> bool:
        first = next(s.value for s in functions.scops[name].statements if s.target == e.Access("s", ()))
        return isinstance(first, Select) and first.otherwise == Read(e.Access("s", ()), first.type)

    assert not keeps("own_in_loops")
    assert keeps("own_in_some")
    assert keeps("own_in_no_turn")
    assert keeps("own_after")


def test_sides_may_assign_in_another_order(functions: Functions) -> None:
    def conditional(name: str) -> list[bool]:
        return [s.conditional for s in functions.scops[name].statements]

    assert conditional("same_places") == conditional("other_order") == conditional("other_order_of_one") == [False] * 2
    assert [str(s.target) for s in functions.scops["counted"].statements if not s.conditional] == ["x[i]"]
    places = [str(s.target) for s in functions.scops["counted_between"].statements]
    assert places == ["k[n]", "z[i]", "z[i]", "k[n]", "x[i]"]  # z[i] is what x[i] was, and x[i] what k[n] is
    places = [str(s.target) for s in functions.scops["counted_for_others"].statements]
    assert places == ["k[n]", "x[i]", "k[n]", "z[i]"]  # whether x[i] is stored to asks for the count
    assert conditional("other_order_of_equals") == [True] * 4  # x[i] and x[n / 2] may be one place


@pytest.mark.parametrize("name", ["store", "update_where", "other_places", "stops"])
def test_nothing_else_is_touched(functions: Functions, name: str) -> None:
    """Elements for which the condition does not hold may not even be there."""
    scop = functions.scops[name]
    nest = lower(scop, in_lanes(scop))
    programs = (scalar_program(nest, contract=False), plan(nest, host_target(), contract=False))
    runs: list[ctypes.CDLL | Kernel] = [functions.original, functions.emitted]
    runs += [compile_program(program, contract=False) for program in programs]
    for first, last in ((0, 11), (0, 1), (0, 0), *(((53, 64), (61, 64)) if name != "stops" else ())):
        expected, *others = (fenced(run, name, first, last) for run in runs)
        for result in others:
            assert_same(expected, result, f"{name} of {first} to {last}")


def fenced(run: ctypes.CDLL | Kernel, name: str, first: int, last: int) -> dict[str, np.ndarray]:
    """What there is of the arrays behind a call in which the condition holds from first up to last."""
    n = 64
    with Fenced() as x, Fenced() as y, Fenced() as z:
        where = np.arange(n + 2)
        behind = first + bool(first), last + 1
        arrays = {
            "x": x.array("f8", n + 2, first, last),
            "y": y.array("f8", n + 2, first, last),
            "k": np.where((where >= first) & (where < last), 1, -1).astype("i4"),
            "a": np.zeros((n + 2, 6)),
            "z": z.array("f4", n + 3, *behind),
        }
        if isinstance(run, Kernel):
            run(n=n, **{spec.name: arrays[spec.name] for spec in run.signature.arguments})
        else:
            getattr(run, name)(n, *(ctypes.c_void_p(arrays[key].ctypes.data) for key in "xykaz"))
        arrays |= {"x": arrays["x"][first:last], "y": arrays["y"][first:last], "z": arrays["z"][slice(*behind)]}
        return copied(arrays)


def test_no_copies_of_what_might_not_be_touched(functions: Functions) -> None:
    scop = functions.scops["loop_inside"]
    writer = next(s for s in scop.statements if s.conditional and s.target.array == "a")
    with pytest.raises(IllegalScopTransformError, match="only where a condition on data holds"):
        Expand("a", (0,)).apply(scop)
    with pytest.raises(IllegalScopTransformError, match="only where a condition on data holds"):
        Relayout(writer.name, writer.target, (1, 0)).apply(scop)
