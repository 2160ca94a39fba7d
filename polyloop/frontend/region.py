"""The state of reading one region: which points get to the present place, what has to hold, which names are what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import islpy as isl
from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType, Pointer, Record, type_name, value_range
from polyloop.backend.ir.affine import Affine, And, Atom, Condition, affine, at_least, equal
from polyloop.backend.ir.expressions import (
    I32,
    I64,
    Access,
    Binary,
    Datum,
    Expression,
    Index,
    Literal,
    Read,
    reads,
    walk,
)
from polyloop.frontend.arrays import ArrayTable, Bound, Entry, dimensions
from polyloop.frontend.integer_reader import IntegerReader
from polyloop.frontend.integers import Integer, constant_integer, negate, subscript_of, variable_integer
from polyloop.frontend.scopes import (
    NO_MEMBERS,
    Declarations,
    FunctionNames,
    Place,
    Refusal,
    RegionNames,
    Scope,
    Symbol,
    Uses,
    walk_nodes,
)
from polyloop.frontend.values import ValueReader
from polyloop.scop.affine_isl import condition_set, is_reserved, universe

RowRead: TypeAlias = tuple[tuple[str, ...], str, c_ast.Node]
"""Loops, by where they stand, in every iteration of which C reads an element; the table that it is of, and which."""


_UNREAD = "unread"
"""Why a number in memory is no parameter, where it may be read under conditions, as data."""


@dataclass(frozen=True)
class Requirement:
    """A condition that must hold where C evaluates `node`, that is under the guards."""

    guards: tuple[Condition, ...]
    condition: Condition
    node: c_ast.Node


class OutsideReader(Protocol):
    """Takes calls of functions of which nothing is known; see `polyloop.frontend.outside`."""

    @property
    def room(self) -> int:
        """Places in the order of a block that are kept behind every statement."""
        ...

    def state(self, node: c_ast.Node) -> Read:
        """The variable that stands for the world outside."""
        ...

    def call(self, node: c_ast.FuncCall, name: str, symbol: Symbol | None, reader: ValueReader) -> Expression:
        """What a call gives; raises Refusal."""
        ...


@dataclass
class Region:
    """The surroundings of whatever is being read (see `Surroundings`).

    Attributes:
        exact: conditions and subscripts that come from data are refused.
        renamed: parameters under names that are not the variables' own.
        folded: counters of loops that become expressions, and their names there; `fold_names`: all that there were.
        points: the set of values of the active counters that reach the present place.
        known: what holds of the parameters: their types' ranges, positive extents.
        assumptions: parameters under which the model equals the C code.
        likely: parameters that the loops are meant for; nothing depends on it.
        collected: where requirements go instead of being applied at once, while a loop's header is read.
        reached: for every `Place` that is read, the sets of parameters for which C certainly reads it.
        perhaps: for every `Place` that C may read or not, the sets of parameters for which it comes to that.
        moved: the places that rewrites have other loops read.
        unsure: whether it depends on data that C gets to the present place at all.
        loops: where the loops around the present place stand in the file.
        bodies: for the loops around each loop's body, and it, the parameters for which C certainly gets there.
        outside: takes calls of functions of which nothing is known; None: they are refused.
        all_alias: stores of any type may change what has another type.
        supposed: values of parameters, by their names, that the region is read for alone.
        read_before: whether C has read what a parameter of the function points to, by its name, or a part of it, when
            it comes to the region, and could read it still.
        unread: places that are read where C reads them, as data, and not before the loops.
        row_reads: see `Surroundings`; `rows_read`: the elements of tables, by their texts, that C reads in any case.
    """

    scope: Scope
    declarations: Declarations
    names: RegionNames
    function: FunctionNames
    index: int
    exact: bool
    iterators: list[tuple[Symbol, str]] = field(default_factory=list)
    points: isl.Set = field(default_factory=lambda: universe(()))
    known: isl.Set = field(default_factory=lambda: isl.Set("{ : }"))
    context: isl.Set = field(default_factory=lambda: isl.Set("{ : }"))
    assumptions: isl.Set = field(default_factory=lambda: isl.Set("{ : }"))
    likely: isl.Set = field(default_factory=lambda: isl.Set("{ : }"))
    parameters: dict[str, Symbol] = field(default_factory=dict)
    substituted: dict[Symbol, Integer] = field(default_factory=dict)
    arrays: ArrayTable = field(default_factory=ArrayTable)
    bounds: list[Bound] = field(default_factory=list)
    locals: set[Symbol] = field(default_factory=set)
    renamed: dict[Symbol, Symbol] = field(default_factory=dict)
    folded: dict[Symbol, str] = field(default_factory=dict)
    fold_names: set[str] = field(default_factory=set)
    collected: list[Requirement] | None = None
    reached: dict[Symbol, list[isl.Set]] = field(default_factory=dict)
    perhaps: dict[Symbol, list[isl.Set]] = field(default_factory=dict)
    moved: set[Symbol] = field(default_factory=set)
    unsure: bool = False
    loops: list[str] = field(default_factory=list)
    bodies: dict[tuple[str, ...], isl.Set] = field(default_factory=dict)
    outside: OutsideReader | None = None
    all_alias: bool = False
    supposed: Mapping[str, int] = field(default_factory=dict)
    read_before: Callable[[str], bool] = field(default=lambda name: False)
    unread: frozenset[str] = frozenset()
    row_reads: tuple[RowRead, ...] = ()
    rows_read: dict[str, isl.Set] = field(default_factory=dict)
    _sets: dict[tuple[tuple[str, ...], Condition], isl.Set] = field(default_factory=dict)
    _allowed: tuple[isl.Set | None, isl.Set | None, isl.Set] = (None, None, isl.Set("{ : }"))

    @property
    def wraps(self) -> bool:
        return self.declarations.wraps

    @property
    def iterator_names(self) -> tuple[str, ...]:
        return tuple(name for _, name in self.iterators)

    def set_of(self, iterators: tuple[str, ...], condition: Condition) -> isl.Set:
        """`condition_set` of what statements in a row ask for again and again."""
        key = iterators, condition
        if key not in self._sets:
            self._sets[key] = condition_set(iterators, condition)
        return self._sets[key]

    def where(self, conditions: tuple[Condition, ...]) -> isl.Set:
        """The present points at which all conditions hold."""
        points = self.points
        for condition in conditions:
            points = points & self.set_of(self.iterator_names, condition)
        return points

    @property
    def allowed(self) -> isl.Set:
        """The parameters that are known to be there, and assumed, as few parts of them as there may be: this is asked
        for again and again, and assumptions alone may have many."""
        known, assumptions, allowed = self._allowed
        if known is not self.known or assumptions is not self.assumptions:
            allowed = (self.known & self.assumptions).coalesce()
            self._allowed = self.known, self.assumptions, allowed
        return allowed

    def is_possible(self, points: isl.Set) -> bool:
        """Whether some of these points are there for parameters that are allowed. isl looks at one pair of parts after
        the other until it has found one; an intersection would have them all."""
        iterators = points.dim(isl.dim_type.set)
        return not points.is_disjoint(isl.Set.from_params(self.allowed).add_dims(isl.dim_type.set, iterators))

    def holds(self, guards: tuple[Condition, ...], condition: Condition) -> bool:
        return not self.is_possible(self.where((*guards, negate(condition))))

    def require(self, guards: tuple[Condition, ...], condition: Condition, node: c_ast.Node) -> None:
        requirement = Requirement(guards, condition, node)
        if self.collected is not None:
            self.collected.append(requirement)
        else:
            self.apply(requirement)

    def apply(self, requirement: Requirement) -> None:
        """Take the parameters out of the assumptions for which the requirement fails somewhere."""
        points = self.where(requirement.guards)
        bad = points - condition_set(self.iterator_names, requirement.condition)
        message = f"this value always leaves the range of its type: {requirement.condition} does not hold"
        self.exclude(bad, points, requirement.node, "wraps", message)

    def exclude(self, bad: isl.Set, points: isl.Set, node: c_ast.Node, code: str, message: str) -> None:
        """Assume parameters for which `bad`, a part of `points`, is empty.

        Where `points` is empty anyway, parameters may go too: that keeps the assumptions few and convex
        (``n <= 1000``, not ``n <= 1000 or m <= 0``).

        Raises:
            Refusal: if no parameters are left.
        """
        if not self.is_possible(bad):
            return
        excluded = _outside(bad.params(), points.params() & self.known)
        assumptions = (self.assumptions - excluded).coalesce()
        if (assumptions & self.known).is_empty():
            raise Refusal(code, message, node)
        self.assumptions = assumptions

    @contextmanager
    def at_parameters(self) -> Iterator[None]:
        """What is read inside is evaluated once, before any loop."""
        saved = self.iterators, self.points, self.collected
        self.iterators, self.points, self.collected = [], universe(()), None
        try:
            yield
        finally:
            self.iterators, self.points, self.collected = saved

    @contextmanager
    def unsurely(self, unsure: bool = True) -> Iterator[None]:
        """What is read inside, C evaluates or not: that depends on data."""
        saved, self.unsure = self.unsure, self.unsure or unsure
        try:
            yield
        finally:
            self.unsure = saved

    def integer_of(self, symbol: Symbol, node: c_ast.Node) -> Integer:
        for active, name in self.iterators:
            if active is symbol:
                assert isinstance(symbol.type, Arithmetic)
                return variable_integer(name, symbol.type.scalar)
        if symbol in self.substituted:
            return self.substituted[symbol]
        if symbol in self.folded:
            raise Refusal("data-dependent", f"the counter {symbol.written} runs between bounds from data", node)
        type_ = symbol.type
        if not isinstance(type_, Arithmetic):
            what = type_name(type_)
            raise Refusal("pointer", f"{symbol.written} ({what}) is used as a number", node)
        if type_.volatile:
            raise Refusal("volatile", f"{symbol.written} is volatile", node)
        if type_.scalar.is_float:
            message = (
                f"{symbol.written} is of type {type_name(type_)}: bounds, subscripts and conditions must be integers"
            )
            raise Refusal("floating-point", message, node)
        self._check_unchanged(symbol, node)
        name = self._parameter(symbol, type_, node)
        if symbol.index <= self.index and (value := self.supposed.get(symbol.name)) is not None:
            self.assumptions = self.assumptions & condition_set((), equal(affine(name), value)).params()
            return constant_integer(value, type_.scalar)
        return variable_integer(name, type_.scalar)

    @contextmanager
    def inside(self, loop: c_ast.Node) -> Iterator[None]:
        """In the body of a loop that has been entered."""
        self.loops.append(str(loop.coord))
        if not self.unsure:
            reached, chain = self.points.params(), tuple(self.loops)
            self.bodies[chain] = reached | self.bodies[chain] if chain in self.bodies else reached
            for where, table, subscript in self.row_reads:
                if where == chain:
                    self._note_row(table, subscript)
        try:
            yield
        finally:
            self.loops.pop()

    def _note_row(self, table: str, subscript: c_ast.Node) -> None:
        if (number := _row_number(subscript, self)) is None:
            return
        names, count = (*self.iterator_names, "polyloop_row"), len(self.iterators)
        points = condition_set(names, equal(affine("polyloop_row"), number))
        points = points & self.points.add_dims(isl.dim_type.set, 1)
        rows = points.project_out(isl.dim_type.set, 0, count).reset_tuple_id()
        self.rows_read[table] = self.rows_read[table] | rows if table in self.rows_read else rows

    def evaluate(self, symbol: Symbol, guards: tuple[Condition, ...], node: c_ast.Node) -> None:
        """Note that C reads a place here, if the guards hold."""
        # What stands behind a guard in a loop's header is perhaps read in none of its iterations; what a rewrite took
        # to another loop is read where it was.
        at_home = bool(symbol.parts) or (str(node.coord), tuple(self.loops)) in symbol.homes
        self.moved |= set() if at_home else {symbol}
        certain = at_home and not self.unsure and not (guards and self.collected is not None)
        reached = self.reached.setdefault(symbol, [])
        if certain:
            points = self.where(guards).params()
            # Not "in", which asks whether they are equal: with remainders in them that takes isl seconds.
            reached += [] if any(points.plain_is_equal(known) for known in reached) else [points]
        else:
            self.perhaps.setdefault(symbol, []).append(self.where(guards).params())
        for part, inner in symbol.parts.get(str(node.coord), ()):
            if part.place is not None:
                self.evaluate(part, guards, inner)

    def _check_unchanged(self, symbol: Symbol, node: c_ast.Node) -> None:
        uses = self.uses(symbol)
        if symbol.name in uses.counters:
            raise Refusal("counter-value", f"the counter {symbol.name} is used outside its loop", node)
        if symbol in self.locals or symbol.name in uses.written:
            raise Refusal("data-dependent", f"{symbol.written} changes inside the region", node)
        if self._is_unread(symbol):
            raise Refusal(_UNREAD, f"it depends on data whether {symbol.written} is read at all", node)

    def _is_unread(self, symbol: Symbol) -> bool:
        return symbol.place is not None and symbol.place.text in self.unread

    def _parameter(self, symbol: Symbol, type_: Arithmetic, node: c_ast.Node) -> str:
        """The parameter's name: the variable's, unless the set library keeps that for itself."""
        if is_reserved(symbol.name):
            symbol = self._renamed(symbol, type_, node)
        known = self.parameters.get(symbol.name)
        if known is symbol:
            return symbol.name
        if known is not None:
            raise Refusal("name", f"two different variables {symbol.name} are parameters of the region", node)
        self.parameters[symbol.name] = symbol
        low, high = value_range(type_.scalar)
        value = affine(symbol.name)
        if type_.scalar.bits < 64:
            holding = condition_set((), And((at_least(value, low), at_least(high, value)))).params()
            self.known = self.known & holding
            if type_.scalar.kind == "uint":
                self.context = self.context & condition_set((), at_least(value, 0)).params()
        elif type_.scalar.kind == "uint":
            # Beyond 2**63 the value is no signed 64-bit number, which is what all later stages compute in.
            self.assumptions = self.assumptions & condition_set((), at_least(value, 0)).params()
        return symbol.name

    def _renamed(self, symbol: Symbol, type_: Arithmetic, node: c_ast.Node) -> Symbol:
        """A name for the value of a variable."""
        if symbol not in self.renamed:
            name = f"{symbol.name}_"
            while name in self.function.names or self.scope.lookup(name) is not None:
                name += "_"
            place = Place(symbol.name, symbol.name, symbol.name, value=True)
            made = Symbol(name, "member", type_, place=place, parts={str(node.coord): ((symbol, node),)})
            self.renamed[symbol] = self.scope.add(made)
        return self.renamed[symbol]

    def uses(self, symbol: Symbol) -> Uses:
        """How the region uses names of the symbol's kind: declared outside it or inside."""
        return self.names.inner if symbol.index > self.index else self.names.outer

    def is_index(self, symbol: Symbol) -> bool:
        if symbol in self.substituted or any(active is symbol for active, _ in self.iterators):
            return True
        type_ = symbol.type
        integer = isinstance(type_, Arithmetic) and not type_.scalar.is_float and not type_.volatile
        if symbol.place is not None and symbol.place.value:
            return True
        if symbol.kind == "constant" and symbol.register:  # an enumerator, which has a value and no address
            return True
        if self._is_unread(symbol):
            return False
        uses = self.uses(symbol)
        if not integer or symbol.name in uses.written or symbol in self.locals:
            return False
        return symbol.name in uses.affine or symbol.name in uses.counters

    def type_of(self, node: c_ast.Typename) -> CType:
        return self.declarations.resolve(node, self.scope)

    def sizeof(self, node: c_ast.Node) -> int | None:
        type_: CType | None = None
        match node:
            case c_ast.Typename():
                type_ = self.type_of(node)
            case c_ast.ID():
                symbol = self.scope.lookup(node.name)
                type_ = symbol.type if symbol is not None else None
            case c_ast.ArrayRef(name=c_ast.ID(name=name)) | c_ast.UnaryOp(op="*", expr=c_ast.ID(name=name)):
                symbol = self.scope.lookup(name)
                match symbol.type if symbol is not None else None:
                    case ArrayOf(element) | Pointer(element):
                        type_ = element
        return self._size(type_)

    def _size(self, type_: CType | None) -> int | None:
        match type_:
            case Arithmetic(scalar):
                return scalar.bytes
            case Pointer():
                return 8
            case ArrayOf(element, extent) if extent is not None:
                size = self._size(element)
                count = self.declarations.constant(extent, self.scope)
                return None if size is None or count is None else size * count
            case Record():
                from polyloop.frontend.layouts import size_and_alignment  # of those that ask for it

                layout = size_and_alignment(type_)
                return None if layout is None else layout[0]
        return None

    def access(self, node: c_ast.Node, integers: IntegerReader) -> tuple[Access, Arithmetic]:
        """The element that an lvalue names; its bounds are noted for later."""
        base, subscripts = _flatten(node)
        if not isinstance(base, c_ast.ID):
            raise Refusal(*_why_no_array(base), base)
        symbol = self.scope.lookup(base.name)
        if symbol is None:
            raise Refusal("undeclared", f"{base.name} is not declared", base)
        entry = self.entry(symbol, base)
        if symbol.place is not None:
            self.evaluate(symbol, integers.guards, base)
        if len(subscripts) != len(entry.extents):
            if not subscripts or len(subscripts) < len(entry.extents):
                raise Refusal("pointer", f"{entry.symbol.written} is used as a pointer, not as an element", base)
            raise Refusal("type", f"{entry.symbol.written} has {len(entry.extents)} dimensions", base)
        values = [affine(0) if s is None else self._subscript(entry, s, integers) for s in subscripts]
        access = Access(entry.name, tuple(values))
        if subscripts:
            self.bounds.append(Bound(access, integers.guards, node))
        return access, entry.type

    def _subscript(self, entry: Entry, node: c_ast.Node, integers: IntegerReader) -> Affine:
        saved = self.assumptions, self.known, self.context, dict(self.parameters)
        try:
            value = integers.integer(node)
            if len(entry.extents) > 1:
                return integers.settle(value, node).as_affine()
            if value.is_linear:
                return self.arrays.placeholder(entry, integers.settle(value, node), node)
        except Refusal as refusal:
            # Nothing is known of such numbers; parameters of a function that is being read have no place for data.
            if self.exact or integers.bound or refusal.code == _UNREAD:
                refusal.exact_only = self.exact
                raise
            self.assumptions, self.known, self.context, self.parameters = saved
            entry.indirect = True
            found = self._computed(node, integers, refusal)
            data = [atom.value for atom, _ in found.terms if isinstance(atom, Datum)]
            if self.has_blocks() and any(map(_is_product, data)):
                raise refusal from None
            return found
        computed = None
        with suppress(Refusal):
            computed = None if self.exact else self._computed(node, integers, Refusal("non-affine", "not affine", node))
        return self.arrays.placeholder(entry, value, node, computed)

    def _computed(self, node: c_ast.Node, integers: IntegerReader, refusal: Refusal) -> Affine:
        """A subscript that is not affine as what of it is, and what is computed from data.

        Raises:
            Refusal: if it cannot be computed either; `refusal`, where it is no worse in saying why.
        """
        try:
            value = ValueReader(self, integers).value(node)
        except Refusal as other:
            raise (other if other.code == "call" else refusal) from None
        if value.type.is_float:
            raise Refusal("type", "a subscript must be an integer", node)
        if any(isinstance(x, Binary) and x.operator in "/%" and x.right == Literal(0, x.type) for x in walk(value)):
            raise refusal
        inside = self.folded.values()

        def one(atom: Atom) -> Affine:
            if isinstance(atom, str) and atom in inside:
                return Affine(((Datum(Index(affine(atom), I64)), 1),))
            return Affine(((atom, 1),))

        return subscript_of(value).map_atoms(one) if inside else subscript_of(value)

    def has_blocks(self) -> bool:
        """Whether it has loops over blocks whose length is a parameter; the loops inside of these are better off alone,
        where subscripts are exact, than with others that compute where their blocks lie."""
        return any(symbol.place is not None and symbol.place.rest for symbol in self.parameters.values())

    def counted(self, symbol: Symbol) -> Index | None:
        """The value of the counter of a loop that becomes an expression."""
        name = self.folded.get(symbol)
        if name is None or not isinstance(symbol.type, Arithmetic):
            return None
        return Index(affine(name), symbol.type.scalar)

    def outside_call(
        self, node: c_ast.FuncCall, name: str, symbol: Symbol | None, reader: ValueReader
    ) -> Expression | None:
        return None if self.outside is None else self.outside.call(node, name, symbol, reader)

    def guard(self, node: c_ast.Node, integers: IntegerReader) -> Condition | None:
        """See `ValueSurroundings`: data are no guard, and no new parameters or assumptions come of trying."""
        for inner in walk_nodes(node):
            symbol = self.scope.lookup(inner.name) if isinstance(inner, c_ast.ID) else None
            if symbol is not None and symbol.value is None and not self.is_index(symbol):
                return None
        saved, self.collected = self.collected, []
        try:
            condition = integers.condition(node)
            return None if self.collected else condition
        except Refusal:
            return None
        finally:
            self.collected = saved

    def entry(self, symbol: Symbol, node: c_ast.Node) -> Entry:
        """The array of a symbol, entered into the table at its first use."""
        if symbol in self.arrays.entries:
            return self.arrays.entries[symbol]
        if symbol.name in self.uses(symbol).written and isinstance(symbol.type, Pointer):
            hint = "; let a condition choose it: p = t % 2 ? a : b"
            raise Refusal("pointer", f"the pointer {symbol.written} is changed inside the region{hint}", node)
        if symbol.name in self.uses(symbol).counters and isinstance(symbol.type, Arithmetic):
            raise Refusal("counter-value", f"the counter {symbol.name} is used outside its loop", node)
        if symbol.kind in ("function", "typedef"):
            raise Refusal("type", f"{symbol.name} is a {symbol.kind}", node)
        type_, nodes, pointer, restrict = dimensions(symbol.type, node, symbol.written)
        if (symbol.kind == "parameter" and nodes) or symbol.place is not None:
            # A member's restrict says nothing of pointers that were copied from it.
            pointer, restrict = True, restrict and symbol.place is None
        local = symbol in self.locals
        extents = self._extents(symbol, nodes, pointer, local)
        name = symbol.name
        taken = self.arrays.names()
        if name in taken and not local:
            raise Refusal("name", f"the name {name} stands for two arrays; rename it", node)
        while name in taken or is_reserved(name) or (local and name in self.parameters):
            name += "_"
        entry = Entry(symbol, name, type_, tuple(extents), pointer, restrict, local, node)
        self.arrays.entries[symbol] = entry
        return entry

    def _extents(
        self, symbol: Symbol, nodes: list[c_ast.Node | None], pointer: bool, local: bool
    ) -> list[Affine | None]:
        extents: list[Affine | None] = []
        for position, node in enumerate(nodes):
            if node is None:
                extents.append(None)
                continue
            first = position == 0
            try:
                extents.append(self._extent(symbol, node, first and pointer))
            except Refusal:
                # Only the first extent may stay unknown: no subscript's place depends on it.
                if not first or local:
                    raise
                extents.append(None)
        return extents

    def _extent(self, symbol: Symbol, node: c_ast.Node, of_parameter: bool) -> Affine:
        with self.at_parameters():
            value = IntegerReader(self).affine(node)
            for name in sorted(value.variables()):
                if any(n == name and index > symbol.index for n, index in self.function.assignments):
                    raise Refusal("extent", f"{name}, an extent of {symbol.name}, is assigned in this function", node)
                if self.function.address_taken.get(name, -1) > symbol.index:
                    message = f"{name}, an extent of {symbol.name}, may change: its address is taken in this function"
                    raise Refusal("extent", message, node)
            if value.is_constant:
                if value.constant < 1 and not of_parameter:
                    raise Refusal("extent", f"an extent of {symbol.name} is {value.constant}", node)
            elif not of_parameter:
                positive = condition_set((), at_least(value, 1)).params()
                self.context = self.context & positive
                self.known = self.known & positive
        return value


def _flatten(node: c_ast.Node) -> tuple[c_ast.Node, list[c_ast.Node | None]]:
    """The base and the subscripts of an element, outermost first; None is the 0 of ``*p``."""
    subscripts: list[c_ast.Node | None] = []
    while True:
        match node:
            case c_ast.ArrayRef():
                subscripts.append(node.subscript)
                node = node.name
            case c_ast.UnaryOp(op="*"):
                subscripts.append(None)
                node = node.expr
            case _:
                return node, subscripts[::-1]


def _why_no_array(node: c_ast.Node) -> tuple[str, str]:
    match node:
        case c_ast.StructRef():
            return "struct", NO_MEMBERS
        case c_ast.UnaryOp(op="&"):
            return "address", "an address is taken"
        case c_ast.BinaryOp() | c_ast.UnaryOp():
            return "pointer", "pointer arithmetic is not supported; write it as a subscript"
        case c_ast.Cast():
            return "pointer", "a cast pointer is not supported"
    return "pointer", "only elements of named arrays are supported"


_MANY = 4
"""Parts of a set of parameters, from which on it is made simpler: isl takes a second for operations on some tens."""


def _outside(bad: isl.Set, running: isl.Set) -> isl.Set:
    """A set of parameters that has the bad ones of those with which something runs, perhaps with others with which
    nothing does. isl leaves conditions away that hold in all parts of a set; of many parts, each is asked by itself:
    ``stride < 0``, whatever the flags are under which that counts."""
    excluded = bad.gist(running)
    if excluded.n_basic_set() <= _MANY:
        return excluded
    found = isl.Set.empty(excluded.get_space())
    for part in excluded.get_basic_sets():
        one = isl.Set.from_basic_set(part)
        if part.dim(isl.dim_type.div) == 0 and not one.is_subset(found):
            rows = part.get_constraints()
            for row in rows:
                others = [other for other in rows if other is not row]
                wider = isl.Set.from_basic_set(isl.BasicSet.universe(part.get_space()).add_constraints(others))
                if (wider & running).is_subset(bad):
                    one, rows = wider, others
        found = found | one
    return found.coalesce()


def _row_number(node: c_ast.Node, region: Region) -> Affine | None:
    """The subscript of a pointer to a row where the region is being read, if it is a sum of counters, parameters and
    constants that does not wrap."""
    match node:
        case c_ast.Constant(type="int"):
            return affine(int(node.value)) if node.value.isdecimal() and str(int(node.value)) == node.value else None
        case c_ast.ID(name=name):
            active = next((pair for pair in reversed(region.iterators) if pair[0].name == name), None)
            symbol = active[0] if active is not None else region.parameters.get(name)
            signed = symbol is not None and isinstance(symbol.type, Arithmetic) and symbol.type.scalar in (I32, I64)
            return affine(active[1] if active is not None else name) if signed else None
        case c_ast.BinaryOp(op="+" | "-" as operator):
            left, right = _row_number(node.left, region), _row_number(node.right, region)
            if left is None or right is None:
                return None
            return left + right if operator == "+" else left - right
    return None


def _is_product(value: Expression) -> bool:
    """Whether a subscript is computed by multiplications, and nothing from memory."""
    return not reads(value) and any(isinstance(node, Binary) and node.operator == "*" for node in walk(value))
