"""What a fuzzing suite says about one episode."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


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
