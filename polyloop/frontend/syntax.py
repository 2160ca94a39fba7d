"""Syntax trees of C as rewrites take and make them: what a rewrite may ask, walks that copy, nodes to build from."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from operator import is_
from typing import TypeAlias

from pycparser import c_ast

from polyloop.arithmetic import COMPLEX_PARTS
from polyloop.backend.ir.expressions import BIT_VIEW, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, ScalarType
from polyloop.frontend.region import RowRead
from polyloop.frontend.regions import Found
from polyloop.frontend.scopes import (
    CHILD_NAMES,
    Declarations,
    Generator,
    Scope,
    child_names,
    children,
    kinds_in,
    step_of,
    used_names,
    walk_nodes,
)

Items: TypeAlias = "tuple[c_ast.Node, ...]"


@dataclass(frozen=True)
class Surroundings:
    """What a rewrite may ask.

    Attributes:
        found: the region as it was found, with what stands before and after it in its function.
        scope: the names that are visible at its beginning; a rewrite may add symbols of its own.
        declarations: makes symbols and types of declarations inside it.
        behind: statements that a rewrite has left out, as C: they run behind what takes the region's place.
        kept: integers that these ask for, with what they are worth where the region begins, as C.
        positions: integers that say how far a pointer has moved, with that pointer and the one that it moved from,
            where its value is read behind the region.
        given: what variables are worth at the region's beginning, where a rewrite has made use of that.
        row_reads: elements that C reads in every iteration of loops (by where these stand): the table, and which.
        recast: pointers to memory that the region has as numbers of another type than they say.
    """

    found: Found
    scope: Scope
    declarations: Declarations
    behind: list[str] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)
    positions: dict[str, tuple[str, str]] = field(default_factory=dict)
    given: dict[str, c_ast.Node] = field(default_factory=dict)
    row_reads: list[RowRead] = field(default_factory=list)
    recast: set[str] = field(default_factory=set)


Rewrite: TypeAlias = Callable[[Items, Surroundings], Items]


def identifier(text: str) -> str:
    """A name that reminds of an expression; it may be taken."""
    for part in COMPLEX_PARTS:
        if text.startswith(f"{part} "):
            text = f"{text.removeprefix(part)}_{part.strip('_')}"
    name = re.sub(r"\W+", "_", text).strip("_")
    return name if name[:1].isalpha() else f"value_{name}"


Visit: TypeAlias = Callable[[c_ast.Node], c_ast.Node]


def map_children(node: c_ast.Node, visit: Visit) -> c_ast.Node:
    """The node over what `visit` makes of its children: itself, if that is all the same."""
    kind = node.__class__
    if kind is c_ast.ID or kind is c_ast.Constant:  # two thirds of all nodes
        return node
    if kind is c_ast.BinaryOp:
        left, right = visit(node.left), visit(node.right)
        same = left is node.left and right is node.right
        return node if same else c_ast.BinaryOp(node.op, left, right, node.coord)
    changed: dict[str, object] | None = None
    names = CHILD_NAMES.get(kind)
    for name in child_names(kind) if names is None else names:
        value = getattr(node, name)
        if value is None:
            continue
        new: object
        if value.__class__ is list:
            new = list(map(visit, value))
            if all(map(is_, value, new)):
                continue
        elif name == _MEMBERS.get(kind):
            continue  # which is no variable
        elif value.__class__ is str or (new := visit(value)) is value:
            continue
        changed = {name: new} if changed is None else {**changed, name: new}
    return node if changed is None else _changed(node, changed)


def map_bodies(node: c_ast.Node, visit: Visit, header: Visit = lambda part: part) -> c_ast.Node:
    """The same of a statement, with another way for its header: the condition, and how a loop begins and goes on."""
    headers = [getattr(node, name, None) for name in ("init", "cond", "next")]
    return map_children(node, lambda child: header(child) if any(child is h for h in headers) else visit(child))


def map_blocks(node: c_ast.Node, block: Callable[[list[c_ast.Node]], list[c_ast.Node]]) -> c_ast.Node:
    """The tree over what `block` makes of the statements of each block in it, the innermost ones first."""
    if c_ast.Compound not in kinds_in(node):
        return node
    inner = map_children(node, lambda child: map_blocks(child, block))
    if not isinstance(inner, c_ast.Compound) or not inner.block_items:
        return inner
    return with_parts(inner, block_items=block(inner.block_items))


_MEMBERS: dict[type, str] = {c_ast.NamedInitializer: "name", c_ast.StructRef: "field"}
"""Where a node has the name of a member."""


def with_parts(node: c_ast.Node, **parts: object) -> c_ast.Node:
    """The node with other attributes: itself, if they are all the same."""
    same = all((getattr(node, name) or None) == (part or None) for name, part in parts.items())
    return node if same else _changed(node, parts)


def _changed(node: c_ast.Node, parts: Mapping[str, object]) -> c_ast.Node:
    kind = node.__class__
    result = kind.__new__(kind)
    for name in kind.__slots__:
        if name != "__weakref__":
            setattr(result, name, parts[name] if name in parts else getattr(node, name))
    return result


def unlabelled(node: c_ast.Node) -> c_ast.Node:
    """A function's body without the labels that no ``goto`` in it names, as some tools want one on every loop."""
    nodes, kept = [node], set[str]()
    found = False
    while nodes:
        inner = nodes.pop()
        found = found or isinstance(inner, c_ast.Label)
        if isinstance(inner, c_ast.Goto):
            kept.add(inner.name)
        nodes += children(inner)
    return _without_labels(node, kept) if found else node


def _without_labels(node: c_ast.Node, kept: Set[str]) -> c_ast.Node:
    if isinstance(node, c_ast.Label) and node.name not in kept:
        return _without_labels(node.stmt, kept)
    return map_children(node, lambda child: _without_labels(child, kept))


def replaced(node: c_ast.Node, values: Mapping[str, c_ast.Node]) -> c_ast.Node:
    """The expression with variables replaced by expressions; members of structures are no variables."""
    if node.__class__ is c_ast.ID:
        return values.get(node.name, node)
    if node.__class__ is c_ast.Typename or used_names(node).isdisjoint(values):
        return node
    return map_children(node, lambda child: replaced(child, values))


def variables(node: c_ast.Node | None) -> Iterator[c_ast.ID]:
    """The variables and functions that a tree names, in source order; members of structures are none."""
    waiting = [] if node is None else [node]
    while waiting:
        node = waiting.pop()
        kind = node.__class__
        if kind is c_ast.ID:
            yield node
        elif kind is c_ast.StructRef:
            waiting.append(node.name)
        elif kind is c_ast.NamedInitializer:
            waiting.append(node.expr)
        else:
            waiting += children(node)[::-1]


def first_parts(node: c_ast.Node) -> list[c_ast.Node]:
    """What C evaluates of an expression in any case, and in no order."""
    match node:
        case c_ast.BinaryOp(op="&&" | "||"):
            return [node.left]
        case c_ast.TernaryOp():
            return [node.cond]
    return children(node)


def mentions(node: c_ast.Node | None, name: str) -> bool:
    """Does a tree name a variable?"""
    return name in used_names(node)


def c_text(node: c_ast.Node) -> str:
    return str(Generator().visit(node))


# --- Nodes at the place of another ------------------------------------------------------------------------------------


_NAMES: dict[ScalarType, tuple[str, ...]] = {
    I8: ("signed", "char"),
    U8: ("unsigned", "char"),
    I16: ("short",),
    U16: ("unsigned", "short"),
    I32: ("int",),
    U32: ("unsigned", "int"),
    I64: ("long",),
    U64: ("unsigned", "long"),
    F32: ("float",),
    F64: ("double",),
}


def number(value: int, place: c_ast.Node) -> c_ast.Node:
    """An integer constant, of type int where it fits."""
    if value < 0:
        return c_ast.UnaryOp("-", number(-value, place), place.coord)
    return c_ast.Constant("int", str(value), place.coord)


def is_zero(node: c_ast.Node) -> bool:
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return isinstance(node, c_ast.Constant) and node.value == "0"


def operation(operator: str, left: c_ast.Node, right: c_ast.Node) -> c_ast.Node:
    """A binary operation at the place of its left operand."""
    return c_ast.BinaryOp(operator, left, right, left.coord)


def cast(value: c_ast.Node, type_: ScalarType) -> c_ast.Node:
    """A conversion to an integer type."""
    return c_ast.Cast(c_ast.Typename(None, [], None, _declarator(None, type_)), value, value.coord)


def pointer_cast(value: c_ast.Node, type_: ScalarType) -> c_ast.Node:
    """A conversion to a pointer to numbers of a type."""
    pointer = c_ast.PtrDecl([], _declarator(None, type_))
    return c_ast.Cast(c_ast.Typename(None, [], None, pointer, value.coord), value, value.coord)


def viewed(value: c_ast.Node, given: ScalarType, wanted: ScalarType) -> c_ast.Node:
    """The bits of a value of one type, of 32 or 64 bits, as a number of another one of its size."""
    if given == wanted:
        return value
    if not given.is_float and not wanted.is_float:
        return cast(value, wanted)
    return c_ast.FuncCall(c_ast.ID(f"{BIT_VIEW}_{wanted}"), c_ast.ExprList([value]), value.coord)


def declaration(name: str, type_: ScalarType, value: c_ast.Node | None, place: c_ast.Node) -> c_ast.Decl:
    """``type name = value`` at a place inside the region; without a value where it is None."""
    return c_ast.Decl(name, [], [], [], [], _declarator(name, type_), value, None, place.coord)


def counting_up(
    counter: c_ast.ID, limit: c_ast.Node, body: c_ast.Node, place: c_ast.Node, first: c_ast.Node | None = None
) -> c_ast.For:
    """``for (long counter = first; counter < limit; counter++)``, from 0 where nothing else is said."""
    start = number(0, place) if first is None else first
    declared = c_ast.DeclList([declaration(counter.name, I64, start, place)], place.coord)
    step = c_ast.UnaryOp("p++", counter, place.coord)
    return c_ast.For(declared, operation("<", counter, limit), step, body, place.coord)


def counting_loop(at: c_ast.ID, length: c_ast.Node, body: c_ast.Node, forward: bool = True) -> c_ast.For:
    """The loop over so many numbers from 0 on, or down to it."""
    end = cast(length, I64)
    if forward:
        return counting_up(at, end, body, at)
    first = c_ast.DeclList([declaration(at.name, I64, operation("-", end, number(1, at)), at)], at.coord)
    return c_ast.For(first, operation(">=", at, number(0, at)), c_ast.UnaryOp("p--", at, at.coord), body, at.coord)


def unset(node: c_ast.Decl) -> c_ast.Decl:
    """The declaration of a variable that is assigned to later."""
    type_ = copy.copy(node.type)
    if isinstance(type_, c_ast.TypeDecl):
        type_.quals = [word for word in type_.quals if word != "const"]
    result = copy.copy(node)
    result.quals, result.type, result.init = [word for word in node.quals if word != "const"], type_, None
    return result


def _declarator(name: str | None, type_: ScalarType) -> c_ast.TypeDecl:
    return c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(list(_NAMES[type_])))


_OPPOSITE = {"==": "!=", "!=": "=="}  # not "<" and ">=": where a number is NaN, neither holds


def opposite(condition: c_ast.Node) -> c_ast.Node:
    """The condition that holds where this one does not."""
    match condition:
        case c_ast.BinaryOp(op=operator) if operator in _OPPOSITE:
            return c_ast.BinaryOp(_OPPOSITE[operator], condition.left, condition.right, condition.coord)
        case c_ast.BinaryOp(op="&&" | "||" as operator):
            other = "||" if operator == "&&" else "&&"
            return c_ast.BinaryOp(other, opposite(condition.left), opposite(condition.right), condition.coord)
        case c_ast.UnaryOp(op="!", expr=inner):
            return inner
    return c_ast.UnaryOp("!", condition, condition.coord)


@dataclass(frozen=True)
class Header:
    """``for (counter = first; counter < limit; counter += step)``, or another comparison, or ``-=``.

    Attributes:
        own: the counter's declaration, where the loop has it.
        sign: "+" or "-", the way it goes.
    """

    counter: str
    own: c_ast.Decl | None
    first: c_ast.Node
    test: str
    limit: c_ast.Node
    sign: str
    step: c_ast.Node

    @property
    def is_one_by_one(self) -> bool:
        """Whether it counts up, or down, to its limit by one."""
        towards = self.test in (("<", "<=") if self.sign == "+" else (">", ">="))
        return towards and isinstance(self.step, c_ast.Constant) and self.step.value == "1"

    @property
    def counts_up(self) -> bool:
        return self.sign == "+" and self.is_one_by_one

    @property
    def closed(self) -> bool:
        """Whether the limit is reached."""
        return self.test.endswith("=")


def header_of(node: c_ast.For) -> Header | None:
    """The header of a loop that counts; None for others."""
    own: c_ast.Decl | None = None
    match node.init:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=first):
            pass
        case c_ast.DeclList(decls=[c_ast.Decl(name=name, init=first) as own]) if first is not None:
            pass
        case _:
            return None
    match node.cond, step_of(node.next):
        case c_ast.BinaryOp(op="<" | "<=" | ">" | ">=" | "!=" as test, left=c_ast.ID(name=left), right=limit), (
            c_ast.ID(name=moved),
            sign,
            step,
        ) if left == moved == name:
            return Header(name, own, first, test, limit, sign, step)
    return None


def as_one(nodes: list[c_ast.Node], place: c_ast.Node) -> c_ast.Node:
    """What stands where one statement does: a block, if they are several."""
    return nodes[0] if len(nodes) == 1 else c_ast.Compound(nodes, place.coord)


def expressions_of(node: c_ast.Node | None) -> list[c_ast.Node]:
    """Those between commas, in a loop's header, say."""
    if node is None:
        return []
    return list(node.exprs) if isinstance(node, c_ast.ExprList) else [node]


def statements_of(node: c_ast.Node | None) -> list[c_ast.Node]:
    """A body's statements."""
    match node:
        case None | c_ast.EmptyStatement():
            return []
        case c_ast.Compound():
            return list(node.block_items or ())
    return [node]


def first_use(name: str, nodes: Iterable[c_ast.Node]) -> bool | None:
    """True if the statements set a variable before they read it, on all ways; False if some way reads it first; None
    if some way does neither, and none reads it first."""
    for node in nodes:
        match node:
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target)) if target == name:
                result: bool | None = not mentions(node.rvalue, name)
            case c_ast.Compound() | c_ast.ExprList() | c_ast.DeclList():
                result = first_use(name, children(node))
            case c_ast.For():
                result = first_use(name, [part for part in (node.init, node.cond) if part is not None])
                if result is None:
                    inner = first_use(name, [part for part in (node.stmt, node.next) if part is not None])
                    result = False if inner is False else None
            case c_ast.While():
                result = first_use(name, [node.cond])
                if result is None:
                    result = False if first_use(name, [node.stmt]) is False else None
            case c_ast.DoWhile():
                result = first_use(name, [node.stmt, node.cond])
                if result and any(isinstance(n, c_ast.Break | c_ast.Continue) for n in walk_nodes(node.stmt)):
                    result = None
            case c_ast.If():
                result = first_use(name, [node.cond])
                if result is None:
                    branches = [first_use(name, statements_of(branch)) for branch in (node.iftrue, node.iffalse)]
                    result = False if False in branches else True if branches == [True, True] else None
            case _:
                result = False if mentions(node, name) else None
        if result is not None:
            return result
    return None
