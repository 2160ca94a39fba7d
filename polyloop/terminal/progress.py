"""What is going on, on standard error: a line that changes while it is a terminal, nothing where it is not."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.text import Text


class Progress:
    """Use as a context manager; `update` shows what is being done. Rich honours NO_COLOR and TERM=dumb."""

    def __init__(self, title: str) -> None:
        self.title = title
        console = Console(stderr=True)
        self._status = console.status(_one_line(title)) if console.is_terminal else None

    def update(self, message: str) -> None:
        if self._status is not None:
            self._status.update(_one_line(f"{self.title}: {message}"))

    def __enter__(self) -> Progress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()


def _one_line(text: str) -> Text:
    """Cut off at the terminal's width: a line that wraps would jump while it changes."""
    return Text(text, no_wrap=True, overflow="ellipsis")
