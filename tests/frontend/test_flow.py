"""What is read behind a region before it is set again, whatever jumps there are in the function."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_source

HEAD = "int f(int n, const int *x, double *a)\n{\n    int i, k = 0, found = 0;\n"
REGION = "\n#pragma scop\n    for (k = 0; k < n; k++)\n        a[k] = 1;\n#pragma endscop\n"

NOT_READ = {
    "nothing": "",
    "set first": "k = 2; a[0] = k;",
    "set on both ways": "if (n > 3) k = 1; else { k = x[0]; found++; } a[k] = 0;",
    "behind a return": "return 0; a[k] = 0;",
    "set before a loop with a break": "for (k = 0; k < n; k++) if (x[k] > 1) break; a[k] = 0;",
    "behind a goto": "if (n > 3) goto out; goto end; out: k = 1; a[k] = 0; end: ;",
    "in a switch": "switch (n) { case 1: k = 1; break; default: k = 2; } a[k] = 0;",
    "a member of that name": "struct { int k; } s; s.k = 1; a[s.k] = 0;",
}
READ = {
    "at once": "a[k] = 0;",
    "set on one way": "if (n > 3) k = 1; a[k] = 0;",
    "set in a loop that may not run": "for (i = 0; i < n; i++) k = i; a[k] = 0;",
    "set behind an and": "if (n > 3 && (k = 1)) found = 1; a[k] = 0;",
    "left before it is set": "for (;;) { if (x[0] > 3) break; k = 1; found = 1; } a[k] = 0;",
    "a goto over it": "if (n > 3) goto over; k = 1; over: a[k] = 0;",
    "a case without it": "switch (n) { case 1: k = 1; break; case 2: found = 1; } a[k] = 0;",
    "a case that goes on": "switch (n) { case 1: k = 1; case 2: a[k] = 0; }",
    "another variable is set": "{ int k = 3; k = 2; a[0] = k; } a[k] = 0;",
}


AROUND = {
    "set in the next iteration": ("for (i = 0; i < n; i++) {{ k = 0; {} }}", False),
    "read in the next iteration": ("for (i = 0; i < n; i++) {{ a[k] = 0; {} }}", True),
    "read behind the loop": ("for (i = 0; i < n; i++) {{ k = 0; if (x[i] > 3) {{ {} }} }} a[k] = 0;", True),
    "left by a break": ("while (n) {{ {} if (x[0]) break; k = 1; }} a[k] = 0;", True),
    "left by a break, set": ("while (n) {{ {} if (x[0]) break; a[0] = 1; }} k = 1; a[k] = 0;", False),
    "read in the next round of a goto": ("next: if (k > 5) found = 1; {} if (x[0]) goto next;", True),
}


def _reads(behind: str, around: str = "{}") -> bool:
    """Is the counter's value read behind the region? Then the region sets it."""
    text = HEAD + around.format(REGION + behind) + "\n    return found;\n}\n"
    file = read_source("flow.c", text=text)
    assert len(file.scops) == 1, file.diagnostics
    return len(file.scops[0].statements) > 1


@pytest.mark.parametrize("name", [*NOT_READ, *READ])
def test_what_is_set_first_is_not_read(name: str) -> None:
    assert _reads((NOT_READ | READ)[name]) == (name in READ)


@pytest.mark.parametrize("name", AROUND)
def test_what_stands_around_comes_again(name: str) -> None:
    around, read = AROUND[name]
    assert _reads("", around) == read


HELD = {
    "taken before": ("g(&k); {}", True),
    "taken behind": ("{} k = 1; g(&k);", False),
    "taken in a loop around": ("for (i = 0; i < n; i++) {{ {} k = 1; g(&k); }}", True),
    "taken on the other way": ("if (n > 3) g(&k); else {{ {} }}", False),
    "taken on a way to it": ("if (n > 3) g(&k); {}", True),
    "taken before a goto back": ("next: found = 1; {} k = 1; g(&k); if (x[0]) goto next;", True),
    "taken before a goto over it": ("g(&k); if (x[0]) goto over; found = 1; over: found = 2; {}", True),
    "taken behind a return": ("if (n > 3) {{ g(&k); return 1; }} {}", False),
    "in a variable that lasts": ("{{ static int k; {} k = 1; g(&k); }}", True),
}


@pytest.mark.parametrize("name", HELD)
def test_whether_a_pointer_may_lead_to_a_counter(name: str) -> None:
    around, held = HELD[name]
    text = "void g(int *);\n" + HEAD + around.format(REGION) + "\n    return found;\n}\n"
    file = read_source("flow.c", text=text)
    assert [d.code for d in file.diagnostics] == (["counter"] if held else [])


def test_loops_without_a_condition_are_refused_wherever_their_counter_is_read() -> None:
    text = HEAD + "for (k = n; ; k++) if (x[k] > 3) break;\n    return k;\n}\n"
    assert [d.code for d in read_source("flow.c", text=text, auto=True).diagnostics] == ["for-header"]


SURE = {
    "asked at first": "if (*m == 0) return 0;",
    "in a declaration": "int first = *m;",
    "by its element": "found = m[0];",
    "on both ways": "if (n > 3) k = *m; else found = *m;",
    "on the ways that are left": "if (n < 0) found = 1; else if (*m < 0) found = 2; if (found != 0) return found;",
    "ways that are told by not": "if (n < 0) found = 1; else if (*m < 0) found = 2; if (!found) ; else return found;",
    "behind a call": "other(x); if (*m == 0) return 0;",
    "before a function of math.h": "k = *m; a[0] = sqrt(a[0]);",
    "before a block is cleared": "k = *m; memset(a, 0, k * sizeof *a);",
    "before a comparison of strings": 'k = *m; if (strncmp(name, "N", 1) == 0) found = 1;',
    "before output": 'k = *m; printf("%d", k);',
    "in a loop's header that is asked once": "for (i = 0; i < *m; i++) a[i] = 0;",
    "beside an element's address": "k = *m; q = &m[1];",
}
UNSURE = {
    "nowhere": "",
    "behind an and": "if (n > 3 && *m == 0) return 0;",
    "on one way": "if (n > 3) found = *m;",
    "before a function of that name": 'k = *m; found = strcmp(name, "N");',
    "before a call": "if (*m == 0) return 0; other(x);",
    "before memory is given back": "k = *m; free(a);",
    "in a size": "found = sizeof *m;",
    "its address alone": "q = &m[0]; q = &*m;",
    "set anew": "if (*m == 0) return 0; m = q;",
    "given away by its address": "set((int *)&m); if (*m == 0) return 0;",
    "given away": "if (*m == 0) return 0; *(int **)&m = q;",
    "ways that are not told apart": "if (n < 0) found = 0; else if (*m < 0) found = 2; if (found != 0) return found;",
    "told apart by what changes": "if (n < 0) found = 1; else k = *m; found -= n; if (found != 0) return found;",
    "told apart by what a call sets": "if (n < 0) found = 1; else k = *m; set(&found); if (found != 0) return found;",
    "told apart by what is volatile": "volatile int no = 0; if (n < 0) no = 1; else k = *m; if (no) return 1;",
    "a way by goto": "if (n > 3) goto over; k = *m; over: ;",
    "another variable": "{ const int *m = q; k = *m; }",
    "in a loop that may not run": "for (i = 0; i < n; i++) k = *m;",
}
PERHAPS = """
int state;
double sqrt(double);
void other(const int *x), set(int *found);
int strcmp(const char *a, const char *b) {{ return *a - *b + (state = 0); }}
int f(int n, const int *m, const int *q, const int *x, double *a, const char *name)
{{
    int i, j, k = 0, found = 0;
    {}
#pragma scop
    for (j = 0; j < n; j++)
        if (x[j] > 0)
            for (i = 0; i < *m; i++)
                a[i + n * j] += 1;
#pragma endscop
    return k + found;
}}
"""


@pytest.mark.parametrize("name", [*SURE, *UNSURE])
def test_what_is_surely_read_before_may_be_read_at_the_region(name: str) -> None:
    file = read_source("flow.c", text=PERHAPS.format((SURE | UNSURE)[name]))
    if name in SURE:
        source = file.scops[0].source
        assert source is not None
        assert "*m" in {memory.text for memory in source.memory}
    else:
        assert not file.scops
        assert "it depends on data whether *m is read at all" in file.diagnostics[0].message
