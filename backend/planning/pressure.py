"""How many vector registers live values take; scalar floats live in vector registers, too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.traversal import all_operands, definitions, operands, uses
from polyloop.backend.ir.vector_program import Carried, Operation, Statement, Value, ValueType
from polyloop.backend.machine.target import Target


def registers_of(type_: ValueType, target: Target) -> int:
    """Vector registers that a value takes; integers in a single lane take none."""
    if type_.lanes == 1:
        return int(type_.element.is_float)
    return -(-type_.lanes * type_.element.bits // target.vector_bits)


def pressure(loop: v.For, target: Target) -> int:
    """Registers taken during the whole loop: carried values and values from outside; or more, in an inner loop."""
    survey = _Survey(target)
    survey.add(loop.body)
    return survey.registers(loop.carried)


def peak(loop: v.For, target: Target, outside: frozenset[str] = frozenset(), *, sinking: bool = False) -> int:
    """Registers at the fullest point of the loop.

    Args:
        outside: values that are taken as if they stood in front of the loop and took no register.
        sinking: in another order than that of the statements: every result by itself, from what it is computed to its
            store. Code generators change the order towards this one where they run out of registers.
    """
    survey = _Liveness(target, outside)
    survey.loop(replace(loop, body=_result_by_result(loop)) if sinking else loop, {})
    return survey.most


def _result_by_result(loop: v.For) -> tuple[Statement, ...]:
    """Straight-line code in such an order, as far as only values tell; other bodies as they are."""
    depths: dict[str, int] = {}
    lets: dict[str, v.Let] = {}
    for statement in loop.body:
        match statement:
            case v.Let(name, v.LazyPick()) | v.For(variable=name):
                return loop.body
            case v.Let(name, operation):
                lets[name] = statement
                depths[name] = 1 + max((depths.get(value.name, 0) for value in operands(operation)), default=0)
            case v.If():
                return loop.body
    order: list[Statement] = []
    done: set[str] = set()

    def compute(root: str) -> None:
        stack = [root]
        while stack:
            let = lets.get(stack[-1])
            if let is None or let.name in done:
                stack.pop()
                continue
            # The longest chain first: what is added at its end is loaded only then.
            missing = [x.name for x in operands(let.operation) if x.name in lets and x.name not in done]
            if missing:
                stack.append(max(missing, key=depths.__getitem__))
                continue
            done.add(let.name)
            order.append(let)

    for statement in loop.body:
        if isinstance(statement, v.Store):
            compute(statement.value.name)
            order.append(statement)
    for c in loop.carried:
        compute(c.next.name)
    return tuple(order)


@dataclass
class _Survey:
    """What statements use and define, nested ones included, gathered in one walk."""

    target: Target
    used: dict[str, ValueType] = field(default_factory=dict)
    defined: set[str] = field(default_factory=set)
    inner: int = 0  # the largest pressure of a loop among them

    def add(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            match statement:
                case v.Let(name, operation):
                    self.used.update(all_operands(operation))
                    self.defined.add(name)
                    if isinstance(operation, v.LazyPick):
                        self.defined.update(definitions(operation.then), definitions(operation.otherwise))
                case v.Store(_, value):
                    self.used.update((value,))
                case v.For():
                    self._add_loop(statement)
                case v.If(_, then, orelse):
                    self.add(then)
                    self.add(orelse)

    def _add_loop(self, loop: v.For) -> None:
        inside = _Survey(self.target)
        inside.add(loop.body)
        self.inner = max(self.inner, inside.registers(loop.carried))
        self.used |= inside.used
        self.defined |= inside.defined
        for c in loop.carried:
            self.used.update((c.initial, c.next))
            self.defined.update((c.name, c.result))

    def registers(self, carried: Iterable[Carried]) -> int:
        """The pressure of a loop that carries these values around the statements."""
        here = 0
        own = set(self.defined)
        for c in carried:
            own.add(c.name)
            here += registers_of(c.type, self.target)
        here += sum(registers_of(type_, self.target) for name, type_ in self.used.items() if name not in own)
        return max(here, self.inner)


@dataclass
class _Liveness:
    """Walks backwards through statements with what is wanted behind them: names, and registers that each takes.

    Constants take nothing: machine code makes them where they are used, if there is no register for them.
    """

    target: Target
    outside: frozenset[str]
    most: int = 0

    def loop(self, loop: v.For, live: dict[str, int]) -> dict[str, int]:
        """What is wanted in front of the loop."""
        through = dict(live)
        own = {*definitions(loop.body), *(c.name for c in loop.carried)}
        for c in loop.carried:
            through.pop(c.result, None)
        for value in uses(loop.body):
            if value.name not in own:
                self._want(value, through)
        inside = dict(through)
        for c in loop.carried:
            self._want(c.next, inside)
        inside = self.walk(loop.body, inside)
        self._look(inside | {c.name: registers_of(c.type, self.target) for c in loop.carried})
        for c in loop.carried:
            self._want(c.initial, through)
        return through

    def walk(self, statements: tuple[Statement, ...], live: dict[str, int]) -> dict[str, int]:
        """What is wanted in front of the statements; `live` is used up."""
        for statement in reversed(statements):
            match statement:
                case v.Let(name, operation):
                    self._let(name, operation, live)
                case v.Store(_, value):
                    self._want(value, live)
                case v.For():
                    live = self.loop(statement, live)
                case v.If(_, then, orelse):
                    live = self.walk(then, dict(live)) | self.walk(orelse, live)
                case v.Prefetch() | v.Bind():
                    continue
            self._look(live)
        return live

    def _let(self, name: str, operation: Operation, live: dict[str, int]) -> None:
        live.pop(name, None)
        if isinstance(operation, v.LazyPick):
            sides = [(operation.then, operation.then_value), (operation.otherwise, operation.otherwise_value)]
            for statements, value in sides:
                side = dict(live)
                self._want(value, side)
                live |= self.walk(statements, side)
            self._want(operation.condition, live)
        elif not isinstance(operation, v.Constant):
            for value in operands(operation):
                self._want(value, live)

    def _want(self, value: Value, live: dict[str, int]) -> None:
        if value.name not in self.outside and value.name not in live:
            live[value.name] = registers_of(value.type, self.target)

    def _look(self, live: dict[str, int]) -> None:
        self.most = max(self.most, sum(live.values()))
