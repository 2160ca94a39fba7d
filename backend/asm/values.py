"""Values in assembly: what statements use, and which loads need no register of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

from polyloop.backend.asm.text import THREE_OPERANDS, NotPrintableError
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.vector_program import Address, Statement, Value, ValueType, VectorProgram


def mentioned(statement: Statement) -> tuple[Value, ...]:
    """The values that a statement uses, nested ones too, in the order of mention."""
    match statement:
        case v.Let(_, v.Arithmetic(_, operands)):
            return operands
        case v.Let(_, v.Broadcast(operand)):
            return (operand,)
        case v.Let(_, v.Load(where=None) | v.Constant()) | v.Prefetch():
            return ()
        case v.Store(_, value, _, None):
            return (value,)
        case v.For(body=body, carried=carried):
            nested = [value for inner in body for value in mentioned(inner)]
            return (*nested, *(value for c in carried for value in (c.initial, c.next)))
        case v.If(_, then, orelse):
            return tuple([value for inner in (*then, *orelse) for value in mentioned(inner)])
        case v.Let(_, operation):
            raise NotPrintableError(f"an operation {type(operation).__name__}")
        case _:
            raise NotPrintableError(f"a statement {type(statement).__name__}")


def only_broadcast(program: VectorProgram) -> set[str]:
    """Scalars of read-only arrays that nothing but broadcasts uses."""
    loaded: set[str] = set()
    used: set[str] = set()
    read_only = {array.name for array in program.arrays if array.read_only}

    def visit(statements: tuple[Statement, ...]) -> None:
        for statement in statements:
            match statement:
                case v.Let(name, v.Load(address, ValueType(_, 1), None)) if address.array in read_only:
                    loaded.add(name)
                case v.Let(_, v.Broadcast()):
                    pass
                case v.For(body=body, carried=carried):
                    used.update(value.name for c in carried for value in (c.initial, c.next))
                    visit(body)
                case v.If(_, then, orelse):
                    visit((*then, *orelse))
                case _:
                    used.update(value.name for value in mentioned(statement))

    visit(program.body)
    return loaded - used


def memory_operands(
    statements: tuple[Statement, ...], mentions: Sequence[tuple[Value, ...]], needed: Set[str]
) -> frozenset[str]:
    """Loads that need no register: one operation uses them, as a factor or right operand, with no store on the way.

    Args:
        mentions: what each of the statements uses.
        needed: names that others than these statements use.
    """
    uses = Counter(value.name for values in mentions for value in values)
    loads: dict[str, Address] = {}
    found: set[str] = set()
    for statement in statements:
        match statement:
            case v.Let(name, v.Load(address, _, None)) if uses[name] == 1 and name not in needed:
                loads[name] = address
            case v.Let(_, v.Arithmetic("fma", (a, b, _))) if a.name != b.name:
                chosen = next((x.name for x in (a, b) if x.name in loads), None)
                if chosen:
                    found.add(chosen)
            case v.Let(_, v.Arithmetic(operator, (_, b))) if operator in THREE_OPERANDS and b.name in loads:
                found.add(b.name)
            case v.Store() | v.For() | v.If():
                loads.clear()
    return frozenset(found)
