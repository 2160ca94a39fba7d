"""Counters whose addresses calls only borrow are counters of other loops, too."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from polyloop.frontend.reader import read_source
from tests.frontend.emission import emitted_and_original, needs_gcc

FUNCTIONS = """
static int *held;
struct cell { int *at; };
static void sets(int *p) { *p += 1; p[0] -= 1; }
static void asks(int *p) { if (p != 0 && *p > 3) *p = 3; }
static int f2c(int *p) { --p; return p[1]; }
static void walks(int *p) { *p++ = 0; }
static void passes(int *p) { sets(p); asks(p); }
static void inside(struct cell *c) { c->at[0] = 1; }
static void stores(int *p) { held = p; }
static void into(struct cell *c, int *p) { c->at = p; }
static void copies(int *p) { int *q = p; held = q; }
static void on(int *p) { sets(p); stores(p); }
static int *gives(int *p) { return p; }
static void element(int *p) { held = &p[0]; }
static void later(int *p) { held = p++; }
static void itself(int *p) { if (*p) itself(p); }
void outside(int *p);
"""

CALLS = {
    "sets(&i)": True,
    "asks(&i)": True,
    "f2c(&i)": True,
    "walks(&i)": True,
    "passes(&i)": True,
    "m = f2c(&i) + f2c(&m)": True,
    "stores(&i)": False,
    "into(&c, &i)": False,
    "copies(&i)": False,
    "on(&i)": False,
    "gives(&i)": False,
    "element(&i)": False,
    "later(&i)": False,
    "itself(&i)": False,
    "outside(&i)": False,
    "held = &i": False,
    "sets(gives(&i))": False,
}


@pytest.mark.parametrize(("call", "lent"), CALLS.items())
def test_the_loop_behind_a_call(call: str, lent: bool) -> None:
    text = f"""{FUNCTIONS}
    void f(int n, int m, double *a) {{
        int i = 0; struct cell c;
        {call};
        for (i = 0; i < n; i++) a[i] += m;
    }}
    """
    file = read_source("f.c", text=text, auto=True)
    assert [scop.name for scop in file.scops] == (["f"] if lent else [])
    assert any("the address of the counter i" in str(d) for d in file.diagnostics) is not lent


def test_a_pointer_with_the_name_of_a_function_may_keep_it() -> None:
    loop = "for (i = 0; i < n; i++) a[i] += 1;"
    text = f"{FUNCTIONS} void f(int n, double *a, void (*sets)(int *)) {{ int i = 0; sets(&i); {loop} }}"
    assert not read_source("f.c", text=text, auto=True).scops


@needs_gcc
def test_the_call_sees_what_the_loop_leaves(tmp_path: Path) -> None:
    text = """int fell_back;
    static void adds(int *p, double *x) { x[*p] += 7; *p -= 1; }
    void f(int n, double *x) {
        int i;
        for (i = 0; i < n; i++) x[i] += 1;
        adds(&i, x);
        for (i = n - 1; i >= 0; i--) x[i] *= 2;
        adds(&i, x + 2);
    }
    """
    scops = {scop.name: scop for scop in read_source("f.c", text=text, auto=True).scops}
    assert scops
    for n in (0, 1, 5, 20):
        memory = [np.arange(32.0), np.arange(32.0)]
        for library, x in zip(emitted_and_original(text, scops, tmp_path), memory, strict=True):
            library.f(n, ctypes.c_void_p(x.ctypes.data + 64))
        np.testing.assert_array_equal(memory[0], memory[1])


@needs_gcc
def test_what_a_call_sets_is_not_known(tmp_path: Path) -> None:
    text = """int fell_back;
    static void five(int *p) { *p = 5; }
    void f(double *x) {
        int m = 0, k = 0, i;
        five(&m);
        for (i = 0; i < m; i++) x[i + k] += 1;
        five(&k);
        for (i = 0; i < 2 * m; i++) x[i + k] *= 3;
        five(&i);
    }
    """
    scops = {scop.name: scop for scop in read_source("f.c", text=text, auto=True).scops}
    assert scops
    memory = [np.arange(32.0), np.arange(32.0)]
    for library, x in zip(emitted_and_original(text, scops, tmp_path), memory, strict=True):
        library.f(ctypes.c_void_p(x.ctypes.data))
    np.testing.assert_array_equal(memory[0], memory[1])
    assert memory[0][4:6].tolist() == [5, 15]
