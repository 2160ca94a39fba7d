"""How often a program runs its functions and their loops: an estimate, by the file's calls and its own sizes.

As static profiles do (Wu and Larus, "Static Branch Frequency and Program Profile Analysis", MICRO 1994): a function
runs as often as its callers do, times the iterations of the loops around the call. Ours knows nothing of branches, and
takes the iterations from what the file itself sets its variables to (see `polyloop.frontend.own_uses`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pycparser import c_ast

from polyloop.frontend.own_uses import OwnUses
from polyloop.frontend.scopes import is_once
from polyloop.frontend.syntax import header_of

UNKNOWN_SIZE = 1000
"""Iterations of a loop that counts up to what nobody knows."""

UNKNOWN_LOOP = 10
"""Iterations of other loops: until data say so, or multiplying; theirs are few in most programs (Wu and Larus: 8)."""

_MOST = 1e15


class RunCounts:
    """Estimates for the functions of a file.

    Args:
        items: declarations and definitions of the file.
        uses: what the file sets its variables to.
    """

    def __init__(self, items: Iterable[c_ast.Node], uses: OwnUses) -> None:
        self._uses = uses
        self._sites: dict[str, list[tuple[str, tuple[c_ast.Node, ...]]]] = {}
        self._known: dict[str, float] = {}
        self._iterations: dict[int, float] = {}
        for item in items:
            if isinstance(item, c_ast.FuncDef):
                self._enter(item.decl.name, item.body)

    def _enter(self, function: str, body: c_ast.Node) -> None:
        left: list[tuple[c_ast.Node, tuple[c_ast.Node, ...]]] = [(body, ())]  # sums of a thousand terms are as deep
        while left:
            node, loops = left.pop()
            match node:
                case c_ast.FuncCall(name=c_ast.ID(name=called)):
                    self._sites.setdefault(called, []).append((function, loops))
                case c_ast.For() | c_ast.While() | c_ast.DoWhile() if not is_once(node):
                    loops = (*loops, node)
            left += [(child, loops) for child in node]

    def calls(self, function: str, calling: Collection[str] = ()) -> float:
        """How often the program calls a function; once where the file does not, as others may."""
        if function in self._known:
            return self._known[function]
        if function in calling:
            return 0.0  # recursion adds nothing that is known
        sites = self._sites.get(function, [])
        here = (*calling, function)
        total = sum(self.calls(caller, here) * self.loops(caller, loops) for caller, loops in sites)
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
            return UNKNOWN_SIZE
        return max(1.0, abs(limit - first) / max(1.0, abs(step or 1.0)))
