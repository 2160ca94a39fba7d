"""Tables of constants that pick elements: what loops over them are read as, what is emitted, and what is left alone."""

from __future__ import annotations

import pytest

from polyloop.backend.ir.expressions import Select, walk
from polyloop.frontend import read_c
from polyloop.frontend.scopes import CSourceError
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, needs_gcc, sizes_that_fall_back

TEXT = """
int fell_back;
enum { WEST = -1, EAST = 1 };
static const signed char dx[] = {EAST, 0, WEST, 0}, dy[4] = {0, 1, 0, WEST};
static const struct { int x; double w; unsigned char y; } near[4] = {{1, .5, 0}, {0, -.25, 1}, {2, 4, 0}};
void pass(int (*d)[2]);

void smooth(int n, const double *a, double *b)
{
  const long w = n + 2;
#pragma scop
  for (int y = 1; y < 3; y++)
    for (int x = 1; x <= n; x++) {
      double s = 0;
      for (int k = 0; k < 4; k++)
        s += a[(y + dy[k]) * w + x + dx[k]];
      for (int k = 1; k < 4; k++)
        s += dx[k] * a[k];
      b[y * w + x] = s;
    }
#pragma endscop
}

void weighted(int n, const double *a, double *b)
{
#pragma scop
  for (int y = 0; y < 2; y++)
    for (int x = 0; x < n; x++)
      for (int k = 2; k >= 0; k--)
        b[x] += near[k].w * a[(y + near[k].y) * (n + 2) + x + near[k].x];
#pragma endscop
}

void neighbours(int n, const double *a, double *b, int *last)
{
  int d[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1}};
  int k = n, seen = 0;
#pragma scop
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < n; x++) {
      for (k = 0; k < 4; k += 1) {
        int yy = y + d[k][0], xx = x + d[k][1];
        if (yy < 0 || yy >= 3 || xx < 0 || xx >= n)
          continue;
        b[y * n + x] += a[yy * n + xx];
      }
      seen = k + x;
    }
#pragma endscop
  last[0] = k + 10 * seen;
}

void coded(int n, const int *k, double *b)
{
  static const char digits[] = "01\\x32\\063456789abc";
  static const unsigned long steep[9] = {5, 7, 9, 11, 40, 39, 38};
#pragma scop
  for (int i = 0; i < n; i++) {
    unsigned at = k[i] + 3 * (k[i + 1] > 7);
    b[2 * i] = digits[k[i] & 15] + (at > 12 ? -1 : digits[at]);
    b[2 * i + 1] = steep[k[i]] - 50;
  }
#pragma endscop
}

void drive_smooth(int n, double *x, double *y, int *k) { (void)k; smooth(n, x, y); }
void drive_weighted(int n, double *x, double *y, int *k) { (void)k; weighted(n, x, y); }
void drive_neighbours(int n, double *x, double *y, int *k) { neighbours(n, x, y, k); }
void drive_coded(int n, double *x, double *y, int *k) { (void)x; coded(n, k, y); }
"""
NAMES = ("smooth", "weighted", "neighbours", "coded")


@needs_gcc
@pytest.mark.parametrize("name", NAMES)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, (1, 2, 7, 23)) <= {1, 2}


def picked(scop: Scop) -> list[str]:
    return [str(access) for s in scop.statements for access in s.reads if access.array == "a"]


OTHERS = ["a[0][1]", "a[0][2]", "a[0][3]"]
"""Of a loop that would do with the table's numbers as data: no other data may then take their place."""


def test_every_step_has_subscripts_of_its_own(scops: dict[str, Scop]) -> None:
    assert picked(scops["smooth"]) == ["a[y][x + 1]", "a[y + 1][x]", "a[y][x - 1]", "a[y - 1][x]", *OTHERS]
    assert picked(scops["weighted"]) == ["a[y][x + 2]", "a[y + 1][x]", "a[y][x + 1]"]
    assert picked(scops["neighbours"]) == ["a[y][x + 1]", "a[y + 1][x]", "a[y][x - 1]", "a[y - 1][x]"]
    for name in ("smooth", "neighbours"):
        assert {array.name for array in scops[name].arrays if array.shape} == {"a", "b"}
    for scop in scops.values():
        assert not any(access.data for s in scop.statements for access in (s.target, *s.reads))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int k = n,", "d[3][1] = n; int k = n,"),
        ("int k = n,", "pass(d); int k = n,"),
        ("int k = n,", "int *p = &d[1][1]; *p = n; int k = n,"),
        ("{-1}};", "{-n}};"),
        ("{-1}};", "[3] = {-1}};"),
        ("k < 4", "k < n"),
        ("k += 1", "k += n"),
        ("continue;", "break;"),
    ],
)
def test_what_is_no_table_stays(old: str, new: str) -> None:
    body = TEXT[TEXT.index("void neighbours") : TEXT.index("void coded")]
    assert old in body
    (scop,) = read_c("tables.c", text="void pass(int (*d)[2]);\n" + body.replace(old, new))
    assert any(access.data or "d_" in str(access) for s in scop.statements for access in s.reads)


def test_counters_that_wrap_around_have_no_few_steps() -> None:
    body = TEXT[TEXT.index("void neighbours") : TEXT.index("void coded")]
    with pytest.raises(CSourceError, match="wraps"):
        read_c("tables.c", text=body.replace("for (k = 0; k < 4; k += 1)", "for (unsigned k = 3; k >= 0; k--)"))


def test_data_choose_between_straight_pieces(scops: dict[str, Scop]) -> None:
    assert {array.name for array in scops["coded"].arrays if array.shape} == {"k", "b"}
    values = [value for s in scops["coded"].statements for value in walk(s.value)]
    assert sum(isinstance(value, Select) for value in values) == 2 + 1 + 2 + 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[9] = {5, 7, 9, 11, 40, 39, 38}", "[14] = {5, 7, 1, 8, 2, 9, 1, 9, 2, 6, 4, 7, 1, 8}"),
        ("{5, 7, 9, 11, 40, 39, 38}", "{5, 7, 900000000}"),
        ("{5, 7, 9, 11, 40, 39, 38}", "{5, [2] = 7, 8, 9}"),
        ("static const unsigned long steep", "unsigned long steep[9]; pass(steep); extern const unsigned long other"),
    ],
)
def test_other_tables_are_read(old: str, new: str) -> None:
    body = TEXT[TEXT.index("void coded") : TEXT.index("void drive")]
    assert old in body
    (scop,) = read_c("tables.c", text="void pass(unsigned long *);\n" + body.replace(old, new))
    assert [access.data != () for s in scop.statements for access in s.reads if access.array == "steep"] == [True]


def test_other_variables_of_a_name_say_nothing() -> None:
    """Of what is declared inside there is no symbol, but maybe of something narrower outside."""
    text = """
void f(int n, const int *k, int *restrict out, unsigned char at)
{
  static const short ramp[400] = {[0] = 0};
#pragma scop
  for (int i = 0; i < n; i++) {
    int at = k[i];
    out[i] = TABLE[at];
  }
#pragma endscop
  out[0] = at;
}
"""
    numbers = ", ".join(["1"] * 300 + ["5"] * 100)
    text = text.replace("{[0] = 0}", f"{{{numbers}}}").replace("TABLE", "ramp")
    (scop,) = read_c("tables.c", text=text)
    values = [value for s in scop.statements for value in walk(s.value)]
    assert sum(isinstance(value, Select) for value in values) == 1, "the second piece begins beyond a byte"


def test_wide_loops_stay() -> None:
    numbers = ", ".join(map(str, range(40)))
    text = f"""
static const int at[40] = {{{numbers}}};
void gather(int n, const double *a, double *restrict b)
{{
#pragma scop
  for (int x = 0; x < n; x++)
    for (int k = 0; k < 40; k++)
      b[x] += a[x + at[k]];
#pragma endscop
}}
"""
    (scop,) = read_c("tables.c", text=text)
    assert [s.iterators for s in scop.statements] == [("x", "k")]
