"""The two ways from a nest to a program. The first is a row of passes, each of which can be looked at.

`NEST_PASSES` make a nest of a nest, "lower" makes a program of it, and `PROGRAM_PASSES` make a program of a program.
A pass is a name and a function of what it changes and of a `Context`, which holds what does not change.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from polyloop.backend.config import verifies
from polyloop.backend.errors import CompileError, VerificationError
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.loop_nest import ENDLESS, Loop, LoopKind, LoopNest, Storage
from polyloop.backend.ir.loop_nest import walk as nodes_of
from polyloop.backend.ir.traversal import arrays_touched, walk
from polyloop.backend.ir.vector_program import (
    LOOSE_FUNCTIONS,
    Address,
    Apply,
    For,
    Let,
    Load,
    Pack,
    Statement,
    Store,
    Test,
    VectorProgram,
)
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.facts import Facts, nest_facts
from polyloop.backend.planning.lanes import FEWEST_TURNED, computes, moves_evenly
from polyloop.backend.planning.lowering import NestLowering
from polyloop.backend.planning.registers import Promotion
from polyloop.backend.planning.reuse import PackedDivisions, reuse_values, share_neighbours, without_dead_code
from polyloop.backend.planning.tiles import TileVersions, simplified
from polyloop.backend.planning.values import Names, divides_integers
from polyloop.backend.planning.vectors import Options, choose_vectors, has_columns, spread_access

A = TypeVar("A", LoopNest, VectorProgram)
B = TypeVar("B", LoopNest, VectorProgram)

Observer: TypeAlias = "Callable[[str, LoopNest | VectorProgram, float], None]"
"""Called behind every pass: its name, what it made, and the seconds that it took."""


@dataclass
class Context:
    """What all passes of one nest share.

    Attributes:
        facts: what holds on entry.
        names: of values and integers, once the nest is lowered.
        private: arrays whose last subscript is the lane, see `polyloop.backend.planning.private`.
    """

    target: Target
    contract: bool
    reassociate: bool
    apart: frozenset[str]
    options: Options
    facts: Facts
    observe: Observer | None
    verify: bool
    names: Names = field(default_factory=Names)
    private: frozenset[str] = frozenset()


def _simplify(nest: LoopNest, context: Context) -> LoopNest:
    return replace(nest, body=simplified(nest.body, context.facts))


def _choose_vectors(nest: LoopNest, context: Context) -> LoopNest:
    return choose_vectors(nest, context.facts, context.target, context.options, context.reassociate, context.private)


def _narrow_integers(nest: LoopNest, context: Context) -> LoopNest:
    if not any(array.type.kind != "float" and array.type.bits < 32 for array in nest.arrays):
        return nest
    from polyloop.backend.planning.narrow import narrowed  # of those who have short integers

    return narrowed(nest)


def _divide_in_floats(nest: LoopNest, context: Context) -> LoopNest:
    if not any(divides_integers(inner) for compute in computes(nest.body) for inner in e.walk(compute.value)):
        return nest
    from polyloop.backend.planning.quotients import with_quotients  # of those who divide integers

    return with_quotients(nest)


def _turn_private_arrays(nest: LoopNest, context: Context) -> LoopNest:
    if not any(array.storage is Storage.LOCAL and len(array.shape) > 1 and not array.scratch for array in nest.arrays):
        return nest
    from polyloop.backend.planning.private import lanes_last  # of those who have arrays of their own

    nest, context.private = lanes_last(nest, context.target, context.options)
    return nest


def _cut_at_clamps(nest: LoopNest, context: Context) -> LoopNest:
    loops = (node for node in nodes_of(nest.body) if isinstance(node, Loop))
    if all(moves_evenly(loop) for loop in loops if loop.kind is LoopKind.VECTOR):
        return nest
    from polyloop.backend.planning.clamps import cut_at_clamps  # of those that may have some

    return cut_at_clamps(nest)


def _version_tiles(nest: LoopNest, context: Context) -> LoopNest:
    return replace(nest, body=TileVersions(context.target, context.options).run(nest.body, context.facts))


def _lower(nest: LoopNest, context: Context) -> VectorProgram:
    lowering = NestLowering(nest, context.target, context.contract, context.options, context.apart, context.private)
    body = lowering.statements()
    context.names = lowering.names
    arrays = (*nest.arrays, *lowering.local_arrays)
    loose = context.reassociate and any(map(_is_loose, walk(body)))
    return VectorProgram(nest.name, nest.parameters, arrays, body, nest.context, loose_math=loose)


def _is_loose(statement: Statement) -> bool:
    """Whether a vector is computed by a function that need not be exact where sums need not be."""
    if not isinstance(statement, Let) or not isinstance(statement.operation, Apply):
        return False
    return statement.operation.function in LOOSE_FUNCTIONS and statement.operation.type.lanes > 1


def _reuse_values(program: VectorProgram, context: Context) -> VectorProgram:
    return replace(program, body=reuse_values(program.body, context.facts, context.names))


def _remove_dead_code(program: VectorProgram, context: Context) -> VectorProgram:
    return replace(program, body=without_dead_code(program.body, program.arrays))


def _promote(program: VectorProgram, context: Context) -> VectorProgram:
    target = context.target
    arrays = {array.name: array for array in program.arrays}
    promotion = Promotion(context.names, arrays, target, target.carried_registers)
    return replace(program, body=promotion.run(program.body, context.facts))


def _turn_blocks(program: VectorProgram, context: Context) -> VectorProgram:
    if not any(map(has_columns, walk(program.body))):
        return program
    from polyloop.backend.planning.blocks import TurnedBlocks  # of those whose vectors take elements of several rows

    blocks = TurnedBlocks(context.names, {array.name: array for array in program.arrays}, context.target)
    return replace(program, body=blocks.run(program.body, context.facts))


def _gather_neighbours(program: VectorProgram, context: Context) -> VectorProgram:
    if not any(isinstance(s, Let) and isinstance(s.operation, Pack) for s in walk(program.body)):
        return program
    from polyloop.backend.planning.gathers import NeighboursTogether  # of those whose lanes are loaded one by one

    return replace(program, body=NeighboursTogether(context.names).run(program.body, context.facts))


def _spread_accesses(program: VectorProgram, context: Context) -> VectorProgram:
    if not any(map(spread_access, walk(program.body))):
        return program
    from polyloop.backend.planning.sparse import SparseLanes
    from polyloop.backend.planning.spread import SpreadAccesses  # of those whose vectors leave elements out

    body = SparseLanes.of(program.body, context.names, context.target).run(program.body, context.facts)
    return replace(program, body=SpreadAccesses(context.names, context.target).run(body, context.facts))


def _in_wavefronts(program: VectorProgram, context: Context) -> VectorProgram:
    if not any(map(_has_rows, walk(program.body))):
        return program
    from polyloop.backend.planning.wavefronts import Wavefronts  # of loops that have unrolled rows

    return replace(program, body=Wavefronts(context.names, context.target).run(program.body, context.facts))


def _has_rows(statement: Statement) -> bool:
    """Whether a loop carries something and stores several scalars."""
    if not isinstance(statement, For) or not statement.carried:
        return False
    return sum(isinstance(s, Store) and s.value.type.lanes == 1 for s in statement.body) >= FEWEST_TURNED


def _pack_divisions(program: VectorProgram, context: Context) -> VectorProgram:
    return replace(program, body=PackedDivisions(context.names, context.target).run(program.body, context.facts))


def _keep_sweeps(program: VectorProgram, context: Context) -> VectorProgram:
    if not any(map(_loads_beside_stores, walk(program.body))):
        return program
    from polyloop.backend.planning.sweeps import KeptSweeps  # of loops that do

    return replace(program, body=KeptSweeps(context.names, context.target).run(program.body, context.facts))


def _loads_beside_stores(statement: Statement) -> bool:
    """Whether a loop loads an element further, or less far, along a row that it stores to."""
    if not isinstance(statement, For):
        return False
    addresses = [s.address for s in statement.body if isinstance(s, Store) and s.value.type.lanes > 1]
    stored = {(a.array, *(s.terms for s in a.subscripts)): a.subscripts[-1].constant for a in addresses if a.subscripts}
    for inside in statement.body:
        match inside:
            case Let(_, Load(Address(array, (*outer, inner)))):
                if stored.get((array, *(s.terms for s in (*outer, inner))), inner.constant) != inner.constant:
                    return True
    return False


def _share_neighbours(program: VectorProgram, context: Context) -> VectorProgram:
    return replace(program, body=share_neighbours(program.body, context.names, context.target))


def _leave_early(program: VectorProgram, context: Context) -> VectorProgram:
    """
    Raises:
        CompileError: where a loop that only data end would not end.
    """
    if not any(isinstance(s, Let) and isinstance(s.operation, Test) for s in walk(program.body)):
        return program
    from polyloop.backend.planning.exits import leave_early  # of those that ask for data

    return _that_ends(replace(program, body=leave_early(program.body, context.names)))


def _that_ends(program: VectorProgram) -> VectorProgram:
    """
    Raises:
        CompileError: where a loop that only data end would not end.
    """
    if any(isinstance(s, For) and s.going is None and _is_endless(s) for s in walk(program.body)):
        raise CompileError(f"a loop of {program.name} that only data end would not see that they do")
    return program


def _is_endless(loop: For) -> bool:
    """Whether nobody can wait for a loop's end; steps of a tile included."""
    count = loop.upper - loop.lower
    return count.is_constant and count.constant // loop.step >= ENDLESS >> 20


def _skip_loops(program: VectorProgram, context: Context) -> VectorProgram:
    if not any(isinstance(s, Let) and isinstance(s.operation, Test) for s in walk(program.body)):
        return program
    from polyloop.backend.planning.skipping import without_idle_loops  # of those that ask for data

    return replace(program, body=without_idle_loops(program.body, context.names))


def _leave_out_idle_lanes(program: VectorProgram, context: Context) -> VectorProgram:
    if not any(isinstance(s, Let) and isinstance(s.operation, Test) for s in walk(program.body)):
        return program
    from polyloop.backend.planning.idle_lanes import without_idle_lanes  # of those that ask for data

    return replace(program, body=without_idle_lanes(program.body, context.names, context.target, context.facts))


def _skip_stores(program: VectorProgram, context: Context) -> VectorProgram:
    if context.target.masks or not any(isinstance(s, Store) and s.where is not None for s in walk(program.body)):
        return program
    from polyloop.backend.planning.skipping import with_branches  # of those that store under conditions

    return replace(program, body=with_branches(program.body, context.names))


def _remove_arrays(program: VectorProgram, context: Context) -> VectorProgram:
    """Without arrays of its own that became values: each would be memory to ask for in every call. Arguments stay."""
    used = frozenset().union(*arrays_touched(program.body))
    kept = tuple(a for a in program.arrays if a.storage is Storage.ARGUMENT or a.name in used)
    return replace(program, arrays=kept)


NEST_PASSES: tuple[tuple[str, Callable[[LoopNest, Context], LoopNest]], ...] = (
    ("simplify bounds", _simplify),
    ("narrow integers", _narrow_integers),
    ("divide in floats", _divide_in_floats),
    ("turn private arrays", _turn_private_arrays),
    ("cut at clamps", _cut_at_clamps),
    ("choose vectors", _choose_vectors),
    ("version tiles", _version_tiles),
)

PROGRAM_PASSES: tuple[tuple[str, Callable[[VectorProgram, Context], VectorProgram]], ...] = (
    ("reuse values", _reuse_values),
    ("remove dead code", _remove_dead_code),
    ("promote to registers", _promote),
    ("reuse values again", _reuse_values),
    ("gather neighbours", _gather_neighbours),
    ("remove dead code again", _remove_dead_code),
    ("turn blocks", _turn_blocks),
    ("spread accesses", _spread_accesses),
    ("rows in wavefronts", _in_wavefronts),
    ("pack divisions", _pack_divisions),
    ("keep sweeps", _keep_sweeps),
    ("share neighbours", _share_neighbours),
    ("leave early", _leave_early),
    ("skip loops", _skip_loops),
    ("leave out idle lanes", _leave_out_idle_lanes),
    ("skip stores", _skip_stores),
    ("remove unused arrays", _remove_arrays),
)


def plan(
    nest: LoopNest,
    target: Target,
    *,
    contract: bool = True,
    reassociate: bool = False,
    apart: frozenset[str] = frozenset(),
    options: Options | None = None,
    observe: Observer | None = None,
) -> VectorProgram:
    """Explicit SIMD for a nest, in the nest's order of computation.

    Args:
        target: its vector width and registers.
        contract: fuse multiplications and additions as `polyloop.backend.ir.expressions` says.
        apart: statements whose multiplications and additions are rounded one by one even so.
        reassociate: permit reductions of floating-point numbers along a VECTOR loop, which sum in another order, and
            functions on vectors that are not exact.
        observe: is told of every pass.
    Raises:
        VerificationError: where ``POLYLOOP_VERIFY`` is set, if the nest or what a pass makes of it is not well-formed.
    """
    facts = nest_facts(nest.context)
    context = Context(target, contract, reassociate, apart, options or Options(), facts, observe, verifies())
    if context.verify:
        _verify(nest)
    for name, simplify in NEST_PASSES:
        nest = _run(name, simplify, nest, context)
    program = _run("lower", _lower, nest, context)
    for name, improve in PROGRAM_PASSES:
        program = _run(name, improve, program, context)
    return program


def _run(name: str, step: Callable[[A, Context], B], value: A, context: Context) -> B:
    """One pass, watched and checked where somebody wants it."""
    if context.observe is None and not context.verify:
        return step(value, context)
    start = time.perf_counter()
    result = step(value, context)
    seconds = time.perf_counter() - start
    if context.observe is not None:
        context.observe(name, result, seconds)
    if context.verify and result != value:  # most passes find nothing to do in most programs
        try:
            _verify(result)
        except VerificationError as error:
            raise VerificationError(f"after the pass {name!r}: {error}") from error
    return result


def scalar_program(nest: LoopNest, contract: bool = True, apart: frozenset[str] = frozenset()) -> VectorProgram:
    """The nest as it is, for the compiler's own optimizer: loops rolled, scalar, nothing kept in registers.

    Raises:
        CompileError: where a loop that only data end would not end.
    """
    lowering = NestLowering(nest, None, contract, Options(), apart)
    body = lowering.statements()
    program = VectorProgram(nest.name, nest.parameters, nest.arrays, body, nest.context, auto_vectorize=True)
    if verifies():
        _verify(nest)
        _verify(program)
    return _that_ends(program)


def _verify(result: object) -> None:
    """
    Raises:
        VerificationError: if it is not well-formed.
    """
    # Verifiers are loaded where they are asked for.
    from polyloop.backend.ir.verify_nest import verify as verify_nest
    from polyloop.backend.ir.verify_program import verify as verify_program

    if isinstance(result, VectorProgram):
        verify_program(result)
    elif isinstance(result, LoopNest):
        verify_nest(result)
