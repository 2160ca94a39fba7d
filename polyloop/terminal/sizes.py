"""Sizes of an expression's dimensions as operands of a command: m=256 n=256 k=128."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polyloop.terminal.errors import UsageError


def dimension_sizes(given: Sequence[str]) -> dict[str, int]:
    """The sizes by name, in the order in which they are given.

    Raises:
        UsageError: for what is no size.
    """
    sizes: dict[str, int] = {}
    for text in given:
        for part in filter(None, text.split(",")):
            match = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*=\s*([0-9]{1,9})\s*", part)
            if match is None or int(match[2]) < 1:
                raise UsageError(f"{part!r} is not a dimension's size, as in m=256")
            sizes[match[1]] = int(match[2])
    return sizes
