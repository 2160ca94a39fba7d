"""Counters that go through all elements of rows at once, as rows and columns.

    for (y = 0; y < h; y++)                      for (y = 0; y < h; y++)
        for (x = 0; x < w; x++)                      for (x = 0; x < w; x++)
            b[y*w + x] = f(a[y*w + x]);     ->           b[y*w + x] = f(a[y*w + x]);
    for (p = 0; p < h * w; p++)                  for (row = 0; row < h; row++)
        a[p] = b[p];                                 for (at = 0; at < w; at++)
                                                         a[row*w + at] = b[row*w + at];

Where other subscripts say that an array has rows of w elements, p would go beyond the first of them. Both are the same
where rows have elements, which emitted C tests: products of two negative sizes are positive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce

from pycparser import c_ast

from polyloop.backend.ir.expressions import I64
from polyloop.frontend.arrays import split_terms
from polyloop.frontend.derived import Derived
from polyloop.frontend.divided_counters import may_be_cut
from polyloop.frontend.induction import Polynomials
from polyloop.frontend.integers import Integer, Monomial
from polyloop.frontend.known_values import value_before
from polyloop.frontend.scopes import Scope, kinds_in, set_names, walk_nodes
from polyloop.frontend.searches import fresh_variable, integer_type
from polyloop.frontend.syntax import (
    Header,
    Items,
    Surroundings,
    cast,
    counting_up,
    header_of,
    map_children,
    operation,
    replaced,
)


class FlatCounters:
    """The rewrite.

    Attributes:
        needed: variables that have to be positive, and below which power of two, if any.
    """

    def __init__(self) -> None:
        self.needed: dict[str, int | None] = {}

    @property
    def condition(self) -> str:
        """The same as isl has it."""
        parts = ((name, "" if most is None else f" < {1 << most}") for name, most in sorted(self.needed.items()))
        return " and ".join(f"0 < {name}{below}" for name, below in parts)

    def __call__(self, items: Items, around: Surroundings) -> Items:
        scope = Scope(around.scope)
        for node in (node for item in items for node in walk_nodes(item)):
            if isinstance(node, c_ast.Decl) and node.name is not None:
                around.declarations.declare(node, scope, "local")
        loops = _Loops(items, around, Polynomials(scope, around.declarations), self.needed)
        return tuple(loops.visit(item) for item in items)


class _Loops:
    def __init__(
        self, items: Items, around: Surroundings, polynomials: Polynomials, needed: dict[str, int | None]
    ) -> None:
        self.items, self.around, self.polynomials, self.needed = items, around, polynomials, needed
        self.derived = Derived(around, frozenset(set_names(items)))
        self.taken: set[str] = set()
        self.strides: dict[str, set[Monomial]] = {}
        for array, counters in self._subscripts(items):
            own = (next(iter(poly)) for poly in counters.values() if list(poly.values()) == [1])
            self.strides.setdefault(array, set()).update(own)

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        if c_ast.For not in kinds_in(node):
            return node
        inner = map_children(node, self.visit)
        header = header_of(inner) if isinstance(inner, c_ast.For) else None
        if header is None:
            return inner
        one = {name for name, counters in self._subscripts((inner.stmt,)) if counters.get(header.counter) == {(): 1}}
        strides = set[Monomial]().union(*(self.strides.get(name, set()) for name in one))
        return self._cut(inner, header, strides, ())

    def _cut(self, loop: c_ast.For, header: Header, strides: set[Monomial], inside: Monomial) -> c_ast.For:
        """A loop over a product as two, and the outer one of these again.

        Args:
            strides: of the arrays whose elements it goes through one by one.
            inside: the lengths of what one of its iterations goes through.
        """
        factors = self._factors(header.limit)
        for length in factors if len(factors) > 1 else ():
            whole = tuple(sorted((*inside, length.name), key=str))
            if whole in strides and may_be_cut(loop, header, length.name, self.items, self.around):
                self._need(header.limit, length, factors)
                rows = self._rows(loop, header, length, [factor for factor in factors if factor is not length])
                again = header_of(rows)
                assert again is not None
                return self._cut(rows, again, strides, whole)
        return loop

    def _rows(self, loop: c_ast.For, header: Header, length: c_ast.ID, others: list[c_ast.ID]) -> c_ast.For:
        row, at = (c_ast.ID(fresh_variable(name, self.around, self.taken), loop.coord) for name in ("row", "at"))
        type_ = integer_type(header.counter, self.items, self.around) or I64
        place = operation("+", operation("*", row, cast(length, I64)), at)
        body = replaced(loop.stmt, {header.counter: place if type_ == I64 else cast(place, type_)})
        return counting_up(row, reduce(partial(operation, "*"), others), counting_up(at, length, body, loop), loop)

    def _factors(self, limit: c_ast.Node) -> list[c_ast.ID]:
        """The variables that a limit is the product of; [] where it is something else."""
        read = self._value(limit)
        if read is None or len(read.terms) != 1 or read.terms[0][1] != 1:
            return []
        (atoms, _), *_ = read.terms
        factors = [c_ast.ID(atom, limit.coord) for atom in atoms if isinstance(atom, str)]
        return factors if len(factors) == len(atoms) > 1 and all(map(self.derived.is_fixed, factors)) else []

    def _value(self, limit: c_ast.Node) -> Integer | None:
        """A limit as a polynomial; of a variable, what it was set to before the region."""
        if isinstance(limit, c_ast.ID) and self.derived.is_fixed(limit):
            variable, before = self.polynomials.read(limit), value_before(limit.name, self.around)
            value = self.polynomials.read(before)
            if value is not None and variable is not None and value.type.bits <= variable.type.bits:
                return value
        return self.polynomials.read(limit)

    def _need(self, limit: c_ast.Node, length: c_ast.ID, factors: Sequence[c_ast.ID]) -> None:
        """Note what makes the product one of as many rows: signed numbers do not wrap (but with -fwrapv), and others
        are positive, and so small that their product does not."""
        read = self._value(limit)
        assert read is not None
        self.needed.setdefault(length.name, None)
        for factor in () if read.exact and not self.polynomials.wraps else factors:
            own = self.polynomials.read(factor)
            most = (read.type.bits - (read.type.kind == "int")) // len(factors)
            fits = own is not None and own.type.bits - (own.type.kind == "int") <= most
            known = self.needed.get(factor.name)
            self.needed[factor.name] = known if fits else most if known is None else min(known, most)

    def _subscripts(self, items: Items) -> Iterator[tuple[str, dict[object, dict[Monomial, int]]]]:
        """Arrays, and the coefficients of counters in their subscripts."""
        for node in (node for item in items for node in walk_nodes(item)):
            if isinstance(node, c_ast.ArrayRef) and isinstance(node.name, c_ast.ID):
                read = self.polynomials.read(node.subscript)
                split = None if read is None else split_terms(read, lambda atom: atom in self.derived.changing)
                if split is not None:
                    yield node.name.name, split[0]
