"""Integers in lanes as narrow as their values allow: which loops change, and that nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.expressions import I16, I32, U8, U16
from polyloop.backend.ir.interpreter import interpret
from polyloop.backend.ir.loop_nest import Loop, LoopNest
from polyloop.backend.planning.lanes import computes, widest_lane
from polyloop.backend.planning.narrow import narrowed
from polyloop.frontend import read_source
from polyloop.lowering.to_nest import lower
from polyloop.schedules.legality import Proofs
from polyloop.schedules.tree import original_tree
from polyloop.shaping.outer_lanes import outer_lanes
from polyloop.transforms import Vectorize

BEGIN = "#include <stdint.h>\nvoid f(int n, uint8_t a[n], int8_t b[n], int16_t c[n], uint8_t d[n])\n{\n"
N = 77


def nest_of(value: str, target: str = "d[i]") -> LoopNest:
    text = f"{BEGIN}    for (int i = 0; i < n; i++)\n        {target} = {value};\n}}\n"
    (scop,) = read_source("t.c", text=text, auto=True).scops
    return lower(scop, Vectorize((), 0).apply(original_tree(scop)))


def lanes_of(nest: LoopNest) -> int:
    """Bits of the widest lane."""
    assert isinstance(nest.body, Loop)
    return widest_lane(nest.body)


def results(nest: LoopNest) -> list[bytes]:
    rng = np.random.default_rng(3)
    arrays = {}
    for spec in nest.arrays:
        if spec.storage.value == "argument":
            kind = np.dtype(f"{'u' if spec.type.kind == 'uint' else 'i'}{spec.type.bytes}")
            limits = np.iinfo(kind)
            arrays[spec.name] = rng.integers(limits.min, limits.max, N, dtype=kind, endpoint=True)
            arrays[spec.name][:4] = [limits.min, limits.max, limits.min, limits.max]
    interpret(nest, {"n": N}, arrays)
    return [array.tobytes() for array in arrays.values()]


@pytest.mark.parametrize(
    "value",
    [
        "(a[i] + b[i]) >> 1",
        "a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]",
        "2 * (a[i] - b[i]) + 3 * a[i] > 255 ? 255 : (uint8_t)(7 * b[i])",
        "a[i] * 128 + b[i] > 300",
        "a[i] * 257 > 300",
        "(a[i] + b[i] > 128 && !(b[i] < 3)) || a[i] * 3 == b[i]",
        "((a[i] ^ b[i]) * 300 & 0x7f00) >> 8",
        "(a[i] * d[i] + (uint8_t)b[i] * (255 - d[i])) / 255",
        "((200 - (d[i] >> 1)) * a[i] + (d[i] >> 1) * (uint8_t)b[i] + 64) / 7",
        "(a[i] - b[i] * 3) / 5",
        "((a[i] & 15) << 8 | (d[i] ^ a[i])) > 300",
        "(a[i] % 10 * 100 + d[i] % 7) / 3",
    ],
)
def test_what_fits_is_computed_in_short(value: str) -> None:
    nest = nest_of(value)
    small = narrowed(nest)
    assert (lanes_of(nest), lanes_of(small)) == (32, 16)
    assert results(small) == results(nest)


@pytest.mark.parametrize(
    "value",
    [
        "a[i] + b[i]",
        "(a[i] + 200) - (b[i] ^ a[i])",
        "(int8_t)(a[i] + a[i]) < 0 ? a[i] : -b[i]",
        "a[i] >= 'A' && a[i] <= 'Z' ? a[i] + ('a' - 'A') : a[i]",
        "!(a[i] > 128) || b[i] == -7 ? ~a[i] : b[i] - 1000",
        "(a[i] >> 4 | (d[i] & 3) << 4) < 26 ? a[i] >> 2 : (a[i] & 15) << 2",
    ],
)
def test_bytes_suffice_where_only_they_count(value: str) -> None:
    nest = nest_of(value)
    small = narrowed(nest)
    assert (lanes_of(nest), lanes_of(small)) == (32, 8)
    assert results(small) == results(nest)


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        ("(a[i] * d[i] + (uint8_t)b[i] * (300 - d[i])) / 255", 32),  # 76,500
        ("(a[i] * d[i] + (uint8_t)b[i] * (200 - d[i])) / 255", 32),  # weights below 0
        ("(a[i] * a[i] + (uint8_t)b[i] * (255 - d[i])) / 255", 32),  # weights of others
        ("(a[i] * 255) / d[i]", 32),
        ("(a[i] - b[i]) / 40000", 32),
        ("(a[i] * 250 + 250) / 40000", 16),
        ("(((b[i] > 0) - 6) / 2 + 3) * 40000 > 30000", 16),  # -5 / 2 is -2
        ("(((b[i] > 0) - 6) / 2 + 3) * 70000 > 30000", 32),
    ],
)
def test_mixtures_and_quotients_that_do_not_fit_stay(value: str, bits: int) -> None:
    nest = nest_of(value.replace("/ d[i]", "/ (d[i] | 1)"))
    assert lanes_of(narrowed(nest)) == bits
    assert results(narrowed(nest)) == results(nest)


def test_choices_of_choices_do_not_take_for_ever() -> None:
    value = "a[i]"
    for k in range(40):
        value = f"({value} > {k} ? b[i] : {k})"
    nest = nest_of(value)
    small = narrowed(nest)
    assert lanes_of(small) == 8
    assert results(small) == results(nest)


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("a[i] * 258 > 300", "d[i]"),  # 65790 fits neither
        ("a[i] * b[i] * 2 > 300", "d[i]"),
        ("(a[i] << b[i]) > 300", "d[i]"),
        ("(a[i] << 9) > 300", "d[i]"),
        ("(a[i] | b[i]) * 2 > 300 || (c[i] ^ 70000) > 5", "d[i]"),
        ("c[i] + a[i] > 300", "d[i]"),  # wraps in short
        ("a[i] + i > 300", "d[i]"),
        ("a[i] + 0.5f > b[i]", "d[i]"),
        ("a[i]", "d[i]"),
    ],
)
def test_what_may_not_fit_stays(value: str, target: str) -> None:
    nest = nest_of(value, target)
    assert narrowed(nest) is nest


def test_flags_become_bytes() -> None:
    text = f"""{BEGIN}    for (int i = 0; i < n; i++)
        if (a[i] >= 65 && a[i] <= 90)
            a[i] += 32;
        else if (a[i] == 95)
            a[i] = 32;
}}
"""
    (scop,) = read_source("t.c", text=text, auto=True).scops
    found = outer_lanes(Proofs(), scop)
    assert found is not None
    nest = lower(found.scop, found.tree)
    small = narrowed(nest)
    assert (lanes_of(nest), lanes_of(small)) == (32, 8)
    assert results(small) == results(nest)


def test_local_scalars_become_short() -> None:
    text = f"""{BEGIN}    for (int i = 0; i < n; i++) {{
        int t = a[i] - b[i];
        d[i] = t < 0 ? -t : t;
    }}
}}
"""
    (scop,) = read_source("t.c", text=text, auto=True).scops
    found = outer_lanes(Proofs(), scop)
    assert found is not None
    nest = lower(found.scop, found.tree)
    small = narrowed(nest)
    assert (nest.array("t_x").type, small.array("t_x").type) == (I32, I16)
    assert results(small) == results(nest)


@pytest.mark.parametrize("value", ["2 * (a[i] - b[i])", "(a[i] - d[i] < 0 ? d[i] - a[i] : a[i] - d[i]) + a[i]"])
def test_what_is_tested_is_what_is_stored(value: str) -> None:
    """A clamped sum is computed once, in short, and cut to a byte where it is stored and nowhere before."""
    nest = nest_of(f"{value} > 255 ? 255 : (uint8_t)({value})")
    small = narrowed(nest)
    assert isinstance(small.body, Loop)
    (compute,) = computes(small.body.body)
    assert U16 not in {node.type for node in e.walk_values(compute.value)}
    casts = [node for node in e.walk_values(compute.value) if isinstance(node, e.Cast) and node.type == U8]
    assert casts == [compute.value]
    assert results(small) == results(nest)
