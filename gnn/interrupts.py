"""Signals that wait: what is half done when a user has had enough is finished and written down first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any


@dataclass
class Held:
    """Whether a signal has come."""

    number: int | None = None

    def __bool__(self) -> bool:
        return self.number is not None


@contextmanager
def held_signals() -> Iterator[Held]:
    """SIGINT and SIGTERM take effect when the block is left, as if they came then; a second one takes effect at once.

    Signals that are ignored or left to the system stay so, and so do all of them outside of the main thread, where
    Python lets nobody handle signals.
    """
    held = Held()
    before: dict[int, Callable[[int, FrameType | None], Any]] = {}

    def hold(number: int, frame: FrameType | None) -> None:
        if held:
            before[number](number, frame)
        held.number = number

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            handler = signal.getsignal(number)
            if callable(handler) and not isinstance(handler, signal.Handlers):
                before[number] = handler
                signal.signal(number, hold)
    try:
        yield held
    finally:
        for known, handler in before.items():
            signal.signal(known, handler)
    if held.number is not None:
        before[held.number](held.number, None)
