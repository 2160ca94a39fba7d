"""What is going on, on standard error: a line that changes while it is a terminal, nothing where it is not."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.markup import escape


class Progress:
    """Use as a context manager; `update` shows what is being done. Rich honours NO_COLOR and TERM=dumb."""

    def __init__(self, title: str) -> None:
        self.title = title
        console = Console(stderr=True)
        self._status = console.status(escape(title)) if console.is_terminal else None

    def update(self, message: str) -> None:
        if self._status is not None:
            self._status.update(escape(f"{self.title}: {message}"))

    def __enter__(self) -> Progress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()
