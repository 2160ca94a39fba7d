"""Assignments inside of expressions and conditions: what is emitted leaves the same in memory."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_c
from polyloop.frontend.scopes import CSourceError
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, drivers, emitted_and_original, needs_gcc, sizes_that_fall_back

TYPES = """#include <math.h>
struct body { double x, y, m; const char *name; struct body *next; };
"""
PAIR = "int n, double *restrict u, double *restrict v"
BODIES = {
    "stepped": (PAIR, "double p, s = 0; int np = 0; for (int i = n; i--;) if ((p = *(v++)) > 16) { s += p; np++; }"
                " u[0] = s; u[1] = np;", "stepped(n, x, y);"),
    "both_sides": (PAIR, "double p; for (int i = 0; i < n; i++) *(u++) += ((p = *(v++)) > 16 ? 2 * p : 0.5);",
                   "both_sides(n, x, y);"),
    "argument": (PAIR, "double p; for (int i = 0; i < n; i++) *(u++) += fabs(p = *(v++)) < 32 ? p * 2 : 1;",
                 "argument(n, x, y);"),
    "in_turn": (PAIR, "double p; int k = 0; for (int i = 0; i < n; i++)"
                " if ((p = *(v++)) > 8 && (p = u[i] / p) > 1) { u[k] = p; k++; }", "in_turn(n, x, y);"),
    "inside_of_one": (PAIR, "double a, b; double s = 0, t = 0; for (int i = n; i--;)"
                      " { s += (a = *(u++)) * 2; t += (b = 2 * (a = *(v++))); t += a + b; } u[-n] = s; v[-n] = t;",
                      "inside_of_one(n, x, y);"),
    "stored": (PAIR + ", double *restrict w", "for (int i = 0; i < n; i++, w++)"
               " *(u++) = ((*v++) = (i ? (i >= n - 1 ? 0 : w[1] - w[-1]) : 0)) * *w / 2;",
               "stored(n, x, y, x + n + 8);"),
    "otherwise": (PAIR, "double p; for (int i = 0; i < n; i++)"
                  " if (u[i] > 8 && (p = v[i] / u[i]) < 1) u[i] = p; else u[i] = -1;", "otherwise(n, x, y);"),
    "either": (PAIR + ", int f", "double p, q = 1; double bad = 0; for (int i = 0; i < n; i++)"
               " if ((p = u[i]) <= 8 || (f && (q = v[i]) >= 64)) bad += p; else u[i] = p * q; v[0] = bad;",
               "either(n, x, y, n & 1);"),
    "nested": (PAIR, "double p = 1, q; for (int i = 0; i < n; i++)"
               " if (u[i] > 8 && ((p = v[i]) > 32 || (q = p * u[i]) < 128)) u[i] = 1;"
               " else if (v[i] > 16 && (q = v[i] + 1) > 0) u[i] = q; else v[i] = p;", "nested(n, x, y);"),
    "searched": ("int n, const double *restrict u, int *restrict k",
                 "int i; const double *g = u - 1; for (i = 0; i < n && *(++g) < 200; i++); *k = i;",
                 "searched(n, x, k);"),
    "counted_down": ("int n, const double *restrict u, double *restrict v, double most",
                     "double *o = v; for (int i = n; i-- && most >= *(u++);) (*(o++))++;",
                     "counted_down(n, x, y, n % 3 ? 256 : 128);"),
    "left": ("int n, const double *restrict u, double *restrict v",
             "for (int i = n; i--;) { if (u[i] > 128) break; v[i] += 1; }", "left(n, x, y);"),
    "copied": ("int n, const struct body *restrict u, double *restrict v",
               "for (int i = 0; i < n; i++) { struct body p = u[i]; p.x += p.m; v[i] = p.x * p.x; }",
               "copied(n / 5, (void *)x, y);"),
    "copied_later": ("int n, const struct body *restrict u, double *restrict v",
                     "for (int i = 1; i < n; i++) { struct body p, q = u[i]; p = u[i - 1]; v[i] = p.x + q.y; }",
                     "copied_later(n / 5, (void *)x, y);"),
}  # fmt: skip


@pytest.fixture(scope="module")
def scops() -> dict[str, Scop]:
    return {scop.name: scop for scop in read_c("commas.c", text=drivers(TYPES, BODIES))}


@pytest.fixture(scope="module")
def libraries(scops: dict[str, Scop], tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    return emitted_and_original(drivers(TYPES, BODIES), scops, tmp_path_factory.mktemp("commas"))


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, (0, 1, 2, 9, 36, 73)) <= {0, 1, 2}


@pytest.mark.parametrize(
    "body",
    [
        "b[i] = (t = a[i]) * t;",  # C leaves the order open
        "b[i] = *p++ + (t = *p);",
        "if (a[i]++ > 9) b[i] = 1;",  # one more and one less may be another number
        "if ((t = a[i]) > 0 || t++ < b[i]) b[i] = t + (t = 2);",
    ],
)
def test_what_has_no_order_is_refused(body: str) -> None:
    text = "void f(int n, double *restrict a, double *restrict b, double *p, int *restrict c)\n{ double t; int k = 0;\n"
    text += f"#pragma scop\nfor (int i = 0; i < n; i++) {{ {body} }}\n#pragma endscop\nb[0] = t + k; }}"
    with pytest.raises(CSourceError, match=r"is a side effect|pointer arithmetic"):
        read_c("order.c", text=text)
