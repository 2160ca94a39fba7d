"""Values of C's literals at the edges of their types."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.arithmetic import character_value, float_literal
from polyloop.backend.ir.expressions import F64, Literal
from polyloop.frontend import read_source

LARGEST = float(np.finfo(np.float32).max)
SMALLEST = float(np.finfo(np.float32).smallest_subnormal)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3.40282347e+38f", LARGEST),
        ("1.17549435e-38f", float(np.finfo(np.float32).tiny)),
        ("1.4e-45f", SMALLEST),
        ("0.0f", 0.0),
        ("1.5e0f", 1.5),
        ("1e999999999999f", float("inf")),
        ("1e-999999999999f", 0.0),
        ("0x1p-999999999999f", 0.0),
        ("1e-45f", 1.401298464324817e-45),
    ],
)
def test_floats_of_any_exponent_are_read_without_a_warning(text: str, value: float) -> None:
    literal = float_literal(text)
    assert literal is not None
    assert literal[0] == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'a'", 97),
        ("'\\\\'", 92),
        ("'\\''", 39),
        ("'\\0'", 0),
        ("'\\x7f'", 127),
        ("'\\xff'", -1),
        ("'\\377'", -1),
        ("'\\e'", 27),
        ("'RIFF'", 0x52494646),
        ("'ab'", 0x6162),
        ("L'\u00e9'", 233),
    ],
)
def test_character_constants(text: str, value: int) -> None:
    assert character_value(text) == value


def test_limits_as_gcc_writes_them() -> None:
    """A long double may only be made a double of."""
    text = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = VALUE; }"
    (scop,) = read_source(
        "f.c", text=text, auto=True, defines=("VALUE=((double)1.79769313486231570814527423731704357e+308L)",)
    ).scops
    assert scop.statements[0].value == Literal(float(np.finfo(np.float64).max), F64)
    assert not read_source("f.c", text=text, auto=True, defines=("VALUE=1.5L",)).scops
