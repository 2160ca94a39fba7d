"""What all transforms of Scops have in common: storage and statements change, the values that flow stay.

Where a transform of a tree changes the order of execution, one of these changes what is executed: arrays get other
shapes, copies are made, statements are cut. Fewer dependences are left, so that more orders are legal on the new Scop.
Each proves itself when it is applied, by the unchanged flow of values; they come before the transforms of the tree.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar, Self

from polyloop.backend.ir.affine import Affine, affine, maximum, minimum
from polyloop.backend.ir.expressions import Access
from polyloop.errors import PolyloopError
from polyloop.scop.model import Scop
from polyloop.support.isl_limits import OperationLimitError, limited
from polyloop.transforms.base import TransformSyntaxError, is_integers, parse_call


@dataclass(frozen=True)
class ScopRefusal:
    """Why a Scop is not changed: ``cannot expand temp over i in symm: ...``.

    Attributes:
        scop: the Scop's name.
        reason: what is in the way, in words.
    """

    transform: ScopTransform
    scop: str
    reason: str

    def __str__(self) -> str:
        return f"cannot {self.transform.action} in {self.scop}: {self.reason}"


class IllegalScopTransformError(PolyloopError):
    """A change of a Scop that its check refuses; carries the refusal."""

    def __init__(self, refusal: ScopRefusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


@dataclass(frozen=True)
class ScopTransform(ABC):
    """One proven change of a Scop.

    Subclasses are frozen and hold names, integers, accesses and affine expressions, so that one value is the action,
    the line in a log, the key in a cache and the replay.
    """

    error: ClassVar[type[IllegalScopTransformError]] = IllegalScopTransformError

    @classmethod
    @abstractmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Instances that may be worth it, lazily; whether they can be proven is not looked at."""

    @property
    @abstractmethod
    def action(self) -> str:
        """What it does in words, for messages."""

    @abstractmethod
    def changed(self, scop: Scop) -> Scop:
        """The new Scop, proven; raises `error` if there is none. `apply` bounds the time of the proof."""

    def check(self, scop: Scop) -> ScopRefusal | None:
        """None if the new Scop exists and provably has the same flow of values, else why not."""
        try:
            self.apply(scop)
        except IllegalScopTransformError as error:
            return error.refusal
        return None

    def apply(self, scop: Scop) -> Scop:
        """The new Scop, proven to have the same flow of values.

        Raises:
            IllegalScopTransformError: if there is none, or isl gives the proof up; says why.
        """
        try:
            with limited():
                return self.changed(scop)
        except OperationLimitError as error:
            raise self.refused(scop, str(error)) from error

    def refused(self, scop: Scop, reason: str) -> IllegalScopTransformError:
        """The error that says why this is not done to a Scop."""
        return self.error(ScopRefusal(self, scop.name, reason))

    def __str__(self) -> str:
        """Like ``expand(array='t', loops=(0, 1))``; `parse` reads it back."""
        values = ", ".join(f"{name}={value!r}" for name, value in self.arguments().items())
        return f"{self.name()}({values})"

    def arguments(self) -> dict[str, str | int | tuple[int, ...]]:
        """What `build` takes: accesses and affine expressions as their texts."""
        values = {name: getattr(self, name) for name in _kinds(type(self))}
        return {name: str(v) if isinstance(v, Access | Affine) else v for name, v in values.items()}

    @classmethod
    def name(cls) -> str:
        """The class's name in snake_case."""
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip("_")

    @classmethod
    def parse(cls, text: str) -> Self:
        """The transform that prints as `text`.

        Raises:
            TransformSyntaxError: for anything else.
        """
        name, arguments = parse_call(text)
        if name != cls.name():
            raise TransformSyntaxError(f"{text!r} is not of the form {cls.form()}")
        return cls.build(arguments)

    @classmethod
    def build(cls, arguments: dict[str, object]) -> Self:
        """From what `arguments` gives.

        Raises:
            TransformSyntaxError: for missing or unknown names, and values of another kind.
        """
        kinds = _kinds(cls)
        if set(arguments) != set(kinds):
            given = ", ".join(arguments) or "nothing"
            raise TransformSyntaxError(f"{cls.name()}: given {given}; this is not of the form {cls.form()}")
        values = {name: _read(kinds[name], value) for name, value in arguments.items()}
        wrong = [name for name, value in values.items() if value is None]
        if wrong:
            raise TransformSyntaxError(
                f"{cls.name()}: {wrong[0]} is {arguments[wrong[0]]!r}; this is not of the form {cls.form()}"
            )
        return cls(**values)

    @classmethod
    def form(cls) -> str:
        """The form of its text, for messages."""
        return f"{cls.name()}({', '.join(f'{name}={_FORMS[kind]}' for name, kind in _kinds(cls).items())})"


_FORMS = {"str": "'NAME'", "tuple[int, ...]": "(0, ...)", "Access": "'A[i][j]'", "Affine": "'i - j'"}


def _kinds(cls: type[ScopTransform]) -> dict[str, str]:
    return {field.name: str(field.type) for field in fields(cls)}


def _read(kind: str, value: object) -> object:
    """A field's value; None if it is of another kind."""
    match kind, value:
        case "tuple[int, ...]", tuple() | list() if is_integers(value):
            return tuple(value)
        case "str", str():
            return value
        case (("Access" | "Affine"), str()):
            try:
                node = ast.parse(value.strip(), mode="eval").body
            except SyntaxError:
                return None
            return _access(node) if kind == "Access" else _affine(node)
        case _:
            return None


def _access(node: ast.expr) -> Access | None:
    subscripts: list[Affine] = []
    while isinstance(node, ast.Subscript):
        subscript = _affine(node.slice)
        if subscript is None:
            return None
        subscripts.insert(0, subscript)
        node = node.value
    return Access(node.id, tuple(subscripts)) if isinstance(node, ast.Name) else None


def _affine(node: ast.expr) -> Affine | None:
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
