"""What a file itself uses its functions for, as far as its constants tell."""

from __future__ import annotations

import re

import pytest

from polyloop.backend.ir.affine import affine
from polyloop.frontend import read_c
from polyloop.lowering.region_alone import region_alone
from polyloop.scop.program import Turns
from polyloop.scop.size_choice import default_sizes

KERNEL = "void scale(float *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; }\n"
MEMBERS = """typedef struct { int rows; float *x; } grid;
void scale(grid *g) { for (int i = 0; i < g->rows; i++) g->x[i] *= 2; }
"""


def usual(text: str) -> dict[str, int]:
    (scop, *_) = read_c("f.c", text=text, auto=True)
    assert scop.source is not None
    return dict(scop.source.usual)


@pytest.mark.parametrize(
    ("others", "n"),
    [
        ("", None),
        ("void g(float *a) { scale(a, 5); }", 5),
        ("void g(float *a) { scale(a, 5); scale(a, 50); }", 50),
        ("#define N (1 << 10)\nvoid g(float *a) { scale(a, N * 2 - 1); }", 2047),
        ("enum { N = 30 };\nvoid g(float *a) { scale(a, N); }", 30),
        ("static const int N = 30;\nvoid g(float *a) { scale(a, (int)N); }", 30),
        ("int main(int argc, char **argv) { float a[99]; int n = argc > 1 ? argc : 70; scale(a, n); }", 70),
        ("int main(int argc, char **argv) { float a[99]; int n = 70; if (argc > 1) n = argc; scale(a, n); }", 70),
        ("int main(int argc, char **argv) { float a[99]; int n = 0; n = 70; scale(a, n); }", 70),
        ("void h(float *a, int m) { scale(a, m / 2); }\nvoid g(float *a) { h(a, 64); }", 32),
        ("void g(float *a) { for (int m = 16; m <= 256; m *= 2) scale(a, m); }", 256),
        ("void g(float *a) { for (int k = 0; k < 9; k++) scale(a + k, 9 - k); }", 9),
        ("void g(float *a, int n) { scale(a, n); }", None),
        ("void g(float *a) { int n = 3; n++; scale(a, n); }", 4),
        ("void g(float *a) { int n = 3; n--; scale(a, n); }", None),
        (
            "int h(int); void g(float *a) { for (int k = 0; k < 9; k++) { int n = 0; for (int i = 2; i < 30; i++)"
            " { if (h(i)) a[n++] = i; if (h(-i)) { n += 2; } } scale(a, n); } }",
            84,
        ),
        ("int h(int); void g(float *a) { int n = 0; while (h(n)) n++; scale(a, n); }", None),
        ("int h(int *); void g(float *a) { int n = 0; for (int i = 0; i < 9; i++) n++; h(&n); scale(a, n); }", None),
        ("void g(float *a) { int n = 3 / 0; scale(a, n); }", None),
        ("void g(float *a) { scale(a, -9 / 2 + 9); scale(a, -9 % 2); }", 5),
        ("void g(float *a) { scale(a, 9007199254740993 / 1); }", 9007199254740993),
        ("void g(float *a) { scale(a, (1 << 62) * (1 << 62)); }", None),
        ("void g(float *a) { scale(a, 0x9E3779B97F4A7C15ull); scale(a, 9); }", 9),
        ("void g(float *a, int n) { g(a, n); scale(a, n); }", None),
        (
            "double ceil(double); void h(float *a, double s) { scale(a, (int)ceil(2 * s) * 2 + 1); }\n"
            "void g(float *a) { h(a, 1.25f); h(a, -3); }",
            7,
        ),
        ("double sqrt(double); void g(float *a) { scale(a, sqrt(-1.0)); }", None),
        ("void g(float *a) { scale(a, (int)(0.3 * 100) | 1); scale(a, (int)(double)9); }", 31),
        ("void g(float *a) { scale(a, 6 / 2.5); scale(a, 1 / 0.0); scale(a, (int)1e999); }", 2),
    ],
)
def test_sizes_of_the_files_own_calls(others: str, n: int | None) -> None:
    assert usual(KERNEL + others).get("n") == n


def test_variables_that_are_set_from_each_other_in_many_ways_are_looked_at_once() -> None:
    chain = "".join(
        f"int v{k} = v{k - 1} + 1; if (c) v{k} = v{k - 1} * 1; v{k} = v{k - 1} - v{k - 1} + 7;" for k in range(1, 60)
    )
    assert usual(KERNEL + f"void g(float *a, int c) {{ int v0 = 7; {chain} scale(a, v59); }}").keys() == {"n"}


@pytest.mark.parametrize(
    ("others", "constants"),
    [
        ("", {}),
        ("void g(float *a) { scale(a, 5); scale(a, 6 - 1); }", {"n": {5}}),
        ("void g(float *a) { scale(a, 5); scale(a, 6); }", {"n": {5, 6}}),
        ("void g(float *a, int m) { scale(a, 5); scale(a, m); }", {}),
        ("int main(int argc, char **argv) { float a[99]; int n = argc > 1 ? argc : 70; scale(a, n); }", {}),
        ("void set(int *); void g(float *a) { int n = 5; set(&n); scale(a, n); }", {}),
        ("static void h(float *a, int m) { scale(a, m); }\nvoid g(float *a) { h(a, 7); h(a, 7); }", {"n": {7}}),
    ],
)
def test_constants_that_all_calls_pass(others: str, constants: dict[str, set[int]]) -> None:
    (scop, *_) = read_c("f.c", text=KERNEL + others, auto=True)
    assert scop.source is not None
    assert dict(scop.source.constants) == constants


def test_constants_of_the_functions_own_variables() -> None:
    loops = "for (int i = 0; i < n; i++) a[i] *= 2;"
    for body, constants in (
        (f"int n = 40; {loops}", {"n": {40}}),
        (f"int n = 0; if (*a > 0) n = 40; {loops}", {}),
        (f"int n = 40; if (*a > 0) n++; {loops}", {}),
        (f"static int n = 40; {loops}", {"n": {40}}),
    ):
        (scop,) = read_c("f.c", text=f"void f(float *a) {{ {body} }}", auto=True)
        assert scop.source is not None
        assert dict(scop.source.constants) == (constants if scop.parameters else {}), body
    (scop,) = read_c("f.c", text=f"int n = 40; void f(float *a) {{ {loops} }}", auto=True)
    assert scop.source is not None
    assert (dict(scop.source.usual), dict(scop.source.constants)) == ({"n": 40}, {})


def test_constants_among_the_integers_that_loops_read() -> None:
    text = """static void mean(const int *a, int *b, int n, int r)
    {
      int area = (2 * r + 1) * (2 * r + 1), other = a[0], all = 7;
      for (int i = 0; i < n; i++) { b[i] = a[i] / area + other; all += b[i]; }
      b[0] = all;
    }
    void f(int *a, int *b, int n) { mean(a, b, n, 4); mean(b, a, 2 * n, 4); }"""
    (scop, *_) = read_c("f.c", text=text, auto=True)
    assert scop.source is not None
    assert dict(scop.source.constants) == {"area": {81}}
    alone = region_alone(scop)
    known = alone.as_inlined(alone.source.text, {"n": 100})
    assert f"*(int *)polyloop_slots[{alone.slots.index('area')}]" in alone.source.text
    assert f"*(int *)polyloop_slots[{alone.slots.index('area')}]" not in known
    assert ", 81" in known


def test_arrays_of_callers_are_reached_by_their_parameters_alone() -> None:
    text = """typedef double square[3][3];
    static void add(double (*a)[3], const double *b, double c[3][3], double *d, int n)
    {
      for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) c[i][j] += a[i][j] * b[j] + d[i];
    }
    void f(double (*x)[3], double *y)
    {
      square z; double w[9];
      add(x, w, z, y, 2); add(z, y, x, y, 3); add(x, w, x, w, 1);
    }"""
    (scop, *_) = read_c("f.c", "add", text=text, auto=True)
    assert scop.source is not None
    assert scop.source.unaliased == ("b", "c", "a")
    alone = region_alone(scop)
    head = re.compile(r"void polyloop_alone\((.*)\)")
    (before,) = head.findall(alone.source.text)
    (known,) = head.findall(alone.as_inlined(alone.source.text, {"n": 100}))
    assert before == "int n, double c[3][3], double (*a)[3], const double *b, double *d"
    assert known == "int n, double c[__restrict 3][3], double (*__restrict a)[3], const double *__restrict b, double *d"
    assert "static void polyloop_alone" in alone.as_inlined(alone.source.text, {})


def test_arrays_of_the_file_and_of_structures_are_reached_by_their_parameters_alone() -> None:
    text = """static struct { float x[9], *y; struct { float z[9]; } in; } all, *other;
    float w[9], *v;
    static void add(float *a, float *b, float *c, float *d, float *e, float *f, float *g, int n)
    {
      for (int i = 0; i < n; i++) a[i] += b[i] + c[i] + d[i] + e[i] + f[i] + g[i];
    }
    void run(void)
    {
      float v[9], u;
      add(all.x, all.y, all.in.z, w, v, other->x, &u, 3);
      add(w, w, v, v, w, w, w, 3);
    }"""
    (scop, *_) = read_c("f.c", "add", text=text, auto=True)
    assert scop.source is not None
    assert scop.source.unaliased == ("a", "c", "d", "e", "g")


def test_elements_of_a_list_of_sizes_are_some_of_those_that_there_are() -> None:
    for dims, known in (("{2, 8, 4}", {"n": 8}), ("{2, 2}", {"n": 2}), ("{0}", {"n": 0})):
        (scop,) = read_c("f.c", text=KERNEL + f"void g(float *a) {{ int d[3] = {dims}; scale(a, d[1]); }}", auto=True)
        assert scop.source is not None
        assert (dict(scop.source.usual), scop.source.constants) == (known, ()), dims


@pytest.mark.parametrize(
    ("calls", "once"),
    [
        ("int main(void) { scale(x, 9); return 0; }", True),
        ("static void all(void) { scale(x, 9); }\nint main(void) { all(); return 0; }", True),
        ("int main(void) { scale(x, 9); scale(x, 9); return 0; }", False),
        ("int main(void) { for (int i = 0; i < 2; i++) scale(x, 9); return 0; }", False),
        ("int main(void) { int i = 0; again: scale(x, 9); if (i++ < 9) goto again; return 0; }", False),
        ("void all(void) { scale(x, 9); }", False),
        ("int main(void) { void (*f)(float *, int) = scale; scale(x, 9); f(x, 9); return 0; }", False),
        ("void all(int n) { scale(x, 9); if (n) all(n - 1); }\nint main(void) { all(3); return 0; }", False),
    ],
)
def test_what_a_program_runs_once(calls: str, once: bool) -> None:
    scop, *_ = read_c("f.c", text=f"float x[9];\n{KERNEL}{calls}", auto=True)
    assert scop.source is not None
    assert scop.source.once is once


def test_lengths_that_double_are_halfway() -> None:
    """And what is computed from them goes with that."""
    text = """static void passes(float *x, const float *t, int n)
    {
      for (int len = 2; len <= n; len *= 2) {
        int step = n / len;
        for (int i = 0; i < n; i += len)
          for (int k = 0; k < len / 2; k++) x[i + k] += t[k * step] * x[i + k + len / 2];
      }
    }
    void g(float *x, const float *t) { passes(x, t, 1024); }"""
    (scop,) = read_c("f.c", "passes", text=text, auto=True)
    assert default_sizes(scop).values == {"steps": 16, "len": 64, "step": 16}


def test_members_are_known_by_their_names() -> None:
    assert usual(MEMBERS + "void g(grid *g) { g->rows = 40; scale(g); }") == {"g_rows": 40}
    assert usual(MEMBERS + "void g(grid *g) { g->rows = 40; scale(g); g->rows--; }") == {}


@pytest.mark.parametrize(
    ("others", "rows"),
    [
        ("void h(float *x) { grid g = {40, x}; scale(&g); }", 40),
        ("void h(float *x) { grid g = {.x = x, .rows = 40}; scale(&g); }", 40),
        ("void h(grid *g, int rows) { g->rows = rows / 2; }\nvoid k(grid *g) { h(g, 80); scale(g); }", 40),
        ("struct s { grid g; int n; }; void h(float *x) { struct s all = {{40, x}, 7}; scale(&all.g); }", None),
    ],
)
def test_members_of_structures_that_others_set_up(others: str, rows: int | None) -> None:
    assert usual(MEMBERS + others).get("g_rows") == rows


@pytest.mark.parametrize(
    ("others", "n"),
    [
        ("int main(void) { static float a[99]; int n = 96, m = 4; f_(&m, a); f_(&n, a); }", 96),
        ("void g_(int *size, float *a) { f_(size, a); } int main(void) { int n = 50; float a[99]; g_(&n, a); }", 50),
        (
            "void g_(int *size, float *a) { int n = *size * 2; f_(&n, a); } void h(float *a) { int n = 9; g_(&n, a); }",
            18,
        ),
        ("int read(int *); void g(float *a) { int n; read(&n); f_(&n, a); }", None),
        ("void g(int *n, float *a) { f_(n, a); }", None),
    ],
)
def test_sizes_that_calls_pass_by_reference(others: str, n: int | None) -> None:
    text = "static void f_(int *n, float *a) { for (int i = 0; i < *n; i++) a[i] *= 2; }\n"
    (scop, *_) = read_c("f.c", text=text + others, auto=True)
    assert scop.source is not None
    assert list(dict(scop.source.usual).values()) == ([] if n is None else [n])


def test_of_several_calls_the_one_with_the_largest_values() -> None:
    text = "void f(float *a, int n, int m) { for (int i = 0; i < n; i++) a[i * m] = 0; }\n"
    assert usual(text + "void g(float *a) { f(a, 9, 8); f(a, 2, 30); f(a, 60, 0); }") == {"n": 9, "m": 8}


def test_of_what_loops_around_set_the_largest_and_of_their_counters_nothing() -> None:
    text = """int next(int);
    void f(float *a) {
      int size = 64, last = 9;
      for (int k = 1; k < 9; k++) {
        if (next(k)) for (int i = k; i < size; i++) a[i] += last;
        size = 32 * 4;
        last++;
      }
    }"""
    (scop,) = read_c("f.c", text=text, auto=True)
    assert scop.source is not None
    assert (dict(scop.source.usual), dict(scop.source.constants)) == ({"size": 128}, {})


def test_loops_around_a_region_are_known_by_their_ends() -> None:
    text = """int next(int);
    void f(float *a, int n) {
      for (int k = 2; k <= n - 1; k++) { if (next(k)) for (int i = k; i < 500; i++) a[i] += 1; }
      for (int k = 99; k > n; k--) { if (next(k)) for (int i = k; i < 500; i++) a[i] += 1; }
      for (int k = 1; k < n; k *= 2) { if (next(k)) for (int i = k; i < 500; i++) a[i] += 1; }
    }"""
    scops = read_c("f.c", text=text, auto=True)
    found = [scop.source.turns for scop in scops if scop.source is not None]
    n = affine("n")
    assert found == [(Turns("k", affine(2), n),), (Turns("k", n + 1, affine(100)),), ()]


def test_how_often_a_loop_runs_follows_from_what_the_file_has() -> None:
    """`n` is no parameter of the region, but its steps are computed from it."""
    loops = "for (int i = 0; i < n; i += length) for (int j = 0; j < half; j++) a[i + j] += a[i + j + half];"
    begin = "for (int length = 2; length <= n; length <<= 1) { int half = length / 2;"
    outer = f"void pass(float *a, int n) {{ {begin} {loops} }} }}\n"
    scop = read_c("f.c", text=outer + "void g(float *a) { pass(a, 4096); }", auto=True)[-1]
    values = default_sizes(scop).values
    steps = next(name for name in values if "step" in name)
    assert values[steps] * values["length"] == 4096


def test_structures_have_sizes_of_their_own() -> None:
    """What a function makes, and returns, has the members that its arguments say; each call is looked at by itself."""
    text = """#include <stdlib.h>
    typedef struct { int rows, columns; float *data; } matrix;
    static matrix *make(int r, int c) {
      matrix *m = malloc(sizeof *m);
      m->rows = r;
      m->columns = c;
      return m;
    }
    static void filter(const matrix *in, const matrix *k, matrix *out) {
      const int h = k->rows, w = k->columns;
      for (int i = 0; i < out->rows; i++)
        for (int j = 0; j < out->columns; j++)
          for (int u = 0; u < h; u++)
            for (int v = 0; v < w; v++)
              out->data[i * out->columns + j] += k->data[u * w + v] * in->data[(i + u) * in->columns + j + v];
    }
    int main(void) {
      matrix *image = make(300, 400), *small = make(5, 7), *result = make(300 - 5 + 1, 400 - 7 + 1);
      filter(image, small, result);
      return 0;
    }"""
    (scop,) = read_c("f.c", "filter", text=text, auto=True)
    assert scop.source is not None
    known = dict(scop.source.usual)
    assert known == {"h": 5, "w": 7, "out_rows": 296, "out_columns": 394, "in_columns": 400}
    assert default_sizes(scop).values.items() >= {"h": 5, "w": 7}.items()


def test_how_often_a_program_runs_its_loops() -> None:
    text = """enum { ROWS = 20 };
    static void row(float *x, int n) { for (int i = 0; i < n; i++) x[i] += 1; }
    static void rows(float *x, int n) { for (int r = 0; r < ROWS; r += 2) row(x + r * n, n); }
    static void back(float *x, int n) { for (int i = 0; i < n; i++) x[i] -= 1; if (n) back(x, n - 1); }
    static void until(float *x, int n) { while (x[0] < 9) { row(x, n); for (int i = 0; i < n; i++) x[i] *= 2; } }
    void other(float *x, int n, int m) { for (int j = 0; j < m; j++) row(x, n); }
    int main(void) { static float x[9000]; for (int t = 0; t < 30; t++) rows(x, 99); until(x, 9); back(x, 9);
                     do row(x, 9); while (0); return 0; }"""
    found = {scop.name: scop.source for scop in read_c("f.c", text=text, auto=True) if scop.source}
    runs = {name: (source.runs, source.calls) for name, source in found.items()}
    # 30 * 10 from rows, 10 from until, 1000 from other, as nobody knows m, and one.
    assert runs["row"] == (1, 1311)
    assert runs["until"] == (10, 1)
    assert runs["back"] == (1, 1)


def test_all_ways_to_a_function_are_not_walked() -> None:
    """There are 3 ** 30 of them."""
    steps = "\n".join(f"static void f{k}(float *x) {{ f{k - 1}(x); f{k - 1}(x); f{k - 1}(x); }}" for k in range(1, 31))
    loop = "static void f0(float *x) { for (int i = 0; i < 9; i++) x[i] += 1; }"
    scop, *_ = read_c("f.c", "f0", text=f"{loop}\n{steps}\nvoid g(float *x) {{ f30(x); }}", auto=True)
    assert scop.source is not None
    assert scop.source.calls == 3.0**30


def test_calls_through_pointers_are_calls_of_what_the_file_names() -> None:
    text = """typedef void work(float *x, int n);
    static void a(float *x, int n) { for (int i = 0; i < n; i++) x[i] += 1; }
    static void b(float *x, int n) { for (int i = 0; i < n; i++) x[i] += 2; }
    static void c(float *x) { for (int i = 0; i < 9; i++) x[i] += 3; }
    static void d(float *x, int n) { for (int i = 0; i < n; i++) x[i] += 4; }
    static work *const table[] = {a, b};
    static void each(work *f, float *x) { for (int t = 0; t < 20; t++) f(x, 5); }
    int main(void) { static float x[9]; each(table[0], x); for (int t = 0; t < 40; t++) table[t % 2](x, 9);
                     c(x); d(x, 3); return 0; }"""
    found = {scop.name: scop.source for scop in read_c("f.c", text=text, auto=True) if scop.source}
    assert {name: source.calls for name, source in found.items()} == {"a": 30, "b": 30, "c": 1, "d": 1}


def test_elements_of_members_have_values_of_their_own() -> None:
    text = """struct mesh { int n[3], *k; double *x; };
    static void set(struct mesh *m, int nx, int ny) { m->n[0] = nx; m->n[1] = 2 * ny; }
    static void f(const struct mesh *m) {
      for (int j = 0; j < m->n[1]; j++) for (int i = 0; i < m->n[0]; i++) m->x[j * m->n[0] + i] *= 2;
    }
    int main(void) { struct mesh m; set(&m, 30, 7); f(&m); return 0; }"""
    scop = next(scop for scop in read_c("f.c", text=text, auto=True) if scop.name == "f")
    assert scop.source is not None
    assert dict(scop.source.usual) == {"m_n_0": 30, "m_n_1": 14}
