"""`tensor` and `einsum`: from a text and sizes to a Scop."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import prod
from typing import TypeAlias

from polyloop.backend.default.task import UNKNOWN_EXTENT
from polyloop.scop.model import Scop
from polyloop.tensors.dimensions import Dimensions, is_unusable
from polyloop.tensors.errors import Source, TensorError
from polyloop.tensors.lower import lower
from polyloop.tensors.parse import parse
from polyloop.tensors.shapes import Shapes, scalar_type
from polyloop.tensors.syntax import (
    Assignment,
    Declaration,
    Element,
    Name,
    Node,
    Operation,
    Program,
    Span,
    elements,
    rewrite,
)

Size: TypeAlias = "int | str | None"


def tensor(
    text: str,
    given: Mapping[str, Size] | None = None,
    /,
    *,
    dtype: str = "f32",
    name: str = "tensor",
    outputs: Sequence[str] | None = None,
    **sizes: Size,
) -> Scop:
    """A program over tensors with named dimensions, as a Scop.

    Statements are separated by ``;`` or ends of lines and run one after the other, each as if alone: what it reads is
    complete. ``#`` starts a comment::

        C[m, n] += A[m, k] * B[k, n]                  accumulates into the C that is given; also *=, max=, min=
        C[m, n] = A[m, k] * B[k, n]                   starts from 0: a dimension that is missing on the left is summed
        H[m, n] = relu(sum(k) (X[m, k] * W[k, n]) + b[n])
        P[y, x] = max(i, j) I[2*y + i, 2*x + j]       reductions sum, prod, max, min, over the product that follows
        O[y, x, c] += I[2*y + 3*i, x + j, d] * W[i, j, d, c]    affine views: stride, dilation, transpose, I[y // 2]
        S[i, j] = pad(I[i - 1, j - 1], 0)             a view that may leave its tensor: the number there
        T[a, c] = concat(X[i, c], Y[j, c])            one behind the other along a
        I: f32[h + 2, w + 2]                          a declaration: type, extents (a dimension stands for its size)

    Values: + - * /, relu sigmoid tanh clamp(x, low, high) exp log sqrt erf sin cos floor ceil abs pow min max; ``inf``;
    a dimension's name is its index; ``s[]`` a scalar (``s`` where it is declared or defined); ``size(i)`` in
    subscripts. A value that does not depend on a dimension of the left is repeated along it. Arithmetic is C's:
    integers divide towards zero and wrap, ``max(a, b)`` is ``a < b ? b : a``.

    Shapes follow: of a result from its dimensions, of a given tensor from the ranges of its views, of a dimension
    without a size from a tensor of which it is a subscript by itself. What is read and never stored is given. The
    arrays are the given ones in order of appearance, then the results; a result that a statement for another tensor
    reads is local, unless `outputs` names it.

    Tensor programs do not promise an order of summation: call ``optimize(scop, reassociate=True)`` and
    ``compile(scop, tree, reassociate=True)``. The Scop itself says nothing about it.

    Args:
        dtype: type of the tensors that are not declared: f32, f64, i8 to i64, u8 to u64, or numpy's names.
        name: the Scop's.
        outputs: the results to be kept.
        given, sizes: sizes of the dimensions: an integer; a name for a parameter; or None for a parameter named as the
            dimension. Loops stand in the order of the sizes, others in order of appearance.
    Raises:
        TensorError: for any mistake, with a caret under it.
    References:
        Wasti et al., "LoopStack", arXiv 2205.00618, for the named dimensions; its dataflow graph is the list of
        statements here.
    """
    source = Source(text)
    program = parse(source)
    if not program.assignments:
        raise source.error("syntax", "there is no statement, such as C[m, n] += A[m, k] * B[k, n]", Span(0, len(text)))
    return _build(source, program, {**(given or {}), **sizes}, dtype, name, outputs)


def einsum(
    spec: str,
    given: Mapping[str, Size] | None = None,
    /,
    *,
    dtype: str = "f32",
    name: str = "einsum",
    pairs: bool = True,
    **sizes: Size,
) -> Scop:
    """An Einstein summation as numpy writes it, as a Scop: ``einsum("mk,kn->mn", m=64, n=64, k=64)``.

    The operands are called A, B, C, ... by position and the result takes the next letter. It is initialised, then
    accumulated; without a summed index it is stored at once. Indices are single letters; without ``->`` the result has
    those that occur once, sorted. Everything else is as for `tensor`.

    Args:
        pairs: of three operands and more, two may be contracted first, into a local tensor, where that at least halves
            the operations: ``"ij,jk,kl->il"`` takes n^3 steps twice instead of n^4 (Lam, Sadayappan and Wenger,
            "On Optimizing a Class of Multi-Dimensional Loops with Reductions for Parallel Execution", PPL 1997).
    Raises:
        TensorError: for any mistake, with a caret under it.
    """
    source = Source(spec, "<einsum>")
    all_sizes = {**(given or {}), **sizes}
    inputs, output = _operands(source)
    names = [c for c in string.ascii_uppercase if c not in all_sizes and c not in spec][: len(inputs) + 1]
    if len(names) <= len(inputs):
        raise source.error("syntax", "too many operands", Span(0, len(spec)))
    operands = [
        Element(Name(n, span), indices, span) for n, (indices, span) in zip(names, (*inputs, output), strict=True)
    ]
    whole = Program((_product(operands[:-1], operands[-1]),))
    _check_output(source, whole)
    program = _in_pairs(operands[:-1], operands[-1], all_sizes) if pairs and len(inputs) > 2 else whole
    return _build(source, program, all_sizes, dtype, name, None)


_Statements = tuple[int, tuple[Assignment, ...]]

_MOST_OPERANDS = 6
"""Up to which all orders of pairs are compared; of more, the cheapest pair comes first."""


def _product(factors: Sequence[Element], result: Element) -> Assignment:
    value: Node = factors[0]
    for factor in factors[1:]:
        value = Operation("*", value, factor, value.span.to(factor.span))
    return Assignment(result, "=", value, value.span)


def _in_pairs(factors: Sequence[Element], result: Element, sizes: Mapping[str, Size]) -> Program:
    """The product of all factors at once, or two at a time where that takes at most half as many operations; the
    factors are declared in front, so that they stay arguments in their order."""
    whole, (steps, found) = _operations(factors, result, sizes), _cheapest(factors, result, sizes)
    if 2 * steps > whole:
        return Program((_product(factors, result),))
    return Program((*(Declaration(factor.tensor, None, factor.subscripts, factor.span) for factor in factors), *found))


def _cheapest(factors: Sequence[Element], result: Element, sizes: Mapping[str, Size]) -> _Statements:
    """Operations, and the statements that take the fewest of them."""
    best: _Statements = (_operations(factors, result, sizes), (_product(factors, result),))
    if len(factors) == 2:
        return best
    choices = []
    for first, second in combinations(factors, 2):
        rest = [factor for factor in factors if factor is not first and factor is not second]
        wanted = {index for element in (*rest, result) for index in _letters(element)}
        indices = {name.name: name for name in (*first.subscripts, *second.subscripts) if isinstance(name, Name)}
        kept = tuple(name for letter, name in indices.items() if letter in wanted)
        stem = f"{first.tensor.name}_{second.tensor.name}"
        made = Element(Name(stem + "_" * (stem in sizes), first.span), kept, first.span)
        # What is stored is read once more.
        steps = _operations((first, second), made, sizes) + 2 * _operations((), made, sizes)
        choices.append((steps, _product((first, second), made), [made, *rest]))
    if len(factors) > _MOST_OPERANDS:
        choices = [min(choices, key=lambda choice: choice[0])]
    for steps, pair, left in choices:
        more, then = _cheapest(left, result, sizes)
        best = min(best, (steps + more, (pair, *then)), key=lambda one: one[0])
    return best


def _letters(element: Element) -> frozenset[str]:
    return frozenset(index.name for index in element.subscripts if isinstance(index, Name))


def _operations(factors: Sequence[Element], result: Element, sizes: Mapping[str, Size]) -> int:
    """Of a statement; sizes that are known only when it runs count as those of default schedules do."""
    letters = frozenset[str]().union(*map(_letters, (*factors, result)))
    extents = (sizes.get(letter) for letter in letters)
    return max(1, len(factors)) * prod(size if isinstance(size, int) else UNKNOWN_EXTENT for size in extents)


_Operand = tuple[tuple[Name, ...], Span]


def _operands(source: Source) -> tuple[list[_Operand], _Operand]:
    left, arrow, right = source.text.partition("->")
    inputs, at = [], 0
    for piece in left.split(","):
        inputs.append(_operand(source, piece, at))
        at += len(piece) + 1
    if arrow:
        return inputs, _operand(source, right, len(left) + 2)
    letters = [name.name for indices, _ in inputs for name in indices]
    once = {name.name: name for indices, _ in inputs for name in indices if letters.count(name.name) == 1}
    return inputs, (tuple(once[letter] for letter in sorted(once)), Span(0, len(left)))


def _operand(source: Source, piece: str, start: int) -> _Operand:
    names = []
    for k, letter in enumerate(piece):
        span = Span(start + k, start + k + 1)
        if letter in string.ascii_letters:
            names.append(Name(letter, span))
        elif not letter.isspace():
            message = f"unexpected {letter!r}: operands are letters between commas, the result stands behind ->"
            raise source.error("syntax", message, span)
    return tuple(names), Span(start, start + len(piece))


def _check_output(source: Source, program: Program) -> None:
    (assignment,) = program.assignments
    inputs = {i.name for e in elements(assignment.value) for i in e.subscripts if isinstance(i, Name)}
    for index in assignment.target.subscripts:
        if isinstance(index, Name) and index.name not in inputs:
            raise source.error("output-dimension", f"{index} is an index of no operand", index.span)


def _build(
    source: Source, program: Program, sizes: Mapping[str, Size], dtype: str, name: str, outputs: Sequence[str] | None
) -> Scop:
    type_ = scalar_type(dtype, source, Span())
    whole = Span(0, len(source.text))
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or is_unusable(name):
        raise source.error("name", f"{name!r} cannot be the name of a function", whole)
    dimensions = Dimensions(source, program, sizes)
    program = _with_scalars(source, program, dimensions)
    stored = {a.target.tensor.name for a in program.assignments}
    for output in outputs or ():
        if output not in stored:
            message = f"{output} is no result; there are {', '.join(sorted(stored))}"
            raise source.error("undefined", message, whole)
    shapes = Shapes(source, program, dimensions, type_)
    return lower(source, program, dimensions, shapes, name, outputs)


def _with_scalars(source: Source, program: Program, dimensions: Dimensions) -> Program:
    """Names that are no dimensions become elements of tensors without dimensions."""
    known = {d.tensor.name for d in program.declarations} | {a.target.tensor.name for a in program.assignments}

    def resolved(node: Node) -> Node:
        match node:
            case Name(name) if name not in dimensions:
                if name not in known:
                    raise _undefined(source, node)
                return Element(node, (), node.span)
        return node

    items = tuple(
        Assignment(i.target, i.operator, rewrite(i.value, resolved), i.span) if isinstance(i, Assignment) else i
        for i in program.items
    )
    return Program(items)


def _undefined(source: Source, name: Name) -> TensorError:
    message = f"{name} is neither a dimension nor defined; declare it ({name}: f32), or write {name}[] for a number "
    return source.error("undefined", message + "that is given", name.span)
