"""Rewrites rows that are reached through pointers, ``double **a``, into rows of one array, which emitted C tests.

``a[i][j]`` becomes an element of a matrix with rows of a_stride elements. Rows that were allocated as one block lie so,
and so do most that were allocated one after the other; where they do not, the original loops run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import reduce

import islpy as isl
from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, CType, Pointer, type_name
from polyloop.backend.c.text import AffinePrinter
from polyloop.backend.ir.expressions import I64, Access
from polyloop.frontend.expression_types import type_of, variable_type
from polyloop.frontend.jumps import jumps_of
from polyloop.frontend.members import Names, names_of
from polyloop.frontend.scopes import (
    Place,
    Refusal,
    Symbol,
    changed_names,
    children,
    declared_names,
    loop_counter,
    step_of,
    walk_nodes,
)
from polyloop.frontend.searches import Varying, asks_for_data
from polyloop.frontend.syntax import Items, Surroundings, c_text, first_parts, map_children, variables
from polyloop.scop.affine_isl import affine_from_ast
from polyloop.scop.model import Scop
from polyloop.scop.program import Memory, RowTable

_MOST_LEVELS = _MOST_BOXES = 8
"""That there is room for in what emitted C calls."""


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
        found = self._found(node)
        if found is not None:
            self.accessed.add(found[0].name)
            for subscript in found[1]:
                self.look(subscript)
            return
        if isinstance(node, c_ast.ID):
            self.other.add(node.name)
        for child in children(node):
            self.look(child)

    def visit(self, node: c_ast.Node) -> c_ast.Node:
        found = self._found(node)
        if found is None or found[0].name in self.other:
            return map_children(node, self.visit)
        made: c_ast.Node = c_ast.ID(self._array(*found).name, node.coord)
        for subscript in found[1]:
            made = c_ast.ArrayRef(made, self.visit(subscript), node.coord)
        return made

    def _found(self, node: c_ast.Node) -> tuple[c_ast.ID, list[c_ast.Node]] | None:
        """The pointer to rows of which a node names an element, and the subscripts."""
        subscripts: list[c_ast.Node] = []
        while isinstance(node, c_ast.ArrayRef):
            subscripts.insert(0, node.subscript)
            node = node.name
        if not isinstance(node, c_ast.ID) or not 2 <= len(subscripts) <= _MOST_LEVELS:
            return None
        symbol = self.names.outer(node.name)
        type_ = variable_type(symbol) if symbol is not None else None
        return (node, subscripts) if _element(type_, len(subscripts)) is not None else None

    def _array(self, root: c_ast.ID, subscripts: list[c_ast.Node]) -> Symbol:
        pointer = self.names.outer(root.name)
        assert pointer is not None
        type_: CType | None = _element(variable_type(pointer), len(subscripts))
        place = pointer.place
        text = place.text if place is not None else pointer.name
        pointers = (*place.pointers, text) if place is not None else (text,)
        strides: list[Symbol] = []
        for level in range(len(subscripts) - 1, 0, -1):
            name = f"{root.name}_stride" + (f"_{level}" if len(subscripts) > 2 else "")
            stride = Place(f"stride of {text}" + "[]" * (level - 1), text, text, pointers, value=True)
            strides.insert(0, self.names.symbol(name, Arithmetic(I64), stride))
            assert type_ is not None
            type_ = ArrayOf(type_, c_ast.ID(strides[0].name, root.coord))
        assert type_ is not None
        where = f"{text}{'[]' * len(subscripts)}"
        tests = place.tests if place is not None else ()
        block = Place(text, where, text, pointers, follows=True, behind=True, decayed=True, tests=tests)
        array = self.names.symbol(f"{root.name}_rows", Pointer(type_), block)
        array.strides = tuple(strides)
        return array


def _element(type_: CType | None, subscripts: int) -> Arithmetic | None:
    """The type of the numbers that so many subscripts lead to, all but the last of which choose pointers."""
    match type_:
        case ArrayOf(Pointer(target, _, False)) | Pointer(Pointer(target, _, False), _, False):
            found: CType | None = target
            for _ in range(subscripts - 2):
                found = found.target if isinstance(found, Pointer) and not found.volatile else None
            return found if isinstance(found, Arithmetic) and not found.volatile else None
    return None


# --- Which rows C asks for, whatever the data are ---------------------------------------------------------------------


def note_rows(items: Items, around: Surroundings) -> Items:
    """The same statements, after noting which pointers to rows C reads in every iteration of the loops around.

    Behind ``row = a[i];`` the row's elements take the place of ``row[j]``, which may stand under conditions.
    """
    nodes = [node for item in items for node in walk_nodes(item)]
    if not any(isinstance(node, c_ast.ArrayRef) for node in nodes):
        return items
    if any(isinstance(node, c_ast.Return | c_ast.Goto | c_ast.Label | c_ast.Switch) for node in nodes):
        return items
    loops = [node for node in nodes if isinstance(node, c_ast.For)]
    if len({str(loop.coord) for loop in loops}) < len(loops):
        return items  # one that has been written out several times: where it stands does not say which one it is
    headers = {id(n) for loop in loops for n in walk_nodes(loop.init)}
    outer = headers | {id(item) for item in items}
    declared = {n.name for n in nodes if isinstance(n, c_ast.Decl) and id(n) not in outer}
    notes = _RowReads(around, Varying.of(items), declared, changed_names(items) | declared_names(items))
    for item in items:
        notes.note(item, ())
    return items


@dataclass
class _RowReads:
    """Goes through what is executed in every iteration.

    Attributes:
        declared: variables of blocks, which say nothing outside of them.
        changed: variables that are worth something else elsewhere.
    """

    around: Surroundings
    varying: Varying
    declared: set[str]
    changed: set[str]

    def note(self, node: c_ast.Node, loops: tuple[c_ast.For, ...]) -> bool:
        """Whether what follows in the same block is executed in any case, too."""
        match node:
            case c_ast.For():
                if self._is_plain(node):
                    self.note(node.stmt, (*loops, node))
                return True
            case c_ast.While() | c_ast.DoWhile():
                return True
            case c_ast.Compound():
                return all(self.note(item, loops) for item in node.block_items or ())
            case c_ast.If():
                self._evaluated(node.cond, loops)
            case _:
                self._evaluated(node, loops)
        return not any(jumps_of(node))

    def _is_plain(self, node: c_ast.For) -> bool:
        """Does it count, and nothing else end it, with a counter that its body leaves alone?"""
        name, step = loop_counter(node), step_of(node.next)
        if name is None or step is None or step[0].name != name or name in changed_names([node.stmt]) | self.declared:
            return False
        breaks = any(isinstance(jump, c_ast.Break) for jump in jumps_of(node.stmt))
        return not breaks and not asks_for_data(node, self.around.scope, self.varying)

    def _is_table(self, node: c_ast.Node) -> bool:
        """A table of pointers to rows that is the same one all through the region."""
        if any(variable.name in self.changed for variable in variables(node)):
            return False
        match type_of(node, self.around.scope, self.around.declarations):
            case Pointer(Pointer()) | ArrayOf(Pointer()):
                return True
        return False

    def _evaluated(self, node: c_ast.Node, loops: tuple[c_ast.For, ...]) -> None:
        match node:
            case c_ast.UnaryOp(op="&" | "sizeof") | c_ast.Typename() | c_ast.Compound():
                return
            case c_ast.ArrayRef() if loops and self._is_table(node.name):
                chain = tuple(str(loop.coord) for loop in loops)
                varying = {variable.name for variable in variables(node.subscript)} & self.changed
                if varying <= {loop_counter(loop) for loop in loops}:
                    self.around.row_reads.append((chain, c_text(node.name), node.subscript))
        for child in first_parts(node):
            self._evaluated(child, loops)


# --- Where the rows are, once it is known which are used --------------------------------------------------------------


def placed(scop: Scop, memory: Memory, symbol: Symbol, read: isl.Set) -> tuple[tuple[Memory, ...], str]:
    """What emitted C has to know of the strides and of the array, and the array's address.

    Args:
        read: numbers of rows to which C reads the pointers in any case.
    Raises:
        Refusal: where the rows that are used are not known beforehand.
    """
    assert symbol.place is not None
    array, rows = scop.array(memory.name), symbol.place.text
    boxes = _used(scop, memory.name, symbol, read)
    ends, changed_by = boxes[0], memory.cells[-1][1]
    if len(ends) > 1 and changed_by:
        raise refusal(symbol)  # there are too many tables to test each
    size, levels = array.type.bytes, len(ends)
    texts = [f"polyloop_stride({rows}, {ends[0][0]}, {ends[0][1]}, {size})"]
    if levels > 1:
        every = ", ".join(f"(long)({end})" for box in boxes for pair in box for end in pair)
        texts = [
            f"polyloop_strides({rows}, {size}, {level}, {levels}, {len(boxes)}, {every})" for level in range(levels)
        ]
    start = "".join(f"[{first}]" for first, _ in ends)
    before = f"({ends[0][0]}) * {texts[0]}"
    for (first, _), text in zip(ends[1:], texts[1:], strict=True):
        before = f"({before} + ({first})) * {text}"
    address = f"(void *)((uintptr_t){rows}{start} - (uintptr_t)({size} * {before}))"
    if all(first == "0" for first, _ in ends):
        address = f"(void *){rows}{start}"
    first, last = ends[0]
    table = f"*(char (*)[(long)sizeof(void *) * ({last} - ({first}) + 1)])&{rows}[{first}]"
    cells = (*memory.cells, (table, changed_by))
    tables = RowTable(rows, boxes, tuple(stride.name for stride in symbol.strides), memory.name, size)
    late = [
        replace(memory, name=stride.name, text=text, cells=cells, late=True, object="")
        for stride, text in zip(symbol.strides, texts, strict=True)
    ]
    late[0] = replace(late[0], table=tables)
    return (*late, replace(memory, text=address, cells=(), late=True)), address


def _used(scop: Scop, name: str, symbol: Symbol, read: isl.Set) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The first and the last row that is used, as C, of each level; where there are several, of boxes of rows."""
    levels = len(symbol.strides)
    certain = isl.Set(f"{{ [{', '.join(f'row{level}' for level in range(levels))}] : 1 = 0 }}")
    used: list[isl.Set] = []
    for statement in scop.statements:
        for access in (statement.target, *statement.reads):
            if access.array == name:
                if _of_data(access, levels):
                    raise refusal(symbol)
                whole = scop.access_map(statement, access).range()
                rows = whole.project_out(isl.dim_type.set, levels, 1).reset_tuple_id()
                used.append(rows)
                certain = certain | rows if access in statement.certain else certain
    certain = (certain | read if levels == 1 else certain).coalesce()
    values = reduce(isl.Set.union, used).coalesce()
    boxes = [values] if levels == 1 else _boxes(used, certain)
    # Pointers to rows that only some data lead to need not be there.
    if len(boxes) > _MOST_BOXES or not all(box.intersect_params(scop.assumptions).is_subset(certain) for box in boxes):
        raise refusal(symbol)
    return tuple(_ends(scop, symbol, box, values.params()) for box in boxes)


def simpler(scop: Scop, name: str) -> Iterator[Scop]:
    """The Scop in parts of its assumptions each, where no row between others is left out, as in sizes at which every
    second row has no elements."""
    reads = [
        scop.access_map(statement, access).range()
        for statement in scop.statements
        for access in (statement.target, *statement.reads)
        if access.array == name and not _of_data(access, 1)
    ]
    if not reads:
        return
    rows = [whole.project_out(isl.dim_type.set, 1, whole.dim(isl.dim_type.set) - 1).reset_tuple_id() for whole in reads]
    values = reduce(isl.Set.union, rows).intersect_params(scop.context)
    for part in sorted(map(isl.Set.from_basic_set, scop.assumptions.get_basic_sets()), key=_equalities):
        here = values.intersect_params(part)
        holes = (isl.Set.from_basic_set(here.remove_divs().simple_hull()) - here).params()
        assumptions = (part - holes).coalesce()
        if not here.intersect_params(assumptions).is_empty():
            yield replace(scop, assumptions=assumptions)


def _of_data(access: Access, levels: int) -> bool:
    """Whether data say which row is meant."""
    return bool(replace(access, subscripts=access.subscripts[:levels]).data)


def _equalities(part: isl.Set) -> int:
    return sum(row.is_equality() for basic in part.get_basic_sets() for row in basic.get_constraints())


def _boxes(used: list[isl.Set], certain: isl.Set) -> list[isl.Set]:
    """Few boxes in which all rows are, as far as others are read for certain, too."""
    boxes: list[isl.Set] = []
    for rows in used:
        box = _box(rows)
        while (other := next((b for b in boxes if _box(box | b).is_subset(certain)), None)) is not None:
            boxes.remove(other)
            box = _box(box | other)
        boxes.append(box)
    return boxes


def _ends(scop: Scop, symbol: Symbol, rows: isl.Set, where: isl.Set) -> tuple[tuple[str, str], ...]:
    levels = range(rows.dim(isl.dim_type.set))
    if not all(
        rows.dim_has_lower_bound(isl.dim_type.set, k) and rows.dim_has_upper_bound(isl.dim_type.set, k) for k in levels
    ):
        raise refusal(symbol)
    context = (scop.known & where).coalesce()
    build = isl.AstBuild.from_context(context)
    source = scop.source
    assert source is not None
    helpers: set[str] = set()
    printer = AffinePrinter(lambda parameter: f"(long){source.value(parameter)}", helpers.add)

    def end(bound: isl.PwAff) -> str:
        value = affine_from_ast(build.expr_from_pw_aff(bound.coalesce().gist_params(context)))
        if not value.variables().isdisjoint(stride.name for stride in symbol.strides):
            raise refusal(symbol)
        return printer.affine(value)

    found = tuple((end(rows.dim_min(k)), end(rows.dim_max(k))) for k in levels)
    if helpers:
        raise refusal(symbol)
    return found


def _box(values: isl.Set) -> isl.Set:
    """The smallest box around a set, at all values of the parameters."""
    count = values.dim(isl.dim_type.set)
    result = values.params().from_params().add_dims(isl.dim_type.set, count)
    for k in range(count):
        alone = values.project_out(isl.dim_type.set, k + 1, count - k - 1).project_out(isl.dim_type.set, 0, k)
        hull = isl.Set.from_basic_set(alone.simple_hull())
        result = result & hull.insert_dims(isl.dim_type.set, 0, k).add_dims(isl.dim_type.set, count - k - 1)
    return result


def refusal(symbol: Symbol) -> Refusal:
    """Which rows are used depends on data, or something might change the pointers to them."""
    block = symbol.type
    while isinstance(block, Pointer | ArrayOf):
        block = block.target if isinstance(block, Pointer) else block.element
    return Refusal(
        "pointer-rows",
        f"the rows of {symbol.written} are reached through pointers, and may lie anywhere; declare it as one block, "
        f"{type_name(block)} (*name)[COLUMNS], and allocate it as such",
    )
