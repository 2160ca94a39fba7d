"""What the C printer finds out before it prints: uses, operands used once, variables that loops update.

Three decisions make the text readable without changing a bit of what it computes:
- a scalar that is used once, further down the same list of statements, is printed inside the expression that uses it,
  unless a store or a nested body in between could change what it reads, or unless clang would contract the two;
- a loop that carries a value on whose initial value nothing else depends updates the variable that holds that value;
- the operation that computes the next carried value assigns to the carried variable at once, if the old value is not
  needed any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from polyloop.backend.ir import traversal
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.expressions import F32, F64
from polyloop.backend.ir.traversal import NamesUsed
from polyloop.backend.ir.vector_program import Carried, For, Let, Operation, Statement, Store, ValueType


def uses(statement: Statement) -> Iterator[str]:
    """Names of the values that a statement reads, nested ones and repetitions included."""
    return (value.name for value in traversal.uses((statement,)))


def functions_called(body: tuple[Statement, ...]) -> frozenset[str]:
    """C functions that the program calls by name."""
    lets = (s for s in traversal.walk(body) if isinstance(s, Let))
    return frozenset(s.operation.function for s in lets if isinstance(s.operation, v.Apply))


def widens_rounded_values(body: tuple[Statement, ...]) -> bool:
    """Whether a scalar that was rounded to float may become a double again, on its own or by way of an array."""
    statements = [s for inner in all_bodies(body) for s in inner]
    lets = [s for s in statements if isinstance(s, Let)]
    conversions = [(s, s.operation) for s in lets if isinstance(s.operation, v.Convert)]
    if not any((o.operand.type.element, o.type.element) == (F32, F64) for _, o in conversions):
        return False
    rounded = {s.name for s, o in conversions if o.type == ValueType(F32) and o.operand.type == ValueType(F64)}
    stored = Counter(s.value.name for s in statements if isinstance(s, Store))
    used = Counter(name for statement in body for name in uses(statement))
    loaded = {s.operation.address.array for s in lets if isinstance(s.operation, v.Load)}
    return any(used[name] > stored[name] for name in rounded) or any(
        s.value.name in rounded and s.address.array in loaded for s in statements if isinstance(s, Store)
    )


@dataclass
class Analysis:
    """Facts about a whole program.

    Attributes:
        count: how often each value is read.
        inlined: scalars printed where they are used.
        updated: values whose variable a later loop of the same statement list updates -> the loop's name for it.
    """

    count: Counter[str] = field(default_factory=Counter)
    inlined: set[str] = field(default_factory=set)
    updated: dict[str, str] = field(default_factory=dict)


def analyse(body: tuple[Statement, ...]) -> Analysis:
    """Facts about a program's body (without dead values)."""
    found = Analysis()
    for statement in body:
        found.count.update(uses(statement))
    for inner in all_bodies(body):
        _inline(inner, found)
        _mark_updated(inner, found)
    return found


def next_assignments(loop: For, found: Analysis) -> dict[str, Carried]:
    """Lets of the loop's body that may assign to the carried variable directly: their name -> what is carried.

    The old value must not be read behind the assignment, neither under its own name nor as another one's next value.
    """
    roots = _roots(loop.body, found.inlined)
    positions = {s.name: p for p, s in enumerate(loop.body) if isinstance(s, Let)}
    last: dict[str, int] = {}
    for p, statement in enumerate(loop.body):
        for name in uses(statement):
            last[name] = max(last.get(name, 0), roots[p])
    passed_on = {c.initial.name for s in loop.body if isinstance(s, For) for c in s.carried}
    chosen: dict[str, Carried] = {}
    for carried in loop.carried:
        name = carried.next.name
        position = positions.get(name)
        if position is None or name in chosen or name in found.updated or carried.name in passed_on:
            continue
        operation = loop.body[position]
        if not isinstance(operation, Let) or not holds_variable(operation.operation):
            continue
        old_is_passed = any(other.next.name == carried.name for other in loop.carried)
        if last.get(carried.name, 0) <= position and not old_is_passed:
            chosen[name] = carried
    return chosen


def holds_variable(operation: Operation) -> bool:
    """Whether the printer gives the value a C variable of its own (else it repeats the text where it is used)."""
    return not isinstance(operation, v.Constant | v.Broadcast | v.LazyPick)


def all_bodies(body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    """The statements, then those of every loop and conditional inside, at any depth."""
    yield body
    for statement in body:
        for inner in traversal.bodies(statement):
            yield from all_bodies(inner)


def without_dead(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements without values and integers that nothing reads."""
    while True:
        used = NamesUsed().visit(body)
        pruned = _prune(body, used)
        if pruned == body:
            return body
        body = pruned


def _prune(body: tuple[Statement, ...], used: NamesUsed) -> tuple[Statement, ...]:
    kept: list[Statement] = []
    for statement in body:
        match statement:
            case Let(name, _) if name not in used.values:
                continue
            case v.Bind(variable, _) if variable not in used.integers:
                continue
            case For(body=inner):
                kept.append(replace(statement, body=_prune(inner, used)))
            case v.If(_, then, orelse):
                kept.append(replace(statement, then=_prune(then, used), orelse=_prune(orelse, used)))
            case Let(name, v.LazyPick(then=then, otherwise=otherwise) as pick):
                pruned = replace(pick, then=_prune(then, used), otherwise=_prune(otherwise, used))
                kept.append(Let(name, pruned))
            case _:
                kept.append(statement)
    return tuple(kept)


def _roots(body: tuple[Statement, ...], inlined: set[str]) -> list[int]:
    """For each statement, the position of the statement with which it is evaluated: its own, if it is not inlined."""
    roots = list(range(len(body)))
    consumer: dict[str, int] = {}
    for p in range(len(body) - 1, -1, -1):
        statement = body[p]
        if isinstance(statement, Let) and statement.name in inlined and statement.name in consumer:
            roots[p] = roots[consumer[statement.name]]
        for name in uses(statement):
            consumer[name] = p
    return roots


def _inline(body: tuple[Statement, ...], found: Analysis) -> None:
    """Decide from the end, so that what a statement is inlined into is known before it."""
    roots = list(range(len(body)))
    consumer: dict[str, int] = {}
    barriers = [p for p, s in enumerate(body) if not isinstance(s, Let | v.Bind)]
    for p in range(len(body) - 1, -1, -1):
        statement = body[p]
        if isinstance(statement, Let) and found.count[statement.name] == 1 and statement.name in consumer:
            root = roots[consumer[statement.name]]
            crossed = any(p < barrier < root for barrier in barriers)
            if not crossed and _may_inline(statement.operation, body[consumer[statement.name]]):
                roots[p] = root
                found.inlined.add(statement.name)
        for name in uses(statement):
            consumer[name] = p


def _may_inline(producer: Operation, consumer: Statement) -> bool:
    if producer.type.lanes != 1 or not isinstance(
        producer, v.Load | v.IndexValue | v.Arithmetic | v.Test | v.Pick | v.Convert | v.Apply
    ):
        return False
    match consumer:
        case Store(_, value, _):
            return value.type.lanes == 1
        case Let(_, v.Arithmetic(operator, _, type_)) if type_.lanes == 1:
            fused = operator in ("+", "-", "fma", "neg") and type_.element.is_float
            product = isinstance(producer, v.Arithmetic) and producer.operator in ("*", "neg")
            # min and max repeat their operands.
            return not (fused and product) and operator not in ("min", "max")
        case Let(_, v.Test(type=type_) | v.Pick(type=type_) | v.Convert(type=type_) | v.Apply(type=type_)):
            return type_.lanes == 1
        case _:
            return False


def _mark_updated(body: tuple[Statement, ...], found: Analysis) -> None:
    defined = {s.name for s in body if isinstance(s, Let) and holds_variable(s.operation)}
    for statement in body:
        if isinstance(statement, For):
            for carried in statement.carried:
                if carried.initial.name in defined and found.count[carried.initial.name] == 1:
                    found.updated[carried.initial.name] = carried.name
