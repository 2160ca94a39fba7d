"""Realign: an array lives, while the Scop runs, in a copy whose rows begin where cache lines do, or are diagonals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Self

import islpy as isl

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import Access, Read
from polyloop.scop.dependence import flow
from polyloop.scop.model import Array, Scop, Statement
from polyloop.transforms.scop_transform import (
    IllegalScopTransformError,
    ScopTransform,
    fresh_name,
    is_indirect,
    names_of,
    outer_positions,
    own_nest,
    redirected,
)


@dataclass(frozen=True)
class Realign(ScopTransform):
    """Let an array live in a local copy of its form, whose rows have whole lines.

    Rewrite (by 8):
        for t: for i: for j from 1:  A[i][j] = f(A[i-1][j], A[i][j-1], ..)
        ->  for i, j: A_r[i][j+7] = A[i][j];
            for t: for i: for j from 1:  A_r[i][j+7] = f(A_r[i-1][j+7], A_r[i][j+6], ..)
            for i, j: A[i][j] = A_r[i][j+7];

    Elements that are read before they are written are copied in before everything, those that are written are copied
    back behind everything. The first column that is written begins a line in every row, so that vectors along whole
    rows are aligned. Rows have an odd number of lines, which spreads those that follow each other over all sets of a
    cache.

    With a slope, rows of the copy are diagonals of the array, along which recurrences in both directions leave elements
    independent of each other:
        for t: for i: for j:  A[i][j] = f(A[i-1][j], A[i][j-1], ..)
        ->  for i, j: A_r[2*i+j][i] = A[i][j];
            for t: for i: for j:  A_r[2*i+j][i] = f(A_r[2*i+j-2][i-1], A_r[2*i+j-1][i], ..)  ..

    Nothing is reordered and every access goes to the cell of the element it went to: values flow as they did, and the
    copies cover what comes from before and what is wanted behind by what they are made of.

    Attributes:
        array: its name.
        line: elements of a line.
        slope: if it is not 0, how many columns further left the next element of a row of the copy is, a row down.
    References:
        Rivera and Tseng, "Tiling Optimizations for 3D Scientific Computations", SC 2000: copies and padding.
    """

    array: str
    line: int
    slope: int = 0

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Arrays of rows whose elements loops come back to, and not to sum up in them; in lines of 64 bytes."""
        sweeps = (s for s in scop.statements if s.depth > len(s.target.subscripts) > 1 and s.reduction is None)
        deep = {s.target.array for s in sweeps}
        for array in scop.arrays:
            if array.name in deep and not array.local:
                yield cls(array.name, 512 // array.type.bits)

    @property
    def action(self) -> str:
        return f"realign {self.array}" + (f" along diagonals of slope {self.slope}" if self.slope else "")

    def changed(self, scop: Scop) -> Scop:
        return _Realigned(self, scop).result()


class _Realigned:
    """One array of one Scop on its way into its copy."""

    def __init__(self, realign: Realign, scop: Scop) -> None:
        self.realign, self.scop = realign, scop
        name = realign.array
        found = next((array for array in scop.arrays if array.name == name), None)
        if found is None or found.local or (name not in scop.written and not realign.slope):
            raise self.refused("there is no such array that is wanted behind the scop")
        if realign.line < 1:
            raise self.refused(f"lines have no {realign.line} elements")
        if realign.slope < 0:
            raise self.refused("diagonals go the other way")
        if realign.slope and len(found.shape) < 2:
            raise self.refused("it has one dimension only")
        if not found.shape or None in found.shape:
            raise self.refused("not all of its extents are known")
        if not found.first_column.is_constant or found.first_column.constant:
            raise self.refused("its rows have a border in front of them")
        if is_indirect(scop, name):
            raise self.refused("subscripts from data say which of its elements are touched")
        if (some := scop.touched_by_some(name)) is not None:
            raise self.refused(f"{some.name} touches it only where a condition on data holds; the copies would always")
        self.array = found
        parts = [self.scop.access_map(s, s.target).range() for s in scop.writers(name)]
        self.written = self._union(parts) if parts else None
        taken = names_of(scop)
        self.name, self.copy_in, self.copy_out = (fresh_name(f"{name}_{end}", taken) for end in ("r", "r_in", "r_out"))
        self.iterators = tuple(fresh_name(f"c{k}", taken) for k in range(len(found.shape)))
        self.shift = 0
        if self.written is not None and not realign.slope:
            least = self.written.dim_min_val(len(found.shape) - 1)
            self.shift = -least.to_python() % realign.line if least.is_int() else 0

    def refused(self, reason: str) -> IllegalScopTransformError:
        return self.realign.refused(self.scop, reason)

    def result(self) -> Scop:
        *outer, inner = (extent for extent in self.array.shape if extent is not None)
        line, slope = self.realign.line, self.realign.slope
        if slope:
            outer[-1], inner = inner + (outer[-1] - 1) * slope, outer[-1]
        row = ((inner + self.shift + line - 1) // (2 * line) * 2 + 1) * line
        copy = Array(self.name, self.array.type, (*outer, row), local=True)
        first, last = outer_positions(self.scop)
        read = self._read_before()
        before = () if read is None else (self._copy(self.copy_in, read, first, into=True),)
        written = self.written
        behind = () if written is None else (self._copy(self.copy_out, written, last, into=False),)
        statements = (*before, *map(self._redirected, self.scop.statements), *behind)
        return replace(self.scop, arrays=(*self.scop.arrays, copy), statements=statements)

    def _read_before(self) -> isl.Set | None:
        """The elements of which something reads what they had before the Scop; None if there are none."""
        parts = []
        for statement in self.scop.statements:
            for access in dict.fromkeys(a for a in statement.reads if a.array == self.realign.array):
                _, before = flow(self.scop, statement, access)
                parts.append(self.scop.access_map(statement, access).intersect_domain(before).range())
        found = self._union(parts) if parts else None
        return None if found is None or found.is_empty() else found

    @staticmethod
    def _union(parts: Iterable[isl.Set]) -> isl.Set:
        return reduce(isl.Set.union, parts).coalesce()

    def _placed(self, access: Access) -> Access:
        if access.array != self.realign.array:
            return access
        *outer, inner = access.subscripts
        if self.realign.slope:
            outer[-1], inner = inner + outer[-1] * self.realign.slope, outer[-1]
        return Access(self.name, (*outer, inner + self.shift))

    def _redirected(self, statement: Statement) -> Statement:
        new = redirected(statement, self._placed)
        return replace(new, target=self._placed(new.target))

    def _copy(self, name: str, elements: isl.Set, position: int, into: bool) -> Statement:
        own = Access(self.array.name, tuple(map(affine, self.iterators)))
        source, target = (own, self._placed(own)) if into else (self._placed(own), own)
        return own_nest(name, self.iterators, elements, target, Read(source, self.array.type), position)
