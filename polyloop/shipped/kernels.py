"""The kernels that ship with polyloop: the computations of PolyBench 4.2, and matrix-vector multiplication.

Each is one C file under ``data/kernels``; ``kernels.toml`` beside them has sizes, initial values, results and
operation counts. What a file itself says (its function, its arguments and their shapes) is read from the file,
so that nothing stands in two places.

References:
    Pouchet and Yuki, "PolyBench/C 4.2.1", 2016: the selection of computations and the five dataset sizes. The
    C text and the initial values are our own; the values are drawn so that no zero, denormal or repeated value
    hides a wrong subscript.
"""

from __future__ import annotations

import ast
import operator
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from polyloop.errors import PolyloopError

Sizes: TypeAlias = Mapping[str, int]
Value: TypeAlias = NDArray[Any] | int | float

_FOLDER = Path(__file__).parents[1] / "data" / "kernels"
_DTYPES = {"double": np.float64, "float": np.float32, "int": np.int32, "signed char": np.int8}


FOLD = 5
"""Kernels in a fold."""


class UnknownKernelError(PolyloopError):
    """No kernel of that name ships with polyloop; the message suggests names that are near."""


class KernelSizeError(PolyloopError):
    """Sizes that a kernel cannot run with: a dataset or parameter that it does not have, or a bad value."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter of a kernel's C function.

    Attributes:
        name: as in C.
        ctype: ``int``, ``double``, ``float`` or ``signed char``; of an array, its elements' type.
        shape: the size parameters that are an array's extents, outermost first; empty for a scalar.
    """

    name: str
    ctype: str
    shape: tuple[str, ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of the argument or of its elements."""
        return np.dtype(_DTYPES[self.ctype])


@dataclass(frozen=True)
class KernelInfo:
    """What is known about one shipped kernel.

    Attributes:
        name: the kernel's name, which is also its file's: ``"heat-3d"``.
        function: the C function's name: ``"heat_3d"``.
        path: the C file.
        arguments: the C function's parameters in order: sizes, then scalars, then arrays.
        sizes: dataset name -> size parameter -> extent.
        values: how the scalars and arrays start, by argument; arrays that are not named start ``uniform``.
        outputs: the arrays that hold the result after a run.
        flops_formula: operations of one run, as an expression in the size parameters.
        note: what to know before comparing results; mostly empty.
    """

    name: str
    function: str
    path: Path
    arguments: tuple[Argument, ...]
    sizes: Mapping[str, Sizes]
    values: Mapping[str, str | float]
    outputs: tuple[str, ...]
    flops_formula: str
    note: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """The size parameters in C order."""
        return tuple(a.name for a in self.arguments if a.ctype == "int" and not a.shape)

    @property
    def is_floating(self) -> bool:
        """Whether any of the arrays is of a floating-point type."""
        return any(argument.shape and argument.dtype.kind == "f" for argument in self.arguments)

    def resolve(self, sizes: Sizes | str) -> dict[str, int]:
        """The extents in C order for a dataset's name (in any case) or for a mapping that has them all.

        Raises:
            KernelSizeError: for an unknown dataset, missing or unknown parameters, or an extent below 1.
        """
        if isinstance(sizes, str):
            if sizes.upper() not in self.sizes:
                raise KernelSizeError(f"{self.name} has no dataset {sizes!r}; there are {', '.join(self.sizes)}")
            return dict(self.sizes[sizes.upper()])
        missing = [p for p in self.parameters if p not in sizes]
        unknown = [p for p in sizes if p not in self.parameters]
        if missing or unknown:
            wrong = f"missing: {', '.join(missing)}" if missing else f"unknown: {', '.join(unknown)}"
            raise KernelSizeError(f"{self.name} takes the sizes {', '.join(self.parameters)}; {wrong}")
        for parameter, extent in sizes.items():
            if extent < 1:
                raise KernelSizeError(f"{self.name}: the size {parameter} is {extent}; it must be at least 1")
        return {parameter: int(sizes[parameter]) for parameter in self.parameters}

    def flops(self, sizes: Sizes | str) -> int:
        """Operations of one run: + - * / and calls of sqrt, exp, pow; for integer kernels +, min and max.

        Raises:
            KernelSizeError: as :meth:`resolve`.
        """
        return _evaluate(self.flops_formula, self.resolve(sizes))


def kernel_names() -> tuple[str, ...]:
    """The names of all kernels, in the table's order."""
    return tuple(_table()["kernels"])


def kernel_fold(number: int) -> tuple[str, ...]:
    """Five of PolyBench's thirty kernels: those of fold 0 to 5, to test a policy on that was trained on the others.

    The kernels stand in the order of sha256("fold:<name>"), so that a fold has kernels of all kinds.

    Raises:
        UnknownKernelError: if there is no such fold.
    """
    names = sorted(set(kernel_names()) - {"matvec"}, key=lambda name: sha256(f"fold:{name}".encode()).digest())
    if not 0 <= number < len(names) // FOLD:
        raise UnknownKernelError(f"there is no fold {number} of the kernels; there are 0 to {len(names) // FOLD - 1}")
    return tuple(names[FOLD * number : FOLD * (number + 1)])


@cache
def kernel(name: str) -> KernelInfo:
    """Look a kernel up.

    Raises:
        UnknownKernelError: if there is none of that name; the message suggests near ones.
    """
    table = _table()
    if name not in table["kernels"]:
        near = get_close_matches(name, kernel_names(), n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(kernel_names())}"
        raise UnknownKernelError(f"no kernel is called {name!r}; {hint}")
    row = table["kernels"][name]
    path = _FOLDER / f"{name}.c"
    function, arguments = _signature(path)
    columns = [
        MappingProxyType(dict(zip(row["sizes"], column, strict=True)))
        for column in zip(*row["sizes"].values(), strict=True)
    ]
    return KernelInfo(
        name=name,
        function=function,
        path=path,
        arguments=arguments,
        sizes=MappingProxyType(dict(zip(table["datasets"], columns, strict=True))),
        values=MappingProxyType(row.get("values", {})),
        outputs=tuple(row["outputs"]),
        flops_formula=row["flops"],
        note=row.get("note", ""),
    )


def inputs(name: str, sizes: Sizes | str, seed: int = 0) -> dict[str, Value]:
    """Fresh arguments for one run of a kernel.

    Args:
        name: the kernel's name.
        sizes: the extent of every size parameter, or a dataset's name.
        seed: equal seeds give equal values; arrays are drawn independently of one another.
    Returns:
        Every parameter of the C function, in its order: sizes as ``int``, scalars as ``float``, arrays as
        C-contiguous numpy arrays. Arrays that the kernel only writes hold values as well.
    Raises:
        UnknownKernelError: if there is no such kernel.
        KernelSizeError: if the sizes do not fit it.
    """
    info = kernel(name)
    extents = info.resolve(sizes)
    made: dict[str, Value] = {}
    for position, argument in enumerate(info.arguments):
        value = info.values.get(argument.name, "uniform")
        if argument.name in extents:
            made[argument.name] = extents[argument.name]
        elif argument.shape:
            shape = tuple(extents[p] for p in argument.shape)
            generator = np.random.default_rng([seed, position])
            made[argument.name] = _ARRAYS[str(value)](generator, shape, argument.dtype)
        else:
            made[argument.name] = float(_evaluate(value, extents) if isinstance(value, str) else value)
    return made


# --- Reading the table and the C files ---------------------------------------------------------------------


@cache
def _table() -> Mapping[str, Any]:
    with (_FOLDER / "kernels.toml").open("rb") as file:
        return tomllib.load(file)


def _signature(path: Path) -> tuple[str, tuple[Argument, ...]]:
    """The name and the parameters of the one function in a kernel's file."""
    head = re.search(r"^void (\w+)\(([^)]*)\)", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert head is not None, f"{path} has no function"
    arguments = []
    for text in head[2].split(","):
        declaration = re.fullmatch(r"\s*([a-z ]+?)\s+(\w+)((?:\[\w+\])*)\s*", text)
        assert declaration is not None, f"{path}: cannot read the parameter {text!r}"
        ctype, name, extents = declaration.groups()
        arguments.append(Argument(name, ctype, tuple(re.findall(r"\w+", extents))))
    return head[1], tuple(arguments)


_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def _evaluate(formula: str, sizes: Sizes) -> int:
    """The value of an integer formula of the table in +, -, *, // and the size parameters."""

    def value(node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.Name(id=name):
                return sizes[name]
            case ast.BinOp(left=left, op=op, right=right):
                return _OPERATORS[type(op)](value(left), value(right))
        raise ValueError(f"cannot evaluate {ast.unparse(node)!r} in {formula!r}")

    return value(ast.parse(formula, mode="eval").body)


# --- Initial values ----------------------------------------------------------------------------------------


def _uniform(generator: np.random.Generator, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    values = generator.random(shape)
    values += 0.5
    return values.astype(dtype, copy=False)


def _dominant(generator: np.random.Generator, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    values = _uniform(generator, shape, dtype)
    values[np.diag_indices(shape[0])] += 2 * shape[0]
    return values


def _positive_definite(generator: np.random.Generator, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    values = _dominant(generator, shape, dtype)
    mirrored: NDArray[Any] = np.tril(values) + np.tril(values, -1).T
    return mirrored


def _correlated(generator: np.random.Generator, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    values = _uniform(generator, shape, dtype)
    values += _uniform(generator, (shape[0], 1), dtype)
    return values


def _summable(generator: np.random.Generator, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    # The absolute values of a row sum up to less than 2 * 1.5 / 4, below the unit diagonal.
    values = _uniform(generator, shape, dtype)
    values /= 4 * shape[0]
    return values


def _distances(generator: np.random.Generator, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    # So large that among all paths hardly any two are equally long, and no sum of two overflows.
    return generator.integers(1, 1_000_000, shape).astype(dtype)


def _bases(generator: np.random.Generator, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    return generator.integers(0, 4, shape).astype(dtype)


def _zeros(generator: np.random.Generator, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    return np.zeros(shape, dtype)


_ARRAYS: Mapping[str, Callable[[np.random.Generator, tuple[int, ...], DTypeLike], NDArray[Any]]] = {
    "uniform": _uniform,
    "dominant": _dominant,
    "positive-definite": _positive_definite,
    "correlated": _correlated,
    "summable": _summable,
    "distances": _distances,
    "bases": _bases,
    "zeros": _zeros,
}
