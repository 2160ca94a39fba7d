"""The loop-nest IR: what the polyhedral layer hands to the backend.

    node := Loop(variable, lower, upper, step, kind, body) | Block(children) | Guard(condition, body, orelse)
          | Compute(statement, target, value, conditional)

A nest is executed exactly as written, top to bottom; loop kinds are permissions that the polyhedral layer has proven:
VECTOR and PARALLEL promise that iterations of that loop may run in any order and at once; UNROLLED asks for
straight-line code and, below a sequential loop, for a register tile. The order of computation is unchanged: what a
tile of unrolled and vector loops computes is what the nest says.

`polyloop.backend.ir.interpreter` gives the meaning; every compiled form is checked against it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias

from polyloop.backend.ir.affine import TRUE, Affine, Condition, affine, substitute_condition
from polyloop.backend.ir.expressions import (
    Access,
    Expression,
    Literal,
    ScalarType,
    Select,
    map_access,
    map_affine,
    text,
)
from polyloop.backend.ir.polynomials import Polynomial

ENDLESS = 1 << 60
"""So many iterations has a loop that only data end: at a thousand million in a second they take 36 years."""


class LoopKind(Enum):
    """How the iterations of a loop are run."""

    SEQUENTIAL = "for"
    PARALLEL = "parallel for"
    VECTOR = "vector for"
    UNROLLED = "unrolled for"

    @property
    def noun(self) -> str:
        """With its article: ``a vector loop``, ``an unrolled loop``."""
        return f"{'an' if self is LoopKind.UNROLLED else 'a'} {self.name.lower()} loop"


class Storage(Enum):
    """Who owns an array: the caller, or the kernel (zero-initialised never; written before it is read)."""

    ARGUMENT = "argument"
    LOCAL = "local"


@dataclass(frozen=True)
class Origin:
    """What a copy holds: its axis number k runs along dimension `order[k]` of the array, from `low` of that on."""

    array: str
    order: tuple[int, ...]
    low: tuple[Affine, ...]


@dataclass(frozen=True)
class ArraySpec:
    """An array of the nest: C element type, shape in elements (outermost first, row-major, () for a scalar).

    The first extent may be None: unknown, as for a C pointer parameter. `read_only`: no statement writes it.
    `scratch`: a LOCAL array that is written anew, directly in front of what reads it: threads may each have their own,
    also where copies of the code stand in several parallel loops.
    `private`: a LOCAL array of which every iteration of the parallel loop around its uses writes what it reads: threads
    must each have their own, as they run iterations at once that use the same elements.
    `lane_private`: the same of the vector loop around its uses: lanes may each have their own.
    `copies`: what it is a copy of, for what is fetched ahead; it changes no value.
    `strides`: how many elements lie between neighbours along each subscript, where extents do not say so: all are None
    then, and it is read only.
    `values`: what a table of constants holds, in the order of memory, whatever is passed for it.
    Distinct ArraySpecs never overlap in memory (the caller checks it).
    """

    name: str
    type: ScalarType
    shape: tuple[Affine | None, ...] = ()
    storage: Storage = Storage.ARGUMENT
    read_only: bool = False
    scratch: bool = False
    private: bool = False
    lane_private: bool = False
    copies: Origin | None = field(default=None, compare=False)
    strides: tuple[Polynomial, ...] | None = None
    values: tuple[Literal, ...] | None = None

    def value(self, subscripts: Sequence[Affine]) -> Literal | None:
        """The number at a constant place of a table of constants, if there is one; None of others."""
        if self.values is None or self.strides is not None or not all(each.is_constant for each in subscripts):
            return None
        place = 0
        for subscript, extent in zip(subscripts, (affine(1), *self.shape[1:]), strict=True):
            if extent is None or not extent.is_constant:
                return None
            place = place * extent.constant + subscript.constant
        return self.values[place] if 0 <= place < len(self.values) else None


@dataclass(frozen=True)
class Loop:
    """``for (variable = lower; variable < upper; variable += step)``; bounds evaluated once, on entry; step >= 1.

    `prefetch`: (array, distance) pairs: every iteration asks the caches for what the loads of that array below read so
    many iterations later. It changes no value.
    """

    variable: str
    lower: Affine
    upper: Affine
    step: int
    body: Node
    kind: LoopKind = LoopKind.SEQUENTIAL
    prefetch: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Block:
    """Nodes that run one after the other."""

    children: tuple[Node, ...]


@dataclass(frozen=True)
class Guard:
    """`body` where the condition holds, else `orelse`.

    `masks`: the variable of an unrolled loop around. What the body writes is written under a mask, not behind a branch,
    and for iterations in which the condition does not hold it reads what the last one reads in which it does.
    """

    condition: Condition
    body: Node
    orelse: Node = Block(())
    masks: str = ""


@dataclass(frozen=True)
class Compute:
    """``target = value``. All operands are read before the target is written.

    `conditional`: the value is ``condition ? new : target``, and where the condition does not hold, the target is
    neither read nor written, and nothing that only the new value needs is read. To all that looks at accesses it is
    what it says: the old value stays by being read.
    """

    statement: str
    target: Access
    value: Expression
    conditional: bool = False

    @property
    def choice(self) -> Select | None:
        """The value of a conditional Compute, which is to be stored where its condition holds."""
        return self.value if self.conditional and isinstance(self.value, Select) else None

    def with_integers(self, transform: Callable[[Affine], Affine]) -> Compute:
        """The same with its subscripts, and the integers in its value, transformed."""
        return replace(self, target=map_access(self.target, transform), value=map_affine(self.value, transform))


Node: TypeAlias = "Loop | Block | Guard | Compute"


@dataclass(frozen=True)
class LoopNest:
    """A kernel: integer parameters (I64, by value) and arrays (by address), in the order of the calling convention.

    `context` holds on entry: planning may use it, the caller must have checked it. `wraps`: signed integers wrap around
    where they overflow; else nobody computes what does.
    """

    name: str
    parameters: tuple[str, ...]
    arrays: tuple[ArraySpec, ...]
    body: Node
    context: Condition = TRUE
    wraps: bool = False

    def array(self, name: str) -> ArraySpec:
        return next(a for a in self.arrays if a.name == name)

    def __str__(self) -> str:
        return "\n".join(render(self.body))


def with_body(loop: Loop, body: Node) -> Loop:
    """The loop around another body; itself, if it is its own."""
    return loop if body is loop.body else replace(loop, body=body)


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below one."""
    match node:
        case Loop(body=body):
            return (body,)
        case Block(inside):
            return inside
        case Guard(_, body, orelse):
            return body, orelse
        case Compute():
            return ()


def map_children(node: Node, visit: Callable[[Node], Node]) -> Node:
    """The node with every child as `visit` returns it."""
    match node:
        case Loop(body=body):
            return with_body(node, visit(body))
        case Block(inside):
            return Block(tuple(map(visit, inside)))
        case Guard(condition, body, orelse):
            return Guard(condition, visit(body), visit(orelse), node.masks)
        case Compute():
            return node


def map_computes(node: Node, visit: Callable[[Compute], Node]) -> Node:
    """The tree with every Compute as `visit` returns it."""
    return visit(node) if isinstance(node, Compute) else map_children(node, lambda child: map_computes(child, visit))


def substituted(node: Node, values: Mapping[str, Affine]) -> Node:
    """The node with other values in the places of variables of loops around it."""

    def one(value: Affine) -> Affine:
        return value.substitute(values)

    match node:
        case Compute():
            return node.with_integers(one)
        case Guard():
            node = replace(node, condition=substitute_condition(node.condition, values))
        case Loop():
            node = replace(node, lower=one(node.lower), upper=one(node.upper))
    return map_children(node, lambda child: substituted(child, values))


def walk(node: Node) -> Iterator[Node]:
    """Pre-order over all nodes."""
    ahead = [node]
    while ahead:
        node = ahead.pop()
        yield node
        ahead.extend(reversed(children(node)))


def render(node: Node, indent: int = 0, blocks: bool = False) -> Iterator[str]:
    """The nest as indented text, one line a node: canonical, so it serves as a cache key.

    Args:
        blocks: write "block" where the lines would not show that a Block is there: in another one, or around a single
            node; see `loop_nest_text`, which reads the nest back.
    """
    pad = "  " * indent
    match node:
        case Loop(variable, lower, upper, step, body, kind, prefetch):
            stride = "" if step == 1 else f" step {step}"
            ahead = "".join(f" prefetch {array} {distance} ahead" for array, distance in prefetch)
            yield f"{pad}{kind.value} {variable} in [{lower}, {upper}){stride}{ahead}"
            yield from render_body(body, indent + 1, blocks)
        case Block(children):
            for child in children:
                hidden = blocks and isinstance(child, Block)
                if hidden:
                    yield f"{pad}block"
                yield from render(child, indent + hidden, blocks)
        case Guard(condition, body, orelse):
            yield f"{pad}if {condition}"
            yield from render_body(body, indent + 1, blocks)
            if orelse != Block(()):
                yield f"{pad}else"
                yield from render_body(orelse, indent + 1, blocks)
        case Compute(statement, target, Select(condition, then), True):
            yield f"{pad}{word(statement)}: if {text(condition)}: {target} = {text(then)}"
        case Compute(statement, target, value):
            yield f"{pad}{word(statement)}: {target} = {text(value)}"


def render_body(body: Node, indent: int, blocks: bool = False) -> Iterator[str]:
    """The lines of a body. Several, or none, are a Block's; a Block around a single node is hidden."""
    alone = isinstance(body, Block) and len(body.children) == 1
    yield from render(Block((body,)) if alone else body, indent, blocks)


def numbered_name(stem: str, *taken: Collection[str], mark: str = "") -> str:
    """The stem where it is not taken, or else with the first number from 2 on behind it, and a mark, that is not."""
    name, count = stem, 1
    while any(name in names for names in taken):
        count += 1
        name = f"{stem}{mark}{count}"
    return name


def word(name: str) -> str:
    """A name as it is written: in quotes where it is no identifier."""
    return name if name.isascii() and name.isidentifier() else json.dumps(name)
