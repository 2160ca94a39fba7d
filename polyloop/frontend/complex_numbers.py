"""C's complex numbers as structures of their two parts.

    double complex *z, w; double x;            member `__real__`, member `__imag__`
    z[i] = x * z[i] + w * conj(z[j]);      ->      of z[i]: x * z[i].__real__ + polyloop_real_product(w.__real__, ...)

A type of complex numbers is a structure (`polyloop.arithmetic.complex_type`) from the first declaration on. What
computes with them is written here, before anything else looks at a file's functions, as what it is for each part: what
is left are structures that are assigned, passed and returned whole, and expressions of numbers. So C has it (C17
6.3.1, 6.5 and annex G), and so do gcc and clang, which agree but for quotients of two complex numbers: a real operand
has no imaginary part, not one of zero. A product of two is more than four multiplications
(`polyloop.backend.ir.expressions.REAL_PRODUCT`). What stays as it is written cannot be read, and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from pycparser import c_ast

from polyloop.arithmetic import COMPLEX_PARTS, Arithmetic, ArrayOf, CType, Pointer, Record, part_of_complex, usual
from polyloop.arithmetic import Function as FunctionType
from polyloop.backend.ir.expressions import F32, F64, IMAGINARY_PRODUCT, REAL_PRODUCT, ScalarType
from polyloop.frontend.expression_types import complete, number_type, type_of, variable_type
from polyloop.frontend.increments import steps_apart
from polyloop.frontend.scopes import (
    Declarations,
    Scope,
    Symbol,
    address_taken,
    assigned_names,
    base_name,
    forget_walks,
    parameters_of,
    stored_into,
    walk_nodes,
)
from polyloop.frontend.source import Macro
from polyloop.frontend.syntax import (
    as_one,
    c_text,
    cast,
    declaration,
    map_children,
    mentions,
    operation,
    variables,
    with_parts,
)
from polyloop.frontend.values import BESIDE_INTEGER, QUOTIENT, has_effects
from polyloop.support.compilers import LIMITED_RANGE

Parts: TypeAlias = "tuple[c_ast.Node, c_ast.Node]"

_OF_PARTS = {"creal": 0, "cimag": 1}
_OF_BOTH = {"cabs": "hypot", "carg": "atan2"}
"""Functions that are others of both parts; carg has the imaginary one first."""
_KNOWN = frozenset(name + suffix for name in (*_OF_PARTS, *_OF_BOTH, "conj") for suffix in ("", "f"))
_LVALUES = (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef)


class _StaysError(Exception):
    """A statement stays as it is written."""


@dataclass(frozen=True)
class Rules:
    """What depends on the compiler.

    Attributes:
        limited: a product is four multiplications, whatever the numbers are (-ffast-math, -fcx-limited-range).
        with_integers: an integer beside a complex number is a real number. Of clang before 22 this is not known for
            all, and in 14 it is a complex one, whose imaginary part of zero shows.
    """

    limited: bool = False
    with_integers: bool = True

    @classmethod
    def of(cls, macros: Mapping[str, Macro]) -> Rules:
        """Those of a compiler that has these macros."""
        major = macros.get("__clang_major__")
        version = int("".join(token.text for token in major.body) or 0) if major is not None else _KNOWN_CLANG
        return cls(not macros.keys().isdisjoint(("__FAST_MATH__", LIMITED_RANGE)), version >= _KNOWN_CLANG)


_KNOWN_CLANG = 22


def split_complex_numbers(
    file: Iterable[c_ast.Node], declarations: Declarations, scope: Scope, rules: Rules = Rules()
) -> None:
    """Write what a file's functions compute with complex numbers as what that is for their parts, in their own trees.

    Args:
        scope: of the file; what it declares is entered.
    """
    forget_walks()
    for node in file:
        if isinstance(node, c_ast.FuncDef):
            declarations.declare(node, scope, "global")
            _Function(node, declarations, scope, rules).split()
        else:
            declarations.declare(node, scope, "global")
    forget_walks()


class _Function:
    """
    Attributes:
        scope: the names at the present place.
        result: the type of the function's parts, if it gives a complex number.
        before: what is to be computed in front of the present statement; None: nothing may be.
    """

    def __init__(self, function: c_ast.FuncDef, declarations: Declarations, scope: Scope, rules: Rules) -> None:
        self.function = function
        self.rules = rules
        self.declarations = declarations
        self.scope = Scope(scope)
        self.before: list[c_ast.Node] | None = None
        self.result = part_of_complex(declarations.resolve(function.decl.type.type, self.scope))
        taken = (address_taken(node) for node in walk_nodes(function.body))
        self.addressed = {node.name for node in taken if node is not None}
        self.changed = assigned_names([function.body])
        for parameter in parameters_of(function):
            declarations.declare(parameter, self.scope, "parameter")

    def split(self) -> None:
        body = self.function.body
        self.function.body = with_parts(body, block_items=self.block(body.block_items or []))

    # --- Statements ---------------------------------------------------------------------------------------------------

    def block(self, nodes: Iterable[c_ast.Node]) -> list[c_ast.Node]:
        return [new for node in nodes for new in self.statement(node)]

    def alone(self, node: c_ast.Node | None) -> c_ast.Node | None:
        """One statement that stands behind a header."""
        if node is None:
            return None
        new = self.statement(node)
        return new[0] if len(new) == 1 and not isinstance(new[0], c_ast.Decl) else c_ast.Compound(new, node.coord)

    def statement(self, node: c_ast.Node) -> list[c_ast.Node]:
        """What takes the place of a statement in its block."""
        match node:
            case c_ast.Compound():
                with self._inside():
                    return [with_parts(node, block_items=self.block(node.block_items or []))]
            case c_ast.For():
                with self._inside():
                    header = {"init": self._first(node.init), "next": self._header(node.next, self.effect)}
                    return [with_parts(node, **header, cond=self._condition(node.cond), stmt=self.alone(node.stmt))]
            case c_ast.While() | c_ast.DoWhile():
                return [with_parts(node, cond=self._condition(node.cond), stmt=self.alone(node.stmt))]
            case c_ast.Switch() | c_ast.Label():
                return [with_parts(node, stmt=self.alone(node.stmt))]
            case c_ast.Case() | c_ast.Default():
                return [with_parts(node, stmts=self.block(node.stmts or []))]
            case c_ast.If():
                branches = {"iftrue": self.alone(node.iftrue), "iffalse": self.alone(node.iffalse)}
                asked = self._before(lambda: [self.truth(node.cond)]) if self.is_concerned(node.cond) else None
                *first, cond = asked if asked is not None else [node.cond]
                whole = with_parts(node, cond=cond, **branches)
                return [c_ast.Compound([*first, whole], node.coord)] if first else [whole]
            case c_ast.Decl():
                type_ = self.declarations.resolve(node.type, self.scope)
                concerned = node.init is not None and (self._has_some(type_) or self.is_concerned(node.init))
                split = self._before if "static" not in node.storage else self._here
                found = split(lambda: self.declared(node)) if concerned else None
                self.declarations.declare(node, self.scope, "local")
                return [node] if found is None else found
            case c_ast.DeclList():
                return self.block(node.decls)
            case c_ast.Typedef():
                self.declarations.declare(node, self.scope, "local")
                return [node]
            case c_ast.ExprList():
                return [as_one(self.block(node.exprs), node)]
            case c_ast.Return(expr=value) if value is not None and (
                self.result is not None or self.is_concerned(value)
            ):
                found = self._before(lambda: self.returned(node))
            case c_ast.Assignment() | c_ast.FuncCall() | c_ast.UnaryOp() if self.is_concerned(node):
                found = self._before(lambda: self.effect(node))
            case _:
                return [node]
        return [node] if found is None else found if len(found) == 1 else [c_ast.Compound(found, node.coord)]

    @contextmanager
    def _inside(self) -> Iterator[None]:
        saved, self.scope = self.scope, Scope(self.scope)
        yield
        self.scope = saved

    def _before(self, split: Callable[[], list[c_ast.Node]]) -> list[c_ast.Node] | None:
        """What is to be computed before a statement, and what it is split into; None where it stays."""
        saved, self.before = self.before, []
        try:
            made = split()
            return [*self.before, *made]
        except _StaysError:
            return None
        finally:
            self.before = saved

    def _here(self, split: Callable[[], list[c_ast.Node]]) -> list[c_ast.Node] | None:
        """The same where nothing can be computed before."""
        saved, self.before = self.before, None
        try:
            return split()
        except _StaysError:
            return None
        finally:
            self.before = saved

    def _header(self, node: c_ast.Node | None, split: Callable[[c_ast.Node], list[c_ast.Node]]) -> c_ast.Node | None:
        """A part of a loop's header."""
        if node is None or not self.is_concerned(node):
            return node
        made = self._here(lambda: split(node))
        return node if made is None else made[0] if len(made) == 1 else c_ast.ExprList(made, node.coord)

    def _condition(self, node: c_ast.Node | None) -> c_ast.Node | None:
        return self._header(node, lambda cond: [self.truth(cond)])

    def _first(self, node: c_ast.Node | None) -> c_ast.Node | None:
        if not isinstance(node, c_ast.DeclList):
            return self._header(node, self.effect)
        for each in node.decls:
            self.declarations.declare(each, self.scope, "local")
        return node

    def is_concerned(self, node: c_ast.Node | None) -> bool:
        """Whether there are complex numbers in an expression, and no pointers to them only."""
        return node is not None and any(self.part(n) is not None or self._takes_some(n) for n in walk_nodes(node))

    def _takes_some(self, node: c_ast.Node) -> bool:
        """Is it a call with a complex number as an argument?"""
        called = self._called(node)
        return called is not None and any(part_of_complex(type_) is not None for type_ in called.parameters or ())

    def _called(self, node: c_ast.Node) -> FunctionType | None:
        """The type of the function that a node calls."""
        if not isinstance(node, c_ast.FuncCall) or not isinstance(node.name, c_ast.ID):
            return None
        symbol = self.scope.lookup(node.name.name)
        return symbol.type if symbol is not None and isinstance(symbol.type, FunctionType) else None

    def _has_some(self, type_: CType) -> bool:
        """Whether there are complex numbers in a type."""
        match complete(type_, self.scope):
            case ArrayOf(element):
                return self._has_some(element)
            case Record(members=members) as record:
                return part_of_complex(record) is not None or any(self._has_some(member) for _, member in members)
        return False

    def declared(self, node: c_ast.Decl) -> list[c_ast.Node]:
        type_ = complete(self.declarations.resolve(node.type, self.scope), self.scope)
        self._check_effects(node.init)
        return [with_parts(node, init=self.initial(node.init, type_))]

    def initial(self, node: c_ast.Node, type_: CType) -> c_ast.Node:
        """What a variable, or a part of one, begins with."""
        type_ = complete(type_, self.scope)
        part = part_of_complex(type_)
        match node:
            case c_ast.NamedInitializer():
                raise _StaysError
            case c_ast.InitList(exprs=[c_ast.NamedInitializer(), *_]):
                raise _StaysError
            case c_ast.InitList(exprs=[value]) if part is not None:
                return self.whole(value, part)
            case c_ast.InitList() if part is None:
                members = [member for _, member in type_.members] if isinstance(type_, Record) else []
                if isinstance(type_, ArrayOf):
                    members = [type_.element] * len(node.exprs)
                if len(members) < len(node.exprs) or (isinstance(type_, Record) and type_.union):
                    raise _StaysError
                pairs = zip(node.exprs, members, strict=False)
                return with_parts(node, exprs=[self.initial(value, member) for value, member in pairs])
            case c_ast.InitList():
                raise _StaysError
        if part is not None:
            return self.whole(node, part)
        if not isinstance(type_, Arithmetic | Pointer):
            raise _StaysError  # braces that are left out
        return self.number(node, type_)

    def returned(self, node: c_ast.Return) -> list[c_ast.Node]:
        self._check_effects(node.expr)
        if self.result is not None:
            return [with_parts(node, expr=self.whole(node.expr, self.result))]
        value = self.number(node.expr, self.declarations.resolve(self.function.decl.type.type, self.scope))
        return [with_parts(node, expr=value)]

    def effect(self, node: c_ast.Node) -> list[c_ast.Node]:
        """A statement that is an expression."""
        if isinstance(node, c_ast.Assignment):
            first, rest, last = steps_apart(node, self._is_movable)
            if first or last:
                return [*first, *self.effect(rest), *last]
        match node:
            case c_ast.Assignment(op="=", lvalue=target, rvalue=c_ast.Assignment(lvalue=inner) as chained):
                self._check_place(target)
                self._check_place(inner)
                return [*self.effect(chained), *self.effect(c_ast.Assignment("=", target, inner, node.coord))]
            case c_ast.Assignment(op=operator, lvalue=target, rvalue=value):
                self._check_place(target)
                self._check_effects(value)
                part, place = self.part(target), self.value(target)
                if part is not None and operator == "=" and self._is_choice_of_calls(value, part):
                    ways = (c_ast.Assignment("=", target, side, node.coord) for side in (value.iftrue, value.iffalse))
                    return [c_ast.If(self.truth(value.cond), *map(self.alone, ways), node.coord)]
                if part is None:
                    return [with_parts(node, lvalue=place, rvalue=self._of_real(target, operator, value))]
                if operator != "=":
                    value = c_ast.BinaryOp(operator.removesuffix("="), target, value, node.coord)
                whole = self.whole(value, part)
                if isinstance(whole, c_ast.CompoundLiteral):
                    return self._stored(place, whole.init.exprs, node)
                return [c_ast.Assignment("=", place, whole, node.coord)]
            case c_ast.FuncCall():
                return [self._call(node)]
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--" as operator, expr=target) if (
                self.part(target) is not None
            ):
                self._check_place(target)
                one = c_ast.Constant("int", "1", node.coord)
                return self.effect(c_ast.Assignment(f"{operator[-1]}=", target, one, node.coord))
            case c_ast.Cast():  # to void
                return [node]
            case c_ast.ExprList():
                return [new for each in node.exprs for new in self.effect(each)]
        self._check_effects(node)
        return [self.value(node)]

    def _is_choice_of_calls(self, node: c_ast.Node, part: ScalarType) -> bool:
        """Is it a choice between values of a type, as complex numbers or as real ones, one of which takes a call of the
        file's own functions, in whose place only a statement can stand?"""
        if not isinstance(node, c_ast.TernaryOp):
            return False
        sides = (node.iftrue, node.iffalse)
        alike = all((self.part(side) or self._number_type(side)) == part for side in sides)
        calls = (n for side in sides for n in walk_nodes(side) if isinstance(n, c_ast.FuncCall))
        return alike and any(self._known(call) is None and has_effects(call, self.scope) for call in calls)

    def _of_real(self, target: c_ast.Node, operator: str, value: c_ast.Node) -> c_ast.Node:
        """What a number that is not complex is set to, or changed by."""
        part = self.part(value)
        if part is None:
            return self.value(value)
        if operator not in ("=", "+=", "-=", "*="):
            raise _StaysError
        return self._as_number(value, part, type_of(target, self.scope, self.declarations))

    def _stored(self, place: c_ast.Node, values: list[c_ast.Node], node: c_ast.Node) -> list[c_ast.Node]:
        """Assignments of both parts, of which the second one must not read what the first one has changed."""
        targets = [_part(place, k) for k in (0, 1)]
        second, before = values[1], list[c_ast.Node]()
        if not self._is_apart(place, second):
            sum_ = isinstance(second, c_ast.BinaryOp) and second.op in ("+", "-") and _same(second.left, targets[1])
            kept = second.right if sum_ else second
            part = part_of_complex(type_of(place, self.scope, self.declarations))
            assert part is not None
            name = self._declare("imaginary", part, kept, before)
            second = c_ast.BinaryOp(second.op, second.left, name, second.coord) if sum_ else name
        pairs = zip(targets, (values[0], second), strict=True)
        return [*before, *(c_ast.Assignment("=", *pair, node.coord) for pair in pairs)]

    def _is_apart(self, place: c_ast.Node, value: c_ast.Node) -> bool:
        """Whether a value reads nothing that may be the real part of a place, as far as names say."""
        name = base_name(place)
        symbol = self.scope.lookup(name) if name is not None else None
        if symbol is None or not self._is_alone(symbol):
            return False
        beside = {
            id(n) for n in walk_nodes(value) if isinstance(n, c_ast.StructRef) and n.field.name == COMPLEX_PARTS[1]
        }
        if mentions(_without(value, beside), symbol.name):
            return False
        others = (self.scope.lookup(node.name) for node in variables(value) if node.name != symbol.name)
        return isinstance(place, c_ast.ID) or all(other is None or self._is_alone(other, True) for other in others)

    def _is_alone(self, symbol: Symbol, is_read: bool = False) -> bool:
        """Whether no other name of the function leads to a variable, an array, or to what a parameter points to.

        Args:
            is_read: no other that is stored to.
        """
        if not symbol.automatic or symbol.name in self.addressed:
            return symbol.kind in ("function", "constant")
        match variable_type(symbol):
            case Pointer(_, restrict):
                return symbol.kind == "parameter" and (restrict or is_read) and symbol.name not in self.changed
        return True

    def _type_of(self, node: c_ast.Node) -> CType | None:
        return type_of(node, self.scope, self.declarations)

    # --- Expressions --------------------------------------------------------------------------------------------------

    def part(self, node: c_ast.Node) -> ScalarType | None:
        """The type of a complex number's parts; None of what is no complex number."""
        match node:
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.Cast() | c_ast.UnaryOp(op="*"):
                return part_of_complex(self._type_of(node))
            case c_ast.CompoundLiteral():
                return part_of_complex(self.declarations.resolve(node.type, self.scope))
            case c_ast.UnaryOp(op="-" | "+" | "~", expr=inner):
                return self.part(inner)
            case c_ast.BinaryOp(op="+" | "-" | "*" | "/"):
                return self._common(node.left, node.right)
            case c_ast.TernaryOp():
                return self._common(node.iftrue, node.iffalse)
            case c_ast.Assignment():
                return self.part(node.lvalue)
            case c_ast.FuncCall(name=c_ast.ID(name=name)):
                if (called := self._called(node)) is not None:
                    return part_of_complex(called.result)
                if self._known(node) is not None and name.startswith("conj"):
                    return self.part(node.args.exprs[0]) and _type_in_name(name)
        return None

    def _number_type(self, node: c_ast.Node) -> ScalarType | None:
        """The type of what is no complex number, but may be a part of one."""

        def plain(inner: c_ast.Node) -> c_ast.Node:
            match inner:
                case c_ast.StructRef(name=whole, field=c_ast.ID(name=name)) if name in COMPLEX_PARTS:
                    return _zero(self.part(whole), inner)
                case c_ast.FuncCall() if self._known(inner) is not None:
                    return _zero(_type_in_name(inner.name.name), inner)
            return map_children(inner, plain)

        return number_type(plain(node), self.scope, self.declarations)

    def _common(self, left: c_ast.Node, right: c_ast.Node) -> ScalarType | None:
        parts = self.part(left), self.part(right)
        if parts == (None, None):
            return None
        types = [part or self._number_type(node) for part, node in zip(parts, (left, right), strict=True)]
        return None if types[0] is None or types[1] is None else usual(types[0], types[1])

    def _known(self, node: c_ast.FuncCall) -> str | None:
        """The name of one of complex.h's functions, without what it ends with for float; None of others."""
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        name = name.removeprefix("__builtin_")
        symbol = self.scope.lookup(node.name.name) if name in _KNOWN else None
        if (
            name not in _KNOWN
            or (symbol is not None and symbol.defined)
            or len(node.args.exprs if node.args else ()) != 1
        ):
            return None
        return str(name.removesuffix("f"))

    def value(self, node: c_ast.Node) -> c_ast.Node:
        """An expression that is no complex number, or a place of one."""
        match node:
            case c_ast.StructRef(field=c_ast.ID(name=name)) if name in COMPLEX_PARTS:
                if self.part(node.name) is None:
                    raise _StaysError
                return self.parts(node.name)[COMPLEX_PARTS.index(name)]
            case c_ast.FuncCall():
                return self._call(node)
            case c_ast.BinaryOp(op="==" | "!=") if self._common(node.left, node.right) is not None:
                left, right = self.operand(node.left), self.operand(node.right)
                zero = _zero(self._common(node.left, node.right), node)
                pairs = zip((left[0], left[1] or zero), (right[0], right[1] or zero), strict=True)
                return operation("&&" if node.op == "==" else "||", *(operation(node.op, *pair) for pair in pairs))
            case c_ast.BinaryOp(op="&&" | "||"):
                left = self.truth(node.left)
                with self._unsure():
                    return operation(node.op, left, self.truth(node.right))
            case c_ast.UnaryOp(op="!", expr=inner):
                return c_ast.UnaryOp("!", self.truth(inner), node.coord)
            case c_ast.TernaryOp():
                cond = self.truth(node.cond)
                with self._unsure():
                    return c_ast.TernaryOp(cond, self.value(node.iftrue), self.value(node.iffalse), node.coord)
            case c_ast.Cast(expr=inner) if (part := self.part(inner)) is not None:
                type_ = self.declarations.resolve(node.to_type, self.scope)
                if not isinstance(type_, Arithmetic):
                    raise _StaysError
                return with_parts(node, expr=self._as_number(inner, part, type_))
            case c_ast.UnaryOp(op="&" | "sizeof") | c_ast.Typename():
                return node
            case c_ast.BinaryOp() | c_ast.UnaryOp(op="-" | "+" | "~") if self.part(node) is not None:
                raise _StaysError
        return map_children(node, self.value)

    def truth(self, node: c_ast.Node) -> c_ast.Node:
        """What is asked for whether it is zero."""
        part = self.part(node)
        if part is None:
            return self.value(node)
        return self._as_number(node, part, Arithmetic(part, boolean=True))

    def number(self, node: c_ast.Node, type_: CType) -> c_ast.Node:
        """A value where a number of a type, or anything else but a complex number, is wanted."""
        part = self.part(node)
        return self.value(node) if part is None else self._as_number(node, part, type_)

    def _as_number(self, node: c_ast.Node, part: ScalarType, type_: CType | None) -> c_ast.Node:
        """A complex number as one of another type: its real part; as a truth, whether any part is not zero."""
        if not isinstance(type_, Arithmetic):
            raise _StaysError
        parts, zero = self.parts(node), _zero(part, node)
        return operation("||", *(operation("!=", each, zero) for each in parts)) if type_.boolean else parts[0]

    def operand(self, node: c_ast.Node, to: ScalarType | None = None) -> tuple[c_ast.Node, c_ast.Node | None]:
        """The parts of an operand, in a type; of what is no complex number there is no second one."""
        part = self.part(node)
        if part is None:
            given = self._number_type(node)
            if given is None:
                raise _StaysError
            value = self.value(node)
            return (value if to is None or given == to else cast(value, to)), None
        first, second = self.parts(node)
        return (first, second) if to in (None, part) else (cast(first, to), cast(second, to))

    def converted(self, node: c_ast.Node, to: ScalarType) -> Parts:
        """A value as a complex number with parts of a type."""
        first, second = self.operand(node, to)
        return first, second or _zero(to, node)

    def parts(self, node: c_ast.Node) -> Parts:
        """Of a complex number."""
        part = self.part(node)
        assert part is not None
        match node:
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                place = self.value(node)
                return _part(place, 0), _part(place, 1)
            case c_ast.Cast(expr=value):
                return self.converted(value, part)
            case c_ast.CompoundLiteral(
                init=c_ast.InitList(exprs=[c_ast.NamedInitializer() as a, c_ast.NamedInitializer() as b])
            ):
                return self.number(a.expr, Arithmetic(part)), self.number(b.expr, Arithmetic(part))
            case c_ast.CompoundLiteral(init=c_ast.InitList(exprs=[value])) if not isinstance(
                value, c_ast.NamedInitializer
            ):
                return self.converted(value, part)
            case c_ast.UnaryOp(op="-" | "+" | "~" as operator, expr=inner):
                first, second = self.parts(inner)
                return (_minus(first) if operator == "-" else first), (second if operator == "+" else _minus(second))
            case c_ast.BinaryOp(op=operator):
                return self._operation(operator, node, part)
            case c_ast.TernaryOp():
                cond = self._named(self.truth(node.cond), None)
                with self._unsure():
                    pairs = zip(self.converted(node.iftrue, part), self.converted(node.iffalse, part), strict=True)
                first, second = (c_ast.TernaryOp(cond, *pair, node.coord) for pair in pairs)
                return first, second
            case c_ast.FuncCall() if self._known(node) == "conj":
                first, second = self.converted(node.args.exprs[0], part)
                return first, _minus(second)
            case c_ast.FuncCall():
                if self.before is None:
                    raise _StaysError
                variable = self._variable("value", part, self._call(node), node)
                return _part(variable, 0), _part(variable, 1)
        raise _StaysError

    def _operation(self, operator: str, node: c_ast.BinaryOp, part: ScalarType) -> Parts:
        if not self.rules.with_integers:
            types = map(self._number_type, (node.left, node.right))
            if any(type_ is not None and not type_.is_float for type_ in types):
                return _unreadable(BESIDE_INTEGER, node)
        (a, b), (c, d) = self.operand(node.left, part), self.operand(node.right, part)
        match operator:
            case "+" | "-":
                second = operation(operator, b, d) if b and d else b or (d if operator == "+" else d and _minus(d))
                assert second is not None
                return operation(operator, a, c), second
            case "*" if b is None or d is None:
                real, others = (a, (c, d)) if b is None else (c, (a, b))
                real = self._named(real, part)
                sides = [(each, real) if d is None else (real, each) for each in others if each is not None]
                first, second = (operation("*", *side) for side in sides)
                return first, second
            case "*":
                assert b is not None
                assert d is not None
                a, b, c, d = (self._named(each, part) for each in (a, b, c, d))
                if self.rules.limited:
                    products = (operation("*", *pair) for pair in ((a, c), (b, d), (a, d), (b, c)))
                    ac, bd, ad, bc = products
                    return operation("-", ac, bd), operation("+", ad, bc)
                names = ((name + ("f" if part == F32 else "")) for name in (REAL_PRODUCT, IMAGINARY_PRODUCT))
                first, second = (_call(name, [a, b, c, d], node) for name in names)
                return first, second
            case "/" if d is None:
                assert b is not None
                c = self._named(c, part)
                return operation("/", a, c), operation("/", b, c)
        return _unreadable(QUOTIENT, node)

    def whole(self, node: c_ast.Node, part: ScalarType) -> c_ast.Node:
        """A value as a complex number: a place or a call as it stands, anything else by its parts."""
        if self.part(node) == part:
            match node:
                case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                    return self.value(node)
                case c_ast.FuncCall() if self._known(node) is None:
                    return self._call(node)
        specifier = c_ast.TypeDecl(None, [], None, _words(part, node), node.coord)
        type_ = c_ast.Typename(None, [], None, specifier, node.coord)
        return c_ast.CompoundLiteral(type_, c_ast.InitList(list(self.converted(node, part)), node.coord), node.coord)

    def _call(self, node: c_ast.FuncCall) -> c_ast.Node:
        """A call that is no complex number, or one of a function of the file."""
        known = self._known(node)
        if known in _OF_PARTS:
            first, second = self.converted(node.args.exprs[0], _type_in_name(node.name.name))
            return (first, second)[_OF_PARTS[known]]
        if known in _OF_BOTH:
            parts = self.converted(node.args.exprs[0], _type_in_name(node.name.name))
            name = _OF_BOTH[known] + ("f" if node.name.name.endswith("f") else "")
            arguments = list(parts) if known == "cabs" else list(parts[::-1])
            return _call(name, arguments, node)
        if node.args is None:
            return node
        called = self._called(node)
        types = called.parameters if called is not None else None
        given = [self._argument(each, k, types) for k, each in enumerate(node.args.exprs)]
        return with_parts(node, args=with_parts(node.args, exprs=given))

    def _argument(self, node: c_ast.Node, number: int, types: tuple[CType, ...] | None) -> c_ast.Node:
        wanted = types[number] if types is not None and number < len(types) else None
        part = part_of_complex(wanted)
        if part is None:
            if self.part(node) is not None and not isinstance(wanted, Arithmetic):
                raise _StaysError
            return self.value(node) if wanted is None else self.number(node, wanted)
        whole = self.whole(node, part)
        if isinstance(whole, c_ast.CompoundLiteral | c_ast.FuncCall):
            return self._variable("passed", part, whole, node)
        return whole

    # --- What is computed once ----------------------------------------------------------------------------------------

    @contextmanager
    def _unsure(self) -> Iterator[None]:
        """What is read inside is not evaluated in any case: nothing of it may be computed before."""
        saved, self.before = self.before, None
        yield
        self.before = saved

    def _named(self, value: c_ast.Node, part: ScalarType | None) -> c_ast.Node:
        """A value that is used twice, by a name if it takes anything to compute."""
        if self.before is None or _is_cheap(value):
            return value
        type_ = part or number_type(value, self.scope, self.declarations)
        if type_ is None:
            raise _StaysError
        return self._declare("part", type_, value, self.before)

    def _declare(self, stem: str, type_: ScalarType, value: c_ast.Node, before: list[c_ast.Node]) -> c_ast.ID:
        name = self._fresh(stem, value)
        before.append(declaration(name, type_, value, value))
        self.declarations.declare(before[-1], self.scope, "local")
        return c_ast.ID(name, value.coord)

    def _variable(self, stem: str, part: ScalarType, value: c_ast.Node, node: c_ast.Node) -> c_ast.ID:
        """A complex number that is computed first."""
        if self.before is None:
            raise _StaysError
        name = self._fresh(stem, node)
        type_ = c_ast.TypeDecl(name, [], None, _words(part, node), node.coord)
        self.before.append(c_ast.Decl(name, [], [], [], [], type_, value, None, node.coord))
        self.declarations.declare(self.before[-1], self.scope, "local")
        return c_ast.ID(name, node.coord)

    def _fresh(self, stem: str, node: c_ast.Node) -> str:
        """A name that no other has: with a token's number."""
        base = name = f"{stem}_{self.declarations.index(node)}"
        count = 0
        while self.scope.lookup(name) is not None:
            count += 1
            name = f"{base}_{count}"
        return name

    # --- What has effects ---------------------------------------------------------------------------------------------

    def _check_effects(self, node: c_ast.Node) -> None:
        """
        Raises:
            _StaysError: where parts of a value are in no order with others of it, or must not be evaluated twice.
        """
        whole = isinstance(node, c_ast.FuncCall) and self._known(node) is None
        for inner in walk_nodes(node):
            if stored_into(inner) is not None or (not (whole and inner is node) and self._may_store(inner, set())):
                raise _StaysError

    def _check_place(self, node: c_ast.Node) -> None:
        if any(stored_into(inner) is not None or isinstance(inner, c_ast.FuncCall) for inner in walk_nodes(node)):
            raise _StaysError

    def _may_store(self, node: c_ast.Node, seen: set[str]) -> bool:
        """Is it a call that may change what others can see?"""
        if not isinstance(node, c_ast.FuncCall) or self._known(node) is not None or not has_effects(node, self.scope):
            return False
        symbol = self.scope.lookup(node.name.name) if isinstance(node.name, c_ast.ID) else None
        if symbol is None or symbol.body is None:
            return True
        if symbol.name in seen:
            return False
        seen.add(symbol.name)
        nodes = list(walk_nodes(symbol.body.body))
        declared = [n for n in nodes if isinstance(n, c_ast.Decl)]
        parameters = parameters_of(symbol.body)
        own = {n.name for n in (*declared, *parameters) if isinstance(n.type, c_ast.TypeDecl)}
        own |= {n.name for n in declared if isinstance(n.type, c_ast.ArrayDecl) and "static" not in n.storage}
        stored = (target for n in nodes if (target := stored_into(n)) is not None)
        kept = all(
            base_name(target) in own or (isinstance(target, c_ast.ID) and target.name in {p.name for p in parameters})
            for target in stored
        )
        statics = any("static" in n.storage for n in declared)
        return not kept or statics or any(self._may_store(n, seen) for n in nodes)

    def _is_movable(self, name: str) -> bool:
        symbol = self.scope.lookup(name)
        return symbol is not None and symbol.automatic and name not in self.addressed


def _call(name: str, arguments: list[c_ast.Node], place: c_ast.Node) -> c_ast.FuncCall:
    return c_ast.FuncCall(c_ast.ID(name, place.coord), c_ast.ExprList(arguments, place.coord), place.coord)


def _unreadable(what: str, place: c_ast.Node) -> Parts:
    """Calls of what nothing knows (`polyloop.frontend.values.why_no_call` says why)."""
    return _call(what, [], place), _call(what, [], place)


def _part(place: c_ast.Node, number: int) -> c_ast.Node:
    return c_ast.StructRef(place, ".", c_ast.ID(COMPLEX_PARTS[number], place.coord), place.coord)


def _minus(node: c_ast.Node) -> c_ast.Node:
    return c_ast.UnaryOp("-", node, node.coord)


def _zero(part: ScalarType | None, node: c_ast.Node) -> c_ast.Node:
    single = part == F32
    return c_ast.Constant("float" if single else "double", "0.0f" if single else "0.0", node.coord)


def _words(part: ScalarType, node: c_ast.Node) -> c_ast.IdentifierType:
    return c_ast.IdentifierType(["float" if part == F32 else "double", "_Complex"], node.coord)


def _type_in_name(name: str) -> ScalarType:
    return F32 if name.endswith("f") else F64


def _without(node: c_ast.Node, places: Collection[int]) -> c_ast.Node:
    """An expression with zeros for nodes of these ids."""
    return _zero(None, node) if id(node) in places else map_children(node, lambda child: _without(child, places))


def _is_cheap(node: c_ast.Node) -> bool:
    """Is it a number, a variable, a member or an element, with a sign or converted perhaps?"""
    match node:
        case c_ast.Constant() | c_ast.ID():
            return True
        case c_ast.StructRef() | c_ast.ArrayRef():
            return not any(isinstance(inner, c_ast.FuncCall) for inner in walk_nodes(node))
        case c_ast.UnaryOp(op="-" | "+" | "*", expr=inner) | c_ast.Cast(expr=inner):
            return _is_cheap(inner)
    return False


def _same(left: c_ast.Node, right: c_ast.Node) -> bool:
    """Are these the same part of the same place?"""
    return c_text(left) == c_text(right)
