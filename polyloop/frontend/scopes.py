"""The names of a C file: what they stand for, scope by scope, and who of them is written, who is a counter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from polyloop.arithmetic import (
    COMPLEX_PARTS,
    Arithmetic,
    ArrayOf,
    Bits,
    CType,
    Function,
    Opaque,
    Pointer,
    Record,
    specifiers,
)
from polyloop.backend.ir.expressions import I32, U32
from polyloop.backend.ir.polynomials import Polynomial
from polyloop.errors import PolyloopError

# --- Block scopes, typedefs, enumeration constants, declared types ----------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Memory that a name made by a rewrite stands for, or a value that no memory holds.

    Attributes:
        text: C's expression of it.
        object: what C calls the object that it lies in: different places of one object do not overlap.
        container: what is there as a whole if any of it is: the structure around it, or around the pointer to it.
        pointers: expressions of the pointers in memory that lead there, the first one first.
        follows: whether C reads memory behind a pointer to get at its address; to get at a value, it does so wherever
            `behind`.
        behind: whether a pointer leads to it.
        value: whether it is a value (of a test, say), which has no address.
        decayed: whether the expression is the address of an array's first element, whatever its dimensions.
        tests: what must hold, as C: of the structures' layout, for its elements to be where they are said to be; of
            what a value is computed from.
        polynomial, divisor, multiple: of a value that is computed from variables: see `polyloop.scop.program.Memory`.
        rest: whether it is the length of the last one of several blocks.
        rows: as many as an array in a structure has, 0 where nobody knows.
    """

    text: str
    object: str
    container: str
    pointers: tuple[str, ...] = ()
    follows: bool = False
    behind: bool = False
    value: bool = False
    decayed: bool = False
    tests: tuple[str, ...] = ()
    polynomial: Polynomial = ()
    divisor: str = ""
    multiple: int = 1
    rest: bool = False
    rows: int = 0


@dataclass(eq=False)
class Symbol:
    """One declared thing; compared by identity, so that names that shadow each other differ.

    Attributes:
        kind: "parameter", "local", "global", "typedef", "constant" (an enumerator, a const int), "function" or "member"
            (of a rewrite).
        value: a constant's.
        initial: of an array, what it is defined as, between braces or as a string.
        index: token number of the declaration.
        static: declared static: a local one keeps its value from call to call.
        constant: declared const.
        register: declared so; it has no address.
        pure: a function declared const by attribute, where such a word is taken: it reads its arguments alone.
        body: a function's definition, if it is in the file and may stand in the place of a call.
        place: what a name that a rewrite made stands for.
        homes: where the C code reads that: places in the file, with those of the loops around them; and whether the
            loops' bodies always get there.
        stays: of a function, why its body was not put in the place of a call.
        strides: of rows that pointers lead to, how far they lie apart: the outermost ones in rows of the next.
        parts: of an expression that a name stands for, by its place in the file: the names that it consists of.
    """

    name: str
    kind: str
    type: CType
    index: int = 0
    value: int | None = None
    static: bool = False
    constant: bool = False
    register: bool = False
    pure: bool = False
    body: c_ast.FuncDef | None = None
    place: Place | None = None
    homes: dict[tuple[str, tuple[str, ...]], bool] = field(default_factory=dict)
    stays: str = ""
    strides: tuple[Symbol, ...] = ()
    parts: dict[str, tuple[tuple[Symbol, c_ast.Node], ...]] = field(default_factory=dict)
    initial: c_ast.InitList | c_ast.Constant | None = None

    @property
    def automatic(self) -> bool:
        """Whether it is a variable of one call of the function."""
        return self.kind in ("local", "parameter") and not self.static

    @property
    def written(self) -> str:
        """As the C file has it."""
        return self.name if self.place is None else self.place.text

    @property
    def defined(self) -> bool:
        """Whether the file defines this function, so that it is no library's, whatever its name."""
        return self.body is not None or bool(self.stays)


@dataclass(eq=False)
class Scope:
    """One block's names over those of the blocks around it. Tags of enums need none: their constants are names."""

    parent: Scope | None = None
    names: dict[str, Symbol] = field(default_factory=dict)

    def lookup(self, name: str) -> Symbol | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def chain(self) -> Iterator[Scope]:
        """It, and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def outermost(self) -> Scope:
        """The file's."""
        *_, top = self.chain()
        return top

    def add(self, symbol: Symbol) -> Symbol:
        self.names[symbol.name] = symbol
        return symbol


@dataclass
class Declarations:
    """Turns declarations into symbols.

    Attributes:
        constant: the value of a constant expression in a scope, or None; given by the integer reader.
        index: the token number of a node.
        opaque: does a type-changing attribute stand in the declaration that begins at this token?
        packing: the alignment that members have at most of the structure at this token; 0 where they are not packed,
            None where nobody knows.
        bodies: the definitions of functions, those that stand behind what is read, too; None for those with directives.
        wraps: integers of signed types wrap around where they overflow.
        file: all that the file declares and defines.
        kept: the variables whose addresses an expression takes, but for those that calls only lend.
    """

    constant: Callable[[c_ast.Node, Scope], int | None]
    index: Callable[[c_ast.Node], int]
    opaque: Callable[[int], bool]
    packing: Callable[[int], int | None]
    bodies: Mapping[str, c_ast.FuncDef | None] = field(default_factory=dict)
    wraps: bool = False
    file: Sequence[c_ast.Node] = ()
    kept: Callable[[c_ast.Node | None], set[str]] = lambda node: addresses_taken(node)
    _latest: tuple[c_ast.FuncDef, FunctionNames] | None = None
    _addressed: frozenset[str] | None = None

    def has_no_pointers(self, symbol: Symbol) -> bool:
        """Is it a number of this file's own that no pointer leads to: nothing but its name reads it, or changes it?"""
        if symbol.kind != "global" or not symbol.static or not isinstance(symbol.type, Arithmetic):
            return False
        if self._addressed is None:
            taken = (address_taken(node) for item in self.file for node in walk_nodes(item))
            self._addressed = frozenset(node.name for node in taken if node is not None)
        return not symbol.type.volatile and symbol.name not in self._addressed

    def names_of(self, function: c_ast.FuncDef) -> FunctionNames:
        """How a whole function uses names; kept for the next question about the same."""
        if self._latest is None or self._latest[0] is not function:
            self._latest = function, function_names(function, self.index)
        return self._latest[1]

    def declare(self, node: c_ast.Node, scope: Scope, kind: str, pure: bool = False) -> Symbol | None:
        """Enter a Decl, Typedef or FuncDef into a scope; the symbol, if it names one."""
        match node:
            case c_ast.FuncDef():
                return self.declare(node.decl, scope, "global", pure)
            case c_ast.Typedef():
                return scope.add(Symbol(node.name, "typedef", self._declared(node, scope)))
            case c_ast.Decl():
                type_ = self._declared(node, scope)
                if node.name is None:
                    return None
                return self._object(node, type_, scope, kind, pure)
        return None

    def _object(self, node: c_ast.Decl, type_: CType, scope: Scope, kind: str, pure: bool) -> Symbol:
        previous = scope.names.get(node.name)
        if isinstance(type_, Function):
            kind = "function"
            pure = pure or (previous is not None and previous.pure)
        if kind == "parameter" and isinstance(type_, ArrayOf):
            type_ = Pointer(type_.element, type_.restrict) if type_.extent is None else type_
        if "extern" in node.storage and kind == "local":
            kind = "global"
        constant = "const" in node.quals
        static = "static" in node.storage
        register = "register" in node.storage
        symbol = Symbol(node.name, kind, type_, self.index(node), None, static, constant, register, pure)
        if kind == "function":
            symbol.body = self.bodies.get(node.name)
            if symbol.body is None and node.name in self.bodies:
                symbol.stays = "it has directives (#pragma omp) of its own"
        integer = isinstance(type_, Arithmetic) and not type_.scalar.is_float and not type_.volatile
        if constant and integer and node.init is not None and kind != "parameter":
            symbol.value = self.constant(node.init, scope)
            if symbol.value is not None:
                symbol.kind = "constant"
        if isinstance(type_, ArrayOf) and isinstance(node.init, c_ast.InitList | c_ast.Constant):
            symbol.initial = node.init
            if type_.extent is None and isinstance(node.init, c_ast.InitList):
                size = c_ast.Constant("int", str(len(node.init.exprs)), node.coord)
                symbol.type = ArrayOf(type_.element, size)
        return scope.add(symbol)

    def _declared(self, node: c_ast.Decl | c_ast.Typedef, scope: Scope) -> CType:
        type_ = self.resolve(node.type, scope)
        return Opaque("type with attributes") if self.opaque(self.index(node)) else type_

    def resolve(self, node: c_ast.Node, scope: Scope) -> CType:
        """The type that a declarator's node describes."""
        match node:
            case c_ast.Typename():
                return self.resolve(node.type, scope)
            case c_ast.TypeDecl():
                return self._qualified(self.resolve(node.type, scope), node.quals)
            case c_ast.PtrDecl():
                return Pointer(self.resolve(node.type, scope), "restrict" in node.quals, "volatile" in node.quals)
            case c_ast.ArrayDecl():
                return ArrayOf(self.resolve(node.type, scope), node.dim, "restrict" in (node.dim_quals or ()))
            case c_ast.FuncDecl():
                return Function(self.resolve(node.type, scope), self._parameters(node, scope))
            case c_ast.IdentifierType():
                return self._named(node, scope)
            case c_ast.Enum():
                return self._enum(node, scope)
            case c_ast.Struct() | c_ast.Union():
                return self._record(node, scope)
        return Opaque("unknown type")

    def _qualified(self, type_: CType, quals: list[str]) -> CType:
        if "volatile" not in quals and "_Atomic" not in quals:
            return type_
        match type_:
            case Arithmetic(scalar, boolean):
                return Arithmetic(scalar, boolean, volatile=True)
            case Pointer(target, restrict):
                return Pointer(target, restrict, volatile=True)
            case ArrayOf(element, extent, restrict):
                return ArrayOf(self._qualified(element, quals), extent, restrict)
            case Opaque(what) | Record(what):
                return Opaque(f"volatile {what}")
        return type_

    def _named(self, node: c_ast.IdentifierType, scope: Scope) -> CType:
        if len(node.names) == 1:
            symbol = scope.lookup(node.names[0])
            if symbol is not None and symbol.kind == "typedef":
                return symbol.type
            if node.names[0] == "void":
                return Opaque("void")
        return specifiers(node.names)

    def _parameters(self, node: c_ast.FuncDecl, scope: Scope) -> tuple[CType, ...] | None:
        if node.args is None:
            return None
        types: list[CType] = []
        inner = Scope(scope)
        for parameter in node.args.params:
            if not isinstance(parameter, c_ast.Decl | c_ast.Typename):
                return None
            type_ = self.resolve(parameter.type, inner)
            if type_ == Opaque("void"):
                return ()
            types.append(type_)
        return tuple(types)

    def _enum(self, node: c_ast.Enum, scope: Scope) -> CType:
        """Enter the constants; an enum's own type is unsigned int, or int if a constant is negative (as gcc has it)."""
        following: int | None = 0
        smallest = 0
        for enumerator in node.values.enumerators if node.values is not None else ():
            if not isinstance(enumerator, c_ast.Enumerator):
                continue
            value = following if enumerator.value is None else self.constant(enumerator.value, scope)
            scope.add(Symbol(enumerator.name, "constant", Arithmetic(I32), value=value, register=True))
            following = None if value is None else value + 1
            smallest = min(smallest, value or 0)
        # Tags live beside the names: no name has a space in it.
        tag = f"enum {node.name}"
        if node.values is None:
            known = scope.lookup(tag)
            return known.type if known is not None else Opaque(tag)
        type_ = Arithmetic(I32 if smallest < 0 else U32)
        if node.name is not None:
            scope.add(Symbol(tag, "typedef", type_))
        return type_

    def _record(self, node: c_ast.Struct | c_ast.Union, scope: Scope) -> CType:
        """Enter the tag of a structure. Enumeration constants that are declared inside it are visible outside it."""
        word = "struct" if isinstance(node, c_ast.Struct) else "union"
        tag = f"{word} {node.name}" if node.name else word
        if node.decls is None:
            known = scope.lookup(tag)
            return known.type if known is not None else Opaque(tag)
        members = [(d.name, self._member(d, scope)) for d in node.decls if isinstance(d, c_ast.Decl)]
        most = None if self.opaque(self.index(node)) else self.packing(self.index(node))
        type_ = Opaque(tag) if most is None else Record(tag, tuple(members), word == "union", most)
        if node.name:
            scope.add(Symbol(tag, "typedef", type_))
        return type_

    def _member(self, node: c_ast.Decl, scope: Scope) -> CType:
        type_ = self._declared(node, scope)
        if node.bitsize is None:
            return self._sized(type_, scope)
        width = self.constant(node.bitsize, scope)
        if isinstance(type_, Arithmetic) and width is not None:
            return Bits(type_.scalar.bytes, width)
        return Opaque("bit-field")

    def _sized(self, type_: CType, scope: Scope) -> CType:
        """The type with numbers for its extents, which another scope might read differently."""
        match type_:
            case ArrayOf(element, extent, restrict) if extent is not None:
                count = self.constant(extent, scope)
                number = c_ast.Constant("int", str(count), extent.coord) if count is not None else extent
                return ArrayOf(self._sized(element, scope), number, restrict)
            case Pointer(ArrayOf() as target, restrict, volatile):
                return Pointer(self._sized(target, scope), restrict, volatile)
        return type_


def parameters_of(function: c_ast.FuncDef) -> list[c_ast.Decl]:
    """The named parameters of a function's definition, old style included, where they may be declared in any order."""
    declarator = function.decl.type
    if function.param_decls:
        declared = {node.name: node for node in function.param_decls}
        names = [node for node in declarator.args.params if isinstance(node, c_ast.ID)]
        return [declared.get(node.name) or _integer_parameter(node) for node in names]
    if not isinstance(declarator, c_ast.FuncDecl) or declarator.args is None:
        return []
    return [p for p in declarator.args.params if isinstance(p, c_ast.Decl) and p.name]


def _integer_parameter(node: c_ast.ID) -> c_ast.Decl:
    """A parameter that only the list names is an int."""
    type_ = c_ast.TypeDecl(node.name, [], None, c_ast.IdentifierType(["int"]), node.coord)
    return c_ast.Decl(node.name, [], [], [], [], type_, None, None, node.coord)


def walk_nodes(node: c_ast.Node | None) -> Iterator[c_ast.Node]:
    """A node and all below it, in source order.

    Trees are walked dozens of times and nobody changes them, so that what stands below a statement is kept until
    `forget_walks`; statements of rewritten trees that are as they were are found there, too.
    """
    if node is None:
        return iter(())
    return iter(_walked(node)) if node.__class__ in STATEMENTS else _walk(node)


def _walked(node: c_ast.Node) -> tuple[c_ast.Node, ...]:
    known = _WALKS.get(id(node))
    if known is None:
        nodes = [node]
        for child in children(node):
            if child.__class__ in STATEMENTS:
                nodes += _walked(child)
            else:
                nodes += _walk(child)
        if len(_WALKS) >= _MOST_WALKS:
            _WALKS.clear()
        # The first of them is the node itself: as long as it is kept, no other has its address.
        known = _WALKS[id(node)] = tuple(nodes)
    return known


def forget_walks() -> None:
    """Let go of the trees of a function that has been read."""
    _WALKS.clear()
    for known in _FOUND:
        known.clear()


def kept(function: Callable[[c_ast.Node], _Found]) -> Callable[[c_ast.Node], _Found]:
    """The function, whose result for a tree is kept until `forget_walks`."""
    known: dict[int, tuple[c_ast.Node, _Found]] = {}
    _FOUND.append(known)

    def of(node: c_ast.Node) -> _Found:
        entry = known.get(id(node))
        if entry is None:
            entry = known[id(node)] = node, function(node)
        return entry[1]

    return of


_Found = TypeVar("_Found")
_FOUND: list[dict[int, Any]] = []


STATEMENTS = frozenset(
    (
        *(c_ast.Compound, c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.If, c_ast.Switch, c_ast.Case, c_ast.Label),
        *(c_ast.Assignment, c_ast.FuncDef),
    )
)
_WALKS: dict[int, tuple[c_ast.Node, ...]] = {}
_MOST_WALKS = 100_000
"""Of functions with more statements some are walked again."""


def used_names(node: c_ast.Node | None) -> frozenset[str]:
    """The variables and functions that a tree names, members of structures are none; kept for every node, as values
    share most of their parts."""
    if node is None or node.__class__ is c_ast.Constant:
        return _NONE
    return frozenset((node.name,)) if node.__class__ is c_ast.ID else _used_names(node)


@kept
def _used_names(node: c_ast.Node) -> frozenset[str]:
    kind = node.__class__
    if kind is c_ast.StructRef:
        return used_names(node.name)
    if kind is c_ast.NamedInitializer:
        return used_names(node.expr)
    found = _NONE
    for child in children(node):
        names = used_names(child)
        if not names <= found:
            found = found | names if found else names
    return found


_NONE: frozenset[str] = frozenset()


@kept
def kinds_in(node: c_ast.Node) -> frozenset[type]:
    """The kinds of nodes that a tree has: a rewrite need not go where none of its own are."""
    return frozenset(map(type, walk_nodes(node)))


def children(node: c_ast.Node) -> list[c_ast.Node]:
    """Those of a node, in source order."""
    kind = node.__class__
    if kind is c_ast.BinaryOp:  # the most frequent ones that have some
        return [node.left, node.right]
    names = CHILD_NAMES.get(kind)
    found: list[c_ast.Node] = []
    several: list[c_ast.Node] = []
    for name in child_names(kind) if names is None else names:
        value = getattr(node, name)
        if value.__class__ is list:
            several += value
        elif value is not None:
            found.append(value)
    return found + several if several else found


def _walk(node: c_ast.Node) -> Iterator[c_ast.Node]:
    waiting = [node]
    known = CHILD_NAMES
    while waiting:
        node = waiting.pop()
        yield node
        names = known.get(node.__class__)
        if names is None:
            names = child_names(node.__class__)
        if not names:
            continue
        several: list[c_ast.Node] = []
        end = len(waiting)
        for name in names:
            value = getattr(node, name)
            if value.__class__ is list:
                several += value
            elif value is not None:
                waiting.append(value)
        waiting += several
        waiting[end:] = waiting[: end - 1 if end else None : -1]


CHILD_NAMES: dict[type, tuple[str, ...]] = {}
"""What `child_names` has found."""


def child_names(kind: type) -> tuple[str, ...]:
    """The attributes that hold children: `Node.children` makes a name for every child, which most of a walk's time
    would go into."""
    if kind not in CHILD_NAMES:
        others = (*getattr(kind, "attr_names"), "coord", "__weakref__")  # noqa: B009
        CHILD_NAMES[kind] = tuple(name for name in getattr(kind, "__slots__") if name not in others)  # noqa: B009
    return CHILD_NAMES[kind]


class Generator(CGenerator):  # type: ignore[misc]
    """The text of a tree, also where parts of complex numbers are members of these in it."""

    def visit_StructRef(self, n: c_ast.StructRef) -> str:  # noqa: N802 (pycparser's name)
        if n.field.name in COMPLEX_PARTS:
            return f"{n.field.name} {self._parenthesize_unless_simple(n.name)}"
        return str(super().visit_StructRef(n))

    def visit_CompoundLiteral(self, n: c_ast.CompoundLiteral) -> str:  # noqa: N802
        if "_Complex" in getattr(n.type.type.type, "names", ()) and len(n.init.exprs) == len(COMPLEX_PARTS):
            return f"__builtin_complex({', '.join(map(self.visit, n.init.exprs))})"
        return str(super().visit_CompoundLiteral(n))


# --- What a function's text says about its names before any region is read --------------------------------------------


_INCREMENTS = ("++", "--", "p++", "p--")


@dataclass(frozen=True)
class Uses:
    """Names by their use inside a region.

    Attributes:
        written: assigned, incremented or decremented by statements (not as loop counters).
        counters: the counters of for loops, but for those that a loop's header declares: nothing else sees them.
        affine: used in bounds, conditions or subscripts.
    """

    written: frozenset[str] = frozenset()
    counters: frozenset[str] = frozenset()
    affine: frozenset[str] = frozenset()


@dataclass(frozen=True)
class RegionNames:
    """The uses of variables declared outside the region, and of those declared inside, which may shadow them."""

    outer: Uses = Uses()
    inner: Uses = Uses()


@dataclass(frozen=True)
class FunctionNames:
    """Uses in a whole function.

    Attributes:
        assignments: (name, token number) of every assignment to a scalar.
        address_taken: names behind the operator &, each with the token number of the last place.
        fewest_subscripts: for every name, the least number of subscripts that it has anywhere: an array with fewer
            than its dimensions gives its address away.
        calls: token numbers of calls.
        names: all that are declared or used.
        lent: those of `address_taken` whose addresses only calls had, which keep none: they may have been set there.
    """

    assignments: tuple[tuple[str, int], ...]
    address_taken: Mapping[str, int]
    fewest_subscripts: Mapping[str, int]
    calls: tuple[int, ...]
    names: frozenset[str] = frozenset()
    lent: frozenset[str] = frozenset()


def assigned_name(node: c_ast.Node) -> str | None:
    """The scalar that a node assigns to."""
    target = stored_into(node)
    return target.name if target.__class__ is c_ast.ID else None  # type: ignore[union-attr]


def stored_into(node: c_ast.Node) -> c_ast.Node | None:
    """What a node stores into: the left side of an assignment, or what ``++`` and ``--`` step."""
    kind = node.__class__  # asked of all nodes, many times: patterns would take twice as long
    if kind is c_ast.Assignment:
        return node.lvalue
    return node.expr if kind is c_ast.UnaryOp and node.op in _INCREMENTS else None


def does_anything(node: c_ast.Node) -> bool:
    """May evaluating this change anything, for all that the text says?"""
    return any(isinstance(n, c_ast.FuncCall) or assigned_name(n) is not None for n in walk_nodes(node))


def is_element(node: c_ast.Node) -> bool:
    """Is this memory that a subscript or a pointer leads to?"""
    return isinstance(node, c_ast.ArrayRef) or (isinstance(node, c_ast.UnaryOp) and node.op == "*")


def reads_memory(node: c_ast.Node | None) -> bool:
    """Is memory read here that is no variable?"""
    return any(is_element(n) or isinstance(n, c_ast.StructRef) for n in walk_nodes(node))


def stored_names(nodes: Iterable[c_ast.Node]) -> Iterator[str]:
    """The names of what these nodes change, arrays by their elements included, or declare."""
    for node in nodes:
        if (target := stored_into(node)) is not None:
            yield from [n.name for n in walk_nodes(target) if isinstance(n, c_ast.ID)][:1]  # the base is first
        elif isinstance(node, c_ast.Decl) and node.name is not None:
            yield node.name


def base_name(node: c_ast.Node | None) -> str | None:
    """The variable that subscripts and members begin with; None for what a pointer's value leads to otherwise."""
    while isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
        node = node.name
    return str(node.name) if isinstance(node, c_ast.ID) else None


def declared_names(items: Iterable[c_ast.Node | None]) -> set[str]:
    """The names that statements declare, at any depth."""
    return set[str]().union(*(_names_in(item).declared for item in items if item is not None))


def assigned_names(items: Iterable[c_ast.Node | None]) -> set[str]:
    """The names of the variables that statements assign to."""
    return set[str]().union(*(_names_in(item).assigned for item in items if item is not None))


def set_names(items: Iterable[c_ast.Node | None]) -> set[str]:
    """The names of the variables that statements assign to or declare."""
    found = [_names_in(item) for item in items if item is not None]
    return set[str]().union(*(names.assigned for names in found), *(names.declared for names in found))


def changed_names(items: Iterable[c_ast.Node]) -> set[str]:
    """The names of all variables that statements or loops' headers set."""
    found = [_names_in(item) for item in items]
    return set[str]().union(*(names.assigned for names in found), *(names.counters for names in found))


class _NamesIn(NamedTuple):
    """Variables that are assigned to below a node, declared, and set by the first parts of for loops."""

    assigned: frozenset[str]
    declared: frozenset[str]
    counters: frozenset[str]


def _names_in(node: c_ast.Node) -> _NamesIn:
    """Of a statement it is kept, as it is asked for in all statements around it, too."""
    return _names_in_statement(node) if node.__class__ in STATEMENTS else _names_of(_walk(node), ())


@kept
def _names_in_statement(node: c_ast.Node) -> _NamesIn:
    nodes, inner = [node], list[_NamesIn]()
    for child in children(node):
        if child.__class__ in STATEMENTS:
            inner.append(_names_in_statement(child))
        else:
            nodes += _walk(child)
    return _names_of(nodes, inner)


def _names_of(nodes: Iterable[c_ast.Node], inner: Sequence[_NamesIn]) -> _NamesIn:
    assigned, declared, counters = set[str](), set[str](), set[str]()
    for node in nodes:
        kind = node.__class__
        if kind is c_ast.Assignment or kind is c_ast.UnaryOp:
            if (name := assigned_name(node)) is not None:
                assigned.add(name)
        elif kind is c_ast.Decl:
            if node.name is not None:
                declared.add(node.name)
        elif kind is c_ast.For and (name := loop_counter(node)) is not None:
            counters.add(name)
    for each in inner:
        assigned |= each.assigned
        declared |= each.declared
        counters |= each.counters
    if not (assigned or declared or counters):
        return _NO_NAMES
    return _NamesIn(frozenset(assigned), frozenset(declared), frozenset(counters))


_NO_NAMES = _NamesIn(frozenset(), frozenset(), frozenset())


def loop_counter(node: c_ast.For) -> str | None:
    """The name that a for loop's first part sets."""
    match node.init:
        case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
            return str(name)
        case c_ast.DeclList(decls=[c_ast.Decl() as declaration]):
            return str(declaration.name)
    return None


def step_of(node: c_ast.Node | None) -> tuple[c_ast.ID, str, c_ast.Node] | None:
    """The variable that a statement moves, "+" or "-", and by how much: ``i++``, ``i -= 2``, ``i = i + n``."""
    match node:
        case c_ast.UnaryOp(op="++" | "p++" | "--" | "p--" as operator, expr=c_ast.ID() as moved):
            return moved, operator[-1], c_ast.Constant("int", "1", node.coord)
        case c_ast.Assignment(op="+=" | "-=" as operator, lvalue=c_ast.ID() as moved, rvalue=amount):
            return moved, operator[0], amount
        case c_ast.Assignment(op="=", lvalue=c_ast.ID() as moved, rvalue=c_ast.BinaryOp(op="+" | "-") as value):
            sides = [(value.left, value.right)] + ([(value.right, value.left)] if value.op == "+" else [])
            amounts = [amount for own, amount in sides if isinstance(own, c_ast.ID) and own.name == moved.name]
            return (moved, value.op, amounts[0]) if amounts else None
    return None


def is_once(node: c_ast.Node) -> bool:
    """Is it ``do ... while (0)`` or ``while ((void)0, 0)``, a block that macros make one statement of?"""
    match node:
        case c_ast.DoWhile(cond=c_ast.Constant(value="0")):
            return True
        case c_ast.DoWhile(cond=c_ast.ExprList(exprs=[*first, c_ast.Constant(value="0")])):
            return all(map(is_void, first))
    return False


def is_void(node: c_ast.Node) -> bool:
    """Is it ``(void)x``, which says that x is not used?"""
    match node:
        case c_ast.Cast(to_type=c_ast.Typename(type=c_ast.TypeDecl(type=c_ast.IdentifierType(names=["void"])))):
            return isinstance(node.expr, c_ast.ID | c_ast.Constant)
    return False


BLOCKS = frozenset(("memset", "memcpy", "memmove"))
"""Functions of which calls may be loops (`polyloop.frontend.memory_blocks`)."""


@dataclass
class _Uses:
    written: set[str] = field(default_factory=set)
    counters: set[str] = field(default_factory=set)
    affine: set[str] = field(default_factory=set)

    def frozen(self) -> Uses:
        return Uses(frozenset(self.written), frozenset(self.counters), frozenset(self.affine))


class _Collector:
    """Walks a region with the names that its own declarations bring in."""

    def __init__(self) -> None:
        self.outer, self.inner = _Uses(), _Uses()
        self._declared: list[set[str]] = [set()]

    def _of(self, name: str) -> _Uses:
        return self.inner if any(name in block for block in self._declared) else self.outer

    def visit(self, node: c_ast.Node | None) -> None:
        match node:
            case None:
                return
            case c_ast.For():
                self._for(node)
            case c_ast.If():
                self.note_affine(node.cond)
                self.visit(node.iftrue)
                self.visit(node.iffalse)
            case c_ast.Compound():
                self._declared.append(set())
                for item in node.block_items or ():
                    self.visit(item)
                self._declared.pop()
            case c_ast.Decl():
                # An integer that is set where it is declared may stand in a subscript later.
                self.note_affine(node.init)
                self.visit(node.init)
                self._declared[-1].add(node.name)
            case _ if kinds_in(node).isdisjoint((c_ast.For, c_ast.If, c_ast.Compound, c_ast.Decl)):
                for inner in walk_nodes(node):
                    self._note(inner)
            case _:
                self._note(node)
                for child in children(node):
                    self.visit(child)

    def _note(self, node: c_ast.Node) -> None:
        if (assigned := assigned_name(node)) is not None:
            self._of(assigned).written.add(assigned)
        if isinstance(node, c_ast.ArrayRef):
            self.note_affine(node.subscript)

    def _for(self, node: c_ast.For) -> None:
        self._declared.append(set())
        if isinstance(node.init, c_ast.DeclList):
            for declaration in node.init.decls:
                self.visit(declaration)
        else:
            self.note_affine(node.init)
        counter = loop_counter(node)
        if counter is None:
            self.visit(node.init)
        elif not isinstance(node.init, c_ast.DeclList):
            self._of(counter).counters.add(counter)
        self.note_affine(node.cond)
        self.note_affine(node.next)
        self.visit(node.stmt)
        self._declared.pop()

    def note_affine(self, node: c_ast.Node | None) -> None:
        for inner in walk_nodes(node):
            if isinstance(inner, c_ast.ID):
                self._of(inner.name).affine.add(inner.name)


def region_names(items: Iterable[c_ast.Node]) -> RegionNames:
    """How the statements of a region use names."""
    collector = _Collector()
    for item in items:
        collector.visit(item)
    return RegionNames(collector.outer.frozen(), collector.inner.frozen())


def function_names(function: c_ast.FuncDef, index: Callable[[c_ast.Node], int]) -> FunctionNames:
    """How a whole function uses names."""
    assignments: list[tuple[str, int]] = []
    calls: list[int] = []
    taken: dict[str, int] = {}
    fewest: dict[str, int] = {}
    nodes = list(walk_nodes(function))
    inner = (child for node in nodes if isinstance(node, c_ast.Struct | c_ast.Union) for child in node.decls or ())
    members = set(map(id, inner))
    declared = [node for node in nodes if isinstance(node, c_ast.Decl) and id(node) not in members]
    pointers = {node.name for node in declared if isinstance(node.type, c_ast.PtrDecl)}
    pointers -= {node.name for node in declared if not isinstance(node.type, c_ast.PtrDecl)}
    for node in walk_nodes(function.body):
        target = stored_into(node)
        if isinstance(target, c_ast.ID):
            assignments.append((target.name, index(target)))
        match node:
            case c_ast.FuncCall():
                calls.append(index(node))
            case c_ast.UnaryOp(op="&") if (base := address_taken(node)) is not None:
                if node.expr is base or base.name not in pointers:  # &p[i] is what p points to
                    taken[base.name] = index(base)
    _count_subscripts(function.body, 0, fewest)
    names = frozenset(n.name for n in walk_nodes(function) if isinstance(n, c_ast.ID | c_ast.Decl) and n.name)
    return FunctionNames(tuple(assignments), taken, fewest, tuple(calls), names)


def address_taken(node: c_ast.Node) -> c_ast.ID | None:
    """The variable whose address a node takes."""
    if not isinstance(node, c_ast.UnaryOp) or node.op != "&":
        return None
    # The base comes first: in &a[i] it is a whose address goes out, not i's.
    return next((n for n in walk_nodes(node.expr) if isinstance(n, c_ast.ID)), None)


def addresses_taken(node: c_ast.Node | None) -> set[str]:
    """The variables whose addresses are taken in a tree."""
    bases = (address_taken(n) for n in walk_nodes(node)) if node is not None else ()
    return {base.name for base in bases if base is not None}


def _count_subscripts(node: c_ast.Node | None, count: int, fewest: dict[str, int]) -> None:
    match node:
        case None:
            return
        case c_ast.ID(name=name):
            fewest[name] = min(count, fewest.get(name, count))
        case c_ast.ArrayRef():
            _count_subscripts(node.name, count + 1, fewest)
            _count_subscripts(node.subscript, 0, fewest)
        case c_ast.UnaryOp(op="*", expr=expr):
            _count_subscripts(expr, count + 1, fewest)
        case c_ast.UnaryOp(op="sizeof"):
            return
        case _:
            for child in children(node):
                _count_subscripts(child, 0, fewest)


# --- Why a C file is not read, and why a region of it is left alone ---------------------------------------------------


NO_MEMBERS = (
    "this member cannot be followed: its structure changes, has members of unknown layout, or leads to other memory "
    "for every element; before the scop, copy a number (int n = s->n) to a variable, and point to an array "
    "(double (*a)[9] = s->a)"
)
GOTO = "goto is not supported here; write what it jumps over as an if, and what it goes back to as a loop"
RETURN = "return leaves the region in the middle; end the loop with break, and return behind it"
"""Of several readers, each of which may be the first to meet one."""


class CSourceError(PolyloopError):
    """The C file cannot be read, or it has nothing to read; the message is the rendered diagnostics."""


class Refusal(PolyloopError):
    """A construct that the polyhedral model cannot hold; ends the reading of one region.

    Attributes:
        code: see `Diagnostic`.
        node: the syntax node to point at, or None for the region's beginning.
        exact_only: of a condition or a subscript, which may also be computed where the program is not affine.
        unread: the places, as C, that nobody knows to be read in any case, so that they are no parameters.
    """

    def __init__(self, code: str, message: str, node: c_ast.Node | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.node = node
        self.exact_only = False
        self.unread: tuple[str, ...] = ()

    def bare(self) -> Refusal:
        """Itself, to keep: without the frames that it came through, which hold all that was read."""
        self.__traceback__ = self.__context__ = None
        return self
