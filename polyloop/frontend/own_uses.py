"""What a file itself uses its functions for: the constants that its calls pass, and that its variables are set to.

    int main(void) { step(bodies, 5); ... }                              ->  n = 5 in step(body *b, int n)
    int n = argc > 1 ? atoi(argv[1]) : 2000;                             ->  n = 2000
    for (int size = 16; size <= 256; size *= 2) bench(a, size);          ->  n = 256 in bench(float *a, int n)
    struct grid g = {400, 300}; step(&g);                                ->  g->nx = 400 in step(struct grid *g)
    int radius = ceil(2 * sigma); ... blur(image, 1.5);                  ->  radius = 3 in blur(image *, double sigma)
    int n = 0; for (i = 0; i < 32; i++) if (up[i]) seen[n++] = i;        ->  n = 32, which it is at most

Nothing is proven of such values: they are sizes to measure at, where nobody gives others, and everything that is made
of the loops holds for all.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import product

from pycparser import c_ast

from polyloop.arithmetic import float_literal, integer_literal
from polyloop.backend.ir.affine import Affine, affine
from polyloop.frontend.scopes import (
    assigned_name,
    children,
    loop_counter,
    parameters_of,
    stored_into,
    used_names,
    walk_nodes,
)
from polyloop.frontend.syntax import c_text, header_of, number, operation, replaced
from polyloop.scop.program import Turns

_Place = tuple[str, str]
"""A function's name, "" for the file's level, and a variable's there; of members "." and the member's name."""

_Values = frozenset[int | float | None]
_Loops = tuple[c_ast.Node, ...]
_UNKNOWN: _Values = frozenset([None])
"""None stands for all that constants do not tell."""

_MOST = 8
"""Values of one expression that are kept."""

_FEW = 64
"""Arguments of all calls, up to which each call is looked at by itself."""

_OFTEN = 2000
"""Places are asked for so often at most as long as others that they depend on are not known."""

_OPERATORS: Mapping[str, Callable[[int, int], int | None]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: _quotient(a, b) if b else None,
    "%": lambda a, b: a - b * _quotient(a, b) if b else None,
    "<<": lambda a, b: a << b if 0 <= b < 64 else None,
    ">>": lambda a, b: a >> b if b >= 0 else None,
    "|": lambda a, b: a | b,
    "&": lambda a, b: a & b,
}

_OF_FLOATS: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}

_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    name: getattr(math, name)
    for name in ("ceil", "floor", "sqrt", "exp", "log", "log2", "log10", "fabs", "pow", "trunc")
} | {"round": lambda value: math.floor(value + 0.5)}


class OwnUses:
    """The values that a file's own constants give its variables.

    Args:
        items: declarations and definitions of the file, in order.
    """

    def __init__(self, items: Iterable[c_ast.Node]) -> None:
        self._parameters: dict[str, list[str]] = {}
        self._calls: dict[str, list[tuple[str, list[c_ast.Node]]]] = {}
        self._set: dict[_Place, list[tuple[str, c_ast.Node | None]]] = {}
        self._ends: dict[_Place, list[c_ast.Node]] = {}
        # By how much variables are stepped, and the loops around that; the loops around where they begin.
        self._steps: dict[_Place, list[tuple[int, _Loops]]] = {}
        self._begins: dict[_Place, list[_Loops]] = {}
        self._known: dict[_Place, _Values] = {}
        # Places that are asked for at present, one for the other, and the first of them that was asked for again.
        self._asked: dict[_Place, int] = {}
        self._back = self._times = 0
        self._returned: dict[str, list[str]] = {}
        self._repeated: set[str] = set()
        self._named: Counter[str] = Counter()
        self._own: dict[str, set[str]] = {}
        self._arrays: dict[str, set[str]] = {}
        self._array_types: set[str] = set()
        self._array_members: set[str] = set()
        self._members: dict[str, list[str]] = {}
        others: set[str] = set()
        for item in items:
            for node in walk_nodes(item):
                if isinstance(node, c_ast.Struct):
                    for member in node.decls or ():
                        (self._array_members if self._is_array(member) else others).add(getattr(member, "name", ""))
                match node:
                    case c_ast.EnumeratorList():
                        self._enumerate(node)
                    case c_ast.Typedef(name=name, type=c_ast.ArrayDecl()):
                        self._array_types.add(name)
                    case c_ast.Typedef(name=name) | c_ast.Struct(name=name) if members := _members_of(node):
                        self._members[name] = members
            if isinstance(item, c_ast.Decl) and item.name and self._is_array(item):
                self._arrays.setdefault("", set()).add(item.name)
            if isinstance(item, c_ast.FuncDef):
                self._enter(item)
            elif isinstance(item, c_ast.Decl) and item.name and item.init is not None:
                self._note(("", item.name), "", item.init)
                self._initialise(item, "")
                self._named.update(node.name for node in walk_nodes(item.init) if isinstance(node, c_ast.ID))
        self._array_members -= others

    def _enumerate(self, node: c_ast.EnumeratorList) -> None:
        before: c_ast.Node = number(-1, node)
        for each in node.enumerators:
            value = each.value if each.value is not None else operation("+", before, number(1, node))
            self._note(("", each.name), "", value)
            before = c_ast.ID(each.name, node.coord)

    def _note(self, place: _Place, function: str, value: c_ast.Node | None) -> None:
        self._set.setdefault(place, []).append((function, value))

    def _initialise(self, node: c_ast.Decl, function: str) -> None:
        """Note what a structure's members begin with."""
        if not isinstance(node.init, c_ast.InitList) or not isinstance(node.type, c_ast.TypeDecl):
            return
        type_ = node.type.type
        known: str = type_.names[0] if isinstance(type_, c_ast.IdentifierType) else getattr(type_, "name", None) or ""
        position, members = 0, self._members.get(known, _members_of(type_))
        for value in node.init.exprs or ():
            if isinstance(value, c_ast.NamedInitializer):
                if len(value.name) != 1 or getattr(value.name[0], "name", None) not in members:
                    return
                position, value = members.index(value.name[0].name), value.expr
            if position >= len(members):
                return
            self._note((".", members[position]), function, value)
            position += 1

    def _enter(self, function: c_ast.FuncDef) -> None:
        name = function.decl.name
        self._parameters[name] = [node.name for node in parameters_of(function)]
        nodes = list(walk_nodes(function.body))
        own = {node.name for node in nodes if isinstance(node, c_ast.Decl) and node.name}
        self._own[name] = own | set(self._parameters[name])
        self._arrays[name] = {node.name for node in nodes if isinstance(node, c_ast.Decl) and self._is_array(node)}
        loops = c_ast.For | c_ast.While | c_ast.DoWhile
        again = any(isinstance(node, c_ast.Goto) for node in nodes)  # which may lead back
        inside = nodes if again else [part for loop in nodes if isinstance(loop, loops) for part in walk_nodes(loop)]
        self._repeated |= {
            each.name.name for each in inside if isinstance(each, c_ast.FuncCall) and isinstance(each.name, c_ast.ID)
        }
        self._named.update(node.name for node in nodes if isinstance(node, c_ast.ID))
        self._count(name, function.body, ())
        in_headers = set[int]()
        for node in nodes:
            if isinstance(node, c_ast.For) and (swept := _swept(node)) is not None:
                counter, ends = swept
                self._ends.setdefault(self._place(name, counter), []).extend(ends)
                in_headers |= {id(part) for part in (*walk_nodes(node.init), *walk_nodes(node.next))}
            match node:
                case c_ast.FuncCall(name=c_ast.ID(name=called)):
                    given = [] if node.args is None else list(node.args.exprs)
                    self._calls.setdefault(called, []).append((name, given))
                case c_ast.Decl(name=variable, init=value) if variable and value is not None:
                    if id(node) not in in_headers:
                        self._note((name, variable), name, value)
                        self._initialise(node, name)
                case c_ast.UnaryOp(op="&", expr=c_ast.ID(name=variable)):
                    self._note(self._place(name, variable), name, node)  # to anything, by scanf, say
                case _ if (target := stored_into(node)) is not None and id(node) not in in_headers:
                    value = node.rvalue if isinstance(node, c_ast.Assignment) and node.op == "=" else None
                    if (variable := assigned_name(node)) is not None:
                        self._note(self._place(name, variable), name, value)
                    elif (member := _member_of(target)) is not None:
                        structure, field = member
                        self._note((".", field), name, value)
                        if isinstance(structure, c_ast.ID):
                            scope, root = self._place(name, structure.name)
                            self._note((scope, f"{root}.{field}"), name, value)
                case c_ast.Return(expr=c_ast.ID(name=variable)):
                    self._returned.setdefault(name, []).append(variable)

    def _count(self, function: str, node: c_ast.Node, loops: _Loops) -> None:
        """Note where variables begin, and where they are stepped."""
        match node:
            case c_ast.Decl(name=name, init=value) if name and value is not None:
                self._begins.setdefault((function, name), []).append(loops)
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name)):
                self._begins.setdefault(self._place(function, name), []).append(loops)
            case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID(name=name)):
                self._steps.setdefault(self._place(function, name), []).append((1, loops))
            case c_ast.Assignment(op="+=", lvalue=c_ast.ID(name=name), rvalue=c_ast.Constant(value=text)):
                if (literal := integer_literal(text)) is not None:
                    self._steps.setdefault(self._place(function, name), []).append((literal[0], loops))
        inside = (*loops, node) if isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile) else loops
        for child in children(node):
            self._count(function, child, loops if child is getattr(node, "init", None) else inside)

    def _is_array(self, node: c_ast.Node) -> bool:
        match getattr(node, "type", None):
            case c_ast.ArrayDecl():
                return True
            case c_ast.TypeDecl(type=c_ast.IdentifierType(names=[name])):
                return name in self._array_types
        return False

    def runs_once(self, function: str, calling: Collection[str] = ()) -> bool:
        """Whether the program runs a function once: ``main``, and what it calls in one place that no loop is around."""
        if function == "main":
            return True
        if self._named[function] != 1 or function in self._repeated or function in calling:
            return False
        calls = self._calls.get(function, [])
        return len(calls) == 1 and self.runs_once(calls[0][0], (*calling, function))

    def is_named(self, function: str) -> bool:
        """Whether the file itself calls a function, or names it for others to call."""
        return self._named[function] > 0

    def unaliased(self, function: str) -> tuple[str, ...]:
        """The parameters for which some call passes an array that has a name, one of the caller's own, of the file or
        of a structure, or a variable's address, and for nothing else."""
        found: list[str] = []
        for caller, arguments in self._calls.get(function, ()):
            names = [self._array(caller, each) for each in arguments]
            for parameter, name in zip(self._parameters.get(function, ()), names, strict=False):
                if name and names.count(name) == 1:
                    found.append(parameter)
        return tuple(dict.fromkeys(found))

    def _array(self, function: str, node: c_ast.Node) -> str:
        """An array that is named as such, or as a member of a structure that is, or a variable whose address this is;
        "" for anything else."""
        match node:
            case c_ast.UnaryOp(op="&", expr=c_ast.ID() as variable):
                return c_text(variable)
            case c_ast.ID(name=str(name)):
                scope, _ = self._place(function, name)
                return name if name in self._arrays.get(scope, ()) else ""
            case c_ast.StructRef(type=".", field=c_ast.ID(name=name)) if name in self._array_members:
                root = node.name
                while isinstance(root, c_ast.StructRef) and root.type == ".":
                    root = root.name
                return c_text(node) if isinstance(root, c_ast.ID) else ""
        return ""

    def _place(self, function: str, variable: str) -> _Place:
        return (function if variable.removeprefix("*") in self._own.get(function, ()) else ""), variable

    def values(self, function: str, texts: Mapping[str, str], given: Mapping[str, int]) -> dict[str, int]:
        """What variables of a function are worth, as far as that is known: of several calls, in the one with the
        largest values.

        Args:
            texts: by name, C's expression of it.
            given: what other variables of the function are worth.
        """
        calls, of_all = self._calls.get(function, []), self._known
        known: list[dict[str, int]] = []
        few = sum(len(arguments) for _, arguments in calls) <= _FEW
        # What is computed from what is given is found anew, and each call is as if there were no other.
        begin = {self._place(function, name): frozenset[int | float | None]([value]) for name, value in given.items()}
        try:
            for these in [[call] for call in calls] if few and calls else [calls]:
                self._calls[function] = these
                self._known = {**begin} if begin or these is not calls else of_all
                known.append(self._largest(function, texts))
        finally:
            self._calls[function], self._known = calls, of_all
        return max(known, key=lambda each: (len(each), math.prod(max(value, 1) for value in each.values())))

    def _largest(self, function: str, texts: Mapping[str, str]) -> dict[str, int]:
        numbers = {name: _numbers(self._of_text(function, text)) for name, text in texts.items()}
        # Parameters have 64 bits with a sign: random numbers' multipliers and seeds may be larger.
        fitting = {name: [int(x) for x in found if -(2**63) <= x < 2**63] for name, found in numbers.items()}
        return {name: max(found) for name, found in fitting.items() if found}

    def largest(self, function: str, node: c_ast.Node) -> float | None:
        """The largest number that an expression is worth in a function; None where no constant tells."""
        return max(_numbers(self._at(function, node)), default=None)

    def middle(self, function: str, variable: str) -> int | None:
        """What is between the ends of a variable that is multiplied from one iteration to the next (``len *= 2``): as
        many times as large as the one as it is smaller than the other; None where the ends are not known."""
        ends = [int(value) for value in _numbers(self._variable(self._place(function, variable)))]
        if not ends or min(ends) < 1:
            return None
        return 1 << round(math.log2(min(ends) * max(ends)) / 2)

    def constants(self, function: str, texts: Mapping[str, str]) -> dict[str, frozenset[int]]:
        """The variables of a function that are one constant wherever the file runs it, as compilers see, and its
        parameters for which all calls pass constants; and which ones."""
        known, passed = self._own.get(function, ()), self._parameters.get(function, ())
        found: dict[str, frozenset[int]] = {}
        for name, text in texts.items():
            values = self._of_text(function, text) if text in known else _UNKNOWN
            whole = frozenset(value for value in values if isinstance(value, int))
            if len(whole) == len(values) and (len(whole) == 1 or text in passed):
                found[name] = whole
        return found

    def _of_text(self, function: str, text: str) -> _Values:
        if re.fullmatch(r"\w+", text):
            return self._variable(self._place(function, text))
        if (pointed := re.fullmatch(r"\*(\w+)|(\w+)\[0\]", text)) is not None:
            return self._variable(self._place(function, f"*{pointed[1] or pointed[2]}"))
        member = re.fullmatch(r"(\w+)((?:(?:->|\.)\w+)*)(?:->|\.)(\w+(?:\[\d+\])?)", text)
        if member is None:
            return _UNKNOWN
        root, between, field = member.groups()
        return self._variable((".", field)) if between else self._member(function, root, field)

    def _member(self, function: str, root: str, field: str) -> _Values:
        """Of a structure, or of what a pointer points to; of every structure where nothing is known of this one."""
        scope, name = self._place(function, root)
        found = self._variable((scope, f"{name}.{field}"))
        return found if _numbers(found) else self._variable((".", field))

    def _of_structure(self, place: _Place) -> Iterator[_Values]:
        """A member of a variable, where others have it: what calls pass, and functions that make structures return."""
        scope, name = place
        root, _, field = name.partition(".")
        if root in self._parameters.get(scope, ()):
            sources = self._passed(scope, root)
        else:
            sources = [(where, node) for where, node in self._set.get((scope, root), ()) if node is not None]
        for where, node in sources:
            match node:
                case c_ast.ID(name=other) | c_ast.UnaryOp(op="&", expr=c_ast.ID(name=other)):
                    inner, variable = self._place(where, other)
                    yield self._variable((inner, f"{variable}.{field}"))
                case c_ast.FuncCall(name=c_ast.ID(name=made)) if made in self._returned:
                    arguments = node.args.exprs if node.args is not None else ()
                    passed = dict(zip(self._parameters.get(made, ()), arguments, strict=False))
                    for variable in self._returned[made]:
                        for _, value in self._set.get((made, f"{variable}.{field}"), ()):
                            names = set(used_names(value)) if value is not None else set()
                            known = value is not None and names <= passed.keys()
                            yield self._at(where, replaced(value, passed)) if known else _UNKNOWN

    def _variable(self, place: _Place) -> _Values:
        """All constants that a variable is ever set to; none where it is stepped, nor of what it is made of itself."""
        if place in self._known:
            return self._known[place]
        if place in self._asked:
            self._back = min(self._back, self._asked[place])
            return _UNKNOWN
        depth, back = len(self._asked), self._back
        self._asked[place], self._back = depth, depth
        found = self._found(place)
        del self._asked[place]
        # What is made of one that is still asked for is not all of it, and is asked for again; not for ever.
        self._times += 1
        if self._back == depth or self._times > _OFTEN:
            self._known[place] = found
        self._back = min(back, self._back) if self._back < depth else back
        return found

    def _found(self, place: _Place) -> _Values:
        function, name = place
        passed: _Values = frozenset()
        if name in self._parameters.get(function, ()):
            passed = _all(self._at(caller, each) for caller, each in self._passed(function, name)) or _UNKNOWN
        elif name.startswith("*"):
            return _all(self._pointed(caller, each) for caller, each in self._passed(function, name[1:])) or _UNKNOWN
        nodes = self._set.get(place, [])
        if any(node is None for _, node in nodes):
            return self._counted(place)
        ends = self._ends.get(place, [])
        found = _all(self._at(where, node) for where, node in nodes if node is not None)
        swept = _all(self._at(function, node) for node in ends)
        if 0 in found and len(nodes) + len(ends) > 1:  # which may only be there until another value is known
            found = found - {0} | _UNKNOWN
        made = self._of_structure(place) if function != "." and "." in name else ()
        return _all([passed, found, swept, *made]) or _UNKNOWN

    def _passed(self, function: str, parameter: str) -> list[tuple[str, c_ast.Node]]:
        """What calls pass for a parameter of a function, with the functions that they stand in."""
        if parameter not in self._parameters.get(function, ()):
            return []
        position = self._parameters[function].index(parameter)
        return [(caller, given[position]) for caller, given in self._calls.get(function, ()) if position < len(given)]

    def _pointed(self, function: str, pointer: c_ast.Node) -> _Values:
        """What a pointer points to: ``&n`` as f2c passes all numbers, or such a parameter that is handed on."""
        match pointer:
            case c_ast.UnaryOp(op="&", expr=c_ast.ID(name=name)):
                return self._variable(self._place(function, name))
            case c_ast.ID(name=name):
                return self._variable(self._place(function, f"*{name}"))
        return _UNKNOWN

    def _counted(self, place: _Place) -> _Values:
        """What a variable that is only stepped is at most, from where it begins: each step is made in every iteration
        of the loops that are not around that."""
        nodes, steps, begins = self._set.get(place, []), self._steps.get(place, []), self._begins.get(place, [])
        first = _all(self._at(where, node) for where, node in nodes if node is not None)
        if not first or None in first or sum(node is None for _, node in nodes) != len(steps):
            return _UNKNOWN
        most = max(_numbers(first))
        for step, loops in steps:
            around = max((len(each) for each in begins if each == loops[: len(each)]), default=0)
            turns = [self._turns(place[0], loop) for loop in loops[around:]]
            if None in turns:
                return _UNKNOWN
            most += step * math.prod(filter(None, turns))
        return frozenset([int(most), None]) if most < 2**31 else _UNKNOWN

    def _turns(self, function: str, loop: c_ast.Node) -> int | None:
        """How many iterations a loop has, where constants tell."""
        swept = _swept(loop) if isinstance(loop, c_ast.For) else None
        if swept is None:
            return None
        *first, last = (_numbers(self._at(function, end)) for end in swept[1])
        begin = min(first[0], default=0) if first else 0
        return max(int(max(last) - begin), 0) if last else None

    def _at(self, function: str, node: c_ast.Node) -> _Values:
        """What an expression may be worth in a function."""
        match node:
            case c_ast.Constant(value=text):
                if (literal := integer_literal(text)) is not None:
                    return frozenset([literal[0]])
                value, _ = float_literal(text) or (math.nan, None)
                return frozenset([float(value)]) if math.isfinite(value) else _UNKNOWN
            case c_ast.ID(name=name):
                return self._variable(self._place(function, name))
            case c_ast.ArrayRef(name=c_ast.ID(name=name)):  # what it begins with, and whatever else is stored there
                begins = (value for _, value in self._set.get(self._place(function, name), ()))
                elements = (e for value in begins if isinstance(value, c_ast.InitList) for e in value.exprs or ())
                return _all([*(self._at(function, element) for element in elements), _UNKNOWN])
            case c_ast.StructRef() | c_ast.ArrayRef() if (member := _member_of(node)) is not None:
                structure, field = member
                if isinstance(structure, c_ast.ID):
                    return self._member(function, structure.name, field)
                return self._variable((".", field))
            case c_ast.Cast(to_type=type_, expr=inner):
                values = self._at(function, inner)
                return values if _is_float(type_) else frozenset(v if v is None else int(v) for v in values)
            case c_ast.UnaryOp(op="*", expr=inner):
                return self._pointed(function, inner)
            case c_ast.UnaryOp(op="-", expr=inner):
                return frozenset(None if value is None else -value for value in self._at(function, inner))
            case c_ast.BinaryOp(op=operator, left=left, right=right):
                return self._each(partial(_result, operator), function, [left, right])
            case c_ast.FuncCall(name=c_ast.ID(name=name), args=c_ast.ExprList(exprs=arguments)):
                called = _FUNCTIONS.get(name.removesuffix("f"))
                return self._each(called, function, arguments) if called is not None else _UNKNOWN
            case c_ast.TernaryOp(iftrue=then, iffalse=otherwise):
                return _all(self._at(function, branch) for branch in (then, otherwise))
        return _UNKNOWN

    def _each(self, computed: Callable[..., float | None], function: str, operands: list[c_ast.Node]) -> _Values:
        """What comes of all that the operands may be worth."""
        sides = [self._at(function, operand) for operand in operands]
        results = set[int | float | None]()
        for values in product(*(sorted(_numbers(side)) for side in sides)):
            try:
                result = computed(*values)
            except (ArithmeticError, TypeError, ValueError):
                result = None
            results.add(result if result is not None and abs(result) < 2**63 else None)
        return _all([frozenset(results), *(_UNKNOWN for side in sides if None in side)])


def _members_of(type_: c_ast.Node) -> list[str]:
    """The names of a structure's members, where each is one initializer."""
    while isinstance(type_, c_ast.Typedef | c_ast.TypeDecl):
        type_ = type_.type
    members = (type_.decls or ()) if isinstance(type_, c_ast.Struct) else ()
    flat = all(isinstance(member.type, c_ast.TypeDecl | c_ast.PtrDecl) and member.name for member in members)
    return [member.name for member in members] if flat else []


def _member_of(node: c_ast.Node) -> tuple[c_ast.Node, str] | None:
    """The structure that a node names a member of, and that member, or one element of it: ``n[0]``."""
    match node:
        case c_ast.StructRef(name=structure, field=c_ast.ID(name=name)):
            return structure, name
        case c_ast.ArrayRef(name=c_ast.StructRef() as inner, subscript=c_ast.Constant(type="int", value=number)):
            member = _member_of(inner)
            return None if member is None else (member[0], f"{member[1]}[{number}]")
    return None


def _is_float(type_: c_ast.Node) -> bool:
    named = type_.type.type if isinstance(type_.type, c_ast.TypeDecl) else None
    return isinstance(named, c_ast.IdentifierType) and not {"float", "double"}.isdisjoint(named.names)


def _result(operator: str, first: float, second: float) -> float | None:
    if isinstance(first, int) and isinstance(second, int):
        return _OPERATORS[operator](first, second) if operator in _OPERATORS else None
    return _OF_FLOATS[operator](first, second) if operator in _OF_FLOATS else None


def _quotient(a: int, b: int) -> int:
    """Rounded towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _numbers(values: _Values) -> list[int | float]:
    return [value for value in values if value is not None]


def _all(values: Iterable[_Values]) -> _Values:
    """The smallest and the largest ones, where they are many."""
    every = frozenset[int | float | None]().union(*values)
    found = sorted(_numbers(every))
    kept = found if len(found) <= _MOST else found[: _MOST // 2] + found[-_MOST // 2 :]
    return frozenset([*kept, None] if None in every or len(kept) < len(found) else kept)


def _swept(loop: c_ast.For) -> tuple[str, list[c_ast.Node]] | None:
    """What a loop counts up, in whatever steps, from where and to which limit: a loop over sizes ends with the largest,
    and what is left behind an iteration is most in the first."""
    match loop.cond:
        case c_ast.BinaryOp(op="<" | "<=", left=c_ast.ID(name=name), right=limit):
            stepped = [assigned_name(node) for node in walk_nodes(loop.next)]
            if name in stepped and loop_counter(loop) == name:
                own = loop.init.decls[0].init if isinstance(loop.init, c_ast.DeclList) else loop.init.rvalue
                return name, [limit] if own is None else [own, limit]
    return None


def turns_of(around: Iterable[c_ast.Node], parameters: Iterable[str]) -> Iterator[Turns]:
    """The parameters that are counters of loops around a region, and what they run through, as far as that is one step
    after the other between sums of variables."""
    wanted = set(parameters)
    for loop in around:
        header = header_of(loop) if isinstance(loop, c_ast.For) else None
        if header is None or header.counter not in wanted:
            continue
        first, limit = _affine(header.first), _affine(header.limit)
        if first is None or limit is None:
            continue
        if header.sign == "+" and header.test in ("<", "<=", "!="):
            yield Turns(header.counter, first, limit + int(header.closed))
        elif header.sign == "-" and header.test in (">", ">=", "!="):
            yield Turns(header.counter, limit + (0 if header.closed else 1), first + 1)


def _affine(node: c_ast.Node) -> Affine | None:
    match node:
        case c_ast.Constant(value=text):
            literal = integer_literal(text)
            return affine(literal[0]) if literal is not None else None
        case c_ast.ID(name=name):
            return affine(str(name))
        case c_ast.BinaryOp(op="+" | "-" as operator, left=left, right=right):
            sides = _affine(left), _affine(right)
            if sides[0] is None or sides[1] is None:
                return None
            return sides[0] + sides[1] if operator == "+" else sides[0] - sides[1]
    return None
