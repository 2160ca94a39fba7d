"""Between the backend's `Affine` and isl: text for isl's parser and sets; `isl.Aff` and `isl.AstExpr` back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import islpy as isl

from polyloop.backend.ir.affine import (
    FALSE,
    Affine,
    And,
    Atom,
    Choose,
    Compare,
    Condition,
    FloorDiv,
    Indirect,
    Max,
    Min,
    Not,
    Or,
    affine,
    at_least,
    choose,
    condition_variables,
    equal,
    map_operands,
    maximum,
    minimum,
    operands_of,
)
from polyloop.errors import PolyloopError

# --- Text to isl, and back --------------------------------------------------------------------------------------------


class NotAffineError(PolyloopError):
    """An isl expression has no quasi-affine form."""


def affine_to_text(value: Affine) -> str:
    """isl syntax. Minima and maxima are written with isl's own operators; choices too, pulled out of everything
    around them, as isl's parser takes them only there.

    Raises:
        NotAffineError: for what is computed from data.
    """
    return _sum_to_text(value) if _choice_in(value) is None else f"({_choices_to_text(value)})"


def _choices_to_text(value: Affine) -> str:
    """Without parentheses, which isl's parser takes around a whole choice only."""
    choice = _choice_in(value)
    if choice is None:
        return _sum_to_text(value)
    then, otherwise = (_choices_to_text(_replaced(value, choice, side)) for side in (choice.then, choice.otherwise))
    return _chosen(choice.condition, then, otherwise)


def _chosen(condition: Condition, then: str, otherwise: str) -> str:
    """A choice by comparisons alone, each of which may be a choice's condition for isl's parser."""
    match condition:
        case Compare(left, operator):
            choice = _choice_in(left)
            if choice is None:
                return f"{_sum_to_text(left)} {'=' if operator == '==' else operator} 0 ? {then} : {otherwise}"
            sides = (Compare(_replaced(left, choice, side), operator) for side in (choice.then, choice.otherwise))
            return _chosen(choice.condition, *(_chosen(side, then, otherwise) for side in sides))
        case And(operands):
            return reduce(lambda text, operand: _chosen(operand, text, otherwise), reversed(operands), then)
        case Or(operands):
            return reduce(lambda text, operand: _chosen(operand, then, text), reversed(operands), otherwise)
        case Not(operand):
            return _chosen(operand, otherwise, then)


def condition_to_text(condition: Condition) -> str:
    """isl syntax; choices become case distinctions."""
    match condition:
        case Compare(left, operator):
            choice = _choice_in(left)
            if choice is None:
                return f"({_sum_to_text(left)} {'=' if operator == '==' else operator} 0)"
            then, otherwise = (
                condition_to_text(Compare(_replaced(left, choice, side), operator))
                for side in (choice.then, choice.otherwise)
            )
            test = condition_to_text(choice.condition)
            return f"(({test} and {then}) or ((not {test}) and {otherwise}))"
        case And(operands):
            return "(" + " and ".join(map(condition_to_text, operands)) + ")" if operands else "(1 = 1)"
        case Or(operands):
            return "(" + " or ".join(map(condition_to_text, operands)) + ")" if operands else "(1 = 0)"
        case Not(operand):
            return f"(not {condition_to_text(operand)})"


def _sum_to_text(value: Affine) -> str:
    parts = [f"{c}*({_atom_to_text(atom)})" if c != 1 else f"({_atom_to_text(atom)})" for atom, c in value.terms]
    if value.constant or not parts:
        parts.append(str(value.constant))
    return " + ".join(parts)


def _atom_to_text(atom: Atom) -> str:
    match atom:
        case str():
            return atom
        case FloorDiv(dividend, divisor):
            return f"floor(({_sum_to_text(dividend)})/{divisor})"
        case Min(operands):
            return f"min({', '.join(map(_sum_to_text, operands))})"
        case Max(operands):
            return f"max({', '.join(map(_sum_to_text, operands))})"
        case Choose():
            raise AssertionError("choices are pulled out first")
        case Indirect():
            raise NotAffineError(f"{atom} is computed from data")


def _choice_in(value: Affine) -> Choose | None:
    """The first choice, at any depth."""
    for atom, _ in value.terms:
        if isinstance(atom, Choose):
            return atom
        found = next(filter(None, map(_choice_in, operands_of(atom))), None)
        if found is not None:
            return found
    return None


def _replaced(value: Affine, choice: Choose, by: Affine) -> Affine:
    """`value` where the choice has fallen."""

    def one(atom: Atom) -> Affine:
        return by if atom == choice else map_operands(atom, lambda operand: _replaced(operand, choice, by))

    return value.map_atoms(one)


def affine_from_aff(aff: isl.Aff, iterators: Sequence[str]) -> Affine:
    """An isl.Aff as an Affine; input dimension k is called iterators[k], parameters keep their names.

    Raises:
        NotAffineError: if a coefficient is not an integer.
    """
    result, denominator = _numerator(aff, iterators)
    if denominator != 1:
        raise NotAffineError(f"rational affine expression {aff}")
    return result


def _numerator(aff: isl.Aff, iterators: Sequence[str]) -> tuple[Affine, int]:
    """(numerator, denominator)."""
    denominator = aff.get_denominator_val().to_python()
    scaled = aff.scale_val(aff.get_denominator_val())
    result = affine(scaled.get_constant_val().to_python())
    for k, name in enumerate(iterators):
        result = result + affine(name) * scaled.get_coefficient_val(isl.dim_type.in_, k).to_python()
    for k in range(scaled.dim(isl.dim_type.param)):
        name = str(scaled.get_dim_name(isl.dim_type.param, k))
        result = result + affine(name) * scaled.get_coefficient_val(isl.dim_type.param, k).to_python()
    for k in range(scaled.dim(isl.dim_type.div)):
        coefficient = scaled.get_coefficient_val(isl.dim_type.div, k).to_python()
        if coefficient:
            dividend, divisor = _numerator(scaled.get_div(k), iterators)
            result = result + (dividend // divisor) * coefficient
    return result, denominator


def affine_from_ast(expression: isl.AstExpr) -> Affine:
    """The value of an AST expression over AST iterators and parameters."""
    kind = isl.ast_expr_type(expression.get_type())
    if kind == isl.ast_expr_type.int:
        return affine(expression.get_val().to_python())
    if kind == isl.ast_expr_type.id:
        return affine(expression.get_id().get_name())
    op = isl.ast_expr_op_type
    operator = op(expression.get_op_type())
    count = expression.get_op_n_arg()
    if operator in (op.cond, op.select):
        condition = condition_from_ast(expression.get_op_arg(0))
        return choose(condition, affine_from_ast(expression.get_op_arg(1)), affine_from_ast(expression.get_op_arg(2)))
    if operator in _CONDITIONS or operator in _CONJUNCTIONS or operator in _DISJUNCTIONS:
        return choose(condition_from_ast(expression), 1, 0)
    arguments = [affine_from_ast(expression.get_op_arg(k)) for k in range(count)]
    if operator == op.max:
        return maximum(*arguments)
    if operator == op.min:
        return minimum(*arguments)
    if operator == op.minus:
        return -arguments[0]
    left, right = arguments
    if operator == op.add:
        return left + right
    if operator == op.sub:
        return left - right
    if operator == op.mul:
        return left * right.constant if right.is_constant else right * left.constant
    # pdiv (argument known non-negative) and exact division agree with floor division; zdiv_r is only tested for zero.
    if operator in (op.fdiv_q, op.pdiv_q, op.div):
        return left // right.constant
    if operator in (op.pdiv_r, op.zdiv_r):
        return left % right.constant
    raise NotAffineError(f"cannot take isl's expression {expression.to_C_str()}")


def condition_from_ast(expression: isl.AstExpr) -> Condition:
    """An AST condition as a Condition."""
    if isl.ast_expr_type(expression.get_type()) == isl.ast_expr_type.int:
        return And(()) if expression.get_val().to_python() else Or(())
    operator = isl.ast_expr_op_type(expression.get_op_type())
    if operator in _CONJUNCTIONS or operator in _DISJUNCTIONS:
        operands = tuple(condition_from_ast(expression.get_op_arg(k)) for k in range(expression.get_op_n_arg()))
        return And(operands) if operator in _CONJUNCTIONS else Or(operands)
    if operator not in _CONDITIONS:
        return Not(equal(affine_from_ast(expression), 0))
    left, right = (affine_from_ast(expression.get_op_arg(k)) for k in range(2))
    match _CONDITIONS[operator]:
        case "==":
            return equal(left, right)
        case ">=":
            return at_least(left, right)
        case "<=":
            return at_least(right, left)
        case ">":
            return at_least(left, right + 1)
        case _:
            return at_least(right, left + 1)


# The stubs leave out the two names that end in an underscore.
_CONJUNCTIONS = (isl.ast_expr_op_type["and_"], isl.ast_expr_op_type.and_then)
_DISJUNCTIONS = (isl.ast_expr_op_type["or_"], isl.ast_expr_op_type.or_else)
_CONDITIONS = {
    isl.ast_expr_op_type.eq: "==",
    isl.ast_expr_op_type.ge: ">=",
    isl.ast_expr_op_type.le: "<=",
    isl.ast_expr_op_type.gt: ">",
    isl.ast_expr_op_type.lt: "<",
}


def condition_of(test: isl.Set, universe: isl.Set) -> Condition:
    """Whether parameters of the universe are in a set."""
    if test.is_empty():
        return FALSE
    return condition_from_ast(isl.AstBuild.from_context(universe).expr_from_set(test))


def bound_of(values: isl.Set, extreme: Callable[[isl.Set, int], isl.PwAff], context: isl.Set) -> Affine:
    """The smallest or the largest number of a bounded set with one dimension, in the context's parameters."""
    bound = extreme(values, 0).coalesce().gist_params(context)
    return affine_from_ast(isl.AstBuild.from_context(context).expr_from_pw_aff(bound))


FEW_PIECES = 6
"""Of more, isl looks at the ends of all in every order: of nine for a second, and for each more six times as long."""


def is_bounded(values: isl.Set) -> bool:
    """Whether a set with one dimension has a smallest and a largest number."""
    place = isl.dim_type.set
    return bool(values.dim_has_lower_bound(place, 0) and values.dim_has_upper_bound(place, 0))


def condition_text(parameters: isl.Set) -> str:
    """The constraints of a set of parameters; "always" for all values, "never" for none."""
    if parameters.is_empty():
        return "never"
    _, colon, constraints = str(parameters.coalesce()).partition(" : ")
    return (constraints.removesuffix("}").strip() if colon else "") or "always"


def fix_parameters(domain: isl.Set, sizes: Mapping[str, int]) -> isl.Set:
    """The set at these values of its parameters."""
    for position in range(domain.dim(isl.dim_type.param)):
        name = str(domain.get_dim_name(isl.dim_type.param, position))
        if name in sizes:
            domain = domain.fix_val(isl.dim_type.param, position, isl.Val(sizes[name]))
    return domain


def ends_of(points: isl.Set, place: int = 0) -> tuple[int, int] | None:
    """The smallest and the largest value of a dimension; None where there is none, or nobody knows one of them."""
    if points.is_empty():
        return None
    low, high = points.dim_min_val(place), points.dim_max_val(place)
    return (int(low.to_python()), int(high.to_python())) if low.is_int() and high.is_int() else None


# --- Sets over loop counters, made from affine conditions -------------------------------------------------------------


_KEPT = "and or not implies exists mod floor floord ceil ceild min max rat true false infty infinity nan int"
_KEPT_WORDS = frozenset(_KEPT.split())


def parameters_of(domain: isl.Set) -> tuple[str, ...]:
    """Those that a set depends on."""
    kind = isl.dim_type.param
    return tuple(str(domain.get_dim_name(kind, k)) for k in range(domain.dim(kind)) if domain.involves_dims(kind, k, 1))


def is_reserved(name: str) -> bool:
    """Whether isl's text syntax keeps the word for itself, in capitals or not."""
    return name.lower() in _KEPT_WORDS


def condition_set(iterators: Sequence[str], condition: Condition) -> isl.Set:
    """``{ [iterators] : condition }``; every other variable of the condition is a parameter."""
    condition = without_choices(condition)
    parameters = sorted(condition_variables(condition) - set(iterators))
    return isl.Set(f"[{', '.join(parameters)}] -> {{ [{', '.join(iterators)}] : {condition_to_text(condition)} }}")


def without_choices(condition: Condition) -> Condition:
    """The same condition with every ``c ? a : b`` inside it split into its cases: isl has none in constraints."""
    match condition:
        case Compare(left, operator):
            choice = _choice_in(left)
            if choice is None:
                return condition
            then = Compare(_replaced(left, choice, choice.then), operator)
            otherwise = Compare(_replaced(left, choice, choice.otherwise), operator)
            cases = And((choice.condition, then)), And((Not(choice.condition), otherwise))
            return Or(tuple(without_choices(case) for case in cases))
        case And(operands):
            return And(tuple(without_choices(o) for o in operands))
        case Or(operands):
            return Or(tuple(without_choices(o) for o in operands))
        case Not(operand):
            return Not(without_choices(operand))


def universe(iterators: Sequence[str]) -> isl.Set:
    """All integer points of a space with these iterators."""
    return isl.Set(f"{{ [{', '.join(iterators)}] }}")
