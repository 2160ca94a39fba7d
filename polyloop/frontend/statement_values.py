"""Runs a region's statements with values for its integers: what is left of them has no such variables any more."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic
from polyloop.backend.ir.expressions import I64, ScalarType
from polyloop.frontend.blocks import Block, block_of, iterations, least
from polyloop.frontend.derived import Derived, counting_type
from polyloop.frontend.induction import (
    Counter,
    advanced,
    bound_of,
    constant_of,
    end_of,
    increment,
    keeps_or_sets,
    lowered,
    plus,
    turning,
    worth,
)
from polyloop.frontend.jumps import Jumps, jumps_of
from polyloop.frontend.naming import own_name
from polyloop.frontend.present_values import PresentValues, StaysError, is_large
from polyloop.frontend.scopes import (
    Symbol,
    assigned_names,
    children,
    declared_names,
    does_anything,
    kept,
    set_names,
    used_names,
)
from polyloop.frontend.syntax import (
    as_one,
    cast,
    declaration,
    expressions_of,
    map_children,
    number,
    operation,
    replaced,
    statements_of,
    variables,
)

MOST_VISITS = 5_000
"""Of statements in one region: every loop goes through its body twice, so that nests of many loops take for ever."""


class StatementValues:
    """Goes through statements in order; see `polyloop.frontend.scalars`.

    Attributes:
        values: at the present place.
        jumps: the variables that end loops.
        derived: makes parameters.
    """

    def __init__(self, values: PresentValues, jumps: Jumps, derived: Derived) -> None:
        self.values = values
        self.jumps = jumps
        self.derived = derived
        self._marks = itertools.count(1000)
        self._visits = 0
        self._blocks: dict[str, Block] = {}

    def block(self, items: Iterable[c_ast.Node]) -> list[c_ast.Node]:
        return [new for item in items for new in self.statement(item)]

    def statement(self, node: c_ast.Node) -> list[c_ast.Node]:
        """What is left to do of a statement.

        Raises:
            StaysError: of no variable, where all of this takes too long.
        """
        self._visits += 1
        if self._visits > MOST_VISITS:
            raise StaysError(())
        match node:
            case c_ast.Compound():
                return [c_ast.Compound(self.block(node.block_items or ()), node.coord)]
            case c_ast.DeclList():
                return self.block(node.decls)
            case c_ast.ExprList():
                return self.block(node.exprs)
            case c_ast.Decl():
                return self._declaration(node)
            case c_ast.If():
                return self._if(node)
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                return self._loop(node)
            case c_ast.Label():
                inner = self.statement(node.stmt)
                one = as_one(inner, node)
                return [c_ast.Label(node.name, one, node.coord)] if inner else []
            case c_ast.Cast() | c_ast.ID() | c_ast.Constant() if not does_anything(node):
                return []
            case c_ast.EmptyStatement() | c_ast.Pragma() | c_ast.Typedef():
                return [node]
        value = self.values.value(node)
        return [] if self.values.target(node) is not None else [value]

    def _declaration(self, node: c_ast.Decl) -> list[c_ast.Node]:
        if not self.values.is_replaced(node.name):
            return [map_children(node, lambda child: self.values.value(child) if child is node.init else child)]
        if node.init is None:  # any value will do: C says nothing of programs that read it
            self.values.env[node.name] = number(0, node)
            return []
        self.values.value(c_ast.Assignment("=", c_ast.ID(node.name, node.coord), node.init, node.coord))
        return []

    def _if(self, node: c_ast.If) -> list[c_ast.Node]:
        condition = self.values.value(node.cond)
        before = dict(self.values.env)
        then = self._body(node.iftrue)
        env_then, self.values.env = self.values.env, before
        otherwise = self._body(node.iffalse)
        for name, value in env_then.items():
            self.values.env[name] = self._either(condition, value, self.values.env.get(name))
        if not then.block_items and not otherwise.block_items and not does_anything(condition):
            return []
        return [c_ast.If(condition, then, otherwise if otherwise.block_items else None, node.coord)]

    def _body(self, node: c_ast.Node | None) -> c_ast.Compound:
        return c_ast.Compound(self.block(statements_of(node)), node.coord if node is not None else None)

    def _either(
        self, condition: c_ast.Node, then: c_ast.Node | None, otherwise: c_ast.Node | None
    ) -> c_ast.Node | None:
        if then is None or otherwise is None:
            return None
        if then is otherwise or self.values.polynomials.equal(then, otherwise):
            return then
        return (
            c_ast.TernaryOp(condition, then, otherwise, condition.coord) if self.values.is_settled(condition) else None
        )

    # --- loops --------------------------------------------------------------------------------------------------------

    def _loop(self, node: c_ast.Node) -> list[c_ast.Node]:
        parts = _parts(node)
        inside = (parts.test, parts.body, *parts.next)
        assigned = self._replaced_of(assigned_names(inside) - declared_names(inside))
        header = set_names((*parts.first, parts.test, *parts.next))
        if any(jumps_of(parts.body)):
            if assigned or self._replaced_of(header):
                raise StaysError(assigned | self._replaced_of(header))
            return [self._plain_loop(node, assigned)]
        before = dict(self.values.env)
        first = self.block(parts.first)
        inner = (assigned & self.values.own_counters) - self._replaced_of(header)
        forgotten: dict[str, c_ast.Node | None] = dict.fromkeys(inner)
        self.values.env.update(forgotten)
        counted = self._counted_loop(parts, assigned - inner)
        if counted is not None:
            self.values.env.update(forgotten)
            return [*first, counted]
        if self._replaced_of(header):
            raise StaysError(self._replaced_of(header))
        if (flag := _own_flag(parts.body, self.jumps)) is not None:
            raise StaysError([flag])  # only a counting loop asks for it
        self.values.env = before
        return [self._plain_loop(node, assigned)]

    def _replaced_of(self, names: Iterable[str]) -> set[str]:
        return {name for name in names if self.values.is_replaced(name)}

    def _plain_loop(self, node: c_ast.Node, assigned: set[str]) -> c_ast.Node:
        """A loop that is no counting one, as it stands; what it changes is not known in it nor behind it."""
        unknown: dict[str, c_ast.Node | None] = dict.fromkeys(assigned)
        self.values.env.update(unknown)
        counted = set_names([node.init, node.next]) - set_names([node.stmt]) if isinstance(node, c_ast.For) else set()
        counted -= self.values.counters
        self.values.counters |= counted

        def part(child: c_ast.Node) -> c_ast.Node:
            if child is node.stmt:
                return self._body(child)
            if isinstance(child, c_ast.DeclList):
                return map_children(
                    child, lambda d: map_children(d, lambda c: self.values.value(c) if c is d.init else c)
                )
            return self.values.value(child)

        result = map_children(node, part)
        self.values.counters -= counted
        self.values.env.update(unknown)
        return result

    def _counted_loop(self, parts: _Parts, assigned: set[str]) -> c_ast.Node | None:
        """The loop over a counter of its own; None where none of its variables counts."""
        if not assigned:
            return None  # without a trial: each level of a nest would double what is gone through inside
        entry = {name: self.values.env[name] for name in sorted(assigned)}
        flag = _own_flag(parts.body, self.jumps)
        marks = {name: self._mark(name) for name in entry}
        trial = self._iteration(parts, {n: c_ast.ID(m, parts.place.coord) for n, m in marks.items()}, flag)
        steps: dict[str, c_ast.Node] = {}
        for name, mark in marks.items():
            after = trial.after[name]
            every = frozenset(marks.values())
            step = (
                increment(after, mark, every, self.values.polynomials, self.values.types[name])
                if after is not None
                else None
            )
            if step is not None:
                steps[name] = step
        tried = _Trial(trial, entry, marks, steps)
        counter = self._counter(parts, tried)
        if counter is None and flag is None:
            counter = self._counter_by_parameter(parts, tried)
        if counter is None:
            return None
        counter = self._from_zero(parts, tried, counter) or counter
        top = self._at_top(counter, tried)
        saved = self.values.env
        known = _with_values(trial, top, counter.name) if flag is None else None
        run = known or self._iteration(parts, {name: top[mark] for name, mark in marks.items()}, flag)
        self.values.env = saved
        condition = self._condition(parts, run, counter, flag)
        if condition is None:
            return None
        end = end_of(run.test, counter, self.values.polynomials) if flag is None else None
        self.values.counters.discard(counter.name)
        end = end if end is not None and self.values.is_settled(end) else None
        for name in entry:
            unchanged = name in steps and constant_of(steps[name], self.values.polynomials) == 0
            self.values.env[name] = entry[name] if unchanged else _behind(parts, run, counter, end, name)
        first = c_ast.DeclList([declaration(counter.name, counter.type, counter.start, parts.place)], parts.place.coord)
        block, body = self._blocks.pop(counter.name, None), run.body
        if block is not None and block.last.name in used_names(body):
            body = c_ast.Compound([block.check, *statements_of(body)], body.coord)
        return c_ast.For(first, condition, _next(counter), body, parts.place.coord)

    def _mark(self, name: str) -> str:
        mark = own_name(name, next(self._marks))
        self.values.scope.add(Symbol(mark, "local", Arithmetic(self.values.types[name])))
        self.values.counters.add(mark)
        return mark

    def _iteration(self, parts: _Parts, top: dict[str, c_ast.Node | None], flag: str | None) -> _Iteration:
        """Run test and body once, from these values at the top."""
        self.values.env = {**self.values.env, **top}
        if flag is not None:
            self.values.env[flag] = number(0, parts.place)
        test, at_test = None, self.values.env
        if not parts.test_last:
            test = self.values.value(parts.test) if parts.test is not None else None
            at_test = dict(self.values.env)
        items = [*self._body(parts.body).block_items, *self.block(parts.next)]
        if parts.test_last:
            test = self.values.value(parts.test)
        return _Iteration(test, at_test, self.values.env, c_ast.Compound(items, parts.body.coord))

    def _counter(self, parts: _Parts, trial: _Trial) -> Counter | None:
        """A variable of the test that takes constant steps; one of our own where its steps do not divide others'."""
        constant = {name: constant_of(step, self.values.polynomials) for name, step in trial.steps.items()}
        tested = [node.name for node in variables(trial.run.test)]
        last = set_names(parts.next)
        known = [n for n, start in trial.entry.items() if start is not None and constant.get(n)]
        possible = [n for n in known if trial.marks[n] in tested or not tested]
        if not possible:
            return None
        name = min(possible, key=lambda n: (n not in last, tested.index(trial.marks[n]) if tested else 0))
        start, step = trial.entry[name], constant[name]
        assert start is not None
        assert step is not None
        own = Counter(trial.marks[name], self.values.types[name], start, step, parts.place)
        others = [n for n in trial.steps if trial.entry[n] is not None]
        fits = [
            advanced(start, trial.steps[n], own, self.values.types[n], self.values.polynomials) is not None
            for n in others
        ]
        if all(fits):
            return own
        return self._fresh_counter(name, I64, parts)

    def _fresh_counter(self, name: str, type_: ScalarType, parts: _Parts, steps: c_ast.Node | None = None) -> Counter:
        fresh = own_name(name, next(self._marks))
        self.values.scope.add(Symbol(fresh, "local", Arithmetic(type_)))
        self.values.counters.add(fresh)
        return Counter(fresh, type_, number(0, parts.place), 1, parts.place, steps)

    def _from_zero(self, parts: _Parts, trial: _Trial, counter: Counter) -> Counter | None:
        """A counter of our own where the first value and the end are no affine expressions, and what is between them
        is: ``for (k = i * n; k < i * n + m; k++)``."""
        name = next((n for n, mark in trial.marks.items() if mark == counter.name), None)
        first = self.values.polynomials.read(counter.start)
        if name is None or parts.test_last or counter.step != 1 or first is None:
            return None
        polynomials = self.values.polynomials
        if counter.type.kind == "uint" and not (
            first.type == counter.type and polynomials.is_exact(first, self._blocks)
        ):
            return None
        products = [{str(atom) for atom in monomial} for monomial, _ in first.terms if len(monomial) > 1]
        moving = any(not self.values.counters.isdisjoint(product) for product in products)
        if not moving and not self._blocks:
            return None
        lengths = iterations(trial.run.test, counter, trial.steps[name], polynomials, self._blocks)
        if not lengths or not all(map(self.values.is_settled, lengths)):
            return None
        if not moving and all((read := polynomials.read(length)) and read.is_linear for length in lengths):
            return None
        length = least(lengths, self._blocks.values(), polynomials)
        return None if length is None else self._fresh_counter(name, I64, parts, length)

    def _counter_by_parameter(self, parts: _Parts, trial: _Trial) -> Counter | None:
        """A counter of our own where a variable takes steps of a parameter's length from and to parameters."""
        polynomials = self.values.polynomials
        for name, step in trial.steps.items():
            start = trial.entry[name]
            if start is None:
                continue
            # Of a loop whose first iteration is not asked about, those behind it are counted.
            first = operation("+", cast(start, I64), step) if parts.test_last else start
            value = trial.run.after[name] if parts.test_last else c_ast.ID(trial.marks[name])
            assert value is not None
            end, length = bound_of(trial.run.test, value, step, polynomials), step
            if end is None and (down := lowered(step, polynomials)) is not None:
                first = operation("-", cast(start, I64), down) if parts.test_last else start
                end, length = bound_of(trial.run.test, value, step, polynomials, upwards=False), down
            if end is None:
                continue
            ends = (first, end[0]) if length is step else (end[0], first)
            own = self.values.types[name]
            type_ = counting_type(own)
            count = self.derived.steps(*ends, length, polynomials, own, inclusive=end[1], upwards=length is step)
            if count is not None:
                counter = self._fresh_counter(name, type_, parts, count)
                if length is step and not parts.test_last:
                    beyond = plus(cast(ends[1], I64), int(end[1]))
                    last = self.derived.last_step(count, start, beyond, length, polynomials, type_)
                    block = block_of(counter, start, beyond, length, last, polynomials)
                    self._blocks |= {} if block is None else {counter.name: block}
                return counter
        return None

    def _at_top(self, counter: Counter, trial: _Trial) -> dict[str, c_ast.Node | None]:
        """By its mark, every variable's value at the top of an iteration."""
        top: dict[str, c_ast.Node | None] = {}
        for name, step in trial.steps.items():
            start = trial.entry[name]
            if trial.marks[name] == counter.name:
                top[trial.marks[name]] = counter.node
            elif start is not None:
                top[trial.marks[name]] = advanced(
                    start, step, counter, self.values.types[name], self.values.polynomials
                )
        every = frozenset(trial.marks.values())
        waiting = [name for name in trial.marks if trial.marks[name] not in top]
        while True:
            for name in waiting:
                value = self._from_before(
                    counter, trial.run.after[name], trial.entry[name], trial.marks[name], top, every
                )
                if value is not None:
                    top[trial.marks[name]] = value
                    waiting.remove(name)
                    break
            else:
                return top | {trial.marks[name]: None for name in waiting}

    def _from_before(
        self,
        counter: Counter,
        after: c_ast.Node | None,
        start: c_ast.Node | None,
        mark: str,
        top: dict[str, c_ast.Node | None],
        marks: frozenset[str],
    ) -> c_ast.Node | None:
        """A variable's value at the top, of what the iteration before has made of values that are known."""
        if after is None or start is None:
            return None
        used = used_names(after) & marks
        if used == {mark} and (turned := turning(after, mark, start, counter, self.values.polynomials)) is not None:
            return turned
        known = dict(top)
        if keeps_or_sets(after, mark, marks):
            known[mark] = start
        value = worth(known, after) if used <= set(known) else None
        if value is None:
            return None
        value = counter.before(value)
        if is_large(value) or is_large(start):
            return None  # each loop around would choose between such values once more
        if self.values.polynomials.equal(counter.at(value, counter.start), start):
            return value
        return c_ast.TernaryOp(counter.is_first, start, value, value.coord)

    def _condition(self, parts: _Parts, run: _Iteration, counter: Counter, flag: str | None) -> c_ast.Node | None:
        """When an iteration runs, said of the counter alone."""
        condition = run.test if counter.steps is None else operation("<", counter.node, counter.steps)
        if parts.test_last:
            if condition is None or not self.values.is_settled(condition):
                return None
            condition = operation("||", counter.is_first, counter.before(condition))
        if flag is not None:
            stopped = run.after[flag]
            if stopped is None:
                raise StaysError([flag])
            going = operation("==", counter.before(stopped), number(0, parts.place))
            going = operation("||", counter.is_first, going)
            condition = going if condition is None else operation("&&", condition, going)
        return condition


@dataclass(frozen=True)
class _Parts:
    """A loop of any kind."""

    place: c_ast.Node
    first: list[c_ast.Node]
    test: c_ast.Node | None
    next: list[c_ast.Node]
    body: c_ast.Node
    test_last: bool = False


@dataclass(frozen=True)
class _Iteration:
    """One iteration as it was run: values at the test and behind it, and what is left of the body."""

    test: c_ast.Node | None
    at_test: dict[str, c_ast.Node | None]
    after: dict[str, c_ast.Node | None]
    body: c_ast.Compound


def _with_values(trial: _Iteration, top: Mapping[str, c_ast.Node | None], counter: str) -> _Iteration | None:
    """The trial as the iteration that it stands for, where the marks that it asks for, but the counter's own, stand for
    other counters, so that running it with values would make the same of it: else each level of a nest would be gone
    through twice as often as the one around it."""
    others = top.keys() - {counter}
    counters = {name: value for name in others if (value := top[name]) is not None and _is_counter(value)}

    def settled(value: c_ast.Node | None) -> c_ast.Node | None:
        if isinstance(value, c_ast.ID) and value.name in others:
            return top[value.name]
        return None if value is None else replaced(value, counters)

    def env(given: dict[str, c_ast.Node | None]) -> dict[str, c_ast.Node | None]:
        return {name: settled(value) for name, value in given.items()}

    body = replaced(trial.body, counters)
    assert isinstance(body, c_ast.Compound)
    result = _Iteration(settled(trial.test), env(trial.at_test), env(trial.after), body)
    given = {id(value) for value in top.values()}
    ends = (v for values in (result.at_test, result.after) for v in values.values() if id(v) not in given)
    parts = (result.test, result.body, *ends)
    return result if all(others.isdisjoint(used_names(part)) for part in parts) else None


def _is_counter(value: c_ast.Node) -> bool:
    """Whether it is a variable, in another type perhaps."""
    return isinstance(value.expr if isinstance(value, c_ast.Cast) else value, c_ast.ID)


@dataclass(frozen=True)
class _Trial:
    """One iteration run with a mark for every variable's value at its top.

    Attributes:
        entry: by variable, its value before the loop.
        marks: by variable, its mark.
        steps: what an iteration adds to it, where that is the same in all.
    """

    run: _Iteration
    entry: dict[str, c_ast.Node | None]
    marks: dict[str, str]
    steps: dict[str, c_ast.Node]


def _parts(node: c_ast.Node) -> _Parts:
    match node:
        case c_ast.For():
            first = node.init.decls if isinstance(node.init, c_ast.DeclList) else expressions_of(node.init)
            return _Parts(node, list(first), node.cond, expressions_of(node.next), node.stmt)
        case c_ast.While():
            return _Parts(node, [], node.cond, [], node.stmt)
    return _Parts(node, [], node.cond, [], node.stmt, test_last=True)


def _behind(parts: _Parts, run: _Iteration, counter: Counter, end: c_ast.Node | None, name: str) -> c_ast.Node | None:
    """A variable's value behind the loop, whose counter then is (or would be, at its next test) worth `end`."""
    value = run.after[name] if parts.test_last else run.at_test[name]
    if value is None or end is None:
        return None
    return counter.at(value, end)


def _next(counter: Counter) -> c_ast.Node:
    name, step = counter.node, counter.step
    if abs(step) == 1:
        return c_ast.UnaryOp("p++" if step > 0 else "p--", name, counter.place.coord)
    operator = "+=" if step > 0 else "-="
    return c_ast.Assignment(operator, name, number(abs(step), counter.place), counter.place.coord)


def _own_flag(body: c_ast.Node, jumps: Jumps) -> str | None:
    """The variable that a ``break`` of this loop sets."""
    return next((name for name in _set_in(body) if name in jumps.flags), None) if jumps.flags else None


@kept
def _set_in(body: c_ast.Node) -> tuple[str, ...]:
    """The variables that a loop's body sets outside of loops in it, in order."""
    if isinstance(body, c_ast.For | c_ast.While | c_ast.DoWhile):
        return ()
    own = [body.lvalue.name] if isinstance(body, c_ast.Assignment) and isinstance(body.lvalue, c_ast.ID) else []
    return (*own, *(name for child in children(body) for name in _set_in(child)))
