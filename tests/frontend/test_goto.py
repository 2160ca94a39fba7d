"""``goto`` out of loops to a label behind them, and other jumps: what is read, and what is emitted for it."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_c, read_source
from polyloop.lowering.region_alone import region_alone
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, called, needs_gcc, sizes_that_fall_back

FUNCTIONS = {
    "behind": ("int behind(int n, int m, const int *a)", "int i, j, at = -1; for (i = 0; i < n; i++)"
               " for (j = 0; j < m; j++) if (a[i * m + j] == 7) { at = i; goto found; } found: return at;",
               "behind(n, 3, k)"),
    "in_a_block": ("int in_a_block(int n, int m, const int *a)", "int at = 0; { for (int i = 0; i < n; i++)"
                   " { for (int j = 0; j < m; j++) { if (a[i + j] == 8) goto out; at += a[i + j]; } at++; } out:; }"
                   " return at;", "in_a_block(n, 3, k)"),
    "next_iteration": ("void next_iteration(int n, int m, const int *a, double *b)", "for (int i = 0; i < n; i++) {"
                       " for (int j = 0; j < m; j++) if (a[i + j] > 6) goto next; b[i] = 1; next:; }",
                       "(next_iteration(n, 3, k, x), x[0])"),
    "leaves_out": ("int leaves_out(int n, const int *a, double *b)", "int i, s = 0; for (i = 0; i < n; i++)"
                   " { if (a[i] == 8) goto done; s += a[i]; } for (i = 0; i < n; i++) b[i] = s;"
                   " for (i = 0; i < n; i++) { if (b[i] > 100) goto done; b[i] = -b[i]; } s = -s; done:"
                   " for (i = 0; i < n; i++) b[i] += s; return s;",
                   "leaves_out(n, k, x)"),
    "three_deep": ("int three_deep(int n, int m, const int *a)", "int i, j, l, c = 0; for (i = 0; i < n; i++) {"
                   " c += 1; for (j = 0; j < m; j++) { c += 10; for (l = 0; l < m; l++) { if (a[i + j * l] == 8)"
                   " goto end; c += 100; } } } end: return c;", "three_deep(n, 4, k)"),
    "of_two": ("int of_two(int n, int m, const int *a)", "int s = 0; for (int i = 0; i < n; i++) {"
               " for (int j = 0; j < m; j++) { if (a[i + j] == 8) goto end; if (a[i + j] == 3) goto next; s += a[j]; }"
               " s += 1000; next:; } end: return s;", "of_two(n, 3, k)"),
    "in_front_of_loops": ("int in_front_of_loops(int n, const int *a, double *b)",
                          "int s = 0; for (int i = 0; i < n; i++) { if (a[i] > 6) goto next;"
                          " for (int j = 0; j < i; j++) { if (a[j] == a[i]) goto next; s++; } b[i] = s; next:; }"
                          " return s;", "in_front_of_loops(n, k, x)"),
    "moved": ("int moved(int n, int m, const int *a)", "int i, j, at = n; for (i = 0; i < n; i++) {"
              " const int *p = a + i; for (j = 0; j < m; j++) if (*p++ == 5) { at = i; goto have; } } have: return at;",
              "moved(n, 4, k)"),
    "skipped": ("void skipped(int n, int m, const int *a, double *b)", "for (int i = 0; i < n; i++) { int t = a[i];"
                " if (m == 3) { if (t == 1) continue; if (t == 5) { b[i] = 9; continue; } }"
                " for (int j = 0; j < m; j++) { double s = 0; for (int l = 0; l < 2; l++) s += a[j + l] * t;"
                " b[i] += s; } }", "(skipped(n, n % 2 + 2, k, x), x[0])"),
    "skipped_or_left": ("void skipped_or_left(int n, int m, const int *a, double *b)", "for (int i = 0; i < n; i++) {"
                        " int t = a[i]; if (t > 2) { if (t == 8 && i > 9) break; b[i] = 1; if (t == 5) continue; }"
                        " else if (t == 1) continue; b[i] += 2; if (m > 2) { if (b[i] == 3) continue; b[i] = t; }"
                        " for (int j = 0; j < m; j++) for (int l = 0; l < 3; l++) b[i] = b[i] / 2 + a[j + l] * t; }",
                        "(skipped_or_left(n, n % 3 + 1, k, x), x[0])"),
    "counted": ("int counted(int n, int m, const int *a)", "int i = 0, j, s = 0; while (i < n) {"
                " for (j = 0; j < m; j++) { s += a[i]; if (s > 40) goto over; } i++; } over: return s;",
                "counted(n, 3, k)"),
}  # fmt: skip
TEXT, AUTO = called(FUNCTIONS), True
LEFT_ALONE = {
    "in front of other loops": "\n#pragma scop\nfor (i = 0; i < n; i++) if (a[i] > 5) goto out;"
    " for (i = 0; i < n; i++) a[i]++;\n#pragma endscop\na[0] = 1; out: a[1] = 0;",
    "out of a switch": "for (i = 0; i < n; i++) switch (a[i]) { case 1: goto out; case 2: a[i] = 0; } f(a); out: ;",
}


def test_all_are_read(scops: dict[str, Scop]) -> None:
    assert list(scops) == list(FUNCTIONS)


@needs_gcc
@pytest.mark.parametrize("name", FUNCTIONS)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, (1, 2, 3, 7, 20, 33, 64)) == set()


def test_a_region_alone_has_the_label_behind_it(scops: dict[str, Scop]) -> None:
    text = region_alone(scops["behind"]).source.text
    assert scops["behind"].source is not None
    assert scops["behind"].source.labels == ("found",)
    assert "#pragma endscop\nfound:;\n" in text
    assert [scop.name for scop in read_c("alone.c", text=text)] == ["polyloop_alone"]


@pytest.mark.parametrize("body", LEFT_ALONE.values(), ids=list(LEFT_ALONE))
def test_left_alone(body: str) -> None:
    text = f"int f(int *);\nvoid g(int n, int *a)\n{{ int i; {body} }}"
    found = read_source("goto.c", text=text, auto=True)
    assert [remark.code for remark in found.diagnostics] == ["goto"]
    assert not found.scops
