"""Scalars that become the lanes of a vector, or come from them, one by one: loads and stores with a stride again.

    x0 = A[i][j];  ..  x7 = A[i + 7][j];  x = {x0, .., x7}        x = A[i .. i + 7][j]
    B[i][j] = x[0];  ..  B[i + 7][j] = x[7]                 ->    B[i .. i + 7][j] = x

Planning writes such lanes out where a vector crosses rows. Each element is read and written as before. Values that
nothing takes any more are left where they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.traversal import map_bodies, walk
from polyloop.backend.ir.vector_program import Address, Let, Statement, Store

LEAST_LANES = 4
"""Fewer are as short one by one."""

NONE: Mapping[str, v.Load] = {}


def with_strides(body: Sequence[Statement], loads: Mapping[str, v.Load] = NONE) -> tuple[Statement, ...]:
    """The statements, and those inside of them, with rows of single accesses as one.

    Args:
        loads: of elements in front of them that still hold what they held then.
    """
    known, result = dict(loads), list[Statement]()
    for statement in body:
        written = {x.address.array for x in walk((statement,)) if isinstance(x, Store)}
        inside = {name: load for name, load in known.items() if load.address.array not in written}
        match statement:
            case Let(name, v.Pack(operands, type_)) if type_.lanes >= LEAST_LANES:
                address = _address([known[x.name].address for x in operands if x.name in known], type_.lanes)
                statement = statement if address is None else Let(name, v.Load(address, type_))
            case Let(name, v.Load(_, type_, None, None) as load) if type_.lanes == 1:
                known[name] = load
            case _:
                there = inside if isinstance(statement, v.For) else known
                statement = map_bodies(statement, partial(with_strides, loads=there))
        if written:
            known = inside
        result.append(statement)
    return tuple(_scattered(result))


def _address(addresses: Sequence[Address], lanes: int) -> Address | None:
    """The one address of so many elements, where they are all of them and equally far apart."""
    if len(addresses) != lanes or len({address.array for address in addresses}) > 1:
        return None
    first, second, *_ = addresses
    apart = [b - a for a, b in zip(first.subscripts, second.subscripts, strict=True)]
    if not all(step.is_constant for step in apart) or not any(step.constant for step in apart):
        return None
    for lane, address in enumerate(addresses):
        subscripts = zip(first.subscripts, address.subscripts, apart, strict=True)
        if any(subscript != begin + step.constant * lane for begin, subscript, step in subscripts):
            return None
    return Address(first.array, first.subscripts, tuple(step.constant for step in apart))


def _scattered(body: list[Statement]) -> list[Statement]:
    """With one store of a vector in the place of the last of those of its lanes."""
    lanes = {s.name: s.operation for s in body if isinstance(s, Let) and isinstance(s.operation, v.Lane)}
    result: list[Statement] = []
    run: list[Store] = []
    for statement in body:
        result.append(statement)
        match statement:
            case Store(_, value, None, None) if value.name in lanes:
                run = [*run, statement] if _follows(run, statement, lanes) else [statement]
                vector = lanes[value.name].operand
                if len(run) == vector.type.lanes >= LEAST_LANES:
                    if (address := _address([store.address for store in run], len(run))) is not None:
                        stores = {id(store) for store in run}
                        result = [*(s for s in result if id(s) not in stores), Store(address, vector)]
                    run = []
            case Let(_, v.Lane()):
                pass
            case _:
                run = []
    return result


def _follows(run: Sequence[Store], store: Store, lanes: dict[str, v.Lane]) -> bool:
    """Whether a store is of the lane behind that of the last one."""
    own = lanes[store.value.name]
    return own.index == len(run) and all(lanes[before.value.name].operand == own.operand for before in run)
