"""The dimensions of a program: their sizes, the loop counters that stand for them, and affine expressions of them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import islpy as isl

from polyloop.backend.ir.affine import Affine, affine, at_least
from polyloop.scop.affine_isl import affine_from_aff, affine_to_text, condition_set, is_reserved
from polyloop.tensors import syntax
from polyloop.tensors.errors import Source, TensorError

_C_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while inf size
"""
_KEPT = frozenset(_C_WORDS.split())


def is_unusable(name: str) -> bool:
    """Whether the set library, C or this language keep the name for themselves."""
    return name in _KEPT or is_reserved(name)


@dataclass
class Dimension:
    """Attributes:
    counter: the loop counter, and the variable in subscripts.
    size: an affine expression of the parameters; None while unknown.
    """

    name: str
    counter: str
    size: Affine | None


class Dimensions:
    """All dimensions, in the order of the given sizes, then of their appearance.

    Attributes:
        parameters: names of the symbolic sizes.
        context, assumptions: as in `Scop`: sizes are positive; views stay inside.
    """

    def __init__(self, source: Source, program: syntax.Program, sizes: Mapping[str, int | str | None]) -> None:
        self.source = source
        found = _dimension_names(program)
        names = {name.name for item in program.items for name in _all_names(item)}
        for name in sizes:
            if name not in names:
                known = ", ".join(found) or "none"
                line = syntax.Span(0, len(source.text.split("\n")[0]))
                raise source.error("unknown-dimension", f"there is no dimension {name}; there are: {known}", line)
        given = {name: self._size(name, size, found.get(name, syntax.Span())) for name, size in sizes.items()}
        self.parameters = tuple(dict.fromkeys(v for size in given.values() for v in sorted(size.variables())))
        taken = {*self.parameters, *found, *given}
        self._all: dict[str, Dimension] = {}
        for name in (*given, *(n for n in found if n not in given)):
            if is_unusable(name):
                raise source.error(
                    "name", f"{name} is a reserved word; rename the dimension", found.get(name, syntax.Span())
                )
            counter = name
            while counter in self.parameters or (counter != name and counter in taken):
                counter += "_"
            taken.add(counter)
            self._all[name] = Dimension(name, counter, given.get(name))
        self._counters = {d.counter: d for d in self._all.values()}
        positive = " and ".join(f"{p} >= 1" for p in self.parameters) or "1 = 1"
        self.context = isl.Set(f"[{', '.join(self.parameters)}] -> {{ : {positive} }}")
        self.assumptions = isl.Set(f"[{', '.join(self.parameters)}] -> {{ : }}")

    def _size(self, name: str, size: object, span: syntax.Span) -> Affine:
        match size:
            case None:
                return affine(name)
            case str():
                if not re.fullmatch(r"[A-Za-z_]\w*", size, re.ASCII) or is_unusable(size):
                    raise self.source.error("size", f"{size!r} cannot be a parameter's name", span)
                return affine(size)
        try:
            value = operator.index(size)  # type: ignore[arg-type]
        except TypeError:
            value = 0
        if value < 1 or isinstance(size, bool):
            message = f"the size of {name} is {size!r}; it has to be a positive integer, a parameter's name, or None"
            raise self.source.error("size", message, span)
        if value >= 2**63:
            raise self.source.error("size", f"the size of {name} is {value}; sizes have 64 bits at most", span)
        return affine(value)

    def __contains__(self, name: str) -> bool:
        return name in self._all

    def ordered(self, names: set[str]) -> tuple[str, ...]:
        return tuple(name for name in self._all if name in names)

    def counter(self, name: str) -> str:
        return self._all[name].counter

    def known_size(self, name: str) -> Affine | None:
        return self._all[name].size

    def set_size(self, name: str, size: Affine) -> None:
        self._all[name].size = size

    def size(self, name: syntax.Name) -> Affine:
        """
        Raises:
            TensorError: where it was neither given nor follows from a tensor.
        """
        size = self._all[name.name].size if name.name in self._all else None
        if size is None:
            hint = f"give {name}=..., or {name}=None for a size that is known only when the kernel is called"
            raise self.source.error("missing-size", f"the size of {name} is not known: {hint}", name.span)
        return size

    def free(self, node: syntax.Node) -> dict[str, syntax.Name]:
        """The dimensions on which a value depends, at their first places."""
        match node:
            case syntax.Name(name):
                return {name: node} if name in self._all else {}
            case syntax.Apply(syntax.Name("size"), _):
                return {}
            case syntax.Reduce(reduction, dims, body):
                inner = self.free(body)
                for dim in dims:
                    if dim.name not in inner:
                        message = f"{dim} does not occur behind {reduction}({', '.join(map(str, dims))})"
                        raise self.source.error("unknown-dimension", message, dim.span)
                return {name: at for name, at in inner.items() if name not in {d.name for d in dims}}
        result: dict[str, syntax.Name] = {}
        for child in syntax.children(node):
            result = {**self.free(child), **result}
        return result

    def subscript(self, node: syntax.Node) -> Affine:
        """A subscript over loop counters and parameters."""
        return self._affine(node, lambda name: affine(self.counter(name.name)))

    def extent(self, node: syntax.Node) -> Affine:
        """An extent over parameters: dimensions stand for their sizes."""
        return self._affine(node, self.size)

    def _affine(self, node: syntax.Node, of_name: Callable[[syntax.Name], Affine]) -> Affine:
        def read(inner: syntax.Node) -> Affine:
            match inner:
                case syntax.Number(int() as value):
                    return affine(value)
                case syntax.Name():
                    return of_name(inner)
                case syntax.Apply(syntax.Name("size"), (syntax.Name() as name,)):
                    return self.size(name)
                case syntax.Negate(operand):
                    return -read(operand)
                case syntax.Operation("+", left, right):
                    return read(left) + read(right)
                case syntax.Operation("-", left, right):
                    return read(left) - read(right)
                case syntax.Operation("*" | "//" | "%" as sign, left, right):
                    product = _scaled(sign, read(left), read(right))
                    if product is not None:
                        return product
            raise self._not_affine(inner)

        return read(node)

    def _not_affine(self, node: syntax.Node) -> TensorError:
        match node:
            case syntax.Element():
                why = "a subscript cannot depend on data"
            case syntax.Operation("/"):
                why = "write // for a division that rounds down"
            case _:
                why = "a subscript is a sum of multiples of dimensions, // and % by positive constants included"
        return self.source.error("not-affine", why, node.span)

    def range(self, value: Affine, span: syntax.Span) -> tuple[Affine, Affine]:
        """The smallest and the largest value over all counters, both ends included."""
        low = high = affine(value.constant)
        for atom, factor in value.terms:
            if not isinstance(atom, str):
                return self._exact_range(value, span)
            if atom in self._counters:
                largest = (self._counters[atom].size or affine(1)) - 1
                low, high = (low, high + largest * factor) if factor > 0 else (low + largest * factor, high)
            else:
                low, high = low + affine(atom) * factor, high + affine(atom) * factor
        return low, high

    def _exact_range(self, value: Affine, span: syntax.Span) -> tuple[Affine, Affine]:
        used = [d for d in self._all.values() if d.counter in value.variables()]
        box = " and ".join(f"0 <= {d.counter} < {affine_to_text(d.size or affine(1))}" for d in used) or "1 = 1"
        counters = ", ".join(d.counter for d in used)
        text = f"{{ [{counters}] -> [{affine_to_text(value)}] : {box} }}"
        values = isl.Map(f"[{', '.join(self.parameters)}] -> {text}").intersect_params(self.context).range()
        ends = []
        for end in (values.dim_min(0), values.dim_max(0)):
            pieces = end.coalesce().get_pieces()
            if len(pieces) != 1:
                message = "the range of this view depends on the sizes in too many ways; give the sizes as integers"
                raise self.source.error("out-of-range", message, span)
            ends.append(affine_from_aff(pieces[0][1], ()))
        return ends[0], ends[1]

    def always(self, value: Affine) -> bool:
        """Whether value >= 0 for all parameters."""
        if value.is_constant:
            return value.constant >= 0
        bad = self.context & self.assumptions & condition_set((), at_least(-value, 1)).params()
        return bool(bad.is_empty())

    def assume(self, value: Affine) -> bool:
        """Assume value >= 0; False, and nothing assumed, where no parameters are left."""
        if self.always(value):
            return True
        if value.is_constant:
            return False
        holding = (self.assumptions & condition_set((), at_least(value, 0)).params()).coalesce()
        if (holding & self.context).is_empty():
            return False
        self.assumptions = holding
        return True


def _scaled(sign: str, left: Affine, right: Affine) -> Affine | None:
    if sign == "*":
        if left.is_constant:
            return right * left.constant
        return left * right.constant if right.is_constant else None
    if not right.is_constant or right.constant < 1:
        return None
    return left // right.constant if sign == "//" else left % right.constant


def _dimension_names(program: syntax.Program) -> dict[str, syntax.Span]:
    """Names in subscripts, in extents and behind reductions, at their first places."""
    found: dict[str, syntax.Span] = {}

    def names(node: syntax.Node) -> None:
        for inner in syntax.walk(node):
            if isinstance(inner, syntax.Name):
                found.setdefault(inner.name, inner.span)

    for item in program.items:
        match item:
            case syntax.Declaration(_, _, extents):
                for extent in extents:
                    names(extent)
            case syntax.Assignment(target, _, value):
                for node in (*syntax.walk(target), *syntax.walk(value)):
                    match node:
                        case syntax.Element(_, subscripts):
                            for subscript in subscripts:
                                names(subscript)
                        case syntax.Reduce(_, dims, _):
                            for dim in dims:
                                names(dim)
    return found


def _all_names(item: syntax.Declaration | syntax.Assignment) -> list[syntax.Name]:
    match item:
        case syntax.Declaration(_, _, extents):
            nodes: tuple[syntax.Node, ...] = extents
        case syntax.Assignment(target, _, value):
            nodes = (target, value)
    inside = [inner for node in nodes for inner in syntax.walk(node)]
    dims = [dim for node in inside if isinstance(node, syntax.Reduce) for dim in node.dims]
    return [*dims, *(node for node in inside if isinstance(node, syntax.Name))]
