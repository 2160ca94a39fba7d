"""Names of learners, and where the trained policies are that ship with polyloop. Loads nothing: whoever asks may not
have torch."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias, get_args

from polyloop.errors import PolyloopError

Algorithm: TypeAlias = Literal["ppo", "a2c", "dqn", "apex", "impala", "expert", "dagger"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)
COMPARED = ALGORITHMS[:5]
"""Those of LoopTune's figure 7, and IMPALA; the others are shown what a search finds."""
Q_LEARNING: tuple[Algorithm, ...] = ("dqn", "apex")
"""Those whose networks give values of actions, not probabilities."""
ON_POLICY: tuple[Algorithm, ...] = ("ppo", "a2c")
"""Those that learn from what they have just done, of which several processes can learn as one."""

Kind: TypeAlias = Literal["cursor", "schedule"]

WEIGHTS = Path(__file__).parents[1] / "data" / "weights"
"""A pair of files each."""


def shipped_path(kind: Kind) -> Path:
    """The path of a policy's files, without their suffix.

    Raises:
        PolyloopError: if none of that kind ships.
    """
    path = WEIGHTS / kind
    if not path.with_suffix(".json").exists():
        raise PolyloopError(f"no policy of the kind {kind!r} ships with this version; train one: polyloop train --help")
    return path
