"""The search that a learned model guides, on the cursor's space: see `polyloop.search.guided`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from polyloop.backend.machine.host import host_target
from polyloop.cursor.base import AnyCursor, CursorState
from polyloop.cursor.contraction import Contraction
from polyloop.cursor.model import nest_model
from polyloop.cursor.nest import SEQUENTIAL
from polyloop.cursor.shapes import shaped
from polyloop.models.features import Figures, program_features
from polyloop.models.training import needs_lightgbm
from polyloop.search.guided import Guided
from polyloop.search.run import Place, Run

AROUND = 3
"""Loops around a register tile that tell nests apart."""


@dataclass(frozen=True)
class CursorMoves:
    """Programs under a cursor, and changes of their loops.

    Attributes:
        others: programs that chains start from, beside the run's start.
    """

    process: AnyCursor = field(repr=False)
    others: tuple[Any, ...] = field(default=(), repr=False)

    def beginning(self, run: Run[Any]) -> tuple[Any, ...]:
        return run.start().state.program, *self.others

    def drawn(self, run: Run[Any]) -> Any:
        """The end of a random walk of some changes."""
        program = run.start().state.program
        for _ in range(int(run.random.integers(1, 13))):
            program = self.neighbour(program, run)
        return program

    def neighbour(self, thing: Any, run: Run[Any]) -> Any:
        """The program after one change, or a few; itself where none of some is legal."""
        random = run.random
        changes = 1 + int(random.integers(0, 2)) + int(random.integers(0, 2))
        for _ in range(changes):
            for _ in range(6):
                changed = self._changed(thing, random)
                if changed is not None and changed != thing:
                    thing = changed
                    break
        return thing

    def _changed(self, thing: Any, random: np.random.Generator) -> Any | None:
        """After a random action; None where it is not legal. What is exchanged goes on for as many loops as is drawn,
        and so does, every other time, the inner loop of what is split: a register tile takes loops that lie far from
        the innermost, and every step between may be a bad program."""
        rows = self.process.visible(thing)
        if not rows:
            return None
        place, action = int(random.integers(rows)), int(random.integers(2, len(self.process.names)))
        name = self.process.names[action]
        move = self.process.move(CursorState(thing, place), action)
        program, cursor = move.program, move.cursor
        if program is None or not name.startswith(("swap", "split")):
            return program
        if name.startswith("split"):
            if random.random() < 0.5:
                return program
            cursor, action = cursor + 1, self.process.names.index("swap_down")
        for _ in range(int(random.integers(rows))):
            further = self.process.move(CursorState(program, cursor), action)
            if further.program is None:
                break
            program, cursor = further.program, further.cursor
        return program

    def figures(self, thing: Any) -> Figures:
        return program_features(self.process.problem, thing, nest_model(host_target().machine))

    def parts(self, thing: Any) -> frozenset[Any]:
        """Its loops; of a nest the register tile, and the few loops around it, which say what caches see: nests that
        differ outside of these are hardly told apart."""
        problem = self.process.problem
        if isinstance(problem, Contraction):
            loops = tuple(x for x in shaped(problem, thing, host_target()).compute if x.size > 1 or x.tail)
            cut = next((k for k, loop in enumerate(loops) if loop.kind != SEQUENTIAL), len(loops))
            return frozenset((loops[cut:], *enumerate(reversed(loops[max(0, cut - AROUND) : cut]))))
        return frozenset((path, str(band.members)) for path, band in thing.bands())

    def place(self, thing: Any, number: int, run: Run[Any]) -> Place[Any]:
        """The start where it is that; others are told apart by their number."""
        started = run.start().state
        if thing == started.program:
            return Place(started)
        return Place(started._replace(program=thing, cursor=0), (number,))


@dataclass(frozen=True)
class GuidedCursor(Guided):
    """The search on a cursor's process, from several programs at once."""

    def starting(self, programs: tuple[Any, ...]) -> GuidedCursor:
        assert isinstance(self.moves, CursorMoves)
        return replace(self, moves=replace(self.moves, others=programs))


def guided(process: AnyCursor, **settings: Any) -> GuidedCursor:
    """The search with its default settings, or others.

    Raises:
        TrainingError: without lightgbm; says what to install.
    """
    needs_lightgbm()
    return GuidedCursor(CursorMoves(process), **settings)
