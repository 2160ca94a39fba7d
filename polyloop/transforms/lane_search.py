"""LaneSearch: every lane of a vector looks for its own largest, smallest or last element; then the lanes are compared.

Maxima of floating-point numbers are no reductions whose order is free: of zeros with two signs the first one stays, and
where a position is kept beside the maximum, that of the first. So each lane keeps where it found what it has, and among
equals the lanes' order decides: the result has the bits of the original loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Self

import islpy as isl

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.ranges import is_never_negative_zero
from polyloop.scop.affine_isl import NotAffineError, affine_from_aff, affine_to_text
from polyloop.scop.dependence import is_exact, memory_dependences
from polyloop.scop.model import Array, Scop, Statement
from polyloop.transforms.scop_transform import (
    IllegalScopTransformError,
    ScopTransform,
    fresh_name,
    names_of,
    order_of,
    place_of,
    together,
    with_room,
)

WIDTH = 64
"""Lanes unless told: four of the widest vectors of floats, whose comparisons overlap."""


@dataclass(frozen=True)
class LaneSearch(ScopTransform):
    """Search in lanes for the largest or smallest element, or the last one that meets a condition.

    Rewrite (width w):
        for i in [lo, hi]:  if (e(i) > x) { x = e(i);  p = f(i); }
        ->  for l in [0, w): { x_l[l] = x;  p_l[l] = p;  at[l] = lo - 1; }
            for ib: for l in [0, w) with i = lo + w*ib + l <= hi:
                if (e(i) > x_l[l]) { at[l] = i;  p_l[l] = f(i);  x_l[l] = e(i); }
            for l in [0, w):
                if (x_l[l] > x || x_l[l] == x && at[l] < where) { x = x_l[l];  p = p_l[l];  where = at[l]; }

    The loop over l inside carries nothing. Without a comparison with x the last element wins, with >= and <= the last
    among equals, else the first. A comparison with a NaN is false, so that none is ever taken, as in the original.
    Several loops that have nothing else in them are searched as one; where then stands for several iterators. What else
    the loop does comes first, in a loop of its own, where that may be:

        for i: { v[i] = f(i);  if (fabs(v[i] - u[i]) > x) x = fabs(v[i] - u[i]); }
        ->  for i: v[i] = f(i);    for i: if (fabs(v[i] - u[i]) > x) x = fabs(v[i] - u[i]);

    Where equal elements have equal bits, as magnitudes do, nobody asks where they were.

    Attributes:
        statement: one of the loop.
        width: number of lanes.
    """

    statement: str
    width: int

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """One for every innermost loop that chooses by conditions."""
        seen: set[tuple[int, ...]] = set()
        for statement in scop.statements:
            place = place_of(statement, statement.depth)
            if statement.depth and place not in seen and isinstance(statement.value, e.Select):
                seen.add(place)
                yield cls(statement.name, WIDTH)

    @property
    def action(self) -> str:
        return f"search in {self.width} lanes around {self.statement}"

    def changed(self, scop: Scop) -> Scop:
        if self.width < 2:
            raise self.refused(scop, "it takes at least two lanes")
        return _Search(self, scop).result()


@dataclass(frozen=True)
class _Group:
    """What one condition decides on.

    Attributes:
        operator: how a new element e compares with x where it takes its place; None where the last element wins.
        guards: conditions of the elements, without x.
        key: the statement of x, if there is one.
        rest: the others.
    """

    operator: str | None
    element: e.Expression | None
    guards: tuple[e.Expression, ...]
    key: Statement | None
    rest: tuple[Statement, ...]

    @property
    def statements(self) -> tuple[Statement, ...]:
        return (*self.rest, *((self.key,) if self.key is not None else ()))


class _Search:
    """One such change of one Scop."""

    def __init__(self, step: LaneSearch, scop: Scop) -> None:
        self.step, self.scop, self.width = step, scop, step.width
        first = step.statement_of(scop, step.statement)
        if not first.depth:
            raise self.refused(f"{first.name} stands in no loop")
        around = together(scop, first, first.depth)
        if any(s.depth != first.depth for s in around):
            raise self.refused("there are loops inside")
        self.inside = _searching(scop, around) or around
        self.beside = tuple(s for s in around if s not in self.inside)
        base = self.inside[0].domain.reset_tuple_id()
        if not all(s.domain.reset_tuple_id().is_equal(base) for s in self.inside):
            raise self.refused("its statements do not run equally often")
        self.iterators = first.iterators
        self.flags = self._flags()
        self.groups = self._groups()
        self.level = self._apart_from(self._outermost())
        self.signs = tuple(self._direction(level) for level in range(self.level, len(self.iterators)))
        self.taken = names_of(scop)
        self.arrays: list[Array] = []

    def refused(self, reason: str) -> IllegalScopTransformError:
        return self.step.refused(self.scop, reason)

    # --- What is there --------------------------------------------------------------------------------------------

    def _flags(self) -> dict[str, e.Expression]:
        """Conditions that are kept in scalars of the loop, by these."""
        found: dict[str, e.Expression] = {}
        for statement in self.inside:
            name = statement.target.array
            array = self.scop.array(name)
            users = self.scop.users(name)
            is_private = array.local and not array.shape and all(user in self.inside for user in users)
            condition = condition_of(statement.value)
            if is_private and condition is not None:
                if any(s.target.array == name for s in self.inside if s is not statement) or name in found:
                    raise self.refused(f"{name} is written twice")
                if any(a.array == name for s in self._before(statement) for a in s.reads):
                    raise self.refused(f"{name} is read before it is written")
                found[name] = condition
        return found

    def _before(self, statement: Statement) -> Sequence[Statement]:
        return [s for s in self.inside if order_of(s) <= order_of(statement)]

    def _groups(self) -> tuple[_Group, ...]:
        """
        Raises:
            IllegalScopTransformError: if the loop has anything else in it.
        """
        by_condition: dict[e.Expression, list[Statement]] = {}
        chosen = [s for s in self.inside if s.target.array not in self.flags]
        for statement in chosen:
            value = statement.value
            if not isinstance(value, e.Select) or value.otherwise != e.Read(statement.target, value.type):
                raise self.refused(f"{statement.name} does more than choose")
            by_condition.setdefault(self._unflagged(value.condition), []).append(statement)
        targets = [s.target for s in chosen]
        if len({target.array for target in targets}) < len(targets):
            raise self.refused("something is chosen twice")
        return tuple(self._group(condition, each, targets) for condition, each in by_condition.items())

    def _unflagged(self, condition: e.Expression) -> e.Expression:
        def one(node: e.Expression) -> e.Expression:
            return self.flags.get(node.access.array, node) if isinstance(node, e.Read) else node

        return e.rewrite(condition, one)

    def _group(self, condition: e.Expression, statements: list[Statement], targets: list[e.Access]) -> _Group:
        written = {target.array for target in targets} | set(self.flags)
        conjuncts = list(_conjuncts(condition))
        comparing = [c for c in conjuncts if _touches(c, written)]
        guards = tuple(c for c in conjuncts if c not in comparing)
        if len(comparing) > 1:
            raise self.refused("a condition compares with several of the results")
        key, operator, element = None, None, None
        if comparing:
            key, operator, element = self._compared(comparing[0], statements)
            if order_of(key) < max(map(order_of, statements)) and not self._has_flag(statements):
                raise self.refused(f"{key.name} changes what others are chosen by")
        rest = tuple(s for s in statements if s is not key)
        taken = [s.value.then for s in rest if isinstance(s.value, e.Select)]
        if any(_touches(x, written) for x in (*taken, *([element] if element is not None else []))):
            raise self.refused("what is chosen depends on what was chosen before")
        if key is not None and not rest and is_exact(self.scop, key):
            raise self.refused("its order is free as it is")
        return _Group(operator, None if element is None else _where(guards, element), guards, key, rest)

    def _has_flag(self, statements: list[Statement]) -> bool:
        """Whether they all choose by a flag, which stays when x changes."""
        conditions = [s.value.condition for s in statements if isinstance(s.value, e.Select)]
        return all(isinstance(c, e.Read) and c.access.array in self.flags for c in conditions)

    def _compared(self, comparison: e.Expression, statements: list[Statement]) -> tuple[Statement, str, e.Expression]:
        if isinstance(comparison, e.Comparison) and comparison.operator in _TURNED:
            left, right = _before_widening(comparison.left, comparison.right)
            for statement in statements:
                own, value = e.Read(statement.target, self.scop.array(statement.target.array).type), statement.value
                assert isinstance(value, e.Select)
                if (left, right) == (value.then, own):
                    return statement, comparison.operator, value.then
                if (left, right) == (own, value.then):
                    return statement, _TURNED[comparison.operator], value.then
        raise self.refused("it does not keep what it compares")

    def _outermost(self) -> int:
        """The outermost loop that has nothing but the search in it, and that no result has an element for."""
        depth = len(self.iterators)
        used = {name for g in self.groups for s in g.statements for x in s.target.subscripts for name in x.variables()}
        level = depth - 1
        if self.iterators[level] in used:
            raise self.refused("every iteration has a result of its own")
        while level and self.iterators[level - 1] not in used:
            if len(together(self.scop, self.inside[0], level)) > len(self.inside) + len(self.beside):
                break
            level -= 1
        return level

    def _apart_from(self, outermost: int) -> int:
        """The outermost loop, from this one inwards, in which what else there is can be done first.

        Raises:
            IllegalScopTransformError: if there is none.
        """
        for level in range(outermost, len(self.iterators) - 1):
            with suppress(IllegalScopTransformError):
                self._prove_apart(level)
                return level
        self._prove_apart(len(self.iterators) - 1)
        return len(self.iterators) - 1

    def _prove_apart(self, level: int) -> None:
        """
        Raises:
            IllegalScopTransformError: if what else the loops do waits for the search.
        """
        if not self.beside:
            return
        first, others = ({s.name for s in each} for each in (self.inside, self.beside))
        for d in memory_dependences(replace(self.scop, statements=(*self.inside, *self.beside))):
            same = isl.Map.universe(d.relation.get_space())
            for k in range(level):
                same = same.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
            if d.source in first and d.target in others and not d.relation.is_disjoint(same):
                raise self.refused(f"{d.target} waits for what {d.source} has found")

    # --- What becomes of it ---------------------------------------------------------------------------------------

    def result(self) -> Scop:
        """The new Scop."""
        self.lane, self.block = self._fresh("lane"), self._fresh(f"{self.iterators[-1]}_block")
        self.new: dict[str, list[Statement]] = {phase: [] for phase in _PHASES}
        number = affine(self.block) * self.width + affine(self.lane)
        self.place = self._first(len(self.iterators) - 1) + number * self.signs[-1]
        before = self._first(self.level) - self.signs[0]
        for group in self.groups:
            self._write(group, before)
        new = self._scheduled()
        statements: list[Statement] = []
        last = [s for s in self.scop.statements if s in self.inside or s in self.beside][-1]
        places = len(self.new["once"]) + len(_PHASES) - 2 + bool(self.beside)
        for other in self.scop.statements:
            if other not in self.inside:
                statements.append(with_room(other, self.level, self.inside[0], places))
            if other is last:
                statements += new
        arrays = tuple(a for a in self.scop.arrays if a.name not in self.flags)
        return replace(self.scop, arrays=(*arrays, *self.arrays), statements=tuple(statements))

    def _scheduled(self) -> list[Statement]:
        """The new statements: those that run once, one by one, then three loops."""
        outer, last = self.iterators[: self.level], (affine(self.lane), affine(0))
        prefix = self.inside[0].schedule[: 2 * self.level + 1]
        lanes = self._outer_domain(outer, f", {self.lane}", f" : 0 <= {self.lane} < {self.width}")
        loops = (*self.iterators[self.level : -1], self.block, self.lane)
        rows = [affine(it) * sign for it, sign in zip(loops, (*self.signs[:-1], 1, 1), strict=True)]
        forms = {
            "once": (outer, self._outer_domain(outer, "", ""), ()),
            "begin": ((*outer, self.lane), lanes, last),
            "lanes": ((*outer, *loops), self._blocks(), [x for row in rows for x in (row, affine(0))]),
            "end": ((*outer, self.lane), lanes, last),
        }
        found: list[Statement] = []
        at = prefix[-1] + bool(self.beside)
        for phase in _PHASES:
            iterators, domain, inner = forms[phase]
            for number, statement in enumerate(self.new[phase]):
                schedule = (*prefix[:-1], at, *inner[:-1], *([affine(number)] if inner else []))
                domain = domain.set_tuple_name(statement.name)
                found.append(replace(statement, iterators=iterators, domain=domain, schedule=schedule))
                at += 0 if inner else 1
            at += 1 if inner else 0
        return found

    def _add(self, phase: str, target: e.Access, value: e.Expression) -> None:
        """One more statement; where it stands is seen to in the end."""
        name = self._fresh(f"{self.inside[0].name}_{phase}")
        self.new[phase].append(Statement(name, (), self.inside[0].domain, target, value, ()))

    def _write(self, group: _Group, before: Affine) -> None:
        searched, lane = self.iterators[self.level :], affine(self.lane)
        alone, element = group.key is not None and not group.rest, group.element
        if alone and group.operator in ("<", ">") and element is not None and is_never_negative_zero(element):
            searched = ()
        index = self._index_type(group)
        at = [self._local(f"at_{name}", index, lane) for name in searched]
        where = [self._local(f"where_{name}", index, None) for name in searched]
        lanes = {
            s.name: self._local(f"{s.target.array}_lane", self.scop.array(s.target.array).type, lane)
            for s in group.statements
            if self._position(group, s) is None
        }
        for level, (here, now) in enumerate(zip(at, where, strict=True)):
            nowhere = e.Index(before, index) if level == 0 else e.Literal(0, index)
            self._add("begin", here.access, nowhere)
            self._add("once", now.access, nowhere)
        for statement in group.statements:
            if statement.name in lanes:
                own = lanes[statement.name]
                self._add("begin", own.access, e.Read(statement.target, own.type))
        self._search(group, at, lanes, {self.iterators[-1]: self.place})
        self._choose(group, at, where, lanes)

    def _search(self, group: _Group, at: list[e.Read], lanes: dict[str, e.Read], here: dict[str, Affine]) -> None:
        """Every lane of an iteration; x, which the others are chosen by, comes last."""

        def moved(value: e.Expression) -> e.Expression:
            return e.map_affine(value, lambda subscript: subscript.substitute(here))

        conditions = [moved(guard) for guard in group.guards]
        if group.key is not None:
            assert group.element is not None
            assert group.operator is not None
            conditions.append(e.Comparison(group.operator, moved(group.element), lanes[group.key.name]))
        take = reduce(lambda a, b: e.Logical("&&", a, b), conditions)
        for name, access in zip(self.iterators[self.level :] if at else (), at, strict=True):
            position = e.Index(here.get(name, affine(name)), access.type)
            self._add("lanes", access.access, e.Select(take, position, access, access.type))
        for statement in group.statements:
            if statement.name in lanes:
                own, value = lanes[statement.name], statement.value
                assert isinstance(value, e.Select)
                self._add("lanes", own.access, e.Select(take, moved(_where(group.guards, value.then)), own, own.type))

    def _choose(self, group: _Group, at: list[e.Read], where: list[e.Read], lanes: dict[str, e.Read]) -> None:
        """Lane by lane: what is better is taken, and of equals the one that the original would have."""
        take = (
            _earlier(at, where, [sign if group.operator in ("<", ">") else -sign for sign in self.signs])
            if at
            else None
        )
        if group.key is not None:
            assert group.operator is not None
            own, x = lanes[group.key.name], e.Read(group.key.target, lanes[group.key.name].type)
            better = e.Comparison(group.operator[0], own, x)
            equal = e.Comparison("==", own, x)
            take = better if take is None else e.Logical("||", better, e.Logical("&&", equal, take))
        assert take is not None
        flag = self._local("take", e.I32, None)
        self._add("end", flag.access, take)
        for statement in group.statements:
            type_ = self.scop.array(statement.target.array).type
            position = self._position(group, statement)
            found: e.Expression = lanes[statement.name] if position is None else at[position]
            found = found if position is None or at[position].type == type_ else e.Cast(found, type_)
            self._add("end", statement.target, e.Select(flag, found, e.Read(statement.target, type_), type_))
        for here, now in zip(at, where, strict=True):
            self._add("end", now.access, e.Select(flag, here, now, now.type))

    def _position(self, group: _Group, statement: Statement) -> int | None:
        """The searched loop whose iterator is what a statement keeps; None if it keeps something else."""
        value = statement.value
        if statement is group.key:
            return None
        assert isinstance(value, e.Select)
        for position, name in enumerate(self.iterators[self.level :]):
            if isinstance(value.then, e.Index) and value.then.value == affine(name):
                return position
        return None

    def _index_type(self, group: _Group) -> e.ScalarType:
        """Of positions: C's own where it keeps them, int where they are known to fit, else the widest."""
        values = [s.value for s in group.rest if self._position(group, s) is not None]
        if values and all(isinstance(value, e.Select) and value.then.type == e.I32 for value in values):
            return e.I32
        return e.I32 if all(self._fits(level) for level in range(self.level, len(self.iterators))) else e.I64

    def _fits(self, level: int) -> bool:
        values = self._values(level).project_out(isl.dim_type.param, 0, len(self.scop.parameters))
        return values.is_subset(isl.Set("{ [i] : -1073741824 <= i <= 1073741823 }"))

    @cached_property
    def _points(self) -> isl.Set:
        return self.scop.points(self.inside[0]).reset_tuple_id()

    def _values(self, level: int) -> isl.Set:
        dim, depth = isl.dim_type.set, len(self.iterators)
        return self._points.project_out(dim, level + 1, depth - level - 1).project_out(dim, 0, level)

    def _direction(self, level: int) -> int:
        """1 for a loop that goes up, -1 for one that goes down."""
        row, name = self.inside[0].schedule[2 * level + 1], affine(self.iterators[level])
        if row not in (name, -name):
            raise self.refused("its iterations have an order of their own")
        return 1 if row == name else -1

    def _first(self, level: int) -> Affine:
        """The first value of an iterator, in any iteration of the loops around.

        Raises:
            IllegalScopTransformError: if it is not one affine function of the parameters.
        """
        values, dim = self._values(level), isl.dim_type.set
        rises = self.signs[level - self.level] > 0
        if not (values.dim_has_lower_bound(dim, 0) if rises else values.dim_has_upper_bound(dim, 0)):
            raise self.refused("its loop has no first iteration")
        pieces = (values.dim_min(0) if rises else values.dim_max(0)).get_pieces()
        try:
            if len(pieces) == 1:
                return affine_from_aff(pieces[0][1], ())
        except NotAffineError:
            pass
        raise self.refused("where its loop begins depends on too much")

    def _blocks(self) -> isl.Set:
        """Every iteration, as a block and a lane."""
        outer = self.iterators[:-1]
        blocks = ", ".join((*outer, self.block, self.lane))
        inside = ", ".join((*outer, affine_to_text(self.place)))
        text = f"[{blocks}] -> [{inside}] : 0 <= {self.lane} < {self.width}"
        return self.inside[0].domain.reset_tuple_id().apply(self._map(text).reverse())

    def _outer_domain(self, outer: tuple[str, ...], more: str, where: str) -> isl.Set:
        """The iterations of the loops around, with lanes or without."""
        around = self.inside[0].domain.reset_tuple_id()
        around = around.project_out(isl.dim_type.set, len(outer), len(self.iterators) - len(outer))
        names = ", ".join(outer)
        return around.apply(self._map(f"[{names}] -> [{f'{names}{more}'.lstrip(', ')}]{where}"))

    def _map(self, text: str) -> isl.Map:
        return isl.Map(f"[{', '.join(self.scop.parameters)}] -> {{ {text} }}")

    def _fresh(self, name: str) -> str:
        found = fresh_name(name, self.taken)
        self.taken |= {found}
        return found

    def _local(self, name: str, type_: e.ScalarType, lane: Affine | None) -> e.Read:
        found = self._fresh(name)
        self.arrays.append(Array(found, type_, () if lane is None else (affine(self.width),), local=True))
        return e.Read(e.Access(found, () if lane is None else (lane,)), type_)


_PHASES = ("once", "begin", "lanes", "end")
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _searching(scop: Scop, around: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements that choose one element of a loop, and those that keep the condition for them alone."""
    inner = around[0].iterators[-1]

    def chooses(s: Statement) -> bool:
        moves = any(inner in subscript.variables() for subscript in s.target.subscripts)
        return isinstance(s.value, e.Select) and s.value.otherwise == e.Read(s.target, s.value.type) and not moves

    chosen = [s for s in around if chooses(s)]

    def is_flag(s: Statement) -> bool:
        array = scop.array(s.target.array)
        users = [other for other in around if any(a.array == array.name for a in other.reads)]
        private = array.local and not array.shape and condition_of(s.value) is not None
        return private and bool(users) and all(user in chosen for user in users)

    return tuple(s for s in around if s in chosen or is_flag(s)) if chosen else ()


def _where(guards: Sequence[e.Expression], value: e.Expression) -> e.Expression:
    """A value where conditions hold, without the choices that they decide."""

    def one(node: e.Expression) -> e.Expression:
        decided = isinstance(node, e.Select) and all(each in guards for each in _conjuncts(node.condition))
        return node.then if decided and isinstance(node, e.Select) else node

    return e.rewrite(value, one)


def _earlier(here: Sequence[e.Read], there: Sequence[e.Read], signs: Sequence[int]) -> e.Expression:
    """Whether one place comes before another in the order of loops that go up (1) or down (-1)."""
    head: e.Expression = e.Comparison("<" if signs[0] > 0 else ">", here[0], there[0])
    if len(here) == 1:
        return head
    tail = _earlier(here[1:], there[1:], signs[1:])
    return e.Logical("||", head, e.Logical("&&", e.Comparison("==", here[0], there[0]), tail))


def _before_widening(left: e.Expression, right: e.Expression) -> tuple[e.Expression, e.Expression]:
    """What is compared, before C's promotions where these keep every value."""
    if isinstance(left, e.Cast) and isinstance(right, e.Cast) and left.operand.type == right.operand.type:
        narrow, wide = left.operand.type, left.type
        if narrow.bits < wide.bits and narrow.is_float == wide.is_float and wide.kind != "uint":
            return left.operand, right.operand
    return left, right


def condition_of(value: e.Expression) -> e.Expression | None:
    """The value as a condition, if it is one: ``a ? b : 0``, as a ``continue`` leaves it, is ``a && b``."""
    match value:
        case e.Comparison() | e.Logical():
            return value
        case e.Select(first, then, e.Literal(0)) if e.is_truth(first) and (second := condition_of(then)) is not None:
            return e.Logical("&&", first, second)
    return None


def _conjuncts(condition: e.Expression) -> Iterator[e.Expression]:
    if isinstance(condition, e.Logical) and condition.operator == "&&":
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _touches(value: e.Expression, arrays: set[str]) -> bool:
    return any(read.access.array in arrays for read in e.reads(value))
