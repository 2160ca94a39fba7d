"""The file of a resumed run of ``polyloop bench polygym``."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloop.bench.polygym_store import Store, StoreError


@pytest.mark.parametrize("line", ['{"foo": 1}', '{"kernel": "mvt"}', '{"kernel": [], "what": "sizes", "sizes": {}}'])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "store.jsonl"
    Store(path).open({"budget": 1})
    Store(path).add({"kernel": "mvt", "what": "sizes", "sizes": {"N": 8}})
    with path.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(StoreError, match=r"store\.jsonl:3: "):
        Store(path).open({"budget": 1})
