"""What a run of the suite ``polygym`` has measured, as JSON lines: a resumed run goes on behind it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polyloop.errors import PolyloopError
from polyloop.search.journal import append_line, opened

VERSION = 2
"""Of the lines: samples have a `kind`."""


class StoreError(PolyloopError):
    """A file of results that were measured with other settings, or a damaged one."""


@dataclass
class Store:
    """The lines so far, by what they are about.

    Attributes:
        path: of the file; None: nothing is kept.
        sizes: of each kernel.
        rounds: of each kernel: seconds of the original loops and of isl's schedules, measured again in every round.
        samples: (kernel, heuristic) -> the samples in their order.
        finals: of each kernel: seconds of the best ones, measured once more in turn; the last one counts.
        failed: kernels that could not be measured at all, and why.
    """

    path: Path | None
    sizes: dict[str, dict[str, int]] = field(default_factory=dict)
    rounds: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    samples: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    finals: dict[str, dict[str, Any]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def open(self, settings: Mapping[str, Any]) -> None:
        """Read what there is.

        Raises:
            StoreError: if it was measured with other settings or by another version, or a line is not as `add`
                writes it.
            JournalError: if it is no file of JSON lines.
        """
        if self.path is None:
            return
        entries = opened(self.path, {"settings": dict(settings), "version": VERSION})
        if entries[0].get("version") != VERSION:
            raise StoreError(f"{self.path} was written by another version of polyloop")
        if entries[0]["settings"] != dict(settings):
            raise StoreError(f"{self.path} was measured with other settings: {entries[0].get('settings')}")
        for number, entry in enumerate(entries[1:], 2):
            try:
                self._keep(entry)
            except (KeyError, TypeError) as error:  # a missing key, a list for a name
                raise StoreError(f"{self.path}:{number}: not a line of this file; remove it") from error

    def add(self, entry: Mapping[str, Any]) -> None:
        """Keep one line: {"kernel", "what": "sizes" | "round" | "sample" | "final" | "failed", ...}."""
        if self.path is not None:
            append_line(self.path, entry)
        self._keep(dict(entry))

    def _keep(self, entry: dict[str, Any]) -> None:
        kernel = entry["kernel"]
        match entry["what"]:
            case "sizes":
                self.sizes[kernel] = entry["sizes"]
            case "round":
                self.rounds[kernel].append(entry)
            case "sample":
                self.samples[kernel, entry["heuristic"]].append(entry)
            case "final":
                self.finals[kernel] = entry
            case "failed":
                self.failed[kernel] = entry["reason"]
