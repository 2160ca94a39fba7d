"""Variables of the function that nothing reads behind a region, nor before the region sets them."""

from __future__ import annotations

import islpy as isl
import pytest

from polyloop.frontend import read_c

LOOPS = {
    "temporaries": ("for (i = 0; i < n; i++) { t = a[i]; u = t * 2; a[i] = t + u; }", "", {"t", "u"}),
    "read behind": ("for (i = 0; i < n; i++) { t = a[i]; u = t * 2; a[i] = t + u; }", "a[0] = u;", {"t"}),
    "set again behind": ("for (i = 0; i < n; i++) { t = a[i]; a[i] = t * t; }", "t = 1; a[0] = t;", {"t"}),
    "both sides": ("for (i = 0; i < n; i++) { if (a[i] > 0) t = a[i]; else t = 1; a[i] = t * t; }", "", {"t"}),
    "one side": ("for (i = 0; i < n; i++) { if (a[i] > 0) t = a[i]; a[i] = t * t; }", "", set()),
    "from before": ("for (i = 0; i < n; i++) { a[i] = t; t = a[i] * 2; }", "", set()),
    "first of all": ("for (i = 0; i < n; i++) { if (i == 0) t = 2; a[i] = t; t = a[i] + 1; }", "", {"t"}),
    "address": ("for (i = 0; i < n; i++) { t = a[i]; a[i] = t * t; }", "use(&t);", set()),
    "static": ("for (i = 0; i < n; i++) { kept = a[i]; a[i] = kept * kept; }", "", set()),
    "of the file": ("for (i = 0; i < n; i++) { global = a[i]; a[i] = global * global; }", "", set()),
    "around again": ("for (i = 0; i < n; i++) { t = a[i]; a[i] = t * t; }", "if (a[1] > t) goto again;", set()),
    "an array": (
        "for (i = 0; i < n; i++) { for (int j = 0; j < 4; j++) w[j] = a[i + j]; a[i] = w[3] + w[1]; }",
        "",
        {"w"},
    ),
    "a large array": ("for (i = 0; i < n; i++) { big[i] = a[i]; a[i] = big[i] + 1; }", "", set()),
    "an array, read behind": ("for (i = 0; i < n; i++) { w[1] = a[i]; a[i] = w[1]; }", "a[0] = w[1];", set()),
    "an array, from before": ("for (i = 0; i < n; i++) { a[i] = w[3] + w[1]; w[1] = a[i]; }", "", set()),
    "what a pointer leads to": (
        "for (i = 0; i < n; i++) { for (int j = 0; j < 4; j++) p[j] = i; a[i] = p[1]; }",
        "",
        set(),
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_own(name: str) -> None:
    loops, behind, own = LOOPS[name]
    text = f"""
double global;
void use(double *);
void f(int n, double *restrict a)
{{
  int i;
  double t = 3, u, w[4], big[9999], *p = &global;
  static double kept;
again:;
#pragma scop
  {loops}
#pragma endscop
  {behind}
}}
"""
    (scop,) = read_c("own.c", text=text)
    assert {array.name for array in scop.arrays if array.local} == own
    assert scop.source is not None
    assert own <= set(scop.source.counters)
    assert not own & dict(scop.source.addresses).keys()


def test_what_the_same_iteration_sets_is_not_asked_of_isl(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its dataflow analysis takes seconds for straight lines of code with some dozens of variables."""
    names = ", ".join(f"t{k}" for k in range(20))
    lines = "".join(f"t{k} = a[i] + {f't{k - 1}' if k else 1}; " for k in range(20))
    inner = "for (int j = 0; j < i; j++) { u = t3 * a[j]; a[j] = u + t7; }"
    text = f"void f(int n, double *a) {{ double u, {names};\nfor (int i = 0; i < n; i++) {{ {lines} {inner} }}\n}}\n"
    with monkeypatch.context() as patch:
        patch.setattr(isl, "UnionAccessInfo", None)
        (scop,) = read_c("own.c", text=text, auto=True)
    assert {array.name for array in scop.arrays if array.local} == {"u", *names.split(", ")}
