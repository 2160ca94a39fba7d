"""What the commands around agents share: whether the libraries are there, and where shipped policies are."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from polyloop.cli.learning_options import SHIPPED
from polyloop.errors import PolyloopError

WEIGHTS = Path(__file__).parents[1] / "data" / "weights"
"""The trained policies that ship with polyloop: a pair of files each."""


class MissingExtraError(PolyloopError):
    """A command needs libraries that an extra of polyloop brings; the message says which."""


def needs_torch(what: str) -> None:
    """Raises:
    MissingExtraError: if torch or torch-geometric is not installed.
    """
    missing = [name for name in ("torch", "torch_geometric", "safetensors") if find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"{what} needs {', '.join(missing)}; pip install 'polyloop[gnn]'")


def policy_path(given: str, kind: str) -> Path:
    """A run's folder, or the shipped policy of a kind ("cursor" or "schedule").

    Raises:
        PolyloopError: if there is none.
    """
    if given != SHIPPED:
        return Path(given)
    path = WEIGHTS / kind
    if not path.with_suffix(".json").exists():
        raise PolyloopError(f"no policy of the kind {kind!r} ships with this version; train one: polyloop train --help")
    return path
