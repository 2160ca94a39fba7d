"""The machine that the tests run on, or the part of it that ``POLYLOOP_TARGET`` names: what it has, and what a test
needs of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from polyloop.backend.machine.host import host_target
from polyloop.backend.machine.target import Target


def with_figures(target: Target, **figures: Any) -> Target:
    """The target with other figures of its machine."""
    return replace(target, machine=replace(target.machine, **figures))


def fuses() -> bool:
    """Whether there is an instruction for a multiply-add; without one, generated code rounds the product, too."""
    return host_target().has_fma


def has_masks(target: Target) -> bool:
    """Whether there are registers for masks."""
    return target.masks


def has_the_assembly_tier(target: Target) -> bool:
    """Whether the assembly printer takes programs for it."""
    return target.triple.startswith("x86_64") and target.vector_bits >= 256 and target.has_fma


def needs(
    *, registers: int = 0, vector_bits: int = 0, masks: bool = False, assembly_tier: bool = False
) -> pytest.MarkDecorator:
    """Skip a test, or all of a module's, on a machine that lacks something of this.

    Args:
        registers: vector registers.
        vector_bits: width of the widest of them.
        masks: registers for masks.
        assembly_tier: what the assembly printer is made for.
    """
    target = host_target()
    missing = [
        what
        for what, lacks in (
            (f"{registers} vector registers", target.vector_registers < registers),
            (f"vectors of {vector_bits} bits", target.vector_bits < vector_bits),
            ("registers for masks", masks and not has_masks(target)),
            ("x86-64 with AVX2", assembly_tier and not has_the_assembly_tier(target)),
        )
        if lacks
    ]
    return pytest.mark.skipif(bool(missing), reason=f"needs {' and '.join(missing)}")
