"""Packing: copy what a part of a nest reads of an array into a buffer laid out as that part reads it.

    for k: for i: for j: C[i][j] += A[i][k] * B[k][j]
    ->  for k': for j': B_pack[k'][j'] = B[k'][j'];   for k: for i: for j: C[i][j] += A[i][k] * B_pack[k][j]

The footprint is the box around all elements that are read, made from the loops' bounds. A dimension may be cut into
panels: a matrix [k][n] packed as [n / 24][k][24] is read by a tile of 24 columns as one contiguous stream (Goto and van
de Geijn, "Anatomy of High-Performance Matrix Multiplication", TOMS 2008).

Whether the copy still holds what the reads would find is the caller's to prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from polyloop.backend.ir import expressions as e
from polyloop.backend.ir.affine import (
    Affine,
    And,
    Choose,
    FloorDiv,
    Indirect,
    Max,
    Min,
    affine,
    at_least,
    equal,
    maximum,
    minimum,
)
from polyloop.backend.ir.expressions import Access, Expression
from polyloop.backend.ir.loop_nest import (
    ArraySpec,
    Block,
    Compute,
    Guard,
    Loop,
    LoopKind,
    Node,
    Origin,
    Storage,
    children,
    map_children,
    map_computes,
    substituted,
    walk,
)
from polyloop.backend.planning.facts import (
    Facts,
    largest_trips,
    lower_operands,
    map_children_with,
    outward,
    proven_trips,
    upper_operands,
)

Range: TypeAlias = "tuple[Affine, Affine]"

LARGEST_EXTENT = 1 << 13
"""Up to here a constant limit of a footprint's extent is looked for by proof."""

_LINE_BYTES = 64


class PackingError(ValueError):
    """The footprint has no box whose size is known before the kernel runs."""


@dataclass(frozen=True)
class Layout:
    """The buffer's axes, outermost first, as dimensions of the array.

    Attributes:
        order: every dimension once, or one of them twice: its first axis counts panels, its second their elements.
        panel: elements of a panel; 0 without panels.
    """

    order: tuple[int, ...]
    panel: int = 0

    @property
    def divided(self) -> int | None:
        """The dimension that is cut into panels."""
        return next((d for d in self.order if self.order.count(d) == 2), None)

    def axes(self) -> Iterator[tuple[int, str]]:
        """(dimension, what the axis counts: "element", "panel" or "inside")."""
        seen: set[int] = set()
        for dimension in self.order:
            if dimension != self.divided:
                yield dimension, "element"
            else:
                yield dimension, "inside" if dimension in seen else "panel"
            seen.add(dimension)


def layout_problem(layout: Layout, rank: int) -> str | None:
    """Why the layout does not fit an array of this rank; None if it does."""
    twice = [d for d in range(rank) if layout.order.count(d) == 2]
    if rank == 0 or sorted(layout.order) != sorted([*range(rank), *twice]) or len(twice) > 1:
        return f"the order {layout.order} does not name each of the {rank} dimensions once, one of them perhaps twice"
    if twice and layout.panel < 2:
        return f"dimension {twice[0]} is cut into panels, but their size is {layout.panel}"
    if not twice and layout.panel:
        return f"panels of {layout.panel} need a dimension that stands twice in the order"
    return None


@dataclass(frozen=True)
class Packed:
    """The node behind the copy that it now reads, and the copy's buffer."""

    node: Node
    buffer: ArraySpec


def pack(
    node: Node,
    tag: str,
    array: ArraySpec,
    layout: Layout,
    buffer: str,
    facts: Facts,
    fresh: Callable[[str], str],
    parameters: frozenset[str] = frozenset(),
    known: Sequence[Range | None] = (),
    held: Callable[[e.Read], Expression] = lambda read: read,
    parallel: bool = False,
    asked: bool = False,
) -> Packed:
    """Copy in front of `node` what its reads of `tag` touch, and let them read the copy.

    Args:
        tag: the name under which these reads mention the array.
        buffer: name of the local array.
        facts: what is known where the node stands.
        fresh: makes names for the copy's loops.
        parameters: names of the nest's parameters, which may stand in the buffer's shape.
        known: for each dimension, between which values (end excluded) all subscripts are known to lie besides.
        held: what the copy holds of an element: itself, or what is computed from it and from what does not change.
        parallel: whether threads share the work of copying.
        asked: whether a loop around asks for what is copied next. It then comes from a near cache, and the first tile
            can copy it in passing; else a loop in front has more lines on their way at once.
    Raises:
        PackingError: where the size of the footprint has no limit that is known beforehand.
    """
    boxes = [_box(access, loops) for access, loops in _reads(node, tag, ())]
    if not boxes:
        least = (affine(1),) * len(layout.order)
        return Packed(node, ArraySpec(buffer, array.type, least, Storage.LOCAL, scratch=True))
    low, high, extents = [], [], []
    for dimension, extent in enumerate(array.shape):
        first = minimum(*(box[dimension][0] for box in boxes))
        end = maximum(*(box[dimension][1] for box in boxes))
        limits = known[dimension] if dimension < len(known) else None
        if limits is not None and _is_plain(limits[0]):
            # Copies begin where tiles begin, in plain terms: what a tile at a border does not read is copied, too.
            first, end = limits
        elif limits is not None:
            first = _tighter(first, limits[0], facts, maximum)
            end = _tighter(end, limits[1], facts, minimum)
        first, end = _clamped(first, end, extent, facts)
        limit = _limit(first, end, facts, parameters)
        if limit is None:
            if extent is None:
                raise PackingError(f"what is read of {array.name} has no limit in dimension {dimension}")
            first, end, limit = affine(0), extent, extent
        low.append(first)
        high.append(end)
        extents.append(limit)
    copy = _Copy(array, tag, layout, buffer, tuple(low), tuple(high), held)
    origin = Origin(array.name, layout.order, tuple(low)) if asked and layout.divided is None else None
    spec = ArraySpec(buffer, array.type, copy.shape(extents), Storage.LOCAL, scratch=True, copies=origin)
    unknown = any(not parameters.isdisjoint(bound.variables()) for bound in (*low, *high))
    if asked and not (parallel or unknown) and (passing := copy.in_passing(node, fresh, facts)) is not None:
        return Packed(passing, spec)
    loops = copy.loops(fresh, facts)
    inside = _asking(copy.redirected(node, (), facts), array.name, buffer)
    return Packed(Block((_in_parallel(loops) if parallel else loops, inside)), spec)


def _asking(node: Node, array: str, buffer: str) -> Node:
    """Loops that ask for what is read of the array ask for it in the copy, where everything below them reads that."""
    if isinstance(node, Loop) and any(name == array for name, _ in node.prefetch) and not any(_reads(node, array, ())):
        asked = tuple((buffer if name == array else name, distance) for name, distance in node.prefetch)
        node = replace(node, prefetch=asked)
    return map_children(node, lambda child: _asking(child, array, buffer))


def _in_parallel(node: Node) -> Node:
    """With parallel outermost loops: no two iterations of a copy write one element."""
    if isinstance(node, Loop):
        return replace(node, kind=LoopKind.PARALLEL) if node.kind is LoopKind.SEQUENTIAL else node
    return map_children(node, _in_parallel)


def _reads(node: Node, tag: str, loops: tuple[Loop, ...]) -> Iterator[tuple[Access, tuple[Loop, ...]]]:
    if isinstance(node, Compute):
        yield from ((read.access, loops) for read in e.reads(node.value) if read.access.array == tag)
    inside = (*loops, node) if isinstance(node, Loop) else loops
    for child in children(node):
        yield from _reads(child, tag, inside)


# --- footprints -------------------------------------------------------------------------------------------------------


def _box(access: Access, loops: tuple[Loop, ...]) -> list[tuple[Affine, Affine]]:
    """The smallest value of each subscript over the loops, and one more than the largest."""
    inner = {loop.variable: loop for loop in loops}
    return [(extreme(s, inner, False), extreme(s, inner, True) + 1) for s in access.subscripts]


def extreme(value: Affine, inner: dict[str, Loop], largest: bool) -> Affine:
    """The value with every inner loop's variable at the end of its range that makes it extreme."""
    result = affine(value.constant)
    for atom, factor in value.terms:
        up = largest == (factor > 0)
        match atom:
            case str() if atom in inner:
                loop = inner[atom]
                rest = {name: other for name, other in inner.items() if name != atom}
                part = extreme(loop.upper - 1 if up else loop.lower, rest, up)
            case str():
                part = affine(atom)
            case FloorDiv(dividend, divisor):
                part = extreme(dividend, inner, up) // divisor
            case Min(operands):
                part = minimum(*(extreme(o, inner, up) for o in operands))
            case Max(operands):
                part = maximum(*(extreme(o, inner, up) for o in operands))
            case Choose(_, then, otherwise):
                pick = maximum if up else minimum
                part = pick(extreme(then, inner, up), extreme(otherwise, inner, up))
            case Indirect():
                raise PackingError(f"{atom} is computed from data")
        result = result + part * factor
    return outward(result)


def _tighter(bound: Affine, other: Affine, facts: Facts, pick: Callable[..., Affine]) -> Affine:
    """The larger of two lower bounds or the smaller of two upper bounds; one of them alone where that is certain."""
    difference = other - bound if pick is maximum else bound - other
    if facts.nonnegative(outward(difference)):
        return other
    return bound if facts.nonnegative(outward(-difference)) else outward(pick(bound, other))


def _clamped(low: Affine, high: Affine, extent: Affine | None, facts: Facts) -> tuple[Affine, Affine]:
    """The box must not leave the array; where bounds of empty loops stand in it, that is not certain."""
    if not facts.nonnegative(low):
        low = maximum(low, 0)
    if extent is not None and not facts.nonnegative(extent - high):
        high = minimum(high, extent)
    return low, high


def _limit(low: Affine, high: Affine, facts: Facts, parameters: frozenset[str]) -> Affine | None:
    """What high - low does not exceed, in constants or parameters."""
    constant = largest_trips(low, high)
    if constant is None:
        constant = proven_trips(low, high, facts, LARGEST_EXTENT)
    if constant is not None:
        return affine(max(1, constant))
    length = outward(high - low)
    return maximum(length, 1) if length.variables() <= parameters else None


# --- the copy ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Bound:
    """A loop of the copy from zero on, and the array's dimension along which it runs."""

    name: str
    upper: Affine
    dimension: int


@dataclass(frozen=True)
class _Copy:
    """`low`, `high`: the box that is copied."""

    array: ArraySpec
    tag: str
    layout: Layout
    buffer: str
    low: tuple[Affine, ...]
    high: tuple[Affine, ...]
    held: Callable[[e.Read], Expression]

    def shape(self, extents: list[Affine]) -> tuple[Affine, ...]:
        panel = self.layout.panel
        shape = []
        for dimension, what in self.layout.axes():
            match what:
                case "panel":
                    shape.append(_divided_inside(extents[dimension], panel, panel - 1))
                case "inside":
                    shape.append(affine(panel))
                case _:
                    shape.append(extents[dimension])
        return tuple(shape)

    def loops(self, fresh: Callable[[str], str], facts: Facts) -> Node:
        """Loops in the order of the buffer's axes, so that it is written as one stream; whole panels apart from one
        that is not, and whole rows of vectors from those at a border."""
        divided, panel = self.layout.divided, self.layout.panel
        names = [fresh("c") for _ in self.layout.axes()]
        cut = self.layout.order[-1] if divided is None else divided
        length = outward(self.high[cut] - self.low[cut])
        most = largest_trips(self.low[cut], self.high[cut])
        if divided is None:
            if most is None or cut != len(self.low) - 1:
                return self._nest(names, affine(0), length)
            panel = most
        if most is not None and most <= panel:
            one = self._nest(names, affine(0), length)
            if facts.nonnegative(length - panel) or self._in_blocks(panel):
                return one
            return Guard(at_least(length, panel), self._nest(names, affine(0), affine(panel)), one)
        whole = _divided_inside(length, panel)
        if not facts.nonnegative(length):
            whole = maximum(whole, 0)
        number, rest = affine(names[0]), outward(length - whole * panel)
        full = Loop(names[0], affine(0), whole, 1, self._nest(names[1:], number, affine(panel)))
        if facts.nonnegative(-rest):
            return full
        part = self._nest(names[1:], whole, rest)
        return Block((full, part if facts.nonnegative(rest - 1) else Guard(at_least(rest, 1), part)))

    def _in_blocks(self, panel: int) -> bool:
        """Whether blocks are turned that panels have a whole number of: those of a part are the ones of a panel."""
        *around, (inner, _) = self.layout.axes()
        last = len(self.low) - 1
        streams = [what for dimension, what in around if dimension == last]
        return inner != last and streams == ["element"] and panel % (_LINE_BYTES // self.array.type.bytes) == 0

    def _nest(self, names: Sequence[str], number: Affine, inside: Affine) -> Node:
        """The loops of the panel of a number, which holds so many elements; the only ones where there are no panels."""
        free = iter(names)
        offsets = {dimension: affine(0) for dimension in self.layout.order}
        target: list[Affine] = []
        bounds: list[_Bound] = []
        for dimension, what in self.layout.axes():
            if what == "panel":
                target.append(number)
                offsets[dimension] = number * self.layout.panel
                continue
            name = next(free)
            cut = what == "inside" or (self.layout.divided is None and dimension == self.layout.order[-1])
            length = inside if cut else outward(self.high[dimension] - self.low[dimension])
            bounds.append(_Bound(name, length, dimension))
            offsets[dimension] = offsets[dimension] + affine(name)
            target.append(affine(name))
        source = Access(self.array.name, tuple(low + offsets[d] for d, low in enumerate(self.low)))
        value = self.held(e.Read(source, self.array.type))
        copy = Compute(f"pack_{self.array.name}", Access(self.buffer, tuple(target)), value)
        return self._loops_around(copy, bounds)

    def _loops_around(self, copy: Compute, bounds: list[_Bound]) -> Node:
        *around, inner = bounds
        last = len(self.low) - 1
        streams = [bound for bound in around if bound.dimension == last]
        block = _LINE_BYTES // self.array.type.bytes
        narrow = self.layout.divided == inner.dimension and self.layout.panel < block
        if inner.dimension != last and len(streams) == 1 and not narrow:
            around.remove(streams[0])
            body: Node = _exchanged(copy, (streams[0].name, streams[0].upper), (inner.name, inner.upper), block)
        else:
            kind = LoopKind.UNROLLED if narrow else LoopKind.VECTOR
            body = Loop(inner.name, affine(0), inner.upper, 1, copy, kind)
        for bound in reversed(around):
            body = Loop(bound.name, affine(0), bound.upper, 1, body)
        return body

    def in_passing(self, node: Node, fresh: Callable[[str], str], facts: Facts) -> Node | None:
        """The node with a copy that its first tile makes, row by row as it reads them; None where it has another form.

            for i: for k: C[i][..] += A[i][k] * B[k][..]
            ->  for i: if i is the first:  for k: { B_pack[k][..] = B[k][..];  C[i][..] += A[i][k] * B[k][..] }
                       else:  for k: C[i][..] += A[i][k] * B_pack[k][..]

        Loads are shared, and stores find places between multiplications.
        """
        last = len(self.low) - 1
        read = [access.subscripts for access, _ in _reads(node, self.tag, ())]
        used = frozenset(name for subscripts in read for value in subscripts for name in value.variables())
        tiles, inside = _sequential(node, lambda loop: loop.variable not in used)
        around = frozenset(loop.variable for loop in tiles)
        if self.layout.divided is not None or self.layout.order[-1] != last or not tiles:
            return None
        if any(not around.isdisjoint(x.lower.variables() | x.upper.variables()) for x in tiles):
            return None
        taken = {loop.variable for loop in walk(node) if isinstance(loop, Loop)}
        first = self._copying(inside, lambda stem: next(n for n in iter(lambda: fresh(stem), None) if n not in taken))
        if first is None:
            return None
        starts = And(tuple(equal(affine(loop.variable), loop.lower) for loop in tiles))
        return _around(tiles, Guard(starts, first, self.redirected(inside, tuple(tiles), facts)))

    def _copying(self, node: Node, fresh: Callable[[str], str]) -> Node | None:
        """A tile that reads the array itself, and copies all of the box on whichever way it takes."""
        if isinstance(node, Guard) and not node.masks:
            sides = self._copying(node.body, fresh), self._copying(node.orelse, fresh)
            return None if sides[0] is None or sides[1] is None else replace(node, body=sides[0], orelse=sides[1])
        found = {access.subscripts for access, _ in _reads(node, self.tag, ())}
        sums, tile = _sequential(node, lambda loop: True)
        if len({subscripts[:-1] for subscripts in found}) != 1:
            return None
        subscripts = next(iter(found))
        along: dict[int, Affine] = {}
        for loop in sums:
            places = [d for d, value in enumerate(subscripts) if loop.variable in value.variables()]
            if len(places) != 1 or places[0] in along or loop.step != 1:
                return None
            d, shift = places[0], subscripts[places[0]] - affine(loop.variable)
            if (loop.lower + shift, loop.upper + shift) != (self.low[d], self.high[d]):
                return None
            along[d] = subscripts[d]
        if not sums or len(self.low) - 1 in along or any(isinstance(x, Loop) and not _is_point(x) for x in walk(tile)):
            return None
        return _around(sums, Block((self._row(along, fresh), _renamed(tile, self.tag, self.array.name, self.held))))

    def _row(self, along: Mapping[int, Affine], fresh: Callable[[str], str]) -> Node:
        """The copy of all elements with the given subscripts in some dimensions."""
        places = dict(along)
        bounds: list[_Bound] = []
        for dimension, low in enumerate(self.low):
            length = outward(self.high[dimension] - low)
            if dimension in along:
                continue
            if length == affine(1):
                places[dimension] = low
                continue
            name = fresh("c")
            places[dimension] = low + affine(name)
            bounds.append(_Bound(name, length, dimension))
        source = Access(self.array.name, tuple(places[d] for d in range(len(self.low))))
        target = Access(self.buffer, tuple(places[d] - self.low[d] for d in self.layout.order))
        body: Node = Compute(f"pack_{self.array.name}", target, self.held(e.Read(source, self.array.type)))
        for bound in reversed(bounds):
            kind = LoopKind.VECTOR if bound.dimension == len(self.low) - 1 else LoopKind.SEQUENTIAL
            whole = Loop(bound.name, affine(0), bound.upper, 1, body, kind)
            most = largest_trips(affine(0), bound.upper)
            if most is None or bound.upper.is_constant:
                body = whole
            else:
                body = Guard(at_least(bound.upper, most), replace(whole, upper=affine(most)), whole)
        return body

    def redirected(self, node: Node, loops: tuple[Loop, ...], facts: Facts) -> Node:
        """The node with its reads of the tag taken from the buffer."""
        if isinstance(node, Compute):
            return replace(node, value=e.rewrite(node.value, lambda read: self._read(read, loops, facts)))
        inside = (*loops, node) if isinstance(node, Loop) else loops
        return map_children_with(node, facts, lambda child, known: self.redirected(child, inside, known))

    def _read(self, node: Expression, loops: tuple[Loop, ...], facts: Facts) -> Expression:
        match node:
            case e.Read(Access(self.tag, subscripts), type_):
                pass
            case _:
                return node
        axes = []
        for dimension, what in self.layout.axes():
            offset = subscripts[dimension] - self.low[dimension]
            if what == "element":
                axes.append(offset)
            else:
                number, inside = _divided(offset, self.layout.panel, loops, facts)
                axes.append(number if what == "panel" else inside)
        return e.Read(Access(self.buffer, tuple(axes)), type_)


def _sequential(node: Node, among: Callable[[Loop], bool]) -> tuple[list[Loop], Node]:
    """The sequential loops of a kind around everything else, outermost first, and what is inside of them."""
    chain: list[Loop] = []
    while isinstance(node, Loop) and node.kind is LoopKind.SEQUENTIAL and among(node):
        chain.append(node)
        node = node.body
    return chain, node


def _is_point(loop: Loop) -> bool:
    return loop.kind in (LoopKind.UNROLLED, LoopKind.VECTOR)


def _around(loops: Sequence[Loop], body: Node) -> Node:
    for loop in reversed(loops):
        body = replace(loop, body=body)
    return body


def _renamed(node: Node, tag: str, array: str, held: Callable[[e.Read], Expression]) -> Node:
    """The node with its reads of a tag taken from the array itself."""

    def own(value: Expression) -> Expression:
        if isinstance(value, e.Read) and value.access.array == tag:
            return held(replace(value, access=replace(value.access, array=array)))
        return value

    return map_computes(node, lambda compute: replace(compute, value=e.rewrite(compute.value, own)))


def _exchanged(copy: Compute, source: tuple[str, Affine], target: tuple[str, Affine], block: int) -> Node:
    """A copy that runs along one loop in the source and along the other in the buffer: whole blocks of both, which
    planning transposes in registers, then what is left of the one and of the other, in narrower blocks where its
    length is known."""
    (j, across), (i, down) = source, target
    across, down = (length if length.is_constant else maximum(length, 0) for length in (across, down))
    whole_i, whole_j = down // block * block, across // block * block
    tiles = [_tiles(copy, (i, affine(0), down, block), (j, affine(0), across, block))]
    for start, size in _narrower(across, block):
        tiles.append(_tiles(copy, (i, affine(0), down, block), (j, affine(start), affine(start + size), size)))
        whole_j = affine(start + size)
    right = Loop(j, whole_j, across, 1, Loop(i, affine(0), whole_i, 1, copy))
    for start, size in _narrower(down, block):
        tiles.append(_tiles(copy, (i, affine(start), affine(start + size), size), (j, affine(0), across, block)))
        corner = Loop(i, affine(start), affine(start + size), 1, Loop(j, across // block * block, across, 1, copy))
        tiles.append(corner)
        whole_i = affine(start + size)
    below = Loop(i, whole_i, down, 1, Loop(j, affine(0), across, 1, copy))
    return Block((*tiles, right, below))


def _narrower(length: Affine, block: int) -> Iterator[tuple[int, int]]:
    """Start and size of blocks for what is left behind whole ones: one of each smaller power of two that fits."""
    if not length.is_constant:
        return
    start, size = length.constant // block * block, block // 2
    while size >= 2:
        if length.constant - start >= size:
            yield start, size
            start += size
        size //= 2


def _tiles(copy: Compute, down: tuple[str, Affine, Affine, int], across: tuple[str, Affine, Affine, int]) -> Loop:
    """Loops over whole blocks of two dimensions.

    Args:
        down: the dimension along which the buffer runs: its loop, from where to where, and the blocks' size.
        across: the one along which the source runs.
    """
    (i, first_i, end_i, rows), (j, first_j, end_j, columns) = down, across
    inside = Loop(j, affine(0), affine(columns), 1, copy, LoopKind.VECTOR)
    one = Loop(i, affine(0), affine(rows), 1, inside, LoopKind.UNROLLED)
    values = {i: first_i + affine(i) + rows * affine(f"{i}b"), j: first_j + affine(j) + columns * affine(f"{j}b")}
    inner = Loop(f"{j}b", affine(0), (end_j - first_j) // columns, 1, substituted(one, values))
    return Loop(f"{i}b", affine(0), (end_i - first_i) // rows, 1, inner)


def _divided_inside(length: Affine, panel: int, more: int = 0) -> Affine:
    """floor((length + more) / panel), inside of minima and maxima, where the division may come out even."""
    match length:
        case Affine(((Min() | Max() as atom, 1),), shift):
            pick = minimum if isinstance(atom, Min) else maximum
            return pick(*(_divided_inside(operand + shift, panel, more) for operand in atom.operands))
        case _:
            return (length + more) // panel


def _divided(offset: Affine, panel: int, loops: tuple[Loop, ...], facts: Facts) -> tuple[Affine, Affine]:
    """offset // panel and offset % panel; without a division where a loop runs over elements of one panel."""
    for loop in reversed(loops):
        trips = largest_trips(loop.lower, loop.upper)
        if offset.coefficient(loop.variable) != 1 or trips is None:
            continue
        base = offset - affine(loop.variable) + loop.lower
        rest = base - panel * (base // panel)
        if rest.is_constant and rest.constant + trips <= panel:
            return base // panel, affine(loop.variable) - loop.lower + rest.constant
    for loop in reversed(loops):
        if offset.coefficient(loop.variable) != 1:
            continue
        rest = offset - affine(loop.variable)
        starts = (*lower_operands(loop.lower), *(end - panel for end in upper_operands(loop.upper)))
        for number in dict.fromkeys((rest + start) // panel for start in starts):
            inside = offset - panel * number
            if _is_plain(number) and facts.nonnegative(inside) and facts.nonnegative(panel - 1 - inside):
                return number, inside
    return offset // panel, offset % panel


def _is_plain(value: Affine) -> bool:
    return all(isinstance(atom, str) for atom, _ in value.terms)


Tags: TypeAlias = "Mapping[tuple[Access, str], str]"
"""Under which name of its array a read is packed: alone, or times a scalar."""


def tagged(value: Expression, tags: Tags) -> Expression:
    """The expression with some reads, or their products by scalars, under other names of their arrays."""

    def one(node: Expression) -> Expression:
        match node:
            case e.Read(access, type_) if (access, "") in tags:
                return e.Read(replace(access, array=tags[access, ""]), type_)
            case e.Binary("*", left, right, type_) if type_.is_float:
                return e.Binary("*", held(left), held(right), type_)
        return node

    def held(node: Expression) -> Expression:
        found = multiplied(node)
        if found is not None and (found[0].access, found[1].access.array) in tags:
            access = found[0].access
            return e.Read(replace(access, array=tags[access, found[1].access.array]), found[0].type)
        return node

    return e.rewrite(value, one)


def multiplied(value: Expression) -> tuple[e.Read, e.Read] | None:
    """The element and the scalar, where the value is their product."""
    match value:
        case e.Binary("*", e.Read(Access(_, ())) as scalar, e.Read(Access(_, (_, *_))) as element, type_):
            pass
        case e.Binary("*", e.Read(Access(_, (_, *_))) as element, e.Read(Access(_, ())) as scalar, type_):
            pass
        case _:
            return None
    return (element, scalar) if type_ == element.type == scalar.type and type_.is_float else None


def factors(value: Expression) -> dict[Access, str]:
    """Elements that are multiplied by a scalar, and the product by something else: no addition absorbs the first
    multiplication, so that its result may as well come from memory."""
    found: dict[Access, str] = {}
    for node in e.walk(value):
        match node:
            case e.Binary("*", left, right, type_) if type_.is_float:
                for product in filter(None, (multiplied(left), multiplied(right))):
                    found[product[0].access] = product[1].access.array
    return found
