"""The grammar of tensor programs: what is printed parses to the same tree, and no text makes the parser crash."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from polyloop.tensors import TensorError, tensor
from polyloop.tensors.errors import Source
from polyloop.tensors.parse import parse
from polyloop.tensors.syntax import (
    Apply,
    Assignment,
    Declaration,
    Element,
    Name,
    Negate,
    Node,
    Number,
    Operation,
    Program,
    Reduce,
)

names = st.sampled_from(["A", "B2", "m", "n", "k", "_x", "alpha", "summit"]).map(Name)
reductions = st.sampled_from(["sum", "prod", "max", "min"]).map(Name)
numbers = st.one_of(st.integers(0, 10**9), st.floats(0, allow_nan=False)).map(Number)


def lists(node: st.SearchStrategy[Node], least: int = 0) -> st.SearchStrategy[tuple[Node, ...]]:
    return st.lists(node, min_size=least, max_size=3).map(tuple)


def larger(node: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    dims = st.lists(names, min_size=1, max_size=2).map(tuple)
    return st.one_of(
        st.builds(Element, names, lists(node)),
        st.builds(Negate, node),
        st.builds(Operation, st.sampled_from(["+", "-", "*", "/", "//", "%"]), node, node),
        st.builds(Apply, st.sampled_from(["relu", "clamp", "pad"]).map(Name), lists(node)),
        st.builds(Apply, st.sampled_from(["max", "min"]).map(Name), lists(node, 2)),
        st.builds(Reduce, reductions, dims, node),
    )


nodes: st.SearchStrategy[Node] = st.recursive(st.one_of(names, numbers), larger, max_leaves=12)
elements = st.builds(Element, names, lists(nodes))
assignments = st.builds(Assignment, elements, st.sampled_from(["=", "+=", "*=", "max=", "min="]), nodes)
types = st.none() | st.sampled_from(["f32", "i8"]).map(Name)
declarations = st.builds(Declaration, names, types, lists(nodes))
programs = st.lists(st.one_of(assignments, declarations), max_size=3).map(tuple).map(Program)


def text_of(node: Node) -> str:
    match node:
        case Number(value):
            return repr(value)
        case Name(name):
            return name
        case Element(tensor, subscripts):
            return f"{tensor}[{_listed(subscripts)}]"
        case Negate(operand):
            return f"(-({text_of(operand)}))"
        case Operation(operator, left, right):
            return f"({text_of(left)} {operator} {text_of(right)})"
        case Apply(function, arguments):
            return f"{function}({_listed(arguments)})"
        case Reduce(reduction, dims, body):
            return f"({reduction}({_listed(dims)}) ({text_of(body)}))"


def _listed(nodes: Iterable[Node]) -> str:
    return ", ".join(map(text_of, nodes))


def line_of(item: Declaration | Assignment) -> str:
    if isinstance(item, Assignment):
        return f"{text_of(item.target)} {item.operator} {text_of(item.value)}"
    extents = f"[{_listed(item.extents)}]" if item.extents or item.dtype is None else ""
    return f"{item.tensor}: {item.dtype or ''}{extents}"


@given(programs)
def test_every_tree_has_a_text_and_every_item_knows_its_own(program: Program) -> None:
    lines = list(map(line_of, program.items))
    text = "\n".join(lines)
    found = parse(Source(text))
    assert found == program
    assert [text[item.span.start : item.span.end] for item in found.items] == lines


TOKENS = [
    "A",
    "m",
    "k",
    "[",
    "]",
    "(",
    ")",
    ",",
    "+",
    "-",
    "*",
    "//",
    "=",
    "+=",
    "max",
    "sum",
    "2",
    "0.5",
    "1e3",
    ":",
    ";",
    "\n",
    "#",
    "$",
]


@given(st.lists(st.sampled_from(TOKENS), max_size=25).map(" ".join), st.booleans())
def test_any_text_is_read_or_refused(text: str, accumulate: bool) -> None:
    """Anything else than a TensorError fails the test."""
    with suppress(TensorError):
        assert tensor(("C[m] += A[m] + " if accumulate else "") + text, {"m": 3}).statements


def test_spaces_comments_and_line_ends() -> None:
    text = "# a product\nC[m,\n  n] += A[m,k]*(B[k,n]  # the second\n + 1);;\n\nD[m]=-C[m,0]"
    assert parse(Source(text)) == parse(Source("C[m, n] += A[m, k] * (B[k, n] + 1)\nD[m] = -C[m, 0]"))


def test_a_reduction_takes_the_product_that_follows() -> None:
    (assignment,) = parse(Source("C[m] = a[] * max(i, j) A[i] * B[j] + max(a, b)")).assignments
    assert isinstance(assignment.value, Operation)
    product, function = assignment.value.left, assignment.value.right
    assert isinstance(product, Operation)
    assert isinstance(product.right, Reduce)
    assert text_of(product.right.body) == "(A[i] * B[j])"
    assert isinstance(function, Apply)
