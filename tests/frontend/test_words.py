"""Several numbers as one word: what they are read as, and what is emitted."""

from __future__ import annotations

import pytest

from polyloop.scop.model import Scop
from polyloop.support.compilers import ALL_ALIAS
from tests.frontend.emission import Libraries, drivers, needs_gcc, sizes_that_fall_back

TYPES = """
#include <stdint.h>
typedef union { uint32_t i; uint16_t w[2]; uint8_t b[4]; } __attribute__((may_alias)) u32;
typedef uint32_t __attribute__((may_alias)) w32;
typedef int32_t __attribute__((may_alias)) s32;
typedef uint64_t __attribute__((may_alias)) w64;
#define M32(src) (((u32 *)(src))->i)
"""
BODIES = {
    "splat": ("uint8_t *dst, int stride, int n, uint32_t v", "for (int i = 0; i < n; i++) { M32(dst + 0) = v;"
              " M32(dst + 4) = v + i; dst += stride; }", "splat((uint8_t *)x, n % 7 * 4 + 4, n, 0x80402010u + n);"),
    "copied": ("uint8_t *d, int a, const uint8_t *s, int b, int h", "for (int y = 0; y < h; y++, d += a, s += b) {"
               " *(w32 *)d = *(const w32 *)s; *(w32 *)(d + 4) = *(w32 *)(s + 4); }",
               "copied((uint8_t *)x, 8 + n % 3 * 4, (uint8_t *)y, n % 5 * 4, n);"),
    "pairs": ("uint16_t *restrict out, const uint16_t *in, int n", "for (int i = 0; i < n; i++) {"
              " *(s32 *)(out + 2 * i) = (int)((unsigned)in[2 * i] << 16) | in[2 * i + 1]; }",
              "pairs((uint16_t *)x, (uint16_t *)y, n);"),
    "chained": ("uint8_t *a, uint8_t *b, int n", "for (int i = 0; i < n; i++)"
                " M32(a + 4 * i) = M32(&b[4 * i]) = 0x01020304u * (uint32_t)i;",
                "chained((uint8_t *)x, (uint8_t *)y, n);"),
    "summed": ("const uint8_t *a, uint32_t *o, int n", "uint32_t s = 0; for (int i = 0; i < n; i++)"
               " s += ((const w32 *)a)[i] ^ 5; o[0] = s;", "summed((uint8_t *)y, (uint32_t *)x, n);"),
    "inside": ("int16_t *a, int n", "for (int i = 0; i < n; i += 2) { uint32_t v = M32(a + i);"
               " M32(a + i + 2) = v + 3; }", "inside((int16_t *)y, n);"),
    "unions": ("uint8_t *a, int n, int v", "for (int i = 0; i < n; i++) ((u32 *)a)[i].i = (uint32_t)v + i;",
               "unions((uint8_t *)y, n, k[3]);"),
    "long_words": ("uint16_t *a, const uint16_t *b, int n", "for (int i = 0; i < n; i++)"
                   " ((w64 *)a)[i] = ((w64 *)b)[i] * 3;", "long_words((uint16_t *)x, (uint16_t *)y, n);"),
    "stepped": ("uint8_t *d, int stride, const uint8_t *s, int n", "for (int i = 0; i < n; i++, d += stride) {"
                " ((u32 *)((w32 *)d + 0))->i = M32((w32 *)s + i); M32(((w32 *)(d + 4)) + 1) = *((w32 *)s + 2 * i);"
                " ((u32 *)(s32 *)d)[1].i = ((u32 *)((w32 *)s + 1))[i].i; }",
                "stepped((uint8_t *)x, 12 + n % 3 * 4, (uint8_t *)y, n);"),
    "equal": ("const uint8_t *a, const uint8_t *b, int *o, int n", "int c = 0; for (int i = 0; i < n; i++)"
              " if (*(w32 *)(a + 4 * i) == *(w32 *)(b + 4 * i)) c++; o[0] = c;",
              "equal((uint8_t *)(k + 2), (uint8_t *)(k + 3), (int *)x, n);"),
}  # fmt: skip
TEXT = drivers(TYPES, BODIES)


def test_all_are_read(scops: dict[str, Scop]) -> None:
    assert list(scops) == list(BODIES)


@needs_gcc
@pytest.mark.parametrize("name", BODIES)
def test_emitted_code_does_what_the_original_does(name: str, libraries: Libraries) -> None:
    narrow = {"splat": {7}}  # rows that are shorter than what is stored into them
    assert sizes_that_fall_back(libraries, name, (0, 1, 2, 7, 33, 64)) - {0} == narrow.get(name, set())


def test_words_may_be_what_has_another_type(scops: dict[str, Scop]) -> None:
    assert all(scop.source is not None and ALL_ALIAS in scop.source.macros for scop in scops.values())
    assert [array.type.bits for array in scops["pairs"].arrays if array.shape] == [16, 16]
