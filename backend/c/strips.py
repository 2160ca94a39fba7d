"""A loop over whole vectors, and the rest of it that is less than one, as one loop: its statements stand there once.

    for j in [0, n - 7) step 8:  x[j] = y[j]              strips(j, lanes, 0, n, 8)
    rest = 8 * (n / 8)                              ->        x[j] = y[j] in the first lanes
    if (rest < n)  x[rest] = y[rest] in the first n - rest lanes

The macro makes two loops of it, which compilers tell apart: in the first one all lanes are there, and no masks. Another
macro lets the last vector begin at n - 8, if there are 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from polyloop.backend.c.arrays import Strip, WholeStrip
from polyloop.backend.c.copies import Section, UnlikeError, form_of, rewritten
from polyloop.backend.c.rolling import Rolled
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, affine, at_least, maximum, minimum
from polyloop.backend.ir.loop_nest import numbered_name
from polyloop.backend.ir.traversal import NamesUsed, bound_variables, map_bodies, mapped, walk
from polyloop.backend.ir.vector_program import Let, Statement, Store


def with_strips(tiles: Rolled) -> v.VectorProgram:
    """The program with such loops as one."""
    program = tiles.program
    lets = {x.name: x.operation for x in walk(program.body) if isinstance(x, Let)}
    taken = {*program.parameters, *(a.name for a in program.arrays), *bound_variables(program.body), *lets}
    return replace(program, body=_Joining(tiles, lets, taken).block(program.body))


@dataclass
class _Joining:
    tiles: Rolled
    lets: Mapping[str, v.Operation]
    taken: set[str]

    def block(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        result: list[Statement] = []
        rest = list(body)
        while rest:
            statement = rest.pop(0)
            match statement, rest[:2]:
                case v.For(carried=(), unroll=1, parallel=False) as loop, [v.Bind() as begin, v.If() as left]:
                    if begin.variable not in NamesUsed().visit(rest[2:]).integers:
                        strip = self._strip(loop, begin, left)
                        if strip is not None:
                            result.append(strip)
                            del rest[:2]
                            continue
            result.append(map_bodies(statement, self.block))
        return tuple(result)

    def _strip(self, loop: v.For, begin: v.Bind, left: v.If) -> Strip | None:
        """A loop, where what is left of it begins, and that."""
        end, step = loop.upper + loop.step - 1, loop.step
        count = end - loop.lower
        starts = [loop.lower + each // step * step for each in (count, maximum(affine(0), count))]
        if step < 2 or begin.value not in starts or left.condition != at_least(end, affine(begin.variable) + 1):
            return None
        if left.orelse or loop.going is not None:
            return None
        here, lanes = affine(loop.variable), numbered_name("lanes", self.taken)
        kind, start, part = Strip, begin.variable, left.then
        match part:
            case (v.If(condition, (v.Bind(again, last), *full), (v.Bind(first, value), *rest)),) if (
                condition,
                last,
                value,
            ) == (at_least(end - loop.lower, step), end - step, loop.lower):
                if not self._is_same(loop.body, mapped(tuple(full), lambda value: value.substitute({again: here}))):
                    return None
                kind, start, part = WholeStrip, first, tuple(rest)
        part = mapped(part, lambda value: value.substitute({start: here}))
        try:
            body = self._joined(loop.body, part, end - here, lanes)
        except UnlikeError:
            return None
        self.taken.add(lanes)
        number = v.Bind(lanes, minimum(affine(step), end - here))
        return kind(loop.variable, loop.lower, end, step, (number, *body))

    def _is_same(self, one: tuple[Statement, ...], other: tuple[Statement, ...]) -> bool:
        """Whether two copies differ in names of values only."""
        first, second = (form_of(Section(body, ()), self.tiles, self.lets) for body in (one, other))
        same = (first.key, first.slots, first.arrays, [*first.scalars], first.own)
        return same == (second.key, second.slots, second.arrays, [*second.scalars], second.own)

    def _joined(
        self, whole: tuple[Statement, ...], part: tuple[Statement, ...], left: Affine, lanes: str
    ) -> tuple[Statement, ...]:
        """The statements of a whole vector with a count of lanes where those of a part have fewer.

        Raises:
            UnlikeError: if they differ in more than that, or in nothing.
        """
        first, second = (form_of(Section(body, ()), self.tiles, self.lets) for body in (whole, part))
        if (first.key, first.arrays, list(first.scalars)) != (second.key, second.arrays, list(second.scalars)):
            raise UnlikeError
        stored = {x.address.array for x in walk((*whole, *part)) if isinstance(x, Store)}
        if any(a != b and not {a, b} <= stored for a, b in zip(first.own, second.own, strict=True)):
            raise UnlikeError  # values that stand in an array around
        slots = list[Affine | None]()
        for (a, _), (b, _) in zip(first.slots, second.slots, strict=True):
            if a != b and (a is not None or b != left):
                raise UnlikeError
            slots.append(a if a == b else affine(lanes))
        if affine(lanes) not in slots:
            raise UnlikeError
        return rewritten(first, slots, first.arrays)
