"""Values of C's literals at the edges of their types."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.arithmetic import float_literal

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
