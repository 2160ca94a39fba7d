"""Addresses in assembly: what one pointer serves, and by how much loops move it.

A loop is counted from its first iteration: where it begins is part of the address of what it touches. So every address
starts, in front of a loop, where it stands outside of it, and an iteration moves it by a constant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias

from polyloop.backend import vector_program as v
from polyloop.backend.affine import Affine
from polyloop.backend.asm_text import NotPrintableError, refuse
from polyloop.backend.loop_nest import ArraySpec
from polyloop.backend.vector_program import Address, Statement

LoopScope: TypeAlias = "tuple[tuple[str, Affine], ...]"
"""Variables of the loops around, and where they begin."""

Key = tuple[str, tuple[tuple[str, int], ...]]
"""An array and the bytes by which an iteration of each loop moves: accesses that one pointer serves."""


class Addresses:
    """Those of a program's arrays, in bytes."""

    def __init__(self, arrays: tuple[ArraySpec, ...]) -> None:
        self._strides: Mapping[str, list[int]] = {array.name: _strides(array) for array in arrays}
        self._known: dict[LoopScope, dict[Address, tuple[Key, int]]] = {}

    def linear(self, address: Address, scope: LoopScope) -> tuple[Key, int]:
        """The address in bytes: an array, multiples of iterations, and a constant."""
        known = self._known.setdefault(scope, {})
        if address in known:
            return known[address]
        total = Affine()
        for subscript, stride in zip(address.subscripts, self._strides[address.array], strict=True):
            total += subscript * stride
        # From the inside out, as a loop may begin where one around it stands.
        iterations: dict[str, int] = {}
        for variable, first in reversed(scope):
            if bytes_ := total.coefficient(variable):
                iterations[variable] = bytes_
                total = total.substitute({variable: first})
        if not total.is_constant:
            raise NotPrintableError(f"an address that depends on {total}")
        found = known[address] = (address.array, tuple(sorted(iterations.items()))), total.constant
        return found

    def keys(self, statements: tuple[Statement, ...], scope: LoopScope) -> dict[Key, None]:
        """Of all that statements touch, those of nested loops too, in the order of mention."""
        found: dict[Key, None] = {}
        for statement in statements:
            match statement:
                case v.Let(_, v.Load(address)) | v.Store(address) | v.Prefetch(address):
                    found[self.linear(address, scope)[0]] = None
                case v.For():
                    found |= self.keys(statement.body, (*scope, (statement.variable, statement.lower)))
        return found


def restricted(key: Key, scope: LoopScope) -> Key:
    """The address with what these loops add to it, and nothing of others."""
    variables = dict(scope)
    return key[0], tuple([term for term in key[1] if term[0] in variables])


def most_alike(moves: dict[str, int]) -> tuple[int, list[str]]:
    """The step that most pointers take, and which they are; step 0 where none moves."""
    steps = Counter(moves.values())
    step = max(steps, key=lambda s: (steps[s], -abs(s)), default=0)
    return step, [pointer for pointer, taken in moves.items() if taken == step]


def asked_inside(loop: v.For) -> frozenset[str]:
    """Variables whose values the lengths of the loops inside depend on."""
    asked: frozenset[str] = frozenset()
    for inner in loop.body:
        if isinstance(inner, v.For):
            asked |= (inner.upper - inner.lower).variables() | asked_inside(inner)
            if inner.variable in asked:
                asked |= inner.lower.variables()
    return asked


def _strides(spec: ArraySpec) -> list[int]:
    """Bytes between neighbours, dimension by dimension."""
    strides, size = [], spec.type.bytes
    for extent in reversed(spec.shape):
        strides.append(size)
        if extent is None or not extent.is_constant:
            size = 0 if len(strides) == len(spec.shape) else refuse(f"the extent {extent}")
        else:
            size *= extent.constant
    return strides[::-1]
