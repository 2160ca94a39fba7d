"""Integers that a region computes become expressions of its loop counters and parameters.

    k = 0;
    for (i = n; i-- > 0;) {                for (int i = n; i > 0; i--)
        int row = i * m;                       for (int j = 0; j < m; j++)
        for (j = 0; j < m; j++)       ->           a[(i - 1) * m + j] = b[(n - i) * m + j];
            a[row + j] = b[k++];
    }

The statements are run once in order with every integer's present value as an expression of what does not change any
more (counters, parameters); a loop's body is first run with marks for the values at its top, which shows how they
evolve (`polyloop.frontend.induction`). Uses get the values, assignments vanish, and every loop that counts becomes a
``for`` loop over one counter of its own. What is read behind the region is set at its end. A variable whose value is
needed and not known stays a variable, with all its assignments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic
from polyloop.backend.ir.expressions import I32, I64, ScalarType
from polyloop.frontend.derived import Derived
from polyloop.frontend.induction import Polynomials, constant_of
from polyloop.frontend.jumps import Jumps
from polyloop.frontend.naming import distinct, is_own, plain, written_name
from polyloop.frontend.present_values import PresentValues, StaysError, is_integer
from polyloop.frontend.regions import exposed_read, exposed_use, jumps_about, names_at
from polyloop.frontend.scopes import (
    Refusal,
    Scope,
    Symbol,
    assigned_names,
    declared_names,
    does_anything,
    is_element,
    kept,
    stored_names,
    used_names,
    walk_nodes,
)
from polyloop.frontend.searches import Varying, parts_of_header
from polyloop.frontend.statement_values import StatementValues
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    cast,
    mentions,
    number,
    replaced,
    variables,
    with_parts,
)


def values_for_integers(items: Items, around: Surroundings) -> Items:
    """The statements with the integers that they compute replaced by their values; see above.

    Raises:
        Refusal: where it is not known how far a pointer moves that is read behind them.
    """
    before = len(around.behind)
    result = _values_for_integers(items, around)
    if around.positions and len(around.behind) == before:
        pointer = next(iter(around.positions.values()))[0]
        message = f"the pointer {pointer} is read after the region, and how far it moves is not known beforehand"
        raise Refusal("pointer", message, items[0])
    return result


def _values_for_integers(items: Items, around: Surroundings) -> Items:
    if any(isinstance(n, c_ast.Goto | c_ast.Switch) for item in items for n in walk_nodes(item)):
        return items
    named = distinct(items)
    stay: frozenset[str] = frozenset()
    kept: frozenset[int] = frozenset()
    region = _region(named, kept, around)
    while True:
        values = region.begin(stay)
        if not values.types:
            return items
        try:
            derived = Derived(around, frozenset(values.changing))
            return plain(region.run(StatementValues(values, region.jumps, derived)), around.scope)
        except StaysError as error:
            # What ends loops is asked for when nothing else stays that it may be made of.
            names = error.names - values.flags | values.staying if values.staying else error.names
            flags = {index for flag, index in region.jumps.flags.items() if flag in names}
            if not flags and not names - stay:
                return items
            stay |= names - values.flags
            if flags:
                kept |= flags
                region = _region(named, kept, around)


def _region(named: Items, kept: frozenset[int], around: Surroundings) -> _Region:
    """The statements with conditions for jumps, those of some loops apart."""
    jumps = Jumps(kept)
    return _Region(around, jumps, tuple(jumps.visit(item) for item in named))


@dataclass
class _Region:
    """What stands around the statements, and which variables they have.

    Attributes:
        jumps: of the loops.
        values: those before the region.
    """

    around: Surroundings
    jumps: Jumps
    items: Items
    values: PresentValues = field(init=False)

    def __post_init__(self) -> None:
        found, scope = self.around.found, Scope(self.around.scope)
        nodes = [node for item in self.items for node in walk_nodes(item)]
        behind = set[str]().union(*(used_names(item) for block in found.after[:1] for item in block))
        for node in nodes:
            if isinstance(node, c_ast.Typedef) or (isinstance(node, c_ast.Decl) and node.name is not None):
                self.around.declarations.declare(node, scope, "local")
        for flag in self.jumps.flags:
            scope.add(Symbol(flag, "local", Arithmetic(I32)))
        declarations = [n for n in nodes if isinstance(n, c_ast.Decl)]
        declared = {n.name for n in declarations} | set(self.jumps.flags)
        assigned = assigned_names(self.items)
        unfit = {n.name for n in declarations if {"static", "extern"} & set(n.storage)}
        unfit |= {n.name for n in declarations if n.name in behind and not is_own(str(n.name))}
        unfit |= _of_data(self.items, nodes, self.around.scope)
        taken = names_at(found, self.around.declarations).address_taken
        # Constants of blocks are values, too, which may leave the block; but types need their names.
        unfit |= {n.name for d in declarations if isinstance(d.type, c_ast.ArrayDecl) for n in variables(d.type)}
        kinds = ("local", "parameter", "global", "constant")
        self._types: dict[str, ScalarType] = {}
        for name in sorted(name for name in declared | assigned if name is not None):
            symbol = scope.lookup(name)
            fit = symbol is not None and is_integer(symbol) and symbol.kind in kinds
            if symbol is not None and fit and name not in unfit and written_name(name) not in taken:
                assert isinstance(symbol.type, Arithmetic)
                self._types[name] = symbol.type.scalar
        self._scope, self._declared, self._assigned = scope, declared, assigned
        self._stored = frozenset(stored_names(nodes))
        self._static = set[str]().union(*(_static_names(item) for block in found.before for item in block))
        lasting = self._lasting(self._types)
        self._own_counters = frozenset(
            name
            for name in _own_counters(self.items, nodes)
            if name in self._types and name not in lasting and exposed_read(name, found) is None
        )

    def begin(self, stay: frozenset[str]) -> PresentValues:
        """The integers that may be replaced, but for some, with their values before the region."""
        scope = Scope(self.around.scope, dict(self._scope.names))
        polynomials = Polynomials(scope, self.around.declarations)
        types = {name: type_ for name, type_ in self._types.items() if name not in stay}
        self.values = PresentValues(
            scope,
            polynomials,
            types,
            {name: None if name in self._declared else c_ast.ID(name) for name in types},
            self._assigned - types.keys(),
            stored=self._stored,
            flags=frozenset(self.jumps.flags),
            own_counters=self._own_counters - stay,
        )
        return self.values

    def run(self, statements: StatementValues) -> Items:
        """What is left of all statements, and what is read behind them."""
        self._set_before()
        result = statements.block(self.items)
        if self.values.staying:
            raise StaysError(self.values.staying)
        behind = self._read_behind()
        moves = self._moves(statements.derived)
        place = self.items[-1]
        result += [c_ast.Assignment("=", c_ast.ID(name, place.coord), value, place.coord) for name, value in behind]
        # What is set at the end has a name of its own for its value before the region.
        used = set[str]().union(*map(used_names, result[: -len(behind) or None]))
        used = used.union(*(used_names(value) for _, value in behind))
        first = {name: statements.derived.before(name, self.values.types[name]) for name, _ in behind if name in used}
        self.around.kept.extend(moves)
        self.around.behind[:0] = self._set_behind()
        return tuple(_with_first(item, first) for item in result)

    def _set_before(self) -> None:
        """Values that are assigned directly before the region."""
        found = self.around.found
        if not found.before or jumps_about(found.function):
            return
        lasting = self._lasting(self.values.types)
        for name, value in self.values.env.items():
            if value is None or name in lasting:
                continue
            value.coord = self.items[0].coord
            for node in reversed(found.before[-1]):
                given = _given(node, name)
                if given is not None:
                    amount = constant_of(given, self.values.polynomials)
                    if amount is not None:
                        constant = number(amount, self.items[0])
                        self.values.env[name] = self.values.polynomials.converted(constant, self.values.types[name])
                        self.around.given[name] = constant
                if given is not None or name in assigned_names([node]):
                    break

    def _lasting(self, names: Iterable[str]) -> set[str]:
        """Variables that keep their values when the function has returned."""
        symbols = {name: self._scope.lookup(name) for name in names}
        return self._static | {
            name for name, symbol in symbols.items() if symbol is not None and symbol.kind == "global"
        }

    def _read_behind(self) -> list[tuple[str, c_ast.Node]]:
        """The variables of the function that are read behind the region, with their last values."""
        read: list[tuple[str, c_ast.Node]] = []
        unknown: set[str] = set()
        lasting = self._lasting(self.values.types)
        for name in sorted(self._assigned & set(self.values.types)):
            if is_own(name) or not (name in lasting or exposed_read(name, self.around.found)):
                continue
            value = self.values.env[name]
            if value is None:
                unknown.add(name)
            elif not (isinstance(value, c_ast.ID) and value.name == name):
                read.append((name, value))
        if unknown:
            raise StaysError(unknown)
        return read

    def _moves(self, derived: Derived) -> list[tuple[str, str]]:
        """How far pointers move in the region, as C does it where that begins."""
        far: list[tuple[str, str]] = []
        for name in self.around.positions:
            value = self.values.env.get(name)
            if value is None or not all(map(derived.is_fixed, variables(value))):
                raise StaysError([name])
            wide = {node.name: cast(node, I64) for node in variables(value)}
            far.append((name, derived.text(replaced(value, wide))))
        return far

    def _set_behind(self) -> list[str]:
        """Statements, as C, that leave pointers where the region leaves them: last those that others start from."""
        pairs = sorted(self.around.positions.items(), key=lambda pair: pair[1][0] == pair[1][1])
        return [f"{pointer} = {start} + {name};" for name, (pointer, start) in pairs]


@kept
def _static_names(item: c_ast.Node) -> frozenset[str]:
    return frozenset(n.name for n in walk_nodes(item) if isinstance(n, c_ast.Decl) and "static" in n.storage)


def _own_counters(items: Items, nodes: Sequence[c_ast.Node]) -> Iterator[str]:
    """The counters from outside of loops that all loops which ask for them set first."""
    starts = [n.init for n in nodes if isinstance(n, c_ast.For) and isinstance(n.init, c_ast.Assignment)]
    starts = [start for start in starts if start.op == "=" and isinstance(start.lvalue, c_ast.ID)]
    for name in sorted({str(start.lvalue.name) for start in starts}):
        fresh = not any(mentions(start.rvalue, name) for start in starts)
        if fresh and exposed_use(name, items) is None:
            yield name


def _of_data(items: Items, nodes: Sequence[c_ast.Node], scope: Scope) -> set[str]:
    """Variables that hold what arrays hold, and what is computed from those, where neither subscripts nor counts of
    loops ask for it: those that are set more than once, whose values would get longer from statement to statement, and
    those that only a choice asks for, or a loop which data end: there C has read them whatever it chooses."""
    given: dict[str, list[c_ast.Node]] = {}
    guards: dict[str, list[c_ast.Node]] = {}
    chosen: set[str] = set()
    asking: list[c_ast.Node | None] = []
    ends: set[str] = set()
    varying = Varying.of(items)
    for node in nodes:
        match node:
            case c_ast.Decl(init=value) if value is not None and node.name is not None:
                given.setdefault(node.name, []).append(value)
            case c_ast.Assignment(lvalue=c_ast.ID(name=name), rvalue=value):
                given.setdefault(name, []).append(value)
            case c_ast.ArrayRef():
                asking.append(node.subscript)
            case c_ast.UnaryOp(op="*"):
                asking.append(node.expr)
            case c_ast.For():
                counts, data = parts_of_header(node, scope, varying)
                if counts:  # else data are the count
                    ends = ends.union(*map(used_names, data))
                asking += [node.init, *(counts or data), node.next]
            case c_ast.While() | c_ast.DoWhile():
                asking.append(node.cond)
            case c_ast.If():
                for name in assigned_names([node]):
                    guards.setdefault(name, []).append(node.cond)
                sides = [side for side in (node.iftrue, node.iffalse) if side is not None]
                chosen |= set[str]().union(*map(used_names, sides)) - declared_names(sides)
            case c_ast.TernaryOp():
                chosen |= used_names(node.iftrue) | used_names(node.iffalse)
            case c_ast.BinaryOp(op="&&" | "||"):
                chosen |= used_names(node.right)
    asked: set[str] = set()
    waiting = set[str]().union(*map(used_names, asking))
    while waiting:
        asked |= waiting
        more = [part for name in waiting for part in (*given.get(name, ()), *guards.get(name, ()))]
        waiting = set[str]().union(*map(used_names, more)) - asked
    found = {
        name
        for name, values in given.items()
        if (len(values) > 1 or name in chosen) and any(is_element(n) for v in values for n in walk_nodes(v))
    }
    while more_of := {
        name for name in given.keys() - found if not all(found.isdisjoint(used_names(v)) for v in given[name])
    }:
        found |= more_of
    return (found | ends & varying.data) - asked


def _with_first(node: c_ast.Node, first: dict[str, c_ast.Node]) -> c_ast.Node:
    """The statement with other names for values before the region; what it sets keeps its own."""
    if isinstance(node, c_ast.Assignment) and isinstance(node.lvalue, c_ast.ID):
        return with_parts(node, rvalue=replaced(node.rvalue, first))
    return replaced(node, first)


def _given(node: c_ast.Node, name: str) -> c_ast.Node | None:
    """The value that a statement gives to a variable, if that is all it does."""
    match node:
        case c_ast.Decl(name=declared, init=value) if declared == name:
            given: c_ast.Node | None = value
            return given
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target), rvalue=value) if target == name:
            return value if not does_anything(value) else None
    return None
