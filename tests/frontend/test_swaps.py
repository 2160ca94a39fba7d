"""Buffers that change places behind every step: what they are read as, what is emitted, and what is left alone."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_c
from polyloop.frontend.scopes import CSourceError
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, needs_gcc, sizes_that_fall_back

TEXT = """
int fell_back;
static double *now, *then;

void stepped(int n, int steps, double *a, double *b)
{
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      b[i] = 0.25 * a[i - 1] + 0.5 * a[i + 1] + t;
    double *other = a;
    a = b;
    b = other;
  }
#pragma endscop
}

double *waved(int n, int from, int to, double *before, double *here, double *next)
{
  double *spare;
  int t;
#pragma scop
  for (t = from; t <= to; ++t) {
    for (int i = 1; i < n - 1; i++)
      next[i] = 2 * here[i] - before[i] + 0.1 * (here[i - 1] + here[i + 1]) + t;
    spare = before, before = here, here = next, next = spare;
  }
#pragma endscop
  next[0] += here[n - 1];
  return here;
}

void in_the_middle(long n, long steps, double *a, double *b)
{
#pragma scop
  for (long t = 0; t < steps; t += 1) {
    double *c;
    for (long i = 0; i < n; i++)
      a[i] = 0.5 * b[i];
    c = a;
    a = b;
    b = c;
    for (long i = 0; i < n; i++)
      a[i] += b[i] * t;
  }
#pragma endscop
  b[0] = 4;
}

void of_all(int n, int steps)
{
#pragma scop
  for (int t = steps; t > 0; t--) {
    for (int i = 1; i < n; i++)
      then[i] = 0.5 * now[i - 1] - t;
    double *other = now;
    now = then;
    then = other;
  }
#pragma endscop
}

int numbered(int n, int steps, double u[3][n])
{
  int now = 1, old = 0, next;
  next = 2;
#pragma scop
  for (int s = 0; s < steps; s++) {
    for (int i = 1; i < n - 1; i++)
      u[next][i] = 2 * u[now][i] - u[old][i] + 0.1 * (u[now][i - 1] + u[now][i + 1]) + s;
    int t = old;
    old = now;
    now = next;
    next = t;
  }
#pragma endscop
  return now;
}

int toggled(int n, int steps, double u[2][n])
{
  int now = 0;
#pragma scop
  for (int s = 0; s < steps; s++) {
    for (int i = 1; i < n - 1; i++)
      u[!now][i] = 0.5 * u[now][i - 1] + u[now][i + 1] - s;
    now = !now;
  }
#pragma endscop
  return now;
}

int other_bit(int n, int steps, double u[2][n])
{
  unsigned now;
  now = 1;
#pragma scop
  for (int s = 0; s < steps; s++) {
    for (int i = 1; i < n - 1; i++)
      u[(now + 1) % 2][i] = 0.5 * u[now][i - 1] + u[now ^ 1][i + 1] * (now ? 0 : 1);
    now ^= 1;
  }
#pragma endscop
  return now;
}

struct grid { int n; double *u, *v, *spare; };

void of_members(struct grid *g, int steps)
{
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < g->n - 1; i++)
      g->v[i] = 0.5 * g->u[i - 1] + g->u[i + 1] - t;
    {
      double *other = g->u;
      g->u = g->v;
      g->v = other;
    }
  }
#pragma endscop
}

void of_elements(int n, int steps, double *level[3])
{
  double *spare;
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      level[0][i] = 0.5 * level[1][i - 1] + level[2][i + 1] - t;
    spare = level[2];
    level[2] = level[1];
    level[1] = level[0];
    level[0] = spare;
  }
#pragma endscop
}

void drive_of_members(int n, double *x, double *y, int *k)
{ (void)k; struct grid g = {n, x, y, 0};
  for (int s = 1; n > 2 && s < 6; s++) { of_members(&g, s); g.u[0] += 1; g.v[0] += 3; } }
void drive_of_elements(int n, double *x, double *y, int *k)
{ (void)k; double *level[3] = {x, y, x + n};
  for (int s = 1; n > 2 && s < 8; s++) { of_elements(n, s, level); level[0][0] += 1; level[2][0] += 3; } }
void drive_toggled(int n, double *x, double *y, int *k)
{ (void)k; (void)y; for (int s = -1; n > 3 && s < 6; s++) x[0] += toggled(n / 2, s, (double (*)[n / 2])x); }
void drive_other_bit(int n, double *x, double *y, int *k)
{ (void)k; (void)y; for (int s = -1; n > 3 && s < 6; s++) x[0] += other_bit(n / 2, s, (double (*)[n / 2])x); }
void drive_numbered(int n, double *x, double *y, int *k)
{ (void)k; (void)y; for (int s = -1; n > 3 && s < 6; s++) x[0] += numbered(n / 3, s, (double (*)[n / 3])x); }
void drive_stepped(int n, double *x, double *y, int *k)
{ (void)k; for (int steps = -1; steps < 6; steps++) stepped(n, steps, x, y); }
void drive_waved(int n, double *x, double *y, int *k)
{ (void)k; for (int to = 0; n && to < 8; to++) waved(n, 2, to, x, y, x + n)[0] += to; }
void drive_in_the_middle(int n, double *x, double *y, int *k)
{ (void)k; for (int steps = -1; n && steps < 6; steps++) in_the_middle(n, steps, x, y); }
void drive_of_all(int n, double *x, double *y, int *k)
{ (void)k; now = x, then = y; for (int s = -1; n && s < 6; s++) { of_all(n, s); now[0] += 1; then[0] += 3; } }
"""
NAMES = ("stepped", "waved", "in_the_middle", "of_all", "numbered", "toggled", "other_bit", "of_members", "of_elements")


@needs_gcc
@pytest.mark.parametrize("name", NAMES)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, (1, 2, 7, 33)) == set()


def test_as_many_steps_at_once_as_bring_the_pointers_back(scops: dict[str, Scop]) -> None:
    assert [s.target.array for s in scops["stepped"].statements] == ["b", "a", "b"]
    assert [s.target.array for s in scops["waved"].statements] == ["next", "before", "here", "next", "before"]
    assert [s.target.array for s in scops["in_the_middle"].statements] == ["a", "b", "b", "a", "a", "b"]


def test_members_and_elements_take_turns(scops: dict[str, Scop]) -> None:
    members, elements = scops["of_members"], scops["of_elements"]
    assert [s.target.array for s in members.statements] == ["g_v", "g_u", "g_v"]
    assert len({s.target.array for s in elements.statements[:3]}) == 3
    assert elements.source is not None
    assert elements.source.behind[0].endswith("level[0] = spare; }")


def test_numbers_of_buffers_take_turns_too(scops: dict[str, Scop]) -> None:
    scop = scops["numbered"]
    assert [str(s.target) for s in scop.statements] == [
        "u[next][i]",
        *["u[old][i]", "u[now][i]"],
        *["u[next][i]", "u[old][i]"],
    ]
    assert scop.source is not None
    assert scop.source.known == (("now", (((), 1),)), ("old", (((), 0),)), ("next", (((), 2),)))
    assert "now = 1" in str(scop.context)


def test_the_other_one_of_two_has_a_closed_form(scops: dict[str, Scop]) -> None:
    for name in ("toggled", "other_bit"):
        accesses = {access for s in scops[name].statements for access in (s.target, *s.reads) if access.array == "u"}
        assert accesses
        assert not any(access.data for access in accesses)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int now = 0;", "int now = steps;"),  # it might be 2
        ("int now = 0;", "int now = 0; if (n > 7) now = 2;"),
        ("int now = 0;", "int now = 0; if (n > 7) now++;"),
        ("int now = 0;", 'int now = 0; scanf("%d", &now);'),
        ("now = !now;", "now = !now; if (s == 4) now = s;"),
    ],
)
def test_what_may_be_more_than_a_bit_is_left_alone(old: str, new: str) -> None:
    start = TEXT.index("int toggled")
    text = TEXT[start : TEXT.index("int other_bit")].replace(old, new)
    (scop,) = read_c("swaps.c", text=f"int scanf(const char *, ...);\n{text}")
    assert any(access.data for s in scop.statements for access in (s.target, *s.reads))


def test_pointers_change_places_behind_what_takes_the_place_of_the_loop(scops: dict[str, Scop]) -> None:
    def behind(name: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        source = scops[name].source
        assert source is not None
        return source.behind, source.kept

    assert behind("stepped") == ((), ())  # nobody reads them
    (statement,), ((turns, count),) = behind("of_all")
    assert statement.startswith(f"if ({turns} > 0) {{")
    assert count == "steps % 2"
    (statement,), _ = behind("waved")
    assert statement.endswith("{ spare = before; before = here; here = next; next = spare; }")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    a = b;", "    if (t > 3) a = b;"),  # not in every step
        ("double *other = a;", "double *other = a; b[0] = 1;"),  # in two places
        ("t < steps", "t < steps && a[0] < 3"),  # nobody knows how many steps
        ("+ t;", "+ t;\n    if (b[0] > 3) continue;"),  # nor how many changes
        ("    b = other;", "    b = a;"),  # one of them is lost
        ("    b = other;", "    b = other + 1;"),
        ("0.25 * a[i - 1]", "0.25 * a[i - 1] * steps--"),
    ],
)
def test_other_moves_are_left_alone(old: str, new: str) -> None:
    text = TEXT[: TEXT.index("double *waved")]
    assert old in text
    with pytest.raises(CSourceError):
        read_c("swaps.c", text=text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("g->v[i] =", "h->v[i] ="),  # which may be the same structure
        ("- t;", "- rows[t][i];"),  # and so may an element
        ("- t;", "- i[rows][t];"),
        ("- t;", "- **rows;"),
        ("- t;", "- t; *g = *h;"),
        ("- t;", "- h->u[i];"),
        ("- t;", "- known(g);"),
        ("double *other = g->u;", "double *other = g->u; g = h;"),
    ],
)
def test_members_that_have_other_names_are_left_alone(old: str, new: str) -> None:
    start = TEXT.index("struct grid")
    text = TEXT[start : TEXT.index("void of_elements")].replace("int steps", "int steps, struct grid *h, double **rows")
    head = "double known(void *) __attribute__((pure));\n"
    assert read_c("swaps.c", text=head + text)
    assert old in text
    with pytest.raises(CSourceError):
        read_c("swaps.c", text=head + text.replace(old, new, 1))


def test_a_local_pointer_that_is_static_keeps_its_value() -> None:
    text = """void f(int n, double *x)
{
  static double *p;
  if (!p) p = x;
#pragma scop
  for (int i = 0; i < n; i++) *p++ = i;
#pragma endscop
}
"""
    with pytest.raises(CSourceError, match="the pointer p is changed inside the region"):
        read_c("kept.c", text=text)
    (scop,) = read_c("kept.c", text=text.replace("  static double *p;\n  if (!p) p = x;", "  double *p = x;"))
    assert scop.name == "f"


@pytest.mark.parametrize("place", ["static int i;", "int i;"])
def test_a_counter_that_others_may_read_keeps_its_value(place: str) -> None:
    body = "#pragma scop\n  for (i = 0; i < n; i++) x[i] = 1;\n#pragma endscop\n"
    (scop,) = read_c("kept.c", text=f"{place}\nvoid f(int n, double *x)\n{{\n{body}}}\n")
    assert [s.target.array for s in scop.statements] == ["x", "i"]
