"""C code with both zeros through everything: the signs that gcc's build of the original leaves, everywhere."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

import polyloop
from polyloop.backend.ir.expressions import dtype_of
from polyloop.backend.machine.host import host_target
from polyloop.backend.planning import plan
from polyloop.frontend import read_c
from polyloop.lowering.to_c_file import Replacement, emit_c_file
from polyloop.lowering.to_nest import lower
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop
from tests.helpers.running import Arrays, assert_same, copied, interpreted, load_c, require

VALUES = (0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.5, -2.0)
COUNT = 4 * len(VALUES) + 1

BODIES = {
    "products": "A[i] = B[i] * 0.0; C[i] = B[i] * -0.0;",
    "sums": "A[i] = B[i] + 0.0; C[i] = B[i] - 0.0; D[i] = B[i] + -0.0;",
    "signs": "A[i] = B[i] > 0 ? 0.0 : -0.0; C[i] = B[i] < 0 ? -0.0 : 0.0;",
    "the other zero": "A[i] = B[i] > -0.0 ? B[i] : 0.0; C[i] = B[i] < 0.0 ? -0.0 : B[i]; D[i] = B[i] > 0 ? B[i] : 0;",
    "casts": "A[i] = (B[i] > 0) * (float)-0.0; C[i] = -(float)0.0; D[i] = B[i] == -0.0f ? -B[i] : (double)-0.0f;",
}


def _text(body: str, type_: str) -> str:
    return f"""void f(int n, {type_} A[n], {type_} B[n], {type_} C[n], {type_} D[n])
{{
#pragma scop
  for (int i = 0; i < n; i++) {{ {body} }}
#pragma endscop
}}
"""


def _called(text: str, folder: Path, arrays: Arrays) -> Arrays:
    """What the function makes of the arrays when gcc compiles it; those that the Scop does not know stay."""
    result = copied(arrays)
    pointers = [ctypes.c_void_p(result[name].ctypes.data) for name in "ABCD"]
    load_c(text, folder).f(ctypes.c_int(COUNT), *pointers)
    return result


def _data(scop: Scop) -> Arrays:
    dtype = dtype_of(scop.array("B").type)
    return {
        name: np.resize(np.array(VALUES, dtype), COUNT) if name == "B" else np.ones(COUNT, dtype) for name in "ABCD"
    }


@pytest.mark.parametrize("type_", ["float", "double"])
@pytest.mark.parametrize("body", BODIES.values(), ids=list(BODIES))
def test_zeros_keep_their_signs(body: str, type_: str, tmp_path: Path) -> None:
    require("gcc")
    text = _text(body, type_)
    (scop,) = read_c("f.c", text=text)
    nest, data = lower(scop, original_tree(scop)), _data(scop)
    expected = _called(text, tmp_path, data)
    assert_same(expected, interpreted(nest, {"n": COUNT}, data, False), "interpreter")
    emitted = emit_c_file(text, [Replacement(scop, plan(nest, host_target()))])
    assert_same(expected, _called(emitted, tmp_path, data), "emitted C")
    kernel, ran = polyloop.compile(scop, original_tree(scop), contract="off"), copied(data)
    kernel(**{a.name: ran[a.name] for a in scop.arrays}, n=COUNT)
    assert_same(expected, ran, "the kernel")


def test_zeros_keep_their_signs_in_an_optimized_kernel() -> None:
    (scop,) = read_c("f.c", text=_text(BODIES["the other zero"], "float"))
    data = _data(scop)
    ran, expected = copied(data), interpreted(lower(scop, original_tree(scop)), {"n": COUNT}, data, True)
    result = polyloop.optimize(scop, sizes={"n": 4000}, budget=0.1)
    result.kernel(**{a.name: ran[a.name] for a in scop.arrays}, n=COUNT)
    assert_same(expected, ran, result.best.name)
