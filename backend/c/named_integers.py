"""Integers that a program computes over and over, such as min(n - 80*jt, 80), under a name of their own.

The name is bound where all that it is computed from is known, in the outermost such loop. Compilers find such values
anyway; people read them once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import (
    Affine,
    Choose,
    Condition,
    FloorDiv,
    Indirect,
    Max,
    Min,
    affine,
    at_least,
    map_operands,
    operands_of,
    says,
)
from polyloop.backend.ir.loop_nest import numbered_name
from polyloop.backend.ir.traversal import bodies, bound_variables, mapped, walk, with_integers
from polyloop.backend.ir.vector_program import Statement, VectorProgram

_Atom: TypeAlias = "Min | Max | FloorDiv"
_NAMES = {Min: "least", Max: "most", FloorDiv: "blocks"}
_TWICE = 2


def named_integers(program: VectorProgram) -> VectorProgram:
    """The program with its repeated integers bound to names."""
    taken = {*program.parameters, *(a.name for a in program.arrays), *bound_variables(program.body)}
    naming = _Naming(taken)
    return replace(program, body=naming.block(program.body, frozenset(program.parameters)))


def simplified(body: tuple[Statement, ...], holds: tuple[Condition, ...] = ()) -> tuple[Statement, ...]:
    """The statements without loops that run once at most, as [n / 4, (n + 3) / 4) over what four do not divide, and
    with one conditional for neighbours under one condition.

    Args:
        holds: conditions around the statements.
    """
    result: list[Statement] = []
    for statement in body:
        match statement:
            case v.For(variable, lower, upper, step=1, unroll=1, carried=(), parallel=False, going=None) as loop if (
                _at_most_one(upper, lower)
            ):
                there = at_least(upper, lower + 1)
                here = partial(Affine.substitute, values={variable: lower})
                inside = simplified(mapped(loop.body, here), (*holds, there))
                result += inside if any(says(known, there.left) for known in holds) else [v.If(there, inside)]
                continue
            case v.For(body=inside) | v.When(_, inside):
                statement = replace(statement, body=simplified(inside, holds))
            case v.If(condition, then, orelse):
                match result[-1:]:
                    case [v.If(same, before, before_else)] if same == condition:
                        del result[-1]
                        then, orelse = (*before, *then), (*before_else, *orelse)
                parts = simplified(then, (*holds, condition)), simplified(orelse, holds)
                statement = v.If(condition, *parts)
        result.append(statement)
    return tuple(result)


def _at_most_one(upper: Affine, lower: Affine) -> bool:
    """Whether at most one integer is between two bounds, as far as their divisions say."""
    match (upper - lower).terms:
        case ((FloorDiv(first, divisor), one), (FloorDiv(second, other), another)) if divisor == other and {
            one,
            another,
        } == {1, -1}:
            apart = first - second if one == 1 else second - first
            return apart.is_constant and -(-apart.constant // divisor) + (upper - lower).constant <= 1
    return False


@dataclass
class _Naming:
    """Binds names, and remembers what it has counted and put in order: by identity, since most statements stay the same
    objects."""

    taken: set[str]
    counted: dict[int, tuple[Statement, Counter[_Atom]]] = field(default_factory=dict)
    ordered: dict[int, Statement] = field(default_factory=dict)

    def block(self, body: tuple[Statement, ...], known: frozenset[str]) -> tuple[Statement, ...]:
        """A list of statements; `known`: integers that have a value in front of it."""
        while (atom := self._repeated(body, known)) is not None:
            ends = (x.variable for x in walk(body) if isinstance(x, v.For) and x.upper == Affine(((atom, 1),)))
            end = next(ends, None)
            name = numbered_name(_NAMES[type(atom)] if end is None else f"{end}_end", self.taken)
            self.taken.add(name)
            body = (v.Bind(name, Affine(((atom, 1),))), *self._replaced(body, atom, name))
            known |= {name}
        inside = known
        result: list[Statement] = []
        for statement in body:
            if isinstance(statement, v.Bind | v.BindValue):
                inside |= {statement.variable}
            result.append(self._inside(statement, inside))
        return tuple(result)

    def _inside(self, statement: Statement, known: frozenset[str]) -> Statement:
        match statement:
            case v.For(variable=variable, body=body, unroll=1):
                return replace(statement, body=self.block(body, known | {variable}))
            case v.If(condition, then, orelse):
                return v.If(condition, self.block(then, known), self.block(orelse, known))
            case v.When(value, body):
                return v.When(value, self.block(body, known))
            case _:
                return statement

    def _repeated(self, body: tuple[Statement, ...], known: frozenset[str]) -> _Atom | None:
        """The largest expression that stands in the statements several times, and that can be computed in front of
        them."""
        count: Counter[_Atom] = Counter()
        for statement in body:
            count.update(self._count(statement))
        worth = [a for a, times in count.items() if times >= _TWICE and Affine(((a, 1),)).variables() <= known]
        return max(worth, key=lambda atom: (len(str(atom)), str(atom)), default=None)

    def _count(self, statement: Statement) -> Counter[_Atom]:
        """How often every expression stands in a statement."""
        found = self.counted.get(id(statement))
        if found is None:
            count = Counter(atom for value in _own(statement) for atom in _atoms(value))
            for body in bodies(statement):
                for inside in body:
                    count.update(self._count(inside))
            found = self.counted[id(statement)] = statement, count
        return found[1]

    def _replaced(self, body: Iterable[Statement], atom: _Atom, name: str) -> tuple[Statement, ...]:
        """The statements with a name for an expression, and with operands of extrema in their order."""
        visit = _replacing(atom, name)

        def one(statement: Statement) -> Statement:
            if id(statement) in self.ordered and atom not in self._count(statement):
                return statement
            new = with_integers(statement, visit, every)
            self.ordered[id(new)] = new
            return new

        def every(inside: Iterable[Statement]) -> tuple[Statement, ...]:
            return tuple(map(one, inside))

        return every(body)


def _atoms(value: Affine) -> Iterator[_Atom]:
    """Extrema and divisions in an expression, at any depth."""
    for atom, _ in value.terms:
        if isinstance(atom, FloorDiv | Min | Max):
            yield atom
            for operand in operands_of(atom):
                yield from _atoms(operand)


def _replacing(wanted: _Atom, name: str) -> Callable[[Affine], Affine]:
    def visit(value: Affine) -> Affine:
        if all(isinstance(atom, str | Choose | Indirect) for atom, _ in value.terms):
            return value
        return value.map_atoms(lambda atom: affine(name) if atom == wanted else map_operands(atom, visit))

    return visit


def _own(statement: Statement) -> list[Affine]:
    """The integer expressions of a statement itself."""
    found: list[Affine] = []

    def note(value: Affine) -> Affine:
        found.append(value)
        return value

    with_integers(statement, note, tuple)
    return found
