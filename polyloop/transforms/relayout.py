"""Relayout: let a read find its values in a copy of the array with the subscripts in another order.

Like Expand this changes the Scop, not its schedule, and is proven by unchanged flow of values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import islpy as isl

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import Access, Expression, Read, rewrite
from polyloop.schedules.strides import contiguous_iterator
from polyloop.scop.affine_isl import affine_to_text
from polyloop.scop.dependence import flow
from polyloop.scop.model import Array, Scop, Statement
from polyloop.transforms.scop_transform import IllegalScopTransformError, ScopTransform
from polyloop.transforms.storage import fresh_name, names_of


class IllegalRelayoutError(IllegalScopTransformError):
    """A relayout that cannot be proven; says why."""


@dataclass(frozen=True)
class Relayout(ScopTransform):
    """Copy an array with its subscripts permuted for one read.

    Rewrite (order (1, 0) for the read A[j][k]):
        for i, j, k:  C[i][j] += A[i][k] * A[j][k]
        ->  for a, b:  A_t[b][a] = A[a][b];   for i, j, k:  C[i][j] += A[i][k] * A_t[k][j]

    Values that the read gets from statements of the Scop are copied directly behind the write, in a statement of their
    own; values from before the Scop in a statement before all others. The copy is local to the Scop.

    Halide calls a copy in another layout ``reorder_storage``; BLAS libraries pack their operands so.

    Attributes:
        statement: name of the reading statement.
        access: the read, as it stands there.
        order: for each subscript of the copy, which subscript of the array it is.
    """

    statement: str
    access: Access
    order: tuple[int, ...]

    error = IllegalRelayoutError

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """As `relayouts`."""
        return (cls(option.statement, option.access, option.order) for option in relayouts(scop))

    @property
    def action(self) -> str:
        return f"copy {self.access}"

    def changed(self, scop: Scop) -> Scop:
        """As `ScopTransform.changed`."""
        statement = next((s for s in scop.statements if s.name == self.statement), None)
        if statement is None:
            raise self.refused(scop, f"there is no statement {self.statement}")
        if self.access not in statement.reads:
            found = ", ".join(map(str, statement.reads)) or "nothing"
            raise self.refused(scop, f"{self.statement} reads {found}")
        if sorted(self.order) != list(range(len(self.access.subscripts))):
            raise self.refused(scop, f"{self.order} is no order of its {len(self.access.subscripts)} subscripts")
        return _Copying(self, scop).result()


def relayouts(scop: Scop) -> Iterator[Relayout]:
    """Reads in the deepest statements that are strided where the store is contiguous, and whose elements are used many
    times, so that a copy pays."""
    depth = max((s.depth for s in scop.statements), default=0)
    for statement in scop.statements:
        lane = contiguous_iterator(statement)
        if statement.depth < depth or lane is None:
            continue
        for access in statement.reads:
            moving = [k for k, subscript in enumerate(access.subscripts) if lane in subscript.variables()]
            rank = len(access.subscripts)
            if len(moving) == 1 and moving[0] < rank - 1 and rank < statement.depth:
                rest = tuple(k for k in range(rank) if k != moving[0])
                yield Relayout(statement.name, access, (*rest, moving[0]))


class _Copying:
    """One relayout of one Scop."""

    def __init__(self, relayout: Relayout, scop: Scop) -> None:
        self.relayout, self.scop = relayout, scop
        self.reader = scop.statement(relayout.statement)
        self.array = scop.array(relayout.access.array)
        taken = names_of(scop)
        self.name = fresh_name(f"{self.array.name}_t", taken)
        self.copy_in = fresh_name(f"{self.array.name}_t_in", taken)
        self.sources, self.before = flow(scop, self.reader, relayout.access)
        self.copies = {writer: fresh_name(f"{writer}_{self.array.name}_t", taken) for writer in self.sources}
        self.iterators = tuple(fresh_name(f"c{k}", taken) for k in range(len(self.array.shape)))

    def refused(self, reason: str) -> IllegalScopTransformError:
        return self.relayout.refused(self.scop, reason)

    def result(self) -> Scop:
        shape = [extent for extent in self.array.shape if extent is not None]
        if len(shape) != len(self.array.shape):
            raise self.refused("its first extent is not known")
        extents: tuple[Affine, ...] = tuple(shape[k] for k in self.relayout.order)
        array = Array(self.name, self.array.type, extents, local=True)
        statements: list[Statement] = []
        for statement in self.scop.statements:
            spaced = replace(statement, schedule=_spaced(statement.schedule))
            statements.append(self._redirected(spaced) if statement.name == self.reader.name else spaced)
            if statement.name in self.sources:
                statements.append(self._copy_behind(spaced))
        if not self.before.is_empty():
            statements.insert(0, self._copy_before(min(s.schedule[0].constant for s in statements) - 1))
        new = replace(self.scop, arrays=(*self.scop.arrays, array), statements=tuple(statements))
        self._prove(new)
        return new

    def _permuted(self, access: Access) -> Access:
        return Access(self.name, tuple(access.subscripts[k] for k in self.relayout.order))

    def _redirected(self, statement: Statement) -> Statement:
        def one(node: Expression) -> Expression:
            if isinstance(node, Read) and node.access == self.relayout.access:
                return replace(node, access=self._permuted(node.access))
            return node

        changed = replace(statement, value=rewrite(statement.value, one))
        still = changed.reduction and changed.target in changed.reads
        return replace(changed, reduction=statement.reduction if still else None)

    def _copy_behind(self, writer: Statement) -> Statement:
        name = self.copies[writer.name]
        domain = self.sources[writer.name].domain().set_tuple_name(name).coalesce()
        schedule = (*writer.schedule[:-1], writer.schedule[-1] + 1)
        value = Read(writer.target, self.array.type)
        return Statement(name, writer.iterators, domain, self._permuted(writer.target), value, schedule)

    def _copy_before(self, position: int) -> Statement:
        elements = self.before.apply(self._map(self.reader, self.relayout.access.subscripts))
        variables = tuple(map(affine, self.iterators))
        schedule = [affine(position)]
        for variable in variables:
            schedule += [variable, affine(0)]
        own = Access(self.array.name, variables)
        domain = elements.set_tuple_name(self.copy_in).coalesce()
        value = Read(own, self.array.type)
        return Statement(self.copy_in, self.iterators, domain, self._permuted(own), value, tuple(schedule))

    def _prove(self, new: Scop) -> None:
        """The read gets its values from the copies of the same instances, and these from the instances themselves.

        Raises:
            IllegalRelayoutError: if not.
        """
        reader = new.statement(self.reader.name)
        found, missing = flow(new, reader, self._permuted(self.relayout.access))
        if not missing.is_empty():
            raise self.refused("some values would not be copied")
        first = found.pop(self.copy_in, None)
        through = first.range() if first is not None else isl.Set.empty(self.before.get_space())
        if not through.is_equal(self.before):
            raise self.refused("values from before the scop would be mixed up with later ones")
        for writer, relation in self.sources.items():
            copied = found.pop(self.copies[writer], None)
            if copied is None or not copied.set_tuple_name(isl.dim_type.in_, writer).is_equal(relation):
                raise self.refused(f"the read would not get the values of {writer} that it gets now")
            self._prove_copy(new, writer)
        if found:
            raise self.refused("the read would get other values")

    def _prove_copy(self, new: Scop, writer: str) -> None:
        copy = new.statement(self.copies[writer])
        (access,) = copy.reads
        sources, before = flow(new, copy, access)
        own = sources.pop(writer, None)
        same = isl.Map.identity(copy.domain.get_space().map_from_set()).set_tuple_name(isl.dim_type.in_, writer)
        if own is None or sources or not before.is_empty() or not own.is_subset(same):
            raise self.refused(f"the copy behind {writer} would not copy what {writer} wrote")

    def _map(self, statement: Statement, image: tuple[Affine, ...]) -> isl.Map:
        rows = ", ".join(map(affine_to_text, image))
        source = f"{statement.name}[{', '.join(statement.iterators)}]"
        return isl.Map(f"[{', '.join(self.scop.parameters)}] -> {{ {source} -> [{rows}] }}")


def _spaced(schedule: tuple[Affine, ...]) -> tuple[Affine, ...]:
    """Room for a statement behind every statement: constants (even positions) doubled."""
    return tuple(row * 2 if k % 2 == 0 else row for k, row in enumerate(schedule))
