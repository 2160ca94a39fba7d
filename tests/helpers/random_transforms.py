"""Random small Scops and transforms, for properties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import islpy as isl
from hypothesis import strategies as st

from polyloop.schedules.tree import Path, ScheduleTree, original_tree
from polyloop.scop.model import Scop
from polyloop.transforms import (
    Distribute,
    JoinBands,
    Pack,
    Parallelize,
    Prefetch,
    RegisterTile,
    Skew,
    Split,
    Tile,
    Transform,
    Unroll,
    candidates,
    perform,
)
from tests.helpers.small_scops import Assign, Loop, gemm, scop


def bounded(scop_: Scop, largest: int) -> Scop:
    """The Scop with every parameter at most `largest`, so that enumeration is exact."""
    names = ", ".join(scop_.parameters)
    upper = " and ".join(f"{p} <= {largest}" for p in scop_.parameters)
    return replace(scop_, context=scop_.context & isl.Set(f"[{names}] -> {{ : {upper} }}"))


@st.composite
def scops(draw: st.DrawFn, largest: int = 4) -> Scop:
    """One or two nests of one to three statements over A[.][.], b[.] and the scalar s."""
    counter = iter(range(100))
    body = tuple(draw(_item((), counter)) for _ in range(draw(st.integers(1, 2))))
    return bounded(scop("n", *body, name="random", extents="3*n + 8"), largest)


@st.composite
def _item(draw: st.DrawFn, loops: tuple[str, ...], counter: object) -> Loop | Assign:
    number = next(counter)  # type: ignore[call-overload]
    if len(loops) == 2 or (loops and draw(st.booleans())):
        accesses = [draw(_access(loops)) for _ in range(draw(st.integers(1, 3)))]
        reads = tuple(dict.fromkeys(accesses[1:]))
        return Assign(f"S{number}", accesses[0], reads)
    iterator = "ijk"[len(loops)] + str(number)
    lower = draw(st.sampled_from(["0", "1", *loops])) if loops else "0"
    inner = tuple(draw(_item((*loops, iterator), counter)) for _ in range(draw(st.integers(1, 2))))
    return Loop(iterator, lower, "n", inner, draw(st.integers(0, 4)) == 0)


@st.composite
def _access(draw: st.DrawFn, loops: tuple[str, ...]) -> str:
    array = draw(st.sampled_from(["A", "A", "b", "s"]))
    subscripts = [
        f"[{draw(st.sampled_from(loops))} + {draw(st.integers(1, 3))}]" for _ in range({"A": 2, "b": 1, "s": 0}[array])
    ]
    return array + "".join(subscripts)


def small(transform: Transform, tree: ScheduleTree, factor: int) -> Transform | None:
    """The same transform with sizes that matter in loops of a few iterations; None where the form rules them out."""
    changed: Transform
    match transform:
        case Tile(path, sizes):
            changed = Tile(path, tuple(factor for _ in sizes))
        case Split(path, member, _):
            changed = Split(path, member, factor)
        case RegisterTile(path, sizes):
            changed = RegisterTile(path, tuple(1 if s == 1 else factor for s in sizes))
        case Unroll(path, member, _):
            changed = Unroll(path, member, factor)
        case Skew(path, member, by, _):
            changed = Skew(path, member, by, factor - 3 or 1)
        case _:
            changed = transform
    return changed if changed.obstacle(tree) is None else None


def choices(tree: ScheduleTree, factor: int) -> list[Transform]:
    """Candidates with small sizes, each once."""
    found = (small(candidate, tree, factor) for candidate in candidates(tree))
    return list(dict.fromkeys(c for c in found if c is not None))


def packs(scop: Scop, tree: ScheduleTree) -> Iterator[Pack]:
    """Copies of every read of two or more dimensions in front of every loop around it: as it is, with the last two
    dimensions exchanged, and in panels; legality is not looked at."""
    for path, band in tree.bands():
        for statement in (scop.statement(name) for name in band.statements):
            if statement.conditional:
                continue
            for access in statement.reads:
                rank = len(access.subscripts)
                if rank < 2 or access == statement.target or access.data:
                    continue
                for index in range(len(band.members)):
                    options = (cls_ for cls_ in _layouts(path, index, statement.name, str(access), rank))
                    yield from (option for option in options if option.obstacle(tree) is None)


def prefetches(scop: Scop, tree: ScheduleTree) -> Iterator[Prefetch]:
    """Every array that a loop's statements read, at a few distances."""
    for path, band in tree.bands():
        arrays = dict.fromkeys(a.array for name in band.statements for a in scop.statement(name).reads if a.subscripts)
        for index in range(len(band.members)):
            options = (Prefetch(path, index, array, distance) for array in arrays for distance in (2, 4, 8))
            yield from (option for option in options if option.obstacle(tree) is None)


def _layouts(path: Path, member: int, statement: str, read: str, rank: int) -> Iterator[Pack]:
    same = tuple(range(rank))
    exchanged = (*same[:-2], rank - 1, rank - 2)
    yield Pack(path, member, statement, read, same)
    yield Pack(path, member, statement, read, exchanged)
    for panel in (8, 16, 24, 32, 48, 64):
        yield Pack(path, member, statement, read, (rank - 1, *same), panel)
        yield Pack(path, member, statement, read, (rank - 2, *exchanged), panel)


def tuned_gemm(*more: Transform) -> ScheduleTree:
    """gemm in tiles of three sizes, with register tiles, lanes and threads."""
    trace = (
        Distribute(()),
        JoinBands((1,)),
        JoinBands((1,)),
        Tile((1,), (64, 64, 64)),
        RegisterTile((1, 0), (4, 1, 8), vector=2),
        Parallelize((1,), 0),
        *more,
    )
    return perform(original_tree(gemm()), trace, gemm().dependences())
