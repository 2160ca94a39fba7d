"""Rewrites rows that are reached through pointers, ``double **a``, into rows of one array, which emitted C tests.

``a[i][j]`` becomes an element of a matrix with rows of a_stride elements. Rows that were allocated as one block lie so,
and so do most that were allocated one after the other; where they do not, the original loops run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import islpy as isl
from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType, Pointer, type_name
from polyloop.backend.c.text import AffinePrinter
from polyloop.backend.ir.expressions import I64
from polyloop.frontend.expression_types import variable_type
from polyloop.frontend.members import Names, names_of
from polyloop.frontend.scopes import Place, Refusal, Symbol
from polyloop.frontend.syntax import Items, Surroundings, map_children
from polyloop.scop.affine_isl import affine_from_ast
from polyloop.scop.model import Scop
from polyloop.scop.program import Memory, RowTable


def name_rows(items: Items, around: Surroundings) -> Items:
    """The statements with two-dimensional arrays for pointers to rows, where nothing changes these."""
    rows = _Rows(names_of(items, around))
    for item in items:
        rows.look(item)
    if not rows.accessed:
        return items
    return tuple(rows.visit(item) for item in items)


@dataclass
class _Rows:
    names: Names
    accessed: set[str] = field(default_factory=set)
    other: set[str] = field(default_factory=set)

    def look(self, node: c_ast.Node) -> None:
        """Find the pointers to rows of which elements are used, and those that are used otherwise."""
        root = self._root(node)
        if root is not None:
            self.accessed.add(root.name)
            self.look(node.name.subscript)
            self.look(node.subscript)
            return
        if isinstance(node, c_ast.ID):
            self.other.add(node.name)
        for _, child in node.children():
            self.look(child)

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        root = self._root(node)
        if root is None or root.name in self.other:
            return map_children(node, self.visit)
        made = self._array(root)
        row = c_ast.ArrayRef(c_ast.ID(made.name, node.coord), self.visit(node.name.subscript), node.coord)
        return c_ast.ArrayRef(row, self.visit(node.subscript), node.coord)

    def _root(self, node: c_ast.Node) -> c_ast.ID | None:
        """The pointer to rows of which a node names an element."""
        match node:
            case c_ast.ArrayRef(name=c_ast.ArrayRef(name=c_ast.ID() as root)):
                symbol = self.names.outer(root.name)
                type_ = variable_type(symbol) if symbol is not None else None
                return root if _element(type_) is not None else None
        return None

    def _array(self, root: c_ast.ID) -> Symbol:
        pointer = self.names.outer(root.name)
        assert pointer is not None
        element = _element(variable_type(pointer))
        assert element is not None
        place = pointer.place
        text = place.text if place is not None else pointer.name
        pointers = (*place.pointers, text) if place is not None else (text,)
        stride = Place(f"stride of {text}", text, text, pointers, value=True)
        made = self.names.symbol(f"{root.name}_stride", Arithmetic(I64), stride)
        type_ = Pointer(ArrayOf(element, c_ast.ID(made.name, root.coord)))
        block = Place(text, f"{text}[][]", text, pointers, follows=True, behind=True, decayed=True)
        array = self.names.symbol(f"{root.name}_rows", type_, block)
        array.stride = made
        return array


def _element(type_: CType | None) -> Arithmetic | None:
    match type_:
        case Pointer(Pointer(Arithmetic(volatile=False) as element, _, False), _, False):
            return element
        case ArrayOf(Pointer(Arithmetic(volatile=False) as element, _, False)):
            return element
    return None


# --- Where the rows are, once it is known which are used --------------------------------------------------------------


def placed(scop: Scop, memory: Memory, symbol: Symbol) -> tuple[Memory, Memory, str]:
    """What emitted C has to know of the stride and of the array, and the array's address.

    Raises:
        Refusal: where the rows that are used are not known beforehand.
    """
    assert symbol.stride is not None
    assert symbol.place is not None
    array, rows = scop.array(memory.name), symbol.place.text
    first, last = _used(scop, memory.name, symbol)
    size = array.type.bytes
    stride = f"polyloop_stride({rows}, {first}, {last}, {size})"
    start = f"(void *)((uintptr_t){rows}[{first}] - (uintptr_t)({size} * ({first}) * {stride}))"
    if first == "0":
        start = f"(void *){rows}[0]"
    table = f"*(char (*)[(long)sizeof(void *) * ({last} - ({first}) + 1)])&{rows}[{first}]"
    cells = (*memory.cells, (table, memory.cells[-1][1]))
    known = RowTable(rows, first, last, memory.name, size)
    late = replace(memory, name=symbol.stride.name, text=stride, cells=cells, late=True, object="", table=known)
    return late, replace(memory, text=start, cells=(), late=True), start


def _used(scop: Scop, name: str, symbol: Symbol) -> tuple[str, str]:
    """The first and the last row that is used, as C."""
    used = certain = isl.Set("{ [row] : 1 = 0 }")
    for statement in scop.statements:
        for access in (statement.target, *statement.reads):
            if access.array == name:
                if access.data:
                    raise refusal(symbol)
                rows = scop.access_map(statement, access).range().project_out(isl.dim_type.set, 1, 1).reset_tuple_id()
                used = used | rows
                certain = certain | rows if access in statement.certain else certain
    values, certain = used.coalesce(), certain.coalesce()
    # Pointers to rows that only some data lead to need not be there.
    if not values.intersect_params(scop.assumptions).is_subset(certain):
        raise refusal(symbol)
    if not (values.dim_has_lower_bound(isl.dim_type.set, 0) and values.dim_has_upper_bound(isl.dim_type.set, 0)):
        raise refusal(symbol)
    context = (scop.context & scop.assumptions & values.params()).coalesce()
    build = isl.AstBuild.from_context(context)
    source = scop.source
    assert source is not None
    helpers: set[str] = set()
    printer = AffinePrinter(lambda parameter: f"(long){source.value(parameter)}", helpers.add)
    bounds = (values.dim_min(0), values.dim_max(0))
    ends = [affine_from_ast(build.expr_from_pw_aff(bound.coalesce().gist_params(context))) for bound in bounds]
    assert symbol.stride is not None
    first, last = (printer.affine(end) for end in ends)
    if helpers or any(symbol.stride.name in end.variables() for end in ends):
        raise refusal(symbol)
    return first, last


def refusal(symbol: Symbol) -> Refusal:
    """Which rows are used depends on data, or something might change the pointers to them."""
    block = symbol.type
    assert isinstance(block, Pointer)
    assert isinstance(block.target, ArrayOf)
    return Refusal(
        "pointer-rows",
        f"the rows of {symbol.written} are reached through pointers, and may lie anywhere; declare it as one block, "
        f"{type_name(block.target.element)} (*name)[COLUMNS], and allocate it as such",
    )
