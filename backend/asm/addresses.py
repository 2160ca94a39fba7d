"""Addresses in assembly: what one pointer serves, and by how much loops move it.

A loop is counted from its first iteration: where it begins is part of the address of what it touches. So every address
starts, in front of a loop, where it stands outside of it, and an iteration moves it by a constant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from polyloop.backend.asm.text import NotPrintableError, refuse
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, Atom, condition_variables
from polyloop.backend.ir.loop_nest import ArraySpec
from polyloop.backend.ir.vector_program import Address, Statement

Key = tuple[str, tuple[tuple[str, int], ...]]
"""An array and the bytes by which an iteration of each loop moves: accesses that one pointer serves."""


@dataclass(eq=False)
class Scope:
    """A place in the nest: the loop directly around and where that begins; without one, the whole program.

    What is known of addresses here is kept with it.
    """

    variable: str = ""
    first: Affine = field(default_factory=Affine)
    outer: Scope | None = None
    _inner: dict[tuple[str, Affine], Scope] = field(default_factory=dict, repr=False)
    _known: dict[Address, tuple[Key, int]] = field(default_factory=dict, repr=False)
    _keys: dict[int, tuple[v.For, dict[Key, None]]] = field(default_factory=dict, repr=False)

    def inside(self, loop: v.For) -> Scope:
        """The body of a loop that stands here."""
        key = loop.variable, loop.lower
        if key not in self._inner:
            self._inner[key] = Scope(loop.variable, loop.lower, self)
        return self._inner[key]

    @property
    def variables(self) -> frozenset[str]:
        """Those of the loops around."""
        return frozenset() if self.outer is None else self.outer.variables | {self.variable}

    def linear(self, address: Address, strides: Mapping[str, Sequence[int]]) -> tuple[Key, int]:
        """An address in bytes: an array, multiples of iterations, and a constant.

        Raises:
            NotPrintableError: for an address that is no such sum.
        """
        if address in self._known:
            return self._known[address]
        terms: dict[Atom, int] = {}
        constant = 0
        for subscript, stride in zip(address.subscripts, strides[address.array], strict=True):
            constant += _add(terms, subscript, stride)
        iterations: list[tuple[str, int]] = []
        # From the inside out, as a loop may begin where one around it stands.
        scope: Scope | None = self
        while scope is not None:
            if bytes_ := terms.pop(scope.variable, 0):
                iterations.append((scope.variable, bytes_))
                constant += _add(terms, scope.first, bytes_)
            scope = scope.outer
        if any(terms.values()):
            raise NotPrintableError(f"an address that depends on {next(atom for atom in terms if terms[atom])}")
        found = self._known[address] = (address.array, tuple(sorted(iterations))), constant
        return found

    def keys(self, loop: v.For, strides: Mapping[str, Sequence[int]]) -> dict[Key, None]:
        """Of all that the loop, whose body this is, touches, in the order of mention; loops inside are not moved."""
        if id(loop) not in self._keys:
            self._keys[id(loop)] = loop, dict.fromkeys(self._touched(loop.body, strides))
        return self._keys[id(loop)][1]

    def _touched(self, statements: tuple[Statement, ...], strides: Mapping[str, Sequence[int]]) -> Iterator[Key]:
        for statement in statements:
            match statement:
                case v.Let(_, v.Load(address)) | v.Store(address) | v.Prefetch(address):
                    yield self.linear(address, strides)[0]
                case v.For():
                    yield from self.inside(statement).keys(statement, strides)
                case v.If(_, then, orelse):
                    yield from self._touched((*then, *orelse), strides)

    def restricted(self, key: Key) -> Key:
        """The address with what the loops around add to it, and nothing of those inside."""
        variables = self.variables
        return key[0], tuple([term for term in key[1] if term[0] in variables])


def _add(terms: dict[Atom, int], value: Affine, factor: int) -> int:
    """Multiples of the atoms to the terms; returns that of the constant."""
    for atom, coefficient in value.terms:
        terms[atom] = terms.get(atom, 0) + coefficient * factor
    return value.constant * factor


def most_alike(moves: dict[str, int]) -> tuple[int, list[str]]:
    """The step that most pointers take, and which they are; step 0 where none moves."""
    steps = Counter(moves.values())
    step = max(steps, key=lambda s: (steps[s], abs(s)), default=0)
    return step, [pointer for pointer, taken in moves.items() if taken == step]


def asked(statements: tuple[Statement, ...]) -> frozenset[str]:
    """Variables whose values the lengths of loops and the conditions in these statements depend on."""
    found: frozenset[str] = frozenset()
    for statement in statements:
        match statement:
            case v.For(variable, lower, upper, _, body):
                inside = asked(body)
                found |= (upper - lower).variables() | inside
                if variable in inside:
                    found |= lower.variables()
            case v.If(condition, then, orelse):
                found |= condition_variables(condition) | asked(then) | asked(orelse)
    return found


def strides(spec: ArraySpec) -> list[int]:
    """Bytes between neighbours, dimension by dimension."""
    if spec.strides is not None:
        refuse(f"the strides of {spec.name}")
    found, size = [], spec.type.bytes
    for extent in reversed(spec.shape):
        found.append(size)
        if extent is None or not extent.is_constant:
            size = 0 if len(found) == len(spec.shape) else refuse(f"the extent {extent}")
        else:
            size *= extent.constant
    return found[::-1]
