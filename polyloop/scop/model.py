"""Scop: a static control part as both front ends make it and as everything above it reads it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from polyloop.scop.dependence import Dependence, Family, Granularity, dependences
from polyloop.scop.program import Array, Program, SourceLocation, SourceRegion, Statement

__all__ = ["Array", "Scop", "SourceLocation", "SourceRegion", "Statement"]


@dataclass(frozen=True, eq=False)
class Scop(Program):
    """A program (see `Program`) that knows its dependences."""

    def dependences(self, kind: Family = "memory", granularity: Granularity = "statement") -> tuple[Dependence, ...]:
        """What has to stay in order; see `polyloop.scop.dependence`. Computed once for each pair of arguments.

        Args:
            kind: "memory" for every conflicting pair (legality), "value" for dataflow and last accesses (spaces).
            granularity: "block" takes adjacent assignments with one domain as one statement.
        """
        if (kind, granularity) not in self._dependences:
            self._dependences[kind, granularity] = dependences(self, kind, granularity)
        return self._dependences[kind, granularity]

    @cached_property
    def _dependences(self) -> dict[tuple[Family, Granularity], tuple[Dependence, ...]]:
        return {}
