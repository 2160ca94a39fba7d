"""What all transforms of Scops have in common: storage and statements change, the values that flow stay.

Where a transform of a tree changes the order of execution, one of these changes what is executed: arrays get other
shapes, copies are made, statements are cut. Fewer dependences are left, so that more orders are legal on the new Scop.
Each proves itself when it is applied, by the unchanged flow of values; they come before the transforms of the tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from typing import Self, TypeVar

import islpy as isl

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, affine, maximum, minimum
from polyloop.backend.ir.loop_nest import ENDLESS
from polyloop.backend.ir.polynomials import ONE, evaluate, variables
from polyloop.backend.planning.lanes import most_spread
from polyloop.errors import PolyloopError
from polyloop.schedules.tree import strides
from polyloop.scop.affine_isl import affine_from_aff
from polyloop.scop.dependence import flow, memory_dependences
from polyloop.scop.model import Scop, Statement
from polyloop.support.isl_limits import OperationLimitError, limited
from polyloop.transforms.codec import CodedStep


@dataclass(frozen=True)
class ScopRefusal:
    """Why a Scop is not changed: ``cannot expand temp over i in symm: ...``.

    Attributes:
        scop: the Scop's name.
        reason: what is in the way, in words.
    """

    transform: ScopTransform
    scop: str
    reason: str

    def __str__(self) -> str:
        return f"cannot {self.transform.action} in {self.scop}: {self.reason}"


class IllegalScopTransformError(PolyloopError):
    """A change of a Scop that its check refuses; carries the refusal."""

    def __init__(self, refusal: ScopRefusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


@dataclass(frozen=True)
class ScopTransform(CodedStep, ABC):
    """One proven change of a Scop.

    Subclasses are frozen and hold names, integers, accesses and affine expressions, so that one value is the action,
    the line in a log, the key in a cache and the replay.
    """

    @classmethod
    @abstractmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Instances that may be worth it, lazily; whether they can be proven is not looked at."""

    @property
    @abstractmethod
    def action(self) -> str:
        """What it does in words, for messages."""

    @abstractmethod
    def changed(self, scop: Scop) -> Scop:
        """The new Scop, proven; raises what `refused` makes if there is none. `apply` bounds the time of the proof."""

    def check(self, scop: Scop) -> ScopRefusal | None:
        """None if the new Scop exists and provably has the same flow of values, else why not."""
        try:
            self.apply(scop)
        except IllegalScopTransformError as error:
            return error.refusal
        return None

    def apply(self, scop: Scop) -> Scop:
        """The new Scop, proven to have the same flow of values.

        Raises:
            IllegalScopTransformError: if there is none, or isl gives the proof up; says why.
        """
        if vast := self.vast():
            raise self.refused(scop, vast)
        try:
            with limited():
                return self.changed(scop)
        except OperationLimitError as error:
            raise self.refused(scop, str(error)) from error

    def refused(self, scop: Scop, reason: str) -> IllegalScopTransformError:
        """The error that says why this is not done to a Scop."""
        return IllegalScopTransformError(ScopRefusal(self, scop.name, reason))

    def statement_of(self, scop: Scop, name: str) -> Statement:
        """The statement of a name.

        Raises:
            IllegalScopTransformError: if there is none.
        """
        found = next((s for s in scop.statements if s.name == name), None)
        if found is None:
            raise self.refused(scop, f"there is no statement {name}")
        return found


Step = TypeVar("Step", bound=ScopTransform)
Pairs = TypeVar("Pairs", isl.Map, isl.Set)


def legal_steps(scop: Scop, steps: Iterable[Step]) -> tuple[Scop, tuple[Step, ...]]:
    """The Scop after those of the steps that are legal, one after the other; and these."""
    done: list[Step] = []
    for step in steps:
        try:
            scop = step.apply(scop)
        except IllegalScopTransformError:
            continue
        done.append(step)
    return scop, tuple(done)


def first_legal(scop: Scop, steps: Iterable[Step]) -> tuple[Scop, Step] | None:
    """The Scop after the first of the steps that is legal, and that step; None if none is."""
    for step in steps:
        with suppress(IllegalScopTransformError):
            return step.apply(scop), step
    return None


# --- What several of them need: places, new names, last writes, conflicts over storage -------------------------------


def place_of(statement: Statement, depth: int) -> tuple[int, ...]:
    """Where the loop of a depth around a statement stands: the textual positions before it."""
    return tuple(row.constant for row in statement.schedule[: 2 * depth : 2])


def order_of(statement: Statement) -> int:
    """Its textual position in the body of its innermost loop."""
    return statement.schedule[-1].constant


def together(scop: Scop, statement: Statement, depth: int) -> tuple[Statement, ...]:
    """The statements in the innermost of the first `depth` loops around a statement, in order."""
    place = place_of(statement, depth)
    found = [s for s in scop.statements if s.depth >= depth and place_of(s, depth) == place]
    return tuple(sorted(found, key=order_of))


def outer_positions(scop: Scop) -> tuple[int, int]:
    """Where a nest stands before all of a Scop's, and where behind them."""
    positions = [s.schedule[0].constant for s in scop.statements]
    return min(positions) - 1, max(positions) + 1


def nest_rows(position: int, iterators: Iterable[str]) -> tuple[Affine, ...]:
    """Schedule rows of what stands alone in loops over its iterators, a nest at a position among all."""
    return (affine(position), *(row for name in iterators for row in (affine(name), affine(0))))


def own_nest(
    name: str, iterators: tuple[str, ...], elements: isl.Set, target: e.Access, value: e.Expression, position: int
) -> Statement:
    """A statement in a nest of its own that visits elements in order, such as one that copies an array's."""
    domain = elements.set_tuple_name(name).coalesce()
    return Statement(name, iterators, domain, target, value, nest_rows(position, iterators))


def redirected(statement: Statement, place: Callable[[e.Access], e.Access]) -> Statement:
    """The statement with other accesses in its value, and in the subscripts of its target, which keeps its own."""
    one = e.redirecting(place)
    return replace(statement, target=e.rewrite_access(statement.target, one), value=e.rewrite(statement.value, one))


def with_room(other: Statement, depth: int, at: Statement, places: int) -> Statement:
    """A statement that makes room behind one, in the body of the innermost of `depth` loops around that: what stands
    behind it there moves on."""
    row = 2 * depth
    if len(other.schedule) <= row or place_of(other, depth) != place_of(at, depth):
        return other
    if other.schedule[row].constant <= at.schedule[row].constant:
        return other
    moved = other.schedule[row] + affine(places)
    return replace(other, schedule=(*other.schedule[:row], moved, *other.schedule[row + 1 :]))


def in_place_of(
    statements: Iterable[Statement], one: Statement, others: Sequence[Statement], places: int
) -> tuple[Statement, ...]:
    """The statements with others in the place of one; what stands behind that in its body moves on."""
    parts = (others if s is one else (with_room(s, one.depth, one, places),) for s in statements)
    return tuple(chain.from_iterable(parts))


def reads_own_iteration(scop: Scop, writer: Statement, reader: Statement) -> bool:
    """Whether all that a reader gets of what a writer stores to is what that stored in the same iteration."""
    sources, before = flow(scop, reader, writer.target)
    relation = sources.get(writer.name)
    if relation is None or sources.keys() != {writer.name} or not before.is_empty():
        return False
    itself = isl.Map.identity(writer.domain.get_space().map_from_set())
    return bool(relation.set_tuple_name(isl.dim_type.out, writer.name).is_subset(itself))


def beside(statement: Statement, name: str, target: e.Access, value: e.Expression, places: int) -> Statement:
    """Another statement of the same iterations, so many places behind it in the body."""
    return replace(
        statement,
        name=name,
        domain=statement.domain.set_tuple_name(name),
        target=target,
        value=value,
        reduction=None,
        schedule=(*statement.schedule[:-1], statement.schedule[-1] + places),
    )


def same_sources(one: Mapping[str, Pairs], other: Mapping[str, Pairs]) -> bool:
    """Whether values come from the same instances of the same statements (see `flow`)."""
    first, second = ({name: pairs for name, pairs in each.items() if not pairs.is_empty()} for each in (one, other))
    return set(first) == set(second) and all(first[name].is_equal(second[name]) for name in first)


def with_accesses(statement: Statement, target: e.Access, value: e.Expression) -> Statement:
    """The statement with other accesses: a reduction, and conditional, only where it still reads its target."""
    changed = replace(statement, target=target, value=value)
    still = changed.reduction and target in changed.reads
    conditional = changed.conditional and changed.may_keep
    return replace(changed, reduction=statement.reduction if still else None, conditional=conditional)


def storage_conflicts(scop: Scop, array: str) -> isl.UnionMap:
    """Pairs ordered by WAR or WAW on one array where no value may pass."""
    conflicts = values = isl.UnionMap.empty(scop.domain.get_space())
    statements = scop.users(array)
    for dependence in memory_dependences(replace(scop, statements=statements)):
        if dependence.arrays == (array,):
            conflicts = conflicts.union(isl.UnionMap.from_map(dependence.relation))
    for statement in statements:
        for access in (a for a in statement.reads if a.array == array):
            for writer in (s for s in statements if s.target.array == array):
                same = scop.access_map(writer, writer.target).apply_range(scop.access_map(statement, access).reverse())
                values = values.union(isl.UnionMap.from_map(same))
    return conflicts.subtract(values)


def last_writes(scop: Scop, array: str) -> Iterator[tuple[Statement, isl.Set]]:
    """For each statement that writes an array the instances whose value nothing overwrites."""
    writers = scop.writers(array)
    overwritten = memory_dependences(replace(scop, statements=writers))
    for writer in writers:
        last = scop.points(writer)
        for dependence in overwritten:
            target = scop.statement(dependence.target)
            if dependence.source == writer.name and dependence.arrays == (array,) and target.kills:
                same = scop.access_map(writer, writer.target).apply_range(
                    scop.access_map(target, target.target).reverse()
                )
                last = last - (dependence.relation & same).domain()
        yield writer, last


def reads_in_step(old: Statement, new: Statement) -> tuple[e.Access, ...]:
    """The new statement's access for each of the old one's distinct reads, found by position in the expression."""
    from_old, from_new = (
        [node.access for node in (*e.reads(s.value), *e.reads_of_subscripts(s.target))] for s in (old, new)
    )
    return tuple(dict(zip(from_old, from_new, strict=True)).values())


def writes_first(scop: Scop, array: str, depth: int) -> bool:
    """Whether every iteration of the outer `depth` loops, which all that uses the array have in common, plainly writes
    what it reads of it, by what stands before that in their body: then it reads no values but its own.

    Where that is not so plain the flow of values says it, which takes seconds for a hundred statements.
    """
    users = scop.users(array)
    if any(s.schedule[1 : 2 * depth : 2] != tuple(map(affine, s.iterators[:depth])) for s in users):
        return False
    if len({place_of(s, depth) for s in users}) > 1 or any(s.depth < depth for s in users):
        return False

    def elements(statement: Statement, access: e.Access) -> isl.Map:
        """What an access touches in each iteration."""
        relation = scop.access_map(statement, access)
        return relation.project_out(isl.dim_type.in_, depth, statement.depth - depth).reset_tuple_id(isl.dim_type.in_)

    written: isl.Map | None = None
    for place in sorted({s.schedule[2 * depth].constant for s in users}):
        here = [s for s in users if s.schedule[2 * depth].constant == place]
        for statement, access in ((s, a) for s in here for a in s.reads if a.array == array):
            if written is None or not elements(statement, access).is_subset(written):
                return False
        for statement in here:
            if statement.target.array == array and statement.kills:
                more = elements(statement, statement.target)
                written = more if written is None else written.union(more).coalesce()
    return True


def is_indirect(scop: Scop, array: str) -> bool:
    """Whether data say which elements of the array are touched: where else they could stand cannot be proven."""
    return any(a.array == array and a.data for s in scop.statements for a in s.accesses)


def names_of(scop: Scop) -> frozenset[str]:
    """Every name that a Scop uses."""
    iterators = (name for s in scop.statements for name in s.iterators)
    arrays, statements = (a.name for a in scop.arrays), (s.name for s in scop.statements)
    return frozenset((*scop.parameters, *arrays, *statements, *iterators))


def fresh_name(name: str, taken: frozenset[str]) -> str:
    """The name, with as many underscores behind it as make it new."""
    while name in taken:
        name += "_"
    return name


def takes_long(node: e.Expression) -> bool:
    """Whether it is a function or a quotient, which take as long as many other operations."""
    return isinstance(node, e.Call) or (isinstance(node, e.Binary) and node.operator in ("/", "%"))


def lies_apart(scop: Scop, statement: Statement, node: e.Expression) -> bool:
    """Whether it is an element that the innermost loop reads far from its last one, other than for a sum: vectors would
    be gathered from such ones."""
    if not isinstance(node, e.Read) or statement.target in statement.reads or not statement.iterators:
        return False
    moved = strides(node.access, statement.iterators[-1:], (1,))
    if moved is None or not any(moved):
        return False
    if any(moved[:-1]):
        return True
    steps = scop.array(node.access.array).strides
    between = steps[-1] if steps is not None else ONE
    return bool(variables([between])) or abs(moved[-1] * evaluate(between, {})) > most_spread(inf)


def bounding_box(elements: isl.Set) -> tuple[tuple[Affine, ...], tuple[Affine, ...]] | None:
    """Lower corner and extents of the box around all elements, affine in the parameters (with minima and maxima where
    they are piecewise); None where something has no bound, or there are none."""
    if elements.is_empty():
        return None
    low, shape = [], []
    dim = isl.dim_type.set
    for k in range(elements.dim(dim)):
        if not (elements.dim_has_lower_bound(dim, k) and elements.dim_has_upper_bound(dim, k)):
            return None
        low.append(minimum(*_pieces(elements.dim_min(k))))
        tops, most = _pieces(elements.dim_max(k)), elements.dim_max_val(k)
        if len(tops) > 1 and most.is_int():
            tops = (affine(most.to_python()),)  # which all sizes have room in
        shape.append(maximum(*(top - low[k] + 1 for top in tops)))
        if shape[k].is_constant and shape[k].constant >= ENDLESS:
            return None  # only data say how often the loop runs
    return tuple(low), tuple(shape)


def _pieces(bound: isl.PwAff) -> tuple[Affine, ...]:
    return tuple(affine_from_aff(piece, ()) for _, piece in bound.coalesce().get_pieces())
