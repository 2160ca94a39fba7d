"""Scops that compute the same with other storage or other statements: expanded scalars, copies in another layout,
statements cut at planes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyloop.scop import Scop
from polyloop.transforms.expand import Expand, IllegalExpansionError
from polyloop.transforms.in_place import kept_in_place
from polyloop.transforms.index_set_split import IllegalSplitError, frees_lanes, splits
from polyloop.transforms.relayout import IllegalRelayoutError, relayouts
from polyloop.transforms.webs import split_webs

MOST_PARTS = 8
"""How many statements cutting may add."""


def variants(scop: Scop) -> Iterator[tuple[str, Scop]]:
    """(what was done, in words; the Scop), the original one first, each at most once."""
    yield "", scop
    seen = {scop.statements}
    renamed, webs = split_webs(scop)
    renaming = f"{', '.join(webs)} in webs" if webs else ""
    expanded = [("; ".join(filter(None, (renaming, words))), variant) for words, variant in _expanded(renamed)]
    expanded = [*_in_place(expanded[-1:]), *expanded]
    for words, variant in [("", scop), *expanded, *_split(scop)]:
        copied, copies = _with_copies(variant)
        both = "; ".join(part for part in (words, copies) if part)
        for name, proposal in ((words, variant), (both, copied)):
            if proposal.statements not in seen:
                seen.add(proposal.statements)
                yield name, proposal


def _in_place(expanded: Sequence[tuple[str, Scop]]) -> Iterator[tuple[str, Scop]]:
    """Expanded scalars kept in the arrays that they are copied from or to."""
    for words, variant in expanded:
        shared, arrays = kept_in_place(variant)
        if arrays:
            yield f"{words}, {', '.join(arrays)} in place", shared


def _split(scop: Scop) -> Iterator[tuple[str, Scop]]:
    """Statements cut where their contiguous direction is blocked, then in the other directions, too."""
    for everywhere in (False, True):
        changed, planes = scop, dict[str, None]()
        while len(changed.statements) < len(scop.statements) + MOST_PARTS:
            chosen = next((s for s in splits(changed) if everywhere or frees_lanes(changed, s)), None)
            if chosen is None:
                break
            try:
                changed = chosen.apply(changed)
            except IllegalSplitError:
                break
            planes[f"{chosen.plane} = 0"] = None
        if planes:
            yield f"cut at {', '.join(planes)}", changed


def _with_copies(scop: Scop) -> tuple[Scop, str]:
    """Every strided read of the deepest statements served from a transposed copy."""
    names = []
    for relayout in relayouts(scop):
        try:
            scop = relayout.apply(scop)
        except IllegalRelayoutError:
            continue
        names.append(str(relayout.access))
    return scop, f"copies in another layout for {', '.join(names)}" if names else ""


def _expanded(scop: Scop) -> Iterator[tuple[str, Scop]]:
    """All scalars that can be, expanded over the innermost loop of their writes, over the outermost, over all."""
    depths = {
        a.name: min(s.depth for s in scop.statements if s.target.array == a.name)
        for a in scop.arrays
        if not a.shape and any(s.target.array == a.name for s in scop.statements)
    }
    seen: set[tuple[tuple[str, tuple[int, ...]], ...]] = set()
    for words, pick in (("innermost loop", slice(-1, None)), ("outermost loop", slice(1)), ("loops", slice(None))):
        chosen = tuple((name, tuple(range(depth)[pick])) for name, depth in depths.items() if depth)
        if chosen in seen:
            continue
        seen.add(chosen)
        changed, done = scop, []
        for name, loops in chosen:
            try:
                changed = Expand(name, loops).apply(changed)
            except IllegalExpansionError:
                continue
            done.append(name)
        if done:
            yield f"{', '.join(done)} expanded over the {words}", changed
