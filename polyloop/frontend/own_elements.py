"""Elements of the function's own arrays that only constants name are variables, as where an array counts loops.

int i[2];                                          int i_0, i_1;
for (i[0] = 0; i[0] < n; i[0]++)                   for (i_0 = 0; i_0 < n; i_0++)
    for (i[1] = 0; i[1] < m; i[1]++)       ->          for (i_1 = 0; i_1 < m; i_1++)
        a[i[0] * m + i[1]] = 0;                            a[i_0 * m + i_1] = 0;
"""

from __future__ import annotations

from collections import Counter

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf
from polyloop.frontend.expression_types import variable_type
from polyloop.frontend.flow import element_name
from polyloop.frontend.regions import exposed_read, exposed_use, names_at
from polyloop.frontend.scopes import declared_names, stored_into, walk_nodes
from polyloop.frontend.syntax import Items, Surroundings, declaration, map_children, variables


def name_own_elements(items: Items, around: Surroundings) -> Items:
    """The statements with a variable for every integer in an array of the function's own that they change, if constants
    alone lead to it and nothing reads it behind them."""
    types = _types(items, around)
    if not types:
        return items
    taken = {v.name for v in variables(around.found.function)} | declared_names(items)
    names: dict[str, str] = {}
    for element in types:
        name = element.replace("[", "_").removesuffix("]")
        while name in taken or around.scope.lookup(name) is not None:
            name += "_"
        names[element] = name
        taken.add(name)
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
