"""Values of parameters that statements before the region tell, and those that they do not tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.frontend import read_c, read_source
from polyloop.scop.data import SizeError, checked_sizes, sizes_as_given
from polyloop.scop.model import Scop
from polyloop.scop.size_choice import default_sizes
from tests.frontend.emission import drivers, emitted_and_original, needs_gcc, sizes_that_fall_back

LOOP = "for (int i = 0; i < n; i++) y[i] = x[p * i];"


def read(body: str, others: str = "") -> Scop:
    text = (
        f"int g(int *);\nvoid f(int n, int m, int k, double *restrict y, const double *restrict x{others}) {{ {body} }}"
    )
    (scop,) = read_source("f.c", text=text, auto=True).scops
    return scop


def known(scop: Scop) -> dict[str, str]:
    assert scop.source is not None
    values = {name: " + ".join("*".join((str(f), *names)) for names, f in terms) for name, terms in scop.source.known}
    for name, value in values.items():
        space = f"[{', '.join(scop.parameters)}] -> {{ : {name} = {value} }}"
        assert scop.context.is_subset(scop.context.read_from_str(scop.context.get_ctx(), space))
    return values


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("int p = 3;", {"p": "3"}),
        ("int p; p = 3;", {"p": "3"}),
        ("int p = 5; p = 3; k = 4;", {"p": "3"}),
        ("int p = 2 * k - 1;", {}),  # k is none of its parameters
        ("int p = 2 * n + 1;", {"p": "2*n + 1"}),
        ("int p = n; n = 4;", {"n": "4"}),  # it was another n
        ("int p = 3; if (m) p = 4;", {}),
        ("int p = 3; p++;", {}),
        ("int p = 3; g(&p);", {}),
        ("int p = m > 2 ? 1 : 2;", {}),
        ("static int p = 3;", {}),
        ("unsigned p = 2 * n;", {}),  # which may wrap
        ("int p = 3; again: if (m) p = 2;", {}),
    ],
)
def test_what_a_definition_tells(before: str, found: dict[str, str]) -> None:
    assert known(read(f"{before} g(&k); {LOOP}")) == found  # the call ends what the region may begin with


def test_what_loops_around_change_is_not_known() -> None:
    inside = "for (int t = 0; t < m; t++) { g(&k); %s }"
    assert known(read(f"int p = 3; {inside % LOOP}")) == {"p": "3"}
    assert known(read(f"int p = 3; {inside % (LOOP + ' p = 4;')}")) == {}
    assert known(read(inside % f"int p = 3; {LOOP} p = 4;")) == {"p": "3"}
    assert known(read(f"for (int p = 1; p < m; p++) {{ g(&k); {LOOP} }}")) == {}
    assert known(read(f"int p = 2; while (g(&k)) {{ {LOOP} }}")) == {"p": "2"}


def test_sizes_follow() -> None:
    scop = read("int p = 2 * n + 1, q = p - 2; for (int i = 0; i < n; i++) y[i] = x[p * i + q];")
    assert known(scop) == {"p": "2*n + 1", "q": "1*p + -2"}
    assert checked_sizes(scop, {"n": 4}) == {"n": 4, "p": 9, "q": 7}
    sizes = default_sizes(scop).values
    assert (sizes["p"], sizes["q"]) == (2 * sizes["n"] + 1, 2 * sizes["n"] - 1)
    with pytest.raises(SizeError, match=r"the code computes 2 \* n \+ 1, which is 9"):
        sizes_as_given(scop, {"n": 4}, {"p": 7})


@pytest.mark.parametrize(
    ("before", "sizes"),
    [
        ("int p = n / 2;", {"p": 4}),
        ("int p = (2 * n + 1) >> 1;", {"p": 9}),
        ("int p = 100 * n / 64;", {"p": 14}),
        ("int w = n + 1, p = w * w;", {"p": 100}),
        ("int p = s->wide / 2;", {"p": 5}),
        ("int w = s->wide, p = w * w - n; ", {"p": 112}),
        ("int p = s->wide / 2; s->wide = 3;", {}),
        ("int w = n + 1, p = w * w; w = g(&k);", {}),
        ("int p = n * n; if (k) p = 3;", {}),
        ("int p = n / m;", {}),
        ("int p = n << 1;", {}),
        ("int p = x[0] * n;", {}),
    ],
)
def test_products_and_quotients_are_what_they_are_at_the_sizes(before: str, sizes: dict[str, int]) -> None:
    text = f"""struct s {{ int wide, high; }};
int g(int *);
void f(int n, int m, int k, struct s *s, double *restrict y, const double *restrict x) {{
    {before} for (int i = 0; i < n; i++) for (int j = 0; j < s->wide; j++) y[i] = x[p * i + j];
}}"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    assert known(scop) == {}
    values = {"n": 9, "s_wide": 11}
    assert checked_sizes(scop, values | {"p": 1}) == values | {"p": 1} | sizes
    if sizes:
        assert checked_sizes(scop, values) == values | sizes
        with pytest.raises(SizeError, match="the code computes "):
            sizes_as_given(scop, values, {"p": 1})


PLANES = """
    for (int k = 1; k < nz - 1; k++)
        for (int j = 1; j < ny - 1; j++)
            for (int i = 1; i < nx - 1; i++)
                y[i + j * row + k * plane] += x[i + j * row + k * plane - plane] - x[i + j * row + k * plane + row];"""


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("const int row = nx, plane = nx * ny;", True),
        ("const long row = nx, plane = nx * ny;", True),
        ("long row = nx, plane = (long)nx * ny;", True),
        ("long row = nx; long plane = row * ny;", True),
        ("const unsigned long row = nx, plane = row * ny;", True),
        ("const int row = nx, plane = ny * nx, more = nz * plane; x += more - more;", True),
        ("int row = nx, plane = nx * ny; nx = g(&k);", False),
        ("int row = nx, plane = nx * ny; if (k) plane++;", False),
        ("int row = nx, plane = nx * ny; g(&plane);", False),
        ("short row = nx; int plane = nx * ny;", False),  # which may hold less than nx
        ("int row = nx; volatile int plane = nx * ny;", False),
        ("int row = nx, plane = nx * k;", False),  # which the loops do not name
    ],
)
def test_strides_are_what_they_are_computed_from(before: str, found: bool) -> None:
    text = (
        "int g(int *);\nvoid f(int nx, int ny, int nz, int k, double *restrict y, const double *restrict x)"
        f" {{ {before}{PLANES} }}"
    )
    scops = read_source("f.c", text=text, auto=True).scops
    shapes = {tuple(map(str, scop.array("y").shape)) for scop in scops}
    assert (shapes == {("None", "ny", "nx")}) == found
    if found:
        assert set(scops[0].parameters) == {"nx", "ny", "nz"}
        assert min(default_sizes(scops[0]).values.values()) > 100


def test_strides_of_members_too() -> None:
    text = f"""typedef struct {{ long nx, ny, nz; }} grid;
void f(const grid *g, double *restrict y, const double *restrict x) {{
    const long row = g->nx, plane = g->nx * g->ny, all = plane * g->nz;
    for (int m = 0; m < 3; m++) {{ {PLANES.replace("< n", "< g->n").replace("y[i", "y[m * all + i")} }} }}"""
    (scop,) = read_source("f.c", text=text, auto=True).scops
    assert set(scop.parameters) == {"g_nx", "g_ny", "g_nz"}
    assert tuple(map(str, scop.array("y").shape)) == ("None", "g_nz", "g_ny", "g_nx")


@needs_gcc
def test_emitted_code_computes_the_same_with_such_strides(tmp_path: Path) -> None:
    signature = "int nx, int ny, int nz, const double *x, double *y"
    bodies = {
        name: (signature, f"{before}\n#pragma scop\n{PLANES}\n#pragma endscop", f"{name}(n, 2, 3 + n / 4, x, y);")
        for name, before in {
            "plain": "int row = nx, plane = nx * ny;",
            "wide": "const long row = nx, plane = (long)nx * ny;",
            "unsigned_ones": "const unsigned long row = nx, plane = row * ny;",
            "by_steps": "const int row = nx; int plane = row; plane = plane * ny;",
        }.items()
    }
    text = drivers("", bodies)
    scops = {scop.source.function: scop for scop in read_c("planes.c", text=text) if scop.source is not None}
    libraries = emitted_and_original(text, scops, tmp_path)
    for name in bodies:
        sizes_that_fall_back(libraries, name, range(1, 9))
