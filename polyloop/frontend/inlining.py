"""Calls of functions whose bodies are in the file are replaced by these.

    static double square(double x) { return x * x; }
    static void row(double *to, const double *from, int n) { for (int k = 0; k < n; k++) to[k] = square(from[k]); }

    for (i = 0; i < n; i++)                  for (i = 0; i < n; i++)
        row(&a[i * m], b, m);           ->       for (int k = 0; k < m; k++)
                                                     a[i * m + k] = b[k] * b[k];

A function that only chooses among expressions becomes an expression. Any other becomes a block before the statement
that calls it: parameters are variables that get the arguments' values once, or the arguments themselves where these
cannot change meanwhile; arrays are those of the caller; a return becomes an assignment at the end of its path. What
would move a call out of a condition, or a store past an operand, is left as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType, Opaque, Pointer, Record, leaves
from polyloop.backend.c.text import KEYWORDS
from polyloop.backend.ir.expressions import I32, I64
from polyloop.frontend.commas import without_commas
from polyloop.frontend.expression_types import (
    complete,
    elements_of,
    holds_all_of,
    number_type,
    same_type,
    type_of,
)
from polyloop.frontend.function_bodies import (
    Returns,
    StaysError,
    automatic,
    converted,
    copied,
    declared_parameter,
    expression_of,
    fixed_statics,
    parameters_of,
    renamed,
    with_returns,
    without_statics,
)
from polyloop.frontend.increments import steps_apart
from polyloop.frontend.jumps import structured
from polyloop.frontend.naming import Distinct, own_name, plain
from polyloop.frontend.pointer_arguments import PointerArgument, Substitution, as_long, fits
from polyloop.frontend.scopes import (
    BLOCKS,
    FunctionNames,
    Refusal,
    Scope,
    Symbol,
    assigned_names,
    base_name,
    children,
    reads_memory,
    stored_into,
    walk_nodes,
)
from polyloop.frontend.syntax import (
    Items,
    Surroundings,
    cast,
    declaration,
    map_children,
    number,
    operation,
    replaced,
    statements_of,
    unlabelled,
    unset,
    variables,
    with_parts,
)
from polyloop.frontend.values import WITHOUT_EFFECTS, does_more, has_effects, why_no_call
from polyloop.frontend.views import body_with_views

MOST_NODES = 4_000
"""Of the syntax trees that take the place of one region's calls, those of calls inside of others counted each time. A
program's main loop with all that it calls is no region that can be proven in reasonable time; four pixels of twelve
small functions each are (libwebp's colours)."""

_DEEPEST = 8
_JUMPS = (c_ast.Goto, c_ast.Label)


def inline_calls(items: Items, around: Surroundings) -> Items:
    """The statements without calls of functions whose bodies are known and may stand in their place.

    Raises:
        Refusal: where a call stays, which nothing that comes later would take away either.
    """
    if not any(_body(around.scope, node) for item in items for node in walk_nodes(item)):
        return items
    distinct = Distinct()
    named = distinct.visited(list(items), {}, keep=True)
    inliner = _Inliner(around, distinct, Scope(around.scope))
    for item in named:
        inliner.declare(item)
    result = inliner.statements(named)
    staying = [node for item in result for node in walk_nodes(item) if inliner.stays(node)]
    for node in staying:
        if not any(inner is not node and inner in staying for inner in walk_nodes(node)):
            raise Refusal("call", why_no_call(node.name.name, inliner.scope.lookup(node.name.name)), node)
    return plain((*inliner.tables.values(), *result), around.scope) if inliner.made else items


def _body(scope: Scope, node: c_ast.Node) -> Symbol | None:
    """The function that a node calls, if its body is known."""
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            symbol = scope.lookup(name)
            if symbol is not None and symbol.kind == "function" and symbol.body is not None and not symbol.pure:
                return symbol
    return None


@dataclass
class _Inliner:
    """
    Attributes:
        scope: the names of the region and of what is put into it.
        made: the size of all that was put in.
        active: functions whose bodies are being put in.
        tables: by the names of a function and of a static variable in it that keeps its first value, what stands for
            that at the region's beginning.
    """

    around: Surroundings
    distinct: Distinct
    scope: Scope
    made: int = 0
    active: list[str] = field(default_factory=list)
    viewed: dict[c_ast.FuncDef, c_ast.FuncDef] = field(default_factory=dict)
    tables: dict[tuple[str, str], c_ast.Decl] = field(default_factory=dict)
    whole: c_ast.Node | None = None  # the statement at hand
    addressed: set[str] = field(default_factory=set)  # variables of bodies that were put in, with their addresses taken
    later: dict[str, Symbol | None] = field(default_factory=dict)  # functions that stand behind the region

    @property
    def _names(self) -> FunctionNames:
        return self.around.declarations.names_of(self.around.found.function)

    def declare(self, node: c_ast.Node) -> None:
        for inner in walk_nodes(node):
            if isinstance(inner, c_ast.Typedef) or (isinstance(inner, c_ast.Decl) and inner.name is not None):
                self.around.declarations.declare(inner, self.scope, "local")

    def stays(self, node: c_ast.Node) -> bool:
        """Is it a call whose place nothing takes, and is known why?"""
        symbol = _body(self.scope, node)
        return symbol is not None and bool(symbol.stays)

    # --- Statements ---------------------------------------------------------------------------------------------------

    def statements(self, nodes: list[c_ast.Node]) -> list[c_ast.Node]:
        return [new for node in nodes for new in self.statement(node)]

    def statement(self, node: c_ast.Node) -> list[c_ast.Node]:
        """What takes the place of a statement in its block."""
        outer, self.whole = self.whole, node
        try:
            return self._statement(node)
        finally:
            self.whole = outer

    def _statement(self, node: c_ast.Node) -> list[c_ast.Node]:
        if isinstance(node, c_ast.Assignment | c_ast.FuncCall | c_ast.Decl) and self._steps_with_calls(node):
            first, rest, last = steps_apart(node, self._is_movable)
            if first or last:
                return [*first, *self.statement(rest), *last]
        match node:
            case c_ast.Compound():
                return [with_parts(node, block_items=self.statements(node.block_items or []))]
            case c_ast.For():
                before: list[c_ast.Node] = []
                several = isinstance(node.init, c_ast.DeclList) and len(node.init.decls) > 1
                init = self._expression(node.init, None if several else before)
                cond, following = self._expression(node.cond, None), self._expression(node.next, None)
                body = self._alone(node.stmt)
                return _behind(before, with_parts(node, init=init, cond=cond, next=following, stmt=body))
            case c_ast.If():
                before = []
                cond = self._expression(node.cond, before)
                match cond:  # if (a && f()) ..  ->  if (a) if (f()) ..
                    case c_ast.BinaryOp(op="&&") if node.iffalse is None and self._calls(cond.right):
                        inner = self._alone(with_parts(node, cond=cond.right))
                        return _behind(before, with_parts(node, cond=cond.left, iftrue=inner))
                branches = {"iftrue": self._alone(node.iftrue), "iffalse": self._alone(node.iffalse)}
                return _behind(before, with_parts(node, cond=cond, **branches))
            case c_ast.While() | c_ast.DoWhile() | c_ast.Label():
                return [map_children(node, lambda child: self._child(node, child))]
            case c_ast.ExprList():
                parts = self.statements(node.exprs)
                return [node] if node.exprs == parts else parts
            case c_ast.FuncCall():
                return self._call_statement(node, node, None)
            case c_ast.Assignment(rvalue=c_ast.FuncCall()) if not does_more(node.lvalue, self.scope):
                return self._call_statement(node, node.rvalue, node)
            case c_ast.Decl(init=c_ast.FuncCall()) if isinstance(node.type, c_ast.TypeDecl):
                return self._declared(node)
            case c_ast.Switch(stmt=c_ast.Compound()):
                before = []
                cond = self._expression(node.cond, before)
                return _behind(before, with_parts(node, cond=cond, stmt=map_children(node.stmt, self._case)))
            case c_ast.Switch() | c_ast.Return():
                return [node]
        before = []
        done = self._expression(node, None if _has_effects_inside(node) else before)
        if done is None:
            return _behind(before, done, node)
        new = self._chosen(done)
        if len(new) == 1 or isinstance(node, c_ast.Decl):
            return [*before, *new] if isinstance(node, c_ast.Decl) else _behind(before, new[0], node)
        return [c_ast.Compound([*before, *new], node.coord)]

    def _calls(self, node: c_ast.Node) -> bool:
        """Does it call what may be put in the call's place?"""
        return any(_body(self.scope, inner) for inner in walk_nodes(node))

    def _steps_with_calls(self, node: c_ast.Node) -> bool:
        """Does a statement move variables, and call what may be put in its place?"""
        nodes = list(walk_nodes(node))
        return any(n is not node and _assigns(n) for n in nodes) and self._calls(node)

    def _is_movable(self, name: str) -> bool:
        """Is it a variable that only this function can see?"""
        symbol = self.scope.lookup(name)
        if symbol is None or not symbol.automatic:
            return False
        plain = isinstance(symbol.type, Pointer | Arithmetic) and not symbol.type.volatile
        return plain and name not in self._names.address_taken and name not in self.addressed

    def _chosen(self, node: c_ast.Node) -> list[c_ast.Node]:
        """``v = g + (c ? f(x) : y);`` as an ``if``, where only a statement can take the place of the call."""
        match node:
            case c_ast.Decl(init=value) if value is not None and isinstance(node.type, c_ast.TypeDecl):
                assignment = c_ast.Assignment("=", c_ast.ID(node.name, node.coord), value, value.coord)
                result = self._chosen(assignment)
                return [node] if result[0] is assignment else [unset(node), *result]
            case c_ast.Assignment(lvalue=target, rvalue=value) if not does_more(target, self.scope):
                place = self._choice(value)
            case _:
                return [node]
        choice = _as_choice(place) if place is not None else None
        sides = self._sides(target, choice, value is place) if choice is not None else None
        if choice is None or sides is None:
            return [node]

        def with_side(inner: c_ast.Node, side: c_ast.Node) -> c_ast.Node:
            return side if inner is place else map_children(inner, lambda child: with_side(child, side))

        if does_more(with_side(value, number(0, choice)), self.scope):
            return [node]
        ways = [c_ast.Assignment(node.op, target, with_side(value, side), side.coord) for side in sides]
        result = self.statement(c_ast.If(choice.cond, *ways, node.coord))
        return [node] if any(map(self._calls, result)) else result

    def _choice(self, node: c_ast.Node) -> c_ast.Node | None:
        """The first choice between calls that C makes whatever the values of an expression are."""
        match node:
            case c_ast.TernaryOp():
                return node if self._calls(node.iftrue) or self._calls(node.iffalse) else None
            case c_ast.BinaryOp(op="&&" | "||") if self._calls(node.right):
                return node
            case c_ast.Cast(expr=inner) | c_ast.UnaryOp(op="-" | "+" | "~" | "!", expr=inner):
                return self._choice(inner)
            case c_ast.BinaryOp() if node.op not in ("&&", "||"):
                return self._choice(node.left) or self._choice(node.right)
        return None

    def _sides(self, target: c_ast.Node, choice: c_ast.TernaryOp, is_all: bool) -> tuple[c_ast.Node, c_ast.Node] | None:
        """Both values of a choice, each in the type that C gives them; None where that is not known.

        Args:
            is_all: the choice is all that is assigned.
        """
        sides, declarations = (choice.iftrue, choice.iffalse), self.around.declarations
        common = number_type(choice, self.scope, declarations)
        if common is None:  # structures and pointers are of one type
            kept = is_all and number_type(target, self.scope, declarations) is None
            return sides if kept and type_of(target, self.scope, declarations) is not None else None

        def side(node: c_ast.Node) -> c_ast.Node:
            own = number_type(node, self.scope, declarations)
            assert own is not None
            # What the common type can say of it the assignment to the target makes the same of.
            return node if own == common or (is_all and holds_all_of(common, own)) else cast(node, common)

        return side(sides[0]), side(sides[1])

    def _case(self, node: c_ast.Node) -> c_ast.Node:
        """A case of a switch."""
        if not isinstance(node, c_ast.Case | c_ast.Default):
            return node
        return with_parts(node, stmts=self.statements(node.stmts or []))

    def _child(self, node: c_ast.Node, child: c_ast.Node) -> c_ast.Node:
        return self._expression(child, None) if child is getattr(node, "cond", None) else self._alone(child)

    def _alone(self, node: c_ast.Node | None) -> c_ast.Node | None:
        """One statement that stands behind a header."""
        if node is None:
            return None
        new = self.statement(node)
        return new[0] if len(new) == 1 and not isinstance(new[0], c_ast.Decl) else c_ast.Compound(new, node.coord)

    def _call_statement(
        self, node: c_ast.Node, call: c_ast.FuncCall, assignment: c_ast.Assignment | None
    ) -> list[c_ast.Node]:
        """A call that is all of a statement, or all of what is assigned."""
        before: list[c_ast.Node] = []
        new = self._arguments(call, before)
        symbol = _body(self.scope, new)
        if symbol is None:
            return _behind(before, node if new is call else _with_value(node, new), node)
        try:
            value = self._as_expression(symbol, new, True) if assignment is not None else None
            if value is not None:
                return _behind(before, _with_value(node, value), node)
            block = self._block(symbol, new, assignment)
        except StaysError as error:
            symbol.stays = str(error)
            return _behind(before, node if new is call else _with_value(node, new), node)
        return _behind(before, block)

    def _declared(self, node: c_ast.Decl) -> list[c_ast.Node]:
        """``double v = f(x);`` as a declaration and an assignment."""
        target = c_ast.ID(node.name, node.coord)
        assignment = c_ast.Assignment("=", target, node.init, node.init.coord)
        new = self._call_statement(assignment, node.init, assignment)
        if len(new) == 1 and isinstance(new[0], c_ast.Assignment):
            return [node if new[0] is assignment else _with_value(node, new[0].rvalue)]
        return [unset(node), *new]

    # --- Expressions --------------------------------------------------------------------------------------------------

    def _expression(self, node: c_ast.Node | None, before: list[c_ast.Node] | None) -> c_ast.Node | None:
        """The expression without calls; what is to be done first goes to `before`, None: nothing may be."""
        match node:
            case None:
                return None
            case c_ast.TernaryOp():
                cond = self._expression(node.cond, before)
                sides = {"iftrue": self._expression(node.iftrue, None), "iffalse": self._expression(node.iffalse, None)}
                return with_parts(node, cond=cond, **sides)
            case c_ast.BinaryOp(op="&&" | "||"):
                left = self._expression(node.left, before)
                return with_parts(node, left=left, right=self._expression(node.right, None))
            case c_ast.FuncCall():
                return self._value(node, before)
            case c_ast.Typename():
                return node
        return map_children(node, lambda child: self._expression(child, before) or child)

    def _value(self, node: c_ast.FuncCall, before: list[c_ast.Node] | None) -> c_ast.Node:
        """What a call gives, inside of an expression."""
        new = self._arguments(node, before)
        symbol = _body(self.scope, new)
        if symbol is None:
            return new
        try:
            value = self._as_expression(symbol, new, before is not None)
            if value is not None:
                return value
            if before is None:
                raise StaysError("it does more than compute one expression, and what it stands in is not always done")
            declarator = symbol.body.decl.type.type if symbol.body is not None else None
            result = self._variable(symbol.name, declarator, new)
            target = c_ast.Assignment("=", c_ast.ID(result.name, node.coord), new, node.coord)
            block = self._block(symbol, new, target)
            stored = self._stored([result, block])
            if stored != frozenset() and not self._is_in_any_order(node, stored):
                raise StaysError("it stores to memory, and the rest of the expression is in no order with that")
            before += [result, block]
            return c_ast.ID(result.name, node.coord)
        except StaysError as error:
            symbol.stays = str(error)
            return new

    def _arguments(self, node: c_ast.FuncCall, before: list[c_ast.Node] | None) -> c_ast.FuncCall:
        new = with_parts(node, args=self._expression(node.args, before))
        if before is None or new.args is None or _body(self.scope, new) is None:
            return new
        given = [self._named(argument, before) for argument in new.args.exprs]
        return new if given == new.args.exprs else with_parts(new, args=with_parts(new.args, exprs=given))

    def _named(self, argument: c_ast.Node, before: list[c_ast.Node]) -> c_ast.Node:
        """A structure that is written where it is passed, ``(vec3){x, y, 1}``, as a variable."""
        if not isinstance(argument, c_ast.CompoundLiteral) or not isinstance(self._type(argument.type, {}), Record):
            return argument
        variable = self._variable("passed", argument.type.type, argument)
        variable.init = argument.init
        before.append(variable)
        return c_ast.ID(variable.name, argument.coord)

    # --- Functions ----------------------------------------------------------------------------------------------------

    def _as_expression(self, symbol: Symbol, call: c_ast.FuncCall, may_go_before: bool) -> c_ast.Node | None:
        """The value of a function that chooses among expressions; None where arguments would be computed too often."""
        function = self._checked(symbol, call)
        if isinstance(self._type(function.decl.type.type, {}), Record):
            return None  # no expression of C has its members' values
        returned = self._type(function.decl.type.type, {})
        is_address = isinstance(returned, Pointer)
        result = self._address_of(function) if is_address else expression_of(statements_of(function.body), function)
        if result is None or does_more(result, self.scope):
            return None
        parameters = parameters_of(function)
        names = {parameter.name: own_name(parameter.name, self._next()) for parameter in parameters}
        value = replaced(copied(result, self._next(), call), {old: c_ast.ID(new) for old, new in names.items()})
        given = dict(zip(names.values(), call.args.exprs if call.args is not None else [], strict=True))
        self._take_on(symbol)
        try:
            inner = self._expression(value, None)
        finally:
            self.active.pop()
        assert inner is not None
        if may_go_before and any(_body(self.scope, node) for node in walk_nodes(inner)):
            return None  # what it calls needs a block, and so does it
        counts = [node.name for node in variables(inner)]
        values: dict[str, c_ast.Node] = {}
        pointers: dict[str, PointerArgument] = {}
        for parameter, (name, argument) in zip(parameters, given.items(), strict=True):
            type_ = self._type(parameter.type, values)
            if isinstance(type_, Pointer | ArrayOf):
                pointers[name] = self._pointer(argument, type_)
                if not fits(inner, name, pointers[name]):
                    raise StaysError(f"its parameter {parameter.name} is used as a value")
            elif isinstance(type_, Record):
                pointers[name] = self._record(argument, type_)
            elif not isinstance(type_, Arithmetic):
                raise StaysError(f"its parameter {parameter.name} is no number and no pointer")
            elif may_go_before and counts.count(name) > 1 and not _is_cheap(argument):
                return None
            else:
                values[name] = self._converted(argument, parameter, type_)
        done = Substitution(values, pointers).visit(inner)
        if isinstance(returned, Pointer):
            plain = _without_pointer_casts(done)
            place = self._place(plain)
            if place is not None and not place[0].is_variable and self._agree(returned.target, place[1]):
                done = plain
            elif not (isinstance(done, c_ast.Cast) and self._is_behind_bytes(plain)):
                raise StaysError("its value is no number, nor an element's address")
        return self._grown(with_parts(done, coord=call.coord))

    def _is_behind_bytes(self, node: c_ast.Node) -> bool:
        """Is it an array, or a pointer, that is cast to bytes, with some added, ``(char *)rows + y * pitch``?"""
        match node:
            case c_ast.BinaryOp(op="+" | "-"):
                return any(map(self._is_behind_bytes, (node.left, node.right)[: 2 if node.op == "+" else 1]))
            case c_ast.Cast():
                inner = _without_pointer_casts(node)
                target = elements_of(self._type(node.to_type, {}))
                return isinstance(target, Arithmetic) and target.scalar.bits == 8 and base_name(inner) is not None
        return False

    def _address_of(self, function: c_ast.FuncDef) -> c_ast.Node | None:
        """The address that a function does nothing but compute."""
        match statements_of(function.body):
            case [c_ast.Return(expr=value)] if value is not None:
                return value
        return None

    def _block(self, symbol: Symbol, call: c_ast.FuncCall, assignment: c_ast.Assignment | None) -> c_ast.Node:
        """The body of a function for a call of it, whose value may be assigned."""
        function = self._checked(symbol, call)
        parameters = parameters_of(function)
        names: dict[str, str] = {}
        declared: list[c_ast.Decl] = []
        for parameter, argument in zip(parameters, call.args.exprs if call.args is not None else [], strict=True):
            names[parameter.name] = own_name(parameter.name, self._next())
            declared.append(declared_parameter(names[parameter.name], parameter, argument, call))
        types = {old: c_ast.ID(new, call.coord) for old, new in names.items()}
        for passed in declared:
            passed.type = replaced(passed.type, types)
            self.around.declarations.declare(passed, self.scope, "local")
        tables = self._tables(symbol, function, call)
        body = without_statics(function.body, tables) if tables else function.body
        inner = self.distinct.visit(body, names | tables)
        inner = copied(inner, self._next(), call)
        self.declare(inner)
        taken = (n.expr for n in walk_nodes(inner) if isinstance(n, c_ast.UnaryOp) and n.op == "&")
        self.addressed |= {name for name in map(base_name, taken) if name is not None}

        def give(value: c_ast.Node | None, place: c_ast.Node) -> list[c_ast.Node]:
            if value is None:
                return []
            if assignment is None:
                return [value] if does_more(value, self.scope) else []
            record = isinstance(self._type(function.decl.type.type, {}), Record)
            typed = value if record else converted(value, function.decl.type.type)
            return [c_ast.Assignment(assignment.op, assignment.lvalue, typed, place.coord)]

        def again(node: c_ast.Node) -> c_ast.Node:
            return copied(node, self._next(), call)

        returns = Returns(give, again, own_name("left", self._next()))
        statements = with_returns(statements_of(inner), returns)
        if statements is None:
            raise StaysError("it returns from inside of a loop or a switch")
        if any(node.name == returns.flag for item in statements for node in variables(item)):
            flag = declaration(returns.flag, I32, number(0, call), call)
            self.declare(flag)
            statements = [flag, *statements]
        self._take_on(symbol)
        try:
            statements = self.statements(statements)
        finally:
            self.active.pop()
        given = assignment.lvalue if assignment is not None else None
        stored = self._stored([*declared, *statements], given) if assignment is not None else frozenset[str]()
        where = assignment is None or stored is not None or self._is_own_place(assignment)
        if not where or (given is not None and self._mentions(given, stored or frozenset())):
            raise StaysError("it stores to memory, and what it is assigned to is in no order with that")
        return self._grown(self._bound(parameters, declared, statements, call, given))

    def _statics(self, function: c_ast.FuncDef) -> list[c_ast.Decl]:
        """The static variables that keep their first values, of names that mean nothing else in the function."""
        top = list(self.scope.chain())[-1]
        others = {parameter.name for parameter in parameters_of(function)} | top.names.keys()
        return [node for node in fixed_statics(function.body) if node.name not in others]

    def _tables(self, symbol: Symbol, function: c_ast.FuncDef, call: c_ast.Node) -> dict[str, str]:
        """The names, in front of the region, of static variables that keep their first values."""
        names: dict[str, str] = {}
        for node in self._statics(function):
            key = symbol.name, str(node.name)
            if key not in self.tables:
                name = node.name
                while name in self._names.names:  # it may be used behind the region
                    name = f"{symbol.name}_{name}"
                self.tables[key] = automatic(node, own_name(name, self._next()), call)
                self.declare(self.tables[key])
            names[key[1]] = str(self.tables[key].name)
        return names

    def _bound(
        self,
        parameters: list[c_ast.Decl],
        declared: list[c_ast.Decl],
        statements: list[c_ast.Node],
        call: c_ast.Node,
        given: c_ast.Node | None,
    ) -> c_ast.Node:
        """The statements with parameters that are variables, or stand for their arguments."""
        body = c_ast.Compound(statements, call.coord)
        written = assigned_names([body])
        values: dict[str, c_ast.Node] = {}
        pointers: dict[str, PointerArgument] = {}
        kept: list[c_ast.Node] = []
        for parameter, passed in zip(parameters, declared, strict=True):
            name, argument = str(passed.name), passed.init
            type_ = self._type(passed.type, values)
            if isinstance(type_, Arithmetic):
                if name not in written and self._is_fixed(argument, written):
                    values[name] = self._converted(argument, parameter, type_)
                else:
                    kept.append(passed)
            elif isinstance(type_, Pointer | ArrayOf):
                place = self._pointer(argument, type_)
                if name not in written and self._stays_put(place, body, written) and fits(body, name, place):
                    pointers[name] = place
                else:
                    if isinstance(passed.type, c_ast.ArrayDecl):  # as C has it
                        passed.type = c_ast.PtrDecl([], passed.type.type, passed.coord)
                    kept.append(passed)
            elif isinstance(type_, Record):
                place = self._record(argument, type_)
                changed = self._changes(body, name)
                moved = name in written or not self._stays_put(place, body, written)
                if not changed and not moved and not self._reach(body, type_, given):
                    pointers[name] = place
                elif all(isinstance(leaf, Arithmetic) for leaf in leaves(type_)):
                    passed.init = place.base
                    kept.append(passed)
                elif changed:
                    raise StaysError("it changes a structure that it has a copy of, or takes its address")
                else:
                    raise StaysError(f"its parameter {parameter.name} is changed, or what is passed for it")
            else:
                raise StaysError(f"its parameter {parameter.name} is no number and no pointer")
        # Arguments are the caller's: nothing of theirs is a parameter.
        inner = Substitution(values, pointers).visit(body)
        return c_ast.Compound([*kept, *statements_of(inner)], call.coord)

    def _checked(self, symbol: Symbol, call: c_ast.FuncCall) -> c_ast.FuncDef:
        """The definition of a function that may be put in the place of a call.

        Raises:
            StaysError: says why it may not.
        """
        function = symbol.body
        assert function is not None
        if symbol.name in self.active:
            raise StaysError("it calls itself")
        if len(self.active) >= _DEEPEST:
            raise StaysError("too many functions call each other")
        if self.made > MOST_NODES:
            raise StaysError("too much is called here")
        parameters = parameters_of(function)
        arguments = list(call.args.exprs) if call.args is not None else []
        function = self._viewed(function, parameters)
        if len(parameters) != len(arguments):
            raise StaysError("its parameters are not those of the call")
        if function.param_decls and not all(map(self._is_passed, parameters, arguments)):
            raise StaysError("without a prototype nothing converts an argument of another type than its parameter's")
        if any(does_more(argument, self.scope) for argument in arguments):
            raise StaysError("an argument has side effects; compute it before")
        nodes = list(walk_nodes(function.body))
        if any(isinstance(node, _JUMPS) for node in nodes):
            raise StaysError("it has a label that it jumps to")
        declared = [node for node in nodes if isinstance(node, c_ast.Decl)]
        lasting = [node for node in declared if {"static", "extern"} & set(node.storage)]
        if lasting and len(lasting) > len(self._statics(function)):
            raise StaysError("it has a variable that is static, and may change")
        if any(self.around.declarations.opaque(self.around.declarations.index(node)) for node in declared):
            raise StaysError("it has a variable of a type with attributes")
        own = {node.name for node in (*declared, *parameters)}
        self._check_names(function, own)
        for node in nodes:
            addressed = node.expr if isinstance(node, c_ast.UnaryOp) and node.op in ("&", "sizeof") else None
            if isinstance(addressed, c_ast.ID) and addressed.name in {p.name for p in parameters}:
                raise StaysError(f"it uses {node.op} on its parameter {addressed.name}")
        return function

    def _viewed(self, function: c_ast.FuncDef, parameters: list[c_ast.Decl]) -> c_ast.FuncDef:
        """The function with bits that are copied or cast as what they are, conditions for jumps, and without labels
        that nothing jumps to; once for all of its calls."""
        if function not in self.viewed:
            around = replace(self.around, scope=self.scope.outermost())
            viewed = body_with_views(function, parameters, around)
            (body,) = without_commas((viewed.body,), around)
            if any(isinstance(node, c_ast.Goto) for node in walk_nodes(body)):
                body = c_ast.Compound(list(structured(tuple(body.block_items), around)), body.coord)
            self.viewed[function] = with_parts(viewed, body=unlabelled(body))
        return self.viewed[function]

    def _is_passed(self, parameter: c_ast.Decl, argument: c_ast.Node) -> bool:
        """Does a parameter of a function without a prototype get the argument's value?"""
        type_ = self._type(parameter.type, {})
        if not isinstance(type_, Arithmetic):
            return True  # asked of addresses when they are put in their places
        given = number_type(argument, self.scope, self.around.declarations)
        if given is None or given.is_float != type_.scalar.is_float:
            return False
        return given.is_float or max(given.bits, 32) == max(type_.scalar.bits, 32)

    def _check_names(self, function: c_ast.FuncDef, own: set[str | None]) -> None:
        """What the function means by a name, the place of the call must mean by it, too."""
        names = {node.name for node in variables(function.body)}
        types = (node for node in walk_nodes(function) if isinstance(node, c_ast.IdentifierType))
        names |= {node.names[0] for node in types if len(node.names) == 1} - KEYWORDS
        top = self.scope.outermost()
        # Functions of a library: headers that are not read declare them.
        called = {n.name.name for n in walk_nodes(function.body) if isinstance(n, c_ast.FuncCall) and _has_name(n)}
        called -= self.around.declarations.bodies.keys()
        for name in sorted(names - called - {str(n) for n in own}):
            here = self.scope.lookup(name)
            if here is None and name not in WITHOUT_EFFECTS | BLOCKS and not name.startswith("__"):
                behind = self.around.declarations.bodies.get(name)
                if behind is None:
                    raise StaysError(f"its {name} is not declared before the call")
                # Nothing says the name in what is written: a body takes the place of each call.
                here = self.later[name] = self.around.declarations.declare(behind, self.scope, "global")
            if here is not self.later.get(name, top.names.get(name)):
                raise StaysError(f"its {name} is not what {name} is at the call")

    def _take_on(self, symbol: Symbol) -> None:
        self.active.append(symbol.name)

    def _stored(self, statements: list[c_ast.Node], given: c_ast.Node | None = None) -> frozenset[str] | None:
        """What the statements, which took a call's place, change, but for variables of their own and what the call's
        value goes to: numbers that no pointer leads to; None where it is more."""
        nodes = [node for statement in statements for node in walk_nodes(statement)]
        declared = [n for n in nodes if isinstance(n, c_ast.Decl)]
        own = {n.name for n in declared if not isinstance(n.type, c_ast.PtrDecl)}
        pointers = {n.name for n in declared} - own
        stored: set[str] = set()
        for node in nodes:
            target = node.lvalue if isinstance(node, c_ast.Assignment) else getattr(node, "expr", None)
            if _assigns(node):
                is_pointer = isinstance(target, c_ast.ID) and target.name in pointers
                if target is given or is_pointer or any(self._is_part(target, name) for name in own):
                    continue
                symbol = self.scope.lookup(target.name) if isinstance(target, c_ast.ID) else None
                if symbol is None or not self.around.declarations.has_no_pointers(symbol):
                    return None
                stored.add(symbol.name)
            elif has_effects(node, self.scope) and not _asserts(node):
                return None
        return frozenset(stored)

    def _is_in_any_order(self, call: c_ast.FuncCall, stored: frozenset[str] | None) -> bool:
        """Is nothing of the statement around a call that the call's body may change, nor the other way round? C leaves
        open whether a body runs before or after what else the expression reads.

        Args:
            stored: the numbers that the body stores to; None where it may be anything that has an address.
        """

        def is_kept(node: c_ast.Node | None) -> bool:
            if node is not None and stored is not None:
                return not self._mentions(node, stored, call)
            match node:
                case c_ast.Constant() | c_ast.Typename():
                    return True
                case c_ast.ID(name=name):
                    symbol = self.scope.lookup(name)
                    return symbol is not None and (symbol.value is not None or self._is_movable(name))
                case c_ast.FuncCall(args=args):
                    known = not has_effects(node, self.scope)
                    return node is call or (known and all(map(is_kept, args.exprs if args is not None else ())))
                case c_ast.UnaryOp(op="-" | "+" | "~" | "!") | c_ast.Cast() | c_ast.BinaryOp() | c_ast.TernaryOp():
                    return all(is_kept(child) for child in children(node))
            return False

        def is_kept_place(node: c_ast.Node) -> bool:
            if stored is not None:
                return is_kept(node)
            match node:
                case c_ast.ID(name=name):
                    symbol = self.scope.lookup(name)
                    return symbol is not None and (isinstance(symbol.type, ArrayOf) or self._is_movable(name))
                case c_ast.ArrayRef(name=base, subscript=subscript):
                    inner = isinstance(base, c_ast.ID) or isinstance(self._type_of(base), ArrayOf)
                    return inner and is_kept_place(base) and is_kept(subscript)
            return False

        match self.whole:
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=value):
                return is_kept(value)
            case c_ast.Assignment(op="=", lvalue=target, rvalue=value):
                return is_kept_place(target) and is_kept(value)
            case c_ast.Assignment(lvalue=target, rvalue=value) if stored is not None or isinstance(target, c_ast.ID):
                return is_kept(target) and is_kept(value)
            case c_ast.Decl(init=value) | c_ast.If(cond=value):
                return is_kept(value)
        return False

    def _mentions(self, node: c_ast.Node, names: frozenset[str], but: c_ast.Node | None = None) -> bool:
        """Does an expression, beside one call in it, name variables, change anything, or call what may do so?"""
        if not names or node is but:
            return False
        if _assigns(node) or (has_effects(node, self.scope) and not self._is_apart(node, names, set())):
            return True
        named = isinstance(node, c_ast.ID) and node.name in names
        return named or any(self._mentions(child, names, but) for child in children(node))

    def _is_apart(self, call: c_ast.Node, names: frozenset[str], seen: set[str]) -> bool:
        """Is it a call of a function which, with all that it calls, names none of the variables?"""
        symbol = _body(self.scope, call)
        if symbol is None or symbol.body is None:
            return False
        if symbol.name in seen:
            return True
        seen.add(symbol.name)
        nodes = list(walk_nodes(symbol.body))
        if any(isinstance(node, c_ast.ID) and node.name in names for node in nodes):
            return False
        return all(self._is_apart(n, names, seen) for n in nodes if has_effects(n, self.scope) and not _asserts(n))

    def _is_own_place(self, assignment: c_ast.Assignment) -> bool:
        """Does finding out where an assignment goes to, and what is there before, read variables alone that nothing but
        this function changes?"""
        target = assignment.lvalue
        if isinstance(target, c_ast.ID):
            return assignment.op == "=" or self._is_movable(target.name)
        subscripts = [n.subscript for n in walk_nodes(target) if isinstance(n, c_ast.ArrayRef)]
        read = (node for subscript in subscripts for node in variables(subscript))
        symbols = (self.scope.lookup(node.name) for node in read)
        kept = all(x is not None and (x.value is not None or self._is_movable(x.name)) for x in symbols)
        return assignment.op == "=" and not _looks_up(target) and kept

    def _grown(self, node: c_ast.Node) -> c_ast.Node:
        self.made += sum(1 for _ in walk_nodes(node))
        return node

    def _next(self) -> int:
        self.distinct.count += 1
        return self.distinct.count

    def _variable(self, name: str, declarator: c_ast.Node | None, place: c_ast.Node) -> c_ast.Decl:
        """A variable for a call's value."""
        if not isinstance(declarator, c_ast.TypeDecl):
            raise StaysError("its value is no number")
        own = own_name(name, self._next())
        type_ = renamed(declarator, own)
        assert isinstance(type_, c_ast.TypeDecl)
        type_.quals = []
        result = c_ast.Decl(own, [], [], [], [], type_, None, None, place.coord)
        symbol = self.around.declarations.declare(result, self.scope, "local")
        if symbol is None or not isinstance(symbol.type, Arithmetic | Record):
            raise StaysError("its value is no number")
        return result

    # --- Arguments ----------------------------------------------------------------------------------------------------

    def _type(self, node: c_ast.Node, values: dict[str, c_ast.Node]) -> CType:
        return complete(self.around.declarations.resolve(replaced(node, values), self.scope), self.scope)

    def _converted(self, argument: c_ast.Node, parameter: c_ast.Decl, type_: Arithmetic) -> c_ast.Node:
        """The argument in the parameter's type."""
        known = self._type_of(argument)
        same = isinstance(known, Arithmetic) and known.scalar == type_.scalar and known.boolean == type_.boolean
        return argument if same else converted(argument, parameter.type)

    def _is_fixed(self, node: c_ast.Node, written: set[str]) -> bool:
        """Does the expression have the same value all through the body, and cost nothing?"""
        match node:
            case c_ast.Constant():
                return True
            case c_ast.ID(name=name):
                symbol = self.scope.lookup(name)
                fixed = symbol is not None and (symbol.value is not None or symbol.kind in ("local", "parameter"))
                return fixed and name not in written and name not in self._names.address_taken
            case c_ast.UnaryOp(op="-" | "+", expr=inner):
                return self._is_fixed(inner, written)
            case c_ast.Cast(expr=inner):
                return self._is_fixed(inner, written)
            case c_ast.BinaryOp(op="+" | "-" | "*"):
                integer = all(self._is_integer(n) for n in variables(node))
                return integer and self._is_fixed(node.left, written) and self._is_fixed(node.right, written)
        return False

    def _is_integer(self, node: c_ast.ID) -> bool:
        symbol = self.scope.lookup(node.name)
        return symbol is not None and isinstance(symbol.type, Arithmetic) and not symbol.type.scalar.is_float

    def _pointer(self, node: c_ast.Node, type_: Pointer | ArrayOf) -> PointerArgument:
        """What a pointer parameter stands for."""
        found = self._place(node)
        if found is None:
            raise StaysError("an argument is no array, nor an element's address")
        wanted = type_.target if isinstance(type_, Pointer) else type_.element
        if wanted != Opaque("void") and not self._agree(wanted, found[1]):
            raise StaysError("an argument points to another type than the parameter")
        return found[0]

    def _record(self, node: c_ast.Node, type_: Record) -> PointerArgument:
        """The caller's structure that is passed."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            node = c_ast.ArrayRef(node.expr, number(0, node), node.coord)
        known = self._type_of(node)
        if base_name(node) is None or known is None or not self._agree(type_, known):
            raise StaysError("an argument is a structure that has no name")
        return PointerArgument(node)

    def _changes(self, body: c_ast.Node, name: str) -> bool:
        """Does the body change a structure that it has a copy of, or take the address of a part?"""
        for inner in walk_nodes(body):
            target = getattr(inner, "lvalue", None) or getattr(inner, "expr", None)
            if (_assigns(inner) or getattr(inner, "op", "") == "&") and self._is_part(target, name):
                return True
        return False

    def _reach(self, body: c_ast.Node, type_: Record, given: c_ast.Node | None) -> bool:
        """May the body's stores change a structure of this type that the caller has, but for the one at its end that
        gives its value? C lets other types not alias."""
        if self._stored([body]) == frozenset():
            return False
        scalars = {(n.scalar.bits, n.scalar.is_float) for n in leaves(type_) if isinstance(n, Arithmetic)}
        for node in walk_nodes(body):
            target = node.lvalue if isinstance(node, c_ast.Assignment) else getattr(node, "expr", None)
            if _assigns(node) and not isinstance(target, c_ast.ID) and target is not given:
                stored = self._type_of(target)
                if not isinstance(stored, Arithmetic) or stored.scalar.bits == 8:
                    return True
                if (stored.scalar.bits, stored.scalar.is_float) in scalars:
                    return True
            elif has_effects(node, self.scope) and not _asserts(node):
                return True
        return False

    def _is_part(self, node: c_ast.Node | None, name: str) -> bool:
        """Is it a structure of this name, or a part of it, not what it points to?"""
        match node:
            case c_ast.ID():
                return bool(node.name == name)
            case c_ast.StructRef(type="."):
                return self._is_part(node.name, name)
            case c_ast.ArrayRef():
                return not isinstance(self._type_of(node.name), Pointer) and self._is_part(node.name, name)
        return False

    def _stays_put(self, argument: PointerArgument, body: c_ast.Node, written: set[str]) -> bool:
        """Is the address the same all through the body?"""
        parts = [argument.base, *([argument.offset] if argument.offset is not None else [])]
        nodes = [node for part in parts for node in walk_nodes(part)]
        members = {node.field.name for node in nodes if isinstance(node, c_ast.StructRef)}
        for node in walk_nodes(body):
            target = node.lvalue if isinstance(node, c_ast.Assignment) else None
            if isinstance(target, c_ast.StructRef) and target.field.name in members:
                return False
        if argument.is_variable:
            return True
        if any(_looks_up(part) for part in (argument.base, c_ast.ArrayRef(None, argument.offset))):
            return self._stored([body]) == frozenset()
        used = [(name.name, self.scope.lookup(name.name)) for part in parts for name in variables(part)]
        addressed = self._names.address_taken
        return not any(
            n in written or (n in addressed and symbol is not None and isinstance(symbol.type, Arithmetic))
            for n, symbol in used
        )

    def _place(self, node: c_ast.Node) -> tuple[PointerArgument, CType] | None:
        """Base and offset of an address, and the type of what is there."""
        match node:
            case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef() as element):
                inner = elements_of(self._type_of(element.name))
                if inner is not None and base_name(element.name) is not None:
                    return PointerArgument(element.name, element.subscript), inner
            case c_ast.UnaryOp(op="&", expr=c_ast.ID() | c_ast.StructRef() as variable) if (
                base_name(variable) is not None
            ):
                known = self._type_of(variable)
                return (
                    (PointerArgument(variable, None, True), known) if isinstance(known, Arithmetic | Record) else None
                )
            case c_ast.BinaryOp(op="+" | "-"):
                sides = [(node.left, node.right)] + ([(node.right, node.left)] if node.op == "+" else [])
                for base, offset in sides:
                    found = self._place(base)
                    if found is not None and not found[0].is_variable:
                        moved = offset if node.op == "+" else c_ast.UnaryOp("-", as_long(offset), offset.coord)
                        if found[0].offset is not None:
                            moved = operation("+", as_long(found[0].offset), as_long(moved))
                        return PointerArgument(found[0].base, moved), found[1]
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() if base_name(node) is not None:
                inner = elements_of(self._type_of(node))
                return None if inner is None else (PointerArgument(node), inner)
            case c_ast.Cast(to_type=c_ast.Typename(type=c_ast.PtrDecl())):
                # To the type that it has, as to one of constants, which C asks for where these are arrays of arrays.
                found, to = self._place(node.expr), elements_of(self._type(node.to_type, {}))
                return found if found is not None and to is not None and self._agree(to, found[1]) else None
        return None

    def _type_of(self, node: c_ast.Node) -> CType | None:
        """The exact type of an object or of a constant that says it, None where it is not plain to see."""
        match node:
            case c_ast.Constant(type="int"):
                return Arithmetic(I64) if node.value[-1] in "lL" else None
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return type_of(node, self.scope, self.around.declarations)
        return None

    def _agree(self, first: CType, second: CType) -> bool:
        return same_type(first, second, self.scope, self.around.declarations)


# --- What expressions do ----------------------------------------------------------------------------------------------


def _as_choice(node: c_ast.Node) -> c_ast.TernaryOp:
    """``a && b`` as ``a ? b != 0 : 0``, and ``a || b`` alike; other choices as they are."""
    if isinstance(node, c_ast.TernaryOp):
        return node
    assert isinstance(node, c_ast.BinaryOp)
    truth = c_ast.BinaryOp("!=", node.right, number(0, node), node.coord)
    sides = (truth, number(0, node)) if node.op == "&&" else (number(1, node), truth)
    return c_ast.TernaryOp(node.left, *sides, node.coord)


def _assigns(node: c_ast.Node) -> bool:
    return stored_into(node) is not None


def _has_name(call: c_ast.FuncCall) -> bool:
    return isinstance(call.name, c_ast.ID)


def _asserts(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.name.name == "assert"


def _has_effects_inside(node: c_ast.Node) -> bool:
    """Are there assignments besides the one that the statement is?"""
    return sum(_assigns(inner) for inner in walk_nodes(node)) > _assigns(node)


def _looks_up(node: c_ast.Node) -> bool:
    """Does finding out which object this is read another one that is no variable?"""
    return any(reads_memory(n.subscript) for n in walk_nodes(node) if isinstance(n, c_ast.ArrayRef))


def _is_cheap(node: c_ast.Node) -> bool:
    """Nothing that one would not do twice: a number, a variable, an element."""
    match node:
        case c_ast.Constant() | c_ast.ID() | c_ast.StructRef():
            return True
        case c_ast.ArrayRef():
            return _is_cheap(node.name)
        case c_ast.UnaryOp(op="-" | "+" | "*"):
            return _is_cheap(node.expr)
        case c_ast.Cast():
            return _is_cheap(node.expr)
    return False


# --- Trees ------------------------------------------------------------------------------------------------------------


def _behind(before: list[c_ast.Node], node: c_ast.Node | None, place: c_ast.Node | None = None) -> list[c_ast.Node]:
    """The statement behind what must be done first; declarations of a block stay in it."""
    assert node is not None
    if not before:
        return [node]
    if isinstance(node, c_ast.Decl):
        return [*before, node]
    return [c_ast.Compound([*before, node], (place or node).coord)]


def _without_pointer_casts(node: c_ast.Node) -> c_ast.Node:
    while isinstance(node, c_ast.Cast) and isinstance(node.to_type.type, c_ast.PtrDecl):
        node = node.expr
    return node


def _with_value(node: c_ast.Node, value: c_ast.Node) -> c_ast.Node:
    """A call, an assignment or a declaration with another value."""
    match node:
        case c_ast.Assignment():
            return with_parts(node, rvalue=value)
        case c_ast.Decl():
            return with_parts(node, init=value)
    return value
