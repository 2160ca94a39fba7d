"""Where instructions go while LLVM IR is printed: nested scopes, with hoisting and value numbering of pure arithmetic.

Explicit SIMD programs are compiled without LLVM's optimizer. What it would do for address arithmetic is done here,
while printing: an integer instruction is placed in the outermost scope in which its operands exist, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Scope:
    """The straight line of code of one region: the function, a loop's body, one side of a conditional.

    Inner regions are appended as a whole when they are finished, so what is added to an outer scope in the meantime
    comes before them. `block` is the label of the basic block that is open at the end of `lines`; `innermost`: the body
    of a loop without loops inside.
    """

    depth: int
    block: str
    innermost: bool = False
    lines: list[str] = field(default_factory=list)
    memo: dict[str, str] = field(default_factory=dict)


class Scopes:
    """The stack of open scopes of one function."""

    def __init__(self) -> None:
        self._stack = [Scope(0, "entry")]
        self._depths: dict[str, int] = {}
        self._count = 0

    @property
    def current(self) -> Scope:
        return self._stack[-1]

    @property
    def outermost(self) -> Scope:
        return self._stack[0]

    def fresh(self, stem: str) -> str:
        """A new name, of this function only."""
        self._count += 1
        return f"{stem}.{self._count}"

    def depth(self, operand: str) -> int:
        """How deep the scope lies in which a value is defined; 0 for constants and arguments."""
        return self._depths.get(operand, 0)

    def define(self, name: str) -> str:
        """Note that `name` is defined in the current scope."""
        self._depths[name] = self.current.depth
        return name

    def line(self, text: str) -> None:
        """An instruction without a result, here."""
        self.current.lines.append(f"  {text}")

    def emit(self, text: str, stem: str = "%t") -> str:
        """An instruction with a result, here."""
        name = self.define(self.fresh(stem))
        self.current.lines.append(f"  {name} = {text}")
        return name

    def pure(self, text: str, operands: Iterable[str], stem: str = "%x") -> str:
        """An instruction without effects that never traps: as far out as its operands allow, and only once."""
        scope = self._stack[max((self.depth(o) for o in operands), default=0)]
        known = scope.memo.get(text)
        if known is None:
            known = self.fresh(stem)
            self._depths[known] = scope.depth
            scope.memo[text] = known
            scope.lines.append(f"  {known} = {text}")
        return known

    def near(self, text: str, operands: Iterable[str], stem: str = "%x") -> str:
        """As `pure`, but no farther out than in front of an innermost loop: what takes a register that is dear should
        not take it for long."""
        least = max((self.depth(o) for o in operands), default=0)
        known = next((s.memo[text] for s in reversed(self._stack[least:]) if text in s.memo), None)
        if known is None:
            scope = self._stack[max(least, len(self._stack) - (2 if self.current.innermost else 1))]
            known = self.fresh(stem)
            self._depths[known] = scope.depth
            scope.memo[text] = known
            scope.lines.append(f"  {known} = {text}")
        return known

    def behind(self, operand: str, text: str) -> None:
        """An instruction without a result, in the scope in which the operand is defined."""
        self._stack[self.depth(operand)].lines.append(f"  {text}")

    def label(self, name: str) -> None:
        """End the open block of the current scope (its terminator stands) and begin another."""
        self.current.lines.append(f"{name}:")
        self.current.block = name

    @contextmanager
    def nested(self, block: str, innermost: bool = False) -> Iterator[Scope]:
        """A scope inside of the current one, beginning with this block; the caller places its lines."""
        scope = Scope(self.current.depth + 1, block, innermost)
        self._stack.append(scope)
        try:
            yield scope
        finally:
            self._stack.pop()
