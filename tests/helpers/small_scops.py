"""Scops written in Python, for tests: loops around assignments, in the words of C."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import islpy as isl

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import F64, Access, Binary, Expression, Index, Read
from polyloop.scop.affine_isl import affine_to_text
from polyloop.scop.model import Array, Scop, Statement


@dataclass(frozen=True)
class Loop:
    """for (iterator = lower; iterator < upper; iterator++), or down from upper - 1 to lower."""

    iterator: str
    lower: str
    upper: str
    body: tuple[Loop | Assign, ...]
    down: bool = False


@dataclass(frozen=True)
class Assign:
    """target = sum of the reads plus one (no reads: the value of the first iterator)."""

    name: str
    target: str
    reads: tuple[str, ...] = ()


def loop(iterator: str, lower: str, upper: str, *body: Loop | Assign, down: bool = False) -> Loop:
    return Loop(iterator, lower, upper, body, down)


def assign(name: str, target: str, *reads: str) -> Assign:
    return Assign(name, target, reads)


def scop(parameters: str, *body: Loop | Assign, local: str = "", name: str = "small", extents: str = "n + 2") -> Scop:
    """A Scop over parameters (at least 1 each). Every array dimension has the same extent."""
    names = tuple(parameters.split())
    context = isl.Set(f"[{', '.join(names)}] -> {{ : {' and '.join(f'{p} >= 1' for p in names) or '0 = 0'} }}")
    statements = tuple(_statements(names, body, (), (), ()))
    ranks: dict[str, int] = {}
    for statement in statements:
        for access in (statement.target, *statement.reads):
            ranks[access.array] = len(access.subscripts)
    arrays = tuple(
        Array(a, F64, (parse_affine(extents),) * rank, local=a in local.split()) for a, rank in sorted(ranks.items())
    )
    return Scop(name, names, context, arrays, statements, isl.Set.universe(context.get_space()))


def parse_affine(text: str) -> Affine:
    names = re.findall(r"[A-Za-z_]\w*", text)
    value: Affine | int = eval(text, {"__builtins__": {}}, {name: affine(name) for name in names})
    return affine(value)


def parse_access(text: str) -> Access:
    array, *subscripts = re.split(r"\[", text.replace("]", ""))
    return Access(array, tuple(map(parse_affine, subscripts)))


def _statements(
    parameters: tuple[str, ...],
    body: tuple[Loop | Assign, ...],
    loops: tuple[Loop, ...],
    position: tuple[Affine, ...],
    guards: tuple[str, ...],
) -> Iterator[Statement]:
    for index, item in enumerate(body):
        here = (*position, affine(index))
        match item:
            case Loop(iterator, lower, upper, inner, down):
                low, high = (affine_to_text(parse_affine(t)) for t in (lower, upper))
                order = -affine(iterator) if down else affine(iterator)
                bounds = f"{low} <= {iterator} < {high}"
                yield from _statements(parameters, inner, (*loops, item), (*here, order), (*guards, bounds))
            case Assign(name, target, reads):
                iterators = tuple(enclosing.iterator for enclosing in loops)
                conditions = " and ".join(guards) or "0 = 0"
                text = f"[{', '.join(parameters)}] -> {{ {name}[{', '.join(iterators)}] : {conditions} }}"
                written, value = parse_access(target), _value(iterators, reads)
                reduction = "+" if [r for r in reads if parse_access(r).array == written.array] == [target] else None
                yield Statement(name, iterators, isl.Set(text), written, value, here, reduction)


def _value(iterators: tuple[str, ...], reads: tuple[str, ...]) -> Expression:
    value: Expression = Index(affine(iterators[0]) if iterators else affine(1), F64)
    for text in reads:
        value = Binary("+", value, Read(parse_access(text), F64), F64)
    return value


def gemm() -> Scop:
    return scop(
        "n",
        loop("i", "0", "n",
             loop("j", "0", "n", assign("S", "C[i][j]", "C[i][j]")),
             loop("k", "0", "n", loop("j2", "0", "n", assign("T", "C[i][j2]", "C[i][j2]", "A[i][k]", "B[k][j2]")))),
        name="gemm",
    )  # fmt: skip


def symm() -> Scop:
    """PolyBench's symm: a scalar carries a dot product through the inner loop."""
    return scop(
        "m n",
        loop("i", "0", "m",
             loop("j", "0", "n",
                  assign("Z", "temp"),
                  loop("k", "0", "i",
                       assign("U", "C[k][j]", "C[k][j]", "B[i][j]", "A[i][k]"),
                       assign("V", "temp", "temp", "B[k][j]", "A[i][k]")),
                  assign("W", "C[i][j]", "C[i][j]", "B[i][j]", "A[i][i]", "temp"))),
        name="symm", extents="m + n", local="temp",
    )  # fmt: skip


def accesses(source: Scop) -> dict[str, str]:
    """What every statement writes and reads."""
    return {s.name: f"{s.target} <- {', '.join(map(str, s.reads))}" for s in source.statements}
