"""Structures that loops go through: matrices of complex numbers, arrays of points, assignments of many numbers."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_c
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, drivers, emitted_and_original, needs_gcc, sizes_that_fall_back

TYPES = """#include <math.h>
typedef struct { double re, im; } cplx;
typedef struct { cplx e[3][3]; } matrix;
typedef struct { double x, y, z; } point;
typedef struct { matrix link[4]; double flag; } site;
typedef struct { point at, v; double m; } body;
typedef union { struct { double x, y, z; }; struct { double e[2]; } first; double v[3]; } vec;
static vec of(double x, double y, double z) { return (vec){{x, y, z}}; }
static vec sum(vec a, vec b) { return of(a.x + b.x, a.y + b.y, a.z + b.z); }
static double dot(vec a, vec b) { double s = 0; for (int k = 0; k < 3; k++) s += a.v[k] * b.v[k]; return s; }
static void times(const matrix *a, const matrix *b, matrix *c)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            cplx s = {0, 0};
            for (int k = 0; k < 3; k++) {
                s.re += a->e[i][k].re * b->e[k][j].re - a->e[i][k].im * b->e[k][j].im;
                s.im += a->e[i][k].re * b->e[k][j].im + a->e[i][k].im * b->e[k][j].re;
            }
            c->e[i][j] = s;
        }
}
static void turned(const matrix *a, matrix *b)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            b->e[i][j].re = a->e[j][i].re;
            b->e[i][j].im = -a->e[j][i].im;
        }
}
"""
MATRICES = "int n, matrix *restrict u, const matrix *restrict v"
# The arrays that stand for structures; then parameters, region and driver.
BODIES = {
    "product": (["t_e_im", "t_e_re"], MATRICES,
                "for (int i = 0; i < n; i++) { matrix t; times(&u[i], &v[i], &t); u[i] = t; }",
                "product(n / 9, (void *)x, (void *)y);"),
    "chain": (["s_e_im", "s_e_re", "t_e_im", "t_e_re"], MATRICES,
              "for (int i = 0; i < n; i++) { matrix s, t = v[i]; turned(&t, &s); times(&s, &v[i], &t);"
              " for (int a = 0; a < 3; a++) for (int b = 0; b < 3; b++) u[i].e[a][b].re += t.e[b][a].re; }",
              "chain(n / 9, (void *)x, (void *)y);"),
    "points": (["t_x", "t_y", "t_z"], "int n, point *restrict u, const point *restrict v",
               "for (int i = 0; i < n; i++) { point t[4]; for (int k = 0; k < 4; k++) { t[k].x = v[i].x * k;"
               " t[k].y = v[i].y; t[k].z = k; }"
               " for (int k = 0; k < 4; k++) u[i].x += t[k].x + t[3 - k].y + t[k].z; u[i].z = t[i & 3].x; }",
               "points(n / 3, (void *)x, (void *)y);"),
    "listed": (["t_x", "t_y", "t_z"], "int n, point *restrict u, const point *restrict v",
               "for (int i = 0; i < n; i++) { point t[3] = {{1, 2, 3}, {v[i].x, 4, 5}}; u[i] = t[i % 3]; }",
               "listed(n / 3, (void *)x, (void *)y);"),
    "window": (["s_a"], "int n, double *restrict u, const double *restrict v",
               "for (int i = 0; i < n; i++) { struct { int m; double a[8]; } s; s.m = 3;"
               " for (int k = 0; k < 8; k++) s.a[k] = v[i + k];"
               " for (int k = 0; k < 8; k++) u[i] += s.a[k] * s.m; }",
               "window(n, x, y);"),
    "unions": ([], "int n, vec *restrict u, const vec *restrict v, vec w",
               "for (int i = 0; i < n; i++) { vec t = sum(v[i], w), z = {{0.5, 1, 0}}; t.v[1] *= z.y;"
               " z.z = t.first.e[1]; u[i] = sum(u[i], sum(t, z)); (u + i)->x -= w.v[2]; }",
               "unions(n / 3, (vec *)x, (const vec *)y, of(1, 2, 3));"),
    "unions_in_loops": (["t_v"], "int n, vec *restrict u, const vec *restrict v, vec w",
                        "for (int i = 0; i < n; i++) { vec t; for (int k = 0; k < 2; k++) t.first.e[k] = v[i].v[k];"
                        " t.z = dot(v[i], w); for (int k = 0; k < 3; k++) u[i].v[k] += t.v[2 - k] * t.x; }",
                        "unions_in_loops(n / 3, (vec *)x, (const vec *)y, of(1, 2, 3));"),
    "sites": ([], "int n, site *restrict u, const site *restrict v",
              "for (int i = 0; i < n; i++) u[i] = v[i];",
              "sites(n / 18, (void *)x, (void *)y);"),
    "changed": (["t_link_e_im", "t_link_e_re"], "int n, site *restrict u, const site *restrict v",
                "for (int i = 0; i < n; i++) { site t = v[i]; t.flag += 1; t.link[2].e[0][1].re *= 2; u[i] = t; }",
                "changed(n / 18, (void *)x, (void *)y);"),
    "members": ([], "int n, body *restrict u, const body *v",
                "for (int i = 0; i < n; i++) { point *p = &u[i].at; const body *b = v + i; const point *q = &b->v;"
                " double *m = &u[i].m; p->x += q->y; (*p).z -= q->x * *m; m[0] += p->x; p[0].y = b->m; }",
                "members(n / 7, (void *)x, (void *)y);"),
    "set": (["t_e_im", "t_e_re"], MATRICES,
            "for (int i = 0; i < n; i++) { matrix t = {{{{1, 2}, {3, 0}}}}; t.e[1][1] = v[i].e[2][0];"
            " for (int k = 0; k < 3; k++) u[i].e[k][k].im -= t.e[k][k].re; }",
            "set(n / 9, (void *)x, (void *)y);"),
}  # fmt: skip
FUNCTIONS = {name: (signature, region, driver) for name, (_, signature, region, driver) in BODIES.items()}


@pytest.fixture(scope="module")
def scops() -> dict[str, Scop]:
    return {scop.name: scop for scop in read_c("structures.c", text=drivers(TYPES, FUNCTIONS))}


@pytest.fixture(scope="module")
def libraries(scops: dict[str, Scop], tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    return emitted_and_original(drivers(TYPES, FUNCTIONS), scops, tmp_path_factory.mktemp("structures"))


@pytest.mark.parametrize("name", BODIES)
def test_members_are_arrays_where_loops_go_through_them(name: str, scops: dict[str, Scop]) -> None:
    arrays = [array.name for array in scops[name].arrays if array.local and array.shape]
    assert sorted(arrays) == BODIES[name][0]
    assert not any(statement.opaque for statement in scops[name].statements)


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, (0, 1, 9, 36, 73)) <= {0, 1, 9}
