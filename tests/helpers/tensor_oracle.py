"""The named-dimension language evaluated element by element in Python, in f64: the oracle of its lowering."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyloop.tensors.errors import Source
from polyloop.tensors.parse import parse
from polyloop.tensors.syntax import (
    Apply,
    Assignment,
    Element,
    Name,
    Negate,
    Node,
    Number,
    Operation,
    Reduce,
    children,
)

Point = Mapping[str, int]
Data = dict[str, NDArray[Any]]

FUNCTIONS: dict[str, Callable[..., float]] = {
    "relu": lambda x: max(x, 0.0),
    "tanh": math.tanh,
    "clamp": lambda x, low, high: min(max(x, low), high),
    "max": max,
    "min": min,
    "abs": abs,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)) if x > -700 else 0.0,
}
FOLDS: dict[str, tuple[float, Callable[[float, float], float]]] = {
    "+": (0.0, lambda a, b: a + b),
    "*": (1.0, lambda a, b: a * b),
    "max": (-math.inf, max),
    "min": (math.inf, min),
}
REDUCTIONS = {"sum": "+", "prod": "*", "max": "max", "min": "min"}


def evaluate(text: str, sizes: Mapping[str, int], data: Data) -> Data:
    """All tensors after the program; every dimension but those that concatenate has a size.

    Nothing is checked: the program has been accepted before.
    """
    data = {name: np.array(value, dtype=np.float64) for name, value in data.items()}
    for assignment in parse(Source(text)).assignments:
        _Evaluator(sizes, data).run(assignment)
    return data


class _Evaluator:
    def __init__(self, sizes: Mapping[str, int], data: Data) -> None:
        self.sizes = dict(sizes)
        self.data = data

    def run(self, assignment: Assignment) -> None:
        target, value = assignment.target, assignment.value
        name = target.tensor.name
        left = [s.name for s in target.subscripts if isinstance(s, Name)]
        if assignment.operator == "=" and isinstance(value, Apply) and value.function.name == "concat":
            self.data[name] = self.concatenated(left, value)
            return
        dims = sorted(self.free(target))
        reduced = sorted(self.free(value) - set(dims))
        if assignment.operator == "=":
            result = np.zeros([self.sizes[d] for d in left])
            for point in self.points(dims):
                at = tuple(point[d] for d in left)
                result[at] = self.fold("+", reduced, value, point) if reduced else self.value(value, point)
            self.data[name] = result
            return
        old, new = self.data[name], self.data[name].copy()
        assert old is not new
        combine = FOLDS[assignment.operator[:-1]][1]
        for point in self.points([*dims, *reduced]):
            at = tuple(int(self.value(s, point)) for s in target.subscripts)
            new[at] = combine(new[at], self.value(value, point))
        self.data[name] = new

    def concatenated(self, left: list[str], value: Apply) -> NDArray[Any]:
        parts = []
        for part in value.arguments:
            (own,) = self.free(part) - set(left)
            dims = [d if d in self.free(part) or d in self.sizes else own for d in left]
            (along,) = (k for k, d in enumerate(left) if not any(d in self.free(p) for p in value.arguments))
            dims[along] = own
            block = np.zeros([self.sizes[d] for d in dims])
            for point in self.points(dims):
                block[tuple(point[d] for d in dims)] = self.value(part, point)
            parts.append((along, block))
        return np.concatenate([block for _, block in parts], axis=parts[0][0])

    def points(self, dims: Iterable[str]) -> Iterable[dict[str, int]]:
        names = list(dims)
        for values in itertools.product(*(range(self.sizes[d]) for d in names)):
            yield dict(zip(names, values, strict=True))

    def free(self, node: Node) -> set[str]:
        match node:
            case Name(name):
                return {name} if name in self.sizes else set()
            case Apply(Name("size")):
                return set()
            case Reduce(_, dims, body):
                return self.free(body) - {d.name for d in dims}
        return set().union(*(self.free(c) for c in children(node)))

    def fold(self, operator: str, dims: Iterable[str], body: Node, point: Point) -> float:
        start, combine = FOLDS[operator]
        for inner in self.points(dims):
            start = combine(start, self.value(body, {**point, **inner}))
        return start

    def value(self, node: Node, point: Point) -> float:
        match node:
            case Number(value):
                return value
            case Name(name):
                return point[name] if name in point else float(self.data[name])
            case Element(tensor, subscripts):
                return float(self.data[tensor.name][tuple(int(self.value(s, point)) for s in subscripts)])
            case Negate(operand):
                return -self.value(operand, point)
            case Operation(operator, left, right):
                return _operate(operator, self.value(left, point), self.value(right, point))
            case Apply(Name("size"), (Name(name),)):
                return self.sizes[name]
            case Apply(Name("pad"), (Element(tensor, subscripts), fill)):
                at = [int(self.value(s, point)) for s in subscripts]
                inside = all(0 <= k < n for k, n in zip(at, self.data[tensor.name].shape, strict=True))
                return float(self.data[tensor.name][tuple(at)]) if inside else self.value(fill, point)
            case Apply(function, arguments):
                return FUNCTIONS[function.name](*(self.value(a, point) for a in arguments))
            case Reduce(reduction, dims, body):
                return self.fold(REDUCTIONS[reduction.name], [d.name for d in dims], body, point)


def _operate(operator: str, left: float, right: float) -> float:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return float(np.float64(left) / np.float64(right))
        case "//":
            return left // right
    return left % right
