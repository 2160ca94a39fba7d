"""What all fuzzing suites share: what is said about one episode, and work that might never end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache

from polyloop.backend.run.worker import Worker, WorkerError


@dataclass
class Outcome:
    """Of one episode; whatever is in `errors` makes the whole run fail.

    Attributes:
        subject: what the episode was about, like the kernel: the row that it counts in.
        counts: how often something was done or seen.
        errors: what is wrong.
        notes: what is not wrong, but worth a look.
        compared, different: results that had to be equal, and those that were not.
    """

    subject: str
    counts: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    compared: int = 0
    different: int = 0

    def count(self, what: str, times: int = 1) -> None:
        if times:
            self.counts[what] += int(times)

    def wrong(self, what: str) -> None:
        self.errors.append(what)

    def note(self, what: str) -> None:
        self.notes.append(what)

    def compare(self, different: int, what: str) -> None:
        """A result that had to be equal, how many of its elements are not, and what to say if there are some."""
        self.compared += 1
        if different:
            self.different += 1
            self.wrong(what)


def in_time(seconds: float, function: str, *arguments: object) -> object | None:
    """What "module:function" returns in a worker; None if that takes longer, as nothing else bounds what isl takes.

    Raises:
        WorkerError: after a crash, or an error in the function.
    """
    try:
        return _worker().call(function, arguments, timeout=seconds)
    except WorkerError as error:
        if error.kind != "timeout":
            raise
        return None


@cache
def _worker() -> Worker:
    return Worker()
