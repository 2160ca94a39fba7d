"""Texts that are compared with files in the repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Golden:
    """Compares, or writes anew under ``pytest --update-golden``: read the difference before it is committed."""

    update: bool

    def check(self, path: Path, text: str) -> None:
        """The text is the file's, to the byte."""
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert text == path.read_bytes().decode()
