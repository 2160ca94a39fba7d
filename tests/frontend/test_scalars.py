# ruff: noqa: E501  (inputs are shorter to read on one line)
"""Integers that loops compute, loop headers of all forms, break and continue: what they are read as, and what runs.

Every form stands beside plain loops that are read as the very same Scop; then all of them are one C file, whose
functions gcc, the interpreter, the compiled kernels and the emitted file compiled by gcc must agree on.
"""

from __future__ import annotations

import ctypes
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import islpy as isl
import numpy as np
import pytest
from pycparser import c_ast

from polyloop.arithmetic import Arithmetic
from polyloop.backend.ir.affine import Compare, affine
from polyloop.backend.ir.expressions import I32
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.backend.run.kernel import compile_program
from polyloop.frontend import read_c, read_source
from polyloop.frontend.induction import Polynomials
from polyloop.frontend.regions import exposed_use
from polyloop.frontend.scopes import Declarations, Scope, Symbol, walk_nodes
from polyloop.frontend.statement_values import StatementValues
from polyloop.frontend.syntax import operation, replaced
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.data import checked_sizes
from polyloop.scop.model import Scop
from tests.frontend.evaluation import _view, assumptions_hold, run_scop
from tests.helpers.running import FLAGS, load_c, require

SIGNATURE = "int n, int m, double *a, double *b, int *c"
LOCALS = {"i": -3, "j": -5, "k": 4, "l": 6}
# What no reader of the region knows.
UNKNOWN = "int i = c[4], j = c[5], k = c[6], l = c[7];"


@dataclass(frozen=True)
class Form:
    """A region, plain loops that do the same, a variable that is read behind it, what stands before it, and the values
    of the parameters that it computes."""

    body: str
    plain: str
    live: str = ""
    before: str = ""
    derived: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str, body: str) -> str:
        live = f"c[0] = {self.live};" if self.live else ""
        region = f"#pragma scop\nORIGINAL; {body}\n#pragma endscop\n"
        return f"void {name}({SIGNATURE})\n{{\n{UNKNOWN}\n{self.before}\n{region}{live}\n}}\n"


STEPS = "(m > 0 and max(0, (n - 1 + m - 1) // m)) or 0"

DERIVED = {
    "product": Form("for (i = 0; i < n*m; i++) a[i] += b[i];", "for (int i = 0; i < n_m; i++) a[i] += b[i];", derived={"n_m": "n * m"}),
    "product by another name": Form("int N = 2*n*m; for (i = 0; i < N; i++) { a[i] = 0; if (i >= n*m) b[i] = 1; }",
        "for (int i = 0; i < 2*n_m; i++) { a[i] = 0; if (i >= n_m) b[i] = 1; }", derived={"n_m": "n * m"}),
    "three factors": Form("for (i = 0; i < n*m*n; i++) a[i] += 1;", "for (int i = 0; i < n_m_n; i++) a[i] += 1;", derived={"n_m_n": "n * m * n"}),
    "quotient": Form("k = n / m; for (i = 0; i < k; i++) a[i] += b[i + k]; for (i = 0; i < n % m; i++) b[i] += 1;",
        "for (int i = 0; i < n_over_m; i++) a[i] += b[i + n_over_m]; for (int i = 0; i < n_modulo_m; i++) b[i] += 1;",
        derived={"n_over_m": "int(n / m)", "n_modulo_m": "n - int(n / m) * m"}),
    "steps of a parameter": Form("for (i = 0; i < n - 1; i += m) a[i] += 1;", "for (int i = 0; i < steps; i++) a[m*i] += 1;",
        derived={"steps": STEPS}),
    "steps read behind": Form("k = 1; for (i = 0; i < n - 1; i += m) { a[i] += b[k]; k += 2; }",
        "for (int i = 0; i < steps; i++) a[m*i] += b[1 + 2*i]; k = 1 + 2*(0 < steps ? steps : 0);", "k", derived={"steps": STEPS}),
    "Fortran's steps": Form("int i__1 = n - 2, i__2 = m; for (i = 0; i__2 < 0 ? i >= i__1 : i <= i__1; i += i__2) a[i] += 1;",
        "for (int i = 0; i < steps; i++) a[m*i] += 1;", derived={"steps": STEPS}),
    "running on behind": Form("for (i = 0; i < n; i++) a[k++] = b[i];",
        "for (int i = 0; i < n; i++) a[k_before + i] = b[i]; k = k_before + (0 < n ? n : 0);", "k", derived={"k_before": "k"}),
}  # fmt: skip

FORMS = {
    # integers that are computed
    "assigned inside": Form(
        "for (i = 0; i < n; i++) for (j = 0; j < m; j++) { int at; at = i*m + j; a[at] += b[at]; at = i; a[at] -= 1; }",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { a[i*m + j] += b[i*m + j]; a[i] -= 1; }"),
    "assigned outside": Form(
        "for (i = 0; i < n; i++) { k = 2*i; l = k + 1; a[l] = b[k]; k += 1; a[k + 1] = 3; }",
        "for (int i = 0; i < n; i++) { a[2*i + 1] = b[2*i]; a[2*i + 2] = 3; }"),
    "copies of bounds": Form(
        "int i__1 = n; for (i = 1; i <= i__1; ++i) a[i] = 0; i__1 = m; for (i = 1; i <= i__1; ++i) b[i] = 0;",
        "for (int i = 1; i <= n; ++i) a[i] = 0; for (int i = 1; i <= m; ++i) b[i] = 0;"),
    "parameter assigned": Form("n = n - 1; for (i = 0; i < n; i++) a[i] = a[i + 1];",
        "for (int i = 0; i < n - 1; i++) a[i] = a[i + 1];"),
    "halves": Form("k = n / 2; for (i = 0; i < k; i++) a[i] = a[i + k]; k /= 2; for (i = 0; i < k; i++) b[i] = a[i];",
        "for (int i = 0; i < n / 2; i++) a[i] = a[i + n / 2]; for (int i = 0; i < n / 2 / 2; i++) b[i] = a[i];"),
    "chosen": Form("for (i = 0; i < n; i++) { if (i < m) k = i; else k = i + m; a[k] = 0; }",
        "for (int i = 0; i < n; i++) a[i < m ? i : i + m] = 0;"),
    "clamped": Form("for (i = 0; i < n; i++) { int lo = i - 1; if (lo < 0) lo = 0; a[i] = b[lo]; }",
        "for (int i = 0; i < n; i++) a[i] = b[i - 1 < 0 ? 0 : i - 1];"),
    "shadowed": Form(
        "for (i = 0; i < n; i++) { int k = i; for (int i = 0; i < m; i++) { int l = k + i; a[l] += 1; l = 2*i; b[l] += k; } }",
        "for (int i = 0; i < n; i++) for (int i_2 = 0; i_2 < m; i_2++) { a[i + i_2] += 1; b[2*i_2] += i; }"),
    # running indices
    "running": Form("k = 0; for (i = 0; i < n; i++) { a[k] = b[i]; k += 2; }", "for (int i = 0; i < n; i++) a[2*i] = b[i];"),
    "running in subscripts": Form("k = 1; for (i = 0; i < n; i++) { a[k++] = b[i]; a[k++] = b[i] + 1; }",
        "for (int i = 0; i < n; i++) { a[2*i + 1] = b[i]; a[2*i + 2] = b[i] + 1; }"),
    "running before": Form("for (i = 0; i < n; i++) a[++k] = b[i];", "for (int i = 0; i < n; i++) a[i] = b[i];", before="k = -1;"),
    "running from anywhere": Form("for (i = 0; i < n; i++) a[k++] = b[i];", "for (int i = 0; i < n; i++) a[k + i] = b[i];"),
    "running through rows": Form("k = 0; for (i = 0; i < n; i++) for (j = 0; j < m; j++) { a[k] += b[k]; k++; }",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i*m + j] += b[i*m + j];"),
    "running rows": Form("k = 0; for (i = 0; i < n; i++) { for (j = 0; j < m; j++) a[k + j] = b[j]; k += m; }",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i*m + j] = b[j];"),
    "running down": Form("k = 2*n; for (i = 0; i < n; i++) { a[i] = b[k]; --k; k--; }", "for (int i = 0; i < n; i++) a[i] = b[2*n - 2*i];"),
    "running in long": Form("long p = 3; for (i = 0; i < n; i++) { a[p] = b[i]; p += 3; }", "for (int i = 0; i < n; i++) a[3*i + 3] = b[i];"),
    "several steps": Form("k = 0; for (i = 0; i < n; i += 5) a[k++] = b[i];", "for (long i = 0; 5*i < n; i++) a[i] = b[5*i];"),
    "by parameter": Form("k = 0; for (i = 0; i < n; i++) { for (j = 0; j < m; j++) a[k + j] = 1; k += m + 2; }",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i*(m + 2) + j] = 1;"),
    "wrap-around": Form("k = n - 1; for (i = 0; i < n; i++) { a[i] = b[k]; k = i; }",
        "for (int i = 0; i < n; i++) a[i] = b[i == 0 ? n - 1 : i - 1];"),
    "wrap-around that does not": Form("k = 0; for (i = 1; i < n; i++) { a[i] = b[k]; k = i; }", "for (int i = 1; i < n; i++) a[i] = b[i - 1];"),
    "taking turns": Form("k = 0; for (j = 0; j < 3; j++) { for (i = 0; i < n; i++) a[2*i + k] = b[2*i + 1 - k]; k = 1 - k; }",
        "for (int j = 0; j < 3; j++) for (int i = 0; i < n; i++) a[2*i + (j % 2 == 0 ? 0 : 1)] = b[2*i + 1 - (j % 2 == 0 ? 0 : 1)];"),
    # headers
    "two counters": Form("for (i = 0, j = n - 1; i < j; i++, j--) { double t = a[i]; a[i] = a[j]; a[j] = t; }",
        "for (int i = 0; i < n - 1 - i; i++) { double t = a[i]; a[i] = a[n - 1 - i]; a[n - 1 - i] = t; }"),
    "chained": Form("for (i = k = 0; i < n; i++) { a[k] = b[i]; k += 2; }", "for (int i = 0; i < n; i++) a[2*i] = b[i];"),
    "chained from a number": Form("for (i = k = m; i < n; i++) a[k++] = 1;", "for (int i = m; i < n; i++) a[i] = 1;"),
    "set by an inner loop alone": Form(
        "int p, q; for (p = 0; p < 3; p++) for (q = 1; q < 5; q++) a[p] += b[q]; a[q + p] = b[q - 1];",
        "for (int p = 0; p < 3; p++) for (int q = 1; q < 5; q++) a[p] += b[q]; a[8] = b[4];"),
    "two declared": Form("for (int p = 0, q = 1; p < n; p++, q += 2) a[q] = b[p];", "for (int p = 0; p < n; p++) a[2*p + 1] = b[p];"),
    "set before": Form("i = 2; for (; i < n; i++) a[i] = 0; for (; i < m; i++) a[i] = 1;",
        "for (int i = 2; i < n; i++) a[i] = 0; for (int i = 2 < n ? n : 2; i < m; i++) a[i] = 1;"),
    "counted down": Form("for (i = n; i-- > 0;) a[i] = a[i + 1];", "for (int i = n; i > 0; i--) a[i - 1] = a[i];"),
    "unsigned down": Form("for (unsigned u = n < 0 ? 0 : n; u-- > 0;) a[u] = a[u + 1];",
        "for (unsigned u = n < 0 ? 0 : n; u > 0; u--) a[u - 1] = a[u];"),
    "running beside an unsigned counter": Form("for (unsigned u = m; u > 0; u--) { a[k] = k; k--; }",
        "for (unsigned u = m; u > 0; u--) a[k - (int)((unsigned)m - u)] = k - (int)((unsigned)m - u);"),
    "size down": Form("size_t u = m; while (u--) a[u] = b[u];", "for (size_t u = m; u > 0; u--) a[u - 1] = b[u - 1];"),
    "while": Form("i = 0; while (i < n) { a[i] = 0; i++; }", "for (int i = 0; i < n; i++) a[i] = 0;"),
    "while with a step inside": Form("i = 1; while (i <= n) { a[i] = b[i++]; }".replace("b[i++]", "b[0]; ++i"), "for (int i = 1; i <= n; i++) a[i] = b[0];"),
    "do": Form("i = 0; do { a[i] = 0; i++; } while (i < n);", "for (int i = 0; i == 0 || i < n; i++) a[i] = 0;"),
    "do down": Form("i = m; do { a[i] = 0; } while (--i > 0);", "for (int i = m; i == m || i > 0; i--) a[i] = 0;"),
    "moved in the body": Form("for (i = 0; i < n; i++) { a[i] = 1; i++; a[i] = 2; }",
        "for (int i = 0; i < n; i += 2) { a[i] = 1; a[i + 1] = 2; }"),
    "used behind": Form("for (i = 0; i < n; i++) a[i] = 0; a[i] = 1;", "for (int i = 0; i < n; i++) a[i] = 0; a[0 < n ? n : 0] = 1;"),
    "not equal": Form("k = 0; for (i = 0; i != 2*m; i += 2) { a[i] = b[k]; k += 3; }",
        "for (long i = 0; 2*i != 2*m; i++) a[2*i] = b[3*i];"),
    "once, as a macro has it": Form("for (i = 0; i < n; i++) do { a[i] = 0; } while ((void)0, 0);", "for (int i = 0; i < n; i++) a[i] = 0;"),
    "not used": Form("for (i = 0; i < n; i++) { (void)m; a[i] = ((void)k, (void)j, b[i]) + 1; }", "for (int i = 0; i < n; i++) a[i] = b[i] + 1;"),
    # read behind the region
    "counter read behind": Form("for (i = 0; i < n; i++) a[i] = 0;", "for (int i_2 = 0; i_2 < n; i_2++) a[i_2] = 0; i = 0 < n ? n : 0;", "i"),
    "step read behind": Form("for (i = 1; i < n; i += 3) a[i] = 0;",
        "for (int i_2 = 1; i_2 < n; i_2 += 3) a[i_2] = 0; i = (int)(1L + ((long)n - 1L > 0 ? ((long)n - 1L + 2) / 3 : 0) * 3);", "i"),
    "running read behind": Form("k = 0; for (i = 0; i < n; i++) { a[k] = b[i]; k += 2; }",
        "for (int i = 0; i < n; i++) a[2*i] = b[i]; k = 2 * (0 < n ? n : 0);", "k"),
    "count read behind": Form("k = 0; for (i = 0; i < n; i++) for (j = 0; j < m; j++) a[k++] = 1;",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i*m + j] = 1; k = (0 < m ? m : 0) * (0 < n ? n : 0);", "k"),
    "two bounds, read behind": Form("for (i = 0; i < n && i < m; i++) a[i] = 0;",
        "for (int i_2 = 0; i_2 < n && i_2 < m; i_2++) a[i_2] = 0;"
        " i = (int)((0 < n ? (long)n : 0) < (0 < m ? (long)m : 0) ? (0 < n ? (long)n : 0) : (0 < m ? (long)m : 0));", "i"),
    "do read behind": Form("i = 2; do { a[i] = 0; i++; } while (i < n);",
        "for (int i_2 = 2; i_2 == 2 || i_2 < n; i_2++) a[i_2] = 0; i = (2 + 1 < n ? n - 1 : 2) + 1;", "i"),
    "static counters": Form("for (s = 0; s < n; s++) a[s] = b[r++];",
        "for (int s_2 = 0; s_2 < n; s_2++) a[s_2] = b[r_before + s_2]; r = r_before + (0 < n ? n : 0); s = 0 < n ? n : 0;",
        before="static int r, s = 1; r = c[6];", live="100*r + s", derived={"r_before": "r"}),
    "global counters": Form("for (gi = 0; gi < n; gi++) for (gj = 0; gj < m; gj++) a[gi*m + gj] = gj;",
        "for (int gi_2 = 0; gi_2 < n; gi_2++) for (int gj_2 = 0; gj_2 < m; gj_2++) a[gi_2*m + gj_2] = gj_2; gi = 0 < n ? n : 0;"
        " gj = (0 < n ? n : 0) == 0 ? gj_before : 0 < m ? m : 0;",
        before="gj = c[6];", live="100*gj + gi", derived={"gj_before": "gj"}),
    "size_t's remainder": Form("size_t u = 0, w = n < 0 ? 0 : n; for (; u + 4 <= w; u += 4) { a[u] = 1; a[u + 1] = 2; a[u + 2] = 3; a[u + 3] = 4; } for (; u < w; u++) a[u] = 5;",
        "size_t w = n < 0 ? 0 : n; for (size_t u = 0; u + 4 <= w; u += 4) { a[u] = 1; a[u + 1] = 2; a[u + 2] = 3; a[u + 3] = 4; }"
        "for (size_t u = (long)w - 4 + 1 > 0 ? ((long)w - 4 + 1 + 3) / 4 * 4 : 0; u < w; u++) a[u] = 5;"),
    # jumps
    "switch on a parameter": Form("for (i = 0; i < n; i++) switch (m) { case 1: a[i] = 1; break; default: a[i] = 0; break; case 2: case 3: a[i] = 2; if (i > 3) break; b[i] = 1; }",
        "for (int i = 0; i < n; i++) if (m == 1) a[i] = 1; else if (m == 2 || m == 3) { a[i] = 2; if (!(i > 3)) b[i] = 1; } else a[i] = 0;"),
    "switch on data": Form("for (i = 0; i < 7; i++) { switch (c[i]) { case 0: continue; case 4: a[i] = 1; break; case -3: a[i] = 2; } b[i] = 0; }",
        "for (int i = 0; i < 7; i++) if (c[i] != 0) { if (c[i] == 4) a[i] = 1; else if (c[i] == -3) a[i] = 2; b[i] = 0; }"),
    "continue": Form("for (i = 0; i < n; i++) { if (i == m) continue; a[i] = 0; }", "for (int i = 0; i < n; i++) if (i != m) a[i] = 0;"),
    "continue behind work": Form("for (i = 0; i < n; i++) { if (i == m) { b[i] = 1; continue; } a[i] = 0; }",
        "for (int i = 0; i < n; i++) { if (i == m) b[i] = 1; else a[i] = 0; }"),
    "break in front": Form("for (i = 0; i < n; i++) for (j = 0; j < n; j++) { if (j > i) break; a[i*n + j] = 0; }",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n && j <= i; j++) a[i*n + j] = 0;"),
    "break in the middle": Form("for (i = 0; i < n; i++) { a[i] = 0; if (i == m) break; b[i] = 1; }",
        "for (int i = 0; i < n && (i == 0 || i - 1 != m); i++) { a[i] = 0; if (i != m) b[i] = 1; }"),
    "goto over": Form("for (i = 0; i < n; i++) { if (i > m) goto next; a[i] = 0; next: b[i] = 1; }",
        "for (int i = 0; i < n; i++) { if (!(i > m)) a[i] = 0; b[i] = 1; }"),
    "goto to the end": Form("for (i = 0; i < n; i++) { if (b[i] > 5) goto skip; if (b[i] > 3) goto skip; a[i] = 0; skip: ; }",
        "for (int i = 0; i < n; i++) if (!(b[i] > 5)) if (!(b[i] > 3)) a[i] = 0;"),
    "two ways with goto": Form("for (i = 0; i < n; i++) { if (b[i] > 5) goto large; a[i] = 1; goto done; large: a[i] = b[i]; done: b[i] = 0; }",
        "for (int i = 0; i < n; i++) { if (!(b[i] > 5)) a[i] = 1; else a[i] = b[i]; b[i] = 0; }"),
    "continue on data that may be NaN": Form("b[1] = 0.0 / 0.0; for (i = 0; i < n; i++) { if (b[i] > 5) continue; a[i] = 0; }",
        "b[1] = 0.0 / 0.0; for (int i = 0; i < n; i++) if (!(b[i] > 5)) a[i] = 0;"),
    "break for a bound, read behind": Form("for (i = 0; ; i++) { if (i >= n) break; b[i] = 1; }",
        "for (int i_2 = 0; !(i_2 >= n); i_2++) b[i_2] = 1; i = 0 < n ? n : 0;", "i"),
    "break for a bound": Form("i = 0; while (1) { if (i >= n) break; b[i] = 1; i++; }", "for (int i = 0; i < n; i++) b[i] = 1;"),
    "Fortran's constant steps": Form("int i__1 = n, i__2 = 2; for (i = 1; i__2 < 0 ? i >= i__1 : i <= i__1; i += i__2) a[i] = 0;",
        "for (int i = 1; i <= n; i += 2) a[i] = 0;"),
    "break after a step": Form("for (i = 0;;) { b[i] = 1; if (++i >= n) break; }", "for (int i = 0; i == 0 || i < n; i++) b[i] = 1;"),
}  # fmt: skip


FORMS |= DERIVED

HEAD = "#include <stddef.h>\n#ifndef ORIGINAL\n#define ORIGINAL\n#endif\nstatic int gi, gj;\n"


def scop_of(name: str, form: Form, body: str) -> Scop:
    given = "".join(f", int {name}" for name in form.derived) if body == form.plain else ""
    text = (HEAD + form.text("f", body)).replace("int *c", f"int *c{given}")
    (scop,) = read_c(f"{name}.c", text=text)
    return scop


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_read_as_plain_loops_are(name: str) -> None:
    form = FORMS[name]
    found, expected = scop_of(name, form, form.body), scop_of(name, form, form.plain)
    assert [s.iterators for s in found.statements] == [s.iterators for s in expected.statements]
    for ours, theirs in zip(found.statements, expected.statements, strict=True):
        assert ours.domain.is_equal(theirs.domain), f"{ours.domain} is not {theirs.domain}"
        assert ours.target == theirs.target
        assert ours.reads == tuple(read for read in theirs.reads if read.array not in form.derived)
    assert found.arrays == tuple(array for array in expected.arrays if array.name not in form.derived)
    assert found.assumptions.is_equal(expected.assumptions), f"{found.assumptions} is not {expected.assumptions}"


SIZES = ((0, 1), (1, 1), (2, 3), (7, 5), (9, 2), (-2, 3), (3, 0), (0, 0))


def arguments(n: int, m: int) -> dict[str, Any]:
    rng = np.random.default_rng(n + 31 * m)
    made: dict[str, Any] = {"n": n, "m": m, "a": rng.uniform(1, 9, 5040), "b": rng.uniform(1, 9, 5040)}
    c = np.zeros(16, np.int32)
    c[4:8] = list(LOCALS.values())
    return made | {"c": c}


def run_c(library: ctypes.CDLL, index: int, given: dict[str, Any]) -> None:
    arrays = [ctypes.c_void_p(given[name].ctypes.data) for name in "abc"]
    getattr(library, f"f{index}")(given["n"], given["m"], *arrays)


def assert_equal(ours: dict[str, Any], theirs: dict[str, Any], what: str) -> None:
    for name in "abc":
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=f"{what}: {name}")


def run_jit(scop: Scop, kernel: Any, values: dict[str, Any]) -> None:
    sizes = {name: int(values[name]) for name in scop.parameters}
    views = {a.name: _view(a, values, sizes) for a in scop.arrays if not a.local}
    kernel(**{spec.name: views[spec.name] for spec in kernel.signature.arguments}, **sizes)


def test_all_agree(tmp_path: Path) -> None:
    require("gcc")
    text = HEAD + "".join(form.text(f"f{index}", form.body) for index, form in enumerate(FORMS.values()))
    file = read_source("forms.c", text=text)
    assert not file.diagnostics
    programs = [plan(lower(scop, original_tree(scop)), host_target()) for scop in file.scops]
    emitted = emit_c_file(text, [Replacement(s, p) for s, p in zip(file.scops, programs, strict=True)])
    original, replaced = load_c(text, tmp_path), load_c(emitted, tmp_path, flags=(*FLAGS, "-DORIGINAL=c[15]=1"))
    for index, (name, form) in enumerate(FORMS.items()):
        scop = file.scops[index]
        kernel = compile_program(programs[index])
        modelled = fast = 0
        for n, m in SIZES:
            if m < 1 and {"steps", "n_over_m"} & set(form.derived):
                continue  # which would not end, or divide by zero
            theirs, ours = arguments(n, m), arguments(n, m)
            run_c(original, index, theirs)
            run_c(replaced, index, ours)
            fast += min(n, m) > 0 and not ours["c"][15]
            ours["c"][15] = 0
            assert_equal(ours, theirs, f"{name}, emitted, {n}, {m}")
            for run in (run_scop, lambda scop, values, kernel=kernel: run_jit(scop, kernel, values)):
                locals_ = LOCALS | {"r": LOCALS["k"], "s": 1, "gi": 0, "gj": LOCALS["k"]}
                values = arguments(n, m) | {k: np.array(v, np.int32) for k, v in locals_.items()}
                if form.before:
                    values["k"][...] = -1
                values |= {d: np.array(eval(text, {}, dict(values))) for d, text in form.derived.items()}
                sizes = {p: int(values[p]) for p in scop.parameters}
                rows = [e.evaluate(sizes) for array in scop.arrays for e in array.shape[1:] if e is not None]
                if min(rows, default=1) < 1 or not assumptions_hold(scop, sizes):
                    continue
                run(scop, values)
                if form.live:
                    values["c"][0] = eval(form.live, {}, values)
                assert_equal(values, theirs, f"{name}, {n}, {m}")
                modelled += 1
        assert modelled >= 4, name
        assert fast, f"{name}: only the original loops run"


def test_numbers_behind_pointers_and_members() -> None:
    """Copies of them are substituted as those of parameters are."""
    text = "struct grid { int nx, ny; };\nvoid f(const struct grid *g, const int *n, double *restrict a)\n{\n  int i, row, i__1;\n#pragma scop\n"
    text += "  for (row = 0; row < g->ny; row++) { int k = row * g->nx; for (i = 0; i < g->nx; i++) a[k++] = 1; }\n"
    text += "  i__1 = *n; for (i = 1; i <= i__1; ++i) a[i] += 2;\n#pragma endscop\n}\n"
    (scop,) = read_c("members.c", text=text)
    assert [str(s.target) for s in scop.statements] == ["a[row][i]", "a[0][i]"]


@pytest.mark.parametrize(("name", "test"), [
    ("product", "polyloop_fits((long)polyloop_n_m)"),
    ("steps of a parameter", "(long)(m) > 0"),
    ("quotient", "polyloop_fits((long)(n / m))"),
])  # fmt: skip
def test_what_is_computed_is_tested(name: str, test: str) -> None:
    text = HEAD + FORMS[name].text("f", FORMS[name].body)
    (scop,) = read_c("tested.c", text=text)
    emitted = emit_c_file(text, [Replacement(scop, plan(lower(scop, original_tree(scop)), host_target()))])
    region = emitted.rpartition("#pragma scop")[2].partition("} else {")[0]
    assert test in " ".join(region.split())


def test_sizes_are_found_for_windows_that_move_by_steps() -> None:
    """What unsigned numbers take away wraps around: n - window, not n and 2**64 - 1 windows."""
    loops = "for (int s = 0; s + w <= n; s += step) for (int i = 0; i < w; i++) y[s] += x[s + i];"
    (scop,) = read_c(
        "windows.c", text=f"void f(int n, int w, int step, int *y, const int *x)\n{{ {loops} }}\n", auto=True
    )
    assert scop.source is not None
    assert [dict(m.polynomial).get(("w",)) for m in scop.source.memory if m.name == "steps"] == [-1]
    assert max(checked_sizes(scop, dict.fromkeys(scop.parameters, 100)).values()) <= 100


@pytest.mark.parametrize(("loop", "named"), [
    ("for (int i = 0; i < n; i += b) x[i] += 2;", ["steps"]),
    ("for (int i = 0; i < n * m; i++) x[i] += 2;", ["n_m"]),
    ("for (int i = 0; i < n; i++) x[i] += x[m / b] * x[m / b * 7 + i];", []),
])  # fmt: skip
def test_what_may_divide_by_zero_has_no_name_before_the_tests(loop: str, named: list[str]) -> None:
    text = f"void f(int n, int m, int b, double *x)\n{{\n  {loop}\n}}\n"
    (scop,) = read_source("steps.c", text=text, auto=True).scops
    emitted = emit_c_file(text, [Replacement(scop, plan(lower(scop, original_tree(scop)), host_target()))])
    assert re.findall(r"const long polyloop_(\w+) = ", emitted) == named


def test_an_assertion_is_tested_before() -> None:
    text = "#include <assert.h>\nvoid f(int n, double *a)\n{\n#pragma scop\n"
    text += "  assert(n % 4 == 0);\n  for (int i = 0; i < n; i++) { assert(i < 100); a[i] = 1; }\n#pragma endscop\n}\n"
    (scop,) = read_c("assertion.c", text=text)
    assert scop.assumptions.is_equal(isl.Set("[n] -> { : n mod 4 = 0 and n <= 100 }"))
    for wrong in ("assert(a[0] > 0);", "assert(n < n);"):
        file = read_source("assertion.c", text=text.replace("assert(i < 100);", wrong))
        assert not file.scops
        assert "assertion" in file.diagnostics[0].message


def test_without_assertions_nothing_is_tested() -> None:
    text = "#include <assert.h>\nvoid f(int n, double *restrict a, const int *restrict k)\n{\n"
    text += "  for (int i = 0; i < n; i++) { assert(k[i] >= 0); a[i] = 1; }\n}\n"
    assert not read_source("assertion.c", text=text, auto=True).scops
    for given, words in ((["NDEBUG"], ""), ([], "#define NDEBUG\n")):
        (scop,) = read_source("assertion.c", defines=given, text=words + text, auto=True).scops
        assert scop.assumptions.plain_is_universe()


def test_products_of_members() -> None:
    """They are computed where C reads the members, behind tests that no store changes these."""
    text = "struct grid { int nx, ny; };\nvoid f(const struct grid *g, int n, double *a, int *c)\n{\n#pragma scop\n"
    text += "  for (int k = 0; k < n; k++)\n    for (int i = 0; i < g->nx * g->ny; i++) { a[i] = 1; c[i] = 2; }\n#pragma endscop\n}\n"
    (scop,) = read_c("members.c", text=text)
    assert scop.parameters == ("n", "g_nx_g_ny")
    assert scop.source is not None
    (memory,) = scop.source.memory
    assert memory.text == "(long)((unsigned long)(g->nx) * (unsigned long)(g->ny))"
    assert memory.cells == (("g->nx", ("c",)), ("g->ny", ("c",)))
    assert str(memory.read) == str(Compare(affine("n") - 1, ">="))


@pytest.mark.parametrize("condition", ["i < n && i < (unsigned)m", "i != m && i < n", "i % 3 != 2"])
def test_ends_that_are_not_known(condition: str) -> None:
    """A bound that is never met, or met as another number, ends nothing."""
    form = Form(f"for (i = 0; {condition}; i++) a[i] = 0;", "", "i")
    file = read_source("end.c", text=HEAD + form.text("f", form.body))
    assert [diagnostic.code for diagnostic in file.diagnostics] == ["counter-value"]


def test_what_stays_a_variable_is_found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every go through the statements takes its time; twenty values of data were twenty goes once."""
    goes: list[int] = []

    class Counted(StatementValues):
        def __init__(self, *arguments: Any) -> None:
            goes.append(1)
            super().__init__(*arguments)

    monkeypatch.setattr("polyloop.frontend.scalars.StatementValues", Counted)
    names = [f"t{k}" for k in range(20)]
    sums = " ".join(f"{name} = {before} + c[i];" for before, name in itertools.pairwise(["c[2*i]", *names]))
    body = f"int k = 0; for (int i = 0; i < n; i++) {{ {sums} c[k++] = t19; }}"
    (scop,) = read_c("many.c", text=f"void f(int n, int *c, double *a) {{ int {', '.join(names)}; {body} }}", auto=True)
    assert [str(s.target) for s in scop.statements][-1] == "c[i]"
    assert len(goes) <= 2


def test_each_loop_of_a_nest_is_gone_through_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not twice as often as the loop around it."""
    visited: list[c_ast.Node] = []
    statement = StatementValues.statement

    def counted(self: StatementValues, node: c_ast.Node) -> list[c_ast.Node]:
        visited.append(node)
        return statement(self, node)

    monkeypatch.setattr(StatementValues, "statement", counted)
    counters = [f"i{level}" for level in range(8)]
    loops = "\n".join(f"for (int {i} = 0; {i} < size[0]; {i}++)" for i in counters)
    text = f"void f(double *a, const int *size) {{ {loops} a[{' + '.join(counters)}] += 1; }}"
    assert len(read_c("nest.c", text=text, auto=True)) == 1
    assert len(visited) < 20 * len(counters)


def test_choices_between_first_and_other_iterations_do_not_double_with_every_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []
    before = StatementValues._from_before

    def measured(self: StatementValues, *arguments: Any) -> c_ast.Node | None:
        value = before(self, *arguments)
        sizes.append(sum(1 for _ in walk_nodes(value)))
        return value

    monkeypatch.setattr(StatementValues, "_from_before", measured)
    counters = [f"i{level}" for level in range(7)]
    loops = "\n".join(f"for (int {i} = 0; {i} < n; {i}++)" for i in counters)
    text = f"void f(double *a, int n) {{ int k; {loops} {{ k = {' + '.join(counters)}; a[k] += 1; }} }}"
    (scop,) = read_c("nest.c", text=text, auto=True)
    assert sum(scop.statements[0].target.subscripts[0].coefficient(i) for i in counters) == len(counters)
    assert 0 < max(sizes) < 1100


def _doubled() -> c_ast.Node:
    """``n + n`` of such a sum of such a sum and so on, every part of which both sides share."""
    value: c_ast.Node = c_ast.ID("n")
    for _ in range(64):
        value = operation("+", value, value)
    return value


def test_what_values_share_is_read_once() -> None:
    scope = Scope(names={"n": Symbol("n", "local", Arithmetic(I32))})
    declarations = Declarations(lambda node, scope: None, lambda node: 0, lambda index: False, lambda index: 0)
    read = Polynomials(scope, declarations).read(_doubled())
    assert read is not None
    assert read.terms == ((("n",), 1 << 64),)


def test_values_without_a_variable_are_not_gone_through_for_it() -> None:
    value = _doubled()
    assert replaced(value, {"m": c_ast.ID("k")}) is value


def test_a_member_is_no_use_of_a_variable_of_its_name() -> None:
    member = c_ast.StructRef(c_ast.ID("s"), "->", c_ast.ID("i"))
    assert exposed_use("i", [member]) is None
    assert exposed_use("s", [member]) is member.name
