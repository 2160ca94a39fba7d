"""Loop nests as text, and read back: ``parse_nest(nest_text(nest)) == nest``.

    nest       := "nest" head array* [known] node*                                                (see `ir_text`)
    node       := kind NAME "in" "[" integer "," integer ")" ["step" NUMBER] ("prefetch" NAME NUMBER "ahead")* body
                | "if" condition body ["else" body] | "block" body
                | NAME ":" ["if" expression ":"] access "=" expression
    kind       := "for" | "parallel for" | "vector for" | "unrolled for"
    access     := NAME ("[" integer "]")*                                  with "data(" expression ")" as one more atom
    expression := literal | access | "{" integer "}:" type | ("-" | "~" | "!") "(" expression ")"
                | "(" expression OPERATOR ["="] expression ")"
                | "(" expression "?" ["="] expression ":" expression ")"
                | "(" type ")" expression | NAME "(" expressions ")" ":" type | "partial(" NAME ")" ":" type
                | "fold(" NAME "in" "[" expression "," expression ")" ":" expression "," expression ")"

One node below a line is its body; none or several are a Block. "block" stands where a Block is in a Block or has one
child. "=" behind an operator says that C reads all operands (`eager`). Other types follow from those that are written:
of the arrays, the operands, the literals.
"""

from __future__ import annotations

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Atom
from polyloop.backend.ir.expressions import I32, Access, Expression, ScalarType
from polyloop.backend.ir.loop_nest import Block, Compute, Guard, Loop, LoopKind, LoopNest, Node, render_body
from polyloop.backend.ir.text import Reader, head_lines

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")


def nest_text(nest: LoopNest) -> str:
    """The whole nest; its `str` is the body alone."""
    head = head_lines("nest", nest.name, nest.parameters, ("wraps",) if nest.wraps else (), nest.arrays, nest.context)
    return "\n".join([*head, *render_body(nest.body, 1, blocks=True)]) + "\n"


def parse_nest(text: str) -> LoopNest:
    """The nest that a text describes.

    Raises:
        IRSyntaxError: for another text; says where.
    """
    return _NestReader(text).nest()


class _NestReader(Reader):
    def nest(self) -> LoopNest:
        head = self.head("nest", ("wraps",))
        self._types = {array.name: array.type for array in head.arrays}
        body = self._body(0)
        self.end()
        return LoopNest(head.name, head.parameters, head.arrays, body, head.context, "wraps" in head.flags)

    def _body(self, around: int) -> Node:
        nodes = self.suite(around, self._node)
        return nodes[0] if len(nodes) == 1 else Block(nodes)

    def _node(self) -> Node:
        indent = self.indent
        if self.peek(1) == ":":
            return self._compute()
        if self.take("if"):
            condition = self.condition()
            self.end_line()
            body = self._body(indent)
            if self.indent == indent and self.peek(1) != ":" and self.take("else"):
                self.end_line()
                return Guard(condition, body, self._body(indent))
            return Guard(condition, body)
        if self.take("block"):
            self.end_line()
            return Block(self.suite(indent, self._node))
        kind = next((kind for kind in LoopKind if self.take(*kind.value.split())), None)
        if kind is None:
            raise self.error("a loop, 'if', 'block' or 'NAME: ...' is missing")
        return self._loop(kind, indent)

    def _loop(self, kind: LoopKind, indent: int) -> Loop:
        variable, lower, upper, step = self.loop_range()
        ahead: list[tuple[str, int]] = []
        while self.take("prefetch"):
            ahead.append((self.name(), self.number()))
            self.expect("ahead")
        self.end_line()
        return Loop(variable, lower, upper, step, self._body(indent), kind, tuple(ahead))

    def _compute(self) -> Compute:
        name = self.name()
        self.expect(":")
        condition = None
        if self.take("if"):
            condition = self._expression()
            self.expect(":")
        target, type_ = self._access()
        self.expect("=")
        value = self._expression()
        self.end_line()
        if condition is None:
            return Compute(name, target, value)
        return Compute(name, target, e.Select(condition, value, e.Read(target, type_), value.type), conditional=True)

    def _access(self) -> tuple[Access, ScalarType]:
        name = self.name("an array")
        if name not in self._types:
            raise self.error(f"there is no array {name}", back=1)
        subscripts = []
        while self.take("["):
            subscripts.append(self.integer())
            self.expect("]")
        return Access(name, tuple(subscripts)), self._types[name]

    def _atom(self) -> Atom:
        if not self.take("data", "("):
            return super()._atom()
        datum = e.Datum(self._expression())
        self.expect(")")
        return datum

    def _expression(self) -> Expression:
        if self.kind() == "literal":
            return e.Literal(*self.literal())
        if self.take("{"):
            value = self.integer()
            self.expect("}")
            return e.Index(value, self.suffix())
        for operator in ("-", "~", "!"):
            if self.take(operator, "("):
                operand = self._expression()
                self.expect(")")
                return e.Unary(operator, operand, I32 if operator == "!" else operand.type)
        if self.peek(2) == ")" and self.take("("):
            type_ = self.type()
            self.expect(")")
            return e.Cast(self._expression(), type_)
        if self.take("("):
            return self._operation(self._expression())
        if self.peek(3) == "in" and self.take("fold", "("):
            return self._fold()
        if self.take("partial", "("):
            variable = self.name()
            self.expect(")")
            return e.Partial(variable, self.suffix())
        if self.peek(1) == "(":
            function = self.name("a function")
            self.expect("(")
            arguments = self.listed(self._expression, ")")
            return e.Call(function, arguments, self.suffix())
        return e.Read(*self._access())

    def _fold(self) -> Expression:
        variable = self.name()
        self.expect("in", "[")
        lower = self._expression()
        self.expect(",")
        upper = self._expression()
        self.expect(")", ":")
        initial = self._expression()
        self.expect(",")
        value = self._expression()
        self.expect(")")
        return e.Fold(variable, lower, upper, initial, value, value.type)

    def _operation(self, left: Expression) -> Expression:
        """What follows "(" and the first operand."""
        operator, result = self.peek(), left
        if self.take("?"):
            eager = self.take("=")
            then = self._expression()
            self.expect(":")
            result = e.Select(left, then, self._expression(), then.type, eager)
        elif operator in _COMPARISONS and self.take(operator):
            result = e.Comparison(operator, left, self._expression())
        elif operator in ("&&", "||") and self.take(operator):
            eager = self.take("=")
            result = e.Logical(operator, left, self._expression(), eager)
        elif operator in _OPERATORS and self.take(operator):
            result = e.Binary(operator, left, self._expression(), left.type)
        else:
            raise self.error("an operator is missing")
        self.expect(")")
        return result
