"""Relayout and InPlace: where an array lives, in a copy of another layout or in the elements of another one.

Like Expand these change the Scop, not its schedule, and are proven by unchanged flow of values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import islpy as isl

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import Access, Read, reads
from polyloop.schedules.tree import contiguous_iterator, rows_map
from polyloop.scop.dependence import flow
from polyloop.scop.model import Array, Scop, Statement
from polyloop.transforms.scop_transform import (
    IllegalScopTransformError,
    ScopTransform,
    first_legal,
    fresh_name,
    is_indirect,
    names_of,
    outer_positions,
    own_nest,
    redirected,
    same_sources,
    with_accesses,
)

# --- Relayout: a read finds its values in a copy with the subscripts in another order ---------------------------------


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

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Reads in the deepest statements that are strided where the store is contiguous, and whose elements are used
        many times, so that a copy pays."""
        depth = max((s.depth for s in scop.statements), default=0)
        for statement in scop.statements:
            lane = contiguous_iterator(statement)
            if statement.depth < depth or lane is None:
                continue
            for access in statement.reads:
                moving = [k for k, subscript in enumerate(access.subscripts) if lane in subscript.variables()]
                rank = len(access.subscripts)
                if is_indirect(scop, access.array):
                    continue
                if len(moving) == 1 and moving[0] < rank - 1 and rank < statement.depth:
                    rest = tuple(k for k in range(rank) if k != moving[0])
                    yield cls(statement.name, access, (*rest, moving[0]))

    @property
    def action(self) -> str:
        return f"copy {self.access}"

    def changed(self, scop: Scop) -> Scop:
        statement = self.statement_of(scop, self.statement)
        if self.access not in statement.reads:
            found = ", ".join(map(str, statement.reads)) or "nothing"
            raise self.refused(scop, f"{self.statement} reads {found}")
        if sorted(self.order) != list(range(len(self.access.subscripts))):
            raise self.refused(scop, f"{self.order} is no order of its {len(self.access.subscripts)} subscripts")
        return _Copying(self, scop).result()


class _Copying:
    """One relayout of one Scop."""

    def __init__(self, relayout: Relayout, scop: Scop) -> None:
        self.relayout, self.scop = relayout, scop
        self.reader = scop.statement(relayout.statement)
        self.array = scop.array(relayout.access.array)
        if (some := scop.touched_by_some(self.array.name)) is not None:
            raise self.refused(f"{some.name} touches it only where a condition on data holds; the copies would always")
        if is_indirect(scop, self.array.name):
            raise self.refused("subscripts from data say which of its elements are touched")
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
        old, copied = self.relayout.access, self._permuted(self.relayout.access)
        new = redirected(statement, lambda access: copied if access == old else access)
        return with_accesses(statement, new.target, new.value)

    def _copy_behind(self, writer: Statement) -> Statement:
        name = self.copies[writer.name]
        domain = self.sources[writer.name].domain().set_tuple_name(name).coalesce()
        schedule = (*writer.schedule[:-1], writer.schedule[-1] + 1)
        value = Read(writer.target, self.array.type)
        return Statement(name, writer.iterators, domain, self._permuted(writer.target), value, schedule)

    def _copy_before(self, position: int) -> Statement:
        elements = self.before.apply(rows_map(self.scop, self.reader.name, self.relayout.access.subscripts))
        own = Access(self.array.name, tuple(map(affine, self.iterators)))
        value = Read(own, self.array.type)
        return own_nest(self.copy_in, self.iterators, elements, self._permuted(own), value, position)

    def _prove(self, new: Scop) -> None:
        """The read gets its values from the copies of the same instances, and these from the instances themselves.

        Raises:
            IllegalScopTransformError: if not.
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


def _spaced(schedule: tuple[Affine, ...]) -> tuple[Affine, ...]:
    """Room for a statement behind every statement: constants (even positions) doubled."""
    return tuple(row * 2 if k % 2 == 0 else row for k, row in enumerate(schedule))


# --- In place ---------------------------------------------------------------------------------------------------------
# A local array lives in the elements of another one that it is copied from or to. The opposite of keeping a running
# value in a scalar: once the scalar is expanded, its cells stand beside the array's elements, one for each, and copying
# between them is all that is left of it.


_CHAIN = 4
"""How many copies behind one another are looked through."""


@dataclass(frozen=True)
class InPlace(ScopTransform):
    """Put a local array's cells into another array's elements.

    Rewrite (t in A, by T):
        for i, j: { T: t[i][j] = A[i][j];  for k: U: t[i][j] -= A[i][k] * A[k][j];  V: A[i][j] = t[i][j]; }
        ->  for i, j: for k: U: A[i][j] -= A[i][k] * A[k][j];

    Every access to the local array becomes one to the element that the copying statement pairs its cell with;
    statements that then copy an element onto itself vanish. The proof looks through the copies: every other read gets
    its value from where it came before it was copied, and so does the array's content behind the Scop.

    Attributes:
        array: the local array.
        copy: name of a statement that copies between one of its cells and an element of the array to live in.
    References:
        Lefebvre and Feautrier, "Automatic Storage Management for Parallel Programs", Parallel Computing 1998: partial
        expansion, which shares storage where lifetimes permit.
    """

    array: str
    copy: str

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Local arrays with every statement that copies between a cell of them and another array's element."""
        for array in scop.arrays:
            for copy in _copies(scop, array.name) if array.local else ():
                yield cls(array.name, copy.name)

    def changed(self, scop: Scop) -> Scop:
        return _Sharing(self, scop).result()

    @property
    def action(self) -> str:
        return f"keep {self.array} in the array that {self.copy} copies it from or to"


def kept_in_place(scop: Scop) -> tuple[Scop, tuple[InPlace, ...]]:
    """The Scop with as many local arrays as possible in others, and what was done."""
    done = list[InPlace]()
    for array in scop.arrays:
        options = (option for option in InPlace.candidates(scop) if option.array == array.name)
        if (found := first_legal(scop, options)) is not None:
            scop, option = found
            done.append(option)
    return scop, tuple(done)


def _copies(scop: Scop, array: str) -> Iterator[Statement]:
    """Statements that copy between a cell of the array and an element of another that no second cell would get."""
    for statement in scop.statements:
        pair = _pair(statement)
        if pair is not None and sum(access.array == array for access in pair) == 1:
            cell, element = pair if pair[0].array == array else pair[::-1]
            if set(statement.iterators) & _variables(cell) <= _variables(element):
                yield statement


def _variables(access: Access) -> frozenset[str]:
    return frozenset[str]().union(*(s.variables() for s in access.subscripts))


def _pair(statement: Statement) -> tuple[Access, Access] | None:
    """Both sides of a statement that copies."""
    return (statement.target, statement.value.access) if isinstance(statement.value, Read) else None


def _own_reads(statement: Statement) -> int:
    return sum(node.access == statement.target for node in reads(statement.value))


def _touched(scop: Scop, array: str) -> isl.Set:
    """The elements that are read or written."""
    found = isl.Set.empty(scop.context.get_space())
    for statement in scop.statements:
        for access in dict.fromkeys(statement.accesses):
            if access.array == array:
                part = scop.access_map(statement, access).range()
                found = part if found.is_params() else found.union(part)
    return found.coalesce()


class _Sharing:
    """One local array of one Scop on its way into another."""

    def __init__(self, share: InPlace, scop: Scop) -> None:
        self.share, self.scop = share, scop
        copy = next((s for s in scop.statements if s.name == share.copy), None)
        pair = _pair(copy) if copy is not None else None
        if copy is None or pair is None or sum(access.array == share.array for access in pair) != 1:
            raise self._refused(f"{share.copy} does not copy it")
        cell, element = pair if pair[0].array == share.array else pair[::-1]
        if not scop.array(share.array).local:
            raise self._refused("its content is wanted behind the scop")
        if scop.array(share.array).type != scop.array(element.array).type:
            raise self._refused(f"{element.array} has another type")
        if is_indirect(scop, share.array) or is_indirect(scop, element.array):
            raise self._refused("subscripts from data say which elements are touched")
        self.home = element.array
        self.positions = self._inverse(copy, cell, element)
        self.subscripts = element.subscripts

    def _inverse(self, copy: Statement, cell: Access, element: Access) -> dict[str, tuple[int, Affine]]:
        """For each iterator of the copy the subscript of its cell that tells it: position, and what is added to it."""
        found: dict[str, tuple[int, Affine]] = {}
        for k, subscript in enumerate(cell.subscripts):
            inside = subscript.variables() & set(copy.iterators)
            if len(inside) == 1:
                (iterator,) = inside
                if subscript.coefficient(iterator) == 1:
                    found.setdefault(iterator, (k, subscript - affine(iterator)))
        wanted = _variables(element) & set(copy.iterators)
        if not wanted <= set(found):
            raise self._refused(f"{cell} does not tell which element of {element.array} it belongs to")
        return found

    def result(self) -> Scop:
        self.gone: set[str] = set()
        statements = []
        for statement in self.scop.statements:
            changed = self._moved(statement)
            if isinstance(changed.value, Read) and changed.value.access == changed.target:
                self.gone.add(statement.name)
            else:
                statements.append(changed)
        arrays = tuple(a for a in self.scop.arrays if a.name != self.share.array)
        new = replace(self.scop, arrays=arrays, statements=tuple(statements))
        self._prove(new)
        return new

    def _place(self, access: Access) -> Access:
        if access.array != self.share.array:
            return access
        values = {name: access.subscripts[k] - added for name, (k, added) in self.positions.items()}
        return Access(self.home, tuple(s.substitute(values) for s in self.subscripts))

    def _moved(self, statement: Statement) -> Statement:
        changed = redirected(statement, self._place)
        changed = replace(changed, target=self._place(changed.target))
        # What was another element than the target's may be the target now: then it folds into itself no longer.
        still = _own_reads(changed) == _own_reads(statement)
        conditional = changed.conditional and changed.may_keep
        return replace(changed, reduction=statement.reduction if still else None, conditional=conditional)

    def _prove(self, new: Scop) -> None:
        """Every read, and a look at the whole array behind everything, sees the values it saw.

        Raises:
            IllegalScopTransformError: if not.
        """
        touched = _touched(new, self.home)
        if touched.is_params():
            raise self._refused("nothing but copies would be left of it")
        if not touched.is_subset(_touched(self.scop, self.home)):
            raise self._refused(f"{self.home} may have no such elements")
        for statement in new.statements:
            old = self.scop.statement(statement.name)
            for access in old.reads:
                if access.array in (self.home, self.share.array):
                    self._compare(self.scop, old, access, new, statement)
        if not self.scop.array(self.home).local:
            probe = self._probe()
            before, behind = (replace(scop, statements=(*scop.statements, probe)) for scop in (self.scop, new))
            self._compare(before, probe, probe.reads[0], behind, probe)

    def _compare(self, scop: Scop, old: Statement, access: Access, new: Scop, statement: Statement) -> None:
        moved = self._place(access)
        sources, before = self._sources(scop, old, access, _CHAIN)
        found, missing = flow(new, statement, moved)
        if not same_sources(sources, found):
            raise self._refused(f"{old.name} would read other values")
        first = new.access_map(statement, moved).intersect_domain(missing)
        if not first.is_equal(before):
            raise self._refused(f"{old.name} would read other values from before the scop")

    def _sources(
        self, scop: Scop, statement: Statement, access: Access, depth: int
    ) -> tuple[dict[str, isl.Map], isl.Map]:
        """Where a read's values come from in the end, the copies that vanish seen through: the writing instances, and
        the elements that hold them before the Scop."""
        direct, missing = flow(scop, statement, access)
        before = scop.access_map(statement, self._place(access)).intersect_domain(missing)
        if access.array == self.share.array and not missing.is_empty():
            raise self._refused(f"{statement.name} reads cells that nothing was written to")
        found: dict[str, isl.Map] = {}
        for name, relation in direct.items():
            parts = {name: relation}
            if name in self.gone:
                if depth == 0:
                    raise self._refused("values are copied to and fro")
                copy = scop.statement(name)
                inner, outside = self._sources(scop, copy, copy.reads[0], depth - 1)
                parts = {writer: part.apply_range(relation) for writer, part in inner.items()}
                before = before.union(relation.reverse().apply_range(outside)).coalesce()
            for writer, part in parts.items():
                found[writer] = (found[writer].union(part) if writer in found else part).coalesce()
        return found, before

    def _probe(self) -> Statement:
        """A statement behind all others that reads whatever the Scop touches of the array."""
        names = names_of(self.scop)
        name = fresh_name(f"{self.home}_probe", names)
        rank = len(self.scop.array(self.home).shape)
        iterators = tuple(fresh_name(f"c{k}", names) for k in range(rank))
        variables = tuple(map(affine, iterators))
        value = Read(Access(self.home, variables), self.scop.array(self.home).type)
        touched = _touched(self.scop, self.home)
        return own_nest(name, iterators, touched, Access(name, variables), value, outer_positions(self.scop)[1])

    def _refused(self, reason: str) -> IllegalScopTransformError:
        return self.share.refused(self.scop, reason)
