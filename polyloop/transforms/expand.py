"""Expand and SplitWebs: scalars and arrays get more storage, so that fewer values share a cell.

Unlike transforms of trees these change the Scop, not its schedule: fewer dependences are left, so that more schedules
are legal on the new Scop. The proof is that every read still gets its value from the same write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from typing import Self

import islpy as isl

from polyloop.backend.ir.affine import Affine, And, affine, at_least
from polyloop.backend.ir.expressions import Access, Read
from polyloop.schedules.tree import rows_map
from polyloop.scop.affine_isl import NotAffineError, affine_from_aff, condition_set
from polyloop.scop.dependence import flow
from polyloop.scop.model import Array, Scop, Statement
from polyloop.transforms.scop_transform import (
    IllegalScopTransformError,
    ScopTransform,
    bounding_box,
    fresh_name,
    is_indirect,
    last_writes,
    names_of,
    outer_positions,
    own_nest,
    reads_in_step,
    redirected,
    same_sources,
    storage_conflicts,
    with_accesses,
    writes_first,
)

# --- Expand: one cell for each iteration of surrounding loops (privatisation) -----------------------------------------


@dataclass(frozen=True)
class Expand(ScopTransform):
    """Expand a scalar or an array over surrounding loops.

    Rewrite (expanding t over both loops):
        for i:  for j: { t = f(i, j);  A[i][j] = t; }
        ->  for i:  for j: { t_x[i][j] = f(i, j);  A[i][j] = t_x[i][j]; }   t = t_x[last i][last j];

    Every write to the array goes to the cell of its loops' iterators in front of its own subscripts; every read goes to
    the cell that its sources wrote, which has to be one affine function of the reader's iterators. Cells that are read
    before they are written are filled in a statement before all others; where the array is live after the Scop, its
    last values are copied back in a statement behind all others. The new array is local to the Scop and exactly as
    large as the bounding box of its cells.

    Attributes:
        array: its name.
        loops: levels of the surrounding loops, 0 outermost, increasing; every writing statement has all of them.
    References:
        Feautrier, "Array Expansion", ICS 1988, where every write has a cell of its own; here the loops are chosen.
        Tu and Padua, "Automatic Array Privatization", LCPC 1993.
    """

    array: str
    loops: tuple[int, ...]

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Arrays with pairs of accesses that only their storage orders, over few loops before over many."""
        for array, loops, _ in _conflicting(scop):
            yield cls(array, loops)

    @property
    def action(self) -> str:
        return f"expand {self.array} over loop level{'s' if len(self.loops) > 1 else ''} " + ", ".join(
            str(level) for level in self.loops
        )

    def changed(self, scop: Scop) -> Scop:
        return _Expansion(self, scop).result()


def expansions(scop: Scop) -> Iterator[Expand]:
    """Every legal expansion that takes WAR or WAW dependences away.

    Lazily, scalars before arrays, and for each of them few loops before many; a large array with many dependences may
    take a second for each answer.
    """
    for array, loops, conflicts in _conflicting(scop):
        option = Expand(array, loops)
        try:
            after = option.apply(scop)
        except IllegalScopTransformError:
            continue
        if not conflicts.is_subset(storage_conflicts(after, expanded_name(scop, array))):
            yield option


def _conflicting(scop: Scop) -> Iterator[tuple[str, tuple[int, ...], isl.UnionMap]]:
    """(array, loops, pairs ordered by its storage alone), scalars first."""
    for array in sorted(scop.arrays, key=lambda a: len(a.shape)):
        conflicts = storage_conflicts(scop, array.name)
        if conflicts.is_empty():
            continue
        depth = min(s.depth for s in scop.writers(array.name))
        for count in range(1, depth + 1):
            for loops in combinations(range(depth), count):
                yield array.name, loops, conflicts


def expanded_name(scop: Scop, array: str) -> str:
    """The name that the expanded array gets."""
    return fresh_name(f"{array}_x", names_of(scop))


class _Expansion:
    """One expansion of one Scop: the pieces of the new Scop and the comparison of flows."""

    def __init__(self, expand: Expand, scop: Scop) -> None:
        self.expand, self.scop = expand, scop
        self.writers = scop.writers(expand.array)
        names = names_of(scop)
        if not any(a.name == expand.array for a in scop.arrays):
            raise self.refused("there is no such array")
        if not self.writers:
            raise self.refused("nothing is written to it")
        if is_indirect(scop, expand.array):
            raise self.refused("subscripts from data say which of its elements are touched")
        shallow = next((s for s in self.writers if not expand.loops or s.depth <= max(expand.loops)), None)
        if shallow is not None:
            raise self.refused(f"{shallow.name}, which writes it, stands in {shallow.depth} loops only")
        self.array = scop.array(expand.array)
        if self.array.shape and not self.array.local and (some := scop.touched_by_some(expand.array)) is not None:
            raise self.refused(f"{some.name} touches it only where a condition on data holds; the copies would always")
        self.name = expanded_name(scop, expand.array)
        self.copy_in, self.copy_out = (fresh_name(f"{expand.array}_{end}", names) for end in ("in", "out"))
        rank = len(expand.loops) + len(self.array.shape)
        self.iterators = tuple(fresh_name(f"c{k}", names) for k in range(rank))
        self._flows: dict[tuple[str, Access], tuple[dict[str, isl.Map], isl.Set]] = {}
        depth = max(expand.loops, default=-1) + 1
        self.is_private = self.array.local and writes_first(scop, expand.array, depth)

    def _flow(self, statement: Statement, access: Access) -> tuple[dict[str, isl.Map], isl.Set]:
        """`flow` in the Scop as it was, asked for in several places."""
        key = statement.name, access
        if key not in self._flows:
            self._flows[key] = flow(self.scop, statement, access)
        return self._flows[key]

    def refused(self, reason: str) -> IllegalScopTransformError:
        return self.expand.refused(self.scop, reason)

    def result(self) -> Scop:
        extents = self._extents()
        cells = {s.name: tuple(affine(s.iterators[level]) for level in self.expand.loops) for s in self.writers}
        reads = self._read_cells(cells)
        touched = self._touched(cells, reads)
        if touched.is_empty():
            raise self.refused("none of its writes is ever executed")
        box = bounding_box(touched)
        if box is None:
            raise self.refused("the loops have no bounds that are affine in the parameters")
        low, shape = box
        place = self._placer(low)
        statements = tuple(self._redirected(s, cells, reads, place) for s in self.scop.statements)
        array = Array(self.name, self.array.type, (*shape, *extents), local=True)
        arrays = (*self.scop.arrays, array)
        before = [] if self.array.local else self._copy(self.copy_in, self._read_before(reads), low, True)
        behind = [] if self.array.local else self._copy(self.copy_out, self._last_cells(cells), low, False)
        new = replace(self.scop, arrays=arrays, statements=(*before, *statements, *behind))
        if not self.is_private:
            self._prove(new)
        return new

    def _extents(self) -> tuple[Affine | None, ...]:
        """Of the array itself; where its first one is not known, it ends for the new one behind what is accessed."""
        if self.array.shape[:1] != (None,):
            return self.array.shape
        users = ((s, a) for s in self.scop.statements for a in s.accesses if a.array == self.array.name)
        every = reduce(isl.Set.union, (self._image(s, a.subscripts[:1]) for s, a in users))
        inside = every.lower_bound_val(isl.dim_type.set, 0, 0)
        if not (in_front := every.subtract(inside)).is_empty():
            # ``row[n - 1]`` behind a loop over n elements: nobody means an n of 0.
            sizes = And(tuple(at_least(affine(name), 1) for name in self.scop.parameters))
            if not in_front.params().intersect(condition_set((), sizes).params()).is_empty():
                raise self.refused("elements are accessed that may lie in front of its first one")
            assumptions = self.scop.assumptions.subtract(in_front.params()).coalesce()
            self.scop = replace(self.scop, assumptions=assumptions)
        every = inside
        if (box := bounding_box(every.coalesce())) is None:
            raise self.refused("its first extent is not known")
        ((low,), (extent,)) = box
        return (low + extent, *self.array.shape[1:])

    def _read_cells(self, cells: dict[str, tuple[Affine, ...]]) -> dict[tuple[str, Access], tuple[Affine, ...]]:
        """For each reading statement and access the cell that all of its sources wrote."""
        found = {}
        for statement in self.scop.statements:
            for access in statement.reads:
                if access.array == self.expand.array:
                    own = tuple(self._own(statement, level) for level in self.expand.loops)
                    cell = own if self.is_private else self._read_cell(statement, access, cells)
                    found[statement.name, access] = cell
        return found

    def _read_cell(
        self, statement: Statement, access: Access, cells: dict[str, tuple[Affine, ...]]
    ) -> tuple[Affine, ...]:
        sources, _ = self._flow(statement, access)
        relation: isl.Map | None = None
        for name, writes in sources.items():
            writer = self.scop.statement(name)
            part = writes.reverse().apply_range(rows_map(self.scop, writer.name, cells[name]))
            relation = part if relation is None else relation.union(part)
        if relation is None:
            return tuple(self._own(statement, level) for level in self.expand.loops)
        found = []
        for k, level in enumerate(self.expand.loops):
            column = relation.project_out(isl.dim_type.out, k + 1, len(self.expand.loops) - k - 1)
            column = column.project_out(isl.dim_type.out, 0, k)
            options = (self._own(statement, level), *_functions(column, statement))
            fitting = (option for option in options if column.is_subset(rows_map(self.scop, statement.name, (option,))))
            chosen = next(fitting, None)
            if chosen is None:
                writers = " and ".join(sources)
                raise self.refused(
                    f"{statement.name} reads {access} from {writers}, whose cells are not one affine function"
                )
            found.append(chosen)
        return tuple(found)

    def _own(self, statement: Statement, level: int) -> Affine:
        """The statement's own iterator at a level: what a reader in the same loops needs."""
        return affine(statement.iterators[level]) if level < statement.depth else affine(0)

    def _touched(
        self, cells: dict[str, tuple[Affine, ...]], reads: dict[tuple[str, Access], tuple[Affine, ...]]
    ) -> isl.Set:
        """All cells, without the array's own subscripts, that are written or read."""
        parts = [self._image(self.scop.statement(name), cell) for name, cell in cells.items()]
        parts += [self._image(self.scop.statement(name), cell) for (name, _), cell in reads.items()]
        return reduce(isl.Set.union, parts)

    def _placer(self, low: tuple[Affine, ...]) -> Callable[[tuple[Affine, ...], Access], Access]:
        def place(cell: tuple[Affine, ...], access: Access) -> Access:
            shifted = tuple(c - start for c, start in zip(cell, low, strict=True))
            return Access(self.name, (*shifted, *access.subscripts))

        return place

    def _redirected(
        self,
        statement: Statement,
        cells: dict[str, tuple[Affine, ...]],
        reads: dict[tuple[str, Access], tuple[Affine, ...]],
        place: Callable[[tuple[Affine, ...], Access], Access],
    ) -> Statement:
        def one(access: Access) -> Access:
            cell = reads.get((statement.name, access))
            return access if cell is None else place(cell, access)

        if all(access.array != self.expand.array for access in statement.accesses):
            return statement
        new = redirected(statement, one)
        writes = statement.target.array == self.expand.array
        target = place(cells[statement.name], statement.target) if writes else new.target
        return with_accesses(statement, target, new.value)

    def _read_before(self, reads: dict[tuple[str, Access], tuple[Affine, ...]]) -> isl.Set:
        """Cells and subscripts of the reads that get values from before the Scop."""
        result = self._no_cells()
        for (name, access), cell in reads.items():
            statement = self.scop.statement(name)
            _, before = self._flow(statement, access)
            result = result.union(before.apply(rows_map(self.scop, statement.name, (*cell, *access.subscripts))))
        return result.coalesce()

    def _last_cells(self, cells: dict[str, tuple[Affine, ...]]) -> isl.Set:
        """Cells and subscripts of the writes that nothing overwrites."""
        result = self._no_cells()
        for writer, last in last_writes(self.scop, self.expand.array):
            rows = (*cells[writer.name], *writer.target.subscripts)
            result = result.union(last.apply(rows_map(self.scop, writer.name, rows)))
        return result.coalesce()

    def _copy(self, name: str, elements: isl.Set, low: tuple[Affine, ...], into: bool) -> list[Statement]:
        """The statement that copies between cells and the array's own elements, before or behind all others."""
        if elements.is_empty():
            return []
        count = len(self.expand.loops)
        variables = tuple(map(affine, self.iterators))
        outside = Access(self.array.name, variables[count:])
        inside = self._placer(low)(variables[:count], outside)
        source, target = (outside, inside) if into else (inside, outside)
        position = outer_positions(self.scop)[0 if into else 1]
        return [own_nest(name, self.iterators, elements, target, Read(source, self.array.type), position)]

    def _prove(self, new: Scop) -> None:
        """Every read has the sources it had; values from before the Scop come through the copy; what is copied back
        are the last writes.

        Raises:
            IllegalScopTransformError: if any of this does not hold.
        """
        places = {s.name: s for s in new.statements}
        for old in self.scop.statements:
            pairs = zip(old.reads, reads_in_step(old, places[old.name]), strict=True)
            for access, moved in pairs:
                if access.array == self.expand.array:
                    self._compare(old, access, new, places[old.name], moved)
        if not self.array.local:
            self._prove_copy_out(new, places.get(self.copy_out))

    def _compare(self, old: Statement, access: Access, new: Scop, statement: Statement, moved: Access) -> None:
        sources, before = self._flow(old, access)
        found, still_before = flow(new, statement, moved)
        copied = found.pop(self.copy_in, None)
        if not same_sources(sources, found):
            raise self.refused(f"a value that {old.name} reads would be overwritten before")
        through = copied.range() if copied is not None else isl.Set.empty(before.get_space())
        if not self.array.local and not (through.is_equal(before) and still_before.is_empty()):
            raise self.refused(f"values from before the scop that {old.name} reads would be lost")

    def _prove_copy_out(self, new: Scop, copy_out: Statement | None) -> None:
        """All elements that were written are copied, and flow into the copy is what flow into a read of the old array
        behind all statements would be."""
        written = [self.scop.access_map(s, s.target).range() for s in self.writers]
        copied = new.access_map(copy_out, copy_out.target).range() if copy_out else None
        if any(not (part.is_subset(copied) if copied else part.is_empty()) for part in written):
            raise self.refused("not all last values would be copied back")
        if copy_out is None:
            return
        (access,) = copy_out.reads
        probe_target = Access(self.name, access.subscripts)
        probe = replace(copy_out, target=probe_target, value=Read(copy_out.target, self.array.type))
        extended = replace(self.scop, statements=(*self.scop.statements, probe))
        sources, _ = flow(extended, probe, copy_out.target)
        found, missing = flow(new, copy_out, access)
        if not same_sources(sources, found) or not missing.is_empty():
            raise self.refused("the last values would be lost")

    def _image(self, statement: Statement, cell: tuple[Affine, ...]) -> isl.Set:
        return self.scop.points(statement).apply(rows_map(self.scop, statement.name, cell))

    def _no_cells(self) -> isl.Set:
        return isl.Set(f"[{', '.join(self.scop.parameters)}] -> {{ [{', '.join(self.iterators)}] : 1 = 0 }}")


def _functions(column: isl.Map, statement: Statement) -> Iterator[Affine]:
    """The affine functions that a single-valued relation to one integer is made of."""
    if not column.is_single_valued():
        return
    for _, piece in column.as_pw_multi_aff().get_pw_aff(0).get_pieces():
        try:
            yield affine_from_aff(piece, statement.iterators)
        except NotAffineError:
            continue


# --- Webs: a name of its own for every unconnected use of a scalar or of a local array (renaming) ---------------------


_OUTSIDE = ("", None)
"""The node for values from before the Scop and for those that are read behind it."""


@dataclass(frozen=True)
class SplitWebs(ScopTransform):
    """Split an array in its webs: what no value connects gets storage of its own.

    Rewrite:
        for i: { t = A[i];  B[i] = t; }   for i: { t = C[i];  D[i] = t; }
        ->  for i: { t_1 = A[i];  B[i] = t_1; }   for i: { t = C[i];  D[i] = t; }

    A web is a connected component of writes and of reads that get their values from them. The web that values from
    before the Scop flow into, and the one whose last values are read behind it, keep the array, so that nothing has to
    be copied; the others become arrays that are local to the Scop, or scalars, where they are of one element.

    Compilers call this renaming, or splitting live ranges. Chow and Hennessy, "The Priority-Based Coloring Approach to
    Register Allocation", TOPLAS 1990; Cytron and Ferrante, "What's in a Name?", ICPP 1987.

    Attributes:
        array: its name.
    """

    array: str

    @classmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Scalars and local arrays that several statements write."""
        for array in scop.arrays:
            writers = sum(s.target.array == array.name for s in scop.statements)
            if writers > 1 and (array.local or not array.shape):
                yield cls(array.name)

    @property
    def action(self) -> str:
        return f"split {self.array}"

    def changed(self, scop: Scop) -> Scop:
        """The Scop with an array for each web; refused if there is only one."""
        if not any(a.name == self.array for a in scop.arrays):
            raise self.refused(scop, "there is no such array")
        return _Renaming(self, scop).result()


class _Renaming:
    """One array of one Scop in its webs. A node is a statement's name and the read's access, None for its write."""

    def __init__(self, split: SplitWebs, scop: Scop) -> None:
        array = split.array
        self.split, self.scop, self.array = split, scop, scop.array(array)
        if is_indirect(scop, array):
            raise self._refused("subscripts from data say which of its elements are touched")
        self.reads = [(s, access) for s in scop.statements for access in s.reads if access.array == array]
        self.writers = scop.writers(array)
        self.flows = {(s.name, access): flow(scop, s, access) for s, access in self.reads}
        self.scalars: set[str] = set()

    def result(self) -> Scop:
        names = self._names()
        if len(set(names.values())) < 2:
            raise self._refused("all its uses are connected")
        places: dict[str, set[tuple[Affine, ...]]] = {}
        for (statement, read), name in names.items():
            access = self.scop.statement(statement).target if read is None else read
            places.setdefault(name, set()).add(access.subscripts)
        self.scalars = {
            name
            for name, (first, *others) in places.items()
            if name != self.array.name and not others and all(subscript.is_constant for subscript in first)
        }
        statements = tuple(self._renamed(s, names) for s in self.scop.statements)
        new = [
            replace(
                self.array,
                name=name,
                shape=() if name in self.scalars else self.array.shape,
                local=True,
                may_alias=False,
            )
            for name in dict.fromkeys(names.values())
        ]
        arrays = (*self.scop.arrays, *(a for a in new if a.name != self.array.name))
        changed = replace(self.scop, arrays=arrays, statements=statements)
        self._prove(changed, names)
        return changed

    def _names(self) -> dict[tuple[str, Access | None], str]:
        """Which array each read and write gets."""
        import networkx as nx  # a quarter of a second, for few programs

        graph: nx.Graph[tuple[str, Access | None]] = nx.Graph()
        graph.add_node(_OUTSIDE)
        graph.add_nodes_from((writer.name, None) for writer in self.writers)
        for node, (sources, before) in self.flows.items():
            graph.add_edges_from((node, (source, None)) for source in sources)
            if not before.is_empty() or not sources:
                graph.add_edge(node, _OUTSIDE)
        if not self.array.local:
            for writer, last in last_writes(self.scop, self.array.name):
                if not last.is_empty():
                    graph.add_edge((writer.name, None), _OUTSIDE)
        place = {s.name: k for k, s in enumerate(self.scop.statements)}
        webs = sorted(
            (web - {_OUTSIDE} for web in nx.connected_components(graph) if _OUTSIDE not in web),
            key=lambda web: min(place[name] for name, _ in web),
        )
        outside = nx.node_connected_component(graph, _OUTSIDE) - {_OUTSIDE}
        names = dict.fromkeys(outside, self.array.name)
        taken = set(names_of(self.scop))
        for number, web in enumerate(webs, 1):
            name = fresh_name(f"{self.array.name}_{number}", frozenset(taken))
            taken.add(name)
            names |= dict.fromkeys(web, name)
        return names

    def _renamed(self, statement: Statement, names: dict[tuple[str, Access | None], str]) -> Statement:
        def one(access: Access) -> Access:
            name = names.get((statement.name, access))
            return access if name is None else self._moved(access, name)

        new = redirected(statement, one)
        name = names.get((statement.name, None))
        return with_accesses(statement, new.target if name is None else self._moved(new.target, name), new.value)

    def _moved(self, access: Access, name: str) -> Access:
        return replace(access, array=name, subscripts=() if name in self.scalars else access.subscripts)

    def _prove(self, new: Scop, names: dict[tuple[str, Access | None], str]) -> None:
        """Every read has the sources it had, and the old array ends with the writes it ended with.

        Raises:
            IllegalScopTransformError: if not.
        """
        for old, access in self.reads:
            sources, before = self.flows[old.name, access]
            renamed = self._moved(access, names[old.name, access])
            found, missing = flow(new, new.statement(old.name), renamed)
            if not same_sources(found, sources) or not (
                missing.is_equal(before) and (renamed == access or missing.is_empty())
            ):
                raise self._refused(f"{old.name} would read other values")
        if not self.array.local and not _same(
            last_writes(self.scop, self.array.name), last_writes(new, self.array.name)
        ):
            raise self._refused("it would end with other values")

    def _refused(self, reason: str) -> IllegalScopTransformError:
        return self.split.refused(self.scop, reason)


def _same(first: Iterator[tuple[Statement, isl.Set]], second: Iterator[tuple[Statement, isl.Set]]) -> bool:
    """Whether the same instances write last, statements without any left out."""
    return same_sources(*({s.name: last for s, last in writes} for writes in (first, second)))
