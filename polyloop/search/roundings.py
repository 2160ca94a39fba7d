"""Candidates that round products by themselves, where the caller leaves the contraction of multiply-adds open.

A fused multiply-add saves an instruction, but in a chain of additions each waits for the whole of it, not only for the
addition. Which is better is the machine's to say: ``--fp-contract=fast`` lets it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from polyloop.backend.ir.expressions import walk
from polyloop.backend.ir.multiply_adds import contracted
from polyloop.measure.measurement import Source
from polyloop.measure.result import Candidate
from polyloop.schedules.tree import original_tree
from polyloop.scop.model import Scop, Statement


def with_other_roundings(candidate: Candidate) -> Iterator[Candidate]:
    """The candidate with the multiply-adds of all statements apart, then of those alone that carry a chain."""
    fusing = [s for s in candidate.scop.statements if any(contracted(node) for node in walk(s.value))]
    every, chained = ((s.name for s in chosen) for chosen in (fusing, filter(_is_chain, fusing)))
    for names in dict.fromkeys((frozenset(every), frozenset(chained))):
        if names:
            words = f"multiplied and added apart: {_listed(candidate.scop, names)}"
            yield replace(
                candidate,
                name=f"{candidate.name}; {words}",
                # The original loops themselves stay what everything is compared with.
                tree=candidate.tree or original_tree(candidate.scop),
                steps=(*(candidate.steps if candidate.tree else ("original order",)), words),
                apart=names,
                source=Source.SCHEDULE,
            )


def _is_chain(statement: Statement) -> bool:
    return any(access.array == statement.target.array for access in statement.reads)


def _listed(scop: Scop, names: frozenset[str]) -> str:
    return ", ".join(s.name for s in scop.statements if s.name in names)
