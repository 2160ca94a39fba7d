"""Calls of functions of which nothing is known: they may read and write all that such a function can reach.

    x = f(a[i]) + 1;      ->      x = f(calls, a[i], b[?], ...) + 1;
                                  calls = f(calls, b[?], ...);
                                  if (calls) b[?] = f(calls);           for every b that others can reach

``calls`` stands for the world outside of the function: every call depends on it and changes it, so that all of them
stay in order, with their output, and what others can reach keeps its place between them. Of the function's own are
variables and arrays whose address goes nowhere. A region with such calls is there to be looked at: nothing of it can
be run here, so that nothing can be gained for sure.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, Function
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine
from polyloop.frontend.arrays import Entry
from polyloop.frontend.region import Region
from polyloop.frontend.regions import Found
from polyloop.frontend.scopes import Refusal, Symbol, children, stored_into, walk_nodes
from polyloop.frontend.statements import RawStatement
from polyloop.frontend.values import ValueReader

_TWICE = frozenset(("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "getcontext", "alloca"))
"""They return a second time, or change the function's own memory."""


@dataclass
class Outside:
    """The calls of one region.

    Attributes:
        function: the function around the region.
        pure: functions that a declaration calls pure or const: they read all that others could, and change nothing.
        room: places in the order of a block that are kept behind every statement.
    """

    region: Region
    function: c_ast.FuncDef
    pure: frozenset[str]
    room: int

    @classmethod
    def of(cls, region: Region, found: Found, pure: frozenset[str]) -> Outside:
        nodes = [node for item in found.items for node in walk_nodes(item)]
        room = 1 + sum(isinstance(node, c_ast.ID | c_ast.Decl) for node in nodes)
        return cls(region, found.function, pure, room)

    def state(self, node: c_ast.Node) -> e.Read:
        """The variable that stands for the world outside."""
        entry = next((each for each in self.region.arrays.entries.values() if each.symbol.kind == "outside"), None)
        if entry is None:
            taken = self.region.function.names | {name for s in self.region.scope.chain() for name in s.names}
            name = next(n for k in itertools.count() if (n := f"calls_{k}" if k else "calls") not in taken)
            symbol = Symbol(name, "outside", Arithmetic(e.U64), index=self.region.index + 1)
            self.region.locals.add(symbol)
            entry = self.region.entry(symbol, node)
            entry.written = True
        return e.Read(e.Access(entry.name), e.U64)

    def call(self, node: c_ast.FuncCall, name: str, symbol: Symbol | None, reader: ValueReader) -> e.OutsideCall:
        """What a call gives, and what it certainly reads: its arguments.

        Raises:
            Refusal: for what is no number, for arguments with effects, and for functions that return twice.
        """
        if name in _TWICE:
            raise Refusal("call", f"{name} changes what stands around its call", node)
        result = symbol.type.result if symbol is not None and isinstance(symbol.type, Function) else None
        scalar = result.scalar if isinstance(result, Arithmetic) else e.I32 if symbol is None else e.U64
        given = [value for argument in _arguments(node) for value in self._read_by(argument, reader)]
        return e.OutsideCall(name, (self.state(node), *given), scalar)

    def _read_by(self, node: c_ast.Node, reader: ValueReader) -> Iterator[e.Expression]:
        """An argument, as far as it is computed from numbers: what an address leads to belongs to all that is reached.

        Raises:
            Refusal: for effects of its own.
        """
        for inner in walk_nodes(node):
            if stored_into(inner) is not None:
                raise Refusal("side-effect", "an argument has side effects; compute it before", inner)
        try:
            yield reader.value(node)
            return
        except Refusal as refusal:
            if refusal.code not in ("pointer", "address", "type", "struct", "pointer-rows", "expression"):
                raise
        for inner in _subscripts(node):
            yield from self._read_by(inner, reader)

    def reaches(self, entry: Entry) -> bool:
        """Whether others than the function around the region can get at an array."""
        if entry.symbol.kind == "outside":
            return False
        return entry.pointer or self._is_reached(entry.symbol, len(entry.extents))

    def _is_reached(self, symbol: Symbol, subscripts: int) -> bool:
        names = self.region.function
        if symbol.kind not in ("local", "parameter") or symbol.place is not None:
            return True
        if symbol.name in names.address_taken or names.fewest_subscripts.get(symbol.name, subscripts) < subscripts:
            return True
        return any(
            isinstance(n, c_ast.Decl) and n.name == symbol.name and {"static", "extern"} & set(n.storage)
            for n in walk_nodes(self.function)
        )

    def check_parameters(self) -> None:
        """
        Raises:
            Refusal: where a call might change what bounds, conditions and subscripts are made of.
        """
        for symbol in self.region.parameters.values():
            if self._is_reached(symbol, 0):
                message = f"a call may change {symbol.written}, which loops or subscripts depend on"
                raise Refusal("call", f"{message}; copy it to a variable of the function's own before the scop")

    def with_effects(self, statements: list[RawStatement]) -> list[RawStatement]:
        """The statements with what their calls may read, each followed by what its calls may change."""
        self.check_parameters()
        return [new for statement in statements for new in self._with_effects(statement)]

    def _with_effects(self, statement: RawStatement) -> Iterator[RawStatement]:
        names = [call.function for call in _calls(statement)]
        if not names:
            yield statement
            return
        state = self.state(statement.node)
        anywhere = [_anywhere(entry, state) for entry in self.region.arrays.entries.values() if self.reaches(entry)]

        def reading(node: e.Expression) -> e.Expression:
            return replace(node, arguments=(*node.arguments, *anywhere)) if isinstance(node, e.OutsideCall) else node

        yield statement.rewritten(reading)
        changing = next((name for name in names if name not in self.pure), None)
        if changing is None:
            return
        changed = anywhere if statement.target == state.access else [state, *anywhere]
        assert len(changed) <= self.room
        for position, place in enumerate(changed, 1):
            yield replace(
                statement,
                label=None,
                target=place.access,
                value=e.OutsideCall(changing, (state, *anywhere) if place is state else (state,), place.type),
                schedule=(*statement.schedule[:-1], statement.schedule[-1] + position),
                bounds=(),
                predicate=None if place is state else state,
                fresh=False,
            )


def _calls(statement: RawStatement) -> Iterator[e.OutsideCall]:
    expressions = [statement.value, *(datum.value for datum in statement.target.data)]
    return (n for expression in expressions for n in e.walk(expression) if isinstance(n, e.OutsideCall))


def _anywhere(entry: Entry, state: e.Read) -> e.Read:
    """Any element of an array."""
    unknown = Affine(((e.Datum(state), 1),))
    return e.Read(e.Access(entry.name, tuple(unknown for _ in entry.shape)), entry.type.scalar)


def _arguments(node: c_ast.FuncCall) -> list[c_ast.Node]:
    return list(node.args.exprs) if node.args is not None else []


def _subscripts(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """What an address is computed from."""
    match node:
        case c_ast.ID() | c_ast.Constant():
            return
        case c_ast.ArrayRef():
            yield from _subscripts(node.name)
            yield node.subscript
        case c_ast.UnaryOp(op="&") | c_ast.StructRef(type="."):
            yield from _subscripts(node.children()[0][1])
        case c_ast.StructRef():
            yield node.name
        case _:
            yield from (child for child in children(node) if not isinstance(child, c_ast.Typename))
