"""Small loop programs as data: executed as C would, turned into a Scop, and printed as C.

One program has three forms that know nothing of each other: `executed` walks the loops in Python, `to_scop` writes
domains and 2d+1 schedules, `to_c` prints a function with ``#pragma scop``. What all of them say must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import islpy as isl
import numpy as np

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, Compare, Condition, FloorDiv, affine, evaluate_condition
from polyloop.backend.ir.expressions import Access, Expression, ScalarType, dtype_of
from polyloop.backend.ir.interpreter import Array as Data
from polyloop.backend.ir.interpreter import Environment, evaluate
from polyloop.scop.affine_isl import affine_to_text, condition_to_text
from polyloop.scop.model import Array, Scop, Statement

PRODUCT = """void product(int n, double C[n][n], double A[n][n], double B[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] = C[i][j] + A[i][k] * B[k][j];
#pragma endscop
}
"""


@dataclass(frozen=True)
class Assign:
    """``target = value``; `reduction` as in `polyloop.scop.model.Statement`."""

    name: str
    target: Access
    value: Expression
    reduction: str | None = None


@dataclass(frozen=True)
class For:
    """From max(lower) up to min(upper) - 1 in steps, or, where `down`, from min(upper) - 1 down to max(lower)."""

    iterator: str
    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    body: tuple[Item, ...]
    step: int = 1
    down: bool = False


@dataclass(frozen=True)
class When:
    """if (condition) body; the condition is one comparison."""

    condition: Compare
    body: tuple[Item, ...]


Item: TypeAlias = "Assign | For | When"


@dataclass(frozen=True)
class Program:
    """Parameters are at least 1; local scalars are declared in the block that writes them first."""

    name: str
    parameters: tuple[str, ...]
    arrays: tuple[Array, ...]
    body: tuple[Item, ...]

    def array(self, name: str) -> Array:
        return next(a for a in self.arrays if a.name == name)


# --- executed ---------------------------------------------------------------------------------------------------------


def instances(program: Program, sizes: Mapping[str, int]) -> Iterator[tuple[Assign, dict[str, int]]]:
    """Every executed assignment in order, with the values of the loops around it (outermost first)."""
    return _instances(program.body, dict(sizes), {})


def points_of(program: Program, sizes: Mapping[str, int]) -> list[tuple[str, tuple[int, ...]]]:
    """Statement and values of the loops around it, of every executed assignment in order."""
    return [(assign.name, tuple(loops.values())) for assign, loops in instances(program, sizes)]


def _instances(
    body: tuple[Item, ...], sizes: dict[str, int], loops: dict[str, int]
) -> Iterator[tuple[Assign, dict[str, int]]]:
    for item in body:
        known = {**sizes, **loops}
        match item:
            case Assign():
                yield item, dict(loops)
            case When(condition, inner):
                if evaluate_condition(condition, known):
                    yield from _instances(inner, sizes, loops)
            case For(iterator, lower, upper, inner, step, down):
                low, high = max(x.evaluate(known) for x in lower), min(x.evaluate(known) for x in upper)
                for value in range(high - 1, low - 1, -step) if down else range(low, high, step):
                    yield from _instances(inner, sizes, {**loops, iterator: value})


def executed(program: Program, sizes: Mapping[str, int], arrays: Mapping[str, Data], contract: bool) -> dict[str, Data]:
    """What is in the arrays after the program ran on copies of them."""
    result = {name: array.copy() for name, array in arrays.items()}
    locals_ = {
        a.name: np.full((), np.nan if a.type.is_float else 85, dtype_of(a.type)) for a in program.arrays if a.local
    }
    everything = {**result, **locals_}
    for assign, loops in instances(program, sizes):
        environment = Environment({**sizes, **loops}, everything, contract)
        position = tuple(s.evaluate(environment.integers) for s in assign.target.subscripts)
        everything[assign.target.array][position] = evaluate(assign.value, environment)
    return result


# --- as a Scop --------------------------------------------------------------------------------------------------------


def to_scop(program: Program) -> Scop:
    known = " and ".join(f"{p} >= 1" for p in program.parameters) or "1 = 1"
    context = isl.Set(f"[{', '.join(program.parameters)}] -> {{ : {known} }}")
    statements = tuple(_statements(program, program.body, (), (), ()))
    universe = isl.Set.universe(context.get_space())
    return Scop(program.name, program.parameters, context, program.arrays, statements, universe)


def _statements(
    program: Program,
    body: tuple[Item, ...],
    iterators: tuple[str, ...],
    schedule: tuple[Affine, ...],
    guards: tuple[str, ...],
    first: int = 0,
) -> Iterator[Statement]:
    """`first`: the textual position of the first item (a condition does not open a level of its own)."""
    position = first
    for item in body:
        match item:
            case Assign(name, target, value, reduction):
                text = f"{name}[{', '.join(iterators)}] : {' and '.join(guards) or '1 = 1'}"
                domain = isl.Set(f"[{', '.join(program.parameters)}] -> {{ {text} }}")
                yield Statement(name, iterators, domain, target, value, (*schedule, affine(position)), reduction)
                position += 1
            case When(condition, inner):
                below = (*guards, condition_to_text(condition))
                yield from _statements(program, inner, iterators, schedule, below, position)
                position += width(inner)
            case For(iterator, _, _, inner, _, down):
                order = -affine(iterator) if down else affine(iterator)
                outer = (*schedule, affine(position), order)
                yield from _statements(program, inner, (*iterators, iterator), outer, (*guards, _bounds(item)))
                position += 1


def width(body: tuple[Item, ...]) -> int:
    """How many textual positions the items take."""
    return sum(width(item.body) if isinstance(item, When) else 1 for item in body)


def _bounds(loop: For) -> str:
    parts = [f"{affine_to_text(x)} <= {loop.iterator}" for x in loop.lower]
    parts += [f"{loop.iterator} < {affine_to_text(x)}" for x in loop.upper]
    if loop.step > 1:
        start = loop.upper[0] - 1 if loop.down else loop.lower[0]
        parts.append(f"({loop.iterator} - ({affine_to_text(start)})) mod {loop.step} = 0")
    return " and ".join(parts)


# --- as C -------------------------------------------------------------------------------------------------------------

_C_TYPES = {"f64": "double", "f32": "float", "i32": "int", "i64": "long", "u32": "unsigned"}

C_HEAD = """#include <math.h>
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
"""


def to_c(program: Program) -> str:
    """The program as a C function of its parameters and arrays; scalars that are not local are variables of the file
    (see `scalar_name`), so that their values can be seen from outside."""
    lines = [f"{c_type(a.type)} {a.name};" for a in program.arrays if not a.shape and not a.local]
    arguments = [f"int {p}" for p in program.parameters]
    for array in program.arrays:
        if array.shape:
            extents = "".join(f"[{c_affine(x)}]" for x in array.shape if x is not None)
            arguments.append(f"{c_type(array.type)} {array.name}{extents}")
    lines += [f"void {program.name}({', '.join(arguments) or 'void'})", "{", "#pragma scop"]
    lines += _c_body(program, program.body, 1, frozenset())
    lines += ["#pragma endscop", "}"]
    return "\n".join(lines) + "\n"


def c_type(type_: ScalarType) -> str:
    return _C_TYPES[str(type_)]


def _c_body(program: Program, body: tuple[Item, ...], depth: int, declared: frozenset[str]) -> Iterator[str]:
    pad = "  " * depth
    for item in body:
        match item:
            case Assign(_, target, value):
                array = program.array(target.array)
                if array.local and array.name not in declared:
                    declared |= {array.name}
                    yield f"{pad}{c_type(array.type)} {array.name};"
                yield f"{pad}{c_access(target)} = {c_expression(value)};"
            case When(condition, inner):
                yield f"{pad}if ({c_condition(condition)}) {{"
                yield from _c_body(program, inner, depth + 1, declared)
                yield f"{pad}}}"
            case For():
                yield f"{pad}{_c_for(item)} {{"
                yield from _c_body(program, item.body, depth + 1, declared)
                yield f"{pad}}}"


def _c_for(loop: For) -> str:
    i = loop.iterator
    low, high = _extremum("MAX", loop.lower), _extremum("MIN", loop.upper)
    step = "++" if loop.step == 1 else f" += {loop.step}"
    back = "--" if loop.step == 1 else f" -= {loop.step}"
    if loop.down:
        return f"for (int {i} = {high} - 1; {i} >= {low}; {i}{back})"
    return f"for (int {i} = {low}; {i} < {high}; {i}{step})"


def _extremum(macro: str, operands: tuple[Affine, ...]) -> str:
    texts = [c_affine(x) for x in operands]
    return texts[0] if len(texts) == 1 else f"{macro}({', '.join(texts)})"


def c_affine(value: Affine) -> str:
    """Divisions are C's: their dividends must not be negative."""
    parts = []
    for atom, c in value.terms:
        match atom:
            case str():
                text = atom
            case FloorDiv(dividend, divisor):
                text = f"({c_affine(dividend)}) / {divisor}"
                text = f"({text})"
            case _:
                raise AssertionError(f"{atom} has no place in a program")
        parts.append(text if c == 1 else f"{c} * {text}")
    if value.constant or not parts:
        parts.append(str(value.constant))
    return " + ".join(parts).replace("+ -", "- ")


def c_condition(condition: Condition) -> str:
    assert isinstance(condition, Compare)
    return f"{c_affine(condition.left)} {condition.operator} 0"


def c_access(access: Access) -> str:
    return access.array + "".join(f"[{c_affine(s)}]" for s in access.subscripts)


def c_expression(node: Expression) -> str:
    match node:
        case e.Literal(value, type_):
            text = repr(value) + ("f" if str(type_) == "f32" else "")
            return f"({text})" if value < 0 else text
        case e.Read(access, _):
            return c_access(access)
        case e.Index(value, type_):
            return f"({c_type(type_)})({c_affine(value)})" if str(type_) != "i32" else f"({c_affine(value)})"
        case e.Unary(operator, operand, _):
            return f"({operator}{c_expression(operand)})".replace("--", "- -")
        case (
            e.Binary(operator, left, right, _) | e.Comparison(operator, left, right) | e.Logical(operator, left, right)
        ):
            return f"({c_expression(left)} {operator} {c_expression(right)})"
        case e.Select(condition, then, otherwise, _):
            return f"({c_expression(condition)} ? {c_expression(then)} : {c_expression(otherwise)})"
        case e.Cast(operand, type_):
            return f"(({c_type(type_)}){c_expression(operand)})"
        case e.Call(function, arguments, _):
            return f"{function}({', '.join(map(c_expression, arguments))})"
        case e.Partial() | e.Fold():
            raise AssertionError("sums inside of expressions have no place in a program")
