"""How much random tests try: all of it in CI, where nobody waits (POLYLOOP_THOROUGH), a share of it elsewhere."""

from __future__ import annotations

import os


def trials(every: int, share: int) -> int:
    """How many trials a test makes: `every` one where tests are to be thorough, otherwise a `share` of them."""
    return every if os.environ.get("POLYLOOP_THOROUGH", "0") != "0" else share
