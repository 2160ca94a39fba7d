"""Walks of the cursor, by the names of its actions."""

from __future__ import annotations

from typing import TypeVar

from polyloop.cursor.base import CursorProcess, CursorState
from polyloop.cursor.nest import Nest
from polyloop.explorer.session import Session
from polyloop.schedules.tree import ScheduleTree

P = TypeVar("P", Nest, ScheduleTree)


def play(process: CursorProcess[P], *names: str) -> CursorState[P]:
    """Where the actions lead."""
    state = process.initial()
    for name in names:
        state = process.step(state, process.names.index(name))
    return state


def trace_names(session: Session) -> tuple[str, ...]:
    """An explorer's actions up to its present program."""
    return tuple(session.process.names[action] for action in session.trace())
