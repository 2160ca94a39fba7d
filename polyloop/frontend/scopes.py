"""Names of a C file and what they stand for: block scopes, typedefs, enumeration constants, declared types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pycparser import c_ast

from polyloop.arithmetic.c_types import Arithmetic, ArrayOf, CType, Function, Opaque, Pointer, specifiers
from polyloop.backend.ir.expressions import I32, U32


@dataclass(eq=False)
class Symbol:
    """One declared thing; compared by identity, so that names that shadow each other differ.

    Attributes:
        kind: "parameter", "local", "global", "typedef", "constant" (an enumerator, a const int) or "function".
        value: a constant's.
        index: token number of the declaration.
        static: declared static, or of no linkage at all.
        constant: declared const.
        register: declared so; it has no address.
        pure: a function declared pure or const by attribute, where such a word is taken.
        body: a function's definition, if it is in the file.
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
    """

    constant: Callable[[c_ast.Node, Scope], int | None]
    index: Callable[[c_ast.Node], int]
    opaque: Callable[[int], bool]

    def declare(self, node: c_ast.Node, scope: Scope, kind: str, pure: bool = False) -> Symbol | None:
        """Enter a Decl, Typedef or FuncDef into a scope; the symbol, if it names one."""
        match node:
            case c_ast.FuncDef():
                symbol = self.declare(node.decl, scope, "global", pure)
                if symbol is not None:
                    symbol.body = node
                return symbol
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
        static = "static" in node.storage or (kind == "local" and "extern" not in node.storage)
        register = "register" in node.storage
        symbol = Symbol(node.name, kind, type_, self.index(node), None, static, constant, register, pure)
        if previous is not None and previous.kind == kind == "function":
            symbol.body = previous.body
        integer = isinstance(type_, Arithmetic) and not type_.scalar.is_float and not type_.volatile
        if constant and integer and node.init is not None and kind != "parameter":
            symbol.value = self.constant(node.init, scope)
            if symbol.value is not None:
                symbol.kind = "constant"
        if isinstance(type_, ArrayOf) and type_.extent is None and isinstance(node.init, c_ast.InitList):
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
                self._members(node, scope)
                word = "struct" if isinstance(node, c_ast.Struct) else "union"
                return Opaque(f"{word} {node.name}" if node.name else word)
        return Opaque("unknown type")

    def _qualified(self, type_: CType, quals: list[str]) -> CType:
        if "volatile" not in quals and "_Atomic" not in quals:
            return type_
        match type_:
            case Arithmetic(scalar, boolean):
                return Arithmetic(scalar, boolean, volatile=True)
            case Pointer(target, restrict):
                return Pointer(target, restrict, volatile=True)
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
        following, smallest = 0, 0
        for enumerator in node.values.enumerators if node.values is not None else ():
            if not isinstance(enumerator, c_ast.Enumerator):
                continue
            value = following if enumerator.value is None else self.constant(enumerator.value, scope)
            scope.add(Symbol(enumerator.name, "constant", Arithmetic(I32), value=value))
            following = (value or 0) + 1
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

    def _members(self, node: c_ast.Struct | c_ast.Union, scope: Scope) -> None:
        """Enumeration constants that are declared inside a struct are visible outside it."""
        for member in node.decls or ():
            if isinstance(member, c_ast.Decl):
                self.resolve(member.type, scope)


def parameters_of(function: c_ast.FuncDef) -> list[c_ast.Decl]:
    """The named parameters of a function's definition, old style included."""
    if function.param_decls:
        return list(function.param_decls)
    declarator = function.decl.type
    if not isinstance(declarator, c_ast.FuncDecl) or declarator.args is None:
        return []
    return [p for p in declarator.args.params if isinstance(p, c_ast.Decl) and p.name]


def walk_nodes(node: c_ast.Node | None) -> Iterator[c_ast.Node]:
    """A node and all below it, in source order."""
    if node is None:
        return
    yield node
    for _, child in node.children():
        yield from walk_nodes(child)
