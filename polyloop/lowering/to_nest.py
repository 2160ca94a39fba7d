"""From a schedule tree to a LoopNest, through isl's AST generator.

Register tiles (a run of UNROLLED and VECTOR members at the inner end of a chain of bands) are generated twice: for the
prefixes whose tile is full, with constant trip counts, and for the rest (isl's `isolate` option, as Polly uses it; see
Verdoolaege, Grosser and Cohen, "Polyhedral AST Generation Is More Than Scanning Polyhedra", TOPLAS 2015, section 7).
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

import islpy as isl

from polyloop.backend.config import verifies
from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import Affine, Condition, FloorDiv, affine, substitute_condition
from polyloop.backend.ir.loop_nest import (
    ArraySpec,
    Block,
    Compute,
    Guard,
    Loop,
    LoopKind,
    LoopNest,
    Node,
    Storage,
    numbered_name,
)
from polyloop.backend.planning.facts import Facts, nest_facts
from polyloop.backend.planning.packing import Layout, PackingError, Range, Tags, factors, pack, tagged
from polyloop.backend.planning.tiles import simplified
from polyloop.errors import PolyloopError
from polyloop.schedules.isl_trees import Mark, parse_mark, tree_to_isl
from polyloop.schedules.legality import own_arrays
from polyloop.schedules.tree import (
    LARGEST,
    Band,
    Member,
    Packing,
    Path,
    ScheduleTree,
    children,
    original_tree,
    rows_map,
)
from polyloop.schedules.tree import Node as TreeNode
from polyloop.scop.affine_isl import affine_from_ast, condition_from_ast
from polyloop.scop.model import Scop, Statement
from polyloop.support.isl_limits import OperationLimitError, limited

OPERATION_CAP = 20_000_000
"""isl operations that one code generation may spend. Beyond it the schedule is refused, never a hang.

An operation is one pivot of a tableau: a tenth of a microsecond where the numbers in it fit into machine words, which
those of schedules from schedulers do, but up to 70 where a schedule's coefficients are so dense that they do not (found
in the search for strides). So the cap alone bounds time only within three orders; `lower` takes `seconds`, too."""

_FIRST_OPERATIONS = 20_000
_MOST_AT_ONCE = 3.0
_WORTH_TRYING = 1.5

# The stubs leave out the names that end in an underscore.
_IF, _FOR = isl.ast_node_type["if_"], isl.ast_node_type["for_"]
_NO_MARK = Mark()
_POINT_KINDS = (LoopKind.UNROLLED, LoopKind.VECTOR)


class LoweringError(PolyloopError):
    """isl could not generate code for a schedule within the operation cap."""


class TooManyOperationsError(LoweringError):
    """Within more operations it might have."""


def lower(scop: Scop, tree: ScheduleTree, name: str | None = None, seconds: float | None = None) -> LoopNest:
    """The loop nest that executes the Scop in the tree's order.

    Args:
        name: name of the kernel, the Scop's by default.
        seconds: of this process that isl may take, within a small factor, for schedules that anybody may have drawn;
            None: only operations are counted.
    Raises:
        LoweringError: if isl gives up (operation cap, unbounded domain), or its code is seen not to keep the order.
    """
    if verifies():
        from polyloop.schedules.verify import verified  # loaded where it is asked for

        verified(tree, f"what is lowered for {scop.name}", scop)
    members = [member for _, band in tree.bands() for member in band.members]
    if vast := next((number for member in members for number in _numbers(member) if abs(number) > LARGEST), None):
        raise LoweringError(f"code generation for {scop.name} was given up: counters of 64 bits do not go by {vast}")
    tiled, counting = _with_tile_iterators(scop, tree)
    ast, known = _generated(tiled, counting, OPERATION_CAP) if seconds is None else _within(tiled, counting, seconds)
    reader = _Reader(tiled, counting)
    body = reader.node(ast, _Place(nest_facts(known)))
    own = frozenset[str]().union(*own_arrays(scop, tree).values())
    # A row for each lane, and more in it.
    of_lanes = frozenset[str]().union(*own_arrays(scop, tree, LoopKind.VECTOR, rank=2).values())
    specs = (replace(a, private=a.name in own, lane_private=a.name in of_lanes) for a in array_specs(scop))
    arrays = (*specs, *reader.buffers.values())
    nest = LoopNest(name or scop.name, scop.parameters, arrays, body, known, scop.wraps)
    original = original_tree(scop)
    if tree != original and strided(scop, _rows_of(scop, members)):
        from polyloop.lowering.order_check import same_results  # of few schedules

        if not same_results(scop, lower(scop, original), nest):
            raise LoweringError(f"code generation for {scop.name} was given up: isl's code does not keep the order")
    if verifies():
        from polyloop.backend.ir.verify_nest import verify  # loaded where it is asked for

        verify(nest)
    return nest


def _numbers(member: Member) -> Iterator[int]:
    """All that stand in a loop of a schedule."""
    yield member.divisor
    for _, row in member.rows:
        yield from _of_row(row)


def _of_row(row: Affine) -> Iterator[int]:
    yield row.constant
    for atom, coefficient in row.terms:
        yield coefficient
        if isinstance(atom, FloorDiv):
            yield atom.divisor
            yield from _of_row(atom.dividend)


def _with_tile_iterators(scop: Scop, tree: ScheduleTree) -> tuple[Scop, ScheduleTree]:
    """As they are, where no loop counts a sum of tile numbers."""
    rows = (row for _, band in tree.bands() for member in band.members for _, row in member.rows)
    if all(len(row.divisions) < 2 for row in rows):
        return scop, tree
    from polyloop.lowering.tile_iterators import with_tile_iterators  # of tiles in parallel along a wavefront

    return with_tile_iterators(scop, tree)


def strided(scop: Scop, rows: Mapping[str, list[list[int]]]) -> bool:
    """Whether some row moves in steps greater than 1 for its statement, where those before it are fixed.

    Args:
        rows: by statement, coefficients of its iterators, outermost row first.
    """
    return any(_moves_in_steps(rows[s.name], s.depth) for s in scop.statements if s.name in rows)


def _moves_in_steps(rows: list[list[int]], depth: int) -> bool:
    columns = [[row[k] for row in rows] for k in range(depth)]
    for place in range(len(rows)):
        moving = [column for column in columns if column[place]]
        while len(moving) > 1:
            least = min(moving, key=lambda column: abs(column[place]))
            for column in moving:
                if column is not least:
                    factor = column[place] // least[place]
                    column[:] = [x - factor * y for x, y in zip(column, least, strict=True)]
            moving = [column for column in moving if column[place]]
        if moving and abs(moving[0][place]) > 1:
            return True
        columns = [column for column in columns if not any(column is m for m in moving)]
    return False


def _generated(scop: Scop, tree: ScheduleTree, operations: int) -> tuple[isl.AstNode, Condition]:
    """isl's AST, and what is known of the parameters."""
    try:
        with limited(operations):
            isolated = _full_tiles(scop, tree)
        # A few operations, of which isl does not survive that one is the last.
        schedule = tree_to_isl(scop, tree, isolated)
        with limited(operations):
            build = isl.AstBuild.from_context(scop.known)
            return build.node_from_schedule(schedule), condition_from_set(scop.known)
    except OperationLimitError as error:
        raise TooManyOperationsError(f"code generation for {scop.name} was given up: too many operations") from error
    except isl.Error as error:
        reason = str(error).strip().splitlines()[-1]
        raise LoweringError(f"code generation for {scop.name} was given up: {reason}") from error


def _within(scop: Scop, tree: ScheduleTree, seconds: float) -> tuple[isl.AstNode, Condition]:
    """As `_generated`; what an operation costs is seen from a few of them, before more are allowed.

    Nothing interrupts isl, and it starts anew every time, which costs half as much again.
    """
    operations, left = _FIRST_OPERATIONS, seconds
    while True:
        start = time.process_time()
        try:
            return _generated(scop, tree, operations)
        except TooManyOperationsError as error:
            taken = max(time.process_time() - start, 1e-6)
            left -= taken
            more = min(left / taken, _MOST_AT_ONCE)
            if more < _WORTH_TRYING:
                words = f"code generation for {scop.name} was given up: it would take more than {seconds:g} s"
                raise TooManyOperationsError(words) from error
            if operations == OPERATION_CAP:
                raise
            operations = min(int(operations * more), OPERATION_CAP)


def array_specs(scop: Scop) -> tuple[ArraySpec, ...]:
    """The Scop's arrays in the calling convention's order."""
    written = scop.written
    return tuple(
        ArraySpec(
            a.name,
            a.type,
            a.shape,
            Storage.LOCAL if a.local else Storage.ARGUMENT,
            a.name not in written,
            strides=a.strides,
            values=a.values,
        )
        for a in scop.arrays
    )


def condition_from_set(parameters: isl.Set) -> Condition:
    """A parameter set as a condition of the backend."""
    build = isl.AstBuild.from_context(isl.Set.universe(parameters.get_space()))
    return condition_from_ast(build.expr_from_set(parameters.params().compute_divs()))


# --- AST to nest ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Place:
    """Where a node of the AST stands.

    Attributes:
        facts: what the loops around say.
        values: what stands for iterators of isl's.
        mark: the last one; it belongs to the first loops met below it.
        open: loop names in use.
        tags: for each statement, reads that are packed here, and under which name of their array.
    """

    facts: Facts
    values: Mapping[str, Affine] = field(default_factory=dict)
    mark: Mark = _NO_MARK
    open: tuple[str, ...] = ()
    tags: Mapping[str, Tags] = field(default_factory=dict)

    def value(self, expression: isl.AstExpr) -> Affine:
        return affine_from_ast(expression).substitute(self.values)

    def binding(self, iterator: str, value: Affine) -> _Place:
        return replace(self, values={**self.values, iterator: value}, mark=Mark())


@dataclass
class _Reader:
    """Reads one AST. Loop names are readable; two loops share one only if neither is inside the other."""

    scop: Scop
    tree: ScheduleTree
    buffers: dict[str, ArraySpec] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.parallel = any(m.kind is LoopKind.PARALLEL for _, band in self.tree.bands() for m in band.members)
        self._taken = {*self.scop.parameters, *(a.name for a in self.scop.arrays)}

    def node(self, node: isl.AstNode, place: _Place) -> Node:
        kinds = isl.ast_node_type
        match kinds(node.get_type()):
            case kinds.mark:
                mark = parse_mark(str(node.mark_get_id().get_name()))
                return self._packed(node.mark_get_node(), replace(place, mark=mark), mark.packings)
            case kinds.block:
                inside = node.block_get_children()
                return Block(tuple(self.node(inside.get_at(k), place) for k in range(inside.n_ast_node())))
            case if_ if if_ == _IF:
                condition = substitute_condition(condition_from_ast(node.if_get_cond()), place.values)
                then = self.node(node.if_get_then_node(), replace(place, facts=place.facts.with_condition(condition)))
                if node.if_has_else_node():
                    negative = replace(place, facts=place.facts.with_condition(condition, holds=False))
                    return Guard(condition, then, self.node(node.if_get_else_node(), negative))
                return Guard(condition, then)
            case for_ if for_ == _FOR:
                return self._loop(node, place)
            case kinds.user:
                return self._compute(node, place)
            case other:
                raise LoweringError(f"unexpected node {other} in isl's AST")

    def _loop(self, node: isl.AstNode, place: _Place) -> Node:
        iterator = str(node.for_get_iterator().get_id().get_name())
        lower = place.value(node.for_get_init())
        if node.for_is_degenerate():
            return self.node(node.for_get_body(), place.binding(iterator, lower))
        condition = node.for_get_cond()
        upper = place.value(condition.get_op_arg(1))
        if isl.ast_expr_op_type(condition.get_op_type()) == isl.ast_expr_op_type.le:
            upper = upper + 1
        step = affine_from_ast(node.for_get_inc()).constant
        name = self._fresh(place.mark.name or "c", place.open)
        facts = place.facts.with_loop(name, lower, upper)
        inside = replace(place.binding(iterator, affine(name)), facts=facts, open=(*place.open, name))
        body = self.node(node.for_get_body(), inside)
        return Loop(name, lower, upper, step, body, place.mark.kind, place.mark.prefetches)

    def _compute(self, node: isl.AstNode, place: _Place) -> Compute:
        call = node.user_get_expr()
        statement = self.scop.statement(str(call.get_op_arg(0).get_id().get_name()))
        at = {iterator: place.value(call.get_op_arg(k + 1)) for k, iterator in enumerate(statement.iterators)}
        value = _wrapping(statement)
        if statement.name in place.tags:
            value = tagged(value, place.tags[statement.name])
        return replace(statement, value=value).computed(at)

    def _packed(self, node: isl.AstNode, place: _Place, packings: tuple[Packing, ...]) -> Node:
        """The node behind the copies that it reads."""
        made: list[tuple[str, Packing]] = []
        tags = {name: dict(reads) for name, reads in place.tags.items()}
        for packing in packings:
            name = self._fresh(f"{packing.array}_pack", ())
            self._taken.add(name)
            made.append((name, packing))
            reads = tags.setdefault(packing.statement, {})
            reads[self._packable(packing), packing.factor] = name
        result = self.node(node, replace(place, tags=tags))
        if made:
            # Limits of trip counts become visible: what stays inside of one panel needs no divisions.
            result = simplified(result, place.facts)
        for name, packing in made:
            spec = self._source(packing)
            used, around = set(place.open), _members_around(self.tree, packing)
            try:
                packed = pack(
                    result,
                    name,
                    spec,
                    Layout(packing.order, packing.panel),
                    name,
                    place.facts,
                    lambda stem, used=used: self._unused(stem, used),  # type: ignore[misc]
                    frozenset(self.scop.parameters),
                    self._ranges(packing, place),
                    lambda read, factor=packing.factor: _times(factor, read),  # type: ignore[misc]
                    self.parallel and not any(m.kind is LoopKind.PARALLEL for m in around),
                    any(array == packing.array for m in around for array, _ in m.prefetches),
                )
            except PackingError as error:
                raise LoweringError(f"cannot pack {packing.read} of {packing.statement}: {error}") from error
            result, self.buffers[name] = packed.node, packed.buffer
        return result

    def _source(self, packing: Packing) -> ArraySpec:
        """The array that is copied. Where its first extent is not known, it ends for the copy where the statement's
        reads end, in every dimension: panels are copied whole, and nothing is known of what is behind, be it further
        rows or the rest of the last one."""
        spec = next(a for a in array_specs(self.scop) if a.name == packing.array)
        if not spec.shape or spec.shape[0] is not None:
            return spec
        read = self.scop.access_map(self.scop.statement(packing.statement), self._packable(packing)).range()
        if any(not read.upper_bound_val(isl.dim_type.set, k, -1).is_empty() for k in range(len(spec.shape))):
            # Panels begin at multiples of their length, and nothing is known of what is in front, either.
            raise LoweringError(f"cannot pack {packing.read}: {packing.statement} reads in front of its first element")
        if read.intersect_params(self.scop.known).is_empty():
            raise LoweringError(f"cannot pack {packing.read}: {packing.statement} never reads it")
        ends = (self._end(read.dim_max(dimension)) for dimension in range(len(spec.shape)))
        return replace(spec, shape=tuple(ends))

    def _end(self, last: isl.PwAff) -> Affine:
        """What comes behind the last element: of several bounds, the nearest, as where borders cut windows off."""
        last = last.coalesce().gist_params(self.scop.known)
        return affine_from_ast(isl.AstBuild.from_context(self.scop.known).expr_from_pw_aff(last)) + 1

    def _packable(self, packing: Packing) -> e.Access:
        """The access that a packing names."""
        statement = self.scop.statement(packing.statement)
        if statement.conditional:
            where = "only where a condition on data holds; a copy would always"
            raise LoweringError(f"cannot pack {packing.read}: {packing.statement} reads it {where}")
        known = {str(access): access for access in statement.reads}
        if packing.read not in known:
            listed = ", ".join(known) or "nothing"
            raise LoweringError(f"cannot pack {packing.read}: {packing.statement} reads {listed}")
        access = known[packing.read]
        if access.data:
            raise LoweringError(f"cannot pack {packing.read}: data say which elements {packing.statement} reads")
        if packing.factor:
            if factors(statement.value).get(access) != packing.factor:
                raise LoweringError(f"cannot pack {packing}: {packing.statement} computes no such product for a factor")
            if any(s.target.array == packing.factor for s in self.scop.statements):
                raise LoweringError(f"cannot pack {packing}: {packing.factor} is written")
        return access

    def _ranges(self, packing: Packing, place: _Place) -> list[Range | None]:
        """What the tile loops around a copy say of the read's subscripts: the loops below may have been specialised."""
        statement = self.scop.statement(packing.statement)
        ranges: dict[str, Range] = {}
        for number, member in enumerate(_members_around(self.tree, packing)):
            value, row = place.values.get(f"c{number}"), member.row(statement.name)
            names = [name for name in statement.iterators if name in row.variables()]
            if value is None or len(names) != 1 or row.coefficient(names[0]) != 1:
                continue
            low = value * member.divisor - (row - affine(names[0]))
            ranges[names[0]] = low, low + member.divisor
        access = next(access for access in statement.reads if str(access) == packing.read)
        return [_range_of(subscript, ranges, statement) for subscript in access.subscripts]

    def _fresh(self, stem: str, open_: Collection[str]) -> str:
        return numbered_name(stem, self._taken, open_)

    def _unused(self, stem: str, used: set[str]) -> str:
        name = self._fresh(stem, used)
        used.add(name)
        return name


def _times(factor: str, read: e.Read) -> e.Expression:
    """The product of a scalar and an element; the order of two factors makes no difference to it."""
    return e.Binary("*", e.Read(e.Access(factor, ()), read.type), read, read.type) if factor else read


def _members_around(tree: ScheduleTree, packing: Packing) -> list[Member]:
    for path, band in tree.bands():
        for index, member in enumerate(band.members):
            if packing in member.packings:
                around = tree.members_above(path)
                return [*around, *band.members[:index]]
    return []


def _range_of(subscript: Affine, ranges: Mapping[str, Range], statement: Statement) -> Range | None:
    """Between which values a subscript lies, from those of its iterators; None where one has no range."""
    low = high = affine(subscript.constant)
    for atom, factor in subscript.terms:
        if not isinstance(atom, str) or (atom in statement.iterators and atom not in ranges):
            return None
        ends = ranges.get(atom, (affine(atom), affine(atom) + 1))
        first, last = ends[0] * factor, (ends[1] - 1) * factor
        low, high = (low + first, high + last) if factor > 0 else (low + last, high + first)
    return low, high + 1


def _wrapping(statement: Statement) -> e.Expression:
    """The value, with arithmetic that may not overflow done in the unsigned type where its order is free.

    Partial sums in another order can leave the range of a signed type, which C and LLVM leave undefined, although the
    whole does not. Unsigned numbers wrap, and the last result is the same.
    """
    return _wrapped(statement.value) if statement.reduction in ("+", "*") else statement.value


def _wrapped(value: e.Expression) -> e.Expression:
    match value:
        case e.Binary(operator, left, right, type_) if type_.kind == "int":
            wide = e.ScalarType("uint", type_.bits)
            return e.Cast(e.Binary(operator, e.Cast(left, wide), e.Cast(right, wide), wide), type_)
        case e.Select(_, then, otherwise):
            return replace(value, then=_wrapped(then), otherwise=_wrapped(otherwise))
        case _:
            return value


_STRAIGHT_BITS = 8 * 512
"""Of a row of a register tile: straight-line code is made of eight vectors at most, and no machine has wider ones."""


# --- full tiles -------------------------------------------------------------------------------------------------------


def _full_tiles(scop: Scop, tree: ScheduleTree) -> dict[Path, isl.Set]:
    """For every register tile of the tree: the path of the band above it and the prefixes with full tiles.

    Point loops stand directly below that band, or, statement by statement, below a sequence.
    """
    points: dict[Path, dict[str, tuple[Member, ...]]] = {}
    for path, band in tree.bands():
        if not path or not all(m.kind in _POINT_KINDS for m in band.members) or not _innermost(band.child):
            continue
        anchor = path[:-1] if isinstance(tree.at(path[:-1]), Band) else path[:-2]
        if len(path) >= 2 or anchor == path[:-1]:
            points.setdefault(anchor, {}).update(dict.fromkeys(band.statements, band.members))
    found: dict[Path, isl.Set] = {}
    for path, inner in points.items():
        above = tree.at(path)
        if not isinstance(above, Band) or set(inner) != set(above.statements):
            continue
        outer = list(tree.members_above((*path, 0)))
        if strided(scop, _rows_of(scop, outer)):
            continue  # isl's AST then had statements beside the tile in a wrong order
        tiled = any(_register_tile(scop, point, outer, name) for name, members in inner.items() for point in members)
        if tiled and not all(_moves_inside(scop, members, outer, name) for name, members in inner.items()):
            found[path] = _full_prefixes(scop, outer, inner)
    return {path: prefixes for path, prefixes in found.items() if not prefixes.is_empty()}


def _rows_of(scop: Scop, members: list[Member]) -> dict[str, list[list[int]]]:
    found: dict[str, list[list[int]]] = {}
    for member in members:
        for name, row in member.rows if member.divisor == 1 else ():
            coefficients = [row.coefficient(iterator) for iterator in scop.statement(name).iterators]
            found.setdefault(name, []).append(coefficients)
    return found


def _innermost(node: TreeNode) -> bool:
    return not isinstance(node, Band) and all(map(_innermost, children(node)))


def _tile_of(point: Member, outer: list[Member], name: str) -> tuple[int, int] | None:
    """(position of the tile loop above a point loop, tile size), None if the point loop is not strip-mined."""
    row = point.row(name)
    sizes = [(k, m.divisor) for k, m in enumerate(outer) if m.divisor > point.divisor and m.row(name) == row]
    return (sizes[-1][0], sizes[-1][1] // point.divisor) if sizes else None


def _register_tile(scop: Scop, point: Member, outer: list[Member], name: str) -> tuple[int, int] | None:
    """As `_tile_of`, None also for a vector loop over so many elements that no tile of it is straight-line code: it
    runs between any bounds."""
    tile = _tile_of(point, outer, name)
    if tile is None or point.kind is not LoopKind.VECTOR:
        return tile
    bits = scop.array(scop.statement(name).target.array).type.bits
    return tile if tile[1] * bits <= _STRAIGHT_BITS else None


def _moves_inside(scop: Scop, points: tuple[Member, ...], outer: list[Member], name: str) -> bool:
    """Whether rows of whole vectors move through their tile with each iteration of the loop around them (sweeps in a
    skewed tile): which of them are there is decided in front of their vectors, not by loops of their own."""
    around = outer[-1]
    long = points[0].kind is LoopKind.VECTOR and _register_tile(scop, points[0], outer, name) is None
    moving = around.row(name).variables() if around.divisor == 1 else frozenset[str]()
    tiled = [point for point in points if _register_tile(scop, point, outer, name) is not None]
    return long and all(moving & point.row(name).variables() for point in tiled)


def _full_prefixes(scop: Scop, outer: list[Member], inner: dict[str, tuple[Member, ...]]) -> isl.Set:
    """Values of the outer members at which every statement executes all points of the tile or none.

    Statements of less depth than the deepest (initialisations, divisions by a pivot) make a tile partial: they run at
    few prefixes, and without them the body of a full tile is the same in every iteration.
    """
    prefix = ", ".join(f"c{k}" for k in range(len(outer)))
    space = isl.Set(f"[{', '.join(scop.parameters)}] -> {{ [{prefix}] }}").get_space()
    everything, partial = isl.Set.empty(space), isl.Set.empty(space)
    deepest = max(scop.statement(name).depth for name in inner)
    for name, members in inner.items():
        tiled = [(point, tile) for point in members if (tile := _register_tile(scop, point, outer, name)) is not None]
        executed = _executed(scop, name, [*outer, *(point for point, _ in tiled)])
        prefixes = executed.project_out(isl.dim_type.set, len(outer), len(tiled))
        missing = prefixes
        if scop.statement(name).depth == deepest:
            extend = _all_points(prefix, [tile for _, tile in tiled])
            missing = prefixes.apply(extend).subtract(executed)
            missing = missing.project_out(isl.dim_type.set, len(outer), len(tiled))
        everything, partial = everything.union(prefixes), partial.union(missing)
    return everything.subtract(partial).coalesce()


def _executed(scop: Scop, name: str, members: list[Member]) -> isl.Set:
    """The values of the members at which a statement has an instance."""
    schedule = rows_map(scop, name, (m.row(name) // m.divisor for m in members))
    return scop.domain.extract_set(scop.statement(name).domain.get_space()).apply(schedule)


def _all_points(prefix: str, tiles: list[tuple[int, int]]) -> isl.Map:
    """Prefix -> prefix and every point that its tiles of the given positions and sizes have."""
    inner = [f"p{k}" for k in range(len(tiles))]
    spans = [f"{size}*c{k} <= {p} < {size}*c{k} + {size}" for p, (k, size) in zip(inner, tiles, strict=True)]
    return isl.Map(f"{{ [{prefix}] -> [{', '.join([prefix, *inner])}] : {' and '.join(spans) or '1 = 1'} }}")
