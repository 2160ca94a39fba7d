"""Finds regions where no pragmas mark them: runs of statements in a block of a function that the readers take.

Of every block the longest run with loops in it is tried first. Where the readers refuse one of its statements, the run
ends before that; where they refuse a statement by itself, the loops inside of it are looked at. The place of a refusal
says where to cut, so that each statement is read a few times at most, whatever stands around it.

Where statements begin and end: their tokens, and the text that these were written as.

The syntax tree knows one token of every node. The others follow from the brackets and semicolons around it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

from pycparser import c_ast

from polyloop.backend.ir.expressions import PRODUCTS
from polyloop.frontend.parse import ParsedFile
from polyloop.frontend.preprocess import Preprocessed
from polyloop.frontend.regions import (
    ALONE,
    AROUND,
    OF_LOOPS,
    OWN_OUTPUT,
    Block,
    Found,
    first_word,
    is_loop,
    lost_directive,
    pragma_above,
    pragma_words,
)
from polyloop.frontend.scopes import Refusal, assigned_name, kept, walk_nodes
from polyloop.frontend.source import Inclusion, SourceFile, Token, Use
from polyloop.scop.model import Scop

Items = tuple[c_ast.Node, ...]

MOST_LOOPS = 16
"""In one region, as long as there are several nests that may be regions of their own."""

_IN_A_ROW = 3
"""Statements with loops that are refused one after the other, from which on runs begin with one and grow: what is found
in libjpeg-turbo, CHStone, minimap2, celt and darknet is the same, and a coder with 63 such statements takes 0.4 of the
time. A run that grows is read as often as it doubles, so that it is not worth it where most is read."""

_MOST_NODES = 5_000
"""Of the syntax tree, in one region: what is longer than this is made by macros (coders that are written out for every
bit), takes seconds for each way to read it, and is left in the end. The largest read so far have half of that."""

_IN_RUNS = (
    *(c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Label, c_ast.If, c_ast.Compound),
    *(c_ast.Assignment, c_ast.UnaryOp, c_ast.EmptyStatement),
)
_WHOLE = r"acc\b|omp\b.*\b(target|teams|distribute|loop|taskloop|tile|collapse|ordered|atomic|scan)\b"
"""Directives and clauses that are about the loops inside of their statement, too, or about where it runs."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
"""Names of files that many include: functions in them are theirs, not the file's. In others there is what macros make
several functions of (``#include "sum_source.c"``)."""
_UNBOUNDED = (
    "no run-time test can bound what its subscripts from data lead to; qualify the pointers with restrict, or give "
    "--assume-noalias to optimize"
)
_OURS = re.compile(r"polyloop_\w+")


class Finder:
    """Finds the regions of a file's functions.

    Args:
        attempt: reads a region; else why it cannot be read.
        take: is told of every region.
        refused: is told of every loop that stays, where and why.
        usable: whether a region that was read has a place in an emitted file; where it has none, regions inside of it
            are taken that have, and it stays.
    Attributes:
        cut: uses of macros that loops which stay begin or end in, and directives that include the files of such loops.
    """

    def __init__(
        self,
        parsed: ParsedFile,
        source: SourceFile,
        preprocessed: Preprocessed,
        attempt: Callable[[Found], Scop | Refusal],
        take: Callable[[Found, Scop], None],
        refused: Callable[[Found, Refusal], None],
        usable: Callable[[Scop], bool],
    ) -> None:
        self._is_usable = usable
        self.extents = Extents(parsed, source, preprocessed.uses, preprocessed.inclusions)
        self.directives = preprocessed.directives
        self.attempt = attempt
        self.take = take
        self.refused = refused
        self.cut: list[Use | Inclusion] = []
        self._results: dict[tuple[int, int], tuple[Found, Scop | Refusal]] = {}
        self._refused: dict[int, tuple[Found, Refusal]] = {}
        self._known_usable: dict[int, tuple[Scop, bool]] = {}

    def function(self, function: c_ast.FuncDef) -> None:
        """Look for regions in a function; what polyloop has made is none."""
        file = self.extents.parsed.token(function.decl).file
        is_here = file is self.extents.source or (
            bool(self.extents.included(file)) and not file.path.endswith(_HEADERS)
        )
        if is_here and not _OURS.fullmatch(function.decl.name):
            self._block(Block.of(function))

    def _block(self, block: Block) -> None:
        marked = _marked(block.items)
        at = 0
        while at < len(block.items):
            end = at
            while end < len(block.items) and not marked[end] and _may_be_in_run(block.items, end):
                end += 1
            if end > at:
                self._run(block, at, end)
            elif not marked[at]:
                self._inside(block, at)
            at = max(end, at + 1)

    def _inside(self, block: Block, at: int) -> None:
        """Look for regions in one statement."""
        item = block.items[at]
        if _is_own_output(item):
            self.refused(self._region(block, at, at + 1), Refusal("own-output", OWN_OUTPUT))
            return
        if not any(is_loop(n) or _calls_ours(n) for n in walk_nodes(item)):
            return
        for inner in block.inner(at):
            self._block(inner)

    def _run(self, block: Block, begin: int, end: int) -> None:
        """Cut statements into regions, each as long as can be."""
        in_a_row = 0
        while begin < end:
            start, most = begin, _few_loops(block.items, begin, end)
            # Where many loops are refused one after the other, long runs of them would be read again and again.
            reach = most if in_a_row < _IN_A_ROW else _first_loop(block.items, begin, most)
            begin, last = _trimmed(block.items, begin, reach)
            if begin < last and id(block.items[begin]) in self._refused:
                last = begin + 1  # what has ended a run begins none
            while begin < last:
                found, result = self._read(block, begin, last)
                if isinstance(result, Scop) and last - begin > 1 and _returns(result):
                    # What returns cannot be timed; what stands before it can.
                    begin, last = _trimmed(block.items, begin, last - 1)
                    continue
                if isinstance(result, Scop) and last - begin > 1 and not self._usable(result):
                    result = Refusal("unbounded", _UNBOUNDED)
                if isinstance(result, Scop) and reach < most:  # a longer one may be a region, too
                    reach = min(most, 2 * reach - start)
                    begin, last = _trimmed(block.items, start, reach)
                    continue
                if isinstance(result, Scop):
                    in_a_row = 0
                    if not self._is_of_use(result) and self._takes_inner(block, begin, found, result):
                        break
                    if self._usable(result):
                        self.take(found, result)
                    else:
                        self.refused(found, Refusal("unbounded", _UNBOUNDED))
                    break
                reach = most
                if last - begin == 1:
                    in_a_row += 1
                    whole = self._is_whole(found)
                    if whole or _is_worth_a_word(block.items[begin]):
                        self.refused(found, result)
                    if not whole:
                        self._inside(block, begin)
                    break
                begin, last = _trimmed(block.items, begin, self._cut(block, begin, last, result))
            begin = last

    def _is_of_use(self, scop: Scop) -> bool:
        """What returns cannot be timed."""
        return not _returns(scop) and self._usable(scop)

    def _usable(self, scop: Scop) -> bool:
        key = id(scop)  # equal Scops may come from other texts
        if key not in self._known_usable:
            self._known_usable[key] = scop, self._is_usable(scop)
        return self._known_usable[key][1]

    def _takes_inner(self, block: Block, begin: int, found: Found, scop: Scop) -> bool:
        """Take the regions inside of a loop that is of no use itself, if there are some that are."""
        taken: list[tuple[Found, Scop]] = []
        refused = list[tuple[Found, Refusal]]()
        outer = self.take, self.refused
        self.take, self.refused = (lambda *each: taken.append(each)), (lambda *each: refused.append(each))
        try:
            self._inside(block, begin)
        finally:
            self.take, self.refused = outer
        if not any(self._is_of_use(inner) for _, inner in taken):
            return False
        why = Refusal("unbounded", f"{_UNBOUNDED}; its inner loops are taken")
        if _returns(scop):
            why = Refusal("return", f"it returns from {block.function.decl.name}; its inner loops are taken")
        self.refused(found, why)
        for region, reason in refused:
            self.refused(region, reason)
        for region, inner in taken:
            self.take(region, inner)
        return True

    def _cut(self, block: Block, begin: int, end: int, refusal: Refusal) -> int:
        """Where a run ends that is shorter than the one that was refused."""
        index = self.extents.parsed.index(refusal.node) if refusal.node is not None else -1
        spans = [self.extents.span(block.function, block.items[at]) for at in range(begin, end)]
        at = next((begin + k for k, (first, last) in enumerate(spans) if first <= index <= last), None)
        if at is None:
            return begin + (end - begin) // 2  # the refusal is about what stands elsewhere
        alone, result = self._read(block, at, at + 1)
        if isinstance(result, Refusal):
            self._refused[id(block.items[at])] = alone, result
            return max(at, begin + 1)
        # The statement by itself may be read: what stands behind it is in its way, or else what stands before it.
        behind = at + 1 + (end - at - 1) // 2
        return behind if behind < end else max(at, begin + 1)

    def _read(self, block: Block, begin: int, end: int) -> tuple[Found, Scop | Refusal]:
        if end == begin + 1 and (known := self._refused.get(id(block.items[begin]))) is not None:
            return known
        # A statement that was in the way of a run begins one of its own, and may begin it several times.
        key = id(block.items[begin]), id(block.items[end - 1])
        if key not in self._results:
            found = self._region(block, begin, end)
            self._results[key] = found, self._refusal(found) or self.attempt(found)
        return self._results[key]

    def _refusal(self, found: Found) -> Refusal | None:
        """What is in the way of cutting the text out, whatever it says, and of reading it in any time."""
        if found.end <= found.begin:
            first, last = (self.extents.span(found.function, item) for item in (found.items[0], found.items[-1]))
            if len(found.items) == 1:
                self.cut += self.extents.cut(first[0], last[1])
            if self.extents.parsed.source.tokens[first[0]].file is not self.extents.source:
                return Refusal("included", "it stands in an included file; write its text in the place of the #include")
            return Refusal("macro", "it begins or ends inside of a macro's use; write that line without the macro")
        lost = lost_directive(self.directives, found.begin, found.end)
        if lost is not None:
            return Refusal("directive", lost[1], self._at(found, lost[0]))
        above = self._above(found)
        if above is not None and re.match(r"(omp|acc)\b", above[1]) and not re.match(rf"{AROUND}|{ALONE}", above[1]):
            message = f"#pragma {above[1]} is about what stands behind it; take it away to have polyloop look at that"
            return Refusal("openmp", message, found.items[0])
        if sum(1 for item in found.items for _ in walk_nodes(item)) > _MOST_NODES:
            return Refusal("too-complex", "it is too long, macros written out; make functions of its parts")
        return None

    def _is_whole(self, found: Found) -> bool:
        """A directive before the statement is about what stands inside of it, too."""
        text, end = self.extents.source.text, found.opening.offset
        inside = [o for o, word in self.directives if word == "pragma" and found.begin <= o < end]
        above = self._above(found)
        words = [*(pragma_words(text, offset) for offset in inside), *([] if above is None else [above[1]])]
        return any(re.match(_WHOLE, each) for each in words)

    def _at(self, found: Found, offset: int) -> c_ast.Node:
        """The statement of a region that a directive stands in or before."""
        tokens = self.extents.parsed.source.tokens
        ends = (tokens[self.extents.span(found.function, item)[1]].offset for item in found.items)
        return next((item for item, end in zip(found.items, ends, strict=True) if end >= offset), found.items[-1])

    def _region(self, block: Block, begin: int, end: int) -> Found:
        first, _ = self.extents.span(block.function, block.items[begin])
        _, last = self.extents.span(block.function, block.items[end - 1])
        found = Found(
            block.function,
            block.items[begin:end],
            (*block.before, block.items[:begin]),
            (block.items[end:], *block.after),
            block.around,
            self.extents.parsed.source.tokens[first],
            first - 1,
            *(self.extents.text(first, last) or (0, 0)),
            marked=False,
            alone=block.alone,
        )
        # Hints to the compiler, and how it runs in threads, go with their loop.
        while (above := self._above(found)) and re.match(OF_LOOPS, above[1]):
            found = replace(found, begin=above[0])
        return replace(found, alone=True) if above is not None and re.match(AROUND, above[1]) else found

    def _above(self, found: Found) -> tuple[int, str] | None:
        return pragma_above(self.extents.source.text, self.directives, found.begin)


def _returns(scop: Scop) -> bool:
    """Whether the region returns from its function."""
    return scop.source is not None and bool(scop.source.own)


def _may_be_in_run(items: Items, at: int) -> bool:
    """Not so declarations, whose names what follows would miss, calls, jumps, and what has marked regions in it."""
    above = items[at - 1] if at > 0 else None
    if not isinstance(items[at], _IN_RUNS) or (isinstance(above, c_ast.Pragma) and first_word(above) != "endscop"):
        return False
    return not any(isinstance(n, c_ast.Pragma) or _calls_ours(n) for n in walk_nodes(items[at]))


def _marked(items: Items) -> list[bool]:
    """Of every statement whether it stands between pragmas that mark a region."""
    result: list[bool] = []
    inside = False
    for item in items:
        word = first_word(item)
        result.append(inside or word == "scop")
        inside = (inside or word == "scop") and word != "endscop"
    return result


def _trimmed(items: Items, begin: int, end: int) -> tuple[int, int]:
    """The run without statements at its ends that have nothing to do with its loops; where it has none, nothing at its
    end."""
    last = end
    while end > begin and not _has_loop(items[end - 1]):
        end -= 1
    if end == begin:
        return last, last
    loops = [item for item in items[begin:end] if _has_loop(item)]
    names = {n.name for loop in loops for n in walk_nodes(loop) if isinstance(n, c_ast.ID)}
    while begin < end and not _has_loop(items[begin]):
        if assigned_name(items[begin]) in names:
            break
        begin += 1
    return begin, end


def _few_loops(items: Items, begin: int, end: int) -> int:
    """Where a run ends that is no more than one nest or has no more than `MOST_LOOPS`."""
    loops = 0
    for at in range(begin, end):
        mine = _loops_in(items[at])
        if loops and mine and loops + mine > MOST_LOOPS:
            return at
        loops += mine
    return end


def _first_loop(items: Items, begin: int, end: int) -> int:
    """Where a run ends that has one statement with loops."""
    return next((at + 1 for at in range(begin, end) if _has_loop(items[at])), end)


def _is_worth_a_word(node: c_ast.Node) -> bool:
    """Is it a loop that might have been a region: a for loop, or another that has none of these inside?"""
    return isinstance(node, c_ast.For) or (
        is_loop(node) and not any(isinstance(n, c_ast.For) for n in walk_nodes(node))
    )


@kept
def _loops_in(node: c_ast.Node) -> int:
    return sum(map(is_loop, walk_nodes(node)))


def _has_loop(node: c_ast.Node) -> bool:
    return _loops_in(node) > 0


def _is_own_output(node: c_ast.Node) -> bool:
    """Is it the test that polyloop puts before the original loops, or what it puts in their place?"""
    if _calls_ours(node):
        return True
    if not isinstance(node, c_ast.If):
        return False
    first = node.iftrue.block_items or () if isinstance(node.iftrue, c_ast.Compound) else (node.iftrue,)
    return any(_calls_ours(n) for n in (*walk_nodes(node.cond), *first))


def _calls_ours(node: c_ast.Node) -> bool:
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            return _OURS.fullmatch(name) is not None and name not in PRODUCTS  # which stand for operators
    return False


# --- Where statements begin and end -----------------------------------------------------------------------------------

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_WITH_HEADER = frozenset(("for", "while", "if", "switch"))


class Extents:
    """The statements of a file.

    Args:
        uses: where macros are used in it, in order, none inside of another.
        inclusions: where it includes other files.
    """

    def __init__(
        self, parsed: ParsedFile, source: SourceFile, uses: Sequence[Use], inclusions: Sequence[Inclusion]
    ) -> None:
        self.parsed = parsed
        self.source = source
        self.uses = list(uses)
        self._inclusions = {id(each.file): each for each in inclusions}
        self._bodies: dict[int, _Body] = {}

    def span(self, function: c_ast.FuncDef, node: c_ast.Node) -> tuple[int, int]:
        """The numbers of a statement's first token and of its last; several declarations may share one span."""
        start = self.parsed.index(function.body)
        if start not in self._bodies:
            self._bodies[start] = _Body(self.parsed.source.tokens, start)
        return self._bodies[start].around(self.parsed.index(node))

    def text(self, first: int, last: int) -> tuple[int, int] | None:
        """Offsets of the text of tokens; None where it cannot be cut out: in a macro's use, or in another file."""
        tokens = self.parsed.source.tokens
        if tokens[first].file is not self.source or tokens[last].file is not self.source:
            return None
        begin, end = tokens[first].offset, tokens[last].offset + len(tokens[last].text)
        if self.cut(first, last):
            return None
        opening, closing = self._use(begin), self._use(tokens[last].offset)
        return opening.begin if opening else begin, closing.end if closing else end

    def cut(self, first: int, last: int) -> list[Use | Inclusion]:
        """The uses of macros, and the directives that include files, inside of which the text of tokens begins or
        ends."""
        tokens = self.parsed.source.tokens
        found: list[Use | Inclusion] = []
        for end, beyond in ((first, first - 1), (last, last + 1)):
            if tokens[end].file is not self.source:
                found += self.included(tokens[end].file)
            elif (use := self._use(tokens[end].offset)) is not None and self._stands_in(use, beyond):
                found.append(use)
        return found

    def included(self, file: SourceFile) -> list[Inclusion]:
        """The directive of the source that includes this file; none, where another file does."""
        return [self._inclusions[id(file)]] if id(file) in self._inclusions else []

    def _stands_in(self, use: Use, index: int) -> bool:
        tokens = self.parsed.source.tokens
        token = tokens[index] if 0 <= index < len(tokens) else None
        return token is not None and token.file is self.source and use.begin <= token.offset < use.end

    def _use(self, offset: int) -> Use | None:
        """The use of a macro that an offset stands in."""
        at = bisect_right(self.uses, offset, key=lambda use: use.begin) - 1
        return self.uses[at] if at >= 0 and offset < self.uses[at].end else None


class _Body:
    """The statements of one function's body, which begins with the token `start`."""

    def __init__(self, tokens: Sequence[Token], start: int) -> None:
        self.tokens = tokens
        self._partners = _partners(tokens, start)
        # Last tokens by first ones of statements with others inside, whose first token the tree knows; others' spans.
        self._compound: dict[int, int] = {}
        self._simple: list[tuple[int, int]] = []
        self._add(start)

    def around(self, index: int) -> tuple[int, int]:
        if index in self._compound:
            return index, self._compound[index]
        return self._simple[bisect_right(self._simple, (index, len(self.tokens))) - 1]

    def _add(self, first: int) -> int:
        """Enter the statement that begins here, with all in it; its last token."""
        text = self.tokens[first].text
        if self.tokens[first].kind == "pragma":
            last = first
        elif text == "{":
            last, at = self._partners[first], first + 1
            while at < last:
                at = self._add(at) + 1
        elif text in _WITH_HEADER:
            last = self._add(self._partners[first + 1] + 1)
            if text == "if" and self.tokens[last + 1].text == "else":
                last = self._add(last + 2)
        elif text == "do":
            last = self._until(self._add(first + 1) + 1, ";")
        elif text in ("case", "default") or (self.tokens[first].kind == "id" and self.tokens[first + 1].text == ":"):
            last = self._add(self._until(first, ":") + 1)
        else:
            last = self._until(first, ";")
            self._simple.append((first, last))
            return last
        self._compound[first] = last
        return last

    def _until(self, at: int, text: str) -> int:
        """The next such token that stands in no brackets."""
        while self.tokens[at].text != text:
            at = self._partners.get(at, at) + 1
        return at


def _partners(tokens: Sequence[Token], start: int) -> dict[int, int]:
    """For every opening bracket from `start`, itself one, up to its own partner: the closing one, by their numbers."""
    partners: dict[int, int] = {}
    open_: list[int] = []
    for index in range(start, len(tokens)):
        if tokens[index].kind == "op" and tokens[index].text in _OPENING:
            open_.append(index)
        elif tokens[index].kind == "op" and tokens[index].text in _CLOSING:
            partners[open_.pop()] = index
            if not open_:
                break
    return partners
