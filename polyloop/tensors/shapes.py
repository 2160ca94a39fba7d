"""Types and shapes of all tensors, and the checks of every view against them.

A tensor's shape is declared, or follows from the statement that defines it, or, for one that is given, from the
ranges of all views of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import ScalarType
from polyloop.tensors import syntax
from polyloop.tensors.dimensions import Dimensions, is_unusable
from polyloop.tensors.errors import Source
from polyloop.tensors.values import FUNCTION_NAMES, TYPES


@dataclass
class Tensor:
    """Attributes:
    shape: None until it is known.
    defined: a statement with `=` has given it its values.
    updated: a statement accumulates into it.
    views: of one whose shape is to be inferred: subscripts and the largest value of each.
    """

    name: str
    type: ScalarType
    rank: int
    shape: tuple[Affine, ...] | None = None
    declared: bool = False
    defined: bool = False
    updated: bool = False
    views: list[tuple[syntax.Element, tuple[Affine, ...]]] = field(default_factory=list)


@dataclass(frozen=True)
class View:
    """An element as it stands in the text, and whether it is padded: then it may leave the tensor."""

    element: syntax.Element
    padded: bool


class Shapes:
    """Reads the declarations and the statements in order; afterwards every tensor has a shape.

    Attributes:
        tensors: in order of first appearance.

    Raises:
        TensorError: at the first mistake.
    """

    def __init__(self, source: Source, program: syntax.Program, dimensions: Dimensions, dtype: ScalarType) -> None:
        self.source = source
        self.dimensions = dimensions
        self.dtype = dtype
        self.tensors: dict[str, Tensor] = {}
        self.to_define = [a.target.tensor.name for a in program.assignments if a.operator == "="]
        self._types: dict[str, ScalarType] = {}
        for declaration in program.declarations:
            self._declare(declaration, program)
        for assignment in program.assignments:
            self._scan(assignment)
        used = {v.tensor.name for a in program.assignments for v in (a.target, *syntax.elements(a.value))}
        for declaration in program.declarations:
            name = declaration.tensor.name
            if name not in used:
                raise source.error("undefined", f"{name} is declared and never used", declaration.tensor.span)
        for tensor in self.tensors.values():
            if tensor.shape is None:
                self._infer(tensor)

    def _new(self, name: syntax.Name, type_: ScalarType, rank: int) -> Tensor:
        if is_unusable(name.name):
            raise self.source.error("name", f"{name} is a reserved word; rename the tensor", name.span)
        if name.name in self.dimensions or name.name in self.dimensions.parameters:
            raise self.source.error("name", f"{name} is a dimension, and here a tensor; rename one", name.span)
        tensor = self.tensors[name.name] = Tensor(name.name, type_, rank)
        return tensor

    def _declare(self, declaration: syntax.Declaration, program: syntax.Program) -> None:
        name, dtype = declaration.tensor, declaration.dtype
        if name.name in self.tensors:
            raise self.source.error("name", f"{name} is declared twice", name.span)
        type_ = self.dtype
        if dtype is not None:
            type_ = scalar_type(dtype.name, self.source, dtype.span)
        tensor = self._new(name, type_, len(declaration.extents))
        if not declaration.extents and dtype is not None and self._has_subscripts(name, program):
            # A type alone: the shape is inferred as ever.
            del self.tensors[name.name]
            self._types[name.name] = type_
            return
        for extent in declaration.extents:
            if not self.dimensions.assume(self.dimensions.extent(extent) - 1):
                message = f"an extent of {name} is not positive: {self.dimensions.extent(extent)}"
                raise self.source.error("size", message, extent.span)
        tensor.shape = tuple(self.dimensions.extent(extent) for extent in declaration.extents)
        tensor.declared = True

    @staticmethod
    def _has_subscripts(name: syntax.Name, program: syntax.Program) -> bool:
        views = (v for a in program.assignments for v in (a.target, *syntax.elements(a.value)))
        return any(v.tensor.name == name.name and v.subscripts for v in views)

    # --- statements ---------------------------------------------------------------------------------------------------

    def _scan(self, assignment: syntax.Assignment) -> None:
        target, value = assignment.target, assignment.value
        self._check_forms(assignment)
        views = list(_views(value))
        for view in views:
            self._check_read(assignment, view)
        self._known_rank(target)
        if assignment.operator == "=":
            self._check_plain(target)
        self._infer_sizes(target, views)
        left, right = self.dimensions.free(target), self.dimensions.free(value)
        if isinstance(value, syntax.Apply) and value.function.name == "concat" and assignment.operator == "=":
            self.concatenation(assignment)
        for name in {**right, **left}.values():
            self.dimensions.size(name)
        for dim in syntax.bound(value):
            self.dimensions.size(dim)
        self._check_reduction(assignment, left, right)
        for view in views:
            self._check_view(view)
        self._store(assignment)

    def _check_forms(self, assignment: syntax.Assignment) -> None:
        for node in syntax.walk(assignment.value):
            match node:
                case syntax.Apply(syntax.Name("concat")) if node is not assignment.value or assignment.operator != "=":
                    raise self.source.error("type", "concat stands alone on the right of =", node.span)
                case syntax.Apply(syntax.Name("pad"), arguments):
                    if len(arguments) != 2 or not isinstance(arguments[0], syntax.Element):
                        message = "pad takes a view of a tensor and a number, as in pad(A[i - 1], 0)"
                        raise self.source.error("type", message, node.span)

    def _known_rank(self, element: syntax.Element) -> Tensor:
        name, rank = element.tensor, len(element.subscripts)
        tensor = self.tensors.get(name.name)
        if tensor is None:
            return self._new(name, self._types.get(name.name, self.dtype), rank)
        if tensor.rank != rank:
            message = f"{name} has {_count(tensor.rank, 'dimension')}, here are {_count(rank, 'subscript')}"
            raise self.source.error("rank", message, element.span)
        return tensor

    def _check_read(self, assignment: syntax.Assignment, view: View) -> None:
        element, name = view.element, view.element.tensor
        known = self.tensors.get(name.name)
        is_target = name.name == assignment.target.tensor.name
        if (known is None or not (known.declared or known.defined or known.views)) and name.name in self.to_define:
            message = f"{name} is read before a statement defines it; declare it ({name}: [...]) if it is given"
            raise self.source.error("undefined", message, name.span)
        self._known_rank(element)
        pointwise = assignment.operator == "=" and element == assignment.target and not self._reduces(assignment)
        # Padded views are copied before anything is stored.
        if is_target and not pointwise and not view.padded:
            message = f"{name} is changed by this statement and read at other places; store into another tensor"
            raise self.source.error("self-read", message, element.span)

    def _reduces(self, assignment: syntax.Assignment) -> bool:
        left, right = self.dimensions.free(assignment.target), self.dimensions.free(assignment.value)
        inside = (e for reduction in syntax.reductions(assignment.value) for e in syntax.elements(reduction))
        reads_itself = any(e.tensor == assignment.target.tensor for e in inside)
        return bool(right.keys() - left.keys()) or reads_itself

    def _check_plain(self, target: syntax.Element) -> None:
        seen: set[str] = set()
        for subscript in target.subscripts:
            match subscript:
                case syntax.Name(name) if name not in seen:
                    seen.add(name)
                case syntax.Name(name):
                    message = f"{name} stands twice on the left of =; += can accumulate into a view"
                    raise self.source.error("output-dimension", message, subscript.span)
                case _:
                    message = "= needs one dimension for each subscript on the left; += can accumulate into a view"
                    raise self.source.error("output-dimension", message, subscript.span)

    def _infer_sizes(self, target: syntax.Element, views: list[View]) -> None:
        """A dimension that is a subscript by itself is as large as the extent there."""
        for element in (*(v.element for v in views if not v.padded), target):
            shape = self.tensors[element.tensor.name].shape
            for subscript, extent in zip(element.subscripts, shape or (), strict=False):
                match subscript:
                    case syntax.Name(name) if self.dimensions.known_size(name) is None:
                        self.dimensions.set_size(name, extent)

    def _check_reduction(
        self, assignment: syntax.Assignment, left: dict[str, syntax.Name], right: dict[str, syntax.Name]
    ) -> None:
        reduced = [name for name in right if name not in left]
        concat = isinstance(assignment.value, syntax.Apply) and assignment.value.function.name == "concat"
        if concat or not (reduced or any(syntax.reductions(assignment.value))):
            return
        for name, at in left.items():
            if name not in right:
                message = f"{name} does not occur on the right side, which is reduced; only an elementwise statement "
                message += f"is repeated along {name}"
                raise self.source.error("output-dimension", message, at.span)
        for term in syntax.terms(assignment.value) if reduced else ():
            missing = next((name for name in reduced if name not in self.dimensions.free(term)), None)
            if missing is not None:
                message = f"the right side is reduced over {missing}, on which this term does not depend: it would "
                message += f"count once for every {missing}; write sum({missing}) before the part that is meant"
                raise self.source.error("ambiguous", message, term.span)
        match assignment.value:
            case syntax.Apply(function) if reduced and assignment.operator == "=" and function.name in FUNCTION_NAMES:
                over = ", ".join(reduced)
                message = f"the sum over {over}: before or after {function}? write {function}(sum({over}) ...) or "
                message += f"sum({over}) {function}(...)"
                raise self.source.error("ambiguous", message, assignment.value.span)

    def concatenation(self, assignment: syntax.Assignment) -> tuple[syntax.Name, list[tuple[syntax.Node, str, Affine]]]:
        """The dimension along which tensors are joined; for each its value, its own dimension and where it starts.

        Raises:
            TensorError: if that is not clear.
        """
        assert isinstance(assignment.value, syntax.Apply)
        left, right = self.dimensions.free(assignment.target), self.dimensions.free(assignment.value)
        along = [at for name, at in left.items() if name not in right]
        if len(along) != 1:
            message = f"concat joins along the one dimension that stands on the left only; here are {len(along)}"
            raise self.source.error("output-dimension", message, assignment.target.span)
        start = affine(0)
        parts: list[tuple[syntax.Node, str, Affine]] = []
        for part in assignment.value.arguments:
            own = [at for name, at in self.dimensions.free(part).items() if name not in left]
            if len(own) != 1:
                message = f"each part needs one dimension that runs along {along[0]}; this one has {len(own)}"
                raise self.source.error("output-dimension", message, part.span)
            parts.append((part, own[0].name, start))
            start = start + self.dimensions.size(own[0])
        known = self.dimensions.known_size(along[0].name)
        if known is None:
            self.dimensions.set_size(along[0].name, start)
        elif known != start:
            message = f"the parts have {start} elements along {along[0]}, its size is {known}"
            raise self.source.error("out-of-range", message, along[0].span)
        return along[0], parts

    # --- views --------------------------------------------------------------------------------------------------------

    def _check_view(self, view: View) -> None:
        element = view.element
        tensor = self.tensors[element.tensor.name]
        if view.padded:
            if tensor.shape is None:
                message = f"padding needs the extents of {tensor.name}; declare it before, as in {tensor.name}: [n, m]"
                raise self.source.error("missing-size", message, element.span)
            return
        largest = []
        for k, subscript in enumerate(element.subscripts):
            low, high = self.dimensions.range(self.dimensions.subscript(subscript), subscript.span)
            end = tensor.shape[k] if tensor.shape is not None else None
            inside = self.dimensions.assume(low) and (end is None or self.dimensions.assume(end - 1 - high))
            if not inside:
                extent = f"0 to {end - 1}" if end is not None else "0 on"
                message = f"this subscript of {tensor.name} runs from {low} to {high}, and the tensor from {extent}; "
                message += "shift the view, change a size, or write pad(..., 0) around it"
                raise self.source.error("out-of-range", message, subscript.span)
            largest.append(high)
        if tensor.shape is None:
            tensor.views.append((element, tuple(largest)))

    def _store(self, assignment: syntax.Assignment) -> None:
        target = assignment.target
        tensor = self.tensors[target.tensor.name]
        if assignment.operator != "=":
            self._check_view(View(target, False))
            tensor.updated = True
            return
        shape = tuple(self.dimensions.size(s) for s in target.subscripts if isinstance(s, syntax.Name))
        for subscript, new, old in zip(target.subscripts, shape, tensor.shape or shape, strict=True):
            if new != old:
                message = f"the extent of {tensor.name} is {old} here, and the size of {subscript} is {new}"
                raise self.source.error("rank", message, subscript.span)
        tensor.shape = shape
        tensor.defined = True

    def _infer(self, tensor: Tensor) -> None:
        """The smallest extents that hold all views."""
        shape = []
        for k in range(tensor.rank):
            ends = list(dict.fromkeys(largest[k] + 1 for _, largest in tensor.views))
            covers = (end for end in ends if all(self.dimensions.always(end - other) for other in ends))
            extent = next(covers, None)
            if extent is None:
                message = f"the extent of {tensor.name} is the largest of {', '.join(map(str, ends))}; declare it, "
                message += f"as in {tensor.name}: [n, m]"
                raise self.source.error("missing-size", message, tensor.views[0][0].subscripts[k].span)
            shape.append(extent)
        tensor.shape = tuple(shape)


def scalar_type(name: str, source: Source, span: syntax.Span) -> ScalarType:
    """
    Raises:
        TensorError: for an unknown name.
    """
    if name not in TYPES:
        raise source.error("dtype", f"unknown type {name}; there are {', '.join(TYPES)}", span)
    return TYPES[name]


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _views(node: syntax.Node, padded: bool = False) -> Iterator[View]:
    match node:
        case syntax.Element():
            yield View(node, padded)
        case syntax.Apply(syntax.Name("pad"), (first, fill)):
            yield from _views(first, True)
            yield from _views(fill)
        case _:
            for child in syntax.children(node):
                yield from _views(child)
