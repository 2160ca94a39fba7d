"""Reads C's integer expressions and conditions in affine form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from pycparser import c_ast

from polyloop.arithmetic import (
    Arithmetic,
    CType,
    Function,
    character_value,
    integer_literal,
    promote,
    type_name,
    usual,
    value_range,
)
from polyloop.backend.ir.affine import (
    Affine,
    And,
    Choose,
    Compare,
    Condition,
    Not,
    Or,
    affine,
    at_least,
    choose,
    equal,
    maximum,
    minimum,
)
from polyloop.backend.ir.expressions import I32, I64, U64, ScalarType
from polyloop.frontend.integers import (
    Integer,
    Monomial,
    add,
    compare_affine,
    constant_integer,
    describe,
    from_affine,
    multiply,
    negate,
    polynomial,
)
from polyloop.frontend.scopes import NO_MEMBERS, Refusal, Scope, Symbol

_TIMES = 4
"""What is below so many times a divisor that is no constant is divided by it: ``(y + dy + h) % h``."""
_MOST_TERMS = 100
"""Of a product: closed forms of nests that count in each of many loops would have one for each set of the loops."""
_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))


class Surroundings(Protocol):
    """What the reader has to know about the place that it reads at."""

    scope: Scope

    @property
    def wraps(self) -> bool:
        """Signed integers wrap around where they overflow (-fwrapv)."""
        ...

    def integer_of(self, symbol: Symbol, node: c_ast.Node) -> Integer:
        """A variable's value as a counter, parameter or substituted expression; raises Refusal."""
        ...

    def evaluate(self, symbol: Symbol, guards: tuple[Condition, ...], node: c_ast.Node) -> None:
        """Note that C reads a place here, if the guards hold."""
        ...

    def require(self, guards: tuple[Condition, ...], condition: Condition, node: c_ast.Node) -> None:
        """Note that the model is right only where the condition holds."""
        ...

    def holds(self, guards: tuple[Condition, ...], condition: Condition) -> bool:
        """Does the condition hold at every point that gets here?"""
        ...

    def sizeof(self, node: c_ast.Node) -> int | None:
        """The size in bytes of a type or an expression."""
        ...

    def type_of(self, node: c_ast.Typename) -> CType:
        """The type that a cast names."""
        ...


class IntegerReader:
    """Reads expressions at one place.

    Attributes:
        guards: the conditions under which C evaluates what is being read.
        bound: the parameters of the functions whose returned expression is being read, innermost last.
    """

    def __init__(self, surroundings: Surroundings) -> None:
        self.around = surroundings
        self.guards: tuple[Condition, ...] = ()
        self.bound: list[dict[str, Integer]] = []

    @contextmanager
    def under(self, condition: Condition) -> Iterator[None]:
        """What is read inside is evaluated only where the condition holds."""
        saved = self.guards
        self.guards = (*saved, condition)
        try:
            yield
        finally:
            self.guards = saved

    def affine(self, node: c_ast.Node) -> Affine:
        """The exact value of an integer expression.

        Raises:
            Refusal: where it is not affine in counters and parameters.
        """
        return self.settle(self.integer(node), node).as_affine()

    def integer(self, node: c_ast.Node) -> Integer:
        """The polynomial of an integer expression.

        Raises:
            Refusal: where it has none.
        """
        match node:
            case c_ast.Constant():
                return self._constant(node)
            case c_ast.ID():
                return self._variable(node)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp() if node.op in _COMPARISONS or node.op in ("&&", "||"):
                return from_affine(choose(self.condition(node), 1, 0), I32)
            case c_ast.BinaryOp():
                return self._binary(node)
            case c_ast.TernaryOp():
                return self._ternary(node)
            case c_ast.Cast():
                return self._cast(node)
            case c_ast.FuncCall():
                return call_value(self, node)
        raise Refusal(*_why_not_affine(node), node)

    def condition(self, node: c_ast.Node) -> Condition:
        """An expression as a truth value.

        Raises:
            Refusal: where it is not affine.
        """
        match node:
            case c_ast.BinaryOp(op="&&" | "||"):
                left = self.condition(node.left)
                with self.under(left if node.op == "&&" else Not(left)):
                    right = self.condition(node.right)
                return And((left, right)) if node.op == "&&" else Or((left, right))
            case c_ast.UnaryOp(op="!"):
                return negate(self.condition(node.expr))
            case c_ast.BinaryOp() if node.op in _COMPARISONS:
                left_value, right_value = self.integer(node.left), self.integer(node.right)
                common = usual(left_value.type, right_value.type)
                left_side = self.settle(self.convert(left_value, common, node.left), node.left).as_affine()
                right_side = self.settle(self.convert(right_value, common, node.right), node.right).as_affine()
                return compare_affine(node.op, left_side, right_side)
        value = self.affine(node)
        if value.is_constant:
            return And(()) if value.constant else Or(())
        return negate(equal(value, 0))

    def settle(self, value: Integer, node: c_ast.Node) -> Integer:
        """Make the value exact and linear, noting what must hold for that."""
        if not value.is_linear:
            product = next(m for m, _ in value.terms if len(m) > 1)
            raise Refusal("non-affine", f"not affine: the product {describe(product)}", node)
        if value.exact:
            return value
        low, high = value_range(value.type)
        self._in_range(value.as_affine(), low, high, node)
        return Integer(value.terms, value.type, exact=True)

    def convert(self, value: Integer, to: ScalarType, node: c_ast.Node) -> Integer:
        """C's conversion between integer types."""
        low, high = value_range(to)
        if value.type == to:
            return value
        constant = value.constant
        if constant is not None and value.exact:
            wrapped = (constant - low) % (1 << to.bits) + low
            return constant_integer(wrapped, to)
        if to.bits > value.type.bits:
            if not value.exact:
                value = value if self._product_fits(value, node) else self.settle(value, node)
            return Integer(value.terms, to, exact=to.kind == "int" or value.type.kind == "uint")
        if to.kind == "uint":
            return Integer(value.terms, to, exact=False)
        # Narrowing, or unsigned to signed: the value modulo a power of two is the value if that lies in range.
        if value.is_linear:
            self._in_range(value.as_affine(), low, high, node)
        return Integer(value.terms, to)

    def _product_fits(self, value: Integer, node: c_ast.Node) -> bool:
        """Whether an unsigned product ``m * (n - r) + c`` can be asked not to wrap: m and n - r have half of the bits
        each, or one less where something is added."""
        products = [(monomial, number) for monomial, number in value.terms if len(monomial) > 1]
        if value.type.kind != "uint" or value.type.bits > 32 or not products:
            return False
        common = next((a for a in products[0][0] if isinstance(a, str) and all(a in m for m, _ in products)), None)
        if common is None or any(len(monomial) != 2 for monomial, _ in products):
            return False
        rest, added = affine(0), affine(0)
        for monomial, number in value.terms:
            if len(monomial) == 2:
                (other,) = monomial[:1] if monomial[1] == common else monomial[1:]
                rest += Affine(((other, number),))
            elif monomial == (common,):  # m * (n - 1)
                rest += number
            else:
                added += Affine(((monomial[0], number),)) if monomial else affine(number)
        half = value.type.bits // 2
        alone = added.is_constant and added.constant == 0
        self._in_range(affine(common), 0, (1 << half) - 1 if alone else (1 << (half - 1)) - 1, node)
        self._in_range(rest, 0, (1 << half) + 1, node)
        if not alone:
            self._in_range(added, 0, (1 << (value.type.bits - 1)) - (1 << half), node)
        return True

    def _in_range(self, value: Affine, low: int, high: int, node: c_ast.Node) -> None:
        if value.is_constant and low <= value.constant <= high:
            return
        conditions = [at_least(value, low)]
        # 64 bits are never reached by a subscript or a loop that ends; isl need not be asked.
        if high < (1 << 62):
            conditions.append(at_least(high, value))
        self.around.require(self.guards, And(tuple(conditions)), node)

    def _constant(self, node: c_ast.Constant) -> Integer:
        if node.type == "char":
            return constant_integer(character_value(node.value), I32)
        literal = integer_literal(node.value) if "int" in node.type else None
        if literal is None:
            raise Refusal("non-affine", f"{node.value} is no integer: bounds and subscripts must be integers", node)
        return constant_integer(*literal)

    def _variable(self, node: c_ast.ID) -> Integer:
        if self.bound and node.name in self.bound[-1]:
            return self.bound[-1][node.name]
        symbol = self.around.scope.lookup(node.name)
        if symbol is None:
            raise Refusal("undeclared", f"{node.name} is not declared", node)
        if symbol.value is not None and isinstance(symbol.type, Arithmetic):
            return constant_integer(symbol.value, symbol.type.scalar)
        if self.bound:
            raise Refusal("call", f"the function reads {node.name}, which is no parameter of it", node)
        return self.place_or_variable(symbol, node)

    def place_or_variable(self, symbol: Symbol, node: c_ast.Node) -> Integer:
        """What a name stands for; see `Surroundings.evaluate`."""
        if symbol.place is not None:
            self.around.evaluate(symbol, self.guards, node)
        return self.around.integer_of(symbol, node)

    def _promoted(self, node: c_ast.Node) -> Integer:
        value = self.integer(node)
        return self.convert(value, promote(value.type), node)

    def _unary(self, node: c_ast.UnaryOp) -> Integer:
        match node.op:
            case "-":
                value = self._promoted(node.expr)
                return self._computed(add(constant_integer(0, value.type), value, -1))
            case "+":
                return self._promoted(node.expr)
            case "~":
                value = self._promoted(node.expr)
                return self._computed(add(constant_integer(-1, value.type), value, -1))
            case "!":
                return from_affine(choose(self.condition(node), 1, 0), I32)
            case "sizeof" | "_Alignof":
                size = self.around.sizeof(node.expr)
                if size is not None:
                    return constant_integer(size, U64)
                raise Refusal("non-affine", "the size of this type is not a known constant", node)
            case "++" | "--" | "p++" | "p--":
                raise Refusal("side-effect", f"{node.op.strip('p')} inside an expression is a side effect", node)
            case "&":
                raise Refusal("address", "an address is taken", node)
        raise Refusal(*_why_not_affine(node), node)

    def _binary(self, node: c_ast.BinaryOp) -> Integer:
        left, right = self._promoted(node.left), self._promoted(node.right)
        if node.op in ("<<", ">>"):
            return self._shift(node, left, right)
        common = usual(left.type, right.type)
        left, right = self.convert(left, common, node.left), self.convert(right, common, node.right)
        match node.op:
            case "+":
                return self._computed(add(left, right))
            case "-":
                return self._computed(add(left, right, -1))
            case "*":
                if len(left.terms) * len(right.terms) > _MOST_TERMS:
                    raise Refusal("too-complex", "the product of these sums has too many terms", node)
                return self._computed(multiply(left, right))
            case "/" | "%":
                return self._divide(node, left, right)
            case "&":
                return self._mask(node, left, right)
            case "|" | "^":
                return self._set_bits(node, left, right)
        raise Refusal("non-affine", f"the operator {node.op} is not affine", node)

    def _computed(self, value: Integer) -> Integer:
        """What overflows has no value in C, unless it wraps; longs leave their range with sizes that no array has."""
        if not self.around.wraps or value.type.kind == "uint" or value.type.bits >= 64:
            return value
        constant = value.constant
        if constant is not None:
            low, _ = value_range(value.type)
            return constant_integer((constant - low) % (1 << value.type.bits) + low, value.type)
        return replace(value, exact=False)

    def _shift(self, node: c_ast.BinaryOp, left: Integer, right: Integer) -> Integer:
        amount = right.constant
        if amount is None or not 0 <= amount < left.type.bits:
            raise Refusal("non-affine", "a shift is affine only by a constant number of bits", node)
        if node.op == "<<":
            return self._computed(multiply(left, constant_integer(1 << amount, left.type)))
        return from_affine(self.settle(left, node.left).as_affine() // (1 << amount), left.type)

    def _mask(self, node: c_ast.BinaryOp, left: Integer, right: Integer) -> Integer:
        """``x & (2**k - 1)`` is x modulo 2**k, for negative x as well (two's complement); ``x & ~(2**k - 1)`` is x
        without that."""
        operand = node.left
        if left.constant is not None:
            left, right, operand = right, left, node.right
        mask = right.constant
        if left.constant is not None and mask is not None:
            return constant_integer(left.constant & mask, left.type)
        if mask is not None and mask > 0 and not mask & (mask + 1):
            # Right modulo a power of two is all that this needs, so that the operand need not be settled.
            if not left.is_linear:
                self.settle(left, operand)
            return from_affine(left.as_affine() % (mask + 1), left.type)
        unit = 0 if mask is None else -mask % (1 << right.type.bits)
        if not unit or unit & (unit - 1):
            message = "the operator & is affine only with a constant 2**k - 1 or ~(2**k - 1)"
            raise Refusal("non-affine", message, node)
        value = self.settle(left, operand).as_affine()
        return from_affine(value - value % unit, left.type)

    def _set_bits(self, node: c_ast.BinaryOp, left: Integer, right: Integer) -> Integer:
        """``x | (2**k - 1)`` and ``x ^ (2**k - 1)``: x, and what its last k bits lack, or twice that less all of them;
        of bits that lie ``a`` higher the same."""
        operand = node.left
        if left.constant is not None:
            left, right, operand = right, left, node.right
        mask = right.constant
        if left.constant is not None and mask is not None:
            return constant_integer(left.constant | mask if node.op == "|" else left.constant ^ mask, left.type)
        lowest = 0 if mask is None else mask & -mask
        if mask is None or mask <= 0 or (mask + lowest) & mask:
            message = (
                f"the operator {node.op} is affine only with a constant whose bits are neighbours, such as 2**k - 1"
            )
            raise Refusal("non-affine", message, node)
        value = self.settle(left, operand).as_affine()
        present = (value // lowest) % (mask // lowest + 1) * lowest
        return from_affine(value + mask - present * (1 if node.op == "|" else 2), left.type)

    def _divide(self, node: c_ast.BinaryOp, left: Integer, right: Integer) -> Integer:
        divisor = right.constant
        if divisor == 0:
            raise Refusal("non-affine", "division by zero", node)
        if divisor is None:
            return self._by_part(node, left, right) or self._wrap_around(node, left, right)
        dividend = self.settle(left, node.left).as_affine()
        quotient = self._quotient(dividend, abs(divisor)) * (1 if divisor > 0 else -1)
        result = quotient if node.op == "/" else dividend - quotient * divisor
        return from_affine(result, left.type)

    def _by_part(self, node: c_ast.BinaryOp, left: Integer, right: Integer) -> Integer | None:
        """``(i*b + j) / b`` and what is left of it, where j surely is between 0 and b; None for others.

        C divides by no 0, and products of signed factors are exact.
        """
        if not (left.exact and right.exact) or left.type.kind != "int" or len(right.terms) != 1:
            return None
        ((by, factor),) = right.terms
        if len(by) != 1 or factor < 0:
            return None
        whole, rest = dict[Monomial, int](), dict[Monomial, int]()
        for monomial, number in left.terms:
            part = list(monomial)
            if by[0] in part and not number % factor:
                part.remove(by[0])
                whole[tuple(part)] = number // factor
            else:
                rest[monomial] = number
        quotient, remainder = polynomial(whole, left.type), polynomial(rest, left.type)
        if not whole or not remainder.is_linear:
            return None
        if rest:
            inside = at_least(right.as_affine() - 1, remainder.as_affine()), at_least(remainder.as_affine(), 0)
            if not quotient.is_linear or not all(
                self.around.holds(self.guards, c) for c in (*inside, at_least(quotient.as_affine(), 0))
            ):
                return None
        return quotient if node.op == "/" else remainder

    def _wrap_around(self, node: c_ast.BinaryOp, left: Integer, right: Integer) -> Integer:
        """``(i + 1) % n``, ``(i + d + n) % n`` by an n that is no constant: what surely is below some times that is n
        or more, twice n or more, or is not."""
        if left.is_linear and right.is_linear:
            value, size = self.settle(left, node.left).as_affine(), self.settle(right, node.right).as_affine()
            found = value if node.op == "%" else affine(0)
            for times in range(1, _TIMES if self.around.holds(self.guards, at_least(value, 0)) else 0):
                beyond = value - times * size if node.op == "%" else affine(times)
                found = choose(at_least(value, times * size), beyond, found)
                if self.around.holds(self.guards, at_least((times + 1) * size - 1, value)):
                    return from_affine(found, left.type)
        word = "division" if node.op == "/" else "modulo"
        raise Refusal("non-affine", f"{word} is affine only by a constant", node.right)

    def _quotient(self, dividend: Affine, divisor: int) -> Affine:
        """Division as C has it, towards zero; a plain floor where the dividend is known not to be negative."""
        below, above = dividend // divisor, -((-dividend) // divisor)
        if dividend.is_constant:
            return below if dividend.constant >= 0 else above
        if below == above or self.around.holds(self.guards, at_least(dividend, 0)):
            return below
        if self.around.holds(self.guards, at_least(0, dividend)):
            return above
        return choose(at_least(dividend, 0), below, above)

    def _ternary(self, node: c_ast.TernaryOp) -> Integer:
        condition = self.condition(node.cond)
        if condition == And(()):
            return self.integer(node.iftrue)
        if condition == Or(()):
            return self.integer(node.iffalse)
        with self.under(condition):
            then = self.integer(node.iftrue)
        with self.under(Not(condition)):
            otherwise = self.integer(node.iffalse)
        common = usual(then.type, otherwise.type)
        with self.under(condition):
            then_value = self.settle(self.convert(then, common, node.iftrue), node.iftrue).as_affine()
        with self.under(Not(condition)):
            other_value = self.settle(self.convert(otherwise, common, node.iffalse), node.iffalse).as_affine()
        return from_affine(self._simplest(condition, then_value, other_value), common)

    def _simplest(self, condition: Condition, then: Affine, otherwise: Affine) -> Affine:
        """A choice as a minimum, a maximum or one of its branches, where it is that."""
        if self.around.holds(self.guards, condition):
            return then
        if self.around.holds(self.guards, negate(condition)):
            return otherwise
        difference = then - otherwise
        match condition:
            case Compare(left, ">=") if left in (-difference, -difference - 1):
                return minimum(then, otherwise)
            case Compare(left, ">=") if left in (difference, difference - 1):
                return maximum(then, otherwise)
        if any(isinstance(atom, Choose) for atom, _ in (*then.terms, *otherwise.terms)):
            return choose(condition, then, otherwise)
        # floord and ceild are often written with a test of the sign, both branches being the same function.
        same = equal(then, otherwise)
        if self.around.holds((*self.guards, condition), same):
            return otherwise
        if self.around.holds((*self.guards, Not(condition)), same):
            return then
        return choose(condition, then, otherwise)

    def _cast(self, node: c_ast.Cast) -> Integer:
        type_ = self.around.type_of(node.to_type)
        if not isinstance(type_, Arithmetic) or type_.scalar.is_float or type_.boolean:
            raise Refusal("non-affine", f"a cast to {type_name(type_)} is not affine", node)
        rounded = rounding_call(node.expr)
        value = rounded_value(self, rounded) if rounded is not None else self.integer(node.expr)
        return self.convert(value, type_.scalar, node)


def _why_not_affine(node: c_ast.Node) -> tuple[str, str]:
    """Code and wording for an expression that no affine form can have."""
    match node:
        case c_ast.ArrayRef() | c_ast.UnaryOp(op="*"):
            return (
                "data-dependent",
                "an array's element is read: bounds and conditions must not depend on data; copy it to a variable "
                "before the loops if it stays the same, or take the loops inside",
            )
        case c_ast.StructRef():
            return "struct", NO_MEMBERS
        case c_ast.Assignment():
            return "side-effect", "an assignment inside an expression is a side effect"
        case c_ast.ExprList():
            return "comma", "the comma operator is not supported here"
    return "non-affine", "not an affine expression"


# --- Calls: min, max, floord, ceild, rounded quotients, functions that only return ------------------------------------
# Macros of those names arrive expanded. Functions of those names without a body are taken at their word, as all
# polyhedral tools do.


# Functions that call functions are followed this far, which recursion is not.
_DEEPEST = 8


def call_value(reader: IntegerReader, node: c_ast.FuncCall) -> Integer:
    """The value of a call in a bound, a subscript or a condition.

    Raises:
        Refusal: for a function that is not known to be affine.
    """
    name = node.name.name if isinstance(node.name, c_ast.ID) else ""
    arguments = list(node.args.exprs) if node.args is not None else []
    if rounding_call(node) is not None:
        return rounded_value(reader, node)
    symbol = reader.around.scope.lookup(name)
    returned = _returned_expression(symbol)
    if symbol is not None and returned is not None:
        return _inlined(reader, node, symbol, returned, arguments)
    if name in ("min", "max", "imin", "imax") and len(arguments) == 2:
        left, right = (reader.integer(a) for a in arguments)
        common = usual(left.type, right.type)
        sides = [
            reader.settle(reader.convert(v, common, a), a).as_affine()
            for v, a in zip((left, right), arguments, strict=True)
        ]
        return from_affine((minimum if name.endswith("min") else maximum)(*sides), common)
    if name in ("floord", "ceild") and len(arguments) == 2:
        value, divisor = reader.affine(arguments[0]), reader.integer(arguments[1]).constant
        if divisor is None or divisor <= 0:
            raise Refusal("non-affine", f"{name} is affine only by a positive constant", arguments[1])
        return from_affine(value // divisor if name == "floord" else -((-value) // divisor), I64)
    what = f"the value of a call ({name or 'through a pointer'}) is not affine"
    raise Refusal("call", f"{what}; assign it to a variable before the loop", node)


def _inlined(
    reader: IntegerReader, node: c_ast.FuncCall, symbol: Symbol, returned: c_ast.Node, arguments: list[c_ast.Node]
) -> Integer:
    """A call of a function that only returns an expression of its parameters."""
    type_ = symbol.type
    assert isinstance(type_, Function)
    names = [p.name for p in _parameter_declarations(symbol)]
    if type_.parameters is None or len(type_.parameters) != len(arguments) or len(names) != len(arguments):
        raise Refusal("call", f"{symbol.name} is called with the wrong number of arguments", node)
    types = [*type_.parameters, type_.result]
    if not all(isinstance(t, Arithmetic) and not t.scalar.is_float and not t.boolean for t in types):
        raise Refusal("call", f"the value of a call ({symbol.name}) is not affine", node)
    if len(reader.bound) > _DEEPEST:
        raise Refusal("call", f"{symbol.name} calls itself", node)
    scalars = [t.scalar for t in types if isinstance(t, Arithmetic)]
    bound = {
        name: reader.convert(reader.integer(a), t, a) for name, t, a in zip(names, scalars[:-1], arguments, strict=True)
    }
    reader.bound.append(bound)
    try:
        return reader.convert(reader.integer(returned), scalars[-1], node)
    finally:
        reader.bound.pop()


def rounded_value(reader: IntegerReader, node: c_ast.FuncCall) -> Integer:
    """``floor((double)n / (double)c)`` and ``ceil`` of the same, as loop generators write them."""
    quotient = node.args.exprs[0]
    dividend = reader.affine(_without_double(quotient.left) or quotient.left)
    divisor = reader.integer(_without_double(quotient.right) or quotient.right).constant
    if divisor is None or divisor <= 0:
        raise Refusal("non-affine", "rounded division is affine only by a positive constant", quotient.right)
    if node.name.name == "floor":
        return from_affine(dividend // divisor, I64)
    return from_affine(-((-dividend) // divisor), I64)


def rounding_call(node: c_ast.Node) -> c_ast.FuncCall | None:
    """The node, if it is floor or ceil of a quotient with a side that is cast to double."""
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name="floor" | "ceil")) if node.args is not None:
            match node.args.exprs:
                case [c_ast.BinaryOp(op="/") as q] if _without_double(q.left) or _without_double(q.right):
                    return node
    return None


def _without_double(node: c_ast.Node) -> c_ast.Node | None:
    match node:
        case c_ast.Cast(to_type=c_ast.Typename(type=c_ast.TypeDecl(type=c_ast.IdentifierType(names=["double"])))):
            return node.expr
    return None


def _returned_expression(symbol: Symbol | None) -> c_ast.Node | None:
    """The expression of a function whose whole body is ``return expression;``."""
    if symbol is None or symbol.body is None:
        return None
    match symbol.body.body.block_items:
        case [c_ast.Return(expr=expression)] if expression is not None:
            return expression
    return None


def _parameter_declarations(symbol: Symbol) -> list[c_ast.Decl]:
    assert symbol.body is not None
    declarator = symbol.body.decl.type
    return [p for p in declarator.args.params if isinstance(p, c_ast.Decl)] if declarator.args is not None else []
