"""Between our schedule trees and isl's.

To isl, every member becomes a band of its own under a mark that carries its kind and a name for its loop. From isl,
bands and sequences are read back as integer rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import islpy as isl

from polyloop.backend.ir.affine import Affine, FloorDiv, affine, linear
from polyloop.backend.ir.loop_nest import LoopKind
from polyloop.errors import PolyloopError
from polyloop.schedules.tree import Band, Branch, Leaf, Member, Node, Packing, Path, ScheduleTree, Sequence
from polyloop.scop.affine_isl import affine_from_aff, affine_to_text
from polyloop.scop.model import Scop


class ScheduleFormError(PolyloopError):
    """An isl schedule has a form that our trees do not mirror (extensions, filters that cut a statement in two)."""


def tree_to_isl(scop: Scop, tree: ScheduleTree, isolate: dict[Path, isl.Set] | None = None) -> isl.Schedule:
    """The tree as an isl schedule on the Scop's domain.

    Args:
        isolate: for the last member of the band at a path, the prefix of schedule values (all members above it, then
            its own) for which code is generated apart; see `polyloop.lowering.to_nest`.
    """

    def insert(band: Band, path: Path, node: isl.ScheduleNode) -> isl.ScheduleNode:
        for depth, member in enumerate(band.members):
            node = node.insert_partial_schedule(partial_schedule(scop, (member,)))
            if depth == len(band.members) - 1 and isolate is not None and path in isolate:
                node = node.band_set_ast_build_options(_isolate_option(isolate[path]))
            node = node.insert_mark(isl.Id(member_mark(member))).child(0).child(0)
        return node

    node = isl.Schedule.from_domain(scop.domain).get_root().child(0)
    return inserted(scop, tree.root, (), node, insert).get_schedule()


@dataclass(frozen=True)
class Mark:
    """What a mark says of the loops below it: their kind, a name for them, copies in front, and prefetches inside."""

    kind: LoopKind = LoopKind.SEQUENTIAL
    name: str = ""
    packings: tuple[Packing, ...] = ()
    prefetches: tuple[tuple[str, int], ...] = ()


def member_mark(member: Member) -> str:
    """Like ``VECTOR:j`` or ``SEQUENTIAL:kt:pack S1;B[k][n];1,0,1;48;:prefetch A;4``."""
    packings = (
        f":pack {p.statement};{p.read};{','.join(map(str, p.order))};{p.panel};{p.factor}" for p in member.packings
    )
    prefetches = (f":prefetch {array};{distance}" for array, distance in member.prefetches)
    return f"{member.kind.name}:{loop_name(member)}{''.join(packings)}{''.join(prefetches)}"


def parse_mark(text: str) -> Mark:
    """What `member_mark` wrote; a foreign mark is a sequential loop's."""
    kind, *rest = text.split(":")
    if kind not in LoopKind.__members__:
        return Mark()
    packings: list[Packing] = []
    prefetches: list[tuple[str, int]] = []
    for note in rest[1:]:
        word, _, values = note.partition(" ")
        match word, values.split(";"):
            case "pack", [statement, read, order, panel, factor]:
                packings.append(Packing(statement, read, tuple(map(int, order.split(","))), int(panel), factor))
            case "prefetch", [array, distance]:
                prefetches.append((array, int(distance)))
    return Mark(LoopKind[kind], rest[0] if rest else "", tuple(packings), tuple(prefetches))


def kinds_mark(members: tuple[Member, ...]) -> str:
    """A mark for all members of a band at once: kinds and names, each separated by commas."""
    kinds, names = (m.kind.name for m in members), (loop_name(m) for m in members)
    return f"{','.join(kinds)}:{','.join(names)}"


def parse_kinds(text: str) -> tuple[LoopKind, ...]:
    """The kinds of a mark made by `member_mark` or `kinds_mark`; () for a foreign mark."""
    names = text.partition(":")[0].split(",")
    return tuple(LoopKind[name] for name in names) if all(n in LoopKind.__members__ for n in names) else ()


def loop_name(member: Member) -> str:
    """A short name for a member's loop: the iterator it follows, with "t" behind it if it counts tiles."""
    row = member.rows[0][1]
    names = [atom for atom, _ in row.terms if isinstance(atom, str)]
    iterators = [name for name in names if row.coefficient(name) in (1, -1)] or names
    stem = iterators[-1] if iterators else "c"
    return stem if member.divisor == 1 else f"{stem}t"


def inserted(
    scop: Scop,
    tree: Node,
    path: Path,
    node: isl.ScheduleNode,
    insert: Callable[[Band, Path, isl.ScheduleNode], isl.ScheduleNode],
) -> isl.ScheduleNode:
    """Put `tree` at the leaf `node`; the result stands at the same position.

    Args:
        path: of `tree`.
        insert: puts the members of a band there; the result stands at the leaf below.
    """
    match tree:
        case Band():
            below = insert(tree, path, node)
            depth = below.get_tree_depth() - node.get_tree_depth()
            return inserted(scop, tree.child, (*path, 0), below, insert).ancestor(depth)
        case Sequence(branches):
            node = _with_sequence(scop, branches, node)
            for index, branch in enumerate(branches):
                node = inserted(scop, branch.node, (*path, index), node.child(index).child(0), insert).ancestor(2)
    return node


def _with_sequence(scop: Scop, branches: Iterable[Branch], node: isl.ScheduleNode) -> isl.ScheduleNode:
    """A sequence with these branches at the leaf `node`, nothing in them yet."""
    filters = isl.UnionSetList.alloc(scop.domain.get_ctx(), 0)
    for branch in branches:
        filters = filters.add(_universe(scop, branch.statements))
    return node.insert_sequence(filters)


def _universe(scop: Scop, names: tuple[str, ...]) -> isl.UnionSet:
    result = isl.UnionSet.empty(scop.domain.get_space())
    for name in names:
        # Not left to islpy: where the cap on operations strikes on the way to a union, it says TypeError.
        result = result.union(isl.UnionSet.from_set(isl.Set.universe(scop.statement(name).domain.get_space())))
    return result


def partial_schedule(scop: Scop, members: Iterable[Member]) -> isl.MultiUnionPwAff:
    """The values of a band's members."""
    columns = []
    for member in members:
        pieces = (f"{scop.statement(name).point} -> [({affine_to_text(value)})]" for name, value in member.values())
        columns.append(f"{{ {'; '.join(pieces)} }}")
    # Without parameters isl would take an empty list of them for the tuple itself.
    parameters = f"[{', '.join(scop.parameters)}] -> " if scop.parameters else ""
    return isl.MultiUnionPwAff(f"{parameters}[{', '.join(columns)}]")


def _isolate_option(prefix: isl.Set) -> isl.UnionSet:
    """isl's option: isolate[[outer members] -> [member]]."""
    outer = prefix.dim(isl.dim_type.set) - 1
    dims = [f"c{k}" for k in range(outer + 1)]
    wrap = isl.Map(f"{{ [{', '.join(dims)}] -> isolate[[{', '.join(dims[:outer])}] -> [{dims[outer]}]] }}")
    return isl.UnionSet(prefix.apply(wrap.align_params(prefix.get_space())))


def tree_from_isl(scop: Scop, schedule: isl.Schedule) -> ScheduleTree:
    """Read an isl schedule tree. A set node becomes a sequence: any order is one of its orders.

    Raises:
        ScheduleFormError: for node types that our trees do not have.
    """
    names = tuple(s.name for s in scop.statements)
    return ScheduleTree(names, _read(scop, schedule.get_root().child(0), names))


def _read(scop: Scop, node: isl.ScheduleNode, names: tuple[str, ...]) -> Node:
    kinds = isl.schedule_node_type
    kind = kinds(node.get_type())
    if kind == kinds.leaf:
        return Leaf()
    if kind == kinds.mark:
        return _marked(_read(scop, node.child(0), names), parse_kinds(node.mark_get_id().get_name()))
    if kind == kinds.context:
        return _read(scop, node.child(0), names)
    if kind == kinds.band:
        count = node.band_n_member()
        if count == 0:
            return _read(scop, node.child(0), names)
        partial = node.band_get_partial_schedule()
        members = tuple(
            member_of_values(_rows(scop, partial.get_at(k), names), bool(node.band_member_get_coincident(k)))
            for k in range(count)
        )
        return Band(members, bool(node.band_get_permutable()), _read(scop, node.child(0), names))
    if kind in (kinds.sequence, kinds.set):
        return _read_sequence(scop, node, names)
    raise ScheduleFormError(f"schedule trees with {kind.name} nodes are not supported")


def _read_sequence(scop: Scop, node: isl.ScheduleNode, names: tuple[str, ...]) -> Node:
    """Statements that are never executed may be in no filter of isl's: they go with the first branch."""
    filters = [node.child(k).filter_get_filter() for k in range(node.n_children())]
    groups = [{name for name in names if _filters(scop, union, name)} for union in filters]
    missing = set(names).difference(*groups)
    groups[0] |= {name for name in missing if _instances(scop, name).is_empty()}
    if sum(map(len, groups)) != len(names):
        raise ScheduleFormError("a filter of this schedule splits the instances of one statement")
    branches = []
    for k, group in enumerate(groups):
        below = tuple(name for name in names if name in group)
        branches.append(Branch(below, _read(scop, node.child(k).child(0), below)))
    return branches[0].node if len(branches) == 1 else Sequence(tuple(branches))


def _instances(scop: Scop, name: str) -> isl.Set:
    return scop.domain.extract_set(scop.statement(name).domain.get_space())


def _marked(node: Node, kinds: tuple[LoopKind, ...]) -> Node:
    """A band whose mark names a kind for each of its members gets them; anything else stays as it is."""
    if not isinstance(node, Band) or len(kinds) != len(node.members):
        return node
    members = tuple(replace(member, kind=kind) for member, kind in zip(node.members, kinds, strict=True))
    return replace(node, members=members)


def member_of_values(rows: tuple[tuple[str, Affine], ...], coincident: bool = False) -> Member:
    """A member whose values are all floors by one divisor is a tile loop over the dividends."""
    divisors = {atom.divisor for _, row in rows for atom, c in row.terms if isinstance(atom, FloorDiv) and c == 1}
    if len(divisors) == 1:
        (divisor,) = divisors
        undivided = tuple((name, _dividend(row, divisor)) for name, row in rows)
        if Member(undivided, divisor).values() == rows:
            return Member(undivided, divisor, coincident)
    return Member(rows, coincident=coincident)


def _dividend(row: Affine, divisor: int) -> Affine:
    """x with floor(x / divisor) = row, where the row is a floor by the divisor plus whole multiples."""
    return row.map_atoms(
        lambda atom: (
            atom.dividend
            if isinstance(atom, FloorDiv) and atom.divisor == divisor
            else linear(((atom, 1),), 0) * divisor
        )
    ) + row.constant * (divisor - 1)


def _filters(scop: Scop, union: isl.UnionSet, name: str) -> bool:
    return not union.extract_set(scop.statement(name).domain.get_space()).is_empty()


def _rows(scop: Scop, union: isl.UnionPwAff, names: tuple[str, ...]) -> tuple[tuple[str, Affine], ...]:
    by_name: dict[str, isl.PwAff] = {}
    listed = union.get_pw_aff_list()
    for k in range(listed.n_pw_aff()):
        piece = listed.get_at(k)
        by_name[str(piece.domain().get_tuple_name())] = piece
    rows = []
    for name in names:
        if name not in by_name and _instances(scop, name).is_empty():
            rows.append((name, affine(0)))  # never executed: any row will do
            continue
        pieces = by_name[name].get_pieces() if name in by_name else []
        if len(pieces) != 1:
            raise ScheduleFormError(f"the schedule of {name} is not one affine row")
        rows.append((name, affine_from_aff(pieces[0][1], scop.statement(name).iterators)))
    return tuple(rows)
