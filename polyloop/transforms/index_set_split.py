"""Index-set splitting: cut a statement's domain at a plane, or at every value of a short loop, so that its parts can be
ordered one by one.

Like Expand this changes the Scop, not its schedule. The order of execution stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, product
from math import gcd
from operator import methodcaller
from typing import Self

import islpy as isl

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, Atom, Choose, Compare, FloorDiv, Max, Min, affine, at_least, choose
from polyloop.backend.ir.expressions import I32, Access, Datum, map_affine
from polyloop.schedules.tree import contiguous_iterator
from polyloop.scop.affine_isl import affine_to_text, ends_of
from polyloop.scop.model import Scop, Statement
from polyloop.transforms.scop_transform import (
    IllegalScopTransformError,
    ScopRefusal,
    ScopTransform,
    fresh_name,
    in_place_of,
    names_of,
    place_of,
    together,
    with_accesses,
)


@dataclass(frozen=True)
class IndexSetSplit(ScopTransform):
    """Cut a statement in the parts before, on and behind a plane.

    Rewrite (at i - k):
        for i:  S(i)   ->   for i: { if (i < k) S_below(i);  if (i = k) S_on(i);  if (i > k) S_above(i); }

    The parts are statements of their own: what only the instances on the plane depend on no longer binds the others.
    Legal by construction: the domains are a partition, which is checked, and every instance keeps its place in the
    original order.

    Attributes:
        statement: its name.
        plane: affine in its iterators and the parameters; 0 on the plane.
    References:
        Griebl, Feautrier and Lengauer, "Index Set Splitting", IJPP 2000, who find planes from the graph of
        dependences; here accesses propose them, see `candidates`.
    """

    statement: str
    plane: Affine

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Planes that cut the deepest statements, those that free their contiguous direction first, statements that are
        no edges themselves before others.

        A statement that reads its target's array at other subscripts than it writes reads, where these agree, what it
        writes itself. If they differ in one subscript only, by d, the plane d = 0 takes these instances out, and the
        others never touch their own element but through the target. The same holds of a condition and of what it
        guards, so what a statement computes for others of the same iteration is cut like these. Subscripts that are
        chosen by a comparison (``a[i == 0 ? n - 1 : i - 1]``, what wraps around) are plain on either side of it; of the
        planes on either side, it is the one that leaves fewer parts: where it is the edge of the domain, two.
        """
        depth = max((s.depth for s in scop.statements), default=0)
        found: list[tuple[bool, int, Self]] = []
        for statement in (s for s in scop.statements if s.depth == depth):
            lane = _lane(scop, statement)
            fixed = sum(row.is_equality() for row in statement.domain.affine_hull().get_constraints())
            for plane in _planes(scop, statement):
                split = cls(statement.name, plane)
                if _straddles(scop, statement, plane):
                    found.append((lane is None or lane not in plane.variables(), fixed, split))
        return (split for _, _, split in sorted(found, key=lambda entry: entry[:2]))

    @property
    def action(self) -> str:
        return f"split {self.statement} at {self.plane} = 0"

    def changed(self, scop: Scop) -> Scop:
        """The Scop with the statement's parts in its place; parts without instances are left out."""
        statement = self.statement_of(scop, self.statement)
        unknown = sorted(self.plane.variables() - {*statement.iterators, *scop.parameters})
        if unknown:
            raise self.refused(scop, f"{', '.join(unknown)} is no iterator of it and no parameter")
        parts = self._parts(scop, statement)
        if len(parts) < 2:
            raise self.refused(scop, "all of it lies on one side")
        return replace(scop, statements=in_place_of(scop.statements, statement, parts, len(parts) - 1))

    def _parts(self, scop: Scop, statement: Statement) -> list[Statement]:
        found: list[Statement] = []
        left = statement.domain
        for suffix, sign in (("below", "<"), ("on", "="), ("above", ">")):
            side = half(scop, statement, self.plane, sign)
            # Texts of domains say what was done: without what isl would leave out later, when it finds it to follow.
            domain = (statement.domain & side).coalesce().detect_equalities().remove_redundancies()
            left = left - side
            if domain.intersect_params(scop.known).is_empty():
                continue
            name = fresh_name(f"{statement.name}_{suffix}", names_of(scop))
            row = statement.schedule[-1] + len(found)
            part = replace(
                statement, name=name, domain=domain.set_tuple_name(name), schedule=(*statement.schedule[:-1], row)
            )
            found.append(decided(scop, part))
        if not left.is_empty():
            raise self.refused(scop, "the parts are not all of it")
        return found


def frees_lanes(scop: Scop, split: IndexSetSplit) -> bool:
    """Whether the plane cuts the direction along which the statement stores contiguously."""
    return _lane(scop, scop.statement(split.statement)) in split.plane.variables()


def _lane(scop: Scop, statement: Statement) -> str | None:
    """The iterator along which the statement, or else what it computes something for, stores contiguously."""
    lanes = map(contiguous_iterator, (statement, *_served(scop, statement)))
    return next((lane for lane in lanes if lane is not None), None)


def _served(scop: Scop, statement: Statement) -> list[Statement]:
    """The statements of the same iteration that read what it computes."""
    return [
        other
        for other in together(scop, statement, statement.depth)
        if other is not statement
        and other.iterators == statement.iterators
        and any(access.array == statement.target.array for access in other.reads)
    ]


def _planes(scop: Scop, statement: Statement) -> tuple[Affine, ...]:
    """Where subscripts are chosen; differences in the only subscript in which a read of the target's array is not the
    target, or of the targets that it computes something for."""
    found = list[Affine]()
    for condition in dict.fromkeys(_choices(_terms(statement.accesses))):
        beside = [condition.left] if condition.operator == "==" else [condition.left, condition.left + 1]
        cutting = [plane for plane in beside if _straddles(scop, statement, plane)]
        found += sorted(cutting, key=lambda plane: _sides(scop, statement, plane))[:1]
    targets = dict.fromkeys(other.target for other in (statement, *_served(scop, statement)))
    for access, target in product(statement.reads, targets):
        if access.array != target.array:
            continue
        pairs = zip(target.subscripts, access.subscripts, strict=True)
        apart = [here - there for here, there in pairs if here != there]
        if len(apart) == 1 and not apart[0].is_constant and all(isinstance(atom, str) for atom, _ in apart[0].terms):
            found.append(apart[0])
    return tuple(dict.fromkeys(found))


def _terms(accesses: Iterable[Access]) -> Iterator[Atom]:
    return (atom for access in accesses for subscript in access.subscripts for atom, _ in subscript.terms)


def _choices(atoms: Iterable[Atom]) -> Iterator[Compare]:
    """The comparisons that choose whole terms of subscripts, of terms that are chosen among others the inner ones."""
    for atom in atoms:
        if (choice := _choice(atom)) is not None:
            yield choice[0]
        else:
            yield from _choices(inner for part in _parts_of(atom) for inner, _ in part.terms)


def _parts_of(atom: Atom) -> tuple[Affine, ...]:
    """The integers that a term is made of, where it is chosen among others."""
    match atom:
        case Min(operands) | Max(operands):
            return operands
        case Choose(Compare(left), then, otherwise):
            return left, then, otherwise
        case FloorDiv(dividend, _):
            return (dividend,)
    return ()


def _choice(atom: Atom) -> tuple[Compare, Affine, Affine] | None:
    """What a term is where a comparison that is plainly affine holds, and what elsewhere; None of other terms."""
    match atom:
        case Choose(Compare() as condition, then, otherwise):
            found = condition, then, otherwise
        case Max((then, otherwise)) | Min((otherwise, then)):
            found = at_least(then, otherwise), *((then, otherwise) if isinstance(atom, Max) else (otherwise, then))
        case _:
            return None
    return found if all(isinstance(term, str) for term, _ in found[0].left.terms) else None


def alternatives(statement: Statement) -> tuple[tuple[Affine, str], ...]:
    """What has to be on which side of 0 for one of the ways of a choice to be right: of choices that say what the
    statement touches, or what it computes, those by comparisons that are plainly affine."""
    nodes = list(e.walk_values(statement.value))
    integers = (node.value.terms for node in nodes if isinstance(node, e.Index))
    places = (atom for atom, _ in chain.from_iterable(integers))
    compared = (test for node in nodes if (test := _comparison(node)) is not None)
    return tuple(dict.fromkeys(chain(_ways(chain(_terms(statement.accesses), places)), *map(_either, compared))))


def _ways(atoms: Iterable[Atom]) -> Iterator[tuple[Affine, str]]:
    for atom in atoms:
        if (choice := _choice(atom)) is None:
            yield from _ways(inner for part in _parts_of(atom) for inner, _ in part.terms)
        elif isinstance(atom, Choose):
            yield from _either(choice[0])
        else:  # where both are the same either is right
            yield from ((choice[0].left, ">="), (-choice[0].left, ">="))


def _either(condition: Compare) -> tuple[tuple[Affine, str], ...]:
    signs = (">=", "<") if condition.operator == ">=" else ("=", "!=")
    return tuple((condition.left, sign) for sign in signs)


def _comparison(node: e.Expression) -> Compare | None:
    """What holds where a comparison of integers, or its contrary, does; None of others."""
    match node:
        case e.Comparison(operator, left, right) if (apart := _difference(left, right)) is not None:
            if all(isinstance(term, str) for term, _ in apart.terms):
                side = -apart if operator in ("<=", ">") else apart
                return Compare(side, "==" if operator in ("==", "!=") else ">=")
    return None


def _difference(left: e.Expression, right: e.Expression) -> Affine | None:
    """How far apart two integers are that iterators and parameters say; of unsigned ones a difference may wrap."""
    sides = list[Affine]()
    for side in (left, right):
        match side:
            case e.Index(value, e.ScalarType("int")):
                sides.append(value)
            case e.Literal(int(number), e.ScalarType("int")):
                sides.append(affine(number))
    return sides[0] - sides[1] if len(sides) == 2 else None


def decided(scop: Scop, part: Statement) -> Statement:
    """The statement without the choices in subscripts and values that fall one way all over its domain, or where others
    lead."""

    def falls(condition: Compare, domain: isl.Set) -> tuple[bool | None, isl.Set]:
        """Whether a condition holds everywhere, or nowhere; and where it does."""
        holds = domain & half(scop, part, condition.left, "=" if condition.operator == "==" else ">=")
        return (False if holds.is_empty() else True if domain.is_subset(holds) else None), holds

    def plainly(subscript: Affine, domain: isl.Set) -> Affine:
        def one(atom: Atom) -> Affine:
            match atom:
                case Min(operands) | Max(operands):
                    atom = replace(atom, operands=tuple(plainly(operand, domain) for operand in operands))
                case Choose(Compare(left, operator), then, otherwise) if _choice(atom) is None:
                    atom = replace(atom, condition=Compare(plainly(left, domain), operator))
                case FloorDiv(dividend, divisor):
                    return plainly(dividend, domain) // divisor
            if (choice := _choice(atom)) is None:
                return Affine(((atom, 1),))
            condition, then, otherwise = choice
            way, holds = falls(condition, domain)
            if way is not None:
                return plainly(then if way else otherwise, domain)
            if isinstance(atom, Min | Max):
                nowhere, _ = falls(Compare(-condition.left, ">="), domain)
                return plainly(otherwise, domain) if nowhere else Affine(((atom, 1),))
            return choose(condition, plainly(then, holds), plainly(otherwise, domain - holds))

        return subscript.map_atoms(one)

    def compared(node: e.Expression) -> e.Expression:
        match node:
            case e.Comparison(operator) if (test := _comparison(node)) is not None:
                way, _ = falls(test, whole)
                return node if way is None else e.Literal(int(way == (operator in (">=", "<=", "=="))), I32)
            case e.Logical(operator, e.Literal(known), other) | e.Logical(operator, other, e.Literal(known)):
                if bool(known) != (operator == "&&"):
                    return e.Literal(int(bool(known)), I32)
                return other if e.is_truth(other) else e.Comparison("!=", other, e.Literal(0, other.type))
            case e.Select(e.Literal(known), then, otherwise) if then != otherwise:  # else it keeps a product apart
                chosen = then if known else otherwise
                return chosen if e.factors(chosen) is None else e.apart(chosen)
        return node

    whole = scop.points(part)
    part = part.with_integers(lambda subscript: plainly(subscript, whole))
    return with_accesses(part, part.target, e.rewrite(part.value, compared))


def _sides(scop: Scop, statement: Statement, plane: Affine) -> int:
    """On how many sides of the plane there are instances."""
    points = scop.points(statement)
    return sum(not (points & half(scop, statement, plane, sign)).is_empty() for sign in ("<", ">"))


def _straddles(scop: Scop, statement: Statement, plane: Affine) -> bool:
    """Whether instances lie on the plane, and others beside it."""
    domain = scop.points(statement)
    on = domain & half(scop, statement, plane, "=")
    return not on.is_empty() and not domain.is_subset(on)


def half(scop: Scop, statement: Statement, plane: Affine, sign: str) -> isl.Set:
    """Where the plane is on a side of 0: "<", ">", "=", or what these make up, as ">=" and "!="."""
    return isl.Set(f"[{', '.join(scop.parameters)}] -> {{ {statement.point} : {affine_to_text(plane)} {sign} 0 }}")


# --- Unfold: a statement for every iteration of a loop of few --------------------------------------------------------


FEW_ITERATIONS = 16
"""Iterations, and ..."""
_MOST_STATEMENTS = 64
"""... statements of a Scop up to which loops are unfolded."""


@dataclass(frozen=True)
class Unfold(ScopTransform):
    """Write the iterations of an innermost loop out whose bounds are numbers.

    Rewrite:
        for k in [-1, 2):  s = s + a[i + k]   ->   s = s + a[i - 1];  s = s + a[i];  s = s + a[i + 1];

    What the statements keep for each other in scalars can be substituted then. Legal by construction: the instances and
    their order are the same.

    Attributes:
        statement: the name of one in the loop.
        level: the loop's, 0 outermost.
    """

    statement: str
    level: int

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Innermost loops of few iterations that others are around."""
        done: set[tuple[int, ...]] = set()
        for statement in scop.statements:
            loop = place_of(statement, statement.depth)
            if statement.depth > 1 and loop not in done and 1 < extent(statement) <= FEW_ITERATIONS:
                done.add(loop)
                if all(other.depth <= statement.depth for other in inside_loop(scop, statement, statement.depth - 1)):
                    yield cls(statement.name, statement.depth - 1)

    @property
    def action(self) -> str:
        return f"unfold loop level {self.level} around {self.statement}"

    def changed(self, scop: Scop) -> Scop:
        """The Scop with a statement for every statement and iteration."""
        statement = next((s for s in scop.statements if s.name == self.statement), None)
        if statement is None or not 0 <= self.level < statement.depth:
            raise self.refused(scop, "there is no such loop")
        inside = inside_loop(scop, statement, self.level)
        if any(s.depth != self.level + 1 for s in inside):
            raise self.refused(scop, "there are loops inside of it")
        counts = [extent(s) for s in inside]
        if (
            not all(0 < count <= FEW_ITERATIONS for count in counts)
            or sum(counts) + len(scop.statements) > _MOST_STATEMENTS
        ):
            raise self.refused(scop, "it has no constant, small number of iterations")
        names = set(names_of(scop))
        parts = sorted((part for s in inside for part in self._parts(scop, s, names)), key=lambda part: part[0])
        at, before = 2 * self.level, place_of(statement, self.level)
        beside = [
            s for s in scop.statements if s not in inside and place_of(s, self.level) == before and len(s.schedule) > at
        ]
        keys = sorted({*(key for key, _ in parts), *((s.schedule[at].constant,) for s in beside)})
        place = {key: affine(number) for number, key in enumerate(keys)}
        new: list[Statement] = []
        for other in scop.statements:
            if other is inside[0]:
                new += [replace(part, schedule=(*part.schedule[:at], place[key])) for key, part in parts]
            if other in beside:
                row = place[(other.schedule[at].constant,)]
                new.append(replace(other, schedule=(*other.schedule[:at], row, *other.schedule[at + 1 :])))
            elif other not in inside:
                new.append(other)
        return replace(scop, statements=tuple(new))

    def _parts(self, scop: Scop, statement: Statement, names: set[str]) -> Iterator[tuple[tuple[int, ...], Statement]]:
        """The statement in every iteration in which it has instances, and where that is in the loop around."""
        dimension, iterator = isl.dim_type.set, statement.iterators[self.level]
        before, row, behind = statement.schedule[2 * self.level :]
        low = statement.domain.dim_min_val(self.level).to_python()
        for value in range(low, low + extent(statement)):
            domain = statement.domain.fix_val(dimension, self.level, isl.Val(value)).project_out(
                dimension, self.level, 1
            )
            moment = row.substitute({iterator: value})
            if not moment.is_constant:
                raise self.refused(scop, f"its order moves with {', '.join(sorted(moment.variables()))}")
            if domain.is_empty():
                continue
            name = fresh_name(f"{statement.name}_{value - low + 1}", frozenset(names))
            names.add(name)

            part = replace(
                statement.with_integers(methodcaller("substitute", {iterator: value})),
                name=name,
                iterators=(*statement.iterators[: self.level], *statement.iterators[self.level + 1 :]),
                domain=domain.set_tuple_name(name),
            )
            yield (before.constant, moment.constant, behind.constant), decided(scop, part)


def _periods(statement: Statement, subscripts: Iterable[Affine]) -> Iterator[tuple[int, int]]:
    """The levels of loops around a statement that its subscripts take quotients or remainders of, and the period: after
    so many iterations the remainder is the same again; where blocks of so many begin in between, they are no help."""
    for division in (division for subscript in subscripts for division in subscript.divisions):
        match division.dividend.terms:
            case ((str(name), int(factor)),) if factor > 0 and name in statement.iterators:
                size = division.divisor // gcd(factor, division.divisor)
                if size >= _LEAST_PERIOD and factor * (size - 1) + division.dividend.constant < division.divisor:
                    yield statement.iterators.index(name), size


def inside_loop(scop: Scop, statement: Statement, level: int) -> list[Statement]:
    """The statements in a loop around one."""
    loop = place_of(statement, level + 1)
    return [s for s in scop.statements if s.depth > level and place_of(s, level + 1) == loop]


def extent(statement: Statement, level: int = -1) -> int:
    """How many values an iterator takes at most, the innermost by default, if that is known and its bounds are numbers;
    else 0."""
    ends = ends_of(statement.domain, level % statement.depth)
    return 0 if ends is None else ends[1] - ends[0] + 1


# --- Strip: a loop over blocks around a loop --------------------------------------------------------------------------


_LEAST_PERIOD = 4
"""Iterations of a period: lanes have room in so many."""


@dataclass(frozen=True)
class Strip(ScopTransform):
    """Run a loop block by block.

    Rewrite:
        for i: S(i)   ->   for b: for k in [0, size): S(size * b + k)

    Unlike a tile of the schedule this gives the statements one more iterator: a scalar that is expanded over k has
    `size` elements; and subscripts that are periodic, as ``p[(2 * i) % 64]`` is in blocks of 32, are affine in k.
    Legal by construction: the instances and their order are the same.

    Attributes:
        statement: the name of one in the loop.
        size: iterations of a block.
        level: the loop's, 0 outermost; negative ones count from the innermost loop around the statement.
    """

    statement: str
    size: int
    level: int = -1

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Loops with periodic subscripts, in blocks of a period; others are of use to what is done next alone."""
        for statement in scop.statements:
            subscripts = (s for access in statement.accesses for s in access.subscripts)
            for level, size in dict.fromkeys(_periods(statement, subscripts)):
                if not 0 < extent(statement, level) <= size:
                    yield cls(statement.name, size, level)

    @property
    def action(self) -> str:
        loop = "the innermost loop" if self.level == -1 else f"loop level {self.level}"
        return f"run {loop} around {self.statement} in blocks of {self.size}"

    def changed(self, scop: Scop) -> Scop:
        """The Scop with one more loop around everything in the loop."""
        statement = next((s for s in scop.statements if s.name == self.statement), None)
        if statement is None or not -statement.depth <= self.level < statement.depth:
            raise self.refused(scop, "there is no such loop")
        if self.size < 2:
            raise self.refused(scop, "there are blocks of one iteration")
        level = self.level % statement.depth
        names = names_of(scop)
        block, point = (fresh_name(f"{statement.iterators[level]}_{word}", names) for word in ("block", "in"))
        stripped = {s.name: self._stripped(s, level, block, point) for s in inside_loop(scop, statement, level)}
        return replace(scop, statements=tuple(stripped.get(s.name, s) for s in scop.statements))

    def _stripped(self, statement: Statement, level: int, block: str, point: str) -> Statement:
        around, old, within = statement.iterators[:level], statement.iterators[level], statement.iterators[level + 1 :]
        whole = affine(block) * self.size + affine(point)

        def here(value: Affine) -> Affine:
            return value.substitute({old: whole}).map_atoms(settled)

        def settled(atom: Atom) -> Affine:
            """A quotient that is the same in all iterations of a block, as where subscripts are periodic."""
            if isinstance(atom, FloorDiv) and atom.dividend.variables() == {point} and not atom.dividend.divisions:
                first, last = (Affine(((atom, 1),)).evaluate({point: at}) for at in (0, self.size - 1))
                if first == last:
                    return affine(first)
            if isinstance(atom, Datum):
                atom = Datum(map_affine(atom.value, lambda value: value.map_atoms(settled)))
            return Affine(((atom, 1),))

        new = (*around, block, point, *within)
        before, after = ", ".join(new), ", ".join((*around, f"{self.size} * {block} + {point}", *within))
        name = statement.name
        back = isl.Map(f"{{ {name}[{before}] -> {name}[{after}] : 0 <= {point} < {self.size} }}")
        order, at = statement.schedule, 2 * level + 1
        if order[at] != affine(old):
            raise IllegalScopTransformError(ScopRefusal(self, name, f"its order is {order[at]}"))
        return replace(
            statement.with_integers(here),
            iterators=new,
            domain=back.reverse().intersect_domain(statement.domain).range(),
            schedule=(*order[:at], affine(block), affine(0), affine(point), *order[at + 1 :]),
        )
