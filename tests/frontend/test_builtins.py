"""Calls of gcc's built-in functions that count and move bits."""

from __future__ import annotations

import pytest

from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, drivers, needs_gcc, sizes_that_fall_back

WORDS = {"": "int", "l": "long", "ll": "long long"}
COUNTS = ("popcount", "parity", "ctz", "clz", "ffs")
BODIES = {
    f"{name}{suffix}_of_words": (
        f"const unsigned {type_} *a, unsigned {type_} *b, int n",
        # Of zero, ctz and clz say nothing.
        f"for (int i = 0; i < n; i++)"
        f" b[i] = __builtin_{name}{suffix}((a[i] * 0x9e3779b97f4a7c15ULL >> i % 32 | 1) << i % 9);",
        f"{name}{suffix}_of_words((unsigned {type_} *)y, (unsigned {type_} *)x, n);",
    )
    for suffix, type_ in WORDS.items()
    for name in COUNTS
}
BODIES |= {
    f"swapped_{bits}": (
        f"const unsigned {type_} *a, unsigned {type_} *b, int n",
        f"for (int i = 0; i < n; i++) b[i] = __builtin_bswap{bits}(a[i] * 0x9e3779b97f4a7c15ULL + i);",
        f"swapped_{bits}((unsigned {type_} *)y, (unsigned {type_} *)x, n);",
    )
    for bits, type_ in ((16, "short"), (32, "int"), (64, "long"))
}
BODIES["ffs_of_zero"] = (
    "const long *a, int *b, int n",
    "for (int i = 0; i < n; i++)"
    " b[i] = __builtin_ffsl(a[i] & -(i & 1L)) + __builtin_popcount(0) + __builtin_ffs(i & 2);",
    "ffs_of_zero((long *)y, (int *)x, n);",
)
BODIES["prefetched"] = (
    "const int *a, int *b, int n, const int *k",
    "for (int i = 0; i < n; i++)"
    " { __builtin_prefetch(&a[i + 64]); __builtin_prefetch(b + k[i] % 8, 1, 3); b[i] += a[i]; }",
    "prefetched((int *)y, (int *)x, n, k);",
)
TEXT = drivers("", BODIES)


def test_all_are_read(scops: dict[str, Scop]) -> None:
    assert list(scops) == list(BODIES)


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    assert sizes_that_fall_back(libraries, name, (0, 1, 2, 7, 33, 64)) <= {0}
