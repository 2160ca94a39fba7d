"""The file of a resumed run of ``polyloop bench polygym``."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.bench.polygym_store import Store, StoreError
from polyloop.search.journal import JournalError


@pytest.mark.parametrize("line", ['{"foo": 1}', '{"kernel": "mvt"}', '{"kernel": [], "what": "sizes", "sizes": {}}'])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "store.jsonl"
    Store(path).open({"budget": 1})
    Store(path).add({"kernel": "mvt", "what": "sizes", "sizes": {"N": 8}})
    with path.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(StoreError, match=r"store\.jsonl:3: "):
        Store(path).open({"budget": 1})


@pytest.mark.parametrize("text", [b"SQLite format 3\0 and more", b'{"name": "theirs"}', b"{"])
def test_a_file_of_others_without_an_end_of_line_is_left_alone(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "theirs"
    path.write_bytes(text)
    if text == b"{":  # what an interrupt may have left of a first line
        Store(path).open({"budget": 1})
        Store(path).open({"budget": 1})
        return
    with pytest.raises(JournalError, match="theirs:1: not how such a file begins; give another file, or remove this"):
        Store(path).open({"budget": 1})
    assert path.read_bytes() == text
