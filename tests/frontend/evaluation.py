"""Runs a Scop in plain Python: every instance in the order of the original schedule, by the expression interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from polyloop.backend.ir.affine import affine
from polyloop.backend.ir.expressions import Select, affine_access, dtype_of
from polyloop.backend.ir.interpreter import Environment, evaluate
from polyloop.scop.affine_isl import affine_to_text
from polyloop.scop.model import Array, Scop, Statement

Data = NDArray[Any]


def points_of(scop: Scop, statement: Statement, parameters: Mapping[str, int]) -> list[tuple[int, ...]]:
    """The statement's iteration vectors for these parameters."""
    fixed = " and ".join(f"{name} = {parameters[name]}" for name in scop.parameters) or "0 = 0"
    domain = statement.domain.intersect_params(isl.Set(f"[{', '.join(scop.parameters)}] -> {{ : {fixed} }}"))
    assert domain.is_empty() or domain.is_bounded(), f"{statement.name} is unbounded"
    found: list[isl.Point] = []
    domain.foreach_point(found.append)
    return [tuple(p.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(statement.depth)) for p in found]


def assumptions_hold(scop: Scop, parameters: Mapping[str, int]) -> bool:
    fixed = " and ".join(f"{name} = {parameters[name]}" for name in scop.parameters) or "0 = 0"
    point = isl.Set(f"[{', '.join(scop.parameters)}] -> {{ : {fixed} }}")
    return bool(point.is_subset(scop.assumptions & scop.context))


def run_scop(scop: Scop, arguments: Mapping[str, int | float | Data]) -> None:
    """Execute in place. Arrays are given as C sees them; linearised ones are viewed with the rows that were found."""
    parameters = {name: int(arguments[name]) for name in scop.parameters}
    assert assumptions_hold(scop, parameters), f"{scop.assumptions} at {parameters}"
    arrays = {array.name: _view(array, arguments, parameters) for array in scop.arrays}
    width = max(len(s.schedule) for s in scop.statements)
    instances = []
    for order, statement in enumerate(scop.statements):
        for point in points_of(scop, statement, parameters):
            values = {**parameters, **dict(zip(statement.iterators, point, strict=True))}
            time = [row.evaluate(values) for row in statement.schedule]
            instances.append((time + [0] * (width - len(time)), order, values))
    instances.sort(key=lambda instance: instance[:2])
    for _, order, values in instances:
        statement = scop.statements[order]
        environment = Environment(values, arrays, contract=False)
        match statement.value:
            case Select(condition) if statement.conditional and not evaluate(condition, environment):
                continue
        found = [affine(int(evaluate(datum.value, environment))) for datum in statement.target.data]
        position = tuple(s.evaluate(values) for s in affine_access(statement.target, found).subscripts)
        target = arrays[statement.target.array]
        assert all(0 <= p < n for p, n in zip(position, target.shape, strict=True)), (statement.name, position)
        type_ = scop.array(statement.target.array).type
        assert statement.value.type == type_, f"{statement.name} stores {statement.value.type} into {type_}"
        target[position] = np.array(evaluate(statement.value, environment), dtype_of(type_))


def _view(array: Array, arguments: Mapping[str, int | float | Data], parameters: Mapping[str, int]) -> Data:
    dtype = dtype_of(array.type)
    if array.local:
        return np.zeros([e.evaluate(parameters) for e in array.shape if e is not None], dtype)
    given = arguments.get(array.name, 0)
    if not isinstance(given, np.ndarray):
        return np.array(given, dtype)
    assert given.dtype == dtype, f"{array.name} is {array.type}"
    rows = [e.evaluate(parameters) for e in array.shape[1:] if e is not None]
    view = given.reshape(-1, *rows) if given.ndim != len(array.shape) else given
    assert np.shares_memory(view, given)
    return view


def schedule_text(statement: Statement) -> str:
    return "[" + ", ".join(affine_to_text(row) for row in statement.schedule) + "]"
