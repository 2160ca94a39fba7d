"""Reads the headers of for loops: the counter's values as a set."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl
from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, type_name, value_range
from polyloop.backend.ir.affine import Affine, And, Compare, Condition, Or, affine, at_least, equal
from polyloop.frontend.integer_reader import IntegerReader
from polyloop.frontend.region import Region, Requirement
from polyloop.frontend.scopes import (
    Refusal,
    Scope,
    Symbol,
    assigned_name,
    declared_names,
    step_of,
    stored_into,
    walk_nodes,
)
from polyloop.scop.affine_isl import condition_set, is_reserved


@dataclass(frozen=True)
class Loop:
    """A loop that has been entered: its counter, its name in the sets, and its step."""

    counter: Symbol
    name: str
    step: int


def enter_loop(region: Region, node: c_ast.For) -> Loop:
    """Read a header and extend the region's points by the counter. The caller restores scope, points and iterators.

    Raises:
        Refusal: where the counter's values are not affine, or its loop is none that we know.
    """
    counter, start_node = _counter(region, node)
    assert isinstance(counter.type, Arithmetic)
    type_ = counter.type.scalar
    reader = IntegerReader(region)
    start = reader.settle(reader.convert(reader.integer(start_node), type_, start_node), start_node).as_affine()
    step = _step(region, node, counter)
    _check_body(node, counter)
    name = _iterator_name(region, counter)
    region.points = region.points.add_dims(isl.dim_type.set, 1)
    region.iterators.append((counter, name))
    _restrict(region, node, counter, start, step)
    _check_wrap(region, node, counter, step)
    return Loop(counter, name, step)


def _counter(region: Region, node: c_ast.For) -> tuple[Symbol, c_ast.Node]:
    """The counter's symbol and the node of its first value."""
    match node.init:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value):
            symbol = region.scope.lookup(name)
            if symbol is None:
                raise Refusal("undeclared", f"{name} is not declared", node.init)
            if symbol.kind == "global":
                raise Refusal("counter", f"the counter {name} is global: others may read it after the loop", node.init)
            if name in region.function.address_taken and name not in region.function.lent:
                raise Refusal("counter", f"the address of the counter {name} is taken", node.init)
        case c_ast.DeclList(decls=[c_ast.Decl(init=value) as declaration]) if value is not None:
            region.scope = Scope(region.scope)
            symbol = region.declarations.declare(declaration, region.scope, "local")
            assert symbol is not None
        case c_ast.ExprList() | c_ast.DeclList():
            hint = "set others before it, and change them at the end of its body"
            raise Refusal("for-header", f"a for loop must set exactly one counter; {hint}", node.init)
        case _:
            raise Refusal("for-header", "the loop must set its counter: for (i = ...; ...; ...)", node.init or node)
    _check_counter(region, symbol, node.init.decls[0] if isinstance(node.init, c_ast.DeclList) else node.init)
    return symbol, value


def _check_counter(region: Region, symbol: Symbol, place: c_ast.Node) -> None:
    type_ = symbol.type
    if not isinstance(type_, Arithmetic):
        raise Refusal("counter", f"the counter {symbol.name} is a {type_name(type_)}", place)
    if type_.volatile:
        raise Refusal("volatile", f"the counter {symbol.name} is volatile", place)
    if type_.scalar.is_float:
        raise Refusal("floating-point", f"the counter {symbol.name} is of type {type_name(type_)}", place)
    if type_.boolean:
        raise Refusal("counter", f"the counter {symbol.name} is of type _Bool", place)
    if any(active is symbol for active, _ in region.iterators):
        raise Refusal("counter", f"{symbol.name} is the counter of a loop around this one, too", place)


def _step(region: Region, node: c_ast.For, counter: Symbol) -> int:
    """The constant that is added to the counter each time."""
    moved = step_of(node.next)
    if moved is None or moved[0].name != counter.name:
        if isinstance(node.next, c_ast.ExprList):
            hint = (
                f"{counter.name}, by a constant that is added; take the loops inside where it is multiplied or shifted"
            )
            raise Refusal("for-header", f"a for loop must change exactly one counter, {hint}", node.next)
        if node.next is None:
            raise Refusal("for-header", f"the loop's header must change its counter {counter.name}", node)
        raise Refusal("for-header", f"the loop must add a constant to its counter {counter.name}", node.next)
    step = region.declarations.constant(moved[2], region.scope)
    if step is None:
        raise Refusal("for-header", f"the step of the counter {counter.name} is not a constant", node.next)
    if step == 0:
        raise Refusal("for-header", f"the step of the counter {counter.name} is zero", node.next)
    return step if moved[1] == "+" else -step


def _check_body(node: c_ast.For, counter: Symbol) -> None:
    """The counter must be left alone in the body (a declaration of the same name there is another variable)."""
    for inner in walk_nodes(node.stmt):
        if assigned_name(inner) == counter.name and counter.name not in declared_names([node.stmt]):
            target = stored_into(inner)
            assert target is not None
            raise Refusal("counter", f"the counter {counter.name} is changed in the loop's body", target)


def _iterator_name(region: Region, counter: Symbol) -> str:
    """The C name, unless a loop around, a parameter or the set library has it."""
    taken = {*region.iterator_names, *region.parameters}
    if region.uses(counter) is region.names.inner:
        # A parameter of this name may still come, from outside of the loop that hides it.
        taken |= region.names.outer.affine - region.names.outer.counters
    name = counter.name
    while name in taken or is_reserved(name):
        name += "_"
        taken |= {name} if region.scope.lookup(name) is not None else set()
    return name


def _restrict(region: Region, node: c_ast.For, symbol: Symbol, start: Affine, step: int) -> None:
    """Cut the points down to the counter's values."""
    name = region.iterators[-1][1]
    counter = affine(name)
    towards = at_least(counter, start) if step > 0 else at_least(start, counter)
    on_grid: tuple[Condition, ...] = (equal((counter - start) % abs(step), 0),) if abs(step) > 1 else ()
    reached = region.where((towards, *on_grid))
    if node.cond is None:
        raise Refusal("for-header", "the loop has no condition", node)
    # While the condition is read, all values that may be tested are possible.
    region.points, region.collected = reached, []
    condition = IntegerReader(region).condition(node.cond)
    requirements, region.collected = region.collected, None
    holding = reached & condition_set(region.iterator_names, condition)
    if not (_monotone(condition, name, step) and _limits(condition, name)):
        holding = _until_first_failure(region, node, symbol, reached, holding, step)
    region.points = holding.coalesce()
    if requirements:
        _apply_to_tests(region, requirements, reached, start, step)


def _until_first_failure(
    region: Region, node: c_ast.For, counter: Symbol, reached: isl.Set, holding: isl.Set, step: int
) -> isl.Set:
    """The loop ends where its condition first fails, which for ``!=`` and the like is not where it fails at all.

    That it ends is assumed: C may take it for granted, and a counter that runs past its type's end is undefined.
    """
    failing = reached - holding
    depth = len(region.iterators)
    outer = reached.project_out(isl.dim_type.set, depth - 1, 1)
    ending = failing.project_out(isl.dim_type.set, depth - 1, 1)
    endless = outer - ending
    assert isinstance(counter.type, Arithmetic)
    if counter.type.scalar.kind == "uint" or counter.type.scalar.bits < 32:
        wraps = f"the loop ends where its counter {counter.name} ({type_name(counter.type)}) wraps around, if it ends"
        region.exclude(endless, outer, node.cond, "wraps", f"{wraps}; count with an int or a long")
    else:
        message = "the loop's condition never fails, so that the loop does not end"
        region.exclude(endless, outer, node.cond, "endless", message)
    # Names of our own: the loops around may have any.
    around = "".join(f"outer{k}, " for k in range(depth - 1))
    operator = ">=" if step > 0 else "<="
    later = isl.Map(f"{{ [{around}failed] -> [{around}value] : value {operator} failed }}")
    return (holding & ending.add_dims(isl.dim_type.set, 1)) - failing.apply(later)


def _apply_to_tests(
    region: Region, requirements: list[Requirement], reached: isl.Set, start: Affine, step: int
) -> None:
    """What the condition's own arithmetic needs must hold at every test: at the start and after each step."""
    names = region.iterator_names
    source, target = ", ".join(names), ", ".join((*names[:-1], f"{names[-1]} + {step}"))
    moved = region.points.apply(isl.Map(f"{{ [{source}] -> [{target}] }}"))
    first = reached & condition_set(names, equal(affine(names[-1]), start))
    values, region.points = region.points, (moved | first).coalesce()
    try:
        for requirement in requirements:
            region.apply(requirement)
    finally:
        region.points = values


def _monotone(condition: Condition, name: str, step: int) -> bool:
    """Once false, does the condition stay false while the counter runs on?"""
    match condition:
        case Compare(left, operator):
            if name not in left.variables():
                return True
            plain = all(atom == name or name not in affine_variables(atom) for atom, _ in left.terms)
            return operator == ">=" and plain and left.coefficient(name) * step < 0
        case And(operands) | Or(operands):
            return all(_monotone(o, name, step) for o in operands)
    return False


def _limits(condition: Condition, name: str) -> bool:
    """Does the condition of itself end the loop?"""
    match condition:
        case Compare(left, _):
            return name in left.variables()
        case And(operands):
            return any(_limits(o, name) for o in operands)
        case Or(operands):
            return all(_limits(o, name) for o in operands)
    return False


def affine_variables(atom: object) -> frozenset[str]:
    """The variables inside of an atom of an affine expression."""
    return Affine(((atom, 1),)).variables()  # type: ignore[arg-type]


def _check_wrap(region: Region, node: c_ast.For, counter: Symbol, step: int) -> None:
    """Unsigned and narrow counters must not leave their type's range: C wraps them, and the loop goes on.

    The step after the last value counts, too. For int and long, C leaves overflow undefined; where int wraps, too, it
    is to stay in its range as well.
    """
    assert isinstance(counter.type, Arithmetic)
    type_ = counter.type.scalar
    if type_.kind == "int" and type_.bits >= (64 if region.wraps else 32):
        return
    low, high = value_range(type_)
    following = affine(region.iterators[-1][1]) + step
    limit = at_least(following, low) if step < 0 else at_least(high, following)
    if step > 0 and type_.bits == 64:
        return
    bad = region.points - condition_set(region.iterator_names, limit)
    message = f"the counter {counter.name} ({type_name(counter.type)}) always wraps around"
    region.exclude(bad, region.points, node.cond, "wraps", message)
