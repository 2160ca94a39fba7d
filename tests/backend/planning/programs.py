"""Looking into planned programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.traversal import walk
from polyloop.backend.ir.vector_program import Statement


def flat(statements: Iterable[Statement]) -> Iterator[Statement]:
    """All statements, nested ones too."""
    return walk(statements)


def loops(program: v.VectorProgram, variable: str) -> list[v.For]:
    return [s for s in flat(program.body) if isinstance(s, v.For) and s.variable == variable]


def loads(statements: Iterable[Statement], array: str) -> list[v.Load]:
    operations = [s.operation for s in flat(statements) if isinstance(s, v.Let)]
    return [o for o in operations if isinstance(o, v.Load) and o.address.array == array]


def stores(statements: Iterable[Statement], array: str) -> list[v.Store]:
    return [s for s in flat(statements) if isinstance(s, v.Store) and s.address.array == array]


def operations(statements: Iterable[Statement], kind: type[v.Operation]) -> list[v.Operation]:
    return [s.operation for s in flat(statements) if isinstance(s, v.Let) and isinstance(s.operation, kind)]


def fused(statements: Iterable[Statement]) -> int:
    """How many "fma" operations there are."""
    return sum(
        isinstance(s, v.Let) and isinstance(s.operation, v.Arithmetic) and s.operation.operator == "fma"
        for s in flat(statements)
    )
