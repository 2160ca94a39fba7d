"""Loops that are cut into blocks of a parameter's length, of which the last one may be shorter.

    for (ii = 0; ii < n; ii += b)                          for (q = 0; q < steps; q++)
        for (i = ii; i < (ii + b < n ? ii + b : n); i++)       for (k = 0; k < (q + 1 < steps ? b : last); k++)
            x[i] = 0;                                  ->          x[b*q + k] = 0;

No affine condition can say ``b*q + k < n``. But it holds in all blocks before the last, and in that one for as many
iterations as are left, which emitted C computes before the loops: last = n - b*(steps - 1).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic
from polyloop.backend.ir.expressions import I64
from polyloop.frontend.induction import Counter, Polynomials, bound_of, plus, sum_of
from polyloop.frontend.integers import Integer
from polyloop.frontend.predicates import conjuncts
from polyloop.frontend.syntax import cast, number, operation


@dataclass(frozen=True)
class Block:
    """The loop over blocks.

    Attributes:
        left: how far it is from the first iteration of a block to the end of all.
        length: of every block but the last.
        before_last: whether there is another block behind this one.
        last: the length of the last.
    """

    left: Integer
    length: c_ast.Node
    before_last: c_ast.Node
    last: c_ast.ID

    @property
    def here(self) -> c_ast.Node:
        """The length of this block."""
        return c_ast.TernaryOp(self.before_last, self.length, self.last, self.length.coord)

    @property
    def check(self) -> c_ast.Node:
        """That the last block is one, which the Scop has to know."""
        inside = [operation("<=", number(1, self.length), self.last), operation("<=", self.last, self.length)]
        condition = operation("&&", *inside)
        return c_ast.FuncCall(c_ast.ID("assert"), c_ast.ExprList([condition]), self.length.coord)


def block_of(
    counter: Counter, first: c_ast.Node, end: c_ast.Node, length: c_ast.Node, last: c_ast.ID, polynomials: Polynomials
) -> Block | None:
    """The blocks of a loop with so many steps of a length from a first value to an end, which is not reached."""
    assert counter.steps is not None
    start = operation("+", cast(first, I64), operation("*", cast(length, I64), counter.node))
    left = polynomials.read(operation("-", cast(end, I64), start))
    if left is None:
        return None
    return Block(left, length, operation("<", plus(counter.node, 1), counter.steps), last)


def iterations(
    test: c_ast.Node | None,
    counter: Counter,
    step: c_ast.Node,
    polynomials: Polynomials,
    natural: Collection[str] = (),
) -> list[c_ast.Node]:
    """Numbers of iterations of which the least is that of a loop that counts up by one; [] where they are not known.

    Args:
        natural: see `Polynomials.is_exact`.
    """
    found: list[c_ast.Node] = []
    for part in conjuncts(test) if test is not None else ():
        bound = bound_of(part, counter.node, step, polynomials)
        if bound is None:
            return []
        for end in _smallest_of(bound[0], polynomials):
            read = polynomials.read(end)
            if read is not None and not polynomials.is_exact(read, natural):
                return []
            found.append(plus(operation("-", cast(end, I64), cast(counter.start, I64)), int(bound[1])))
    return found


def least(lengths: Sequence[c_ast.Node], blocks: Iterable[Block], polynomials: Polynomials) -> c_ast.Node | None:
    """The least of numbers that are affine expressions, or what is left behind the first iteration of a block that is
    one of them; None for others."""
    given = [(node, polynomials.read(node)) for node in lengths]
    for block in blocks:
        length = polynomials.read(cast(block.length, I64))
        ends = [read for _, read in given if read is not None and read.terms == block.left.terms]
        whole = [read for _, read in given if read is not None and length is not None and read.terms == length.terms]
        if ends and whole:
            given = [(node, read) for node, read in given if read not in ends and read not in whole]
            here = cast(block.here, I64)
            given.append((here, polynomials.read(here)))
    if any(read is None or not read.is_linear for _, read in given):
        return None
    nodes = [sum_of(read, node) or node for node, read in given if read is not None]
    return reduce(lambda a, b: c_ast.TernaryOp(operation("<", a, b), a, b, a.coord), nodes)


def _smallest_of(node: c_ast.Node, polynomials: Polynomials) -> Iterator[c_ast.Node]:
    """The values of which an expression is the smallest."""
    match node:
        case c_ast.Cast(expr=c_ast.TernaryOp() as inner):
            type_, parts = polynomials.type_of(node.to_type), list(_smallest_of(inner, polynomials))
            reads = [polynomials.read(part) for part in parts]
            bits = type_.scalar.bits if isinstance(type_, Arithmetic) and type_.scalar.kind == "int" else 0
            if all(read is not None and read.type.kind == "int" and read.type.bits <= bits for read in reads):
                yield from parts
                return
        case c_ast.TernaryOp(cond=c_ast.BinaryOp(op="<" | "<=" | ">" | ">=" as operator) as test):
            small, large = (test.left, test.right) if operator.startswith("<") else (test.right, test.left)
            sides = [polynomials.read(part) for part in (small, large, node.iftrue, node.iffalse)]
            exact = all(side is not None and side.exact and side.type.kind == "int" for side in sides)
            compared, chosen = operation("-", small, large), operation("-", node.iftrue, node.iffalse)
            if exact and polynomials.equal(compared, chosen) and not polynomials.is_cut(node):
                yield from _smallest_of(node.iftrue, polynomials)
                yield from _smallest_of(node.iffalse, polynomials)
                return
        case c_ast.FuncCall(name=c_ast.ID(name="min" | "imin"), args=c_ast.ExprList(exprs=[first, second])):
            yield from _smallest_of(first, polynomials)
            yield from _smallest_of(second, polynomials)
            return
    yield node
