"""The kernels in data/ as Scops whose parameters are at least 4."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import islpy as isl

from polyloop.frontend import read_c
from polyloop.scop.model import Scop

KERNELS = Path(__file__).resolve().parents[2] / "data" / "kernels"


@cache
def kernel_scop(name: str) -> Scop:
    (source,) = read_c(KERNELS / f"{name}.c")
    large = " and ".join(f"{p} >= 4" for p in source.parameters)
    context = isl.Set(f"[{', '.join(source.parameters)}] -> {{ : {large} }}")
    return replace(source, context=source.context & context)
