"""From a schedule to a loop nest, and to the output C file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """What stood here while this was one module."""
        from polyloop.support.moved import attribute

        return attribute(__name__, name)
