"""Is a loop nest well-formed? What the docstrings of `loop_nest` and `expressions` promise, checked node by node.

- Names of parameters and arrays are there once, those of loop variables once on every path from the root.
- Bounds, conditions and subscripts use parameters and variables of loops around; extents and the context, parameters.
- Steps are at least 1, distances of prefetches too.
- Accesses name arrays of the nest and have their rank; a Compute writes no array that is read only.
- The value of a conditional Compute chooses between a new value and the target's old one.
- Types agree: what is read has the array's, what is written too; operands have those that their operators need.

What is not checked is what costs a proof: that accesses stay in bounds, and that a loop may have its kind.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice

from polyloop.backend.errors import VerificationError
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, Condition, condition_variables
from polyloop.backend.ir.expressions import I32, Access, Expression, ScalarType, text
from polyloop.backend.ir.loop_nest import ArraySpec, Block, Compute, Guard, Loop, LoopNest, Node, Storage, render
from polyloop.backend.ir.polynomials import ONE, variables

COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))
OF_NUMBERS = frozenset("+-*/")
OF_INTEGERS = frozenset(("%", "&", "|", "^", "<<", ">>"))
_SHOWN = 12


def verify(nest: LoopNest) -> None:
    """
    Raises:
        VerificationError: if the nest is not well-formed; has the rule, the node and where it stands.
    """
    try:
        check_head(nest.parameters, nest.arrays, nest.context)
    except VerificationError as error:
        raise VerificationError(f"loop nest {nest.name}: {error}") from None
    _Verifier(nest).node(nest.body, nest.parameters, ())


def check_head(parameters: tuple[str, ...], arrays: tuple[ArraySpec, ...], context: Condition) -> None:
    """What nests and programs have in front of their statements."""
    names = [*parameters, *(array.name for array in arrays)]
    for name in names:
        if names.count(name) > 1:
            raise VerificationError(f"a parameter or array is declared once, {name} is there {names.count(name)} times")
    for array in arrays:
        known = [extent for extent in array.shape if extent is not None]
        for extent in known:
            check_variables(extent.variables(), parameters, f"an extent of {array.name}")
        if array.strides is not None:
            check_variables(variables(array.strides), parameters, f"a stride of {array.name}")
            if known or len(array.strides) != len(array.shape) or array.strides[-1] != ONE:
                raise VerificationError(
                    f"{array.name} has no stride for each subscript, the last of them 1, or extents, too"
                )
            if not array.read_only:
                raise VerificationError(f"only an array that nothing writes may have strides, {array.name} is written")
        elif len(known) < len(array.shape) and (array.shape[0] is not None or len(known) < len(array.shape) - 1):
            raise VerificationError(f"only the first extent of an array may be unknown, {array.name} has others")
        if len(known) < len(array.shape) and array.storage is Storage.LOCAL:
            raise VerificationError(f"the extents of a local array are known, those of {array.name} are not")
    check_variables(condition_variables(context), parameters, "the context")


def placed(around: Iterable[str], lines: Iterable[str]) -> str:
    """Where a node stands, and its first lines."""
    shown = list(islice(lines, _SHOWN + 1))
    if len(shown) > _SHOWN:
        shown[-1] = "..."
    return "".join([*(f"\n  in {line}" for line in around), "\n  at", *(f"\n    {line}" for line in shown)])


def check_variables(used: Iterable[str], visible: Collection[str], what: str) -> None:
    for name in used:
        if name not in visible:
            raise VerificationError(
                f"{what} uses {name}, which is no parameter or variable of a loop around ({', '.join(visible)})"
            )


class _Verifier:
    def __init__(self, nest: LoopNest) -> None:
        self._name = nest.name
        self._arrays = {array.name: array for array in nest.arrays}

    def node(self, node: Node, visible: tuple[str, ...], around: tuple[str, ...]) -> None:
        """Verify a node inside of these variables; `around`: the first lines of the nodes around it."""
        try:
            match node:
                case Loop():
                    self._loop(node, visible)
                case Guard(condition, _, _):
                    check_variables(condition_variables(condition), visible, "the condition")
                case Compute():
                    self._compute(node, visible)
        except VerificationError as error:
            raise VerificationError(f"loop nest {self._name}: {error}{placed(around, render(node))}") from None
        match node:
            case Loop(variable=variable, body=body):
                self.node(body, (*visible, variable), (*around, next(render(node))))
            case Block(children):
                for child in children:
                    self.node(child, visible, around)
            case Guard(condition, body, orelse):
                self.node(body, visible, (*around, f"if {condition}"))
                self.node(orelse, visible, (*around, f"else of if {condition}"))

    def _loop(self, loop: Loop, visible: tuple[str, ...]) -> None:
        if loop.variable in visible or loop.variable in self._arrays:
            raise VerificationError(f"a loop's variable has a name of its own, {loop.variable} is taken")
        check_variables(loop.lower.variables() | loop.upper.variables(), visible, f"a bound of {loop.variable}")
        if loop.step < 1:
            raise VerificationError(f"a step is at least 1, not {loop.step}")
        for array, distance in loop.prefetch:
            self._array(array)
            if distance < 1:
                raise VerificationError(f"{array} is prefetched at least 1 iteration ahead, not {distance}")

    def _compute(self, node: Compute, visible: tuple[str, ...]) -> None:
        array = self._access(node.target, visible)
        if array.read_only:
            raise VerificationError(f"{array.name} is read only, and written")
        _agree(node.value.type, array.type, f"{node.target} and the value written")
        if node.conditional and (node.choice is None or node.choice.otherwise != e.Read(node.target, array.type)):
            raise VerificationError(f"a conditional statement computes a new value or leaves {node.target} as it is")
        visible = (*visible, *(x.variable for x in e.walk(node.value) if isinstance(x, e.Fold)))
        for inner in (*e.walk(node.value), *(x for datum in node.target.data for x in e.walk(datum.value))):
            try:
                self._expression(inner, visible)
            except VerificationError as error:
                raise VerificationError(f"{error}, in {text(inner)}") from None

    def _expression(self, node: Expression, visible: tuple[str, ...]) -> None:
        match node:
            case e.Literal(value, type_):
                if not type_.is_float and not isinstance(value, int):
                    raise VerificationError(f"a literal of type {type_} is an integer, not {value!r}")
            case e.Read(access, type_):
                _agree(type_, self._access(access, visible).type, "the read and its array")
            case e.Index(value, _):
                check_variables(value.variables(), visible, "the index")
            case e.Unary("!", _, type_):
                _agree(type_, I32, "'!' and int")
            case e.Unary("-" | "~" as operator, operand, type_):
                _agree(operand.type, type_, f"the operand of {operator!r} and the result")
                if operator == "~":
                    _integer(type_, operator)
            case e.Binary(operator, left, right, type_):
                _agree(left.type, type_, f"the left operand of {operator!r} and the result")
                if operator in OF_INTEGERS:
                    _integer(type_, operator)
                    _integer(right.type, operator)
                elif operator not in OF_NUMBERS:
                    raise VerificationError(f"{operator!r} is no operator of two numbers")
                if operator not in ("<<", ">>"):
                    _agree(right.type, type_, f"the right operand of {operator!r} and the result")
            case e.Comparison(operator, left, right):
                if operator not in COMPARISONS:
                    raise VerificationError(f"{operator!r} is no comparison")
                _agree(left.type, right.type, f"the sides of {operator!r}")
            case e.Logical(operator, _, _):
                if operator not in ("&&", "||"):
                    raise VerificationError(f"{operator!r} is no logical operator")
            case e.Select(_, then, otherwise, type_):
                _agree(then.type, type_, "the first choice and the result")
                _agree(otherwise.type, type_, "the second choice and the result")
            case e.Fold(variable, lower, upper, initial, value, type_):
                _integer(lower.type, "a fold")
                _integer(upper.type, "a fold")
                _agree(initial.type, type_, f"what the fold over {variable} begins with and the result")
                _agree(value.type, type_, f"what the fold over {variable} comes to and the result")
            case e.Unary(operator, _, _):
                raise VerificationError(f"{operator!r} is no operator of one number")
            case e.Cast() | e.Call() | e.Partial():
                pass

    def _access(self, access: Access, visible: tuple[str, ...]) -> ArraySpec:
        array = self._array(access.array)
        check_rank(array, access.subscripts)
        for subscript in access.subscripts:
            check_variables(subscript.variables(), visible, f"a subscript of {access}")
        for datum in access.data:
            _integer(datum.value.type, "a subscript")
        return array

    def _array(self, name: str) -> ArraySpec:
        if name not in self._arrays:
            raise VerificationError(f"{name} is no array of the nest ({', '.join(self._arrays)})")
        return self._arrays[name]


def check_rank(array: ArraySpec, subscripts: tuple[Affine, ...]) -> None:
    if len(subscripts) != len(array.shape):
        raise VerificationError(f"{array.name} takes {len(array.shape)} subscripts, not {len(subscripts)}")


def _agree(left: ScalarType, right: ScalarType, what: str) -> None:
    if left != right:
        raise VerificationError(f"{what} have one type, not {left} and {right}")


def _integer(type_: ScalarType, operator: str) -> None:
    if type_.is_float:
        raise VerificationError(f"{operator!r} takes integers, not {type_}")
