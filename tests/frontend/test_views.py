"""A number's bits as another number: read, run by our code generator in lanes and alone, and by gcc."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyloop.backend.c.printer import c_source
from polyloop.backend.ir.expressions import BIT_VIEW
from polyloop.backend.ir.vector_program import Apply
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning.plan import plan
from polyloop.backend.run.kernel import compile_program
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.transforms import Vectorize
from tests.backend.planning.programs import operations

HEAD = """
#include <stdint.h>
#include <string.h>
static inline uint32_t bits(float f) { uint32_t u; memcpy(&u, &f, sizeof u); return u; }
static inline float number(uint32_t u) { union { uint32_t i; float f; } v; v.i = u; return v.f; }
static inline double wide(uint64_t u) { double d; memcpy(&d, &u, 8); return d; }
"""
N = 37
Array = NDArray[Any]


def f32(body: str) -> str:
    return HEAD + f"void f(int n, const float a[n], uint32_t d[n]) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"


def _halves(n: int) -> Array:
    i = np.arange(n, dtype="i8")
    v = (1 << 30) + (i << 32) + i * i * 0x7FFF1234 - (3 << 32)
    found: Array = (v >> 31 ^ v) & 0xFFFFFFFF
    return found


MAGIC = np.int32(0x5F3759DF)
ABOUT: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "inlined copy": ("d[i] = bits(a[i]) >> 23;", lambda a: a.view("u4") >> 23),
    "inlined union": ("d[i] = bits(number(bits(a[i]) & 0x7fffffff));", lambda a: a.view("u4") & 0x7FFFFFFF),
    "of 64 bits": ("d[i] = wide((uint64_t)bits(a[i]) << 32) < 0;", lambda a: (a.view("u4") >> 31) & (a != 0)),
    "copy": ("uint32_t u; memcpy(&u, &a[i], 4); u += 7; d[i] = u;", lambda a: a.view("u4") + np.uint32(7)),
    "copy from a pointer": ("uint32_t u; memcpy(&u, a + i, sizeof *a); d[i] = ~u;", lambda a: ~a.view("u4")),
    "copy back": ("float f = a[i] + 1; memcpy(&d[i], &f, sizeof(float));", lambda a: (a + np.float32(1)).view("u4")),
    "cast": (
        "float x = a[i]; int32_t k = *(int32_t *)&x; k = 0x5f3759df - (k >> 1); d[i] = *(float *)&k > 1;",
        lambda a: (MAGIC - (a.view("i4") >> 1)).view("f4") > 1,
    ),
    "cast of an element": ("d[i] = *(uint32_t *)&a[i] ^ 1;", lambda a: a.view("u4") ^ np.uint32(1)),
    "cast that is stored to": ("*(float *)&d[i] = a[i] * 2;", lambda a: (a * np.float32(2)).view("u4")),
    "union": (
        "union { float f; int32_t i; } u = { a[i] }; u.i &= 0x3fffffff; u.f *= 0.5f; d[i] = u.i;",
        lambda a: ((a.view("u4") & 0x3FFFFFFF).view("f4") * np.float32(0.5)).view("u4"),
    ),
    "half of a union": (
        "union { double d; uint32_t h[2]; } u; u.d = a[i]; d[i] = u.h[1] ^ u.h[0];",
        lambda a: np.bitwise_xor.reduce(a.astype("f8").view("u4").reshape(-1, 2), axis=1),
    ),
    "bytes of a union": (
        "union { float f; signed char b[4]; uint32_t w; } u = { a[i] }; d[i] = u.b[3] * 256 + u.b[0] + u.w;",
        lambda a: (a.view("i1")[3::4].astype("i4") * 256 + a.view("i1")[::4]).view("u4") + a.view("u4"),
    ),
    "halves that are stored": (
        "union { int64_t v; struct { uint32_t low; int32_t high; } w; } u; u.w.low = 1u << 30; u.w.high = i;"
        " u.v += (int64_t)i * i * 0x7fff1234; u.w.high -= 3; d[i] = (int32_t)(u.v >> 31) ^ u.w.low ^ (a[i] > 2);",
        lambda a: _halves(len(a)) ^ (a > 2),
    ),
    "bytes that are stored": (
        "union { uint32_t w; uint8_t b[4]; } u; u.w = bits(a[i]); u.b[2] = 7; u.b[0] ^= u.b[3]; d[i] = u.w;",
        lambda a: a.view("u4") & 0xFF00FF00 | 7 << 16 | (a.view("u4") ^ a.view("u4") >> 24) & 0xFF,
    ),
    "union with a member's name": (
        "union { uint32_t i; float f; } u = { .f = a[i] }; u.i |= 1; d[i] = u.i;",
        lambda a: a.view("u4") | np.uint32(1),
    ),
}


def numbers() -> Array:
    drawn = np.random.default_rng(0).standard_normal(N).astype("f4")
    drawn[:5] = 0.0, -0.0, np.inf, -np.inf, 1e-30
    return drawn


@pytest.mark.parametrize("name", ABOUT)
def test_bits_are_read_and_run(name: str) -> None:
    body, expected = ABOUT[name]
    source = read_source("f.c", text=f32(body), auto=True)
    (scop,) = source.scops
    given, found = numbers(), np.zeros(N, "u4")
    compile_program(plan(lower(scop, original_tree(scop)), host_target()))(n=N, a=given, d=found)
    assert found.tolist() == expected(given).astype("u4").tolist()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("name", ["inlined copy", "inlined union", "of 64 bits", "cast of an element"])
def test_bits_go_into_lanes(name: str, tmp_path: Path) -> None:
    body, expected = ABOUT[name]
    (scop,) = read_source("f.c", text=f32(body), auto=True).scops
    made = plan(lower(scop, Vectorize((), 0).apply(original_tree(scop))), host_target())
    views = [x for x in operations(made.body, Apply) if isinstance(x, Apply) and x.function == BIT_VIEW]
    assert max(apply.type.lanes for apply in views) > 1
    given, found, emitted = numbers(), np.zeros(N, "u4"), np.zeros(N, "u4")
    compile_program(made)(n=N, a=given, d=found)
    assert found.tolist() == expected(given).astype("u4").tolist()
    source, library = tmp_path / "f.c", tmp_path / "f.so"
    source.write_text(c_source(made))
    command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", "-march=native", "-shared", "-fPIC"]
    subprocess.run([*command, str(source), "-o", str(library)], check=True)
    pointers = (ctypes.c_void_p(array.ctypes.data) for array in (given, emitted))
    ctypes.CDLL(str(library)).f(ctypes.c_long(N), *pointers)
    assert emitted.tolist() == found.tolist()


def test_words_of_bytes_are_numbers() -> None:
    text = (
        HEAD
        + """
    void f(int n, const unsigned char b[4 * n], float d[n])
    { for (int i = 0; i < n; i++) { float x; memcpy(&x, b + 4 * i, 4); d[i] = x + 1; } }
    """
    )
    (scop,) = read_source("f.c", text=text, auto=True).scops
    given, found = numbers(), np.zeros(N, "f4")
    compile_program(plan(lower(scop, original_tree(scop)), host_target()))(n=N, b=given.view("u1"), d=found)
    assert found.tolist() == (given + np.float32(1)).tolist()


@pytest.mark.parametrize(
    "body",
    [
        "union { float f; uint32_t i; } u, *p = &u; u.f = a[i]; d[i] = p->i;",
        "union { float f; uint64_t i; } u; u.i = 0; u.f = a[i]; d[i] = u.i;",
        "uint32_t u = 0; memcpy(&u, &a[i], 3); d[i] = u;",
        "volatile union { float f; uint32_t i; } u; u.f = a[i]; d[i] = u.i;",
        "union { float f; uint8_t b[4]; } u; u.f = a[i]; u.b[i & 3] = 0; d[i] = u.f;",
        "union { float f; uint8_t b[4]; } u; u.f = a[i]; d[i] = u.b[i & 3];",
        "static union { float f; uint32_t i; } u; d[i] = u.i; u.f = a[i];",
    ],
    ids=["its address", "sizes", "part", "volatile", "stored part", "any part", "static"],
)
def test_what_is_more_than_one_number_is_left(body: str) -> None:
    assert read_source("f.c", text=f32(body), auto=True).scops == ()


def test_names_that_mean_two_things_are_not_taken_for_one() -> None:
    text = (
        HEAD
        + """
    static inline uint32_t low(float f) { uint32_t u; { uint16_t f = 5; memcpy(&u, &f, 2); } return u + (f > 0); }
    void f(int n, const float a[n], uint32_t d[n]) { for (int i = 0; i < n; i++) d[i] = low(a[i]); }
    """
    )
    assert read_source("f.c", text=text, auto=True).scops == ()


def test_a_static_union_keeps_its_value() -> None:
    text = (
        HEAD
        + """
    static inline uint32_t last(float x)
    { static union { float f; uint32_t i; } u; uint32_t before = u.i; u.f = x; return before; }
    void f(int n, const float a[n], uint32_t d[n]) { for (int i = 0; i < n; i++) d[i] = last(a[i]); }
    """
    )
    assert read_source("f.c", text=text, auto=True).scops == ()
