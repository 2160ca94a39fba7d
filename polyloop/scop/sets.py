"""isl sets over loop counters, made from affine conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl

from polyloop.backend.ir.affine import (
    Affine,
    And,
    Atom,
    Choose,
    Compare,
    Condition,
    FloorDiv,
    Max,
    Min,
    Not,
    Or,
    condition_variables,
    maximum,
    minimum,
)
from polyloop.scop.affine_isl import condition_to_text

# Words that isl's text syntax keeps for itself.
_WORDS = "and or not implies exists mod floor floord ceil ceild min max rat true false infty infinity NaN int"
RESERVED = frozenset(_WORDS.split())


def condition_set(iterators: Sequence[str], condition: Condition) -> isl.Set:
    """``{ [iterators] : condition }``; every other variable of the condition is a parameter."""
    condition = without_choices(condition)
    parameters = sorted(condition_variables(condition) - set(iterators))
    return isl.Set(f"[{', '.join(parameters)}] -> {{ [{', '.join(iterators)}] : {condition_to_text(condition)} }}")


def without_choices(condition: Condition) -> Condition:
    """The same condition with every ``c ? a : b`` inside it split into its cases: isl has none in constraints."""
    match condition:
        case Compare(left, operator):
            choice = next(_choices(left), None)
            if choice is None:
                return condition
            then = Compare(_resolved(left, choice, choice.then), operator)
            otherwise = Compare(_resolved(left, choice, choice.otherwise), operator)
            cases = And((choice.condition, then)), And((Not(choice.condition), otherwise))
            return Or(tuple(without_choices(case) for case in cases))
        case And(operands):
            return And(tuple(without_choices(o) for o in operands))
        case Or(operands):
            return Or(tuple(without_choices(o) for o in operands))
        case Not(operand):
            return Not(without_choices(operand))


def _choices(value: Affine) -> Iterator[Choose]:
    """The choices in an expression, those inside divisions and extrema included."""
    for atom, _ in value.terms:
        match atom:
            case Choose():
                yield atom
            case FloorDiv(dividend, _):
                yield from _choices(dividend)
            case Min(operands) | Max(operands):
                for operand in operands:
                    yield from _choices(operand)


def _resolved(value: Affine, choice: Choose, branch: Affine) -> Affine:
    """The expression with one of the choice's branches in its place."""

    def atom_value(atom: Atom) -> Affine:
        match atom:
            case Choose() if atom == choice:
                return branch
            case FloorDiv(dividend, divisor):
                return dividend.map_atoms(atom_value) // divisor
            case Min(operands):
                return minimum(*(o.map_atoms(atom_value) for o in operands))
            case Max(operands):
                return maximum(*(o.map_atoms(atom_value) for o in operands))
        return Affine(((atom, 1),))

    return value.map_atoms(atom_value)


def universe(iterators: Sequence[str]) -> isl.Set:
    """All integer points of a space with these iterators."""
    return isl.Set(f"{{ [{', '.join(iterators)}] }}")
