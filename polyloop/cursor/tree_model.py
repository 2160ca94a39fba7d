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
from polyloop.schedules.tree import Leaf, Member, ScheduleTree
from polyloop.scop.model import Statement
from polyloop.scop.operations import fused_operations


def tree_seconds(problem: TreeProblem, tree: ScheduleTree, model: NestModel) -> float:
    """Seconds of one run on the model's machine."""
    total = sum(model.cycles(pattern, loops) for pattern, loops, _ in tree_chains(problem, tree))
    return model.in_seconds(max(total, 1.0))


def tree_chains(problem: TreeProblem, tree: ScheduleTree) -> Iterator[tuple[Pattern, Loops, int]]:
    """Every statement with the loops around it, in the order of the tree, and how many of them, from the outermost on,
    are also around the statement before."""
    patterns = _patterns(problem)
    for name, loops, shared in _paths(problem, tree):
        pattern, statement = patterns[name], problem.scop.statement(name)
        own = statement.target.array
        carried = any(a.array == own and a != statement.target for a in statement.reads)
        yield pattern, loops if _has_kinds(loops) or carried else vectorised(pattern, loops), shared


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
    for path, node in tree.walk():
        if isinstance(node, Leaf):
            around = tree.members_above(path)
            same = sum(takewhile(bool, (a is b for a, b in zip(before, around, strict=False))))
            for name in tree.statements_at(path):
                yield name, _loops(problem, name, around), len(_loops(problem, name, around[:same]))
                same = len(around)
            before = around


def _loops(problem: TreeProblem, name: str, around: tuple[Member, ...]) -> Loops:
    result = []
    mine = tuple(member.restricted(frozenset((name,))) for member in around)
    iterators = problem.scop.statement(name).iterators
    for k, member in enumerate(mine):
        row = member.row(name)
        along = next((str(atom) for atom, _ in row.terms if atom in iterators), None)
        if along is not None:
            size, tail = problem.extent(member, mine[:k])
            result.append(Loop(along, max(size, 1), tail, KINDS.index(member.kind)))
    return tuple(result)


def _has_kinds(loops: Loops) -> bool:
    return any(loop.kind != SEQUENTIAL for loop in loops)


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
