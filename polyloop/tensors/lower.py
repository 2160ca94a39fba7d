"""From checked statements to a Scop: one nest for every initialisation, accumulation and elementwise statement.

Nests are not fused and stand in the text's order; their loops stand in the dimensions' order. Padded views and inner
reductions get tensors of their own, which are local.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import islpy as isl

from polyloop.arithmetic import reduction_of
from polyloop.backend.ir.affine import Affine, affine
from polyloop.backend.ir.expressions import F32, I64, Access, Expression, Index, Read, ScalarType
from polyloop.backend.ir.loop_nest import numbered_name
from polyloop.scop.affine_isl import affine_to_text
from polyloop.scop.model import Array, Scop, Statement
from polyloop.tensors import syntax
from polyloop.tensors.dimensions import Dimensions
from polyloop.tensors.errors import Source
from polyloop.tensors.shapes import Shapes
from polyloop.tensors.values import Misfit, Value, Weak, apply, combine, minus, neutral, typed

Loop = tuple[str, Affine]
"""A counter and how many values it takes, from 0 on."""


@dataclass
class _Lowering:
    source: Source
    dimensions: Dimensions
    shapes: Shapes
    statements: list[Statement] = field(default_factory=list)
    locals: dict[str, Array] = field(default_factory=dict)
    # Of the present statement: the type of its result, and the views and reductions that are computed before it.
    default: ScalarType = F32
    computed: dict[syntax.Node, Expression] = field(default_factory=dict)

    def assignment(self, assignment: syntax.Assignment) -> None:
        target, value = assignment.target, assignment.value
        self.default = self.shapes.tensors[target.tensor.name].type
        self.computed.clear()
        operator = syntax.ASSIGNMENTS[assignment.operator]
        left = set(self.dimensions.free(target))
        reduced = self.dimensions.free(value).keys() - left
        match value:
            case syntax.Apply(syntax.Name("concat")) if operator is None:
                self._concatenate(assignment)
            case syntax.Apply(syntax.Name("pad"), (syntax.Element(tensor) as view, fill)) if (
                operator is None and not reduced and tensor != target.tensor
            ):
                self._pad_into(assignment, view, fill)
            case syntax.Reduce(reduction, dims, body) if (
                operator in (None, syntax.REDUCTIONS[reduction.name]) and not reduced and not left & set(_names(dims))
            ):
                self._store(target, body, syntax.REDUCTIONS[reduction.name], {*left, *_names(dims)}, operator is None)
            case _ if operator is None and not reduced:
                self._accumulate_in_place(assignment)
                self._store(target, value, "", left, False)
            case _:
                self._store(target, value, operator or "+", {*left, *reduced}, operator is None)

    def _store(
        self, target: syntax.Element, value: syntax.Node, operator: str, dims: set[str], initialise: bool
    ) -> None:
        access, type_ = self._access(target), self.shapes.tensors[target.tensor.name].type
        # First what the value needs, then the initialisation.
        result = self.value(value)
        if initialise:
            outer = self._loops(set(self.dimensions.free(target)))
            self.emit(outer, access, neutral(operator, type_), target.span)
        self._update(self._loops(dims), access, type_, operator, result, value)

    def _update(
        self, loops: Sequence[Loop], access: Access, type_: ScalarType, operator: str, value: Value, node: syntax.Node
    ) -> None:
        """``access = access operator value``; without an operator ``access = value``."""
        if operator:
            value = self._combined(operator, Read(access, type_), value, node)
        self.emit(loops, access, self._typed(value, type_, node), node.span)

    def _accumulate_in_place(self, assignment: syntax.Assignment) -> None:
        """The first reduction with the output's dimensions and type takes the output itself as its accumulator."""
        target, value = assignment.target, assignment.value
        if any(e.tensor == target.tensor for e in syntax.elements(value)):
            return
        left = set(self.dimensions.free(target))
        type_ = self.shapes.tensors[target.tensor.name].type
        for node in syntax.reductions(value, outermost=True):
            if set(self.dimensions.free(node)) == left and not left & set(_names(node.dims)):
                inner = self.value(node.body)
                if isinstance(inner, Weak) or inner.type != type_:
                    continue
                operator, access = syntax.REDUCTIONS[node.reduction.name], self._access(target)
                self.emit(self._loops(left), access, neutral(operator, type_), node.span)
                loops = self._loops({*left, *_names(node.dims)})
                self._update(loops, access, type_, operator, inner, node.body)
                self.computed[node] = Read(access, type_)
                return

    def _concatenate(self, assignment: syntax.Assignment) -> None:
        along, parts = self.shapes.concatenation(assignment)
        for part, own, start in parts:
            access = self._access(assignment.target)
            moved = {self.dimensions.counter(along.name): affine(self.dimensions.counter(own)) + start}
            access = Access(access.array, tuple(s.substitute(moved) for s in access.subscripts))
            dims = {*self.dimensions.free(assignment.target), own} - {along.name}
            type_ = self.shapes.tensors[access.array].type
            self.emit(self._loops(dims), access, self._typed(self.value(part), type_, part), part.span)

    def _pad_into(self, assignment: syntax.Assignment, view: syntax.Element, fill: syntax.Node) -> None:
        """Fill the output, then copy what lies inside."""
        access = self._access(assignment.target)
        tensor = self.shapes.tensors[view.tensor.name]
        loops = self._loops(set(self.dimensions.free(assignment.target)))
        type_ = self.shapes.tensors[access.array].type
        self.emit(loops, access, self._typed(self._constant(fill), type_, fill), fill.span)
        inside = self._access(view)
        conditions = _within(inside.subscripts, tensor.shape or ())
        self.emit(loops, access, self._typed(Read(inside, tensor.type), type_, view), view.span, conditions)

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, node: syntax.Node) -> Value:
        if node in self.computed:
            return self.computed[node]
        match node:
            case syntax.Number(number):
                return Weak(number)
            case syntax.Name(name):
                return Index(affine(self.dimensions.counter(name)), I64)
            case syntax.Element(tensor):
                return Read(self._access(node), self.shapes.tensors[tensor.name].type)
            case syntax.Negate(operand):
                return minus(self.value(operand))
            case syntax.Operation("//" | "%" as operator, _, _):
                raise self.source.error("type", f"the operator {operator} is for subscripts only", node.span)
            case syntax.Operation(operator, left, right):
                return self._combined(operator, self.value(left), self.value(right), node)
            case syntax.Apply(syntax.Name("pad"), (syntax.Element() as view, fill)):
                self.computed[node] = self._padded(view, fill)
                return self.computed[node]
            case syntax.Apply(function, arguments):
                values = tuple(self.value(a) for a in arguments)
                try:
                    return apply(function.name, values, self.default)
                except Misfit as misfit:
                    raise self.source.error("type", str(misfit), node.span) from None
            case syntax.Reduce():
                self.computed[node] = self._reduced(node)
                return self.computed[node]

    def _combined(self, operator: str, left: Value, right: Value, node: syntax.Node) -> Value:
        try:
            return combine(operator, left, right, self.default)
        except Misfit as misfit:
            raise self.source.error("type", str(misfit), node.span) from None

    def _typed(self, value: Value, type_: ScalarType, node: syntax.Node) -> Expression:
        try:
            return typed(value, type_)
        except Misfit as misfit:
            raise self.source.error("type", str(misfit), node.span) from None

    def _constant(self, node: syntax.Node) -> Weak:
        value = self.value(node)
        if not isinstance(value, Weak):
            raise self.source.error("type", "what a view is padded with has to be a number", node.span)
        return value

    def _access(self, element: syntax.Element) -> Access:
        return Access(element.tensor.name, tuple(self.dimensions.subscript(s) for s in element.subscripts))

    def _reduced(self, node: syntax.Reduce) -> Expression:
        """The read of a local tensor over the dimensions on which the reduction depends."""
        operator = syntax.REDUCTIONS[node.reduction.name]
        free = set(self.dimensions.free(node))
        value = self.value(node.body)
        type_ = self.default if isinstance(value, Weak) else value.type
        loops = self._loops(free)
        array = self._local(node.reduction.name, type_, [extent for _, extent in loops])
        access = Access(array, tuple(affine(counter) for counter, _ in loops))
        self.emit(loops, access, neutral(operator, type_), node.span)
        inner = self._loops({*free, *_names(node.dims)})
        self._update(inner, access, type_, operator, value, node.body)
        return Read(access, type_)

    def _padded(self, view: syntax.Element, fill: syntax.Node) -> Expression:
        """The read of a local copy that holds the whole range of the view."""
        tensor = self.shapes.tensors[view.tensor.name]
        subscripts = self._access(view).subscripts
        ranges = [self.dimensions.range(s, n.span) for s, n in zip(subscripts, view.subscripts, strict=True)]
        taken = {*self.dimensions.parameters, *self.shapes.tensors}
        counters = [numbered_name(f"p{k}", taken) for k in range(tensor.rank)]
        loops = [(c, high - low + 1) for c, (low, high) in zip(counters, ranges, strict=True)]
        copy = Access(
            self._local(f"{tensor.name}_padded", tensor.type, [extent for _, extent in loops]),
            tuple(affine(c) for c in counters),
        )
        self.emit(loops, copy, self._typed(self._constant(fill), tensor.type, fill), fill.span)
        inside = tuple(affine(c) + low for c, (low, _) in zip(counters, ranges, strict=True))
        conditions = _within(inside, tensor.shape or ())
        self.emit(loops, copy, Read(Access(tensor.name, inside), tensor.type), view.span, conditions)
        shifted = tuple(s - low for s, (low, _) in zip(subscripts, ranges, strict=True))
        return Read(Access(copy.array, shifted), tensor.type)

    # --- statements of the Scop ---------------------------------------------------------------------------------------

    def _loops(self, dims: set[str]) -> list[Loop]:
        ordered = self.dimensions.ordered(dims)
        return [(self.dimensions.counter(d), self.dimensions.known_size(d) or affine(1)) for d in ordered]

    def _local(self, stem: str, type_: ScalarType, shape: Sequence[Affine]) -> str:
        taken = {*self.dimensions.parameters, *self.shapes.tensors, *self.locals}
        name = numbered_name(stem if stem not in syntax.REDUCTIONS else f"{stem}_", taken)
        self.locals[name] = Array(name, type_, tuple(shape), local=True)
        return name

    def emit(
        self,
        loops: Sequence[Loop],
        target: Access,
        value: Expression,
        span: syntax.Span,
        conditions: Sequence[Affine] = (),
    ) -> None:
        """Append a nest of its own: ``target = value`` wherever all conditions are >= 0."""
        counters = tuple(counter for counter, _ in loops)
        taken = {*self.dimensions.parameters, *self.shapes.tensors, *self.locals}
        name = f"S{len(self.statements)}"
        while name in taken:
            name += "_"
        bounds = [f"0 <= {counter} < {affine_to_text(extent)}" for counter, extent in loops]
        bounds += [f"{affine_to_text(condition)} >= 0" for condition in conditions]
        domain = f"{name}[{', '.join(counters)}] : {' and '.join(bounds) or '1 = 1'}"
        rows = [affine(len(self.statements))]
        for counter in counters:
            rows += [affine(counter), affine(0)]
        self.statements.append(
            Statement(
                name,
                counters,
                isl.Set(f"[{', '.join(self.dimensions.parameters)}] -> {{ {domain} }}"),
                target,
                value,
                tuple(rows),
                reduction_of(target, value),
                self.source.location(span),
            )
        )


def lower(
    source: Source,
    program: syntax.Program,
    dimensions: Dimensions,
    shapes: Shapes,
    name: str,
    outputs: Sequence[str] | None,
) -> Scop:
    """The Scop of a checked program; see `polyloop.tensors.tensor` for which tensors are its arguments."""
    lowering = _Lowering(source, dimensions, shapes)
    for assignment in program.assignments:
        lowering.assignment(assignment)
    results = [a.target.tensor.name for a in program.assignments]
    kept = set(outputs) if outputs is not None else _results(program, shapes)
    order = [n for n in shapes.tensors if n not in results] + list(dict.fromkeys(results))
    arrays = [
        Array(t.name, t.type, t.shape or (), local=t.name in results and t.name not in kept)
        for t in (shapes.tensors[n] for n in order)
    ]
    return Scop(
        name,
        dimensions.parameters,
        dimensions.context,
        (*arrays, *lowering.locals.values()),
        tuple(lowering.statements),
        dimensions.assumptions,
    )


def _results(program: syntax.Program, shapes: Shapes) -> set[str]:
    """What is given and updated, and what no statement of another tensor reads; always the last one stored."""
    read = {e.tensor.name for a in program.assignments for e in syntax.elements(a.value) if e.tensor != a.target.tensor}
    stored = {a.target.tensor.name for a in program.assignments}
    given = {a.target.tensor.name for a in program.assignments if not shapes.tensors[a.target.tensor.name].defined}
    return (stored - read) | given | {program.assignments[-1].target.tensor.name}


def _within(subscripts: Sequence[Affine], shape: Sequence[Affine]) -> list[Affine]:
    """Expressions that are all >= 0 where the subscripts lie inside the shape."""
    return [c for s, extent in zip(subscripts, shape, strict=True) for c in (s, extent - 1 - s)]


def _names(dims: Sequence[syntax.Name]) -> list[str]:
    return [dim.name for dim in dims]
