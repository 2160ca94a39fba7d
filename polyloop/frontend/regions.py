"""Finds the regions between ``#pragma scop`` and ``#pragma endscop`` in the syntax tree."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from pycparser import c_ast

from polyloop.arithmetic import Pointer
from polyloop.frontend.flow import held_at, read_behind, use_of
from polyloop.frontend.parse import ParsedFile
from polyloop.frontend.region import Region, RowRead
from polyloop.frontend.scopes import (
    Declarations,
    FunctionNames,
    Generator,
    Place,
    Refusal,
    RegionNames,
    children,
    is_once,
    kept,
    loop_counter,
    parameters_of,
    reads_memory,
    region_names,
    used_names,
    walk_nodes,
)
from polyloop.frontend.source import SourceFile, Token
from polyloop.scop.program import Declaration, Diagnostic, without_comments

HINT = r"GCC (?:ivdep|unroll|novector)|unroll|nounroll|ivdep|simd|clang loop"
OF_LOOPS = rf"omp (?:parallel |)(?:for|simd)\b|{HINT}"
"""Pragmas that say something of the loop behind them, and go where it goes."""

AROUND = r"omp (?:parallel(?! (?:for|loop|master|masked|sections)\b)|single|master|masked|critical|section\b|task\b)"
"""Directives that hold for one statement of any kind, whatever it is."""

ALONE = r"omp (?:barrier|flush|taskwait|taskyield|threadprivate|cancel|cancellation|declare|requires|end)\b"
"""Directives that hold for no statement."""

OWN_OUTPUT = "polyloop has made it already; run polyloop on the original file"
"""Why a region stays that polyloop has written."""


@dataclass(frozen=True)
class Found:
    """One region.

    Attributes:
        function: the definition around it.
        items: the statements between the pragmas.
        before: for every block around the region, outermost first, what stands before the region in it (a for loop's
            declaration counts as a block).
        after: what follows in the same blocks, innermost first.
        around: the loops around the region, outermost first: what stands in them may run after the region.
        opening, opening_index: the first pragma's token and its number; without pragmas the first statement's token,
            and the number of the one before it.
        begin, end: offsets of the text between the pragmas' lines; without pragmas, of the statements' own text.
        marked: there are pragmas.
        alone: it is the one statement behind a header or a directive, without braces.
        above, behind, kept: see `SourceRegion`.
        first, last: the first and the last statement as they stand in the function, where it has been rewritten.
        given: see `Surroundings`.
        leaving: what is evaluated behind it, where it returns from the function.
        own: see `SourceRegion`.
        all_alias: its stores may change what has another type.
        labels: see `SourceRegion`.
        row_reads: see `Surroundings`.
    """

    function: c_ast.FuncDef
    items: tuple[c_ast.Node, ...]
    before: tuple[tuple[c_ast.Node, ...], ...]
    after: tuple[tuple[c_ast.Node, ...], ...]
    around: tuple[c_ast.Node, ...]
    opening: Token
    opening_index: int
    begin: int
    end: int
    marked: bool = True
    alone: bool = False
    above: tuple[int, int] | None = None
    behind: tuple[str, ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    first: c_ast.Node | None = None
    last: c_ast.Node | None = None
    given: tuple[tuple[str, c_ast.Node], ...] = ()
    leaving: tuple[c_ast.Node, ...] = ()
    own: tuple[str, ...] = ()
    all_alias: bool = False
    labels: tuple[str, ...] = ()
    row_reads: tuple[RowRead, ...] = ()

    @cached_property
    def names(self) -> RegionNames:
        """How its statements use names."""
        return region_names(self.items)


@dataclass(frozen=True)
class Block:
    """Statements that stand in a row.

    Attributes:
        before, after, around: see `Found`; of what stands outside of the block.
        alone: it is the one statement behind a header, without braces.
    """

    function: c_ast.FuncDef
    items: tuple[c_ast.Node, ...]
    before: tuple[tuple[c_ast.Node, ...], ...] = ()
    after: tuple[tuple[c_ast.Node, ...], ...] = ()
    around: tuple[c_ast.Node, ...] = ()
    alone: bool = False

    @classmethod
    def of(cls, function: c_ast.FuncDef) -> Block:
        return cls(function, tuple(function.body.block_items or ()))

    def inner(self, at: int) -> Iterator[Block]:
        """The blocks right inside of one of its statements."""
        item = self.items[at]
        before, after = (*self.before, self.items[:at]), (self.items[at + 1 :], *self.after)
        around = (*self.around, item) if is_loop(item) else self.around
        for block, declared in _inner_blocks(item):
            items = tuple(block.block_items or ()) if isinstance(block, c_ast.Compound) else (block,)
            alone = not isinstance(block, c_ast.Compound)
            yield Block(self.function, items, (*before, declared) if declared else before, after, around, alone)


def is_loop(node: c_ast.Node) -> bool:
    if isinstance(node, c_ast.Label):
        return any(isinstance(n, c_ast.Goto) and n.name == node.name for n in walk_nodes(node))
    return isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile) and not is_once(node)


def with_end_labels(found: Found) -> Found:
    """The region with the labels at its end that stand directly behind it and that it jumps to."""
    labels: list[str] = []
    node = next(iter(found.after[0]), None) if found.after else None
    while isinstance(node, c_ast.Label):
        labels.append(node.name)
        node = node.stmt
    nodes = [n for item in found.items for n in walk_nodes(item)] if labels else []
    targets = {n.name for n in nodes if isinstance(n, c_ast.Goto)}
    known = tuple(name for name in labels if name in targets)
    if not known:
        return found
    last = found.last or found.items[-1]
    ends = (c_ast.Label(name, c_ast.EmptyStatement(last.coord), last.coord) for name in known)
    return replace(found, items=(*found.items, *ends), first=found.first or found.items[0], last=last, labels=known)


def exits_of(found: Found) -> list[c_ast.Return | c_ast.Goto]:
    """A region's ``return`` statements, and its jumps to labels outside."""
    nodes = [n for item in found.items for n in walk_nodes(item)]
    labels = {n.name for n in nodes if isinstance(n, c_ast.Label)}
    return [n for n in nodes if isinstance(n, c_ast.Return) or (isinstance(n, c_ast.Goto) and n.name not in labels)]


def find_regions(
    parsed: ParsedFile, source: SourceFile, directives: list[tuple[int, str]]
) -> tuple[list[Found], list[Diagnostic]]:
    """All regions of the file, and errors for pragmas that do not pair up."""
    search = _Search(parsed, source, directives)
    for item in parsed.items:
        for node in item.nodes:
            if isinstance(node, c_ast.FuncDef):
                search.function(node)
    search.unpaired()
    return search.found, search.diagnostics


class _Search:
    def __init__(self, parsed: ParsedFile, source: SourceFile, directives: list[tuple[int, str]]) -> None:
        self.parsed = parsed
        self.source = source
        self.directives = directives
        self.found: list[Found] = []
        self.diagnostics: list[Diagnostic] = []
        self._seen: set[int] = set()

    def function(self, node: c_ast.FuncDef) -> None:
        self._block(Block.of(node))

    def unpaired(self) -> None:
        """Report the pragmas that are part of no region; not where a syntax error has been reported."""
        open_: int | None = None
        for index, token in enumerate(self.parsed.source.tokens):
            if token.kind != "pragma" or index in self._seen:
                continue
            if token.text.split()[0] == "scop":
                if open_ is not None:
                    self._unpaired("#pragma scop inside a region that is still open", index)
                else:
                    open_ = index
            elif open_ is None:
                self._unpaired("#pragma endscop without #pragma scop", index)
            else:
                message = "#pragma scop and its #pragma endscop must stand in one block of a function"
                self._unpaired(message, open_, index)
                open_ = None
        if open_ is not None:
            self._unpaired("this #pragma scop has no #pragma endscop", open_)

    def _unpaired(self, message: str, *indices: int) -> None:
        between = range(indices[0], indices[-1] + 1)
        if self.parsed.left_out.isdisjoint(between):
            self._error(self.parsed.source.tokens[indices[0]], message)

    def _error(self, token: Token, message: str) -> None:
        self.diagnostics.append(token.file.diagnostic("error", "pragma", token.offset, message))

    def _block(self, block: Block) -> None:
        opening: int | None = None
        for k, item in enumerate(block.items):
            word = first_word(item)
            if word == "scop" and opening is None:
                opening = k
            elif word == "endscop" and opening is not None:
                self._region(block, opening, k)
                opening = None
            elif opening is None and item is not None:
                for inner in block.inner(k):
                    self._block(inner)

    def _region(self, block: Block, at: int, end_at: int) -> None:
        first, last, items = block.items[at], block.items[end_at], block.items[at + 1 : end_at]
        before, after = (*block.before, block.items[:at]), (block.items[end_at + 1 :], *block.after)
        opening, closing = self.parsed.token(first), self.parsed.token(last)
        self._seen |= {self.parsed.index(first), self.parsed.index(last)}
        if opening.file is not self.source or closing.file is not self.source:
            name = block.function.decl.name
            message = f"region of {name} left as it is: it stands in an included file; read that file itself"
            self.diagnostics.append(opening.file.diagnostic("remark", "included", opening.offset, message))
            return
        nested = [t for t in self._tokens(first, last) if t.kind == "pragma" and t.text.split()[0] == "scop"]
        if nested:
            self._error(nested[0], "#pragma scop inside a region that is still open")
            inside = range(self.parsed.index(first), self.parsed.index(last))
            self._seen |= {k for k in inside if self.parsed.source.tokens[k].kind == "pragma"}
            return
        above = self._above(opening)
        begin = line_end(self.source.text, opening.offset)
        end = self.source.text.rfind("\n", 0, closing.offset) + 1
        if self._bad_directive(begin, end):
            return
        index = self.parsed.index(first)
        _, outside = pragma_above(self.source.text, self.directives, opening.offset if above is None else above) or (
            0,
            "",
        )
        alone = re.match(AROUND, outside) is not None
        if self._is_foreign(opening, outside):
            return
        line = self.source.text.rfind("\n", 0, opening.offset) + 1
        pragmas = None if above is None else (above, line)
        place = before, after, block.around, opening, index, begin, end
        self.found.append(Found(block.function, items, *place, alone=alone, above=pragmas))

    def _tokens(self, first: c_ast.Node, last: c_ast.Node) -> list[Token]:
        return self.parsed.source.tokens[self.parsed.index(first) + 1 : self.parsed.index(last)]

    def _above(self, opening: Token) -> int | None:
        """Where the pragmas begin that stand before the region and are about the loop behind it."""
        found, begin = None, opening.offset
        while (above := pragma_above(self.source.text, self.directives, begin)) and re.match(OF_LOOPS, above[1]):
            found = begin = above[0]
        return found

    def _is_foreign(self, opening: Token, text: str) -> bool:
        """Before the region stands a directive that is about its loop, and is not read."""
        if not re.match(r"(?:omp|acc)\b", text) or re.match(rf"{AROUND}|{ALONE}", text):
            return False
        message = f"region left as it is: #pragma {text} is about what stands behind it; take it away"
        self.diagnostics.append(opening.file.diagnostic("remark", "pragma", opening.offset, message))
        return True

    def _bad_directive(self, begin: int, end: int) -> bool:
        lost = lost_directive(self.directives, begin, end)
        if lost is not None:
            message = f"region left as it is: {lost[1]}"
            self.diagnostics.append(self.source.diagnostic("remark", "directive", lost[0], message))
        return lost is not None


def lost_directive(directives: Sequence[tuple[int, str]], begin: int, end: int) -> tuple[int, str] | None:
    """The region's text is replaced: what an #include in it declares would be lost, an #if that reaches out would be
    cut. Where, and what is to be said of it."""
    depth = 0
    for offset, word in directives:
        if not begin <= offset < end:
            continue
        depth += (word in ("if", "ifdef", "ifndef")) - (word == "endif")
        if word == "include" or depth < 0 or (depth == 0 and word.startswith("el")):
            return offset, f"#{word} inside it would be lost with its text"
    return (begin, "an #if begins in it and ends outside") if depth else None


def pragma_above(text: str, directives: Sequence[tuple[int, str]], offset: int) -> tuple[int, str] | None:
    """The pragma on the line before an offset, but for comments: where it begins, and its words."""
    at = bisect_left(directives, (offset, "")) - 1
    if at < 0 or directives[at][1] != "pragma":
        return None
    start, _ = directives[at]
    between = text[line_end(text, start) : offset]
    return (start, pragma_words(text, start)) if not without_comments(between).strip() else None


def pragma_words(text: str, offset: int) -> str:
    """What stands behind ``#pragma`` on the line that begins here; nothing, if it is none."""
    line = without_comments(text[offset : line_end(text, offset)]).replace("\\\n", " ").replace("\\\r\n", " ")
    found = re.match(r"\s*#\s*pragma\s+(.*)", line)
    return " ".join(found.group(1).split()) if found else ""


def _inner_blocks(node: c_ast.Node) -> Iterator[tuple[c_ast.Node | None, tuple[c_ast.Node, ...]]]:
    """The blocks directly inside a statement, each with what its header declares."""
    match node:
        case c_ast.Compound():
            yield node, ()
        case c_ast.For():
            yield node.stmt, (node.init,) if isinstance(node.init, c_ast.DeclList) else ()
        case c_ast.While() | c_ast.DoWhile() | c_ast.Switch() | c_ast.Label():
            yield node.stmt, ()
        case c_ast.If():
            yield node.iftrue, ()
            if node.iffalse is not None:
                yield node.iffalse, ()
        case c_ast.Case() | c_ast.Default():
            yield c_ast.Compound(node.stmts), ()


def first_word(node: c_ast.Node | None) -> str | None:
    """Its first word, if the node is a pragma line; the operator _Pragma holds a string literal instead of words."""
    text = node.string if isinstance(node, c_ast.Pragma) else None
    return text.split()[0] if isinstance(text, str) and text.split() else None


def line_end(text: str, offset: int) -> int:
    """The offset behind the line that holds `offset`, lines joined by a backslash included."""
    while True:
        end = text.find("\n", offset)
        if end < 0:
            return len(text)
        if not text[:end].rstrip("\r").endswith("\\"):
            return end + 1
        offset = end + 1


# --- Is a counter's last value, or a local variable of the region, used behind it? ------------------------------------
# The region's loops are replaced by others, so that a counter that is declared outside has no defined value after
# them.


_JUMPS = (c_ast.Goto, c_ast.Break, c_ast.Continue, c_ast.Switch, c_ast.Label)


def check_live_out(region: Region, found: Found) -> None:
    """Raises:
    Refusal: where a counter declared outside is read after the region before it is set again, or a variable
        that is declared at the region's top level is used after it.
    """
    for name in sorted(region.names.outer.counters):
        symbol = region.scope.lookup(name)
        if symbol is not None and (symbol.kind == "global" or symbol.static):
            hint = "; declare it in the loop: for (int i = ...)"
            raise Refusal("counter-value", f"the counter {name} keeps its value for other calls and functions{hint}")
        if symbol is not None and symbol.place is not None and not _is_of_own_structure(symbol.place, region, found):
            hint = "others may read it after the region; count with a variable of the function"
            raise Refusal("counter-value", f"the counter {symbol.written} is in memory: {hint}")
        read = exposed_read(name, found)
        if read is not None:
            here, place = (", here", read) if read.coord is not None else ("", found.items[0])
            raise Refusal("counter-value", f"the counter {name} is read after the region{here}", place)
    declared = {item.name for item in found.items if isinstance(item, c_ast.Decl)}
    for node in found.after[0]:
        for inner in walk_nodes(node):
            if isinstance(inner, c_ast.ID) and inner.name in declared:
                raise Refusal("declaration", f"{inner.name} is declared inside the region and used after it", inner)
    labels = {n.name for item in found.items for n in walk_nodes(item) if isinstance(n, c_ast.Label)}
    own = {id(n) for item in found.items for n in walk_nodes(item)}
    for inner in walk_nodes(found.function.body):
        if isinstance(inner, c_ast.Goto) and inner.name in labels and id(inner) not in own:
            raise Refusal("goto", f"a goto leads to the label {inner.name} inside the region", inner)


def _is_of_own_structure(place: Place, region: Region, found: Found) -> bool:
    """Is it a member of a structure that is the function's own variable, and that nothing reads behind the region?"""
    root = re.match(r"\w+", place.text)
    symbol = region.scope.lookup(root[0]) if root is not None and not place.behind else None
    if root is None or symbol is None or not symbol.automatic or isinstance(symbol.type, Pointer):
        return False
    return root[0] not in region.function.address_taken and exposed_read(root[0], found) is None


@lru_cache(maxsize=8)
def jumps_about(function: c_ast.FuncDef) -> bool:
    """May statements run in another order than that in which they stand in the function?"""
    return any(isinstance(n, _JUMPS) for n in walk_nodes(function.body))


def exposed_read(name: str, found: Found) -> c_ast.Node | None:
    """A read of a variable that its value after the region may reach."""
    for value in found.leaving:
        if (read := use_of(name, value)) is not None:
            return read
    last = found.last or next(reversed(found.items), None)
    return read_behind(name, found.function, last) if last is not None else None


def names_at(found: Found, declarations: Declarations) -> FunctionNames:
    """How the function around a region uses names; of the variables whose addresses are taken, those that pointers may
    lead to when the region runs."""
    names, last = declarations.names_of(found.function), found.last or next(reversed(found.items), None)
    if not names.address_taken or last is None:
        return names
    held = held_at(found.function, last, names.address_taken)
    lent = held - held_at(found.function, last, held, declarations.kept)
    taken = {name: names.address_taken[name] for name in held}
    return replace(names, address_taken=taken, lent=frozenset(lent))


def exposed_use(name: str, nodes: Iterable[c_ast.Node]) -> c_ast.Node | None:
    """A read outside of all for loops that set the counter themselves."""
    for node in nodes:
        if name not in used_names(node):
            continue
        match node:
            case c_ast.ID():
                return node
            case c_ast.For() if loop_counter(node) == name:
                continue
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=target)) if target == name:
                read = exposed_use(name, [node.rvalue])
                if read is not None:
                    return read
            case _:
                read = exposed_use(name, children(node))
                if read is not None:
                    return read
    return None


# --- The declarations that a region's text needs to be compiled without the function around it ------------------------


def declarations(
    found: Found, globals_: Mapping[str, c_ast.Decl], given: Mapping[str, str], called: Iterable[c_ast.FuncDef]
) -> tuple[Declaration, ...]:
    """The variables declared outside of a region that its text names, and those that their declarations name.

    Args:
        globals_: of the file, up to the function.
        given: see `SourceRegion`.
        called: the file's functions that it calls.
    """
    visible = {name: (node, "global") for name, node in globals_.items()}
    visible |= {node.name: (node, "parameter") for node in parameters_of(found.function)}
    for block in found.before:
        visible |= {node.name: (node, "local") for node in _declared(block)}
    needed: dict[str, Declaration] = {}
    for item in found.items:
        _add(item, visible, needed, given)
    for name in (name for function in called for name in _names(function.body) if name in globals_):
        if visible[name][1] == "global":  # no variable of the function's own hides it from the region
            needed[name] = _declaration(globals_[name], "called")
    return tuple(needed.values())


def own_types(found: Found) -> tuple[str, ...]:
    """The definitions of types and enumerators in the blocks around a region, before it."""
    texts: list[str] = []
    for node in (each for block in found.before for each in flat(block)):
        match node:
            case c_ast.Typedef():
                texts.append(f"{_without_c99(node)};\n")
            case c_ast.Decl() if _has_body(tag := _tag(node.type)) and (tag.name or isinstance(tag, c_ast.Enum)):
                texts.append(f"{_without_c99(tag)};\n")
    return tuple(texts)


def flat(block: Iterable[c_ast.Node]) -> Iterator[c_ast.Node]:
    """The statements, those of lists of declarations one by one."""
    for node in block:
        yield from node.decls if isinstance(node, c_ast.DeclList) else [node]


def _tag(node: c_ast.Node) -> c_ast.Node:
    """What a declaration's type is made of at last."""
    while isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl | c_ast.TypeDecl):
        node = node.type
    return node


def _has_body(tag: c_ast.Node) -> bool:
    return isinstance(tag, c_ast.Struct | c_ast.Union | c_ast.Enum) and any(True for _, _ in tag.children())


def _declared(block: Iterable[c_ast.Node]) -> Iterator[c_ast.Decl]:
    for each in flat(block):
        if isinstance(each, c_ast.Decl) and each.name and not isinstance(each.type, c_ast.FuncDecl):
            yield each


def _add(
    node: c_ast.Node,
    visible: Mapping[str, tuple[c_ast.Decl, str]],
    needed: dict[str, Declaration],
    given: Mapping[str, str],
) -> None:
    """Those that a tree names, each behind what it depends on."""
    for name in _names(node):
        if name in needed or name not in visible:
            continue
        declared, place = visible[name]
        others = {key: entry for key, entry in visible.items() if key != name}
        _add(declared.type, others, needed, given)
        if _is_constant(declared, place):
            _add(declared.init, others, needed, given)
        for word in re.findall(r"[A-Za-z_]\w*", given.get(name, "")):
            _add(c_ast.ID(word), others, needed, given)
        needed[name] = _declaration(declared, place)


def _names(node: c_ast.Node) -> Iterator[str]:
    """Of variables; members of structures are none."""
    if isinstance(node, c_ast.ID):
        yield str(node.name)
    for child in [node.name] if isinstance(node, c_ast.StructRef) else children(node):
        yield from _names(child)


def _is_constant(node: c_ast.Decl, place: str) -> bool:
    """Where a local array is not one of the region's, its elements stand in their places: nothing changes them. What is
    read from memory is no value that the region has without the function around it."""
    if place != "local" or node.init is None:
        return False
    return isinstance(node.init, c_ast.InitList) or ("const" in node.quals and not reads_memory(node.init))


def _declaration(node: c_ast.Decl, place: str) -> Declaration:
    declared = copy(node)
    declared.storage, declared.funcspec, declared.align, declared.init, declared.bitsize = [], [], [], None, None
    text = _without_c99(declared)
    if place == "parameter" and isinstance(node.type, c_ast.ArrayDecl) and node.type.dim is None:
        declared.type = c_ast.PtrDecl(list(node.type.dim_quals or ()), node.type.type)
        text = _without_c99(declared)
    if place == "global" and _is_nameless(node.type):
        # A second structure without a name is another type.
        first = f"&({node.name})[0]" if isinstance(node.type, c_ast.ArrayDecl) else node.name
        text = f"__typeof__({first}) {node.name}"
        return Declaration(str(node.name), text, text, "", place)
    if place != "parameter" and isinstance(node.type, c_ast.ArrayDecl):
        declared.type = copy(node.type)
        declared.type.dim_quals = [*(node.type.dim_quals or ()), "restrict"]
    value = str(Generator().visit(node.init)) if _is_constant(node, place) else ""
    value = f"{{{value}}}" if isinstance(node.init, c_ast.InitList) and value else value
    return Declaration(str(node.name), text, _without_c99(declared), value, place)


def _is_nameless(node: c_ast.Node) -> bool:
    """Whether a type is, or is made of, a structure without a name."""
    tag = _tag(node)
    return isinstance(tag, c_ast.Struct | c_ast.Union) and tag.name is None


def _without_c99(node: c_ast.Node) -> str:
    """As text; ``restrict`` is a keyword only from C99 on, and not of C++."""
    return re.sub(r"\brestrict\b", "__restrict", str(Generator().visit(node)))


def has_products(found: Found) -> bool:
    """Whether the limit of a loop, or a number of bytes, may be a product of variables, here or set before."""
    if any(map(_has_products, found.items)):
        return True
    products = set[str]().union(*(_products_in(item) for block in found.before for item in block))
    nodes = (node for item in found.items if products for node in walk_nodes(item))
    return any(isinstance(node, c_ast.ID) and node.name in products for node in nodes)


@kept
def _has_products(item: c_ast.Node) -> bool:
    nodes = (node for node in walk_nodes(item) if _counts(node))
    return any(_is_product(n.cond if isinstance(n, c_ast.For | c_ast.While) else n.args) for n in nodes)


@kept
def _products_in(item: c_ast.Node) -> frozenset[str]:
    """The variables that a statement sets to a product."""
    return frozenset(name for node in walk_nodes(item) for name, value in _values_of(node) if _is_product(value))


def _counts(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.For | c_ast.While | c_ast.FuncCall)


def _values_of(node: c_ast.Node) -> Iterator[tuple[str, c_ast.Node]]:
    match node:
        case c_ast.Decl(name=str() as name, init=c_ast.Node() as value):
            yield name, value
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value):
            yield name, value


def _is_product(node: c_ast.Node | None) -> bool:
    """Whether variables are multiplied in it."""
    products = (n for n in walk_nodes(node) if isinstance(n, c_ast.BinaryOp) and n.op == "*") if node else ()
    return any(_names_one(n.left) and _names_one(n.right) for n in products)


def _names_one(node: c_ast.Node) -> bool:
    return any(isinstance(inner, c_ast.ID) for inner in walk_nodes(node))
