"""Dependences and proofs of Scops, each computed once: shapes, searches and evaluators ask before anything runs."""

from __future__ import annotations

from polyloop.schedules.legality import Proof, Violation, prove
from polyloop.schedules.tree import ScheduleTree
from polyloop.scop.dependence import Dependence, memory_dependences, value_dependences
from polyloop.scop.model import Scop


class Proofs:
    """What is known of Scops and their schedules, remembered.

    Args:
        reassociate: reductions may be reordered.
    """

    def __init__(self, reassociate: bool = False) -> None:
        self.reassociate = reassociate
        self._dependences: dict[Scop, tuple[Dependence, ...]] = {}
        self._flow: dict[Scop, tuple[Dependence, ...]] = {}
        self._proofs: dict[tuple[Scop, ScheduleTree], Proof | Violation] = {}

    def dependences(self, scop: Scop) -> tuple[Dependence, ...]:
        """Memory-based dependences."""
        if scop not in self._dependences:
            self._dependences[scop] = memory_dependences(scop)
        return self._dependences[scop]

    def flow(self, scop: Scop) -> tuple[Dependence, ...]:
        """What a scheduler has to keep: last-access dependences.

        Where reductions may be reordered (those of integers always) these are the memory-based ones: without a
        reduction's own dependences the last-access ones no longer order its initialisation before all of it. For a
        single statement, too: its last-access dependences add up to these and may take isl seconds.
        """
        memory = self.dependences(scop)
        if len(scop.statements) == 1 or any(d.is_free(self.reassociate) for d in memory):
            return memory
        if scop not in self._flow:
            self._flow[scop] = value_dependences(scop)
        return self._flow[scop]

    def prove(self, scop: Scop, tree: ScheduleTree) -> Proof | Violation:
        """Whether the tree keeps every memory-based dependence; if not, which one it violates."""
        key = scop, tree
        if key not in self._proofs:
            self._proofs[key] = prove(scop, tree, self.dependences(scop), self.reassociate)
        return self._proofs[key]

    def is_legal(self, scop: Scop, tree: ScheduleTree) -> bool:
        return isinstance(self.prove(scop, tree), Proof)
