"""Elements of the function's own arrays that constants alone lead to: counters that stand in an array."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.frontend import read_source
from tests.frontend.emission import needs_gcc
from tests.frontend.test_unseen import compare, read

COUNTERS = """
void add(int *c, const int *a, const int dim[3], int skip)
{
    int i[3];
    for (i[0] = 0; i[0] < dim[0]; i[0]++) {
        const int *ap = a + i[0] * skip;
        int *cp = c + i[0] * dim[1] * dim[2];
        for (i[1] = 0; i[1] < dim[1]; i[1]++) {
            for (i[2] = 0; i[2] < dim[2]; i[2]++)
                cp[i[2]] += ap[i[2]] * (i[0] + i[1]);
            cp += dim[2];
        }
    }
    for (i[0] = 0; i[0] < skip; i[0]++)
        c[i[0]] -= i[0];
}
int places(int *c, int n)
{
    int at[2], k[2] = {3, n};
    for (int j = 0; j < n; j++) {
        at[0] = j + k[0];
        at[1] = 2 * at[0];
        c[at[1] + k[1]] = j;
        k[0] = k[0] + 1;
    }
    return k[1];
}
"""
DRIVERS = """
void drive_add(int n, int *x) { int d[3] = {n / 2, 3, n}; add(x, x + 4096, d, 4 * n); }
void drive_places(int n, int *x) { x[5000] = places(x, n); }
"""


@needs_gcc
def test_elements_are_variables(tmp_path: Path) -> None:
    file = read(COUNTERS, "add", "places")
    assert [max(s.depth for s in scop.statements) for scop in file.scops] == [3, 1]
    assert not compare(file, tmp_path, DRIVERS)


@pytest.mark.parametrize(
    ("before", "behind", "reads"),
    [
        ("", "", 2),
        ("", "if (n > 2) { i[1] = 3; a[0] += i[1]; }", 2),
        ("", "a[0] = i[0];", 0),
        ("", "a[0] = i[1];", 1),  # the inner one is a variable
        ("", "a[0] = i[n];", 0),
        ("", "use(i);", 0),
        ("int *p = &i[1];", "", 0),
        ("i[n] = 2;", "", 2),
    ],
)
def test_what_is_read_behind_them_stays(before: str, behind: str, reads: int) -> None:
    text = f"""
    void use(int *);
    void f(float *a, int n)
    {{
        int i[3];
        {before}
        for (i[1] = 0; i[1] < n; i[1]++)
            for (i[0] = 0; i[0] < n; i[0]++)
                a[i[1] * n + i[0]] += 1;
        {behind}
    }}
    """
    file = read_source("x.c", text=text, auto=True)
    assert [max(s.depth for s in scop.statements) for scop in file.scops] == ([reads] if reads else [])
