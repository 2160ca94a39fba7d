"""The text and JSON of transforms: one codec for those of schedule trees and those of Scops.

A transform prints as a call with literals, ``tile(path=(0,), sizes=(32, 32))``; its JSON has the same arguments. How a
field is written and read follows from its type, by one table.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Self, TypeVar, get_type_hints

from polyloop.backend.ir.affine import Affine, affine, maximum, minimum
from polyloop.backend.ir.expressions import Access
from polyloop.errors import PolyloopError
from polyloop.schedules.tree import LARGEST

AnyStep = TypeVar("AnyStep", bound="CodedStep")


class TransformSyntaxError(PolyloopError):
    """A text or JSON value is no transform."""


@dataclass(frozen=True)
class CodedStep:
    """A frozen value that text and JSON stand for; its fields have types of the codec's table."""

    def vast(self) -> str | None:
        """The obstacle that one of its numbers is; None if counters of 64 bits can go by all of them."""
        values = (value if isinstance(value, tuple) else (value,) for value in vars(self).values())
        found = (n for several in values for n in several if isinstance(n, int) and abs(n) > LARGEST)
        return next((f"{number} is more than {LARGEST}, the largest number that is taken" for number in found), None)

    @classmethod
    def name(cls) -> str:
        """The class's name in snake_case."""
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip("_")

    def arguments(self) -> dict[str, str | int | tuple[int, ...]]:
        """What `build` takes: accesses and affine expressions as their texts."""
        return {name: codec.write(getattr(self, name)) for name, codec in _codecs(type(self)).items()}

    def __str__(self) -> str:
        """Like ``tile(path=(0,), sizes=(32, 32))``; `read_call` reads it back."""
        return f"{self.name()}({', '.join(f'{name}={value!r}' for name, value in self.arguments().items())})"

    def to_json(self) -> dict[str, object]:
        """Like ``{"transform": "tile", "path": [0], "sizes": [32, 32]}``; `read_object` reads it back."""
        values = {name: list(v) if isinstance(v, tuple) else v for name, v in self.arguments().items()}
        return {"transform": self.name(), **values}

    @classmethod
    def build(cls, arguments: Mapping[str, object]) -> Self:
        """From what `arguments` gives; fields that have a default may be missing.

        Raises:
            TransformSyntaxError: for missing or unknown names, and values of another kind.
        """
        codecs = _codecs(cls)
        required = {field.name for field in fields(cls) if field.default is MISSING}
        if not required <= set(arguments) <= set(codecs):
            raise cls._malformed(f"given {', '.join(arguments) or 'nothing'}")
        values = {name: codecs[name].read(value) for name, value in arguments.items()}
        wrong = next((name for name, value in values.items() if value is None), None)
        if wrong is not None:
            raise cls._malformed(f"{wrong} is {arguments[wrong]!r}")
        return cls(**values)

    @classmethod
    def _malformed(cls, problem: str) -> TransformSyntaxError:
        form = ", ".join(f"{name}={codec.form}" for name, codec in _codecs(cls).items())
        return TransformSyntaxError(f"{cls.name()}: {problem}; this is not of the form {cls.name()}({form})")


def read_call(text: str, table: Mapping[str, type[AnyStep]]) -> AnyStep:
    """The transform that prints as `text`.

    Args:
        table: the classes that it may be of, by name.
    Raises:
        TransformSyntaxError: for anything else.
    """
    problem = f"{text!r} is not of the form name(path=(...), ...)"
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise TransformSyntaxError(problem)
        arguments = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TransformSyntaxError(problem) from error
    return _named(call.func.id, table).build(arguments)


def read_lines(text: str, table: Mapping[str, type[AnyStep]]) -> tuple[AnyStep, ...]:
    """One transform a line; empty lines and lines that start with # are left out."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(read_call(line, table) for line in lines if line and not line.startswith("#"))


def read_object(value: Mapping[str, object], table: Mapping[str, type[AnyStep]]) -> AnyStep:
    """What `CodedStep.to_json` made.

    Raises:
        TransformSyntaxError: for anything else.
    """
    arguments = {key: argument for key, argument in value.items() if key != "transform"}
    return _named(str(value.get("transform")), table).build(arguments)


def _named(name: str, table: Mapping[str, type[AnyStep]]) -> type[AnyStep]:
    if name not in table:
        raise TransformSyntaxError(f"there is no transform {name!r}; there are {', '.join(table)}")
    return table[name]


@dataclass(frozen=True)
class _Codec:
    """How values of one type are written.

    Attributes:
        form: an example, for messages.
        read: from a literal; None if it is of another kind.
        write: to a literal.
    """

    form: str
    read: Callable[[object], Any]
    write: Callable[[Any], str | int | tuple[int, ...]]


_KNOWN: dict[type, dict[str, _Codec]] = {}


def _codecs(cls: type[CodedStep]) -> dict[str, _Codec]:
    """The codec of each field, in order; a field of a type without one is a KeyError here, in the first test."""
    if cls not in _KNOWN:
        types = get_type_hints(cls)
        _KNOWN[cls] = {field.name: _CODECS[types[field.name]] for field in fields(cls)}
    return _KNOWN[cls]


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _truth(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _integers(value: object) -> tuple[int, ...] | None:
    fits = isinstance(value, tuple | list) and all(_integer(item) is not None for item in value)
    return tuple(value) if isinstance(value, tuple | list) and fits else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _expression(value: object) -> ast.expr | None:
    try:
        return ast.parse(value.strip(), mode="eval").body if isinstance(value, str) else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def read_affine(text: object) -> Affine | None:
    """What an affine expression prints as, read back; None for anything else."""
    return _affine(_expression(text))


def _access(node: ast.expr | None) -> Access | None:
    subscripts: list[Affine] = []
    while isinstance(node, ast.Subscript):
        subscript = _affine(node.slice)
        if subscript is None:
            return None
        subscripts.insert(0, subscript)
        node = node.value
    return Access(node.id, tuple(subscripts)) if isinstance(node, ast.Name) else None


def _affine(node: ast.expr | None) -> Affine | None:
    """What an affine expression's text says, choices apart; None for anything else."""
    match node:
        case ast.Constant(int() as number) if not isinstance(number, bool):
            return affine(number)
        case ast.Name(name):
            return affine(name)
        case ast.UnaryOp(ast.USub(), operand):
            inner = _affine(operand)
            return None if inner is None else -inner
        case ast.BinOp(left, operator, right):
            return _sum_or_multiple(operator, _affine(left), _affine(right))
        case ast.Call(ast.Name("floord"), [dividend, ast.Constant(int() as divisor)], []) if divisor > 0:
            inner = _affine(dividend)
            return None if inner is None else inner // divisor
        case ast.Call(ast.Name("min" | "max" as name), [_, _, *_] as operands, []):
            read = [_affine(operand) for operand in operands]
            known = [value for value in read if value is not None]
            extremum = minimum if name == "min" else maximum
            return extremum(*known) if len(known) == len(read) else None
        case _:
            return None


def _sum_or_multiple(operator: ast.operator, left: Affine | None, right: Affine | None) -> Affine | None:
    if left is None or right is None:
        return None
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult() if left.is_constant:
            return right * left.constant
        case _:
            return None


_CODECS: dict[object, _Codec] = {
    bool: _Codec("True", _truth, bool),
    int: _Codec("0", _integer, int),
    str: _Codec("'NAME'", _text, str),
    tuple[int, ...]: _Codec("(0, ...)", _integers, tuple),
    Access: _Codec("'A[i][j]'", lambda value: _access(_expression(value)), str),
    Affine: _Codec("'i - j'", read_affine, str),
}
