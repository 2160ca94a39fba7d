"""Walks a region's statements and collects them with their points and places in the original order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import islpy as isl
from pycparser import c_ast

from polyloop.arithmetic import (
    Arithmetic,
    ArrayOf,
    Pointer,
    compute,
    convert,
    float_literal,
    is_integer,
    remedy,
    truth,
    type_name,
)
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import (
    I32,
    U64,
    Access,
    Expression,
    Literal,
    OutsideCall,
    Read,
    Select,
    reads,
    reads_of_subscripts,
    rewrite,
    rewrite_access,
    walk,
)
from polyloop.frontend.arrays import Bound
from polyloop.frontend.integer_reader import IntegerReader
from polyloop.frontend.loops import enter_loop
from polyloop.frontend.predicates import (
    Declared,
    Under,
    conjuncts,
    fresh_name,
    keeps_its_value,
    may_be_written_always,
    only_assignment,
    opposite,
    same_text,
    set_for_itself,
    whole,
)
from polyloop.frontend.region import Region
from polyloop.frontend.regions import Found
from polyloop.frontend.scopes import (
    GOTO,
    NO_MEMBERS,
    RETURN,
    Refusal,
    Scope,
    Symbol,
    does_anything,
    stored_into,
    walk_nodes,
)
from polyloop.frontend.syntax import counting_up, header_of, is_zero, number, variables
from polyloop.frontend.values import ValueReader
from polyloop.scop.affine_isl import condition_set

# Initialisers of local arrays become one statement per element, up to this many; of more zeros than that, a loop.
_MAX_INITIALISED = 64
_MAX_ZEROS = 16


@dataclass(frozen=True)
class RawStatement:
    """A statement before its arrays' rows are known and before it has a name.

    Attributes:
        bounds: accesses that are to be checked against the extents, with the conditions under which C makes them.
        predicate: it takes place where this is not zero; None: everywhere.
        fresh: where it is zero, nobody has given the target a value.
    """

    label: str | None
    iterators: tuple[str, ...]
    points: isl.Set
    target: Access
    value: Expression
    schedule: tuple[Affine, ...]
    bounds: tuple[Bound, ...]
    node: c_ast.Node
    predicate: Expression | None = None
    fresh: bool = False

    def rewritten(self, one: Callable[[Expression], Expression]) -> RawStatement:
        """The statement with other expressions, those in its target's subscripts included."""
        predicate = None if self.predicate is None else rewrite(self.predicate, one)
        return replace(
            self, target=rewrite_access(self.target, one), value=rewrite(self.value, one), predicate=predicate
        )


class StatementReader:
    """Reads the statements between the pragmas."""

    def __init__(self, region: Region, found: Found) -> None:
        self.region = region
        self._found = found
        self.statements: list[RawStatement] = []
        # Textual position in the present block, per depth, and the rows of the loops around.
        self._counts = [0]
        self._rows: list[Affine] = []
        self._label: str | None = None
        self._under = Under()
        self._declared = Declared()

    def read(self, items: Iterable[c_ast.Node]) -> None:
        """Read statements in order.

        Raises:
            Refusal: at the first that the model cannot hold.
        """
        for item in items:
            self.statement(item)

    def statement(self, node: c_ast.Node | None) -> None:
        match node:
            case None | c_ast.EmptyStatement() | c_ast.Pragma():
                return
            case c_ast.Compound():
                with self._block():
                    self.read(node.block_items or ())
            case c_ast.For():
                self._for(node)
            case c_ast.If():
                self._if(node)
            case c_ast.Label():
                self._label = node.name
                self.statement(node.stmt)
                self._label = None
            case c_ast.Assignment() | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                self.assignment(node)
            case c_ast.ExprList():
                self.read(node.exprs)
            case c_ast.Decl():
                self._declaration(node)
            case c_ast.DeclList():
                self.read(node.decls)
            case c_ast.Typedef():
                self.region.declarations.declare(node, self.region.scope, "local")
            case c_ast.FuncCall() if self.region.outside is not None and not _is_assertion(node):
                reader, first_bound = ValueReader(self.region), len(self.region.bounds)
                value = reader.value(node)
                self._enter(self.region.outside.state(node).access, convert(value, U64), node, first_bound)
            case c_ast.Cast(expr=c_ast.FuncCall() as inner) if self.region.outside is not None:
                self.statement(inner)
            case c_ast.Cast() | c_ast.ID() | c_ast.Constant() if not does_anything(node):
                # "(void)x;" computes nothing.
                return
            case c_ast.FuncCall(name=c_ast.ID(name="assert"), args=c_ast.ExprList(exprs=[condition])):
                self._assertion(condition)
            case _:
                raise Refusal(*self._why_refused(node), node)

    def _assertion(self, node: c_ast.Node) -> None:
        """Where it might fail, the original loops run, which say so."""
        region = self.region
        try:
            condition = IntegerReader(region).condition(node)
        except Refusal as refusal:
            hint = "; define NDEBUG, or move the assertion before the scop"
            raise Refusal(
                refusal.code, f"the assertion cannot be tested beforehand: {refusal}{hint}", refusal.node
            ) from refusal
        failing = region.points - condition_set(region.iterator_names, condition)
        region.exclude(failing, region.points, node, "assertion", "the assertion always fails")

    @contextmanager
    def _block(self) -> Iterator[None]:
        saved = self.region.scope
        self.region.scope = Scope(saved)
        try:
            yield
        finally:
            self.region.scope = saved

    @contextmanager
    def _at(self, points: isl.Set) -> Iterator[None]:
        saved, self.region.points = self.region.points, points
        try:
            yield
        finally:
            self.region.points = saved

    def _for(self, node: c_ast.For) -> None:
        region = self.region
        scope, points = region.scope, region.points
        saved = region.assumptions, region.known, region.context, dict(region.parameters), len(region.iterators)
        try:
            loop = enter_loop(region, node)
        except Refusal as refusal:
            if region.exact or refusal.code != "data-dependent":
                refusal.exact_only = region.exact
                raise
            region.scope, region.points, region.collected = scope, points, None
            region.assumptions, region.known, region.context, region.parameters, depth = saved
            del region.iterators[depth:]
            self._fold(node, refusal)
            region.scope = scope
            return
        try:
            row = affine(loop.name)
            self._rows += [affine(self._counts[-1]), row if loop.step > 0 else -row]
            self._counts[-1] += 1
            self._counts.append(0)
            self._label = None
            with self._block(), region.inside(node):
                self.statement(node.stmt)
            del self._rows[-2:]
            self._counts.pop()
            region.iterators.pop()
        finally:
            region.scope, region.points = scope, points

    def _fold(self, node: c_ast.For, refusal: Refusal) -> None:
        """A loop between bounds from data as one assignment; see `polyloop.frontend.folds`.

        Raises:
            Refusal: the given one, where it is none.
        """
        # Of few regions.
        from polyloop.frontend.folds import bounds_of, folded

        region, outer = self.region, self._under
        header, body = header_of(node), only_assignment(node.stmt)
        if (
            header is None
            or not header.counts_up
            or not isinstance(body, c_ast.Assignment)
            or header.counter in {inner.name for part in (body.lvalue, header.limit) for inner in variables(part)}
        ):
            raise refusal
        first_bound, reader = len(region.bounds), ValueReader(region)
        bounds = bounds_of(region, header, reader)
        if bounds is None:
            raise refusal
        access, type_ = self._target(body.lvalue, reader)
        value = folded(region, body, bounds, access, type_, reader)
        if any(isinstance(n, OutsideCall) for n in (*walk(value), *walk(bounds.runs))):
            raise refusal
        try:
            if not may_be_written_always(region.arrays.named(access.array)):
                self._under = outer.where(bounds.runs, ())
            self._enter(access, value, node, first_bound)
        finally:
            self._under = outer

    def _if(self, node: c_ast.If) -> None:
        region = self.region
        saved = region.assumptions, region.known, region.context, dict(region.parameters)
        try:
            condition = IntegerReader(region).condition(node.cond)
        except Refusal as refusal:
            if region.exact:
                refusal.exact_only = True
                raise
            region.assumptions, region.known, region.context, region.parameters = saved
            self._if_on_data(node)
            return
        holding = condition_set(region.iterator_names, condition)
        self._label = None
        # Gaps on either side: what stands behind a condition is no straight-line code with its neighbours, even if the
        # condition always holds (`polyloop.scop.dependence.basic_blocks` reads it so).
        self._counts[-1] += 1
        with self._at(region.points & holding), self._block():
            self.statement(node.iftrue)
        if node.iffalse is not None:
            with self._at(region.points - holding), self._block():
                self.statement(node.iffalse)
        self._counts[-1] += 1

    def _if_on_data(self, node: c_ast.If) -> None:
        """The branches under predicates. What is affine of the condition is taken for the points, if there is no else:
        there it would be in an "or"."""
        region, outer = self.region, self._under
        reader = ValueReader(region)
        points, parts = region.points, [node.cond]
        asked_once = region.outside is not None and any(isinstance(n, c_ast.FuncCall) for n in walk_nodes(node.cond))
        if node.iffalse is None and not asked_once:
            parts = []
            for part in conjuncts(node.cond):
                with region.unsurely(bool(parts)):
                    guard = region.guard(part, reader.integers)
                if guard is None:
                    parts.append(part)
                else:
                    points = points & condition_set(region.iterator_names, guard)
        self._label = None
        self._counts[-1] += 1
        with self._at(points):
            first_bound = len(region.bounds)
            condition = reader.value(whole(parts))
            bounds = tuple(region.bounds[first_bound:])
            if keeps_its_value(node) and not asked_once:
                then_under = outer.where(condition, bounds)
            else:
                condition, bounds = self._saved(condition, node, first_bound), ()
                then_under = Under(condition, (), outer.depth + 1)
            for symbol in set_for_itself(node, self._found, region):
                self._declared.depths[symbol] = outer.depth + 1
            then = self._branch(node.iftrue, then_under)
            else_under = outer.where(opposite(condition), bounds)
            otherwise = self._branch(node.iffalse, else_under)
        self._counts[-1] += 1
        if then and otherwise:
            joined = self._joined(condition, then, then_under, otherwise, else_under)
            self.statements[-len(then) - len(otherwise) :] = joined

    def _saved(self, condition: Expression, node: c_ast.If, first_bound: int) -> Expression:
        """The condition in a variable of its own, from before anything that is behind it."""
        region = self.region
        name = fresh_name(region.arrays.names() | {name for scope in region.scope.chain() for name in scope.names})
        symbol = Symbol(name, "local", Arithmetic(I32), index=region.index + 1)
        region.locals.add(symbol)
        self._declared.depths[symbol] = self._under.depth
        target = Access(region.entry(symbol, node).name)
        self._enter(target, truth(condition), node.cond, first_bound)
        return Read(target, I32)

    def _branch(self, node: c_ast.Node | None, under: Under) -> list[RawStatement]:
        """The statements of one side."""
        first, outer = len(self.statements), self._under
        self._under = under
        try:
            with self._block(), self.region.unsurely():
                self.statement(node)
        finally:
            self._under = outer
        return self.statements[first:]

    def _joined(
        self,
        condition: Expression,
        then: list[RawStatement],
        first: Under,
        otherwise: list[RawStatement],
        second: Under,
    ) -> list[RawStatement]:
        """Both sides, with one assignment behind them for two to the same place, in the order of the first side."""

        def alike(a: RawStatement, b: RawStatement) -> bool:
            return (
                a.predicate is first.predicate
                and b.predicate is second.predicate
                and a.iterators == b.iterators == self.region.iterator_names
                and bool(a.points.is_equal(b.points))
                and a.target.array == b.target.array
                and (place := stored_into(a.node)) is not None
                and (other := stored_into(b.node)) is not None
                and same_text(place, other)
            )

        ends, others = _Ends(then), _Ends(otherwise)
        for statement in reversed(then):
            match = next((other for other in others.left if alike(statement, other)), None)
            if match is not None and ends.moves(statement) and others.moves(match):
                ends.move(statement)
                others.move(match)
        # What the first side assigns moves behind what the second one begins with, which says 0 for variables of its
        # own where it does not take place.
        used = _arrays_read(ends.behind) | {s.target.array for s in ends.behind}
        if not used.isdisjoint(s.target.array for s in others.left):
            return [*then, *otherwise]
        before, behind = ends.placed()
        *rest, last = others.placed()
        later = bool(rest[0]) or [*before, *behind] != then
        chosen = (self._chosen(condition, a, b, later) for a, b in zip(behind, last, strict=True))
        return [*before, *rest[0], *chosen]

    def _chosen(self, condition: Expression, then: RawStatement, otherwise: RawStatement, later: bool) -> RawStatement:
        """One assignment of either value; `later`: where the second one stands."""
        value = Select(condition, then.value, otherwise.value, then.value.type)
        symbol = self.region.arrays.named(then.target.array).symbol
        return replace(
            then,
            value=value,
            schedule=otherwise.schedule if later else then.schedule,
            bounds=(*then.bounds, *otherwise.bounds),
            predicate=self._under.predicate,
            fresh=self._declared.is_fresh(symbol, self._under),
        )

    def assignment(self, node: c_ast.Node) -> Expression:
        """Enter an assignment, those inside its right side first; the new value, as it was given where that is the
        same afterwards, else as it is read."""
        region = self.region
        reader = ValueReader(region)
        first_bound = len(region.bounds)
        match node:
            case c_ast.UnaryOp():
                target_node, operator = node.expr, node.op.strip("p")[0]
                value: Expression = Literal(1, I32)
            case _:
                target_node, operator = node.lvalue, node.op[:-1]
                if isinstance(node.rvalue, c_ast.Assignment):
                    label, self._label = self._label, None
                    value = self.assignment(node.rvalue)
                    self._label = label
                    # What the chained value reads is in bounds where it was stored.
                    first_bound = len(region.bounds)
                else:
                    value = reader.value(node.rvalue)
        access, type_ = self._target(target_node, reader)
        if operator:
            value = compute(operator, Read(access, type_.scalar), value)
        value = reader.converted(value, type_)
        self._enter(access, value, node, first_bound)
        stays = isinstance(value, Literal) or (isinstance(value, Read) and not value.access.data)
        return value if stays else Read(access, type_.scalar)

    def _target(self, node: c_ast.Node, reader: ValueReader) -> tuple[Access, Arithmetic]:
        match node:
            case c_ast.ID():
                symbol = self.region.scope.lookup(node.name)
                if symbol is not None and symbol.constant:
                    raise Refusal("type", f"{node.name} is constant", node)
                if symbol is not None and not isinstance(symbol.type, Arithmetic):
                    raise Refusal("pointer", f"{node.name} ({type_name(symbol.type)}) is assigned as a whole", node)
            case c_ast.ArrayRef() | c_ast.UnaryOp(op="*"):
                pass
            case c_ast.StructRef():
                raise Refusal("struct", NO_MEMBERS, node)
            case _:
                raise Refusal("expression", "this cannot be assigned to", node)
        access, type_ = self.region.access(node, reader.integers)
        self.region.arrays.named(access.array).written = True
        return access, type_

    def _enter(self, target: Access, value: Expression, node: c_ast.Node, first_bound: int) -> None:
        region = self.region
        bounds = (*self._under.bounds, *region.bounds[first_bound:])
        fresh = self._declared.is_fresh(region.arrays.named(target.array).symbol, self._under)
        schedule = (*self._rows, affine(self._counts[-1]))
        self._counts[-1] += 1 if region.outside is None else 1 + region.outside.room
        self.statements.append(
            RawStatement(
                self._label,
                region.iterator_names,
                region.points,
                target,
                value,
                schedule,
                bounds,
                node,
                self._under.predicate,
                fresh,
            )
        )

    def _declaration(self, node: c_ast.Decl) -> None:
        region = self.region
        if "static" in node.storage or "extern" in node.storage:
            raise Refusal("declaration", f"{node.name} is not a local variable of its own", node)
        # The initialiser may use an outer variable of the same name only before the new one exists.
        symbol = region.declarations.declare(node, region.scope, "local")
        if symbol is not None:
            self._declared.depths[symbol] = self._under.depth
        if symbol is None or symbol.kind in ("constant", "function"):
            return
        if not isinstance(symbol.type, Arithmetic | ArrayOf):
            what = f"{symbol.name} ({type_name(symbol.type)}) is declared inside the region"
            hint = remedy(symbol.type, "; declare its members as variables")
            if isinstance(symbol.type, Pointer):
                hint = ", and what it points to cannot be followed; write subscripts of the array in its place"
            raise Refusal("pointer", f"{what}{hint}", node)
        if node.init is None:
            region.locals.add(symbol)
            if symbol.name not in region.names.inner.counters:
                region.entry(symbol, node)
        elif isinstance(symbol.type, ArrayOf):
            region.locals.add(symbol)
            self._initialise(symbol, node)
        elif not self._substitute(symbol, node):
            region.locals.add(symbol)
            self._initialise_scalar(symbol, node)

    def _substitute(self, symbol: Symbol, node: c_ast.Decl) -> bool:
        """An integer that is set once, to an affine value, is that value wherever it stands."""
        region = self.region
        type_ = symbol.type
        if not is_integer(type_):
            return False
        if symbol.name in region.names.inner.written | region.names.inner.counters:
            return False
        if region.outside is not None and symbol.name in region.function.address_taken:
            return False
        reader = IntegerReader(region)
        saved = region.assumptions, region.known, region.context, dict(region.parameters)
        try:
            value = reader.convert(reader.integer(node.init), type_.scalar, node.init)
            region.substituted[symbol] = reader.settle(value, node.init)
        except Refusal:
            region.assumptions, region.known, region.context, region.parameters = saved
            return False
        return True

    def _initialise_scalar(self, symbol: Symbol, node: c_ast.Decl) -> None:
        region = self.region
        if isinstance(node.init, c_ast.InitList):
            raise Refusal("declaration", "braces around a scalar's value are not supported", node.init)
        reader = ValueReader(region)
        first_bound = len(region.bounds)
        value = reader.value(node.init)
        entry = region.entry(symbol, node)
        entry.written = True
        self._enter(Access(entry.name), reader.converted(value, entry.type), node, first_bound)

    def _initialise(self, symbol: Symbol, node: c_ast.Decl) -> None:
        """``double t[2][2] = {{1, 2}, {3}};``: a statement per element, zeros included; where these are many,
        loops store them in all elements before."""
        region = self.region
        entry = region.entry(symbol, node)
        entry.written = True
        extents = [e.constant for e in entry.extents if e is not None and e.is_constant]
        if len(extents) != len(entry.extents) or not isinstance(node.init, c_ast.InitList):
            raise Refusal("declaration", f"the initialiser of {symbol.name} is no plain list", node)
        given = dict(initial_elements(node.init, tuple(extents)))
        others = {position: item for position, item in given.items() if not _is_zero(item)}
        with_loops = math.prod(extents) - len(others) > _MAX_ZEROS
        positions = list(others if with_loops else itertools.product(*map(range, extents)))
        if len(positions) > _MAX_INITIALISED:
            raise Refusal("declaration", f"the initialiser of {symbol.name} is too large", node)
        if with_loops:
            self.statement(_zeros(node, extents))
        for position in positions:
            reader = ValueReader(region)
            first_bound = len(region.bounds)
            item = given.get(position)
            value = reader.value(item) if item is not None else Literal(0, I32)
            subscripts = tuple(affine(p) for p in position)
            if len(subscripts) == 1:
                number = IntegerReader(region).integer(c_ast.Constant("int", str(position[0]), node.coord))
                subscripts = (region.arrays.placeholder(entry, number, node),)
            target = Access(entry.name, subscripts)
            self._enter(target, reader.converted(value, entry.type), node, first_bound)

    def _why_refused(self, node: c_ast.Node) -> tuple[str, str]:
        match node:
            case c_ast.While() | c_ast.DoWhile():
                why = "while loops are not static: how often they run is not known beforehand"
                return "while", f"{why}; write it as a for loop with a bound, and break where data end it"
            case c_ast.Break():
                return "break", "break leaves the loop depending on what was computed; ask for that in its condition"
            case c_ast.Continue():
                return "continue", "continue is not supported; put the rest of the body into an if"
            case c_ast.Goto():
                return "goto", GOTO
            case c_ast.Return():
                return "return", RETURN
            case c_ast.Switch():
                return "switch", "this switch is not supported: end every case with break, or write it as if and else"
            case c_ast.FuncCall():
                ValueReader(self.region).value(node)
                return "call", "a call whose value is not used"
            case c_ast.BinaryOp() | c_ast.TernaryOp():
                return "expression", "a statement without effect, or with effects inside an expression"
        return "statement", "this statement is not supported"


class _Ends:
    """Statements of which some move behind the others, each in front of those that have moved before it.

    Attributes:
        left: those that stay, the last one first.
        behind: those that have moved, in order.
    """

    def __init__(self, statements: list[RawStatement]) -> None:
        self.all = statements
        self.left = list(reversed(statements))
        self.behind: list[RawStatement] = []

    def moves(self, statement: RawStatement) -> bool:
        """Whether it may: it comes behind those that stay, and in front of those that have moved."""
        at = _place(self.all, statement)
        passed = [s for s in self.left if _place(self.all, s) > at]
        passed += [s for s in self.behind if _place(self.all, s) < at]
        return all(s.iterators == statement.iterators and _commute(s, statement) for s in passed)

    def move(self, statement: RawStatement) -> None:
        self.left = [s for s in self.left if s is not statement]
        self.behind.insert(0, statement)

    def placed(self) -> tuple[list[RawStatement], list[RawStatement]]:
        """Those that stay and those that have moved, at the places of all in order."""
        new = [*reversed(self.left), *self.behind]
        moved = [s if s is old else replace(s, schedule=old.schedule) for s, old in zip(new, self.all, strict=True)]
        return moved[: len(self.left)], moved[len(self.left) :]


def _place(statements: list[RawStatement], statement: RawStatement) -> int:
    return next(at for at, other in enumerate(statements) if other is statement)


def _commute(a: RawStatement, b: RawStatement) -> bool:
    """Whether the order of two assignments does not matter. Places of one array may be one and the same, where both are
    given the same value."""
    if a.target.array in _arrays_read([b]) or b.target.array in _arrays_read([a]):
        return False
    return a.target.array != b.target.array or a.value == b.value


def _arrays_read(statements: Iterable[RawStatement]) -> set[str]:
    """By whether they take place, what they assign, and where to."""
    statements = list(statements)
    values = [value for s in statements for value in (s.value, s.predicate) if value is not None]
    subscripts = (r for s in statements for r in reads_of_subscripts(s.target))
    return {r.access.array for r in (*(r for value in values for r in reads(value)), *subscripts)}


def _is_assertion(node: c_ast.FuncCall) -> bool:
    return isinstance(node.name, c_ast.ID) and node.name.name == "assert"


def initial_elements(node: c_ast.InitList, extents: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], c_ast.Node]]:
    """The positions that a braced list gives values for; nested braces go row by row."""
    if len(extents) > 1 and any(not isinstance(item, c_ast.InitList) for item in node.exprs):
        # A flat list fills the elements in order.
        positions = itertools.product(*map(range, extents))
        for position, item in zip(positions, node.exprs, strict=False):
            _check_plain(item)
            yield position, item
        return
    for k, item in enumerate(node.exprs):
        if k >= extents[0]:
            raise Refusal("declaration", "too many initial values", item)
        if isinstance(item, c_ast.InitList) and len(extents) > 1:
            for position, inner in initial_elements(item, extents[1:]):
                yield (k, *position), inner
        else:
            _check_plain(item)
            yield (k,), item


def _is_zero(item: c_ast.Node) -> bool:
    is_float = isinstance(item, c_ast.Constant) and item.type in ("float", "double")
    return is_zero(item) or (is_float and (literal := float_literal(item.value)) is not None and literal[0] == 0)


def _zeros(node: c_ast.Decl, extents: Sequence[int]) -> c_ast.Node:
    """Loops that set all elements of an array to zero."""
    counters = [c_ast.ID(f"{node.name}_{k}", node.coord) for k in range(len(extents))]
    element: c_ast.Node = c_ast.ID(node.name, node.coord)
    for counter in counters:
        element = c_ast.ArrayRef(element, counter, node.coord)
    loop: c_ast.Node = c_ast.Assignment("=", element, number(0, node), node.coord)
    for counter, extent in zip(reversed(counters), reversed(extents), strict=True):
        loop = counting_up(counter, number(extent, node), loop, node)
    return loop


def _check_plain(item: c_ast.Node) -> None:
    if isinstance(item, c_ast.NamedInitializer | c_ast.InitList):
        raise Refusal("declaration", "designated and mixed initialisers are not supported", item)
