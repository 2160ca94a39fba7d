"""Conditions on data that are the same in all iterations of a loop: asked once, in front of it.

    for j in [0, m): if c[i]: y[i][j] += x[j]        ->        if c[i]: for j in [0, m): y[i][j] += x[j]

Lanes, sums in lanes and what is left of a loop behind its last vector all stand behind one branch so, and no lane is
masked. C asks for it in an iteration only: without any, nothing is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import TRUE, And, Condition, Or, at_least
from polyloop.backend.ir.loop_nest import Block, Compute, Loop, Node, map_computes, walk
from polyloop.backend.planning.lanes import parted


@dataclass(frozen=True)
class Unswitched:
    """A loop and what keeps it from doing anything.

    Attributes:
        condition: what has to hold, as `compute` asks for it.
        runs: whether C asks for it at all.
        loop: does what there is to do where it holds.
    """

    condition: e.Expression
    compute: Compute
    runs: Condition
    loop: Loop


def unswitched(loop: Loop) -> Unswitched | None:
    """The loop without what all the conditions in it have in common; None without such."""
    variables: list[str] = []
    found: list[Compute] = []
    for node in walk(loop):
        match node:
            case Loop(variable, lower, upper):
                if not {*variables}.isdisjoint(lower.variables() | upper.variables()):
                    return None  # how often it runs differs from iteration to iteration
                variables.append(variable)
            case Compute() if _choice(node) is not None:
                found.append(node)
            case Block():
                pass
            case _:
                return None
    conditions = {_parted(choice, variables)[0] for compute in found if (choice := _choice(compute)) is not None}
    if len(conditions) != 1:
        return None
    (condition,) = conditions
    written = {compute.target.array for compute in found}
    if condition is None or any(read.access.array in written for read in e.reads(condition)):
        return None
    body = map_computes(loop.body, lambda compute: _without(compute, variables))
    return Unswitched(condition, found[0], _runs(loop), replace(loop, body=body))


def _runs(node: Node) -> Condition:
    """Whether anything in it is come to: one loop beside another, or beside a statement, may have no iteration."""
    match node:
        case Loop(_, lower, upper, body=body):
            own, inside = at_least(upper, lower + 1), _runs(body)
            return own if inside == TRUE else And((own, inside))
        case Block(children):
            each = tuple(map(_runs, children))
            return TRUE if TRUE in each else Or(each)
    return TRUE


def _choice(compute: Compute) -> e.Select | None:
    """The value of what leaves its target as it is where its condition does not hold."""
    match compute.value:
        case e.Select(otherwise=e.Read(access)) if access == compute.target:
            return compute.value
    return compute.choice


def _parted(choice: e.Select, variables: Iterable[str]) -> tuple[e.Expression | None, e.Expression | None]:
    """What C evaluates first of a condition and is the same in all iterations, and what has to hold besides."""
    same: e.Expression | None = choice.condition
    rest: e.Expression | None = None
    for variable in variables:
        if same is not None:
            same, more = parted(same, variable)
            if more is not None:
                rest = more if rest is None else e.Logical("&&", more, rest)
    return same, rest


def _without(compute: Compute, variables: list[str]) -> Compute:
    choice = _choice(compute)
    if choice is None:
        return compute
    _, rest = _parted(choice, variables)
    value = choice.then if rest is None else replace(choice, condition=rest)
    return replace(compute, value=value, conditional=compute.conditional and rest is not None)
