"""Which key does what in the explorer, and what the help says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    """Keys of one meaning.

    Attributes:
        keys: as textual calls them; `shown`: as people do.
    """

    keys: tuple[str, ...]
    shown: str
    meaning: str


ACTIONS = {
    "up": Key(("up", "k"), "↑", "the cursor goes to the loop above"),
    "down": Key(("down", "j"), "↓", "the cursor goes to the loop below"),
    "swap_up": Key(("K", "shift+up"), "K", "exchange the loop with the one directly outside"),
    "swap_down": Key(("J", "shift+down"), "J", "exchange the loop with the one directly inside"),
    "merge": Key(("m",), "m", "make one loop of it and the one of the same variable inside"),
    "vectorize": Key(("v",), "v", "run the loop in the lanes of vectors"),
    "unroll": Key(("n",), "n", "write the iterations out"),
    "register_tile": Key(("t",), "t", "some iterations, unrolled, as the innermost loop"),
    "parallelize": Key(("p",), "p", "run the iterations in threads"),
    "pack": Key(("c",), "c", "copy what is read, in front of the loop"),
    "prefetch": Key(("f",), "f", "ask the caches for what comes some iterations later"),
}
"""Actions of the cursor; splits are on the digits, in order."""

COMMANDS = {
    "undo": Key(("u", "z", "ctrl+z"), "u", "undo the last change"),
    "redo": Key(("r", "y", "ctrl+y"), "r", "redo it"),
    "best": Key(("b",), "b", "go to the fastest program so far"),
    "start": Key(("0", "home"), "0", "go to the loops as they are; redo leads back"),
    "why": Key(("w",), "w", "why actions are masked here"),
    "data": Key(("d",), "d", "all arrays and results"),
    "name": Key(("colon",), ":", "an action by its name or number"),
    "save": Key(("s",), "s", "write the program as C, and the episode"),
    "help": Key(("question_mark", "h", "f1"), "?", "this page"),
    "leave": Key(("q", "ctrl+q"), "q", "quit; so does ctrl+c"),
}


def action_key(name: str, names: Sequence[str]) -> Key:
    """The key of an action among all that there are."""
    if name in ACTIONS:
        return ACTIONS[name]
    splits = [other for other in names if other.startswith("split_")]
    digit = str(1 + splits.index(name))
    return Key((digit,), digit, f"blocks of {name.removeprefix('split_')} iterations")
