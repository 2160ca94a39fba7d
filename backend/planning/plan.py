"""The two ways from a nest to a program."""

from __future__ import annotations

from polyloop.backend.loop_nest import LoopNest
from polyloop.backend.planning.lowering import NestLowering
from polyloop.backend.planning.options import Options
from polyloop.backend.target import Target
from polyloop.backend.vector_program import VectorProgram


def plan(
    nest: LoopNest,
    target: Target,
    *,
    contract: bool = True,
    reassociate: bool = False,
    options: Options | None = None,
) -> VectorProgram:
    """Explicit SIMD for a nest, in the nest's order of computation.

    Args:
        target: its vector width and registers.
        contract: fuse multiplications and additions as `polyloop.backend.contraction` says.
        reassociate: permit reductions along a VECTOR loop, which sum in another order.
    """
    lowering = NestLowering(nest, target, contract, options or Options())
    return VectorProgram(nest.name, nest.parameters, nest.arrays, lowering.statements(), nest.context)


def scalar_program(nest: LoopNest, contract: bool = True) -> VectorProgram:
    """The nest as it is, for the compiler's own optimizer: loops rolled, scalar, nothing kept in registers."""
    lowering = NestLowering(nest, None, contract, Options())
    return VectorProgram(
        nest.name, nest.parameters, nest.arrays, lowering.statements(), nest.context, auto_vectorize=True
    )
