"""Values of parameters with which a region can be read that cannot be read for all: strides of one, mostly.

    iy = y * stride + ky - pad;
    if (iy >= 0 && iy < H) ...

y and stride are multiplied, which no affine condition can hold. With stride == 1 all is affine; emitted C asks, and
runs the loops as they stood for any other value (compilers know this as versioning for strides).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pycparser import c_ast

from polyloop.backend.ir.expressions import Expression, Index, Logical, Select, Unary, reads, walk, walk_values
from polyloop.frontend.present_values import is_integer
from polyloop.frontend.regions import Found
from polyloop.frontend.scopes import Refusal, Scope, changed_names, declared_names, loop_counter, walk_nodes
from polyloop.frontend.syntax import variables
from polyloop.scop.model import Scop

_MOST = 4
"""Parameters of which a region is tried; one more reading each."""


def strides(original: Found, found: Found, scope: Scope, given: Collection[str], general: Scop | Refusal) -> list[str]:
    """The parameters that a region, as it was rewritten, multiplies with counters, and that bound no loops of it as it
    stood: those of most counters first, then the last, as in ``a[i * rows + j * columns]``. Of a region that can be
    read for all values it is those in what is computed. The length of a ring, ``x[i % length]``, is 1 nowhere: such are
    among them only where their value is given."""
    nodes = [node for item in found.items for node in walk_nodes(item)]
    loops = [node for node in nodes if isinstance(node, c_ast.For)]
    counters = {loop_counter(loop) for loop in loops}
    loops += [node for item in original.items for node in walk_nodes(item) if isinstance(node, c_ast.For)]
    headers = (part for loop in loops for part in (loop.init, loop.cond, loop.next) if part is not None)
    changing = changed_names(found.items) | declared_names(found.items)
    changing |= {node.name for part in headers for node in variables(part)}
    changing |= {name for node in nodes if isinstance(node, c_ast.ArrayRef) for name in _lengths(node)} - {*given}
    multiplied: dict[str, set[str]] = {}
    for name, counter in _products(nodes):
        symbol = scope.lookup(name)
        if counter in counters and name not in changing and symbol is not None and is_integer(symbol):
            multiplied.setdefault(name, set()).add(counter)
    names = list(reversed(multiplied))
    if isinstance(general, Scop):
        computed = {name for part in _computed(general) for node in walk(part) for name in _of(node)}
        names = [name for name in names if name in computed]
    return sorted(names, key=lambda name: -len(multiplied[name]))[:_MOST]


def _of(node: Expression) -> frozenset[str]:
    return node.value.variables() if isinstance(node, Index) else frozenset()


def _lengths(element: c_ast.ArrayRef) -> Iterator[str]:
    for node in walk_nodes(element.subscript):
        match node:
            case c_ast.BinaryOp(op="%", right=c_ast.ID(name=name)):
                yield name


def computed_products(scop: Scop) -> int:
    """How many parts of subscripts and how many conditions are computed though no data are in them, in statements
    without a loop along rows that none of these depends on: there vectors need no gathers."""
    return len(_computed(scop))


def _computed(scop: Scop) -> list[Expression]:
    found: list[Expression] = []
    everything = (access for s in scop.statements for access in (s.target, *s.reads))
    # Beside what comes from data, a product is a row's place: ``table[row * columns + index[i]]``.
    looked_up = {access.array for access in everything if any(reads(datum.value) for datum in access.data)}
    for statement in scop.statements:
        accesses = (statement.target, *statement.reads)
        data = [datum.value for access in accesses if access.array not in looked_up for datum in access.data]
        conditions = [node.condition for node in walk(statement.value) if isinstance(node, Select)]
        computed = [part for whole in (*data, *conditions) for part in _parts(whole) if not reads(part)]
        indices = (node.value for part in computed for node in walk_values(part) if isinstance(node, Index))
        in_them = frozenset[str]().union(*(index.variables() for index in indices))
        along = statement.target.subscripts[-1].variables() if statement.target.subscripts else frozenset()
        if not along.intersection(statement.iterators) - in_them:
            found += computed
    return found


def _parts(condition: Expression) -> Iterator[Expression]:
    match condition:
        case Logical(_, left, right):
            yield from _parts(left)
            yield from _parts(right)
        case Unary("!", operand):
            yield from _parts(operand)
        case _:
            yield condition


def _products(nodes: list[c_ast.Node]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        match node:
            case c_ast.BinaryOp(op="*", left=c_ast.ID(name=left), right=c_ast.ID(name=right)):
                yield left, right
                yield right, left
