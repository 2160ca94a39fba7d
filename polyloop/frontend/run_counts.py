"""How often a program runs its functions and their loops: an estimate, by the file's calls and its own sizes.

As static profiles do (Wu and Larus, "Static Branch Frequency and Program Profile Analysis", MICRO 1994): a function
runs as often as its callers do, times the iterations of the loops around the call. Ours knows nothing of branches, and
takes the iterations from what the file itself sets its variables to (see `polyloop.frontend.own_uses`). A call through
a pointer is one of any function that the file names elsewhere than in calls, and that takes as many arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from pycparser import c_ast

from polyloop.frontend.own_uses import OwnUses
from polyloop.frontend.scopes import is_once, parameters_of, walk_nodes
from polyloop.frontend.syntax import header_of

UNKNOWN_SIZE = 1000
"""Iterations of a loop that counts up to what nobody knows."""

UNKNOWN_LOOP = 10
"""Iterations of other loops: until data say so, or multiplying; theirs are few in most programs (Wu and Larus: 8). And
of those that count, where more of them would be a reason to take what they run for short."""

_MOST = 1e15


class _Site(NamedTuple):
    """Where a function is called: in which one, inside of which loops; through a pointer, in which share of the calls
    it is this function."""

    caller: str
    loops: tuple[c_ast.Node, ...]
    share: float = 1.0


class RunCounts:
    """Estimates for the functions of a file.

    Args:
        items: declarations and definitions of the file.
        uses: what the file sets its variables to.
        unknown: iterations of a loop that counts up to what nobody knows.
    """

    def __init__(self, items: Sequence[c_ast.Node], uses: OwnUses, unknown: float = UNKNOWN_SIZE) -> None:
        self._uses = uses
        self._unknown = unknown
        self._sites: dict[str, list[_Site]] = {}
        self._known: dict[str, float] = {}
        self._iterations: dict[int, float] = {}
        functions = {item.decl.name: item for item in items if isinstance(item, c_ast.FuncDef)}
        pointers: dict[int, list[_Site]] = {}
        for item in functions.values():
            self._enter(item, pointers)
        alike: dict[int, list[str]] = {}
        for name in sorted({name for item in items for name in _named(item)} & functions.keys()):
            alike.setdefault(len(parameters_of(functions[name])), []).append(name)
        for count, names in alike.items():
            for name in names:
                sites = [site._replace(share=1 / len(names)) for site in pointers.get(count, [])]
                self._sites.setdefault(name, []).extend(sites)

    def _enter(self, function: c_ast.FuncDef, pointers: dict[int, list[_Site]]) -> None:
        caller = function.decl.name
        own = {node.name for node in walk_nodes(function) if isinstance(node, c_ast.Decl)} - {caller}
        left: list[tuple[c_ast.Node, tuple[c_ast.Node, ...]]] = [(function.body, ())]  # sums of 1000 terms are as deep
        while left:
            node, loops = left.pop()
            match node:
                case c_ast.FuncCall(name=c_ast.ID(name=called)) if called not in own:
                    self._sites.setdefault(called, []).append(_Site(caller, loops))
                case c_ast.FuncCall(args=given):
                    pointers.setdefault(0 if given is None else len(given.exprs), []).append(_Site(caller, loops))
                case c_ast.For() | c_ast.While() | c_ast.DoWhile() if not is_once(node):
                    loops = (*loops, node)
            left += [(child, loops) for child in node]

    def calls(self, function: str, calling: Collection[str] = ()) -> float:
        """How often the program calls a function; once where the file does not, as others may."""
        if function in self._known:
            return self._known[function]
        if function in calling:
            return 0.0  # recursion adds nothing that is known
        here = (*calling, function)
        total = sum(
            self.calls(site.caller, here) * self.loops(site.caller, site.loops) * site.share
            for site in self._sites.get(function, [])
        )
        # Also of functions that call each other, of which this leaves some calls out: without it every way to a
        # function from main would be walked.
        self._known[function] = min(max(total, 1.0), _MOST)
        return self._known[function]

    def loops(self, function: str, loops: Iterable[c_ast.Node]) -> float:
        """How often one call of a function runs what so many loops, one inside the other, are around."""
        count = 1.0
        for loop in loops:
            if id(loop) not in self._iterations:
                self._iterations[id(loop)] = self._of(function, loop)
            count = min(count * self._iterations[id(loop)], _MOST)
        return count

    def _of(self, function: str, loop: c_ast.Node) -> float:
        """The iterations of a loop."""
        header = header_of(loop) if isinstance(loop, c_ast.For) else None
        if header is None:
            return UNKNOWN_LOOP
        first, limit, step = (self._uses.largest(function, node) for node in (header.first, header.limit, header.step))
        if first is None or limit is None:
            return self._unknown
        return max(1.0, abs(limit - first) / max(1.0, abs(step or 1.0)))


def _named(item: c_ast.Node) -> Iterator[str]:
    """What a definition or declaration names, but for the functions that it calls by their names."""
    called = {id(node.name) for node in walk_nodes(item) if isinstance(node, c_ast.FuncCall)}
    return (node.name for node in walk_nodes(item) if isinstance(node, c_ast.ID) and id(node) not in called)
