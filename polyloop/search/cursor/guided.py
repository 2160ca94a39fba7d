"""The search that a learned model guides, on the cursor's space: see `polyloop.search.guided`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from polyloop.backend.machine.host import host_target
from polyloop.cursor.base import AnyCursor, CursorState
from polyloop.cursor.model import nest_model
from polyloop.cursor.nest import Nest
from polyloop.models.features import Figures, program_features
from polyloop.models.training import lightgbm
from polyloop.search.guided import Guided
from polyloop.search.run import Place, Run


@dataclass(frozen=True)
class CursorMoves:
    """Programs under a cursor, and changes of their loops.

    Attributes:
        others: programs that chains start from, beside the run's start.
    """

    process: AnyCursor = field(repr=False)
    others: tuple[Any, ...] = field(default=(), repr=False)

    def beginning(self, run: Run[Any]) -> tuple[Any, ...]:
        """See `polyloop.search.guided.Moves`, as for all that follows."""
        return run.start().state.program, *self.others

    def drawn(self, run: Run[Any]) -> Any:
        """The end of a random walk of some changes."""
        program = run.start().state.program
        for _ in range(int(run.random.integers(1, 13))):
            program = self.neighbour(program, run)
        return program

    def neighbour(self, thing: Any, run: Run[Any]) -> Any:
        """The program after one change of a loop, or a few; itself where none of some is legal."""
        rows, names, random = self.process.visible(thing), len(self.process.names), run.random
        if not rows:
            return thing
        changes = 1 + int(random.integers(0, 2)) + int(random.integers(0, 2))
        for _ in range(changes):
            for _ in range(6):
                state = CursorState(thing, int(random.integers(rows)))
                move = self.process.move(state, int(random.integers(2, names)))
                if move.program is not None and move.program != thing:
                    thing, rows = move.program, self.process.visible(move.program)
                    break
        return thing

    def figures(self, thing: Any) -> Figures:
        return program_features(self.process.problem, thing, nest_model(host_target().machine))

    def parts(self, thing: Any) -> frozenset[Any]:
        """Its loops, counted from the inside."""
        if isinstance(thing, Nest):
            return frozenset(enumerate(reversed(thing.compute)))
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
        """See `polyloop.search.cursor.searches.StartsAnywhere`."""
        assert isinstance(self.moves, CursorMoves)
        return replace(self, moves=replace(self.moves, others=programs))


def guided(process: AnyCursor, **settings: Any) -> GuidedCursor:
    """The search with its default settings, or others.

    Raises:
        TrainingError: without lightgbm; says what to install.
    """
    lightgbm()
    return GuidedCursor(CursorMoves(process), **settings)
