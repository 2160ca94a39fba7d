"""The two ways from a nest to a program."""

from __future__ import annotations

from dataclasses import replace

from polyloop.backend.ir.loop_nest import LoopNest
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.divisions import PackedDivisions
from polyloop.backend.planning.facts import nest_facts
from polyloop.backend.planning.lowering import NestLowering
from polyloop.backend.planning.memory import arrays_touched
from polyloop.backend.planning.neighbours import share_neighbours
from polyloop.backend.planning.options import Options
from polyloop.backend.planning.registers import Promotion
from polyloop.backend.planning.reuse import reuse_values, without_dead_code
from polyloop.backend.planning.simplify import simplified
from polyloop.backend.planning.tiles import TileVersions
from polyloop.backend.planning.vector_choice import choose_vectors


def plan(
    nest: LoopNest,
    target: Target,
    *,
    contract: bool = True,
    reassociate: bool = False,
    apart: frozenset[str] = frozenset(),
    options: Options | None = None,
) -> VectorProgram:
    """Explicit SIMD for a nest, in the nest's order of computation.

    Args:
        target: its vector width and registers.
        contract: fuse multiplications and additions as `polyloop.backend.ir.multiply_adds` says.
        apart: statements whose multiplications and additions are rounded one by one even so.
        reassociate: permit reductions of floating-point numbers along a VECTOR loop, which sum in another order.
    """
    options = options or Options()
    facts = nest_facts(nest.context)
    chosen = choose_vectors(replace(nest, body=simplified(nest.body, facts)), facts, options, reassociate)
    tiled = TileVersions(target, options).run(chosen.body, facts)
    lowering = NestLowering(replace(nest, body=tiled), target, contract, options, apart)
    body = lowering.statements()
    specs = (*nest.arrays, *lowering.local_arrays)
    body = without_dead_code(reuse_values(body, facts), specs)
    promotion = Promotion(
        lowering.names,
        {array.name: array for array in specs},
        target,
        target.vector_registers - min(options.spare_registers, target.vector_registers // 4),
    )
    body = promotion.run(body, facts)
    body = without_dead_code(reuse_values(body, facts), specs)
    body = share_neighbours(PackedDivisions(lowering.names, target).run(body, facts), lowering.names)
    arrays = nest.arrays
    if lowering.local_arrays:
        used = frozenset().union(*arrays_touched(body))
        arrays += tuple(array for array in lowering.local_arrays if array.name in used)
    return VectorProgram(nest.name, nest.parameters, arrays, body, nest.context)


def scalar_program(nest: LoopNest, contract: bool = True, apart: frozenset[str] = frozenset()) -> VectorProgram:
    """The nest as it is, for the compiler's own optimizer: loops rolled, scalar, nothing kept in registers."""
    lowering = NestLowering(nest, None, contract, Options(), apart)
    return VectorProgram(
        nest.name, nest.parameters, nest.arrays, lowering.statements(), nest.context, auto_vectorize=True
    )
