"""The syntax tree of the named-dimension language. Nodes compare without their places in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

REDUCTIONS = {"sum": "+", "prod": "*", "max": "max", "min": "min"}
"""Name of a reduction -> its operator."""
ASSIGNMENTS = {"=": None, "+=": "+", "*=": "*", "max=": "max", "min=": "min"}
"""How a statement stores -> the operator with which it accumulates; `=` initialises."""


@dataclass(frozen=True)
class Span:
    """A piece of the program's text, as offsets."""

    start: int = 0
    end: int = 0

    def to(self, other: Span) -> Span:
        return Span(self.start, other.end)


_NOWHERE = Span()


@dataclass(frozen=True)
class Number:
    """Not negative; `inf` is one."""

    value: int | float
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Name:
    """A dimension, or a scalar tensor."""

    name: str
    span: Span = field(default=_NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Element:
    """``A[i, 2*j + k]``; ``s[]`` for a scalar."""

    tensor: Name
    subscripts: tuple[Node, ...]
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Negate:
    """The negative of an expression."""

    operand: Node
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Operation:
    """operator: + - * /, and in subscripts // and %."""

    operator: str
    left: Node
    right: Node
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Apply:
    """A function of values, or the views ``pad`` and ``concat``, or ``size`` in a subscript."""

    function: Name
    arguments: tuple[Node, ...]
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Reduce:
    """``sum(i, j) body``: over all values of the dimensions, which are known in the body only."""

    reduction: Name
    dims: tuple[Name, ...]
    body: Node
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


Node: TypeAlias = "Number | Name | Element | Negate | Operation | Apply | Reduce"


@dataclass(frozen=True)
class Declaration:
    """``I: f32[h + 2, w + 2]``: the type, the extents, or both; a dimension stands for its size here."""

    tensor: Name
    dtype: Name | None
    extents: tuple[Node, ...]
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Assignment:
    """``target operator value``, for all values of the dimensions."""

    target: Element
    operator: str
    value: Node
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Program:
    """Declarations and assignments, in the order in which they stand."""

    items: tuple[Declaration | Assignment, ...]

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        return tuple(item for item in self.items if isinstance(item, Declaration))

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        return tuple(item for item in self.items if isinstance(item, Assignment))


def children(node: Node) -> tuple[Node, ...]:
    """The operands, from left to right."""
    match node:
        case Number() | Name():
            return ()
        case Element(_, subscripts):
            return subscripts
        case Negate(operand):
            return (operand,)
        case Operation(_, left, right):
            return (left, right)
        case Apply(_, arguments):
            return arguments
        case Reduce(_, _, body):
            return (body,)


def rewrite(node: Node, transform: Callable[[Node], Node]) -> Node:
    """Bottom-up, subscripts left alone: `transform` sees each node after what is below it."""
    match node:
        case Negate(operand):
            node = replace(node, operand=rewrite(operand, transform))
        case Operation(_, left, right):
            node = replace(node, left=rewrite(left, transform), right=rewrite(right, transform))
        case Apply(_, arguments):
            node = replace(node, arguments=tuple(rewrite(a, transform) for a in arguments))
        case Reduce(_, _, body):
            node = replace(node, body=rewrite(body, transform))
    return transform(node)


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the text's order of beginnings."""
    yield node
    for child in children(node):
        yield from walk(child)


def elements(node: Node) -> Iterator[Element]:
    """All elements of tensors that are read."""
    return (inner for inner in walk(node) if isinstance(inner, Element))


def reductions(node: Node, outermost: bool = False) -> Iterator[Reduce]:
    """All reductions, or those that stand in no other."""
    if isinstance(node, Reduce):
        yield node
        if outermost:
            return
    for child in children(node):
        yield from reductions(child, outermost)


def bound(node: Node) -> Iterator[Name]:
    """The dimensions that reductions name."""
    for reduction in reductions(node):
        yield from reduction.dims


def terms(node: Node) -> Iterator[Node]:
    """What a sum adds and subtracts; any other node is a sum of itself."""
    match node:
        case Operation("+" | "-", left, right):
            yield from terms(left)
            yield from terms(right)
        case _:
            yield node
