"""Is a vector program well-formed? What the docstrings of `vector_program` promise, checked statement by statement.

- A value and an integer (of a loop or a Bind) are defined before they are used, and never again where they are visible;
  uses have the type of the definition. What a body defines is not visible behind it.
- Bounds, conditions, addresses and counts of lanes use visible integers.
- Addresses name arrays of the program, with as many subscripts and strides as they have dimensions; what is loaded and
  stored has their element type; a scalar has no stride; arrays that are read only are not stored to.
- Operands have the types, lanes and number that their operation needs.
- What a loop carries is there before it, `next` at the end of its body, both of its type; a parallel loop carries
  nothing. Steps and unroll factors are at least 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from polyloop.backend.errors import VerificationError
from polyloop.backend.ir import vector_program as v
from polyloop.backend.ir.affine import Affine, condition_variables
from polyloop.backend.ir.expressions import I32, ScalarType
from polyloop.backend.ir.vector_program import GROUPS, Address, Operation, Statement, Value, ValueType, VectorProgram
from polyloop.backend.ir.vector_program_text import statement_lines
from polyloop.backend.ir.verify_nest import (
    COMPARISONS,
    OF_INTEGERS,
    OF_NUMBERS,
    check_head,
    check_rank,
    check_variables,
    placed,
)

_OPERANDS = {"neg": 1, "~": 1, "fma": 3}
_FOLDS = frozenset(("+", "*", "&", "|", "^", "min", "max"))


def verify(program: VectorProgram) -> None:
    """
    Raises:
        VerificationError: if the program is not well-formed; has the rule, the statement and where it stands.
    """
    try:
        check_head(program.parameters, program.arrays, program.context)
    except VerificationError as error:
        raise VerificationError(f"vector program {program.name}: {error}") from None
    _Verifier(program).body(program.body)


class _Verifier:
    """One walk. `_values` and `_integers` are what is visible, `_around` the first lines of statements around."""

    def __init__(self, program: VectorProgram) -> None:
        self._name = program.name
        self._arrays = {array.name: array for array in program.arrays}
        self._values: dict[str, ValueType] = {}
        self._integers = dict.fromkeys(program.parameters)
        self._around: list[str] = []

    def body(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            try:
                self._before(statement)
            except VerificationError as error:
                raise self._placed(error, statement) from None
            self._inside(statement)
            try:
                self._behind(statement)
            except VerificationError as error:
                raise self._placed(error, statement) from None

    def _placed(self, error: VerificationError, statement: Statement) -> VerificationError:
        where = placed(self._around, statement_lines(statement))
        return VerificationError(f"vector program {self._name}: {error}{where}")

    @contextmanager
    def _nested(self, statement: Statement, what: str = "") -> Iterator[None]:
        """What is defined inside is not visible behind."""
        values, integers = dict(self._values), dict(self._integers)
        self._around.append(what + next(statement_lines(statement)))
        yield
        self._around.pop()
        self._values, self._integers = values, integers

    # --- statements ---------------------------------------------------------------------------------------------------

    def _before(self, statement: Statement) -> None:
        """What a statement uses."""
        match statement:
            case v.Let(_, operation):
                self._operation(operation)
            case v.Store(address, value, active, where):
                self._use(value)
                self._address(address, value.type, active)
                self._where(where, value.type)
                if self._arrays[address.array].read_only:
                    raise VerificationError(f"{address.array} is read only, and stored to")
            case v.Prefetch(address):
                self._address(address, None, None)
            case v.For():
                self._loop(statement)
            case v.If(condition, _, _):
                check_variables(condition_variables(condition), self._integers, "the condition")
            case v.When(value, _):
                self._lanes(value, 1)
            case v.Bind(variable, value_):
                self._integer(value_, variable)
            case v.BindValue(variable, operand):
                self._use(operand)
                if operand.type.lanes != 1 or operand.type.element.is_float:
                    raise VerificationError(f"{variable} is a scalar integer, not a value of type {operand.type}")

    def _inside(self, statement: Statement) -> None:
        match statement:
            case v.Let(_, v.LazyPick() as pick):
                for body, value in ((pick.then, pick.then_value), (pick.otherwise, pick.otherwise_value)):
                    with self._nested(statement):
                        self.body(body)
                        try:
                            self._use(value, pick.type)
                        except VerificationError as error:
                            raise self._placed(error, statement) from None
            case v.For(variable=variable, body=body, carried=carried, going=going):
                with self._nested(statement):
                    self._integers[variable] = None
                    self._values |= {c.name: c.type for c in carried}
                    self.body(body)
                    try:
                        for c in carried:
                            self._use(c.next, c.type)
                        if going is not None:
                            self._use(going, ValueType(I32))
                    except VerificationError as error:
                        raise self._placed(error, statement) from None
            case v.If(_, then, orelse):
                with self._nested(statement):
                    self.body(then)
                with self._nested(statement, "else of "):
                    self.body(orelse)
            case v.When(_, body):
                with self._nested(statement):
                    self.body(body)

    def _behind(self, statement: Statement) -> None:
        """What a statement defines."""
        match statement:
            case v.Let(name, operation):
                self._define(name, operation.type)
            case v.For(carried=carried):
                for c in carried:
                    self._define(c.result, c.type)
            case v.Bind(variable, _) | v.BindValue(variable, _):
                self._define_integer(variable)
                self._integers[variable] = None

    def _loop(self, loop: v.For) -> None:
        self._define_integer(loop.variable)
        self._integer(loop.lower, f"a bound of {loop.variable}")
        self._integer(loop.upper, f"a bound of {loop.variable}")
        if loop.step < 1 or loop.unroll < 1:
            raise VerificationError(f"step and unroll factor are at least 1, not {loop.step} and {loop.unroll}")
        if loop.parallel and loop.carried:
            raise VerificationError("a parallel loop carries nothing")
        names = [c.name for c in loop.carried]
        for c in loop.carried:
            self._use(c.initial, c.type)
            if c.name in self._values or names.count(c.name) > 1:
                raise VerificationError(f"a value is defined once, {c.name} is there already")

    def _define(self, name: str, type_: ValueType) -> None:
        if name in self._values:
            raise VerificationError(f"a value is defined once, {name} is there already")
        if type_.lanes < 1:
            raise VerificationError(f"a value has at least 1 lane, not {type_.lanes}")
        self._values[name] = type_

    def _define_integer(self, name: str) -> None:
        if name in self._integers:
            raise VerificationError(f"an integer is defined once, {name} is there already")

    # --- uses ---------------------------------------------------------------------------------------------------------

    def _use(self, value: Value, type_: ValueType | None = None) -> None:
        """A value that has to be visible with its type, and to have this one."""
        known = self._values.get(value.name)
        if known is None:
            raise VerificationError(f"the value {value.name} is not defined here")
        if known != value.type:
            raise VerificationError(f"the value {value.name} is defined with type {known} and used with {value.type}")
        if type_ is not None and known != type_:
            raise VerificationError(f"the value {value.name} should have type {type_}, not {known}")

    def _integer(self, value: Affine, what: str) -> None:
        check_variables(value.variables(), self._integers, what)

    def _address(self, address: Address, type_: ValueType | None, active: Affine | None) -> None:
        array = self._arrays.get(address.array)
        if array is None:
            raise VerificationError(f"{address.array} is no array of the program ({', '.join(self._arrays)})")
        check_rank(array, address.subscripts)
        if len(address.lane_strides) != len(address.subscripts):
            strides, count = len(address.lane_strides), len(address.subscripts)
            raise VerificationError(f"an address has a stride for each subscript, not {strides} for {count}")
        for subscript in address.subscripts:
            self._integer(subscript, f"a subscript of {address.array}")
        if active is not None:
            self._integer(active, "the count of active lanes")
        if type_ is not None and type_.element != array.type:
            raise VerificationError(f"{array.name} has elements of type {array.type}, not {type_.element}")
        if type_ is not None and type_.lanes == 1 and any(address.lane_strides):
            raise VerificationError("a scalar access has no stride")

    # --- operations ---------------------------------------------------------------------------------------------------

    def _operation(self, operation: Operation) -> None:
        type_ = operation.type
        match operation:
            case v.Constant(value, _):
                if not type_.element.is_float and not isinstance(value, int):
                    raise VerificationError(f"a constant of type {type_} is an integer, not {value!r}")
            case v.Load(address, _, active, where):
                self._address(address, type_, active)
                self._where(where, type_)
            case v.IndexValue(value_, _, _):
                self._integer(value_, "the index")
            case v.Broadcast(operand):
                self._use(operand, ValueType(type_.element))
            case v.Arithmetic(operator, operands):
                self._arithmetic(operator, operands, type_)
            case v.Test(operator, left, right):
                _known(operator, COMPARISONS)
                self._use(left)
                self._use(right, left.type)
                if type_ != ValueType(I32, left.type.lanes):
                    raise VerificationError(f"a test of {left.type} has type {ValueType(I32, left.type.lanes)}")
            case v.Pick(condition, then, otherwise):
                self._lanes(condition, type_.lanes)
                self._use(then, type_)
                self._use(otherwise, type_)
            case v.Convert(operand):
                self._lanes(operand, type_.lanes)
            case v.Apply(_, operands):
                for operand in operands:
                    self._lanes(operand, type_.lanes)
            case v.LazyPick(condition):
                self._lanes(condition, 1)
                if type_.lanes != 1:
                    raise VerificationError("a lazy choice is made for scalars")
            case _:
                self._across(operation, type_)

    def _across(self, operation: Operation, type_: ValueType) -> None:
        """Operations whose lanes are not those of their operands."""
        match operation:
            case v.Horizontal(operator, operand):
                _known(operator, _FOLDS)
                self._scalar_of(operand, type_)
            case v.Pack(operands):
                for operand in operands:
                    self._use(operand, ValueType(type_.element))
                if len(operands) != type_.lanes:
                    raise VerificationError(f"{len(operands)} scalars make no vector of {type_.lanes} lanes")
            case v.Lane(operand, index):
                self._scalar_of(operand, type_)
                if not 0 <= index < operand.type.lanes:
                    raise VerificationError(f"{operand.name} has {operand.type.lanes} lanes and none at {index}")
            case v.GroupSum(operator, operands):
                _known(operator, GROUPS)
                element, result, group = GROUPS[operator]
                for operand in operands:
                    self._use(operand, ValueType(element, group * type_.lanes))
                if type_.element != result or len(operands) != 2:
                    raise VerificationError(f"sums of groups of two {element}, not of {len(operands)}, are {result}")
            case v.Compact(operands):
                first, where = operands
                self._use(first, type_)
                self._where(where, type_)
            case v.Shuffle(operands, lanes):
                first, second = operands
                self._use(first)
                self._use(second, first.type)
                there = 2 * first.type.lanes
                if type_ != ValueType(first.type.element, len(lanes)) or not all(0 <= x < there for x in lanes):
                    raise VerificationError(
                        f"a shuffle of two {first.type} makes {type_} of as many lanes below {there}"
                    )

    def _arithmetic(self, operator: str, operands: tuple[Value, ...], type_: ValueType) -> None:
        _known(operator, OF_NUMBERS | OF_INTEGERS | {"neg", "~", "fma", "min", "max"})
        if operator in OF_INTEGERS | {"~"}:
            _of_kind(type_.element, operator, is_float=False)
        if operator == "fma":
            _of_kind(type_.element, operator, is_float=True)
        count = _OPERANDS.get(operator, 2)
        if len(operands) != count:
            raise VerificationError(f"{operator!r} takes {count} operands, not {len(operands)}")
        for operand in operands:
            self._use(operand, type_)

    def _where(self, where: Value | None, type_: ValueType) -> None:
        if where is None:
            return
        self._lanes(where, type_.lanes)
        if type_.lanes == 1:
            raise VerificationError("a scalar access is made by a branch where a condition holds")

    def _lanes(self, value: Value, lanes: int) -> None:
        self._use(value)
        if value.type.lanes != lanes:
            raise VerificationError(f"the value {value.name} should have {lanes} lanes, not {value.type.lanes}")

    def _scalar_of(self, vector: Value, type_: ValueType) -> None:
        self._use(vector)
        if type_ != ValueType(vector.type.element):
            raise VerificationError(f"a scalar of {vector.name} has type {vector.type.element}, not {type_}")


def _known(operator: str, operators: Collection[str]) -> None:
    if operator not in operators:
        raise VerificationError(f"{operator!r} is none of {' '.join(sorted(operators))}")


def _of_kind(type_: ScalarType, operator: str, *, is_float: bool) -> None:
    if type_.is_float != is_float:
        raise VerificationError(f"{operator!r} is no operation on {type_}")
