"""Planning: all thinking between a loop nest and the code that is printed.

Loop nests come in with loop kinds that are proven permissions; vector programs go out in which vectors, masks, tiles in
registers and versions for partial tiles are spelled out. Nothing is reordered that the nest did not allow.
"""

from __future__ import annotations

from polyloop.backend.planning.plan import plan, scalar_program

__all__ = ["plan", "scalar_program"]
