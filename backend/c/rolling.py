"""Straight-line code of register tiles as short loops again, which compilers unroll: what people read, not what runs.

    c0 = C[i][j];  c1 = C[i + 1][j];  ..                C_tile[r] = C[i + r][j]  for r in [0, 6)
    for k:  c0 = a0 * b + c0;  c1 = a1 * b + c1;  ..    for k:  C_tile[r] = A[i + r][k] * b + C_tile[r]  for r in [0, 6)
    C[i][j] = c0;  C[i + 1][j] = c1;  ..                C[i + r][j] = C_tile[r]  for r in [0, 6)

What stands in rows and columns of a tile differs by constants that grow evenly. Where that holds for all that a group
of stores, or of values that a loop carries, is computed from, one statement with variables for row and column takes
their place; values that outlive the statement stand in small arrays, which compilers keep in registers once the loops
are unrolled. Every element is computed by the same operations in the same order. Whatever does not fit stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, Condition, FloorDiv, Max, Min, affine, at_least, choose, equal, through
from polyloop.backend.ir.loop_nest import ArraySpec, Storage, numbered_name
from polyloop.backend.ir.traversal import (
    NamesUsed,
    bound_variables,
    definitions,
    nameless,
    operands,
    uses,
    walk,
    with_operands,
)
from polyloop.backend.ir.vector_program import Address, Let, Statement, Store, Value, ValueType, VectorProgram
from polyloop.backend.planning.reuse import without_dead_code

LEAST = 3
"""So many statements are worth a loop."""

_STRAIGHT = 20
"""Statements that straight-line code has where triangles are looked for: rows of several steps each."""


@dataclass(frozen=True)
class Rolled:
    """A program for the C printer alone.

    Attributes:
        registers: arrays that hold values of a type, the last subscript being the lane.
        sums: values that loops carry as scalars of their own.
        shared: the arrays of vectors that were loaded, and that several elements use.
        columns: the arrays of blocks' columns, which one call fills.
    """

    program: VectorProgram
    registers: dict[str, ValueType]
    sums: frozenset[str]
    shared: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()


def rolled(program: VectorProgram) -> Rolled:
    """The program with its tiles as loops; as it is, if several of its values have one name."""
    if program.auto_vectorize or max(Counter(definitions(program.body)).values(), default=1) > 1:
        return Rolled(program, {}, frozenset())
    rolling = Rolling(program)
    # What stands in a loop now may be computed where it stood, too, for nobody.
    body = without_dead_code(rolling.block(program.body, {}), ())
    arrays = (*program.arrays, *rolling.arrays)
    return Rolled(
        replace(program, body=body, arrays=arrays),
        rolling.registers,
        frozenset(rolling.sums),
        frozenset(rolling.shared),
        frozenset(rolling.columns),
    )


@dataclass(frozen=True)
class _Grid:
    """Rows and columns of a tile: element number k stands in row k // columns."""

    rows: int
    columns: int
    variables: tuple[str, str]

    def even(self, numbers: Sequence[int], places: Sequence[int] = ()) -> Affine | None:
        """The numbers, of all elements or of those in some places, as a function of row and column."""
        points = [divmod(k, self.columns) for k in places or range(self.rows * self.columns)]
        return through(points, numbers, self.variables)

    def blend(self, values: Sequence[Affine], places: Sequence[int] = ()) -> Affine | None:
        """One expression that is each of the values in its place."""
        if all(value == values[0] for value in values):
            return values[0]
        constant = self.even([value.constant for value in values], places)
        if constant is None or len({len(value.terms) for value in values}) > 1:
            return None
        result = constant
        for terms in zip(*(value.terms for value in values), strict=True):
            atom = self._atom([a for a, _ in terms], places)
            if atom is None or len({c for _, c in terms}) > 1:
                return None
            result = result + atom * terms[0][1]
        return result

    def first(self, places: Sequence[int]) -> Condition | None:
        """What holds of the elements in these places alone: of the first rows, the first columns, or the first one."""
        row, column = map(affine, self.variables)
        rows, columns = len(places) // self.columns, len(places) // self.rows
        every = range(self.rows * self.columns)
        if list(places) == [0]:
            return equal(row * int(self.rows > 1) + column * int(self.columns > 1), 0)
        if list(places) == [k for k in every if k % self.columns < columns]:
            return equal(column, 0) if columns == 1 else at_least(columns - 1, column)
        if list(places) == [k for k in every if k // self.columns < rows]:
            return equal(row, 0) if rows == 1 else at_least(rows - 1, row)
        return None

    def _atom(self, atoms: Sequence[object], places: Sequence[int]) -> Affine | None:
        first = atoms[0]
        if all(atom == first for atom in atoms):
            return Affine(((first, 1),), 0)  # type: ignore[arg-type]
        match first:
            case Min() | Max() if all(type(a) is type(first) for a in atoms):
                sides = [a.operands for a in atoms]  # type: ignore[attr-defined]
                if len({len(side) for side in sides}) > 1:
                    return None
                blended = [self.blend(each, places) for each in zip(*sides, strict=True)]
                if any(each is None for each in blended):
                    return None
                return Affine(((type(first)(tuple(each for each in blended if each is not None)), 1),), 0)
            case FloorDiv(_, divisor) if all(isinstance(a, FloorDiv) and a.divisor == divisor for a in atoms):
                dividend = self.blend([a.dividend for a in atoms], places)  # type: ignore[attr-defined]
                return None if dividend is None else Affine(((FloorDiv(dividend, divisor), 1),), 0)
        return None

    def loop(self, body: Sequence[Statement]) -> Statement:
        """The statements for every element, row by row."""
        inside = tuple(body)
        for variable, count in reversed(list(zip(self.variables, (self.rows, self.columns), strict=True))):
            if count > 1:
                inside = (v.For(variable, affine(0), affine(count), 1, inside, unroll=count),)
        return inside[0]


class _UnlikeError(Exception):
    """Statements do not make rows of one tile."""


_Members = dict[str, tuple[str, int]]
"""Values that stand in an array: its name, and the element's number."""


@dataclass
class _Scope:
    """A list of statements around what is being worked on.

    Attributes:
        position: of the statement that this stands in.
        fills: loops that fill arrays with values that are known there, to stand in front of that.
        arrays: those that have been filled, by the names of the values.
    """

    body: tuple[Statement, ...]
    position: int = 0
    fills: dict[str, Statement] = field(default_factory=dict)
    arrays: dict[tuple[str, ...], str] = field(default_factory=dict)
    lets: dict[str, tuple[int, v.Operation]] = field(init=False)

    def __post_init__(self) -> None:
        self.lets = {s.name: (p, s.operation) for p, s in enumerate(self.body) if isinstance(s, Let)}

    def loads(self, names: Sequence[str]) -> list[v.Load] | None:
        """What the values are, or what they have in every lane, if that may as well be loaded where the scope has got
        to."""
        loads = []
        for name in names:
            position, operation = self.lets.get(name, (0, None))
            if isinstance(operation, v.Broadcast):
                position, operation = self.lets.get(operation.operand.name, (0, None))
            match operation:
                case v.Load(address, ValueType(_, 1), None, None) if address.array not in _written(
                    self.body[position : self.position]
                ):
                    loads.append(operation)
                case _:
                    return None
        return loads


class Rolling:
    """The work on one program: its arrays of values, and the names that it takes."""

    def __init__(self, program: VectorProgram) -> None:
        self.registers: dict[str, ValueType] = {}
        self.arrays: list[ArraySpec] = []
        self.sums: set[str] = set()
        self.shared: set[str] = set()
        self.columns: set[str] = set()
        self.grids: dict[str, _Grid] = {}
        self.scopes: list[_Scope] = []
        self.known: list[Condition] = []
        self.count = Counter(value.name for value in uses(program.body))
        self._taken = {*program.parameters, *(a.name for a in program.arrays), *bound_variables(program.body)}
        self._taken |= set(definitions(program.body))
        self.variables = self.fresh("r"), self.fresh("c")

    def groups(self, body: tuple[Statement, ...]) -> list[list[int]]:
        """Positions of stores, and of prefetches, that may be one loop."""
        return list(_runs(body))

    def state(self) -> tuple[list[ArraySpec], set[str]]:
        """The arrays and names that there are, for `back_to`."""
        return list(self.arrays), set(self._taken)

    def back_to(self, state: tuple[list[ArraySpec], set[str]]) -> None:
        """Forget the arrays and names that have come since."""
        self.arrays, self._taken = list(state[0]), set(state[1])
        self.registers = {array.name: self.registers[array.name] for array in self.arrays}
        for scope in self.scopes:
            scope.arrays = {names: array for names, array in scope.arrays.items() if array in self.registers}
            scope.fills = {array: loop for array, loop in scope.fills.items() if array in self.registers}

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        name = numbered_name(stem, self._taken)
        self._taken.add(name)
        return name

    def tile(self, stem: str, type_: ValueType, grid: _Grid) -> str:
        """An array for one value of each element."""
        name = self.fresh(stem)
        extents = [count for count in (grid.rows, grid.columns) if count > 1]
        extents += [type_.lanes] if type_.lanes > 1 else []
        self.arrays.append(ArraySpec(name, type_.element, tuple(map(affine, extents)), Storage.LOCAL))
        self.registers[name], self.grids[name] = type_, grid
        return name

    def tile_of(self, stem: str, type_: ValueType, rows: int, columns: int) -> str:
        """The same for so many rows and columns."""
        return self.tile(stem, type_, _Grid(rows, columns, self.variables))

    def element(self, name: str, row: Affine, column: Affine) -> Address:
        """Where a value stands in such an array."""
        grid, type_ = self.grids[name], self.registers[name]
        pairs = ((row, grid.rows), (column, grid.columns))
        subscripts = [at for at, count in pairs if count > 1] + ([affine(0)] if type_.lanes > 1 else [])
        strides = (0,) * (len(subscripts) - 1) + (int(type_.lanes > 1),)
        return Address(name, tuple(subscripts), strides)

    def grid_of(self, count: int) -> Iterator[_Grid]:
        yield _Grid(count, 1, self.variables)
        for columns in range(2, count // 2 + 1):
            if count % columns == 0:
                yield _Grid(count // columns, columns, self.variables)

    def block(self, body: tuple[Statement, ...], members: _Members) -> tuple[Statement, ...]:
        """A list of statements with what is inside of them."""
        members = dict(members)
        body = self._turned(body, members)
        operations = sum(isinstance(s, Let) and isinstance(s.operation, v.Arithmetic) for s in body)
        if len(body) > _STRAIGHT and operations > sum(isinstance(s, Store) for s in body) > 2:
            from polyloop.backend.c.triangles import with_triangles  # of long straight-line code

            body = with_triangles(self, body)
        result: list[Statement] = []
        scope = _Scope(body)
        self.scopes.append(scope)
        for position, statement in enumerate(body):
            scope.position = position
            made = self._inside(statement, body, position, members)
            result += [*scope.fills.values(), *made]
            scope.fills.clear()
        self.scopes.pop()
        return with_chains(self, self._groups(tuple(result), members), members)

    def _inside(
        self, statement: Statement, body: tuple[Statement, ...], position: int, members: _Members
    ) -> list[Statement]:
        match statement:
            case v.For(carried=carried) if carried:
                return self._carrying(statement, body, position, members)
            case v.For(unroll=unroll):
                around = self.variables
                if unroll > 1:  # the rows and columns of a tile, which may hold tiles
                    self.variables = self.fresh("r"), self.fresh("c")
                made = replace(statement, body=self.block(statement.body, members))
                self.variables = around
                return [made]
            case v.If(condition, then, orelse):
                self.known.append(condition)
                then = self.block(then, members)
                self.known.pop()
                return [v.If(condition, then, self.block(orelse, members))]
            case v.When(value, inside):
                return [v.When(value, self.block(inside, members))]
            case _:
                return [statement]

    def outside(self, names: tuple[str, ...], grid: _Grid) -> str | None:
        """An array of values that were loaded around what is being worked on, filled in front of that. Vectors of one
        number each are made there, once: compilers that make them in every loop keep the numbers as well."""
        for scope in self.scopes:
            if names in scope.arrays:
                return scope.arrays[names]
            loads, types = scope.loads(names), {scope.lets[name][1].type for name in names if name in scope.lets}
            if loads is None or len(types) > 1:
                continue
            address = _address(grid, [load.address for load in loads])
            if address is None:
                return None
            (type_,) = types
            name = scope.arrays[names] = self.tile(f"{address.array}_values", type_, grid)
            number = Let(self.fresh("t"), replace(loads[0], address=address))
            each = Let(self.fresh("t"), v.Broadcast(number.value, type_))
            value = number.value if type_.lanes == 1 else each.value
            place = self.element(name, *map(affine, grid.variables))
            scope.fills[name] = grid.loop([number, each, Store(place, value)])
            return name
        return None

    # --- blocks that are turned ---------------------------------------------------------------------------------------

    def _turned(self, body: tuple[Statement, ...], members: _Members) -> tuple[Statement, ...]:
        """With the rows of blocks in an array, their columns in another, and one value of all lanes between them."""
        if not any(isinstance(s, Let) and isinstance(s.operation, v.Shuffle) for s in body):
            return body
        from polyloop.backend.c.turning import turned_blocks  # of those that shuffle

        while blocks := turned_blocks(body):
            block = blocks[0]
            stem, count = _stem(body, block.rows[0]), len(block.rows)
            rows = self.tile(f"{stem}_rows", block.row, _Grid(count, 1, self.variables))
            columns = self.tile(f"{stem}_columns", block.column, _Grid(block.row.lanes, 1, self.variables))
            self.columns.add(columns)
            whole = ValueType(block.row.element, count * block.row.lanes)
            order = tuple(row * block.row.lanes + column for column in range(block.row.lanes) for row in range(count))
            filled, turned = Value(self.fresh("t"), whole), Value(self.fresh("t"), whole)
            start = affine(0)
            call = (
                Let(filled.name, v.Load(self.element(rows, start, start), whole)),
                Let(turned.name, v.Shuffle((filled, filled), order, whole)),
                Store(self.element(columns, start, start), turned),
            )
            taken = [
                Let(name, v.Load(self.element(columns, affine(k), start), block.column))
                for k, name in enumerate(block.columns)
            ]
            members.update({name: (columns, k) for k, name in enumerate(block.columns)})
            before = [s for s in body[: block.end + 1] if not (isinstance(s, Let) and s.name in block.columns)]
            body = (
                *before,
                *self._filled(rows, block.rows, body[: block.end], members),
                *call,
                *taken,
                *body[block.end + 1 :],
            )
        return body

    def _filled(
        self, array: str, values: Sequence[Value], before: tuple[Statement, ...], members: _Members
    ) -> list[Statement]:
        """Values in an array, by a loop where they follow from each other."""
        grid = self.grids[array]
        try:
            merging = _Merging(self, grid, before, members)
            value = merging.merged(values)
            merging.check_loads()
        except _UnlikeError:
            return [Store(self.element(array, affine(k), affine(0)), value) for k, value in enumerate(values)]
        place = self.element(array, *map(affine, grid.variables))
        return [*merging.before, grid.loop([*merging.template, Store(place, value)])]

    # --- values that loops carry --------------------------------------------------------------------------------------

    def _carrying(self, loop: v.For, body: tuple[Statement, ...], position: int, members: _Members) -> list[Statement]:
        """The loop with the values that it carries in an array, and what fills that; or as it is."""
        before: list[Statement] = []
        after: list[Statement] = []
        for names in _families(loop.carried):
            families = [[c for c in loop.carried if c.name in family] for family in names]
            if not all(families):
                continue
            for grid in self.grid_of(len(families[0])):
                state = self.state()
                try:
                    first, loop, last = self._family(loop, families, grid, body, position, members)
                except _UnlikeError:
                    self.back_to(state)
                    continue
                before += first
                after += last
                break
        return [*before, replace(loop, body=self.block(loop.body, members)), *after]

    def _family(
        self,
        loop: v.For,
        families: list[list[v.Carried]],
        grid: _Grid,
        body: tuple[Statement, ...],
        position: int,
        members: _Members,
    ) -> tuple[list[Statement], v.For, list[Statement]]:
        row, column = map(affine, grid.variables)
        initial = _Merging(self, grid, body[:position], members)
        starts = [initial.merged([c.initial for c in family]) for family in families]
        initial.check_loads()
        stems = [_stem(body[:position], family[0].initial) for family in families]
        names = [self.tile(f"{stem}_tile", family[0].type, grid) for stem, family in zip(stems, families, strict=True)]
        places = [self.element(name, row, column) for name in names]
        path, updated = _through(loop, families)
        inner = path[-1]
        own = {c.name: (name, k) for name, family in zip(names, updated, strict=True) for k, c in enumerate(family)}
        update = _Merging(self, grid, inner.body, {**members, **own}, in_place=frozenset(names))
        following = [update.merged([c.next for c in family]) for family in updated]
        update.check_loads(whole=True)
        self.sums.update(f.name for f in following if f.type.lanes == 1 and f.type.element.is_float)
        rest = tuple(c for c in inner.carried if c.name not in own)
        wanted = {*update.invariant, *(() if inner.going is None else (inner.going.name,))}
        kept = _without((*inner.body, *update.before), rest, wanted)
        # What else reads a carried value needs it by its name, and not as an element of a tile.
        if any(value.name in own for value in uses(kept)):
            raise _UnlikeError
        stores = [Store(place, value) for place, value in zip(places, following, strict=True)]
        changed = (*kept, grid.loop([*update.template, *stores]))
        if any(c.next.name in own or c.initial.name in own for c in rest):
            raise _UnlikeError
        lets: list[Statement] = []
        for name, family in zip(names, families, strict=True):
            for k, c in enumerate(family):
                element = self.element(name, affine(k // grid.columns), affine(k % grid.columns))
                lets.append(Let(c.result, v.Load(element, c.type)))
                members[c.result] = name, k
        filling = [Store(place, value) for place, value in zip(places, starts, strict=True)]
        filled = [*initial.before, grid.loop([*initial.template, *filling])]
        made = replace(inner, body=changed, carried=rest)
        # The loops around carried the values through: from the inside out they have less to carry, too.
        for outer, old in reversed(list(pairwise(path))):
            kept = tuple(made if s is old else s for s in outer.body)
            left = {c.initial.name for c in old.carried} - {c.initial.name for c in made.carried}
            made = replace(outer, body=kept, carried=tuple(c for c in outer.carried if c.name not in left))
        return filled, made, lets

    # --- stores, and what else follows each other ---------------------------------------------------------------------

    def _groups(self, body: tuple[Statement, ...], members: _Members) -> tuple[Statement, ...]:
        """The statements with groups of stores, and of prefetches, as loops."""
        replaced: dict[int, list[Statement]] = {}
        for group in _runs(body):
            begin = 0
            while len(group) - begin >= LEAST:
                end, made = self._longest(body, group[begin:], members)
                if made is not None:
                    part = group[begin : begin + end]
                    replaced.update({position: [] for position in part[:-1]})
                    replaced[part[-1]] = made
                begin += end
        if not replaced:
            return body
        return tuple(s for p, statement in enumerate(body) for s in replaced.get(p, [statement]))

    def _longest(
        self, body: tuple[Statement, ...], group: list[int], members: _Members
    ) -> tuple[int, list[Statement] | None]:
        """How many of a group become a loop, and the loop. Stores do all or none: they might pass each other."""
        stores = isinstance(body[group[0]], Store)
        for end in range(len(group), len(group) - 1 if stores else LEAST - 1, -1):
            if (made := self._group(body, group[:end], members)) is not None:
                return end, made
        return len(group), None

    def _group(self, body: tuple[Statement, ...], group: list[int], members: _Members) -> list[Statement] | None:
        """One loop over statements that repeat themselves, one by one or several at a time."""
        for period in range(1, len(group) // LEAST + 1):
            if len(group) % period == 0:
                for grid in self.grid_of(len(group) // period):
                    if (made := self._repeated(body, group, period, grid, members)) is not None:
                        return made
        return None

    def _repeated(
        self, body: tuple[Statement, ...], group: list[int], period: int, grid: _Grid, members: _Members
    ) -> list[Statement] | None:
        merging = _Merging(self, grid, body[: group[-1]], members, stores=group, period=period)
        roots: list[Statement] = []
        for first in range(period):
            same = [body[position] for position in group[first::period]]
            address = _address(grid, [root.address for root in same if isinstance(root, Store | v.Prefetch)])
            if address is None:
                return None
            stores = [root for root in same if isinstance(root, Store)]
            try:
                active = (
                    _active(grid, [store.active for store in stores], stores[0].value.type.lanes) if stores else None
                )
                values = [store.value for store in stores]
                roots.append(Store(address, merging.merged(values), active) if stores else v.Prefetch(address))
                merging.check_loads()
            except _UnlikeError:
                return None
        return [*merging.before, grid.loop([*merging.template, *roots])]


@dataclass
class _Merging:
    """Values of all elements of a tile become one.

    Attributes:
        statements: in front of what uses the values.
        members: values in arrays; those of `in_place` only as the element's own.
        stores: positions of the group's stores, so many (`period`) for each element.
        template: what computes the one value; `before`: loops that fill arrays it needs.
        invariant: values that all elements share.
        loaded: positions of loads that move, with the element's number.
    """

    rolling: Rolling
    grid: _Grid
    statements: tuple[Statement, ...]
    members: _Members
    in_place: frozenset[str] = frozenset()
    stores: Sequence[int] = ()
    period: int = 1
    template: list[Statement] = field(default_factory=list)
    before: list[Statement] = field(default_factory=list)
    invariant: set[str] = field(default_factory=set)
    loaded: list[tuple[int, int]] = field(default_factory=list)
    _known: dict[tuple[str, ...], Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lets = {s.name: (p, s) for p, s in enumerate(self.statements) if isinstance(s, Let)}

    def merged(self, values: Sequence[Value]) -> Value:
        """
        Raises:
            _UnlikeError: if there is no such value.
        """
        names = tuple(value.name for value in values)
        if names not in self._known:
            self._known[names] = self._merged(names, values)
        return self._known[names]

    def _merged(self, names: tuple[str, ...], values: Sequence[Value]) -> Value:
        if len(set(names)) == 1:
            if self.members.get(names[0], ("",))[0] in self.in_place:
                raise _UnlikeError
            self.invariant.add(names[0])
            return values[0]
        if all(name in self.members for name in names):
            return self._member(names, values[0].type)
        if not all(name in self._lets for name in names):
            return self._outside(names)
        lets = [self._lets[name][1] for name in names]
        operations = [let.operation for let in lets]
        first = operations[0]
        if any(type(o) is not type(first) or o.type != first.type for o in operations):
            raise _UnlikeError
        if isinstance(first, v.Load):
            return self._loads(names, values, [o for o in operations if isinstance(o, v.Load)])
        if isinstance(first, v.IndexValue):
            value = self.grid.blend([o.value for o in operations if isinstance(o, v.IndexValue)])
            if value is None or len({o.stride for o in operations if isinstance(o, v.IndexValue)}) > 1:
                raise _UnlikeError
            return self._let(replace(first, value=value))
        if isinstance(first, v.LazyPick) or len({nameless(o) for o in operations}) > 1:
            raise _UnlikeError
        inner = iter([self.merged(column) for column in zip(*map(operands, operations), strict=True)])
        return self._let(with_operands(first, lambda _: next(inner)))

    def _outside(self, names: tuple[str, ...]) -> Value:
        """Scalars, or vectors of one each, that were loaded around the statements."""
        array = self.rolling.outside(names, self.grid)
        if array is None:
            raise _UnlikeError
        place = self.rolling.element(array, *map(affine, self.grid.variables))
        return self._let(v.Load(place, self.rolling.registers[array]))

    def _let(self, operation: v.Operation) -> Value:
        name = self.rolling.fresh("t")
        self.template.append(Let(name, operation))
        return Value(name, operation.type)

    def _member(self, names: tuple[str, ...], type_: ValueType) -> Value:
        (array, *others) = dict.fromkeys(self.members[name][0] for name in names)
        if others:
            raise _UnlikeError
        grid, numbers = self.rolling.grids[array], [self.members[name][1] for name in names]
        row = self.grid.even([number // grid.columns for number in numbers])
        column = self.grid.even([number % grid.columns for number in numbers])
        own = list(range(len(numbers)))
        if row is None or column is None or (array in self.in_place and numbers != own):
            raise _UnlikeError
        return self._let(v.Load(self.rolling.element(array, row, column), type_))

    def _loads(self, names: tuple[str, ...], values: Sequence[Value], loads: list[v.Load]) -> Value:
        if loads[0].type.lanes > 1 and len(set(names)) < len(names):
            return self._shared(names, values)
        address = _address(self.grid, [load.address for load in loads])
        if address is None or any(load.where is not None for load in loads):
            raise _UnlikeError
        active = _active(self.grid, [load.active for load in loads], loads[0].type.lanes)
        self.loaded += [(self._lets[name][0], number) for number, name in enumerate(names)]
        return self._let(replace(loads[0], address=address, active=active))

    def _shared(self, names: tuple[str, ...], values: Sequence[Value]) -> Value:
        """Vectors that several elements use are loaded once, into an array of their own."""
        distinct = list({value.name: value for value in values}.values())
        places = {value.name: number for number, value in enumerate(distinct)}
        place = self.grid.even([places[name] for name in names])
        if place is None or len(distinct) < 2:
            raise _UnlikeError
        grid = _Grid(len(distinct), 1, self.grid.variables)
        inner = _Merging(self.rolling, grid, self.statements, self.members, self.in_place, self.stores, self.period)
        value = inner.merged(distinct)
        self.loaded += inner.loaded
        self.invariant |= inner.invariant
        array = self.rolling.tile(f"{_stem(self.statements, distinct[0])}_part", value.type, grid)
        self.rolling.shared.add(array)
        row = affine(grid.variables[0])
        self.before += [
            *inner.before,
            grid.loop([*inner.template, Store(self.rolling.element(array, row, row), value)]),
        ]
        return self._let(v.Load(self.rolling.element(array, place, place), value.type))

    def check_calls(self) -> None:
        """
        Raises:
            _UnlikeError: if a function would be called again for values that others use, too; what operators compute
                twice compilers compute once.
        """
        calls = any(isinstance(s, Let) and isinstance(s.operation, v.Apply) for s in self.template)
        if calls and any(
            self.rolling.count[name] > 1 for names in self._known for name in names if len(set(names)) > 1
        ):
            raise _UnlikeError

    def check_loads(self, whole: bool = False) -> None:
        """
        Args:
            whole: the statements are a loop's body, all of which runs before what is merged does.
        Raises:
            _UnlikeError: if a load would move across a store to its array.
        """
        written = [(p, _written((s,))) for p, s in enumerate(self.statements)]
        every = {position for position, _ in self.loaded}
        wide = [position for position, _ in self.loaded if self._is_wide(position)]
        if self.stores and len(wide) > len(set(wide)):
            # Neighbours in a stencil: as a loop each would be loaded by every row that it is a neighbour of.
            raise _UnlikeError
        places = {at: k // self.period for k, at in enumerate(self.stores)}
        for position, number in self.loaded:
            let = self.statements[position]
            assert isinstance(let, Let)
            assert isinstance(let.operation, v.Load)
            array = let.operation.address.array
            for at, arrays in written:
                if array not in arrays:
                    continue
                if at in places:  # each element's loads stay between the stores of the one before and its own
                    stays = places[at] >= number if at > position else places[at] < number
                    stays = stays and (at > position or self.rolling.count[let.name] == 1)
                else:
                    stays = at < position and not whole
                if not stays:
                    raise _UnlikeError
        if self.stores and isinstance(self.statements[self.stores[0]], Store):
            self._check_others(every)

    def _is_wide(self, position: int) -> bool:
        """Whether a vector is loaded there, not one element for all lanes."""
        let = self.statements[position]
        return isinstance(let, Let) and isinstance(let.operation, v.Load) and let.operation.type.lanes > 1

    def _check_others(self, moved: set[int]) -> None:
        """What else reads the array that the stores write is not to be passed by them."""
        first = self.statements[self.stores[0]]
        assert isinstance(first, Store)
        for position in range(self.stores[0], len(self.statements)):
            match self.statements[position]:
                case Let(_, v.Load(address)) if address.array == first.address.array and position not in moved:
                    raise _UnlikeError


# --- chains -----------------------------------------------------------------------------------------------------------


def with_chains(rolling: Rolling, body: tuple[Statement, ...], members: _Members) -> tuple[Statement, ...]:
    """The statements with steps that do the same with one value after the other as loops that carry it.

    x1 = a0 * b0 + x0;  x2 = a1 * b1 + x1;  ..       ->       for r in [0, 8):  x = a[r] * b[r] + x
    """
    while True:
        for chain, place in _chains(body, rolling.count):
            made = _chained(rolling, body, chain, place, members)
            if made is not None:
                body = made
                break
        else:
            return body


def _chains(body: tuple[Statement, ...], count: Counter[str]) -> Iterator[tuple[list[str], int]]:
    """Names of values each of which is computed from the one before and is all that is, and the operand that it is."""
    lets = {s.name: s.operation for s in body if isinstance(s, Let) and isinstance(s.operation, v.Arithmetic)}
    seen: set[str] = set()
    for last in reversed(lets):
        for place in (2,) if lets[last].operator == "fma" else (0, 1):
            chain = [last]
            while place < len(lets[chain[0]].operands) and chain[0] not in seen:
                before = lets[chain[0]].operands[place].name
                if before not in lets or count[before] != 1 or nameless(lets[before]) != nameless(lets[last]):
                    break
                chain.insert(0, before)
            if len(chain) > LEAST:
                seen |= set(chain)
                yield chain, place
                break


def _chained(
    rolling: Rolling, body: tuple[Statement, ...], chain: list[str], place: int, members: _Members
) -> tuple[Statement, ...] | None:
    positions = {s.name: p for p, s in enumerate(body) if isinstance(s, Let)}
    end = positions[chain[-1]]
    steps = [s.operation for s in body if isinstance(s, Let) and s.name in chain]
    grid, state = _Grid(len(chain), 1, rolling.variables), rolling.state()
    merging = _Merging(rolling, grid, body[: end + 1], members)
    carried = Value(rolling.fresh("t"), steps[0].type)
    try:
        columns = [list(column) for column in zip(*map(operands, steps), strict=True)]
        values = [carried if k == place else merging.merged(column) for k, column in enumerate(columns)]
        merging.check_loads()
        merging.check_calls()
    except _UnlikeError:
        rolling.back_to(state)
        return None
    following = iter(values)
    step = Let(rolling.fresh("t"), with_operands(steps[0], lambda _: next(following)))
    c = v.Carried(carried.name, carried.type, columns[place][0], step.value, chain[-1])
    one = (*merging.template, step)
    loop = v.For(grid.variables[0], affine(0), affine(grid.rows), 1, one, (c,), unroll=grid.rows)
    kept = [s for s in body[:end] if not (isinstance(s, Let) and s.name in chain)]
    return (*kept, *merging.before, loop, *body[end + 1 :])


def _through(loop: v.For, families: list[list[v.Carried]]) -> tuple[list[v.For], list[list[v.Carried]]]:
    """The loop and those inside of it that only pass on what it carries, to the one that changes it; what that carries.

    Raises:
        _UnlikeError: if something else happens to it on the way.
    """
    path = [loop]
    while not all(isinstance(s, Let | v.Prefetch | Store | v.Bind) for s in path[-1].body):
        outer = path[-1]
        inner = [s for s in outer.body if isinstance(s, v.For) and s.carried]
        if len(inner) != 1:
            raise _UnlikeError
        count = Counter(value.name for value in (*uses(outer.body), *(c.next for c in outer.carried)))
        passed = {c.initial.name: c for c in inner[0].carried}
        for c in (c for family in families for c in family):
            into = passed.get(c.name)
            if into is None or c.next.name != into.result or count[c.name] != 1 or count[into.result] != 1:
                raise _UnlikeError
        families = [[passed[c.name] for c in family] for family in families]
        path.append(inner[0])
    return path, families


def _families(carried: Sequence[v.Carried]) -> list[list[set[str]]]:
    """What a loop carries by type; then those together of which there are equally many, as they may need each other."""
    types = {c.type: {other.name for other in carried if other.type == c.type} for c in carried}
    several = [family for family in types.values() if len(family) >= LEAST]
    counts = {len(family): [other for other in several if len(other) == len(family)] for family in several}
    return [*([family] for family in several), *(alike for alike in counts.values() if len(alike) > 1)]


def _address(grid: _Grid, addresses: Sequence[Address]) -> Address | None:
    first = addresses[0]
    if any((a.array, a.lane_strides) != (first.array, first.lane_strides) for a in addresses):
        return None
    subscripts = [grid.blend(each) for each in zip(*(a.subscripts for a in addresses), strict=True)]
    known = tuple(each for each in subscripts if each is not None)
    return Address(first.array, known, first.lane_strides) if len(known) == len(subscripts) else None


def _active(grid: _Grid, counts: Sequence[Affine | None], lanes: int) -> Affine | None:
    """How many lanes each element has: all where planning knows it, in the first ones."""
    places = [place for place, count in enumerate(counts) if count is not None]
    if not places:
        return None
    active = grid.blend([count for count in counts if count is not None], places)
    if active is not None and len(places) < len(counts):
        full = grid.first([place for place, count in enumerate(counts) if count is None])
        active = None if full is None else choose(full, lanes, active)
    if active is None:
        raise _UnlikeError
    return active


def _runs(body: tuple[Statement, ...]) -> Iterator[list[int]]:
    """Positions of stores to one array, or of prefetches of it, with nothing but single operations between them."""
    open_: dict[tuple[object, ...], list[int]] = {}
    for position, statement in enumerate(body):
        match statement:
            case Store(address, value, _, None):
                key: tuple[object, ...] = ("store", address.array, address.lane_strides, value.type)
                open_.setdefault(key, []).append(position)
            case v.Prefetch(address):
                kinds = tuple((type(atom), factor) for at in address.subscripts for atom, factor in at.terms)
                open_.setdefault(("ahead", address.array, kinds), []).append(position)
            case Let(_, operation) if not isinstance(operation, v.LazyPick):
                pass
            case _:
                yield from open_.values()
                open_ = {}
    yield from open_.values()


def _written(statements: Iterable[Statement]) -> frozenset[str]:
    return frozenset(s.address.array for s in walk(statements) if isinstance(s, Store))


def _stem(statements: Sequence[Statement], value: Value) -> str:
    """The array that a value was loaded from, to name others after it."""
    for statement in statements:
        match statement:
            case Let(value.name, v.Load(address)):
                return address.array
    return "value"


def _without(body: tuple[Statement, ...], carried: Sequence[v.Carried], wanted: Iterable[str]) -> tuple[Statement, ...]:
    """The statements that still have a use."""
    kept = list(body)
    while True:
        used = {*NamesUsed().visit(kept).values, *wanted, *(c.next.name for c in carried)}
        left = [s for s in kept if not (isinstance(s, Let) and s.name not in used)]
        if len(left) == len(kept):
            return tuple(kept)
        kept = left
