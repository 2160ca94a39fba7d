"""Elements of the function's own arrays that only constants name are variables, as where an array counts loops, and
pointers in arrays that the region declares.

int i[2];                                          int i_0, i_1;
for (i[0] = 0; i[0] < n; i[0]++)                   for (i_0 = 0; i_0 < n; i_0++)
    for (i[1] = 0; i[1] < m; i[1]++)       ->          for (i_1 = 0; i_1 < m; i_1++)
        a[i[0] * m + i[1]] = 0;                            a[i_0 * m + i_1] = 0;

double *row[2];                                    double *row_0, *row_1;
row[0] = u[0][i]; row[1] = u[1][i];        ->      row_0 = u[0][i]; row_1 = u[1][i];

double *row[2] = {u + i * n, v};           ->      double *row_0 = u + i * n, *row_1 = v;
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf
from polyloop.frontend.expression_types import variable_type
from polyloop.frontend.flow import element_name
from polyloop.frontend.regions import exposed_read, exposed_use, names_at
from polyloop.frontend.scopes import declared_names, does_anything, stored_into, walk_nodes
from polyloop.frontend.syntax import Items, Surroundings, declaration, map_children, variables, with_parts


def name_own_elements(items: Items, around: Surroundings) -> Items:
    """The statements with a variable for every integer in an array of the function's own that they change, if constants
    alone lead to it and nothing reads it behind them."""
    types = _types(items, around)
    if not types:
        return items
    names = _names(types, items, around)
    first: dict[str, c_ast.Node] = {}

    def visit(node: c_ast.Node) -> c_ast.Node:
        element = element_name(node)
        if element not in names:
            return map_children(node, visit)
        first.setdefault(element, node)
        return c_ast.ID(names[element], node.coord)

    changed = [visit(item) for item in items]
    kept = {element: exposed_use(name, changed) is not None for element, name in names.items()}
    new = [
        declaration(names[element], type_.scalar, first[element] if kept[element] else None, items[0])
        for element, type_ in types.items()
    ]
    return (*new, *changed)


def name_own_rows(items: Items, around: Surroundings) -> Items:
    """The statements with a pointer for every one in an array that they declare, if constants alone lead to it."""
    nodes = [node for item in items for node in walk_nodes(item)]
    arrays = [node for node in nodes if isinstance(node, c_ast.Decl) and _holds_pointers(node)]
    uses = Counter(node.name for node in nodes if isinstance(node, c_ast.ID))
    elements = Counter(node.name.name for node in nodes if element_name(node) is not None)
    declared = Counter(node.name for node in nodes if isinstance(node, c_ast.Decl))
    own = {array.name for array in arrays if elements[array.name] == uses[array.name] and declared[array.name] == 1}
    if not own:
        return items
    found = sorted({str(element_name(node)) for node in nodes if element_name(node) is not None})
    names = _names((element for element in found if element.partition("[")[0] in own), items, around)

    def visit(node: c_ast.Node) -> c_ast.Node:
        if (element := element_name(node)) in names:
            return c_ast.ID(names[str(element)], node.coord)
        if isinstance(node, c_ast.Compound):
            items = [new for item in node.block_items or () for new in statement(item)]
            return with_parts(node, block_items=items)
        return map_children(node, visit)

    def statement(node: c_ast.Node) -> list[c_ast.Node]:
        if isinstance(node, c_ast.Compound) and not declared_names(node.block_items or ()):  # of a loop written out
            return [new for item in node.block_items or () for new in statement(item)]
        if not isinstance(node, c_ast.Decl) or node.name not in own:
            return [visit(node)]
        mine = {new: element for element, new in names.items() if element.partition("[")[0] == node.name}
        return [
            with_parts(node, name=new, type=_renamed(node.type.type, new), init=_first_value(node, element))
            for new, element in mine.items()
        ]

    return tuple(new for item in items for new in statement(item))


def _names(elements: Iterable[str], items: Items, around: Surroundings) -> dict[str, str]:
    """The variables that the elements become, by what these are called."""
    taken = {v.name for v in variables(around.found.function)} | declared_names(items)
    names: dict[str, str] = {}
    for element in elements:
        name = element.replace("[", "_").removesuffix("]")
        while name in taken or around.scope.lookup(name) is not None:
            name += "_"
        names[element] = name
        taken.add(name)
    return names


def _holds_pointers(node: c_ast.Decl) -> bool:
    plain = isinstance(node.type, c_ast.ArrayDecl) and isinstance(node.type.type, c_ast.PtrDecl)
    return plain and not node.storage and (node.init is None or _lists_values(node.init))


def _lists_values(node: c_ast.Node) -> bool:
    """Whether it is a list of one value after the other, which do nothing but to say where something is."""
    values = node.exprs if isinstance(node, c_ast.InitList) else None
    others = c_ast.NamedInitializer | c_ast.InitList
    return values is not None and not any(isinstance(value, others) or does_anything(value) for value in values)


def _first_value(node: c_ast.Decl, element: str) -> c_ast.Node | None:
    """What an element of an array is where it is declared, as far as its list goes."""
    position = int(element.partition("[")[2].removesuffix("]"))
    return node.init.exprs[position] if node.init is not None and position < len(node.init.exprs) else None


def _renamed(type_: c_ast.Node, name: str) -> c_ast.Node:
    """A declarator with another name."""
    if isinstance(type_, c_ast.TypeDecl):
        return with_parts(type_, declname=name)
    return with_parts(type_, type=_renamed(type_.type, name))


def _types(items: Items, around: Surroundings) -> dict[str, Arithmetic]:
    """The elements that may be variables, and their types."""
    nodes = [node for item in items for node in walk_nodes(item)]
    targets = [target for node in nodes if (target := stored_into(node)) is not None]
    stored = {(target.name.name, element) for target in targets if (element := element_name(target)) is not None}
    if not stored:
        return {}
    uses = Counter(node.name for node in nodes if isinstance(node, c_ast.ID))
    elements = Counter(node.name.name for node in nodes if element_name(node) is not None)
    declared, function = declared_names(items), names_at(around.found, around.declarations)
    types: dict[str, Arithmetic] = {}
    for name, element in sorted(stored):
        symbol = around.scope.lookup(name)
        alone = elements[name] == uses[name] and function.fewest_subscripts.get(name) == 1
        if symbol is None or not symbol.automatic or not alone or name in declared | function.address_taken.keys():
            continue
        match variable_type(symbol):
            case ArrayOf(Arithmetic(volatile=False) as type_) if not type_.scalar.is_float:
                if exposed_read(element, around.found) is None:
                    types[element] = type_
    return types
