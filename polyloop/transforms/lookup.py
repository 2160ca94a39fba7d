"""Lookup: elements of a small array that data choose are chosen from all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Self

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, affine
from polyloop.scop.dependence import flow
from polyloop.scop.model import Array, Scop, Statement
from polyloop.transforms.scop_transform import ScopTransform, with_accesses

_MOST = 8
"""Elements of an array that is small: choosing between so many takes a comparison and a blend each, in registers, in
less than the 25 cycles after which a gather is there on the cores of data/machines. Measurements decide in the end."""


@dataclass(frozen=True)
class Lookup(ScopTransform):
    """Read all elements of a small array, and choose between them.

    Rewrite:
        c[0] = x;  c[1] = y;  for s: m[s] += c[bit[s]];   ->   ...  for s: m[s] += bit[s] == 0 ? c[0] : c[1];

    Lanes then gather nothing, and what the array holds may stay in registers: it is known who reads which element.
    Legal by construction, as C has no elements but those: arrays of the region's own whose elements all have values
    there, and tables of constants.

    Attributes:
        array: its name.
    """

    array: str

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Small arrays of which data choose elements."""
        for array in scop.arrays:
            if _extents(array) and any(_chosen(r, array) for s in scop.statements for r in _reads(s)):
                yield cls(array.name)

    @property
    def action(self) -> str:
        return f"choose between the elements of {self.array}"

    def changed(self, scop: Scop) -> Scop:
        array = next((a for a in scop.arrays if a.name == self.array), None)
        if array is None or not _extents(array):
            raise self.refused(scop, f"there is no array of its own, or of constants, of at most {_MOST} elements")

        def one(node: e.Expression) -> e.Expression:
            return _choice(node, array) if isinstance(node, e.Read) and _chosen(node, array) else node

        statements, changed = list[Statement](), list[Statement]()
        for old in scop.statements:
            new = with_accesses(old, e.rewrite_access(old.target, one), e.rewrite(old.value, one))
            statements.append(new)
            if new.accesses != old.accesses:
                changed.append(new)
        if not changed:
            raise self.refused(scop, "no data choose its elements")
        result = replace(scop, statements=tuple(statements))
        if array.local:
            for statement in changed:
                for access in (a for a in statement.reads if a.array == array.name):
                    if not flow(result, statement, access)[1].is_empty():
                        raise self.refused(scop, f"{access} may have no value yet in {statement.name}")
        return result


def _extents(array: Array) -> tuple[int, ...]:
    """How many elements a small array that holds no others has along each subscript; () of others."""
    if not (array.local or array.values is not None) or array.strides is not None:
        return ()
    extents = tuple(x.constant for x in array.shape if x is not None and x.is_constant)
    return extents if len(extents) == len(array.shape) and 0 < prod(extents) <= _MOST else ()


def _reads(statement: Statement) -> tuple[e.Read, ...]:
    return (*e.reads(statement.value), *e.reads_of_subscripts(statement.target))


def _chosen(read: e.Read, array: Array) -> bool:
    """Whether data choose the element, each of its subscripts being one value or none."""
    access = read.access
    plain = all(not s.constant and s.terms == ((s.terms[0][0], 1),) for s in access.subscripts if _datum(s) is not None)
    return access.array == array.name and bool(access.data) and plain


def _datum(subscript: Affine) -> e.Datum | None:
    return next((atom for atom, _ in subscript.terms if isinstance(atom, e.Datum)), None)


def _choice(read: e.Read, array: Array) -> e.Expression:
    """The element, by what its subscripts are."""
    access, extents = read.access, _extents(array)
    data = [_datum(s) for s in access.subscripts]
    places = product(*(range(n) if d is not None else (None,) for n, d in zip(extents, data, strict=True)))
    found: e.Expression | None = None
    for place in reversed(list(places)):
        pairs = list(zip(access.subscripts, data, place, strict=True))
        element = e.Access(access.array, tuple(s if k is None else affine(k) for s, _, k in pairs))
        value: e.Expression = e.Read(element, read.type)
        if found is not None:
            tests = [
                e.Comparison("==", d.value, e.Literal(k, d.value.type))
                for _, d, k in pairs
                if d is not None and k is not None
            ]
            condition: e.Expression = tests[0]
            for test in tests[1:]:
                condition = e.Logical("&&", condition, test)
            value = e.Select(condition, value, found, read.type)
        found = value
    assert found is not None
    return found
