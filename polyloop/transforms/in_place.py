"""In place: let a local array live in the elements of another one that it is copied from or to.

The opposite of keeping a running value in a scalar: once the scalar is expanded, its cells stand beside the array's
elements, one for each, and copying between them is all that is left of it. Like Expand this changes the Scop, not its
schedule, and is proven by unchanged flow of values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import islpy as isl

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import Access, Expression, Read, reads, rewrite
from polyloop.scop.dependence import flow
from polyloop.scop.model import Scop, Statement
from polyloop.transforms.scop_transform import IllegalScopTransformError, ScopTransform
from polyloop.transforms.storage import fresh_name, names_of

_CHAIN = 4
"""How many copies behind one another are looked through."""


class IllegalInPlaceError(IllegalScopTransformError):
    """Storage that cannot be shared, or not provably; says why."""


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

    error = IllegalInPlaceError

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Local arrays with every statement that copies between a cell of them and another array's element."""
        for array in scop.arrays:
            for copy in _copies(scop, array.name) if array.local else ():
                yield cls(array.name, copy.name)

    def changed(self, scop: Scop) -> Scop:
        """As `ScopTransform.changed`."""
        return _Sharing(self, scop).result()

    @property
    def action(self) -> str:
        return f"keep {self.array} in the array that {self.copy} copies it from or to"


def kept_in_place(scop: Scop) -> tuple[Scop, tuple[InPlace, ...]]:
    """The Scop with as many local arrays as possible in others, and what was done."""
    done = list[InPlace]()
    for array in scop.arrays:
        for option in [option for option in InPlace.candidates(scop) if option.array == array.name]:
            try:
                scop = option.apply(scop)
            except IllegalInPlaceError:
                continue
            done.append(option)
            break
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
        for access in dict.fromkeys((statement.target, *statement.reads)):
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
        def one(node: Expression) -> Expression:
            return replace(node, access=self._place(node.access)) if isinstance(node, Read) else node

        changed = replace(statement, target=self._place(statement.target), value=rewrite(statement.value, one))
        # What was another element than the target's may be the target now: then it folds into itself no longer.
        still = _own_reads(changed) == _own_reads(statement)
        return replace(changed, reduction=statement.reduction if still else None)

    def _prove(self, new: Scop) -> None:
        """Every read, and a look at the whole array behind everything, sees the values it saw.

        Raises:
            IllegalInPlaceError: if not.
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
        sources = {name: relation for name, relation in sources.items() if not relation.is_empty()}
        found = {name: relation for name, relation in found.items() if not relation.is_empty()}
        if set(sources) != set(found) or any(not sources[name].is_equal(found[name]) for name in sources):
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
        schedule = [affine(max(s.schedule[0].constant for s in self.scop.statements) + 1)]
        for variable in variables:
            schedule += [variable, affine(0)]
        value = Read(Access(self.home, variables), self.scop.array(self.home).type)
        domain = _touched(self.scop, self.home).set_tuple_name(name)
        return Statement(name, iterators, domain, Access(name, variables), value, tuple(schedule))

    def _refused(self, reason: str) -> IllegalScopTransformError:
        return self.share.refused(self.scop, reason)
