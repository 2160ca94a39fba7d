"""Vector programs as text, and read back: ``parse_program(program_text(program)) == program``.

program   := "program" head array* [known] statement*                                         (see `ir_text`)
statement := vector NAME "=" operation | "store" address "=" NAME [active] [where] | "prefetch" address
           | ["parallel"] "for" NAME "in" "[" integer "," integer ")" ["step" NUMBER] ["unroll" NUMBER] carry* body
           | "if" condition body ["else" body] | "when" NAME body
           | "bind" NAME "=" integer | "bind" NAME "from" NAME
carry     := "carry" vector NAME "=" NAME "next" NAME "result" NAME                            (first in the body)
vector    := type ["x" LANES]
address   := NAME ("[" integer ["by" STRIDE] "]")*                 (STRIDE: from lane to lane, 0 where there is none)
active    := "active" integer
where     := "where" NAME
operation := literal | "load" address [active] [where] | "index" "{" integer ["by" STRIDE] "}"
           | "broadcast" NAME | "convert" NAME | NAME OPERATOR NAME | NAME "?" NAME ":" NAME
           | ("neg" | "~" | "fma" | "min" | "max") NAMES | "call" NAME "(" NAMES ")" | "fold" "(" OPERATOR ")" NAME
           | "pack" NAMES | "lane" NUMBER "of" NAME | "shuffle" "[" NUMBERS "]" NAMES
           | "lazy" NAME statement* "value" NAME "else" statement* "value" NAME
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine
from polyloop.backend.ir.expressions import I32, literal_text
from polyloop.backend.ir.loop_nest import word
from polyloop.backend.ir.text import Reader, head_lines, lane
from polyloop.backend.ir.vector_program import Address, Operation, Statement, Value, ValueType, VectorProgram

_FLAGS = ("auto_vectorize", "may_overlap", "loose_math")
_TESTS = ("<", "<=", ">", ">=", "==", "!=")
_INFIX = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
_PREFIX = ("neg", "~", "fma", "min", "max")


def program_text(program: VectorProgram) -> str:
    flags = [flag for flag in _FLAGS if getattr(program, flag)]
    head = head_lines("program", program.name, program.parameters, flags, program.arrays, program.context)
    return "\n".join([*head, *body_lines(program.body, 1)]) + "\n"


def parse_program(text: str) -> VectorProgram:
    """The program that a text describes.

    Raises:
        IRSyntaxError: for another text; says where.
    """
    return _ProgramReader(text).program()


# --- printing ---------------------------------------------------------------------------------------------------------


def body_lines(statements: Iterable[Statement], indent: int = 0) -> Iterator[str]:
    for statement in statements:
        yield from statement_lines(statement, indent)


def statement_lines(statement: Statement, indent: int = 0) -> Iterator[str]:
    """A statement, and below it what it holds."""
    pad, inside = "  " * indent, "  " * (indent + 1)
    match statement:
        case v.Let(name, v.LazyPick(condition, then, then_value, otherwise, otherwise_value, type_)):
            yield f"{pad}{type_} {word(name)} = lazy {word(condition.name)}"
            yield from body_lines(then, indent + 1)
            yield f"{inside}value {word(then_value.name)}"
            yield f"{pad}else"
            yield from body_lines(otherwise, indent + 1)
            yield f"{inside}value {word(otherwise_value.name)}"
        case v.Let(name, operation):
            yield f"{pad}{operation.type} {word(name)} = {_operation_text(operation)}"
        case v.Store(address, value, active, where):
            yield f"{pad}store {_address_text(address)} = {word(value.name)}{_active_text(active)}{_where_text(where)}"
        case v.Prefetch(address):
            yield f"{pad}prefetch {_address_text(address)}"
        case v.For(variable, lower, upper, step, body, carried, parallel, unroll, going):
            marks = ("" if step == 1 else f" step {step}") + ("" if unroll == 1 else f" unroll {unroll}")
            marks += "" if going is None else f" while {word(going.name)}"
            yield f"{pad}{'parallel ' * parallel}for {variable} in [{lower}, {upper}){marks}"
            for c in carried:
                names = f"{word(c.name)} = {word(c.initial.name)} next {word(c.next.name)} result {word(c.result)}"
                yield f"{inside}carry {c.type} {names}"
            yield from body_lines(body, indent + 1)
        case v.If(condition_, then, orelse):
            yield f"{pad}if {condition_}"
            yield from body_lines(then, indent + 1)
            if orelse:
                yield f"{pad}else"
                yield from body_lines(orelse, indent + 1)
        case v.When(value, body):
            yield f"{pad}when {word(value.name)}"
            yield from body_lines(body, indent + 1)
        case v.Bind(variable, value_):
            yield f"{pad}bind {variable} = {value_}"
        case v.BindValue(variable, operand):
            yield f"{pad}bind {variable} from {word(operand.name)}"


def _operation_text(operation: Operation) -> str:
    match operation:
        case v.Constant(value, type_):
            return literal_text(value, type_.element)
        case v.Load(address, _, active, where):
            return f"load {_address_text(address)}{_active_text(active)}{_where_text(where)}"
        case v.IndexValue(number, stride, _):
            return f"index {{{lane(number, stride)}}}"
        case v.Broadcast(operand):
            return f"broadcast {word(operand.name)}"
        case v.Convert(operand):
            return f"convert {word(operand.name)}"
        case v.Arithmetic(operator, (left, right)) if operator in _INFIX:
            return f"{word(left.name)} {operator} {word(right.name)}"
        case v.Arithmetic(operator, operands):
            return f"{operator} {_names(operands)}"
        case v.Test(operator, left, right):
            return f"{word(left.name)} {operator} {word(right.name)}"
        case v.Pick(condition, then, otherwise):
            return f"{word(condition.name)} ? {word(then.name)} : {word(otherwise.name)}"
        case v.Apply(function, operands):
            return f"call {word(function)}({_names(operands)})"
        case v.Horizontal(operator, operand):
            return f"fold({operator}) {word(operand.name)}"
        case v.Pack(operands):
            return f"pack {_names(operands)}"
        case v.Lane(operand, index):
            return f"lane {index} of {word(operand.name)}"
        case v.Shuffle(operands, lanes):
            return f"shuffle [{', '.join(map(str, lanes))}] {_names(operands)}"
        case v.Compact(operands, spread):
            return f"{'spread' if spread else 'compact'} {_names(operands)}"
        case v.GroupSum(operator, operands):
            return f"sums({operator}) {_names(operands)}"
        case v.LazyPick():
            return f"lazy {word(operation.condition.name)}"


def _names(values: Iterable[Value]) -> str:
    return ", ".join(word(value.name) for value in values)


def _address_text(address: Address) -> str:
    pairs = zip(address.subscripts, address.lane_strides, strict=False)  # also where the verifier refuses it
    return address.array + "".join(f"[{lane(subscript, stride)}]" for subscript, stride in pairs)


def _active_text(active: Affine | None) -> str:
    return "" if active is None else f" active {active}"


def _where_text(where: Value | None) -> str:
    return "" if where is None else f" where {word(where.name)}"


# --- reading ----------------------------------------------------------------------------------------------------------


class _ProgramReader(Reader):
    def program(self) -> VectorProgram:
        head = self.head("program", _FLAGS)
        self._types: dict[str, ValueType] = {}
        body = self._body(0)
        self.end()
        flags = {flag: flag in head.flags for flag in _FLAGS}
        return VectorProgram(head.name, head.parameters, head.arrays, body, head.context, **flags)

    def _body(self, around: int) -> tuple[Statement, ...]:
        """The statements further in. Values that they define are known in them only."""
        outer = dict(self._types)
        body = self.suite(around, self._statement)
        self._types = outer
        return body

    def _statement(self) -> Statement:
        indent = self.indent
        if self.take("store"):
            address = self._address()
            self.expect("=")
            store = v.Store(address, self._value(), self._active(), self._where())
            self.end_line()
            return store
        if self.take("prefetch"):
            prefetch = v.Prefetch(self._address())
            self.end_line()
            return prefetch
        if self.take("bind"):
            variable = self.name()
            bind: Statement
            if self.take("from"):
                bind = v.BindValue(variable, self._value())
            else:
                self.expect("=")
                bind = v.Bind(variable, self.integer())
            self.end_line()
            return bind
        if self.take("when"):
            value = self._value()
            self.end_line()
            return v.When(value, self._body(indent))
        if self.take("if"):
            condition = self.condition()
            self.end_line()
            then = self._body(indent)
            return v.If(condition, then, self._orelse(indent))
        if self.peek() in ("for", "parallel"):
            return self._for(indent)
        return self._let(indent)

    def _orelse(self, indent: int) -> tuple[Statement, ...]:
        if self.indent != indent or not self.take("else"):
            return ()
        self.end_line()
        return self._body(indent)

    def _for(self, indent: int) -> v.For:
        parallel = self.take("parallel")
        self.expect("for")
        variable, lower, upper, step = self.loop_range()
        unroll = self.number() if self.take("unroll") else 1
        going = self.name() if self.take("while") else None
        self.end_line()
        outer = dict(self._types)
        carried: list[v.Carried] = []
        while self.indent > indent and self.take("carry"):
            carried.append(self._carried(outer))
        body = self._body(indent)
        goes = None if going is None else v.Value(going, ValueType(I32))
        self._types = outer | {c.result: c.type for c in carried}
        return v.For(variable, lower, upper, step, body, tuple(carried), parallel, unroll, goes)

    def _carried(self, outside: dict[str, ValueType]) -> v.Carried:
        type_, name = self._vector(), self.name()
        self.expect("=")
        initial = self._value(outside)
        self.expect("next")
        following = Value(self.name(), type_)
        self.expect("result")
        carried = v.Carried(name, type_, initial, following, self.name())
        self.end_line()
        self._types[name] = type_
        return carried

    def _let(self, indent: int) -> v.Let:
        type_, name = self._vector(), self.name()
        self.expect("=")
        operation: Operation
        if self.take("lazy"):
            operation = self._lazy(type_, indent)
        else:
            operation = self._operation(type_)
            self.end_line()
        self._types[name] = type_
        return v.Let(name, operation)

    def _lazy(self, type_: ValueType, indent: int) -> v.LazyPick:
        condition = self._value()
        self.end_line()
        then, then_value = self._side(indent)
        if self.indent == indent:
            self.expect("else")
            self.end_line()
        otherwise, otherwise_value = self._side(indent)
        return v.LazyPick(condition, then, then_value, otherwise, otherwise_value, type_)

    def _side(self, indent: int) -> tuple[tuple[Statement, ...], Value]:
        outer = dict(self._types)
        statements: list[Statement] = []
        while self.indent > indent and self.peek() != "value":
            statements.append(self._statement())
        self.expect("value")
        value = self._value()
        self.end_line()
        self._types = outer
        return tuple(statements), value

    def _operation(self, type_: ValueType) -> Operation:
        if self.kind() == "literal":
            value, element = self.literal()
            if element != type_.element:
                raise self.error(f"this number is no {type_.element}", back=1)
            return v.Constant(value, type_)
        # What begins an operation is a value's name where an operator follows.
        match self.peek() if self.peek(1) not in ("?", *_INFIX, *_TESTS) else "":
            case "load":
                self.expect("load")
                return v.Load(self._address(), type_, self._active(), self._where())
            case "index":
                self.expect("index", "{")
                index = v.IndexValue(self.integer(), self._stride(), type_)
                self.expect("}")
                return index
            case "broadcast":
                self.expect("broadcast")
                return v.Broadcast(self._value(), type_)
            case "convert":
                self.expect("convert")
                return v.Convert(self._value(), type_)
            case "call":
                self.expect("call")
                function = self.name("a function")
                self.expect("(")
                return v.Apply(function, self.listed(self._value, ")"), type_)
            case "fold":
                self.expect("fold", "(")
                operator = self.peek()
                self.expect(operator, ")")
                return v.Horizontal(operator, self._value(), type_)
            case "pack":
                self.expect("pack")
                return v.Pack(self._values(), type_)
            case "lane":
                self.expect("lane")
                number = self.number()
                self.expect("of")
                return v.Lane(self._value(), number, type_)
            case "shuffle":
                self.expect("shuffle", "[")
                lanes = self.listed(self.number, "]")
                return v.Shuffle(self._values(), lanes, type_)
            case "compact" | "spread" as which:
                self.expect(which)
                return v.Compact(self._values(), which == "spread", type_)
            case "sums":
                self.expect("sums", "(")
                operator = self.peek()
                self.expect(operator, ")")
                return v.GroupSum(operator, self._values(), type_)
            case operator if operator in _PREFIX:
                self.expect(operator)
                return v.Arithmetic(operator, self._values(), type_)
        return self._infix(type_)

    def _infix(self, type_: ValueType) -> Operation:
        left, operator = self._value(), self.peek()
        if self.take("?"):
            then = self._value()
            self.expect(":")
            return v.Pick(left, then, self._value(), type_)
        if operator in _TESTS and self.take(operator):
            return v.Test(operator, left, self._value(), type_)
        if operator in _INFIX and self.take(operator):
            return v.Arithmetic(operator, (left, self._value()), type_)
        raise self.error("an operator is missing")

    def _value(self, known: dict[str, ValueType] | None = None) -> Value:
        types = self._types if known is None else known
        name = self.name("a value")
        if name not in types:
            raise self.error(f"there is no value {name} here", back=1)
        return Value(name, types[name])

    def _values(self) -> tuple[Value, ...]:
        values = [self._value()]
        while self.take(","):
            values.append(self._value())
        return tuple(values)

    def _vector(self) -> ValueType:
        element, by, lanes = self.token("name", "a statement").partition("x")
        if by and not re.fullmatch("[1-9][0-9]*", lanes):
            raise self.error(f"{lanes!r} is no number of lanes", back=1)
        return ValueType(self._type(element), int(lanes or 1))

    def _address(self) -> Address:
        array = self.name("an array")
        subscripts, strides = [], []
        while self.take("["):
            subscripts.append(self.integer())
            strides.append(self._stride())
            self.expect("]")
        return Address(array, tuple(subscripts), tuple(strides))

    def _stride(self) -> int:
        return self.number() if self.take("by") else 0

    def _active(self) -> Affine | None:
        return self.integer() if self.take("active") else None

    def _where(self) -> Value | None:
        return self._value() if self.take("where") else None
