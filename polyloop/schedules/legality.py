"""The proof that a schedule tree keeps every dependence, by exact isl tests.

A dependence is kept if every pair of instances is in strict lexicographic order under the tree's flat schedule, and if
no loop that runs its iterations at once (VECTOR, PARALLEL) carries it: with equal outer dimensions the pair must agree
in that loop. Dimensions are tested one after the other, each on what the earlier ones leave unordered.

Iterations of a parallel loop may share a local array all the same where each of them writes what it reads of it, and
nothing outside of the loop does: every thread gets its own (`own_arrays`; Tu and Padua, "Automatic Array
Privatization", LCPC 1993).

The test is first tried without the divisions of tile loops: where a row never decreases, its floor does not either, so
that success proves the tiled tree, too. Only where that fails the divisions are written out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

import islpy as isl

from polyloop.backend.config import verifies
from polyloop.backend.ir.affine import Affine, FloorDiv, affine
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.errors import counted
from polyloop.schedules.tree import Band, Leaf, Node, Packing, Path, ScheduleTree, Sequence
from polyloop.scop.affine_isl import NotAffineError
from polyloop.scop.dependence import Dependence, memory_dependences, value_dependences
from polyloop.scop.model import Scop
from polyloop.support.isl_limits import OperationLimitError, limited

MemberPlace: TypeAlias = "tuple[Path, int]"
"""A band's path and the member's index in it."""


@dataclass(frozen=True)
class Violation:
    """Why a tree is not legal.

    Attributes:
        reason: "would be reversed", "would have no order", "is carried by a vector loop",
            "is carried by a parallel loop", "could not be decided within the operation limit".
        place: the member at which it shows; None for a sequence or the end of the schedule.
        parameters: values under which the example pair exists; source and target: that pair's iterators.
    """

    dependence: Dependence
    reason: str
    place: MemberPlace | None = None
    parameters: tuple[tuple[str, int], ...] = ()
    source: tuple[int, ...] = ()
    target: tuple[int, ...] = ()

    @property
    def pair(self) -> str:
        """The pair of instances: in general where the distance is constant, else the example, else the relation."""
        if self.dependence.distance() is not None:
            return self.dependence.pair_text()
        if not self.source and not self.target and self.reason == _UNDECIDED:
            return self.dependence.text
        values = ", ".join(f"{name} = {value}" for name, value in self.parameters)
        first, second = _instance(self.dependence.source, self.source), _instance(self.dependence.target, self.target)
        return f"{first} -> {second}" + (f" (for {values})" if values else "")

    def __str__(self) -> str:
        return f"dependence {self.pair} {self.reason} ({self.dependence.cause})"


@dataclass(frozen=True)
class Proof:
    """What was shown for a legal tree.

    Attributes:
        dependences: memory-based dependences shown to be kept.
        statement_pairs: pairs of statements between which they run.
        simultaneous_loops: vector and parallel loops shown to carry none of them.
        reassociated: reduction dependences whose order was left free, because reassociation is allowed.
        exact: those of reductions that give the same bits in any order, which is free, then: of integers, and extrema
            of numbers among which is no -0.0.
        own: arrays of which every thread of a parallel loop has its own.
    """

    dependences: int
    statement_pairs: int
    simultaneous_loops: int
    reassociated: int = 0
    exact: int = 0
    own: tuple[str, ...] = ()

    def __str__(self) -> str:
        pairs = counted(self.statement_pairs, "statement pair")
        kept = f"{counted(self.dependences, 'dependence')} between {pairs} kept"
        free = "".join(f", {words}" for words in self.freedom)
        loops = counted(self.simultaneous_loops, "vector or parallel loop")
        besides = f" but on {', '.join(self.own)}, of which each thread has its own" if self.own else ""
        return kept + free + (f", {loops} shown to carry none{besides}" if self.simultaneous_loops else "")

    @property
    def freedom(self) -> tuple[str, ...]:
        """What was left free and why, in words."""
        rounding = f"{counted(self.reassociated, 'reduction dependence')} left free" if self.reassociated else ""
        others = f"{self.exact} of reductions left free that are exact in any order" if self.exact else ""
        return tuple(filter(None, (rounding, others)))


@dataclass(frozen=True)
class Row:
    """One dimension of the flat schedule as a pair of statements sees it: floor(row / divisor) on either side.

    `at_once`: the dimension's iterations run simultaneously.
    """

    source: Affine
    target: Affine
    divisor: int = 1
    at_once: bool = False

    def exact(self) -> Row:
        """The same dimension with the division written into the rows."""
        if self.divisor == 1:
            return self
        return Row(self.source // self.divisor, self.target // self.divisor, 1, self.at_once)


@dataclass(frozen=True)
class Failure:
    """Dimension (index into the rows; their number for the end), reason and wrapped sample of an order that fails."""

    dimension: int
    reason: str
    sample: tuple[int, ...] = ()


_REVERSED, _UNORDERED = "would be reversed", "would have no order"
_CARRIED = {LoopKind.VECTOR: "is carried by a vector loop", LoopKind.PARALLEL: "is carried by a parallel loop"}
_AT_ONCE, _UNDECIDED = "is carried by a loop that runs at once", "could not be decided within the operation limit"


def prove(
    scop: Scop, tree: ScheduleTree, dependences: Iterable[Dependence], reassociate: bool = False
) -> Proof | Violation:
    """The first dependence that the tree does not keep; a count of what was shown if it is legal.

    Args:
        dependences: memory-based ones, for a proof.
        reassociate: reductions may be reordered and vectorised; a parallel loop must not carry them even so.
    Raises:
        ValueError: if the tree does not order exactly the Scop's statements.
    """
    if tree.statements != tuple(s.name for s in scop.statements):
        raise ValueError(f"the tree orders {', '.join(tree.statements)}, not all the statements of {scop.name}")
    given = tuple(dependences)
    if verifies():
        from polyloop.schedules.verify import verified  # loaded where it is asked for

        verified(tree, f"what is proven for {scop.name}", scop)
    violation = first_violation(tree, given, reassociate, scop)
    if violation is not None:
        return violation
    at_once = sum(m.kind in _CARRIED for _, band in tree.bands() for m in band.members)
    exact = sum(d.exact for d in given)
    free = sum(d.is_free(reassociate) for d in given) - exact
    kept = len(given) - free - exact
    own = tuple(sorted(frozenset().union(*own_arrays(scop, tree).values())))
    return Proof(kept, len({(d.source, d.target) for d in given}), at_once, free, exact, own)


@lru_cache(maxsize=1 << 10)
def own_arrays(
    scop: Scop, tree: ScheduleTree, kind: LoopKind = LoopKind.PARALLEL, rank: int = 0
) -> Mapping[MemberPlace, frozenset[str]]:
    """For each parallel loop the local arrays of which its threads need their own: all statements that use one are in
    the loop, and no value in it goes from one iteration to another, of this loop or of one around it.

    Args:
        kind: that of the loops.
        rank: only arrays of at least so many dimensions.
    """
    places = [(p, k) for p, band in tree.bands() for k, m in enumerate(band.members) if m.kind is kind]
    arrays = [a.name for a in scop.arrays if a.local and a.name in scop.written and len(a.shape) >= rank]
    if not places or not arrays:
        return {}
    users: dict[str, set[str]] = {name: set() for name in arrays}
    for statement in scop.statements:
        for access in statement.accesses:
            users.get(access.array, set()).add(statement.name)
    result: dict[MemberPlace, frozenset[str]] = {}
    for path, index in places:
        inside = frozenset(tree.statements_at(path))
        found = (name for name, statements in users.items() if statements <= inside)
        result[path, index] = frozenset(name for name in found if _stays(scop, tree, (path, index), name))
    return result


def _stays(scop: Scop, tree: ScheduleTree, place: MemberPlace, array: str) -> bool:
    """Whether every value in an array is read in the iteration that writes it, of a loop and of those around it."""
    for dependence in _values_in(scop, array):
        rows, places, _ = _rows(tree, dependence)
        outer = tuple(row.exact() for row in rows[: places.index(place) + 1])
        if not all(_all_zero(dependence, outer[:k], row) for k, row in enumerate(outer)):
            return False
    return True


@lru_cache(maxsize=1 << 10)
def _values_in(scop: Scop, array: str) -> tuple[Dependence, ...]:
    return value_dependences(scop, arrays=(array,), kinds=("RAW",))


def first_violation(
    tree: ScheduleTree, dependences: Iterable[Dependence], reassociate: bool = False, scop: Scop | None = None
) -> Violation | None:
    """The first dependence that a tree does not keep; without the Scop, for callers that made it from a legal one.

    Without it, copies (`polyloop.transforms.Pack`) of arrays that are written below them are refused, too, where the
    statement that reads the copied elements depends on such a write by other elements.
    """
    own = own_arrays(scop, tree) if scop is not None else {}
    for dependence in dependences:
        free = dependence.is_free(reassociate)
        rows, places, kinds = _rows(tree, dependence, (LoopKind.PARALLEL,) if free else tuple(_CARRIED), own)
        failure = _decide(dependence, rows, not free)
        if failure is not None:
            inside = failure.dimension < len(rows)
            place = places[failure.dimension] if inside else None
            reason = _CARRIED[kinds[failure.dimension]] if failure.reason == _AT_ONCE else failure.reason
            return Violation(dependence, reason, place, *_unwrap(dependence, failure.sample))
        stale = _stale_copy(tree, dependence, scop)
        if stale is not None:
            return stale
    return None


def _stale_copy(tree: ScheduleTree, dependence: Dependence, scop: Scop | None) -> Violation | None:
    """A copy of what is written between the copy and the read: both agree in all loops outside of the copy."""
    if not tree.has_copies or "RAW" not in dependence.kinds:
        return None
    for path, band in tree.bands():
        if not {dependence.source, dependence.target} <= set(band.statements):
            continue
        for index, member in enumerate(band.members):
            copied = [p for p in member.packings if p.statement == dependence.target and p.array in dependence.arrays]
            if not copied:
                continue
            rows, places, _ = _rows(tree, dependence)
            outer = tuple(row.exact() for row in rows[: places.index((path, index))])
            for packing in copied:
                through = dependence if scop is None else _through_read(scop, dependence, packing)
                if not _test(through, outer, Row(affine(0), affine(1)), "nonzero"):
                    reason = f"would read an old value from the copy of {packing.array}"
                    return Violation(dependence, reason, (path, index))
    return None


def _through_read(scop: Scop, dependence: Dependence, packing: Packing) -> Dependence:
    """The pairs of the dependence in which the packed read gets what the source writes."""
    source, target = scop.statement(dependence.source), scop.statement(dependence.target)
    write = scop.access_map(source, source.target)
    pairs = isl.Map.empty(dependence.relation.get_space())
    for read in target.reads:
        if str(read) == packing.read:
            pairs = pairs | (dependence.relation & write.apply_range(scop.access_map(target, read).reverse()))
    return replace(dependence, relation=pairs, text=str(pairs))


def coincident(
    tree: ScheduleTree, path: Path, member: int, dependences: Iterable[Dependence], reassociate: bool = False
) -> bool:
    """Would the member carry no dependence at its place, so that its iterations may run in any order and at once?

    A member whose test exceeds the operation limit counts as carrying one.
    """
    return all(
        _all_zero(dependence, outer, inner[member])
        for dependence, outer, inner in _at_band(tree, path, dependences, reassociate, member)
    )


def permutable(tree: ScheduleTree, path: Path, dependences: Iterable[Dependence], reassociate: bool = False) -> bool:
    """Does no dependence that the band still has to order run backwards in any of its members?"""
    return all(
        _never_negative(dependence, outer, row)
        for dependence, outer, inner in _at_band(tree, path, dependences, reassociate, 0)
        for row in inner
    )


def annotated(tree: ScheduleTree, dependences: Iterable[Dependence], reassociate: bool = False) -> ScheduleTree:
    """The tree with `coincident` and `permutable` of every band as they are."""
    given = tuple(dependences)
    for path, band in tree.bands():
        at_once, free = _freedom(tree, path, len(band.members), given, reassociate)
        current = tree.at(path)
        assert isinstance(current, Band)
        members = tuple(replace(m, coincident=c) for m, c in zip(band.members, at_once, strict=True))
        tree = tree.replaced(path, replace(current, members=members, permutable=free))
    return tree


def _freedom(
    tree: ScheduleTree, path: Path, members: int, dependences: Iterable[Dependence], reassociate: bool
) -> tuple[list[bool], bool]:
    """`coincident` of each of a band's members and `permutable` of the band, from one pass over the dependences."""
    at_once, free = [True] * members, True
    for dependence, outer, inner in _at_band(tree, path, dependences, reassociate, 0):
        for index, row in enumerate(inner):
            at_once[index] = at_once[index] and _all_zero(dependence, (*outer, *inner[:index]), row)
            free = free and _never_negative(dependence, outer, row)
    return at_once, free


def _at_band(
    tree: ScheduleTree, path: Path, dependences: Iterable[Dependence], reassociate: bool, member: int
) -> Iterator[tuple[Dependence, tuple[Row, ...], tuple[Row, ...]]]:
    """Each dependence between the band's statements with the exact rows outside (the band's first `member` members
    counted in) and those of the band."""
    band = tree.at(path)
    if not isinstance(band, Band):
        raise LookupError(f"the node at {path} is no band")
    inside = frozenset(band.statements)
    for dependence in dependences:
        if {dependence.source, dependence.target} <= inside and not dependence.is_free(reassociate):
            rows, places, _ = _rows(tree, dependence)
            first = places.index((path, 0))
            exact = tuple(row.exact() for row in rows[: first + len(band.members)])
            yield dependence, exact[: first + member], exact[first:]


def _rows(
    tree: ScheduleTree,
    dependence: Dependence,
    at_once: tuple[LoopKind, ...] = (),
    own: Mapping[MemberPlace, frozenset[str]] | None = None,
) -> tuple[tuple[Row, ...], tuple[MemberPlace | None, ...], tuple[LoopKind, ...]]:
    """The flat schedule's dimensions for one pair of statements, where each stands, and its loop kind.

    Args:
        at_once: kinds of loops that must not carry it, but where the threads have their `own` of its arrays.
    """
    arrays = frozenset(dependence.arrays)
    rows: list[Row] = []
    places: list[MemberPlace | None] = []
    kinds: list[LoopKind] = []
    node: Node = tree.root
    path: Path = ()
    while not isinstance(node, Leaf):
        if isinstance(node, Band):
            for index, member in enumerate(node.members):
                ends = member.row(dependence.source), member.row(dependence.target)
                shared = own is None or not arrays <= own.get((path, index), frozenset())
                rows.append(Row(*ends, member.divisor, member.kind in at_once and shared))
                places.append((path, index))
                kinds.append(member.kind)
            node, path = node.child, (*path, 0)
        else:
            source, target = (_branch(node, name) for name in (dependence.source, dependence.target))
            if source != target:
                rows.append(Row(affine(source), affine(target)))
                places.append(None)
                kinds.append(LoopKind.SEQUENTIAL)
                break
            node, path = node.branches[source].node, (*path, source)
    return tuple(rows), tuple(places), tuple(kinds)


def _branch(sequence: Sequence, statement: str) -> int:
    return next(k for k, branch in enumerate(sequence.branches) if statement in branch.statements)


@lru_cache(maxsize=1 << 15)
def _decide(dependence: Dependence, rows: tuple[Row, ...], ordered: bool) -> Failure | None:
    """Whether the rows keep the dependence. `ordered` off: only loops that run at once are tested."""
    try:
        with limited():
            failure = _walk_rows(dependence, rows, ordered)
            if failure is not None and any(row.divisor > 1 for row in rows):
                failure = _walk_rows(dependence, tuple(row.exact() for row in rows), ordered)
    except OperationLimitError:
        return Failure(len(rows), _UNDECIDED)
    return failure


def _walk_rows(dependence: Dependence, rows: tuple[Row, ...], ordered: bool) -> Failure | None:
    """Exact where all divisors are 1; else divided rows leave what they order to the later rows, which is sufficient
    for legality but not necessary."""
    equal: tuple[Row, ...] = ()
    left = _agreeing(dependence, equal)
    for index, row in enumerate(rows):
        difference = _difference(dependence, row.source, row.target)
        forward, backward = left & difference.gt_set(_zero(difference)), left & difference.lt_set(_zero(difference))
        if ordered and not backward.is_empty():
            return Failure(index, _REVERSED, _sample(backward))
        if row.at_once and not (forward.is_empty() and backward.is_empty()):
            return Failure(index, _AT_ONCE, _sample(forward if not forward.is_empty() else backward))
        if row.divisor == 1:
            equal = (*equal, Row(row.source, row.target))
            left = _agreeing(dependence, equal)
            if left.is_empty():
                return None
    return Failure(len(rows), _UNORDERED, _sample(left)) if ordered else None


def _all_zero(dependence: Dependence, outer: tuple[Row, ...], row: Row) -> bool:
    return _test(dependence, outer, row, "nonzero")


def _never_negative(dependence: Dependence, outer: tuple[Row, ...], row: Row) -> bool:
    return _test(dependence, outer, row, "negative")


@lru_cache(maxsize=1 << 15)
def _test(dependence: Dependence, outer: tuple[Row, ...], row: Row, excluded: str) -> bool:
    """Whether no pair that agrees in all outer rows has a nonzero / negative difference in this row."""
    try:
        with limited():
            left = _agreeing(dependence, outer)
            if left.is_empty():
                return True
            difference = _difference(dependence, row.source, row.target)
            zero = _zero(difference)
            bad = difference.ne_set(zero) if excluded == "nonzero" else difference.lt_set(zero)
            return bool((left & bad).is_empty())
    except OperationLimitError:
        return False


# Tests of one tree ask for the same sets again and again, and islpy loses some bytes with every call.
@lru_cache(maxsize=1 << 12)
def _agreeing(dependence: Dependence, rows: tuple[Row, ...]) -> isl.Set:
    """The wrapped pairs that have equal values in all rows (divisors left out)."""
    if not rows:
        return dependence.relation.wrap()
    before = _agreeing(dependence, rows[:-1])
    if before.is_empty():
        return before
    return before & _difference(dependence, rows[-1].source, rows[-1].target).zero_basic_set().to_set()


@lru_cache(maxsize=1 << 12)
def _difference(dependence: Dependence, source: Affine, target: Affine) -> isl.Aff:
    """target's row - source's row, over the wrapped pairs (divisor left out)."""
    space = isl.LocalSpace.from_space(dependence.relation.wrap().get_space())
    sources = {name: k for k, name in enumerate(dependence.source_iterators)}
    targets = {name: k + len(sources) for k, name in enumerate(dependence.target_iterators)}
    return _aff(target, targets, space).sub(_aff(source, sources, space))


def _aff(row: Affine, positions: dict[str, int], space: isl.LocalSpace) -> isl.Aff:
    context = space.get_ctx()
    result = isl.Aff.val_on_domain(space, _number(context, row.constant))
    for atom, coefficient in row.terms:
        match atom:
            case str() if atom in positions:
                term = isl.Aff.var_on_domain(space, isl.dim_type.set, positions[atom])
            case str():
                index = space.find_dim_by_name(isl.dim_type.param, atom)
                term = isl.Aff.var_on_domain(space, isl.dim_type.param, index)
            case FloorDiv(dividend, divisor):
                inner = _aff(dividend, positions, space)
                term = inner.scale_down_val(_number(context, divisor)).floor()
            case _:
                raise NotAffineError(f"a schedule row cannot hold {atom}")
        result = result.add(term.scale_val(_number(context, coefficient)))
    return result


def _number(context: isl.Context, value: int) -> isl.Val:
    """Of any size: rows of schedules may be combinations of large rays."""
    return isl.Val.read_from_str(context, str(value))


def _zero(like: isl.Aff) -> isl.Aff:
    return isl.Aff.zero_on_domain(isl.LocalSpace.from_space(like.get_domain_space()))


def _sample(pairs: isl.Set) -> tuple[int, ...]:
    """Parameters, source and target of one pair."""
    point = pairs.sample_point()
    kinds = (isl.dim_type.param, isl.dim_type.set)
    return tuple(point.get_coordinate_val(kind, k).to_python() for kind in kinds for k in range(pairs.dim(kind)))


def _unwrap(
    dependence: Dependence, sample: tuple[int, ...]
) -> tuple[tuple[tuple[str, int], ...], tuple[int, ...], tuple[int, ...]]:
    if not sample:
        return (), (), ()
    relation = dependence.relation
    names = [str(relation.get_dim_name(isl.dim_type.param, k)) for k in range(relation.dim(isl.dim_type.param))]
    middle = len(names) + len(dependence.source_iterators)
    return tuple(zip(names, sample, strict=False)), sample[len(names) : middle], sample[middle:]


def _instance(statement: str, values: tuple[int, ...]) -> str:
    return f"{statement}[{','.join(map(str, values))}]" if values else statement


# --- Proofs -----------------------------------------------------------------------------------------------------------
# Dependences and proofs of Scops, each computed once: shapes, searches and evaluators ask before anything runs.


MANY_READS = 96
"""Of all statements: from then on finding last accesses takes isl longer than scheduling with all of them. 162 of three
sweeps over 27 points took 16 s, and 2 s with what was left; all of them 0.4 s, and 3.5 s (loaded)."""


class Proofs:
    """What is known of Scops and their schedules, remembered.

    Args:
        reassociate: reductions may be reordered.
    """

    def __init__(self, reassociate: bool = False) -> None:
        self.reassociate = reassociate
        self._dependences: dict[Scop, tuple[Dependence, ...]] = {}
        self._flow: dict[Scop, tuple[Dependence, ...]] = {}
        self._proofs: dict[tuple[Scop, ScheduleTree], Proof | Violation] = {}

    def dependences(self, scop: Scop) -> tuple[Dependence, ...]:
        """Memory-based dependences."""
        if scop not in self._dependences:
            self._dependences[scop] = memory_dependences(scop)
        return self._dependences[scop]

    def flow(self, scop: Scop) -> tuple[Dependence, ...]:
        """What a scheduler has to keep: last-access dependences.

        Where reductions may be reordered (those of integers always) these are the memory-based ones: without a
        reduction's own dependences the last-access ones no longer order its initialisation before all of it. For a
        single statement, or many reads, too: last-access dependences add up to these and may take isl seconds.
        """
        memory = self.dependences(scop)
        reads = sum(len(statement.reads) for statement in scop.statements)
        if len(scop.statements) == 1 or reads > MANY_READS or any(d.is_free(self.reassociate) for d in memory):
            return memory
        if scop not in self._flow:
            self._flow[scop] = value_dependences(scop)
        return self._flow[scop]

    def prove(self, scop: Scop, tree: ScheduleTree) -> Proof | Violation:
        """Whether the tree keeps every memory-based dependence; if not, which one it violates."""
        key = scop, tree
        if key not in self._proofs:
            self._proofs[key] = prove(scop, tree, self.dependences(scop), self.reassociate)
        return self._proofs[key]

    def is_legal(self, scop: Scop, tree: ScheduleTree) -> bool:
        return isinstance(self.prove(scop, tree), Proof)
