"""Gymnasium environments: thin wrappers over the decision processes of `polyloop`.

A wrapper turns states into observations and actions into masks, and measures through an evaluator that it is
given. What is legal, and what an action does, is decided below this folder.

``import polyloop`` registers `polyloop/Construct-v0`, `polyloop/Explore-v0`, `polyloop/Schedule-v0`,
`polyloop/Cursor-v0` and the second versions `polyloop/Schedule-v1` and `polyloop/Cursor-v1` with Gymnasium; `register`
does it by hand.
"""

from __future__ import annotations

from polyloop.registration import register

__all__ = ["register"]
