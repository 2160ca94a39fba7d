"""The arrays of a region: their shapes, what they may overlap, their addresses, and subscripts yet to be split.

Every subscript of a one-dimensional array stays a placeholder until the region is read: only all accesses together
say whether ``a[i*n + j]`` is a row of n and what the rows are (see `delinearize`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast

from polyloop.arithmetic.c_types import Arithmetic, ArrayOf, CType, Pointer, type_name
from polyloop.backend.ir.affine import Affine, Condition, affine
from polyloop.backend.ir.expressions import Access
from polyloop.frontend.integers import Integer
from polyloop.frontend.refusals import Refusal
from polyloop.frontend.scopes import Symbol


@dataclass(eq=False)
class Entry:
    """One array.

    Attributes:
        extents: outermost first; None where unknown. Of a one-dimensional array, before its rows are found.
        pointer: reached through a pointer variable (a parameter, say), so that it may overlap others.
        restrict: through a restrict pointer.
        rows: after `delinearize`, the inner extents that were found.
        written: some statement of the region writes it.
    """

    symbol: Symbol
    name: str
    type: Arithmetic
    extents: tuple[Affine | None, ...]
    pointer: bool
    restrict: bool
    local: bool
    node: c_ast.Node
    rows: tuple[Affine, ...] = ()
    written: bool = False

    @property
    def shape(self) -> tuple[Affine | None, ...]:
        return (None, *self.rows) if self.rows else self.extents

    def address(self) -> str:
        """C's expression of the first element's address."""
        if not self.extents:
            return f"&{self.symbol.name}"
        if len(self.extents) == 1:
            return self.symbol.name
        return f"&{self.symbol.name}" + "[0]" * len(self.extents)


@dataclass(frozen=True)
class Pending:
    """A one-dimensional subscript that waits for the others of its array."""

    entry: Entry
    subscript: Integer
    node: c_ast.Node


@dataclass(frozen=True)
class Bound:
    """An access whose subscripts must lie inside the extents, at the points where C evaluates it."""

    access: Access
    guards: tuple[Condition, ...]
    node: c_ast.Node


@dataclass
class ArrayTable:
    """The arrays by symbol, and the subscripts that wait."""

    entries: dict[Symbol, Entry] = field(default_factory=dict)
    pending: list[Pending] = field(default_factory=list)

    def names(self) -> set[str]:
        return {entry.name for entry in self.entries.values()}

    def named(self, name: str) -> Entry:
        return next(entry for entry in self.entries.values() if entry.name == name)

    def placeholder(self, entry: Entry, subscript: Integer, node: c_ast.Node) -> Affine:
        """A variable of a name that C does not have, in a subscript's place."""
        self.pending.append(Pending(entry, subscript, node))
        return affine(f"@{len(self.pending) - 1}")

    def waiting(self, access: Access) -> Pending | None:
        """What an access's placeholder stands for."""
        match access.subscripts:
            case (Affine(((str() as name, 1),), 0),) if name.startswith("@"):
                return self.pending[int(name[1:])]
        return None


def dimensions(type_: CType, node: c_ast.Node, name: str) -> tuple[Arithmetic, list[c_ast.Node | None], bool, bool]:
    """Element type, extents as written, and whether a pointer, a restrict pointer, leads there.

    Raises:
        Refusal: for arrays of pointers, of structures, volatile ones, and pointers that are no arrays of numbers.
    """
    extents: list[c_ast.Node | None] = []
    pointer = restrict = False
    match type_:
        case Pointer(target, restrict_, volatile):
            if volatile:
                raise Refusal("volatile", f"{name} is a volatile pointer", node)
            pointer, restrict = True, restrict_
            extents.append(None)
            type_ = target
    while isinstance(type_, ArrayOf):
        restrict = restrict or type_.restrict
        extents.append(type_.extent)
        type_ = type_.element
    match type_:
        case Arithmetic(volatile=True):
            raise Refusal("volatile", f"{name} is volatile", node)
        case Arithmetic():
            return type_, extents, pointer, restrict
        case Pointer():
            raise Refusal(
                "pointer-rows",
                f"the rows of {name} are reached through pointers and may overlap; declare it as one block, "
                f"{type_name(type_.target)} (*{name})[COLUMNS], and allocate it as such",
                node,
            )
    raise Refusal("type", f"{name} has elements of the type {type_name(type_)}", node)
