"""What a schedule tree costs: the model of nests, one statement after the other.

Domains count as the boxes around them, and what statements share (reuse between them) is not seen. Where no loop has a
kind the innermost one is taken for a vector if the statement moves along it by neighbouring elements and reads no
other element of what it writes, as a compiler's vectoriser would.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import takewhile

from polyloop.backend.ir.affine import Affine
from polyloop.cursor.contraction import Footprint, Pattern
from polyloop.cursor.model import NestModel
from polyloop.cursor.nest import KINDS, SEQUENTIAL, VECTOR, Loop, Loops
from polyloop.cursor.tree_problem import TreeProblem
from polyloop.schedules.tree import Band, Leaf, Member, Node, ScheduleTree, Sequence
from polyloop.scop.model import Statement
from polyloop.scop.operations import fused_operations


def tree_seconds(problem: TreeProblem, tree: ScheduleTree, model: NestModel) -> float:
    """Seconds of one run on the model's machine."""
    total = sum(model.cycles(pattern, loops) for _, pattern, loops, _ in tree_chains(problem, tree))
    return model.in_seconds(max(total, 1.0))


def tree_chains(problem: TreeProblem, tree: ScheduleTree) -> Iterator[tuple[str, Pattern, Loops, int]]:
    """Every statement, by name and accesses, with the loops around it, in the order of the tree, and how many of them,
    from the outermost on, are also around the statement before."""
    patterns = _patterns(problem)
    for name, loops, shared in _paths(problem, tree):
        pattern, statement = patterns[name], problem.scop.statement(name)
        own = statement.target.array
        carried = any(a.array == own and a != statement.target for a in statement.reads)
        yield (
            name,
            pattern,
            loops if any(loop.kind != SEQUENTIAL for loop in loops) or carried else vectorised(pattern, loops),
            shared,
        )


def tree_peak(problem: TreeProblem, model: NestModel) -> float:
    """10^9 operations a second that the model's machine reaches at best on the largest type."""
    size = max(pattern.result.bytes for pattern in _patterns(problem).values())
    return model.machine.peak_gflops(8 * size)


@lru_cache(maxsize=256)
def _patterns(problem: TreeProblem) -> Mapping[str, Pattern]:
    return {s.name: _pattern(problem, s) for s in problem.scop.statements}


def _pattern(problem: TreeProblem, statement: Statement) -> Pattern:
    extents = []
    for name in statement.iterators:
        low, high = problem.range_of(statement.name, Affine(((name, 1),)))
        extents.append((name, high - low + 1))
    reads, result = problem.footprints[statement.name]
    size = problem.scop.array(statement.target.array).type.bytes
    nothing = Footprint(statement.target.array, (), size)
    instructions = max(1, fused_operations(statement.value))
    return Pattern(tuple(extents), problem.reduced(statement), reads, result or nothing, instructions)


def _paths(problem: TreeProblem, tree: ScheduleTree) -> Iterator[tuple[str, Loops, int]]:
    before: tuple[Member, ...] = ()
    for names, around in _leaves(tree.root, tree.statements, ()):
        same = sum(takewhile(bool, (a is b for a, b in zip(before, around, strict=False))))
        for name in names:
            loops, counted = _loops(problem, name, around)
            yield name, loops, sum(counted[:same])
            same = len(around)
        before = around


def _leaves(
    node: Node, names: tuple[str, ...], around: tuple[Member, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[Member, ...]]]:
    """The statements of each leaf, and the loops around them."""
    match node:
        case Band(members, _, child):
            yield from _leaves(child, names, (*around, *members))
        case Sequence(branches):
            for branch in branches:
                yield from _leaves(branch.node, branch.statements, around)
        case Leaf():
            yield names, around


def _loops(problem: TreeProblem, name: str, around: tuple[Member, ...]) -> tuple[Loops, list[bool]]:
    """The loops of a statement, and which of those around it they are: the others stand still."""
    result, counted = list[Loop](), list[bool]()
    iterators, inside = problem.scop.statement(name).iterators, dict[Affine, int]()
    for member in around:
        row, divisor = member.row(name), member.divisor
        along = next((str(atom) for atom, _ in row.terms if atom in iterators), None)
        counted.append(along is not None)
        if along is not None:
            # As `TreeProblem.extent` has it, for this statement alone.
            if row in inside:
                size, tail = -(-inside[row] // divisor), 0
            else:
                low, high = problem.range_of(name, row)
                size, tail = divmod(high - low + 1, divisor)
            result.append(Loop(along, max(size, 1), tail, KINDS.index(member.kind)))
        inside[row] = divisor
    return tuple(result), counted


def vectorised(pattern: Pattern, loops: Loops) -> Loops:
    """With the innermost loop a vector, as a compiler makes it one; for statements that read no other element of what
    they write."""
    if not loops:
        return loops
    inner = loops[-1].variable
    if inner in pattern.reduced or pattern.result.by_variable.get(inner, 0) != 1:
        return loops
    if any(abs(read.by_variable.get(inner, 0)) > 1 for read in pattern.reads):
        return loops
    return (*loops[:-1], loops[-1]._replace(kind=VECTOR))
