"""Is a schedule tree well-formed? What the docstrings of `schedule_tree` promise, checked node by node.

- A band has members; each of them has one row for every statement below the band, in the order of those around.
- The branches of a sequence share out its statements: each statement stands in exactly one branch, no branch is empty.
- Divisors and distances of prefetches are at least 1.
- A packing names a statement below its band; it has a panel if and only if a dimension stands twice.
- With the Scop: the tree has its statements, and rows use iterators of their statement and parameters.

What is not checked is what costs a proof: that the order is legal and the flags are true
(`polyloop.schedules.legality`).
"""

from __future__ import annotations

from collections import Counter

from polyloop.backend.config import verifies
from polyloop.backend.errors import VerificationError
from polyloop.backend.ir.affine import Affine
from polyloop.schedules.tree import Band, Leaf, Member, Node, ScheduleTree, Sequence
from polyloop.scop.model import Scop


def verified(tree: ScheduleTree, made_by: object, scop: Scop | None = None) -> ScheduleTree:
    """The tree itself; verified where ``POLYLOOP_VERIFY`` is set.

    Raises:
        VerificationError: if it is not well-formed; names what made it.
    """
    if verifies():
        try:
            verify(tree, scop)
        except VerificationError as error:
            raise VerificationError(f"{error}\n  made by {made_by}") from None
    return tree


def verify(tree: ScheduleTree, scop: Scop | None = None) -> None:
    """
    Raises:
        VerificationError: if the tree is not well-formed; has the rule, the node, its path, and the tree.
    """
    for path, node in [((), None), *tree.walk()]:
        try:
            if node is None:
                _check_statements(tree, scop)
            else:
                _check(node, tree.statements_at(path), scop)
        except VerificationError as error:
            where = "" if node is None else f" at {path}"
            shown = "\n".join(f"    {line}" for line in _text(tree).splitlines())
            raise VerificationError(f"schedule tree{where}: {error}\n  the tree\n{shown}") from None


def _text(tree: ScheduleTree) -> str:
    try:
        return str(tree)
    except ValueError:  # a divisor that nothing can be divided by
        return repr(tree)


def _check_statements(tree: ScheduleTree, scop: Scop | None) -> None:
    twice = [name for name, count in Counter(tree.statements).items() if count > 1]
    if twice:
        raise VerificationError(f"a statement is in the tree once, {', '.join(twice)} more often")
    if scop is not None and tree.statements != tuple(s.name for s in scop.statements):
        names = ", ".join(s.name for s in scop.statements)
        raise VerificationError(f"its statements are those of {scop.name} ({names}), not {', '.join(tree.statements)}")


def _check(node: Node, statements: tuple[str, ...], scop: Scop | None) -> None:
    match node:
        case Band(members, _, _):
            if not members:
                raise VerificationError("a band has at least one member")
            for number, member in enumerate(members):
                try:
                    _check_member(member, statements, scop)
                except VerificationError as error:
                    raise VerificationError(f"member {number}: {error}") from None
        case Sequence(branches):
            if not all(branch.statements for branch in branches):
                raise VerificationError("every branch of a sequence has a statement")
            inside = [name for branch in branches for name in branch.statements]
            if Counter(inside) != Counter(statements):
                raise VerificationError(
                    f"the branches of a sequence share out {', '.join(statements)}, not {', '.join(inside)}"
                )
        case Leaf():
            pass


def _check_member(member: Member, statements: tuple[str, ...], scop: Scop | None) -> None:
    names = tuple(name for name, _ in member.rows)
    if names != statements:
        raise VerificationError(f"it has a row for each of {', '.join(statements)}, not for {', '.join(names)}")
    if member.divisor < 1:
        raise VerificationError(f"a divisor is at least 1, not {member.divisor}")
    for array, distance in member.prefetches:
        if distance < 1:
            raise VerificationError(f"{array} is prefetched at least 1 iteration ahead, not {distance}")
    for packing in member.packings:
        if packing.statement not in statements:
            raise VerificationError(f"{packing} is packed for {packing.statement}, which is not below")
        if bool(packing.panel) != (len(set(packing.order)) < len(packing.order)):
            raise VerificationError(f"the copy of {packing} has a panel of {packing.panel} and axes {packing.order}")
    if scop is not None:
        for name, row in member.rows:
            _check_row(name, row, scop)


def _check_row(name: str, row: Affine, scop: Scop) -> None:
    known = (*scop.statement(name).iterators, *scop.parameters)
    for variable in sorted(row.variables().difference(known)):
        raise VerificationError(f"the row {row} of {name} uses {variable}; there are {', '.join(known)}")
