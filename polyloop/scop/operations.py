"""How many floating-point operations a Scop carries out."""

from __future__ import annotations

from collections.abc import Mapping

from polyloop.backend.ir.counting import fused_operations, operations
from polyloop.scop.data import instances
from polyloop.scop.model import Scop

__all__ = ["flops", "fused_operations", "operations"]


def flops(scop: Scop, sizes: Mapping[str, int]) -> int:
    """Operations of one run; a domain counts as the box around it."""
    return sum(operations(s.value) * int(instances(s, sizes)) for s in scop.statements)
