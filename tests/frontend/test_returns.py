"""``return`` and ``goto`` out of loops: what it is read as, what is emitted, and what is left alone."""

from __future__ import annotations

import re

import pytest

from polyloop.api import optimize
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.frontend import read_c, read_source
from polyloop.lowering.region_alone import AloneError, region_alone
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.measure.evaluator import EvaluationError
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, called, needs_gcc, sizes_that_fall_back

FUNCTIONS = {
    "first": ("int first(const int *a, int n, int key)",
              "for (int i = 0; i < n; i++) if (a[i] == key) return i; return -1;", "first(k, n, 7)"),
    "place": ("int place(const int *a, int n, int key)",
              "int i; for (i = 0; i < n; i++) { if (a[i] == key) return i + 1; } return -1;", "place(k, n, 3)"),
    "equal": ("int equal(const double *a, const double *b, int n)",
              "int i; for (i = 0; i < n; i++) if (a[i] != b[i]) return 0; return 1;", "equal(x, x + n % 3, n)"),
    "beyond": ("int beyond(const double *a, int n, int m, double t)",
               "for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) if (a[i * m + j] > t) return i * m + j; }"
               " return -1;", "beyond(x, n, n, 120)"),
    "sums": ("double sums(const double *a, double *o, int n, double t)",
             "double s = 0; for (int i = 0; i < n; i++) { double v = a[i] * 2; s += v; o[i] = s; if (s > t) return v; }"
             " return s;", "sums(x, y, n, 1000)"),
    "cleared": ("void cleared(double *a, int n, double t)",
                "int i; for (i = 0; i < n; i++) { if (a[i] > t) return; a[i] = 0; } a[0] = 1;",
                "(cleared(x, n, 125), x[0])"),
    "counted": ("int counted(const int *a, int n, int most)",
                "int i, c = 0; if (n > 4) for (i = 0; i < n; i++) { c += a[i]; if (c > most) return c;"
                " if (a[i] == 8) return -2; } return c;", "counted(k, n, n * 3)"),
    "common": ("int common(const int *a, const int *b, int n, int m)",
               "int i, j; for (i = 0; i < n; i++) for (j = 0; j < m; j++) if (a[i] == 9 + b[j]) return 1;"
               " for (i = 0; i < n; i++) if (a[i] == 5) return 2; return 0;", "common(k, k + 1, n, n)"),
    "between": ("int between(const double *a, double *b, int n, int m)",
                "int i, j, c = 0; for (i = 0; i < n; i++) { b[i] = 0; for (j = 0; j < m; j++) { c++;"
                " if (a[j] + i > 130) return c; } b[i] += c; } return -c;", "between(x, y, n, n)"),
    "element": ("double element(const int *a, int n)", "double w[3]; int i; for (i = 0; i < n; i++) { w[i % 3] = a[i];"
                " if (a[i] == 6) return w[i % 3]; } return 0;", "element(k, n)"),
    "turned": ("double turned(const double *a, int n, double t)", "int i = 0; double s = 1; while (i < n) {"
               " s += a[i]; if (s >= t) { if (s == t) return 1; return s; } i++; } return 0;", "turned(x, n, 900)"),
    "pointed": ("const int *pointed(const int *a, int n, int key)", "for (int i = 0; i < n; i++)"
                " if (a[i] == key) return a; return 0;", "(pointed(k, n, 4) == k)"),
    "rejected": ("int rejected(const int *a, const int *b, int n)",
                 "int i; for (i = 0; i < n; i++) { if (a[i] == 7) goto bad; if (b[i] > 5 + a[i]) goto bad; } return 0;"
                 " bad: return -i - 1;", "rejected(k, k + 1, n)"),
    "cleaned": ("int cleaned(const double *a, double *o, int n, int m)",
                "int rc = -1; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { if (a[i * m + j] > 130) {"
                " rc = i; goto out; } if (a[i * m + j] < 0) return 5; o[i * m + j] = a[i * m + j] * 2; } rc = -2;"
                " out: o[0] += rc; return rc;", "cleaned(x, y, n, n)"),
    "again": ("int again(int *a, int n)", "int i, c = 0; again: for (i = 0; i < n; i++) if (a[i] > 5) { a[i] -= 6; c++;"
              " goto again; } return c;", "again(k, n)"),
    "past": ("int past(int *a, int n)", "int i; for (i = 0; i < n; i++) { if (a[i] > 6) goto out; a[i] = 1; }"
             " int s = 0; a[0] += 3; out: s = a[1] * 2; return s + i;", "past(k, n)"),
}  # fmt: skip
TEXT, AUTO = called(FUNCTIONS), True


def test_all_are_read(scops: dict[str, Scop]) -> None:
    assert [name for name in scops if name in FUNCTIONS] == list(FUNCTIONS)
    assert all(scop.source is not None and scop.source.own for scop in scops.values())


@needs_gcc
@pytest.mark.parametrize("name", FUNCTIONS)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, (1, 2, 3, 7, 20, 33, 64)) == set()


def test_what_is_returned_is_computed_behind_the_loops(scops: dict[str, Scop]) -> None:
    behind = {name: scop.source.behind for name, scop in scops.items() if scop.source is not None}
    assert behind["place"] == ("if (polyloop_left == 1) return i + 1;",)
    assert behind["first"] == ("if (polyloop_left == 1) return polyloop_value;",)
    assert behind["cleared"] == ("if (polyloop_left == 1) return;",)
    assert behind["counted"] == ("if (polyloop_left == 1) return c;", "if (polyloop_left == 2) return -2;")
    assert behind["cleaned"] == ("if (polyloop_left == 1) goto out;", "if (polyloop_left == 2) return 5;")
    emitted = emit_c_file(
        TEXT, [Replacement(s, plan(lower(s, original_tree(s)), host_target())) for s in scops.values()]
    )
    assert re.search(r"int polyloop_left = 0;\n.*?&polyloop_left\b", emitted, re.DOTALL)


def test_a_region_that_returns_does_not_run_by_itself(scops: dict[str, Scop]) -> None:
    with pytest.raises(AloneError, match="it returns from first"):
        region_alone(scops["first"])


LEFT = {
    "an iteration's pointer": "for (i = 0; i < n; i++) { const int *p = a + i; if (*p == 3) return p; } return 0;",
    "out of a switch": "for (i = 0; i < n; i++) switch (a[i]) { case 1: return a; case 2: b[i] = 0; } return 0;",
    "where no loop is": "for (i = 0; i < n; i++) b[i] = 0; if (n > 3) return a; for (i = 0; i < n; i++) b[i]++;"
    " return 0;",
}


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(name: str) -> None:
    text = f"const int *f(const int *a, int *b, int n)\n{{ int i; {LEFT[name]} }}\n"
    file = read_source("left.c", text=text, auto=True)
    assert all(scop.source is not None and not scop.source.own for scop in file.scops)


@pytest.mark.parametrize("header", ["int i; for (i = 0; i < n; i++)", "int i = 2; for (; i < n; i++)"])
def test_a_break_is_asked_for_where_the_counter_stays(header: str) -> None:
    text = f"int f(const int *a, int n)\n{{ int left = 0; {header} {{ if (a[i] == 7) {{ left = 1; break; }} }}"
    (scop,) = read_c("stays.c", text=f"{text} return left + i; }}\n", auto=True)
    assert any(array.name == "going" for array in scop.arrays)


def test_what_cannot_be_timed_is_left_unless_it_is_forced(scops: dict[str, Scop]) -> None:
    with pytest.raises(EvaluationError, match="return from first, and cannot be timed alone"):
        optimize(scops["first"], budget=1)
    assert optimize(scops["first"], sizes={"n": 99, "key": 5}, budget=1, force=True).check.passed


def test_loops_inside_of_one_that_returns_are_taken_if_they_do_not() -> None:
    """Until it converges: what takes the time can be timed alone."""
    work = "for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1]; for (int i = 0; i < n; i++) a[i] = b[i];"
    text = "int f(int n, double *a, double *b, double t)"
    text += f"{{ for (int k = 0; k < 9; k++) {{ {work} if (a[1] < t) return k; }}"
    found = read_source("f.c", text=f"{text} return -1; }}", auto=True)
    assert found.scops
    assert not any(scop.source is None or scop.source.own for scop in found.scops)
    assert [remark.code for remark in found.diagnostics] == ["return"]
    search = "for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) if (a[k * n + i] < t) return k; return -1;"
    (whole,) = read_source("f.c", text=f"int f(int n, double *a, double t) {{ {search} }}", auto=True).scops
    assert whole.source is not None
    assert whole.source.own


def test_loops_in_front_of_one_that_returns_are_regions_without_it() -> None:
    body = "int i; for (i = 0; i < n; i++) a[i] = b[i] + 1; for (i = 0; i < n; i++) if (a[i] > t) return 0; return 1;"
    text = f"int f(int n, double *a, const double *b, double t) {{ {body} }}"
    work, search = read_source("f.c", text=text, auto=True).scops
    assert work.source is not None
    assert search.source is not None
    assert not work.source.own
    assert search.source.own
