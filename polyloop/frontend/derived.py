"""Parameters that the region computes: products in bounds, numbers of steps that a parameter long.

    for (i = 0; i < B * T; i++)    ->    for (i = 0; i < B_T; i++)

B_T is a name whose value emitted C computes before the loops, in 64 bits, so that it is the number that C computes
wherever that is defined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from polyloop.arithmetic import Arithmetic
from polyloop.backend.ir.expressions import I64, ScalarType
from polyloop.backend.ir.polynomials import Polynomial
from polyloop.frontend.induction import Polynomials, constant_of
from polyloop.frontend.integers import Integer
from polyloop.frontend.present_values import is_integer
from polyloop.frontend.scopes import Place, Symbol, kinds_in, set_names
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    cast,
    identifier,
    map_children,
    number,
    operation,
    replaced,
    variables,
)
from polyloop.scop.affine_isl import is_reserved


@dataclass(frozen=True)
class Derived:
    """Makes parameters of a region.

    Attributes:
        changing: names that are not the same all over the region.
    """

    around: Surroundings
    changing: frozenset[str]

    def is_fixed(self, node: c_ast.Node) -> bool:
        """Is this computed from parameters alone, without what C might not evaluate?"""
        match node:
            case c_ast.Constant():
                return "int" in node.type
            case c_ast.ID():
                symbol = self.around.scope.lookup(node.name)
                return symbol is not None and is_integer(symbol) and node.name not in self.changing
            case c_ast.BinaryOp(op="+" | "-" | "*"):
                return self.is_fixed(node.left) and self.is_fixed(node.right)
            case c_ast.BinaryOp(op="<<", right=c_ast.Constant()):
                return self.is_fixed(node.left)
            case c_ast.UnaryOp(op="-" | "+"):
                return self.is_fixed(node.expr)
            case c_ast.Cast():
                type_ = self.around.declarations.resolve(node.to_type, self.around.scope)
                return isinstance(type_, Arithmetic) and not type_.scalar.is_float and self.is_fixed(node.expr)
        return False

    def text(self, node: c_ast.Node) -> str:
        """C's text of such an expression; what members stand for in their places."""
        symbols = {n.name: self.around.scope.lookup(n.name) for n in variables(node)}
        written = {name: c_ast.ID(symbol.written) for name, symbol in symbols.items() if symbol is not None}
        return str(CGenerator(reduce_parentheses=False).visit(replaced(node, written)))

    def parameter(
        self,
        wish: str,
        type_: ScalarType,
        text: str,
        of: c_ast.Node,
        tests: tuple[str, ...] = (),
        polynomial: Integer | None = None,
        divisor: str = "",
        multiple: int = 1,
        rest: bool = False,
    ) -> c_ast.ID:
        """A name for the value of a C text that is computed from the variables of an expression."""
        scope = self.around.scope
        named = [(symbol, n) for n in variables(of) if (symbol := scope.lookup(n.name)) is not None]
        places = [symbol.place for symbol, _ in named if symbol.place is not None]
        tests = (*(test for place in places for test in place.tests), *tests)
        terms = () if polynomial is None else named_terms(polynomial)
        behind = any(p.behind for p in places)
        divisor = divisor if terms else ""
        place = Place(text, text, text, behind=behind, value=True, tests=tests, polynomial=terms)
        place = replace(place, divisor=divisor, multiple=multiple, rest=rest)
        made = self._named(wish, type_, place)
        made.parts[str(of.coord)] = tuple(named)
        return c_ast.ID(made.name, of.coord)

    def multiple(self, node: c_ast.ID, size: int) -> c_ast.ID:
        """How many elements of so many bytes as many bytes are; emitted C tests that they are whole ones."""
        value, text = Polynomials(self.around.scope, self.around.declarations).read(node), self.text(node)
        wish, test = f"{node.name}_over_{size}", f"(long)({text}) % {size} == 0"
        return self.parameter(wish, I64, f"((long)({text}) / {size})", node, (test,), value, multiple=size)

    def before(self, name: str, type_: ScalarType) -> c_ast.Node:
        """A name for what a variable that the region sets is worth before it; it is read then, whatever sets it."""
        return c_ast.ID(self._named(f"{name}_before", type_, Place(name, name, name, value=True)).name)

    def _named(self, wish: str, type_: ScalarType, place: Place) -> Symbol:
        name, count = wish, 1
        while is_reserved(name) or not self._is_free(name, place):
            count += 1
            name = f"{wish}_{count}"
        known = self.around.scope.lookup(name)
        return known or self.around.scope.add(Symbol(name, "member", Arithmetic(type_), place=place))

    def steps(
        self,
        start: c_ast.Node,
        end: c_ast.Node,
        step: c_ast.Node,
        polynomials: Polynomials,
        own: ScalarType,
        inclusive: bool,
        upwards: bool,
    ) -> c_ast.ID | None:
        """How often a loop runs from start to end by steps that are positive, which emitted C tests.

        Args:
            own: the counter's type.
            upwards: it counts from start to end, and not from end to start.
        """
        parts = (start, end, step)
        types = [read.type for part in parts if (read := polynomials.read(part)) is not None]
        # What has no sign is compared as such: numbers below zero are tested for, and none may come on the way.
        unsigned = "uint" in (own.kind, *(t.kind for t in types))
        if (
            constant_of(step, polynomials) is not None
            or len(types) < len(parts)
            or (unsigned and not upwards)
            or not all(map(self.is_fixed, parts))
        ):
            return None
        first, last, by = (f"(long)({self.text(part)})" for part in parts)
        distance = (
            f"(long)((unsigned long){last} - (unsigned long){first} + (unsigned long){by}{'' if inclusive else ' - 1'})"
        )
        wide = [t for t, type_ in zip((first, last, by), types, strict=True) if type_.bits > 32]
        moved = (v for part in parts[:2] if isinstance(part, c_ast.Cast) for v in variables(part))
        long = (v.name for v in moved if (read := polynomials.read(v)) is None or read.type.bits > 32)
        wide = list(dict.fromkeys((*wide, *(f"(long)({self.text(c_ast.ID(name))})" for name in long))))
        tests = (
            f"{by} > 0",
            *(f"polyloop_fits({t})" for t in wide),
            *(self._unwrapped(parts, polynomials) if unsigned else ()),
        )
        of = operation("-", operation("-", end, start), step)
        name, multiple = multiple_of(polynomials.read(step))
        covered = operation("+", operation("-", end, start), step)
        whole = polynomials.read(covered if inclusive else operation("-", covered, number(1, step))) if name else None
        return self.parameter(
            "steps", counting_type(own), f"({by} > 0 ? {distance} / {by} : 0)", of, tests, whole, name, multiple
        )

    def _unwrapped(self, parts: Sequence[c_ast.Node], polynomials: Polynomials) -> Iterator[str]:
        """Tests that expressions are the numbers from 0 to 2^31 that they would be in any type, and variables in them
        no larger ones."""
        wide = {v.name: cast(v, I64) for part in parts for v in variables(part)}
        yield from (f"polyloop_fits({self.text(each)})" for each in wide.values())
        for part in parts:
            read, value = polynomials.read(part), f"(long)({self.text(part)})"
            if read is None or read.constant is not None:
                continue
            if read.type.kind == "int" or read.type.bits == 64:  # compilers have an opinion of tests that always hold
                yield f"{value} >= 0"
            if not isinstance(part, c_ast.ID):
                yield from (f"polyloop_fits({value})", f"{value} == {self.text(replaced(part, wide))}")

    def last_step(
        self,
        count: c_ast.ID,
        start: c_ast.Node,
        end: c_ast.Node,
        step: c_ast.Node,
        polynomials: Polynomials,
        type_: ScalarType,
    ) -> c_ast.ID:
        """How long the last of so many steps is from start to end, if it is cut off there."""
        symbol = self.around.scope.lookup(count.name)
        assert symbol is not None
        assert symbol.place is not None
        first, last, by = (f"(unsigned long)({self.text(part)})" for part in (start, end, step))
        text = f"(long)({last} - {first} - {by} * ((unsigned long){symbol.place.text} - 1))"
        of = operation("-", operation("-", end, start), step)
        others = operation("*", step, operation("-", count, number(1, step)))
        length = polynomials.read(operation("-", operation("-", end, start), others))
        return self.parameter("last", type_, text, of, polynomial=length, rest=True)

    def _is_free(self, name: str, place: Place) -> bool:
        known = self.around.scope.lookup(name)
        used = self.around.declarations.names_of(self.around.found.function).names
        return known.place == place if known is not None else name not in used


def counting_type(own: ScalarType) -> ScalarType:
    """The type in which the steps of a counter of some type are counted."""
    return own if own.kind == "int" and own.bits >= 32 else I64


def name_products(items: Items, around: Surroundings) -> Items:
    """The statements with a parameter for every product of parameters in a bound or a condition."""
    derived = Derived(around, frozenset(set_names(items)))
    return tuple(_Products(derived, Polynomials(around.scope, around.declarations)).visit(item) for item in items)


@dataclass(frozen=True)
class _Products:
    derived: Derived
    polynomials: Polynomials

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        if kinds_in(node).isdisjoint((c_ast.For, c_ast.If)):
            return node
        match node:
            case c_ast.For():
                return map_children(node, lambda part: self.visit(part) if part is node.stmt else self._bound(part))
            case c_ast.If():
                return map_children(node, lambda part: self._bound(part) if part is node.cond else self.visit(part))
        return map_children(node, self.visit)

    def _bound(self, node: c_ast.Node) -> c_ast.Node:
        if isinstance(node, c_ast.ArrayRef | c_ast.Typename):
            return node
        if isinstance(node, c_ast.BinaryOp) and node.op == "*":
            factors = _factors(node)
            plain = [f for f in factors if not self._is_constant(f)]
            if len(plain) > 1 and all(self.derived.is_fixed(f) for f in plain):
                return self._product(node, plain, [f for f in factors if self._is_constant(f)])
        return map_children(node, self._bound)

    def _product(self, node: c_ast.BinaryOp, factors: list[c_ast.Node], constants: list[c_ast.Node]) -> c_ast.Node:
        """The product as a parameter: of signed factors in 64 bits, of unsigned ones as C computes it."""
        read = self.polynomials.read(node)
        if read is None:
            return node
        wish = identifier("_".join(self.derived.text(f) for f in factors))
        if read.type.kind == "uint" or self.derived.around.declarations.wraps:
            return self.derived.parameter(wish, read.type, f"({self.derived.text(node)})", node, polynomial=read)
        texts = [f"(unsigned long)({self.derived.text(f)})" for f in factors]
        # The test that it is a size keeps it in the range of an int, if it is one.
        value = self.polynomials.read(reduce(partial(operation, "*"), factors))
        made = self.derived.parameter(wish, read.type, f"(long)({' * '.join(texts)})", node, polynomial=value)
        for constant in constants:
            made = operation("*", constant, made)
        return made

    def _is_constant(self, node: c_ast.Node) -> bool:
        return constant_of(node, self.polynomials) is not None


def named_terms(value: Integer) -> Polynomial:
    """The polynomial of plain names; () if it has others. Unsigned factors that wrap around take away."""
    terms = [(tuple(atom for atom in m if isinstance(atom, str)), m, c) for m, c in value.terms]
    if not all(len(names) == len(m) for names, m, _ in terms):
        return ()
    return tuple((names, c - 2**64 if c >= 2**63 else c) for names, _, c in terms)


def multiple_of(value: Integer | None) -> tuple[str, int]:
    """The variable, and how many times it, that a value is; "" where it is something else."""
    terms = () if value is None else named_terms(value)
    return (terms[0][0][0], terms[0][1]) if len(terms) == 1 and len(terms[0][0]) == 1 else ("", 1)


def _factors(node: c_ast.Node) -> list[c_ast.Node]:
    match node:
        case c_ast.BinaryOp(op="*"):
            return [*_factors(node.left), *_factors(node.right)]
    return [node]
