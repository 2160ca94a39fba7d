"""Independent scalar divisions of straight-line code, side by side in vectors.

    p0 = a0 / d0;  p1 = a1 / d1;  ..   ->   (p0, p1, ..) = (a0, a1, ..) / (d0, d1, ..)

Rows of a recurrence that are unrolled as independent scalar chains are bound by the divider, which takes a vector in
little more time than a scalar; packing and unpacking cost a few shuffles. Every lane rounds as the scalar does. It is
superword-level parallelism (Larsen and Amarasinghe, PLDI 2000) for one operator; what computes the operands stays as
it is.

Straight-line code is put in levels: a statement's level counts the divisions on the longest path to it, through values
and through memory that may be the same. Divisions of one level do not depend on each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.traversal import operands
from polyloop.backend.ir.vector_program import Let, Statement, Store, Value, ValueType
from polyloop.backend.machine.target import Target
from polyloop.backend.planning.facts import Facts, map_bodies_with, with_facts
from polyloop.backend.planning.memory import Cell, may_overlap
from polyloop.backend.planning.values import Names

FEWEST = 4
"""Fewer lanes than this are not worth a vector."""

FULL = 2
"""Fewer vectors of independent divisions than this stay scalar: packing lengthens a chain that nothing hides."""


@dataclass(frozen=True)
class PackedDivisions:
    """The pass over a whole program."""

    names: Names
    target: Target

    def run(self, statements: Iterable[Statement], facts: Facts) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for straight, group in groupby(with_facts(statements, facts), lambda pair: _is_straight(pair[0])):
            if straight:
                region = list(group)
                result.extend(self._region([statement for statement, _ in region], region[0][1]))
            else:
                result.extend(map_bodies_with(statement, here, self.run) for statement, here in group)
        return tuple(result)

    def _region(self, region: list[Statement], facts: Facts) -> list[Statement]:
        if sum(map(_is_division, region)) < FEWEST:
            return region
        levels = _levels(region, facts)
        inside = {s.name for s in region if isinstance(s, Let) and not isinstance(s.operation, v.Constant)}
        result: list[Statement] = []
        packed = False
        for level in range(max(levels) + 1):
            here = [s for s, at in zip(region, levels, strict=True) if at == level]
            result.extend(s for s in here if not _is_division(s))
            packer = _Packer(self.names, result)
            for group in self._groups([s for s in here if isinstance(s, Let) and _is_division(s)], inside):
                packed = packed or len(group) > 1
                packer.divide(group)
        return result if packed else region

    def _groups(self, divisions: Sequence[Let], inside: set[str]) -> list[list[Let]]:
        """Divisions by one vector each. Those with a common divisor go into different vectors, so that the divisors
        are packed once, except where it is the same for all."""
        count = Counter(let.operation.type.element for let in divisions)
        seen: dict[str, int] = {}
        ranked: dict[tuple[ValueType, int], list[Let]] = {}
        for let in divisions:
            divisor = operands(let.operation)[1].name
            rank = seen.get(divisor, 0)
            if divisor in inside:
                seen[divisor] = rank + 1
            ranked.setdefault((let.operation.type, rank), []).append(let)
        groups: list[list[Let]] = []
        for (type_, _), lets in ranked.items():
            lanes = self.target.lanes(type_.element)
            if count[type_.element] < FULL * lanes:
                lanes = 1
            while lets:
                while lanes > len(lets):
                    lanes //= 2
                width = lanes if lanes >= FEWEST else 1
                groups.append(lets[:width])
                lets = lets[width:]
        return groups


@dataclass
class _Packer:
    """Appends divisions to a list of statements; equal packs are made once."""

    names: Names
    out: list[Statement]

    def __post_init__(self) -> None:
        self._packs: dict[tuple[Value, ...], Value] = {}

    def divide(self, group: list[Let]) -> None:
        if len(group) == 1:
            self.out.append(group[0])
            return
        scalar = group[0].operation.type
        wide = ValueType(scalar.element, len(group))
        pairs = [operands(let.operation) for let in group]
        packs = tuple(self._packed(tuple(pair[k] for pair in pairs), wide) for k in (0, 1))
        quotient = self._let(v.Arithmetic("/", packs, wide))
        self.out.extend(Let(let.name, v.Lane(quotient, k, scalar)) for k, let in enumerate(group))

    def _packed(self, scalars: tuple[Value, ...], wide: ValueType) -> Value:
        if scalars not in self._packs:
            same = len(set(scalars)) == 1
            self._packs[scalars] = self._let(v.Broadcast(scalars[0], wide) if same else v.Pack(scalars, wide))
        return self._packs[scalars]

    def _let(self, operation: v.Operation) -> Value:
        definition = Let(self.names.fresh("v"), operation)
        self.out.append(definition)
        return definition.value


def _is_straight(statement: Statement) -> bool:
    match statement:
        case Let(_, operation):
            return not isinstance(operation, v.LazyPick)
        case _:
            return isinstance(statement, Store)


def _is_division(statement: Statement) -> bool:
    match statement:
        case Let(_, v.Arithmetic("/", _, ValueType(element, 1))):
            return element.is_float
        case _:
            return False


def _levels(region: Sequence[Statement], facts: Facts) -> list[int]:
    """The level of every statement; a division's result is known one level above its own."""
    known: dict[str, int] = {}
    touched: list[tuple[Cell, bool, int]] = []
    levels = []
    for statement in region:
        cell, stores, used = _access(statement)
        level = max((known.get(value.name, 0) for value in used), default=0)
        if cell is not None:
            for other, stored, at in touched:
                if at > level and (stores or stored) and (other == cell or may_overlap(other, cell, facts)):
                    level = at
            touched.append((cell, stores, level))
        if isinstance(statement, Let):
            known[statement.name] = level + int(_is_division(statement))
        levels.append(level)
    return levels


def _access(statement: Statement) -> tuple[Cell | None, bool, tuple[Value, ...]]:
    """What a statement of straight-line code touches, whether it stores, and the values that it uses."""
    match statement:
        case Let(_, v.Load(address, type_, active)):
            return Cell(address, type_, active), False, ()
        case Let(_, operation):
            return None, False, operands(operation)
        case Store(address, value, active):
            return Cell(address, value.type, active), True, (value,)
        case _:
            raise TypeError(f"{type(statement).__name__} is not straight-line code")
