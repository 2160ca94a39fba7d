"""Rows that are cut into pieces whose number no stride says: heads of attention, groups of channels.

    x[(b*T + t)*C + h*hs + i]    ->    x[(b*T + t)*(C_over_hs*hs) + h*hs + i],   hs > 0 and C % hs == 0

The strides T*C, C, hs and 1 are no chain of multiples, as nothing says that pieces of hs fill a row of C. They do in
programs of this kind, so that it is asked once, before the loops: then there are rows of C_over_hs pieces of hs. An
offset of C, where that is a stride elsewhere, is as many pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pycparser import c_ast

from polyloop.frontend.arrays import Poly, extents, find_strides, split_terms
from polyloop.frontend.derived import Derived
from polyloop.frontend.induction import Polynomials
from polyloop.frontend.integers import Monomial
from polyloop.frontend.scopes import Scope, loop_counter, set_names, stored_into, walk_nodes
from polyloop.frontend.syntax import Items, Surroundings, map_children, operation, replaced, variables


def divide_rows(items: Items, around: Surroundings) -> Items:
    """The statements with such subscripts in terms of pieces; only where strides are no chain otherwise."""
    nodes = [node for item in items for node in walk_nodes(item)]
    scope = Scope(around.scope)
    for node in nodes:
        if isinstance(node, c_ast.Decl) and node.name is not None:
            around.declarations.declare(node, scope, "local")
    changing = set_names(items)
    derived = Derived(around, frozenset(changing))
    rows = _Rows(derived, Polynomials(scope, around.declarations), nodes)
    pieces = rows.pieces()
    return tuple(_Divided(rows, pieces).visit(item) for item in items) if pieces else items


@dataclass(frozen=True)
class _Rows:
    derived: Derived
    polynomials: Polynomials
    nodes: Sequence[c_ast.Node]

    def pieces(self) -> dict[str, dict[str, str]]:
        """By array, what is divided and by what: where that makes its strides a chain."""
        bounds = dict(self._bounds())
        found: dict[str, dict[str, str]] = {}
        for array, subscripts in self._subscripts().items():
            strides = self._strides(subscripts)
            single = _names(strides)
            if len(single) < 2 or _is_chain(strides):
                continue
            lengths = {bounds[counter] for counter in self._innermost(subscripts) if counter in bounds}
            # What loops step by, or end at, is the size of blocks.
            if array in self.written and not (lengths | self.in_headers) & single:
                lengths = self._smallest(subscripts, single)
            if len(lengths) != 1:
                continue
            (piece,) = lengths
            divided = dict.fromkeys(single - {piece}, piece)
            if piece in single and _is_chain([_divided(poly, divided) for poly in strides]):
                found[array] = divided
        # An offset is as long as rows of another array are.
        all_of: dict[str, dict[str, str]] = {piece: {} for divided in found.values() for piece in divided.values()}
        for divided in found.values():
            for name, piece in divided.items():
                all_of[piece][name] = piece
        return {array: all_of[next(iter(divided.values()))] for array, divided in found.items()}

    def _subscripts(self) -> dict[str, list[c_ast.Node]]:
        found: dict[str, list[c_ast.Node]] = {}
        for node in self.nodes:
            if isinstance(node, c_ast.ArrayRef) and isinstance(node.name, c_ast.ID):
                found.setdefault(node.name.name, []).append(node.subscript)
        return found

    def _strides(self, subscripts: Sequence[c_ast.Node]) -> list[Poly]:
        """The coefficients of counters; [] where counters are multiplied with each other."""
        found: list[Poly] = []
        for subscript in subscripts:
            read = self.polynomials.read(subscript)
            split = split_terms(read, lambda atom: atom in self.derived.changing) if read is not None else None
            if split is None:
                return []
            found += [poly for poly in split[0].values() if poly not in found]
        return found

    def _innermost(self, subscripts: Sequence[c_ast.Node]) -> set[str]:
        """The counters that go through an array element by element."""
        found: set[str] = set()
        for subscript in subscripts:
            read = self.polynomials.read(subscript)
            terms = read.terms if read is not None else ()
            found |= {str(m[0]) for m, c in terms if len(m) == 1 and abs(c) == 1 and m[0] in self.derived.changing}
        return found

    def _smallest(self, subscripts: Sequence[c_ast.Node], single: set[str]) -> set[str]:
        """The stride of the innermost loop's counter, as of pixels in rows: ``image[y * stride + x * step + c]``."""
        order = [loop_counter(node) for node in self.nodes if isinstance(node, c_ast.For)]
        depth: dict[str, int] = {}
        for subscript in subscripts:
            read = self.polynomials.read(subscript)
            split = split_terms(read, lambda atom: atom in self.derived.changing) if read is not None else None
            for counter, poly in split[0].items() if split is not None else ():
                for name in _names([poly]) & single:
                    at = order.index(counter) if counter in order else -1
                    depth[name] = max(depth.get(name, -1), at)
        return {max(depth, key=lambda name: depth[name])} if len(depth) > 1 else set()

    @cached_property
    def in_headers(self) -> frozenset[str]:
        """The variables in the headers of loops."""
        loops = [node for node in self.nodes if isinstance(node, c_ast.For)]
        headers = (part for loop in loops for part in (loop.init, loop.cond, loop.next) if part is not None)
        return frozenset(node.name for part in headers for node in variables(part))

    @cached_property
    def written(self) -> frozenset[str]:
        """The arrays whose elements are stored to."""
        stored = (stored_into(node) for node in self.nodes)
        return frozenset(
            node.name.name for node in stored if isinstance(node, c_ast.ArrayRef) and isinstance(node.name, c_ast.ID)
        )

    def _bounds(self) -> Iterator[tuple[str, str]]:
        """Counters, and parameters that they stay below."""
        for node in self.nodes:
            match node.cond if isinstance(node, c_ast.For) else None:
                case c_ast.BinaryOp(op="<" | "!=", left=c_ast.ID(name=counter), right=c_ast.ID(name=end) as bound):
                    if self.derived.is_fixed(bound):
                        yield counter, end


@dataclass(frozen=True)
class _Divided:
    rows: _Rows
    pieces: dict[str, dict[str, str]]

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        node = map_children(node, self.visit)
        match node:
            case c_ast.ArrayRef(name=c_ast.ID(name=array)) if array in self.pieces:
                named = {n.name: n for n in variables(node.subscript) if n.name in self.pieces[array]}
                values = {name: self._rows_of(at, self.pieces[array][name]) for name, at in named.items()}
                return c_ast.ArrayRef(node.name, replaced(node.subscript, values), node.coord)
        return node

    def _rows_of(self, whole: c_ast.ID, piece: str) -> c_ast.Node:
        """The value of a variable, as so many pieces of so much."""
        part = c_ast.ID(piece, whole.coord)
        value = self.rows.polynomials.read(whole)
        assert value is not None  # it is an integer, of which a subscript is made
        a, b = self.rows.derived.text(whole), self.rows.derived.text(part)
        number = self.rows.derived.parameter(
            f"{whole.name}_over_{piece}",
            value.type,
            f"({b} > 0 ? {a} / {b} : 0)",
            operation("/", whole, part),
            (f"{b} > 0", f"{a} % {b} == 0"),
            value,
            piece,
        )
        return operation("*", number, part)


def _is_chain(strides: Sequence[Poly]) -> bool:
    chain = find_strides(strides)
    return chain is not None and extents(chain) is not None


def _names(strides: Sequence[Poly]) -> set[str]:
    """The parameters that are strides by themselves."""
    alone = (next(iter(poly)) for poly in strides if len(poly) == 1)
    return {monomial[0] for monomial in alone if len(monomial) == 1 and isinstance(monomial[0], str)}


def _divided(poly: Poly, pieces: dict[str, str]) -> Poly:
    def product(monomial: Monomial) -> Monomial:
        atoms = [part for atom in monomial for part in _parts(atom, pieces)]
        return tuple(sorted(atoms, key=str))

    return {product(monomial): factor for monomial, factor in poly.items()}


def _parts(atom: object, pieces: dict[str, str]) -> tuple[str, ...]:
    return (f"{atom}/", pieces[atom]) if isinstance(atom, str) and atom in pieces else (atom,)  # type: ignore[return-value]
