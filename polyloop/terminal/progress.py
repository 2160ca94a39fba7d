"""What is going on, on standard error: a line that changes while it is a terminal, nothing where it is not."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType

from rich.console import Console
from rich.text import Text


class Progress:
    """Use as a context manager; `update` shows what is being done, with the seconds since the beginning. Rich honours
    NO_COLOR and TERM=dumb.

    Args:
        clock: in seconds; another one for tests.
    """

    def __init__(self, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.title, self.message = title, ""
        self._clock, self._began = clock, clock()
        console = Console(stderr=True)
        # The line is asked for its text whenever it is drawn: the seconds go on while nothing is reported.
        self._status = console.status(self) if console.is_terminal else None

    def __rich__(self) -> Text:
        """Cut off at the terminal's width: a line that wraps would jump while it changes."""
        spent = f"{self.title}, {self._clock() - self._began:.0f} s"
        return Text(f"{spent}: {self.message}" if self.message else spent, no_wrap=True, overflow="ellipsis")

    def update(self, message: str) -> None:
        self.message = message

    def __enter__(self) -> Progress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()


def announce_measuring() -> None:
    """Say why a command takes some seconds longer the first time."""
    print("polyloop: measuring this machine (once, up to 3 s)", file=sys.stderr)
