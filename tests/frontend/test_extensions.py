"""``typeof`` and blocks with a value, as macros of GNU C are made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.frontend import read_source
from polyloop.scop.model import Scop
from tests.frontend.emission import needs_gcc
from tests.frontend.test_unseen import compare, read

MACROS = """
#define min(a, b) ({ typeof(a) _a = (a); __typeof__(b) _b = (b); _a < _b ? _a : _b; })
#define clamp(x, l, h) ({ __auto_type x_ = (x); typeof(l) l_ = (l), h_ = (h); x_ < l_ ? l_ : min(x_, h_); })
#define swap(a, b) do { typeof(a) t_ = (a); (a) = (b); (b) = t_; } while (0)
#define squared(x) ({ typeof(x) v = (x) * (x); v; })
"""
FUNCTIONS = """
struct image { int w, h; short *p; };
typedef __typeof(1 + 2l) word;
static const typeof(1.f) half = .5f;
void least(float *x, const float *y, int n, long m)
{
  for (int i = 0; i < min(n, m); i++)
    x[i] = min(y[i], min(x[i], half) * 2);
}
void swapped(struct image *s, typeof(s->p) q)
{
  typeof(*s) t = *s;
  typeof(*s->p) *p = t.p;
  for (typeof(s->w) i = 0; i < t.w; i++)
    swap(p[i], q[i]);
}
void bounded(unsigned char *x, const int *y, int n)
{
  for (int i = 0; i < n; i++) {
    __auto_type v = clamp(y[i] - 60, 0, 99);
    x[i] = (typeof(*x))v + (typeof(x[0] + 1.5))i;
  }
}
void sums(double *x, word n)
{
  for (word i = 0; i < n; i++)
    x[i] = squared(x[i]) + x[i] - squared(x[i] - 1);
}
void hidden(int *x, int n)
{
  int a = 7, b = 1;
  for (int i = 0; i < n; i++)
    x[i] = ({ int a = n; ({ int b = a; int a = 5; a + b * i; }) + a; }) + a * b;
}
"""
DRIVERS = """
void drive_least(int n, float *x)
{
  for (int i = 0; i < 512; i++)
    x[i] = ((unsigned char *)x)[i + 9000];
  least(x, x + 256, n, n - 2);
}
void drive_swapped(int n, short *x)
{
  struct image s = {n, 1, x};
  swapped(&s, x + 100);
  swapped(&s, x + 3);
}
void drive_bounded(int n, unsigned char *x)
{
  for (int i = 0; i < n; i++)
    ((int *)x)[i] = x[4000 + i] - 30;
  bounded(x + 2000, (int *)x, n);
}
void drive_sums(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = ((char *)x)[2000 + i] / 7.;
  sums(x, n);
}
void drive_hidden(int n, int *x) { hidden(x, n); }
"""


@needs_gcc
def test_macros_of_gnu_c(tmp_path: Path) -> None:
    file = read(MACROS + FUNCTIONS, "least", "swapped", "bounded", "sums", "hidden")
    assert compare(file, tmp_path, DRIVERS) == {"drive_swapped"}  # the second call's arrays overlap


def scops(body: str) -> tuple[Scop, ...]:
    text = f"{MACROS}\nint g(int);\nvoid f(int *x, double *z, int n)\n{{\n{body}\n}}\n"
    return tuple(read_source("x.c", text=text, auto=True).scops)


@pytest.mark.parametrize(
    "bound",
    [
        "({ int a = n; a - 1; })",
        "({ int a = n, b = a + 1; b; })",
        "min(n, min(40, n + 2))",
        "({ n; })",
    ],
)
def test_blocks_that_are_expressions_bound_loops(bound: str) -> None:
    (scop,) = scops(f"for (int i = 0; i < {bound}; i++) x[i] = i;")
    assert not scop.statements[0].opaque


@pytest.mark.parametrize(
    "bound",
    [
        "({ int a = g(n); a; })",
        "({ int a = n; a++; a; })",
        "({ int a; a = n; a; })",
    ],
)
def test_other_blocks_stay_blocks(bound: str) -> None:
    assert not scops(f"for (int i = 0; i < {bound}; i++) x[i] = i;")
    assert scops(f"for (int i = 0; i < n; i++) x[i] = {bound.replace('g(n)', 'n')};")


def test_types_of_which_nothing_is_known_are_left_alone() -> None:
    assert not scops("typeof(unknown) *p = (typeof(unknown) *)x; for (int i = 0; i < n; i++) p[i] = 0;")
    assert scops("typeof(unknown) *p = 0; for (int i = 0; i < n; i++) x[i] = 0;")


EXPRESSIONS = [
    *("1", "1.f", "1.5", "'a'", "n", "m", "*x", "c", "c + 1", "-c", "c ? 1 : 2.f", "u + 1", "1ul", "sizeof n", "n < m"),
    *(
        "!x[0]",
        "c << 2",
        "(short)n",
        "n++",
        "s.p[0]",
        "*s.p",
        "s.w",
        "b",
        "!b",
        "c * u",
        "u * m",
        "m * 1.f",
        "~c",
        "(c)",
    ),
    *("n = 2", "int", "unsigned char", "const float", "*&u", "0 ? c : c", "x[0] + c", "EIGHT", "s.p - s.p"),
]


@needs_gcc
def test_types_are_those_that_compilers_have(tmp_path: Path) -> None:
    """What is left of a number that each type cuts in its way."""
    loops = "".join(
        f"for (int i = 0; i < n; i++) {{ float v = y[i] * 1.7f; typeof({each}) t = (typeof({each}))v; x[i] += t; }}\n"
        for each in EXPRESSIONS
    )
    text = f"""
struct image {{ int w; short *p; }};
enum {{ EIGHT = 8 }};
void types(double *x, const float *y, int n, long m, char c, unsigned u, struct image s, _Bool b)
{{
{loops}}}
"""
    file = read_source("x.c", text=text, auto=True)
    assert sum(len(scop.statements) for scop in file.scops) > len(EXPRESSIONS)
    driver = """
void drive_types(int n, float *x)
{
  struct image s = {n, (short *)x};
  for (int i = 0; i < n; i++)
    x[2000 + i] = ((unsigned char *)x)[i];
  for (int i = 0; i < 2 * n; i++)
    x[i] = 0;
  types((double *)x, x + 2000, n, n, n, n, s, n != 0);
}
"""
    compare(file, tmp_path, driver)
