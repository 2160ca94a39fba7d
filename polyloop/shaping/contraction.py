"""What a contraction is, said once: for default schedules, rectangular nests, shapes and searches.

    for (m, n, k):  C[m][n] = C[m][n] + A[m][k] * B[k][n]

It is a statement that combines its result with what it reads. Its loops are *kept* where they move the result, else
*reduced*; another statement may initialise the result over the kept loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import TYPE_CHECKING

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import Access
from polyloop.backend.ir.polynomials import evaluate, variables
from polyloop.scop.affine_isl import ends_of
from polyloop.scop.model import Scop, Statement

if TYPE_CHECKING:
    from polyloop.backend.default.task import Footprint, Task

_UNKNOWN_EXTENT = 4096
"""What an array's extent is taken for in strides where it is known only when the kernel runs."""


def kept(statement: Statement) -> tuple[str, ...]:
    """Loops that move the result."""
    moved = frozenset[str]().union(*(s.variables() for s in statement.target.subscripts))
    return tuple(name for name in statement.iterators if name in moved)


def reduced(statement: Statement) -> tuple[str, ...]:
    """Loops that leave the result where it is."""
    moving = kept(statement)
    return tuple(name for name in statement.iterators if name not in moving)


def stores_plainly(statement: Statement) -> bool:
    """Whether every kept loop is one subscript of the result by itself."""
    return sorted(map(str, statement.target.subscripts)) == sorted(kept(statement))


def initialises(first: Statement, main: Statement) -> bool:
    """Whether the first statement gives every element of the main one's result a value that nothing is read for."""
    same = first.target == main.target and first.iterators == kept(main) and stores_plainly(main)
    return same and main.reduction is not None and main.depth > first.depth and not first.reads


def extents(scop: Scop, statement: Statement) -> dict[str, int | None]:
    """How many values each iterator takes; None where that is not known."""
    domain = statement.domain.intersect_params(scop.context)
    found = {name: ends_of(domain, k) for k, name in enumerate(statement.iterators)}
    return {name: None if ends is None else ends[1] - ends[0] + 1 for name, ends in found.items()}


def footprint(scop: Scop, statement: Statement, access: Access, sizes: Mapping[str, int] | None = None) -> Footprint:
    """Strides of an access; parameters of the array's extents have these sizes."""
    from polyloop.backend.default.task import Footprint  # of default schedules only, as is `Task`

    array, known = scop.array(access.array), dict(sizes or {})
    shape = [
        _UNKNOWN_EXTENT if extent is None or extent.variables() - known.keys() else extent.evaluate(known)
        for extent in array.shape[1:]
    ]
    strides = [prod(shape[k:]) for k in range(len(array.shape))]
    if array.strides is not None:
        sizes = dict.fromkeys(variables(array.strides), _UNKNOWN_EXTENT) | known
        strides = [evaluate(stride, sizes) for stride in array.strides]
    position = Affine()
    for subscript, stride in zip(access.subscripts, strides, strict=True):
        position = position + subscript * stride
    bent = frozenset[str]().union(*map(_bent, access.subscripts)) & frozenset(statement.iterators)
    steps = {name: position.coefficient(name) for name in statement.iterators if name not in bent}
    return Footprint(array.name, tuple((name, step) for name, step in steps.items() if step), array.type.bytes, bent)


def _bent(subscript: Affine) -> frozenset[str]:
    """Variables inside divisions and the like."""
    parts = (affine(0) + Affine(((atom, 1),)) for atom, _ in subscript.terms if not isinstance(atom, str))
    return frozenset[str]().union(*(part.variables() for part in parts))


def task_of(scop: Scop, main: Statement, beside: Iterable[Statement], reassociate: bool) -> Task:
    """A statement as the model of default schedules sees it.

    Args:
        beside: statements that share its tile.
    """
    from polyloop.backend.default.task import Task

    moving = kept(main) if main.reduction is not None else main.iterators
    others = frozenset(statement.target.array for statement in beside)
    element = scop.array(main.target.array).type
    free = set(moving) if stores_plainly(main) or main.reduction is None else set()
    if main.reduction is not None and (reassociate or not element.is_float):
        free |= set(main.iterators)
    return Task(
        extents(scop, main),
        frozenset(main.iterators) - set(moving),
        footprint(scop, main, main.target),
        tuple(footprint(scop, main, access) for access in main.reads if access != main.target),
        element,
        frozenset(free),
        others,
    )
