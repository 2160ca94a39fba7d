"""Scops, loop nests and vector programs as text that says all of them: what is hashed, and what golden files show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import TRUE, Affine, Condition
from polyloop.backend.ir.expressions import text
from polyloop.backend.ir.loop_nest import ArraySpec, LoopNest, Storage
from polyloop.backend.ir.vector_program import VectorProgram
from polyloop.scop.check_data import check_runs
from polyloop.scop.data import fills
from polyloop.scop.model import Scop, Statement
from polyloop.scop.size_choice import default_sizes
from polyloop.scop.thresholds import on_both_sides


def scop_text(scop: Scop) -> str:
    """What the front end found, one line for each array and statement."""
    lines = [f"{scop.name}({', '.join(scop.parameters)})", f"context {scop.context}", f"assuming {scop.assumptions}"]
    for array in scop.arrays:
        marks = " local" * array.local + " may alias" * array.may_alias
        lines.append(f"array {array.name}: {array.type}{_extents(array.shape)}{marks}")
    lines += [line for statement in scop.statements for line in _statement(statement)]
    return "\n".join(lines) + "\n"


def dependences_text(scop: Scop) -> str:
    """The memory-based dependences, against which schedules are proven, in alphabetical order."""
    return "".join(f"{line}\n" for line in sorted(f"{d.text} ({d.cause})" for d in scop.dependences()))


def data_text(scop: Scop) -> str:
    """The sizes that are chosen where nobody gave any, and what the loops are timed and compared on at these."""
    chosen = default_sizes(scop)
    runs = [(chosen.values, on_both_sides(scop, fills(scop, chosen.values))), *check_runs(scop, chosen.values, True)]
    lines = [chosen.origin]
    for sizes, data in runs:
        lines += [f"at {sizes}", *(str(each).replace(", values=None)", ")") for each in data)]
    return "\n".join(lines) + "\n"


def nest_text(nest: LoopNest) -> str:
    """The nest below its interface."""
    return f"{_interface(nest)}{nest}\n"


def program_text(program: VectorProgram) -> str:
    """The program below its interface, one line for each statement."""
    marks = " auto_vectorize" * program.auto_vectorize + " may_overlap" * program.may_overlap
    head = _interface(program).replace("\n", f"{marks}\n", 1)
    return head + "".join(f"{line}\n" for line in _block(program.body, 0))


def _statement(statement: Statement) -> Iterator[str]:
    schedule = ", ".join(map(str, statement.schedule))
    reduction = f" reduces {statement.reduction}" if statement.reduction else ""
    yield f"statement {statement.name} in {statement.domain} at [{schedule}]{reduction}"
    yield f"  {statement.target} = {text(statement.value)}"


def _interface(code: LoopNest | VectorProgram) -> str:
    lines = [f"{code.name}({', '.join(code.parameters)})"]
    lines += [f"array {_array(array)}" for array in code.arrays]
    lines += [f"where {code.context}"] if code.context != TRUE else []
    return "\n".join(lines) + "\n"


def _array(array: ArraySpec) -> str:
    marks = " local" * (array.storage is Storage.LOCAL) + " read-only" * array.read_only + " scratch" * array.scratch
    return f"{array.name}: {array.type}{_extents(array.shape)}{marks}"


def _extents(shape: Iterable[Affine | None]) -> str:
    return "".join(f"[{'' if extent is None else extent}]" for extent in shape)


# --- vector programs --------------------------------------------------------------------------------------------------


def _block(statements: Iterable[v.Statement], indent: int) -> Iterator[str]:
    for statement in statements:
        yield from ("  " * indent + line for line in _lines(statement))


def _lines(statement: v.Statement) -> Iterator[str]:
    match statement:
        case v.Let(name, v.LazyPick(condition, then, then_value, otherwise, otherwise_value, type_)):
            yield f"{name}: {type_} = if {condition.name} then {then_value.name} else {otherwise_value.name} where"
            yield from _block(then, 1)
            yield "or"
            yield from _block(otherwise, 1)
        case v.Let(name, operation):
            yield f"{name}: {operation.type} = {_operation(operation)}"
        case v.Store(address, value, active, where):
            yield f"{_address(address)}{_only(active)}{_there(where)} = {value.name}: {value.type}"
        case v.Prefetch(address):
            yield f"prefetch {_address(address)}"
        case v.Bind(variable, value):
            yield f"{variable} = {value}"
        case v.BindValue(variable, operand):
            yield f"{variable} = {operand.name}"
        case v.For():
            yield from _loop(statement)
        case v.If(condition, then, orelse):
            yield from _choice(condition, then, orelse)
        case v.When(value, body):
            yield f"when {_typed(value)}"
            yield from _block(body, 1)
        case _:
            assert_never(statement)


def _loop(loop: v.For) -> Iterator[str]:
    marks = (f" step {loop.step}" if loop.step != 1 else "") + (f" unroll {loop.unroll}" if loop.unroll != 1 else "")
    yield f"{'parallel ' * loop.parallel}for {loop.variable} in [{loop.lower}, {loop.upper}){marks}"
    for c in loop.carried:
        yield f"    carrying {c.name}: {c.type} = {c.initial.name} then {c.next.name}, behind it {c.result}"
    yield from _block(loop.body, 1)


def _choice(condition: Condition, then: Iterable[v.Statement], orelse: tuple[v.Statement, ...]) -> Iterator[str]:
    yield f"if {condition}"
    yield from _block(then, 1)
    if orelse:
        yield "else"
        yield from _block(orelse, 1)


def _operation(operation: v.Operation) -> str:
    match operation:
        case v.Constant(value):
            return repr(value)
        case v.Load(address, _, active, where):
            return f"{_address(address)}{_only(active)}{_there(where)}"
        case v.IndexValue(value, stride):
            return f"({value})" + (f" + {stride} * lane" if stride else "")
        case v.Broadcast(operand):
            return f"every lane {_typed(operand)}"
        case v.Arithmetic(operator, operands):
            return f"{operator} {_names(operands)}"
        case v.Test(operator, left, right):
            return f"{_typed(left)} {operator} {right.name}"
        case v.Pick(condition, then, otherwise):
            return f"{_typed(condition)} ? {then.name} : {otherwise.name}"
        case v.LazyPick():
            raise AssertionError("it has lines of its own")
        case v.Convert(operand):
            return f"from {_typed(operand)}"
        case v.Apply(function, operands):
            return f"{function}({_names(operands)})"
        case v.Horizontal(operator, operand):
            return f"over all lanes {operator} {_typed(operand)}"
        case v.Pack(operands):
            return f"lanes {_names(operands)}"
        case v.Lane(operand, index):
            return f"lane {index} of {_typed(operand)}"
        case v.Shuffle(operands, lanes):
            return f"lanes {', '.join(map(str, lanes))} of {', '.join(map(_typed, operands))}"
        case v.Compact(operands, spread):
            return f"{'spread' if spread else 'compact'} {', '.join(map(_typed, operands))}"
        case v.GroupSum(operator, operands):
            return f"sums of groups, {operator} {', '.join(map(_typed, operands))}"
        case _:
            assert_never(operation)


def _typed(value: v.Value) -> str:
    return f"{value.name}: {value.type}"


def _names(values: Iterable[v.Value]) -> str:
    return ", ".join(value.name for value in values)


def _address(address: v.Address) -> str:
    place = address.array + "".join(f"[{subscript}]" for subscript in address.subscripts)
    return f"{place} + {address.lane_strides} * lane" if any(address.lane_strides) else place


def _there(where: v.Value | None) -> str:
    return "" if where is None else f" where {where.name}"


def _only(active: Affine | None) -> str:
    return "" if active is None else f" in the first {active} lanes"
