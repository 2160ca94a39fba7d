"""Reads C's data expressions: what statements compute, with every conversion made explicit."""

from __future__ import annotations

import math
import re
from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np
from pycparser import c_ast

from polyloop.arithmetic import (
    ABSOLUTE,
    SIGNATURES,
    VIEWS,
    Arithmetic,
    CType,
    Function,
    character_value,
    choose_value,
    compare,
    compute,
    convert,
    float_literal,
    integer_literal,
    logical,
    logical_not,
    negative,
    promoted,
    truth,
    type_name,
    view_bits,
)
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Condition
from polyloop.frontend.integer_reader import IntegerReader, Surroundings
from polyloop.frontend.integers import negate
from polyloop.frontend.parse import ASSEMBLY
from polyloop.frontend.scopes import NO_MEMBERS, Refusal, Scope, Symbol, stored_into, walk_nodes

THROUGH_POINTER = "a call through a pointer may have side effects"


class ValueSurroundings(Surroundings, Protocol):
    """What the value reader has to know besides."""

    def is_index(self, symbol: Symbol) -> bool:
        """Is this variable a counter, a parameter, or an integer that is replaced by its value?"""
        ...

    def counted(self, symbol: Symbol) -> e.Index | None:
        """The value of a counter that only an expression knows."""
        ...

    def access(self, node: c_ast.Node, integers: IntegerReader) -> tuple[e.Access, Arithmetic]:
        """The array element or scalar that a node names; raises Refusal."""
        ...

    def guard(self, node: c_ast.Node, integers: IntegerReader) -> Condition | None:
        """The node's truth as an affine condition, if it has one that asks for nothing."""
        ...

    def unsurely(self) -> AbstractContextManager[None]:
        """What is read inside, C evaluates or not: that depends on data."""
        ...

    def outside_call(
        self, node: c_ast.FuncCall, name: str, symbol: Symbol | None, reader: ValueReader
    ) -> e.Expression | None:
        """A call of a function of which nothing is known, where such calls are taken."""
        ...


class ValueReader:
    """Reads one statement's expressions."""

    def __init__(self, surroundings: ValueSurroundings, integers: IntegerReader | None = None) -> None:
        self.around = surroundings
        self.integers = integers or IntegerReader(surroundings)

    def value(self, node: c_ast.Node) -> e.Expression:
        """The expression of a node.

        Raises:
            Refusal: for what has side effects or a type that is no number.
        """
        match node:
            case c_ast.Constant():
                return _constant(node)
            case c_ast.ID():
                return self._variable(node)
            case c_ast.ArrayRef() | c_ast.UnaryOp(op="*"):
                access, type_ = self.around.access(node, self.integers)
                return e.Read(access, type_.scalar)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp(op="&&" | "||"):
                return self._logical(node)
            case c_ast.BinaryOp(op="<" | "<=" | ">" | ">=" | "==" | "!="):
                return compare(node.op, self.value(node.left), self.value(node.right))
            case c_ast.BinaryOp():
                return self._binary(node)
            case c_ast.TernaryOp():
                return self._ternary(node)
            case c_ast.Cast():
                to = self._arithmetic(node.to_type, node)
                return _rounded(node.expr, to) or self.converted(self.value(node.expr), to)
            case c_ast.FuncCall():
                return self._call(node)
        raise Refusal(*_why_not_a_value(node), node)

    def converted(self, value: e.Expression, to: Arithmetic) -> e.Expression:
        """C's conversion, _Bool included."""
        if to.boolean:
            return convert(truth(value), to.scalar)
        return convert(value, to.scalar)

    def _variable(self, node: c_ast.ID) -> e.Expression:
        symbol = self.around.scope.lookup(node.name)
        if symbol is None:
            raise Refusal("undeclared", f"{node.name} is not declared", node)
        if symbol.value is not None and isinstance(symbol.type, Arithmetic):
            return e.Literal(symbol.value, symbol.type.scalar)
        if (counter := self.around.counted(symbol)) is not None:
            return counter
        if self.around.is_index(symbol):
            number = self.integers.place_or_variable(symbol, node)
            return e.Index(number.as_affine(), number.type)
        access, type_ = self.around.access(node, self.integers)
        return e.Read(access, type_.scalar)

    def _unary(self, node: c_ast.UnaryOp) -> e.Expression:
        match node.op:
            case "-":
                return negative(self.value(node.expr))
            case "+":
                return promoted(self.value(node.expr))
            case "~":
                operand = promoted(self.value(node.expr))
                if operand.type.is_float:
                    raise Refusal("type", "the operator ~ needs an integer", node)
                return e.Unary("~", operand, operand.type)
            case "!":
                return logical_not(self.value(node.expr))
            case "sizeof" | "_Alignof":
                size = self.around.sizeof(node.expr)
                if size is None:
                    raise Refusal("type", "the size of this type is not a known constant", node)
                return e.Literal(size, e.U64)
        raise Refusal(*_why_not_a_value(node), node)

    def _binary(self, node: c_ast.BinaryOp) -> e.Expression:
        left, right = self.value(node.left), self.value(node.right)
        if node.op in ("%", "&", "|", "^", "<<", ">>") and (left.type.is_float or right.type.is_float):
            raise Refusal("type", f"the operator {node.op} needs integers", node)
        return compute(node.op, left, right)

    def _logical(self, node: c_ast.BinaryOp) -> e.Expression:
        left = self.value(node.left)
        right = self._guarded(node.left, node.op == "&&", node.right)
        return logical(node.op, left, right)

    def _ternary(self, node: c_ast.TernaryOp) -> e.Expression:
        condition = self.value(node.cond)
        then = self._guarded(node.cond, True, node.iftrue)
        otherwise = self._guarded(node.cond, False, node.iffalse)
        return choose_value(condition, then, otherwise)

    def _guarded(self, condition_node: c_ast.Node, wanted: bool, node: c_ast.Node) -> e.Expression:
        condition = self.around.guard(condition_node, self.integers)
        if condition is None:
            with self.around.unsurely():
                return self.value(node)
        with self.integers.under(condition if wanted else negate(condition)):
            return self.value(node)

    def _arithmetic(self, typename: c_ast.Typename, node: c_ast.Node) -> Arithmetic:
        type_ = self.around.type_of(typename)
        if not isinstance(type_, Arithmetic):
            raise Refusal("type", f"a cast to {type_name(type_)} is not supported", node)
        return type_

    def _call(self, node: c_ast.FuncCall) -> e.Expression:
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        if not name:
            raise Refusal("call", THROUGH_POINTER, node)
        if name == ASSEMBLY:
            raise Refusal("assembly", "inline assembly", node)
        symbol = self.around.scope.lookup(name)
        if symbol is not None and symbol.kind != "function":
            raise Refusal("call", THROUGH_POINTER, node)
        arguments = list(node.args.exprs) if node.args is not None else []
        defined = symbol is not None and symbol.defined
        if name in ABSOLUTE and len(arguments) == 1 and not defined:
            operand = convert(self.value(arguments[0]), ABSOLUTE[name])
            zero = e.Literal(0, operand.type)
            return choose_value(compare("<", operand, zero), negative(operand), operand)
        if name in e.BIT_COUNTS and len(arguments) == 1:
            operand = convert(self.value(arguments[0]), e.BIT_COUNTS[name])
            return convert(e.Call(name, (operand,), operand.type), e.I32)
        if name in VIEWS and len(arguments) == 1:
            return view_bits(self.value(arguments[0]), VIEWS[name])
        if name == APART:
            value = self.value(arguments[0])
            return e.Select(e.Literal(1, e.I32), value, e.Literal(0.0, value.type), value.type)
        if name.removeprefix("__builtin_") in _NANS and _is_empty_text(arguments):
            return e.Literal(math.nan, _NANS[name.removeprefix("__builtin_")])
        if symbol is not None and symbol.pure:
            return self._pure_call(node, name, symbol.type, arguments)
        if name in SIGNATURES and not defined:
            result, parameters = SIGNATURES[name]
            return self._checked_call(node, name, arguments, result, [Arithmetic(p) for p in parameters])
        if (plain := name.removeprefix("__builtin_")) in SIGNATURES:
            raise Refusal("call", f"{name} is not supported; include math.h for {plain}", node)
        if (outside := self.around.outside_call(node, name, symbol, self)) is not None:
            return outside
        raise Refusal("call", why_no_call(name, symbol), node)

    def _pure_call(self, node: c_ast.FuncCall, name: str, type_: CType, arguments: list[c_ast.Node]) -> e.Expression:
        assert isinstance(type_, Function)
        if not isinstance(type_.result, Arithmetic) or type_.parameters is None:
            raise Refusal("call", f"{name} needs a prototype with a number as its result", node)
        parameters = [p for p in type_.parameters if isinstance(p, Arithmetic)]
        if len(parameters) != len(type_.parameters):
            raise Refusal("call", f"{name} takes pointers, so that what it reads is not known", node)
        return self._checked_call(node, name, arguments, type_.result.scalar, parameters)

    def _checked_call(
        self,
        node: c_ast.FuncCall,
        name: str,
        arguments: list[c_ast.Node],
        result: e.ScalarType,
        parameters: list[Arithmetic],
    ) -> e.Expression:
        if len(arguments) != len(parameters):
            raise Refusal("call", f"{name} takes {len(parameters)} arguments, here are {len(arguments)}", node)
        values = (self.converted(self.value(a), p) for a, p in zip(arguments, parameters, strict=True))
        return e.Call(name, tuple(values), result)


_NANS = {"nan": e.F64, "nanf": e.F32}

APART = "polyloop_apart"
"""A call that a rewrite makes of a floating-point value that C stores first: no sum around it absorbs a product in it.
"""


def _is_empty_text(arguments: list[c_ast.Node]) -> bool:
    match arguments:
        case [c_ast.Constant(type="string", value='""')]:
            return True
    return False


QUOTIENT, BESIDE_INTEGER = "__polyloop_quotient", "__polyloop_integer"
"""What stands in the tree for operations of complex numbers that nothing reads, as calls."""
_OPERATIONS = {
    QUOTIENT: "quotients of complex numbers differ from compiler to compiler; divide by a real number instead",
    BESIDE_INTEGER: "clang before 22 has rules of its own for integers beside complex numbers; write them as 2.0",
}

WITHOUT_EFFECTS = frozenset(
    (*SIGNATURES, *ABSOLUTE, *_NANS, *VIEWS, APART, "min", "max", "imin", "imax", "floord", "ceild")
)
"""Functions that only compute, as long as the file does not define them itself."""


def has_effects(node: c_ast.Node, scope: Scope) -> bool:
    """Is this a call that may do more than give a value, for all that is known of the function?"""
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            symbol = scope.lookup(name)
            if symbol is not None and symbol.pure:
                return False
            if name in e.BIT_COUNTS:
                return False
            return (symbol is not None and symbol.defined) or name.removeprefix("__builtin_") not in WITHOUT_EFFECTS
    return isinstance(node, c_ast.FuncCall)


def does_more(node: c_ast.Node, scope: Scope) -> bool:
    """May evaluating this do more than give a value?"""
    return any(stored_into(n) is not None or has_effects(n, scope) for n in walk_nodes(node))


def may_free(node: c_ast.Node, scope: Scope) -> bool:
    """Is this a call behind which memory may be gone, for all that is known of the function?"""
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in _OUTPUT | _TEXT | _MEMORY - {"realloc", "free"}:
            symbol = scope.lookup(name)
            return symbol is not None and symbol.defined
    return has_effects(node, scope)


def why_no_call(name: str, symbol: Symbol | None) -> str:
    """Why a call is none of a function without effects, and what would help."""
    if symbol is not None and symbol.defined:
        why = f"cannot be replaced by its body: {symbol.stays}" if symbol.stays else "may have side effects"
        return f"the call of {name} {why}"
    if name in _OPERATIONS:
        return _OPERATIONS[name]
    if re.fullmatch(r"c(exp|log|pow|sqrt|proj|a?(sin|cos|tan)h?)f?", name):
        return f"there is no {name} for loops; compute it from functions of real numbers, or move it out of the loops"
    if name in _OUTPUT:
        return f"the call of {name} writes output; move it out of the loops"
    if name in _MEMORY:
        return f"the call of {name} is about whole blocks of memory; move it out of the loops"
    return (
        f"the call of {name} may have side effects; define {name} in this file, so that its body can take the call's "
        "place, or move the call out of the loops; if its value depends on its arguments alone, declare it "
        "__attribute__((const)) and give --allow-calls, as optimizing runs it"
    )


_OUTPUT = frozenset(("printf", "fprintf", "puts", "putchar", "fputs", "fputc", "putc", "fwrite", "fflush", "perror"))
_MEMORY = frozenset(("malloc", "calloc", "realloc", "free", "aligned_alloc", "memmove", "memset", "memcpy"))
_TEXT = frozenset(("strcmp", "strncmp", "strlen", "strchr", "strrchr", "strstr", "memcmp", "toupper", "tolower"))


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _constant(node: c_ast.Constant) -> e.Expression:
    if node.type == "char":
        return e.Literal(character_value(node.value), e.I32)
    if node.type == "string":
        raise Refusal("type", "a string is no number", node)
    number = integer_literal(node.value)
    if number is not None:
        return e.Literal(*number)
    real = float_literal(node.value)
    if real is None:
        raise Refusal("type", f"{_short(node.value)} has no type that is supported (long double?)", node)
    return e.Literal(*real)


def _rounded(node: c_ast.Node, to: Arithmetic) -> e.Expression | None:
    """A ``long double`` as a double, rounded twice, as C does: compilers write their limits so, ``__DBL_MAX__``."""
    match node:
        case c_ast.Constant(type="long double", value=text) if to.scalar == e.F64 and "x" not in text.lower():
            return e.Literal(float(np.longdouble(text[:-1])), e.F64)
    return None


def _why_not_a_value(node: c_ast.Node) -> tuple[str, str]:
    match node:
        case c_ast.Assignment():
            return "side-effect", "an assignment inside an expression is a side effect"
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
            return "side-effect", f"{node.op.strip('p')} inside an expression is a side effect"
        case c_ast.UnaryOp(op="&"):
            return "address", "an address is taken"
        case c_ast.StructRef():
            return "struct", NO_MEMBERS
        case c_ast.ExprList():
            return (
                "comma",
                "the comma operator is not supported here; write what stands before it as a statement of its own",
            )
    return "expression", "this expression is not supported"
